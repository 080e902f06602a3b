//! Generalization hierarchies: what is public about an attribute's values.
//!
//! A [`Rule`] is the definition (a table, intervals, a mask); a [`Hierarchy`] is that rule over
//! the values that occur, as codes. Leaf counts and the domain size come from the rule, never from
//! the sample, except for [`Rule::Flat`], which has no other source and says so.

mod ages;
mod bins;
mod bound;
mod cell;
mod coded;
mod definition;
mod domain;
mod fields;
mod interval;
pub mod kind;
mod mask;
mod ordered;
mod table;

pub use ages::Ages;
pub use bins::Bins;
pub use cell::Cell;
pub use coded::CodedRule;
pub use definition::Definition;
pub use interval::{Cuts, IntervalRule};
pub use kind::{
    Atc, AtcCodes, DateLevel, Dates, Edition, Icd10, KINDS, MOST_PEOPLE, OfKind, Postcodes, Prefix, Standard,
    Structure, UkPostcode, UsZip, icd10_blocks, is_area, is_public_event, names_a_day, small_areas,
};
pub use mask::{MaskRule, Side};
pub use ordered::{Group, Grouping, Ordered};
pub use table::TableRule;

use rustc_hash::FxHashMap;

use crate::error::{Code, Problem};
use crate::label::number;
use crate::number::in_order;

/// The label of the most general value.
pub const TOP: &str = "*";

/// The label of a missing value; empty cells and configured null markers become it.
pub const NULL: &str = "";

/// Why a definition is no hierarchy.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs, reason = "the fields are what the message prints")]
pub enum HierarchyError {
    /// No rows.
    Empty,
    /// Rows of different lengths.
    Ragged { row: usize, found: usize, expected: usize },
    /// A leaf listed twice.
    DuplicateLeaf { row: usize, first: usize },
    /// One label, two parents.
    AmbiguousParent { row: usize, column: usize, first: usize },
    /// More levels than a node can name.
    TooManyLevels,
    /// An interval, cut list or mask whose parameters contradict each other.
    Parameters(Problem),
}

impl HierarchyError {
    /// The code of the variant.
    #[must_use]
    pub fn code(&self) -> Code {
        match self {
            Self::Empty => Code::HIERARCHY_EMPTY,
            Self::Ragged { .. } => Code::HIERARCHY_RAGGED,
            Self::DuplicateLeaf { .. } => Code::HIERARCHY_DUPLICATE,
            Self::AmbiguousParent { .. } => Code::HIERARCHY_AMBIGUOUS,
            Self::TooManyLevels => Code::HIERARCHY_TOO_HIGH,
            Self::Parameters(_) => Code::HIERARCHY_PARAMETERS,
        }
    }

    /// What is wrong, with the keys of the definition that it names.
    #[must_use]
    pub fn problem(&self) -> Problem {
        match self {
            Self::Empty => {
                Problem::new("the hierarchy is empty").expected("one row per value: value;level 1;…;*")
            }
            Self::Ragged { row, found, expected } => {
                Problem::new(format!("row {row} has {found} levels, row 1 has {expected}"))
                    .mend("give every row the same number of columns")
            }
            Self::DuplicateLeaf { row, first } => {
                Problem::new(format!("row {row} repeats the value of row {first}"))
                    .mend("list each value once")
            }
            Self::AmbiguousParent { row, column, first } => {
                let problem =
                    format!("row {row}, column {column}: the same label has another parent in row {first}");
                Problem::new(problem).mend("a label must have one parent at the next level")
            }
            Self::TooManyLevels => Problem::new("a hierarchy has at most 255 levels"),
            Self::Parameters(problem) => problem.clone(),
        }
    }
}

impl std::fmt::Display for HierarchyError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.problem().fmt(f)
    }
}

impl std::error::Error for HierarchyError {}

/// The definition of a hierarchy.
#[derive(Debug, Clone, PartialEq)]
pub enum Rule {
    /// No hierarchy: a value or `*`. The domain is read off the data.
    Flat,
    /// Whole (or fixed-point) numbers in nested intervals.
    Interval(IntervalRule),
    /// Numbers whose ends are coded.
    Coded(CodedRule),
    /// Characters masked from one side.
    Mask(MaskRule),
    /// A table, one row per leaf.
    Table(TableRule),
    /// Codes of a standard, codes with a prefix structure, dates.
    Standard(Standard),
}

/// A generalized value: its label and how many leaves of the whole domain it covers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ancestor {
    /// What is released.
    pub label: String,
    /// Leaves covered, at least 1.
    pub leaves: u64,
}

impl Rule {
    /// The number of the most general level.
    #[must_use]
    pub fn top(&self) -> u8 {
        match self {
            Self::Flat => 1,
            Self::Interval(rule) => rule.top(),
            Self::Coded(rule) => rule.height(),
            Self::Mask(rule) => rule.top(),
            Self::Table(rule) => rule.top(),
            Self::Standard(rule) => rule.structure().top(),
        }
    }

    /// The lowest level with one label for the whole domain; `None` of a table in pieces. Levels above it say nothing more.
    #[must_use]
    pub fn height(&self) -> Option<u8> {
        match self {
            Self::Table(rule) => rule.height(),
            Self::Interval(rule) => Some(rule.height()),
            Self::Flat | Self::Coded(_) | Self::Mask(_) | Self::Standard(_) => Some(self.top()),
        }
    }

    /// Whether the value belongs to the domain. A missing value always does.
    #[must_use]
    pub fn contains(&self, value: &str) -> bool {
        value == NULL
            || match self {
                Self::Flat => true,
                Self::Interval(rule) => rule.parse(value).is_some(),
                Self::Coded(rule) => rule.contains(value),
                Self::Mask(rule) => rule.contains(value),
                Self::Table(rule) => rule.row(value).is_some(),
                Self::Standard(rule) => rule.structure().read(value).is_some(),
            }
    }

    /// What a value of the domain becomes before anything else sees it, if it is coded or has another
    /// spelling.
    #[must_use]
    pub fn coded(&self, value: &str) -> Option<String> {
        match self {
            Self::Coded(rule) => rule.coded(value),
            // A code or date in its one spelling.
            Self::Standard(rule) => rule.structure().read(value).filter(|read| read != value),
            _ => None,
        }
    }

    /// What a value of the domain must look like, for messages.
    #[must_use]
    pub fn expectation(&self) -> String {
        match self {
            Self::Flat => "any value".into(),
            Self::Interval(rule) => rule.expectation(),
            Self::Coded(rule) => rule.expectation(),
            Self::Mask(rule) => rule.expectation(),
            Self::Standard(rule) => rule.structure().expectation(),
            Self::Table(rule) => {
                format!("one of the {} values in the first column of the hierarchy", rule.len())
            }
        }
    }

    /// The rule over the values that occur; `values` must all be in the domain, and distinct.
    /// With `whole_domain`, a table's absent leaves get codes too.
    ///
    /// Codes follow the rule's own order: a table's rows, numbers by size, text by code point.
    /// Time and memory: O(values · levels).
    #[must_use]
    pub fn over(&self, values: Vec<String>, whole_domain: bool) -> (Vec<String>, Hierarchy) {
        let leaves = self.order(values, whole_domain);
        let has_null = leaves.iter().any(|leaf| leaf == NULL) && !self.defines_null();
        let domain = self.domain(leaves.len() as u64, has_null);
        let levels = (0..=self.top()).map(|level| self.level(&leaves, level, domain)).collect();
        let height = self.height();
        (leaves, Hierarchy { levels, domain, height, public: !self.is_flat(), wildcards: false })
    }

    fn defines_null(&self) -> bool {
        self.is_flat() || matches!(self, Self::Table(rule) if rule.row(NULL).is_some())
    }

    /// Whether the domain is read off the data.
    fn is_flat(&self) -> bool {
        matches!(self, Self::Flat) || matches!(self, Self::Coded(rule) if rule.intervals().is_none())
    }

    /// Leaves of the domain, the null leaf included if it occurs.
    fn domain(&self, present: u64, has_null: bool) -> u64 {
        let defined = match self {
            Self::Flat => present,
            Self::Interval(rule) => rule.domain(),
            Self::Coded(rule) => rule.domain().unwrap_or(present),
            Self::Mask(rule) => rule.domain(),
            Self::Table(rule) => rule.len() as u64,
            Self::Standard(rule) => rule.structure().domain(),
        };
        defined + u64::from(has_null)
    }

    fn order(&self, mut values: Vec<String>, whole_domain: bool) -> Vec<String> {
        match self {
            Self::Table(rule) => {
                let mut rows: Vec<(Option<usize>, String)> = if whole_domain {
                    let has_null = values.iter().any(|v| v == NULL) && rule.row(NULL).is_none();
                    let null = has_null.then(|| (None, NULL.to_owned()));
                    null.into_iter()
                        .chain(rule.leaves().enumerate().map(|(i, v)| (Some(i), v.to_owned())))
                        .collect()
                } else {
                    values.into_iter().map(|v| (rule.row(&v), v)).collect()
                };
                rows.sort();
                rows.into_iter().map(|(_, value)| value).collect()
            }
            Self::Interval(rule) => {
                values.sort_by_cached_key(|v| (rule.parse(v), v.clone()));
                values
            }
            Self::Coded(rule) => {
                let place = |v: &String| rule.position(v).unwrap_or(f64::NEG_INFINITY);
                values.sort_by(|a, b| place(a).total_cmp(&place(b)).then_with(|| a.cmp(b)));
                values
            }
            Self::Standard(_) => {
                values.sort();
                values
            }
            Self::Mask(_) | Self::Flat => {
                sort_values(&mut values);
                values
            }
        }
    }

    fn level(&self, leaves: &[String], level: u8, domain: u64) -> Level {
        let mut codes = FxHashMap::default();
        let mut built =
            Level { map: Vec::with_capacity(leaves.len()), labels: Vec::new(), leaves: Vec::new() };
        for leaf in leaves {
            let ancestor = self.ancestor(leaf, level, domain);
            let code = *codes.entry(ancestor.label.clone()).or_insert_with(|| {
                built.labels.push(ancestor.label);
                built.leaves.push(ancestor.leaves);
                (built.labels.len() - 1) as u32
            });
            built.map.push(code);
        }
        built
    }

    fn ancestor(&self, value: &str, level: u8, domain: u64) -> Ancestor {
        let top = Ancestor { label: TOP.into(), leaves: domain };
        if level == 0 && !matches!(self, Self::Coded(_)) {
            return Ancestor { label: value.into(), leaves: 1 };
        }
        if value == NULL && !self.defines_null() {
            return if level == self.top() { top } else { Ancestor { label: NULL.into(), leaves: 1 } };
        }
        match self {
            Self::Flat => top,
            Self::Interval(rule) => rule.ancestor(value, level).unwrap_or(top),
            Self::Coded(rule) => rule.ancestor(value, level).unwrap_or(top),
            Self::Mask(rule) => rule.ancestor(value, level).unwrap_or(top),
            Self::Standard(rule) => rule.structure().ancestor(value, level).unwrap_or(top),
            Self::Table(rule) => match rule.ancestor(value, level) {
                Some(ancestor) if ancestor.label == TOP && level == rule.top() => top,
                Some(ancestor) => ancestor,
                None => top,
            },
        }
    }
}

impl Rule {
    /// What a value is released as at a level.
    #[must_use]
    pub fn label_at(&self, value: &str, level: u8) -> String {
        self.ancestor(value, level, 1).label
    }
}

/// Numbers by size if every value is one, else by code point; a missing value comes first.
///
/// Returns whether all values that are not missing are numbers.
pub fn sort_values(values: &mut [String]) -> bool {
    let numeric = values.iter().all(|v| v == NULL || number(v).is_some());
    values.sort_unstable();
    if numeric {
        // Stable, so that different texts of one number stay in their order.
        values.sort_by_cached_key(|v| number(v).map(in_order));
    }
    numeric
}

/// A rule over the values that occur: codes for labels at every level.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hierarchy {
    levels: Vec<Level>,
    domain: u64,
    height: Option<u8>,
    public: bool,
    /// Whether missing values match any value.
    wildcards: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Level {
    /// Leaf code → code at this level.
    map: Vec<u32>,
    labels: Vec<String>,
    leaves: Vec<u64>,
}

impl Hierarchy {
    /// Values that cover so many leaves each, all of them at every level: how the values of a
    /// local recoding look to whoever asks a hierarchy.
    #[must_use]
    pub fn of_values(&self, leaves: Vec<u64>) -> Self {
        let labels = vec![String::new(); leaves.len()];
        let level = Level { map: (0..leaves.len() as u32).collect(), labels, leaves };
        Self { levels: vec![level; self.levels.len()], ..*self }
    }

    /// The same with missing values that match any value.
    #[must_use]
    pub fn with_wildcards(mut self) -> Self {
        self.wildcards = true;
        self
    }

    /// The code of missing values at a level, if they occur there and match any value.
    #[must_use]
    pub fn wildcard(&self, level: u8) -> Option<u32> {
        let labels = self.wildcards.then(|| self.labels(level))?;
        labels.iter().position(|label| label == NULL).map(|code| code as u32)
    }

    /// The hierarchy with these levels only; the first must be 0 and they must ascend.
    #[must_use]
    pub fn at_levels(&self, levels: &[u8]) -> Self {
        let height = self.height.and_then(|height| levels.iter().position(|&level| level >= height));
        let levels = levels.iter().map(|&level| self.levels[usize::from(level)].clone()).collect();
        Self { levels, height: height.map(|height| height as u8), ..*self }
    }

    /// The number of the most general level.
    #[must_use]
    pub fn top(&self) -> u8 {
        (self.levels.len() - 1) as u8
    }

    /// The lowest level with one label for the whole domain; `None` where no level has one.
    #[must_use]
    pub fn height(&self) -> Option<u8> {
        self.height
    }

    /// The share of the way up that a level stands at: levels above the height are no way.
    #[must_use]
    pub fn climbed(&self, level: u8) -> f64 {
        match self.height.unwrap_or(self.top()) {
            0 => 0.0,
            height => f64::from(level.min(height)) / f64::from(height),
        }
    }

    /// M: the leaves of the whole domain.
    #[must_use]
    pub fn domain(&self) -> u64 {
        self.domain
    }

    /// Whether the domain is defined by a rule, not read off the data.
    #[must_use]
    pub fn is_public(&self) -> bool {
        self.public
    }

    /// How many different values occur at a level.
    #[must_use]
    pub fn width(&self, level: u8) -> usize {
        self.levels[usize::from(level)].labels.len()
    }

    /// The code at `level` of the leaf with this code.
    #[must_use]
    pub fn code(&self, level: u8, leaf: u32) -> u32 {
        self.levels[usize::from(level)].map[leaf as usize]
    }

    /// The label of a code at a level.
    #[must_use]
    pub fn label(&self, level: u8, code: u32) -> &str {
        &self.levels[usize::from(level)].labels[code as usize]
    }

    /// All labels of a level, by code.
    #[must_use]
    pub fn labels(&self, level: u8) -> &[String] {
        &self.levels[usize::from(level)].labels
    }

    /// How many leaves have codes.
    pub(crate) fn coded_leaves(&self) -> usize {
        self.levels[0].map.len()
    }

    /// The first leaf code under a value; the number of leaves where there is none.
    #[must_use]
    pub fn first_leaf(&self, level: u8, code: u32) -> u32 {
        let map = &self.levels[usize::from(level)].map;
        map.iter().position(|of_leaf| *of_leaf == code).unwrap_or(map.len()) as u32
    }

    /// |Mp|: the leaves of the domain that a value covers.
    #[must_use]
    pub fn leaves(&self, level: u8, code: u32) -> u64 {
        self.levels[usize::from(level)].leaves[code as usize]
    }

    /// The degree of generalization, (|Mp| − 1) / (|M| − 1), from 0 to 1; 0 where |M| = 1.
    ///
    /// For an interval of whole numbers this is (Uq − Lq) / (U − L). Source: Lee 2017, Eq. 1–2.
    #[must_use]
    pub fn degree(&self, level: u8, code: u32) -> f64 {
        if self.domain <= 1 { 0.0 } else { (self.leaves(level, code) - 1) as f64 / (self.domain - 1) as f64 }
    }

    /// The share of the domain, |Mp| / |M|, above 0 and at most 1.
    #[must_use]
    pub fn share(&self, level: u8, code: u32) -> f64 {
        self.leaves(level, code) as f64 / self.domain as f64
    }

    /// A cell of that value, for metrics.
    #[must_use]
    pub fn cell(&self, level: u8, code: u32) -> Cell {
        let climbed = self.climbed(level);
        Cell { leaves: self.leaves(level, code) as f64, domain: self.domain as f64, climbed }
    }

    /// The map from codes at level `from` to codes at level `to ≥ from`.
    #[must_use]
    pub fn step(&self, from: u8, to: u8) -> Vec<u32> {
        let mut step = vec![0; self.width(from)];
        for (lower, upper) in self.levels[usize::from(from)].map.iter().zip(&self.levels[usize::from(to)].map)
        {
            step[*lower as usize] = *upper;
        }
        step
    }
}

#[cfg(test)]
mod tests;
