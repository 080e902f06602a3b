//! The command line from outside: one binary, a module for each thing that is guarded.

#![allow(clippy::unwrap_used, reason = "tests fail by panics")]

mod adversary;
mod after;
mod analysis;
mod arca2021_example;
mod attack;
mod attestation;
mod audit;
mod bad_hierarchy;
mod bad_recipe;
mod bad_table;
mod browser;
mod budget;
mod careless;
mod clustering;
mod command_line;
mod common;
mod compare;
mod compare_sections;
mod database;
mod derived;
mod determinism;
mod estimate;
mod every_verb;
mod evidence;
mod explore;
mod fake_records;
#[cfg(target_os = "linux")]
mod faults;
mod formats;
mod h_ceiling_models;
mod hierarchies;
mod identities;
mod impossible;
#[cfg(unix)]
mod interruption;
mod invented;
mod ipa;
mod ipa_informative;
mod json_answers;
#[cfg(unix)]
mod keep_best;
mod kept_rows;
mod large_hierarchies;
mod lee2017_example;
mod lee2020_baselines;
mod lee2020_example;
mod limits;
mod local_recoding;
mod machine_output;
mod missing_values;
mod models;
mod mst;
mod mst_domains;
mod mst_impossible;
mod mst_odd_tables;
mod oracle_attack;
mod oracle_mdav;
mod other_methods;
mod output_folders;
#[cfg(unix)]
mod overwriting;
mod page_words;
mod papers;
mod people;
mod people_figures;
mod people_mdav;
mod people_named;
mod people_shares;
mod persons;
mod population_uniqueness;
#[cfg(feature = "database")]
mod postgres;
mod private_refusals;
mod profile;
mod profile_places;
mod profile_private;
mod promises;
mod query;
mod real_files;
mod recipients;
mod released_bytes;
mod report;
mod risk;
mod safe_harbor;
mod safe_pub;
mod snapshots;
mod spellings;
mod tampering;
mod unnamed;
#[cfg(target_os = "linux")]
mod unwritten;
mod verdict;
mod wide_tables;
mod wrong_inputs;
