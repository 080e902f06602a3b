//! Labels of categories under a field.

use super::svg::{Anchor, Area, Canvas, LABEL};
use super::text;

/// The slant of labels, in degrees, where there is room, and where there is less.
const SLANTS: [f64; 2] = [40.0, 60.0];
/// The longest slanted label.
const SLANTED_ROOM: f64 = 150.0;
/// The least distance between slanted labels.
const SLANTED_LINE: f64 = 13.0;
/// The distance between the lines of a level label.
const LINE: f64 = 15.0;

/// How the labels of categories are set under the field.
#[derive(Debug)]
pub(super) enum Labels {
    /// Level, each on its lines.
    Level(Vec<Vec<String>>),
    /// Slanted.
    Slanted(Slanted),
}

/// Slanted labels, of which every `every`-th is shown.
#[derive(Debug)]
pub(super) struct Slanted {
    labels: Vec<String>,
    degrees: f64,
    every: usize,
}

impl Labels {
    /// Chooses the way that fits `labels` into a field about `width` wide.
    pub(super) fn choose(labels: &[String], width: f64) -> Self {
        let band = width / labels.len().max(1) as f64;
        let wrapped: Vec<_> =
            labels.iter().map(|label| text::wrap(label, LABEL.size, band - 8.0, 3)).collect();
        if labels.len() < 2 || wrapped.iter().zip(labels).all(|(lines, label)| is_whole(lines, label)) {
            return Labels::Level(wrapped);
        }
        let labels = labels.iter().map(|label| text::fit(label, LABEL.size, SLANTED_ROOM)).collect();
        let pitch = |degrees: f64| band * degrees.to_radians().sin();
        let degrees = if pitch(SLANTS[0]) >= SLANTED_LINE { SLANTS[0] } else { SLANTS[1] };
        let every = (SLANTED_LINE / pitch(degrees)).ceil().max(1.0) as usize;
        Labels::Slanted(Slanted { labels, degrees, every })
    }

    /// The room needed on the left so that no label is cut off.
    pub(super) fn room(&self, width: f64) -> f64 {
        match self {
            Labels::Level(_) => 0.0,
            Labels::Slanted(slanted) => slanted.room(width),
        }
    }

    /// Draws the labels under the field; returns the lowest place they reach.
    pub(super) fn draw(&self, canvas: &mut Canvas, field: Area) -> f64 {
        match self {
            Labels::Level(labels) => draw_level(canvas, field, labels),
            Labels::Slanted(slanted) => slanted.draw(canvas, field),
        }
    }
}

/// Whether wrapping has cut nothing.
fn is_whole(lines: &[String], label: &str) -> bool {
    let words = |text: &str| text.split(' ').filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
    lines.join(" ") == words(&text::clean(label))
}

fn draw_level(canvas: &mut Canvas, field: Area, labels: &[Vec<String>]) -> f64 {
    let band = field.width / labels.len().max(1) as f64;
    for (index, lines) in labels.iter().enumerate() {
        let x = field.left + (index as f64 + 0.5) * band;
        for (row, line) in lines.iter().enumerate() {
            let y = field.bottom() + 18.0 + row as f64 * LINE;
            canvas.text((x, y), Anchor::Middle, LABEL, line);
        }
    }
    let rows = labels.iter().map(Vec::len).max().unwrap_or(0);
    field.bottom() + 6.0 + rows as f64 * LINE
}

impl Slanted {
    fn shown(&self) -> impl Iterator<Item = (usize, &String)> {
        self.labels.iter().enumerate().step_by(self.every)
    }

    fn band(&self, width: f64) -> f64 {
        width / self.labels.len().max(1) as f64
    }

    fn room(&self, width: f64) -> f64 {
        let (band, cosine) = (self.band(width), self.degrees.to_radians().cos());
        let reach = |(index, label): (usize, &String)| {
            text::width(label, LABEL.size) * cosine - (index as f64 + 0.5) * band + 6.0
        };
        self.shown().map(reach).fold(0.0, f64::max)
    }

    fn draw(&self, canvas: &mut Canvas, field: Area) -> f64 {
        let band = self.band(field.width);
        for (index, label) in self.shown() {
            let x = field.left + (index as f64 + 0.5) * band;
            canvas.slanted_text((x + 4.0, field.bottom() + 14.0), self.degrees, LABEL, label);
        }
        let widest = self.shown().map(|(_, label)| text::width(label, LABEL.size)).fold(0.0, f64::max);
        field.bottom() + 18.0 + widest * self.degrees.to_radians().sin()
    }
}
