//! A table's frequency table by way of a cluster, proven.

use std::path::Path;
use std::str::FromStr;
use std::sync::Arc;

use velamen_core::context::Context;
use velamen_core::frequency::FrequencyTable;
use velamen_engine::ColumnRequest;
use velamen_engine::source::{Combinations, Input};
use velamen_sql::datafusion::arrow::array::{ArrayRef, AsArray, Int64Array, PrimitiveArray, RecordBatch};
use velamen_sql::datafusion::arrow::compute::cast;
use velamen_sql::datafusion::arrow::datatypes::{ArrowPrimitiveType, DataType, Float32Type, Float64Type};
use velamen_sql::datafusion::datasource::MemTable;
use velamen_sql::datafusion::prelude::SessionContext;

use crate::client::{Settings, Stop, ask, pause, ready, runtime};
use crate::error::{ClusterError, Fault};
use crate::proof::{self, Sums};
use crate::statement;
use crate::table::{ClusterTable, NAME, Spelling};

/// A proven reduction.
#[derive(Debug)]
pub struct Reduced {
    /// The same table that a run in process reads.
    pub table: FrequencyTable,
    /// Why earlier answers were not used.
    pub faults: Vec<Fault>,
}

/// Reads the requested columns of all records into a frequency table, on the cluster. `input` is the table
/// as the driver sees it, `location` where every node finds it.
///
/// Time: the cluster's, and the driver's linear in delimited text, whose records it counts itself; memory:
/// distinct combinations.
///
/// # Errors
/// [`ClusterError`]; [`ClusterError::Unproven`] where no attempt gave an answer that holds.
pub fn reduce(
    input: &Input,
    location: &Path,
    requests: &[ColumnRequest],
    settings: &Settings,
    context: &Context<'_>,
) -> Result<Reduced, ClusterError> {
    let counted = input.count(context)?;
    let table = ClusterTable::of(input, location, requests, counted)?;
    let runtime = runtime()?;
    context.progress.step("waiting for an executor", 0, 0);
    match runtime.block_on(ready(settings, context)) {
        Ok(()) => {}
        Err(Stop::Interrupted(interrupted)) => return Err(interrupted.into()),
        Err(Stop::Fault(fault)) => return Err(ClusterError::Unproven(vec![fault])),
    }
    let mut faults = Vec::new();
    loop {
        context.progress.step("counting on the cluster", 0, 0);
        match runtime.block_on(attempt(&table, counted.records, settings, context)) {
            Ok(groups) => {
                return Ok(Reduced { table: input.read_groups(requests, &groups, context)?, faults });
            }
            Err(Stop::Interrupted(interrupted)) => return Err(interrupted.into()),
            Err(Stop::Fault(fault)) => faults.push(fault),
        }
        if faults.len() > settings.retries as usize {
            return Err(ClusterError::Unproven(faults));
        }
        runtime.block_on(pause(faults.len(), context))?;
    }
}

/// One answer, and its proof.
async fn attempt(
    table: &ClusterTable,
    records: u64,
    settings: &Settings,
    context: &Context<'_>,
) -> Result<Vec<Combinations>, Stop> {
    let answer = ask(settings, table, &statement::reduction(table), context).await?;
    let groups = answer.iter().map(|batch| group(table, batch)).collect::<Result<Vec<_>, _>>()?;
    let found = groups.iter().flat_map(|group| &group.counts).map(|&count| u128::from(count)).sum();
    if found != u128::from(records) {
        return Err(Fault::Records { what: "reduction", found, expected: records }.into());
    }
    let sums = ask(settings, table, &statement::checksum(table), context).await?;
    proof::check(records, own_sums(table, &groups).await?, proof::of_records(&sums)?)?;
    Ok(groups)
}

/// A batch of the answer, its text as plain text.
fn group(table: &ClusterTable, batch: &RecordBatch) -> Result<Combinations, Fault> {
    if batch.num_columns() != table.cells.len() + 1 {
        return Err(Fault::Form);
    }
    let plain = |(column, form): (&ArrayRef, Spelling)| match form {
        Spelling::Delimited | Spelling::Text => cast(column, &DataType::Utf8).map_err(|_| Fault::Form),
        Spelling::Float(bits) => number(column, bits),
        Spelling::Printed | Spelling::Number(_) => Ok(Arc::clone(column)),
    };
    let cells = batch.columns().iter().zip(table.cells.iter().map(|cell| cell.form));
    Ok(Combinations { columns: cells.map(plain).collect::<Result<_, _>>()?, counts: proof::counts(batch)? })
}

/// Numbers from their printed form, which is as short as it reads back.
fn number(column: &ArrayRef, bits: u8) -> Result<ArrayRef, Fault> {
    let texts = cast(column, &DataType::Utf8).map_err(|_| Fault::Form)?;
    let texts = texts.as_string::<i32>().iter();
    Ok(match bits {
        32 => Arc::new(parsed::<Float32Type>(texts)?),
        _ => Arc::new(parsed::<Float64Type>(texts)?),
    })
}

fn parsed<'a, T: ArrowPrimitiveType<Native: FromStr>>(
    texts: impl Iterator<Item = Option<&'a str>>,
) -> Result<PrimitiveArray<T>, Fault> {
    let one = |text: Option<&str>| text.map(|text| text.parse().map_err(|_| Fault::Form)).transpose();
    texts.map(one).collect::<Result<Vec<Option<T::Native>>, Fault>>().map(PrimitiveArray::from_iter)
}

/// What the groups say of the records, found without the cluster by the same expression.
async fn own_sums(table: &ClusterTable, groups: &[Combinations]) -> Result<Sums, Fault> {
    let batches: Vec<RecordBatch> = groups.iter().map(named).collect::<Result<_, _>>()?;
    let Some(first) = batches.first() else { return Ok(Sums { records: 0, checksum: 0 }) };
    let schema = first.schema();
    let answer = async {
        let session = SessionContext::new();
        session.register_table(NAME, Arc::new(MemTable::try_new(schema, vec![batches])?))?;
        session.sql(&statement::groups(table)).await?.collect().await
    };
    proof::of_groups(&answer.await.map_err(|_| Fault::Form)?)
}

fn named(group: &Combinations) -> Result<RecordBatch, Fault> {
    let keys =
        group.columns.iter().enumerate().map(|(place, column)| (statement::key(place), Arc::clone(column)));
    let signed = |&count: &u64| i64::try_from(count).map_err(|_| Fault::Form);
    let counts = group.counts.iter().map(signed).collect::<Result<Vec<_>, _>>()?;
    let counts: ArrayRef = Arc::new(Int64Array::from(counts));
    let columns = keys.chain(std::iter::once(("n".to_owned(), counts)));
    RecordBatch::try_from_iter_with_nullable(columns.map(|(name, column)| (name, column, true)))
        .map_err(|_| Fault::Form)
}
