//! Top and bottom coding: numbers at the ends of a domain become `>=top` and `<=bottom`.

use super::{Ancestor, HierarchyError, IntervalRule};
use crate::error::Problem;
use crate::label::{Open, number, position};

/// Numbers whose ends are coded before everything else: a coded number is a leaf of its own, which
/// covers all numbers that it stands for.
#[derive(Debug, Clone, PartialEq)]
pub struct CodedRule {
    /// The intervals above the leaves; `None` for numbers without hierarchy.
    inner: Option<IntervalRule>,
    bottom: Option<f64>,
    top: Option<f64>,
}

impl CodedRule {
    /// A rule with its bounds.
    ///
    /// # Errors
    /// [`HierarchyError::Parameters`] if there is no bound, the bounds are out of order or outside
    /// the domain, or one lies inside an interval of some level which has other values as well: those
    /// would be released as the interval, and the coded ones beside it.
    pub fn new(
        inner: Option<IntervalRule>,
        bottom: Option<f64>,
        top: Option<f64>,
    ) -> Result<Self, HierarchyError> {
        let refuse =
            |keys: &[&str], problem: Problem| Err(HierarchyError::Parameters(Problem::of(keys, problem)));
        if [bottom, top].into_iter().flatten().any(|bound| !bound.is_finite()) {
            return refuse(&["top", "bottom"], "`top` and `bottom` must be numbers".into());
        }
        if matches!((bottom, top), (Some(bottom), Some(top)) if bottom >= top) {
            return refuse(&["bottom", "top"], "`bottom` must be less than `top`".into());
        }
        if let Some(rule) = &inner {
            for (name, bound) in [("bottom", bottom), ("top", top)] {
                let Some(bound) = bound else { continue };
                let text = bound.to_string();
                if rule.parse(&text).is_none() {
                    return refuse(
                        &[name],
                        format!("`{name}` = {text} is not {}", rule.expectation()).into(),
                    );
                }
                if let Some(interval) = rule.broken_by(&text, name == "top") {
                    return refuse(
                        &[name],
                        Problem::new(format!(
                            "`{name}` = {text} lies inside the interval {interval}, so that it would be \
                                released beside the coded values"
                        ))
                        .mend(format!(
                            "choose a bound at which an interval of every level {}",
                            if name == "top" { "begins" } else { "ends" }
                        )),
                    );
                }
            }
        }
        Ok(Self { inner, bottom, top })
    }

    /// The intervals above the leaves.
    #[must_use]
    pub fn intervals(&self) -> Option<&IntervalRule> {
        self.inner.as_ref()
    }

    pub(super) fn height(&self) -> u8 {
        self.inner.as_ref().map_or(1, IntervalRule::top)
    }

    pub(super) fn contains(&self, value: &str) -> bool {
        match &self.inner {
            Some(rule) => rule.parse(value).is_some(),
            None => number(value).is_some(),
        }
    }

    pub(super) fn expectation(&self) -> String {
        self.inner.as_ref().map_or_else(|| "a number".into(), IntervalRule::expectation)
    }

    fn top_label(&self) -> Option<String> {
        self.top.map(|top| Open::Above.label(top))
    }

    fn bottom_label(&self) -> Option<String> {
        self.bottom.map(|bottom| Open::Below.label(bottom))
    }

    /// The label that a number of the domain is coded as; `None` for one between the bounds.
    pub(super) fn coded(&self, value: &str) -> Option<String> {
        let number = number(value)?;
        match (self.bottom, self.top) {
            (_, Some(top)) if number >= top => self.top_label(),
            (Some(bottom), _) if number <= bottom => self.bottom_label(),
            _ => None,
        }
    }

    /// The number of a leaf: of a coded one, its bound.
    #[must_use]
    pub fn position(&self, leaf: &str) -> Option<f64> {
        position(leaf)
    }

    /// The value over a leaf; `None` at the top.
    pub(super) fn ancestor(&self, leaf: &str, level: u8) -> Option<Ancestor> {
        let coded = Open::read(leaf);
        let plain = || Ancestor { label: leaf.to_owned(), leaves: 1 };
        let Some(rule) = &self.inner else { return (level == 0).then(plain) };
        // The numbers that a coded leaf stands for.
        let own = coded.map(|(open, bound)| rule.beyond(bound, open == Open::Above).unwrap_or(1));
        if level > 0 {
            let above = rule.ancestor(coded.map_or(leaf, |(_, bound)| bound), level)?;
            // An interval that begins at the bound covers no more than the coded value.
            if own.is_none_or(|own| above.leaves > own) {
                return Some(above);
            }
        }
        Some(Ancestor { leaves: own.unwrap_or(1), ..plain() })
    }

    pub(super) fn domain(&self) -> Option<u64> {
        self.inner.as_ref().map(IntervalRule::domain)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hierarchy::{Cuts, Rule};

    fn ages(bottom: Option<f64>, top: Option<f64>) -> Result<CodedRule, HierarchyError> {
        let rule = IntervalRule::new(Cuts::Sizes(vec![5, 20]), 0, 99, 0).unwrap();
        CodedRule::new(Some(rule), bottom, top)
    }

    #[test]
    fn coded_values_are_leaves_of_their_own() {
        let rule = ages(Some(19.0), Some(90.0)).unwrap();
        assert_eq!(rule.coded("93").as_deref(), Some(">=90"));
        assert_eq!((rule.coded("19").as_deref(), rule.coded("20")), (Some("<=19"), None));
        let values = ["<=19", "20", "89", ">=90"].map(String::from).to_vec();
        let (leaves, hierarchy) = Rule::Coded(rule).over(values.iter().rev().cloned().collect(), false);
        assert_eq!(leaves, values);
        assert_eq!(hierarchy.labels(1), ["<=19", "[20-24]", "[85-89]", ">=90"]);
        assert_eq!(hierarchy.labels(2), ["<=19", "[20-39]", "[80-99]"]);
        assert_eq!([0, 1, 3].map(|code| hierarchy.leaves(0, code)), [20, 1, 10]);
        assert_eq!((hierarchy.labels(3), hierarchy.domain()), (&["*".to_owned()][..], 100));
    }

    #[test]
    fn bounds_that_break_nesting_are_refused() {
        let refused = |rule: Result<CodedRule, HierarchyError>| rule.unwrap_err().to_string();
        assert!(refused(ages(None, Some(93.0))).contains("[90-94]"));
        assert!(refused(ages(None, Some(75.0))).contains("[60-79]"));
        assert!(refused(ages(Some(20.0), None)).contains("[20-24]"));
        assert!(refused(ages(Some(50.0), Some(20.0))).contains("less than"));
        assert!(refused(ages(None, Some(200.0))).contains("whole number"));
    }

    #[test]
    fn numbers_without_hierarchy_have_the_data_as_domain() {
        let rule = Rule::Coded(CodedRule::new(None, None, Some(9.5)).unwrap());
        let values = ["2", ">=9.5", "", "-1"].map(String::from).to_vec();
        let (leaves, hierarchy) = rule.over(values, false);
        assert_eq!(leaves, ["", "-1", "2", ">=9.5"]);
        assert_eq!((hierarchy.domain(), hierarchy.is_public(), hierarchy.top()), (4, false, 1));
        assert!(rule.contains("1e3") && !rule.contains("x"));
    }
}
