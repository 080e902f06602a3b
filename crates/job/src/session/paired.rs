//! Original records beside what is released of them, cell by cell: for the custodian only.

use std::collections::BTreeMap;

use velamen_core::frequency::{FrequencyTable, RestColumn, Role};
use velamen_core::release::{Release, SUPPRESSED, ids_of_entries};
use velamen_measure::risk::people::Holdings;
use velamen_search::method::{Outcome, Suppress};

use super::certified::Certified;
use super::loaded::Loaded;
use super::persons::People;
use super::searched::Searched;

/// No code, no entry.
const NONE: u32 = u32::MAX;

/// Original records, each distinct one once, beside what is released of them.
#[derive(Debug, Clone, Default)]
pub struct Paired {
    /// The columns, in the order of the input.
    pub columns: Vec<PairedColumn>,
    /// Suppressed records last.
    pub rows: Vec<PairedRow>,
    /// How many classes are released.
    pub classes: usize,
    /// Whether a release stands beside the records.
    pub released: bool,
    /// By entry its combination of the columns that are no quasi-identifiers.
    combinations: Vec<u32>,
}

/// A column on both sides.
#[derive(Debug, Clone)]
pub struct PairedColumn {
    /// Its name.
    pub name: String,
    /// Its role.
    pub role: Role,
    /// The original values by code, in order.
    pub before: Vec<String>,
    /// The released values by code, in order.
    pub after: Vec<String>,
    /// By original code the released one of the same label.
    same: Vec<u32>,
    codes: Codes,
}

#[derive(Debug, Clone)]
enum Codes {
    /// By entry and by class.
    Qi { entries: Vec<u32>, classes: Vec<u32> },
    /// By combination, and whether suppressed records hide it.
    Rest { combinations: Vec<u32>, hidden: bool },
}

/// Records that are alike before and after.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PairedRow {
    entry: u32,
    class: u32,
    /// Of a counterfeit the code of its first sensitive value.
    value: u32,
    /// How many.
    pub count: u64,
}

impl PairedRow {
    /// The number of its class in the release, from 1; `None` of suppressed records and where nothing is released.
    #[must_use]
    pub fn class(&self) -> Option<u64> {
        (self.class != SUPPRESSED).then(|| u64::from(self.class) + 1)
    }

    /// Whether nobody is behind it.
    #[must_use]
    pub fn is_counterfeit(&self) -> bool {
        self.entry == NONE
    }
}

impl Paired {
    /// The original code of a cell; `None` of a counterfeit. Time: O(1).
    #[must_use]
    pub fn before(&self, row: &PairedRow, column: usize) -> Option<u32> {
        (row.entry != NONE).then(|| match &self.columns[column].codes {
            Codes::Qi { entries, .. } => entries[row.entry as usize],
            Codes::Rest { combinations, .. } => combinations[self.combinations[row.entry as usize] as usize],
        })
    }

    /// The released code of a cell; `None` of what is suppressed or not known of a counterfeit. Time: O(1).
    #[must_use]
    pub fn after(&self, row: &PairedRow, column: usize) -> Option<u32> {
        let of = &self.columns[column];
        match &of.codes {
            Codes::Qi { classes, .. } => classes.get(row.class as usize).copied(),
            Codes::Rest { hidden: true, .. } if row.class == SUPPRESSED => None,
            Codes::Rest { .. } if row.is_counterfeit() => {
                (self.first_sensitive() == Some(column) && row.value != NONE).then_some(row.value)
            }
            Codes::Rest { .. } => self.before(row, column),
        }
    }

    /// Whether a cell reads otherwise in the release. Time: O(1).
    #[must_use]
    pub fn is_changed(&self, row: &PairedRow, column: usize) -> bool {
        let same = self.before(row, column).map(|code| self.columns[column].same[code as usize]);
        self.released && (same.is_none() || same != self.after(row, column))
    }

    /// The released records, or the original ones where nothing is released. Time: O(rows).
    #[must_use]
    pub fn records(&self) -> u64 {
        self.rows.iter().map(|row| row.count).sum()
    }

    fn first_sensitive(&self) -> Option<usize> {
        self.columns.iter().position(|column| column.role == Role::Sensitive)
    }

    /// The columns in the order of these names.
    fn in_order(mut self, names: &[&str]) -> Self {
        self.columns.sort_by_key(|column| names.iter().position(|name| *name == column.name));
        self
    }
}

fn qi(table: &FrequencyTable, q: usize, release: Option<&Release>) -> PairedColumn {
    let (of, width) = (&table.qis[q], table.qis.len());
    let before = of.hierarchy.labels(0).to_vec();
    let after = release.map_or_else(Vec::new, |release| {
        release.qis[q].values.iter().map(|value| value.label.clone()).collect()
    });
    let classes = release
        .map_or_else(Vec::new, |release| release.codes.iter().skip(q).step_by(width).copied().collect());
    let codes = Codes::Qi { entries: table.codes[q].clone(), classes };
    PairedColumn {
        name: of.name.clone(),
        role: Role::QuasiIdentifier,
        same: same(&before, &after),
        before,
        after,
        codes,
    }
}

/// By label of the first its place in the second.
fn same(before: &[String], after: &[String]) -> Vec<u32> {
    let places: BTreeMap<&str, u32> = after.iter().map(String::as_str).zip(0..).collect();
    before.iter().map(|label| places.get(label.as_str()).copied().unwrap_or(NONE)).collect()
}

fn rest(table: &FrequencyTable, c: usize, hidden: bool) -> PairedColumn {
    let of = &table.rest.columns[c];
    let codes = Codes::Rest { combinations: table.rest.codes[c].clone(), hidden };
    let (before, after) = (of.values.clone(), of.values.clone());
    let same = (0..before.len() as u32).collect();
    PairedColumn { name: of.name.clone(), role: of.role, same, before, after, codes }
}

/// The columns of a table but those that are not released.
fn columns(table: &FrequencyTable, release: Option<&Release>, hidden: bool) -> Vec<PairedColumn> {
    let others = 0..table.rest.columns.len();
    let others =
        others.filter(|&c| is_shown(&table.rest.columns[c], release)).map(|c| rest(table, c, hidden));
    (0..table.qis.len()).map(|q| qi(table, q, release)).chain(others).collect()
}

fn is_shown(column: &RestColumn, release: Option<&Release>) -> bool {
    let is_released = |release: &Release| release.rest.position(&column.name).is_some();
    column.role != Role::Person && release.is_none_or(is_released)
}

impl Loaded<'_> {
    /// The original records alone, as far as they are read: without identifiers, each distinct one once.
    ///
    /// Time and memory: O(entries · attributes).
    #[must_use]
    pub fn originals(&self) -> Paired {
        let table = &self.table;
        let entries = (0..).zip(&table.counts);
        let row = |(entry, &count)| PairedRow { entry, class: SUPPRESSED, value: NONE, count };
        let names: Vec<&str> = self.source.requests.iter().map(|request| &*request.name).collect();
        let paired = Paired {
            columns: columns(table, None, false),
            rows: entries.map(row).collect(),
            combinations: table.rest_index.clone(),
            ..Paired::default()
        };
        paired.in_order(&names)
    }
}

impl<P> Certified<'_, P> {
    /// The original records beside the released ones, class by class; `None` where no released record is one of the table.
    ///
    /// Time: O(entries · log entries), memory O(entries · attributes).
    #[must_use]
    pub fn paired(&self) -> Option<Paired> {
        let (searched, release) = (&self.made.searched, &self.made.release);
        let Searched { table, decision, source, .. } = searched;
        let mut rows = rows(table, &decision.outcome, &self.made.ids)?;
        let invented = counterfeits(&decision.outcome, &self.made.ids);
        // A value that stands for those of several columns is none of theirs.
        rows.extend(invented.map(|row| if decision.joined { PairedRow { value: NONE, ..row } } else { row }));
        rows.sort_by_key(|row| (row.class, row.entry));
        let hidden = matches!(decision.suppress, Suppress::Record);
        let names: Vec<&str> = source.requests.iter().map(|request| &*request.name).collect();
        let paired = Paired {
            columns: columns(table, Some(release), hidden),
            rows,
            classes: release.sizes.len(),
            released: true,
            combinations: table.rest_index.clone(),
        };
        Some(paired.in_order(&names))
    }

    /// Whose the original records and the released ones of each class are, where a column says so: for the custodian.
    #[must_use]
    pub fn holdings(&self) -> Option<(Holdings, Holdings)> {
        self.made.searched.apart.people.as_ref().map(People::holdings)
    }

    /// In classes of which size the people are, before and after.
    ///
    /// Time: O(entries + classes · log classes).
    #[must_use]
    pub fn class_people(&self) -> ClassPeople {
        let (searched, release) = (&self.made.searched, &self.made.release);
        if let Some(people) = &searched.apart.people {
            let (before, after) = people.holdings();
            let (before, after) = (before.sizes(), after.sizes());
            let shown = people.of_classes(release).unwrap_or_else(|| after.clone());
            let before = before.into_iter().map(|size| (size, size));
            return ClassPeople::of(before, shown.into_iter().zip(after), true);
        }
        let mut real = release.sizes.clone();
        for row in counterfeits(&searched.decision.outcome, &self.made.ids) {
            real[row.class as usize] -= row.count;
        }
        let table = searched.counted();
        let before = table.class_sizes().iter().map(|&(size, classes)| (size, size * classes));
        ClassPeople::of(before, release.sizes.iter().copied().zip(real), false)
    }
}

/// How many people are in classes of each size, ascending by size. Counterfeits make a class larger and are no people.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ClassPeople {
    /// Of the original records, whose classes are those of equal quasi-identifiers.
    pub before: Vec<(u64, u64)>,
    /// Of the released ones.
    pub after: Vec<(u64, u64)>,
    /// Whether a column says whose the records are; otherwise each record is one person.
    pub has_person: bool,
}

impl ClassPeople {
    fn of(
        before: impl Iterator<Item = (u64, u64)>,
        after: impl Iterator<Item = (u64, u64)>,
        has_person: bool,
    ) -> Self {
        Self { before: summed(before), after: summed(after), has_person }
    }
}

fn summed(pairs: impl Iterator<Item = (u64, u64)>) -> Vec<(u64, u64)> {
    let mut sums: BTreeMap<u64, u64> = BTreeMap::new();
    pairs.for_each(|(size, people)| *sums.entry(size).or_default() += people);
    sums.into_iter().collect()
}

/// The table's records with their classes.
fn rows(table: &FrequencyTable, outcome: &Outcome, ids: &[u64]) -> Option<Vec<PairedRow>> {
    let of = |class: u32, entry: u32, count: u64| PairedRow { entry, class, value: NONE, count };
    match outcome {
        Outcome::FullDomain(plan) => {
            let ids = ids_of_entries(table, plan, ids).into_iter().zip(0..);
            // Suppressed records have 0, which is no place of a class.
            Some(ids.map(|(id, entry)| of(id.wrapping_sub(1), entry, table.counts[entry as usize])).collect())
        }
        Outcome::Local(plan) => {
            let classes = (0..).zip(&plan.members).chain([(SUPPRESSED, &plan.suppressed)]);
            let rows = classes.flat_map(|(class, members)| {
                members.iter().map(move |&(entry, count)| of(class, entry, count))
            });
            Some(rows.collect())
        }
        Outcome::Sampled { .. } | Outcome::Records(_) => None,
    }
}

fn counterfeits<'a>(outcome: &'a Outcome, ids: &'a [u64]) -> impl Iterator<Item = PairedRow> + 'a {
    outcome.counterfeits().iter().flat_map(move |of| {
        let class = ids[of.class as usize] as u32 - 1;
        of.values.iter().map(move |&(value, count)| PairedRow { entry: NONE, class, value, count })
    })
}
