//! Which classes are near to each other.
//!
//! # Summary
//! Counterfeits take the values of real records near by, and the catalog's groups are made of classes near by.
//! Both ask the same tree: the classes are its leaves, and going up it an attribute is generalized by one level at
//! a time, the step first that says least of the sensitive value.
//!
//! # Definition
//! Let I(q, l) be the mutual information of the sensitive attribute and attribute q at level l, less its bias
//! (Miller–Madow). The *ladder* begins at the leaves of all attributes; its next step raises the attribute whose
//! I falls least. At a node, the steps below it are left out. The *kin* of a class at a step are the classes that
//! have its values when all steps up to that one are taken.
//!
//! The classes stand in an order in which the kin of each class at each step stand together.
//!
//! # Complexity
//! Ladder: time O(entries · levels), memory O(distinct pairs). Kin: time O(classes · log classes · steps), memory
//! O(classes · steps).
//!
//! # References
//! Miller 1955 for the bias. The tree is ours.

use std::ops::Range;

use rustc_hash::FxHashMap;
use velamen_core::classes::ClassTable;
use velamen_core::frequency::FrequencyTable;
use velamen_core::lattice::Node;

/// The steps from the leaves to the top, by how little they say of the sensitive value.
pub(super) struct Ladder<'a> {
    table: &'a FrequencyTable,
    /// (attribute, level before the step), the first step first.
    steps: Vec<(usize, u8)>,
}

impl<'a> Ladder<'a> {
    pub(super) fn new(table: &'a FrequencyTable, sensitive: usize) -> Self {
        let told: Vec<Vec<f64>> = (0..table.qis.len()).map(|q| information(table, q, sensitive)).collect();
        let mut levels = vec![0; told.len()];
        let mut steps = Vec::new();
        loop {
            let loss = |q: &usize| told[*q][levels[*q]] - told[*q][levels[*q] + 1];
            let open = (0..told.len()).filter(|&q| levels[q] + 1 < told[q].len());
            let Some(next) = open.min_by(|a, b| loss(a).total_cmp(&loss(b))) else { break };
            steps.push((next, levels[next] as u8));
            levels[next] += 1;
        }
        Self { table, steps }
    }

    /// The classes of a node; those of at least so many records lend their values.
    pub(super) fn at(&self, node: &Node, classes: &ClassTable, least: u64) -> Kin {
        let steps: Vec<_> = self.steps.iter().rev().filter(|(q, level)| *level >= node.0[*q]).collect();
        let raise = |&&(q, level): &&(usize, u8)| (q, self.table.qis[q].hierarchy.step(node.0[q], level));
        let raised: Vec<(usize, Vec<u32>)> = steps.iter().map(raise).collect();
        Kin::new(classes, least, raised.len(), |class, step| {
            let (q, codes) = &raised[step];
            codes[class[*q] as usize]
        })
    }

    /// Classes whose values have no levels: an attribute is kept or left out.
    pub(super) fn of_parts(&self, classes: &ClassTable, least: u64) -> Kin {
        let mut last: Vec<usize> = Vec::new();
        for (q, _) in self.steps.iter().rev() {
            if !last.contains(q) {
                last.push(*q);
            }
        }
        Kin::new(classes, least, last.len(), |class, step| class[last[step]])
    }
}

/// I(q, l) for every level l, in nats.
fn information(table: &FrequencyTable, q: usize, sensitive: usize) -> Vec<f64> {
    let (hierarchy, values) = (&table.qis[q].hierarchy, &table.rest.codes[sensitive]);
    let mut pairs: FxHashMap<(u32, u32), u64> = FxHashMap::default();
    for ((&leaf, &rest), &count) in table.codes[q].iter().zip(&table.rest_index).zip(&table.counts) {
        *pairs.entry((leaf, values[rest as usize])).or_default() += count;
    }
    let mut pairs: Vec<_> = pairs.into_iter().collect();
    pairs.sort_unstable();
    let at = |level| {
        let raised = pairs.iter().map(|&((leaf, value), n)| ((hierarchy.code(level, leaf), value), n));
        let left = pairs.iter().map(|&((leaf, _), n)| (hierarchy.code(level, leaf), n));
        let right = pairs.iter().map(|&((_, value), n)| (value, n));
        let (both, left, right) = (entropy(summed(raised)), entropy(summed(left)), entropy(summed(right)));
        left + right - both
    };
    (0..=hierarchy.top()).map(at).collect()
}

fn summed<K: Ord>(counts: impl Iterator<Item = (K, u64)>) -> Vec<u64> {
    let mut counts: Vec<(K, u64)> = counts.collect();
    counts.sort_unstable_by(|a, b| a.0.cmp(&b.0));
    counts.chunk_by(|a, b| a.0 == b.0).map(|run| run.iter().map(|(_, count)| count).sum()).collect()
}

/// Miller and Madow's estimate: (values − 1) / 2n more than that of the shares.
fn entropy(counts: Vec<u64>) -> f64 {
    let records = counts.iter().sum::<u64>() as f64;
    let shares = counts.iter().map(|&count| count as f64 / records);
    shares.map(|share| -share * share.ln()).sum::<f64>() + (counts.len() as f64 - 1.0) / (2.0 * records)
}

/// The classes in the order of the tree.
pub(super) struct Kin {
    /// The classes, kin beside kin.
    pub(super) order: Vec<u32>,
    /// Per class its position in the order.
    place: Vec<u32>,
    /// Per step from the top down, the positions at which other kin begin; 0 is the first.
    starts: Vec<Vec<u32>>,
    /// Per position, the records before it of classes that lend; one more than there are classes.
    before: Vec<u64>,
}

impl Kin {
    /// `value` gives what a class of these codes has at a step, from the top down.
    fn new(classes: &ClassTable, least: u64, steps: usize, value: impl Fn(&[u32], usize) -> u32) -> Self {
        let mut keys = Vec::with_capacity(classes.len() * steps);
        for class in 0..classes.len() {
            keys.extend((0..steps).map(|step| value(classes.codes(class), step)));
        }
        let key = |class: u32| &keys[class as usize * steps..(class as usize + 1) * steps];
        let mut order: Vec<u32> = (0..classes.len() as u32).collect();
        order.sort_unstable_by(|&a, &b| key(a).cmp(key(b)).then(a.cmp(&b)));
        let mut starts = vec![vec![0]; steps + 1];
        for (position, pair) in (1..).zip(order.windows(2)) {
            let shared = key(pair[0]).iter().zip(key(pair[1])).take_while(|(a, b)| a == b).count();
            starts[shared + 1..].iter_mut().for_each(|starts| starts.push(position));
        }
        let mut place = vec![0; order.len()];
        let mut before = vec![0];
        for (position, &class) in (0..).zip(&order) {
            place[class as usize] = position;
            let lends = classes.people(class as usize) >= least;
            before.push(before[position as usize] + if lends { classes.sizes[class as usize] } else { 0 });
        }
        Self { order, place, starts, before }
    }

    /// The records, counted in the order, of the nearest kin of a class that have at least so many besides its
    /// own, and its own. Only classes that lend count.
    pub(super) fn near(&self, class: u32, least: u64) -> (Range<u64>, Range<u64>) {
        let place = self.place[class as usize];
        let own = self.records(place as usize..place as usize + 1);
        let enough = |kin: &Range<u64>| kin.end - kin.start - (own.end - own.start) >= least;
        let steps = self.starts.iter().rev().map(|starts| {
            let next = starts.partition_point(|&start| start <= place);
            let end = starts.get(next).map_or(self.order.len(), |&start| start as usize);
            self.records(starts[next - 1] as usize..end)
        });
        let all = 0..self.before.last().copied().unwrap_or(0);
        (steps.into_iter().find(enough).unwrap_or(all), own)
    }

    /// Where a class stands in the order.
    pub(super) fn place(&self, class: u32) -> u32 {
        self.place[class as usize]
    }

    fn records(&self, positions: Range<usize>) -> Range<u64> {
        self.before[positions.start]..self.before[positions.end]
    }

    /// The sensitive value of the record at a place of the order.
    pub(super) fn value_at(&self, record: u64, classes: &ClassTable) -> u32 {
        let position = self.before.partition_point(|&before| before <= record) - 1;
        let mut left = record - self.before[position];
        for &(value, count) in classes.sensitive(self.order[position] as usize) {
            if left < count {
                return value;
            }
            left -= count;
        }
        unreachable!("a class holds as many records as its size says")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use velamen_core::frequency::{QuasiIdentifier, Rest, RestColumn, Role};
    use velamen_core::hierarchy::{Cuts, IntervalRule, Rule};

    /// Sixty persons; the second attribute decides the sensitive value, the first says nothing of it.
    fn table() -> FrequencyTable {
        let qi = |name: &str| {
            let rule = Rule::Interval(IntervalRule::new(Cuts::Sizes(vec![2, 4]), 0, 7, 0).unwrap());
            let hierarchy = rule.over((0..8).map(|n| n.to_string()).collect(), false).1;
            QuasiIdentifier { name: name.into(), hierarchy }
        };
        let values: Vec<String> = (0..4).map(|n| n.to_string()).collect();
        let column = RestColumn { name: "s".into(), role: Role::Sensitive, values };
        let rest = Rest { columns: vec![column], codes: vec![vec![0, 1, 2, 3]], len: 4 };
        let entries: Vec<(u32, u32)> = (0..8).flat_map(|a| (0..8).map(move |b| (a, b))).collect();
        FrequencyTable {
            qis: vec![qi("noise"), qi("cause")],
            codes: vec![entries.iter().map(|e| e.0).collect(), entries.iter().map(|e| e.1).collect()],
            rest_index: entries.iter().map(|e| e.1 / 2).collect(),
            counts: entries.iter().map(|e| u64::from(1 + (e.0 + e.1) % 2)).collect(),
            rest,
            population: None,
            strays: velamen_core::frequency::Strays::default(),
        }
    }

    #[test]
    fn what_says_nothing_is_left_out_first() {
        let table = table();
        let ladder = Ladder::new(&table, 0);
        let attributes: Vec<usize> = ladder.steps.iter().map(|step| step.0).collect();
        // The leaves of the cause say no more than the pairs do.
        assert_eq!(attributes.iter().rev().take(2).collect::<Vec<_>>(), [&1, &1], "{:?}", ladder.steps);
    }

    /// The nearest kin as the definition says it: classes with the same values when the steps are taken.
    #[test]
    fn kin_stand_together() {
        let table = table();
        let ladder = Ladder::new(&table, 0);
        let space = velamen_core::classes::Space::<1>::new(
            &table,
            velamen_core::classes::Coding::new(&table, &[0]).as_ref(),
        );
        for node in [Node(vec![0, 0]), Node(vec![1, 0]), Node(vec![0, 2])] {
            let classes = ClassTable::at(&space, &node);
            let kin = ladder.at(&node, &classes, 1);
            let steps: Vec<_> = ladder.steps.iter().filter(|(q, level)| *level >= node.0[*q]).collect();
            for (class, least) in (0..classes.len() as u32).flat_map(|class| [1, 5, 30].map(|n| (class, n))) {
                let at = |taken: usize| {
                    let mut levels = node.0.clone();
                    steps[..taken].iter().for_each(|(q, level)| levels[*q] = level + 1);
                    let raised = |class: u32| -> Vec<u32> {
                        let codes = classes.codes(class as usize);
                        let code =
                            |q: usize| table.qis[q].hierarchy.step(node.0[q], levels[q])[codes[q] as usize];
                        (0..2).map(code).collect()
                    };
                    let same = (0..classes.len() as u32).filter(|&other| raised(other) == raised(class));
                    same.map(|other| classes.sizes[other as usize]).sum::<u64>()
                };
                let own = classes.sizes[class as usize];
                let records = (0..=steps.len()).map(at).find(|n| n - own >= least).unwrap_or(at(steps.len()));
                let (near, mine) = kin.near(class, least);
                assert_eq!((near.end - near.start, mine.end - mine.start), (records, own));
                assert!(near.start <= mine.start && mine.end <= near.end);
            }
        }
    }
}
