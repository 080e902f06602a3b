//! Attacks on what we publish, and estimates of risk.

pub mod adversary;
pub mod attack;
pub mod audit;
pub mod certain;
pub mod class_sizes;
pub mod counterfeits;
pub mod leak;
pub mod minimality;
pub mod people;
pub mod quasi_identifiers;
pub mod reidentification;
pub mod special_uniques;
