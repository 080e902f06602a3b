//! The recipe's section for noisy counts: what the proof needs is checked here.

use serde_json::Value;
use velamen_core::frequency::Role;
use velamen_core::hierarchy::Definition;
use velamen_core::method::contingency_table::{ContingencyTable, ContingencyTableParams};
use velamen_core::method::ipa::private::{IpaPrivate, PrivateParams};

use super::method::Columns;
use super::safe_pub::{MODEL, refuse_bins};
use super::{AskedModel, AttributeSection, HierarchySection, Method, Recipe};

/// The share of epsilon that the choice of the node gets where the recipe gives none.
const USUAL_CANDIDATES: f64 = 0.1;
/// The share of the suppressed records' counts.
const USUAL_SUPPRESSION: f64 = 0.1;
/// The cells without a record that are released on average.
const USUAL_FALSE_CELLS: f64 = 1.0;

impl Recipe {
    pub(super) fn ipa(&self, models: &[AskedModel]) -> Result<Method, String> {
        let asked = self.noisy(models, "ipa")?;
        let sensitive = self.attributes.values().filter(|section| section.role == Role::Sensitive).count();
        if sensitive != 1 {
            return Err(format!(
                "ipa releases exactly one sensitive attribute, the recipe names {sensitive}; add for example \
                 [attributes.diagnosis] role = \"sensitive\", domain = \"codes.csv\", and make others \
                 quasi-identifiers with hierarchies"
            ));
        }
        let section = &self.method;
        let params = PrivateParams {
            epsilon: asked["epsilon"].as_f64().unwrap_or_default(),
            delta: asked["delta"].as_f64().unwrap_or_default(),
            candidates_share: section.candidates_share.unwrap_or(USUAL_CANDIDATES),
            insertion_share: section.insertion_share,
            suppression_share: section.suppression_share.unwrap_or(USUAL_SUPPRESSION),
            least_class: section.least_class,
            least_count: section.least_count,
            false_cells: section.false_cells.unwrap_or(USUAL_FALSE_CELLS),
            node_given: self.one_node(),
        };
        Ok(Method::IpaPrivate(IpaPrivate::try_from(params)?, params, self.columns()))
    }

    pub(super) fn contingency_table(&self, models: &[AskedModel]) -> Result<Method, String> {
        let asked = self.noisy(models, "contingency-table")?;
        if self.attributes.values().filter(|section| section.role == Role::Sensitive).count() > 1 {
            return Err("contingency-table releases at most one sensitive attribute; make the others \
                        quasi-identifiers with hierarchies"
                .into());
        }
        let params = ContingencyTableParams {
            epsilon: asked["epsilon"].as_f64().unwrap_or_default(),
            delta: asked["delta"].as_f64().unwrap_or_default(),
            least_count: self.method.least_count.unwrap_or(1),
        };
        Ok(Method::Contingency(ContingencyTable::try_from(params)?, params, self.columns()))
    }

    /// The parameters of the one model, if all that is released has a public domain.
    fn noisy(&self, models: &[AskedModel], method: &str) -> Result<Value, String> {
        if self.population.is_some() {
            return Err(format!("{method} looks at no population: drop the section `population`"));
        }
        for (name, section) in &self.attributes {
            self.listed(section).map_err(|problem| format!("attribute `{name}` {problem}"))?;
        }
        match models {
            [asked] if asked.entry.name == MODEL => Ok(asked.model.parameters()),
            _ => Err(format!(
                "{method} keeps one model only: [[privacy]] model = \"{MODEL}\" with epsilon, and delta if it may be \
                 above 0"
            )),
        }
    }

    fn columns(&self) -> Columns {
        if self.method.drop_insensitive { Columns::Drop } else { Columns::Refuse }
    }

    /// Whether every quasi-identifier has one level only.
    fn one_node(&self) -> bool {
        let one = |section: &AttributeSection| {
            section.level.is_some() || (section.min_level.is_some() && section.min_level == section.max_level)
        };
        self.attributes.values().filter(|section| section.role == Role::QuasiIdentifier).all(one)
    }

    /// Whether the domain of a released attribute can be listed without the data.
    fn listed(&self, section: &AttributeSection) -> Result<(), String> {
        let hierarchy = section.hierarchy.as_ref();
        match section.role {
            Role::Identifier => Ok(()),
            Role::Insensitive if self.method.drop_insensitive => Ok(()),
            Role::Insensitive => Err("is insensitive and would be released as it is, which is not differentially \
                                      private: drop such columns with drop-insensitive = true, or give it the role \
                                      \"quasi-identifier\" with a hierarchy"
                .into()),
            Role::Person => Err("has the role \"person\": the guarantee counts records, not persons; give it the role \
                                 \"identifier\" if each person has one record"
                .into()),
            Role::Sensitive => match hierarchy {
                _ if section.domain.is_some() => Ok(()),
                Some(HierarchySection::File(_) | HierarchySection::Inline(Definition::Table { .. })) => Ok(()),
                _ => Err("needs its values declared, whether they occur or not: domain = [\"A\", \"B\"], or domain = \
                          \"codes.csv\", a file with one value a line"
                    .into()),
            },
            Role::QuasiIdentifier => match hierarchy {
                None => Err("needs a hierarchy: without one its domain is read off the data".into()),
                Some(HierarchySection::Inline(Definition::Mask { .. })) => {
                    Err("has a mask, which does not list the codes there are: give a hierarchy as a file or as `rows`"
                        .into())
                }
                Some(hierarchy) if hierarchy.is_of_codes() => {
                    Err("has the structure of its codes, which does not list those there are: make a file from a public \
                         list of them, velamen hierarchy build --codes"
                        .into())
                }
                Some(_) => refuse_bins(section),
            },
        }
    }
}
