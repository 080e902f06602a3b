//! `measurements.json`: the noisy tables that invented records follow, for programs.

use serde_json::{Value, json};
use velamen_contract::manifest::Unreadable;
use velamen_contract::{MEASUREMENTS, MeasuredTable, Measurements};
use velamen_core::release::Release;
use velamen_measure::ErrorBars;
use velamen_recipe::JobError;

use super::bars::{Bars, Counted};

/// Standard deviations by which the count of a value that nobody has rarely differs from 0.
pub(crate) const DEVIATIONS: f64 = 3.0;

/// The file's text: all that was drawn on the original, one table a line.
///
/// # Errors
/// [`JobError::data`] if a table does not read.
pub fn measured(all: &Measurements, release: &Release, counted: &Counted) -> Result<String, JobError> {
    let bars = Bars::of(all, release, counted).ok_or_else(unread)?;
    let alone = lines(&all.alone, &bars.alone)?;
    let tables = lines(&all.tables, &bars.tables)?;
    let choices: Vec<Value> = all
        .choices
        .iter()
        .map(|choice| json!({ "attributes": choice.attributes, "epsilon": choice.epsilon }))
        .collect();
    let choices: Vec<String> = choices.iter().map(Value::to_string).collect();
    let rho = json!(format!("{}/2^60", all.rho));
    let domains: Vec<String> =
        all.domains.iter().map(|(name, values)| format!("{}: {}", json!(name), json!(values))).collect();
    Ok(format!(
        "{{\n\"rho\": {rho},\n\"sensitivity\": {},\n\"confidence\": {},\n\"domains\": {{\n{}\n}},\n\"alone\": [\n{}\n],\n\"merged\": {},\n\"choices\": \
         [\n{}\n],\n\"tables\": [\n{}\n]\n}}\n",
        all.sensitivity,
        ErrorBars::CONFIDENCE,
        domains.join(",\n"),
        alone.join(",\n"),
        json!(all.merged),
        choices.join(",\n"),
        tables.join(",\n"),
    ))
}

fn lines(tables: &[MeasuredTable], bars: &[f64]) -> Result<Vec<String>, JobError> {
    tables.iter().zip(bars).map(|(table, bar)| line(table, *bar)).collect()
}

fn unread() -> JobError {
    JobError::data(Unreadable::Method(MEASUREMENTS).to_string())
}

fn line(table: &MeasuredTable, bar: f64) -> Result<String, JobError> {
    let (variance, counts) = table.variance().zip(table.counts()).ok_or_else(unread)?;
    let deviation = variance.to_f64().sqrt();
    let told = json!({
        "attributes": table.attributes,
        "variance": table.variance,
        "standard-deviation": deviation,
        "smallest-count-above-noise": (DEVIATIONS * deviation).ceil(),
        "most-distance": bar.ceil(),
        "counts": counts,
    });
    Ok(told.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use velamen_core::recoding::{Recoding, ReleasedValue};
    use velamen_core::release::ReleasedAttribute;

    /// 3 records of x and 1 of y.
    fn release() -> Release {
        let value = |label: &str| ReleasedValue { label: label.into(), leaves: 1, level: 0 };
        let qi = ReleasedAttribute {
            name: "a \"b\"".into(),
            level: Some(0),
            recoding: Recoding::FullDomain,
            height: 1,
            values: vec![value("y"), value("x")],
        };
        Release { qis: vec![qi], codes: vec![0, 1], sizes: vec![1, 3], ..Release::default() }
    }

    #[test]
    fn every_table_is_one_line_of_json() {
        let table = MeasuredTable {
            attributes: vec!["a \"b\"".into()],
            variance: "9/4".into(),
            counts: "4 -1".into(),
        };
        let all = Measurements {
            rho: "5".into(),
            sensitivity: 1,
            domains: [("a \"b\"".to_owned(), vec!["x".to_owned(), "y".to_owned()])].into(),
            alone: vec![table.clone()],
            ..Measurements::default()
        };
        let text = measured(&all, &release(), &Counted::default()).unwrap();
        let read: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(read["alone"][0]["counts"], json!([4, -1]));
        assert_eq!(read["alone"][0]["smallest-count-above-noise"], json!(5.0));
        // |4 − 3| + |−1 − 1| of the records, and the noise.
        let noise = ErrorBars::of(1).distance(2.25, 2, 2);
        assert_eq!(read["alone"][0]["most-distance"], json!((3.0 + noise).ceil()));
        assert_eq!((&read["rho"], &read["tables"]), (&json!("5/2^60"), &json!([])));
        assert_eq!(read["domains"]["a \"b\""], json!(["x", "y"]));
        let torn = MeasuredTable { counts: "4 x".into(), ..table.clone() };
        assert!(
            measured(&Measurements { tables: vec![torn], ..all.clone() }, &release(), &Counted::default())
                .is_err()
        );
        // Both values are one in further tables: 4 records.
        let merged = [("a \"b\"".to_owned(), vec![0, 1])].into();
        let one = MeasuredTable { counts: "9".into(), ..table };
        let all = Measurements { tables: vec![one], merged, ..all };
        let read: Value =
            serde_json::from_str(&measured(&all, &release(), &Counted::default()).unwrap()).unwrap();
        let noise = ErrorBars::of(1).distance(2.25, 1, 1);
        assert_eq!(read["tables"][0]["most-distance"], json!((5.0 + noise).ceil()));
    }
}
