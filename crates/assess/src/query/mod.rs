//! A recipient's query: an answer from the release folder alone, with bounds on the original's.

mod answer;
mod combination;
mod covered;
mod domain;
mod evaluate;
mod joint;
mod noisy;
mod parts;
mod pieces;
mod promise;
mod table;

pub use answer::{AnswerCell, QueryAnswer, QueryColumn};
pub use promise::Guarantee;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use combination::{Key, Pattern};
use domain::{Domain, Scope, compares, typed};
use evaluate::{Evaluator, Grouping};
use noisy::NoisyTables;
use parts::Parts;
use table::ReleasedTable;
use velamen_contract::PromisedAttribute;
use velamen_core::context::Context;
use velamen_core::error::Problem;
use velamen_core::hierarchy::Rule;
use velamen_job::published::rule;
use velamen_measure::answer::{Bounded, Part, count, mean, total};
use velamen_recipe::{Code, JobError};
use velamen_report::{Manifest, OfMethod};
use velamen_sql::{
    Aggregate, AggregateKind, ColumnInfo, Engine, Output, QueryLimits, Request, Scalar, SqlError, Statement,
    TableColumn, Use, parse,
};

/// What a query may take.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct QueryOptions {
    /// Whether it is run on the released records as they are, without bounds.
    pub as_released: bool,
    /// The most groups.
    pub groups: usize,
    /// Bytes that a query as released may put together.
    pub memory: usize,
    /// Seconds that a query as released may take.
    pub seconds: f64,
    /// The most combinations of values that an aggregate with bounds goes through.
    pub steps: u64,
}

impl Default for QueryOptions {
    fn default() -> Self {
        Self { as_released: false, groups: 10_000, memory: 1 << 30, seconds: 60.0, steps: 100_000_000 }
    }
}

/// The stack of the thread that a query is read on: expressions nest as deep as the text is long.
const STACK: usize = 1 << 28;

/// Answers a query from a release folder.
///
/// # Errors
/// [`JobError::usage`] if the query is refused or takes too much, [`JobError::data`] if the folder holds
/// no readable release.
pub fn query(
    folder: &Path,
    text: &str,
    options: &QueryOptions,
    context: &Context<'_>,
) -> Result<QueryAnswer, JobError> {
    std::thread::scope(|scope| {
        let work = || answered(folder, text, options, context);
        let thread = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work);
        let thread = thread.map_err(|error| JobError::unusable(format!("cannot start a thread: {error}")))?;
        thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

fn answered(
    folder: &Path,
    text: &str,
    options: &QueryOptions,
    context: &Context<'_>,
) -> Result<QueryAnswer, JobError> {
    let statement = parse(text).map_err(wrong)?;
    let manifest = velamen_report::load(folder)?;
    let limits = QueryLimits { memory: options.memory, seconds: options.seconds, rows: 1_000_000 };
    let engine = Engine::new(limits);
    if options.as_released {
        return as_released(folder, &manifest, &statement, &engine, context);
    }
    let attributes = manifest.promises(Vec::new())?.qis;
    let request = statement.request(&infos(&manifest, &attributes)?).map_err(wrong)?;
    let mut table = ReleasedTable::load(folder, &manifest, request.source, context)?;
    if let Some(measured) = manifest.method.measurements() {
        noisy::complete(&mut table, &measured);
    }
    context.progress.step("answering the query", 0, 0);
    AskedRelease::new(&manifest, &table, &attributes)?.answer(&request, &engine, options, context)
}

/// An error of the query itself.
fn wrong(error: SqlError) -> JobError {
    match error {
        SqlError::Interrupted => JobError::interrupted(),
        SqlError::NoBounds(text) => JobError::usage(text)
            .mend("--as-released runs any SELECT on the released records as they are, without bounds")
            .coded(Code::SQL_NO_BOUNDS),
        SqlError::Refused(text) => JobError::usage(text).coded(Code::SQL_REFUSED),
        SqlError::Wrong(text) => JobError::usage(text).coded(Code::SQL_WRONG),
        SqlError::Limit(text) => JobError::usage(text).coded(Code::SQL_LIMIT),
    }
}

/// The columns that a query with bounds can name.
fn infos(manifest: &Manifest, attributes: &[PromisedAttribute]) -> Result<Vec<ColumnInfo>, JobError> {
    manifest.attributes.keys().map(|name| info(name, manifest, attributes)).collect()
}

fn info(name: &str, manifest: &Manifest, attributes: &[PromisedAttribute]) -> Result<ColumnInfo, JobError> {
    let rule = hierarchy(name, manifest, attributes)?;
    Ok(ColumnInfo { name: name.to_owned(), levels: rule.map_or(1, |rule| rule.top().saturating_add(1)) })
}

/// The hierarchy of a column, if it has one.
fn hierarchy(
    name: &str,
    manifest: &Manifest,
    attributes: &[PromisedAttribute],
) -> Result<Option<Rule>, JobError> {
    if let Some(attribute) = attributes.iter().find(|attribute| attribute.name == name) {
        return rule(attribute).map(Some);
    }
    let definition = manifest.promises(Vec::new())?.hierarchies.remove(name);
    let wrong = |error| JobError::data(format!("release.json: hierarchy of attribute `{name}`: {error}"));
    definition.map(|definition| Rule::try_from(&definition).map_err(wrong)).transpose()
}

/// A release that is asked something.
struct AskedRelease<'a> {
    manifest: &'a Manifest,
    table: &'a ReleasedTable,
    attributes: &'a [PromisedAttribute],
    columns: Vec<ColumnInfo>,
    /// By column of the query, that of the table, if it has it.
    places: Vec<Option<usize>>,
    rules: Vec<Option<Rule>>,
}

/// What an aggregate comes to in a group.
type GroupFigure = (Bounded, Option<Bounded>);

impl<'a> AskedRelease<'a> {
    fn new(
        manifest: &'a Manifest,
        table: &'a ReleasedTable,
        attributes: &'a [PromisedAttribute],
    ) -> Result<Self, JobError> {
        let columns = infos(manifest, attributes)?;
        // The truthful version can lack columns; a query that names one is refused.
        let place = |info: &ColumnInfo| table.columns.iter().position(|column| column.name == info.name);
        let places = columns.iter().map(place).collect();
        let rules = columns.iter().map(|info| hierarchy(&info.name, manifest, attributes));
        let rules = rules.collect::<Result<_, _>>()?;
        Ok(Self { manifest, table, attributes, columns, places, rules })
    }

    fn answer(
        &self,
        request: &Request,
        engine: &Engine,
        options: &QueryOptions,
        context: &Context<'_>,
    ) -> Result<QueryAnswer, JobError> {
        let used = used(request);
        let domains = self.domains(request, &used)?;
        let patterns = self.patterns(&used);
        let evaluator = Evaluator {
            engine,
            columns: &self.columns,
            domains: &domains,
            rules: &self.rules,
            most_steps: options.steps,
            context,
        };
        let groupings: Vec<Grouping> = request
            .groups
            .iter()
            .map(|scalar| evaluator.grouping(scalar, options.groups))
            .collect::<Result<_, _>>()?;
        let parts = |aggregate| evaluator.parts(aggregate, &groupings, &patterns);
        let parts: Vec<Parts> = request.aggregates.iter().map(parts).collect::<Result<_, _>>()?;
        let noisy = self.noisy(&used);
        let hits = noisy.hits(request, &evaluator, &groupings)?;
        let mut keys: BTreeSet<&Key> =
            parts.iter().chain(hits.iter().flatten()).flat_map(Parts::keys).collect();
        let all = Key::new();
        if groupings.is_empty() {
            keys.insert(&all);
        }
        let mut rows: BTreeMap<Key, Vec<GroupFigure>> = BTreeMap::new();
        for key in keys {
            context.check()?;
            let found = |((aggregate, parts), hits): ((&Aggregate, &Parts), &Vec<Parts>)| {
                noisy.bounded(aggregate.kind, self.found(aggregate.kind, &parts.of(key)), key, hits)
            };
            let found: Vec<GroupFigure> =
                request.aggregates.iter().zip(&parts).zip(&hits).map(found).collect();
            if groupings.is_empty() || found.iter().any(|found| found.0.upper > 0.0) {
                rows.insert(key.clone(), found);
            }
            if rows.len() > options.groups {
                let most = options.groups;
                let hint = "group by level(column, n), or raise --groups";
                return Err(JobError::usage(format!("the answer has more than {most} groups")).mend(hint));
            }
        }
        let names: Vec<&str> = used.iter().map(|&column| &*self.columns[column].name).collect();
        let mut guarantee = Guarantee::of(self.manifest, request.source, &names);
        let unseen = |&&column: &&usize| domains[column].unseen.contains(&true);
        let names = used.iter().filter(unseen).map(|&column| self.columns[column].name.clone());
        guarantee.unseen = names.collect();
        if self.manifest.method.measurements().is_some() {
            guarantee.follow(&noisy);
        }
        Ok(QueryAnswer::bounded(request, &groupings, rows, guarantee))
    }

    /// The noisy counts that bound a query of these columns, where a release states some.
    fn noisy(&self, used: &[usize]) -> NoisyTables {
        let places: Option<Vec<(usize, usize)>> =
            used.iter().map(|&column| Some((column, self.places[column]?))).collect();
        let measured = self.manifest.method.measurements().filter(|_| places.is_some());
        NoisyTables::of(measured.as_ref(), self.table, &places.unwrap_or_default(), self.columns.len())
    }

    fn found(&self, kind: AggregateKind, parts: &[Part]) -> GroupFigure {
        let records = count(parts, &self.table.strata);
        let value = match kind {
            AggregateKind::Count => Some(records),
            AggregateKind::Sum => (records.upper > 0.0).then(|| total(parts, &self.table.strata)),
            AggregateKind::Mean => mean(parts, &self.table.strata),
        };
        (records, value)
    }

    fn released(&self, column: usize) -> Option<&table::ReleasedColumn> {
        self.places[column].map(|place| &self.table.columns[place])
    }

    /// The domains of the columns that are used.
    fn domains(&self, request: &Request, used: &[usize]) -> Result<Vec<Domain>, JobError> {
        let scalars = scalars(request);
        let literals: Vec<f64> = scalars.iter().flat_map(|scalar| scalar.literals()).collect();
        let mut domains: Vec<Domain> = self.columns.iter().map(|_| Domain::default()).collect();
        for &column in used {
            let name = &self.columns[column].name;
            let Some(released) = self.released(column) else {
                return Err(JobError::usage(format!(
                    "`{name}` is not a column of the truthful version, which leaves insensitive columns out"
                )));
            };
            // Itself, not one that reads the same: a group needs every value by itself.
            let added_up = |scalar: &Scalar| {
                let mut values = request.aggregates.iter().filter_map(|aggregate| aggregate.value.as_ref());
                values.any(|value| std::ptr::eq(value, scalar))
            };
            domains[column] = covered::domain(&Scope {
                released,
                attribute: self.attributes.iter().find(|attribute| attribute.name == *name),
                literals: &literals,
                compared: scalars.iter().all(|s| compares(s, column, &self.columns, added_up(s))),
                level: scalars
                    .iter()
                    .flat_map(|s| s.uses())
                    .filter(|u| u.column == column)
                    .map(level)
                    .min()
                    .unwrap_or(0),
            })?;
            if domains[column].texts.is_empty() {
                let problem = format!("the release shows no value of `{name}`");
                return Err(JobError::usage(match &self.rules[column] {
                    Some(rule) if rule.top() > 1 => {
                        Problem::new(problem).mend(format!("ask for its groups, as in level({name}, 2)"))
                    }
                    _ => format!("{problem}: all its records hide it, and it has no hierarchy").into(),
                }));
            }
        }
        Ok(domains)
    }

    /// Records by their labels in the columns that are used.
    fn patterns(&self, used: &[usize]) -> Vec<Pattern> {
        let mut counts: BTreeMap<(Vec<u32>, usize), u64> = BTreeMap::new();
        for (row, &records) in self.table.counts.iter().enumerate() {
            let code = |&column: &usize| self.released(column).map_or(0, |released| released.codes[row]);
            let key = (used.iter().map(code).collect(), self.table.stratum[row]);
            *counts.entry(key).or_default() += records;
        }
        let pattern = |((codes, stratum), records): ((Vec<u32>, usize), u64)| {
            let mut labels = vec![0; self.columns.len()];
            used.iter().zip(codes).for_each(|(&column, code)| labels[column] = code);
            Pattern { labels, stratum, records }
        };
        counts.into_iter().map(pattern).collect()
    }
}

/// Every expression of a request.
fn scalars(request: &Request) -> Vec<&Scalar> {
    let mut scalars: Vec<&Scalar> = request.groups.iter().collect();
    for aggregate in &request.aggregates {
        scalars.extend(aggregate.condition.atoms());
        scalars.extend(&aggregate.value);
    }
    scalars
}

/// The level that a column is asked for at.
fn level(asked: &Use) -> u8 {
    asked.level.unwrap_or(0)
}

/// The columns that a request uses, ascending.
fn used(request: &Request) -> Vec<usize> {
    let mut used: Vec<usize> = scalars(request).iter().flat_map(|scalar| scalar.columns()).collect();
    used.sort_unstable();
    used.dedup();
    used
}

/// Runs a statement on the released records as they are.
fn as_released(
    folder: &Path,
    manifest: &Manifest,
    statement: &Statement,
    engine: &Engine,
    context: &Context<'_>,
) -> Result<QueryAnswer, JobError> {
    let mut tables = Vec::new();
    for &source in &statement.sources {
        if !tables.iter().any(|(known, _)| *known == source) {
            let table = ReleasedTable::load(folder, manifest, source, context)?;
            context.progress.step("answering the query", 0, 0);
            tables.push((source, expanded(table)));
        }
    }
    let answer = engine.run(statement, tables, &|| context.check().is_err()).map_err(wrong)?;
    Ok(QueryAnswer::as_released(answer))
}

/// One row a record.
fn expanded(table: ReleasedTable) -> Vec<TableColumn> {
    let ReleasedTable { columns, counts, .. } = table;
    let columns = columns.into_iter();
    let columns = columns.map(|mut column| TableColumn {
        values: typed(column.blanked()),
        codes: repeated(column.codes, &counts),
        name: column.name,
    });
    columns.collect()
}

/// Each code as often as its row counts.
fn repeated(codes: Vec<u32>, counts: &[u64]) -> Vec<u32> {
    let records = codes.into_iter().zip(counts);
    records.flat_map(|(code, &count)| std::iter::repeat_n(code, count as usize)).collect()
}

/// Whether a column of the answer is a group.
fn is_group(output: &Output) -> bool {
    matches!(output, Output::Group(_))
}
