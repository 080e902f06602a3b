//! Evaluates expressions and whole queries, within limits, in memory.

use std::sync::Arc;
use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, Instant};

use datafusion::arrow::array::{Array, ArrayRef, AsArray, RecordBatch, RecordBatchOptions};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Field, Float64Type, Schema};
use datafusion::arrow::util::display::{ArrayFormatter, FormatOptions};
use datafusion::common::DFSchema;
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::error::DataFusionError;
use datafusion::execution::context::SQLOptions;
use datafusion::execution::disk_manager::{DiskManagerBuilder, DiskManagerMode};
use datafusion::execution::runtime_env::RuntimeEnvBuilder;
use datafusion::logical_expr::Expr;
use datafusion::logical_expr::simplify::SimplifyContext;
use datafusion::optimizer::simplify_expressions::ExprSimplifier;
use datafusion::physical_expr::expressions::BinaryExpr;
use datafusion::physical_plan::PhysicalExpr;
use datafusion::prelude::{SessionConfig, SessionContext};
use velamen_core::error::Problem;

use crate::error::SqlError;
use crate::guard::{QueriedTable, Statement};
use crate::scalar::Scalar;
use crate::table::{ColumnValues, TableColumn, gather, internal};

/// How many combinations are evaluated at once.
const BATCH: usize = 65_536;

/// Functions whose results have any length that a query names; the limit of memory does not know of them.
const GROWING: [&str; 3] = ["repeat", "lpad", "rpad"];

/// How often a running query looks whether it has to stop.
const TICK: Duration = Duration::from_millis(50);

/// What a query may take.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct QueryLimits {
    /// Bytes for what the engine puts together: groups, joins, sorting.
    pub memory: usize,
    /// Seconds.
    pub seconds: f64,
    /// Rows of an answer.
    pub rows: usize,
}

/// The values of a column and of its hierarchy's levels, by leaf.
#[derive(Debug, Clone)]
pub struct Leaves {
    /// How many leaves.
    pub size: usize,
    /// Per name that an expression uses, a value by leaf.
    pub uses: Vec<(String, ColumnValues)>,
}

/// The answer to a query that was run as it is.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// The names of the columns.
    pub names: Vec<String>,
    /// Whether each column holds numbers.
    pub numeric: Vec<bool>,
    /// The values as text; `None` is NULL.
    pub rows: Vec<Vec<Option<String>>>,
}

/// DataFusion without files, catalogs, table functions and spilling to disk.
#[derive(Debug)]
pub struct Engine {
    limits: QueryLimits,
}

impl Engine {
    /// An engine within limits.
    #[must_use]
    pub fn new(limits: QueryLimits) -> Self {
        Self { limits }
    }

    /// Where an expression is true, over all combinations of leaves, the last column's fastest.
    ///
    /// # Errors
    /// [`SqlError::Wrong`] if it cannot be evaluated, [`SqlError::Interrupted`] if `stop` says so.
    pub fn conditions(
        &self,
        scalar: &Scalar,
        leaves: &[Leaves],
        stop: &dyn Fn() -> bool,
    ) -> Result<Vec<bool>, SqlError> {
        let mut found = Vec::new();
        self.evaluate(scalar, leaves, stop, |array| {
            if !matches!(array.data_type(), DataType::Boolean | DataType::Null) {
                let text = Problem::new(format!("`{}` is not true or false", scalar.expr))
                    .mend("compare it with something");
                return Err(SqlError::Wrong(text));
            }
            let array = cast(&array, &DataType::Boolean).map_err(|error| internal(&error))?;
            found.extend(array.as_boolean().iter().map(|value| value == Some(true)));
            Ok(())
        })?;
        Ok(found)
    }

    /// The numbers that an expression gives, true being 1 and false 0.
    ///
    /// # Errors
    /// As for [`Self::conditions`].
    pub fn numbers(
        &self,
        scalar: &Scalar,
        leaves: &[Leaves],
        stop: &dyn Fn() -> bool,
    ) -> Result<Vec<Option<f64>>, SqlError> {
        let mut found = Vec::new();
        self.evaluate(scalar, leaves, stop, |array| {
            let kind = array.data_type();
            if !(kind.is_numeric() || matches!(kind, DataType::Boolean | DataType::Null)) {
                let text = Problem::new(format!("`{}` is no number", scalar.expr))
                    .expected("numbers in SUM and AVG");
                return Err(SqlError::Wrong(text));
            }
            let array = cast(&array, &DataType::Float64).map_err(|error| internal(&error))?;
            let numbers = array.as_primitive::<Float64Type>();
            if numbers.iter().flatten().any(|number| !number.is_finite()) {
                let text = Problem::new(format!("`{}` is no finite number for some value", scalar.expr))
                    .mend("see NULLIF");
                return Err(SqlError::Wrong(text));
            }
            found.extend(numbers.iter());
            Ok(())
        })?;
        Ok(found)
    }

    /// The values that an expression gives, as text, and whether they are numbers.
    ///
    /// # Errors
    /// As for [`Self::conditions`].
    pub fn texts(
        &self,
        scalar: &Scalar,
        leaves: &[Leaves],
        stop: &dyn Fn() -> bool,
    ) -> Result<(Vec<Option<String>>, bool), SqlError> {
        let (mut found, mut numeric) = (Vec::new(), true);
        self.evaluate(scalar, leaves, stop, |array| {
            numeric &= array.data_type().is_numeric();
            found.extend(shown(&array)?);
            Ok(())
        })?;
        Ok((found, numeric))
    }

    fn evaluate(
        &self,
        scalar: &Scalar,
        leaves: &[Leaves],
        stop: &dyn Fn() -> bool,
        mut take: impl FnMut(ArrayRef) -> Result<(), SqlError>,
    ) -> Result<(), SqlError> {
        let uses: Vec<(&str, ArrayRef)> =
            leaves.iter().flat_map(|l| &l.uses).map(|(name, values)| (&**name, values.array())).collect();
        let field = |(name, array): &(&str, ArrayRef)| Field::new(*name, array.data_type().clone(), true);
        let schema = Arc::new(Schema::new(uses.iter().map(field).collect::<Vec<_>>()));
        let physical = self.physical(scalar, &schema)?;
        let size: usize = leaves.iter().map(|leaves| leaves.size).product();
        for start in (0..size).step_by(BATCH) {
            if stop() {
                return Err(SqlError::Interrupted);
            }
            let batch = combinations(&schema, leaves, &uses, start..size.min(start + BATCH))?;
            let value = physical.evaluate(&batch).map_err(|error| at_run(&error))?;
            take(value.into_array(batch.num_rows()).map_err(|error| at_run(&error))?)?;
        }
        Ok(())
    }

    fn physical(&self, scalar: &Scalar, schema: &Schema) -> Result<Arc<dyn PhysicalExpr>, SqlError> {
        let context = context(self.limits.memory)?;
        let schema = Arc::new(DFSchema::try_from(schema.clone()).map_err(|error| internal(&error))?);
        let expr = context.parse_sql_expr(&scalar.expr.to_string(), &schema).map_err(|e| at_plan(&e))?;
        if expr.is_volatile() {
            let message =
                Problem::new("random values have no bounds").mend("leave functions such as random() out");
            return Err(SqlError::NoBounds(message));
        }
        let over_rows =
            |expr: &Expr| Ok(matches!(expr, Expr::AggregateFunction(_) | Expr::WindowFunction(_)));
        if expr.exists(over_rows).map_err(|error| at_plan(&error))? {
            let message = "aggregates and window functions stand in the list of what is selected only";
            return Err(SqlError::NoBounds(message.into()));
        }
        // Functions such as coalesce exist for the simplifier alone, which writes them as CASE.
        let within = SimplifyContext::builder().with_schema(Arc::clone(&schema)).with_current_time().build();
        let simplifier = ExprSimplifier::new(within);
        let expr = simplifier.coerce(expr, &schema).and_then(|expr| simplifier.simplify(expr));
        let expr = expr.and_then(|expr| context.create_physical_expr(expr, &schema));
        expr.and_then(checked).map_err(|error| at_plan(&error))
    }

    /// Runs a statement as it is on tables in memory.
    ///
    /// # Errors
    /// [`SqlError::Wrong`] if it cannot be run, [`SqlError::Limit`] if it takes too much,
    /// [`SqlError::Interrupted`] if `stop` says so.
    pub fn run(
        &self,
        statement: &Statement,
        tables: Vec<(QueriedTable, Vec<TableColumn>)>,
        stop: &dyn Fn() -> bool,
    ) -> Result<Answer, SqlError> {
        let context = context(self.limits.memory)?;
        for (source, columns) in tables {
            context.register_batch(source.name(), record_batch(&columns)?).map_err(|e| at_plan(&e))?;
        }
        let text = statement.query.to_string();
        let most = self.limits.rows + 1;
        let (sender, receiver) = std::sync::mpsc::channel();
        // On a thread of its own, which nobody waits for: a join can work for long without looking up.
        std::thread::spawn(move || sender.send(collected(&context, &text, most)));
        let begin = Instant::now();
        loop {
            match receiver.recv_timeout(TICK) {
                Ok(found) => return found.and_then(|(schema, batches)| self.answer(&schema, &batches)),
                Err(RecvTimeoutError::Disconnected) => return Err(internal(&"it ended without an answer")),
                Err(RecvTimeoutError::Timeout) if stop() => return Err(SqlError::Interrupted),
                Err(RecvTimeoutError::Timeout) => {}
            }
            let seconds = self.limits.seconds;
            if begin.elapsed().as_secs_f64() > seconds {
                let message = Problem::new(format!("the query took longer than {seconds} seconds"))
                    .mend("raise --seconds");
                return Err(SqlError::Limit(message));
            }
        }
    }

    fn answer(&self, schema: &Schema, batches: &[RecordBatch]) -> Result<Answer, SqlError> {
        let names = schema.fields().iter().map(|field| field.name().clone()).collect();
        let numeric = schema.fields().iter().map(|field| field.data_type().is_numeric()).collect();
        let mut rows = Vec::new();
        for batch in batches {
            let columns = batch.columns().iter().map(shown).collect::<Result<Vec<_>, _>>()?;
            for row in 0..batch.num_rows() {
                rows.push(columns.iter().map(|column| column[row].clone()).collect());
            }
        }
        if rows.len() > self.limits.rows {
            let most = self.limits.rows;
            return Err(SqlError::Limit(
                Problem::new(format!("the answer has more than {most} rows")).mend("add LIMIT or GROUP BY"),
            ));
        }
        Ok(Answer { names, numeric, rows })
    }
}

/// The same expression, in which whole numbers that get too large are an error instead of wrapping round.
fn checked(expr: Arc<dyn PhysicalExpr>) -> Result<Arc<dyn PhysicalExpr>, DataFusionError> {
    let checked = expr.transform_up(|expr| {
        let Some(binary) = expr.downcast_ref::<BinaryExpr>() else { return Ok(Transformed::no(expr)) };
        let (left, right) = (Arc::clone(binary.left()), Arc::clone(binary.right()));
        let binary = BinaryExpr::new(left, *binary.op(), right).with_fail_on_overflow(true);
        Ok(Transformed::yes(Arc::new(binary)))
    });
    checked.map(|checked| checked.data)
}

/// Plans and runs a query; what is no query is refused once more.
fn collected(
    context: &SessionContext,
    text: &str,
    most: usize,
) -> Result<(Schema, Vec<RecordBatch>), SqlError> {
    let runtime = tokio::runtime::Builder::new_current_thread().build().map_err(|error| internal(&error))?;
    runtime.block_on(async {
        let options =
            SQLOptions::new().with_allow_ddl(false).with_allow_dml(false).with_allow_statements(false);
        let frame = context.sql_with_options(text, options).await.map_err(|error| at_plan(&error))?;
        let frame = frame.limit(0, Some(most)).map_err(|error| at_plan(&error))?;
        let schema = frame.schema().as_arrow().clone();
        Ok((schema, frame.collect().await.map_err(|error| at_run(&error))?))
    })
}

fn context(memory: usize) -> Result<SessionContext, SqlError> {
    let runtime = RuntimeEnvBuilder::new()
        .with_memory_limit(memory, 1.0)
        .with_disk_manager_builder(DiskManagerBuilder::default().with_mode(DiskManagerMode::Disabled))
        .build_arc()
        .map_err(|error| internal(&error))?;
    let mut config = SessionConfig::new().with_target_partitions(1).with_information_schema(false);
    config.options_mut().sql_parser.enable_ident_normalization = false;
    let context = SessionContext::new_with_config_rt(config, runtime);
    let functions: Vec<String> = context.state().table_functions().keys().cloned().collect();
    for function in functions {
        context.deregister_udtf(&function);
    }
    for function in GROWING {
        context.deregister_udf(function);
    }
    Ok(context)
}

/// The combinations of leaves with these numbers.
fn combinations(
    schema: &Arc<Schema>,
    leaves: &[Leaves],
    uses: &[(&str, ArrayRef)],
    range: std::ops::Range<usize>,
) -> Result<RecordBatch, SqlError> {
    let mut arrays = Vec::with_capacity(uses.len());
    let mut stride: usize = leaves.iter().map(|leaves| leaves.size).product();
    let mut uses = uses.iter();
    for column in leaves {
        stride /= column.size.max(1);
        let places: Vec<u32> = range.clone().map(|number| (number / stride % column.size) as u32).collect();
        for (_, values) in uses.by_ref().take(column.uses.len()) {
            arrays.push(gather(&**values, places.clone())?);
        }
    }
    let options = RecordBatchOptions::new().with_row_count(Some(range.len()));
    RecordBatch::try_new_with_options(Arc::clone(schema), arrays, &options).map_err(|error| internal(&error))
}

fn record_batch(columns: &[TableColumn]) -> Result<RecordBatch, SqlError> {
    let arrays = columns.iter().map(TableColumn::array).collect::<Result<Vec<_>, _>>()?;
    let field = |(column, array): (&TableColumn, &ArrayRef)| {
        Field::new(&column.name, array.data_type().clone(), true)
    };
    let schema = Schema::new(columns.iter().zip(&arrays).map(field).collect::<Vec<_>>());
    RecordBatch::try_new(Arc::new(schema), arrays).map_err(|error| internal(&error))
}

/// The values of an array as text.
fn shown(array: &ArrayRef) -> Result<Vec<Option<String>>, SqlError> {
    let options = FormatOptions::default();
    let format = ArrayFormatter::try_new(&**array, &options).map_err(|error| internal(&error))?;
    // A coded text is NULL by its code or by its value.
    let nulls = array.logical_nulls();
    let null = |row: usize| nulls.as_ref().is_some_and(|nulls| nulls.is_null(row));
    Ok((0..array.len()).map(|row| (!null(row)).then(|| format.value(row).to_string())).collect())
}

/// What is wrong with a query before it runs: names, types, functions. Holds nothing of the table.
fn at_plan(error: &DataFusionError) -> SqlError {
    let message = error.strip_backtrace();
    let message = message.lines().next().unwrap_or_default();
    SqlError::Wrong(format!("the query does not fit the release: {message}").into())
}

/// What went wrong while it ran; the engine's own words could show a cell.
fn at_run(error: &DataFusionError) -> SqlError {
    let mut root = error.find_root();
    while let DataFusionError::Diagnostic(_, inner) = root {
        root = inner.find_root();
    }
    match root {
        DataFusionError::ResourcesExhausted(_) => {
            return SqlError::Limit(
                Problem::new("the query needs more memory than it may take").mend("raise --memory"),
            );
        }
        DataFusionError::Plan(_) | DataFusionError::SchemaError(..) | DataFusionError::NotImplemented(_) => {
            return at_plan(root);
        }
        _ => {}
    }
    let message = "an expression cannot be computed for some value: a division by zero, a whole number beyond 64 \
                   bits, or a text that is no number (TRY_CAST gives NULL for those)";
    SqlError::Wrong(message.into())
}
