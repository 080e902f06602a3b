//! The population that the records are a sample of.

use std::path::{Path, PathBuf};

use velamen_core::error::Problem;
use velamen_engine::source::{ReadOptions, delimiter, encoding};
use velamen_search::model::Population;

use super::output::format_of;
use super::{Decimal, PopulationSection, Recipe};
use crate::JobError;

/// A population that can be read.
#[derive(Debug, Clone, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "a recipe has one")]
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
        let wrong = |problem: Problem| self.refuse(path, &["population"], problem.after("population: "));
        let Some(section) = &self.population else { return Ok(None) };
        let coded = self.attributes.values().any(|a| a.top.is_some() || a.bottom.is_some());
        match (&section.path, section.size) {
            (Some(_), None) if coded => Err(wrong(
                Problem::new("`top` and `bottom` do not go with a population's table")
                    .mend("put the bound into the hierarchy"),
            )),
            (Some(table), None) => {
                let options = self.population_options(section).map_err(wrong)?;
                Ok(Some(ResolvedPopulation::Table(table.clone(), options)))
            }
            (None, Some(0)) => {
                Err(wrong(Problem::of(&["size"], "size is the number of its records, from 1")))
            }
            (None, Some(size)) => Ok(Some(ResolvedPopulation::Size(size))),
            _ => {
                let problem = Problem::new("`path` and `size` are both there, or neither is")
                    .expected("either `path`, a table of it, or `size`, its number of records");
                Err(wrong(problem.with(&["path", "size"])))
            }
        }
    }

    /// As the input is read, except for the file's own format.
    fn population_options(&self, section: &PopulationSection) -> Result<ReadOptions, Problem> {
        let format = section.format.as_deref().map(format_of).transpose();
        let delimiter = section.delimiter.as_deref().map(delimiter).transpose();
        Ok(ReadOptions {
            format: format.map_err(|error| error.after("format: ").with(&["format"]))?,
            delimiter: delimiter.map_err(|problem| problem.after("delimiter: ").with(&["delimiter"]))?,
            trim: self.input.trim,
            null: self.input.null.clone(),
            encoding: self.input.encoding.as_deref().and_then(|label| encoding(label).ok()),
            decimal_comma: self.input.decimal == Decimal::Comma,
            ..ReadOptions::default()
        })
    }
}
