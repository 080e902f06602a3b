//! What missing values match.

use velamen_core::error::Problem;
use velamen_core::frequency::Role;
use velamen_core::hierarchy::{Definition, NULL};

use super::{AskedMethod, AskedModel, Recipe, ResolvedAttribute};

impl Recipe {
    /// Where missing values match any value, records are counted, and nothing else.
    pub(super) fn refuse_beyond_counting(
        &self,
        attributes: &[ResolvedAttribute],
        models: &[AskedModel],
        method: &AskedMethod,
    ) -> Result<(), Problem> {
        let needs = |problem: Problem| Err(problem.after("input.missing = \"wildcard\" "));
        if models.iter().any(|asked| !asked.entry.terms.facts.only_size) {
            return needs("goes with k-anonymity only".into());
        }
        if !method.facts.wildcards {
            return needs(
                "needs a search for one level by attribute, such as \"optimal\", without local recoding"
                    .into(),
            );
        }
        if self.population.is_some() || attributes.iter().any(|attribute| attribute.role == Role::Person) {
            return needs("works neither with a population nor with the role `person`".into());
        }
        let defined = |attribute: &&ResolvedAttribute| match &attribute.definition {
            Some(Definition::Table { rows }) => rows.iter().any(|row| row[0] == NULL),
            _ => false,
        };
        let qis = attributes.iter().filter(|attribute| attribute.role == Role::QuasiIdentifier);
        match qis.into_iter().find(|attribute| defined(attribute)) {
            Some(attribute) => needs(
                Problem::new("needs missing values without place in a hierarchy")
                    .mend(format!("drop the row of the empty value of `{}`", attribute.name)),
            ),
            None => Ok(()),
        }
    }
}
