//! Why `profile` suggests what it suggests, in the language that is spoken. Its sentences are made in English, for terminals and
//! recipes too; here they are taken apart at the places of their figures and names.

use velamen_assess::profile::ColumnProfile;
use velamen_measure::profile::finding::Finding;
use velamen_measure::profile::identifier::Identifier;
use velamen_measure::profile::kind::Kind;
use velamen_measure::profile::patterns::PATTERNS;
use velamen_report::language::{Language, mark, refilled, spoken, t};
use velamen_report::number;

use crate::told::begun;

/// The sentences of `profile`, with `{}` where figures and names stand.
const SENTENCES: [&str; 32] = [
    mark("its name contains `{}`: confidential"),
    mark("its name contains `{}`: others may know it"),
    mark("its name contains `{}`"),
    mark("until its figures say otherwise"),
    mark("no record has a value: there is nothing to release, and the next table may have texts here"),
    mark(
        "a birth in a form that is not read as a day, so that nothing coarser could be released; write it as 1980-12-31",
    ),
    mark("it is the same in every record"),
    mark(
        "confidential by its name, but {} of the {} are alone with their value, so its values identify people",
    ),
    mark("its values alone reveal {} of a person's identity"),
    mark("it has a value that fewer than {} {} have, which singles them out"),
    mark("one of the smallest column sets that single out records needs its values"),
    mark(
        "it distinguishes hardly anyone: its values alone reveal {} of a person's identity, each is shared by {} {} or more, and no smallest column set that singles out records needs them",
    ),
    mark("a recipe needs a quasi-identifier, and of those left it leaks most: check it"),
    mark("it tells {} people apart in {} records: k counts people, and the number is not released"),
    mark(
        "to be answered: it tells {} people apart in {} records. Give the column that numbers the people the role \"person\", or each of them rows = \"independent\" if every record is of another person",
    ),
    mark("it tells the same people apart as `{}`"),
    mark("dropped: `{}` is derived from it and keeps more of what an analysis needs"),
    mark(
        "free text, as remarks are: it can name anything, and no hierarchy would keep anything of it; drop it, or code it into a few categories first",
    ),
    mark(
        "filled in for {} of the records only, mostly with texts of their own: whoever has one stands out, and no hierarchy would keep anything of it; drop it, or code it into a few categories first",
    ),
    mark(
        "nearly every text in it is different, as in remarks: it can name anything, and no hierarchy would keep anything of it; drop it, or code it into a few categories first",
    ),
    mark(
        "confidential by its name, and most of its texts are different, as in remarks: a text can name anything; drop it, or code it into a few categories first",
    ),
    mark(
        "many different values of few records each, and its name does not say what they are: they could name people. If they do not, give it a role and a hierarchy",
    ),
    mark("{} of the cells look like {}"),
    mark("the cells are dates ({})"),
    mark("{} records are over 89"),
    mark("the cells look like names of people"),
    mark("nearly every record has its own number of one length, as numbers of records or insured people"),
    mark("{} of the cells differ from all others"),
    mark("they are codes or numbers without decimals"),
    mark("{} of {} different values is or contains {}"),
    mark("{} of {} different values are or contain {}"),
    mark("free text can name anything; nobody has read it"),
];

/// The types of columns; the longer ones first, as a date's form could end like them.
const KINDS: [&str; 11] = [
    mark("no value"),
    mark("whole number"),
    mark("decimal ({})"),
    mark("date {} and time, or day and month swapped"),
    mark("date {} and time"),
    mark("date {}, or day and month swapped"),
    mark("date {}"),
    mark("code, length {}"),
    mark("code"),
    mark("free text"),
    mark("text"),
];

/// Words that stand at such places.
const WORDS: [&str; 3] = [mark("records"), mark("people"), mark("under 1 %")];

/// A reason by the rule on the eighteen identifiers.
const OF_IDENTIFIER: &str = mark("({}) {}: {}");

/// What follows what the figures of a column say.
const QUESTION: &str = mark("could somebody outside know them?");

/// Why a role is suggested for a column.
pub(crate) fn reason(column: &ColumnProfile) -> String {
    translated(&column.suggestion.why)
}

/// What a column's cells are.
pub(crate) fn kind(kind: &Kind) -> String {
    let english = kind.to_string().replace("code of ", "code, length ");
    refilled(&english, &KINDS, pattern).unwrap_or(english)
}

/// The form of a date with the letters of the language; other words as they are.
fn pattern(found: &str) -> String {
    let is_date = found.contains("YYYY") && !found.contains(' ');
    match spoken() {
        Language::German if is_date => found.replace('D', "T").replace('Y', "J"),
        _ => found.to_owned(),
    }
}

/// Why a column may name persons, and what to do.
pub(crate) fn suspicion(finding: &Finding) -> String {
    let why: Vec<String> = finding.why.iter().map(|why| translated(why)).collect();
    format!("{}. {}.", begun(&why.join("; ")), begun(t(finding.advice)))
}

fn translated(why: &str) -> String {
    if let Some(figures) = why.strip_suffix(QUESTION).and_then(|rest| rest.strip_suffix(": ")) {
        return format!("{}: {}", translated(figures), t(QUESTION));
    }
    // A sentence that begins with a figure would take what stands before it for one.
    let by_rule = why.starts_with('(').then(|| refilled(why, &[OF_IDENTIFIER], of_identifier)).flatten();
    by_rule.or_else(|| refilled(why, &SENTENCES, value)).unwrap_or_else(|| why.to_owned())
}

/// What stands in a reason by the rule: the letter, what the rule calls the identifier, and why the column looks like it.
fn of_identifier(part: &str) -> String {
    match part {
        _ if part.len() == 1 => part.to_owned(),
        _ if Identifier::ALL.iter().any(|identifier| identifier.title() == part) => t(part).to_owned(),
        _ => listed(part),
    }
}

/// Reasons one after the other; a semicolon can be part of one.
fn listed(reasons: &str) -> String {
    let each: Option<Vec<String>> = reasons.split("; ").map(|one| refilled(one, &SENTENCES, value)).collect();
    let one = || refilled(reasons, &SENTENCES, value);
    each.map(|each| each.join("; ")).or_else(one).unwrap_or_else(|| reasons.to_owned())
}

/// A figure, or a word or shape that has a line of its own.
fn value(english: &str) -> String {
    let is_word = WORDS.contains(&english) || PATTERNS.iter().any(|pattern| pattern.title == english);
    let is_figure = |sign: char| sign.is_ascii_digit() || " .,%\u{202f}".contains(sign);
    match english {
        _ if is_word => t(english).to_owned(),
        _ if english.chars().all(is_figure) => number::written(english),
        _ => pattern(english),
    }
}

#[cfg(test)]
mod tests {
    use velamen_report::language::speaking;

    use super::*;
    use crate::opened::Open;
    use crate::worker::locked;

    fn german(why: &str) -> String {
        speaking(Language::German, || translated(why))
    }

    #[test]
    fn reasons_are_translated_and_names_are_not() {
        let figures =
            "its values alone reveal 53.2 % of a person's identity: could somebody outside know them?";
        assert!(
            german(figures).contains("53,2 %") && !german(figures).contains("reveal"),
            "{}",
            german(figures)
        );
        let named = german("its name contains `records`: others may know it");
        assert!(named.contains("`records`") && !named.contains("others"), "{named}");
        let listed = german(
            "(F) e-mail addresses: 97 % of the cells look like e-mail addresses; its name contains `mail`",
        );
        assert!(
            listed.starts_with("(F) ") && listed.contains("`mail`") && !listed.contains("cells"),
            "{listed}"
        );
        assert_eq!(german("something else"), "something else");
        assert_eq!(translated(figures), figures);
        let date = Kind::Date { format: "DD.MM.YYYY", time: true, ambiguous: false };
        assert_eq!(speaking(Language::German, || kind(&date)), "Datum TT.MM.JJJJ mit Uhrzeit");
    }

    /// One column for each way in which `profile` decides, and 60 rows.
    fn table() -> String {
        let row = |n: u32| {
            let sex = ["f", "m"][n as usize % 2];
            let diagnosis = ["flu", "cold", "asthma"][n as usize % 3];
            let (ward, code) = (["a", "b"][n as usize % 2], n * 7919 % 99_991);
            let (age, day) = (20 + n * 7 % 75, 1 + n % 28);
            format!(
                "{sex},{diagnosis},{ward},same,{age},2024-01-{day:02},p{n}@example.org,A{code:05},saw her again on day {n},\n"
            )
        };
        let rows: String = (0..60).map(row).collect();
        format!("sex,diagnosis,x7,x8,age,admitted,mail,number,remark,nothing\n{rows}")
    }

    #[test]
    fn every_sentence_of_profile_is_translated() {
        let studio = Open::new(&[("t.csv", &table())]);
        let project = locked(&studio.app.project);
        let profile = project.as_ref().and_then(|project| project.profile.clone()).unwrap();
        let said = |column: &ColumnProfile| {
            let findings = column.findings.iter().map(suspicion);
            findings.chain([reason(column)]).collect::<Vec<_>>()
        };
        assert_eq!(profile.columns.len(), 10);
        for column in &profile.columns {
            let (english, german) = (said(column), speaking(Language::German, || said(column)));
            for (english, german) in english.iter().zip(&german) {
                assert_ne!(english, german, "{}", column.name);
                let is_english =
                    [" its ", "its ", " the ", " of ", " cells "].iter().any(|word| german.contains(word));
                assert!(!is_english, "{}: {german}", column.name);
            }
        }
    }
}
