//! A person column at each of its levels.

use std::collections::BTreeSet;

use velamen_core::error::Problem;
use velamen_core::hierarchy::{NULL, Rule, TOP};

use crate::loaded::Coded;
use crate::plan::PlannedColumn;

/// Where a person column comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Source {
    /// A column of the table of persons.
    Column(usize),
    /// Whether a person has a row in a table.
    Fact(usize),
}

/// A person column.
#[derive(Debug)]
pub(crate) struct Attribute {
    pub(crate) name: String,
    pub(crate) source: Source,
    /// The value of each person at level 0.
    pub(crate) leaves: Vec<u32>,
    pub(crate) levels: Vec<Level>,
    /// The level that the recipe asks for.
    pub(crate) asked: Option<u8>,
    /// The finest level that is allowed.
    pub(crate) least: u8,
    /// Whether it is a birth.
    pub(crate) is_birth: bool,
    /// Whether each class has a value of its own, in place of levels.
    pub(crate) is_local: bool,
}

/// What values become at a level.
#[derive(Debug)]
pub(crate) struct Level {
    /// The number of the released value of each leaf.
    pub(crate) map: Vec<u32>,
    /// The released values.
    pub(crate) values: Vec<String>,
    /// What each stands for.
    pub(crate) labels: Vec<String>,
    /// The share of its detail that each has lost, 0 to 1.
    pub(crate) losses: Vec<f64>,
    /// What the oldest show, where it is a birth.
    pub(crate) oldest: Option<String>,
}

impl Level {
    /// Whether it shows nothing.
    pub(crate) fn is_empty(&self) -> bool {
        self.values == ["*"]
    }
}

/// The year that a birth's text begins with.
pub(super) fn year(text: &str) -> Option<i32> {
    text.get(..4)?.parse().ok()
}

impl Attribute {
    /// Of a column of the table of persons. `cut` is the last year of birth of those whose age is not told; a birth's days
    /// show a year where only one is allowed.
    pub(super) fn of_column(
        place: usize,
        column: &PlannedColumn,
        coded: &Coded,
        rule: Option<&Rule>,
        (cut, shows_years): (Option<i32>, bool),
    ) -> Result<Self, (usize, Problem)> {
        let rule = rule.unwrap_or(&Rule::Flat);
        let wrong = coded.texts.iter().position(|text| !rule.contains(text));
        if let Some(row) = wrong.and_then(|wrong| coded.codes.iter().position(|code| code as usize == wrong))
        {
            return Err((row, Problem::new("not in its hierarchy").expected(rule.expectation())));
        }
        let level = |level: u8| match cut {
            Some(cut) => births(rule, &coded.texts, level, (cut, shows_years)),
            None => plain(rule, &coded.texts, level, &column.name),
        };
        Ok(Self {
            name: column.name.clone(),
            source: Source::Column(place),
            leaves: coded.codes.iter().collect(),
            levels: (0..=rule.top()).map(level).collect(),
            asked: column.level.map(|asked| asked.min(rule.top())),
            least: column.least.min(rule.top()),
            is_birth: cut.is_some(),
            is_local: false,
        })
    }

    /// Whether it may be shown at the level behind this one.
    pub(super) fn can_climb(&self, level: u8) -> bool {
        self.asked.is_none() && usize::from(level) + 1 < self.levels.len()
    }

    /// Whether persons have a row in a table.
    pub(super) fn of_fact(table: usize, name: &str, has: Vec<u32>) -> Self {
        let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        let level = |map: Vec<u32>, values: &[&str], losses: Vec<f64>| Level {
            map,
            values: texts(values),
            labels: texts(values),
            losses,
            oldest: None,
        };
        let levels =
            vec![level(vec![0, 1], &["no", "yes"], vec![0.0, 0.0]), level(vec![0, 0], &["*"], vec![1.0])];
        Self {
            name: name.to_owned(),
            source: Source::Fact(table),
            leaves: has,
            levels,
            asked: None,
            least: 0,
            is_birth: false,
            is_local: false,
        }
    }
}

/// What a missing value is released as: an empty cell would look like one that was emptied. For OMOP's concepts it is 0, no
/// matching concept.
pub(super) fn missing(name: &str) -> &'static str {
    if name.to_ascii_lowercase().ends_with("_concept_id") { "0" } else { "missing" }
}

/// Labels and losses as the hierarchy has them; a missing value has a name of its own.
fn plain(rule: &Rule, texts: &[String], level: u8, name: &str) -> Level {
    // The oldest are one value, whatever their age.
    let coded: Vec<String> =
        texts.iter().map(|text| rule.coded(text).unwrap_or_else(|| text.clone())).collect();
    let distinct: BTreeSet<&String> = coded.iter().collect();
    let (leaves, hierarchy) = rule.over(distinct.into_iter().cloned().collect(), false);
    let codes: Vec<u32> = (0..leaves.len() as u32).map(|leaf| hierarchy.code(level, leaf)).collect();
    let place = |text: &String| leaves.iter().position(|leaf| leaf == text).map_or(0, |leaf| codes[leaf]);
    let label = |label: &String| if label == NULL { missing(name).to_owned() } else { label.clone() };
    let values: Vec<String> = hierarchy.labels(level).iter().map(label).collect();
    let losses = (0..values.len() as u32).map(|code| hierarchy.degree(level, code)).collect();
    Level { map: coded.iter().map(place).collect(), labels: values.clone(), values, losses, oldest: None }
}

/// The years that a birth can have.
pub(super) const YEARS: std::ops::RangeInclusive<i32> = 1800..=2200;

/// Years of birth in bands: a band is released as its middle year, and all that reach into the years up to `cut` are one,
/// released as its last year.
fn births(rule: &Rule, texts: &[String], level: u8, (cut, shows_years): (i32, bool)) -> Level {
    let is_day = texts.iter().any(|text| text.len() > 4);
    // The month and the day of a birth are never shown.
    let level = if is_day { level.max(1) } else { level };
    let is_named = is_day && !shows_years;
    let text = |year: i32| if is_day { format!("{year}-01-01") } else { year.to_string() };
    let years: Vec<(i32, String)> = YEARS
        .filter(|&year| rule.contains(&text(year)))
        .map(|year| (year, rule.label_at(&text(year), level)))
        .collect();
    let old: Vec<&String> = years.iter().filter(|(year, _)| *year <= cut).map(|(_, label)| label).collect();
    let top = years.iter().filter(|(_, label)| old.contains(&label)).map(|(year, _)| *year).max();
    let domain = years.len().max(2) as f64 - 1.0;
    let oldest = top
        .filter(|_| level < rule.top())
        .map(|top| if is_named { format!("{top} or earlier") } else { top.to_string() });
    let mut made =
        Level { map: Vec::new(), values: Vec::new(), labels: Vec::new(), losses: Vec::new(), oldest };
    for value in texts {
        let born = year(value);
        let is_old = born.zip(top).is_some_and(|(born, top)| born <= top);
        let (released, label, loss) = match (&made.oldest, top) {
            (Some(shown), Some(top)) if is_old => {
                let covered = years.iter().filter(|(year, _)| *year <= top).count() as f64;
                (shown.clone(), format!("{top} or earlier"), (covered - 1.0) / domain)
            }
            _ => band(rule, value, level, &years, is_named, domain),
        };
        let number = made.values.iter().position(|value| *value == released).unwrap_or_else(|| {
            made.values.push(released);
            made.labels.push(label);
            made.losses.push(loss.clamp(0.0, 1.0));
            made.values.len() - 1
        });
        made.map.push(number as u32);
    }
    made
}

/// The released value of a birth, what it stands for and what it lost.
fn band(
    rule: &Rule,
    value: &str,
    level: u8,
    years: &[(i32, String)],
    is_named: bool,
    domain: f64,
) -> (String, String, f64) {
    let label = rule.label_at(value, level);
    // A birth that is not known can be any.
    let label = if label == NULL { TOP.to_owned() } else { label };
    if level == rule.top() || label == TOP {
        return (label.clone(), label, 1.0);
    }
    let inside = || years.iter().filter(|(_, other)| *other == label).map(|(year, _)| *year);
    match (inside().min(), inside().max()) {
        (Some(low), Some(high)) if !is_named => {
            let name = if low == high { low.to_string() } else { format!("{low}-{high}") };
            (((low + high) / 2).to_string(), name, f64::from(high - low) / domain)
        }
        (Some(low), Some(high)) => (label.clone(), label, f64::from(high - low) / domain),
        _ => (label.clone(), label, 0.0),
    }
}

#[cfg(test)]
mod tests {
    use velamen_core::hierarchy::Definition;

    use super::*;
    use crate::compact::Compact;
    use crate::plan::Use;

    fn years(rule: &Rule, texts: &[&str], cut: i32) -> Attribute {
        let coded = Coded::of(texts.iter().map(|t| (*t).to_owned()).collect(), &Compact::own(texts.len()));
        let used = Use::QuasiIdentifier { birth: true };
        let column = PlannedColumn {
            name: "year_of_birth".into(),
            used,
            level: None,
            least: 0,
            is_given: false,
            is_intended: false,
        };
        Attribute::of_column(0, &column, &coded, Some(rule), (Some(cut), false)).unwrap()
    }

    fn interval() -> Rule {
        let definition =
            Definition::Interval { interval: vec![5.0, 10.0], min: 1900.0, max: 2039.0, decimals: 0 };
        Rule::try_from(&definition).unwrap()
    }

    #[test]
    fn a_band_is_released_as_its_middle_and_the_oldest_are_one() {
        let births = years(&interval(), &["1903", "1931", "1934", "1936", "1999"], 1932);
        let shown = |person: usize, level: usize| {
            let level = &births.levels[level];
            level.values[level.map[births.leaves[person] as usize] as usize].clone()
        };
        // 1932 lies in the band 1930 to 1934, which joins the oldest as a whole.
        assert_eq!(
            (0..5).map(|person| shown(person, 1)).collect::<Vec<_>>(),
            ["1934", "1934", "1934", "1937", "1997"]
        );
        assert_eq!(births.levels[1].oldest.as_deref(), Some("1934"));
        assert!(births.levels[1].labels.contains(&"1934 or earlier".to_owned()));
        assert!(births.levels[1].labels.contains(&"1995-1999".to_owned()));
        assert_eq!((shown(2, 0), shown(3, 0), shown(4, 3)), ("1934".into(), "1936".into(), "*".into()));
        assert_eq!(shown(1, 0), "1932");
    }

    #[test]
    fn what_a_hierarchy_lacks_is_refused_with_its_row() {
        let coded = Coded::of(vec!["1903".into(), "1831".into()], &[0, 1, 0].into_iter().collect());
        let used = Use::QuasiIdentifier { birth: true };
        let column = PlannedColumn {
            name: "year_of_birth".into(),
            used,
            level: None,
            least: 0,
            is_given: false,
            is_intended: false,
        };
        let (row, problem) =
            Attribute::of_column(0, &column, &coded, Some(&interval()), (Some(1932), false)).unwrap_err();
        assert_eq!(row, 1);
        assert!(!problem.text().contains("1831"));
    }
}
