//! How many rows persons have in a table.

/// From each person's rows to a number of persons; none where nobody has a row.
pub(super) type Persons = fn(&[u32]) -> Option<u64>;

/// The number of persons who have the most rows; none without rows.
pub(super) fn at_the_top(rows: &[u32]) -> Option<u64> {
    let most = rows.iter().copied().max().filter(|most| *most > 0)?;
    Some(rows.iter().filter(|rows| **rows == most).count() as u64)
}

/// The number of persons of the number of rows that fewest have; none without rows.
pub(super) fn fewest(rows: &[u32]) -> Option<u64> {
    let mut rows: Vec<u32> = rows.iter().copied().filter(|rows| *rows > 0).collect();
    rows.sort_unstable();
    rows.chunk_by(|a, b| a == b).map(|equal| equal.len() as u64).min()
}

/// Whether somebody has two rows or more.
pub(super) fn is_more_than_one(rows: &[u32]) -> bool {
    rows.iter().any(|rows| *rows > 1)
}
