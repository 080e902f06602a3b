//! Components of observations, such as the two pressures of a blood pressure: each becomes an observation of its own.
//!
//! A release has one value an observation, so that codes, units and numbers of components have the floors and ends that those of
//! other observations have. A component has the days, the status and the encounter of the observation that it was part of.

use velamen_core::error::Problem;

use super::element::{self, Form};
use super::json::Node;
use super::resource::Resource;
use super::row::{Row, known, one_of_each_choice};

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
pub(super) fn of(whole: &Row, resource: &Resource<'_>) -> Result<Vec<Row>, Problem> {
    if whole.kind != OBSERVATION || whole.cells.is_empty() {
        return Ok(Vec::new());
    }
    match resource.value(ELEMENT)? {
        Node::Null => Ok(Vec::new()),
        Node::List(all) => all.iter().zip(1..).map(|(one, number)| row(whole, one, number)).collect(),
        _ => Err(Problem::new("of another JSON type").expected("a list of components")),
    }
}

/// The row of a component.
fn row(whole: &Row, component: &Node<'_>, number: usize) -> Result<Row, Problem> {
    if !matches!(component, Node::Object(_)) {
        return Err(Problem::new(format!("component {number} is of another JSON type")).expected("an object"));
    }
    let columns = known(&whole.kind).map_or(&[][..], |known| known.columns);
    let mut row = whole.clone();
    for ((path, _), cell) in columns.iter().zip(&mut row.cells) {
        match *path {
            "id" => cell.push_str(&format!("{NUMBER}{number}")),
            _ if is_own(path) => *cell = own(component, path)?,
            _ => {}
        }
    }
    one_of_each_choice(columns, &mut row.cells);
    Ok(row)
}

/// Whether a component has an element of its own; it shares all others with its observation.
fn is_own(path: &str) -> bool {
    path == "code" || path.starts_with("value")
}

fn own(component: &Node<'_>, path: &str) -> Result<String, Problem> {
    let form = Form::of(path);
    let (outer, inner) = path.split_once('.').unwrap_or((path, ""));
    let value = component.get(outer);
    element::check(value, !inner.is_empty(), form)?;
    element::cell(element::within(value, inner, form), form)
}
