//! Labels of categories under a field.

use super::board::{Anchor, LABEL, label, words};
use super::drawing::{Board, Drawn};
use super::text;
use plotters::prelude::*;

/// The longest label that is set upright.
const UPRIGHT_ROOM: f64 = 170.0;
/// The least distance between upright labels.
const UPRIGHT_LINE: f64 = 15.0;
/// The distance between the lines of a level label.
const LINE: i32 = 15;

/// How the labels of categories are set under the field.
#[derive(Debug)]
pub(super) enum Labels {
    /// Level, each on its lines.
    Level(Vec<Vec<String>>),
    /// Upright; every so many are shown.
    Upright(Vec<String>, usize),
}

impl Labels {
    /// Chooses the way that fits `labels` into a field of this width.
    pub(super) fn choose(labels: &[String], width: i32) -> Self {
        let band = f64::from(width) / labels.len().max(1) as f64;
        let wrapped: Vec<_> = labels.iter().map(|label| text::wrap(label, LABEL, band - 8.0, 3)).collect();
        if labels.len() < 2 || wrapped.iter().zip(labels).all(|(lines, label)| is_whole(lines, label)) {
            return Labels::Level(wrapped);
        }
        let labels = labels.iter().map(|label| text::fit(label, LABEL, UPRIGHT_ROOM)).collect();
        Labels::Upright(labels, (UPRIGHT_LINE / band).ceil() as usize)
    }

    /// The room they need under the field.
    pub(super) fn height(&self) -> i32 {
        match self {
            Labels::Level(labels) => 8 + LINE * labels.iter().map(Vec::len).max().unwrap_or(0) as i32,
            Labels::Upright(labels, every) => {
                let shown = labels.iter().step_by(*every);
                14 + shown.map(|label| text::width(label, LABEL)).fold(0.0, f64::max) as i32
            }
        }
    }

    /// Draws them under `y`, each in the middle of its band between `left` and `right`.
    pub(super) fn draw(&self, board: &Board<'_>, (left, right): (i32, i32), y: i32) -> Drawn {
        let place = |index: usize, count: usize| {
            left + (f64::from(right - left) * (index as f64 + 0.5) / count as f64).round() as i32
        };
        match self {
            Labels::Level(labels) => labels.iter().enumerate().try_for_each(|(index, lines)| {
                let x = place(index, labels.len());
                let mut rows = (0..).zip(lines);
                rows.try_for_each(|(row, line)| {
                    words(board, (x, y + 14 + row * LINE), label(Anchor::Middle), line)
                })
            }),
            Labels::Upright(labels, every) => {
                let style = label(Anchor::End).transform(FontTransform::Rotate270);
                let mut shown = labels.iter().enumerate().step_by(*every);
                shown.try_for_each(|(index, label)| {
                    words(board, (place(index, labels.len()), y + 8), style.clone(), label)
                })
            }
        }
    }
}

/// Whether wrapping has cut nothing.
fn is_whole(lines: &[String], label: &str) -> bool {
    let words = |text: &str| text.split(' ').filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
    lines.join(" ") == words(&text::clean(label))
}
