//! Codes outside of sets: each is that of at least k persons. A number that was told apart by a code goes with it: without its
//! unit it would be another one.

use rustc_hash::FxHashSet;

use super::{Kept, Rules, Why};
use crate::loaded::{Cells, Coded, Rows};
use crate::plan::{PlannedTable, Use};

/// Leaves out rows whose main code too few persons have, and empties other codes of too few persons.
pub(super) fn apply(rules: &Rules<'_>, tables: &mut [Rows], kept: &mut Kept) {
    let k = rules.plan.k();
    for (table, planned) in rules.plan.tables.iter().enumerate() {
        for (place, column) in planned.columns.iter().enumerate() {
            if !matches!(column.used, Use::MainCode | Use::Code) {
                continue;
            }
            let Rows { persons, columns, .. } = &mut tables[table];
            let Cells::Coded(coded) = &mut columns[place] else { continue };
            let rare = rare(coded, persons, kept, table, k);
            let rows: Vec<usize> = kept.of(table).filter(|&row| rare[coded.at(row) as usize]).collect();
            // Whether somebody has a row of a fact is a person column, so that it stays.
            if column.used == Use::MainCode && !planned.is_person_column {
                rows.into_iter().for_each(|row| kept.leave(table, row, Why::Floor));
                continue;
            }
            coded.empty(&rows);
            kept.count_emptied(table, place, rows.len() as u64);
            without_code(planned, place, (&mut tables[table], table), &rows, kept);
        }
    }
}

/// Leaves out the numbers of rows that lost a code by which they are told apart.
fn without_code(
    planned: &PlannedTable,
    code: usize,
    (all, table): (&mut Rows, usize),
    rows: &[usize],
    kept: &mut Kept,
) {
    for (place, column) in planned.columns.iter().enumerate() {
        let (Use::Value { by, .. } | Use::Band { by, .. }) = &column.used else { continue };
        let Cells::Numbers(numbers) = &mut all.columns[place] else { continue };
        let lost = rows.iter().filter(|_| by.contains(&code)).filter(|&&row| !numbers[row].is_nan());
        let lost: Vec<usize> = lost.copied().collect();
        kept.count_emptied(table, place, lost.len() as u64);
        numbers.put(lost, f64::NAN);
    }
}

/// Whether each code is that of fewer than k persons; the empty cell is none.
fn rare(coded: &Coded, persons: &[u32], kept: &Kept, table: usize, k: usize) -> Vec<bool> {
    let mut having: Vec<FxHashSet<u32>> = vec![FxHashSet::default(); coded.texts.len()];
    for row in kept.of(table) {
        let having = &mut having[coded.at(row) as usize];
        // Most codes have k persons soon, and nobody counts further.
        if having.len() < k {
            having.insert(persons[row]);
        }
    }
    having.iter().enumerate().map(|(code, having)| code > 0 && having.len() < k).collect()
}
