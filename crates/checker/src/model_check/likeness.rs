//! How far shares of sensitive values in a class may be from those in the table, or from fixed bounds.

use serde_json::{Map, json};
use velamen_contract::model::basic_beta_likeness::BasicBetaLikenessParams;
use velamen_contract::model::delta_disclosure::DeltaDisclosureParams;
use velamen_contract::model::enhanced_beta_likeness::EnhancedBetaLikenessParams;
use velamen_contract::model::ms_bounding::MsBoundingParams;

use super::{Case, Counts, Entry, ROUNDING, Reached};
use crate::{Finding, Uncheckable};

pub(super) const DELTA_DISCLOSURE: Entry = Entry {
    name: "delta-disclosure",
    check: |case| {
        let value = case.attribute()?.worst(change);
        let DeltaDisclosureParams { delta } = case.parameters()?;
        let holds = value.is_none_or(|worst| worst < delta);
        Ok(case.reached(case.of_shares(Reached { name: "delta", value, holds })))
    },
};

pub(super) const BASIC_BETA: Entry = Entry {
    name: "basic-beta-likeness",
    check: |case| {
        let worst = case.attribute()?.worst(gain);
        let BasicBetaLikenessParams { beta } = case.parameters()?;
        Ok(case.reached(case.of_shares(Reached::at_most("beta", worst, beta))))
    },
};

pub(super) const ENHANCED_BETA: Entry = Entry { name: "enhanced-beta-likeness", check: enhanced };

pub(super) const MS_BOUNDING: Entry = Entry { name: "ms-bounding", check: bounded };

/// The largest change of a share of a value that the class has, in bits.
fn change(class: &Counts, table: &Counts) -> f64 {
    class.values().map(|value| (class.share(value) / table.share(value)).log2().abs()).fold(0.0, f64::max)
}

/// The largest relative gain of a share.
fn gain(class: &Counts, table: &Counts) -> f64 {
    table
        .values()
        .map(|value| (class.share(value) - table.share(value)) / table.share(value))
        .fold(0.0, f64::max)
}

fn enhanced(case: &Case<'_>) -> Result<Finding, Uncheckable> {
    let (attribute, EnhancedBetaLikenessParams { beta }) = (case.attribute()?, case.parameters()?);
    let holds = attribute.classes.iter().all(|class| gains_little(class, &attribute.table, beta));
    let value = attribute.worst(gain);
    Ok(case.reached(case.of_shares(Reached { name: "beta", value, holds })))
}

/// Whether no share gains more than β, and of common values not even that.
fn gains_little(class: &Counts, table: &Counts, beta: f64) -> bool {
    table.values().all(|value| {
        let (p, q) = (table.share(value), class.share(value));
        q <= p || (q - p) / p <= beta.min(-p.ln()) * (1.0 + ROUNDING) + ROUNDING
    })
}

fn bounded(case: &Case<'_>) -> Result<Finding, Uncheckable> {
    let (attribute, MsBoundingParams { k, theta }) = (case.attribute()?, case.parameters()?);
    let bound = |value: &String| theta.get(value).copied().unwrap_or(1.0);
    let within = |class: &Counts| class.values().all(|v| class.share(v) <= bound(v) * (1.0 + ROUNDING));
    let holds = attribute.classes.iter().all(within);
    // The largest share by value: that of a value without a bound would read as a breach of the others'.
    let worst = |value: &String| json!(attribute.worst(|class, _| class.share(value)));
    let reached = theta.keys().map(|value| (value.clone(), worst(value))).collect::<Map<_, _>>();
    let shares = case.of_shares(Reached { name: "theta", value: None, holds });
    let mut finding = case.reached_with_size(shares, k);
    if let Some(all) = finding.reached.as_object_mut() {
        all.insert("theta".to_owned(), reached.into());
    }
    Ok(finding)
}
