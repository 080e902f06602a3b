//! Records of which each sensitive attribute is counted by itself.
//!
//! A class has as many records as the attribute of most counts in it, so that one attribute at least has no empty cell there, and T is
//! stated of exactly the sensitive attributes. The pairing of values within a class is said to be random; that shows in no release.

use std::collections::BTreeMap;

use velamen_contract::Noise;

use super::{Uncheckable, View};

/// Whether the shape is that of such records; of others nothing is asked.
pub(super) fn holds(view: &View<'_>, noise: &Noise) -> Result<bool, Uncheckable> {
    let Some(each) = &noise.each else { return Ok(true) };
    let columns = noise.sensitive.iter().map(|name| view.published.position(name));
    let columns = columns.collect::<Result<Vec<usize>, Uncheckable>>()?;
    // By class, whether each column has an empty cell; suppressed records are the class of none.
    let mut empty: BTreeMap<Option<u64>, Vec<bool>> = BTreeMap::new();
    for row in 0..view.published.table.len {
        let seen = empty.entry(view.class_id(row)).or_insert_with(|| vec![false; columns.len()]);
        for (seen, &column) in seen.iter_mut().zip(&columns) {
            *seen |= view.cell(column, row).is_empty();
        }
    }
    let named =
        each.len() == noise.sensitive.len() && noise.sensitive.iter().all(|name| each.contains_key(name));
    let least = each.values().map(|stated| stated.least_count).min();
    Ok(named && least == Some(noise.least_count) && empty.values().all(|seen| seen.contains(&false)))
}

#[cfg(test)]
#[allow(clippy::indexing_slicing, reason = "a test may fail by a panic")]
mod tests {
    use serde_json::json;
    use velamen_contract::{EachStated, PromisedAttribute, Promises, Spent};
    use velamen_core::hierarchy::Definition;

    use super::*;
    use crate::tests::released;
    use crate::{CLASS_ID, Published, State};

    /// Class id, age, disease, drug and count.
    type Rows = [(&'static str, &'static str, &'static str, &'static str, u64)];

    const ROWS: &Rows = &[
        ("1", "[0-4]", "A", "x", 4),
        ("1", "[0-4]", "A", "", 2),
        ("2", "[5-9]", "B", "y", 9),
        ("", "*", "", "y", 2),
    ];

    fn step(step: &str, epsilon: &str, delta: &str) -> Spent {
        Spent { step: step.into(), epsilon: epsilon.into(), delta: delta.into() }
    }

    fn spent(delta: &str) -> Vec<Spent> {
        vec![
            step("candidates", "1/10", "0"),
            step("insertion of disease", "2/5", delta),
            step("insertion of drug", "3/10", delta),
            step("suppression of disease", "1/10", "0"),
            step("suppression of drug", "1/10", "0"),
        ]
    }

    fn promises(spent: Vec<Spent>) -> Promises {
        let age = Definition::Interval { interval: vec![5.0], min: 0.0, max: 9.0, decimals: 0 };
        let domain = |values: [&str; 2]| Definition::Table {
            rows: values.map(|value| vec![value.into(), "*".into()]).to_vec(),
        };
        Promises {
            qis: vec![PromisedAttribute {
                name: "age".into(),
                level: Some(1),
                hierarchy: age,
                ..Default::default()
            }],
            hierarchies: [("disease", domain(["A", "B"])), ("drug", domain(["x", "y"]))]
                .map(|(name, domain)| (name.to_owned(), domain))
                .into(),
            spent,
            suppressed: 2,
            ..Promises::default()
        }
    }

    fn noise(disease: u64, drug: u64) -> Noise {
        let stated = |least_count| EachStated { least_count };
        Noise {
            counted: "insertion".into(),
            others: vec!["candidates".into(), "suppression".into()],
            least_count: disease.min(drug),
            left: step("", "0", "0"),
            sensitive: vec!["disease".into(), "drug".into()],
            each: Some([("disease".to_owned(), stated(disease)), ("drug".to_owned(), stated(drug))].into()),
            ..Noise::default()
        }
    }

    fn certified(rows: &Rows, noise: &Noise, promises: &Promises, delta: f64) -> bool {
        let cells: Vec<([&str; 4], u64)> =
            rows.iter().map(|row| ([row.0, row.1, row.2, row.3], row.4)).collect();
        let rows: Vec<(&[&str], u64)> = cells.iter().map(|(cells, count)| (&cells[..], *count)).collect();
        let (table, counts) = released(&[CLASS_ID, "age", "disease", "drug"], &rows);
        let published = Published { table: &table, counts: &counts, people: None };
        let view = View::new(&published, 0, vec![1]);
        let asked = json!({ "epsilon": 1.0, "delta": delta });
        super::super::check(&asked, noise, &view, promises, &view.classes()).unwrap().state == State::Stated
    }

    #[test]
    fn least_counts_are_stated_of_the_sensitive_attributes_and_of_no_other() {
        let rows: [(&[&str], u64); 1] = [(&["1", "[0-4]", "A", "x"], 9)];
        let (table, counts) = released(&[CLASS_ID, "age", "disease", "drug"], &rows);
        let published = Published { table: &table, counts: &counts, people: None };
        let view = View::new(&published, 0, vec![1]);
        let of = |names: &[&str]| {
            let each = names.iter().map(|name| ((*name).to_owned(), EachStated { least_count: 4 })).collect();
            holds(&view, &Noise { each: Some(each), ..noise(4, 4) }).unwrap()
        };
        assert!(of(&["disease", "drug"]));
        for others in [&["disease", "drug", "age"] as &[_], &["disease", "age"], &["disease"], &[]] {
            assert!(!of(others), "{others:?}");
        }
    }

    #[test]
    fn each_attribute_reaches_its_own_least_count() {
        let promises = promises(spent("0"));
        assert!(certified(ROWS, &noise(6, 4), &promises, 0.0));
        // Disease A has six records in the first class, drug x four.
        assert!(!certified(ROWS, &noise(7, 4), &promises, 0.0));
        assert!(!certified(ROWS, &noise(6, 5), &promises, 0.0));
        let joint = Noise { each: None, ..noise(4, 4) };
        assert!(!certified(ROWS, &joint, &promises, 0.0));
        let other = Noise { least_count: 5, ..noise(6, 4) };
        assert!(!certified(ROWS, &other, &promises, 0.0), "the least of both is stated");
    }

    #[test]
    fn a_class_has_a_full_column() {
        let promises = promises(spent("0"));
        let with =
            |row: (&'static str, &'static str, &'static str, &'static str, u64)| [ROWS, &[row]].concat();
        assert!(!certified(&with(("2", "[5-9]", "", "", 1)), &noise(6, 4), &promises, 0.0));
        let both = with(("1", "[0-4]", "", "x", 1));
        assert!(
            !certified(&both, &noise(6, 4), &promises, 0.0),
            "both columns have empty cells in the first class"
        );
        assert!(
            !certified(&with(("", "*", "A", "", 1)), &noise(6, 4), &promises, 0.0),
            "among the suppressed"
        );
        assert!(
            !certified(&with(("2", "[5-9]", "C", "y", 9)), &noise(6, 4), &promises, 0.0),
            "no declared value"
        );
        let mut declared = promises.clone();
        let rows =
            vec![vec!["".into(), "*".into()], vec!["x".into(), "*".into()], vec!["y".into(), "*".into()]];
        declared.hierarchies.insert("drug".into(), Definition::Table { rows });
        assert!(!certified(ROWS, &noise(6, 4), &declared, 0.0), "an empty cell could be a value");
    }

    #[test]
    fn each_attribute_pays_for_its_noise() {
        let holds = |spent| certified(ROWS, &noise(6, 4), &promises(spent), 0.0);
        let without = |name: &str| {
            let mut steps = spent("0");
            steps.retain(|step| step.step != name);
            steps
        };
        assert!(holds(spent("0")));
        for name in ["insertion of drug", "suppression of disease"] {
            assert!(!holds(without(name)), "{name}");
        }
        let mut foreign = spent("0");
        foreign[1].step = "insertion".into();
        assert!(!holds(foreign));
        let third = Noise {
            each: Some([("disease".to_owned(), EachStated { least_count: 4 })].into()),
            ..noise(4, 4)
        };
        let mut steps = spent("0");
        steps.retain(|step| !step.step.ends_with("drug"));
        let third = Noise { left: step("", "2/5", "0"), ..third };
        assert!(!certified(ROWS, &third, &promises(steps), 0.0), "T of every attribute is stated");
    }

    #[test]
    fn with_delta_each_least_count_pays_for_what_no_record_has() {
        let large: Vec<_> = ROWS.iter().map(|&(id, age, a, b, count)| (id, age, a, b, count + 60)).collect();
        let promises = promises(spent("1/200000"));
        let of = |disease, drug| Noise { occupied_only: true, ..noise(disease, drug) };
        // e^−ε(T − 1)/(1 + e^−ε) ≤ 5 · 10⁻⁶: T − 1 ≥ 29.24 with ε = 0.4 and 38.84 with ε = 0.3.
        assert!(certified(&large, &of(31, 40), &promises, 1e-5));
        assert!(!certified(&large, &of(30, 40), &promises, 1e-5));
        assert!(!certified(&large, &of(31, 39), &promises, 1e-5));
    }
}
