//! Operations: a request as a dictionary of Python, the answer as the JSON that the command line prints.

use std::collections::BTreeMap;
use std::path::PathBuf;

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};
use serde_json::{Map, Number, Value, json};
use velamen_assess::operation::{Call, Given, Kind, OPERATIONS, Profile, Property};
use velamen_core::context::Context;
use velamen_core::error::Problem;
use velamen_recipe::{JobError, Origin};

use crate::error::{raised, usage, without_temporary};
use crate::folder::Folder;
use crate::json::json as text;
use crate::linked_release::LinkedRelease;
use crate::options::{Common, Querying};
use crate::recipe::Recipe;
use crate::run::{run, run_in, unseeded};
use crate::table::GivenTable;
use crate::tables::GivenTables;
use crate::temporary::Temporary;

/// A request, and what it names of the caller's memory.
#[derive(Default)]
struct HeldRequest {
    request: Map<String, Value>,
    given: Given,
    /// Tables and releases in memory, for as long as they are read.
    held: Vec<HeldForCall>,
    /// Several tables by name, in a folder that is named nowhere.
    tables: Option<(GivenTables, Temporary)>,
}

/// What is kept for a call.
enum HeldForCall {
    Table { _table: GivenTable },
    Folder { _folder: Folder },
}

/// Runs the operation of that name.
#[pyfunction]
pub(crate) fn call(
    py: Python<'_>,
    name: &str,
    request: &Bound<'_, PyDict>,
    common: Common,
) -> PyResult<String> {
    let entry = OPERATIONS.find(name).ok_or_else(|| usage(py, format!("there is no operation `{name}`")))?;
    let HeldRequest { request, given, held, tables, .. } = HeldRequest::of(name, request)?;
    let answer = match &tables {
        None => run(py, unseeded(), &common, |context| entry.call(request.into(), &called(&given, context))),
        Some((tables, temporary)) => {
            run_in(py, unseeded(), (&common, &|text| temporary.hidden(text)), |context| {
                tables.write(temporary, context)?;
                entry.call(request.into(), &called(&given, context))
            })
        }
    };
    drop(held);
    let answer = without_temporary(&answer?.to_string());
    Ok(tables.map_or_else(|| answer.clone(), |(_, temporary)| temporary.hidden(&answer)))
}

/// A call whose messages show no cell.
fn called<'a>(given: &'a Given, context: &'a Context<'a>) -> Call<'a> {
    Call { given, shows_cells: false, context }
}

/// `profile` with the recipe that it suggests.
#[pyfunction]
pub(crate) fn suggest(
    py: Python<'_>,
    request: &Bound<'_, PyDict>,
    common: Common,
) -> PyResult<(String, String)> {
    let HeldRequest { request, given, held, .. } = HeldRequest::of("profile", request)?;
    let suggested = run(py, unseeded(), &common, |context| {
        let call = Call { given: &given, shows_cells: false, context };
        let (profile, recipe) = Profile::suggested(request.into(), &call)?;
        Ok((text(&profile)?, recipe))
    });
    drop(held);
    suggested
}

impl HeldRequest {
    fn of(operation: &str, dict: &Bound<'_, PyDict>) -> PyResult<Self> {
        let properties: BTreeMap<String, Property> = OPERATIONS
            .find(operation)
            .into_iter()
            .flat_map(|entry| entry.properties())
            .map(|property| (property.name.clone(), property))
            .collect();
        let mut asked = Self::default();
        for (key, item) in dict {
            let name: String = key.extract()?;
            let value = match properties.get(&name) {
                // What is left out is as the operation has it.
                Some(property) if item.is_none() && !property.nullable => continue,
                Some(property) => asked.value(property, &item)?,
                None => Value::Null,
            };
            asked.request.insert(name, value);
        }
        Ok(asked)
    }

    fn value(&mut self, property: &Property, item: &Bound<'_, PyAny>) -> PyResult<Value> {
        if item.is_none() {
            return Ok(Value::Null);
        }
        match &property.kind {
            Kind::Table | Kind::TableOrRelease if self.takes_several(property, item) => {
                self.several(&property.name, item)
            }
            Kind::Table | Kind::TableOrRelease => self.table(&property.name, item.extract()?),
            Kind::Release => match item.cast::<LinkedRelease>() {
                Ok(release) => self.folder(item.py(), release.get().folder(item.py(), property.custodian)?),
                Err(_) => self.folder(item.py(), item.extract()?),
            },
            Kind::Beside => {
                let (release, original): (Bound<'_, PyAny>, Bound<'_, PyAny>) = item.extract()?;
                let release = self.folder(item.py(), release.extract()?)?;
                Ok(json!([release, self.table(&property.name, original.extract()?)?]))
            }
            Kind::Recipe => Ok(item.extract::<PyRef<'_, Recipe>>()?.request()),
            kind => plain(item).ok_or_else(|| {
                let message =
                    Problem::new(format!("{}: a wrong value", property.label())).expected(kind.words());
                raised(item.py(), &JobError::usage(message))
            }),
        }
    }

    /// Whether tables by name are meant, in the place of one.
    fn takes_several(&self, property: &Property, item: &Bound<'_, PyAny>) -> bool {
        property.several && self.tables.is_none() && item.is_instance_of::<PyDict>()
    }

    /// Tables by name: a folder that is written once the work begins.
    fn several(&mut self, name: &str, item: &Bound<'_, PyAny>) -> PyResult<Value> {
        let tables = GivenTables::of(item)?;
        let temporary = tables.folder(item.py())?;
        let folder = temporary.tables();
        self.tables = Some((tables, temporary));
        self.give(name, folder.into())
    }

    /// A file by its path; what is in memory by the property's name.
    fn table(&mut self, name: &str, table: GivenTable) -> PyResult<Value> {
        let origin = table.origin.clone();
        self.held.push(HeldForCall::Table { _table: table });
        if let Some(path) = origin.file().and_then(|path| path.to_str()) {
            return Ok(path.into());
        }
        self.give(name, origin)
    }

    #[allow(clippy::unnecessary_wraps, reason = "as every value")]
    fn give(&mut self, name: &str, origin: Origin) -> PyResult<Value> {
        self.given.0.insert(name.to_owned(), origin);
        Ok(json!({ "given": name }))
    }

    fn folder(&mut self, py: Python<'_>, folder: Folder) -> PyResult<Value> {
        let path = folder.path().to_str().map(Value::from);
        self.held.push(HeldForCall::Folder { _folder: folder });
        path.ok_or_else(|| usage(py, "the path of the release is not UTF-8"))
    }
}

/// A value of Python as JSON has it; `None` if it is of another kind.
fn plain(item: &Bound<'_, PyAny>) -> Option<Value> {
    if let Ok(truth) = item.cast::<PyBool>() {
        return Some(truth.is_true().into());
    }
    if item.is_instance_of::<PyString>() {
        return item.extract::<String>().ok().map(Value::from);
    }
    if item.is_instance_of::<PyList>() || item.is_instance_of::<PyTuple>() {
        let items = item.try_iter().ok()?;
        return items.map(|one| plain(&one.ok()?)).collect::<Option<Vec<Value>>>().map(Value::from);
    }
    if item.is_instance_of::<PyFloat>() {
        return item.extract().ok().and_then(Number::from_f64).map(Value::Number);
    }
    if item.is_instance_of::<PyInt>() {
        let small = item.extract::<i64>().map(Value::from);
        return small.or_else(|_| item.extract::<u64>().map(Value::from)).ok();
    }
    // Whole numbers and numbers of other packages, then paths.
    let whole = item.extract::<i64>().map(Value::from);
    let number = || item.extract().ok().and_then(Number::from_f64).map(Value::Number);
    whole.ok().or_else(number).or_else(|| Some(item.extract::<PathBuf>().ok()?.to_str()?.into()))
}

/// `velamen query`: the columns' names, and one JSON object a row.
#[pyfunction]
#[cfg_attr(not(feature = "sql"), allow(unused_variables, reason = "read by builds with the feature"))]
pub(crate) fn query(
    py: Python<'_>,
    release: Folder,
    text: &str,
    options: Querying,
    common: Common,
) -> PyResult<String> {
    #[cfg(not(feature = "sql"))]
    {
        let message = "this build leaves queries in SQL out; the wheels of releases have them, and docs/python.md says \
                       how to build one that has";
        Err(raised(py, &JobError::usage(message)))
    }
    #[cfg(feature = "sql")]
    {
        let asked = velamen_assess::QueryOptions {
            as_released: options.as_released,
            groups: options.groups,
            memory: options.memory << 20,
            seconds: options.seconds,
            ..velamen_assess::QueryOptions::default()
        };
        let answer: Value = run(py, unseeded(), &common, |context| {
            velamen_assess::query(release.path(), text, &asked, context)?.to_json()
        })?;
        Ok(answer.to_string())
    }
}
