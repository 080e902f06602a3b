//! What records do for an aggregate, group by group.

use std::collections::BTreeMap;

use velamen_measure::answer::Part;
use velamen_sql::AggregateKind;

use super::combination::{Key, Pattern, Span, Truth};

/// By group what a pattern's records do; under `None` where a hidden value decides on the group.
pub(super) type Hits = BTreeMap<Option<Key>, Hit>;

/// What the patterns' records do for an aggregate.
#[derive(Debug, Default)]
pub(super) struct Parts {
    /// By group, the records that may be of it by what is known of them.
    of: BTreeMap<Key, Vec<Part>>,
    /// Records of which nobody can tell the group.
    anywhere: Vec<Part>,
    /// By group, those of `anywhere` that are among its own already.
    counted: BTreeMap<Key, Vec<usize>>,
}

impl Parts {
    /// The groups that some record may be of by what is known of it.
    pub(super) fn keys(&self) -> impl Iterator<Item = &Key> {
        self.of.keys()
    }

    /// All records that may be of a group, each once.
    pub(super) fn of(&self, key: &Key) -> Vec<Part> {
        let counted = self.counted.get(key).map_or(&[][..], Vec::as_slice);
        let others = self.anywhere.iter().enumerate().filter(|(at, _)| counted.binary_search(at).is_err());
        self.of.get(key).into_iter().flatten().chain(others.map(|(_, part)| part)).copied().collect()
    }

    /// Adds a pattern's records.
    pub(super) fn add(&mut self, pattern: &Pattern, mut hits: Hits, combinations: u64, kind: AggregateKind) {
        let open = hits.remove(&None);
        if let Some(hit) = &open {
            // What no shown value tells of is estimated to be in no group that is shown.
            let part = hit.part(pattern, combinations, kind);
            self.anywhere.push(Part { certain: false, share: 0.0, mean: 0.0, ..part });
        }
        for (key, mut hit) in hits {
            let key = key.expect("the open one is removed");
            if let Some((low, high)) = open.as_ref().and_then(|open| open.span) {
                hit.widen(low, high);
                self.counted.entry(key.clone()).or_default().push(self.anywhere.len() - 1);
            }
            self.of.entry(key).or_default().push(hit.part(pattern, combinations, kind));
        }
    }
}

/// What a pattern's records do in one group.
#[derive(Debug, Default)]
pub(super) struct Hit {
    certain: u64,
    share: f64,
    mean: f64,
    span: Option<(f64, f64)>,
}

impl Hit {
    fn part(&self, pattern: &Pattern, combinations: u64, kind: AggregateKind) -> Part {
        let (low, high) = self.span.filter(|_| kind != AggregateKind::Count).unwrap_or((1.0, 1.0));
        Part {
            stratum: pattern.stratum,
            records: pattern.records,
            certain: self.certain == combinations,
            low,
            high,
            share: self.share,
            mean: self.mean,
        }
    }

    pub(super) fn add(&mut self, weight: f64, truth: Truth, (low, high, middle): Span) {
        self.certain += u64::from(truth.certain);
        self.share += weight * truth.share;
        self.mean += weight * truth.share * middle;
        self.widen(low, high);
    }

    fn widen(&mut self, low: f64, high: f64) {
        let (least, greatest) = self.span.unwrap_or((low, high));
        self.span = Some((least.min(low), greatest.max(high)));
    }
}
