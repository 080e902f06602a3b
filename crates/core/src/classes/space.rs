//! The cells at every node, from prefix nodes that are kept.

use std::cmp::Reverse;
use std::sync::{Arc, Mutex, MutexGuard};

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::Cell;
use super::base::base;
use super::coding::{Coding, key_bits, steepest_first};
use super::raise::{Scratch, Step};
use crate::frequency::FrequencyTable;
use crate::key::{Field, Key, Layout, Tail};
use crate::lattice::Node;

/// A scratch of more slots, 2 MiB, is given back to the system after use.
const MOST_SPARE_SLOTS: usize = 1 << 18;

/// Bytes of prefix nodes that are kept before half of them are dropped.
const KEPT_BYTES: usize = 96 << 20;

/// So many cells are raised on all cores.
const MANY: usize = 1 << 16;

/// The parts that they are raised in; a constant, though any number gives the same cells.
const PARTS: usize = 16;

/// A table's cells at every node of its lattice.
pub struct Space<const W: usize> {
    /// Per attribute, its field.
    fields: Vec<Field>,
    /// The attributes as they stand in the key: the steepest first.
    positions: Vec<Position>,
    sensitive: Option<Field>,
    /// The code that marks records of the population.
    population: Option<u32>,
    /// What two cells of one class may differ in.
    beyond_class: Tail,
    base: Arc<Vec<Cell<W>>>,
    kept: Mutex<Kept<W>>,
    spare: Mutex<Vec<Scratch<W>>>,
}

/// An attribute and its place in the key.
struct Position {
    qi: usize,
    field: Field,
    tail: Option<Tail>,
    /// From each level, to it and to each level above, the replacement of codes.
    steps: Vec<Vec<Vec<u32>>>,
}

impl Position {
    fn new(table: &FrequencyTable, qi: usize, layout: &Layout, position: usize) -> Self {
        let hierarchy = &table.qis[qi].hierarchy;
        let levels = 0..=hierarchy.top();
        let steps = |from| (from..=hierarchy.top()).map(|to| hierarchy.step(from, to)).collect();
        let (field, tail) = (layout.fields()[position], layout.tail(position));
        Self { qi, field, tail, steps: levels.map(steps).collect() }
    }

    fn top(&self) -> u8 {
        (self.steps.len() - 1) as u8
    }

    fn step(&self, from: u8, to: u8) -> Step<'_> {
        let codes = &self.steps[usize::from(from)][usize::from(to - from)];
        let width = self.steps[usize::from(to)][0].len();
        Step { field: self.field, codes, width, tail: self.tail }
    }
}

impl<const W: usize> Space<W> {
    /// The space of a table's quasi-identifiers; with a coding, cells are kept apart by it. `W` must
    /// be at least the words of [`layout`](super::layout).
    ///
    /// Time: O(entries · attributes + sort).
    #[must_use]
    pub fn new(table: &FrequencyTable, coding: Option<&Coding>) -> Self {
        let order = steepest_first(table);
        let layout = Layout::new(&key_bits(table, &order, coding));
        let base = base(table, &layout, &order, coding);
        Self::of(table, &order, &layout, coding.and_then(Coding::population), base)
    }

    /// The space of the same records without what cells are kept apart by besides the quasi-identifiers.
    ///
    /// Time: O(cells · attributes); nothing is sorted, since the attributes come first in the keys.
    #[must_use]
    pub fn of_classes(&self, table: &FrequencyTable) -> Self {
        let order: Vec<usize> = self.positions.iter().map(|position| position.qi).collect();
        let layout = Layout::new(&key_bits(table, &order, None));
        let class = |run: &[Cell<W>]| {
            let mut key = Key::ZERO;
            for (position, field) in self.positions.iter().zip(layout.fields()) {
                key.set(*field, run[0].key.get(position.field));
            }
            let own = run.iter().filter(|cell| !self.is_population(cell));
            Cell { key, count: own.map(|cell| cell.count).sum() }
        };
        let classes = self.runs(&self.base).map(class).filter(|cell| cell.count > 0).collect();
        Self::of(table, &order, &layout, None, classes)
    }

    fn of(
        table: &FrequencyTable,
        order: &[usize],
        layout: &Layout,
        population: Option<u32>,
        base: Vec<Cell<W>>,
    ) -> Self {
        let position = |(position, &qi)| Position::new(table, qi, layout, position);
        let positions: Vec<Position> = order.iter().enumerate().map(position).collect();
        let mut fields = layout.fields()[..order.len()].to_vec();
        for position in &positions {
            fields[position.qi] = position.field;
        }
        let sensitive = layout.fields().get(order.len()).copied();
        let beyond_class = layout.tail(order.len()).expect("the last field stands in the last word");
        let (kept, spare) = (Mutex::default(), Mutex::default());
        Self { fields, positions, sensitive, population, beyond_class, base: Arc::new(base), kept, spare }
    }

    /// The field of the sensitive attribute; `None` where it is not kept.
    #[must_use]
    pub fn sensitive_field(&self) -> Option<Field> {
        self.sensitive
    }

    /// Whether a cell counts records of the population, not of the table.
    #[must_use]
    pub fn is_population(&self, cell: &Cell<W>) -> bool {
        self.population.is_some_and(|mark| self.sensitive.is_some_and(|field| cell.key.get(field) == mark))
    }

    /// A key without the sensitive code.
    #[must_use]
    pub fn class_key_of(&self, key: &Key<W>) -> Key<W> {
        let mut class = *key;
        if let Some(field) = self.sensitive {
            class.set(field, 0);
        }
        class
    }

    /// A key of the untouched data as it is at a node, without the sensitive code.
    #[must_use]
    pub fn class_key(&self, key: &Key<W>, node: &Node) -> Key<W> {
        let mut raised = Key::ZERO;
        for position in &self.positions {
            let codes = position.step(0, node.0[position.qi]).codes;
            raised.set(position.field, codes[key.get(position.field) as usize]);
        }
        raised
    }

    /// The code of attribute `qi` in a key.
    #[must_use]
    pub fn code(&self, key: &Key<W>, qi: usize) -> u32 {
        key.get(self.fields[qi])
    }

    /// The cells of each class, one run after the other.
    pub fn runs<'a>(&self, cells: &'a [Cell<W>]) -> impl Iterator<Item = &'a [Cell<W>]> {
        let tail = self.beyond_class;
        cells.chunk_by(move |a, b| a.key.split(tail).0 == b.key.split(tail).0)
    }

    /// The cells of the untouched data.
    #[must_use]
    pub fn base(&self) -> &[Cell<W>] {
        &self.base
    }

    /// The cells at a node, ascending by key.
    ///
    /// Time: O(c) for the c cells of the nearest kept node, and O(c log c) where an attribute at the
    /// beginning of the key has to be raised, which nodes share.
    #[must_use]
    pub fn cells(&self, node: &Node) -> Arc<Vec<Cell<W>>> {
        let levels: Vec<u8> = self.positions.iter().map(|position| node.0[position.qi]).collect();
        let raised = levels.iter().rposition(|&l| l > 0).map_or(0, |p| p + 1);
        self.prefix(&levels[..raised])
    }

    /// The cells with the first attributes of the key at these levels and the others untouched.
    fn prefix(&self, levels: &[u8]) -> Arc<Vec<Cell<W>>> {
        let Some((&level, shorter)) = levels.split_last() else { return Arc::clone(&self.base) };
        if level == 0 {
            return self.prefix(shorter);
        }
        let kept = self.kept().nearest(levels);
        let (below, from) = kept.unwrap_or_else(|| (0, self.prefix(shorter)));
        if below == level {
            return from;
        }
        let position = &self.positions[shorter.len()];
        let cells = Arc::new(self.raise(&from, &position.step(below, level)));
        if levels.len() < self.positions.len() || level < position.top() {
            self.kept().keep(levels, &cells);
        }
        cells
    }

    /// The more general cells; of many, those of different groups side by side.
    fn raise(&self, from: &[Cell<W>], step: &Step<'_>) -> Vec<Cell<W>> {
        match step.tail.filter(|_| from.len() >= MANY) {
            Some(tail) => {
                // Where the codes keep their order, so do the more general ones, and each of them is a group of its own.
                let keeps = step.codes.is_sorted();
                let general = |key: &Key<W>| if keeps { step.codes[key.get(step.field) as usize] } else { 0 };
                let group = |cell: &Cell<W>| (cell.key.split(tail).0, general(&cell.key));
                let parts: Vec<Vec<Cell<W>>> =
                    parts(from, group).into_par_iter().map(|part| self.raise_part(part, step)).collect();
                parts.concat()
            }
            None => self.raise_part(from, step),
        }
    }

    fn raise_part(&self, from: &[Cell<W>], step: &Step<'_>) -> Vec<Cell<W>> {
        let mut scratch = self.spare().pop().unwrap_or_default();
        let cells = step.raise(from, &mut scratch);
        if scratch.slots.len() <= MOST_SPARE_SLOTS {
            self.spare().push(scratch);
        }
        cells
    }

    fn kept(&self) -> MutexGuard<'_, Kept<W>> {
        self.kept.lock().expect("no holder of this lock panics")
    }

    fn spare(&self) -> MutexGuard<'_, Vec<Scratch<W>>> {
        self.spare.lock().expect("no holder of this lock panics")
    }
}

/// Cells, ascending by group, in parts of about equal size, those of a group in one.
fn parts<const W: usize, G: Ord>(cells: &[Cell<W>], group: impl Fn(&Cell<W>) -> G) -> Vec<&[Cell<W>]> {
    let (mut parts, mut left) = (Vec::new(), cells);
    for part in (1..=PARTS).rev() {
        let Some(last) = (left.len() / part).checked_sub(1).map(|last| group(&left[last])) else { continue };
        let (own, others) = left.split_at(left.partition_point(|cell| group(cell) <= last));
        parts.push(own);
        left = others;
    }
    parts
}

/// Cells of prefix nodes, each with the time of its last use.
#[derive(Default)]
struct Kept<const W: usize> {
    cells: FxHashMap<Vec<u8>, (u64, Arc<Vec<Cell<W>>>)>,
    bytes: usize,
    clock: u64,
}

impl<const W: usize> Kept<W> {
    /// The cells at these levels, or else with the last attribute at the highest lower level that is
    /// kept, with that level.
    fn nearest(&mut self, levels: &[u8]) -> Option<(u8, Arc<Vec<Cell<W>>>)> {
        self.clock += 1;
        let (mut sought, last) = (levels.to_vec(), levels.len() - 1);
        for level in (1..=levels[last]).rev() {
            sought[last] = level;
            if let Some((used, cells)) = self.cells.get_mut(&sought) {
                *used = self.clock;
                return Some((level, Arc::clone(cells)));
            }
        }
        None
    }

    fn keep(&mut self, levels: &[u8], cells: &Arc<Vec<Cell<W>>>) {
        let size = size_of_val(&cells[..]);
        if self.bytes + size > KEPT_BYTES {
            self.drop_half();
        }
        if self.cells.insert(levels.to_vec(), (self.clock, Arc::clone(cells))).is_none() {
            self.bytes += size;
        }
    }

    /// Keeps the shorter prefixes, because more nodes share them, and of equally long ones those used
    /// last.
    fn drop_half(&mut self) {
        let mut all: Vec<_> = self.cells.drain().collect();
        all.sort_unstable_by_key(|(levels, (used, _))| (levels.len(), Reverse(*used)));
        self.bytes = 0;
        all.retain(|(_, (_, cells))| {
            let bytes = self.bytes + size_of_val(&cells[..]);
            let fits = bytes <= KEPT_BYTES / 2;
            self.bytes = if fits { bytes } else { self.bytes };
            fits
        });
        self.cells = all.into_iter().collect();
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::super::base::tests::over;
    use super::*;
    use crate::hierarchy::{Hierarchy, Rule, TableRule};
    use crate::key::Layout;

    /// So many values in groups.
    fn hierarchy(width: u32, group: fn(u32) -> u32) -> Hierarchy {
        let row = |leaf: u32| vec![format!("{leaf:02}"), format!("g{:02}", group(leaf)), "*".to_owned()];
        let rule = TableRule::new((0..width).map(row).collect()).unwrap();
        Rule::Table(rule).over((0..width).map(|leaf| format!("{leaf:02}")).collect(), false).1
    }

    #[test]
    fn many_cells_are_raised_as_few_are() {
        // Groups that keep the values' order, and such that do not.
        let groups: [fn(u32) -> u32; 3] = [|leaf| leaf / 8, |leaf| leaf % 7, |leaf| leaf / 5];
        let hierarchies = [(90, 0), (40, 1), (50, 2)].map(|(width, g)| hierarchy(width, groups[g]));
        let rows =
            (0..90 * 40 * 50).filter(|n| n % 7 < 4).map(|n| vec![n / 2000, n / 50 % 40, n % 50, n % 3]);
        let table = over(hierarchies.to_vec(), 3, rows.collect());
        assert!(table.len() > MANY);
        let space = Space::<1>::new(&table, None);
        for node in [[1, 0, 0], [1, 1, 0], [2, 1, 1], [0, 1, 2], [1, 2, 1], [0, 0, 1], [2, 2, 2]] {
            let mut counted: BTreeMap<Vec<u32>, u64> = BTreeMap::new();
            for entry in 0..table.len() {
                let codes = table.qis.iter().zip(&table.codes).zip(node);
                let class = codes.map(|((qi, codes), level)| qi.hierarchy.code(level, codes[entry]));
                *counted.entry(class.collect()).or_default() += table.counts[entry];
            }
            let cells = space.cells(&Node(node.to_vec()));
            assert!(cells.is_sorted_by_key(|cell| cell.key));
            let class = |cell: &Cell<1>| (0..3).map(|q| space.code(&cell.key, q)).collect::<Vec<u32>>();
            let found: BTreeMap<_, _> = cells.iter().map(|cell| (class(cell), cell.count)).collect();
            assert_eq!((found.len(), found), (cells.len(), counted), "{node:?}");
        }
    }

    /// Ascending cells of two fields: so many of each head.
    fn cells(heads: &[usize]) -> (Vec<Cell<1>>, Tail) {
        let layout = Layout::new(&[10, 10]);
        let of_head = |(head, &many): (usize, &usize)| {
            (0..many).map(|code| (head as u32, code as u32)).collect::<Vec<_>>()
        };
        let cell = |(head, code)| {
            let mut key = Key::ZERO;
            key.set(layout.fields()[0], head);
            key.set(layout.fields()[1], code);
            Cell { key, count: 1 }
        };
        let all = heads.iter().enumerate().flat_map(of_head).map(cell).collect();
        (all, layout.tail(1).unwrap())
    }

    #[test]
    fn parts_hold_all_cells_and_split_no_group() {
        for heads in [&[][..], &[1], &[500], &[3; 100], &[1, 400, 1, 1], &[100, 0, 1, 1, 1, 1, 1]] {
            let (cells, tail) = cells(heads);
            let head = |cell: &Cell<1>| cell.key.split(tail).0;
            let parts = parts(&cells, head);
            assert_eq!(parts.concat(), cells);
            let apart = |pair: &[&[Cell<1>]]| head(pair[0].last().unwrap()) < head(&pair[1][0]);
            assert!(parts.windows(2).all(apart), "{heads:?}");
        }
        let (cells, tail) = cells(&[3; 100]);
        assert_eq!(parts(&cells, |cell| cell.key.split(tail).0).len(), PARTS);
    }
}
