//! What pictures with two axes share: title, legend, axes, labels.

use super::scale::Scale;
use super::svg::{AXIS, Anchor, Area, Canvas, GRID, LABEL, TITLE, WIDTH};
use super::{MAX_SERIES, Series, style, text};

/// The outer margin.
pub(super) const MARGIN: f64 = 16.0;
/// The height of the field in which data is drawn.
pub(super) const FIELD: f64 = 250.0;

/// What a legend entry shows before its name.
#[derive(Clone, Copy, Debug)]
pub(super) enum Sign {
    Bar(usize),
    Line(usize),
    Cross,
    Nothing,
}

/// The legend entries of some series. A single series needs none unless values are missing.
pub(super) fn legend(series: &[Series], sign: fn(usize) -> Sign, missing: usize) -> Vec<(Sign, String)> {
    let mut entries: Vec<_> =
        series.iter().take(MAX_SERIES).enumerate().map(|(i, one)| (sign(i), one.name.clone())).collect();
    if entries.len() == 1 && entries[0].1.is_empty() {
        entries.clear();
    }
    if series.len() > MAX_SERIES {
        entries.push((Sign::Nothing, format!("{} more not shown", series.len() - MAX_SERIES)));
    }
    if missing > 0 {
        entries.push((Sign::Cross, "no value".to_owned()));
    }
    entries
}

/// Draws title, legend and the label of the upright axis; returns where the field begins.
pub(super) fn head(canvas: &mut Canvas, title: &str, entries: &[(Sign, String)], y_label: &str) -> f64 {
    let mut y = head_title(canvas, title);
    if !entries.is_empty() {
        y = legend_rows(canvas, entries, y + 22.0);
    }
    if !y_label.is_empty() {
        y += 22.0;
        canvas.text((MARGIN, y), Anchor::Start, LABEL, &text::fit(y_label, LABEL.size, WIDTH - 2.0 * MARGIN));
    }
    y + 20.0
}

/// Draws the title, on two lines at most; returns its last base line.
pub(super) fn head_title(canvas: &mut Canvas, title: &str) -> f64 {
    let mut y = 8.0;
    for line in text::wrap(title, TITLE.size * 1.05, WIDTH - 2.0 * MARGIN, 2) {
        y += 20.0;
        canvas.text((MARGIN, y), Anchor::Start, TITLE, &line);
    }
    y
}

fn legend_rows(canvas: &mut Canvas, entries: &[(Sign, String)], first: f64) -> f64 {
    let (mut x, mut y) = (MARGIN, first);
    for (sign, name) in entries {
        let name = text::fit(name, LABEL.size, 300.0);
        let needed = 32.0 + text::width(&name, LABEL.size);
        if x > MARGIN && x + needed > WIDTH - MARGIN {
            (x, y) = (MARGIN, y + 20.0);
        }
        draw_sign(canvas, *sign, x, y);
        canvas.text((x + 32.0, y), Anchor::Start, LABEL, &name);
        x += needed + 22.0;
    }
    y
}

fn draw_sign(canvas: &mut Canvas, sign: Sign, x: f64, y: f64) {
    match sign {
        Sign::Bar(series) => {
            style::bar(canvas, Area { left: x, top: y - 11.0, width: 24.0, height: 13.0 }, series);
        }
        Sign::Line(series) => {
            style::curve(canvas, &format!("M{x} {}h26", y - 4.5), series);
            style::marker(canvas, (x + 13.0, y - 4.5), series);
        }
        Sign::Cross => style::cross(canvas, (x + 13.0, y - 4.5)),
        Sign::Nothing => {}
    }
}

/// The room that the labels of the upright axis need on the left.
pub(super) fn tick_room(scale: &Scale) -> f64 {
    let widest = scale.ticks().iter().map(|(_, label)| text::width(label, LABEL.size)).fold(0.0, f64::max);
    MARGIN + widest + 10.0
}

/// Draws grid and labels of the upright axis.
pub(super) fn upright_axis(canvas: &mut Canvas, field: Area, scale: &Scale) {
    for (value, label) in scale.ticks() {
        let y = scale.place(value, field.bottom(), field.top);
        canvas.line((field.left, y), (field.right(), y), &format!(r#"stroke="{GRID}""#));
        canvas.text((field.left - 8.0, y + 4.4), Anchor::End, LABEL, &label);
    }
}

/// Draws the line that bars stand on.
pub(super) fn base_line(canvas: &mut Canvas, field: Area, y: f64) {
    canvas.line((field.left, y), (field.right(), y), &format!(r#"stroke="{AXIS}" stroke-width="1.2""#));
}

/// Draws the label of the level axis under `y`; returns the height of the picture.
pub(super) fn foot(canvas: &mut Canvas, field: Area, y: f64, x_label: &str) -> f64 {
    if x_label.is_empty() {
        return y + MARGIN;
    }
    let middle = field.left + field.width / 2.0;
    let words = text::fit(x_label, LABEL.size, field.width);
    canvas.text((middle, y + 18.0), Anchor::Middle, LABEL, &words);
    y + 18.0 + MARGIN
}

/// Says in the middle of the field that there is nothing to draw.
pub(super) fn no_data(canvas: &mut Canvas, field: Area) {
    let middle = (field.left + field.width / 2.0, field.top + field.height / 2.0);
    canvas.text(middle, Anchor::Middle, LABEL, "No values to show");
}
