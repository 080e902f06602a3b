//! The sensitive values of counterfeits: of one attribute, of the combinations of several, or of each by itself.

use std::collections::BTreeMap;

use velamen_core::classes::ClassTable;
use velamen_core::frequency::FrequencyTable;
use velamen_core::plan::Counterfeits;

use super::noise::Noise;
use super::value::{Domain, Values};

/// What counterfeits' values are drawn from.
#[derive(Debug)]
pub(super) enum Informed {
    /// The values of one attribute, or the combinations of several, with this ε.
    Joint(Domain, f64),
    /// The values of each attribute by itself.
    Each(Vec<Column>),
}

/// One of several attributes.
#[derive(Debug)]
pub(super) struct Column {
    domain: Domain,
    /// By combination its value.
    values: Vec<u32>,
    /// How far the numbers of combinations are apart whose values are.
    stride: u32,
    epsilon: f64,
}

/// Values with how many records have them, ascending.
type Tally = Vec<(u32, u64)>;

impl Informed {
    /// All columns of a table over [every](crate::method::kit::joint::every) combination, behind the one that stands for them.
    pub(super) fn each(table: &FrequencyTable, epsilon: impl Fn(&str) -> f64) -> Self {
        let mut stride = table.rest.len as u32;
        let own = table.rest.columns.iter().enumerate().skip(1);
        let mut columns = Vec::new();
        for (place, column) in own {
            stride /= column.values.len().max(1) as u32;
            let domain = Domain::new(&table.rest_marginal(place));
            let values = table.rest.codes[place].clone();
            columns.push(Column { domain, values, stride, epsilon: epsilon(&column.name) });
        }
        Self::Each(columns)
    }

    /// The values of a class's counterfeits, by their combinations, ascending.
    pub(super) fn drawn(&self, own: &[(u32, u64)], size: u64, count: u64, noise: &mut impl Noise) -> Tally {
        match self {
            Self::Joint(domain, epsilon) => {
                let values = Values::new(domain, own, size, *epsilon);
                counted((0..count).map(|_| values.draw(noise)).collect())
            }
            Self::Each(columns) => {
                let tallies: Vec<Tally> = columns.iter().map(|column| column.tally(own)).collect();
                let values: Vec<(Values<'_>, u32)> = columns
                    .iter()
                    .zip(&tallies)
                    .map(|(column, tally)| (column.values_of(tally, size), column.stride))
                    .collect();
                let one = |_| values.iter().map(|(values, stride)| values.draw(noise) * stride).sum();
                counted((0..count).map(one).collect())
            }
        }
    }

    /// Eq. 7 for one class; the mean over the attributes where each is by itself.
    pub(super) fn distance(&self, classes: &ClassTable, counterfeits: &Counterfeits) -> f64 {
        let class = counterfeits.class as usize;
        let size = classes.sizes[class];
        match self {
            Self::Joint(..) => distance(classes.sensitive(class), size, &counterfeits.values),
            Self::Each(columns) => {
                let own = classes.sensitive(class);
                let added = &counterfeits.values;
                let of = |column: &Column| distance(&column.tally(own), size, &column.tally(added));
                columns.iter().map(of).sum::<f64>() / columns.len() as f64
            }
        }
    }
}

impl Column {
    /// What combinations come to in this attribute.
    fn tally(&self, combinations: &[(u32, u64)]) -> Tally {
        let mut tally: BTreeMap<u32, u64> = BTreeMap::new();
        for &(combination, count) in combinations {
            *tally.entry(self.values[combination as usize]).or_default() += count;
        }
        tally.into_iter().collect()
    }

    fn values_of<'a>(&'a self, tally: &'a [(u32, u64)], size: u64) -> Values<'a> {
        Values::new(&self.domain, tally, size, self.epsilon)
    }
}

/// Half the sum of |p − q| is the sum of q − p over the values whose share grows, and only those of counterfeits can grow.
fn distance(own: &[(u32, u64)], size: u64, added: &[(u32, u64)]) -> f64 {
    let before = size as f64;
    let after = before + added.iter().map(|(_, count)| count).sum::<u64>() as f64;
    let grows = |&(value, added): &(u32, u64)| {
        let place = own.binary_search_by_key(&value, |cell| cell.0);
        let count = place.map_or(0, |place| own[place].1) as f64;
        ((count + added as f64) / after - count / before).max(0.0)
    };
    added.iter().map(grows).sum()
}

/// Values with how often each occurs, ascending.
fn counted(mut values: Vec<u32>) -> Tally {
    values.sort_unstable();
    values.chunk_by(|a, b| a == b).map(|run| (run[0], run.len() as u64)).collect()
}
