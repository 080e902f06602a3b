//! Ordered values in groups of neighbours: `low < medium < high`.
//!
//! # Summary
//! A short form of a table: the values in order, and per level how many neighbours make a group.
//!
//! # Definition
//! A level is a size s (groups of s values, the last one maybe smaller) or a list of groups, each with its
//! number of values and maybe a name. A group without name is `[first..last]`, one of a single value that
//! value. `*` is above the last level.
//!
//! # Parameters
//! `ordered`, the values; `groups`, the levels.
//!
//! # Errors
//! No value, a group of none, groups that do not add up to the values, a group that cuts one of the level
//! below.
//!
//! # Complexity
//! O(values · levels).
//!
//! # References
//! None.
//!
//! # Deviations
//! None.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Definition, HierarchyError, TOP};
use crate::error::Problem;
use crate::label;

/// Ordered values as recipes write them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Ordered {
    /// The values, in order.
    pub ordered: Vec<String>,
    /// Per level the size of its groups, or the groups.
    #[serde(default)]
    pub groups: Vec<Grouping>,
}

/// One level.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "expected a size, or a list of sizes or { name, size }")]
pub enum Grouping {
    /// Groups of one size.
    Size(usize),
    /// Groups in order.
    Groups(Vec<Group>),
}

/// One group.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "expected a size or { name, size }")]
pub enum Group {
    /// So many values.
    Size(usize),
    /// So many values, released under a name.
    Named {
        /// What is released.
        name: String,
        /// How many values.
        size: usize,
    },
}

impl Group {
    fn size(&self) -> usize {
        match self {
            Self::Size(size) | Self::Named { size, .. } => *size,
        }
    }
}

impl Grouping {
    fn groups(&self, values: usize) -> Vec<Group> {
        match self {
            Self::Groups(groups) => groups.clone(),
            Self::Size(size) => {
                let size = (*size).max(1);
                (0..values).step_by(size).map(|start| Group::Size(size.min(values - start))).collect()
            }
        }
    }
}

impl Ordered {
    /// The table.
    ///
    /// # Errors
    /// [`HierarchyError::Parameters`] with the level that does not fit.
    pub fn definition(&self) -> Result<Definition, HierarchyError> {
        let refuse = |keys: &[&str], text: String| Err(HierarchyError::Parameters(Problem::of(keys, text)));
        if self.ordered.is_empty() {
            return refuse(
                &["ordered"],
                "`ordered` lists the values in order: [\"low\", \"medium\", \"high\"]".into(),
            );
        }
        let mut rows: Vec<Vec<String>> = self.ordered.iter().map(|value| vec![value.clone()]).collect();
        let mut below: Vec<usize> = (1..=self.ordered.len()).collect();
        for (level, grouping) in (1..).zip(&self.groups) {
            let located = |problem: Problem| {
                let problem = problem.after(&format!("level {level} of `groups`: "));
                HierarchyError::Parameters(problem.with(&["groups"]))
            };
            let (labels, ends) = self.level(grouping).map_err(located)?;
            if let Some(end) = ends.iter().find(|end| !below.contains(end)) {
                let problem = format!(
                    "level {level} of `groups`: a group ends after value {end}, within a group of the level below"
                );
                let problem = Problem::of(&["groups"], problem);
                let mend = "each group is made of whole groups of the level below";
                return Err(HierarchyError::Parameters(problem.mend(mend)));
            }
            rows.iter_mut().zip(labels).for_each(|(row, label)| row.push(label));
            below = ends;
        }
        rows.iter_mut().for_each(|row| row.push(TOP.to_owned()));
        Ok(Definition::Table { rows })
    }

    /// The label over each value, and after how many values each group ends.
    fn level(&self, grouping: &Grouping) -> Result<(Vec<String>, Vec<usize>), Problem> {
        let values = self.ordered.len();
        let groups = grouping.groups(values);
        let total = groups.iter().try_fold(0usize, |sum, group| sum.checked_add(group.size()));
        if matches!(grouping, Grouping::Size(0)) || groups.iter().any(|group| group.size() == 0) {
            return Err("a group has at least one value".into());
        }
        if total != Some(values) {
            return Err(format!("the sizes of the groups must add up to the {values} values").into());
        }
        let (mut labels, mut ends, mut start) = (Vec::new(), Vec::new(), 0);
        for group in &groups {
            let end = start + group.size();
            labels.extend(std::iter::repeat_n(self.label(group, start, end), group.size()));
            ends.push(end);
            start = end;
        }
        Ok((labels, ends))
    }

    fn label(&self, group: &Group, start: usize, end: usize) -> String {
        match group {
            Group::Named { name, .. } => name.clone(),
            Group::Size(1) => self.ordered[start].clone(),
            Group::Size(_) => label::of_texts(&self.ordered[start], &self.ordered[end - 1]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hierarchy::Rule;

    fn of(groups: &str) -> Result<Definition, HierarchyError> {
        let ordered = ["none", "low", "medium", "high", "severe"].map(String::from).to_vec();
        Ordered { ordered, groups: serde_json::from_str(groups).unwrap() }.definition()
    }

    #[test]
    fn neighbours_are_grouped() {
        let Ok(Definition::Table { rows }) = of(r#"[2, [{"name":"mild","size":4}, 1]]"#) else { panic!() };
        assert_eq!(rows[1], ["low", "[none..low]", "mild", "*"]);
        assert_eq!(rows[4], ["severe", "severe", "severe", "*"]);
        let rule = Rule::try_from(&Definition::Table { rows }).unwrap();
        assert_eq!(rule.label_at("high", 1), "[medium..high]");
    }

    #[test]
    fn groups_nest_and_cover_all_values() {
        let message = |groups: &str| of(groups).unwrap_err().to_string();
        assert!(message("[2, 3]").contains("level 2 of `groups`: a group ends after value 3"));
        assert!(message("[[2, 2]]").contains("add up to the 5 values"));
        assert!(message("[0]").contains("at least one value"));
        assert!(message("[[5, 0]]").contains("at least one value"));
        assert!(Ordered { ordered: vec![], groups: vec![] }.definition().is_err());
    }
}
