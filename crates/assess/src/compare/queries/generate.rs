//! Queries for any table: counts by attribute, as the papers ask them, and random ranges.

use velamen_core::context::Context;
use velamen_core::frequency::Role;
use velamen_dp::{Empirical, Stream, below};
use velamen_measure::fidelity::Cover;
use velamen_recipe::JobError;

use super::answer::BoundQuery;
use super::grammar::{parse, quoted_name, quoted_text};
use super::{SELECTIVITY, class_of};
use crate::compare::sides::{Attribute, ORIGINAL, Sides};

/// How many sensitive values are asked for, the most frequent ones.
const VALUES: usize = 3;
/// How many pairs of quasi-identifiers are grouped by.
const PAIRS: usize = 15;
/// An attribute of more values is in no pair.
const MOST_VALUES: usize = 1000;
/// How often a query of the wanted selectivity is tried for.
const TRIES: usize = 20;
/// How many original records the tries are counted on.
const PROBE: usize = 1000;
/// The stream of the ranges.
const RANGES_STREAM: u64 = 0;

/// `SELECT COUNT(*) WHERE sensitive = value GROUP BY quasi-identifiers`, for one of them and for two.
pub(super) fn grouped(sides: &Sides) -> Vec<String> {
    let of_role = |role: Role| {
        let all = 0..sides.attributes.len();
        all.filter(move |&a| sides.attributes[a].role == role).collect::<Vec<usize>>()
    };
    let qis = of_role(Role::QuasiIdentifier);
    let condition = |a: usize, place: u64| {
        let attribute = &sides.attributes[a];
        format!(" WHERE {}", equal(attribute, place))
    };
    let sensitive = of_role(Role::Sensitive);
    let values = sensitive.first().map_or_else(Vec::new, |&s| frequent(sides, s));
    let mut conditions: Vec<String> = values.iter().map(|&place| condition(sensitive[0], place)).collect();
    if conditions.is_empty() {
        conditions.push(String::new());
    }
    let name = |a: usize| quoted_name(&sides.attributes[a].name);
    let mut queries = Vec::new();
    for condition in &conditions {
        queries.extend(qis.iter().map(|&q| format!("SELECT COUNT(*){condition} GROUP BY {}", name(q))));
    }
    let few: Vec<usize> =
        qis.into_iter().filter(|&q| sides.attributes[q].covers[ORIGINAL].len() <= MOST_VALUES).collect();
    let pairs = few.iter().enumerate().flat_map(|(i, &a)| few[i + 1..].iter().map(move |&b| (a, b)));
    let pair = |(a, b)| format!("SELECT COUNT(*){} GROUP BY {}, {}", conditions[0], name(a), name(b));
    queries.extend(pairs.take(PAIRS).map(pair));
    queries
}

/// The places of the most frequent values, the missing one left out; ties by place.
fn frequent(sides: &Sides, a: usize) -> Vec<u64> {
    let attribute = &sides.attributes[a];
    let covers = &attribute.covers[ORIGINAL];
    let counts = sides.tables[ORIGINAL].marginal(a, covers.len());
    let leaf = |(cover, count): (&Cover, f64)| Some((cover.leaf()?, count));
    let mut found: Vec<(u64, f64)> = covers.iter().zip(counts).filter_map(leaf).collect();
    found.retain(|(place, _)| Some(*place) != attribute.space.missing());
    found.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    found.into_iter().take(VALUES).map(|(place, _)| place).collect()
}

fn literal(attribute: &Attribute, place: u64) -> String {
    let label = attribute.space.label(place);
    if attribute.space.numbers() > 0 {
        attribute.space.number(place).to_string()
    } else {
        quoted_text(&label)
    }
}

fn equal(attribute: &Attribute, place: u64) -> String {
    format!("{} = {}", quoted_name(&attribute.name), literal(attribute, place))
}

/// Random ranges: each holds a random original record, on one to three attributes, and the classes of
/// selectivity take turns.
pub(super) fn ranges(sides: &Sides, number: u32, context: &Context<'_>) -> Result<Vec<String>, JobError> {
    let mut stream = context.seed.stream(RANGES_STREAM);
    let counts: Vec<u64> = sides.tables[ORIGINAL].weights.iter().map(|weight| *weight as u64).collect();
    let Some(records) = Empirical::new(&counts) else { return Ok(Vec::new()) };
    let probe: Vec<usize> = (0..PROBE).map(|_| records.draw(&mut stream)).collect();
    let asked: Vec<RangedAttribute<'_>> = asked(sides);
    if asked.is_empty() {
        return Ok(Vec::new());
    }
    let mut queries = Vec::new();
    for i in 0..number as usize {
        context.check()?;
        context.progress.step("queries", i as u64, number.into());
        let class = i % SELECTIVITY.len();
        let mut line = String::new();
        for _ in 0..TRIES {
            line = range(sides, &asked, records.draw(&mut stream), class, &mut stream);
            let bound = parse(&line).ok().and_then(|parsed| BoundQuery::new(&parsed, sides).ok());
            let share = bound.map_or(0.0, |bound| bound.share_of(sides, &probe));
            if class_of(share) == class {
                break;
            }
        }
        queries.push(line);
    }
    Ok(queries)
}

/// An attribute that ranges are drawn on, with its occurring places in order.
struct RangedAttribute<'a> {
    index: usize,
    attribute: &'a Attribute,
    occurring: Vec<u64>,
}

/// Quasi-identifiers and sensitive attributes with at least two values.
fn asked(sides: &Sides) -> Vec<RangedAttribute<'_>> {
    let all = sides.attributes.iter().enumerate();
    let wanted = all.filter(|(_, a)| matches!(a.role, Role::QuasiIdentifier | Role::Sensitive));
    let found = wanted.map(|(index, attribute)| RangedAttribute {
        index,
        attribute,
        occurring: occurring(attribute),
    });
    found.filter(|found| found.occurring.len() > 1).collect()
}

/// The places that occur in the original, in order, that of missing values aside.
fn occurring(attribute: &Attribute) -> Vec<u64> {
    let missing = attribute.space.missing();
    let places = attribute.covers[ORIGINAL].iter().filter_map(|cover| Some(cover.runs().first()?.first));
    let mut occurring: Vec<u64> = places.filter(|place| Some(*place) != missing).collect();
    occurring.sort_unstable();
    occurring
}

fn range(
    sides: &Sides,
    asked: &[RangedAttribute<'_>],
    entry: usize,
    class: usize,
    stream: &mut Stream,
) -> String {
    let mut left: Vec<&RangedAttribute<'_>> = asked.iter().collect();
    let wanted = 1 + below(stream, 3.min(left.len() as u64)) as usize;
    let mut conditions = Vec::new();
    while conditions.len() < wanted && !left.is_empty() {
        let asked = left.remove(below(stream, left.len() as u64) as usize);
        let code = sides.tables[ORIGINAL].codes[asked.index][entry] as usize;
        let own = asked.attribute.covers[ORIGINAL][code].runs().first().map_or(0, |run| run.first);
        // A missing value is in no range.
        if let Ok(at) = asked.occurring.binary_search(&own) {
            conditions.push(condition(asked, at, class, stream));
        }
    }
    let conditions = conditions.join(" AND ");
    if conditions.is_empty() {
        "SELECT COUNT(*)".into()
    } else {
        format!("SELECT COUNT(*) WHERE {conditions}")
    }
}

/// A range of neighbouring values around one, or of text that many values.
fn condition(asked: &RangedAttribute<'_>, at: usize, class: usize, stream: &mut Stream) -> String {
    let (attribute, values) = (asked.attribute, &asked.occurring);
    // The rarer the query is to be, the narrower its ranges.
    let widest = [values.len().div_ceil(10), values.len().div_ceil(3), values.len()][class];
    let width = 1 + below(stream, widest as u64) as usize;
    let name = quoted_name(&attribute.name);
    if attribute.space.numbers() > 0 {
        let low = at.saturating_sub(below(stream, width as u64) as usize);
        let high = (low + width - 1).clamp(at, values.len() - 1);
        // A value that stands for several numbers reaches to the last of them.
        let end = attribute.covers[ORIGINAL].iter().flat_map(|cover| cover.runs());
        let end =
            end.filter(|run| run.first == values[high]).map(|run| run.last).max().unwrap_or(values[high]);
        let (low, high) = (literal(attribute, values[low]), literal(attribute, end));
        return if low == high {
            format!("{name} = {low}")
        } else {
            format!("{name} BETWEEN {low} AND {high}")
        };
    }
    let mut chosen = vec![at];
    for _ in 1..width.min(8) {
        let other = below(stream, values.len() as u64) as usize;
        if !chosen.contains(&other) {
            chosen.push(other);
        }
    }
    chosen.sort_unstable();
    if let [only] = chosen[..] {
        return equal(attribute, values[only]);
    }
    let list: Vec<String> = chosen.iter().map(|&i| literal(attribute, values[i])).collect();
    format!("{name} IN ({})", list.join(", "))
}
