//! Everything that a manifest promises, as a checker reads it.

use std::collections::BTreeMap;

use serde_json::Value;
use velamen_core::hierarchy::Definition;
use velamen_core::impossible::Impossible;
use velamen_core::recoding::Recoding;
use velamen_core::release::CatalogRow;
use velamen_core::step::Ends;

use crate::{EachStated, HistogramSeries, Measurements, Spent};

/// A released quasi-identifier as the manifest describes it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PromisedAttribute {
    /// The attribute's name.
    pub name: String,
    /// Its level in the released table; `None` where classes have levels of their own.
    pub level: Option<u8>,
    /// What its labels may be where it has no one level.
    pub recoding: Recoding,
    /// What the ends of its ranges are, where the manifest says it.
    pub ends: Option<Ends>,
    /// Its hierarchy.
    pub hierarchy: Definition,
    /// Whether missing values occur that the hierarchy does not define: one leaf more.
    pub null_leaf: bool,
    /// Numbers up to here are coded as one value.
    pub bottom: Option<f64>,
    /// Numbers from here up are coded as one value.
    pub top: Option<f64>,
}

/// Everything that a manifest promises.
#[derive(Debug, Clone, Default)]
pub struct Promises {
    /// The method's name.
    pub method: String,
    /// The privacy models: name and parameters.
    pub privacy: Vec<(String, Value)>,
    /// The ceiling on D(r), if one is promised.
    pub h: Option<f64>,
    /// The quasi-identifiers.
    pub qis: Vec<PromisedAttribute>,
    /// Hierarchies of sensitive attributes, by name.
    pub hierarchies: BTreeMap<String, Definition>,
    /// The attribute whose counterfeits the catalog counts.
    pub sensitive: Option<String>,
    /// Whether a missing quasi-identifier value matches any value.
    pub wildcards: bool,
    /// Released records.
    pub records: u64,
    /// Released classes.
    pub classes: u64,
    /// Suppressed records.
    pub suppressed: u64,
    /// Whether suppressed records show nothing, their sensitive and insensitive values included.
    pub suppressed_whole: bool,
    /// Whether suppressed records are noisy counts or beside untold counterfeits, and no class of people.
    pub suppressed_noise: bool,
    /// The most records that may be suppressed.
    pub most_suppressed: u64,
    /// Counterfeits.
    pub counterfeits: u64,
    /// The catalog.
    pub catalog: Vec<CatalogRow>,
    /// The largest released size of a class that can hold counterfeits.
    pub largest_padded: Option<u64>,
    /// The least number of classes that can hold counterfeits in a group of the catalog, or all where there are
    /// fewer.
    pub group_classes: Option<u64>,
    /// The most counterfeits, as a share of the released records.
    pub counterfeit_limit: Option<f64>,
    /// The real records that each class with counterfeits has at least, by the custodian's word; 1 where it is not said.
    pub least_real: Option<u64>,
    /// The records that the catalog proves to be real, where their number is stated.
    pub provably_real: Option<u64>,
    /// The pairs of values that no counterfeit has.
    pub impossible: Vec<Impossible>,
    /// How many records of each class that can hold counterfeits these insensitive columns have to leave alike.
    pub alike: Option<(u64, Vec<String>)>,
    /// The number of records of the population, where an estimate rests on it.
    pub population_size: Option<u64>,
    /// What was spent of a privacy budget, by step.
    pub spent: Vec<Spent>,
    /// What is stated of noisy counts, where the release is made of them.
    pub noise: Option<Noise>,
    /// The records of a person at most.
    pub records_per_person: Option<u64>,
    /// Whether draws protect a person with all of her records, and not one record; `None` where it is not said.
    pub protects_persons: Option<bool>,
    /// The most cells of the model that invented records follow.
    pub model_cells: Option<u64>,
    /// The most cells of a pair that is measured for it.
    pub max_cells: Option<u64>,
    /// What was drawn on the original, where the records are invented from it.
    pub measured: Option<Measurements>,
    /// Whether the domain of an attribute is read off the data.
    pub domain_from_data: bool,
    /// The population's table, for models that look at it; without it they are not checked.
    pub population: Option<PopulationRows>,
    /// Whether the models count persons, who can have several records: the release does not tell whose they are.
    pub persons: bool,
    /// The released pseudonyms: the models count the people that these tell apart where several records share one.
    pub pseudonyms: Vec<String>,
    /// The custodian's list of counterfeits; without it what is promised of real records is the custodian's word.
    pub placed: Option<Vec<PlacedCounterfeits>>,
    /// Whether what models ask of values holds of real records by themselves, counterfeits left out.
    pub of_real: bool,
    /// Whether protection rests on draws that have to be random.
    pub drawn: bool,
}

impl Promises {
    /// How many different sensitive values the real records of each class have at least, by what is promised of them; 1 where
    /// nothing is. A class that shows just so many has a real record of each.
    #[must_use]
    pub fn real_values(&self) -> u64 {
        let asked = self.privacy.iter().filter(|_| self.of_real);
        crate::model::values_asked(asked.map(|(model, asked)| (&**model, asked)))
    }
}

/// Counterfeits of one value in one class, by the custodian's list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlacedCounterfeits {
    /// The class's id.
    pub class: u64,
    /// The sensitive value.
    pub value: String,
    /// How many.
    pub count: u64,
}

/// What a manifest states of a release of noisy counts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Noise {
    /// The step that the counts of cells were spent for.
    pub counted: String,
    /// The other steps that the method may spend on.
    pub others: Vec<String>,
    /// T.
    pub least_count: u64,
    /// Whether only cells with a record could be released, which asks for a δ.
    pub occupied_only: bool,
    /// What is left of the budget.
    pub left: Spent,
    /// The sensitive attributes that are released; several are counted together, unless each has counts of its own.
    pub sensitive: Vec<String>,
    /// By sensitive attribute what is stated of its counts, where each is counted by itself.
    pub each: Option<BTreeMap<String, EachStated>>,
    /// By quasi-identifier the values that it is cut into, whether records have them or not, where its values have levels of their
    /// own.
    pub cuts: Option<BTreeMap<String, Vec<String>>>,
    /// The histograms of a series of times, where there is one.
    pub series: Option<HistogramSeries>,
}

/// The population as it stands in its table: the values of the quasi-identifiers, in the order of the
/// promises, with the number of records.
pub type PopulationRows = Vec<(Vec<String>, u64)>;

impl Noise {
    /// The steps that counts of cells were spent for, each with its attribute where it is of one, and T.
    #[must_use]
    pub fn counted_steps(&self) -> Vec<(String, Option<&str>, u64)> {
        match &self.each {
            None => vec![(self.counted.clone(), None, self.least_count)],
            Some(each) => {
                let of = |(name, stated): (&'_ String, &EachStated)| {
                    (crate::step_of(&self.counted, name), stated.least_count)
                };
                let steps = each.iter().map(|both| (of(both), both.0.as_str()));
                steps.map(|((step, least), name)| (step, Some(name), least)).collect()
            }
        }
    }

    /// The steps of that name: one for each attribute where each is counted by itself.
    #[must_use]
    pub fn steps_of(&self, step: &str) -> Vec<String> {
        match &self.each {
            None => vec![step.to_owned()],
            Some(each) => each.keys().map(|name| crate::step_of(step, name)).collect(),
        }
    }

    /// Of how many equal parts of its step's loss the noise of each cell has one.
    #[must_use]
    pub fn parts(&self) -> u64 {
        self.series.as_ref().map_or(1, |series| series.most)
    }
}
