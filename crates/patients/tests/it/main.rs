//! Linked tables from folder and recipe to a release, read back by code of the tests' own.
#![allow(clippy::unwrap_used, clippy::type_complexity, reason = "tests fail by panics")]

mod attacked;
mod before;
mod cells;
mod damaged;
mod fhir;
mod fhir_denied;
mod fhir_entries;
mod fhir_meaning;
mod fhir_messages;
mod fhir_odd;
mod fhir_parts;
mod fhir_planted;
mod folder;
mod inputs;
mod levels;
mod mondrian;
mod naive;
mod odd;
mod old_ages;
mod omop;
mod originals;
mod presets;
mod refused;
mod related;
mod removed;
mod shown_persons;
mod synthea;
mod synthea_planted;
mod tables;
mod told_by_days;
mod typed;
