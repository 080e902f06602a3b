//! Local recoding by repeated optimal search.
//!
//! # Summary
//! Finds the optimal node with suppression, keeps the classes that hold there, and searches again on
//! the suppressed records alone, until nothing is left or nothing more can be kept.
//!
//! # Definition
//! Run i searches the records that runs 1 … i − 1 suppressed, by the same models and metric, and may
//! suppress all but [`LEAST_SHARE`] of them; as they are searched again, their suppression costs it
//! nothing beyond what the node costs. Models are those of the whole table: a distribution they
//! compare with is that of all records, suppressed ones included. A class of run i whose labels are
//! those of an earlier class is one class with it, and is kept only if the models hold of the union.
//! When at most the limit is left, that is suppressed; when no run can keep more and more is left,
//! the last run is taken back and made again with the limit instead, then the one before it, and so
//! on: the very first run with the limit is the optimal search itself. *Cell suppression* is the same
//! with levels 0 and top alone.
//!
//! # Errors
//! As [`FullDomain::plan`]: a release is found wherever the optimal search finds one on the same levels.
//! Cell suppression has fewer of them than full-domain recoding, and where the model is not monotone
//! with suppression, it can fail where that does not.
//!
//! # Complexity
//! At most 2 · log(n) / −log(1 − [`LEAST_SHARE`]) searches, on ever fewer records.
//!
//! # References
//! Xu 2006 for the names; Prasser 2020 (ARX) for the repetition.
//!
//! # Deviations
//! ARX weighs suppressed records by a factor that the user chooses; here it is fixed.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::MethodError;
use super::best_first::Budget;
use super::evaluate::{Demand, Outliers};
use super::full_domain::{FullDomain, Strategy};
use super::judge::Judge;
use crate::context::Context;
use crate::frequency::{FrequencyTable, QuasiIdentifier};
use crate::lattice::{Lattice, Node};
use crate::metric::{Entry, MetricOptions};
use crate::model::Bound;
use crate::recoding::{LocalPlan, Member, Piece, Recoding, Region};

/// The share of its records that every run but the last has to keep.
pub const LEAST_SHARE: f64 = 0.05;

/// Which values classes can be released with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Levels {
    /// Those of every level.
    All,
    /// The original and `*`: cell suppression.
    Ends,
}

/// What is searched for, again and again.
#[derive(Debug, Clone, Copy)]
pub struct LocalRecoding<'a> {
    /// All must hold in every class.
    pub models: &'a [Bound],
    /// What each search minimises.
    pub metric: &'a Entry,
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
    /// The nodes to choose from.
    pub lattice: &'a Lattice,
    /// The levels that classes may have.
    pub levels: Levels,
}

/// How the classes were found.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Found {
    /// Searches that classes were kept of.
    pub runs: usize,
    /// Nodes grouped in all searches.
    pub examined: usize,
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
    /// The classes of a table.
    ///
    /// # Errors
    /// See the module.
    pub fn plan(
        &self,
        table: &FrequencyTable,
        context: &Context<'_>,
    ) -> Result<(LocalPlan, Found), MethodError> {
        let searched = match self.levels {
            Levels::All => Cow::Borrowed(table),
            Levels::Ends => Cow::Owned(with_ends(table)),
        };
        let repetition = Repetition { task: self, table, searched: &searched, context };
        let mut found = Found::default();
        let mut runs = repetition.runs(&mut found)?;
        let all = || (0..table.len() as u32).collect::<Vec<u32>>();
        let mut left = runs.last().map_or_else(all, |run| run.left.clone());
        while records(table, &left) > self.most_outliers {
            let entries = runs.pop().map_or_else(all, |run| run.entries);
            match repetition.run(&runs, entries, self.most_outliers, Outliers::Suppress, &mut found) {
                Ok(run) => {
                    left.clone_from(&run.left);
                    runs.push(run);
                }
                Err(MethodError::Infeasible(_)) if !runs.is_empty() => {}
                Err(error) => return Err(error),
            }
        }
        found.runs = runs.len();
        let pieces = runs.into_iter().flat_map(|run| run.pieces).collect();
        let suppressed = left.iter().map(|&entry| (entry, table.counts[entry as usize])).collect();
        Ok((LocalPlan::new(Recoding::Nodes, table.qis.len(), pieces, suppressed), found))
    }
}

fn records(table: &FrequencyTable, entries: &[u32]) -> u64 {
    entries.iter().map(|&entry| table.counts[entry as usize]).sum()
}

/// The table with levels 0 and top of every hierarchy.
fn with_ends(table: &FrequencyTable) -> FrequencyTable {
    let ends = |qi: &QuasiIdentifier| {
        let levels = if qi.hierarchy.top() == 0 { vec![0] } else { vec![0, qi.hierarchy.top()] };
        QuasiIdentifier { name: qi.name.clone(), hierarchy: qi.hierarchy.at_levels(&levels) }
    };
    FrequencyTable { qis: table.qis.iter().map(ends).collect(), ..table.clone() }
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
    }
}

struct Repetition<'a> {
    task: &'a LocalRecoding<'a>,
    table: &'a FrequencyTable,
    /// The table with the levels that are searched.
    searched: &'a FrequencyTable,
    context: &'a Context<'a>,
}

impl Repetition<'_> {
    /// Runs until nothing is left or nothing more can be kept.
    fn runs(&self, found: &mut Found) -> Result<Vec<Run>, MethodError> {
        let mut runs: Vec<Run> = Vec::new();
        let mut left: Vec<u32> = (0..self.table.len() as u32).collect();
        while !left.is_empty() {
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
        found: &mut Found,
    ) -> Result<Run, MethodError> {
        let table = part(self.searched, &entries);
        let task = self.task;
        let metric = (task.metric.bind)(&table, task.options);
        let demand = Demand {
            models: task.models,
            metric: &*metric,
            most_outliers,
            outliers,
            assume_monotone: task.assume_monotone,
        };
        let ends = table.lattice();
        let lattice = if task.levels == Levels::All { task.lattice } else { &ends };
        let search =
            FullDomain { demand, lattice: Some(lattice), strategy: task.strategy, budget: task.budget };
        let optimum = search.search(&table, self.context)?;
        found.examined += optimum.examined;
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
        let (kept, failed): (Vec<_>, Vec<_>) =
            classes.into_values().partition(|members| judge.holds(members));
        let piece = |members: Vec<Member>| Piece { regions: self.regions(node, members[0].0), members };
        let left = failed.iter().flatten().map(|member| member.0).collect();
        (kept.into_iter().map(piece).collect(), left)
    }

    /// What the class of an entry is released as.
    fn regions(&self, node: &Node, entry: u32) -> Vec<Region> {
        let region = |(q, &level): (usize, &u8)| {
            let hierarchy = &self.table.qis[q].hierarchy;
            let level = match self.task.levels {
                Levels::Ends if level > 0 => hierarchy.top(),
                _ => level,
            };
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
