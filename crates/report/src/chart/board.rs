//! What all pictures share: the board they are drawn on, its text styles, title, legend and value axes.

use super::drawing::{Board, Drawn, Field};
use super::style::{self, AXIS, GRID, INK, MUTED};
use super::{MAX_SERIES, Series, text};
use plotters::coord::ranged1d::BoldPoints;
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use std::io;
use std::ops::Range;

use crate::language::t;
use crate::number;

/// The width of a picture on a page, in its own units.
pub(crate) const WIDE: i32 = 720;
/// The width of one for the screen of a phone, where letters of a wide one would be too small to read.
pub(crate) const NARROW: i32 = 360;
/// The outer margin.
pub(super) const MARGIN: i32 = 16;
/// The height of the field in which upright pictures draw their data.
pub(super) const FIELD: i32 = 250;
/// The size of titles.
const TITLE: f64 = 16.0;
/// The size of all other text.
pub(super) const LABEL: f64 = 12.5;
/// The room that a tick of a level axis takes at least.
const TICK_ROOM: i32 = 45;
/// The most ticks of an axis.
const TICKS: usize = 7;

/// Draws a picture of this width and height; `description` is what a screen reader says after the title.
pub(super) fn picture(
    (width, height): (i32, i32),
    title: &str,
    description: &str,
    draw: impl FnOnce(&Board<'_>) -> Drawn,
) -> String {
    let mut svg = String::new();
    let board = SVGBackend::with_string(&mut svg, (width as u32, height as u32)).into_drawing_area();
    let drawn = board.fill(&WHITE).and_then(|()| draw(&board)).and_then(|()| board.present());
    drawn.expect("drawing into a string does not fail");
    drop(board);
    let (_, body) = svg.split_once('\n').expect("the library's first line opens the picture");
    let (title, description) = (text::escape(&text::clean(title)), text::escape(&text::clean(description)));
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
         height=\"{height}\" role=\"img\" aria-label=\"{title}. {description}\">\n\
         <title>{title}</title>\n<desc>{description}</desc>\n{}",
        unbroken(body)
    )
}

/// The elements one per line. The library writes words on a line of their own, which begins with no tag, as they
/// are escaped.
fn unbroken(body: &str) -> String {
    let mut whole = String::with_capacity(body.len());
    for line in body.lines() {
        let inside = whole.is_empty() || line == "</text>" || !line.starts_with('<');
        whole.push_str(if inside { "" } else { "\n" });
        whole.push_str(line);
    }
    whole + "\n"
}

/// Which point of a text stands at its place.
#[derive(Clone, Copy, Debug)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// A text style. The library draws a size of 1.24 as 1.
fn font(
    size: f64,
    weight: FontStyle,
    ink: &'static RGBColor,
    anchor: Anchor,
    upright: VPos,
) -> TextStyle<'static> {
    let across = match anchor {
        Anchor::Start => HPos::Left,
        Anchor::Middle => HPos::Center,
        Anchor::End => HPos::Right,
    };
    let font = FontDesc::new(FontFamily::SansSerif, size * 1.24, weight);
    TextStyle::from(font).color(ink).pos(Pos::new(across, upright))
}

/// Labels of axes, categories and the legend, centred upright.
pub(super) fn label(anchor: Anchor) -> TextStyle<'static> {
    font(LABEL, FontStyle::Normal, &MUTED, anchor, VPos::Center)
}

/// Names and values of the data.
pub(super) fn value(anchor: Anchor) -> TextStyle<'static> {
    font(LABEL, FontStyle::Normal, &INK, anchor, VPos::Center)
}

/// Puts cleaned words at a place in pixels.
pub(super) fn words(board: &Board<'_>, at: (i32, i32), style: TextStyle<'static>, words: &str) -> Drawn {
    board.draw(&Text::new(text::clean(words), at, style))
}

/// What a legend entry shows before its name.
#[derive(Clone, Copy, Debug)]
pub(super) enum Sign {
    Bar(usize),
    Line(usize),
    Cross,
    Nothing,
}

/// The legend entries of some series. A single series needs none unless values are missing.
pub(super) fn legend(series: &[Series], sign: fn(usize) -> Sign, missing: usize) -> Vec<(Sign, String)> {
    let mut entries: Vec<_> =
        series.iter().take(MAX_SERIES).enumerate().map(|(i, one)| (sign(i), one.name.clone())).collect();
    if entries.len() == 1 && entries[0].1.is_empty() {
        entries.clear();
    }
    if series.len() > MAX_SERIES {
        entries.push((Sign::Nothing, crate::text!("{} more not shown", series.len() - MAX_SERIES)));
    }
    if missing > 0 {
        entries.push((Sign::Cross, "no value".to_owned()));
    }
    entries
}

/// What stands above the field, laid out before its height is known.
pub(super) struct Head {
    title: Vec<String>,
    entries: Vec<(Sign, String, (i32, i32))>,
    label: String,
    bottom: i32,
}

impl Head {
    /// The title on few lines, the legend, and the label of the upright axis, in a picture of this width.
    pub(super) fn new(width: i32, title: &str, entries: Vec<(Sign, String)>, label: &str) -> Self {
        let room = f64::from(width - 2 * MARGIN);
        let title = text::wrap(title, TITLE * 1.05, room, if width < WIDE { 4 } else { 2 });
        let mut bottom = 10 + 20 * title.len() as i32;
        let entries = placed(width, entries, &mut bottom);
        let label = text::fit(label, LABEL, room);
        if !label.is_empty() {
            bottom += 24;
        }
        Self { title, entries, label, bottom }
    }

    /// Where the field may begin.
    pub(super) fn bottom(&self) -> i32 {
        self.bottom + 10
    }

    /// Draws it all.
    pub(super) fn draw(&self, board: &Board<'_>) -> Drawn {
        for (row, line) in (0..).zip(&self.title) {
            let style = font(TITLE, FontStyle::Bold, &INK, Anchor::Start, VPos::Center);
            words(board, (MARGIN, 20 + row * 20), style, line)?;
        }
        for (sign, name, (x, y)) in &self.entries {
            draw_sign(board, *sign, (*x, *y))?;
            words(board, (x + 32, *y), label(Anchor::Start), name)?;
        }
        words(board, (MARGIN, self.bottom - 8), label(Anchor::Start), &self.label)
    }
}

/// The places of the legend's entries, row by row under `bottom`.
fn placed(width: i32, entries: Vec<(Sign, String)>, bottom: &mut i32) -> Vec<(Sign, String, (i32, i32))> {
    if entries.is_empty() {
        return Vec::new();
    }
    *bottom += 22;
    let (mut x, mut placed) = (MARGIN, Vec::new());
    for (sign, name) in entries {
        let name = text::fit(&name, LABEL, f64::from(width - 2 * MARGIN - 32).min(300.0));
        let needed = 32 + text::width(&name, LABEL) as i32;
        if x > MARGIN && x + needed > width - MARGIN {
            (x, *bottom) = (MARGIN, *bottom + 20);
        }
        placed.push((sign, name, (x, *bottom - 8)));
        x += needed + 22;
    }
    placed
}

fn draw_sign(board: &Board<'_>, sign: Sign, (x, y): (i32, i32)) -> Drawn {
    match sign {
        Sign::Bar(series) => board.draw(&style::Bar { corners: [(x, y - 7), (x + 24, y + 6)], series }),
        Sign::Line(series) => {
            style::curve(board, vec![(x, y), (x + 26, y)], series)?;
            board.draw(&style::Marker { at: (x + 13, y), series })
        }
        Sign::Cross => board.draw(&Cross::new((x + 13, y), 4, style::stroke(&INK, 2))),
        Sign::Nothing => Ok(()),
    }
}

/// A range that holds zero and, with head room for what is printed at the ends, all values.
pub(super) fn from_zero((least, greatest): (f64, f64)) -> Range<f64> {
    let room = (greatest.max(0.0) - least.min(0.0)).max(super::LEAST) * 0.08;
    let low = if least < 0.0 { least - room } else { 0.0 };
    let high = if greatest > 0.0 || least >= 0.0 { greatest.max(0.0) + room } else { 0.0 };
    if least >= 0.0 && greatest <= 0.0 { 0.0..1.0 } else { low..high }
}

/// The label of a tick: no more digits than the steps of an axis need.
pub(super) fn tick(value: f64) -> String {
    if value.abs() >= 1e9 {
        return number::number(value);
    }
    let text = number::fixed(value, 7);
    text.trim_end_matches('0').trim_end_matches(['.', ',']).to_owned()
}

/// The room that the labels of an axis of numbers need beside it.
pub(super) fn tick_room(range: &Range<f64>) -> i32 {
    let ticks = RangedCoordf64::from(range.clone()).key_points(BoldPoints(TICKS));
    let widest = ticks.iter().map(|&value| text::width(&tick(value), LABEL)).fold(0.0, f64::max);
    MARGIN + widest as i32 + 10
}

/// The most ticks of a level axis of this width.
fn most_level(width: i32) -> usize {
    ((width / TICK_ROOM) as usize).clamp(2, TICKS)
}

/// Which axes have a grid and labelled ticks, and at most how many.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Ticks {
    pub(super) level: bool,
    pub(super) upright: bool,
    /// Counts have no ticks between whole numbers.
    pub(super) whole: Option<f64>,
}

/// Draws the grid and the labels of the axes of numbers.
pub(super) fn mesh(field: &mut Field<'_>, ticks: Ticks) -> Drawn {
    let most = ticks.whole.map_or(TICKS, |greatest| TICKS.min(greatest as usize + 1));
    let format = |value: &f64| tick(*value);
    let field_width = field.plotting_area().dim_in_pixel().0 as i32;
    let mut mesh = field.configure_mesh();
    mesh.axis_style(TRANSPARENT).light_line_style(TRANSPARENT).bold_line_style(style::stroke(&GRID, 1));
    mesh.set_all_tick_mark_size(4).x_label_formatter(&format).y_label_formatter(&format);
    mesh.x_labels(most_level(field_width)).y_labels(most);
    mesh.x_label_style(font(LABEL, FontStyle::Normal, &MUTED, Anchor::Middle, VPos::Top));
    mesh.y_label_style(label(Anchor::End));
    if !ticks.level {
        mesh.disable_x_mesh().disable_x_axis();
    }
    if !ticks.upright {
        mesh.disable_y_mesh().disable_y_axis();
    }
    mesh.draw()
}

/// Draws a straight line between two places of a field: the one that bars stand on.
pub(super) fn base_line(field: &mut Field<'_>, ends: [(f64, f64); 2]) -> Drawn {
    field.draw_series([PathElement::new(ends.to_vec(), style::stroke(&AXIS, 1))])?;
    Ok(())
}

/// Says in the middle of a box that there is nothing to draw.
pub(super) fn no_data(board: &Board<'_>, middle: (i32, i32)) -> Drawn {
    words(board, middle, label(Anchor::Middle), t("No values to show"))
}

/// A field between two corners in pixels, with labels of its axes around it.
pub(super) fn field<'a>(
    board: &Board<'a>,
    from: (i32, i32),
    to: (i32, i32),
    level: Range<f64>,
    upright: Range<f64>,
) -> Result<Field<'a>, DrawingAreaErrorKind<io::Error>> {
    ChartBuilder::on(board)
        .margin_top(from.1)
        .margin_right(board.dim_in_pixel().0 as i32 - to.0)
        .margin_bottom(board.dim_in_pixel().1 as i32 - to.1 - AXIS_ROOM)
        .y_label_area_size(from.0)
        .x_label_area_size(AXIS_ROOM)
        .build_cartesian_2d(level, upright)
}

/// The room under a field for the labels of an axis of numbers.
const AXIS_ROOM: i32 = 12;

/// The label of the level axis, under everything else.
pub(super) struct Under {
    words: String,
    middle: (i32, i32),
}

impl Under {
    /// Under `y`, between two places of a picture of this width.
    pub(super) fn new(width: i32, y: i32, label: &str, (left, right): (i32, i32)) -> Self {
        let words = text::fit(label, LABEL, f64::from(width - 2 * MARGIN));
        // A long label stays on the picture.
        let half = text::width(&words, LABEL) as i32 / 2;
        let least = MARGIN + half;
        Self { words, middle: (((left + right) / 2).clamp(least, (width - least).max(least)), y + 14) }
    }

    /// The height of the picture.
    pub(super) fn height(&self) -> i32 {
        self.middle.1 + if self.words.is_empty() { 2 } else { MARGIN + 6 }
    }

    /// Draws it.
    pub(super) fn draw(&self, board: &Board<'_>) -> Drawn {
        words(board, self.middle, label(Anchor::Middle), &self.words)
    }
}
