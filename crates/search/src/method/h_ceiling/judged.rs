//! Counterfeits that protect, or none.
//!
//! # Summary
//! Lemma 1 keeps counting from pinning a counterfeit to a class; it does not keep anybody from guessing well. So the finished
//! decision is judged by an adversary. Where she recognizes counterfeits better than `adversary-limit` allows, more real
//! records are asked of a class, which leads to other nodes. Parts are made of k real records each where that keeps the ceiling and
//! the limits, and padded only where it does not. Where that does not help either, nobody is padded: classes of
//! fewer than k real records are suppressed.
//!
//! # Definition
//! With `least-real` ≥ k no class that is kept lacks records for k-anonymity, and none is padded for it, with random targets
//! neither: there is nothing to conceal. Where padding goes on until models hold, their number stays random unless none is allowed. That
//! is what takes the place of counterfeits that do not protect, within the same ceiling and the same
//! suppression limit. A release of it keeps all that the recipe asks for, since it has fewer counterfeits and more real
//! records in a class than asked.
//!
//! # Complexity
//! Up to [`MOST_RAISED`] searches more, and one, where the counterfeits of the first do not protect.
//!
//! # References
//! Lee et al. 2017 do not judge their counterfeits; this is ours.

use velamen_core::context::{Context, Interrupted};
use velamen_core::error::Problem;
use velamen_core::frequency::FrequencyTable;

use super::limits::Limits;
use super::padding::Padding;
use super::{HCeiling, HCeilingParams};
use crate::method::{Decision, MethodError, Task};

/// The largest area under an adversary's ROC curve; ½ is chance.
pub(super) const ADVERSARY_LIMIT: f64 = 0.6;

/// How often one real record more is asked of a class. Beyond, hardly a class is left to be padded, and few counterfeits stand
/// out.
const MOST_RAISED: usize = 2;

/// More is not advised to be suppressed.
const MOST_ADVISED: f64 = 0.5;

/// The least number of thousandths above one that fits, by bisection; `None` if the most does not.
fn least_of(
    above: f64,
    most: f64,
    fits: impl Fn(f64) -> Result<bool, Interrupted>,
) -> Result<Option<f64>, Interrupted> {
    let (mut low, mut high) = ((above * 1e3).floor() as u64, (most * 1e3) as u64);
    if low >= high || !fits(high as f64 / 1e3)? {
        return Ok(None);
    }
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        match fits(middle as f64 / 1e3)? {
            true => high = middle,
            false => low = middle,
        }
    }
    Ok(Some(high as f64 / 1e3))
}

/// A decision with more real records in a class than were asked for.
struct Raised {
    decision: Decision,
    least_real: u64,
}

impl Raised {
    /// With the reason in the warnings.
    fn warned(self, why: &str) -> Decision {
        let Self { mut decision, least_real } = self;
        decision.warnings.push(format!(
            "groups of fewer than {least_real} real records are suppressed, as with least-real = {least_real}: with fewer, \
             counterfeits would not protect, since {why}"
        ));
        decision
    }
}

impl HCeiling {
    /// The decision, with counterfeits that protect or with none.
    ///
    /// # Errors
    /// As `decide`; [`MethodError::Infeasible`] if counterfeits would not protect and nothing is possible without, with what would be
    /// enough for parts of k real records.
    pub(super) fn judged(
        self,
        table: &FrequencyTable,
        task: &Task<'_>,
        context: &Context<'_>,
        decide: impl Fn(Self, &Task<'_>) -> Result<Decision, MethodError>,
    ) -> Result<Decision, MethodError> {
        match self.judged_as_asked(table, task, context, &decide) {
            Err(MethodError::Infeasible(why)) if self.params.real_first && task.adversary.is_some() => {
                Err(MethodError::Infeasible(self.with_enough(why, |method| {
                    match decide(method, &Task { earlier: None, ..*task }) {
                        Err(MethodError::Interrupted(interrupted)) => Err(interrupted),
                        decided => Ok(decided.is_ok()),
                    }
                })?))
            }
            decided => decided,
        }
    }

    fn judged_as_asked(
        self,
        table: &FrequencyTable,
        task: &Task<'_>,
        context: &Context<'_>,
        decide: &impl Fn(Self, &Task<'_>) -> Result<Decision, MethodError>,
    ) -> Result<Decision, MethodError> {
        let (Some(adversary), Some(limit)) = (task.adversary, self.params.adversary_limit) else {
            return decide(self, task);
        };
        if self.params.real_first {
            // What an earlier release had is no reason to pad.
            match decide(self.without_counterfeits(), &Task { earlier: None, ..*task }) {
                Err(MethodError::Infeasible(_)) => {}
                bare => return bare,
            }
        }
        let mut decision = decide(self, task)?;
        let Some(why) = adversary.recognizes(&mut decision, table, limit, false, context)? else {
            return Ok(decision);
        };
        if let Some(other) = self.others(task, decide, |other| {
            Ok(adversary.recognizes(other, table, limit, true, context)?.is_none())
        })? {
            return Ok(other.warned(&why));
        }
        // What an earlier release had is no reason to pad.
        match decide(self.without_counterfeits(), &Task { earlier: None, ..*task }) {
            Ok(mut bare) => {
                bare.warnings.push(format!(
                    "no counterfeits: they would not protect, since {why}. Groups of fewer than k records are suppressed \
                     instead; `local-recoding = true` with `optimal`, or `mondrian`, keeps more of them"
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

    /// The first decision that protects of those that suppress more of the smallest classes, in a fixed order: other nodes are
    /// within the limits then.
    fn others(
        self,
        task: &Task<'_>,
        decide: &impl Fn(Self, &Task<'_>) -> Result<Decision, MethodError>,
        mut protects: impl FnMut(&mut Decision) -> Result<bool, MethodError>,
    ) -> Result<Option<Raised>, MethodError> {
        let asked = self.params.limits;
        for least_real in (asked.least_real + 1..self.params.k).take(MOST_RAISED) {
            let limits = Limits { least_real, ..asked };
            let mut decision = match decide(Self { params: HCeilingParams { limits, ..self.params } }, task) {
                Ok(decision) => decision,
                // With still more to suppress nothing is possible either.
                Err(MethodError::Infeasible(_)) => break,
                Err(error) => return Err(error),
            };
            if protects(&mut decision)? {
                return Ok(Some(Raised { decision, least_real }));
            }
        }
        Ok(None)
    }

    /// A refusal with the least suppression limit and the least h, in thousandths, with which classes of k real records are possible.
    fn with_enough(
        self,
        why: Problem,
        fits: impl Fn(Self) -> Result<bool, Interrupted>,
    ) -> Result<Problem, Interrupted> {
        let bare = self.without_counterfeits().params;
        let suppressed = least_of(bare.limits.suppressed, MOST_ADVISED, |suppressed| {
            let limits = Limits { suppressed, ..bare.limits };
            fits(Self { params: HCeilingParams { limits, ..bare } })
        })?;
        let h = bare
            .h
            .map(|h| least_of(h, 1.0, |h| fits(Self { params: HCeilingParams { h: Some(h), ..bare } })));
        let h = h.transpose()?.flatten();
        let enough: Vec<String> = [("suppression-limit", suppressed), ("h", h)]
            .into_iter()
            .filter_map(|(name, enough)| Some(format!("{name} = {}", enough?)))
            .collect();
        Ok(match enough.is_empty() {
            true => why,
            false => Problem::new(why.text()).mend(format!(
                "{} would be enough for groups of {} real records each",
                enough.join(", or "),
                bare.k
            )),
        })
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
    use std::sync::Mutex;
    use std::sync::atomic::AtomicBool;

    use velamen_core::context::Silent;
    use velamen_core::frequency::{Rest, Strays};
    use velamen_core::plan::Plan;
    use velamen_dp::Seed;

    use super::*;
    use crate::method::{Adversary, Outcome};

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

    /// Who accepts only decisions of so many real records in a class, and remembers how she was asked.
    struct Judge {
        accepts: u64,
        asked: Mutex<Vec<(u64, bool)>>,
    }

    impl Adversary for Judge {
        fn recognizes(
            &self,
            decision: &mut Decision,
            _table: &FrequencyTable,
            _limit: f64,
            again: bool,
            _context: &Context<'_>,
        ) -> Result<Option<String>, Interrupted> {
            let least_real = decision.search["least-real"].as_u64().unwrap();
            self.asked.lock().unwrap().push((least_real, again));
            Ok((least_real != self.accepts).then(|| "she does".to_owned()))
        }
    }

    /// What is decided with k = 9 where she accepts so many real records, and how she was asked; of more than `possible` there
    /// is no decision.
    fn judged(accepts: u64, possible: u64) -> (Result<Decision, MethodError>, Vec<(u64, bool)>) {
        judged_as(false, accepts, possible)
    }

    fn judged_as(
        real_first: bool,
        accepts: u64,
        possible: u64,
    ) -> (Result<Decision, MethodError>, Vec<(u64, bool)>) {
        let limits = Limits { counterfeits: 0.05, suppressed: 0.05, least_real: 2 };
        let adversary_limit = Some(0.6);
        let params =
            HCeilingParams { k: 9, limits, adversary_limit, real_first, ..HCeilingParams::default() };
        let decide = |method: HCeiling, _: &Task<'_>| {
            let least_real = method.params.limits.least_real;
            if least_real > possible {
                return Err(MethodError::Infeasible(Problem::new("nothing is possible")));
            }
            let search = serde_json::json!({ "least-real": least_real });
            Ok(Decision { search, ..Decision::of(Outcome::FullDomain(Plan::default())) })
        };
        let judge = Judge { accepts, asked: Mutex::default() };
        let task = Task { adversary: Some(&judge), ..Task::new(&[], &[]) };
        let cancel = AtomicBool::new(false);
        let context = Context { seed: &Seed::from_number(1), progress: &Silent, cancel: &cancel };
        let method = HCeiling::try_from(params).unwrap();
        let table = FrequencyTable {
            qis: Vec::new(),
            rest: Rest::default(),
            codes: Vec::new(),
            rest_index: Vec::new(),
            counts: Vec::new(),
            population: None,
            strays: Strays::default(),
        };
        let decision = method.judged(&table, &task, &context, decide);
        (decision, judge.asked.into_inner().unwrap())
    }

    #[test]
    fn more_real_records_are_asked_of_a_class_before_nobody_is_padded() {
        let (first, asked) = judged(2, 9);
        assert!(first.unwrap().warnings.is_empty());
        assert_eq!(asked, [(2, false)]);
        let (raised, asked) = judged(4, 9);
        let raised = raised.unwrap();
        assert_eq!((&raised.search["least-real"], raised.warnings.len()), (&4.into(), 1));
        assert!(raised.warnings[0].contains("as with least-real = 4"), "{:?}", raised.warnings);
        // Of several decisions one would pass by luck.
        assert_eq!(asked, [(2, false), (3, true), (4, true)]);
        let (none, asked) = judged(8, 9);
        let none = none.unwrap();
        assert_eq!((&none.search["least-real"], asked.len()), (&9.into(), 3));
        assert!(none.warnings[0].contains("no counterfeits: they would not protect"), "{:?}", none.warnings);
    }

    #[test]
    fn parts_are_padded_only_where_real_records_do_not_suffice() {
        let (real, asked) = judged_as(true, 2, 9);
        assert_eq!((&real.unwrap().search["least-real"], asked.len()), (&9.into(), 0));
        let (padded, asked) = judged_as(true, 2, 8);
        assert_eq!((&padded.unwrap().search["least-real"], asked), (&2.into(), vec![(2, false)]));
        let (refused, _) = judged_as(true, 9, 8);
        assert!(refused.unwrap_err().to_string().contains("would not protect"));
    }

    #[test]
    fn the_least_that_is_enough_is_found_in_thousandths() {
        let least = |above, most, enough| least_of(above, most, |x| Ok(x >= enough)).unwrap();
        assert_eq!(least(0.01, 0.5, 0.0532), Some(0.054));
        assert_eq!(least(0.01, 0.5, 0.0101), Some(0.011));
        assert_eq!(least(0.01, 0.5, 0.6), None);
        assert_eq!(least(0.5, 0.5, 0.5), None);
    }

    #[test]
    fn what_cannot_be_suppressed_is_not_tried_on_and_on() {
        let (refused, asked) = judged(8, 2);
        assert_eq!(asked, [(2, false)]);
        let refused = refused.unwrap_err().to_string();
        assert!(refused.contains("would not protect, since she does; and without them nothing"), "{refused}");
    }
}
