//! Resources of other versions of FHIR, by elements that R4 does not have.

use super::resource::Resource;

/// Elements of later versions, by kind: with what their JSON begins, where R4 has one of the name in another form.
const LATER: [(&str, &str, &str); 11] = [
    ("Encounter", "class", "["),
    ("Encounter", "actualPeriod", ""),
    ("MedicationRequest", "medication", ""),
    ("Procedure", "occurrenceDateTime", ""),
    ("Procedure", "occurrencePeriod", ""),
    ("Condition", "participant", ""),
    ("Observation", "bodyStructure", ""),
    ("AllergyIntolerance", "type", "{"),
    ("Immunization", "administeredProduct", ""),
    ("Observation", "valueAttachment", ""),
    ("MedicationRequest", "renderedDosageInstruction", ""),
];

/// The same of earlier ones.
const EARLIER: [(&str, &str, &str); 19] = [
    ("Condition", "assertedDate", ""),
    ("Condition", "context", ""),
    ("Condition", "clinicalStatus", "\""),
    ("Encounter", "reason", ""),
    ("MedicationRequest", "requester", "{\"agent\""),
    ("Observation", "context", ""),
    ("Observation", "related", ""),
    ("Observation", "comment", ""),
    ("Procedure", "context", ""),
    ("Procedure", "notDone", ""),
    ("MedicationRequest", "context", ""),
    ("DiagnosticReport", "context", ""),
    ("CarePlan", "context", ""),
    ("Immunization", "date", ""),
    ("Immunization", "notGiven", ""),
    ("Immunization", "wasNotGiven", ""),
    ("Patient", "animal", ""),
    ("AllergyIntolerance", "assertedDate", ""),
    ("AllergyIntolerance", "clinicalStatus", "\""),
];

/// The version that a resource is of, and the element that shows it; nothing of R4.
pub(super) fn other(kind: &str, resource: Resource<'_, '_>) -> Option<(&'static str, &'static str)> {
    let shown = |of: &'static [(&str, &'static str, &str)]| {
        of.iter().find(|(own, name, begins)| *own == kind && resource.has(name, begins)).map(|found| found.1)
    };
    let later = shown(&LATER).map(|element| ("R5", element));
    later.or_else(|| shown(&EARLIER).map(|element| ("STU3", element)))
}
