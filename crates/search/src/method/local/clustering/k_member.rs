//! k-member clustering: blocks whose values meet at low levels.
//!
//! # References
//! Byun et al. 2007, as a baseline of Yoo 2012.

use std::sync::Arc;

use super::blocks::{self, Clusters, SeedKeys, WORDS};
use super::{Objective, Seeds};
use crate::method::Entry;
use crate::method::kit::keys;

const NAME: &str = "k-member";

/// The method in the registry.
pub(in crate::method) const ENTRY: Entry = Entry {
    name: NAME,
    summary: "Blocks whose values are generalized to low levels.",
    alias: None,
    words: |_| WORDS,
    facts: blocks::facts,
    parse: |keys, task| {
        task.refuse_beyond_classes()?;
        let keys: SeedKeys = keys::read(keys)?;
        let sensitive = task.sensitive().next().map(str::to_owned);
        let seeds = keys.seeds.unwrap_or(Seeds::Farthest);
        Ok(Arc::new(Clusters::new(NAME, Objective::Heights, seeds, sensitive)))
    },
    schema: keys::schema::<SeedKeys>,
    keys: keys::names::<SeedKeys>,
};
