//! The concepts, and which are above which.

use super::codes::{DOMAINS, Domain};
use super::row::Row;

/// Concepts of the standard that rows use: number, name, domain, vocabulary, class, code.
const STANDARD: [(u32, &str, &str, &str, &str, &str); 20] = [
    (8507, "MALE", "Gender", "Gender", "Gender", "M"),
    (8532, "FEMALE", "Gender", "Gender", "Gender", "F"),
    (8527, "White", "Race", "Race", "Race", "5"),
    (8516, "Black or African American", "Race", "Race", "Race", "3"),
    (8515, "Asian", "Race", "Race", "Race", "2"),
    (8522, "Other Race", "Race", "Race", "Race", "UNK"),
    (38_003_563, "Hispanic or Latino", "Ethnicity", "Ethnicity", "Ethnicity", "Hispanic"),
    (38_003_564, "Not Hispanic or Latino", "Ethnicity", "Ethnicity", "Ethnicity", "Not Hispanic"),
    (9201, "Inpatient Visit", "Visit", "Visit", "Visit", "IP"),
    (9202, "Outpatient Visit", "Visit", "Visit", "Visit", "OP"),
    (9203, "Emergency Room Visit", "Visit", "Visit", "Visit", "ER"),
    (32_817, "EHR", "Type Concept", "Type Concept", "Type Concept", "OMOP4976890"),
    (8840, "milligram per deciliter", "Unit", "UCUM", "Unit", "mg/dL"),
    (8876, "millimeter mercury column", "Unit", "UCUM", "Unit", "mm[Hg]"),
    (9529, "kilogram", "Unit", "UCUM", "Unit", "kg"),
    (8554, "percent", "Unit", "UCUM", "Unit", "%"),
    (8756, "Outpatient Hospital", "Visit", "CMS Place of Service", "Visit", "22"),
    (38_004_446, "General Practice", "Provider", "Medicare Specialty", "Physician Specialty", "1"),
    (756_265, "OMOP CDM Version 5.4.0", "Metadata", "CDM", "CDM", "CDM v5.4.0"),
    (42_046_186, "United States of America", "Geography", "OSM", "2nd level", "148838"),
];

pub(super) fn concepts() -> Vec<u8> {
    let mut out = Vec::new();
    concept(&mut out, 0, "No matching concept", ["Metadata", "None", "Undefined"], "No matching concept");
    for (number, name, domain, vocabulary, class, code) in STANDARD {
        concept(&mut out, number, name, [domain, vocabulary, class], code);
    }
    for domain in &DOMAINS {
        for node in 0..domain.nodes() {
            let class = if node < domain.leaves() { "Leaf" } else { "Group" };
            let kinds = [domain.domain, domain.vocabulary, class];
            concept(&mut out, domain.concept(node), &domain.name(node), kinds, &domain.code(node));
        }
    }
    out
}

fn concept(out: &mut Vec<u8>, number: u32, name: &str, kinds: [&str; 3], code: &str) {
    let row = kinds.into_iter().fold(Row::new(out).number(number).text(name), Row::text);
    row.text("S").text(code).text("1970-01-01").text("2099-12-31").empty(1).end();
}

pub(super) fn relationships() -> Vec<u8> {
    let mut out = Vec::new();
    for domain in &DOMAINS {
        for node in 0..domain.nodes() {
            for parent in domain.parents(node) {
                relationship(&mut out, domain.concept(node), domain.concept(parent), "Is a");
                relationship(&mut out, domain.concept(parent), domain.concept(node), "Subsumes");
            }
        }
    }
    out
}

fn relationship(out: &mut Vec<u8>, one: u32, other: u32, kind: &str) {
    Row::new(out).numbers([one, other]).text(kind).text("1970-01-01").text("2099-12-31").empty(1).end();
}

pub(super) fn ancestors() -> Vec<u8> {
    let mut out = Vec::new();
    for domain in &DOMAINS {
        for node in 0..domain.nodes() {
            for (ancestor, levels) in above(domain, node) {
                let numbers = [domain.concept(ancestor), domain.concept(node), levels, levels];
                Row::new(&mut out).numbers(numbers).end();
            }
        }
    }
    out
}

/// A node and all above it, each with how many levels lie between: as many on every way.
fn above(domain: &Domain, node: u32) -> Vec<(u32, u32)> {
    let mut all = vec![(node, 0)];
    let mut level = vec![node];
    for levels in 1.. {
        level = level.iter().flat_map(|&node| domain.parents(node)).collect();
        level.sort_unstable();
        level.dedup();
        if level.is_empty() {
            break;
        }
        all.extend(level.iter().map(|&node| (node, levels)));
    }
    all
}
