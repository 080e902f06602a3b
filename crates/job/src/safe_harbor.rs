//! The second method of HIPAA's privacy rule, 45 CFR 164.514(b)(2), as far as a table shows it: which levels
//! it allows, and which columns look like one of its eighteen identifiers.

use std::collections::BTreeSet;
use std::time::SystemTime;

use velamen_core::frequency::{Counted, Role};
use velamen_core::hierarchy::{Definition, NULL, TOP, UsZip};
use velamen_measure::profile::finding::{Column, Finding, Sure, findings};
use velamen_measure::profile::header::About;
use velamen_measure::profile::identifier::Identifier;
use velamen_measure::profile::{Cells, header, kind};
use velamen_recipe::{Problem, Resolved, ResolvedAttribute, WhereSection, quoted, safe_harbor_level};

/// From this age on all are one group.
const OLD: f64 = 90.0;

/// What of the rule a table and its recipe break.
pub(crate) fn check(recipe: &Resolved, table: &Counted<'_>) -> Result<(), Problem> {
    recipe.kept.iter().try_for_each(|section| stated(recipe, section))?;
    let rest = table.rest.columns.iter().map(|column| &column.name);
    for name in table.qis.iter().map(|qi| &qi.name).chain(rest) {
        let Some(attribute) = recipe.attributes.iter().find(|attribute| attribute.name == *name) else {
            let problem = "the preset \"hipaa-safe-harbor\" needs every column named with a role, \"identifier\" to drop it";
            return Err(Problem::new(format!("column `{name}`: {problem}")).naming(name));
        };
        if recipe.identities.pseudonym(name).is_some() {
            return Err(Problem::of(
                &["pseudonym"],
                Problem::new(
                    "the preset \"hipaa-safe-harbor\" allows no code that is derived from an identifier, \
                        45 CFR 164.514(c)",
                )
                .mend("leave `pseudonym` out"),
            )
            .in_attribute(name));
        }
        if attribute.role == Role::Person {
            continue;
        }
        let counted = counted(table, name);
        let column = Cells(&counted);
        if let Some(finding) = suspicions(name, column)
            .into_iter()
            .find(|finding| !is_met(AttributeUnderRule::of(attribute), finding))
        {
            return Err(refusal(name, &finding));
        }
        named_identifier(AttributeUnderRule::of(attribute)).map_or(Ok(()), Err)?;
        ages_and_births(attribute, column)?;
        own_codes(attribute, column)?;
        small_areas(attribute)?;
    }
    Ok(())
}

/// Refuses a condition that says more of every record than the rule lets a release show: its values are published.
fn stated(recipe: &Resolved, section: &WhereSection) -> Result<(), Problem> {
    let name = &section.column;
    let shown =
        recipe.attributes.iter().any(|attribute| attribute.name == *name && is_as_released(attribute));
    if shown || is_of_young_ages(section) {
        return Ok(());
    }
    let problem = format!(
        "where: the preset \"hipaa-safe-harbor\" allows no statement about `{name}` that is finer than what may be released of it"
    );
    let mend = "choose the records by a column that may be released as recorded, by an age below 90, or in the table";
    Err(Problem::new(problem).mend(mend).naming(name))
}

/// Whether the rule lets an attribute's values be released as recorded.
fn is_as_released(attribute: &ResolvedAttribute) -> bool {
    let ResolvedAttribute { role, definition, top, .. } = attribute;
    match role {
        Role::QuasiIdentifier => safe_harbor_level(definition.as_ref()) == 0 && top.is_none(),
        role => matches!(role, Role::Sensitive | Role::Insensitive),
    }
}

/// Whether a condition is on ages alone that the rule allows.
pub(crate) fn is_of_young_ages(section: &WhereSection) -> bool {
    let ends = [section.min, section.max];
    let of_ages = matches!(header::about(&section.column), Some((About::Age, _)));
    of_ages && ends != [None; 2] && ends.iter().flatten().all(|end| *end < OLD)
}

/// What of the rule a recipe breaks for some table over its declared domains: of private methods, where what is
/// refused must not depend on the records.
pub(crate) fn check_declared(recipe: &Resolved) -> Result<(), Problem> {
    let dropped = |role| {
        role == Role::Identifier || role == Role::Insensitive && recipe.method.drops_insensitive().is_some()
    };
    for attribute in recipe.attributes.iter().filter(|attribute| !dropped(attribute.role)) {
        let name = &attribute.name;
        let labels = declared(attribute);
        if labels.is_none() && (header::tells_births(name) || tells_ages(attribute)) {
            return Err(Problem::of(&["hierarchy", "min", "max", "top"], Problem::new("by its name it holds ages or births, and its hierarchy does not list which there can be, \
                    45 CFR 164.514(b)(2)(i)(C)").mend("release the age with a hierarchy from min to max and top = 90, or drop it")).in_attribute(name));
        }
        let labels = labels.unwrap_or_default();
        let counted: Vec<(&str, u64)> = labels.iter().map(|label| (label.as_str(), OFTEN)).collect();
        let column = Cells(&counted);
        let shown = AttributeUnderRule::of(attribute);
        if let Some(finding) = suspicions(name, column).into_iter().find(|finding| !is_met(shown, finding)) {
            return Err(refusal(name, &of_domain(finding)));
        }
        named_identifier(shown).map_or(Ok(()), Err)?;
        ages_and_births(attribute, column)?;
        small_areas(attribute)?;
    }
    Ok(())
}

/// A finding in a declared domain, without numbers of records: there are none.
fn of_domain(mut finding: Finding) -> Finding {
    for why in &mut finding.why {
        if why.ends_with(OLD_RECORDS) {
            "its domain has ages over 89".clone_into(why);
        }
    }
    finding
}

/// What ends the words of a finding of old people.
const OLD_RECORDS: &str = " records are over 89";

/// How many records a declared value is taken to have: so many that none looks like a single person's.
const OFTEN: u64 = 100;

/// The most values of a domain that are looked at.
const MOST_VALUES: u64 = 1 << 20;

/// What can be released of an attribute at the least level that is allowed, missing values and `*` aside; `None`
/// where its domain cannot be listed.
fn declared(attribute: &ResolvedAttribute) -> Option<BTreeSet<String>> {
    let rule = &attribute.rule;
    let level = if attribute.role == Role::QuasiIdentifier { attribute.levels.0 } else { 0 };
    if level == rule.top() {
        return Some(BTreeSet::new());
    }
    let leaves = rule.whole_domain(MOST_VALUES)?;
    let labels = leaves.iter().map(|leaf| rule.label_at(leaf, level));
    Some(labels.filter(|label| label != NULL && label != TOP).collect())
}

/// What releases an age in place of a birth: lines to paste for dates; of a year alone no age follows.
fn age_instead(name: &str) -> String {
    const YEARS: [&str; 4] = ["year", "birthyear", "yob", "geburtsjahr"];
    if header::words(name).iter().any(|word| YEARS.contains(&word.as_str())) {
        return "release the age with top = 90 in its place, or drop it".into();
    }
    format!(
        "release the age in its place. Give `{name}` role = \"identifier\", and add these lines, with the column of the day that \
         the age is of, or a fixed day, after `age-at`:\n\n[derived.age]\nage-at = \"2024-12-31\"\nbirth = {}\n\n\
         [attributes.age]\nrole = \"quasi-identifier\"\nhierarchy = {{ age = 90 }}\n\nOr drop it",
        quoted(name)
    )
}

fn refusal(name: &str, finding: &Finding) -> Problem {
    let remedy = match finding.identifier {
        Identifier::Date if header::tells_births(name) => age_instead(name),
        Identifier::Date => {
            "make it a quasi-identifier with hierarchy = { date = [\"year\", …], … }, an age with top = 90, or drop it"
                .into()
        }
        Identifier::Geographic => {
            "make it a quasi-identifier with hierarchy = { us-zip = … }, coarsen it to states before, or drop it"
                .into()
        }
        _ => "drop it with role = \"identifier\"".to_owned(),
    };
    let problem = Problem::new(format!(
        "it looks like ({}) {} of 45 CFR 164.514(b)(2)(i): {}",
        finding.identifier.letter(),
        finding.title,
        finding.why.join(", ")
    ))
    .mend(format!("{remedy}, or rename it if it is none"));
    Problem::of(&["hierarchy", "top", "role"], problem).in_attribute(name)
}

/// What the rule looks at of an attribute, before a release and after.
#[derive(Clone, Copy)]
pub struct AttributeUnderRule<'a> {
    /// Its name.
    pub name: &'a str,
    /// What is released of it.
    pub role: Role,
    /// Its hierarchy.
    pub definition: Option<&'a Definition>,
    /// The age from which on all are one value.
    pub top: Option<f64>,
}

impl<'a> AttributeUnderRule<'a> {
    fn of(attribute: &'a ResolvedAttribute) -> Self {
        let ResolvedAttribute { name, role, definition, top, .. } = attribute;
        Self { name, role: *role, definition: definition.as_ref(), top: *top }
    }

    /// Whether name and top code of a released attribute are allowed.
    pub(crate) fn is_allowed(self) -> bool {
        let old = matches!(header::about(self.name), Some((About::Age, _)))
            && self.top.is_some_and(|top| top > OLD);
        self.role == Role::Person || named_identifier(self).is_none() && !old
    }

    /// Why its name alone forbids it, whatever its cells: it promises an identifier, or ages of which the oldest are not one value.
    #[must_use]
    pub fn refusal(self) -> Option<Problem> {
        let tells_ages = matches!(header::about(self.name), Some((About::Age, _)));
        let is_aged = tells_ages && self.top.is_none_or(|top| top > OLD) && !header::tells_births(self.name);
        named_identifier(self).or_else(|| is_aged.then(old_ages))
    }
}

/// The refusal of ages of which the oldest are not one value.
fn old_ages() -> Problem {
    let problem =
        "by its name it holds ages, and those from 90 up are not one value, 45 CFR 164.514(b)(2)(i)(C)";
    Problem::of(&["hierarchy", "role"], problem).mend(
        "role = \"quasi-identifier\" with hierarchy = { age = 90 }, or drop it, or rename it if it is none",
    )
}

/// Whether what is released of the attribute is what the rule allows.
fn is_met(shown: AttributeUnderRule<'_>, finding: &Finding) -> bool {
    let released_coarse = shown.role == Role::QuasiIdentifier && safe_harbor_level(shown.definition) > 0;
    match finding.identifier {
        Identifier::Date => released_coarse || shown.top.is_some_and(|top| top <= OLD),
        Identifier::Geographic => released_coarse,
        _ => false,
    }
}

/// A name that promises an identifier is enough, whatever the cells look like.
fn named_identifier(shown: AttributeUnderRule<'_>) -> Option<Problem> {
    const PARTS: [&str; 4] = ["month", "quarter", "week", "weekday"];
    let name = shown.name;
    let part = || header::words(name).into_iter().find(|word| PARTS.contains(&word.as_str()));
    let found = header::identifier(name).map(|(identifier, word)| (identifier, word.to_owned()));
    let (identifier, word) = found.or_else(|| Some((Identifier::Date, part()?)))?;
    let finding = Finding::of_name(identifier, &word);
    (!is_met(shown, &finding)).then(|| refusal(name, &finding))
}

/// Ages over 89, and births that show them, are one group or not there.
fn ages_and_births(attribute: &ResolvedAttribute, cells: Cells<'_>) -> Result<(), Problem> {
    let name = &attribute.name;
    let born = header::tells_births(name);
    let aged = tells_ages(attribute);
    if aged && !born && cells.values().any(|value| numbers(value).any(|number| number >= OLD as u64)) {
        return Err(Problem::of(&["top"], Problem::new(
            "by its name it holds ages, and numbers from 90 up are possible, which 45 CFR 164.514(b)(2)(i)(C) wants in one group",
        ).mend("give whole years top = 90, or drop it, or rename it if it is none")).in_attribute(name));
    }
    let oldest = this_year().saturating_sub(OLD as u64);
    if born && cells.values().any(|value| numbers(value).any(|year| (1850..=oldest).contains(&year))) {
        return Err(Problem::of(
            &["top", "role", "hierarchy"],
            Problem::new(format!("births up to {oldest} show ages over 89, 45 CFR 164.514(b)(2)(i)(C)"))
                .mend(format!("{}, or make those births one value before", age_instead(name))),
        )
        .in_attribute(name));
    }
    Ok(())
}

/// Whether a name says that a column holds ages, and old ones are not one group.
fn tells_ages(attribute: &ResolvedAttribute) -> bool {
    matches!(header::about(&attribute.name), Some((About::Age, _)))
        && attribute.top.is_none_or(|top| top > OLD)
}

/// The whole numbers in a text.
fn numbers(text: &str) -> impl Iterator<Item = u64> {
    text.split(|c: char| !c.is_ascii_digit()).filter_map(|digits| digits.parse().ok())
}

/// By the clock: an age is one of today. Nothing but a refusal depends on it.
fn this_year() -> u64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_secs());
    1970 + since / 31_556_952
}

/// Codes that nearly every record has for itself are (R), whatever they look like.
fn own_codes(attribute: &ResolvedAttribute, cells: Cells<'_>) -> Result<(), Problem> {
    const OWN: f64 = 0.95;
    let (kind, _) = kind::of(cells);
    let measured = matches!(kind, kind::Kind::Decimal { .. });
    let released = matches!(attribute.role, Role::Sensitive | Role::Insensitive);
    if released && !measured && cells.records() >= 20 && cells.distinction() >= OWN {
        return Err(Problem::of(
            &["role"],
            Problem::new(format!(
                "nearly every record has a value of its own, which makes it (R) {} of 45 CFR \
                    164.514(b)(2)(i)",
                Identifier::Other.title()
            ))
            .mend("drop it with role = \"identifier\""),
        )
        .in_attribute(&attribute.name));
    }
    Ok(())
}

/// A list without any area would release all of them.
fn small_areas(attribute: &ResolvedAttribute) -> Result<(), Problem> {
    match attribute.definition.as_ref().and_then(Definition::form::<UsZip>) {
        Some(zip) if zip.us_zip.is_empty() => Err(Problem::of(
            &["hierarchy", "us-zip"],
            Problem::new("the list of `us-zip` is empty, so that no area of up to 20 000 people becomes 000")
                .mend("give the table of people by area, hierarchy = { us-zip = \"zip3.csv\" }"),
        )
        .in_attribute(&attribute.name)),
        _ => Ok(()),
    }
}

/// The values of a column with their records, missing ones aside.
pub(crate) fn counted<'a>(table: &Counted<'a>, name: &str) -> Vec<(&'a str, u64)> {
    let mut counted: Vec<(&str, u64)> = match table.qis.iter().position(|qi| qi.name == *name) {
        Some(q) => {
            let labels = table.table().qis[q].hierarchy.labels(0).iter().map(String::as_str);
            labels.zip(table.marginal(q).iter().copied()).collect()
        }
        None => {
            let column = table.rest.columns.iter().position(|column| column.name == *name);
            let column = column.expect("the column is in the table");
            let values = table.table().rest.columns[column].values.iter().map(String::as_str);
            values.zip(table.rest_marginal(column).iter().copied()).collect()
        }
    };
    counted.retain(|&(value, count)| value != NULL && count > 0);
    counted
}

/// What a column looks like, at least likely so.
fn suspicions(name: &str, cells: Cells<'_>) -> Vec<Finding> {
    let (kind, _) = kind::of(cells);
    let mut found = findings(Column { name, kind: &kind, cells });
    found.retain(|finding| finding.sure >= Sure::Likely);
    found
}
