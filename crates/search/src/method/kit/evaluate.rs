//! What a lattice node comes to: the judgement that every search by full-domain recoding shares.
//!
//! At a node every class that fails a class-level model is suppressed whole; then, while a
//! table-level model does not hold, the smallest class left is, of equal ones the first in canonical
//! order. Where suppressed records show no values, the models that compare a class with the table are
//! judged again on what the kept records show, and what fails is suppressed, too, until nothing does.
//! The node is anonymous iff the suppressed records are at most ⌊limit · n⌋.
//!
//! The number of classes of the last size is found by bisection: where a model can hold, fail and hold
//! again as more of them go (the estimate of population uniqueness), it would fail with one fewer.

mod figure;
mod hidden;
mod of_people;
mod smallest;

pub use hidden::Hidden;

use std::cmp::Reverse;

use velamen_core::classes::{Cell, ClassTable, Coding, Space, layout};
use velamen_core::error::Problem;
use velamen_core::frequency::{FrequencyTable, QuasiIdentifier};
use velamen_core::lattice::Node;
use velamen_core::with_key_width;

use super::error::MethodError;
use super::wildcards::Classes;
use crate::metric::{Metric, Needs, Score};
use crate::model::{Bound, Class, ClassModel, Judge, Monotonicity, TableModel, people};

/// What becomes of classes that fail a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outliers {
    /// Their records are suppressed, and count as such in the metric.
    Suppress,
    /// Their records take the values of the nearest class that holds; the metric does not see it.
    Relocate,
}

/// What is asked of a node.
#[derive(Debug, Clone, Copy)]
pub struct Demand<'a> {
    /// All must hold.
    pub models: &'a [Bound],
    /// What is minimized.
    pub metric: &'a dyn Metric,
    /// ⌊limit · n⌋: the most records that may be suppressed or relocated.
    pub most_outliers: u64,
    /// What happens to them.
    pub outliers: Outliers,
    /// Whether the models are taken to be monotone even where they are not.
    pub assume_monotone: bool,
    /// Whose models are judged once more where suppressed records show no values; left out: these show them.
    pub hidden: Option<Hidden<'a>>,
}

/// What a node comes to.
#[derive(Debug, Clone, PartialEq)]
pub enum Checked {
    /// Anonymous, with this figure.
    Anonymous(Score),
    /// Not anonymous.
    Fails,
    /// Not anonymous, and none below it is.
    FailsWithAllBelow,
}

impl Checked {
    /// The figure, if the node is anonymous.
    #[must_use]
    pub fn score(&self) -> Option<&Score> {
        match self {
            Self::Anonymous(score) => Some(score),
            Self::Fails | Self::FailsWithAllBelow => None,
        }
    }
}

/// All that grouping at a node shows.
#[derive(Debug, Clone)]
pub struct Examined {
    /// What the node comes to.
    pub checked: Checked,
    /// A lower bound of the figures of the node and of all above it.
    pub learned: Option<Score>,
    /// What the classes that are lost at every node below add to the metric there, at least.
    pub carried: Option<Vec<f64>>,
}

/// A node judged to the end, whether it is anonymous or not.
#[derive(Debug, Clone)]
pub struct Assessment {
    /// Whether at most ⌊limit · n⌋ records are suppressed and every model holds.
    pub anonymous: bool,
    /// Records of suppressed classes.
    pub outliers: u64,
    /// Kept classes.
    pub classes: usize,
    /// The records of the smallest of them; 0 without any.
    pub smallest: u64,
    /// The highest and the mean risk of people, where a person can have several records.
    pub of_people: Option<(f64, f64)>,
    /// The figure with all of these suppressed.
    pub score: Score,
}

/// A node judged as far as it takes to see whether anything can be released there.
#[derive(Debug, Clone)]
pub enum Admission {
    /// The node is anonymous.
    Admitted(Assessment),
    /// It is not.
    Refused,
    /// It is not, and no node below it is; models that are only assumed to be monotone do not show this.
    RefusedWithAllBelow,
}

/// Judges nodes of one table's lattice.
pub trait Evaluate: Sync {
    /// Groups the records at a node and judges it, no further than needed.
    fn examine(&self, node: &Node) -> Examined;

    /// Groups the records at a node and judges it to the end.
    fn assess(&self, node: &Node) -> Assessment;

    /// As [`Self::assess`], no further than needed.
    fn admit(&self, node: &Node) -> Admission;

    /// The classes at a node and whether each is kept.
    fn classes(&self, node: &Node) -> (ClassTable, Vec<bool>);

    /// What is asked of a node.
    fn demand(&self) -> &Demand<'_>;

    /// The metric.
    fn metric(&self) -> &dyn Metric {
        self.demand().metric
    }

    /// Whether failures, or what they cost, can be expected to exclude the nodes below.
    fn prunes_by_all(&self) -> bool;
}

/// Runs something with the evaluator of a table.
///
/// # Errors
/// [`MethodError::Unfit`] if the quasi-identifiers do not fit into the widest key, and what `run` gives.
pub fn with_evaluator<T>(
    table: &FrequencyTable,
    demand: &Demand<'_>,
    run: impl FnOnce(&dyn Evaluate) -> Result<T, MethodError>,
) -> Result<T, MethodError> {
    let coding = coding(table, demand);
    let coding = coding.as_ref();
    with_key_width!(layout(table, coding).words(), W => {
        run(&Evaluator::<W>::new(table, demand, coding))
    }, else Err(MethodError::Unfit(
        Problem::new("the quasi-identifiers need more than 1024 bits a record").mend("coarsen or drop some"),
    )))
}

/// The columns that models and metric look at.
fn coding(table: &FrequencyTable, demand: &Demand<'_>) -> Option<Coding> {
    let mut columns: Vec<usize> = demand.models.iter().filter_map(|bound| bound.column).collect();
    columns.extend(table.rest.person());
    if demand.metric.needs().rest {
        columns.extend(0..table.rest.columns.len());
    }
    columns.sort_unstable();
    columns.dedup();
    Coding::new(table, &columns)
}

/// (sensitive code, count) of one class.
type Histogram = Vec<(u32, u64)>;

/// (person, sensitive code) of one class.
type Pairs = Vec<(u32, u32)>;

/// What judging a class needs again and again.
#[derive(Default)]
struct Scratch {
    cells: Histogram,
    own: Histogram,
    pairs: Pairs,
}

/// The classes of a node while they are judged.
#[derive(Default)]
struct Judged {
    sizes: Vec<u64>,
    /// How many people the records are of.
    people: Vec<u64>,
    held: Vec<bool>,
    /// Where each class begins in the node's cells.
    starts: Vec<usize>,
    /// Classes of which no part holds at any node below.
    lost_whole: Vec<bool>,
    outliers: u64,
    /// Records that are suppressed at every node below, at least.
    always: u64,
    /// A class that only the population has fails: nothing can be suppressed for it.
    absent_fails: bool,
}

fn kept_sizes(judged: &Judged) -> impl Iterator<Item = u64> {
    judged.sizes.iter().zip(&judged.held).filter(|(_, held)| **held).map(|(&size, _)| size)
}

struct Evaluator<'a, const W: usize> {
    demand: &'a Demand<'a>,
    table: &'a FrequencyTable,
    coding: Option<&'a Coding>,
    space: Space<W>,
    needs: Needs,
    table_models: Vec<&'a dyn TableModel>,
    class_models: Vec<(&'a Bound, &'a dyn ClassModel)>,
}

fn class_model(bound: &Bound) -> Option<(&Bound, &dyn ClassModel)> {
    match &bound.judge {
        Judge::Class(model) => Some((bound, &**model)),
        Judge::Table(_) => None,
    }
}

fn table_model(bound: &Bound) -> Option<&dyn TableModel> {
    match &bound.judge {
        Judge::Table(model) => Some(&**model),
        Judge::Class(_) => None,
    }
}

impl<'a, const W: usize> Evaluator<'a, W> {
    fn new(table: &'a FrequencyTable, demand: &'a Demand<'a>, coding: Option<&'a Coding>) -> Self {
        let mut class_models: Vec<_> = demand.models.iter().filter_map(class_model).collect();
        // Those that lose a failing class whole come first: they are cheap and settle it.
        class_models.sort_by_key(|(bound, _)| Reverse(bound.monotonicity));
        Self {
            demand,
            table,
            coding,
            space: Space::new(table, coding),
            needs: demand.metric.needs(),
            table_models: demand.models.iter().filter_map(table_model).collect(),
            class_models,
        }
    }

    /// Judges every class of a node. Unless it is to go on to the end, it stops where the node is known
    /// to fail with all below.
    fn judge(&self, node: &Node, cells: &[Cell<W>], to_the_end: bool) -> Judged {
        let wildcard = |(qi, &level): (&QuasiIdentifier, &u8)| qi.hierarchy.wildcard(level);
        let missing: Vec<Option<u32>> = self.table.qis.iter().zip(&node.0).map(wildcard).collect();
        if missing.iter().any(Option::is_some) {
            return self.judge_with_wildcards(cells, missing);
        }
        let (mut judged, mut scratch) = (Judged::default(), Scratch::default());
        let mut start = 0;
        for run in self.space.runs(cells) {
            if !to_the_end && self.is_hopeless(&judged) {
                break;
            }
            self.judge_class(run, start, &mut judged, &mut scratch);
            start += run.len();
        }
        judged
    }

    /// As [`Self::judge`] to the end, where missing values match any value: a class's models look at the
    /// records of all kept classes that are compatible with it.
    fn judge_with_wildcards(&self, cells: &[Cell<W>], missing: Vec<Option<u32>>) -> Judged {
        let (mut judged, mut classes) = (Judged::default(), Classes { missing, ..Classes::default() });
        let mut start = 0;
        for run in self.space.runs(cells) {
            let code = |q| self.space.code(&run[0].key, q);
            classes.codes.push((0..self.table.qis.len()).map(code).collect());
            classes.sizes.push(run.iter().map(|cell| cell.count).sum());
            judged.starts.push(start);
            start += run.len();
        }
        judged.held = classes.kept(|size| {
            let class = Class::new(size, &[]);
            self.class_models.iter().all(|(_, model)| model.holds(&class))
        });
        judged.lost_whole = judged.held.iter().map(|held| !held).collect();
        let lost = classes.sizes.iter().zip(&judged.held).filter(|(_, held)| !**held);
        judged.outliers = lost.map(|(size, _)| size).sum();
        judged.always = judged.outliers;
        judged.people.clone_from(&classes.sizes);
        judged.sizes = classes.sizes;
        judged
    }

    fn is_hopeless(&self, judged: &Judged) -> bool {
        judged.absent_fails || judged.always > self.demand.most_outliers
    }

    fn judge_class(&self, run: &[Cell<W>], start: usize, judged: &mut Judged, scratch: &mut Scratch) {
        let own = &run[..run.partition_point(|cell| !self.space.is_population(cell))];
        let size: u64 = own.iter().map(|cell| cell.count).sum();
        let population: u64 = run[own.len()..].iter().map(|cell| cell.count).sum();
        self.fill(own, &mut scratch.cells);
        let people = self.persons(size, scratch);
        let class = Class { population, ..Class::new(people, &scratch.cells) };
        if size == 0 {
            judged.absent_fails |= !self.absent_holds(&class);
            return;
        }
        // Each person has a record at least; who loses all people loses all records.
        let lost = self.lost(&class, &mut scratch.own, &mut scratch.pairs);
        let lost = lost.map(|lost| if lost == people { size } else { lost });
        judged.sizes.push(size);
        judged.people.push(people);
        judged.held.push(lost.is_none());
        judged.lost_whole.push(lost == Some(size));
        judged.starts.push(start);
        if let Some(lost) = lost {
            judged.outliers += size;
            judged.always += lost;
        }
    }

    /// `None` for a class that holds; else how many of its records are suppressed at every node below,
    /// at least.
    fn lost(&self, class: &Class<'_>, own: &mut Histogram, pairs: &mut Pairs) -> Option<u64> {
        let mut lost = None;
        for (bound, model) in &self.class_models {
            let class = self.of_column(bound.column, class, own, pairs);
            if !model.holds(&class) {
                let least = match bound.monotonicity {
                    Monotonicity::Superset => class.size,
                    _ if self.demand.assume_monotone => class.size,
                    Monotonicity::Merge if !class.pairs.is_empty() => 1,
                    Monotonicity::Merge => model.least_lost(&class).max(1),
                    // What parts lose is known of records of one person each.
                    Monotonicity::None if !class.pairs.is_empty() => 0,
                    Monotonicity::None => model.least_lost(&class),
                };
                lost = Some(least.max(lost.unwrap_or(0)));
            }
            if lost == Some(class.size) {
                break;
            }
        }
        lost
    }

    /// A class as a model sees it that looks at a column: `class` has the cells of all.
    fn of_column<'c>(
        &self,
        column: Option<usize>,
        class: &Class<'_>,
        own: &'c mut Histogram,
        pairs: &'c mut Pairs,
    ) -> Class<'c> {
        own.clear();
        pairs.clear();
        if let (Some(column), Some(coding)) = (column, self.coding) {
            match self.table.rest.person() {
                Some(person) => {
                    coding.pairs((person, column), class.sensitive, pairs);
                    people::had(pairs, own);
                }
                None => coding.histogram(column, class.sensitive, own),
            }
        }
        Class { sensitive: own, pairs, ..Class { sensitive: &[], pairs: &[], ..*class } }
    }

    /// Whether a class that only the population has meets the models that look at it.
    fn absent_holds(&self, class: &Class<'_>) -> bool {
        self.demand.models.iter().filter(|bound| bound.population).all(|bound| match &bound.judge {
            Judge::Class(model) => model.holds(class),
            Judge::Table(_) => true,
        })
    }

    /// The sensitive codes and counts of a class's cells.
    fn fill(&self, own: &[Cell<W>], cells: &mut Histogram) {
        cells.clear();
        if let Some(field) = self.space.sensitive_field() {
            cells.extend(own.iter().map(|cell| (cell.key.get(field), cell.count)));
        }
    }

    /// How many persons a class's records are of.
    fn persons(&self, size: u64, scratch: &mut Scratch) -> u64 {
        match (self.table.rest.person(), self.coding) {
            (Some(person), Some(coding)) => {
                coding.histogram(person, &scratch.cells, &mut scratch.own);
                scratch.own.len() as u64
            }
            _ => size,
        }
    }

    /// Suppresses what the models of all kept classes together ask for.
    fn suppress_more(&self, cells: &[Cell<W>], judged: &mut Judged) {
        self.suppress_smallest(cells, judged);
        while self.suppress_unlike(cells, judged) {
            self.suppress_smallest(cells, judged);
        }
    }

    fn is_anonymous(&self, judged: &Judged) -> bool {
        let target =
            judged.outliers == 0 || self.demand.outliers == Outliers::Suppress || judged.held.contains(&true);
        !judged.absent_fails && judged.outliers <= self.demand.most_outliers && target
    }
}

impl<const W: usize> Evaluate for Evaluator<'_, W> {
    fn examine(&self, node: &Node) -> Examined {
        let cells = self.space.cells(node);
        let mut judged = self.judge(node, &cells, false);
        if self.is_hopeless(&judged) {
            return Examined { checked: Checked::FailsWithAllBelow, learned: None, carried: None };
        }
        let carried = self.carried(node, &cells, &judged);
        if judged.outliers <= self.demand.most_outliers {
            self.suppress_more(&cells, &mut judged);
        }
        if !self.is_anonymous(&judged) {
            return Examined { checked: self.failure(), learned: None, carried };
        }
        let (score, learned) = self.figure(node, &cells, &judged);
        Examined { checked: Checked::Anonymous(score), learned, carried }
    }

    fn assess(&self, node: &Node) -> Assessment {
        let cells = self.space.cells(node);
        let mut judged = self.judge(node, &cells, true);
        self.suppress_more(&cells, &mut judged);
        self.assessment(node, &cells, &judged)
    }

    fn admit(&self, node: &Node) -> Admission {
        let is_sure = !self.demand.assume_monotone;
        let cells = self.space.cells(node);
        let mut judged = self.judge(node, &cells, !is_sure);
        if is_sure && self.is_hopeless(&judged) {
            return Admission::RefusedWithAllBelow;
        }
        if judged.outliers <= self.demand.most_outliers {
            self.suppress_more(&cells, &mut judged);
        }
        match self.is_anonymous(&judged) {
            true => Admission::Admitted(self.assessment(node, &cells, &judged)),
            false if is_sure && self.failure() == Checked::FailsWithAllBelow => {
                Admission::RefusedWithAllBelow
            }
            false => Admission::Refused,
        }
    }

    fn classes(&self, node: &Node) -> (ClassTable, Vec<bool>) {
        let cells = self.space.cells(node);
        let mut judged = self.judge(node, &cells, true);
        self.suppress_more(&cells, &mut judged);
        (ClassTable::at(&self.space, node), judged.held)
    }

    fn demand(&self) -> &Demand<'_> {
        self.demand
    }

    fn prunes_by_all(&self) -> bool {
        let prunes = |(bound, _): &(&Bound, _)| bound.monotonicity >= Monotonicity::Merge;
        self.table_models.is_empty() && (self.demand.assume_monotone || self.class_models.iter().all(prunes))
    }
}

impl<const W: usize> Evaluator<'_, W> {
    fn assessment(&self, node: &Node, cells: &[Cell<W>], judged: &Judged) -> Assessment {
        Assessment {
            anonymous: self.is_anonymous(judged),
            outliers: judged.outliers,
            classes: judged.held.iter().filter(|held| **held).count(),
            smallest: kept_sizes(judged).min().unwrap_or(0),
            of_people: self.risks_of_people(cells, judged),
            score: self.figure(node, cells, judged).0,
        }
    }

    /// What follows for the nodes below where judging went to the end and the node is not anonymous.
    fn failure(&self) -> Checked {
        let tables = self.demand.models.iter().filter(|bound| matches!(bound.judge, Judge::Table(_)));
        // Without suppression a table-level model that survives merging fails below, too.
        let class_level = |(bound, _): &(&Bound, _)| bound.monotonicity >= Monotonicity::Merge;
        let merge = self.demand.most_outliers == 0 && self.class_models.iter().all(class_level);
        let monotone = tables.map(|bound| bound.monotonicity).all(|m| m >= Monotonicity::Merge);
        let assumed = self.demand.assume_monotone;
        if (merge && monotone) || assumed { Checked::FailsWithAllBelow } else { Checked::Fails }
    }
}
