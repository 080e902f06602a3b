//! Information leak of attributes.
//!
//! # Summary
//! How much someone who looks for a person in a table learns from the value of an attribute, or of
//! several together.
//!
//! # Definition
//! Everyone of the n records is equally likely at first: S₀ = log₂ n. The values of a set of attributes split
//! the records into E₁ … E_m; an adversary who knows the value is left with one part. On average that yields
//! ΔS = Σ (|E_j|/n)(S₀ − log₂ |E_j|), the entropy of the partition; normalized it is ΔS/S₀, from 0 (all share
//! one value) to 1 (nobody shares it); 0 where there is one record.
//!
//! With a prior that makes record i likely with probability p_i, S₀ = −Σ p_i log₂ p_i and ΔS = −Σ P_j log₂ P_j, P_j the
//! sum of p_i over E_j. With p_i = 1/n both are those above.
//!
//! # Parameters
//! The largest size of a set, and how many of the sets of largest leak are asked for.
//!
//! # Errors
//! [`Interrupted`].
//!
//! # Complexity
//! O(entries) a set. For the largest leaks, sets are left out by bounds: ΔS never falls when an attribute
//! joins a set, by at most that attribute's own ΔS, and is never above S₀.
//!
//! # References
//! Longpré, Kreinovich & Dumrongpokaphan 2017, "Entropy as a measure of average loss of privacy"; as used by
//! Arca & Hewett 2021, section 3.1, Proposition 2.
//!
//! # Deviations
//! The paper writes S_j without its minus sign and says that ΔS is largest where nothing is lost; it means
//! the contrary, as its own figures show.

use rustc_hash::FxHashMap;
use velamen_core::context::{Context, Interrupted};

/// Forgiven rounding of bounds, in bits.
const ROUNDING: f64 = 1e-9;

/// What a set of attributes leaks.
#[derive(Debug, Clone, PartialEq)]
pub struct Leak {
    /// The columns, ascending.
    pub attributes: Vec<usize>,
    /// m: distinct combinations of their values.
    pub partitions: usize,
    /// ΔS in bits.
    pub loss: f64,
    /// ΔS/S₀.
    pub normalised: f64,
}

/// Columns of codes, one code an entry, with the records that each entry stands for.
#[derive(Debug, Clone, Copy)]
pub struct Columns<'a> {
    /// Per attribute its code in each entry.
    pub codes: &'a [Vec<u32>],
    /// The records of each entry.
    pub counts: &'a [u64],
    /// How much likelier one record of each entry is than one of weight 1, at least 0; left out: all alike.
    pub weights: Option<&'a [f64]>,
}

/// A partition: the part of each entry, and how many parts there are.
#[derive(Clone)]
struct Partition {
    parts: Vec<u32>,
    len: usize,
}

impl Columns<'_> {
    fn records(&self) -> f64 {
        self.counts.iter().sum::<u64>() as f64
    }

    /// S₀ in bits.
    #[must_use]
    pub fn initial(&self) -> f64 {
        let Some(weights) = self.weights else { return self.records().max(1.0).log2() };
        let whole = self.mass();
        let likely = weights.iter().zip(self.counts).filter(|(weight, count)| **weight > 0.0 && **count > 0);
        likely
            .map(|(weight, &count)| weight * count as f64 / whole * (whole / weight).log2())
            .sum::<f64>()
            .max(0.0)
    }

    /// The weight of all records.
    fn mass(&self) -> f64 {
        (0..self.counts.len()).map(|entry| self.mass_of(entry)).sum()
    }

    /// The weight of an entry's records.
    fn mass_of(&self, entry: usize) -> f64 {
        self.weights.map_or(1.0, |weights| weights[entry]) * self.counts[entry] as f64
    }

    /// The leak of one set.
    #[must_use]
    pub fn of(&self, attributes: &[usize]) -> Leak {
        let whole = self.whole();
        let partition = attributes.iter().fold(whole, |partition, &a| self.parted(&partition, a));
        self.leak(attributes.to_vec(), &partition)
    }

    /// The leaks of all sets up to a size, smaller sets first, then in the order of the columns.
    ///
    /// # Errors
    /// [`Interrupted`].
    pub fn all(&self, up_to: usize, context: &Context<'_>) -> Result<Vec<Leak>, Interrupted> {
        let order: Vec<usize> = (0..self.codes.len()).collect();
        let mut walk = Walk::new(self, order, up_to, None);
        walk.below(&[], &self.whole(), 0, context)?;
        walk.found.sort_by(|a, b| {
            a.attributes.len().cmp(&b.attributes.len()).then_with(|| a.attributes.cmp(&b.attributes))
        });
        Ok(walk.found)
    }

    /// The sets of largest leak; of equal ones the smaller first, then in the order of the columns.
    ///
    /// # Errors
    /// [`Interrupted`].
    pub fn top(&self, up_to: usize, most: usize, context: &Context<'_>) -> Result<Vec<Leak>, Interrupted> {
        let alone: Vec<f64> = (0..self.codes.len()).map(|a| self.of(&[a]).loss).collect();
        let mut order: Vec<usize> = (0..self.codes.len()).collect();
        order.sort_by(|&a, &b| alone[b].total_cmp(&alone[a]).then(a.cmp(&b)));
        let mut walk = Walk::new(self, order, up_to, Some(most));
        walk.alone = alone;
        walk.below(&[], &self.whole(), 0, context)?;
        Ok(walk.found)
    }

    fn whole(&self) -> Partition {
        Partition { parts: vec![0; self.counts.len()], len: 1 }
    }

    /// A partition, parted further by the values of an attribute.
    fn parted(&self, partition: &Partition, attribute: usize) -> Partition {
        let mut known: FxHashMap<(u32, u32), u32> = FxHashMap::default();
        let part = |pair: (&u32, &u32)| {
            let next = known.len() as u32;
            *known.entry((*pair.0, *pair.1)).or_insert(next)
        };
        let parts = partition.parts.iter().zip(&self.codes[attribute]).map(part).collect();
        Partition { parts, len: known.len() }
    }

    fn leak(&self, mut attributes: Vec<usize>, partition: &Partition) -> Leak {
        attributes.sort_unstable();
        let mut masses = vec![0.0; partition.len];
        for (entry, &part) in partition.parts.iter().enumerate() {
            masses[part as usize] += self.mass_of(entry);
        }
        // In one order, so that equal partitions have equal sums.
        masses.sort_unstable_by(f64::total_cmp);
        let (whole, initial) = (self.mass(), self.initial());
        let bits = |mass: &f64| mass / whole * (whole.log2() - mass.log2());
        let loss = masses.iter().filter(|mass| **mass > 0.0).map(bits).sum::<f64>().max(0.0);
        let normalised = if initial > 0.0 { (loss / initial).min(1.0) } else { 0.0 };
        Leak { attributes, partitions: partition.len, loss, normalised }
    }
}

/// A walk over all sets, depth first.
struct Walk<'a> {
    columns: &'a Columns<'a>,
    /// The attributes in the order in which they join sets.
    order: Vec<usize>,
    up_to: usize,
    /// How many sets are kept; `None` for all.
    most: Option<usize>,
    /// The leak of each attribute, where bounds are asked for.
    alone: Vec<f64>,
    found: Vec<Leak>,
}

impl<'a> Walk<'a> {
    fn new(columns: &'a Columns<'a>, order: Vec<usize>, up_to: usize, most: Option<usize>) -> Self {
        Self { columns, order, up_to, most, alone: Vec::new(), found: Vec::new() }
    }

    /// All sets that consist of a set and attributes from a place in the order on.
    fn below(
        &mut self,
        set: &[usize],
        partition: &Partition,
        from: usize,
        context: &Context<'_>,
    ) -> Result<(), Interrupted> {
        context.check()?;
        for next in from..self.order.len() {
            let attribute = self.order[next];
            let set = [set, &[attribute]].concat();
            let partition = self.columns.parted(partition, attribute);
            let leak = self.columns.leak(set.clone(), &partition);
            let go_on = set.len() < self.up_to && self.can_win(leak.loss, self.up_to - set.len(), next + 1);
            self.offer(leak);
            if go_on {
                self.below(&set, &partition, next + 1, context)?;
            }
        }
        Ok(())
    }

    /// Whether a set of this leak, with so many attributes more, could be among those asked for.
    fn can_win(&self, loss: f64, more: usize, from: usize) -> bool {
        let Some(most) = self.most.filter(|most| self.found.len() >= *most) else { return true };
        // The attributes stand in the order of their leaks.
        let joining: f64 = self.order[from..].iter().take(more).map(|&a| self.alone[a]).sum();
        let bound = (loss + joining).min(self.columns.initial());
        most > 0 && bound + ROUNDING >= self.found[most - 1].loss
    }

    fn offer(&mut self, leak: Leak) {
        let Some(most) = self.most else { return self.found.push(leak) };
        let before = |other: &Leak| {
            let smaller = other.attributes.len().cmp(&leak.attributes.len());
            let order = leak.loss.total_cmp(&other.loss).then(smaller);
            order.then_with(|| other.attributes.cmp(&leak.attributes)).is_lt()
        };
        let place = self.found.partition_point(before);
        if place < most {
            self.found.insert(place, leak);
            self.found.truncate(most);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use proptest::prelude::*;
    use velamen_dp::Seed;

    use super::*;
    use velamen_core::context::Silent;

    fn with<T>(run: impl FnOnce(&Context<'_>) -> T) -> T {
        let (seed, cancel) = (Seed::from_number(0), AtomicBool::new(false));
        run(&Context { seed: &seed, progress: &Silent, cancel: &cancel })
    }

    #[test]
    fn sexes_of_the_papers_table() {
        // Arca & Hewett 2021: 27 women and 33 men of 60; 0.993 bits, 0.168 of 5.907.
        let (codes, counts) = (vec![vec![0, 1, 1], vec![0, 1, 2]], vec![27, 30, 3]);
        let columns = Columns { codes: &codes, counts: &counts, weights: None };
        let sex = columns.of(&[0]);
        assert_eq!((sex.partitions, format!("{:.3}", columns.initial())), (2, "5.907".into()));
        assert_eq!(
            (format!("{:.3}", sex.loss), format!("{:.3}", sex.normalised)),
            ("0.993".into(), "0.168".into())
        );
        assert_eq!(columns.of(&[0, 1]).partitions, 3);
    }

    #[test]
    fn one_record_leaks_nothing() {
        let (codes, counts) = (vec![vec![0]], vec![1]);
        let leak = Columns { codes: &codes, counts: &counts, weights: None }.of(&[0]);
        assert_eq!((leak.loss, leak.normalised), (0.0, 0.0));
    }

    #[test]
    fn a_prior_counts_records_by_their_weight() {
        // Four people, of whom the first is the one looked for with probability 1/2, the others with 1/6 each.
        let (codes, counts, weights) = (vec![vec![0, 1, 1]], vec![1, 1, 2], vec![3.0, 1.0, 1.0]);
        let columns = Columns { codes: &codes, counts: &counts, weights: Some(&weights) };
        let sixth = 6.0f64.log2() / 6.0;
        assert!((columns.initial() - (0.5 + 3.0 * sixth)).abs() < 1e-12);
        let leak = columns.of(&[0]);
        assert!((leak.loss - 1.0).abs() < 1e-12 && (leak.normalised - 1.0 / columns.initial()).abs() < 1e-12);
        // Equal weights are no prior, and weight 0 is nobody.
        let of = |weights: Option<&[f64]>| Columns { codes: &codes, counts: &counts, weights }.of(&[0]);
        assert!((of(Some(&[2.0, 2.0, 2.0])).loss - of(None).loss).abs() < 1e-12);
        assert_eq!(of(Some(&[0.0, 1.0, 1.0])).loss, 0.0);
    }

    fn tables() -> impl Strategy<Value = (Vec<Vec<u32>>, Vec<u64>)> {
        (1usize..6, 1usize..14).prop_flat_map(|(columns, rows)| {
            let codes = proptest::collection::vec(proptest::collection::vec(0u32..4, rows), columns);
            (codes, proptest::collection::vec(1u64..5, rows))
        })
    }

    proptest! {
        /// The bounds leave out nothing that belongs to the top, and leaks grow with the set.
        #[test]
        fn the_top_is_the_top_of_all((codes, counts) in tables(), up_to in 1usize..5, most in 1usize..9) {
            let columns = Columns { codes: &codes, counts: &counts, weights: None };
            let (mut all, top) = with(|context| {
                (columns.all(up_to, context).unwrap(), columns.top(up_to, most, context).unwrap())
            });
            for leak in &all {
                let without = columns.of(&leak.attributes[1..]);
                prop_assert!(without.loss <= leak.loss + ROUNDING && leak.loss <= columns.initial() + ROUNDING);
            }
            all.sort_by(|a, b| {
                let size = a.attributes.len().cmp(&b.attributes.len());
                b.loss.total_cmp(&a.loss).then(size).then_with(|| a.attributes.cmp(&b.attributes))
            });
            all.truncate(most);
            prop_assert_eq!(all, top);
        }
    }
}
