//! What a column could be in a recipe.

use serde::Serialize;
use velamen_core::frequency::Role;
use velamen_core::hierarchy::{Definition, Rule, Side};
use velamen_core::profile::finding::{Finding, Sure};
use velamen_core::profile::header::{self, About};
use velamen_core::profile::identifier::Identifier;
use velamen_core::profile::kind::Kind;
use velamen_core::profile::{Cells, number};

use super::ColumnProfile;

/// From this leak on an attribute alone tells half of who someone is.
const HALF: f64 = 0.5;

/// Ages end here, unless some are higher.
const AGES: f64 = 119.0;

/// The last age that is released as it is, if any record is above.
const OLD: f64 = 90.0;

/// The longest code that is masked.
const LONGEST_MASK: usize = 12;

/// A role, why, and how values could be generalized.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Suggestion {
    /// Its part.
    pub role: Role,
    /// Why.
    pub why: String,
    /// Its hierarchy; `None`: a value or `*`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hierarchy: Option<Definition>,
    /// Numbers from here up become one group.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub top: Option<f64>,
    /// What the hierarchy does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub levels: Option<String>,
    /// Whether nothing of the column spoke for the role.
    #[serde(skip)]
    pub(crate) by_default: bool,
}

impl Suggestion {
    fn new(role: Role, why: impl Into<String>) -> Self {
        Self { role, why: why.into(), hierarchy: None, top: None, levels: None, by_default: false }
    }

    /// Where nothing else speaks for a role: who leaks much is a quasi-identifier.
    pub(super) fn by_leak(mut self, leak: f64) -> Self {
        if self.by_default && leak >= HALF {
            self.role = Role::QuasiIdentifier;
            self.why = format!(
                "its values alone tell {:.0}% of who someone is: does an outsider know them?",
                100.0 * leak
            );
        }
        self
    }
}

/// A role by findings and name, and a hierarchy that holds all values.
pub(super) fn suggestion(name: &str, kind: &Kind, cells: Cells<'_>, findings: &[Finding]) -> Suggestion {
    let mut suggestion = role(name, kind, cells, findings);
    if let Some(form) = hierarchy(name, kind, cells, findings).filter(|form| form.holds(cells)) {
        suggestion.hierarchy = Some(form.definition);
        suggestion.top = form.top;
        suggestion.levels = Some(form.levels);
    }
    suggestion
}

fn role(name: &str, kind: &Kind, cells: Cells<'_>, findings: &[Finding]) -> Suggestion {
    let likely = findings.iter().find(|finding| finding.sure >= Sure::Likely);
    let of = |finding: &Finding| {
        format!("({}) {}: {}", finding.identifier.letter(), finding.title, finding.why.join("; "))
    };
    match likely {
        Some(finding) if finding.identifier == Identifier::Date => {
            return Suggestion::new(Role::QuasiIdentifier, of(finding));
        }
        Some(finding) if finding.identifier == Identifier::Geographic && !is_address(name, kind, cells) => {
            return Suggestion::new(Role::QuasiIdentifier, of(finding));
        }
        Some(finding) => return Suggestion::new(Role::Identifier, of(finding)),
        None => {}
    }
    if cells.distinct() <= 1 {
        return Suggestion::new(Role::Insensitive, "it has one value at most");
    }
    match header::about(name) {
        Some((About::Confidential, word)) => {
            Suggestion::new(Role::Sensitive, format!("its name contains `{word}`: told in confidence"))
        }
        Some((About::Age | About::Known, word)) => {
            Suggestion::new(Role::QuasiIdentifier, format!("its name contains `{word}`: others may know it"))
        }
        None => {
            let why = "nothing speaks for another role; if someone could know it, make it a quasi-identifier";
            Suggestion { by_default: true, ..Suggestion::new(Role::Insensitive, why) }
        }
    }
}

/// Whether a place is as narrow as a house: streets, coordinates, and what most records have for themselves.
fn is_address(name: &str, kind: &Kind, cells: Cells<'_>) -> bool {
    let narrow =
        ["address", "addr", "street", "lat", "lon", "lng", "latitude", "longitude", "geohash", "geocode"];
    let words = header::words(name);
    let korean = ["주소", "위도", "경도"].iter().any(|word| name.contains(word));
    let own = matches!(kind, Kind::Text { .. } | Kind::Decimal { .. }) && cells.distinction() > 0.5;
    korean || own || words.iter().any(|word| narrow.contains(&word.as_str()))
}

/// A hierarchy with what it does.
struct Form {
    definition: Definition,
    top: Option<f64>,
    levels: String,
}

impl Form {
    fn new(definition: Definition, levels: impl Into<String>) -> Self {
        Self { definition, top: None, levels: levels.into() }
    }

    /// Whether all values belong to its domain.
    fn holds(&self, cells: Cells<'_>) -> bool {
        Rule::try_from(&self.definition).is_ok_and(|rule| cells.values().all(|value| rule.contains(value)))
    }
}

/// How a column's values could be generalized: the one place where this is decided. A form is tried against
/// all values afterwards, so it may promise too much here.
fn hierarchy(name: &str, kind: &Kind, cells: Cells<'_>, findings: &[Finding]) -> Option<Form> {
    let place = findings.iter().any(|finding| finding.identifier == Identifier::Geographic);
    match kind {
        Kind::WholeNumber if place => code(cells, None, place),
        Kind::WholeNumber | Kind::Decimal { .. } => match header::about(name) {
            Some((About::Age, _)) => age(cells).or_else(|| interval(kind, cells)),
            _ => interval(kind, cells),
        },
        Kind::Date { format, time, .. } => date(format, *time),
        Kind::Code { length } => code(cells, *length, place),
        Kind::Empty | Kind::Text { .. } => None,
    }
}

fn numbers(cells: Cells<'_>) -> Option<(f64, f64)> {
    let mut numbers = cells.values().filter_map(number::parse).map(|number| number.value);
    let first = numbers.next()?;
    Some(numbers.fold((first, first), |(low, high), number| (low.min(number), high.max(number))))
}

/// Five, ten and thirty years, all of which have a bound at 90.
fn age(cells: Cells<'_>) -> Option<Form> {
    let (low, high) = numbers(cells)?;
    let years = Definition::Interval { interval: vec![5.0, 10.0, 30.0], min: 0.0, max: AGES, decimals: 0 };
    let top = (high >= OLD).then_some(OLD);
    (low >= 0.0 && high <= AGES).then(|| Form { top, ..Form::new(years, "years, then 5, 10 and 30 of them") })
}

/// Intervals of round widths, their domain rounded outward to some sixteen of the narrowest.
fn interval(kind: &Kind, cells: Cells<'_>) -> Option<Form> {
    let decimals = if let Kind::Decimal { decimals } = kind { *decimals } else { 0 };
    let (low, high) = numbers(cells)?;
    let unit = 10f64.powi(-(decimals as i32));
    let width = round_width((high - low) / 16.0, 2.0 * unit);
    let widths: Vec<f64> = [1.0, 2.0, 4.0, 8.0].iter().map(|times| clean(times * width, decimals)).collect();
    // Bounds lie on multiples of the widest interval.
    let step = 8.0 * width;
    let (min, max) = ((low / step).floor() * step, ((high + unit) / step).ceil() * step - unit);
    let definition = Definition::Interval {
        interval: widths,
        min: clean(min, decimals),
        max: clean(max, decimals),
        decimals,
    };
    (high > low && decimals <= 6)
        .then(|| Form::new(definition, "four levels of intervals, each twice as wide as the one before"))
}

/// The least of 1, 2, 5, 10, … that is no less than either.
fn round_width(width: f64, least: f64) -> f64 {
    let mut power = 10f64.powi(least.log10().floor() as i32);
    loop {
        for step in [1.0, 2.0, 5.0] {
            if step * power >= width && step * power >= least * (1.0 - 1e-9) {
                return step * power;
            }
        }
        power *= 10.0;
    }
}

/// Without the errors of binary fractions.
fn clean(number: f64, decimals: u32) -> f64 {
    format!("{number:.*}", decimals as usize).parse().unwrap_or(number)
}

/// Day and month hidden one after the other, where they stand at fixed places.
fn date(format: &str, time: bool) -> Option<Form> {
    let (mask, levels, alphabet) = match format {
        "YYYY-MM-DD" | "YYYY/MM/DD" | "YYYY.MM.DD" => (Side::Right, vec![3, 6, 10], 11),
        "YYYYMMDD" => (Side::Right, vec![2, 4, 8], 10),
        "DD.MM.YYYY" | "DD/MM/YYYY" | "DD-MM-YYYY" => (Side::Left, vec![3, 6, 10], 11),
        "YYYY-MM" => (Side::Right, vec![3, 7], 11),
        _ => return None,
    };
    let length = *levels.last()?;
    let definition = Definition::Mask { mask, length, alphabet, levels: Some(levels) };
    (!time).then(|| Form::new(definition, "the day is hidden, then the month, then the year"))
}

/// Codes of one length, the last characters hidden first; of postal codes all but three at once.
fn code(cells: Cells<'_>, length: Option<usize>, place: bool) -> Option<Form> {
    let lengths = || cells.values().map(|value| value.chars().count());
    let length = length.or_else(|| lengths().next().filter(|first| lengths().all(|l| l == *first)))?;
    let digits = cells.values().all(|value| value.bytes().all(|byte| byte.is_ascii_digit()));
    let alphabet = if digits { 10 } else { 36 };
    let levels = match (place, length) {
        (true, 5) => Some(vec![2, 5]),
        _ => None,
    };
    let says = if levels.is_some() {
        "the first three characters, then none"
    } else {
        "one character less at each level"
    };
    let definition = Definition::Mask { mask: Side::Right, length, alphabet, levels };
    ((2..=LONGEST_MASK).contains(&length) && cells.distinct() > 2).then(|| Form::new(definition, says))
}

/// A recipe needs one: where nothing spoke for any, the column that leaks most becomes one.
pub(super) fn ensure_quasi_identifier(columns: &mut [ColumnProfile]) {
    if columns.iter().any(|column| column.suggestion.role == Role::QuasiIdentifier) {
        return;
    }
    let open = columns.iter_mut().filter(|column| matches!(column.suggestion.role, Role::Insensitive));
    if let Some(column) = open.max_by(|a, b| a.leak.total_cmp(&b.leak)) {
        column.suggestion.role = Role::QuasiIdentifier;
        column.suggestion.why =
            "a recipe needs a quasi-identifier, and of those left it leaks most: check it".into();
    }
}
