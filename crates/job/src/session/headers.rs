//! Header lines in hierarchies: hierarchy files have none, so that a header becomes a value of the domain.

use velamen_core::frequency::FrequencyTable;
use velamen_core::hierarchy::{NULL, Rule};
use velamen_recipe::{Resolved, ResolvedAttribute};

/// One warning for each hierarchy with a row that may be a header line.
///
/// Which values occur is looked at only where no method is to hide it.
pub(super) fn warnings(recipe: &Resolved, table: &FrequencyTable) -> Vec<String> {
    let warning = |attribute: &ResolvedAttribute| {
        let Rule::Table(rule) = &*attribute.rule else { return None };
        let looks = || first_looks_like_one(rule.rows(), &occurring(table, &attribute.name)?).then_some(1);
        let row = named(rule.rows(), &attribute.name);
        let row = if recipe.method.is_private() { row } else { row.or_else(looks) }?;
        Some(format!(
            "hierarchy of attribute `{}`: row {row} looks like a header line, but counts as a value that the \
             attribute can have; a hierarchy has no header: delete the row if it is one",
            attribute.name
        ))
    };
    recipe.attributes.iter().filter_map(warning).collect()
}

/// The values of an attribute that occur.
fn occurring<'a>(table: &'a FrequencyTable, name: &str) -> Option<Vec<&'a str>> {
    let q = table.qis.iter().position(|qi| qi.name == name)?;
    let labels = table.qis[q].hierarchy.labels(0).iter().zip(table.marginal(q));
    Some(labels.filter(|(_, count)| *count > 0).map(|(label, _)| label.as_str()).collect())
}

/// The first row, counted from 1, whose value is the attribute's name, or the first of all if any of its
/// labels is.
fn named(rows: &[Vec<String>], name: &str) -> Option<usize> {
    let is_name = |label: &String| label.trim().to_lowercase() == name.trim().to_lowercase();
    if rows.first()?.iter().any(is_name) {
        return Some(1);
    }
    rows.iter().position(|row| row.first().is_some_and(is_name)).map(|row| row + 1)
}

/// Whether the first row's value occurs in no record and no other row shares a label with it below the top.
fn first_looks_like_one(rows: &[Vec<String>], occurring: &[&str]) -> bool {
    let Some((first, others)) = rows.split_first().filter(|(_, others)| !others.is_empty()) else {
        return false;
    };
    let inner = |row: &[String], level: usize| row.get(level).cloned();
    let shared = |level: usize| others.iter().any(|row| inner(row, level) == inner(first, level));
    let given = first[0] != NULL && !occurring.contains(&first[0].as_str());
    // Of two levels alone nothing can be shared, and a value that happens not to occur is nothing special.
    given && first.len() > 2 && !(1..first.len() - 1).any(shared)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(text: &str) -> Vec<Vec<String>> {
        text.lines().map(|line| line.split(';').map(str::to_owned).collect()).collect()
    }

    #[test]
    fn a_row_of_the_attributes_name_is_found() {
        assert_eq!(named(&rows("Sex;*\nf;*\nm;*"), "sex"), Some(1));
        assert_eq!(named(&rows("value;sex;*\nf;f;*\nm;m;*"), "sex"), Some(1));
        assert_eq!(named(&rows("f;*\nsex;*"), "sex"), Some(2));
        assert_eq!(named(&rows("f;sex;*\nm;sex;*").split_off(1), "other"), None);
    }

    #[test]
    fn a_first_row_of_its_own_that_never_occurs_is_found() {
        let with_header = rows("value;group;*\na;x;*\nb;x;*");
        assert!(first_looks_like_one(&with_header, &["a", "b"]));
        assert!(!first_looks_like_one(&with_header, &["value"]));
        assert!(!first_looks_like_one(&rows("0;x;*\na;x;*"), &["a"]));
        assert!(!first_looks_like_one(&rows("x;*\na;*"), &["a"]));
    }
}
