//! The manifest of a release, from what a recipient may know.

use serde_json::{Map, Value, json};
use velamen_core::frequency::{FrequencyTable, Role};
use velamen_core::hierarchy::{Definition, NULL};
use velamen_core::method::h_ceiling::local::Parts;
use velamen_core::method::local_recoding::Levels;
use velamen_core::release::Release;

use super::{Decision, utility};
use crate::manifest::{AttributeEntry, DataFile, FORMAT, Manifest, Promised};
use crate::recipe::{AskedModel, Method, MethodName, Preset, Resolved};
use crate::table::Source;

pub(super) fn manifest(
    recipe: &Resolved,
    source: &Source,
    table: &FrequencyTable,
    release: &Release,
    decision: &Decision,
    data: DataFile,
) -> Manifest {
    let untold = matches!(recipe.method, Method::IpaPublished(..));
    Manifest {
        format: Some(FORMAT),
        velamen: env!("CARGO_PKG_VERSION").into(),
        preset: recipe.preset.map(Preset::entry),
        method: method(recipe, table, decision),
        data,
        node: release.qis.iter().filter_map(|qi| Some((qi.name.clone(), qi.level?.into()))).collect(),
        sample: recipe.sample.map(f64::from),
        missing: recipe.missing,
        truthful: (matches!(recipe.method, Method::Mdav { .. }) || recipe.method.is_noisy()).then_some(false),
        records: release.records(),
        suppressed: release.suppressed,
        counterfeits: (!untold).then(|| release.counterfeits()),
        classes: release.sizes.len() as u64,
        privacy: privacy(recipe, decision),
        risk: recipe.risk,
        utility: utility::figures(recipe, table, release, decision),
        attributes: attributes(recipe, source, table, release),
    }
}

fn method(recipe: &Resolved, table: &FrequencyTable, decision: &Decision) -> Map<String, Value> {
    let value = match &recipe.method {
        Method::HCeiling(method, params, parts) => {
            let mut value = json!({
                "name": "h-ceiling",
                "h": params.h,
                "padding": params.padding,
                "draw": params.draw,
                "rce": params.rce,
            });
            // With exact padding only Lemma 1 as published is promised.
            if *parts != Parts::FullDomain {
                value["parts"] = json!(parts);
            }
            let concealing = method.largest_concealing();
            if concealing < u64::MAX {
                value["largest-padded-class"] = concealing.into();
            }
            value
        }
        Method::FullDomain {
            name, metric, options, limit, assume_monotone, steps, seconds, local, ..
        } => {
            let mut value = json!({ "name": name, "metric": metric.name, "suppression-limit": limit });
            if let Some(population) = super::full_domain::population(recipe, table) {
                value["population-size"] = population.size.into();
            }
            if let Some(person) = recipe.attributes.iter().find(|a| a.role == Role::Person) {
                value["person"] = person.name.as_str().into();
            }
            if let Some(aggregate) = options.aggregate {
                value["aggregate"] = json!(aggregate);
            }
            if (options.gs_factor - 0.5).abs() > 0.0 {
                value["gs-factor"] = options.gs_factor.into();
            }
            let weighted = recipe.attributes.iter().filter(|attribute| (attribute.weight - 1.0).abs() > 0.0);
            let weights: Map<String, Value> =
                weighted.map(|attribute| (attribute.name.clone(), attribute.weight.into())).collect();
            if !weights.is_empty() {
                value["weights"] = weights.into();
            }
            for (key, set) in [("monotone", options.monotone), ("normalised", options.normalised)] {
                if set {
                    value[key] = true.into();
                }
            }
            if let Some(steps) = steps {
                value["budget-steps"] = (*steps).into();
            }
            if let Some(seconds) = seconds {
                value["budget-seconds"] = (*seconds).into();
            }
            if *assume_monotone {
                value["assume-monotone"] = true.into();
            }
            // Where one search was better, its release has one level by attribute and a node.
            let repeated = match decision.plan.full_domain() {
                Some(_) => json!("without gain"),
                None => json!(true),
            };
            match local {
                Some(Levels::All) => value["local-recoding"] = repeated,
                Some(Levels::Ends) => value["cell-suppression"] = repeated,
                None => {}
            }
            value
        }
        Method::Rows(method) => super::iab::described(method),
        Method::SafePub(method, params) => super::safe_pub::described(method, params),
        Method::IpaPublished(_, params) => super::ipa_published::described(params),
        Method::IpaPrivate(..) | Method::Contingency(..) => {
            super::ipa_private::described(&recipe.method, &decision.plan)
        }
        Method::Mdav { aggregate, .. } => json!({ "name": "mdav", "average": aggregate }),
        Method::Clustering(clusters) => {
            let mut value = json!({ "name": clusters.name, "seeds": clusters.seeds });
            if clusters.name == MethodName::CeMiClustering {
                value["lambda"] = clusters.lambda.into();
            }
            value
        }
        Method::Mondrian { partitioning } => json!({ "name": "mondrian", "partitioning": partitioning }),
    };
    value.as_object().cloned().unwrap_or_default()
}

fn privacy(recipe: &Resolved, decision: &Decision) -> Vec<Promised> {
    let model = |asked: &AskedModel| Promised {
        model: asked.entry.name.into(),
        asked: asked.asked(),
        reached: Value::Null,
    };
    let mut promises: Vec<Promised> = recipe.models.iter().map(model).collect();
    if matches!(recipe.method, Method::IpaPublished(..)) {
        // Nothing is asked of the classes; what they reached is found by the checker.
        let asked = json!({ "k": 1 });
        promises.push(Promised { model: "k-anonymity".into(), asked, reached: Value::Null });
    }
    let degree = match &decision.found {
        super::Found::HCeiling(found) => Some(found.best.degree),
        super::Found::HCeilingLocal(found) => Some(found.degree),
        _ => None,
    };
    if let (Method::HCeiling(_, params, _), Some(degree)) = (&recipe.method, degree) {
        // With no h given, h is what the winner reaches (rounded up, so that it binds).
        let h = params.h.unwrap_or_else(|| (degree * 1e9).ceil() / 1e9);
        promises.push(Promised { model: "h-ceiling".into(), asked: json!({ "h": h }), reached: Value::Null });
        let hidden = json!({ "located-counterfeits": 0 });
        promises.push(Promised { model: "catalog".into(), asked: hidden, reached: Value::Null });
    }
    promises
}

fn attributes(
    recipe: &Resolved,
    source: &Source,
    table: &FrequencyTable,
    release: &Release,
) -> Map<String, Value> {
    let entry = |request: &velamen_engine::ColumnRequest| {
        let mut entry = AttributeEntry {
            role: request.role,
            level: None,
            recoding: None,
            levels: None,
            hierarchy: None,
            domain_from_data: false,
            missing_values: false,
            bottom: None,
            top: None,
            pseudonym: recipe.identities.pseudonym(&request.name),
            date_shift: recipe.identities.shift(&request.name).map(|shift| shift.days),
        };
        if let Some(q) = table.qis.iter().position(|qi| qi.name == request.name) {
            let hierarchy = &table.qis[q].hierarchy;
            let named = recipe.attributes.iter().find(|attribute| attribute.name == request.name);
            let definition = named.and_then(|attribute| attribute.definition.clone());
            entry.level = release.qis[q].level;
            entry.recoding = entry.level.is_none().then_some(release.qis[q].recoding);
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
        (request.name.clone(), serde_json::to_value(entry).unwrap_or_default())
    };
    source.requests.iter().map(entry).collect()
}

/// Whether missing values are leaves of the hierarchy already.
fn defines_null(definition: Option<&Definition>) -> bool {
    match definition {
        None => true,
        Some(Definition::Table { rows }) => rows.iter().any(|row| row[0] == NULL),
        Some(_) => false,
    }
}
