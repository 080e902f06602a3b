//! The risk of records of a release where it is not 1 divided by the size of their class.

use crate::language;
use crate::manifest::OfMethod;
use std::collections::BTreeMap;

use velamen_checker::CLASS_ID;
use velamen_contract::Promised;
use velamen_core::doubts::{Doubts, Group};
use velamen_core::frequency::Role;
use velamen_core::hierarchy::NULL;
use velamen_core::release::{CatalogRow, Release, ReleasedAttribute, Row, SUPPRESSED};
use velamen_measure::risk::counterfeits;
use velamen_measure::risk::people::Holdings;
use velamen_measure::risk::reidentification::{Risk, of_records};
use velamen_search::method::wildcards::indistinguishable;

use crate::alone::Alone;
use crate::manifest::Manifest;
use crate::people;

/// What decides on the risk of a record besides the size of its class.
#[derive(Debug, Clone, PartialEq)]
pub enum Matching {
    /// A catalog of counterfeits.
    Catalog(Doubts),
    /// Missing values that match any: per class its records and how many they cannot be told from.
    Wildcards(Vec<(u64, u64)>),
    /// Records of persons: so many, and the least number of persons of a class that is promised.
    Persons(u64, u64),
    /// Records of people whom pseudonyms tell apart.
    People(Holdings),
}

impl Matching {
    /// What a release says of it; `None` where the size of a class is all there is.
    pub fn of(manifest: &Manifest, release: &Release) -> Option<Self> {
        if let Some(least) = least_persons(manifest) {
            return Some(Self::Persons(release.sizes.iter().sum(), least));
        }
        if !manifest.missing.is_own_value() {
            let alike = alike(release);
            return Some(Self::Wildcards(release.sizes.iter().copied().zip(alike).collect()));
        }
        let of_catalog = || doubts(release).map(Self::Catalog);
        let of_people = || Some(Self::People(people::holdings(release, people::column(manifest, release)?)));
        of_catalog().or_else(of_people)
    }

    /// Whose the records are, where pseudonyms tell.
    #[must_use]
    pub fn people(&self) -> Option<&Holdings> {
        match self {
            Self::People(holdings) => Some(holdings),
            _ => None,
        }
    }

    /// Of who knows that a person is there; `None` without a record.
    pub fn risk(&self, threshold: f64) -> Option<Risk> {
        match self {
            Self::Catalog(doubts) => counterfeits::risk(doubts, threshold),
            Self::Wildcards(classes) => {
                let parts = classes.iter().map(|&(records, alike)| (records, 1.0 / alike as f64));
                of_records(parts, threshold)
            }
            Self::Persons(records, least) => {
                of_records(std::iter::once((*records, 1.0 / *least as f64)), threshold)
            }
            Self::People(holdings) => holdings.by_record(threshold),
        }
    }

    /// Why a record of a group is easier to pick than by chance, in words that begin a sentence.
    pub(crate) fn reason(&self) -> &'static str {
        match self {
            Self::Catalog(_) => language::mark("The catalog makes some of these likelier to be real"),
            Self::Wildcards(_) => language::mark("Missing values match any"),
            Self::Persons(..) => {
                language::mark("Several of these can be one person's, and so many people are promised")
            }
            Self::People(_) => language::mark("Some people have more records of their group than others"),
        }
    }

    /// Per class the number of records that its own cannot be told from, where that is not their number.
    pub fn alike(&self) -> Option<Vec<u64>> {
        match self {
            Self::Wildcards(classes) => Some(classes.iter().map(|(_, alike)| *alike).collect()),
            _ => None,
        }
    }
}

/// What the catalog makes of the classes of a release, which has its sensitive column marked; `None` without
/// counterfeits.
pub fn doubts(release: &Release) -> Option<Doubts> {
    let sensitive = release.rest.sensitive().next().filter(|_| !release.catalog.is_empty())?;
    let mut cells = vec![BTreeMap::new(); release.sizes.len()];
    for row in release.rows.iter().filter(|row| row.class != SUPPRESSED) {
        let value = release.rest.codes[sensitive][row.rest as usize];
        *cells[row.class as usize].entry(value).or_default() += row.count;
    }
    let values = &release.rest.columns[sensitive].values;
    let codes: BTreeMap<&str, u32> = values.iter().map(String::as_str).zip(0..).collect();
    let told = |row: &CatalogRow| Some((*codes.get(row.value.as_str())?, row.count));
    let group = |rows: &[CatalogRow]| Group {
        classes: rows[0].classes.iter().map(|&id| id as usize - 1).collect(),
        counterfeits: rows.iter().filter_map(told).collect(),
    };
    let groups = release.catalog.chunk_by(|a, b| a.classes == b.classes);
    Some(Doubts::new(&cells, &groups.map(group).collect::<Vec<_>>()))
}

/// The k that is promised of persons, whose records the release does not tell.
pub fn least_persons(manifest: &Manifest) -> Option<u64> {
    let k = manifest.privacy.iter().find(|promise| promise.is_of_whole_size());
    let k = k.and_then(Promised::least_class);
    manifest.method.counts_persons().then(|| k.unwrap_or(1).max(1))
}

fn alike(release: &Release) -> Vec<u64> {
    let null = |qi: &ReleasedAttribute| {
        qi.values.iter().position(|value| value.label == NULL).map(|code| code as u32)
    };
    let codes = (0..release.sizes.len()).map(|class| release.class(class).to_vec()).collect();
    indistinguishable(release.qis.iter().map(null).collect(), codes, release.sizes.clone())
}

/// Persons with several records under one pseudonym, and how many of them are alone with the classes of all
/// their records; `None` where no pseudonym has several.
pub fn linked(manifest: &Manifest, release: &Release) -> Option<(u64, u64)> {
    let column = release.rest.columns.iter().position(|column| manifest.is_pseudonym(&column.name))?;
    let mut classes: Vec<Vec<(u32, u64)>> = vec![Vec::new(); release.rest.columns[column].values.len()];
    for row in release.rows.iter().filter(|row| row.class != SUPPRESSED) {
        let of = &mut classes[release.rest.codes[column][row.rest as usize] as usize];
        match of.iter_mut().find(|(class, _)| *class == row.class) {
            Some((_, count)) => *count += row.count,
            None => of.push((row.class, row.count)),
        }
    }
    classes.retain(|of| of.iter().map(|(_, count)| count).sum::<u64>() > 1);
    classes.iter_mut().for_each(|of| of.sort_unstable());
    classes.sort_unstable();
    let alone = classes.chunk_by(|a, b| a == b).filter(|same| same.len() == 1).count() as u64;
    (!classes.is_empty()).then_some((classes.len() as u64, alone))
}

/// Nearly every record has a value of its own from this share on.
const NEARLY_ALL: f64 = 0.5;

/// Whom the shares below are of: people where pseudonyms tell them apart, else records.
#[must_use]
pub fn counted_alone(manifest: &Manifest, release: &Release) -> &'static str {
    Alone::of(manifest, release).whom()
}

/// Columns that are released as they are and single people out: name and share of records, or people, that are the only
/// ones with their value. Pseudonyms are made to be such, and known to nobody.
pub fn singled_out(manifest: &Manifest, release: &Release) -> Vec<(String, f64)> {
    let alone = Alone::of(manifest, release);
    let columns = release.rest.columns.iter().enumerate();
    let shown = columns.filter(|(_, column)| is_insensitive(manifest, &column.name));
    let shares = shown.map(|(c, column)| (column.name.clone(), alone.share(&[c])));
    shares.filter(|(_, share)| *share >= NEARLY_ALL).collect()
}

/// Columns that are released as they are and single people out only together: a smallest such set, none of which
/// does so alone, and the share of records, or people, that are the only ones with their values.
///
/// What all of them together do not single out no part of them does; columns are left out one by one while the rest
/// still does. Time: O(columns · records · log records).
pub fn singled_out_together(manifest: &Manifest, release: &Release) -> Option<(Vec<String>, f64)> {
    let (single, alone) = (singled_out(manifest, release), Alone::of(manifest, release));
    let is_shown =
        |name: &str| is_insensitive(manifest, name) && single.iter().all(|(other, _)| other != name);
    let mut columns: Vec<usize> =
        (0..release.rest.columns.len()).filter(|&c| is_shown(&release.rest.columns[c].name)).collect();
    let mut share = alone.share(&columns);
    for column in columns.clone() {
        let fewer: Vec<usize> = columns.iter().copied().filter(|&other| other != column).collect();
        let reached = alone.share(&fewer);
        if reached >= NEARLY_ALL {
            (columns, share) = (fewer, reached);
        }
    }
    let names = columns.iter().map(|&c| release.rest.columns[c].name.clone()).collect();
    (share >= NEARLY_ALL && columns.len() > 1).then_some((names, share))
}

/// Sensitive columns that tell nearly every record apart, with the share of records, or people, that are alone with
/// their value.
/// Noisy counts have no records.
pub fn nearly_unique(manifest: &Manifest, release: &Release) -> Vec<(String, f64)> {
    const NEARLY: f64 = 0.9;
    let is_sensitive = |name: &str| manifest.has_role(name, Role::Sensitive) && !manifest.is_noisy();
    let alone = Alone::of(manifest, release);
    let columns = release.rest.columns.iter().enumerate();
    let shown = columns.filter(|(_, column)| is_sensitive(&column.name));
    let shares = shown.map(|(c, column)| (column.name.clone(), alone.share(&[c])));
    shares.filter(|(_, share)| *share >= NEARLY).collect()
}

fn is_insensitive(manifest: &Manifest, name: &str) -> bool {
    manifest.has_role(name, Role::Insensitive) && !manifest.is_pseudonym(name)
}

/// Records that cannot be counterfeits: a counterfeit repeats the sensitive and insensitive values of a real
/// record, which these have alone. 0 without counterfeits or insensitive columns.
pub(crate) fn surely_real(release: &Release) -> u64 {
    sharing(release).map_or(0, |sharing| sharing.iter().filter(|records| **records == 1).count() as u64)
}

/// The least number of records that are not surely real of a class in a group of the catalog of at most `largest` records;
/// `None` without counterfeits, insensitive columns or such a class.
pub fn least_alike(release: &Release, largest: u64) -> Option<u64> {
    let sharing = sharing(release)?;
    let mut alike = vec![0; release.sizes.len()];
    for (row, _) in
        release.rows.iter().zip(sharing).filter(|(row, records)| row.class != SUPPRESSED && *records > 1)
    {
        alike[row.class as usize] += row.count;
    }
    let groups = release.catalog.chunk_by(|a, b| a.classes == b.classes);
    let held = groups.flat_map(|rows| rows[0].classes.iter()).map(|&id| id as usize - 1);
    held.filter(|&class| release.sizes[class] <= largest).map(|class| alike[class]).min()
}

/// Per row, how many released records have its sensitive and insensitive values; `None` without counterfeits or
/// insensitive columns.
fn sharing(release: &Release) -> Option<Vec<u64>> {
    // A release that was read back has its quasi-identifiers and class ids among the rest.
    let of_class = |name: &str| name == CLASS_ID || release.qis.iter().any(|qi| qi.name == name);
    let columns = || release.rest.columns.iter().enumerate().filter(|(_, column)| !of_class(&column.name));
    if release.catalog.is_empty() || !columns().any(|(_, column)| column.role == Role::Insensitive) {
        return None;
    }
    let values = |row: &Row| -> Vec<u32> {
        columns().map(|(at, _)| release.rest.codes[at][row.rest as usize]).collect()
    };
    let mut counts: BTreeMap<Vec<u32>, u64> = BTreeMap::new();
    for row in &release.rows {
        *counts.entry(values(row)).or_default() += row.count;
    }
    Some(release.rows.iter().map(|row| counts[&values(row)]).collect())
}

/// Counterfeits that insensitive values give away.
pub fn told_apart(release: &Release) -> Option<String> {
    let (real, records) = (surely_real(release), release.records());
    (real > 0).then(|| {
        format!(
            "{real} of {records} released records are certainly genuine: no other record has their insensitive and \
             sensitive values, which a counterfeit repeats; drop insensitive columns (role = \"identifier\") or make them \
             quasi-identifiers"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use velamen_core::frequency::{Rest, RestColumn};

    /// A release of one class, whose records have these values of one column, some of them counterfeit.
    fn release(values: &[&str], counterfeits: u64) -> Release {
        let mut distinct: Vec<String> = values.iter().map(|value| (*value).to_owned()).collect();
        distinct.sort();
        distinct.dedup();
        let count = |value: &String| values.iter().filter(|other| *other == value).count() as u64;
        let rows =
            (0..).zip(&distinct).map(|(rest, value)| Row { class: 0, rest, count: count(value) }).collect();
        let len = distinct.len();
        let column = RestColumn { name: "x".into(), role: Role::Insensitive, values: distinct };
        let told = CatalogRow { classes: [1, 2].into(), value: "I63".into(), count: counterfeits };
        Release {
            qis: Vec::new(),
            rest: Rest { columns: vec![column], codes: vec![(0..len as u32).collect()], len },
            codes: Vec::new(),
            sizes: vec![values.len() as u64],
            rows,
            catalog: if counterfeits > 0 { vec![told] } else { Vec::new() },
            suppressed: 0,
        }
    }

    /// A manifest of insensitive columns.
    fn manifest(names: &[&str]) -> Manifest {
        let entries = names.iter().map(|name| ((*name).to_owned(), json!({ "role": "insensitive" })));
        let attributes: serde_json::Map<String, serde_json::Value> = entries.collect();
        let manifest = json!({
            "velamen": "0", "method": { "name": "optimal" }, "data": { "file": "data.csv", "format": "csv" },
            "records": 100, "suppressed": 0, "classes": 1, "privacy": [], "utility": {}, "attributes": attributes,
        });
        serde_json::from_value(manifest).unwrap()
    }

    /// Two columns of ten values each, so that their hundred pairs are all different; a third is the same for all.
    #[test]
    fn columns_that_single_out_together_are_named() {
        let tens: Vec<String> = (0..10).map(|number| number.to_string()).collect();
        let column =
            |name: &str| RestColumn { name: name.into(), role: Role::Insensitive, values: tens.clone() };
        let release = Release {
            rest: Rest {
                columns: ["same", "ward", "day"].map(column).to_vec(),
                codes: vec![
                    vec![0; 100],
                    (0..100).map(|i| i / 10).collect(),
                    (0..100).map(|i| i % 10).collect(),
                ],
                len: 100,
            },
            rows: (0..100).map(|rest| Row { class: 0, rest, count: 1 }).collect(),
            sizes: vec![100],
            ..Release::default()
        };
        let all = manifest(&["same", "ward", "day"]);
        assert!(singled_out(&all, &release).is_empty());
        let named = singled_out_together(&all, &release);
        assert_eq!(named, Some((vec!["ward".to_owned(), "day".to_owned()], 1.0)));
        assert_eq!(singled_out_together(&manifest(&["same", "ward"]), &release), None);
    }

    #[test]
    fn records_alone_with_a_value_are_counted_among_the_real_ones() {
        let numbers: Vec<String> = (0..40).map(|number| number.to_string()).collect();
        let own: Vec<&str> = numbers.iter().map(String::as_str).collect();
        let manifest = manifest(&["x"]);
        let share =
            |values: &[&str], counterfeits| Alone::of(&manifest, &release(values, counterfeits)).share(&[0]);
        assert_eq!(share(&own, 0), 1.0);
        assert_eq!(share(&own[..19], 0), 0.0);
        let twice: Vec<&str> = own.iter().chain(&own).copied().collect();
        assert_eq!(share(&twice, 0), 0.0);
        let missing: Vec<&str> = own.iter().copied().chain(std::iter::repeat_n(NULL, 100)).collect();
        assert_eq!(share(&missing, 0), 1.0);
        // Thirty counterfeits repeat values of forty real records: all of these are alone all the same.
        let padded: Vec<&str> = own.iter().chain(&own[..30]).copied().collect();
        assert_eq!((share(&padded, 30), share(&padded, 0)), (1.0, 10.0 / 70.0));
    }
}
