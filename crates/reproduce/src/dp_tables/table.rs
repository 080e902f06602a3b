//! The table in codes, over its public domain.

use std::path::Path;

use serde_json::{Map, Value};
use velamen_core::error::{Place, Problem};
use velamen_core::frequency::{FrequencyTable, QuasiIdentifier, Rest, Strays};
use velamen_core::hierarchy::{Definition, Rule};
use velamen_recipe::JobError;

const TABLE: &str = "adult.csv";
const DOMAIN: &str = "domain.json";
/// The most values of an attribute.
const MOST: u64 = 1 << 16;

/// The table of a folder.
///
/// # Errors
/// [`JobError::io`] if a file cannot be read, [`JobError::data`] with its line if it is no table of codes of the domain.
pub(super) fn read(folder: &Path) -> Result<FrequencyTable, JobError> {
    let sizes = domain(&folder.join(DOMAIN))?;
    let path = folder.join(TABLE);
    let text =
        std::fs::read_to_string(&path).map_err(|error| JobError::io(&path, "read the table", &error))?;
    let mut lines = text.lines();
    let names: Vec<&str> = lines.next().unwrap_or_default().split(',').collect();
    let wrong = |line: u64, problem: &str| wrong(&path, line, problem);
    let size =
        |name: &&str| sizes.get(*name).and_then(Value::as_u64).filter(|size| (1..=MOST).contains(size));
    let sizes: Vec<u64> =
        names.iter().map(size).collect::<Option<_>>().ok_or_else(|| wrong(1, "a column has no domain"))?;
    let mut codes: Vec<Vec<u32>> = vec![Vec::new(); names.len()];
    for (line, number) in lines.zip(2..) {
        let record: Option<Vec<u32>> = line.split(',').map(|cell| cell.parse().ok()).collect();
        let record = record.filter(|record| record.len() == names.len());
        let record = record.ok_or_else(|| wrong(number, "no record of codes"))?;
        if record.iter().zip(&sizes).any(|(&code, &size)| u64::from(code) >= size) {
            return Err(wrong(number, "a code is outside its domain"));
        }
        codes.iter_mut().zip(record).for_each(|(column, code)| column.push(code));
    }
    let qis = names.iter().zip(&sizes).map(|(name, &size)| qi(name, size)).collect();
    in_codes(qis, codes).ok_or_else(|| wrong(2, "no record"))
}

/// A table of these columns; `None` without a record or a hierarchy.
pub(super) fn in_codes(qis: Option<Vec<QuasiIdentifier>>, codes: Vec<Vec<u32>>) -> Option<FrequencyTable> {
    let records = codes.first().map(Vec::len).filter(|records| *records > 0)?;
    Some(FrequencyTable {
        qis: qis?,
        rest: Rest { len: 1, ..Rest::default() },
        codes,
        rest_index: vec![0; records],
        counts: vec![1; records],
        population: None,
        strays: Strays::default(),
    })
}

fn wrong(path: &Path, line: u64, problem: &str) -> JobError {
    let expected = format!("codes from 0 below the sizes in {DOMAIN}, by commas");
    JobError::data(Problem::new(problem).expected(expected)).at(Place::line(path, line))
}

fn domain(path: &Path) -> Result<Map<String, Value>, JobError> {
    let text = std::fs::read(path).map_err(|error| JobError::io(path, "read the domain", &error))?;
    serde_json::from_slice(&text).map_err(|error| {
        let problem = Problem::new(format!("{}: {error}", path.display()));
        JobError::data(problem.expected("an object with the number of values of each column"))
    })
}

/// An attribute whose codes stand in their order: labels of one length sort as their numbers.
pub(super) fn qi(name: &str, size: u64) -> Option<QuasiIdentifier> {
    let rows = (0..size).map(|value| vec![format!("{value:05}"), "*".to_owned()]).collect();
    let rule = Rule::try_from(&Definition::Table { rows }).ok()?;
    let (_, hierarchy) = rule.over(rule.whole_domain(MOST)?, false);
    Some(QuasiIdentifier { name: name.to_owned(), hierarchy })
}
