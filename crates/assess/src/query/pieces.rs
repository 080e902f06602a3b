//! Domains of numbers: one by one where they are few, in pieces where they are many or nobody knows them.
//!
//! A query that only compares an attribute with the numbers it writes, or adds it up, gives the same
//! answer all along between two of them. So a number within each such piece stands for all.

use velamen_contract::PromisedAttribute;
use velamen_core::hierarchy::{NULL, TOP};
use velamen_core::label::{Range, number};
use velamen_recipe::JobError;

use super::domain::{Domain, MOST, Scope, ranges};
use super::table::ReleasedColumn;

/// The weight of a single number beside pieces that are measured by their length.
const POINT: f64 = 1e-9;

/// A piece: a number within, and its ends.
#[derive(Debug, Clone, Copy)]
struct Piece {
    within: f64,
    low: f64,
    high: f64,
    weight: f64,
}

impl Piece {
    fn point(at: f64, weight: f64) -> Self {
        Self { within: at, low: at, high: at, weight }
    }
}

/// The numbers at the ends of a range of numbers.
fn ends(label: &str) -> Option<(f64, f64)> {
    Range::read(label)?.bounds()
}

/// Whether a label of a column is a range of numbers.
pub(super) fn has_ranges(released: &ReleasedColumn) -> bool {
    let shown = || released.labels.iter().filter(|label| *label != TOP && *label != NULL);
    shown().any(|label| ends(label).is_some())
        && shown().all(|label| ends(label).is_some() || number(label).is_some())
}

/// The numbers from a least to a greatest in steps of 10^−decimals.
pub(super) fn bounded(
    scope: &Scope<'_>,
    attribute: &PromisedAttribute,
    (min, max, decimals): (f64, f64, u32),
) -> Result<Domain, JobError> {
    let scale = 10f64.powi(decimals.min(9) as i32);
    let steps = |number: f64| (number * scale).round();
    let (first, last) = (steps(min), steps(max));
    let size = last - first + 1.0;
    if size <= MOST as f64 {
        let text = |step: u64| format!("{:.*}", decimals as usize, (first + step as f64) / scale);
        let texts: Vec<String> = (0..size as u64).map(text).collect();
        let place = |number: f64| (steps(number.clamp(min, max)) - first) as u32;
        let mut domain = Domain { weights: vec![1.0; texts.len()], texts, ..Domain::default() };
        cover(&mut domain, scope, attribute.null_leaf, |(low, high)| (place(low), place(high) + 1))?;
        return Ok(domain);
    }
    if !scope.compared {
        return Err(JobError::usage(format!(
            "`{}` can have {size} values, more than {MOST}",
            attribute.name
        ))
        .mend(format!(
            "compare it with numbers (<, <=, =, BETWEEN, IN), add it up, or use level({}, 1)",
            attribute.name
        )));
    }
    let mut points = points(scope);
    points.extend([min, max]);
    points.retain(|point| (min..=max).contains(point));
    let points = ascending(points);
    let mut pieces = Vec::new();
    for (at, &point) in points.iter().enumerate() {
        if (point * scale - steps(point)).abs() < 1e-6 {
            pieces.push(Piece::point(point, 1.0));
        }
        let Some(next) = points.get(at + 1) else { break };
        let low = (point * scale + 1e-6).floor() + 1.0;
        let high = (next * scale - 1e-6).ceil() - 1.0;
        if low <= high {
            let (low, high, weight) = (low / scale, high / scale, high - low + 1.0);
            pieces.push(Piece { within: low, low, high, weight });
        }
    }
    of_pieces(scope, attribute.null_leaf, false, &pieces)
}

/// Numbers of which nobody knows more than the ranges that are shown.
pub(super) fn unbounded(scope: &Scope<'_>, domain: u64) -> Domain {
    let points = ascending(points(scope));
    let (Some(&first), Some(&last)) = (points.first(), points.last()) else { return Domain::default() };
    let beyond = |within, low, high| Piece { within, low, high, weight: POINT };
    let mut pieces = vec![beyond(first - 1.0, f64::NEG_INFINITY, first)];
    for (at, &point) in points.iter().enumerate() {
        pieces.push(Piece::point(point, POINT));
        let Some(&next) = points.get(at + 1) else { break };
        let within = f64::midpoint(point, next);
        if point < within && within < next {
            pieces.push(Piece { within, low: point, high: next, weight: next - point });
        }
    }
    pieces.push(beyond(last + 1.0, last, f64::INFINITY));
    of_pieces(scope, true, domain > 0, &pieces).expect("every label is a number or a range")
}

/// The numbers at which the answer can change: those that are written and those that are shown.
fn points(scope: &Scope<'_>) -> Vec<f64> {
    let shown = scope.released.labels.iter().flat_map(|label| match (number(label), ends(label)) {
        (Some(number), _) => vec![number],
        (None, Some((low, high))) => vec![low, high],
        (None, None) => Vec::new(),
    });
    shown.chain(scope.literals.iter().copied()).filter(|point| point.is_finite()).collect()
}

fn ascending(mut points: Vec<f64>) -> Vec<f64> {
    points.sort_by(f64::total_cmp);
    // −0 and 0 are one point.
    points.dedup_by(|a, b| *a == *b);
    points
}

fn of_pieces(scope: &Scope<'_>, null: bool, unseen: bool, pieces: &[Piece]) -> Result<Domain, JobError> {
    let span = |piece: &Piece| Some((piece.within, piece.low, piece.high));
    let mut domain = Domain {
        texts: pieces.iter().map(|piece| piece.within.to_string()).collect(),
        spans: Some(pieces.iter().map(span).collect()),
        weights: pieces.iter().map(|piece| piece.weight).collect(),
        ..Domain::default()
    };
    let place = |(low, high): (f64, f64)| {
        let from = pieces.partition_point(|piece| piece.low < low);
        let to = pieces.partition_point(|piece| piece.high <= high);
        (from as u32, to.max(from) as u32)
    };
    cover(&mut domain, scope, null, place)?;
    if unseen {
        domain.unseen = scope.released.labels.iter().map(|label| label == TOP).collect();
    }
    Ok(domain)
}

/// Sets what the labels cover: the numbers between their ends, all, or the missing value.
fn cover(
    domain: &mut Domain,
    scope: &Scope<'_>,
    null: bool,
    place: impl Fn((f64, f64)) -> (u32, u32),
) -> Result<(), JobError> {
    let numbers = domain.texts.len() as u32;
    if null {
        domain.texts.push(NULL.into());
        domain.weights.push(if domain.spans.is_some() { POINT } else { 1.0 });
        domain.spans.iter_mut().for_each(|spans| spans.push(None));
    }
    let all = domain.texts.len() as u32;
    for label in &scope.released.labels {
        let range = match number(label).map(|number| (number, number)).or_else(|| ends(label)) {
            _ if label == TOP => 0..all,
            _ if label == NULL && null => numbers..all,
            Some(ends) => {
                let (from, to) = place(ends);
                from..to
            }
            None => {
                let name = &scope.released.name;
                let problem = format!("column `{name}`: a label is no number and no range of numbers");
                return Err(JobError::data(problem).mend("see `velamen verify`"));
            }
        };
        domain.covers.push(ranges(range.map(|leaf| leaf as usize)));
    }
    domain.unseen = vec![false; scope.released.labels.len()];
    Ok(())
}
