//! A resource as a row of its kind's table.

use velamen_contract::linked::Shape;

use crate::shape::{self, KnownTable};

/// A row of a table, or a resource of a kind that is left out.
#[derive(Clone)]
pub(super) struct Row {
    pub(super) kind: String,
    pub(super) cells: Vec<String>,
    /// The servers that its references name.
    pub(super) servers: Vec<String>,
}

/// The table of a kind of resources.
pub(super) fn known(kind: &str) -> Option<&'static KnownTable> {
    shape::tables(Shape::Fhir).iter().find(|table| table.name == kind)
}

/// Of elements that exclude each other the first stays: a value is a quantity or a concept, a procedure has a day or a period.
pub(super) fn one_of_each_choice(columns: &[(&str, shape::Known)], cells: &mut [String]) {
    for choice in ["value", "performed"] {
        let mut first: Option<&str> = None;
        for ((path, _), cell) in
            columns.iter().zip(&mut *cells).filter(|((path, _), _)| path.starts_with(choice))
        {
            let outer = path.split('.').next().unwrap_or(path);
            match first {
                _ if cell.is_empty() => {}
                None => first = Some(outer),
                Some(first) if first != outer => cell.clear(),
                Some(_) => {}
            }
        }
    }
}

/// Takes the end off periods that would end before they begin, which R4 does not allow: days are released, and two zones can
/// turn them round.
pub(super) fn ends_after_begin(columns: &[(&str, shape::Known)], cells: &mut [String]) {
    for period in ["period", "performedPeriod"] {
        let place = |end: &str| part_of(period, end, columns);
        let (Some(start), Some(end)) = (place(".start"), place(".end")) else { continue };
        let known = cells[start].len().min(cells[end].len()).min("YYYY-MM-DD".len());
        let day = |place: usize| cells[place].get(..known);
        if day(end) < day(start) {
            cells[end].clear();
        }
    }
}

/// The place of a part of an element: `.start` of `period`.
fn part_of(outer: &str, inner: &str, columns: &[(&str, shape::Known)]) -> Option<usize> {
    columns.iter().position(|(path, _)| path.strip_prefix(outer).is_some_and(|rest| rest == inner))
}
