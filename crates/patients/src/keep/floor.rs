//! Codes outside of sets: each is that of at least k persons.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::{Kept, Rules, Why};
use crate::loaded::{Cells, Coded, Rows};
use crate::plan::Use;

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
            let rows: Vec<usize> = kept.of(table).filter(|&row| rare[coded.codes[row] as usize]).collect();
            for row in rows {
                if column.used == Use::MainCode {
                    kept.leave(table, row, Why::Floor);
                } else {
                    Arc::make_mut(&mut coded.codes)[row] = 0;
                    *kept.emptied.entry((table, place)).or_default() += 1;
                }
            }
        }
    }
}

/// Whether each code is that of fewer than k persons; the empty cell is none.
fn rare(coded: &Coded, persons: &[u32], kept: &Kept, table: usize, k: usize) -> Vec<bool> {
    let mut having: Vec<FxHashSet<u32>> = vec![FxHashSet::default(); coded.texts.len()];
    for row in kept.of(table) {
        let having = &mut having[coded.codes[row] as usize];
        // Most codes have k persons soon, and nobody counts further.
        if having.len() < k {
            having.insert(persons[row]);
        }
    }
    having.iter().enumerate().map(|(code, having)| code > 0 && having.len() < k).collect()
}
