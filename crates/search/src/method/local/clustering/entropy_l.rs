//! Clustering towards entropy l-diversity.
//!
//! # References
//! Yoo 2012, Tables 2 and 3.

use std::sync::Arc;

use velamen_contract::model::entropy_l_diversity::TERMS;

use super::blocks::{self, AimedKeys, Clusters, WORDS, aimed};
use super::{Objective, Seeds};
use crate::method::Entry;
use crate::method::kit::keys;

const NAME: &str = "entropy-l-clustering";

/// The method in the registry.
pub(in crate::method) const ENTRY: Entry = Entry {
    name: NAME,
    summary: "Blocks near entropy l-diversity, then of little conditional entropy.",
    alias: None,
    words: |_| WORDS,
    facts: blocks::facts,
    parse: |keys, task| {
        task.refuse_beyond_classes()?;
        let keys: AimedKeys = keys::read(keys)?;
        let (l, attribute) = aimed(task.models, &TERMS, "l", f64::max)?;
        let seeds = keys.seeds.unwrap_or(Seeds::Random);
        let clusters = Clusters::new(NAME, Objective::Diversity { l }, seeds, attribute);
        Ok(Arc::new(Clusters { ties: keys.ties, ..clusters }))
    },
    schema: keys::schema::<AimedKeys>,
    keys: keys::names::<AimedKeys>,
};
