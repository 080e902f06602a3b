//! Whether a cluster's answer may be used.
//!
//! The driver knows the number of records without the cluster. An answer whose counts add up to it is still
//! wrong where one lost group stands against another that was counted twice: so the sum of a checksum over
//! all records, which the cluster finds in a question of its own without any groups, must be the sum over
//! the groups, which the driver finds itself.

use velamen_sql::datafusion::arrow::array::{Array, AsArray, RecordBatch};
use velamen_sql::datafusion::arrow::datatypes::{Decimal128Type, Int64Type};

use crate::error::Fault;

/// The number of records and the sum of their checksums.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Sums {
    pub(crate) records: u128,
    pub(crate) checksum: u128,
}

/// The counts of a reduction's rows: its last column.
pub(crate) fn counts(batch: &RecordBatch) -> Result<Vec<u64>, Fault> {
    let column = batch.columns().last().ok_or(Fault::Form)?;
    let counts = column.as_primitive_opt::<Int64Type>().filter(|counts| counts.null_count() == 0);
    let counts = counts.ok_or(Fault::Form)?.values().iter();
    counts.map(|&count| u64::try_from(count).ok().filter(|&count| count > 0).ok_or(Fault::Form)).collect()
}

/// Of the cluster's answer to the question without groups.
pub(crate) fn of_records(answer: &[RecordBatch]) -> Result<Sums, Fault> {
    let mut rows = answer.iter().filter(|batch| batch.num_rows() > 0);
    let (Some(row), None) = (rows.next(), rows.next()) else { return Err(Fault::Form) };
    if row.num_rows() != 1 || row.num_columns() != 2 {
        return Err(Fault::Form);
    }
    let records = row.column(0).as_primitive_opt::<Int64Type>().ok_or(Fault::Form)?.value(0);
    let checksum = row.column(1).as_primitive_opt::<Decimal128Type>().ok_or(Fault::Form)?;
    let number = |number: i128| u128::try_from(number).map_err(|_| Fault::Form);
    Ok(Sums { records: number(records.into())?, checksum: number(checksum.value(0))? })
}

/// Of the driver's own question about the groups: counts and the checksum of a record of each.
pub(crate) fn of_groups(answer: &[RecordBatch]) -> Result<Sums, Fault> {
    let mut sums = Sums { records: 0, checksum: 0 };
    for batch in answer {
        let counts = batch.column(0).as_primitive_opt::<Int64Type>().ok_or(Fault::Form)?;
        let hashes = batch.column(1).as_primitive_opt::<Int64Type>().ok_or(Fault::Form)?;
        for (&count, &hash) in counts.values().iter().zip(hashes.values()) {
            let (count, hash) = (u128::from(count.unsigned_abs()), u128::from(hash.unsigned_abs()));
            sums.records += count;
            sums.checksum += count * hash;
        }
    }
    Ok(sums)
}

/// # Errors
/// What does not agree with the number of records known here, or with each other.
pub(crate) fn check(expected: u64, groups: Sums, records: Sums) -> Result<(), Fault> {
    for (what, found) in [("reduction", groups.records), ("checksum", records.records)] {
        if found != u128::from(expected) {
            return Err(Fault::Records { what, found, expected });
        }
    }
    if groups.checksum == records.checksum { Ok(()) } else { Err(Fault::Checksum) }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use velamen_sql::datafusion::arrow::array::{ArrayRef, Decimal128Array, Int64Array};

    use super::*;

    fn batch(columns: Vec<ArrayRef>) -> RecordBatch {
        let names = ["a", "b"].into_iter().zip(columns);
        RecordBatch::try_from_iter(names).unwrap()
    }

    fn groups(counts: &[i64], hashes: &[i64]) -> Sums {
        let column = |numbers: &[i64]| Arc::new(Int64Array::from(numbers.to_vec())) as ArrayRef;
        of_groups(&[batch(vec![column(counts), column(hashes)])]).unwrap()
    }

    fn records(count: i64, checksum: i128) -> Sums {
        let checksum = Decimal128Array::from(vec![checksum]).with_precision_and_scale(38, 0).unwrap();
        of_records(&[batch(vec![Arc::new(Int64Array::from(vec![count])), Arc::new(checksum)])]).unwrap()
    }

    #[test]
    fn a_right_answer_is_taken() {
        assert_eq!(check(6, groups(&[1, 2, 3], &[10, 20, 30]), records(6, 140)), Ok(()));
    }

    #[test]
    fn counts_that_do_not_add_up_are_refused() {
        let wrong = check(6, groups(&[1, 2, 3, 3], &[10, 20, 30, 30]), records(6, 140));
        assert_eq!(wrong, Err(Fault::Records { what: "reduction", found: 9, expected: 6 }));
        let wrong = check(6, groups(&[1, 2, 3], &[10, 20, 30]), records(5, 130));
        assert_eq!(wrong, Err(Fault::Records { what: "checksum", found: 5, expected: 6 }));
    }

    #[test]
    fn a_lost_group_is_not_made_up_for_by_one_counted_twice() {
        // The group of 3 is lost, the one of 1 counted four times.
        assert_eq!(check(6, groups(&[4, 2], &[10, 20]), records(6, 140)), Err(Fault::Checksum));
        // Two groups have each other's counts.
        assert_eq!(check(6, groups(&[1, 3, 2], &[10, 20, 30]), records(6, 140)), Err(Fault::Checksum));
    }

    #[test]
    fn an_answer_of_another_form_is_refused() {
        assert_eq!(of_records(&[]), Err(Fault::Form));
        let negative = batch(vec![Arc::new(Int64Array::from(vec![1])), Arc::new(Int64Array::from(vec![-1]))]);
        assert_eq!(counts(&negative), Err(Fault::Form));
    }
}
