//! Over how many seeds a trend is met, and with which all of a table's are: zip codes and smoking are made up, so one seed
//! says little.

use std::collections::BTreeMap;
use std::path::Path;

use rayon::prelude::*;
use velamen_core::context::Context;
use velamen_dp::Seed;
use velamen_recipe::JobError;

use super::{heart, leaks, searches};
use crate::{Section, Trend};

/// The seeds 1, 2, … of which every trend is counted.
pub(super) const SEEDS: u64 = 100;

/// The trends of one table of patients, with one seed.
type OfTable = (&'static str, Vec<Trend>);

/// What every seed meets.
#[derive(Debug)]
pub(super) struct Met {
    seeds: u64,
    /// By figure and published words, with how many seeds the trend is met.
    counts: BTreeMap<(String, String), u64>,
    /// By table, the first seed with which all its trends are met, with how many they are, and these trends.
    whole: BTreeMap<&'static str, Whole>,
}

#[derive(Debug)]
struct Whole {
    first: u64,
    seeds: u64,
    trends: Vec<Trend>,
}

impl Met {
    /// Every trend but those of times, with the seeds 1 to `seeds`.
    ///
    /// # Errors
    /// [`JobError`] of reading and of the searches.
    pub(super) fn over(data: Option<&Path>, seeds: u64, context: &Context<'_>) -> Result<Self, JobError> {
        let of = |number: u64| {
            let seed = Seed::from_number(number);
            trends(data, &Context { seed: &seed, ..*context })
        };
        let all: Vec<Vec<OfTable>> = (1..=seeds).into_par_iter().map(of).collect::<Result<_, _>>()?;
        let mut met = Self { seeds, counts: BTreeMap::new(), whole: BTreeMap::new() };
        for (number, tables) in (1..).zip(all) {
            for (table, trends) in tables {
                met.add(number, table, trends);
            }
        }
        Ok(met)
    }

    fn add(&mut self, number: u64, table: &'static str, trends: Vec<Trend>) {
        for trend in &trends {
            *self.counts.entry(key(trend)).or_default() += u64::from(trend.met);
        }
        if trends.iter().all(|trend| trend.met) {
            let first = Whole { first: number, seeds: 0, trends };
            self.whole.entry(table).or_insert(first).seeds += 1;
        }
    }

    /// Says it beside what one seed measured. What that seed does not meet has a further row, by the first seed that meets
    /// all of its table.
    pub(super) fn tell(&self, sections: &mut [Section]) {
        for section in sections {
            let mut further = Vec::new();
            for trend in &mut section.trends {
                if let Some(met) = self.counts.get(&key(trend)) {
                    trend.measured += &format!("; met with {met} of {} seeds", self.seeds);
                    further.extend(self.whole_of(trend).filter(|_| !trend.met));
                }
            }
            section.trends.extend(further);
        }
    }

    fn whole_of(&self, trend: &Trend) -> Option<Trend> {
        self.whole.iter().find_map(|(table, whole)| whole.reading(table, trend, self.seeds))
    }
}

impl Whole {
    /// The trend as this seed has it, if it is one of this table.
    fn reading(&self, table: &str, trend: &Trend, seeds: u64) -> Option<Trend> {
        let same = self.trends.iter().find(|one| key(one) == key(trend))?;
        let arm = format!("made-up columns of {table} as seed {} draws them", self.first);
        let more = format!("so are all trends of this table, with {} of {seeds} seeds", self.seeds);
        let measured = format!("{}; {more}", same.measured);
        Some(Trend::by(&arm, &same.figure, &same.published, &measured, same.met))
    }
}

fn key(trend: &Trend) -> (String, String) {
    (trend.figure.clone(), trend.published.clone())
}

fn trends(data: Option<&Path>, context: &Context<'_>) -> Result<Vec<OfTable>, JobError> {
    context.check()?;
    let hearts = heart::all(data, context)?;
    let mut all = Vec::new();
    for (at, heart) in hearts.iter().enumerate() {
        let mut trends = searches::trends_of(heart, context)?;
        if at == 0 {
            trends.extend(searches::trends_of_shields(heart, context)?);
            trends.extend(leaks::table_8(heart, context)?.trends);
        }
        all.push((heart.name, trends));
    }
    Ok(all)
}
