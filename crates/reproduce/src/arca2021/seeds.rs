//! Over how many seeds a trend is met: zip codes and smoking are made up, so one seed says little.

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

/// By figure and published words, with how many seeds the trend is met.
#[derive(Debug)]
pub(super) struct Met {
    seeds: u64,
    counts: BTreeMap<(String, String), u64>,
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
        let all: Vec<Vec<Trend>> = (1..=seeds).into_par_iter().map(of).collect::<Result<_, _>>()?;
        let mut counts = BTreeMap::new();
        for trend in all.into_iter().flatten() {
            *counts.entry((trend.figure, trend.published)).or_default() += u64::from(trend.met);
        }
        Ok(Self { seeds, counts })
    }

    /// Says it beside what one seed measured.
    pub(super) fn tell(&self, sections: &mut [Section]) {
        for trend in sections.iter_mut().flat_map(|section| &mut section.trends) {
            if let Some(met) = self.counts.get(&(trend.figure.clone(), trend.published.clone())) {
                trend.measured += &format!("; met with {met} of {} seeds", self.seeds);
            }
        }
    }
}

fn trends(data: Option<&Path>, context: &Context<'_>) -> Result<Vec<Trend>, JobError> {
    context.check()?;
    let hearts = heart::all(data, context)?;
    let mut trends = searches::trends(&hearts, context)?;
    trends.extend(leaks::table_8(&hearts[0], context)?.trends);
    Ok(trends)
}
