//! Suspected direct identifiers of a column: what its name promises and what its cells look like, together.
//!
//! The rules, in the order of [`findings`], are those of `docs/methods/profile.md`.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;
use velamen_core::number::count;
use velamen_core::written::number;

use super::header;
use super::identifier::Identifier;
use super::kind::Kind;
use super::patterns::{Pattern, Strength};
use super::seen::{Seen, Tally};
use super::{Cells, serial};

/// The share of the cells that must fit a pattern.
const MOST: f64 = 0.8;

/// Fewer cells are no evidence for a column, and fewer finds none for what texts hold.
const LEAST: u64 = 3;

/// The least distinct values of a shape that other things look like here and there.
const VARIED: usize = 20;

/// Records of one such value: more, and it is a category.
const PER_VALUE: u64 = 50;

/// The oldest age that is one.
const OLDEST: f64 = 130.0;

/// How sure a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, JsonSchema, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Sure {
    /// Something speaks for it: look at the column.
    Possible,
    /// Name or cells speak for it.
    Likely,
    /// Name and cells, or cells that cannot be anything else.
    Certain,
}

/// A suspected identifier.
#[derive(Debug, Clone, PartialEq, JsonSchema, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Finding {
    /// Which of the eighteen, by its letter.
    #[schemars(with = "String")]
    pub identifier: Identifier,
    /// What the rule calls it.
    pub title: &'static str,
    /// How sure it is.
    pub sure: Sure,
    /// Why: the phrase of the name, the pattern and the share of the cells that fits.
    pub why: Vec<String>,
    /// What to do.
    pub advice: &'static str,
    /// Whether the cells tell a place as narrow as a house.
    #[serde(skip)]
    exact: bool,
}

impl Finding {
    fn new(identifier: Identifier, sure: Sure, why: Vec<String>) -> Self {
        Self { identifier, title: identifier.title(), sure, why, advice: identifier.advice(), exact: false }
    }

    /// Whether the cells tell a place as narrow as a house.
    #[must_use]
    pub fn is_exact(&self) -> bool {
        self.exact
    }

    /// What a name that contains a phrase promises, whatever the cells are.
    #[must_use]
    pub fn of_name(identifier: Identifier, phrase: &str) -> Self {
        Self::new(identifier, Sure::Possible, vec![of_name(phrase)])
    }
}

/// A column as the rules see it.
#[derive(Debug, Clone, Copy)]
pub struct Column<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its type.
    pub kind: &'a Kind,
    /// Its values, markers of missing ones aside.
    pub cells: Cells<'a>,
}

/// All suspicions about a column, the surest first; at most one for each identifier.
#[must_use]
pub fn findings(column: Column<'_>) -> Vec<Finding> {
    let (named, seen) = (column.named(), &Seen::of(column.cells));
    gathered([
        column.by_pattern(named, seen),
        column.date(named),
        column.old_ages(),
        named.map(|(identifier, phrase)| column.by_name(identifier, phrase)),
        column.names(seen),
        column.titled(seen),
        column.unique(),
        column.serial(),
        column.inside(seen),
        column.free_text(),
    ])
}

/// Contacts, numbers and names that a column likely holds, the surest first: what names a person by
/// itself. Ages, dates, areas and free text are left aside, and so is mere uniqueness but for numbers as registers
/// give them.
#[must_use]
pub fn direct(column: Column<'_>) -> Vec<Finding> {
    let (named, seen) = (column.named(), &Seen::of(column.cells));
    let mut found = gathered([
        column.by_pattern(named, seen),
        named.map(|(identifier, phrase)| column.by_name(identifier, phrase)),
        column.names(seen),
        column.titled(seen),
        column.inside(seen),
        column.serial(),
    ]);
    found.retain(|finding| {
        finding.sure >= Sure::Likely && (finding.exact || is_direct(finding.identifier, column.name))
    });
    found
}

/// As [`direct`], by the column's name alone, whatever its cells are.
#[must_use]
pub fn direct_by_name(name: &str) -> Option<Finding> {
    let (identifier, phrase) = header::identifier(name)?;
    is_direct(identifier, name).then(|| Finding::new(identifier, Sure::Likely, vec![of_name(phrase)]))
}

/// Whether it names a person by itself. Of places only addresses do.
fn is_direct(identifier: Identifier, name: &str) -> bool {
    match identifier {
        Identifier::Date => false,
        Identifier::Geographic => header::is_address(name),
        _ => true,
    }
}

/// One finding for each identifier, the surest first.
fn gathered<const N: usize>(suspicions: [Option<Finding>; N]) -> Vec<Finding> {
    let mut findings: Vec<Finding> = Vec::new();
    for finding in suspicions.into_iter().flatten() {
        // What is one of the narrower identifiers need not be called an other one as well.
        let told = findings
            .iter()
            .any(|known| known.identifier == finding.identifier || finding.identifier == Identifier::Other);
        if !told {
            findings.push(finding);
        }
    }
    findings.sort_by(|a, b| b.sure.cmp(&a.sure).then(a.identifier.cmp(&b.identifier)));
    findings
}

impl Column<'_> {
    /// What the name promises, where the cells do not speak against it.
    fn named(self) -> Option<(Identifier, &'static str)> {
        header::identifier(self.name).filter(|(identifier, _)| self.can_be(*identifier))
    }

    fn is_flag(self) -> bool {
        self.cells.distinct() <= 2 && self.cells.records() > 10
    }

    /// Whether the cells do not speak against what the name promises.
    fn can_be(self, identifier: Identifier) -> bool {
        let long = |least: usize| self.cells.share(|value| value.chars().count() >= least) >= 0.5;
        let fits = match identifier {
            Identifier::Telephone | Identifier::Fax => long(7) && !matches!(self.kind, Kind::Decimal { .. }),
            Identifier::SocialSecurity | Identifier::Account | Identifier::IpAddress => long(7),
            Identifier::Email | Identifier::Url => !self.kind.is_number(),
            Identifier::Date => !self.kind.is_number() || long(6),
            Identifier::Name | Identifier::Photograph => !self.kind.is_number(),
            Identifier::Other => {
                self.cells.distinction() >= 0.5 && !matches!(self.kind, Kind::Decimal { .. })
            }
            Identifier::License | Identifier::HealthPlan | Identifier::Vehicle | Identifier::Device => {
                long(4)
            }
            _ => true,
        };
        self.cells.distinct() > 0 && !self.is_flag() && fits
    }

    /// The pattern that most cells fit, where it says enough.
    fn by_pattern(self, named: Option<(Identifier, &str)>, seen: &Seen) -> Option<Finding> {
        if self.cells.records() < LEAST {
            return None;
        }
        let by_name =
            |pattern: &Pattern| named.filter(|(identifier, _)| self.agree(*identifier, pattern.identifier));
        let counts = |pattern: &Pattern, tally: Tally| {
            // First, as it is known without another look at the cells.
            if seen.share(tally) < MOST {
                return false;
            }
            let agrees = by_name(pattern).is_some();
            let enough = match pattern.strength {
                Strength::Weak => agrees,
                Strength::Varied => agrees || self.is_varied(pattern),
                Strength::Checked(chance) => agrees || tally.is_beyond(chance),
                Strength::Unmistakable | Strength::Solid | Strength::Telling => true,
            };
            enough && (self.cells.distinct() > 2 || agrees)
        };
        let (pattern, tally) = seen.shapes().find(|(pattern, tally)| counts(pattern, *tally))?;
        let agreeing = by_name(pattern);
        let mut why =
            vec![format!("{} of the cells look like {}", percent(seen.share(tally)), pattern.title)];
        why.extend(agreeing.map(|(_, phrase)| of_name(phrase)));
        let sure = match (pattern.strength, agreeing) {
            (Strength::Unmistakable | Strength::Solid, _) | (_, Some(_)) => Sure::Certain,
            _ => Sure::Likely,
        };
        // A fax number has the shape of any telephone number: the name is narrower.
        let identifier = agreeing.map_or(pattern.identifier, |(identifier, _)| identifier);
        Some(Finding { exact: pattern.is_exact(), ..Finding::new(identifier, sure, why) })
    }

    /// Whether there are many different ones, of few records each, and not all with the same letters.
    fn is_varied(self, pattern: &Pattern) -> bool {
        let some = self.cells.values().filter(|value| (pattern.fits)(value)).take(1_000);
        let letters: BTreeSet<String> =
            some.map(|value| value.chars().filter(|c| c.is_alphabetic()).collect()).collect();
        let many = self.cells.distinct() >= VARIED
            && self.cells.distinct() as u64 * PER_VALUE >= self.cells.records();
        many && (letters.len() >= VARIED / 2
            || pattern.is_exact()
            || pattern.identifier != Identifier::Vehicle)
    }

    fn agree(self, named: Identifier, pattern: Identifier) -> bool {
        named == pattern || (named == Identifier::Fax && pattern == Identifier::Telephone)
    }

    fn by_name(self, identifier: Identifier, phrase: &'static str) -> Finding {
        let sure = match identifier {
            // Their cells have a shape, and these have not.
            Identifier::Email | Identifier::Url | Identifier::IpAddress | Identifier::Date => Sure::Possible,
            _ => Sure::Likely,
        };
        Finding::new(identifier, sure, vec![of_name(phrase)])
    }

    fn date(self, named: Option<(Identifier, &'static str)>) -> Option<Finding> {
        let Kind::Date { format, .. } = self.kind else { return None };
        let phrase =
            named.filter(|(identifier, _)| *identifier == Identifier::Date).map(|(_, phrase)| phrase);
        let mut why = vec![format!("the cells are dates ({format})")];
        why.extend(phrase.map(of_name));
        Some(Finding::new(Identifier::Date, Sure::Certain, why))
    }

    fn old_ages(self) -> Option<Finding> {
        let (header::About::Age, phrase) = header::about(self.name)? else { return None };
        let plausible = self.kind.is_number()
            && self.cells.values().filter_map(age).all(|age| (0.0..=OLDEST).contains(&age));
        let old = self.cells.fitting(|value| age(value).is_some_and(|age| age > 89.0));
        let why = vec![of_name(phrase), format!("{} records are over 89", count(old))];
        (plausible && old > 0).then(|| Finding::new(Identifier::Date, Sure::Certain, why))
    }

    fn names(self, seen: &Seen) -> Option<Finding> {
        seen.names.look_like_names().then(|| {
            Finding::new(Identifier::Name, Sure::Likely, vec!["the cells look like names of people".into()])
        })
    }

    /// Names of people within some values, by the title before them.
    fn titled(self, seen: &Seen) -> Option<Finding> {
        let (found, of) = (seen.names.titled(), self.cells.distinct());
        let (verb, them) = if found == 1 { ("has", "it") } else { ("have", "them") };
        let why = format!(
            "{} of {} different values {verb} a title and a name in {them}, as of a person",
            count(found),
            count(of as u64)
        );
        (found > 0).then(|| Finding::new(Identifier::Name, Sure::Likely, vec![why]))
    }

    /// Numbers as registers give them, one for nearly every record.
    fn serial(self) -> Option<Finding> {
        let told = matches!(self.kind, Kind::Code { .. } | Kind::WholeNumber | Kind::Text { free: false });
        let why =
            "nearly every record has its own number of one length, as numbers of records or insured people"
                .to_owned();
        (told && serial::look_like_serials(self.name, self.cells))
            .then(|| Finding::new(Identifier::Other, Sure::Likely, vec![why]))
    }

    /// A number or code that nearly every record has for itself.
    fn unique(self) -> Option<Finding> {
        let (records, distinction) = (self.cells.records(), self.cells.distinction());
        let coded = match self.kind {
            Kind::Code { .. } => true,
            Kind::WholeNumber => self.counts_on() || self.of_one_length(),
            _ => false,
        };
        if records < 20 || distinction < 0.95 || !coded {
            return None;
        }
        let why = format!("{} of the cells differ from all others", percent(self.cells.share_of_singles()));
        Some(Finding::new(
            Identifier::Other,
            Sure::Likely,
            vec![why, "they are codes or numbers without decimals".into()],
        ))
    }

    /// Whether the numbers are those of a counter, with few gaps.
    fn counts_on(self) -> bool {
        let numbers = || self.cells.values().filter_map(number::parse).map(|number| number.value);
        let (low, high) =
            (numbers().fold(f64::INFINITY, f64::min), numbers().fold(f64::NEG_INFINITY, f64::max));
        high - low < 1.2 * self.cells.distinct() as f64
    }

    fn of_one_length(self) -> bool {
        let mut lengths = self.cells.values().map(str::len);
        let first = lengths.next().unwrap_or(0);
        first >= 5 && lengths.all(|length| length == first)
    }

    /// Shapes that some cells have, or have inside a text, where so few are enough.
    fn inside(self, seen: &Seen) -> Option<Finding> {
        let (pattern, tally) = seen.shapes().find(|(pattern, tally)| counts(pattern, *tally))?;
        let of = self.cells.distinct();
        let verb = if tally.found() == 1 { "is or contains" } else { "are or contain" };
        let why = format!(
            "{} of {} different values {verb} {}",
            count(tally.found()),
            count(of as u64),
            pattern.title
        );
        Some(Finding {
            exact: pattern.is_exact(),
            ..Finding::new(pattern.identifier, Sure::Likely, vec![why])
        })
    }

    fn free_text(self) -> Option<Finding> {
        let free = matches!(self.kind, Kind::Text { free: true }) && self.cells.distinct() > 2;
        let why = "free text can name anything; nobody has read it".to_owned();
        free.then(|| Finding::new(Identifier::Other, Sure::Likely, vec![why]))
    }
}

fn counts(pattern: &Pattern, tally: Tally) -> bool {
    match pattern.strength {
        Strength::Unmistakable => Seen::is_certain(pattern, tally),
        Strength::Solid => tally.found() >= LEAST,
        Strength::Checked(chance) => tally.is_beyond(chance),
        Strength::Telling | Strength::Varied | Strength::Weak => false,
    }
}

fn age(value: &str) -> Option<f64> {
    number::parse(value).map(|number| number.value)
}

impl Cells<'_> {
    /// The share of records whose value no other record has.
    fn share_of_singles(self) -> f64 {
        let singles = self.0.iter().filter(|(_, count)| *count == 1).count();
        singles as f64 / self.records().max(1) as f64
    }
}

fn of_name(phrase: &str) -> String {
    format!("its name contains `{phrase}`")
}

/// A share in whole percents, rounded down, so that 100 % means all.
#[must_use]
pub fn percent(share: f64) -> String {
    match (share * 100.0).floor() {
        0.0 if share > 0.0 => "under 1 %".into(),
        whole => format!("{whole} %"),
    }
}

#[cfg(test)]
mod kinds;
#[cfg(test)]
mod tests;
