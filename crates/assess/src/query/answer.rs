//! An answer, for a person and for programs.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use serde_json::{Value, json};
use velamen_measure::answer::Bounded;
use velamen_recipe::JobError;
use velamen_sql::{Answer, Output, Request};

use super::combination::Key;
use super::evaluate::Grouping;
use super::{GroupFigure, Guarantee, is_group};

/// A column of an answer.
#[derive(Debug, Clone, PartialEq)]
pub struct QueryColumn {
    /// Its name.
    pub name: String,
    /// Whether its cells are numbers.
    pub numeric: bool,
    /// Whether its cells are estimates with bounds.
    pub bounded: bool,
}

/// A cell of an answer.
#[derive(Debug, Clone, PartialEq)]
pub enum AnswerCell {
    /// A group's value; `None` is NULL.
    Value(Option<String>),
    /// An estimate; without bounds where the release cannot give any, `None` where nothing counts.
    Estimate(Option<Bounded>),
}

/// An answer.
#[derive(Debug, Clone, PartialEq)]
pub struct QueryAnswer {
    /// The columns.
    pub columns: Vec<QueryColumn>,
    /// The rows.
    pub rows: Vec<Vec<AnswerCell>>,
    /// Of which records the bounds hold; `None` for answers as released.
    pub guarantee: Option<Guarantee>,
}

impl QueryAnswer {
    pub(super) fn bounded(
        request: &Request,
        groupings: &[Grouping],
        found: BTreeMap<Key, Vec<GroupFigure>>,
        guarantee: Guarantee,
    ) -> Self {
        let column = |(name, output): &(String, Output)| column(name, output, groupings);
        let cell = |key: &Key, values: &[GroupFigure], output: Output| match output {
            Output::Group(at) => AnswerCell::Value(groupings[at].keys[key[at] as usize].clone()),
            Output::Aggregate(at) if request.aggregates[at].kind == velamen_sql::AggregateKind::Count => {
                AnswerCell::Estimate(Some(values[at].0))
            }
            Output::Aggregate(at) => AnswerCell::Estimate(values[at].1),
        };
        let row = |(key, values): (&Key, &Vec<GroupFigure>)| {
            request.outputs.iter().map(|(_, output)| cell(key, values, *output)).collect()
        };
        let mut rows: Vec<Vec<AnswerCell>> = found.iter().map(row).collect();
        if !request.order.is_empty() {
            rows.sort_by(|a, b| compared(a, b, &request.order));
        }
        rows.truncate(request.limit.unwrap_or(usize::MAX));
        let columns = request.outputs.iter().map(column).collect();
        Self { columns, rows, guarantee: Some(guarantee) }
    }

    pub(super) fn as_released(answer: Answer) -> Self {
        let names = answer.names.into_iter().zip(answer.numeric);
        let columns = names.map(|(name, numeric)| QueryColumn { name, numeric, bounded: false });
        let row = |row: Vec<Option<String>>| row.into_iter().map(AnswerCell::Value).collect();
        Self { columns: columns.collect(), rows: answer.rows.into_iter().map(row).collect(), guarantee: None }
    }

    /// Whether estimates have bounds.
    #[must_use]
    pub fn has_bounds(&self) -> bool {
        self.guarantee.as_ref().is_some_and(|guarantee| guarantee.none.is_none())
    }

    /// The sentences that explain the answer.
    #[must_use]
    pub fn sentences(&self) -> Vec<String> {
        match &self.guarantee {
            Some(guarantee) => guarantee.sentences(),
            None => {
                let text = "As released, no bounds: labels are compared as they stand, counterfeits count.";
                vec![text.into()]
            }
        }
    }

    /// The answer as text cells: a header and rows, three columns for each estimate with bounds.
    /// `shown` writes a number of an estimate.
    #[must_use]
    pub fn table(&self, shown: &dyn Fn(f64) -> String) -> (Vec<String>, Vec<Vec<Option<String>>>) {
        let three = |column: &QueryColumn| column.bounded && self.has_bounds();
        let names = |column: &QueryColumn| match three(column) {
            true => ["", "_lower", "_upper"].map(|end| format!("{}{end}", column.name)).to_vec(),
            false => vec![column.name.clone()],
        };
        let cells = |(cell, column): (&AnswerCell, &QueryColumn)| texts(cell, three(column), shown);
        let row = |row: &Vec<AnswerCell>| row.iter().zip(&self.columns).flat_map(cells).collect();
        (self.columns.iter().flat_map(names).collect(), self.rows.iter().map(row).collect())
    }

    /// The answer as CSV, NULL as the empty cell.
    ///
    /// # Errors
    /// [`JobError::io`] if it cannot be put together.
    pub fn to_csv(&self) -> Result<String, JobError> {
        let failed = |error: &dyn std::fmt::Display| JobError::unusable(format!("cannot write CSV: {error}"));
        let (names, rows) = self.table(&|number| number.to_string());
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer.write_record(&names).map_err(|error| failed(&error))?;
        for row in rows {
            let cells = row.iter().map(|cell| cell.as_deref().unwrap_or(""));
            writer.write_record(cells).map_err(|error| failed(&error))?;
        }
        let bytes = writer.into_inner().map_err(|error| failed(&error))?;
        String::from_utf8(bytes).map_err(|error| failed(&error))
    }

    /// The answer for programs.
    ///
    /// # Errors
    /// [`JobError::usage`] if two columns have one name.
    pub fn to_json(&self) -> Result<Value, JobError> {
        let names: Vec<&str> = self.columns.iter().map(|column| column.name.as_str()).collect();
        if let Some(at) = (1..names.len()).find(|&at| names[..at].contains(&names[at])) {
            let problem = format!("two columns of the answer are called `{}`", names[at]);
            return Err(JobError::usage(format!("{problem}, in JSON each needs a name of its own"))
                .mend("give one with AS"));
        }
        let bounds = self.has_bounds();
        let rows: Vec<Value> = self.rows.iter().map(|row| self.row_to_json(row, bounds)).collect();
        let guarantee = self.guarantee.as_ref().map(Guarantee::to_json);
        Ok(json!({ "as-released": self.guarantee.is_none(), "guarantee": guarantee, "rows": rows }))
    }

    fn row_to_json(&self, row: &[AnswerCell], bounds: bool) -> Value {
        let cells = row.iter().zip(&self.columns);
        let cells = cells.map(|(cell, column)| (column.name.clone(), to_json(cell, column.numeric, bounds)));
        Value::Object(cells.collect())
    }
}

fn column(name: &str, output: &Output, groupings: &[Grouping]) -> QueryColumn {
    let numeric = match output {
        Output::Group(at) => groupings[*at].numeric,
        Output::Aggregate(_) => true,
    };
    QueryColumn { name: name.to_owned(), numeric, bounded: !is_group(output) }
}

/// What a cell is among text cells: an estimate is three of them where its bounds are told.
fn texts(cell: &AnswerCell, bounds: bool, shown: &dyn Fn(f64) -> String) -> Vec<Option<String>> {
    match cell {
        AnswerCell::Value(value) => vec![value.clone()],
        AnswerCell::Estimate(found) if bounds => {
            let part = |of: fn(&Bounded) -> f64| found.as_ref().map(of).map(shown);
            vec![part(|b| b.estimate), part(|b| b.lower), part(|b| b.upper)]
        }
        AnswerCell::Estimate(found) => vec![found.map(|bounded| shown(bounded.estimate))],
    }
}

fn to_json(cell: &AnswerCell, numeric: bool, bounds: bool) -> Value {
    match cell {
        AnswerCell::Value(None) | AnswerCell::Estimate(None) => Value::Null,
        AnswerCell::Value(Some(text)) => typed(text, numeric),
        AnswerCell::Estimate(Some(found)) if bounds => json!({
            "estimate": found.estimate,
            "lower": Some(found.lower).filter(|bound| bound.is_finite()),
            "upper": Some(found.upper).filter(|bound| bound.is_finite()),
        }),
        AnswerCell::Estimate(Some(found)) => json!({ "estimate": found.estimate }),
    }
}

fn typed(text: &str, numeric: bool) -> Value {
    let whole = || text.parse::<i64>().map(Value::from).ok();
    let number = || text.parse::<f64>().map(Value::from).ok();
    if numeric { whole().or_else(number) } else { None }.unwrap_or_else(|| text.into())
}

/// The order of two rows by columns of the answer; NULL comes first.
fn compared(a: &[AnswerCell], b: &[AnswerCell], order: &[(usize, bool)]) -> Ordering {
    let by = |&(column, descends): &(usize, bool)| {
        let ordering = cells(&a[column], &b[column]);
        if descends { ordering.reverse() } else { ordering }
    };
    order.iter().map(by).find(|ordering| ordering.is_ne()).unwrap_or(Ordering::Equal)
}

fn cells(a: &AnswerCell, b: &AnswerCell) -> Ordering {
    match (number(a), number(b), a, b) {
        (Some(a), Some(b), ..) => a.total_cmp(&b),
        (_, _, AnswerCell::Value(a), AnswerCell::Value(b)) => a.cmp(b),
        _ => Ordering::Equal,
    }
}

fn number(cell: &AnswerCell) -> Option<f64> {
    match cell {
        AnswerCell::Value(text) => text.as_ref().and_then(|text| text.parse::<f64>().ok()),
        AnswerCell::Estimate(found) => Some(found.map_or(f64::NEG_INFINITY, |found| found.estimate)),
    }
}
