//! What costs need to know of a block, so that those of a union follow without its records.

use velamen_core::hierarchy::Hierarchy;
use velamen_core::recoding::merged;

use super::bits::Bits;
use super::objective::{Cost, Costs, Lambda, Objective, UNIT, with};

/// A block's counts, and what it costs.
#[derive(Debug)]
pub(super) struct Tally {
    /// By cell, ascending.
    pub(super) held: Vec<(u32, u64)>,
    pub(super) cost: Cost,
    size: u64,
    /// By attribute, the records of each leaf code that occurs, ascending.
    codes: Vec<Vec<(u32, u64)>>,
    /// The records of each sensitive value that occurs, ascending.
    sensitive: Vec<(u32, u64)>,
    /// See [`Costs::beside`].
    beside: i128,
}

impl Tally {
    /// Of records by cell, ascending, at least one.
    pub(super) fn new(costs: &Costs<'_>, held: Vec<(u32, u64)>) -> Self {
        let codes =
            |q: usize| merged(held.iter().map(|&(cell, n)| (costs.cells.codes_of(cell)[q], n)).collect());
        let codes = (0..costs.cells.width).map(codes).collect();
        let value = |&(cell, n): &(u32, u64)| (costs.cells.value[cell as usize], n);
        let sensitive = merged(held.iter().map(value).collect());
        let size = held.iter().map(|h| h.1).sum();
        let beside = costs.beside(&sensitive, size);
        Self { cost: costs.of(&held), size, held, codes, sensitive, beside }
    }
}

/// A block that is to be one with others: what each value has there is looked up.
pub(super) struct Joining<'a> {
    tally: &'a Tally,
    /// By attribute and leaf code, its records; of a single record, nothing.
    counts: Vec<Vec<u64>>,
}

impl<'a> Joining<'a> {
    pub(super) fn new(costs: &Costs<'_>, tally: &'a Tally) -> Self {
        let dense = |(codes, hierarchy): (&Vec<(u32, u64)>, &&Hierarchy)| {
            let mut counts = vec![0; hierarchy.width(0)];
            codes.iter().for_each(|&(code, n)| counts[code as usize] = n);
            counts
        };
        let attributes = if tally.size == 1 { 0 } else { tally.codes.len() };
        let counts = tally.codes.iter().zip(&costs.hierarchies).take(attributes).map(dense).collect();
        Self { tally, counts }
    }

    /// Σ over the attributes, and the values that both have, of F(a_v + b_v) − F(a_v) − F(b_v).
    fn shared(&self, bits: &Bits, b: &Tally) -> i64 {
        if self.tally.size > 1 {
            return self.counts.iter().zip(&b.codes).map(|(a, b)| shared(bits, a, b)).sum();
        }
        let codes = self.tally.codes.iter().zip(&b.codes);
        codes.map(|(a, b)| a.first().map_or(0, |one| bits.next(count(b, one.0)))).sum()
    }
}

impl Costs<'_> {
    /// What the records of two blocks cost as one, which is `of` of both.
    ///
    /// With a model or conditional entropy as the objective: Σ over the attributes of
    /// F(|A ∪ B|) − Σ F(a_v + b_v), in which the values of one block alone are known from its own cost.
    /// Time: O(values of b) there, where a is a single record O(attributes · log(values of b)), else O(records · attributes).
    pub(super) fn union(&self, joining: &Joining<'_>, b: &Tally) -> Cost {
        let a = joining.tally;
        match self.objective {
            Objective::Heights => return self.of(&with(&a.held, &b.held)),
            Objective::Entropy(lambda) if lambda != Lambda::NONE => return self.of(&with(&a.held, &b.held)),
            Objective::Entropy(_) | Objective::Diversity { .. } | Objective::Closeness { .. } => {}
        }
        let size = a.size + b.size;
        let apart = self.bits.of(size) - self.bits.of(a.size) - self.bits.of(b.size);
        let rise = apart * self.cells.width as i64 - joining.shared(&self.bits, b);
        (self.union_deficit(joining, b), a.cost.1 + b.cost.1 + i128::from(rise) * i128::from(UNIT))
    }

    /// The first figure of [`Self::union`].
    ///
    /// Time: O(sensitive values of both), where a is a single record O(log(sensitive values of b)).
    pub(super) fn union_deficit(&self, Joining { tally: a, .. }: &Joining<'_>, b: &Tally) -> i128 {
        match (self.objective, &a.sensitive[..]) {
            (Objective::Entropy(_) | Objective::Heights, _) => 0,
            (_, &[(value, 1)]) => {
                self.deficit_with(b.beside, value, count(&b.sensitive, value), b.size).into()
            }
            _ => self.deficit(joined(&a.sensitive, &b.sensitive), a.size + b.size).into(),
        }
    }
}

/// Σ of F(a_v + b_v) − F(a_v) − F(b_v) over the values that both have.
fn shared(bits: &Bits, counts: &[u64], b: &[(u32, u64)]) -> i64 {
    let both = b.iter().map(|&(code, n)| (counts[code as usize], n)).filter(|(of_a, _)| *of_a > 0);
    both.map(|(of_a, n)| bits.of(of_a + n) - bits.of(of_a) - bits.of(n)).sum()
}

/// How many records have a value; the values ascend.
fn count(values: &[(u32, u64)], value: u32) -> u64 {
    values.binary_search_by_key(&value, |of| of.0).map_or(0, |at| values[at].1)
}

/// The counts of both, ascending as they are.
fn joined<'a>(a: &'a [(u32, u64)], b: &'a [(u32, u64)]) -> impl Iterator<Item = (u32, u64)> + 'a {
    let (mut a, mut b) = (a.iter().copied().peekable(), b.iter().copied().peekable());
    std::iter::from_fn(move || match (a.peek(), b.peek()) {
        (Some(x), Some(y)) if x.0 == y.0 => a.next().zip(b.next()).map(|(x, y)| (x.0, x.1 + y.1)),
        (Some(x), Some(y)) if x.0 > y.0 => b.next(),
        (Some(_), _) => a.next(),
        (None, _) => b.next(),
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::method::local::clustering::cells::Cells;
    use crate::method::local::clustering::tests::table_1;

    fn objectives() -> impl Strategy<Value = Objective> {
        prop_oneof![
            (0.0..3.0f64).prop_map(|lambda| Objective::Entropy(Lambda::try_from(lambda).unwrap())),
            Just(Objective::Entropy(Lambda::NONE)),
            (1.1..4.0f64).prop_map(|l| Objective::Diversity { l }),
            (0.0..1.0f64).prop_map(|t| Objective::Closeness { t }),
            Just(Objective::Heights),
        ]
    }

    proptest! {
        #[test]
        fn a_union_costs_what_its_records_do(
            objective in objectives(),
            sides in proptest::collection::vec(0u8..3, 9),
        ) {
            let table = table_1();
            let cells = Cells::new(&table, Some(0));
            let hierarchies = table.qis.iter().map(|qi| &qi.hierarchy).collect();
            let costs = Costs { cells: &cells, hierarchies, objective, bits: Bits::new() };
            let side = |side: u8| -> Vec<(u32, u64)> {
                let of_side = (0..cells.len() as u32).filter(|&cell| sides[cell as usize % 9] == side);
                of_side.map(|cell| (cell, 1)).collect()
            };
            let (a, b) = (side(0), side(1));
            prop_assume!(!a.is_empty() && !b.is_empty());
            let (one, other) = (Tally::new(&costs, a.clone()), Tally::new(&costs, b.clone()));
            let union = costs.union(&Joining::new(&costs, &one), &other);
            prop_assert_eq!(union, costs.of(&with(&a, &b)));
            prop_assert_eq!(costs.union_deficit(&Joining::new(&costs, &one), &other), union.0);
            for record in a {
                let one = Tally::new(&costs, vec![record]);
                let union = costs.union(&Joining::new(&costs, &one), &other);
                prop_assert_eq!(union, costs.of(&with(&[record], &b)));
            }
        }
    }
}
