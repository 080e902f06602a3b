//! t-closeness: what is promised.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use velamen_core::number::percent;

use super::{Facts, Terms};

/// The model's terms.
pub const TERMS: Terms = Terms {
    name: "t-closeness",
    summary: "the sensitive values of every class are distributed as in the table, up to a distance t",
    words,
    limits: "It does not limit how small a class may be: ask for k-anonymity besides. What the whole \
             table shows of everybody can still be learned.",
    facts: Facts { sensitive: true, against_table: true, counts_persons: true, ..Facts::NONE },
};

fn words(asked: &Value) -> String {
    match asked["t"].as_f64() {
        Some(t) => closeness(t, asked["distance"].as_str().unwrap_or("equal")),
        None => TERMS.summary.into(),
    }
}

/// What t-closeness means, which depends on t and on what is called near.
fn closeness(t: f64, distance: &str) -> String {
    let t = percent(t);
    if distance == "equal" {
        return format!(
            "In no group does the share of a sensitive value, or of any set of them, differ from that in the whole table \
             by more than {t}. Someone who finds a person's group can learn that much about the person beyond what the \
             table shows about everyone. 0 % would be nothing, 100 % allows anything."
        );
    }
    format!(
        "A group's sensitive values lie, on average, at most {t} of the maximum distance from the whole table's. Near \
         values count as less different than far ones, so the share of one value may differ by more. 0 % would mean \
         that a group reveals no more about a person than the table does about everyone; 100 % allows anything."
    )
}

/// Parameters as the recipe gives them, and once checked.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TClosenessParams {
    /// The largest distance between a class's distribution and the table's, above 0 and at most 1.
    pub t: f64,
    /// How far values lie apart.
    #[serde(default)]
    pub distance: Ground,
    /// In which order the values stand, for `ordered`.
    #[serde(default)]
    pub order: Order,
}

/// How far values lie apart.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Ground {
    /// All equally far.
    #[default]
    Equal,
    /// By the difference of their ranks.
    Ordered,
    /// By the height of their least common ancestor.
    Hierarchical,
}

/// An order of values.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Order {
    /// Numbers by size, text by code point.
    #[default]
    Type,
    /// As the hierarchy lists them.
    Hierarchy,
}
