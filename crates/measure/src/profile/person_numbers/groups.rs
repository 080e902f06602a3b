//! The records of each value of a column, and whether they are a person's.

use super::fixed::Fixed;
use super::{AGREE, Candidate, Column, FEW_VALUES, LEAST_GROUPS, LEAST_GROUPS_BY_SEX, Trait, UNLIKELY};

/// How many numbers have to repeat for these to say something.
pub(super) fn least_groups(judged: &[&Fixed<'_>]) -> usize {
    if judged.iter().all(|fixed| fixed.distinct() <= FEW_VALUES) { LEAST_GROUPS_BY_SEX } else { LEAST_GROUPS }
}

/// The entries of each value of a column.
pub(super) struct Groups<'a> {
    pub(super) counts: &'a [u64],
    /// Per entry the first entry of its value; its own where it has none.
    pub(super) parts: Vec<u32>,
    /// Values that several records have.
    pub(super) repeated: usize,
    pub(super) persons: usize,
    pub(super) records: u64,
}

impl<'a> Groups<'a> {
    /// `None` where no value repeats.
    pub(super) fn of(column: &Column<'_>, counts: &'a [u64]) -> Option<Self> {
        let filler = column.filler(counts);
        let mut first: Vec<Option<(u32, u64)>> = vec![None; column.values.len()];
        let mut parts = Vec::with_capacity(column.codes.len());
        for (entry, (code, count)) in column.codes.iter().zip(counts).enumerate() {
            if column.values[code as usize].is_empty() || filler == Some(code) {
                parts.push(entry as u32);
                continue;
            }
            let (of_value, records) = first[code as usize].get_or_insert((entry as u32, 0));
            *records += count;
            parts.push(*of_value);
        }
        let records = || first.iter().flatten().map(|(_, records)| *records);
        let repeated = records().filter(|records| *records > 1).count();
        let (persons, records) = (records().count(), records().sum());
        (repeated > 0).then_some(Self { counts, parts, repeated, persons, records })
    }

    pub(super) fn candidate(&self, name: &str) -> Candidate {
        let (persons, records) = (self.persons, self.records);
        Candidate { name: name.to_owned(), persons, records, same: Vec::new(), shared: false, births: None }
    }

    /// What shows that several values are of one person: days of birth that more of them share than different people would.
    pub(super) fn births(&self, columns: &[Column<'_>]) -> Option<String> {
        let firsts: Vec<u32> =
            (0..).zip(&self.parts).filter(|(entry, part)| entry == *part).map(|(entry, _)| entry).collect();
        columns.iter().find_map(|column| column.births_of_people(&firsts))
    }

    /// Whether what does not change of a person does not change within a value, more than by chance.
    pub(super) fn are_persons(&self, traits: &[Fixed<'_>], named: bool) -> bool {
        let constant: Vec<&Fixed<'_>> = traits.iter().filter(|fixed| fixed.kind == Trait::Constant).collect();
        // Ages of many years of visits speak against nobody where sex or birth tell.
        let judged: Vec<&Fixed<'_>> =
            if named && !constant.is_empty() { constant } else { traits.iter().collect() };
        if judged.is_empty() {
            return named;
        }
        let agreeing = |all: &[&Fixed<'_>]| self.agreeing(all);
        if judged.iter().any(|fixed| agreeing(&[fixed]).is_some_and(|(share, _)| share < AGREE)) {
            return false;
        }
        let Some((share, pairs)) = agreeing(&judged) else { return named };
        named
            || self.repeated >= least_groups(&judged) && self.tells_more_than_age(&judged) && {
                // All agree at most as often as any one of them does.
                let chance = judged.iter().map(|fixed| fixed.by_chance(self.counts)).fold(1.0, f64::min);
                pairs as f64 * divergence(share, chance) >= UNLIKELY
            }
    }

    /// Groups of ages have ages that agree, too: a person's number has more values than there are ages.
    pub(super) fn tells_more_than_age(&self, judged: &[&Fixed<'_>]) -> bool {
        let only_ages = judged.iter().all(|fixed| fixed.kind == Trait::Age);
        !only_ages || judged.iter().map(|fixed| fixed.distinct()).all(|ages| 2 * self.persons > 3 * ages)
    }

    /// Of further records of a value, the share that agrees in all of these with the first, and how many there are.
    pub(super) fn agreeing(&self, all: &[&Fixed<'_>]) -> Option<(f64, u64)> {
        let (mut agree, mut pairs) = (0, 0);
        for (entry, (&first, &count)) in self.parts.iter().zip(self.counts).enumerate() {
            // An entry's further records agree with its first one.
            let further = if first as usize == entry { count - 1 } else { count };
            if further == 0 {
                continue;
            }
            let known = all.iter().filter_map(|fixed| fixed.agree(first as usize, entry));
            if let Some(agrees) = known.reduce(|one, other| one && other) {
                pairs += further;
                agree += if agrees { further } else { 0 };
            }
        }
        (pairs > 0).then(|| (agree as f64 / pairs as f64, pairs))
    }
}

/// Of a share from a chance: `n` times it is a lower bound of −ln of the probability that `n` tries give that share or more
/// (Chernoff).
pub(super) fn divergence(share: f64, chance: f64) -> f64 {
    if share <= chance {
        return 0.0;
    }
    let chance = chance.max(1e-12);
    let of = |share: f64, chance: f64| if share <= 0.0 { 0.0 } else { share * (share / chance).ln() };
    of(share, chance) + of(1.0 - share, 1.0 - chance)
}
