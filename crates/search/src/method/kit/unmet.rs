//! Which promises nothing can keep: not even one group of all records meets their models.

use velamen_core::error::Problem;
use velamen_core::frequency::FrequencyTable;
use velamen_core::recoding::Member;

use super::error::MethodError;
use super::judge::Judge;
use super::task::Task;
use crate::model::Asked;

/// What is said in place of an error that only says that nothing was found.
///
/// Time: O(records' entries · models).
#[must_use]
pub fn named(error: MethodError, table: &FrequencyTable, task: &Task<'_>) -> MethodError {
    match error {
        MethodError::Infeasible(said) => MethodError::Infeasible(problem(table, task).unwrap_or(said)),
        other => other,
    }
}

/// The models that no group of the table can meet; `None` if one group of all records meets each.
#[must_use]
pub fn problem(table: &FrequencyTable, task: &Task<'_>) -> Option<Problem> {
    let models = task.bind(table).ok()?;
    let all: Vec<Member> = (0..).zip(table.counts.iter().copied()).collect();
    let fails = |bound| !Judge { table, models: std::slice::from_ref(bound) }.holds(&all);
    let failing = task.models.iter().zip(&models).filter(|(_, bound)| fails(bound));
    let unmet: Vec<String> = failing.map(|(asked, _)| called(asked)).collect();
    (!unmet.is_empty()).then(|| {
        Problem::new(format!("not even one group of all records meets {}", unmet.join(" and ")))
            .mend("relax it, or ask it of another attribute")
    })
}

/// A model with what it protects.
fn called(asked: &Asked) -> String {
    let name = asked.entry.terms.name;
    asked.attribute.as_ref().map_or_else(|| name.to_owned(), |attribute| format!("{name} of `{attribute}`"))
}
