//! What holds of a release, for the cases of items.

use serde_json::Value;
use velamen_contract::model;

use super::pick::bounds_inference;
use super::source::Sources;

/// The names of what holds.
#[derive(Debug, Default)]
pub(super) struct Facts(Vec<&'static str>);

impl Facts {
    /// What a release's manifest shows, and what is known beside it.
    pub(super) fn of(sources: &Sources<'_>) -> Self {
        let manifest = sources.manifest();
        let attributes = || manifest["attributes"].as_object().into_iter().flat_map(|all| all.values());
        let has = |key: &str| attributes().any(|one| !one[key].is_null());
        let is_above_0 = |key: &str| manifest[key].as_u64().is_some_and(|count| count > 0);
        let private = sources.models.iter().any(|name| is_private(name));
        let truthful = manifest["truthful"] != Value::Bool(false);
        let holds = [
            ("linked", !manifest["linked"].is_null()),
            ("private", private),
            ("invented", private && !truthful),
            ("truthful", truthful),
            ("counterfeits", is_above_0("counterfeits")),
            ("suppressed", is_above_0("suppressed")),
            ("pseudonyms", has("pseudonym")),
            ("shifted", has("date-shift")),
            ("sensitive", attributes().any(|one| one["role"] == "sensitive")),
            ("insensitive", attributes().any(|one| one["role"] == "insensitive")),
            ("sampled", !manifest["sample"].is_null()),
            ("people", sources.has_people()),
            ("by-pseudonym", has("pseudonym") && sources.counts_people()),
            ("bounds-inference", sources.models.iter().any(|name| bounds_inference(name))),
            ("custodian", sources.is_custodian()),
            ("original", sources.original().is_some()),
        ];
        Self(holds.into_iter().filter(|(_, holds)| *holds).map(|(name, _)| name).collect())
    }

    /// Whether one of them holds.
    pub(super) fn has(&self, name: &str) -> bool {
        self.0.contains(&name)
    }

    /// Whether all of them hold; `!` stands before what must not.
    pub(super) fn hold(&self, conditions: &[String]) -> bool {
        conditions.iter().all(|condition| match condition.strip_prefix('!') {
            Some(name) => !self.0.contains(&name),
            None => self.0.contains(&&**condition),
        })
    }
}

/// All names that forms may use.
#[cfg(test)]
pub(super) const NAMES: [&str; 16] = [
    "linked",
    "private",
    "invented",
    "truthful",
    "counterfeits",
    "suppressed",
    "pseudonyms",
    "shifted",
    "sensitive",
    "insensitive",
    "sampled",
    "people",
    "by-pseudonym",
    "bounds-inference",
    "custodian",
    "original",
];

fn is_private(name: &str) -> bool {
    model::find(name).is_some_and(|terms| terms.facts.private)
}
