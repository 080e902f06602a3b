//! A resource whose elements are read when they are asked for: most are left out.

use velamen_core::error::Problem;
use velamen_recipe::JobError;

use super::found::{Found, no_json};
use super::json::{Elements, Node, TWICE};

/// A resource.
pub(super) struct Resource<'a>(Elements<'a>);

impl<'a> Resource<'a> {
    /// Of a line, or of an entry of a bundle.
    pub(super) fn of(found: &'a Found<'_>) -> Result<Self, JobError> {
        serde_json::from_str(found.text).map(Self).map_err(|error| {
            // All that an object can have wrong, but for its syntax.
            match error.is_data() && found.text.trim_start().starts_with('{') {
                true => found.place.refuse("", Problem::new(TWICE).expected("each name once")),
                false => no_json(&found.place, &error),
            }
        })
    }

    /// An element; null where there is none.
    pub(super) fn value(&self, name: &str) -> Result<Node<'a>, Problem> {
        let Some(raw) = self.0.get(name) else { return Ok(Node::Null) };
        // What a line holds was read as JSON before, but for the size of its numbers.
        serde_json::from_str(raw.get()).map_err(|error| match error.is_data() {
            true => Problem::new(TWICE).expected("each name once"),
            false => Problem::new("a number beyond all measure").expected("a decimal up to 1e308"),
        })
    }

    /// An element that is a string.
    pub(super) fn text(&self, name: &str) -> Option<String> {
        self.value(name).ok()?.text().map(str::to_owned)
    }

    /// Whether it has an element that begins so; any, if nothing is given.
    pub(super) fn has(&self, name: &str, begins: &str) -> bool {
        self.0.get(name).is_some_and(|raw| raw.get() != "null" && raw.get().starts_with(begins))
    }
}

/// Whether a text is a resource of a kind.
pub(super) fn is_of(text: &str, kind: &str) -> bool {
    let elements = serde_json::from_str::<Elements<'_>>(text);
    elements.is_ok_and(|elements| Resource(elements).text("resourceType").is_some_and(|found| found == kind))
}
