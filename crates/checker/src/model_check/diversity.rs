//! How many sensitive values every class has, and how even.

use velamen_contract::model::alpha_k_anonymity::AlphaKAnonymityParams;
use velamen_contract::model::distinct_l_diversity::DistinctLDiversityParams;
use velamen_contract::model::entropy_l_diversity::EntropyLDiversityParams;
use velamen_contract::model::p_sensitive_k_anonymity::PSensitiveKAnonymityParams;
use velamen_contract::model::recursive_cl_diversity::RecursiveClDiversityParams;

use super::{Case, Counts, Entry, Reached};
use crate::{Finding, Uncheckable};

pub(super) const ALPHA_K_ANONYMITY: Entry = Entry {
    name: "alpha-k-anonymity",
    check: |case| {
        let attribute = case.attribute()?;
        let AlphaKAnonymityParams { alpha, k } = case.parameters()?;
        let reached = case.of_shares(Reached::at_most("alpha", attribute.worst(most_frequent), alpha));
        // What all records have all people have.
        let holds = reached.holds && (alpha >= 1.0 || !attribute.is_certain());
        Ok(case.reached_with_size(Reached { holds, ..reached }, k))
    },
};

pub(super) const P_SENSITIVE_K_ANONYMITY: Entry = Entry {
    name: "p-sensitive-k-anonymity",
    check: |case| {
        let attribute = case.attribute()?;
        let least = attribute.least(distinct);
        let PSensitiveKAnonymityParams { p, k } = case.parameters()?;
        let reached = Reached::at_least("p", least, p as f64);
        let holds = reached.holds && (p < 2 || !attribute.is_certain());
        Ok(case.reached_with_size(Reached { holds, ..reached }, k))
    },
};

pub(super) const DISTINCT_L: Entry = Entry {
    name: "distinct-l-diversity",
    check: |case| {
        let attribute = case.attribute()?;
        let DistinctLDiversityParams { l } = case.parameters()?;
        let reached = Reached::at_least("l", attribute.least(distinct), l as f64);
        Ok(case.reached(Reached { holds: reached.holds && (l < 2 || !attribute.is_certain()), ..reached }))
    },
};

pub(super) const ENTROPY_L: Entry = Entry {
    name: "entropy-l-diversity",
    check: |case| {
        let (attribute, EntropyLDiversityParams { l }) = (case.attribute()?, case.parameters()?);
        let is_enough = |class: &Counts| !class.is_certain() && class.different() as f64 >= l;
        let enough = attribute.classes.iter().all(is_enough);
        let least = attribute.least(|class, _| entropy(class).exp());
        let reached = case.of_shares(Reached::at_least("l", least, l));
        Ok(case.reached(Reached { holds: reached.holds && enough, ..reached }))
    },
};

pub(super) const RECURSIVE_CL: Entry = Entry { name: "recursive-cl-diversity", check: recursive };

/// The largest share of a value.
pub(super) fn most_frequent(class: &Counts, _table: &Counts) -> f64 {
    class.values().map(|value| class.share(value)).fold(0.0, f64::max)
}

fn distinct(class: &Counts, _table: &Counts) -> f64 {
    class.different() as f64
}

fn entropy(class: &Counts) -> f64 {
    class.divided().into_values().map(|q| -q * q.ln()).sum()
}

/// The least c for which the class holds is above r₁ / (r_l + … + r_m), l − 1 values being more frequent.
fn recursive(case: &Case<'_>) -> Result<Finding, Uncheckable> {
    let (attribute, RecursiveClDiversityParams { c, l }) = (case.attribute()?, case.parameters()?);
    // From the l-th most frequent value on; there is none before the first.
    let frequent = usize::try_from(l).ok().and_then(|l| l.checked_sub(1));
    let frequent = frequent.ok_or_else(|| case.unread())?;
    let worst = attribute.worst(|class, _| to_rarer(class, frequent));
    let is_enough = |class: &Counts| !class.is_certain() && class.different() >= l;
    let enough = attribute.classes.iter().all(is_enough);
    let holds = worst.is_none_or(|worst| worst < c);
    let reached = case.of_shares(Reached { name: "c", value: worst.filter(|c| c.is_finite()), holds });
    Ok(case.reached(Reached { holds: reached.holds && enough, ..reached }))
}

/// The most frequent value by all but so many of the most frequent ones.
fn to_rarer(class: &Counts, frequent: usize) -> f64 {
    match class.parts().get(frequent..) {
        Some(rarer) if !rarer.is_empty() => class.most() as f64 / rarer.iter().sum::<f64>(),
        _ => f64::INFINITY,
    }
}
