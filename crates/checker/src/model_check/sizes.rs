//! What the sizes of all classes together say.

use velamen_contract::model::average_risk::AverageRiskParams;
use velamen_contract::model::information_leak::InformationLeakParams;
use velamen_contract::model::records_at_risk::RecordsAtRiskParams;
use velamen_contract::model::sample_uniqueness::SampleUniquenessParams;

use super::{Case, Entry, ROUNDING, Reached};
use crate::total;

pub(super) const AVERAGE_RISK: Entry = Entry {
    name: "average-risk",
    check: |case| {
        let sizes = case.sizes();
        let mean = share(sizes.len() as u64, &sizes);
        let AverageRiskParams { risk } = case.parameters()?;
        Ok(case.reached(Reached::at_most("risk", Some(mean), risk)))
    },
};

pub(super) const RECORDS_AT_RISK: Entry = Entry {
    name: "records-at-risk",
    check: |case| {
        let RecordsAtRiskParams { share, risk } = case.parameters()?;
        let exposed = in_classes(case, |size| 1.0 / size > risk * (1.0 + ROUNDING));
        // Of people fewer can be in such classes than of records.
        Ok(case.reached(case.of_shares(Reached::at_most("share", Some(exposed), share))))
    },
};

pub(super) const SAMPLE_UNIQUENESS: Entry = Entry {
    name: "sample-uniqueness",
    check: |case| {
        let unique = in_classes(case, |size| size < 1.5);
        let SampleUniquenessParams { share } = case.parameters()?;
        Ok(case.reached(Reached::at_most("share", Some(unique), share)))
    },
};

pub(super) const INFORMATION_LEAK: Entry = Entry {
    name: "information-leak",
    check: |case| {
        let leak = leak(&case.sizes());
        let InformationLeakParams { share } = case.parameters()?;
        // People can leak more than their records, and less.
        Ok(case.reached(case.of_shares(Reached::at_most("share", Some(leak), share))))
    },
};

/// The entropy of classes, as a share of the bits that find one of their records.
fn leak(sizes: &[u64]) -> f64 {
    let records = total(sizes.iter().copied()) as f64;
    if records <= 1.0 {
        return 0.0;
    }
    let shares = sizes.iter().map(|&size| size as f64 / records).filter(|share| *share > 0.0);
    let entropy: f64 = shares.map(|share| -share * share.ln()).sum();
    entropy / records.ln()
}

/// The share of the records that are in classes of some sizes.
fn in_classes(case: &Case<'_>, some: impl Fn(f64) -> bool) -> f64 {
    let sizes = case.sizes();
    share(total(sizes.iter().copied().filter(|&size| some(size as f64))), &sizes)
}

/// So many of all records in classes; 0 where there are none.
fn share(of: u64, sizes: &[u64]) -> f64 {
    let records = total(sizes.iter().copied());
    if records == 0 { 0.0 } else { of as f64 / records as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_of_nobody_leak_nothing() {
        // One bit of the three that find one of eight records.
        for sizes in [vec![4, 4], vec![4, 0, 4, 0]] {
            assert!((leak(&sizes) - 1.0 / 3.0).abs() < 1e-12, "{sizes:?}");
        }
        assert_eq!((leak(&[1, 0]), leak(&[0]), leak(&[])), (0.0, 0.0, 0.0));
    }
}
