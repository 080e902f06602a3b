//! `[derived.NAME]`: columns that follow from others of the input.

use std::path::Path;

use velamen_contract::manifest::DerivedSection;
use velamen_core::derived::{Derivation, Formula};
use velamen_core::error::Problem;
use velamen_core::hierarchy::Dates;
use velamen_engine::source::ReadOptions;
use velamen_engine::{Derived, KeptRecords};

use super::{Recipe, ResolvedAttribute, ResolvedPopulation, key};
use crate::JobError;
use crate::kept::conditions;

/// How the column's own hierarchy says that its dates are written.
fn written(attributes: &[ResolvedAttribute], column: &str) -> Option<String> {
    let attribute = attributes.iter().find(|attribute| attribute.name == column)?;
    attribute.definition.as_ref()?.form::<Dates>()?.format
}

/// How those sections make columns; the sections have been checked, or come from a manifest.
///
/// # Errors
/// What is wrong with one of them, with its name.
pub fn derivations<'a>(
    sections: impl IntoIterator<Item = (&'a String, &'a DerivedSection)>,
) -> Result<Vec<Derivation>, Problem> {
    let of = |(name, section): (&String, &DerivedSection)| {
        let formula =
            section.formula(|_| None).map_err(|problem| problem.after(&format!("derived.{name}: ")))?;
        Ok(Derivation { name: name.clone(), formula })
    };
    sections.into_iter().map(of).collect()
}

impl Recipe {
    /// The derived columns; how their sources are written is looked up in the attributes.
    pub(super) fn derived(&self, path: &Path, attributes: &[ResolvedAttribute]) -> Result<Derived, JobError> {
        let mut columns = Vec::new();
        for (name, section) in &self.derived {
            let refuse = |problem: Problem| {
                let problem = problem.after(&format!("derived column `{name}`: ")).naming(name);
                self.refuse(path, &["derived", name], problem)
            };
            let formula = section.formula(|column| written(attributes, column)).map_err(refuse)?;
            self.check_derived(name, &formula).map_err(refuse)?;
            columns.push(Derivation { name: name.clone(), formula });
        }
        if !columns.is_empty() && self.engine.kind == super::EngineKind::Cluster {
            let problem = Problem::new("engine: a cluster does not derive columns")
                .mend("leave [engine] kind out, or derive them in the table");
            return Err(self.refuse(path, &["engine", "kind"], problem));
        }
        Ok(Derived { columns, where_absent: false })
    }

    /// How the table is read before the attributes are settled: with the derived columns whose sections say all, and without the
    /// records that are left out.
    pub(super) fn reading(&self, path: &Path) -> Result<ReadOptions, JobError> {
        let columns = derivations(&self.derived).unwrap_or_default();
        let derived = Derived { columns, where_absent: false };
        // What is wrong with a condition is said later.
        let conditions = conditions(&self.kept).unwrap_or_default();
        let wanted = KeptRecords { conditions, where_absent: true };
        Ok(ReadOptions { derived, wanted, ..self.read_options(path)? })
    }

    fn check_derived(&self, name: &str, formula: &Formula) -> Result<(), Problem> {
        if !self.attributes.contains_key(name) {
            let mend = format!("add [attributes.{}] with a role such as \"quasi-identifier\"", key(name));
            return Err(Problem::new("it has no role").mend(mend));
        }
        for source in formula.sources() {
            if self.derived.contains_key(source) {
                let problem = format!("`{source}` is derived itself");
                return Err(Problem::new(problem).mend("name columns of the input").naming(source));
            }
            let coded = |attribute: &super::AttributeSection| attribute.top.or(attribute.bottom).is_some();
            if self.method.facts().private && self.attributes.get(source).is_some_and(coded) {
                let problem = Problem::new(format!(
                    "`{source}` has `top` or `bottom`, which a differentially private method applies on \
                        reading"
                ))
                .mend(format!("drop them, or give `{source}` the role \"identifier\""));
                return Err(problem.naming(source));
            }
        }
        Ok(())
    }

    /// The sections as a release states them, with the formats that they took from elsewhere.
    pub(super) fn stated_derived(&self, attributes: &[ResolvedAttribute]) -> Vec<(String, DerivedSection)> {
        let stated = |(name, section): (&String, &DerivedSection)| {
            let sources = section.formula(|_| None).map(|formula| {
                formula.sources().into_iter().filter_map(|column| written(attributes, column)).next()
            });
            let format = section.format.clone().or_else(|| sources.ok().flatten());
            (name.clone(), DerivedSection { format, ..section.clone() })
        };
        self.derived.iter().map(stated).collect()
    }

    /// As the input is read, of a population: columns that its table has need not be derived.
    pub(super) fn derived_where_absent(
        population: Option<ResolvedPopulation>,
        derived: &Derived,
    ) -> Option<ResolvedPopulation> {
        population.map(|population| match population {
            ResolvedPopulation::Table(table, options) => {
                let derived = Derived { where_absent: true, ..derived.clone() };
                ResolvedPopulation::Table(table, ReadOptions { derived, ..options })
            }
            size @ ResolvedPopulation::Size(_) => size,
        })
    }

    /// Columns that only others follow from, or that only say which records are kept: they are not released.
    pub(super) fn only_sources(&self, derived: &Derived) -> Vec<String> {
        let sources = derived.columns.iter().flat_map(|derivation| derivation.formula.sources());
        let kept = self.kept.iter().map(|section| section.column.as_str());
        let unnamed = sources.chain(kept).filter(|source| !self.attributes.contains_key(*source));
        unnamed.map(str::to_owned).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn formula(toml: &str) -> Result<Formula, String> {
        toml::from_str::<DerivedSection>(toml)
            .unwrap()
            .formula(|_| None)
            .map_err(|problem| problem.to_string())
    }

    #[test]
    fn exactly_one_form_is_asked_for() {
        let age = formula("age-at = \"admission\"\nbirth = \"born\"").unwrap();
        assert_eq!(age.sources(), ["born", "admission"]);
        assert_eq!(formula("days-between = [\"in\", \"2024-12-31\"]").unwrap().sources(), ["in"]);
        assert!(formula("round = \"bmi\"\nto = 0.5").is_ok() && formula("hour-of = \"at\"").is_ok());
        for (wrong, says) in [
            ("", "exactly one"),
            ("age-at = \"admission\"", "goes with `birth`"),
            ("year-of = \"a\"\nround = \"b\"", "exactly one"),
            ("year-of = \"a\"\nbirth = \"b\"", "drop it"),
            ("year-of = \"a\"\nto = 2", "`round` only"),
            ("year-of = \"a\"\nformat = \"%d.%m.\"", "a year, a month and a day"),
            ("hour-of = \"a\"\nformat = \"%d.%m.%Y\"", "is for dates"),
            ("round = \"a\"\nto = 0", "above 0"),
            ("days-between = [\"2024-01-01\", \"2024-12-31\"]", "name a column"),
        ] {
            let said = formula(wrong).unwrap_err();
            assert!(said.contains(says), "{wrong}: {said}");
        }
    }
}
