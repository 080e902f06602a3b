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
    pub arm: Option<&'static str>,
}

impl Trend {
    pub(crate) fn new(figure: &str, published: &str, measured: &str, met: bool) -> Self {
        Self { figure: figure.into(), published: published.into(), measured: measured.into(), met, arm: None }
    }

    /// The same, as one of several readings of the claim measures it.
    pub(crate) fn by(arm: &'static str, figure: &str, published: &str, measured: &str, met: bool) -> Self {
        let measured = format!("{arm}: {measured}");
        Self { arm: Some(arm), ..Self::new(figure, published, &measured, met) }
    }
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
