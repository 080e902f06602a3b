//! The model's check: how rare a sensitive value of a class is in the released table.

use serde_json::json;
use velamen_checker::model_check::{Counts, Entry};

use super::model::ToyParams;

pub(crate) static ENTRY: Entry = Entry {
    name: "toy",
    check: |case| {
        let ToyParams { least } = case.parameters()?;
        let rarest = case.attribute()?.classes.iter().flat_map(Counts::counts).min();
        Ok(case.found(json!({ "least": rarest }), rarest.is_none_or(|rarest| rarest >= least)))
    },
};
