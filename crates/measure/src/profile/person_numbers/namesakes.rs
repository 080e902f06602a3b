//! Columns that tell people apart though some people share a value, as namesakes share a name.
//!
//! # Definition
//! A trait is *fine* if two records agree in it with a probability of 2 % at most: a birth, or sex and birth or age together. A column
//! separates people if at least 60 % of the further records of a value agree with its first one in a fine trait, and chance does not
//! explain it. It may hold names, remarks, addresses, other texts or numbers.
//!
//! In a table without any, what names a person directly does so: a full name, an e-mail address, a telephone number. Many of its values must
//! repeat, and the sex must not speak against it, or most must repeat. Other texts and numbers do if the sex speaks for it, or if most of
//! their values repeat in a table without a sex.
//!
//! # Complexity
//! O(records · log records) for each column and trait.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::groups::divergence;
use super::{
    AGREE, Codes, Column, FEW_VALUES, Fixed, Groups, LEAST_GROUPS, LEAST_GROUPS_BY_SEX, Trait, UNLIKELY,
    holds_trait, some, trait_of,
};
use crate::profile::Cells;
use crate::profile::finding::{self, Column as Named};
use crate::profile::header;
use crate::profile::identifier::Identifier;
use crate::profile::kind::{self, Kind};

/// The share of further records that agree: two namesakes with as many records agree with the first one in half of them.
pub(super) const MOST: f64 = 0.6;

/// The same of the sex alone, of what names a person directly.
const MOSTLY: f64 = 0.8;

/// Two records agree in a fine trait with this probability at most.
const FINE: f64 = 0.02;

/// Below this probability a trait is finer than a year of birth, from which cohorts follow.
const DAYS: f64 = 0.001;

/// More records of one name on average are those of somebody who treats others.
pub(super) const MOST_RECORDS: usize = 15;

/// Words of names of those who treat, and of where.
const STAFF: &str = "arzt|ärztin|hausarzt|behandler|einweiser|operateur|therapeut|doctor|doc|physician|surgeon|provider|prescriber|nurse|\
    gp|station|ward|unit|klinik|clinic|hospital|praxis|practice|abteilung|department|dept|site|center|centre|zentrum";

/// Shorter numbers are measurements.
const LONG: usize = 5;

/// The share of records whose name a record before has.
const OFTEN: f64 = 0.2;

/// The same from which it counts for more than the sex.
const MOSTLY_SHARED: f64 = 0.5;

/// The traits of a table, by how much they say.
pub(super) struct Namesakes<'a> {
    /// Fine traits, each with the probability that two records agree.
    fine: Vec<(Fixed<'a>, f64)>,
    /// The others.
    coarse: Vec<(Fixed<'a>, f64)>,
    /// Whether columns of which nobody knows what they are may count.
    unknown: bool,
}

impl<'a> Namesakes<'a> {
    pub(super) fn of(
        columns: &'a [Column<'_>],
        cells: &[Vec<(&str, u64)>],
        counts: &[u64],
        unknown: bool,
    ) -> Self {
        let both = columns.iter().zip(cells);
        let traits: Vec<&'a Column<'_>> = both
            .filter(|(column, cells)| holds_trait(column.name, Cells(&some(cells))))
            .map(|(column, _)| column)
            .collect();
        let alone = traits.iter().map(|column| Fixed::of(column, Trait::Constant));
        let all = (traits.len() > 1).then(|| joint(&traits));
        let judged = alone.chain(all).map(|fixed| {
            let chance = fixed.by_chance(counts);
            (fixed, chance)
        });
        let (fine, coarse) = judged.partition(|(_, chance)| *chance <= FINE);
        Self { fine, coarse, unknown }
    }

    /// The share of a column's further records that agree with the first one of their value, if it tells people apart some of whom share one.
    pub(super) fn are_told_by(&self, name: &str, cells: Cells<'_>, groups: &Groups<'_>) -> Option<f64> {
        let by_fine = self.fine.iter().filter_map(|(fixed, chance)| agree(groups, fixed, *chance));
        by_fine.max_by(f64::total_cmp).or_else(|| self.by_coarse(name, cells, groups))
    }

    /// The same where nothing but the sex can tell, or nothing does.
    fn by_coarse(&self, name: &str, cells: Cells<'_>, groups: &Groups<'_>) -> Option<f64> {
        // Ages that differ are those of several people, however many share a sex.
        let differs = |fixed: &Fixed<'_>| groups.agreeing(&[fixed]).is_some_and(|(share, _)| share < MOST);
        if self.coarse.iter().any(|(fixed, _)| fixed.distinct() > FEW_VALUES && differs(fixed)) {
            return None;
        }
        let shares = self.coarse.iter().filter_map(|(fixed, _)| groups.agreeing(&[fixed]));
        let share = shares.map(|(share, _)| share).fold(1.0, f64::min);
        let directly =
            || names_directly(name, cells) && (is_shared(groups, MOSTLY_SHARED) || share >= MOSTLY);
        let texts = || !self.coarse.is_empty() && is_of_parts(cells) && share >= AGREE;
        // Nobody knows what it is: not its name, and no sex, birth or age of the table.
        let unknown = || {
            self.unknown
                && self.coarse.is_empty()
                && is_unknown(name, cells)
                && is_shared(groups, MOSTLY_SHARED)
        };
        let enough = groups.repeated >= LEAST_GROUPS_BY_SEX && is_shared(groups, OFTEN);
        (self.fine.is_empty() && enough && (directly() || texts() || unknown())).then_some(share)
    }
}

/// Whether most texts have digits or several words: given names have one sex, too.
fn is_of_parts(cells: Cells<'_>) -> bool {
    cells.share(|text| text.contains(|c: char| c.is_ascii_digit() || c.is_whitespace())) >= MOST
}

/// Whether neither a name nor a form says what codes, texts with numbers or long numbers are.
fn is_unknown(name: &str, cells: Cells<'_>) -> bool {
    let unnamed = header::identifier(name).is_none() && header::about(name).is_none();
    let long = || cells.share(|text| text.len() >= LONG) >= AGREE;
    let is_number = matches!(kind::of(Cells(&some(cells.0))).0, Kind::WholeNumber);
    unnamed && is_of_parts(cells) && (!is_number || long())
}

/// What agrees only if all columns do.
fn joint<'a>(columns: &[&Column<'_>]) -> Fixed<'a> {
    let known = |column: &Column<'_>, code: u32| (!column.values[code as usize].is_empty()).then_some(code);
    let codes = |column: &&Column<'_>| column.codes.iter().map(|code| known(column, code)).collect();
    let all: Vec<Option<u32>> =
        columns.iter().map(codes).reduce(|one: Vec<_>, other| paired(&one, &other)).unwrap_or_default();
    let pairs = all.iter().flatten().max().map_or(0, |most| most + 1);
    // The place behind the last one is that of what is missing.
    let places: Vec<u32> = all.iter().map(|code| code.unwrap_or(pairs)).collect();
    let of_value = (0..pairs).map(|code| Some(f64::from(code))).chain([None]).collect();
    Fixed { kind: Trait::Constant, years: 0.0, of_value, codes: Codes::of(places) }
}

/// A number for each pair of codes, in the order of the entries.
fn paired(one: &[Option<u32>], other: &[Option<u32>]) -> Vec<Option<u32>> {
    let mut places: FxHashMap<(u32, u32), u32> = FxHashMap::default();
    let pairs = one.iter().zip(other).map(|(one, other)| Some(((*one)?, (*other)?)));
    let numbered = pairs.map(|pair| {
        let next = places.len() as u32;
        pair.map(|pair| *places.entry(pair).or_insert(next))
    });
    numbered.collect()
}

fn agree(groups: &Groups<'_>, fixed: &Fixed<'_>, chance: f64) -> Option<f64> {
    let (share, pairs) = groups.agreeing(&[fixed])?;
    let finer = || chance <= DAYS || !follows(groups, fixed);
    let least = groups.repeated >= LEAST_GROUPS && share >= MOST;
    (least && finer() && pairs as f64 * divergence(share, chance) >= UNLIKELY).then_some(share)
}

/// Whether the column follows from the trait, as a cohort does from a birth's year: people share years, so that a person's number does not.
pub(super) fn follows(groups: &Groups<'_>, fixed: &Fixed<'_>) -> bool {
    let mut first: BTreeMap<i64, u32> = BTreeMap::new();
    let (mut further, mut same) = (0, 0);
    for (entry, (part, count)) in groups.parts.iter().zip(groups.counts).enumerate() {
        let Some(value) = fixed.of_entry(entry) else { continue };
        let of_first = *first.entry(value as i64).or_insert(*part);
        further += count;
        same += if of_first == *part { *count } else { 0 };
    }
    same as f64 >= AGREE * further as f64
}

/// Whether a column's values could be of people: neither dates nor measurements, nor what its name calls something else.
pub(super) fn can_tell(name: &str, cells: Cells<'_>) -> bool {
    let about_people = header::identifier(name).is_some() || header::about(name).is_none();
    let of_staff = || header::words(name).iter().any(|word| STAFF.split('|').any(|staff| staff == word));
    about_people
        && !of_staff()
        && cells.share(|text| text.starts_with("Dr")) < MOST
        && cells.distinct() > LEAST_GROUPS
        && trait_of(name, None).is_none()
        && !matches!(
            kind::of(Cells(&some(cells.0))).0,
            Kind::Empty | Kind::Decimal { .. } | Kind::Date { .. }
        )
}

/// Whether at least so large a share of the records has a value that a record before has, and no value has very many.
fn is_shared(groups: &Groups<'_>, least: f64) -> bool {
    let further = groups.records - groups.persons as u64;
    further as f64 >= least * groups.records as f64
        && groups.records <= (MOST_RECORDS * groups.persons) as u64
}

/// Whether values name a person by themselves.
fn names_directly(name: &str, cells: Cells<'_>) -> bool {
    use Identifier::{Email, HealthPlan, MedicalRecord, Name, SocialSecurity, Telephone};
    let some = some(cells.0);
    let cells = Cells(&some);
    let (kind, _) = kind::of(cells);
    let full = || cells.share(|value| value.split_whitespace().nth(1).is_some()) >= 0.5;
    finding::direct(Named { name, kind: &kind, cells }).iter().any(|finding| match finding.identifier {
        Name => full(),
        Email | Telephone | SocialSecurity | HealthPlan | MedicalRecord => true,
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::super::{Candidate, candidates};
    use super::*;

    /// Some 300 people with one to six records each; what is said of one, by number.
    fn found(texts: &[(&str, &dyn Fn(usize) -> String)]) -> Vec<Candidate> {
        let rows: Vec<usize> =
            (0..300).flat_map(|person| std::iter::repeat_n(person, 1 + mixed(person) % 6)).collect();
        let columns: Vec<(&str, Vec<String>)> =
            texts.iter().map(|(name, of)| (*name, rows.iter().map(|row| of(*row)).collect())).collect();
        let read: Vec<Column<'_>> = columns
            .iter()
            .map(|(name, values)| Column {
                name,
                values: values.iter().map(String::as_str).collect(),
                codes: Codes::of((0..values.len() as u32).collect::<Vec<u32>>()),
            })
            .collect();
        candidates(&read, &vec![1; rows.len()], |_| true, true)
    }

    fn mixed(number: usize) -> usize {
        let mixed = (number + 7).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (mixed ^ (mixed >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 33
    }

    /// Eight given names and a hundred family names: a third of the people has a namesake.
    fn name(person: usize) -> String {
        let given = ["Anna", "Peter", "Maria", "Klaus", "Julia", "Martin", "Sabine", "Thomas"];
        let family =
            ["Meier", "Schulz", "Kraus", "Weber", "Berger", "Hofmann", "Lang", "Bauer", "Fritz", "Stein"];
        let (one, other) = (mixed(person + 77) % 100, mixed(person + 991) % 8);
        format!("{} {}-{}", given[other], family[one / 10], family[one % 10])
    }

    fn birth(person: usize) -> String {
        let day = mixed(person + 5);
        format!("{}-{:02}-{:02}", 1930 + day % 70, 1 + day % 12, 1 + day % 28)
    }

    fn sex(person: usize) -> String {
        ["m", "f"][mixed(person + 3) % 2].to_owned()
    }

    #[test]
    fn names_tell_people_apart_though_some_are_shared() {
        for header in ["1", "x1", "Name"] {
            let of_name = |texts: &[(&str, &dyn Fn(usize) -> String)]| {
                found(texts).iter().map(|one| one.name.clone()).collect::<Vec<_>>()
            };
            assert_eq!(of_name(&[(header, &name), ("2", &birth), ("3", &sex)]), [header]);
            assert_eq!(of_name(&[(header, &name), ("2", &birth)]), [header]);
            assert_eq!(of_name(&[(header, &name)]), [header]);
        }
    }

    #[test]
    fn remarks_that_repeat_with_a_birth_tell_people_apart() {
        let remark = |person: usize| format!("call 0170{:07}", person * 7919);
        assert_eq!(found(&[("5", &remark), ("2", &birth)]).len(), 1);
    }

    #[test]
    fn other_texts_do_not() {
        let town = |person: usize| format!("Town of {}", mixed(person) % 60);
        let cohort = |person: usize| format!("Cohort {}", &birth(person)[..4]);
        let year = |person: usize| birth(person)[..4].to_owned();
        assert_eq!(found(&[("1", &town), ("2", &birth), ("3", &sex)]), []);
        assert_eq!(found(&[("1", &cohort), ("2", &birth), ("3", &sex)]), []);
        assert_eq!(found(&[("1", &cohort), ("birth_year", &year), ("3", &sex)]), []);
    }
}
