//! The block that is being made, and what each next record would add to its cost.

use super::cells::{Cells, Stock};
use super::nearest::{Query, Score};
use super::objective::{Costs, Objective, UNIT, common_level, height, narrow};

/// A block while it grows. Adding a record touches what the record has: O(attributes + sensitive
/// values), for [`Objective::Heights`] O(values of all attributes).
#[derive(Debug)]
pub(super) struct Front<'a> {
    costs: &'a Costs<'a>,
    /// What the nearest record is searched by.
    pub(super) query: Query,
    /// The records by cell, in the order they came.
    held: Vec<(u32, u64)>,
    pub(super) size: u64,
    /// By attribute and leaf code, the records of the block.
    counts: Vec<Vec<u64>>,
    /// By sensitive value.
    sensitive: Vec<u64>,
    /// By attribute, the level of the lowest common ancestor.
    levels: Vec<u8>,
}

impl<'a> Front<'a> {
    pub(super) fn new(costs: &'a Costs<'a>, widths: &[usize]) -> Self {
        let values = costs.cells.totals.len();
        let query = Query {
            costs: widths.iter().map(|&width| vec![0; width]).collect(),
            least: vec![0; widths.len()],
            penalty: vec![(0, 0, 0); values],
            losses: costs.lambda() > 0,
        };
        Self {
            costs,
            query,
            held: Vec::new(),
            size: 0,
            counts: widths.iter().map(|&width| vec![0; width]).collect(),
            sensitive: vec![0; values],
            levels: vec![0; widths.len()],
        }
    }

    fn cells(&self) -> &'a Cells {
        self.costs.cells
    }

    /// The records by cell, ascending.
    pub(super) fn held(&self) -> Vec<(u32, u64)> {
        velamen_core::recoding::merged(self.held.clone())
    }

    /// Adds a record of a cell.
    pub(super) fn add(&mut self, cell: u32) {
        match self.held.iter_mut().find(|held| held.0 == cell) {
            Some(held) => held.1 += 1,
            None => self.held.push((cell, 1)),
        }
        self.size += 1;
        for (q, &code) in self.cells().codes_of(cell).iter().enumerate() {
            self.counts[q][code as usize] += 1;
            match self.costs.objective {
                Objective::Heights => self.climb(q, code),
                _ => self.match_value(q, code),
            }
        }
        let value = self.cells().value[cell as usize] as usize;
        self.sensitive[value] += 1;
        self.penalise(value);
    }

    /// F(b + 1) − F(b) less for a record of a value that b records have: what it saves of CE.
    fn match_value(&mut self, q: usize, code: u32) {
        let saved = UNIT * self.costs.bits.next(self.counts[q][code as usize]);
        self.query.costs[q][code as usize] = -saved;
        self.query.least[q] = self.query.least[q].min(-saved);
    }

    /// The height that each value would lift the block to.
    fn climb(&mut self, q: usize, code: u32) {
        let hierarchy = self.costs.hierarchies[q];
        let first = self.held.first().map_or(code, |held| self.cells().codes_of(held.0)[q]);
        let level = common_level(hierarchy, self.levels[q], first, code);
        if self.size > 1 && level == self.levels[q] {
            return;
        }
        self.levels[q] = level;
        for (other, cost) in (0..).zip(self.query.costs[q].iter_mut()) {
            *cost = height(hierarchy, common_level(hierarchy, level, first, other));
        }
        self.query.least[q] = height(hierarchy, level);
    }

    /// What each sensitive value costs, after one more record of `value`.
    fn penalise(&mut self, value: usize) {
        match self.costs.objective {
            Objective::Entropy(_) => {
                let (lambda, count) = (self.costs.lambda(), self.sensitive[value]);
                let rarity = if lambda > 0 { count as i64 } else { 0 };
                self.query.penalty[value] = (0, lambda * self.costs.bits.next(count), rarity);
            }
            Objective::Diversity { .. } | Objective::Closeness { .. } => {
                let deficits = self.costs.deficits(&self.sensitive, self.size);
                self.query.penalty = deficits.into_iter().map(|deficit| (deficit, 0, 0)).collect();
            }
            Objective::Heights => {}
        }
    }

    /// The tuples that the block has records of, ascending.
    pub(super) fn tuples(&self) -> Vec<u32> {
        let mut tuples: Vec<u32> = self.held.iter().map(|h| self.cells().tuple[h.0 as usize]).collect();
        tuples.sort_unstable();
        tuples.dedup();
        tuples
    }

    /// The best record of the block's own tuples, whose loss depends on what the block has of them.
    pub(super) fn nearest_own(&self, stock: &Stock<'_>) -> Option<(Score, u32)> {
        let tuples = self.tuples();
        let whole = (tuples.len() == 1 && self.query.losses).then(|| -self.common());
        let of_tuple = |&tuple: &u32| self.cells().of(tuple).filter(|&cell| stock.left[cell as usize] > 0);
        let score = |cell: u32| match whole {
            Some(score) => (score, cell),
            None => (self.own_score(cell), cell),
        };
        let scored = tuples.iter().flat_map(of_tuple).map(|cell| {
            let (second, cell) = score(cell);
            let (first, _, third) = self.query.penalty[self.cells().value[cell as usize] as usize];
            ((first, second, third), cell)
        });
        scored.min()
    }

    /// The second figure of a record of one of the block's tuples.
    fn own_score(&self, cell: u32) -> i64 {
        let codes = self.cells().codes_of(cell).iter().enumerate();
        let cost: i64 = codes.map(|(q, &code)| self.query.costs[q][code as usize]).sum();
        let penalty = self.query.penalty[self.cells().value[cell as usize] as usize].1;
        let loss = if self.query.losses { self.costs.lambda() * self.own_loss(cell) } else { 0 };
        cost + penalty + loss
    }

    /// What leaving its tuple takes, after those that the block has of it.
    fn own_loss(&self, cell: u32) -> i64 {
        let tuple = self.cells().tuple[cell as usize];
        let of_tuple = |held: &&(u32, u64)| self.cells().tuple[held.0 as usize] == tuple;
        let gone: u64 = self.held.iter().filter(of_tuple).map(|held| held.1).sum();
        let of_cell = self.held.iter().find(|held| held.0 == cell).map_or(0, |held| held.1);
        let bits = &self.costs.bits;
        bits.next(self.cells().size[tuple as usize] - gone - 1)
            - bits.next(self.cells().count[cell as usize] - of_cell - 1)
    }

    /// What every record of another tuple adds alike to a block of one tuple: all attributes are
    /// generalized, and the block's records leave their tuple. A record of the tuple adds nothing.
    fn common(&self) -> i64 {
        let (bits, lambda) = (&self.costs.bits, i128::from(self.costs.lambda()));
        let entropy = i128::from(UNIT) * self.cells().width as i128 * i128::from(bits.next(self.size));
        let spread: i64 = self.sensitive.iter().map(|&n| bits.of(n)).sum();
        let together = bits.of(self.size + 1) - spread;
        let torn = self.costs.torn(&self.held());
        narrow(entropy + lambda * i128::from(torn - together))
    }

    /// As a search for the record farthest from the block, by its quasi-identifiers alone.
    pub(super) fn reversed(&self) -> Query {
        let costs: Vec<Vec<i64>> =
            self.query.costs.iter().map(|costs| costs.iter().map(|cost| -cost).collect()).collect();
        let least = costs.iter().map(|costs| costs.iter().copied().min().unwrap_or(0)).collect();
        Query { costs, least, penalty: vec![(0, 0, 0); self.sensitive.len()], losses: false }
    }

    /// Empties the block.
    pub(super) fn clear(&mut self) {
        for (cell, _) in std::mem::take(&mut self.held) {
            for (q, &code) in self.cells().codes_of(cell).iter().enumerate() {
                self.counts[q][code as usize] = 0;
                self.query.costs[q][code as usize] = 0;
            }
            let value = self.cells().value[cell as usize] as usize;
            self.sensitive[value] = 0;
            self.query.penalty[value] = (0, 0, 0);
        }
        self.size = 0;
        self.query.least.fill(0);
        self.levels.fill(0);
    }
}
