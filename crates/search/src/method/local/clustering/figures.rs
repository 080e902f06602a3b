//! Conditional entropy and mutual information of a release by local recoding.
//!
//! # Definition
//! CE = Σ_a H(X_a | Y_a), MI = I((Y_1, …, Y_m); S), d = CE + λ · MI; X the original, Y the released
//! values, S a sensitive attribute, over all records of a class, log base 2.
//!
//! # References
//! Yoo, Shin & Lee 2012, Equations 4 to 8.

use velamen_core::frequency::FrequencyTable;
use velamen_core::recoding::{LocalPlan, Member, merged};

/// In bits by record. They tell of the original records: for the custodian.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct ClusterInformation {
    /// CE.
    pub conditional_entropy: f64,
    /// H(S); 0 without a sensitive column.
    pub sensitive_entropy: f64,
    /// MI; 0 without a sensitive column.
    pub mutual_information: f64,
}

impl ClusterInformation {
    /// Of a plan, with a sensitive column of the rest.
    ///
    /// Time: O(members · attributes · log members).
    #[must_use]
    pub fn of(table: &FrequencyTable, plan: &LocalPlan, column: Option<usize>) -> Self {
        let conditional_entropy = (0..table.qis.len()).map(|q| conditional_entropy(table, plan, q)).sum();
        let Some(column) = column else { return Self { conditional_entropy, ..Self::default() } };
        let values = &table.rest.codes[column];
        let value = |member: &Member| (values[table.rest_index[member.0 as usize] as usize], member.1);
        let all = plan.members.iter().flatten().map(value).collect();
        let (whole, records) = spread(all);
        let within: f64 = plan.members.iter().map(|class| spread(class.iter().map(value).collect()).0).sum();
        Self {
            conditional_entropy,
            sensitive_entropy: whole / records,
            mutual_information: (whole - within) / records,
        }
    }

    /// d.
    #[must_use]
    pub fn distance(&self, lambda: f64) -> f64 {
        self.conditional_entropy + lambda * self.mutual_information
    }
}

/// H(X_a | Y_a) of an attribute.
fn conditional_entropy(table: &FrequencyTable, plan: &LocalPlan, q: usize) -> f64 {
    let mut under: Vec<Vec<(u32, u64)>> = vec![Vec::new(); plan.values[q].len()];
    for (codes, members) in plan.codes.chunks(table.qis.len()).zip(&plan.members) {
        let leaf = |member: &Member| (table.codes[q][member.0 as usize], member.1);
        under[codes[q] as usize].extend(members.iter().map(leaf));
    }
    let (lost, records) = under.into_iter().map(spread).fold((0.0, 0.0), |a, b| (a.0 + b.0, a.1 + b.1));
    lost / f64::max(records, 1.0)
}

/// n · H of n counted codes, and n.
fn spread(codes: Vec<(u32, u64)>) -> (f64, f64) {
    let counts = merged(codes);
    let records = counts.iter().map(|c| c.1).sum::<u64>() as f64;
    let bits = |&(_, count): &(u32, u64)| count as f64 * (records / count as f64).log2();
    (counts.iter().map(bits).sum(), records)
}
