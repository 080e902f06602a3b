//! `[[impossible]]`: pairs of values that nobody has, written out or by a list that we ship.

mod icd10;

use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use velamen_core::attribute::Attribute;
use velamen_core::error::Problem;
use velamen_core::frequency::Role;
use velamen_core::hierarchy::{NULL, Rule, TOP};
use velamen_core::impossible::{Impossible, MOST_ENTRIES, MOST_LEAVES, is_code, names};
use velamen_search::method::{Counterfeits, Records, Task};

use super::nearest::{did_you_mean, one_of};
use super::{AskedMethod, Recipe};
use crate::JobError;

/// The list of diagnoses.
pub const ICD_10: &str = "icd-10";

/// `[[impossible]]`
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct ImpossibleSection {
    /// A quasi-identifier.
    pub attribute: Option<String>,
    /// Its values, or labels of its hierarchy.
    pub values: Vec<String>,
    /// Its numbers from here.
    pub from: Option<f64>,
    /// Its numbers up to here.
    pub to: Option<f64>,
    /// Values of the sensitive attribute that nobody of these has, labels of its hierarchy, codes of ICD-10 or
    /// ranges of its categories.
    pub sensitive: Vec<String>,
    /// Where records are invented: the quasi-identifier whose values these are.
    pub of: Option<String>,
    /// In place of all that: `icd-10`, diagnoses that the sex or the age excludes.
    pub list: Option<String>,
    /// With a list: the attribute that holds the sex, and its values.
    pub sex: Option<SexSection>,
    /// With a list: the attribute that holds the age in years.
    pub age: Option<String>,
}

/// How an attribute writes the sex.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SexSection {
    /// The attribute.
    pub attribute: String,
    /// The values of women.
    pub female: Vec<String>,
    /// The values of men.
    pub male: Vec<String>,
}

impl ImpossibleSection {
    /// What it says, written out.
    fn entries(&self, place: usize) -> Result<Vec<Impossible>, Problem> {
        match &self.list {
            None => self.written(place).map(|entry| vec![entry]),
            Some(list) if list == ICD_10 => self.of_icd_10(place),
            Some(list) => {
                let problem = one_of(format!("unknown `list` \"{list}\""), list, &[ICD_10]);
                Err(problem.with(&["list"]))
            }
        }
    }

    fn written(&self, place: usize) -> Result<Impossible, Problem> {
        let Self { attribute, values, from, to, sensitive, of, .. } = self;
        if self.sex.is_some() || self.age.is_some() {
            return Err(Problem::of(&["sex", "age", "list"], "`sex` and `age` go with a `list`"));
        }
        let attribute = attribute.clone().ok_or_else(|| {
            Problem::new("no attribute").mend("name the `attribute`, or a `list` such as \"icd-10\"")
        })?;
        if values.is_empty() && from.is_none() && to.is_none() {
            let mend = format!("name `values` of `{attribute}`, or numbers by `from` and `to`");
            let problem = Problem::of(&["values", "from", "to"], "no value of the attribute").mend(mend);
            return Err(problem.naming(&attribute));
        }
        if [from, to].iter().any(|end| end.is_some_and(f64::is_nan))
            || matches!((from, to), (Some(a), Some(b)) if a > b)
        {
            return Err(Problem::of(&["from", "to"], "`from` is a number not above `to`"));
        }
        if sensitive.is_empty() {
            let problem = Problem::of(&["sensitive", "values"], "no sensitive value");
            return Err(problem.mend("name the `sensitive` values that nobody of these has"));
        }
        let (values, sensitive, of) = (values.clone(), sensitive.clone(), of.clone());
        Ok(Impossible { attribute, values, from: *from, to: *to, sensitive, of, list: None, place })
    }

    fn of_icd_10(&self, place: usize) -> Result<Vec<Impossible>, Problem> {
        if self.attribute.is_some()
            || !self.sensitive.is_empty()
            || !self.values.is_empty()
            || self.is_ranged()
        {
            let problem = Problem::new("a `list` says by itself what is impossible")
                .mend("give `sex` and `age` beside it, nothing else");
            return Err(Problem::of(&["list", "sex", "age"], problem));
        }
        let entry = |attribute: &str, sensitive: &[&str]| Impossible {
            attribute: attribute.to_owned(),
            sensitive: sensitive.iter().map(|code| (*code).to_owned()).collect(),
            of: self.of.clone(),
            list: Some(ICD_10.into()),
            place,
            ..Impossible::default()
        };
        let mut entries = Vec::new();
        if let Some(SexSection { attribute, female, male }) = &self.sex {
            if female.is_empty() || male.is_empty() {
                let problem = "`sex` needs the values of both: `female` and `male`";
                return Err(Problem::of(&["sex", "female", "male"], problem));
            }
            entries.push(Impossible { values: male.clone(), ..entry(attribute, icd10::FEMALE) });
            entries.push(Impossible { values: female.clone(), ..entry(attribute, icd10::MALE) });
        }
        if let Some(age) = &self.age {
            let (first, last) = icd10::MATERNAL;
            entries.push(Impossible { from: Some(1.0), ..entry(age, icd10::NEWBORN) });
            entries.push(Impossible { to: Some(first - 1.0), ..entry(age, icd10::MATERNITY) });
            entries.push(Impossible { from: Some(last + 1.0), ..entry(age, icd10::MATERNITY) });
        }
        match entries.is_empty() {
            true => {
                let problem = "the list needs `sex = { attribute = \"…\", female = […], male = […] }`, `age = \"…\"` or both";
                Err(Problem::of(&["list"], problem))
            }
            false => Ok(entries),
        }
    }

    fn is_ranged(&self) -> bool {
        self.from.is_some() || self.to.is_some()
    }
}

impl Recipe {
    /// The pairs for a method; what is said where it makes no counterfeits that could have one.
    pub(super) fn pairs(
        &self,
        path: &Path,
        attributes: &[Attribute],
        method: &AskedMethod,
    ) -> Result<(Vec<Impossible>, Option<String>), JobError> {
        let invents = method.facts.records == Records::Invented;
        let pairs = self.written_out(path, attributes, invents)?;
        let task = Task { impossible: &pairs, ..Task::new(attributes, &[]) };
        let unfit = method.method.refuse_impossible(&task);
        let place = if pairs.is_empty() { "method" } else { "impossible" };
        unfit.map_err(|problem| self.refuse(path, &[place], problem))?;
        if pairs.is_empty() || invents || method.facts.counterfeits == Counterfeits::Catalogued {
            return Ok((pairs, None));
        }
        let idle = format!(
            "[[impossible]] changes nothing: {} neither fills classes up with counterfeits nor invents records",
            method.name()
        );
        Ok((Vec::new(), Some(idle)))
    }

    /// The pairs that are written out or listed, of attributes that have the right roles.
    fn written_out(
        &self,
        path: &Path,
        attributes: &[Attribute],
        invents: bool,
    ) -> Result<Vec<Impossible>, JobError> {
        let mut all = Vec::new();
        for (place, section) in self.impossible.iter().enumerate() {
            let entries = section.entries(place).and_then(|entries| {
                entries.iter().try_for_each(|entry| checked(entry, attributes, invents)).map(|()| entries)
            });
            let refuse = |problem: Problem| {
                self.refuse(path, &["impossible", &place.to_string()], problem.after("impossible: "))
            };
            all.extend(entries.map_err(refuse)?);
        }
        match all.len() <= MOST_ENTRIES {
            true => Ok(all),
            false => {
                Err(self.refuse(path, &["impossible"], format!("impossible: at most {MOST_ENTRIES} entries")))
            }
        }
    }
}

/// Refuses an entry of a wrong attribute, and values that are outside declared domains.
fn checked(entry: &Impossible, attributes: &[Attribute], invents: bool) -> Result<(), Problem> {
    let name = &entry.attribute;
    let qis = || attributes.iter().filter(|attribute| attribute.is_quasi_identifier());
    let attribute = qis().find(|attribute| attribute.name == *name).ok_or_else(|| {
        let near = did_you_mean(name, qis().map(|attribute| attribute.name.as_str()));
        let problem = format!("`{name}` does not have the role \"quasi-identifier\"");
        Problem::new(problem).naming(name).mend_if(near)
    })?;
    let sensitive = match &entry.of {
        _ if invents => other(entry, attributes)?,
        Some(_) => {
            let problem =
                "`of` is for invented records: here the values are those of the sensitive attribute";
            return Err(Problem::of(&["of"], Problem::new(problem).mend("drop it")));
        }
        None => {
            let sensitive = attributes.iter().find(|attribute| attribute.role == Role::Sensitive);
            let none = || Problem::of(&["attribute", "sensitive"], "no attribute has the role \"sensitive\"");
            sensitive.ok_or_else(none)?
        }
    };
    if let Some(domain) = domain(attribute) {
        refuse_foreign_values(entry, &attribute.rule, &domain)?;
    }
    match domain(sensitive) {
        Some(domain) => refuse_foreign_sensitive(entry, &sensitive.rule, &domain),
        None => Ok(()),
    }
}

/// All values that an attribute declares, a missing one among them where there can be one.
fn domain(attribute: &Attribute) -> Option<Vec<String>> {
    let mut values = attribute.rule.whole_domain(MOST_LEAVES)?;
    values.extend(attribute.missing.then(|| NULL.to_owned()));
    Some(values)
}

/// The attribute that the values of an entry are of, where records are invented.
fn other<'a>(entry: &Impossible, attributes: &'a [Attribute]) -> Result<&'a Attribute, Problem> {
    let Some(name) = &entry.of else {
        let problem = Problem::new("nothing says which attribute the values of `sensitive` are of");
        return Err(Problem::of(
            &["of", "sensitive"],
            problem.mend("name it with `of`: no attribute of invented records is sensitive"),
        ));
    };
    let mut others = attributes
        .iter()
        .filter(|attribute| attribute.is_quasi_identifier() && attribute.name != entry.attribute);
    let found = others.clone().find(|attribute| attribute.name == *name);
    found.ok_or_else(|| {
        let near = did_you_mean(name, others.by_ref().map(|attribute| attribute.name.as_str()));
        let problem = Problem::new(format!("`of`: `{name}` is no other quasi-identifier"));
        Problem::of(&["of"], problem.mend_if(near))
    })
}

/// Refuses values that no leaf is or is under.
///
/// # Errors
/// What of the entry is wrong.
pub fn refuse_foreign_values(entry: &Impossible, rule: &Rule, leaves: &[String]) -> Result<(), Problem> {
    let has = |value: &String| {
        let one = Impossible { values: vec![value.clone()], ..Impossible::default() };
        value != TOP && leaves.iter().any(|leaf| one.has(rule, leaf))
    };
    match entry.values.iter().find(|value| !has(value)) {
        Some(value) => {
            let attribute = &entry.attribute;
            let problem =
                format!("\"{value}\" is no value of `{attribute}`, nor a label of its hierarchy below `*`");
            Err(Problem::new(problem).naming(attribute))
        }
        None => Ok(()),
    }
}

/// Refuses sensitive values that do not occur. A code of ICD-10 need not.
///
/// # Errors
/// What of the entry is wrong.
pub fn refuse_foreign_sensitive(entry: &Impossible, rule: &Rule, values: &[String]) -> Result<(), Problem> {
    let known = |given: &String| is_code(given) || values.iter().any(|value| names(given, rule, value));
    match entry.sensitive.iter().find(|given| !known(given)) {
        Some(given) => {
            let problem = format!(
                "`sensitive`: \"{given}\" is no value of the sensitive attribute, no label of its hierarchy and no code of ICD-10"
            );
            Err(Problem::of(&["sensitive"], problem))
        }
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests;
