//! Whose the records of a release are, as its original and its pseudonyms tell.

use std::collections::{BTreeMap, BTreeSet};

use velamen_core::release::SUPPRESSED;
use velamen_measure::risk::attack::{Has, Linked, NOWHERE, Trace, View};

use super::had::Had;
use super::view::{Contents, ReleaseWithOriginal};

impl ReleaseWithOriginal {
    /// Whose each entry of the original is; nothing where each record is another person's.
    pub(super) fn whose(&self) -> Vec<u32> {
        let Some(person) = self.table.rest.person() else { return Vec::new() };
        self.table.rest_index.iter().map(|&rest| self.table.rest.codes[person][rest as usize]).collect()
    }

    /// What to know where people are looked for, or would have to be.
    pub(super) fn of_people(&self, view: &View<'_>) -> Option<String> {
        let named = || self.published.manifest.method.person();
        match (self.table.rest.person(), named()) {
            (Some(person), _) => {
                let shown =
                    velamen_report::people::column(&self.published.manifest, self.release()).is_some();
                let beliefs = match view.linked.is_some() {
                    true if shown => "people, whom pseudonyms tell apart",
                    true => {
                        "people, as the promises count them, although the release does not show whose the records are"
                    }
                    false => {
                        "records, since neither the release nor the original shows for certain whose the released ones are"
                    }
                };
                Some(format!(
                    "`{}` says whose the original's records are: people are looked for, each known by one of their records, drawn \
                     at random; any record of theirs is the right one, and any value of theirs; beliefs are shares of {beliefs}",
                    self.table.rest.columns[person].name
                ))
            }
            (None, Some(name)) => Some(format!(
                "the original has no column `{name}`, which says whose the records are: records are looked for, not people"
            )),
            (None, None) => None,
        }
    }

    /// Whose the released records are, where pseudonyms tell it and people are looked for.
    pub(super) fn linked(&self, contents: &Contents) -> Option<Linked> {
        self.table.rest.person()?;
        let release = self.release();
        let column = velamen_report::people::column(&self.published.manifest, release)?;
        let mut pairs = vec![BTreeSet::new(); release.sizes.len() + 1];
        for row in &release.rows {
            let class = if row.class == SUPPRESSED { release.sizes.len() } else { row.class as usize };
            let person = release.rest.codes[column][row.rest as usize];
            pairs[class].insert((person, contents.of_released[row.rest as usize]));
        }
        let has = |(person, content): (u32, u32)| Has { person, content, real: 1.0 };
        let mut classes: Vec<Vec<Has>> =
            pairs.into_iter().map(|pairs| pairs.into_iter().map(has).collect()).collect();
        let suppressed = classes.pop().unwrap_or_default();
        Some(Linked { classes, suppressed })
    }

    /// By class how many people its real records are of, and with counterfeits each of these besides; `None` where each record is
    /// another person's, or whose they are is not certain.
    pub(super) fn people_of_classes(&self, view: &View<'_>, with_counterfeits: bool) -> Option<Vec<u64>> {
        if view.people.whose.is_empty() || self.is_sample() {
            return None;
        }
        let own = self.own_classes(view)?;
        let sizes = &self.release().sizes;
        let (mut people, mut records) = (vec![BTreeSet::new(); sizes.len()], vec![0; sizes.len()]);
        for (entry, &class) in own.iter().enumerate().filter(|(_, class)| **class != NOWHERE) {
            people[class as usize].insert(view.people.whose[entry]);
            records[class as usize] += self.table.counts[entry];
        }
        let made_up = sizes.iter().zip(&records).map(|(size, real)| size.checked_sub(*real));
        let made_up = made_up.collect::<Option<Vec<u64>>>()?;
        let of = |(people, made_up): (&BTreeSet<u32>, u64)| {
            people.len() as u64 + if with_counterfeits { made_up } else { 0 }
        };
        Some(people.iter().zip(made_up).map(of).collect())
    }

    /// Whose the released records are, by the original: where each of its records is in a class that is certain, or what is left
    /// open is one person's. What is beyond them in a class are counterfeits, each a person of its own.
    pub(super) fn linked_by_original(&self, view: &View<'_>, contents: &Contents) -> Option<Linked> {
        if view.people.whose.is_empty() || matches!(self.trace, Trace::Lost | Trace::Noise) {
            return None;
        }
        if self.is_sample() {
            return self.had_of_some(view).map(|had| settled(had, view.blank));
        }
        let Some(own) = self.own_classes(view) else {
            return self.had_where_classes_overlap(view).map(|had| settled(had, view.blank));
        };
        let suppressed = view.classes.len();
        let mut had: Vec<BTreeSet<(u32, u32)>> = vec![BTreeSet::new(); suppressed + 1];
        let mut counts: BTreeMap<(usize, u32), u64> = BTreeMap::new();
        for (entry, &class) in own.iter().enumerate() {
            let class = if class == NOWHERE { suppressed } else { class as usize };
            let content = view.people.content[entry];
            had[class].insert((view.people.whose[entry], content));
            *counts.entry((class, content)).or_default() += self.table.counts[entry];
        }
        let mut nobody = view.people.whose.iter().max().map_or(0, |most| most + 1);
        for (class, held) in
            view.classes.iter().enumerate().flat_map(|(c, of)| of.iter().map(move |h| (c, h)))
        {
            let real = counts.remove(&(class, held.content)).unwrap_or(0);
            for _ in 0..held.count.checked_sub(real)? {
                had[class].insert((nobody, held.content));
                nobody = nobody.checked_add(1)?;
            }
        }
        // What is left over must be suppressed: else this is no release of the original.
        if counts.keys().any(|(class, _)| *class != suppressed) {
            return None;
        }
        let bags: Vec<BTreeMap<u32, u64>> = had.iter().map(by_content).collect();
        let doubts = self.doubts(&bags, contents);
        let value = |content: u32| contents.sensitive.first().map(|sensitive| sensitive.of[content as usize]);
        let has = |class: usize, (person, content): (u32, u32)| {
            let doubt = value(content).and_then(|value| doubts.get(&(class, value))).copied();
            Has { person, content, real: 1.0 - doubt.unwrap_or(0.0) }
        };
        let all = had.into_iter().enumerate();
        let mut classes: Vec<Vec<Has>> =
            all.map(|(class, had)| had.into_iter().map(|pair| has(class, pair)).collect()).collect();
        let suppressed = classes.pop().unwrap_or_default();
        let suppressed = if view.blank { Vec::new() } else { suppressed };
        Some(Linked { classes, suppressed })
    }
}

/// Whose the records are where none is counterfeit.
fn settled(had: Had, blank: bool) -> Linked {
    let has = |(person, content): (u32, u32)| Has { person, content, real: 1.0 };
    let mut classes: Vec<Vec<Has>> = had.into_iter().map(|had| had.into_iter().map(has).collect()).collect();
    let suppressed = classes.pop().filter(|_| !blank).unwrap_or_default();
    Linked { classes, suppressed }
}

/// By content, how many people have it.
fn by_content(had: &BTreeSet<(u32, u32)>) -> BTreeMap<u32, u64> {
    let mut people = BTreeMap::new();
    had.iter().for_each(|(_, content)| *people.entry(*content).or_default() += 1);
    people
}
