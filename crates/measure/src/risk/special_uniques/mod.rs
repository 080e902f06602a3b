//! Special uniques: records that few attributes already make unique.
//!
//! # Summary
//! A minimal sample unique (MSU) of a record is a set of attributes on whose values it is alone in the
//! table, while it is not on any part of the set. The smaller and the more of them, the more easily the
//! record stands out, and the more likely it is unique in the population, too.
//!
//! # Definition
//! [`search`] is SUDA2: all MSUs of at most M attributes of all records. With m attributes and M below m
//! (else m − 1 in the product), an MSU of k attributes scores Π (m − i) for i = k … M, and a record the sum
//! over its MSUs. An attribute contributes the share of all scores that MSUs with it have.
//!
//! With the sampling fraction π, s₁ uniques and s₂ pairs in the sample, DIS estimates the probability that
//! a unique match is right, θ = π s₁/(π s₁ + 2(1 − π)s₂). DIS-SUDA shares it out by scores: the odds
//! d/(1 − d) of a record are in proportion to its score, and the harmonic mean of d over the records that
//! have MSUs is θ.
//!
//! # Parameters
//! [`Columns`], at most [`MOST_ATTRIBUTES`] of them, and M, from 1.
//!
//! # Errors
//! [`Interrupted`].
//!
//! # Complexity
//! At worst O(n · m · C(m, M)) time; what the pruning leaves is less the more uniques are small. Memory:
//! O(n · m + MSUs).
//!
//! # References
//! Elliot, Manning, Mayes, Gurd & Bane 2005, "SUDA: a program for detecting special uniques"; Manning, Haglin
//! & Keane 2008, "A recursive search algorithm for statistical disclosure assessment"; Skinner & Elliot 2002
//! (DIS); Elliot & Manning 2003 (DIS-SUDA).
//!
//! # Deviations
//! See `docs/methods/risk.md`: minimality is decided among the sets found for a record instead of by a search
//! for support rows, and DIS-SUDA has no exponent.

mod search;

use rustc_hash::FxHashSet;
use schemars::JsonSchema;
use serde::Serialize;
use velamen_core::context::{Context, Interrupted};

use crate::risk::leak::Columns;
use crate::risk::people::Holdings;

pub use search::{MOST_ATTRIBUTES, search, search_people};

/// A minimal sample unique.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Msu {
    /// The entry, which stands for one record.
    pub entry: u32,
    /// Bit a is set if attribute a belongs to it.
    pub attributes: u64,
}

impl Msu {
    /// k, the number of its attributes.
    #[must_use]
    pub fn size(&self) -> usize {
        self.attributes.count_ones() as usize
    }
}

/// What the MSUs of a table come to.
#[derive(Debug, Clone, PartialEq, JsonSchema, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct SpecialUniques {
    /// M, the most attributes that were looked at together.
    pub up_to: usize,
    /// Records that have an MSU, or people where these are counted.
    pub records: u64,
    /// How many MSUs there are.
    pub msus: u64,
    /// How many MSUs have 1, 2, … attributes.
    pub by_size: Vec<u64>,
    /// How many records have a smallest MSU of 1, 2, … attributes.
    pub records_by_smallest: Vec<u64>,
    /// The largest score of a record.
    pub highest_score: f64,
    /// The mean score of the records that have an MSU.
    pub mean_score: f64,
    /// By attribute, the share of all scores that MSUs with it have.
    #[serde(skip)]
    pub contributions: Vec<f64>,
    /// The records that have MSUs, by score, largest first.
    #[serde(skip)]
    pub scored: Vec<Scored>,
}

/// A record that has MSUs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scored {
    /// Its entry.
    pub entry: u32,
    /// Its score.
    pub score: f64,
    /// How many MSUs it has.
    pub msus: u64,
    /// The size of its smallest.
    pub smallest: usize,
}

/// Finds the MSUs of up to `up_to` attributes and scores them.
///
/// # Errors
/// [`Interrupted`].
///
/// # Panics
/// With more than [`MOST_ATTRIBUTES`] columns.
pub fn special_uniques(
    columns: Columns<'_>,
    up_to: usize,
    context: &Context<'_>,
) -> Result<SpecialUniques, Interrupted> {
    let attributes = columns.codes.len();
    let up_to = up_to.clamp(1, attributes.max(1));
    Ok(summed(&search(columns, up_to, context)?, attributes, up_to))
}

/// As [`special_uniques`], of people with records in several classes: a set of values is unique if one person alone has it,
/// and a person is the entry of hers with the greatest score. Entries are the pairs of [`Holdings::held`], `codes` those of
/// the classes.
///
/// # Errors
/// [`Interrupted`].
///
/// # Panics
/// With more than [`MOST_ATTRIBUTES`] columns.
pub fn special_uniques_of_people(
    codes: &[Vec<u32>],
    holdings: &Holdings,
    up_to: usize,
    context: &Context<'_>,
) -> Result<SpecialUniques, Interrupted> {
    let held = holdings.held();
    let of_entry = |codes: &Vec<u32>| held.iter().map(|one| codes[one.class as usize]).collect();
    let codes: Vec<Vec<u32>> = codes.iter().map(of_entry).collect();
    let people: Vec<u32> = held.iter().map(|one| one.person).collect();
    let (counts, up_to) = (vec![1; held.len()], up_to.clamp(1, codes.len().max(1)));
    let columns = Columns { codes: &codes, counts: &counts, weights: None };
    let mut msus = search_people(columns, &people, up_to, context)?;
    let mut seen = FxHashSet::default();
    let scored = summed(&msus, codes.len(), up_to).scored;
    // The greatest scores stand first.
    let first = scored.iter().filter(|one| seen.insert(people[one.entry as usize]));
    let kept: FxHashSet<u32> = first.map(|one| one.entry).collect();
    msus.retain(|msu| kept.contains(&msu.entry));
    Ok(summed(&msus, codes.len(), up_to))
}

/// The score of an MSU of `size` attributes of `attributes`, where up to `up_to` are looked for.
#[must_use]
pub fn score(size: usize, attributes: usize, up_to: usize) -> f64 {
    (size..=up_to.min(attributes.saturating_sub(1))).map(|i| (attributes - i) as f64).product()
}

/// Figures over MSUs that ascend by entry.
fn summed(msus: &[Msu], attributes: usize, up_to: usize) -> SpecialUniques {
    let mut by_size = vec![0; up_to];
    let mut records_by_smallest = vec![0; up_to];
    let mut contributions = vec![0.0; attributes];
    let mut scored = Vec::new();
    for of_record in msus.chunk_by(|a, b| a.entry == b.entry) {
        let mut record = Scored { entry: of_record[0].entry, score: 0.0, msus: 0, smallest: up_to };
        for msu in of_record {
            let score = score(msu.size(), attributes, up_to);
            by_size[msu.size() - 1] += 1;
            record.score += score;
            record.msus += 1;
            record.smallest = record.smallest.min(msu.size());
            members(msu.attributes).for_each(|attribute| contributions[attribute] += score);
        }
        records_by_smallest[record.smallest - 1] += 1;
        scored.push(record);
    }
    scored.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.entry.cmp(&b.entry)));
    let total: f64 = scored.iter().map(|record| record.score).sum();
    contributions.iter_mut().filter(|_| total > 0.0).for_each(|score| *score /= total);
    SpecialUniques {
        up_to,
        records: scored.len() as u64,
        msus: msus.len() as u64,
        by_size,
        records_by_smallest,
        highest_score: scored.first().map_or(0.0, |record| record.score),
        // An empty sum of floats is −0.
        mean_score: total.abs() / scored.len().max(1) as f64,
        contributions,
        scored,
    }
}

/// The positions of the bits that are set.
fn members(mut set: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let next = (set != 0).then(|| set.trailing_zeros() as usize);
        set &= set.wrapping_sub(1);
        next
    })
}

/// DIS: how likely a unique match with the population is right, from the classes of one and of two records
/// in a sample of this fraction. `None` where there is neither.
#[must_use]
pub fn dis(uniques: u64, pairs: u64, fraction: f64) -> Option<f64> {
    let right = fraction * uniques as f64;
    let all = right + 2.0 * (1.0 - fraction) * pairs as f64;
    (all > 0.0).then(|| right / all)
}

/// DIS-SUDA of each score, none of which is 0: odds in proportion to the score, harmonic mean `dis`.
#[must_use]
pub fn dis_suda(scores: &[f64], dis: f64) -> Vec<f64> {
    let inverse = scores.iter().map(|score| 1.0 / score).sum::<f64>() / scores.len().max(1) as f64;
    let odds = dis * inverse;
    scores.iter().map(|score| score * odds / (score * odds + (1.0 - dis))).collect()
}

#[cfg(test)]
mod tests;
