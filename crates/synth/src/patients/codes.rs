//! Trees of invented concepts, and how common their leaves are.

use std::sync::LazyLock;

use velamen_dp::{Stream, below};

use crate::alias::AliasTable;

/// Invented concepts begin here: the standard keeps numbers above it for sites' own.
const OWN: u32 = 2_000_000_000;

/// Groups of age that codes depend on: under 40, under 65, and above.
pub(super) const AGES: usize = 3;

/// Invented concepts of one domain: leaves first, then the nodes above them, level by level.
pub(super) struct Domain {
    /// How the names of its concepts begin.
    pub(super) noun: &'static str,
    pub(super) domain: &'static str,
    pub(super) vocabulary: &'static str,
    /// How many nodes each level has, leaves first.
    pub(super) levels: &'static [u32],
    /// The number of the first concept, from [`OWN`].
    first: u32,
}

pub(super) const CONDITIONS: Domain = Domain {
    noun: "Disorder",
    domain: "Condition",
    vocabulary: "Made-up conditions",
    levels: &[2623, 780, 190, 21],
    first: 1,
};

pub(super) const DRUGS: Domain = Domain {
    noun: "Drug",
    domain: "Drug",
    vocabulary: "Made-up drugs",
    levels: &[600, 120, 14],
    first: 100_001,
};

pub(super) const PROCEDURES: Domain = Domain {
    noun: "Procedure",
    domain: "Procedure",
    vocabulary: "Made-up procedures",
    levels: &[300, 40, 8],
    first: 200_001,
};

pub(super) const MEASUREMENTS: Domain = Domain {
    noun: "Measurement",
    domain: "Measurement",
    vocabulary: "Made-up measurements",
    levels: &[60],
    first: 300_001,
};

pub(super) const OBSERVATIONS: Domain = Domain {
    noun: "Observation",
    domain: "Observation",
    vocabulary: "Made-up observations",
    levels: &[40],
    first: 400_001,
};

pub(super) const DOMAINS: [Domain; 5] = [CONDITIONS, DRUGS, PROCEDURES, MEASUREMENTS, OBSERVATIONS];

impl Domain {
    /// The concept of a node.
    pub(super) fn concept(&self, node: u32) -> u32 {
        OWN + self.first + node
    }

    pub(super) fn nodes(&self) -> u32 {
        self.levels.iter().sum()
    }

    pub(super) fn leaves(&self) -> u32 {
        self.levels[0]
    }

    /// The level of a node, leaves are 0, and its number there.
    pub(super) fn place(&self, node: u32) -> (usize, u32) {
        let mut number = node;
        for (level, &nodes) in self.levels.iter().enumerate() {
            if number < nodes {
                return (level, number);
            }
            number -= nodes;
        }
        (self.levels.len(), number)
    }

    /// The parent of a node. Neighbours share it; the first parents have many children and the last ones few.
    pub(super) fn parent(&self, node: u32) -> Option<u32> {
        let (level, number) = self.place(node);
        let above = u64::from(*self.levels.get(level + 1)?);
        let (number, many) = (u64::from(number), u64::from(self.levels[level]));
        let parent = number * number * above / (many * many);
        Some(self.levels[..=level].iter().sum::<u32>() + parent as u32)
    }

    /// All parents: every ninth condition has a second one, as concepts of SNOMED have.
    pub(super) fn parents(&self, node: u32) -> Vec<u32> {
        let mut parents: Vec<u32> = self.parent(node).into_iter().collect();
        if self.levels.len() > 3 && node < self.leaves() && node % 9 == 4 {
            let second = self.leaves() + (node * 37 + 5) % self.levels[1];
            parents.extend(Some(second).filter(|second| !parents.contains(second)));
        }
        parents
    }

    /// A code as a vocabulary spells it: the level's letter and a number.
    pub(super) fn code(&self, node: u32) -> String {
        let (level, number) = self.place(node);
        format!("{}{}-{number:04}", &self.noun[..1], level)
    }

    pub(super) fn name(&self, node: u32) -> String {
        let (level, number) = self.place(node);
        let kind = ["", " category", " block", " chapter"][level.min(3)];
        format!("{}{kind} {}", self.noun, number + 1)
    }

    /// How common a leaf is: few are, and they stand anywhere.
    fn weight(&self, leaf: u32) -> u64 {
        let place = (u64::from(leaf) * 1103 + 17) % u64::from(self.leaves());
        1_000_000_000_000 / ((place + 25) * (place + 25))
    }
}

/// Draws codes.
pub(super) struct Codes {
    /// Conditions by group of age and sex.
    conditions: Vec<AliasTable>,
    /// Conditions of each block, and the first of them.
    blocks: Vec<(u32, AliasTable)>,
    others: [AliasTable; 4],
    /// How many conditions a person has, by group of age.
    sizes: Vec<AliasTable>,
}

pub(super) static CODES: LazyLock<Codes> = LazyLock::new(Codes::new);

impl Codes {
    fn new() -> Self {
        Self {
            conditions: (0..AGES * 2).map(conditions).collect(),
            blocks: (0..CONDITIONS.levels[2]).map(conditions_of).collect(),
            others: [&DRUGS, &PROCEDURES, &MEASUREMENTS, &OBSERVATIONS].map(all),
            sizes: [3.2, 6.6, 9.6].map(|mean| AliasTable::new(&sizes(mean))).into(),
        }
    }

    /// A condition of anybody of this age and sex.
    pub(super) fn condition(&self, age: usize, woman: bool, stream: &mut Stream) -> u32 {
        self.conditions[age * 2 + usize::from(woman)].draw(stream.word() as u32) as u32
    }

    /// A condition of the block that another one is in.
    pub(super) fn neighbour(&self, condition: u32, stream: &mut Stream) -> u32 {
        let (first, table) = &self.blocks[block(condition) as usize];
        first + table.draw(stream.word() as u32) as u32
    }

    /// How many conditions a person of this age has, from 1: sizes are geometric, and at most 100.
    pub(super) fn size(&self, age: usize, stream: &mut Stream) -> usize {
        1 + self.sizes[age].draw(stream.word() as u32)
    }

    /// A drug for a condition: mostly one of three for its category.
    pub(super) fn drug(&self, condition: u32, stream: &mut Stream) -> u32 {
        if below(stream, 100) < 85 {
            let category = CONDITIONS.parent(condition).unwrap_or(condition);
            return (category * 37 + below(stream, 3) as u32) % DRUGS.leaves();
        }
        self.others[0].draw(stream.word() as u32) as u32
    }

    pub(super) fn procedure(&self, stream: &mut Stream) -> u32 {
        self.others[1].draw(stream.word() as u32) as u32
    }

    pub(super) fn measurement(&self, stream: &mut Stream) -> u32 {
        self.others[2].draw(stream.word() as u32) as u32
    }

    pub(super) fn observation(&self, stream: &mut Stream) -> u32 {
        self.others[3].draw(stream.word() as u32) as u32
    }
}

/// How common conditions are at an age and a sex.
fn conditions(table: usize) -> AliasTable {
    let weight = |leaf| CONDITIONS.weight(leaf) * factor(chapter(leaf), table);
    AliasTable::new(&(0..CONDITIONS.leaves()).map(weight).collect::<Vec<_>>())
}

/// The first condition of a block, and how common all of them are.
fn conditions_of(number: u32) -> (u32, AliasTable) {
    let own: Vec<u32> = (0..CONDITIONS.leaves()).filter(|&leaf| block(leaf) == number).collect();
    (own[0], AliasTable::new(&own.iter().map(|&leaf| CONDITIONS.weight(leaf)).collect::<Vec<_>>()))
}

/// How common all leaves are.
fn all(domain: &Domain) -> AliasTable {
    AliasTable::new(&(0..domain.leaves()).map(|leaf| domain.weight(leaf)).collect::<Vec<_>>())
}

/// The number of the block that a condition is in.
fn block(leaf: u32) -> u32 {
    above(leaf, 2)
}

fn chapter(leaf: u32) -> u32 {
    above(leaf, 3)
}

/// The number, at its level, of the node so many levels above a condition.
fn above(leaf: u32, levels: usize) -> u32 {
    let node = (0..levels).fold(leaf, |node, _| CONDITIONS.parent(node).unwrap_or(node));
    CONDITIONS.place(node).1
}

/// How much more common a chapter is at an age and a sex.
fn factor(chapter: u32, table: usize) -> u64 {
    u64::from(chapter * 7 + table as u32 * 5) % 5 + 1
}

/// Weights of 1, 2, … codes: each next is as much rarer as gives the mean.
fn sizes(mean: f64) -> Vec<u64> {
    std::iter::successors(Some(1e12), |weight| Some(weight * (1.0 - 1.0 / mean)))
        .take(100)
        .map(|weight| weight as u64)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_inner_node_has_children() {
        for domain in &DOMAINS {
            let mut children = vec![0; domain.nodes() as usize];
            for parent in (0..domain.nodes()).filter_map(|node| domain.parent(node)) {
                children[parent as usize] += 1;
            }
            assert!(
                children[domain.leaves() as usize..].iter().all(|&children| children > 0),
                "{}",
                domain.noun
            );
        }
    }

    #[test]
    fn some_conditions_have_two_parents() {
        let two = (0..CONDITIONS.leaves()).filter(|&leaf| CONDITIONS.parents(leaf).len() == 2).count();
        assert!((250..300).contains(&two), "{two}");
    }

    #[test]
    fn neighbours_are_of_one_block() {
        let mut stream = velamen_dp::Seed::from_number(1).stream(0);
        for condition in [0, 700, 2622] {
            assert_eq!(block(CODES.neighbour(condition, &mut stream)), block(condition));
        }
    }
}
