//! What a release says of how its counterfeits were made, and what an adversary makes of that, in words.

use serde_json::Value;
use velamen_contract::{Promised, Statement, model};
use velamen_core::context::{Context, Interrupted};
use velamen_core::hierarchy::Hierarchy;
use velamen_core::release::{CATALOG, Release};
#[cfg(feature = "pages")]
use velamen_measure::risk::adversary::{AdversaryFigures, Matched};
use velamen_measure::risk::adversary::{Effort, Law, Sight, Told};
use velamen_measure::risk::certain::{Certain, certain};

#[cfg(feature = "pages")]
use crate::language::{t, text};
use crate::manifest::{AdversaryEntry, Manifest};
#[cfg(feature = "pages")]
use crate::number::{count, fixed};
#[cfg(feature = "pages")]
use crate::{Metric, Report};

/// Draws by which the values of counterfeits do not depend on their class.
const THE_SAME_FOR_ALL: [&str; 2] = ["uniform", "empirical"];

/// Padding to exactly k.
const EXACT: &str = "exact";

/// The law of padding, as the manifest states it; `None` without a catalog.
pub fn told(manifest: &Manifest) -> Option<Told> {
    manifest.privacy.iter().find(|promise| promise.model == CATALOG)?;
    let models: Vec<_> = asked(manifest).collect();
    Some(told_by(&manifest.method, is_beyond(manifest), &models))
}

/// The law of padding, as a method states it that makes counterfeits. `asked`: the models, with their parameters: k is the size
/// that they ask of classes together, and `beyond` says whether they ask for more. Where k counts people, the size of a class
/// shows nothing: five people can have fifty records.
#[must_use]
pub fn told_by(method: &Statement, beyond: bool, asked: &[(&str, &Value)]) -> Told {
    let k = model::size_asked(asked.iter().copied());
    let of_size = !beyond || method.largest_padded().is_some();
    let shows = of_size && !method.counts_persons();
    let largest = match method.padding() == Some(EXACT) && shows {
        true => k,
        false => method.largest_padded().unwrap_or(u64::MAX),
    };
    let local = method.draw().is_some_and(|draw| !THE_SAME_FOR_ALL.contains(&draw));
    let values = values_of_real(method, asked.iter().copied());
    Told { law: Law { k, largest, least_real: method.least_real().unwrap_or(1) }, local, values }
}

/// How many different sensitive values the real records of each class have at least, by what is promised of them; 1 where
/// nothing is.
#[must_use]
pub fn real_values(manifest: &Manifest) -> u64 {
    values_of_real(&manifest.method, asked(manifest))
}

/// The models of a release, with their parameters.
fn asked(manifest: &Manifest) -> impl Iterator<Item = (&str, &Value)> {
    manifest.privacy.iter().map(|promise| (&*promise.model, &promise.asked))
}

fn values_of_real<'a>(method: &Statement, asked: impl IntoIterator<Item = (&'a str, &'a Value)>) -> u64 {
    match method.holds_of_real() {
        Some(true) => model::values_asked(asked),
        _ => 1,
    }
}

/// The records that the catalog of a release proves to be real, as everybody can count them.
#[must_use]
pub fn proven(manifest: &Manifest, release: &Release) -> Certain {
    let largest = manifest.method.largest_padded().unwrap_or(u64::MAX);
    certain(release, largest, real_values(manifest))
}

/// What an adversary who has no more than a release makes of its counterfeits; `hierarchies` are those of its
/// quasi-identifiers, in their order. `None` where the catalog has no row.
///
/// # Errors
/// [`Interrupted`].
pub fn expected(
    manifest: &Manifest,
    release: &Release,
    hierarchies: &[&Hierarchy],
    context: &Context<'_>,
) -> Result<Option<AdversaryEntry>, Interrupted> {
    if release.catalog.is_empty() {
        return Ok(None);
    }
    let sight = told(manifest).and_then(|told| Sight::new(release, hierarchies, told, Effort::SAMPLE));
    let area = sight.map(|sight| sight.expected_area(context)).transpose()?.flatten();
    Ok(Some(AdversaryEntry::new(proven(manifest, release).provably_real, area)))
}

/// Whether classes are padded to exactly k.
pub fn is_exact(manifest: &Manifest) -> bool {
    manifest.method.padding() == Some(EXACT)
}

/// Whether more is asked of classes than k-anonymity.
pub fn is_beyond(manifest: &Manifest) -> bool {
    manifest.privacy.iter().any(|promise| promise.is_of_model() && !is_usual(promise))
}

fn is_usual(promise: &Promised) -> bool {
    promise.asks_only_size() || promise.terms().is_some_and(|terms| terms.facts.of_catalog)
}

/// Adds to the custodian's page what the adversary gets.
#[cfg(feature = "pages")]
pub fn tell(report: &mut Report, figures: &AdversaryFigures) {
    let area = t("0.5 is chance, 1 is certainty");
    let areas = [
        (
            "AUC",
            figures.auc,
            t("How often a counterfeit is thought more likely counterfeit than a real record."),
        ),
        (
            t("AUC in padded classes"),
            figures.auc_where_possible,
            t("The same among the classes that can hold counterfeits."),
        ),
        (
            t("AUC, by counting alone"),
            figures.auc_by_counting,
            t(
                "The same for someone who goes by the catalog's share of a value, the size of the group, and how many records the \
             groups around it have.",
            ),
        ),
        (
            t("AUC, by one number of a group"),
            figures.auc_by_one_number,
            t(
                "The same for someone who goes by the records of a group, by the room that its labels leave, or by how many records its \
             values lead to expect there, whichever separates best.",
            ),
        ),
        (
            t("AUC, as the adversary expects"),
            figures.auc_expected,
            t(
                "The same, by beliefs that need the release alone: what an adversary without the originals takes it to be.",
            ),
        ),
        (
            t("AUC, three in ten known"),
            figures.auc_knowing_some,
            t(
                "The same for someone who knows three in ten of the real records there; the others are judged.",
            ),
        ),
    ];
    report.telling = areas
        .iter()
        .filter_map(|(name, value, meaning)| Some(metric(name, (*value)?, area, meaning)))
        .collect();
    let (alone, few) = match figures.counts_people {
        true => (t("the only person of their class"), t("in a class of fewer than k people")),
        false => (t("the only real record of their class"), t("in a class of fewer than k real records")),
    };
    let of_few = match figures.counts_people {
        true => t("few people: right record"),
        false => t("few real records: right record"),
    };
    let matched = [
        (t("person alone in a class: right record"), figures.alone, alone),
        (of_few, figures.fewer_than_k, few),
    ];
    let told = matched.iter().filter(|(_, matched, _)| matched.persons > 0);
    report.telling.extend(told.map(|(name, found, who)| {
        let Matched { persons, right, by_chance } = found;
        let of_sample = if figures.sampled.is_some() { t(", of a sample of the release,") } else { "" };
        let meaning = text!(
            "How often the record picked for one of the {} people{} who are {} is the right one.",
            count(*persons),
            of_sample,
            who
        );
        metric(name, *right, &text!("{} is chance", fixed(*by_chance, 4)), &meaning)
    }));
    if let Some(effective) = figures.effective_k {
        let meaning = t(
            "1 divided by what an adversary who knows that a person is alone believes of that person's own record.",
        );
        report.telling.push(metric(
            t("effective k of a person alone"),
            effective,
            t("k and above is best"),
            meaning,
        ));
    }
}

#[cfg(feature = "pages")]
fn metric(name: &str, value: f64, range: &str, meaning: &str) -> Metric {
    Metric { name: name.into(), value, range: range.into(), meaning: meaning.into() }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use velamen_contract::Limits;

    use super::*;

    /// Padding to five people says nothing of the size of a class.
    #[test]
    fn the_size_of_a_class_of_people_shows_nothing() {
        let method = |person: Option<&str>| {
            Statement::named("x")
                .own("padding", json!("exact"))
                .limits(Limits::NOTHING)
                .own_if("person", person)
        };
        let five = json!({ "k": 5 });
        let of = |person: Option<&str>| told_by(&method(person), false, &[("k-anonymity", &five)]).law;
        assert_eq!(of(None).largest, 5);
        assert_eq!(of(Some("patient")).largest, u64::MAX);
    }
    /// Classes are padded to what all models ask of their size, not only to the k of k-anonymity.
    #[test]
    fn sizes_are_those_of_every_model() {
        let method = Statement::named("x").own("padding", json!("exact")).limits(Limits::NOTHING);
        let (two, three, risk) = (json!({ "k": 2 }), json!({ "l": 3 }), json!({ "risk": 0.25 }));
        let k = |asked: &[(&str, &Value)]| told_by(&method, false, asked).law.k;
        assert_eq!(k(&[("distinct-l-diversity", &three)]), 3);
        assert_eq!(k(&[("k-anonymity", &two), ("distinct-l-diversity", &three)]), 3);
        assert_eq!(k(&[("k-anonymity", &two), ("catalog-risk", &risk)]), 4);
    }
}
