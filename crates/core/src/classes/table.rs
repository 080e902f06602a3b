//! The classes of one node, with their sensitive counts.

use super::{Coding, Space};
use crate::frequency::FrequencyTable;
use crate::lattice::Node;
use crate::recoding::{LocalPlan, merged};

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
    /// Whose the records are, where a person can have several; `None` where each is another person's.
    people: Option<People>,
}

/// The people of all classes, one class after the other.
#[derive(Debug, Clone, Default)]
struct People {
    numbers: Vec<u64>,
    /// Distinct (person, sensitive code), ascending within a class.
    pairs: Vec<(u32, u32)>,
    /// Where the pairs of a class begin; one more than there are classes.
    starts: Vec<usize>,
}

impl People {
    fn none() -> Self {
        Self { starts: vec![0], ..Self::default() }
    }

    /// One more class of these distinct pairs, ascending.
    fn push(&mut self, pairs: &[(u32, u32)]) {
        self.numbers.push(pairs.chunk_by(|a, b| a.0 == b.0).count() as u64);
        self.pairs.extend(pairs);
        self.starts.push(self.pairs.len());
    }
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

    /// As [`Self::at`], of a space whose cells are kept apart by person and sensitive value.
    ///
    /// # Panics
    /// If the coding was not made for both columns.
    #[must_use]
    pub fn of_people<const W: usize>(
        space: &Space<W>,
        node: &Node,
        coding: &Coding,
        (person, sensitive): (usize, usize),
    ) -> Self {
        let codes = Self::at(space, node);
        let mut table =
            Self { starts: vec![0], cells: Vec::new(), people: Some(People::none()), ..codes.clone() };
        let mut pairs = Vec::new();
        for class in 0..codes.len() {
            coding.pairs((person, sensitive), codes.sensitive(class), &mut pairs);
            let mut cells = Vec::new();
            coding.histogram(sensitive, codes.sensitive(class), &mut cells);
            table.push(&cells, &pairs);
        }
        table
    }

    /// The cells of one more class, and whose they are where people are counted.
    fn push(&mut self, cells: &[(u32, u64)], pairs: &[(u32, u32)]) {
        self.cells.extend(cells);
        self.starts.push(self.cells.len());
        if let Some(people) = &mut self.people {
            people.push(pairs);
        }
    }

    /// The classes of a local recoding, with the counts of a column of the rest.
    ///
    /// Time: O(members · log members).
    #[must_use]
    pub fn of_plan(plan: &LocalPlan, table: &FrequencyTable, column: usize) -> Self {
        let values = &table.rest.codes[column];
        let person = table.rest.person().map(|person| &table.rest.codes[person]);
        let people = person.map(|_| People::none());
        let codes = plan.codes.clone();
        let mut classes = Self { starts: vec![0], qis: table.qis.len(), codes, people, ..Self::default() };
        for members in &plan.members {
            let rest = |entry: u32| table.rest_index[entry as usize] as usize;
            let cells = members.iter().map(|&(entry, count)| (values[rest(entry)], count)).collect();
            let who =
                person.iter().flat_map(|who| members.iter().map(|m| (who[rest(m.0)], values[rest(m.0)])));
            let mut pairs: Vec<(u32, u32)> = who.collect();
            pairs.sort_unstable();
            pairs.dedup();
            classes.sizes.push(members.iter().map(|member| member.1).sum());
            classes.push(&merged(cells), &pairs);
        }
        classes
    }

    /// The classes without some of their cells; sizes stay as they are.
    #[must_use]
    pub fn without(&self, gone: impl Fn(usize, u32) -> bool) -> Self {
        self.at_most(|class, (value, count)| if gone(class, value) { 0 } else { count })
    }

    /// The classes with at most so many records of each (sensitive code, count); sizes and people stay as they are.
    #[must_use]
    pub fn at_most(&self, most: impl Fn(usize, (u32, u64)) -> u64) -> Self {
        let mut left = Self { starts: vec![0], cells: Vec::new(), ..self.clone() };
        for class in 0..self.len() {
            let cells = self.sensitive(class).iter();
            let few = cells.map(|&cell| (cell.0, cell.1.min(most(class, cell))));
            left.cells.extend(few.filter(|cell| cell.1 > 0));
            left.starts.push(left.cells.len());
        }
        left
    }

    /// The classes, some of them without a record.
    #[must_use]
    pub fn emptied(&self, gone: impl Fn(usize) -> bool) -> Self {
        let mut left = self.without(|class, _| gone(class));
        let emptied = |(class, size): (usize, &u64)| if gone(class) { 0 } else { *size };
        left.sizes = self.sizes.iter().enumerate().map(emptied).collect();
        if let Some(people) = &mut left.people {
            people.numbers = people.numbers.iter().enumerate().map(emptied).collect();
        }
        left
    }

    /// How many people the records of a class are of.
    #[must_use]
    pub fn people(&self, class: usize) -> u64 {
        self.people.as_ref().map_or(self.sizes[class], |people| people.numbers[class])
    }

    /// Distinct (person, sensitive code) of a class, ascending; empty where each record is another person's.
    #[must_use]
    pub fn pairs(&self, class: usize) -> &[(u32, u32)] {
        let own = |people: &People| people.starts[class]..people.starts[class + 1];
        self.people.as_ref().map_or(&[], |people| &people.pairs[own(people)])
    }

    /// Whether people are counted, who can have several records.
    #[must_use]
    pub fn counts_people(&self) -> bool {
        self.people.is_some()
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
