//! The declared domain of a sensitive attribute, or of any whose records are invented.

use std::path::Path;

use velamen_core::error::{Place, Problem};
use velamen_core::frequency::Role;
use velamen_core::hierarchy::{Definition, NULL, TOP};

use super::{AttributeSection, DomainSection};
use crate::JobError;
use crate::plain;

mod numbers;

/// The most values of a quasi-identifier's domain.
const MOST_VALUES: usize = 1 << 20;

/// What stands in lines to paste where values are to be listed: no domain has it.
pub const TO_LIST: &str = "…";

/// How a file writes the missing value.
const QUOTED: &str = "\"\"";

/// A declared domain.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Declared {
    /// As a hierarchy: each value, its bin if there are bins, and `*` above.
    pub(super) definition: Definition,
    /// The level of the bins; 0 without.
    pub(super) bins: u8,
}

/// The domain that an attribute declares; `None` where it declares none. Quasi-identifiers may declare one where records are
/// `invented`.
pub(super) fn definition(
    path: &Path,
    name: &str,
    section: &AttributeSection,
    invented: bool,
) -> Result<Option<Declared>, JobError> {
    let Some(domain) = &section.domain else { return Ok(None) };
    let refuse =
        |problem: Problem| Err(JobError::recipe(path, problem.after(&format!("attribute `{name}`: "))));
    let declares = section.role == Role::Sensitive || (invented && section.role == Role::QuasiIdentifier);
    if !declares {
        let (problem, mend) = match invented {
            true => (
                "`domain` is for quasi-identifiers where records are invented",
                "give it the role \"quasi-identifier\", or \"identifier\" and no domain to drop it",
            ),
            false => (
                "`domain` is for sensitive attributes",
                "drop it: quasi-identifiers have their domain from `hierarchy`",
            ),
        };
        return refuse(Problem::new(problem).mend(mend));
    }
    if section.hierarchy.is_some() {
        return refuse(
            Problem::new("the attribute has `domain` and `hierarchy`, whose first column is its domain")
                .mend("drop one"),
        );
    }
    let mut values = match domain {
        DomainSection::Values(values) => values.clone(),
        DomainSection::File(file) => read(file)?,
        DomainSection::Numbers(numbers) => {
            let declared = match section.role {
                Role::Sensitive => numbers.listed(),
                _ => numbers.declared(section.missing == Some(true)),
            };
            return declared.map(Some).or_else(refuse);
        }
    };
    if values.is_empty() {
        return refuse("`domain` has no value".into());
    }
    if values.iter().any(|value| value == TO_LIST) {
        let problem = format!("`domain`: \"{TO_LIST}\" stands for what is still to be declared");
        return refuse(Problem::new(problem).mend(
            "list all values that there can be, or give the least and the greatest number: { min = 0, max = 119 }",
        ));
    }
    if section.role != Role::Sensitive && values.len() > MOST_VALUES {
        let problem = format!("`domain` has {} values, more than {MOST_VALUES}", values.len());
        return refuse(
            Problem::new(problem).mend("list groups of them: noise drowns the counts of so many values"),
        );
    }
    if section.missing == Some(true) && !values.iter().any(|value| value == NULL) {
        values.push(NULL.to_owned());
    }
    Ok(Some(Declared { definition: table(values), bins: 0 }))
}

/// Each value, and `*` above it.
fn table(values: Vec<String>) -> Definition {
    let row = |value: String| vec![value, TOP.to_owned()];
    Definition::Table { rows: values.into_iter().map(row).collect() }
}

/// One value a line, `""` for the missing one.
pub fn read(file: &Path) -> Result<Vec<String>, JobError> {
    let text = plain::read(file, "read the domain")?;
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&text);
    let value = |(number, line): (u64, &[u8])| {
        let wrong = |problem: Problem| Err(JobError::recipe(file, problem).at(Place::line(file, number)));
        match std::str::from_utf8(line.strip_suffix(b"\r").unwrap_or(line)) {
            Err(_) => wrong(Problem::new("the domain is not UTF-8 text").mend("convert it to UTF-8")),
            Ok("") => wrong(
                Problem::new("the line is empty").mend("write \"\" for the missing value, or drop the line"),
            ),
            Ok(QUOTED) => Ok(NULL.to_owned()),
            Ok(value) => Ok(value.to_owned()),
        }
    };
    (1..).zip(text.strip_suffix(b"\n").unwrap_or(text).split(|&byte| byte == b'\n')).map(value).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn section(role: Role, domain: DomainSection) -> AttributeSection {
        AttributeSection { domain: Some(domain), ..AttributeSection::of(role) }
    }

    #[test]
    fn a_file_has_one_value_a_line() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("codes.csv");
        let of = |text: &str| {
            std::fs::write(&file, text).unwrap();
            definition(&file, "disease", &section(Role::Sensitive, DomainSection::File(file.clone())), false)
        };
        let rows = |values: &[&str]| {
            let rows = values.iter().map(|value| vec![(*value).to_owned(), TOP.to_owned()]);
            Some(Declared { definition: Definition::Table { rows: rows.collect() }, bins: 0 })
        };
        assert_eq!(of("\u{feff}A\r\nB, b\n\"\"\n").unwrap(), rows(&["A", "B, b", ""]));
        assert!(of("A\n\nB\n").unwrap_err().to_string().contains("line 2"));
        assert!(of("").unwrap_err().to_string().contains("line 1"));
    }

    #[test]
    fn a_domain_of_more_values_than_can_be_counted_is_refused_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("codes.csv");
        let codes: Vec<String> = (0..=MOST_VALUES).map(|code| code.to_string()).collect();
        std::fs::write(&file, codes.join("\n")).unwrap();
        let of = |role| definition(&file, "code", &section(role, DomainSection::File(file.clone())), true);
        let refused = of(Role::QuasiIdentifier).unwrap_err().to_string();
        assert!(refused.contains("1048577 values") && refused.contains("`code`"), "{refused}");
        assert!(of(Role::Sensitive).is_ok());
    }

    #[test]
    fn only_sensitive_attributes_declare_one() {
        let values = || DomainSection::Values(vec!["A".into()]);
        let of = |section: &AttributeSection| definition(Path::new("recipe.toml"), "disease", section, false);
        let qi = section(Role::QuasiIdentifier, values());
        assert!(of(&qi).is_err());
        assert!(definition(Path::new("recipe.toml"), "age", &qi, true).unwrap().is_some());
        let dropped = section(Role::Identifier, values());
        assert!(definition(Path::new("recipe.toml"), "name", &dropped, true).is_err());
        assert!(of(&section(Role::Sensitive, DomainSection::Values(Vec::new()))).is_err());
        let pasted = section(Role::Sensitive, DomainSection::Values(vec![TO_LIST.into()]));
        assert!(of(&pasted).unwrap_err().to_string().contains("still to be declared"));
        assert_eq!(of(&AttributeSection::of(Role::Insensitive)).unwrap(), None);
        let both = AttributeSection {
            hierarchy: Some(super::super::HierarchySection::File("a.csv".into())),
            ..section(Role::Sensitive, values())
        };
        assert!(of(&both).unwrap_err().to_string().contains("; drop one"));
    }
}
