//! Expressions over columns.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use sqlparser::ast::{
    Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments, Ident, UnaryOperator, Value,
    visit_expressions, visit_expressions_mut,
};
use velamen_core::error::Problem;

use crate::error::SqlError;

/// A column of the release.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ColumnInfo {
    /// Its name.
    pub name: String,
    /// How many levels its hierarchy has; 1 without hierarchy.
    pub levels: u8,
}

/// A column as an expression names it: its values, or those of a level of its hierarchy.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Use {
    /// An index into the columns.
    pub column: usize,
    /// The level; `None` for the values themselves.
    pub level: Option<u8>,
}

impl Use {
    /// The name under which the engine knows it.
    #[must_use]
    pub fn name(&self, columns: &[ColumnInfo]) -> String {
        let name = &columns[self.column].name;
        match self.level {
            Some(level) => format!("level({name}, {level})"),
            None => name.clone(),
        }
    }
}

/// An expression without aggregates and subqueries, whose column names are resolved.
#[derive(Debug, Clone, PartialEq)]
pub struct Scalar {
    pub(crate) expr: Expr,
    /// What it uses, ascending.
    uses: Vec<Use>,
}

impl Scalar {
    /// Resolves the names of an expression. `table` is what columns may be qualified with.
    pub(crate) fn new(mut expr: Expr, columns: &[ColumnInfo], table: &str) -> Result<Self, SqlError> {
        let resolved = visit_expressions_mut(&mut expr, |expr| match resolve(expr, columns, table) {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => ControlFlow::Break(error),
        });
        if let ControlFlow::Break(error) = resolved {
            return Err(error);
        }
        Ok(Self { uses: uses(&expr, columns), expr })
    }

    /// What it uses, ascending.
    #[must_use]
    pub fn uses(&self) -> &[Use] {
        &self.uses
    }

    /// The columns that it uses, ascending.
    #[must_use]
    pub fn columns(&self) -> Vec<usize> {
        let set: BTreeSet<usize> = self.uses.iter().map(|used| used.column).collect();
        set.into_iter().collect()
    }

    /// An expression made of others.
    pub(crate) fn of(expr: Expr, parts: &[&Scalar]) -> Self {
        let uses: BTreeSet<Use> = parts.iter().flat_map(|part| part.uses.iter().cloned()).collect();
        Self { expr, uses: uses.into_iter().collect() }
    }

    /// Whether it is nothing but a column's values.
    #[must_use]
    pub fn is_column(&self) -> bool {
        matches!(plain(&self.expr), Expr::Identifier(_)) && self.uses.iter().all(|used| used.level.is_none())
    }

    /// The least and the greatest number that it can give, if it chooses among numbers that the query writes.
    #[must_use]
    pub fn range(&self) -> Option<(f64, f64)> {
        let Expr::Case { conditions, else_result, .. } = plain(&self.expr) else { return None };
        let results = conditions.iter().map(|when| &when.result).chain(else_result.as_deref());
        let numbers: Vec<f64> = results.map(|result| literal(plain(result))).collect::<Option<_>>()?;
        let least = numbers.iter().copied().reduce(f64::min)?;
        Some((least, numbers.iter().copied().fold(least, f64::max)))
    }

    /// The numbers that the query writes.
    #[must_use]
    pub fn literals(&self) -> Vec<f64> {
        let mut found = Vec::new();
        let _ = visit_expressions(&self.expr, |expr| {
            found.extend(literal(expr));
            ControlFlow::<()>::Continue(())
        });
        found
    }

    /// Whether a column is only compared with numbers that the query writes, so that the result is the
    /// same all along between two of them.
    #[must_use]
    pub fn compares_only(&self, column: usize, columns: &[ColumnInfo]) -> bool {
        if !self.uses.iter().any(|used| used.column == column) {
            return true;
        }
        if self.uses.iter().any(|used| used.column == column && used.level.is_some()) {
            return false;
        }
        let name = &columns[column].name;
        let is = |expr: &Expr| matches!(plain(expr), Expr::Identifier(ident) if ident.value == *name);
        let (mut named, mut compared) = (0, 0);
        let _ = visit_expressions(&self.expr, |expr| {
            named += usize::from(matches!(expr, Expr::Identifier(ident) if ident.value == *name));
            compared += compared_with_literals(expr, &is);
            ControlFlow::<()>::Continue(())
        });
        named == compared
    }
}

/// How often an expression compares what `is` picks with literals, by itself.
fn compared_with_literals(expr: &Expr, is: &impl Fn(&Expr) -> bool) -> usize {
    use sqlparser::ast::BinaryOperator::{Eq, Gt, GtEq, Lt, LtEq, NotEq};
    let constant = |expr: &Expr| literal(plain(expr)).is_some();
    match expr {
        Expr::BinaryOp { left, op: Eq | NotEq | Lt | LtEq | Gt | GtEq, right } => {
            usize::from(is(left) && constant(right)) + usize::from(is(right) && constant(left))
        }
        Expr::Between { expr, low, high, .. } => usize::from(is(expr) && constant(low) && constant(high)),
        Expr::InList { expr, list, .. } => usize::from(is(expr) && list.iter().all(constant)),
        Expr::IsNull(expr) | Expr::IsNotNull(expr) => usize::from(is(expr)),
        _ => 0,
    }
}

/// An expression without the parentheses around it.
pub(crate) fn plain(mut expr: &Expr) -> &Expr {
    while let Expr::Nested(inner) = expr {
        expr = inner;
    }
    expr
}

/// A number that is written, with or without sign.
fn literal(expr: &Expr) -> Option<f64> {
    match expr {
        Expr::Value(value) => match &value.value {
            Value::Number(text, _) => text.parse().ok(),
            _ => None,
        },
        Expr::UnaryOp { op: UnaryOperator::Minus, expr } => literal(plain(expr)).map(|number| -number),
        Expr::UnaryOp { op: UnaryOperator::Plus, expr } => literal(plain(expr)),
        _ => None,
    }
}

fn resolve(expr: &mut Expr, columns: &[ColumnInfo], table: &str) -> Result<(), SqlError> {
    let found = match expr {
        Expr::Identifier(ident) => {
            if is_level(ident, columns) {
                return Ok(());
            }
            column(&ident.value, columns)?
        }
        Expr::CompoundIdentifier(parts) => match &parts[..] {
            [prefix, name] if prefix.value.eq_ignore_ascii_case(table) => column(&name.value, columns)?,
            _ => return Err(unknown(&expr.to_string(), columns)),
        },
        Expr::Function(function) if named(function, "level") => {
            let name = level(function, columns)?;
            *expr = Expr::Identifier(Ident::with_quote('"', name));
            return Ok(());
        }
        Expr::Function(Function { over: Some(_), .. }) => {
            return Err(SqlError::NoBounds("window functions have no bounds".into()));
        }
        Expr::Subquery(_) | Expr::InSubquery { .. } | Expr::Exists { .. } | Expr::AnyOp { .. } => {
            return Err(SqlError::NoBounds("subqueries have no bounds".into()));
        }
        _ => return Ok(()),
    };
    *expr = Expr::Identifier(Ident::with_quote('"', columns[found].name.clone()));
    Ok(())
}

/// Whether a function has this name.
pub(crate) fn named(function: &Function, name: &str) -> bool {
    function.name.to_string().eq_ignore_ascii_case(name)
}

/// The arguments of a function, if they are plain expressions.
pub(crate) fn arguments(function: &Function) -> Option<Vec<&Expr>> {
    let FunctionArguments::List(list) = &function.args else { return None };
    if list.duplicate_treatment.is_some() || !list.clauses.is_empty() {
        return None;
    }
    let plain = |argument| match argument {
        &FunctionArg::Unnamed(FunctionArgExpr::Expr(ref expr)) => Some(expr),
        _ => None,
    };
    list.args.iter().map(plain).collect()
}

/// The name of `level(column, number)`, whose column is resolved.
fn level(function: &Function, columns: &[ColumnInfo]) -> Result<String, SqlError> {
    let arguments = arguments(function).ok_or_else(wrong_level)?;
    let [Expr::Identifier(name), number] = arguments[..] else { return Err(wrong_level()) };
    let column = column(&name.value, columns)?;
    let most = columns[column].levels.saturating_sub(1);
    let level =
        literal(number).filter(|level| level.fract() == 0.0 && (0.0..=f64::from(most)).contains(level));
    let level = level.ok_or_else(|| {
        let name = &columns[column].name;
        SqlError::Wrong(
            Problem::new(format!("level({name}, …): a wrong value"))
                .expected(format!("a whole number from 0 to {most}, its top level")),
        )
    })?;
    Ok(Use { column, level: Some(level as u8) }.name(columns))
}

fn wrong_level() -> SqlError {
    SqlError::Wrong(
        Problem::new("level(column, number): a wrong value")
            .expected("a column and the number of one of its levels"),
    )
}

fn is_level(ident: &Ident, columns: &[ColumnInfo]) -> bool {
    ident.quote_style.is_some() && level_of(&ident.value, columns).is_some()
}

fn level_of(name: &str, columns: &[ColumnInfo]) -> Option<Use> {
    let (name, level) = name.strip_prefix("level(")?.strip_suffix(')')?.rsplit_once(", ")?;
    let column = columns.iter().position(|column| column.name == name)?;
    // Whoever asks can write the name, too, with any number.
    let level = level.parse().ok().filter(|level| *level < columns[column].levels)?;
    Some(Use { column, level: Some(level) })
}

fn uses(expr: &Expr, columns: &[ColumnInfo]) -> Vec<Use> {
    let mut found = BTreeSet::new();
    let _ = visit_expressions(expr, |expr| {
        if let Expr::Identifier(ident) = expr {
            let itself = columns.iter().position(|column| column.name == ident.value);
            let itself = itself.map(|column| Use { column, level: None });
            found.extend(itself.or_else(|| level_of(&ident.value, columns)));
        }
        ControlFlow::<()>::Continue(())
    });
    found.into_iter().collect()
}

/// The column of that name, or the only one that differs in case alone.
fn column(name: &str, columns: &[ColumnInfo]) -> Result<usize, SqlError> {
    if let Some(exact) = columns.iter().position(|column| column.name == name) {
        return Ok(exact);
    }
    let near: Vec<usize> =
        (0..columns.len()).filter(|&at| columns[at].name.to_lowercase() == name.to_lowercase()).collect();
    match near[..] {
        [only] => Ok(only),
        _ => Err(unknown(name, columns)),
    }
}

fn unknown(name: &str, columns: &[ColumnInfo]) -> SqlError {
    let simple = |name: &str| name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let show = |column: &ColumnInfo| match simple(&column.name) {
        true => column.name.clone(),
        false => format!("\"{}\"", column.name.replace('"', "\"\"")),
    };
    let names: Vec<String> = columns.iter().map(show).collect();
    SqlError::Wrong(
        Problem::new(format!("`{name}` is not a column of the release"))
            .mend(format!("its columns are: {} (texts stand in single quotes)", names.join(", "))),
    )
}
