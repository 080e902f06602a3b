//! Text delimited by tabs.

use super::entry::{Delimited, Entry, Facts, Reader, Writer};
use crate::sink;
use crate::source::delimited;

const TAB: u8 = b'\t';

pub(super) const ENTRY: Entry = Entry {
    name: "tsv",
    also: &[],
    extensions: &["tab"],
    sign: None,
    facts: Facts {
        delimited: Some(Delimited { usual: TAB, free: false }),
        keyed: false,
        packs_itself: false,
        media_type: "text/tab-separated-values",
    },
    reader: Reader {
        open: |file, form| delimited::open(file, form, Some(TAB)),
        read: delimited::read,
        count: Some(delimited::count),
    },
    writer: Writer::Lines(|table, _| sink::delimited::lines(table, TAB)),
    rewrite: |file, _, out| sink::delimited::rewrite(file, TAB, out),
    programs: super::csv::PROGRAMS,
    lacks: None,
};
