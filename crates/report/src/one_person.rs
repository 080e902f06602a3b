//! How much of a group's records one person can have, where the release does not show whose they are.
//!
//! # Definition
//! A group has R records of at least k people, so that one of them has at most R − k + 1; with `records-per-person` c, at most c
//! of each person are in the release. Who picks a record of the group finds that person with at most min(R − k + 1, c)/R.

use crate::language::{t, text};
use crate::number::{count, percent};
use velamen_core::release::Release;
use velamen_measure::risk::people::Holdings;
use velamen_measure::risk::reidentification::is_above;

use super::bins::so_many;
use super::risk::in_words;
use crate::manifest::Manifest;
use crate::matching::least_persons;

/// The highest risk of re-identification that passes without a word.
pub(super) const USUAL_RISK: f64 = 0.2;

/// That one person can have more of a group's records than is usual; `None` where no group allows it, or where the release
/// shows whose its records are.
pub(super) fn possible(manifest: &Manifest, release: &Release) -> Option<String> {
    let least = least_persons(manifest)?;
    let most = manifest.records_per_person.map(|most| u64::from(most.get()));
    let share = |size: u64| largest_share(size, least, most);
    let above = release.sizes.iter().copied().filter(|&size| is_above(share(size), USUAL_RISK));
    let (records, highest) =
        above.fold((0u64, 0.0f64), |(records, highest), size| (records + size, highest.max(share(size))));
    let kept = match most {
        Some(most) => text!(
            "up to {} of each person are kept, so that it is at most {}",
            so_many(most, false),
            percent(highest)
        ),
        None => t("nothing limits how many records of a person are kept, as `records-per-person` would")
            .to_owned(),
    };
    (records > 0).then(|| {
        text!(
            "The release does not rule out that somebody who picks a record of a group finds one person more often than {}, because one \
             person can have more of its records: {}. Such groups have {} together; how many people they belong to is not released.",
            percent(USUAL_RISK),
            kept,
            so_many(records, false)
        )
    })
}

/// The largest share that one person can have of so many records of at least so many people, each with at most so many.
fn largest_share(size: u64, people: u64, most: Option<u64>) -> f64 {
    let records = size.saturating_sub(people - 1).min(most.unwrap_or(u64::MAX));
    records as f64 / size.max(1) as f64
}

/// That one person has more of a group's records than is usual, where the custodian knows whose they are.
pub(super) fn known(people: &Holdings) -> Option<String> {
    let highest = people.by_record(1.0)?.highest;
    let beside = people.beside_holders(USUAL_RISK);
    is_above(highest, USUAL_RISK).then(|| {
        let who = match beside {
            1 => t("1 person is").to_owned(),
            beside => text!("{} people are", count(beside)),
        };
        text!(
            "Somebody who picks a record of a group finds one person more often than {}, because she has more of its records: up to \
             {}. {} in such groups. The key `records-per-person` keeps fewer records of a person.",
            percent(USUAL_RISK),
            in_words(highest),
            who
        )
    })
}
