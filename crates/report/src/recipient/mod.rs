//! What a recipient needs to use a release: a README, a codebook, what labels stand for, and metadata for programs.
//!
//! All of it follows from the manifest and the released records, so that it shows nothing that the release does not show,
//! and `verify` can make it again and compare.

mod bars;
mod codebook;
mod corrected;
mod csvw;
mod extent;
mod measured;
mod readme;
mod shown;
mod snippet;
mod types;

use bars::Bars;
pub use bars::Counted;
pub use extent::{Extent, Middles};
pub(crate) use measured::DEVIATIONS;
pub use measured::measured;
pub use readme::Reading;
use readme::snippets;
#[cfg(feature = "pages")]
pub(crate) use shown::{AS_RECORDED, in_units, shown_of, values};
pub use shown::{all_shown, level_in_words};
pub use snippet::Snippet;

use velamen_core::release::Release;
use velamen_recipe::JobError;

use crate::Manifest;
use types::Column;

/// What a release is called whose custodian gives no title.
const TITLE: &str = "A de-identified table";

/// The README's name.
pub const README: &str = "README.md";
/// The codebook's name.
pub const CODEBOOK: &str = "codebook.csv";
/// The name of the table of labels.
pub const LABELS: &str = "labels.csv";
/// The name of the file of noisy tables.
pub const MEASURED: &str = "measurements.json";

/// What is written for recipients besides data, manifest, catalog and report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Documents {
    /// `README.md`.
    pub readme: String,
    /// The rows of `codebook.csv`, header first.
    pub codebook: Vec<Vec<String>>,
    /// The rows of `labels.csv`, header first: the numbers or days that a label stands for. Empty where no label is a
    /// range.
    pub labels: Vec<Vec<String>>,
    /// The metadata of delimited text (CSV on the Web), and the name of its file.
    pub metadata: Option<(String, String)>,
}

impl Documents {
    /// The documents of a release.
    ///
    /// Time: O(records + values · attributes).
    ///
    /// # Errors
    /// [`JobError::data`] if an entry of the manifest does not read.
    pub fn of(manifest: &Manifest, release: &Release, reading: &Reading) -> Result<Self, JobError> {
        let columns = types::columns(manifest, release)?;
        Ok(Self {
            readme: readme::of(manifest, &columns, reading, &shares(manifest, release)),
            codebook: codebook::rows(&columns),
            labels: labels(&columns),
            metadata: csvw::of(manifest, &columns, reading.delimiter.as_deref()),
        })
    }
}

/// The sets of attributes that were measured, with their error bars as shares of the records.
pub(crate) fn shares(manifest: &Manifest, release: &Release) -> Vec<(Vec<String>, f64)> {
    let Some(all) = manifest.method.measurements() else { return Vec::new() };
    let bars = Bars::of(&all, release, &Counted::of(&all, manifest)).unwrap_or_default();
    let mut shares: Vec<_> = bars.shares(&all, manifest.records).into_iter().collect();
    shares.sort_by_key(|(set, _)| set.len());
    shares
}

/// How programs read the folder of a release.
///
/// # Errors
/// [`JobError::data`] if an entry of the manifest does not read.
pub fn programs(manifest: &Manifest, release: &Release, reading: &Reading) -> Result<Vec<Snippet>, JobError> {
    Ok(snippets(reading, &snippet::ranged(&types::columns(manifest, release)?)))
}

/// Every label that stands for a range of numbers or days, by column.
fn labels(columns: &[Column]) -> Vec<Vec<String>> {
    let header = ["column", "label", "low", "high", "mid"].map(str::to_owned).to_vec();
    let rows = columns.iter().flat_map(|column| column.extents.iter().map(|extent| row(column, extent)));
    let rows: Vec<Vec<String>> = rows.collect();
    if rows.is_empty() { rows } else { std::iter::once(header).chain(rows).collect() }
}

fn row(column: &Column, (label, extent): &(String, Extent)) -> Vec<String> {
    [column.name.clone(), label.clone()].into_iter().chain(extent.cells()).collect()
}

#[cfg(test)]
mod tests;
