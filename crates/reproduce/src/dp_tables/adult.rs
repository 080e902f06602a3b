//! Adult as texts, with its hierarchies, whose lowest values are the domain.

use std::collections::BTreeMap;
use std::path::Path;

use velamen_core::error::{Place, Problem};
use velamen_core::frequency::FrequencyTable;
use velamen_recipe::JobError;

use super::table::{in_codes, qi};

const TABLE: &str = "adult.csv";

/// The table of a folder with `adult.csv` and an `adult_hierarchy_NAME.csv` of each column, fields parted by semicolons.
///
/// # Errors
/// [`JobError::io`] if a file cannot be read, [`JobError::data`] with its line if a value is of no hierarchy.
pub(super) fn read(folder: &Path) -> Result<FrequencyTable, JobError> {
    let path = folder.join(TABLE);
    let text = text(&path)?;
    let mut lines = text.lines();
    let names: Vec<&str> = lines.next().unwrap_or_default().split(';').collect();
    let domains: Vec<BTreeMap<String, u32>> =
        names.iter().map(|name| domain(folder, name)).collect::<Result<_, _>>()?;
    let mut codes: Vec<Vec<u32>> = vec![Vec::new(); names.len()];
    for (line, number) in lines.zip(2..) {
        let cells: Vec<&str> = line.split(';').collect();
        let record: Option<Vec<u32>> =
            cells.iter().zip(&domains).map(|(cell, domain)| domain.get(*cell).copied()).collect();
        let record = record.filter(|_| cells.len() == names.len()).ok_or_else(|| stray(&path, number))?;
        codes.iter_mut().zip(record).for_each(|(column, code)| column.push(code));
    }
    let qis = names.iter().zip(&domains).map(|(name, domain)| qi(name, domain.len() as u64)).collect();
    in_codes(qis, codes).ok_or_else(|| stray(&path, 2))
}

fn stray(path: &Path, line: u64) -> JobError {
    let problem = Problem::new("no record of values of the hierarchies");
    JobError::data(problem.expected("fields parted by semicolons")).at(Place::line(path, line))
}

fn text(path: &Path) -> Result<String, JobError> {
    std::fs::read_to_string(path).map_err(|error| JobError::io(path, "read the table", &error))
}

/// The values of a column by their code, in the hierarchy's order.
fn domain(folder: &Path, name: &str) -> Result<BTreeMap<String, u32>, JobError> {
    let text = text(&folder.join(format!("adult_hierarchy_{name}.csv")))?;
    let values = text.lines().filter_map(|line| line.split(';').next());
    Ok(values.map(str::to_owned).zip(0..).collect())
}
