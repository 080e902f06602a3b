//! What an adversary sees: the records of each class by value, the catalog's rows, and features of the classes.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use velamen_core::hierarchy::Hierarchy;
use velamen_core::label::Range;
use velamen_core::release::{Release, ReleasedAttribute, SUPPRESSED};

use super::model::NONE;
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
}

/// A release as the adversary sees it.
#[derive(Debug)]
pub struct Sight {
    pub(super) told: Told,
    pub(super) sizes: Vec<u64>,
    /// Ascending by class and value.
    pub(super) cells: Vec<Cell>,
    /// Per class its first cell, and the end of all.
    pub(super) first: Vec<usize>,
    /// Per row of the catalog its counterfeits.
    pub(super) rows: Vec<u64>,
    /// Per class whether it can hold counterfeits.
    pub(super) can_hold: Vec<bool>,
    values: FxHashMap<String, u32>,
    features: Vec<u32>,
    columns: usize,
    /// How many features there are.
    pub(super) widths: usize,
}

/// The most weights of a model: of more features, the rarest are left out.
const MOST_WEIGHTS: usize = 1 << 18;

impl Sight {
    /// What a release shows, by the hierarchies that it states, in the order of its quasi-identifiers; `None` without
    /// counterfeits.
    #[must_use]
    pub fn new(release: &Release, hierarchies: &[&Hierarchy], told: Told) -> Option<Self> {
        let sensitive = release.rest.sensitive().next().filter(|_| !release.catalog.is_empty())?;
        let (values, numbers) = occurring(release, sensitive);
        let (group, rows) = catalog(release, &values);
        let mut cells = cells(release, sensitive, &numbers);
        let numbers = group.rows;
        for cell in &mut cells {
            cell.row =
                numbers.get(&(group.of_class[cell.class as usize], cell.value)).copied().unwrap_or(NONE);
        }
        let classes = release.sizes.len() as u32;
        let first = (0..=classes).map(|class| cells.partition_point(|cell| cell.class < class)).collect();
        let in_group = group.of_class.iter().zip(&release.sizes);
        let can_hold = in_group.map(|(group, size)| *group != NONE && *size <= told.law.largest).collect();
        let mut sight = Self {
            told,
            sizes: release.sizes.clone(),
            cells,
            first,
            rows,
            can_hold,
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

    /// Per cell, the sum of what is told of records by class and value; what no cell has is left out.
    pub fn by_cell<'a>(&self, told: impl IntoIterator<Item = (usize, &'a str, u64)>) -> Vec<u64> {
        let mut sums = vec![0; self.cells.len()];
        for (class, value, records) in told {
            let cells = self.of_class(class);
            let code = self.values.get(value);
            let at = code.and_then(|code| cells.binary_search_by_key(code, |cell| cell.value).ok());
            if let Some(at) = at {
                sums[self.first[class] + at] += records;
            }
        }
        sums
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
                let value = column[release.class(class)[*q] as usize];
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
    let rows = release.rows.iter().filter(|row| row.class != SUPPRESSED);
    let held: BTreeMap<&str, u32> =
        rows.map(|row| codes[row.rest as usize]).map(|code| (&*names[code as usize], code)).collect();
    let mut numbers = vec![NONE; names.len()];
    (0..).zip(held.values()).for_each(|(number, &code)| numbers[code as usize] = number);
    (held.into_keys().map(str::to_owned).zip(0..).collect(), numbers)
}

fn cells(release: &Release, sensitive: usize, numbers: &[u32]) -> Vec<Cell> {
    let codes = &release.rest.codes[sensitive];
    let rows = release.rows.iter().filter(|row| row.class != SUPPRESSED);
    let cell = |row: &velamen_core::release::Row| Cell {
        class: row.class,
        value: numbers[codes[row.rest as usize] as usize],
        records: row.count,
        row: NONE,
    };
    let mut cells: Vec<Cell> = rows.map(cell).collect();
    cells.sort_unstable_by_key(|cell| (cell.class, cell.value));
    cells.dedup_by(|next, kept| {
        let same = (next.class, next.value) == (kept.class, kept.value);
        kept.records += if same { next.records } else { 0 };
        same
    });
    cells
}
