//! Whether the ends of a released range lie where the manifest says, by arithmetic of this file's own.
//!
//! That enough of the original records lie in every printed cell shows in no release: it is stated.

use velamen_core::hierarchy::Definition;
use velamen_core::recoding::Recoding;
use velamen_core::step::{Ends, Span, Step};

use super::{PromisedAttribute, inner, is_of, near, number, open_end, scale, splits};

/// Whether a label that is no value is one that ends on the stated grid.
pub(super) fn ends_there(attribute: &PromisedAttribute, ends: Ends, label: &str) -> bool {
    match (ends, &attribute.hierarchy) {
        (Ends::Step(Step::Number(step)), hierarchy) => {
            let begins = |low: f64, _| is_multiple(low, step);
            match hierarchy {
                Definition::Interval { min, max, decimals, .. }
                | Definition::Cuts { min, max, decimals, .. } => {
                    let next = |high: f64| high + 1.0 / scale(*decimals);
                    let ends = |high, _| is_of(*decimals, high) && is_multiple(next(high), step);
                    is_between(label, (Some((*min, *max)), step), &begins, &ends)
                }
                _ => {
                    let ends = |high, unit| is_multiple(high + unit, step) || is_multiple(high, step);
                    is_between(label, (None, step), &begins, &ends)
                }
            }
        }
        (Ends::Step(Step::Span(span)), Definition::Flat { .. }) => is_span(label, span),
        (
            Ends::Intervals,
            Definition::Interval { min, max, decimals, .. } | Definition::Cuts { min, max, decimals, .. },
        ) => {
            let unit = 1.0 / scale(*decimals);
            let starts = |at: f64| is_start(&attribute.hierarchy, at, unit);
            let begins = |low, _| is_of(*decimals, low) && starts(low);
            let ends = |high, _| is_of(*decimals, high) && starts(high + unit);
            is_between(label, (Some((*min, *max)), unit), &begins, &ends)
        }
        (Ends::Values, Definition::Flat { .. }) => is_set(label),
        _ => false,
    }
}

/// Whether a number that stands for a class lies where it may.
pub(super) fn is_rounded(attribute: &PromisedAttribute, label: &str) -> bool {
    match (attribute.recoding, attribute.ends, number(label)) {
        (Recoding::Aggregates, Some(Ends::Step(Step::Number(step))), Some(number)) => {
            is_multiple(number, step)
        }
        _ => true,
    }
}

/// An end and the unit that it is written in.
type Fits<'a> = &'a dyn Fn(f64, f64) -> bool;

/// Whether a label is `[low-high]`, `>=low` or `<=high` with ends in order that fit. The cells at the ends of a domain reach beyond
/// it by less than their width, and hold a number of it.
fn is_between(
    label: &str,
    (domain, width): (Option<(f64, f64)>, f64),
    low_fits: Fits<'_>,
    high_fits: Fits<'_>,
) -> bool {
    let (min, max) = domain.unwrap_or((f64::NEG_INFINITY, f64::INFINITY));
    let low_holds = |low: f64, text: &str| min - width < low && low <= max && low_fits(low, unit_of(text));
    let high_holds =
        |high: f64, text: &str| min <= high && high < max + width && high_fits(high, unit_of(text));
    match open_end(label) {
        Some((true, low)) => low_holds(low, label),
        Some((false, high)) => high_holds(high, label),
        None => {
            let parts = inner(label).into_iter().flat_map(|inner| splits(inner, "-"));
            let read = |(low, high): (&'_ str, &'_ str)| {
                let (from, to) = (number(low)?, number(high)?);
                Some(from <= to && low_holds(from, low) && high_holds(to, high))
            };
            parts.filter_map(read).next().unwrap_or(false)
        }
    }
}

/// The last decimal that a number is written with.
fn unit_of(text: &str) -> f64 {
    let decimals = text.split_once('.').map_or(0, |(_, fraction)| fraction.len());
    1.0 / 10f64.powi(decimals.min(15) as i32)
}

fn is_multiple(number: f64, step: f64) -> bool {
    let times = number / step;
    // Number, step and quotient are rounded to 53 bits each, and the sum of an end and its unit is.
    (times - times.round()).abs() <= (times.abs() * 2e-15).min(0.25)
}

/// Whether the narrowest intervals of a hierarchy begin at a number, or would after the last of them.
fn is_start(hierarchy: &Definition, at: f64, unit: f64) -> bool {
    match hierarchy {
        Definition::Interval { interval, min, .. } => interval.first().is_some_and(|width| {
            let before = ((at - min) / width).round();
            before >= 0.0 && near(at, min + before * width, unit)
        }),
        Definition::Cuts { cuts, .. } => {
            cuts.first().is_some_and(|starts| starts.iter().any(|start| near(at, *start, unit)))
        }
        _ => false,
    }
}

/// `{a|b}`: two texts or more, all different.
fn is_set(label: &str) -> bool {
    let Some(inner) = label.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) else { return false };
    let mut texts: Vec<&str> = inner.split('|').collect();
    let all = texts.len();
    texts.sort_unstable();
    texts.dedup();
    all > 1 && texts.len() == all && texts.iter().all(|text| !text.is_empty() && !text.contains(['{', '}']))
}

/// Year, month and day of ISO 8601.
type Day = (f64, f64, f64);

fn day(text: &str) -> Option<Day> {
    let mut parts = text.split('-');
    let day = (of_digits(parts.next()?, 4)?, of_digits(parts.next()?, 2)?, of_digits(parts.next()?, 2)?);
    let last = days_of_month(day.0, day.1)?;
    (parts.next().is_none() && (1.0..=last).contains(&day.2)).then_some(day)
}

/// A number that is written with so many digits.
fn of_digits(text: &str, digits: usize) -> Option<f64> {
    let plain = text.len() == digits && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse::<f64>().ok().filter(|_| plain)
}

fn days_of_month(year: f64, month: f64) -> Option<f64> {
    let leap = year % 4.0 == 0.0 && (year % 100.0 != 0.0 || year % 400.0 == 0.0);
    match month as u32 {
        2 => Some(if leap { 29.0 } else { 28.0 }),
        4 | 6 | 9 | 11 => Some(30.0),
        1 | 3 | 5 | 7 | 8 | 10 | 12 => Some(31.0),
        _ => None,
    }
}

/// Whether a text is a day of the calendar.
pub(super) fn is_day(text: &str) -> bool {
    day(text).is_some()
}

/// `[first..last]`, a cell of the span beginning with the first day and one ending with the last; open ends are the first
/// and the last day that can be written.
fn is_span(label: &str, span: Span) -> bool {
    let Some(inner) = inner(label) else { return false };
    let begins = |text: &str| text == "0001-01-01" || day(text).is_some_and(|day| begins_cell(day, span));
    let ends = |text: &str| text == "9999-12-31" || day(text).is_some_and(|day| begins_cell(next(day), span));
    splits(inner, "..").any(|(first, last)| first <= last && begins(first) && ends(last))
}

/// The day after one. What comes after December is counted as a 13th month, which begins with the next year's first.
fn next((year, month, day): Day) -> Day {
    match days_of_month(year, month) {
        Some(last) if day < last => (year, month, day + 1.0),
        _ => (year, month + 1.0, 1.0),
    }
}

fn begins_cell((year, month, day): Day, span: Span) -> bool {
    let months = year * 12.0 + month - 1.0;
    match span {
        Span::Days(days) => number_of((year, month, day)) % f64::from(days) == 0.0,
        Span::Months(of) => day == 1.0 && months % f64::from(of) == 0.0,
        Span::Years(of) => day == 1.0 && months % (12.0 * f64::from(of)) == 0.0,
    }
}

/// Days from the one before the year 1.
fn number_of((year, month, day): Day) -> f64 {
    let before = year - 1.0;
    let leaps = (before / 4.0).floor() - (before / 100.0).floor() + (before / 400.0).floor();
    let months = (1..month as u32).filter_map(|month| days_of_month(year, f64::from(month)));
    before * 365.0 + leaps + months.sum::<f64>() + day
}

#[cfg(test)]
mod tests;
