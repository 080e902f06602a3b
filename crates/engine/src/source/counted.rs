//! Records that another engine counted: what it has to know of the file, and its groups as a table.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, StringArray};
use arrow_schema::DataType;
use velamen_core::context::Context;
use velamen_core::frequency::FrequencyTable;

use super::cells;
use super::form::CountedRecords;
use super::input::Input;
use super::memo::Memo;
use super::share::hint;
use crate::dictionary::{BadCell, ColumnRequest};
use crate::encode::merge;
use crate::error::{DataProblem, EngineError};
use crate::fault::FaultKind;
use crate::format::counted_elsewhere;
use crate::limit::Limit;
use crate::worker::{Keep, Worker};

/// Distinct combinations, with their numbers of records.
#[derive(Debug, Clone)]
pub struct Combinations {
    /// A column by request, in their order.
    pub columns: Vec<ArrayRef>,
    /// The records of each row.
    pub counts: Vec<u64>,
}

impl Input {
    /// Counts the records without reading what is in them: of Parquet from the footer, of delimited text
    /// from the text, which is refused where [`Input::read`] would refuse its form.
    ///
    /// Time: linear in the file for delimited text, constant for Parquet.
    ///
    /// # Errors
    /// [`EngineError`]; other formats than Parquet, csv and tsv are refused.
    pub fn count(&self, context: &Context<'_>) -> Result<CountedRecords, EngineError> {
        let Some(count) = self.format.format.reader.count else {
            let problem = format!("only {} can be counted elsewhere", counted_elsewhere());
            return Err(self.file.refused(DataProblem::Format(problem.into())));
        };
        let counted = self.unchanged(count(self.reading(&[], context, Keep::Nothing)))?;
        if counted.records == 0 {
            return Err(self.file.refused(DataProblem::NoRecords));
        }
        Ok(counted)
    }

    /// The frequency table of records that were counted elsewhere, the same as [`Input::read`] makes of
    /// them. A combination may stand in several groups.
    ///
    /// Time: linear in the groups, on one core; memory: distinct combinations.
    ///
    /// # Errors
    /// As [`Input::read`], without the place of a record.
    pub fn read_groups(
        &self,
        columns: &[ColumnRequest],
        groups: &[Combinations],
        context: &Context<'_>,
    ) -> Result<FrequencyTable, EngineError> {
        let limit = Limit::default();
        let mut worker =
            Worker::new(Keep::Counts(&limit), (columns, columns.len()), (&[], &[]), &self.spelling);
        let mut memos: Vec<Memo> = Vec::new();
        let requests: Vec<usize> = (0..columns.len()).collect();
        for group in groups {
            context.check()?;
            let arrays: Vec<ArrayRef> = group.columns.iter().map(|array| self.trimmed(array)).collect();
            cells::encode(&arrays, &requests, &mut worker, &mut memos)
                .map_err(|fault| self.unplaced(fault.kind, columns))?;
            worker.flush_counted(&group.counts)?;
        }
        let table = merge(vec![worker], columns)?;
        if table.is_empty() {
            return Err(self.file.refused(DataProblem::NoRecords));
        }
        Ok(table)
    }

    /// Cells of delimited text without white space around them, if that is asked for.
    fn trimmed(&self, array: &ArrayRef) -> ArrayRef {
        let text = self.format.is_delimited() && self.form.trim;
        if !text || *array.data_type() != DataType::Utf8 {
            return Arc::clone(array);
        }
        let cells = array.as_string::<i32>().iter();
        Arc::new(cells.map(|cell| cell.map(str::trim_ascii)).collect::<StringArray>())
    }

    fn unplaced(&self, kind: FaultKind, columns: &[ColumnRequest]) -> EngineError {
        let problem = match kind {
            FaultKind::Other(error) => return *error,
            FaultKind::Cell { request, cell: BadCell::Mark, .. } => {
                DataProblem::SomewhereMark { column: columns[request].name.clone() }
            }
            FaultKind::Cell { request, value, .. } => DataProblem::SomewhereNotInHierarchy {
                column: columns[request].name.clone(),
                expected: columns[request].rule.expectation(),
                hint: hint(&value, &columns[request]),
                value: self.show_values.then(|| String::from_utf8_lossy(&value).into_owned()),
            },
            _ => DataProblem::Format("its columns cannot be read".into()),
        };
        self.file.refused(problem)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::atomic::AtomicBool;

    use velamen_core::context::Silent;
    use velamen_core::frequency::Role;
    use velamen_core::hierarchy::Rule;
    use velamen_dp::Seed;

    use super::*;
    use crate::source::ReadOptions;

    fn with<T>(text: &[u8], options: &ReadOptions, job: impl FnOnce(&Input, &Context<'_>) -> T) -> T {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.csv");
        std::fs::write(&path, text).unwrap();
        let (seed, cancel) = (Seed::from_number(0), AtomicBool::new(false));
        let context = Context { seed: &seed, progress: &Silent, cancel: &cancel };
        job(&Input::open(Path::new(&path), options).unwrap(), &context)
    }

    fn count(text: &[u8]) -> Result<CountedRecords, EngineError> {
        with(text, &ReadOptions::default(), |input, context| input.count(context))
    }

    #[test]
    fn records_are_counted_and_their_form_is_told() {
        let plain = CountedRecords { records: 2, line_ends: false, marks: false };
        assert_eq!(count(b"a,b\n1,2\r\n\n3,4").unwrap(), plain);
        assert_eq!(count(b"a,b\n\"1\",2\n3,\"4,\"\n").unwrap(), plain);
        assert_eq!(count(b"\xef\xbb\xbfa,b\n1,2\n3,4\n").unwrap(), plain);
        assert_eq!(count(b"a,b\n1,2\n3,\"4\n\"\n").unwrap(), CountedRecords { line_ends: true, ..plain });
        assert_eq!(count(b"a,b\n1,2\n\xef\xbb\xbf3,4\n").unwrap(), CountedRecords { marks: true, ..plain });
        assert!(count(b"a,b\n1,2\n3\n").is_err());
        assert!(count(b"a,b\n").is_err());
    }

    #[test]
    fn groups_make_the_table_that_records_make() {
        let options = ReadOptions { trim: true, null: vec!["NA".into()], ..ReadOptions::default() };
        with(b"a,b\n x,NA\ny,\nx,2\ny,NA\nx ,2\n", &options, |input, context| {
            let request = |index: usize, role| ColumnRequest {
                index,
                name: input.columns[index].clone(),
                role,
                rule: Arc::new(Rule::Flat),
                whole_domain: false,
            };
            let columns = [request(0, Role::QuasiIdentifier), request(1, Role::Sensitive)];
            let group = |a: Vec<&str>, b: Vec<&str>, counts: &[u64]| Combinations {
                columns: vec![Arc::new(StringArray::from(a)), Arc::new(StringArray::from(b))],
                counts: counts.to_vec(),
            };
            let groups = [
                group(vec!["x ", "y"], vec!["2", ""], &[1, 1]),
                group(vec!["y", " x", "x"], vec!["NA", "NA", "2"], &[1, 1, 1]),
            ];
            let table = input.read_groups(&columns, &groups, context).unwrap();
            let expected = input.read(&columns, context).unwrap();
            assert_eq!(format!("{table:?}"), format!("{expected:?}"));
            assert_eq!(table.counts, [1, 2, 2]);
        });
    }
}
