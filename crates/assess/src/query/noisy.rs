//! Bounds on counts of an original of which a release states noisy counts: what invented records follow.
//!
//! A query counts the records of some cells of a noisy table: certainly of those whose values all fulfil its condition, at most of
//! those of which some do. The sum of so many noisy counts is off by no more than [`ErrorBars::distance`] allows. All tables that
//! have the query's columns bound the answer; all bounds hold together with the probability [`ErrorBars::CONFIDENCE`].

use std::collections::{BTreeMap, BTreeSet};

use velamen_contract::{MeasuredTable, Measurements};
use velamen_measure::ErrorBars;
use velamen_measure::answer::{Bounded, Part};
use velamen_recipe::JobError;
use velamen_sql::{AggregateKind, Request};

use super::GroupFigure;
use super::combination::{Key, Pattern, advance};
use super::evaluate::{Evaluator, Grouping};
use super::parts::Parts;
use super::table::ReleasedTable;

/// The noisy tables that bound a query.
pub(super) struct NoisyTables {
    bars: ErrorBars,
    tables: Vec<NoisyTable>,
}

/// A noisy table over the columns that a query uses.
struct NoisyTable {
    variance: f64,
    cells: Vec<Cell>,
    /// The combinations of labels, each with its cell as stratum: a cell has several where values were put together.
    patterns: Vec<Pattern>,
}

/// A sum of noisy counts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Cell {
    sum: i64,
    counts: usize,
    patterns: u64,
}

/// Gives the columns every value of their domains as a label, so that values that no record has are counted, too.
pub(super) fn complete(table: &mut ReleasedTable, all: &Measurements) {
    for column in &mut table.columns {
        let known: BTreeSet<String> = column.labels.iter().cloned().collect();
        let domain = all.domains.get(&column.name).into_iter().flatten();
        column.labels.extend(domain.filter(|label| !known.contains(*label)).cloned());
    }
}

impl NoisyTables {
    /// The tables that have all columns of a query, which are given by their places among `columns` of the release's table.
    pub(super) fn of(
        all: Option<&Measurements>,
        table: &ReleasedTable,
        used: &[(usize, usize)],
        width: usize,
    ) -> Self {
        let Some(all) = all else { return Self { bars: ErrorBars::of(0), tables: Vec::new() } };
        let alone = all.alone.iter().map(|measured| (measured, false));
        let measured = alone.chain(all.tables.iter().map(|measured| (measured, true)));
        let of = |measured| NoisyTable::of(all, measured, table, used, width);
        Self { bars: ErrorBars::of(all.domains.len()), tables: measured.filter_map(of).collect() }
    }

    /// Whether nothing bounds the query.
    pub(super) fn is_empty(&self) -> bool {
        self.tables.is_empty()
    }

    /// By aggregate and table, what its cells do.
    pub(super) fn hits(
        &self,
        request: &Request,
        evaluator: &Evaluator<'_>,
        groupings: &[Grouping],
    ) -> Result<Vec<Vec<Parts>>, JobError> {
        let of_table = |aggregate, table: &NoisyTable| evaluator.parts(aggregate, groupings, &table.patterns);
        let of = |aggregate| self.tables.iter().map(|table| of_table(aggregate, table)).collect();
        request.aggregates.iter().map(of).collect()
    }

    /// A group's figure with the bounds of the noisy counts: on how many records there are, and none on their values.
    pub(super) fn bounded(
        &self,
        kind: AggregateKind,
        found: GroupFigure,
        key: &Key,
        hits: &[Parts],
    ) -> GroupFigure {
        if self.is_empty() {
            return found;
        }
        let estimate = found.0.estimate;
        let (mut lower, mut upper) = (0.0f64, f64::INFINITY);
        for (table, parts) in self.tables.iter().zip(hits) {
            let (least, most) = table.interval(self.bars, &parts.of(key));
            (lower, upper) = (lower.max(least), upper.min(most));
        }
        let records = Bounded { estimate, lower: lower.min(estimate), upper: upper.max(estimate) };
        let open = |value: Bounded| Bounded { lower: f64::NEG_INFINITY, upper: f64::INFINITY, ..value };
        match kind {
            AggregateKind::Count => (records, Some(records)),
            AggregateKind::Sum | AggregateKind::Mean => (records, found.1.map(open)),
        }
    }
}

impl NoisyTable {
    /// `None` where a column is not among the table's, or something does not read.
    fn of(
        all: &Measurements,
        (measured, is_merged): (&MeasuredTable, bool),
        table: &ReleasedTable,
        used: &[(usize, usize)],
        width: usize,
    ) -> Option<Self> {
        let axes: Vec<Axis> =
            measured.attributes.iter().map(|name| Axis::of(all, name, is_merged)).collect::<Option<_>>()?;
        let named =
            |place: usize| measured.attributes.iter().position(|name| *name == table.columns[place].name);
        let kept: Vec<usize> = used.iter().map(|&(_, place)| named(place)).collect::<Option<_>>()?;
        let sizes: Vec<usize> = kept.iter().map(|&axis| axes[axis].size).collect();
        let mut cells = vec![Cell::default(); sizes.iter().product()];
        let values: Vec<Vec<usize>> = axes.iter().map(|axis| (0..axis.size).collect()).collect();
        let mut at = vec![0; axes.len()];
        for noisy in measured.counts()? {
            let cell = kept.iter().zip(&sizes).fold(0, |cell, (&axis, size)| cell * size + at[axis]);
            let cell = cells.get_mut(cell)?;
            (cell.sum, cell.counts) = (cell.sum.saturating_add(noisy), cell.counts + 1);
            advance(&mut at, &values);
        }
        let patterns = patterns(
            &mut cells,
            &kept.iter().map(|&axis| &axes[axis]).collect::<Vec<_>>(),
            table,
            used,
            width,
        )?;
        Some(Self { variance: measured.variance()?.to_f64(), cells, patterns })
    }

    /// The sum of some cells, and of how many noisy counts it is.
    fn sum(&self, cells: impl Iterator<Item = usize>) -> (i64, usize) {
        cells.fold((0, 0), |(sum, counts), cell| {
            (self.cells[cell].sum.saturating_add(sum), self.cells[cell].counts + counts)
        })
    }

    /// The least and the greatest number of records, by what the cells' labels do.
    fn interval(&self, bars: ErrorBars, parts: &[Part]) -> (f64, f64) {
        let mut seen: BTreeMap<usize, u64> = BTreeMap::new();
        for part in parts {
            *seen.entry(part.stratum).or_default() += u64::from(part.certain);
        }
        let whole = seen.iter().filter(|(cell, certain)| **certain == self.cells[**cell].patterns);
        let (certain, few) = self.sum(whole.map(|(cell, _)| *cell));
        let (possible, many) = self.sum(seen.keys().copied());
        let lower = certain as f64 - bars.distance(self.variance, few, 1);
        let upper = possible as f64 + bars.distance(self.variance, many, 1);
        (lower.ceil().max(0.0), upper.floor().max(0.0))
    }
}

/// Every combination of labels, with its cell.
fn patterns(
    cells: &mut [Cell],
    axes: &[&Axis],
    table: &ReleasedTable,
    used: &[(usize, usize)],
    width: usize,
) -> Option<Vec<Pattern>> {
    let codes: Vec<Vec<u32>> = axes
        .iter()
        .zip(used)
        .map(|(axis, &(_, place))| axis.codes(&table.columns[place].labels))
        .collect::<Option<_>>()?;
    let combinations: usize = codes.iter().map(Vec::len).product();
    let mut at = vec![0; codes.len()];
    let mut patterns = Vec::with_capacity(combinations);
    for _ in 0..combinations {
        let cell = axes.iter().zip(&at).fold(0, |cell, (axis, &value)| cell * axis.size + axis.places[value]);
        let mut labels = vec![0; width];
        used.iter()
            .zip(&codes)
            .zip(&at)
            .for_each(|((&(column, _), codes), &value)| labels[column] = codes[value]);
        cells.get_mut(cell)?.patterns += 1;
        patterns.push(Pattern { labels, stratum: cell, records: 1 });
        advance(&mut at, &codes);
    }
    Some(patterns)
}

/// An attribute of a noisy table: its values, and where each is.
struct Axis<'a> {
    values: &'a [String],
    places: Vec<usize>,
    size: usize,
}

impl<'a> Axis<'a> {
    fn of(all: &'a Measurements, name: &str, is_merged: bool) -> Option<Self> {
        let values = all.domains.get(name)?;
        let merged: BTreeSet<usize> = match all.merged.get(name) {
            Some(merged) if is_merged => merged.iter().map(|&value| value as usize).collect(),
            _ => BTreeSet::new(),
        };
        let kept: Vec<usize> = (0..values.len()).filter(|value| !merged.contains(value)).collect();
        let places =
            (0..values.len()).map(|value| kept.binary_search(&value).unwrap_or(kept.len())).collect();
        Some(Self { values, places, size: kept.len() + usize::from(!merged.is_empty()) })
    }

    /// The code of each value among a column's labels.
    fn codes(&self, labels: &[String]) -> Option<Vec<u32>> {
        let codes: BTreeMap<&str, u32> = labels.iter().map(String::as_str).zip(0..).collect();
        self.values.iter().map(|value| codes.get(value.as_str()).copied()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(stratum: usize, certain: bool) -> Part {
        Part { stratum, records: 1, certain, low: 1.0, high: 1.0, share: 1.0, mean: 1.0 }
    }

    #[test]
    fn cells_count_certainly_only_with_all_their_values() {
        let cell = |sum, patterns| Cell { sum, counts: 2, patterns };
        let table =
            NoisyTable { variance: 4.0, cells: vec![cell(100, 1), cell(50, 2)], patterns: Vec::new() };
        let bars = ErrorBars::of(3);
        let of = |parts: &[Part]| table.interval(bars, parts);
        let (two, four) = (bars.distance(4.0, 2, 1), bars.distance(4.0, 4, 1));
        assert_eq!(of(&[]), (0.0, 0.0));
        assert_eq!(of(&[part(0, true)]), ((100.0 - two).ceil(), (100.0 + two).floor()));
        let half = of(&[part(0, true), part(1, true)]);
        assert_eq!(
            half,
            ((100.0 - two).ceil(), (150.0 + four).floor()),
            "one of two values of the second cell"
        );
        let whole = of(&[part(0, true), part(1, true), part(1, true)]);
        assert_eq!(whole, ((150.0 - four).ceil(), (150.0 + four).floor()));
        assert_eq!(of(&[part(0, false)]), (0.0, (100.0 + two).floor()));
    }

    #[test]
    fn tables_are_summed_over_columns_that_are_not_used() {
        let texts = |values: &[&str]| values.iter().map(|value| (*value).to_owned()).collect::<Vec<_>>();
        let all = Measurements {
            domains: [("a".to_owned(), texts(&["x", "y", "z"])), ("b".to_owned(), texts(&["0", "1"]))].into(),
            merged: [("a".to_owned(), vec![0, 2])].into(),
            tables: vec![MeasuredTable {
                attributes: texts(&["a", "b"]),
                variance: "4".into(),
                counts: "1 2 10 20".into(),
            }],
            ..Measurements::default()
        };
        let column = |name: &str, labels: &[&str]| super::super::table::ReleasedColumn {
            name: name.into(),
            labels: texts(labels),
            codes: Vec::new(),
            hidden: None,
        };
        let mut table = ReleasedTable {
            columns: vec![column("b", &["1", "0"]), column("a", &["z"])],
            counts: Vec::new(),
            stratum: Vec::new(),
            strata: Vec::new(),
        };
        complete(&mut table, &all);
        assert_eq!(table.columns[1].labels, ["z", "x", "y"]);
        // The query knows a as its column 1 of 2.
        let noisy = NoisyTables::of(Some(&all), &table, &[(1, 1)], 2);
        let cells = &noisy.tables[0].cells;
        assert_eq!(cells[0], Cell { sum: 3, counts: 2, patterns: 1 }, "y");
        assert_eq!(cells[1], Cell { sum: 30, counts: 2, patterns: 2 }, "x and z together");
        let labels: Vec<(Vec<u32>, usize)> = noisy.tables[0]
            .patterns
            .iter()
            .map(|pattern| (pattern.labels.clone(), pattern.stratum))
            .collect();
        assert_eq!(labels, [(vec![0, 1], 1), (vec![0, 2], 0), (vec![0, 0], 1)]);
        let whole = NoisyTables::of(Some(&all), &table, &[], 2);
        assert_eq!(whole.tables[0].cells, [Cell { sum: 33, counts: 4, patterns: 1 }]);
        assert!(NoisyTables::of(None, &table, &[(1, 1)], 2).is_empty());
    }
}
