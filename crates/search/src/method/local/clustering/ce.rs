//! Clustering by conditional entropy alone: the distance of [`super::ce_mi`] with λ = 0.
//!
//! # References
//! Yoo 2012.

use std::sync::Arc;

use super::blocks::{self, Clusters, SeedKeys, WORDS};
use super::{Lambda, Objective, Seeds};
use crate::method::Entry;
use crate::method::kit::keys;

const NAME: &str = "ce-clustering";

/// The method in the registry.
pub(in crate::method) const ENTRY: Entry = Entry {
    name: NAME,
    summary: "Blocks of little conditional entropy.",
    alias: None,
    words: |_| WORDS,
    facts: blocks::facts,
    parse: |keys, task| {
        task.refuse_beyond_classes()?;
        let keys: SeedKeys = keys::read(keys)?;
        let sensitive = task.sensitive().next().map(str::to_owned);
        let objective = Objective::Entropy(Lambda::try_from(0.0)?);
        Ok(Arc::new(Clusters::new(NAME, objective, keys.seeds.unwrap_or(Seeds::Random), sensitive)))
    },
    schema: keys::schema::<SeedKeys>,
    keys: keys::names::<SeedKeys>,
};
