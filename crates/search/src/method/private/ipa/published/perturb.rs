//! Algorithm 1 on the classes of one node: suppression, then insertion.

use velamen_core::classes::ClassTable;
use velamen_core::plan::{Counterfeits, Fate};

use super::PublishedIpa;
use super::informative::Informed;
use super::noise::Noise;

/// What was drawn for a class, and what follows; for the custodian.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ClassStep {
    /// The noisy threshold, t + Lap((t − 1)/ε_suppression).
    pub threshold: f64,
    /// Lap(1/ε_insertion), where the class is kept.
    pub noise: Option<f64>,
    /// How many counterfeits the class gets.
    pub counterfeits: u64,
}

impl ClassStep {
    /// Whether the class is suppressed.
    #[must_use]
    pub fn is_suppressed(&self) -> bool {
        self.noise.is_none()
    }

    /// The class's fate in a plan.
    #[must_use]
    pub fn fate(&self) -> Fate {
        if self.is_suppressed() { Fate::Suppress } else { Fate::Keep }
    }
}

/// The classes of a node after Algorithm 1.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Perturbed {
    /// One per class.
    pub(super) steps: Vec<ClassStep>,
    /// Ascending by class.
    pub(super) counterfeits: Vec<Counterfeits>,
}

/// n' − n as a number of records. The loop of line 18 runs to n', a real number: ⌊n'⌋ times. Where
/// n' < n the paper is silent; its own program keeps all n records.
fn inserted(noise: f64) -> u64 {
    noise.max(0.0).floor() as u64
}

impl PublishedIpa {
    /// Algorithm 1, lines 4–24.
    ///
    /// Time: O(classes + values of the classes that get counterfeits + counterfeits · log).
    pub(super) fn perturb(
        &self,
        classes: &ClassTable,
        informed: &Informed,
        noise: &mut impl Noise,
    ) -> Perturbed {
        let mut perturbed = Perturbed::default();
        perturbed.steps.extend((0..classes.len()).map(|_| self.threshold(noise)));
        for (class, step) in (0..).zip(&mut perturbed.steps) {
            // Lines 7–11; what is suppressed gets no counterfeits.
            let size = classes.sizes[class as usize];
            if size as f64 <= step.threshold {
                continue;
            }
            let drawn = noise.laplace(1.0 / self.params.insertion);
            (step.noise, step.counterfeits) = (Some(drawn), inserted(drawn));
            if step.counterfeits > 0 {
                let own = classes.sensitive(class as usize);
                let values = informed.drawn(own, size, step.counterfeits, noise);
                perturbed.counterfeits.push(Counterfeits { class, values });
            }
        }
        perturbed
    }

    /// Line 7, the threshold of one class.
    fn threshold(&self, noise: &mut impl Noise) -> ClassStep {
        let t = self.params.threshold as f64;
        let threshold = t + noise.laplace((t - 1.0) / self.params.suppression);
        ClassStep { threshold, noise: None, counterfeits: 0 }
    }
}
