//! One chain of the search: down to a local optimum, a kick, and down again.

use velamen_core::lattice::Node;
use velamen_dp::{Stream, below};

use super::{Lookout, Seen};
use crate::method::one_level::iterated_local_search::incremental::{Place, Scratch};

/// Local optima in a row that are no better before a chain goes on elsewhere.
const PATIENCE: u32 = 24;

/// One kick in so many begins at a mixture of two chains.
const MIXED_ONE_IN: usize = 4;

/// The most attributes that a kick moves.
const STRONGEST_KICK: u64 = 4;

/// A node that a chain stands at.
#[derive(Debug, Clone)]
pub(super) struct Stand {
    pub(super) node: Node,
    pub(super) seen: Seen,
    place: Option<Place>,
}

/// One level of one attribute.
type Move = (usize, u8);

/// One chain. Chains share nothing while they go, so that they can go side by side with one result.
pub(super) struct Chain {
    stream: Stream,
    scratch: Scratch,
    here: Stand,
    /// The moves from here that were not looked at, the next one last.
    moves: Vec<Move>,
    /// The best local optimum since the chain last went elsewhere.
    home: Option<(Node, Seen)>,
    /// Local optima since it got better.
    idle: u32,
    /// The best node of all.
    pub(super) best: (Node, Seen),
}

impl Chain {
    /// A chain that begins at a node.
    pub(super) fn new(lookout: &Lookout<'_>, mut stream: Stream, start: Node) -> Self {
        let mut scratch = Scratch::default();
        let here = lookout.stand(start, &mut scratch);
        let moves = lookout.moves(&here.node, &mut stream);
        let best = (here.node.clone(), here.seen.clone());
        Self { stream, scratch, here, moves, home: None, idle: 0, best }
    }

    /// Where it would go back to.
    pub(super) fn home(&self) -> &Node {
        self.home.as_ref().map_or(&self.here.node, |home| &home.0)
    }

    /// So many looks; `homes` are those of all chains. How many nodes were looked at.
    pub(super) fn turn(&mut self, lookout: &Lookout<'_>, looks: usize, homes: &[Node]) -> usize {
        let mut looked = 0;
        while looked < looks {
            let Some(step) = self.moves.pop() else {
                self.kick(lookout, homes);
                looked += 1;
                continue;
            };
            if !lookout.may_gain(&self.here, step) {
                continue;
            }
            looked += 1;
            let seen = lookout.look(&self.here, step, &mut self.scratch);
            if seen.is_better(&self.here.seen) {
                lookout.go(&mut self.here, step, seen, &self.scratch);
                self.moves = lookout.moves(&self.here.node, &mut self.stream);
                if self.here.seen.is_better(&self.best.1) {
                    self.best = (self.here.node.clone(), self.here.seen.clone());
                }
            }
        }
        looked
    }

    /// From a local optimum to somewhere near it, or near another one.
    fn kick(&mut self, lookout: &Lookout<'_>, homes: &[Node]) {
        let is_better = self.home.as_ref().is_none_or(|home| self.here.seen.is_better(&home.1));
        if is_better {
            self.home = Some((self.here.node.clone(), self.here.seen.clone()));
            self.idle = 0;
        } else {
            self.idle += 1;
        }
        let home = self.home().clone();
        let elsewhere = self.idle > PATIENCE;
        if elsewhere {
            // The next optimum is home, whatever it comes to.
            self.idle = 0;
            self.home = None;
        }
        let from = match self.chosen(MIXED_ONE_IN) {
            choice if elsewhere || choice == 0 => {
                let other = self.chosen(homes.len());
                lookout.crossed(&home, &homes[other], &mut self.stream)
            }
            _ => home,
        };
        let strength = 2 + below(&mut self.stream, STRONGEST_KICK - 1);
        self.enter(lookout, from, strength);
    }

    fn chosen(&mut self, of: usize) -> usize {
        below(&mut self.stream, of as u64) as usize
    }

    /// A node with so many attributes moved to any level.
    fn enter(&mut self, lookout: &Lookout<'_>, mut node: Node, strength: u64) {
        let mut moves = lookout.moves(&node, &mut self.stream);
        for _ in 0..strength {
            if let Some((q, level)) = moves.pop() {
                node.0[q] = level;
            }
        }
        self.here = lookout.stand(node, &mut self.scratch);
        self.moves = lookout.moves(&self.here.node, &mut self.stream);
        if self.here.seen.is_better(&self.best.1) {
            self.best = (self.here.node.clone(), self.here.seen.clone());
        }
    }
}

impl Lookout<'_> {
    /// A node and what it comes to.
    fn stand(&self, node: Node, scratch: &mut Scratch) -> Stand {
        match &self.incremental {
            Some(incremental) => {
                let (place, seen) = incremental.enter(&node, scratch);
                Stand { node, seen, place: Some(place) }
            }
            None => Stand { seen: self.grouped(&node), node, place: None },
        }
    }

    fn look(&self, at: &Stand, step: Move, scratch: &mut Scratch) -> Seen {
        match (&self.incremental, &at.place) {
            (Some(incremental), Some(place)) => incremental.look(&at.node, place, step, scratch),
            _ => self.grouped(&at.node.at(step.0, step.1)),
        }
    }

    fn go(&self, at: &mut Stand, step: Move, seen: Seen, scratch: &Scratch) {
        if let (Some(incremental), Some(place)) = (&self.incremental, &mut at.place) {
            incremental.go(&at.node, place, step, scratch);
        }
        at.node.0[step.0] = step.1;
        at.seen = seen;
    }

    fn grouped(&self, node: &Node) -> Seen {
        match self.search.evaluate.examine(node).checked.score() {
            Some(score) => Seen::Anonymous(score.clone()),
            None => Seen::Fails { outliers: u64::MAX, height: node.height() },
        }
    }

    /// Whether a move's bound is below the figure here.
    fn may_gain(&self, at: &Stand, (q, level): Move) -> bool {
        match &at.seen {
            Seen::Anonymous(score) => self.search.bound(&at.node.at(q, level)).total_cmp(score).is_lt(),
            Seen::Fails { .. } => true,
        }
    }

    /// All other levels of one attribute, in random order.
    fn moves(&self, node: &Node, stream: &mut Stream) -> Vec<Move> {
        let (bottom, top) = (self.search.lattice.bottom(), self.search.lattice.top());
        let levels =
            |q: usize| (bottom.0[q]..=top.0[q]).filter(move |&l| l != node.0[q]).map(move |l| (q, l));
        let mut moves: Vec<Move> = (0..node.0.len()).flat_map(levels).collect();
        for last in (1..moves.len()).rev() {
            moves.swap(last, below(stream, last as u64 + 1) as usize);
        }
        moves
    }

    /// Each level from one of two nodes.
    fn crossed(&self, one: &Node, other: &Node, stream: &mut Stream) -> Node {
        let level = |(&a, &b): (&u8, &u8)| if below(stream, 2) == 0 { a } else { b };
        Node(one.0.iter().zip(&other.0).map(level).collect())
    }
}
