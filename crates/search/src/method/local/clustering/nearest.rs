//! The record nearest to a block, without looking at all of them.
//!
//! The tuples that have records left stand in a tree, one attribute per level, attributes of few
//! values first. A distance is a sum over the attributes, plus what the sensitive value and the
//! record's own tuple add: so a branch whose least possible sum is no better than the best record
//! seen is left out. Distances are whole numbers. Of equally near records, where mutual information
//! counts, one whose sensitive value the block has fewest of is taken. Of these it is the first in the
//! canonical order, as a search of the whole table would find it.

use std::ops::Range;

use super::cells::{Cells, Stock};

/// A distance: the first figure decides, then the second; the third is the tie's: how many records of its
/// sensitive value the block has, where mutual information counts.
pub(super) type Score = (i64, i64, i64);

/// How far a record is from a block.
#[derive(Debug)]
pub(super) struct Query {
    /// By attribute and leaf code.
    pub(super) costs: Vec<Vec<i64>>,
    /// By attribute, at most the least of its costs.
    pub(super) least: Vec<i64>,
    /// By sensitive value.
    pub(super) penalty: Vec<Score>,
    /// Whether the loss of a record's own tuple counts.
    pub(super) losses: bool,
}

/// Values of one attribute under values of those before it.
#[derive(Debug, Default)]
struct Level {
    attribute: usize,
    code: Vec<u32>,
    parent: Vec<u32>,
    /// Where the children begin, on the level below; one more than there are nodes. Of no meaning
    /// on the last level, where each node is a tuple.
    children: Vec<u32>,
    /// How many tuples below have records left.
    alive: Vec<u32>,
    /// The least loss of any record below.
    loss: Vec<i64>,
    /// Which sensitive values occur below, by their remainders modulo 64.
    values: Vec<u64>,
    /// The first cell below.
    first: Vec<u32>,
}

/// The tuples that have records left, as a tree.
#[derive(Debug)]
pub(super) struct Index<'a> {
    cells: &'a Cells,
    /// By cell, what a record of it loses by leaving its tuple.
    loss: Vec<i64>,
    /// The attributes in the order of the levels.
    order: Vec<usize>,
    levels: Vec<Level>,
    /// The tuple of each node of the last level.
    tuples: Vec<u32>,
    /// The node of each tuple on the last level.
    place: Vec<u32>,
    alive: usize,
}

impl<'a> Index<'a> {
    /// `widths` has the number of values of each attribute.
    pub(super) fn new(cells: &'a Cells, widths: &[usize], loss: Vec<i64>) -> Self {
        let mut order: Vec<usize> = (0..cells.width).collect();
        order.sort_by_key(|&attribute| (widths[attribute], attribute));
        let mut tuples: Vec<u32> = (0..cells.tuples() as u32).collect();
        let key = |tuple: u32| order.iter().map(move |&attribute| cells.codes(tuple)[attribute]);
        tuples.sort_unstable_by(|&a, &b| key(a).cmp(key(b)));
        let place = vec![0; tuples.len()];
        let mut index = Self { cells, loss, order, levels: Vec::new(), tuples, place, alive: 0 };
        index.build(&Stock::new(cells));
        index
    }

    /// The tree of the tuples that have records left.
    ///
    /// Time: O(cells + tuples · attributes).
    fn build(&mut self, stock: &Stock<'_>) {
        self.tuples.retain(|&tuple| stock.has(tuple));
        self.alive = self.tuples.len();
        self.levels = self.order.iter().map(|&attribute| Level { attribute, ..Level::default() }).collect();
        let mut before: Option<u32> = None;
        let tuples = std::mem::take(&mut self.tuples);
        for (leaf, &tuple) in (0..).zip(&tuples) {
            let codes = self.cells.codes(tuple);
            let differs = |&&a: &&usize| before.is_none_or(|before| self.cells.codes(before)[a] != codes[a]);
            let same = self.order.iter().take_while(|a| !differs(a)).count();
            self.place[tuple as usize] = leaf;
            self.grow(same, tuple, stock);
            before = Some(tuple);
        }
        self.tuples = tuples;
        let below: Vec<u32> = self.levels.iter().skip(1).map(|level| level.code.len() as u32).collect();
        for (level, end) in self.levels.iter_mut().zip(below) {
            level.children.push(end);
        }
    }

    /// Adds a tuple whose first `same` nodes are those of the tuple before it.
    fn grow(&mut self, same: usize, tuple: u32, stock: &Stock<'_>) {
        let left = || self.cells.of(tuple).filter(|&cell| stock.left[cell as usize] > 0);
        let loss = left().map(|cell| self.loss[cell as usize]).min().unwrap_or(0);
        let values = left().fold(0, |bits, cell| bits | bit(self.cells.value[cell as usize]));
        let first = self.cells.of(tuple).start;
        for depth in 0..self.levels.len() {
            let child = self.levels.get(depth + 1).map_or(0, |below| below.code.len() as u32);
            let parent = if depth == 0 { 0 } else { self.levels[depth - 1].code.len() as u32 - 1 };
            let level = &mut self.levels[depth];
            if depth >= same {
                level.code.push(self.cells.codes(tuple)[level.attribute]);
                level.parent.push(parent);
                level.children.push(child);
                level.alive.push(0);
                level.loss.push(i64::MAX);
                level.values.push(0);
                level.first.push(u32::MAX);
            }
            let node = level.code.len() - 1;
            level.alive[node] += 1;
            level.loss[node] = level.loss[node].min(loss);
            level.values[node] |= values;
            level.first[node] = level.first[node].min(first);
        }
    }

    /// Notes that a record of a tuple was taken. Once half of the tuples are gone the tree is built
    /// again, which costs no more than they did.
    pub(super) fn taken(&mut self, tuple: u32, stock: &Stock<'_>) {
        if stock.has(tuple) {
            return;
        }
        let mut node = self.place[tuple as usize];
        for level in self.levels.iter_mut().rev() {
            level.alive[node as usize] -= 1;
            node = level.parent[node as usize];
        }
        self.alive -= 1;
        if self.alive * 2 < self.tuples.len() {
            self.build(stock);
        }
    }

    /// The cell of the nearest record that is left, but for those of the tuples `but`, where
    /// `known` is not nearer.
    pub(super) fn nearest(
        &self,
        query: &Query,
        stock: &Stock<'_>,
        known: Option<(Score, u32)>,
        but: &[u32],
    ) -> Option<(Score, u32)> {
        let mut rest = vec![0; self.order.len() + 1];
        for depth in (0..self.order.len()).rev() {
            rest[depth] = rest[depth + 1] + query.least[self.order[depth]];
        }
        let penalties = Penalties::new(&query.penalty, stock);
        let mut search = NearestSearch { index: self, query, stock, but, rest, penalties, best: known };
        if let Some(top) = self.levels.first() {
            search.visit(0, 0..top.code.len(), 0);
        }
        search.best
    }
}

fn bit(value: u32) -> u64 {
    1 << (value % 64)
}

/// The two least penalties of values that have records left, and which have the least.
struct Penalties {
    least: Score,
    values: u64,
    other: Score,
}

impl Penalties {
    fn new(penalty: &[Score], stock: &Stock<'_>) -> Self {
        let left = || (0..).zip(penalty).zip(&stock.of_value).filter(|(_, left)| **left > 0).map(|(p, _)| p);
        let least = left().map(|(_, score)| *score).min().unwrap_or_default();
        let values = left().filter(|p| *p.1 == least).fold(0, |bits, (value, _)| bits | bit(value));
        let other = left().map(|(_, score)| *score).filter(|score| *score != least).min().unwrap_or(least);
        Self { least, values, other }
    }

    /// The least that any of these values has, or less.
    fn of(&self, values: u64) -> Score {
        if self.values & values == 0 { self.other } else { self.least }
    }
}

struct NearestSearch<'a> {
    index: &'a Index<'a>,
    query: &'a Query,
    stock: &'a Stock<'a>,
    but: &'a [u32],
    /// By depth, the least costs of the attributes from there on.
    rest: Vec<i64>,
    penalties: Penalties,
    best: Option<(Score, u32)>,
}

impl NearestSearch<'_> {
    /// Looks under nodes of a level: those of the least cost first, which lead to near records.
    fn visit(&mut self, depth: usize, nodes: Range<usize>, before: i64) {
        let index = self.index;
        let level = &index.levels[depth];
        let (costs, least) = (&self.query.costs[level.attribute], self.query.least[level.attribute]);
        for near in [true, false] {
            for node in nodes.clone() {
                let cost = costs[level.code[node] as usize];
                if (cost == least) == near && level.alive[node] > 0 {
                    self.enter(depth, node, before + cost);
                }
            }
        }
    }

    fn enter(&mut self, depth: usize, node: usize, cost: i64) {
        let level = &self.index.levels[depth];
        let penalty = self.penalties.of(level.values[node]);
        let loss = if self.query.losses { level.loss[node] } else { 0 };
        let bound = (penalty.0, cost + self.rest[depth + 1] + loss + penalty.1, penalty.2);
        if self.best.is_some_and(|best| (bound, level.first[node]) >= best) {
            return;
        }
        if depth + 1 < self.index.levels.len() {
            let children = level.children[node] as usize..level.children[node + 1] as usize;
            self.visit(depth + 1, children, cost);
        } else {
            self.look(self.index.tuples[node], cost);
        }
    }

    fn look(&mut self, tuple: u32, cost: i64) {
        if self.but.contains(&tuple) {
            return;
        }
        for cell in self.index.cells.of(tuple).filter(|&cell| self.stock.left[cell as usize] > 0) {
            let loss = if self.query.losses { self.index.loss[cell as usize] } else { 0 };
            let penalty = self.query.penalty[self.index.cells.value[cell as usize] as usize];
            let found = ((penalty.0, cost + loss + penalty.1, penalty.2), cell);
            if self.best.is_none_or(|best| found < best) {
                self.best = Some(found);
            }
        }
    }
}
