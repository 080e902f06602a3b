//! Pseudonyms and date shifts: their sections, checked.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use velamen_contract::manifest::Pseudonym;
use velamen_core::error::Problem;
use velamen_core::frequency::Role;
use velamen_core::hierarchy::{Dates, names_a_day};
use velamen_search::method::Counterfeits;

use super::{AskedMethod, AttributeSection, Recipe, ResolvedAttribute};

/// The most days that dates can be shifted by: a century.
const MOST_DAYS: u32 = 36_525;

/// How ISO 8601 writes days.
pub const ISO: &str = "%Y-%m-%d";

/// `[key]`: where the secret key is; exactly one of both.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct KeySection {
    /// A file: its bytes but for a line end at their end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<PathBuf>,
    /// A variable of the environment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub environment: Option<String>,
}

/// `date-shift = { days = 30, person = "patient_id" }`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DateShiftSection {
    /// By how many days at most, to either side.
    #[schemars(range(min = 1, max = 36525))]
    pub days: u32,
    /// The attribute that says whose the date is: an identifier or the person.
    pub person: String,
    /// How dates are written, such as `%d.%m.%Y`; left out: as the attribute's `date` hierarchy says, else as
    /// in ISO 8601.
    pub format: Option<String>,
}

/// The dates of an attribute and by whom they move together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DateShift {
    /// The attribute.
    pub attribute: String,
    /// By how many days at most, to either side.
    pub days: u32,
    /// The attribute that says whose the date is.
    pub person: String,
    /// How dates are written.
    pub format: String,
}

/// What becomes of identifiers and dates before anything else sees them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Identities {
    /// Where the key is.
    pub key: Option<KeySection>,
    /// The identifiers that become pseudonyms.
    pub pseudonyms: Vec<(String, Pseudonym)>,
    /// The attributes whose dates move.
    pub shifts: Vec<DateShift>,
}

impl Identities {
    /// Whether nothing is to be done.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.pseudonyms.is_empty() && self.shifts.is_empty()
    }

    /// What the values of an attribute become.
    #[must_use]
    pub fn pseudonym(&self, name: &str) -> Option<Pseudonym> {
        self.pseudonyms.iter().find(|(attribute, _)| attribute == name).map(|(_, pseudonym)| *pseudonym)
    }

    /// How the dates of an attribute move.
    #[must_use]
    pub fn shift(&self, name: &str) -> Option<&DateShift> {
        self.shifts.iter().find(|shift| shift.attribute == name)
    }
}

impl Recipe {
    /// The pseudonyms and shifts, as far as they can be checked without data.
    pub(super) fn identities(
        &self,
        attributes: &[ResolvedAttribute],
        method: &AskedMethod,
    ) -> Result<Identities, Problem> {
        let mut identities = Identities { key: self.key.clone(), ..Identities::default() };
        for (name, section) in &self.attributes {
            let wrong = |problem: Problem| problem.in_attribute(name);
            if let Some(pseudonym) = section.pseudonym {
                check_pseudonym(section, method).map_err(wrong)?;
                identities.pseudonyms.push((name.clone(), pseudonym));
            }
            if let Some(shift) = &section.date_shift {
                self.check_shift(section, shift, method).map_err(wrong)?;
                let DateShiftSection { days, person, format } = shift.clone();
                let format = format.or_else(|| written(attributes, name)).unwrap_or_else(|| ISO.into());
                if !names_a_day(&format) || !has_no_time(&format) {
                    let problem =
                        "date-shift.format has a year, a month and a day and no time, such as \"%d.%m.%Y\"";
                    return Err(wrong(Problem::of(&["date-shift", "format"], problem)));
                }
                identities.shifts.push(DateShift { attribute: name.clone(), days, person, format });
            }
        }
        match &self.key {
            None if !identities.is_empty() => {
                Err(Problem::new("pseudonyms and date shifts need a secret key")
                    .mend("add [key] with file = \"…\" or environment = \"…\", outside of what is released"))
            }
            Some(_) if identities.is_empty() => {
                Err(Problem::new("key: no attribute has `pseudonym` or `date-shift`").mend("leave [key] out"))
            }
            Some(key) if key.file.is_some() == key.environment.is_some() => Err(Problem::of(
                &["file", "environment"],
                "key: `file` and `environment` are both there, or neither is",
            )
            .expected("one of them")),
            _ => Ok(identities),
        }
    }

    fn check_shift(
        &self,
        section: &AttributeSection,
        shift: &DateShiftSection,
        method: &AskedMethod,
    ) -> Result<(), Problem> {
        if matches!(section.role, Role::Identifier | Role::Person) {
            let problem = "`date-shift` is for released dates";
            return Err(Problem::of(&["date-shift"], problem)
                .mend("columns with the roles identifier and person are not released"));
        }
        if !(1..=MOST_DAYS).contains(&shift.days) {
            let problem = format!("date-shift.days is from 1 to {MOST_DAYS}");
            return Err(Problem::of(&["date-shift", "days"], problem));
        }
        let person = self.attributes.get(&shift.person);
        if !person.is_some_and(|person| matches!(person.role, Role::Identifier | Role::Person)) {
            let problem = "date-shift.person names an attribute of the recipe with the role \"identifier\" or \
                           \"person\", whose dates move together";
            return Err(Problem::of(&["date-shift", "person"], problem));
        }
        if self.population.as_ref().is_some_and(|population| population.path.is_some())
            && section.role == Role::QuasiIdentifier
        {
            let problem = "`date-shift` does not go with a population's table, whose dates do not move";
            return Err(Problem::of(&["date-shift"], problem));
        }
        if method.is_private() {
            let problem = "a differentially private method hides dates itself";
            return Err(Problem::of(&["date-shift"], problem).mend("leave `date-shift` out"));
        }
        Ok(())
    }
}

/// Whether a day alone can be written so.
fn has_no_time(format: &str) -> bool {
    use std::fmt::Write;
    write!(String::new(), "{}", chrono::NaiveDate::default().format(format)).is_ok()
}

/// How the attribute's hierarchy says that dates are written.
fn written(attributes: &[ResolvedAttribute], name: &str) -> Option<String> {
    let attribute = attributes.iter().find(|attribute| attribute.name == name)?;
    attribute.definition.as_ref()?.form::<Dates>()?.format
}

fn check_pseudonym(section: &AttributeSection, method: &AskedMethod) -> Result<(), Problem> {
    if section.role != Role::Identifier {
        return Err(Problem::of(&["pseudonym"], "`pseudonym` is for the role \"identifier\""));
    }
    if method.facts.counterfeits != Counterfeits::None || method.is_private() {
        let problem = "the method's records are not one to one those of persons, so that a pseudonym would tell \
                       which are real";
        return Err(Problem::of(&["pseudonym"], problem)
            .mend("leave `pseudonym` out or choose a method without counterfeits and noise"));
    }
    Ok(())
}
