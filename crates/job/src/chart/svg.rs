//! The few SVG elements a picture needs.

use super::text;
use std::fmt::Write as _;

/// The width of every picture, in its own units.
pub(super) const WIDTH: f64 = 720.0;

/// The ink of titles and values.
pub(super) const INK: &str = "#221c2b";
/// The ink of axis labels.
pub(super) const MUTED: &str = "#544c60";
/// Grid lines.
pub(super) const GRID: &str = "#e3dcea";
/// Base lines and outlines.
pub(super) const AXIS: &str = "#6d6479";

const FONTS: &str =
    "system-ui, -apple-system, Segoe UI, Roboto, Noto Sans, Helvetica Neue, Arial, DejaVu Sans, sans-serif";

/// A box on the canvas.
#[derive(Clone, Copy, Debug)]
pub(super) struct Area {
    pub(super) left: f64,
    pub(super) top: f64,
    pub(super) width: f64,
    pub(super) height: f64,
}

impl Area {
    pub(super) fn right(&self) -> f64 {
        self.left + self.width
    }

    pub(super) fn bottom(&self) -> f64 {
        self.top + self.height
    }
}

/// Which side of a text its place is.
#[derive(Clone, Copy, Debug)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// How a text looks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Type {
    pub(super) size: f64,
    pub(super) ink: &'static str,
    pub(super) bold: bool,
}

/// Titles.
pub(super) const TITLE: Type = Type { size: 16.0, ink: INK, bold: true };
/// Axis labels, ticks and legend.
pub(super) const LABEL: Type = Type { size: 12.5, ink: MUTED, bold: false };
/// Values at bars.
pub(super) const VALUE: Type = Type { size: 12.5, ink: INK, bold: false };

/// An SVG picture being written.
#[derive(Debug, Default)]
pub(super) struct Canvas {
    body: String,
}

impl Canvas {
    /// A rectangle; `paint` holds fixed presentation attributes.
    pub(super) fn rect(&mut self, area: Area, paint: &str) {
        let [left, top, width, height] = [area.left, area.top, area.width, area.height].map(unit);
        let _ =
            writeln!(self.body, r#"<rect x="{left}" y="{top}" width="{width}" height="{height}" {paint}/>"#);
    }

    /// A straight line.
    pub(super) fn line(&mut self, from: (f64, f64), to: (f64, f64), paint: &str) {
        let [x1, y1, x2, y2] = [from.0, from.1, to.0, to.1].map(unit);
        let _ = writeln!(self.body, r#"<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" {paint}/>"#);
    }

    /// A path.
    pub(super) fn path(&mut self, data: &str, paint: &str) {
        let _ = writeln!(self.body, r#"<path d="{data}" {paint}/>"#);
    }

    /// A text; the words are cleaned and escaped here.
    pub(super) fn text(&mut self, at: (f64, f64), anchor: Anchor, kind: Type, words: &str) {
        let place = format!(r#"x="{}" y="{}""#, unit(at.0), unit(at.1));
        self.placed_text(&place, anchor, kind, words);
    }

    /// A text that rises to its place from the lower left.
    pub(super) fn slanted_text(&mut self, at: (f64, f64), degrees: f64, kind: Type, words: &str) {
        let place =
            format!(r#"transform="translate({} {}) rotate({})""#, unit(at.0), unit(at.1), unit(-degrees));
        self.placed_text(&place, Anchor::End, kind, words);
    }

    fn placed_text(&mut self, place: &str, anchor: Anchor, kind: Type, words: &str) {
        let anchor = match anchor {
            Anchor::Start => "",
            Anchor::Middle => r#" text-anchor="middle""#,
            Anchor::End => r#" text-anchor="end""#,
        };
        let weight = if kind.bold { r#" font-weight="600""# } else { "" };
        let (size, ink, words) = (unit(kind.size), kind.ink, text::escape(&text::clean(words)));
        let _ = writeln!(
            self.body,
            r#"<text {place}{anchor} font-size="{size}"{weight} fill="{ink}">{words}</text>"#
        );
    }

    /// The finished picture; `description` is what a screen reader says.
    pub(super) fn finish(self, height: f64, description: &str) -> String {
        let (width, height) = (unit(WIDTH), unit(height.ceil()));
        let description = text::escape(&text::clean(description));
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
             height=\"{height}\" role=\"img\" aria-label=\"{description}\" font-family=\"{FONTS}\">\n\
             <rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>\n{}</svg>\n",
            self.body
        )
    }
}

/// A coordinate with one decimal at most.
pub(super) fn unit(value: f64) -> String {
    let text = format!("{value:.1}");
    let text = text.strip_suffix(".0").unwrap_or(&text);
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}
