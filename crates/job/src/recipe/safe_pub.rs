//! The recipe's section for differential privacy: what else the theorem needs is checked here.

use velamen_core::frequency::Role;
use velamen_core::method::safe_pub::{SafePub, SafePubParams, Search};

use super::{AskedModel, AttributeSection, HierarchySection, Method, MethodName, Recipe};

/// The model that safe-pub keeps.
pub(super) const MODEL: &str = "differential-privacy";
/// The share of epsilon that the search gets where the recipe gives none.
const USUAL_SHARE: f64 = 0.1;
/// The draws of a walk where the recipe gives none.
const USUAL_STEPS: u64 = 50;

impl Recipe {
    /// Refuses to promise differential privacy of a method that has none.
    pub(super) fn private_by_method(&self, models: &[AskedModel]) -> Result<(), String> {
        let private = models.iter().any(|asked| asked.entry.name == MODEL);
        let keeps = [MethodName::SafePub, MethodName::Ipa, MethodName::ContingencyTable];
        if private && !keeps.contains(&self.method.name) {
            return Err(format!(
                "`{MODEL}` is kept by three methods only: choose name = \"safe-pub\", \"ipa\" or \"contingency-table\""
            ));
        }
        Ok(())
    }

    pub(super) fn safe_pub(&self, models: &[AskedModel]) -> Result<Method, String> {
        let asked = only_private(models)?;
        if self.population.is_some() {
            return Err("safe-pub looks at no population: drop the section `population`".into());
        }
        for (name, section) in &self.attributes {
            self.releasable(section).map_err(|problem| format!("attribute `{name}` {problem}"))?;
        }
        let number = |name: &str| asked[name].as_f64().unwrap_or_default();
        let params = SafePubParams {
            epsilon: number("epsilon"),
            delta: number("delta"),
            k: models.iter().map(|asked| asked.model.least_size()).max().unwrap_or(1),
            search: self.method.search,
            search_share: self.method.search_share.unwrap_or(USUAL_SHARE),
            search_steps: self.method.search_steps.unwrap_or(USUAL_STEPS),
        };
        Ok(Method::SafePub(SafePub::try_from(params)?, params))
    }

    /// Whether the theorem covers an attribute: all that is released is generalized by a public rule.
    fn releasable(&self, section: &AttributeSection) -> Result<(), String> {
        match section.role {
            Role::Identifier => return Ok(()),
            Role::QuasiIdentifier => {}
            _ => {
                return Err(
                    "would be released as it is, which is not differentially private: give it the role \
                            \"quasi-identifier\" with a hierarchy, or \"identifier\" to drop it"
                        .into(),
                );
            }
        }
        if section.hierarchy.is_none() {
            return Err("needs a hierarchy: without one its domain is read off the data".into());
        }
        refuse_bins(section)?;
        if self.method.search == Search::DataIndependent && section.level.is_none() {
            return Err("needs `level`, because search = \"data-independent\" looks at no record".into());
        }
        Ok(())
    }
}

/// Refuses a hierarchy that is read off the data.
pub(super) fn refuse_bins(section: &AttributeSection) -> Result<(), String> {
    if section.hierarchy.as_ref().is_some_and(HierarchySection::reads_data) {
        return Err(
            "has bins that are read off the data, which is not differentially private: give `cuts`, or \
                    `interval` with `min` and `max`, that are known without them"
                .into(),
        );
    }
    Ok(())
}

/// The parameters of the one model, if no other is asked for but k-anonymity.
fn only_private(models: &[AskedModel]) -> Result<serde_json::Value, String> {
    if let Some(other) = models.iter().find(|asked| ![MODEL, "k-anonymity"].contains(&asked.entry.name)) {
        return Err(format!("safe-pub keeps `{MODEL}` and k-anonymity only, not `{}`", other.entry.name));
    }
    let mut private = models.iter().filter(|asked| asked.entry.name == MODEL);
    match (private.next(), private.next()) {
        (Some(asked), None) => Ok(asked.model.parameters()),
        _ => Err(format!("safe-pub needs one [[privacy]] model = \"{MODEL}\" with epsilon and delta")),
    }
}
