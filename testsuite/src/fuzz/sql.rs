//! Recipients' queries: their text, and queries that mostly read.

use velamen_sql::{ColumnInfo, Condition, Request, Use, parse};

use super::source::Source;

/// As the thread on which a query is read: expressions nest as deep as the text is long.
const STACK: usize = 1 << 28;

/// Queries that read.
pub(super) const EXAMPLES: [&str; 4] = [
    "SELECT COUNT(*) FROM release WHERE age >= 60 AND sex = 'F'",
    "select sex, avg(age) as mean, share(age > 3) from release r where not (r.sex in ('F','x') or age between 1 and 2) \
     group by sex order by mean desc limit 3;",
    "SELECT level(age, 2), SUM(CASE WHEN \"a b\" IS NULL THEN 0 ELSE 1 END) FROM truthful GROUP BY level(age, 2)",
    "WITH old AS (SELECT * FROM release WHERE age > 60) SELECT COUNT(*) FROM old",
];

/// Nesting of generated expressions.
const DEEPEST: usize = 5;

/// The text of a query, read and taken apart.
pub fn query(bytes: &[u8]) {
    taken_apart(&String::from_utf8_lossy(bytes));
}

/// A query drawn from the grammar of those that are answered, with a stray word here and there.
pub fn query_made(bytes: &[u8]) {
    taken_apart(&select(&mut Source::new(bytes)));
}

/// Reads a query and takes it apart.
fn taken_apart(text: &str) {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, || answerable(text));
        let joined = thread.expect("a thread can be started").join();
        joined.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    });
}

fn answerable(text: &str) {
    let columns = columns();
    let Ok(statement) = parse(text) else { return };
    let Ok(request) = statement.request(&columns) else { return };
    let Request { groups, aggregates, outputs, .. } = request;
    assert!(!aggregates.is_empty() && !outputs.is_empty(), "an answer has columns");
    let values = aggregates.iter().filter_map(|aggregate| aggregate.value.as_ref());
    for scalar in groups.iter().chain(values) {
        let known = |asked: &Use| columns[asked.column].levels > asked.level.unwrap_or(0);
        assert!(scalar.uses().iter().all(known), "a level that no column has");
    }
    for aggregate in aggregates {
        let atoms = aggregate.condition.atoms().len();
        let apart: Condition = aggregate.condition.independent(&[0]);
        assert_eq!(apart.atoms().len(), atoms, "a condition is lost");
    }
}

fn columns() -> Vec<ColumnInfo> {
    let column = |(name, levels): (&str, u8)| ColumnInfo { name: name.into(), levels };
    [("age", 4), ("sex", 2), ("a b", 3), ("Sum", 1)].map(column).to_vec()
}

const COLUMNS: [&str; 7] = ["age", "sex", "\"a b\"", "\"Sum\"", "release.age", "AGE", "nothing"];
const VALUES: [&str; 12] =
    ["1", "0", "-3", "42", "1e9", "0.5", "'F'", "''", "'it''s'", "NULL", "TRUE", "18446744073709551616"];
const OPERATORS: [&str; 14] = ["=", "<>", "<", "<=", ">", ">=", "+", "-", "*", "/", "%", "||", "AND", "OR"];
const FUNCTIONS: [&str; 9] = ["upper", "abs", "coalesce", "level", "round", "count", "sum", "avg", "share"];
const STRAY: [&str; 8] =
    ["DISTINCT", "OVER ()", "FROM release", "AS x", ";", "(SELECT 1)", "--", "FILTER (WHERE age > 1)"];

fn select(source: &mut Source<'_>) -> String {
    let items: Vec<String> = (0..=source.below(3)).map(|_| item(source)).collect();
    let mut text = format!(
        "SELECT {} FROM {}",
        items.join(", "),
        source.one(&["release", "truthful", "r", "release r"])
    );
    if source.below(3) > 0 {
        text += &format!(" WHERE {}", expression(source, 0));
    }
    if source.once_in(2) {
        let groups: Vec<String> = (0..=source.below(2)).map(|_| group(source)).collect();
        text += &format!(" GROUP BY {}", groups.join(", "));
    }
    if source.once_in(3) {
        text += &format!(" ORDER BY {} {}", group(source), source.one(&["", "ASC", "DESC"]));
    }
    if source.once_in(4) {
        text += &format!(" LIMIT {}", source.one(&VALUES));
    }
    if source.once_in(8) {
        text += *source.one(&STRAY);
    }
    text
}

fn item(source: &mut Source<'_>) -> String {
    match source.below(6) {
        0 => "COUNT(*)".into(),
        1 => format!("COUNT(*) FILTER (WHERE {})", expression(source, 2)),
        2 => format!(
            "{}({}) AS n",
            source.one(&["SUM", "AVG", "mean", "count", "share"]),
            expression(source, 2)
        ),
        3 => group(source),
        4 => expression(source, 0),
        _ => format!("{} {}", expression(source, 3), source.one(&STRAY)),
    }
}

fn group(source: &mut Source<'_>) -> String {
    match source.below(4) {
        0 => (*source.one(&COLUMNS)).into(),
        1 => format!("level({}, {})", source.one(&COLUMNS), source.one(&VALUES)),
        2 => (*source.one(&["1", "2", "n", "x"])).into(),
        _ => expression(source, 3),
    }
}

fn expression(source: &mut Source<'_>, depth: usize) -> String {
    if depth >= DEEPEST {
        return (*source.one(&COLUMNS)).into();
    }
    let inner = |source: &mut Source<'_>| expression(source, depth + 1);
    match source.below(13) {
        0 => (*source.one(&COLUMNS)).into(),
        1 => (*source.one(&VALUES)).into(),
        2..=4 => format!("{} {} {}", inner(source), source.one(&OPERATORS), inner(source)),
        5 => format!("({})", inner(source)),
        6 => format!("NOT {}", inner(source)),
        7 => format!("{} BETWEEN {} AND {}", inner(source), source.one(&VALUES), source.one(&VALUES)),
        8 => format!("{} IN ({}, {})", inner(source), source.one(&VALUES), source.one(&VALUES)),
        9 => format!("{}({}, {})", source.one(&FUNCTIONS), inner(source), source.one(&VALUES)),
        10 => format!("CASE WHEN {} THEN {} ELSE {} END", inner(source), inner(source), inner(source)),
        11 => format!("{} IS {} NULL", inner(source), source.one(&["", "NOT"])),
        _ => format!("{}({})", source.one(&FUNCTIONS), inner(source)),
    }
}
