//! Which diagnoses there are, and how often each meets an age group and sex.

use crate::category::Category;
use crate::curves::{AGE_GROUPS, age_group};
use crate::published::ROWS;
use crate::stay::Stay;
use crate::{AGES, categories_a_j, categories_k_z, demography, stroke};

/// All categories, in ascending order of their codes.
pub(crate) fn categories() -> impl Iterator<Item = &'static Category> {
    categories_a_j::CATEGORIES.iter().chain(categories_k_z::CATEGORIES)
}

/// The weights of the diagnoses within an age group and sex, in the order of [`categories`].
///
/// Stroke takes its published share of the group; the other diagnoses divide what is left.
pub(crate) fn weights(group: usize, sex: usize) -> Vec<u64> {
    // The published counts are of patients without surgery; those with surgery come on top.
    let strokes: Vec<u64> = categories()
        .filter(|c| c.stay == Stay::Stroke)
        .zip(stroke::MIX[sex])
        .map(|(c, mix)| stroke::patients_without_surgery(group, sex) * mix / (1000 - c.surgery_per_thousand))
        .collect();
    let others = |c: &Category| match c.stay {
        Stay::Stroke => 0,
        _ => c.weight * u64::from(c.curve[group]) * [c.men_per_hundred, 100 - c.men_per_hundred][sex],
    };
    let left = u128::from(expected_records(group, sex) - strokes.iter().sum::<u64>());
    let total: u128 = categories().map(|c| u128::from(others(c))).sum();

    let mut strokes = strokes.into_iter();
    let weight = |c: &Category| match c.stay {
        Stay::Stroke => strokes.next().unwrap_or(0),
        _ => (u128::from(others(c)) * left / total) as u64,
    };
    categories().map(weight).collect()
}

/// Records of the group among the published number of records, in units of 1 / [`stroke::UNIT`].
fn expected_records(group: usize, sex: usize) -> u64 {
    let of_group: u64 =
        (0..AGES).filter(|&age| age_group(age) == group).map(|age| demography::patients(sex, age)).sum();
    let of_all: u64 = demography::weights().iter().sum();
    (u128::from(ROWS * stroke::UNIT) * u128::from(of_group) / u128::from(of_all)) as u64
}

// Every age group has its count of strokes.
const _: () = assert!(AGE_GROUPS == stroke::AGE_GROUPS_WITH_COUNTS);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_categories_in_order() {
        let codes: Vec<&str> = categories().map(|c| c.code).collect();
        assert!(codes.len() >= 300 && codes.len() <= 512);
        assert!(codes.windows(2).all(|pair| pair[0] < pair[1]));
        assert!(codes.iter().all(|code| {
            let bytes = code.as_bytes();
            bytes.len() == 3 && bytes[0].is_ascii_uppercase() && bytes[1..].iter().all(u8::is_ascii_digit)
        }));
    }

    #[test]
    fn strokes_are_i60_to_i69() {
        let strokes: Vec<&str> = categories().filter(|c| c.stay == Stay::Stroke).map(|c| c.code).collect();
        assert_eq!(strokes, ["I60", "I61", "I62", "I63", "I64", "I65", "I66", "I67", "I68", "I69"]);
    }

    #[test]
    fn some_diagnoses_belong_to_some_patients_only() {
        for group in 0..AGE_GROUPS {
            for sex in 0..2 {
                for (category, weight) in categories().zip(weights(group, sex)) {
                    let fertile = (4..=10).contains(&group);
                    let possible = match category.code {
                        code if code.starts_with('O') => sex == 1 && fertile,
                        "N40" | "C61" => sex == 0,
                        "C53" | "N95" | "N76" => sex == 1,
                        "Z38" => group == 0,
                        code if code.starts_with('P') => group == 0,
                        _ => true,
                    };
                    assert!(possible || weight == 0, "{} in group {group}, sex {sex}", category.code);
                }
            }
        }
    }

    #[test]
    fn weights_have_a_heavy_tail() {
        let mut total = vec![0; categories().count()];
        for (group, sex) in (0..AGE_GROUPS).flat_map(|group| [(group, 0), (group, 1)]) {
            total.iter_mut().zip(weights(group, sex)).for_each(|(sum, weight)| *sum += weight);
        }
        total.sort_unstable_by(|a, b| b.cmp(a));
        assert!(total.iter().all(|&weight| weight > 0));
        let all: u64 = total.iter().sum();
        assert!(total[..30].iter().sum::<u64>() * 2 > all, "30 categories are most of the records");
        assert!(total[total.len() - 100..].iter().sum::<u64>() * 50 < all, "100 categories are rare");
    }
}
