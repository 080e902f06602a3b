//! Recipes: a file, text or a dictionary of the same shape, read by the one parser.

use std::path::{Path, PathBuf};

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyList, PyTuple};
use toml::Value;
use velamen_assess::operation::{RecipeText, TheRecipe};
use velamen_recipe::{JobError, Overrides, Recipe as Written, Resolved};

use crate::error::{DICT, raised, usage};
use crate::table::GivenTable;

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
        if self.is_linked() {
            return self.linked_json().map_err(|error| raised(py, &error));
        }
        let written = self.written(&Overrides::default()).map_err(|error| raised(py, &error))?;
        let mut table = toml::Table::try_from(&written).map_err(|error| usage(py, error.to_string()))?;
        let read = velamen_recipe::of_form::<toml::Table>(&self.text, &self.path, &self.set);
        let read = read.map_err(|error| raised(py, &error))?.0;
        // What stands in for a table and a folder that the call gives is no path.
        for section in ["input", "output"] {
            let part = read.get(section);
            if part.is_none_or(|part| part.get("path").is_none()) {
                table.remove(section);
                table.extend(part.map(|part| (section.to_owned(), part.clone())));
            }
        }
        serde_json::to_string(&table).map_err(|error| usage(py, error.to_string()))
    }

    /// The recipe as TOML with what `with_entry` changed: paths as they were written, or absolute with all defaults.
    fn toml(&self, py: Python<'_>, absolute: bool) -> PyResult<String> {
        if !absolute && self.set.is_empty() {
            return Ok(self.text.clone());
        }
        let table = match absolute {
            true => serde_json::from_str(&self.json(py)?).map_err(|error| usage(py, error.to_string()))?,
            false => {
                let read = velamen_recipe::of_form::<toml::Table>(&self.text, &self.path, &self.set);
                read.map_err(|error| raised(py, &error))?.0
            }
        };
        toml::to_string(&table).map_err(|error| usage(py, error.to_string()))
    }

    /// How many attributes it names, or tables if it is one of linked tables, and its method.
    fn summary(&self, py: Python<'_>) -> PyResult<(usize, String)> {
        if self.is_linked() {
            let linked =
                self.named().linked_with(&Overrides::default()).map_err(|error| raised(py, &error))?;
            return Ok((linked.tables.len(), linked.method.name));
        }
        let written = self.written(&Overrides::default()).map_err(|error| raised(py, &error))?;
        let method = written.method.keys.get("name").and_then(|name| name.as_str()).unwrap_or_default();
        Ok((written.attributes.len(), method.to_owned()))
    }

    /// Whether it is one of linked tables.
    #[getter]
    fn is_linked(&self) -> bool {
        velamen_patients::is_linked(&self.text)
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
        let read = match self.is_linked() {
            true => self.named().linked_with(&Overrides::default()).map(drop),
            false => self.written(&Overrides::default()).map(drop),
        };
        match read {
            Ok(()) => Ok(self),
            Err(error) => Err(raised(py, &error)),
        }
    }

    /// One of linked tables as JSON. Paths are absolute, but those of tables, which are in the input's folder.
    fn linked_json(&self) -> Result<String, JobError> {
        let (mut table, _) = velamen_recipe::of_form::<toml::Table>(&self.text, &self.path, &self.set)?;
        let base = self.path.parent().unwrap_or(Path::new(""));
        for (section, key) in [("input", "folder"), ("input", "path"), ("output", "path"), ("key", "file")] {
            if let Some(Value::String(path)) = table.get_mut(section).and_then(|section| section.get_mut(key))
            {
                let found = std::path::absolute(base.join(&*path));
                *path = found.map_or_else(|_| path.clone(), |found| found.to_string_lossy().into_owned());
            }
        }
        serde_json::to_string(&table).map_err(|error| JobError::usage(error.to_string()))
    }

    /// The recipe as requests have it.
    pub(crate) fn request(&self) -> serde_json::Value {
        serde_json::json!({ "text": self.text, "path": self.path, "set": self.set })
    }

    /// Its file, for messages.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// As operations have it.
    pub(crate) fn named(&self) -> TheRecipe {
        let (text, path, set) = (self.text.clone(), self.path.clone(), self.set.clone());
        TheRecipe::Text(RecipeText { text, path, set })
    }

    /// The recipe with what is changed of it.
    pub(crate) fn written(&self, overrides: &Overrides) -> Result<Written, JobError> {
        self.named().written(overrides)
    }

    /// The recipe over a table, its own where none is given.
    pub(crate) fn over(
        &self,
        table: Option<&GivenTable>,
        overrides: &Overrides,
    ) -> Result<Resolved, JobError> {
        self.named().over(table.map(|table| &table.origin), overrides)
    }
}

/// The JSON Schema of recipes, or of those of linked tables.
#[pyfunction]
pub(crate) fn schema(linked: bool) -> String {
    match linked {
        true => velamen_patients::LinkedRecipe::schema().to_string(),
        false => Written::schema().to_string(),
    }
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
