//! What the tests of files share.
#![allow(dead_code, reason = "not every test uses all")]
#![allow(clippy::unwrap_used, reason = "a failure fails the test")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use tempfile::TempDir;
use velamen_core::context::{Context, Silent};
use velamen_core::frequency::{FrequencyTable, Role};
use velamen_core::hierarchy::{Rule, TableRule};
use velamen_dp::Seed;
use velamen_engine::source::{Input, ReadOptions};
use velamen_engine::{ColumnRequest, EngineError};

/// Records in any order, with their counts.
pub(crate) type Records = BTreeMap<Vec<String>, u64>;

/// Runs a body with a context that is never cancelled.
pub(crate) fn with_context<T>(body: impl FnOnce(&Context<'_>) -> T) -> T {
    let (seed, cancel) = (Seed::from_number(0), AtomicBool::new(false));
    body(&Context { seed: &seed, progress: &Silent, cancel: &cancel })
}

/// Runs a body on so many threads.
pub(crate) fn on_threads<T: Send>(threads: usize, body: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(body)
}

/// A hierarchy with these values.
pub(crate) fn rule(values: impl IntoIterator<Item = impl Into<String>>) -> Rule {
    Rule::Table(TableRule::new(values.into_iter().map(|v| vec![v.into(), "*".into()]).collect()).unwrap())
}

/// All columns, the first a quasi-identifier with a rule, the others insensitive.
pub(crate) fn requests(columns: &[String], first: Rule) -> Vec<ColumnRequest> {
    let first = Arc::new(first);
    let request = |(index, name): (usize, &String)| ColumnRequest {
        index,
        name: name.clone(),
        role: if index == 0 { Role::QuasiIdentifier } else { Role::Insensitive },
        rule: if index == 0 { Arc::clone(&first) } else { Arc::new(Rule::Flat) },
        whole_domain: false,
    };
    columns.iter().enumerate().map(request).collect()
}

/// Opens a file and reads all its columns.
pub(crate) fn read(path: &Path, first: Rule, options: &ReadOptions) -> Result<FrequencyTable, EngineError> {
    let input = Input::open(path, options)?;
    with_context(|context| input.read(&requests(&input.columns, first), context))
}

/// The records of a table that [`read`] gave.
pub(crate) fn records(table: &FrequencyTable) -> Records {
    let record = |row: usize| {
        let qi = table.qis[0].hierarchy.label(0, table.codes[0][row]).to_owned();
        let codes = table.rest.row(table.rest_index[row] as usize);
        let rest =
            table.rest.columns.iter().zip(codes).map(|(column, code)| column.values[code as usize].clone());
        std::iter::once(qi).chain(rest).collect()
    };
    (0..table.len()).map(|row| (record(row), table.counts[row])).collect()
}

/// A new file in a folder of its own.
pub(crate) fn file(name: &str, content: &[u8]) -> (TempDir, PathBuf) {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, content).unwrap();
    (folder, path)
}
