//! Components of observations, such as the two pressures of a blood pressure: each becomes an observation of its own.
//!
//! A release has one value an observation, so that codes, units and numbers of components have the floors and ends that those of
//! other observations have. A component has the days, the status and the encounter of the observation that it was part of.

use std::borrow::Cow;

use velamen_core::error::Problem;

use super::element;
use super::json::Node;
use super::kinds::{Column, Kind};
use super::modifiers::is_part_modified;
use super::resource::Resource;
use super::row::Row;

/// The only kind of resources that has components.
const OBSERVATION: &str = "Observation";

/// The list of components.
pub(super) const ELEMENT: &str = "component";

/// What R4's ids cannot have: before the number of a component, counted from 1, in what stands for its id.
const NUMBER: char = '#';

/// The rows of an observation's components.
///
/// # Errors
/// A list that is none, and a component that is no object, or whose elements are of another JSON type than R4 has.
pub(super) fn of<'a>(
    whole: &Row<'a>,
    kind: Option<&Kind>,
    resource: Resource<'_, 'a>,
    drops_events: bool,
) -> Result<Vec<Row<'a>>, Problem> {
    let observation = kind.filter(|kind| kind.name == OBSERVATION && !whole.cells.is_empty());
    let Some(kind) = observation else { return Ok(Vec::new()) };
    let all = resource.value(ELEMENT)?;
    if !all.node().is_null() && !all.node().is_list() {
        return Err(Problem::new("of another JSON type").expected("a list of components"));
    }
    all.node().list().zip(1..).map(|(one, number)| row((whole, kind, drops_events), one, number)).collect()
}

/// The row of a component.
fn row<'a>(
    (whole, kind, drops_events): (&Row<'a>, &Kind, bool),
    component: Node<'_, 'a>,
    number: usize,
) -> Result<Row<'a>, Problem> {
    if !component.is_object() {
        return Err(Problem::new(format!("component {number} is of another JSON type")).expected("an object"));
    }
    let mut row = whole.clone();
    if is_part_modified(component)? {
        // What it says is not what its elements say.
        row.cells.clear();
        return Ok(row);
    }
    for (column, cell) in kind.columns.iter().zip(&mut row.cells) {
        match column.path {
            "id" => cell.to_mut().push_str(&format!("{NUMBER}{number}")),
            path if is_own(path) => *cell = own(component, column, drops_events)?,
            _ => {}
        }
    }
    kind.one_of_each_choice(&mut row.cells);
    Ok(row)
}

/// Whether a component has an element of its own; it shares all others with its observation.
fn is_own(path: &str) -> bool {
    path == "code" || path.starts_with("value")
}

fn own<'a>(component: Node<'_, 'a>, column: &Column, drops_events: bool) -> Result<Cow<'a, str>, Problem> {
    let value = component.get(column.outer);
    element::check(value, !column.inner.is_empty(), column.form)?;
    element::code(element::within(value, column.inner, column.form), column.form, drops_events)
}
