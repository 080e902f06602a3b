//! What a release of invented records states of what was measured: all that left the door.

use std::collections::BTreeMap;

use velamen_contract::{ChosenSet, MeasuredTable, Measurements};
use velamen_core::frequency::FrequencyTable;
use velamen_dp::{Rational, Zcdp};

use super::NoisyTable;
use super::codes::Levels;
use super::merging::Merging;

/// A private choice among sets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::method::private) struct Choice {
    /// Its ε.
    pub(in crate::method::private) epsilon: Rational,
    /// The set that was chosen; `None` where it was nothing.
    pub(in crate::method::private) set: Option<Vec<usize>>,
}

impl NoisyTable {
    fn stated(&self, attributes: Vec<String>) -> MeasuredTable {
        let counts: Vec<String> = self.counts.iter().map(i64::to_string).collect();
        MeasuredTable { attributes, variance: self.variance.to_string(), counts: counts.join(" ") }
    }
}

/// All that was drawn.
#[derive(Debug, Clone, Default)]
pub(in crate::method::private) struct Drawn {
    /// The first noisy counts of each attribute, over all its values.
    pub(in crate::method::private) alone: Vec<NoisyTable>,
    /// Which values were put together then.
    pub(in crate::method::private) merging: Vec<Merging>,
    /// Choices, in their order.
    pub(in crate::method::private) choices: Vec<Choice>,
    /// Further noisy counts, over the values that are left.
    pub(in crate::method::private) tables: Vec<NoisyTable>,
}

impl Drawn {
    /// As the release states it.
    pub(in crate::method::private) fn stated(
        &self,
        table: &FrequencyTable,
        levels: Levels<'_>,
        (rho, sensitivity): (Zcdp, u64),
    ) -> Measurements {
        let name = |&a: &usize| table.qis[a].name.clone();
        let names = |set: &[usize]| -> Vec<String> { set.iter().map(name).collect() };
        let measured = |noisy: &NoisyTable| noisy.stated(names(&noisy.set));
        let labels = table.qis.iter().zip(&levels.counted.0);
        let binned =
            table.qis.iter().zip(levels.each()).filter(|(_, (counted, released))| counted != released);
        let merged = self.merging.iter().enumerate().filter(|(_, merging)| !merging.merged.is_empty());
        Measurements {
            rho: rho.as_units().to_string(),
            sensitivity,
            domains: labels
                .map(|(qi, &level)| (qi.name.clone(), qi.hierarchy.labels(level).to_vec()))
                .collect(),
            levels: binned.map(|(qi, (counted, _))| (qi.name.clone(), counted)).collect(),
            alone: self.alone.iter().map(measured).collect(),
            merged: merged.map(|(a, merging)| (name(&a), merging.merged.clone())).collect::<BTreeMap<_, _>>(),
            choices: (self.choices.iter())
                .map(|choice| ChosenSet {
                    epsilon: choice.epsilon.to_string(),
                    attributes: choice.set.as_deref().map(names),
                })
                .collect(),
            tables: self.tables.iter().map(measured).collect(),
        }
    }
}
