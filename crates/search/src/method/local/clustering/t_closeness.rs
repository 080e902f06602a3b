//! Clustering towards t-closeness.
//!
//! # References
//! Yoo 2012.

use velamen_contract::model::t_closeness::{TClosenessParams, TERMS};

use super::Objective;
use super::blocks::{self, Aim, AimedKeys};
use crate::method::Entry;

const NAME: &str = "t-closeness-clustering";

/// The method in the registry.
pub(in crate::method) const ENTRY: Entry = blocks::entry::<AimedKeys>(
    NAME,
    "Blocks near t-closeness, then of little conditional entropy.",
    |keys, task| blocks::towards::<TClosenessParams>(NAME, keys, task, &AIM),
);

/// The least t that is asked for.
const AIM: Aim<TClosenessParams> = Aim {
    terms: &TERMS,
    key: "t",
    range: (0.0, 1.0),
    bound: |asked| asked.t,
    strictest: f64::min,
    objective: |t| Objective::Closeness { t },
};
