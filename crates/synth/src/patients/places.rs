//! What no person is in: providers, places, and where the data claims to come from.

use super::names::name;
use super::row::Row;

pub(super) const PROVIDERS: u32 = 400;
pub(super) const CARE_SITES: u32 = 60;
pub(super) const LOCATIONS: u32 = 900;

const STATES: [&str; 8] = ["CT", "MA", "ME", "NH", "NJ", "NY", "RI", "VT"];

pub(super) fn providers() -> Vec<u8> {
    let mut out = Vec::new();
    for provider in 0..PROVIDERS {
        let woman = provider % 2 == 0;
        Row::new(&mut out)
            .number(provider + 1)
            .text(&name(u64::from(provider) * 7 + 3))
            .number(1_000_000_000 + provider * 7919)
            .empty(1)
            .number(38_004_446_u32)
            .number(provider % CARE_SITES + 1)
            .number(1950 + provider % 45)
            .number(if woman { 8532_u32 } else { 8507 })
            .text(&format!("DR{provider:05}"))
            .text("GENERAL PRACTICE")
            .number(0_u32)
            .text(if woman { "F" } else { "M" })
            .number(0_u32)
            .end();
    }
    out
}

pub(super) fn care_sites() -> Vec<u8> {
    let mut out = Vec::new();
    for site in 0..CARE_SITES {
        let family = name(u64::from(site) * 11);
        let family = family.split(' ').next_back().unwrap_or_default();
        Row::new(&mut out)
            .number(site + 1)
            .text(&format!("{family} Clinic, ward {}", site % 9 + 1))
            .number(8756_u32)
            .number(site * 15 + 1)
            .text(&format!("CS{site:03}"))
            .text("OUTPATIENT HOSPITAL")
            .end();
    }
    out
}

pub(super) fn locations() -> Vec<u8> {
    let mut out = Vec::new();
    for location in 0..LOCATIONS {
        let state = STATES[(location / 113) as usize % STATES.len()];
        let town = name(u64::from(location / 9) * 5);
        let town = town.split(' ').next_back().unwrap_or_default();
        Row::new(&mut out)
            .number(location + 1)
            .text(&format!("{} Main Street", location * 3 % 200 + 1))
            .empty(1)
            .text(town)
            .text(state)
            .text(&format!("{:05}", 6000 + location * 7))
            .text(&format!("{town} County"))
            .text(&format!("LOC-{location:04}"))
            .number(42_046_186_u32)
            .text("US")
            .empty(2)
            .end();
    }
    out
}

pub(super) fn source() -> Vec<u8> {
    let mut out = Vec::new();
    Row::new(&mut out)
        .text("Made-up patients")
        .text("MUP")
        .text("velamen synth")
        .text("Invented persons: no row stems from anybody")
        .empty(2)
        .text("2025-01-01")
        .text("2025-01-01")
        .text("5.4")
        .number(756_265_u32)
        .text("made up")
        .end();
    out
}
