//! What shows that a release keeps a privacy model: checks, found by the model's name in [`CHECKS`].
//!
//! They share no code with `velamen_search::model`: values are strings here, distributions are maps. For each model the
//! parameter that the table reaches is found and compared with what was asked.

mod attribute;
mod catalog_risk;
mod differential_privacy;
mod diversity;
mod k_anonymity;
mod likeness;
mod population;
mod sizes;
mod spelling;
mod t_closeness;

pub use attribute::{Attribute, Counts};

use serde_json::{Map, Value, json};
use velamen_contract::{AskedFor, Parameters, Promises};
use velamen_core::registry::{Named, Registry};

use super::classes::Classes;
use super::{Finding, ReleasedClass, Uncheckable, View};

/// The check of one model.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    /// The model's name.
    pub name: &'static str,
    /// What the released table reaches, and whether that is enough.
    pub check: fn(&Case<'_>) -> Result<Finding, Uncheckable>,
}

impl Named for Entry {
    fn name(&self) -> &'static str {
        self.name
    }
}

/// Every check, by the model's name. What a model promises that has none here is not taken for kept: nothing can be
/// released, and nothing verified.
pub static CHECKS: Registry<Entry> = Registry::new(&[
    k_anonymity::ENTRY,
    diversity::ALPHA_K_ANONYMITY,
    diversity::P_SENSITIVE_K_ANONYMITY,
    diversity::DISTINCT_L,
    diversity::ENTROPY_L,
    diversity::RECURSIVE_CL,
    t_closeness::ENTRY,
    likeness::DELTA_DISCLOSURE,
    likeness::BASIC_BETA,
    likeness::ENHANCED_BETA,
    likeness::MS_BOUNDING,
    population::K_MAP,
    population::DELTA_PRESENCE,
    sizes::AVERAGE_RISK,
    sizes::RECORDS_AT_RISK,
    sizes::SAMPLE_UNIQUENESS,
    sizes::INFORMATION_LEAK,
    catalog_risk::ENTRY,
    population::UNIQUENESS,
    differential_privacy::ENTRY,
]);

/// What a check is given: what was asked of the model, and the released table.
#[derive(Debug)]
pub struct Case<'a> {
    model: &'static str,
    asked: &'a Value,
    promises: &'a Promises,
    view: &'a View<'a>,
    classes: &'a Classes,
}

/// Checks one model.
pub(super) fn check<'a>(
    model: &str,
    asked: &'a Value,
    promises: &'a Promises,
    view: &'a View<'a>,
    classes: &'a Classes,
) -> Result<Finding, Uncheckable> {
    let entry = CHECKS.find(model).ok_or_else(|| Uncheckable::UnknownModel(model.into()))?;
    (entry.check)(&Case { model: entry.name, asked, promises, view, classes })
}

impl<'a> Case<'a> {
    /// The model's parameters.
    ///
    /// # Errors
    /// [`Uncheckable::Parameters`] if the manifest has others.
    pub fn parameters<P: Parameters>(&self) -> Result<P, Uncheckable> {
        AskedFor(self.asked).parameters().ok_or_else(|| self.unread())
    }

    /// That the model's parameters do not read.
    #[must_use]
    pub fn unread(&self) -> Uncheckable {
        Uncheckable::Parameters(self.model.into())
    }

    /// How many records each class has.
    #[must_use]
    pub fn sizes(&self) -> Vec<u64> {
        self.classes.sizes().to_vec()
    }

    /// The labels and the size of every class.
    fn labelled(&self) -> Vec<ReleasedClass> {
        self.view.labelled(self.classes)
    }

    /// A bound of what shares of people would be. Where people can have several records and the table does not say whose these
    /// are, no share of records breaks it: five people can have fifty records, most of them one person's.
    fn of_shares(&self, reached: Reached) -> Reached {
        Reached { holds: reached.holds || self.counts_untold(), ..reached }
    }

    /// Whether people are counted, and the table does not say whose its records are.
    fn counts_untold(&self) -> bool {
        self.promises.persons && self.view.published.people.is_none()
    }

    /// The finding, from what was reached.
    #[must_use]
    pub fn found(&self, reached: Value, holds: bool) -> Finding {
        Finding::of(self.model, self.asked.clone(), reached, holds)
    }

    /// The finding of one parameter.
    fn reached(&self, one: Reached) -> Finding {
        self.all_reached(&[one])
    }

    /// The finding of one parameter, and of the least class where a size is asked for as well.
    fn reached_with_size(&self, one: Reached, k: u64) -> Finding {
        let least = self.sizes().iter().min().map(|&least| least as f64);
        let holds = least.is_none_or(|least| least >= k as f64);
        self.all_reached(&[one, Reached { name: "k", value: least, holds }])
    }

    fn all_reached(&self, reached: &[Reached]) -> Finding {
        let values: Map<String, Value> =
            reached.iter().map(|r| (r.name.to_owned(), json!(r.value))).collect();
        self.found(values.into(), reached.iter().all(|r| r.holds))
    }
}

/// Forgiven rounding, as a share of the bound.
const ROUNDING: f64 = 1e-9;

/// One parameter that must be at least (or at most) what was asked; `None` where there is no class.
struct Reached {
    name: &'static str,
    value: Option<f64>,
    holds: bool,
}

impl Reached {
    fn at_most(name: &'static str, value: Option<f64>, bound: f64) -> Self {
        Self { name, value, holds: value.is_none_or(|value| value <= bound * (1.0 + ROUNDING)) }
    }

    fn at_least(name: &'static str, value: Option<f64>, bound: f64) -> Self {
        Self { name, value, holds: value.is_none_or(|value| value >= bound * (1.0 - ROUNDING)) }
    }
}

#[cfg(test)]
mod tests;
