//! Upright bars: grouped bars and the histogram.

use super::board::{self, Anchor, FIELD, Head, LABEL, MARGIN, Sign, Ticks, WIDE};
use super::drawing::{Board, Drawn, Field};
use super::labels::Labels;
use super::{MAX_SERIES, Series, drawn_at, extent, missing, style, text};
use plotters::prelude::*;
use std::ops::Range;

use crate::number;

const WIDEST_BAR: f64 = 56.0;

/// Grouped bars: for every category one bar per series.
///
/// Up to four series; further ones are counted in the legend and not drawn. Values are printed at the bars where
/// there is room. Labels of categories are set level, else upright; beyond some forty only every n-th is shown.
pub fn bars(title: &str, x_label: &str, y_label: &str, categories: &[String], series: &[Series]) -> String {
    let drawn = &series[..series.len().min(MAX_SERIES)];
    let entries = board::legend(series, Sign::Bar, missing(drawn, categories.len()));
    let names = drawn.iter().map(|one| text::clean(&one.name)).collect::<Vec<_>>().join(", ");
    let columns = Columns { width: WIDE, title, x_label, y_label, categories, series: drawn, counts: false };
    let description =
        crate::text!("Bars of {} by {}, {} categories: {}", y_label, x_label, categories.len(), names);
    columns.picture(entries, &description)
}

/// A histogram of counts over bins that the caller chose, usually of growing (logarithmic) width.
///
/// The upright axis is linear, so that heights can be compared; every bar bears its count, and a count above zero
/// is always visible.
pub(crate) fn histogram_log(
    width: i32,
    title: &str,
    x_label: &str,
    y_label: &str,
    bins: &[(String, u64)],
) -> String {
    let categories: Vec<String> = bins.iter().map(|(label, _)| label.clone()).collect();
    let values = bins.iter().map(|&(_, count)| count as f64).collect();
    let series = [Series { name: String::new(), values }];
    let columns =
        Columns { width, title, x_label, y_label, categories: &categories, series: &series, counts: true };
    columns.picture(Vec::new(), &crate::text!("Histogram of {} by {}, {} bins", y_label, x_label, bins.len()))
}

struct Columns<'a> {
    width: i32,
    title: &'a str,
    x_label: &'a str,
    y_label: &'a str,
    categories: &'a [String],
    series: &'a [Series],
    counts: bool,
}

impl Columns<'_> {
    fn picture(&self, entries: Vec<(Sign, String)>, description: &str) -> String {
        let range = extent(self.series, self.categories.len());
        let upright = board::from_zero(range.unwrap_or((0.0, 0.0)));
        let left = board::tick_room(&upright);
        let labels = Labels::choose(self.categories, self.width - MARGIN - left);
        let head = Head::new(self.width, self.title, entries, self.y_label);
        let bottom = head.bottom() + FIELD;
        let under = board::Under::new(
            self.width,
            bottom + labels.height(),
            self.x_label,
            (left, self.width - MARGIN),
        );
        board::picture((self.width, under.height()), self.title, description, |board| {
            head.draw(board)?;
            self.draw(board, (left, head.bottom(), bottom), upright)?;
            if range.is_none() {
                board::no_data(board, (left + (self.width - left) / 2, bottom - FIELD / 2))?;
            }
            labels.draw(board, (left, self.width - MARGIN), bottom)?;
            under.draw(board)
        })
    }

    fn draw(&self, board: &Board<'_>, place: (i32, i32, i32), upright: Range<f64>) -> Drawn {
        let (left, top, bottom) = place;
        let most = self.counts.then_some(upright.end);
        let count = self.categories.len().max(1) as f64;
        let mut field = board::field(board, (left, top), (self.width - MARGIN, bottom), 0.0..count, upright)?;
        board::mesh(&mut field, Ticks { level: false, upright: true, whole: most })?;
        self.draw_bars(&mut field, f64::from(self.width - MARGIN - left) / count)?;
        board::base_line(&mut field, [(0.0, 0.0), (count, 0.0)])
    }

    fn draw_bars(&self, field: &mut Field<'_>, band: f64) -> Drawn {
        let group = self.series.len().max(1) as f64;
        let width = (0.76 / group).min(WIDEST_BAR / band);
        let gap = f64::min(0.5 / band, width * 0.15);
        let printed = self.values_fit(if group > 1.0 { width * band } else { band - 4.0 });
        for (index, (which, one)) in (0..self.categories.len())
            .flat_map(|index| self.series.iter().enumerate().map(move |s| (index, s)))
        {
            let left = index as f64 + 0.5 + (which as f64 - group / 2.0) * width;
            let middle = left + width / 2.0;
            let Some(value) = one.value(index) else {
                let cross =
                    EmptyElement::at((middle, 0.0)) + Cross::new((0, -8), 4, style::stroke(&style::INK, 2));
                field.draw_series([cross])?;
                continue;
            };
            if value != 0.0 {
                let corners = [(left + gap, 0.0), (left + width - gap, drawn_at(value))];
                field.draw_series([style::Bar { corners, series: which }])?;
            }
            if printed {
                let away = if value < 0.0 { 10 } else { -10 };
                let text = Text::new(self.printed(value), (0, away), board::value(Anchor::Middle));
                field.draw_series([EmptyElement::at((middle, drawn_at(value))) + text])?;
            }
        }
        Ok(())
    }

    fn printed(&self, value: f64) -> String {
        if self.counts { number::count(value as u64) } else { number::number(value) }
    }

    fn values_fit(&self, room: f64) -> bool {
        let values =
            self.series.iter().flat_map(|one| (0..self.categories.len()).filter_map(|i| one.value(i)));
        values.map(|value| text::width(&self.printed(value), LABEL)).all(|width| width <= room)
    }
}
