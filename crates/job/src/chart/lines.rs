//! Lines with markers.

use super::frame::{self, FIELD, MARGIN, Sign};
use super::labels::Labels;
use super::scale::Scale;
use super::svg::{Anchor, Area, Canvas, GRID, LABEL, WIDTH, unit};
use super::{MAX_SERIES, Positions, Series, extent, style, text};
use std::fmt::Write as _;

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
    let mut canvas = Canvas::default();
    let top = frame::head(&mut canvas, title, &frame::legend(series, Sign::Line, 0), y_label);
    let range = extent(drawn, positions.len());
    let scale = upright(range);
    let axis = LevelAxis::new(positions, frame::tick_room(&scale));
    let field = Area { left: axis.left, top, width: WIDTH - MARGIN - axis.left, height: FIELD };
    frame::upright_axis(&mut canvas, field, &scale);
    if range.is_none() {
        frame::no_data(&mut canvas, field);
    }
    let low = axis.draw(&mut canvas, field);
    for (which, one) in drawn.iter().enumerate() {
        draw_series(&mut canvas, &points(one, &axis, field, &scale), which);
    }
    let height = frame::foot(&mut canvas, field, low, x_label);
    let names = drawn.iter().map(|one| text::clean(&one.name)).collect::<Vec<_>>().join(", ");
    canvas.finish(height, &format!("{title}. Lines of {y_label} by {x_label}: {names}"))
}

fn upright(range: Option<(f64, f64)>) -> Scale {
    match range {
        Some((least, greatest)) if least > 0.0 && greatest - least < greatest * 0.3 && greatest > least => {
            Scale::around(least, greatest)
        }
        Some((least, greatest)) => Scale::with_zero(least, greatest),
        None => Scale::unit(),
    }
}

impl Positions<'_> {
    fn len(&self) -> usize {
        match self {
            Positions::Numbers(numbers) => numbers.len(),
            Positions::Categories(categories) => categories.len(),
        }
    }
}

/// The level axis: a scale or labels, and where the field begins.
struct LevelAxis<'a> {
    positions: Positions<'a>,
    kind: Kind,
    left: f64,
}

enum Kind {
    Scale(Scale),
    Labels(Labels),
}

impl<'a> LevelAxis<'a> {
    fn new(positions: Positions<'a>, ticks: f64) -> Self {
        let wish = WIDTH - MARGIN - ticks;
        match positions {
            Positions::Numbers(numbers) => {
                let finite = || numbers.iter().copied().filter(|number| number.is_finite());
                let least = finite().reduce(f64::min).unwrap_or(0.0);
                let scale = Scale::around(least, finite().reduce(f64::max).unwrap_or(0.0));
                Self { positions, kind: Kind::Scale(scale), left: ticks }
            }
            Positions::Categories(categories) => {
                let labels = Labels::choose(categories, wish);
                let left = ticks.max(labels.room(wish));
                Self { positions, kind: Kind::Labels(labels), left }
            }
        }
    }

    /// The place of every point, with its index, from left to right.
    fn places(&self, field: Area) -> Vec<(usize, f64)> {
        let (inner, count) = (inner(field), self.positions.len());
        let mut places: Vec<(usize, f64)> = match (&self.positions, &self.kind) {
            (Positions::Numbers(numbers), Kind::Scale(scale)) => {
                let finite = numbers.iter().enumerate().filter(|(_, number)| number.is_finite());
                finite.map(|(i, &number)| (i, scale.place(number, inner.left, inner.right()))).collect()
            }
            _ => {
                (0..count).map(|i| (i, field.left + (i as f64 + 0.5) * field.width / count as f64)).collect()
            }
        };
        places.sort_by(|a, b| a.1.total_cmp(&b.1));
        places
    }

    fn draw(&self, canvas: &mut Canvas, field: Area) -> f64 {
        match &self.kind {
            Kind::Labels(labels) => labels.draw(canvas, field),
            Kind::Scale(scale) => draw_scale(canvas, field, scale),
        }
    }
}

/// The field without a rim in which half a marker or label may stand.
fn inner(field: Area) -> Area {
    Area { left: field.left + 10.0, width: field.width - 24.0, ..field }
}

fn draw_scale(canvas: &mut Canvas, field: Area, scale: &Scale) -> f64 {
    let inner = inner(field);
    for (value, label) in scale.ticks() {
        let x = scale.place(value, inner.left, inner.right());
        canvas.line((x, field.top), (x, field.bottom()), &format!(r#"stroke="{GRID}""#));
        canvas.text((x, field.bottom() + 18.0), Anchor::Middle, LABEL, &label);
    }
    field.bottom() + 21.0
}

/// The places of the points of a series, `None` where the value is missing.
fn points(series: &Series, axis: &LevelAxis<'_>, field: Area, scale: &Scale) -> Vec<Option<(f64, f64)>> {
    let point = |(index, x): (usize, f64)| {
        series.value(index).map(|value| (x, scale.place(value, field.bottom(), field.top)))
    };
    axis.places(field).into_iter().map(point).collect()
}

fn draw_series(canvas: &mut Canvas, points: &[Option<(f64, f64)>], which: usize) {
    let (mut data, mut broken) = (String::new(), true);
    for point in points {
        if let Some((x, y)) = point {
            let _ = write!(data, "{}{} {}", if broken { 'M' } else { 'L' }, unit(*x), unit(*y));
        }
        broken = point.is_none();
    }
    style::curve(canvas, &data, which);
    for &at in points.iter().flatten() {
        style::marker(canvas, at, which);
    }
}
