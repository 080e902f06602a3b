//! What the models are judged on: classes of records, or of people where a column says whose the records are, with the
//! suppressed records as one more where they show their values.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use serde_json::json;
use velamen_contract::Promises;

use crate::classes::Classes;
use crate::{Finding, Published, Uncheckable, View, model_check, total};

impl Published<'_> {
    /// The pseudonyms that tell people apart, where the release does not count them by a column that it does not show:
    /// of those that several records share, the column with the most different ones.
    pub(crate) fn pseudonyms(&self, promises: &Promises) -> Option<usize> {
        if promises.persons {
            return None;
        }
        let columns = promises.pseudonyms.iter().filter_map(|name| self.position(name).ok());
        let repeated = columns.filter_map(|column| Some((column, self.repeated(column)?)));
        repeated.min_by_key(|&(_, different)| Reverse(different)).map(|(column, _)| column)
    }

    /// How many different texts a column has, if several records share one. Missing and suppressed cells are nobody's.
    fn repeated(&self, column: usize) -> Option<usize> {
        let (values, codes) = (&self.table.columns.get(column)?.values, self.table.codes.get(column)?);
        let mut records = vec![0u64; values.len()];
        for (code, count) in codes.iter().zip(self.counts) {
            let counted = records.get_mut(*code as usize)?;
            *counted = counted.saturating_add(*count);
        }
        let own = || values.iter().zip(&records).filter(|(text, _)| !matches!(text.as_str(), "" | "*"));
        own().any(|(_, records)| *records > 1).then(|| own().filter(|(_, records)| **records > 0).count())
    }
}

impl View<'_> {
    /// The findings of the models. Suppressed records that show their values are a class like any other.
    pub(crate) fn models(&self, promises: &Promises, classes: &Classes) -> Result<Vec<Finding>, Uncheckable> {
        let judged = self.judged(promises, classes);
        let check = |(model, parameters)| model_check::check(model, parameters, promises, self, &judged);
        promises.privacy.iter().map(|(model, parameters)| check((model, parameters))).collect()
    }

    /// The classes that the models hold of, in people where these are known.
    fn judged<'c>(&self, promises: &Promises, classes: &'c Classes) -> Cow<'c, Classes> {
        let mut judged = Cow::Borrowed(classes);
        let are_people = !promises.suppressed_whole && !promises.suppressed_noise;
        let is_star = |row: &usize| are_people && self.class_id(*row).is_none();
        let stars: Vec<usize> = (0..self.published.table.len).filter(is_star).collect();
        // No class has all ids.
        let free = (0..=u64::MAX).rev().find(|id| !classes.contains(*id));
        if let (Some(&row), Some(free)) = (stars.first(), free) {
            let count = |row: &usize| self.published.counts.get(*row).copied().unwrap_or(0);
            let size = total(stars.iter().map(count));
            judged.to_mut().insert(free, size, self.qi_codes(row));
        }
        let Some(people) = self.published.people else { return judged };
        let nobody = self.nobody();
        let mut of_class: BTreeMap<Option<u64>, BTreeSet<u32>> = BTreeMap::new();
        for row in 0..self.published.table.len {
            of_class.entry(self.class_id(row)).or_default().insert(self.code(people, row));
        }
        for (id, size) in judged.to_mut().sizes_mut() {
            let key = classes.contains(id).then_some(id);
            *size = of_class.get(&key).map_or(0, |people| number_of(people, nobody));
        }
        judged
    }

    /// How many records some rows are, or people.
    pub(crate) fn amounts<K: Ord>(&self, rows: impl Iterator<Item = (K, usize)>) -> BTreeMap<K, u64> {
        let (mut records, mut people): (BTreeMap<K, u64>, BTreeMap<K, BTreeSet<u32>>) = Default::default();
        for (key, row) in rows {
            match self.published.people {
                Some(column) => drop(people.entry(key).or_default().insert(self.code(column, row))),
                None => {
                    let counted = records.entry(key).or_default();
                    *counted = counted.saturating_add(self.published.counts.get(row).copied().unwrap_or(0));
                }
            }
        }
        let nobody = self.nobody();
        records.extend(people.into_iter().map(|(key, people)| (key, number_of(&people, nobody))));
        records
    }

    /// The code of a missing value in the column that says whose the records are.
    pub(crate) fn nobody(&self) -> Option<u32> {
        let values = self.values(self.published.people?);
        (0..).zip(values).find(|(_, value)| value.is_empty()).map(|(code, _)| code)
    }

    /// A record without class shows `*` in every quasi-identifier, and nothing in every other column where that is
    /// promised: `*`, or a missing value where the column's type has no `*`.
    pub(crate) fn suppressed_show_nothing(&self, promises: &Promises) -> Finding {
        let asked = if promises.suppressed_whole { "all *, other columns too" } else { "all *" };
        let columns = (0..self.published.table.columns.len()).filter(|&column| column != self.class);
        let (qis, others): (Vec<usize>, Vec<usize>) = columns.partition(|column| self.qis.contains(column));
        let mut rows = (0..self.published.table.len).filter(|&row| self.class_id(row).is_none());
        let others = if promises.suppressed_whole { others } else { Vec::new() };
        let blank = |row: usize| others.iter().all(|&column| matches!(self.cell(column, row), "*" | ""));
        let starred = |row: usize| qis.iter().all(|&column| self.cell(column, row) == "*");
        let holds = rows.all(|row| starred(row) && blank(row));
        Finding::of("suppressed-records", json!(asked), json!(holds), holds)
    }
}

/// How many people there are at least: records of nobody may be those of any of the others, and are one person's where there are none.
fn number_of(people: &BTreeSet<u32>, nobody: Option<u32>) -> u64 {
    let all = people.len() as u64;
    let others = all.saturating_sub(u64::from(nobody.is_some_and(|nobody| people.contains(&nobody))));
    others.max(all.min(1))
}
