//! The releases to choose from. None promises less than the answers ask for.

use serde_json::{Map, Value, json};
use velamen_contract::model::{BY_DRAWS, BY_SIZE, distinct_l_diversity, t_closeness};
use velamen_core::frequency::Role;
use velamen_core::hierarchy::Definition;
use velamen_recipe::{HierarchySection, Recipe};

use super::answers::{Answers, Intent, Recipients};
use super::setting::Roles;
use crate::profile::{CandidateMethod, ColumnProfile, METHODS, MOST_NODES, OF_MANY_NODES, levels};

/// How a release differs from the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Twice as many share what others may know as was asked for.
    Stricter,
    /// What was asked for.
    AsAsked,
    /// The same promises, kept group by group.
    MoreDetail,
    /// The same once more, by groups that are halved: for where the release before it keeps no more detail than what was asked for.
    ByHalves,
    /// Invented records, nearest to the original.
    Invented,
    /// Invented records that need less time.
    InventedFast,
    /// A sample of genuine records.
    Sample,
}

/// A release that can be made.
#[derive(Debug, Clone, PartialEq)]
pub struct PlannedRelease {
    /// How it differs.
    pub kind: Kind,
    /// Whether groups of records have levels of their own, and not each column one.
    pub by_group: bool,
    /// The tables of `[[privacy]]`.
    pub models: Vec<Value>,
    /// The keys of `[method]`.
    pub method: Map<String, Value>,
}

/// How many times as many share what others may know in the stricter release.
const STRICTER: u64 = 2;

/// The share by which a group may differ from the whole table where anyone gets the release.
const CLOSENESS: f64 = 0.2;

/// The budget of private methods, as docs/choose-a-method.md has it, and the chance that the promise fails.
const EPSILON: f64 = 1.0;
const DELTA: f64 = 1e-9;

/// The levels of a hierarchy in a file, which is not read here.
const LEVELS_OF_FILE: f64 = 5.0;

pub(super) fn releases(
    answers: &Answers,
    roles: &Roles,
    protected: &[String],
    recipe: &Recipe,
    columns: &[ColumnProfile],
) -> Vec<PlannedRelease> {
    if answers.is_private() {
        return private(roles.values().any(|role| *role == Role::Person));
    }
    let recipients = answers.recipients.unwrap_or_default();
    let least = recipe.preset.and_then(|preset| preset.least_k()).unwrap_or(0);
    let k = recipients.k().max(least);
    let secrets: Vec<Value> = protected.iter().filter_map(|name| secret(name, recipients, columns)).collect();
    let has_few = nodes(roles, recipe, columns) <= MOST_NODES;
    let [whole, local, by_halves] = METHODS;
    let [whole, local] = if has_few { [whole, local] } else { OF_MANY_NODES };
    let halves = has_few.then(|| release(Kind::ByHalves, k, by_halves, &secrets));
    let usual = [
        release(Kind::Stricter, k * STRICTER, whole, &secrets),
        release(Kind::AsAsked, k, whole, &secrets),
        release(Kind::MoreDetail, k, local, &secrets),
    ];
    usual.into_iter().chain(halves).collect()
}

fn release(kind: Kind, k: u64, method: CandidateMethod, secrets: &[Value]) -> PlannedRelease {
    let size = json!({"model": BY_SIZE.name, "k": k});
    let models = std::iter::once(size).chain(secrets.iter().cloned()).collect();
    PlannedRelease { kind, by_group: method.by_group, models, method: keys(method) }
}

/// The model that keeps a column secret; none of a column that has one value in every row.
fn secret(name: &str, recipients: Recipients, columns: &[ColumnProfile]) -> Option<Value> {
    let values =
        columns.iter().find(|column| column.name == name).map_or(usize::MAX, |column| column.distinct);
    let diverse =
        |l: usize| json!({"model": distinct_l_diversity::TERMS.name, "l": l.min(values), "attribute": name});
    (values > 1).then(|| match recipients {
        Recipients::Anyone => json!({"model": t_closeness::TERMS.name, "t": CLOSENESS, "attribute": name}),
        Recipients::Contract => diverse(3),
        Recipients::House => diverse(2),
    })
}

/// Releases that tell next to nothing of any one person.
fn private(has_person: bool) -> Vec<PlannedRelease> {
    // A sample protects a record, and not all records of a person.
    let sample = (!has_person).then(|| by_draws(Kind::Sample, "safe-pub"));
    let invented = [by_draws(Kind::Invented, "aim"), by_draws(Kind::InventedFast, "mst")];
    invented.into_iter().chain(sample).collect()
}

fn by_draws(kind: Kind, method: &str) -> PlannedRelease {
    PlannedRelease {
        kind,
        by_group: false,
        models: vec![json!({"model": BY_DRAWS.name, "epsilon": EPSILON, "delta": DELTA})],
        method: Map::from_iter([("name".to_owned(), json!(method))]),
    }
}

fn keys(method: CandidateMethod) -> Map<String, Value> {
    let key = |(key, value): &(&str, &str)| Some(((*key).to_owned(), serde_json::from_str(value).ok()?));
    method.keys.iter().filter_map(key).collect()
}

/// The combinations of levels, files of hierarchies taken as usual ones.
fn nodes(roles: &Roles, recipe: &Recipe, columns: &[ColumnProfile]) -> f64 {
    let qis = roles.iter().filter(|(_, role)| **role == Role::QuasiIdentifier);
    qis.map(|(name, _)| of_attribute(name, recipe, columns)).product()
}

fn of_attribute(name: &str, recipe: &Recipe, columns: &[ColumnProfile]) -> f64 {
    let written = recipe.attributes.get(name).and_then(|section| section.hierarchy.as_ref());
    let suggested = || columns.iter().find(|column| column.name == name)?.suggestion.hierarchy.as_ref();
    match written {
        Some(HierarchySection::Inline(definition)) => levels(Some(definition)),
        Some(_) => LEVELS_OF_FILE,
        None => levels(suggested().filter(|_: &&Definition| !recipe.attributes.contains_key(name))),
    }
}

/// The release that fits what it is for.
pub(super) fn usual(answers: &Answers, releases: &[PlannedRelease]) -> usize {
    let wanted: &[Kind] = match answers.intent.unwrap_or_default() {
        Intent::Groups => &[Kind::AsAsked, Kind::Invented],
        Intent::Models => &[Kind::MoreDetail, Kind::Sample, Kind::Invented],
        Intent::Shape => &[Kind::Stricter, Kind::InventedFast],
    };
    let place = |kind: &Kind| releases.iter().position(|release| release.kind == *kind);
    wanted.iter().find_map(place).unwrap_or(0)
}
