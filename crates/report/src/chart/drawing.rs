//! What pictures are drawn on, by the names that the charting library has for it.

use plotters::coord::Shift;
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;
use std::io;

/// A picture or a part of it.
pub(super) type Board<'a> = DrawingArea<SVGBackend<'a>, Shift>;
/// A field with two axes of numbers.
pub(super) type Field<'a> = ChartContext<'a, SVGBackend<'a>, Cartesian2d<RangedCoordf64, RangedCoordf64>>;
/// What drawing comes to. Drawing into a string does not fail.
pub(super) type Drawn = Result<(), DrawingAreaErrorKind<io::Error>>;
