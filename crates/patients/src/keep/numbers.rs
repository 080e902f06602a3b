//! Numbers: rounded, with ends that at least k persons have, or in bands of at least k persons. Others are left out.

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Kept, Rules};
use crate::compact::Distinct;
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
                numbers.change(|number| significant(number, *digits));
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
            kept.count_emptied(table, place, hidden.len() as u64);
            if let Cells::Numbers(found) = &mut tables[table].columns[place] {
                found.put(hidden, f64::NAN);
            }
        }
    }
}

/// The numbers of a column.
pub(crate) struct Numbers<'a> {
    pub(crate) rows: &'a Rows,
    pub(crate) found: &'a Distinct<f64>,
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
        let mut held: FxHashMap<u32, [Farthest; 2]> = FxHashMap::default();
        for row in self.held() {
            let (number, person) = (self.found[row], self.rows.persons[row]);
            let [least, greatest] = held.entry(groups[row]).or_default();
            least.see((number, person), self.k, |a, b| a.total_cmp(b).is_lt());
            greatest.see((number, person), self.k, |a, b| a.total_cmp(b).is_gt());
        }
        held.into_iter()
            .map(|(group, [least, greatest])| (group, ends_of(&least, &greatest, self.k)))
            .collect()
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
        let mut having: FxHashMap<(u32, usize), FxHashSet<u32>> = FxHashMap::default();
        for row in self.held() {
            let having = having.entry(band(row)).or_default();
            // Most bands have k persons soon, and nobody counts further.
            if having.len() < self.k {
                having.insert(self.rows.persons[row]);
            }
        }
        self.held().filter(|&row| having[&band(row)].len() < self.k).collect()
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
        for (group, code) in groups.iter_mut().zip(coded.codes.iter()) {
            let next = known.len() as u32;
            *group = *known.entry((*group, code)).or_insert(next);
        }
    }
    groups
}

/// The persons whose numbers are farthest to one side, k at most, each with the farthest of theirs and the nearest person last.
#[derive(Debug, Default)]
struct Farthest(Vec<Held>);

impl Farthest {
    /// Takes a number of a person; `is_farther` compares two numbers.
    fn see(&mut self, (number, person): Held, k: usize, is_farther: impl Fn(&f64, &f64) -> bool) {
        let Self(held) = self;
        if held.len() == k && held.last().is_some_and(|(nearest, _)| !is_farther(&number, nearest)) {
            return;
        }
        match held.iter().position(|(_, other)| *other == person) {
            Some(own) if !is_farther(&number, &held[own].0) => return,
            Some(own) => drop(held.remove(own)),
            None if held.len() == k => drop(held.pop()),
            None => {}
        }
        let place = held.partition_point(|(other, _)| !is_farther(&number, other));
        held.insert(place, (number, person));
    }

    /// The number at which the k-th person comes.
    fn reached(&self, k: usize) -> Option<f64> {
        self.0.get(k.checked_sub(1)?).map(|(number, _)| *number)
    }
}

/// The least number that k persons have or are below, and the greatest that k persons have or are above.
fn ends_of(least: &Farthest, greatest: &Farthest, k: usize) -> Option<(f64, f64)> {
    let (least, greatest) = (least.reached(k)?, greatest.reached(k)?);
    (least <= greatest).then_some((least, greatest))
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

    fn ends(held: &[Held], k: usize) -> Option<(f64, f64)> {
        let [mut least, mut greatest] = <[Farthest; 2]>::default();
        for &held in held {
            least.see(held, k, |a, b| a.total_cmp(b).is_lt());
            greatest.see(held, k, |a, b| a.total_cmp(b).is_gt());
        }
        ends_of(&least, &greatest, k)
    }

    /// By sorting: the number at which the k-th person comes.
    fn naive(held: &[Held], k: usize) -> Option<(f64, f64)> {
        let mut held = held.to_vec();
        held.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        let reached = |held: &[Held]| {
            let mut seen: Vec<u32> = Vec::new();
            held.iter().find_map(|(number, person)| {
                if !seen.contains(person) {
                    seen.push(*person);
                }
                (seen.len() == k).then_some(*number)
            })
        };
        let least = reached(&held)?;
        held.reverse();
        let greatest = reached(&held)?;
        (least <= greatest).then_some((least, greatest))
    }

    #[test]
    fn ends_are_those_of_k_persons() {
        let held = [(1.0, 0), (1.5, 0), (2.0, 1), (7.0, 2), (9.0, 3), (8.0, 3)];
        assert_eq!(ends(&held, 2), Some((2.0, 7.0)));
        assert_eq!(ends(&held, 4), None);
        assert_eq!(ends(&held, 5), None);
        assert_eq!(ends(&[(3.0, 0), (3.0, 1)], 2), Some((3.0, 3.0)));
    }

    #[test]
    fn ends_are_those_of_sorted_numbers() {
        let mut state = 7_u64;
        let mut drawn = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        for _ in 0..2_000 {
            let rows = drawn(30);
            let held: Vec<Held> = (0..rows).map(|_| (drawn(9) as f64 - 4.0, drawn(8) as u32)).collect();
            for k in 1..=5 {
                assert_eq!(ends(&held, k), naive(&held, k), "{held:?}, k {k}");
            }
        }
    }
}
