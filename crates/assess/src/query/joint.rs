//! Conditions whose branches share columns: looked at together.
//!
//! Leaves of a column that no expression of the condition tells apart are one *kind*, so that not the
//! leaves are crossed but their kinds: two for each comparison, whatever the domain.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::combination::{ByCombination, Key, Truth, advance};
use super::domain::UNSEEN;

/// A condition over expressions.
pub(super) enum Tree {
    All(Vec<Tree>),
    Any(Vec<Tree>),
    Atom(ByCombination<bool>),
}

impl Tree {
    fn atoms(&self) -> Vec<&ByCombination<bool>> {
        match self {
            Self::All(children) | Self::Any(children) => children.iter().flat_map(Self::atoms).collect(),
            Self::Atom(table) => vec![table],
        }
    }

    /// Whether it is true where columns have these leaves.
    fn holds(&self, leaf: &impl Fn(usize) -> u32) -> bool {
        match self {
            Self::All(children) => children.iter().all(|child| child.holds(leaf)),
            Self::Any(children) => children.iter().any(|child| child.holds(leaf)),
            Self::Atom(table) => table.at(table.columns.iter().map(|&column| leaf(column))),
        }
    }
}

/// A condition with the kinds of leaves that it tells apart.
pub(super) struct Joint {
    tree: Tree,
    /// Ascending.
    pub(super) columns: Vec<usize>,
    /// By column and leaf its kind: the first leaf of that kind.
    kinds: Vec<Vec<u32>>,
    /// What was found for labels and fixed leaves.
    pub(super) known: HashMap<Key, Truth>,
}

impl Joint {
    pub(super) fn new(tree: Tree) -> Self {
        let columns: BTreeSet<usize> = tree.atoms().iter().flat_map(|table| table.columns.clone()).collect();
        let columns: Vec<usize> = columns.into_iter().collect();
        let kinds = columns.iter().map(|&column| kinds(&tree.atoms(), column)).collect();
        Self { tree, columns, kinds, known: HashMap::new() }
    }

    /// The kinds of leaves, with the sum of their weights.
    pub(super) fn grouped(&self, at: usize, leaves: &[u32], weights: &[f64]) -> Vec<(u32, f64)> {
        let mut kinds: BTreeMap<u32, f64> = BTreeMap::new();
        for (&leaf, weight) in leaves.iter().zip(weights).filter(|(leaf, _)| **leaf != UNSEEN) {
            *kinds.entry(self.kinds[at][leaf as usize]).or_default() += weight;
        }
        kinds.into_iter().collect()
    }

    /// The truth where each column has any leaf of its kinds; `unseen` if it can have others, too.
    pub(super) fn spread(&self, kinds: &[Vec<(u32, f64)>], unseen: bool) -> Truth {
        let combinations = kinds.iter().map(|kinds| kinds.len() as u64).product::<u64>();
        let mut at = vec![0; kinds.len()];
        let (mut share, mut every, mut some) = (0.0, true, false);
        for _ in 0..combinations {
            let place =
                |column: usize| self.columns.binary_search(&column).expect("a column of the condition");
            let holds = self.tree.holds(&|column| kinds[place(column)][at[place(column)]].0);
            if holds {
                share += at.iter().zip(kinds).map(|(&at, kinds)| kinds[at].1).product::<f64>();
            }
            every &= holds;
            some |= holds;
            advance(&mut at, kinds);
        }
        let certain = every && !unseen;
        Truth { share: if every { 1.0 } else { share.min(1.0) }, certain, possible: some || unseen }
    }
}

/// By leaf of a column the first leaf that no expression distinguishes from it.
fn kinds(atoms: &[&ByCombination<bool>], column: usize) -> Vec<u32> {
    let with: Vec<&&ByCombination<bool>> =
        atoms.iter().filter(|table| table.columns.contains(&column)).collect();
    let size = with.iter().map(|table| table.size_of(column)).max().unwrap_or(0) as u32;
    if with.iter().any(|table| table.columns.len() > 1) {
        return (0..size).collect();
    }
    let mut first: HashMap<Vec<bool>, u32> = HashMap::new();
    let signature = |leaf: u32| with.iter().map(|table| table.at(std::iter::once(leaf))).collect();
    (0..size).map(|leaf| *first.entry(signature(leaf)).or_insert(leaf)).collect()
}
