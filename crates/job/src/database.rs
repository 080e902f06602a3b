//! A release into a new table of a database.
//!
//! A table never stands without the folders of its release: the table is filled and read back in a
//! transaction that nobody sees, then both folders appear under their names, then the transaction is
//! ended. What fails takes everything back. A run that is killed between the last two leaves folders
//! without a table, which harm nobody.

use std::path::{Path, PathBuf};

use velamen_checker::CLASS_ID;
use velamen_core::context::Context;
use velamen_core::frequency::{FrequencyTable, Role};
use velamen_database::{Ending, NewColumn, NewTable, Stop};
use velamen_engine::ColumnRequest;
use velamen_engine::sink::{ColumnKind, OutColumn, OutTable};
use velamen_engine::source::{Input, ReadOptions};
use velamen_recipe::{JobError, Target};
use velamen_report::Manifest;

use crate::flat::{flat, per_row, read_options};
use crate::last::Last;

/// Makes the table and takes it back: what can be told before the work is told before.
pub(crate) fn rehearse(
    target: &Target,
    requests: &[ColumnRequest],
    context: &Context<'_>,
) -> Result<(), JobError> {
    let released = requests.iter().filter(|request| request.role != Role::Person);
    let released = released.map(|request| request.name.clone());
    let columns: Vec<String> = std::iter::once(CLASS_ID.to_owned()).chain(released).collect();
    let stop = Stop::default();
    let rehearsed = stop.during(context, || target.database.rehearse(&target.table, &columns, &stop));
    rehearsed.map_err(|error| target.told(error))
}

/// Fills the table with the records of the certified file in `folder`, reads it back and compares.
/// Nobody sees it before [`Filled::commit`].
pub(crate) fn fill(
    target: &Target,
    folder: &Path,
    manifest: &Manifest,
    context: &Context<'_>,
) -> Result<Filled, JobError> {
    let path = velamen_report::data_path(&manifest.data, folder)?;
    let (certified, columns) = read(Input::open(&path, &read_options(manifest)?)?, context)?;
    let records = out_table(&certified);
    let columns: Vec<NewColumn> =
        columns.into_iter().map(|name| NewColumn { integer: name == CLASS_ID, name }).collect();
    let stop = Stop::default();
    let made = stop.during(context, || {
        let mut table =
            target.database.create(&target.table, &columns, &stop).map_err(|error| target.told(error))?;
        table.fill(&records, context).map_err(|error| target.told(error))?;
        let names = columns.iter().map(|column| column.name.clone()).collect();
        let label = PathBuf::from(target.label());
        let options = ReadOptions { may_be_empty: true, ..ReadOptions::default() };
        let input = Input::of_rows(&label, names, table.rows(), &options)?;
        let (held, _) = read(input, context)?;
        Ok::<_, JobError>((table, same(&certified, &held)))
    });
    let (table, same) = match made {
        Ok(made) => made,
        Err(error) => {
            context.check()?;
            return Err(error);
        }
    };
    if !same {
        let problem = "what the table holds is not what was certified; it was taken back";
        return Err(JobError::promise(format!("{}: {problem}", target.label())));
    }
    Ok(Filled { target: target.clone(), table })
}

/// A table that holds the release and that nobody sees yet.
pub(crate) struct Filled {
    target: Target,
    table: Box<dyn NewTable>,
}

impl Filled {
    /// Lets everybody see the table.
    pub(crate) fn commit(self) -> Last {
        match self.table.commit() {
            Ending::Made => Last::Done,
            Ending::Undone(error) => Last::Undone(self.target.told(error)),
            Ending::Unknown(error) => {
                let label = self.target.label();
                let error = self.target.told(error);
                let problem = format!("{error}. The release folder is complete and stays");
                Last::Unknown(JobError::unusable(problem).mend(format!(
                    "look whether there is {label}: if so, all is done; if not, remove the folder or run again with \
                     --overwrite"
                )))
            }
        }
    }
}

/// All columns of a table as they stand, and their names.
fn read(input: Input, context: &Context<'_>) -> Result<(FrequencyTable, Vec<String>), JobError> {
    let (input, requests) = flat(input, |_| Some(Role::Insensitive), &[])?;
    let table = input.read(&requests, context)?;
    Ok((table, input.columns))
}

/// The records in canonical order: the one of the file, or of the query, is not told.
fn out_table(table: &FrequencyTable) -> OutTable {
    let column = |column: &velamen_core::frequency::RestColumn| OutColumn {
        name: column.name.clone(),
        labels: column.values.clone(),
        kind: ColumnKind::Text,
    };
    OutTable {
        columns: table.rest.columns.iter().map(column).collect(),
        codes: table.rest.codes.clone(),
        counts: per_row(table),
    }
}

/// Whether two tables hold the same records.
fn same(a: &FrequencyTable, b: &FrequencyTable) -> bool {
    let columns = a.rest.columns.iter().zip(&b.rest.columns);
    a.rest.columns.len() == b.rest.columns.len()
        && columns.into_iter().all(|(a, b)| a.name == b.name && a.values == b.values)
        && a.rest.codes == b.rest.codes
        && per_row(a) == per_row(b)
}
