//! The room that a table has where it is read and nothing is released of it: `verify`, `measure`, `compare`, `risk`,
//! `attack` and `query`.

use velamen_core::context::Context;
use velamen_core::error::Problem;
use velamen_core::frequency::FrequencyTable;
use velamen_core::number::count;
use velamen_engine::source::Input;
use velamen_engine::{ColumnRequest, EngineError, Survey};
use velamen_recipe::JobError;
use velamen_search::method::Cost;

use super::cost::Costs;
use super::{machine, size, size_of};

/// What is held of a table and of what is computed from it, measured as docs/performance.md says.
const READING: Cost = Cost { fixed: 24e6, combination: 120.0, cell: 16.0, rest: 0.0, time: None };

/// Reads a table, or refuses one of more distinct combinations, or longer values, than this machine has room for.
///
/// # Errors
/// [`JobError::too_large`] with what would be needed; else what reading can give.
pub fn read(
    input: &mut Input,
    requests: &[ColumnRequest],
    context: &Context<'_>,
) -> Result<FrequencyTable, JobError> {
    let Some(free) = machine::free_memory() else { return Ok(input.read(requests, context)?) };
    input.hold_at_most(Some(Costs(READING).most(free, requests.len())));
    match input.read(requests, context) {
        Err(EngineError::TooMany { .. } | EngineError::TooLong { .. }) => {
            // A look holds no combination, so that it can tell how many there are.
            input.hold_at_most(Some(super::cost::most_looked_at(free)));
            let survey = input.survey(requests, context).ok();
            context.check()?;
            Err(JobError::too_large(refusal(input, free, survey.as_ref())))
        }
        read => Ok(read?),
    }
}

fn refusal(input: &Input, free: u64, survey: Option<&Survey>) -> Problem {
    let path = input.path().display();
    let all = survey.map_or_else(String::new, |survey| {
        let needed = size(Costs(READING).peak(&size_of(survey)));
        let (combinations, columns) = (count(survey.combinations as u64), survey.columns.len());
        format!(": about {combinations} distinct combinations of {columns} columns take some {needed}")
    });
    Problem::new(format!(
        "{path} has more distinct records than fit into the {} that this machine has free{all}",
        size(free as f64)
    ))
    .mend("run where more memory is, or with fewer columns")
}
