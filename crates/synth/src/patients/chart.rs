//! One person's history, before it is put into tables.

use velamen_dp::{Stream, below};

use super::calendar::{FIRST, LAST};
use super::codes::CODES;
use super::places::{CARE_SITES, LOCATIONS, PROVIDERS};

/// The most visits of a person.
const VISITS: usize = 60;

/// A person and what happened.
pub(super) struct Chart {
    pub(super) woman: bool,
    /// The day of birth.
    pub(super) born: i32,
    /// 0 to 3, the commonest first.
    pub(super) race: usize,
    pub(super) hispanic: bool,
    pub(super) location: u32,
    pub(super) provider: u32,
    /// The day of death, if it lies in the window.
    pub(super) died: Option<i32>,
    /// By day.
    pub(super) visits: Vec<Visit>,
    /// What was found, and at which visit.
    pub(super) conditions: Vec<(u32, usize)>,
}

/// One visit.
pub(super) struct Visit {
    pub(super) day: i32,
    /// 0 on one day, 1 in an emergency, 2 in hospital.
    pub(super) kind: usize,
    /// How many nights.
    pub(super) nights: i32,
    pub(super) provider: u32,
    pub(super) care_site: u32,
}

impl Chart {
    pub(super) fn draw(stream: &mut Stream) -> Self {
        let woman = below(stream, 100) < 52;
        // The sum of two draws: most are of middle age, few are very old.
        let years = below(stream, 58) + below(stream, 48);
        let born = FIRST - years as i32 * 365 - below(stream, 365) as i32;
        let age = usize::from(years >= 40) + usize::from(years >= 65);
        let (first, last, died) = span(age, stream);
        let conditions = conditions(age, woman, stream);
        let provider = below(stream, PROVIDERS.into()) as u32;
        let mut visits = visits(first, last, conditions.len(), provider, stream);
        visits.sort_by_key(|visit| visit.day);
        let mut at: Vec<(u32, usize)> = Vec::new();
        for condition in conditions {
            at.push((condition, below(stream, visits.len() as u64) as usize));
            // Some come again, as often as chance has it.
            while below(stream, 6) == 0 {
                at.push((condition, below(stream, visits.len() as u64) as usize));
            }
        }
        at.truncate(200);
        Self {
            woman,
            born,
            race: [0, 0, 0, 0, 0, 0, 1, 1, 2, 3][below(stream, 10) as usize],
            hispanic: below(stream, 7) == 0,
            location: below(stream, LOCATIONS.into()) as u32,
            provider,
            died,
            visits,
            conditions: at,
        }
    }
}

/// The first and last day on which the person was seen or could have been, and the day of death.
fn span(age: usize, stream: &mut Stream) -> (i32, i32, Option<i32>) {
    let length = (LAST - FIRST) as u64;
    let first = FIRST + below(stream, length / 2) as i32;
    let last = LAST - below(stream, length / 3) as i32;
    let died = below(stream, 1000) < [5, 30, 150][age];
    (first, last, died.then_some(last))
}

/// Distinct conditions: half of them of the blocks of two.
fn conditions(age: usize, woman: bool, stream: &mut Stream) -> Vec<u32> {
    let size = CODES.size(age, stream);
    let own = [(); 2].map(|()| CODES.condition(age, woman, stream));
    let mut conditions = Vec::with_capacity(size);
    for _ in 0..size * 4 {
        let condition = match below(stream, 4) {
            0 => CODES.neighbour(own[0], stream),
            1 => CODES.neighbour(own[1], stream),
            _ => CODES.condition(age, woman, stream),
        };
        if conditions.len() < size && !conditions.contains(&condition) {
            conditions.push(condition);
        }
    }
    conditions
}

fn visits(first: i32, last: i32, conditions: usize, provider: u32, stream: &mut Stream) -> Vec<Visit> {
    let many = (1 + conditions / 2 + below(stream, 3) as usize).min(VISITS);
    (0..many)
        .map(|_| {
            let kind = [0, 0, 0, 0, 0, 0, 0, 1, 1, 2][below(stream, 10) as usize];
            let day = first + below(stream, (last - first) as u64 + 1) as i32;
            let nights = if kind == 2 { 1 + below(stream, 9) as i32 } else { 0 };
            let other = below(stream, PROVIDERS.into()) as u32;
            let usual = below(stream, 3) > 0;
            Visit {
                day,
                kind,
                nights: nights.min(last - day),
                provider: if usual { provider } else { other },
                care_site: below(stream, CARE_SITES.into()) as u32,
            }
        })
        .collect()
}
