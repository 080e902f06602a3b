//! Whether the records stand in the order in which a release has them: by class, then by content, suppressed ones last.
//! Another order can be the input's, or say something of its own.

use std::ops::Range;

use rustc_hash::FxHashMap;
use velamen_checker::CLASS_ID;
use velamen_core::context::Context;
use velamen_core::frequency::Role;
use velamen_core::hierarchy::Definition;
use velamen_core::label::number;
use velamen_core::number::in_order;
use velamen_engine::source::{Input, Ordered};
use velamen_recipe::JobError;
use velamen_report::Manifest;

use super::columns;
use crate::flat::flat;

/// Reads a release's file once more, record by record.
///
/// Time: linear in the file, on one core, and sorting the different values; memory: one number for each cell that is no
/// quasi-identifier's.
pub(super) fn is_canonical(
    input: Input,
    manifest: &Manifest,
    context: &Context<'_>,
) -> Result<bool, JobError> {
    // Within a class all quasi-identifiers are the same.
    let role = |name: &str| (!columns::is_qi(manifest, name)).then_some(Role::Insensitive);
    let (input, requests) = flat(input, role, &[CLASS_ID])?;
    let Ordered { values, codes } = input.read_in_order(&requests, context)?;
    let mut columns = requests.iter().map(|request| &*request.name).zip(values.iter().zip(&codes));
    let ids = columns.next().filter(|(name, _)| *name == CLASS_ID);
    let Some(mut ties) = ids.and_then(|(_, (values, codes))| classes(values, codes)) else {
        return Ok(false);
    };
    for (name, (values, codes)) in columns {
        let orders = orders(values, columns::definition(manifest, name));
        let Some(ranks) = orders.into_iter().find(|ranks| ascends(ranks, codes, &ties)) else {
            return Ok(false);
        };
        ties = split(&ranks, codes, ties);
    }
    Ok(true)
}

/// The records of each class, and the suppressed ones; `None` if the ids are not 1, 2, … and then none.
fn classes(values: &[String], codes: &[u32]) -> Option<Vec<Range<usize>>> {
    let ids: Vec<Option<u64>> = values.iter().map(|value| value.parse().ok()).collect();
    let mut classes: Vec<Range<usize>> = Vec::new();
    let mut last = Some(0u64);
    for (row, &code) in codes.iter().enumerate() {
        let id = *ids.get(code as usize)?;
        let is_next = id.is_none() || id == last.and_then(|last| last.checked_add(1));
        match classes.last_mut().filter(|_| id == last) {
            Some(class) => class.end = row.saturating_add(1),
            None if is_next => classes.push(row..row.saturating_add(1)),
            None => return None,
        }
        last = id;
    }
    Some(classes)
}

/// The orders that the values of a column can have, as the place of each value: that of its hierarchy's rows, numbers by size,
/// and text. A column of numbers can have had a text among records that are not released, or show `*` for some.
fn orders(values: &[String], hierarchy: Option<&Definition>) -> Vec<Vec<u32>> {
    let mut orders = Vec::new();
    if let Some(Definition::Table { rows }) = hierarchy {
        let leaves = rows.iter().filter_map(|row| row.first().map(String::as_str));
        let place: FxHashMap<&str, usize> = leaves.zip(1..).collect();
        orders.push(places(values, |value| place.get(value).copied()));
    }
    orders.extend([places(values, |value| number(value).map(in_order)), places(values, |_| ())]);
    orders
}

/// The place of each value among the different ones: by the key, those without one first, and by text where keys are equal.
fn places<K: Ord>(values: &[String], key: impl Fn(&str) -> K) -> Vec<u32> {
    let mut sorted: Vec<&String> = values.iter().collect();
    sorted.sort_unstable();
    sorted.dedup();
    sorted.sort_by_cached_key(|value| key(value));
    let place: FxHashMap<&String, u32> = sorted.into_iter().zip(0..).collect();
    values.iter().map(|value| place.get(value).copied().unwrap_or_default()).collect()
}

/// Whether the values of records that were equal so far ascend.
fn ascends(ranks: &[u32], codes: &[u32], ties: &[Range<usize>]) -> bool {
    let rank = |code: &u32| ranks.get(*code as usize);
    ties.iter().all(|tie| codes.get(tie.clone()).is_some_and(|codes| codes.is_sorted_by_key(rank)))
}

/// Records that are still equal, where there are several.
fn split(ranks: &[u32], codes: &[u32], ties: Vec<Range<usize>>) -> Vec<Range<usize>> {
    let same = |a: &u32, b: &u32| ranks.get(*a as usize) == ranks.get(*b as usize);
    let mut parts = Vec::new();
    for tie in ties {
        let mut start = tie.start;
        for part in codes.get(tie).unwrap_or_default().chunk_by(same) {
            let end = start.saturating_add(part.len());
            if part.len() > 1 {
                parts.push(start..end);
            }
            start = end;
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(values: &[&str]) -> Vec<String> {
        values.iter().map(|&value| value.to_owned()).collect()
    }

    #[test]
    fn classes_are_counted_from_one_and_suppressed_records_come_last() {
        let of = |codes: &[u32]| classes(&texts(&["", "1", "2", "3"]), codes);
        assert_eq!(of(&[1, 1, 2, 3, 0, 0]), Some(vec![0..2, 2..3, 3..4, 4..6]));
        assert_eq!(of(&[]), Some(vec![]));
        assert_eq!(of(&[1, 0]), Some(vec![0..1, 1..2]));
        for codes in [&[2][..], &[1, 3], &[1, 0, 2], &[0, 1], &[2, 1], &[1, 2, 1]] {
            assert_eq!(of(codes), None, "{codes:?}");
        }
    }

    #[test]
    fn numbers_text_and_rows_have_their_own_orders() {
        let values = texts(&["10", "9", "*", ""]);
        assert_eq!(orders(&values, None), [vec![3, 2, 1, 0], vec![2, 3, 1, 0]]);
        let rows = vec![texts(&["9", "*"]), texts(&["10", "*"])];
        let by_rows = orders(&values, Some(&Definition::Table { rows }));
        assert_eq!(by_rows.first(), Some(&vec![3, 2, 1, 0]));
    }

    #[test]
    fn what_is_equal_is_compared_by_the_next_column() {
        let (ranks, codes) = ([0, 1, 2], [0, 0, 2, 1, 1, 1]);
        assert!(ascends(&ranks, &codes, &[0..3, 3..6]) && !ascends(&ranks, &codes, &[0..3, 1..6]));
        assert_eq!(split(&ranks, &codes, vec![0..3, 3..6]), [0..2, 3..6]);
    }
}
