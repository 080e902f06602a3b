//! A metric: the share of the cells that are not as they were.

use velamen::registries::metrics::{Aggregate, CellFigures, CellMetric, Entry, of_recoded};

const CHANGED: CellMetric = CellMetric {
    name: "outside-changed",
    summary: "the share of the cells that are not as they were",
    cell: |cell| if cell.climbed > 0.0 { 1.0 } else { 0.0 },
    suppressed: |_| 1.0,
    normalise: |sum, records, _, _| if records > 0.0 { sum / records } else { 0.0 },
    aggregate: Aggregate::ArithmeticMean,
    can_ignore_suppression: false,
};

pub(crate) static ENTRY: Entry = Entry {
    name: CHANGED.name,
    summary: CHANGED.summary,
    range: "0 to 1, less is better",
    words: "How many cells were made coarser, as a share.",
    needs_originals: false,
    more_is_better: false,
    aggregate: Some(CHANGED.aggregate),
    bind: |table, options| Box::new(CellFigures::new(CHANGED, table, options)),
    recoded: |of, options| of_recoded(CHANGED, of, options),
};
