//! A key of the recipe with its value, and a role for each column.

use std::collections::BTreeMap;

use serde_json::Value;
use velamen_core::frequency::Role;

/// A key of the recipe, and what it is set to; nothing takes it out.
#[derive(Debug, Clone, PartialEq)]
pub struct Setting {
    /// The keys that lead to it.
    pub place: Vec<String>,
    /// Its value.
    pub value: Option<Value>,
}

impl Setting {
    pub(super) fn of_attribute(name: &str, key: &str, value: Option<Value>) -> Self {
        Self { place: ["attributes", name, key].map(str::to_owned).to_vec(), value }
    }
}

/// A role for each column.
pub(super) type Roles = BTreeMap<String, Role>;
