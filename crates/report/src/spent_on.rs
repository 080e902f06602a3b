//! What the budget of invented records was spent on.

use velamen_contract::{MeasuredTable, Measurements};

use crate::Manifest;
use crate::language::{t, text};
use crate::number::count;

/// By what was counted or chosen its share of the ρ that (ε, δ) buy: Δ²/(2σ²) of a table, ε²/8 of a choice. Empty for other
/// releases.
pub(crate) fn spent_on(manifest: &Manifest) -> Vec<(String, f64)> {
    manifest.method.measurements().map_or_else(Vec::new, |measured| of(&measured))
}

fn of(measured: &Measurements) -> Vec<(String, f64)> {
    let square = (measured.sensitivity as f64).powi(2);
    let cost =
        |table: &MeasuredTable| square / (2.0 * table.variance().map_or(f64::INFINITY, |of| of.to_f64()));
    let named =
        |table: &MeasuredTable| (text!("Counts of {}", table.attributes.join(t(" with "))), cost(table));
    let tables = measured.alone.iter().chain(&measured.tables).map(named);
    let chosen = measured.choices.iter().filter_map(|choice| choice.epsilon());
    let chosen: f64 = chosen.map(|epsilon| epsilon.to_f64().powi(2) / 8.0).sum();
    let choices = (!measured.choices.is_empty()).then(|| {
        (text!("Private choices of what to count: {}", count(measured.choices.len() as u64)), chosen)
    });
    let all: Vec<(String, f64)> = tables.chain(choices).collect();
    let sum: f64 = all.iter().map(|(_, cost)| cost).sum();
    all.into_iter().map(|(what, cost)| (what, cost / sum)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_by_hand() {
        let table = |name: &str, variance: &str| MeasuredTable {
            attributes: vec![name.to_owned()],
            variance: variance.to_owned(),
            counts: String::new(),
        };
        let measured = Measurements {
            sensitivity: 2,
            alone: vec![table("a", "4/1")],
            tables: vec![table("b", "8/1")],
            ..Measurements::default()
        };
        // 4/8 and 4/16.
        let found = of(&measured);
        assert_eq!(found, [("Counts of a".to_owned(), 2.0 / 3.0), ("Counts of b".to_owned(), 1.0 / 3.0)]);
    }
}
