//! The runs that the figures compare: IPA ten times for each ε, k-anonymity, and the histogram.

use velamen_core::classes::ClassTable;
use velamen_core::context::Context;
use velamen_core::frequency::FrequencyTable;
use velamen_core::lattice::{Lattice, Node};
use velamen_core::plan::{Counterfeits, Fate, Plan};
use velamen_dp::{Rational, Seed};
use velamen_recipe::JobError;
use velamen_search::method::ipa::published::{Candidate, Loss, PublishedIpa};

use super::budget::{EPSILONS, params};
use super::histogram;
use super::program::{self, Chosen};
use crate::baseline::{classes_at, k_anonymous};
use crate::sample::Sample;
use crate::stroke::{Answer, Columns, Spread, strokes};

/// The paper's k.
const K: u64 = 10;

/// The streams from which the seeds of IPA and of the histogram are drawn; the sample uses MAX − 1.
const IPA_SEEDS: u64 = u64::MAX - 2;
const HISTOGRAM_SEEDS: u64 = u64::MAX - 3;
const PRINTED_SEEDS: u64 = u64::MAX - 5;

/// The levels that Tables 9 and 10 print of k-anonymity, ages 0–29, 30–59 and 60–99 with sex and surgery
/// untouched, and what is left of stay ({1, 2+}) and location (`*`) then.
const PRINTED: [u8; 5] = [2, 0, 2, 3, 0];

/// The levels that they print of IPA, ages in tens; stay and location as in [`PRINTED`].
const PRINTED_OF_IPA: [u8; 5] = [1, 0, 2, 3, 0];

/// The levels of Tables 11 and 12 in the reading by midpoints: stays of k-anonymity in {1, 2+}, and of IPA in five classes.
const STAYS: [u8; 5] = PRINTED;
const STAYS_OF_IPA: [u8; 5] = [1, 0, 1, 3, 0];

/// Where the last class of days ends then: the authors' public program divides widths of stay by 100.
const MOST_DAYS: f64 = 100.0;

/// One run of IPA.
pub(super) struct Run {
    /// Every node with its loss in this run.
    pub(super) candidates: Vec<Candidate>,
    /// The place of the released one.
    chosen: usize,
    pub(super) suppressed: u64,
    pub(super) counterfeits: u64,
    /// The stroke patients by the released records.
    pub(super) answer: Answer,
}

impl Run {
    pub(super) fn released(&self) -> &Candidate {
        &self.candidates[self.chosen]
    }

    pub(super) fn loss(&self) -> Loss {
        self.released().loss
    }

    /// The mean loss of what Eq. 12 releases, over its probabilities.
    pub(super) fn expected(&self) -> f64 {
        self.candidates.iter().map(|candidate| candidate.probability * candidate.loss.total()).sum()
    }

    /// The loss of the best node.
    pub(super) fn least(&self) -> f64 {
        self.candidates.iter().map(|candidate| candidate.loss.total()).fold(f64::INFINITY, f64::min)
    }
}

/// The baseline: counterfeits and suppressed records it has none.
pub(super) struct Baseline {
    pub(super) plan: Plan,
    pub(super) ncp: f64,
    pub(super) answer: Answer,
}

/// All that the figures show.
pub(super) struct Runs {
    /// By ε in the order of [`EPSILONS`].
    pub(super) ipa: Vec<Vec<Run>>,
    pub(super) baseline: Baseline,
    /// Per run, the loss of a histogram.
    pub(super) histogram: Vec<HistogramLoss>,
    pub(super) original: Answer,
    /// By ε, what the authors' program chooses in each run.
    pub(super) program: Vec<Vec<Chosen>>,
    /// The program's NCP of k-anonymity at the levels that the paper's tables print.
    pub(super) printed: f64,
    /// The answers at the levels that the paper's tables print: of IPA's runs, and of k-anonymity.
    pub(super) at_printed: (Vec<Answer>, Answer),
    /// The same of mean stays by midpoints.
    pub(super) by_midpoints: (Vec<Answer>, Answer),
}

/// What a histogram loses.
pub(super) struct HistogramLoss {
    /// With untouched attributes, where people are.
    pub(super) raw: Loss,
    /// The same over all classes of the domain.
    pub(super) whole: Loss,
    /// At the best node, where people are.
    pub(super) best: Loss,
}

impl Runs {
    /// Runs everything `runs` times.
    ///
    /// # Errors
    /// [`JobError`] of the methods.
    pub(super) fn all(sample: &Sample, runs: u64, context: &Context<'_>) -> Result<Self, JobError> {
        let columns = Columns::new(&sample.table)?;
        let reader = Reader { sample, columns, wanted: strokes(sample), midpoints: false };
        let mut seeds = context.seed.stream(IPA_SEEDS);
        let mut ipa = Vec::new();
        for epsilon in EPSILONS {
            let run = |_| run(&reader, epsilon, &Seed::from_number(seeds.word()), context);
            ipa.push((0..runs).map(run).collect::<Result<Vec<_>, _>>()?);
        }
        let mut seeds = context.seed.stream(HISTOGRAM_SEEDS);
        let histogram = (0..runs)
            .map(|_| histogram_losses(sample, &Seed::from_number(seeds.word()), context))
            .collect::<Result<_, _>>()?;
        let original = crate::stroke::original(&sample.table, &reader.columns, &reader.wanted);
        let at_printed = at_levels(&reader, (PRINTED_OF_IPA, PRINTED), runs, context)?;
        let middle = Reader { midpoints: true, ..reader };
        let by_midpoints = at_levels(&middle, (STAYS_OF_IPA, STAYS), runs, context)?;
        let reader = Reader { midpoints: false, ..middle };
        let program = program::choices(sample, runs, context)?;
        let node = Node(PRINTED.to_vec());
        let printed = program::printed(&sample.table, &node, &classes_at(&sample.table, &node)?);
        Ok(Self {
            ipa,
            baseline: baseline(&reader, context)?,
            histogram,
            original,
            program,
            printed,
            at_printed,
            by_midpoints,
        })
    }

    /// The runs with ε = 1.
    pub(super) fn with_one(&self) -> &[Run] {
        &self.ipa[0]
    }
}

fn run(reader: &Reader<'_>, epsilon: f64, seed: &Seed, context: &Context<'_>) -> Result<Run, JobError> {
    let method = PublishedIpa::try_from(params(epsilon)).map_err(JobError::usage)?;
    let table = &reader.sample.table;
    let (plan, found) = method.plan(table, &table.lattice(), &Context { seed, ..*context })?;
    Ok(Run {
        suppressed: plan.suppressed(),
        counterfeits: plan.counterfeits.iter().map(Counterfeits::total).sum(),
        answer: reader.answer(&plan),
        candidates: found.candidates,
        chosen: found.chosen,
    })
}

/// IPA and k-anonymity at these levels, ε = 1.
fn at_levels(
    reader: &Reader<'_>,
    (of_ipa, of_baseline): ([u8; 5], [u8; 5]),
    runs: u64,
    context: &Context<'_>,
) -> Result<(Vec<Answer>, Answer), JobError> {
    let method =
        PublishedIpa::try_from(params(1.0)).map_err(|problem| JobError::usage(problem.to_string()))?;
    let (table, node) = (&reader.sample.table, Node(of_ipa.to_vec()));
    let lattice = Lattice::between(&node, &node);
    let mut seeds = context.seed.stream(PRINTED_SEEDS);
    let mut answers = Vec::new();
    for _ in 0..runs {
        let seed = Seed::from_number(seeds.word());
        let (plan, _) = method.plan(table, &lattice, &Context { seed: &seed, ..*context })?;
        answers.push(reader.answer(&plan));
    }
    let node = Node(of_baseline.to_vec());
    let classes = classes_at(table, &node)?;
    let plan = Plan { fates: vec![Fate::Keep; classes.len()], node, classes, ..Plan::default() };
    Ok((answers, reader.answer(&plan)))
}

fn baseline(reader: &Reader<'_>, context: &Context<'_>) -> Result<Baseline, JobError> {
    let table = &reader.sample.table;
    let plan = k_anonymous(table, K, "ncp", context)?;
    let ncp = penalty(table, &plan.node, &plan.classes);
    Ok(Baseline { ncp, answer: reader.answer(&plan), plan })
}

/// The mean NCP of a node where nothing is suppressed.
fn penalty(table: &FrequencyTable, node: &Node, classes: &ClassTable) -> f64 {
    let of = |class| classes.sizes[class] as f64 * histogram::penalty(table, node, classes.codes(class));
    (0..classes.len()).map(of).sum::<f64>() / table.records() as f64
}

fn histogram_losses(sample: &Sample, seed: &Seed, context: &Context<'_>) -> Result<HistogramLoss, JobError> {
    let epsilon = Rational::new(1, 1).map_err(|error| JobError::usage(error.to_string()))?;
    let losses = histogram::losses(sample, epsilon, seed, context)?;
    let best = losses.iter().map(|one| one.1).min_by(|a, b| a.total().total_cmp(&b.total()));
    let (node, raw) = &losses[0];
    let whole = histogram::with_empty_classes(&sample.table, *raw, classes_at(&sample.table, node)?.len());
    Ok(HistogramLoss { raw: *raw, whole, best: best.unwrap_or_default() })
}

/// Answers the queries on released records.
struct Reader<'a> {
    sample: &'a Sample,
    columns: Columns,
    wanted: Vec<bool>,
    /// Whether a class of days counts as its middle; else as the mean of those that occur in it.
    midpoints: bool,
}

impl Reader<'_> {
    /// Every record counts, counterfeits too, which nobody can tell apart; a `*` is spread over all
    /// leaves, also that of a suppressed record.
    fn answer(&self, plan: &Plan) -> Answer {
        let table = &self.sample.table;
        let mut counts = vec![0u64; plan.classes.len()];
        let mut count = |class: usize, values: &[(u32, u64)]| {
            let wanted = values.iter().filter(|(value, _)| self.wanted[*value as usize]);
            counts[class] += wanted.map(|(_, count)| count).sum::<u64>();
        };
        (0..plan.classes.len()).for_each(|class| count(class, plan.classes.sensitive(class)));
        plan.counterfeits.iter().for_each(|own| count(own.class as usize, &own.values));
        let top = table.lattice().top();
        let [kept, stars] = [&plan.node, &top].map(|node| match self.midpoints {
            true => Spread::by_midpoints(table, &self.columns, node, MOST_DAYS),
            false => Spread::new(table, &self.columns, node),
        });
        let mut answer = Answer::default();
        let mut suppressed = 0;
        for (class, &records) in counts.iter().enumerate().filter(|(_, records)| **records > 0) {
            match plan.fates[class] {
                Fate::Suppress => suppressed += records,
                _ => kept.add(&mut answer, plan.classes.codes(class), records as f64),
            }
        }
        stars.add(&mut answer, &vec![0; table.qis.len()], suppressed as f64);
        answer
    }
}

/// The mean of a figure over runs.
pub(super) fn mean<T>(runs: &[T], figure: impl Fn(&T) -> f64) -> f64 {
    runs.iter().map(figure).sum::<f64>() / runs.len() as f64
}

/// The least and the greatest of a figure.
pub(super) fn range<T>(runs: &[T], figure: impl Fn(&T) -> f64) -> (f64, f64) {
    let spread = |(least, most): (f64, f64), value: f64| (least.min(value), most.max(value));
    runs.iter().map(figure).fold((f64::INFINITY, f64::NEG_INFINITY), spread)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lee2017::tests::in_context;
    use crate::lee2020::sample;
    use crate::stroke::original;

    #[test]
    fn counterfeits_and_suppressed_records_count() {
        let sample = in_context(|context| sample::synthetic(3000, context)).unwrap();
        let table = &sample.table;
        let reader = Reader {
            columns: Columns::new(table).unwrap(),
            wanted: strokes(&sample),
            sample: &sample,
            midpoints: false,
        };
        let node = Node(vec![0; 5]);
        let classes = classes_at(table, &node).unwrap();
        let mut plan = Plan { fates: vec![Fate::Keep; classes.len()], node, classes, ..Plan::default() };
        let untouched = original(table, &reader.columns, &reader.wanted);
        assert_eq!(reader.answer(&plan), untouched);
        // A counterfeit stroke in a class of men without surgery of an age that counts.
        let stroke = reader.wanted.iter().position(|wanted| *wanted).unwrap() as u32;
        let label = |class: usize, q: usize| table.qis[q].hierarchy.label(0, plan.classes.codes(class)[q]);
        let class = (0..plan.classes.len())
            .find(|&class| label(class, 1) == "M" && label(class, 4) == "N" && label(class, 0) == "42")
            .unwrap();
        plan.counterfeits = vec![Counterfeits { class: class as u32, values: vec![(stroke, 2)] }];
        let more = reader.answer(&plan);
        assert_eq!(more.count[0][8], untouched.count[0][8] + 2.0);
        // Suppressed, every stroke is of any age, sex and surgery: 5 of 100 years, one of two, one of two.
        plan.fates = vec![Fate::Suppress; plan.classes.len()];
        let marginal = table.rest_marginal(0);
        let strokes: u64 = (0..marginal.len()).filter(|&v| reader.wanted[v]).map(|v| marginal[v]).sum();
        let spread = (strokes + 2) as f64 / 20.0 / 4.0;
        assert!((reader.answer(&plan).count[1][3] - spread).abs() < 1e-9);
    }
}
