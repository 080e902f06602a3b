//! From a planned release to the edits that make the recipe name it. What the recipe says already stays as it is written.

use serde_json::{Map, Value, json};
use velamen_assess::guide::{Plan, PlannedRelease};
use velamen_assess::profile::AS_QUASI_IDENTIFIER;
use velamen_recipe::Recipe;
use velamen_search::method::released_facts;

use crate::edit::{Edit, at};
use crate::project::Project;

pub(super) fn edits(project: &Project, recipe: &Recipe, plan: &Plan, release: &PlannedRelease) -> Vec<Edit> {
    let settings = plan.settings.iter();
    let settings = settings.map(|setting| Edit::set_or_remove(setting.place.clone(), setting.value.clone()));
    let mut all: Vec<Edit> = settings.collect();
    if project.has_chosen() {
        all.extend(recipe.attributes.keys().map(|name| Edit::Remove(at(["attributes", name, "level"]))));
    }
    all.extend(of_models(recipe, &release.models));
    all.extend(of_method(recipe, &release.method));
    if plan.declarations.is_some() {
        // Ends of ranges that were read off the table, and exact figures of methods that were tried on it.
        all.extend([Edit::DropComments(AS_QUASI_IDENTIFIER), Edit::DropCommentAbove("[method]")]);
    }
    all
}

/// The edits that put models in the place of the recipe's.
fn of_models(recipe: &Recipe, wanted: &[Value]) -> Vec<Edit> {
    let held: Vec<Value> = recipe.privacy.iter().map(|section| json!(section)).collect();
    if held == wanted {
        return Vec::new();
    }
    let gone = held.iter().map(|_| Edit::Remove(at(["privacy", "0"])));
    let come = wanted.iter().map(|model| Edit::Push(at(["privacy"]), model.clone()));
    gone.chain(come).collect()
}

/// The edits that put a method in the place of the recipe's; a seed stays where it does no harm.
fn of_method(recipe: &Recipe, wanted: &Map<String, Value>) -> Vec<Edit> {
    let held = &recipe.method.keys;
    let foreign = held.keys().filter(|key| !wanted.contains_key(*key));
    let mut all: Vec<Edit> = foreign.map(|key| Edit::Remove(at(["method", key]))).collect();
    let other = wanted.iter().filter(|(key, value)| held.get(*key) != Some(*value));
    all.extend(other.map(|(key, value)| Edit::Set(at(["method", key]), value.clone())));
    // Who can guess the seed of a private method undoes its noise.
    if recipe.method.seed.is_some() && released_facts(wanted).is_some_and(|facts| facts.private) {
        all.push(Edit::Remove(at(["method", "seed"])));
    }
    all
}
