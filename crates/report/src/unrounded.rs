//! Figures that are shown as they are.

use serde_json::Value;

/// The number of what is lost of privacy, by its name in a promise: one that is never rounded, since that could promise more.
pub(crate) fn never_rounded(name: &str, value: &Value) -> Option<f64> {
    value.as_f64().filter(|_| ["epsilon", "delta"].contains(&name) && value.is_f64())
}
