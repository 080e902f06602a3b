//! Upright bars: grouped bars and the histogram.

use super::frame::{self, FIELD, MARGIN, Sign};
use super::labels::Labels;
use super::scale::Scale;
use super::svg::{Anchor, Area, Canvas, VALUE, WIDTH};
use super::{MAX_SERIES, Series, extent, missing, number, style, text};

const WIDEST_BAR: f64 = 56.0;

/// Grouped bars: for every category one bar per series.
///
/// Up to four series; further ones are counted in the legend and not drawn. Values are printed at the bars where
/// there is room. Labels of categories are set level, else slanted; beyond some forty only every n-th is shown.
pub fn bars(title: &str, x_label: &str, y_label: &str, categories: &[String], series: &[Series]) -> String {
    let drawn = &series[..series.len().min(MAX_SERIES)];
    let entries = frame::legend(series, Sign::Bar, missing(drawn, categories.len()));
    let names = drawn.iter().map(|one| text::clean(&one.name)).collect::<Vec<_>>().join(", ");
    let columns =
        Columns { title, x_label, y_label, categories, series: drawn, format: number::number, counts: false };
    columns.draw(
        &entries,
        &format!("{title}. Bars of {y_label} by {x_label}, {} categories: {names}", categories.len()),
    )
}

/// A histogram of counts over bins that the caller chose, usually of growing (logarithmic) width.
///
/// The upright axis is linear, so that heights can be compared; every bar bears its count, and a count above zero
/// is always visible.
pub fn histogram_log(title: &str, x_label: &str, y_label: &str, bins: &[(String, u64)]) -> String {
    let categories: Vec<String> = bins.iter().map(|(label, _)| label.clone()).collect();
    let values = bins.iter().map(|&(_, count)| count as f64).collect();
    let series = [Series { name: String::new(), values }];
    let format = |value: f64| number::count(value as u64);
    let columns =
        Columns { title, x_label, y_label, categories: &categories, series: &series, format, counts: true };
    columns.draw(&[], &format!("{title}. Histogram of {y_label} by {x_label}, {} bins", bins.len()))
}

struct Columns<'a> {
    title: &'a str,
    x_label: &'a str,
    y_label: &'a str,
    categories: &'a [String],
    series: &'a [Series],
    format: fn(f64) -> String,
    counts: bool,
}

impl Columns<'_> {
    fn draw(&self, entries: &[(Sign, String)], description: &str) -> String {
        let mut canvas = Canvas::default();
        let top = frame::head(&mut canvas, self.title, entries, self.y_label);
        let range = extent(self.series, self.categories.len());
        let (least, greatest) = range.unwrap_or((0.0, 0.0));
        let scale = Scale::with_zero(least, greatest);
        let scale = if self.counts { scale.whole() } else { scale };
        let (field, labels) = self.field(top, &scale);
        frame::upright_axis(&mut canvas, field, &scale);
        match range {
            Some(_) => self.draw_bars(&mut canvas, field, &scale),
            None => frame::no_data(&mut canvas, field),
        }
        frame::base_line(&mut canvas, field, scale.place(0.0, field.bottom(), field.top));
        let low = labels.draw(&mut canvas, field);
        let height = frame::foot(&mut canvas, field, low, self.x_label);
        canvas.finish(height, description)
    }

    fn field(&self, top: f64, scale: &Scale) -> (Area, Labels) {
        let ticks = frame::tick_room(scale);
        let wish = WIDTH - MARGIN - ticks;
        let labels = Labels::choose(self.categories, wish);
        let left = ticks.max(labels.room(wish));
        (Area { left, top, width: WIDTH - MARGIN - left, height: FIELD }, labels)
    }

    fn draw_bars(&self, canvas: &mut Canvas, field: Area, scale: &Scale) {
        let (count, group) = (self.categories.len().max(1), self.series.len().max(1) as f64);
        let band = field.width / count as f64;
        let width = (band * 0.76 / group).min(WIDEST_BAR);
        let with_values = self.values_fit(if group > 1.0 { width } else { band - 4.0 });
        for index in 0..self.categories.len() {
            let start = field.left + (index as f64 + 0.5) * band - width * group / 2.0;
            for (which, one) in self.series.iter().enumerate() {
                let slot = Area { left: start + which as f64 * width, width, ..field };
                self.draw_bar(canvas, slot, scale, (which, one.value(index), with_values));
            }
        }
    }

    fn draw_bar(&self, canvas: &mut Canvas, slot: Area, scale: &Scale, bar: (usize, Option<f64>, bool)) {
        let (series, value, with_value) = bar;
        let base = scale.place(0.0, slot.bottom(), slot.top);
        let middle = slot.left + slot.width / 2.0;
        let Some(value) = value else { return style::cross(canvas, (middle, base - 8.0)) };
        let end = scale.place(value, slot.bottom(), slot.top);
        let tall = (end - base).abs().max(if value == 0.0 { 0.0 } else { 2.0 });
        let top = if value < 0.0 { base } else { base - tall };
        let gap = f64::min(1.0, slot.width * 0.3);
        if tall > 0.0 {
            style::bar(
                canvas,
                Area { left: slot.left + gap / 2.0, top, width: slot.width - gap, height: tall },
                series,
            );
        }
        if with_value {
            let y = if value < 0.0 { base + tall + 13.0 } else { top - 5.0 };
            canvas.text((middle, y), Anchor::Middle, VALUE, &(self.format)(value));
        }
    }

    fn values_fit(&self, room: f64) -> bool {
        let values =
            self.series.iter().flat_map(|one| (0..self.categories.len()).filter_map(|i| one.value(i)));
        values.map(|value| text::width(&(self.format)(value), VALUE.size)).all(|width| width <= room)
    }
}
