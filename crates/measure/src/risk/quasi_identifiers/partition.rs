//! Records parted by the values of attributes, without the parts that nothing can part further.

use crate::risk::leak::Columns;

/// What a set of attributes tells apart.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SetFigures {
    /// Distinct combinations of values.
    pub classes: u64,
    /// Records that share their combination with nobody.
    pub unique: u64,
    /// Pairs of records that share their combination.
    pub alike: u128,
}

impl SetFigures {
    /// Of classes of these sizes, each at least 1.
    #[must_use]
    pub fn of(sizes: impl IntoIterator<Item = u64>) -> Self {
        let mut figures = Self::default();
        sizes.into_iter().for_each(|records| figures.add(records));
        figures
    }

    /// Counts a class of so many records.
    fn add(&mut self, records: u64) {
        self.classes += 1;
        self.unique += u64::from(records == 1);
        self.alike += u128::from(records) * u128::from(records - 1) / 2;
    }

    /// The share of records that are left when each class keeps one: the distinct ratio.
    #[must_use]
    pub fn distinction(&self, records: u64) -> f64 {
        self.classes as f64 / records as f64
    }

    /// The share of pairs of records that are told apart; 1 where there is no pair.
    #[must_use]
    pub fn separation(&self, records: u64) -> f64 {
        let pairs = u128::from(records) * u128::from(records.max(1) - 1) / 2;
        if pairs == 0 { 1.0 } else { (pairs - self.alike) as f64 / pairs as f64 }
    }
}

/// A partition of entries. Classes of one entry are counted, then dropped: no attribute parts them.
#[derive(Debug, Clone)]
pub(super) struct Partition {
    /// The entries of the other classes, class after class.
    entries: Vec<u32>,
    /// Where each of these classes ends.
    ends: Vec<u32>,
    /// Figures of the dropped classes.
    done: SetFigures,
}

/// Memory that is used again from class to class: by code a count and a place.
pub(super) struct Scratch {
    sizes: Vec<u64>,
    places: Vec<u32>,
    met: Vec<u32>,
}

impl Scratch {
    /// For codes below `width`.
    pub(super) fn new(width: usize) -> Self {
        Self { sizes: vec![0; width], places: vec![0; width], met: Vec::new() }
    }

    /// Counts codes, each with a weight of at least 1; `met` then lists them by first occurrence.
    fn count(&mut self, weighed: impl Iterator<Item = (u32, u64)>) {
        self.met.clear();
        for (code, weight) in weighed {
            let size = &mut self.sizes[code as usize];
            if *size == 0 {
                self.met.push(code);
            }
            *size += weight;
        }
    }

    fn clear(&mut self) {
        self.met.iter().for_each(|&code| self.sizes[code as usize] = 0);
    }
}

impl Partition {
    /// All entries in one class.
    pub(super) fn whole(counts: &[u64]) -> Self {
        let len = counts.len() as u32;
        match counts {
            [] => Self { entries: Vec::new(), ends: Vec::new(), done: SetFigures::default() },
            [records] => {
                let mut done = SetFigures::default();
                done.add(*records);
                Self { entries: Vec::new(), ends: Vec::new(), done }
            }
            _ => Self { entries: (0..len).collect(), ends: vec![len], done: SetFigures::default() },
        }
    }

    /// How many entries are left to be parted.
    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    fn classes(&self) -> impl Iterator<Item = &[u32]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, &end)| &self.entries[start as usize..end as usize])
    }

    /// The first entry of each class that is left, and the others of it.
    pub(super) fn alike(&self) -> impl Iterator<Item = (u32, &[u32])> {
        self.classes().map(|class| (class[0], &class[1..]))
    }

    /// Its figures.
    pub(super) fn figures(&self, counts: &[u64]) -> SetFigures {
        let mut figures = self.done;
        for class in self.classes() {
            figures.add(class.iter().map(|&entry| counts[entry as usize]).sum());
        }
        figures
    }

    /// The figures once an attribute joins; O(entries left).
    pub(super) fn figures_with(&self, codes: &[u32], counts: &[u64], scratch: &mut Scratch) -> SetFigures {
        let mut figures = self.done;
        for class in self.classes() {
            scratch.count(class.iter().map(|&entry| (codes[entry as usize], counts[entry as usize])));
            scratch.met.iter().for_each(|&code| figures.add(scratch.sizes[code as usize]));
            scratch.clear();
        }
        figures
    }

    /// The partition once an attribute joins; O(entries left).
    pub(super) fn with(&self, codes: &[u32], counts: &[u64], scratch: &mut Scratch) -> Self {
        let mut parted = Self {
            entries: Vec::with_capacity(self.entries.len()),
            ends: Vec::with_capacity(self.ends.len()),
            done: self.done,
        };
        for class in self.classes() {
            parted.push(class, codes, counts, scratch);
        }
        parted
    }

    /// Adds a class, parted by codes.
    fn push(&mut self, class: &[u32], codes: &[u32], counts: &[u64], scratch: &mut Scratch) {
        scratch.count(class.iter().map(|&entry| (codes[entry as usize], 1)));
        let mut place = self.entries.len() as u32;
        for &code in &scratch.met {
            let size = scratch.sizes[code as usize];
            if size > 1 {
                scratch.places[code as usize] = place;
                place += size as u32;
                self.ends.push(place);
            }
        }
        self.entries.resize(place as usize, 0);
        for &entry in class {
            let code = codes[entry as usize] as usize;
            if scratch.sizes[code] == 1 {
                self.done.add(counts[entry as usize]);
            } else {
                self.entries[scratch.places[code] as usize] = entry;
                scratch.places[code] += 1;
            }
        }
        scratch.clear();
    }
}

/// The least width that holds all codes.
pub(super) fn width(codes: &[u32]) -> usize {
    codes.iter().max().map_or(0, |&code| code as usize + 1)
}

/// The same records with entries that agree in all columns put together, in the order of their first.
///
/// Time: O(entries · columns).
#[must_use]
pub fn merged(columns: Columns<'_>) -> (Vec<Vec<u32>>, Vec<u64>) {
    let mut scratch = Scratch::new(columns.codes.iter().map(|codes| width(codes)).max().unwrap_or(0));
    let mut partition = Partition::whole(columns.counts);
    for codes in columns.codes {
        partition = partition.with(codes, columns.counts, &mut scratch);
    }
    let mut counts = columns.counts.to_vec();
    for (first, others) in partition.alike() {
        for &other in others {
            counts[first as usize] += std::mem::take(&mut counts[other as usize]);
        }
    }
    let kept: Vec<usize> = (0..counts.len()).filter(|&entry| counts[entry] > 0).collect();
    let codes = columns.codes.iter().map(|codes| kept.iter().map(|&entry| codes[entry]).collect()).collect();
    (codes, kept.iter().map(|&entry| counts[entry]).collect())
}
