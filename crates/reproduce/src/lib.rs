//! The papers' experiments again: published beside measured.

pub mod arca2021;
mod baseline;
mod claims;
pub mod counterfeits;
pub mod demo;
pub mod dp_tables;
pub mod lee2017;
pub mod lee2020;
pub mod methods;
mod output;
mod page;
mod query;
mod sample;
mod stroke;
pub mod synth;
pub mod synth_patients;
pub mod yoo2012;

use output::Figure;

/// A published trend beside what was measured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trend {
    /// The figure.
    pub figure: String,
    /// What the paper says.
    pub published: String,
    /// What was measured.
    pub measured: String,
    /// Whether the trend is met.
    pub met: bool,
    /// The reading that measured it, where a claim has been measured by several.
    pub arm: Option<String>,
    /// Why no reading can meet it, where that has been shown.
    pub impossible: Option<String>,
    /// Whether it is measured by the clock: what one run meets, the next may not, so it settles nothing.
    pub timed: bool,
}

impl Trend {
    pub(crate) fn new(figure: &str, published: &str, measured: &str, met: bool) -> Self {
        Self {
            figure: figure.into(),
            published: published.into(),
            measured: measured.into(),
            met,
            arm: None,
            impossible: None,
            timed: false,
        }
    }

    /// The same, as measured by the clock.
    pub(crate) fn timed(self) -> Self {
        Self { timed: true, ..self }
    }

    /// The same, as one of several readings of the claim measures it.
    pub(crate) fn by(arm: &str, figure: &str, published: &str, measured: &str, met: bool) -> Self {
        let measured = format!("{arm}: {measured}");
        Self { arm: Some(arm.into()), ..Self::new(figure, published, &measured, met) }
    }

    /// The same, with why no reading can meet it.
    pub(crate) fn shown_impossible(self, why: &str) -> Self {
        Self { impossible: Some(why.into()), ..self }
    }
}

/// How the trends ended, in one line: how many are met, by a named reading, shown impossible and open.
#[must_use]
pub fn ended(trends: &[Trend]) -> String {
    claims::Claims::of(&trends.iter().collect::<Vec<_>>()).to_string()
}

/// Figures that belong together, with the trends seen in them.
struct Section {
    figures: Vec<Figure>,
    trends: Vec<Trend>,
}

/// What stands for the figures of a method that found no release.
const NO_RELEASE: &str = "no release";

/// A number for people, about three digits.
fn text(value: f64) -> String {
    match value.abs() {
        _ if !value.is_finite() => NO_RELEASE.into(),
        _ if value == value.round() => format!("{value}"),
        size if size >= 100.0 => format!("{value:.0}"),
        size if size >= 10.0 => format!("{value:.1}"),
        size if size >= 1.0 => format!("{value:.2}"),
        _ => format!("{value:.3}"),
    }
}
