//! The optimal search by the name that says what becomes of outliers: they are suppressed, up to the limit.
//!
//! # References
//! Samarati and Sweeney 1998; the search is [`super::optimal`].

use std::sync::Arc;

use super::optimal;
use super::{OneLevel, SearchKeys};
use crate::method::Entry;
use crate::method::kit::evaluate::Outliers;
use crate::method::kit::keys;
use crate::method::one_level;

const NAME: &str = "suppression";

/// The method in the registry.
pub(in crate::method) const ENTRY: Entry = Entry {
    name: NAME,
    summary: "As `optimal`; outlier records are suppressed up to the limit.",
    alias: None,
    words: |section| {
        one_level::words(
            section,
            "Every attribute is released at one level of detail; records that stand out even so are suppressed.",
        )
    },
    facts: one_level::facts,
    parse: |keys, task| Ok(Arc::new(OneLevel::new(NAME, optimal::STRATEGY, Outliers::Suppress, keys, task)?)),
    schema: keys::schema::<SearchKeys>,
    keys: keys::names::<SearchKeys>,
};
