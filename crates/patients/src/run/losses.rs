//! The losses by code, for the custodian.

use std::io::Write;

use crate::keep::{self, Items};
use crate::loaded::Rows;
use crate::release::Making;

/// How many persons have each code of sets in the rows that `is_kept` says, by what stands for the code.
pub(super) fn counts(items: &Items, tables: &[Rows], is_kept: &dyn Fn(usize, usize) -> bool) -> Vec<u32> {
    let sets = keep::items_of(items, tables, is_kept);
    let mut counts = vec![0; sets.domain().max(items.cut.len())];
    sets.items().iter().for_each(|&item| counts[item as usize] += 1);
    counts
}

/// Table, column, code, persons before and after. After are those for whom the code itself is released; `climbed.csv` has
/// what stands for a code that climbed.
pub(super) fn write(making: &Making<'_>, before: &[u32], writer: &mut dyn Write) -> std::io::Result<()> {
    let mut writer = csv::Writer::from_writer(writer);
    writer.write_record(["table", "column", "code", "persons before", "persons after"])?;
    let items = &making.kept.items;
    let after = counts(items, making.tables, &|table, row| making.kept.rows[table][row]);
    for of in &items.columns {
        let planned = &making.plan.tables[of.table];
        let texts = keep::texts(&making.tables[of.table].columns[of.column]);
        for (code, text) in texts.iter().enumerate().skip(1) {
            let item = of.first as usize + code;
            let is_itself = items.node(of, code as u32) as usize == item;
            let after = if is_itself { after[item] } else { 0 };
            let persons = [before[item].to_string(), after.to_string()];
            writer.write_record([
                planned.name.as_str(),
                &planned.columns[of.column].name,
                text,
                &persons[0],
                &persons[1],
            ])?;
        }
    }
    writer.flush()
}
