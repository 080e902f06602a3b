//! Texts that were written freely: they can name anything, and are never released by suggestion.

use velamen_measure::profile::finding::percent;
use velamen_measure::profile::kind::Kind;
use velamen_measure::profile::{Cells, header};

/// The share of records alone with their value from which what is told in confidence names persons.
pub(super) const MOSTLY_ALONE: f64 = 0.5;

/// The least records for which shares of a text say something.
const ENOUGH: u64 = 20;

/// The share of different texts from which a column is written freely.
const MOSTLY_DIFFERENT: f64 = 0.8;

/// The same of a column that is hardly filled in: the few who have a text stand out by it anyway.
const OFTEN_DIFFERENT: f64 = 0.5;

/// The share of missing cells from which a column is hardly filled in.
const MOSTLY_MISSING: f64 = 0.9;

/// The least share of different texts with four words and more, and of those that one record has, in remarks.
const REMARKS: f64 = 0.3;

/// Why a column of remarks is dropped: its name says what it is, or its different texts are sentences of which many
/// stand in one record only. Free text is never a quasi-identifier.
pub(super) fn remarks(name: &str, kind: &Kind, cells: Cells<'_>, named: bool) -> Option<String> {
    const NAMES: [&str; 24] = [
        "remark",
        "remarks",
        "note",
        "notes",
        "comment",
        "comments",
        "memo",
        "narrative",
        "freetext",
        "text",
        "message",
        "description",
        "bemerkung",
        "bemerkungen",
        "notiz",
        "notizen",
        "anmerkung",
        "anmerkungen",
        "kommentar",
        "freitext",
        "anamnese",
        "epikrise",
        "befundtext",
        "hinweis",
    ];
    const FEW: usize = 8;
    let called = header::words(name).iter().any(|word| NAMES.contains(&word.as_str()));
    let is_sentence = |text: &str| text.split_whitespace().count() > 3;
    // A few texts are categories, but not where they are sentences under the name of a remark.
    let few = cells.distinct() < FEW && !(called && cells.values().any(is_sentence));
    if !matches!(kind, Kind::Text { .. }) || few {
        return None;
    }
    let share = |fits: &dyn Fn(&(&str, u64)) -> bool| {
        cells.0.iter().filter(|value| fits(value)).count() as f64 / cells.distinct() as f64
    };
    let sentences =
        || share(&|(text, _)| is_sentence(text)) >= REMARKS && share(&|(_, count)| *count == 1) >= REMARKS;
    (called || !named && sentences()).then(|| {
        "free text, as remarks are: it can name anything, and no hierarchy would keep anything of it; drop it, or code it into \
         a few categories first"
            .to_owned()
    })
}

/// Why a text that nearly everybody has for themselves is of use to nobody but an adversary.
/// A name that says what the column is speaks for keeping it, if it is filled in.
pub(super) fn written_freely(kind: &Kind, cells: Cells<'_>, missing: u64, named: bool) -> Option<String> {
    let (records, present) = (cells.records() + missing, cells.records());
    if !is_of_words(kind, cells) || records < ENOUGH || present == 0 {
        return None;
    }
    let different = cells.distinct() as f64 / present as f64;
    let absent = missing as f64 / records as f64;
    if absent > MOSTLY_MISSING && different >= OFTEN_DIFFERENT {
        return Some(format!(
            "filled in for {} of the records only, mostly with texts of their own: whoever has one stands out, and no \
             hierarchy would keep anything of it; drop it, or code it into a few categories first",
            percent(present as f64 / records as f64)
        ));
    }
    (!named && present >= ENOUGH && different >= MOSTLY_DIFFERENT).then(|| {
        "nearly every text in it is different, as in remarks: it can name anything, and no hierarchy would keep anything \
         of it; drop it, or code it into a few categories first"
            .to_owned()
    })
}

/// Why a text that is told in confidence and mostly stands in one record only is dropped.
pub(super) fn told_in_confidence(kind: &Kind, cells: Cells<'_>, missing: u64) -> Option<String> {
    let alone = cells.0.iter().filter(|(_, count)| *count == 1).count() as f64;
    let records = (cells.records() + missing).max(1) as f64;
    (is_of_words(kind, cells) && alone / records >= MOSTLY_ALONE).then(|| {
        "confidential by its name, and most of its texts are different, as in remarks: a text can name anything; drop it, or \
         code it into a few categories first"
            .to_owned()
    })
}

/// More values than this are many.
const MANY: usize = 30;

/// So few records a value on average are those of a person, or nothing that could be kept.
const FEW_RECORDS: u64 = 10;

/// The least digits of a number that could be somebody's.
const DIGITS: usize = 5;

/// Why texts, codes or long numbers of many values and few records each are dropped, where neither a name nor a hierarchy says what they are:
/// they can be anybody's, and all that could be released of them are the values themselves.
pub(super) fn of_few_records(kind: &Kind, cells: Cells<'_>) -> Option<String> {
    let many = cells.distinct() > MANY && cells.records() < FEW_RECORDS * cells.distinct() as u64;
    let told = match kind {
        Kind::Text { .. } => is_of_words(kind, cells),
        Kind::Code { .. } => true,
        Kind::WholeNumber => are_long(cells),
        Kind::Empty | Kind::Decimal { .. } | Kind::Date { .. } => false,
    };
    (many && told).then(|| {
        "many different values of few records each, and its name does not say what they are: they could name people. If they do not, \
         give it a role and a hierarchy"
            .to_owned()
    })
}

/// Whether numbers have one length, as numbers of records have.
fn are_long(cells: Cells<'_>) -> bool {
    let mut lengths = cells.values().map(str::len);
    let first = lengths.next().unwrap_or(0);
    first >= DIGITS && lengths.all(|length| length == first)
}

/// Whether texts have letters: numbers with a decimal comma have none.
fn is_of_words(kind: &Kind, cells: Cells<'_>) -> bool {
    matches!(kind, Kind::Text { .. }) && cells.share(|text| text.chars().any(char::is_alphabetic)) >= 0.5
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_sentences_under_the_name_of_a_remark_are_free_text() {
        let told = |name: &str, texts: &[(&str, u64)]| {
            remarks(name, &Kind::Text { free: false }, Cells(texts), false).is_some()
        };
        let sentences = [("please call my daughter Anna", 9), ("ok", 300), ("thank you", 200)];
        assert!(told("comment", &sentences) && told("Bemerkung", &sentences));
        assert!(!told("comment", &[("ok", 300), ("too long", 200)]) && !told("area", &sentences));
    }
}
