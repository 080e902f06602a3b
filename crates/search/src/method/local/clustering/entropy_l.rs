//! Clustering towards entropy l-diversity.
//!
//! # References
//! Yoo 2012, Tables 2 and 3.

use velamen_contract::model::entropy_l_diversity::{EntropyLDiversityParams, TERMS};

use super::Objective;
use super::blocks::{self, Aim, AimedKeys};
use crate::method::Entry;

const NAME: &str = "entropy-l-clustering";

/// The method in the registry.
pub(in crate::method) const ENTRY: Entry = blocks::entry::<AimedKeys>(
    NAME,
    "Blocks near entropy l-diversity, then of little conditional entropy.",
    |keys, task| blocks::towards::<EntropyLDiversityParams>(NAME, keys, task, &AIM),
);

/// The largest l that is asked for.
const AIM: Aim<EntropyLDiversityParams> = Aim {
    terms: &TERMS,
    key: "l",
    range: (1.0, 1e6),
    bound: |asked| asked.l,
    strictest: f64::max,
    objective: |l| Objective::Diversity { l },
};
