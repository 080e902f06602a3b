//! From the recipe's method section to a method with checked parameters.

use std::path::Path;

use velamen_core::frequency::Role;
use velamen_core::method::contingency_table::{ContingencyTable, ContingencyTableParams};
use velamen_core::method::evaluate::Outliers;
use velamen_core::method::h_ceiling::local::Parts;
use velamen_core::method::h_ceiling::{HCeiling, HCeilingParams};
use velamen_core::method::ipa::Guarantee;
use velamen_core::method::ipa::private::{IpaPrivate, PrivateParams};
use velamen_core::method::ipa::published::{Published as IpaPublished, PublishedParams};
use velamen_core::method::local_recoding::Levels;
use velamen_core::method::mdav::Aggregate as Average;
use velamen_core::method::mondrian::Partitioning;
use velamen_core::method::safe_pub::{SafePub, SafePubParams};
use velamen_core::method::search::Strategy;
use velamen_core::method::{best_first, datafly, exhaustive, genetic, optimal, top_down};
use velamen_core::metric::{self, Entry as MetricEntry, MetricOptions};
use velamen_core::model::Monotonicity;

use super::clustering::Clusters;
use super::nearest::one_of;
use super::{AskedModel, MethodName, Recipe, RowSearch};
use crate::error::JobError;

/// The budget where the recipe gives none.
const USUAL_STEPS: u64 = 4_000;

/// Models that look at the population.
const OF_PERSONS: [&str; 3] = ["k-map", "delta-presence", "population-uniqueness"];

/// A method with its parameters.
#[derive(Debug, Clone)]
pub enum Method {
    /// h-ceiling with counterfeits and catalog.
    HCeiling(HCeiling, HCeilingParams, Parts),
    /// Full-domain generalization, alone or with a treatment of outliers.
    FullDomain {
        /// The name in the recipe.
        name: MethodName,
        /// How the lattice is searched.
        strategy: Strategy,
        /// What is minimised.
        metric: &'static MetricEntry,
        /// How it is read.
        options: MetricOptions,
        /// The share of records that may be suppressed or relocated.
        limit: f64,
        /// What happens to them.
        outliers: Outliers,
        /// Whether models are taken to be monotone where they are not.
        assume_monotone: bool,
        /// The most nodes that are grouped.
        steps: Option<u64>,
        /// The most seconds of the search.
        seconds: Option<f64>,
        /// Whether the search is repeated on the suppressed records, and with which levels.
        local: Option<Levels>,
    },
    /// Multidimensional partitioning.
    Mondrian {
        /// Strict or relaxed.
        partitioning: Partitioning,
    },
    /// A search that counts distinct rows.
    Rows(RowSearch),
    /// Differentially private.
    SafePub(SafePub, SafePubParams),
    /// Blocks of near records.
    Clustering(Clusters),
    /// IPA as published.
    IpaPublished(IpaPublished, PublishedParams),
    /// Differentially private microdata of noisy counts.
    IpaPrivate(IpaPrivate, PrivateParams, Columns),
    /// The differentially private histogram.
    Contingency(ContingencyTable, ContingencyTableParams, Columns),
    /// Microaggregation.
    Mdav {
        /// The least records of a cluster.
        k: u64,
        /// What a cluster's numbers become.
        aggregate: Average,
    },
}

/// What becomes of columns that a method cannot release.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Columns {
    /// The recipe is refused.
    Refuse,
    /// They are dropped.
    Drop,
}

impl Method {
    /// Its name in recipes and manifests.
    pub(crate) fn name(&self) -> String {
        let name = match self {
            Self::HCeiling(..) => MethodName::HCeiling,
            Self::FullDomain { name, .. } => *name,
            Self::Mondrian { .. } => MethodName::Mondrian,
            Self::Rows(search) => search.name,
            Self::SafePub(..) => MethodName::SafePub,
            Self::Clustering(clusters) => clusters.name,
            Self::IpaPublished(..) | Self::IpaPrivate(..) => MethodName::Ipa,
            Self::Contingency(..) => MethodName::ContingencyTable,
            Self::Mdav { .. } => MethodName::Mdav,
        };
        serde_json::json!(name).as_str().unwrap_or_default().to_owned()
    }

    /// Whether the release is made of noisy counts, not of records.
    pub(crate) fn is_noisy(&self) -> bool {
        matches!(self, Self::IpaPrivate(..) | Self::Contingency(..))
    }

    /// Whether the release is differentially private.
    pub(crate) fn is_private(&self) -> bool {
        self.is_noisy() || matches!(self, Self::SafePub(..))
    }

    /// Whether insensitive columns are dropped.
    pub(crate) fn drops_insensitive(&self) -> bool {
        matches!(self, Self::IpaPrivate(_, _, Columns::Drop) | Self::Contingency(_, _, Columns::Drop))
    }
}

impl Recipe {
    pub(super) fn method(&self, path: &Path, models: &[AskedModel]) -> Result<Method, JobError> {
        let wrong = |problem: String| match problem.starts_with("attribute `") {
            true => self.refuse(path, &["method"], problem),
            false => self.refuse(path, &["method"], format!("method: {problem}")),
        };
        self.method.refuse_idle(&self.places.below("method")).map_err(wrong)?;
        self.private_by_method(models).map_err(wrong)?;
        self.shields_by_method(models).map_err(wrong)?;
        self.levels_by_method().map_err(wrong)?;
        match self.method.name {
            MethodName::SafePub => self.safe_pub(models).map_err(wrong),
            MethodName::Ipa if self.method.guarantee == Guarantee::Published => {
                self.ipa_published(models).map_err(wrong)
            }
            MethodName::Ipa => self.ipa(models).map_err(wrong),
            MethodName::ContingencyTable => self.contingency_table(models).map_err(wrong),
            MethodName::HCeiling => self.h_ceiling(models).map_err(wrong),
            MethodName::Mondrian => self.mondrian(models).map_err(wrong),
            MethodName::Mdav => self.mdav(models).map_err(wrong),
            name @ (MethodName::CeMiClustering
            | MethodName::CeClustering
            | MethodName::EntropyLClustering
            | MethodName::TClosenessClustering
            | MethodName::KMember) => self.clustering(name, models).map_err(wrong),
            name @ (MethodName::Iab | MethodName::Greedy | MethodName::ExhaustiveRows) => {
                self.row_search(name, models).map_err(wrong)
            }
            name => self.full_domain(name, models).map_err(wrong),
        }
    }

    /// Refuses levels where classes have levels of their own.
    fn levels_by_method(&self) -> Result<(), String> {
        let own = self.has_own_levels();
        let asked = |attribute: &super::AttributeSection| {
            attribute.level.or(attribute.min_level).or(attribute.max_level).is_some()
        };
        match self.attributes.iter().find(|(_, attribute)| own && asked(attribute)) {
            Some((name, _)) => Err(format!(
                "attribute `{name}`: `level`, `min-level` and `max-level` need one level for the whole table; drop them, or \
                 choose name = \"optimal\" or h-ceiling with parts = \"full-domain\""
            )),
            None => Ok(()),
        }
    }

    /// Whether classes have levels of their own.
    pub(super) fn has_own_levels(&self) -> bool {
        let section = &self.method;
        match section.name {
            MethodName::HCeiling => section.parts != Parts::FullDomain,
            MethodName::Mondrian
            | MethodName::Mdav
            | MethodName::CeMiClustering
            | MethodName::CeClustering
            | MethodName::EntropyLClustering
            | MethodName::TClosenessClustering
            | MethodName::KMember => true,
            _ => section.cell_suppression,
        }
    }

    fn h_ceiling(&self, models: &[AskedModel]) -> Result<Method, String> {
        self.refuse_persons()?;
        let section = &self.method;
        if let Some(other) = models.iter().find(|asked| OF_PERSONS.contains(&asked.entry.name)) {
            return Err(format!(
                "`{}` is about persons of the population, and counterfeits are none: padding cannot make it hold; \
                 choose name = \"optimal\"",
                other.entry.name
            ));
        }
        let beyond = models.iter().any(|asked| asked.entry.name != "k-anonymity");
        let k = models.iter().map(|asked| asked.model.least_size()).max().unwrap_or(2);
        let params = HCeilingParams {
            k,
            h: section.h,
            padding: section.padding,
            draw: section.draw,
            rce: section.rce,
            beyond,
        };
        let method = HCeiling::try_from(params)?;
        self.one_sensitive()?;
        if section.parts != Parts::FullDomain {
            self.refuse_coded()?;
        }
        Ok(Method::HCeiling(method, params, section.parts))
    }

    /// Refuses coded ends, of whose ranges nobody could tell how much they cover.
    fn refuse_coded(&self) -> Result<(), String> {
        let coded =
            |attribute: &&super::AttributeSection| attribute.top.is_some() || attribute.bottom.is_some();
        match self.attributes.values().find(coded) {
            Some(_) => Err(
                "`top` and `bottom` go with parts = \"full-domain\" only; give the hierarchy's min and max \
                            instead"
                    .into(),
            ),
            None => Ok(()),
        }
    }

    fn mdav(&self, models: &[AskedModel]) -> Result<Method, String> {
        self.refuse_persons()?;
        if let Some(other) = models.iter().find(|asked| asked.entry.name != "k-anonymity") {
            return Err(format!(
                "mdav makes clusters for k-anonymity only; for `{}` choose name = \"mondrian\"",
                other.entry.name
            ));
        }
        let k = models.iter().map(|asked| asked.model.least_size()).max().unwrap_or(2);
        Ok(Method::Mdav { k, aggregate: self.method.average })
    }

    /// Refuses what looks beyond the records of one class, where classes have levels of their own.
    pub(super) fn refuse_beyond_classes(&self, models: &[AskedModel]) -> Result<(), String> {
        if let Some(other) = models.iter().find(|asked| asked.entry.table_level || asked.entry.population) {
            return Err(format!(
                "`{}` looks beyond the records of one class and needs one level for the whole table: choose name = \
                 \"optimal\" without local recoding",
                other.entry.name
            ));
        }
        self.refuse_persons()
    }

    /// Refuses persons of several records where k counts records.
    pub(super) fn refuse_persons(&self) -> Result<(), String> {
        if self.attributes.values().any(|attribute| attribute.role == Role::Person) {
            return Err(
                "the role \"person\" needs one level for the whole table: choose name = \"optimal\" or a \
                 variant of it, without local recoding"
                    .into(),
            );
        }
        Ok(())
    }

    fn mondrian(&self, models: &[AskedModel]) -> Result<Method, String> {
        self.refuse_beyond_classes(models)?;
        let partitioning = self.method.partitioning;
        let stubborn = models.iter().find(|asked| asked.entry.monotonicity == Monotonicity::None);
        match stubborn.filter(|_| partitioning == Partitioning::Relaxed) {
            Some(asked) => Err(format!(
                "relaxed parts can be released under equal labels and then are one class, of which `{}` need not \
                 hold; choose partitioning = \"strict\"",
                asked.entry.name
            )),
            None => Ok(Method::Mondrian { partitioning }),
        }
    }

    fn full_domain(&self, name: MethodName, models: &[AskedModel]) -> Result<Method, String> {
        let section = &self.method;
        let metric = section.metric.as_deref().unwrap_or("loss");
        let metric = metric::find(metric).ok_or_else(|| {
            let known: Vec<&str> = metric::REGISTRY.iter().map(|metric| metric.name).collect();
            format!("unknown metric `{metric}`{}", one_of(metric, &known))
        })?;
        let limit = section.suppression_limit.unwrap_or(0.0);
        if !(0.0..=1.0).contains(&limit) {
            return Err("suppression-limit is a share, from 0 to 1".into());
        }
        let outliers = if name == MethodName::Relocation { Outliers::Relocate } else { Outliers::Suppress };
        let local = match (section.cell_suppression, section.local_recoding) {
            (true, _) => Some(Levels::Ends),
            (false, true) => Some(Levels::All),
            (false, false) => None,
        };
        if local.is_some() && outliers == Outliers::Relocate {
            return Err(
                "relocation moves the records that local recoding would search again; choose one".into()
            );
        }
        if local.is_some() {
            self.refuse_beyond_classes(models)?;
        }
        let strategy = match name {
            MethodName::Exhaustive => exhaustive::STRATEGY,
            MethodName::Datafly => datafly::STRATEGY,
            MethodName::TopDown => top_down::STRATEGY,
            MethodName::BestFirst => best_first::STRATEGY,
            MethodName::Genetic => genetic::STRATEGY,
            _ => optimal::STRATEGY,
        };
        let assume_monotone = section.assume_monotone;
        let options = self.metric_options(metric)?;
        let (steps, seconds) = self.budget(strategy)?;
        Ok(Method::FullDomain {
            name,
            strategy,
            metric,
            options,
            limit,
            outliers,
            assume_monotone,
            steps,
            seconds,
            local,
        })
    }

    /// The budget in steps and seconds; where none is given, some steps.
    fn budget(&self, strategy: Strategy) -> Result<(Option<u64>, Option<f64>), String> {
        let section = &self.method;
        let (steps, seconds) = (section.budget_steps, section.budget_seconds);
        let has_budget = [best_first::STRATEGY, genetic::STRATEGY].contains(&strategy);
        if steps == Some(0) || seconds.is_some_and(|seconds| !(seconds > 0.0 && seconds.is_finite())) {
            return Err("budget-steps and budget-seconds must be above 0".into());
        }
        let usual = (has_budget && seconds.is_none()).then_some(USUAL_STEPS);
        Ok((steps.or(usual), seconds))
    }

    /// How the metric is read; the weights follow once the table's columns are known.
    fn metric_options(&self, metric: &MetricEntry) -> Result<MetricOptions, String> {
        let section = &self.method;
        let gs_factor = section.gs_factor.unwrap_or(0.5);
        if !(0.0..=1.0).contains(&gs_factor) {
            return Err("gs-factor is a number from 0 to 1; 0.5 is neutral".into());
        }
        if section.aggregate.is_some() && metric.aggregate.is_none() {
            return Err(format!(
                "the metric `{}` is not put together from attributes: drop `aggregate`",
                metric.name
            ));
        }
        Ok(MetricOptions {
            aggregate: section.aggregate,
            weights: Vec::new(),
            gs_factor,
            monotone: section.monotone,
            normalised: section.normalised,
        })
    }

    /// h-ceiling conceals one attribute.
    fn one_sensitive(&self) -> Result<(), String> {
        let sensitive = self.attributes.iter().filter(|(_, attribute)| attribute.role == Role::Sensitive);
        let names: Vec<&str> = sensitive.map(|(name, _)| name.as_str()).collect();
        let advice = match names[..] {
            [_] => return Ok(()),
            [] => {
                "none; add for example [attributes.diagnosis] role = \"sensitive\", or choose name = \"optimal\""
            }
            _ => "give the others the role \"insensitive\" or \"quasi-identifier\"",
        };
        let named = if names.is_empty() { String::new() } else { format!("{}; ", names.join(", ")) };
        Err(format!("h-ceiling conceals exactly one sensitive attribute, the recipe names {named}{advice}"))
    }
}
