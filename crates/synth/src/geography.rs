//! 16 provinces and their 250 districts. Codes and populations are invented.
//!
//! A district's code has four digits, of which the first two are its province. Provinces count from 11,
//! so that a reader who takes the codes for numbers loses no leading zero.

use crate::curves::AGE_GROUPS;

/// Number of districts.
pub(crate) const DISTRICTS: usize = 250;

/// The code of the first province.
const FIRST_PROVINCE: usize = 11;

/// A province: how many districts share how many inhabitants.
struct Province {
    districts: usize,
    thousands: u64,
    /// How evenly: district i (from 0) has a share proportional to 1 / (i + evenness).
    evenness: u64,
    /// Whether the smaller half of the districts is country, where the old stay and the young leave.
    country: bool,
}

const fn province(districts: usize, thousands: u64, evenness: u64, country: bool) -> Province {
    Province { districts, thousands, evenness, country }
}

const PROVINCES: [Province; 16] = [
    province(25, 9800, 6, false),
    province(16, 3400, 4, false),
    province(8, 2450, 3, false),
    province(10, 2750, 3, false),
    province(5, 1480, 3, false),
    province(5, 1500, 3, false),
    province(5, 1080, 3, false),
    province(44, 11400, 2, false),
    province(18, 1460, 1, true),
    province(14, 1510, 1, true),
    province(16, 2070, 1, true),
    province(15, 1780, 1, true),
    province(22, 1740, 1, true),
    province(24, 2600, 1, true),
    province(20, 3160, 1, true),
    province(3, 530, 2, false),
];

/// How many of a hundred expected patients of an age group a country district has.
const COUNTRY: [u64; AGE_GROUPS] =
    [65, 65, 65, 70, 70, 55, 55, 60, 65, 75, 85, 95, 110, 140, 180, 210, 225, 225, 220, 215, 210];

/// The districts' codes, in ascending order.
pub(crate) fn codes() -> Vec<String> {
    let districts = |(i, province): (usize, &Province)| {
        (1..=province.districts).map(move |district| format!("{}{district:02}", FIRST_PROVINCE + i))
    };
    PROVINCES.iter().enumerate().flat_map(districts).collect()
}

/// The weights of the districts among the patients of an age group, in the order of [`codes`].
pub(crate) fn weights(age_group: usize) -> Vec<u64> {
    PROVINCES.iter().flat_map(|province| district_weights(province, age_group)).collect()
}

fn district_weights(province: &Province, age_group: usize) -> Vec<u64> {
    let shares: Vec<u64> =
        (0..province.districts as u64).map(|i| 1_000_000 / (i + province.evenness)).collect();
    let total: u64 = shares.iter().sum();
    let country = |i: usize| province.country && i >= province.districts / 2;
    let factor = |i: usize| if country(i) { COUNTRY[age_group] } else { 100 };
    (0..province.districts).map(|i| province.thousands * 1_000_000 * shares[i] / total * factor(i)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_unique_and_in_order() {
        let codes = codes();
        assert_eq!(codes.len(), DISTRICTS);
        assert!(codes.iter().all(|code| code.len() == 4));
        assert!(codes.windows(2).all(|pair| pair[0] < pair[1]));
    }

    #[test]
    fn the_largest_district_dwarfs_the_smallest() {
        let weights = weights(8);
        assert_eq!(weights.len(), DISTRICTS);
        assert!(weights.iter().max().unwrap() / weights.iter().min().unwrap() > 20);
        assert!(weights.iter().all(|&weight| weight > 0));
    }
}
