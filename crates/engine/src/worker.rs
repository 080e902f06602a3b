//! One of several workers that read a table: from cells to codes, and what becomes of the records.

use std::sync::Arc;

use velamen_core::frequency::{Role, Strays};
use velamen_core::key::Layout;

use crate::derive::{DerivedColumn, Deriver};
use crate::dictionary::{BROKEN, ColumnRequest, Dictionary, OUTSIDE, Outside, Spelling};
use crate::error::EngineError;
use crate::fault::Fault;
use crate::grouper::{Entries, Grouper};
use crate::limit::{Held, HeldShare, Limit};
use crate::sieve::{self, Sieve};
use crate::tally::Tally;

/// One worker's dictionaries and what it kept of the records.
#[derive(Debug)]
pub struct Worker {
    pub(crate) dictionaries: Vec<Dictionary>,
    /// Codes of the batch at hand, per column.
    pub(crate) codes: Vec<Vec<u32>>,
    kept: KeptColumns,
    /// Whether records that are not as declared are kept apart.
    pub(crate) apart: bool,
    /// Those records; the ones outside by code of the sensitive column.
    pub(crate) strays: Strays,
    /// The request that is for the sensitive column.
    sensitive: Option<usize>,
    /// How many columns are asked for; the others are sources of derived ones, or say which records are kept.
    asked: usize,
    deriver: Deriver,
    sieve: Sieve,
}

/// What becomes of the records that are read.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Keep<'a> {
    /// Their distinct combinations are counted, up to a limit.
    Counts(&'a Limit),
    /// They are kept in their order; then only one worker may read. Of larger tables, not much more than so many are read.
    Order(usize),
    /// They are looked at; of the limit only the bytes of distinct values count.
    Tally(&'a Limit),
    /// They are seen to be there; no column is asked for.
    Nothing,
}

/// What a worker keeps of them.
#[derive(Debug)]
enum KeptColumns {
    Counts {
        grouper: Grouper,
        share: HeldShare,
    },
    /// Codes per column.
    Order {
        trail: Vec<Vec<u32>>,
        most: usize,
    },
    Tally {
        tally: Box<Tally>,
        share: HeldShare,
    },
    Nothing(SeenRecords),
}

/// What is seen of records whose cells nobody asks for.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct SeenRecords {
    pub(crate) records: u64,
    /// Whether a cell holds a line end.
    pub(crate) line_ends: bool,
    /// Whether a byte order mark stands after the start of the file.
    pub(crate) marks: bool,
}

impl Worker {
    /// Of the columns, the first `asked` are asked for; the others are sources of derived ones, or say which records are kept.
    pub(crate) fn new(
        keep: Keep<'_>,
        (columns, asked): (&[ColumnRequest], usize),
        (derived, conditions): (&[DerivedColumn], &[sieve::Asked]),
        spelling: &Arc<Spelling>,
    ) -> Self {
        let dictionary = |column: &ColumnRequest| {
            Dictionary::new(Arc::clone(&column.rule), column.role, Arc::clone(spelling))
        };
        Self {
            dictionaries: columns.iter().map(dictionary).collect(),
            codes: vec![Vec::new(); columns.len()],
            kept: KeptColumns::new(keep, &columns[..asked]),
            apart: spelling.outside == Outside::Apart,
            strays: Strays::default(),
            sensitive: columns.iter().position(|column| column.role == Role::Sensitive),
            asked,
            deriver: Deriver::new(derived),
            sieve: Sieve::new(conditions),
        }
    }

    /// Does with the `rows` rows of the batch at hand what is to become of them, and begins a new batch.
    ///
    /// # Errors
    /// A record that has no derived value, counted in the batch.
    pub(crate) fn flush(&mut self, rows: usize) -> Result<(), Fault> {
        self.deriver.derive(&mut self.dictionaries, &mut self.codes, rows).map_err(Fault::underivable)?;
        let rows = self.sieve.keep(&self.dictionaries, &mut self.codes, rows);
        self.keep(rows).map_err(Fault::from)
    }

    fn keep(&mut self, rows: usize) -> Result<(), EngineError> {
        let rows = if self.apart { self.part(rows) } else { rows };
        let (dictionaries, codes) = (&self.dictionaries[..self.asked], &mut self.codes[..self.asked]);
        match &mut self.kept {
            KeptColumns::Counts { grouper, .. } => grouper.add(codes, &widths(dictionaries), rows)?,
            KeptColumns::Order { trail, .. } => {
                trail.iter_mut().zip(codes).for_each(|(kept, codes)| kept.append(codes));
            }
            KeptColumns::Tally { tally, .. } => tally.add(dictionaries, codes, rows),
            KeptColumns::Nothing(seen) => seen.records += rows as u64,
        }
        self.begin()
    }

    /// As [`Self::flush`], where each row of the batch stands for so many records, which are counted.
    pub(crate) fn flush_counted(&mut self, counts: &[u64]) -> Result<(), EngineError> {
        if let KeptColumns::Counts { grouper, .. } = &mut self.kept {
            grouper.add_counted(&self.codes, &widths(&self.dictionaries), counts)?;
        }
        self.begin()
    }

    /// Begins a batch, unless too much is held.
    fn begin(&mut self) -> Result<(), EngineError> {
        self.codes.iter_mut().for_each(Vec::clear);
        let bytes = || self.dictionaries.iter().map(Dictionary::bytes).sum();
        let (held, share): (Held, _) = match &mut self.kept {
            KeptColumns::Counts { grouper, share } => ([grouper.distinct(), bytes()], share),
            KeptColumns::Tally { share, .. } => ([0, bytes()], share),
            KeptColumns::Order { .. } | KeptColumns::Nothing(_) => return Ok(()),
        };
        share.take(held)
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

    /// The values that records have which are kept.
    pub(crate) fn values(&self, column: usize) -> impl Iterator<Item = &str> {
        let values = self.dictionaries[column].values().enumerate();
        values.filter(move |(code, _)| self.sieve.is_used(column, *code)).map(|(_, value)| value)
    }

    /// What is noted of records, where nothing of them is kept.
    pub(crate) fn seen(&mut self) -> Option<&mut SeenRecords> {
        if let KeptColumns::Nothing(seen) = &mut self.kept { Some(seen) } else { None }
    }

    /// What was tallied.
    pub(crate) fn tally(&self) -> Option<&Tally> {
        if let KeptColumns::Tally { tally, .. } = &self.kept { Some(tally) } else { None }
    }

    /// Lets go of what finds the codes of cells: no record follows.
    pub(crate) fn close(&mut self) {
        self.dictionaries.iter_mut().for_each(Dictionary::close);
    }

    /// Lets go of the values as well.
    pub(crate) fn forget_values(&mut self) {
        self.dictionaries = Vec::new();
    }

    /// The records in their order: the dictionaries, and codes per column.
    pub(crate) fn into_order(self) -> (Vec<Dictionary>, Vec<Vec<u32>>) {
        let codes = if let KeptColumns::Order { trail, .. } = self.kept { trail } else { Vec::new() };
        (self.dictionaries, codes)
    }

    /// Whether no further record is wanted.
    pub(crate) fn has_enough(&self) -> bool {
        let KeptColumns::Order { trail, most } = &self.kept else { return false };
        trail.first().is_some_and(|codes| codes.len() >= *most)
    }

    /// What was counted, with the table's codes for the worker's.
    pub(crate) fn entries<const W: usize>(self, layout: &Layout, remap: &[Vec<u32>]) -> Entries<W> {
        match self.kept {
            KeptColumns::Counts { grouper, .. } => grouper.entries(layout, remap),
            _ => Entries { single: Vec::new(), counted: Vec::new() },
        }
    }
}

impl KeptColumns {
    fn new(keep: Keep<'_>, columns: &[ColumnRequest]) -> Self {
        match keep {
            Keep::Counts(limit) => {
                Self::Counts { grouper: Grouper::new(columns.len()), share: limit.share() }
            }
            Keep::Order(most) => Self::Order { trail: vec![Vec::new(); columns.len()], most },
            Keep::Tally(limit) => Self::Tally { tally: Box::new(Tally::new(columns)), share: limit.share() },
            Keep::Nothing => Self::Nothing(SeenRecords::default()),
        }
    }
}

/// How many codes each column has.
fn widths(dictionaries: &[Dictionary]) -> Vec<usize> {
    dictionaries.iter().map(Dictionary::len).collect()
}
