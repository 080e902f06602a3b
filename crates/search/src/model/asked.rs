//! A privacy model as a recipe asks for it.

use std::sync::Arc;

use serde_json::Value;

use super::{Entry, Model};

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
        let mut asked = self.model.parameters();
        if let Some(attribute) = &self.attribute {
            asked["attribute"] = attribute.as_str().into();
        }
        if let Some(shield) = &self.shield {
            asked["attributes"] = shield.clone().into();
        }
        asked
    }
}
