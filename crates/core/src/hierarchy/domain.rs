//! The whole public domain of a rule, where it can be listed.

use super::{Hierarchy, Level, Rule};

impl Rule {
    /// Every value of the domain, as it is released at level 0; `None` where the domain is read off the
    /// data, is one of codes, or has more than `most` values.
    ///
    /// A missing value is one only where the rule defines it. Time and memory: O(values).
    #[must_use]
    pub fn whole_domain(&self, most: u64) -> Option<Vec<String>> {
        let size = match self {
            Self::Interval(rule) => rule.domain(),
            Self::Coded(rule) => rule.domain()?,
            Self::Table(rule) => rule.len() as u64,
            Self::Standard(rule) => rule.structure().domain(),
            Self::Flat | Self::Mask(_) => return None,
        };
        if size > most {
            return None;
        }
        match self {
            Self::Interval(rule) => Some(rule.values().collect()),
            Self::Coded(rule) => {
                let mut values: Vec<String> =
                    rule.intervals()?.values().map(|value| rule.coded(&value).unwrap_or(value)).collect();
                values.dedup();
                Some(values)
            }
            Self::Table(rule) => Some(rule.leaves().map(str::to_owned).collect()),
            Self::Standard(rule) => rule.structure().leaves(),
            Self::Flat | Self::Mask(_) => None,
        }
    }

    /// The most values that a reader of canonical spellings can tell apart, a missing one included; `None`
    /// where the rule bounds their form, but does not number them.
    #[must_use]
    pub fn most_values(&self) -> Option<u64> {
        let listed = match self {
            Self::Interval(rule) => rule.domain(),
            Self::Coded(rule) => rule.domain()?,
            Self::Table(rule) => rule.len() as u64,
            Self::Flat | Self::Mask(_) | Self::Standard(_) => return None,
        };
        Some(listed.saturating_add(1))
    }

    /// The rule for leaves that are numbers however they are written, where a table would take them for codes.
    #[must_use]
    pub fn of_numbers(self) -> Self {
        match self {
            Self::Table(rule) => Self::Table(rule.of_numbers()),
            other => other,
        }
    }

    /// The spelling that [`Rule::whole_domain`] has of a value: numbers can be written in several ways.
    #[must_use]
    pub fn canonical(&self, value: &str) -> String {
        let number = match self {
            Self::Interval(rule) => rule.canonical(value),
            Self::Coded(rule) => rule.intervals().and_then(|rule| rule.canonical(value)),
            Self::Table(rule) => rule.canonical(value),
            _ => None,
        };
        number.unwrap_or_else(|| value.to_owned())
    }
}

impl Hierarchy {
    /// A value or `*` over so many leaves, none of which is known.
    #[must_use]
    pub fn unlisted(domain: u64) -> Self {
        let level = Level { map: Vec::new(), labels: Vec::new(), leaves: Vec::new() };
        Self {
            levels: vec![level.clone(), level],
            domain: domain.max(1),
            height: Some(1),
            public: false,
            wildcards: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{CodedRule, Cuts, IntervalRule, MaskRule, Side, TableRule};
    use super::*;

    fn numbers(decimals: u32) -> IntervalRule {
        IntervalRule::new(Cuts::Sizes(vec![5]), -2, 9, decimals).unwrap()
    }

    #[test]
    fn all_values_are_listed_whether_they_occur_or_not() {
        let rule = Rule::Interval(numbers(1));
        let values = rule.whole_domain(12).unwrap();
        assert_eq!((values.len(), &*values[0], &*values[2], &*values[11]), (12, "-0.2", "0.0", "0.9"));
        assert_eq!(rule.over(values.clone(), false).0, values);
        assert_eq!((rule.canonical("+.5"), rule.canonical("0.50")), ("0.5".into(), "0.5".into()));
        let rows = vec![vec!["b".into(), "*".into()], vec![String::new(), "*".into()]];
        assert_eq!(Rule::Table(TableRule::new(rows).unwrap()).whole_domain(2).unwrap(), ["b", ""]);
        let coded = Rule::Coded(CodedRule::new(Some(numbers(0)), Some(2.0), Some(8.0)).unwrap());
        assert_eq!(coded.whole_domain(12).unwrap(), ["<=2", "3", "4", "5", "6", "7", ">=8"]);
        assert_eq!((coded.canonical(">=8"), coded.canonical("05")), (">=8".into(), "5".into()));
    }

    #[test]
    fn what_cannot_be_listed_is_not() {
        assert_eq!(Rule::Interval(numbers(0)).whole_domain(11), None);
        assert_eq!(Rule::Flat.whole_domain(9), None);
        let mask = MaskRule::new(Side::Right, 2, 10, vec![1, 2]).unwrap();
        assert_eq!(Rule::Mask(mask).whole_domain(u64::MAX), None);
        let open = CodedRule::new(None, None, Some(9.5)).unwrap();
        assert_eq!(Rule::Coded(open).whole_domain(u64::MAX), None);
    }
}
