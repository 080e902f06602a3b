//! What FHIR R4 says of the kinds of resources that a release may have.

use super::units::may_stand;

/// The elements of R4 that a release may have, by kind of resource; an exclamation mark stands behind those that each has.
const KINDS: [(&str, &[&str]); 10] = [
    (
        "Patient",
        &[
            "id!",
            "extension.us-core-race",
            "extension.us-core-ethnicity",
            "extension.us-core-birthsex",
            "gender",
            "birthDate",
        ],
    ),
    ("Encounter", &["id!", "status!", "class!", "type", "subject!", "period.start", "period.end"]),
    (
        "Condition",
        &[
            "id!",
            "clinicalStatus",
            "verificationStatus",
            "category",
            "code!",
            "subject!",
            "encounter",
            "onsetDateTime",
            "abatementDateTime",
            "recordedDate",
        ],
    ),
    (
        "Observation",
        &[
            "id!",
            "status!",
            "category",
            "code!",
            "subject!",
            "encounter",
            "effectiveDateTime",
            "valueQuantity.value",
            "valueQuantity.code",
            "valueCodeableConcept",
        ],
    ),
    (
        "MedicationRequest",
        &["id!", "status!", "intent!", "medicationCodeableConcept!", "subject!", "encounter", "authoredOn"],
    ),
    (
        "Procedure",
        &[
            "id!",
            "status!",
            "code!",
            "subject!",
            "encounter",
            "performedDateTime",
            "performedPeriod.start",
            "performedPeriod.end",
        ],
    ),
    ("Immunization", &["id!", "status!", "vaccineCode!", "patient!", "encounter", "occurrenceDateTime!"]),
    (
        "AllergyIntolerance",
        &[
            "id!",
            "clinicalStatus!",
            "verificationStatus",
            "code!",
            "patient!",
            "encounter",
            "onsetDateTime",
            "recordedDate",
        ],
    ),
    (
        "DiagnosticReport",
        &["id!", "status!", "category", "code!", "subject!", "encounter", "effectiveDateTime"],
    ),
    (
        "CarePlan",
        &["id!", "status!", "intent!", "category", "subject!", "encounter", "period.start", "period.end"],
    ),
];

/// The codes that R4 binds these elements to.
const BOUND: [(&str, &str, &[&str]); 14] = [
    ("Patient", "gender", &["male", "female", "other", "unknown"]),
    (
        "Encounter",
        "status",
        &[
            "planned",
            "arrived",
            "triaged",
            "in-progress",
            "onleave",
            "finished",
            "cancelled",
            "entered-in-error",
            "unknown",
        ],
    ),
    (
        "Observation",
        "status",
        &[
            "registered",
            "preliminary",
            "final",
            "amended",
            "corrected",
            "cancelled",
            "entered-in-error",
            "unknown",
        ],
    ),
    (
        "MedicationRequest",
        "status",
        &["active", "on-hold", "cancelled", "completed", "entered-in-error", "stopped", "draft", "unknown"],
    ),
    (
        "Procedure",
        "status",
        &[
            "preparation",
            "in-progress",
            "not-done",
            "on-hold",
            "stopped",
            "completed",
            "entered-in-error",
            "unknown",
        ],
    ),
    ("Immunization", "status", &["completed", "entered-in-error", "not-done"]),
    (
        "DiagnosticReport",
        "status",
        &[
            "registered",
            "partial",
            "preliminary",
            "final",
            "amended",
            "corrected",
            "appended",
            "cancelled",
            "entered-in-error",
            "unknown",
        ],
    ),
    (
        "CarePlan",
        "status",
        &["draft", "active", "on-hold", "revoked", "completed", "entered-in-error", "unknown"],
    ),
    (
        "MedicationRequest",
        "intent",
        &[
            "proposal",
            "plan",
            "order",
            "original-order",
            "reflex-order",
            "filler-order",
            "instance-order",
            "option",
        ],
    ),
    ("CarePlan", "intent", &["proposal", "plan", "order", "option"]),
    (
        "Condition",
        "clinicalStatus",
        &["active", "recurrence", "relapse", "inactive", "remission", "resolved"],
    ),
    ("Condition", "verificationStatus", &["unconfirmed", "provisional", "differential", "confirmed"]),
    ("AllergyIntolerance", "clinicalStatus", &["active", "inactive", "resolved"]),
    ("AllergyIntolerance", "verificationStatus", &["unconfirmed", "confirmed"]),
];

/// The element in which the band of a number stands.
pub(super) const RANGE: &str = "valueRange";

/// The form of an element.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Text,
    Day,
    Birth,
    Number,
    /// The band of a number: a Range, whose ends have the unit.
    Band,
    Unit,
    Coding,
    Concept,
    Concepts,
    Reference(&'static str),
    Extension,
}

/// The form of an element; other paths than those of [`KINDS`] have none.
pub(super) fn form(path: &str) -> Form {
    match path {
        "id" | "gender" | "status" | "intent" => Form::Text,
        "birthDate" => Form::Birth,
        "subject" | "patient" => Form::Reference("Patient"),
        "encounter" => Form::Reference("Encounter"),
        "class" => Form::Coding,
        "type" | "category" => Form::Concepts,
        "valueQuantity.value" => Form::Number,
        "valueQuantity.code" => Form::Unit,
        "authoredOn" | "recordedDate" => Form::Day,
        _ if path.starts_with("extension.") => Form::Extension,
        _ if path.ends_with("DateTime") || path.ends_with(".start") || path.ends_with(".end") => Form::Day,
        _ => Form::Concept,
    }
}

/// The elements of a kind.
pub(super) fn elements(kind: &str) -> &'static [&'static str] {
    KINDS.iter().find(|(name, _)| *name == kind).map_or(&[][..], |(_, listed)| listed)
}

/// The codes that an element of a kind may have.
pub(super) fn bound(kind: &str, path: &str) -> &'static [&'static str] {
    BOUND.iter().find(|(of, name, _)| *of == kind && *name == path).map_or(&[], |(.., codes)| codes)
}

/// The system of the codes that an element of a kind may have, where R4 binds it to one.
pub(super) fn system(kind: &str, path: &str) -> Option<String> {
    let name = match (kind, path) {
        ("Condition", "clinicalStatus") => "condition-clinical",
        ("Condition", "verificationStatus") => "condition-ver-status",
        ("AllergyIntolerance", "clinicalStatus") => "allergyintolerance-clinical",
        ("AllergyIntolerance", "verificationStatus") => "allergyintolerance-verification",
        _ => return None,
    };
    Some(format!("http://terminology.hl7.org/CodeSystem/{name}"))
}

/// A column of resources.
pub(super) struct Element {
    /// The names that lead to it.
    pub(super) path: Vec<String>,
    pub(super) is_needed: bool,
    pub(super) form: Form,
    /// The codes that it may have; all, if there are none.
    pub(super) bound: &'static [&'static str],
    /// The system that they must have.
    pub(super) system: Option<String>,
}

impl Element {
    /// Whether a cell may stand here; `units` are the declared names of units.
    pub(super) fn takes(&self, cell: &str, units: &[String]) -> bool {
        match cell {
            "" => !self.is_needed,
            cell => {
                let (system, code) = cell.rsplit_once('|').unwrap_or(("", cell));
                let is_of_system = self.system.as_ref().is_none_or(|own| own == system);
                // A code is text that somebody typed, as a name is, and so is its system.
                let is_unit = self.form != Form::Unit || may_stand(cell, units);
                is_unit && is_of_system && (self.bound.is_empty() || self.bound.contains(&code))
            }
        }
    }
}

/// Whether a clinical status, `system|code`, is that of what has ended.
pub(super) fn is_over(status: &str) -> bool {
    ["|inactive", "|resolved", "|remission"].iter().any(|end| status.ends_with(end))
}
