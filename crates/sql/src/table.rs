//! Values as the engine takes them.

use std::sync::Arc;

use datafusion::arrow::array::{
    Array, ArrayRef, DictionaryArray, Float64Array, Int64Array, StringArray, UInt32Array,
};
use datafusion::arrow::compute::take;
use datafusion::arrow::datatypes::Int32Type;

use crate::error::SqlError;

/// The values of a column.
#[derive(Debug, Clone, PartialEq)]
pub enum ColumnValues {
    /// Whole numbers.
    Whole(Vec<Option<i64>>),
    /// Numbers.
    Number(Vec<Option<f64>>),
    /// Texts.
    Text(Vec<Option<String>>),
}

impl ColumnValues {
    /// How many.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Self::Whole(values) => values.len(),
            Self::Number(values) => values.len(),
            Self::Text(values) => values.len(),
        }
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(crate) fn array(&self) -> ArrayRef {
        match self {
            Self::Whole(values) => Arc::new(Int64Array::from(values.clone())),
            Self::Number(values) => Arc::new(Float64Array::from(values.clone())),
            Self::Text(values) => Arc::new(StringArray::from(values.clone())),
        }
    }
}

/// A column of a table: its distinct values, and by row an index into them.
#[derive(Debug, Clone, PartialEq)]
pub struct TableColumn {
    /// Its name.
    pub name: String,
    /// The distinct values.
    pub values: ColumnValues,
    /// By row.
    pub codes: Vec<u32>,
}

impl TableColumn {
    /// The column as an array; texts stay coded.
    pub(crate) fn array(&self) -> Result<ArrayRef, SqlError> {
        let values = self.values.array();
        if let ColumnValues::Text(texts) = &self.values {
            let keys =
                self.codes.iter().map(|&code| Some(code as i32).filter(|_| texts[code as usize].is_some()));
            let coded = DictionaryArray::<Int32Type>::try_new(keys.collect(), values);
            return coded.map(|array| Arc::new(array) as ArrayRef).map_err(|error| internal(&error));
        }
        gather(&*values, self.codes.clone())
    }
}

/// Some of an array's values.
pub(crate) fn gather(values: &dyn Array, places: Vec<u32>) -> Result<ArrayRef, SqlError> {
    take(values, &UInt32Array::from(places), None).map_err(|error| internal(&error))
}

/// What cannot be but by an error of ours.
pub(crate) fn internal(error: &dyn std::fmt::Display) -> SqlError {
    SqlError::Limit(format!("the engine failed: {error}").into())
}
