//! The distribution that follows all noisy tables, found again.
//!
//! It is the p ≥ 0 with the estimated total N̂ and the least Σ ‖μ_m − y_m‖²/(2σ_m²) + τ·KL(p‖p₀). Where the slope of that is
//! 0, p is p₀·exp Σ θ_m, and every table m has μ = y − sθ for s = τσ². Table after table, θ is brought to that while all others stay
//! ([`Table`]), and before each round the pulls of all that share an attribute are made to agree ([`settle_claims`]). This goes on
//! until nothing moves that could be seen.

use super::Nearness;
use super::places::Places;
use super::pulled::{Table, settle_claims};
use super::tree::{self, Hung, Set};

/// τ.
const TAU: f64 = 0.01;
/// Rounds over all tables at most, and the share of a table below whose moves they end.
const ROUNDS: (usize, f64) = (2000, 1e-8);
/// Halvings of the range of λ.
const HALVINGS: usize = 100;
/// The most cells of all cliques.
const MOST_CELLS: u128 = 1 << 28;

/// A noisy table: its attributes by number, and by cell a count and its variance.
#[derive(Debug, Clone)]
pub(super) struct Noisy {
    pub(super) set: Set,
    pub(super) counts: Vec<f64>,
    pub(super) variances: Vec<f64>,
}

impl Noisy {
    /// Of the counts from 0 with this total those with the least Σ (count − noisy)²/σ²: max(noisy − λσ², 0).
    fn nearest(&self, total: f64) -> Vec<f64> {
        let least = self.variances.iter().copied().fold(f64::INFINITY, f64::min);
        let most = self.counts.iter().fold(0.0f64, |most, count| most.max(count.abs()));
        let (mut low, mut high) = (-(total + most) / least, most / least);
        for _ in 0..HALVINGS {
            let middle = f64::midpoint(low, high);
            if self.lowered(middle).sum::<f64>() > total { low = middle } else { high = middle }
        }
        self.lowered(high).collect()
    }

    /// max(noisy − λσ², 0).
    fn lowered(&self, lambda: f64) -> impl Iterator<Item = f64> {
        let cells = self.counts.iter().zip(&self.variances);
        cells.map(move |(count, variance)| (count - lambda * variance).max(0.0))
    }
}

/// What is to be fitted.
#[derive(Debug, Clone, Default)]
pub(super) struct Problem {
    /// The number of values of each attribute.
    pub(super) sizes: Vec<usize>,
    pub(super) tables: Vec<Noisy>,
    /// Cells that no record can be in, by set.
    pub(super) barred: Vec<(Set, Vec<bool>)>,
}

/// A clique with its expected counts.
#[derive(Debug, Clone)]
pub(super) struct Fitted {
    pub(super) set: Set,
    pub(super) cells: Vec<f64>,
}

/// What a clique and its parent share: the counts that were told last, and how each of the two runs through them.
struct Shared {
    told: Vec<f64>,
    of_clique: Places,
    of_parent: Places,
}

impl Problem {
    /// The mean of all tables' totals, by the inverse of their variances.
    pub(super) fn estimate(&self) -> f64 {
        let weight = |table: &Noisy| table.variances.iter().sum::<f64>().recip();
        let weights: f64 = self.tables.iter().map(weight).sum();
        let total = |table: &Noisy| table.counts.iter().sum::<f64>() * weight(table);
        self.tables.iter().map(total).sum::<f64>() / weights
    }

    /// The cliques, in the order of the draws.
    pub(super) fn tree(&self) -> Vec<Hung> {
        let sets: Vec<Set> = (self.tables.iter().map(|table| table.set.clone()))
            .chain(self.barred.iter().map(|(set, _)| set.clone()))
            .collect();
        tree::hung(&sets, &self.sizes)
    }

    /// The expected counts of each clique; `None` where the tables do not fit together or are too large.
    pub(super) fn fitted(&self, tree: &[Hung]) -> Option<Vec<Fitted>> {
        let all = tree.iter().map(|hung| tree::cells(hung.set.iter().copied(), &self.sizes));
        if all.fold(0u128, u128::saturating_add) > MOST_CELLS {
            return None;
        }
        let total = self.total();
        let (cliques, shared) = self.prior(tree, total)?;
        let mut fit = Fit { total, cliques, shared, tables: Vec::new() };
        fit.settle(tree);
        fit.tables = self.placed(tree, &fit)?;
        let tour = tour(tree);
        for _ in 0..ROUNDS.0 {
            fit.agree(&self.sizes);
            if fit.round(tree, &tour) < ROUNDS.1 {
                break;
            }
        }
        fit.settle(tree);
        Some(fit.cliques)
    }

    /// How far a fit is from the tables, over all cells of each, and how far their totals are from each other. A table is taken
    /// as the nearest one that so many records can have. A distribution is no farther from that than from the table, by at
    /// least what the total adds: projections onto convex sets bring nothing apart.
    pub(super) fn nearness(&self, tree: &[Hung], fitted: &[Fitted]) -> Option<Nearness> {
        let mut sum = Nearness::default();
        for table in &self.tables {
            let clique = fitted.get(home(tree, &table.set, &self.sizes)?)?;
            let expected = Places::of(&clique.set, &table.set, &self.sizes).sum(&clique.cells);
            let near = table.nearest(self.total());
            let cells = expected.iter().zip(near.iter().zip(&table.variances));
            cells.for_each(|(expected, (count, variance))| sum.add(*expected, *count, *variance));
            sum.add_total(self.estimate(), table.counts.iter().sum(), table.variances.iter().sum());
        }
        Some(sum)
    }

    /// The total of all expected counts.
    fn total(&self) -> f64 {
        self.estimate().max(1.0)
    }

    /// p₀ of each clique: independent attributes, nothing in barred cells.
    fn prior(&self, tree: &[Hung], total: f64) -> Option<(Vec<Fitted>, Vec<Shared>)> {
        let shares: Option<Vec<Vec<f64>>> = (0..self.sizes.len()).map(|a| self.shares(a)).collect();
        let shares = shares?;
        let (mut cliques, mut all_shared) = (Vec::with_capacity(tree.len()), Vec::with_capacity(tree.len()));
        for Hung { set, parent } in tree {
            let above = parent.and_then(|parent| Some(&tree.get(parent)?.set));
            let shared: Set =
                set.iter().copied().filter(|a| above.is_some_and(|set| set.contains(a))).collect();
            let way = |set: &[usize]| Places::of(set, &shared, &self.sizes);
            let (of_clique, of_parent) = (way(set), above.map(|set| way(set)).unwrap_or_default());
            all_shared.push(Shared { told: self.product(&shared, &shares, total)?, of_clique, of_parent });
            cliques.push(Fitted { set: set.clone(), cells: self.product(set, &shares, total)? });
        }
        for (set, barred) in &self.barred {
            let clique = cliques.get_mut(home(tree, set, &self.sizes)?)?;
            let open: Vec<f64> = barred.iter().map(|&barred| f64::from(!barred)).collect();
            Places::of(&clique.set, set, &self.sizes).multiply(&mut clique.cells, &open);
        }
        Some((cliques, all_shared))
    }

    /// Independent attributes' expected counts.
    fn product(&self, set: &[usize], shares: &[Vec<f64>], total: f64) -> Option<Vec<f64>> {
        let mut cells = vec![total; usize::try_from(tree::cells(set.iter().copied(), &self.sizes)).ok()?];
        for attribute in set {
            Places::of(set, &[*attribute], &self.sizes).multiply(&mut cells, shares.get(*attribute)?);
        }
        Some(cells)
    }

    /// p₀ of an attribute: its first counts, none below σ/2.
    fn shares(&self, attribute: usize) -> Option<Vec<f64>> {
        let alone = self.tables.iter().find(|table| table.set == [attribute])?;
        let cells = alone.counts.iter().zip(&alone.variances);
        let weights: Vec<f64> = cells.map(|(count, variance)| count.max(variance.sqrt() / 2.0)).collect();
        let sum: f64 = weights.iter().sum();
        Some(weights.into_iter().map(|weight| weight / sum).collect())
    }

    /// By set the mean of its tables, by the inverse of their variances: the slope is the same.
    fn means(&self) -> Vec<Noisy> {
        let mut means: Vec<Noisy> = Vec::new();
        for table in &self.tables {
            let Some(mean) = means.iter_mut().find(|mean| mean.set == table.set) else {
                means.push(table.clone());
                continue;
            };
            let own = mean.counts.iter_mut().zip(&mut mean.variances);
            for ((count, variance), (other, of_other)) in own.zip(table.counts.iter().zip(&table.variances)) {
                let weights = variance.recip() + of_other.recip();
                *count = (*count / *variance + other / of_other) / weights;
                *variance = weights.recip();
            }
        }
        means
    }

    /// By clique its noisy tables.
    fn placed(&self, tree: &[Hung], prior: &Fit) -> Option<Vec<Vec<Table>>> {
        let mut placed: Vec<Vec<Table>> = tree.iter().map(|_| Vec::new()).collect();
        for noisy in &self.means() {
            let home = home(tree, &noisy.set, &self.sizes)?;
            let clique = prior.cliques.get(home)?;
            let places = Places::of(&clique.set, &noisy.set, &self.sizes);
            let barred: Vec<bool> = places.sum(&clique.cells).iter().map(|&cell| cell == 0.0).collect();
            if noisy.counts.len() != barred.len() || noisy.variances.len() != barred.len() {
                return None;
            }
            let scales = noisy.variances.iter().zip(&barred);
            let scales =
                scales.map(|(variance, barred)| if *barred { 0.0 } else { TAU * variance }).collect();
            placed.get_mut(home)?.push(Table::new(noisy.set.clone(), places, noisy.counts.clone(), scales));
        }
        Some(placed)
    }
}

/// The smallest clique with all of a set.
fn home(tree: &[Hung], set: &[usize], sizes: &[usize]) -> Option<usize> {
    let holds = |hung: &Hung| set.iter().all(|a| hung.set.contains(a));
    let all = tree.iter().enumerate().filter(|(_, hung)| holds(hung));
    all.min_by_key(|(_, hung)| tree::cells(hung.set.iter().copied(), sizes)).map(|(place, _)| place)
}

/// From the root to every clique and back, along the tree.
fn tour(tree: &[Hung]) -> Vec<usize> {
    let mut children: Vec<Vec<usize>> = tree.iter().map(|_| Vec::new()).collect();
    for (place, hung) in tree.iter().enumerate() {
        if let Some(of) = hung.parent.and_then(|parent| children.get_mut(parent)) {
            of.push(place);
        }
    }
    let (mut path, mut tour) = (vec![0], vec![0]);
    while let Some(&at) = path.last() {
        match children.get_mut(at).and_then(Vec::pop) {
            Some(child) => path.push(child),
            None => drop(path.pop()),
        }
        tour.extend(path.last());
    }
    tour
}

/// A fit on its way.
struct Fit {
    total: f64,
    cliques: Vec<Fitted>,
    /// By clique what it shares with its parent.
    shared: Vec<Shared>,
    /// By clique its noisy tables.
    tables: Vec<Vec<Table>>,
}

impl Fit {
    /// Messages from all cliques to the root and back, and the total.
    fn settle(&mut self, tree: &[Hung]) {
        for (place, hung) in tree.iter().enumerate().rev() {
            hung.parent.and_then(|parent| self.tell(place, parent, place));
        }
        if let Some(root) = self.cliques.first_mut() {
            let sum: f64 = root.cells.iter().sum();
            let scale = self.total / sum;
            root.cells.iter_mut().for_each(|cell| *cell *= scale);
        }
        for (place, hung) in tree.iter().enumerate() {
            hung.parent.and_then(|parent| self.tell(parent, place, place));
        }
    }

    /// Passes to a neighbour what a clique knows of what both share, which the `child` of the two keeps.
    fn tell(&mut self, from: usize, to: usize, child: usize) -> Option<()> {
        let Shared { told, of_clique, of_parent } = self.shared.get_mut(child)?;
        let (out, into) = if from == child { (of_clique, of_parent) } else { (of_parent, of_clique) };
        let new = out.sum(&self.cliques.get(from)?.cells);
        let ratio = |(new, old): (&f64, &f64)| if *old > 0.0 { new / old } else { 0.0 };
        let ratios: Vec<f64> = new.iter().zip(told.iter()).map(ratio).collect();
        into.multiply(&mut self.cliques.get_mut(to)?.cells, &ratios);
        *told = new;
        Some(())
    }

    /// Once along the tree; the largest share of a table that moved.
    fn round(&mut self, tree: &[Hung], tour: &[usize]) -> f64 {
        let mut most = 0.0f64;
        let mut before: Option<usize> = None;
        let mut seen = vec![false; tree.len()];
        for &at in tour {
            if let Some(from) = before {
                let is_child = tree.get(at).is_some_and(|hung| hung.parent == Some(from));
                self.tell(from, at, if is_child { at } else { from });
            }
            if let Some(seen) = seen.get_mut(at).filter(|seen| !**seen) {
                *seen = true;
                most = most.max(self.follow(at));
            }
            before = Some(at);
        }
        most
    }

    /// Lets a clique follow each of its tables.
    fn follow(&mut self, at: usize) -> f64 {
        let Some((clique, tables)) = self.cliques.get_mut(at).zip(self.tables.get_mut(at)) else {
            return 0.0;
        };
        tables.iter_mut().map(|table| table.follow(&mut clique.cells, self.total)).fold(0.0, f64::max)
    }

    /// Lets all tables claim the same counts of each attribute.
    fn agree(&mut self, sizes: &[usize]) {
        for attribute in 0..sizes.len() {
            settle_claims(self.tables.iter_mut().flatten(), attribute, sizes);
        }
    }
}

#[cfg(test)]
mod tests;
