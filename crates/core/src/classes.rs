//! Equivalence classes at lattice nodes, by roll-up.
//!
//! A [`Cell`] counts the records of one class (with one sensitive value, where those are kept).
//! A node's cells follow from those of any more specific node: replace codes, sort, merge. A
//! [`Space`] keeps the cells of the *prefix nodes* (some attributes at their final level, the rest
//! untouched), so that nodes which share a prefix share the work.

use std::sync::{Arc, Mutex};

use rustc_hash::FxHashMap;

use crate::frequency::{FrequencyTable, Role};
use crate::key::{Field, Key, Layout, bits_for};
use crate::lattice::Node;

/// How many records share a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cell<const W: usize> {
    /// The codes of the quasi-identifiers, then of the sensitive attribute where it is kept.
    pub key: Key<W>,
    /// The number of records, at least 1.
    pub count: u64,
}

/// A code's replacement when one attribute rises from one level to another.
struct Step {
    field: Field,
    codes: Arc<Vec<u32>>,
}

/// Most slots of a dense count, 8 bytes each.
const DENSE_SLOTS: usize = 1 << 22;

/// Bytes of prefix nodes that are kept before the older half is dropped.
const KEPT_BYTES: usize = 96 << 20;

/// A table's cells at every node of its lattice.
pub struct Space<const W: usize> {
    layout: Layout,
    /// Per attribute, its field.
    qi_fields: Vec<Field>,
    /// The attribute that stands at each position of the key: the steepest first.
    order: Vec<usize>,
    /// Per attribute and pair of levels, the replacement of codes.
    steps: Vec<Vec<Vec<Arc<Vec<u32>>>>>,
    /// Per attribute and level, the number of codes.
    widths: Vec<Vec<usize>>,
    sensitive_width: usize,
    /// The code that marks records of the population.
    population: Option<u32>,
    base: Arc<Vec<Cell<W>>>,
    kept: Mutex<Kept<W>>,
}

#[derive(Default)]
struct Kept<const W: usize> {
    cells: FxHashMap<Vec<u8>, (u64, Arc<Vec<Cell<W>>>)>,
    bytes: usize,
    clock: u64,
}

/// The columns of the rest that cells are kept apart by, as one code; one more code marks the
/// population's records, where the table has a population.
#[derive(Debug, Clone)]
pub struct Coding {
    columns: Vec<usize>,
    /// Per combination of the rest, its code.
    of_rest: Vec<u32>,
    /// Per column, from a code to the column's own.
    decode: Vec<Vec<u32>>,
    /// Per code, the least code that differs from it by person only.
    released: Vec<u32>,
    /// The number of codes, the population's included.
    width: usize,
    /// The code of the population's records.
    population: Option<u32>,
}

impl Coding {
    /// A coding of these columns of the rest; `None` where there is nothing to keep apart. The code of
    /// a single column is the column's own.
    #[must_use]
    pub fn new(table: &FrequencyTable, columns: &[usize]) -> Option<Self> {
        if columns.is_empty() && table.population.is_none() {
            return None;
        }
        let (of_rest, decode, codes) = match columns {
            [one] => {
                let values = table.rest.columns[*one].values.len();
                (table.rest.codes[*one].clone(), vec![(0..values as u32).collect()], values)
            }
            several => tuples(table, several),
        };
        let population = table.population.as_ref().map(|_| codes as u32);
        let width = codes + usize::from(population.is_some());
        let person = columns.iter().position(|&c| table.rest.columns[c].role == Role::Person);
        let released = released(&decode, person, codes);
        Some(Self { columns: columns.to_vec(), of_rest, decode, released, width, population })
    }

    /// One code for all codes whose released columns are equal: those that differ by person only.
    #[must_use]
    pub fn released(&self, code: u32) -> u32 {
        self.released[code as usize]
    }

    /// The code that marks records of the population, where there is one.
    #[must_use]
    pub fn population(&self) -> Option<u32> {
        self.population
    }

    /// Adds up the (code, count) cells of a class by one column's own code, ascending.
    pub fn histogram(&self, column: usize, cells: &[(u32, u64)], histogram: &mut Vec<(u32, u64)>) {
        let position =
            self.columns.iter().position(|&c| c == column).expect("the coding was made for the column");
        histogram.clear();
        histogram.extend(cells.iter().map(|&(code, count)| (self.decode[position][code as usize], count)));
        histogram.sort_unstable();
        histogram.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1 += next.1;
            }
            same
        });
    }
}

/// Per code, the least code of the same values in all columns but the person's.
fn released(decode: &[Vec<u32>], person: Option<usize>, codes: usize) -> Vec<u32> {
    if person.is_none() {
        return (0..codes as u32).collect();
    }
    let shown = |code: u32| -> Vec<u32> {
        let columns = decode.iter().enumerate().filter(|(column, _)| Some(*column) != person);
        columns.map(|(_, decode)| decode[code as usize]).collect()
    };
    let mut least: FxHashMap<Vec<u32>, u32> = FxHashMap::default();
    (0..codes as u32).map(|code| *least.entry(shown(code)).or_insert(code)).collect()
}

/// Codes for the tuples of several columns: by combination of the rest, back to each column, how many.
fn tuples(table: &FrequencyTable, columns: &[usize]) -> (Vec<u32>, Vec<Vec<u32>>, usize) {
    let tuple = |rest: usize| columns.iter().map(|&c| table.rest.codes[c][rest]).collect::<Vec<u32>>();
    let mut distinct: Vec<Vec<u32>> = (0..table.rest.len).map(tuple).collect();
    distinct.sort_unstable();
    distinct.dedup();
    let code = |rest| distinct.partition_point(|t| *t < tuple(rest)) as u32;
    let of_rest = (0..table.rest.len).map(code).collect();
    let decode = (0..columns.len()).map(|i| distinct.iter().map(|t| t[i]).collect()).collect();
    (of_rest, decode, distinct.len())
}

/// The key layout of a table's quasi-identifiers and, if asked for, sensitive attributes.
#[must_use]
pub fn layout(table: &FrequencyTable, coding: Option<&Coding>) -> Layout {
    Layout::new(&key_bits(table, &steepest_first(table), coding))
}

fn key_bits(table: &FrequencyTable, order: &[usize], coding: Option<&Coding>) -> Vec<u32> {
    let qis = order.iter().map(|&q| bits_for(table.qis[q].hierarchy.width(0)));
    qis.chain(coding.map(|coding| bits_for(coding.width))).collect()
}

/// Attributes by how much one level shrinks them, steepest first: prefix nodes get small soonest.
fn steepest_first(table: &FrequencyTable) -> Vec<usize> {
    let steepness = |q: usize| {
        let hierarchy = &table.qis[q].hierarchy;
        hierarchy.width(0) as f64 / hierarchy.width(1.min(hierarchy.top())).max(1) as f64
    };
    let mut order: Vec<usize> = (0..table.qis.len()).collect();
    order.sort_by(|&a, &b| steepness(b).total_cmp(&steepness(a)).then(a.cmp(&b)));
    order
}

impl<const W: usize> Space<W> {
    /// The space of a table's quasi-identifiers; with a coding, cells are kept apart by it. `W` must be at least the words of [`layout`].
    ///
    /// Time: O(entries · attributes + sort).
    #[must_use]
    pub fn new(table: &FrequencyTable, coding: Option<&Coding>) -> Self {
        let order = steepest_first(table);
        let layout = Layout::new(&key_bits(table, &order, coding));
        let key = |codes: &[Vec<u32>], entry: usize, own: Option<u32>| {
            let mut key = Key::ZERO;
            for (field, &q) in layout.fields().iter().zip(&order) {
                key.set(*field, codes[q][entry]);
            }
            if let Some(own) = own {
                key.set(layout.fields()[order.len()], own);
            }
            key
        };
        let mut cells: Vec<Cell<W>> = (0..table.len())
            .map(|entry| {
                let own = coding.map(|coding| coding.of_rest[table.rest_index[entry] as usize]);
                Cell { key: key(&table.codes, entry, own), count: table.counts[entry] }
            })
            .collect();
        let population = coding.and_then(Coding::population).zip(table.population.as_ref());
        cells.extend(population.into_iter().flat_map(|(mark, population)| {
            let cell = move |entry| Cell {
                key: key(&population.codes, entry, Some(mark)),
                count: population.counts[entry],
            };
            (0..population.counts.len()).map(cell)
        }));
        sort_and_merge(&mut cells);
        cells.shrink_to_fit();
        let hierarchies = || table.qis.iter().map(|qi| &qi.hierarchy);
        let steps = hierarchies()
            .map(|h| (0..=h.top()).map(|a| (a..=h.top()).map(|b| Arc::new(h.step(a, b))).collect()).collect())
            .collect();
        let widths = hierarchies().map(|h| (0..=h.top()).map(|level| h.width(level)).collect()).collect();
        let sensitive_width = coding.map_or(1, |coding| coding.width);
        let population = coding.and_then(Coding::population);
        let kept = Mutex::new(Kept { cells: FxHashMap::default(), bytes: 0, clock: 0 });
        let mut qi_fields = layout.fields()[..order.len()].to_vec();
        for (field, &q) in layout.fields().iter().zip(&order) {
            qi_fields[q] = *field;
        }
        Self {
            layout,
            qi_fields,
            order,
            steps,
            widths,
            sensitive_width,
            population,
            base: Arc::new(cells),
            kept,
        }
    }

    /// The field of the sensitive attribute; `None` where it is not kept.
    #[must_use]
    pub fn sensitive_field(&self) -> Option<Field> {
        self.layout.fields().get(self.order.len()).copied()
    }

    /// Whether a cell counts records of the population, not of the table.
    #[must_use]
    pub fn is_population(&self, cell: &Cell<W>) -> bool {
        self.population.is_some_and(|mark| self.sensitive_field().is_some_and(|f| cell.key.get(f) == mark))
    }

    /// A key without the sensitive code.
    #[must_use]
    pub fn class_key_of(&self, key: &Key<W>) -> Key<W> {
        let mut class = *key;
        if let Some(field) = self.sensitive_field() {
            class.set(field, 0);
        }
        class
    }

    /// A key of the untouched data as it is at a node, without the sensitive code.
    #[must_use]
    pub fn class_key(&self, key: &Key<W>, node: &Node) -> Key<W> {
        let mut raised = Key::ZERO;
        for (q, field) in self.qi_fields.iter().enumerate() {
            raised.set(*field, self.steps[q][0][usize::from(node.0[q])][key.get(*field) as usize]);
        }
        raised
    }

    /// The code of attribute `qi` in a key.
    #[must_use]
    pub fn code(&self, key: &Key<W>, qi: usize) -> u32 {
        key.get(self.qi_fields[qi])
    }

    /// The cells of each class, one run after the other.
    pub fn runs<'a>(&self, cells: &'a [Cell<W>]) -> impl Iterator<Item = &'a [Cell<W>]> {
        let sensitive = self.sensitive_field();
        let class_of = move |mut key: Key<W>| {
            if let Some(field) = sensitive {
                key.set(field, 0);
            }
            key
        };
        cells.chunk_by(move |a, b| class_of(a.key) == class_of(b.key))
    }

    /// The cells of the untouched data.
    #[must_use]
    pub fn base(&self) -> &[Cell<W>] {
        &self.base
    }

    /// The cells at a node, ascending by key.
    ///
    /// Time: O(c log c) for the c cells of the nearest kept prefix node.
    #[must_use]
    pub fn cells(&self, node: &Node) -> Arc<Vec<Cell<W>>> {
        let levels: Vec<u8> = self.order.iter().map(|&q| node.0[q]).collect();
        let raised = levels.iter().rposition(|&l| l > 0).map_or(0, |p| p + 1);
        self.prefix(&levels[..raised])
    }

    /// The cells with the first attributes of the key at these levels and the others untouched.
    fn prefix(&self, levels: &[u8]) -> Arc<Vec<Cell<W>>> {
        let Some((&level, shorter)) = levels.split_last() else { return Arc::clone(&self.base) };
        if level == 0 {
            return self.prefix(shorter);
        }
        if let Some(cells) = self.recall(levels) {
            return cells;
        }
        let from = self.prefix(shorter);
        let position = levels.len() - 1;
        let step = Step {
            field: self.layout.fields()[position],
            codes: Arc::clone(&self.steps[self.order[position]][0][usize::from(level)]),
        };
        let cells = Arc::new(self.raise(&from, &step, levels));
        if position + 1 < self.order.len() {
            self.keep(levels, &cells);
        }
        cells
    }

    fn recall(&self, levels: &[u8]) -> Option<Arc<Vec<Cell<W>>>> {
        let mut kept = self.kept.lock().expect("no holder of this lock panics");
        kept.clock += 1;
        let clock = kept.clock;
        let (used, cells) = kept.cells.get_mut(levels)?;
        *used = clock;
        Some(Arc::clone(cells))
    }

    fn keep(&self, levels: &[u8], cells: &Arc<Vec<Cell<W>>>) {
        let mut kept = self.kept.lock().expect("no holder of this lock panics");
        let (clock, size) = (kept.clock, cells.len() * size_of::<Cell<W>>());
        if kept.bytes + size > KEPT_BYTES {
            kept.drop_older_half();
        }
        if kept.cells.insert(levels.to_vec(), (clock, Arc::clone(cells))).is_none() {
            kept.bytes += size;
        }
    }

    fn raise(&self, from: &[Cell<W>], step: &Step, levels: &[u8]) -> Vec<Cell<W>> {
        let replace = |cell: &Cell<W>| {
            let mut key = cell.key;
            key.set(step.field, step.codes[key.get(step.field) as usize]);
            Cell { key, count: cell.count }
        };
        let radices = self.radices(levels);
        let slots = radices.iter().try_fold(1usize, |product, &r| product.checked_mul(r));
        match slots {
            Some(slots) if slots <= DENSE_SLOTS && slots <= 4 * from.len() + 1024 => {
                self.count_densely(from.iter().map(replace), &radices, slots)
            }
            _ => {
                let mut cells: Vec<Cell<W>> = from.iter().map(replace).collect();
                sort_and_merge(&mut cells);
                cells
            }
        }
    }

    /// Per field of the key, how many codes it can hold at these levels.
    fn radices(&self, levels: &[u8]) -> Vec<usize> {
        let level = |position: usize| usize::from(levels.get(position).copied().unwrap_or(0));
        let qis = self.order.iter().enumerate().map(|(position, &q)| self.widths[q][level(position)]);
        let sensitive = (self.layout.fields().len() > self.order.len()).then_some(self.sensitive_width);
        qis.chain(sensitive).collect()
    }

    /// Counts into one slot per possible key; slots in order are keys in order.
    fn count_densely(
        &self,
        cells: impl Iterator<Item = Cell<W>>,
        radices: &[usize],
        slots: usize,
    ) -> Vec<Cell<W>> {
        let mut counts = vec![0u64; slots];
        let fields = self.layout.fields();
        let mut used = 0;
        for cell in cells {
            let slot =
                fields.iter().zip(radices).fold(0, |slot, (f, r)| slot * r + cell.key.get(*f) as usize);
            used += usize::from(counts[slot] == 0);
            counts[slot] += cell.count;
        }
        let mut merged = Vec::with_capacity(used);
        for (slot, &count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
            let (mut key, mut left) = (Key::ZERO, slot);
            for (field, radix) in fields.iter().zip(radices).rev() {
                key.set(*field, (left % radix) as u32);
                left /= radix;
            }
            merged.push(Cell { key, count });
        }
        merged
    }
}

impl<const W: usize> Kept<W> {
    fn drop_older_half(&mut self) {
        let mut uses: Vec<u64> = self.cells.values().map(|(used, _)| *used).collect();
        uses.sort_unstable();
        let Some(&median) = uses.get(uses.len() / 2) else { return };
        self.cells.retain(|_, (used, _)| *used > median);
        self.bytes = self.cells.values().map(|(_, cells)| cells.len() * size_of::<Cell<W>>()).sum();
    }
}

fn sort_and_merge<const W: usize>(cells: &mut Vec<Cell<W>>) {
    // Stable on purpose: it is adaptive, and raising a late attribute leaves long sorted runs.
    cells.sort_by_key(|cell| cell.key);
    cells.dedup_by(|next, kept| {
        let same = next.key == kept.key;
        if same {
            kept.count += next.count;
        }
        same
    });
}

/// The classes of one node with their sensitive counts, in the order of the space's keys.
#[derive(Debug, Clone, Default)]
pub struct ClassTable {
    /// The codes of the quasi-identifiers at the node, one class after the other.
    codes: Vec<u32>,
    qis: usize,
    /// |E| for every class.
    pub sizes: Vec<u64>,
    /// (sensitive code, count) of all classes, one class after the other, ascending by code.
    cells: Vec<(u32, u64)>,
    /// Where the cells of a class begin; one more than there are classes.
    starts: Vec<usize>,
}

impl ClassTable {
    /// The classes at a node. The sensitive code is 0 throughout where the space keeps none.
    ///
    /// Time: O(cells · attributes).
    #[must_use]
    pub fn at<const W: usize>(space: &Space<W>, node: &Node) -> Self {
        let cells = space.cells(node);
        let sensitive = space.sensitive_field();
        let qis = node.0.len();
        let mut table = Self { starts: vec![0], qis, ..Self::default() };
        table.cells.reserve(cells.len());
        for run in space.runs(&cells) {
            // The population's records sort behind all others of their class.
            let own = run.partition_point(|cell| !space.is_population(cell));
            let run = &run[..own];
            if run.is_empty() {
                continue;
            }
            table.codes.extend((0..qis).map(|qi| space.code(&run[0].key, qi)));
            table.sizes.push(run.iter().map(|cell| cell.count).sum());
            table.cells.extend(run.iter().map(|c| (sensitive.map_or(0, |f| c.key.get(f)), c.count)));
            table.starts.push(table.cells.len());
        }
        table
    }

    /// The codes of a class's quasi-identifiers at the node.
    #[must_use]
    pub fn codes(&self, class: usize) -> &[u32] {
        &self.codes[class * self.qis..(class + 1) * self.qis]
    }

    /// The number of classes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.sizes.len()
    }

    /// Whether there is no class.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.sizes.is_empty()
    }

    /// The (sensitive code, count) pairs of a class, ascending by code.
    #[must_use]
    pub fn sensitive(&self, class: usize) -> &[(u32, u64)] {
        &self.cells[self.starts[class]..self.starts[class + 1]]
    }

    /// How many records of a class have a sensitive value.
    #[must_use]
    pub fn count(&self, class: usize, value: u32) -> u64 {
        let cells = self.sensitive(class);
        cells.binary_search_by_key(&value, |cell| cell.0).map_or(0, |i| cells[i].1)
    }
}
