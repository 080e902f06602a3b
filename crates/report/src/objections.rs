//! What speaks against a release that keeps its promises: the first thing that a reader sees.

use crate::language::{t, text};
use crate::number::{count, percent};
use velamen_contract::Promised;
use velamen_core::release::Release;

use super::Risk;
use super::bins::so_many;
use super::one_person::{self, USUAL_RISK};
use super::risk::{in_words, prosecutor};
use super::sensitive::{self, Groups};
use super::verdict::list;
use crate::manifest::{Manifest, OfMethod};
use crate::matching::{counted_alone, nearly_unique, singled_out, singled_out_together, surely_real};
use velamen_measure::risk::reidentification::is_above;

/// What speaks against a release that keeps its promises.
pub(super) fn objections(manifest: &Manifest, release: &Release, risk: Option<&Risk>) -> Vec<String> {
    let whom = t(counted_alone(manifest, release));
    let single = singled_out(manifest, release).into_iter().map(|(name, share)| {
        text!(
            "The column {} is released as it is and singles people out: {} of the {} are the only ones with \
             their value. Anyone who knows a person's value finds the person's record.",
            name,
            percent(share),
            whom
        )
    });
    let together = singled_out_together(manifest, release).map(|(names, share)| {
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        text!(
            "The columns {} are released as they are and single people out together: {} of the {} are the only ones \
             with their values. Anyone who knows them of a person finds the person's record.",
            list(&names),
            percent(share),
            whom
        )
    });
    let sensitive = nearly_unique(manifest, release).into_iter().map(|(name, share)| {
        text!(
            "The sensitive column {} is released as it is, and {} of the {} are the only ones with their value: \
             anyone who knows it finds the person's record. Is it a number or a name of a person?",
            name,
            percent(share),
            whom
        )
    });
    let real = Some(surely_real(release)).filter(|real| *real > 0).map(|real| {
        text!(
            "{} of {} records are certainly genuine, by columns that are released as they are: counterfeits among the \
             others of their group are easier to spot.",
            count(real),
            count(release.records())
        )
    });
    // Where noise hides people, the size and the values of a group tell nobody's.
    let is_private = manifest.is_noisy() || manifest.models().any(Promised::is_private);
    let risky = risk.filter(|_| !is_private).and_then(risky);
    let one_person = if is_private { None } else { one_person::possible(manifest, release) };
    let groups = (!is_private).then(|| sensitive::objections(&Groups::new(manifest, release)));
    single
        .chain(together)
        .chain(sensitive)
        .chain(real)
        .chain(risky)
        .chain(one_person)
        .chain(groups.into_iter().flatten())
        .collect()
}

/// That people are easier to find than is usual. The release shows how many records, or people, have such a risk.
fn risky(risk: &Risk) -> Option<String> {
    let found = prosecutor(risk, USUAL_RISK)?;
    is_above(found.highest, USUAL_RISK).then(|| {
        let number = found.records_at_risk;
        let (highest, usual) = (in_words(found.highest), percent(USUAL_RISK));
        let who = so_many(number, risk.counts_people());
        match number {
            1 => text!(
                "The person easiest to find has a risk of {}: {} is above {}, which is the most that is common.",
                highest,
                who,
                usual
            ),
            _ => text!(
                "The person easiest to find has a risk of {}: {} are above {}, which is the most that is common.",
                highest,
                who,
                usual
            ),
        }
    })
}
