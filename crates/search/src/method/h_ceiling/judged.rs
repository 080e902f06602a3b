//! Counterfeits that protect, or none.
//!
//! # Summary
//! Lemma 1 keeps counting from pinning a counterfeit to a class; it does not keep anybody from guessing well. So the finished
//! decision is judged by an adversary. Where she recognizes counterfeits better than `adversary-limit` allows,
//! nobody is padded: classes of fewer than k real records are suppressed.
//!
//! # Definition
//! With `least-real` ≥ k no class that is kept lacks records for k-anonymity, and none is padded for it, with random targets
//! neither: there is nothing to conceal. Where padding goes on until models hold, their number stays random unless none is allowed. That
//! is what takes the place of counterfeits that do not protect, within the same ceiling and the same
//! suppression limit. A release of it keeps all that the recipe asks for, since it has fewer counterfeits and more real
//! records in a class than asked.
//!
//! # Complexity
//! One search more where the counterfeits of the first do not protect.
//!
//! # References
//! Lee et al. 2017 do not judge their counterfeits; this is ours.

use velamen_core::context::Context;
use velamen_core::error::Problem;
use velamen_core::frequency::FrequencyTable;

use super::limits::Limits;
use super::padding::Padding;
use super::{HCeiling, HCeilingParams};
use crate::method::{Decision, MethodError, Task};

/// The largest area under an adversary's ROC curve; ½ is chance.
pub(super) const ADVERSARY_LIMIT: f64 = 0.6;

impl HCeiling {
    /// The decision, with counterfeits that protect or with none.
    ///
    /// # Errors
    /// As `decide`; [`MethodError::Infeasible`] if counterfeits would not protect and nothing is possible without.
    pub(super) fn judged(
        self,
        table: &FrequencyTable,
        task: &Task<'_>,
        context: &Context<'_>,
        decide: impl Fn(Self, &Task<'_>) -> Result<Decision, MethodError>,
    ) -> Result<Decision, MethodError> {
        let mut decision = decide(self, task)?;
        let (Some(adversary), Some(limit)) = (task.adversary, self.params.adversary_limit) else {
            return Ok(decision);
        };
        let Some(why) = adversary.recognizes(&mut decision, table, limit, context)? else {
            return Ok(decision);
        };
        // What an earlier release had is no reason to pad.
        match decide(self.without_counterfeits(), &Task { earlier: None, ..*task }) {
            Ok(mut bare) => {
                bare.warnings.push(format!(
                    "no counterfeits: they would not protect, since {why}. Groups of fewer than k records are suppressed \
                     instead; a higher suppression-limit or a higher h allows counterfeits that protect, or less loss"
                ));
                Ok(bare)
            }
            Err(MethodError::Infeasible(without)) => Err(MethodError::Infeasible(
                Problem::new(format!(
                    "counterfeits would not protect, since {why}; and without them {}",
                    without.text()
                ))
                .mend_if(without.remedy().map(str::to_owned)),
            )),
            Err(error) => Err(error),
        }
    }

    /// The same, of real records alone.
    fn without_counterfeits(self) -> Self {
        let limits = Limits { counterfeits: 0.0, least_real: self.params.k, ..self.params.limits };
        Self { params: HCeilingParams { limits, counterfeits_count: false, ..self.params } }
    }

    /// How far classes are padded: where all that are kept have k real records, none is. Where other models may ask for
    /// counterfeits, their number stays random.
    pub(super) fn padding(&self) -> Padding {
        let HCeilingParams { k, limits, padding, .. } = self.params;
        match limits.least_real >= k && (!self.grows() || limits.counterfeits == 0.0) {
            true => Padding::Exact,
            false => padding,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_where_nobody_can_be_padded_is_padding_not_random() {
        let of = |least_real, counts, counterfeits| {
            let limits = Limits { counterfeits, least_real, ..Limits::default() };
            HCeiling::try_from(HCeilingParams {
                k: 5,
                limits,
                beyond: true,
                counterfeits_count: counts,
                ..HCeilingParams::default()
            })
            .unwrap()
        };
        assert_eq!(of(4, false, 0.05).padding(), Padding::Random);
        assert_eq!(of(5, false, 0.05).padding(), Padding::Exact);
        assert_eq!(of(5, true, 0.05).padding(), Padding::Random);
        assert_eq!(of(2, true, 0.05).without_counterfeits().padding(), Padding::Exact);
    }
}
