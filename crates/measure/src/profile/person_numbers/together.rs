//! Persons that no column numbers by itself: numbers that stand before a suffix, and numbers of two columns.
//!
//! # Definition
//! A trait is *telling* if it is an age, or has more values than a sex has. What stands before the last separator of a value, or behind the
//! first one, numbers persons if its records agree as those of a person's number do. More such values must occur than the trait has. Two
//! columns number persons together, if their records agree in a telling trait more than those of either column alone do, and by more than
//! chance. Of records that agree in a fine trait, 60 % are enough, as of names that some people share.
//!
//! Of many records those of some pairs are judged, all records of each.
//!
//! # Complexity
//! O(records · (columns + pairs) · traits), with at most 16 columns.

use std::collections::HashMap;

use rustc_hash::{FxBuildHasher, FxHashMap};
use velamen_core::number::count;

use super::fixed::Fixed;
use super::groups::{Groups, divergence};
use super::namesakes::{MOST, MOST_RECORDS, follows};
use super::{AGREE, Column, FEW_VALUES, LEAST_GROUPS, Trait, UNLIKELY, are_births, some, trait_of};
use crate::profile::Cells;
use crate::profile::kind::{self, Kind};

/// Two records agree in a fine trait with this probability at most, as in years of birth.
const FINE: f64 = 0.03;

/// Of more columns, those with most values.
const MOST_COLUMNS: usize = 16;

/// Of more records, about so many: those of some pairs of values.
const MOST_JUDGED: usize = 20_000;

/// What parts a number from what is counted within it.
const SEPARATORS: [char; 7] = ['-', '/', '_', '.', ':', '#', ' '];

/// A part of a value.
type Part = fn(&str) -> Option<&str>;

/// What to say where no column numbers the persons of a table by itself, and two columns or a part of one do; each record is an entry of its own.
/// Columns that are no suspects are answered for.
#[must_use]
pub fn together(columns: &[Column<'_>], is_suspect: impl Fn(&str) -> bool) -> Option<String> {
    let records = columns.first().map_or(0, |column| column.codes.len());
    let counts = vec![1; records];
    let once: Vec<Column<'_>> = columns.iter().map(Column::distinct).collect();
    let cells: Vec<Vec<(&str, u64)>> = once.iter().map(|column| column.counted(&counts)).collect();
    let traits = Traits::of(&once, &cells, &counts);
    if !traits.tell() {
        return None;
    }
    // Small numbers of people may look like ages.
    let holds_trait = |at: usize| {
        trait_of(columns[at].name, Some(Cells(&cells[at]))).is_some() || are_births(Cells(&some(&cells[at])))
    };
    let others = |at: &usize| is_suspect(columns[*at].name) && !holds_trait(*at);
    let places: Vec<usize> = (0..columns.len()).filter(others).collect();
    let parts = || places.iter().find_map(|&at| traits.of_parts(&columns[at], Cells(&cells[at])));
    parts().or_else(|| traits.of_two(&once, &cells, &places))
}

/// What does not change of a person, by all columns that tell it.
struct Traits<'a> {
    all: Vec<Judged<'a>>,
    counts: &'a [u64],
}

/// A trait, and the probability that two records agree.
struct Judged<'a> {
    fixed: Fixed<'a>,
    chance: f64,
    /// Whether it is an age, or has more values than a sex.
    tells: bool,
}

impl Judged<'_> {
    /// Whether so large a share of pairs that agree, beside that which agrees anyway, speaks for persons; `constant` says that no trait speaks
    /// against them.
    fn speaks_for(&self, (share, pairs): (f64, u64), anyway: f64, constant: bool) -> bool {
        let fine = self.chance <= FINE;
        let enough = share >= if fine { MOST } else { AGREE } && (constant || fine);
        enough && self.tells && pairs as f64 * divergence(share, self.chance.max(anyway)) >= UNLIKELY
    }
}

impl<'a> Traits<'a> {
    fn of(columns: &'a [Column<'_>], cells: &[Vec<(&str, u64)>], counts: &'a [u64]) -> Self {
        let both = || columns.iter().zip(cells);
        let named =
            both().filter_map(|(column, cells)| Some((column, trait_of(column.name, Some(Cells(cells)))?)));
        let mut known: Vec<(&Column<'_>, Trait)> = named.collect();
        let births = both().filter(|(_, cells)| are_births(Cells(cells)));
        if known.iter().all(|(_, kind)| *kind != Trait::Age) {
            known.extend(births.map(|(column, _)| (column, Trait::Constant)));
        }
        let all = known.into_iter().map(|(column, kind)| {
            let fixed = Fixed::of(column, kind);
            let chance = fixed.by_chance(counts);
            let tells = kind == Trait::Age || fixed.distinct() > FEW_VALUES;
            Judged { fixed, chance, tells }
        });
        Self { all: all.collect(), counts }
    }

    fn tell(&self) -> bool {
        self.all.iter().any(|one| one.tells)
    }

    fn fixed(&self) -> Vec<&Fixed<'a>> {
        self.all.iter().map(|one| &one.fixed).collect()
    }

    /// What to say where a part of a column's values numbers persons.
    fn of_parts(&self, column: &Column<'_>, cells: Cells<'_>) -> Option<String> {
        if matches!(kind::of(Cells(&some(cells.0))).0, Kind::Date { .. } | Kind::Decimal { .. }) {
            return None;
        }
        let of = |part, what| self.of_part(column, cells.distinct(), (part, what));
        of(before as Part, "before the last separator").or_else(|| of(behind, "behind the first separator"))
    }

    fn of_part(&self, column: &Column<'_>, distinct: usize, (part, what): (Part, &str)) -> Option<String> {
        let values: Vec<&str> = column.values.iter().map(|value| part(value).unwrap_or("")).collect();
        let parted = values.iter().filter(|value| !value.is_empty()).count();
        if (parted as f64) < AGREE * distinct as f64 {
            return None;
        }
        let part = Column { name: column.name, values, codes: column.codes.lent() };
        let part = part.distinct();
        let groups = Groups::of(&part, self.counts)?;
        self.are_persons(&groups).then(|| {
            format!(
                "what stands {what} of `{}` tells {} people apart in {} records that were looked at",
                column.name,
                count(groups.persons as u64),
                count(groups.records)
            )
        })
    }

    /// Whether records of a value agree as those of a person do, and the values say more than the traits do.
    fn are_persons(&self, groups: &Groups<'_>) -> bool {
        let follows = self.all.iter().any(|one| one.tells && follows(groups, &one.fixed));
        !follows
            && groups.tells_more_than_age(&self.fixed())
            && self.speak_for(groups, &vec![0.0; self.all.len()])
    }

    /// Whether a trait speaks for persons, beside the shares of further records that agree in each trait anyway.
    fn speak_for(&self, groups: &Groups<'_>, anyway: &[f64]) -> bool {
        let shares: Vec<Option<(f64, u64)>> =
            self.all.iter().map(|one| groups.agreeing(&[&one.fixed])).collect();
        let constant = shares.iter().flatten().all(|(share, _)| *share >= AGREE);
        let mut each = self.all.iter().zip(shares).zip(anyway);
        groups.repeated >= LEAST_GROUPS
            && each.any(|((one, share), anyway)| {
                share.is_some_and(|share| one.speaks_for(share, *anyway, constant))
            })
    }

    /// What to say where two columns together number persons.
    fn of_two(&self, columns: &[Column<'_>], cells: &[Vec<(&str, u64)>], places: &[usize]) -> Option<String> {
        let mut alone: Vec<Alone<'_, '_>> = places
            .iter()
            .filter(|&&at| can_be_half(columns[at].name, Cells(&cells[at])))
            .filter_map(|&at| self.alone(&columns[at]))
            .collect();
        alone.sort_by_key(|one| std::cmp::Reverse(one.column.values.len()));
        alone.truncate(MOST_COLUMNS);
        let pairs = (0..alone.len()).flat_map(|one| (one + 1..alone.len()).map(move |other| (one, other)));
        pairs.into_iter().find_map(|(finer, other)| self.of_pair(&alone[finer], &alone[other]))
    }

    /// A column with the shares of its further records that agree in each trait; none where the traits follow from it.
    fn alone<'c, 't>(&self, column: &'c Column<'t>) -> Option<Alone<'c, 't>> {
        let Some(groups) = Groups::of(column, self.counts) else {
            // No two records share a value: nothing is gained by a second column.
            return None;
        };
        let share = |one: &Judged<'_>| groups.agreeing(&[&one.fixed]).map_or(0.0, |(share, _)| share);
        let shares: Vec<f64> = self.all.iter().map(share).collect();
        let told = shares.iter().zip(&self.all).any(|(share, one)| one.tells && *share >= AGREE);
        (!told).then_some(Alone { column, shares })
    }

    fn of_pair(&self, finer: &Alone<'_, '_>, other: &Alone<'_, '_>) -> Option<String> {
        let groups = self.groups(finer.column, other.column)?;
        let anyway: Vec<f64> =
            finer.shares.iter().zip(&other.shares).map(|(one, other)| one.max(*other)).collect();
        let people = groups.records <= (MOST_RECORDS * groups.persons) as u64;
        let told = people && groups.tells_more_than_age(&self.fixed()) && self.speak_for(&groups, &anyway);
        told.then(|| {
            format!(
                "`{}` and `{}` together tell {} people apart in {} records that were looked at",
                finer.column.name,
                other.column.name,
                count(groups.persons as u64),
                count(groups.records)
            )
        })
    }

    /// The records of each pair of values; of many records, those of some pairs.
    fn groups(&self, finer: &Column<'_>, other: &Column<'_>) -> Option<Groups<'a>> {
        let records = finer.codes.len();
        let step = records.div_ceil(MOST_JUDGED).max(1) as u64;
        let mut first: FxHashMap<(u32, u32), (u32, u64)> =
            HashMap::with_capacity_and_hasher(records.min(MOST_JUDGED), FxBuildHasher);
        let mut parts = Vec::with_capacity(records);
        for (entry, pair) in finer.codes.iter().zip(other.codes.iter()).enumerate() {
            let known = mixed(pair).is_multiple_of(step)
                && !finer.values[pair.0 as usize].is_empty()
                && !other.values[pair.1 as usize].is_empty();
            let entry = entry as u32;
            parts.push(if known {
                let (part, records) = first.entry(pair).or_insert((entry, 0));
                *records += 1;
                *part
            } else {
                entry
            });
        }
        let repeated = first.values().filter(|(_, records)| *records > 1).count();
        let (persons, records) = (first.len(), first.values().map(|(_, records)| records).sum());
        (repeated > 0).then_some(Groups { counts: self.counts, parts, repeated, persons, records })
    }
}

/// A column, and by trait the share of its further records that agree with the first one of their value.
struct Alone<'c, 't> {
    column: &'c Column<'t>,
    shares: Vec<f64>,
}

/// Any number of a pair, the same in every run.
fn mixed((one, other): (u32, u32)) -> u64 {
    let both = u64::from(one) << 32 | u64::from(other);
    (both.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 33
}

/// Whether values can be half of a person's number: neither dates nor measurements.
fn can_be_half(name: &str, cells: Cells<'_>) -> bool {
    let kind = kind::of(Cells(&some(cells.0))).0;
    trait_of(name, None).is_none() && !matches!(kind, Kind::Empty | Kind::Decimal { .. } | Kind::Date { .. })
}

fn before(value: &str) -> Option<&str> {
    let (part, rest) = value.trim().rsplit_once(SEPARATORS)?;
    (!rest.is_empty()).then_some(part)
}

fn behind(value: &str) -> Option<&str> {
    let (first, part) = value.trim().split_once(SEPARATORS)?;
    (!first.is_empty()).then_some(part)
}

#[cfg(test)]
mod tests {
    use super::super::Codes;
    use super::*;

    type Texts<'a> = (&'a str, &'a dyn Fn(usize, usize) -> String);

    /// Some 300 people with one to six records each, in any order; what is said of one, by number and visit.
    fn told(texts: &[Texts<'_>]) -> Option<String> {
        let rows =
            (0..300).flat_map(|person| (0..=mixed((person, 3)) % 6).map(move |visit| (person, visit as u32)));
        let mut rows: Vec<(u32, u32)> = rows.collect();
        rows.sort_by_key(|&(person, visit)| mixed((person * 7 + visit, person)));
        of_rows(&rows, texts)
    }

    fn of_rows(rows: &[(u32, u32)], texts: &[Texts<'_>]) -> Option<String> {
        let cells = |of: &dyn Fn(usize, usize) -> String| -> Vec<String> {
            rows.iter().map(|&(person, visit)| of(person as usize, visit as usize)).collect()
        };
        let columns: Vec<(&str, Vec<String>)> = texts.iter().map(|(name, of)| (*name, cells(of))).collect();
        let columns = columns.iter().map(|(name, values)| Column {
            name,
            values: values.iter().map(String::as_str).collect(),
            codes: Codes::of((0..values.len() as u32).collect::<Vec<u32>>()),
        });
        together(&columns.collect::<Vec<_>>(), |_| true)
    }

    fn any(person: usize, salt: u32) -> usize {
        mixed((person as u32, salt)) as usize
    }

    fn age(person: usize, _: usize) -> String {
        (18 + any(person, 5) % 75).to_string()
    }

    fn year(person: usize, _: usize) -> String {
        (1930 + any(person, 5) % 75).to_string()
    }

    fn sex(person: usize, _: usize) -> String {
        ["m", "w"][any(person, 11) % 2].to_owned()
    }

    fn ward(person: usize, visit: usize) -> String {
        format!("ward {}", any(person * 8 + visit, 17) % 12)
    }

    #[test]
    fn a_number_before_a_suffix_is_found() {
        for of in [
            &(|person: usize, visit: usize| format!("{}-{}", 20_000 + person * 7, visit + 1))
                as &dyn Fn(usize, usize) -> String,
            &|person: usize, visit: usize| format!("{}/{}", 20_000 + person * 7, visit + 1),
            &|person: usize, visit: usize| format!("{} {}", visit + 1, 20_000 + person * 7),
        ] {
            let said = told(&[("Fallnummer", of), ("Alter", &age), ("Geschlecht", &sex)]);
            assert!(
                said.as_deref().is_some_and(|said| said.contains("of `Fallnummer` tells 300 people")),
                "{said:?}"
            );
        }
        // A suffix of no meaning, and a prefix that is the year of birth.
        let any_number =
            |person: usize, visit: usize| format!("{}-{visit}", any(person * 8 + visit, 23) % 100_000);
        let born =
            |person: usize, visit: usize| format!("{}-{}", year(person, visit), 1_000 + person * 8 + visit);
        assert_eq!(told(&[("Fallnummer", &any_number), ("Alter", &age), ("Geschlecht", &sex)]), None);
        assert_eq!(told(&[("Fallnummer", &born), ("Jahrgang", &year), ("Geschlecht", &sex)]), None);
    }

    #[test]
    fn two_columns_that_number_people_together_are_found() {
        let clinic = |person: usize, _: usize| ["north", "south", "east"][person % 3].to_owned();
        let number = |person: usize, _: usize| (1 + person / 3).to_string();
        let said =
            told(&[("clinic", &clinic), ("number", &number), ("age", &age), ("sex", &sex), ("ward", &ward)]);
        assert!(
            said.as_deref().is_some_and(|said| said.contains("together tell 300 people apart")),
            "{said:?}"
        );
    }

    #[test]
    fn two_names_that_some_people_share_are_found() {
        let family =
            |person: usize, _: usize| format!("Family {}", (b'a' + (any(person, 31) % 25) as u8) as char);
        let given =
            |person: usize, _: usize| format!("Given {}", (b'a' + (any(person, 37) % 20) as u8) as char);
        let said = told(&[("1", &family), ("2", &given), ("Jahrgang", &year), ("Geschlecht", &sex)]);
        assert!(said.as_deref().is_some_and(|said| said.contains("`1` and `2` together")), "{said:?}");
    }

    fn kin(person: usize, visit: usize) -> String {
        match (any(person, 43) % 3, &*sex(person, visit)) {
            (0, "m") => "husband".to_owned(),
            (0, _) => "wife".to_owned(),
            (kind, _) => format!("kin {kind}"),
        }
    }

    #[test]
    fn people_with_a_record_each_are_not_found() {
        // Columns that say something of age and sex, codes that repeat, and a number of the day.
        let rows: Vec<(u32, u32)> = (0..20_000).map(|person| (person, 0)).collect();
        let level =
            |person: usize, _: usize| format!("level {}", (any(person, 5) % 75) / 10 + any(person, 41) % 2);
        let weight = |person: usize, _: usize| (any(person, 47) % 9_000).to_string();
        let code = |person: usize, _: usize| format!("I{}", any(person, 53) % 400);
        let texts: [Texts<'_>; 6] = [
            ("age", &age),
            ("sex", &sex),
            ("level", &level),
            ("kin", &kin),
            ("weight", &weight),
            ("code", &code),
        ];
        assert_eq!(of_rows(&rows, &texts), None);
        assert_eq!(of_rows(&rows[..500], &texts), None);
    }
}
