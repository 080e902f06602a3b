//! A person's history as resources of FHIR R4 and as rows of Synthea's CSV folder.
//!
//! Both have what must not survive a release: names, addresses, numbers of people, narrative, texts, days of birth, times of
//! day with a zone.

use std::io::Write as _;

use velamen_dp::{Stream, below};

use super::BLOCK;
use super::calendar::date;
use super::chart::{Chart, Visit};
use super::codes::{CODES, CONDITIONS, DRUGS, Domain, MEASUREMENTS, PROCEDURES};
use super::names::{anybody, name};

/// The kinds of resources that are written, each in a file of its own.
pub const KINDS: [&str; 7] =
    ["Patient", "Encounter", "Condition", "MedicationRequest", "Procedure", "Observation", "Practitioner"];

/// The tables of Synthea that are written, with their headers.
pub const SYNTHEA: [(&str, &str); 7] = [
    (
        "patients",
        "Id,BIRTHDATE,DEATHDATE,SSN,DRIVERS,PASSPORT,PREFIX,FIRST,LAST,SUFFIX,MAIDEN,MARITAL,RACE,ETHNICITY,GENDER,BIRTHPLACE,ADDRESS,CITY,STATE,COUNTY,ZIP,LAT,LON",
    ),
    (
        "encounters",
        "Id,START,STOP,PATIENT,ORGANIZATION,PROVIDER,PAYER,ENCOUNTERCLASS,CODE,DESCRIPTION,BASE_ENCOUNTER_COST,REASONCODE,REASONDESCRIPTION",
    ),
    ("conditions", "START,STOP,PATIENT,ENCOUNTER,CODE,DESCRIPTION"),
    (
        "medications",
        "START,STOP,PATIENT,PAYER,ENCOUNTER,CODE,DESCRIPTION,BASE_COST,PAYER_COVERAGE,DISPENSES,TOTALCOST,REASONCODE,REASONDESCRIPTION",
    ),
    ("procedures", "DATE,PATIENT,ENCOUNTER,CODE,DESCRIPTION,BASE_COST,REASONCODE,REASONDESCRIPTION"),
    ("observations", "DATE,PATIENT,ENCOUNTER,CODE,DESCRIPTION,VALUE,UNITS,TYPE"),
    ("providers", "Id,ORGANIZATION,NAME,GENDER,SPECIALITY"),
];

/// The form in which a block is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Fhir,
    Synthea,
}

/// The classes of encounters of FHIR and Synthea, by kind of visit.
const CLASSES: [(&str, &str); 3] = [("AMB", "ambulatory"), ("EMER", "emergency"), ("IMP", "inpatient")];

const UNITS: [&str; 4] = ["mg/dL", "mm[Hg]", "kg", "%"];

/// Writes the files of one block.
pub(super) struct Writer {
    form: Form,
    files: Vec<Vec<u8>>,
    block: u64,
    next: u64,
}

/// Whose row it is, and at which visit.
#[derive(Clone, Copy)]
struct At<'a> {
    person: &'a str,
    encounter: &'a str,
    visit: &'a Visit,
    minute: u32,
}

impl Writer {
    pub(super) fn new(block: u64, form: Form) -> Self {
        Self { form, files: vec![Vec::new(); KINDS.len()], block: block * BLOCK, next: 0 }
    }

    pub(super) fn end(self) -> Vec<Vec<u8>> {
        self.files
    }

    /// A line of the file at a place.
    fn line(&mut self, file: usize, line: &str) {
        self.files[file].extend_from_slice(line.as_bytes());
        self.files[file].push(b'\n');
    }

    /// A new key of the shape of a UUID.
    fn key(&mut self, stream: &mut Stream) -> String {
        self.next += 1;
        let (a, b) = (stream.word(), self.block + self.next);
        format!(
            "{:08x}-{:04x}-4{:03x}-8{:03x}-{b:012x}",
            a >> 32,
            a >> 16 & 0xffff,
            a >> 4 & 0xfff,
            a & 0xfff
        )
    }

    pub(super) fn write(&mut self, chart: &Chart, stream: &mut Stream) {
        let person = self.key(stream);
        self.person(&person, chart, stream);
        for (number, visit) in chart.visits.iter().enumerate() {
            let (encounter, minute) = (self.key(stream), 8 * 60 + below(stream, 600) as u32);
            let at = At { person: &person, encounter: &encounter, visit, minute };
            self.encounter(at);
            for &(condition, _) in chart.conditions.iter().filter(|&&(_, visit)| visit == number) {
                self.condition(at, condition, stream);
                if below(stream, 100) < 40 {
                    let drug = CODES.drug(condition, stream);
                    self.drug(at, drug, stream);
                }
            }
            if below(stream, 100) < 20 {
                let procedure = CODES.procedure(stream);
                self.procedure(at, procedure, stream);
            }
            if below(stream, 100) < 20 {
                let measurement = CODES.measurement(stream);
                self.measurement(at, measurement, stream);
            }
        }
    }

    fn person(&mut self, person: &str, chart: &Chart, stream: &mut Stream) {
        let (called, number) = (anybody(stream), below(stream, 1_000_000));
        let (first, last) = called.split_once(' ').unwrap_or((&called, ""));
        let (born, town) = (day(chart.born), chart.location);
        let died = chart.died.map(day).unwrap_or_default();
        let line = match self.form {
            Form::Fhir => {
                let sex = if chart.woman { "female" } else { "male" };
                let died =
                    if died.is_empty() { String::new() } else { format!(",\"deceasedDateTime\":\"{died}\"") };
                format!(
                    "{{\"resourceType\":\"Patient\",\"id\":\"{person}\",\"meta\":{{\"lastUpdated\":\"2025-01-01T00:00:00Z\"}},\"text\":{{\"status\":\"generated\",\"div\":\"<div>{called}</div>\"}},\"identifier\":[{{\"system\":\"urn:velamen:records\",\"value\":\"MRN-{number:06}\"}}],\"name\":[{{\"family\":\"{last}\",\"given\":[\"{first}\"]}}],\"telecom\":[{{\"system\":\"phone\",\"value\":\"555-{number:06}\"}}],\"gender\":\"{sex}\",\"birthDate\":\"{born}\"{died},\"address\":[{{\"line\":[\"{number} Elm Street\"],\"city\":\"Town {town}\"}}]}}"
                )
            }
            Form::Synthea => {
                let sex = if chart.woman { "F" } else { "M" };
                format!(
                    "{person},{born},{died},999-{number:06},,,,{first},{last},,,,white,nonhispanic,{sex},Town {town},{number} Elm Street,Town {town},Nowhere,,{number:05},,"
                )
            }
        };
        self.line(0, &line);
    }

    fn encounter(&mut self, at: At<'_>) {
        let visit = at.visit;
        let (fhir, synthea) = CLASSES[visit.kind];
        let (start, end) = (moment(visit.day, at.minute), moment(visit.day + visit.nights, at.minute + 30));
        let (provider, site) = (name(u64::from(visit.provider)), visit.care_site);
        let line = match self.form {
            Form::Fhir => format!(
                "{{\"resourceType\":\"Encounter\",\"id\":\"{}\",\"status\":\"finished\",\"class\":{{\"system\":\"http://terminology.hl7.org/CodeSystem/v3-ActCode\",\"code\":\"{fhir}\"}},{},\"participant\":[{{\"individual\":{{\"reference\":\"Practitioner/{}\",\"display\":\"{provider}\"}}}}],\"period\":{{\"start\":\"{start}\",\"end\":\"{end}\"}},\"serviceProvider\":{{\"display\":\"Hospital {site}\"}}}}",
                at.encounter,
                subject(at),
                visit.provider + 1,
            ),
            Form::Synthea => format!(
                "{},{start},{end},{},{site},{},1,{synthea},18534900{},Encounter,85.55,,",
                at.encounter,
                at.person,
                visit.provider + 1,
                visit.kind
            ),
        };
        self.line(1, &line);
    }

    fn condition(&mut self, at: At<'_>, condition: u32, stream: &mut Stream) {
        let start = day(at.visit.day);
        let ends = below(stream, 3) > 0;
        let end = if ends { day(at.visit.day + below(stream, 30) as i32) } else { String::new() };
        let line = match self.form {
            Form::Fhir => {
                let status = if ends { "resolved" } else { "active" };
                let end = if ends { format!(",\"abatementDateTime\":\"{end}\"") } else { end };
                format!(
                    "{{\"resourceType\":\"Condition\",\"id\":\"{}\",\"clinicalStatus\":{{\"coding\":[{{\"system\":\"http://terminology.hl7.org/CodeSystem/condition-clinical\",\"code\":\"{status}\"}}]}},\"code\":{},{},\"onsetDateTime\":\"{}\"{end}}}",
                    self.key(stream),
                    concept(&CONDITIONS, condition, "conditions"),
                    within(at),
                    moment(at.visit.day, at.minute),
                )
            }
            Form::Synthea => row(&[&start, &end, at.person, at.encounter], &CONDITIONS, condition, ""),
        };
        self.line(2, &line);
    }

    fn drug(&mut self, at: At<'_>, drug: u32, stream: &mut Stream) {
        let line = match self.form {
            Form::Fhir => format!(
                "{{\"resourceType\":\"MedicationRequest\",\"id\":\"{}\",\"status\":\"stopped\",\"intent\":\"order\",\"medicationCodeableConcept\":{},{},\"authoredOn\":\"{}\",\"dosageInstruction\":[{{\"text\":\"one tablet, twice a day\"}}]}}",
                self.key(stream),
                concept(&DRUGS, drug, "drugs"),
                within(at),
                moment(at.visit.day, at.minute),
            ),
            Form::Synthea => row(
                &[&moment(at.visit.day, at.minute), "", at.person, "1", at.encounter],
                &DRUGS,
                drug,
                &format!(",9.50,0.00,{},9.50,,", 1 + below(stream, 12)),
            ),
        };
        self.line(3, &line);
    }

    fn procedure(&mut self, at: At<'_>, procedure: u32, stream: &mut Stream) {
        let start = moment(at.visit.day, at.minute);
        let line = match self.form {
            Form::Fhir => format!(
                "{{\"resourceType\":\"Procedure\",\"id\":\"{}\",\"status\":\"completed\",\"code\":{},{},\"performedPeriod\":{{\"start\":\"{start}\",\"end\":\"{}\"}}}}",
                self.key(stream),
                concept(&PROCEDURES, procedure, "procedures"),
                within(at),
                moment(at.visit.day, at.minute + 20),
            ),
            Form::Synthea => row(&[&start, at.person, at.encounter], &PROCEDURES, procedure, ",431.40,,"),
        };
        self.line(4, &line);
    }

    fn measurement(&mut self, at: At<'_>, code: u32, stream: &mut Stream) {
        let middle = 300 + code * 35;
        let tenths = middle / 2 + below(stream, u64::from(middle)) as u32;
        let (value, unit) = (format!("{}.{}", tenths / 10, tenths % 10), UNITS[code as usize % UNITS.len()]);
        let start = moment(at.visit.day, at.minute);
        let line = match self.form {
            Form::Fhir => format!(
                "{{\"resourceType\":\"Observation\",\"id\":\"{}\",\"status\":\"final\",\"code\":{},{},\"effectiveDateTime\":\"{start}\",\"valueQuantity\":{{\"value\":{value},\"unit\":\"{unit}\",\"system\":\"http://unitsofmeasure.org\",\"code\":\"{unit}\"}}}}",
                self.key(stream),
                concept(&MEASUREMENTS, code, "measurements"),
                within(at),
            ),
            Form::Synthea => row(
                &[&start, at.person, at.encounter],
                &MEASUREMENTS,
                code,
                &format!(",{value},{unit},numeric"),
            ),
        };
        self.line(5, &line);
    }
}

/// Providers, who are no patients: written once.
pub(super) fn providers(form: Form, number: u32) -> Vec<u8> {
    let mut out = Vec::new();
    for provider in 0..number {
        let called = name(u64::from(provider));
        let id = provider + 1;
        let _ = match form {
            Form::Fhir => writeln!(
                out,
                "{{\"resourceType\":\"Practitioner\",\"id\":\"{id}\",\"name\":[{{\"text\":\"{called}\"}}]}}"
            ),
            Form::Synthea => writeln!(out, "{id},1,{called},F,GENERAL PRACTICE"),
        };
    }
    out
}

/// A row of Synthea: some cells, a code, what it means, and more cells.
fn row(before: &[&str], domain: &Domain, leaf: u32, behind: &str) -> String {
    format!("{},{},{}{behind}", before.join(","), domain.concept(leaf), domain.code(leaf))
}

/// A CodeableConcept with a text that is finer than the concept.
fn concept(domain: &Domain, leaf: u32, system: &str) -> String {
    format!(
        "{{\"coding\":[{{\"system\":\"urn:velamen:{system}\",\"code\":\"{}\",\"display\":\"{}\"}}],\"text\":\"as told by the patient\"}}",
        domain.concept(leaf),
        domain.code(leaf)
    )
}

fn subject(at: At<'_>) -> String {
    format!("\"subject\":{{\"reference\":\"Patient/{}\"}}", at.person)
}

fn within(at: At<'_>) -> String {
    format!("{},\"encounter\":{{\"reference\":\"Encounter/{}\"}}", subject(at), at.encounter)
}

fn day(day: i32) -> String {
    let (year, month, day) = date(day);
    format!("{year:04}-{month:02}-{day:02}")
}

fn moment(on: i32, minute: u32) -> String {
    format!("{}T{:02}:{:02}:00-05:00", day(on), minute / 60, minute % 60)
}
