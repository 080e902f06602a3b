//! What a hierarchy lacks of a column: counted after the first value that was not found, so that reading is not
//! slowed where nothing is wrong.

use std::sync::Arc;

use velamen_core::context::Context;
use velamen_core::frequency::{FrequencyTable, Role};
use velamen_core::hierarchy::{NULL, Rule};

use super::input::Input;
use crate::dictionary::ColumnRequest;
use crate::encode::merge;
use crate::error::{DataProblem, EngineError, Lacks, Unlisted};
use crate::hint::{Hint, Hints};
use crate::limit::{Limit, Most};
use crate::worker::Keep;

/// Columns of more different values are not counted.
const MOST: Most = Most { combinations: 1_000_000, text: 1 << 26 };

/// So many values that are not listed are looked at for a hint.
const LOOKED_AT: usize = 1000;

impl Input {
    /// The error of the first value that is not in a hierarchy, with how many there are and what may be wrong.
    pub(crate) fn with_unlisted(
        &self,
        mut error: EngineError,
        columns: &[ColumnRequest],
        context: &Context<'_>,
    ) -> EngineError {
        if let EngineError::Data { problem: DataProblem::NotInHierarchy { column, lacks, .. }, .. } = &mut error
            && let Some(request) = columns.iter().find(|request| request.name == *column)
            // The file may have other faults further on: then the first one is all that is told.
            && let Ok(table) = self.alone(request, context)
        {
            let (unlisted, hint) = unlisted(&table, &request.rule);
            **lacks = Lacks { unlisted: Some(unlisted), hint: hint.or(lacks.hint) };
        }
        error
    }

    /// One column as it is.
    fn alone(&self, request: &ColumnRequest, context: &Context<'_>) -> Result<FrequencyTable, EngineError> {
        let request = ColumnRequest {
            role: Role::QuasiIdentifier,
            rule: Arc::new(Rule::Flat),
            whole_domain: false,
            ..request.clone()
        };
        let limit = Limit::new(Some(MOST));
        let columns = std::slice::from_ref(&request);
        merge(self.workers(columns, context, Keep::Counts(&limit))?, columns)
    }
}

/// How many values and records are not in the rule's domain, and the hint that fits most of the records.
fn unlisted(table: &FrequencyTable, rule: &Rule) -> (Unlisted, Option<Hint>) {
    let labels = table.qis[0].hierarchy.labels(0).iter();
    let missing: Vec<(&String, u64)> = labels
        .zip(table.marginal(0))
        .filter(|(value, records)| *records > 0 && *value != NULL && !rule.contains(value))
        .collect();
    let hints = Hints::of(rule);
    let mut found: Vec<(Hint, u64)> = Vec::new();
    for (value, records) in missing.iter().take(LOOKED_AT) {
        let Some(hint) = hints.hint(value) else { continue };
        match found.iter_mut().find(|(known, _)| *known == hint) {
            Some((_, sum)) => *sum += records,
            None => found.push((hint, *records)),
        }
    }
    let records = missing.iter().map(|(_, records)| records).sum();
    let most = found.into_iter().max_by(|a, b| a.1.cmp(&b.1).then(b.0.cmp(&a.0)));
    (Unlisted { values: missing.len() as u64, records }, most.map(|(hint, _)| hint))
}
