//! An analyst's own estimates on a release and on its original.

mod answer;
mod fit;
mod frame;
mod page;
mod plan;
mod stated;
#[cfg(test)]
mod tests;
mod variables;

use velamen_analysis::{Agreement, Estimate, NotEstimable, overlap, pooled};
use velamen_core::context::Context;
use velamen_core::error::Problem;
use velamen_core::frequency::FrequencyTable;
use velamen_recipe::JobError;
use velamen_report::OfMethod;

use self::frame::{Frame, View};
use self::plan::{End, Estimates, Named, Plan};
use self::stated::{Stated, StatedAnalyses};
use self::variables::Variables;
use super::TableWithRelease;
use super::sides::{ORIGINAL, RELEASED, Sides};

pub use self::answer::{Analyses, AnalysisResult, EstimateFigures, EstimatePair, UsedRecords};
pub use self::page::{forest, page};
pub(crate) use self::stated::stated;
pub use self::stated::{AnalysisEntry, AnalysisFile, AnalysisKind, RangeReading, TieRule};

/// Shares are stated by `--by` of attributes of at most so many values.
const FEW: usize = 12;

/// The streams of draws.
const DRAWS_STREAM: u64 = 0x616e;

/// Estimates of the release with their intervals.
type WithIntervals = Result<Vec<Result<(Estimate, (f64, f64)), NotEstimable>>, NotEstimable>;

/// What is asked of the analyses.
#[derive(Debug, Clone, Default)]
pub struct AnalysisOptions {
    /// Files of analyses, and formulas.
    pub analysis: Vec<String>,
    /// Means and shares of all other attributes in the groups of these.
    pub by: Vec<String>,
    /// How ranges are read, where no file says it.
    pub reading: RangeReading,
}

impl AnalysisOptions {
    /// Whether anything is asked.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.analysis.is_empty() && self.by.is_empty()
    }
}

/// All analyses, on the original as it is and on the release.
pub(super) fn analyses(
    pair: &TableWithRelease<'_>,
    sides: Sides,
    raw: &FrequencyTable,
    options: &AnalysisOptions,
    context: &Context<'_>,
) -> Result<Analyses, JobError> {
    let mut asked = stated(&options.analysis, options.reading)?;
    let variables = Variables::new(pair, sides, raw)?;
    asked.stated.extend(in_groups(&options.by, &variables)?);
    if asked.stated.is_empty() {
        let problem =
            Problem::new("no analysis is stated").expected("a file with [[analysis]], a formula or --by");
        return Err(JobError::usage(problem));
    }
    let tables = Tables {
        original: View::table(&variables, ORIGINAL, false),
        release: View::table(&variables, RELEASED, false),
        fitted: View::table(&variables, RELEASED, true),
    };
    let reading = |stated: &Stated| stated.entry.reading.unwrap_or(asked.reading);
    let plans =
        asked.stated.iter().map(|stated| Plan::new(stated, &variables)).collect::<Result<Vec<_>, _>>()?;
    let mut drawn = Drawn::new(&plans, &asked, &variables, context)?;
    let mut found = Vec::new();
    for (at, (plan, stated)) in plans.iter().zip(&asked.stated).enumerate() {
        context.check()?;
        let (frame, released) = (tables.original.frame(&plan.used()), tables.release.frame(&plan.used()));
        let estimates = plan.estimates(&frame, End::Middle);
        let of_release = match reading(stated) {
            RangeReading::Fitted => {
                let frame = tables.fitted.frame(&plan.used());
                with_intervals(plan.estimates(&frame, End::Middle), asked.level)
            }
            RangeReading::Middle => with_intervals(plan.estimates(&released, End::Middle), asked.level),
            RangeReading::Bounds => bounds(plan, stated, &released, asked.level)?,
            RangeReading::Draws => with_intervals(drawn.take(at), asked.level),
        };
        found.push(AnalysisResult {
            name: stated.entry.name.clone().unwrap_or_else(|| stated.entry.formula.clone()),
            kind: plan.kind,
            formula: stated.entry.formula.clone(),
            reading: reading(stated),
            original: UsedRecords::of(&frame),
            release: UsedRecords::of(&released),
            estimates: pairs(estimates, of_release, asked.level),
        });
    }
    let assumptions = assumptions(pair, &asked);
    Ok(Analyses::new(asked.level, found, assumptions))
}

/// Means and shares of all other attributes in the groups of some.
fn in_groups(by: &[String], variables: &Variables) -> Result<Vec<Stated>, JobError> {
    let mut stated = Vec::new();
    let quoted: Vec<String> = by.iter().map(|name| format!("`{name}`")).collect();
    let others = variables.variables.iter().filter(|variable| !by.is_empty() && !by.contains(&variable.name));
    for variable in others {
        let few = variable.levels.as_ref().map_or(usize::MAX, Vec::len) <= FEW;
        let kind = match (variable.numeric, few) {
            (true, _) => AnalysisKind::Mean,
            (false, true) => AnalysisKind::Proportion,
            (false, false) => continue,
        };
        let formula = format!("`{}` ~ {}", variable.name, quoted.join(" + "));
        let entry = AnalysisEntry { kind: Some(kind), ..AnalysisEntry::of(formula) };
        stated.push(Stated::new(entry, "--by".into())?);
    }
    Ok(stated)
}

struct Tables<'a> {
    original: View<'a>,
    release: View<'a>,
    fitted: View<'a>,
}

impl UsedRecords {
    fn of(frame: &Frame<'_>) -> Self {
        Self { used: frame.records.total(), hidden: frame.hidden, missing: frame.missing }
    }
}

/// By analysis, the estimates of the draws as one.
struct Drawn(Vec<Option<Estimates>>);

impl Drawn {
    /// One drawn table at a time: every analysis that draws reads the same ones.
    fn new(
        plans: &[Plan<'_>],
        asked: &StatedAnalyses,
        variables: &Variables,
        context: &Context<'_>,
    ) -> Result<Self, JobError> {
        let draws =
            |at: usize| asked.stated[at].entry.reading.unwrap_or(asked.reading) == RangeReading::Draws;
        let mut each: Vec<Vec<Estimates>> = vec![Vec::new(); plans.len()];
        if !(0..plans.len()).any(draws) {
            return Ok(Self(vec![None; plans.len()]));
        }
        for draw in 0..asked.draws {
            let mut stream = context.seed.stream(DRAWS_STREAM << 32 | u64::from(draw));
            let view = View::drawn(variables, &mut stream);
            for (at, plan) in plans.iter().enumerate().filter(|(at, _)| draws(*at)) {
                context.check()?;
                each[at].push(plan.estimates(&view.frame(&plan.used()), End::Middle));
            }
        }
        Ok(Self(each.into_iter().map(|draws| (!draws.is_empty()).then(|| combined(draws))).collect()))
    }

    fn take(&mut self, at: usize) -> Estimates {
        self.0[at].take().unwrap_or(Err(NotEstimable::NoRecords))
    }
}

/// Rubin's rules for each estimate that every draw has.
fn combined(draws: Vec<Estimates>) -> Estimates {
    let draws = draws.into_iter().collect::<Result<Vec<_>, _>>()?;
    let names = draws.first().map(|draw| draw.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>());
    Ok(names.into_iter().flatten().enumerate().map(|(at, name)| (name, pooled_at(&draws, at))).collect())
}

fn pooled_at(draws: &[Vec<Named>], at: usize) -> Result<Estimate, NotEstimable> {
    let all = draws.iter().map(|draw| draw[at].1).collect::<Result<Vec<_>, _>>()?;
    pooled(&all).ok_or(NotEstimable::NoRecords)
}

fn with_intervals(estimates: Estimates, level: f64) -> WithIntervals {
    let with = |(_, estimate): (String, Result<Estimate, NotEstimable>)| {
        estimate.map(|estimate| (estimate, estimate.interval(level)))
    };
    Ok(estimates?.into_iter().map(with).collect())
}

/// From the interval with every range at its lowest to that with every range at its highest.
fn bounds(
    plan: &Plan<'_>,
    stated: &Stated,
    frame: &Frame<'_>,
    level: f64,
) -> Result<WithIntervals, JobError> {
    if !matches!(plan.kind, AnalysisKind::Mean | AnalysisKind::Proportion) {
        let problem = Problem::new("`bounds` of another kind than a mean or a proportion");
        return Err(stated.refuse(problem.expected("`middle` or `draws`")));
    }
    if !plan.has_exact_groups(frame) {
        let problem = Problem::new("`bounds` of groups that the release shows as ranges or sets");
        return Err(stated.refuse(problem.expected("`middle` or `draws`")));
    }
    let [low, high] =
        [End::Lowest, End::Highest].map(|end| with_intervals(plan.estimates(frame, end), level));
    Ok(low.and_then(|low| Ok(low.into_iter().zip(high?).map(|(low, high)| between(low?, high?)).collect())))
}

/// What is between two estimates, with their outer ends.
fn between(
    (low, from): (Estimate, (f64, f64)),
    (high, to): (Estimate, (f64, f64)),
) -> Result<(Estimate, (f64, f64)), NotEstimable> {
    Ok((low.at(f64::midpoint(low.value, high.value)), (from.0, to.1)))
}

/// The estimates of both tables, by name.
fn pairs(original: Estimates, release: WithIntervals, level: f64) -> Vec<EstimatePair> {
    let original = match original {
        Ok(original) => original,
        Err(problem) => {
            let mut pair = EstimatePair::new("all estimates".into());
            pair.problem = Some(format!("original: {problem}"));
            return vec![pair];
        }
    };
    let release = match release {
        Ok(release) => release,
        Err(problem) => vec![Err(problem); original.len()],
    };
    let named = original.into_iter().zip(release);
    named.map(|((name, original), release)| pair_of(name, original, release, level)).collect()
}

fn pair_of(
    name: String,
    original: Result<Estimate, NotEstimable>,
    release: Result<(Estimate, (f64, f64)), NotEstimable>,
    level: f64,
) -> EstimatePair {
    let mut pair = EstimatePair::new(name);
    pair.original = original.ok().map(|estimate| EstimateFigures::new(&estimate, estimate.interval(level)));
    pair.release = release.ok().map(|(estimate, interval)| EstimateFigures::new(&estimate, interval));
    match (&original, &release) {
        (Ok(original), Ok((release, interval))) => {
            let agreement = Agreement::new(original, release, level);
            // Of bounds, the interval is wider than the estimate's own.
            let own = *interval == release.interval(level);
            let overlap = if own { agreement.overlap } else { overlap(original.interval(level), *interval) };
            pair.agree(original, Agreement { overlap, ..agreement });
        }
        (Ok(_), Err(problem)) => pair.problem = Some(format!("release: {problem}")),
        (Err(problem), _) => pair.problem = Some(format!("original: {problem}")),
    }
    pair
}

/// How the release was read, and what that assumes.
fn assumptions(pair: &TableWithRelease<'_>, asked: &StatedAnalyses) -> Vec<String> {
    let manifest = &pair.published.manifest;
    let read = |reading: RangeReading| {
        asked.stated.iter().any(|stated| stated.entry.reading.unwrap_or(asked.reading) == reading)
    };
    let mut said = Vec::new();
    if read(RangeReading::Fitted) {
        said.push(
            "a released range or set is read as the release's own values lie in it, estimated from its exact values and narrower \
             ranges; this assumes that its records lie like all others, whatever their other attributes are, and intervals do not know of the guess"
                .into(),
        );
    }
    if read(RangeReading::Middle) {
        said.push(
            "a released range is read by its middle, a set by equal shares of its values that the original has; this assumes \
             that records lie evenly in it, whatever their other attributes are"
                .into(),
        );
    }
    if read(RangeReading::Bounds) {
        said.push(
            "bounds: every range at its lowest and at its highest; they hold for the records that are used"
                .into(),
        );
    }
    if read(RangeReading::Draws) {
        said.push(format!(
            "{} draws: each record gets a random value of its range or set, as the release's own values lie in it and whatever its \
             other attributes are; \
             estimates are combined by Rubin's rules",
            asked.draws
        ));
    }
    if pair.published.release.suppressed > 0 {
        said.push(
            "suppressed records are left out wherever a quasi-identifier is used; this assumes that they are like the others"
                .into(),
        );
    }
    if pair.published.release.counterfeits() > 0 {
        said.push(
            "a released record weighs the probability, by the catalog, that it is real; this assumes that counterfeits are \
             like the real records of their group and sensitive value"
                .into(),
        );
    }
    if manifest.is_noisy() {
        said.push(
            "standard errors do not count the noise of the release: its intervals are too narrow".into(),
        );
    }
    said.push(
        "all figures are for the custodian: the original's are computed without noise, also beside a differentially \
         private release"
            .into(),
    );
    said
}
