//! The ICD-10 among the codings of FHIR: by its system, whoever gave it a name or a number.

use velamen_core::hierarchy::is_public_event;

/// The ICD-10 and the ICD-10-CM by the numbers of their systems.
const NUMBERS: [&str; 2] = ["urn:oid:2.16.840.1.113883.6.3", "urn:oid:2.16.840.1.113883.6.90"];

/// The numbers under which Germany, Austria and Switzerland list systems of codes, each year's edition of the ICD-10 among them. Of
/// the others, few have codes of its form.
const LISTS: [&str; 3] = ["urn:oid:1.2.276.0.76.5.", "urn:oid:1.2.40.0.34.5.", "urn:oid:2.16.756.5."];

/// The ICD-10 by name, letters and digits alone: `icd-10-cm`, `ICD10`, and the WHO's `icd/release/10`.
const NAMES: [&str; 2] = ["icd10", "icdrelease10"];

/// Whether a coding of FHIR, `system|code`, is of the ICD-10 or of a country's edition of it.
pub(crate) fn is_of_icd10(text: &str) -> bool {
    let system = text.rsplit_once('|').map_or("", |(system, _)| system);
    let name: String = system.to_ascii_lowercase().chars().filter(char::is_ascii_alphanumeric).collect();
    let is_numbered = NUMBERS.contains(&system) || LISTS.iter().any(|list| system.starts_with(list));
    is_numbered || NAMES.iter().any(|known| name.contains(known))
}

/// Whether a coding of FHIR, `system|code`, is one of a public event of the ICD-10.
pub(crate) fn is_event(text: &str) -> bool {
    is_of_icd10(text) && is_public_event(code(text))
}

/// The code of a text: of a coding of FHIR, `system|code`, what stands behind the bar.
pub(crate) fn code(text: &str) -> &str {
    text.rsplit('|').next().unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn editions_of_the_icd_10_are_known_by_name_and_number() {
        let systems = [
            "http://hl7.org/fhir/sid/icd-10-cm",
            "http://fhir.de/CodeSystem/bfarm/icd-10-gm",
            "http://id.who.int/icd/release/10",
            "urn:oid:2.16.840.1.113883.6.3",
            "urn:oid:1.2.276.0.76.5.530",
            "urn:oid:1.2.40.0.34.5.56",
            "urn:oid:2.16.756.5.30.1.127.3.6",
        ];
        for system in systems {
            assert!(is_event(&format!("{system}|W19")), "{system}");
            assert!(!is_event(&format!("{system}|I10")), "{system}");
        }
        for other in ["http://snomed.info/sct", "urn:oid:2.16.840.1.113883.6.96", ""] {
            assert!(!is_event(&format!("{other}|W19")), "{other}");
        }
    }
}
