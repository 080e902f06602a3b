//! What the person who asks declares of a table, as options.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Map;
use velamen_core::error::Problem;
use velamen_job::outputs::relative;
use velamen_recipe::{JobError, quoted};
use velamen_search::method::{Entry, INVENTING, REGISTRY, Records};

/// The least of ε and δ that a budget can have, and what ε is below.
const LEAST: f64 = 1e-18;
const MOST: f64 = (1u128 << 64) as f64;

/// How a declaration is written.
const FORMS: &str = "NAME=A|B|C, NAME=MIN..MAX, NAME=MIN..MAX/STEP or NAME=@FILE with one value a line";

/// The answers of a person who asks for a private recipe.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct Answers {
    /// With --private, domains of columns: NAME=A|B|C, numbers NAME=MIN..MAX or NAME=MIN..MAX/STEP, NAME=@FILE with a value a line.
    #[serde(default)]
    #[schemars(extend("x-value" = "NAME=DOMAIN", "x-needs" = "private"))]
    pub declare: Vec<String>,
    /// With --private, columns whose cells may be missing.
    #[serde(default)]
    #[schemars(extend("x-value" = "A,B,C", "x-needs" = "private"))]
    pub missing: Vec<String>,
    /// With --private, columns to drop.
    #[serde(default)]
    #[schemars(extend("x-value" = "A,B,C", "x-needs" = "private"))]
    pub drop: Vec<String>,
    /// With --private, the column that numbers the people.
    #[serde(default)]
    #[schemars(extend("x-value" = "NAME", "x-needs" = "private"))]
    pub person: Option<String>,
    /// With --private, the most records of a person that are counted.
    #[serde(default)]
    #[schemars(range(min = 1), extend("x-value" = "C", "x-needs" = "person"))]
    pub records_per_person: Option<u32>,
    /// With --private, the privacy budget's epsilon, above 0.
    #[serde(default)]
    #[schemars(extend("x-value" = "E", "x-needs" = "private"))]
    pub epsilon: Option<f64>,
    /// With --private, the privacy budget's delta, above 0 and far below 1 over the number of people.
    #[serde(default)]
    #[schemars(extend("x-value" = "D", "x-needs" = "private"))]
    pub delta: Option<f64>,
    /// With --private, the method that invents the records; aim if left out.
    #[serde(default)]
    #[schemars(extend("x-value" = "NAME", "x-needs" = "private"))]
    pub method: Option<String>,
}

/// A declared domain.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Domain {
    /// Value by value.
    Values(Vec<String>),
    /// Numbers: the least, the greatest, and how far they are apart. As they were written.
    Numbers(String, String, Option<String>),
    /// A file with one value a line.
    File(PathBuf),
}

impl Domain {
    /// As a recipe in `folder` has it.
    pub(super) fn toml(&self, folder: &Path) -> String {
        match self {
            Self::Values(values) => {
                let values: Vec<String> = values.iter().map(|value| quoted(value)).collect();
                format!("[{}]", values.join(", "))
            }
            Self::Numbers(min, max, step) => {
                let step = step.as_ref().map(|step| format!(", step = {step}")).unwrap_or_default();
                format!("{{ min = {min}, max = {max}{step} }}")
            }
            Self::File(file) => quoted(&relative(file, folder)),
        }
    }

    fn parsed(text: &str) -> Result<Self, Problem> {
        if let Some(file) = text.strip_prefix('@').filter(|file| !file.is_empty()) {
            return match Path::new(file).is_file() {
                true => Ok(Self::File(file.into())),
                false => Err(Problem::new("there is no such file").expected(FORMS)),
            };
        }
        if let Some((min, rest)) = text.split_once("..") {
            let (max, step) = rest.split_once('/').map_or((rest, None), |(max, step)| (max, Some(step)));
            let mut numbers = [Some(min), Some(max), step].into_iter().flatten();
            if !numbers.all(is_number) {
                return Err(Problem::new("what stands beside `..` is no number").expected(FORMS));
            }
            let value = |text: &str| text.parse::<f64>().unwrap_or(f64::NAN);
            if value(min) > value(max) {
                return Err(Problem::new("the least number is above the greatest").expected(FORMS));
            }
            if step.is_some_and(|step| value(step).partial_cmp(&0.0) != Some(Ordering::Greater)) {
                return Err(Problem::new("the step is not above 0").expected(FORMS));
            }
            return Ok(Self::Numbers(min.into(), max.into(), step.map(str::to_owned)));
        }
        let values: Vec<String> = text.split('|').map(str::to_owned).collect();
        if (1..values.len()).any(|at| values[..at].contains(&values[at])) {
            return Err(Problem::new("a value stands there twice").expected(FORMS));
        }
        match values.iter().any(String::is_empty) {
            true => Err(Problem::new("a value is empty")
                .mend("name the column with --missing if its cells may be missing")
                .expected(FORMS)),
            false => Ok(Self::Values(values)),
        }
    }
}

/// Whether a text is a number as TOML writes it, too.
fn is_number(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let parts: Vec<&str> = digits.split('.').collect();
    let whole = parts[0];
    let plain = parts.iter().all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()));
    plain && parts.len() <= 2 && (whole.len() == 1 || !whole.starts_with('0'))
}

impl Answers {
    /// The declared domains by column.
    ///
    /// # Errors
    /// [`JobError::usage`] where one is none, or a column has two.
    pub(super) fn domains(&self) -> Result<BTreeMap<String, Domain>, JobError> {
        let mut domains = BTreeMap::new();
        for (place, text) in (1..).zip(&self.declare) {
            let refuse =
                |problem: Problem| JobError::usage(problem.after(&format!("--declare, entry {place}: ")));
            let Some((name, domain)) = text.split_once('=').filter(|(name, _)| !name.is_empty()) else {
                return Err(refuse(Problem::new("no name before a `=`").expected(FORMS)));
            };
            let domain = Domain::parsed(domain).map_err(refuse)?;
            if domains.insert(name.to_owned(), domain).is_some() {
                return Err(refuse(Problem::new(format!("`{name}` has a domain already")).naming(name)));
            }
        }
        Ok(domains)
    }

    /// The method's name in the recipe.
    ///
    /// # Errors
    /// [`JobError::usage`] where no method of that name invents records.
    pub(super) fn method(&self) -> Result<&'static str, JobError> {
        let Some(asked) = self.method.as_deref() else { return Ok(INVENTING.name) };
        let invents = |entry: &&Entry| (entry.facts)(&Map::new()).records == Records::Invented;
        let names: Vec<&str> = REGISTRY.iter().filter(invents).map(|entry| entry.name).collect();
        names.iter().find(|name| asked == **name).copied().ok_or_else(|| {
            let problem = Problem::new(format!("--method {asked}: no method of that name invents records"));
            JobError::usage(problem.expected(names.join(" or ")))
        })
    }

    /// Refuses answers that no recipe could have.
    ///
    /// # Errors
    /// [`JobError::usage`].
    pub(crate) fn check(&self) -> Result<(), JobError> {
        let wrong = |flag: &str, expected: &str| {
            Err(JobError::usage(Problem::new(format!("--{flag}: a wrong value")).expected(expected)))
        };
        if self.epsilon.is_some_and(|epsilon| !(LEAST..MOST).contains(&epsilon)) {
            return wrong("epsilon", "a number above 0, from 1e-18 and below 2^64, such as 1");
        }
        if self.delta.is_some_and(|delta| !(LEAST..1.0).contains(&delta)) {
            return wrong("delta", "a number above 0 and below 1, from 1e-18, such as 1e-9");
        }
        self.method().and(self.domains()).map(|_| ())
    }

    /// Whether anything was answered.
    pub(crate) fn is_empty(&self) -> bool {
        let Self { declare, missing, drop, person, records_per_person, epsilon, delta, method } = self;
        let lists = [declare, missing, drop].iter().all(|list| list.is_empty());
        let budget = epsilon.is_none() && delta.is_none() && method.is_none();
        lists && budget && person.is_none() && records_per_person.is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn domains_are_values_numbers_or_files() {
        let of = |text: &str| Domain::parsed(text).unwrap().toml(Path::new(""));
        assert_eq!(of("f|m"), "[\"f\", \"m\"]");
        assert_eq!(of("0..119"), "{ min = 0, max = 119 }");
        assert_eq!(of("-1.5..41/0.5"), "{ min = -1.5, max = 41, step = 0.5 }");
        for wrong in ["", "a||b", "0..x", "0..1/", "@", "007..9", "1e5..2e5", "..5"] {
            let found = Domain::parsed(wrong);
            assert!(found.is_err() || wrong == "@", "{wrong}: {found:?}");
        }
        for wrong in ["9..1", "0..1/0", "0..1/-1", "@no/such/file", "a|a", "a|b|a"] {
            assert!(Domain::parsed(wrong).is_err(), "{wrong}");
        }
        // A table of values that are numbers reads as TOML.
        let text = format!("domain = {}", of("1..3/1"));
        assert!(toml::from_str::<toml::Table>(&text).is_ok());
    }

    #[test]
    fn a_budget_is_one_that_can_be_kept() {
        let epsilon = |epsilon| Answers { epsilon: Some(epsilon), ..Answers::default() }.check();
        let delta = |delta| Answers { delta: Some(delta), ..Answers::default() }.check();
        assert!(epsilon(1.0).is_ok() && delta(1e-9).is_ok());
        for wrong in [0.0, -1.0, 1e-300, 1e300, f64::MAX, -f64::MAX, f64::INFINITY, f64::NAN] {
            assert!(epsilon(wrong).is_err() && delta(wrong).is_err(), "{wrong}");
        }
        assert!(delta(1.0).is_err());
    }

    #[test]
    fn a_column_has_one_domain() {
        let of = |declare: &[&str]| Answers {
            declare: declare.iter().map(|text| (*text).into()).collect(),
            ..Answers::default()
        };
        assert_eq!(of(&["sex=f|m", "age=0..9"]).domains().unwrap().len(), 2);
        assert!(of(&["sex=f|m", "sex=f"]).domains().unwrap_err().to_string().contains("entry 2"));
        assert!(of(&["sex"]).domains().is_err() && of(&["=a"]).domains().is_err());
    }

    #[test]
    fn only_methods_that_invent_records_are_taken() {
        let of = |method: &str| Answers { method: Some(method.into()), ..Answers::default() };
        let default = Answers::default().method().unwrap();
        assert_eq!(of(default).method().unwrap(), default);
        let refused = of("optimal").method().unwrap_err().to_string();
        assert!(refused.contains(default), "{refused}");
    }
}
