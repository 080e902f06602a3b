//! A distribution as tables over the cliques of a tree.

use crate::margin::Margin;
use crate::tree::{self, Set};

/// What a clique shares with its parent, and how each runs through it.
#[derive(Debug, Clone)]
struct Separator {
    cells: Vec<f64>,
    of_child: Margin,
    of_parent: Margin,
}

impl Separator {
    /// Of two neighbouring cliques, with expected counts over a set.
    fn between(child: &Set, parent: &Set, sizes: &[usize], counts: &dyn Fn(&Set) -> Vec<f64>) -> Self {
        let shared = tree::shared(child, parent);
        let of = |clique| Margin::of(clique, &shared, sizes);
        Self { cells: counts(&shared), of_child: of(child), of_parent: of(parent) }
    }
}

/// Independent attributes' expected counts over a set.
fn product(set: &Set, sizes: &[usize], shares: &[Vec<f64>], total: f64) -> Vec<f64> {
    let mut cells = vec![total; set.iter().map(|&a| sizes[a]).product()];
    set.iter().for_each(|&a| Margin::of(set, &vec![a], sizes).multiply(&mut cells, &shares[a]));
    cells
}

/// Expected counts over each clique of a tree; neighbours agree on what they share once messages went both ways.
#[derive(Debug, Clone)]
pub struct Model {
    sizes: Vec<usize>,
    cliques: Vec<Set>,
    tables: Vec<Vec<f64>>,
    parents: Vec<Option<usize>>,
    children: Vec<Vec<usize>>,
    /// The cliques, each after its parent.
    order: Vec<usize>,
    separators: Vec<Option<Separator>>,
    /// Combinations that no record has: a set, and 0 for those of its cells and 1 for others.
    kept: Vec<(Set, Vec<f64>)>,
}

impl Model {
    /// Independent attributes with these shares of the total.
    pub(crate) fn independent(sizes: &[usize], sets: &[Set], shares: &[Vec<f64>], total: f64) -> Self {
        let cliques = tree::cliques(sets, sizes);
        let (parents, order) = tree::spanning(&cliques);
        let mut children = vec![Vec::new(); cliques.len()];
        order.iter().filter_map(|&c| Some((c, parents[c]?))).for_each(|(c, parent)| children[parent].push(c));
        let product = |set: &Set| product(set, sizes, shares, total);
        let between =
            |c: usize| Some(Separator::between(&cliques[c], &cliques[parents[c]?], sizes, &product));
        let separators = (0..cliques.len()).map(between).collect();
        let tables = cliques.iter().map(product).collect();
        Self {
            sizes: sizes.to_vec(),
            tables,
            parents,
            children,
            order,
            separators,
            cliques,
            kept: Vec::new(),
        }
    }

    /// The number of values of each attribute.
    #[must_use]
    pub fn sizes(&self) -> &[usize] {
        &self.sizes
    }

    /// Says which combinations of a set no record has.
    pub(crate) fn keep(&mut self, set: &Set, kept: Vec<f64>) {
        self.kept.push((set.clone(), kept));
    }

    /// For each cell of a set whether a record can have it: 0 or 1. What is zero in the tables for being tiny is not barred.
    pub(crate) fn allowed(&self, set: &Set) -> Vec<f64> {
        let mut cells = vec![1.0; set.iter().map(|&a| self.sizes[a]).product()];
        let within = |other: &Set| other.iter().all(|a| set.contains(a));
        for (other, kept) in self.kept.iter().filter(|(other, _)| within(other)) {
            Margin::of(set, other, &self.sizes).multiply(&mut cells, kept);
        }
        cells
    }

    /// The cliques, each after its parent, with their tables.
    pub fn tables(&self) -> impl Iterator<Item = (&Set, &[f64])> {
        self.order.iter().map(|&c| (&self.cliques[c], &self.tables[c][..]))
    }

    /// The cells of all cliques.
    #[must_use]
    pub fn len(&self) -> usize {
        self.tables.iter().map(Vec::len).sum()
    }

    /// The cells of all cliques that have something.
    pub(crate) fn positive(&self) -> usize {
        self.tables.iter().flatten().filter(|cell| **cell > 0.0 && cell.is_finite()).count()
    }

    /// Whether it is about no attribute.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.sizes.is_empty()
    }

    /// The expected counts over a set that is part of a clique; `None` if it is of none.
    #[must_use]
    pub fn marginal(&self, set: &Set) -> Option<Vec<f64>> {
        let home = self.home(set)?;
        Some(self.margin(home, set).sum(&self.tables[home]))
    }

    /// The smallest clique that a set is part of.
    pub(crate) fn home(&self, set: &Set) -> Option<usize> {
        let holds = |c: &usize| set.iter().all(|a| self.cliques[*c].contains(a));
        (0..self.cliques.len()).filter(holds).min_by_key(|&c| self.tables[c].len())
    }

    /// How a clique runs through one of its sets.
    pub(crate) fn margin(&self, clique: usize, set: &Set) -> Margin {
        Margin::of(&self.cliques[clique], set, &self.sizes)
    }

    pub(crate) fn table(&self, clique: usize) -> &[f64] {
        &self.tables[clique]
    }

    pub(crate) fn table_mut(&mut self, clique: usize) -> &mut [f64] {
        &mut self.tables[clique]
    }

    /// The attributes of a clique.
    pub(crate) fn clique(&self, clique: usize) -> &Set {
        &self.cliques[clique]
    }

    /// The cliques beside one on the tree.
    pub(crate) fn neighbours(&self, clique: usize) -> Vec<usize> {
        self.children[clique].iter().copied().chain(self.parents[clique]).collect()
    }

    pub(crate) fn children(&self, clique: usize) -> &[usize] {
        &self.children[clique]
    }

    /// Passes what a clique knows of what it shares with its parent to the parent.
    pub(crate) fn rise(&mut self, child: usize) {
        self.pass(child, |separator| (&separator.of_child, &separator.of_parent), true);
    }

    /// The same from the parent.
    pub(crate) fn descend(&mut self, child: usize) {
        self.pass(child, |separator| (&separator.of_parent, &separator.of_child), false);
    }

    fn pass(&mut self, child: usize, ways: fn(&Separator) -> (&Margin, &Margin), up: bool) {
        let (Some(parent), Some(separator)) = (self.parents[child], self.separators[child].as_mut()) else {
            return;
        };
        let (from, to) = if up { (child, parent) } else { (parent, child) };
        let (out, into) = ways(separator);
        let new = out.sum(&self.tables[from]);
        let ratio = |(&new, &old): (&f64, &f64)| if old > 0.0 { new / old } else { 0.0 };
        let ratios: Vec<f64> = new.iter().zip(&separator.cells).map(ratio).collect();
        into.multiply(&mut self.tables[to], &ratios);
        separator.cells = new;
    }

    /// Messages from the root to all.
    pub(crate) fn descend_all(&mut self) {
        for place in 1..self.order.len() {
            self.descend(self.order[place]);
        }
    }

    /// Messages from all to the root, whatever the tables were; the root's sum then.
    pub(crate) fn rise_all(&mut self) -> f64 {
        for place in (1..self.order.len()).rev() {
            self.rise(self.order[place]);
        }
        self.order.first().map_or(0.0, |&root| self.tables[root].iter().sum())
    }

    /// Messages from all to the root and back, whatever the tables were; then all have that total.
    pub(crate) fn calibrate(&mut self, total: f64) {
        let sum = self.rise_all();
        let Some(&root) = self.order.first() else { return };
        self.tables[root].iter_mut().for_each(|cell| *cell *= total / sum);
        self.descend_all();
    }

    pub(crate) fn root(&self) -> Option<usize> {
        self.order.first().copied()
    }
}
