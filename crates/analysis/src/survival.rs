//! Kaplan and Meier's survival.

use crate::design::Records;
use crate::estimate::{Estimate, NotEstimable, Scale};

/// The probability of surviving beyond a time, with Greenwood's variance on the logarithm.
///
/// # Errors
/// [`NotEstimable`] where nobody is at risk any more, or nobody survives.
pub fn kaplan_meier(
    times: &[f64],
    events: &[f64],
    records: &Records,
    at: f64,
) -> Result<Estimate, NotEstimable> {
    let mut order: Vec<usize> = (0..times.len()).filter(|&row| records.mass(row) > 0.0).collect();
    if order.is_empty() {
        return Err(NotEstimable::NoRecords);
    }
    order.sort_by(|a, b| times[*a].total_cmp(&times[*b]));
    let total: f64 = order.iter().map(|&row| records.mass(row)).sum();
    if times[*order.last().expect("not empty")] < at {
        return Err(NotEstimable::NobodyAtRisk);
    }
    let (mut at_risk, mut log, mut variance) = (total, 0.0, 0.0);
    for tied in order.chunk_by(|a, b| times[*a] == times[*b]) {
        if times[tied[0]] > at {
            break;
        }
        let died: f64 = tied.iter().map(|&row| records.mass(row) * events[row]).sum();
        if died > 0.0 {
            // The last ones' rest is rounding.
            if at_risk - died <= 1e-9 * total {
                return Err(NotEstimable::NobodyAtRisk);
            }
            log += (-died / at_risk).ln_1p();
            variance += died / (at_risk * (at_risk - died));
        }
        at_risk -= tied.iter().map(|&row| records.mass(row)).sum::<f64>();
    }
    Ok(Estimate::new(log, variance, f64::INFINITY, total, Scale::Survival))
}
