//! How series are told apart without colour: luminance, hatching, dash, marker.
//!
//! The charting library has plain bars and round markers; hatched bars and the other markers are elements of
//! ours, which it places by its axes.

use super::drawing::{Board, Drawn};
use plotters::element::{Drawable, PointCollection};
use plotters::prelude::*;
use plotters_backend::{BackendCoord, DrawingErrorKind};

/// The ink of titles and values.
pub(super) const INK: RGBColor = RGBColor(0x22, 0x1c, 0x2b);
/// The ink of axis labels.
pub(super) const MUTED: RGBColor = RGBColor(0x54, 0x4c, 0x60);
/// Grid lines.
pub(super) const GRID: RGBColor = RGBColor(0xe3, 0xdc, 0xea);
/// Base lines.
pub(super) const AXIS: RGBColor = RGBColor(0x6d, 0x64, 0x79);
/// The dark violet of the first series and of all outlines.
const DARK: RGBColor = RGBColor(0x4b, 0x1d, 0x73);

/// The paint of the bars of series 0 to 3.
const FILLS: [RGBColor; 4] = [DARK, RGBColor(0xfb, 0xf8, 0xfe), RGBColor(0xb5, 0x97, 0xd2), WHITE];
/// The ink of the lines of series 0 to 3, and the length of dash and gap.
const LINES: [(RGBColor, Option<(i32, i32)>); 4] =
    [(DARK, None), (RGBColor(0x8a, 0x55, 0xb8), Some((7, 4))), (MUTED, Some((2, 4))), (INK, Some((12, 5)))];
/// The distance between hatching lines.
const HATCH_GAP: usize = 6;

/// A line of this ink and width.
pub(super) fn stroke(ink: &RGBColor, width: u32) -> ShapeStyle {
    ShapeStyle::from(ink).stroke_width(width)
}

/// A bar between two opposite corners, hatched if its series is; never so thin that it cannot be seen.
pub(super) struct Bar<C> {
    pub(super) corners: [C; 2],
    pub(super) series: usize,
}

impl<'a, C> PointCollection<'a, C> for &'a Bar<C> {
    type Point = &'a C;
    type IntoIter = std::slice::Iter<'a, C>;
    fn point_iter(self) -> Self::IntoIter {
        self.corners.iter()
    }
}

impl<C, DB: DrawingBackend> Drawable<DB> for Bar<C> {
    fn draw<I: Iterator<Item = BackendCoord>>(
        &self,
        corners: I,
        backend: &mut DB,
        _: (u32, u32),
    ) -> Result<(), DrawingErrorKind<DB::ErrorType>> {
        let (low, high) = rectangle(&corners.collect::<Vec<_>>());
        let which = self.series % FILLS.len();
        backend.draw_rect(low, high, &ShapeStyle::from(&FILLS[which]).filled(), true)?;
        backend.draw_rect(low, high, &stroke(&DARK, 1), false)?;
        let lines = match which {
            1 => diagonals(low, high),
            3 => levels(low, high),
            _ => Vec::new(),
        };
        lines.into_iter().try_for_each(|(from, to)| backend.draw_line(from, to, &stroke(&DARK, 1)))
    }
}

/// The upper left and the lower right corner, at least two pixels apart.
fn rectangle(corners: &[BackendCoord]) -> (BackendCoord, BackendCoord) {
    let (xs, ys) = (corners.iter().map(|at| at.0), corners.iter().map(|at| at.1));
    let (left, bottom) = (xs.clone().min().unwrap_or(0), ys.clone().max().unwrap_or(0));
    let (right, top) = (xs.max().unwrap_or(0), ys.min().unwrap_or(0));
    ((left, top.min(bottom - 2)), (right.max(left + 2), bottom))
}

type Line = (BackendCoord, BackendCoord);

/// Lines rising to the right through a box.
fn diagonals(first: BackendCoord, last: BackendCoord) -> Vec<Line> {
    let sums = first.0 + first.1 + 3..last.0 + last.1;
    sums.step_by(HATCH_GAP).map(|sum| diagonal(sum, first, last)).collect()
}

/// The part of the line x + y = sum that lies in a box.
fn diagonal(sum: i32, (left, top): BackendCoord, (right, bottom): BackendCoord) -> Line {
    let (from, to) = (left.max(sum - bottom), right.min(sum - top));
    ((from, sum - from), (to, sum - to))
}

/// Level lines through a box.
fn levels((left, top): BackendCoord, (right, bottom): BackendCoord) -> Vec<Line> {
    (top + 3..bottom).step_by(HATCH_GAP).map(|y| ((left, y), (right, y))).collect()
}

/// The line of a series through these places in pixels.
pub(super) fn curve(board: &Board<'_>, places: Vec<(i32, i32)>, series: usize) -> Drawn {
    let (ink, dash) = LINES[series % LINES.len()];
    match dash {
        None => board.draw(&PathElement::new(places, stroke(&ink, 2))),
        Some((length, gap)) => {
            let dashed = DashedLineSeries::new(places, length, gap, stroke(&ink, 2));
            dashed.into_iter().try_for_each(|line| board.draw(&line))
        }
    }
}

/// The marker of a series: disc, open square, triangle, open diamond.
pub(super) struct Marker<C> {
    pub(super) at: C,
    pub(super) series: usize,
}

impl<'a, C> PointCollection<'a, C> for &'a Marker<C> {
    type Point = &'a C;
    type IntoIter = std::iter::Once<&'a C>;
    fn point_iter(self) -> Self::IntoIter {
        std::iter::once(&self.at)
    }
}

impl<C, DB: DrawingBackend> Drawable<DB> for Marker<C> {
    fn draw<I: Iterator<Item = BackendCoord>>(
        &self,
        at: I,
        backend: &mut DB,
        _: (u32, u32),
    ) -> Result<(), DrawingErrorKind<DB::ErrorType>> {
        let (which, shapes) = (self.series % LINES.len(), shapes());
        let (ink, fill) = (LINES[which].0, if which % 2 == 0 { LINES[which].0 } else { WHITE });
        for (x, y) in at {
            let path: Vec<_> = shapes[which].iter().map(|(dx, dy)| (x + dx, y + dy)).collect();
            backend.fill_polygon(path.clone(), &ShapeStyle::from(&fill).filled())?;
            backend.draw_path(path, &stroke(&ink, 2))?;
        }
        Ok(())
    }
}

/// The outlines of the markers, closed; a disc of this size is an octagon.
fn shapes() -> [Vec<(i32, i32)>; 4] {
    [
        vec![(-4, -2), (-2, -4), (2, -4), (4, -2), (4, 2), (2, 4), (-2, 4), (-4, 2), (-4, -2)],
        vec![(-4, -4), (4, -4), (4, 4), (-4, 4), (-4, -4)],
        vec![(0, -5), (5, 4), (-5, 4), (0, -5)],
        vec![(0, -5), (5, 0), (0, 5), (-5, 0), (0, -5)],
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hatching_stays_in_its_bar_and_is_there() {
        for (width, height) in [(2, 2), (3, 40), (24, 13), (500, 14), (56, 250)] {
            let (low, high) = rectangle(&[(10, 10 + height), (10 + width, 10)]);
            let inside =
                |at: &BackendCoord| (10..=10 + width).contains(&at.0) && (10..=10 + height).contains(&at.1);
            for line in diagonals(low, high).iter().chain(&levels(low, high)) {
                assert!(inside(&line.0) && inside(&line.1), "{width} × {height}: {line:?}");
            }
            assert!(width + height < 10 || !diagonals(low, high).is_empty());
        }
    }

    #[test]
    fn no_bar_is_too_thin_to_be_seen() {
        let (low, high) = rectangle(&[(5, 100), (5, 100)]);
        assert!(high.0 - low.0 >= 2 && high.1 - low.1 >= 2);
    }
}
