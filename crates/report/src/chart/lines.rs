//! Lines with markers.

use super::board::{self, FIELD, Head, LABEL, MARGIN, Sign, Ticks, WIDE};
use super::drawing::{Board, Drawn, Field};
use super::labels::Labels;
use super::{LEAST, MAX_SERIES, Positions, Series, drawn_at, extent, style, text};
use std::ops::Range;

/// Lines over a scale of numbers or over categories; each series has a marker and a dash of its own.
///
/// Up to four series; further ones are counted in the legend and not drawn. A missing value breaks the line. The
/// upright axis begins at zero unless the values are close together.
pub fn lines<'a>(
    title: &str,
    x_label: &str,
    y_label: &str,
    x: impl Into<Positions<'a>>,
    series: &[Series],
) -> String {
    let (positions, drawn) = (x.into(), &series[..series.len().min(MAX_SERIES)]);
    let range = extent(drawn, positions.len());
    let picture = Lines { positions, series: drawn, upright: upright(range) };
    let left = board::tick_room(&picture.upright);
    let labels = match positions {
        Positions::Numbers(_) => None,
        Positions::Categories(categories) => Some(Labels::choose(categories, WIDE - MARGIN - left)),
    };
    let head = Head::new(WIDE, title, board::legend(series, Sign::Line, 0), y_label);
    let bottom = head.bottom() + FIELD;
    let under = labels.as_ref().map_or(LABEL as i32 + 10, Labels::height);
    let under = board::Under::new(WIDE, bottom + under, x_label, (left, WIDE - MARGIN));
    let names = drawn.iter().map(|one| text::clean(&one.name)).collect::<Vec<_>>().join(", ");
    let description = crate::text!("Lines of {} by {}: {}", y_label, x_label, names);
    board::picture((WIDE, under.height()), title, &description, |board| {
        head.draw(board)?;
        picture.draw(board, (left, head.bottom()), bottom)?;
        if range.is_none() {
            board::no_data(board, (left + (WIDE - left) / 2, bottom - FIELD / 2))?;
        }
        if let Some(labels) = &labels {
            labels.draw(board, (left, WIDE - MARGIN), bottom)?;
        }
        under.draw(board)
    })
}

fn upright(range: Option<(f64, f64)>) -> Range<f64> {
    match range {
        Some((least, greatest)) if least > 0.0 && greatest - least < greatest * 0.3 && greatest > least => {
            around(least, greatest)
        }
        Some(range) => board::from_zero(range),
        None => 0.0..1.0,
    }
}

/// A range that holds both with a rim in which half a marker or label may stand.
fn around(least: f64, greatest: f64) -> Range<f64> {
    let rim = ((greatest - least) * 0.04).max(greatest.abs() * 1e-6).max(LEAST);
    least - rim..greatest + rim
}

impl Positions<'_> {
    fn len(&self) -> usize {
        match self {
            Positions::Numbers(numbers) => numbers.len(),
            Positions::Categories(categories) => categories.len(),
        }
    }

    /// The place of every point on the level axis, with its index, from left to right.
    fn places(&self) -> Vec<(usize, f64)> {
        let mut places: Vec<(usize, f64)> = match self {
            Positions::Numbers(numbers) => {
                let finite = (0..).zip(*numbers).filter(|(_, number)| number.is_finite());
                finite.map(|(index, &number)| (index, drawn_at(number))).collect()
            }
            Positions::Categories(_) => (0..self.len()).map(|index| (index, index as f64 + 0.5)).collect(),
        };
        places.sort_by(|a, b| a.1.total_cmp(&b.1));
        places
    }

    fn range(&self) -> Range<f64> {
        let places = self.places();
        match (self, places.first(), places.last()) {
            (Positions::Numbers(_), Some(first), Some(last)) => around(first.1, last.1),
            _ => 0.0..self.len().max(1) as f64,
        }
    }
}

struct Lines<'a> {
    positions: Positions<'a>,
    series: &'a [Series],
    upright: Range<f64>,
}

impl Lines<'_> {
    fn draw(&self, board: &Board<'_>, from: (i32, i32), bottom: i32) -> Drawn {
        let to = (WIDE - MARGIN, bottom);
        let mut field = board::field(board, from, to, self.positions.range(), self.upright.clone())?;
        let level = matches!(self.positions, Positions::Numbers(_));
        board::mesh(&mut field, Ticks { level, upright: true, whole: None })?;
        let places = self.positions.places();
        for (which, one) in self.series.iter().enumerate() {
            self.draw_series(board, &field, &points(one, &places), which)?;
        }
        Ok(())
    }

    fn draw_series(
        &self,
        board: &Board<'_>,
        field: &Field<'_>,
        points: &[Option<(f64, f64)>],
        which: usize,
    ) -> Drawn {
        let place = |point: &Option<(f64, f64)>| point.map(|point| field.backend_coord(&point));
        for run in points.split(Option::is_none) {
            style::curve(board, run.iter().filter_map(place).collect(), which)?;
        }
        points.iter().filter_map(place).try_for_each(|at| board.draw(&style::Marker { at, series: which }))
    }
}

/// The points of a series, `None` where the value is missing.
fn points(series: &Series, places: &[(usize, f64)]) -> Vec<Option<(f64, f64)>> {
    places.iter().map(|&(index, x)| series.value(index).map(|value| (x, drawn_at(value)))).collect()
}
