//! The kinds of resources with their columns, taken apart once: what a path means is not asked again in each resource.

use std::borrow::Cow;

use rustc_hash::FxHashMap;
use velamen_contract::linked::Shape;
use velamen_core::error::Problem;

use super::bands::{NUMBER, UNIT};
use super::element::Form;
use crate::shape::{self, Fate};

/// The element that says of which kind a resource is.
pub(super) const KIND: &str = "resourceType";

/// What the elements begin with of which R4 allows a resource one type: a value is a quantity or a concept, a procedure has a day
/// or a period.
const CHOICES: [&str; 2] = ["value", "performed"];

/// The elements that have a beginning and an end.
const PERIODS: [&str; 2] = ["period", "performedPeriod"];

/// All kinds of R4.
pub(super) struct Kinds {
    by_name: FxHashMap<&'static str, Kind>,
    /// The elements that some kind has as columns, and the kind itself: each with its number.
    elements: FxHashMap<&'static str, usize>,
}

/// A kind of resources.
pub(super) struct Kind {
    pub(super) name: &'static str,
    pub(super) fate: Fate,
    pub(super) columns: Vec<Column>,
    /// For each choice the places of its columns, in their order.
    choices: Vec<Vec<usize>>,
    /// The places of beginning and end.
    periods: Vec<(usize, usize)>,
    /// The places of a number and its unit.
    pub(super) quantity: Option<(usize, usize)>,
}

/// A column: the path of an element.
pub(super) struct Column {
    pub(super) path: &'static str,
    /// The element of the resource.
    pub(super) outer: &'static str,
    /// Its number, by which it is found.
    pub(super) number: usize,
    /// What is within it; nothing if it is an element by itself.
    pub(super) inner: &'static str,
    pub(super) form: Form,
    /// The codes to which R4 binds it; none, if it does not.
    pub(super) codes: &'static [&'static str],
    /// The system of these codes, where it is a concept.
    pub(super) system: Option<String>,
}

impl Kinds {
    pub(super) fn new() -> Self {
        let mut elements = FxHashMap::from_iter([(KIND, 0)]);
        let all = shape::tables(Shape::Fhir).iter();
        let by_name = all.map(|known| (known.name, Kind::of(known, &mut elements))).collect();
        Self { by_name, elements }
    }

    pub(super) fn get(&self, name: &str) -> Option<&Kind> {
        self.by_name.get(name)
    }

    /// The number of an element that some kind has as a column.
    pub(super) fn number(&self, element: &str) -> Option<usize> {
        self.elements.get(element).copied()
    }
}

impl Kind {
    fn of(known: &'static shape::KnownTable, elements: &mut FxHashMap<&'static str, usize>) -> Self {
        let columns: Vec<Column> =
            known.columns.iter().map(|&(path, _)| Column::of(known.name, path, elements)).collect();
        let place = |path: &str| columns.iter().position(|column| column.path == path);
        let period = |of: &&str| place(&format!("{of}.start")).zip(place(&format!("{of}.end")));
        let of_choice = |begins: &&str| {
            (0..columns.len()).filter(|&place| columns[place].path.starts_with(*begins)).collect()
        };
        Self {
            name: known.name,
            fate: known.fate,
            choices: CHOICES.iter().map(of_choice).collect(),
            periods: PERIODS.iter().filter_map(period).collect(),
            quantity: place(NUMBER).zip(place(UNIT)),
            columns,
        }
    }

    /// Of elements that exclude each other the first stays.
    pub(super) fn one_of_each_choice(&self, cells: &mut [Cow<'_, str>]) {
        for places in &self.choices {
            let mut first: Option<&str> = None;
            for &place in places {
                let outer = self.columns[place].outer;
                if cells[place].is_empty() {
                    continue;
                }
                if *first.get_or_insert(outer) != outer {
                    cells[place] = Cow::Borrowed("");
                }
            }
        }
    }

    /// Takes the end off periods that would end before they begin, which R4 does not allow: days are released, and two zones can
    /// turn them round.
    pub(super) fn ends_after_begin(&self, cells: &mut [Cow<'_, str>]) {
        for &(start, end) in &self.periods {
            let known = cells[start].len().min(cells[end].len()).min("YYYY-MM-DD".len());
            let day = |place: usize| cells[place].get(..known);
            if day(end) < day(start) {
                cells[end] = Cow::Borrowed("");
            }
        }
    }
}

impl Column {
    /// An element that has no number yet gets the next one.
    fn of(kind: &str, path: &'static str, elements: &mut FxHashMap<&'static str, usize>) -> Self {
        let (outer, inner) = path.split_once('.').unwrap_or((path, ""));
        let next = elements.len();
        Self {
            path,
            outer,
            number: *elements.entry(outer).or_insert(next),
            inner,
            form: Form::of(path),
            codes: shape::codes(kind, path),
            system: shape::system(path).map(|system| system(kind)),
        }
    }

    /// A code, if R4 has it for this element.
    pub(super) fn bound<'a>(&self, cell: Cow<'a, str>) -> Result<Cow<'a, str>, Problem> {
        if cell.is_empty() || (self.system.is_none() && self.codes.is_empty()) {
            return Ok(cell);
        }
        let (of, code) = cell.rsplit_once('|').unwrap_or(("", &cell));
        if let Some(system) = self.system.as_ref().filter(|system| *system != of) {
            return Err(Problem::new("a code of another system than R4 has here").expected(system.as_str()));
        }
        if self.codes.is_empty() || self.codes.contains(&code) {
            return Ok(cell);
        }
        Err(Problem::new("a code that R4 does not have here").expected(self.codes.join(", ")))
    }
}
