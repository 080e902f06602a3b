//! Whether values of a hierarchy are a cut through it: each leaf of the domain has one of them over it, and no leaf two.

use std::collections::BTreeSet;

use velamen_core::hierarchy::Definition;

use super::{Reader, bounds, number, open_end, scale};

impl Reader<'_> {
    /// Whether the values stated are a cut of values of the hierarchy, none twice, and the labels are some of them.
    pub(crate) fn of_cut(&self, cut: &[String], labels: &[&str]) -> bool {
        let values: BTreeSet<&str> = cut.iter().map(String::as_str).collect();
        values.len() == cut.len()
            && labels.iter().all(|label| values.contains(label))
            && values.iter().all(|label| self.node(label))
            && self.parts(&values)
    }

    /// Whether the values are a cut, of a hierarchy that lists or bounds its domain.
    ///
    /// Time: O(values · log values + rows · levels).
    fn parts(&self, values: &BTreeSet<&str>) -> bool {
        match &self.attribute.hierarchy {
            // A label stands for all rows that have it, at whatever level.
            Definition::Table { rows } => rows.iter().all(|row| {
                let over: BTreeSet<&str> =
                    row.iter().map(String::as_str).filter(|at| values.contains(at)).collect();
                over.len() == 1
            }),
            Definition::Mask { .. } | Definition::Flat { .. } => false,
            Definition::Interval { .. } | Definition::Cuts { .. } | Definition::Kind(_) => self.tiles(values),
        }
    }

    /// Whether the values, in the order of their leaves, begin and end with the domain and leave no gap.
    fn tiles(&self, values: &BTreeSet<&str>) -> bool {
        let spans: Option<Vec<(f64, f64)>> = values.iter().map(|label| self.span(label)).collect();
        let (Some(mut spans), Some((first, last))) = (spans, self.span("*")) else { return false };
        spans.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        let end = spans.iter().try_fold(first, |next, (low, high)| (*low == next).then_some(high + 1.0));
        end == Some(last + 1.0) && !spans.is_empty()
    }

    /// The first and the last leaf under a label, counted from any leaf on; `*` has all.
    fn span(&self, label: &str) -> Option<(f64, f64)> {
        match &self.attribute.hierarchy {
            Definition::Interval { min, max, decimals, .. } | Definition::Cuts { min, max, decimals, .. } => {
                let (low, high) = ends(label, (*min, *max))?;
                let place = |value: f64| (value * scale(*decimals)).round();
                Some((place(low.max(*min)), place(high.min(*max))))
            }
            Definition::Kind(_) => self.kind.as_ref()?.span(label),
            _ => None,
        }
    }
}

/// The least and the largest number under a label.
fn ends(label: &str, (min, max): (f64, f64)) -> Option<(f64, f64)> {
    if label == "*" {
        return Some((min, max));
    }
    let open = || open_end(label).map(|(above, bound)| if above { (bound, max) } else { (min, bound) });
    bounds(label).or_else(open).or_else(|| number(label).map(|number| (number, number)))
}

#[cfg(test)]
mod tests {
    use velamen_contract::PromisedAttribute;

    use super::*;

    fn is_cut(hierarchy: &str, values: &[&str]) -> bool {
        let attribute =
            PromisedAttribute { hierarchy: serde_json::from_str(hierarchy).unwrap(), ..Default::default() };
        let values: Vec<String> = values.iter().map(|value| (*value).to_owned()).collect();
        Reader::new(&attribute).of_cut(&values, &[])
    }

    #[test]
    fn every_leaf_has_one_value_over_it() {
        let rows = r#"{ "rows": [["a", "A", "*"], ["b", "A", "*"], ["c", "C", "*"]] }"#;
        assert!(is_cut(rows, &["A", "C"]) && is_cut(rows, &["a", "b", "C"]) && is_cut(rows, &["*"]));
        assert!(!is_cut(rows, &["A"]), "no value over c");
        // As many leaves as there are, but one of them twice.
        assert!(!is_cut(rows, &["A", "a"]) && !is_cut(rows, &["A", "a", "c"]));
        assert!(!is_cut(rows, &["A", "C", "x"]) && !is_cut(rows, &["A", "C", "C"]) && !is_cut(rows, &[]));
    }

    #[test]
    fn intervals_and_days_leave_no_gap() {
        let ages = r#"{ "interval": [5, 10], "min": 0, "max": 17 }"#;
        assert!(is_cut(ages, &["[0-9]", "[10-14]", "[15-17]"]) && is_cut(ages, &["*"]));
        assert!(is_cut(ages, &["[0-9]", "[10-14]", "15", "16", "17"]));
        assert!(
            !is_cut(ages, &["[0-9]", "[15-17]"]) && !is_cut(ages, &["[0-9]", "[0-4]", "[10-14]", "[15-17]"])
        );
        assert!(
            !is_cut(ages, &["[0-9]", "[10-14]"]) && !is_cut(ages, &["[0-8]", "[9-17]"]) && !is_cut(ages, &[])
        );
        let tenths = r#"{ "interval": [1], "min": 0, "max": 1.9, "decimals": 1 }"#;
        assert!(is_cut(tenths, &["[0.0-0.9]", "[1.0-1.9]"]) && !is_cut(tenths, &["[0.0-0.9]", "[1.0-1.8]"]));
        let days = r#"{ "date": ["month", "year"], "min": "2020-01-01", "max": "2021-12-31" }"#;
        let months: Vec<String> = (1..=12).map(|month| format!("2020-{month:02}")).collect();
        let mut values: Vec<&str> = months.iter().map(String::as_str).chain(["2021"]).collect();
        assert!(is_cut(days, &values) && is_cut(days, &["2020", "2021"]) && is_cut(days, &["*"]));
        values.remove(3);
        assert!(!is_cut(days, &values) && !is_cut(days, &["2020", "2021", "2021-03"]));
    }

    #[test]
    fn what_lists_no_domain_has_no_cut() {
        assert!(!is_cut(r#"{ "mask": "right", "length": 2, "alphabet": 10 }"#, &["*"]));
        assert!(!is_cut(r#"{ "domain": 3 }"#, &["*"]));
        // Codes have no order that each of them keeps.
        for codes in [
            r#"{ "icd-10": "who" }"#,
            r#"{ "atc": "full" }"#,
            r#"{ "us-zip": [] }"#,
            r#"{ "prefix": [1, 2] }"#,
        ] {
            assert!(!is_cut(codes, &["*"]), "{codes}");
        }
    }
}
