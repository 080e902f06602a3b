//! `release.json`: what was done, asked and reached. Holds nothing that only the custodian may
//! know: no seed, no hash or path of the input, no figure over the original records.

mod about;
mod adversary;
mod attribute;
mod data;
mod derived;
mod kept;
mod missing;
mod preset;
mod read;

use std::collections::BTreeMap;
use std::num::NonZeroU32;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use velamen_core::frequency::Role;
use velamen_core::impossible::Impossible;

pub use about::About;
pub use adversary::AdversaryEntry;
pub use attribute::{AttributeEntry, Attributes, Pseudonym, Rows};
pub use data::DataFile;
pub use derived::DerivedSection;
pub use kept::{WhereSection, Wish};
pub use missing::Missing;
pub use preset::{Preset, PresetEntry};
pub use read::{NoisySteps, Unreadable};

use crate::metric::LOST_DETAIL;
use crate::{Promised, Statement};

/// The file's name in a release.
pub const FILE: &str = "release.json";

/// The number of the form that is written: it says all that is in the folder. In form 1 hierarchies stand in the manifest,
/// in form 2 large ones lie beside it; neither says the types of columns. Releases without a number are older and read
/// the same.
pub const FORMAT: u64 = 3;

/// All fields of a manifest, as they are written.
pub const FIELDS: [&str; 26] = [
    "format",
    "velamen",
    "about",
    "preset",
    "method",
    "data",
    "documents",
    "attached",
    "without-report",
    "node",
    "sample",
    "records-per-person",
    "missing",
    "truthful",
    "records",
    "suppressed",
    "counterfeits",
    "classes",
    "privacy",
    "impossible",
    "risk",
    "adversary",
    "utility",
    "derived",
    "where",
    "attributes",
];

/// The manifest of a release. `A` is what stands for the attributes: as a file has them, hierarchies can lie apart.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Manifest<A = Attributes> {
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
    /// Whether it was made by a build that makes no page, and so without `report.html`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub without_report: bool,
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
    /// What everybody can make of the counterfeits; absent without a catalog's row.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub adversary: Option<AdversaryEntry>,
    /// Utility figures of the released table, by metric.
    pub utility: Map<String, Value>,
    /// How columns followed from others of the input.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub derived: BTreeMap<String, DerivedSection>,
    /// What the records meet that were kept; the others counted for nothing.
    #[serde(default, rename = "where", skip_serializing_if = "Vec::is_empty")]
    pub kept: Vec<WhereSection>,
    /// The released attributes and their hierarchies.
    pub attributes: A,
}

impl<A> Manifest<A> {
    /// Whether it is of the form that is written now.
    #[must_use]
    pub fn is_current(&self) -> bool {
        self.format == Some(FORMAT)
    }

    /// Whether suppressed records show nothing, their sensitive and insensitive values included.
    #[must_use]
    pub fn suppresses_records(&self) -> bool {
        self.method.suppresses_records()
    }

    /// The privacy models among the promises.
    pub fn models(&self) -> impl Iterator<Item = &Promised> {
        self.privacy.iter().filter(|promise| promise.is_of_model())
    }

    /// The mean share of the quasi-identifiers' detail that is lost, however the recipe puts attributes together; `None`
    /// of a release that does not state it.
    #[must_use]
    pub fn lost_detail(&self) -> Option<f64> {
        let lost = self.utility.get(LOST_DETAIL)?;
        let by_attribute = by_attribute(lost).filter(|by| !by.is_empty());
        by_attribute.and_then(mean).or_else(|| lost["value"].as_f64())
    }

    /// That share by attribute, where the release states it.
    pub fn lost_by_attribute(&self) -> impl Iterator<Item = (&str, f64)> {
        let by_attribute = self.utility.get(LOST_DETAIL).and_then(by_attribute).into_iter().flatten();
        by_attribute.filter_map(|(name, lost)| Some((name.as_str(), lost.as_f64()?)))
    }

    /// The same with other attributes.
    #[must_use]
    pub fn with_attributes<B>(self, attributes: B) -> Manifest<B> {
        Manifest {
            format: self.format,
            velamen: self.velamen,
            about: self.about,
            preset: self.preset,
            method: self.method,
            data: self.data,
            documents: self.documents,
            attached: self.attached,
            without_report: self.without_report,
            node: self.node,
            sample: self.sample,
            records_per_person: self.records_per_person,
            missing: self.missing,
            truthful: self.truthful,
            records: self.records,
            suppressed: self.suppressed,
            counterfeits: self.counterfeits,
            classes: self.classes,
            privacy: self.privacy,
            impossible: self.impossible,
            risk: self.risk,
            adversary: self.adversary,
            utility: self.utility,
            derived: self.derived,
            kept: self.kept,
            attributes,
        }
    }
}

impl<A: Serialize> Manifest<A> {
    /// The text of the file.
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).expect("a manifest holds only plain data");
        text.push('\n');
        text
    }
}

impl Manifest {
    /// The manifest as whoever reads it has it: a decimal fraction can lose its last digit on the way, and what is made from
    /// the manifest is to be the same for all. Attributes have no such figures.
    #[must_use]
    pub fn as_read(&self) -> Self {
        let without = self.without_attributes();
        let read = serde_json::from_str::<Self>(&without.to_json()).unwrap_or(without);
        Self { attributes: self.attributes.clone(), ..read }
    }

    /// The same without attributes, whose hierarchies can be large.
    #[must_use]
    pub fn without_attributes(&self) -> Self {
        Self {
            velamen: self.velamen.clone(),
            preset: self.preset.clone(),
            method: self.method.clone(),
            data: self.data.clone(),
            node: self.node.clone(),
            privacy: self.privacy.clone(),
            impossible: self.impossible.clone(),
            utility: self.utility.clone(),
            attributes: Attributes::new(),
            about: self.about.clone(),
            documents: self.documents.clone(),
            attached: self.attached.clone(),
            derived: self.derived.clone(),
            kept: self.kept.clone(),
            ..*self
        }
    }

    /// The names of the attributes of a role.
    pub fn of_role(&self, role: Role) -> impl Iterator<Item = &str> {
        self.attributes.iter().filter(move |(_, entry)| entry.role == role).map(|(name, _)| name.as_str())
    }

    /// Whether an attribute is there and has that role.
    #[must_use]
    pub fn has_role(&self, name: &str, role: Role) -> bool {
        self.attributes.get(name).is_some_and(|entry| entry.role == role)
    }

    /// Whether an attribute's released values are others than the original's: pseudonyms, moved dates.
    #[must_use]
    pub fn is_replaced(&self, name: &str) -> bool {
        self.attributes.get(name).is_some_and(AttributeEntry::is_replaced)
    }

    /// Whether an attribute's released values are pseudonyms.
    #[must_use]
    pub fn is_pseudonym(&self, name: &str) -> bool {
        self.attributes.get(name).is_some_and(|entry| entry.pseudonym.is_some())
    }
}

/// A figure's parts.
fn by_attribute(figure: &Value) -> Option<&Map<String, Value>> {
    figure.get("by-attribute")?.as_object()
}

fn mean(by_attribute: &Map<String, Value>) -> Option<f64> {
    let sum = by_attribute.values().map(Value::as_f64).sum::<Option<f64>>()?;
    Some(sum / by_attribute.len() as f64)
}
