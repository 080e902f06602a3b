//! What each column of a table is used for.

use std::path::Path;

use velamen_contract::linked::Tier;
use velamen_core::error::Problem;
use velamen_engine::source::Input;
use velamen_recipe::JobError;
use velamen_recipe::nearest::did_you_mean;

use super::folder::Found;
use crate::recipe::{CodeHierarchy, ColumnRole, ColumnSection, LinkedRecipe};
use crate::shape::{self, Known};

/// What stands between released codes of a list.
const BETWEEN: &str = ";";

/// The most significant digits of a released number.
const DIGITS: u8 = 3;

/// A column of a table's file.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PlannedColumn {
    pub(crate) name: String,
    pub(crate) used: Use,
    /// The level that the recipe asks for.
    pub(crate) level: Option<u8>,
    /// The finest level that a preset allows.
    pub(crate) least: u8,
    /// Whether the recipe gives its part, and its shape does not release it so.
    pub(crate) is_given: bool,
    /// Whether it is meant to be released, although it looks like what names a person.
    pub(crate) is_intended: bool,
}

impl PlannedColumn {
    /// Whether its cells are lists of codes.
    pub(crate) fn is_list(&self) -> bool {
        matches!(&self.used, Use::Set { items: Some(_), .. })
    }
}

/// What a column is used for.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Use {
    /// Left out.
    Dropped,
    /// The table's key.
    Key,
    /// Whose row it is.
    Parent,
    /// The key of a row of another table, by its place.
    Reference(usize),
    /// A person column; whether it is a birth.
    QuasiIdentifier { birth: bool },
    /// Codes of which somebody may know some.
    Set { items: Option<String>, vocabulary: Option<std::path::PathBuf> },
    /// The code that a row is about.
    MainCode,
    /// Another code.
    Code,
    /// Numbers, by the columns at these places.
    Value { by: Vec<usize>, digits: u8 },
    /// Numbers in bands.
    Band { bounds: Vec<f64>, by: Vec<usize> },
    /// The day that a row is about.
    FirstDate,
    /// Another day.
    Date,
    /// The end of a period that is made anew.
    PeriodEnd,
    /// One value in all rows.
    Constant(String),
    /// As recorded.
    Insensitive,
}

/// The columns of a table's file with what they are used for.
pub(super) fn planned(
    recipe: &LinkedRecipe,
    path: &Path,
    found: &Found<'_>,
    input: &Input,
    tables: &[String],
) -> Result<Vec<PlannedColumn>, JobError> {
    let header = &input.columns;
    let kinds = input.kinds().unwrap_or_default();
    let is_list = |place: &usize| kinds.get(*place).is_some_and(|kind| kind.is_nested());
    let lists: Vec<usize> = (0..header.len()).filter(is_list).collect();
    let table = Header { recipe, path, found, names: header, tables, lists: &lists };
    table.check_twice()?;
    table.check_named()?;
    table.check_all()?;
    table.check_shape()?;
    let mut columns: Vec<PlannedColumn> = Vec::new();
    for (place, name) in header.iter().enumerate() {
        let section = table.section(name);
        let mut used = table.used(name, section)?;
        if lists.contains(&place) {
            table.list(name, &mut used)?;
        }
        table.check_set(name, &used)?;
        let level = section.and_then(|section| section.level);
        let is_given = section.is_some_and(|section| section.role.is_some())
            && table.known(name).is_none_or(|known| !known.is_released() || used == Use::Insensitive);
        let is_intended = section.is_some_and(|section| section.identifier_like.is_some());
        columns.push(PlannedColumn { name: name.clone(), used, level, least: 0, is_given, is_intended });
    }
    Ok(columns)
}

/// The header of a table beside what is asked of it.
pub(super) struct Header<'a> {
    pub(super) recipe: &'a LinkedRecipe,
    pub(super) path: &'a Path,
    pub(super) found: &'a Found<'a>,
    pub(super) names: &'a [String],
    pub(super) tables: &'a [String],
    /// The places of columns whose cells are lists.
    pub(super) lists: &'a [usize],
}

impl Header<'_> {
    pub(super) fn section(&self, name: &str) -> Option<&ColumnSection> {
        let given = self.found.section.map(|section| &section.attributes);
        let of_table = given.and_then(|columns| find(columns.iter(), name));
        of_table.or_else(|| if self.found.is_only { find(self.recipe.attributes.iter(), name) } else { None })
    }

    /// Where messages say that a column is to blame.
    pub(super) fn refuse(&self, name: &str, problem: Problem) -> JobError {
        let problem = problem.after(&format!("table `{}`, column `{name}`: ", self.found.name));
        let at = ["tables", &self.found.name, "attributes", name];
        self.recipe.places.refuse(self.path, &at, problem)
    }

    /// Refuses names that differ in nothing but case: what the recipe says of one would hold of the other.
    fn check_twice(&self) -> Result<(), JobError> {
        let is_said_before = |place: usize| {
            self.names[..place].iter().position(|name| name.eq_ignore_ascii_case(&self.names[place]))
        };
        let twice = (0..self.names.len()).find_map(|place| Some((is_said_before(place)?, place)));
        let Some((first, second)) = twice else { return Ok(()) };
        let problem = format!(
            "table `{}`: the columns `{}` and `{}` have one name but for upper and lower case",
            self.found.name, self.names[first], self.names[second]
        );
        Err(JobError::data(
            Problem::new(problem).mend("give one of them another name, or leave it out of the file"),
        ))
    }

    /// Refuses names that the file does not have.
    fn check_named(&self) -> Result<(), JobError> {
        let section = self.found.section;
        let columns = section.into_iter().flat_map(|section| section.attributes.keys());
        let only = self.found.is_only.then(|| self.recipe.attributes.keys()).into_iter().flatten();
        let key = section.and_then(|section| section.key.as_ref());
        let parent = section.and_then(|section| section.parent.as_ref()).map(|parent| &parent.column);
        let is_there = |name: &&String| self.names.iter().any(|header| header.eq_ignore_ascii_case(name));
        match columns.chain(only).chain(key).chain(parent).find(|name| !is_there(name)) {
            None => Ok(()),
            Some(name) => {
                let near = did_you_mean(name, self.names.iter().map(String::as_str));
                Err(self.refuse(name, Problem::new("the file has no such column").mend_if(near)))
            }
        }
    }

    pub(super) fn known(&self, name: &str) -> Option<Known> {
        let columns = self.found.known?.columns;
        columns.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, known)| *known)
    }

    fn used(&self, name: &str, section: Option<&ColumnSection>) -> Result<Use, JobError> {
        let table = self.found.section;
        let is = |given: Option<&String>| given.is_some_and(|given| given.eq_ignore_ascii_case(name));
        if is(table.and_then(|table| table.key.as_ref())) {
            return Ok(Use::Key);
        }
        if is(table.and_then(|table| table.parent.as_ref()).map(|parent| &parent.column)) {
            return Ok(Use::Parent);
        }
        match (section.and_then(|section| section.role), self.known(name)) {
            (Some(role), known) => self.by_role(name, role, section, known),
            (None, Some(known)) => self.by_shape(name, known, section),
            (None, None) => Ok(Use::Dropped),
        }
    }

    /// Refuses a table of a known shape without the codes that its promise is about.
    fn check_shape(&self) -> Result<(), JobError> {
        let columns = self.found.known.map_or(&[][..], |known| known.columns);
        let is_there = |name: &str| self.names.iter().any(|header| header.eq_ignore_ascii_case(name));
        let needed = columns.iter().filter(|(_, known)| matches!(known, Known::Set | Known::MainCode));
        match needed.into_iter().find(|(name, _)| !is_there(name)) {
            None => Ok(()),
            Some((name, _)) => {
                let table = &self.found.name;
                let problem = Problem::new(format!("table `{table}`: its file has no column `{name}`"));
                let mend =
                    format!("export the column, or leave the table out with [tables.{table}] drop = true");
                Err(JobError::data(problem.mend(mend)))
            }
        }
    }

    /// Refuses sets by which a person would be left out, or would change its class, with one of its codes.
    fn check_set(&self, name: &str, used: &Use) -> Result<(), JobError> {
        let Use::Set { items, .. } = used else { return Ok(()) };
        if items.is_none() && self.found.is_of_persons() {
            let problem =
                Problem::new("a set in the table of persons, and nothing says what stands between codes");
            return Err(
                self.refuse(name, problem.expected("items = \";\", or the text between two codes of a cell"))
            );
        }
        let of_shape = self.found.known.is_some_and(|known| known.fate == shape::Fate::PersonColumn);
        let given = self.found.section.and_then(|section| section.is_person_column);
        if given.unwrap_or(of_shape) {
            let problem = Problem::new("a set in a table of which having a row is a person column");
            return Err(self.refuse(
                name,
                problem.mend("give it role = \"code\", or the table is-person-column = false"),
            ));
        }
        Ok(())
    }

    /// Takes the cells of a column of lists for lists of codes.
    fn list(&self, name: &str, used: &mut Use) -> Result<(), JobError> {
        match used {
            Use::Dropped | Use::Constant(_) | Use::PeriodEnd => Ok(()),
            Use::Set { items, .. } => {
                items.get_or_insert_with(|| BETWEEN.to_owned());
                Ok(())
            }
            _ => {
                let problem = Problem::new("its cells are lists");
                Err(self.refuse(name, problem.expected("set, or identifier to leave it out")))
            }
        }
    }

    /// Refuses columns of which nothing says what becomes of them, all at once.
    fn check_all(&self) -> Result<(), JobError> {
        let table = self.found.section;
        let key = table.and_then(|table| table.key.as_ref());
        let parent = table.and_then(|table| table.parent.as_ref()).map(|parent| &parent.column);
        let is_given = |name: &&String| {
            [key, parent].into_iter().flatten().any(|given| given.eq_ignore_ascii_case(name))
        };
        let has_role = |name: &&String| self.section(name).is_some_and(|section| section.role.is_some());
        let unnamed =
            self.names.iter().filter(|name| !is_given(name) && !has_role(name) && self.known(name).is_none());
        let unnamed: Vec<&String> = unnamed.collect();
        let Some(first) = unnamed.first() else { return Ok(()) };
        let names: Vec<String> = unnamed.iter().map(|name| format!("`{name}`")).collect();
        let place = match self.found.is_only {
            true => format!("[attributes.{}]", velamen_recipe::key(first)),
            false => format!(
                "[tables.{}.attributes.{}]",
                velamen_recipe::key(&self.found.name),
                velamen_recipe::key(first)
            ),
        };
        let problem = Problem::new(format!(
            "table `{}`: nothing says what becomes of {}",
            self.found.name,
            names.join(", ")
        ));
        let problem = problem.expected(format!(
            "{place} with role = \"identifier\" to leave it out, or another role; the same for each"
        ));
        Err(self.recipe.places.refuse(self.path, &["tables", &self.found.name], problem))
    }

    fn by_role(
        &self,
        name: &str,
        role: ColumnRole,
        section: Option<&ColumnSection>,
        known: Option<Known>,
    ) -> Result<Use, JobError> {
        self.check_role(name, role, known)?;
        self.check_as_recorded(name, role, section, known)?;
        Ok(match role {
            ColumnRole::Identifier => Use::Dropped,
            ColumnRole::QuasiIdentifier => {
                let birth = matches!(known, Some(Known::BirthYear | Known::BirthDate))
                    || section.is_some_and(|section| section.birth);
                Use::QuasiIdentifier { birth }
            }
            ColumnRole::Set => set(section),
            ColumnRole::Code => {
                if known == Some(Known::Set) {
                    Use::MainCode
                } else {
                    Use::Code
                }
            }
            ColumnRole::Value => self.value(name, section, known)?,
            ColumnRole::Date if known == Some(Known::Date) => Use::Date,
            ColumnRole::Date => Use::FirstDate,
            ColumnRole::Reference => Use::Reference(self.referred(name, section)?),
            ColumnRole::Insensitive => Use::Insensitive,
        })
    }

    fn by_shape(&self, name: &str, known: Known, section: Option<&ColumnSection>) -> Result<Use, JobError> {
        Ok(match known {
            Known::Key => Use::Key,
            Known::Person => Use::Parent,
            Known::Reference(table) => match self.tables.iter().position(|known| known == table) {
                Some(place) => Use::Reference(place),
                None => Use::Dropped,
            },
            Known::QuasiIdentifier => Use::QuasiIdentifier { birth: false },
            Known::BirthYear | Known::BirthDate => Use::QuasiIdentifier { birth: true },
            Known::Set => set(section),
            Known::MainCode => Use::MainCode,
            Known::Code => Use::Code,
            Known::Value(_) => self.value(name, section, Some(known))?,
            Known::FirstDate => Use::FirstDate,
            Known::Date => Use::Date,
            Known::PeriodEnd => Use::PeriodEnd,
            Known::Constant(value) => Use::Constant(value.into()),
            Known::Dropped if self.is_extension(name) => Use::QuasiIdentifier { birth: false },
            Known::Dropped => Use::Dropped,
        })
    }

    /// Whether a column is an extension that the recipe names, by its address or by the last part of it.
    fn is_extension(&self, name: &str) -> bool {
        let named = self.recipe.persons.extensions.iter().map(|address| last(address));
        name.strip_prefix("extension.").is_some_and(|name| named.into_iter().any(|named| named == name))
    }

    /// Numbers of the public tier stand in bands or are left out.
    fn value(
        &self,
        name: &str,
        section: Option<&ColumnSection>,
        known: Option<Known>,
    ) -> Result<Use, JobError> {
        if let Some(bounds) = section.and_then(|section| section.bands.clone()) {
            let is_finite = bounds.iter().all(|bound| bound.is_finite());
            let ascends = bounds.len() > 1 && is_finite && bounds.windows(2).all(|pair| pair[0] < pair[1]);
            let problem =
                || Problem::new("bands do not ascend").expected("bands = [0, 10, 20], two bounds or more");
            return match ascends {
                true => Ok(Use::Band { bounds, by: self.by(name, section, known)? }),
                false => Err(self.refuse(name, problem())),
            };
        }
        if self.recipe.persons.tier == Tier::Public {
            return match section.and_then(|section| section.role) {
                None => Ok(Use::Dropped),
                Some(_) => Err(self.refuse(
                    name,
                    Problem::new("numbers of the public tier stand in bands")
                        .mend("add bands = […], or leave it out"),
                )),
            };
        }
        let digits = section.and_then(|section| section.digits).unwrap_or(DIGITS).clamp(1, DIGITS);
        Ok(Use::Value { by: self.by(name, section, known)?, digits })
    }

    /// The columns by which numbers are told apart.
    fn by(
        &self,
        name: &str,
        section: Option<&ColumnSection>,
        known: Option<Known>,
    ) -> Result<Vec<usize>, JobError> {
        let given = section.and_then(|section| section.by.clone());
        let by = given.unwrap_or_else(|| match known {
            Some(Known::Value(by)) => by.iter().map(|name| (*name).to_owned()).collect(),
            _ => self.names.iter().filter(|name| self.is_code(name)).cloned().collect(),
        });
        let place = |by: &String| {
            let place = self.names.iter().position(|name| name.eq_ignore_ascii_case(by));
            place.ok_or_else(|| self.refuse(name, Problem::new(format!("by: no column `{by}`"))))
        };
        by.iter().map(place).collect()
    }

    /// Whether the recipe says that a column's cells are a code each.
    fn is_code(&self, name: &str) -> bool {
        let place = self.names.iter().position(|known| known == name);
        let is_list = place.is_some_and(|place| self.lists.contains(&place));
        self.section(name).is_some_and(|section| match section.role {
            Some(ColumnRole::Code) => true,
            Some(ColumnRole::Set) => section.items.is_none() && !is_list,
            _ => false,
        })
    }

    fn referred(&self, name: &str, section: Option<&ColumnSection>) -> Result<usize, JobError> {
        let table = section.and_then(|section| section.table.as_ref());
        let table = table.ok_or_else(|| {
            self.refuse(name, Problem::new("a reference without its table").expected("table = \"stays\""))
        })?;
        if *table == self.found.name {
            // A chain of rows would tell how many came before each, and rows without codes would be kept for others' sake.
            let problem =
                Problem::new("a reference to its own table").expected("a reference to another table");
            return Err(self.refuse(name, problem.mend("leave the column out: role = \"identifier\"")));
        }
        self.tables.iter().position(|known| known == table).ok_or_else(|| {
            let near = did_you_mean(table, self.tables.iter().map(String::as_str));
            self.refuse(name, Problem::new(format!("no table `{table}` is released")).mend_if(near))
        })
    }
}

/// The last part of an address.
pub(super) fn last(address: &str) -> &str {
    address.rsplit('/').next().unwrap_or(address)
}

fn find<'a>(
    mut columns: impl Iterator<Item = (&'a String, &'a ColumnSection)>,
    name: &str,
) -> Option<&'a ColumnSection> {
    columns.find(|(given, _)| given.eq_ignore_ascii_case(name)).map(|(_, section)| section)
}

fn set(section: Option<&ColumnSection>) -> Use {
    let vocabulary = match section.and_then(|section| section.hierarchy.as_ref()) {
        Some(CodeHierarchy::Omop(omop)) => Some(omop.omop.clone()),
        _ => None,
    };
    Use::Set { items: section.and_then(|section| section.items.clone()), vocabulary }
}
