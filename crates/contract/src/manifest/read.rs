//! What a manifest promises, as the checker reads it.

use std::collections::BTreeMap;

use thiserror::Error;
use velamen_core::frequency::Role;
use velamen_core::hierarchy::Definition;
use velamen_core::recoding::Recoding;
use velamen_core::release::CatalogRow;

use super::{AttributeEntry, Manifest, Missing};
use crate::{EACH, Limits, MEASUREMENTS, Measurements, Noise, Promised, PromisedAttribute, Promises};

/// What a manifest states of a release in a form that nobody can check.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Unreadable {
    /// A quasi-identifier, by name, of which nobody could say what its labels mean.
    #[error("attribute `{0}`: a quasi-identifier without hierarchy: its labels cannot be read")]
    Attribute(String),
    /// A key of the method's section that noisy counts need.
    #[error("method.{0}: missing or not readable")]
    Method(&'static str),
    /// What was spent of a privacy budget.
    #[error("method.spent: {0}")]
    Spent(String),
}

/// The steps of a budget that a method of noisy counts spends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoisySteps {
    /// The step that the noise of cells is drawn in.
    pub counted: &'static str,
    /// The other steps.
    pub others: &'static [&'static str],
}

impl Promises {
    /// What a manifest promises. `steps`: those of its method, where it releases noisy counts.
    ///
    /// # Errors
    /// [`Unreadable`] if something that has to be checked is not there, or cannot be read.
    pub fn of(
        manifest: &Manifest,
        catalog: Vec<CatalogRow>,
        steps: Option<NoisySteps>,
    ) -> Result<Self, Unreadable> {
        let ceiling = manifest.privacy.iter().find_map(Promised::ceiling);
        let spent = manifest.method.spent().map_err(|error| Unreadable::Spent(error.to_string()))?;
        Ok(Self {
            method: manifest.method.name().unwrap_or_default().to_owned(),
            privacy: manifest.models().map(|p| (p.model.clone(), p.asked.clone())).collect(),
            h: ceiling,
            wildcards: manifest.missing == Missing::Wildcard,
            records: manifest.records,
            classes: manifest.classes,
            suppressed: manifest.suppressed,
            suppressed_whole: manifest.suppresses_records(),
            suppressed_noise: steps.is_some() || !spent.is_empty() || manifest.counterfeits.is_none(),
            most_suppressed: manifest.most_suppressed(steps.is_some() || !spent.is_empty()),
            counterfeits: manifest.counterfeits.unwrap_or(0),
            catalog,
            largest_padded: manifest.method.largest_padded(),
            group_classes: manifest.method.group_classes(),
            counterfeit_limit: manifest.method.counterfeit_limit(),
            least_real: manifest.method.least_real(),
            provably_real: manifest.adversary.map(|adversary| adversary.provably_real),
            impossible: manifest.impossible.clone(),
            alike: manifest.alike(),
            spent,
            noise: steps.map(|steps| manifest.noise(steps)).transpose()?,
            records_per_person: manifest.records_per_person.map(|most| most.get().into()),
            protects_persons: manifest.method.unit().map(|unit| unit == crate::PERSON),
            model_cells: manifest.method.model_cells(),
            max_cells: manifest.method.max_cells(),
            measured: None,
            population_size: manifest.method.population_size(),
            persons: manifest.method.counts_persons(),
            pseudonyms: manifest.pseudonyms(),
            of_real: manifest.method.holds_of_real() == Some(true),
            drawn: manifest.is_drawn(),
            domain_from_data: manifest.attributes.values().any(|entry| entry.domain_from_data),
            qis: manifest.quasi_identifiers()?,
            sensitive: ceiling.and_then(|_| manifest.of_role(Role::Sensitive).last()).map(str::to_owned),
            hierarchies: manifest.sensitive_hierarchies(),
            population: None,
            placed: None,
        })
    }
}

impl Manifest {
    /// The most real records that may be suppressed: counterfeits never are. Before format 3 a method that limits nothing
    /// did not say so: of noisy counts, suppressed records are noisy counts, too, and of a random sample they are a class
    /// like others.
    fn most_suppressed(&self, private: bool) -> u64 {
        let unsaid = if private { 1.0 } else { 0.0 };
        let limit = self.method.suppression_limit().unwrap_or(unsaid);
        Limits::most_suppressed(limit, self.records.saturating_sub(self.counterfeits.unwrap_or(0)))
    }

    fn quasi_identifiers(&self) -> Result<Vec<PromisedAttribute>, Unreadable> {
        let attributes = self.attributes.iter().filter(|(_, entry)| entry.role == Role::QuasiIdentifier);
        attributes.map(|(name, entry)| self.quasi_identifier(name, entry)).collect()
    }

    fn quasi_identifier(&self, name: &str, entry: &AttributeEntry) -> Result<PromisedAttribute, Unreadable> {
        // Left out, nobody would count by it.
        let Some(hierarchy) = entry.hierarchy.clone() else { return Err(Unreadable::Attribute(name.into())) };
        Ok(PromisedAttribute {
            name: name.to_owned(),
            level: entry.level,
            recoding: match entry.recoding.unwrap_or_default() {
                // Ranges state where they end: without it, values of the hierarchy are all there is.
                Recoding::Ranges if self.is_current() && entry.step.is_none() => Recoding::Nodes,
                recoding => recoding,
            },
            ends: entry.step,
            hierarchy,
            null_leaf: entry.missing_values,
            bottom: entry.bottom,
            top: entry.top,
        })
    }

    /// The pseudonyms of which the custodian does not say that records of one are of different people.
    #[must_use]
    pub fn pseudonyms(&self) -> Vec<String> {
        let of_people = |entry: &AttributeEntry| entry.pseudonym.is_some() && entry.rows.is_none();
        let named = self.attributes.iter().filter(|(_, entry)| of_people(entry));
        named.map(|(name, _)| name.clone()).collect()
    }

    fn sensitive_hierarchies(&self) -> BTreeMap<String, Definition> {
        let sensitive = self.attributes.iter().filter(|(_, entry)| entry.role == Role::Sensitive);
        sensitive.filter_map(|(name, entry)| Some((name.clone(), entry.hierarchy.clone()?))).collect()
    }

    /// Whether draws protect: of noise, of a sample, of counterfeits.
    fn is_drawn(&self) -> bool {
        let ceiling = self.privacy.iter().any(|promise| promise.ceiling().is_some());
        ceiling || self.method.spends() || self.sample.is_some() || self.counterfeits != Some(0)
    }

    /// How many records insensitive columns have to leave alike, where that is promised, and these columns.
    fn alike(&self) -> Option<(u64, Vec<String>)> {
        let k = self.privacy.iter().find_map(Promised::alike)?;
        Some((k, self.of_role(Role::Insensitive).map(str::to_owned).collect()))
    }

    /// What was drawn on the original, where the records are invented from it.
    ///
    /// # Errors
    /// [`Unreadable`] if it is not stated, or does not read.
    pub fn measurements(&self) -> Result<Measurements, Unreadable> {
        self.method.measurements().ok_or(Unreadable::Method(MEASUREMENTS))
    }

    /// What is stated of noisy counts.
    fn noise(&self, steps: NoisySteps) -> Result<Noise, Unreadable> {
        let method = &self.method;
        Ok(Noise {
            counted: steps.counted.into(),
            others: steps.others.iter().map(|step| (*step).to_owned()).collect(),
            least_count: method.least_count().ok_or(Unreadable::Method("least-count"))?,
            occupied_only: method.occupied_only().ok_or(Unreadable::Method("occupied-cells-only"))?,
            left: method.left().ok_or(Unreadable::Method("left"))?,
            sensitive: self.of_role(Role::Sensitive).map(str::to_owned).collect(),
            each: match method.reads_each() {
                true => Some(method.each().ok_or(Unreadable::Method(EACH))?),
                false => None,
            },
            cuts: method.cuts(),
            series: method.series(),
        })
    }
}
