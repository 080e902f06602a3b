//! Numbers: rounded, with ends that at least k persons have, or in bands of at least k persons.

use rustc_hash::FxHashMap;

use super::Making;
use crate::compact::{Compact, Distinct};
use crate::keep::numbers::{Numbers, band, groups};
use crate::loaded::Coded;

/// Rounded numbers: what lies beyond the ends of its combination of the columns `by` is set to them.
pub(super) fn rounded(making: &Making<'_>, table: usize, found: &Distinct<f64>, by: &[usize]) -> Coded {
    let rows = &making.tables[table];
    let groups = groups(rows, by);
    let numbers = Numbers { rows, found, kept: &making.kept.rows[table], k: making.plan.k() };
    let ends = numbers.ends(&groups);
    let shown = |row: usize| {
        let (least, greatest) = ends.get(&groups[row]).copied().flatten()?;
        (!found[row].is_nan()).then(|| found[row].clamp(least, greatest))
    };
    coded(found.len(), &|row| shown(row).map(written))
}

/// The name of each number's band; those of too few persons are no longer there.
pub(super) fn banded(found: &Distinct<f64>, bounds: &[f64]) -> Coded {
    let name = |band: usize| format!("[{}, {})", written(bounds[band]), written(bounds[band + 1]));
    coded(found.len(), &|row| (!found[row].is_nan()).then(|| name(band(bounds, found[row]))))
}

/// A number as it is written: no exponent, no negative zero.
fn written(number: f64) -> String {
    if number == 0.0 { "0".into() } else { number.to_string() }
}

/// Texts by row; rows without one are empty.
fn coded(rows: usize, text: &dyn Fn(usize) -> Option<String>) -> Coded {
    let mut places: FxHashMap<String, u32> = FxHashMap::default();
    let mut values = vec![String::new()];
    let mut codes = Compact::default();
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
    Coded::of(values, &codes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keep::numbers::significant;

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
}
