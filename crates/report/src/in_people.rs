//! What is promised of people who can have several records, in words.

use serde_json::Value;
use velamen_checker::{Finding, State};
use velamen_contract::Promised;
use velamen_contract::model as terms;

use super::Promise;
use super::asked::plain;
use crate::language::mark;
use crate::manifest::Manifest;
use crate::matching::least_persons;

/// What the risk is where people can have several records and the release does not tell whose they are.
pub(crate) const UNTOLD_PEOPLE: &str = mark(
    "A person can have several records here, and the release does not tell which belong together. The risk of the release is \
     what its promise of k people in each group leaves to somebody who picks one of them. Somebody who picks a record finds a \
     person with many records of the group more often; no release shows how often.",
);

/// What models promise where people are counted, who can have several records.
const MEANINGS: [&str; 7] = [
    mark("Nobody can be distinguished from at least k − 1 other people by the quasi-identifiers."),
    mark(
        "Nobody can be distinguished from at least k − 1 other people by the attributes named here. Someone who knows other \
         attributes as well may tell them apart.",
    ),
    mark(
        "Nobody can be distinguished from at least k − 1 other people, and in no group does a single sensitive value stand for \
         more than the share alpha.",
    ),
    mark(
        "Nobody can be distinguished from at least k − 1 other people, and every group has at least p different sensitive values: \
         finding a person's group does not reveal the person's value.",
    ),
    mark("At most a share of the people is in classes of fewer than 1/risk people."),
    mark("At most a share of the people is alone in its class."),
    mark("Every class has at least k people and each sensitive value a share of at most its own theta."),
];

/// A model's meaning where people are counted; one that names no records stays.
#[must_use]
pub fn of_people(meaning: &str) -> &str {
    let of_records =
        meaning.replace("other released records", "other people").replace("other records", "other people");
    let counted = of_records
        .replace("of the records is", "of the people is")
        .replace("1/risk records", "1/risk people")
        .replace("at least k records and", "at least k people and");
    MEANINGS.into_iter().find(|known| *known == counted).unwrap_or(meaning)
}

/// A finding in words where people can have several records: as the file shows them by pseudonyms, or as the custodian found
/// before who is who stayed behind. What earlier versions state are records.
pub(super) fn in_people(
    manifest: &Manifest,
    finding: &Finding,
    told: Promise,
    by_pseudonyms: bool,
) -> Promise {
    let (only_size, untold) = (asks_only_size(finding), least_persons(manifest).is_some());
    let mut told = told;
    if only_size && (untold || by_pseudonyms) {
        told.asked += " people";
    }
    if only_size && by_pseudonyms {
        told.reached += " people";
    }
    if (untold || by_pseudonyms) && counts_persons(finding) {
        told.meaning = of_people(&told.meaning).to_owned();
    }
    if untold && finding.state == State::Stated && counts_persons(finding) {
        let of_people = stated_of_people(manifest, finding).map(|people| plain(&people));
        told.reached = in_words(of_people.as_deref(), &told.reached, only_size);
    }
    told
}

/// The same findings, with what the custodian states of people beside what the file shows of their records.
#[must_use]
pub fn beside_people(manifest: &Manifest, findings: Vec<Finding>) -> Vec<Finding> {
    let with = |finding: Finding| Finding { of_people: stated_of_people(manifest, &finding), ..finding };
    findings.into_iter().map(with).collect()
}

/// What a finding's promise reached of people, as the manifest states it; `None` where records are counted, as in earlier
/// versions.
fn stated_of_people(manifest: &Manifest, finding: &Finding) -> Option<Value> {
    let is_same = |one: &&Promised| one.model == finding.promise && one.asked == finding.asked;
    let is_of_people = finding.state == State::Stated && counts_persons(finding);
    least_persons(manifest).filter(|_| manifest.is_current() && is_of_people)?;
    manifest.privacy.iter().find(is_same).map(|stated| stated.reached.clone())
}

/// What a finding reached, by how its figures are written: of people as they are stated, and of records as the file shows them.
#[must_use]
pub fn reached(finding: &Finding, written: impl Fn(&Value) -> String) -> String {
    let records = written(&finding.reached);
    match &finding.of_people {
        Some(people) => in_words(Some(&written(people)), &records, asks_only_size(finding)),
        None => records,
    }
}

/// What is stated of people beside what the file shows of their records.
fn in_words(people: Option<&str>, records: &str, only_size: bool) -> String {
    match (people, only_size) {
        (Some(people), true) => {
            format!("{people} people, as the custodian states; {records} records in the file")
        }
        (Some(people), false) => {
            format!("{people} of people, as the custodian states; {records} of records in the file")
        }
        (None, true) => format!("{records} records; how many people they belong to is not stated"),
        (None, false) => records.to_owned(),
    }
}

fn counts_persons(finding: &Finding) -> bool {
    terms::find(&finding.promise).is_some_and(|terms| terms.facts.counts_persons)
}

/// Whether it is about the size of classes and nothing else.
fn asks_only_size(finding: &Finding) -> bool {
    terms::find(&finding.promise).is_some_and(|terms| terms.facts.only_size)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_counts_persons_speaks_of_people() {
        let counting = terms::REGISTRY.iter().filter(|terms| terms.facts.counts_persons);
        let meanings = counting.map(|terms| crate::meaning(terms.name, &serde_json::json!({})));
        // What a population's records or the mean over a table's are stays theirs.
        let of_groups = ["other records", "released records", "k records and", "records is"];
        let still =
            meanings.filter(|meaning| of_groups.iter().any(|words| of_people(meaning).contains(words)));
        assert_eq!(still.collect::<Vec<_>>(), Vec::<String>::new());
        let named = crate::meaning("k-anonymity", &serde_json::json!({ "attributes": ["age"] }));
        assert!(of_people(&named).contains("k − 1 other people by the attributes"), "{named}");
    }
}
