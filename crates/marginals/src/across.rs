//! Expected counts of pairs whose attributes share no clique.

use crate::Model;
use crate::margin::Margin;
use crate::tree::{Set, shared};

/// A table over an attribute and what two neighbouring cliques share, by counts of what they share.
struct Seen {
    clique: usize,
    from: usize,
    set: Set,
    cells: Vec<f64>,
}

impl Model {
    /// The expected counts of an attribute with every later one, by number; the attribute's values are the rows. Where no clique has
    /// both, what lies between them on the tree is summed out.
    ///
    /// # Complexity
    /// O(cells of cliques + Σ values · values of two separators).
    #[must_use]
    pub fn pairs(&self, attribute: usize) -> Vec<Vec<f64>> {
        let mut found: Vec<Vec<f64>> = vec![Vec::new(); self.sizes().len()];
        let Some(start) = self.home(&vec![attribute]) else { return found };
        for &other in self.clique(start) {
            if other > attribute {
                let pair = union(&vec![attribute], &vec![other]);
                found[other] = self.margin(start, &pair).sum(self.table(start));
            }
        }
        let mut left: Vec<Seen> = Vec::new();
        for next in self.neighbours(start) {
            let set = union(&self.separator(start, next), &vec![attribute]);
            let cells = self.margin(start, &set).sum(self.table(start));
            left.push(self.seen(next, start, set, cells));
        }
        while let Some(seen) = left.pop() {
            for &other in self.clique(seen.clique) {
                if other > attribute && found[other].is_empty() {
                    found[other] = self.joined(&seen, &vec![other], &union(&vec![attribute], &vec![other]));
                }
            }
            for next in self.neighbours(seen.clique).into_iter().filter(|&next| next != seen.from) {
                let separator = self.separator(seen.clique, next);
                let set = union(&separator, &vec![attribute]);
                let cells = self.joined(&seen, &separator, &set);
                left.push(self.seen(next, seen.clique, set, cells));
            }
        }
        found
    }

    fn separator(&self, a: usize, b: usize) -> Set {
        shared(self.clique(a), self.clique(b))
    }

    /// By counts of what both cliques share.
    fn seen(&self, clique: usize, from: usize, set: Set, mut cells: Vec<f64>) -> Seen {
        let separator = self.separator(from, clique);
        let margin = Margin::of(&set, &separator, self.sizes());
        let inverse = |count: f64| if count > 0.0 { count.recip() } else { 0.0 };
        let counts = self.margin(clique, &separator).sum(self.table(clique));
        margin.multiply(&mut cells, &counts.into_iter().map(inverse).collect::<Vec<f64>>());
        Seen { clique, from, set, cells }
    }

    /// What is seen, times the clique's counts of the separator and `wanted`, summed to `kept`.
    fn joined(&self, seen: &Seen, wanted: &Set, kept: &Set) -> Vec<f64> {
        let own = union(&self.separator(seen.from, seen.clique), wanted);
        let all = union(&seen.set, &own);
        let mut cells = vec![1.0; all.iter().map(|&a| self.sizes()[a]).product()];
        Margin::of(&all, &seen.set, self.sizes()).multiply(&mut cells, &seen.cells);
        let counts = self.margin(seen.clique, &own).sum(self.table(seen.clique));
        Margin::of(&all, &own, self.sizes()).multiply(&mut cells, &counts);
        Margin::of(&all, kept, self.sizes()).sum(&cells)
    }
}

/// Both sets' attributes, ascending.
fn union(a: &Set, b: &Set) -> Set {
    let mut all: Set = a.iter().chain(b).copied().collect();
    all.sort_unstable();
    all.dedup();
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Fit, Measurement};

    /// The whole table: the product of the cliques' tables by that of the separators'.
    fn whole(model: &Model, sizes: &[usize]) -> Vec<f64> {
        let all: Set = (0..sizes.len()).collect();
        let mut cells = vec![1.0; sizes.iter().product()];
        let mut passed: Set = Vec::new();
        for (clique, table) in model.tables() {
            let known = shared(clique, &passed);
            Margin::of(&all, clique, sizes).multiply(&mut cells, table);
            let counts = Margin::of(clique, &known, sizes).sum(table);
            let inverse: Vec<f64> =
                counts.iter().map(|count| if passed.is_empty() { 1.0 } else { count.recip() }).collect();
            Margin::of(&all, &known, sizes).multiply(&mut cells, &inverse);
            passed = union(&passed, clique);
        }
        cells
    }

    #[test]
    fn every_pair_is_that_of_the_whole_table() {
        let sizes = vec![3, 2, 4, 2, 3, 2];
        let mut fit = Fit::new(sizes.clone());
        let sets: [Set; 6] = [vec![0, 1], vec![1, 2], vec![2, 3], vec![1, 3], vec![3, 4], vec![5]];
        for (number, set) in sets.into_iter().enumerate() {
            let len: usize = set.iter().map(|&a| sizes[a]).product();
            let counts =
                (0..len).map(|cell| 600.0 / len as f64 * (1.0 + ((cell * 7 + number) % 5) as f64)).collect();
            fit.measure(Measurement { set, counts, variances: vec![40.0; len] });
        }
        let model = fit.run(2000, 1e-13, || Ok::<(), ()>(())).unwrap();
        let cells = whole(&model, &sizes);
        let all: Set = (0..6).collect();
        for a in 0..6 {
            let pairs = model.pairs(a);
            assert_eq!(pairs.len(), 6);
            assert!(pairs[..=a].iter().all(Vec::is_empty));
            for (b, pair) in pairs.iter().enumerate().skip(a + 1) {
                let expected = Margin::of(&all, &union(&vec![a], &vec![b]), &sizes).sum(&cells);
                assert_eq!(pair.len(), expected.len());
                for (found, expected) in pair.iter().zip(&expected) {
                    assert!((found - expected).abs() < 1e-6 * fit.total(), "{a} {b}: {found} {expected}");
                }
            }
        }
    }
}
