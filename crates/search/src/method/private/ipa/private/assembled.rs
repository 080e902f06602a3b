//! Records of counts of each sensitive attribute by itself.
//!
//! # Definition
//! A class has as many records as the attribute of the largest sum of counts in it; where another has fewer, the last cells are
//! empty. Which value of one attribute stands beside which of another is drawn uniformly, from nothing but the noisy counts: it
//! says nothing about any record.
//!
//! # Complexity
//! Time O(released records · attributes + combinations · log), memory O(records of the largest class + combinations).

use std::collections::{BTreeMap, BTreeSet};

use velamen_core::context::Context;
use velamen_core::frequency::{FrequencyTable, Rest, RestColumn};
use velamen_core::hierarchy::NULL;
use velamen_core::lattice::Node;
use velamen_core::release::{Release, ReleasedAttribute, Row, SUPPRESSED};
use velamen_core::streams;
use velamen_dp::{Stream, below};

use crate::method::MethodError;
use crate::noisy::CellDomain;

/// The noisy counts of one sensitive attribute.
pub(super) struct Counted {
    pub(super) domain: CellDomain,
    /// Released cells, ascending.
    pub(super) cells: Vec<(u128, u64)>,
    /// Suppressed records by value.
    pub(super) suppressed: Vec<u64>,
}

/// By attribute the counts of its values.
type Values = Vec<Vec<(u32, u64)>>;

/// The code of an empty cell; a value's is one more than its place in its domain.
const EMPTY: u32 = 0;

/// The release, with the counted attributes' columns; of the table nothing but its hierarchies and domains is looked at.
///
/// # Errors
/// [`MethodError::Interrupted`].
pub(super) fn assembled(
    (table, columns): (&FrequencyTable, &[&RestColumn]),
    node: &Node,
    counted: &[Counted],
    context: &Context<'_>,
) -> Result<Release, MethodError> {
    let mut stream = context.seed.stream(streams::IPA_PAIRING);
    let mut records: Vec<(u32, BTreeMap<Vec<u32>, u64>)> = Vec::new();
    let (mut codes, mut sizes) = (Vec::new(), Vec::new());
    for (class, (own, values)) in (0u32..).zip(by_class(counted)) {
        context.check()?;
        codes.extend(own);
        let paired = paired(&values, &mut stream);
        sizes.push(paired.values().sum());
        records.push((class, paired));
    }
    let hidden = paired(&hidden(counted), &mut stream);
    let suppressed = hidden.values().sum();
    records.push((SUPPRESSED, hidden));
    let used: BTreeSet<&Vec<u32>> = records.iter().flat_map(|(_, paired)| paired.keys()).collect();
    let places: BTreeMap<&Vec<u32>, u32> = used.into_iter().zip(0..).collect();
    let row =
        |class: u32, combination: &Vec<u32>, count: u64| Row { class, rest: places[combination], count };
    let rows =
        records.iter().flat_map(|(class, paired)| paired.iter().map(|(key, &count)| row(*class, key, count)));
    let rows = rows.collect();
    let attribute = |(qi, &level): (&velamen_core::frequency::QuasiIdentifier, &u8)| {
        ReleasedAttribute::at_level(&qi.name, &qi.hierarchy, level)
    };
    let qis = table.qis.iter().zip(&node.0).map(attribute).collect();
    let rest = rest(columns, &places);
    Ok(Release { qis, rest, codes, sizes, rows, suppressed, ..Release::default() }.by_labels())
}

/// By class the counts of each attribute's values.
fn by_class(counted: &[Counted]) -> BTreeMap<Vec<u32>, Values> {
    let mut classes: BTreeMap<Vec<u32>, Values> = BTreeMap::new();
    for (attribute, Counted { domain, cells, .. }) in counted.iter().enumerate() {
        for &(cell, count) in cells {
            let mut codes = domain.codes(cell);
            let value = codes.pop().expect("a cell has a sensitive value");
            classes.entry(codes).or_insert_with(|| vec![Vec::new(); counted.len()])[attribute]
                .push((value, count));
        }
    }
    classes
}

/// The counts of suppressed records, of each attribute.
fn hidden(counted: &[Counted]) -> Values {
    counted.iter().map(|counted| above_zero(&counted.suppressed)).collect()
}

/// The counts above 0, by code.
fn above_zero(counts: &[u64]) -> Vec<(u32, u64)> {
    (0..).zip(counts.iter().copied()).filter(|(_, count)| *count > 0).collect()
}

/// The combinations of values that records get, with their counts.
fn paired(values: &Values, stream: &mut Stream) -> BTreeMap<Vec<u32>, u64> {
    let sizes = values.iter().map(|values| values.iter().map(|(_, count)| count).sum::<u64>());
    let size = usize::try_from(sizes.max().unwrap_or(0)).expect("a class fits in memory");
    let columns: Vec<Vec<u32>> = values.iter().map(|values| shuffled(values, size, stream)).collect();
    let mut combinations = BTreeMap::new();
    for record in 0..size {
        *combinations.entry(columns.iter().map(|column| column[record]).collect()).or_default() += 1;
    }
    combinations
}

/// The cells of one column of a class, in a random order.
fn shuffled(values: &[(u32, u64)], size: usize, stream: &mut Stream) -> Vec<u32> {
    let cells = values.iter().flat_map(|&(value, count)| std::iter::repeat_n(value + 1, count as usize));
    let mut cells: Vec<u32> = cells.collect();
    cells.resize(size, EMPTY);
    for last in (1..cells.len()).rev() {
        cells.swap(last, below(stream, last as u64 + 1) as usize);
    }
    cells
}

/// The columns over their whole domains, and the combinations that records have.
fn rest(columns: &[&RestColumn], places: &BTreeMap<&Vec<u32>, u32>) -> Rest {
    let codes =
        (0..columns.len()).map(|column| places.keys().map(|combination| combination[column]).collect());
    Rest {
        columns: columns.iter().map(|column| with_empty(column)).collect(),
        codes: codes.collect(),
        len: places.len(),
    }
}

/// A column with the empty value before the others.
fn with_empty(column: &RestColumn) -> RestColumn {
    let values = std::iter::once(NULL.to_owned()).chain(column.values.iter().cloned()).collect();
    RestColumn { values, ..column.clone() }
}
