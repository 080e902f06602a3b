//! Bins of class sizes: 1, 2–4, 5–9, 10–19, 20–49, 50–99, 100–199, ...

use crate::language::{t, text};
use crate::number::count;

/// Labelled bins from the least to the greatest size that occurs, where the first begins and the last ends, with the
/// number of classes in each. The steps are 1, 2, 5 times powers of ten, so that usual choices of k fall on a border.
pub(super) fn log_bins(class_sizes: &[(u64, u64)]) -> Vec<(String, u64)> {
    let occurring = || class_sizes.iter().filter(|(size, classes)| *size > 0 && *classes > 0);
    let least = occurring().map(|(size, _)| *size).min().unwrap_or(0);
    let greatest = occurring().map(|(size, _)| *size).max().unwrap_or(0);
    let bins = borders().filter(|&(low, high)| high >= least && low <= greatest);
    let total = |low, high| {
        let inside = occurring().filter(|(size, _)| (low..=high).contains(size));
        inside.fold(0u64, |sum, (_, classes)| sum.saturating_add(*classes))
    };
    bins.map(|(low, high)| (label(low.max(least), high.min(greatest)), total(low, high))).collect()
}

/// The first and last size of every bin.
fn borders() -> impl Iterator<Item = (u64, u64)> {
    let starts =
        (0..20u32).flat_map(|power| [1, 2, 5].map(|factor| 10u64.checked_pow(power)?.checked_mul(factor)));
    let starts: Vec<u64> = starts.flatten().collect();
    let ends: Vec<u64> = starts.iter().skip(1).map(|next| next - 1).chain([u64::MAX]).collect();
    starts.into_iter().zip(ends)
}

fn label(low: u64, high: u64) -> String {
    match high {
        _ if low == high => count(low),
        u64::MAX => text!("{} or more", count(low)),
        _ => format!("{}–{}", count(low), count(high)),
    }
}

/// One sentence on the least, the middle and the greatest class.
/// Where the release does not tell whose the records are, `promised` people of each class stand for what its size would show.
pub(super) fn sentence(class_sizes: &[(u64, u64)], people: bool, promised: Option<u64>) -> String {
    let mut sizes: Vec<(u64, u64)> = class_sizes.iter().copied().filter(|&(s, c)| s > 0 && c > 0).collect();
    sizes.sort_unstable();
    let (Some(first), Some(last)) = (sizes.first(), sizes.last()) else {
        return t("There is no group.").to_owned();
    };
    let hides = promised.map(|least| {
        text!(
            "How many people these are is not released: at least {} in each group, by the promise.",
            count(least)
        )
    });
    if first.0 == last.0 {
        let every = text!("Every group holds {}.", so_many(first.0, people));
        return hides.map_or_else(|| every.clone(), |hides| format!("{every} {hides}"));
    }
    let (least, greatest) = (so_many(first.0, people), count(last.0));
    let middle = median(&sizes);
    let half = if middle == first.0 { t("no more").to_owned() } else { text!("{} or fewer", count(middle)) };
    let hides = hides.unwrap_or_else(|| t("The larger the group, the better a person is hidden.").to_owned());
    let sizes = text!(
        "The smallest group holds {}, the largest {}; half of the groups hold {}.",
        least,
        greatest,
        half
    );
    format!("{sizes} {hides}")
}

/// So many records or people, in words.
pub(super) fn so_many(number: u64, people: bool) -> String {
    match (people, number) {
        (false, 1) => t("1 record").to_owned(),
        (false, number) => text!("{} records", count(number)),
        (true, 1) => t("1 person").to_owned(),
        (true, number) => text!("{} people", count(number)),
    }
}

/// The lower median of sorted sizes.
fn median(sizes: &[(u64, u64)]) -> u64 {
    let total: u128 = sizes.iter().map(|&(_, classes)| u128::from(classes)).sum();
    let mut seen = 0u128;
    let reached = sizes.iter().find(|&&(_, classes)| {
        seen += u128::from(classes);
        seen * 2 >= total
    });
    reached.map_or(0, |&(size, _)| size)
}
