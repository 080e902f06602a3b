//! Recipes: a file, text or a dictionary of the same shape, read by the one parser.

use std::path::{Path, PathBuf};

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyList, PyTuple};
use toml::Value;
use velamen_dp::Seed;
use velamen_job::{CheckOptions, CheckReport, Job};
use velamen_recipe::{JobError, Origin, Overrides, Recipe as Written, Resolved};

use crate::error::{DICT, raised, usage};
use crate::json::json;
use crate::options::{Checking, Common};
use crate::run::run;
use crate::table::Table;

/// What messages call a recipe that was text.
const TEXT: &str = "recipe text";

/// A recipe as it was written, with what `set` changed.
#[pyclass(frozen, module = "velamen._velamen")]
#[derive(Clone)]
pub(crate) struct Recipe {
    text: String,
    path: PathBuf,
    set: Vec<String>,
}

#[pymethods]
impl Recipe {
    /// Reads a recipe's file; `checked` refuses one that does not read.
    #[staticmethod]
    #[pyo3(signature = (path, checked=true))]
    fn file(py: Python<'_>, path: PathBuf, checked: bool) -> PyResult<Self> {
        let text = std::fs::read_to_string(&path);
        let text = text.map_err(|error| raised(py, &JobError::io(&path, "read the recipe", &error)))?;
        let read = Self { text, path, set: Vec::new() };
        if checked { read.checked(py) } else { Ok(read) }
    }

    /// Reads a recipe's text in TOML.
    #[staticmethod]
    fn text(py: Python<'_>, text: String) -> PyResult<Self> {
        Self { text, path: TEXT.into(), set: Vec::new() }.checked(py)
    }

    /// Reads a dictionary of a recipe's shape; `checked` refuses one that does not read.
    #[staticmethod]
    #[pyo3(signature = (dict, checked=true))]
    fn dict(py: Python<'_>, dict: &Bound<'_, PyDict>, checked: bool) -> PyResult<Self> {
        let text = toml::to_string(&value(dict.as_any(), DICT)?);
        let text = text.map_err(|error| PyValueError::new_err(format!("{DICT}: {error}")))?;
        let read = Self { text, path: DICT.into(), set: Vec::new() };
        if checked { read.checked(py) } else { Ok(read) }
    }

    /// The recipe with one entry changed.
    fn with_entry(&self, py: Python<'_>, key: &str, new: &Bound<'_, PyAny>) -> PyResult<Self> {
        let new = value(new, key)?;
        let mut set = self.set.clone();
        set.push(format!("{key}={new}"));
        Self { set, ..self.clone() }.checked(py)
    }

    /// The recipe as JSON, with absolute paths.
    fn json(&self, py: Python<'_>) -> PyResult<String> {
        let written = self.written(&Overrides::default()).map_err(|error| raised(py, &error))?;
        let table = toml::Table::try_from(&written).map_err(|error| usage(py, error.to_string()))?;
        serde_json::to_string(&table).map_err(|error| usage(py, error.to_string()))
    }

    /// How many attributes it names, and its method.
    fn summary(&self, py: Python<'_>) -> PyResult<(usize, String)> {
        let written = self.written(&Overrides::default()).map_err(|error| raised(py, &error))?;
        let method = written.method.keys.get("name").and_then(|name| name.as_str()).unwrap_or_default();
        Ok((written.attributes.len(), method.to_owned()))
    }

    /// What makes it again elsewhere.
    fn pickled(&self) -> (String, PathBuf, Vec<String>) {
        (self.text.clone(), self.path.clone(), self.set.clone())
    }

    /// The recipe that was taken apart.
    #[staticmethod]
    fn unpickled(py: Python<'_>, text: String, path: PathBuf, set: Vec<String>) -> PyResult<Self> {
        Self { text, path, set }.checked(py)
    }

    /// The text that was read; without what `with_entry` changed.
    #[getter]
    fn source(&self) -> String {
        self.text.clone()
    }
}

impl Recipe {
    fn checked(self, py: Python<'_>) -> PyResult<Self> {
        match self.written(&Overrides::default()) {
            Ok(_) => Ok(self),
            Err(error) => Err(raised(py, &error)),
        }
    }

    /// Its file, for messages.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The recipe with what is changed of it.
    pub(crate) fn written(&self, overrides: &Overrides) -> Result<Written, JobError> {
        self.parsed(&self.text, overrides)
    }

    fn parsed(&self, text: &str, overrides: &Overrides) -> Result<Written, JobError> {
        let overrides = Overrides { set: self.set.clone(), ..overrides.clone() };
        let base = self.path.parent().unwrap_or(Path::new(""));
        Written::parse(text, &self.path, base, &overrides)
    }

    /// The recipe over a table, its own where none is given.
    pub(crate) fn over(&self, table: Option<&Table>, overrides: &Overrides) -> Result<Resolved, JobError> {
        if table.is_none() {
            self.refuse_no_input()?;
        }
        self.read(&self.text, table, overrides)
    }

    /// A text in the place of its own over a table.
    fn read(&self, text: &str, table: Option<&Table>, overrides: &Overrides) -> Result<Resolved, JobError> {
        let file = table.and_then(|table| table.origin.file()).map(Path::to_owned);
        let overrides = Overrides { input: file, ..overrides.clone() };
        let mut written = self.parsed(text, &overrides)?;
        if let Some(Origin::Batches(batches)) = table.map(|table| &table.origin) {
            written.batches = Some(batches.clone());
        }
        written.resolve(&self.path)
    }

    /// Whether it has a section, or an entry of it was set.
    fn names(&self, section: &str) -> bool {
        let given: toml::Table = toml::from_str(&self.text).unwrap_or_default();
        given.contains_key(section) || self.set.iter().any(|pair| pair.starts_with(section))
    }

    /// A recipe without `[input]` is for tables that are given.
    fn refuse_no_input(&self) -> Result<(), JobError> {
        match self.names("input") {
            true => Ok(()),
            false => {
                Err(JobError::Usage("the recipe names no input: give a table, or [input] with a path".into()))
            }
        }
    }
}

/// `velamen check`. A table that is given is read, and the recipe's own if that is asked for.
#[pyfunction]
pub(crate) fn check(
    py: Python<'_>,
    recipe: &Recipe,
    table: Option<Table>,
    options: Checking,
    common: Common,
) -> PyResult<String> {
    let Checking { data, output, overwrite } = options;
    let in_memory = output.is_none() && !recipe.names("output");
    let options = CheckOptions { data, overwrite, show_values: false, in_memory };
    let overrides = Overrides { output, ..Overrides::default() };
    if data && table.is_none() {
        recipe.refuse_no_input().map_err(|error| raised(py, &error))?;
    }
    let read = |text: &str| recipe.read(text, table.as_ref(), &overrides);
    let resolved = read(&recipe.text);
    // Nothing is drawn but a random sample of the input: without a seed of the recipe's any will do.
    let seed = resolved.as_ref().ok().and_then(|resolved| resolved.seed.clone());
    let report = run(py, Job::seeded(seed.unwrap_or_else(|| Seed::from_number(0))), &common, |context| {
        let checked =
            resolved.and_then(|resolved| velamen_job::check(&resolved, &recipe.path, options, context));
        if let Err(error @ JobError::Interrupted) = checked {
            return Err(error);
        }
        let mistakes = || Written::mistakes_of(&recipe.text, &|text| read(text).map(drop));
        Ok(CheckReport::of(&checked, mistakes))
    })?;
    let mut report = report;
    for mistake in &mut report.mistakes {
        // The lines of a text that the caller never wrote would mislead.
        if mistake.file.as_deref() == Some(DICT.as_ref()) {
            (mistake.line, mistake.file) = (None, None);
        }
    }
    json(&report).map_err(|error| raised(py, &error))
}

/// The JSON Schema of recipes.
#[pyfunction]
pub(crate) fn schema() -> String {
    Written::schema().to_string()
}

/// A dictionary as a table of TOML on one line.
#[pyfunction]
pub(crate) fn form_text(form: &Bound<'_, PyDict>) -> PyResult<String> {
    value(form.as_any(), "the form").map(|table| table.to_string())
}

/// A value of Python as TOML has it; `at` is where it stands.
fn value(given: &Bound<'_, PyAny>, at: &str) -> PyResult<Value> {
    if let Ok(dict) = given.cast::<PyDict>() {
        let mut table = toml::Table::new();
        for (key, item) in dict {
            let key: String = key.extract()?;
            let inner = value(&item, &format!("{at}.{key}"))?;
            table.insert(key, inner);
        }
        return Ok(Value::Table(table));
    }
    if given.is_instance_of::<PyList>() || given.is_instance_of::<PyTuple>() {
        let items = given.try_iter()?.enumerate();
        let items = items.map(|(number, item)| value(&item?, &format!("{at}.{number}")));
        return Ok(Value::Array(items.collect::<PyResult<_>>()?));
    }
    // A truth value is a number, too.
    if given.is_instance_of::<PyBool>() {
        return Ok(Value::Boolean(given.extract()?));
    }
    if let Ok(number) = given.extract::<i64>() {
        return Ok(Value::Integer(number));
    }
    if let Ok(number) = given.extract::<f64>() {
        return Ok(Value::Float(number));
    }
    if let Ok(path) = given.extract::<PathBuf>() {
        return Ok(Value::String(path.to_string_lossy().into_owned()));
    }
    let kind = given.get_type().name()?;
    Err(PyTypeError::new_err(format!(
        "{at}: {kind} has no place in a recipe: expected text, a number, a truth value, a list or a dictionary; leave out \
         what is None"
    )))
}
