//! Records for whoever reads Arrow's C stream: pyarrow, polars, pandas, DuckDB.

use std::sync::Arc;

use arrow_array::{
    ArrayRef, BooleanArray, Date32Array, Float64Array, Int64Array, RecordBatch, StringArray, StructArray,
};
use arrow_schema::{ArrowError, Field, Fields, Schema};
use indexmap::IndexMap;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use pyo3_arrow::ffi::{ArrayIterator, to_schema_pycapsule, to_stream_pycapsule};
use serde_json::{Map, Value};
use velamen_contract::linked::Column;
use velamen_core::number::count;
use velamen_engine::source::Batches;
use velamen_recipe::JobError;

/// Records that any reader of Arrow takes, any number of times.
#[pyclass(frozen, module = "velamen._velamen")]
pub(crate) struct Records(pub(crate) Batches);

#[pymethods]
impl Records {
    /// The records as an Arrow C stream.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyCapsule>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let Batches { schema, batches } = &self.0;
        let field = Field::new_struct("", schema.fields().clone(), false);
        let arrays =
            batches.clone().into_iter().map(|batch| Ok(Arc::new(StructArray::from(batch)) as ArrayRef));
        let reader = ArrayIterator::new(arrays, Arc::new(field));
        Ok(to_stream_pycapsule(py, Box::new(reader), requested_schema)?)
    }

    /// The columns as an Arrow C schema.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        Ok(to_schema_pycapsule(py, self.0.schema.as_ref())?)
    }

    /// How many records there are.
    fn __len__(&self) -> usize {
        self.0.batches.iter().map(RecordBatch::num_rows).sum()
    }

    /// The names of the columns.
    #[getter]
    fn column_names(&self) -> Vec<String> {
        self.0.schema.fields().iter().map(|field| field.name().clone()).collect()
    }

    /// The records as a frame of pandas.
    fn to_pandas(slf: Py<Self>, py: Python<'_>) -> PyResult<Py<PyAny>> {
        frame(py, "to_pandas", slf)
    }

    /// The records as a frame of polars.
    fn to_polars(slf: Py<Self>, py: Python<'_>) -> PyResult<Py<PyAny>> {
        frame(py, "to_polars", slf)
    }

    /// The records as a table of pyarrow.
    fn to_arrow(slf: Py<Self>, py: Python<'_>) -> PyResult<Py<PyAny>> {
        frame(py, "to_pyarrow", slf)
    }

    /// The records one by one, as dictionaries: `pandas.DataFrame(records)` reads them so.
    fn __iter__(slf: Py<Self>, py: Python<'_>) -> PyResult<Py<PyAny>> {
        frame(py, "iterated", slf)
    }

    fn __repr__(&self) -> String {
        let (records, columns) = (self.__len__(), self.0.schema.fields().len());
        let counted = |number: usize, what: &str| {
            format!("{} {what}{}", count(number as u64), if number == 1 { "" } else { "s" })
        };
        format!(
            "<velamen.Records: {}, {}; to_pandas(), to_polars() and to_arrow() make frames>",
            counted(records, "record"),
            counted(columns, "column")
        )
    }
}

/// What Python's side makes of records.
fn frame(py: Python<'_>, function: &str, records: Py<Records>) -> PyResult<Py<PyAny>> {
    Ok(py.import("velamen._frames")?.getattr(function)?.call1((records,))?.unbind())
}

/// Rows of JSON as records: numbers, truth values and texts, and what is neither as JSON.
#[pyfunction]
pub(crate) fn rows(json: &str, columns: Vec<String>) -> PyResult<Records> {
    let wrong = |error: serde_json::Error| PyValueError::new_err(error.to_string());
    let rows: Vec<Map<String, Value>> = serde_json::from_str(json).map_err(wrong)?;
    let arrays: Vec<ArrayRef> = columns.iter().map(|name| column(&rows, name)).collect();
    let field = |(name, array): (&String, &ArrayRef)| Field::new(name, array.data_type().clone(), true);
    let schema = Arc::new(Schema::new(columns.iter().zip(&arrays).map(field).collect::<Fields>()));
    let batch = match arrays.is_empty() {
        true => Ok(RecordBatch::new_empty(Arc::clone(&schema))),
        false => RecordBatch::try_new(Arc::clone(&schema), arrays),
    };
    let batch = batch.map_err(|error: ArrowError| PyValueError::new_err(error.to_string()))?;
    Ok(Records(Batches { schema, batches: vec![batch] }))
}

/// The rows of a released table of text, with types: days of the columns of dates, numbers of columns that hold numbers
/// alone, else texts. An empty cell is missing.
///
/// # Errors
/// [`JobError::data`] if it is no delimited text.
pub(crate) fn typed(bytes: &[u8], columns: &IndexMap<String, Column>) -> Result<Batches, JobError> {
    let wrong = |_: csv::Error| JobError::data("a released table is not delimited text");
    let mut reader = csv::Reader::from_reader(bytes);
    let names: Vec<String> = reader.headers().map_err(wrong)?.iter().map(str::to_owned).collect();
    let rows = reader.records().collect::<Result<Vec<csv::StringRecord>, _>>().map_err(wrong)?;
    let is_day = |name: &String| matches!(columns.get(name), Some(Column::Date));
    let arrays: Vec<ArrayRef> =
        names.iter().enumerate().map(|(place, name)| of_texts(&rows, place, is_day(name))).collect();
    let field = |(name, array): (&String, &ArrayRef)| Field::new(name, array.data_type().clone(), true);
    let schema = Arc::new(Schema::new(names.iter().zip(&arrays).map(field).collect::<Fields>()));
    let batch = RecordBatch::try_new(Arc::clone(&schema), arrays);
    let batch = batch.map_err(|_| JobError::data("a released table has no columns"))?;
    Ok(Batches { schema, batches: vec![batch] })
}

/// A column of texts in the type that they have.
fn of_texts(rows: &[csv::StringRecord], place: usize, is_day: bool) -> ArrayRef {
    let cells = || rows.iter().map(|row| row.get(place).filter(|cell| !cell.is_empty()));
    let any = cells().flatten().next().is_some();
    let all = |fits: &dyn Fn(&str) -> bool| any && cells().flatten().all(fits);
    if is_day && all(&|text| day(text).is_some()) {
        return Arc::new(cells().map(|cell| cell.and_then(day)).collect::<Date32Array>());
    }
    if all(&|text| whole(text).is_some()) {
        return Arc::new(cells().map(|cell| cell.and_then(whole)).collect::<Int64Array>());
    }
    let number = |text: &str| text.parse::<f64>().ok().filter(|number| number.is_finite());
    let is_number =
        |text: &str| text.starts_with(|c: char| c.is_ascii_digit() || c == '-') && !is_padded(text);
    if all(&|text| is_number(text) && number(text).is_some()) {
        return Arc::new(cells().map(|cell| cell.and_then(number)).collect::<Float64Array>());
    }
    Arc::new(cells().collect::<StringArray>())
}

/// A whole number in its one spelling: `007` is a text.
fn whole(text: &str) -> Option<i64> {
    text.parse().ok().filter(|number: &i64| number.to_string() == text)
}

/// `007.5`
fn is_padded(text: &str) -> bool {
    let digits = text.trim_start_matches('-');
    digits.len() > 1 && digits.starts_with('0') && !digits.starts_with("0.")
}

/// The days of `YYYY-MM-DD` since 1970.
fn day(text: &str) -> Option<i32> {
    let mut parts = text.splitn(3, '-').map(|part| part.parse::<i32>().ok());
    let (year, month, day) = (parts.next()??, parts.next()??, parts.next()??);
    // Days of the civil calendar, with March as the first month.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let days = of_era * 365 + of_era / 4 - of_era / 100 + (153 * month + 2) / 5 + day - 1;
    Some(era * 146_097 + days - 719_468)
}

fn column(rows: &[Map<String, Value>], name: &str) -> ArrayRef {
    let cells = || rows.iter().map(|row| row.get(name).filter(|cell| !cell.is_null()));
    let all = |is: fn(&Value) -> bool| cells().flatten().next().is_some() && cells().flatten().all(is);
    if all(Value::is_boolean) {
        Arc::new(cells().map(|cell| cell.and_then(Value::as_bool)).collect::<BooleanArray>())
    } else if all(Value::is_i64) {
        Arc::new(cells().map(|cell| cell.and_then(Value::as_i64)).collect::<Int64Array>())
    } else if all(Value::is_number) {
        Arc::new(cells().map(|cell| cell.and_then(Value::as_f64)).collect::<Float64Array>())
    } else {
        let text = |cell: &Value| cell.as_str().map_or_else(|| cell.to_string(), str::to_owned);
        Arc::new(cells().map(|cell| cell.map(text)).collect::<StringArray>())
    }
}
