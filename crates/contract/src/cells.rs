//! Which cells the noisy counts of a release are of, where a method chose them.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::Statement;

/// The key of the cuts through hierarchies that a method chose: by attribute the values of its cut.
pub const CUTS: &str = "cuts";

/// The key of the histograms of a series: each time, in order, and the time whose histogram stands there.
pub const HISTOGRAMS: &str = "histograms";

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
