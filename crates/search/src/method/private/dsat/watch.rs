//! Whether a snapshot differs from the histogram that stands: the sparse vector technique with a threshold that moves.

use velamen_core::error::Problem;
use velamen_dp::{Rational, Stream, TwoSided};

/// Noise on the distances and on their threshold, for at most so many snapshots that differ.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct WatchNoise {
    threshold: TwoSided,
    distance: TwoSided,
    /// Of the distances, in records.
    scale: f64,
}

impl WatchNoise {
    /// For a loss of ε, half of it for the threshold; `differing` is how many snapshots may be found to differ, from 1.
    ///
    /// One record more or less moves a distance by 1 at most.
    pub(super) fn new(epsilon: Rational, differing: u64) -> Result<Self, Problem> {
        let half = Rational::new(1, 2).ok().and_then(|half| epsilon.checked_mul(half));
        let laws = half.and_then(|half| {
            let twice = differing.checked_mul(2)?;
            let (threshold, distance) = (TwoSided::new(half, 1)?, TwoSided::new(half, twice)?);
            Some(Self { threshold, distance, scale: twice as f64 / half.to_f64() })
        });
        laws.ok_or_else(|| {
            let problem = "the share of epsilon for the distances is too small, or has too many digits";
            Problem::of(&["distances-share"], problem)
                .mend("raise epsilon or distances-share, or use fewer digits")
        })
    }

    /// Three times the scale of the distances' noise: seldom passed by noise alone.
    pub(super) fn reach(&self) -> f64 {
        3.0 * self.scale
    }
}

/// How the threshold moves.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Control {
    /// T₁, in records.
    pub(super) threshold: f64,
    /// θ: by what share of T₁ it moves where the pace is wrong by as much as is wanted; 0 leaves it.
    pub(super) adaptation: f64,
    /// C: the most histograms.
    pub(super) most: u64,
    /// N: the snapshots.
    pub(super) snapshots: u64,
}

/// The technique at work.
pub(super) struct Watch<'s> {
    noise: WatchNoise,
    control: Control,
    /// The noise of the threshold, drawn once.
    shift: i128,
    threshold: f64,
    stream: &'s mut Stream,
}

impl<'s> Watch<'s> {
    pub(super) fn new(noise: WatchNoise, control: Control, stream: &'s mut Stream) -> Self {
        let shift = noise.threshold.draw(stream);
        Self { noise, control, shift, threshold: control.threshold, stream }
    }

    /// Whether the snapshot of that number, from 1, is found to differ. `drawn`: the histograms so far.
    pub(super) fn differs(&mut self, distance: u64, number: u64, drawn: u64) -> bool {
        self.adapt(number, drawn);
        // Beyond what a distance can be, a threshold is as good as any other.
        let threshold = self.threshold.ceil().min(u64::MAX as f64) as i128;
        i128::from(distance) + self.noise.distance.draw(self.stream) >= threshold.saturating_add(self.shift)
    }

    /// Lowers the threshold where fewer histograms were drawn than by the pace of C in N, and raises it where more were.
    fn adapt(&mut self, number: u64, drawn: u64) {
        let Control { threshold, adaptation, most, snapshots } = self.control;
        let pace = most as f64 / snapshots as f64;
        let error = drawn as f64 / number as f64 - pace;
        self.threshold = (self.threshold + adaptation * (error / pace) * threshold).max(0.0);
    }
}

#[cfg(test)]
mod tests {
    use velamen_dp::Seed;

    use super::*;

    const CONTROL: Control = Control { threshold: 10.0, adaptation: 0.5, most: 2, snapshots: 8 };

    fn quiet() -> WatchNoise {
        WatchNoise::new(Rational::new(1000, 1).unwrap(), 1).unwrap()
    }

    #[test]
    fn a_distance_from_the_threshold_on_differs() {
        let mut stream = Seed::from_number(1).stream(0);
        let mut watch = Watch::new(quiet(), Control { adaptation: 0.0, ..CONTROL }, &mut stream);
        assert_eq!([9, 10, 11, 0].map(|distance| watch.differs(distance, 2, 1)), [false, true, true, false]);
    }

    /// A pace of 2 in 8 is ¼: after 1 of 2 the threshold rises by ½ · (½ − ¼)/¼ · 10 = 5, after 1 of 8 it falls by 2.5.
    #[test]
    fn the_threshold_follows_the_pace() {
        let mut stream = Seed::from_number(1).stream(0);
        let mut watch = Watch::new(quiet(), CONTROL, &mut stream);
        assert!(!watch.differs(14, 2, 1) && watch.threshold == 15.0);
        assert!(watch.differs(13, 8, 1) && watch.threshold == 12.5);
        for _ in 0..20 {
            watch.adapt(100, 1);
        }
        assert_eq!(watch.threshold, 0.0, "never below");
    }

    #[test]
    fn noise_that_cannot_be_drawn_is_refused() {
        assert!(WatchNoise::new(Rational::ZERO, 1).is_err());
        assert!(WatchNoise::new(Rational::from_decimal(1e-18).unwrap(), u64::MAX / 2).is_err());
    }

    /// P(differs) in closed form on tables that differ by a record: no answers of three snapshots are likelier by more than e^ε.
    #[test]
    fn no_answers_are_likelier_by_more_than_e_to_the_epsilon() {
        // ε = 1, one snapshot may differ: threshold noise of ½, distance noise of ½/2.
        let of = |a: f64, x: i32| (1.0 - a) / (1.0 + a) * a.powi(x.abs());
        let (of_shift, a) = ((-0.5f64).exp(), (-0.25f64).exp());
        let at_least = |x: i32| if x > 0 { a.powi(x) / (1.0 + a) } else { 1.0 - a.powi(1 - x) / (1.0 + a) };
        let probability = |distances: [i32; 3], first: Option<usize>| -> f64 {
            let given = |shift: i32| {
                let above = |distance: i32| at_least(3 + shift - distance);
                let until = first.unwrap_or(3);
                let below: f64 = distances[..until].iter().map(|d| 1.0 - above(*d)).product();
                below * first.map_or(1.0, |at| above(distances[at]))
            };
            (-60..=60).map(|shift| of(of_shift, shift) * given(shift)).sum()
        };
        let mut largest = 1.0f64;
        for number in 0..64 {
            let before = [number % 4, number / 4 % 4, number / 16];
            // A person with a record in each snapshot moves each distance by −1, 0 or 1.
            for moved in 0..27 {
                let after =
                    [before[0] + moved % 3 - 1, before[1] + moved / 3 % 3 - 1, before[2] + moved / 9 - 1];
                for first in [None, Some(0), Some(1), Some(2)] {
                    largest = largest.max(probability(before, first) / probability(after, first));
                }
            }
        }
        assert!(largest <= 1.0f64.exp() * (1.0 + 1e-9), "{}", largest.ln());
        assert!(largest > 0.6f64.exp(), "the bound is of that order: {}", largest.ln());
    }
}
