//! How many cells the tree of cliques would have with one set more, for many sets one after the other.

use crate::tree::{Set, cells};

/// The bits of a word.
const BITS: usize = u64::BITS as usize;

/// A set of attributes as bits.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Bits(Vec<u64>);

impl Bits {
    fn none(attributes: usize) -> Self {
        Self(vec![0; attributes.div_ceil(BITS)])
    }

    fn insert(&mut self, attribute: usize) {
        self.0[attribute / BITS] |= 1 << (attribute % BITS);
    }

    fn remove(&mut self, attribute: usize) {
        self.0[attribute / BITS] &= !(1 << (attribute % BITS));
    }

    fn join(&mut self, other: &Self) {
        self.0.iter_mut().zip(&other.0).for_each(|(word, other)| *word |= other);
    }

    fn len(&self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    fn each(&self) -> impl Iterator<Item = usize> {
        self.0.iter().enumerate().flat_map(|(place, &word)| {
            let lowest = |left: &u64| Some(left & (left - 1)).filter(|left| *left > 0);
            let words = std::iter::successors(Some(word).filter(|word| *word > 0), lowest);
            words.map(move |left| place * BITS + left.trailing_zeros() as usize)
        })
    }
}

/// The graph in which each set's attributes are joined, by its connected parts: a set more changes the parts that it touches.
#[derive(Debug, Clone)]
pub struct Grown {
    sizes: Vec<usize>,
    near: Vec<Bits>,
    /// By attribute the number of its part.
    part: Vec<usize>,
    /// By part its attributes, ascending, and the cells of its tree.
    parts: Vec<(Set, f64)>,
}

impl Grown {
    /// Of some sets.
    #[must_use]
    pub fn of(sets: &[Set], sizes: &[usize]) -> Self {
        let mut near = vec![Bits::none(sizes.len()); sizes.len()];
        sets.iter().for_each(|set| join(&mut near, set));
        let mut grown =
            Self { sizes: sizes.to_vec(), part: vec![usize::MAX; sizes.len()], parts: Vec::new(), near };
        for attribute in 0..sizes.len() {
            if grown.part[attribute] == usize::MAX {
                let part = grown.reached(attribute);
                part.iter().for_each(|&a| grown.part[a] = grown.parts.len());
                let cells = eliminated(&mut grown.near.clone(), &part, sizes);
                grown.parts.push((part, cells));
            }
        }
        grown
    }

    /// The attributes that are connected with one, ascending.
    fn reached(&self, from: usize) -> Set {
        let mut reached = Bits::none(self.sizes.len());
        let mut left = vec![from];
        while let Some(next) = left.pop() {
            let before = reached.clone();
            reached.insert(next);
            let is_new = |a: &usize| before.0[a / BITS] >> (a % BITS) & 1 == 0;
            left.extend(self.near[next].each().filter(is_new));
        }
        reached.each().collect()
    }

    /// The cells of the tree of [`cliques`](crate::cliques) with one set more.
    ///
    /// # Complexity
    /// O(attributes² + Σ over eliminated attributes of neighbours²) of the parts that it touches.
    #[must_use]
    pub fn cells_with(&self, set: &Set) -> f64 {
        let mut touched: Set = set.iter().map(|&a| self.part[a]).collect();
        touched.sort_unstable();
        touched.dedup();
        let mut left: Set = touched.iter().flat_map(|&part| self.parts[part].0.iter().copied()).collect();
        left.sort_unstable();
        let others = self.parts.iter().enumerate().filter(|(part, _)| !touched.contains(part));
        let others: f64 = others.map(|(_, (_, cells))| cells).sum();
        let mut near = self.near.clone();
        join(&mut near, set);
        others + eliminated(&mut near, &left, &self.sizes)
    }
}

fn join(near: &mut [Bits], set: &[usize]) {
    for &a in set {
        set.iter().filter(|&&b| b != a).for_each(|&b| near[a].insert(b));
    }
}

/// The cells of all largest cliques that eliminating these attributes makes, as [`cliques`](crate::cliques) does.
fn eliminated(near: &mut [Bits], attributes: &[usize], sizes: &[usize]) -> f64 {
    let cost = |near: &[Bits], a: usize| {
        near[a].each().fold(cells(&[a], sizes), |cells, b| cells.saturating_mul(sizes[b] as u128))
    };
    let mut left: Vec<(u128, usize)> = attributes.iter().map(|&a| (cost(near, a), a)).collect();
    // A clique is part of an earlier one only if some attribute's elimination left nothing but that clique.
    let mut within: Vec<Bits> = Vec::new();
    let mut sum = 0.0;
    while let Some(place) = (0..left.len()).min_by_key(|&place| left[place]) {
        let (made, next) = left.swap_remove(place);
        let neighbours = near[next].clone();
        let mut clique = neighbours.clone();
        clique.insert(next);
        if !within.contains(&clique) {
            sum += made as f64;
        }
        for a in neighbours.each() {
            near[a].join(&neighbours);
            near[a].remove(next);
            near[a].remove(a);
        }
        for (costs, a) in &mut left {
            if neighbours.0[*a / BITS] >> (*a % BITS) & 1 == 1 {
                *costs = cost(near, *a);
            }
        }
        if neighbours.len() > 0 {
            within.push(neighbours);
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cliques;

    #[test]
    fn cells_are_those_of_the_cliques() {
        let mut state = 5u64;
        let mut below = |n: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % n
        };
        for _ in 0..300 {
            let attributes = 1 + below(70);
            let sizes: Vec<usize> = (0..attributes).map(|_| 1 + below(6)).collect();
            let mut set = |len: usize| {
                let mut set: Set = (0..len).map(|_| below(attributes)).collect();
                set.sort_unstable();
                set.dedup();
                set
            };
            let sets: Vec<Set> = (0..attributes).map(|number| set(1 + number % 3)).collect();
            let grown = Grown::of(&sets, &sizes);
            for _ in 0..5 {
                let more = set(2);
                let all: Vec<Set> = sets.iter().chain([&more]).cloned().collect();
                let expected: f64 =
                    cliques(&all, &sizes).iter().map(|clique| cells(clique, &sizes) as f64).sum();
                assert_eq!(grown.cells_with(&more), expected, "{sets:?} {more:?} {sizes:?}");
            }
        }
    }
}
