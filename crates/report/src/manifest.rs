//! `release.json`: what was done, asked and reached. Holds nothing that only the custodian may
//! know: no seed, no hash or path of the input, no figure over the original records.

#![deny(clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use velamen_checker::Finding;
use velamen_contract::{Noise, Promised, PromisedAttribute, Promises, Spent, Statement};
use velamen_core::frequency::Role;
use velamen_core::hierarchy::Definition;
use velamen_core::impossible::Impossible;
use velamen_core::recoding::Recoding;
use velamen_core::release::CatalogRow;
use velamen_core::step::Ends;
use velamen_recipe::{About, Code, DerivedSection, JobError, Missing, PresetEntry, Pseudonym};
use velamen_search::method;
use velamen_search::method::{Facts, Records};

use crate::AskedRisk;

/// The file's name in a release.
pub const FILE: &str = "release.json";

/// The number of the form that is written: it says all that is in the folder. In form 1 hierarchies stand in the manifest,
/// in form 2 large ones lie beside it; neither says the types of columns. Releases without a number are older and read
/// the same.
pub const FORMAT: u64 = 3;

/// The manifest of a release.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Manifest {
    /// The number of the manifest's form; absent in releases made before there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<u64>,
    /// The version that made the release.
    pub velamen: String,
    /// What the custodian says of it.
    #[serde(default, skip_serializing_if = "About::is_empty")]
    pub about: About,
    /// The published rule whose settings were added.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preset: Option<PresetEntry>,
    /// The method and its parameters, `name` first.
    pub method: Statement,
    /// The released file.
    pub data: DataFile,
    /// The files that tell recipients how to use the release.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub documents: Vec<String>,
    /// The SHA-256 of each file that the custodian attached, by its name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub attached: BTreeMap<String, String>,
    /// The level of each quasi-identifier; none where classes have levels of their own.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub node: Map<String, Value>,
    /// The share of the input's records that a random sample was to keep; absent where all were.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sample: Option<f64>,
    /// The records of a person at most, by a random draw; absent where all were kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub records_per_person: Option<NonZeroU32>,
    /// What a missing quasi-identifier value matches.
    #[serde(default, skip_serializing_if = "Missing::is_own_value")]
    pub missing: Missing,
    /// Whether released values cover the original ones; absent where they do, but for counterfeits and
    /// relocated records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub truthful: Option<bool>,
    /// Released records, suppressed ones and counterfeits included.
    pub records: u64,
    /// Records whose quasi-identifiers are all `*`.
    pub suppressed: u64,
    /// Counterfeit records: the sum of the catalog; absent where the release does not tell them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counterfeits: Option<u64>,
    /// Equivalence classes; suppressed records form none.
    pub classes: u64,
    /// What was asked of the release and what it reached.
    pub privacy: Vec<Promised>,
    /// Pairs of values that nobody has, and no counterfeit.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub impossible: Vec<Impossible>,
    /// The highest risk of re-identification that the recipe asks for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub risk: Option<f64>,
    /// Utility figures of the released table, by metric.
    pub utility: Map<String, Value>,
    /// How columns followed from others of the input.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub derived: BTreeMap<String, DerivedSection>,
    /// The released attributes and their hierarchies.
    pub attributes: Map<String, Value>,
}

/// The released file.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct DataFile {
    /// Its name in the release folder.
    pub file: String,
    /// Its format.
    pub format: String,
    /// The types of its columns, in their order, in formats that have types.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub types: Vec<String>,
    /// The delimiter of delimited text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delimiter: Option<String>,
    /// Whether cells that a spreadsheet would run as formulas have an apostrophe in front.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub escaped: bool,
}

impl DataFile {
    /// The file in a release folder; a manifest can name none outside.
    pub fn path(&self, folder: &Path) -> Result<PathBuf, JobError> {
        let name = Path::new(&self.file);
        if name.file_name() != Some(name.as_os_str()) {
            let message = "data.file: expected the name of a file in the release's folder";
            return Err(JobError::Data(format!("{}: {message}", folder.join(FILE).display())));
        }
        Ok(folder.join(name))
    }
}

/// A released attribute.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct AttributeEntry {
    /// Its part.
    pub role: Role,
    /// Its level, for quasi-identifiers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<u8>,
    /// What its labels are where classes have levels of their own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recoding: Option<Recoding>,
    /// What the ends of its ranges are: multiples of a step, "intervals" of the hierarchy, or "values", which are released in
    /// sets where they have no order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<Ends>,
    /// How many levels its hierarchy has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub levels: Option<u8>,
    /// Its hierarchy in full.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hierarchy: Option<Definition>,
    /// Whether the hierarchy's domain is read off the data.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub domain_from_data: bool,
    /// Whether missing values occur that the hierarchy does not define: one leaf more.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub missing_values: bool,
    /// Numbers up to here are coded as one value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bottom: Option<f64>,
    /// Numbers from here up are coded as one value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub top: Option<f64>,
    /// What the values stand for, where they are pseudonyms.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pseudonym: Option<Pseudonym>,
    /// By how many days at most a person's dates were moved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date_shift: Option<u32>,
    /// What the custodian says of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The unit of its values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
}

impl Manifest {
    /// The mean share of the quasi-identifiers' detail that is lost, however the recipe puts attributes together; `None`
    /// of a release that does not state it.
    #[must_use]
    pub fn lost_detail(&self) -> Option<f64> {
        let lm = self.utility.get("lm")?;
        let by_attribute = lm["by-attribute"].as_object().filter(|by| !by.is_empty());
        let mean = |by: &Map<String, Value>| {
            by.values().map(Value::as_f64).sum::<Option<f64>>().map(|sum| sum / by.len() as f64)
        };
        by_attribute.and_then(mean).or_else(|| lm["value"].as_f64())
    }

    /// Whether it is of the form that is written now.
    #[must_use]
    pub fn is_current(&self) -> bool {
        self.format == Some(FORMAT)
    }

    /// The manifest as whoever reads it has it: a decimal fraction can lose its last digit on the way, and what is made from
    /// the manifest is to be the same for all. Attributes have no such figures.
    #[must_use]
    pub fn as_read(&self) -> Self {
        let text = self.without_attributes().to_json();
        let read = serde_json::from_str::<Self>(&text).unwrap_or_else(|_| self.without_attributes());
        Self { attributes: self.attributes.clone(), ..read }
    }

    /// The same without attributes, whose hierarchies can be large.
    pub(crate) fn without_attributes(&self) -> Self {
        Self {
            velamen: self.velamen.clone(),
            preset: self.preset.clone(),
            method: self.method.clone(),
            data: self.data.clone(),
            node: self.node.clone(),
            privacy: self.privacy.clone(),
            impossible: self.impossible.clone(),
            utility: self.utility.clone(),
            attributes: Map::new(),
            about: self.about.clone(),
            documents: self.documents.clone(),
            attached: self.attached.clone(),
            derived: self.derived.clone(),
            ..*self
        }
    }

    /// The manifest with all hierarchies in it.
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).expect("a manifest holds only plain data");
        text.push('\n');
        text
    }

    /// What the checker has to check.
    ///
    /// # Errors
    /// [`JobError::Data`] if an entry does not read.
    pub fn promises(&self, catalog: Vec<CatalogRow>) -> Result<Promises, JobError> {
        let ceiling = self.privacy.iter().find_map(Promised::ceiling);
        let spent = self.spent()?;
        // Before format 3 a method that limits nothing did not say so: of noisy counts, suppressed records are noisy
        // counts, too, and of a random sample they are a class like others.
        let unsaid = if self.is_noisy() || !spent.is_empty() { 1.0 } else { 0.0 };
        let limit = self.method.suppression_limit().unwrap_or(unsaid);
        let mut promises = Promises {
            privacy: self.models().map(|p| (p.model.clone(), p.asked.clone())).collect(),
            h: ceiling,
            wildcards: self.missing == Missing::Wildcard,
            records: self.records,
            classes: self.classes,
            suppressed: self.suppressed,
            suppressed_whole: self.suppresses_records(),
            // Of the real records: counterfeits are never suppressed.
            most_suppressed: most_outliers(
                limit,
                self.records.saturating_sub(self.counterfeits.unwrap_or(0)),
            ),
            counterfeits: self.counterfeits.unwrap_or(0),
            catalog,
            largest_padded: self.method.largest_padded(),
            group_classes: self.method.group_classes(),
            counterfeit_limit: self.method.counterfeit_limit(),
            least_real: self.method.least_real(),
            impossible: self.impossible.clone(),
            alike: self.alike(),
            spent,
            noise: self.noise()?,
            population_size: self.method.population_size(),
            persons: self.method.counts_persons(),
            drawn: self.is_drawn(),
            ..Promises::default()
        };
        for (name, entry) in &self.attributes {
            let broken = |problem: &dyn std::fmt::Display| {
                JobError::Promise(format!("{FILE}: attribute `{name}`: {problem}"))
                    .coded(Code::RELEASE_BROKEN)
            };
            let entry: AttributeEntry =
                serde_json::from_value(entry.clone()).map_err(|error| broken(&error))?;
            promises.domain_from_data |= entry.domain_from_data;
            match (entry.role, entry.hierarchy) {
                // Left out, nobody would count by it.
                (Role::QuasiIdentifier, None) => {
                    return Err(broken(&"a quasi-identifier without hierarchy: its labels cannot be read"));
                }
                (Role::QuasiIdentifier, Some(hierarchy)) => promises.qis.push(PromisedAttribute {
                    name: name.clone(),
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
                }),
                (Role::Sensitive, hierarchy) => {
                    if ceiling.is_some() {
                        promises.sensitive = Some(name.clone());
                    }
                    promises.hierarchies.extend(hierarchy.map(|hierarchy| (name.clone(), hierarchy)));
                }
                _ => {}
            }
        }
        Ok(promises)
    }

    /// The risk that the recipe or its preset asks for at most, and which of them asks.
    pub(crate) fn asked_risk(&self) -> Option<AskedRisk> {
        let preset = self.preset.as_ref().and_then(|preset| {
            let least = preset.name.least_k()? as f64;
            Some(AskedRisk { risk: 1.0 / least, by: format!("The preset \"{}\"", preset.name.name()) })
        });
        let recipe = self.risk.map(|risk| AskedRisk { risk, by: "The recipe".to_owned() });
        [preset, recipe].into_iter().flatten().min_by(|a, b| a.risk.total_cmp(&b.risk))
    }

    /// Whether draws protect: of noise, of a sample, of counterfeits.
    fn is_drawn(&self) -> bool {
        let ceiling = self.privacy.iter().any(|promise| promise.ceiling().is_some());
        ceiling || self.method.spends() || self.sample.is_some() || self.counterfeits != Some(0)
    }

    /// Whether an attribute's released values are others than the original's: pseudonyms, moved dates.
    pub fn is_replaced(&self, name: &str) -> bool {
        let entry = self.attributes.get(name);
        entry.is_some_and(|entry| ["pseudonym", "date-shift"].iter().any(|key| !entry[key].is_null()))
    }

    /// Whether suppressed records show nothing, their sensitive and insensitive values included.
    pub fn suppresses_records(&self) -> bool {
        self.method.suppresses_records()
    }

    /// Whether the release is made of noisy counts.
    pub fn is_noisy(&self) -> bool {
        self.facts().is_noisy()
    }

    /// What holds of the release by its method; of a method that is not known what holds of most.
    pub fn facts(&self) -> Facts {
        method::released_facts(self.method.entries()).unwrap_or(Facts::SEARCH)
    }

    /// Whether the release holds a random sample of the original.
    pub fn is_sampled(&self) -> bool {
        self.sample.is_some() || self.facts().records == Records::Sampled
    }

    /// What is stated of noisy counts.
    fn noise(&self) -> Result<Option<Noise>, JobError> {
        let Records::Noisy { counted, others } = self.facts().records else { return Ok(None) };
        let wrong = |key: &str| {
            JobError::Promise(format!("{FILE}: method.{key}: missing or not readable"))
                .coded(Code::RELEASE_BROKEN)
        };
        let sensitive = self.attributes.iter().find(|(_, attribute)| attribute["role"] == "sensitive");
        Ok(Some(Noise {
            counted: counted.into(),
            others: others.iter().map(|step| (*step).to_owned()).collect(),
            least_count: self.method.least_count().ok_or_else(|| wrong("least-count"))?,
            occupied_only: self.method.occupied_only().ok_or_else(|| wrong("occupied-cells-only"))?,
            left: self.method.left().ok_or_else(|| wrong("left"))?,
            sensitive: sensitive.map(|(name, _)| name.clone()),
        }))
    }

    /// What was spent of a privacy budget.
    fn spent(&self) -> Result<Vec<Spent>, JobError> {
        self.method.spent().map_err(|error| JobError::Data(format!("{FILE}: method.spent: {error}")))
    }

    /// How many records insensitive columns have to leave alike, where that is promised, and these columns.
    fn alike(&self) -> Option<(u64, Vec<String>)> {
        let k = self.privacy.iter().find_map(Promised::alike)?;
        let columns = self
            .attributes
            .iter()
            .filter(|(_, entry)| entry.get("role").is_some_and(|role| role == "insensitive"));
        Some((k, columns.map(|(name, _)| name.clone()).collect()))
    }

    /// Puts what the checker found beside what was asked.
    pub fn set_reached(&mut self, findings: &[Finding]) {
        for promise in &mut self.privacy {
            let same =
                |finding: &&Finding| finding.promise == promise.model && finding.asked == promise.asked;
            if let Some(finding) = findings.iter().find(same) {
                promise.reached = finding.reached.clone();
            }
        }
    }

    /// The privacy models among the promises.
    fn models(&self) -> impl Iterator<Item = &Promised> {
        self.privacy.iter().filter(|promise| promise.is_of_model())
    }
}

/// ⌊limit · n⌋, robust against the representation of the limit.
#[must_use]
pub(crate) fn most_outliers(limit: f64, records: u64) -> u64 {
    (limit * records as f64 + 1e-9).floor() as u64
}
