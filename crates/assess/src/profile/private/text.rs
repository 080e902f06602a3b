//! The recipe as text, with what remains to be declared as tasks.

use std::path::Path;

use velamen_contract::model::BY_DRAWS;
use velamen_core::frequency::Role;
use velamen_measure::profile::header::{self, About};
use velamen_measure::profile::identifier::Identifier;
use velamen_recipe::{JobError, SCHEMA_LINES, TO_LIST, key, quoted};

use super::super::{ProfileRequest, recipe};
use super::{Answers, DeclaredColumn};

const HEAD: &str = "\
# A first recipe for invented records, written by `velamen profile --private` from the names of the columns and your answers.
# No record was read. Domains, bins and missing values are declared, never read off the data: list what everybody knows can be,
# whether it occurs or not. Do what is to do, then run `velamen anonymize` with it.
";

/// The domain of ages: a person lives that long.
const AGES: &str = "domain = { min = 0, max = 119 }";

/// What a recipe is made from.
pub(super) struct Draft<'a> {
    pub(super) columns: &'a [DeclaredColumn],
    pub(super) answers: &'a Answers,
    /// Where the recipe is to stand.
    pub(super) folder: &'a Path,
    pub(super) request: &'a ProfileRequest,
}

impl Draft<'_> {
    /// The recipe.
    pub(super) fn recipe(&self) -> Result<String, JobError> {
        let mut text = format!("{SCHEMA_LINES}{HEAD}");
        text += &recipe::read_as(self.folder, self.request);
        self.columns.iter().for_each(|column| text += &self.attribute(column));
        text += &format!("\n[[privacy]]\nmodel = {}\n", quoted(BY_DRAWS.name));
        text += &match self.answers.epsilon {
            Some(epsilon) => format!("epsilon = {epsilon:?}\n"),
            None => commented(&epsilon()),
        };
        text += &match self.answers.delta {
            Some(delta) => format!("delta = {delta:?}\n"),
            None => commented(&delta()),
        };
        text += &format!("\n[method]\nname = {}\n", quoted(self.answers.method()?));
        Ok(text + &recipe::output(self.request))
    }

    fn attribute(&self, column: &DeclaredColumn) -> String {
        let mut text = format!("\n# {} {}.\n", recipe::one_line(&format!("`{}`", column.name)), column.why);
        text += &format!("[attributes.{}]\nrole = {}\n", key(&column.name), role(column.role));
        match column.role {
            Role::QuasiIdentifier => text + &self.domain(column),
            Role::Person => text + &self.bound(),
            _ => text,
        }
    }

    fn domain(&self, column: &DeclaredColumn) -> String {
        let text = match &column.domain {
            Some(domain) => format!("domain = {}\n", domain.toml(self.folder)),
            None => format!("# To do:\n{}", commented(&domain_of(&column.name, None))),
        };
        match self.answers.missing.contains(&column.name) {
            true => text + "missing = true\n",
            false if column.declared => text,
            false => text + "# missing = true   (if a cell may be missing)\n",
        }
    }

    fn bound(&self) -> String {
        match self.answers.records_per_person {
            Some(most) => format!("records-per-person = {most}\n"),
            None => format!("# To do:\n{}", commented(&records_per_person())),
        }
    }

    /// What remains to be declared.
    pub(super) fn undeclared(&self) -> Vec<String> {
        let columns = self.columns.iter().filter(|column| !column.declared).map(|column| column.name.clone());
        let epsilon = self.answers.epsilon.is_none().then(|| "epsilon".to_owned());
        let delta = self.answers.delta.is_none().then(|| "delta".to_owned());
        columns.chain(epsilon).chain(delta).collect()
    }

    /// Lines to paste for it.
    pub(super) fn lines(&self) -> String {
        let mut text = String::new();
        for column in self.columns.iter().filter(|column| !column.declared) {
            text += &format!("[attributes.{}]\nrole = {}\n", key(&column.name), role(column.role));
            text += &match column.role {
                Role::Person => records_per_person(),
                _ => domain_of(&column.name, None),
            };
        }
        let (epsilon, delta) = (
            self.answers.epsilon.is_none().then(epsilon).unwrap_or_default(),
            self.answers.delta.is_none().then(delta).unwrap_or_default(),
        );
        if epsilon.is_empty() && delta.is_empty() {
            return text;
        }
        text + &format!("[[privacy]]\nmodel = {}\n{epsilon}{delta}", quoted(BY_DRAWS.name))
    }

    /// What only the person who asks can know.
    pub(super) fn notes(&self) -> Vec<String> {
        if self.answers.person.is_some() {
            return Vec::new();
        }
        vec![
            "every record counts as another person's; if somebody can have several, name the column that numbers the people with \
             --person, and --records-per-person"
                .into(),
        ]
    }
}

fn role(role: Role) -> String {
    serde_json::to_value(role).unwrap_or_default().to_string()
}

/// Lines that are left to the person, as comments.
fn commented(lines: &str) -> String {
    lines.lines().map(|line| format!("# {line}\n")).collect()
}

/// What the values of a column are, where that is known without its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DomainForm {
    /// Whole numbers.
    Whole,
    /// Numbers with decimals.
    Decimal,
    /// Days.
    Date,
}

/// A list of days is as long as the years have them.
const YEARS: &str = "domain = { min = 1900, max = 2030 }   # years: release the year, not the day\n";

/// A domain to correct, as a line of TOML. It follows from the name, and from what the values are where that is known; from no value.
pub(crate) fn domain_of(name: &str, form: Option<DomainForm>) -> String {
    let is_date = matches!(header::identifier(name), Some((Identifier::Date, _)));
    match (header::about(name), form) {
        (Some((About::Age, _)), _) => format!("{AGES}\n"),
        (_, Some(DomainForm::Date)) => YEARS.into(),
        _ if is_date || is_year(name) => YEARS.into(),
        (_, Some(DomainForm::Whole)) => {
            open("numbers: the least and the greatest that there can be, { min = 0, max = 100 }")
        }
        (_, Some(DomainForm::Decimal)) => open(
            "numbers: the least and the greatest that there can be, and what they differ by, { min = 0, max = 100, step = 0.1 }",
        ),
        _ => open(
            "all values; or numbers: { min = 0, max = 100, step = 1 }; or a file, one value a line: \"FILE.csv\"",
        ),
    }
}

/// A line that no run takes as it is: what is pasted and forgotten would leave all records out.
fn open(instead: &str) -> String {
    format!("domain = [{}]   # write {instead}\n", quoted(TO_LIST))
}

/// Whether a name says that its values are years.
fn is_year(name: &str) -> bool {
    let name = name.to_lowercase();
    name.split(|c: char| !c.is_alphanumeric()).any(|word| ["year", "jahr", "yob"].contains(&word))
}

fn epsilon() -> String {
    "epsilon = 1.0   # smaller protects more; 1 is usual\n".into()
}

fn delta() -> String {
    "delta = 1e-9   # far below 1 divided by the number of people\n".into()
}

fn records_per_person() -> String {
    "records-per-person = 3   # the most records of a person that are counted: more need more noise\n".into()
}
