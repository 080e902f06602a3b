//! Small made-up tables, and what holds of them by definition.

use std::collections::{BTreeMap, BTreeSet};

use velamen_sets::{OUT, REMOVED, Sets, Tree};

/// Whole numbers that look random, always the same.
pub(crate) struct Numbers(u64);

impl Numbers {
    pub(crate) fn of(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d_4c95_7f2d)
    }

    /// A number below `bound`.
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }

    pub(crate) fn between(&mut self, least: u64, most: u64) -> u64 {
        least + self.below(most - least + 1)
    }

    fn skewed(&mut self, bound: u64) -> u64 {
        let one = self.below(bound);
        one.min(self.below(bound))
    }
}

/// Persons, their items and classes.
pub(crate) struct Table {
    pub(crate) sets: Sets,
    pub(crate) classes: Vec<u32>,
    pub(crate) items: u64,
}

impl Table {
    pub(crate) fn drawn(numbers: &mut Numbers) -> Self {
        let (persons, items) = (numbers.between(1, 16), numbers.between(1, 8));
        let mut pairs = Vec::new();
        for person in 0..persons as u32 {
            for _ in 0..numbers.below(items + 2) {
                pairs.push((person, numbers.skewed(items) as u32));
            }
        }
        let many = numbers.between(1, 2) as u32;
        let mut class =
            |_| if numbers.below(12) == 0 { OUT } else { numbers.below(u64::from(many)) as u32 * 5 };
        let classes = (0..persons).map(&mut class).collect();
        Self { sets: Sets::from_pairs(persons as usize, pairs), classes, items }
    }

    /// The persons of each class.
    pub(crate) fn members(&self) -> Vec<Vec<usize>> {
        let mut members: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        for (person, &class) in self.classes.iter().enumerate().filter(|&(_, &class)| class != OUT) {
            members.entry(class).or_default().push(person);
        }
        members.into_values().collect()
    }

    /// What a person is released with.
    pub(crate) fn released(&self, person: usize, released: &[u32]) -> BTreeSet<u32> {
        released[self.sets.range(person)].iter().copied().filter(|&node| node != REMOVED).collect()
    }
}

/// A tree over the items, each inner node with up to three children.
pub(crate) fn tree(items: u64, numbers: &mut Numbers) -> Tree {
    let mut parents: Vec<Option<u32>> = Vec::new();
    let mut level: Vec<u32> = (0..items as u32).collect();
    parents.resize(items as usize, None);
    while level.len() > 1 && numbers.below(4) > 0 {
        let mut above = Vec::new();
        let mut rest = level.as_slice();
        while !rest.is_empty() {
            let (children, others) = rest.split_at((numbers.between(1, 3) as usize).min(rest.len()));
            let parent = parents.len() as u32;
            parents.push(None);
            children.iter().for_each(|&child| parents[child as usize] = Some(parent));
            above.push(parent);
            rest = others;
        }
        level = above;
    }
    Tree::new(parents).expect("parents come behind their children")
}

/// All sets of 1 to m of these items.
pub(crate) fn subsets(items: &BTreeSet<u32>, m: u8) -> Vec<BTreeSet<u32>> {
    let mut all = vec![BTreeSet::new()];
    for &item in items {
        let with: Vec<BTreeSet<u32>> = all
            .iter()
            .filter(|set: &&BTreeSet<u32>| set.len() < usize::from(m))
            .map(|set| set.iter().copied().chain([item]).collect())
            .collect();
        all.extend(with);
    }
    all.retain(|set| !set.is_empty());
    all
}

/// How many of these sets contain `items`.
pub(crate) fn support(sets: &[BTreeSet<u32>], items: &BTreeSet<u32>) -> u32 {
    sets.iter().filter(|set| items.is_subset(set)).count() as u32
}

/// Whether each set of at most m items that one has, k have.
pub(crate) fn holds(sets: &[BTreeSet<u32>], k: u32, m: u8) -> bool {
    sets.iter().flat_map(|set| subsets(set, m)).all(|items| support(sets, &items) >= k)
}

/// Seeds of the tables that a test draws: all of them at night.
pub(crate) fn seeds() -> std::ops::Range<u64> {
    0..if std::env::var_os("VELAMEN_NIGHTLY").is_some() { 10_000 } else { 600 }
}
