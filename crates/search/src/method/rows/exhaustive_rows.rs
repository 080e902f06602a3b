//! Every table: the other baseline of Arca and Hewett 2021.

use super::iab::RowStrategy;
use super::iab::rows::{self, RowKeys, WORDS};
use crate::method::kit::keys;
use crate::method::{Entry, Purpose};

const NAME: &str = "exhaustive-rows";

/// The method in the registry.
pub(in crate::method) const ENTRY: Entry = Entry {
    name: NAME,
    summary: "The baseline of `iab` that makes every table.",
    purpose: Purpose::Baseline,
    alias: None,
    words: |_| WORDS,
    facts: rows::facts,
    stated: |_| vec!["recoding"],
    parse: |keys, task| rows::parse(NAME, RowStrategy::Exhaustive, keys, task),
    schema: keys::schema::<RowKeys>,
    keys: keys::names::<RowKeys>,
};
