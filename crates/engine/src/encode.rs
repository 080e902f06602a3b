//! From a source's cells to the frequency table, on all cores.

use std::sync::Arc;

use rayon::prelude::*;
use rustc_hash::FxHashMap;
use velamen_core::frequency::{FrequencyTable, QuasiIdentifier, Rest, RestColumn, Role, Strays};
use velamen_core::hierarchy::sort_values;
use velamen_core::key::{Field, Key, Layout, bits_for};
use velamen_core::with_key_width;

use crate::combine::{Run, combine};
use crate::dictionary::{BROKEN, ColumnRequest, Dictionary, OUTSIDE, Outside, Spelling};
use crate::error::EngineError;
use crate::grouper::Grouper;
use crate::limit::{Held, Limit, Share};
use crate::survey::Tally;

/// One worker's dictionaries and counts.
#[derive(Debug)]
pub(crate) struct Worker {
    pub(crate) dictionaries: Vec<Dictionary>,
    /// Codes of the batch at hand, per column.
    pub(crate) codes: Vec<Vec<u32>>,
    grouper: Grouper,
    /// Where records are kept in their order: their codes, per column.
    pub(crate) trail: Option<Vec<Vec<u32>>>,
    /// Where combinations are estimated instead of counted.
    pub(crate) tally: Option<Tally>,
    /// How much may be held.
    share: Share,
    /// What was seen of the records where no column is asked for.
    pub(crate) seen: Seen,
    /// Whether records that are not as declared are kept apart.
    pub(crate) apart: bool,
    /// Those records; the ones outside by code of the sensitive column.
    pub(crate) strays: Strays,
    /// The request that is for the sensitive column.
    sensitive: Option<usize>,
}

/// What is seen of records whose cells nobody asks for.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Seen {
    pub(crate) records: u64,
    /// Whether a cell holds a line end.
    pub(crate) line_ends: bool,
    /// Whether a byte order mark stands after the start of the file.
    pub(crate) marks: bool,
}

/// What becomes of the records that are read.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Keep<'a> {
    /// Their distinct combinations are counted, up to a limit.
    Counts(&'a Limit),
    /// They are kept in their order; then only one worker may read.
    Order,
    /// They are looked at; of the limit only the bytes of distinct values count.
    Tally(&'a Limit),
}

impl Worker {
    pub(crate) fn new(columns: &[ColumnRequest], spelling: &Arc<Spelling>) -> Self {
        let dictionary = |column: &ColumnRequest| {
            Dictionary::new(Arc::clone(&column.rule), column.role, Arc::clone(spelling))
        };
        Self {
            dictionaries: columns.iter().map(dictionary).collect(),
            codes: vec![Vec::new(); columns.len()],
            grouper: Grouper::new(columns.len()),
            trail: None,
            tally: None,
            share: Share::default(),
            seen: Seen::default(),
            apart: spelling.outside == Outside::Apart,
            strays: Strays::default(),
            sensitive: columns.iter().position(|column| column.role == Role::Sensitive),
        }
    }

    /// A worker that does with its records what it is told to.
    pub(crate) fn that(keeps: Keep<'_>, columns: &[ColumnRequest], spelling: &Arc<Spelling>) -> Self {
        let worker = Self::new(columns, spelling);
        match keeps {
            Keep::Counts(limit) => Self { share: limit.share(), ..worker },
            Keep::Order => Self { trail: Some(vec![Vec::new(); columns.len()]), ..worker },
            Keep::Tally(limit) => Self { tally: Some(Tally::new(columns)), share: limit.share(), ..worker },
        }
    }

    /// Counts the `rows` rows of the batch at hand and begins a new one.
    pub(crate) fn flush(&mut self, rows: usize) -> Result<(), EngineError> {
        let rows = if self.apart { self.part(rows) } else { rows };
        if let Some(tally) = &mut self.tally {
            tally.add(&self.dictionaries, &self.codes, rows);
            self.codes.iter_mut().for_each(Vec::clear);
            let held = self.held();
            return self.share.take(held);
        }
        if self.codes.is_empty() {
            self.seen.records += rows as u64;
            return Ok(());
        }
        if let Some(trail) = &mut self.trail {
            trail.iter_mut().zip(&mut self.codes).for_each(|(kept, codes)| kept.append(codes));
            return Ok(());
        }
        self.grouper.add(&self.codes, &self.widths(), rows)?;
        self.codes.iter_mut().for_each(Vec::clear);
        let held = self.held();
        self.share.take(held)
    }

    /// Takes the rows that are not as declared out of the batch at hand, and returns how many are left.
    fn part(&mut self, rows: usize) -> usize {
        let strange = |codes: &Vec<u32>| codes.iter().any(|&code| code >= BROKEN);
        if !self.codes.iter().any(strange) {
            return rows;
        }
        let mut kept = 0;
        for row in 0..rows {
            let cells = || self.codes.iter().map(|codes| codes[row]);
            let value = self.sensitive.map_or(0, |column| self.codes[column][row]);
            if cells().any(|code| code == BROKEN) {
                self.strays.malformed += 1;
            } else if value == OUTSIDE {
                self.strays.dropped += 1;
            } else if cells().any(|code| code == OUTSIDE) {
                self.strays.add_outside(value as usize, 1);
            } else {
                self.codes.iter_mut().for_each(|codes| codes[kept] = codes[row]);
                kept += 1;
            }
        }
        self.codes.iter_mut().for_each(|codes| codes.truncate(kept));
        kept
    }

    /// Takes back what was pushed of a record after the first `records` of the batch at hand, which cannot
    /// be read.
    #[cold]
    pub(crate) fn drop_malformed(&mut self, records: usize) {
        self.codes.iter_mut().for_each(|codes| codes.truncate(records));
        self.strays.malformed += 1;
    }

    /// As [`Self::flush`], where each row of the batch stands for so many records.
    pub(crate) fn flush_counted(&mut self, counts: &[u64]) -> Result<(), EngineError> {
        self.grouper.add_counted(&self.codes, &self.widths(), counts)?;
        self.codes.iter_mut().for_each(Vec::clear);
        let held = self.held();
        self.share.take(held)
    }

    /// What the worker holds beside the batch at hand.
    fn held(&self) -> Held {
        [self.grouper.distinct(), self.dictionaries.iter().map(Dictionary::bytes).sum()]
    }

    fn widths(&self) -> Vec<usize> {
        self.dictionaries.iter().map(Dictionary::len).collect()
    }
}

/// The columns of the key: quasi-identifiers first, then the rest, each in the order of the file.
fn key_order(columns: &[ColumnRequest]) -> (Vec<usize>, Vec<usize>) {
    (0..columns.len()).partition(|&c| columns[c].role == Role::QuasiIdentifier)
}

/// Brings the workers' counts together. Codes are assigned in canonical order, so the table does
/// not depend on how the work was shared.
pub(crate) fn merge(workers: Vec<Worker>, columns: &[ColumnRequest]) -> Result<FrequencyTable, EngineError> {
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
            remap.push(worker.dictionaries[c].values().map(|value| codes[value]).collect());
        }
        bits.push(bits_for(leaves.len()));
        if column.role != Role::QuasiIdentifier {
            rest_columns.push(RestColumn { name: column.name.clone(), role: column.role, values: leaves });
        }
    }
    let strays = strays(&workers, columns, &rest_columns);
    let layout = Layout::new(&bits);
    // The groupers' columns stand in the order of the requests.
    let (layout_requested, remaps) = reorder(&layout, &remaps, &order_of);
    with_key_width!(layout.words(), W => {
        let entries = workers.into_par_iter().zip(&remaps);
        let entries = entries.map(|(worker, remap)| worker.grouper.entries::<W>(&layout_requested, remap));
        let runs = combine(entries.collect(), &layout);
        Ok(FrequencyTable { strays, ..unpack(&runs, &layout, table_qis, rest_columns) })
    }, else Err(EngineError::Limit("the released columns need more than 1024 bits a record; drop some".into())))
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
    let mut seen: Vec<&str> =
        workers.iter().flat_map(|worker| worker.dictionaries[column].values()).collect();
    seen.sort_unstable();
    seen.dedup();
    seen.into_iter().map(str::to_owned).collect()
}

fn sorted(mut values: Vec<String>) -> Vec<String> {
    sort_values(&mut values);
    values
}

fn reorder(layout: &Layout, remaps: &[Vec<Vec<u32>>], order_of: &[usize]) -> (Layout, Vec<Vec<Vec<u32>>>) {
    let remaps = remaps.iter().map(|remap| order_of.iter().map(|&p| remap[p].clone()).collect()).collect();
    (layout.permuted(order_of), remaps)
}

fn unpack<const W: usize>(
    runs: &[Run<W>],
    layout: &Layout,
    qis: Vec<QuasiIdentifier>,
    columns: Vec<RestColumn>,
) -> FrequencyTable {
    let (qi_fields, rest_fields) = layout.fields().split_at(qis.len());
    let codes = qi_fields.par_iter().map(|&field| gathered(runs, |key| key.get(field))).collect();
    let len = runs.iter().map(|run| run.counts.len()).sum();
    let mut counts = Vec::with_capacity(len);
    runs.iter().for_each(|run| counts.extend_from_slice(&run.counts));
    let (rest, rest_index) = match rest_fields {
        [] => (Rest { columns, codes: Vec::new(), len: 1 }, vec![0; len]),
        // One column: its codes are the combinations.
        &[field] => {
            let len = columns[0].values.len();
            let codes = vec![(0..len as u32).collect()];
            (Rest { columns, codes, len }, gathered(runs, |key| key.get(field)))
        }
        // No quasi-identifier: each key is a combination, and they ascend.
        fields if qis.is_empty() => {
            let codes = fields.par_iter().map(|&field| gathered(runs, |key| key.get(field))).collect();
            (Rest { columns, codes, len }, (0..len as u32).collect())
        }
        fields => intern_rest(runs, qi_fields, fields, columns),
    };
    FrequencyTable { qis, rest, codes, rest_index, counts, population: None, strays: Strays::default() }
}

/// A number of each key, in order.
fn gathered<const W: usize>(runs: &[Run<W>], number: impl Fn(&Key<W>) -> u32) -> Vec<u32> {
    let mut numbers = Vec::with_capacity(runs.iter().map(|run| run.keys.len()).sum());
    runs.iter().for_each(|run| numbers.extend(run.keys.iter().map(&number)));
    numbers
}

fn intern_rest<const W: usize>(
    runs: &[Run<W>],
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
