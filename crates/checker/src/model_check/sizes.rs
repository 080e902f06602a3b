//! What the sizes of all classes together say.

use super::{Case, Entry, ROUNDING, Reached};
use crate::total;

pub(super) const AVERAGE_RISK: Entry = Entry {
    name: "average-risk",
    check: |case| {
        let sizes = case.sizes();
        let mean = share(sizes.len() as u64, &sizes);
        case.reached(Reached::at_most("risk", Some(mean), case.number("risk")?))
    },
};

pub(super) const RECORDS_AT_RISK: Entry = Entry {
    name: "records-at-risk",
    check: |case| {
        let risk = case.number("risk")?;
        let exposed = in_classes(case, |size| 1.0 / size > risk * (1.0 + ROUNDING));
        case.reached(Reached::at_most("share", Some(exposed), case.number("share")?))
    },
};

pub(super) const SAMPLE_UNIQUENESS: Entry = Entry {
    name: "sample-uniqueness",
    check: |case| {
        let unique = in_classes(case, |size| size < 1.5);
        case.reached(Reached::at_most("share", Some(unique), case.number("share")?))
    },
};

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
