//! Delimited text; a comma unless the file or recipe says otherwise.

use super::entry::{Delimited, Entry, Facts, Reader, Writer};
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
    },
    reader: Reader {
        open: |file, form| delimited::open(file, form, None),
        read: delimited::read,
        count: Some(delimited::count),
    },
    writer: Writer::Lines(sink::delimited::lines),
};
