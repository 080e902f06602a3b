//! What cells that would be released as recorded look like, by their values.

use std::collections::BTreeMap;

use velamen_measure::profile::Cells as Counted;
use velamen_measure::profile::finding::{Column as Named, direct};
use velamen_measure::profile::has_titled;
use velamen_measure::profile::identifier::Identifier;
use velamen_measure::profile::kind::{self, Kind};

use crate::days;

/// The type of a column is that of about so many of its values, evenly spread.
const FOR_KIND: usize = 2_000;

/// The fewest values by which names of people are known; fewer are repeated.
const FOR_NAMES: usize = 12;

/// The share of the cells that must be times or days.
const MOST: f64 = 0.95;

/// The fewest different numbers that are taken for times or days.
const LEAST: usize = 3;

/// The words of a sentence.
const WORDS: usize = 5;

/// The digits that a count of seconds needs: rounder numbers were measured.
const EXACT: usize = 6;

/// Seconds from 1973 to 2099, and milliseconds of the same years, counted from 1970 on.
const SECONDS: std::ops::Range<f64> = 1e8..4.1e9;
const MILLISECONDS: std::ops::Range<f64> = 1e11..4.1e12;

/// Words in the names of columns that say who treated somebody.
const TREATING: [&str; 22] = [
    "provider",
    "physician",
    "doctor",
    "practitioner",
    "clinician",
    "attending",
    "surgeon",
    "nurse",
    "prescriber",
    "therapist",
    "performer",
    "requester",
    "radiologist",
    "anesthetist",
    "arzt",
    "aerztin",
    "ärztin",
    "behandler",
    "operateur",
    "therapeut",
    "pfleger",
    "chirurg",
];

/// What cells look like.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Looks {
    /// Contacts, numbers or names of people, and why.
    Direct(String),
    /// Days.
    Days,
    /// Times, counted from a beginning on.
    Times,
    /// Sentences that nobody has read.
    FreeText,
}

/// What values of a column with so many rows each look like, if anything that names or dates people.
pub(crate) fn looks(name: &str, values: &[(&str, u64)]) -> Option<Looks> {
    let kind = kind_of(values);
    if matches!(kind, Kind::Date { .. }) {
        return Some(Looks::Days);
    }
    let found = direct(Named { name, kind: &kind, cells: Counted(values) }).into_iter().next()?;
    Some(Looks::Direct(format!("{}: {}", found.title, found.why.join(", "))))
}

fn kind_of(values: &[(&str, u64)]) -> Kind {
    let step = values.len().div_ceil(FOR_KIND).max(1);
    let some: Vec<(&str, u64)> = values.iter().step_by(step).copied().collect();
    kind::of(Counted(&some)).0
}

/// What codes look like that are none: sentences, and people who treat others, of whom there are few. Codes that look like
/// contacts and numbers of people are codes all the same.
pub(crate) fn no_codes(name: &str, values: &[(&str, u64)]) -> Option<Looks> {
    if matches!(kind_of(values), Kind::Text { free: true }) && values.len() > 2 {
        return Some(Looks::FreeText);
    }
    if let Some(word) = treating(name) {
        return Some(Looks::Direct(format!("people who treat others: the name contains \"{word}\"")));
    }
    are_names(values).then(|| Looks::Direct("names: the cells look like names of people".to_owned()))
}

/// What codes of a standard look like that are none: days, sentences, contacts and names of people, of each system by itself; and systems
/// that lead to somebody. A cell of FHIR has its system before the bar. Numbers are codes, however long.
pub(crate) fn no_standard_codes(values: &[(&str, u64)]) -> Option<Looks> {
    let mut systems: BTreeMap<&str, Vec<(&str, u64)>> = BTreeMap::new();
    for &(value, rows) in values.iter().filter(|(value, _)| !value.is_empty()) {
        let (system, code) = value.rsplit_once('|').unwrap_or(("", value));
        systems.entry(system).or_default().push((code, rows));
    }
    systems.iter().find_map(|(system, codes)| {
        if codes.iter().any(|(code, _)| is_written_day(code)) {
            return Some(Looks::Days);
        }
        if codes.iter().any(|(code, _)| is_contact(code)) || leads_to_somebody(system) {
            return Some(Looks::Direct(
                "contacts: a cell is an address, a telephone number or a number of a person".to_owned(),
            ));
        }
        if codes.iter().any(|(code, _)| has_titled(code)) {
            return Some(Looks::Direct("names: a cell has a title and a name".to_owned()));
        }
        let is_sentence = |code: &str| code.ends_with('.') && code.split(' ').count() >= WORDS;
        if codes.iter().any(|(code, _)| is_sentence(code)) {
            return Some(Looks::FreeText);
        }
        no_codes("", codes)
    })
}

/// Whether a code is a whole day, with a time or without: `2015-03-04`, `4.3.2015`, `03/04/2015`, `2015/03/04`.
fn is_written_day(code: &str) -> bool {
    let day = code.split(['T', ' ']).next().unwrap_or(code);
    let parts: Vec<&str> = day.split(['-', '.', '/']).collect();
    let [first, middle, last] = parts[..] else { return false };
    let (year, others) = if first.len() == 4 { (first, [middle, last]) } else { (last, [first, middle]) };
    let is_number =
        |text: &str| (1..=2).contains(&text.len()) && text.parse::<u8>().is_ok_and(|n| (1..=31).contains(&n));
    let is_year = year.len() == 4 && year.parse::<u16>().is_ok_and(|year| (1880..2100).contains(&year));
    is_year && others.into_iter().all(is_number)
}

/// Whether a code is an address, a telephone number, which has blanks, a plus or the groups of the United States, or a Social Security number.
fn is_contact(code: &str) -> bool {
    let is_mail = code.split_once('@').is_some_and(|(name, host)| !name.is_empty() && host.contains('.'));
    let digits = code.bytes().filter(u8::is_ascii_digit).count();
    let is_dialled = |byte: u8| byte.is_ascii_digit() || b" ()/-+.".contains(&byte);
    let is_spaced = code.contains([' ', '/', '(']) && code.starts_with(['0', '(']) || code.starts_with('+');
    let groups: Vec<usize> = code.trim_start_matches("SSN ").split('-').map(str::len).collect();
    let is_grouped = digits >= 9 && [&[3, 3, 4][..], &[3, 2, 4]].contains(&&groups[..]);
    is_mail
        || code.contains("://")
        || is_grouped
        || (digits >= 7 && is_spaced && code.bytes().all(is_dialled))
}

/// Whether the name of a system asks for something on its server.
fn leads_to_somebody(system: &str) -> bool {
    system.contains(['?', '@'])
}

/// The word by which a column's name says who treated somebody.
fn treating(name: &str) -> Option<&'static str> {
    let name = name.to_lowercase();
    let words = || name.split(|letter: char| !letter.is_alphabetic());
    let is_kind = words().any(|word| ["type", "specialty", "kind", "role", "art", "fach"].contains(&word));
    TREATING.into_iter().find(|known| !is_kind && words().any(|word| word == *known))
}

/// Whether values are names of people. A clinic has fewer physicians than names are known by, so that each stands there more than once,
/// with blanks behind it.
fn are_names(values: &[(&str, u64)]) -> bool {
    let times = FOR_NAMES.div_ceil(values.len().max(1));
    let repeat = |&(value, count): &(&str, u64)| {
        (0..times).map(move |blanks| (format!("{value}{}", " ".repeat(blanks)), count)).collect::<Vec<_>>()
    };
    let repeated: Vec<(String, u64)> = values.iter().take(FOR_KIND).flat_map(repeat).collect();
    let cells: Vec<(&str, u64)> = repeated.iter().map(|(value, count)| (value.as_str(), *count)).collect();
    let found = direct(Named { name: "", kind: &kind_of(values), cells: Counted(&cells) });
    values.len() >= LEAST && found.iter().any(|finding| finding.identifier == Identifier::Name)
}

/// What different numbers of a column look like, if they are no measurements: seconds or milliseconds since 1970, or days as
/// `YYYYMMDD`.
pub(crate) fn of_numbers(numbers: &[f64]) -> Option<Looks> {
    let is_exact = |number: f64| number.to_string().trim_end_matches('0').len() >= EXACT;
    let is_time = |range: &std::ops::Range<f64>, number: f64| range.contains(&number) && is_exact(number);
    if [SECONDS, MILLISECONDS].iter().any(|range| are_most(numbers, |number| is_time(range, number))) {
        return Some(Looks::Times);
    }
    are_most(numbers, is_compact_day).then_some(Looks::Days)
}

/// Whether most numbers are whole and such ones.
fn are_most(numbers: &[f64], is_one: impl Fn(f64) -> bool) -> bool {
    let found = numbers.iter().filter(|number| number.fract() == 0.0 && is_one(**number)).count();
    found >= LEAST && found as f64 >= MOST * numbers.len() as f64
}

/// Whether a number is a day as `YYYYMMDD`.
fn is_compact_day(number: f64) -> bool {
    let text = number.to_string();
    text.len() == 8 && {
        let (year, rest) = text.split_at(4);
        let (month, day) = rest.split_at(2);
        days::parse(&format!("{year}-{month}-{day}"))
            .is_some_and(|day| (1900..2100).contains(&days::year(day)))
    }
}

/// Whether a cell is a day, and not the first one of a year, which stands for the year.
pub(crate) fn is_day(value: &str) -> bool {
    days::parse(value).is_some() && !value.contains("-01-01")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn codes(name: &str, values: &str) -> Option<Looks> {
        let values: Vec<(&str, u64)> = values.split("; ").map(|value| (value, 9)).collect();
        no_codes(name, &values)
    }

    #[test]
    fn few_names_are_names() {
        for names in [
            "Dr. Anna Krüger; Dr. Peter Meyer; Dr. Heike Nowak",
            "Anna Krüger; Peter Meyer; Heike Nowak; Jane Smith",
            "Krüger, Anna; Meyer, Peter; Nowak, Heike; Schulz, Sabine",
        ] {
            assert!(matches!(codes("seen_by", names), Some(Looks::Direct(_))), "{names}");
        }
        for none in [
            "I10; E11; J45; Z38",
            "271737000; 38341003; 44054006",
            "inpatient; outpatient; emergency",
            "Type 2 Diabetes; Heart Failure; Asthma; Morbus Crohn; Down Syndrome",
            "Innere Medizin; Chirurgie; Neurologie",
            "male; female; unknown",
        ] {
            assert_eq!(codes("seen_in", none), None, "{none}");
        }
    }

    #[test]
    fn who_treated_somebody_is_known_by_the_name_of_the_column() {
        for name in ["PROVIDER", "attending_physician", "behandelnder-arzt", "Operateur"] {
            assert!(matches!(codes(name, "1; 2; 3"), Some(Looks::Direct(_))), "{name}");
        }
        for name in ["provider_type", "specialty", "code", "arztbrief_art", "doctorate"] {
            assert_eq!(codes(name, "1; 2; 3"), None, "{name}");
        }
    }

    #[test]
    fn codes_of_a_standard_are_looked_at_by_system() {
        let of = |values: &str| {
            let values: Vec<(&str, u64)> = values.split("; ").map(|value| (value, 9)).collect();
            no_standard_codes(&values)
        };
        for none in [
            "http://loinc.org|2345-7; http://snomed.info/sct|44054006; urn:a|0123456789; urn:b|A00.0",
            "44054006; 271737000; 38341003; 314076",
            "http://hl7.org/fhir/sid/ndc|0069-2587-10; http://hl7.org/fhir/sid/ndc|12345-678-90; urn:ops|5-470.11",
            "urn:a|Type 2 Diabetes; urn:a|1.3.6.1.4; urn:a|29463-7",
            "http://terminology.hl7.org/CodeSystem/v3-ActCode|AMB; urn:c|encounter-diagnosis",
        ] {
            assert_eq!(of(none), None, "{none}");
        }
        for day in ["1957-03-04", "1957-03-04T10:00:00Z", "04.03.1957", "4/3/1957", "1957/03/04"] {
            assert_eq!(
                of(&format!("http://snomed.info/sct|44054006; urn:days|{day}")),
                Some(Looks::Days),
                "{day}"
            );
        }
        assert_eq!(of("urn:a|I10; urn:a|The patient was seen today."), Some(Looks::FreeText));
        for someone in [
            "urn:a|I10; urn:a|anna@clinic.example",
            "urn:a|I10; urn:a|+49 30 1234567",
            "urn:a|I10; urn:a|030 1234567",
            "urn:a|I10; urn:a|078-05-1120",
            "urn:a|I10; urn:a|617-555-0199",
            "urn:a|http://network.example/anna.mueller",
            "urn:a|Dr. Anna Mueller",
            "http://a.example/lab?patient=4711|I10",
            "http://snomed.info/sct|44054006; urn:a|Anna Krüger; urn:a|Peter Meyer; urn:a|Jane Smith",
        ] {
            assert!(matches!(of(someone), Some(Looks::Direct(_))), "{someone}");
        }
    }

    #[test]
    fn sentences_are_no_codes() {
        let text = "seen in the clinic with cough since last May; no fever but is worried about her job; will come again in two weeks";
        assert_eq!(codes("remark", text), Some(Looks::FreeText));
    }

    #[test]
    fn times_are_told_from_measurements() {
        assert_eq!(of_numbers(&[1_425_168_000.0, 1_425_254_400.0, 1_431_648_123.0]), Some(Looks::Times));
        assert_eq!(
            of_numbers(&[1_425_168_000_000.0, 1_425_254_400_000.0, 1_431_648_123_456.0]),
            Some(Looks::Times)
        );
        assert_eq!(of_numbers(&[20_150_312.0, 20_160_229.0, 19_991_231.0]), Some(Looks::Days));
        for none in [
            // Thrombocytes and red cells a litre, days that are none, prices, and too few.
            &[2.51e11, 1.8e11, 3.02e11][..],
            &[4.51e12, 4.02e12, 3.99e12],
            &[20_151_312.0, 20_160_230.0, 19_991_231.0],
            &[70.5, 80.0, 120.0],
            &[1_425_168_000.0, 1_425_254_400.0],
            &[],
        ] {
            assert_eq!(of_numbers(none), None, "{none:?}");
        }
    }
}
