//! Noisy counts: the table over the whole public domain, the decision, and what may be said of it.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Value, json};
use velamen_core::context::Context;
use velamen_core::frequency::{FrequencyTable, QuasiIdentifier, Rest, RestColumn, Strays};
use velamen_core::hierarchy::{Hierarchy, Rule};
use velamen_core::method::contingency_table::ContingencyTable;
use velamen_core::method::ipa::Guarantee;
use velamen_core::method::ipa::private::{Found as NoisyFound, IpaPrivate};

use super::{Decided, Decision, Found, full_domain};
use crate::error::JobError;
use crate::recipe::{Method, Resolved, ResolvedAttribute};

/// The most values of one quasi-identifier's domain.
const MOST_VALUES: u64 = 1 << 20;

/// The table over the whole declared domains, so that nothing of it but its counts hangs on the records;
/// for other methods as it is.
pub(super) fn prepared(
    recipe: &Resolved,
    path: &Path,
    table: FrequencyTable,
) -> Result<FrequencyTable, JobError> {
    if !recipe.method.is_noisy() {
        return Ok(table);
    }
    let whole = |qi: &QuasiIdentifier| {
        whole(qi, &named(recipe, &qi.name).rule)
            .map_err(|problem| JobError::recipe(path, format!("attribute `{}` {problem}", qi.name)))
    };
    let whole = table.qis.iter().map(whole).collect::<Result<Vec<_>, _>>()?;
    let (hierarchies, places): (Vec<Hierarchy>, Vec<Places>) = whole.into_iter().unzip();
    let sensitive = table.rest.columns.first().map(|column| declared(recipe, column));
    let values = sensitive.as_ref().map_or(&[][..], |(_, places)| places);
    let table = parted(table, &places, values);
    let inside = |places: &Places| places.iter().map(|place| place.unwrap_or_default()).collect();
    let places: Vec<Vec<u32>> = places.iter().map(inside).collect();
    let table = table.over(hierarchies, &places);
    Ok(match sensitive {
        Some((domain, places)) => over_domain(table, domain, &places),
        None => table,
    })
}

/// Where in its whole domain each value is; `None` for one that is not there.
type Places = Vec<Option<u32>>;

/// The table without the entries of values that are in no domain, which are among its strays then. What
/// the reader let pass and is not there is a missing value that nobody declared.
fn parted(mut table: FrequencyTable, places: &[Places], values: &[Option<u32>]) -> FrequencyTable {
    let value = |entry: usize| {
        let rest = table.rest_index[entry] as usize;
        table.rest.codes.first().map_or(0, |codes| codes[rest] as usize)
    };
    let mut strays = table.strays.clone();
    let mut kept = Vec::with_capacity(table.len());
    for entry in 0..table.len() {
        let mut qis = table.codes.iter().zip(places);
        if values.get(value(entry)).is_some_and(Option::is_none) {
            strays.dropped += table.counts[entry];
        } else if qis.any(|(codes, places)| places[codes[entry] as usize].is_none()) {
            strays.add_outside(value(entry), table.counts[entry]);
        } else {
            kept.push(entry);
        }
    }
    let picked = |numbers: &Vec<u32>| kept.iter().map(|&entry| numbers[entry]).collect();
    table.codes = table.codes.iter().map(picked).collect();
    table.rest_index = picked(&table.rest_index);
    table.counts = kept.iter().map(|&entry| table.counts[entry]).collect();
    table.strays = strays;
    table
}

fn named<'a>(recipe: &'a Resolved, name: &str) -> &'a ResolvedAttribute {
    let named = recipe.attributes.iter().find(|attribute| attribute.name == name);
    named.expect("a released column is in the recipe")
}

/// A hierarchy over the whole domain, and by old leaf code the new one.
fn whole(qi: &QuasiIdentifier, rule: &Rule) -> Result<(Hierarchy, Places), String> {
    let leaves = rule.whole_domain(MOST_VALUES);
    let leaves = leaves.ok_or_else(|| {
        format!("has a hierarchy whose values cannot be listed, or more than {MOST_VALUES} of them; give it bounds, \
                 fewer decimals, or `rows`")
    })?;
    let (leaves, hierarchy) = rule.over(leaves, false);
    let place: BTreeMap<&str, u32> = leaves.iter().map(String::as_str).zip(0..).collect();
    let code = |label: &String| place.get(&*rule.canonical(label)).copied();
    let places = qi.hierarchy.labels(0).iter().map(code).collect();
    Ok((hierarchy, places))
}

/// The sensitive values in the order and extent of their declaration, and by code where each is.
fn declared(recipe: &Resolved, column: &RestColumn) -> (Vec<String>, Places) {
    let domain = named(recipe, &column.name).rule.whole_domain(u64::from(u32::MAX)).unwrap_or_default();
    let place: BTreeMap<&str, u32> = domain.iter().map(String::as_str).zip(0..).collect();
    let places = column.values.iter().map(|value| place.get(value.as_str()).copied()).collect();
    (domain, places)
}

/// The table with that domain of its sensitive column, one combination of the rest by value.
fn over_domain(mut table: FrequencyTable, domain: Vec<String>, places: &[Option<u32>]) -> FrequencyTable {
    let of_rest = |rest: &u32| places[table.rest.codes[0][*rest as usize] as usize].unwrap_or_default();
    table.rest_index = table.rest_index.iter().map(of_rest).collect();
    let mut strays = Strays { outside: Vec::new(), ..table.strays };
    for (value, &records) in table.strays.outside.iter().enumerate() {
        match places[value] {
            Some(place) => strays.add_outside(place as usize, records),
            None => strays.dropped += records,
        }
    }
    table.strays = strays;
    let len = domain.len();
    let column = RestColumn { values: domain, ..table.rest.columns[0].clone() };
    table.rest = Rest { columns: vec![column], codes: vec![(0..len as u32).collect()], len };
    table
}

pub(super) fn ipa(
    recipe: &Resolved,
    method: &IpaPrivate,
    table: &FrequencyTable,
    context: &Context<'_>,
) -> Result<Decision, JobError> {
    Ok(decision(method.plan(table, &full_domain::lattice(recipe, table), context)?))
}

pub(super) fn contingency_table(
    recipe: &Resolved,
    method: &ContingencyTable,
    table: &FrequencyTable,
    context: &Context<'_>,
) -> Result<Decision, JobError> {
    let node = full_domain::lattice(recipe, table).bottom();
    Ok(decision(method.plan(table, &node, context)?))
}

fn decision(found: NoisyFound) -> Decision {
    let original = Found::Noisy(found.original);
    Decision { plan: Decided::Noisy(Box::new(found)), found: original }
}

/// The manifest's method section: parameters, and what follows from them, the hierarchies and the
/// released levels.
pub(super) fn described(method: &Method, plan: &Decided) -> Value {
    let Decided::Noisy(found) = plan else { return Value::Null };
    let mut value = match method {
        Method::IpaPrivate(method, params, _) => json!({
            "name": "ipa",
            "guarantee": Guarantee::DifferentialPrivacy,
            "epsilon": params.epsilon,
            "delta": params.delta,
            "least-class": params.least_class,
            "spent": method.spent(),
            "left": method.left(),
            "occupied-cells-only": method.occupied_only(),
            "expected-suppressed-of-noise": found.stated.expected_suppressed,
        }),
        Method::Contingency(method, params, _) => json!({
            "name": "contingency-table",
            "epsilon": params.epsilon,
            "delta": params.delta,
            "spent": method.spent(),
            "left": velamen_dp::Loss::NONE,
            "occupied-cells-only": method.occupied_only(),
        }),
        _ => Value::Null,
    };
    value["least-count"] = found.stated.least_count.into();
    value["cells"] = found.stated.cells.to_string().into();
    value["expected-cells-of-noise"] = found.stated.expected.cells.into();
    value["expected-records-of-noise"] = found.stated.expected.records.into();
    value
}

/// Where much of the release is noise, the user should know; what is said is public.
pub(super) fn warning(plan: &Decided) -> Option<String> {
    let Decided::Noisy(found) = plan else { return None };
    let (stated, records) = (found.stated, found.release.records());
    let noise = stated.expected.records + stated.expected_suppressed;
    (noise > (records as f64 / 10.0).max(0.5)).then(|| {
        format!(
            "of the {records} released records some {noise:.0} are made by noise alone, on average over such runs; raise \
             least-count or epsilon, or release higher levels"
        )
    })
}
