//! The workspace as a whole: one binary, a module for each thing that is guarded.

#![allow(clippy::unwrap_used, reason = "tests fail by panics")]

mod canonical_order;
mod circles;
mod closures;
mod conditions;
mod crate_edges;
mod docs;
mod english;
mod families;
mod fronts;
mod fuzz_findings;
mod fuzz_smoke;
mod hierarchy_kinds;
mod labels;
mod languages;
mod messages;
mod method_names;
mod oracle_catalog_risk;
mod oracle_iab;
mod oracle_optimal;
mod positions;
mod promise_keys;
mod property_counterfeits;
mod property_front;
mod property_local;
mod property_release;
mod reproduced;
mod shown_classes;
