//! The terms of privacy models: their names, what they mean for lay readers, and what holds of them. Who judges a class by a
//! model, and who checks a release for it, are elsewhere and share no code; here is what both speak of.

pub mod alpha_k_anonymity;
pub mod average_risk;
pub mod basic_beta_likeness;
pub mod catalog_risk;
pub mod delta_disclosure;
pub mod delta_presence;
pub mod differential_privacy;
pub mod distinct_l_diversity;
pub mod enhanced_beta_likeness;
pub mod entropy_l_diversity;
pub mod information_leak;
pub mod k_anonymity;
pub mod k_map;
pub mod ms_bounding;
pub mod p_sensitive_k_anonymity;
pub mod population_uniqueness;
pub mod records_at_risk;
pub mod recursive_cl_diversity;
pub mod sample_uniqueness;
pub mod t_closeness;
use serde::Deserialize;
use serde_json::Value;
use velamen_core::registry::{Named, Registry};

use self::catalog_risk::CatalogRiskParams;

/// A model, as recipes, releases and readers speak of it.
#[derive(Debug, Clone, Copy)]
pub struct Terms {
    /// The name in recipes and releases.
    pub name: &'static str,
    /// One sentence for catalogues and help.
    pub summary: &'static str,
    /// What it means for a person in the data, from what was asked.
    pub words: fn(&Value) -> String,
    /// What it does not protect from, in sentences for lay readers.
    pub limits: &'static str,
    /// What holds of it.
    pub facts: Facts,
}

/// What holds of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Facts {
    /// Whether it looks at a sensitive attribute, named by `attribute` in the recipe.
    pub sensitive: bool,
    /// Whether it judges all kept classes together.
    pub table_level: bool,
    /// Whether it compares a class with the sensitive attribute's distribution among all records.
    pub against_table: bool,
    /// Whether it looks at the population, classes without a record of the table included.
    pub population: bool,
    /// Whether it counts a class's persons where the table says whose the records are.
    pub counts_persons: bool,
    /// The parameter that is the least size of every class, if one is.
    pub least_class: Option<&'static str>,
    /// Whether it asks for nothing but that size.
    pub only_size: bool,
    /// The parameter that is the least number of records of the population with the values of a class, if one is.
    pub least_in_population: Option<&'static str>,
    /// Whether it can be asked for some of the quasi-identifiers together.
    pub shields: bool,
    /// Whether draws keep it and no search can: a method promises it or does not.
    pub private: bool,
    /// Whether it is about what the catalog of counterfeits shows, and asks nothing of a class that padding could change.
    pub of_catalog: bool,
    /// The parameter that is the least number of sensitive values in every class, if one is.
    pub least_values: Option<&'static str>,
    /// What is usually asked for: with less it protects little.
    pub usual: &'static [Usual],
}

/// What is usually asked for of a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Usual {
    /// This number or more.
    AtLeast(&'static str, u64),
    /// Less than this number, with which nothing is asked for.
    Below(&'static str, u64),
}

impl Usual {
    /// The parameter's name.
    #[must_use]
    pub const fn parameter(self) -> &'static str {
        let (Self::AtLeast(parameter, _) | Self::Below(parameter, _)) = self;
        parameter
    }

    /// Whether a number is what is usually asked for.
    #[must_use]
    pub fn is_met(self, asked: f64) -> bool {
        match self {
            Self::AtLeast(_, least) => asked >= least as f64,
            Self::Below(_, bound) => asked < bound as f64,
        }
    }
}

impl Facts {
    /// Nothing holds.
    pub const NONE: Self = Self {
        sensitive: false,
        table_level: false,
        against_table: false,
        population: false,
        counts_persons: false,
        least_class: None,
        only_size: false,
        least_in_population: None,
        shields: false,
        private: false,
        of_catalog: false,
        least_values: None,
        usual: &[],
    };
}

impl Terms {
    /// The size that the parameters ask of every class, if they ask for one.
    #[must_use]
    pub fn least_class(&self, asked: &Value) -> Option<u64> {
        asked.get(self.facts.least_class?)?.as_u64()
    }

    /// What it asks of the values of a class, however many records it has; `None` where it asks nothing of values that
    /// real records could fail by themselves.
    #[must_use]
    pub fn of_values(&self, asked: &Value) -> Option<Value> {
        let Facts { sensitive, table_level, population, private, of_catalog, least_class, .. } = self.facts;
        if !sensitive || table_level || population || private || of_catalog {
            return None;
        }
        let mut of_values = asked.clone();
        if let Some(size) = least_class.and_then(|name| of_values.get_mut(name)) {
            *size = 1.into();
        }
        Some(of_values)
    }

    /// The least number of records that it asks for, in a class or in the population.
    #[must_use]
    pub fn least_records(&self, asked: &Value) -> Option<u64> {
        asked.get(self.facts.least_class.or(self.facts.least_in_population)?)?.as_u64()
    }

    /// The least number of sensitive values that it asks of every class.
    #[must_use]
    pub fn least_values(&self, asked: &Value) -> Option<f64> {
        asked.get(self.facts.least_values?)?.as_f64()
    }

    /// The size that every class needs to meet it: what is asked of sizes, a record for each value that is asked for, and what
    /// the risk of a catalog comes to.
    #[must_use]
    pub fn least_size(&self, asked: &Value) -> u64 {
        let by_values = self.least_values(asked).map(|least| least.ceil() as u64);
        let by_risk = self.facts.of_catalog.then(|| CatalogRiskParams::deserialize(asked).ok()).flatten();
        let sizes = [self.least_class(asked), by_values, by_risk.map(|risk| risk.class_size())];
        sizes.into_iter().flatten().fold(1, u64::max)
    }

    /// The parameters that ask for less than is usual, each with its number.
    pub fn below_usual(&self, asked: &Value) -> impl Iterator<Item = (Usual, f64)> {
        let number = |usual: &Usual| Some((*usual, asked.get(usual.parameter())?.as_f64()?));
        self.facts.usual.iter().filter_map(number).filter(|(usual, asked)| !usual.is_met(*asked))
    }

    /// The records of the population that a release reaches for each of its classes, where the model is about them.
    #[must_use]
    pub fn reached_in_population(&self, reached: &Value) -> Option<u64> {
        reached.get(self.facts.least_in_population?)?.as_u64()
    }
}

impl Named for Terms {
    fn name(&self) -> &'static str {
        self.name
    }
}

/// The model that asks for nothing but the size of classes.
pub const BY_SIZE: Terms = k_anonymity::TERMS;

/// The model that draws keep, and no search.
pub const BY_DRAWS: Terms = differential_privacy::TERMS;

/// The terms of every model, by name.
pub static REGISTRY: Registry<Terms> = Registry::new(&[
    BY_SIZE,
    alpha_k_anonymity::TERMS,
    p_sensitive_k_anonymity::TERMS,
    distinct_l_diversity::TERMS,
    entropy_l_diversity::TERMS,
    recursive_cl_diversity::TERMS,
    t_closeness::TERMS,
    delta_disclosure::TERMS,
    basic_beta_likeness::TERMS,
    enhanced_beta_likeness::TERMS,
    ms_bounding::TERMS,
    k_map::TERMS,
    delta_presence::TERMS,
    average_risk::TERMS,
    records_at_risk::TERMS,
    sample_uniqueness::TERMS,
    information_leak::TERMS,
    catalog_risk::TERMS,
    population_uniqueness::TERMS,
    BY_DRAWS,
]);

/// The terms of the model of that name.
#[must_use]
pub fn find(name: &str) -> Option<&'static Terms> {
    REGISTRY.find(name)
}

/// The size that models ask of every class together; 1 where none asks for any. `asked`: their names and parameters.
pub fn size_asked<'a>(asked: impl IntoIterator<Item = (&'a str, &'a Value)>) -> u64 {
    let least = |(name, asked): (&str, &Value)| Some(find(name)?.least_size(asked));
    asked.into_iter().filter_map(least).fold(1, u64::max)
}

/// The number of different sensitive values that models ask of every class; 1 where none asks for any. `asked`: their names
/// and parameters.
pub fn values_asked<'a>(asked: impl IntoIterator<Item = (&'a str, &'a Value)>) -> u64 {
    let least = |(name, asked): (&str, &Value)| find(name)?.least_values(asked);
    // Of an ℓ that is no whole number so many values are the least, but for what rounding forgives.
    let whole = |least: f64| (least - 1e-6).ceil() as u64;
    asked.into_iter().filter_map(least).map(whole).fold(1, u64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_demanding_model_says_how_many_values_there_are() {
        let json = |text: &str| serde_json::from_str::<Value>(text).unwrap();
        let (k, two, entropy) = (json(r#"{"k": 9}"#), json(r#"{"l": 2}"#), json(r#"{"l": 2.4}"#));
        assert_eq!(values_asked([]), 1);
        assert_eq!(values_asked([("k-anonymity", &k)]), 1);
        assert_eq!(values_asked([("k-anonymity", &k), ("distinct-l-diversity", &two)]), 2);
        assert_eq!(values_asked([("entropy-l-diversity", &entropy), ("distinct-l-diversity", &two)]), 3);
    }

    #[test]
    fn classes_are_as_large_as_the_most_demanding_model_asks() {
        let json = |text: &str| serde_json::from_str::<Value>(text).unwrap();
        let (k, three, risk) = (json(r#"{"k": 2}"#), json(r#"{"l": 3}"#), json(r#"{"risk": 0.2}"#));
        let both = json(r#"{"alpha": 0.5, "k": 7}"#);
        assert_eq!(size_asked([]), 1);
        assert_eq!(size_asked([("t-closeness", &json(r#"{"t": 0.4}"#))]), 1);
        assert_eq!(size_asked([("distinct-l-diversity", &three)]), 3);
        assert_eq!(size_asked([("k-anonymity", &k), ("distinct-l-diversity", &three)]), 3);
        assert_eq!(size_asked([("k-anonymity", &k), ("catalog-risk", &risk)]), 5);
        assert_eq!(size_asked([("alpha-k-anonymity", &both), ("k-anonymity", &k)]), 7);
    }

    #[test]
    fn what_is_below_the_usual_least_is_found() {
        let below = |name: &str, asked: Value| -> Vec<(&str, f64)> {
            let terms = find(name).unwrap();
            terms.below_usual(&asked).map(|(usual, asked)| (usual.parameter(), asked)).collect()
        };
        for usual in REGISTRY.iter().flat_map(|terms| terms.facts.usual) {
            let (Usual::AtLeast(_, bound) | Usual::Below(_, bound)) = *usual;
            assert!(!usual.is_met(bound as f64) || usual.is_met(bound as f64 + 1.0), "{usual:?}");
        }
        assert_eq!(below("k-anonymity", serde_json::json!({ "k": 4 })), [("k", 4.0)]);
        assert_eq!(below("k-anonymity", serde_json::json!({ "k": 5 })), []);
        assert_eq!(below("entropy-l-diversity", serde_json::json!({ "l": 1.9 })), [("l", 1.9)]);
        let alpha = below("alpha-k-anonymity", serde_json::json!({ "alpha": 1, "k": 2 }));
        assert_eq!(alpha, [("k", 2.0), ("alpha", 1.0)]);
        assert_eq!(below("alpha-k-anonymity", serde_json::json!({ "alpha": 0.9, "k": 5 })), []);
    }

    #[test]
    fn what_is_asked_of_values_leaves_sizes_out() {
        let of_values = |name: &str, asked: Value| find(name).unwrap().of_values(&asked);
        let both = serde_json::json!({ "alpha": 0.5, "k": 4 });
        assert_eq!(of_values("alpha-k-anonymity", both), Some(serde_json::json!({ "alpha": 0.5, "k": 1 })));
        assert_eq!(
            of_values("distinct-l-diversity", serde_json::json!({ "l": 2 })),
            Some(serde_json::json!({ "l": 2 }))
        );
        for name in ["k-anonymity", "average-risk", "k-map", "catalog-risk", "differential-privacy"] {
            assert_eq!(of_values(name, serde_json::json!({ "k": 4 })), None, "{name}");
        }
    }

    #[test]
    fn every_file_is_registered() {
        let names: Vec<&str> = REGISTRY.names().collect();
        for file in std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/src/model")).unwrap() {
            let stem = file.unwrap().path().file_stem().unwrap().to_string_lossy().replace('_', "-");
            assert!(
                stem == "mod" || names.contains(&stem.as_str()),
                "no terms of REGISTRY are called {stem}, as their file is"
            );
        }
    }
}
