//! `[derived.NAME]`: columns that follow from others of the input.

use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use velamen_core::derived::{Days, Derivation, Formula, Moment, Step, Written};
use velamen_core::hierarchy::{Definition, names_a_day};
use velamen_engine::Derived;
use velamen_engine::source::ReadOptions;

use super::{Recipe, ResolvedAttribute, ResolvedPopulation, key};
use crate::error::JobError;

/// `[derived.NAME]`: exactly one of `age-at`, `days-between`, `year-of`, `hour-of` and `round`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct DerivedSection {
    /// Age in full years on the day in this column, or on a fixed day such as 2024-12-31; goes with `birth`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub age_at: Option<String>,
    /// The column of birth dates, for `age-at`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub birth: Option<String>,
    /// Days from the first to the second, each a column or a fixed day.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub days_between: Option<[String; 2]>,
    /// The year of the dates in this column.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub year_of: Option<String>,
    /// The hour, 0 to 23, of the times in this column.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hour_of: Option<String>,
    /// The numbers of this column, rounded to the nearest multiple of `to`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub round: Option<String>,
    /// The step of `round`, above 0; left out: 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<f64>,
    /// How the dates are written, such as `%d.%m.%Y`; left out: as the column's `date` hierarchy says, else
    /// as in ISO 8601. A time may follow the date.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<String>,
}

impl DerivedSection {
    /// How the column follows from others; `format` gives that of a column for which the section gives none.
    ///
    /// # Errors
    /// What is wrong with the section.
    pub fn formula(&self, format: impl Fn(&str) -> Option<String>) -> Result<Formula, String> {
        let (to, birth) = (self.to.is_some(), self.birth.is_some());
        if self.format.as_deref().is_some_and(|format| !names_a_day(format)) {
            return Err("`format` has a year, a month and a day, such as \"%d.%m.%Y\" or \"%m/%d/%Y\"".into());
        }
        let written = |column: &str| Written(self.format.clone().or_else(|| format(column)));
        let moment = |text: &String| Moment::of(text, written(text));
        let formula = match (&self.age_at, &self.days_between, &self.year_of, &self.hour_of, &self.round) {
            (Some(at), None, None, None, None) => {
                let birth =
                    self.birth.as_ref().ok_or("`age-at` goes with `birth`, the column of birth dates")?;
                Formula::Age(Days { from: moment(birth), to: moment(at) })
            }
            (None, Some([from, to]), None, None, None) => {
                Formula::Between(Days { from: moment(from), to: moment(to) })
            }
            (None, None, Some(of), None, None) => Formula::Year { of: of.clone(), written: written(of) },
            (None, None, None, Some(of), None) => Formula::Hour { of: of.clone() },
            (None, None, None, None, Some(of)) => {
                let to = self.to.unwrap_or(1.0);
                let to = Step::new(to).ok_or("`to` is a number above 0 of at most 9 decimals")?;
                Formula::Rounded { of: of.clone(), to }
            }
            _ => {
                return Err(
                    "give exactly one of `age-at` (with `birth`), `days-between`, `year-of`, `hour-of` and `round`".into()
                );
            }
        };
        let dates = !matches!(formula, Formula::Hour { .. } | Formula::Rounded { .. });
        match () {
            () if birth && self.age_at.is_none() => Err("`birth` goes with `age-at` only; drop it".into()),
            () if to && self.round.is_none() => Err("`to` goes with `round` only; drop it".into()),
            () if self.format.is_some() && !dates => Err("`format` is for dates; drop it".into()),
            () if formula.sources().is_empty() => {
                Err("both days are fixed, so that all records had one value; name a column".into())
            }
            () => Ok(formula),
        }
    }

    /// What the column is, in words.
    #[must_use]
    pub fn words(&self) -> String {
        let Self { age_at, birth, days_between, year_of, hour_of, round, to, .. } = self;
        match (age_at, days_between, year_of, hour_of, round) {
            (Some(at), ..) => {
                format!("age in full years, from {} to {at}", birth.as_deref().unwrap_or_default())
            }
            (_, Some([from, to]), ..) => format!("days from {from} to {to}"),
            (.., Some(of), _, _) => format!("the year of {of}"),
            (.., Some(of), _) => format!("the hour of {of}"),
            (.., Some(of)) => format!("{of}, rounded to multiples of {}", to.unwrap_or(1.0)),
            _ => String::new(),
        }
    }
}

/// How the column's own hierarchy says that its dates are written.
fn written(attributes: &[ResolvedAttribute], column: &str) -> Option<String> {
    let attribute = attributes.iter().find(|attribute| attribute.name == column)?;
    match &attribute.definition {
        Some(Definition::Date { format, .. }) => format.clone(),
        _ => None,
    }
}

/// How those sections make columns; the sections have been checked, or come from a manifest.
///
/// # Errors
/// What is wrong with one of them, with its name.
pub fn derivations<'a>(
    sections: impl IntoIterator<Item = (&'a String, &'a DerivedSection)>,
) -> Result<Vec<Derivation>, String> {
    let of = |(name, section): (&String, &DerivedSection)| {
        let formula = section.formula(|_| None).map_err(|problem| format!("derived.{name}: {problem}"))?;
        Ok(Derivation { name: name.clone(), formula })
    };
    sections.into_iter().map(of).collect()
}

impl Recipe {
    /// The derived columns; how their sources are written is looked up in the attributes.
    pub(super) fn derived(&self, path: &Path, attributes: &[ResolvedAttribute]) -> Result<Derived, JobError> {
        let mut columns = Vec::new();
        for (name, section) in &self.derived {
            let refuse = |problem: String| {
                self.refuse(path, &["derived", name], format!("derived column `{name}`: {problem}"))
            };
            let formula = section.formula(|column| written(attributes, column)).map_err(refuse)?;
            self.check_derived(name, &formula).map_err(refuse)?;
            columns.push(Derivation { name: name.clone(), formula });
        }
        if !columns.is_empty() && self.engine.kind == super::EngineKind::Cluster {
            let problem = "engine: a cluster does not derive columns; leave [engine] kind out, or derive them in the table";
            return Err(self.refuse(path, &["engine", "kind"], problem));
        }
        Ok(Derived { columns, where_absent: false })
    }

    /// How the table is read before the attributes are settled: with the derived columns whose sections tell all.
    pub(super) fn reading(&self, path: &Path) -> Result<ReadOptions, JobError> {
        let columns = derivations(&self.derived).unwrap_or_default();
        Ok(ReadOptions { derived: Derived { columns, where_absent: false }, ..self.read_options(path)? })
    }

    fn check_derived(&self, name: &str, formula: &Formula) -> Result<(), String> {
        if !self.attributes.contains_key(name) {
            return Err(format!(
                "it has no role; add [attributes.{}] with a role such as \"quasi-identifier\"",
                key(name)
            ));
        }
        for source in formula.sources() {
            if self.derived.contains_key(source) {
                return Err(format!("`{source}` is derived itself; name columns of the input"));
            }
            let coded = |attribute: &super::AttributeSection| attribute.top.or(attribute.bottom).is_some();
            if self.method.facts().private && self.attributes.get(source).is_some_and(coded) {
                return Err(format!(
                    "`{source}` has `top` or `bottom`, which a differentially private method applies on reading; drop \
                     them, or give `{source}` the role \"identifier\""
                ));
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

    /// Columns that only others follow from: they are not released.
    pub(super) fn only_sources(&self, derived: &Derived) -> Vec<String> {
        let sources = derived.columns.iter().flat_map(|derivation| derivation.formula.sources());
        let unnamed = sources.filter(|source| !self.attributes.contains_key(*source));
        unnamed.map(str::to_owned).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn formula(toml: &str) -> Result<Formula, String> {
        toml::from_str::<DerivedSection>(toml).unwrap().formula(|_| None)
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
