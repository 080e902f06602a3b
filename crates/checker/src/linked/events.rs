//! Codes of public events of the ICD-10, in columns that are said to have none.

use super::codes::Codes;
use super::faults::{Faults, Place};

/// V00–Y98, Z37–Z38, P00–P96, R95–R99: the letter, and the first and the last number behind it.
const EVENTS: [(u8, u8, u8); 7] = [
    (b'V', 0, 99),
    (b'W', 0, 99),
    (b'X', 0, 99),
    (b'Y', 0, 98),
    (b'Z', 37, 38),
    (b'P', 0, 96),
    (b'R', 95, 99),
];

/// The ICD-10 and the ICD-10-CM by the numbers of their systems.
const OIDS: [&str; 2] = ["2.16.840.1.113883.6.3", "2.16.840.1.113883.6.90"];

/// Where Germany, Austria and Switzerland have the editions of each year, beside other systems.
const ARCS: [&str; 3] = ["1.2.276.0.76.5.", "1.2.40.0.34.5.", "2.16.756.5."];

/// Whether a system is the ICD-10 or an edition of it.
fn is_icd10(system: &str) -> bool {
    let letters = |text: &str| -> String {
        text.chars().filter(char::is_ascii_alphanumeric).map(|letter| letter.to_ascii_lowercase()).collect()
    };
    let name = letters(system);
    let is_named = ["icd10", "icdrelease10"].iter().any(|known| name.contains(known));
    let oid = system.strip_prefix("urn:oid:").unwrap_or_default();
    is_named || OIDS.contains(&oid) || ARCS.iter().any(|arc| oid.starts_with(arc))
}

/// Whether a code, or a group of codes that is named by its first, is one.
fn is_one(code: &str) -> bool {
    // A coding of FHIR is `system|code`; other systems have codes of the same form.
    let code = match code.rsplit_once('|') {
        Some((system, _)) if !is_icd10(system) => return false,
        Some((_, code)) => code,
        None => code,
    };
    let [letter, tens, ones, ..] = code.as_bytes() else { return false };
    if !tens.is_ascii_digit() || !ones.is_ascii_digit() {
        return false;
    }
    let number = tens.wrapping_sub(b'0').wrapping_mul(10).wrapping_add(ones.wrapping_sub(b'0'));
    let is_within = |&(of, first, last): &(u8, u8, u8)| {
        letter.eq_ignore_ascii_case(&of) && (first..=last).contains(&number)
    };
    EVENTS.iter().any(is_within)
}

/// Looks for such codes among those of a column.
pub(super) fn check(codes: &Codes, place: Place<'_>, faults: &mut Faults) {
    for _ in codes.texts().filter(|text| is_one(text)) {
        faults.add(place, "a code of a public event");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn births_and_accidents_are_found_however_they_are_written() {
        assert!(
            [
                "V01",
                "w19xxxA",
                "V01-V09",
                "Y98.9",
                "z38.0",
                "P07",
                "R99",
                "urn:icd-10|W19",
                "ICD10|W19",
                "http://id.who.int/icd/release/10|X95.9",
                "urn:oid:2.16.840.1.113883.6.90|W19",
                "urn:oid:1.2.276.0.76.5.530|W19",
                "urn:oid:1.2.40.0.34.5.56|Z38.0",
                "urn:oid:2.16.756.5.30.1.127.3.6|X70"
            ]
            .iter()
            .all(|code| is_one(code))
        );
        assert!(
            ![
                "Y99",
                "Z39",
                "P97",
                "R94",
                "I10",
                "XX",
                "X",
                "XIV",
                "",
                "Vé1",
                "W0x",
                "Wx0",
                "urn:hcpcs|V2020",
                "http://hl7.org/fhir/sid/icd-9-cm|V20.2",
                "urn:medicdb|V20",
                "urn:oid:1.2.276.0.76.5.530|5-470",
                "urn:oid:2.16.840.1.113883.6.96|V20",
                "|V20"
            ]
            .iter()
            .any(|code| is_one(code))
        );
    }
}
