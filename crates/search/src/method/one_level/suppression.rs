//! The optimal search by the name that says what becomes of outliers: they are suppressed, up to the limit.
//!
//! # References
//! Samarati and Sweeney 1998; the search is [`super::optimal`].

use std::sync::Arc;

use super::OneLevel;
use super::optimal;
use crate::method::Entry;
use crate::method::kit::evaluate::Outliers;
use crate::method::one_level;

const NAME: &str = "suppression";

/// The method in the registry.
pub(in crate::method) const ENTRY: Entry = Entry {
    stated: one_level::stated_with_proof,
    ..one_level::entry(
        NAME,
        "As `optimal`; outlier records are suppressed up to the limit.",
        |section| {
            one_level::words(
                section,
                "Every attribute is released at one level of detail; records that stand out even so are suppressed.",
            )
        },
        |keys, task| Ok(Arc::new(OneLevel::new(NAME, optimal::STRATEGY, Outliers::Suppress, keys, task)?)),
    )
};
