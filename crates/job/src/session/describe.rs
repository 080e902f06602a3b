//! The manifest of a release, from what a recipient may know.

use serde_json::Value;
use velamen_contract::manifest::Rows;
use velamen_contract::{Promised, Statement};
use velamen_core::frequency::{FrequencyTable, Role};
use velamen_core::hierarchy::{Definition, NULL};
use velamen_core::release::Release;
use velamen_engine::ColumnRequest;
use velamen_recipe::{AskedModel, Preset, Resolved};
use velamen_report::manifest::{AttributeEntry, Attributes, FORMAT};
use velamen_report::{DataFile, Manifest};
use velamen_search::method::{Counterfeits, Decision, Records};

use super::pages;
use crate::recipients::VERSION;
use crate::utility::UtilityFigures;

pub(super) fn manifest(
    recipe: &Resolved,
    requests: &[&ColumnRequest],
    table: &FrequencyTable,
    release: &Release,
    decision: &Decision,
    (data, utility): (DataFile, UtilityFigures),
    drops_insensitive: bool,
) -> Manifest {
    let facts = recipe.method.facts;
    let untold = facts.counterfeits == Counterfeits::Untold;
    let untrue = facts.records == Records::Aggregated || facts.is_noisy();
    Manifest {
        format: Some(FORMAT),
        velamen: VERSION.into(),
        about: recipe.about.clone(),
        preset: recipe.preset.map(Preset::entry),
        method: method(recipe, table, decision, drops_insensitive),
        data,
        documents: Vec::new(),
        attached: Default::default(),
        without_report: !pages::ARE_MADE,
        node: release.qis.iter().filter_map(|qi| Some((qi.name.clone(), qi.level?.into()))).collect(),
        sample: recipe.sample.map(f64::from),
        records_per_person: recipe.records_per_person,
        missing: recipe.missing,
        truthful: untrue.then_some(false),
        records: release.records(),
        suppressed: release.suppressed,
        counterfeits: (!untold).then(|| release.counterfeits()),
        classes: release.sizes.len() as u64,
        privacy: privacy(recipe, decision),
        impossible: recipe.impossible.clone(),
        risk: recipe.risk,
        adversary: None,
        utility,
        derived: recipe.derived.iter().cloned().collect(),
        kept: recipe.kept.clone(),
        attributes: attributes(recipe, requests, table, (release, decision)),
    }
}

/// The method's section: its parameters, then what followed from them.
fn method(
    recipe: &Resolved,
    table: &FrequencyTable,
    decision: &Decision,
    drops_insensitive: bool,
) -> Statement {
    let mut statement = recipe.method.method.statement(&recipe.task(recipe.population_of(table)));
    if drops_insensitive && recipe.method.facts.counterfeits == Counterfeits::Catalogued {
        statement = statement.dropping_insensitive();
    }
    statement.extend(decision.stated.clone());
    statement
}

fn privacy(recipe: &Resolved, decision: &Decision) -> Vec<Promised> {
    let model = |asked: &AskedModel| Promised {
        model: asked.entry.terms.name.into(),
        asked: asked.asked(),
        reached: Value::Null,
    };
    let mut promises: Vec<Promised> = recipe.models.iter().map(model).collect();
    let own = decision.promises.iter().cloned();
    promises.extend(own.map(|(model, asked)| Promised { model: model.into(), asked, reached: Value::Null }));
    promises
}

fn attributes(
    recipe: &Resolved,
    requests: &[&ColumnRequest],
    table: &FrequencyTable,
    (release, decision): (&Release, &Decision),
) -> Attributes {
    let entry = |request: &&ColumnRequest| {
        let mut entry = AttributeEntry {
            pseudonym: recipe.identities.pseudonym(&request.name),
            rows: independent(recipe, &request.name),
            date_shift: recipe.identities.shift(&request.name).map(|shift| shift.days),
            ..AttributeEntry::of(request.role)
        };
        if let Some(words) = recipe.words.get(&request.name) {
            (entry.description, entry.unit) = (words.description.clone(), words.unit.clone());
        }
        if let Some(q) = table.qis.iter().position(|qi| qi.name == request.name) {
            let hierarchy = &table.qis[q].hierarchy;
            let named = recipe.attributes.iter().find(|attribute| attribute.name == request.name);
            let definition = named.and_then(|attribute| attribute.definition.clone());
            entry.level = release.qis[q].level;
            entry.recoding = entry.level.is_none().then_some(release.qis[q].recoding);
            entry.step = decision.outcome.ends(q);
            entry.levels = Some(hierarchy.top() + 1);
            entry.bottom = named.and_then(|attribute| attribute.bottom);
            entry.top = named.and_then(|attribute| attribute.top);
            entry.domain_from_data = named.is_none_or(|named| named.from_data || named.definition.is_none());
            entry.missing_values =
                !defines_null(definition.as_ref()) && hierarchy.labels(0).iter().any(|l| l == NULL);
            entry.hierarchy = Some(definition.unwrap_or(Definition::Flat { domain: hierarchy.domain() }));
        }
        if request.role == Role::Sensitive {
            let named = recipe.attributes.iter().find(|attribute| attribute.name == request.name);
            entry.hierarchy = named.and_then(|attribute| attribute.definition.clone());
        }
        (request.name.clone(), entry)
    };
    requests.iter().map(entry).collect()
}

/// What the recipe says of the records of one pseudonym.
fn independent(recipe: &Resolved, name: &str) -> Option<Rows> {
    let said =
        recipe.identities.pseudonym(name).is_some() && recipe.independent.iter().any(|own| own == name);
    said.then_some(Rows::Independent)
}

/// Whether missing values are leaves of the hierarchy already.
fn defines_null(definition: Option<&Definition>) -> bool {
    match definition {
        None => true,
        Some(Definition::Table { rows }) => rows.iter().any(|row| row[0] == NULL),
        Some(_) => false,
    }
}
