//! Which records of a table are kept: those whose cells meet all conditions. Each worker asks once for each distinct text.

use std::collections::BTreeSet;

use crate::dictionary::{BROKEN, ColumnRequest, Dictionary};
use crate::error::{DataProblem, EngineError};
use crate::source::SourceFile;

/// What a record's cell has to meet to be kept.
#[derive(Debug, Clone, PartialEq)]
pub struct Condition {
    /// The column.
    pub column: String,
    /// What is asked of its cell.
    pub test: CellTest,
}

/// What is asked of a cell.
#[derive(Debug, Clone, PartialEq)]
pub enum CellTest {
    /// It is one of these; the empty text is the missing value.
    Among(BTreeSet<String>),
    /// It is none of these.
    Not(BTreeSet<String>),
    /// It is a number, no less than the first and no more than the second.
    Between(f64, f64),
}

impl CellTest {
    /// Whether a cell meets it; `None` is the missing value.
    ///
    /// ```
    /// use velamen_engine::CellTest;
    ///
    /// let adults = CellTest::Between(18.0, f64::INFINITY);
    /// assert!(adults.meets(Some("18")) && !adults.meets(Some("17.9")));
    /// assert!(!adults.meets(Some("unknown")) && !adults.meets(None));
    /// ```
    #[must_use]
    pub fn meets(&self, text: Option<&str>) -> bool {
        match self {
            Self::Among(values) => values.contains(text.unwrap_or_default()),
            Self::Not(values) => !values.contains(text.unwrap_or_default()),
            Self::Between(least, greatest) => {
                let number = text.and_then(|text| text.trim().parse::<f64>().ok());
                number.is_some_and(|number| *least <= number && number <= *greatest)
            }
        }
    }
}

/// Which records of a table are kept.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct KeptRecords {
    /// What they meet, all of it.
    pub conditions: Vec<Condition>,
    /// Whether a condition on a column that a table lacks is left out, as it is of a table that holds the kept records alone.
    pub where_absent: bool,
}

impl KeptRecords {
    /// The conditions on a file of such columns.
    ///
    /// # Errors
    /// [`DataProblem::NoCondition`] if it lacks a column.
    pub(crate) fn of(&self, file: &SourceFile, columns: &[String]) -> Result<Vec<Condition>, EngineError> {
        let (has, lacks): (Vec<&Condition>, Vec<&Condition>) =
            self.conditions.iter().partition(|condition| columns.contains(&condition.column));
        match lacks.first().filter(|_| !self.where_absent) {
            None => Ok(has.into_iter().cloned().collect()),
            Some(condition) => {
                let (lacking, columns) = (condition.column.clone(), columns.join(", "));
                Err(file.refused(DataProblem::NoCondition { lacking, columns }))
            }
        }
    }
}

/// A condition with the request whose cells it looks at.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    request: usize,
    test: CellTest,
}

/// The conditions with their requests: columns that nobody asks for are read beside.
///
/// # Panics
/// If the table lacks a column, which [`KeptRecords::of`] sees to.
pub(crate) fn asked(
    conditions: &[Condition],
    names: &[String],
    requests: &mut Vec<ColumnRequest>,
) -> Vec<Asked> {
    let mut all = Vec::new();
    for Condition { column, test } in conditions {
        let index = names.iter().position(|name| name == column);
        let index = index.expect("conditions are looked up on opening");
        all.push(Asked { request: request(index, column, requests), test: test.clone() });
    }
    all
}

fn request(index: usize, name: &str, requests: &mut Vec<ColumnRequest>) -> usize {
    if let Some(known) = requests.iter().position(|request| request.index == index) {
        return known;
    }
    requests.push(ColumnRequest::as_recorded(index, name));
    requests.len() - 1
}

/// One worker's conditions, with what it knows of the codes that it has seen.
#[derive(Debug)]
pub(crate) struct Sieve {
    conditions: Vec<(Asked, Vec<bool>)>,
    /// By column and code, whether a record has it that is kept.
    used: Vec<Vec<bool>>,
}

impl Sieve {
    pub(crate) fn new(conditions: &[Asked]) -> Self {
        let conditions = conditions.iter().map(|asked| (asked.clone(), Vec::new())).collect();
        Self { conditions, used: Vec::new() }
    }

    /// Takes the rows that do not meet all conditions out of a batch, and returns how many are left.
    pub(crate) fn keep(&mut self, dictionaries: &[Dictionary], codes: &mut [Vec<u32>], rows: usize) -> usize {
        if self.conditions.is_empty() {
            return rows;
        }
        self.learn(dictionaries);
        let mut kept = 0;
        for row in 0..rows {
            if self.meets(codes, row) {
                codes.iter_mut().for_each(|codes| codes[kept] = codes[row]);
                kept += 1;
            }
        }
        codes.iter_mut().for_each(|codes| codes.truncate(kept));
        self.note(dictionaries, codes);
        kept
    }

    /// Whether a record has a code that is kept: what others have alone leaves no trace in a domain.
    pub(crate) fn is_used(&self, column: usize, code: usize) -> bool {
        self.conditions.is_empty()
            || self.used.get(column).is_some_and(|used| used.get(code).is_some_and(|used| *used))
    }

    fn note(&mut self, dictionaries: &[Dictionary], codes: &[Vec<u32>]) {
        self.used.resize(codes.len(), Vec::new());
        for ((used, dictionary), codes) in self.used.iter_mut().zip(dictionaries).zip(codes) {
            used.resize(dictionary.len(), false);
            for &code in codes {
                // What is outside its domain has no place.
                if let Some(used) = used.get_mut(code as usize) {
                    *used = true;
                }
            }
        }
    }

    /// Asks of the texts that are new.
    fn learn(&mut self, dictionaries: &[Dictionary]) {
        for (asked, met) in &mut self.conditions {
            let dictionary = &dictionaries[asked.request];
            let codes = met.len() as u32..dictionary.len() as u32;
            met.extend(codes.map(|code| asked.test.meets(dictionary.source_text(code).as_deref())));
        }
    }

    /// What cannot be read or is outside its domain meets nothing.
    fn meets(&self, codes: &[Vec<u32>], row: usize) -> bool {
        self.conditions.iter().all(|(asked, met)| {
            let code = codes[asked.request][row];
            code < BROKEN && met[code as usize]
        })
    }
}
