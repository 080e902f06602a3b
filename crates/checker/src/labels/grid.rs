//! Whether the ends of a released range lie where the manifest says, by arithmetic of this file's own.
//!
//! That enough of the original records lie in every printed cell shows in no release: it is stated.

use velamen_core::hierarchy::Definition;
use velamen_core::recoding::Recoding;
use velamen_core::step::{Ends, Span, Step};

use super::{PromisedAttribute, inner, number, open_end, scale, splits};

/// Whether a label that is no value is one that ends on the stated grid.
pub(super) fn ends_there(attribute: &PromisedAttribute, ends: Ends, label: &str) -> bool {
    match (ends, &attribute.hierarchy) {
        (Ends::Step(Step::Number(step)), hierarchy) => {
            // The cells at the ends of a domain can reach beyond it.
            let domain = domain(hierarchy);
            let within = domain.map(|(min, max)| (min - step, max + step));
            let ends = |high: f64, unit: f64| {
                is_multiple(high + unit, step) || (domain.is_none() && is_multiple(high, step))
            };
            is_between(label, within, &|low, _| is_multiple(low, step), &ends)
        }
        (Ends::Step(Step::Span(span)), Definition::Flat { .. }) => is_span(label, span),
        (
            Ends::Intervals,
            Definition::Interval { min, max, decimals, .. } | Definition::Cuts { min, max, decimals, .. },
        ) => {
            let unit = 1.0 / scale(*decimals);
            let starts = |at: f64| is_start(&attribute.hierarchy, at, unit);
            let within = Some((*min - unit, *max + unit));
            is_between(label, within, &|low, _| starts(low), &|high, _| starts(high + unit))
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

fn domain(hierarchy: &Definition) -> Option<(f64, f64)> {
    match hierarchy {
        Definition::Interval { min, max, .. } | Definition::Cuts { min, max, .. } => Some((*min, *max)),
        _ => None,
    }
}

/// An end and the unit that it is written in.
type Fits<'a> = &'a dyn Fn(f64, f64) -> bool;

/// Whether a label is `[low-high]`, `>=low` or `<=high` with ends in order that fit and lie between these bounds.
fn is_between(label: &str, bounds: Option<(f64, f64)>, low_fits: Fits<'_>, high_fits: Fits<'_>) -> bool {
    let (min, max) = bounds.unwrap_or((f64::NEG_INFINITY, f64::INFINITY));
    let low_holds = |low: f64, text: &str| min < low && low < max && low_fits(low, unit_of(text));
    let high_holds = |high: f64, text: &str| min < high && high < max && high_fits(high, unit_of(text));
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
    (times - times.round()).abs() < 1e-6 * times.abs().max(1.0)
}

/// Whether the narrowest intervals of a hierarchy begin at a number, or would after the last of them.
fn is_start(hierarchy: &Definition, at: f64, unit: f64) -> bool {
    let near = |a: f64, b: f64| (a - b).abs() < unit / 2.0;
    match hierarchy {
        Definition::Interval { interval, min, .. } => interval.first().is_some_and(|width| {
            let start = min + ((at - min) / width).round() * width;
            near(at, start) && at >= min - unit / 2.0
        }),
        Definition::Cuts { cuts, .. } => {
            cuts.first().is_some_and(|starts| starts.iter().any(|start| near(at, *start)))
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

fn next((year, month, day): Day) -> Day {
    match days_of_month(year, month) {
        Some(last) if day < last => (year, month, day + 1.0),
        _ if month < 12.0 => (year, month + 1.0, 1.0),
        _ => (year + 1.0, 1.0, 1.0),
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
mod tests {
    use super::*;

    fn flat(ends: Ends) -> PromisedAttribute {
        PromisedAttribute {
            recoding: Recoding::Ranges,
            ends: Some(ends),
            hierarchy: Definition::Flat { domain: 9 },
            ..PromisedAttribute::default()
        }
    }

    fn fits(ends: Ends, label: &str) -> bool {
        ends_there(&flat(ends), ends, label)
    }

    #[test]
    fn ends_are_multiples_of_the_step() {
        let tens = Ends::Step(Step::Number(10.0));
        for label in ["[20-39]", "[20-39.9]", "[20-40]", "[-20--1]", ">=90", "<=19", "[0-9]", "<=-1"] {
            assert!(fits(tens, label), "{label}");
        }
        for label in ["[21-39]", "[20-38]", "[20-39.8]", ">=91", "<=18", "[40-19]", "x", "[a..b]", "{1|2}"] {
            assert!(!fits(tens, label), "{label}");
        }
        let fine = Ends::Step(Step::Number(0.05));
        assert!(fits(fine, "[25.5-25.54]") && fits(fine, "[1.15-1.19999]") && !fits(fine, "[25.52-25.54]"));
    }

    #[test]
    fn ends_are_starts_of_intervals() {
        let hierarchy = Definition::Interval { interval: vec![5.0, 10.0], min: 1.0, max: 23.0, decimals: 0 };
        let ages = PromisedAttribute { hierarchy, ..flat(Ends::Intervals) };
        let fits = |label| ends_there(&ages, Ends::Intervals, label);
        assert!(["[1-10]", "[6-15]", ">=21", "<=5", "[6-20]"].into_iter().all(fits));
        assert!(!["[1-9]", "[7-15]", ">=20", "<=6", "[6-23]", "[6-25]", ">=26"].into_iter().any(fits));
        let tens = Ends::Step(Step::Number(10.0));
        let fits = |label| ends_there(&ages, tens, label);
        assert!(["[0-29]", "[10-19]", "<=9", ">=20"].into_iter().all(fits));
        assert!(!["[0-39]", "[-10-19]", "[0-20]", ">=40"].into_iter().any(fits));
        let hierarchy = Definition::Cuts { cuts: vec![vec![35.0, 67.0]], min: 0.0, max: 99.0, decimals: 0 };
        let ages = PromisedAttribute { hierarchy, ..flat(Ends::Intervals) };
        let fits = |label| ends_there(&ages, Ends::Intervals, label);
        assert!(["[35-66]", ">=67", "<=34", ">=35"].into_iter().all(fits));
        assert!(!["[35-65]", ">=66", "[0-34]"].into_iter().any(fits));
    }

    #[test]
    fn ends_are_days_of_the_calendar() {
        let of = |text: &str| Ends::Step(Step::Span(text.parse().unwrap()));
        assert!(
            fits(of("month"), "[2020-02-01..2020-02-29]") && !fits(of("month"), "[2020-02-01..2020-02-28]")
        );
        assert!(
            fits(of("quarter"), "[2020-10-01..2021-03-31]")
                && !fits(of("quarter"), "[2020-09-01..2020-09-30]")
        );
        assert!(
            fits(of("10 years"), "[1990-01-01..9999-12-31]")
                && !fits(of("10 years"), "[1991-01-01..1999-12-31]")
        );
        assert!(fits(of("year"), "[0001-01-01..1999-12-31]"));
        // 2020-01-06 is a Monday, as are the days whose number divides by 7 one later.
        let seven = |label| fits(of("7 days"), label);
        assert!(seven("[2020-01-05..2020-01-11]") && !seven("[2020-01-06..2020-01-12]"));
        assert!(!fits(of("day"), "[2020-02-30..2020-03-01]"));
    }

    #[test]
    fn sets_name_each_value_once() {
        let fits = |label| fits(Ends::Values, label);
        assert!(fits("{a|b}") && fits("{Bern|Genf|St. Gallen}"));
        assert!(!["{a}", "{a|a}", "{a|}", "{}", "{a|{b}", "[a..b]", "[1-2]"].into_iter().any(fits));
    }
}
