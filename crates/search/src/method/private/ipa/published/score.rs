//! What a perturbed table has lost: Eq. 5 to 10.

use velamen_core::classes::ClassTable;
use velamen_core::frequency::{FrequencyTable, QuasiIdentifier};
use velamen_core::hierarchy::Hierarchy;
use velamen_core::lattice::Node;

use super::informative::Informed;
use super::perturb::Perturbed;
use crate::metric::NCP;

/// The three parts of the information loss, each from 0 to 1.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Loss {
    /// The mean normalized certainty penalty of the released quasi-identifier cells (Eq. 5 and 6).
    pub ncp: f64,
    /// The mean distance of a released class's values from those it had (Eq. 7).
    pub emd: f64,
    /// The mean share of counterfeits in a released class (Eq. 8 and 9).
    pub rate: f64,
}

impl Loss {
    /// IL: Eq. 10.
    #[must_use]
    pub fn total(&self) -> f64 {
        self.ncp + self.emd + self.rate
    }

    /// u: Eq. 11.
    #[must_use]
    pub fn utility(&self) -> f64 {
        3.0 - self.total()
    }
}

/// Eq. 5 for every value of every level of every attribute.
#[derive(Debug)]
pub(super) struct Penalties(Vec<Vec<Vec<f64>>>);

impl Penalties {
    pub(super) fn new(table: &FrequencyTable) -> Self {
        let of_attribute = |qi: &QuasiIdentifier| {
            (0..=qi.hierarchy.top()).map(|level| of_level(&qi.hierarchy, level)).collect()
        };
        Self(table.qis.iter().map(of_attribute).collect())
    }

    /// The mean penalty of a record's cells.
    fn record(&self, node: &Node, codes: &[u32]) -> f64 {
        let cells = self.0.iter().zip(&node.0).zip(codes);
        let sum: f64 = cells.map(|((levels, &level), &code)| levels[usize::from(level)][code as usize]).sum();
        sum / codes.len() as f64
    }
}

fn of_level(hierarchy: &Hierarchy, level: u8) -> Vec<f64> {
    let penalty = |code| (NCP.cell)(&hierarchy.cell(level, code));
    (0..hierarchy.width(level) as u32).map(penalty).collect()
}

/// The loss of a node. Suppressed records are cells of penalty 1; they form no class.
///
/// Time: O(classes · attributes + counterfeits · log).
pub(super) fn loss(
    penalties: &Penalties,
    (node, classes): (&Node, &ClassTable),
    informed: &Informed,
    perturbed: &Perturbed,
) -> Loss {
    let (mut cells, mut records, mut kept, mut rate) = (0.0, 0u64, 0u64, 0.0);
    for (class, step) in perturbed.steps.iter().enumerate() {
        let released = classes.sizes[class] + step.counterfeits;
        records += released;
        if step.is_suppressed() {
            cells += released as f64;
            continue;
        }
        cells += released as f64 * penalties.record(node, classes.codes(class));
        rate += step.counterfeits as f64 / released as f64;
        kept += 1;
    }
    let emd: f64 = perturbed.counterfeits.iter().map(|own| informed.distance(classes, own)).sum();
    // The sum of nothing is −0, which files would show as `-0`.
    let mean = |sum: f64, number: u64| if number == 0 { 0.0 } else { sum / number as f64 + 0.0 };
    Loss { ncp: mean(cells, records), emd: mean(emd, kept), rate: mean(rate, kept) }
}
