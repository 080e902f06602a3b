//! Walker's alias table in integers: one draw of a discrete distribution costs one look-up.
//!
//! # References
//! A. J. Walker, "An efficient method for generating discrete random variables with general
//! distributions" (1977); M. D. Vose, "A linear algorithm for generating random numbers with a given
//! distribution" (1991).
//!
//! # Deviations
//! The number of slots is a power of two and all probabilities are multiples of 2⁻³². The weights are
//! apportioned to exactly 2³² once, by largest remainder; from there on no rounding happens, so that a
//! table is the same on every machine.

/// A discrete distribution over `0..weights.len()`, drawn from with 32 random bits.
#[derive(Debug, Clone)]
pub(crate) struct AliasTable {
    /// Per slot: the threshold in the upper bits, the alias in the lowest `bits`. One word per slot
    /// keeps all tables of the model within a core's second-level cache.
    slots: Box<[u32]>,
    bits: u32,
}

impl AliasTable {
    /// The distribution proportional to `weights`, of which at least one must be positive.
    ///
    /// At most 2¹⁶ weights, with a sum below 2⁶⁴.
    pub(crate) fn new(weights: &[u64]) -> Self {
        let bits = weights.len().next_power_of_two().trailing_zeros().max(1);
        let capacity = 1_u64 << (32 - bits);
        let mut mass = apportion(weights);
        mass.resize(1 << bits, 0);

        let (mut small, mut large): (Vec<usize>, Vec<usize>) =
            (0..mass.len()).partition(|&slot| mass[slot] < capacity);
        // A slot that nobody fills up holds its own value only: whatever the threshold, it answers itself.
        let mut slots: Box<[u32]> = (0_u32..1 << bits).collect();
        while let (Some(poor), Some(&rich)) = (small.pop(), large.last()) {
            slots[poor] = ((mass[poor] as u32) << bits) | rich as u32;
            mass[rich] -= capacity - mass[poor];
            if mass[rich] < capacity {
                large.pop();
                small.push(rich);
            }
        }
        Self { slots, bits }
    }

    /// The value that 32 uniformly random bits stand for.
    #[inline]
    pub(crate) fn draw(&self, word: u32) -> usize {
        let slot = word >> (32 - self.bits);
        let entry = self.slots[slot as usize];
        let fraction = word & (u32::MAX >> self.bits);
        let alias = entry & ((1 << self.bits) - 1);
        (if fraction < entry >> self.bits { slot } else { alias }) as usize
    }
}

/// Weights scaled to a sum of exactly 2³², by largest remainder; zero stays zero.
fn apportion(weights: &[u64]) -> Vec<u64> {
    let total: u128 = weights.iter().map(|&weight| u128::from(weight)).sum();
    assert!(total > 0, "a distribution needs a positive weight");
    let mut shares: Vec<u64> = weights.iter().map(|&w| ((u128::from(w) << 32) / total) as u64).collect();
    let remainder = |i: usize| (u128::from(weights[i]) << 32) % total;
    let mut order: Vec<usize> = (0..weights.len()).collect();
    order.sort_by(|&a, &b| remainder(b).cmp(&remainder(a)).then(a.cmp(&b)));
    let missing = (1_u64 << 32) - shares.iter().sum::<u64>();
    for &i in order.iter().take(missing as usize) {
        shares[i] += 1;
    }
    shares
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The probability mass of each value, in units of 2⁻³².
    fn masses(table: &AliasTable) -> Vec<u64> {
        let mut masses = vec![0; table.slots.len()];
        for (slot, &entry) in table.slots.iter().enumerate() {
            let alias = (entry & ((1 << table.bits) - 1)) as usize;
            let threshold = u64::from(entry >> table.bits);
            masses[slot] += threshold;
            masses[alias] += (1 << (32 - table.bits)) - threshold;
        }
        masses
    }

    #[test]
    fn masses_are_the_apportioned_weights() {
        for weights in [&[1_u64][..], &[0, 7], &[3, 0, 1, 2, 1_000_000], &[5; 300], &[1 << 62, 1, 1 << 40]] {
            let table = AliasTable::new(weights);
            let mut expected = apportion(weights);
            expected.resize(table.slots.len(), 0);
            assert_eq!(masses(&table), expected, "{weights:?}");
        }
    }

    #[test]
    fn a_value_without_weight_never_comes() {
        let table = AliasTable::new(&[4, 0, 9, 0, 1]);
        let drawn: Vec<usize> = (0..1_u32 << 16).map(|i| table.draw(i << 16 | i)).collect();
        assert!(drawn.iter().all(|&value| [0, 2, 4].contains(&value)));
        assert!([0, 2, 4].iter().all(|value| drawn.contains(value)));
    }
}
