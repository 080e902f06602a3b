//! Conditions as trees of AND and OR over expressions.

use sqlparser::ast::{BinaryOperator, Expr, UnaryOperator};

use crate::error::SqlError;
use crate::scalar::{ColumnInfo, Scalar, plain};

/// What a record has to fulfil: a condition holds where it is true, not where it is false or unknown.
#[derive(Debug, Clone, PartialEq)]
pub enum Condition {
    /// All of them; none is always true.
    All(Vec<Condition>),
    /// One of them.
    Any(Vec<Condition>),
    /// An expression.
    Atom(Box<Scalar>),
    /// A condition whose branches share columns.
    Joined(Box<Condition>),
}

impl Condition {
    pub(crate) fn new(expr: &Expr, columns: &[ColumnInfo], table: &str) -> Result<Self, SqlError> {
        let both = |left: &Expr, right: &Expr| {
            Ok::<_, SqlError>(vec![Self::new(left, columns, table)?, Self::new(right, columns, table)?])
        };
        match plain(expr) {
            Expr::BinaryOp { left, op: BinaryOperator::And, right } => Ok(Self::All(both(left, right)?)),
            Expr::BinaryOp { left, op: BinaryOperator::Or, right } => Ok(Self::Any(both(left, right)?)),
            Expr::UnaryOp { op: UnaryOperator::Not, expr: inner } => match negated(inner) {
                Some(expr) => Self::new(&expr, columns, table),
                None => Ok(Self::Atom(Box::new(Scalar::new(expr.clone(), columns, table)?))),
            },
            expr => Ok(Self::Atom(Box::new(Scalar::new(expr.clone(), columns, table)?))),
        }
    }

    /// Every expression in it.
    #[must_use]
    pub fn atoms(&self) -> Vec<&Scalar> {
        match self {
            Self::All(children) | Self::Any(children) => children.iter().flat_map(Self::atoms).collect(),
            Self::Atom(scalar) => vec![scalar],
            Self::Joined(condition) => condition.atoms(),
        }
    }

    /// The same condition, in which no two branches of a node share a column but those in `fixed`: where
    /// these are given, the branches are independent.
    #[must_use]
    pub fn independent(self, fixed: &[usize]) -> Self {
        let (all, children) = match self.flat() {
            Self::All(children) => (true, children),
            Self::Any(children) => (false, children),
            other => return other,
        };
        let mut groups: Vec<(Vec<usize>, Vec<Self>)> = Vec::new();
        for child in children {
            let free = |column: &usize| !fixed.contains(column);
            let mut columns: Vec<usize> =
                child.atoms().iter().flat_map(|atom| atom.columns()).filter(free).collect();
            let mut members = vec![child];
            let shares = |group: &(Vec<usize>, Vec<Self>)| group.0.iter().any(|c| columns.contains(c));
            let (joined, apart): (Vec<_>, Vec<_>) = groups.into_iter().partition(shares);
            for (others, children) in joined {
                columns.extend(others);
                members.extend(children);
            }
            groups = apart;
            groups.push((columns, members));
        }
        let merge = |(_, mut members): (_, Vec<Self>)| match members.len() {
            1 => members.swap_remove(0).independent(fixed),
            _ => Self::Joined(Box::new(if all { Self::All(members) } else { Self::Any(members) })),
        };
        let children = groups.into_iter().map(merge).collect();
        if all { Self::All(children) } else { Self::Any(children) }
    }

    /// Without an AND directly in an AND, or an OR in an OR.
    fn flat(self) -> Self {
        match self {
            Self::All(children) => Self::All(children.into_iter().flat_map(|c| open(c, true)).collect()),
            Self::Any(children) => Self::Any(children.into_iter().flat_map(|c| open(c, false)).collect()),
            other => other,
        }
    }
}

fn open(child: Condition, all: bool) -> Vec<Condition> {
    match child.flat() {
        Condition::All(inner) if all => inner,
        Condition::Any(inner) if !all => inner,
        other => vec![other],
    }
}

/// What NOT makes of an AND, an OR or a NOT, true, false or unknown alike; `None` for other expressions.
fn negated(expr: &Expr) -> Option<Expr> {
    match plain(expr) {
        Expr::BinaryOp { left, op: BinaryOperator::And, right } => {
            Some(Expr::BinaryOp { left: not(left), op: BinaryOperator::Or, right: not(right) })
        }
        Expr::BinaryOp { left, op: BinaryOperator::Or, right } => {
            Some(Expr::BinaryOp { left: not(left), op: BinaryOperator::And, right: not(right) })
        }
        Expr::UnaryOp { op: UnaryOperator::Not, expr } => Some((**expr).clone()),
        _ => None,
    }
}

fn not(expr: &Expr) -> Box<Expr> {
    let expr = Box::new(Expr::Nested(Box::new(expr.clone())));
    Box::new(Expr::UnaryOp { op: UnaryOperator::Not, expr })
}
