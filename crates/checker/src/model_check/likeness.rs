//! How far shares of sensitive values in a class may be from those in the table, or from fixed bounds.

use serde_json::{Map, Value, json};

use super::{Case, Counts, Entry, ROUNDING, Reached};
use crate::{Finding, Uncheckable};

pub(super) const DELTA_DISCLOSURE: Entry = Entry {
    name: "delta-disclosure",
    check: |case| {
        let (value, bound) = (case.attribute()?.worst(delta), case.number("delta")?);
        let holds = value.is_none_or(|worst| worst < bound);
        case.reached(Reached { name: "delta", value, holds })
    },
};

pub(super) const BASIC_BETA: Entry = Entry {
    name: "basic-beta-likeness",
    check: |case| {
        let worst = case.attribute()?.worst(gain);
        case.reached(Reached::at_most("beta", worst, case.number("beta")?))
    },
};

pub(super) const ENHANCED_BETA: Entry = Entry { name: "enhanced-beta-likeness", check: enhanced };

pub(super) const MS_BOUNDING: Entry = Entry { name: "ms-bounding", check: bounded };

/// The largest change of a share of a value that the class has, in bits.
fn delta(class: &Counts, table: &Counts) -> f64 {
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
    let (attribute, beta) = (case.attribute()?, case.number("beta")?);
    let within = |class: &Counts| {
        attribute.table.values().all(|value| {
            let (p, q) = (attribute.table.share(value), class.share(value));
            q <= p || (q - p) / p <= beta.min(-p.ln()) * (1.0 + ROUNDING) + ROUNDING
        })
    };
    let holds = attribute.classes.iter().all(within);
    case.reached(Reached { name: "beta", value: attribute.worst(gain), holds })
}

fn bounded(case: &Case<'_>) -> Result<Finding, Uncheckable> {
    let attribute = case.attribute()?;
    let theta = case.asked()["theta"].as_object();
    let theta = theta.filter(|theta| theta.values().all(Value::is_number)).ok_or_else(|| case.unread())?;
    let bound = |value: &String| theta.get(value).and_then(Value::as_f64).unwrap_or(1.0);
    let within = |class: &Counts| class.values().all(|v| class.share(v) <= bound(v) * (1.0 + ROUNDING));
    let holds = attribute.classes.iter().all(within);
    // The largest share by value: that of a value without a bound would read as a breach of the others'.
    let worst = |value: &String| json!(attribute.worst(|class, _| class.share(value)));
    let reached = theta.keys().map(|value| (value.clone(), worst(value))).collect::<Map<_, _>>();
    let mut finding = case.reached(Reached { name: "theta", value: None, holds })?;
    if let Some(all) = finding.reached.as_object_mut() {
        all.insert("theta".to_owned(), reached.into());
    }
    Ok(finding)
}
