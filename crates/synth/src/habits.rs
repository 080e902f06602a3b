//! What ties the diagnosis to the location: the habits of coding.
//!
//! Some categories are interchangeable in practice: one clinic writes J20 where another writes J06. Each
//! district has a favourite in every such family, so that records of one place look more alike than the
//! age and sex of its patients would make them. A release has to cope with that, for it is what makes an
//! equivalence class of one district poor in sensitive values.

use crate::alias::AliasTable;
use crate::category::Category;
use crate::diagnosis::categories;
use crate::geography::DISTRICTS;

/// Families of interchangeable categories. All members of one occur at the same ages and in both sexes.
const FAMILIES: [&[&str]; 8] = [
    &["J00", "J01", "J02", "J03", "J04", "J06", "J20", "J30", "J40"],
    &["K02", "K03", "K04", "K05"],
    &["K21", "K25", "K29", "K30", "K58"],
    &["M47", "M48", "M51", "M53", "M54"],
    &["L23", "L30", "L50"],
    &["H04", "H10", "H16"],
    &["E11", "E14"],
    &["S13", "S33"],
];

/// A record of a family gets its district's favourite if a random 32-bit word is below: three in four.
const HABIT_THRESHOLD: u32 = u32::MAX / 4 * 3;

/// The favourite diagnosis of each district in each family.
pub(crate) struct Habits {
    /// By diagnosis: its family, or `FAMILIES.len()` for none.
    families: Vec<u8>,
    /// By district and family.
    favourites: Vec<[u16; FAMILIES.len()]>,
}

impl Habits {
    pub(crate) fn new() -> Self {
        let family = |code: &str| FAMILIES.iter().position(|f| f.contains(&code)).unwrap_or(FAMILIES.len());
        let families: Vec<u8> = categories().map(|category| family(category.code) as u8).collect();
        let favourite = |district: usize, family: usize| {
            let weight = |(c, &of): (&Category, &u8)| match usize::from(of) == family {
                true => c.weight,
                false => 0,
            };
            let weights: Vec<u64> = categories().zip(&families).map(weight).collect();
            AliasTable::new(&weights).draw(scatter(district * FAMILIES.len() + family)) as u16
        };
        let favourites = (0..DISTRICTS)
            .map(|district| std::array::from_fn(|family| favourite(district, family)))
            .collect();
        Self { families, favourites }
    }

    /// The diagnosis that is written down in a district, given 32 random bits.
    #[inline]
    pub(crate) fn written(&self, diagnosis: usize, location: usize, word: u32) -> usize {
        match self.favourites[location].get(usize::from(self.families[diagnosis])) {
            Some(&favourite) if word < HABIT_THRESHOLD => usize::from(favourite),
            _ => diagnosis,
        }
    }
}

/// A fixed word for a number, well mixed (the finalizer of SplitMix64): habits do not depend on the seed.
fn scatter(number: usize) -> u32 {
    let mut word = (number as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    word = (word ^ (word >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    word = (word ^ (word >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    ((word ^ (word >> 31)) >> 32) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn favourites_stay_in_the_family() {
        let habits = Habits::new();
        for (diagnosis, category) in categories().enumerate() {
            let family = FAMILIES.iter().find(|family| family.contains(&category.code));
            for location in [0, 77, DISTRICTS - 1] {
                let written = categories().nth(habits.written(diagnosis, location, 0)).unwrap().code;
                assert!(family.map_or(written == category.code, |family| family.contains(&written)));
                assert_eq!(habits.written(diagnosis, location, u32::MAX), diagnosis);
            }
        }
    }

    #[test]
    fn districts_differ_in_habits() {
        let habits = Habits::new();
        for family in 0..FAMILIES.len() {
            let first = habits.favourites[0][family];
            assert!(habits.favourites.iter().any(|of_district| of_district[family] != first));
        }
    }

    #[test]
    fn families_are_categories() {
        assert!(FAMILIES.iter().flat_map(|f| f.iter()).all(|code| categories().any(|c| c.code == *code)));
    }
}
