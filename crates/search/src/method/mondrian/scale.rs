//! How Mondrian sees an attribute: values in an order, or a tree.

use velamen_core::hierarchy::{Hierarchy, NULL, Rule, TOP};
use velamen_core::label::{Open, of_numbers, of_texts, position};
use velamen_core::recoding::{Region, ReleasedValue};

/// An attribute's values as they are cut.
#[derive(Debug, Clone)]
pub(super) enum Scale {
    /// In an order, cut at the median, released as ranges.
    Ordered(Order),
    /// In a tree, cut into the children of a node, released as its nodes.
    Tree,
}

/// Leaf codes in an order.
#[derive(Debug, Clone)]
pub(super) struct Order {
    /// By code, its place.
    pub(super) rank: Vec<u32>,
    /// By place, its code.
    code: Vec<u32>,
    /// The place of the missing value, which is in no order with the others.
    pub(super) null: Option<u32>,
    /// By place, how far along the order it lies.
    position: Vec<f64>,
    /// Whether the first and last places are coded: open ends of the order.
    open: (bool, bool),
    domain: Domain,
}

/// What the domain is.
enum Source {
    /// Numbers at steps of 1 / scale.
    Steps(f64),
    /// All numbers of the domain, ascending.
    Listed(Vec<f64>),
    /// Text.
    Text,
}

/// What the leaves under a range are counted by.
#[derive(Debug, Clone)]
enum Domain {
    /// Numbers at steps of 1 / scale; coded ones count by the hierarchy.
    Steps(f64),
    /// Numbers that a list has: by place, how many of it are below, and how many are not above.
    Listed { below: Vec<u64>, upto: Vec<u64> },
    /// Text: the values that occur.
    Text,
}

/// The numbers among values, ascending; `None` if a value is neither a number nor missing.
fn numbers<'a>(values: impl Iterator<Item = &'a str>) -> Option<Vec<f64>> {
    let present = values.filter(|value| *value != NULL);
    let mut numbers = present.map(position).collect::<Option<Vec<f64>>>()?;
    numbers.sort_by(f64::total_cmp);
    Some(numbers)
}

impl Scale {
    /// Intervals and cuts are numbers; so is every attribute whose values all are, but for codes
    /// with a mask and those of a standard. What has no hierarchy and is no number is in the order of code points.
    pub(super) fn new(rule: &Rule, hierarchy: &Hierarchy) -> Self {
        let leaves = || hierarchy.labels(0).iter().map(String::as_str);
        let domain = match rule {
            Rule::Mask(_) | Rule::Standard(_) => None,
            Rule::Interval(rule) => Some(Source::Steps(10f64.powi(rule.decimals() as i32))),
            Rule::Coded(rule) => Some(match rule.intervals() {
                Some(rule) => Source::Steps(10f64.powi(rule.decimals() as i32)),
                None => Source::Listed(numbers(leaves()).unwrap_or_default()),
            }),
            Rule::Table(rule) => numbers(rule.rows().iter().map(|row| row[0].as_str())).map(Source::Listed),
            Rule::Flat => Some(numbers(leaves()).map_or(Source::Text, Source::Listed)),
        };
        let coded = matches!(rule, Rule::Coded(_));
        domain.map_or(Self::Tree, |domain| Self::Ordered(Order::new(domain, hierarchy.labels(0), coded)))
    }
}

impl Scale {
    /// An order where all values that occur are numbers, else a tree.
    pub(super) fn of_numbers(hierarchy: &Hierarchy) -> Self {
        let labels = hierarchy.labels(0);
        let order = |found| Order::new(Source::Listed(found), labels, false);
        numbers(labels.iter().map(String::as_str)).map_or(Self::Tree, |found| Self::Ordered(order(found)))
    }
}

impl Domain {
    /// Counted once by place: ranges are asked for again and again.
    fn of(source: Source, positions: &[f64]) -> Self {
        match source {
            Source::Steps(scale) => Self::Steps(scale),
            Source::Text => Self::Text,
            Source::Listed(numbers) => {
                let count = |within: &dyn Fn(f64, f64) -> bool| -> Vec<u64> {
                    let of = |&to: &f64| numbers.partition_point(|&number| within(number, to)) as u64;
                    positions.iter().map(of).collect()
                };
                Self::Listed {
                    below: count(&|number, to| number < to),
                    upto: count(&|number, to| number <= to),
                }
            }
        }
    }
}

impl Order {
    fn new(source: Source, labels: &[String], coded: bool) -> Self {
        let text = matches!(source, Source::Text);
        let value = |code: u32| match labels[code as usize].as_str() {
            NULL => f64::NEG_INFINITY,
            _ if text => f64::from(code),
            label => position(label).unwrap_or(0.0),
        };
        let mut code: Vec<u32> = (0..labels.len() as u32).collect();
        code.sort_by(|&a, &b| value(a).total_cmp(&value(b)).then(a.cmp(&b)));
        let mut rank = vec![0; code.len()];
        for (place, &code) in (0..).zip(&code) {
            rank[code as usize] = place;
        }
        let null = labels.iter().position(|label| label == NULL).map(|code| rank[code]);
        let ends =
            |open| labels.iter().any(|label| Open::read(label).is_some_and(|end| coded && end.0 == open));
        let open = (ends(Open::Below), ends(Open::Above));
        let position: Vec<f64> = code.iter().map(|&code| value(code)).collect();
        let domain = Domain::of(source, &position);
        Self { rank, position, code, null, open, domain }
    }

    /// Whether a range has the missing value and others.
    pub(super) fn is_mixed(&self, low: u32, high: u32) -> bool {
        self.null.is_some_and(|null| low <= null && null <= high) && low < high
    }

    /// The share of the table's range that a range covers.
    pub(super) fn extent(&self, low: u32, high: u32) -> f64 {
        if low == high || self.is_mixed(low, high) {
            return if low == high { 0.0 } else { 1.0 };
        }
        let first = self.position.iter().copied().find(|position| position.is_finite()).unwrap_or(0.0);
        let whole = self.position.last().map_or(0.0, |last| last - first);
        let span = self.position[high as usize] - self.position[low as usize];
        // Equal numbers that are written differently can still be cut.
        if whole > 0.0 { (span / whole).max(f64::MIN_POSITIVE) } else { f64::MIN_POSITIVE }
    }

    /// What is released of a range; `level` is that of the lowest node over it.
    pub(super) fn region(&self, low: u32, high: u32, level: u8, hierarchy: &Hierarchy) -> Region {
        let label = |place: u32| hierarchy.label(0, self.code[place as usize]);
        let leaves = self.covered(low, high, hierarchy);
        let (label, level) = if low == high {
            (label(low).to_owned(), 0)
        } else {
            let (low_label, high_label) = (label(low), label(high));
            match (self.is_open_below(low), self.is_open_above(high)) {
                _ if self.is_all(low, high) => (TOP.to_owned(), hierarchy.top()),
                (true, _) => (Open::Below.label(high_label), level),
                (_, true) => (Open::Above.label(low_label), level),
                _ if matches!(self.domain, Domain::Text) => (of_texts(low_label, high_label), level),
                _ => (of_numbers(low_label, high_label), level),
            }
        };
        Region { value: ReleasedValue { label, leaves, level }, order: (low, high) }
    }

    /// The leaves of the domain under what is released of a range.
    pub(super) fn covered(&self, low: u32, high: u32, hierarchy: &Hierarchy) -> u64 {
        if low == high {
            hierarchy.leaves(0, self.code[low as usize])
        } else if self.is_all(low, high) {
            hierarchy.domain()
        } else {
            self.leaves(low, high, hierarchy)
        }
    }

    /// Whether a range of several places can only be released as the whole domain.
    fn is_all(&self, low: u32, high: u32) -> bool {
        self.is_mixed(low, high) || (self.is_open_below(low) && self.is_open_above(high))
    }

    fn is_open_below(&self, low: u32) -> bool {
        self.open.0 && low == self.null.map_or(0, |null| null + 1)
    }

    fn is_open_above(&self, high: u32) -> bool {
        self.open.1 && high as usize == self.code.len() - 1
    }

    fn leaves(&self, low: u32, high: u32, hierarchy: &Hierarchy) -> u64 {
        let (from, to) = (self.position[low as usize], self.position[high as usize]);
        let coded = |place: u32| hierarchy.leaves(0, self.code[place as usize]) - 1;
        match &self.domain {
            Domain::Steps(scale) => ((to - from) * scale).round() as u64 + 1 + coded(low) + coded(high),
            Domain::Listed { below, upto } => upto[high as usize] - below[low as usize],
            Domain::Text => u64::from(high - low) + 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use velamen_checker::{PromisedAttribute, read};
    use velamen_core::hierarchy::{CodedRule, Cuts, Definition, IntervalRule, TableRule};
    use velamen_core::label::Range;
    use velamen_core::recoding::Recoding;

    fn ordered(rule: &Rule, values: &[&str]) -> (Order, Hierarchy) {
        let (_, hierarchy) = rule.over(values.iter().map(|v| (*v).to_owned()).collect(), false);
        match Scale::new(rule, &hierarchy) {
            Scale::Ordered(order) => (order, hierarchy),
            Scale::Tree => panic!("expected an order"),
        }
    }

    fn shown(rule: &Rule, values: &[&str], low: u32, high: u32) -> (String, u64) {
        let (order, hierarchy) = ordered(rule, values);
        let value = order.region(low, high, 1, &hierarchy).value;
        (value.label, value.leaves)
    }

    #[test]
    fn ranges_count_the_leaves_of_the_domain() {
        let ages = Rule::Interval(IntervalRule::new(Cuts::Sizes(vec![5]), 0, 99, 0).unwrap());
        assert_eq!(shown(&ages, &["40", "", "7"], 1, 2), ("[7-40]".into(), 34));
        assert_eq!(shown(&ages, &["40", "", "7"], 0, 1), ("*".into(), 101));
        let rows = ["10", "9", "30"].map(|leaf| vec![leaf.to_owned(), "*".to_owned()]);
        let table = Rule::Table(TableRule::new(rows.to_vec()).unwrap());
        assert_eq!(shown(&table, &["30", "9"], 0, 1), ("[9-30]".into(), 3));
        assert_eq!(shown(&Rule::Flat, &["b", "a", "c"], 0, 1), ("[a..b]".into(), 2));
    }

    #[test]
    fn coded_ends_make_open_ranges() {
        let ages = IntervalRule::new(Cuts::Sizes(vec![5]), 0, 99, 0).unwrap();
        let ages = Rule::Coded(CodedRule::new(Some(ages), Some(19.0), Some(90.0)).unwrap());
        let values = ["<=19", "30", "50", ">=90"];
        assert_eq!(shown(&ages, &values, 0, 1), ("<=30".into(), 31));
        assert_eq!(shown(&ages, &values, 1, 2), ("[30-50]".into(), 21));
        assert_eq!(shown(&ages, &values, 2, 3), (">=50".into(), 50));
        assert_eq!(shown(&ages, &values, 0, 3), ("*".into(), 100));
        assert_eq!(shown(&ages, &values, 3, 3), (">=90".into(), 10));
    }

    #[test]
    fn extents_are_shares_of_the_tables_range() {
        let (order, _) = ordered(&Rule::Flat, &["0", "10", "40", ""]);
        let extents = [order.extent(1, 2), order.extent(1, 3), order.extent(2, 2), order.extent(0, 1)];
        assert_eq!(extents, [0.25, 1.0, 0.0, 1.0]);
    }

    /// Values with a rule whose labels are ranges of them.
    fn attributes() -> impl Strategy<Value = (Rule, Definition, Vec<String>)> {
        let strings = |values: &[&str]| values.iter().map(|value| (*value).to_owned()).collect::<Vec<_>>();
        let numbers =
            ["<=-20", "-9", "-1.5", "-0.25", "0", "1e-3", ".5", "+7", "8.", "1e1", "12", ">=20", ""];
        let texts = ["-", "-x", "..", "A", "A.", "A..b", "Ä", "[1-2]", "b-c", "x", "7"];
        let flat =
            |values: Vec<String>| (Rule::Flat, Definition::Flat { domain: values.len() as u64 }, values);
        let table = |values: Vec<String>| {
            let rows: Vec<_> = values.iter().map(|value| vec![value.clone(), TOP.to_owned()]).collect();
            (Rule::Table(TableRule::new(rows.clone()).unwrap()), Definition::Table { rows }, values)
        };
        let ages = |values: Vec<i64>| {
            let hierarchy = Definition::Interval { interval: vec![5.0], min: -50.0, max: 49.0, decimals: 0 };
            let values = values.iter().map(i64::to_string).collect();
            (Rule::try_from(&hierarchy).unwrap(), hierarchy, values)
        };
        prop_oneof![
            prop::sample::subsequence(strings(&numbers), 3..=numbers.len()).prop_map(flat),
            prop::sample::subsequence(strings(&texts), 3..=texts.len()).prop_map(flat),
            prop::sample::subsequence(strings(&numbers), 3..=numbers.len()).prop_map(table),
            prop::collection::vec(-50..50i64, 3..9).prop_map(ages),
        ]
    }

    proptest! {
        /// Every range that is written is read as the values in it, and the checker lets it pass and counts alike.
        #[test]
        fn ranges_are_read_as_they_are_written((rule, hierarchy, values) in attributes()) {
            let null_leaf = values.iter().any(|value| value == NULL) && !matches!(rule, Rule::Table(_));
            let (_, leaves) = rule.over(values, false);
            let Scale::Ordered(order) = Scale::new(&rule, &leaves) else { panic!("expected an order") };
            let attribute = PromisedAttribute {
                recoding: Recoding::Ranges, hierarchy, null_leaf, ..PromisedAttribute::default()
            };
            let places = order.code.len() as u32;
            let value = |place: u32| leaves.label(0, order.code[place as usize]);
            for (low, high) in (0..places).flat_map(|low| (low + 1..places).map(move |high| (low, high))) {
                let written = order.region(low, high, 1, &leaves).value;
                let (may, share) = read(&attribute, &written.label);
                prop_assert!(may, "{}", written.label);
                if written.label == TOP {
                    continue;
                }
                let range = Range::read(&written.label).unwrap();
                for place in 0..places {
                    let inside = (low..=high).contains(&place);
                    let has = range.has(value(place));
                    prop_assert!(has || !inside, "{} {}", written.label, value(place));
                    // A range of texts with dots of their own may cover more.
                    let parts = written.label.matches("..").count() + written.label.matches("...").count();
                    prop_assert!(inside || !has || parts > 1, "{} {}", written.label, value(place));
                }
                if !matches!(rule, Rule::Flat) {
                    let own = (written.leaves - 1) as f64 / (leaves.domain() - 1) as f64;
                    prop_assert!((own - share).abs() < 1e-9, "{}", written.label);
                }
            }
        }
    }
}
