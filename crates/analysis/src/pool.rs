//! Several draws as one estimate.

use crate::estimate::Estimate;

/// Rubin's rules: the mean of the draws, whose variance is that within draws and (1 + 1/m) of that between them, with
/// Barnard and Rubin's degrees of freedom.
///
/// `None` without draws.
#[must_use]
pub fn pooled(draws: &[Estimate]) -> Option<Estimate> {
    let first = draws.first()?;
    let m = draws.len() as f64;
    let mean = |of: fn(&Estimate) -> f64| draws.iter().map(of).sum::<f64>() / m;
    let (value, within) = (mean(|draw| draw.value), mean(|draw| draw.variance));
    let squares: f64 = draws.iter().map(|draw| (draw.value - value).powi(2)).sum();
    let between = if draws.len() > 1 { squares / (m - 1.0) } else { 0.0 };
    let added = (1.0 + 1.0 / m) * between;
    let complete = mean(|draw| draw.df);
    let alike = added <= 1e-14 * within;
    Some(Estimate {
        value,
        variance: within + added,
        df: if alike { complete } else { degrees(m, added / (within + added), complete) },
        records: mean(|draw| draw.records),
        test_df: first.test_df.filter(|_| alike),
        ..*first
    })
}

/// Barnard and Rubin (1999); with infinite degrees of freedom of the complete data those of Rubin (1987).
fn degrees(m: f64, share: f64, complete: f64) -> f64 {
    let old = (m - 1.0) / (share * share);
    if complete.is_infinite() {
        return old;
    }
    let observed = (complete + 1.0) / (complete + 3.0) * complete * (1.0 - share);
    old * observed / (old + observed)
}
