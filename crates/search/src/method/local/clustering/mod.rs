//! Clustering by conditional entropy and mutual information, and the clusterings it is compared
//! with.
//!
//! # Summary
//! Puts records that are near each other into blocks of at least k, each released as the lowest
//! common ancestors of its records. How near they are is what the block costs: information lost,
//! and how much the quasi-identifiers still tell of the sensitive attribute.
//!
//! # Definition
//! X_a is attribute a as it was, Y_a as it is after the records of a set B, and no others, are
//! generalized to their lowest common ancestors; S is the sensitive attribute.
//! d(B) = Σ_a H(X_a | Y_a) + λ · I((Y_1, …, Y_m); S) over the whole table, log base 2.
//!
//! A block begins with a record drawn from those left, or with the one farthest from the block
//! before; the record of least d(B ∪ {r}) is added until B has k records and the models hold of it.
//! When fewer than k records are left, or when the models do not hold of all that is left, each of
//! these joins the block whose d rises least. Blocks of which a model then fails are merged with
//! the block that raises d least. Of records equally near,
//! where λ > 0, one whose sensitive value the block has fewest of is taken, and of these, as of blocks,
//! the first in the canonical order.
//! Distances are compared in whole numbers: n · d in steps of 2⁻²⁴ bits, each c · log₂ c rounded.
//!
//! The other objectives: see [`Objective`].
//!
//! # Parameters
//! The models, a size that every block needs, the objective, how blocks begin.
//!
//! # Errors
//! [`MethodError::Infeasible`] if the models do not hold even of all blocks as one class;
//! [`MethodError::Interrupted`].
//!
//! # Complexity
//! A record is added in the time of a search in a tree of distinct tuples, at worst O(tuples),
//! measured far less: see docs/methods/ce-mi-clustering.md. Each record left over takes O(blocks ·
//! attributes · k). Memory O(entries · attributes).
//!
//! # References
//! Yoo, Shin & Lee 2012, Algorithms 1 and 2; Byun, Kamra, Bertino & Li 2007 for k-member.
//!
//! # Deviations
//! See docs/methods/ce-mi-clustering.md: d of the finished blocks' records is as if they were not
//! generalized yet, λ and the models are additions, distances are rounded.

mod bits;
mod block;
mod blocks;
pub(in crate::method) mod ce;
pub(in crate::method) mod ce_mi;
mod cells;
pub(in crate::method) mod entropy_l;
pub mod figures;
mod finish;
mod front;
pub(in crate::method) mod k_member;
mod nearest;
mod objective;
pub(in crate::method) mod t_closeness;
mod tally;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use velamen_core::error::Problem;
use velamen_dp::{Stream, below};

pub use self::block::Block;
pub(in crate::method) use self::block::lowest_common_values;
pub use self::objective::{Lambda, MOST_LAMBDA, Objective};

use self::bits::{Bits, to_bits};
use self::block::piece;
use self::cells::{Cells, Stock};
use self::finish::Finish;
use self::front::Front;
use self::nearest::Index;
use self::objective::Costs;
use crate::method::MethodError;
use crate::method::kit::judge::Judge;
use crate::model::{Bound, Monotonicity};
use velamen_core::context::Context;
use velamen_core::frequency::FrequencyTable;
use velamen_core::recoding::{LocalPlan, Member, Recoding};
use velamen_core::streams;

/// Blocks of fewer records are not asked whether they can hold at all.
const ASKED_FROM: usize = 64;

/// Draws from all records left before a fitting one is drawn from the fitting ones alone, which takes a look at all.
const MOST_DRAWS: usize = 64;

/// Which record a block begins with.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Seeds {
    /// One drawn from those left, all alike.
    #[default]
    Random,
    /// The one farthest from the block before, by its quasi-identifiers; the first is drawn.
    Farthest,
}

/// Which of the records left joins a block.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Choice {
    /// That of least d(B ∪ {r}).
    #[default]
    Block,
    /// That of least d({b, r}), b being the record that the block began with.
    Seed,
    /// Any of those that leave the block least short of the model that the objective aims at, all
    /// alike: information plays no part.
    Drawn,
}

/// How a clustering towards a model chooses among records that are equal in it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Ties {
    /// By the least conditional entropy.
    #[default]
    Information,
    /// By a draw, all alike.
    Random,
}

impl Ties {
    fn choice(self) -> Choice {
        match self {
            Self::Information => Choice::Block,
            Self::Random => Choice::Drawn,
        }
    }
}

/// From where the nearness of a record to a block is measured.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Order {
    /// From the whole block: the record joins of which d(B ∪ {r}) is least, as published.
    #[default]
    Block,
    /// From the record that the block began with: that of which d({b, r}) is least.
    Distance,
}

/// What is clustered by.
#[derive(Debug, Clone, Copy)]
pub struct ClusteringTask<'a> {
    /// All must hold in every class.
    pub models: &'a [Bound],
    /// A size below which no class can hold: the k of the blocks.
    pub least_size: u64,
    /// What blocks should cost little of.
    pub objective: Objective,
    /// Which records they begin with.
    pub seeds: Seeds,
    /// Which record joins a block.
    pub choice: Choice,
    /// The sensitive column of the rest, where there is one.
    pub column: Option<usize>,
}

/// What the blocks are like.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct BlockFigures {
    /// Blocks, before those of equal labels are one class.
    pub blocks: usize,
    /// How many blocks have one, two, and more distinct sensitive values.
    pub distinct: [usize; 3],
    /// Σ of each block's own conditional entropy: the total information loss, in bits by record.
    pub block_loss: f64,
    /// Σ of each block's d = CE + MI, as if it alone were generalized, in bits.
    pub distances: f64,
}

impl ClusteringTask<'_> {
    /// The classes of a table.
    ///
    /// # Errors
    /// See the module.
    pub fn plan(
        &self,
        table: &FrequencyTable,
        context: &Context<'_>,
    ) -> Result<(LocalPlan, BlockFigures), MethodError> {
        let cells = Cells::new(table, self.column);
        let costs = self.costs(table, &cells);
        let blocks = self.made(table, &costs, context)?;
        let found = figures_of(&costs, &blocks);
        let pieces = blocks.into_iter().map(|block| piece(table, block.members)).collect();
        Ok((LocalPlan::new(Recoding::Nodes, table.qis.len(), pieces, Vec::new()), found))
    }

    /// The blocks in the order they were made.
    ///
    /// # Errors
    /// See the module.
    pub fn blocks(&self, table: &FrequencyTable, context: &Context<'_>) -> Result<Vec<Block>, MethodError> {
        let cells = Cells::new(table, self.column);
        self.made(table, &self.costs(table, &cells), context)
    }

    fn costs<'c>(&self, table: &'c FrequencyTable, cells: &'c Cells) -> Costs<'c> {
        let hierarchies = table.qis.iter().map(|qi| &qi.hierarchy).collect();
        Costs { cells, hierarchies, objective: self.objective, bits: Bits::new() }
    }

    fn made(
        &self,
        table: &FrequencyTable,
        costs: &Costs<'_>,
        context: &Context<'_>,
    ) -> Result<Vec<Block>, MethodError> {
        let judge = Judge { table, models: self.models };
        let all: Vec<Member> = (0..).zip(table.counts.iter().copied()).collect();
        let merging = self.models.iter().all(|bound| bound.monotonicity >= Monotonicity::Merge);
        if merging && !judge.holds(&all) {
            return Err(MethodError::Infeasible(
                Problem::new("the models do not hold of the whole table as one class").mend("relax a model"),
            ));
        }
        let mut maker = Maker::new(self, table, judge, costs, context);
        maker.run()?;
        Finish { costs, judge, table, context }.run(maker.blocks, maker.leftovers)
    }
}

/// Algorithm 2 under way.
struct Maker<'a> {
    task: &'a ClusteringTask<'a>,
    judge: Judge<'a>,
    costs: &'a Costs<'a>,
    context: &'a Context<'a>,
    stock: Stock<'a>,
    index: Index<'a>,
    front: Front<'a>,
    stream: Stream,
    blocks: Vec<Block>,
    /// The records that make no block, by cell.
    leftovers: Vec<(u32, Member)>,
}

impl<'a> Maker<'a> {
    fn new(
        task: &'a ClusteringTask<'a>,
        table: &FrequencyTable,
        judge: Judge<'a>,
        costs: &'a Costs<'a>,
        context: &'a Context<'a>,
    ) -> Self {
        let widths: Vec<usize> = table.qis.iter().map(|qi| qi.hierarchy.width(0)).collect();
        let cells = costs.cells;
        let loss = |cell: u32| costs.lambda() * costs.torn(&[(cell, 1)]);
        let losses = (0..cells.len() as u32).map(loss).collect();
        Self {
            task,
            judge,
            costs,
            context,
            stock: Stock::new(cells),
            index: Index::new(cells, &widths, losses),
            front: Front::new(costs, &widths),
            stream: context.seed.stream(streams::CLUSTER_SEEDS),
            blocks: Vec::new(),
            leftovers: Vec::new(),
        }
    }

    /// Blocks until fewer than k records are left, or those left make none.
    fn run(&mut self) -> Result<(), MethodError> {
        let records = self.stock.records;
        while self.stock.records >= self.task.least_size.max(1) {
            self.context.check()?;
            self.context.progress.step("clustering", records - self.stock.records, records);
            let seed = self.seed();
            self.front.clear();
            let (cells, members) = self.block(seed)?;
            match self.is_done(&members) {
                true => self.blocks.push(Block { members, held: self.front.held() }),
                false => self.leftovers.extend(cells.into_iter().zip(members)),
            }
        }
        while self.stock.records > 0 {
            let cell = self.stock.at(0);
            let entry = self.stock.take(cell);
            self.leftovers.push((cell, (entry, 1)));
        }
        Ok(())
    }

    /// The first record of a block.
    fn seed(&mut self) -> u32 {
        if self.task.seeds == Seeds::Farthest && self.front.size > 0 {
            let query = self.front.reversed();
            let found = self.index.nearest(&query, &self.stock, None, &[]);
            return found.expect("records are left").1;
        }
        self.stock.at(below(&mut self.stream, self.stock.records))
    }

    /// A seed and the nearest records, until the block holds or cannot.
    fn block(&mut self, seed: u32) -> Result<(Vec<u32>, Vec<Member>), MethodError> {
        let (mut cells, mut members) = (vec![seed], vec![(self.take(seed), 1)]);
        while self.stock.records > 0 && !self.is_done(&members) && !self.is_hopeless(&members) {
            self.context.check()?;
            let cell = match self.task.choice {
                Choice::Drawn => self.drawn(),
                Choice::Block | Choice::Seed => self.nearest(),
            };
            cells.push(cell);
            members.push((self.take(cell), 1));
        }
        // Until now the block was its seed alone.
        if self.task.choice == Choice::Seed {
            cells[1..].iter().for_each(|&cell| self.front.add(cell));
        }
        Ok((cells, members))
    }

    fn nearest(&self) -> u32 {
        let own = self.front.nearest_own(&self.stock);
        let tuples = self.front.tuples();
        let nearest = self.index.nearest(&self.front.query, &self.stock, own, &tuples);
        nearest.expect("records are left").1
    }

    /// A record of those that leave the block least short of its model.
    fn drawn(&mut self) -> u32 {
        let (penalty, value) = (&self.front.query.penalty, &self.costs.cells.value);
        let short = |&cell: &u32| penalty[value[cell as usize] as usize].0;
        let left = penalty.iter().zip(&self.stock.of_value).filter(|(_, left)| **left > 0);
        let least = left.map(|(penalty, _)| penalty.0).min().expect("records are left");
        for _ in 0..MOST_DRAWS {
            let cell = self.stock.at(below(&mut self.stream, self.stock.records));
            if short(&cell) == least {
                return cell;
            }
        }
        let left = &self.stock.left;
        let fitting = || (0..left.len() as u32).filter(|cell| short(cell) == least);
        let mut place = below(&mut self.stream, fitting().map(|cell| left[cell as usize]).sum());
        let holds = |&cell: &u32| {
            let here = place < left[cell as usize];
            place = place.saturating_sub(left[cell as usize]);
            here
        };
        fitting().find(holds).expect("the place is among those left")
    }

    fn take(&mut self, cell: u32) -> u32 {
        let entry = self.stock.take(cell);
        self.index.taken(self.costs.cells.tuple[cell as usize], &self.stock);
        if self.task.choice != Choice::Seed || self.front.size == 0 {
            self.front.add(cell);
        }
        entry
    }

    fn is_done(&self, members: &[Member]) -> bool {
        members.len() as u64 >= self.task.least_size && self.judge.holds(members)
    }

    /// Whether a model that added records cannot break fails even with all records that are left.
    /// Asked of ever larger blocks only, since it takes a look at all of them.
    fn is_hopeless(&self, members: &[Member]) -> bool {
        if members.len() < ASKED_FROM || !members.len().is_power_of_two() {
            return false;
        }
        let stable = |bound: &&Bound| bound.monotonicity == Monotonicity::Superset;
        let models: Vec<Bound> = self.task.models.iter().filter(stable).cloned().collect();
        let judge = Judge { models: &models, ..self.judge };
        !judge.holds(&[members, &self.stock.members()].concat())
    }
}

fn figures_of(costs: &Costs<'_>, blocks: &[Block]) -> BlockFigures {
    let (mut distinct, mut loss, mut distances) = ([0; 3], 0, 0.0);
    let before = costs.information_before();
    for block in blocks {
        let mut values: Vec<u32> =
            block.held.iter().map(|&(cell, _)| costs.cells.value[cell as usize]).collect();
        values.sort_unstable();
        values.dedup();
        distinct[values.len().min(3) - 1] += 1;
        loss += costs.lost(&block.held);
        distances += to_bits(costs.distance(&block.held, before)) / costs.cells.records as f64;
    }
    let block_loss = to_bits(loss) / costs.cells.records as f64;
    BlockFigures { blocks: blocks.len(), distinct, block_loss, distances }
}

#[cfg(test)]
mod tests;
