//! One promise of a release.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use velamen_core::release::{CATALOG, CEILING, INSENSITIVE};

use crate::AskedFor;
use crate::model::{self, Terms};

/// A promise, as `release.json` has it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Promised {
    /// The model's or rule's name.
    pub model: String,
    /// The parameters asked for.
    pub asked: Value,
    /// What the checker found in the released file.
    pub reached: Value,
}

impl Promised {
    /// The terms of its model; `None` for a method's own promise, and for a model that this version does not know.
    #[must_use]
    pub fn terms(&self) -> Option<&'static Terms> {
        model::find(&self.model)
    }

    /// Whether a privacy model promises it, and not a method.
    #[must_use]
    pub fn is_of_model(&self) -> bool {
        ![CEILING, CATALOG, INSENSITIVE].contains(&self.model.as_str())
    }

    /// The size that it asks of every class, if it asks for one.
    #[must_use]
    pub fn least_class(&self) -> Option<u64> {
        self.terms()?.least_class(&self.asked)
    }

    /// Whether it asks of classes for nothing but a size.
    #[must_use]
    pub fn asks_only_size(&self) -> bool {
        self.terms().is_some_and(|terms| terms.facts.only_size)
    }

    /// Whether it asks for the size of classes by all quasi-identifiers, and for nothing else.
    #[must_use]
    pub fn is_of_whole_size(&self) -> bool {
        self.asks_only_size() && self.shielded().is_none()
    }

    /// Whether it is a promise of differential privacy.
    #[must_use]
    pub fn is_private(&self) -> bool {
        self.terms().is_some_and(|terms| terms.facts.private)
    }

    /// The parameters without what they are about, as a model reads them; `None` if they are no table of parameters.
    #[must_use]
    pub fn parameters(&self) -> Option<Value> {
        AskedFor(&self.asked).all_parameters()
    }

    /// The sensitive attribute that it is about.
    #[must_use]
    pub fn attribute(&self) -> Option<&str> {
        AskedFor(&self.asked).attribute()
    }

    /// The attributes by which a shield forms classes, where it is not all quasi-identifiers.
    #[must_use]
    pub fn shielded(&self) -> Option<&Vec<Value>> {
        AskedFor(&self.asked).shield()?.as_array()
    }

    /// The most that a record may lose, of a ceiling.
    #[must_use]
    pub fn ceiling(&self) -> Option<f64> {
        (self.model == CEILING).then(|| self.asked.get("h")?.as_f64()).flatten()
    }

    /// How many records insensitive columns have to leave alike, where that is what it promises.
    #[must_use]
    pub fn alike(&self) -> Option<u64> {
        (self.model == INSENSITIVE).then(|| self.asked.get("k")?.as_u64()).flatten()
    }
}
