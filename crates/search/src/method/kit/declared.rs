//! Tables over declared domains, for methods of whose releases nothing but counts may depend on the records.

use std::borrow::Cow;
use std::collections::BTreeMap;

use velamen_contract::AskedFor;
use velamen_contract::model::BY_DRAWS;
use velamen_contract::model::differential_privacy::DifferentialPrivacyParams;
use velamen_core::attribute::Attribute;
use velamen_core::error::Problem;
use velamen_core::frequency::{FrequencyTable, QuasiIdentifier, Rest, RestColumn, Role, Strays};
use velamen_core::hierarchy::{Definition, Hierarchy, NULL, Rule};

use super::each;
use super::error::MethodError;
use super::informative::Informative;
use super::joint::{self, Declared, Places};
use super::task::Task;

/// The model that private methods keep.
pub(in crate::method) const MODEL: &str = BY_DRAWS.name;

/// The most values of one quasi-identifier's domain.
const MOST_VALUES: u64 = 1 << 20;

/// The table over the whole declared domains, so that nothing of it but its counts depends on the records.
pub(in crate::method) fn prepared<'t>(
    table: Cow<'_, FrequencyTable>,
    task: &Task<'_>,
) -> Result<Cow<'t, FrequencyTable>, MethodError> {
    prepared_as(table, task, Informative::Joint)
}

/// The same, with several sensitive attributes as they are counted.
pub(in crate::method) fn prepared_as<'t>(
    table: Cow<'_, FrequencyTable>,
    task: &Task<'_>,
    informative: Informative,
) -> Result<Cow<'t, FrequencyTable>, MethodError> {
    over_domains(table.into_owned(), task, informative).map(Cow::Owned)
}

fn over_domains(
    table: FrequencyTable,
    task: &Task<'_>,
    informative: Informative,
) -> Result<FrequencyTable, MethodError> {
    let of = |qi: &QuasiIdentifier| {
        let missing = task.attribute(&qi.name).is_some_and(|attribute| attribute.missing);
        whole(qi, rule(task, &qi.name), missing)
            .map_err(|problem| MethodError::Recipe(problem.after(&format!("attribute `{}` ", qi.name))))
    };
    let whole = table.qis.iter().map(of).collect::<Result<Vec<_>, _>>()?;
    let (hierarchies, places): (Vec<Hierarchy>, Vec<Places>) = whole.into_iter().unzip();
    let domains: Vec<Declared> =
        table.rest.sensitive().map(|column| declared(task, &table.rest.columns[column])).collect();
    let (table, sensitive) = match <[Declared; 1]>::try_from(domains) {
        Ok([(domain, places)]) => {
            let rest = of_one(&table, domain);
            (table, Some((rest, places)))
        }
        Err(none) if none.is_empty() => (table, None),
        Err(several) => {
            let (table, rest, places) = match informative {
                Informative::Joint => joint::joined(table, &several)?,
                Informative::Each => each::declared(table, several),
            };
            (table, Some((rest, places)))
        }
    };
    let values = sensitive.as_ref().map_or(&[][..], |(_, places)| places);
    let table = parted(table, &places, values);
    let inside = |places: &Places| places.iter().map(|place| place.unwrap_or_default()).collect();
    let places: Vec<Vec<u32>> = places.iter().map(inside).collect();
    let table = table.over(hierarchies, &places);
    Ok(match sensitive {
        Some((rest, places)) => over_values(table, rest, &places),
        None => table,
    })
}

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
            let place = if table.rest.person().is_some() { 0 } else { value(entry) };
            strays.add_outside(place, table.counts[entry]);
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

fn rule<'a>(task: &Task<'a>, name: &str) -> &'a Rule {
    task.attribute(name).map_or(&Rule::Flat, |attribute| &*attribute.rule)
}

/// A hierarchy over the whole domain, and by old leaf code the new one.
/// The hierarchy over all values that an attribute declares; `None` where they cannot be listed.
pub(in crate::method) fn whole_hierarchy(attribute: &Attribute) -> Option<Hierarchy> {
    let mut leaves = attribute.rule.whole_domain(MOST_VALUES)?;
    if attribute.missing && !leaves.iter().any(|leaf| leaf == NULL) {
        leaves.push(NULL.to_owned());
    }
    Some(attribute.rule.over(leaves, false).1)
}

fn whole(qi: &QuasiIdentifier, rule: &Rule, missing: bool) -> Result<(Hierarchy, Places), Problem> {
    let leaves = rule.whole_domain(MOST_VALUES);
    let mut leaves = leaves.ok_or_else(|| {
        Problem::new(format!(
            "has a hierarchy whose values cannot be listed, or more than {MOST_VALUES} of them"
        ))
        .mend("give it bounds, fewer decimals, or `rows`")
    })?;
    if missing && !leaves.iter().any(|leaf| leaf == NULL) {
        leaves.push(NULL.to_owned());
    }
    let (leaves, hierarchy) = rule.over(leaves, false);
    let place: BTreeMap<&str, u32> = leaves.iter().map(String::as_str).zip(0..).collect();
    let code = |label: &String| place.get(&*rule.canonical(label)).copied();
    let places = qi.hierarchy.labels(0).iter().map(code).collect();
    Ok((hierarchy, places))
}

/// The sensitive values in the order and extent of their declaration, and by code where each is.
fn declared(task: &Task<'_>, column: &RestColumn) -> Declared {
    let domain = rule(task, &column.name).whole_domain(u64::from(u32::MAX)).unwrap_or_default();
    let place: BTreeMap<&str, u32> = domain.iter().map(String::as_str).zip(0..).collect();
    let places = column.values.iter().map(|value| place.get(value.as_str()).copied()).collect();
    (domain, places)
}

/// The whole domain of the one sensitive column, one combination by value.
fn of_one(table: &FrequencyTable, domain: Vec<String>) -> Rest {
    let len = domain.len();
    let column = RestColumn { values: domain, ..table.rest.columns[0].clone() };
    Rest { columns: vec![column], codes: vec![(0..len as u32).collect()], len }
}

/// The table with the whole domain of its sensitive columns; `places`: by code of the first where in it.
fn over_values(mut table: FrequencyTable, rest: Rest, places: &[Option<u32>]) -> FrequencyTable {
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
    table.rest = rest;
    table
}

/// The table with a leaf for missing values in every hierarchy, so that no domain shows whether one occurs.
pub(in crate::method) fn with_missing(table: FrequencyTable, task: &Task<'_>) -> FrequencyTable {
    let (hierarchies, places): (Vec<_>, Vec<_>) =
        table.qis.iter().map(|qi| missing_leaf(qi, rule(task, &qi.name))).unzip();
    table.over(hierarchies, &places)
}

/// A hierarchy over the values and the missing one, and by old leaf code the new one.
fn missing_leaf(qi: &QuasiIdentifier, rule: &Rule) -> (Hierarchy, Vec<u32>) {
    let old = qi.hierarchy.labels(0);
    let missing = (!old.iter().any(|label| label == NULL)).then(|| NULL.to_owned());
    let (leaves, hierarchy) = rule.over(old.iter().cloned().chain(missing).collect(), false);
    let place: BTreeMap<&str, u32> = leaves.iter().map(String::as_str).zip(0..).collect();
    (hierarchy, old.iter().map(|label| place[label.as_str()]).collect())
}

/// The one privacy model of a method of noisy counts, if all that is released has a public domain.
/// Why insensitive columns are dropped.
pub(in crate::method) const DROPPED: &str = "as drop-insensitive asks for";

pub(in crate::method) fn noisy(
    task: &Task<'_>,
    method: &str,
    drops_insensitive: bool,
) -> Result<(f64, f64), Problem> {
    for attribute in task.attributes {
        listed(attribute, drops_insensitive).map_err(|problem| of_attribute(&attribute.name, problem))?;
    }
    match task.models {
        [asked] if asked.entry.terms.facts.private => Ok(epsilon_delta(&asked.model.parameters())),
        _ => Err(format!(
            "{method} keeps one model only: [[privacy]] model = \"{MODEL}\" with epsilon, and delta if it may be above \
             0"
        )
        .into()),
    }
}

/// A problem of an attribute, which the sentence begins with.
pub(in crate::method) fn of_attribute(name: &str, problem: Problem) -> Problem {
    problem.after(&format!("attribute `{name}` ")).blaming(name)
}

/// ε and δ of the model's parameters.
pub(in crate::method) fn epsilon_delta(parameters: &serde_json::Value) -> (f64, f64) {
    let read: Option<DifferentialPrivacyParams> = AskedFor(parameters).parameters();
    read.map_or_else(Default::default, |DifferentialPrivacyParams { epsilon, delta }| (epsilon, delta))
}

/// Whether the domain of a released attribute can be listed without the data.
fn listed(attribute: &Attribute, drops_insensitive: bool) -> Result<(), Problem> {
    match attribute.role {
        Role::Identifier => Ok(()),
        Role::Insensitive if drops_insensitive => Ok(()),
        Role::Insensitive => Err(Problem::new(
            "is insensitive and would be released as it is, which is not differentially private",
        )
        .mend(
            "drop such columns with drop-insensitive = true, or give it the role \"quasi-identifier\" \
                with a hierarchy",
        )),
        Role::Person => {
            Err(Problem::new("has the role \"person\": the guarantee counts records, not persons")
                .mend("give it the role \"identifier\" if each person has one record"))
        }
        Role::Sensitive => match &attribute.definition {
            Some(Definition::Table { .. }) => Ok(()),
            _ => Err(
                "needs its values declared, whether they occur or not: domain = [\"A\", \"B\"], or domain = \
                      \"codes.csv\", a file with one value a line"
                    .into(),
            ),
        },
        Role::QuasiIdentifier => listed_hierarchy(attribute),
    }
}

fn listed_hierarchy(attribute: &Attribute) -> Result<(), Problem> {
    match &attribute.definition {
        _ if attribute.from_data => Ok(refuse_bins(attribute)?),
        None => Err("needs a hierarchy: without one its domain is read off the data".into()),
        Some(Definition::Mask { .. }) => {
            let problem = Problem::new("has a mask, which does not list the codes there are")
                .mend("give a hierarchy as a file or as `rows`");
            Err(Problem::of(&["hierarchy", "mask"], problem))
        }
        Some(definition) if definition.is_of_codes() => {
            Err(Problem::new("has the structure of its codes, which does not list those there are")
                .mend("make a file from a public list of them, velamen hierarchy build --codes"))
        }
        Some(_) => Ok(()),
    }
}

/// Refuses a hierarchy that is read off the data.
pub(in crate::method) fn refuse_bins(attribute: &Attribute) -> Result<(), Problem> {
    match attribute.from_data {
        true => Err(Problem::new("has bins that are read off the data, which is not differentially private")
            .mend("give `cuts`, or `interval` with `min` and `max`, that are known without them")),
        false => Ok(()),
    }
}
