//! How series are told apart without colour: luminance, hatching, dash, marker.

use super::svg::{Area, Canvas, unit};
use std::fmt::Write as _;

/// The dark violet of the first series and of all outlines.
pub(super) const DARK: &str = "#4b1d73";

/// The paint of the bars of series 0 to 3.
const FILLS: [&str; 4] = ["#4b1d73", "#fbf8fe", "#b597d2", "#ffffff"];
/// The paint, dash and marker filling of the lines of series 0 to 3.
const LINES: [(&str, &str, &str); 4] = [
    ("#4b1d73", "", "#4b1d73"),
    ("#8a55b8", "7 4", "#ffffff"),
    ("#5b5466", "2 4", "#5b5466"),
    ("#221c2b", "11 4 2 4", "#ffffff"),
];

const HATCH_GAP: f64 = 6.0;

/// A bar of series `series`, hatched if that series is.
pub(super) fn bar(canvas: &mut Canvas, area: Area, series: usize) {
    let fill = FILLS[series % FILLS.len()];
    canvas.rect(area, &format!(r#"fill="{fill}" stroke="{DARK}""#));
    let hatch = match series % FILLS.len() {
        1 => diagonals(area),
        3 => levels(area),
        _ => String::new(),
    };
    if !hatch.is_empty() {
        canvas.path(&hatch, &format!(r#"fill="none" stroke="{DARK}" stroke-width="1.2""#));
    }
}

/// Lines rising to the right through `area`.
fn diagonals(area: Area) -> String {
    let start = area.left + area.bottom();
    let count = ((area.width + area.height) / HATCH_GAP).ceil() as u32;
    let mut data = String::new();
    for sum in (1..count).map(|index| start - area.height + f64::from(index) * HATCH_GAP) {
        let left = area.left.max(sum - area.bottom());
        let right = area.right().min(sum - area.top);
        let _ = write!(data, "M{} {}L{} {}", unit(left), unit(sum - left), unit(right), unit(sum - right));
    }
    data
}

/// Level lines through `area`.
fn levels(area: Area) -> String {
    let count = (area.height / HATCH_GAP).ceil() as u32;
    let mut data = String::new();
    for y in (1..count).map(|index| area.bottom() - f64::from(index) * HATCH_GAP) {
        let _ = write!(data, "M{} {}H{}", unit(area.left), unit(y), unit(area.right()));
    }
    data
}

/// The line of series `series` along `data`.
pub(super) fn curve(canvas: &mut Canvas, data: &str, series: usize) {
    let (ink, dash, _) = LINES[series % LINES.len()];
    let dash = if dash.is_empty() { String::new() } else { format!(r#" stroke-dasharray="{dash}""#) };
    canvas
        .path(data, &format!(r#"fill="none" stroke="{ink}" stroke-width="2" stroke-linejoin="round"{dash}"#));
}

/// The marker of series `series`: disc, open square, triangle, open diamond.
pub(super) fn marker(canvas: &mut Canvas, at: (f64, f64), series: usize) {
    let (ink, _, fill) = LINES[series % LINES.len()];
    let (x, y) = (unit(at.0), unit(at.1));
    let data = match series % LINES.len() {
        0 => format!("M{x} {y}m-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z"),
        1 => format!("M{x} {y}m-4 -4h8v8h-8z"),
        2 => format!("M{x} {y}m0 -5l5 9h-10z"),
        _ => format!("M{x} {y}m0 -5.5l5.5 5.5l-5.5 5.5l-5.5 -5.5z"),
    };
    canvas.path(&data, &format!(r#"fill="{fill}" stroke="{ink}" stroke-width="1.6""#));
}

/// The cross that stands for a missing value.
pub(super) fn cross(canvas: &mut Canvas, at: (f64, f64)) {
    let data = format!("M{} {}l6 6m0 -6l-6 6", unit(at.0 - 3.0), unit(at.1 - 3.0));
    canvas.path(&data, r##"fill="none" stroke="#221c2b" stroke-width="1.6""##);
}
