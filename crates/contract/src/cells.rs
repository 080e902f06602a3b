//! Which cells the noisy counts of a release are of, where a method chose them or counted several attributes.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::Statement;

/// The key of the cuts through hierarchies that a method chose: by attribute the values of its cut.
pub const CUTS: &str = "cuts";

/// The key of the histograms of a series: each time, in order, and the time whose histogram stands there.
pub const HISTOGRAMS: &str = "histograms";

/// The key of how several sensitive attributes are read.
pub const INFORMATIVE: &str = "informative";

/// Its value where each attribute is read by itself, and the key of what is stated of each, by attribute.
pub const EACH: &str = "each";

/// The step of a budget that is spent on one of several attributes.
#[must_use]
pub fn step_of(step: &str, attribute: &str) -> String {
    format!("{step} of {attribute}")
}

/// What is stated of the noisy counts of one of several attributes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct EachStated {
    /// T.
    pub least_count: u64,
}

/// A series of histograms, one for each time, of which some are those of an earlier time.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HistogramSeries {
    /// The quasi-identifier whose values are the times.
    pub time: String,
    /// The most histograms that may be drawn, from 1.
    pub most: u64,
    /// Each time, in order, and the time whose histogram stands there.
    pub histograms: Vec<(String, String)>,
}

impl Statement {
    /// By quasi-identifier the values that it is cut into, where a method chose them; `None` where they do not read.
    #[must_use]
    pub fn cuts(&self) -> Option<BTreeMap<String, Vec<String>>> {
        BTreeMap::deserialize(self.entries().get(CUTS)?).ok()
    }

    /// Whether each of several sensitive attributes is read by itself.
    #[must_use]
    pub fn reads_each(&self) -> bool {
        self.entries().get(INFORMATIVE).is_some_and(|informative| informative == EACH)
    }

    /// What is stated of each sensitive attribute, by name; `None` where it does not read.
    #[must_use]
    pub fn each(&self) -> Option<BTreeMap<String, EachStated>> {
        BTreeMap::deserialize(self.entries().get(EACH)?).ok()
    }

    /// The histograms of a series of times; `None` where they do not read.
    #[must_use]
    pub fn series(&self) -> Option<HistogramSeries> {
        let entries = self.entries();
        Some(HistogramSeries {
            time: entries.get("time")?.as_str()?.to_owned(),
            most: entries.get("most-histograms")?.as_u64().filter(|most| *most > 0)?,
            histograms: Vec::deserialize(entries.get(HISTOGRAMS)?).ok()?,
        })
    }
}
