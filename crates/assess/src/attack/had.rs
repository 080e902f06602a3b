//! Which people have which contents in which class, where the original settles it though classes overlap or records were left out.

use std::collections::{BTreeMap, BTreeSet};

use velamen_measure::risk::attack::{NOWHERE, View};
use velamen_report::OfMethod;

use super::view::ReleaseWithOriginal;

/// By class, the suppressed records last, the pairs of a person and a content.
pub(super) type Had = Vec<BTreeSet<(u32, u32)>>;

/// Records of one content, by class.
type Left = BTreeMap<usize, u64>;

/// An entry of the original whose class is open: whose it is, how many records are left to place, and where they fit.
struct Open {
    person: u32,
    records: u64,
    fits: Vec<usize>,
}

impl ReleaseWithOriginal {
    /// Where each entry's class is certain and some records were left out: of each class and content all records of the original
    /// are released, or one person's alone can be. `None` where a choice is left.
    ///
    /// Who has no more than `records-per-person` has all of hers in the release.
    pub(super) fn had_of_some(&self, view: &View<'_>) -> Option<Had> {
        let manifest = &self.published.manifest;
        let (own, suppressed) = (self.own_classes(view)?, view.classes.len());
        let cap = manifest.records_per_person.filter(|_| !manifest.is_sampled());
        let mut of_person: BTreeMap<u32, u64> = BTreeMap::new();
        for (who, count) in view.people.whose.iter().zip(&self.table.counts) {
            *of_person.entry(*who).or_default() += count;
        }
        let is_whole = |who: u32| cap.is_some_and(|cap| of_person[&who] <= u64::from(cap.get()));
        let mut cells: BTreeMap<(usize, u32), BTreeMap<u32, u64>> = BTreeMap::new();
        for (entry, &class) in own.iter().enumerate() {
            let class = if class == NOWHERE { suppressed } else { class as usize };
            let of = cells.entry((class, view.people.content[entry])).or_default();
            *of.entry(view.people.whose[entry]).or_default() += self.table.counts[entry];
        }
        let mut released = released(view);
        let mut had = vec![BTreeSet::new(); suppressed + 1];
        for ((class, content), people) in cells {
            // Blanked records are believed to be nothing, whosever they are.
            if class == suppressed && view.blank {
                continue;
            }
            let there = released.remove(&(content, class)).unwrap_or(0);
            let present = certain_of(&people, there, is_whole)?;
            had[class].extend(present.into_iter().map(|person| (person, content)));
        }
        released.is_empty().then_some(had)
    }

    /// Where classes overlap: what follows step by step from records that fit one class alone, or that alone fit one. `None` where a
    /// choice between people is left.
    pub(super) fn had_where_classes_overlap(&self, view: &View<'_>) -> Option<Had> {
        if self.published.manifest.counterfeits != Some(0) {
            return None;
        }
        let mut by_content: BTreeMap<u32, (Left, Vec<Open>)> = BTreeMap::new();
        for ((content, class), count) in released(view) {
            by_content.entry(content).or_default().0.insert(class, count);
        }
        for (entry, &content) in view.people.content.iter().enumerate() {
            let fits = view.classes_of(entry as u32).into_iter().map(|class| class as usize).collect();
            let open = Open { person: view.people.whose[entry], records: self.table.counts[entry], fits };
            by_content.entry(content).or_default().1.push(open);
        }
        let mut had = vec![BTreeSet::new(); view.classes.len() + 1];
        for (content, (left, open)) in by_content {
            let can_be_suppressed = view.suppressed_of(content) > 0;
            let placed = placed(left, open, (view.classes.len(), can_be_suppressed))?;
            placed.into_iter().for_each(|(class, person)| {
                had[class].insert((person, content));
            });
        }
        Some(had)
    }
}

/// How many records of each content each class has, the suppressed ones last where they show it.
fn released(view: &View<'_>) -> BTreeMap<(u32, usize), u64> {
    let suppressed = (!view.blank).then_some(&view.suppressed);
    let classes = view.classes.iter().chain(suppressed).enumerate();
    let held = classes.flat_map(|(class, of)| of.iter().map(move |held| ((held.content, class), held.count)));
    held.filter(|(_, count)| *count > 0).collect()
}

/// Of people with so many records of a content in a class, those who have one of the `there` that are released, where that is
/// certain.
fn certain_of(people: &BTreeMap<u32, u64>, there: u64, is_whole: impl Fn(u32) -> bool) -> Option<Vec<u32>> {
    let (mut present, others): (Vec<_>, Vec<_>) =
        people.iter().map(|(&who, &records)| (who, records)).partition(|(who, _)| is_whole(*who));
    let left = there.checked_sub(present.iter().map(|(_, records)| records).sum())?;
    match (left, others.iter().map(|(_, records)| records).sum::<u64>()) {
        (0, _) => {}
        (left, all) if left == all || (others.len() == 1 && left < all) => present.extend(others),
        _ => return None,
    }
    Some(present.into_iter().map(|(who, _)| who).collect())
}

/// The classes of the people who have one content: pairs of class and person.
fn placed(
    mut left: Left,
    mut open: Vec<Open>,
    (suppressed, can_be_suppressed): (usize, bool),
) -> Option<Vec<(usize, u32)>> {
    let mut placed = Vec::new();
    loop {
        open.iter_mut().for_each(|one| one.fits.retain(|class| left.contains_key(class)));
        let step = forced(&left, &open, can_be_suppressed)?;
        let Some((at, class, records)) = step else { break };
        placed.push((class, open[at].person));
        open[at].records -= records;
        if let Some(there) = left.get_mut(&class) {
            *there -= records;
        }
        left.retain(|_, there| *there > 0);
        open.retain(|one| one.records > 0);
    }
    // What is left of one person alone leaves no choice between people.
    let mut of_one = open.iter().map(|one| one.person);
    let first = of_one.next();
    if !left.is_empty() {
        let person = first.filter(|first| of_one.all(|other| other == *first))?;
        placed.extend(left.keys().map(|&class| (class, person)));
        return Some(placed);
    }
    if !open.is_empty() && !can_be_suppressed {
        return None;
    }
    placed.extend(open.iter().map(|one| (suppressed, one.person)));
    Some(placed)
}

/// The next entry whose records can be in one class alone, or who alone can have those of a class: its place, the class and how
/// many. `None` within where none is forced; without where the release is not of this table.
#[allow(clippy::type_complexity, reason = "an entry, a class and a number")]
fn forced(left: &Left, open: &[Open], can_be_suppressed: bool) -> Option<Option<(usize, usize, u64)>> {
    for (at, one) in open.iter().enumerate().filter(|_| !can_be_suppressed) {
        match one.fits[..] {
            [] => return None,
            [class] if left[&class] < one.records => return None,
            [class] => return Some(Some((at, class, one.records))),
            _ => {}
        }
    }
    for (&class, &there) in left {
        let mut fitting = open.iter().enumerate().filter(|(_, one)| one.fits.contains(&class));
        match (fitting.next(), fitting.next()) {
            (None, _) => return None,
            (Some((_, one)), None) if one.records < there => return None,
            (Some((at, _)), None) => return Some(Some((at, class, there))),
            _ => {}
        }
    }
    Some(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(person: u32, records: u64, fits: &[usize]) -> Open {
        Open { person, records, fits: fits.to_vec() }
    }

    fn of(left: &[(usize, u64)], all: Vec<Open>, can_be_suppressed: bool) -> Option<BTreeSet<(usize, u32)>> {
        let placed = placed(left.iter().copied().collect(), all, (9, can_be_suppressed));
        placed.map(|placed| placed.into_iter().collect())
    }

    #[test]
    fn what_fits_one_class_leaves_the_others_to_others() {
        // 1 fits class 0 alone, so that 2's records are in class 1.
        let both = || vec![open(1, 1, &[0]), open(2, 2, &[0, 1])];
        assert_eq!(of(&[(0, 1), (1, 2)], both(), false), Some([(0, 1), (1, 2)].into()));
        assert_eq!(of(&[(0, 2), (1, 1)], both(), false), Some([(0, 1), (0, 2), (1, 2)].into()));
        // Class 1 has 2's alone, and what is left of hers is suppressed or in class 0.
        assert_eq!(
            of(&[(1, 1)], vec![open(1, 1, &[0]), open(2, 2, &[0, 1])], true),
            Some([(1, 2), (9, 1), (9, 2)].into())
        );
    }

    #[test]
    fn a_choice_between_people_is_none() {
        let either = |second| vec![open(1, 1, &[0, 1]), open(second, 1, &[0, 1])];
        assert_eq!(of(&[(0, 1), (1, 1)], either(2), false), None);
        assert_eq!(of(&[(0, 1), (1, 1)], either(1), false), Some([(0, 1), (1, 1)].into()));
        // Records that nobody has: no release of this table.
        assert_eq!(of(&[(0, 3)], vec![open(1, 1, &[0])], false), None);
    }

    #[test]
    fn who_has_few_records_has_all_of_them() {
        let people = BTreeMap::from([(1, 1), (2, 1), (3, 5)]);
        assert_eq!(certain_of(&people, 3, |who| who < 3), Some(vec![1, 2, 3]));
        assert_eq!(certain_of(&people, 2, |who| who < 3), Some(vec![1, 2]));
        assert_eq!(certain_of(&people, 7, |_| false), Some(vec![1, 2, 3]));
        assert_eq!(certain_of(&people, 3, |_| false), None);
        assert_eq!(certain_of(&people, 1, |who| who < 3), None, "no release of this table");
    }
}
