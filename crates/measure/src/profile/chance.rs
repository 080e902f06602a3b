//! Pairs of records that agree, beside as many as chance makes.

/// −ln of the probability by which chance is taken for rows of one person: 10⁻⁶.
const UNLIKELY: f64 = 13.8;

/// Whether so many pairs are at least twice as many as expected, one for 20 records, and no accident.
pub(super) fn is_more_than_chance(pairs: f64, expected: f64, records: f64) -> bool {
    let expected = expected.max(1e-9);
    let bound = pairs * (pairs / expected).ln() - pairs + expected;
    pairs >= 2.0 * expected && 20.0 * pairs >= records && bound >= UNLIKELY
}
