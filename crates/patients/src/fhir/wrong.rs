//! What is wrong with a text that is no resource, or with a file that holds none: found out the long way, for messages alone.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::de::{Deserialize, IgnoredAny};
use serde_json::value::RawValue;
use velamen_core::error::Problem;
use velamen_recipe::JobError;

use super::found::Place;
use super::places::Within;

/// What JSON's own message begins with that names an element of ours twice.
const TWICE: &str = "duplicate field `";

/// What stands in a text in place of an object; nothing of an object, and of what is no JSON.
fn other(text: &str) -> Option<&'static str> {
    serde_json::from_str::<IgnoredAny>(text).ok()?;
    Some(match text.trim_start().as_bytes().first()? {
        b'{' => return None,
        b'[' => "a list",
        b'"' => "a text",
        b't' | b'f' => "true or false",
        b'n' => "null",
        _ => "a number",
    })
}

/// Whether a text is JSON with something else behind it.
fn has_more(text: &str) -> bool {
    let mut reader = serde_json::Deserializer::from_str(text);
    IgnoredAny::deserialize(&mut reader).is_ok() && reader.end().is_err()
}

/// Bytes that are no UTF-8, or are no text of it.
pub(super) fn no_utf8(place: &Place<'_>, bytes: &[u8]) -> JobError {
    let is_wide = bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) || bytes.contains(&0);
    let (found, from) =
        if is_wide { ("UTF-16", "UTF-16") } else { ("another encoding, such as Latin-1", "ISO-8859-1") };
    let problem = Problem::new(format!("text of {found}")).expected("UTF-8");
    place.refuse("", problem.mend(format!("convert the file: iconv -f {from} -t UTF-8")))
}

/// A text that is no resource. JSON's own message would show the text.
pub(super) fn no_resource(place: &Place<'_>, text: &str, error: &serde_json::Error) -> JobError {
    if text.contains('\0') {
        return no_utf8(place, text.as_bytes());
    }
    if let Some(other) = other(text) {
        let problem = Problem::new(format!("{other} in the place of an object"));
        return place.refuse("", problem.expected("a resource: an object with `resourceType`"));
    }
    let line = if error.line() > 1 { format!("line {}, ", error.line()) } else { String::new() };
    let at = format!("{line}character {}", error.column());
    let problem = match has_more(text) {
        true => Problem::new(format!("more text behind the object, at {at}")),
        false => Problem::new(format!("no JSON at {at}")),
    };
    place.refuse("", problem.expected("one resource"))
}

/// A file that is neither a bundle nor a resource by itself; `is_entry` says whether a text can be read as an entry.
pub(super) fn no_bundle(
    whole: &Place<'_>,
    text: &str,
    error: &serde_json::Error,
    is_entry: fn(&str) -> bool,
) -> JobError {
    let Ok(object) = serde_json::from_str::<BTreeMap<Cow<'_, str>, &RawValue>>(text) else {
        let entry = broken_entry(text).map(|number| Place { within: Within::Entry(number), ..*whole });
        return no_resource(&entry.unwrap_or(*whole), text, error);
    };
    let words = error.to_string();
    if let Some((name, _)) = words.strip_prefix(TWICE).and_then(|rest| rest.split_once('`')) {
        let problem = Problem::new(format!("`{name}` twice in one object"));
        return whole.refuse("", problem.expected("each name once"));
    }
    let of_type = |path: &str, expected: &str| {
        whole.refuse(path, Problem::new("of another JSON type").expected(expected))
    };
    let Some(entry) = object.get("entry") else { return of_type(", resourceType", "a string") };
    let Ok(all) = serde_json::from_str::<Vec<&RawValue>>(entry.get()) else {
        return of_type(", Bundle.entry", "a list of entries");
    };
    match all.iter().zip(1u64..).find(|(one, _)| !is_entry(one.get())) {
        Some((one, number)) => no_entry(&Place { within: Within::Entry(number), ..*whole }, one.get()),
        None => of_type(", resourceType", "a string"),
    }
}

/// The number of the first entry that is no JSON, of a text that looks like a bundle.
fn broken_entry(text: &str) -> Option<u64> {
    let (_, rest) = text.split_once("\"entry\"")?;
    let mut rest = rest.trim_start().strip_prefix(':')?.trim_start().strip_prefix('[')?;
    for number in 1.. {
        let mut entries = serde_json::Deserializer::from_str(rest).into_iter::<IgnoredAny>();
        if !matches!(entries.next(), Some(Ok(_))) {
            return Some(number);
        }
        rest = rest.get(entries.byte_offset()..)?.trim_start().strip_prefix(',')?;
    }
    None
}

/// What stands in the place of an entry.
fn no_entry(place: &Place<'_>, text: &str) -> JobError {
    let expected = "an object with `resource`";
    if let Some(other) = other(text) {
        return place
            .refuse("", Problem::new(format!("{other} in the place of an entry")).expected(expected));
    }
    let problem = Problem::new("an element of another JSON type, or one that is there twice");
    place.refuse("", problem.expected("`fullUrl`, a string, and `request`, an object, each once"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_object_is_named() {
        let named = ["[1]", " \"x\"", "true", "null", "-5"].map(other);
        let names = ["a list", "a text", "true or false", "null", "a number"];
        assert_eq!(named, names.map(Some));
        assert!(other("{}").is_none() && other("{").is_none() && other("").is_none());
        assert!(has_more("{} {}") && !has_more("{}") && !has_more("{"));
    }
}
