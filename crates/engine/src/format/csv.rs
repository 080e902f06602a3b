//! Delimited text; a comma unless the file or recipe says otherwise.

use super::entry::{Delimited, Entry, Facts, Programs, Reader, Writer};
use crate::sink;
use crate::source::delimited;

pub(super) const ENTRY: Entry = Entry {
    name: "csv",
    also: &[],
    extensions: &["txt", "data"],
    sign: None,
    facts: Facts {
        delimited: Some(Delimited { usual: b',', free: true }),
        keyed: false,
        packs_itself: false,
        media_type: "text/csv",
    },
    reader: Reader {
        open: |file, form| delimited::open(file, form, None),
        read: delimited::read,
        count: Some(delimited::count),
    },
    writer: Writer::Lines(sink::delimited::lines),
    rewrite: sink::delimited::rewrite,
    programs: PROGRAMS,
    lacks: None,
};

/// How others read delimited text.
pub(super) const PROGRAMS: Programs = Programs {
    pandas: "data = pd.read_csv(\"{file}\", sep=\"{delimiter}\", dtype=str, keep_default_na=False, na_values=[\"\"])",
    polars: "data = pl.read_csv(\"{file}\", separator=\"{delimiter}\", infer_schema=False)",
    r: "data <- read.csv(\"{file}\", sep = \"{delimiter}\", colClasses = \"character\", na.strings = \"\", check.names = FALSE)",
    duckdb: "CREATE TABLE data AS FROM read_csv('{file}', delim = '{delimiter}', header = true, all_varchar = true);",
};
