//! Whether the columns of a release hold what the manifest says of each.

use velamen_core::frequency::{Rest, RestColumn, Role};
use velamen_core::hierarchy::{Definition, NULL, Rule};
use velamen_report::Manifest;
use velamen_report::manifest::AttributeEntry;

use super::kept;

/// The hexadecimal digits of a pseudonym.
const DIGITS: usize = 64;

pub(super) fn is_qi(manifest: &Manifest, name: &str) -> bool {
    manifest.has_role(name, Role::QuasiIdentifier)
}

/// The hierarchy that the manifest states for an attribute.
pub(super) fn definition<'a>(manifest: &'a Manifest, name: &str) -> Option<&'a Definition> {
    manifest.attributes.get(name)?.hierarchy.as_ref()
}

/// The attributes with values that the manifest says they cannot have: quasi-identifiers by its conditions alone, since their labels
/// are checked elsewhere.
pub(super) fn foreign(manifest: &Manifest, table: &Rest) -> Vec<String> {
    let whole = manifest.suppresses_records();
    let is_foreign = |column: &&RestColumn| {
        manifest.attributes.get(&column.name).is_some_and(|entry| {
            !is_qi(manifest, &column.name) && has_foreign(entry, &column.values, whole)
                || kept::fails(manifest, entry, column)
        })
    };
    table.columns.iter().filter(is_foreign).map(|column| format!("values of {}", column.name)).collect()
}

/// `whole`: suppressed records show nothing in any column.
fn has_foreign(entry: &AttributeEntry, values: &[String], whole: bool) -> bool {
    let blanked = |value: &str| value == NULL || (whole && value == "*");
    let digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    let pseudonym = |value: &str| value.len() == DIGITS && value.bytes().all(digit);
    // A hierarchy that does not read is the checker's to refuse.
    let rule = entry.hierarchy.as_ref().and_then(|hierarchy| Rule::try_from(hierarchy).ok());
    let known = |value: &str| {
        rule.as_ref().is_none_or(|rule| rule.contains(value))
            && (entry.pseudonym.is_none() || pseudonym(value))
    };
    !values.iter().all(|value| blanked(value) || known(value))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn a_name_is_no_pseudonym_and_no_value_of_a_hierarchy() {
        let of = |entry: Value, value: &str| {
            let entry = serde_json::from_value(entry).expect("an entry");
            has_foreign(&entry, &[String::new(), value.into()], false)
        };
        let pseudonym = json!({ "role": "identifier", "pseudonym": "hmac-sha256" });
        assert!(!of(pseudonym.clone(), &"0a".repeat(32)));
        for value in ["Jane", &"0A".repeat(32), &"0".repeat(65), "*"] {
            assert!(of(pseudonym.clone(), value), "{value}");
        }
        let listed = json!({ "role": "sensitive", "hierarchy": { "rows": [["A", "*"], ["B", "*"]] } });
        assert!(!of(listed.clone(), "A") && of(listed, "C"));
    }
}
