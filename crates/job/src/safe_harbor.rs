//! The second method of HIPAA's privacy rule, 45 CFR 164.514(b)(2), as far as a table shows it: which levels
//! it allows, and which columns look like one of its eighteen identifiers.

use velamen_core::frequency::{FrequencyTable, Role};
use velamen_core::hierarchy::{DateLevel, Definition, NULL};
use velamen_core::profile::Cells;
use velamen_core::profile::finding::{Column, Finding, Sure, findings};
use velamen_core::profile::identifier::Identifier;
use velamen_core::profile::kind;

use crate::recipe::{Resolved, ResolvedAttribute};

/// From this age on all are one group.
const OLD: f64 = 90.0;

/// The least level that the rule allows: dates by year, ZIP codes by three digits.
pub(crate) fn least_level(definition: Option<&Definition>) -> u8 {
    match definition {
        Some(Definition::Date { date, .. }) => {
            let coarse = date.iter().position(|level| *level >= DateLevel::Year);
            coarse.unwrap_or(date.len()) as u8 + 1
        }
        Some(Definition::UsZip { plus_4, .. }) => 1 + u8::from(*plus_4),
        _ => 0,
    }
}

/// What of the rule a table and its recipe break.
pub(crate) fn check(recipe: &Resolved, table: &FrequencyTable) -> Result<(), String> {
    let rest = table.rest.columns.iter().map(|column| &column.name);
    for name in table.qis.iter().map(|qi| &qi.name).chain(rest) {
        let Some(attribute) = recipe.attributes.iter().find(|attribute| attribute.name == *name) else {
            return Err(format!(
                "column `{name}`: the preset \"hipaa-safe-harbor\" needs every column named with a role, \"identifier\" to \
                 drop it"
            ));
        };
        if recipe.identities.pseudonym(name).is_some() {
            return Err(format!(
                "attribute `{name}`: the preset \"hipaa-safe-harbor\" allows no code that is derived from an identifier, \
                 45 CFR 164.514(c); leave `pseudonym` out"
            ));
        }
        if attribute.role == Role::Person {
            continue;
        }
        if let Some(finding) = suspicions(table, name).into_iter().find(|finding| !is_met(attribute, finding))
        {
            return Err(refusal(name, &finding));
        }
    }
    Ok(())
}

fn refusal(name: &str, finding: &Finding) -> String {
    let remedy = match finding.identifier {
        Identifier::Date => {
            "make it a quasi-identifier with hierarchy = { date = [\"year\", …], … }, an age with top = 90, or drop it"
        }
        Identifier::Geographic => {
            "make it a quasi-identifier with hierarchy = { us-zip = … }, coarsen it to states before, or drop it"
        }
        _ => "drop it with role = \"identifier\"",
    };
    format!(
        "attribute `{name}`: it looks like ({}) {} of 45 CFR 164.514(b)(2)(i): {}; {remedy}, or rename it if it is none",
        finding.identifier.letter(),
        finding.title,
        finding.why.join(", ")
    )
}

/// Whether what is released of the attribute is what the rule allows.
fn is_met(attribute: &ResolvedAttribute, finding: &Finding) -> bool {
    let released_coarse =
        attribute.role == Role::QuasiIdentifier && least_level(attribute.definition.as_ref()) > 0;
    match finding.identifier {
        Identifier::Date => released_coarse || attribute.top.is_some_and(|top| top <= OLD),
        Identifier::Geographic => released_coarse,
        _ => false,
    }
}

/// What a column looks like, at least likely so.
fn suspicions(table: &FrequencyTable, name: &str) -> Vec<Finding> {
    let counted: Vec<(&str, u64)> = match table.qis.iter().position(|qi| qi.name == *name) {
        Some(q) => {
            let labels = table.qis[q].hierarchy.labels(0).iter().map(String::as_str);
            labels.zip(table.marginal(q)).collect()
        }
        None => {
            let column = table.rest.columns.iter().position(|column| column.name == *name);
            let column = column.expect("the column is in the table");
            let values = table.rest.columns[column].values.iter().map(String::as_str);
            values.zip(table.rest_marginal(column)).collect()
        }
    };
    let mut counted = counted;
    counted.retain(|&(value, count)| value != NULL && count > 0);
    let cells = Cells(&counted);
    let (kind, _) = kind::of(cells);
    let mut found = findings(Column { name, kind: &kind, cells });
    found.retain(|finding| finding.sure >= Sure::Likely);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_level_of_a_date_is_the_year() {
        let date = |date: Vec<DateLevel>| {
            let (min, max) = ("2000-01-01".to_owned(), "2024-12-31".to_owned());
            least_level(Some(&Definition::Date { date, min, max, format: None }))
        };
        assert_eq!(date(vec![DateLevel::Month, DateLevel::Year]), 2);
        assert_eq!(date(vec![DateLevel::FiveYears]), 1);
        // Nothing but `*` is coarse enough.
        assert_eq!(date(vec![DateLevel::Month, DateLevel::Quarter]), 3);
        assert_eq!(least_level(Some(&Definition::UsZip { us_zip: Vec::new(), plus_4: true })), 2);
        assert_eq!(least_level(None), 0);
    }
}
