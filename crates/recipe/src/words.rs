//! What a custodian says of attributes, for recipients.

use std::collections::BTreeMap;
use std::path::Path;

use super::report::checked_words;
use super::{AttributeSection, JobError, Problem, Recipe};

/// A description and a unit: public, and taken for plain text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Words {
    /// What the attribute is.
    pub description: Option<String>,
    /// The unit of its values.
    pub unit: Option<String>,
}

impl Recipe {
    /// The words of all attributes that have some.
    pub(super) fn words(&self, path: &Path) -> Result<BTreeMap<String, Words>, JobError> {
        let said = |section: &AttributeSection| -> Result<Words, Problem> {
            let description = checked_words("", "description", section.description.as_ref())?;
            Ok(Words { description, unit: checked_words("", "unit", section.unit.as_ref())? })
        };
        let of = |(name, section): (&String, &AttributeSection)| {
            let refuse =
                |problem: Problem| self.refuse(path, &["attributes", name], problem.in_attribute(name));
            Ok((name.clone(), said(section).map_err(refuse)?))
        };
        let words = self.attributes.iter().map(of).collect::<Result<Vec<_>, JobError>>()?;
        Ok(words.into_iter().filter(|(_, words)| *words != Words::default()).collect())
    }
}
