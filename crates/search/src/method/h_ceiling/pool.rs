//! Where the sensitive values of counterfeits come from.

use std::ops::{Range, RangeInclusive};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use velamen_core::classes::ClassTable;
use velamen_core::earlier::Kept;
use velamen_core::impossible::Excluded;
use velamen_dp::{Stream, below};

use super::kin::Kin;

/// Where the sensitive values of counterfeits come from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Draw {
    /// The value of a random real record of the classes near by, the class itself left out: a counterfeit then
    /// looks like those who live, learn and work alike. Drawn again as with `empirical`.
    #[default]
    Near,
    /// The table's own distribution: the value of a random real record outside the class, among
    /// the classes that can conceal. A value is drawn again where the class would get more
    /// counterfeits of it than there are such records, so that Lemma 1 can always be met.
    Empirical,
    /// The uniform distribution over the sensitive domain, as published.
    Uniform,
}

/// Draws in vain after which a class is left with what Lemma 1 cannot cover: the node is then
/// infeasible. Reached only where hardly any record could conceal.
const MOST_DRAWS: u32 = 1000;

/// Draws near by in vain after which any class may lend its value.
const MOST_NEAR_DRAWS: u32 = 64;

/// The records near by that a value is drawn from, at least: fewer would show the class's neighbours again.
const DONORS: u64 = 30;

/// Sensitive values with counts, ascending by value.
pub(super) type Cells = Vec<(u32, u64)>;

/// Adds one record.
pub(super) fn add(cells: &mut Cells, value: u32) {
    add_many(cells, value, 1);
}

/// Adds so many records of a value.
pub(super) fn add_many(cells: &mut Cells, value: u32, count: u64) {
    match cells.binary_search_by_key(&value, |cell| cell.0) {
        Ok(at) => cells[at].1 += count,
        Err(at) => cells.insert(at, (value, count)),
    }
}

/// How many records have a value.
pub(super) fn count(cells: &[(u32, u64)], value: u32) -> u64 {
    cells.binary_search_by_key(&value, |cell| cell.0).map_or(0, |at| cells[at].1)
}

/// A class, the records near by and its own among them, counted in the order of kin.
pub(super) struct Spot {
    class: u32,
    near: Range<u64>,
    own: Range<u64>,
}

/// What is known of the classes besides what they hold.
#[derive(Clone, Copy, Default)]
pub(super) struct Surroundings<'a> {
    /// Who is near to whom, where that is asked.
    pub(super) kin: Option<&'a Kin>,
    /// The pairs that no counterfeit gets, where there are any.
    pub(super) excluded: Option<&'a Excluded>,
    /// What classes keep of an earlier release, where there was one.
    pub(super) kept: Option<&'a Kept>,
    /// What the records of the classes conceal, where that is less than all.
    pub(super) concealing: Option<&'a ClassTable>,
}

/// The real records of the classes that can conceal, or the whole domain.
pub(super) struct Pool<'a> {
    pub(super) classes: &'a ClassTable,
    /// What their records conceal.
    concealing: &'a ClassTable,
    draw: Draw,
    /// Who is near to whom, where values are drawn near by.
    kin: Option<&'a Kin>,
    /// The pairs that no counterfeit gets.
    excluded: Option<&'a Excluded>,
    /// What classes keep of an earlier release.
    kept: Option<&'a Kept>,
    /// The size of the sensitive domain.
    pub(super) values: u64,
    /// Per class, how many records of the pool come before it; one more than there are classes.
    before: Vec<u64>,
    /// Per slot of 2^`shift` positions the class of its first: where a search begins.
    guide: Vec<u32>,
    shift: u32,
    /// Per sensitive value, its records in the pool.
    totals: Vec<u64>,
}

impl<'a> Pool<'a> {
    pub(super) fn new(
        classes: &'a ClassTable,
        near: Surroundings<'a>,
        draw: Draw,
        sizes: &RangeInclusive<u64>,
        values: u64,
    ) -> Self {
        let Surroundings { kin, excluded, kept, concealing } = near;
        let concealing = concealing.unwrap_or(classes);
        let counts = |class: usize, value: u32| !excluded.is_some_and(|pairs| pairs.has(class as u32, value));
        let (mut before, mut totals) = (vec![0], vec![0; values as usize]);
        let mut sum = 0;
        for class in 0..classes.len() {
            if sizes.contains(&concealing.people(class)) {
                sum += classes.sizes[class];
                let possible = concealing.sensitive(class).iter().filter(|cell| counts(class, cell.0));
                possible.for_each(|&(value, count)| totals[value as usize] += count);
            }
            before.push(sum);
        }
        // About one class in a slot.
        let shift = (sum / classes.len().max(1) as u64).checked_ilog2().unwrap_or(0);
        let class = |slot: u64| before.partition_point(|&before| before <= slot << shift) as u32 - 1;
        let guide = (0..=sum >> shift).map(class).collect();
        Self { classes, concealing, draw, kin, excluded, kept, values, before, guide, shift, totals }
    }

    /// The values of `count` counterfeits of a class; `None` where no value is left that it can have.
    pub(super) fn draw(&self, class: u32, count: u64, stream: &mut Stream) -> Option<Cells> {
        let mut drawn = Cells::new();
        let spot = self.spot(class);
        for _ in 0..count {
            let value = self.one(&spot, &drawn, stream)?;
            add(&mut drawn, value);
        }
        // There are as many of these lists as padded classes.
        drawn.shrink_to_fit();
        Some(drawn)
    }

    /// A class with the records that lend it their values.
    pub(super) fn spot(&self, class: u32) -> Spot {
        let kin = self.kin.filter(|_| self.draw == Draw::Near);
        let (near, own) = kin.map_or((0..0, 0..0), |kin| kin.near(class, DONORS));
        Spot { class, near, own }
    }

    /// One more value for a class that got some already; `None` where none was found that it can have.
    pub(super) fn one(&self, spot: &Spot, drawn: &Cells, stream: &mut Stream) -> Option<u32> {
        let is_possible = |value: &u32| self.is_possible(spot.class, *value);
        match (self.draw, self.kin) {
            (Draw::Uniform, _) => {
                (0..MOST_DRAWS).map(|_| below(stream, self.values) as u32).find(is_possible)
            }
            (Draw::Near, Some(kin)) => self
                .near(kin, spot, drawn, stream)
                .or_else(|| Some(self.empirical(spot.class, drawn, stream)).filter(is_possible)),
            _ => Some(self.empirical(spot.class, drawn, stream)).filter(is_possible),
        }
    }

    /// The counterfeits that a class keeps, if with them it has from `least` to `most` records and they are possible.
    pub(super) fn kept(&self, class: u32, least: u64, most: u64) -> Option<&Cells> {
        let kept = self.kept?[class as usize].as_ref()?;
        let size = self.classes.people(class as usize) + kept.iter().map(|cell| cell.1).sum::<u64>();
        let fits = size >= least && (kept.is_empty() || size <= most);
        let possible = || kept.iter().all(|cell| self.is_possible(class, cell.0));
        (fits && possible()).then_some(kept)
    }

    /// Whether a counterfeit of a class can have a value.
    pub(super) fn is_possible(&self, class: u32, value: u32) -> bool {
        !self.excluded.is_some_and(|pairs| pairs.has(class, value))
    }

    /// Whether the other classes could conceal one more counterfeit of a value.
    pub(super) fn conceals(&self, class: u32, drawn: &Cells, value: u32) -> bool {
        self.is_possible(class, value)
            && count(drawn, value) < self.totals[value as usize] - self.own(class, value)
    }

    /// What the class's own records in the pool conceal of a value.
    fn own(&self, class: u32, value: u32) -> u64 {
        let class = class as usize;
        if self.before[class] == self.before[class + 1] { 0 } else { self.concealing.count(class, value) }
    }

    /// The value of a random record near by that others can conceal.
    fn near(&self, kin: &Kin, spot: &Spot, drawn: &Cells, stream: &mut Stream) -> Option<u32> {
        let Spot { class, near, own } = spot;
        let others = (near.end - near.start) - (own.end - own.start);
        let mut one = || {
            let record = near.start + below(stream, others);
            let record = if record < own.start { record } else { record + (own.end - own.start) };
            kin.value_at(record, self.classes)
        };
        let draws = if others == 0 { 0 } else { MOST_NEAR_DRAWS };
        (0..draws).map(|_| one()).find(|&value| self.conceals(*class, drawn, value))
    }

    /// The value of a random record of the pool outside a class.
    fn empirical(&self, class: u32, drawn: &Cells, stream: &mut Stream) -> u32 {
        let own = self.before[class as usize]..self.before[class as usize + 1];
        let others = self.before.last().copied().unwrap_or(0) - (own.end - own.start);
        // With nobody to conceal it any value will do: Lemma 1 then fails and the node is infeasible.
        let mut value = self.classes.sensitive(class as usize).first().map_or(0, |cell| cell.0);
        for _ in 0..if others == 0 { 0 } else { MOST_DRAWS } {
            let point = below(stream, others);
            value = self.value_at(if point < own.start { point } else { point + (own.end - own.start) });
            if self.conceals(class, drawn, value) {
                break;
            }
        }
        value
    }

    /// The sensitive value of the record at a position of the pool.
    fn value_at(&self, position: u64) -> u32 {
        let slot = (position >> self.shift) as usize;
        let first = self.guide[slot] as usize;
        let end = self.guide.get(slot + 1).map_or(self.before.len(), |&class| class as usize + 1);
        let class = first + self.before[first..end].partition_point(|&before| before <= position) - 1;
        let mut left = position - self.before[class];
        for &(value, count) in self.classes.sensitive(class) {
            if left < count {
                return value;
            }
            left -= count;
        }
        unreachable!("a class holds as many records as its size says")
    }
}
