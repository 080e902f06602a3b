//! The released attributes.

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use velamen_core::frequency::Role;
use velamen_core::hierarchy::Definition;
use velamen_core::recoding::Recoding;
use velamen_core::step::Ends;

/// The released attributes by name, in the order of the columns.
pub type Attributes = IndexMap<String, AttributeEntry>;

/// What is released in place of an identifier.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Pseudonym {
    /// HMAC-SHA-256 of the value under the key: 64 hexadecimal digits.
    #[serde(rename = "hmac-sha256")]
    HmacSha256,
}

/// Whose the records of one value are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Rows {
    /// Each record is of another person.
    Independent,
}

/// A released attribute.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct AttributeEntry {
    /// Its part.
    pub role: Role,
    /// Its level, for quasi-identifiers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<u8>,
    /// What its labels are where classes have levels of their own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recoding: Option<Recoding>,
    /// What the ends of its ranges are: multiples of a step, "intervals" of the hierarchy, or "values", which are released in
    /// sets where they have no order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<Ends>,
    /// How many levels its hierarchy has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub levels: Option<u8>,
    /// Its hierarchy in full.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hierarchy: Option<Definition>,
    /// Whether the hierarchy's domain is read off the data.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub domain_from_data: bool,
    /// Whether missing values occur that the hierarchy does not define: one leaf more.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub missing_values: bool,
    /// Numbers up to here are coded as one value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bottom: Option<f64>,
    /// Numbers from here up are coded as one value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub top: Option<f64>,
    /// What the values stand for, where they are pseudonyms.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pseudonym: Option<Pseudonym>,
    /// Whose the records of one pseudonym are, where the custodian says that they are of different people; left out: of one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rows: Option<Rows>,
    /// By how many days at most a person's dates were moved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date_shift: Option<u32>,
    /// What the custodian says of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The unit of its values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
}

impl AttributeEntry {
    /// An attribute of which nothing is said but its part.
    #[must_use]
    pub const fn of(role: Role) -> Self {
        Self {
            role,
            level: None,
            recoding: None,
            step: None,
            levels: None,
            hierarchy: None,
            domain_from_data: false,
            missing_values: false,
            bottom: None,
            top: None,
            pseudonym: None,
            rows: None,
            date_shift: None,
            description: None,
            unit: None,
        }
    }

    /// What it says that no released record shows, by the names of the fields.
    #[must_use]
    pub fn unchecked(&self) -> Vec<&'static str> {
        let said = [
            ("bottom", self.bottom.is_some()),
            ("top", self.top.is_some()),
            ("domain-from-data", self.domain_from_data),
            ("missing-values", self.missing_values),
            ("pseudonym", self.pseudonym.is_some()),
            ("rows", self.rows.is_some()),
            ("date-shift", self.date_shift.is_some()),
            ("description", self.description.is_some()),
            ("unit", self.unit.is_some()),
        ];
        said.into_iter().filter(|(_, said)| *said).map(|(field, _)| field).collect()
    }

    /// Whether released values are others than the original's: pseudonyms, moved dates.
    #[must_use]
    pub const fn is_replaced(&self) -> bool {
        self.pseudonym.is_some() || self.date_shift.is_some()
    }
}
