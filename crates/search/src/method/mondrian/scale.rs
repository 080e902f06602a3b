//! How Mondrian sees an attribute: values in an order, or a tree.

use velamen_core::hierarchy::{Hierarchy, IntervalRule, NULL, Rule, TOP};
use velamen_core::label::{Open, fits_set, of_numbers, of_set, of_texts, position};
use velamen_core::recoding::{Region, ReleasedValue};
use velamen_core::step::{Ends, day_of, shown_day};

use super::grid::{End, Kind, Layout, Line, Point, Shown};
use super::units::{Units, decimals_of};

/// An attribute's values as they are cut.
#[derive(Debug, Clone)]
pub(super) enum Scale {
    /// In an order, cut at the median, released as ranges or sets.
    Ordered(Order),
    /// In a tree, cut into the children of a node, released as its nodes.
    Tree,
}

/// Leaf codes in an order of places: values, or cells of a grid.
#[derive(Debug, Clone)]
pub(super) struct Order {
    /// By leaf code, its place.
    pub(super) rank: Vec<u32>,
    /// So many places in front are in no range with others: the missing value, and texts that too few records have.
    apart: u32,
    /// By place, how far along the order it lies.
    position: Vec<f64>,
    /// By place, the leaf that is shown where no other place is with it.
    single: Vec<Option<u32>>,
    form: Form,
}

/// What several places are released as.
#[derive(Debug, Clone)]
enum Form {
    /// From one listed number to another; by place, how many of the list are below, and how many are not above.
    Listed { below: Vec<u64>, upto: Vec<u64> },
    /// From one end of the grid to another.
    Grid(Box<Grid>),
    /// The set of the values.
    Sets,
}

/// Where ranges end.
#[derive(Debug, Clone)]
struct Grid {
    /// By place, the ends of a label that begins or ends there.
    ends: Vec<(End, End)>,
    covered: Covered,
    units: Units,
    /// The intervals above the values, and their coded ends.
    rule: Option<(Rule, (Option<i64>, Option<i64>))>,
    stated: Ends,
}

/// What the leaves under a label are counted by.
#[derive(Debug, Clone)]
enum Covered {
    /// All units from the least to the greatest.
    Steps(i64, i64),
    /// The values that occur, ascending.
    Occurring(Vec<i64>),
}

/// The most values that a set names.
const MOST_NAMED: u32 = 20;

/// The numbers among values, ascending; `None` if a value is neither a number nor missing.
fn numbers<'a>(values: impl Iterator<Item = &'a str>) -> Option<Vec<f64>> {
    let present = values.filter(|value| *value != NULL);
    let mut numbers = present.map(position).collect::<Option<Vec<f64>>>()?;
    numbers.sort_by(f64::total_cmp);
    Some(numbers)
}

impl Scale {
    /// Intervals and cuts are numbers; so is every attribute whose values all are, but for codes
    /// with a mask and those of a standard. What has no hierarchy and is no number and no day is text.
    /// `records` has those of each leaf.
    pub(super) fn new(
        rule: &Rule,
        hierarchy: &Hierarchy,
        records: &[u64],
        shown: &Shown,
    ) -> Result<Self, String> {
        let labels = hierarchy.labels(0);
        let listed = |found| Ok(Self::Ordered(Order::listed(found, labels)));
        let unstepped = |scale| match shown.step {
            None => Ok(scale),
            Some(step) => {
                Err(format!("`step` = {step} is for numbers and dates, and not all of its values are"))
            }
        };
        match rule {
            Rule::Mask(_) | Rule::Standard(_) => Ok(Self::Tree),
            Rule::Table(rule) => match numbers(rule.rows().iter().map(|row| row[0].as_str())) {
                Some(found) => listed(found),
                None => Ok(Self::Tree),
            },
            Rule::Interval(inner) => {
                Order::on_grid(Some(inner), rule, labels, records, shown).map(Self::Ordered)
            }
            Rule::Coded(coded) => {
                Order::on_grid(coded.intervals(), rule, labels, records, shown).map(Self::Ordered)
            }
            Rule::Flat if labels.iter().all(|label| label == NULL) => {
                unstepped(Self::Ordered(Order::of_texts(labels, records, shown)))
            }
            Rule::Flat if numbers(labels.iter().map(String::as_str)).is_some() => {
                Order::on_grid(None, rule, labels, records, shown).map(Self::Ordered)
            }
            Rule::Flat if labels.iter().all(|label| label == NULL || day_of(label).is_some()) => {
                Order::of_days(labels, records, shown).map(Self::Ordered)
            }
            Rule::Flat => unstepped(Self::Ordered(Order::of_texts(labels, records, shown))),
        }
    }

    /// An order where all values that occur are numbers, else a tree; for cuts alone.
    pub(super) fn of_numbers(hierarchy: &Hierarchy) -> Self {
        let labels = hierarchy.labels(0);
        let found = numbers(labels.iter().map(String::as_str));
        found.map_or(Self::Tree, |found| Self::Ordered(Order::listed(found, labels)))
    }
}

/// A leaf with its value.
#[derive(Debug, Clone, Copy)]
struct Leaf {
    code: u32,
    unit: i64,
    records: u64,
    open: Option<Open>,
}

impl Order {
    /// Numbers that a list declares: each may be an end.
    fn listed(numbers: Vec<f64>, labels: &[String]) -> Self {
        let value = |code: u32| match labels[code as usize].as_str() {
            NULL => f64::NEG_INFINITY,
            label => position(label).unwrap_or(0.0),
        };
        let mut code: Vec<u32> = (0..labels.len() as u32).collect();
        code.sort_by(|&a, &b| value(a).total_cmp(&value(b)).then(a.cmp(&b)));
        let mut rank = vec![0; code.len()];
        for (place, &code) in (0..).zip(&code) {
            rank[code as usize] = place;
        }
        let position: Vec<f64> = code.iter().map(|&code| value(code)).collect();
        // Counted once by place: ranges are asked for again and again.
        let count = |within: &dyn Fn(f64, f64) -> bool| -> Vec<u64> {
            let of = |&to: &f64| numbers.partition_point(|&number| within(number, to)) as u64;
            position.iter().map(of).collect()
        };
        let (below, upto) = (count(&|number, to| number < to), count(&|number, to| number <= to));
        let apart = u32::from(labels.iter().any(|label| label == NULL));
        let single = code.into_iter().map(Some).collect();
        Self { rank, apart, position, single, form: Form::Listed { below, upto } }
    }

    /// Texts: those that enough records have one by one, in the order of code points, after the others together.
    fn of_texts(labels: &[String], records: &[u64], shown: &Shown) -> Self {
        let null = labels.iter().position(|label| label == NULL);
        let named = |code: usize| records[code] >= shown.value && fits_set(&labels[code]);
        let rare = (0..labels.len()).any(|code| Some(code) != null && !named(code));
        let mut single: Vec<Option<u32>> = null.map(|code| Some(code as u32)).into_iter().collect();
        let rest = single.len() as u32;
        single.extend(rare.then_some(None));
        let apart = single.len() as u32;
        let mut rank = vec![rest; labels.len()];
        for code in (0..labels.len()).filter(|&code| Some(code) == null || named(code)) {
            if Some(code) == null {
                rank[code] = 0;
                continue;
            }
            rank[code] = single.len() as u32;
            single.push(Some(code as u32));
        }
        let position = (0..single.len()).map(|place| place as f64).collect();
        Self { rank, apart, position, single, form: Form::Sets }
    }

    fn of_days(labels: &[String], records: &[u64], shown: &Shown) -> Result<Self, String> {
        let leaf = |(code, label): (usize, &String)| {
            Some(Leaf { code: code as u32, unit: day_of(label)?, records: records[code], open: None })
        };
        let leaves: Vec<Leaf> = labels.iter().enumerate().filter_map(leaf).collect();
        Self::of_leaves(leaves, labels, (Kind::Days, Units::Days), (None, false), shown)
    }

    /// Numbers that nobody listed.
    fn on_grid(
        inner: Option<&IntervalRule>,
        rule: &Rule,
        labels: &[String],
        records: &[u64],
        shown: &Shown,
    ) -> Result<Self, String> {
        let given = || labels.iter().zip(records).filter(|(label, _)| *label != NULL);
        let (decimals, exact) = match inner {
            Some(rule) => (rule.decimals(), true),
            None => decimals_of(given().map(|(label, records)| (label.as_str(), *records)), shown.cell),
        };
        let units = Units::Numbers { decimals, trim: inner.is_none() };
        let leaf = |(code, label): (usize, &String)| {
            let (open, text) = match Open::read(label) {
                Some((open, bound)) => (Some(open), bound),
                None => (None, label.as_str()),
            };
            Some(Leaf { code: code as u32, unit: units.read(text)?, records: records[code], open })
        };
        let leaves: Vec<Leaf> =
            labels.iter().enumerate().filter(|(_, label)| *label != NULL).filter_map(leaf).collect();
        let kind = Kind::Numbers { decimals, exact, hierarchy: inner };
        let levels = inner.map(|inner| (rule.clone(), inner.bounds()));
        let is_coded = matches!(rule, Rule::Coded(_));
        Self::of_leaves(leaves, labels, (kind, units), (levels, is_coded), shown)
    }

    fn of_leaves(
        mut leaves: Vec<Leaf>,
        labels: &[String],
        (kind, units): (Kind<'_>, Units),
        (levels, is_declared): (Option<(Rule, (i64, i64))>, bool),
        shown: &Shown,
    ) -> Result<Self, String> {
        // Coded ends lie beyond all others.
        let side = |leaf: &Leaf| leaf.open.map_or(0, |open| if open == Open::Above { 1 } else { -1 });
        leaves.sort_by_key(|leaf| (side(leaf), leaf.unit, leaf.code));
        let covered = match &levels {
            Some((_, (min, max))) => Covered::Steps(*min, *max),
            None => {
                let mut all: Vec<i64> = leaves.iter().map(|leaf| leaf.unit).collect();
                all.sort_unstable();
                Covered::Occurring(all)
            }
        };
        let first = leaves.partition_point(|leaf| side(leaf) < 0);
        let last = leaves.partition_point(|leaf| side(leaf) < 1);
        let beyond = |leaves: &[Leaf]| leaves.iter().map(|leaf| leaf.records).sum::<u64>();
        let (line, point_of) = points(&leaves[first..last]);
        let line = Line {
            points: line,
            beyond: (beyond(&leaves[..first]), beyond(&leaves[last..])),
            kind,
            covered: &|from, to| covered.count(from, to),
        };
        let layout = match line.points.is_empty() {
            true => Layout { places: Vec::new(), of_point: Vec::new(), ends: Ends::Values },
            false => line.layout(shown)?,
        };
        let null = labels.iter().position(|label| label == NULL);
        let mut order = Self::empty(labels.len(), null);
        let coded = |leaf: &Leaf| {
            let above = leaf.open == Some(Open::Above);
            // A bound that the recipe gives is declared.
            let may =
                is_declared || (leaf.records >= shown.value && line.is_end(layout.ends, leaf.unit, above));
            let single = may.then_some(leaf.code);
            let bound = single.map(|_| leaf.unit);
            let ends = if above { (bound, None) } else { (None, bound) };
            (leaf.unit, ends, single)
        };
        let mut ends = vec![(None, None); order.single.len()];
        let add = |order: &mut Self, ends: &mut Vec<(End, End)>, (at, own, single): (i64, (End, End), _)| {
            order.position.push(at as f64);
            order.single.push(single);
            ends.push(own);
        };
        for leaf in &leaves[..first] {
            order.rank[leaf.code as usize] = order.single.len() as u32;
            add(&mut order, &mut ends, coded(leaf));
        }
        let base = order.single.len() as u32;
        for place in &layout.places {
            add(&mut order, &mut ends, (place.at, place.ends, place.single));
        }
        for (leaf, &point) in leaves[first..last].iter().zip(&point_of) {
            order.rank[leaf.code as usize] = base + layout.of_point[point];
        }
        for leaf in &leaves[last..] {
            order.rank[leaf.code as usize] = order.single.len() as u32;
            add(&mut order, &mut ends, coded(leaf));
        }
        let bounds = |leaves: &[Leaf]| leaves.first().map(|leaf| leaf.unit);
        let rule = levels.map(|(rule, _)| (rule, (bounds(&leaves[..first]), bounds(&leaves[last..]))));
        let grid = Grid { ends, covered, units, rule, stated: layout.ends };
        Ok(Self { form: Form::Grid(Box::new(grid)), ..order })
    }

    /// The missing value alone, if it occurs.
    fn empty(leaves: usize, null: Option<usize>) -> Self {
        let single: Vec<Option<u32>> = null.map(|code| Some(code as u32)).into_iter().collect();
        let position = vec![f64::NEG_INFINITY; single.len()];
        Self { rank: vec![0; leaves], apart: single.len() as u32, position, single, form: Form::Sets }
    }

    /// What the ends of released ranges are.
    pub(super) fn ends(&self) -> Ends {
        match &self.form {
            Form::Listed { .. } | Form::Sets => Ends::Values,
            Form::Grid(grid) => grid.stated,
        }
    }

    /// The places of a range after which it is cut, since those up to there are in no range with others.
    pub(super) fn apart(&self, low: u32, high: u32) -> impl Iterator<Item = u32> + use<> {
        low..self.apart.min(high).max(low)
    }

    /// Whether a range has a place that is in none with others, and others.
    fn is_mixed(&self, low: u32, high: u32) -> bool {
        low < self.apart && low < high
    }

    /// The share of the table's range that a range covers.
    pub(super) fn extent(&self, low: u32, high: u32) -> f64 {
        if low == high || self.is_mixed(low, high) {
            return if low == high { 0.0 } else { 1.0 };
        }
        let first = self.position.get(self.apart as usize).copied().unwrap_or(0.0);
        let whole = self.position.last().map_or(0.0, |last| last - first);
        let span = self.position[high as usize] - self.position[low as usize];
        // Equal numbers that are written differently can still be cut.
        if whole > 0.0 { (span / whole).max(f64::MIN_POSITIVE) } else { f64::MIN_POSITIVE }
    }

    /// What is released of a range; `level` is that of the lowest node over it.
    pub(super) fn region(&self, low: u32, high: u32, level: u8, hierarchy: &Hierarchy) -> Region {
        let leaves = self.covered(low, high, hierarchy);
        let shown = |place: u32| self.single[place as usize].map_or("", |code| hierarchy.label(0, code));
        let (label, level) = match self.single[low as usize] {
            Some(code) if low == high => (hierarchy.label(0, code).to_owned(), 0),
            _ if self.is_all(low, high) => (TOP.to_owned(), hierarchy.top()),
            _ => match &self.form {
                Form::Listed { .. } => (of_numbers(shown(low), shown(high)), level),
                Form::Sets => (of_set((low..=high).map(shown)), level),
                Form::Grid(grid) => grid.label(grid.between(low, high)),
            },
        };
        Region { value: ReleasedValue { label, leaves, level }, order: (low, high) }
    }

    /// The leaves of the domain under what is released of a range.
    pub(super) fn covered(&self, low: u32, high: u32, hierarchy: &Hierarchy) -> u64 {
        match self.single[low as usize] {
            Some(code) if low == high => hierarchy.leaves(0, code),
            _ if self.is_all(low, high) => hierarchy.domain(),
            _ => match &self.form {
                Form::Listed { below, upto } => upto[high as usize] - below[low as usize],
                Form::Sets => u64::from(high - low) + 1,
                Form::Grid(grid) => {
                    let (from, to) = grid.between(low, high);
                    grid.covered.count(from, to).max(1)
                }
            },
        }
    }

    /// Whether a range can only be released as the whole domain.
    fn is_all(&self, low: u32, high: u32) -> bool {
        let is_rest = |place: u32| place < self.apart && self.single[place as usize].is_none();
        self.is_mixed(low, high)
            || is_rest(low)
            || match &self.form {
                Form::Listed { .. } => false,
                Form::Sets => high - low >= MOST_NAMED,
                Form::Grid(grid) => grid.between(low, high) == (None, None),
            }
    }
}

/// The distinct values of leaves in order, and the one of each leaf.
fn points(leaves: &[Leaf]) -> (Vec<Point>, Vec<usize>) {
    let (mut points, mut of_leaf): (Vec<Point>, _) = (Vec::new(), Vec::with_capacity(leaves.len()));
    for leaf in leaves {
        match points.last_mut().filter(|point| point.unit == leaf.unit) {
            Some(point) => {
                point.records += leaf.records;
                // Which spelling would stand for the others?
                point.leaf = None;
            }
            None => points.push(Point { unit: leaf.unit, records: leaf.records, leaf: Some(leaf.code) }),
        }
        of_leaf.push(points.len() - 1);
    }
    (points, of_leaf)
}

impl Covered {
    fn count(&self, from: End, to: End) -> u64 {
        match self {
            Self::Steps(min, max) => {
                let (low, high) =
                    (from.map_or(*min, |from| from.max(*min)), to.map_or(*max, |to| to.min(*max)));
                if low > high { 0 } else { low.abs_diff(high) + 1 }
            }
            Self::Occurring(values) => {
                let below = from.map_or(0, |from| values.partition_point(|value| *value < from));
                let upto = to.map_or(values.len(), |to| values.partition_point(|value| *value <= to));
                upto.saturating_sub(below) as u64
            }
        }
    }
}

impl Grid {
    fn between(&self, low: u32, high: u32) -> (End, End) {
        (self.ends[low as usize].0, self.ends[high as usize].1)
    }

    /// What is released between two ends that are not both open, and the lowest level of one value over it.
    fn label(&self, (from, to): (End, End)) -> (String, u8) {
        let text = |unit: i64| self.units.show(unit);
        let label = match (from, to, &self.units) {
            (Some(from), Some(to), _) if from == to => text(from),
            (Some(from), None, Units::Numbers { .. }) => Open::Above.label(text(from)),
            (None, Some(to), Units::Numbers { .. }) => Open::Below.label(self.units.show_last(to)),
            (from, to, Units::Numbers { .. }) => of_numbers(
                from.map_or_else(String::new, text),
                to.map_or_else(String::new, |to| self.units.show_last(to)),
            ),
            (from, to, Units::Days) => of_texts(
                &from.map_or_else(|| FIRST_DAY.to_owned(), shown_day),
                &to.map_or_else(|| LAST_DAY.to_owned(), shown_day),
            ),
        };
        let is_value = from.is_some() && from == to;
        (label, self.level(from, to).unwrap_or(u8::from(!is_value)))
    }

    /// The lowest level of the hierarchy at which one interval covers all between two ends.
    fn level(&self, from: End, to: End) -> Option<u8> {
        let (Some((rule, coded)), Covered::Steps(min, max)) = (&self.rule, &self.covered) else {
            return None;
        };
        let low = self.units.show(from.or(coded.0).map_or(*min, |from| from.max(*min)));
        let high = self.units.show(to.or(coded.1).map_or(*max, |to| to.min(*max)));
        let same = |level: &u8| rule.label_at(&low, *level) == rule.label_at(&high, *level);
        (0..=rule.top()).find(same)
    }
}

/// What stands where a range of days is open.
const FIRST_DAY: &str = "0001-01-01";
const LAST_DAY: &str = "9999-12-31";

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use velamen_checker::{PromisedAttribute, read};
    use velamen_core::hierarchy::{CodedRule, Cuts, Definition, IntervalRule, TableRule};
    use velamen_core::label::Range;
    use velamen_core::recoding::Recoding;
    use velamen_core::step::Step;

    fn of(rule: &Rule, values: &[(&str, u64)], shown: &Shown) -> Result<(Order, Hierarchy), String> {
        let (leaves, hierarchy) = rule.over(values.iter().map(|v| v.0.to_owned()).collect(), false);
        let records = |leaf: &String| values.iter().find(|value| value.0 == leaf).unwrap().1;
        let records: Vec<u64> = leaves.iter().map(records).collect();
        match Scale::new(rule, &hierarchy, &records, shown)? {
            Scale::Ordered(order) => Ok((order, hierarchy)),
            Scale::Tree => panic!("expected an order"),
        }
    }

    const BY_ONE: Shown = Shown { cell: 2, value: 2, step: Some(Step::Number(1.0)), apart: false };

    fn ordered(rule: &Rule, values: &[&str]) -> (Order, Hierarchy) {
        let values: Vec<(&str, u64)> = values.iter().map(|value| (*value, 1)).collect();
        of(rule, &values, &BY_ONE).unwrap()
    }

    fn shown(rule: &Rule, values: &[&str], low: u32, high: u32) -> (String, u64) {
        let (order, hierarchy) = ordered(rule, values);
        let value = order.region(low, high, 1, &hierarchy).value;
        (value.label, value.leaves)
    }

    /// What each value by itself, and all of them, are released as.
    fn labels(rule: &Rule, values: &[(&str, u64)], shown: &Shown) -> (Vec<(String, String)>, Ends) {
        let (order, hierarchy) = of(rule, values, shown).unwrap();
        let label = |low, high| order.region(low, high, 1, &hierarchy).value.label;
        let own = |(code, leaf): (usize, &String)| {
            let place = order.rank[code];
            (leaf.clone(), label(place, place))
        };
        (hierarchy.labels(0).iter().enumerate().map(own).collect(), order.ends())
    }

    fn own_labels(values: &[(&str, u64)], k: u64) -> Vec<String> {
        labels(&Rule::Flat, values, &Shown::of(k, None, false))
            .0
            .into_iter()
            .map(|(_, label)| label)
            .collect()
    }

    fn interval(max: i64) -> Rule {
        Rule::Interval(IntervalRule::new(Cuts::Sizes(vec![5]), 0, max, 0).unwrap())
    }

    #[test]
    fn ranges_count_the_leaves_of_the_domain() {
        assert_eq!(shown(&interval(99), &["40", "", "7"], 1, 2), ("[7-40]".into(), 34));
        assert_eq!(shown(&interval(99), &["40", "", "7"], 0, 1), ("*".into(), 101));
        let rows = ["10", "9", "30"].map(|leaf| vec![leaf.to_owned(), "*".to_owned()]);
        let table = Rule::Table(TableRule::new(rows.to_vec()).unwrap());
        assert_eq!(shown(&table, &["30", "9"], 0, 1), ("[9-30]".into(), 3));
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

    #[test]
    fn a_declared_step_is_printed_wherever_it_falls() {
        let tens = Shown { step: Some(Step::Number(10.0)), ..BY_ONE };
        let (of_values, ends) = labels(&Rule::Flat, &[("34", 1), ("37", 5), ("-2", 1), ("120", 1)], &tens);
        let own: Vec<&str> = of_values.iter().map(|(_, label)| label.as_str()).collect();
        assert_eq!(
            (own, ends),
            (vec!["[-10--1]", "[30-39]", "37", "[120-129]"], Ends::Step(Step::Number(10.0)))
        );
        let (of_values, _) = labels(&interval(103), &[("34", 1), ("103", 1)], &tens);
        assert_eq!(of_values[1].1, "[100-109]");
        let halves = Shown { step: Some(Step::Number(0.5)), ..BY_ONE };
        let (of_values, _) = labels(&Rule::Flat, &[("1.25", 3), ("1.61", 1), ("0.07", 2)], &halves);
        let own: Vec<&str> = of_values.iter().map(|(_, label)| label.as_str()).collect();
        assert_eq!(own, ["0.07", "1.25", "[1.5-1.99]"]);
    }

    #[test]
    fn a_step_that_does_not_fit_is_refused() {
        let by = |step: Step| Shown { step: Some(step), ..BY_ONE };
        let problem = |values: &[(&str, u64)], step| of(&Rule::Flat, values, &by(step)).unwrap_err();
        let month = Step::Span("month".parse().unwrap());
        assert!(problem(&[("a", 1), ("b", 1)], Step::Number(1.0)).contains("not all of its values are"));
        assert!(problem(&[("1", 1), ("2", 1)], month).contains("values are numbers"));
        assert!(problem(&[("2020-01-01", 1)], Step::Number(1.0)).contains("values are dates"));
        assert!(problem(&[("1", 1), ("2", 1)], Step::Number(0.5)).contains("decimals"));
    }

    #[test]
    fn what_few_records_have_ends_where_many_are() {
        // Of every age from 20 to 39 there are five; three are older, at ages that nobody else has.
        let ages: Vec<String> = (20..40).map(|age| age.to_string()).collect();
        let mut values: Vec<(&str, u64)> = ages.iter().map(|age| (age.as_str(), 5)).collect();
        values.extend([("61", 1), ("84", 1), ("97", 1)]);
        let own = own_labels(&values, 5);
        assert_eq!((own[0].as_str(), own[19].as_str()), ("20", "39"));
        assert_eq!(own[20..], [">=39", ">=39", ">=39"]);
        // Seven more at different high ages are enough for an end of their own.
        values.extend([("101", 1), ("103", 1), ("106", 1), ("108", 1), ("109", 1), ("110", 1), ("112", 1)]);
        let own = own_labels(&values, 5);
        assert_eq!((own[20].as_str(), own.last().unwrap().as_str()), (">=39", ">=106"));
    }

    #[test]
    fn an_outlier_does_not_widen_the_step_of_all() {
        let amounts: Vec<String> =
            (0..500).map(|n| (1000 + 3 * n).to_string()).chain(["900000".into()]).collect();
        let values: Vec<(&str, u64)> = amounts.iter().map(|amount| (amount.as_str(), 1)).collect();
        let (own, ends) = labels(&Rule::Flat, &values, &Shown::of(5, None, false));
        assert_eq!(ends, Ends::Step(Step::Number(20.0)));
        assert_eq!((own[0].1.as_str(), own[500].1.as_str()), ("[1000-1019]", ">=2480"));
    }

    #[test]
    fn days_end_with_months_or_years() {
        let days: Vec<String> = (1..=28)
            .flat_map(|day| (1..=12).map(move |month| format!("2020-{month:02}-{day:02}")))
            .chain(["1931-07-05".into()])
            .collect();
        let values: Vec<(&str, u64)> = days.iter().map(|day| (day.as_str(), 1)).collect();
        let (own, ends) = labels(&Rule::Flat, &values, &Shown::of(5, None, false));
        assert_eq!(ends, Ends::Step(Step::Span("month".parse().unwrap())));
        assert_eq!(own[0].1, "[0001-01-01..2020-01-31]");
        assert_eq!(own[1].1, "[2020-01-01..2020-01-31]");
    }

    #[test]
    fn texts_are_sets_without_what_is_rare() {
        let values = [("A", 5), ("B", 1), ("C", 7), ("D|E", 9), ("F", 6), ("", 3)];
        let (order, hierarchy) = of(&Rule::Flat, &values, &Shown::of(5, None, false)).unwrap();
        let place =
            |value: &str| order.rank[hierarchy.labels(0).iter().position(|leaf| leaf == value).unwrap()];
        let label = |low: &str, high: &str| {
            let value = order.region(place(low), place(high), 1, &hierarchy).value;
            (value.label, value.leaves)
        };
        assert_eq!(label("A", "C"), ("{A|C}".into(), 2));
        assert_eq!(label("A", "F"), ("{A|C|F}".into(), 3));
        assert_eq!((label("C", "C"), label("", "")), (("C".into(), 1), ("".into(), 1)));
        for (low, high) in [("B", "B"), ("D|E", "D|E"), ("B", "A"), ("", "F")] {
            assert_eq!(label(low, high), ("*".into(), 6), "{low} {high}");
        }
        assert_eq!(place("B"), place("D|E"));
        assert_eq!(order.apart(place(""), place("F")).collect::<Vec<_>>(), [0, 1]);
    }

    #[test]
    fn a_set_names_few_values() {
        let texts: Vec<String> = (0..30).map(|n| format!("t{n:02}")).collect();
        let values: Vec<(&str, u64)> = texts.iter().map(|text| (text.as_str(), 9)).collect();
        let (order, hierarchy) = of(&Rule::Flat, &values, &Shown::of(5, None, false)).unwrap();
        let leaves = |high| order.region(0, high, 1, &hierarchy).value.leaves;
        assert_eq!((leaves(19), leaves(20)), (20, 30));
    }

    /// Values with a rule whose labels are ranges or sets of them, and how many records have each.
    fn attributes() -> impl Strategy<Value = (Rule, Definition, Vec<String>, Vec<u64>)> {
        let strings = |values: &[&str]| values.iter().map(|value| (*value).to_owned()).collect::<Vec<_>>();
        let numbers =
            ["<=-20", "-9", "-1.5", "-0.25", "0", "1e-3", ".5", "+7", "8.", "1e1", "12", ">=20", ""];
        let texts = ["-", "-x", "..", "A", "A.", "A..b", "Ä", "[1-2]", "b-c", "x", "7", "{x}", "a|b"];
        let flat =
            |values: Vec<String>| (Rule::Flat, Definition::Flat { domain: values.len() as u64 }, values);
        let table = |values: Vec<String>| {
            let rows: Vec<_> = values.iter().map(|value| vec![value.clone(), TOP.to_owned()]).collect();
            (Rule::Table(TableRule::new(rows.clone()).unwrap()), Definition::Table { rows }, values)
        };
        let ages = |(values, min, max): (std::collections::BTreeSet<i64>, i64, i64)| {
            let (min, max) = (min as f64, max as f64);
            let hierarchy = Definition::Interval { interval: vec![5.0], min, max, decimals: 0 };
            let values = values.iter().map(i64::to_string).collect();
            (Rule::try_from(&hierarchy).unwrap(), hierarchy, values)
        };
        let days =
            move |days: std::collections::BTreeSet<i64>| flat(days.into_iter().map(shown_day).collect());
        let values = prop_oneof![
            prop::sample::subsequence(strings(&numbers), 3..=numbers.len()).prop_map(flat),
            prop::sample::subsequence(strings(&texts), 3..=texts.len()).prop_map(flat),
            prop::sample::subsequence(strings(&numbers), 3..=numbers.len()).prop_map(table),
            (prop::collection::btree_set(-50..50i64, 3..30), -54..-49i64, 49..60i64).prop_map(ages),
            prop::collection::btree_set(-1000..1000i64, 1..40).prop_map(move |values| flat(
                values.iter().map(|n| format!("{}", *n as f64 / 8.0)).collect()
            )),
            prop::collection::btree_set(710_000..740_000i64, 1..40).prop_map(days),
        ];
        values.prop_flat_map(|(rule, hierarchy, values)| {
            let records = prop::collection::vec(1..9u64, values.len());
            records.prop_map(move |records| (rule.clone(), hierarchy.clone(), values.clone(), records))
        })
    }

    proptest! {
        /// Every label that is written is read as the values in it, and the checker lets it pass and counts alike. No end
        /// and no member of a set is a value that too few records have, unless it is declared.
        #[test]
        fn labels_are_read_as_they_are_written(
            (rule, hierarchy, values, counts) in attributes(),
            k in 2..20u64,
            apart in any::<bool>(),
        ) {
            let null_leaf = values.iter().any(|value| value == NULL) && matches!(rule, Rule::Interval(_));
            let (listed, leaves) = rule.over(values.clone(), false);
            let records_of = |value: &str| counts[values.iter().position(|other| other == value).unwrap()];
            let records: Vec<u64> = listed.iter().map(|leaf| records_of(leaf)).collect();
            let shown = Shown::of(k, None, apart);
            let Ok(Scale::Ordered(order)) = Scale::new(&rule, &leaves, &records, &shown) else {
                panic!("expected an order")
            };
            let ends = order.ends();
            let attribute = PromisedAttribute {
                recoding: Recoding::Ranges, ends: Some(ends), hierarchy, null_leaf, ..PromisedAttribute::default()
            };
            let places = order.single.len() as u32;
            for (low, high) in (0..places).flat_map(|low| (low..places).map(move |high| (low, high))) {
                let written = order.region(low, high, 1, &leaves).value;
                let (may, share) = read(&attribute, &written.label);
                prop_assert!(may, "{} {ends:?}", written.label);
                if written.label == TOP {
                    continue;
                }
                let range = Range::read(&written.label).filter(|_| !listed.contains(&written.label));
                for (leaf, text) in listed.iter().enumerate() {
                    let inside = (low..=high).contains(&order.rank[leaf]);
                    let has = range.map_or(*text == written.label, |range| range.has(text));
                    prop_assert!(has || !inside, "{} {text}", written.label);
                }
                let is_declared = !matches!(rule, Rule::Flat);
                let beneath = |has: &dyn Fn(&str) -> bool| -> u64 {
                    listed.iter().zip(&records).filter(|(leaf, _)| has(leaf)).map(|(_, records)| records).sum()
                };
                match range {
                    // The missing value is no value, and a label of a class that has it alone.
                    None => prop_assert!(
                        is_declared || written.label == NULL || beneath(&|leaf| leaf == written.label) >= k,
                        "{}", written.label
                    ),
                    Some(Range::Set(names)) => {
                        prop_assert!(names.split('|').all(|name| records_of(name) >= k), "{names}");
                    }
                    Some(range) => {
                        prop_assert!(is_declared || beneath(&|leaf| range.has(leaf)) >= k, "{}", written.label);
                    }
                }
                if !matches!(rule, Rule::Flat) {
                    let own = (written.leaves - 1) as f64 / (leaves.domain() - 1) as f64;
                    prop_assert!((own - share).abs() < 1e-9, "{} {own} {share}", written.label);
                }
            }
            if apart && !matches!(order.form, Form::Sets) {
                disjoint_ranges_differ(&order, &leaves)?;
            }
        }
    }

    fn disjoint_ranges_differ(order: &Order, leaves: &Hierarchy) -> Result<(), TestCaseError> {
        let places = order.apart..order.single.len() as u32;
        let all = places.clone().flat_map(|low| (low..places.end).map(move |high| (low, high)));
        let labelled: Vec<_> =
            all.map(|(low, high)| (order.region(low, high, 1, leaves).value.label, low, high)).collect();
        for (label, _, high) in &labelled {
            // Of parts that are both `*` no cut is made.
            let same = labelled.iter().find(|(other, low, _)| other == label && label != TOP && low > high);
            prop_assert!(same.is_none(), "{label}");
        }
        Ok(())
    }
}
