//! Axes of numbers: round ticks and the way from a value to a place.

use super::number;

/// Values beyond this are drawn at this.
const LIMIT: f64 = 1e300;

/// A linear axis from `low` to `high` with a tick at every `step`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scale {
    low: f64,
    high: f64,
    step: f64,
}

impl Scale {
    /// An axis that holds `least`, `greatest` and zero.
    pub(super) fn with_zero(least: f64, greatest: f64) -> Self {
        Self::around(least.min(0.0), greatest.max(0.0))
    }

    /// An axis that holds `least` and `greatest`.
    pub(super) fn around(least: f64, greatest: f64) -> Self {
        let (least, greatest) = (least.clamp(-LIMIT, LIMIT), greatest.clamp(-LIMIT, LIMIT));
        let (least, greatest) = widened(least, greatest);
        let step = round_step((greatest - least) / 5.0);
        Self { low: (least / step).floor() * step, high: (greatest / step - 1e-9).ceil() * step, step }
    }

    /// The axis from 0 to 1.
    pub(super) fn unit() -> Self {
        Self { low: 0.0, high: 1.0, step: 0.2 }
    }

    /// The same axis without ticks between whole numbers.
    pub(super) fn whole(self) -> Self {
        if self.step >= 1.0 {
            return self;
        }
        Self { low: self.low.floor(), high: self.high.ceil(), step: 1.0 }
    }

    /// Where `value` lies between `from` (the low end) and `to`.
    pub(super) fn place(&self, value: f64, from: f64, to: f64) -> f64 {
        let share = (value.clamp(-LIMIT, LIMIT) - self.low) / (self.high - self.low);
        from + share.clamp(0.0, 1.0) * (to - from)
    }

    /// The ticks and their labels, from low to high.
    pub(super) fn ticks(&self) -> Vec<(f64, String)> {
        let count = ((self.high - self.low) / self.step).round().clamp(1.0, 20.0) as u32;
        (0..=count)
            .map(|index| self.low + f64::from(index) * self.step)
            .map(|at| (at, self.label(at)))
            .collect()
    }

    fn label(&self, value: f64) -> String {
        let greatest = self.low.abs().max(self.high.abs());
        if value.abs() < self.step * 1e-6 {
            return "0".to_owned();
        }
        if greatest >= 1e9 || self.step < 1e-5 {
            return number::number(value);
        }
        number::fixed(value, (-self.step.log10() - 1e-9).ceil().max(0.0) as usize)
    }
}

/// A range that is not empty.
fn widened(least: f64, greatest: f64) -> (f64, f64) {
    if greatest - least > greatest.abs().max(least.abs()) * 1e-9 {
        return (least, greatest);
    }
    match least {
        0.0 => (0.0, 1.0),
        value => (value - value.abs() * 0.1, value + value.abs() * 0.1),
    }
}

/// The least of 1, 2, 5 times a power of ten that is not below `wish`.
fn round_step(wish: f64) -> f64 {
    let power = 10f64.powf(wish.max(f64::MIN_POSITIVE).log10().floor());
    let factors = [1.0, 2.0, 5.0];
    factors
        .into_iter()
        .map(|factor| factor * power)
        .find(|&step| step >= wish * 0.999)
        .unwrap_or(10.0 * power)
}
