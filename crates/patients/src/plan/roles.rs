//! Roles that a column cannot have.

use velamen_contract::manifest::Preset;
use velamen_core::error::Problem;
use velamen_recipe::{Code, JobError};

use super::column::Header;
use crate::recipe::{ColumnRole, ColumnSection};
use crate::shape::Known;

impl Header<'_> {
    /// Refuses roles that a column cannot have: keys stay keys, and what a person's own record shows is known.
    pub(super) fn check_role(
        &self,
        name: &str,
        role: ColumnRole,
        known: Option<Known>,
    ) -> Result<(), JobError> {
        let is_person = self.found.is_of_persons();
        let problem = match (known, role) {
            (Some(Known::Key | Known::Person), _) => {
                Problem::new("it is a key of the shape").mend("leave its role out")
            }
            (Some(Known::Reference(_)), ColumnRole::Identifier | ColumnRole::Reference) => return Ok(()),
            (Some(Known::Reference(_)), _) => Problem::new("it holds keys of another table")
                .expected("reference, or identifier to leave it out"),
            (Some(Known::FirstDate | Known::Date | Known::PeriodEnd), role)
                if role != ColumnRole::Identifier =>
            {
                match role {
                    ColumnRole::Date => return Ok(()),
                    _ => Problem::new("it holds days").expected("date, or identifier to leave it out"),
                }
            }
            (Some(Known::BirthYear | Known::BirthDate), role)
                if !matches!(role, ColumnRole::Identifier | ColumnRole::QuasiIdentifier) =>
            {
                Problem::new("it holds births").expected("quasi-identifier, or identifier to leave it out")
            }
            (Some(Known::Value(_)), role) if role != ColumnRole::Identifier => match role {
                ColumnRole::Value => return Ok(()),
                _ => Problem::new("it holds numbers").expected("value, or identifier to leave it out"),
            },
            (Some(Known::Dropped), role) if role != ColumnRole::Identifier && name.contains("_source_") => {
                Problem::new("it is a finer twin of another column")
                    .mend("leave it out: role = \"identifier\"")
            }
            (_, ColumnRole::QuasiIdentifier) if !is_person => {
                Problem::new("a quasi-identifier outside the table of persons")
                    .expected("set, code, value, date or identifier here")
            }
            (_, ColumnRole::Code | ColumnRole::Value | ColumnRole::Date) if is_person => {
                Problem::new("whoever knows a person knows what the person's own record shows")
                    .expected("quasi-identifier, set, identifier or insensitive in the table of persons")
            }
            _ => return Ok(()),
        };
        Err(self.refuse(name, problem))
    }

    /// Refuses to release as recorded what a shape leaves out, unless that is meant.
    pub(super) fn check_as_recorded(
        &self,
        name: &str,
        role: ColumnRole,
        section: Option<&ColumnSection>,
        known: Option<Known>,
    ) -> Result<(), JobError> {
        let is_left_out = known == Some(Known::Dropped) && role == ColumnRole::Insensitive;
        let is_strict = self.recipe.preset == Some(Preset::HipaaSafeHarbor);
        let is_meant = section.is_some_and(|section| section.identifier_like.is_some()) && !is_strict;
        if !is_left_out || is_meant {
            return Ok(());
        }
        let problem = Problem::new(
            "the shape leaves it out: it can hold a time, a text, a number of a person or a finer code, and would be released as recorded",
        );
        let problem = problem.mend(if is_strict {
            "give it the role \"identifier\", which leaves it out"
        } else {
            "give it the role \"identifier\", which leaves it out. If it is meant to be released, add identifier-like = \"intended\""
        });
        Err(self.refuse(name, problem).coded(Code::IDENTIFIER_LIKE))
    }
}
