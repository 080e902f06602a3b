//! The manifest of a release, from what a recipient may know.

use serde_json::{Map, Value, json};
use velamen_core::frequency::{FrequencyTable, Role};
use velamen_core::hierarchy::{Definition, NULL};
use velamen_core::method::local_recoding::Levels;
use velamen_core::metric::rce::Reading;
use velamen_core::metric::{REGISTRY, released};
use velamen_core::release::Release;

use super::Decision;
use crate::manifest::{AttributeEntry, DataFile, Manifest, Promised};
use crate::recipe::{AskedModel, Method, Resolved};
use crate::table::Source;

pub(super) fn manifest(
    recipe: &Resolved,
    source: &Source,
    table: &FrequencyTable,
    release: &Release,
    decision: &Decision,
    data: DataFile,
) -> Manifest {
    Manifest {
        velamen: env!("CARGO_PKG_VERSION").into(),
        method: method(recipe),
        data,
        node: release.qis.iter().filter_map(|qi| Some((qi.name.clone(), qi.level?.into()))).collect(),
        sample: recipe.sample.map(f64::from),
        truthful: matches!(recipe.method, Method::Mdav { .. }).then_some(false),
        records: release.records(),
        suppressed: release.suppressed,
        counterfeits: release.counterfeits(),
        classes: release.sizes.len() as u64,
        privacy: privacy(recipe, decision),
        utility: utility(recipe, table, release),
        attributes: attributes(recipe, source, table, release),
    }
}

fn method(recipe: &Resolved) -> Map<String, Value> {
    let value = match &recipe.method {
        Method::HCeiling(method, params) => {
            let mut value = json!({
                "name": "h-ceiling",
                "h": params.h,
                "padding": params.padding,
                "draw": params.draw,
                "rce": params.rce,
            });
            // With exact padding only Lemma 1 as published is promised.
            let concealing = method.largest_concealing();
            if concealing < u64::MAX {
                value["largest-padded-class"] = concealing.into();
            }
            value
        }
        Method::Optimal { name, metric, limit, assume_monotone, local, .. } => {
            let mut value = json!({ "name": name, "metric": metric.name, "suppression-limit": limit });
            if *assume_monotone {
                value["assume-monotone"] = true.into();
            }
            match local {
                Some(Levels::All) => value["local-recoding"] = true.into(),
                Some(Levels::Ends) => value["cell-suppression"] = true.into(),
                None => {}
            }
            value
        }
        Method::Mdav { aggregate, .. } => json!({ "name": "mdav", "aggregate": aggregate }),
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
    if let (Method::HCeiling(_, params), super::Found::HCeiling(found)) = (&recipe.method, &decision.found) {
        // With no h given, h is what the winner reaches (rounded up, so that it binds).
        let h = params.h.unwrap_or_else(|| (found.best.degree * 1e9).ceil() / 1e9);
        promises.push(Promised { model: "h-ceiling".into(), asked: json!({ "h": h }), reached: Value::Null });
        let hidden = json!({ "located-counterfeits": 0 });
        promises.push(Promised { model: "catalog".into(), asked: hidden, reached: Value::Null });
    }
    promises
}

fn utility(recipe: &Resolved, table: &FrequencyTable, release: &Release) -> Map<String, Value> {
    let mut utility = Map::new();
    let covering = !matches!(recipe.method, Method::Mdav { .. });
    for metric in REGISTRY.iter().filter(|_| covering) {
        let (value, by_attribute) = released::cell_metric(*metric, release, &table.qis);
        let names = table.qis.iter().map(|qi| qi.name.clone());
        let by_attribute: Map<String, Value> = names.zip(by_attribute.into_iter().map(Value::from)).collect();
        utility.insert(metric.name.into(), json!({ "value": value, "by-attribute": by_attribute }));
    }
    let levels: Option<Vec<u32>> = release.qis.iter().map(|qi| qi.level.map(u32::from)).collect();
    if let Some(levels) = levels {
        utility.insert("height".into(), levels.iter().sum::<u32>().into());
    }
    utility.insert("discernibility".into(), released::discernibility(release).into());
    utility.insert("average-class-size".into(), released::average_class_size(release).into());
    if !covering {
        return utility;
    }
    let reading = match &recipe.method {
        Method::HCeiling(_, params) => params.rce,
        _ => Reading::Marginal,
    };
    let rce = released::expected_rce(release, &table.qis, reading);
    let real = (release.records() - release.counterfeits()) as f64;
    let normalised = rce / (real * reading.integrals(table.qis.len()));
    utility.insert("rce".into(), json!({ "value": rce, "normalised": normalised, "reading": reading }));
    utility
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
            entry.domain_from_data = definition.is_none();
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
