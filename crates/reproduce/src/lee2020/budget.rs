//! The paper's ε and its shares.

use velamen_search::method::ipa::published::PublishedParams;

/// The paper's ε, from the one of Figures 6, 9 and 10 down.
pub(super) const EPSILONS: [f64; 4] = [1.0, 0.5, 0.25, 0.1];

/// The paper's shares of ε: a tenth for the threshold, three tenths for each of the others.
pub(super) fn params(epsilon: f64) -> PublishedParams {
    let usual = PublishedParams::default();
    PublishedParams {
        threshold: usual.threshold,
        suppression: epsilon * usual.suppression,
        insertion: epsilon * usual.insertion,
        value: epsilon * usual.value,
        candidates: epsilon * usual.candidates,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_the_papers_shares() {
        let tenth = params(0.1);
        assert!((tenth.suppression - 0.01).abs() < 1e-15 && (tenth.candidates - 0.03).abs() < 1e-15);
        assert_eq!(params(1.0), PublishedParams::default());
    }
}
