//! t-closeness.
//!
//! # Definition
//! The earth mover's distance between the class's distribution q and the table's p of the sensitive
//! attribute is at most t.
//! - `equal`: ½ Σ |p − q|.
//! - `ordered`: Σ_i |Σ_{j ≤ i} (q_j − p_j)| / (m − 1) over the m values that occur in the table, in order.
//! - `hierarchical`: Σ over inner nodes N of (height(N) / height of the tree) · min(positive, negative
//!   extra), where the extra of a leaf is p − q, and of an inner node the sum over its children; its
//!   positive (negative) part is the sum of the children's positive (negative) extras. The root is the lowest level
//!   with one label for all values, and the tree as high as that: levels above it do not count.
//!
//! # Parameters
//! `t`: 0 to 1. `distance`: one of the three. `order`: `type` (numbers by size, text by code point) or
//! `hierarchy` (the order of the hierarchy's rows), for `ordered`.
//!
//! # Complexity
//! O(values of the table) a class.
//!
//! # References
//! Li et al. 2007, "t-closeness: privacy beyond k-anonymity and l-diversity".
//!
//! # Deviations
//! None.

use velamen_contract::model::t_closeness::{Ground, Order, TClosenessParams, TERMS};
use velamen_core::error::Problem;
use velamen_core::hierarchy::{Hierarchy, sort_values};

use super::{
    Checkable, Class, ClassModel, Distribution, Entry, Judge, Monotonicity, ROUNDING, at_least, check_share,
    parse_checked, schema_of,
};

impl Checkable for TClosenessParams {
    fn check(&self) -> Result<(), Problem> {
        check_share("t", self.t)
    }

    fn bind(&self, distribution: &Distribution<'_>) -> Result<Judge, String> {
        let distance = match self.distance {
            Ground::Equal => Distance::Equal,
            Ground::Ordered => Distance::Ordered(ranked(distribution, self.order)),
            Ground::Hierarchical => {
                let missing = "the hierarchical distance needs a hierarchy of the sensitive attribute";
                Distance::Hierarchical(Tree::new(distribution.hierarchy.ok_or(missing)?)?)
            }
        };
        Ok(Judge::class(Bounds { t: self.t, shares: distribution.spread(), distance }))
    }
}

/// The codes that occur, in order.
fn ranked(distribution: &Distribution<'_>, order: Order) -> Vec<u32> {
    let occurring = (0..).zip(distribution.counts).filter(|(_, count)| **count > 0).map(|(code, _)| code);
    match order {
        Order::Hierarchy => occurring.collect(),
        Order::Type => {
            let mut sorted: Vec<String> = distribution.values.to_vec();
            sort_values(&mut sorted);
            let place: rustc_hash::FxHashMap<&str, usize> =
                sorted.iter().map(String::as_str).zip(0..).collect();
            let mut codes: Vec<u32> = occurring.collect();
            codes.sort_by_key(|&code| place[distribution.values[code as usize].as_str()]);
            codes
        }
    }
}

#[derive(Debug)]
struct Bounds {
    t: f64,
    shares: Vec<f64>,
    distance: Distance,
}

#[derive(Debug)]
enum Distance {
    Equal,
    Ordered(Vec<u32>),
    Hierarchical(Tree),
}

impl ClassModel for Bounds {
    fn holds(&self, class: &Class<'_>) -> bool {
        self.distance(class) <= self.t + ROUNDING
    }

    /// The distance is convex and at most 1: with a share σ lost, d ≤ (1 − σ)·t + σ.
    fn least_lost(&self, class: &Class<'_>) -> u64 {
        if self.t >= 1.0 {
            return 0;
        }
        at_least(class.size as f64 * (self.distance(class) - self.t) / (1.0 - self.t), class)
    }
}

impl Bounds {
    fn distance(&self, class: &Class<'_>) -> f64 {
        match &self.distance {
            Distance::Equal => self.equal(class),
            Distance::Ordered(ranked) => self.ordered(class, ranked),
            Distance::Hierarchical(tree) => tree.distance(&self.differences(class)),
        }
    }

    /// Σ over values that gain of q − p, which is ½ Σ |p − q| because both sum to 1.
    fn equal(&self, class: &Class<'_>) -> f64 {
        let gain = |(value, share): (u32, f64)| share - self.shares[value as usize];
        class.spread().map(gain).filter(|gain| *gain > 0.0).sum()
    }

    fn ordered(&self, class: &Class<'_>, ranked: &[u32]) -> f64 {
        let differences = self.differences(class);
        let (mut running, mut moved) = (0.0, 0.0f64);
        for &code in ranked {
            running += differences[code as usize];
            moved += running.abs();
        }
        if ranked.len() > 1 { moved / (ranked.len() - 1) as f64 } else { 0.0 }
    }

    /// q − p for every value of the domain.
    fn differences(&self, class: &Class<'_>) -> Vec<f64> {
        let mut differences: Vec<f64> = self.shares.iter().map(|p| -p).collect();
        for (value, share) in class.spread() {
            differences[value as usize] += share;
        }
        differences
    }
}

/// A hierarchy as parents by level.
#[derive(Debug)]
struct Tree {
    /// Per level but the top: code → code one level up.
    parents: Vec<Vec<u32>>,
}

impl Tree {
    /// Up to the lowest level with one label, the root: levels above it are no way, and a value that no row lists hangs
    /// from it.
    fn new(hierarchy: &Hierarchy) -> Result<Self, String> {
        let pieces = "the hierarchical distance needs a hierarchy with one label for all values at its top";
        let height = hierarchy.height().ok_or(pieces)?;
        let step = |level: u8| match level + 1 == height {
            true => vec![0; hierarchy.width(level)],
            false => hierarchy.step(level, level + 1),
        };
        Ok(Self { parents: (0..height).map(step).collect() })
    }

    fn distance(&self, leaves: &[f64]) -> f64 {
        let total = self.parents.len() as f64;
        let (mut extras, mut cost) = (leaves.to_vec(), 0.0);
        for (below, parents) in self.parents.iter().enumerate() {
            let width = parents.iter().max().map_or(0, |&most| most as usize + 1);
            let (mut positive, mut negative) = (vec![0.0; width], vec![0.0; width]);
            for (extra, &parent) in extras.iter().zip(parents) {
                let side = if *extra > 0.0 { &mut positive } else { &mut negative };
                side[parent as usize] += extra.abs();
            }
            let height = (below + 1) as f64 / total;
            cost +=
                positive.iter().zip(&negative).map(|(p, n): (&f64, &f64)| height * p.min(*n)).sum::<f64>();
            extras = positive.iter().zip(&negative).map(|(p, n)| p - n).collect();
        }
        cost
    }
}

pub(super) const ENTRY: Entry = Entry {
    terms: &TERMS,
    monotonicity: Monotonicity::Merge,
    parse: |value| parse_checked::<TClosenessParams>(TERMS.name, value),
    schema: schema_of::<TClosenessParams>,
};

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::{bound, holds};
    use super::*;
    use velamen_core::hierarchy::{Rule, TableRule};

    fn closest(parameters: Value, counts: &[u64], class: &[u64], hierarchy: Option<&Hierarchy>) -> f64 {
        let values: Vec<String> = (0..counts.len()).map(|value| value.to_string()).collect();
        let holds_at = |t: f64| {
            let mut parameters = parameters.clone();
            parameters["t"] = t.into();
            let model = (ENTRY.parse)(parameters).unwrap();
            let distribution = Distribution { values: &values, counts, hierarchy, ..Distribution::default() };
            let Judge::Class(model) = model.bind(&distribution).unwrap() else { unreachable!() };
            holds(&model, class)
        };
        (1..=10_000).map(|i| f64::from(i) / 10_000.0).find(|&t| holds_at(t)).unwrap()
    }

    #[test]
    fn salaries_of_the_paper() {
        // Li 2007, section 4.2: salaries 3k … 11k; {3k, 4k, 5k} is at 0.375, {6k, 8k, 11k} at 0.167.
        let table = [1; 9];
        let ordered = json!({ "distance": "ordered" });
        let low = closest(ordered.clone(), &table, &[1, 1, 1, 0, 0, 0, 0, 0, 0], None);
        let mixed = closest(ordered, &table, &[0, 0, 0, 1, 0, 1, 0, 0, 1], None);
        assert!((low - 0.375).abs() < 1e-4 && (mixed - 0.167).abs() < 1e-3, "{low} {mixed}");
    }

    #[test]
    fn equal_distance_is_half_the_absolute_difference() {
        let model = bound("t-closeness", json!({ "t": 0.25 }), &[2, 2]);
        assert!(holds(&model, &[3, 1]) && !holds(&model, &[4, 1]) && holds(&model, &[1, 1]));
    }

    #[test]
    fn moving_within_a_group_costs_less() {
        let rows = ["0;a;*", "1;a;*", "2;b;*", "3;b;*"].map(|r| r.split(';').map(str::to_owned).collect());
        let rule = Rule::Table(TableRule::new(rows.to_vec()).unwrap());
        let (_, hierarchy) = rule.over((0..4).map(|v| v.to_string()).collect(), false);
        let distance = json!({ "distance": "hierarchical" });
        // Moving half of the mass to a sibling (height ½), or to the other group (height 1).
        let near = closest(distance.clone(), &[1, 1, 1, 1], &[1, 0, 1, 0], Some(&hierarchy));
        let far = closest(distance, &[1, 1, 1, 1], &[1, 1, 0, 0], Some(&hierarchy));
        assert!((near - 0.25).abs() < 1e-3 && (far - 0.5).abs() < 1e-3, "{near} {far}");
    }

    #[test]
    fn levels_above_the_first_with_one_label_are_no_way() {
        let of = |rows: &[&[&str]]| {
            let rows = rows.iter().map(|row| row.iter().map(|&label| label.into()).collect()).collect();
            Rule::Table(TableRule::new(rows).unwrap()).over(vec!["0".into(), "1".into()], false).1
        };
        let distance = json!({ "distance": "hierarchical" });
        let far = |hierarchy: &Hierarchy| closest(distance.clone(), &[1, 1], &[1, 0], Some(hierarchy));
        assert_eq!(far(&of(&[&["0", "*"], &["1", "*"]])), 0.5);
        assert_eq!(far(&of(&[&["0", "*", "*", "*"], &["1", "*", "*", "*"]])), 0.5);
        let pieces = of(&[&["0", "a"], &["1", "b"]]);
        let distribution =
            Distribution { hierarchy: Some(&pieces), counts: &[1, 1], ..Distribution::default() };
        let model = (ENTRY.parse)(json!({ "t": 0.1, "distance": "hierarchical" })).unwrap();
        assert!(model.bind(&distribution).is_err());
    }
}
