//! A hierarchy as a table that is changed by hand: values and groups moved, named, put in order.
//!
//! A row is a value and its labels up to `*`. Every change keeps what makes a table a hierarchy: each value once, each
//! label under one parent.

use std::collections::BTreeMap;

use serde_json::Value as Json;
use velamen_core::error::Problem;
use velamen_core::hierarchy::{TOP, TableRule};
use velamen_recipe::JobError;

/// The rows of a hierarchy, all of one length, with one label at the top.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct HierarchyRows(Vec<Vec<String>>);

/// A label with what lies directly under it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Group {
    pub(crate) label: String,
    /// The labels one level below, each with the number of values under it.
    pub(crate) items: Vec<(String, usize)>,
}

/// A change. Groups are labels of a level from 1 on; their items are labels of the level below.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Change {
    /// Items go to a group of the level, before one of its items or at its end.
    Move {
        level: usize,
        items: Vec<String>,
        to: String,
        before: Option<String>,
    },
    /// Items become a group of their own. Under `*` this makes a new level.
    Group {
        level: usize,
        items: Vec<String>,
        name: String,
    },
    /// A group gets another name; that of another group of the level puts the two together.
    Rename {
        level: usize,
        from: String,
        to: String,
    },
    /// Items change places with their neighbour in the group.
    Earlier {
        level: usize,
        items: Vec<String>,
    },
    Later {
        level: usize,
        items: Vec<String>,
    },
    /// A level goes; those around it stay.
    RemoveLevel(usize),
    /// Values that the table lacks, each in a group of its own.
    AddValues(Vec<String>),
}

fn refuse<T>(text: impl Into<Problem>) -> Result<T, JobError> {
    Err(JobError::usage(text))
}

impl HierarchyRows {
    /// Rows as a file or recipe has them; several labels at the top get `*` above.
    ///
    /// # Errors
    /// [`JobError::usage`] with the first row that is wrong.
    pub(crate) fn new(mut rows: Vec<Vec<String>>) -> Result<Self, JobError> {
        let even = rows.windows(2).all(|pair| pair[0].len() == pair[1].len());
        if even && rows.windows(2).any(|pair| pair[0].last() != pair[1].last()) {
            rows.iter_mut().for_each(|row| row.push(TOP.to_owned()));
        }
        if rows.first().is_some_and(|row| row.len() == 1) {
            rows.iter_mut().for_each(|row| row.push(TOP.to_owned()));
        }
        match TableRule::faults(&rows).first() {
            Some(fault) => refuse(format!("the hierarchy's rows: {fault}")),
            None => Ok(Self(rows)),
        }
    }

    /// The values, in order.
    pub(crate) fn values(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|row| row[0].as_str())
    }

    /// The number of the level with the one label.
    pub(crate) fn top(&self) -> usize {
        self.0[0].len() - 1
    }

    /// The rows, as files have them.
    pub(crate) fn rows(&self) -> &[Vec<String>] {
        &self.0
    }

    /// What recipes write.
    pub(crate) fn json(&self) -> Json {
        serde_json::json!({ "rows": self.0 })
    }

    /// The labels of a level from 1 on, in order, with their items.
    pub(crate) fn groups(&self, level: usize) -> Vec<Group> {
        let mut groups: Vec<Group> = Vec::new();
        let mut places: BTreeMap<&str, (usize, BTreeMap<&str, usize>)> = BTreeMap::new();
        for row in &self.0 {
            let (group, items) = places.entry(&row[level]).or_insert_with(|| {
                groups.push(Group { label: row[level].clone(), items: Vec::new() });
                (groups.len() - 1, BTreeMap::new())
            });
            let list = &mut groups[*group].items;
            let item = *items.entry(&row[level - 1]).or_insert_with(|| {
                list.push((row[level - 1].clone(), 0));
                list.len() - 1
            });
            list[item].1 += 1;
        }
        groups
    }

    /// The rows after a change.
    ///
    /// # Errors
    /// [`JobError::usage`] if it cannot be made; nothing is changed then.
    pub(crate) fn changed(&self, change: &Change) -> Result<Self, JobError> {
        let mut rows = self.clone();
        match change {
            Change::Move { level, items, to, before } => rows.put(*level, items, to, before.as_deref())?,
            Change::Group { level, items, name } => rows.group(*level, items, name)?,
            Change::Rename { level, from, to } => rows.rename(*level, from, to)?,
            Change::Earlier { level, items } => rows.shift(*level, items, true)?,
            Change::Later { level, items } => rows.shift(*level, items, false)?,
            Change::RemoveLevel(level) => rows.remove_level(*level)?,
            Change::AddValues(values) => rows.add(values),
        }
        match TableRule::faults(&rows.0).first() {
            Some(fault) => refuse(format!("that is no hierarchy any more: {fault}")),
            None => Ok(rows),
        }
    }

    fn check(&self, level: usize, items: &[String]) -> Result<(), JobError> {
        if !(1..=self.top()).contains(&level) {
            return refuse(format!("groups have levels from 1 to {}", self.top()));
        }
        if items.is_empty() {
            return refuse(Problem::new("nothing is chosen").mend("choose the values or groups first"));
        }
        Ok(())
    }

    /// The labels from a level on of the first row with a label there.
    fn above(&self, level: usize, label: &str) -> Option<Vec<String>> {
        self.0.iter().find(|row| row[level] == label).map(|row| row[level..].to_vec())
    }

    /// Puts the rows of items under labels.
    fn adopt(&mut self, level: usize, items: &[String], labels: &[String]) {
        for row in self.0.iter_mut().filter(|row| items.contains(&row[level - 1])) {
            row[level..].clone_from_slice(labels);
        }
    }

    fn put(
        &mut self,
        level: usize,
        items: &[String],
        to: &str,
        before: Option<&str>,
    ) -> Result<(), JobError> {
        self.check(level, items)?;
        let Some(labels) = self.above(level, to) else { return refuse("there is no such group") };
        self.adopt(level, items, &labels);
        let (moved, mut others): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.0).into_iter().partition(|row| items.contains(&row[level - 1]));
        let first = before.and_then(|before| others.iter().position(|row| row[level - 1] == before));
        let end = || others.iter().rposition(|row| row[level] == to).map_or(others.len(), |last| last + 1);
        let place = first.unwrap_or_else(end);
        others.splice(place..place, moved);
        self.0 = others;
        Ok(())
    }

    fn group(&mut self, level: usize, items: &[String], name: &str) -> Result<(), JobError> {
        self.check(level, items)?;
        let name = named(name)?;
        if level == self.top() {
            // Every item is a group of its own first.
            self.0.iter_mut().for_each(|row| row.insert(level, row[level - 1].clone()));
        }
        let under =
            self.0.iter().find(|row| items.contains(&row[level - 1])).map(|row| row[level + 1..].to_vec());
        let Some(under) = under else {
            return refuse(Problem::new("nothing is chosen").mend("choose the values or groups first"));
        };
        let own = || std::iter::once(name.to_owned()).chain(under).collect();
        let labels: Vec<String> = self.above(level, name).unwrap_or_else(own);
        self.adopt(level, items, &labels);
        Ok(())
    }

    fn rename(&mut self, level: usize, from: &str, to: &str) -> Result<(), JobError> {
        if !(1..self.top()).contains(&level) {
            return refuse("only groups below the top have names that can be changed");
        }
        let to = named(to)?;
        let Some(mut labels) = self.above(level, from) else { return refuse("there is no such group") };
        labels[0] = to.to_owned();
        let labels = self.above(level, to).unwrap_or(labels);
        for row in self.0.iter_mut().filter(|row| row[level] == from) {
            row[level..].clone_from_slice(&labels);
        }
        Ok(())
    }

    /// Rows in the order of the tree: what has one label stands together.
    fn gathered(&mut self) {
        let mut first: Vec<BTreeMap<String, usize>> = vec![BTreeMap::new(); self.top() + 1];
        for (number, row) in self.0.iter().enumerate() {
            for (places, label) in first.iter_mut().zip(row) {
                places.entry(label.clone()).or_insert(number);
            }
        }
        self.0.sort_by_cached_key(|row| -> Vec<usize> {
            first.iter().zip(row).rev().map(|(places, label)| places[label]).collect()
        });
    }

    fn shift(&mut self, level: usize, items: &[String], earlier: bool) -> Result<(), JobError> {
        self.check(level, items)?;
        self.gathered();
        let groups = self.groups(level);
        let mut order: Vec<(String, String)> = Vec::new();
        for mut group in groups {
            let list = &mut group.items;
            let is_chosen = |item: &(String, usize)| items.contains(&item.0);
            let places: Vec<usize> =
                if earlier { (1..list.len()).collect() } else { (1..list.len()).rev().collect() };
            for place in places {
                let (moves, stays) = if earlier { (place, place - 1) } else { (place - 1, place) };
                if is_chosen(&list[moves]) && !is_chosen(&list[stays]) {
                    list.swap(place, place - 1);
                }
            }
            order.extend(group.items.into_iter().map(|(item, _)| (group.label.clone(), item)));
        }
        let places: BTreeMap<(String, String), usize> =
            order.into_iter().enumerate().map(|(place, item)| (item, place)).collect();
        self.0.sort_by_cached_key(|row| places.get(&(row[level].clone(), row[level - 1].clone())).copied());
        Ok(())
    }

    fn remove_level(&mut self, level: usize) -> Result<(), JobError> {
        if !(1..self.top()).contains(&level) {
            return refuse(Problem::new("the values and the top stay").mend("choose a level between them"));
        }
        self.0.iter_mut().for_each(|row| {
            row.remove(level);
        });
        Ok(())
    }

    fn add(&mut self, values: &[String]) {
        let (levels, top) = (self.0[0].len(), self.0[0][self.top()].clone());
        for value in values {
            let mut row = vec![value.clone(); levels];
            row[levels - 1].clone_from(&top);
            self.0.push(row);
        }
    }
}

/// A name for a group.
fn named(name: &str) -> Result<&str, JobError> {
    match name.trim() {
        "" => refuse(Problem::new("no name").mend("give the group one")),
        TOP => refuse("`*` is the name of the top"),
        name => Ok(name),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn rows(text: &str) -> HierarchyRows {
        HierarchyRows::new(
            text.split_whitespace().map(|line| line.split(';').map(str::to_owned).collect()).collect(),
        )
        .unwrap()
    }

    fn text(rows: &HierarchyRows) -> String {
        rows.rows().iter().map(|row| row.join(";")).collect::<Vec<_>>().join(" ")
    }

    fn strings(items: &[&str]) -> Vec<String> {
        items.iter().map(|item| (*item).to_owned()).collect()
    }

    const SCHOOL: &str = "9th;low;* 10th;low;* BSc;high;* MSc;high;*";

    #[test]
    fn values_move_between_groups_and_before_each_other() {
        let to = |before: Option<&str>| {
            let (items, before) = (strings(&["10th"]), before.map(str::to_owned));
            text(&rows(SCHOOL).changed(&Change::Move { level: 1, items, to: "high".into(), before }).unwrap())
        };
        assert_eq!(to(None), "9th;low;* BSc;high;* MSc;high;* 10th;high;*");
        assert_eq!(to(Some("MSc")), "9th;low;* BSc;high;* 10th;high;* MSc;high;*");
        let nowhere = Change::Move { level: 1, items: strings(&["9th"]), to: "none".into(), before: None };
        assert!(rows(SCHOOL).changed(&nowhere).is_err());
    }

    #[test]
    fn groups_are_made_named_and_put_together() {
        let group = Change::Group { level: 1, items: strings(&["10th", "BSc"]), name: "middle".into() };
        assert_eq!(
            text(&rows(SCHOOL).changed(&group).unwrap()),
            "9th;low;* 10th;middle;* BSc;middle;* MSc;high;*"
        );
        let above = Change::Group { level: 2, items: strings(&["low"]), name: "school".into() };
        assert_eq!(
            text(&rows(SCHOOL).changed(&above).unwrap()),
            "9th;low;school;* 10th;low;school;* BSc;high;high;* MSc;high;high;*"
        );
        let rename = |to: &str| Change::Rename { level: 1, from: "low".into(), to: to.into() };
        assert_eq!(text(&rows(SCHOOL).changed(&rename("basic")).unwrap()), SCHOOL.replace("low", "basic"));
        assert_eq!(rows(SCHOOL).changed(&rename("high")).unwrap().groups(1).len(), 1);
        assert!(rows(SCHOOL).changed(&rename(" ")).is_err() && rows(SCHOOL).changed(&rename("*")).is_err());
    }

    #[test]
    fn order_changes_within_the_group_only() {
        let earlier = |item: &str| Change::Earlier { level: 1, items: strings(&[item]) };
        assert_eq!(
            text(&rows(SCHOOL).changed(&earlier("MSc")).unwrap()),
            "9th;low;* 10th;low;* MSc;high;* BSc;high;*"
        );
        assert_eq!(text(&rows(SCHOOL).changed(&earlier("BSc")).unwrap()), SCHOOL);
        let later = Change::Later { level: 2, items: strings(&["low"]) };
        assert_eq!(
            text(&rows(SCHOOL).changed(&later).unwrap()),
            "BSc;high;* MSc;high;* 9th;low;* 10th;low;*"
        );
    }

    #[test]
    fn levels_go_and_values_come() {
        assert_eq!(text(&rows(SCHOOL).changed(&Change::RemoveLevel(1)).unwrap()), "9th;* 10th;* BSc;* MSc;*");
        assert!(rows(SCHOOL).changed(&Change::RemoveLevel(2)).is_err());
        let added = rows(SCHOOL).changed(&Change::AddValues(strings(&["PhD"]))).unwrap();
        assert!(text(&added).ends_with("PhD;PhD;*"));
        assert!(rows(SCHOOL).changed(&Change::AddValues(strings(&["9th"]))).is_err());
    }

    #[test]
    fn several_labels_at_the_top_get_one_above() {
        assert_eq!(rows("a;x b;y").top(), 2);
        assert_eq!(rows("a b").top(), 1);
        assert!(HierarchyRows::new(vec![strings(&["a", "*"]), strings(&["b"])]).is_err());
    }

    fn change() -> impl Strategy<Value = Change> {
        let label = || prop::sample::select(vec!["a", "b", "c", "d", "x", "y", "z"]).prop_map(str::to_owned);
        let items = || prop::collection::vec(label(), 0..3);
        prop_oneof![
            (0usize..4, items(), label(), prop::option::of(label()))
                .prop_map(|(level, items, to, before)| Change::Move { level, items, to, before }),
            (0usize..4, items(), label()).prop_map(|(level, items, name)| Change::Group {
                level,
                items,
                name
            }),
            (0usize..4, label(), label()).prop_map(|(level, from, to)| Change::Rename { level, from, to }),
            (0usize..4, items()).prop_map(|(level, items)| Change::Earlier { level, items }),
            (0usize..4, items()).prop_map(|(level, items)| Change::Later { level, items }),
            (0usize..4).prop_map(Change::RemoveLevel),
        ]
    }

    proptest! {
        /// Whatever is clicked, in whatever order: the values stay, and it is a hierarchy.
        #[test]
        fn any_changes_leave_a_hierarchy_of_the_same_values(changes in prop::collection::vec(change(), 0..12)) {
            let mut now = rows("a;x;* b;x;* c;y;* d;y;*");
            for change in changes {
                if let Ok(next) = now.changed(&change) {
                    now = next;
                }
                prop_assert!(TableRule::faults(now.rows()).is_empty());
                let mut values: Vec<&str> = now.values().collect();
                values.sort_unstable();
                prop_assert_eq!(values, ["a", "b", "c", "d"]);
                prop_assert_eq!(now.groups(now.top()).len(), 1);
            }
        }
    }
}
