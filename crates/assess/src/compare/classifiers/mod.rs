//! How well classifiers predict an attribute that learned it from the release.

mod features;
mod models;
mod scores;

use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;
use schemars::JsonSchema;
use serde::Serialize;
use velamen_core::context::Context;
use velamen_core::frequency::Role;
use velamen_dp::below;
use velamen_measure::fidelity::Cover;

use self::features::{FeatureRow, Features};
use self::models::ClassifierKind;
pub use self::scores::Scores;
use super::sides::{ORIGINAL, RELEASED, Sides};
use velamen_recipe::JobError;

/// A target has at most so many classes.
const MOST_CLASSES: usize = 30;
/// The stream of folds and forests.
const FOLDS_STREAM: u64 = 1;

/// Which classifiers are trained on what.
#[derive(Debug, Clone)]
pub struct ClassifierOptions {
    /// The attribute to predict; left out: the first sensitive one with few values.
    pub target: Option<String>,
    /// At most so many records of each table take part.
    pub records: u32,
    /// How many parts are predicted in turn, at least 2.
    pub folds: u32,
}

impl Default for ClassifierOptions {
    fn default() -> Self {
        Self { target: None, records: 5000, folds: 3 }
    }
}

/// How well classifiers predict.
#[derive(Debug, JsonSchema, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Classifiers {
    /// What is predicted.
    pub target: String,
    /// How many values it has.
    pub classes: usize,
    /// How many records of the original take part; as many released ones.
    pub records: usize,
    /// How many parts are predicted in turn.
    pub folds: u32,
    /// Whoever always says the most frequent class.
    pub majority: Scores,
    /// By classifier.
    pub models: Vec<Model>,
}

/// A classifier, tested on original records.
///
/// The persons of the tested records are among those that a release was made of, and which of its records
/// are theirs is not told: they cannot be kept out of its training. So what was learned from the release is
/// to be held against `original_seen`, which has learned from the tested records just so; how far that is
/// above `original` is what a classifier knows by heart.
#[derive(Debug, JsonSchema, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Model {
    /// Its name.
    pub name: &'static str,
    /// Trained on the original except for the records that it is tested on.
    pub original: Scores,
    /// Trained on the original, tested records included.
    pub original_seen: Scores,
    /// Trained on the release, in which the tested persons are.
    pub released: Scores,
}

/// The sampled records of one table.
struct SampledRecords {
    rows: Vec<FeatureRow>,
    classes: Vec<u32>,
}

/// (truth, prediction) pairs, and of two classes the area.
type Tested = (Vec<(u32, u32)>, Option<f64>);

pub(super) fn classifiers(
    sides: &Sides,
    options: &ClassifierOptions,
    context: &Context<'_>,
) -> Result<Classifiers, JobError> {
    let target = target(sides, options)?;
    let attribute = &sides.attributes[target];
    let features = Features::new(sides, target);
    let all = sides.tables[ORIGINAL].records() as usize;
    let records = all.min(options.records as usize);
    if records < 2 * options.folds as usize {
        let message = format!(
            "the classifiers need at least {} records for {} folds",
            2 * options.folds,
            options.folds
        );
        return Err(JobError::usage(message));
    }
    let samples = [ORIGINAL, RELEASED].map(|side| sample(sides, side, target, &features, records));
    let folds = folds(records, options.folds, context);
    let majority: Vec<Tested> =
        (0..options.folds).map(|fold| always(&samples[ORIGINAL], &folds, fold)).collect();
    let classes = attribute.space.places() as usize;
    let held_out = (0..options.folds).map(|fold| (ORIGINAL, Some(fold)));
    let runs: Vec<(usize, Option<u32>)> = held_out.chain([(ORIGINAL, None), (RELEASED, None)]).collect();
    let tasks: Vec<(ClassifierKind, usize, Option<u32>)> = ClassifierKind::ALL
        .into_iter()
        .flat_map(|kind| runs.iter().map(move |&(side, fold)| (kind, side, fold)))
        .collect();
    let done = AtomicU64::new(0);
    let run = |&(kind, side, fold): &(ClassifierKind, usize, Option<u32>)| {
        context.check()?;
        let tested = train(kind, [&samples[side], &samples[ORIGINAL]], &folds, fold, context);
        context.progress.step("classifiers", done.fetch_add(1, Ordering::Relaxed) + 1, tasks.len() as u64);
        tested
    };
    let results = tasks.par_iter().map(run).collect::<Result<Vec<Tested>, JobError>>()?;
    let model = |(kind, tested): (ClassifierKind, &[Tested])| {
        let (held_out, whole) = tested.split_at(options.folds as usize);
        let [original_seen, released] = [0, 1].map(|at| pooled(&whole[at..=at], classes));
        Model { name: kind.name(), original: pooled(held_out, classes), original_seen, released }
    };
    let models = ClassifierKind::ALL.into_iter().zip(results.chunks_exact(runs.len())).map(model).collect();
    Ok(Classifiers {
        target: attribute.name.clone(),
        classes: attribute.covers[ORIGINAL].len(),
        records,
        folds: options.folds,
        majority: pooled(&majority, classes),
        models,
    })
}

/// The attribute to predict: its released values must be the original ones.
fn target(sides: &Sides, options: &ClassifierOptions) -> Result<usize, JobError> {
    let attributes = &sides.attributes;
    let fits = |a: &usize| {
        let values = attributes[*a].covers[ORIGINAL].len();
        attributes[*a].is_untouched() && (2..=MOST_CLASSES).contains(&values)
    };
    let fitting: Vec<usize> = (0..attributes.len()).filter(fits).collect();
    let names = || {
        let names: Vec<&str> = fitting.iter().map(|&a| attributes[a].name.as_str()).collect();
        if names.is_empty() { "none".to_owned() } else { names.join(", ") }
    };
    let found = match &options.target {
        Some(name) => fitting.iter().copied().find(|&a| attributes[a].name == *name),
        None => fitting.iter().copied().find(|&a| attributes[a].role == Role::Sensitive),
    };
    found.ok_or_else(|| {
        let asked = options.target.as_ref().map_or_else(String::new, |name| format!(" `{name}`"));
        JobError::usage(format!("--target{asked}: a wrong value"))
            .expected(format!("an attribute of 2 to {MOST_CLASSES} values that is released as it is"))
            .mend(format!("there are: {}", names()))
    })
}

/// As many records of a table: all of them in the order of their values, then every so-manieth. Where
/// the release is the original, the same records come out.
fn sample(sides: &Sides, side: usize, target: usize, features: &Features, records: usize) -> SampledRecords {
    let table = &sides.tables[side];
    let ranks: Vec<Vec<u32>> =
        sides.attributes.iter().map(|attribute| ranks(&attribute.covers[side])).collect();
    let key = |entry: usize, a: usize| ranks[a][table.codes[a][entry] as usize];
    let mut order: Vec<usize> = (0..table.weights.len()).collect();
    order.sort_by(|&x, &y| {
        let all = 0..sides.attributes.len();
        all.map(|a| key(x, a).cmp(&key(y, a))).find(|order| order.is_ne()).unwrap_or(x.cmp(&y))
    });
    let step = table.records() / records as f64;
    let (mut entries, mut sum, mut at) = (Vec::with_capacity(records), 0.0, 0);
    for entry in order {
        sum += table.weights[entry];
        while at < records && (at as f64 + 0.5) * step < sum {
            entries.push(entry);
            at += 1;
        }
    }
    let covers = &sides.attributes[target].covers[side];
    // A suppressed record shows no class: nobody learns one from it.
    let known: Vec<Option<u64>> = sides.attributes[target].covers[ORIGINAL].iter().map(Cover::leaf).collect();
    let has_class = |entry: &usize| known.contains(&covers[table.codes[target][*entry] as usize].leaf());
    if entries.iter().any(has_class) {
        entries.retain(has_class);
    }
    let class = |&entry: &usize| covers[table.codes[target][entry] as usize].leaf().unwrap_or(0) as u32;
    SampledRecords {
        classes: entries.iter().map(class).collect(),
        rows: features.rows(sides, side, &entries),
    }
}

/// By code, the rank of what it covers.
fn ranks(covers: &[Cover]) -> Vec<u32> {
    let ends = |cover: &Cover| (cover.runs().first().copied(), cover.runs().last().copied());
    let mut order: Vec<usize> = (0..covers.len()).collect();
    order.sort_by_key(|&code| ends(&covers[code]));
    let mut ranks = vec![0; covers.len()];
    for (rank, code) in (0..).zip(order) {
        ranks[code] = rank;
    }
    ranks
}

/// The part that each record belongs to, at random and of about equal size.
fn folds(records: usize, folds: u32, context: &Context<'_>) -> Vec<u32> {
    let mut stream = context.seed.stream(FOLDS_STREAM);
    let mut parts: Vec<u32> = (0..records).map(|record| record as u32 % folds).collect();
    for last in (1..records).rev() {
        parts.swap(last, below(&mut stream, last as u64 + 1) as usize);
    }
    parts
}

/// The most frequent class of the other parts for every record of one.
fn always(sample: &SampledRecords, parts: &[u32], fold: u32) -> Tested {
    let mut counts = std::collections::BTreeMap::<u32, u64>::new();
    let of =
        |inside: bool| sample.classes.iter().zip(parts).filter(move |(_, part)| (**part == fold) == inside);
    for (class, _) in of(false) {
        *counts.entry(*class).or_default() += 1;
    }
    let most = counts.iter().max_by_key(|(class, count)| (**count, std::cmp::Reverse(**class)));
    let most = most.map_or(0, |(class, _)| *class);
    (of(true).map(|(class, _)| (*class, most)).collect(), None)
}

/// Trains on the other parts of the first sample and predicts one part of the second; without a part, on all
/// and all.
fn train(
    kind: ClassifierKind,
    [learned, asked]: [&SampledRecords; 2],
    parts: &[u32],
    fold: Option<u32>,
    context: &Context<'_>,
) -> Result<Tested, JobError> {
    let of = |sample: &'_ SampledRecords, inside: bool| -> Vec<usize> {
        let wanted = |i: &usize| fold.is_none_or(|fold| (parts[*i] == fold) == inside);
        (0..sample.rows.len()).filter(wanted).collect()
    };
    let (train, test) = (of(learned, false), of(asked, true));
    let rows: Vec<&FeatureRow> = train.iter().map(|&i| &learned.rows[i]).collect();
    let classes: Vec<u32> = train.iter().map(|&i| learned.classes[i]).collect();
    let tested: Vec<&FeatureRow> = test.iter().map(|&i| &asked.rows[i]).collect();
    let seed = context.seed.stream(FOLDS_STREAM + 1 + u64::from(fold.unwrap_or(parts.len() as u32))).word();
    let predictions = kind.run((&rows, &classes), &tested, seed, context)?;
    let truths: Vec<u32> = test.iter().map(|&i| asked.classes[i]).collect();
    let pairs = truths.iter().copied().zip(predictions.classes).collect();
    let second = classes.iter().max().copied();
    let area = predictions.scores.and_then(|scores| {
        let ones = truths.iter().map(|truth| u32::from(Some(*truth) == second));
        scores::auc(&scores.into_iter().zip(ones).collect::<Vec<_>>())
    });
    Ok((pairs, area))
}

/// The scores over all parts; the area is the mean of the parts', as scores of two models do not compare.
fn pooled(folds: &[Tested], classes: usize) -> Scores {
    let pairs: Vec<(u32, u32)> = folds.iter().flat_map(|(pairs, _)| pairs.iter().copied()).collect();
    let areas: Option<Vec<f64>> = folds.iter().map(|(_, area)| *area).collect();
    let area = areas.map(|areas| areas.iter().sum::<f64>() / areas.len() as f64);
    Scores::new(&pairs, classes, area)
}
