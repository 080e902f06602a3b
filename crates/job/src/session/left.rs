//! What a decision leaves of the table, before anything is written.

use velamen_core::context::Context;
use velamen_core::frequency::{FrequencyTable, QuasiIdentifier};
use velamen_core::hierarchy::{NULL, TOP};
use velamen_core::number::number;
use velamen_core::release::{Release, ReleasedAttribute};
use velamen_recipe::Resolved;
use velamen_report::recipient::Middles;

use super::Searched;

/// The share of its detail from which on an attribute has lost most of it.
const MOST: f64 = 0.5;

/// The share of itself that a mean may be off by.
const OFF: f64 = 0.1;

/// What is left of the quasi-identifiers. Figures of the original records: for the custodian only.
#[derive(Debug, Clone, PartialEq)]
pub struct Left {
    /// By attribute, in the order of the table.
    pub attributes: Vec<LeftOf>,
    /// The share of records that are suppressed.
    pub suppressed: f64,
}

/// What is left of one of them.
#[derive(Debug, Clone, PartialEq)]
pub struct LeftOf {
    /// Its name.
    pub name: String,
    /// The mean of (leaves covered − 1) / (leaves of the domain − 1) over the released cells, from 0 to 1.
    pub loss: f64,
    /// Of numbers: the mean of the original records, and the one that a recipient computes from the middles of the labels.
    pub means: Option<(f64, f64)>,
}

impl LeftOf {
    /// Whether every released cell is `*`.
    #[must_use]
    pub fn is_lost(&self) -> bool {
        self.loss >= 1.0 - 1e-9
    }

    /// How far the recipient's mean is off, as a share of the original one.
    fn off(&self) -> f64 {
        self.means.map_or(0.0, |(own, released)| match (released - own).abs() {
            off if off > 0.0 => off / own.abs(),
            _ => 0.0,
        })
    }

    /// Whether most of its detail is lost, or its mean is off.
    #[must_use]
    pub fn is_costly(&self) -> bool {
        self.loss > MOST || self.off() > OFF
    }

    fn words(&self) -> String {
        let lost = format!("{:.0} % of its detail", 100.0 * self.loss);
        let mean = self.means.filter(|_| self.off() > OFF);
        let mean = mean.map_or(String::new(), |(own, released)| {
            format!(", mean {} instead of {}", number(released), number(own))
        });
        format!("`{}` ({lost}{mean})", self.name)
    }
}

impl Left {
    /// The attributes that lost most of their detail or whose mean is off, the dearest first, in a sentence; `None` where
    /// there are none.
    #[must_use]
    pub fn costly(&self) -> Option<String> {
        let mut costly: Vec<&LeftOf> = self.attributes.iter().filter(|left| left.is_costly()).collect();
        let cost = |left: &LeftOf| left.loss.max(left.off().min(1.0));
        costly.sort_by(|a, b| cost(b).total_cmp(&cost(a)).then(b.loss.total_cmp(&a.loss)));
        let named: Vec<String> = costly.iter().map(|left| left.words()).collect();
        (!named.is_empty()).then(|| {
            format!(
                "the release loses much: {}. Drop columns that recipients do not need (role = \"identifier\"), or make \
                 them coarser: the fewer values there are, the more is left of the others",
                named.join(", ")
            )
        })
    }
}

impl Searched<'_> {
    /// What the decision leaves. Figures of the original records: for the custodian only.
    ///
    /// Time: as carrying it out, O(entries · log entries).
    #[must_use]
    pub fn left(&self, context: &Context<'_>) -> Left {
        let (release, _) = self.decision.apply(&self.table, context.seed);
        left(self.recipe, &self.table, &release)
    }
}

/// What a release leaves of its table.
pub(super) fn left(recipe: &Resolved, table: &FrequencyTable, release: &Release) -> Left {
    let records = release.records().max(1) as f64;
    let of = |(place, released): (usize, &ReleasedAttribute)| {
        let own = table.qis.iter().position(|qi| qi.name == released.name);
        let span = own.map_or(1, |q| table.qis[q].hierarchy.domain()).saturating_sub(1).max(1) as f64;
        let cell = |class: usize| {
            let code = release.class(class)[place];
            released.values[code as usize].leaves.saturating_sub(1) as f64 / span
        };
        let classes = release.sizes.iter().enumerate().map(|(class, &size)| size as f64 * cell(class));
        let loss = (classes.sum::<f64>() + release.suppressed as f64) / records;
        let means = own.and_then(|q| means(recipe, (&table.qis[q], &table.marginal(q)), (place, release)));
        LeftOf { name: released.name.clone(), loss, means }
    };
    let attributes = release.qis.iter().enumerate().map(of).collect();
    Left { attributes, suppressed: release.suppressed as f64 / records }
}

/// The mean of an attribute's numbers, and that of the middles of its released labels; `None` where values are no numbers.
fn means(
    recipe: &Resolved,
    (own, counts): (&QuasiIdentifier, &[u64]),
    (place, release): (usize, &Release),
) -> Option<(f64, f64)> {
    let named = recipe.attributes.iter().find(|attribute| attribute.name == own.name);
    let hierarchy = named.and_then(|named| named.definition.as_ref());
    let coded = named.map_or((None, None), |named| (named.bottom, named.top));
    let middles = Middles::of(hierarchy, coded);
    let leaves = own.hierarchy.labels(0).iter().zip(counts).filter(|(leaf, _)| *leaf != NULL);
    let original: Vec<(f64, u64)> =
        leaves.map(|(leaf, &count)| Some((middles.of_label(leaf)?, count))).collect::<Option<_>>()?;
    let values = &release.qis[place].values;
    let mut sizes = vec![0u64; values.len()];
    for (class, &size) in release.sizes.iter().enumerate() {
        sizes[release.class(class)[place] as usize] += size;
    }
    let cells = values.iter().map(|value| &*value.label).zip(sizes).filter(|(_, size)| *size > 0);
    let cells = cells.chain([(TOP, release.suppressed)]);
    let released = cells.filter_map(|(label, count)| Some((middles.of_label(label)?, count)));
    Some((mean(original.into_iter())?, mean(released)?))
}

fn mean(values: impl Iterator<Item = (f64, u64)>) -> Option<f64> {
    let add = |(sum, count): (f64, u64), (value, of): (f64, u64)| (sum + value * of as f64, count + of);
    let (sum, count) = values.fold((0.0, 0), add);
    (count > 0).then(|| sum / count as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(name: &str, loss: f64, means: Option<(f64, f64)>) -> LeftOf {
        LeftOf { name: name.into(), loss, means }
    }

    #[test]
    fn what_costs_most_is_named_first() {
        let attributes = vec![
            of("sex", 0.1, None),
            of("stay", 0.3, Some((5.6, 11.8))),
            of("weight", 0.2, Some((78.0, 80.0))),
            of("drg", 0.71, None),
            of("zip", 1.0, None),
        ];
        let costly = Left { attributes, suppressed: 0.0 }.costly().unwrap();
        let expected = "`zip` (100 % of its detail), `stay` (30 % of its detail, mean 11.8 instead of 5.6), `drg` (71 % of its detail).";
        assert!(costly.contains(expected), "{costly}");
        let calm =
            vec![of("sex", 0.5, None), of("age", 0.2, Some((50.0, 54.9))), of("nil", 0.0, Some((0.0, 0.0)))];
        assert_eq!(Left { attributes: calm, suppressed: 0.0 }.costly(), None);
    }
}
