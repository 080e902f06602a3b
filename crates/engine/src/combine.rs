//! The workers' counts, sorted and put together on all cores.
//!
//! Entries are scattered into buckets by the leading bits of their keys; a bucket is then small
//! enough to be sorted within the caches, and buckets in order are the sorted whole.

use rayon::prelude::*;
use velamen_core::key::{Field, Key, Layout};

use crate::grouper::Entries;

/// Leading bits that choose the bucket.
const BUCKET_BITS: u32 = 12;

/// Ascending distinct keys and their counts; all keys of a run precede those of the next.
#[derive(Debug)]
pub(crate) struct SortedRun<const W: usize> {
    pub(crate) keys: Vec<Key<W>>,
    pub(crate) counts: Vec<u64>,
}

/// A key and how often it was met.
trait Entry<const W: usize>: Copy + Send + Sync + Ord {
    const ZERO: Self;
    fn key(&self) -> Key<W>;
    fn count(&self) -> u64;
}

impl<const W: usize> Entry<W> for Key<W> {
    const ZERO: Self = Self::ZERO;

    fn key(&self) -> Key<W> {
        *self
    }

    fn count(&self) -> u64 {
        1
    }
}

impl<const W: usize> Entry<W> for (Key<W>, u64) {
    const ZERO: Self = (Key::ZERO, 0);

    fn key(&self) -> Key<W> {
        self.0
    }

    fn count(&self) -> u64 {
        self.1
    }
}

/// All workers' entries, ascending by key, each key once.
pub(crate) fn combine<const W: usize>(workers: Vec<Entries<W>>, layout: &Layout) -> Vec<SortedRun<W>> {
    if workers.iter().all(|entries| entries.counted.is_empty()) {
        return sorted_runs(workers.into_iter().map(|entries| entries.single).collect(), layout);
    }
    let counted = |mut entries: Entries<W>| {
        entries.counted.extend(entries.single.into_iter().map(|key| (key, 1)));
        entries.counted
    };
    sorted_runs(workers.into_iter().map(counted).collect(), layout)
}

fn sorted_runs<const W: usize, E: Entry<W>>(workers: Vec<Vec<E>>, layout: &Layout) -> Vec<SortedRun<W>> {
    let digit = layout.leading(BUCKET_BITS);
    let scattered: Vec<Scattered<E>> =
        workers.into_par_iter().map(|entries| Scattered::new(&entries, digit)).collect();
    let runs = (0..1 << BUCKET_BITS).into_par_iter().map(|bucket| {
        let slices: Vec<&[E]> = scattered.iter().map(|worker| worker.bucket(bucket)).collect();
        run(slices.concat())
    });
    runs.filter(|run| !run.keys.is_empty()).collect()
}

/// One worker's entries, bucket after bucket.
struct Scattered<E> {
    entries: Vec<E>,
    ends: Vec<usize>,
}

impl<E> Scattered<E> {
    fn new<const W: usize>(entries: &[E], digit: Field) -> Self
    where
        E: Entry<W>,
    {
        let mut places = vec![0; 1 << BUCKET_BITS];
        for entry in entries {
            places[entry.key().get(digit) as usize] += 1;
        }
        let mut before = 0;
        for place in &mut places {
            before += std::mem::replace(place, before);
        }
        let mut scattered = vec![E::ZERO; entries.len()];
        for entry in entries {
            let place = &mut places[entry.key().get(digit) as usize];
            scattered[*place] = *entry;
            *place += 1;
        }
        Self { entries: scattered, ends: places }
    }

    fn bucket(&self, bucket: usize) -> &[E] {
        let start = if bucket == 0 { 0 } else { self.ends[bucket - 1] };
        &self.entries[start..self.ends[bucket]]
    }
}

fn run<const W: usize, E: Entry<W>>(mut entries: Vec<E>) -> SortedRun<W> {
    entries.sort_unstable();
    let mut run =
        SortedRun { keys: Vec::with_capacity(entries.len()), counts: Vec::with_capacity(entries.len()) };
    for entry in entries {
        match (run.keys.last(), run.counts.last_mut()) {
            (Some(last), Some(count)) if *last == entry.key() => *count += entry.count(),
            _ => {
                run.keys.push(entry.key());
                run.counts.push(entry.count());
            }
        }
    }
    run
}
