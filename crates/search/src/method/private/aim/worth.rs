//! A2: whether pairs are worth their noise, as a private choice.
//!
//! # Definition
//! s_r = max(0, ‖M_r − μ_r‖₁ − √(2/π)(σ n_r + Σ over a in r of σ_a n_a)): by how much a pair r of the workload differs from
//! independence, beyond the noise that it would be measured with and that of its attributes' counts. σ is the noise of a pair
//! where d − 1 of them are measured with what is left. S is the sum of the d − 1 largest s_r. If pairs are measured, attributes keep more noise than if all were
//! spent on them: T = Σ over all pairs of Σ over a in r of √(2/π) σ_a n_a (1 − √(share of ρ that was spent on attributes)).
//!
//! The exponential mechanism chooses between pairs, which score S − T less [`DOUBT`] of its deviations, and nothing, which scores 0.
//!
//! One record changes one cell of each M_r by 1, and so each s_r by 1 at most, and every sum of d − 1 of them by d − 1. All else follows
//! from answers that have left the door. Where no pair has more than one value of each attribute, or its noise would be larger than
//! any table can differ from another, S is 0 whatever the records are: then nothing is asked, and nothing is paid.

use std::collections::BTreeMap;

use velamen_dp::{Gaussian, Zcdp};
use velamen_marginals::{Fit, Model, Set};

use super::super::invented::Zeros;
use super::super::invented::measuring::{SCORE_PLACES, law, noise_expected, score_beyond, too_small};
use super::super::invented::stated::Drawn;
use super::{LAST_SWEEPS, Rounds, SWEEPS, expected};
use crate::method::MethodError;

/// The share of ρ that the choice costs.
const SHARE: (u128, u128) = (1, 50);
/// How much of the attributes' noise pairs have to make up for.
const LOSS: f64 = 0.5;
/// Units of 2Δ/ε by which pairs have to be better: without a difference they are chosen with a probability of e⁻²/(1 + e⁻²).
const DOUBT: f64 = 2.0;

/// What the choice costs, of ρ.
pub(super) fn share(rho: Zcdp) -> Option<Zcdp> {
    rho.share(SHARE.0, SHARE.1)
}

/// A pair that is asked about: the noise to be expected in its counts and in those of its attributes.
pub(super) struct Asked {
    pub(super) set: Set,
    noise: f64,
}

impl Rounds<'_> {
    /// Whether pairs are measured at all.
    pub(super) fn are_worth(&mut self) -> Result<bool, MethodError> {
        let rho = self.method.bought.rho;
        let epsilon = share(rho).and_then(Zcdp::choice).ok_or_else(too_small)?;
        let alone: Vec<f64> = (0..self.sizes.len()).map(|attribute| self.noise_alone(attribute)).collect();
        let asked = self.asked(&alone)?;
        if asked.is_empty() {
            return Ok(false);
        }
        let model = self.measuring.fitted(&mut self.fit, SWEEPS)?;
        let beyond = self.beyond(&model, &asked);
        let spent = 1.0 - self.measuring.door.left().to_f64() / rho.to_f64();
        let lost: f64 = asked.iter().flat_map(|pair| &pair.set).map(|&a| alone[a]).sum();
        let pairs = self.most().min(asked.len()) as u64;
        let sensitivity = pairs as f64 * self.method.bought.params.records_per_person as f64;
        let doubt = DOUBT * 2.0 * sensitivity / epsilon.to_f64();
        let least = LOSS * lost * (1.0 - spent.sqrt()) + doubt;
        let least = (least * f64::from(1u32 << SCORE_PLACES)).ceil() as i64;
        // The set is that of all attributes: of which pairs, is chosen later.
        let all: Set = (0..self.sizes.len()).collect();
        let scored = [(&all, beyond.saturating_sub(least))];
        Ok(self.measuring.choose(&scored, (true, pairs), epsilon)?.is_some())
    }

    /// The noise to be expected in what is left of an attribute's values.
    fn noise_alone(&self, attribute: usize) -> f64 {
        let Drawn { alone, merging, .. } = &self.measuring.drawn;
        let variances = merging[attribute].measurement(&alone[attribute]).variances;
        let deviations: f64 = variances.iter().map(|variance| variance.sqrt()).sum();
        super::super::invented::MEAN_DISTANCE * deviations
    }

    /// The pairs that can be worth their noise.
    pub(super) fn asked(&self, alone: &[f64]) -> Result<Vec<Asked>, MethodError> {
        let left = self.measuring.door.left().share(9, 10 * self.most() as u128);
        let law = left.and_then(|left| law(left, self.method.bought.params.records_per_person));
        let law = law.ok_or_else(too_small)?;
        let most = 2.0 * self.fit.total();
        let open = self.candidates(1.0)?.into_iter().filter(|set| set.len() == 2);
        let open = open.filter(|set| set.iter().all(|&a| self.sizes[a] > 1));
        Ok(open.map(|set| self.asked_for(set, law, alone)).filter(|pair| pair.noise < most).collect())
    }

    fn asked_for(&self, set: Set, law: Gaussian, alone: &[f64]) -> Asked {
        let cells: usize = set.iter().map(|&a| self.sizes[a]).product();
        let noise = noise_expected(cells, law) + set.iter().map(|&a| alone[a]).sum::<f64>();
        Asked { set, noise }
    }

    /// S, in units of 2⁻¹⁰ records.
    fn beyond(&self, model: &Model, asked: &[Asked]) -> i64 {
        let sets: Vec<Set> = asked.iter().map(|pair| pair.set.clone()).collect();
        let expected: BTreeMap<Set, Vec<f64>> = expected(model, &sets);
        let expected_of = |pair: &Asked| expected[&pair.set].iter().copied();
        let counted = |pair: &Asked| &self.counts[&pair.set];
        let of = |pair: &Asked| score_beyond(counted(pair), expected_of(pair), pair.noise).max(0);
        let mut scores: Vec<i64> = asked.iter().map(of).collect();
        scores.sort_unstable_by_key(|score| std::cmp::Reverse(*score));
        scores.into_iter().take(self.most()).fold(0i64, i64::saturating_add)
    }

    /// As many pairs as join all attributes, at least one.
    fn most(&self) -> usize {
        self.sizes.len().saturating_sub(1).max(1)
    }

    /// A2 where nothing was chosen: noisy counts of each attribute once more, with all that is left, and no values put together.
    pub(super) fn alone_again(mut self, zeros: &Zeros) -> Result<(Model, f64, Drawn), MethodError> {
        let sizes: Vec<usize> = self.measuring.drawn.alone.iter().map(|noisy| noisy.counts.len()).collect();
        let laws = self.method.bought.shared(self.measuring.door.left(), &sizes)?;
        let mut fit: Fit = self.measuring.alone_again(&laws, zeros)?;
        let model = self.measuring.fitted(&mut fit, LAST_SWEEPS)?;
        Ok((model, fit.estimate(), self.measuring.drawn))
    }
}
