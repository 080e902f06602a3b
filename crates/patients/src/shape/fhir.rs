//! FHIR R4 (4.0.1), kind of resource by kind: a table's columns are paths of elements.
//!
//! What is not listed is not released: narrative, contained resources, extensions, identifiers, names, addresses, notes,
//! attachments, performers, organizations, and texts and further codings of a concept.

use super::Fate::{self, Dropped as Gone};
use super::Known::{
    BirthDate, Code, Date, FirstDate, Key, MainCode, Person, QuasiIdentifier, Reference, Set, Value,
};
use super::{Known, KnownTable};

/// A kind that is left out whole.
const fn gone(name: &'static str) -> KnownTable {
    KnownTable { name, fate: Gone, columns: &[] }
}

const ENCOUNTER: Known = Reference("Encounter");

/// The codes to which R4 binds an element; none, if it does not.
pub(super) fn codes(kind: &str, path: &str) -> &'static [&'static str] {
    match (kind, path) {
        ("Patient", "gender") => &["male", "female", "other", "unknown"],
        ("Encounter", "status") => &[
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
        ("Observation", "status") => &[
            "registered",
            "preliminary",
            "final",
            "amended",
            "corrected",
            "cancelled",
            "entered-in-error",
            "unknown",
        ],
        ("DiagnosticReport", "status") => &[
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
        ("MedicationRequest", "status") => &[
            "active",
            "on-hold",
            "cancelled",
            "completed",
            "entered-in-error",
            "stopped",
            "draft",
            "unknown",
        ],
        ("MedicationRequest", "intent") => &[
            "proposal",
            "plan",
            "order",
            "original-order",
            "reflex-order",
            "filler-order",
            "instance-order",
            "option",
        ],
        ("Procedure", "status") => &[
            "preparation",
            "in-progress",
            "not-done",
            "on-hold",
            "stopped",
            "completed",
            "entered-in-error",
            "unknown",
        ],
        ("Immunization", "status") => &["completed", "entered-in-error", "not-done"],
        ("CarePlan", "status") => {
            &["draft", "active", "on-hold", "revoked", "completed", "entered-in-error", "unknown"]
        }
        ("CarePlan", "intent") => &["proposal", "plan", "order", "option"],
        ("Condition", "clinicalStatus") => {
            &["active", "recurrence", "relapse", "inactive", "remission", "resolved"]
        }
        ("Condition", "verificationStatus") => {
            &["unconfirmed", "provisional", "differential", "confirmed", "refuted", "entered-in-error"]
        }
        ("AllergyIntolerance", "clinicalStatus") => &["active", "inactive", "resolved"],
        ("AllergyIntolerance", "verificationStatus") => {
            &["unconfirmed", "confirmed", "refuted", "entered-in-error"]
        }
        _ => &[],
    }
}

/// The system of clinical statuses and of verification statuses of a kind.
pub(super) fn system(kind: &str, what: &str) -> String {
    let name = match (kind, what) {
        ("Condition", "verification") => "condition-ver-status".to_owned(),
        _ => format!("{}-{what}", kind.to_ascii_lowercase()),
    };
    format!("http://terminology.hl7.org/CodeSystem/{name}")
}

/// The codes by which a resource says that what it describes did not happen, or is not so.
pub(super) const DENIALS: [&str; 3] = ["entered-in-error", "refuted", "not-done"];

/// The elements that R4 wants in each resource of a kind, beside its id, its person, and the code of a set.
pub(super) fn required(kind: &str) -> &'static [&'static str] {
    match kind {
        "Encounter" => &["status", "class"],
        "Observation" | "DiagnosticReport" => &["status", "code"],
        "MedicationRequest" | "CarePlan" => &["status", "intent"],
        "Procedure" => &["status"],
        "Immunization" => &["status", "occurrenceDateTime"],
        "AllergyIntolerance" => &["clinicalStatus"],
        _ => &[],
    }
}

/// The kinds of resources.
pub(super) const TABLES: &[KnownTable] = &[
    KnownTable {
        name: "Patient",
        fate: Fate::Persons,
        columns: &[
            ("id", Key),
            // Released where [persons] extensions names them.
            ("extension.us-core-race", Known::Dropped),
            ("extension.us-core-ethnicity", Known::Dropped),
            ("extension.us-core-birthsex", Known::Dropped),
            ("gender", QuasiIdentifier),
            ("birthDate", BirthDate),
        ],
    },
    KnownTable {
        name: "Encounter",
        fate: Fate::ReferredTo,
        columns: &[
            ("id", Key),
            ("status", MainCode),
            ("class", MainCode),
            ("type", Code),
            ("subject", Person),
            ("period.start", FirstDate),
            ("period.end", Date),
        ],
    },
    KnownTable {
        name: "Condition",
        fate: Fate::Rows,
        columns: &[
            ("id", Key),
            ("clinicalStatus", MainCode),
            ("verificationStatus", MainCode),
            ("category", Code),
            ("code", Set),
            ("subject", Person),
            ("encounter", ENCOUNTER),
            ("onsetDateTime", FirstDate),
            ("abatementDateTime", Date),
            ("recordedDate", Date),
        ],
    },
    KnownTable {
        name: "Observation",
        fate: Fate::Rows,
        columns: &[
            ("id", Key),
            ("status", MainCode),
            ("category", Code),
            ("code", MainCode),
            ("subject", Person),
            ("encounter", ENCOUNTER),
            ("effectiveDateTime", FirstDate),
            ("valueQuantity.value", Value(&["code", "valueQuantity.code"])),
            ("valueQuantity.code", Code),
            ("valueCodeableConcept", Code),
        ],
    },
    KnownTable {
        name: "MedicationRequest",
        fate: Fate::Rows,
        columns: &[
            ("id", Key),
            ("status", MainCode),
            ("intent", MainCode),
            ("medicationCodeableConcept", Set),
            ("subject", Person),
            ("encounter", ENCOUNTER),
            ("authoredOn", FirstDate),
        ],
    },
    KnownTable {
        name: "Procedure",
        fate: Fate::Rows,
        columns: &[
            ("id", Key),
            ("status", MainCode),
            ("code", Set),
            ("subject", Person),
            ("encounter", ENCOUNTER),
            ("performedDateTime", FirstDate),
            ("performedPeriod.start", FirstDate),
            ("performedPeriod.end", Date),
        ],
    },
    KnownTable {
        name: "Immunization",
        fate: Fate::Rows,
        columns: &[
            ("id", Key),
            ("status", MainCode),
            ("vaccineCode", Set),
            ("patient", Person),
            ("encounter", ENCOUNTER),
            ("occurrenceDateTime", FirstDate),
        ],
    },
    KnownTable {
        name: "AllergyIntolerance",
        fate: Fate::Rows,
        columns: &[
            ("id", Key),
            ("clinicalStatus", MainCode),
            ("verificationStatus", MainCode),
            ("code", Set),
            ("patient", Person),
            ("encounter", ENCOUNTER),
            ("onsetDateTime", FirstDate),
            ("recordedDate", Date),
        ],
    },
    KnownTable {
        name: "DiagnosticReport",
        fate: Fate::Rows,
        columns: &[
            ("id", Key),
            ("status", MainCode),
            ("category", Code),
            ("code", MainCode),
            ("subject", Person),
            ("encounter", ENCOUNTER),
            ("effectiveDateTime", FirstDate),
        ],
    },
    KnownTable {
        name: "CarePlan",
        fate: Fate::Rows,
        columns: &[
            ("id", Key),
            ("status", MainCode),
            ("intent", MainCode),
            ("category", Code),
            ("subject", Person),
            ("encounter", ENCOUNTER),
            ("period.start", FirstDate),
            ("period.end", Date),
        ],
    },
    gone("Account"),
    gone("Appointment"),
    gone("AuditEvent"),
    gone("BodyStructure"),
    gone("CareTeam"),
    gone("Claim"),
    gone("ClaimResponse"),
    gone("ClinicalImpression"),
    gone("Communication"),
    gone("Composition"),
    gone("Consent"),
    gone("Coverage"),
    gone("Device"),
    gone("DocumentReference"),
    gone("EpisodeOfCare"),
    gone("ExplanationOfBenefit"),
    gone("FamilyMemberHistory"),
    gone("Flag"),
    gone("Goal"),
    gone("Group"),
    gone("ImagingStudy"),
    gone("Location"),
    gone("Media"),
    gone("Medication"),
    gone("MedicationAdministration"),
    gone("MedicationDispense"),
    gone("MedicationStatement"),
    gone("NutritionOrder"),
    gone("OperationOutcome"),
    gone("Organization"),
    gone("Person"),
    gone("Practitioner"),
    gone("PractitionerRole"),
    gone("Provenance"),
    gone("Questionnaire"),
    gone("QuestionnaireResponse"),
    gone("RelatedPerson"),
    gone("ResearchSubject"),
    gone("ServiceRequest"),
    gone("Specimen"),
    gone("SupplyDelivery"),
    gone("Task"),
];
