//! What records meet that are kept.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use velamen_core::error::Problem;

/// `[[where]]`: what a record's cell in one column meets; only records that meet all sections are kept.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct WhereSection {
    /// The column, of the table or derived; whatever its role.
    pub column: String,
    /// The cell is one of these; an empty text is the missing value.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub among: Vec<String>,
    /// The cell is none of these; an empty text is the missing value.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not: Vec<String>,
    /// The cell is a number from here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min: Option<f64>,
    /// The cell is a number up to here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max: Option<f64>,
}

/// What a section asks of a cell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Wish<'a> {
    /// That it is one of these.
    Among(&'a [String]),
    /// That it is none of these.
    Not(&'a [String]),
    /// That it is a number from the first to the second.
    Numbers(f64, f64),
}

impl WhereSection {
    /// What the section asks.
    ///
    /// # Errors
    /// Unless it asks exactly one thing, with numbers in order.
    pub fn wish(&self) -> Result<Wish<'_>, Problem> {
        let (least, greatest) = (self.min.unwrap_or(f64::NEG_INFINITY), self.max.unwrap_or(f64::INFINITY));
        match (&self.among[..], &self.not[..], self.min.or(self.max)) {
            (among @ [_, ..], [], None) => Ok(Wish::Among(among)),
            ([], not @ [_, ..], None) => Ok(Wish::Not(not)),
            ([], [], Some(_)) if [self.min, self.max].into_iter().flatten().any(|end| !end.is_finite()) => {
                let problem = Problem::of(&["min", "max"], "`min` and `max` are finite numbers");
                Err(problem.mend("leave the one out that has no end"))
            }
            ([], [], Some(_)) if least <= greatest => Ok(Wish::Numbers(least, greatest)),
            ([], [], Some(_)) => Err(Problem::of(&["min", "max"], "`min` is a number not above `max`")),
            _ => {
                let problem = Problem::new("nothing is asked of the column, or more than one thing")
                    .expected("exactly one of `among`, `not`, and numbers by `min` and `max`");
                Err(problem.with(&["among", "not", "min", "max"]))
            }
        }
    }

    /// What is asked, in words.
    #[must_use]
    pub fn words(&self) -> String {
        let column = &self.column;
        let shown = |value: &String| if value.is_empty() { "missing" } else { value }.to_owned();
        let listed = |values: &[String]| values.iter().map(shown).collect::<Vec<_>>().join(" or ");
        match (&self.among[..], &self.not[..], self.min, self.max) {
            (among @ [_, ..], ..) => format!("{column} is {}", listed(among)),
            (_, not @ [_, ..], ..) => format!("{column} is not {}", listed(not)),
            (.., Some(min), Some(max)) => format!("{column} is from {min} to {max}"),
            (.., Some(min), None) => format!("{column} is at least {min}"),
            (.., None, Some(max)) => format!("{column} is at most {max}"),
            _ => column.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(among: &[&str], not: &[&str], min: Option<f64>, max: Option<f64>) -> WhereSection {
        let listed = |values: &[&str]| values.iter().map(|value| (*value).to_owned()).collect();
        WhereSection { column: "a".into(), among: listed(among), not: listed(not), min, max }
    }

    #[test]
    fn a_section_asks_one_thing() {
        let values = ["x".to_owned()];
        assert_eq!(of(&["x"], &[], None, None).wish(), Ok(Wish::Among(&values)));
        assert_eq!(of(&[], &["x"], None, None).wish(), Ok(Wish::Not(&values)));
        assert_eq!(of(&[], &[], Some(18.0), None).wish(), Ok(Wish::Numbers(18.0, f64::INFINITY)));
        assert_eq!(of(&[], &[], None, Some(18.0)).wish(), Ok(Wish::Numbers(f64::NEG_INFINITY, 18.0)));
        assert_eq!(of(&[], &["x", ""], None, None).words(), "a is not x or missing");
        assert_eq!(of(&[], &[], Some(18.0), Some(89.5)).words(), "a is from 18 to 89.5");
        for wrong in [
            of(&[], &[], None, None),
            of(&["x"], &[], Some(1.0), None),
            of(&["y"], &["x"], None, None),
            of(&[], &[], Some(2.0), Some(1.0)),
            of(&[], &[], Some(f64::NAN), None),
            of(&[], &[], None, Some(f64::INFINITY)),
        ] {
            assert!(wrong.wish().is_err(), "{wrong:?}");
        }
    }
}
