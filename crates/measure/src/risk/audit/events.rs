//! What is seen of many runs, and which event tells two tables apart best.

use std::collections::BTreeMap;
use std::hash::Hasher;

use rustc_hash::FxHasher;

use super::Tally;

/// A number that can be read off a release; 0 where it is not there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Feature {
    /// What kind of number it is; the caller's own.
    pub kind: u8,
    /// Which of that kind: a hash of its labels. Two that share one are taken for one, which costs sharpness
    /// and no validity.
    which: u64,
}

impl Feature {
    /// The number of a kind of these labels.
    pub fn of<'a>(kind: u8, labels: impl IntoIterator<Item = &'a str>) -> Self {
        let mut hasher = FxHasher::default();
        for label in labels {
            hasher.write(label.as_bytes());
            hasher.write_usize(label.len());
        }
        Self { kind, which: hasher.finish() }
    }
}

/// A question about a number with the answer yes or no.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Test {
    /// It is so much or more.
    AtLeast(u64),
    /// It is less.
    Below(u64),
    /// It is just that.
    Exactly(u64),
    /// It is anything else.
    Not(u64),
}

impl Test {
    fn holds(self, value: u64) -> bool {
        match self {
            Self::AtLeast(bound) => value >= bound,
            Self::Below(bound) => value < bound,
            Self::Exactly(number) => value == number,
            Self::Not(number) => value != number,
        }
    }

    /// The test that holds where this one does not.
    #[must_use]
    pub fn opposite(self) -> Self {
        match self {
            Self::AtLeast(bound) => Self::Below(bound),
            Self::Below(bound) => Self::AtLeast(bound),
            Self::Exactly(number) => Self::Not(number),
            Self::Not(number) => Self::Exactly(number),
        }
    }
}

/// An event: a test of a feature.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Event {
    /// The number looked at.
    pub feature: Feature,
    /// What is asked of it.
    pub test: Test,
}

impl Event {
    /// The event that happens where this one does not.
    #[must_use]
    pub fn opposite(self) -> Self {
        Self { test: self.test.opposite(), ..self }
    }
}

/// The numbers of one run; those that are not named are 0.
pub type Observed = Vec<(Feature, u64)>;

/// The table with the record more.
pub const WITH: usize = 0;
/// The table without it.
pub const WITHOUT: usize = 1;

/// Runs from which the weights of features are learned.
pub const LEARN: usize = 0;
/// Runs on which the searched event is chosen.
pub const CHOOSE: usize = 1;
/// Runs on which it is judged.
pub const JUDGE: usize = 2;
const PARTS: usize = 3;

/// By table and part.
type Cells = [[u64; PARTS]; 2];

/// How often each feature had each value: enough to know every event of one feature.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Seen {
    runs: Cells,
    values: BTreeMap<(Feature, u64), Cells>,
}

impl Seen {
    /// Counts one run; features that are not named are 0.
    pub fn add(&mut self, table: usize, part: usize, observed: impl IntoIterator<Item = (Feature, u64)>) {
        self.runs[table][part] += 1;
        for (feature, value) in observed.into_iter().filter(|(_, value)| *value > 0) {
            self.values.entry((feature, value)).or_default()[table][part] += 1;
        }
    }

    /// The runs of both together.
    #[must_use]
    pub fn with(mut self, other: Self) -> Self {
        let add = |to: &mut Cells, from: &Cells| {
            to.iter_mut().flatten().zip(from.iter().flatten()).for_each(|(to, from)| *to += from);
        };
        add(&mut self.runs, &other.runs);
        for (key, cells) in &other.values {
            add(self.values.entry(*key).or_default(), cells);
        }
        self
    }

    /// How often an event was seen on a table, in some parts of its runs.
    #[must_use]
    pub fn tally(&self, event: Event, table: usize, parts: &[usize]) -> Tally {
        let sum = |cells: &Cells| parts.iter().map(|&part| cells[table][part]).sum::<u64>();
        let runs = sum(&self.runs);
        let (mut hits, mut above_0) = (0, 0);
        for (&(_, value), cells) in self.values.range((event.feature, 0)..=(event.feature, u64::MAX)) {
            above_0 += sum(cells);
            hits += if event.test.holds(value) { sum(cells) } else { 0 };
        }
        hits += if event.test.holds(0) { runs - above_0 } else { 0 };
        Tally { hits, runs }
    }

    /// Each feature with how often it had which value, 0 included.
    fn features(&self) -> Vec<(Feature, Vec<(u64, Cells)>)> {
        let mut features: Vec<(Feature, Vec<(u64, Cells)>)> = Vec::new();
        for (&(feature, value), &cells) in &self.values {
            match features.last_mut().filter(|last| last.0 == feature) {
                Some((_, values)) => values.push((value, cells)),
                None => features.push((feature, vec![(0, self.runs), (value, cells)])),
            }
        }
        for (_, values) in &mut features {
            let (zero, others) = values.split_first_mut().expect("a feature begins with the value 0");
            for table in [WITH, WITHOUT] {
                for part in 0..PARTS {
                    zero.1[table][part] -= others.iter().map(|(_, cells)| cells[table][part]).sum::<u64>();
                }
            }
        }
        features
    }

    /// The event, and the table on which it is more frequent, that promise most on the part to choose by.
    #[must_use]
    pub fn best(&self, delta: f64, level: f64) -> Option<(Event, usize)> {
        // Half the square of a normal quantile is near the logarithm of the level.
        let square = 2.0 * level.recip().ln();
        self.search(|more, less| rough(more, less, delta, square))
    }

    /// The event, and the table on which it is more frequent, whose frequencies differ most on the part to
    /// choose by.
    #[must_use]
    pub fn widest(&self) -> Option<(Event, usize)> {
        self.search(|more, less| share(more) - share(less))
    }

    /// The event of the largest score, the first of equals. A score is of how often it was seen on one table
    /// and on the other.
    fn search(&self, score: impl Fn(Tally, Tally) -> f64) -> Option<(Event, usize)> {
        let runs = [WITH, WITHOUT].map(|table| self.runs[table][CHOOSE]);
        let mut best: Option<(f64, Event, usize)> = None;
        let mut offer = |event: Event, hits: [u64; 2]| {
            let tallies = [WITH, WITHOUT].map(|table| Tally { hits: hits[table], runs: runs[table] });
            for (event, tallies) in [(event, tallies), (event.opposite(), tallies.map(Tally::opposite))] {
                for more in [WITH, WITHOUT] {
                    let score = score(tallies[more], tallies[1 - more]);
                    if best.is_none_or(|best| score > best.0) {
                        best = Some((score, event, more));
                    }
                }
            }
        };
        for (feature, values) in self.features() {
            let mut below = [0; 2];
            for (value, cells) in values {
                let hits = [cells[WITH][CHOOSE], cells[WITHOUT][CHOOSE]];
                if value > 0 {
                    offer(Event { feature, test: Test::Below(value) }, below);
                }
                offer(Event { feature, test: Test::Exactly(value) }, hits);
                below = [below[WITH] + hits[WITH], below[WITHOUT] + hits[WITHOUT]];
            }
        }
        best.map(|(_, event, more)| (event, more))
    }

    /// What each value of each feature says for the table with the record, as far as the part to learn from
    /// is sure of it.
    #[must_use]
    pub fn weights(&self) -> Weights {
        let mut weights = Weights::default();
        for (feature, values) in self.features() {
            let at_0 = self.weight(values[0].1);
            weights.absent += at_0;
            for (value, cells) in values.into_iter().skip(1) {
                let more = self.weight(cells) - at_0;
                if more.abs() > 0.0 {
                    weights.of.insert((feature, value), more);
                }
            }
        }
        weights
    }

    /// ln of the ratio of two frequencies, drawn towards 0 by two standard errors.
    fn weight(&self, cells: Cells) -> f64 {
        let [with, without] = [WITH, WITHOUT].map(|table| cells[table][LEARN] as f64 + 0.5);
        let [all, others] = [WITH, WITHOUT].map(|table| self.runs[table][LEARN] as f64 + 1.0);
        let ratio = (with / all).ln() - (without / others).ln();
        let doubt = 2.0 * (1.0 / with - 1.0 / all + 1.0 / without - 1.0 / others).max(0.0).sqrt();
        ratio.signum() * (ratio.abs() - doubt).max(0.0)
    }
}

fn share(tally: Tally) -> f64 {
    tally.hits as f64 / tally.runs.max(1) as f64
}

/// All features of a run put together to one number: naive Bayes.
#[derive(Debug, Clone, Default)]
pub struct Weights {
    /// The sum where every feature is 0.
    absent: f64,
    /// What a value changes.
    of: BTreeMap<(Feature, u64), f64>,
}

impl Weights {
    /// In sixteenths, around 2²⁰: the more, the more a run looks like one of the table with the record.
    #[must_use]
    pub fn score(&self, observed: &[(Feature, u64)]) -> u64 {
        let known = observed.iter().filter_map(|seen| self.of.get(seen));
        let sum = self.absent + known.sum::<f64>();
        ((sum * 16.0).round().clamp(-1e6, 1e6) + f64::from(1 << 20)) as u64
    }
}

/// ln of the ratio as Wilson's bounds have it: quick, and only to choose by.
fn rough(more: Tally, less: Tally, delta: f64, square: f64) -> f64 {
    let end = |tally: Tally, sign: f64| {
        let (n, p) = (tally.runs as f64, tally.hits as f64 / tally.runs.max(1) as f64);
        let spread = (square * (p * (1.0 - p) / n + square / (4.0 * n * n))).sqrt();
        (p + square / (2.0 * n) + sign * spread) / (1.0 + square / n)
    };
    (end(more, -1.0) - delta).max(f64::MIN_POSITIVE).ln() - end(less, 1.0).ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn feature(name: &str) -> Feature {
        Feature::of(0, [name])
    }

    #[test]
    fn labels_do_not_run_together() {
        assert_ne!(Feature::of(1, ["ab", "c"]), Feature::of(1, ["a", "bc"]));
        assert_ne!(Feature::of(1, ["a"]), Feature::of(2, ["a"]));
    }

    #[test]
    fn tallies_count_what_is_not_there_as_0() {
        let mut seen = Seen::default();
        for value in [0, 0, 1, 3, 3] {
            seen.add(WITH, JUDGE, [(feature("a"), value), (feature("b"), 7)]);
        }
        seen.add(WITH, LEARN, [(feature("a"), 3)]);
        let hits = |test| seen.tally(Event { feature: feature("a"), test }, WITH, &[JUDGE]).hits;
        let tests = [Test::AtLeast(1), Test::Below(3), Test::Exactly(0), Test::Exactly(3), Test::Not(3)];
        assert_eq!(tests.map(hits), [3, 3, 2, 2, 3]);
        let all = seen.tally(Event { feature: feature("a"), test: Test::AtLeast(3) }, WITH, &[LEARN, JUDGE]);
        assert_eq!(all, Tally { hits: 3, runs: 6 });
        for test in tests {
            let event = Event { feature: feature("a"), test };
            let opposite = seen.tally(event.opposite(), WITH, &[JUDGE]);
            assert_eq!(opposite, seen.tally(event, WITH, &[JUDGE]).opposite());
        }
    }

    #[test]
    fn the_search_finds_what_differs() {
        let mut seen = Seen::default();
        for run in 0..1000u64 {
            for part in 0..PARTS {
                seen.add(WITH, part, [(feature("same"), run % 7), (feature("b"), 5 + run % 3)]);
                seen.add(WITHOUT, part, [(feature("same"), run % 7), (feature("b"), 4 + run % 3)]);
            }
        }
        let (event, more) = seen.best(0.0, 0.01).unwrap();
        assert_eq!(event.feature, feature("b"));
        let p = seen.tally(event, more, &[JUDGE]).hits;
        assert!(p > 300 && seen.tally(event, 1 - more, &[JUDGE]).hits == 0, "{event:?} {more}");
        let weights = seen.weights();
        let score = |b| weights.score(&[(feature("same"), 3), (feature("b"), b)]);
        assert!(score(4) < 1 << 20 && score(5) < score(7) && score(7) > 1 << 20);
        assert_eq!(score(6), 1 << 20);
    }

    #[test]
    fn merging_is_adding() {
        let (mut one, mut two, mut both) = (Seen::default(), Seen::default(), Seen::default());
        for (number, part) in [(1, LEARN), (2, CHOOSE), (2, JUDGE)] {
            let observed = [(feature("a"), number)];
            one.add(WITH, part, observed);
            two.add(WITHOUT, part, observed);
            both.add(WITHOUT, part, observed);
            both.add(WITH, part, observed);
        }
        assert_eq!(one.with(two), both);
    }
}
