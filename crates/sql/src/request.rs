//! A SELECT taken apart into what can be bounded.

use sqlparser::ast::{
    Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments, GroupByExpr, LimitClause, OrderByKind,
    Query, Select, SelectItem, SetExpr, TableFactor, Value,
};
use velamen_core::error::Problem;

use crate::condition::Condition;
use crate::error::SqlError;
use crate::guard::{QueriedTable, Statement};
use crate::scalar::{ColumnInfo, Scalar, arguments, named, plain};

/// What is done with the records that count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AggregateKind {
    /// They are counted.
    Count,
    /// Their values are added up.
    Sum,
    /// The mean of their values.
    Mean,
}

/// An aggregate of the select list.
#[derive(Debug, Clone, PartialEq)]
pub struct Aggregate {
    /// What it computes.
    pub kind: AggregateKind,
    /// The value; none for counts.
    pub value: Option<Scalar>,
    /// Which records count: WHERE and FILTER.
    pub condition: Condition,
}

/// A column of the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Output {
    /// An index into the groups.
    Group(usize),
    /// An index into the aggregates.
    Aggregate(usize),
}

/// A query whose answer can be bounded.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// The table.
    pub source: QueriedTable,
    /// GROUP BY.
    pub groups: Vec<Scalar>,
    /// The aggregates of the select list.
    pub aggregates: Vec<Aggregate>,
    /// The select list: names and what they are.
    pub outputs: Vec<(String, Output)>,
    /// ORDER BY: a column of the answer, and whether it descends.
    pub order: Vec<(usize, bool)>,
    /// LIMIT.
    pub limit: Option<usize>,
}

fn no_bounds(what: &str) -> SqlError {
    SqlError::NoBounds(format!("{what} has no bounds").into())
}

impl Statement {
    /// Takes the statement apart.
    ///
    /// # Errors
    /// [`SqlError::NoBounds`] if its answer cannot be bounded, [`SqlError::Wrong`] if it names what is
    /// not there.
    pub fn request(&self, columns: &[ColumnInfo]) -> Result<Request, SqlError> {
        let select = only_select(&self.query)?;
        let (source, table) = only_table(select, &self.sources)?;
        let reader = RequestReader { columns, table: &table };
        let condition = match &select.selection {
            Some(expr) => reader.condition(expr)?,
            None => Condition::All(Vec::new()),
        };
        let mut request = Request {
            source,
            groups: reader.groups(select)?,
            aggregates: Vec::new(),
            outputs: Vec::new(),
            order: Vec::new(),
            limit: limit(self.query.limit_clause.as_ref())?,
        };
        for item in &select.projection {
            reader.item(item, &condition, &mut request)?;
        }
        if request.aggregates.is_empty() {
            return Err(no_bounds("a list of records"));
        }
        request.order = reader.order(&self.query, select, &request)?;
        Ok(request)
    }
}

fn only_select(query: &Query) -> Result<&Select, SqlError> {
    let Query { with: None, fetch: None, settings: None, format_clause: None, for_clause: None, .. } = query
    else {
        return Err(no_bounds("a query with WITH, FETCH or the like"));
    };
    if !query.locks.is_empty() || !query.pipe_operators.is_empty() {
        return Err(no_bounds("a query with FOR or |>"));
    }
    let select = match &*query.body {
        SetExpr::Select(select) => select,
        _ => return Err(no_bounds("a query of several SELECTs")),
    };
    let clauses = [
        (select.distinct.is_some(), "DISTINCT"),
        (select.top.is_some(), "TOP"),
        (select.having.is_some(), "HAVING"),
        (select.qualify.is_some(), "QUALIFY"),
        (select.prewhere.is_some(), "PREWHERE"),
        (select.exclude.is_some(), "EXCLUDE"),
        (select.value_table_mode.is_some() || select.select_modifiers.is_some(), "a modifier of SELECT"),
        (!select.lateral_views.is_empty(), "LATERAL VIEW"),
        (!select.connect_by.is_empty(), "CONNECT BY"),
        (!select.named_window.is_empty(), "WINDOW"),
        (!(select.cluster_by.is_empty() && select.distribute_by.is_empty()), "CLUSTER BY"),
        (!select.sort_by.is_empty(), "SORT BY"),
    ];
    match clauses.iter().find(|clause| clause.0) {
        Some((_, clause)) => Err(no_bounds(&format!("a query with {clause}"))),
        None => Ok(select),
    }
}

/// The one table and the name that columns may be qualified with.
fn only_table(select: &Select, sources: &[QueriedTable]) -> Result<(QueriedTable, String), SqlError> {
    let (&[source], [table]) = (sources, &select.from[..]) else {
        return Err(no_bounds("a query of no table or several tables"));
    };
    match &table.relation {
        TableFactor::Table { alias, sample: None, .. } if table.joins.is_empty() => {
            let alias = alias.as_ref().map(|alias| alias.name.value.clone());
            Ok((source, alias.unwrap_or_else(|| source.name().to_owned())))
        }
        _ => Err(no_bounds("a query with joins or subqueries")),
    }
}

fn limit(clause: Option<&LimitClause>) -> Result<Option<usize>, SqlError> {
    let number = match clause {
        None => return Ok(None),
        Some(LimitClause::LimitOffset { limit: Some(Expr::Value(value)), offset: None, limit_by })
            if limit_by.is_empty() =>
        {
            match &value.value {
                Value::Number(text, _) => text.parse().ok(),
                _ => None,
            }
        }
        Some(_) => None,
    };
    number.map(Some).ok_or_else(|| {
        SqlError::Wrong(Problem::new("LIMIT: a wrong value").expected("a whole number, without OFFSET"))
    })
}

struct RequestReader<'a> {
    columns: &'a [ColumnInfo],
    table: &'a str,
}

impl RequestReader<'_> {
    fn scalar(&self, expr: &Expr) -> Result<Scalar, SqlError> {
        Scalar::new(plain(expr).clone(), self.columns, self.table)
    }

    fn condition(&self, expr: &Expr) -> Result<Condition, SqlError> {
        Condition::new(expr, self.columns, self.table)
    }

    fn groups(&self, select: &Select) -> Result<Vec<Scalar>, SqlError> {
        let GroupByExpr::Expressions(expressions, modifiers) = &select.group_by else {
            return Err(no_bounds("GROUP BY ALL"));
        };
        if !modifiers.is_empty() {
            return Err(no_bounds("GROUP BY with ROLLUP or the like"));
        }
        expressions.iter().map(|expr| self.scalar(meant(expr, select, self.columns)?)).collect()
    }

    fn item(&self, item: &SelectItem, condition: &Condition, request: &mut Request) -> Result<(), SqlError> {
        let (expr, name) = match item {
            SelectItem::UnnamedExpr(expr) => (expr, expr.to_string()),
            SelectItem::ExprWithAlias { expr, alias } => (expr, alias.value.clone()),
            _ => return Err(no_bounds("a list of all columns")),
        };
        let output = match plain(expr) {
            Expr::Function(function) if is_aggregate(function) => {
                request.aggregates.push(self.aggregate(function, condition)?);
                Output::Aggregate(request.aggregates.len() - 1)
            }
            expr => {
                let scalar = self.scalar(expr)?;
                let group = request.groups.iter().position(|group| *group == scalar);
                Output::Group(group.ok_or_else(|| strange(expr))?)
            }
        };
        request.outputs.push((name, output));
        Ok(())
    }

    fn aggregate(&self, function: &Function, condition: &Condition) -> Result<Aggregate, SqlError> {
        if function.over.is_some() || function.null_treatment.is_some() || !function.within_group.is_empty() {
            return Err(no_bounds("a window or an ordered set"));
        }
        let mut conditions = vec![condition.clone()];
        if let Some(filter) = &function.filter {
            conditions.push(self.condition(filter)?);
        }
        let (mut kind, mut value) = (AggregateKind::Count, None);
        if !(named(function, "count") && counts_all(function)) {
            let arguments = arguments(function).filter(|arguments| arguments.len() == 1);
            let Some([argument]) = arguments.as_deref() else {
                return Err(no_bounds(&format!("`{function}`")));
            };
            let scalar = self.scalar(argument)?;
            if named(function, "count") {
                let present = Expr::IsNotNull(Box::new(Expr::Nested(Box::new(scalar.expr.clone()))));
                conditions.push(Condition::Atom(Box::new(Scalar::of(present, &[&scalar]))));
            } else if named(function, "share") {
                (kind, value) = (AggregateKind::Mean, Some(indicator(&scalar)));
            } else {
                (kind, value) = (
                    if named(function, "sum") { AggregateKind::Sum } else { AggregateKind::Mean },
                    Some(scalar),
                );
            }
        }
        Ok(Aggregate { kind, value, condition: Condition::All(conditions) })
    }

    fn order(
        &self,
        query: &Query,
        select: &Select,
        request: &Request,
    ) -> Result<Vec<(usize, bool)>, SqlError> {
        let Some(order) = &query.order_by else { return Ok(Vec::new()) };
        let OrderByKind::Expressions(expressions) = &order.kind else {
            return Err(no_bounds("ORDER BY ALL"));
        };
        let place = |expr: &Expr| {
            let text = expr.to_string();
            let meant = meant(expr, select, self.columns)?;
            let is = |item: &SelectItem| match item {
                SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. } => expr == meant,
                _ => false,
            };
            let named = request.outputs.iter().position(|(name, _)| *name == text);
            named.or_else(|| select.projection.iter().position(is)).ok_or_else(|| {
                SqlError::Wrong(
                    Problem::new(format!("ORDER BY {text}: a wrong value"))
                        .expected("a column of the answer or its number"),
                )
            })
        };
        expressions.iter().map(|by| Ok((place(&by.expr)?, by.options.asc == Some(false)))).collect()
    }
}

/// What an expression of GROUP BY or ORDER BY means: an item by number or by alias, or itself.
fn meant<'a>(expr: &'a Expr, select: &'a Select, columns: &[ColumnInfo]) -> Result<&'a Expr, SqlError> {
    let item = |item: &'a SelectItem| match item {
        SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. } => Some(expr),
        _ => None,
    };
    match expr {
        Expr::Value(value) => match &value.value {
            Value::Number(text, _) => {
                let at = text.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
                let found = at.and_then(|at| select.projection.get(at)).and_then(item);
                found.ok_or_else(|| SqlError::Wrong(format!("{text} is not a column of the answer").into()))
            }
            _ => Ok(expr),
        },
        Expr::Identifier(ident) if !columns.iter().any(|column| column.name == ident.value) => {
            let aliased = |item: &'a SelectItem| match item {
                SelectItem::ExprWithAlias { expr, alias } if alias.value == ident.value => Some(expr),
                _ => None,
            };
            Ok(select.projection.iter().find_map(aliased).unwrap_or(expr))
        }
        _ => Ok(expr),
    }
}

fn is_aggregate(function: &Function) -> bool {
    ["count", "sum", "avg", "mean", "share"].iter().any(|name| named(function, name))
}

/// Whether the argument is `*` or a number.
fn counts_all(function: &Function) -> bool {
    let FunctionArguments::List(list) = &function.args else { return false };
    list.duplicate_treatment.is_none() && list.args.len() == 1 && is_all(&list.args[0])
}

fn is_all(argument: &FunctionArg) -> bool {
    match argument {
        FunctionArg::Unnamed(FunctionArgExpr::Wildcard) => true,
        FunctionArg::Unnamed(FunctionArgExpr::Expr(Expr::Value(value))) => {
            matches!(value.value, Value::Number(..))
        }
        _ => false,
    }
}

/// 1 where a condition is true, else 0.
fn indicator(condition: &Scalar) -> Scalar {
    let expr = Expr::Case {
        case_token: sqlparser::ast::helpers::attached_token::AttachedToken::empty(),
        end_token: sqlparser::ast::helpers::attached_token::AttachedToken::empty(),
        operand: None,
        conditions: vec![sqlparser::ast::CaseWhen {
            condition: condition.expr.clone(),
            result: *number("1"),
        }],
        else_result: Some(number("0")),
    };
    Scalar::of(expr, &[condition])
}

fn number(text: &str) -> Box<Expr> {
    Box::new(Expr::value(Value::Number(text.into(), false)))
}

fn strange(expr: &Expr) -> SqlError {
    SqlError::NoBounds(format!(
        "`{expr}` is neither one of COUNT, SUM, AVG and share nor in GROUP BY, and has no bounds; for the share of \
         records that fulfil a condition, write share(condition)"
    ).into())
}
