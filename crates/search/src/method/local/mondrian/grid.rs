//! Where the ends of released ranges lie: on a grid of which every printed cell holds enough records.
//!
//! # Definition
//! A grid cuts the numbers or days into cells: the multiples of a step, or the narrowest intervals of the hierarchy. Cells
//! of a step that the recipe gives and of a hierarchy are declared, and any may be printed. A step that is chosen here is
//! read off the data: then a cell of fewer than k records is *sparse*. What lies in it is released under the nearest
//! cells to both sides that are not, so that no end shows where a few records lie. Where there is none the end is open:
//! `>=b`, b being the start of the outermost cell from which on k records lie, or of the last one that is not sparse.
//!
//! Of the steps 1, 2 and 5 · 10ⁿ (of dates: day, month, quarter, year, 2, 5, 10 … years) and the hierarchy's intervals the
//! one is chosen whose labels of single records lose least, the smaller of equal ones.
//!
//! A value that enough records have is a place of its own beside the rest of its cell: a class that has it alone shows it.
//!
//! # Complexity
//! Time O(steps · distinct values).

use velamen_core::error::Problem;
use velamen_core::hierarchy::IntervalRule;
use velamen_core::step::{Ends, Span, Step};

/// What may be printed of a table.
#[derive(Debug, Clone, Copy)]
pub(in crate::method) struct Shown {
    /// The records that a printed cell holds at least.
    pub(in crate::method) cell: u64,
    /// The records that a value has at least which a class shows that has no other.
    pub(in crate::method) value: u64,
    /// What the recipe says.
    pub(in crate::method) step: Option<Step>,
    /// Whether disjoint ranges need labels that differ: some model does not hold of the union of two classes of which it
    /// holds.
    pub(in crate::method) apart: bool,
}

impl Shown {
    /// Of classes of at least k records.
    pub(in crate::method) fn of(k: u64, step: Option<Step>, apart: bool) -> Self {
        Self { cell: k.max(2), value: k.max(2), step, apart }
    }
}

/// A number or day that occurs, in units.
#[derive(Debug, Clone, Copy)]
pub(super) struct Point {
    pub(super) unit: i64,
    pub(super) records: u64,
    /// The leaf with it, if it has one spelling.
    pub(super) leaf: Option<u32>,
}

/// Numbers or days that are cut into cells, ascending.
pub(super) struct Line<'a> {
    pub(super) points: Vec<Point>,
    /// The records of coded values below and above all points.
    pub(super) beyond: (u64, u64),
    pub(super) kind: Kind<'a>,
    /// What a label with these ends covers.
    pub(super) covered: &'a dyn Fn(End, End) -> u64,
}

/// What units are.
#[derive(Debug, Clone, Copy)]
pub(super) enum Kind<'a> {
    /// 10^−decimals; whether the last unit of a cell is the one before the next cell, or that cell's start itself, where
    /// numbers have more decimals than can be printed.
    Numbers { decimals: u32, exact: bool, hierarchy: Option<&'a IntervalRule> },
    /// Days.
    Days,
}

/// An end of a label, in units; `None` where it is open.
pub(super) type End = Option<i64>;

/// A cut of the line into cells.
#[derive(Debug, Clone, Copy)]
enum Cells<'a> {
    Width { width: i64, exact: bool },
    Span(Span),
    Intervals(&'a IntervalRule),
}

impl Cells<'_> {
    /// The ends of the cell around a unit.
    fn around(&self, unit: i64) -> (End, End) {
        match self {
            Self::Width { width, exact } => {
                let low = unit.div_euclid(*width).saturating_mul(*width);
                let next = low.saturating_add(*width);
                (Some(low), Some(if *exact { next - 1 } else { next }))
            }
            Self::Span(span) => {
                let cell = span.cell(unit);
                (Some(span.start(cell)), Some(span.start(cell + 1) - 1))
            }
            Self::Intervals(rule) => rule.narrowest(unit),
        }
    }
}

/// A part of the line that is not told apart further.
#[derive(Debug, Clone)]
pub(super) struct Place {
    /// The ends of a label that begins or ends here.
    pub(super) ends: (End, End),
    /// The leaf that is shown of a class that lies here as a whole.
    pub(super) single: Option<u32>,
    /// Where it lies.
    pub(super) at: i64,
}

/// The line in places.
#[derive(Debug, Clone)]
pub(super) struct Layout {
    pub(super) places: Vec<Place>,
    /// By point, its place.
    pub(super) of_point: Vec<u32>,
    /// What is stated of the ends.
    pub(super) ends: Ends,
}

impl Line<'_> {
    /// The places of the grid that the recipe gives, or that loses least.
    pub(super) fn layout(&self, shown: &Shown) -> Result<Layout, Problem> {
        if let Some(step) = shown.step {
            return Ok(self.laid(&self.cells(step)?, true, Ends::Step(step), shown));
        }
        let of_hierarchy = match self.kind {
            Kind::Numbers { hierarchy: Some(rule), .. } => {
                Some(self.laid(&Cells::Intervals(rule), true, Ends::Intervals, shown))
            }
            _ => None,
        };
        let of_steps = self.steps().into_iter().filter_map(|step| {
            let cells = self.cells(step).ok()?;
            Some(self.laid(&cells, false, Ends::Step(step), shown))
        });
        let priced = of_hierarchy.into_iter().chain(of_steps).map(|layout| (self.lost(&layout), layout));
        let best = priced.reduce(|best, next| if next.0 < best.0 { next } else { best });
        best.map(|(_, layout)| layout).ok_or_else(|| "there is no step for these values".into())
    }

    /// Whether a cell begins with a unit, or ends with it.
    pub(super) fn is_end(&self, ends: Ends, unit: i64, begins: bool) -> bool {
        let Ends::Step(step) = ends else { return false };
        let around = self.cells(step).map(|cells| cells.around(unit));
        around.is_ok_and(|(low, high)| (if begins { low } else { high }) == Some(unit))
    }

    fn cells(&self, step: Step) -> Result<Cells<'static>, Problem> {
        match (step, self.kind) {
            (Step::Span(span), Kind::Days) => Ok(Cells::Span(span)),
            (Step::Number(step), Kind::Numbers { decimals, exact, .. }) => {
                let units = step * 10f64.powi(decimals as i32);
                let width = units.round();
                match (1.0..9e15).contains(&width) && (units - width).abs() < 1e-6 * width {
                    true => Ok(Cells::Width { width: width as i64, exact }),
                    false => {
                        Err(format!("its values have {decimals} decimals, and `step` = {step} has more")
                            .into())
                    }
                }
            }
            (Step::Number(_), Kind::Days) => Err(Problem::new("its values are dates")
                .mend("give `step` as \"day\", \"month\", \"year\" or \"10 years\"")),
            (Step::Span(_), Kind::Numbers { .. }) => {
                Err(Problem::new("its values are numbers").mend("give `step` as a number"))
            }
        }
    }

    /// The steps that are looked at, ascending: until one cell holds nearly all.
    fn steps(&self) -> Vec<Step> {
        let (Some(first), Some(last)) = (self.points.first(), self.points.last()) else { return Vec::new() };
        let whole =
            last.unit.abs_diff(first.unit).max(last.unit.unsigned_abs()).max(first.unit.unsigned_abs());
        match self.kind {
            Kind::Numbers { decimals, .. } => {
                let powers = (0..16).map(|power| 10u64.pow(power));
                let units = powers.flat_map(|power| [1, 2, 5].map(|digit| digit * power));
                let mut below = 1;
                let units = units.take_while(|unit| std::mem::replace(&mut below, *unit) <= whole.max(1));
                // Written and read again, so that 0.1 is 0.1.
                let step = |unit: u64| format!("{unit}e-{decimals}").parse().ok().map(Step::Number);
                units.filter_map(step).collect()
            }
            Kind::Days => {
                let years = [1, 2, 5, 10, 20, 50, 100].map(Span::Years);
                let spans = [Span::Days(1), Span::Months(1), Span::Months(3)].into_iter().chain(years);
                spans.map(Step::Span).collect()
            }
        }
    }

    /// What the labels of single records lose where they are not shown as they are.
    fn lost(&self, layout: &Layout) -> f64 {
        let covered = |place: &Place| (self.covered)(place.ends.0, place.ends.1).saturating_sub(1) as f64;
        let by_place: Vec<f64> = layout.places.iter().map(covered).collect();
        let of_points = self.points.iter().zip(&layout.of_point);
        of_points.map(|(point, &place)| point.records as f64 * by_place[place as usize]).sum()
    }

    fn laid(&self, cells: &Cells<'_>, declared: bool, ends: Ends, shown: &Shown) -> Layout {
        let runs = self.runs(cells);
        let printed = self.printed(&runs, declared, shown.cell);
        let mut layout = Layout { places: Vec::new(), of_point: Vec::with_capacity(self.points.len()), ends };
        let mut last: Option<(End, End)> = None;
        for (run, (ends, dense)) in runs.iter().zip(printed) {
            let points = &self.points[run.first..run.first + run.points];
            if dense {
                layout.add(points, ends, shown);
            } else {
                // What is released alike is one place.
                if last != Some(ends) {
                    layout.places.push(Place { ends, single: None, at: points[0].unit });
                }
                layout.of_point.extend(points.iter().map(|_| layout.places.len() as u32 - 1));
            }
            last = Some(ends).filter(|_| !dense);
        }
        layout
    }

    /// The points by cell.
    fn runs(&self, cells: &Cells<'_>) -> Vec<Run> {
        let mut runs: Vec<Run> = Vec::new();
        for (at, point) in self.points.iter().enumerate() {
            let ends = cells.around(point.unit);
            match runs.last_mut().filter(|run| run.ends == ends) {
                Some(run) => {
                    run.records += point.records;
                    run.points += 1;
                }
                None => runs.push(Run { ends, first: at, points: 1, records: point.records }),
            }
        }
        runs
    }

    /// The ends that are printed of each run, and whether they are its own.
    fn printed(&self, runs: &[Run], declared: bool, least: u64) -> Vec<((End, End), bool)> {
        let dense: Vec<bool> = runs.iter().map(|run| declared || run.records >= least).collect();
        let (first, last) = (dense.iter().position(|dense| *dense), dense.iter().rposition(|dense| *dense));
        // The outermost cells up to, and from, which enough records lie.
        let low = outermost((0..runs.len()).map(|at| (at, runs[at].records)), self.beyond.0, least);
        let low = low.filter(|low| first.is_none_or(|first| *low < first));
        let high = outermost((0..runs.len()).rev().map(|at| (at, runs[at].records)), self.beyond.1, least);
        let high = high.filter(|high| last.is_none_or(|last| *high > last));
        let mut before: Vec<Option<usize>> = Vec::with_capacity(runs.len());
        let mut known = None;
        for (at, is_dense) in dense.iter().enumerate() {
            known = if *is_dense { Some(at) } else { known };
            before.push(known);
        }
        let mut after = None;
        let mut printed = Vec::with_capacity(runs.len());
        for at in (0..runs.len()).rev() {
            after = if dense[at] { Some(at) } else { after };
            let mut from: End = before[at].and_then(|dense| runs[dense].ends.0);
            let mut to: End = after.and_then(|dense| runs[dense].ends.1);
            let (below, above) = (low.filter(|low| at <= *low), high.filter(|high| at >= *high));
            match (below, above) {
                (Some(low), None) => to = runs[low].ends.1,
                (None, Some(high)) => from = runs[high].ends.0,
                _ => {}
            }
            printed.push(((from, to), dense[at]));
        }
        printed.reverse();
        printed
    }
}

/// The first cell with which, and all before it, there are enough records.
fn outermost(runs: impl Iterator<Item = (usize, u64)>, beyond: u64, least: u64) -> Option<usize> {
    let mut all = beyond;
    let mut runs = runs;
    runs.find(|(_, records)| {
        all += records;
        all >= least
    })
    .map(|(at, _)| at)
}

/// Points of one cell.
struct Run {
    ends: (End, End),
    first: usize,
    points: usize,
    records: u64,
}

impl Layout {
    /// The points of a cell: each that is frequent by itself, and the rest.
    fn add(&mut self, points: &[Point], ends: (End, End), shown: &Shown) {
        let is_value = ends.0.is_some() && ends.0 == ends.1;
        let frequent = |point: &Point| !(shown.apart && points.len() > 1) && point.records >= shown.value;
        let alone = |point: &Point| point.leaf.filter(|_| is_value || frequent(point));
        let rest = self.places.len() as u32;
        let at = points[0].unit;
        if points.iter().any(|point| alone(point).is_none()) {
            self.places.push(Place { ends, single: None, at });
        }
        for point in points {
            match alone(point) {
                Some(leaf) => {
                    self.of_point.push(self.places.len() as u32);
                    self.places.push(Place { ends, single: Some(leaf), at: point.unit });
                }
                None => self.of_point.push(rest),
            }
        }
    }
}
