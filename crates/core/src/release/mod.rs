//! From a plan to what is published.

mod canonical;
mod hidden;
mod ids;
mod local;
pub mod truthful;

pub use ids::ids_of_entries;
pub use local::apply_local;

use std::collections::BTreeMap;
use std::sync::Arc;

use rayon::prelude::*;
use rustc_hash::FxHashMap;
use velamen_dp::{Seed, Stream, below};

use crate::frequency::{FrequencyTable, QuasiIdentifier, Rest, compared};
use crate::hierarchy::{Hierarchy, sort_values};
use crate::key::{Key, Layout, bits_for};
use crate::plan::{Counterfeits, Fate, Plan};
use crate::recoding::{Recoding, ReleasedValue};
use crate::streams;
use crate::with_key_width;

/// The promise that no record is generalized beyond h.
pub const CEILING: &str = "h-ceiling";

/// The promise that counting with the catalog finds no counterfeit.
pub const CATALOG: &str = "catalog";

/// The promise that insensitive columns leave enough records of each class that can hold counterfeits alike.
pub const INSENSITIVE: &str = "insensitive";

/// The class of suppressed records: none.
pub const SUPPRESSED: u32 = u32::MAX;

/// How many records of one class share the rest of their values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Row {
    /// An index into the release's classes, or [`SUPPRESSED`].
    pub class: u32,
    /// An index into the rest.
    pub rest: u32,
    /// At least 1.
    pub count: u64,
}

/// A released quasi-identifier.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReleasedAttribute {
    /// The attribute's name.
    pub name: String,
    /// The level all its values are at; `None` where classes have levels of their own.
    pub level: Option<u8>,
    /// How its values relate to its hierarchy.
    pub recoding: Recoding,
    /// The hierarchy's top level.
    pub height: u8,
    /// The distinct released values, by code.
    pub values: Vec<ReleasedValue>,
}

impl ReleasedAttribute {
    /// The attribute at one level of its hierarchy.
    #[must_use]
    pub fn at_level(name: &str, hierarchy: &Hierarchy, level: u8) -> Self {
        let labels = hierarchy.labels(level).iter().cloned().zip(0..);
        let values =
            labels.map(|(label, code)| ReleasedValue { label, leaves: hierarchy.leaves(level, code), level });
        Self {
            name: name.to_owned(),
            level: Some(level),
            recoding: Recoding::FullDomain,
            height: hierarchy.top(),
            values: values.collect(),
        }
    }

    /// An attribute whose classes have values of their own.
    pub(crate) fn of_values(qi: &QuasiIdentifier, recoding: Recoding, values: Vec<ReleasedValue>) -> Self {
        Self { name: qi.name.clone(), level: None, recoding, height: qi.hierarchy.top(), values }
    }

    /// The label of a code.
    #[must_use]
    pub fn label(&self, code: u32) -> &str {
        &self.values[code as usize].label
    }

    /// The share of the hierarchy that a value has climbed, level / height.
    #[must_use]
    pub fn climbed(&self, code: u32) -> f64 {
        f64::from(self.values[code as usize].level) / f64::from(self.height.max(1))
    }
}

/// One row of the catalog.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CatalogRow {
    /// The ids of the classes of the group, ascending. The rows of a group share them: a group can have most
    /// classes of the table.
    pub classes: Arc<[u64]>,
    /// The sensitive value.
    pub value: String,
    /// How many counterfeits of that value the group holds.
    pub count: u64,
}

/// The release, still in codes: rows in canonical order, by class and then by content, so that
/// neither the input's order nor the place of a counterfeit shows.
#[derive(Debug, Clone, Default)]
pub struct Release {
    /// The quasi-identifiers, in the order of the input.
    pub qis: Vec<ReleasedAttribute>,
    /// The other columns.
    pub rest: Rest,
    /// The codes of the classes' quasi-identifiers, one class after the other. Class ids are
    /// positions here, counted from 1.
    pub codes: Vec<u32>,
    /// Released records of each class.
    pub sizes: Vec<u64>,
    /// Ascending; suppressed records last.
    pub rows: Vec<Row>,
    /// The catalog, by group and value.
    pub catalog: Vec<CatalogRow>,
    /// How many records are suppressed.
    pub suppressed: u64,
}

impl Release {
    /// The codes of one class.
    #[must_use]
    pub fn class(&self, class: usize) -> &[u32] {
        &self.codes[class * self.qis.len()..(class + 1) * self.qis.len()]
    }

    /// The number of released records.
    #[must_use]
    pub fn records(&self) -> u64 {
        self.sizes.iter().sum::<u64>() + self.suppressed
    }

    /// The number of counterfeits: the sum of the catalog.
    #[must_use]
    pub fn counterfeits(&self) -> u64 {
        self.catalog.iter().map(|row| row.count).sum()
    }
}

/// Applies a plan to its table.
///
/// Counterfeits take their insensitive values from a random original record of the same sensitive
/// value (hot deck); where no record has that value, from any record.
///
/// Returns the release and, per class of the plan, the id its records were released under (0 for
/// suppressed ones): for the custodian only.
///
/// Time: O(entries · log entries), memory O(entries).
///
/// # Panics
/// If the plan belongs to another table.
#[must_use]
pub fn apply(table: &FrequencyTable, plan: &Plan, seed: &Seed) -> (Release, Vec<u64>) {
    let layout = released_layout(table, plan);
    with_key_width!(layout.words(), W => Application::new(table, plan, &layout.clone()).run::<W>(seed),
        else unreachable!("the search refused keys this wide"))
}

fn released_layout(table: &FrequencyTable, plan: &Plan) -> Layout {
    let width = |(q, &level): (usize, &u8)| bits_for(table.qis[q].hierarchy.width(level));
    let mut bits: Vec<u32> = plan.node.0.iter().enumerate().map(width).collect();
    bits.push(bits_for(table.rest.len));
    Layout::new(&bits)
}

struct Application<'a> {
    table: &'a FrequencyTable,
    plan: &'a Plan,
    layout: &'a Layout,
}

/// The rows of the classes while they are gathered: (rest, count) in any order.
type Bags = Vec<Vec<(u32, u64)>>;

impl<'a> Application<'a> {
    fn new(table: &'a FrequencyTable, plan: &'a Plan, layout: &'a Layout) -> Self {
        Self { table, plan, layout }
    }

    fn run<const W: usize>(&self, seed: &Seed) -> (Release, Vec<u64>) {
        let canonical = self.canonical_classes();
        let mut ids = vec![0u64; canonical.len()];
        let mut release = self.skeleton();
        for &class in &canonical {
            if self.plan.fates[class as usize] == Fate::Keep {
                release.codes.extend_from_slice(self.plan.classes.codes(class as usize));
                release.sizes.push(0);
                ids[class as usize] = release.sizes.len() as u64;
            }
        }
        for class in 0..ids.len() {
            if let Fate::Move(other) = self.plan.fates[class] {
                ids[class] = ids[other as usize];
            }
        }
        let mut bags: Bags = vec![Vec::new(); release.sizes.len() + 1];
        self.gather_originals::<W>(&ids, &mut bags);
        gather_counterfeits(self.table, &self.plan.counterfeits, &ids, &mut bags, &mut release.rest, seed);
        sort_rest(&mut release.rest, &mut bags);
        fill_rows(&mut release, bags);
        release.catalog = catalog(self.table, &self.plan.counterfeits, &self.plan.groups, &ids);
        (release, ids)
    }

    fn skeleton(&self) -> Release {
        let attribute = |(qi, &level): (&crate::frequency::QuasiIdentifier, &u8)| {
            ReleasedAttribute::at_level(&qi.name, &qi.hierarchy, level)
        };
        let qis = self.table.qis.iter().zip(&self.plan.node.0).map(attribute).collect();
        Release { qis, rest: self.table.rest.clone(), ..Release::default() }
    }

    /// The plan's classes, ascending by released content.
    fn canonical_classes(&self) -> Vec<u32> {
        let classes = &self.plan.classes;
        let mut order: Vec<u32> = (0..classes.len() as u32).collect();
        order.par_sort_unstable_by(|&a, &b| classes.codes(a as usize).cmp(classes.codes(b as usize)));
        order
    }

    /// Puts every entry into the bag of its class's id; bag 0 is the suppressed records'.
    ///
    /// Classes are few beside entries: each entry looks its class up, and none is sorted but within its class.
    fn gather_originals<const W: usize>(&self, ids: &[u64], bags: &mut Bags) {
        let of_entry = self.ids_of_entries::<W>(ids);
        let contents = self.table.rest_index.iter().copied().zip(self.table.counts.iter().copied());
        let combinations = self.table.rest.len;
        // Where there are few, counting takes less memory than noting each entry, and brings them in order.
        match bags.len().checked_mul(combinations).filter(|places| *places <= self.table.len()) {
            Some(places) => counted(of_entry.into_iter().zip(contents), places, combinations, bags),
            None => noted(&of_entry, |entry| (self.table.rest_index[entry], self.table.counts[entry]), bags),
        }
    }

    /// Codes of the quasi-identifiers, packed.
    fn key<const W: usize>(&self, codes: impl Iterator<Item = u32>) -> Key<W> {
        let mut key = Key::ZERO;
        self.layout.fields().iter().zip(codes).for_each(|(field, code)| key.set(*field, code));
        key
    }

    /// The id of each entry's class.
    fn ids_of_entries<const W: usize>(&self, ids: &[u64]) -> Vec<u32> {
        let classes = &self.plan.classes;
        let of_class = |class: usize| (self.key(classes.codes(class).iter().copied()), ids[class] as u32);
        let ids: FxHashMap<Key<W>, u32> = (0..classes.len()).map(of_class).collect();
        let step = |(q, &level): (usize, &u8)| self.table.qis[q].hierarchy.step(0, level);
        let steps: Vec<Vec<u32>> = self.plan.node.0.iter().enumerate().map(step).collect();
        let released = |entry: usize| {
            let codes = self.table.codes.iter().zip(&steps);
            self.key(codes.map(|(codes, step)| step[codes[entry] as usize]))
        };
        // Entries ascend by their codes: the next one is mostly of the same class.
        let looked_up = |last: &mut Option<(Key<W>, u32)>, entry: usize| {
            let key = released(entry);
            let known = last.filter(|last| last.0 == key);
            let found = known.unwrap_or_else(|| (key, ids[&key]));
            *last = Some(found);
            found.1
        };
        (0..self.table.len()).into_par_iter().with_min_len(1 << 12).map_init(|| None, looked_up).collect()
    }
}

/// Entries into bags by a count for each bag and combination of the rest.
fn counted(
    entries: impl Iterator<Item = (u32, (u32, u64))>,
    places: usize,
    combinations: usize,
    bags: &mut Bags,
) {
    let mut counts = vec![0; places];
    for (id, (rest, count)) in entries {
        counts[id as usize * combinations + rest as usize] += count;
    }
    for (bag, counts) in bags.iter_mut().zip(counts.chunks(combinations.max(1))) {
        bag.extend((0..).zip(counts.iter().copied()).filter(|(_, count)| *count > 0));
    }
}

/// Entries into bags one by one: some bags by each task, which looks at all entries.
fn noted(of_entry: &[u32], content: impl Fn(usize) -> (u32, u64) + Sync, bags: &mut Bags) {
    let mut sizes = vec![0usize; bags.len()];
    of_entry.iter().for_each(|&id| sizes[id as usize] += 1);
    let most = of_entry.len().div_ceil(2 * rayon::current_num_threads()).max(1);
    let (mut tasks, mut left, mut first) = (Vec::new(), &mut bags[..], 0);
    while first < sizes.len() {
        let mut together = 0;
        let fits = |size: &&usize| {
            together += **size;
            together <= most
        };
        let some = sizes[first..].iter().take_while(fits).count().max(1);
        let (own, others) = left.split_at_mut(some);
        tasks.push((first, own));
        (left, first) = (others, first + some);
    }
    tasks.into_par_iter().for_each(|(first, bags)| {
        bags.iter_mut().zip(&sizes[first..]).for_each(|(bag, &size)| bag.reserve_exact(size));
        for (entry, &id) in of_entry.iter().enumerate() {
            if let Some(bag) = (id as usize).checked_sub(first).and_then(|place| bags.get_mut(place)) {
                bag.push(content(entry));
            }
        }
    });
}

/// Puts the counterfeits into the bags of their classes' ids, with the insensitive values of donors.
fn gather_counterfeits(
    table: &FrequencyTable,
    counterfeits: &[Counterfeits],
    ids: &[u64],
    bags: &mut Bags,
    rest: &mut Rest,
    seed: &Seed,
) {
    let Some(sensitive) = rest.sensitive().next().filter(|_| !counterfeits.is_empty()) else { return };
    let donors = Donors::new(table, sensitive);
    let mut stream = seed.stream(streams::HOT_DECK);
    for counterfeit in counterfeits {
        for &(value, count) in &counterfeit.values {
            for _ in 0..count {
                let donor = donors.draw(value, rest, &mut stream);
                bags[ids[counterfeit.class as usize] as usize].push((donor, 1));
            }
        }
    }
}

/// The rows of the catalog, ascending by the ids of the groups' classes.
fn catalog(
    table: &FrequencyTable,
    counterfeits: &[Counterfeits],
    groups: &[Vec<u32>],
    ids: &[u64],
) -> Vec<CatalogRow> {
    let Some(sensitive) = table.rest.sensitive().next() else { return Vec::new() };
    let values = &table.rest.columns[sensitive].values;
    let of_class: BTreeMap<u32, &Vec<(u32, u64)>> =
        counterfeits.iter().map(|c| (c.class, &c.values)).collect();
    let mut by_ids = Vec::new();
    for group in groups {
        let mut classes: Vec<u64> = group.iter().map(|&class| ids[class as usize]).collect();
        classes.sort_unstable();
        let mut counts: BTreeMap<u32, u64> = BTreeMap::new();
        for (value, count) in group.iter().filter_map(|class| of_class.get(class)).copied().flatten() {
            *counts.entry(*value).or_default() += count;
        }
        by_ids.push((Arc::from(classes), counts));
    }
    by_ids.sort_unstable();
    let rows =
        by_ids.iter().flat_map(|(classes, counts)| counts.iter().map(move |counted| (classes, counted)));
    let value = |code: u32| values[code as usize].clone();
    rows.map(|(classes, (&code, &count))| CatalogRow {
        classes: Arc::clone(classes),
        value: value(code),
        count,
    })
    .collect()
}

/// Original records by sensitive value, to lend counterfeits their insensitive values.
struct Donors {
    sensitive: usize,
    /// Per sensitive code, its combinations of the rest with running totals of records.
    by_value: Vec<Vec<(u32, u64)>>,
    everyone: Vec<(u32, u64)>,
}

impl Donors {
    fn new(table: &FrequencyTable, sensitive: usize) -> Self {
        let mut totals = vec![0u64; table.rest.len];
        for (&rest, &count) in table.rest_index.iter().zip(&table.counts) {
            totals[rest as usize] += count;
        }
        let mut by_value = vec![Vec::new(); table.rest.columns[sensitive].values.len()];
        let mut everyone = Vec::new();
        for (rest, &count) in (0..).zip(&totals) {
            running(&mut by_value[table.rest.codes[sensitive][rest as usize] as usize], rest, count);
            running(&mut everyone, rest, count);
        }
        Self { sensitive, by_value, everyone }
    }

    /// A combination of the rest with this sensitive value; a new one is appended if none exists.
    fn draw(&self, value: u32, rest: &mut Rest, stream: &mut Stream) -> u32 {
        let same = &self.by_value[value as usize];
        match same.last() {
            // A combination that is declared, and that no record has.
            Some((_, 0)) => return same[0].0,
            Some(_) => return draw_from(same, stream),
            None => {}
        }
        let donor = draw_from(&self.everyone, stream) as usize;
        for (column, codes) in rest.codes.iter_mut().enumerate() {
            let code = if column == self.sensitive { value } else { codes[donor] };
            codes.push(code);
        }
        rest.len += 1;
        (rest.len - 1) as u32
    }
}

fn running(list: &mut Vec<(u32, u64)>, rest: u32, count: u64) {
    let before = list.last().map_or(0, |last| last.1);
    list.push((rest, before + count));
}

fn draw_from(list: &[(u32, u64)], stream: &mut Stream) -> u32 {
    let total = list.last().map_or(1, |last| last.1);
    let point = below(stream, total);
    list[list.partition_point(|(_, until)| *until <= point)].0
}

/// Brings appended combinations of the rest into their canonical place.
fn sort_rest(rest: &mut Rest, bags: &mut Bags) {
    let compare = |a: usize, b: usize| compared(&rest.codes, a, b);
    if (1..rest.len).all(|index| compare(index - 1, index).is_lt()) {
        return;
    }
    let mut order: Vec<u32> = (0..rest.len as u32).collect();
    order.sort_by(|&a, &b| compare(a as usize, b as usize));
    let mut place = vec![0; order.len()];
    for (new, &old) in (0..).zip(&order) {
        place[old as usize] = new;
    }
    for codes in &mut rest.codes {
        *codes = order.iter().map(|&old| codes[old as usize]).collect();
    }
    for (rest, _) in bags.iter_mut().flatten() {
        *rest = place[*rest as usize];
    }
}

fn fill_rows(release: &mut Release, bags: Bags) {
    let combinations = release.rest.len;
    let merge = |counts: &mut Vec<u64>, bag| merged(bag, combinations, counts);
    let mut bags: Bags = bags.into_par_iter().map_init(Vec::new, merge).collect();
    let suppressed = std::mem::take(&mut bags[0]);
    let classes = bags.into_iter().skip(1).zip(0..);
    for (bag, class) in classes.chain(std::iter::once((suppressed, SUPPRESSED))) {
        let records = bag.iter().map(|(_, count)| count).sum::<u64>();
        release.rows.extend(bag.into_iter().map(|(rest, count)| Row { class, rest, count }));
        match release.sizes.get_mut(class as usize) {
            Some(size) => *size += records,
            None => release.suppressed += records,
        }
    }
}

/// A bag's rows, ascending, each combination of the rest once. `counts` is as long as there are combinations and 0
/// throughout, or empty.
///
/// Time: O(rows log rows), O(rows + combinations) where there are fewer combinations than rows.
fn merged(mut bag: Vec<(u32, u64)>, combinations: usize, counts: &mut Vec<u64>) -> Vec<(u32, u64)> {
    if bag.len() < combinations {
        bag.sort_unstable();
        bag.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            kept.1 += if same { next.1 } else { 0 };
            same
        });
        return bag;
    }
    counts.resize(combinations, 0);
    bag.iter().for_each(|&(rest, count)| counts[rest as usize] += count);
    let rows = (0..).zip(counts.iter_mut()).map(|(rest, count)| (rest, std::mem::take(count)));
    rows.filter(|(_, count)| *count > 0).collect()
}

/// Values in canonical order with the code each had before: for readers of columns.
#[must_use]
pub fn canonical_codes(values: Vec<String>) -> (Vec<String>, Vec<u32>) {
    let mut sorted = values.clone();
    sort_values(&mut sorted);
    let place: rustc_hash::FxHashMap<&str, u32> = sorted.iter().map(String::as_str).zip(0..).collect();
    let codes = values.iter().map(|value| place[value.as_str()]).collect();
    (sorted, codes)
}
