//! What the rules of intervals and cuts release is read as what it is, whatever the unit.

#![allow(clippy::arithmetic_side_effects, reason = "a test may fail by a panic")]

use proptest::prelude::*;
use velamen_contract::PromisedAttribute;
use velamen_core::hierarchy::{Definition, Rule};
use velamen_core::recoding::Recoding;

use super::{allowed, at_level, attribute};

/// The number nearest to so many units.
fn number(units: i64, decimals: u32) -> f64 {
    format!("{units}e-{decimals}").parse().unwrap()
}

/// A number of so many units as a value is written.
fn written(units: i64, decimals: u32) -> String {
    format!("{:.1$}", number(units, decimals), decimals as usize)
}

/// Definitions of both forms over the same domain, with the first and the last of its numbers in units.
fn cases() -> impl Strategy<Value = ([Definition; 2], (i64, i64), u32)> {
    (0..10_u32, -1_000_000_000..1_000_000_000_i64, 2..1000_i64, 2..50_i64, 2..9_i64, 0..1000_i64).prop_map(
        |(decimals, min, width, cells, factor, rest)| {
            let max = min + width * cells * factor + rest;
            let of = |units: i64| number(units, decimals);
            let interval = vec![of(width), of(width * factor)];
            let starts = |width: i64| (1..cells).map(|cell| of(min + cell * width)).collect::<Vec<f64>>();
            let cuts = vec![starts(width * factor)];
            let (first, last) = (of(min), of(max));
            let of_intervals = Definition::Interval { interval, min: first, max: last, decimals };
            let of_cuts = Definition::Cuts { cuts, min: first, max: last, decimals };
            ([of_intervals, of_cuts], (min, max), decimals)
        },
    )
}

proptest! {
    #[test]
    fn labels_of_rules_are_labels_of_their_level((definitions, (min, max), decimals) in cases(), at in any::<prop::sample::Index>()) {
        let inside = min + at.index((max - min) as usize + 1) as i64;
        for definition in definitions {
            let rule = Rule::try_from(&definition).unwrap();
            for value in [min, inside, max].map(|units| written(units, decimals)) {
                prop_assert!(rule.contains(&value), "{} {:?}", value, definition);
                for level in 0..=rule.top() {
                    let label = rule.label_at(&value, level);
                    let of_level = attribute(definition.clone(), level);
                    prop_assert!(at_level(&of_level, &label) && allowed(&of_level, &label), "{} {:?}", label, of_level);
                    let of_nodes = PromisedAttribute { level: None, recoding: Recoding::Nodes, ..of_level };
                    prop_assert!(allowed(&of_nodes, &label), "{} {:?}", label, of_nodes);
                }
            }
        }
    }
}
