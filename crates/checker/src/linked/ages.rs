//! Ages: who is old is not told from who is older.

use velamen_contract::linked::{Ages, Column, FIRST_DAY, LinkedManifest, Shape, Tier};

use super::faults::{Faults, Place};

/// The age from which on a release for anybody shows one value.
const TOP: u32 = 90;

/// The column of births of each shape that has one.
const BIRTHS: [(Shape, &str); 3] =
    [(Shape::Omop, "year_of_birth"), (Shape::Synthea, "BIRTHDATE"), (Shape::Fhir, "birthDate")];

/// Whether years of birth are shown and nothing is said of ages.
pub(super) fn is_missing(manifest: &LinkedManifest) -> bool {
    let mut columns = manifest.person_table().into_iter().flat_map(|table| &table.columns);
    manifest.ages.is_none() && columns.any(|(name, column)| shows_births(manifest.shape, name, column))
}

fn shows_births(shape: Shape, name: &str, column: &Column) -> bool {
    let Column::QuasiIdentifier { labels, .. } = column else { return false };
    let is_birth = BIRTHS.iter().any(|(of, birth)| *of == shape && name.eq_ignore_ascii_case(birth));
    is_birth && labels.values().any(|label| label != ANY)
}

/// The label that stands for every year.
const ANY: &str = "*";

/// Checks the labels of the birth column; `span` are the least and the greatest year of a date, where dates are those of a
/// calendar.
pub(super) fn check(ages: &Ages, span: Option<(i64, i64)>, manifest: &LinkedManifest) -> Faults {
    let mut faults = Faults::default();
    if manifest.tier == Tier::Public && ages.top > TOP {
        faults.add_general("ages over 90 are told apart in a release for anybody");
    }
    let last = i64::from(ages.until).saturating_sub(i64::from(ages.top));
    if span.is_some_and(|(earliest, _)| earliest <= last) {
        faults.add_general("a date by whose year a person is older than the ages that are told apart");
    }
    if span.is_some_and(|(_, latest)| latest > i64::from(ages.until)) {
        faults.add_general("a date after the year by whose end ages are counted");
    }
    let end = manifest.window.as_ref().and_then(|[_, last]| year(last.get(..4)?));
    if end.is_some_and(|end| end > i64::from(ages.until)) {
        faults.add_general("a window that ends after the year by whose end ages are counted");
    }
    let place = Place::table(&manifest.persons.table).column(&ages.column);
    let column = manifest.person_table().and_then(|table| table.columns.get(&ages.column));
    let Some(Column::QuasiIdentifier { labels, .. }) = column else {
        faults.add(place, "no quasi-identifier of that name in the table of persons");
        return faults;
    };
    for (value, label) in labels.iter().filter(|(_, label)| *label != ANY) {
        let is_oldest = *value == ages.oldest;
        match years(label) {
            None => faults.add(place, "a label that is no year and no range of years"),
            Some((from, to)) if is_oldest && (from > last || to < last) => {
                faults.add(
                    place,
                    "the label of the oldest does not cover the last year of birth that belongs to it",
                );
            }
            Some((from, _)) if from > i64::from(ages.until) => {
                faults.add(place, "a label of births after the year by whose end ages are counted");
            }
            Some((from, _)) if !is_oldest && from <= last => {
                faults.add(place, "a label besides that of the oldest covers their years of birth");
            }
            Some(_) => {}
        }
    }
    faults
}

/// Checks relative dates, the greatest year of which is given: one that is as many years after the person's first shows an
/// age that is not told.
pub(super) fn check_relative(ages: &Ages, latest: i64, faults: &mut Faults) {
    let first = FIRST_DAY.get(..4).and_then(year).unwrap_or_default();
    if latest.saturating_sub(first) >= i64::from(ages.top) {
        faults.add_general("a date as many years after the person's first as the ages that are told apart");
    }
}

/// The first and the last year of a label, as the contract writes years of birth.
fn years(label: &str) -> Option<(i64, i64)> {
    let label = label.strip_prefix('[').and_then(|inner| inner.strip_suffix(']')).unwrap_or(label);
    let upto = label.strip_prefix("<=").or_else(|| label.strip_prefix('≤'));
    if let Some(year) = upto.or_else(|| label.strip_suffix(" or earlier")) {
        return Some((i64::MIN, self::year(year.trim_start())?));
    }
    let from = label.strip_prefix(">=").or_else(|| label.strip_prefix('≥'));
    if let Some(year) = from.or_else(|| label.strip_suffix(" or later")) {
        return Some((self::year(year.trim_start())?, i64::MAX));
    }
    let (from, to) = label.split_once('-').unwrap_or((label, label));
    let (from, to) = (year(from)?, year(to)?);
    (from <= to).then_some((from, to))
}

/// Four digits.
fn year(text: &str) -> Option<i64> {
    let is_year = text.len() == 4 && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| is_year)
}
