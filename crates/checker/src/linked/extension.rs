//! Extensions of released patients: those of US Core that a release may have, with their codes and names.

use serde_json::{Value, json};

/// What a person without an extension shows.
pub(super) const MISSING: &str = "missing";

const ADDRESS: &str = "http://hl7.org/fhir/us/core/StructureDefinition/";

/// By name of the extension: the code as it stands in a cell, and the name that belongs to it.
const NAMED: [(&str, &str, &str); 14] = [
    ("us-core-race", "urn:oid:2.16.840.1.113883.6.238|1002-5", "American Indian or Alaska Native"),
    ("us-core-race", "urn:oid:2.16.840.1.113883.6.238|2028-9", "Asian"),
    ("us-core-race", "urn:oid:2.16.840.1.113883.6.238|2054-5", "Black or African American"),
    ("us-core-race", "urn:oid:2.16.840.1.113883.6.238|2076-8", "Native Hawaiian or Other Pacific Islander"),
    ("us-core-race", "urn:oid:2.16.840.1.113883.6.238|2106-3", "White"),
    ("us-core-race", "http://terminology.hl7.org/CodeSystem/v3-NullFlavor|ASKU", "asked but unknown"),
    ("us-core-race", "http://terminology.hl7.org/CodeSystem/v3-NullFlavor|UNK", "unknown"),
    ("us-core-ethnicity", "urn:oid:2.16.840.1.113883.6.238|2135-2", "Hispanic or Latino"),
    ("us-core-ethnicity", "urn:oid:2.16.840.1.113883.6.238|2186-5", "Not Hispanic or Latino"),
    ("us-core-ethnicity", "http://terminology.hl7.org/CodeSystem/v3-NullFlavor|ASKU", "asked but unknown"),
    ("us-core-ethnicity", "http://terminology.hl7.org/CodeSystem/v3-NullFlavor|UNK", "unknown"),
    ("us-core-birthsex", "F", ""),
    ("us-core-birthsex", "M", ""),
    ("us-core-birthsex", "UNK", ""),
];

/// The cell of an extension among those of a patient; what is of another form is missing.
pub(super) fn cell(name: &str, all: &[Value]) -> String {
    let address = format!("{ADDRESS}{name}");
    let is_it = |one: &&Value| one.get("url").and_then(Value::as_str) == Some(&address);
    all.iter().find(is_it).and_then(code).unwrap_or_else(|| MISSING.into())
}

fn code(one: &Value) -> Option<String> {
    if let Some(code) = one.get("valueCode") {
        return code.as_str().map(str::to_owned);
    }
    let coding = one.get("extension")?.get(0)?.get("valueCoding")?;
    Some(format!("{}|{}", coding.get("system")?.as_str()?, coding.get("code")?.as_str()?))
}

/// The extension that a cell says.
pub(super) fn of(name: &str, cell: &str) -> Option<Value> {
    let (.., text) = NAMED.iter().find(|(of, code, _)| *of == name && *code == cell)?;
    let url = format!("{ADDRESS}{name}");
    Some(match cell.rsplit_once('|') {
        None => json!({ "url": url, "valueCode": cell }),
        Some((system, code)) => json!({ "url": url, "extension": [
            { "url": "ombCategory", "valueCoding": { "system": system, "code": code } },
            { "url": "text", "valueString": text },
        ] }),
    })
}
