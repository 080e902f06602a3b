//! Columns of the input that the recipe does not name: refused unless it says what becomes of them.

use std::num::NonZeroU32;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use velamen_core::error::Problem;
use velamen_core::frequency::Role;

use super::{Recipe, Rows};

/// What becomes of columns that no `[attributes.NAME]` names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Unnamed {
    /// They are dropped.
    Drop,
    /// They are released as they are.
    Insensitive,
}

/// That an attribute may be released although it looks like a direct identifier.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum IdentifierLike {
    /// It is meant to be released.
    Intended,
}

impl Recipe {
    /// The columns of which the recipe says that records of one number are of different persons.
    pub(super) fn independent(&self) -> Result<Vec<String>, Problem> {
        let said = self.attributes.iter().filter(|(_, section)| section.rows.is_some());
        let both = said.clone().find(|(_, section)| section.role == Role::Person);
        if let Some((name, _)) = both {
            let problem = "the role \"person\" says that records of one value are of one person, and rows = \
                           \"independent\" that they are not";
            return Err(Problem::of(&["role", "rows"], problem).mend("keep one of them").in_attribute(name));
        }
        Ok(said.map(|(name, _)| name.clone()).collect())
    }

    /// Whether the recipe says that every record of the table is of another person.
    pub(super) fn one_record_each(&self) -> Result<bool, Problem> {
        let person = self.attributes.iter().find(|(_, section)| section.role == Role::Person);
        match (self.input.rows, person) {
            (None, _) => Ok(false),
            (Some(Rows::Independent), None) => Ok(true),
            (Some(Rows::Independent), Some((name, _))) => Err(Problem::of(
                &["rows"],
                format!(
                    "rows = \"independent\" says that every record is of another person, and the role \"person\" of `{name}` \
                     that some are not"
                ),
            )
            .mend("keep one of them")),
        }
    }

    /// The records of a person at most, which the attribute that numbers the persons says.
    pub(super) fn records_per_person(&self) -> Result<Option<NonZeroU32>, Problem> {
        let said = self.attributes.iter().filter(|(_, section)| section.records_per_person.is_some());
        match said.clone().find(|(_, section)| section.role != Role::Person) {
            Some((name, _)) => {
                let problem =
                    "records-per-person goes with role = \"person\" only, which says whose the records are";
                Err(Problem::of(&["records-per-person", "role"], problem).in_attribute(name))
            }
            None => Ok(said.filter_map(|(_, section)| section.records_per_person).next()),
        }
    }

    /// Refuses to release whatever columns there are where every released column must be judged before.
    pub(super) fn refuse_unnamed(&self, private: bool) -> Result<(), Problem> {
        match self.unnamed {
            Some(Unnamed::Insensitive) if private => Err(Problem::new(
                "unnamed = \"insensitive\" would release columns as they are, which is not differentially private",
            )
            .mend("write unnamed = \"drop\", or name each column under [attributes]")),
            _ => Ok(()),
        }
    }
}

/// Why a recipe is refused that says nothing of these columns, with the lines that mend it. Where they may not be released
/// unjudged, it is not said how.
pub fn refusal(columns: &[&str], may_be_released: bool) -> Problem {
    let names: Vec<String> = columns.iter().map(|name| format!("`{name}`")).collect();
    let sections: String =
        columns.iter().map(|name| format!("\n[attributes.{}]\nrole = \"identifier\"\n", key(name))).collect();
    let (subject, them) = match columns {
        [_] => ("column of the input is", "it"),
        _ => ("columns of the input are", "them"),
    };
    let released = match may_be_released {
        true => format!(", or unnamed = \"insensitive\" to release {them} unchanged"),
        false => String::new(),
    };
    let mend = format!(
        "these lines drop {them}; to release a column, change its role to \"quasi-identifier\", \"sensitive\" or \
         \"insensitive\":\n{sections}\nOr write unnamed = \"drop\" at the top of the recipe to drop every column that \
         it does not name{released}.{}",
        index(columns)
    );
    Problem::new(format!("{} {subject} not named in the recipe: {}", columns.len(), names.join(", ")))
        .expected("a role for each")
        .mend(mend)
}

/// What a column is that nobody made: pandas passes an index without a name as `__index_level_0__`.
fn index(columns: &[&str]) -> String {
    match columns.iter().find(|name| name.starts_with("__index_level_")) {
        Some(name) => {
            format!(
                "\nThe column `{name}` is the index of a pandas table: table.reset_index(drop=True) leaves it out."
            )
        }
        None => String::new(),
    }
}

/// Why `unnamed = "insensitive"` releases no column of a table in memory: a data frame carries its index, often a
/// patient's number, as one more column.
pub fn refusal_in_memory(columns: &[&str]) -> Problem {
    let names: Vec<String> = columns.iter().map(|name| format!("`{name}`")).collect();
    Problem::new(
        "unnamed = \"insensitive\" releases no column of a table in memory, whose index is a column, too",
    )
    .mend(format!("give a role under [attributes] to {}, or write unnamed = \"drop\"", names.join(", ")))
}

/// A key of TOML, quoted where it has to be.
pub fn key(name: &str) -> String {
    let bare = !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-');
    if bare { name.to_owned() } else { quoted(name) }
}

/// A basic string of TOML: as in JSON, except for the delete character.
pub fn quoted(text: &str) -> String {
    serde_json::to_string(text).unwrap_or_default().replace('\u{7f}', "\\u007F")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lines_of_a_refusal_are_toml_that_names_every_column() {
        let columns = ["name", "phone no.", "a\"b"];
        let refusal = |columns: &[&str], released| refusal(columns, released).to_string();
        let text = refusal(&columns, true);
        let start = text.find("[attributes").unwrap();
        let toml: toml::Table = toml::from_str(&text[start..text.find("\nOr write").unwrap()]).unwrap();
        for name in columns {
            assert_eq!(toml["attributes"][name]["role"].as_str(), Some("identifier"), "{name}");
        }
        assert!(!text.contains("pandas") && refusal(&["__index_level_0__"], true).contains("reset_index"));
        assert!(!refusal(&["__index_level_1__"], true).contains("level_0"));
        assert!(text.contains("insensitive\" to") && !refusal(&columns, false).contains("insensitive\" to"));
    }
}
