//! Pictures of a release, as SVG text.
//!
//! Every function returns one `<svg>` element that is valid as a file of its own and may be put into an HTML
//! page as it is. It scales (it has a `viewBox`), and has a title and a description for those who do not see it. It
//! uses no identifiers, no style sheet and no script, so that any number of pictures can share a page. The same
//! arguments always give the same bytes.
//!
//! Labels are taken for untrusted text: markup is escaped, control characters are replaced, and long labels are
//! shortened with an ellipsis. Nothing in a picture is told by colour alone: series differ in luminance, in
//! hatching, in marker and in dash.
//!
//! Axes, ticks, grid, lines and the SVG itself are those of the charting library plotters. What it lacks is added
//! here: hatching, markers, a legend above the field instead of upon it, labels that are cleaned, wrapped and
//! shortened, and the description ([decision 11](../../../docs/decisions/0011-charts.md)).

mod board;
mod columns;
mod drawing;
mod labels;
pub mod lines;
mod rows;
mod style;
pub(crate) mod text;

pub(crate) use board::{NARROW, WIDE};
pub use columns::bars;
pub(crate) use columns::histogram_log;
pub use lines::lines;
pub(crate) use rows::bars_of_width;
pub use rows::horizontal_bars;

/// The most series that a picture can keep apart; further ones are counted in the legend, not drawn.
pub const MAX_SERIES: usize = 4;

/// Values beyond this are drawn at this; what is printed stays as it is.
const MOST: f64 = 1e12;
/// The least range of an axis, so that its ticks can be told apart.
const LEAST: f64 = 1e-3;

/// A named row of values, one per category or position.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// What the legend says.
    pub name: String,
    /// The values; a value that is not finite, or not there, is missing.
    pub values: Vec<f64>,
}

impl Series {
    /// The value at `index`, if there is a finite one.
    fn value(&self, index: usize) -> Option<f64> {
        self.values.get(index).copied().filter(|value| value.is_finite())
    }
}

/// Where the points of a line chart stand.
#[derive(Clone, Copy, Debug)]
pub enum Positions<'a> {
    /// On a scale of numbers.
    Numbers(&'a [f64]),
    /// Side by side, in this order.
    Categories(&'a [String]),
}

impl<'a> From<&'a [f64]> for Positions<'a> {
    fn from(numbers: &'a [f64]) -> Self {
        Positions::Numbers(numbers)
    }
}

impl<'a> From<&'a [String]> for Positions<'a> {
    fn from(categories: &'a [String]) -> Self {
        Positions::Categories(categories)
    }
}

/// The least and the greatest place of the drawn series; `None` when every value is missing.
fn extent<'a>(series: impl IntoIterator<Item = &'a Series>, count: usize) -> Option<(f64, f64)> {
    let finite = series.into_iter().flat_map(|one| (0..count).filter_map(move |index| one.value(index)));
    finite.map(drawn_at).fold(None, |range, value| match range {
        None => Some((value, value)),
        Some((least, greatest)) => Some((f64::min(least, value), f64::max(greatest, value))),
    })
}

/// Where a value is drawn.
fn drawn_at(value: f64) -> f64 {
    value.clamp(-MOST, MOST)
}

/// How many of the drawn values are missing.
fn missing(series: &[Series], count: usize) -> usize {
    series.iter().map(|one| (0..count).filter(|&index| one.value(index).is_none()).count()).sum()
}

#[cfg(test)]
mod tests;
