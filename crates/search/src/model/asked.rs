//! A privacy model as a recipe asks for it.

use std::sync::Arc;

use serde_json::{Value, json};
use velamen_contract::asked_for;

use super::{BY_SIZE, Entry, Model, ParameterError};

/// A privacy model that is asked for.
#[derive(Debug, Clone)]
pub struct Asked {
    /// Its registry entry.
    pub entry: &'static Entry,
    /// Its checked parameters.
    pub model: Arc<dyn Model>,
    /// The sensitive attribute that it looks at, if it looks at any.
    pub attribute: Option<String>,
    /// The quasi-identifiers that it looks at; `None` for all.
    pub shield: Option<Vec<String>>,
}

impl Asked {
    /// The parameters as the recipe gives them, `attribute` and `attributes` included.
    #[must_use]
    pub fn asked(&self) -> Value {
        asked_for(self.model.parameters(), self.attribute.as_deref(), self.shield.as_deref())
    }

    /// The size that it asks of every class, if it asks for one.
    #[must_use]
    pub fn least_class(&self) -> Option<u64> {
        self.entry.terms.least_class(&self.model.parameters())
    }

    /// Whether it asks for a number of records, in a class or in the population.
    #[must_use]
    pub fn asks_for_records(&self) -> bool {
        self.entry.terms.least_records(&self.model.parameters()).is_some()
    }

    /// That every class has at least so many records.
    ///
    /// # Errors
    /// [`ParameterError`] if that protects nobody.
    pub fn of_size(least: u64) -> Result<Self, ParameterError> {
        let entry: &'static Entry = &BY_SIZE;
        let model = (entry.parse)(json!({ "k": least }))?;
        Ok(Self { entry, model, attribute: None, shield: None })
    }

    /// Whether it asks for the size of classes by all quasi-identifiers, and for nothing else.
    #[must_use]
    pub fn is_of_whole_size(&self) -> bool {
        self.entry.terms.facts.only_size && self.shield.is_none()
    }
}
