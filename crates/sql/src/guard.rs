//! What is let through to the engine: one SELECT over the release, and nothing else.

use std::ops::ControlFlow;

use sqlparser::ast::{
    Expr, ObjectName, Query, Select, SetExpr, Statement as Ast, TableFactor, Visit, Visitor,
};
use sqlparser::dialect::GenericDialect;
use sqlparser::parser::{Parser, ParserError};
use velamen_core::error::Problem;

use crate::error::SqlError;

/// The longest query, in bytes: longer ones nest deeper than the stack is made for.
const LONGEST: usize = 16_384;

/// How deep parentheses and the like may nest.
const DEEPEST: usize = 48;

/// How deep expressions may nest, also without parentheses: `a + b + c` is (a + b) + c. The time to plan them
/// grows with the square.
const DEEPEST_EXPRESSION: usize = 500;

/// The names of the tables.
const TABLES: [(&str, QueriedTable); 2] =
    [("release", QueriedTable::Release), ("truthful", QueriedTable::Truthful)];

/// A table that a query can name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QueriedTable {
    /// The released records.
    Release,
    /// The truthful version, without counterfeits.
    Truthful,
}

impl QueriedTable {
    /// The table's name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Release => "release",
            Self::Truthful => "truthful",
        }
    }
}

/// One SELECT that was let through.
#[derive(Debug, Clone, PartialEq)]
pub struct Statement {
    pub(crate) query: Query,
    /// The tables that it names.
    pub sources: Vec<QueriedTable>,
}

/// Reads a text that has to be one SELECT over the release's tables.
///
/// # Errors
/// [`SqlError::Refused`] if it is anything else, [`SqlError::Wrong`] if it is no SQL.
pub fn parse(text: &str) -> Result<Statement, SqlError> {
    if text.len() > LONGEST {
        let length = text.len();
        return Err(SqlError::Limit(
            Problem::new(format!("the query has {length} bytes")).expected(format!("at most {LONGEST}")),
        ));
    }
    let query = only_query(text)?;
    let mut watch = Watch { common: Vec::new(), sources: Vec::new(), depth: 0 };
    match query.visit(&mut watch) {
        ControlFlow::Break(error) => Err(error),
        ControlFlow::Continue(()) => Ok(Statement { query, sources: watch.sources }),
    }
}

fn only_query(text: &str) -> Result<Query, SqlError> {
    let first: String = text.trim_start_matches(['(', ' ', '\n', '\t', '\r']).chars().take(6).collect();
    let parsed = Parser::new(&GenericDialect {})
        .with_recursion_limit(DEEPEST)
        .try_with_sql(text)
        .and_then(|mut parser| parser.parse_statements());
    let mut statements = match parsed {
        Ok(statements) => statements,
        Err(_) if !["select", "with"].iter().any(|word| starts(&first, word)) => return Err(refused()),
        Err(error) => {
            let words = match error {
                ParserError::TokenizerError(words) | ParserError::ParserError(words) => words,
                ParserError::RecursionLimitExceeded => "recursion limit exceeded".to_owned(),
            };
            return Err(SqlError::Wrong(format!("not readable as SQL: {words}").into()));
        }
    };
    match (statements.pop(), statements.is_empty()) {
        (Some(Ast::Query(query)), true) => Ok(*query),
        _ => Err(refused()),
    }
}

fn refused() -> SqlError {
    SqlError::Refused("only one SELECT over `release` or `truthful` is answered; nothing else is run".into())
}

fn starts(text: &str, word: &str) -> bool {
    text.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word))
}

/// Walks through a query and stops at what is not allowed.
struct Watch {
    /// Names of common table expressions.
    common: Vec<String>,
    sources: Vec<QueriedTable>,
    /// Of the expression that is looked at.
    depth: usize,
}

impl Watch {
    fn refuse(what: impl Into<Problem>) -> ControlFlow<SqlError> {
        ControlFlow::Break(SqlError::Refused(what.into()))
    }
}

impl Visitor for Watch {
    type Break = SqlError;

    fn pre_visit_expr(&mut self, _: &Expr) -> ControlFlow<SqlError> {
        self.depth += 1;
        if self.depth > DEEPEST_EXPRESSION {
            let message = Problem::new(format!("an expression nests deeper than {DEEPEST_EXPRESSION}"))
                .mend("split the query, or use IN");
            return ControlFlow::Break(SqlError::Limit(message));
        }
        ControlFlow::Continue(())
    }

    fn post_visit_expr(&mut self, _: &Expr) -> ControlFlow<SqlError> {
        self.depth -= 1;
        ControlFlow::Continue(())
    }

    fn pre_visit_query(&mut self, query: &Query) -> ControlFlow<SqlError> {
        for table in query.with.iter().flat_map(|with| &with.cte_tables) {
            self.common.push(table.alias.name.value.clone());
        }
        if query.with.as_ref().is_some_and(|with| with.recursive) {
            return Self::refuse("recursive queries are not answered");
        }
        match &*query.body {
            SetExpr::Select(_) | SetExpr::Query(_) | SetExpr::SetOperation { .. } | SetExpr::Values(_) => {
                ControlFlow::Continue(())
            }
            _ => Self::refuse("only SELECT is answered"),
        }
    }

    fn pre_visit_select(&mut self, select: &Select) -> ControlFlow<SqlError> {
        if select.into.is_some() {
            return Self::refuse(Problem::new("SELECT INTO would make a table").mend("leave INTO out"));
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_table_factor(&mut self, factor: &TableFactor) -> ControlFlow<SqlError> {
        match factor {
            TableFactor::Table { args: None, .. }
            | TableFactor::Derived { .. }
            | TableFactor::NestedJoin { .. } => ControlFlow::Continue(()),
            _ => Self::refuse(
                Problem::new("table functions are not answered")
                    .mend("the tables are `release` and `truthful`"),
            ),
        }
    }

    fn pre_visit_relation(&mut self, relation: &ObjectName) -> ControlFlow<SqlError> {
        let [part] = &relation.0[..] else {
            return Self::refuse(
                Problem::new("tables have names without dots").mend("they are `release` and `truthful`"),
            );
        };
        let name = part.as_ident().map_or("", |ident| &ident.value);
        if self.common.iter().any(|common| common == name) {
            return ControlFlow::Continue(());
        }
        match TABLES.iter().find(|(table, _)| *table == name) {
            Some((_, source)) => self.sources.push(*source),
            None => {
                return Self::refuse(
                    Problem::new("there is no such table").expected("`release` or `truthful`"),
                );
            }
        }
        ControlFlow::Continue(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_select_is_let_through() {
        for text in [
            "SELECT COUNT(*) FROM release",
            "select age from release where sex = 'F';",
            "WITH old AS (SELECT * FROM release WHERE age > 60) SELECT COUNT(*) FROM old",
            "SELECT * FROM release JOIN truthful USING (age)",
            "(SELECT 1 FROM release) UNION ALL (SELECT 2 FROM truthful)",
        ] {
            assert!(parse(text).is_ok(), "{text}: {:?}", parse(text));
        }
    }

    #[test]
    fn nothing_else_is() {
        for text in [
            "",
            ";",
            "SELECT 1 FROM release; SELECT 2 FROM release",
            "SELECT 1 FROM release; DROP TABLE release",
            "INSERT INTO release VALUES (1)",
            "UPDATE release SET age = 1",
            "DELETE FROM release",
            "DROP TABLE release",
            "CREATE TABLE t AS SELECT * FROM release",
            "CREATE VIEW v AS SELECT * FROM release",
            "CREATE EXTERNAL TABLE t STORED AS CSV LOCATION '/etc/passwd'",
            "COPY release TO '/tmp/out.csv'",
            "COPY (SELECT * FROM release) TO 'out.parquet'",
            "SET datafusion.execution.target_partitions = 1",
            "SHOW TABLES",
            "EXPLAIN SELECT * FROM release",
            "DESCRIBE release",
            "PREPARE p AS SELECT 1 FROM release",
            "SELECT * INTO t FROM release",
            "SELECT * FROM '/etc/passwd'",
            "SELECT * FROM \"data.csv\"",
            "SELECT * FROM read_csv('/etc/passwd')",
            "SELECT * FROM generate_series(1, 100000000)",
            "SELECT * FROM TABLE(generate_series(1, 10))",
            "SELECT * FROM UNNEST([1, 2])",
            "SELECT * FROM information_schema.tables",
            "SELECT * FROM release, LATERAL (SELECT * FROM passwd)",
            "SELECT (SELECT COUNT(*) FROM other) FROM release",
            "SELECT 1 FROM release WHERE EXISTS (SELECT 1 FROM other)",
            "WITH RECURSIVE r AS (SELECT 1 FROM release UNION ALL SELECT 1 FROM r) SELECT * FROM r",
            "WITH release2 AS (DELETE FROM release) SELECT 1 FROM release2",
            "VACUUM",
            "TABLE release",
            "ATTACH 'x' AS y",
            "LOAD 'x'",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn long_and_deep_texts_end_with_an_error() {
        let long = format!("SELECT COUNT(*) FROM release WHERE {}", "1 = 1 AND ".repeat(5_000));
        assert!(matches!(parse(&long), Err(SqlError::Limit(_))));
        let chain = format!("SELECT COUNT(*) FROM release WHERE age < 1{}", "+1".repeat(2_000));
        assert!(matches!(parse(&chain), Err(SqlError::Limit(_))));
        let deep = format!("SELECT {}1{} FROM release", "(".repeat(5_000), ")".repeat(5_000));
        assert!(matches!(parse(&deep), Err(SqlError::Wrong(_))));
    }
}
