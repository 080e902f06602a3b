//! `velamen synth`: invented records in memory.

use std::sync::Arc;

use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use pyo3::prelude::*;
use velamen_core::context::Context;
use velamen_engine::source::Batches;
use velamen_job::Job;
use velamen_recipe::JobError;
use velamen_synth::{COLUMNS, NUMBERS, Nps, Record};

use crate::arrow::Records;
use crate::error::raised;
use crate::options::Common;
use crate::run::{run, seed};

/// The synthetic national patient sample, and a recipe for it.
#[pyfunction]
pub(crate) fn synth_nps(
    py: Python<'_>,
    rows: u64,
    seed_text: &str,
    distinct: bool,
    common: Common,
) -> PyResult<(Records, String)> {
    let seed = seed(seed_text).map_err(|error| raised(py, &error))?;
    let batches = run(py, Job::seeded(seed), &common, |context| {
        let sample = Nps::new(rows, context.seed);
        let sample = if distinct { sample.distinct() } else { sample };
        drawn(&sample, context)
    })?;
    Ok((Records(batches), velamen_synth::recipe(None, None, velamen_synth::SampleMethod::default())))
}

/// All blocks, one batch each. Drawing a block takes some milliseconds.
fn drawn(sample: &Nps, context: &Context<'_>) -> Result<Batches, JobError> {
    let schema = schema();
    let mut batches = Vec::new();
    for block in 0..sample.blocks() {
        context.check()?;
        context.progress.step("generating", block, sample.blocks());
        let columns = columns(&sample.block(block));
        let batch = RecordBatch::try_new(Arc::clone(&schema), columns);
        batches.push(batch.map_err(|error| JobError::data(error.to_string()))?);
    }
    Ok(Batches { schema, batches })
}

fn schema() -> SchemaRef {
    let kind = |name: &str| if NUMBERS.contains(&name) { DataType::Int64 } else { DataType::Utf8 };
    Arc::new(Schema::new(COLUMNS.map(|name| Field::new(name, kind(name), true)).to_vec()))
}

/// In the order of [`COLUMNS`].
fn columns(records: &[Record]) -> Vec<ArrayRef> {
    let numbers = |of: fn(Record) -> u8| -> ArrayRef {
        Arc::new(records.iter().map(|&record| i64::from(of(record))).collect::<Int64Array>())
    };
    let texts = |of: fn(Record) -> &'static str| -> ArrayRef {
        Arc::new(StringArray::from_iter_values(records.iter().map(|&record| of(record))))
    };
    vec![
        numbers(Record::age),
        texts(Record::sex),
        numbers(Record::length_of_stay),
        texts(Record::location),
        texts(Record::surgery),
        texts(Record::diagnosis),
    ]
}
