//! Errors of a job as Python's exceptions, whose classes stand in `velamen.exceptions`.

use pyo3::prelude::*;
use velamen_core::error::Problem;
use velamen_core::error::code::{ALL, Code};
use velamen_recipe::JobError;

/// What messages call a recipe that was a dictionary.
pub(crate) const DICT: &str = "recipe";

/// Whether a mistake is one of a recipe that was a dictionary.
pub(crate) fn is_dictionary(mistake: &JobError) -> bool {
    mistake.place_apart().is_some_and(|place| place.file.as_deref() == Some(DICT.as_ref()))
}

/// The exception of an error, with `kind`, `place` and `hint`.
pub(crate) fn raised(py: Python<'_>, error: &JobError) -> PyErr {
    shown(py, error, &str::to_owned)
}

/// The same without a temporary folder that the caller does not know.
pub(crate) fn raised_in(py: Python<'_>, error: &JobError, hidden: &dyn Fn(&str) -> String) -> PyErr {
    shown(py, error, hidden)
}

fn shown(py: Python<'_>, error: &JobError, hidden: &dyn Fn(&str) -> String) -> PyErr {
    let result = match is_dictionary(error) {
        // The lines of a text that the caller never wrote would mislead.
        true => exception(py, &of_dictionary(error), &error.clone().without_line(), hidden),
        false => exception(py, &error.to_string(), error, hidden),
    };
    result.unwrap_or_else(|error| error)
}

/// The message of a mistake in a dictionary. Where it does not name the key, a file has the line for it.
fn of_dictionary(error: &JobError) -> String {
    let message = error.message();
    let key = error.place().key().filter(|_| !error.names_its_key());
    let key = key.map(|key| format!("{key}: ")).unwrap_or_default();
    format!("{DICT}: {key}{message}")
}

/// An exception with its attributes; its code comes with what mends any error of it, if its page says that.
fn exception(
    py: Python<'_>,
    message: &str,
    error: &JobError,
    hidden: &dyn Fn(&str) -> String,
) -> PyResult<PyErr> {
    let module = py.import("velamen.exceptions")?;
    let place = error.place_apart().cloned().unwrap_or_default();
    let file = place.file.as_ref().map(|file| hidden(&without_temporary(&file.display().to_string())));
    let place = module.getattr("Place")?.call1((file, place.line, place.attribute(), place.key()))?;
    let hint = error.advice().map(|advice| hidden(&spoken(&advice)));
    let code = error.code();
    let mend = code.mend().map(|mend| spoken(&mend));
    let make = module.getattr("_make")?;
    let kind = error.class().kind();
    let made = make.call1((kind, hidden(&spoken(message)), place, hint, (code.to_string(), mend)))?;
    Ok(PyErr::from_value(made))
}

/// A call that makes no sense.
pub(crate) fn usage(py: Python<'_>, problem: impl Into<Problem>) -> PyErr {
    raised(py, &JobError::usage(problem))
}

/// `velamen explain`: a code with its title and its page in Markdown.
#[pyfunction]
pub(crate) fn explain(py: Python<'_>, code: &str) -> PyResult<(String, &'static str, &'static str)> {
    let found: Result<Code, Problem> = code.parse();
    let code = found.map_err(|problem| usage(py, problem))?;
    Ok((code.to_string(), code.title(), code.page()))
}

/// `velamen explain` without a code: all codes with their titles.
#[pyfunction]
pub(crate) fn codes() -> Vec<(String, &'static str)> {
    ALL.iter().map(|code| (code.to_string(), code.title())).collect()
}

/// What the command line offers to who wants to see a value.
const SHOW: &str = "`velamen anonymize --show-values` shows the value";

/// What Python has in its place: the table itself.
const LOOK: &str = "compare the column's distinct values with those of the hierarchy";

/// How the folder begins that holds the files of a release in memory for as long as a call reads them.
pub(crate) const TEMPORARY: &str = "velamen-";

/// A message without that folder, which the caller does not know: its files have their names alone.
pub(crate) fn without_temporary(message: &str) -> String {
    let begin = std::env::temp_dir().join(TEMPORARY).to_string_lossy().into_owned();
    let mut parts = message.split(&begin);
    let mut shown = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(part.len());
        match part[end..].strip_prefix('/') {
            Some(file) => shown.push_str(file),
            None => {
                shown.push_str("the release");
                shown.push_str(&part[end..]);
            }
        }
    }
    shown
}

/// What Python's functions call an option of the command line.
fn argument(flag: &str) -> String {
    match flag {
        "with" => "second".into(),
        "as" => "as_".into(),
        "input" => "table".into(),
        other => other.replace('-', "_"),
    }
}

/// A message of the command line in words of Python: `--show-values` is the argument `show_values`.
fn spoken(message: &str) -> String {
    let message = without_temporary(&message.replace(SHOW, LOOK));
    let mut spoken = String::with_capacity(message.len());
    let mut rest = &*message;
    while let Some(at) = rest.find("--") {
        let (before, flag) = (&rest[..at], &rest[at + 2..]);
        let is_flag =
            flag.starts_with(|c: char| c.is_ascii_lowercase()) && !before.ends_with(['-', '\'', '"']);
        let length = flag.find(|c: char| !c.is_ascii_lowercase() && c != '-').unwrap_or(flag.len());
        spoken.push_str(before);
        match is_flag {
            true => spoken.push_str(&argument(&flag[..length])),
            false => spoken.push_str(&rest[at..at + 2 + length]),
        }
        rest = &flag[length..];
    }
    spoken + rest
}
