//! A frequency table from columns of values, for whoever changes values after they were read.

use rustc_hash::FxHashMap;

use super::{FrequencyTable, QuasiIdentifier, Rest, RestColumn, Role};
use crate::hierarchy::{Rule, sort_values};

/// A column: its part and its value in each entry.
#[derive(Debug)]
pub struct Column<'a> {
    /// The attribute's name.
    pub name: String,
    /// Its part.
    pub role: Role,
    /// Its hierarchy; values that it bounds must be in its domain.
    pub rule: &'a Rule,
    /// Whether values of the hierarchy that do not occur belong to the column's domain.
    pub whole_domain: bool,
    /// The values by code; a value may stand more than once.
    pub values: Vec<String>,
    /// The code in each entry.
    pub codes: Vec<u32>,
}

impl Column<'_> {
    /// The values that occur, each once.
    fn occurring(&self) -> Vec<String> {
        let mut occurs = vec![false; self.values.len()];
        self.codes.iter().for_each(|&code| occurs[code as usize] = true);
        let kept = self.values.iter().zip(occurs).filter(|(_, occurs)| *occurs);
        let mut values: Vec<String> = kept.map(|(value, _)| value.clone()).collect();
        sort_values(&mut values);
        values.dedup();
        values
    }

    /// The code of each entry among the given values.
    fn recoded(&self, values: &[String]) -> Vec<u32> {
        let places: FxHashMap<&str, u32> = values.iter().map(String::as_str).zip(0..).collect();
        let of_code: Vec<Option<u32>> = self.values.iter().map(|v| places.get(v.as_str()).copied()).collect();
        self.codes.iter().map(|&code| of_code[code as usize].expect("the value occurs")).collect()
    }
}

impl FrequencyTable {
    /// The table of some entries, given by columns; entries that are equal are merged, and codes are in
    /// canonical order, whatever the order was.
    ///
    /// Time: O(entries · columns · log entries).
    #[must_use]
    pub fn of_columns(columns: &[Column<'_>], counts: &[u64]) -> Self {
        let (mut qis, mut codes) = (Vec::new(), Vec::new());
        let (mut rest_columns, mut rest_codes) = (Vec::new(), Vec::new());
        for column in columns {
            let whole = column.whole_domain;
            if column.role == Role::QuasiIdentifier {
                let (leaves, hierarchy) = column.rule.over(column.occurring(), whole);
                codes.push(column.recoded(&leaves));
                qis.push(QuasiIdentifier { name: column.name.clone(), hierarchy });
            } else {
                let values =
                    if whole { column.rule.over(column.occurring(), true).0 } else { column.occurring() };
                rest_codes.push(column.recoded(&values));
                rest_columns.push(RestColumn { name: column.name.clone(), role: column.role, values });
            }
        }
        let (rest, rest_index) = distinct(rest_columns, &rest_codes, counts.len());
        let unsorted = Self {
            qis,
            rest: Rest::default(),
            codes,
            rest_index,
            counts: counts.to_vec(),
            population: None,
            strays: crate::frequency::Strays::default(),
        };
        unsorted.merged(rest, |entry| unsorted.rest_index[entry])
    }
}

/// The distinct combinations of columns, ascending, and the one of each entry.
fn distinct(columns: Vec<RestColumn>, codes: &[Vec<u32>], entries: usize) -> (Rest, Vec<u32>) {
    let row = |entry: usize| codes.iter().map(|column| column[entry]).collect::<Vec<u32>>();
    let mut order: Vec<(Vec<u32>, u32)> = (0..entries).map(|entry| (row(entry), entry as u32)).collect();
    order.sort_unstable();
    let mut index = vec![0; entries];
    let mut rest = Rest { columns, codes: vec![Vec::new(); codes.len()], len: 0 };
    for (place, (row, entry)) in order.iter().enumerate() {
        if place == 0 || order[place - 1].0 != *row {
            rest.codes.iter_mut().zip(row).for_each(|(column, &code)| column.push(code));
            rest.len += 1;
        }
        index[*entry as usize] = rest.len as u32 - 1;
    }
    (rest, index)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(name: &str, role: Role, values: &[&str], codes: &[u32]) -> Column<'static> {
        let values = values.iter().map(|value| (*value).to_owned()).collect();
        Column {
            name: name.into(),
            role,
            rule: &Rule::Flat,
            whole_domain: false,
            values,
            codes: codes.to_vec(),
        }
    }

    #[test]
    fn entries_are_merged_and_in_canonical_order() {
        let age = column("age", Role::QuasiIdentifier, &["40", "30", "unused", "30"], &[0, 1, 3, 0]);
        let id = column("id", Role::Insensitive, &["z", "a"], &[0, 1, 1, 1]);
        let table = FrequencyTable::of_columns(&[age, id], &[1, 2, 3, 4]);
        assert_eq!(table.qis[0].hierarchy.labels(0), ["30", "40"]);
        assert_eq!(table.codes, [[0, 1, 1]]);
        assert_eq!(
            (table.rest.columns[0].values.join(""), table.rest_index.clone()),
            ("az".into(), vec![0, 0, 1])
        );
        assert_eq!(table.counts, [5, 4, 1]);
    }

    #[test]
    fn no_column_of_the_rest_is_one_empty_combination() {
        let age = column("age", Role::QuasiIdentifier, &["40", "30"], &[0, 1]);
        let table = FrequencyTable::of_columns(&[age], &[1, 1]);
        assert_eq!((table.rest.len, table.rest_index), (1, vec![0, 0]));
    }
}
