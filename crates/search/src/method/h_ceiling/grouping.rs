//! The catalog's groups (Algorithm 2) and the check of Lemma 1.
//!
//! Classes with counterfeits, most counterfeits first; each takes the partner that conceals most of
//! what is still unconcealed, where a partner that is grouped already offers its whole group; groups
//! merge, until nothing remains. No partner: no safe catalog.
//!
//! With random padding only classes that could themselves hold counterfeits conceal: of enough real records,
//! and of at most as many released ones as padding can come to. The published method lets every class conceal,
//! which a minimality attack undoes.
//!
//! The best partner is found without a look at every class. A partner that conceals something holds
//! one of the values wanted. So the lists of the classes that hold the rarest ones are scanned, the
//! nearest class first, until the values left could not make up the difference.

use std::ops::RangeInclusive;

use rustc_hash::FxHashMap;
use velamen_core::classes::ClassTable;
use velamen_core::plan::Counterfeits;

use super::pool::{Cells, add_many, count};

/// What is still unconcealed: (sensitive code, count).
type Needs = Vec<(u32, u64)>;

/// The groups of a safe catalog, each ascending and of at least two classes, in the order of their
/// first class; `None` where a class finds no partner.
///
/// `concealing`: the real records that a class must have and the released ones that it may have to conceal. `near`: all classes
/// in an order, and how many of those that may conceal a group has from the start, neighbours in that order;
/// as published, a class begins alone.
#[must_use]
pub fn group(
    classes: &ClassTable,
    counterfeits: &[Counterfeits],
    concealing: &RangeInclusive<u64>,
    near: Option<(&[u32], usize)>,
) -> Option<Vec<Vec<u32>>> {
    if counterfeits.is_empty() {
        return Some(Vec::new());
    }
    let mut state = State::new(classes, counterfeits, concealing);
    if let Some((order, least)) = near {
        state.begin(order, least);
    }
    // Algorithm 2, line 3.
    let mut order: Vec<&Counterfeits> = counterfeits.iter().collect();
    order.sort_by_key(|c| (std::cmp::Reverse(c.total()), c.class));
    // Lines 6–23.
    for counterfeit in order {
        loop {
            let needs = state.unconcealed(counterfeit);
            if needs.is_empty() {
                break;
            }
            let partner = state.best_partner(counterfeit.class, &needs)?;
            state.merge(counterfeit.class, partner);
        }
    }
    Some(state.groups())
}

/// Whether no counterfeit can be identified (Lemma 1): for every class and value, the counterfeits
/// are at most the real records of that value in the other classes of the group.
///
/// Computed from the finished groups alone.
#[must_use]
pub fn lemma_1_holds(classes: &ClassTable, counterfeits: &[Counterfeits], groups: &[Vec<u32>]) -> bool {
    let mut group_of = FxHashMap::default();
    let mut real: FxHashMap<(usize, u32), u64> = FxHashMap::default();
    for (g, members) in groups.iter().enumerate() {
        for &class in members {
            if group_of.insert(class, g).is_some() {
                return false;
            }
            for &(value, count) in classes.sensitive(class as usize) {
                *real.entry((g, value)).or_default() += count;
            }
        }
    }
    counterfeits.iter().all(|counterfeit| {
        group_of.get(&counterfeit.class).is_some_and(|&g| {
            counterfeit.values.iter().all(|&(value, count)| {
                let all = real.get(&(g, value)).copied().unwrap_or(0);
                count <= all - classes.count(counterfeit.class as usize, value)
            })
        })
    })
}

/// A group of at least two classes.
struct Group {
    members: Vec<u32>,
    /// A list: most groups are small, and there can be millions of them.
    real: Cells,
}

struct State<'a> {
    classes: &'a ClassTable,
    /// Per class, its group; [`ALONE`] if it has none, [`BARRED`] if it may conceal nothing.
    group_of: Vec<u32>,
    /// Merged groups leave an empty place.
    groups: Vec<Group>,
    /// Per sensitive value the classes that hold it, in class order.
    holders: Vec<Vec<u32>>,
}

/// Candidates that are looked at for one partner, as long as one of them conceals something.
const MOST_LOOKS: u32 = 64;

const ALONE: u32 = u32::MAX;
const BARRED: u32 = u32::MAX - 1;

#[derive(Debug, Clone, Copy)]
enum Partner {
    Class(u32),
    Group(u32),
}

/// The entries of an ascending list, nearest to `from` first.
fn outward(list: &[u32], from: u32) -> impl Iterator<Item = u32> + '_ {
    let (mut below, mut above) =
        (list.partition_point(|&entry| entry < from), list.partition_point(|&e| e < from));
    std::iter::from_fn(move || {
        let down = below.checked_sub(1).map(|i| list[i]);
        let up = list.get(above).copied();
        match (down, up) {
            (Some(d), Some(u)) if from - d <= u - from => below -= 1,
            (Some(_), None) => below -= 1,
            (_, Some(_)) => {
                above += 1;
                return up;
            }
            (None, None) => return None,
        }
        down
    })
}

/// The first partner of most matches.
#[derive(Default)]
struct Best {
    matches: u64,
    partner: Option<Partner>,
}

impl Best {
    fn offer(&mut self, matches: u64, partner: Partner) {
        if matches > self.matches {
            *self = Self { matches, partner: Some(partner) };
        }
    }
}

impl<'a> State<'a> {
    fn new(classes: &'a ClassTable, counterfeits: &[Counterfeits], concealing: &RangeInclusive<u64>) -> Self {
        let real: Vec<u64> = (0..classes.len()).map(|class| classes.people(class)).collect();
        let mut released = real.clone();
        let mut values = 0;
        for counterfeit in counterfeits {
            released[counterfeit.class as usize] += counterfeit.total();
            values = counterfeit.values.last().map_or(values, |last| values.max(last.0 as usize + 1));
        }
        let may =
            |(&real, &released): (&u64, &u64)| real >= *concealing.start() && released <= *concealing.end();
        let group_of: Vec<u32> =
            (real.iter().zip(&released)).map(|sizes| if may(sizes) { ALONE } else { BARRED }).collect();
        let mut holders = vec![Vec::new(); values];
        for class in (0..group_of.len()).filter(|&c| group_of[c] == ALONE) {
            for &(value, _) in classes.sensitive(class) {
                if let Some(list) = holders.get_mut(value as usize) {
                    list.push(class as u32);
                }
            }
        }
        Self { classes, group_of, groups: Vec::new(), holders }
    }

    /// Groups of neighbours, all of at least so many classes, or one of all. What follows only makes them larger:
    /// Lemma 1 holds of a group of two groups where it holds of both.
    fn begin(&mut self, order: &[u32], least: usize) {
        let order: Vec<u32> =
            order.iter().copied().filter(|&class| self.group_of[class as usize] == ALONE).collect();
        let groups = (order.len() / least).max(1);
        for group in 0..groups {
            self.groups.push(Group { members: Vec::new(), real: Cells::new() });
            let members = order.len() * group / groups..order.len() * (group + 1) / groups;
            order[members].iter().for_each(|&class| self.absorb(group as u32, class));
        }
    }

    /// The group of a class, if it has one.
    fn own(&self, class: u32) -> Option<u32> {
        let group = self.group_of[class as usize];
        (group < BARRED).then_some(group)
    }

    fn real(&self, partner: Partner, value: u32) -> u64 {
        match partner {
            Partner::Class(class) => self.classes.count(class as usize, value),
            Partner::Group(group) => count(&self.groups[group as usize].real, value),
        }
    }

    /// What its group does not conceal of a class's counterfeits.
    fn unconcealed(&self, counterfeit: &Counterfeits) -> Needs {
        let own = self.own(counterfeit.class).map_or(Partner::Class(counterfeit.class), Partner::Group);
        let others = |value| self.real(own, value) - self.classes.count(counterfeit.class as usize, value);
        let needs =
            counterfeit.values.iter().map(|&(value, count)| (value, count.saturating_sub(others(value))));
        needs.filter(|(_, count)| *count > 0).collect()
    }

    /// `matching` of Algorithm 2, line 12: how much of the needs a partner conceals.
    fn matching(&self, partner: Partner, needs: &Needs) -> u64 {
        needs.iter().map(|&(value, count)| count.min(self.real(partner, value))).sum()
    }

    /// Lines 10–17: the partner of most matches, the nearest class first among equals.
    fn best_partner(&self, class: u32, needs: &Needs) -> Option<Partner> {
        let all: u64 = needs.iter().map(|(_, count)| count).sum();
        let own = self.own(class);
        let mut best = Best::default();
        let mut looked = 0;
        let mut rarest = needs.clone();
        rarest.sort_by_key(|(value, _)| self.holders[*value as usize].len());
        // A class that holds none of the values scanned so far conceals at most the others' needs.
        let mut unscanned = all;
        for (value, count) in rarest {
            if best.matches >= unscanned {
                break;
            }
            for holder in outward(&self.holders[value as usize], class) {
                let group = self.group_of[holder as usize];
                if holder == class || (group < BARRED && Some(group) == own) {
                    continue;
                }
                let partner = if group == ALONE { Partner::Class(holder) } else { Partner::Group(group) };
                best.offer(self.matching(partner, needs), partner);
                looked += 1;
                if best.matches == all || (best.matches > 0 && looked >= MOST_LOOKS) {
                    return best.partner;
                }
            }
            unscanned -= count;
        }
        best.partner
    }

    /// Lines 19–20: puts the class and its partner into one group.
    fn merge(&mut self, class: u32, partner: Partner) {
        match (self.own(class), partner) {
            (None, Partner::Class(other)) => {
                self.groups.push(Group { members: Vec::new(), real: Cells::new() });
                let group = (self.groups.len() - 1) as u32;
                self.absorb(group, class);
                self.absorb(group, other);
            }
            (Some(group), Partner::Class(other)) => self.absorb(group, other),
            (None, Partner::Group(group)) => self.absorb(group, class),
            (Some(a), Partner::Group(b)) => self.unite(a, b),
        }
    }

    fn absorb(&mut self, group: u32, class: u32) {
        self.group_of[class as usize] = group;
        let Group { members, real } = &mut self.groups[group as usize];
        members.push(class);
        for &(value, count) in self.classes.sensitive(class as usize) {
            add_many(real, value, count);
        }
    }

    /// Moves the smaller group into the larger.
    fn unite(&mut self, a: u32, b: u32) {
        let size = |group: u32| self.groups[group as usize].members.len();
        let (kept, emptied) = if size(a) >= size(b) { (a, b) } else { (b, a) };
        let members = std::mem::take(&mut self.groups[emptied as usize].members);
        self.groups[emptied as usize].real = Cells::new();
        for class in members {
            self.absorb(kept, class);
        }
    }

    fn groups(self) -> Vec<Vec<u32>> {
        let mut groups: Vec<Vec<u32>> = self
            .groups
            .into_iter()
            .map(|group| group.members)
            .filter(|members| !members.is_empty())
            .collect();
        for members in &mut groups {
            members.sort_unstable();
        }
        groups.sort_unstable();
        groups
    }
}
