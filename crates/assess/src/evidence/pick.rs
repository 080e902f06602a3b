//! A figure: a place in an answer in JSON, and the filter of `jq` that shows the same place.

use serde::Deserialize;
use serde_json::{Value, json};
use velamen_contract::model;

/// Where a figure comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Source {
    /// `release.json`.
    Manifest,
    /// `velamen verify RELEASE`.
    Verify,
    /// `velamen risk RELEASE`.
    Risk,
    /// `velamen profile` of the released file.
    Profile,
    /// `custodian.json`.
    Custodian,
    /// `velamen risk RELEASE --before ORIGINAL`.
    Before,
    /// `velamen profile ORIGINAL`.
    Original,
    /// `velamen attack RELEASE --original ORIGINAL`.
    Attack,
}

impl Source {
    pub(super) const ALL: [Self; 8] = [
        Self::Manifest,
        Self::Verify,
        Self::Risk,
        Self::Profile,
        Self::Custodian,
        Self::Before,
        Self::Original,
        Self::Attack,
    ];

    /// The beginning of a sentence on what it does not give.
    fn gives(self) -> &'static str {
        match self {
            Self::Manifest => "the release states",
            Self::Verify => "`velamen verify` gives",
            Self::Risk | Self::Before => "`velamen risk` gives",
            Self::Profile | Self::Original => "`velamen profile` gives",
            Self::Custodian => "the custodian's folder has",
            Self::Attack => "`velamen attack` gives",
        }
    }

    /// Whether it is about the original records.
    pub(super) fn is_custodians(self) -> bool {
        matches!(self, Self::Custodian | Self::Before | Self::Original | Self::Attack)
    }
}

/// A figure as forms define it.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Asked {
    /// What it is.
    pub(super) label: String,
    /// Where it comes from.
    pub(super) from: Source,
    /// Its place, as a JSON pointer; of the first entry of `each`, where that is given.
    #[serde(default)]
    pub(super) at: Option<String>,
    /// The list or object whose entries are rows.
    #[serde(default)]
    each: Option<String>,
    /// The entries that count.
    #[serde(default)]
    only: Option<Only>,
    /// The columns of a table of all entries.
    #[serde(default)]
    pub(super) columns: Vec<Column>,
    /// How it is shown.
    #[serde(default)]
    pub(super) shown: Shown,
}

/// Which entries count.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Only {
    at: String,
    /// What must not be there.
    #[serde(default)]
    lacks: Vec<String>,
    /// The values that count; `@models` stands for the names of the promised models, `@bounding` for those that bound what is
    /// learned of a person in a group. Left out: any that is there.
    #[serde(default)]
    is: Option<Vec<Value>>,
}

/// A column of a table.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Column {
    pub(super) title: String,
    /// A pointer into the entry; `@key` is its name in an object.
    at: String,
}

impl Column {
    fn cell(&self, key: &Value, entry: &Value) -> Value {
        match &*self.at {
            KEY => key.clone(),
            at => entry.pointer(at).cloned().unwrap_or(Value::Null),
        }
    }
}

/// What a risk is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    /// People, as a release states them.
    People,
    /// Records.
    Records,
}

/// How a value is written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Shown {
    /// By its type.
    #[default]
    Plain,
    /// A share in percent.
    Percent,
    /// `true` is "met".
    Met,
    /// Of a table, the first cell of each row, with the last in brackets: what is promised, and whether that was found.
    States,
}

/// The name of an entry of an object.
const KEY: &str = "@key";

/// The names of the models that a release promises.
const MODELS: &str = "@models";
/// Those of them that bound what is learned of a person in a group.
const BOUNDING: &str = "@bounding";

impl Asked {
    /// What is counted in a figure of risk where a person has several records; nothing of what is no risk.
    pub(super) fn counts_of_risk(&self) -> Option<Unit> {
        let is_risk = self.from == Source::Risk && self.at.as_deref() != Some("/quasi-identifiers");
        let unit = if self.each.as_deref() == Some("/attributes") { Unit::Records } else { Unit::People };
        is_risk.then_some(unit)
    }

    /// Whether it is what records lost of their detail, or what follows from the sizes of groups.
    pub(super) fn is_of_groups(&self) -> bool {
        self.counts_of_risk().is_some() || self.at.as_deref().is_some_and(|at| at.starts_with("/utility"))
    }

    /// The figure in an answer; `None` if it is not there, or nobody could compute it.
    pub(super) fn pick(&self, answer: &Value, models: &[String]) -> Option<Value> {
        let found = match &self.each {
            None => answer.pointer(self.at.as_deref()?)?.clone(),
            Some(each) => self.pick_entries(answer.pointer(each)?, models)?,
        };
        (!found.is_null()).then_some(found)
    }

    /// Why an answer has no such figure: its own words where it has some.
    pub(super) fn why_missing(&self, answer: &Value) -> String {
        let place = self.each.as_deref().or(self.at.as_deref()).unwrap_or_default();
        // An attack that was not tried says why.
        let attack = place.rsplit_once('/').map(|(attack, _)| format!("{attack}/left-out"));
        match attack.and_then(|left_out| answer.pointer(&left_out)?.as_str()) {
            Some(why) => why.to_owned(),
            None => format!("{} no figure for “{}”", self.from.gives(), self.label),
        }
    }

    fn pick_entries(&self, list: &Value, models: &[String]) -> Option<Value> {
        let entries: Vec<(Value, &Value)> = match list {
            Value::Array(items) => items.iter().map(|item| (Value::Null, item)).collect(),
            Value::Object(items) => items.iter().map(|(key, item)| (json!(key), item)).collect(),
            _ => return None,
        };
        let mut kept = entries.into_iter().filter(|(_, entry)| self.counts(entry, models));
        if let Some(at) = &self.at {
            return kept.next().and_then(|(_, entry)| entry.pointer(at)).cloned();
        }
        Some(kept.map(|(key, entry)| self.row(&key, entry)).collect())
    }

    fn row(&self, key: &Value, entry: &Value) -> Value {
        self.columns.iter().map(|column| column.cell(key, entry)).collect()
    }

    fn counts(&self, entry: &Value, models: &[String]) -> bool {
        let Some(only) = &self.only else { return true };
        if only.lacks.iter().any(|at| entry.pointer(at).is_some_and(|found| !found.is_null())) {
            return false;
        }
        let found = entry.pointer(&only.at).filter(|found| !found.is_null());
        match (&only.is, found) {
            (_, None) => false,
            (None, Some(_)) => true,
            (Some(values), Some(found)) => named(values, models).contains(found),
        }
    }

    /// The filter of `jq` that gives the same value.
    pub(super) fn filter(&self, models: &[String], answer: &Value) -> String {
        let Some(each) = &self.each else { return path(self.at.as_deref().unwrap_or_default()) };
        let is_object = answer.pointer(each).is_some_and(Value::is_object);
        let (entries, inside) = match is_object {
            true => (format!("{} | to_entries[]", path(each)), ".value"),
            false => (format!("{}[]", path(each)), ""),
        };
        let select = self.only.as_ref().map(|only| only.filter(models, inside)).unwrap_or_default();
        if let Some(at) = &self.at {
            return format!("first({entries}{select} | {})", within(inside, at));
        }
        let columns: Vec<String> = self.columns.iter().map(|column| within(inside, &column.at)).collect();
        format!("[{entries}{select} | [{}]]", columns.join(", "))
    }
}

impl Only {
    fn filter(&self, models: &[String], inside: &str) -> String {
        let place = within(inside, &self.at);
        let lacks = self.lacks.iter().map(|at| format!(" | select({} == null)", within(inside, at)));
        let kept = match &self.is {
            None => format!(" | select({place} != null)"),
            Some(values) => {
                let values: Vec<String> = named(values, models).iter().map(Value::to_string).collect();
                format!(" | select({place} | IN({}))", values.join(", "))
            }
        };
        kept + &lacks.collect::<String>()
    }
}

/// The values, with the models' names for what stands for them.
fn named(values: &[Value], models: &[String]) -> Vec<Value> {
    values.iter().flat_map(|value| of_models(value, models)).collect()
}

fn of_models(value: &Value, models: &[String]) -> Vec<Value> {
    let bounding = value == BOUNDING;
    if value != MODELS && !bounding {
        return vec![value.clone()];
    }
    models.iter().filter(|name| !bounding || bounds_inference(name)).map(|name| json!(name)).collect()
}

/// Whether a model bounds what is learned of the people in a group; the sizes of groups do not.
pub(super) fn bounds_inference(name: &str) -> bool {
    model::find(name).is_some_and(|terms| terms.facts.private || terms.facts.sensitive)
}

/// A place inside an entry.
fn within(inside: &str, at: &str) -> String {
    if at == KEY {
        return ".key".into();
    }
    let path = path(at);
    match (inside, &*path) {
        ("", _) => path,
        (_, ".") => inside.to_owned(),
        // A name in quotes stands behind what it is of without a dot.
        (_, path) if path.starts_with(".[") => format!("{inside}{}", &path[1..]),
        _ => format!("{inside}{path}"),
    }
}

/// A JSON pointer as `jq` writes it.
fn path(pointer: &str) -> String {
    let steps: String = pointer.split('/').skip(1).map(step).collect();
    // `jq` reads a path from its first dot on.
    if steps.starts_with('.') { steps } else { format!(".{steps}") }
}

fn step(step: &str) -> String {
    let step = step.replace("~1", "/").replace("~0", "~");
    let plain = step.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && step.chars().all(|one| one.is_ascii_alphanumeric() || one == '_');
    match step.parse::<usize>() {
        Ok(index) => format!("[{index}]"),
        Err(_) if plain => format!(".{step}"),
        Err(_) => format!("[{}]", json!(step)),
    }
}
