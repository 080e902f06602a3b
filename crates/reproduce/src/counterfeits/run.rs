//! Runs an arm and measures its releases.

use std::path::{Path, PathBuf};

use serde_json::Value;
use velamen_core::context::Context;
use velamen_dp::Seed;
use velamen_job::session::anonymize;
use velamen_job::{Outcome, RunOptions};
use velamen_recipe::{JobError, Recipe};

use super::arms::{ARMS, Arm};
use super::variation;
use crate::methods::original::Original;
use crate::methods::queries;
use crate::methods::released::Released;

/// A figure: the file's name, and what it shows. Of all of them lower is better.
pub(super) const MEASURES: [(&str, &str); 11] = [
    (
        "auc",
        "how often a counterfeit is thought more likely counterfeit than a real record, in classes that can hold them",
    ),
    ("auc-knowing", "the same if the adversary knows three in ten of the real records there"),
    ("alone", "a person alone in a class: how often the right record is picked, over 1/m"),
    ("fewer-than-k", "a person in a class of fewer than k real records: the same"),
    ("guess-gain", "what knowing the algorithm adds to the chance that a guess finds a counterfeit"),
    ("surely-real", "records of padded classes whose value has no row of the catalog, by records"),
    ("counterfeits", "share of the released records that are counterfeits"),
    ("suppressed", "share of the released records that are suppressed"),
    ("rce", "reconstruction error per integral that a recipient expects"),
    ("variation", "total variation of the sensitive attribute given each quasi-identifier"),
    ("query-error", "median relative error of 300 counting queries"),
];

/// The figures of each run, in the order of [`MEASURES`]; not a number where there is none.
#[derive(Debug)]
pub(super) struct Runs(Vec<[f64; MEASURES.len()]>);

impl Runs {
    /// The mean and the worst of a figure.
    pub(super) fn of(&self, measure: usize) -> [f64; 2] {
        let values = || self.0.iter().map(|run| run[measure]);
        let worst = values().fold(f64::NAN, f64::max);
        [values().sum::<f64>() / self.0.len().max(1) as f64, worst]
    }
}

/// A table that arms are run on.
pub(super) struct Bench {
    base: Recipe,
    output: PathBuf,
    seeds: u64,
    original: Original,
}

impl Bench {
    pub(super) fn new(
        base: Recipe,
        path: &Path,
        work: &Path,
        seeds: u64,
        context: &Context<'_>,
    ) -> Result<Self, JobError> {
        let output = work.join("release");
        let any = ARMS[ARMS.len() - 1].recipe(&base, 2, &output)?.resolve()?;
        let original = Original::of(&any, path, context)?;
        Ok(Self { base, output, seeds, original })
    }

    /// All runs of an arm: by the seeds 1, 2, …
    pub(super) fn runs(&self, arm: &Arm, k: u64, context: &Context<'_>) -> Result<Runs, JobError> {
        let recipe = arm.recipe(&self.base, k, &self.output)?.resolve()?;
        let options = RunOptions { overwrite: true, ..RunOptions::default() };
        let one = |number: u64| {
            context.check()?;
            let seed = Seed::from_number(number);
            let outcome = anonymize(&recipe, &options, &Context { seed: &seed, ..*context })?;
            self.measured(&outcome)
        };
        let runs = if arm.draws { self.seeds } else { 1 };
        (1..=runs).map(one).collect::<Result<_, _>>().map(Runs)
    }

    fn measured(&self, outcome: &Outcome) -> Result<[f64; MEASURES.len()], JobError> {
        let manifest = &outcome.manifest;
        let path = outcome.custodian.join("custodian.json");
        let text = std::fs::read_to_string(&path).map_err(|error| JobError::io(&path, "read", &error))?;
        let custodian: Value = serde_json::from_str(&text).unwrap_or_default();
        let (told, counted) = (&custodian["adversary"], &custodian["minimality-attack"]);
        let released = Released::read(&outcome.release, manifest, &self.original)?;
        let records = manifest.records.max(1) as f64;
        let rce = manifest.utility.get("rce").map_or(f64::NAN, |figure| number(&figure["normalised"]));
        Ok([
            number(&told["auc-where-possible"]),
            number(&told["auc-knowing-some"]),
            over_chance(&told["alone"]),
            over_chance(&told["fewer-than-k"]),
            number(&counted["guess"]) - number(&counted["blind-guess"]),
            number(&told["surely-real"]) / records,
            manifest.counterfeits.unwrap_or(0) as f64 / records,
            manifest.suppressed as f64 / records,
            rce,
            variation::of(&released, &self.original),
            queries::median_error(&released, &self.original),
        ])
    }
}

fn over_chance(of: &Value) -> f64 {
    number(&of["right"]) / number(&of["by-chance"])
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or(f64::NAN)
}
