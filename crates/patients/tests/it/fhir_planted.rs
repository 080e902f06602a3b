//! An original text in every place of every released kind of resource: what nobody releases, all patients share; what may be
//! released, one patient alone has.
//!
//! The elements are those of R4 (4.0.1), resource by resource, with all that their datatypes have.

use std::fmt::Write as _;
use std::path::Path;

use serde_json::{Map, Value, json};
use velamen_core::error::Class;

use super::folder::Made;

/// What is planted begins so, in whatever place.
const PLANTED: &str = "planted";
/// A day that is planted.
const DAY: &str = "1977-07-17";

fn concept() -> Value {
    json!({ "id": PLANTED, "extension": [extension()], "text": PLANTED, "coding": [coding(), coding()] })
}

fn coding() -> Value {
    json!({ "id": PLANTED, "system": "urn:planted", "version": PLANTED, "code": PLANTED, "display": PLANTED })
}

fn extension() -> Value {
    json!({ "url": "urn:planted", "extension": [{ "url": PLANTED, "valueString": PLANTED }] })
}

fn period() -> Value {
    json!({ "id": PLANTED, "start": DAY, "end": DAY })
}

fn identifier() -> Value {
    json!({ "use": PLANTED, "type": { "text": PLANTED }, "system": "urn:planted", "value": PLANTED, "period": period(), "assigner": { "display": PLANTED } })
}

fn reference() -> Value {
    json!({ "reference": "Practitioner/planted", "type": PLANTED, "identifier": identifier(), "display": PLANTED })
}

fn quantity() -> Value {
    json!({ "value": 7_770_777, "comparator": PLANTED, "unit": PLANTED, "system": "urn:planted", "code": PLANTED })
}

fn name() -> Value {
    json!({ "use": PLANTED, "text": PLANTED, "family": PLANTED, "given": [PLANTED], "prefix": [PLANTED], "suffix": [PLANTED], "period": period() })
}

fn telecom() -> Value {
    json!({ "system": PLANTED, "value": PLANTED, "use": PLANTED, "period": period() })
}

fn address() -> Value {
    json!({
        "use": PLANTED, "type": PLANTED, "text": PLANTED, "line": [PLANTED], "city": PLANTED, "district": PLANTED,
        "state": PLANTED, "postalCode": PLANTED, "country": PLANTED, "period": period()
    })
}

fn attachment() -> Value {
    json!({
        "contentType": PLANTED, "language": PLANTED, "data": PLANTED, "url": PLANTED, "hash": PLANTED, "title": PLANTED,
        "creation": DAY
    })
}

fn note() -> Value {
    json!({ "authorString": PLANTED, "authorReference": reference(), "time": DAY, "text": PLANTED })
}

fn range() -> Value {
    json!({ "low": quantity(), "high": quantity() })
}

fn timing() -> Value {
    json!({ "event": [DAY], "repeat": { "boundsPeriod": period(), "periodUnit": PLANTED, "when": [PLANTED] }, "code": concept() })
}

fn dosage() -> Value {
    json!({
        "text": PLANTED, "additionalInstruction": [concept()], "patientInstruction": PLANTED, "timing": timing(),
        "asNeededCodeableConcept": concept(), "site": concept(), "route": concept(), "method": concept(),
        "doseAndRate": [{ "type": concept(), "doseQuantity": quantity(), "rateRange": range() }],
        "maxDosePerPeriod": { "numerator": quantity(), "denominator": quantity() }
    })
}

/// What every resource can have.
fn domain() -> Value {
    json!({
        "meta": {
            "versionId": PLANTED, "lastUpdated": "1977-07-17T07:07:07Z", "source": PLANTED, "profile": [PLANTED],
            "security": [coding()], "tag": [coding()], "extension": [extension()]
        },
        "language": PLANTED, "text": { "status": PLANTED, "div": "<div>planted</div>" },
        "contained": [{ "resourceType": "Organization", "id": PLANTED, "name": PLANTED }],
        "extension": [extension()], "identifier": [identifier()], "_status": { "id": PLANTED, "extension": [extension()] },
        "planted": PLANTED, "implicitRules": null
    })
}

/// The elements of a kind that are never released.
fn hidden(kind: &str) -> Value {
    match kind {
        "Patient" => json!({
            "name": [name()], "telecom": [telecom()], "_gender": { "id": PLANTED, "extension": [extension()] },
            "_birthDate": { "id": PLANTED, "extension": [extension()] }, "deceasedDateTime": DAY, "address": [address()],
            "maritalStatus": concept(), "photo": [attachment()],
            "contact": [{ "relationship": [concept()], "name": name(), "telecom": [telecom()], "address": address(), "gender": PLANTED, "organization": reference(), "period": period() }],
            "communication": [{ "language": concept() }], "generalPractitioner": [reference()],
            "managingOrganization": reference(), "link": [{ "other": reference(), "type": PLANTED }]
        }),
        "Encounter" => json!({
            "statusHistory": [{ "status": PLANTED, "period": period() }], "classHistory": [{ "class": coding(), "period": period() }],
            "serviceType": concept(), "priority": concept(), "episodeOfCare": [reference()], "basedOn": [reference()],
            "participant": [{ "type": [concept()], "period": period(), "individual": reference() }], "appointment": [reference()],
            "length": quantity(), "reasonCode": [concept()], "reasonReference": [reference()],
            "diagnosis": [{ "condition": reference(), "use": concept() }], "account": [reference()],
            "hospitalization": { "preAdmissionIdentifier": identifier(), "origin": reference(), "admitSource": concept(), "reAdmission": concept(), "dietPreference": [concept()], "specialCourtesy": [concept()], "specialArrangement": [concept()], "destination": reference(), "dischargeDisposition": concept() },
            "location": [{ "location": reference(), "status": PLANTED, "physicalType": concept(), "period": period() }],
            "serviceProvider": reference(), "partOf": reference()
        }),
        "Condition" => json!({
            "severity": concept(), "bodySite": [concept()], "onsetString": PLANTED, "onsetAge": quantity(), "onsetPeriod": period(),
            "onsetRange": range(), "abatementString": PLANTED, "abatementAge": quantity(), "abatementPeriod": period(),
            "abatementRange": range(), "recorder": reference(), "asserter": reference(),
            "stage": [{ "summary": concept(), "assessment": [reference()], "type": concept() }],
            "evidence": [{ "code": [concept()], "detail": [reference()] }], "note": [note()]
        }),
        "Observation" => json!({
            "basedOn": [reference()], "partOf": [reference()], "focus": [reference()], "effectivePeriod": period(),
            "effectiveTiming": timing(), "effectiveInstant": DAY, "issued": DAY, "performer": [reference()], "valueString": PLANTED,
            "valueRange": range(), "valueRatio": { "numerator": quantity(), "denominator": quantity() },
            "valueSampledData": { "origin": quantity(), "data": PLANTED }, "valueTime": "07:07:07", "valueDateTime": DAY,
            "valuePeriod": period(), "dataAbsentReason": concept(), "interpretation": [concept()], "note": [note()],
            "bodySite": concept(), "method": concept(), "specimen": reference(), "device": reference(),
            "referenceRange": [{ "low": quantity(), "high": quantity(), "type": concept(), "appliesTo": [concept()], "age": range(), "text": PLANTED }],
            "hasMember": [reference()], "derivedFrom": [reference()],
            "component": [{ "id": PLANTED, "code": shown("c"), "valueString": PLANTED, "interpretation": [concept()], "dataAbsentReason": concept(), "referenceRange": [{ "text": PLANTED }] }]
        }),
        "MedicationRequest" => json!({
            "statusReason": concept(), "category": [concept()], "priority": PLANTED, "reportedReference": reference(),
            "supportingInformation": [reference()], "requester": reference(), "performer": reference(), "performerType": concept(),
            "recorder": reference(), "reasonCode": [concept()], "reasonReference": [reference()], "instantiatesCanonical": [PLANTED],
            "instantiatesUri": [PLANTED], "basedOn": [reference()], "groupIdentifier": identifier(), "courseOfTherapyType": concept(),
            "insurance": [reference()], "note": [note()], "dosageInstruction": [dosage()],
            "dispenseRequest": { "initialFill": { "quantity": quantity(), "duration": quantity() }, "dispenseInterval": quantity(), "validityPeriod": period(), "quantity": quantity(), "expectedSupplyDuration": quantity(), "performer": reference() },
            "substitution": { "allowedCodeableConcept": concept(), "reason": concept() }, "priorPrescription": reference(),
            "detectedIssue": [reference()], "eventHistory": [reference()]
        }),
        _ => more_hidden(kind),
    }
}

/// [`hidden`], of the other kinds.
fn more_hidden(kind: &str) -> Value {
    match kind {
        "Procedure" => json!({
            "instantiatesCanonical": [PLANTED], "instantiatesUri": [PLANTED], "basedOn": [reference()], "partOf": [reference()],
            "statusReason": concept(), "category": concept(), "performedString": PLANTED, "performedAge": quantity(),
            "performedRange": range(), "recorder": reference(), "asserter": reference(),
            "performer": [{ "function": concept(), "actor": reference(), "onBehalfOf": reference() }], "location": reference(),
            "reasonCode": [concept()], "reasonReference": [reference()], "bodySite": [concept()], "outcome": concept(),
            "report": [reference()], "complication": [concept()], "complicationDetail": [reference()], "followUp": [concept()],
            "note": [note()], "focalDevice": [{ "action": concept(), "manipulated": reference() }], "usedReference": [reference()],
            "usedCode": [concept()]
        }),
        "Immunization" => json!({
            "statusReason": concept(), "occurrenceString": PLANTED, "recorded": DAY, "reportOrigin": concept(), "location": reference(),
            "manufacturer": reference(), "lotNumber": PLANTED, "expirationDate": DAY, "site": concept(), "route": concept(),
            "doseQuantity": quantity(), "performer": [{ "function": concept(), "actor": reference() }], "note": [note()],
            "reasonCode": [concept()], "reasonReference": [reference()], "subpotentReason": [concept()],
            "education": [{ "documentType": PLANTED, "reference": PLANTED, "publicationDate": DAY, "presentationDate": DAY }],
            "programEligibility": [concept()], "fundingSource": concept(), "reaction": [{ "date": DAY, "detail": reference() }],
            "protocolApplied": [{ "series": PLANTED, "authority": reference(), "targetDisease": [concept()], "doseNumberString": PLANTED, "seriesDosesString": PLANTED }]
        }),
        "AllergyIntolerance" => json!({
            "type": PLANTED, "category": [PLANTED], "criticality": PLANTED, "onsetString": PLANTED, "onsetAge": quantity(),
            "onsetPeriod": period(), "onsetRange": range(), "recorder": reference(), "asserter": reference(), "lastOccurrence": DAY,
            "note": [note()],
            "reaction": [{ "substance": concept(), "manifestation": [concept()], "description": PLANTED, "onset": DAY, "severity": PLANTED, "exposureRoute": concept(), "note": [note()] }]
        }),
        "DiagnosticReport" => json!({
            "basedOn": [reference()], "effectivePeriod": period(), "issued": DAY, "performer": [reference()],
            "resultsInterpreter": [reference()], "specimen": [reference()], "result": [reference()], "imagingStudy": [reference()],
            "media": [{ "comment": PLANTED, "link": reference() }], "conclusion": PLANTED, "conclusionCode": [concept()],
            "presentedForm": [attachment()]
        }),
        _ => json!({
            "instantiatesCanonical": [PLANTED], "instantiatesUri": [PLANTED], "basedOn": [reference()], "replaces": [reference()],
            "partOf": [reference()], "title": PLANTED, "description": PLANTED, "created": DAY, "author": reference(),
            "contributor": [reference()], "careTeam": [reference()], "addresses": [reference()], "supportingInfo": [reference()],
            "goal": [reference()], "note": [note()],
            "activity": [{
                "outcomeCodeableConcept": [concept()], "outcomeReference": [reference()], "progress": [note()], "reference": reference(),
                "detail": { "kind": PLANTED, "instantiatesCanonical": [PLANTED], "instantiatesUri": [PLANTED], "code": concept(), "reasonCode": [concept()], "reasonReference": [reference()], "goal": [reference()], "status": PLANTED, "statusReason": concept(), "scheduledString": PLANTED, "location": reference(), "performer": [reference()], "productCodeableConcept": concept(), "dailyAmount": quantity(), "quantity": quantity(), "description": PLANTED }
            }]
        }),
    }
}

/// A concept whose first coding is one that all patients have.
fn shown(code: &str) -> Value {
    let mut first = coding();
    (first["system"], first["code"]) = ("urn:codes".into(), code.into());
    json!({ "coding": [first, coding()], "text": PLANTED, "id": PLANTED, "extension": [extension()] })
}

/// A status that R4 binds.
fn status(system: &str, code: &str) -> Value {
    let system = format!("http://terminology.hl7.org/CodeSystem/{system}");
    json!({ "coding": [{ "system": system, "code": code, "display": PLANTED, "version": PLANTED }], "text": PLANTED })
}

/// A reference to what is released.
fn to(kind: &str, person: usize) -> Value {
    json!({ "reference": format!("{kind}/planted-{person}"), "type": PLANTED, "display": PLANTED, "identifier": identifier() })
}

const KINDS: [&str; 10] = [
    "Patient",
    "Encounter",
    "Condition",
    "Observation",
    "MedicationRequest",
    "Procedure",
    "Immunization",
    "AllergyIntolerance",
    "DiagnosticReport",
    "CarePlan",
];

/// The elements of a kind that are released.
fn visible(kind: &str, person: usize) -> Value {
    let (subject, encounter, day) = (to("Patient", person), to("Encounter", person), "2015-03-01T10:11:12Z");
    let period = json!({ "start": day, "end": day });
    match kind {
        "Patient" => json!({ "gender": "female", "birthDate": "1960-03-17" }),
        "Encounter" => {
            json!({ "status": "finished", "class": shown("AMB")["coding"][0], "type": [shown("t")], "subject": subject, "period": period })
        }
        "Condition" => json!({
            "clinicalStatus": status("condition-clinical", "resolved"), "verificationStatus": status("condition-ver-status", "confirmed"),
            "category": [shown("a")], "code": shown("c"), "subject": subject, "encounter": encounter, "onsetDateTime": day,
            "abatementDateTime": day, "recordedDate": day
        }),
        "Observation" => json!({
            "status": "final", "category": [shown("a")], "code": shown("c"), "subject": subject, "encounter": encounter,
            "effectiveDateTime": day, "valueCodeableConcept": shown("v")
        }),
        "MedicationRequest" => json!({
            "status": "active", "intent": "order", "medicationCodeableConcept": shown("c"), "subject": subject, "encounter": encounter,
            "authoredOn": day
        }),
        "Procedure" => json!({
            "status": "completed", "code": shown("c"), "subject": subject, "encounter": encounter, "performedPeriod": period
        }),
        "Immunization" => json!({
            "status": "completed", "vaccineCode": shown("c"), "patient": subject, "encounter": encounter, "occurrenceDateTime": day
        }),
        "AllergyIntolerance" => json!({
            "clinicalStatus": status("allergyintolerance-clinical", "active"),
            "verificationStatus": status("allergyintolerance-verification", "confirmed"), "code": shown("c"), "patient": subject,
            "encounter": encounter, "onsetDateTime": day, "recordedDate": day
        }),
        "DiagnosticReport" => json!({
            "status": "final", "category": [shown("a")], "code": shown("c"), "subject": subject, "encounter": encounter,
            "effectiveDateTime": day
        }),
        _ => json!({
            "status": "active", "intent": "plan", "category": [shown("a")], "subject": subject, "encounter": encounter,
            "period": period
        }),
    }
}

fn fields(value: Value) -> Map<String, Value> {
    let Value::Object(fields) = value else { panic!("an object") };
    fields
}

/// A resource of a patient with all that its kind can have.
fn resource(kind: &str, person: usize) -> Value {
    let mut all = fields(json!({ "resourceType": kind, "id": format!("planted-{person}") }));
    [domain(), hidden(kind), visible(kind, person)].into_iter().for_each(|more| all.extend(fields(more)));
    Value::Object(all)
}

/// Patients, each with one resource of every kind, of which `change` changes some.
fn export(persons: usize, change: impl Fn(&str, usize, &mut Value)) -> Made {
    let made = Made::empty();
    for kind in KINDS {
        let mut text = String::new();
        for person in 0..persons {
            let mut resource = resource(kind, person);
            change(kind, person, &mut resource);
            writeln!(text, "{resource}").unwrap();
        }
        made.table(&format!("{kind}.ndjson"), &text);
    }
    made
}

const RECIPE: &str = "[input]\nfolder = \"in\"\nshape = \"fhir\"\nrows = \"independent\"\n[persons]\ndates = \"year\"\nwindow = [\"2010-01-01\", \"2019-12-31\"]\n\
     [[privacy]]\nmodel = \"k-km-anonymity\"\nk = 5\nm = 1\n[output]\npath = \"release\"\n";

/// The files of a folder that have one of these texts, whatever their case.
pub(crate) fn with_any(folder: &Path, texts: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(with_any(&path, texts));
            continue;
        }
        let text = String::from_utf8_lossy(&std::fs::read(&path).unwrap()).to_ascii_lowercase();
        found.extend(
            texts.iter().filter(|one| text.contains(**one)).map(|one| format!("{}: {one}", path.display())),
        );
    }
    found
}

#[test]
fn what_all_patients_share_but_nobody_releases_is_nowhere() {
    let made = export(20, |_, _, _| {});
    let outcome = made.run(RECIPE).unwrap();
    assert_eq!(outcome.survived.persons, [20, 20]);
    for kind in KINDS {
        let resources = super::fhir::released(&made, kind);
        assert!(resources.len() >= 20, "{kind}: {}", resources.len());
    }
    let nowhere = |folder: &str, texts: &[&str]| {
        assert_eq!(with_any(&made.path(folder), texts), Vec::<String>::new());
    };
    nowhere("release", &[PLANTED, "1977-07", "07:07:07", "7770777", "10:11:12"]);
    nowhere("release/data", &["1977", "7777", "extension", "display", "version", "text"]);
}

/// The paths of the texts within a value that are not planted.
fn texts(value: &Value, path: &str, found: &mut Vec<String>) {
    match value {
        Value::String(text) if text.contains(PLANTED) && !text.contains('/') => {}
        Value::String(_) => found.push(path.to_owned()),
        Value::Array(values) => {
            values
                .iter()
                .enumerate()
                .for_each(|(place, value)| texts(value, &format!("{path}/{place}"), found));
        }
        Value::Object(fields) => {
            fields.iter().for_each(|(name, value)| texts(value, &format!("{path}/{name}"), found));
        }
        _ => {}
    }
}

#[test]
fn what_one_patient_has_in_a_released_place_is_nowhere_or_refused_with_its_place() {
    let mut refused = Vec::new();
    for kind in KINDS {
        let mut places = vec!["/id".to_owned()];
        texts(&visible(kind, 3), "", &mut places);
        places.retain(|place| !place.contains("/identifier/"));
        for place in places {
            let made = export(8, |of, person, resource| {
                if (of, person) == (kind, 3) {
                    *resource.pointer_mut(&place).unwrap() = "unique place".into();
                }
            });
            match made.run(RECIPE) {
                Ok(_) => {
                    let left = with_any(&made.path("release"), &["unique place", PLANTED]);
                    assert!(left.is_empty(), "{kind}{place}: {left:?}");
                }
                Err(error) => {
                    let text = error.to_string();
                    let element = place.split('/').nth(1).unwrap();
                    let where_it_is = |file: &str| text.contains(&format!("{file}.ndjson: line "));
                    assert_eq!(error.class(), Class::Data, "{kind}{place}: {text}");
                    // An id that others refer to is missed where they do.
                    let is_id = element == "id" && KINDS.iter().any(|kind| where_it_is(kind));
                    let is_there = where_it_is(kind) && text.contains(&format!("{kind}.{element}"));
                    assert!(is_id || is_there, "{kind}{place}: {text}");
                    assert!(!text.contains("unique"), "{kind}{place}: {text}");
                    refused.push(format!("{kind}{place}"));
                }
            }
        }
    }
    for place in ["Patient/gender", "Condition/onsetDateTime", "Procedure/performedPeriod/end", "Patient/id"]
    {
        assert!(refused.iter().any(|one| one == place), "{place}: {refused:?}");
    }
    assert!(!refused.iter().any(|one| one == "Condition/code/coding/0/code"), "{refused:?}");
}
