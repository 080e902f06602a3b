//! Which classes go where suppressed records show no values, so that the table is another.

use std::fmt;

use velamen_core::classes::Cell;
use velamen_core::frequency::FrequencyTable;
use velamen_core::recoding::Member;

use super::{Evaluator, Histogram, Judged};
use crate::method::kit::judge;
use crate::method::kit::task::Task;
use crate::model::people::{self, Tally};
use crate::model::{Bound, Class, Judge};

/// A task of which suppressed records show no values: what compares a class with the table compares it with the records
/// that show theirs.
#[derive(Clone, Copy)]
pub struct Hidden<'a>(&'a Task<'a>);

impl fmt::Debug for Hidden<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Hidden")
    }
}

impl<'a> Hidden<'a> {
    /// `None` where no model compares a class with the table.
    #[must_use]
    pub fn of(task: &'a Task<'a>) -> Option<Self> {
        task.against_table().next().is_some().then_some(Self(task))
    }

    /// The models for a table of which only some entries show their values; `None` where they do not fit.
    pub(in crate::method) fn shown(
        self,
        table: &FrequencyTable,
        kept: impl Iterator<Item = Member> + Clone,
    ) -> Option<Vec<Bound>> {
        self.0.bind_shown(table, &|column| tally(table, column, kept.clone())).ok()
    }

    /// Which groups fail once the records of all others show no values.
    pub(in crate::method) fn unlike(self, table: &FrequencyTable, groups: &[Vec<Member>]) -> Vec<bool> {
        let Some(models) = self.shown(table, groups.iter().flatten().copied()) else {
            return vec![true; groups.len()];
        };
        let judge = judge::Judge { table, models: &models };
        groups.iter().map(|members| !judge.holds(members)).collect()
    }
}

/// What a column comes to in some entries of a table.
fn tally(table: &FrequencyTable, column: usize, kept: impl Iterator<Item = Member>) -> Tally {
    let values = table.rest.columns[column].values.len();
    if let Some(person) = table.rest.person() {
        return Tally::of_people(&people::pairs(table, (person, column), kept), values);
    }
    let mut counts = vec![0; values];
    for (entry, count) in kept {
        counts[table.rest.codes[column][table.rest_index[entry as usize] as usize] as usize] += count;
    }
    Tally::of_records(counts)
}

impl<const W: usize> Evaluator<'_, W> {
    /// Suppresses the kept classes that fail once suppressed records show no values; whether there were any.
    pub(super) fn suppress_unlike(&self, cells: &[Cell<W>], judged: &mut Judged) -> bool {
        let Some(hidden) = self.demand.hidden else { return false };
        if judged.outliers == 0 || judged.outliers > self.demand.most_outliers {
            return false;
        }
        let kept: Vec<usize> = (0..judged.sizes.len()).filter(|&class| judged.held[class]).collect();
        let own: Vec<Histogram> = kept.iter().map(|&class| self.class_cells(cells, judged, class)).collect();
        let all = own.concat();
        let models = hidden.0.bind_shown(self.table, &|column| self.tally(column, &all));
        let unlike: Vec<usize> = match models {
            Ok(models) => {
                let fails = |at: &usize| !self.all_hold(&models, judged.people[kept[*at]], &own[*at]);
                (0..kept.len()).filter(fails).map(|at| kept[at]).collect()
            }
            Err(_) => kept,
        };
        for &class in &unlike {
            judged.held[class] = false;
            judged.outliers += judged.sizes[class];
        }
        !unlike.is_empty()
    }

    /// (code, count) of a class.
    fn class_cells(&self, cells: &[Cell<W>], judged: &Judged, class: usize) -> Histogram {
        let Some(field) = self.space.sensitive_field() else { return Histogram::new() };
        let mut left = judged.sizes[class];
        let own = cells[judged.starts[class]..].iter().take_while(|cell| {
            let within = left > 0;
            left = left.saturating_sub(cell.count);
            within
        });
        own.map(|cell| (cell.key.get(field), cell.count)).collect()
    }

    /// What a column comes to in some cells.
    fn tally(&self, column: usize, cells: &[(u32, u64)]) -> Tally {
        let values = self.table.rest.columns[column].values.len();
        let (mut own, mut pairs) = (Histogram::new(), Vec::new());
        let Some(coding) = self.coding else { return Tally::default() };
        if let Some(person) = self.table.rest.person() {
            coding.pairs((person, column), cells, &mut pairs);
            return Tally::of_people(&pairs, values);
        }
        coding.histogram(column, cells, &mut own);
        let mut counts = vec![0; values];
        own.into_iter().for_each(|(value, count)| counts[value as usize] = count);
        Tally::of_records(counts)
    }

    fn all_hold(&self, models: &[Bound], people: u64, cells: &[(u32, u64)]) -> bool {
        let (mut own, mut pairs) = (Histogram::new(), Vec::new());
        let class = Class::new(people, cells);
        models.iter().all(|bound| match &bound.judge {
            Judge::Class(model) => model.holds(&self.of_column(bound.column, &class, &mut own, &mut pairs)),
            Judge::Table(_) => true,
        })
    }
}
