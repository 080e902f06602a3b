//! A resource's JSON as it stands in its line: elements that nobody asks for are not taken apart.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::Number;
use serde_json::value::RawValue;

/// What is wrong with an object that has a name twice: one reader takes the first, another the last.
pub(super) const TWICE: &str = "a name twice in one object";

/// A value. Nothing of the text is copied that can be borrowed.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Node<'a> {
    Null,
    Bool,
    Number(Number),
    Text(Cow<'a, str>),
    List(Vec<Node<'a>>),
    Object(Fields<'a, Node<'a>>),
}

/// The fields of an object, in their order.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Fields<'a, T>(Vec<(Cow<'a, str>, T)>);

/// The elements of a resource.
pub(super) type Elements<'a> = Fields<'a, Element<'a>>;

/// An element: taken apart, or as it stands in its line.
#[derive(Debug)]
pub(super) enum Element<'a> {
    Read(Node<'a>),
    Unread(&'a RawValue),
}

impl<T> Fields<'_, T> {
    /// The field of a name.
    pub(super) fn get(&self, name: &str) -> Option<&T> {
        self.0.iter().find(|(other, _)| other == name).map(|(_, value)| value)
    }
}

impl<'a> Node<'a> {
    /// A field of an object; null where there is none.
    pub(super) fn get(&self, name: &str) -> &Self {
        match self {
            Self::Object(fields) => fields.get(name).unwrap_or(&Self::Null),
            _ => &Self::Null,
        }
    }

    pub(super) const fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    pub(super) fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    pub(super) const fn number(&self) -> Option<&Number> {
        match self {
            Self::Number(number) => Some(number),
            _ => None,
        }
    }

    /// With what its JSON begins, if it is a list, an object or a string.
    pub(super) const fn bracket(&self) -> &'static str {
        match self {
            Self::List(_) => "[",
            Self::Object(_) => "{",
            Self::Text(_) => "\"",
            Self::Null | Self::Bool | Self::Number(_) => "",
        }
    }

    /// The values of a list; none of anything else.
    pub(super) fn list(&self) -> &[Self] {
        match self {
            Self::List(values) => values,
            _ => &[],
        }
    }
}

/// A name or a string: borrowed where it has no escapes.
struct Text<'a>(Cow<'a, str>);

impl<'de: 'a, 'a> Deserialize<'de> for Text<'a> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_str(Texts)
    }
}

struct Texts;

impl<'de> Visitor<'de> for Texts {
    type Value = Text<'de>;

    fn expecting(&self, into: &mut fmt::Formatter<'_>) -> fmt::Result {
        into.write_str("a string")
    }

    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Text<'de>, E> {
        Ok(Text(Cow::Borrowed(text)))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Text<'de>, E> {
        Ok(Text(Cow::Owned(text.to_owned())))
    }
}

/// Takes the fields of an object; each name once. `value` takes that of a name.
fn fields<'de, T, A: MapAccess<'de>>(
    mut map: A,
    value: impl Fn(&str, &mut A) -> Result<T, A::Error>,
) -> Result<Fields<'de, T>, A::Error> {
    let mut fields: Vec<(Cow<'de, str>, T)> = Vec::with_capacity(4);
    while let Some(Text(name)) = map.next_key()? {
        if fields.iter().any(|(other, _)| *other == name) {
            return Err(A::Error::custom(TWICE));
        }
        let value = value(&name, &mut map)?;
        fields.push((name, value));
    }
    Ok(Fields(fields))
}

/// The elements of a resource, of which those that `is_read` says are taken apart.
struct Objects<'s>(&'s dyn Fn(&str) -> bool);

impl<'de> Visitor<'de> for Objects<'_> {
    type Value = Elements<'de>;

    fn expecting(&self, into: &mut fmt::Formatter<'_>) -> fmt::Result {
        into.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Elements<'de>, A::Error> {
        fields(map, |name, map| match (self.0)(name) {
            true => map.next_value().map(Element::Read),
            false => map.next_value().map(Element::Unread),
        })
    }
}

/// The elements of a resource, of which those that `is_read` says are taken apart.
///
/// # Errors
/// A text that is no object, or an object with a name twice; of elements that are not taken apart only the syntax is looked at.
pub(super) fn elements<'a>(
    text: &'a str,
    is_read: &dyn Fn(&str) -> bool,
) -> Result<Elements<'a>, serde_json::Error> {
    let mut reader = serde_json::Deserializer::from_str(text);
    let elements = reader.deserialize_map(Objects(is_read))?;
    reader.end().map(|()| elements)
}

struct Nodes;

impl<'de> Visitor<'de> for Nodes {
    type Value = Node<'de>;

    fn expecting(&self, into: &mut fmt::Formatter<'_>) -> fmt::Result {
        into.write_str("a value")
    }

    fn visit_unit<E: Error>(self) -> Result<Node<'de>, E> {
        Ok(Node::Null)
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<Node<'de>, E> {
        Ok(Node::Bool)
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Node<'de>, E> {
        Ok(Node::Number(number.into()))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Node<'de>, E> {
        Ok(Node::Number(number.into()))
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Node<'de>, E> {
        Ok(Number::from_f64(number).map_or(Node::Null, Node::Number))
    }

    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Node<'de>, E> {
        Ok(Node::Text(Cow::Borrowed(text)))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Node<'de>, E> {
        Ok(Node::Text(Cow::Owned(text.to_owned())))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Node<'de>, A::Error> {
        let mut values = Vec::new();
        while let Some(value) = list.next_element()? {
            values.push(value);
        }
        Ok(Node::List(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Node<'de>, A::Error> {
        fields(map, |_, map| map.next_value()).map(Node::Object)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Node<'a> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(Nodes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_stands_twice() {
        let wrong = |text: &str, is_read: bool| elements(text, &|_| is_read).unwrap_err().to_string();
        let twice = r#"{"id":"1","subject":{"reference":"Patient/1","reference":"Patient/2"}}"#;
        assert!(wrong(twice, true).starts_with(TWICE));
        // What nobody reads can say what it will.
        assert!(elements(twice, &|_| false).is_ok());
        let twice = r#"{"id":"1","i\u0064":"2"}"#;
        assert!(wrong(twice, false).starts_with(TWICE) && wrong(twice, true).starts_with(TWICE));
        let more = r#"{"id":"1"} {}"#;
        assert!(!wrong(more, false).is_empty() && !wrong("[]", true).is_empty());
    }

    #[test]
    fn values_are_found_by_their_names() {
        let node: Node<'_> = serde_json::from_str(r#"{"a":[{"b":"c\n"},1.50],"d":null,"e":true}"#).unwrap();
        assert_eq!(node.get("a").list()[0].get("b").text(), Some("c\n"));
        assert_eq!(node.get("a").list()[1].number().unwrap().to_string(), "1.5");
        assert!(node.get("d").is_null() && node.get("z").get("y").is_null());
        assert!(node.get("e").list().is_empty() && node.get("e").text().is_none());
    }
}
