//! Numbers: rounded, with ends that at least k persons have, or in bands of at least k persons.

use rustc_hash::FxHashMap;

use super::Making;
use crate::loaded::Coded;

/// A number and whose it is.
type Held = (f64, u32);

/// Numbers of so many significant digits. In each combination of the columns `by` the least and the greatest number are
/// those of at least k persons: what lies beyond is set to them. A combination of fewer than k persons, or whose ends
/// would cross, shows no number.
pub(super) fn rounded(making: &Making<'_>, table: usize, found: &[f64], by: &[usize], digits: u8) -> Coded {
    let k = making.plan.k();
    let rounded: Vec<f64> = found.iter().map(|&number| significant(number, digits)).collect();
    let groups = grouped(making, table, &rounded, by).into_iter();
    let ends: FxHashMap<Vec<u32>, Option<(f64, f64)>> =
        groups.map(|(group, held)| (group, ends_of(held, k))).collect();
    let shown = |row: usize| {
        let number = rounded[row];
        let (least, greatest) = ends.get(&group_of(making, table, by, row)).copied().flatten()?;
        (!number.is_nan()).then(|| number.clamp(least, greatest))
    };
    coded(found.len(), &|row| shown(row).map(written))
}

/// The name of each number's band; a number outside of all belongs to the nearest. A band that fewer than k persons of the
/// same combination of the columns `by` have is not shown.
pub(super) fn banded(
    making: &Making<'_>,
    table: usize,
    found: &[f64],
    (bounds, by): (&[f64], &[usize]),
) -> Coded {
    let k = making.plan.k();
    let place = |number: f64| bounds[1..bounds.len() - 1].partition_point(|bound| *bound <= number);
    let bands: Vec<f64> = found.iter().map(|&n| if n.is_nan() { n } else { place(n) as f64 }).collect();
    let mut persons: FxHashMap<(Vec<u32>, u64), Vec<u32>> = FxHashMap::default();
    for row in making.kept.of(table).filter(|&row| !bands[row].is_nan()) {
        let band = (group_of(making, table, by, row), bands[row] as u64);
        persons.entry(band).or_default().push(making.tables[table].persons[row]);
    }
    let enough = |persons: &mut Vec<u32>| {
        persons.sort_unstable();
        persons.dedup();
        persons.len() >= k
    };
    let shown: FxHashMap<(Vec<u32>, u64), bool> =
        persons.into_iter().map(|(band, mut persons)| (band, enough(&mut persons))).collect();
    let name = |band: usize| format!("[{}, {})", written(bounds[band]), written(bounds[band + 1]));
    coded(found.len(), &|row| {
        let band = bands[row];
        let is_shown =
            !band.is_nan() && shown.get(&(group_of(making, table, by, row), band as u64)) == Some(&true);
        is_shown.then(|| name(band as usize))
    })
}

/// The values of the columns `by` in a row.
fn group_of(making: &Making<'_>, table: usize, by: &[usize], row: usize) -> Vec<u32> {
    let rows = &making.tables[table];
    by.iter().map(|&column| rows.coded(column).map_or(0, |coded| coded.codes[row])).collect()
}

/// The numbers of the rows that stay, by the columns `by`.
fn grouped(
    making: &Making<'_>,
    table: usize,
    numbers: &[f64],
    by: &[usize],
) -> FxHashMap<Vec<u32>, Vec<Held>> {
    let mut groups: FxHashMap<Vec<u32>, Vec<Held>> = FxHashMap::default();
    for row in making.kept.of(table).filter(|&row| !numbers[row].is_nan()) {
        let held = (numbers[row], making.tables[table].persons[row]);
        groups.entry(group_of(making, table, by, row)).or_default().push(held);
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
fn significant(number: f64, digits: u8) -> f64 {
    if number.is_nan() {
        return number;
    }
    format!("{number:.*e}", usize::from(digits.max(1)) - 1).parse().unwrap_or(number)
}

/// A number as it is written: no exponent, no negative zero.
fn written(number: f64) -> String {
    if number == 0.0 { "0".into() } else { number.to_string() }
}

/// Texts by row; rows without one are empty.
fn coded(rows: usize, text: &dyn Fn(usize) -> Option<String>) -> Coded {
    let mut places: FxHashMap<String, u32> = FxHashMap::default();
    let mut values = vec![String::new()];
    let mut codes = Vec::with_capacity(rows);
    for row in 0..rows {
        let Some(text) = text(row) else {
            codes.push(0);
            continue;
        };
        let code = *places.entry(text).or_insert_with_key(|text| {
            values.push(text.clone());
            values.len() as u32 - 1
        });
        codes.push(code);
    }
    Coded::of(values, codes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_three_digits_at_most() {
        let shown = |number| written(significant(number, 3));
        assert_eq!(shown(123_456.0), "123000");
        assert_eq!(
            (shown(0.012_345), shown(-9.996), shown(70.5)),
            ("0.0123".into(), "-10".into(), "70.5".into())
        );
        assert_eq!(shown(-0.0), "0");
    }

    #[test]
    fn ends_are_those_of_k_persons() {
        let held = vec![(1.0, 0), (1.5, 0), (2.0, 1), (7.0, 2), (9.0, 3), (8.0, 3)];
        assert_eq!(ends_of(held.clone(), 2), Some((2.0, 7.0)));
        assert_eq!(ends_of(held.clone(), 4), None);
        assert_eq!(ends_of(held, 5), None);
        assert_eq!(ends_of(vec![(3.0, 0), (3.0, 1)], 2), Some((3.0, 3.0)));
    }
}
