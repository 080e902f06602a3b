//! Spellings of one person's number, taken for one person.

use std::borrow::Cow;

use rustc_hash::FxHashMap;
use velamen_core::frequency::FrequencyTable;
use velamen_measure::profile::person_numbers::spelled;

/// Takes spellings of one person's number for one person.
pub(crate) fn take_spellings_together(table: &mut FrequencyTable) {
    let Some(column) = table.rest.person() else { return };
    let values = &table.rest.columns[column].values;
    let mut first: FxHashMap<Cow<'_, str>, u32> = FxHashMap::default();
    let one: Vec<u32> =
        values.iter().zip(0..).map(|(value, code)| *first.entry(spelled(value)).or_insert(code)).collect();
    if first.len() < values.len() {
        table.rest.codes[column].iter_mut().for_each(|code| *code = one[*code as usize]);
    }
}
