//! What a method states of its release.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::Spent;
use crate::metric::{MetricOptions, NEUTRAL, Weights};

const NAME: &str = "name";
const SUPPRESSED: &str = "suppression-limit";
const COUNTERFEITS: &str = "counterfeit-limit";
const COUNTERFEITS_COUNT: &str = "counterfeits-count";
const LEAST_REAL: &str = "least-real";
const GROUP_CLASSES: &str = "group-classes";
const LARGEST_PADDED: &str = "largest-padded-class";
const METRIC: &str = "metric";
const AGGREGATE: &str = "aggregate";
const GS_FACTOR: &str = "gs-factor";
const WEIGHTS: &str = "weights";
const MONOTONE: &str = "monotone";
const NORMALISED: &str = "normalised";
const BUDGET_STEPS: &str = "budget-steps";
const BUDGET_SECONDS: &str = "budget-seconds";

/// The parameters of promises that methods repeat.
const REPEATED: [&str; 3] = ["epsilon", "delta", CEILING];
const CEILING: &str = "h";

/// Rounding that a share of records forgives.
const ROUNDING: f64 = 1e-9;

/// The section `method` of `release.json`: the method's name, what limits the release, the method's parameters, and what
/// followed from them. A recipe's section of a method reads as one, too.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Statement(Map<String, Value>);

/// A statement that does not say yet what limits the release.
#[derive(Debug)]
pub struct Unlimited(Map<String, Value>);

/// What limits a release, whatever made it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limits {
    /// The share of the real records that may be suppressed.
    pub suppressed: f64,
    /// What limits counterfeits, where a method catalogues them.
    pub counterfeits: Option<CounterfeitLimits>,
}

/// What limits the counterfeits of a release.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CounterfeitLimits {
    /// The most of them, as a share of the released records.
    pub most: f64,
    /// The real records of each class that has counterfeits, at least.
    pub least_real: u64,
    /// The least number of classes that can hold counterfeits in a group of the catalog, where it is more than usual.
    pub group_classes: Option<u64>,
    /// The largest released size of a class that can hold counterfeits, where one of any size cannot.
    pub largest_padded: Option<u64>,
}

impl Limits {
    /// No record may be suppressed, and none is counterfeit.
    pub const NOTHING: Self = Self::suppressed(0.0);

    /// All records may be suppressed.
    pub const EVERYTHING: Self = Self::suppressed(1.0);

    /// A share of the records may be suppressed.
    #[must_use]
    pub const fn suppressed(share: f64) -> Self {
        Self { suppressed: share, counterfeits: None }
    }

    /// The most of so many real records that a share lets be suppressed: ⌊share · records⌋, robust against the
    /// representation of the share.
    #[must_use]
    pub fn most_suppressed(share: f64, records: u64) -> u64 {
        (share * records as f64 + ROUNDING).floor() as u64
    }
}

impl Unlimited {
    /// With a parameter of the method's own.
    #[must_use]
    pub fn own(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.0.insert(key.to_owned(), value.into());
        self
    }

    /// With what limits the release: no statement is one without.
    #[must_use]
    pub fn limits(self, limits: Limits) -> Statement {
        let statement = Statement(self.0);
        let Some(counterfeits) = limits.counterfeits else {
            return statement.own(SUPPRESSED, limits.suppressed);
        };
        statement
            .own(COUNTERFEITS, counterfeits.most)
            .own(SUPPRESSED, limits.suppressed)
            .own(LEAST_REAL, counterfeits.least_real)
            .own_if(GROUP_CLASSES, counterfeits.group_classes)
            .own_if(LARGEST_PADDED, counterfeits.largest_padded)
    }
}

impl Statement {
    /// A statement of the method of that name.
    #[must_use]
    pub fn named(name: &str) -> Unlimited {
        Unlimited(Map::new()).own(NAME, name)
    }

    /// With a parameter of the method's own, or what followed from one.
    #[must_use]
    pub fn own(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.0.insert(key.to_owned(), value.into());
        self
    }

    /// With a parameter that is not always there.
    #[must_use]
    pub fn own_if(self, key: &str, value: Option<impl Into<Value>>) -> Self {
        match value {
            Some(value) => self.own(key, value),
            None => self,
        }
    }

    /// With how the metric is read, as far as that is not the usual way.
    #[must_use]
    pub fn read_by(self, options: &MetricOptions<Weights>) -> Self {
        let set = |set: bool| set.then_some(true);
        let neutral = (options.gs_factor - NEUTRAL).abs() > 0.0;
        self.own_if(AGGREGATE, options.aggregate.map(|aggregate| json!(aggregate)))
            .own_if(GS_FACTOR, neutral.then_some(options.gs_factor))
            .own_if(WEIGHTS, (!options.weights.is_empty()).then(|| json!(options.weights)))
            .own_if(MONOTONE, set(options.monotone))
            .own_if(NORMALISED, set(options.normalised))
    }

    /// With where the search ends before its own end.
    #[must_use]
    pub fn budget(self, steps: Option<u64>, seconds: Option<f64>) -> Self {
        self.own_if(BUDGET_STEPS, steps).own_if(BUDGET_SECONDS, seconds)
    }

    /// What a run found beside what was asked.
    pub fn extend(&mut self, found: Map<String, Value>) {
        self.0.extend(found);
    }

    /// Everything that it says, by name.
    #[must_use]
    pub fn entries(&self) -> &Map<String, Value> {
        &self.0
    }

    /// The method's name.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        self.text(NAME)
    }

    /// The share of the real records that may be suppressed; `None` where it is not said.
    #[must_use]
    pub fn suppression_limit(&self) -> Option<f64> {
        self.0.get(SUPPRESSED)?.as_f64()
    }

    /// The most counterfeits, as a share of the released records.
    #[must_use]
    pub fn counterfeit_limit(&self) -> Option<f64> {
        self.0.get(COUNTERFEITS)?.as_f64()
    }

    /// The real records that each class with counterfeits has at least.
    #[must_use]
    pub fn least_real(&self) -> Option<u64> {
        self.whole(LEAST_REAL)
    }

    /// The least number of classes that can hold counterfeits in a group of the catalog.
    #[must_use]
    pub fn group_classes(&self) -> Option<u64> {
        self.whole(GROUP_CLASSES)
    }

    /// The largest released size of a class that can hold counterfeits.
    #[must_use]
    pub fn largest_padded(&self) -> Option<u64> {
        self.whole(LARGEST_PADDED)
    }

    /// The names of limits that are stated and limit nothing: no share, or no number of records or classes.
    #[must_use]
    pub fn limits_that_are_none(&self) -> Vec<&'static str> {
        let is_share = |value: &Value| value.as_f64().is_some_and(|share| (0.0..=1.0).contains(&share));
        let is_number = |value: &Value| value.as_u64().is_some_and(|number| number > 0);
        let unlike = |keys: &[&'static str], is: &dyn Fn(&Value) -> bool| -> Vec<&'static str> {
            keys.iter().copied().filter(|key| self.0.get(*key).is_some_and(|value| !is(value))).collect()
        };
        let shares = unlike(&[SUPPRESSED, COUNTERFEITS], &is_share);
        let numbers = unlike(&[LEAST_REAL, GROUP_CLASSES, LARGEST_PADDED], &is_number);
        [shares, numbers].concat()
    }

    /// The number of records of the population, where an estimate rests on it.
    #[must_use]
    pub fn population_size(&self) -> Option<u64> {
        self.whole("population-size")
    }

    /// Whether k counts persons, who can have several records.
    #[must_use]
    pub fn counts_persons(&self) -> bool {
        self.0.contains_key("person")
    }

    /// The column of the original by which k counts persons.
    #[must_use]
    pub fn person(&self) -> Option<&str> {
        self.text("person")
    }

    /// Whether suppressed records show nothing, their sensitive and insensitive values included.
    #[must_use]
    pub fn suppresses_records(&self) -> bool {
        self.text("suppress") == Some("record")
    }

    /// Whether models hold of the real records of each class by themselves; `None` where none is asked for, and unsaid.
    #[must_use]
    pub fn holds_of_real(&self) -> Option<bool> {
        self.0.get(COUNTERFEITS_COUNT)?.as_bool().map(std::ops::Not::not)
    }

    /// The key of that statement, where it is left out.
    pub fn unsaid_of_real(&self) -> Option<&'static str> {
        self.holds_of_real().is_none().then_some(COUNTERFEITS_COUNT)
    }

    /// Says whether counterfeits stand in for people in what models ask of values.
    #[must_use]
    pub fn counting_counterfeits(self, count: bool) -> Self {
        self.own(COUNTERFEITS_COUNT, count)
    }

    /// Whether insensitive columns were left out, which would show which records are counterfeit.
    #[must_use]
    pub fn drops_insensitive(&self) -> bool {
        self.text("insensitive") == Some("dropped")
    }

    /// Says that insensitive columns were left out.
    #[must_use]
    pub fn dropping_insensitive(self) -> Self {
        self.own("insensitive", "dropped")
    }

    /// What readers are warned of.
    #[must_use]
    pub fn notice(&self) -> Option<&str> {
        self.text("notice")
    }

    /// Whether something was spent of a privacy budget.
    #[must_use]
    pub fn spends(&self) -> bool {
        self.0.contains_key("spent")
    }

    /// What was spent of a privacy budget, by step; nothing where none is.
    ///
    /// # Errors
    /// What does not read.
    pub fn spent(&self) -> Result<Vec<Spent>, serde_json::Error> {
        self.0.get("spent").map_or(Ok(Vec::new()), Vec::deserialize)
    }

    /// What is left of a privacy budget; `None` where it does not read.
    #[must_use]
    pub fn left(&self) -> Option<Spent> {
        let mut left = self.0.get("left")?.as_object()?.clone();
        left.insert("step".into(), "left".into());
        Spent::deserialize(Value::Object(left)).ok()
    }

    /// T, below which a noisy count is not released.
    #[must_use]
    pub fn least_count(&self) -> Option<u64> {
        self.whole("least-count")
    }

    /// Whether only cells with a record could be released.
    #[must_use]
    pub fn occupied_only(&self) -> Option<bool> {
        self.0.get("occupied-cells-only")?.as_bool()
    }

    /// ε.
    #[must_use]
    pub fn epsilon(&self) -> Option<f64> {
        self.0.get("epsilon")?.as_f64()
    }

    /// The share of the records that a private sample keeps.
    #[must_use]
    pub fn kept(&self) -> Option<f64> {
        self.0.get("beta")?.as_f64()
    }

    /// The least class of a private sample.
    #[must_use]
    pub fn least_kept(&self) -> Option<u64> {
        self.whole("k")
    }

    /// The parameters of a promise that it repeats, ε and δ or a ceiling, each with what it states and what is asked.
    pub fn promised_as<'a>(
        &'a self,
        asked: &'a Value,
    ) -> impl Iterator<Item = (&'static str, &'a Value, &'a Value)> {
        REPEATED.into_iter().filter_map(|key| {
            let stated = self.0.get(key).filter(|stated| !stated.is_null())?;
            Some((key, stated, asked.get(key)?))
        })
    }

    /// Whether it states a ceiling on what a record may lose.
    #[must_use]
    pub fn has_ceiling(&self) -> bool {
        self.0.contains_key(CEILING)
    }

    /// The name of the metric that the search weighed nodes by.
    #[must_use]
    pub fn metric(&self) -> Option<&str> {
        self.text(METRIC)
    }

    /// How the search read that metric; what is not said or does not read is the usual way.
    #[must_use]
    pub fn metric_options(&self) -> MetricOptions<Weights> {
        let weights = self.0.get(WEIGHTS).and_then(Value::as_object).into_iter().flatten();
        MetricOptions {
            aggregate: self.0.get(AGGREGATE).and_then(|stated| serde_json::from_value(stated.clone()).ok()),
            weights: weights.filter_map(|(name, weight)| Some((name.clone(), weight.as_f64()?))).collect(),
            gs_factor: self.0.get(GS_FACTOR).and_then(Value::as_f64).unwrap_or(NEUTRAL),
            monotone: self.flag(MONOTONE),
            normalised: self.flag(NORMALISED),
        }
    }

    /// Whether it says how the metric reads a cell, an attribute's figure or a suppressed record.
    #[must_use]
    pub fn reads_attributes_its_own_way(&self) -> bool {
        [GS_FACTOR, MONOTONE, NORMALISED].iter().any(|key| self.0.contains_key(*key))
    }

    /// Whether it says how the figures of attributes are put together.
    #[must_use]
    pub fn aggregates_its_own_way(&self) -> bool {
        [WEIGHTS, AGGREGATE].iter().any(|key| self.0.contains_key(*key))
    }

    /// How the metric is read, name by name, for people.
    pub fn told_metric_options(&self) -> impl Iterator<Item = (&'static str, &Value)> {
        let keys = [AGGREGATE, WEIGHTS, GS_FACTOR, MONOTONE, NORMALISED];
        keys.into_iter().filter_map(|key| Some((key, self.0.get(key)?)))
    }

    /// The same without weights.
    pub fn told_without_weights(&self) -> impl Iterator<Item = (&'static str, &Value)> {
        self.told_metric_options().filter(|(key, _)| *key != WEIGHTS)
    }

    /// The steps after which its search ends.
    #[must_use]
    pub fn budget_steps(&self) -> Option<u64> {
        self.whole(BUDGET_STEPS)
    }

    /// The seconds after which its search ends.
    #[must_use]
    pub fn budget_seconds(&self) -> Option<f64> {
        self.0.get(BUDGET_SECONDS)?.as_f64()
    }

    /// How counterfeits are drawn.
    #[must_use]
    pub fn draw(&self) -> Option<&str> {
        self.text("draw")
    }

    /// How far classes are filled up with counterfeits.
    #[must_use]
    pub fn padding(&self) -> Option<&str> {
        self.text("padding")
    }

    fn flag(&self, key: &str) -> bool {
        self.0.get(key).and_then(Value::as_bool).unwrap_or(false)
    }

    fn whole(&self, key: &str) -> Option<u64> {
        self.0.get(key)?.as_u64()
    }

    fn text(&self, key: &str) -> Option<&str> {
        self.0.get(key)?.as_str()
    }
}

impl From<Map<String, Value>> for Statement {
    fn from(entries: Map<String, Value>) -> Self {
        Self(entries)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::Aggregate;
    use crate::metric::Reading;

    #[test]
    fn limits_are_read_as_they_were_stated() {
        let counterfeits =
            CounterfeitLimits { most: 0.2, least_real: 2, group_classes: Some(20), largest_padded: None };
        let limits = Limits { suppressed: 0.05, counterfeits: Some(counterfeits) };
        let stated = Statement::named("m").own("h", 0.3).limits(limits).own("seed", 1);
        let read: Statement = serde_json::from_str(&serde_json::to_string(&stated).unwrap()).unwrap();
        assert_eq!(read, stated);
        assert_eq!((read.suppression_limit(), read.counterfeit_limit()), (Some(0.05), Some(0.2)));
        assert_eq!(
            (read.least_real(), read.group_classes(), read.largest_padded()),
            (Some(2), Some(20), None)
        );
        assert_eq!(Statement::named("m").limits(Limits::EVERYTHING).suppression_limit(), Some(1.0));
    }

    #[test]
    fn metric_options_are_read_as_they_were_stated() {
        let mut options = MetricOptions { gs_factor: 0.25, monotone: true, ..MetricOptions::default() };
        options.aggregate = Some(Aggregate::Max);
        options.weights = Weights::from_iter([("b".to_owned(), 2.0), ("a".to_owned(), 0.0)]);
        let stated = Statement::named("m").limits(Limits::NOTHING).read_by(&options).budget(Some(5), None);
        assert_eq!(stated.metric_options(), options);
        let told: Vec<&str> = stated.told_metric_options().map(|(key, _)| key).collect();
        assert_eq!(told, [AGGREGATE, WEIGHTS, GS_FACTOR, MONOTONE]);
        assert_eq!(stated.told_without_weights().count(), 3);
        assert!(stated.reads_attributes_its_own_way() && stated.aggregates_its_own_way());
        assert_eq!((stated.budget_steps(), stated.budget_seconds()), (Some(5), None));
    }

    #[test]
    fn the_usual_way_of_reading_is_not_stated() {
        let stated = Statement::named("m").limits(Limits::NOTHING).read_by(&MetricOptions::default());
        assert_eq!(stated, Statement::named("m").limits(Limits::NOTHING));
        assert_eq!(stated.metric_options(), MetricOptions::default());
        assert_eq!(stated.error_reading(), Reading::Marginal);
        let joint = Statement::named("m").reading(Reading::Joint).limits(Limits::NOTHING);
        assert_eq!(joint.error_reading(), Reading::Joint);
    }

    #[test]
    fn a_share_is_robust_against_its_representation() {
        assert_eq!(Limits::most_suppressed(0.29, 100), 29);
        assert_eq!((Limits::most_suppressed(0.0, 9), Limits::most_suppressed(1.0, 9)), (0, 9));
    }

    #[test]
    fn what_is_no_limit_is_named() {
        let stated = |limit: Value| Statement::named("m").limits(Limits::NOTHING).own(SUPPRESSED, limit);
        assert_eq!(stated(json!(1.5)).limits_that_are_none(), [SUPPRESSED]);
        assert_eq!(stated(json!("all")).limits_that_are_none(), [SUPPRESSED]);
        assert!(stated(json!(1)).limits_that_are_none().is_empty());
        for key in [LEAST_REAL, GROUP_CLASSES, LARGEST_PADDED] {
            for none in [json!(0), json!(null), json!("2"), json!(1.5)] {
                assert_eq!(stated(json!(1)).own(key, none.clone()).limits_that_are_none(), [key], "{none}");
            }
            assert!(stated(json!(1)).own(key, 1).limits_that_are_none().is_empty());
        }
    }
}
