//! A definition's fields, so that a wrong one is named.

use serde::Deserialize;
use serde_json::{Map, Value};

use super::bound::Bound;
use super::kind::{KINDS, Kind};
use super::mask::Side;
use crate::registry::Named;

/// What recipes and manifests write of a hierarchy that is of no kind of its own.
#[derive(Debug, Deserialize)]
pub(super) struct Fields {
    pub(super) interval: Option<Vec<f64>>,
    pub(super) cuts: Option<Vec<Vec<f64>>>,
    pub(super) mask: Option<Side>,
    pub(super) rows: Option<Vec<Vec<String>>>,
    pub(super) domain: Option<u64>,
    pub(super) min: Option<Bound>,
    pub(super) max: Option<Bound>,
    pub(super) decimals: Option<u32>,
    pub(super) length: Option<usize>,
    pub(super) alphabet: Option<u64>,
    pub(super) levels: Option<Vec<usize>>,
}

/// The one form that a definition has.
pub(super) enum Form {
    /// One that lists, cuts or masks values.
    Plain(&'static str),
    /// One that follows from the form of a value.
    Kind(&'static Kind),
}

/// The forms that are of no kind, each with the keys that go with it.
const PLAIN: [(&str, &[&str]); 4] = [
    ("interval", &["min", "max", "decimals"]),
    ("cuts", &["min", "max", "decimals"]),
    ("mask", &["length", "alphabet", "levels"]),
    ("rows", &[]),
];

/// Of a value or `*`; for manifests.
const FLAT: (&str, &[&str]) = ("domain", &[]);

/// A form's name and the keys that go with it.
type Keys = (&'static str, &'static [&'static str]);

/// All forms, those for recipes first.
fn forms() -> Vec<Keys> {
    let kinds = KINDS.iter().map(|kind| (kind.name(), kind.keys()));
    PLAIN.into_iter().chain(kinds).chain([FLAT]).collect()
}

/// The one form that is given, with no other's keys beside it.
pub(super) fn form(fields: &Map<String, Value>) -> Result<Form, String> {
    let forms = forms();
    refuse_unknown(fields, &forms)?;
    let mut given = forms.iter().filter(|(form, _)| fields.contains_key(*form));
    let (Some((form, keys)), None) = (given.next(), given.next()) else {
        let names: Vec<String> = forms.iter().map(|(form, _)| format!("`{form}`")).collect();
        let public = &names[..names.len() - 1];
        return Err(format!("a hierarchy is a file's path or exactly one of {}", public.join(", ")));
    };
    match fields.keys().find(|field| field != form && !keys.contains(&field.as_str())) {
        None => Ok(KINDS.find(form).map_or(Form::Plain(form), Form::Kind)),
        Some(field) => {
            let known =
                if keys.is_empty() { "no other key".into() } else { format!("`{}`", keys.join("`, `")) };
            Err(format!("`{field}` does not go with `{form}`, which has {known}"))
        }
    }
}

fn refuse_unknown(fields: &Map<String, Value>, forms: &[Keys]) -> Result<(), String> {
    let mut known: Vec<&str> = forms.iter().map(|form| form.0).collect();
    for key in forms.iter().flat_map(|form| form.1) {
        if !known.contains(key) {
            known.push(key);
        }
    }
    match fields.keys().find(|field| !known.contains(&field.as_str())) {
        None => Ok(()),
        Some(field) => Err(unknown(field, &known)),
    }
}

/// As serde says it, since it is read as such.
fn unknown(field: &str, known: &[&str]) -> String {
    format!("unknown field `{field}`, expected one of `{}`", known.join("`, `"))
}

#[cfg(test)]
mod tests {
    use super::super::Definition;

    fn message(json: &str) -> String {
        serde_json::from_str::<Definition>(json).unwrap_err().to_string()
    }

    #[test]
    fn what_is_written_is_read_again() {
        for json in [
            r#"{"icd-10":"who"}"#,
            r#"{"icd-10":"cm","longest":7,"lengths":[4,3]}"#,
            r#"{"atc":"any-level"}"#,
            r#"{"us-zip":["036"],"plus-4":true}"#,
            r#"{"uk-postcode":"unit"}"#,
            r#"{"prefix":[2,5],"alphabet":10}"#,
            r#"{"date":["month","5-years"],"min":"2018-01-01","max":"2024-12-31"}"#,
        ] {
            let definition: Definition = serde_json::from_str(json).unwrap();
            assert_eq!(serde_json::to_string(&definition).unwrap(), json);
        }
    }

    #[test]
    fn one_form_with_its_own_keys() {
        assert!(message(r#"{"interval":[5],"mask":"left"}"#).contains("exactly one of"));
        assert!(message("{}").contains("`icd-10`"));
        assert!(message(r#"{"atc":"full","alphabet":10}"#).contains("`alphabet` does not go with `atc`"));
        assert!(message(r#"{"date":["month"],"min":"2018-01-01"}"#).contains("`max`"));
        assert!(message(r#"{"date":["month"],"min":1,"max":2}"#).contains("`min`"));
        assert!(message(r#"{"interval":[5],"min":"a","max":2}"#).contains("`min`"));
        assert!(
            message(r#"{"date":["fortnight"],"min":"2018-01-01","max":"2019-01-01"}"#).contains("week-year")
        );
    }
}
