//! Levels of hierarchies in words: what a value becomes, and no number that says nothing by itself.

use std::collections::BTreeMap;

use velamen_core::hierarchy::Definition;
use velamen_report::language::{t, text};
use velamen_report::recipient::level_in_words;

use crate::App;
use crate::project::Project;

/// The hierarchies of the open recipe.
#[derive(Debug, Default)]
pub(crate) struct Levels(BTreeMap<String, (Option<Definition>, u8)>);

impl Levels {
    /// Those of the recipe; none where it cannot be read. A hierarchy that is read off the data has numbers alone.
    pub(crate) fn of(app: &App, project: &Project) -> Self {
        let Ok(recipe) = project.asked().resolved(&app.folders) else { return Self::default() };
        let attributes =
            recipe.attributes.into_iter().filter(|one| one.is_quasi_identifier() && !one.from_data);
        Self(attributes.map(|one| (one.name, (one.definition, one.rule.top()))).collect())
    }

    /// What an attribute shows at a level.
    pub(crate) fn words(&self, attribute: &str, level: u64) -> String {
        match (self.0.get(attribute), u8::try_from(level)) {
            // The column is there: it is not left out.
            (Some((_, top)), Ok(level)) if level > 0 && level >= *top => t("only *").to_owned(),
            (Some((definition, top)), Ok(level)) => level_in_words(definition.as_ref(), level, *top),
            _ if level == 0 => level_in_words(None, 0, 1),
            _ => text!("level {}", level),
        }
    }
}
