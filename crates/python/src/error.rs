//! Errors of a job as Python's exceptions, whose classes stand in `velamen.exceptions`.

use pyo3::prelude::*;
use velamen_recipe::code::{ALL, Code};
use velamen_recipe::{JobError, Mistake};

/// What messages call a recipe that was a dictionary.
pub(crate) const DICT: &str = "recipe";

/// The exception of an error, with `kind`, `place` and `hint`.
pub(crate) fn raised(py: Python<'_>, error: &JobError) -> PyErr {
    let mut mistake = error.to_data();
    let mut message = error.to_string();
    // The lines of a text that the caller never wrote would mislead.
    if mistake.file.as_deref() == Some(DICT.as_ref()) {
        let named = |key: &&String| !mistake.message.contains(key.rsplit('.').next().unwrap_or_default());
        // Where the message does not name the key, a file has the line for it.
        let key = mistake.key.as_ref().filter(named).map(|key| format!("{key}: ")).unwrap_or_default();
        message = format!("{DICT}: {key}{}", mistake.message);
        (mistake.line, mistake.file) = (None, None);
    }
    let code = error.code();
    let mend = code.mend().map(|mend| spoken(&mend));
    exception(py, &spoken(&message), &mistake, (&code.to_string(), mend)).unwrap_or_else(|error| error)
}

/// An exception with its attributes; a code comes with what mends any error of it, if its page says that.
fn exception(
    py: Python<'_>,
    message: &str,
    mistake: &Mistake,
    code: (&str, Option<String>),
) -> PyResult<PyErr> {
    let module = py.import("velamen.exceptions")?;
    let place = module.getattr("Place")?;
    let file = mistake.file.as_ref().map(|file| file.display().to_string());
    let place = place.call1((file, mistake.line, &mistake.attribute, &mistake.key))?;
    let make = module.getattr("_make")?;
    let hint = message.split_once("Hint: ").or_else(|| message.split_once("; ")).map(|(_, hint)| hint.trim());
    Ok(PyErr::from_value(make.call1((mistake.kind, message, place, hint, code))?))
}

/// A call that makes no sense.
pub(crate) fn usage(py: Python<'_>, message: impl Into<String>) -> PyErr {
    raised(py, &JobError::Usage(message.into()))
}

/// `velamen explain`: a code with its title and its page in Markdown.
#[pyfunction]
pub(crate) fn explain(py: Python<'_>, code: &str) -> PyResult<(String, &'static str, &'static str)> {
    let found: Result<Code, String> = code.parse();
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

/// A message of the command line in words of Python: `--show-values` is the argument `show_values`.
fn spoken(message: &str) -> String {
    let message = message.replace(SHOW, LOOK);
    let mut spoken = String::with_capacity(message.len());
    let mut rest = &*message;
    while let Some(at) = rest.find("--") {
        let (before, flag) = (&rest[..at], &rest[at + 2..]);
        let is_flag =
            flag.starts_with(|c: char| c.is_ascii_lowercase()) && !before.ends_with(['-', '\'', '"']);
        let length = flag.find(|c: char| !c.is_ascii_lowercase() && c != '-').unwrap_or(flag.len());
        spoken.push_str(before);
        match is_flag {
            true => spoken.push_str(&flag[..length].replace('-', "_")),
            false => spoken.push_str(&rest[at..at + 2 + length]),
        }
        rest = &flag[length..];
    }
    spoken + rest
}
