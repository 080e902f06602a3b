//! Which of the planned releases are offered: none twice, and none for its detail that has no more of it.

use maud::{Markup, html};
use velamen_assess::guide::Kind;
use velamen_report::language::{say, t};

use super::shown::{Shown, title};

/// A share of detail that nobody sees.
const HARDLY: f64 = 5e-4;

/// Releases to choose from, and what is said of others.
pub(super) struct Offered<'a> {
    pub(super) shown: Vec<Shown<'a>>,
    pub(super) notes: Vec<Markup>,
}

fn of_kind<'s, 'a>(all: &'s [Shown<'a>], kind: Kind) -> Option<&'s Shown<'a>> {
    all.iter().find(|one| one.release.kind == kind)
}

fn is_for_detail(one: &Shown<'_>) -> bool {
    matches!(one.release.kind, Kind::MoreDetail | Kind::ByHalves)
}

/// Whether a release that was made for its detail keeps no more than what was asked for; `None` where that is not known.
fn is_in_vain(one: &Shown<'_>, all: &[Shown<'_>]) -> Option<bool> {
    let asked = of_kind(all, Kind::AsAsked)?.measured()?.lost?;
    Some(one.measured()?.lost? > asked - HARDLY)
}

/// Whether one more release is to be looked at, since the one with more detail has none, or cannot be made.
pub(super) fn needs_another(all: &[Shown<'_>]) -> bool {
    let more = of_kind(all, Kind::MoreDetail);
    more.is_some_and(|more| more.mistake().is_some() || is_in_vain(more, all) == Some(true))
}

/// What is left of the releases.
pub(super) fn offered(mut all: Vec<Shown<'_>>) -> Offered<'_> {
    let vain: Vec<bool> =
        all.iter().map(|one| is_for_detail(one) && is_in_vain(one, &all) == Some(true)).collect();
    let mut notes: Vec<Markup> = Vec::new();
    let asked = || html! { strong { (t(title(Kind::AsAsked))) } };
    if all.iter().zip(&vain).any(|(one, vain)| *vain && one.is_chosen) {
        notes.push(say!(
            "The recipe names a release that was made for more detail and keeps no more than {} here.",
            asked()
        ));
    }
    let mut at = vain.iter();
    all.retain(|one| !at.next().is_some_and(|vain| *vain) || one.is_chosen);
    if vain.contains(&true) && !all.iter().any(is_for_detail) {
        notes.push(say!("No release that keeps these promises was found to have more detail than {}. Those whose groups have ranges of their own were made, too.", asked()));
    }
    let same =
        |one: &Shown<'_>, other: &Shown<'_>| one.measured().is_some() && one.measured() == other.measured();
    while let Some((kept, gone)) = twice(&all, same) {
        let [kept_title, gone_title] =
            [kept, gone].map(|place| html! { strong { (t(title(all[place].release.kind))) } });
        notes.push(say!(
            "{} would be the same release as {}, which keeps the promises of both: it stands here once.",
            gone_title,
            kept_title
        ));
        all.remove(gone);
    }
    Offered { shown: all, notes }
}

/// The places of two releases that are one, the one that stays first: that of the recipe, else what was asked for.
fn twice(all: &[Shown<'_>], same: impl Fn(&Shown<'_>, &Shown<'_>) -> bool) -> Option<(usize, usize)> {
    let pairs = (0..all.len()).flat_map(|first| (first + 1..all.len()).map(move |second| (first, second)));
    let (first, second) = { pairs }.find(|(first, second)| same(&all[*first], &all[*second]))?;
    let stays = |place: usize| (all[place].is_chosen, all[place].release.kind == Kind::AsAsked);
    Some(if stays(second) > stays(first) { (second, first) } else { (first, second) })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::Map;
    use velamen_assess::guide::PlannedRelease;

    use super::*;
    use crate::candidate::Measured;

    fn planned() -> Vec<PlannedRelease> {
        let kinds = [Kind::Stricter, Kind::AsAsked, Kind::MoreDetail, Kind::ByHalves];
        let of = |kind| PlannedRelease { kind, by_group: false, models: Vec::new(), method: Map::new() };
        kinds.into_iter().map(of).collect()
    }

    /// The kinds that are offered of releases that lose so much, the one at a place being in the recipe, and how much is said.
    fn kinds(lost: &[f64], chosen: usize) -> (Vec<Kind>, usize) {
        let planned = planned();
        let each = planned.iter().zip(lost).enumerate();
        let shown = each.map(|(place, (release, lost))| {
            let measured = Measured { lost: Some(*lost), ..Measured::default() };
            Shown { place, release, found: Some(Ok(Some(Arc::new(measured)))), is_chosen: place == chosen }
        });
        let offered = offered(shown.collect());
        (offered.shown.iter().map(|one| one.release.kind).collect(), offered.notes.len())
    }

    #[test]
    fn what_keeps_no_more_detail_is_not_offered_for_it() {
        use Kind::{AsAsked, ByHalves, MoreDetail, Stricter};
        assert_eq!(kinds(&[0.5, 0.4, 0.3], 1), (vec![Stricter, AsAsked, MoreDetail], 0));
        assert_eq!(kinds(&[0.5, 0.4, 0.4, 0.3], 1), (vec![Stricter, AsAsked, ByHalves], 0));
        assert_eq!(kinds(&[0.5, 0.4, 0.4, 0.41], 1), (vec![Stricter, AsAsked], 1));
        // What the recipe names is shown, with a word on it.
        assert_eq!(kinds(&[0.5, 0.4, 0.45, 0.41], 2), (vec![Stricter, AsAsked, MoreDetail], 1));
    }

    #[test]
    fn one_release_stands_there_once() {
        assert_eq!(kinds(&[0.4, 0.4, 0.3], 1), (vec![Kind::AsAsked, Kind::MoreDetail], 1));
        assert_eq!(kinds(&[0.4, 0.4, 0.3], 0), (vec![Kind::Stricter, Kind::MoreDetail], 1));
    }
}
