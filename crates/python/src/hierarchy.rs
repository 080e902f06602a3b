//! `velamen hierarchy`: hierarchies made, checked, shown and exported.

use std::path::{Path, PathBuf};

use pyo3::prelude::*;
use velamen_core::context::Context;
use velamen_job::hierarchy::{Codes, Ready, ValuesFrom, of_attribute, of_form, of_recipe};
use velamen_recipe::{JobError, Overrides};

use crate::error::raised;
use crate::folder::Folder;
use crate::json::json;
use crate::options::{Common, ReadingOptions};
use crate::recipe::Recipe;
use crate::run::{run, unseeded};
use crate::table::GivenTable;

/// The values that a hierarchy is written out for.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Valued {
    codes: Option<Listed>,
    column: Option<String>,
    show_values: bool,
    reading: ReadingOptions,
}

/// Values one by one, or the file of them.
#[derive(FromPyObject)]
enum Listed {
    File(PathBuf),
    Values(Vec<String>),
}

impl Valued {
    /// The values, and whether labels may be shown; a mistake as Python raises it.
    fn asked(self, py: Python<'_>, table: Option<&GivenTable>) -> PyResult<(ValuesFrom, bool)> {
        let show_values = self.show_values;
        let values = self.values(table).map_err(|error| raised(py, &error))?;
        Ok((values, show_values))
    }

    fn values(self, table: Option<&GivenTable>) -> Result<ValuesFrom, JobError> {
        let usage = |problem: &str, mend: &str| Err(JobError::usage(problem).mend(mend));
        let codes = self.codes.map(|codes| match codes {
            Listed::File(file) => Codes::File(file),
            Listed::Values(values) => Codes::Listed(values),
        });
        let table = match (table, self.column) {
            (None, None) => None,
            (Some(_), _) if codes.is_some() => {
                return usage("codes and table do not go together", "leave one out");
            }
            (Some(table), Some(column)) => Some((table.origin.clone(), column)),
            (Some(_), None) => return usage("column: none", "name the table's column"),
            (None, Some(_)) => return usage("table: none", "give the table that has the column"),
        };
        Ok(ValuesFrom { codes, table, read: self.reading.options()? })
    }
}

/// What has hierarchies: a recipe, or the folder of a release or the file of a recipe.
#[derive(FromPyObject)]
pub(crate) enum HierarchyPlace<'py> {
    Recipe(PyRef<'py, Recipe>),
    Folder(Folder),
}

/// The rows of a form's hierarchy, written to a file if one is named.
#[pyfunction]
pub(crate) fn hierarchy_build(
    py: Python<'_>,
    form: &str,
    table: Option<GivenTable>,
    options: Valued,
    output: Option<PathBuf>,
    common: Common,
) -> PyResult<Vec<Vec<String>>> {
    let (values, _) = options.asked(py, table.as_ref())?;
    run(py, unseeded(), &common, |context| {
        rows(&of_form(form, &values)?, &values, output.as_deref(), context)
    })
}

/// The rows of an attribute's hierarchy, written to a file if one is named.
#[pyfunction]
#[allow(clippy::too_many_arguments, reason = "what the Python function is given")]
pub(crate) fn hierarchy_export(
    py: Python<'_>,
    place: HierarchyPlace<'_>,
    attribute: &str,
    table: Option<GivenTable>,
    options: Valued,
    output: Option<PathBuf>,
    common: Common,
) -> PyResult<Vec<Vec<String>>> {
    let (values, _) = options.asked(py, table.as_ref())?;
    let ready = match &place {
        HierarchyPlace::Folder(place) => of_attribute(place.path(), attribute),
        HierarchyPlace::Recipe(recipe) => {
            let resolved = recipe.written(&Overrides::default()).and_then(|read| read.resolve());
            resolved.and_then(|resolved| of_recipe(resolved, recipe.path(), attribute))
        }
    };
    let ready = ready.map_err(|error| raised(py, &error))?;
    run(py, unseeded(), &common, |context| rows(&ready, &values, output.as_deref(), context))
}

fn rows(
    ready: &Ready,
    values: &ValuesFrom,
    output: Option<&Path>,
    context: &Context<'_>,
) -> Result<Vec<Vec<String>>, JobError> {
    match output {
        Some(output) => ready.write(values, output, context),
        None => ready.rows(values, context),
    }
}

/// `velamen hierarchy check`.
#[pyfunction]
pub(crate) fn hierarchy_check(
    py: Python<'_>,
    file: PathBuf,
    table: Option<GivenTable>,
    options: Valued,
    common: Common,
) -> PyResult<String> {
    let (values, show_values) = options.asked(py, table.as_ref())?;
    run(py, unseeded(), &common, |context| {
        json(&velamen_job::hierarchy::check(&file, &values, show_values, context)?)
    })
}

/// `velamen hierarchy show`.
#[pyfunction]
pub(crate) fn hierarchy_show(
    py: Python<'_>,
    form: &str,
    table: Option<GivenTable>,
    options: Valued,
    common: Common,
) -> PyResult<String> {
    let (values, show_values) = options.asked(py, table.as_ref())?;
    run(py, unseeded(), &common, |context| {
        json(&of_form(form, &values)?.show(&values, show_values, context)?)
    })
}
