//! What is asked and found of one sensitive attribute.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::pycanon::Pycanon;

/// What to compute.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Options {
    /// l of recursive (c, l)-diversity; each attribute's distinct l if not given.
    pub l: Option<u32>,
}

/// The privacy parameters that a table satisfies for one sensitive attribute.
#[derive(Debug, Clone, PartialEq, JsonSchema, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct AttributeMeasures {
    /// The attribute; the key in JSON.
    #[serde(skip)]
    pub name: String,
    /// Whether its values are numbers.
    pub numeric: bool,
    /// Values that occur in the table.
    pub values: u64,
    /// [`crate::measure::alpha`].
    pub alpha: Option<f64>,
    /// [`crate::measure::diversity::distinct`].
    pub distinct_l: Option<u64>,
    /// [`crate::measure::diversity::entropy`].
    pub entropy_l: Option<f64>,
    /// Its integer part.
    pub entropy_l_whole: Option<u64>,
    /// The l that c is for: the one asked for, else distinct l.
    pub recursive_l: Option<u64>,
    /// [`crate::measure::recursive`]: every c above this holds.
    pub recursive_c: Option<f64>,
    /// The least whole c that holds.
    pub recursive_c_whole: Option<u64>,
    /// [`crate::measure::closeness::equal`].
    pub t_equal: Option<f64>,
    /// [`crate::measure::closeness::ordered`].
    pub t_ordered: Option<f64>,
    /// [`crate::measure::beta::basic`].
    pub basic_beta: Option<f64>,
    /// [`crate::measure::beta::enhanced`].
    pub enhanced_beta: Option<f64>,
    /// [`crate::measure::delta`]: every δ above this holds.
    pub delta: Option<f64>,
    /// pycanon's figures with this sensitive attribute alone.
    pub pycanon: Pycanon,
}
