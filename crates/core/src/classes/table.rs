//! The classes of one node, with their sensitive counts.

use super::Space;
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

    /// The classes of a local recoding, with the counts of a column of the rest.
    ///
    /// Time: O(members · log members).
    #[must_use]
    pub fn of_plan(plan: &LocalPlan, table: &FrequencyTable, column: usize) -> Self {
        let values = &table.rest.codes[column];
        let mut classes =
            Self { starts: vec![0], qis: table.qis.len(), codes: plan.codes.clone(), ..Self::default() };
        for members in &plan.members {
            let value = |entry: u32| values[table.rest_index[entry as usize] as usize];
            let cells = members.iter().map(|&(entry, count)| (value(entry), count)).collect();
            classes.sizes.push(members.iter().map(|member| member.1).sum());
            classes.cells.extend(merged(cells));
            classes.starts.push(classes.cells.len());
        }
        classes
    }

    /// The classes without some of their cells; sizes stay as they are.
    #[must_use]
    pub fn without(&self, gone: impl Fn(usize, u32) -> bool) -> Self {
        let mut left = Self { starts: vec![0], cells: Vec::new(), ..self.clone() };
        for class in 0..self.len() {
            left.cells.extend(self.sensitive(class).iter().filter(|cell| !gone(class, cell.0)));
            left.starts.push(left.cells.len());
        }
        left
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
