//! Derived columns: computed by each worker from the codes of their sources, batch by batch.
//!
//! A derived column is asked for like any other; its index lies beyond those of the file. Sources that nobody asks
//! for are read beside, and nothing is kept of them. Each distinct text is read once, and each distinct
//! value gets its code once, so that a record costs two look-ups and some arithmetic.

use std::sync::Arc;

use arrow_schema::DataType;
use rustc_hash::FxHashMap;
use velamen_core::derived::{Derivation, Formula};
use velamen_core::frequency::Role;
use velamen_core::hierarchy::Rule;

use crate::dictionary::{BROKEN, ColumnRequest, Dictionary};
use crate::error::{DataProblem, EngineError};
use crate::fault::{FaultKind, Underivable};
use crate::source::SourceFile;

/// What derived columns a table has besides those of its file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Derived {
    /// The columns, in the order in which they follow those of the file.
    pub columns: Vec<Derivation>,
    /// Whether one is left out where the file has a column of its name, or lacks a source.
    pub where_absent: bool,
}

impl Derived {
    /// Those that a file of such columns gets.
    pub(crate) fn of(&self, file: &SourceFile, columns: &[String]) -> Result<Vec<Derivation>, EngineError> {
        let has = |name: &str| columns.iter().any(|column| column == name);
        let mut kept = Vec::new();
        for derivation in &self.columns {
            let Derivation { name, formula } = derivation;
            let lacking = formula.sources().into_iter().find(|source| !has(source));
            match lacking {
                _ if self.where_absent && (has(name) || lacking.is_some()) => continue,
                _ if has(name) => {
                    return Err(file.refused(DataProblem::DerivedTwice { name: name.clone() }));
                }
                Some(source) => {
                    let (name, lacking) = (name.clone(), source.to_owned());
                    let columns = columns.join(", ");
                    return Err(file.refused(DataProblem::NoSource { name, lacking, columns }));
                }
                None => kept.push(derivation.clone()),
            }
        }
        Ok(kept)
    }

    /// Declared columns of a file: sources in place of what is derived from them.
    pub(crate) fn declared(&self, columns: &[String]) -> Vec<String> {
        let is_derived = |name: &str| self.columns.iter().any(|derivation| derivation.name == name);
        let mut declared: Vec<String> = columns.iter().filter(|name| !is_derived(name)).cloned().collect();
        for source in self.columns.iter().flat_map(|derivation| derivation.formula.sources()) {
            if !declared.iter().any(|name| name == source) {
                declared.push(source.to_owned());
            }
        }
        declared
    }
}

/// The type of a derived column's values.
pub(crate) fn kind(derivation: &Derivation) -> DataType {
    if derivation.formula.is_whole() { DataType::Int64 } else { DataType::Float64 }
}

/// What is asked for, with the sources of what is derived.
pub(crate) struct DerivationPlan {
    /// What is asked for, and after it the sources that are only read.
    pub(crate) requests: Vec<ColumnRequest>,
    pub(crate) columns: Vec<DerivedColumn>,
}

/// A derived column that is asked for.
#[derive(Debug, Clone)]
pub(crate) struct DerivedColumn {
    /// The request that it answers.
    request: usize,
    /// The requests of its sources, in the order of the formula.
    sources: Vec<usize>,
    formula: Formula,
}

impl DerivationPlan {
    /// `width` columns of these names stand in the file, the derived ones after them.
    pub(crate) fn new(names: &[String], derived: &[Derivation], asked: &[ColumnRequest]) -> Self {
        let width = names.len() - derived.len();
        let mut requests = asked.to_vec();
        let mut columns = Vec::new();
        for (request, column) in asked.iter().enumerate().filter(|(_, column)| column.index >= width) {
            let formula = derived[column.index - width].formula.clone();
            let sources =
                formula.sources().into_iter().map(|name| source(&mut requests, &names[..width], name));
            let sources = sources.collect();
            columns.push(DerivedColumn { request, sources, formula });
        }
        Self { requests, columns }
    }
}

/// The request of a source, added if nobody asks for it.
fn source(requests: &mut Vec<ColumnRequest>, names: &[String], name: &str) -> usize {
    let index = names.iter().position(|column| column == name).expect("sources are looked up on opening");
    if let Some(known) = requests.iter().position(|request| request.index == index) {
        return known;
    }
    requests.push(ColumnRequest {
        index,
        name: name.to_owned(),
        role: Role::Insensitive,
        rule: Arc::new(Rule::Flat),
        whole_domain: false,
    });
    requests.len() - 1
}

/// What a source's text means.
#[derive(Debug, Clone, Copy)]
enum DerivedCell {
    Number(i64),
    Missing,
    Bad,
}

/// One worker's derived columns.
#[derive(Debug)]
pub(crate) struct Deriver {
    columns: Vec<(DerivedColumn, KnownTexts)>,
}

/// What a worker knows of a derived column.
#[derive(Debug, Default)]
struct KnownTexts {
    /// By source and code.
    cells: [Vec<DerivedCell>; 2],
    /// Derived number → code.
    codes: FxHashMap<i64, u32>,
}

impl Deriver {
    pub(crate) fn new(columns: &[DerivedColumn]) -> Self {
        Self { columns: columns.iter().map(|column| (column.clone(), KnownTexts::default())).collect() }
    }

    /// Fills in the codes of the derived columns of a batch; the fault is the first by record, then by column.
    pub(crate) fn derive(
        &mut self,
        dictionaries: &mut [Dictionary],
        codes: &mut [Vec<u32>],
        rows: usize,
    ) -> Result<(), Underivable> {
        let mut first: Option<Underivable> = None;
        for (column, known) in &mut self.columns {
            known.learn(column, dictionaries);
            let mut out = std::mem::take(&mut codes[column.request]);
            out.clear();
            for row in 0..rows {
                match known.code(column, dictionaries, codes, row) {
                    Ok(code) => out.push(code),
                    Err(_) if dictionaries[column.request].is_apart() => out.push(BROKEN),
                    Err(kind) => {
                        if first.as_ref().is_none_or(|first| row < first.row) {
                            first = Some(Underivable { row, kind });
                        }
                        break;
                    }
                }
            }
            codes[column.request] = out;
        }
        first.map_or(Ok(()), Err)
    }
}

impl KnownTexts {
    /// Reads the texts that are new.
    fn learn(&mut self, column: &DerivedColumn, dictionaries: &[Dictionary]) {
        for (place, (cells, &source)) in self.cells.iter_mut().zip(&column.sources).enumerate() {
            let dictionary = &dictionaries[source];
            let cell = |code: usize| match dictionary.source_text(code as u32) {
                None => DerivedCell::Missing,
                Some(text) => column.formula.read(place, &text).map_or(DerivedCell::Bad, DerivedCell::Number),
            };
            cells.extend((cells.len()..dictionary.len()).map(cell));
        }
    }

    /// The code of a row's value.
    fn code(
        &mut self,
        column: &DerivedColumn,
        dictionaries: &mut [Dictionary],
        codes: &[Vec<u32>],
        row: usize,
    ) -> Result<u32, FaultKind> {
        let (mut numbers, mut count, mut missing) = ([0; 2], 0, false);
        for (place, &source) in column.sources.iter().enumerate() {
            let code = codes[source][row];
            match self.cells[place].get(code as usize) {
                Some(DerivedCell::Number(number)) => (numbers[count], count) = (*number, count + 1),
                Some(DerivedCell::Missing) => missing = true,
                // Records whose sources cannot be read are kept apart.
                None => return Ok(BROKEN),
                Some(DerivedCell::Bad) => {
                    let value =
                        dictionaries[source].source_text(code).unwrap_or_default().into_owned().into_bytes();
                    let (derived, formula) = (column.request, &column.formula);
                    let (expected, is_day) = (formula.expectation(place), formula.reads_days(place));
                    return Err(FaultKind::Source { derived, source, expected, is_day, value });
                }
            }
        }
        let dictionary = &mut dictionaries[column.request];
        if missing {
            return Ok(dictionary.null());
        }
        let number = column.formula.derive(&numbers[..count]);
        let number = number.map_err(|_| FaultKind::BeforeBirth { derived: column.request })?;
        if let Some(&code) = self.codes.get(&number) {
            return Ok(code);
        }
        let text = column.formula.write(number);
        let code = dictionary.code(text.as_bytes());
        let code =
            code.map_err(|cell| FaultKind::Cell { request: column.request, cell, value: text.into_bytes() })?;
        self.codes.insert(number, code);
        Ok(code)
    }
}
