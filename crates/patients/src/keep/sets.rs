//! Codes that somebody may know.

use velamen_core::context::Context;
use velamen_recipe::JobError;
use velamen_sets::{Asked, OUT, REMOVED, Sets, Tree, thin};

use super::{Kept, Rules, Why};
use crate::loaded::{Cells, Rows};
use crate::plan::Plan;

/// The codes of all sets as one space of numbers, and what they became.
#[derive(Debug, Default)]
pub(crate) struct Items {
    /// Where the codes of each column begin: table, column, first number, texts.
    pub(crate) columns: Vec<ItemColumn>,
    /// The hierarchy over all of them; leaves are the texts of the columns.
    pub(crate) tree: Option<Tree>,
    /// The names of nodes behind the leaves.
    pub(crate) inner: Vec<String>,
    /// What stands for each leaf after climbing; all leaves where nothing climbed.
    pub(crate) cut: Vec<u32>,
    /// Pairs of person and code of the original.
    pub(crate) original: usize,
    /// The same of the release.
    pub(crate) released: usize,
}

/// A column of codes in the space of items.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ItemColumn {
    pub(crate) table: usize,
    pub(crate) column: usize,
    /// The number of its first text.
    pub(crate) first: u32,
}

impl Items {
    /// The space of a plan's sets.
    pub(crate) fn of(plan: &Plan, tables: &[Rows]) -> Self {
        let mut items = Self::default();
        let mut next = 0;
        for (table, column) in plan.sets() {
            items.columns.push(ItemColumn { table, column, first: next });
            next += texts(&tables[table].columns[column]).len() as u32;
        }
        items.cut = (0..next).collect();
        items
    }

    /// The number that stands for a text of a column.
    pub(crate) fn node(&self, of: &ItemColumn, code: u32) -> u32 {
        self.cut[(of.first + code) as usize]
    }

    /// Where the codes of a column begin.
    pub(crate) fn column(&self, table: usize, column: usize) -> Option<&ItemColumn> {
        self.columns.iter().find(|of| (of.table, of.column) == (table, column))
    }

    /// The released text of a text of a column.
    pub(crate) fn text<'a>(&'a self, of: &ItemColumn, texts: &'a [String], code: u32) -> &'a str {
        let node = self.node(of, code);
        let leaves = self.cut.len() as u32;
        if node == of.first + code {
            return &texts[code as usize];
        }
        match node.checked_sub(leaves) {
            Some(inner) => &self.inner[inner as usize],
            // A code that is an ancestor of others stands among the leaves.
            None => texts.get((node - of.first) as usize).map_or("", String::as_str),
        }
    }
}

/// The texts of a column of codes.
pub(crate) fn texts(cells: &Cells) -> &[String] {
    match cells {
        Cells::Coded(coded) => &coded.texts,
        Cells::Lists(lists) => &lists.texts,
        _ => &[],
    }
}

/// The codes of a row of a column.
pub(super) fn codes(cells: &Cells, row: usize) -> impl Iterator<Item = u32> + '_ {
    let (one, list): (Option<u32>, &[u32]) = match cells {
        Cells::Coded(coded) => (Some(coded.at(row)), &[]),
        Cells::Lists(lists) => (None, lists.of_row(row)),
        _ => (None, &[]),
    };
    one.into_iter().chain(list.iter().copied())
}

/// The items of all persons before anything is removed.
pub(crate) fn first_items(items: &Items, tables: &[Rows]) -> Sets {
    let all = |_: usize, _: usize| true;
    items_of(items, tables, &all)
}

/// The items of all persons in the rows that `is_kept` says of table and row.
pub(crate) fn items_of(items: &Items, tables: &[Rows], is_kept: &dyn Fn(usize, usize) -> bool) -> Sets {
    let mut pairs: Vec<(u32, u32)> = Vec::new();
    for of in &items.columns {
        let rows = &tables[of.table];
        for row in (0..rows.number).filter(|&row| is_kept(of.table, row)) {
            let codes = codes(&rows.columns[of.column], row).filter(|code| *code != 0);
            pairs.extend(codes.map(|code| (rows.persons[row], items.node(of, code))));
        }
    }
    Sets::from_pairs(tables[0].number, pairs)
}

/// Removes codes until all sets of at most m are those of k persons; the first time codes may climb.
pub(super) fn apply(
    rules: &Rules<'_>,
    tables: &mut [Rows],
    kept: &mut Kept,
    is_first: bool,
    context: &Context<'_>,
) -> Result<(), JobError> {
    if kept.items.columns.is_empty() {
        return Ok(());
    }
    if is_first {
        uncoded(rules, tables, kept);
    }
    let sets = items_of(&kept.items, tables, &|table, row| kept.rows[table][row]);
    let classes: Vec<u32> = match rules.plan.counts_in_classes() {
        true => rules.demographics.classes.clone(),
        false => rules.demographics.classes.iter().map(|&class| if class == OUT { OUT } else { 0 }).collect(),
    };
    // Without a model of sets each code is to be that of enough persons all the same.
    let m = rules.plan.m().max(1);
    let asked = Asked { k: rules.plan.k() as u32, m, largest_set: rules.largest_set };
    let tree = kept.items.tree.as_ref().filter(|_| is_first);
    let stop = || context.check().is_err();
    let thinned = thin(&sets, &classes, &asked, tree, &stop).map_err(|_| JobError::interrupted())?;
    kept.items.released = thinned.kept();
    remove(tables, kept, &sets, &thinned.released);
    if tree_was_used(is_first, &kept.items) {
        climb(&mut kept.items, &sets, &thinned.released);
    }
    Ok(())
}

/// Leaves out rows without their code: they look like rows whose code was removed.
fn uncoded(rules: &Rules<'_>, tables: &[Rows], kept: &mut Kept) {
    for of in kept.items.columns.clone() {
        let Cells::Coded(coded) = &tables[of.table].columns[of.column] else { continue };
        if rules.plan.tables[of.table].parent.is_none() {
            continue;
        }
        for row in (0..coded.codes.len()).filter(|&row| coded.at(row) == 0) {
            kept.leave(of.table, row, Why::Uncoded);
        }
    }
}

/// Whether codes could climb.
fn tree_was_used(is_first: bool, items: &Items) -> bool {
    is_first && items.tree.is_some()
}

/// Notes what stands for each leaf: the same for all persons who keep it.
fn climb(items: &mut Items, sets: &Sets, released: &[u32]) {
    for (&item, &node) in sets.items().iter().zip(released) {
        if node != REMOVED {
            items.cut[item as usize] = node;
        }
    }
}

/// Leaves out the rows of codes that are removed from their person, and takes the codes out of lists.
fn remove(tables: &mut [Rows], kept: &mut Kept, sets: &Sets, released: &[u32]) {
    let columns = kept.items.columns.clone();
    for of in &columns {
        let Rows { persons, columns, .. } = &mut tables[of.table];
        for (row, &person) in persons.iter().enumerate() {
            if !kept.rows[of.table][row] {
                continue;
            }
            let person = person as usize;
            let is_removed = |node: u32| {
                let range = sets.range(person);
                sets.of(person)
                    .binary_search(&node)
                    .is_ok_and(|place| released[range.start + place] == REMOVED)
            };
            match &mut columns[of.column] {
                Cells::Coded(coded) => {
                    let code = coded.at(row);
                    if code != 0 && is_removed(kept.items.node(of, code)) {
                        kept.leave(of.table, row, Why::Set);
                    }
                }
                Cells::Lists(lists) => {
                    let items = &kept.items;
                    let left: Vec<u32> = lists
                        .of_row(row)
                        .iter()
                        .copied()
                        .filter(|&code| !is_removed(items.node(of, code)))
                        .collect();
                    if left.len() < lists.of_row(row).len() {
                        lists.lists.push(left);
                        lists.cells.put(row, lists.lists.len() as u32 - 1);
                    }
                }
                _ => {}
            }
        }
    }
}
