//! The five questions and their answers.

use std::collections::{BTreeMap, BTreeSet};

use velamen_core::frequency::Role;
use velamen_recipe::Recipe;
use velamen_search::method::released_facts;

use crate::profile::ColumnProfile;

/// Who gets the release. The default is the strictest, here and below.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Recipients {
    /// Anyone.
    #[default]
    Anyone,
    /// Named people who sign a contract.
    Contract,
    /// Colleagues in the same house.
    House,
}

impl Recipients {
    /// How many records or people share what others may know, at least: a highest risk of 5 %, 9 % and 20 %, as is usual for open
    /// data, under a contract, and for cells that are shown at all.
    #[must_use]
    pub fn k(self) -> u64 {
        match self {
            Self::Anyone => 20,
            Self::Contract => 11,
            Self::House => 5,
        }
    }
}

/// What the release is for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Intent {
    /// Counts and means of groups.
    Groups,
    /// Models with many columns.
    Models,
    /// To show what the table looks like.
    #[default]
    Shape,
}

/// Who may know what a column says of a person.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Knows {
    /// It names a person.
    #[default]
    Names,
    /// Others may know it: neighbours, an employer, a register.
    Others,
    /// Nobody outside the house.
    House,
}

/// Who is in the table more than once.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum People {
    /// Nobody: each row is another person.
    EachRow,
    /// A column says whose row it is.
    Column(String),
    /// It is not known.
    #[default]
    Unknown,
}

/// What would be the worst.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Worst {
    /// That a person's row is found.
    Found,
    /// That a secret, such as a diagnosis, becomes known.
    Secret,
    /// That anything can be learned of one person at all.
    #[default]
    Anything,
}

/// The answers, as far as they were given.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Answers {
    /// Who gets the release.
    pub recipients: Option<Recipients>,
    /// What it is for.
    pub intent: Option<Intent>,
    /// Who may know each column; one that is not named is left out of the release.
    pub knows: BTreeMap<String, Knows>,
    /// Who is in the table more than once.
    pub people: Option<People>,
    /// What would be the worst.
    pub worst: Option<Worst>,
    /// The columns that hold the secrets; none: all that nobody outside the house knows.
    pub secrets: BTreeSet<String>,
}

impl Answers {
    /// Whether the worst is that anything can be learned of one person: then a differentially private method is taken.
    #[must_use]
    pub fn is_private(&self) -> bool {
        self.worst.unwrap_or_default() == Worst::Anything
    }
}

/// What the recipe's roles say of who may know each column. A private method makes most columns quasi-identifiers: there the
/// profile's suggestions count.
#[must_use]
pub fn known(recipe: &Recipe, columns: &[ColumnProfile]) -> BTreeMap<String, Knows> {
    let role =
        |name: &str, role: Role| if is_private(recipe) { suggested(name, role, columns) } else { role };
    recipe.attributes.iter().map(|(name, section)| (name.clone(), knows(role(name, section.role)))).collect()
}

/// The role that the profile suggests for a quasi-identifier.
fn suggested(name: &str, role: Role, columns: &[ColumnProfile]) -> Role {
    let column = columns.iter().find(|column| column.name == name && role == Role::QuasiIdentifier);
    column.map_or(role, |column| column.suggestion.role)
}

fn knows(role: Role) -> Knows {
    match role {
        Role::Identifier | Role::Person => Knows::Names,
        Role::QuasiIdentifier => Knows::Others,
        Role::Sensitive | Role::Insensitive => Knows::House,
    }
}

/// Whether the recipe's method is differentially private.
pub(super) fn is_private(recipe: &Recipe) -> bool {
    released_facts(&recipe.method.keys).is_some_and(|facts| facts.private)
}
