//! The privacy models again, from their definitions, on the released values.
//!
//! Shares no code with `velamen_search::model`: values are strings here, distributions are maps, and every
//! sum runs over all values of the table. For each model the parameter that the table reaches is
//! found and compared with what was asked.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};
use velamen_core::hierarchy::{Definition, Rule};

use super::{Finding, Uncheckable};

/// Value → records.
#[derive(Debug, Default)]
pub(super) struct Counts {
    of: BTreeMap<String, u64>,
    total: u64,
}

impl Counts {
    pub(super) fn add(&mut self, value: &str, count: u64) {
        self.total = self.total.saturating_add(count);
        match self.of.get_mut(value) {
            Some(counted) => *counted = counted.saturating_add(count),
            None => drop(self.of.insert(value.to_owned(), count)),
        }
    }

    fn share(&self, value: &str) -> f64 {
        self.of.get(value).copied().unwrap_or(0) as f64 / self.total as f64
    }

    fn values(&self) -> impl Iterator<Item = &String> {
        self.of.keys()
    }
}

/// What the released table says of one sensitive attribute.
pub(super) struct Attribute<'a> {
    /// Per class its counts.
    pub(super) classes: Vec<Counts>,
    /// All records, suppressed ones included.
    pub(super) table: Counts,
    /// The attribute's hierarchy, if the manifest has one.
    pub(super) hierarchy: Option<&'a Definition>,
}

/// Forgiven rounding, as a share of the bound.
const ROUNDING: f64 = 1e-9;

/// One parameter that must be at least (or at most) what was asked.
struct Reached {
    name: &'static str,
    value: Option<f64>,
    holds: bool,
}

/// Checks one model that looks at a sensitive attribute.
pub(super) fn check(
    model: &str,
    asked: &Value,
    sizes: &[u64],
    attribute: &Attribute<'_>,
) -> Result<Finding, Uncheckable> {
    let number = |name: &str| asked[name].as_f64().ok_or_else(|| Uncheckable::Parameters(model.into()));
    let mut reached = match model {
        "alpha-k-anonymity" => vec![at_most("alpha", attribute.worst(alpha), number("alpha")?)],
        "p-sensitive-k-anonymity" => vec![at_least("p", attribute.least(distinct), number("p")?)],
        "distinct-l-diversity" => vec![at_least("l", attribute.least(distinct), number("l")?)],
        "entropy-l-diversity" => {
            let l = number("l")?;
            let enough = attribute.classes.iter().all(|class| class.of.len() as f64 >= l);
            let mut reached = at_least("l", attribute.least(|class, _| entropy(class).exp()), l);
            reached.holds &= enough;
            vec![reached]
        }
        "recursive-cl-diversity" => {
            // From the l-th most frequent value on; there is none before the first.
            let frequent = asked["l"].as_u64().and_then(|l| usize::try_from(l).ok()?.checked_sub(1));
            let frequent = frequent.ok_or_else(|| Uncheckable::Parameters(model.into()))?;
            vec![recursive(attribute, number("c")?, frequent)]
        }
        "t-closeness" => vec![at_most("t", closeness(attribute, asked)?, number("t")?)],
        "delta-disclosure" => {
            let (bound, worst) = (number("delta")?, attribute.worst(delta));
            vec![Reached { name: "delta", value: worst, holds: worst.is_none_or(|worst| worst < bound) }]
        }
        "basic-beta-likeness" => vec![at_most("beta", attribute.worst(gain), number("beta")?)],
        "enhanced-beta-likeness" => vec![enhanced(attribute, number("beta")?)],
        "ms-bounding" => {
            let theta = asked["theta"].as_object();
            let theta = theta.filter(|theta| theta.values().all(Value::is_number));
            vec![bounded(attribute, theta.ok_or_else(|| Uncheckable::Parameters(model.into()))?)]
        }
        _ => return Err(Uncheckable::UnknownModel(model.into())),
    };
    if let Some(k) = asked.get("k").and_then(Value::as_u64) {
        let least = sizes.iter().min().map(|&least| least as f64);
        reached.push(Reached { name: "k", value: least, holds: least.is_none_or(|least| least >= k as f64) });
    }
    let values: Map<String, Value> = reached.iter().map(|r| (r.name.to_owned(), json!(r.value))).collect();
    let holds = reached.iter().all(|r| r.holds);
    Ok(Finding::of(model, asked.clone(), values.into(), holds))
}

fn at_most(name: &'static str, value: Option<f64>, bound: f64) -> Reached {
    Reached { name, value, holds: value.is_none_or(|value| value <= bound * (1.0 + ROUNDING)) }
}

fn at_least(name: &'static str, value: Option<f64>, bound: f64) -> Reached {
    Reached { name, value, holds: value.is_none_or(|value| value >= bound * (1.0 - ROUNDING)) }
}

impl Attribute<'_> {
    /// The largest figure of any class.
    fn worst(&self, figure: impl Fn(&Counts, &Counts) -> f64) -> Option<f64> {
        self.classes.iter().map(|class| figure(class, &self.table)).reduce(f64::max)
    }

    /// The least figure of any class.
    fn least(&self, figure: impl Fn(&Counts, &Counts) -> f64) -> Option<f64> {
        self.classes.iter().map(|class| figure(class, &self.table)).reduce(f64::min)
    }
}

fn alpha(class: &Counts, _table: &Counts) -> f64 {
    class.values().map(|value| class.share(value)).fold(0.0, f64::max)
}

fn distinct(class: &Counts, _table: &Counts) -> f64 {
    class.of.len() as f64
}

fn entropy(class: &Counts) -> f64 {
    class.values().map(|value| class.share(value)).map(|q| -q * q.ln()).sum()
}

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

/// The least c for which the class holds is above r₁ / (r_l + … + r_m), l − 1 values being more frequent.
fn recursive(attribute: &Attribute<'_>, c: f64, frequent: usize) -> Reached {
    let ratio = |class: &Counts, _: &Counts| {
        let mut counts: Vec<u64> = class.of.values().copied().collect();
        counts.sort_unstable();
        counts.reverse();
        match (counts.first(), counts.get(frequent..)) {
            (Some(&most), Some(rarer)) if !rarer.is_empty() => most as f64 / rarer.iter().sum::<u64>() as f64,
            _ => f64::INFINITY,
        }
    };
    let worst = attribute.worst(ratio);
    Reached { name: "c", value: worst.filter(|c| c.is_finite()), holds: worst.is_none_or(|worst| worst < c) }
}

fn enhanced(attribute: &Attribute<'_>, beta: f64) -> Reached {
    let within = |class: &Counts| {
        attribute.table.values().all(|value| {
            let (p, q) = (attribute.table.share(value), class.share(value));
            q <= p || (q - p) / p <= beta.min(-p.ln()) * (1.0 + ROUNDING) + ROUNDING
        })
    };
    Reached { name: "beta", value: attribute.worst(gain), holds: attribute.classes.iter().all(within) }
}

fn bounded(attribute: &Attribute<'_>, theta: &Map<String, Value>) -> Reached {
    let bound = |value: &String| theta.get(value).and_then(Value::as_f64).unwrap_or(1.0);
    let within = |class: &Counts| class.values().all(|v| class.share(v) <= bound(v) * (1.0 + ROUNDING));
    Reached { name: "theta", value: attribute.worst(alpha), holds: attribute.classes.iter().all(within) }
}

fn closeness(attribute: &Attribute<'_>, asked: &Value) -> Result<Option<f64>, Uncheckable> {
    let distance = asked["distance"].as_str().unwrap_or("equal");
    Ok(match distance {
        "equal" => attribute.worst(|class, table| {
            table.values().map(|value| (class.share(value) - table.share(value)).abs()).sum::<f64>() / 2.0
        }),
        "ordered" => {
            let order = in_order(attribute, asked["order"].as_str() == Some("hierarchy"));
            attribute.worst(|class, table| ordered(&order, class, table))
        }
        "hierarchical" => {
            let missing = || Uncheckable::Parameters("t-closeness".into());
            let paths =
                paths(attribute.hierarchy.ok_or_else(missing)?, &attribute.table).ok_or_else(missing)?;
            attribute.worst(|class, table| hierarchical(&paths, class, table))
        }
        _ => return Err(Uncheckable::Parameters("t-closeness".into())),
    })
}

/// The values of the table: numbers by size, text by code point, or as the hierarchy lists them.
fn in_order(attribute: &Attribute<'_>, by_hierarchy: bool) -> Vec<String> {
    let mut values: Vec<String> = attribute.table.of.keys().cloned().collect();
    let number = |text: &String| text.parse::<f64>().ok().filter(|number| number.is_finite());
    if let (true, Some(Definition::Table { rows })) = (by_hierarchy, attribute.hierarchy) {
        // Backwards, so that of equal leaves the first decides.
        let leaves = rows.iter().enumerate().rev().filter_map(|(at, row)| Some((row.first()?.as_str(), at)));
        let place: BTreeMap<&str, usize> = leaves.collect();
        values.sort_by_key(|value| place.get(value.as_str()));
    } else if values.iter().all(|value| value.is_empty() || number(value).is_some()) {
        values.sort_by(|a, b| number(a).unwrap_or(f64::MIN).total_cmp(&number(b).unwrap_or(f64::MIN)));
    }
    values
}

fn ordered(order: &[String], class: &Counts, table: &Counts) -> f64 {
    let (mut until, mut moved) = (0.0, 0.0f64);
    for value in order {
        until += class.share(value) - table.share(value);
        moved += until.abs();
    }
    if order.len() > 1 { moved / (order.len() as f64 - 1.0) } else { 0.0 }
}

/// Value → its labels from itself to the top.
fn paths(definition: &Definition, table: &Counts) -> Option<BTreeMap<String, Vec<String>>> {
    let rule = Rule::try_from(definition).ok()?;
    let (values, hierarchy) = rule.over(table.of.keys().cloned().collect(), false);
    let label =
        |leaf: usize, level: u8| hierarchy.label(level, hierarchy.code(level, leaf as u32)).to_owned();
    let path = |leaf: usize| (0..=hierarchy.top()).map(|level| label(leaf, level)).collect();
    Some(values.iter().enumerate().map(|(leaf, value)| (value.clone(), path(leaf))).collect())
}

/// Σ over inner nodes of height share · min(positive, negative extra of the children).
fn hierarchical(paths: &BTreeMap<String, Vec<String>>, class: &Counts, table: &Counts) -> f64 {
    let top = paths.values().next().map_or(0, |path| path.len().saturating_sub(1));
    let mut cost = 0.0;
    for level in 1..=top {
        // (node, child) → extra; labels of one level under different parents stay apart by their tails.
        let mut children: BTreeMap<(Vec<String>, Vec<String>), f64> = BTreeMap::new();
        for (value, path) in paths {
            let tail = |level: usize| path.get(level..).unwrap_or_default().to_vec();
            let key = (tail(level), tail(level.saturating_sub(1)));
            *children.entry(key).or_default() += table.share(value) - class.share(value);
        }
        let mut sides: BTreeMap<Vec<String>, (f64, f64)> = BTreeMap::new();
        for ((node, _), extra) in children {
            let side = sides.entry(node).or_default();
            *if extra > 0.0 { &mut side.0 } else { &mut side.1 } += extra.abs();
        }
        let height = level as f64 / top as f64;
        cost += sides.values().map(|(positive, negative)| height * positive.min(*negative)).sum::<f64>();
    }
    cost
}
