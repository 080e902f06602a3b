//! What an attack looks at: a release, the original, and whom to look for.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use velamen_core::streams;
use velamen_dp::{Seed, below};

use super::estimate::Share;
use super::finder::{Finder, Fits};
use super::linked::Linked;
use crate::risk::adversary::Sight;
use crate::risk::minimality::Exposure;

/// The class of a person whose class is not released, or not known.
pub const NOWHERE: u32 = u32::MAX;

/// Where a person's own record can be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trace {
    /// In the class of its labels at the release's levels, or suppressed.
    Levels,
    /// In a class whose labels cover its values, or suppressed.
    Covered,
    /// Anywhere.
    Lost,
    /// Nowhere: the records are noisy counts.
    Noise,
}

/// A sensitive attribute.
#[derive(Debug, Clone, PartialEq)]
pub struct Sensitive {
    /// Its name.
    pub name: String,
    /// The code of its value in each content.
    pub of: Vec<u32>,
    /// By value the code of its parent in the attribute's hierarchy; empty without one. A value without a parent but `*` is
    /// left out.
    pub parents: BTreeMap<u32, u32>,
}

/// Records of one content.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Held {
    /// The combination of values that are released as they are.
    pub content: u32,
    /// Records.
    pub count: u64,
    /// The share of them that is real, as far as a catalog states it.
    pub real: f64,
}

/// The original's distinct persons.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct People {
    /// Per quasi-identifier, the leaf code of each.
    pub leaves: Vec<Vec<u32>>,
    /// Their contents.
    pub content: Vec<u32>,
    /// How many there are of each.
    pub counts: Vec<u64>,
    /// The released class of their labels or [`NOWHERE`].
    pub own: Vec<u32>,
    /// Whose each entry is, where a person can have several; empty where each record is another person's.
    pub whose: Vec<u32>,
}

impl People {
    /// Each person's entries, by person; nothing where each record is another person's.
    pub(crate) fn entries(&self) -> BTreeMap<u32, Vec<u32>> {
        let mut entries: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        self.whose
            .iter()
            .zip(0..)
            .for_each(|(&person, entry)| entries.entry(person).or_default().push(entry));
        entries
    }

    /// How many people there are.
    #[must_use]
    pub fn number(&self) -> u64 {
        match self.whose.is_empty() {
            true => self.counts.iter().sum(),
            false => self.entries().len() as u64,
        }
    }
}

/// A release beside its original.
#[derive(Debug)]
pub struct View<'a> {
    /// The quasi-identifiers' names.
    pub names: Vec<String>,
    /// Where own records can be.
    pub trace: Trace,
    /// Whether the release holds a random sample of the original.
    pub sampled: bool,
    /// The records of each class, ascending by content.
    pub classes: Vec<Vec<Held>>,
    /// The suppressed records, ascending by content.
    pub suppressed: Vec<Held>,
    /// Whether the suppressed records show no value, so that each may be anybody's.
    pub blank: bool,
    /// Whose these records are, where pseudonyms or the original tell: beliefs then count people.
    pub linked: Option<Linked>,
    /// The sensitive attributes.
    pub sensitive: Vec<Sensitive>,
    /// The original.
    pub people: People,
    /// How candidates are found.
    pub finder: Finder<'a>,
}

/// How an attack looks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Options {
    /// How many persons are looked for, at random; all if there are no more.
    pub targets: u64,
    /// With which probability an interval has the true rate.
    pub confidence: f64,
    /// How many values, or other persons, an adversary knows at most.
    pub background: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self { targets: 1000, confidence: 0.95, background: 2 }
    }
}

/// A second release, of a table that overlaps the first.
#[derive(Debug)]
pub struct Second<'a> {
    /// The release beside its original; its sensitive attributes are the first's, in the same codes.
    pub view: View<'a>,
    /// Per entry of the first original the same person's in the second, or [`NOWHERE`].
    pub partner: Vec<u32>,
}

/// What the minimality attack got.
#[derive(Debug, Clone, PartialEq)]
pub struct Minimal {
    /// What it got.
    pub exposure: Exposure,
    /// Whether its figures are too small: padding was exact, with models beside k-anonymity.
    pub too_kind: bool,
    /// Whether records are compared with a k that counts people.
    pub of_records: bool,
}

/// What the adversary who looks for counterfeits sees, and the truth.
#[derive(Debug)]
pub enum Guessed {
    /// The release has no counterfeits.
    None,
    /// Which class a person's record is in is not certain, so that nobody knows where the counterfeits are.
    Unknown,
    /// The counterfeits of each cell, and by class the people of the real records where these are counted.
    Known(Box<Sight>, Vec<u64>, Option<Vec<u64>>),
}

/// All that attacks look at.
#[derive(Debug)]
pub struct Scene<'a> {
    /// The release beside its original.
    pub view: View<'a>,
    /// Another release of some of the same persons.
    pub second: Option<Second<'a>>,
    /// The release beside persons who are not in it, in codes of sensitive values that both views share.
    pub control: Option<View<'a>>,
    /// For releases with a catalog.
    pub minimal: Option<Minimal>,
    /// For releases with a catalog.
    pub guessed: Guessed,
    /// How to look.
    pub options: Options,
}

/// Persons that are looked for.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Targets {
    /// Entries of the original with how often each is searched for.
    pub(crate) of: Vec<(u32, u64)>,
    /// Whether these are all.
    pub(crate) all: bool,
}

impl Targets {
    pub(crate) fn number(&self) -> u64 {
        self.of.iter().map(|target| target.1).sum()
    }
}

impl Scene<'_> {
    /// Persons at random, each alike likely; a person with several records by one of them, each alike likely.
    pub(crate) fn targets(&self, seed: &Seed) -> Targets {
        self.targets_of(&self.view, seed)
    }

    /// As many persons of another table, at random.
    pub(crate) fn targets_of(&self, view: &View<'_>, seed: &Seed) -> Targets {
        self.targets_by(&view.people, &view.people.counts, seed)
    }

    /// The same of those entries that have a weight, and by it.
    pub(crate) fn targets_by(&self, people: &People, weights: &[u64], seed: &Seed) -> Targets {
        match people.whose.is_empty() {
            true => self.targets_among(weights, seed),
            false => self.people_among(people, weights, seed),
        }
    }

    fn people_among(&self, people: &People, weights: &[u64], seed: &Seed) -> Targets {
        let weighted = |own: Vec<u32>| own.into_iter().filter(|entry| weights[*entry as usize] > 0).collect();
        let entries: Vec<Vec<u32>> = people.entries().into_values().map(weighted).collect();
        let entries: Vec<Vec<u32>> = entries.into_iter().filter(|own| !own.is_empty()).collect();
        let (number, mut stream) = (entries.len() as u64, seed.stream(streams::ATTACK_TARGETS));
        let all = number <= self.options.targets;
        let chosen: Vec<u64> = match all {
            true => (0..number).collect(),
            false => (0..self.options.targets).map(|_| below(&mut stream, number)).collect(),
        };
        let records = |own: &[u32]| own.iter().map(|&entry| weights[entry as usize]).collect::<Vec<u64>>();
        let chosen = chosen.into_iter().map(|person| &entries[person as usize]);
        let mut of: Vec<(u32, u64)> = chosen
            .map(|own| {
                let ends = ends(&records(own));
                let record = below(&mut stream, ends.last().copied().unwrap_or(1));
                (own[place(&ends, record) as usize], 1)
            })
            .collect();
        counted(&mut of);
        Targets { of, all }
    }

    /// Records at random by weights of the entries.
    fn targets_among(&self, weights: &[u64], seed: &Seed) -> Targets {
        let records: u64 = weights.iter().sum();
        if records <= self.options.targets {
            let of = (0..).zip(weights.iter().copied()).filter(|target| target.1 > 0).collect();
            return Targets { of, all: true };
        }
        let ends = ends(weights);
        let mut stream = seed.stream(streams::ATTACK_TARGETS);
        let mut drawn: Vec<(u32, u64)> =
            (0..self.options.targets).map(|_| (place(&ends, below(&mut stream, records)), 1)).collect();
        counted(&mut drawn);
        Targets { of: drawn, all: false }
    }
}

/// Each entry once, with how often it was drawn.
fn counted(drawn: &mut Vec<(u32, u64)>) {
    drawn.sort_unstable();
    drawn.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        kept.1 += if same { next.1 } else { 0 };
        same
    });
}

/// Sums of the first weights.
pub(crate) fn ends(weights: &[u64]) -> Vec<u64> {
    let sum = |sum: &mut u64, weight: &u64| {
        *sum += weight;
        Some(*sum)
    };
    weights.iter().scan(0, sum).collect()
}

/// The entry that a record belongs to.
pub(crate) fn place(ends: &[u64], record: u64) -> u32 {
    ends.partition_point(|end| *end <= record) as u32
}

impl View<'_> {
    pub(crate) fn records(&self) -> u64 {
        self.people.counts.iter().sum()
    }

    pub(crate) fn all_attributes(&self) -> Vec<usize> {
        (0..self.names.len()).collect()
    }

    pub(crate) fn person(&self, entry: u32) -> Fits {
        self.finder.person(self.people.leaves.iter().map(|leaves| leaves[entry as usize]))
    }

    /// The classes that fit a person all of whose quasi-identifiers are known.
    #[must_use]
    pub fn classes_of(&self, entry: u32) -> Vec<u32> {
        self.person(entry).classes(&self.all_attributes())
    }

    /// The candidates of who knows all quasi-identifiers; the suppressed records where no class fits.
    pub(crate) fn candidates(&self, entry: u32) -> Vec<&Held> {
        let classes = self.person(entry).classes(&self.all_attributes());
        if classes.is_empty() {
            return self.suppressed.iter().collect();
        }
        classes.iter().flat_map(|&class| &self.classes[class as usize]).collect()
    }

    /// Whether one of the first persons can be nowhere in a release that should hold everybody.
    #[must_use]
    pub fn lacks_some(&self, first: u64) -> bool {
        let everybody = matches!(self.trace, Trace::Levels | Trace::Covered) && !self.sampled;
        let people = 0..(self.people.counts.len() as u64).min(first) as u32;
        everybody
            && self.suppressed.is_empty()
            && people.into_iter().any(|entry| self.candidates(entry).is_empty())
    }

    /// How many contents of the original are more frequent in the release. Contents that the original does
    /// not have are not counted: files can spell values differently.
    #[must_use]
    pub fn more_of_some(&self) -> usize {
        let mut counts: BTreeMap<u32, (u64, u64)> = BTreeMap::new();
        for (&content, &count) in self.people.content.iter().zip(&self.people.counts) {
            counts.entry(content).or_default().0 += count;
        }
        for held in self.classes.iter().flatten().chain(&self.suppressed) {
            counts.entry(held.content).or_default().1 += held.count;
        }
        counts.values().filter(|(original, released)| 0 < *original && original < released).count()
    }

    /// How many suppressed records may be of a content.
    #[must_use]
    pub fn suppressed_of(&self, content: u32) -> u64 {
        match self.blank {
            true => self.suppressed.iter().map(|held| held.count).sum(),
            false => held(&self.suppressed, content).map_or(0, |held| held.count),
        }
    }

    fn released(&self, classes: &[u32], content: u32) -> u64 {
        classes
            .iter()
            .filter_map(|&class| held(&self.classes[class as usize], content))
            .map(|h| h.count)
            .sum()
    }

    /// The share of the persons alike to one whose own records are in the classes that fit them.
    /// `classes` are the candidates of what is known, which matter where a record can be anywhere.
    pub(crate) fn kept(&self, entry: u32, alike: &Alike, full: &[u32], classes: &[u32]) -> Share {
        let people = &self.people;
        let (content, own) = (people.content[entry as usize], people.own[entry as usize]);
        let count = people.counts[entry as usize] as f64;
        match self.trace {
            Trace::Noise => Share::exactly(0.0),
            _ if own != NOWHERE => {
                let released = self.released(&[own], content) as f64;
                Share::exactly((released / alike.of(own, content) as f64).min(1.0))
            }
            Trace::Levels => Share::exactly(0.0),
            Trace::Covered => {
                let suppressed = self.suppressed_of(content) as f64;
                let low = if self.sampled { 0.0 } else { (1.0 - suppressed / count).max(0.0) };
                let high = (self.released(full, content) as f64 / count).min(1.0);
                Share { low: low.min(high), high }
            }
            Trace::Lost => {
                Share { low: 0.0, high: (self.released(classes, content) as f64 / count).min(1.0) }
            }
        }
    }

    /// The share of such persons whose records are suppressed.
    pub(crate) fn starred(&self, entry: u32, kept: Share) -> Share {
        let content = self.people.content[entry as usize];
        let suppressed = self.suppressed_of(content) as f64;
        let count = self.people.counts[entry as usize] as f64;
        let most = (suppressed / count).min(1.0);
        match self.trace {
            Trace::Noise | Trace::Lost => Share::exactly(0.0),
            _ if self.sampled => Share { low: 0.0, high: most.min(1.0 - kept.low) },
            Trace::Levels => Share { low: 1.0 - kept.high, high: 1.0 - kept.low },
            Trace::Covered => Share { low: 1.0 - kept.high, high: (1.0 - kept.low).min(most) },
        }
    }
}

/// The records of a content among some that ascend.
pub(crate) fn held(records: &[Held], content: u32) -> Option<&Held> {
    records.binary_search_by_key(&content, |held| held.content).ok().map(|at| &records[at])
}

/// How many original records share their class's labels and their content.
#[derive(Debug, Default)]
pub(crate) struct Alike(FxHashMap<(u32, u32), u64>);

impl Alike {
    pub(crate) fn new(people: &People) -> Self {
        let mut counts = FxHashMap::default();
        for (entry, &own) in people.own.iter().enumerate().filter(|(_, own)| **own != NOWHERE) {
            *counts.entry((own, people.content[entry])).or_insert(0) += people.counts[entry];
        }
        Self(counts)
    }

    fn of(&self, own: u32, content: u32) -> u64 {
        self.0.get(&(own, content)).copied().unwrap_or(1)
    }
}
