//! The cells at every node, from prefix nodes that are kept.

use std::sync::{Arc, Mutex};

use rustc_hash::FxHashMap;

use super::Cell;
use super::coding::{Coding, key_bits, steepest_first};
use crate::frequency::FrequencyTable;
use crate::key::{Field, Key, Layout};
use crate::lattice::Node;

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
