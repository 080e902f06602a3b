//! A model: no sensitive value is rare in a class. Every one that a class has, `least` of its records have.

use std::sync::Arc;

use velamen::registries::checks::{self, Counts};
use velamen::registries::error::Problem;
use velamen::registries::models::terms::{Facts, Terms};
use velamen::registries::models::{
    Class, ClassModel, Distribution, Entry, Judge, Model, Monotonicity, parse_as, schema_of,
};
use velamen::registries::schemars::JsonSchema;
use velamen::registries::serde::{Deserialize, Serialize};
use velamen::registries::serde_json::{Value, json};

const NAME: &str = "outside-common";

pub(crate) static TERMS: Terms = Terms {
    name: NAME,
    summary: "every sensitive value of a class is that of at least so many of its records",
    words: |_| "No value that few of a group have shows in it.".into(),
    limits: "A class may consist of one value.",
    facts: Facts { sensitive: true, ..Facts::NONE },
};

pub(crate) static ENTRY: Entry = Entry {
    terms: &TERMS,
    monotonicity: Monotonicity::Merge,
    parse: |value| parse_as::<CommonParams, Common>(NAME, value),
    schema: schema_of::<CommonParams>,
};

pub(crate) static CHECK: checks::Entry = checks::Entry {
    name: NAME,
    check: |case| {
        let CommonParams { least } = case.parameters()?;
        let rarest = case.attribute()?.classes.iter().flat_map(Counts::counts).min();
        Ok(case.found(json!({ "least": rarest }), rarest.is_none_or(|rarest| rarest >= least)))
    },
};

/// Parameters as the recipe gives them.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(crate = "velamen::registries::serde", deny_unknown_fields)]
#[schemars(crate = "velamen::registries::schemars")]
pub(crate) struct CommonParams {
    /// The least number of a class's records that have a value, at least 2.
    pub(crate) least: u64,
}

#[derive(Debug, Clone, Copy)]
struct Common {
    least: u64,
}

impl TryFrom<CommonParams> for Common {
    type Error = Problem;

    fn try_from(CommonParams { least }: CommonParams) -> Result<Self, Problem> {
        if least > 1 { Ok(Self { least }) } else { Err("least must be at least 2".into()) }
    }
}

impl Model for Common {
    fn parameters(&self) -> Value {
        json!({ "least": self.least })
    }

    fn bind(&self, _: &Distribution<'_>) -> Result<Judge, String> {
        Ok(Judge::Class(Arc::new(*self)))
    }
}

impl ClassModel for Common {
    fn holds(&self, class: &Class<'_>) -> bool {
        class.sensitive.iter().all(|&(_, records)| records >= self.least)
    }
}
