//! What speaks against a release that keeps its promises: the first thing that a reader sees.

use velamen_core::release::Release;

use super::verdict::list;
use crate::manifest::Manifest;
use crate::matching::{nearly_unique, singled_out, singled_out_together, surely_real};
use velamen_core::number::{count, percent};

/// What speaks against a release that keeps its promises.
pub(super) fn objections(manifest: &Manifest, release: &Release) -> Vec<String> {
    let single = singled_out(manifest, release).into_iter().map(|(name, share)| {
        format!(
            "The column {name} is released as it is and singles people out: {} of the records are the only ones with \
             their value. Anyone who knows a person's value finds the person's record.",
            percent(share)
        )
    });
    let together = singled_out_together(manifest, release).map(|(names, share)| {
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        format!(
            "The columns {} are released as they are and single people out together: {} of the records are the only ones \
             with their values. Anyone who knows them of a person finds the person's record.",
            list(&names),
            percent(share)
        )
    });
    let sensitive = nearly_unique(manifest, release).into_iter().map(|(name, share)| {
        format!(
            "The sensitive column {name} is released as it is, and {} of the records are the only ones with their value: \
             anyone who knows it finds the person's record. Is it a number or a name of a person?",
            percent(share)
        )
    });
    let real = Some(surely_real(release)).filter(|real| *real > 0).map(|real| {
        format!(
            "{} of {} records are certainly genuine, by columns that are released as they are: counterfeits among the \
             others of their group are easier to spot.",
            count(real),
            count(release.records())
        )
    });
    single.chain(together).chain(sensitive).chain(real).collect()
}
