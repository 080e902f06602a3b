//! Where a label of a code or date can stand in its hierarchy, from the definition alone.
//!
//! Written from the standards, not from the rules that generalize: only the tables of ICD-10's blocks and
//! lettered categories, facts of the classification, are read by both.

#![allow(
    clippy::arithmetic_side_effects,
    reason = "numbers are read from at most four digits, or count what a definition lists"
)]

use std::sync::LazyLock;

use velamen_core::hierarchy::icd10_blocks::{CM, LETTERED, WHO};
use velamen_core::hierarchy::{AtcCodes, DateLevel, Definition, Edition};

/// A level and the leaves that a label covers there.
pub(super) type Place = (usize, f64);

/// The levels a label can stand at, `*` left out; `None` for a definition of another kind.
pub(super) fn places(definition: &Definition, label: &str) -> Option<Vec<Place>> {
    Some(match definition {
        Definition::Icd10 { icd_10, longest, lengths } => {
            let longest = longest.unwrap_or(if *icd_10 == Edition::Cm { 7 } else { 4 });
            let lengths = lengths.clone().unwrap_or_else(|| (3..longest).rev().collect());
            icd10(*icd_10, longest, &lengths, label)
        }
        Definition::Atc { atc } => {
            let code = Code { ends: atc_ends(*atc), alphabet: atc_alphabet };
            if is_atc(label) { code.places(label.len(), &[7, 5, 4, 3, 1]) } else { Vec::new() }
        }
        Definition::Prefix { prefix, alphabet, shorter } => {
            let formed = |c: char| c.is_ascii_digit() || (*alphabet > 10 && c.is_ascii_uppercase());
            let ends = if *shorter { prefix.clone() } else { prefix.last().copied().into_iter().collect() };
            let lengths: Vec<usize> = prefix.iter().rev().copied().collect();
            let places = |alphabet| Code { ends, alphabet }.places(label.len(), &lengths);
            match label.chars().all(formed) {
                true => places(if *alphabet > 10 { |_| 36. } else { |_| 10. }),
                false => Vec::new(),
            }
        }
        Definition::UsZip { us_zip, plus_4 } => zip(us_zip, *plus_4, label),
        Definition::Date { date, min, max, .. } => match (day_number(min), day_number(max)) {
            (Some(min), Some(max)) => dates(date, (min, max), label),
            _ => Vec::new(),
        },
        _ => return None,
    })
}

/// The leaves of the domain and the number of the level of `*`.
pub(super) fn extent(definition: &Definition) -> Option<(f64, usize)> {
    Some(match definition {
        Definition::Icd10 { icd_10, longest, lengths } => {
            let longest = longest.unwrap_or(if *icd_10 == Edition::Cm { 7 } else { 4 });
            let levels = lengths.as_ref().map_or(longest.saturating_sub(3), Vec::len);
            let categories: f64 = blocks(*icd_10).iter().map(|block| block.2).sum();
            (categories * per_category(*icd_10, longest), levels + 3)
        }
        Definition::Atc { atc } => {
            let code = Code { ends: atc_ends(*atc), alphabet: atc_alphabet };
            (code.under(0), 5)
        }
        Definition::Prefix { prefix, alphabet, shorter } => {
            let ends = if *shorter { prefix.clone() } else { prefix.last().copied().into_iter().collect() };
            let size = (*alphabet).max(1) as f64;
            (ends.iter().map(|&end: &usize| size.powf(end as f64)).sum(), prefix.len())
        }
        Definition::UsZip { plus_4: true, .. } => (1e9 + 1e5, 3),
        Definition::UsZip { .. } => (1e5, 2),
        Definition::Date { date, min, max, .. } => {
            let days = day_number(max).zip(day_number(min)).map_or(0, |(max, min)| max - min + 1);
            (days as f64, date.len() + 1)
        }
        _ => return None,
    })
}

/// Codes that can end at some lengths, with so many characters at each place.
struct Code<F: Fn(usize) -> f64> {
    ends: Vec<usize>,
    alphabet: F,
}

impl<F: Fn(usize) -> f64> Code<F> {
    fn under(&self, length: usize) -> f64 {
        let of_end = |&end: &usize| (length..end).map(&self.alphabet).product::<f64>();
        self.ends.iter().filter(|end| **end >= length).map(of_end).sum()
    }

    /// Levels cut to the lengths, from that of the whole code down; what is shorter stays.
    fn places(&self, length: usize, lengths: &[usize]) -> Vec<Place> {
        let at = |(level, &cut): (usize, &usize)| {
            let whole = self.ends.contains(&length) && (length < cut || level == 0);
            let leaves = if whole { 1. } else { self.under(length) };
            (whole || length == cut).then_some((level, leaves))
        };
        lengths.iter().enumerate().filter_map(at).collect()
    }
}

fn atc_ends(codes: AtcCodes) -> Vec<usize> {
    if codes == AtcCodes::Full { vec![7] } else { vec![1, 3, 4, 5, 7] }
}

/// How many characters there are at a place.
fn atc_alphabet(place: usize) -> f64 {
    match place {
        0 => 14.,
        3 | 4 => 26.,
        _ => 10.,
    }
}

fn is_atc(label: &str) -> bool {
    let fits = |(c, pattern): (char, char)| match pattern {
        'G' => "ABCDGHJLMNPRSV".contains(c),
        'L' => c.is_ascii_uppercase(),
        _ => c.is_ascii_digit(),
    };
    [1, 3, 4, 5, 7].contains(&label.len()) && label.chars().zip("G00LL00".chars()).all(fits)
}

fn zip(small: &[String], plus_4: bool, label: &str) -> Vec<Place> {
    let per_five = if plus_4 { 10_001. } else { 1. };
    let digits = |text: &str| text.chars().all(|c| c.is_ascii_digit());
    let nine = label.len() == 10
        && label.split_once('-').is_some_and(|(a, b)| a.len() == 5 && digits(a) && digits(b));
    match label.len() {
        10 if plus_4 && nine => vec![(0, 1.)],
        5 if digits(label) && plus_4 => vec![(0, 1.), (1, per_five)],
        5 if digits(label) => vec![(0, 1.)],
        3 if digits(label) => {
            let listed = small.iter().filter(|area| *area != "000").count() as f64 + 1.;
            let areas = if label == "000" { listed } else { 1. };
            let hidden = label != "000" && small.iter().any(|area| area == label);
            if hidden { Vec::new() } else { vec![(1 + usize::from(plus_4), areas * 100. * per_five)] }
        }
        _ => Vec::new(),
    }
}

/// A chapter, a block of it, and how many categories that has.
type Block = (&'static str, &'static str, f64);

static WHO_BLOCKS: LazyLock<Vec<Block>> = LazyLock::new(|| counted(Edition::Who));

static CM_BLOCKS: LazyLock<Vec<Block>> = LazyLock::new(|| counted(Edition::Cm));

fn blocks(edition: Edition) -> &'static [Block] {
    if edition == Edition::Cm { &CM_BLOCKS } else { &WHO_BLOCKS }
}

fn counted(edition: Edition) -> Vec<Block> {
    let chapters = if edition == Edition::Who { &WHO } else { &CM };
    let of = |&(chapter, blocks): &(&'static str, &'static str)| {
        blocks.split(' ').map(move |block| (chapter, block, categories(edition, block)))
    };
    chapters.iter().flat_map(of).collect()
}

/// The categories of a block: those of two digits between its ends, and those with a letter.
fn categories(edition: Edition, block: &str) -> f64 {
    let letters =
        || (b'A'..=b'Z').flat_map(|letter| (0..100).map(move |n| format!("{}{n:02}", letter as char)));
    let numbered = letters().filter(|category| numbered_in(block, category)).count();
    let lettered = LETTERED.iter().filter(|entry| edition == Edition::Cm && entry.1 == block).count();
    (numbered + lettered) as f64
}

/// Capital letters come after digits, in ASCII as in the classification.
fn numbered_in(block: &str, category: &str) -> bool {
    block.split_once('-').is_some_and(|(first, last)| first <= category && category <= last)
}

fn per_category(edition: Edition, longest: usize) -> f64 {
    let alphabet: f64 = if edition == Edition::Who { 10. } else { 36. };
    (0..=longest.saturating_sub(3)).map(|more| alphabet.powf(more as f64)).sum()
}

fn icd10(edition: Edition, longest: usize, lengths: &[usize], label: &str) -> Vec<Place> {
    if label.contains('-') {
        return ranges(edition, longest, lengths.len(), label);
    }
    let code: String =
        label.chars().enumerate().filter(|(at, c)| (*at, *c) != (3, '.')).map(|(_, c)| c).collect();
    let dotted = label.chars().nth(3) == Some('.');
    let formed = |c: char| c.is_ascii_digit() || (edition == Edition::Cm && c.is_ascii_uppercase());
    let known = code.is_ascii() && (3..=longest).contains(&code.len()) && dotted == (code.len() > 3);
    let category = code.get(..3).is_some_and(|category| is_category(edition, category));
    if !known || !code.chars().skip(3).all(formed) || !category {
        return Vec::new();
    }
    let alphabet = if edition == Edition::Who { |_: usize| 10. } else { |_: usize| 36. };
    let all: Vec<usize> = std::iter::once(longest).chain(lengths.iter().copied()).collect();
    Code { ends: (3..=longest).collect(), alphabet }.places(code.len(), &all)
}

fn is_category(edition: Edition, category: &str) -> bool {
    let lettered = edition == Edition::Cm && LETTERED.iter().any(|(known, _)| *known == category);
    let numbered = category.chars().skip(1).all(|c| c.is_ascii_digit());
    lettered || (numbered && blocks(edition).iter().any(|block| numbered_in(block.1, category)))
}

/// Blocks stand above the lengths, chapters above the blocks.
fn ranges(edition: Edition, longest: usize, lengths: usize, label: &str) -> Vec<Place> {
    let of = |here: &dyn Fn(&&Block) -> bool| -> f64 {
        blocks(edition).iter().filter(here).map(|block| block.2).sum()
    };
    let counts = [of(&|block| block.1 == label), of(&|block| block.0 == label)];
    let leaves = counts.map(|categories| categories * per_category(edition, longest));
    (lengths + 1..).zip(leaves).filter(|place| place.1 > 0.).collect()
}

/// Days since 1 March of the year 0, of a date `YYYY-MM-DD`; `None` if the calendar has no such day.
fn day_number(text: &str) -> Option<i64> {
    let mut parts = text.split('-');
    let (year, month, day) =
        (number(parts.next()?, 4)?, number(parts.next()?, 2)?, number(parts.next()?, 2)?);
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let february = if leap { 29 } else { 28 };
    let length = match month {
        2 => february,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    };
    let known = parts.next().is_none() && (1..=12).contains(&month);
    (known && day >= 1 && day <= length).then(|| days_before(year, month) + day)
}

fn number(text: &str, digits: usize) -> Option<i64> {
    let formed = text.len() == digits && text.chars().all(|c| c.is_ascii_digit());
    text.parse().ok().filter(|_| formed)
}

/// The day before the first of a month; the year begins in March, so that leap days are its last.
fn days_before(year: i64, month: i64) -> i64 {
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    365 * year + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400) + (153 * month + 2) / 5
}

/// The Monday of the first week of a year: the week of 4 January. 3 January 2000 is a Monday.
fn first_monday(year: i64) -> i64 {
    let monday = days_before(2000, 1) + 3;
    let fourth = days_before(year, 1) + 4;
    fourth - (fourth - monday).rem_euclid(7)
}

/// First and last day of the span that a label of a level names.
fn span(level: DateLevel, label: &str) -> Option<(i64, i64)> {
    // A year's month 13 is the next year's first: the year that is counted by begins in March.
    let months =
        |year, month: i64, length: i64| (days_before(year, month) + 1, days_before(year, month + length));
    let years = |length: i64| {
        let (first, last) = label.split_once('-')?;
        let (first, last) = (number(first, 4)?, number(last, 4)?);
        (first % length == 0 && last == first + length - 1)
            .then(|| (days_before(first, 1) + 1, days_before(last + 1, 1)))
    };
    match level {
        DateLevel::Week => {
            let (year, week) = label.split_once("-W")?;
            let (year, week) = (number(year, 4)?, number(week, 2)?);
            let first = first_monday(year) + 7 * (week - 1);
            (week >= 1 && first < first_monday(year + 1)).then_some((first, first + 6))
        }
        DateLevel::WeekYear => {
            let year = number(label.strip_suffix("-W**")?, 4)?;
            Some((first_monday(year), first_monday(year + 1) - 1))
        }
        DateLevel::Month => {
            let (year, month) = label.split_once('-')?;
            let month = number(month, 2).filter(|month| (1..=12).contains(month))?;
            Some(months(number(year, 4)?, month, 1))
        }
        DateLevel::Quarter => {
            let (year, quarter) = label.split_once("-Q")?;
            let quarter = number(quarter, 1).filter(|quarter| (1..=4).contains(quarter))?;
            Some(months(number(year, 4)?, 3 * quarter - 2, 3))
        }
        DateLevel::Year => Some(months(number(label, 4)?, 1, 12)),
        DateLevel::FiveYears => years(5),
        DateLevel::TenYears => years(10),
    }
}

fn dates(levels: &[DateLevel], (min, max): (i64, i64), label: &str) -> Vec<Place> {
    if let Some(day) = day_number(label) {
        return if (min..=max).contains(&day) { vec![(0, 1.)] } else { Vec::new() };
    }
    let at = |(level, &kind): (usize, &DateLevel)| {
        let (first, last) = span(kind, label)?;
        let days = last.min(max) - first.max(min) + 1;
        (days > 0).then_some((level, days as f64))
    };
    (1..).zip(levels).filter_map(at).collect()
}

#[cfg(test)]
#[allow(clippy::indexing_slicing, reason = "a test may fail by a panic")]
mod tests {
    use super::*;

    fn of(json: &str, label: &str) -> Vec<Place> {
        places(&serde_json::from_str(json).unwrap(), label).unwrap()
    }

    #[test]
    fn codes_stand_where_their_length_says() {
        let who = r#"{"icd-10":"who"}"#;
        assert_eq!(of(who, "E11.9"), [(0, 1.)]);
        assert_eq!(of(who, "I10"), [(0, 1.), (1, 11.)]);
        assert_eq!(of(who, "E10-E14"), [(2, 55.)]);
        assert_eq!(of(who, "U00-U99"), [(3, 54. * 11.)]);
        for foreign in ["E119", "E11.", "E09", "E11.99", "E10-E15", "e11", "E1", "", "E11-9", "É11"] {
            assert_eq!(of(who, foreign), [], "{foreign}");
        }
        let atc = r#"{"atc":"full"}"#;
        assert_eq!(of(atc, "A10BA"), [(1, 100.)]);
        assert_eq!([of(atc, "E10BA"), of(atc, "A1"), of(atc, "A10B5")], [[], [], []]);
        assert_eq!(of(r#"{"atc":"any-level"}"#, "A10BA"), [(0, 1.), (1, 101.)]);
    }

    #[test]
    fn letters_are_of_the_clinical_modification() {
        let (who, cm) = (r#"{"icd-10":"who"}"#, r#"{"icd-10":"cm"}"#);
        assert_eq!([of(who, "E11.A"), of(who, "C4A")], [[], []]);
        assert_eq!(of(cm, "E11.A1234"), [], "too long");
        assert_eq!(of(cm, "E11.A123"), [(0, 1.)]);
        // C4A and up to four more of 36.
        let under = 1. + 36. + 36f64.powi(2) + 36f64.powi(3) + 36f64.powi(4);
        assert_eq!(of(cm, "C4A").last(), Some(&(4, under)));
        for foreign in ["E11.a", "E11.é", "Q0A", "C4B", "X"] {
            assert_eq!(of(cm, foreign), [], "{foreign}");
        }
    }

    #[test]
    fn small_areas_are_foreign_labels() {
        let zip = r#"{"us-zip":["000","036"]}"#;
        assert_eq!([of(zip, "130"), of(zip, "000")], [[(1, 100.)], [(1, 200.)]]);
        assert_eq!([of(zip, "036"), of(zip, "1305"), of(zip, "13053-1234")], [[], [], []]);
        assert_eq!([of(zip, "13o53"), of(zip, "13o"), of(zip, "13053")], [vec![], vec![], vec![(0, 1.)]]);
        let nine = r#"{"us-zip":[],"plus-4":true}"#;
        assert_eq!([of(nine, "13053"), of(nine, "13053-1234")], [vec![(0, 1.), (1, 10_001.)], vec![(0, 1.)]]);
        for foreign in [
            "13o53",
            "13o",
            "1305312345",
            "13053_1234",
            "1305-12345",
            "13053-12x4",
            "13o53-1234",
            "13053-123",
        ] {
            assert_eq!(of(nine, foreign), [], "{foreign}");
        }
    }

    #[test]
    fn the_calendar_is_counted() {
        let date = r#"{"date":["month","quarter","year","5-years"],"min":"2018-06-15","max":"2024-12-31"}"#;
        assert_eq!(of(date, "2020-02"), [(1, 29.)]);
        assert_eq!(of(date, "2018-06"), [(1, 16.)]);
        assert_eq!([of(date, "2020-Q1"), of(date, "2020")], [[(2, 91.)], [(3, 366.)]]);
        assert_eq!(of(date, "2020-2024"), [(4, 1827.)]);
        for foreign in ["2021-02-29", "2021-13", "2021-Q5", "2017", "2021-2025", "2021-W01", "21-02"] {
            assert_eq!(of(date, foreign), [], "{foreign}");
        }
        let weeks = r#"{"date":["week","week-year"],"min":"2018-01-01","max":"2024-12-31"}"#;
        assert_eq!(of(weeks, "2020-W53"), [(1, 7.)]);
        assert_eq!([of(weeks, "2021-W53"), of(weeks, "2020-W00")], [[], []]);
        assert_eq!(of(weeks, "2020-W**"), [(2, 371.)]);
        assert_eq!(day_number("2000-03-01").unwrap() - day_number("1900-02-28").unwrap(), 36_526);
    }

    #[test]
    fn days_are_those_of_the_calendar() {
        for day in ["2020-02-29", "2000-02-29", "1900-02-28", "2021-04-30", "2021-12-31", "2021-01-01"] {
            assert!(day_number(day).is_some(), "{day}");
        }
        for month in [1, 3, 5, 7, 8, 10, 12] {
            assert!(day_number(&format!("2021-{month:02}-31")).is_some(), "{month}");
        }
        for month in [4, 6, 9, 11] {
            assert_eq!(day_number(&format!("2021-{month:02}-31")), None, "{month}");
        }
        for none in [
            "2021-02-29",
            "1900-02-29",
            "2100-02-29",
            "2000-02-30",
            "2021-13-01",
            "2021-00-01",
            "2021-01-00",
            "2021-01-32",
            "2021-01-01-01",
            "2021-01",
            "+202-01-01",
            "02021-01-01",
            "2021-1-01",
        ] {
            assert_eq!(day_number(none), None, "{none}");
        }
        // Each day is one after the day before, over a century that is no leap year and one that is.
        let days = (1896..2004).flat_map(|year| (1..=12).map(move |month| (year, month)));
        let days =
            days.flat_map(|(year, month)| (1..=31).map(move |day| format!("{year}-{month:02}-{day:02}")));
        let numbers: Vec<i64> = days.filter_map(|day| day_number(&day)).collect();
        assert!(numbers.windows(2).all(|pair| pair[1] == pair[0] + 1));
        assert_eq!(numbers.len(), 108 * 365 + 26);
    }

    #[test]
    fn a_span_has_a_day_of_the_domain() {
        let date = r#"{"date":["month","quarter"],"min":"2018-06-01","max":"2024-12-31"}"#;
        assert_eq!([of(date, "2018-05"), of(date, "2025-01"), of(date, "2018-Q1")], [[], [], []]);
        assert_eq!([of(date, "2018-06"), of(date, "2024-12")], [[(1, 30.)], [(1, 31.)]]);
        assert_eq!([of(date, "2018-Q2"), of(date, "2024-Q4")], [[(2, 30.)], [(2, 92.)]]);
        assert_eq!([of(date, "2018-06-01"), of(date, "2024-12-31")], [[(0, 1.)], [(0, 1.)]]);
        assert_eq!([of(date, "2018-05-31"), of(date, "2025-01-01")], [[], []]);
    }

    fn whole(json: &str) -> (f64, usize) {
        extent(&serde_json::from_str(json).unwrap()).unwrap()
    }

    #[test]
    fn letters_are_codes_of_an_alphabet_that_has_them() {
        let digits = r#"{"prefix":[2,4]}"#;
        assert_eq!(
            [of(digits, "12"), of(digits, "A2"), of(digits, "1A34")],
            [vec![(1, 100.)], vec![], vec![]]
        );
        let letters = r#"{"prefix":[2,4],"alphabet":36}"#;
        assert_eq!([of(letters, "A2"), of(letters, "a2")], [vec![(1, 1296.)], vec![]]);
    }

    #[test]
    fn a_domain_has_as_many_leaves_as_its_codes() {
        // So many categories, each with ten codes of four characters and itself.
        let chapters = |edition: Edition| -> f64 { blocks(edition).iter().map(|block| block.2).sum() };
        assert_eq!(whole(r#"{"icd-10":"who"}"#), (chapters(Edition::Who) * 11., 4));
        assert_eq!(whole(r#"{"icd-10":"who","longest":5}"#), (chapters(Edition::Who) * 111., 5));
        let per_category = 1. + 36. + 36. * 36. + 36f64.powi(3) + 36f64.powi(4);
        assert_eq!(whole(r#"{"icd-10":"cm"}"#), (chapters(Edition::Cm) * per_category, 7));
        assert_eq!(whole(r#"{"icd-10":"cm","lengths":[3]}"#), (chapters(Edition::Cm) * per_category, 4));
        assert_eq!(whole(r#"{"atc":"full"}"#), (94_640_000., 5));
        assert_eq!(whole(r#"{"atc":"any-level"}"#), (94_640_000. + 946_400. + 36_400. + 1400. + 14., 5));
        assert_eq!(whole(r#"{"prefix":[2,5,8]}"#), (1e8, 3));
        assert_eq!(whole(r#"{"prefix":[2,4],"shorter":true,"alphabet":36}"#), (1296. + 1296. * 1296., 2));
        assert_eq!(
            [whole(r#"{"us-zip":[]}"#), whole(r#"{"us-zip":[],"plus-4":true}"#)],
            [(1e5, 2), (1_000_100_000., 3)]
        );
        // 2020 has 366 days.
        assert_eq!(whole(r#"{"date":["month","year"],"min":"2020-01-01","max":"2020-12-31"}"#), (366., 3));
        assert_eq!(whole(r#"{"date":[],"min":"2020-01-01","max":"2020-01-01"}"#), (1., 1));
        assert_eq!(extent(&Definition::Flat { domain: 3 }), None);
    }
}
