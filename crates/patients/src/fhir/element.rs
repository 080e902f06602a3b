//! How an element of a resource is a cell, by its path.

use std::borrow::Cow;

use memchr::{memchr2, memchr3};
use serde_json::Value;
use velamen_core::error::Problem;

use super::dates;
use super::extensions::EXTENSIONS;
use super::found::UUID;
use super::json::Node;
use crate::icd10;

/// The form of an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// `id`
    Id,
    /// A Reference to a resource of that kind.
    Reference(&'static str),
    /// A CodeableConcept, of which one coding is kept: `system|code`.
    Concept,
    /// A list of them, of which the first is kept.
    Concepts,
    /// A Coding: `system|code`.
    Coding,
    /// A code of the standard.
    Code,
    /// A date, or a date with a time.
    Day,
    /// The year of a birth, or its date.
    Birth,
    /// A number of a Quantity.
    Number,
    /// The unit of a Quantity: `system|code`.
    Unit,
    /// An extension, by its place in [`EXTENSIONS`].
    Extension(usize),
}

impl Form {
    /// Of the element at a path; the same in all kinds of resources that are released.
    pub(super) fn of(path: &str) -> Self {
        let extension = path.strip_prefix("extension.");
        if let Some(place) = extension.and_then(|name| EXTENSIONS.iter().position(|one| one.name == name)) {
            return Self::Extension(place);
        }
        match path {
            "id" => Self::Id,
            "subject" | "patient" => Self::Reference("Patient"),
            "encounter" => Self::Reference("Encounter"),
            "category" | "type" => Self::Concepts,
            "class" => Self::Coding,
            "gender" | "status" | "intent" => Self::Code,
            "birthDate" => Self::Birth,
            "valueQuantity.value" => Self::Number,
            "valueQuantity.code" => Self::Unit,
            _ if path.ends_with("DateTime") || path.starts_with("period.") || path.contains("Period.") => {
                Self::Day
            }
            "recordedDate" | "authoredOn" => Self::Day,
            _ => Self::Concept,
        }
    }
}

/// The part of an element that a path leads to; of a number and a unit, the Quantity that they are part of.
pub(super) fn within<'t, 'a>(element: Node<'t, 'a>, path: &str, form: Form) -> Node<'t, 'a> {
    if path.is_empty() || matches!(form, Form::Unit | Form::Number | Form::Extension(_)) {
        element
    } else {
        element.get(path)
    }
}

/// Refuses an element of another JSON type than its form has: what is not read would be lost without a word.
pub(super) fn check(value: Node<'_, '_>, has_parts: bool, form: Form) -> Result<(), Problem> {
    let is_object = value.is_object();
    let expected = match form {
        _ if value.is_null() => return Ok(()),
        Form::Concepts => (value.is_list(), "a list of concepts"),
        Form::Extension(_) => (value.is_list(), "a list of extensions"),
        Form::Concept => {
            let coding = value.get("coding");
            (is_object && (coding.is_null() || coding.is_list()), "an object with a list `coding`")
        }
        Form::Coding | Form::Number | Form::Unit | Form::Reference(_) => (is_object, "an object"),
        Form::Id | Form::Code | Form::Day | Form::Birth => (!has_parts || is_object, "an object"),
    };
    let expected = match expected {
        (true, _) if has_texts(value, form) => return Ok(()),
        (true, _) => "strings in its parts, and objects in its lists",
        (false, what) => what,
    };
    Err(Problem::new("of another JSON type").expected(expected))
}

/// Whether the parts that are read are of their JSON types: what is no string would be lost without a word.
fn has_texts(value: Node<'_, '_>, form: Form) -> bool {
    match form {
        Form::Concept => is_concept(value),
        Form::Concepts => value.list().all(is_concept),
        Form::Coding | Form::Number | Form::Unit => is_coded(value),
        _ => true,
    }
}

fn is_concept(value: Node<'_, '_>) -> bool {
    let coding = value.get("coding");
    let is_list = coding.is_null() || coding.is_list() && coding.list().all(is_coded);
    value.is_null() || value.is_object() && is_list
}

/// Whether a Coding or a Quantity has strings where R4 has them.
fn is_coded(value: Node<'_, '_>) -> bool {
    let is_text = |name: &str| value.get(name).is_null() || value.get(name).text().is_some();
    value.is_null() || value.is_object() && ["system", "code", "unit", "comparator"].into_iter().all(is_text)
}

/// The first code of a system in a concept, `system|code`; of another system, where there is none of this one.
pub(super) fn coded_by<'a>(value: Node<'_, 'a>, system: &str) -> Cow<'a, str> {
    let codings = value.get("coding").list();
    let own = codings.filter(|coding| coding.get("system").text() == Some(system)).map(coding);
    own.into_iter().find(|coding| !coding.is_empty()).unwrap_or_else(|| concept(value))
}

/// The cell of an element; empty where there is none. That of a reference is its key.
pub(super) fn cell<'a>(value: Node<'_, 'a>, form: Form) -> Result<Cow<'a, str>, Problem> {
    if value.is_null() {
        return Ok(Cow::Borrowed(""));
    }
    let is_compared = || !value.get("comparator").is_null();
    match form {
        Form::Id | Form::Code => text(value),
        Form::Day => date(value, dates::is_date_time, dates::DATE_TIME),
        Form::Birth => date(value, dates::is_date, dates::DATE),
        // "Less than 5" is not 5.
        Form::Number | Form::Unit if is_compared() => Ok(Cow::Borrowed("")),
        Form::Number => number(value.get("value")),
        Form::Coding => Ok(coding(value)),
        Form::Unit => Ok(unit(value)),
        Form::Concept => Ok(concept(value)),
        Form::Concepts => Ok(value.list().next().map(concept).unwrap_or_default()),
        Form::Reference(kind) => reference(value, kind, &|_| None, false).map(|reference| reference.key),
        Form::Extension(place) => Ok(EXTENSIONS[place].cell(value).into()),
    }
}

/// As [`cell`]; of a concept's codings one of a public event goes before all others, if these are to go.
pub(super) fn code<'a>(value: Node<'_, 'a>, form: Form, drops_events: bool) -> Result<Cow<'a, str>, Problem> {
    let is_concept = drops_events && matches!(form, Form::Concept | Form::Concepts);
    let concepts = is_concept.then(|| std::iter::once(value).chain(value.list()));
    let codings = concepts.into_iter().flatten().flat_map(|one| one.get("coding").list());
    // The first is the cell anyway.
    let event = codings.skip(1).map(coding).find(|coding| icd10::is_event(coding));
    event.map_or_else(|| cell(value, form), Ok)
}

fn text<'a>(value: Node<'_, 'a>) -> Result<Cow<'a, str>, Problem> {
    value.words().ok_or_else(|| Problem::new("of another JSON type").expected("a string"))
}

fn number<'a>(value: Node<'_, 'a>) -> Result<Cow<'a, str>, Problem> {
    match value.number() {
        Some(number) => Ok(number.to_string().into()),
        None if value.is_null() => Ok(Cow::Borrowed("")),
        None => Err(Problem::new("not a number").expected("a decimal")),
    }
}

/// A text that is a date.
fn date<'a>(value: Node<'_, 'a>, is_date: fn(&str) -> bool, expected: &str) -> Result<Cow<'a, str>, Problem> {
    let text = text(value)?;
    if is_date(&text) { Ok(text) } else { Err(Problem::new("no date").expected(expected)) }
}

/// `system|code`; empty without a code.
fn coding<'a>(value: Node<'_, 'a>) -> Cow<'a, str> {
    let system = value.get("system").text().unwrap_or_default();
    match value.get("code").text() {
        Some(code) if is_code(code) && memchr2(b'|', b'\n', system.as_bytes()).is_none() => {
            [system, code].join("|").into()
        }
        _ => Cow::Borrowed(""),
    }
}

/// Whether a text is a code as R4 has them: no blanks around it or in a row, no line ends. The bar stands before it in a cell.
fn is_code(code: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_graphic() && byte != b'|';
    let is_spaced = |byte: u8| !matches!(byte, b'|' | b'\n' | b'\r' | b'\t');
    let has_blanks = || code.trim() != code || code.as_bytes().windows(2).any(|two| two == b"  ");
    !code.is_empty() && (code.bytes().all(is_plain) || code.bytes().all(is_spaced) && !has_blanks())
}

/// The first coding that has a code.
fn concept<'a>(value: Node<'_, 'a>) -> Cow<'a, str> {
    let codings = value.get("coding").list();
    codings.map(coding).find(|coding| !coding.is_empty()).unwrap_or_default()
}

/// What years are called.
const YEARS: [&str; 7] = ["year", "years", "yr", "yrs", "y", "Jahr", "Jahre"];

/// Their unit.
const YEAR: &str = "http://unitsofmeasure.org|a";

/// The unit's code, or its name where it has none; of years that of years, whatever their code is. Which of them stay, `units` decides.
fn unit<'a>(value: Node<'_, 'a>) -> Cow<'a, str> {
    let name = || value.get("unit").text().filter(|name| !name.is_empty());
    if name().is_some_and(|name| YEARS.iter().any(|years| years.eq_ignore_ascii_case(name.trim()))) {
        return Cow::Borrowed(YEAR);
    }
    let named = || name().map(|name| Cow::Owned(format!("|{name}")));
    let code = Some(coding(value)).filter(|unit| !unit.is_empty());
    code.or_else(named).unwrap_or_default()
}

/// What a reference leads to.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Reference<'a> {
    /// The id of the resource.
    pub(super) key: Cow<'a, str>,
    /// The server that its full address names.
    pub(super) server: Option<String>,
}

/// What a reference leads to; nothing where there is none. Keys of addresses without a server are looked up in `renamed`.
/// What no row of `kind` can be is refused, or, with `leads_astray`, a key that none has.
pub(super) fn reference<'a>(
    value: Node<'_, 'a>,
    kind: &str,
    renamed: &dyn Fn(&str) -> Option<String>,
    leads_astray: bool,
) -> Result<Reference<'a>, Problem> {
    if value.is_null() {
        return Ok(Reference::default());
    }
    let Some(words) = value.get("reference").words() else {
        return elsewhere("", kind, "a reference without `reference`", leads_astray);
    };
    let text: &str = &words;
    if let Some(id) = plain(text, kind) {
        return Ok(Reference { key: end(&words, id.len()), server: None });
    }
    if let Some(key) = text.strip_prefix(UUID) {
        return Ok(Reference { key: renamed(text).unwrap_or_else(|| key.to_owned()).into(), server: None });
    }
    let wrong = |what: &str| elsewhere(text, kind, what, leads_astray);
    if text.contains('?') {
        return wrong("a conditional reference: what it leads to is not in the folder");
    }
    if text.starts_with('#') {
        return wrong("a reference to a contained resource");
    }
    let text = text.split_once("/_history/").map_or(text, |(before, _)| before);
    let mut parts = text.rsplitn(3, '/');
    match (parts.next(), parts.next(), parts.next()) {
        (Some(id), Some(found), server) if found == kind && !id.is_empty() => {
            Ok(Reference { key: id.to_owned().into(), server: server.map(str::to_owned) })
        }
        (None | Some(""), ..) => wrong("a reference without an id"),
        (Some(_), None, _) => wrong("a reference without a kind"),
        (_, Some("Group"), _) => wrong("a reference to a group, which is no person"),
        _ => wrong("a reference to a resource of another kind"),
    }
}

/// The id of a reference that is `kind/id` and no more, as most are.
fn plain<'t>(text: &'t str, kind: &str) -> Option<&'t str> {
    let id = text.strip_prefix(kind)?.strip_prefix('/')?;
    (!id.is_empty() && memchr3(b'/', b'?', b'#', id.as_bytes()).is_none()).then_some(id)
}

/// The last bytes of a text.
fn end<'a>(text: &Cow<'a, str>, length: usize) -> Cow<'a, str> {
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(&text[text.len() - length..]),
        Cow::Owned(text) => Cow::Owned(text[text.len() - length..].to_owned()),
    }
}

/// A reference to what no row of `kind` can be: a key that none has, or a refusal.
fn elsewhere<'a>(text: &str, kind: &str, what: &str, leads_astray: bool) -> Result<Reference<'a>, Problem> {
    if leads_astray {
        // No id has a slash.
        return Ok(Reference { key: format!("{text}/").into(), server: None });
    }
    Err(Problem::new(what).expected(format!("{kind}/id, with or without the server's address")))
}

/// An element as JSON; of a unit its fields. Nothing for an empty cell, and for a birth that shows nothing.
pub(super) fn json(cell: &str, form: Form) -> Option<String> {
    if cell.is_empty() || (form == Form::Birth && cell == "*") {
        return None;
    }
    Some(match form {
        Form::Id | Form::Code | Form::Day | Form::Birth => quoted(cell),
        Form::Number => cell.to_owned(),
        Form::Reference(kind) => format!("{{\"reference\":{}}}", quoted(&format!("{kind}/{cell}"))),
        Form::Coding => format!("{{{}}}", fields(cell)),
        Form::Unit => unit_fields(cell),
        Form::Concept => format!("{{\"coding\":[{{{}}}]}}", fields(cell)),
        Form::Concepts => format!("[{{\"coding\":[{{{}}}]}}]", fields(cell)),
        Form::Extension(place) => return EXTENSIONS[place].json(cell),
    })
}

/// `"system":…,"code":…` of `system|code`; without a system the code alone.
fn fields(cell: &str) -> String {
    match cell.rsplit_once('|') {
        Some((system, code)) if !system.is_empty() => {
            format!("\"system\":{},\"code\":{}", quoted(system), quoted(code))
        }
        Some((_, code)) => format!("\"code\":{}", quoted(code)),
        None => format!("\"code\":{}", quoted(cell)),
    }
}

/// The fields of a unit; without a system its name, since R4 wants a system beside each unit's code.
fn unit_fields(cell: &str) -> String {
    match cell.strip_prefix('|') {
        Some(name) => format!("\"unit\":{}", quoted(name)),
        None => fields(cell),
    }
}

/// A string as JSON.
pub(super) fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::json::Tape;
    use super::*;

    fn read(value: &Value, path: &str) -> Result<String, String> {
        let (form, (outer, inner)) = (Form::of(path), path.split_once('.').unwrap_or((path, "")));
        let text = value.to_string();
        let tape = Tape::of(&text).unwrap();
        let cell = cell(within(tape.node().get(outer), inner, form), form);
        cell.map(Cow::into_owned).map_err(|problem| problem.to_string())
    }

    #[test]
    fn references_lead_to_keys() {
        let to = |text: &str| read(&json!({ "subject": { "reference": text } }), "subject");
        for text in ["Patient/7", "https://server/fhir/Patient/7", "Patient/7/_history/2", "urn:uuid:7"] {
            assert_eq!(to(text).unwrap(), "7");
        }
        assert!(to("Patient?identifier=7").unwrap_err().contains("conditional"));
        assert!(to("Group/7").unwrap_err().contains("group"));
        assert!(to("#7").unwrap_err().contains("contained"));
        assert!(to("Practitioner/7").unwrap_err().contains("another kind"));
        assert_eq!(read(&json!({}), "subject").unwrap(), "");
    }

    #[test]
    fn a_concept_is_one_coding() {
        let coding = json!([{ "display": "none" }, { "system": "http://snomed.info/sct", "code": "44054006", "display": "Diabetes" }]);
        let resource =
            json!({ "code": { "coding": coding, "text": "planted" }, "category": [{ "coding": coding }] });
        let cell = "http://snomed.info/sct|44054006";
        assert_eq!(read(&resource, "code").unwrap(), cell);
        assert_eq!(read(&resource, "category").unwrap(), cell);
        let odd = |code: &str| json!({ "code": { "coding": [{ "system": "urn:a", "code": code }] } });
        assert!(
            ["a|b", " a", "a  b", "a\nb", ""].iter().all(|code| read(&odd(code), "code").unwrap().is_empty())
        );
        let written: Value = serde_json::from_str(&json(cell, Form::Concept).unwrap()).unwrap();
        assert_eq!(
            written,
            json!({ "coding": [{ "system": "http://snomed.info/sct", "code": "44054006" }] })
        );
    }

    #[test]
    fn a_quantity_is_a_number_and_a_unit() {
        let resource = json!({ "valueQuantity": { "value": 70.5, "unit": "kg", "system": "http://unitsofmeasure.org", "code": "kg" } });
        assert_eq!(read(&resource, "valueQuantity.value").unwrap(), "70.5");
        assert_eq!(read(&resource, "valueQuantity.code").unwrap(), "http://unitsofmeasure.org|kg");
        assert_eq!(read(&json!({ "valueQuantity": { "unit": "kg" } }), "valueQuantity.code").unwrap(), "|kg");
        let text = json!({ "valueQuantity": { "value": 5, "unit": "mg per Dr. Doe" } });
        assert_eq!(read(&text, "valueQuantity.code").unwrap(), "|mg per Dr. Doe");
        assert!(read(&json!({ "valueQuantity": { "value": "70" } }), "valueQuantity.value").is_err());
        let less = json!({ "valueQuantity": { "value": 5, "comparator": "<", "unit": "kg" } });
        assert_eq!(read(&less, "valueQuantity.value").unwrap(), "");
        assert_eq!(read(&less, "valueQuantity.code").unwrap(), "");
    }
}
