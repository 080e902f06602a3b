//! Clustering against a plain reading of its definition, which looks at the whole table for every
//! record that a block could take.

#![allow(clippy::unwrap_used, reason = "a failing test may panic")]

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use proptest::prelude::*;
use serde_json::json;
use velamen_core::context::{Context, Silent};
use velamen_core::frequency::{FrequencyTable, QuasiIdentifier, Rest, RestColumn, Role};
use velamen_core::hierarchy::{Rule, TableRule};
use velamen_dp::Seed;
use velamen_search::method::MethodError;
use velamen_search::method::clustering::{Block, Choice, ClusteringTask, Lambda, Objective, Seeds};
use velamen_search::model;
use velamen_search::model::{Bound, Distribution};

/// Records in canonical order: leaf codes, then the sensitive value.
type Record = (Vec<u32>, u32);

#[derive(Debug, Clone)]
struct Case {
    records: Vec<Record>,
    /// Leaves of each attribute; pairs of them are merged at every level.
    leaves: Vec<u32>,
    values: u32,
}

impl Case {
    fn levels(&self, q: usize) -> u32 {
        u32::BITS - (self.leaves[q] - 1).leading_zeros()
    }

    /// The value over a leaf at a level.
    fn above(leaf: u32, level: u32) -> u32 {
        leaf >> level
    }

    fn table(&self) -> FrequencyTable {
        let qi = |q: usize| {
            let label = |leaf, level| match level {
                _ if level == self.levels(q) => "*".to_owned(),
                _ => format!("{q}.{level}.{}", Self::above(leaf, level)),
            };
            let row = |leaf| (0..=self.levels(q)).map(|level| label(leaf, level)).collect();
            let rows: Vec<Vec<String>> = (0..self.leaves[q]).map(row).collect();
            let leaves = rows.iter().map(|row: &Vec<String>| row[0].clone()).collect();
            let (_, hierarchy) = Rule::Table(TableRule::new(rows).unwrap()).over(leaves, true);
            QuasiIdentifier { name: format!("q{q}"), hierarchy }
        };
        let runs: Vec<&[Record]> = self.records.chunk_by(|a, b| a == b).collect();
        let values = (0..self.values).map(|value| format!("s{value}")).collect();
        let column = RestColumn { name: "s".into(), role: Role::Sensitive, values };
        let len = self.values as usize;
        FrequencyTable {
            qis: (0..self.leaves.len()).map(qi).collect(),
            rest: Rest { columns: vec![column], codes: vec![(0..self.values).collect()], len },
            codes: (0..self.leaves.len()).map(|q| runs.iter().map(|run| run[0].0[q]).collect()).collect(),
            rest_index: runs.iter().map(|run| run[0].1).collect(),
            counts: runs.iter().map(|run| run.len() as u64).collect(),
            population: None,
            strays: velamen_core::frequency::Strays::default(),
        }
    }
}

fn cases() -> impl Strategy<Value = Case> {
    let shape = (proptest::collection::vec(2u32..6, 1..4), 1u32..5, 3usize..28);
    shape.prop_flat_map(|(leaves, values, records)| {
        let codes: Vec<_> = leaves.iter().map(|&leaves| 0..leaves).collect();
        proptest::collection::vec((codes, 0..values), records).prop_map(move |mut records| {
            records.sort();
            Case { records, leaves: leaves.clone(), values }
        })
    })
}

fn objectives() -> impl Strategy<Value = (Objective, Option<f64>)> {
    let entropy = |lambda: f64| (Objective::Entropy(Lambda::try_from(lambda).unwrap()), Some(lambda));
    prop_oneof![
        Just(entropy(0.0)),
        Just(entropy(1.0)),
        Just(entropy(1.0)),
        Just(entropy(0.25)),
        Just(entropy(7.5)),
        Just((Objective::Diversity { l: 2.5 }, None)),
        Just((Objective::Closeness { t: 0.3 }, None)),
        Just((Objective::Heights, None)),
    ]
}

/// c · log₂ c in steps of 2⁻²⁴.
fn f(count: u64) -> i128 {
    if count == 0 { 0 } else { (count as f64 * (count as f64).log2() * 16_777_216.0).round() as i128 }
}

/// n · H(A | B) of pairs (b, a).
fn conditional<A: Ord + Clone, B: Ord + Clone>(pairs: &[(B, A)]) -> i128 {
    let (mut wholes, mut parts) = (BTreeMap::new(), BTreeMap::new());
    for (b, a) in pairs {
        *wholes.entry(b.clone()).or_insert(0) += 1;
        *parts.entry((b.clone(), a.clone())).or_insert(0) += 1;
    }
    wholes.values().copied().map(f).sum::<i128>() - parts.values().copied().map(f).sum::<i128>()
}

struct Oracle<'a> {
    case: &'a Case,
    objective: Objective,
    lambda: f64,
    k: usize,
    l: usize,
}

impl Oracle<'_> {
    /// Level and value that each record is released as: those of the block at its lowest common
    /// ancestors, all others as they are.
    fn released(&self, block: &[usize], q: usize) -> Vec<(u32, u32)> {
        let code = |record: usize| self.case.records[record].0[q];
        let same = |level: &u32| {
            block.iter().map(|&r| Case::above(code(r), *level)).collect::<BTreeSet<u32>>().len() == 1
        };
        let level = (0..=self.case.levels(q)).find(same).unwrap();
        let value = |record| match block.contains(&record) {
            true => (level, Case::above(code(record), level)),
            false => (0, code(record)),
        };
        (0..self.case.records.len()).map(value).collect()
    }

    fn conditional_entropy(&self, block: &[usize]) -> i128 {
        let of = |q: usize| {
            let original = self.case.records.iter().map(|record| record.0[q]);
            conditional(&self.released(block, q).into_iter().zip(original).collect::<Vec<_>>())
        };
        (0..self.case.leaves.len()).map(of).sum()
    }

    fn entropy_given_all(&self, block: &[usize]) -> i128 {
        let columns: Vec<_> = (0..self.case.leaves.len()).map(|q| self.released(block, q)).collect();
        let row = |record: usize| columns.iter().map(|column| column[record]).collect::<Vec<_>>();
        let pairs: Vec<_> = (0..self.case.records.len()).map(|r| (row(r), self.case.records[r].1)).collect();
        conditional(&pairs)
    }

    fn values(&self, block: &[usize]) -> Vec<u64> {
        let count = |value| block.iter().filter(|&&r| self.case.records[r].1 == value).count() as u64;
        (0..self.case.values).map(count).collect()
    }

    /// What is minimised; mutual information less the constant H(S).
    fn cost(&self, block: &[usize]) -> (i128, i128) {
        let (n, size) = (self.case.records.len() as u64, block.len() as u64);
        let lost = self.conditional_entropy(block) * 65_536;
        match self.objective {
            Objective::Entropy(_) => {
                (0, lost - (self.lambda * 65_536.0).round() as i128 * self.entropy_given_all(block))
            }
            Objective::Diversity { l } => {
                let wanted = (size as f64 * l.log2() * 16_777_216.0).round() as i128;
                let spread = f(size) - self.values(block).into_iter().map(f).sum::<i128>();
                ((wanted - spread).max(0), lost)
            }
            Objective::Closeness { t } => {
                let everyone = self.values(&(0..n as usize).collect::<Vec<_>>());
                let own = self.values(block);
                let apart = |(b, c): (u64, u64)| (i128::from(n * b) - i128::from(size * c)).abs();
                let away: i128 = own.into_iter().zip(everyone).map(apart).sum();
                ((away - (2.0 * t * (n * size) as f64).floor() as i128).max(0), lost)
            }
            Objective::Heights => {
                let of = |q: usize| {
                    let level = self.released(block, q)[block[0]].0;
                    i128::from(level) * (1 << 40) / i128::from(self.case.levels(q))
                };
                (0, (0..self.case.leaves.len()).map(of).sum::<i128>() * i128::from(size))
            }
        }
    }

    /// How many records the block has of a record's value, where that decides ties.
    fn rarity(&self, block: &[usize], record: usize) -> usize {
        let same = |&&r: &&usize| self.case.records[r].1 == self.case.records[record].1;
        if self.lambda > 0.0 { block.iter().filter(same).count() } else { 0 }
    }

    /// What seeds are far by: the quasi-identifiers' part alone.
    fn far(&self, block: &[usize]) -> i128 {
        match self.objective {
            Objective::Heights => self.cost(block).1,
            _ => self.conditional_entropy(block),
        }
    }

    fn holds(&self, block: &[usize]) -> bool {
        block.len() >= self.k && self.values(block).iter().filter(|&&n| n > 0).count() >= self.l
    }

    /// Algorithm 2, told which records the blocks begin with where that is random. Blocks of records
    /// by their place.
    fn blocks(&self, seeds: Seeds, made: &[Vec<Record>]) -> Vec<Vec<usize>> {
        let mut left: Vec<usize> = (0..self.case.records.len()).collect();
        let (mut blocks, mut leftovers): (Vec<Vec<usize>>, Vec<usize>) = (Vec::new(), Vec::new());
        while left.len() >= self.k {
            let before = blocks.last().filter(|_| seeds == Seeds::Farthest);
            let seed = match (before, made.get(blocks.len())) {
                (Some(before), _) => {
                    let far = |r: usize| self.far(&[&before[..], &[r]].concat());
                    *left.iter().min_by_key(|&&r| (-far(r), r)).unwrap()
                }
                (None, Some(block)) => {
                    *left.iter().find(|&&r| self.case.records[r] == block[0]).expect("the seed is left")
                }
                // All that is left makes no block.
                (None, None) => left[0],
            };
            let mut block = vec![seed];
            left.retain(|&r| r != seed);
            while !left.is_empty() && !self.holds(&block) {
                let cost = |r: usize| (self.cost(&[&block[..], &[r]].concat()), self.rarity(&block, r), r);
                let nearest = left.iter().map(|&r| cost(r)).min().unwrap().2;
                left.retain(|&r| r != nearest);
                block.push(nearest);
            }
            if self.holds(&block) { blocks.push(block) } else { leftovers.extend(block) }
        }
        leftovers.extend(left);
        leftovers.sort_unstable();
        for r in leftovers {
            let rise = |block: &Vec<usize>| {
                let (with, without) = (self.cost(&[&block[..], &[r]].concat()), self.cost(block));
                (with.0 - without.0, with.1 - without.1)
            };
            match (0..blocks.len()).min_by_key(|&at| (rise(&blocks[at]), at)) {
                Some(at) => blocks[at].push(r),
                None => blocks.push(vec![r]),
            }
        }
        blocks
    }
}

fn distinct_l(table: &FrequencyTable, l: usize) -> Bound {
    let entry = model::find("distinct-l-diversity").unwrap();
    let counts = table.rest_marginal(0);
    let values = &table.rest.columns[0].values;
    let distribution =
        Distribution { records: table.records(), values, counts: &counts, ..Distribution::default() };
    let judge = (entry.parse)(json!({ "l": l })).unwrap().bind(&distribution).unwrap();
    Bound { judge, column: Some(0), monotonicity: entry.monotonicity, population: false }
}

fn made(table: &FrequencyTable, task: &ClusteringTask<'_>, seed: u64) -> Result<Vec<Block>, MethodError> {
    let (seed, cancel) = (Seed::from_number(seed), AtomicBool::new(false));
    task.blocks(table, &Context { seed: &seed, progress: &Silent, cancel: &cancel })
}

static BEGUN: AtomicU32 = AtomicU32::new(0);
static FOUND: AtomicU32 = AtomicU32::new(0);

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    fn each_pruned_search_finds_the_plain_ones_blocks(
        case in cases(),
        (objective, lambda) in objectives(),
        k in 2usize..5,
        l in 1usize..4,
        farthest in any::<bool>(),
        seed in 0u64..100,
    ) {
        let table = case.table();
        let models: Vec<Bound> = if l > 1 { vec![distinct_l(&table, l)] } else { vec![] };
        let seeds = if farthest { Seeds::Farthest } else { Seeds::Random };
        let task = ClusteringTask { models: &models, least_size: k as u64, objective, seeds, choice: Choice::Block, column: Some(0) };
        let present: BTreeSet<u32> = case.records.iter().map(|record| record.1).collect();
        let found = made(&table, &task, seed);
        prop_assert_eq!(found.is_ok(), present.len() >= l);
        BEGUN.fetch_add(1, Ordering::Relaxed);
        let Ok(found) = found else { return Ok(()) };
        FOUND.fetch_add(1, Ordering::Relaxed);
        let record = |&(entry, count): &(u32, u64)| {
            assert_eq!(count, 1);
            let codes = table.codes.iter().map(|codes| codes[entry as usize]).collect();
            (codes, table.rest_index[entry as usize])
        };
        let found: Vec<Vec<Record>> =
            found.iter().map(|block| block.members.iter().map(record).collect()).collect();
        let oracle = Oracle { case: &case, objective, lambda: lambda.unwrap_or(0.0), k, l };
        let plain = oracle.blocks(seeds, &found);
        let plain: Vec<Vec<Record>> =
            plain.iter().map(|block| block.iter().map(|&r| case.records[r].clone()).collect()).collect();
        prop_assert_eq!(found, plain);
    }
}

#[test]
fn the_pruned_search_finds_the_plain_ones_blocks() {
    each_pruned_search_finds_the_plain_ones_blocks();
    let (begun, found) = (BEGUN.load(Ordering::Relaxed), FOUND.load(Ordering::Relaxed));
    assert!(found * 100 >= begun * 60, "{found} of {begun} tables have blocks");
}
