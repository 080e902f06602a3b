//! What a decision leaves of the table, before anything is written.

use velamen_core::context::Context;

use super::Searched;

/// What is left of the quasi-identifiers.
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
}

impl LeftOf {
    /// Whether every released cell is `*`.
    #[must_use]
    pub fn is_lost(&self) -> bool {
        self.loss >= 1.0 - 1e-9
    }
}

impl Searched<'_> {
    /// What the decision leaves. Figures of the original records: for the custodian only.
    ///
    /// Time: as carrying it out, O(entries · log entries).
    #[must_use]
    pub fn left(&self, context: &Context<'_>) -> Left {
        let (release, _) = self.decision.apply(&self.table, context.seed);
        let records = release.records().max(1) as f64;
        let of = |(place, released): (usize, &velamen_core::release::ReleasedAttribute)| {
            let own = self.table.qis.iter().find(|qi| qi.name == released.name);
            let span = own.map_or(1, |qi| qi.hierarchy.domain()).saturating_sub(1).max(1) as f64;
            let cell = |class: usize| {
                let code = release.class(class)[place];
                released.values[code as usize].leaves.saturating_sub(1) as f64 / span
            };
            let classes = release.sizes.iter().enumerate().map(|(class, &size)| size as f64 * cell(class));
            let loss = (classes.sum::<f64>() + release.suppressed as f64) / records;
            LeftOf { name: released.name.clone(), loss }
        };
        let attributes = release.qis.iter().enumerate().map(of).collect();
        Left { attributes, suppressed: release.suppressed as f64 / records }
    }
}
