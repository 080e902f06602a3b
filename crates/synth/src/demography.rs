//! How many patients there are of each age and sex. The weights are invented.

use crate::{AGES, SEXES};

/// Patients per five-year group, by sex: ages 0-4, 5-9, ..., 95-99, and an empty group to end on.
#[rustfmt::skip]
const PATIENTS: [[u64; 21]; SEXES] = [
    [1230, 1240, 1540, 1720, 1560, 1700, 1930, 2060, 2180, 2090, 2010, 1450, 1130, 910, 720, 410, 185, 74, 19, 3, 0],
    [1150, 1160, 1430, 1580, 1560, 1690, 1920, 2040, 2160, 2090, 2040, 1510, 1210, 1040, 930, 650, 375, 185, 60, 13, 0],
];

/// Relative number of patients of one sex at one age.
///
/// Linear between the middles of neighbouring groups, so that no group's end is a step.
pub(crate) fn patients(sex: usize, age: usize) -> u64 {
    let (group, next, past_middle) = match age.checked_sub(2) {
        None => (0, 0, 0),
        Some(years) => (years / 5, years / 5 + 1, (years % 5) as u64),
    };
    PATIENTS[sex][group] * (5 - past_middle) + PATIENTS[sex][next] * past_middle
}

/// The weights of the pairs of age and sex, at `age * SEXES + sex`.
pub(crate) fn weights() -> Vec<u64> {
    (0..AGES * SEXES).map(|cell| patients(cell % SEXES, cell / SEXES)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_age_occurs_in_both_sexes() {
        assert!(weights().iter().all(|&weight| weight > 0));
    }

    #[test]
    fn women_outlive_men() {
        assert!((65..AGES).all(|age| patients(1, age) > patients(0, age)));
    }
}
