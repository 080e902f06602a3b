//! IAB: a search for the generalized table of most distinct rows, and the two it is measured by.
//!
//! # Summary
//! Generalizes the attributes of *shields* until every combination of a shield's values has at least k
//! records, and keeps as many distinct released rows as can be.
//!
//! # Definition
//! A requirement ⟨shield, k⟩ asks that every combination of released values of the shield's attributes
//! has at least k records. *Rows* are the distinct released tuples over all attributes, sensitive and
//! insensitive ones included. A row *violates* if its combination has fewer than k records for any
//! requirement; it counts once, however many it violates. Three searches:
//! *iab* expands the table of most rows, then of fewest violations, until no table that is left has more
//! rows than the best one without violations; *greedy* (Method 2) expands the table of fewest violations
//! until one has none; *exhaustive* (Method 1) makes every table.
//! To *generalize* an attribute is to raise all its values by one level ([`Reach::FullDomain`]), or to
//! replace a value and all under its parent by that parent ([`Reach::Subtree`]). Tables of the same set
//! of generalizations are one table, however it was reached.
//!
//! # Parameters
//! The requirements, the search, the reach, a budget of tables.
//!
//! # Errors
//! [`MethodError::Infeasible`] if no table keeps the requirements, [`MethodError::OutOfBudget`] if the
//! budget ends first, [`MethodError::Unfit`] if the table does not fit in keys, [`MethodError::Interrupted`].
//!
//! # Complexity
//! Time O(tables · rows · requirements), memory O(tables · generalizations + rows). By subtrees there can
//! be exponentially many tables: hence the budget.
//!
//! # References
//! Arca & Hewett 2021, "Analytics on anonymity for privacy retention in smart health data", Algorithm 1
//! and sections 3.3, 4.1.
//!
//! # Deviations
//! By subtrees, *iab* expands for one violating row, not for each, which loses no optimum, and a parent
//! replaces all under it, not its children alone; the answer by levels is found first and serves as a bound. Steps that change no value's company are skipped there.
//! Proofs and reasons: `docs/methods/iab.md`.

pub(in crate::method) mod entry;
mod fakes;
mod levels;
pub(in crate::method) mod rows;
mod search;
mod state;
mod task;
#[cfg(test)]
mod tests;
mod tree;

use std::collections::{BTreeMap, BTreeSet};

pub use self::task::{Iab, Reach, Requirement, RowFigures, RowSearchCourse, RowStrategy};

use self::levels::Levels;
use self::state::Space;
use self::task::too_wide;
use self::tree::State;
use crate::method::MethodError;
use velamen_core::classes;
use velamen_core::classes::ClassTable;
use velamen_core::context::Context;
use velamen_core::frequency::FrequencyTable;
use velamen_core::lattice::{Lattice, Node};
use velamen_core::plan::{Fate, Plan};
use velamen_core::recoding::{LocalPlan, Member, Piece, Recoding, Region, ReleasedValue};
use velamen_core::with_key_width;

/// The tables that a search may make where nothing else is said.
pub const USUAL_BUDGET: u64 = 100_000;

/// The most rows, summed over the tables that are made, where nothing else is said: a second or two of two cores.
const USUAL_ROWS: u64 = 60_000_000;

/// How many times as many greedy steps may come to.
const GREEDY_ROWS: u64 = 3;

/// The answer.
#[derive(Debug, Clone)]
pub enum Answer {
    /// One level for each attribute.
    FullDomain(Plan),
    /// A cut through each attribute's tree.
    Subtree(LocalPlan),
}

impl Iab<'_> {
    /// The answer and how it was found.
    ///
    /// # Errors
    /// See the module.
    pub fn plan(
        &self,
        table: &FrequencyTable,
        context: &Context<'_>,
    ) -> Result<(Answer, RowSearchCourse), MethodError> {
        let (state, found) = self.search(table, context)?;
        let answer = match self.reach {
            Reach::FullDomain => Answer::FullDomain(full_domain(table, node(self.lattice, &state))?),
            Reach::Subtree => Answer::Subtree(self.subtree(table, &state)?),
        };
        Ok((answer, found))
    }

    fn search(
        &self,
        table: &FrequencyTable,
        context: &Context<'_>,
    ) -> Result<(State, RowSearchCourse), MethodError> {
        match (self.search, self.reach) {
            (RowStrategy::Iab, Reach::Subtree) => self.below_levels(table, context),
            _ => self.searched(table, None, context),
        }
    }

    /// By subtrees, with the answer by levels as a bound; where the budget ends, greedy steps as well.
    fn below_levels(
        &self,
        table: &FrequencyTable,
        context: &Context<'_>,
    ) -> Result<(State, RowSearchCourse), MethodError> {
        let levels = Iab { reach: Reach::FullDomain, ..*self };
        let (state, by_levels) = levels.searched(table, None, context)?;
        let known = (self.cut(table, &node(self.lattice, &state))?, by_levels);
        let (state, own) = self.searched(table, Some(&known), context)?;
        let own = RowSearchCourse { generated: own.generated + by_levels.generated, ..own };
        if own.proven || self.is_expired() {
            return Ok((state, RowSearchCourse { stopped: !own.proven, ..own }));
        }
        match (Iab { search: RowStrategy::Greedy, ..*self }).searched(table, None, context) {
            Ok((state, greedy)) if greedy.answer.rows > own.answer.rows => {
                Ok((state, RowSearchCourse { generated: greedy.generated + own.generated, ..greedy }))
            }
            Ok((_, greedy)) => {
                Ok((state, RowSearchCourse { generated: greedy.generated + own.generated, ..own }))
            }
            Err(MethodError::Unfit(_) | MethodError::OutOfBudget(_)) => Ok((state, own)),
            Err(error) => Err(error),
        }
    }

    /// The cuts that release what a node releases.
    fn cut(&self, table: &FrequencyTable, node: &Node) -> Result<State, MethodError> {
        let trees = tree::of(table, self)?;
        let raised = |(q, tree): (usize, &tree::Tree)| {
            tree.raised_to(node.0[q]).into_iter().map(move |value| (q as u32, value)).collect::<Vec<_>>()
        };
        Ok(trees.iter().enumerate().flat_map(raised).collect())
    }

    fn searched(
        &self,
        table: &FrequencyTable,
        known: Option<&(State, RowSearchCourse)>,
        context: &Context<'_>,
    ) -> Result<(State, RowSearchCourse), MethodError> {
        if self.search == RowStrategy::Exhaustive && self.tables_by_levels() > u128::from(self.budget) {
            return Err(self.out_of_budget());
        }
        match self.reach {
            Reach::FullDomain => {
                let coding = levels::coding(table);
                with_key_width!(classes::layout(table, coding.as_ref()).words(), W => {
                    search::run(self, &Levels::<W>::new(table, self, coding.as_ref()), known, context)
                }, else Err(too_wide()))
            }
            Reach::Subtree => {
                let layout = state::layout(table, self)?;
                with_key_width!(layout.words(), W => {
                    search::run(self, &Space::<W>::new(table, self, &layout)?, known, context)
                }, else Err(too_wide()))
            }
        }
    }

    /// How many tables there are by levels; by subtrees there are as many at least.
    fn tables_by_levels(&self) -> u128 {
        let shielded: BTreeSet<usize> =
            self.requirements.iter().flat_map(|requirement| &requirement.shield).copied().collect();
        let (bottom, top) = (self.lattice.bottom(), self.lattice.top());
        let levels = |q: usize| u128::from(top.0[q] - bottom.0[q]) + 1;
        shielded.into_iter().map(levels).fold(1, u128::saturating_mul)
    }

    /// Each entry under the nodes of the cuts.
    fn subtree(&self, table: &FrequencyTable, state: &State) -> Result<LocalPlan, MethodError> {
        let trees = tree::of(table, self)?;
        let released: Vec<Vec<u32>> =
            trees.iter().zip(0..).map(|(tree, q)| tree.released(q, state)).collect();
        let mut classes: BTreeMap<Vec<u32>, Vec<Member>> = BTreeMap::new();
        for entry in 0..table.len() {
            let node = |(q, nodes): (usize, &Vec<u32>)| nodes[trees[q].base(table.codes[q][entry]) as usize];
            let nodes = released.iter().enumerate().map(node).collect();
            classes.entry(nodes).or_default().push((entry as u32, table.counts[entry]));
        }
        let region = |(q, &node): (usize, &u32)| region(table, q, trees[q].level(node), trees[q].code(node));
        let piece = |(nodes, members): (Vec<u32>, Vec<Member>)| Piece {
            regions: nodes.iter().enumerate().map(region).collect(),
            members,
        };
        let pieces = classes.into_iter().map(piece).collect();
        Ok(LocalPlan::new(Recoding::Nodes, table.qis.len(), pieces, Vec::new()))
    }
}

/// The levels that the generalizations of a state come to.
fn node(lattice: &Lattice, state: &State) -> Node {
    let mut node = lattice.bottom();
    for &(attribute, level) in state {
        node.0[attribute as usize] = level as u8;
    }
    node
}

/// The plan that keeps every class of a node.
fn full_domain(table: &FrequencyTable, node: Node) -> Result<Plan, MethodError> {
    let classes = with_key_width!(classes::layout(table, None).words(), W => {
        ClassTable::at(&classes::Space::<W>::new(table, None), &node)
    }, else return Err(too_wide()));
    let fates = vec![Fate::Keep; classes.len()];
    Ok(Plan { node, classes, fates, ..Plan::default() })
}

/// What a value of an attribute is released as.
fn region(table: &FrequencyTable, q: usize, level: u8, code: u32) -> Region {
    let hierarchy = &table.qis[q].hierarchy;
    let (label, leaves) = (hierarchy.label(level, code).to_owned(), hierarchy.leaves(level, code));
    let first = hierarchy.first_leaf(level, code);
    let order = if level == 0 { (first, first) } else { (first, u32::MAX) };
    Region { value: ReleasedValue { label, leaves, level }, order }
}
