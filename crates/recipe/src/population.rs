//! The population that the records are a sample of.

use std::path::{Path, PathBuf};

use velamen_engine::source::{ReadOptions, encoding};
use velamen_search::model::Population;

use super::output::format_of;
use super::{Decimal, PopulationSection, Recipe};
use crate::error::JobError;

/// A population that can be read.
#[derive(Debug, Clone)]
pub enum ResolvedPopulation {
    /// Its table.
    Table(PathBuf, ReadOptions),
    /// Its number of records.
    Size(u64),
}

impl ResolvedPopulation {
    /// What models see of it, its table having that many records.
    #[must_use]
    pub fn seen(&self, records: u64) -> Population {
        match self {
            Self::Table(..) => Population { size: records, table: true },
            Self::Size(size) => Population { size: *size, table: false },
        }
    }
}

impl Recipe {
    pub(super) fn population(&self, path: &Path) -> Result<Option<ResolvedPopulation>, JobError> {
        let wrong = |problem: &str| self.refuse(path, &["population"], format!("population: {problem}"));
        let Some(section) = &self.population else { return Ok(None) };
        let coded = self.attributes.values().any(|a| a.top.is_some() || a.bottom.is_some());
        match (&section.path, section.size) {
            (Some(_), None) if coded => Err(wrong(
                "`top` and `bottom` do not go with a population's table; put the bound into the hierarchy",
            )),
            (Some(table), None) => {
                let options = self.population_options(section).map_err(|problem| wrong(&problem))?;
                Ok(Some(ResolvedPopulation::Table(table.clone(), options)))
            }
            (None, Some(0)) => Err(wrong("size is the number of its records, from 1")),
            (None, Some(size)) => Ok(Some(ResolvedPopulation::Size(size))),
            _ => Err(wrong("give either `path`, a table of it, or `size`, its number of records")),
        }
    }

    /// As the input is read, but for the file's own format.
    fn population_options(&self, section: &PopulationSection) -> Result<ReadOptions, String> {
        let format = section.format.as_deref().map(format_of).transpose();
        let delimiter = match section.delimiter.as_deref().map(str::as_bytes) {
            None => None,
            Some([byte]) if byte.is_ascii() => Some(*byte),
            Some(_) => return Err("delimiter: expected one ASCII character".into()),
        };
        Ok(ReadOptions {
            format: format.map_err(|error| format!("format: {error}"))?,
            delimiter,
            trim: self.input.trim,
            null: self.input.null.clone(),
            encoding: self.input.encoding.as_deref().and_then(|label| encoding(label).ok()),
            decimal_comma: self.input.decimal == Decimal::Comma,
            ..ReadOptions::default()
        })
    }
}
