//! A resource, of which most elements are left out: those that some table has are taken apart at once, others if they are asked for.

use std::borrow::Cow;

use velamen_core::error::Problem;
use velamen_recipe::JobError;

use super::found::Found;
use super::json::{Node, TWICE, Tape};
use super::kinds::{Column, KIND, Kinds};
use super::wrong::no_resource;

/// A resource on a tape.
#[derive(Clone, Copy)]
pub(super) struct Resource<'t, 'a>(&'t Tape<'a>);

/// An element: where the resource is, or taken apart when it was asked for.
pub(super) enum Element<'t, 'a> {
    Read(Node<'t, 'a>),
    Asked(Tape<'a>),
}

impl<'a> Element<'_, 'a> {
    pub(super) fn node(&self) -> Node<'_, 'a> {
        match self {
            Self::Read(node) => *node,
            Self::Asked(tape) => tape.node(),
        }
    }
}

impl<'t, 'a> Resource<'t, 'a> {
    /// Of a line, or of an entry of a bundle. Elements that some kind has as columns are taken apart at once.
    pub(super) fn of(found: &Found<'a>, tape: &'t mut Tape<'a>, kinds: &Kinds) -> Result<Self, JobError> {
        let number = |name: &str| kinds.number(name);
        // What is wrong within an element is said when it is asked for, with its name.
        let read = tape.read(found.text, &number, true).or_else(|_| tape.read(found.text, &number, false));
        read.map_err(|error| {
            // All that an object can have wrong, but for its syntax.
            match error.is_data() && found.text.trim_start().starts_with('{') {
                true => found.place.refuse("", Problem::new(TWICE).expected("each name once")),
                false => no_resource(&found.place, found.text, &error),
            }
        })?;
        Ok(Self(tape))
    }

    /// An element; null where there is none.
    pub(super) fn value(self, name: &str) -> Result<Element<'t, 'a>, Problem> {
        Self::taken_apart(self.0.node().get(name))
    }

    /// The element of a column; null where there is none.
    pub(super) fn of_column(self, column: &Column) -> Result<Element<'t, 'a>, Problem> {
        Self::taken_apart(self.0.element(column.number))
    }

    fn taken_apart(element: Node<'t, 'a>) -> Result<Element<'t, 'a>, Problem> {
        let Some(raw) = element.unread() else { return Ok(Element::Read(element)) };
        // What a line holds was read as JSON before, but for the size of its numbers.
        Tape::of(raw.get()).map(Element::Asked).map_err(|error| match error.is_data() {
            true => Problem::new(TWICE).expected("each name once"),
            false => Problem::new("a number beyond all measure").expected("a decimal up to 1e308"),
        })
    }

    /// An element that is a string.
    pub(super) fn text(self, name: &str) -> Option<Cow<'a, str>> {
        self.value(name).ok()?.node().words()
    }

    /// Whether it has an element whose JSON begins so; any but null, if nothing is given.
    pub(super) fn has(self, name: &str, begins: &str) -> bool {
        self.0.node().get(name).begins_with(begins)
    }
}

/// Whether a text is a resource of a kind.
pub(super) fn is_of(text: &str, kind: &str) -> bool {
    let mut tape = Tape::default();
    let number = |name: &str| (name == KIND).then_some(0);
    tape.read(text, &number, true).is_ok() && tape.element(0).text() == Some(kind)
}
