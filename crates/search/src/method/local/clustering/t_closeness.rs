//! Clustering towards t-closeness.
//!
//! # References
//! Yoo 2012.

use std::sync::Arc;

use velamen_contract::model::t_closeness::TERMS;

use super::blocks::{self, AimedKeys, Clusters, WORDS, aimed};
use super::{Objective, Seeds};
use crate::method::Entry;
use crate::method::kit::keys;

const NAME: &str = "t-closeness-clustering";

/// The method in the registry.
pub(in crate::method) const ENTRY: Entry = Entry {
    name: NAME,
    summary: "Blocks near t-closeness, then of little conditional entropy.",
    alias: None,
    words: |_| WORDS,
    facts: blocks::facts,
    parse: |keys, task| {
        task.refuse_beyond_classes()?;
        let keys: AimedKeys = keys::read(keys)?;
        let (t, attribute) = aimed(task.models, &TERMS, "t", f64::min)?;
        let seeds = keys.seeds.unwrap_or(Seeds::Random);
        let clusters = Clusters::new(NAME, Objective::Closeness { t }, seeds, attribute);
        Ok(Arc::new(Clusters { ties: keys.ties, ..clusters }))
    },
    schema: keys::schema::<AimedKeys>,
    keys: keys::names::<AimedKeys>,
};
