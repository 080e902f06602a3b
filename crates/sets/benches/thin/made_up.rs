//! Made-up patients with diagnosis codes in a tree of ICD-10's shape: 2,623 leaves, 6.5 codes a person, 1 % above 27.

use velamen_sets::{Sets, Tree};

const LEAVES: usize = 2623;
const CATEGORIES: usize = 780;
const BLOCKS: usize = 190;
const CHAPTERS: usize = 21;

/// Mean number of codes: sizes are geometric.
const CODES: f64 = 6.5;

/// Of a person's codes the share that comes from the person's own blocks.
const OWN: f64 = 0.5;

/// A generator of whole numbers, good enough to make up patients (splitmix64).
pub(crate) struct Numbers(u64);

impl Numbers {
    /// The numbers of a seed.
    pub(crate) fn of(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^ (word >> 31)
    }

    /// From 0 to 1.
    fn share(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }
}

/// The tree, and how common each leaf is.
pub(crate) struct Codes {
    /// Leaves, categories, blocks and chapters.
    pub(crate) tree: Tree,
    /// The sums of weights up to each leaf.
    sums: Vec<f64>,
    /// The leaves of each block.
    blocks: Vec<std::ops::Range<usize>>,
}

impl Codes {
    /// The codes of a seed. Children of one node stand together; common codes stand anywhere.
    pub(crate) fn new() -> Self {
        let mut numbers = Numbers::of(2623);
        let levels = [LEAVES, CATEGORIES, BLOCKS, CHAPTERS];
        let mut parents = Vec::new();
        let mut base = 0;
        for pair in levels.windows(2) {
            base += pair[0];
            parents.extend(
                spread(pair[0], pair[1], &mut numbers).into_iter().map(|to| Some((base + to) as u32)),
            );
        }
        parents.extend([None; CHAPTERS]);
        let tree = Tree::new(parents).expect("parents come behind their children");
        let mut order: Vec<usize> = (0..LEAVES).collect();
        (1..LEAVES).rev().for_each(|at| order.swap(at, numbers.below(at + 1)));
        let mut weights = [0.0; LEAVES];
        for (place, leaf) in order.into_iter().enumerate() {
            weights[leaf] = 1.0 / (place as f64 + 25.0).powi(2);
        }
        let sums = weights
            .iter()
            .scan(0.0, |sum, weight| {
                *sum += weight;
                Some(*sum)
            })
            .collect();
        let block =
            |leaf: usize| tree.path(leaf as u32).nth(2).expect("a block") as usize - LEAVES - CATEGORIES;
        let mut blocks = vec![0..0; BLOCKS];
        for leaf in 0..LEAVES {
            let of = &mut blocks[block(leaf)];
            *of = if of.start == of.end { leaf } else { of.start }..leaf + 1;
        }
        Self { tree, sums, blocks }
    }

    fn before(&self, leaf: usize) -> f64 {
        if leaf == 0 { 0.0 } else { self.sums[leaf - 1] }
    }

    /// A leaf of a range, the common ones more often.
    fn draw(&self, from: &std::ops::Range<usize>, numbers: &mut Numbers) -> usize {
        let (low, high) = (self.before(from.start), self.sums[from.end - 1]);
        let at = low + numbers.share() * (high - low);
        self.sums.partition_point(|&sum| sum <= at).min(from.end - 1)
    }

    /// Persons' codes. Half of a person's codes come from two blocks of that person.
    pub(crate) fn patients(&self, persons: usize, seed: u64) -> Sets {
        let mut numbers = Numbers::of(seed);
        let mut pairs = Vec::with_capacity(persons * 7);
        for person in 0..persons as u32 {
            let size = 1 + (numbers.share().ln() / (1.0 - 1.0 / CODES).ln()) as usize;
            let own = [(); 2].map(|()| {
                let leaf = self.draw(&(0..LEAVES), &mut numbers);
                self.blocks.iter().position(|block| block.contains(&leaf)).expect("a block")
            });
            let mut codes = Vec::with_capacity(size);
            for _ in 0..size * 4 {
                let range = if numbers.share() < OWN {
                    self.blocks[own[numbers.below(2)]].clone()
                } else {
                    0..LEAVES
                };
                let code = self.draw(&range, &mut numbers) as u32;
                if codes.len() < size && !codes.contains(&code) {
                    codes.push(code);
                }
            }
            pairs.extend(codes.into_iter().map(|code| (person, code)));
        }
        Sets::from_pairs(persons, pairs)
    }
}

/// Gives each of `many` children one of `few` parents: each parent at least one, neighbours together.
fn spread(many: usize, few: usize, numbers: &mut Numbers) -> Vec<usize> {
    let mut starts: Vec<usize> = (1..many).collect();
    (1..starts.len()).rev().for_each(|at| starts.swap(at, numbers.below(at + 1)));
    starts.truncate(few - 1);
    starts.sort_unstable();
    (0..many).map(|child| starts.partition_point(|&start| start <= child)).collect()
}
