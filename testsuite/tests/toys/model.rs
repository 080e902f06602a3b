//! A model: no sensitive value is rare in a class. Every one that a class has, `least` of its records have.

use std::sync::Arc;
use velamen_core::error::Problem;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use velamen_contract::model::{Facts, Terms};
use velamen_search::model::{
    Class, ClassModel, Distribution, Entry, Judge, Model, Monotonicity, parse_as, schema_of,
};

pub(crate) static TERMS: Terms = Terms {
    name: "toy",
    summary: "every sensitive value of a class is that of at least so many of its records",
    words: |_| "No value that few of a group have shows in it.".into(),
    limits: "A class may consist of one value.",
    facts: Facts { sensitive: true, ..Facts::NONE },
};

pub(crate) static ENTRY: Entry = Entry {
    terms: &TERMS,
    // What both of two classes keep, they keep together; one record more can break it.
    monotonicity: Monotonicity::Merge,
    parse: |value| parse_as::<ToyParams, Toy>("toy", value),
    schema: schema_of::<ToyParams>,
};

/// Parameters as the recipe gives them.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ToyParams {
    /// The least number of a class's records that have a value, at least 2.
    pub(crate) least: u64,
}

#[derive(Debug, Clone, Copy)]
struct Toy {
    least: u64,
}

impl TryFrom<ToyParams> for Toy {
    type Error = Problem;

    fn try_from(ToyParams { least }: ToyParams) -> Result<Self, Problem> {
        if least > 1 { Ok(Self { least }) } else { Err("least must be at least 2".into()) }
    }
}

impl Model for Toy {
    fn parameters(&self) -> Value {
        json!({ "least": self.least })
    }

    fn bind(&self, _: &Distribution<'_>) -> Result<Judge, String> {
        Ok(Judge::Class(Arc::new(*self)))
    }
}

impl ClassModel for Toy {
    fn holds(&self, class: &Class<'_>) -> bool {
        class.sensitive.iter().all(|&(_, records)| records >= self.least)
    }
}
