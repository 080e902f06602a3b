//! How often a diagnosis meets each age: one relative frequency per age group, about 100 at the height.
//!
//! The 21 age groups are age 0, ages 1 to 4, and then five years each up to 95 to 99. The first year of
//! life stands alone because newborn and perinatal codes belong to it and to no other.

/// Number of age groups.
pub(crate) const AGE_GROUPS: usize = 21;

/// Relative frequency per age group.
pub(crate) type Curve = [u16; AGE_GROUPS];

/// The age group of an age.
pub(crate) const fn age_group(age: usize) -> usize {
    if age == 0 { 0 } else { age / 5 + 1 }
}

#[rustfmt::skip]
mod points {
    use super::Curve;

    //                                            0   1   5  10  15  20  25  30  35  40  45  50  55  60  65  70  75  80  85  90  95
    pub(crate) const NEWBORN: Curve =          [100,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0];
    pub(crate) const INFANT: Curve =           [100, 90, 32, 14,  7,  5,  6,  6,  5,  4,  4,  3,  3,  3,  3,  3,  3,  3,  3,  3,  3];
    pub(crate) const CHILD: Curve =            [ 80,100, 85, 52, 36, 30, 34, 36, 36, 31, 29, 28, 28, 27, 26, 24, 22, 19, 16, 13, 11];
    pub(crate) const SCHOOL: Curve =           [  2, 30,100, 90, 45, 16, 10,  8,  6,  5,  4,  4,  3,  3,  3,  2,  2,  1,  1,  1,  1];
    pub(crate) const SCHOOL_ADULT: Curve =     [  1,  8, 45, 85,100, 90, 75, 65, 55, 48, 42, 36, 31, 28, 25, 23, 20, 18, 15, 12, 10];
    pub(crate) const TEEN: Curve =             [  0,  0,  4, 55,100, 85, 58, 33, 18, 11,  7,  4,  2,  1,  1,  0,  0,  0,  0,  0,  0];
    pub(crate) const YOUNG_ADULT: Curve =      [  0,  3, 15, 40, 80,100, 98, 90, 80, 68, 58, 48, 40, 33, 28, 23, 19, 15, 12,  9,  7];
    pub(crate) const INJURY: Curve =           [  6, 35, 62, 88,100, 98, 90, 76, 66, 60, 58, 58, 56, 50, 45, 41, 38, 36, 34, 30, 26];
    pub(crate) const FERTILE: Curve =          [  0,  0,  0,  0,  3, 35,100, 98, 40,  8,  1,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0];
    pub(crate) const GYN: Curve =              [  0,  1,  2,  9, 45, 80,100,100,100, 96, 84, 52, 30, 20, 14, 10,  8,  6,  5,  4,  3];
    pub(crate) const MENOPAUSE: Curve =        [  0,  0,  0,  0,  0,  0,  1,  2,  5, 22, 70,100, 72, 40, 22, 14,  8,  5,  3,  2,  1];
    pub(crate) const ADULT: Curve =            [  1,  5, 12, 25, 50, 72, 88, 96,100,100,100, 98, 92, 82, 72, 60, 50, 40, 31, 24, 18];
    pub(crate) const DENTAL: Curve =           [  0, 18, 62, 45, 42, 58, 76, 88, 95, 98,100,100, 98, 88, 76, 62, 46, 31, 19, 11,  7];
    pub(crate) const MIDDLE: Curve =           [  0,  1,  2,  5, 12, 20, 28, 38, 50, 64, 80, 94,100, 98, 92, 84, 74, 63, 52, 42, 35];
    pub(crate) const OLDER: Curve =            [  0,  0,  0,  1,  2,  3,  5,  9, 16, 29, 44, 60, 74, 86, 96,100,100, 96, 88, 80, 74];
    pub(crate) const OLD: Curve =              [  0,  0,  0,  0,  1,  1,  1,  2,  3,  5,  9, 15, 22, 32, 46, 62, 78, 92,100,100, 98];
    pub(crate) const WIDE: Curve =             [ 80,100, 48, 24, 16, 15, 18, 20, 20, 20, 21, 23, 26, 30, 34, 40, 47, 54, 62, 68, 72];
    pub(crate) const FLAT: Curve =             [ 70, 90, 80, 66, 62, 64, 66, 68, 68, 68, 70, 72, 74, 74, 72, 70, 66, 60, 54, 48, 44];
}

pub(crate) use points::*;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_age_has_its_group() {
        let groups: Vec<usize> = (0..100).map(age_group).collect();
        assert_eq!((groups[0], groups[1], groups[4], groups[5], groups[99]), (0, 1, 1, 2, AGE_GROUPS - 1));
        assert!(groups.windows(2).all(|pair| pair[1] == pair[0] || pair[1] == pair[0] + 1));
    }
}
