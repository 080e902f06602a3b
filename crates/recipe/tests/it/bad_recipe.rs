//! Recipes that make no sense, though each word of them is known.

use crate::refused;

const H_CEILING: &str =
    "name = \"h-ceiling\"\nh = 0.5\ncounterfeit-limit = 1\nsuppression-limit = 0\nleast-real = 1\nseed = 7";

const OPTIMAL: &str = "name = \"optimal\"";

/// A recipe with the `[method]` section given.
fn recipe(method: &str) -> String {
    format!(
        r#"[input]
path = "patients.csv"
[attributes.age]
role = "quasi-identifier"
hierarchy = {{ interval = [5, 10, 20], min = 0, max = 99 }}
[attributes.sex]
role = "quasi-identifier"
[attributes.diagnosis]
role = "sensitive"
[[privacy]]
model = "k-anonymity"
k = 5
[method]
{method}
[output]
path = "release"
"#
    )
}

/// Refuses the recipe with `from` replaced by `to`.
fn replaced(method: &str, from: &str, to: &str, says: &[&str]) {
    let text = recipe(method);
    assert!(text.contains(from), "{from}");
    refused(&text.replace(from, to), says);
}

const K: &str = "model = \"k-anonymity\"\nk = 5";

#[test]
fn no_quasi_identifier() {
    replaced(H_CEILING, "\"quasi-identifier\"", "\"insensitive\"", &["quasi-identifier", "for example"]);
}

#[test]
fn k_out_of_range() {
    replaced(H_CEILING, "k = 5", "k = 1", &["privacy 1", "protects nobody; expected at least 2"]);
    replaced(H_CEILING, "k = 5", "k = 0", &["privacy 1", "protects nobody; expected at least 2"]);
    replaced(H_CEILING, "k = 5", "k = -3", &["privacy 1", "k-anonymity"]);
    replaced(H_CEILING, "k = 5", "k = 2.5", &["privacy 1", "k-anonymity"]);
    replaced(H_CEILING, "k = 5", "", &["privacy 1", "missing field `k`"]);
    replaced(H_CEILING, "k = 5", "k = 5\nl = 2", &["privacy 1", "unknown field `l`"]);
}

#[test]
fn h_out_of_range() {
    for h in ["nan", "inf", "-inf"] {
        replaced(
            H_CEILING,
            "h = 0.5",
            &format!("h = {h}"),
            &["method: `h`: invalid value; expected a finite number"],
        );
    }
    for h in ["-0.1", "1.01"] {
        replaced(H_CEILING, "h = 0.5", &format!("h = {h}"), &["h must be from 0 to 1"]);
    }
    replaced(H_CEILING, "h = 0.5", "h = \"much\"", &["line 15"]);
}

#[test]
fn suppression_limit_out_of_range() {
    for limit in ["-0.1", "1.01"] {
        let method = format!("{OPTIMAL}\nsuppression-limit = {limit}");
        replaced(&method, &method, &method, &["suppression-limit", "from 0 to 1"]);
    }
}

#[test]
fn h_ceiling_needs_one_sensitive_attribute() {
    replaced(H_CEILING, "\"sensitive\"", "\"insensitive\"", &["h-ceiling", "sensitive", "names none"]);
    let two = "[attributes.drug]\nrole = \"sensitive\"\n[[privacy]]";
    replaced(H_CEILING, "[[privacy]]", two, &["h-ceiling", "sensitive", "diagnosis, drug"]);
}

#[test]
fn unknown_names() {
    replaced(H_CEILING, "k-anonymity", "k-anonimity", &["unknown model `k-anonimity`", "k-anonymity"]);
    replaced(OPTIMAL, OPTIMAL, "name = \"optimal\"\nmetric = \"los\"", &["unknown metric `los`", "loss"]);
    replaced(OPTIMAL, "\"optimal\"", "\"best\"", &["unknown method `best`", "h-ceiling", "line 14"]);
    replaced(H_CEILING, "h = 0.5", "hh = 0.5", &["unknown field `hh`", "line 15"]);
    replaced(H_CEILING, "[output]", "[output]\nformat = \"xlsx\"", &["output.format", "xlsx", "parquet"]);
    replaced(H_CEILING, "[input]", "[input]\nformat = \"docx\"", &["input.format", "docx", "parquet"]);
    replaced(H_CEILING, "[input]", "[inputs]", &["inputs"]);
    replaced(H_CEILING, "\"sensitive\"", "\"secret\"", &["unknown variant `secret`", "`quasi-identifier`"]);
    replaced(H_CEILING, "seed = 7", "padding = \"some\"", &["`some`", "`random`"]);
}

#[test]
fn missing_parts() {
    replaced(H_CEILING, K, "model = \"k-anonymity\"", &["privacy 1", "`k`"]);
    replaced(H_CEILING, &format!("[[privacy]]\n{K}"), "", &["no privacy model", "for example"]);
    replaced(H_CEILING, "[output]\npath = \"release\"", "", &["output"]);
    replaced(H_CEILING, "path = \"patients.csv\"", "", &["path"]);
    replaced(H_CEILING, "seed = 7", "seed = -7", &["whole number"]);
    replaced(H_CEILING, "seed = 7", "seed = \"seven\"", &["seed", "64 hexadecimal digits"]);
    replaced(
        H_CEILING,
        "[input]",
        "[input]\ndelimiter = \";;\"",
        &["input.delimiter", "one ASCII character"],
    );
    replaced(H_CEILING, "[input]", "[input]\ncolumns = [\"age\"]", &["columns", "header = false"]);
    replaced(H_CEILING, "[input]", "[input", &["line 1"]);
}

#[test]
fn definitions_in_place_that_contradict_themselves() {
    let interval = "{ interval = [5, 10, 20], min = 0, max = 99 }";
    let cases = [
        ("{ interval = [5, 12], min = 0, max = 99 }", "multiple of the one before"),
        ("{ interval = [5], min = 99, max = 0 }", "min < max"),
        ("{ interval = [5], min = 0 }", "`max`"),
        ("{ interval = [5.5], min = 0, max = 99 }", "decimals"),
        ("{ cuts = [[10, 20], [15]], min = 0, max = 99 }", "among those of the level below"),
        ("{ mask = \"right\" }", "`length`"),
        ("{ mask = \"middle\", length = 2 }", "right"),
        ("{ interval = [5], mask = \"right\", min = 0, max = 99 }", "exactly one of"),
        ("{ intervals = [5], min = 0, max = 99 }", "intervals"),
    ];
    for (definition, says) in cases {
        replaced(H_CEILING, interval, definition, &[says]);
    }
}
