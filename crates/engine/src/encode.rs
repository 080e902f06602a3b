//! From the workers' counts to the frequency table, on all cores.

use rayon::prelude::*;
use rustc_hash::FxHashMap;
use velamen_core::error::Problem;
use velamen_core::frequency::{FrequencyTable, QuasiIdentifier, Rest, RestColumn, Role, Strays};
use velamen_core::hierarchy::sort_values;
use velamen_core::key::{Field, Key, Layout, bits_for};
use velamen_core::with_key_width;

use crate::combine::{SortedRun, combine};
use crate::dictionary::ColumnRequest;
use crate::error::EngineError;
use crate::worker::Worker;

/// The columns of the key: quasi-identifiers first, then the rest, each in the order of the file.
fn key_order(columns: &[ColumnRequest]) -> (Vec<usize>, Vec<usize>) {
    (0..columns.len()).partition(|&c| columns[c].role == Role::QuasiIdentifier)
}

/// Brings the workers' counts together. Codes are assigned in canonical order, so the table does
/// not depend on how the work was shared.
pub(crate) fn merge(
    mut workers: Vec<Worker>,
    columns: &[ColumnRequest],
) -> Result<FrequencyTable, EngineError> {
    workers.iter_mut().for_each(Worker::close);
    let (qis, rest) = key_order(columns);
    let mut remaps: Vec<Vec<Vec<u32>>> = vec![Vec::new(); workers.len()];
    let mut order_of = vec![0; columns.len()];
    let (mut table_qis, mut rest_columns) = (Vec::new(), Vec::new());
    let mut bits = Vec::new();
    for (position, &c) in qis.iter().chain(&rest).enumerate() {
        order_of[c] = position;
        let column = &columns[c];
        let values = union(&workers, c);
        let leaves = if column.role == Role::QuasiIdentifier || column.whole_domain {
            let (leaves, hierarchy) = column.rule.over(values, column.whole_domain);
            if column.role == Role::QuasiIdentifier {
                table_qis.push(QuasiIdentifier { name: column.name.clone(), hierarchy });
            }
            leaves
        } else {
            sorted(values)
        };
        let codes: FxHashMap<&str, u32> = leaves.iter().map(String::as_str).zip(0..).collect();
        for (remap, worker) in remaps.iter_mut().zip(&workers) {
            // What only records have that are left out has no code, and nobody asks for it.
            let code = |value: &str| codes.get(value).copied().unwrap_or_default();
            remap.push(worker.dictionaries[c].values().map(code).collect());
        }
        bits.push(bits_for(leaves.len()));
        if column.role != Role::QuasiIdentifier {
            rest_columns.push(RestColumn { name: column.name.clone(), role: column.role, values: leaves });
        }
    }
    let strays = strays(&workers, columns, &rest_columns);
    workers.iter_mut().for_each(Worker::forget_values);
    let layout = Layout::new(&bits);
    // The groupers' columns stand in the order of the requests.
    let (layout_requested, remaps) = reorder(&layout, remaps, &order_of);
    with_key_width!(layout.words(), W => {
        let entries = workers.into_par_iter().zip(&remaps);
        let entries = entries.map(|(worker, remap)| worker.entries::<W>(&layout_requested, remap));
        let runs = combine(entries.collect(), &layout);
        Ok(FrequencyTable { strays, ..unpack(&runs, &layout, table_qis, rest_columns) })
    }, else Err(EngineError::Limit(Problem::new("the released columns need more than 1024 bits a record").mend("drop some"))))
}

/// The workers' strays together, those outside by value of the sensitive column.
fn strays(workers: &[Worker], columns: &[ColumnRequest], rest: &[RestColumn]) -> Strays {
    let mut all = Strays::default();
    let values = rest.iter().find(|column| column.role == Role::Sensitive).map(|column| &column.values[..]);
    let values = values.unwrap_or_default();
    let place: FxHashMap<&str, usize> = values.iter().map(String::as_str).zip(0..).collect();
    let sensitive = columns.iter().position(|column| column.role == Role::Sensitive);
    for worker in workers {
        all.dropped += worker.strays.dropped;
        all.malformed += worker.strays.malformed;
        for (code, &records) in worker.strays.outside.iter().enumerate().filter(|(_, records)| **records > 0)
        {
            let value = sensitive.map_or(0, |column| place[worker.dictionaries[column].value(code as u32)]);
            all.add_outside(value, records);
        }
    }
    all
}

fn union(workers: &[Worker], column: usize) -> Vec<String> {
    let mut seen: Vec<&str> = workers.iter().flat_map(|worker| worker.values(column)).collect();
    seen.sort_unstable();
    seen.dedup();
    seen.into_iter().map(str::to_owned).collect()
}

fn sorted(mut values: Vec<String>) -> Vec<String> {
    sort_values(&mut values);
    values
}

fn reorder(layout: &Layout, remaps: Vec<Vec<Vec<u32>>>, order_of: &[usize]) -> (Layout, Vec<Vec<Vec<u32>>>) {
    let reordered =
        |mut remap: Vec<Vec<u32>>| order_of.iter().map(|&p| std::mem::take(&mut remap[p])).collect();
    (layout.permuted(order_of), remaps.into_iter().map(reordered).collect())
}

fn unpack<const W: usize>(
    runs: &[SortedRun<W>],
    layout: &Layout,
    qis: Vec<QuasiIdentifier>,
    columns: Vec<RestColumn>,
) -> FrequencyTable {
    let (qi_fields, rest_fields) = layout.fields().split_at(qis.len());
    let len: usize = runs.iter().map(|run| run.counts.len()).sum();
    let no_qis = qis.is_empty();
    // Each column is as long as the table: side by side, counts and the rest as well.
    let (codes, ((rest, rest_index), counts)) = rayon::join(
        || qi_fields.par_iter().map(|&field| gathered(runs, |key| key.get(field))).collect(),
        || {
            rayon::join(
                || match rest_fields {
                    [] => (Rest { columns, codes: Vec::new(), len: 1 }, vec![0; len]),
                    // One column: its codes are the combinations.
                    &[field] => {
                        let len = columns[0].values.len();
                        let codes = vec![(0..len as u32).collect()];
                        (Rest { columns, codes, len }, gathered(runs, |key| key.get(field)))
                    }
                    // No quasi-identifier: each key is a combination, and they ascend.
                    fields if no_qis => {
                        let codes = fields.par_iter().map(|&field| gathered(runs, |key| key.get(field)));
                        (Rest { columns, codes: codes.collect(), len }, (0..len as u32).collect())
                    }
                    fields => intern_rest(runs, qi_fields, fields, columns),
                },
                || {
                    let mut counts = Vec::with_capacity(len);
                    runs.iter().for_each(|run| counts.extend_from_slice(&run.counts));
                    counts
                },
            )
        },
    );
    FrequencyTable { qis, rest, codes, rest_index, counts, population: None, strays: Strays::default() }
}

/// A number of each key, in order.
fn gathered<const W: usize>(runs: &[SortedRun<W>], number: impl Fn(&Key<W>) -> u32) -> Vec<u32> {
    let mut numbers = Vec::with_capacity(runs.iter().map(|run| run.keys.len()).sum());
    runs.iter().for_each(|run| numbers.extend(run.keys.iter().map(&number)));
    numbers
}

fn intern_rest<const W: usize>(
    runs: &[SortedRun<W>],
    qi_fields: &[Field],
    fields: &[Field],
    columns: Vec<RestColumn>,
) -> (Rest, Vec<u32>) {
    let rest_key = |mut key: Key<W>| {
        qi_fields.iter().for_each(|field| key.set(*field, 0));
        key
    };
    // Sorted with their places instead of looked up: a table of so many keys outgrows every cache.
    let keys = runs.iter().flat_map(|run| &run.keys).map(|&key| rest_key(key));
    let mut placed: Vec<(Key<W>, u32)> = keys.zip(0..).collect();
    placed.par_sort_unstable();
    let mut index = vec![0; placed.len()];
    let mut distinct = Vec::new();
    for (key, place) in placed {
        if distinct.last() != Some(&key) {
            distinct.push(key);
        }
        index[place as usize] = (distinct.len() - 1) as u32;
    }
    let codes = fields.iter().map(|f| distinct.iter().map(|key| key.get(*f)).collect()).collect();
    (Rest { columns, codes, len: distinct.len() }, index)
}
