//! Local recoding by repeated optimal search.
//!
//! # Summary
//! Finds the optimal node with suppression, keeps the classes that hold there, and searches again on
//! the suppressed records alone, until nothing is left or nothing more can be kept.
//!
//! # Definition
//! Run i searches the records that runs 1 … i − 1 suppressed, by the same models and metric, and may
//! suppress all but [`LEAST_SHARE`] of them; as they are searched again, their suppression costs it
//! nothing beyond what the node costs. Where the time is limited, every run has a share of it; without a budget in the
//! recipe, the first search and all runs together group at most [`MOST_CELLS`] cells each. Models are those of the whole table: a distribution they
//! compare with is that of all records, suppressed ones included. A class of run i whose labels are
//! those of an earlier class is one class with it, and is kept only if the models hold of the union.
//! A class whose labels are all `*` is not kept either: its records are as good as suppressed.
//! When at most the limit is left, that is suppressed; when no run can keep more and more is left,
//! the last run is taken back and made again with the limit instead, then the one before it, and so
//! on: the very first run with the limit is the optimal search itself. *Cell suppression* is the same
//! with levels 0 and top alone.
//!
//! The classes are then parted further, one by one, and those that lose most are put together and parted anew
//! (`parting.rs`). What a single search with the limit finds is released instead if the metric finds less loss in it,
//! or if nothing else keeps to the limit.
//!
//! # Errors
//! As [`FullDomain::plan`]: a release is found wherever the optimal search finds one on the same levels.
//! Cell suppression has fewer of them than full-domain recoding, and where the model is not monotone
//! with suppression, it can fail where that does not.
//!
//! # Complexity
//! At most 1 + 2 · log(n) / −log(1 − [`LEAST_SHARE`]) searches, on ever fewer records, and at most three times what
//! [`crate::method::local::mondrian`] takes with cuts by loss.
//!
//! # References
//! Xu 2006 for the names; Prasser 2020 (ARX) for the repetition.
//!
//! # Deviations
//! ARX weighs suppressed records by a factor that the user chooses; here it is fixed.

mod parting;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use velamen_core::context::{Context, Stages};
use velamen_core::frequency::{Counted, FrequencyTable, QuasiIdentifier};
use velamen_core::hierarchy::{Hierarchy, TOP};
use velamen_core::lattice::{Lattice, Node};
use velamen_core::plan::Plan;
use velamen_core::recoding::{LocalPlan, Member, Piece, Recoding, Region};

use self::parting::{Groups, Parting};
use super::full_domain::{FullDomain, ONE_NODE};
use crate::method::MethodError;
use crate::method::kit::evaluate::{Demand, Hidden, Outliers};
use crate::method::kit::judge::Judge;
use crate::method::kit::search::{Budget, LOOKS_INSTEAD, Strategy};
use crate::metric::{Entry, Metric, MetricOptions, Recoded, Score};
use crate::model::Bound;

/// The share of its records that every run but the last has to keep.
pub const LEAST_SHARE: f64 = 0.05;

/// The nodes that a run but the first looks at where the lattice is too large for a proof and the recipe gives no budget: more
/// find little that parting does not.
const LOOKS_OF_A_RUN: u64 = 300;

/// The cells, combinations times attributes, that the first search groups at most where the recipe gives no budget, and all
/// runs together: some seconds. Fixed, so that the same seed gives the same bytes on any machine.
pub const MOST_CELLS: u64 = 1 << 28;

/// The nodes of the whole table that both may group at least, however large it is: a large table has mostly few levels, whose
/// search ends by itself.
const LEAST_LOOKS: u64 = 2_000;

/// The fewest nodes that a run looks at: fewer find nothing.
const FEWEST: u64 = 64;

/// A lattice of more than so many times the nodes that a search may group cannot be searched to the end.
const EXCLUDED: u128 = 8;

/// Nor can one of more nodes than these in a moment, however few records there are.
const MOST_PROVEN: u128 = 1 << 18;

/// Of more combinations the searches find nearly everything, and parting takes many times as long as they do.
pub const MOST_PARTED: usize = 1 << 17;

/// Which values classes can be released with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Levels {
    /// Those of every level.
    All,
    /// The original and `*`: cell suppression.
    Ends,
}

impl Levels {
    /// The level of the table itself that a level of the search is.
    fn of_table(self, level: u8, hierarchy: &Hierarchy) -> u8 {
        match self {
            Self::Ends if level > 0 => hierarchy.top(),
            _ => level,
        }
    }
}

/// What is searched for, again and again.
#[derive(Debug, Clone, Copy)]
pub struct LocalRecoding<'a> {
    /// All must hold in every class.
    pub models: &'a [Bound],
    /// What each search minimizes.
    pub metric: &'static Entry,
    /// How it is read.
    pub options: &'a MetricOptions,
    /// The most records that are suppressed in the end.
    pub most_outliers: u64,
    /// Whether the models are taken to be monotone even where they are not.
    pub assume_monotone: bool,
    /// How each search goes.
    pub strategy: Strategy,
    /// When best-first and genetic searches end.
    pub budget: Budget<'a>,
    /// The seconds of all searches and of parting what they find; `None` for any time.
    pub seconds: Option<f64>,
    /// The nodes to choose from.
    pub lattice: &'a Lattice,
    /// The levels that classes may have.
    pub levels: Levels,
    /// Whose models are judged once more where suppressed records show no values.
    pub hidden: Option<Hidden<'a>>,
}

/// What is released.
#[derive(Debug)]
pub enum Kept {
    /// Classes of several searches, with levels of their own.
    Repeated(LocalPlan),
    /// What one search with the limit finds: repeating it loses more, or cannot keep to the limit.
    Single(Plan),
}

/// How the classes were found.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Repetitions {
    /// Searches that classes were kept of.
    pub runs: usize,
    /// Nodes grouped in all searches.
    pub examined: usize,
    /// The figure of the single search, if it finds anything.
    pub single: Option<Score>,
    /// Whether no node is better than that of the single search.
    pub single_is_proven: bool,
    /// Whether a search ended with the steps that it may take, and not because nothing better is left.
    pub bounded: bool,
    /// Cells that the runs grouped.
    pub cells: u64,
    /// The figure of the repeated one, if it keeps to the limit.
    pub repeated: Option<Score>,
    /// The figure of its classes in parts, if these keep to the limit.
    pub parted: Option<Score>,
}

/// What one run kept.
struct Run {
    /// The entries it was made on.
    entries: Vec<u32>,
    pieces: Vec<Piece>,
    /// The entries it suppressed.
    left: Vec<u32>,
}

impl LocalRecoding<'_> {
    /// The best of what one search finds, what it finds when it is repeated, and what parts of these come to.
    ///
    /// # Errors
    /// See the module.
    pub fn plan(
        &self,
        table: &FrequencyTable,
        context: &Context<'_>,
    ) -> Result<(Kept, Repetitions), MethodError> {
        let searched = match self.levels {
            Levels::All => Cow::Borrowed(table),
            Levels::Ends => Cow::Owned(with_ends(table)),
        };
        let clock = self.seconds.map(Clock::of);
        // Each search shows progress of its own: together they are one step.
        let stages = Stages::new(context.progress, "searching");
        let context = &Context { progress: &stages, ..*context };
        let repetition =
            Repetition { task: self, table, searched: &searched, clock, stages: &stages, context };
        let mut found = Repetitions::default();
        let single = match repetition.single(&mut found) {
            Err(MethodError::Infeasible(problem)) => Err(problem),
            other => Ok(other?),
        };
        let repeated = repetition.repeated(&mut found)?;
        let figure = |plan: &LocalPlan| (self.metric.recoded)(&Recoded { table, plan }, self.options);
        found.repeated = repeated.as_ref().map(figure);
        let start = repetition.groups(single.as_ref().ok(), repeated.as_ref());
        stages.until(Stages::WHOLE);
        let parted = match self.budget.is_left(0) && table.len() <= MOST_PARTED {
            true => Parting::new(&repetition).best(start)?,
            false => None,
        };
        found.parted = parted.as_ref().map(|(score, _)| score.clone());
        let better =
            |parted: &Score| found.repeated.as_ref().is_none_or(|repeated| parted.is_clearly_below(repeated));
        let best = match parted {
            Some(parted) if better(&parted.0) => Some(parted),
            _ => found.repeated.clone().zip(repeated),
        };
        let single_is_better =
            |best: &Score| found.single.as_ref().is_some_and(|single| single.is_clearly_below(best));
        match (single, best) {
            (Ok(plan), Some((best, _))) if single_is_better(&best) => {
                Ok((Kept::Single(plan), Repetitions { runs: 1, ..found }))
            }
            (_, Some((_, plan))) => Ok((Kept::Repeated(plan), found)),
            (Ok(plan), None) => Ok((Kept::Single(plan), Repetitions { runs: 1, ..found })),
            (Err(problem), None) => Err(MethodError::Infeasible(problem)),
        }
    }
}

/// Records of members.
fn total(members: &[Member]) -> u64 {
    members.iter().map(|member| member.1).sum()
}

fn records(table: &FrequencyTable, entries: &[u32]) -> u64 {
    entries.iter().map(|&entry| table.counts[entry as usize]).sum()
}

/// The table with levels 0 and top of every hierarchy.
fn with_ends(table: &FrequencyTable) -> FrequencyTable {
    FrequencyTable { qis: table.qis.iter().map(ends).collect(), ..table.clone() }
}

fn ends(qi: &QuasiIdentifier) -> QuasiIdentifier {
    let levels = if qi.hierarchy.top() == 0 { vec![0] } else { vec![0, qi.hierarchy.top()] };
    QuasiIdentifier { name: qi.name.clone(), hierarchy: qi.hierarchy.at_levels(&levels) }
}

/// The records of some entries, as a table.
fn part(table: &FrequencyTable, entries: &[u32]) -> FrequencyTable {
    let picked = |values: &[u32]| entries.iter().map(|&entry| values[entry as usize]).collect();
    FrequencyTable {
        qis: table.qis.clone(),
        rest: table.rest.clone(),
        codes: table.codes.iter().map(|codes| picked(codes)).collect(),
        rest_index: picked(&table.rest_index),
        counts: entries.iter().map(|&entry| table.counts[entry as usize]).collect(),
        population: None,
        strays: velamen_core::frequency::Strays::default(),
    }
}

struct Repetition<'a> {
    task: &'a LocalRecoding<'a>,
    table: &'a FrequencyTable,
    /// The table with the levels that are searched.
    searched: &'a FrequencyTable,
    clock: Option<Clock>,
    stages: &'a Stages<'a>,
    context: &'a Context<'a>,
}

/// Where the first search ends in the progress shown.
const FIRST_SEARCH_ENDS: u64 = Stages::WHOLE * 2 / 5;

/// Where the runs after it end.
const RUNS_END: u64 = Stages::WHOLE * 4 / 5;

/// How the seconds of a recipe are shared.
#[derive(Debug, Clone, Copy)]
struct Clock {
    began: Instant,
    seconds: f64,
}

impl Clock {
    /// What the searches take together at most: the rest is for parting what they find.
    const SEARCHES: f64 = 0.4;
    /// What each search takes of what the searches have left.
    const EACH: f64 = 0.3;

    fn of(seconds: f64) -> Self {
        Self { began: Instant::now(), seconds }
    }

    fn left(self) -> f64 {
        Self::SEARCHES * self.seconds - self.began.elapsed().as_secs_f64()
    }

    /// When a search that begins now ends.
    fn until(self) -> Option<Instant> {
        let share = Duration::try_from_secs_f64(Self::EACH * self.left().max(0.0)).ok()?;
        Instant::now().checked_add(share)
    }
}

impl Repetition<'_> {
    /// One search on the whole table, with the limit.
    fn single(&self, found: &mut Repetitions) -> Result<Plan, MethodError> {
        let task = self.task;
        let metric = (task.metric.bind)(&Counted::of(self.searched), task.options);
        let demand =
            Demand { hidden: task.hidden, ..self.demand(&*metric, task.most_outliers, Outliers::Suppress) };
        self.stages.until(FIRST_SEARCH_ENDS);
        let (search, bound) = self.search(demand, (self.searched, self.most_cells()), None);
        let optimum = search.search(self.searched, self.context)?;
        found.examined += optimum.examined;
        found.single_is_proven = optimum.is_proven();
        found.bounded |= bound && !optimum.is_proven();
        // The node with the levels of the table itself.
        let levels = optimum.node.0.iter().zip(&self.table.qis);
        let node = Node(levels.map(|(&level, qi)| task.levels.of_table(level, &qi.hierarchy)).collect());
        let metric = (task.metric.bind)(&Counted::of(self.table), task.options);
        let demand =
            Demand { hidden: task.hidden, ..self.demand(&*metric, task.most_outliers, Outliers::Suppress) };
        let only = Lattice::between(&node, &node);
        let (strategy, budget) = (ONE_NODE, Budget::default());
        let (plan, at) =
            FullDomain { demand, lattice: Some(&only), strategy, budget }.plan(self.table, self.context)?;
        found.single = Some(at.score);
        Ok(plan)
    }

    /// The classes of repeated searches; `None` where only the first search could keep to the limit, which
    /// is the single search.
    fn repeated(&self, found: &mut Repetitions) -> Result<Option<LocalPlan>, MethodError> {
        let table = self.table;
        let mut runs = self.runs(found)?;
        let left = loop {
            let left = runs.last().map_or_else(|| (0..table.len() as u32).collect(), |run| run.left.clone());
            if records(table, &left) <= self.task.most_outliers {
                break left;
            }
            let Some(last) = runs.pop().filter(|_| !runs.is_empty()) else { return Ok(None) };
            match self.run(&runs, last.entries, self.task.most_outliers, Outliers::Suppress, found) {
                Ok(run) if records(table, &run.left) <= self.task.most_outliers => runs.push(run),
                Ok(_) | Err(MethodError::Infeasible(_)) => {}
                Err(error) => return Err(error),
            }
        };
        found.runs = runs.len();
        let pieces = runs.into_iter().flat_map(|run| run.pieces).collect();
        let suppressed: Vec<Member> =
            left.iter().map(|&entry| (entry, table.counts[entry as usize])).collect();
        Ok(self.settled(pieces, suppressed))
    }

    /// The release of some classes; where suppressed records show no values, without those that then fail. `None` where
    /// too many records are suppressed.
    fn settled(&self, mut pieces: Vec<Piece>, mut suppressed: Vec<Member>) -> Option<LocalPlan> {
        let (table, most) = (self.table, self.task.most_outliers);
        loop {
            let plan = LocalPlan::new(Recoding::Nodes, table.qis.len(), pieces.clone(), suppressed.clone());
            let Some(hidden) = self.task.hidden.filter(|_| !suppressed.is_empty()) else { return Some(plan) };
            let unlike = hidden.unlike(table, &plan.members);
            let gone = plan.members.iter().zip(unlike).filter(|(_, unlike)| *unlike);
            let gone: BTreeSet<u32> = gone.flat_map(|(members, _)| members).map(|member| member.0).collect();
            if gone.is_empty() {
                return Some(plan);
            }
            let (lost, kept): (Vec<Piece>, Vec<Piece>) =
                pieces.into_iter().partition(|piece| piece.members.iter().any(|m| gone.contains(&m.0)));
            suppressed.extend(lost.into_iter().flat_map(|piece| piece.members));
            pieces = kept;
            if total(&suppressed) > most {
                return None;
            }
        }
    }

    /// Classes to part further: those of the repeated search, else of the single one, else none.
    fn groups(&self, single: Option<&Plan>, repeated: Option<&LocalPlan>) -> Groups {
        let whole = |entries: Vec<u32>| -> Vec<Member> {
            entries.into_iter().map(|entry| (entry, self.table.counts[entry as usize])).collect()
        };
        let all: Vec<u32> = (0..self.table.len() as u32).collect();
        match (repeated, single) {
            (Some(plan), _) => Groups { kept: plan.members.clone(), suppressed: plan.suppressed.clone() },
            (None, Some(plan)) => {
                let levels = plan.node.0.iter().zip(&self.searched.qis);
                let node = Node(levels.map(|(&level, qi)| level.min(qi.hierarchy.top())).collect());
                let (pieces, left) = self.pieces(&node, &all);
                let kept = pieces.into_iter().map(|piece| piece.members).collect();
                Groups { kept, suppressed: whole(left) }
            }
            (None, None) => Groups { kept: Vec::new(), suppressed: whole(all) },
        }
    }

    /// The cells that the first search may group, and all runs together.
    fn most_cells(&self) -> u64 {
        MOST_CELLS.max(LEAST_LOOKS * (self.searched.len() * self.searched.qis.len()) as u64)
    }

    /// A search of the task's levels over a table, of at most so many cells, and whether that is a bound: a recipe's budget
    /// stands in place of it. `looks` is what it makes of a lattice that is too large for a proof.
    fn search<'d>(
        &'d self,
        demand: Demand<'d>,
        (table, cells): (&FrequencyTable, u64),
        looks: Option<u64>,
    ) -> (FullDomain<'d>, bool) {
        // Of two levels there is nothing that a recipe could leave out.
        let lattice = (self.task.levels == Levels::All).then_some(self.task.lattice);
        let nodes = lattice.map_or_else(|| self.searched.lattice().len(), Lattice::len);
        let by_node = (table.len() * table.qis.len()).max(1) as u64;
        let most = (cells / by_node).max(FEWEST);
        let to_the_end = EXCLUDED * u128::from(most);
        let too_many = nodes.is_none_or(|nodes| nodes > MOST_PROVEN.min(to_the_end));
        let own = if too_many { most.min(looks.unwrap_or(LOOKS_INSTEAD)) } else { most };
        // What cannot be proven is left to the search that begins with good nodes.
        let instead = self.task.strategy.instead.filter(|_| too_many);
        let strategy = instead.map_or(self.task.strategy, |instead| *instead.strategy);
        let is_bound = self.task.budget.steps.is_none() && self.clock.is_none();
        let steps = self.task.budget.steps.or(is_bound.then_some(own)).or(looks.filter(|_| too_many));
        let budget = Budget { steps, until: self.clock.and_then(Clock::until), ..self.task.budget };
        (FullDomain { demand, lattice, strategy, budget }, is_bound)
    }

    fn demand<'d>(&'d self, metric: &'d dyn Metric, most_outliers: u64, outliers: Outliers) -> Demand<'d> {
        let (models, assume_monotone) = (self.task.models, self.task.assume_monotone);
        Demand { models, metric, most_outliers, outliers, assume_monotone, hidden: None }
    }

    /// Runs until nothing is left or nothing more can be kept.
    fn runs(&self, found: &mut Repetitions) -> Result<Vec<Run>, MethodError> {
        let mut runs: Vec<Run> = Vec::new();
        let mut left: Vec<u32> = (0..self.table.len() as u32).collect();
        // Whoever asks for the best so far waits for no further run; of a search of its own nothing would come.
        while !left.is_empty()
            && self.task.budget.is_left(0)
            && self.clock.is_none_or(|clock| clock.left() > 0.0)
        {
            if found.cells >= self.most_cells() {
                found.bounded = true;
                break;
            }
            let most_outliers = ((1.0 - LEAST_SHARE) * records(self.table, &left) as f64).floor() as u64;
            // What is left is searched again, so the metric must not see it: the search for
            // relocation has just that figure.
            match self.run(&runs, left, most_outliers, Outliers::Relocate, found) {
                Ok(run) if run.pieces.is_empty() => break,
                Ok(run) => {
                    left = run.left.clone();
                    runs.push(run);
                }
                Err(MethodError::Infeasible(_)) => break,
                Err(error) => return Err(error),
            }
        }
        Ok(runs)
    }

    /// One search on some entries, after other runs.
    fn run(
        &self,
        before: &[Run],
        entries: Vec<u32>,
        most_outliers: u64,
        outliers: Outliers,
        found: &mut Repetitions,
    ) -> Result<Run, MethodError> {
        let table = part(self.searched, &entries);
        let task = self.task;
        let metric = (task.metric.bind)(&Counted::of(&table), task.options);
        let demand = self.demand(&*metric, most_outliers, outliers);
        // How many runs there will be is not known: each is a twelfth of what is left to be shown.
        self.stages.until(self.stages.done() + RUNS_END.saturating_sub(self.stages.done()) / 12);
        let (search, bound) = self.search(
            demand,
            (&table, self.most_cells().saturating_sub(found.cells)),
            Some(LOOKS_OF_A_RUN),
        );
        let optimum = search.search(&table, self.context)?;
        found.examined += optimum.examined;
        found.bounded |= bound && !optimum.is_proven();
        if bound {
            found.cells += (optimum.examined * table.len() * table.qis.len()) as u64;
        }
        let (pieces, left) = self.pieces(&optimum.node, &entries);
        let mut run = Run { entries, pieces, left };
        self.give_up_broken_unions(before, &mut run);
        Ok(run)
    }

    /// The classes at a node that hold, and the entries of the others.
    fn pieces(&self, node: &Node, entries: &[u32]) -> (Vec<Piece>, Vec<u32>) {
        let judge = Judge { table: self.table, models: self.task.models };
        let mut classes: BTreeMap<Vec<u32>, Vec<Member>> = BTreeMap::new();
        for &entry in entries {
            let code = |(q, &level): (usize, &u8)| {
                self.searched.qis[q].hierarchy.code(level, self.table.codes[q][entry as usize])
            };
            let codes = node.0.iter().enumerate().map(code).collect();
            classes.entry(codes).or_default().push((entry, self.table.counts[entry as usize]));
        }
        let (mut kept, mut left) = (Vec::new(), Vec::new());
        for members in classes.into_values() {
            let regions = self.regions(node, members[0].0);
            // A class without any value is what suppression is: it counts as that.
            let tells = regions.iter().any(|region| region.value.label != TOP);
            if tells && judge.holds(&members) {
                kept.push(Piece { regions, members });
            } else {
                left.extend(members.iter().map(|member| member.0));
            }
        }
        (kept, left)
    }

    /// What the class of an entry is released as.
    fn regions(&self, node: &Node, entry: u32) -> Vec<Region> {
        let region = |(q, &level): (usize, &u8)| {
            let hierarchy = &self.table.qis[q].hierarchy;
            let level = self.task.levels.of_table(level, hierarchy);
            Region::of_node(hierarchy, level, self.table.codes[q][entry as usize])
        };
        node.0.iter().enumerate().map(region).collect()
    }

    /// Takes back what would be one class with earlier records and then fail a model.
    fn give_up_broken_unions(&self, before: &[Run], run: &mut Run) {
        let judge = Judge { table: self.table, models: self.task.models };
        let labels = |piece: &Piece| piece.regions.iter().map(|r| r.value.label.clone()).collect::<Vec<_>>();
        let mut earlier: BTreeMap<Vec<String>, Vec<Member>> = BTreeMap::new();
        for piece in before.iter().flat_map(|run| &run.pieces) {
            earlier.entry(labels(piece)).or_default().extend(&piece.members);
        }
        let (kept, broken): (Vec<Piece>, Vec<Piece>) =
            std::mem::take(&mut run.pieces).into_iter().partition(|piece| {
                match earlier.get(&labels(piece)) {
                    Some(members) => judge.holds(&[&members[..], &piece.members].concat()),
                    None => true,
                }
            });
        run.pieces = kept;
        run.left.extend(broken.iter().flat_map(|piece| &piece.members).map(|member| member.0));
        run.left.sort_unstable();
    }
}

#[cfg(test)]
mod tests;
