//! Released records as Arrow batches.
//!
//! The labels of a column are made an array once; the records are keys into it.

use std::sync::Arc;

use arrow_array::types::Int32Type;
use arrow_array::{Array, ArrayRef, DictionaryArray, Int32Array, RecordBatch, StringArray};
use arrow_schema::{ArrowError, DataType, Field, Schema};
use arrow_select::take::take;
use rayon::prelude::*;

use super::parsed::parsed;
use super::table::{ColumnKind, Copies, OutColumn, OutTable};

/// A table's columns with their types.
pub(crate) struct Typed {
    pub(crate) schema: Arc<Schema>,
    /// Per column, the labels as values of its type.
    labels: Vec<ArrayRef>,
}

impl Typed {
    pub(crate) fn new(table: &OutTable) -> Self {
        let labels: Vec<ArrayRef> = table.columns.iter().map(typed_labels).collect();
        let fields = table.columns.iter().zip(&labels);
        let fields: Vec<Field> = fields
            .map(|(column, labels)| Field::new(&column.name, labels.data_type().clone(), true))
            .collect();
        Self { schema: Arc::new(Schema::new(fields)), labels }
    }

    /// Some records; a column stays a dictionary where `keep` says so of its type.
    pub(crate) fn batch(
        &self,
        table: &OutTable,
        copies: &[Copies],
        keep: impl Fn(&DataType) -> bool + Sync,
    ) -> Result<RecordBatch, ArrowError> {
        let columns = self.labels.par_iter().zip(&table.codes).map(|(labels, codes)| {
            let key = |row: usize| labels.is_valid(codes[row] as usize).then_some(codes[row] as i32);
            let rows = copies.iter().flat_map(|c| std::iter::repeat_n(key(c.row), c.times as usize));
            let keys: Int32Array = rows.collect();
            if !keep(labels.data_type()) {
                return take(labels, &keys, None);
            }
            DictionaryArray::<Int32Type>::try_new(keys, Arc::clone(labels))
                .map(|column| Arc::new(column) as ArrayRef)
        });
        let columns: Vec<ArrayRef> = columns.collect::<Result<_, ArrowError>>()?;
        // The Parquet writer takes a dictionary for a column of its values, a batch does not.
        let fields = self.schema.fields().iter().zip(&columns);
        let fields: Vec<Field> = fields
            .map(|(field, column)| Field::new(field.name(), column.data_type().clone(), true))
            .collect();
        RecordBatch::try_new(Arc::new(Schema::new(fields)), columns)
    }
}

/// The columns of a schema as they are written: names and types, all of which can be missing, and nothing else.
pub(crate) fn bare(schema: &Schema) -> Schema {
    let field = |field: &Arc<Field>| Field::new(field.name(), field.data_type().clone(), true);
    Schema::new(schema.fields().iter().map(field).collect::<Vec<_>>())
}

/// The labels as values of the column's type, or as text if one of them is none.
fn typed_labels(column: &OutColumn) -> ArrayRef {
    let labels = column.labels.iter().map(|label| (!label.is_empty()).then_some(label));
    let text: ArrayRef = Arc::new(labels.collect::<StringArray>());
    let converted = match &column.kind {
        ColumnKind::Text => None,
        ColumnKind::Integer => parsed(&text, &DataType::Int64),
        ColumnKind::As(kind) => parsed(&text, kind),
    };
    converted.unwrap_or(text)
}
