//! Tables by levels: their figures from cells that are rolled up, not sorted anew.

use rustc_hash::FxHashMap;
use velamen_core::classes::{self, Cell, Coding};
use velamen_core::frequency::FrequencyTable;
use velamen_core::lattice::Node;

use super::search::Tables;
use super::task::{Iab, Requirement, RowFigures, RowStrategy};
use super::tree::{State, Step};

/// What rows are told apart by besides the quasi-identifiers.
pub(super) fn coding(table: &FrequencyTable) -> Option<Coding> {
    Coding::new(table, &(0..table.rest.columns.len()).collect::<Vec<usize>>())
}

/// All nodes of a lattice.
pub(super) struct Levels<'a, const W: usize> {
    task: &'a Iab<'a>,
    space: classes::Space<W>,
    attributes: usize,
}

impl<'a, const W: usize> Levels<'a, W> {
    pub(super) fn new(table: &FrequencyTable, task: &'a Iab<'a>, coding: Option<&Coding>) -> Self {
        Self { task, space: classes::Space::new(table, coding), attributes: table.qis.len() }
    }

    /// Whether all quasi-identifiers are in a shield, so that its combinations are the classes.
    fn is_whole(&self, requirement: &Requirement) -> bool {
        (0..self.attributes).all(|q| requirement.shield.contains(&q))
    }

    /// By class whether it violates a requirement.
    fn violated(&self, classes: &[&[Cell<W>]], requirement: &Requirement) -> Vec<bool> {
        let records = |class: &&[Cell<W>]| class.iter().map(|cell| cell.count).sum::<u64>();
        if self.is_whole(requirement) {
            return classes.iter().map(|class| records(class) < requirement.k).collect();
        }
        let codes_of = |class: &&[Cell<W>]| {
            let codes = requirement.shield.iter().map(|&q| self.space.code(&class[0].key, q));
            // Never empty, not even for an empty shield.
            std::iter::once(0).chain(codes).collect::<Vec<u32>>()
        };
        let codes: Vec<u32> = classes.iter().flat_map(codes_of).collect();
        let shields = || codes.chunks_exact(requirement.shield.len() + 1);
        let mut held: FxHashMap<&[u32], u64> = FxHashMap::default();
        for (shield, class) in shields().zip(classes) {
            *held.entry(shield).or_default() += records(class);
        }
        shields().map(|shield| held[shield] < requirement.k).collect()
    }

    /// The requirements that a table violates, which violates any.
    fn violated_of(&self, node: &Node) -> Vec<&Requirement> {
        if let [only] = self.task.requirements {
            return vec![only];
        }
        let cells = self.space.cells(node);
        let classes: Vec<&[Cell<W>]> = self.space.runs(&cells).collect();
        let violated =
            |requirement: &&Requirement| self.violated(&classes, requirement).into_iter().any(|small| small);
        self.task.requirements.iter().filter(violated).collect()
    }
}

impl<const W: usize> Tables for Levels<'_, W> {
    type Held = Node;

    fn rows(&self, state: &State) -> Node {
        super::node(self.task.lattice, state)
    }

    fn figures(&self, node: &Node) -> RowFigures {
        let cells = self.space.cells(node);
        let classes: Vec<&[Cell<W>]> = self.space.runs(&cells).collect();
        let mut violates = vec![false; classes.len()];
        for requirement in self.task.requirements {
            let small = self.violated(&classes, requirement);
            violates.iter_mut().zip(small).for_each(|(violates, small)| *violates |= small);
        }
        let violating = classes.iter().zip(violates).filter(|(_, violates)| *violates);
        RowFigures { violations: violating.map(|(class, _)| class.len()).sum(), rows: cells.len() }
    }

    /// All rows have the same steps: one for each attribute of a shield that is violated.
    fn steps(&self, node: &Node) -> Vec<Step> {
        let requirements = match self.task.search {
            RowStrategy::Exhaustive => self.task.requirements.iter().collect(),
            RowStrategy::Iab | RowStrategy::Greedy => self.violated_of(node),
        };
        let raised = |q: usize| requirements.iter().any(|requirement| requirement.shield.contains(&q));
        let top = self.task.lattice.top();
        let open = (0..self.attributes).filter(|&q| raised(q) && node.0[q] < top.0[q]);
        open.map(|q| (q as u32, u32::from(node.0[q]) + 1)).collect()
    }

    fn state_after(&self, state: &State, step: Step) -> State {
        let mut after: State = state.iter().filter(|old| old.0 != step.0).copied().collect();
        after.insert(after.partition_point(|old| *old < step), step);
        after
    }

    fn figures_after(&self, node: &Node, (attribute, level): Step) -> RowFigures {
        let mut after = node.clone();
        after.0[attribute as usize] = level as u8;
        self.figures(&after)
    }
}
