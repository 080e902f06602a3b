//! Parquet, in builds with the feature `parquet`; others know its files and refuse them.

#[cfg(feature = "parquet")]
mod delta;
#[cfg(feature = "parquet")]
mod groups;
#[cfg(feature = "parquet")]
mod pages;
#[cfg(feature = "parquet")]
mod written;

use super::entry::{Entry, Facts, Programs, Sign};

/// Of a build without the feature.
const LEFT_OUT: Entry = Entry {
    name: "parquet",
    also: &[],
    extensions: &["pq"],
    sign: Some(Sign { bytes: b"PAR1", sure: true }),
    facts: Facts {
        delimited: None,
        keyed: false,
        packs_itself: true,
        media_type: "application/vnd.apache.parquet",
    },
    programs: Programs {
        pandas: "data = pd.read_parquet(\"{file}\")",
        polars: "data = pl.read_parquet(\"{file}\")",
        r: "data <- arrow::read_parquet(\"{file}\")",
        duckdb: "CREATE TABLE data AS FROM '{file}';",
    },
    ..Entry::left_out("parquet")
};

#[cfg(not(feature = "parquet"))]
pub(super) const ENTRY: Entry = LEFT_OUT;

#[cfg(feature = "parquet")]
pub(super) const ENTRY: Entry = Entry {
    lacks: None,
    reader: super::entry::Reader { open: groups::header, read: groups::read, count: Some(groups::count) },
    writer: super::entry::Writer::Batches(written::begin),
    rewrite: written::rewrite,
    ..LEFT_OUT
};
