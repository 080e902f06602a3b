//! The minimality attack on counterfeits.
//!
//! # Summary
//! Whoever knows the algorithm knows which classes can hold counterfeits: with padding to exactly k
//! only those of k released records. Counting over these alone can locate counterfeits that Lemma 1
//! calls hidden; once they are removed, classes fall below k.
//!
//! # Definition
//! For a catalog row (G, s, c) let C ⊆ G be the classes that can hold counterfeits and r(E) the
//! released records of s in E. At least max(0, c − Σ_{F ∈ C, F ≠ E} r(F)) counterfeits of s are in
//! E. A class is *exposed* if its size less those located in it is below k. A guesser who picks a
//! released record of s in C at random finds a counterfeit with probability c / Σ_C r.
//!
//! # Complexity
//! O(rows · log values), however long the groups are.
//!
//! # References
//! Wong et al. 2007, "Minimality attack in privacy preserving data publishing"; Lee 2017, Lemma 1.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use velamen_core::release::{Release, SUPPRESSED};

/// What the attack gets.
#[derive(Debug, Clone, Default, PartialEq, JsonSchema, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Exposure {
    /// Counterfeits in the release.
    pub counterfeits: u64,
    /// Counterfeits that counting pins to a class.
    pub located: u64,
    /// Classes that fall below k once the located counterfeits are removed.
    pub exposed_classes: u64,
    /// Real records in those classes; their people where k counts people.
    pub exposed_records: u64,
    /// The least class size after removal.
    pub least_class: u64,
    /// Whether k, and what is compared with it, counts people; each counterfeit is one.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub counts_people: bool,
    /// The mean over counterfeits of the probability that a guess finds one.
    pub guess: f64,
    /// The same for a guesser who does not know the algorithm.
    pub blind_guess: f64,
}

/// Attacks a release, knowing that classes of more than `largest` records hold no counterfeit.
///
/// Where k counts people, `people` are those of each class, counterfeits included: counting locates records, each of which is a
/// person of its own.
#[must_use]
pub fn attack(release: &Release, k: u64, largest: u64, people: Option<&[u64]>) -> Exposure {
    let cells = released_cells(release);
    let mut located_in = vec![0u64; release.sizes.len()];
    let counts_people = people.is_some();
    let mut exposure =
        Exposure { counterfeits: release.counterfeits(), counts_people, ..Exposure::default() };
    let (mut guess, mut blind) = (0.0, 0.0);
    let can_hold = |class: &usize| release.sizes[*class] <= largest;
    for rows in release.catalog.chunk_by(|a, b| a.classes == b.classes) {
        let classes: Vec<usize> = rows[0].classes.iter().map(|&id| id as usize - 1).collect();
        let held = classes.iter().flat_map(|&class| cells[class].iter().map(move |cell| (cell, class)));
        let mut holders: BTreeMap<&str, Vec<(usize, u64)>> = BTreeMap::new();
        for ((value, &count), class) in held {
            holders.entry(value).or_default().push((class, count));
        }
        for row in rows {
            let holders = holders.get(row.value.as_str()).map_or(&[][..], Vec::as_slice);
            let all: u64 = holders.iter().map(|(_, count)| count).sum();
            let candidates = || holders.iter().filter(|(class, _)| can_hold(class));
            let possible: u64 = candidates().map(|(_, count)| count).sum();
            for &(class, count) in candidates() {
                located_in[class] += row.count.saturating_sub(possible - count);
            }
            // Classes without the value: only a catalog that claims too much pins anything to them.
            if row.count > possible {
                let others = classes
                    .iter()
                    .filter(|class| can_hold(class) && !cells[**class].contains_key(row.value.as_str()));
                others.for_each(|&class| located_in[class] += row.count - possible);
            }
            guess += row.count as f64 * row.count as f64 / possible.max(1) as f64;
            blind += row.count as f64 * row.count as f64 / all.max(1) as f64;
        }
    }
    let sizes = people.unwrap_or(&release.sizes);
    let remaining = |class: usize| sizes[class].saturating_sub(located_in[class]);
    exposure.located = located_in.iter().sum();
    exposure.least_class = (0..located_in.len()).map(remaining).min().unwrap_or(0);
    for class in (0..located_in.len()).filter(|&class| remaining(class) < k) {
        exposure.exposed_classes += 1;
        exposure.exposed_records += remaining(class);
    }
    if exposure.counterfeits > 0 {
        exposure.guess = guess / exposure.counterfeits as f64;
        exposure.blind_guess = blind / exposure.counterfeits as f64;
    }
    exposure
}

/// By class the released records of each sensitive value.
pub(super) fn released_cells(release: &Release) -> Vec<BTreeMap<&str, u64>> {
    let mut cells = vec![BTreeMap::new(); release.sizes.len()];
    let Some(sensitive) = release.rest.sensitive().next() else { return cells };
    for row in release.rows.iter().filter(|row| row.class != SUPPRESSED) {
        let code = release.rest.codes[sensitive][row.rest as usize];
        let value = release.rest.columns[sensitive].values[code as usize].as_str();
        *cells[row.class as usize].entry(value).or_insert(0) += row.count;
    }
    cells
}

#[cfg(test)]
mod tests {
    use super::*;
    use velamen_core::frequency::{Rest, RestColumn, Role};
    use velamen_core::release::{CatalogRow, Row};

    /// Lee 2017, Table 5 with Table 8, and one more real record in class 2.
    fn table_5(second: u64) -> Release {
        let values = ["Anemia", "Diabetes", "Pneumonia"].map(String::from).to_vec();
        let columns = vec![RestColumn { name: "disease".into(), role: Role::Sensitive, values }];
        let row = |class, rest, count| Row { class, rest, count };
        Release {
            rest: Rest { columns, codes: vec![vec![0, 1, 2]], len: 3 },
            sizes: vec![4, 2 + second],
            rows: vec![row(0, 0, 1), row(0, 1, 2), row(0, 2, 1), row(1, 1, 2), row(1, 2, second)],
            catalog: vec![CatalogRow { classes: [1, 2].into(), value: "Diabetes".into(), count: 1 }],
            ..Release::default()
        }
    }

    #[test]
    fn padding_to_exactly_k_betrays_what_a_larger_class_seems_to_conceal() {
        // Class 2 has 5 records: with k = 4 it was not padded, so the counterfeit is in class 1.
        let exposure = attack(&table_5(3), 4, 4, None);
        assert_eq!((exposure.located, exposure.exposed_classes, exposure.least_class), (1, 1, 3));
        assert_eq!((exposure.guess, exposure.blind_guess), (0.5, 0.25));
    }

    /// Class 1 has 4 records of three people, one of them the counterfeit, which is located.
    #[test]
    fn people_are_compared_with_k_people() {
        let exposure = attack(&table_5(3), 3, 4, Some(&[3, 4]));
        assert_eq!((exposure.exposed_classes, exposure.exposed_records, exposure.least_class), (1, 2, 2));
        assert!(exposure.counts_people && attack(&table_5(3), 3, 4, None).exposed_classes == 0);
    }

    #[test]
    fn a_class_that_could_hold_counterfeits_conceals() {
        for (second, largest) in [(2, 4), (3, 10)] {
            let exposure = attack(&table_5(second), 4, largest, None);
            assert_eq!((exposure.located, exposure.exposed_classes), (0, 0));
        }
    }

    /// Each class against each row, as the definition says it.
    fn naive(release: &Release, largest: u64) -> (u64, f64) {
        let count = |class: u64, value: &str| {
            let of = |row: &&Row| {
                row.class == class as u32 && release.rest.columns[0].values[row.rest as usize] == value
            };
            release.rows.iter().filter(of).map(|row| row.count).sum::<u64>()
        };
        let (mut located, mut guess) = (0, 0.0);
        for row in &release.catalog {
            let can_hold = |id: &&u64| release.sizes[**id as usize - 1] <= largest;
            let holding: Vec<u64> = row.classes.iter().filter(can_hold).map(|id| id - 1).collect();
            let possible: u64 = holding.iter().map(|&class| count(class, &row.value)).sum();
            for &class in &holding {
                located += row.count.saturating_sub(possible - count(class, &row.value));
            }
            guess += (row.count * row.count) as f64 / possible.max(1) as f64;
        }
        (located, guess / release.counterfeits() as f64)
    }

    #[test]
    fn groups_at_once_are_classes_one_by_one() {
        let mut stream = velamen_dp::Seed::from_number(7).stream(0);
        let mut any = |bound: u64| velamen_dp::below(&mut stream, bound);
        for _ in 0..300 {
            let mut release = table_5(2);
            // Larger than the records shown, so that a catalog may claim too much.
            release.sizes = (0..5).map(|_| 40 + any(20)).collect();
            release.rows = (0..15).map(|at| Row { class: at / 3, rest: at % 3, count: any(4) }).collect();
            let groups: [&[u64]; 2] = [&[1, 2, 4], &[3, 5]];
            let values = ["Anemia", "Diabetes", "Pneumonia"];
            let row = |at: usize| (groups[at / 3], values[at % 3]);
            let rows =
                (0..6).map(row).map(|(classes, value)| (classes, value, any(7))).filter(|row| row.2 > 0);
            release.catalog = rows
                .map(|(classes, value, count)| CatalogRow {
                    classes: classes.into(),
                    value: value.into(),
                    count,
                })
                .collect();
            let largest = 45 + any(15);
            let (found, (located, guess)) = (attack(&release, 2, largest, None), naive(&release, largest));
            assert_eq!(found.located, located, "{release:?}");
            assert!(release.catalog.is_empty() || (found.guess - guess).abs() < 1e-9, "{release:?}");
        }
    }
}
