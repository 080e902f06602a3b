//! Forms from JSON Schemas: what a recipe's table may hold becomes fields, and what is filled in becomes its values.
//!
//! Nothing here knows a model, a method or a hierarchy by name: a new entry of a registry has its form at once.

use maud::{Markup, html};
use serde_json::{Map, Value as Json};
use velamen_core::error::Problem;
use velamen_report::language::{mark, say, t};

use crate::edit::{self, Edit};
use crate::form::Form;
use crate::words::of_pages;

/// One key of a table.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Field {
    pub(crate) key: String,
    pub(crate) description: String,
    /// What holds where it is left out.
    pub(crate) default: Option<Json>,
    pub(crate) required: bool,
    pub(crate) shape: Shape,
}

/// What a key can hold.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Shape {
    /// One value: the key says which entry this is.
    Fixed(Json),
    /// One of several words, each with its meaning.
    Choice(Vec<(String, String)>),
    /// Some of several words.
    Several(Vec<(String, String)>),
    Truth,
    Whole {
        min: Option<f64>,
        max: Option<f64>,
    },
    Number {
        min: Option<f64>,
        max: Option<f64>,
    },
    Text,
    /// A number, or a text.
    Either,
    /// Numbers in a line.
    Numbers,
    /// Texts, one a line.
    Texts,
    /// Numbers, several a line.
    NumberLists,
    /// Names with numbers, one a line.
    Named,
    /// Anything else, as recipes write it.
    Written,
}

/// A schema in place of a reference to it, without the choice of nothing.
pub(crate) fn resolved<'s>(root: &'s Json, schema: &'s Json) -> &'s Json {
    if let Some(name) = schema["$ref"].as_str().and_then(|reference| reference.strip_prefix("#/$defs/")) {
        return resolved(root, &root["$defs"][name]);
    }
    let is_null = |schema: &&Json| schema["type"] == "null";
    match schema["anyOf"].as_array().map(Vec::as_slice) {
        Some([one, other]) if is_null(&other) => resolved(root, one),
        Some([one, other]) if is_null(&one) => resolved(root, other),
        _ => schema,
    }
}

/// The fields of a table's schema.
pub(crate) fn fields(root: &Json, table: &Json) -> Vec<Field> {
    let required: Vec<&str> =
        table["required"].as_array().into_iter().flatten().filter_map(Json::as_str).collect();
    let properties = table["properties"].as_object();
    let field = |(key, schema): (&String, &Json)| Field {
        key: key.clone(),
        description: schema["description"].as_str().unwrap_or_default().to_owned(),
        default: schema.get("default").filter(|default| !default.is_null()).cloned(),
        required: required.contains(&key.as_str()),
        shape: shape(root, resolved(root, schema)),
    };
    properties.into_iter().flatten().map(field).collect()
}

/// The words that a schema allows, each with its meaning.
fn words(schema: &Json) -> Option<Vec<(String, String)>> {
    let description = || schema["description"].as_str().unwrap_or_default().to_owned();
    if let Some(one) = schema["const"].as_str() {
        return Some(vec![(one.to_owned(), description())]);
    }
    if let Some(all) = schema["enum"].as_array() {
        return all.iter().map(|word| word.as_str().map(|word| (word.to_owned(), String::new()))).collect();
    }
    let all: Option<Vec<_>> = schema["oneOf"].as_array()?.iter().map(words).collect();
    all.map(|all| all.into_iter().flatten().collect())
}

/// The type, where nothing may be given besides.
fn kind(schema: &Json) -> Option<&str> {
    match &schema["type"] {
        Json::String(kind) => Some(kind),
        Json::Array(kinds) => {
            let mut kinds = kinds.iter().filter_map(Json::as_str).filter(|kind| *kind != "null");
            kinds.next().filter(|_| kinds.next().is_none())
        }
        _ => None,
    }
}

fn shape(root: &Json, schema: &Json) -> Shape {
    if let Some(fixed) = schema.get("const") {
        return Shape::Fixed(fixed.clone());
    }
    if let Some(words) = words(schema) {
        return Shape::Choice(words);
    }
    let (min, max) = (schema["minimum"].as_f64(), schema["maximum"].as_f64());
    match kind(schema) {
        Some("boolean") => Shape::Truth,
        Some("integer") => Shape::Whole { min, max },
        Some("number") => Shape::Number { min, max },
        Some("string") => Shape::Text,
        Some("array") => list(root, resolved(root, &schema["items"])),
        Some("object") if kind(&schema["additionalProperties"]) == Some("number") => Shape::Named,
        _ => match schema["anyOf"].as_array() {
            Some(kinds)
                if kinds.iter().all(|one| matches!(kind(one), Some("integer" | "number" | "string"))) =>
            {
                Shape::Either
            }
            _ => Shape::Written,
        },
    }
}

fn list(root: &Json, items: &Json) -> Shape {
    match shape(root, items) {
        Shape::Choice(words) => Shape::Several(words),
        Shape::Whole { .. } | Shape::Number { .. } => Shape::Numbers,
        Shape::Text => Shape::Texts,
        Shape::Numbers => Shape::NumberLists,
        _ => Shape::Written,
    }
}

/// The name of a field in a form.
fn name(key: &str) -> String {
    format!("f.{key}")
}

/// A number that is whole where it can be.
fn number(text: &str) -> Result<Json, String> {
    let whole = text.parse::<i64>().ok().map(Json::from);
    let wrong = || format!("`{text}` is not a number");
    whole
        .or_else(|| text.parse::<f64>().ok().filter(|number| number.is_finite()).map(Json::from))
        .ok_or_else(wrong)
}

fn numbers(text: &str) -> Result<Vec<Json>, String> {
    let parts = text.split(|sign: char| sign == ',' || sign == ';' || sign.is_whitespace());
    parts.filter(|part| !part.is_empty()).map(number).collect()
}

fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().map(|line| line.trim_end_matches('\r')).filter(|line| !line.trim().is_empty())
}

impl Field {
    /// Whether its values are lists.
    pub(crate) fn takes_lists(&self) -> bool {
        use Shape::{NumberLists, Numbers, Several, Texts, Written};
        matches!(self.shape, Several(_) | Numbers | Texts | NumberLists | Written)
    }

    /// What a form says for the key; nothing where it is left out.
    ///
    /// # Errors
    /// What is wrong, with the key.
    pub(crate) fn read(&self, form: &Form) -> Result<Option<Json>, Problem> {
        let name = name(&self.key);
        let text = form.text(&name);
        let read = match &self.shape {
            Shape::Fixed(fixed) => return Ok(Some(fixed.clone())),
            Shape::Truth => {
                let is_on = form.all(&name).any(|word| word == "true");
                let usual = self.default.as_ref().and_then(Json::as_bool).unwrap_or(false);
                return Ok((is_on != usual).then(|| is_on.into()));
            }
            Shape::Several(words) => {
                let chosen: Vec<Json> = (words.iter().map(|(word, _)| word.as_str()))
                    .filter(|word| form.all(&name).any(|chosen| chosen == *word))
                    .map(Json::from)
                    .collect();
                Ok((!chosen.is_empty()).then(|| chosen.into()))
            }
            _ if text.trim().is_empty() => Ok(None),
            Shape::Choice(words) if words.iter().all(|(word, _)| word != text) => {
                Err(format!("`{text}` is no choice"))
            }
            shape => one(shape, text).map(Some),
        };
        match read.map_err(|problem| Problem::new(format!("{}: {problem}", self.key)))? {
            None if self.required => Err(Problem::new(format!("{}: missing", self.key))
                .mend(format!("fill it in: {}", self.description))),
            read => Ok(read),
        }
    }

    /// The field with its label and description; `value` is what stands there, `typed` what was filled in last.
    pub(crate) fn view(&self, prefix: &str, value: Option<&Json>, typed: Option<&Form>) -> Markup {
        if matches!(self.shape, Shape::Fixed(_)) {
            return html! {};
        }
        let (id, name) = (format!("{prefix}-{}", self.key), name(&self.key));
        let typed = typed.map(|form| form.all(&name).map(str::to_owned).collect::<Vec<_>>());
        let texts = typed.unwrap_or_else(|| value.map(|value| self.texts(value)).unwrap_or_default());
        let text = texts.first().map(String::as_str).unwrap_or_default();
        let described = format!("{id}-is");
        let usual = self.default.as_ref().map(|default| self.texts(default).join(", ")).unwrap_or_default();
        html! {
            div.field {
                @match &self.shape {
                    Shape::Fixed(_) => {}
                    Shape::Truth => {
                        div.check {
                            input id=(id) type="checkbox" name=(name) value="true" checked[text == "true"] aria-describedby=(described);
                            label for=(id) { code { (self.key) } }
                        }
                    }
                    Shape::Several(words) => {
                        fieldset {
                            legend { code { (self.key) } }
                            @for (word, meaning) in words {
                                label.check title=(prose_text(t(meaning))) {
                                    input id={ (id) "-" (word) } type="checkbox" name=(name) value=(word) checked[texts.contains(word)];
                                    " " (word)
                                }
                            }
                        }
                    }
                    Shape::Choice(words) => {
                        label for=(id) { code { (self.key) } }
                        select id=(id) name=(name) aria-describedby=(described) {
                            @if !self.required {
                                option value="" { @if usual.is_empty() { (t("left out")) } @else { (say!("left out: {}", usual)) } }
                            }
                            @for (word, meaning) in words { option value=(word) selected[word == text] title=(prose_text(t(meaning))) { (word) } }
                        }
                        @if let Some((_, meaning)) = words.iter().find(|(word, _)| word == text).filter(|(_, meaning)| !meaning.is_empty()) {
                            p.note { (prose(t(meaning))) }
                        }
                    }
                    Shape::Texts | Shape::NumberLists | Shape::Named | Shape::Written => {
                        label for=(id) { code { (self.key) } }
                        textarea id=(id) name=(name) rows=(text.lines().count().clamp(2, 12)) spellcheck="false" autocomplete="off"
                            aria-describedby=(described) { (text) }
                    }
                    Shape::Whole { min, max } | Shape::Number { min, max } => {
                        label for=(id) { code { (self.key) } }
                        input.narrow id=(id) type="number" name=(name) value=(text) min=[min] max=[max] required[self.required]
                            step=(if matches!(self.shape, Shape::Whole { .. }) { "1" } else { "any" })
                            placeholder=(usual) aria-describedby=(described) autocomplete="off";
                    }
                    Shape::Text | Shape::Either | Shape::Numbers => {
                        label for=(id) { code { (self.key) } }
                        input id=(id) type="text" name=(name) value=(text) required[self.required] placeholder=(usual)
                            aria-describedby=(described) autocomplete="off";
                    }
                }
                p.note id=(described) { (prose(t(&self.description))) @if let Some(how) = how(&self.shape) { " " (how) } }
            }
        }
    }

    /// A value as the field shows it: several where there are several boxes.
    fn texts(&self, value: &Json) -> Vec<String> {
        let items = || value.as_array().into_iter().flatten();
        match (&self.shape, value) {
            (Shape::Several(_), _) => items().map(plain).collect(),
            (Shape::Texts, _) => vec![items().map(plain).collect::<Vec<_>>().join("\n")],
            (Shape::Numbers, _) => vec![items().map(plain).collect::<Vec<_>>().join(", ")],
            (Shape::NumberLists, _) => {
                vec![items().map(in_one_line).collect::<Vec<_>>().join("\n")]
            }
            (Shape::Named, Json::Object(all)) => {
                vec![
                    all.iter()
                        .map(|(name, number)| format!("{name} = {number}"))
                        .collect::<Vec<_>>()
                        .join("\n"),
                ]
            }
            (Shape::Written, _) => vec![edit::written(value)],
            (_, Json::Null) => Vec::new(),
            _ => vec![plain(value)],
        }
    }
}

fn in_one_line(list: &Json) -> String {
    list.as_array().into_iter().flatten().map(plain).collect::<Vec<_>>().join(", ")
}

/// A value without quotes, whole where it can be.
fn plain(value: &Json) -> String {
    match value {
        Json::String(text) => text.clone(),
        Json::Number(number) => {
            number.as_f64().map_or_else(|| number.to_string(), |number| number.to_string())
        }
        other => other.to_string(),
    }
}

fn one(shape: &Shape, text: &str) -> Result<Json, String> {
    let trimmed = text.trim();
    match shape {
        Shape::Whole { .. } | Shape::Number { .. } => number(trimmed),
        Shape::Numbers => numbers(text).map(Json::from),
        Shape::Texts => Ok(lines(text).collect::<Vec<_>>().into()),
        Shape::NumberLists => lines(text)
            .map(|line| numbers(line).map(Json::from))
            .collect::<Result<Vec<_>, _>>()
            .map(Json::from),
        Shape::Named => lines(text).map(pair).collect::<Result<Map<_, _>, _>>().map(Json::from),
        Shape::Either => Ok(trimmed.parse::<u64>().map_or_else(|_| trimmed.into(), Json::from)),
        Shape::Written => {
            edit::read_value(trimmed).ok_or_else(|| "write it as a recipe does, in TOML".to_owned())
        }
        _ => Ok(trimmed.into()),
    }
}

fn pair(line: &str) -> Result<(String, Json), String> {
    let (name, share) = line.rsplit_once('=').ok_or("write `value = number`, one a line")?;
    Ok((name.trim().to_owned(), number(share.trim())?))
}

/// How several values are written into one field.
fn how(shape: &Shape) -> Option<&'static str> {
    let how = match shape {
        Shape::Numbers => mark("Separate numbers by commas."),
        Shape::Texts => mark("One a line."),
        Shape::NumberLists => mark("One level a line, numbers separated by commas."),
        Shape::Named => mark("One a line: value = number."),
        Shape::Written => mark("As recipes write it, in TOML."),
        _ => return None,
    };
    Some(t(how))
}

/// The values of a form for a table, left-out keys left out.
///
/// # Errors
/// What is wrong with the first field that is.
pub(crate) fn table(fields: &[Field], form: &Form) -> Result<Map<String, Json>, Problem> {
    let mut table = Map::new();
    for field in fields {
        if let Some(value) = field.read(form)? {
            table.insert(field.key.clone(), value);
        }
    }
    Ok(table)
}

/// Words of a schema's description: code in backticks, links as plain text.
pub(crate) fn prose(text: &str) -> Markup {
    coded(&text.replace("[`", "`").replace("`]", "`").replace('\n', " "))
}

/// The same without marks, for attributes.
pub(crate) fn prose_text(text: &str) -> String {
    text.replace("[`", "").replace("`]", "").replace('`', "").replace('\n', " ")
}

/// A message with what stands in backticks as code; one that no other ends is a letter like others.
pub(crate) fn coded(text: &str) -> Markup {
    let text = &*of_pages(text);
    let parts: Vec<&str> = text.split('`').collect();
    html! {
        @if parts.len().is_multiple_of(2) { (text) } @else {
            @for (number, part) in parts.iter().enumerate() {
                @if number % 2 == 1 { code { (part) } } @else { (part) }
            }
        }
    }
}

/// What makes a table hold other values: only keys that change.
pub(crate) fn differences(
    place: &[String],
    fields: &[Field],
    before: &Map<String, Json>,
    after: &Map<String, Json>,
) -> Vec<Edit> {
    let differs = |key: &str| {
        let (old, new) = (before.get(key), after.get(key));
        let number = |value: Option<&Json>| value.and_then(Json::as_f64);
        old != new && (number(old).is_none() || number(old) != number(new))
    };
    let changed = fields.iter().map(|field| field.key.as_str()).filter(|key| differs(key));
    let edit = |key: &str| {
        let place = place.iter().cloned().chain([key.to_owned()]).collect();
        Edit::set_or_remove(place, after.get(key).cloned())
    };
    changed.map(edit).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_stands_in_backticks_is_code_and_nothing_is_lost() {
        assert_eq!(
            coded("expected `]`, not `a`").into_string(),
            "expected <code>]</code>, not <code>a</code>"
        );
        assert_eq!(coded("a ` alone").into_string(), "a ` alone");
        assert_eq!(prose("see [`K`]").into_string(), "see <code>K</code>");
    }

    fn root() -> Json {
        json!({
            "$defs": { "Side": { "enum": ["left", "right"] }, "Many": { "oneOf": [{ "enum": ["a"] }, { "const": "b", "description": "B." }] } },
            "properties": {
                "name": { "const": "x" },
                "k": { "type": "integer", "minimum": 0, "description": "The k." },
                "t": { "type": ["number", "null"], "default": null },
                "side": { "$ref": "#/$defs/Side", "default": "left" },
                "many": { "type": "array", "items": { "$ref": "#/$defs/Many" } },
                "maybe": { "anyOf": [{ "$ref": "#/$defs/Side" }, { "type": "null" }] },
                "on": { "type": "boolean", "default": false },
                "widths": { "type": "array", "items": { "type": "number" } },
                "cuts": { "type": "array", "items": { "type": "array", "items": { "type": "number" } } },
                "theta": { "type": "object", "additionalProperties": { "type": "number" } },
                "seed": { "anyOf": [{ "type": "integer" }, { "type": "string" }] },
                "texts": { "type": ["array", "null"], "items": { "type": "string" } },
                "odd": { "type": "array", "items": { "anyOf": [{ "type": "integer" }, { "type": "object" }] } },
            },
            "required": ["name", "k"],
        })
    }

    fn read(encoded: &str) -> Result<Json, String> {
        let table = table(&fields(&root(), &root()), &Form::of(encoded));
        table.map(Json::from).map_err(|problem| problem.to_string())
    }

    #[test]
    fn what_is_filled_in_becomes_values() {
        let filled = "f.k=5&f.t=0.2&f.side=right&f.many=b&f.many=a&f.on=true&f.widths=5,%2010;20&f.cuts=1,2%0D%0A3\
                      &f.theta=a%3Db%20=%200.5&f.seed=7&f.texts=x%20y%0Az&f.odd=[2,{size%3D1}]";
        assert_eq!(
            read(filled).unwrap(),
            json!({ "name": "x", "k": 5, "t": 0.2, "side": "right", "many": ["a", "b"], "on": true, "widths": [5, 10, 20],
                "cuts": [[1, 2], [3]], "theta": { "a=b": 0.5 }, "seed": 7, "texts": ["x y", "z"], "odd": [2, { "size": 1 }] })
        );
        assert_eq!(read("f.k=5").unwrap(), json!({ "name": "x", "k": 5 }));
    }

    #[test]
    fn what_is_wrong_is_named() {
        assert!(read("").unwrap_err().starts_with("k: missing; fill it in: The k."));
        assert_eq!(read("f.k=many").unwrap_err(), "k: `many` is not a number");
        assert!(read("f.k=2&f.theta=a").unwrap_err().starts_with("theta: write"));
        assert_eq!(read("f.k=2&f.side=up").unwrap_err(), "side: `up` is no choice");
    }

    /// What a form shows, it reads again.
    #[test]
    fn values_go_into_fields_and_come_back() {
        let value = json!({ "name": "x", "k": 5, "t": 0.25, "side": "right", "many": ["a"], "on": true, "widths": [0.5, 10],
            "cuts": [[1, 2], [3]], "theta": { "a": 0.5 }, "seed": "ff", "texts": ["x", "y"], "odd": [2] });
        let mut encoded = url::form_urlencoded::Serializer::new(String::new());
        for field in fields(&root(), &root()) {
            for text in value.get(&field.key).map(|value| field.texts(value)).unwrap_or_default() {
                encoded.append_pair(&name(&field.key), &text);
            }
        }
        assert_eq!(read(&encoded.finish()).unwrap(), value);
    }

    #[test]
    fn descriptions_are_shown_as_text() {
        assert_eq!(
            prose("Up to [`REACH`] of\n`k` <b>").into_string(),
            "Up to <code>REACH</code> of <code>k</code> &lt;b&gt;"
        );
    }
}
