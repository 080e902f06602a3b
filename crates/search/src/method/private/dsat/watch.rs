//! Whether a snapshot differs from the histogram that stands: the sparse vector technique with a threshold that moves.

use velamen_core::error::Problem;
use velamen_dp::{Door, Rational, Stream, WatchLaw, Watched};

use crate::method::MethodError;

/// Noise for a loss of ε, half of it for the threshold; `differing` is how many snapshots may be found to differ, from 1.
///
/// One record more or less moves a distance by 1 at most.
pub(super) fn watch_law(epsilon: Rational, differing: u64) -> Result<WatchLaw, Problem> {
    WatchLaw::new(epsilon, differing).ok_or_else(|| {
        let problem = "the share of epsilon for the distances is too small, or has too many digits";
        Problem::of(&["distances-share"], problem)
            .mend("raise epsilon or distances-share, or use fewer digits")
    })
}

/// Three times the scale of the distances' noise: seldom passed by noise alone.
pub(super) fn reach(law: &WatchLaw) -> f64 {
    3.0 * law.scale()
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
pub(super) struct Watch {
    /// Holds the noise of the threshold, drawn once.
    watched: Watched,
    control: Control,
    threshold: f64,
}

impl Watch {
    pub(super) fn new(
        law: WatchLaw,
        control: Control,
        stream: &mut Stream,
        door: &mut Door,
    ) -> Result<Self, MethodError> {
        let watched = door.watch("distances", law, stream)?;
        Ok(Self { watched, control, threshold: control.threshold })
    }

    /// Whether the snapshot of that number, from 1, is found to differ. `drawn`: the histograms so far.
    pub(super) fn differs(
        &mut self,
        distance: u64,
        (number, drawn): (u64, u64),
        stream: &mut Stream,
        door: &mut Door,
    ) -> Result<bool, MethodError> {
        self.adapt(number, drawn);
        // Beyond what a distance can be, a threshold is as good as any other.
        let threshold = self.threshold.ceil().min(u64::MAX as f64) as u64;
        Ok(door.reaches("distances", &mut self.watched, (distance, threshold), stream)?)
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
    use velamen_dp::{Loss, Seed};

    use super::*;

    const CONTROL: Control = Control { threshold: 10.0, adaptation: 0.5, most: 2, snapshots: 8 };

    fn quiet() -> WatchLaw {
        watch_law(Rational::new(1000, 1).unwrap(), 5).unwrap()
    }

    /// A watch with hardly any noise: whether such a distance differs.
    fn watching(control: Control) -> impl FnMut(u64, u64, u64) -> (bool, f64) {
        let mut stream = Seed::from_number(1).stream(0);
        let mut door = Door::paid_by(Loss::pure(Rational::new(1000, 1).unwrap()));
        let mut watch = Watch::new(quiet(), control, &mut stream, &mut door).unwrap();
        move |distance, number, drawn| {
            let differs = watch.differs(distance, (number, drawn), &mut stream, &mut door).unwrap();
            (differs, watch.threshold)
        }
    }

    #[test]
    fn a_distance_from_the_threshold_on_differs() {
        let mut watch = watching(Control { adaptation: 0.0, ..CONTROL });
        assert_eq!([9, 10, 11, 0].map(|distance| watch(distance, 2, 1).0), [false, true, true, false]);
    }

    /// A pace of 2 in 8 is ¼: after 1 of 2 the threshold rises by ½ · (½ − ¼)/¼ · 10 = 5, after 1 of 8 it falls by 2.5.
    #[test]
    fn the_threshold_follows_the_pace() {
        let mut watch = watching(CONTROL);
        assert_eq!(watch(14, 2, 1), (false, 15.0));
        assert_eq!(watch(13, 8, 1), (true, 12.5));
        let last = (0..4).map(|_| watch(0, 100, 1).1).last();
        assert_eq!(last, Some(0.0), "never below");
    }

    #[test]
    fn no_more_distances_reach_it_than_were_paid_for() {
        let mut stream = Seed::from_number(1).stream(0);
        let mut door = Door::paid_by(Loss::pure(Rational::new(1000, 1).unwrap()));
        let law = watch_law(Rational::new(1000, 1).unwrap(), 1).unwrap();
        let mut watch = Watch::new(law, CONTROL, &mut stream, &mut door).unwrap();
        assert!(watch.differs(50, (2, 1), &mut stream, &mut door).unwrap());
        assert!(watch.differs(50, (3, 1), &mut stream, &mut door).is_err());
        assert!(Watch::new(law, CONTROL, &mut stream, &mut door).is_err(), "a second watch is not paid for");
    }

    #[test]
    fn noise_that_cannot_be_drawn_is_refused() {
        assert!(watch_law(Rational::ZERO, 1).is_err());
        assert!(watch_law(Rational::from_decimal(1e-18).unwrap(), u64::MAX / 2).is_err());
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
