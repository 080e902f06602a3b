//! The recipe's section for IPA as published: it promises no model, and says so by naming none.

use velamen_core::frequency::Role;
use velamen_core::method::ipa::Guarantee;
use velamen_core::method::ipa::published::{Published, PublishedParams};

use super::{AskedModel, Method, MethodName, MethodSection, Recipe};

impl MethodSection {
    /// Whether the method keeps no privacy model, so that a recipe has none to ask for.
    pub(super) fn keeps_no_model(&self) -> bool {
        self.name == MethodName::Ipa && self.guarantee == Guarantee::Published
    }
}

impl Recipe {
    pub(super) fn ipa_published(&self, models: &[AskedModel]) -> Result<Method, String> {
        if let Some(asked) = models.first() {
            return Err(format!(
                "ipa as published keeps no privacy model, also not `{}`: drop [[privacy]]; release.json states the \
                 class size that was reached",
                asked.entry.name
            ));
        }
        if self.population.is_some() {
            return Err("ipa looks at no population: drop the section `population`".into());
        }
        self.released_as_drawn()?;
        let (section, usual) = (&self.method, PublishedParams::default());
        let params = PublishedParams {
            threshold: section.threshold.unwrap_or(usual.threshold),
            suppression: section.epsilon_suppression.unwrap_or(usual.suppression),
            insertion: section.epsilon_insertion.unwrap_or(usual.insertion),
            value: section.epsilon_value.unwrap_or(usual.value),
            candidates: section.epsilon_candidates.unwrap_or(usual.candidates),
        };
        Ok(Method::IpaPublished(Published::try_from(params)?, params))
    }

    /// A counterfeit has quasi-identifiers and one sensitive value, and nothing else to show.
    fn released_as_drawn(&self) -> Result<(), String> {
        let refused =
            self.attributes.iter().find(|(_, a)| matches!(a.role, Role::Insensitive | Role::Person));
        if let Some((name, _)) = refused {
            return Err(format!(
                "attribute `{name}` is neither quasi-identifier nor sensitive, and a counterfeit has no value of it \
                 to show: give it the role \"quasi-identifier\", or \"identifier\" to drop it"
            ));
        }
        match self.attributes.values().filter(|attribute| attribute.role == Role::Sensitive).count() {
            1 => Ok(()),
            sensitive => Err(format!(
                "ipa keeps the values of exactly one attribute of the role \"sensitive\", the recipe names {sensitive}"
            )),
        }
    }
}
