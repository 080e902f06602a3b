//! Random queries, as SQL and answered record by record. Shares no code with the library.

use std::collections::BTreeMap;

use velamen_dp::{Stream, below};

/// A record: a text by column, `None` for a missing value.
pub(crate) type Record = Vec<Option<String>>;

/// What a level of a hierarchy makes of a value.
pub(crate) type Labelled = fn(&str) -> String;

/// A column of a test table.
#[derive(Debug, Clone)]
pub(crate) struct Column {
    pub(crate) name: String,
    /// Whether its values are numbers.
    pub(crate) numeric: bool,
    /// Values that conditions compare with.
    pub(crate) values: Vec<String>,
    /// Whether groups by it are few.
    pub(crate) few: bool,
    /// A level of its hierarchy and what it makes of values, if it has one.
    pub(crate) level: Option<(u8, Labelled)>,
}

#[derive(Debug, Clone)]
pub(crate) enum Condition {
    Compare(usize, &'static str, String),
    Level(usize, String),
    Between(usize, String, String),
    In(usize, Vec<String>),
    Like(usize, String),
    Null(usize, bool),
    Less(usize, usize),
    And(Box<Condition>, Box<Condition>),
    Or(Box<Condition>, Box<Condition>),
    Not(Box<Condition>),
}

#[derive(Debug, Clone)]
pub(crate) enum Value {
    Records,
    Present(usize),
    Sum(usize),
    /// a · column + b · other column.
    Mixed(i64, usize, i64, usize),
    Mean(usize),
    Share(Condition),
}

#[derive(Debug, Clone)]
pub(crate) enum Group {
    Values(usize),
    Level(usize),
    Condition(Condition),
    /// The first letter of a text.
    First(usize),
}

#[derive(Debug, Clone)]
pub(crate) struct Query {
    pub(crate) values: Vec<(Value, Option<Condition>)>,
    pub(crate) filter: Option<Condition>,
    pub(crate) groups: Vec<Group>,
}

const OPERATORS: [&str; 6] = ["=", "<>", "<", "<=", ">", ">="];

fn pick<'a, T>(stream: &mut Stream, all: &'a [T]) -> &'a T {
    &all[below(stream, all.len() as u64) as usize]
}

fn chance(stream: &mut Stream, percent: u64) -> bool {
    below(stream, 100) < percent
}

/// The number of a column for which something holds.
fn column(stream: &mut Stream, columns: &[Column], wanted: impl Fn(&Column) -> bool) -> usize {
    let places: Vec<usize> = (0..columns.len()).filter(|&at| wanted(&columns[at])).collect();
    *pick(stream, &places)
}

impl Condition {
    pub(crate) fn random(stream: &mut Stream, columns: &[Column], depth: u32) -> Self {
        let sub = |stream: &mut Stream| Box::new(Self::random(stream, columns, depth - 1));
        if depth > 0 && chance(stream, 55) {
            return match below(stream, 5) {
                0 | 1 => Self::And(sub(stream), sub(stream)),
                2 | 3 => Self::Or(sub(stream), sub(stream)),
                _ => Self::Not(sub(stream)),
            };
        }
        let at = below(stream, columns.len() as u64) as usize;
        let numbers = columns.iter().filter(|column| column.numeric).count();
        let value = |stream: &mut Stream| pick(stream, &columns[at].values).clone();
        match below(stream, 8) {
            0 => Self::Null(at, chance(stream, 50)),
            1 => Self::In(at, (0..=below(stream, 3)).map(|_| value(stream)).collect()),
            2 if !columns[at].numeric => {
                let value = value(stream);
                let some: String = value.chars().take(1).collect();
                Self::Like(at, if chance(stream, 70) { format!("{some}%") } else { format!("%{some}") })
            }
            3 if columns[at].numeric => Self::Between(at, value(stream), value(stream)),
            4 if columns[at].level.is_some() => {
                let level = columns[at].level.map(|level| level.1).unwrap();
                Self::Level(at, level(&value(stream)))
            }
            5 if columns[at].numeric && numbers > 1 && chance(stream, 40) => {
                Self::Less(at, column(stream, columns, |other| other.numeric))
            }
            _ => {
                let op = OPERATORS[below(stream, 6) as usize];
                Self::Compare(at, op, value(stream))
            }
        }
    }

    fn sql(&self, columns: &[Column]) -> String {
        let name = |at: &usize| format!("\"{}\"", columns[*at].name);
        let text = |value: &str| format!("'{}'", value.replace('\'', "''"));
        let literal =
            |at: &usize, value: &String| if columns[*at].numeric { value.clone() } else { text(value) };
        match self {
            Self::Compare(at, op, value) => format!("{} {op} {}", name(at), literal(at, value)),
            Self::Level(at, value) => {
                format!("level({}, {}) = {}", name(at), columns[*at].level.unwrap().0, text(value))
            }
            Self::Between(at, low, high) => format!("{} BETWEEN {low} AND {high}", name(at)),
            Self::In(at, values) => {
                let values: Vec<String> = values.iter().map(|value| literal(at, value)).collect();
                format!("{} IN ({})", name(at), values.join(", "))
            }
            Self::Like(at, pattern) => format!("{} LIKE {}", name(at), text(pattern)),
            Self::Null(at, is) => format!("{} IS {}NULL", name(at), if *is { "" } else { "NOT " }),
            Self::Less(a, b) => format!("{} < {} + 3", name(a), name(b)),
            Self::And(a, b) => format!("({} AND {})", a.sql(columns), b.sql(columns)),
            Self::Or(a, b) => format!("({} OR {})", a.sql(columns), b.sql(columns)),
            Self::Not(a) => format!("NOT ({})", a.sql(columns)),
        }
    }

    /// True, false or unknown.
    fn holds(&self, record: &Record, columns: &[Column]) -> Option<bool> {
        let compared = |at: usize, value: &str| {
            let own = record[at].as_deref()?;
            let order = if columns[at].numeric {
                own.parse::<f64>().unwrap().partial_cmp(&value.parse::<f64>().unwrap()).unwrap()
            } else {
                own.cmp(value)
            };
            Some(order)
        };
        match self {
            Self::Compare(at, op, value) => {
                let order = compared(*at, value)?;
                Some(match *op {
                    "=" => order.is_eq(),
                    "<>" => order.is_ne(),
                    "<" => order.is_lt(),
                    "<=" => order.is_le(),
                    ">" => order.is_gt(),
                    _ => order.is_ge(),
                })
            }
            Self::Level(at, value) => Some(columns[*at].level.unwrap().1(record[*at].as_deref()?) == *value),
            Self::Between(at, low, high) => Some(compared(*at, low)?.is_ge() && compared(*at, high)?.is_le()),
            Self::In(at, values) => {
                record[*at].as_ref()?;
                Some(values.iter().any(|value| compared(*at, value).unwrap().is_eq()))
            }
            Self::Like(at, pattern) => {
                let own = record[*at].as_deref()?;
                Some(match pattern.strip_suffix('%') {
                    Some(start) => own.starts_with(start),
                    None => own.ends_with(&pattern[1..]),
                })
            }
            Self::Null(at, is) => Some(record[*at].is_none() == *is),
            Self::Less(a, b) => {
                let number = |at: usize| record[at].as_ref().map(|text| text.parse::<f64>().unwrap());
                Some(number(*a)? < number(*b)? + 3.0)
            }
            Self::And(a, b) => match (a.holds(record, columns), b.holds(record, columns)) {
                (Some(false), _) | (_, Some(false)) => Some(false),
                (Some(true), Some(true)) => Some(true),
                _ => None,
            },
            Self::Or(a, b) => match (a.holds(record, columns), b.holds(record, columns)) {
                (Some(true), _) | (_, Some(true)) => Some(true),
                (Some(false), Some(false)) => Some(false),
                _ => None,
            },
            Self::Not(a) => a.holds(record, columns).map(|holds| !holds),
        }
    }
}

impl Query {
    pub(crate) fn random(stream: &mut Stream, columns: &[Column]) -> Self {
        let number = |stream: &mut Stream| column(stream, columns, |column| column.numeric);
        let value = |stream: &mut Stream| match below(stream, 7) {
            0 | 1 => Value::Records,
            2 => Value::Present(below(stream, columns.len() as u64) as usize),
            3 => Value::Sum(number(stream)),
            4 => Value::Mean(number(stream)),
            5 => Value::Share(Condition::random(stream, columns, 1)),
            _ => {
                let (a, b) = (below(stream, 5) as i64 - 2, below(stream, 5) as i64 - 2);
                Value::Mixed(a, number(stream), b, number(stream))
            }
        };
        let filter = |stream: &mut Stream, percent, depth| {
            chance(stream, percent).then(|| Condition::random(stream, columns, depth))
        };
        let group = |stream: &mut Stream| match below(stream, 5) {
            4 => Group::First(column(stream, columns, |column| !column.numeric && column.name != "zip code")),
            0 => Group::Level(column(stream, columns, |column| column.level.is_some())),
            1 => Group::Condition(Condition::random(stream, columns, 0)),
            _ => Group::Values(column(stream, columns, |column| column.few)),
        };
        let groups = match below(stream, 4) {
            0 => vec![group(stream)],
            1 => vec![group(stream), group(stream)],
            _ => Vec::new(),
        };
        let values = (0..=below(stream, 3)).map(|_| (value(stream), filter(stream, 50, 1))).collect();
        Self { values, filter: filter(stream, 75, 3), groups }
    }

    pub(crate) fn sql(&self, columns: &[Column], table: &str) -> String {
        let name = |at: &usize| format!("\"{}\"", columns[*at].name);
        let group = |group: &Group| match group {
            Group::Values(at) => name(at),
            Group::Level(at) => format!("level({}, {})", name(at), columns[*at].level.unwrap().0),
            Group::Condition(condition) => format!("({})", condition.sql(columns)),
            Group::First(at) => format!("left({}, 1)", name(at)),
        };
        let value = |(value, filter): &(Value, Option<Condition>)| {
            let text = match value {
                Value::Records => "COUNT(*)".into(),
                Value::Present(at) => format!("COUNT({})", name(at)),
                Value::Sum(at) => format!("SUM({})", name(at)),
                Value::Mixed(a, x, b, y) => format!("SUM({a} * {} + {b} * {})", name(x), name(y)),
                Value::Mean(at) => format!("AVG({})", name(at)),
                Value::Share(condition) => format!("share({})", condition.sql(columns)),
            };
            match filter {
                Some(filter) => format!("{text} FILTER (WHERE {})", filter.sql(columns)),
                None => text,
            }
        };
        let groups: Vec<String> = self.groups.iter().map(group).collect();
        let items: Vec<String> = groups.iter().cloned().chain(self.values.iter().map(value)).collect();
        let mut text = format!("SELECT {} FROM {table}", items.join(", "));
        if let Some(filter) = &self.filter {
            text += &format!(" WHERE {}", filter.sql(columns));
        }
        if !groups.is_empty() {
            text += &format!(" GROUP BY {}", groups.join(", "));
        }
        text
    }

    /// By group (as text) the answers; a mean of nothing is `None`.
    pub(crate) fn answers(
        &self,
        records: &[Record],
        columns: &[Column],
    ) -> BTreeMap<Vec<Option<String>>, Vec<Option<f64>>> {
        let is = |condition: &Option<Condition>, record: &Record| {
            condition.as_ref().is_none_or(|condition| condition.holds(record, columns) == Some(true))
        };
        let mut groups: BTreeMap<Vec<Option<String>>, Vec<&Record>> = BTreeMap::new();
        if self.groups.is_empty() {
            groups.insert(Vec::new(), Vec::new());
        }
        for record in records.iter().filter(|record| is(&self.filter, record)) {
            let key = |group: &Group| match group {
                Group::Values(at) => record[*at].clone(),
                Group::Level(at) => record[*at].as_deref().map(columns[*at].level.unwrap().1),
                Group::Condition(condition) => condition.holds(record, columns).map(|is| is.to_string()),
                Group::First(at) => record[*at].as_deref().map(|text| text[..1].to_owned()),
            };
            groups.entry(self.groups.iter().map(key).collect()).or_default().push(record);
        }
        let answer = |records: &Vec<&Record>| -> Vec<Option<f64>> {
            let one = |(value, filter): &(Value, Option<Condition>)| {
                let chosen: Vec<&Record> = records.iter().copied().filter(|r| is(filter, r)).collect();
                value.answer(&chosen, columns)
            };
            self.values.iter().map(one).collect()
        };
        groups.into_iter().map(|(key, records)| (key, answer(&records))).collect()
    }
}

impl Value {
    fn answer(&self, records: &[&Record], columns: &[Column]) -> Option<f64> {
        let number = |record: &Record, at: usize| record[at].as_ref().map(|t| t.parse::<f64>().unwrap());
        let mean =
            |values: Vec<f64>| (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64);
        match self {
            Self::Records => Some(records.len() as f64),
            Self::Present(at) => Some(records.iter().filter(|record| record[*at].is_some()).count() as f64),
            Self::Sum(at) => Some(records.iter().filter_map(|record| number(record, *at)).sum()),
            Self::Mixed(a, x, b, y) => {
                let value = |record: &&Record| {
                    Some(*a as f64 * number(record, *x)? + *b as f64 * number(record, *y)?)
                };
                Some(records.iter().filter_map(value).sum())
            }
            Self::Mean(at) => mean(records.iter().filter_map(|record| number(record, *at)).collect()),
            Self::Share(condition) => {
                let holds = |record: &&Record| condition.holds(record, columns) == Some(true);
                mean(records.iter().map(|record| f64::from(u8::from(holds(record)))).collect())
            }
        }
    }

    /// Whether records that do not count make it 0, not NULL.
    pub(crate) fn counts(&self) -> bool {
        matches!(self, Self::Records | Self::Present(_))
    }
}
