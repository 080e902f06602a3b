//! A resource's JSON as it stands in its line: elements that nobody asks for are not taken apart.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::Number;
use serde_json::value::RawValue;

/// What is wrong with an object that has a name twice: one reader takes the first, another the last.
pub(super) const TWICE: &str = "a name twice in one object";

/// The values of a text, one behind the other: what a list or an object holds follows it. One tape serves many texts.
#[derive(Debug, Default)]
pub(super) struct Tape<'a> {
    values: Vec<Token<'a>>,
    /// Of a resource, where the element of each number stands; 0 if it is not there.
    elements: Vec<usize>,
}

/// A value. Nothing of the text is copied that can be borrowed.
#[derive(Debug)]
struct Token<'a> {
    /// Its name in an object.
    name: Cow<'a, str>,
    value: Value<'a>,
    /// How many values it is, with all that it holds.
    size: usize,
}

#[derive(Debug)]
enum Value<'a> {
    Null,
    Bool(bool),
    Number(Number),
    Text(Cow<'a, str>),
    List,
    Object,
    /// As it stands in its text.
    Unread(&'a RawValue),
}

/// A value of a tape with all that it holds; null where there is none.
#[derive(Debug, Clone, Copy)]
pub(super) struct Node<'t, 'a>(&'t [Token<'a>]);

/// The values of a list or an object, in their order.
pub(super) struct Parts<'t, 'a>(&'t [Token<'a>]);

impl<'t, 'a> Iterator for Parts<'t, 'a> {
    type Item = Node<'t, 'a>;

    fn next(&mut self) -> Option<Node<'t, 'a>> {
        let size = self.0.first()?.size;
        let (part, rest) = self.0.split_at(size);
        self.0 = rest;
        Some(Node(part))
    }
}

impl<'t, 'a> Node<'t, 'a> {
    /// What stands for a value that is missing.
    pub(super) const NULL: Self = Self(&[]);

    fn value(self) -> &'t Value<'a> {
        self.0.first().map_or(&Value::Null, |token| &token.value)
    }

    /// All that it holds.
    fn parts(self) -> Parts<'t, 'a> {
        Parts(self.0.get(1..).unwrap_or_default())
    }

    /// A field of an object; null where there is none.
    pub(super) fn get(self, name: &str) -> Self {
        match self.is_object() {
            true => self.parts().find(|part| part.0[0].name == name).unwrap_or(Self::NULL),
            false => Self::NULL,
        }
    }

    pub(super) fn is_null(self) -> bool {
        matches!(self.value(), Value::Null)
    }

    pub(super) fn is_object(self) -> bool {
        matches!(self.value(), Value::Object)
    }

    pub(super) fn is_list(self) -> bool {
        matches!(self.value(), Value::List)
    }

    pub(super) fn text(self) -> Option<&'t str> {
        match self.value() {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// As [`Self::text`], for longer than there is the tape.
    pub(super) fn words(self) -> Option<Cow<'a, str>> {
        match self.value() {
            Value::Text(text) => Some(text.clone()),
            _ => None,
        }
    }

    pub(super) fn bool(self) -> Option<bool> {
        match self.value() {
            Value::Bool(is_true) => Some(*is_true),
            _ => None,
        }
    }

    pub(super) fn number(self) -> Option<&'t Number> {
        match self.value() {
            Value::Number(number) => Some(number),
            _ => None,
        }
    }

    /// Its JSON, where it was not taken apart.
    pub(super) fn unread(self) -> Option<&'a RawValue> {
        match self.value() {
            Value::Unread(raw) => Some(raw),
            _ => None,
        }
    }

    /// Whether it is there, and its JSON begins so; of numbers that were taken apart nothing is known.
    pub(super) fn begins_with(self, begins: &str) -> bool {
        let bracket = match self.value() {
            Value::Null => return false,
            Value::Unread(raw) => raw.get(),
            Value::List => "[",
            Value::Object => "{",
            Value::Text(_) => "\"",
            Value::Bool(true) => "true",
            Value::Bool(false) | Value::Number(_) => "",
        };
        bracket != "null" && bracket.starts_with(begins)
    }

    /// The values of a list; none of anything else.
    pub(super) fn list(self) -> Parts<'t, 'a> {
        if self.is_list() { self.parts() } else { Parts(&[]) }
    }
}

impl<'a> Tape<'a> {
    /// A text that is one value.
    ///
    /// # Errors
    /// A text that is no JSON, an object with a name twice, or a number beyond all measure.
    pub(super) fn of(text: &'a str) -> Result<Self, serde_json::Error> {
        let mut tape = Self::default();
        let mut reader = serde_json::Deserializer::from_str(text);
        Next { name: Cow::Borrowed(""), tape: &mut tape }.deserialize(&mut reader)?;
        reader.end().map(|()| tape)
    }

    /// Puts a resource in place of what was there. Its elements that have a number are found by it, and with `takes_apart` they
    /// are taken apart.
    ///
    /// # Errors
    /// A text that is no object, or an object with a name twice; of elements that are not taken apart only the syntax is looked at.
    pub(super) fn read(
        &mut self,
        text: &'a str,
        number: &dyn Fn(&str) -> Option<usize>,
        takes_apart: bool,
    ) -> Result<(), serde_json::Error> {
        self.values.clear();
        self.elements.clear();
        let mut reader = serde_json::Deserializer::from_str(text);
        reader.deserialize_map(Elements { tape: self, number, takes_apart })?;
        reader.end()
    }

    /// The value that was read.
    pub(super) fn node(&self) -> Node<'_, 'a> {
        Node(&self.values)
    }

    /// The element of a number; null where there is none.
    pub(super) fn element(&self, number: usize) -> Node<'_, 'a> {
        match self.elements.get(number) {
            None | Some(0) => Node::NULL,
            Some(&place) => Node(&self.values[place..place + self.values[place].size]),
        }
    }

    /// Notes that the element of a number comes next; whether it is the first one.
    fn note(&mut self, number: usize) -> bool {
        if self.elements.len() <= number {
            self.elements.resize(number + 1, 0);
        }
        std::mem::replace(&mut self.elements[number], self.values.len()) == 0
    }

    fn push(&mut self, name: Cow<'a, str>, value: Value<'a>) {
        self.values.push(Token { name, value, size: 1 });
    }

    /// Begins a list or an object; its place.
    fn open(&mut self, name: Cow<'a, str>, value: Value<'a>) -> usize {
        self.push(name, value);
        self.values.len() - 1
    }

    /// Ends what began at a place.
    fn close(&mut self, place: usize) {
        self.values[place].size = self.values.len() - place;
    }

    /// Whether the object that began at a place has a name already.
    fn has(&self, place: usize, name: &str) -> bool {
        Parts(&self.values[place + 1..]).any(|part| part.0[0].name == name)
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

/// The elements of a resource, of which those that have a number may be taken apart.
struct Elements<'t, 'a> {
    tape: &'t mut Tape<'a>,
    number: &'t dyn Fn(&str) -> Option<usize>,
    takes_apart: bool,
}

impl<'de> Visitor<'de> for Elements<'_, 'de> {
    type Value = ();

    fn expecting(&self, into: &mut fmt::Formatter<'_>) -> fmt::Result {
        into.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let Elements { tape, number, takes_apart } = self;
        let place = tape.open(Cow::Borrowed(""), Value::Object);
        while let Some(Text(name)) = map.next_key()? {
            let number = number(&name);
            // A name that has a number is that of no element without one.
            let is_first = match number {
                Some(number) => tape.note(number),
                None => !tape.has(place, &name),
            };
            if !is_first {
                return Err(A::Error::custom(TWICE));
            }
            if takes_apart && number.is_some() {
                map.next_value_seed(Next { name, tape })?;
            } else {
                tape.push(name, Value::Unread(map.next_value()?));
            }
        }
        tape.close(place);
        Ok(())
    }
}

/// The next value of a tape.
struct Next<'t, 'a> {
    name: Cow<'a, str>,
    tape: &'t mut Tape<'a>,
}

impl<'de> Next<'_, 'de> {
    fn push<E: Error>(self, value: Value<'de>) -> Result<(), E> {
        self.tape.push(self.name, value);
        Ok(())
    }
}

impl<'de> DeserializeSeed<'de> for Next<'_, 'de> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Next<'_, 'de> {
    type Value = ();

    fn expecting(&self, into: &mut fmt::Formatter<'_>) -> fmt::Result {
        into.write_str("a value")
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        self.push(Value::Null)
    }

    fn visit_bool<E: Error>(self, is_true: bool) -> Result<(), E> {
        self.push(Value::Bool(is_true))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<(), E> {
        self.push(Value::Number(number.into()))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<(), E> {
        self.push(Value::Number(number.into()))
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<(), E> {
        self.push(Number::from_f64(number).map_or(Value::Null, Value::Number))
    }

    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<(), E> {
        self.push(Value::Text(Cow::Borrowed(text)))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<(), E> {
        self.push(Value::Text(Cow::Owned(text.to_owned())))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        let Next { name, tape } = self;
        let place = tape.open(name, Value::List);
        while list.next_element_seed(Next { name: Cow::Borrowed(""), tape })?.is_some() {}
        tape.close(place);
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let Next { name, tape } = self;
        let place = tape.open(name, Value::Object);
        while let Some(Text(name)) = map.next_key()? {
            if tape.has(place, &name) {
                return Err(A::Error::custom(TWICE));
            }
            map.next_value_seed(Next { name, tape })?;
        }
        tape.close(place);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The number of an element in these tests.
    fn number(name: &str) -> Option<usize> {
        ["id", "subject", "a", "b", "c"].iter().position(|known| *known == name)
    }

    /// Takes a resource apart; what is wrong with it.
    fn read(text: &str, takes_apart: bool) -> Result<(), String> {
        Tape::default().read(text, &number, takes_apart).map_err(|error| error.to_string())
    }

    #[test]
    fn no_name_stands_twice() {
        let wrong = |text: &str, is_read: bool| read(text, is_read).unwrap_err();
        let twice = r#"{"id":"1","subject":{"reference":"Patient/1","reference":"Patient/2"}}"#;
        assert!(wrong(twice, true).starts_with(TWICE));
        // What nobody reads can say what it will.
        assert!(read(twice, false).is_ok());
        let twice = r#"{"id":"1","i\u0064":"2"}"#;
        assert!(wrong(twice, false).starts_with(TWICE) && wrong(twice, true).starts_with(TWICE));
        let twice = r#"{"id":"1","z":2,"b":3,"z":4}"#;
        assert!(wrong(twice, false).starts_with(TWICE) && wrong(twice, true).starts_with(TWICE));
        let twice = r#"{"a":[{"b":{"c":[]},"d":1,"b":2}]}"#;
        assert!(wrong(twice, true).starts_with(TWICE));
        // In two objects a name stands once in each.
        assert!(read(r#"{"b":1,"a":[{"b":{"b":[]}},{"b":2}],"c":{"b":1}}"#, true).is_ok());
        let more = r#"{"id":"1"} {}"#;
        assert!(!wrong(more, false).is_empty() && !wrong("[]", true).is_empty());
    }

    #[test]
    fn values_are_found_by_their_names() {
        let tape =
            Tape::of(r#"{"a":[{"b":"c\n"},1.50,[[]],{}],"d":null,"e":true,"f":{"a":"of f"}}"#).unwrap();
        let node = tape.node();
        let list: Vec<Node<'_, '_>> = node.get("a").list().collect();
        assert_eq!((list.len(), list[0].get("b").text()), (4, Some("c\n")));
        assert_eq!(list[1].number().unwrap().to_string(), "1.5");
        assert!(node.get("d").is_null() && node.get("z").get("y").is_null());
        assert!(node.get("e").list().next().is_none() && node.get("e").text().is_none());
        assert_eq!(node.get("f").get("a").words().as_deref(), Some("of f"));
        assert!(list[2].is_list() && list[3].is_object() && node.get("b").is_null());
    }

    #[test]
    fn a_tape_serves_many_resources() {
        let mut tape = Tape::default();
        tape.read(r#"{"z":[2],"a":{"b":1},"b":3}"#, &number, true).unwrap();
        assert!(tape.node().get("z").unread().is_some() && tape.node().get("z").begins_with("["));
        assert!(!tape.node().get("a").begins_with("[") && tape.node().get("a").begins_with(""));
        assert_eq!(tape.element(2).get("b").number().unwrap().to_string(), "1");
        assert_eq!(tape.element(3).number().unwrap().to_string(), "3");
        assert!(tape.element(4).is_null() && tape.element(0).is_null() && tape.element(99).is_null());
        tape.read(r#"{"c":true,"d":null}"#, &number, false).unwrap();
        assert!(tape.element(4).begins_with("true") && !tape.node().get("c").begins_with("f"));
        assert!(tape.element(2).is_null() && !tape.node().get("d").begins_with(""));
    }
}
