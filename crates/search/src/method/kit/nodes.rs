//! Single nodes of the lattice, for methods that have them: what a front of solutions is made of.

use rustc_hash::FxHashSet;
use velamen_core::context::{Context, Interrupted};
use velamen_core::frequency::FrequencyTable;
use velamen_core::lattice::{Lattice, Node};

use super::decision::Decision;
use super::error::MethodError;
use super::task::Task;

/// What a release at a node comes to.
#[derive(Debug, Clone, PartialEq)]
pub struct Point {
    /// The node.
    pub node: Node,
    /// The figure that the method chooses by.
    pub value: f64,
    /// What is minimized: the figure, or its negative where more is better.
    pub loss: f64,
    /// The highest risk of re-identification, with the catalog of counterfeits known.
    pub highest_risk: f64,
    /// The mean risk.
    pub mean_risk: f64,
    /// Suppressed records.
    pub suppressed: u64,
    /// Counterfeit records.
    pub counterfeits: u64,
    /// Kept classes.
    pub classes: u64,
}

/// The nodes that are looked at, and what takes those at which something can be released.
pub struct Look<'a> {
    /// The lattice that the recipe allows.
    pub lattice: &'a Lattice,
    /// The nodes to look at.
    pub nodes: &'a [Node],
    /// Takes a point, in the order of the nodes. Those that come with all above them before them are judged fastest.
    pub take: &'a mut dyn FnMut(Point),
}

/// Nodes that are judged side by side.
pub(in crate::method) const BATCH: usize = 64;

/// A method that can release at a node that is chosen for it.
///
/// Law: at the node that [`crate::method::Method::run`] chooses, [`Self::at`] decides the same but for draws of its own.
pub trait Nodes {
    /// The figure that is minimized.
    fn figure(&self) -> &'static str;

    /// Whether the risks of its points count people, where a person can have several records.
    fn counts_people(&self) -> bool {
        false
    }

    /// Judges nodes, until [`Task::expired`] is set. Whether all were judged.
    ///
    /// # Errors
    /// [`MethodError`].
    fn judge(
        &self,
        table: &FrequencyTable,
        task: &Task<'_>,
        look: Look<'_>,
        context: &Context<'_>,
    ) -> Result<bool, MethodError>;

    /// The decision at a node.
    ///
    /// # Errors
    /// [`MethodError::Infeasible`] if nothing can be released there.
    fn at(
        &self,
        table: &FrequencyTable,
        task: &Task<'_>,
        node: &Node,
        context: &Context<'_>,
    ) -> Result<Decision, MethodError>;
}

/// Nodes at which nothing can be released, nor at any node below.
#[derive(Debug, Default)]
pub(in crate::method) struct Excluded(FxHashSet<Node>);

impl Excluded {
    /// Whether a node is known to be one, or stands right below one; then it becomes one.
    pub(in crate::method) fn covers(&mut self, node: &Node, lattice: &Lattice) -> bool {
        let is_below = lattice.successors(node).any(|above| self.0.contains(&above));
        if is_below {
            self.0.insert(node.clone());
        }
        is_below || self.0.contains(node)
    }

    pub(in crate::method) fn insert(&mut self, node: Node) {
        self.0.insert(node);
    }
}

/// Runs `judge` on batches of nodes until the time is over. Whether all were judged. A node can take seconds: `judge` looks
/// at the wish to stop before each.
pub(in crate::method) fn in_batches(
    look: Look<'_>,
    task: &Task<'_>,
    context: &Context<'_>,
    mut judge: impl FnMut(&[Node]) -> Result<Vec<Option<Point>>, Interrupted>,
) -> Result<bool, MethodError> {
    let all = look.nodes.len() as u64;
    for (number, batch) in look.nodes.chunks(BATCH).enumerate() {
        context.check()?;
        if task.is_expired() {
            return Ok(false);
        }
        context.progress.step("looking at nodes", (number * BATCH) as u64, all);
        judge(batch)?.into_iter().flatten().for_each(&mut *look.take);
    }
    Ok(true)
}
