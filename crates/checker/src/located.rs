//! How many counterfeits whoever counts can pin to a class.

use std::collections::{BTreeMap, BTreeSet};

use velamen_contract::Promises;
use velamen_core::release::CatalogRow;

use crate::classes::Classes;
use crate::impossible::{Excluded, is_excluded};
use crate::{View, can_hold, total};

/// The group of each class that can hold counterfeits. One list of classes is one slice here, however often the catalog has it.
fn groups<'a>(promises: &'a Promises, classes: &Classes) -> BTreeMap<u64, &'a [u64]> {
    let groups: BTreeSet<&[u64]> = promises.catalog.iter().map(|row| &row.classes[..]).collect();
    let held = groups.iter().flat_map(|group| group.iter().map(move |id| (*id, *group)));
    held.filter(|(id, _)| can_hold(promises, classes, *id)).collect()
}

impl View<'_> {
    /// (class, code of the value) → released records that can be counterfeit, for the values of the catalog: all, but for
    /// one in classes of so few values that each is known to be a real record's.
    fn doubtful_counts(&self, sensitive: usize, promises: &Promises) -> BTreeMap<(u64, u32), u64> {
        let named: BTreeSet<&str> = promises.catalog.iter().map(|row| row.value.as_str()).collect();
        let named: Vec<bool> =
            self.values(sensitive).iter().map(|value| named.contains(value.as_str())).collect();
        let mut released: BTreeMap<(u64, u32), u64> = BTreeMap::new();
        for (row, &count) in self.published.counts.iter().enumerate() {
            let code = self.code(sensitive, row);
            if let (Some(id), Some(true)) = (self.class_id(row), named.get(code as usize)) {
                let counted = released.entry((id, code)).or_default();
                *counted = counted.saturating_add(count);
            }
        }
        let tight = self.tight(sensitive, promises);
        for ((id, _), count) in &mut released {
            *count = count.saturating_sub(u64::from(tight.contains(id)));
        }
        released
    }

    /// The classes that show no more values than their real records have at least: one record of each value is real.
    fn tight(&self, sensitive: usize, promises: &Promises) -> BTreeSet<u64> {
        let least = promises.real_values();
        let mut values: BTreeMap<u64, BTreeSet<u32>> = BTreeMap::new();
        for row in (0..self.published.table.len).filter(|_| least > 1) {
            if let Some(id) = self.class_id(row) {
                values.entry(id).or_default().insert(self.code(sensitive, row));
            }
        }
        values.into_iter().filter(|(_, values)| values.len() as u64 <= least).map(|(id, _)| id).collect()
    }

    /// How many counterfeits whoever counts can pin to a class: for a row (G, s, c) and a class E of G
    /// the part of c that does not fit elsewhere. The other classes of G that can hold counterfeits have no released
    /// records of s for it. The class with most records of s decides. Where nobody in a class can have s, its records
    /// of s are no counterfeits.
    ///
    /// And how many counterfeits have a value that nobody in their class can have, at least: the part of c for which no
    /// class of G has released records of s that could be counterfeits.
    pub(crate) fn located_counterfeits(
        &self,
        sensitive: usize,
        promises: &Promises,
        classes: &Classes,
        excluded: &[Excluded],
    ) -> (u64, u64) {
        let group_of = groups(promises, classes);
        // All records of a value in a group's classes, and those of the class that has most.
        let mut counts: BTreeMap<(*const u64, u32), (u64, u64)> = BTreeMap::new();
        for (&(id, code), &count) in &self.doubtful_counts(sensitive, promises) {
            let is_possible = || classes.get(id).is_none_or(|class| !is_excluded(excluded, class, code));
            if let Some(group) = group_of.get(&id).filter(|_| is_possible()) {
                let (all, most) = counts.entry((group.as_ptr(), code)).or_default();
                (*all, *most) = (all.saturating_add(count), count.max(*most));
            }
        }
        let values = self.values(sensitive).iter().map(String::as_str);
        let codes: BTreeMap<&str, u32> = values.zip(0..).collect();
        let located = |row: &CatalogRow| {
            let group = row.classes.iter().find_map(|id| group_of.get(id));
            let Some(group) = group else { return (row.count, row.count) };
            let key = codes.get(row.value.as_str()).map(|&code| (group.as_ptr(), code));
            let (all, most) = key.and_then(|key| counts.get(&key)).copied().unwrap_or_default();
            (row.count.saturating_sub(all.saturating_sub(most)), row.count.saturating_sub(all))
        };
        let (located, without): (Vec<u64>, Vec<u64>) = promises.catalog.iter().map(located).unzip();
        (total(located.into_iter()), total(without.into_iter()))
    }

    /// How many records of the classes that can hold counterfeits whoever counts can prove to be real: those of a value of which
    /// the catalog counts no counterfeit in the class's group, and the only record of a value that its class cannot do without.
    pub(crate) fn provably_real(&self, sensitive: usize, promises: &Promises, classes: &Classes) -> u64 {
        // Values by group and not by class: a group has thousands of classes.
        let group_of = groups(promises, classes);
        let values = self.values(sensitive).iter().map(String::as_str);
        let codes: BTreeMap<&str, u32> = values.zip(0..).collect();
        let mut told: BTreeSet<(*const u64, u32)> = BTreeSet::new();
        for row in &promises.catalog {
            let group = row.classes.iter().find_map(|id| group_of.get(id));
            told.extend(group.map(|group| group.as_ptr()).zip(codes.get(row.value.as_str()).copied()));
        }
        let mut records: BTreeMap<(u64, u32), u64> = BTreeMap::new();
        for (row, &count) in self.published.counts.iter().enumerate() {
            if let Some(id) = self.class_id(row).filter(|id| group_of.contains_key(id)) {
                let of_value = records.entry((id, self.code(sensitive, row))).or_default();
                *of_value = of_value.saturating_add(count);
            }
        }
        let tight = self.tight(sensitive, promises);
        let mut real = 0u64;
        for ((id, code), count) in records {
            let doubted = group_of.get(&id).is_some_and(|group| told.contains(&(group.as_ptr(), code)));
            if !doubted || count == 1 && tight.contains(&id) {
                real = real.saturating_add(count);
            }
        }
        real
    }
}
