//! Measurements that are updated on one table: those of a set, and of parts of it.
//!
//! A clique is often far larger than what was measured of it. So it is summed to a measured set once, all measurements of that set
//! and of its parts are updated there, and the clique follows once.

use crate::block::Block;
use crate::margin::Margin;
use crate::tree::Set;

/// A measured set that is part of no other one, and the measurements that are updated on its table.
#[derive(Debug, Clone)]
pub(crate) struct Station {
    pub(crate) set: Set,
    /// The cells of the set.
    cells: usize,
    /// By measurement its number, and how the set's table runs through its own.
    members: Vec<(usize, Margin)>,
}

impl Station {
    /// Each block is in one station: that of the first set that its own is part of.
    ///
    /// # Complexity
    /// O(blocks²) comparisons of sets.
    pub(crate) fn all(blocks: &[Block], sizes: &[usize]) -> Vec<Self> {
        let sets: Vec<&Set> = blocks.iter().map(|block| &block.measured.set).collect();
        // No two blocks have the same set.
        let is_part = |set: &Set| sets.iter().any(|other| *other != set && holds(other, set));
        let whole = blocks.iter().filter(|block| !is_part(&block.measured.set));
        let mut stations: Vec<Self> = whole.map(Self::of).collect();
        for (number, set) in sets.into_iter().enumerate() {
            if let Some(station) = stations.iter_mut().find(|station| holds(&station.set, set)) {
                station.members.push((number, Margin::of(&station.set, set, sizes)));
            }
        }
        stations
    }

    fn of(block: &Block) -> Self {
        Self { set: block.measured.set.clone(), cells: block.theta.len(), members: Vec::new() }
    }

    /// Brings the counts of the set to what is best for each measurement while all others stay, one after the other; the largest
    /// share of a table that moved.
    pub(crate) fn update(&self, counts: &mut [f64], blocks: &mut [Block], total: f64) -> f64 {
        let mut most = 0.0f64;
        for (number, margin) in &self.members {
            let (ratios, moved) = blocks[*number].update(&margin.sum(counts), total);
            margin.multiply(counts, &ratios);
            most = most.max(moved);
        }
        most
    }

    /// Σ θ by cell of the set.
    pub(crate) fn theta(&self, blocks: &[Block]) -> Vec<f64> {
        let mut sums = vec![0.0; self.cells];
        self.members.iter().for_each(|(number, margin)| margin.add(&mut sums, &blocks[*number].theta));
        sums
    }
}

/// Whether a set has all of a part.
fn holds(set: &Set, part: &Set) -> bool {
    part.iter().all(|a| set.contains(a))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Measurement;

    #[test]
    fn every_measurement_is_updated_once_on_a_table_that_holds_it() {
        let sizes = [2, 3, 2, 4];
        let block = |set: &[usize]| {
            let counts = vec![1.0; set.iter().map(|&a| sizes[a]).product()];
            let variances = vec![1.0; counts.len()];
            Block::new(Measurement { set: set.to_vec(), counts, variances }, 0.01)
        };
        let blocks = [vec![0], vec![1], vec![0, 1], vec![3], vec![1, 2], vec![2]].map(|set| block(&set));
        let stations = Station::all(&blocks, &sizes);
        let members = |station: &Station| station.members.iter().map(|(number, _)| *number).collect();
        let found: Vec<(Set, Vec<usize>)> =
            stations.iter().map(|station| (station.set.clone(), members(station))).collect();
        assert_eq!(found, [(vec![0, 1], vec![0, 1, 2]), (vec![3], vec![3]), (vec![1, 2], vec![4, 5])]);
        assert_eq!(stations[0].theta(&blocks).len(), 6);
    }
}
