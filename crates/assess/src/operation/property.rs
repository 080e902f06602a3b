//! The properties of a request, as its schema describes them.

use schemars::Schema;
use serde_json::{Map, Value};
use velamen_core::error::Problem;
use velamen_recipe::JobError;

/// One property of a request.
#[derive(Debug, Clone)]
pub struct Property {
    /// The key in JSON; the command line's flag.
    pub name: String,
    /// What it means.
    pub description: String,
    /// What a value is.
    pub kind: Kind,
    /// Whether a request must have it.
    pub required: bool,
    /// Whether it may be `null`.
    pub nullable: bool,
    /// What holds if it is left out; null where nothing does.
    pub default: Value,
    /// How help calls a value.
    pub value: Option<String>,
    /// The property that it needs beside it.
    pub needs: Option<String>,
    /// The property that it does not go with.
    pub without: Option<String>,
    /// Another name of the flag, from before.
    pub alias: Option<String>,
    /// The argument's name in a function, where it has one of its own.
    pub argument: Option<String>,
    /// Whether it is the first argument of a function, though it can be left out.
    pub first: bool,
    /// Whether the custodian's folder has to lie beside a release.
    pub custodian: bool,
    /// Whether several tables by name may stand in the place of the table.
    pub several: bool,
    /// Whether it is a flag of the command line, though a request must have it.
    pub flag: bool,
    /// Where it is left out: `command line` or `python`.
    pub absent: Option<String>,
}

/// What the value of a property is.
#[derive(Debug, Clone, PartialEq)]
pub enum Kind {
    /// A file with a table, or a table in memory.
    Table,
    /// A table or a release.
    TableOrRelease,
    /// The folder of a release.
    Release,
    /// A release and its original.
    Beside,
    /// A recipe.
    Recipe,
    /// The path of a file or folder.
    Path,
    /// A list of texts of some format; empty: any.
    Names(String),
    /// `true` or `false`.
    Switch,
    /// A whole number.
    Whole {
        /// Its type, such as `uint32`.
        format: String,
        /// The least.
        least: u64,
        /// The greatest, where there is one.
        most: Option<u64>,
    },
    /// A number.
    Number,
    /// One of some words.
    Choice(Vec<String>),
    /// A text of some format, such as `seed`; empty: any.
    Text(String),
}

impl Property {
    fn of(name: &str, schema: &Value, required: bool) -> Self {
        let text = |key: &str| schema[key].as_str().map(str::to_owned);
        let holds = |key: &str| schema[key] == true;
        Self {
            name: name.to_owned(),
            description: text("description").unwrap_or_default().replace('\n', " "),
            kind: Kind::of(schema),
            required,
            nullable: types(schema).any(|kind| kind == "null"),
            default: schema["default"].clone(),
            value: text("x-value"),
            needs: text("x-needs"),
            without: text("x-without"),
            alias: text("x-alias"),
            argument: text("x-argument"),
            first: holds("x-first"),
            custodian: holds("x-custodian"),
            several: holds("x-several"),
            flag: holds("x-flag"),
            absent: text("x-absent"),
        }
    }

    /// How messages call it: as the command line writes it.
    #[must_use]
    pub fn label(&self) -> String {
        if self.required && !self.flag { self.name.clone() } else { format!("--{}", self.name) }
    }

    fn takes(&self, value: &Value) -> bool {
        (value.is_null() && self.nullable) || self.kind.takes(value)
    }

    /// Whether a request says something of it.
    fn is_in(&self, request: &Map<String, Value>) -> bool {
        request.get(&self.name).is_some_and(says_something)
    }
}

fn says_something(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => false,
        Value::Array(items) => !items.is_empty(),
        _ => true,
    }
}

/// The types that a schema allows.
fn types(schema: &Value) -> impl Iterator<Item = &str> {
    let several = schema["type"].as_array().into_iter().flatten();
    several.chain([&schema["type"]]).filter_map(Value::as_str)
}

/// The words of an enumeration, with or without a description each.
fn words(schema: &Value) -> Vec<String> {
    let described = schema["oneOf"].as_array().into_iter().flatten().map(|one| &one["const"]);
    let plain = schema["enum"].as_array().into_iter().flatten();
    plain.chain(described).filter_map(Value::as_str).map(str::to_owned).collect()
}

impl Kind {
    fn of(schema: &Value) -> Self {
        let is = |kind: &str| types(schema).any(|one| one == kind);
        let format = schema["format"].as_str().unwrap_or_default();
        match (format, words(schema)) {
            ("table", _) => Self::Table,
            ("table-or-release", _) => Self::TableOrRelease,
            ("release", _) => Self::Release,
            ("beside", _) => Self::Beside,
            ("recipe", _) => Self::Recipe,
            ("path", _) => Self::Path,
            (_, words) if !words.is_empty() => Self::Choice(words),
            _ if is("array") => Self::Names(format.to_owned()),
            _ if is("boolean") => Self::Switch,
            _ if is("integer") => Self::Whole {
                format: format.to_owned(),
                least: schema["minimum"].as_u64().unwrap_or_default(),
                most: schema["maximum"].as_u64(),
            },
            _ if is("number") => Self::Number,
            _ => Self::Text(format.to_owned()),
        }
    }

    fn takes(&self, value: &Value) -> bool {
        let is_table = || value.is_string() || value["given"].is_string();
        match self {
            Self::Table | Self::TableOrRelease => is_table(),
            Self::Beside => value.as_array().is_some_and(|pair| pair.len() == 2),
            Self::Recipe => value.is_string() || value["text"].is_string(),
            Self::Release | Self::Path | Self::Text(_) => value.is_string(),
            Self::Names(_) => value.as_array().is_some_and(|names| names.iter().all(Value::is_string)),
            Self::Switch => value.is_boolean(),
            Self::Whole { least, most, .. } => value
                .as_u64()
                .is_some_and(|number| number >= *least && most.is_none_or(|most| number <= most)),
            Self::Number => value.is_number(),
            Self::Choice(words) => value.as_str().is_some_and(|word| words.iter().any(|one| one == word)),
        }
    }

    /// What a value is, in words.
    #[must_use]
    pub fn words(&self) -> String {
        match self {
            Self::Table => "a table".into(),
            Self::TableOrRelease => "a table or a release".into(),
            Self::Release => "a release".into(),
            Self::Beside => "a release and its original".into(),
            Self::Recipe => "a recipe".into(),
            Self::Path => "a path".into(),
            Self::Names(_) => "a list of texts".into(),
            Self::Switch => "true or false".into(),
            Self::Whole { least, most: None, .. } => format!("a whole number from {least}"),
            Self::Whole { least, most: Some(most), .. } => format!("a whole number from {least} to {most}"),
            Self::Number => "a number".into(),
            Self::Choice(words) => words.join(" or "),
            Self::Text(format) if format.is_empty() => "a text".into(),
            Self::Text(format) => format!("a text ({})", format.replace('-', " ")),
        }
    }
}

/// The properties of a request, in order.
pub(super) fn all(request: &Schema) -> Vec<Property> {
    let request = request.as_value();
    let required: Vec<&str> =
        request["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let properties = request["properties"].as_object().into_iter().flatten();
    properties.map(|(name, schema)| Property::of(name, schema, required.contains(&&**name))).collect()
}

/// Refuses what is no request of these properties. No message holds a value.
pub(super) fn check(properties: &[Property], request: &Value) -> Result<(), JobError> {
    let usage = |problem: Problem| Err(JobError::usage(problem));
    let Some(given) = request.as_object() else {
        return usage("a request is an object of JSON".into());
    };
    if let Some(unknown) = given.keys().find(|key| properties.iter().all(|one| one.name != **key)) {
        let known: Vec<&str> = properties.iter().map(|one| &*one.name).collect();
        return usage(
            Problem::new(format!("--{unknown}: there is no such option"))
                .expected(format!("some of {}", known.join(", "))),
        );
    }
    for property in properties {
        match given.get(&property.name) {
            None if property.required => {
                return usage(Problem::new(format!("{}: missing", property.label())).mend("give it"));
            }
            Some(value) if !property.takes(value) => {
                return usage(
                    Problem::new(format!("{}: a wrong value", property.label()))
                        .expected(property.kind.words()),
                );
            }
            _ => {}
        }
    }
    properties
        .iter()
        .filter(|property| property.is_in(given))
        .try_for_each(|one| goes(one, properties, given))
}

/// Refuses a property without what it needs, or beside what it does not go with.
fn goes(one: &Property, properties: &[Property], given: &Map<String, Value>) -> Result<(), JobError> {
    let named = |name: &String| properties.iter().find(|other| other.name == *name);
    let usage = |problem: Problem| Err(JobError::usage(problem));
    if let Some(other) = one.needs.as_ref().and_then(named).filter(|other| !other.is_in(given)) {
        return usage(format!("{} needs {}", one.label(), other.label()).into());
    }
    match one.without.as_ref().and_then(named).filter(|other| other.is_in(given)) {
        Some(other) => usage(
            Problem::new(format!("{} and {} do not go together", one.label(), other.label()))
                .mend("leave one out"),
        ),
        None => Ok(()),
    }
}
