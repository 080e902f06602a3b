//! A resource, of which most elements are left out: those that some table has are taken apart at once, others if they are asked for.

use std::borrow::Cow;

use velamen_core::error::Problem;
use velamen_recipe::JobError;

use super::found::{Found, no_json};
use super::json::{Element, Elements, Node, TWICE, elements};
use super::kinds::KIND;

/// A resource.
pub(super) struct Resource<'a>(Elements<'a>);

impl<'a> Resource<'a> {
    /// Of a line, or of an entry of a bundle. Elements that `is_read` says are taken apart at once.
    pub(super) fn of(found: &'a Found<'_>, is_read: &dyn Fn(&str) -> bool) -> Result<Self, JobError> {
        // What is wrong within an element is said when it is asked for, with its name.
        let read = elements(found.text, is_read).or_else(|_| elements(found.text, &|_| false));
        read.map(Self).map_err(|error| {
            // All that an object can have wrong, but for its syntax.
            match error.is_data() && found.text.trim_start().starts_with('{') {
                true => found.place.refuse("", Problem::new(TWICE).expected("each name once")),
                false => no_json(&found.place, &error),
            }
        })
    }

    /// An element; null where there is none.
    pub(super) fn value(&self, name: &str) -> Result<Cow<'_, Node<'a>>, Problem> {
        let raw = match self.0.get(name) {
            None => return Ok(Cow::Owned(Node::Null)),
            Some(Element::Read(node)) => return Ok(Cow::Borrowed(node)),
            Some(Element::Unread(raw)) => raw,
        };
        // What a line holds was read as JSON before, but for the size of its numbers.
        let node = serde_json::from_str(raw.get()).map_err(|error| match error.is_data() {
            true => Problem::new(TWICE).expected("each name once"),
            false => Problem::new("a number beyond all measure").expected("a decimal up to 1e308"),
        });
        node.map(Cow::Owned)
    }

    /// An element that is a string.
    pub(super) fn text(&self, name: &str) -> Option<String> {
        self.value(name).ok()?.text().map(str::to_owned)
    }

    /// Whether it has an element whose JSON begins so; any but null, if nothing is given.
    pub(super) fn has(&self, name: &str, begins: &str) -> bool {
        match self.0.get(name) {
            None => false,
            Some(Element::Unread(raw)) => raw.get() != "null" && raw.get().starts_with(begins),
            Some(Element::Read(node)) => !node.is_null() && node.bracket().starts_with(begins),
        }
    }
}

/// Whether a text is a resource of a kind.
pub(super) fn is_of(text: &str, kind: &str) -> bool {
    let elements = elements(text, &|_| false);
    elements.is_ok_and(|elements| Resource(elements).text(KIND).is_some_and(|found| found == kind))
}
