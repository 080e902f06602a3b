//! Results as the JSON that the command line prints.

use serde::Serialize;
use velamen_recipe::JobError;

/// A result as text.
pub(crate) fn json(result: &impl Serialize) -> Result<String, JobError> {
    // A number that JSON cannot write becomes null, as on the command line.
    let value = serde_json::to_value(result).map_err(|error| JobError::data(error.to_string()))?;
    Ok(value.to_string())
}
