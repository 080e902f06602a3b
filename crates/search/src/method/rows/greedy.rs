//! Fewest violations first: the baseline that Arca and Hewett 2021 compare their search against.

use super::iab::RowStrategy;
use super::iab::rows::{self, RowKeys, WORDS};
use crate::method::kit::keys;
use crate::method::{Entry, Purpose};

const NAME: &str = "greedy";

/// The method in the registry.
pub(in crate::method) const ENTRY: Entry = Entry {
    name: NAME,
    summary: "The baseline of `iab` that takes the table of fewest violations.",
    purpose: Purpose::Baseline,
    alias: None,
    words: |_| WORDS,
    facts: rows::facts,
    stated: |_| vec!["recoding"],
    parse: |keys, task| rows::parse(NAME, RowStrategy::Greedy, keys, task),
    schema: keys::schema::<RowKeys>,
    keys: keys::names::<RowKeys>,
};
