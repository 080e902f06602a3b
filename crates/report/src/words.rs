//! What the page's terms mean, for readers who are no statisticians.

use crate::language::mark;
use serde_json::Value;
use velamen_checker::{LEAST_REAL, PLACED, RARE, REAL};
use velamen_contract::model as terms;
use velamen_core::release::{CATALOG, CEILING, INSENSITIVE};

/// What a promise means for a person in the data, from what was asked.
#[must_use]
pub fn promise(name: &str, asked: &Value) -> String {
    terms::find(name).map_or_else(|| of_rule(name).into(), |terms| as_sentence(&(terms.words)(asked)))
}

/// Words that begin with a capital letter and end with a full stop.
fn as_sentence(words: &str) -> String {
    let mut letters = words.chars();
    let first = letters.next().map(char::to_uppercase).into_iter().flatten();
    let end = if words.is_empty() || words.ends_with('.') { "" } else { "." };
    first.chain(letters).collect::<String>() + end
}

/// What a promise of the program's own means.
fn of_rule(name: &str) -> &'static str {
    match name {
        CEILING => mark("No record is generalized beyond this degree; 0 is untouched, 1 is fully hidden."),
        CATALOG => mark(
            "Counting with the catalog pins no counterfeit to a group. It does not stop an adversary who guesses from what is \
             usual: see the limits.",
        ),
        INSENSITIVE => mark(
            "In every group that can hold counterfeits, the columns that are released as they are do not show at least k of \
             the records to be real.",
        ),
        "lemma-1" => mark(
            "Counting finds no counterfeit, even for someone who knows which records are real. Only the custodian can check \
             that.",
        ),
        REAL => mark(
            "What is promised of sensitive values holds for the real people of every group, without the counterfeits. Only the \
             custodian can check that.",
        ),
        PLACED => mark("The custodian's list of counterfeits fits the released records and the catalog."),
        LEAST_REAL => {
            mark("Every group has at least so many real people. Only the custodian can check that.")
        }
        "random-draws" => mark(
            "What is random here was drawn from a secret seed as described; no release can show how it was drawn.",
        ),
        "preset" => mark("The release is as the published rule sets it."),
        "utility" => mark("The figures of utility are those of the released file."),
        "data" => mark("The released file is the one that the description names, byte for byte."),
        "files" => mark("The folder holds the files of the release, unchanged, and no others."),
        "report" => mark("This page is the one that follows from the released files."),
        "format" => mark("The description states all that can be compared."),
        "parameters" => mark("These settings leave no trace in the released records."),
        "noise" => mark("The declared domains and the budget determine what noise alone would give."),
        "counterfeits" => mark("The catalog accounts for every counterfeit."),
        "labels" => mark("Each released value is one that the attribute's hierarchy allows."),
        RARE => mark(
            "A value that too few people have is shown only if it was declared beforehand. Only the custodian can check that.",
        ),
        "class-ids" => mark("Each class id stands for exactly one combination of released values."),
        "suppressed-records" => mark(
            "Suppressed records show nothing of their quasi-identifiers, or nothing at all where that is asked.",
        ),
        "group-classes" => mark(
            "Every row of the catalog is about many groups of people, so that it names none of them too well.",
        ),
        "counterfeit-limit" => mark("No more of the records are counterfeit than allowed."),
        "impossible-pairs" => mark("No counterfeit has a value that nobody in its group can have."),
        "impossible-records" => mark("No record has two values that nobody can have together."),
        "suppression-limit" => mark("No more records are suppressed than allowed."),
        "records" => mark("The released file has as many records as its description says."),
        "classes" => mark("It has as many groups of records that look alike."),
        "suppressed" => mark("It has as many suppressed records."),
        "manifest" => mark("What release.json states is what the released file shows."),
        _ => "",
    }
}

/// A metric's range, which end is better, and what it says.
pub(super) fn metric(name: &str) -> (&'static str, &'static str) {
    velamen_search::metric::find(name).map_or(("", ""), |metric| (metric.range, metric.words))
}

/// Terms of the page.
pub(super) const GLOSSARY: &[(&str, &str)] = &[
    (mark("record"), mark("One row of the table: one person, or one stay of a person.")),
    (
        mark("direct identifier"),
        mark(
            "An attribute that identifies a person directly, such as a name or a patient number. Never released.",
        ),
    ),
    (
        mark("quasi-identifier"),
        mark(
            "An attribute that an outsider may know about a person and use to find them, such as age, sex or postcode.",
        ),
    ),
    (
        mark("sensitive attribute"),
        mark("What an outsider must not learn about a person, such as a diagnosis."),
    ),
    (
        mark("insensitive attribute"),
        mark("Released as it is: nobody would look a person up by it, and it needs no protection."),
    ),
    (
        mark("hierarchy, level"),
        mark(
            "The steps by which a value can be made less exact, such as 43, 40–49, 40–59, *. Level 0 is the value as \
         recorded; at the top, *, nothing is left.",
        ),
    ),
    (
        mark("equivalence class, group"),
        mark(
            "The records that share all released quasi-identifier values. They cannot be distinguished by these.",
        ),
    ),
    (
        mark("suppressed record"),
        mark("A record whose quasi-identifiers, and as a rule all other values, are replaced by *."),
    ),
    (mark("counterfeit record"), mark("A released record that no original record stands behind.")),
    (
        mark("catalog"),
        mark("The list of how many counterfeits of which sensitive value some groups hold together."),
    ),
    (
        mark("prosecutor"),
        mark(
            "An adversary who knows that a certain person is in the data and looks for that person's record.",
        ),
    ),
    (
        mark("journalist"),
        mark(
            "An adversary who does not know who is in the data and wants to find anybody, to prove a point.",
        ),
    ),
    (
        mark("marketer"),
        mark("An adversary who wants to find as many people as possible and does not mind some errors."),
    ),
    (mark("recipient, custodian"), mark("Who gets the release; who holds the original data.")),
];

/// What is known today of who can tell counterfeits from real records.
pub(super) const COUNTERFEITS: &str = mark(
    "Counterfeits do not hide a person as well as real records would. From the release alone, one can often guess which \
     records they are by what is usual for such people.",
);

/// What follows from that for the page's figures.
pub(super) const COUNTED: &str = mark(
    "The numbers of records in a group count counterfeits; read them, and the risks computed from them, with that in mind.",
);

/// What no release of this kind promises.
pub(super) const LIMITS: [&str; 4] = [
    mark(
        "The promises cover the attributes that the recipe calls quasi-identifiers. Someone who knows other attributes \
     of a person that are released as they are, sensitive ones included, may find the person by those.",
    ),
    mark(
        "The promises hold for this release alone. Another release of the same people, from here or elsewhere, may \
     reveal more together with this one than either does alone.",
    ),
    mark(
        "What the data teach about people in general, such as that smoking causes disease, is not hidden: it is what the \
     release is for, and it may concern people who are not in the data.",
    ),
    mark(
        "A program cannot judge whether the promises are strong enough for a purpose, or whether the roles of the attributes \
     are well chosen.",
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    /// A line that should go on without its backslash leaves a line break and a run of spaces in a sentence.
    #[test]
    fn sentences_have_single_spaces_and_no_line_breaks() {
        let source = include_str!("words.rs");
        // The names that the functions know, and those that they are asked for besides.
        let quoted = source.split('"').filter(|text| !text.is_empty() && !text.contains(['\n', ' ']));
        let models = terms::REGISTRY.iter().map(|terms| terms.name);
        let metrics = velamen_search::metric::REGISTRY.iter().map(|entry| entry.name);
        let names: Vec<&str> = quoted.chain(models).chain(metrics).collect();
        let mut texts: Vec<String> = vec![COUNTERFEITS.into(), COUNTED.into()];
        texts.extend(LIMITS.map(str::to_owned));
        texts.extend(GLOSSARY.iter().flat_map(|(term, text)| [*term, *text]).map(str::to_owned));
        texts.extend(
            ["equal", "ordered"].map(|distance| {
                promise("t-closeness", &serde_json::json!({ "t": 0.2, "distance": distance }))
            }),
        );
        let methods = velamen_search::method::REGISTRY.iter();
        texts.extend(methods.map(|entry| (entry.words)(&serde_json::Map::new()).to_owned()));
        for name in names {
            let asked = [serde_json::json!({}), serde_json::json!({ "attributes": ["age"] })];
            texts.extend(asked.map(|asked| promise(name, &asked)));
            let (range, text) = metric(name);
            texts.extend([range, text].map(str::to_owned));
        }
        texts.retain(|text| !text.is_empty());
        assert!(texts.len() > 80, "{} texts", texts.len());
        for text in texts {
            assert!(!text.contains("  ") && !text.contains('\n') && text.trim() == text, "{text:?}");
        }
    }
}
