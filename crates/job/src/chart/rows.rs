//! Level bars, one per row.

use super::frame::{self, MARGIN};
use super::scale::Scale;
use super::svg::{AXIS, Anchor, Area, Canvas, GRID, INK, LABEL, Type, VALUE, WIDTH};
use super::{number, style, text};

const ROW: f64 = 28.0;
const BAR: f64 = 16.0;
const NAME_ROOM: f64 = 230.0;
const NAME: Type = Type { size: 13.0, ink: INK, bold: false };

/// Level bars, one per category, with the value printed at the bar.
///
/// If every value lies between 0 and 1 the axis runs from 0 to 1, so that pictures can be compared. A missing
/// value is told in words.
pub fn horizontal_bars(title: &str, x_label: &str, categories: &[String], values: &[f64]) -> String {
    let mut canvas = Canvas::default();
    let top = frame::head_title(&mut canvas, title) + 18.0;
    let names: Vec<String> = categories.iter().map(|name| text::fit(name, NAME.size, NAME_ROOM)).collect();
    let scale = axis(values);
    let field = field(&names, values, top);
    grid(&mut canvas, field, &scale);
    for (index, name) in names.iter().enumerate() {
        let middle = field.top + (index as f64 + 0.5) * ROW;
        canvas.text((field.left - 10.0, middle + 4.5), Anchor::End, NAME, name);
        let value = values.get(index).copied().filter(|value| value.is_finite());
        row(&mut canvas, field, &scale, (middle, value));
    }
    if names.is_empty() {
        frame::no_data(&mut canvas, field);
    }
    let height = frame::foot(&mut canvas, field, field.bottom() + 20.0, x_label);
    canvas.finish(height, &format!("{title}. Level bars of {x_label}, {} rows", categories.len()))
}

fn axis(values: &[f64]) -> Scale {
    let finite = || values.iter().copied().filter(|value| value.is_finite());
    if finite().all(|value| (0.0..=1.0).contains(&value)) {
        return Scale::unit();
    }
    Scale::with_zero(finite().fold(0.0, f64::min), finite().fold(0.0, f64::max))
}

/// The field leaves room for names on the left and for the longest value on the right.
fn field(names: &[String], values: &[f64], top: f64) -> Area {
    let widest = names.iter().map(|name| text::width(name, NAME.size)).fold(60.0, f64::max);
    let value =
        values.iter().map(|&value| text::width(&number::number(value), VALUE.size)).fold(20.0, f64::max);
    let left = MARGIN + widest + 10.0;
    let width = WIDTH - MARGIN - left - value - 8.0;
    Area { left, top, width, height: ROW * names.len().max(1) as f64 }
}

fn grid(canvas: &mut Canvas, field: Area, scale: &Scale) {
    for (value, label) in scale.ticks() {
        let x = scale.place(value, field.left, field.right());
        canvas.line((x, field.top), (x, field.bottom()), &format!(r#"stroke="{GRID}""#));
        canvas.text((x, field.bottom() + 18.0), Anchor::Middle, LABEL, &label);
    }
    let zero = scale.place(0.0, field.left, field.right());
    canvas.line((zero, field.top), (zero, field.bottom()), &format!(r#"stroke="{AXIS}" stroke-width="1.2""#));
}

fn row(canvas: &mut Canvas, field: Area, scale: &Scale, (middle, value): (f64, Option<f64>)) {
    let zero = scale.place(0.0, field.left, field.right());
    let Some(value) = value else {
        return canvas.text((zero + 8.0, middle + 4.5), Anchor::Start, LABEL, "no value");
    };
    let end = scale.place(value, field.left, field.right());
    if value != 0.0 {
        let width = (end - zero).abs().max(2.0);
        let area = Area { left: zero.min(end), top: middle - BAR / 2.0, width, height: BAR };
        style::bar(canvas, area, 0);
    }
    let at = (end.max(zero) + 8.0, middle + 4.5);
    canvas.text(at, Anchor::Start, VALUE, &number::number(value));
}
