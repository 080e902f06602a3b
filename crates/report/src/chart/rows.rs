//! Level bars, one group per row.

use super::board::{self, Anchor, Head, LABEL, MARGIN, Sign, Ticks, WIDE};
use super::drawing::{Board, Drawn, Field};
use super::style::Bar;
use super::{MAX_SERIES, Series, drawn_at, extent, missing, text};
use plotters::prelude::*;
use std::ops::Range;

use crate::number;

const BAR: i32 = 15;
const GAP: i32 = 12;
/// The room of names, as a part of the picture.
const NAME_ROOM: f64 = 230.0 / 720.0;

/// Level bars: for every category one bar per series, with the value printed at the bar.
///
/// If every value lies between 0 and 1 the axis runs from 0 to 1, so that pictures can be compared. A missing
/// value is told in words.
pub fn horizontal_bars(title: &str, x_label: &str, categories: &[String], series: &[Series]) -> String {
    bars_of_width(WIDE, title, x_label, categories, series)
}

/// The same in a picture of another width.
pub(crate) fn bars_of_width(
    width: i32,
    title: &str,
    x_label: &str,
    categories: &[String],
    series: &[Series],
) -> String {
    let drawn = &series[..series.len().min(MAX_SERIES)];
    let rows = LabelledRows { width, x_label, categories, series: drawn };
    let entries = if series.len() > 1 { board::legend(series, Sign::Bar, 0) } else { Vec::new() };
    let without = missing(drawn, categories.len());
    let description =
        crate::text!("Level bars of {}, {} rows, {} without a value", x_label, categories.len(), without);
    rows.picture(title, entries, &description)
}

struct LabelledRows<'a> {
    width: i32,
    x_label: &'a str,
    categories: &'a [String],
    series: &'a [Series],
}

impl LabelledRows<'_> {
    fn picture(&self, title: &str, entries: Vec<(Sign, String)>, description: &str) -> String {
        let room = NAME_ROOM * f64::from(self.width);
        let names: Vec<String> = self.categories.iter().map(|name| text::fit(name, LABEL, room)).collect();
        let widest = names.iter().map(|name| text::width(name, LABEL)).fold(60.0, f64::max);
        let (left, right) = (MARGIN + widest as i32 + 10, self.width - MARGIN - self.value_room());
        let head = Head::new(self.width, title, entries, "");
        let bottom = head.bottom() + self.row() * names.len().max(1) as i32;
        let under = board::Under::new(self.width, bottom + 22, self.x_label, (left, right));
        board::picture((self.width, under.height()), title, description, |board| {
            head.draw(board)?;
            self.draw(board, (left, head.bottom()), (right, bottom))?;
            for (index, name) in (0..).zip(&names) {
                let middle = head.bottom() + self.row() * index + self.row() / 2;
                board::words(board, (left - 10, middle), board::value(Anchor::End), name)?;
            }
            if names.is_empty() {
                board::no_data(board, ((left + right) / 2, bottom - self.row() / 2))?;
            }
            under.draw(board)
        })
    }

    /// The height of a row.
    fn row(&self) -> i32 {
        BAR * self.series.len().max(1) as i32 + GAP
    }

    /// The room for the longest value at the right of the field.
    fn value_room(&self) -> i32 {
        let values =
            self.series.iter().flat_map(|one| (0..self.categories.len()).filter_map(|i| one.value(i)));
        let widest = values.map(|value| text::width(&number::number(value), LABEL)).fold(20.0, f64::max);
        widest as i32 + 8
    }

    fn range(&self) -> Range<f64> {
        match extent(self.series, self.categories.len()) {
            Some((least, greatest)) if least < 0.0 || greatest > 1.0 => board::from_zero((least, greatest)),
            _ => 0.0..1.0,
        }
    }

    fn draw(&self, board: &Board<'_>, from: (i32, i32), to: (i32, i32)) -> Drawn {
        let rows = self.categories.len().max(1) as f64;
        // The first row is at the top, so the upright axis runs downwards.
        let mut field = board::field(board, from, to, self.range(), rows..0.0)?;
        board::mesh(&mut field, Ticks { level: true, ..Ticks::default() })?;
        for index in 0..self.categories.len() {
            for (which, one) in self.series.iter().enumerate() {
                self.draw_bar(&mut field, (index, which), one.value(index))?;
            }
        }
        board::base_line(&mut field, [(0.0, 0.0), (0.0, rows)])
    }

    fn draw_bar(&self, field: &mut Field<'_>, (index, series): (usize, usize), value: Option<f64>) -> Drawn {
        let pixel = 1.0 / f64::from(self.row());
        let top = index as f64 + f64::from(GAP / 2 + BAR * series as i32) * pixel;
        let (middle, bottom) = (top + f64::from(BAR) / 2.0 * pixel, top + f64::from(BAR - 1) * pixel);
        if let Some(value) = value.filter(|value| *value != 0.0) {
            field.draw_series([Bar { corners: [(0.0, top), (drawn_at(value), bottom)], series }])?;
        }
        let words = value.map_or("no value".to_owned(), number::number);
        let text = Text::new(words, (8, 0), board::value(Anchor::Start));
        field.draw_series([EmptyElement::at((value.map_or(0.0, drawn_at).max(0.0), middle)) + text])?;
        Ok(())
    }
}
