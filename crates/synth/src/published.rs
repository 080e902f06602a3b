//! The published figures that the sample imitates: Tables 9 to 12 of Lee 2020, column "Original".
//!
//! The paper counts the stroke patients without surgery among 1 361 000 records of a national patient
//! sample. Its labels are the upper ends of the age groups: the text names the groups "0-4, 5-9, ...",
//! although the printed query would label them by the lower end. Population counts agree with the text.

/// Records of the published sample.
pub const ROWS: u64 = 1_361_000;

/// Table 9: men with stroke and without surgery, by ages 0-4, 5-9, ..., 85-89.
pub const STROKE_MEN: [u16; 18] =
    [1, 2, 1, 9, 12, 13, 27, 44, 104, 205, 341, 396, 472, 442, 430, 360, 197, 78];

/// Table 10: women with stroke and without surgery, by ages 0-4, 5-9, ..., 85-89.
pub const STROKE_WOMEN: [u16; 18] =
    [0, 2, 7, 8, 4, 6, 10, 26, 63, 102, 178, 231, 279, 326, 457, 525, 445, 243];

/// Table 11: their mean length of stay in tenths of a day, men, by ages 0-9, 10-19, ..., 80-89.
pub const STAY_MEN: [u16; 9] = [10, 14, 21, 27, 34, 40, 36, 43, 58];

/// Table 12: their mean length of stay in tenths of a day, women, by ages 0-9, 10-19, ..., 80-89.
pub const STAY_WOMEN: [u16; 9] = [30, 30, 77, 17, 27, 35, 35, 56, 80];
