//! Numbers: rounded, with ends that at least k persons have, or in bands of at least k persons. Others are left out.

use rustc_hash::FxHashMap;

use super::{Kept, Rules};
use crate::loaded::{Cells, Rows};
use crate::plan::{Plan, Use};

/// A number and whose it is.
type Held = (f64, u32);

/// The ends of the numbers of each group; none of a group that shows no number.
pub(crate) type Ends = FxHashMap<u32, Option<(f64, f64)>>;

/// Rounds numbers to the significant digits of their columns.
pub(super) fn round(plan: &Plan, tables: &mut [Rows]) {
    for (planned, rows) in plan.tables.iter().zip(tables) {
        for (column, cells) in planned.columns.iter().zip(&mut rows.columns) {
            if let (Use::Value { digits, .. }, Cells::Numbers(numbers)) = (&column.used, cells) {
                numbers.iter_mut().for_each(|number| *number = significant(*number, *digits));
            }
        }
    }
}

/// Leaves out numbers that the release cannot show.
pub(super) fn apply(rules: &Rules<'_>, tables: &mut [Rows], kept: &mut Kept) {
    let k = rules.plan.k();
    for (table, planned) in rules.plan.tables.iter().enumerate() {
        for (place, column) in planned.columns.iter().enumerate() {
            let Cells::Numbers(found) = &tables[table].columns[place] else { continue };
            let numbers = Numbers { rows: &tables[table], found, kept: &kept.rows[table], k };
            let hidden = match &column.used {
                Use::Value { by, .. } => numbers.without_ends(by),
                Use::Band { bounds, by } => numbers.of_rare_bands(bounds, by),
                _ => continue,
            };
            if let Cells::Numbers(found) = &mut tables[table].columns[place] {
                hidden.iter().for_each(|&row| found[row] = f64::NAN);
            }
            kept.count_emptied(table, place, hidden.len() as u64);
        }
    }
}

/// The numbers of a column.
pub(crate) struct Numbers<'a> {
    pub(crate) rows: &'a Rows,
    pub(crate) found: &'a [f64],
    /// Whether each row stays.
    pub(crate) kept: &'a [bool],
    pub(crate) k: usize,
}

impl Numbers<'_> {
    /// The rows with a number that stay.
    fn held(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.found.len()).filter(|&row| self.kept[row] && !self.found[row].is_nan())
    }

    /// In each group the least and the greatest number are those of at least k persons: what lies beyond is set to them. A group
    /// of fewer than k persons, or whose ends would cross, shows no number.
    pub(crate) fn ends(&self, groups: &[u32]) -> Ends {
        let mut held: FxHashMap<u32, Vec<Held>> = FxHashMap::default();
        for row in self.held() {
            held.entry(groups[row]).or_default().push((self.found[row], self.rows.persons[row]));
        }
        held.into_iter().map(|(group, held)| (group, ends_of(held, self.k))).collect()
    }

    /// The rows of groups that show no number.
    fn without_ends(&self, by: &[usize]) -> Vec<usize> {
        let groups = groups(self.rows, by);
        let ends = self.ends(&groups);
        self.held().filter(|&row| ends[&groups[row]].is_none()).collect()
    }

    /// The rows of bands that fewer than k persons of their group have.
    fn of_rare_bands(&self, bounds: &[f64], by: &[usize]) -> Vec<usize> {
        let groups = groups(self.rows, by);
        let band = |row: usize| (groups[row], band(bounds, self.found[row]));
        let mut persons: FxHashMap<(u32, usize), Vec<u32>> = FxHashMap::default();
        for row in self.held() {
            persons.entry(band(row)).or_default().push(self.rows.persons[row]);
        }
        let few = |persons: &mut Vec<u32>| {
            persons.sort_unstable();
            persons.dedup();
            persons.len() < self.k
        };
        let rare: FxHashMap<(u32, usize), bool> =
            persons.into_iter().map(|(band, mut persons)| (band, few(&mut persons))).collect();
        self.held().filter(|&row| rare[&band(row)]).collect()
    }
}

/// The place of a number's band; one outside of all belongs to the nearest.
pub(crate) fn band(bounds: &[f64], number: f64) -> usize {
    bounds[1..bounds.len() - 1].partition_point(|bound| *bound <= number)
}

/// A number for each combination of the columns `by`, by row.
pub(crate) fn groups(rows: &Rows, by: &[usize]) -> Vec<u32> {
    let mut groups = vec![0; rows.number];
    for coded in by.iter().filter_map(|&column| rows.coded(column)) {
        let mut known: FxHashMap<(u32, u32), u32> = FxHashMap::default();
        for (group, &code) in groups.iter_mut().zip(coded.codes.iter()) {
            let next = known.len() as u32;
            *group = *known.entry((*group, code)).or_insert(next);
        }
    }
    groups
}

/// The least number that k persons have or are below, and the greatest that k persons have or are above.
fn ends_of(mut held: Vec<Held>, k: usize) -> Option<(f64, f64)> {
    held.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let least = reached(held.iter(), k)?;
    let greatest = reached(held.iter().rev(), k)?;
    (least <= greatest).then_some((least, greatest))
}

/// The number at which the k-th person comes.
fn reached<'a>(held: impl Iterator<Item = &'a Held>, k: usize) -> Option<f64> {
    let mut seen: Vec<u32> = Vec::new();
    for (number, person) in held {
        if !seen.contains(person) {
            seen.push(*person);
        }
        if seen.len() == k {
            return Some(*number);
        }
    }
    None
}

/// A number rounded to so many significant digits.
pub(crate) fn significant(number: f64, digits: u8) -> f64 {
    if number.is_nan() {
        return number;
    }
    format!("{number:.*e}", usize::from(digits.max(1)) - 1).parse().unwrap_or(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_are_those_of_k_persons() {
        let held = vec![(1.0, 0), (1.5, 0), (2.0, 1), (7.0, 2), (9.0, 3), (8.0, 3)];
        assert_eq!(ends_of(held.clone(), 2), Some((2.0, 7.0)));
        assert_eq!(ends_of(held.clone(), 4), None);
        assert_eq!(ends_of(held, 5), None);
        assert_eq!(ends_of(vec![(3.0, 0), (3.0, 1)], 2), Some((3.0, 3.0)));
    }
}
