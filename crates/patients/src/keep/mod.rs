//! Which rows stay.
//!
//! Every later removal can break an earlier count, so that the rules are applied in turn until none removes anything:
//! sets by `thin`, floors of other codes, ends of numbers, visits that lost all their codes, empty cells, numbers of rows. Each round removes a row or a
//! cell, or is the last.

mod ages;
mod counts;
mod empties;
pub(crate) mod events;
mod floor;
mod lists;
pub(crate) mod numbers;
mod sets;
mod tree;
mod window;

use std::collections::BTreeMap;

use velamen_core::context::Context;
use velamen_recipe::JobError;

pub(crate) use sets::{Items, first_items, items_of, texts};
pub(crate) use tree::grow;

use crate::days::NO_DAY;
use crate::loaded::{Cells, NONE, Rows};
use crate::persons::Demographics;
use crate::plan::{Plan, Use};
use crate::shape::{denies, required};

/// Why a row is left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Why {
    /// Its person is.
    Person,
    /// Its day lies outside the window.
    Window,
    /// Its code is that of a public event.
    Event,
    /// Too few persons have its code, or its code together with others.
    Set,
    /// It has no code.
    Uncoded,
    /// It lacks what its standard wants in each row.
    Lacking,
    /// It says that what it describes is not so.
    Denied,
    /// Too few persons have its code.
    Floor,
    /// Too few persons have a cell as empty as one of its own.
    Empty,
    /// Its person has more rows than others.
    Counts,
    /// No row that is left refers to it.
    Unreferred,
    /// The row that it belongs to went.
    Parent,
    /// Whose it is, is not known.
    Orphan,
}

impl Why {
    /// What is said of it.
    pub(crate) const fn words(self) -> &'static str {
        match self {
            Self::Person => "its person was left out",
            Self::Window => "outside the window",
            Self::Event => "a code of a public event",
            Self::Set => "a code, or codes together, of too few persons",
            Self::Uncoded => "no code",
            Self::Lacking => "without what the standard asks of it",
            Self::Denied => "it says that it did not happen",
            Self::Floor => "a code of too few persons",
            Self::Empty => "an empty cell that too few persons have",
            Self::Counts => "more rows than other persons have",
            Self::Unreferred => "no row with a code refers to it",
            Self::Parent => "the row that it belongs to was left out",
            Self::Orphan => "its parent is not there",
        }
    }
}

/// The rows that stay.
#[derive(Debug)]
pub(crate) struct Kept {
    /// Per table whether each row stays.
    pub(crate) rows: Vec<Vec<bool>>,
    /// How many rows of each table went, by reason.
    pub(crate) gone: BTreeMap<(usize, Why), u64>,
    /// Cells of other codes and of numbers that were emptied, by table and column.
    pub(crate) emptied: BTreeMap<(usize, usize), u64>,
    /// What became of the codes of sets.
    pub(crate) items: Items,
}

impl Kept {
    /// Leaves a row out.
    fn leave(&mut self, table: usize, row: usize, why: Why) {
        if std::mem::replace(&mut self.rows[table][row], false) {
            *self.gone.entry((table, why)).or_default() += 1;
        }
    }

    /// The first day of each person in the rows that stay of some tables; [`i32::MAX`] where there is none.
    pub(crate) fn first_days<'r>(
        &self,
        tables: impl Iterator<Item = (usize, &'r Rows)>,
        persons: usize,
    ) -> Vec<i32> {
        let mut firsts = vec![i32::MAX; persons];
        for (table, rows) in tables {
            for days in (0..rows.columns.len()).filter_map(|column| rows.days(column)) {
                for row in self.of(table).filter(|&row| days[row] != NO_DAY) {
                    let first = &mut firsts[rows.persons[row] as usize];
                    *first = days[row].min(*first);
                }
            }
        }
        firsts
    }

    /// Counts cells of a column that were emptied.
    fn count_emptied(&mut self, table: usize, column: usize, cells: u64) {
        if cells > 0 {
            *self.emptied.entry((table, column)).or_default() += cells;
        }
    }

    /// Whether cells of a column were emptied; of references, whether a row is left out that one leads to, in a table that lost codes.
    pub(crate) fn was_emptied(&self, (table, place): (usize, usize), used: &Use, rows: &Rows) -> bool {
        self.emptied.contains_key(&(table, place))
            || match (&rows.columns[place], used) {
                (Cells::References(leads), Use::Reference(other)) => {
                    let is_left = |row: u32| row == NONE || self.rows[*other][row as usize];
                    self.lost_codes(*other) && self.of(table).any(|row| !is_left(leads[row]))
                }
                _ => false,
            }
    }

    /// Whether rows of a table were left out for what they say: those that went for their number or their day say nothing of a
    /// code.
    fn lost_codes(&self, table: usize) -> bool {
        let for_codes = [Why::Event, Why::Set, Why::Denied, Why::Floor, Why::Empty, Why::Parent];
        for_codes.iter().any(|why| self.gone.contains_key(&(table, *why)))
    }

    /// How many rows and cells were left out.
    fn removed(&self) -> (u64, u64) {
        (self.gone.values().sum(), self.emptied.values().sum())
    }

    /// The rows of a table that stay.
    pub(crate) fn of(&self, table: usize) -> impl Iterator<Item = usize> + '_ {
        self.rows[table].iter().enumerate().filter(|(_, kept)| **kept).map(|(row, _)| row)
    }
}

/// What the rules look at.
pub(crate) struct Rules<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) demographics: &'a Demographics,
    /// By how many days each person's dates move.
    pub(crate) shifts: &'a [i32],
    pub(crate) largest_set: usize,
}

/// Applies all rules until none removes anything.
///
/// # Errors
/// [`JobError::interrupted`].
pub(crate) fn keep(
    rules: &Rules<'_>,
    tables: &mut [Rows],
    items: Items,
    context: &Context<'_>,
) -> Result<Kept, JobError> {
    let all = |rows: &Rows| vec![true; rows.number];
    let rows = tables.iter().map(all).collect();
    let mut kept = Kept { rows, gone: BTreeMap::new(), emptied: BTreeMap::new(), items };
    for (table, rows) in tables.iter().enumerate().filter(|(_, rows)| rows.orphans > 0) {
        kept.gone.insert((table, Why::Orphan), rows.orphans);
    }
    let had_codes = lists::with_codes(rules.plan, tables);
    people(rules, tables, &mut kept);
    window::apply(rules, tables, &mut kept);
    events::apply(rules.plan, tables, &mut kept);
    lists::leave(&had_codes, rules.plan, tables, &mut kept, Why::Event);
    ages::apply(rules, tables, &mut kept);
    numbers::round(rules.plan, tables);
    lacking(rules.plan, tables, &mut kept);
    denied(rules.plan, tables, &mut kept);
    for round in 0.. {
        context.check()?;
        let before = kept.removed();
        sets::apply(rules, tables, &mut kept, round == 0, context)?;
        lists::leave(&had_codes, rules.plan, tables, &mut kept, Why::Set);
        for rule in ROUND {
            context.check()?;
            rule(rules, tables, &mut kept);
        }
        if before == kept.removed() {
            break;
        }
    }
    Ok(kept)
}

/// A rule whose removals can break what others counted.
type Rule = fn(&Rules<'_>, &mut [Rows], &mut Kept);

/// The rules of each round, in their order.
const ROUND: [Rule; 6] = [
    |rules, tables, kept| floor::apply(rules, tables, kept),
    |rules, tables, kept| unreferred(rules, tables, kept),
    |rules, tables, kept| parents(rules, tables, kept),
    |rules, tables, kept| numbers::apply(rules, tables, kept),
    |rules, tables, kept| empties::apply(rules, tables, kept),
    |rules, tables, kept| counts::apply(rules, tables, kept),
];

/// Leaves out the rows of persons who are left out, and facts that are not shown.
fn people(rules: &Rules<'_>, tables: &[Rows], kept: &mut Kept) {
    for (table, rows) in tables.iter().enumerate() {
        let planned = &rules.plan.tables[table];
        let is_hidden =
            planned.is_made_anew || (planned.is_person_column && !rules.demographics.shows_fact(table));
        if is_hidden {
            kept.rows[table].fill(false);
        }
        for (row, &person) in rows.persons.iter().enumerate() {
            if !rules.demographics.is_in(person) {
                kept.leave(table, row, Why::Person);
            }
        }
    }
}

/// Leaves out rows that lack what their standard wants in each.
fn lacking(plan: &Plan, tables: &[Rows], kept: &mut Kept) {
    for (table, planned) in plan.tables.iter().enumerate() {
        for name in required(plan.shape, &planned.name) {
            let Some(place) = planned.columns.iter().position(|column| column.name == *name) else {
                continue;
            };
            let is_empty: Box<dyn Fn(usize) -> bool> = match &tables[table].columns[place] {
                Cells::Coded(coded) => Box::new(|row| coded.at(row) == 0),
                Cells::Days(days) => Box::new(|row| days[row] == NO_DAY),
                _ => continue,
            };
            let rows: Vec<usize> = kept.of(table).filter(|&row| is_empty(row)).collect();
            rows.into_iter().for_each(|row| kept.leave(table, row, Why::Lacking));
        }
    }
}

/// Leaves out rows that say that what they describe is not so: without that word they would say that it is.
fn denied(plan: &Plan, tables: &[Rows], kept: &mut Kept) {
    for (table, planned) in plan.tables.iter().enumerate() {
        for (place, column) in planned.columns.iter().enumerate() {
            let Cells::Coded(coded) = &tables[table].columns[place] else { continue };
            let denies: Vec<bool> =
                coded.texts.iter().map(|text| denies(plan.shape, &column.name, text)).collect();
            let rows: Vec<usize> = kept.of(table).filter(|&row| denies[coded.at(row) as usize]).collect();
            rows.into_iter().for_each(|row| kept.leave(table, row, Why::Denied));
        }
    }
}

/// Leaves out rows to which others are to refer and none with a code of its own does.
fn unreferred(rules: &Rules<'_>, tables: &[Rows], kept: &mut Kept) {
    for (table, _) in rules.plan.tables.iter().enumerate().filter(|(_, planned)| planned.is_referred_to) {
        let mut has = vec![false; tables[table].number];
        for (other, referring) in
            rules.plan.tables.iter().enumerate().filter(|(_, other)| !other.is_referred_to)
        {
            for (place, column) in referring.columns.iter().enumerate() {
                let is_one = column.used == Use::Reference(table)
                    || (column.used == Use::Parent && referring.parent == Some(table));
                if is_one {
                    mark(kept, other, &tables[other].columns[place], &mut has);
                }
            }
        }
        for (row, has) in has.iter().enumerate() {
            if !has && kept.rows[table][row] {
                kept.leave(table, row, Why::Unreferred);
            }
        }
    }
}

/// Leaves out rows that belong to a row that went.
fn parents(rules: &Rules<'_>, tables: &[Rows], kept: &mut Kept) {
    for (table, planned) in rules.plan.tables.iter().enumerate() {
        let (Some(place), Some(parent)) = (planned.column(&Use::Parent), planned.parent) else { continue };
        let Cells::References(rows) = &tables[table].columns[place] else { continue };
        for (row, &of) in rows.iter().enumerate() {
            if kept.rows[table][row] && !kept.rows[parent][of as usize] {
                kept.leave(table, row, Why::Parent);
            }
        }
    }
}

/// Marks the rows that a column of rows that stay points to.
fn mark(kept: &Kept, table: usize, cells: &Cells, has: &mut [bool]) {
    let Cells::References(rows) = cells else { return };
    for row in kept.of(table) {
        if rows[row] != NONE {
            has[rows[row] as usize] = true;
        }
    }
}
