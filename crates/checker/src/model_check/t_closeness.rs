//! How far the sensitive values of a class are from those of the table, by three distances.

use std::collections::BTreeMap;

use velamen_contract::model::t_closeness::{Ground, Order, TClosenessParams};
use velamen_core::hierarchy::{Definition, Rule};

use super::{Attribute, Case, Counts, Entry, Reached};
use crate::{Finding, State, Uncheckable};

/// Shares by value, which sum to 1.
type Shares = BTreeMap<String, f64>;

pub(super) const ENTRY: Entry = Entry { name: "t-closeness", check };

/// A value that the hierarchy does not list has no place in it, whatever the distance comes to.
fn check(case: &Case<'_>) -> Result<Finding, Uncheckable> {
    let (attribute, asked) = (case.attribute()?, case.parameters()?);
    let (worst, foreign) = (farthest(case, &asked, &attribute)?, foreign(case, &asked, &attribute)?);
    let mut finding = case.reached(case.of_shares(Reached::at_most("t", worst, asked.t)));
    if let (1.., Some(reached)) = (foreign, finding.reached.as_object_mut()) {
        reached.insert("values-outside-the-hierarchy".into(), foreign.into());
        finding.state = State::Broken;
    }
    Ok(finding)
}

/// How many values a distance by the hierarchy finds no place for.
fn foreign(
    case: &Case<'_>,
    asked: &TClosenessParams,
    attribute: &Attribute<'_>,
) -> Result<usize, Uncheckable> {
    let by_hierarchy = match asked.distance {
        Ground::Equal => false,
        Ground::Ordered => asked.order == Order::Hierarchy,
        Ground::Hierarchical => true,
    };
    let Some(hierarchy) = attribute.hierarchy.filter(|_| by_hierarchy) else { return Ok(0) };
    let rule = Rule::try_from(hierarchy).map_err(|_| case.unread())?;
    Ok(attribute.table.values().filter(|value| !rule.contains(value)).count())
}

/// The largest distance of a class, as the manifest measures it.
fn farthest(
    case: &Case<'_>,
    asked: &TClosenessParams,
    attribute: &Attribute<'_>,
) -> Result<Option<f64>, Uncheckable> {
    Ok(match asked.distance {
        Ground::Ordered => {
            let order = in_order(attribute, asked.order == Order::Hierarchy);
            attribute.worst(|class, table| ordered(&order, &class.divided(), &table.divided()))
        }
        Ground::Hierarchical => {
            let paths = attribute.hierarchy.and_then(|hierarchy| paths(hierarchy, &attribute.table));
            let paths = paths.ok_or_else(|| case.unread())?;
            attribute.worst(|class, table| hierarchical(&paths, &class.divided(), &table.divided()))
        }
        Ground::Equal => attribute.worst(|class, table| {
            let (class, table) = (class.divided(), table.divided());
            table.keys().map(|value| (share(&class, value) - share(&table, value)).abs()).sum::<f64>() / 2.0
        }),
    })
}

/// The values of the table: numbers by size, text by code point, or as the hierarchy lists them.
fn in_order(attribute: &Attribute<'_>, by_hierarchy: bool) -> Vec<String> {
    let mut values: Vec<String> = attribute.table.values().cloned().collect();
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

fn share(shares: &Shares, value: &str) -> f64 {
    shares.get(value).copied().unwrap_or(0.0)
}

fn ordered(order: &[String], class: &Shares, table: &Shares) -> f64 {
    let (mut until, mut moved) = (0.0, 0.0f64);
    for value in order {
        until += share(class, value) - share(table, value);
        moved += until.abs();
    }
    if order.len() > 1 { moved / (order.len() as f64 - 1.0) } else { 0.0 }
}

/// Value → its labels from itself to the level below the root, the lowest with one label for all; `None` of a hierarchy
/// in pieces. What stands above the root is no way, and a value that the hierarchy does not list hangs from the root.
fn paths(definition: &Definition, table: &Counts) -> Option<BTreeMap<String, Vec<String>>> {
    let rule = Rule::try_from(definition).ok()?;
    let height = height(definition, &rule)?;
    let (values, hierarchy) = rule.over(table.values().cloned().collect(), false);
    let label =
        |leaf: usize, level: u8| hierarchy.label(level, hierarchy.code(level, leaf as u32)).to_owned();
    let path = |leaf: usize| (0..height).map(|level| label(leaf, level)).collect();
    Some(values.iter().enumerate().map(|(leaf, value)| (value.clone(), path(leaf))).collect())
}

/// The lowest level with one label for the whole domain.
fn height(definition: &Definition, rule: &Rule) -> Option<u8> {
    let Definition::Table { rows } = definition else { return rule.height() };
    let first = rows.first()?;
    let is_one = |level: &usize| rows.iter().all(|row| row.get(*level) == first.get(*level));
    (0..first.len()).find(is_one).and_then(|level| u8::try_from(level).ok())
}

/// Σ over inner nodes of height share · min(positive, negative extra of the children).
fn hierarchical(paths: &BTreeMap<String, Vec<String>>, class: &Shares, table: &Shares) -> f64 {
    // The root's label is left out: it is all values'.
    let top = paths.values().next().map_or(0, Vec::len);
    let mut cost = 0.0;
    for level in 1..=top {
        // (node, child) → extra; labels of one level under different parents stay apart by their tails.
        let mut children: BTreeMap<(Vec<String>, Vec<String>), f64> = BTreeMap::new();
        for (value, path) in paths {
            let tail = |level: usize| path.get(level..).unwrap_or_default().to_vec();
            let key = (tail(level), tail(level.saturating_sub(1)));
            *children.entry(key).or_default() += share(table, value) - share(class, value);
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
