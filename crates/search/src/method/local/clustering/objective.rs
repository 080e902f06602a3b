//! What blocks are chosen by.

use velamen_core::error::Problem;
use velamen_core::hierarchy::Hierarchy;
use velamen_core::recoding::merged;

use super::bits::{Bits, rounded};
use super::cells::Cells;

/// Steps of a distance in one of [`Bits`], so that λ and levels can be fractions.
pub(super) const UNIT: i64 = 1 << 16;

/// The largest λ.
pub const MOST_LAMBDA: f64 = 1024.0;

/// λ: what a bit of mutual information counts, in 2⁻¹⁶.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lambda(i64);

impl Lambda {
    /// Mutual information does not count.
    pub(super) const NONE: Self = Self(0);
}

impl TryFrom<f64> for Lambda {
    type Error = Problem;

    fn try_from(lambda: f64) -> Result<Self, Problem> {
        if !(0.0..=MOST_LAMBDA).contains(&lambda) {
            let expected = format!("a number from 0 to {MOST_LAMBDA}, of which 1 is the published distance");
            return Err(Problem::new(format!("lambda = {lambda}")).expected(expected));
        }
        Ok(Self((lambda * UNIT as f64).round() as i64))
    }
}

/// What a block should cost little of.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Objective {
    /// Conditional entropy and λ times mutual information; conditional entropy alone with λ = 0.
    Entropy(Lambda),
    /// First what the block's sensitive values lack of an entropy of log l, then conditional
    /// entropy.
    Diversity {
        /// l, above 1.
        l: f64,
    },
    /// First how far the block's sensitive values are beyond a distance of t from the table's, any
    /// two values being equally far apart, then conditional entropy.
    Closeness {
        /// t, from 0 to 1.
        t: f64,
    },
    /// How high the hierarchies are climbed.
    Heights,
}

/// A cost: the first figure decides, then the second.
pub(super) type Cost = (i128, i128);

/// An objective on a table.
#[derive(Debug)]
pub(super) struct Costs<'a> {
    pub(super) cells: &'a Cells,
    pub(super) hierarchies: Vec<&'a Hierarchy>,
    pub(super) objective: Objective,
    pub(super) bits: Bits,
}

impl Costs<'_> {
    /// λ, 0 where mutual information does not count.
    pub(super) fn lambda(&self) -> i64 {
        match self.objective {
            Objective::Entropy(Lambda(lambda)) => lambda,
            _ => 0,
        }
    }

    /// What records cost if they alone are generalized, to one value per attribute. Cells ascend.
    pub(super) fn of(&self, held: &[(u32, u64)]) -> Cost {
        let size: u64 = held.iter().map(|h| h.1).sum();
        if size == 0 {
            return (0, 0);
        }
        if self.objective == Objective::Heights {
            return (0, i128::from(size) * i128::from(self.heights(held)));
        }
        let sensitive = merged(held.iter().map(|&(cell, n)| (self.cells.value[cell as usize], n)).collect());
        let lost = i128::from(self.conditional_entropy(held, size)) * i128::from(UNIT);
        match self.objective {
            Objective::Entropy(Lambda(0)) => (0, lost),
            Objective::Entropy(Lambda(lambda)) => {
                (0, lost + i128::from(lambda) * i128::from(self.information(held, &sensitive, size)))
            }
            _ => (self.deficit(sensitive.into_iter(), size).into(), lost),
        }
    }

    /// n · CE of records that alone are generalized, in steps. Cells ascend.
    pub(super) fn lost(&self, held: &[(u32, u64)]) -> i64 {
        self.conditional_entropy(held, held.iter().map(|h| h.1).sum())
    }

    /// Σ over the attributes of F(|B|) − Σ F(records of a value).
    fn conditional_entropy(&self, held: &[(u32, u64)], size: u64) -> i64 {
        (0..self.cells.width).map(|q| self.entropy(held, size, q)).sum()
    }

    /// The same of one attribute.
    fn entropy(&self, held: &[(u32, u64)], size: u64, q: usize) -> i64 {
        let codes = held.iter().map(|&(cell, n)| (self.cells.codes_of(cell)[q], n)).collect();
        self.bits.of(size) - merged(codes).iter().map(|&(_, n)| self.bits.of(n)).sum::<i64>()
    }

    /// n · d of records that alone are generalized, in steps: what they lose, and MI then. Cells ascend.
    pub(super) fn distance(&self, held: &[(u32, u64)], information_before: i64) -> i64 {
        let size = held.iter().map(|h| h.1).sum();
        let sensitive = merged(held.iter().map(|&(cell, n)| (self.cells.value[cell as usize], n)).collect());
        self.lost(held) + information_before + self.information(held, &sensitive, size)
    }

    /// n · MI of the table as it is, in steps.
    pub(super) fn information_before(&self) -> i64 {
        let all = self.spread(self.cells.records, self.cells.totals.iter().copied());
        all - (0..self.cells.tuples() as u32).map(|tuple| self.within(tuple)).sum::<i64>()
    }

    /// The spread of the values of a tuple's records.
    fn within(&self, tuple: u32) -> i64 {
        let counts = self.cells.of(tuple).map(|cell| self.cells.count[cell as usize]);
        self.spread(self.cells.size[tuple as usize], counts)
    }

    /// n times what MI rises by, less than 0 where it falls.
    fn information(&self, held: &[(u32, u64)], sensitive: &[(u32, u64)], size: u64) -> i64 {
        let tuple = |cell: u32| self.cells.tuple[cell as usize];
        if held.iter().all(|h| tuple(h.0) == tuple(held[0].0)) {
            return 0;
        }
        let left: i64 = held.chunk_by(|a, b| tuple(a.0) == tuple(b.0)).map(|run| self.torn(run)).sum();
        left - self.spread(size, sensitive.iter().map(|s| s.1))
    }

    /// What cells of one tuple take from the spread of its values by leaving it.
    pub(super) fn torn(&self, run: &[(u32, u64)]) -> i64 {
        let size = self.cells.size[self.cells.tuple[run[0].0 as usize] as usize];
        let leaving: u64 = run.iter().map(|h| h.1).sum();
        let of_value = |&(cell, n): &(u32, u64)| {
            let count = self.cells.count[cell as usize];
            self.bits.of(count) - self.bits.of(count - n)
        };
        self.bits.of(size) - self.bits.of(size - leaving) - run.iter().map(of_value).sum::<i64>()
    }

    /// |G| · H(S) within a group.
    fn spread(&self, size: u64, counts: impl Iterator<Item = u64>) -> i64 {
        self.bits.of(size) - counts.map(|n| self.bits.of(n)).sum::<i64>()
    }

    /// What a group lacks of the model that the objective aims at, times its size.
    pub(super) fn deficit(&self, sensitive: impl Iterator<Item = (u32, u64)>, size: u64) -> i64 {
        match self.objective {
            Objective::Diversity { l } => {
                let spread = self.spread(size, sensitive.map(|s| s.1));
                self.lacking_entropy(l, size, spread)
            }
            Objective::Closeness { t } => {
                let mut away = self.beyond(t, size);
                for (value, count) in sensitive {
                    away += self.moved(value, count, size) - self.moved(value, 0, size);
                }
                narrow(away.max(0))
            }
            Objective::Entropy(_) | Objective::Heights => 0,
        }
    }

    /// What the deficit of a group and one more record follows from, whatever the record's value.
    ///
    /// Time: O(sensitive values of the group).
    pub(super) fn beside(&self, sensitive: &[(u32, u64)], size: u64) -> i128 {
        let with = size + 1;
        match self.objective {
            Objective::Diversity { .. } => self.spread(with, sensitive.iter().map(|s| s.1)).into(),
            Objective::Closeness { t } => {
                let moved =
                    |&(value, n): &(u32, u64)| self.moved(value, n, with) - self.moved(value, 0, with);
                self.beyond(t, with) + sensitive.iter().map(moved).sum::<i128>()
            }
            Objective::Entropy(_) | Objective::Heights => 0,
        }
    }

    /// The deficit of a group and one more record of a value that `count` records of the group have; `beside` is that
    /// of the group.
    ///
    /// Time: O(1).
    pub(super) fn deficit_with(&self, beside: i128, value: u32, count: u64, size: u64) -> i64 {
        let with = size + 1;
        match self.objective {
            Objective::Diversity { l } => {
                self.lacking_entropy(l, with, narrow(beside) - self.bits.next(count))
            }
            Objective::Closeness { .. } => {
                let moved = self.moved(value, count + 1, with) - self.moved(value, count, with);
                narrow((beside + moved).max(0))
            }
            Objective::Entropy(_) | Objective::Heights => 0,
        }
    }

    fn lacking_entropy(&self, l: f64, size: u64, spread: i64) -> i64 {
        (rounded(size as f64 * l.log2()) - spread).max(0)
    }

    /// 2n·|B| times the distance of |B| records of no known value, less t.
    fn beyond(&self, t: f64, size: u64) -> i128 {
        let all = i128::from(size) * i128::from(self.cells.records);
        all - (2.0 * t * all as f64).floor() as i128
    }

    /// n·|B| times how far a value's share of the block is from its share of the table.
    fn moved(&self, value: u32, count: u64, size: u64) -> i128 {
        let held = i128::from(self.cells.records) * i128::from(count);
        (held - i128::from(size) * i128::from(self.cells.totals[value as usize])).abs()
    }

    /// By sensitive value the deficit of a block of these counts with a record of it more.
    pub(super) fn deficits(&self, counts: &[u64], size: u64) -> Vec<i64> {
        let size = size + 1;
        match self.objective {
            Objective::Diversity { l } => {
                let without: i64 = counts.iter().map(|&n| self.bits.of(n)).sum();
                let with = |&n: &u64| self.bits.of(size) - without - self.bits.next(n);
                counts.iter().map(|n| self.lacking_entropy(l, size, with(n))).collect()
            }
            Objective::Closeness { t } => {
                let moved = |(value, &count): (u32, &u64)| self.moved(value, count, size);
                let none: i128 = (0..).zip(counts).map(|(value, _)| self.moved(value, 0, size)).sum();
                let all = self.beyond(t, size) - none + (0..).zip(counts).map(moved).sum::<i128>();
                let with = |(value, &n): (u32, &u64)| {
                    let away = all - self.moved(value, n, size) + self.moved(value, n + 1, size);
                    narrow(away.max(0))
                };
                (0..).zip(counts).map(with).collect()
            }
            Objective::Entropy(_) | Objective::Heights => vec![0; counts.len()],
        }
    }

    /// Σ over the attributes of the level of the lowest common ancestor as a share of the height.
    fn heights(&self, held: &[(u32, u64)]) -> i64 {
        (0..self.cells.width).map(|q| self.height(held, q)).sum()
    }

    /// The same of one attribute.
    fn height(&self, held: &[(u32, u64)], q: usize) -> i64 {
        let first = self.cells.codes_of(held[0].0)[q];
        let climb = |level, &(cell, _): &(u32, u64)| {
            common_level(self.hierarchies[q], level, first, self.cells.codes_of(cell)[q])
        };
        height(self.hierarchies[q], held.iter().fold(0, climb))
    }
}

/// The lowest level from `from` up at which two leaves have one value.
pub(super) fn common_level(hierarchy: &Hierarchy, from: u8, a: u32, b: u32) -> u8 {
    let same = |&level: &u8| hierarchy.code(level, a) == hierarchy.code(level, b);
    (from..=hierarchy.top()).find(same).unwrap_or(hierarchy.top())
}

/// A level as a share of the hierarchy's height.
pub(super) fn height(hierarchy: &Hierarchy, level: u8) -> i64 {
    i64::from(level) * (UNIT << 24) / i64::from(hierarchy.top().max(1))
}

/// Cells with more of them, ascending.
pub(super) fn with(held: &[(u32, u64)], more: &[(u32, u64)]) -> Vec<(u32, u64)> {
    merged([held, more].concat())
}

pub(super) fn difference(a: Cost, b: Cost) -> Cost {
    (a.0 - b.0, a.1 - b.1)
}

/// A cost that a search compares; cut off only where it is far from all others.
pub(super) fn narrow(cost: i128) -> i64 {
    const MOST: i128 = (i64::MAX / 4) as i128;
    cost.clamp(-MOST, MOST) as i64
}
