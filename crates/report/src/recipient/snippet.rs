//! What the code for several programs is made of.

use velamen_checker::CLASS_ID;

use super::extent::Extent;
use super::types::Column;

/// How a program reads the folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snippet {
    /// The program: "pandas".
    pub program: &'static str,
    /// The language of the code: "python", "r", "sql".
    pub language: &'static str,
    /// The code, to be run in the folder.
    pub code: String,
}

/// A column whose labels stand for numbers, and what closes those that have an open end.
#[derive(Debug)]
pub(super) struct Ranged<'a> {
    pub(super) name: &'a str,
    /// For labels such as `<=5`: a number that stands in place of the low end, below all of the column's.
    lowest: Option<f64>,
    /// The same for `>=90`.
    highest: Option<f64>,
}

impl Ranged<'_> {
    /// The ends that are open, with what stands for them.
    pub(super) fn closing(&self) -> impl Iterator<Item = (&'static str, f64)> {
        [("low", self.lowest), ("high", self.highest)].into_iter().filter_map(|(end, to)| Some((end, to?)))
    }
}

/// A name in double quotes, as Python and R read it.
pub(super) fn quoted(name: &str) -> String {
    serde_json::Value::from(name).to_string()
}

/// A name in double quotes, as SQL reads it.
pub(super) fn identifier(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// The columns whose labels stand for numbers.
pub(super) fn ranged(columns: &[Column]) -> Vec<Ranged<'_>> {
    columns.iter().filter(|column| is_numbers(column)).map(closable).collect()
}

/// A column of ranges of numbers to average, and one to group by: where there are several, such as still differ.
pub(super) fn to_average(columns: &[Column]) -> Option<(&str, &str)> {
    let numbers = first(columns, is_numbers)?;
    Some((numbers, first(columns, |column| column.extents.is_empty() && column.name != CLASS_ID)?))
}

/// The first such column whose records differ, or the first at all.
fn first(columns: &[Column], is_meant: fn(&Column) -> bool) -> Option<&str> {
    let meant = || columns.iter().filter(|column| is_meant(column));
    meant().find(|column| column.differs).or_else(|| meant().next()).map(|column| column.name.as_str())
}

fn is_numbers(column: &Column) -> bool {
    matches!(column.extents.first(), Some((_, Extent::Numbers(..))))
}

/// A column with numbers that close its open ends: those of its domain, or the outermost ones that its labels show.
fn closable(column: &Column) -> Ranged<'_> {
    let bounds = || column.extents.iter().filter_map(|(_, extent)| numbers(extent));
    let (domain_low, domain_high) = column.domain.map_or((None, None), |(low, high)| (Some(low), Some(high)));
    let shown = || bounds().flat_map(|(low, high)| [low, high]).flatten();
    let least = || shown().chain(domain_low).reduce(f64::min);
    let most = || shown().chain(domain_high).reduce(f64::max);
    Ranged {
        name: &column.name,
        lowest: if bounds().any(|(low, _)| low.is_none()) { least() } else { None },
        highest: if bounds().any(|(_, high)| high.is_none()) { most() } else { None },
    }
}

/// The ends of a label of numbers, where it has them.
fn numbers(extent: &Extent) -> Option<(Option<f64>, Option<f64>)> {
    match extent {
        Extent::Numbers(low, high) => Some((*low, *high)),
        Extent::Days(..) => None,
    }
}
