//! Records left over join blocks, and blocks that fail a model are merged.

use std::collections::BTreeMap;

use rayon::prelude::*;
use velamen_core::context::Context;
use velamen_core::error::Problem;
use velamen_core::frequency::FrequencyTable;
use velamen_core::recoding::Member;

use super::block::{Block, piece};
use super::objective::{Costs, difference, with};
use super::tally::{Joining, Tally};
use crate::method::MethodError;
use crate::method::kit::judge::Judge;
use crate::model::Monotonicity;

/// What turns blocks and leftovers into classes that hold.
pub(super) struct Finish<'a> {
    pub(super) costs: &'a Costs<'a>,
    pub(super) judge: Judge<'a>,
    pub(super) table: &'a FrequencyTable,
    pub(super) context: &'a Context<'a>,
}

/// A block with what was found out about it.
struct Known {
    members: Vec<Member>,
    tally: Tally,
    /// Whether the models hold of it by itself, once that was asked.
    holds: Option<bool>,
}

impl Known {
    fn new(costs: &Costs<'_>, Block { members, held }: Block) -> Self {
        Self { members, tally: Tally::new(costs, held), holds: None }
    }

    /// Takes in another block's records.
    fn absorb(&mut self, costs: &Costs<'_>, other: Self) {
        self.members.extend(other.members);
        self.tally = Tally::new(costs, with(&self.tally.held, &other.tally.held));
        self.holds = None;
    }
}

impl Finish<'_> {
    /// `leftovers` by cell.
    pub(super) fn run(
        &self,
        blocks: Vec<Block>,
        mut leftovers: Vec<(u32, Member)>,
    ) -> Result<Vec<Block>, MethodError> {
        let mut blocks: Vec<Known> =
            blocks.into_par_iter().map(|block| Known::new(self.costs, block)).collect();
        leftovers.sort_unstable();
        let all = leftovers.len() as u64;
        for (done, (cell, member)) in (0..).zip(leftovers) {
            self.context.check()?;
            self.context.progress.step("placing leftovers", done, all);
            let one = Known::new(self.costs, Block { members: vec![member], held: vec![(cell, 1)] });
            match self.nearest(&one, &blocks) {
                Some(nearest) => blocks[nearest].absorb(self.costs, one),
                // Where no block could be made at all, the table is one.
                None => blocks.push(one),
            }
        }
        self.mend(&mut blocks)?;
        let block = |known: Known| Block { members: known.members, held: known.tally.held };
        Ok(blocks.into_iter().map(block).collect())
    }

    /// The first of the blocks whose records raise the cost least as one block with these.
    ///
    /// What decides first is computed of all blocks, the rest of those alone that are equal in it.
    fn nearest(&self, one: &Known, blocks: &[Known]) -> Option<usize> {
        let joining = Joining::new(self.costs, &one.tally);
        let first = |block: &Known| self.costs.union_deficit(&joining, &block.tally) - block.tally.cost.0;
        let firsts: Vec<i128> = blocks.par_iter().map(first).collect();
        let least = firsts.iter().min()?;
        let equal = blocks.par_iter().zip(&firsts).enumerate().filter(|(_, (_, first))| *first == least);
        let rises = equal.map(|(at, (block, _))| {
            (difference(self.costs.union(&joining, &block.tally), block.tally.cost), at)
        });
        rises.min().map(|(_, at)| at)
    }

    /// Merges blocks until the models hold of every class.
    fn mend(&self, blocks: &mut Vec<Known>) -> Result<(), MethodError> {
        loop {
            self.context.check()?;
            let judged = |block: &mut Known| {
                block.holds.get_or_insert_with(|| self.judge.holds(&block.members));
            };
            blocks.par_iter_mut().for_each(judged);
            let Some(failing) = self.first_failing(blocks) else { return Ok(()) };
            if failing.len() == blocks.len() {
                return Err(MethodError::Infeasible(
                    Problem::new("blocks were merged until one was left, and the models do not hold of it")
                        .mend("relax a model"),
                ));
            }
            self.merge(blocks, &failing);
        }
    }

    /// The blocks of the first class of which a model fails; each block was asked by itself.
    fn first_failing(&self, blocks: &[Known]) -> Option<Vec<usize>> {
        let survives = |monotonicity| monotonicity >= Monotonicity::Merge;
        if self.judge.models.iter().all(|bound| survives(bound.monotonicity)) {
            return blocks.iter().position(|block| block.holds == Some(false)).map(|at| vec![at]);
        }
        self.classes(blocks).into_par_iter().find_first(|class| self.fails(blocks, class))
    }

    fn fails(&self, blocks: &[Known], class: &[usize]) -> bool {
        match *class {
            [only] => blocks[only].holds == Some(false),
            _ => {
                let members = class.iter().flat_map(|&at| &blocks[at].members).copied().collect::<Vec<_>>();
                !self.judge.holds(&members)
            }
        }
    }

    /// Blocks that will be one class since their labels are equal.
    fn classes(&self, blocks: &[Known]) -> Vec<Vec<usize>> {
        let mut classes: BTreeMap<Vec<String>, Vec<usize>> = BTreeMap::new();
        for (at, block) in blocks.iter().enumerate() {
            classes.entry(self.labels(block)).or_default().push(at);
        }
        classes.into_values().collect()
    }

    fn labels(&self, block: &Known) -> Vec<String> {
        let regions = piece(self.table, block.members.clone()).regions;
        regions.into_iter().map(|region| region.value.label).collect()
    }

    /// Merges the blocks of a class, and with them the block whose records raise the cost least.
    fn merge(&self, blocks: &mut Vec<Known>, class: &[usize]) {
        let mut merged: Option<Known> = None;
        let mut others = Vec::with_capacity(blocks.len());
        for (at, block) in std::mem::take(blocks).into_iter().enumerate() {
            match (class.contains(&at), &mut merged) {
                (false, _) => others.push(block),
                (true, None) => merged = Some(block),
                (true, Some(merged)) => merged.absorb(self.costs, block),
            }
        }
        if let Some(merged) = &mut merged
            && let Some(nearest) = self.nearest(merged, &others)
        {
            merged.absorb(self.costs, others.remove(nearest));
        }
        others.extend(merged);
        *blocks = others;
    }
}
