//! What an adversary sees: the records of each class by value, the catalog's rows, and features of the classes.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use schemars::JsonSchema;
use serde::Serialize;
use velamen_core::hierarchy::Hierarchy;
use velamen_core::label::Range;
use velamen_core::release::{Release, ReleasedAttribute, SUPPRESSED};

use super::ENOUGH;
use super::crowd::crowds;
use super::effort::{Effort, judged};
use super::model::NONE;
use super::one_number::{NUMBERS, numbers_of};
use super::sizes::Law;

/// Records of a class with one sensitive value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Cell {
    pub(super) class: u32,
    pub(super) value: u32,
    pub(super) records: u64,
    /// The row of the catalog that doubts them, or [`NONE`].
    pub(super) row: u32,
}

/// What the release says of its making.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Told {
    /// How classes were padded.
    pub law: Law,
    /// Whether the values of counterfeits depend on the quasi-identifiers of their class.
    pub local: bool,
    /// How many different values the real records of each class have at least; up to 1: nothing is said of that.
    pub values: u64,
}

/// A release as the adversary sees it.
#[derive(Debug)]
pub struct Sight {
    pub(super) told: Told,
    pub(super) sizes: Vec<u64>,
    /// How populated the surroundings of each class are.
    pub(super) crowds: Vec<f64>,
    /// What can be counted of each class.
    pub(super) numbers: Vec<[f64; NUMBERS]>,
    /// Ascending by class and value.
    pub(super) cells: Vec<Cell>,
    /// Per class its first cell, and the end of all.
    pub(super) first: Vec<usize>,
    /// Per row of the catalog its counterfeits.
    pub(super) rows: Vec<u64>,
    /// Per row of the catalog, the share of the records that it doubts that are judged.
    pub(super) shares: Vec<f64>,
    /// The classes that are judged or learned from, as the release has them.
    kept: Vec<u32>,
    /// What is left out, where it is a sample that is judged.
    pub(super) sampled: Option<Sampled>,
    /// Records of classes that can hold counterfeits that no row doubts, judged or not.
    pub(super) undoubted: u64,
    /// Classes times values that a model is fitted to.
    pub(super) fitted: usize,
    /// Per class whether it can hold counterfeits.
    pub(super) can_hold: Vec<bool>,
    values: FxHashMap<String, u32>,
    features: Vec<u32>,
    columns: usize,
    /// How many features there are.
    pub(super) widths: usize,
}

/// What a sample stands for.
#[derive(Debug, Clone, Copy, PartialEq, JsonSchema, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Sampled {
    /// Records that are judged.
    pub judged: u64,
    /// Records of all classes that can hold counterfeits.
    pub of: u64,
    /// Surely real records that nothing is learned from: all, and those of small classes.
    #[serde(skip)]
    pub(super) left_out: [u64; 2],
}

impl Sampled {
    /// The share that is judged.
    pub(super) fn share(&self) -> f64 {
        self.judged as f64 / self.of.max(1) as f64
    }
}

/// The most weights of a model: of more features, the rarest are left out.
const MOST_WEIGHTS: usize = 1 << 18;

impl Sight {
    /// What a release shows, by the hierarchies that it states, in the order of its quasi-identifiers; `None` without
    /// counterfeits. `effort` says how much of it is judged.
    #[must_use]
    pub fn new(release: &Release, hierarchies: &[&Hierarchy], told: Told, effort: Effort) -> Option<Self> {
        let sensitive = release.rest.sensitive().next().filter(|_| !release.catalog.is_empty())?;
        let (values, numbers) = occurring(release, sensitive);
        let (group, rows) = catalog(release, &values);
        let in_group = group.of_class.iter().zip(&release.sizes);
        let can_hold: Vec<bool> =
            in_group.map(|(group, size)| *group != NONE && *size <= told.law.largest).collect();
        let judged = judged(effort, &group.of_class, &release.sizes, &can_hold);
        let surely = |class: &u32| !can_hold[*class as usize];
        let sure: Vec<u32> = (0..release.sizes.len() as u32).filter(surely).collect();
        let kept = match &judged {
            None => (0..release.sizes.len() as u32).collect(),
            Some(judged) => {
                let learnt = learnt_from(&sure, &release.sizes, most_classes(effort.fitted, values.len()));
                let doubtful = (0..judged.len() as u32).filter(|&class| judged[class as usize]);
                let mut kept: Vec<u32> = doubtful.chain(learnt).collect();
                kept.sort_unstable();
                kept
            }
        };
        let mut records = Records::new(release, (sensitive, &numbers), &group, &can_hold, &kept);
        records.settle(told.values, |class| can_hold[kept[class as usize] as usize]);
        let sizes: Vec<u64> = kept.iter().map(|&class| release.sizes[class as usize]).collect();
        let sampled = judged.map(|_| {
            let small = |class: &&u32| release.sizes[**class as usize] <= told.law.small();
            let size = |class: &u32| release.sizes[*class as usize];
            let out: Vec<u32> =
                sure.iter().copied().filter(|class| kept.binary_search(class).is_err()).collect();
            let judged = kept.iter().filter(|class| can_hold[**class as usize]).map(size).sum();
            let all =
                (0..release.sizes.len()).filter(|&class| can_hold[class]).map(|c| release.sizes[c]).sum();
            let left_out = [out.iter().map(size).sum(), out.iter().filter(small).map(size).sum()];
            Sampled { judged, of: all, left_out }
        });
        let classes = kept.len() as u32;
        let cells = records.cells;
        let first = (0..=classes).map(|class| cells.partition_point(|cell| cell.class < class)).collect();
        let mut sight = Self {
            told,
            sizes,
            crowds: crowds(release, hierarchies, &kept),
            numbers: numbers_of(release, &kept),
            cells,
            first,
            shares: (0..rows.len())
                .map(|row| records.judged[row] as f64 / records.all[row].max(1) as f64)
                .collect(),
            rows,
            can_hold: kept.iter().map(|&class| can_hold[class as usize]).collect(),
            kept,
            sampled,
            undoubted: records.undoubted,
            fitted: effort.fitted,
            values,
            features: Vec::new(),
            columns: 0,
            widths: 0,
        };
        sight.describe(release, hierarchies);
        Some(sight)
    }

    /// The number of sensitive values.
    pub(super) fn domain(&self) -> usize {
        self.values.len()
    }

    pub(super) fn classes(&self) -> usize {
        self.sizes.len()
    }

    pub(super) fn of_class(&self, class: usize) -> &[Cell] {
        &self.cells[self.first[class]..self.first[class + 1]]
    }

    pub(super) fn features(&self, class: usize) -> &[u32] {
        &self.features[class * self.columns..][..self.columns]
    }

    /// Per cell, the sum of what is told of records by the release's class and value; what no cell has is left out.
    pub fn by_cell<'a>(&self, told: impl IntoIterator<Item = (usize, &'a str, u64)>) -> Vec<u64> {
        let mut sums = vec![0; self.cells.len()];
        for (class, value, records) in told {
            let Ok(class) = self.kept.binary_search(&(class as u32)) else { continue };
            let cells = self.of_class(class);
            let code = self.values.get(value);
            let at = code.and_then(|code| cells.binary_search_by_key(code, |cell| cell.value).ok());
            if let Some(at) = at {
                sums[self.first[class] + at] += records;
            }
        }
        sums
    }

    /// What is told of a class, by the release's classes.
    pub(super) fn of_released(&self, told: &[u64], class: usize) -> u64 {
        told.get(self.kept[class] as usize).copied().unwrap_or(0)
    }

    /// The records of each cell beyond so many.
    #[must_use]
    pub fn without(&self, records: &[u64]) -> Vec<u64> {
        self.cells.iter().zip(records).map(|(cell, other)| cell.records.saturating_sub(*other)).collect()
    }

    /// The labels of the classes and all values above them, as features.
    fn describe(&mut self, release: &Release, hierarchies: &[&Hierarchy]) {
        let columns: Vec<(usize, Vec<u32>)> = release
            .qis
            .iter()
            .zip(hierarchies)
            .enumerate()
            .flat_map(|(q, (qi, hierarchy))| {
                columns(qi, hierarchy).into_iter().map(move |column| (q, column))
            })
            .collect();
        self.columns = columns.len();
        let mut number: FxHashMap<(usize, u32), u32> = FxHashMap::default();
        let mut records: Vec<u64> = Vec::new();
        self.features = Vec::with_capacity(self.classes() * columns.len());
        for class in 0..self.classes() {
            for (place, (q, column)) in columns.iter().enumerate() {
                let value = column[release.class(self.kept[class] as usize)[*q] as usize];
                let feature = if value == NONE {
                    NONE
                } else {
                    let next = records.len() as u32;
                    let feature = *number.entry((place, value)).or_insert(next);
                    records.resize(records.len().max(feature as usize + 1), 0);
                    records[feature as usize] += self.sizes[class];
                    feature
                };
                self.features.push(feature);
            }
        }
        let kept = most_frequent(&records, MOST_WEIGHTS / self.domain().max(1));
        self.widths = kept.iter().filter(|kept| **kept != NONE).count();
        self.features.iter_mut().filter(|f| **f != NONE).for_each(|f| *f = kept[*f as usize]);
    }
}

/// New numbers of the features that most records have.
fn most_frequent(records: &[u64], most: usize) -> Vec<u32> {
    let mut order: Vec<usize> = (0..records.len()).collect();
    order.sort_by_key(|&feature| std::cmp::Reverse(records[feature]));
    let mut kept = vec![NONE; records.len()];
    order.iter().take(most).zip(0..).for_each(|(&feature, number)| kept[feature] = number);
    kept
}

/// Per column of features, what a released label of an attribute says: itself, and the values above it.
fn columns(attribute: &ReleasedAttribute, hierarchy: &Hierarchy) -> Vec<Vec<u32>> {
    let leaves: Vec<Option<u32>> =
        attribute.values.iter().map(|value| leaf(&value.label, value.level, hierarchy)).collect();
    let own: Vec<u32> = (0..attribute.values.len() as u32).collect();
    let above = (0..=hierarchy.top())
        .filter(|level| hierarchy.width(*level) > 1 && attribute.level.is_none_or(|of_all| *level > of_all));
    let above = above.map(|level| {
        let of = |(value, leaf): (&velamen_core::recoding::ReleasedValue, &Option<u32>)| match leaf {
            Some(leaf) if value.level <= level => hierarchy.code(level, *leaf),
            _ => NONE,
        };
        attribute.values.iter().zip(&leaves).map(of).collect()
    });
    std::iter::once(own).chain(above).collect()
}

/// A leaf under a label.
fn leaf(label: &str, level: u8, hierarchy: &Hierarchy) -> Option<u32> {
    let code = hierarchy.labels(level).iter().position(|other| other == label);
    match (code, Range::read(label)) {
        (Some(code), _) => Some(hierarchy.first_leaf(level, code as u32)),
        (None, Some(range)) => {
            hierarchy.labels(0).iter().position(|leaf| range.has(leaf)).map(|leaf| leaf as u32)
        }
        (None, None) => None,
    }
}

/// The groups of the catalog: each class's, and the number of each row by group and value.
struct Groups {
    of_class: Vec<u32>,
    rows: FxHashMap<(u32, u32), u32>,
}

fn catalog(release: &Release, values: &FxHashMap<String, u32>) -> (Groups, Vec<u64>) {
    let mut groups = Groups { of_class: vec![NONE; release.sizes.len()], rows: FxHashMap::default() };
    let mut counts = Vec::new();
    for (group, rows) in (0..).zip(release.catalog.chunk_by(|a, b| a.classes == b.classes)) {
        rows[0].classes.iter().for_each(|&id| groups.of_class[id as usize - 1] = group);
        for row in rows {
            let Some(&value) = values.get(&row.value) else { continue };
            groups.rows.insert((group, value), counts.len() as u32);
            counts.push(row.count);
        }
    }
    (groups, counts)
}

/// Numbers of the values that occur, in the order of their names: the same for whoever reads the release. Then the
/// number of each code.
fn occurring(release: &Release, sensitive: usize) -> (FxHashMap<String, u32>, Vec<u32>) {
    let (codes, names) = (&release.rest.codes[sensitive], &release.rest.columns[sensitive].values);
    let mut occurs = vec![false; names.len()];
    for row in release.rows.iter().filter(|row| row.class != SUPPRESSED) {
        occurs[codes[row.rest as usize] as usize] = true;
    }
    let held = names.iter().zip(0..).zip(occurs).filter(|(_, occurs)| *occurs);
    let held: BTreeMap<&str, u32> = held.map(|((name, code), _)| (&**name, code)).collect();
    let mut numbers = vec![NONE; names.len()];
    (0..).zip(held.values()).for_each(|(number, &code)| numbers[code as usize] = number);
    (held.into_keys().map(str::to_owned).zip(0..).collect(), numbers)
}

/// How many classes a model is fitted to.
pub(super) fn most_classes(fitted: usize, values: usize) -> usize {
    (fitted / values.max(1)).max(2)
}

/// Of the classes that are surely real those that a model is fitted to: the largest, as many as are needed.
fn learnt_from(sure: &[u32], sizes: &[u64], most: usize) -> Vec<u32> {
    let mut by_size = sure.to_vec();
    by_size.sort_by_key(|&class| std::cmp::Reverse(sizes[class as usize]));
    let mut records = 0;
    let needed = |(at, class): &(usize, &u32)| {
        let wanted = *at < most || records < ENOUGH;
        records += sizes[**class as usize];
        wanted
    };
    by_size.iter().enumerate().take_while(needed).map(|(_, class)| *class).collect()
}

/// The records of a release by class and value, as far as they are kept.
struct Records {
    /// By place of the class among those that are kept.
    cells: Vec<Cell>,
    /// Per row of the catalog, the records that it doubts.
    all: Vec<u64>,
    /// Per row of the catalog, those among them that are judged.
    judged: Vec<u64>,
    /// Records of classes that can hold counterfeits that no row doubts.
    undoubted: u64,
}

impl Records {
    fn new(
        release: &Release,
        (sensitive, numbers): (usize, &[u32]),
        groups: &Groups,
        can_hold: &[bool],
        kept: &[u32],
    ) -> Self {
        let codes = &release.rest.codes[sensitive];
        let mut place = vec![NONE; release.sizes.len()];
        (0..).zip(kept).for_each(|(at, &class)| place[class as usize] = at);
        let rows = groups.rows.len();
        let mut records = Self { cells: Vec::new(), all: vec![0; rows], judged: vec![0; rows], undoubted: 0 };
        for row in release.rows.iter().filter(|row| row.class != SUPPRESSED) {
            let (class, value) = (row.class as usize, numbers[codes[row.rest as usize] as usize]);
            let doubt = groups.rows.get(&(groups.of_class[class], value)).copied();
            let is_kept = place[class] != NONE;
            match doubt.filter(|_| can_hold[class]) {
                Some(doubt) => {
                    records.all[doubt as usize] += row.count;
                    records.judged[doubt as usize] += if is_kept { row.count } else { 0 };
                }
                None if can_hold[class] => records.undoubted += row.count,
                None => {}
            }
            if is_kept {
                let row = Cell { class: place[class], value, records: row.count, row: doubt.unwrap_or(NONE) };
                records.cells.push(row);
            }
        }
        records.merge();
        records
    }

    /// Takes from doubt what the promised number of values proves: in a class that shows no more of them, a value that one
    /// record has is a real record's.
    fn settle(&mut self, values: u64, can_hold: impl Fn(u32) -> bool) {
        let Self { cells, all, judged, undoubted } = self;
        let of_class = cells.chunk_by_mut(|a, b| a.class == b.class);
        let tight = of_class.filter(|cells| values > 1 && cells.len() as u64 <= values);
        let alone = tight.flatten().filter(|cell| cell.records == 1 && cell.row != NONE);
        for cell in alone.filter(|cell| can_hold(cell.class)) {
            all[cell.row as usize] -= 1;
            judged[cell.row as usize] -= 1;
            *undoubted += 1;
            cell.row = NONE;
        }
    }

    /// Cells in order, those of one class and value as one.
    fn merge(&mut self) {
        self.cells.sort_unstable_by_key(|cell| (cell.class, cell.value));
        self.cells.dedup_by(|next, kept| {
            let same = (next.class, next.value) == (kept.class, kept.value);
            kept.records += if same { next.records } else { 0 };
            same
        });
    }
}
