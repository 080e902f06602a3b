//! Entropies in whole numbers, so that equal distances are equal whatever they are summed from.

/// Steps of a bit.
const STEPS: f64 = (1 << 24) as f64;

/// Counts below this are looked up.
const KEPT: u64 = 4096;

/// c · log₂ c for counts, in 2⁻²⁴ bits, rounded.
#[derive(Debug)]
pub(super) struct Bits(Vec<i64>);

impl Bits {
    pub(super) fn new() -> Self {
        Self((0..KEPT).map(computed).collect())
    }

    /// F(c) = c · log₂ c.
    pub(super) fn of(&self, count: u64) -> i64 {
        if count < KEPT { self.0[count as usize] } else { computed(count) }
    }

    /// F(c + 1) − F(c): what one more of a count adds.
    pub(super) fn next(&self, count: u64) -> i64 {
        self.of(count + 1) - self.of(count)
    }
}

fn computed(count: u64) -> i64 {
    let count = count as f64;
    if count < 2.0 { 0 } else { rounded(count * count.log2()) }
}

/// A number of bits in steps.
pub(super) fn rounded(bits: f64) -> i64 {
    (bits * STEPS).round() as i64
}

/// Steps as bits.
pub(super) fn to_bits(steps: i64) -> f64 {
    steps as f64 / STEPS
}
