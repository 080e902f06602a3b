//! Released columns that single records out although nobody called them quasi-identifiers.

use velamen_core::frequency::Role;
use velamen_core::hierarchy::NULL;
use velamen_core::release::Release;

/// From this share of distinct values among the records that have one.
const NEARLY: f64 = 0.9;

/// Fewer records are all unlike each other by chance.
const LEAST: u64 = 20;

/// The insensitive columns in which nearly every record has a value of its own, by the released table
/// alone. Counterfeits repeat the values of real records, so that they do not count.
pub(crate) fn nearly_unique(release: &Release) -> Vec<&str> {
    let columns = release.rest.columns.iter().enumerate();
    let insensitive = columns.filter(|(_, column)| column.role == Role::Insensitive);
    let unique = insensitive.filter(|&(place, _)| is_nearly_unique(release, place));
    unique.map(|(_, column)| column.name.as_str()).collect()
}

fn is_nearly_unique(release: &Release, column: usize) -> bool {
    let (values, codes) = (&release.rest.columns[column].values, &release.rest.codes[column]);
    let mut counts = vec![0; values.len()];
    for row in &release.rows {
        counts[codes[row.rest as usize] as usize] += row.count;
    }
    let present = || values.iter().zip(&counts).filter(|(value, count)| *value != NULL && **count > 0);
    let records = present().map(|(_, count)| count).sum::<u64>().saturating_sub(release.counterfeits());
    records >= LEAST && present().count() as f64 >= NEARLY * records as f64
}

#[cfg(test)]
mod tests {
    use velamen_core::frequency::{Rest, RestColumn};
    use velamen_core::release::Row;

    use super::*;

    /// A release of one class, whose records have these values of one column.
    fn release(role: Role, values: &[&str]) -> Release {
        let mut distinct: Vec<String> = values.iter().map(|value| (*value).to_owned()).collect();
        distinct.sort();
        distinct.dedup();
        let count = |value: &String| values.iter().filter(|other| *other == value).count() as u64;
        let rows =
            (0..).zip(&distinct).map(|(rest, value)| Row { class: 0, rest, count: count(value) }).collect();
        let len = distinct.len();
        Release {
            qis: Vec::new(),
            rest: Rest {
                columns: vec![RestColumn { name: "x".into(), role, values: distinct }],
                codes: vec![(0..len as u32).collect()],
                len,
            },
            codes: Vec::new(),
            sizes: vec![values.len() as u64],
            rows,
            catalog: Vec::new(),
            suppressed: 0,
        }
    }

    #[test]
    fn insensitive_columns_of_values_of_ones_own_are_named() {
        let numbers: Vec<String> = (0..40).map(|number| number.to_string()).collect();
        let own: Vec<&str> = numbers.iter().map(String::as_str).collect();
        assert_eq!(nearly_unique(&release(Role::Insensitive, &own)), ["x"]);
        assert!(nearly_unique(&release(Role::Sensitive, &own)).is_empty());
        assert!(nearly_unique(&release(Role::Insensitive, &own[..19])).is_empty());
        let twice: Vec<&str> = own.iter().chain(&own).copied().collect();
        assert!(nearly_unique(&release(Role::Insensitive, &twice)).is_empty());
        let missing: Vec<&str> = own.iter().copied().chain(std::iter::repeat_n(NULL, 100)).collect();
        assert_eq!(nearly_unique(&release(Role::Insensitive, &missing)), ["x"]);
    }
}
