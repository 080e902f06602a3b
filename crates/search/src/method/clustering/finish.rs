//! Records left over join blocks, and blocks that fail a model are merged.

use std::collections::BTreeMap;

use rayon::prelude::*;
use velamen_core::context::Context;
use velamen_core::frequency::FrequencyTable;
use velamen_core::recoding::Member;

use super::block::{Block, piece};
use super::objective::{Cost, Costs, difference, with};
use crate::method::MethodError;
use crate::method::judge::Judge;
use crate::model::Monotonicity;

/// What turns blocks and leftovers into classes that hold.
pub(super) struct Finish<'a> {
    pub(super) costs: &'a Costs<'a>,
    pub(super) judge: Judge<'a>,
    pub(super) table: &'a FrequencyTable,
    pub(super) context: &'a Context<'a>,
}

impl Finish<'_> {
    /// `leftovers` by cell.
    pub(super) fn run(
        &self,
        mut blocks: Vec<Block>,
        mut leftovers: Vec<(u32, Member)>,
    ) -> Result<Vec<Block>, MethodError> {
        leftovers.sort_unstable();
        let all = leftovers.len() as u64;
        for (done, (cell, member)) in (0..).zip(leftovers) {
            self.context.check()?;
            self.context.progress.step("placing leftovers", done, all);
            // Where no block could be made at all, the table is one.
            let block = self.least(&blocks, |block| self.costs.rise(&block.held, cell)).unwrap_or(0);
            if blocks.is_empty() {
                blocks.push(Block::default());
            }
            blocks[block].members.push(member);
            blocks[block].held = with(&blocks[block].held, &[(cell, 1)]);
        }
        self.mend(&mut blocks)?;
        Ok(blocks)
    }

    /// The first block of the least cost.
    fn least(&self, blocks: &[Block], cost: impl Fn(&Block) -> Cost + Sync) -> Option<usize> {
        let costed = blocks.par_iter().enumerate().map(|(at, block)| (cost(block), at));
        costed.min().map(|(_, at)| at)
    }

    /// Merges blocks until the models hold of every class.
    fn mend(&self, blocks: &mut Vec<Block>) -> Result<(), MethodError> {
        loop {
            self.context.check()?;
            let classes = self.classes(blocks);
            let fails = |class: &Vec<usize>| {
                let members = class.iter().flat_map(|&at| &blocks[at].members).copied().collect::<Vec<_>>();
                !self.judge.holds(&members)
            };
            let Some(failing) = classes.par_iter().find_first(|class| fails(class)) else { return Ok(()) };
            if failing.len() == blocks.len() {
                return Err(MethodError::Infeasible(
                    "blocks were merged until one was left, and the models do not hold of it; relax a model"
                        .into(),
                ));
            }
            self.merge(blocks, failing);
        }
    }

    /// Blocks that will be one class since their labels are equal.
    fn classes(&self, blocks: &[Block]) -> Vec<Vec<usize>> {
        let survives = |monotonicity| monotonicity >= Monotonicity::Merge;
        if self.judge.models.iter().all(|bound| survives(bound.monotonicity)) {
            return (0..blocks.len()).map(|at| vec![at]).collect();
        }
        let labels = |block: &Block| -> Vec<String> {
            let regions = piece(self.table, block.members.clone()).regions;
            regions.into_iter().map(|region| region.value.label).collect()
        };
        let mut classes: BTreeMap<Vec<String>, Vec<usize>> = BTreeMap::new();
        for (at, block) in blocks.iter().enumerate() {
            classes.entry(labels(block)).or_default().push(at);
        }
        classes.into_values().collect()
    }

    /// Merges the blocks of a class, and with them the block whose records raise the cost least.
    fn merge(&self, blocks: &mut Vec<Block>, class: &[usize]) {
        let mut merged = Block::default();
        let mut others = Vec::with_capacity(blocks.len());
        for (at, block) in std::mem::take(blocks).into_iter().enumerate() {
            if class.contains(&at) { merged.absorb(block) } else { others.push(block) }
        }
        let own = self.costs.of(&merged.held);
        let rise = |block: &Block| {
            let union = self.costs.of(&with(&merged.held, &block.held));
            difference(difference(union, own), self.costs.of(&block.held))
        };
        if let Some(nearest) = self.least(&others, rise) {
            merged.absorb(others.remove(nearest));
        }
        others.push(merged);
        *blocks = others;
    }
}
