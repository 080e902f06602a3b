//! A metric: the share of the cells that are not as they were.

use velamen_search::metric::{Aggregate, CellFigures, CellMetric, Entry, of_recoded};

const TOY: CellMetric = CellMetric {
    name: "toy",
    summary: "the share of the cells that are not as they were",
    cell: |cell| if cell.climbed > 0.0 { 1.0 } else { 0.0 },
    suppressed: |_| 1.0,
    normalise: |sum, records, _, _| if records > 0.0 { sum / records } else { 0.0 },
    aggregate: Aggregate::ArithmeticMean,
    can_ignore_suppression: false,
};

pub(crate) static ENTRY: Entry = Entry {
    name: TOY.name,
    summary: TOY.summary,
    range: "0 to 1, less is better",
    words: "How many cells were made coarser, as a share.",
    needs_originals: false,
    more_is_better: false,
    aggregate: Some(TOY.aggregate),
    bind: |table, options| Box::new(CellFigures::new(TOY, table, options)),
    recoded: |of, options| of_recoded(TOY, of, options),
};
