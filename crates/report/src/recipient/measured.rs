//! `measurements.json`: the noisy tables that invented records follow, for programs.

use serde_json::{Value, json};
use velamen_contract::manifest::Unreadable;
use velamen_contract::{MEASUREMENTS, MeasuredTable, Measurements};
use velamen_recipe::JobError;

/// Standard deviations by which the count of a value that nobody has rarely differs from 0.
pub(crate) const DEVIATIONS: f64 = 3.0;

/// The file's text: all that was drawn on the original, one table a line.
///
/// # Errors
/// [`JobError::data`] if a table does not read.
pub fn measured(all: &Measurements) -> Result<String, JobError> {
    let alone = lines(&all.alone)?;
    let tables = lines(&all.tables)?;
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
        "{{\n\"rho\": {rho},\n\"sensitivity\": {},\n\"domains\": {{\n{}\n}},\n\"alone\": [\n{}\n],\n\"merged\": {},\n\"choices\": \
         [\n{}\n],\n\"tables\": [\n{}\n]\n}}\n",
        all.sensitivity,
        domains.join(",\n"),
        alone.join(",\n"),
        json!(all.merged),
        choices.join(",\n"),
        tables.join(",\n"),
    ))
}

fn lines(tables: &[MeasuredTable]) -> Result<Vec<String>, JobError> {
    tables.iter().map(line).collect()
}

fn line(table: &MeasuredTable) -> Result<String, JobError> {
    let unread = || JobError::data(Unreadable::Method(MEASUREMENTS).to_string());
    let (variance, counts) = table.variance().zip(table.counts()).ok_or_else(unread)?;
    let deviation = variance.to_f64().sqrt();
    let told = json!({
        "attributes": table.attributes,
        "variance": table.variance,
        "standard-deviation": deviation,
        "smallest-count-above-noise": (DEVIATIONS * deviation).ceil(),
        "counts": counts,
    });
    Ok(told.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let text = measured(&all).unwrap();
        let read: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(read["alone"][0]["counts"], json!([4, -1]));
        assert_eq!(read["alone"][0]["smallest-count-above-noise"], json!(5.0));
        assert_eq!((&read["rho"], &read["tables"]), (&json!("5/2^60"), &json!([])));
        assert_eq!(read["domains"]["a \"b\""], json!(["x", "y"]));
        let torn = MeasuredTable { counts: "4 x".into(), ..table };
        assert!(measured(&Measurements { tables: vec![torn], ..all }).is_err());
    }
}
