//! What a table that somebody else made lost of its original, and what it still shows.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Serialize;
use velamen_core::context::Context;
use velamen_core::frequency::{FrequencyTable, Role};
use velamen_core::number::count;
use velamen_engine::source::ReadOptions;
use velamen_job::flat::{open_flat, per_row};
use velamen_measure::measure::information::{conditional_entropy, entropy, generalized, mutual_information};
use velamen_recipe::JobError;

/// What the records of a table are compared with.
#[derive(Debug, Clone)]
pub enum Against {
    /// The table that this one was made of.
    Original(PathBuf),
    /// The table itself, where these records were generalized together.
    Together(Vec<String>),
}

/// Figures in bits by record, log base 2.
#[derive(Debug, Clone, PartialEq, JsonSchema, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Information {
    /// CE: the sum of the attributes' conditional entropies.
    pub conditional_entropy: f64,
    /// H(original | released), by quasi-identifier.
    pub by_attribute: BTreeMap<String, f64>,
    /// By sensitive attribute.
    pub sensitive: BTreeMap<String, Told>,
}

/// What the released quasi-identifiers tell of a sensitive attribute.
#[derive(Debug, Clone, PartialEq, JsonSchema, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Told {
    /// H(S).
    pub entropy: f64,
    /// MI, all quasi-identifiers together.
    pub mutual_information: f64,
    /// d = CE + MI.
    pub distance: f64,
}

/// The records of a file by the values of a column that has each only once.
struct Keyed {
    table: FrequencyTable,
    /// By value of the column, the row.
    rows: BTreeMap<String, u32>,
}

/// CE, MI and d of a table whose records `by` names.
///
/// # Errors
/// [`JobError::usage`] if a column is missing or has two parts, or a record that is asked for is not there;
/// [`JobError::data`] if `by` names two records alike, or not the same records in both tables.
pub fn information(
    path: &Path,
    read: &ReadOptions,
    (qis, sensitive): (&[String], &[String]),
    (by, against): (&str, &Against),
    context: &Context<'_>,
) -> Result<Information, JobError> {
    if qis.iter().chain(sensitive).any(|name| name == by) {
        return Err(JobError::usage(format!("--by: `{by}` only names records: it cannot be measured, too")));
    }
    let columns: Vec<&str> = qis.iter().chain(sensitive).map(String::as_str).collect();
    let own = Keyed::read(path, read, &columns, by, context)?;
    let order: Vec<&String> = own.rows.keys().collect();
    let here = own.codes(qis, &order);
    let (original, released) = match against {
        Against::Original(original) => {
            let names: Vec<&str> = qis.iter().map(String::as_str).collect();
            let other = Keyed::read(original, read, &names, by, context)?;
            refuse_unpaired(&own, &other, by, path, original)?;
            (other.codes(qis, &order), here)
        }
        Against::Together(records) => {
            let set = chosen(records, &order, by)?;
            let together = generalized(&here, &set);
            (here, together)
        }
    };
    let lost = original.iter().zip(&released).map(|(x, y)| conditional_entropy(x, y));
    let by_attribute: BTreeMap<String, f64> = qis.iter().cloned().zip(lost).collect();
    let lost = qis.iter().map(|name| by_attribute[name]).sum::<f64>();
    let told = own.codes(sensitive, &order).into_iter().map(|codes| {
        let told = mutual_information(&released, &codes);
        Told { entropy: entropy(&codes), mutual_information: told, distance: lost + told }
    });
    let sensitive = sensitive.iter().cloned().zip(told).collect();
    Ok(Information { conditional_entropy: lost, by_attribute, sensitive })
}

impl Keyed {
    fn read(
        path: &Path,
        read: &ReadOptions,
        columns: &[&str],
        by: &str,
        context: &Context<'_>,
    ) -> Result<Self, JobError> {
        let needed: Vec<&str> = columns.iter().copied().chain([by]).collect();
        let role = |name: &str| needed.contains(&name).then_some(Role::Insensitive);
        let (input, requests) = open_flat(path, read, role, &needed)?;
        let table = input.read(&requests, context)?;
        let key = table.rest.position(by).expect("the column was asked for");
        let label = |row: usize| table.rest.columns[key].values[table.rest.codes[key][row] as usize].clone();
        let rows: BTreeMap<String, u32> = (0..table.rest.len).map(label).zip(0..).collect();
        if rows.len() as u64 != table.records() || per_row(&table).iter().any(|&count| count > 1) {
            let problem = format!("{}: `{by}` names several records alike", path.display());
            return Err(JobError::data(problem).expected("a column for --by that has each value once"));
        }
        Ok(Self { table, rows })
    }

    /// By column, the codes of the records in this order.
    fn codes(&self, columns: &[String], order: &[&String]) -> Vec<Vec<u32>> {
        let rest = &self.table.rest;
        let column = |name: &String| {
            let codes = &rest.codes[rest.position(name).expect("the column was asked for")];
            order.iter().map(|key| codes[self.rows[*key] as usize]).collect()
        };
        columns.iter().map(column).collect()
    }
}

/// Refuses tables of different records.
fn refuse_unpaired(
    own: &Keyed,
    other: &Keyed,
    by: &str,
    path: &Path,
    original: &Path,
) -> Result<(), JobError> {
    let missing =
        |from: &Keyed, of: &Keyed| of.rows.keys().filter(|key| !from.rows.contains_key(*key)).count();
    let (added, gone) = (missing(other, own), missing(own, other));
    if added + gone == 0 {
        return Ok(());
    }
    Err(JobError::data(format!(
        "{} records of {} and {} of {} have no partner by `{by}` in the other: both tables need the same records",
        count(added as u64),
        path.display(),
        count(gone as u64),
        original.display()
    )))
}

/// The places of the records that are asked for.
fn chosen(records: &[String], order: &[&String], by: &str) -> Result<Vec<usize>, JobError> {
    let unknown =
        |record| JobError::usage(format!("--records: no record has {record:?} in the column `{by}`"));
    let places = records.iter().map(|record| order.binary_search(&record).map_err(|_| unknown(record)));
    let mut places = places.collect::<Result<Vec<_>, _>>()?;
    places.sort_unstable();
    places.dedup();
    if places.len() < 2 {
        return Err(JobError::usage("--records: fewer than two").expected("at least two different records"));
    }
    Ok(places)
}
