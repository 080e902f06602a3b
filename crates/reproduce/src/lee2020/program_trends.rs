//! The trends of information loss as the authors' public program has it.

use super::program::{AGAIN, Chosen, PARTS};
use super::published::{NEAR, PUBLISHED, PUBLISHED_RANGE, falls, listed};
use super::runs::{Runs, mean, range};
use crate::{Trend, text};

/// The trends of Figures 6 to 8 in that reading; `arm` is its name.
pub(super) fn trends(runs: &Runs, arm: &str) -> Vec<Trend> {
    let level = |name: &str, of_paper: f64, value: f64, more: &str| level(arm, name, (of_paper, value), more);
    let told =
        |figure: &str, published: &str, measured: &str, met| Trend::by(arm, figure, published, measured, met);
    let drawn = |chosen: &Chosen| chosen.drawn;
    let over = |figure: fn(&Chosen) -> f64| -> Vec<f64> {
        runs.program.iter().rev().map(|of| mean(of, figure)).collect()
    };
    let (released, expected) = (over(|chosen| chosen.drawn), over(|chosen| chosen.expected));
    let (low, high) = range(&runs.program[0], drawn);
    let histogram = mean(&runs.histogram, |run| run.whole.total()) / PARTS;
    let occupied = mean(&runs.histogram, |run| run.raw.total()) / PARTS;
    let (ipa, printed) = (released[released.len() - 1], runs.printed);
    let widths: Vec<f64> =
        runs.program.iter().map(|of| range(of, drawn)).map(|(low, high)| high - low).collect();
    // Ten runs decide nothing: most further draws of their nodes must agree.
    let often = narrower(&runs.program[3], &runs.program[2]);
    let inside = low >= PUBLISHED_RANGE.0 - NEAR && high <= PUBLISHED_RANGE.1 + NEAR;
    vec![
        level("IPA", PUBLISHED.ipa, ipa, &format!(" (expected {})", text(expected[expected.len() - 1]))),
        level("k-anonymity", PUBLISHED.k_anonymity, printed, " at the levels of the printed Tables 9 and 10"),
        level(
            "the histogram",
            PUBLISHED.histogram,
            histogram,
            &format!(" with untouched attributes, {} without the classes that nobody is in", text(occupied)),
        ),
        told(
            "Fig. 6",
            "IPA loses less than k-anonymity, k-anonymity less than the histogram",
            &[ipa, printed, histogram].map(text).join(" / "),
            ipa < printed && printed < histogram,
        ),
        told(
            "Fig. 8a",
            &format!("released nodes have IL {} to {}", PUBLISHED_RANGE.0, PUBLISHED_RANGE.1),
            &format!("{} to {}", text(low), text(high)),
            inside,
        ),
        told(
            "Fig. 7",
            "IL falls as ε rises from 0.1 over 0.25 and 0.5 to 1",
            &format!("{} (expected {})", listed(&released), listed(&expected)),
            falls(&released),
        ),
        told(
            "Fig. 8",
            "the released range is narrower with ε = 0.1 than with 0.25, as low nodes are not released",
            &format!(
                "{} against {}; of {AGAIN} further draws of the ten nodes {often} have it",
                text(widths[3]),
                text(widths[2]),
            ),
            widths[3] < widths[2] && 2 * often > AGAIN,
        ),
    ]
}

/// In how many further draws of all runs' nodes the range of the one is narrower than that of the other.
fn narrower(one: &[Chosen], other: &[Chosen]) -> usize {
    (0..AGAIN).filter(|&time| width(one, time) < width(other, time)).count()
}

fn width(runs: &[Chosen], time: usize) -> f64 {
    let (low, high) = range(runs, |chosen| chosen.again[time]);
    high - low
}

fn level(arm: &str, name: &str, (of_paper, value): (f64, f64), more: &str) -> Trend {
    let published = format!("IL of {name} {of_paper}");
    let measured = format!("{}{more}", text(value));
    Trend::by(arm, "Fig. 6", &published, &measured, (value - of_paper).abs() <= NEAR)
}
