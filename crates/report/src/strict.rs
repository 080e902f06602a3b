//! A manifest's text, read so that nothing in it is passed over: no key stands twice, and of the form that is written
//! now every key is one that this program writes.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use velamen_contract::manifest::FIELDS;
use velamen_search::model;

use crate::manifest::{AttributeEntry, Stated};

/// The value of a JSON text in which no object has a key twice; `None` if one has. Text that does not read is for others to
/// refuse.
pub(crate) fn once(text: &[u8]) -> Option<Value> {
    let mut json = serde_json::Deserializer::from_slice(text);
    Once.deserialize(&mut json).ok().filter(|_| json.end().is_ok())
}

/// The fields of a manifest that are not as this program writes them, by name; names that it does not know are none.
pub(crate) fn unlike(stated: &Value, manifest: &Stated) -> Vec<&'static str> {
    let written = written(manifest);
    let (Some(stated), Some(written)) = (stated.as_object(), written.as_object()) else {
        return vec!["release.json"];
    };
    let mut unlike: Vec<&'static str> =
        FIELDS.into_iter().filter(|field| stated.get(*field) != written.get(*field)).collect();
    if stated.keys().any(|key| !FIELDS.contains(&key.as_str())) {
        unlike.push("an unknown field");
    }
    unlike
}

/// A manifest as this program writes it again.
fn written(manifest: &Stated) -> Value {
    let attributes = manifest.attributes.iter();
    let attributes = attributes.map(|(name, entry)| (name.clone(), attribute(entry).unwrap_or_default()));
    let attributes: Map<String, Value> = attributes.collect();
    serde_json::to_value(Stated { attributes, ..manifest.clone() }).unwrap_or_default()
}

/// Whether a text is, byte for byte, what this program writes of what it says: keys in their order, each on a line of its own, numbers
/// in their one spelling. What numbers are is compared by [`unlike`]: they can lose their last digit as they are read.
pub(crate) fn is_as_written(text: &str, manifest: &Stated) -> bool {
    let again = serde_json::to_string_pretty(&written(manifest)).unwrap_or_default() + "\n";
    let (form, numbers) = form(text);
    form == self::form(&again).0 && numbers.into_iter().all(is_plain)
}

/// A JSON text without its numbers, and these.
fn form(text: &str) -> (String, Vec<&str>) {
    let (mut form, mut numbers, mut rest) = (String::new(), Vec::new(), text);
    while let Some(next) = rest.chars().next() {
        let is_number = next == '-' || next.is_ascii_digit();
        let end = match next {
            '"' => end_of_text(rest),
            _ if is_number => rest.find(|c: char| !is_of_number(c)).unwrap_or(rest.len()),
            _ => next.len_utf8(),
        };
        let (token, after) = rest.split_at(end);
        match is_number {
            true => numbers.push(token),
            false => form.push_str(token),
        }
        // So that two numbers in a row, or none, are another form.
        form.extend(is_number.then_some('0'));
        rest = after;
    }
    (form, numbers)
}

/// Where a quoted text ends.
fn end_of_text(text: &str) -> usize {
    let mut escaped = false;
    for (at, character) in text.char_indices().skip(1) {
        match character {
            '"' if !escaped => return at + 1,
            _ => escaped = character == '\\' && !escaped,
        }
    }
    text.len()
}

fn is_of_number(character: char) -> bool {
    character.is_ascii_digit() || matches!(character, '-' | '+' | '.' | 'e' | 'E')
}

/// Whether a number stands in the spelling that this program writes.
fn is_plain(number: &str) -> bool {
    let whole = number.parse::<u64>().map(Value::from).or_else(|_| number.parse::<i64>().map(Value::from));
    let value = whole.ok().or_else(|| number.parse::<f64>().ok().map(Value::from));
    value.is_some_and(|value| serde_json::to_string(&value).is_ok_and(|text| text == number))
}

/// The first model and parameter that a promise leaves unsaid, although runs always state it. A default in its place would
/// promise what nobody asked for.
pub(crate) fn unsaid(manifest: &Stated) -> Option<(&'static str, String)> {
    manifest.privacy.iter().find_map(|promise| {
        let entry = model::find(&promise.model)?;
        let unsaid = entry.unsaid(&promise.parameters()?).into_iter().next()?;
        Some((entry.terms.name, unsaid))
    })
}

/// An attribute's entry written again; its hierarchy can lie in a file of its own.
fn attribute(entry: &Value) -> Option<Value> {
    const HIERARCHY: &str = "hierarchy";
    let mut entry = entry.as_object()?.clone();
    let apart = entry.get_mut(HIERARCHY).filter(|hierarchy| hierarchy.get("file").is_some());
    // Any hierarchy keeps the place of one that lies apart.
    let apart = apart.map(|apart| std::mem::replace(apart, json!({ "domain": 1 })));
    let mut again = again::<AttributeEntry>(entry.into())?;
    if let (Some(apart), Some(again)) = (apart, again.get_mut(HIERARCHY)) {
        *again = apart;
    }
    Some(again)
}

fn again<T: Serialize + for<'de> Deserialize<'de>>(value: Value) -> Option<Value> {
    serde_json::to_value(serde_json::from_value::<T>(value).ok()?).ok()
}

/// Reads a value whose objects have each key once.
struct Once;

impl<'de> DeserializeSeed<'de> for Once {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Once {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element_seed(Once)? {
            list.push(item);
        }
        Ok(list.into())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut map = Map::new();
        while let Some(key) = entries.next_key::<String>()? {
            if map.insert(key, entries.next_value_seed(Once)?).is_some() {
                return Err(A::Error::custom("a key stands twice"));
            }
        }
        Ok(map.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_texts_are_told_apart() {
        assert_eq!(form(r#"{"a": -1.5, "b-2": [3]}"#), (r#"{"a": 0, "b-2": [0]}"#.into(), vec!["-1.5", "3"]));
        assert_eq!(form(r#"["1\"2", 1e-7]"#), (r#"["1\"2", 0]"#.into(), vec!["1e-7"]));
        for plain in ["0", "-3", "1.0", "0.1", "1e-7", "18446744073709551615", "-0.5"] {
            assert!(is_plain(plain), "{plain}");
        }
        for other in ["1.00", "1e0", "0.10", "1E-7", "-", "00", "+1"] {
            assert!(!is_plain(other), "{other}");
        }
    }

    #[test]
    fn a_key_stands_once_at_every_depth() {
        assert_eq!(once(br#"{"a":[{"b":1,"c":-2.5}],"d":null}"#).unwrap()["a"][0]["c"], -2.5);
        for text in [r#"{"a":1,"a":1}"#, r#"{"a":[{"b":1,"b":2}]}"#, r#"{"a":{"b":{"c":1,"c":1}}}"#, "{} {}"]
        {
            assert_eq!(once(text.as_bytes()), None, "{text}");
        }
    }
}
