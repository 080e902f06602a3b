//! Counting queries on a release.
//!
//! `SELECT COUNT(*) WHERE sensitive = s AND a IN A AND b IN B`: s is the value of a random record, a and b
//! are two random quasi-identifiers, A and B random thirds of the values that occur, neighbours in order
//! for numbers, any for others. The relative error is |answer − true| / max(true, n / 1000).

use velamen_dp::{Seed, Stream, below};

use super::original::Original;
use super::released::Released;

/// Queries of the workload.
const QUERIES: usize = 300;

/// The seed of the workload: every method answers the same queries.
const WORKLOAD: u64 = 2021;

struct Query {
    value: u32,
    /// (attribute, per leaf whether it is asked for).
    parts: [(usize, Vec<bool>); 2],
}

/// The median relative error of the workload.
pub(crate) fn median_error(released: &Released, original: &Original) -> f64 {
    let mut stream = Seed::from_number(WORKLOAD).stream(0);
    let floor = original.table.records() as f64 / 1000.0;
    let error = |query: Query| {
        let truth = query.truth(original);
        (query.answer(released) - truth).abs() / truth.max(floor)
    };
    let mut errors: Vec<f64> = (0..QUERIES).map(|_| error(Query::draw(original, &mut stream))).collect();
    errors.sort_by(f64::total_cmp);
    errors[QUERIES / 2]
}

impl Query {
    fn draw(original: &Original, stream: &mut Stream) -> Self {
        let table = &original.table;
        let entry = original.entry_of(below(stream, table.records()));
        let first = below(stream, table.qis.len() as u64) as usize;
        let other = below(stream, table.qis.len() as u64 - 1) as usize;
        let second = if other < first { other } else { other + 1 };
        let parts = [first, second].map(|q| (q, third(original, q, stream)));
        Self { value: original.value(entry), parts }
    }

    fn truth(&self, original: &Original) -> f64 {
        let table = &original.table;
        let asked = |entry: &usize| {
            original.value(*entry) == self.value
                && self.parts.iter().all(|(q, wanted)| wanted[table.codes[*q][*entry] as usize])
        };
        (0..table.len()).filter(asked).map(|entry| table.counts[entry] as f64).sum()
    }

    /// What a recipient answers, a cell spread evenly over the values that it covers.
    fn answer(&self, released: &Released) -> f64 {
        let shares: Vec<Vec<f64>> = self
            .parts
            .iter()
            .map(|part| released.covers[part.0].iter().map(|cover| share(&part.1, cover)).collect())
            .collect();
        let groups = released.groups.iter().filter(|group| group.values.contains(&self.value));
        let one = |group: &super::released::Group| {
            let of = |i: usize| shares[i][group.labels[self.parts[i].0] as usize];
            group.expected * of(0) * of(1) / group.values.len() as f64
        };
        groups.map(one).sum()
    }
}

fn share(wanted: &[bool], cover: &[u32]) -> f64 {
    let hit = cover.iter().filter(|&&leaf| wanted[leaf as usize]).count();
    hit as f64 / cover.len().max(1) as f64
}

/// About a third of an attribute's leaves.
fn third(original: &Original, q: usize, stream: &mut Stream) -> Vec<bool> {
    let labels = original.hierarchy(q).labels(0);
    let wanted = labels.len().div_ceil(3);
    let mut order: Vec<usize> = (0..labels.len()).collect();
    if labels.iter().all(|label| label.parse::<f64>().is_ok()) {
        let number = |leaf: &usize| labels[*leaf].parse::<f64>().unwrap_or(0.0);
        order.sort_by(|a, b| number(a).total_cmp(&number(b)));
        let first = below(stream, (labels.len() - wanted + 1) as u64) as usize;
        order.rotate_left(first);
    } else {
        for place in 0..wanted {
            let with = place + below(stream, (labels.len() - place) as u64) as usize;
            order.swap(place, with);
        }
    }
    let mut third = vec![false; labels.len()];
    order[..wanted].iter().for_each(|&leaf| third[leaf] = true);
    third
}
