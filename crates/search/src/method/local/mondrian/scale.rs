//! How Mondrian sees an attribute: values in an order, or a tree.

use velamen_core::error::Problem;
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
    rule: Option<(Rule, CodedEnds)>,
    stated: Ends,
}

/// Where the values below and above are coded as one, in units.
type CodedEnds = (Option<i64>, Option<i64>);

/// The least and the greatest value of a domain, in units.
type Bounds = (i64, i64);

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
    ) -> Result<Self, Problem> {
        let labels = hierarchy.labels(0);
        let listed = |found| Ok(Self::Ordered(Order::listed(found, labels)));
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
            Rule::Flat if labels.iter().all(|label| label == NULL) => Self::of_texts(labels, records, shown),
            Rule::Flat if numbers(labels.iter().map(String::as_str)).is_some() => {
                Order::on_grid(None, rule, labels, records, shown).map(Self::Ordered)
            }
            Rule::Flat if labels.iter().all(|label| label == NULL || day_of(label).is_some()) => {
                Order::of_days(labels, records, shown).map(Self::Ordered)
            }
            Rule::Flat => Self::of_texts(labels, records, shown),
        }
    }

    fn of_texts(labels: &[String], records: &[u64], shown: &Shown) -> Result<Self, Problem> {
        match shown.step {
            None => Ok(Self::Ordered(Order::of_texts(labels, records, shown))),
            Some(step) => Err(Problem::new(format!(
                "`step` = {step} is for numbers and dates, and not all of its values are"
            ))),
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

    fn of_days(labels: &[String], records: &[u64], shown: &Shown) -> Result<Self, Problem> {
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
    ) -> Result<Self, Problem> {
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
        (levels, is_declared): (Option<(Rule, Bounds)>, bool),
        shown: &Shown,
    ) -> Result<Self, Problem> {
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
mod tests;
