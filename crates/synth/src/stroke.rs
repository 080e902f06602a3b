//! Stroke, ICD-10 I60 to I69: the diagnosis whose counts follow published ones.

use crate::published::{STROKE_MEN, STROKE_WOMEN};

/// Counts here are in units of a millionth of a record.
pub(crate) const UNIT: u64 = 1_000_000;

/// I60 to I69 per thousand stroke patients, men and women.
pub(crate) const MIX: [[u64; 10]; 2] =
    [[22, 82, 30, 510, 34, 70, 22, 98, 2, 130], [42, 62, 16, 482, 40, 58, 26, 150, 2, 122]];

/// Stroke patients at 90-94 and 95-99, whom the paper does not count, men and women; invented.
const OLDEST: [[u16; 2]; 2] = [[24, 3], [88, 16]];

/// The age groups that [`patients_without_surgery`] knows.
pub(crate) const AGE_GROUPS_WITH_COUNTS: usize = 2 + (STROKE_MEN.len() - 1) + OLDEST[0].len();

/// Stroke patients without surgery of an age group and sex among the published number of records.
pub(crate) fn patients_without_surgery(group: usize, sex: usize) -> u64 {
    let published = [STROKE_MEN, STROKE_WOMEN][sex];
    let count = |printed: u16| u64::from(printed) * UNIT;
    match group {
        // The published group 0-4 is two groups here: age 0, and ages 1 to 4.
        0 => count(published[0]) / 5,
        1 => count(published[0]) * 4 / 5,
        _ if group <= published.len() => count(published[group - 1]),
        _ => count(OLDEST[sex][group - published.len() - 1]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_hold_the_published_counts() {
        assert_eq!(patients_without_surgery(0, 0) + patients_without_surgery(1, 0), UNIT);
        assert_eq!(patients_without_surgery(2, 0), 2 * UNIT);
        assert_eq!(patients_without_surgery(18, 1), 243 * UNIT);
        assert_eq!(patients_without_surgery(20, 1), 16 * UNIT);
        assert!(MIX.iter().all(|mix| mix.iter().sum::<u64>() == 1000));
    }
}
