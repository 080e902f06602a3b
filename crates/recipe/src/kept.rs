//! `[[where]]`: which records of the input are kept.

use std::path::Path;

use velamen_contract::manifest::{WhereSection, Wish};
use velamen_core::error::Problem;
use velamen_core::frequency::Role;
use velamen_engine::{CellTest, Condition, KeptRecords};

use super::{AttributeSection, EngineKind, Recipe, ResolvedAttribute};
use crate::JobError;

/// The conditions of sections, which come from a recipe or a manifest.
///
/// # Errors
/// What is wrong with the first that is no condition.
pub fn conditions(sections: &[WhereSection]) -> Result<Vec<Condition>, Problem> {
    sections.iter().map(condition).collect()
}

fn condition(section: &WhereSection) -> Result<Condition, Problem> {
    let test = match section.wish()? {
        Wish::Among(values) => CellTest::Among(values.iter().cloned().collect()),
        Wish::Not(values) => CellTest::Not(values.iter().cloned().collect()),
        Wish::Numbers(least, greatest) => CellTest::Between(least, greatest),
    };
    Ok(Condition { column: section.column.clone(), test })
}

impl Recipe {
    /// Which records are kept.
    pub(super) fn wanted(
        &self,
        path: &Path,
        attributes: &[ResolvedAttribute],
    ) -> Result<KeptRecords, JobError> {
        let mut conditions = Vec::new();
        for (place, section) in self.kept.iter().enumerate() {
            let refuse = |problem: Problem| {
                self.refuse(path, &["where", &place.to_string()], problem.after("where: "))
            };
            self.may_keep().map_err(refuse)?;
            self.may_state(section).map_err(refuse)?;
            let attribute = attributes.iter().find(|attribute| attribute.name == section.column);
            attribute.map_or(Ok(()), |attribute| refuse_unlisted(section, attribute)).map_err(refuse)?;
            conditions.push(condition(section).map_err(refuse)?);
        }
        Ok(KeptRecords { conditions, where_absent: false })
    }

    /// Refuses conditions on what a release never shows: it states them.
    fn may_state(&self, section: &WhereSection) -> Result<(), Problem> {
        let Some(attribute) = self.attributes.get(&section.column) else { return Ok(()) };
        let what = match attribute {
            AttributeSection { role: Role::Person, .. } => "numbers the persons",
            AttributeSection { pseudonym: Some(_), .. } => "becomes a pseudonym",
            AttributeSection { date_shift: Some(_), .. } => "has its dates moved",
            _ => return Ok(()),
        };
        let problem = format!(
            "`{}` {what}, and the release states what is asked of it with its values",
            section.column
        );
        let mend = "choose the records by another column, or in the table";
        Err(Problem::of(&["column"], problem).mend(mend).naming(&section.column))
    }

    /// Refuses conditions where all records count.
    fn may_keep(&self) -> Result<(), Problem> {
        if self.method.facts().private {
            let problem =
                Problem::new("a differentially private method counts all records of the table it is given");
            return Err(
                problem.mend("leave `where` out, and give it a table of the records that it is about")
            );
        }
        if self.engine.kind == EngineKind::Cluster {
            let problem = Problem::new("a cluster keeps all records");
            return Err(problem.mend("leave [engine] kind out, or choose the records in the table"));
        }
        Ok(())
    }
}

/// Refuses listed values that the column's own hierarchy does not have: a slip in one would keep or leave out the wrong records.
fn refuse_unlisted(section: &WhereSection, attribute: &ResolvedAttribute) -> Result<(), Problem> {
    for (key, values) in [("among", &section.among), ("not", &section.not)] {
        let foreign = values.iter().position(|value| !attribute.rule.contains(value));
        if let Some(place) = foreign {
            let column = &section.column;
            let problem =
                format!("value {} of `{key}` is none that the hierarchy of `{column}` has", place + 1);
            let problem = Problem::of(&[key], problem).expected(attribute.rule.expectation());
            return Err(problem.naming(column));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const RECIPE: &str = "[input]\npath = \"t.csv\"\n[attributes.age]\nrole = \"quasi-identifier\"\n[[privacy]]\n\
        model = \"k-anonymity\"\nk = 2\n[output]\npath = \"out\"\n";

    fn resolved(more: &str) -> Result<crate::Resolved, JobError> {
        Recipe::from_text(&format!("{RECIPE}{more}"), Path::new("recipe.toml"))?.resolve()
    }

    #[test]
    fn conditions_are_read_and_columns_of_no_role_are_only_read() {
        let more =
            "[[where]]\ncolumn = \"age\"\nmin = 18\n[[where]]\ncolumn = \"land\"\namong = [\"D\", \"\"]\n";
        let resolved = resolved(more).unwrap();
        let tests: Vec<CellTest> = resolved.read.wanted.conditions.iter().map(|of| of.test.clone()).collect();
        let among = ["D", ""].map(str::to_owned).into();
        assert_eq!(tests, [CellTest::Between(18.0, f64::INFINITY), CellTest::Among(among)]);
        assert!(resolved.is_only_source("land") && !resolved.is_only_source("age"));
        assert_eq!(resolved.kept.len(), 2);
    }

    #[test]
    fn what_is_no_condition_is_refused_in_its_line() {
        let said = |more: &str| resolved(more).unwrap_err().to_string();
        let both =
            said("[[where]]\ncolumn = \"age\"\nmin = 18\n[[where]]\ncolumn = \"age\"\nmin = 9\nmax = 8\n");
        assert!(both.contains("line 15") && both.contains("not above"), "{both}");
        assert!(said("[[where]]\ncolumn = \"age\"\n").contains("exactly one"));
        assert!(said("[[where]]\ncolumn = \"age\"\nfrom = 3\n").contains("from"));
        let private = "[[where]]\ncolumn = \"age\"\nmin = 18\n[method]\nname = \"mst\"\n";
        assert!(said(private).contains("differentially private"), "{}", said(private));
        let infinite = said("[[where]]\ncolumn = \"age\"\nmax = inf\n");
        assert!(infinite.contains("finite"), "{infinite}");
    }

    #[test]
    fn a_condition_names_no_value_that_a_release_never_shows_or_that_the_hierarchy_lacks() {
        let said = |more: &str| resolved(more).unwrap_err().to_string();
        let of = |column: &str| format!("[[where]]\ncolumn = \"{column}\"\nnot = [\"4711\"]\n");
        let person = said(&format!("{}[attributes.nr]\nrole = \"person\"\n", of("nr")));
        assert!(person.contains("numbers the persons") && person.contains("line 11"), "{person}");
        let key = "[key]\nenvironment = \"KEY\"\n";
        let pseudonym = "role = \"identifier\"\npseudonym = \"hmac-sha256\"\n";
        let pseudonym = said(&format!("{}[attributes.nr]\n{pseudonym}{key}", of("nr")));
        assert!(pseudonym.contains("becomes a pseudonym"), "{pseudonym}");
        let rows = "role = \"sensitive\"\nhierarchy = { rows = [[\"4712\", \"*\"], [\"4713\", \"*\"]] }\n";
        let unlisted = said(&format!("{}[attributes.ward]\n{rows}", of("ward")));
        assert!(unlisted.contains("value 1 of `not`") && unlisted.contains("line 12"), "{unlisted}");
        assert!(!unlisted.contains("4711"), "{unlisted}");
    }
}
