//! From records to cells and back.

use velamen_core::classes::{ClassTable, Coding, Space, layout};
use velamen_core::error::Problem;
use velamen_core::frequency::FrequencyTable;
use velamen_core::lattice::Node;
use velamen_core::release::{Release, ReleasedAttribute, Row, SUPPRESSED};
use velamen_core::with_key_width;

use super::CellDomain;
use crate::method::MethodError;

/// The cells of a node with records, ascending by number, and their counts.
///
/// # Errors
/// [`MethodError::Unfit`] if records are too wide.
pub fn occupied(
    table: &FrequencyTable,
    node: &Node,
    domain: &CellDomain,
) -> Result<Vec<(u128, u64)>, MethodError> {
    let columns: Vec<usize> = table.rest.sensitive().take(1).collect();
    let coding = Coding::new(table, &columns);
    let classes = with_key_width!(layout(table, coding.as_ref()).words(), W => {
        ClassTable::at(&Space::<W>::new(table, coding.as_ref()), node)
    }, else return Err(too_wide()));
    let of_class = |class: usize| {
        let codes = classes.codes(class);
        let cells = classes.sensitive(class).iter();
        cells.map(move |&(value, count)| (domain.index(codes.iter().copied().chain([value])), count))
    };
    let mut cells: Vec<(u128, u64)> = (0..classes.len()).flat_map(of_class).collect();
    cells.sort_unstable();
    Ok(cells)
}

pub(crate) fn too_wide() -> MethodError {
    MethodError::Unfit(Problem::new("the quasi-identifiers have too many values together").mend("drop some"))
}

/// The release of some cells with their counts, ascending by number, and of suppressed records by
/// sensitive value. Nothing of the table but its hierarchies and its columns' domains is looked at.
#[must_use]
pub fn release(
    table: &FrequencyTable,
    node: &Node,
    domain: &CellDomain,
    cells: &[(u128, u64)],
    suppressed: &[u64],
) -> Release {
    let attribute = |(qi, &level): (&velamen_core::frequency::QuasiIdentifier, &u8)| {
        ReleasedAttribute::at_level(&qi.name, &qi.hierarchy, level)
    };
    let qis = table.qis.iter().zip(&node.0).map(attribute).collect();
    let mut release = Release { qis, rest: table.rest.clone(), ..Release::default() };
    for &(cell, count) in cells {
        let codes = domain.codes(cell);
        let (&value, codes) = codes.split_last().expect("a cell has a sensitive value");
        if release.sizes.is_empty() || release.class(release.sizes.len() - 1) != codes {
            release.codes.extend_from_slice(codes);
            release.sizes.push(0);
        }
        *release.sizes.last_mut().expect("a class was added") += count;
        release.rows.push(Row { class: release.sizes.len() as u32 - 1, rest: value, count });
    }
    let hidden = (0..).zip(suppressed).filter(|(_, count)| **count > 0);
    release.rows.extend(hidden.map(|(rest, &count)| Row { class: SUPPRESSED, rest, count }));
    release.suppressed = suppressed.iter().sum();
    release.by_labels()
}
