//! What is said of a release of linked tables: in English where nobody asked for another language.

use std::fmt::Write as _;

use velamen_checker::linked;
use velamen_contract::linked::{Column, Counts, Dates, LinkedManifest, SetPromise, Shape, Table, Tier, Unit};
use velamen_report::language::{mark, messages, t, text};
use velamen_report::number::count;

use crate::shown::Gaps;

/// A promise in a sentence for a board.
pub(super) fn promise(promise: &SetPromise, manifest: &LinkedManifest) -> String {
    promise_knowing(promise, &person_columns(manifest))
}

/// The same of whoever knows these person columns.
pub(crate) fn promise_knowing(promise: &SetPromise, known: &str) -> String {
    let codes = |m: u8| match m {
        1 => t("one of the person’s codes").to_owned(),
        m => text!("up to {} of the person’s codes", m),
    };
    match *promise {
        SetPromise::Classes { k } => {
            text!("Someone who knows {} of a person finds at least {} persons that fit.", known, k)
        }
        SetPromise::Sets { k, m } => {
            text!(
                "Someone who knows {} finds at least {} persons that fit, or none that is theirs.",
                codes(m),
                k
            )
        }
        SetPromise::SetsInClasses { k, m } => text!(
            "Someone who knows {} of a person and {} finds at least {} persons that fit, or none that is theirs.",
            known,
            codes(m),
            k
        ),
    }
}

/// What a check is called.
#[must_use]
pub fn check_title(name: &str) -> Option<&'static str> {
    CHECKS.iter().find(|(known, ..)| *known == name).map(|(_, title, _)| t(title))
}

/// What a check is about, in a sentence.
#[must_use]
pub fn check_meaning(name: &str) -> Option<&'static str> {
    CHECKS.iter().find(|(known, ..)| *known == name).map(|(.., words)| t(words))
}

/// The checks besides the privacy models: what they are called, and what they are about.
const CHECKS: [(&str, &str, &str); 15] = [
    (
        linked::COLUMNS,
        mark("files and columns"),
        mark("The files are those that are listed, with the columns and values that are listed."),
    ),
    (linked::RECORDS, mark("numbers of rows"), mark("The tables have as many rows as stated.")),
    (
        linked::KEYS,
        mark("keys of rows"),
        mark("Keys are new; each reference leads to a row of the same person."),
    ),
    (linked::ORDER, mark("order of rows"), mark("The order of rows says nothing of the original.")),
    (linked::CODE_FLOOR, mark("persons of each code"), mark("Each code is that of enough persons.")),
    (
        linked::PUBLIC_EVENTS,
        mark("public events"),
        mark("No code is that of a birth, an accident or violence, which newspapers report."),
    ),
    (linked::COUNTS, mark("rows of each person"), mark("Nobody is known by a number of rows.")),
    (
        linked::VALUES,
        mark("least and greatest numbers"),
        mark("The least and the greatest numbers are those of enough persons."),
    ),
    (linked::DATES, mark("form of dates"), mark("Dates have the stated form.")),
    (linked::SHIFT, mark("shift of dates"), mark("How shifts were drawn shows in no release.")),
    (linked::AGES, mark("ages of the oldest"), mark("The oldest show one value.")),
    (
        linked::TRACES,
        mark("traces of what is gone"),
        mark("No row stands without those that referred to it; each empty cell is that of enough persons."),
    ),
    (linked::NOT_COVERED, mark("what is not promised"), mark("The release says what is not promised.")),
    (linked::LABELS, mark("labels of values"), mark("The file of labels agrees with the manifest.")),
    (linked::METHOD, mark("how the release was made"), mark("What no released table shows.")),
];

/// What findings state in a word of the manifest.
const STATED: [&str; 6] =
    [mark("year"), mark("week"), mark("month"), mark("quarter"), mark("uniform"), mark("free")];

/// A word of the manifest in the language that is spoken; other texts are names, or have lines among the messages.
pub(super) fn stated(word: &str) -> String {
    if STATED.contains(&word) { t(word).to_owned() } else { messages::words(word) }
}

/// The person columns in words.
fn person_columns(manifest: &LinkedManifest) -> String {
    let table = manifest.person_table();
    let columns = table.into_iter().flat_map(|table| &table.columns);
    let of_persons = columns.filter(|(_, column)| matches!(column, Column::QuasiIdentifier { .. }));
    listed(of_persons.map(|(name, _)| name.clone()).chain(manifest.facts().map(str::to_owned)))
}

/// Names in words.
pub(crate) fn listed(names: impl Iterator<Item = String>) -> String {
    let names: Vec<String> = names.map(|name| format!("`{name}`")).collect();
    match &names[..] {
        [] => t("nothing").into(),
        [only] => only.clone(),
        [first @ .., last] => text!("{} and {}", first.join(", "), last),
    }
}

/// What became of dates, in a sentence.
pub(super) fn dates(manifest: &LinkedManifest) -> String {
    match (manifest.shape, manifest.dates) {
        (Shape::Fhir, Dates::Year) => t("Each date is a year.").into(),
        _ => dates_of(manifest.dates),
    }
}

/// The same of what a recipe asks for.
pub(crate) fn dates_of(dates: Dates) -> String {
    match dates {
        Dates::None => t("No date is released.").into(),
        Dates::Year => t("Each date is 1 January of its year.").into(),
        Dates::Relative(unit) => {
            let unit = match unit {
                Unit::Week => t("weeks"),
                Unit::Month => t("months"),
                Unit::Quarter => t("quarters"),
            };
            text!(
                "Each date is the number of whole {} since the person’s first day, which is written as 2000-01-01.",
                unit
            )
        }
        Dates::Shift(days) => text!(
            "All dates of a person are moved by one number of days, from −{0} to {0}. A shift is no anonymity: the gaps between a person’s days stay as they were.",
            days
        ),
    }
}

/// How many persons are known by the gaps between their days, in a sentence.
pub(super) fn gaps(gaps: Gaps) -> String {
    let (alone, all) = (count(gaps.alone), count(gaps.with_three_days));
    match (gaps.with_three_days, gaps.alone) {
        (0, _) => t("No person has three different days.").into(),
        (_, 0) => text!(
            "None of the {} persons with three different days or more is alone by the gaps between the first three.",
            all
        ),
        (_, 1) => text!(
            "1 of {} persons with three different days or more is alone by the gaps between the first three.",
            all
        ),
        _ => text!(
            "{} of {} persons with three different days or more are alone by the gaps between the first three.",
            alone,
            all
        ),
    }
}

/// Whether a table shows dates.
pub(super) fn has_dates(manifest: &LinkedManifest) -> bool {
    let mut columns = manifest.tables.values().flat_map(|table| table.columns.values());
    columns.any(|column| matches!(column, Column::Date))
}

/// What holds of numbers of rows, in a sentence.
pub(super) fn counts(manifest: &LinkedManifest) -> String {
    counts_of(manifest.counts, manifest.k())
}

/// The same of what a recipe asks for.
pub(crate) fn counts_of(counts: Counts, k: u64) -> String {
    match counts {
        Counts::Cap => text!("In each table the {} persons of most rows have equally many.", k),
        Counts::Banded => text!("Each number of rows in a table is that of at least {} persons.", k),
        Counts::Free => t("Nothing is promised of numbers of rows: who has most can be known by it.").into(),
    }
}

/// What is promised besides, in sentences: ages, the window, rows that lost all that referred to them.
pub(super) fn besides(manifest: &LinkedManifest) -> Vec<String> {
    let ages = manifest.ages.as_ref().map(|ages| {
        text!(
            "Whoever would be {} or older by the end of {} shows one value in `{}`: {}.",
            ages.top,
            ages.until,
            ages.column,
            ages.oldest
        )
    });
    let window = manifest.window.as_ref().map(|[first, last]| match manifest.dates {
        Dates::Shift(days) => text!("Every day lies {} days or more inside {} to {}.", days, first, last),
        Dates::None | Dates::Year | Dates::Relative(_) => text!("The data are about {} to {}.", first, last),
    });
    let referred = manifest.tables.iter().filter(|(_, table)| table.is_referred_to);
    let names: Vec<String> = referred.map(|(name, _)| format!("`{name}`")).collect();
    let traces = (!names.is_empty())
        .then(|| text!("Each row of {} is one that another table refers to.", names.join(t(" and "))));
    let windows = manifest.tables.iter().filter_map(|(name, table)| {
        table
            .window
            .as_ref()
            .map(|[first, last]| text!("Of `{}` the data are about {} to {}.", name, first, last))
    });
    ages.into_iter()
        .chain(window)
        .chain(windows)
        .chain(numbers(manifest))
        .chain(events(manifest))
        .chain(traces)
        .chain(as_recorded(manifest))
        .chain(preset(manifest))
        .collect()
}

/// The published rule that the release follows, and what the rule leaves to people.
fn preset(manifest: &LinkedManifest) -> Vec<String> {
    let Some(preset) = &manifest.preset else { return Vec::new() };
    let translated = |texts: &[String]| texts.iter().map(|text| t(text)).collect::<Vec<_>>().join("; ");
    let (name, sets) = (preset.name.name(), translated(&preset.sets));
    let judged = translated(&preset.cannot_judge);
    vec![text!("The published rule `{}` sets: {}.", name, sets), text!("The rule cannot judge: {}.", judged)]
}

/// Which columns have no codes of public events.
fn events(manifest: &LinkedManifest) -> Option<String> {
    let names: Vec<String> = manifest.public_events.iter().map(|name| format!("`{name}`")).collect();
    (!names.is_empty()).then(|| {
        text!(
            "No code of the ICD-10 in {} is that of a birth, an accident or violence, which newspapers report.",
            names.join(", ")
        )
    })
}

/// What holds of numbers.
fn numbers(manifest: &LinkedManifest) -> Option<String> {
    let mut columns = manifest.tables.values().flat_map(|table| table.columns.values());
    columns.any(|column| matches!(column, Column::Value { .. })).then(|| {
        text!(
            "Numbers are rounded. The least and the greatest of each kind, which `codebook.csv` names, are those of at least {} persons.",
            manifest.code_floor
        )
    })
}

/// What is released as recorded, which no promise is about.
fn as_recorded(manifest: &LinkedManifest) -> Option<String> {
    let of_table = |(name, table): (&String, &Table)| {
        let columns = table.columns.iter().filter(|(_, column)| matches!(column, Column::Insensitive));
        columns.map(|(column, _)| format!("`{name}.{column}`")).collect::<Vec<_>>()
    };
    let names: Vec<String> = manifest.tables.iter().flat_map(of_table).collect();
    (!names.is_empty()).then(|| {
        text!(
            "The custodian calls {} insensitive: these columns are as recorded, and no promise is about them.",
            names.join(", ")
        )
    })
}

/// What is said of a column: its role, what became of it, and whether cells were emptied.
pub(super) fn column(
    (table, name, column): (&Table, &String, &Column),
    manifest: &LinkedManifest,
) -> (&'static str, String) {
    let (role, what) = of_role(column, manifest);
    match table.emptied.contains(name) {
        true => (role, text!("{}; some cells were emptied", what)),
        false => (role, what),
    }
}

fn of_role(column: &Column, manifest: &LinkedManifest) -> (&'static str, String) {
    let floor = manifest.code_floor;
    match column {
        Column::Key => (mark("key"), t("new in this release").into()),
        Column::Reference { table } => (mark("reference"), text!("the key of a row of `{}`", table)),
        Column::QuasiIdentifier { levels: 0, .. } => (
            mark("quasi-identifier"),
            t("ranges and values that differ from class to class; labels.csv says what each stands for")
                .into(),
        ),
        Column::QuasiIdentifier { level, levels, .. } => (
            mark("quasi-identifier"),
            text!(
                "level {} of 0 to {}; labels.csv says what each value stands for",
                level,
                levels.saturating_sub(1)
            ),
        ),
        Column::Set { items: None } => {
            (mark("set"), t("a code, where enough persons have it together with others").into())
        }
        Column::Set { items: Some(between) } => (
            mark("set"),
            text!("codes with `{}` between them, where enough persons have them together", between),
        ),
        Column::Code => (mark("code"), text!("a code of at least {} persons, or empty", floor)),
        Column::Value { by, digits } if by.is_empty() => (
            mark("value"),
            text!(
                "at most {} significant digits; the least and the greatest of all are those of at least {} persons",
                digits,
                floor
            ),
        ),
        Column::Value { by, digits } => (
            mark("value"),
            text!(
                "at most {} significant digits; the least and the greatest by {} are those of at least {} persons",
                digits,
                by.join(", "),
                floor
            ),
        ),
        Column::Band { bounds, .. } => {
            let bands = bounds.len().saturating_sub(1);
            let words = match manifest.shape {
                Shape::Fhir => text!(
                    "one of {} declared bands, as `valueRange`; numbers beyond all are in the nearest",
                    bands
                ),
                _ => text!("one of {} declared bands; numbers beyond all are in the nearest", bands),
            };
            (mark("value"), words)
        }
        Column::Date => (mark("date"), dates(manifest)),
        Column::Constant { value } => (mark("constant"), text!("always {}", value)),
        Column::Insensitive => (mark("insensitive"), t("as recorded").into()),
    }
}

/// The numbers that a reader looks for first.
#[must_use]
pub fn summary(manifest: &LinkedManifest) -> Vec<(String, String)> {
    let persons = &manifest.persons;
    let rows = |(name, table): (&String, &Table)| (text!("Rows of {}", name), table.records.to_string());
    let first = [
        (t("Persons").to_owned(), persons.records.to_string()),
        (t("Persons left out").to_owned(), persons.suppressed.to_string()),
    ];
    first.into_iter().chain(manifest.tables.iter().skip(1).map(rows)).collect()
}

/// `README.md`.
pub(crate) fn readme(manifest: &LinkedManifest) -> String {
    let title = manifest.about.title.as_deref().unwrap_or("Linked tables of persons");
    let mut text = format!("# {title}\n\n");
    let tier = match manifest.tier {
        Tier::Public => "This release may be published.",
        Tier::Agreement => "This release is for recipients who signed an agreement.",
    };
    let _ = writeln!(text, "{tier} It was made by velamen {}.\n\n## What is promised\n", manifest.velamen);
    for asked in &manifest.privacy {
        let _ = writeln!(text, "- {}", promise(asked, manifest));
    }
    let _ =
        writeln!(text, "- Every other released code is that of at least {} persons.", manifest.code_floor);
    for sentence in besides(manifest) {
        let _ = writeln!(text, "- {sentence}");
    }
    if manifest.tables.len() > 1 {
        let _ = writeln!(text, "- {}", counts(manifest));
    }
    if has_dates(manifest) {
        let _ = writeln!(text, "- {}", dates(manifest));
    }
    text.push_str("\n## What is not promised\n\n");
    for sentence in &manifest.not_covered {
        let _ = writeln!(text, "- {sentence}");
    }
    text.push_str("\n## Before you analyse it\n\n");
    text.push_str("- Codes were removed from persons who had them together with rare others: co-occurrences are biased towards 0, and an absent code is no proof of absence.\n");
    text.push_str("- Keys are new. They join the tables of this release, and nothing else.\n");
    text.push_str("- `codebook.csv` says what became of each column, `labels.csv` what values stand for.\n\n## Tables\n\n| table | file | rows |\n| --- | --- | --- |\n");
    for (name, table) in &manifest.tables {
        let _ = writeln!(text, "| {name} | {} | {} |", table.file, table.records);
    }
    text.push_str("\n## Check it\n\n```sh\nvelamen verify .\n```\n");
    text
}
