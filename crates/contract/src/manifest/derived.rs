//! Columns that follow from others of the input.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use velamen_core::derived::{Days, Formula, Moment, Step, Written};
use velamen_core::error::Problem;
use velamen_core::hierarchy::names_a_day;

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
    pub fn formula(&self, format: impl Fn(&str) -> Option<String>) -> Result<Formula, Problem> {
        let (to, birth) = (self.to.is_some(), self.birth.is_some());
        if self.format.as_deref().is_some_and(|format| !names_a_day(format)) {
            return Err(Problem::of(
                &["format"],
                "`format` has a year, a month and a day, such as \"%d.%m.%Y\" or \"%m/%d/%Y\"",
            ));
        }
        let written = |column: &str| Written(self.format.clone().or_else(|| format(column)));
        let moment = |text: &String| Moment::of(text, written(text));
        let formula = match (&self.age_at, &self.days_between, &self.year_of, &self.hour_of, &self.round) {
            (Some(at), None, None, None, None) => {
                let birth = self.birth.as_ref().ok_or_else(|| {
                    Problem::of(&["age-at", "birth"], "`age-at` goes with `birth`, the column of birth dates")
                })?;
                Formula::Age(Days { from: moment(birth), to: moment(at) })
            }
            (None, Some([from, to]), None, None, None) => {
                Formula::Between(Days { from: moment(from), to: moment(to) })
            }
            (None, None, Some(of), None, None) => Formula::Year { of: of.clone(), written: written(of) },
            (None, None, None, Some(of), None) => Formula::Hour { of: of.clone() },
            (None, None, None, None, Some(of)) => {
                let to = self.to.unwrap_or(1.0);
                let to = Step::new(to)
                    .ok_or_else(|| Problem::of(&["to"], "`to` is a number above 0 of at most 9 decimals"))?;
                Formula::Rounded { of: of.clone(), to }
            }
            _ => {
                return Err(Problem::of(
                    &["age-at", "birth", "days-between", "year-of", "hour-of", "round"],
                    Problem::new("no formula, or more than one").expected(
                        "exactly one of `age-at` (with `birth`), `days-between`, `year-of`, `hour-of` and `round`",
                    ),
                ));
            }
        };
        let dates = !matches!(formula, Formula::Hour { .. } | Formula::Rounded { .. });
        match () {
            () if birth && self.age_at.is_none() => {
                Err(Problem::of(&["birth", "age-at"], "`birth` goes with `age-at` only").mend("drop it"))
            }
            () if to && self.round.is_none() => {
                Err(Problem::of(&["to", "round"], "`to` goes with `round` only").mend("drop it"))
            }
            () if self.format.is_some() && !dates => {
                Err(Problem::of(&["format"], "`format` is for dates").mend("drop it"))
            }
            () if formula.sources().is_empty() => {
                Err(Problem::new("both days are fixed, so that all records had one value")
                    .mend("name a column"))
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
