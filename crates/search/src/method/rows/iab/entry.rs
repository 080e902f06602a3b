//! The search by bounds in the registry: most distinct rows under several shields.

use super::RowStrategy;
use super::rows::{self, RowKeys, WORDS};
use crate::method::Entry;
use crate::method::kit::keys;

const NAME: &str = "iab";

/// The method in the registry.
pub(in crate::method) const ENTRY: Entry = Entry {
    name: NAME,
    summary: "Arca & Hewett: generalizes shields so that as many distinct rows as can be are left.",
    alias: None,
    words: |_| WORDS,
    facts: rows::facts,
    stated: |_| vec!["recoding"],
    parse: |keys, task| rows::parse(NAME, RowStrategy::Iab, keys, task),
    schema: keys::schema::<RowKeys>,
    keys: keys::names::<RowKeys>,
};
