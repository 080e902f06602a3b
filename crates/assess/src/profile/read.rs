//! The table's columns, one by one and together.

use std::sync::Arc;

use velamen_core::context::Context;
use velamen_core::frequency::{FrequencyTable, Role};
use velamen_core::hierarchy::{NULL, Rule};
use velamen_core::key::{Layout, bits_for};
use velamen_core::sample::some_records;
use velamen_engine::ColumnRequest;
use velamen_engine::source::{Input, ReadOptions, is_value_like};
use velamen_measure::profile::Cells;
use velamen_measure::profile::kind::Kind;
use velamen_recipe::{JobError, Origin};

use super::columns::ColumnProfile;
use super::of_people::JointPeople;
use super::{Joint, ProfileRequest, SampleSize};

/// Columns that are read together whatever their values: 16 words hold 32 codes of 32 bits.
const TOGETHER: usize = 32;

/// The words of the widest key.
const WORDS: usize = 16;

/// Bits to spare of each column while dictionaries grow.
const SPARE: u32 = 2;

/// A table that was read.
pub(super) struct ReadTable {
    pub(super) records: u64,
    pub(super) sampled: Option<u64>,
    pub(super) notes: Vec<String>,
    /// Whether the cells were read without the white space around them.
    pub(super) trim: bool,
    pub(super) columns: Vec<ColumnProfile>,
    pub(super) source: ColumnSource,
}

/// Where the columns come from once more, together.
pub(super) struct ColumnSource {
    input: Input,
    sample: Option<SampleSize>,
    /// The only group of columns, where all were read together.
    read: Option<FrequencyTable>,
    /// Distinct values of each column.
    distinct: Vec<usize>,
}

impl ReadTable {
    /// Reads all columns; again without the spaces around the cells if there are any.
    pub(super) fn read(request: &mut ProfileRequest, context: &Context<'_>) -> Result<Self, JobError> {
        let input = request.table.open(&request.read)?;
        let hidden = value_like_keys(&input);
        if hidden.is_empty() {
            return Self::of(input, request, context)?.with_commas(request, context);
        }
        let shown = input.columns.iter().zip(1..).filter(|(_, place)| !hidden.contains(place));
        request.read.declared = Some(shown.map(|(name, _)| name.clone()).collect());
        let mut table = Self::of(request.table.open(&request.read)?, request, context)?;
        table.notes.push(without_keys(&hidden));
        Ok(table)
    }

    fn of(input: Input, request: &ProfileRequest, context: &Context<'_>) -> Result<Self, JobError> {
        let mut options = request.read.clone();
        let first = Self::columns_of(input, request, context)?;
        if !first.source.input.format.is_delimited()
            || options.trim
            || !first.columns.iter().any(|column| column.padded)
        {
            return Ok(first);
        }
        options.trim = true;
        let mut table = Self::columns_of(request.table.open(&options)?, request, context)?;
        table.trim = true;
        let note = "cells have white space around them; figures are without it (`trim = true` in a recipe)";
        table.notes.push(note.into());
        Ok(table)
    }

    /// Read once more where numbers of text have a decimal comma, and none has a point.
    fn with_commas(self, request: &mut ProfileRequest, context: &Context<'_>) -> Result<Self, JobError> {
        let is_text = self.source.input.format.is_delimited() && !request.read.decimal_comma;
        let has_points = || self.columns.iter().any(|column| matches!(column.kind, Kind::Decimal { .. }));
        if !is_text || !self.columns.iter().any(|column| column.has_commas) || has_points() {
            return Ok(self);
        }
        request.read.decimal_comma = true;
        let mut table = Self::of(request.table.open(&request.read)?, request, context)?;
        table
            .notes
            .push("numbers have a decimal comma and are read so (`decimal = \",\"` in a recipe)".into());
        Ok(table)
    }

    /// Reads one column to see whether it can be.
    pub(super) fn read_one(
        table: &Origin,
        options: &ReadOptions,
        name: &str,
        context: &Context<'_>,
    ) -> Result<(), JobError> {
        let input = table.open(options)?;
        let place: Vec<usize> = input.columns.iter().position(|column| column == name).into_iter().collect();
        input.read(&requests(&input.columns, &place), context)?;
        Ok(())
    }

    fn columns_of(input: Input, request: &ProfileRequest, context: &Context<'_>) -> Result<Self, JobError> {
        let names: Vec<String> = input.columns.clone();
        let (mut columns, mut records, mut sampled, mut read) = (Vec::new(), 0, None, None);
        for first in (0..names.len()).step_by(TOGETHER) {
            let group: Vec<usize> = (first..names.len().min(first + TOGETHER)).collect();
            let mut table = input.read(&requests(&names, &group), context)?;
            records = table.records();
            if let Some(sample) = request.sample {
                table.counts = some_records(&table.counts, sample.of(records), context.seed);
                sampled = Some(sample.of(records));
            }
            for (place, &column) in group.iter().enumerate() {
                context.check()?;
                context.progress.step("looking at columns", column as u64, names.len() as u64);
                columns.push(profile_of(&names[column], &table, place, request.show_values));
            }
            read = (names.len() <= TOGETHER).then_some(table);
        }
        let remarks = columns.iter().filter_map(|column| column.remark.clone());
        let notes = remarks.collect();
        let distinct =
            columns.iter().map(|column| column.distinct + column.missing.min(1) as usize).collect();
        let source = ColumnSource { input, sample: request.sample, read, distinct };
        Ok(Self { records, sampled, notes, trim: request.read.trim, columns, source })
    }
}

/// Keys of records that could be values, by their places from 1.
fn value_like_keys(input: &Input) -> Vec<usize> {
    let keys =
        input.columns.iter().zip(1..).filter(|(name, _)| input.format.is_keyed() && is_value_like(name));
    keys.map(|(_, place)| place).collect()
}

fn without_keys(places: &[usize]) -> String {
    let places: Vec<String> = places.iter().map(usize::to_string).collect();
    let (columns, names) = match places.len() {
        1 => ("column", "its name looks like a value"),
        _ => ("columns", "their names look like values"),
    };
    format!(
        "{columns} {}: {names}; not looked at, and a recipe drops them (`unnamed = \"drop\"`)",
        places.join(", ")
    )
}

fn requests(names: &[String], columns: &[usize]) -> Vec<ColumnRequest> {
    columns.iter().map(|&index| request(index, &names[index])).collect()
}

fn request(index: usize, name: &str) -> ColumnRequest {
    ColumnRequest {
        index,
        name: name.to_owned(),
        // Codes of quasi-identifiers stand by column.
        role: Role::QuasiIdentifier,
        rule: Arc::new(Rule::Flat),
        whole_domain: false,
    }
}

fn profile_of(name: &str, table: &FrequencyTable, place: usize, show_values: bool) -> ColumnProfile {
    let labels = table.qis[place].hierarchy.labels(0);
    let counts = table.marginal(place);
    let mut cells: Vec<(&str, u64)> = Vec::with_capacity(labels.len());
    let mut missing = 0;
    for (label, count) in labels.iter().zip(counts).filter(|(_, count)| *count > 0) {
        if label == NULL {
            missing = count;
        } else {
            cells.push((label, count));
        }
    }
    ColumnProfile::of(name, Cells(&cells), missing, show_values)
}

impl ColumnSource {
    /// What holds the columns.
    pub(super) fn input(&self) -> &Input {
        &self.input
    }

    /// The columns that take part, as codes; those that do not fit a key together are left out, the ones of
    /// most values first.
    pub(super) fn joint(&self, taking_part: &[bool], context: &Context<'_>) -> Result<Joint, JobError> {
        let names = &self.input.columns;
        let (kept, mut left_out): (Vec<usize>, Vec<usize>) = (0..names.len()).partition(|&c| taking_part[c]);
        let mut kept = self.that_fit(kept, &mut left_out);
        // A table of nothing but identifiers still has its columns.
        if kept.is_empty() {
            kept = self.that_fit(std::mem::take(&mut left_out), &mut left_out);
        }
        left_out.sort_unstable();
        let named = |columns: &[usize]| columns.iter().map(|&column| names[column].clone()).collect();
        let (codes, counts) = match &self.read {
            Some(table) => {
                (kept.iter().map(|&column| table.codes[column].clone()).collect(), table.counts.clone())
            }
            None => {
                let mut table = self.input.read(&requests(names, &kept), context)?;
                if let Some(sample) = self.sample {
                    let wanted = sample.of(table.records());
                    table.counts = some_records(&table.counts, wanted, context.seed);
                }
                (table.codes, table.counts)
            }
        };
        let (codes, counts) = without_empty(codes, counts);
        Ok(Joint { names: named(&kept), codes, counts, left_out: named(&left_out) })
    }

    /// The columns that take part, with the records of one person together; nothing where they do not fit a key together.
    pub(super) fn joint_of_people(
        &self,
        joint: &Joint,
        person: &str,
        context: &Context<'_>,
    ) -> Result<Option<JointPeople>, JobError> {
        let names = &self.input.columns;
        let place = |name: &str| names.iter().position(|column| column == name);
        let kept: Vec<usize> = joint.names.iter().filter_map(|name| place(name)).collect();
        let Some(person) = place(person) else { return Ok(None) };
        let (mut left_out, all) = (Vec::new(), kept.iter().copied().chain([person]).collect());
        let all = self.that_fit(all, &mut left_out);
        if !left_out.is_empty() {
            return Ok(None);
        }
        if let Some(table) = &self.read {
            return Ok(people_of(table, kept, person));
        }
        let mut table = self.input.read(&requests(names, &all), context)?;
        if let Some(sample) = self.sample {
            let wanted = sample.of(table.records());
            table.counts = some_records(&table.counts, wanted, context.seed);
        }
        Ok(people_of(&table, (0..kept.len()).collect(), kept.len()))
    }

    fn that_fit(&self, mut columns: Vec<usize>, left_out: &mut Vec<usize>) -> Vec<usize> {
        let bits = |&column: &usize| (bits_for(self.distinct[column] + 1) + SPARE).min(32);
        while columns.len() > TOGETHER
            && Layout::new(&columns.iter().map(bits).collect::<Vec<u32>>()).words() > WORDS
        {
            let widest = (0..columns.len()).max_by_key(|&place| self.distinct[columns[place]]);
            left_out.extend(widest.map(|place| columns.remove(place)));
        }
        columns
    }
}

/// Columns of a table, and whose the records are by another one.
fn people_of(table: &FrequencyTable, kept: Vec<usize>, person: usize) -> Option<JointPeople> {
    let columns = kept.into_iter().chain([person]).map(|column| table.codes[column].clone());
    let (mut codes, _) = without_empty(columns.collect(), table.counts.clone());
    codes.pop().map(|whose| JointPeople { codes, whose })
}

/// The entries that have records.
fn without_empty(codes: Vec<Vec<u32>>, counts: Vec<u64>) -> (Vec<Vec<u32>>, Vec<u64>) {
    if counts.iter().all(|count| *count > 0) {
        return (codes, counts);
    }
    let kept: Vec<usize> = (0..counts.len()).filter(|&entry| counts[entry] > 0).collect();
    let codes = codes.iter().map(|column| kept.iter().map(|&entry| column[entry]).collect()).collect();
    (codes, kept.iter().map(|&entry| counts[entry]).collect())
}
