//! Points that can be chosen: the one picture that the report's charts, which are for paper, do not have.

use maud::{Markup, html};
use velamen_report::language::say;
use velamen_report::number::number;

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 460.0;
/// Left, right, top and bottom of the field.
const LEFT: f64 = 56.0;
const RIGHT: f64 = 16.0;
const TOP: f64 = 40.0;
const BOTTOM: f64 = 52.0;

/// So near to each other, the words of two points stand apart.
const NEAR: f64 = 44.0;

/// A release in the picture.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Point {
    /// Its figure and its risk.
    pub(crate) at: (f64, f64),
    /// Its place in the table; `None` for one that stands beside the others.
    pub(crate) index: Option<usize>,
    /// What it is.
    pub(crate) title: String,
    /// Whether it is the one that the recipe names.
    pub(crate) chosen: bool,
    /// A word beside it.
    pub(crate) label: Option<String>,
    /// How dark it is, 0 to 3.
    pub(crate) shade: u8,
}

/// The scale of an axis: its ends and its ticks.
struct Scale {
    from: f64,
    to: f64,
    ticks: Vec<f64>,
}

impl Scale {
    /// Round ends around the values; from 0, unless they are near each other and far from it.
    fn of(values: impl Iterator<Item = f64>) -> Self {
        let (least, most) =
            values.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), value| (a.min(value), b.max(value)));
        let least = if (0.0..0.5 * most).contains(&least) || least == most { least.min(0.0) } else { least };
        let width = if most > least { most - least } else { most.abs().max(1e-3) };
        let raw = width / 4.0;
        let power = 10f64.powf(raw.log10().floor());
        let step =
            [1.0, 2.0, 5.0, 10.0].map(|by| by * power).into_iter().find(|step| *step >= raw).unwrap_or(raw);
        let from = (least / step).floor() * step;
        let count = ((most - from) / step).ceil().max(1.0) as u32;
        let ticks: Vec<f64> = (0..=count).map(|tick| from + f64::from(tick) * step).collect();
        Self { from, to: from + f64::from(count) * step, ticks }
    }

    /// 0 to 1 along the axis.
    fn share(&self, value: f64) -> f64 {
        (value - self.from) / (self.to - self.from)
    }
}

/// The points; each leads to its row. Up is a share.
pub(crate) fn scatter(points: &[Point], across: &str, up: &str) -> Markup {
    let (x, y) =
        (Scale::of(points.iter().map(|point| point.at.0)), Scale::of(points.iter().map(|point| point.at.1)));
    let at_x = |value: f64| round(LEFT + x.share(value) * (WIDTH - LEFT - RIGHT));
    let at_y = |value: f64| round(HEIGHT - BOTTOM - y.share(value) * (HEIGHT - TOP - BOTTOM));
    html! {
        svg.scatter viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } role="group" aria-label=(say!("{} releases. Across: {}. Up: {}", points.len(), across, up)) {
            @for tick in &y.ticks {
                line.grid x1=(LEFT) x2=(WIDTH - RIGHT) y1=(at_y(*tick)) y2=(at_y(*tick)) {}
                text.tick x=(LEFT - 8.0) y=(at_y(*tick) + 5.0) text-anchor="end" { (number(100.0 * tick)) " %" }
            }
            @for tick in &x.ticks {
                line.grid x1=(at_x(*tick)) x2=(at_x(*tick)) y1=(TOP) y2=(HEIGHT - BOTTOM) {}
                text.tick x=(at_x(*tick)) y=(HEIGHT - BOTTOM + 20.0) text-anchor="middle" { (number(*tick)) }
            }
            text.axis x=(WIDTH - RIGHT) y=(HEIGHT - 6.0) text-anchor="end" { (across) }
            text.axis x="4" y="16" { (up) }
            @for point in points { (mark(point, at_x(point.at.0), at_y(point.at.1))) }
            (labels(points.iter().filter_map(|point| {
                point.label.as_deref().map(|label| (label, at_x(point.at.0), at_y(point.at.1)))
            })))
        }
    }
}

fn mark(point: &Point, x: f64, y: f64) -> Markup {
    html! {
        @match point.index {
            Some(index) => a href={ "#release-" (index + 1) } aria-label=(say!("Release {}: {}", index + 1, point.title)) {
                title { (point.title) }
                circle class={ "point shade-" (point.shade) @if point.chosen { " chosen" } } cx=(x) cy=(y) r=(if point.chosen { "9" } else { "6" }) {}
            },
            None => g role="img" aria-label=(point.title) {
                title { (point.title) }
                rect.point.own x=(x - 6.0) y=(y - 6.0) width="12" height="12" {}
            }
        }
    }
}

/// The words beside points, over all of them: above its point, or below it where another word or the name of the axis is near.
fn labels<'a>(of: impl Iterator<Item = (&'a str, f64, f64)>) -> Markup {
    let mut placed: Vec<(f64, f64)> = Vec::new();
    let mut below = |x: f64, y: f64| {
        let is_near = y < TOP + 6.0
            || placed.iter().any(|(other, at)| (other - x).abs() < NEAR && (at - y).abs() < NEAR);
        placed.push((x, y));
        is_near
    };
    html! {
        @for (label, x, y) in of {
            text.name x=(x) y=(if below(x, y) { y + 24.0 } else { y - 13.0 }) text-anchor=(anchor(x)) aria-hidden="true" { (label) }
        }
    }
}

/// Where a word stands over its point: within the picture.
fn anchor(x: f64) -> &'static str {
    match x {
        x if x > WIDTH - RIGHT - NEAR / 2.0 => "end",
        x if x < LEFT + NEAR / 2.0 => "start",
        _ => "middle",
    }
}

/// Half pixels are fine enough, and short to write.
fn round(pixels: f64) -> f64 {
    (pixels * 2.0).round() / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_near_points_stand_apart_and_within_the_picture() {
        let words = labels([("1", 100.0, 100.0), ("2", 110.0, 104.0), ("now", WIDTH, 100.0)].into_iter());
        let words = words.into_string();
        assert!(words.contains("y=\"87\"") && words.contains("y=\"128\""), "{words}");
        assert_eq!(words.matches("text-anchor=\"end\"").count(), 1, "{words}");
        let top = labels([("now", 100.0, TOP)].into_iter()).into_string();
        assert!(top.contains("y=\"64\""), "the name of the axis stands there: {top}");
    }

    #[test]
    fn axes_begin_at_0_unless_all_values_are_far_from_it() {
        for (values, from) in [(&[0.2][..], 0.0), (&[0.02, 0.9], 0.0), (&[0.8, 0.9], 0.8)] {
            assert!((Scale::of(values.iter().copied()).from - from).abs() < 1e-9, "{values:?}");
        }
    }

    #[test]
    fn scales_hold_their_values_between_round_ends() {
        for values in [&[0.1, 0.37][..], &[5.0], &[0.0, 0.0], &[0.2, 0.2], &[-3.0, 1000.0]] {
            let scale = Scale::of(values.iter().copied());
            assert!(
                values.iter().all(|value| (-1e-9..=1.0 + 1e-9).contains(&scale.share(*value))),
                "{values:?}"
            );
            assert!((2..=7).contains(&scale.ticks.len()), "{values:?}: {:?}", scale.ticks);
        }
    }
}
