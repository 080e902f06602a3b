//! What a run will take, before it is made: `velamen estimate`, and the refusal of runs that do not fit.
//!
//! One pass over the table counts records and values and estimates how many distinct combinations there are.
//! It holds the distinct values of each column, and no combination. Costs follow from these figures by measured constants (`cost.rs`).

mod cost;
mod machine;
mod reading;

pub use machine::Machine;
pub use reading::read;

use schemars::JsonSchema;
use serde::Serialize;
use velamen_core::context::Context;
use velamen_core::frequency::{FrequencyTable, Role};
use velamen_core::hierarchy::Definition;
use velamen_core::number::count;
use velamen_engine::{Most, STANDARD_ERROR, Survey};
use velamen_recipe::{Class, Code, JobError, Resolved};
use velamen_search::method::{Cost, Time};

use self::cost::{Costs, SearchExtent, TableSize};
use crate::table::OpenedTable;

/// What is known of a run before it is made.
#[derive(Debug, Clone, JsonSchema, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Estimate {
    /// Records, exactly.
    pub records: u64,
    /// Distinct combinations of the released columns.
    pub combinations: f64,
    /// Distinct combinations of the quasi-identifiers.
    pub quasi_identifiers: f64,
    /// Two relative standard errors of these estimates.
    pub error: f64,
    /// By column that is read.
    pub columns: Vec<Column>,
    /// Nodes of the lattice of the quasi-identifiers.
    pub nodes: f64,
    /// Memory in bytes.
    pub memory: Need,
    /// Disk in bytes, counted once: the temporary folder becomes the release.
    pub disk: Need,
    /// Seconds of the processor, all threads together; `None` for methods whose time does not follow from the
    /// table.
    pub cpu_seconds: Option<f64>,
    /// What the machine has free.
    pub machine: Machine,
}

/// What one column adds.
#[derive(Debug, Clone, JsonSchema, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Column {
    /// Its name.
    pub name: String,
    /// Its part.
    pub role: Role,
    /// Distinct values, exactly.
    pub values: usize,
    /// The length of these values together, in bytes.
    pub value_bytes: u64,
    /// Distinct combinations of the other columns.
    pub combinations_without: f64,
    /// Bytes of memory that a run without it needs.
    pub memory_without: f64,
}

/// What is needed beside what there may be.
#[derive(Debug, Clone, Copy, JsonSchema, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Need {
    /// Estimated.
    pub needed: f64,
    /// Allowed or free; `None` if nobody knows.
    pub most: Option<u64>,
    /// Whether it is enough.
    pub fits: bool,
}

impl Need {
    fn new(needed: f64, most: Option<u64>) -> Self {
        Self { needed, most, fits: most.is_none_or(|most| needed <= most as f64) }
    }
}

const ELSEWHERE: &str = "the table is looked at by this process, not by a cluster";

/// Estimates what a recipe's run takes.
///
/// Time: one pass over the table; memory: its distinct values and 64 KiB a column and thread.
///
/// # Errors
/// As [`anonymize`](crate::anonymize()) for recipe and table.
pub fn estimate(recipe: &Resolved, context: &Context<'_>) -> Result<Estimate, JobError> {
    if recipe.engine.is_some() {
        return Err(JobError::usage(ELSEWHERE).mend("give a file, and leave [engine] kind out"));
    }
    let mut source = OpenedTable::open(recipe, &recipe.file, false)?;
    let began = machine::cpu_seconds();
    let survey = look(&mut source, context)?;
    let pass = began.zip(machine::cpu_seconds()).map(|(began, ended)| ended - began);
    Ok(of_survey(recipe, &source, &survey, pass))
}

/// The figures of the table, or a refusal where its distinct values alone have no room.
fn look(source: &mut OpenedTable, context: &Context<'_>) -> Result<Survey, JobError> {
    source.input.hold_at_most(machine::free_memory().map(cost::most_looked_at));
    source.survey(context).map_err(|error| match error.class() {
        Class::TooLarge => JobError::too_large(NO_ROOM_TO_LOOK).mend(FEWER_VALUES).coded(Code::NO_ROOM),
        _ => error,
    })
}

const NO_ROOM_TO_LOOK: &str = "the distinct values of the table alone need more memory than this process can have; \
                               nothing was released";

const FEWER_VALUES: &str = "drop columns of long values, such as free texts (role = \"identifier\"), or run where more \
                            memory is";

fn of_survey(recipe: &Resolved, source: &OpenedTable, survey: &Survey, pass: Option<f64>) -> Estimate {
    let nodes = nodes(recipe);
    let (cost, search) = of_method(recipe, survey.columns.len(), nodes);
    let size = TableSize { listed: listed(recipe), search, ..size_of(survey) };
    let memory = Costs(cost);
    let machine = Machine::look(&recipe.output);
    let column = |column: &velamen_engine::SurveyedColumn| {
        let left = TableSize {
            combinations: column.without,
            columns: size.columns - 1.0,
            values: size.values - column.values as f64,
            text: size.text - column.text as f64,
            rest: size.rest.min(column.without),
            ..size
        };
        Column {
            name: column.name.clone(),
            role: column.role,
            values: column.values,
            value_bytes: column.text,
            combinations_without: column.without.round(),
            memory_without: memory.peak(&left).round(),
        }
    };
    Estimate {
        records: survey.records,
        combinations: survey.combinations.round(),
        quasi_identifiers: survey.quasi_identifiers.round(),
        error: 2.0 * STANDARD_ERROR,
        columns: survey.columns.iter().map(column).collect(),
        nodes,
        memory: Need::new(memory.peak(&size).round(), recipe.memory.or(machine.memory)),
        disk: Need::new((release_bytes(source, survey) + manifest_bytes(recipe)).round(), machine.disk),
        cpu_seconds: cost::cpu_seconds(cost, &size, pass),
        machine,
    }
}

fn size_of(survey: &Survey) -> TableSize {
    TableSize {
        records: survey.records as f64,
        combinations: survey.combinations,
        rest: survey.rest,
        columns: survey.columns.len() as f64,
        values: survey.columns.iter().map(|column| column.values as f64).sum(),
        text: survey.columns.iter().map(|column| column.text as f64).sum(),
        listed: 0.0,
        search: SearchExtent::NONE,
    }
}

/// What the method's parameters make of its cost, and how far it searches; both by what a release says of them.
fn of_method(recipe: &Resolved, columns: usize, nodes: f64) -> (Cost, SearchExtent) {
    let method = &recipe.method.method;
    let statement = method.statement(&recipe.task(None));
    let mut cost = method.cost();
    if let Some(limit) = statement.counterfeit_limit() {
        // Most of the cost are the counterfeits, of which a limit leaves that share.
        let share = limit.clamp(0.0, 1.0);
        cost.combination *= 0.35 + 0.65 * share;
        cost.cell *= 0.75 + 0.25 * share;
        let less = 0.2 + 0.8 * share;
        cost.time =
            cost.time.map(|time| Time { once: time.once * less, by_node: time.by_node * less, ..time });
    }
    let particulars = method.particulars();
    let beyond =
        particulars.looks_beyond.filter(|(most, _)| nodes > *most as f64).map(|(_, looks)| looks as f64);
    let looks = particulars.looks || beyond.is_some();
    // Else a step looks at the nodes above and below one.
    let nodes_a_step = if looks { 1.0 } else { columns as f64 };
    let looked_at = statement.budget_steps().map(|steps| steps as f64 * nodes_a_step).or(beyond);
    // Other methods look at no nodes, or at one at a time.
    let nodes = if cost.time.is_some_and(|time| time.by_node > 0.0) { nodes } else { 1.0 };
    (cost, SearchExtent { nodes, looked_at, keeps: !looks, seconds: statement.budget_seconds() })
}

/// Rows times levels of the hierarchies that list their values.
fn listed(recipe: &Resolved) -> f64 {
    let cells = |definition: &Definition| match definition {
        Definition::Table { rows } => (rows.len() * rows.first().map_or(0, Vec::len)) as f64,
        _ => 0.0,
    };
    recipe.attributes.iter().filter_map(|attribute| attribute.definition.as_ref()).map(cells).sum()
}

/// What hierarchies that list their values take in the release, and as much in temporary files.
fn manifest_bytes(recipe: &Resolved) -> f64 {
    let bytes = |definition: &Definition| match definition {
        // Quotes and a comma, and in the manifest a line of its own with ten spaces.
        Definition::Table { rows } => rows.iter().flatten().map(|value| value.len() as f64 + 14.0).sum(),
        _ => 0.0,
    };
    // Above this, hierarchies are packed: to a fifth at most.
    let written = |bytes: f64| if bytes > APART { bytes / 5.0 } else { bytes };
    let definitions = recipe.attributes.iter().filter_map(|attribute| attribute.definition.as_ref());
    definitions.map(|definition| written(bytes(definition))).sum::<f64>() + REPORTS
}

/// Bytes as they stand in the manifest from which on a hierarchy is packed.
const APART: f64 = 1e6;
/// Both reports, and what else the folders have of every release.
const REPORTS: f64 = 2e5;

/// Nodes of the lattice over the levels that the recipe allows.
fn nodes(recipe: &Resolved) -> f64 {
    let qis = recipe.attributes.iter().filter(|attribute| attribute.role == Role::QuasiIdentifier);
    qis.map(|attribute| f64::from(attribute.levels.1 - attribute.levels.0) + 1.0).product()
}

/// The size of the released file as text without compression, if every value became its longest label: packed
/// formats take less, counterfeits come on top.
fn release_bytes(source: &OpenedTable, survey: &Survey) -> f64 {
    let cells: u64 = survey.columns.iter().map(|column| column.bytes).sum();
    let named = source.input.format.is_keyed();
    let names: usize = survey.columns.iter().map(|column| column.name.len() + 5).sum();
    let class = survey.quasi_identifiers.max(1.0).log10().floor() + 1.0;
    let around = class + 1.0 + survey.columns.len() as f64 + if named { names as f64 } else { 0.0 };
    cells as f64 + survey.records as f64 * around
}

/// What a run may take.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Allowance {
    memory: Option<u64>,
    /// Whether the recipe says so.
    asked: bool,
}

impl Allowance {
    pub(crate) fn of(recipe: &Resolved) -> Self {
        Self { memory: recipe.memory.or_else(machine::free_memory), asked: recipe.memory.is_some() }
    }

    /// The most that reading may hold: with more the run cannot fit.
    pub(crate) fn most(self, recipe: &Resolved, columns: usize) -> Option<Most> {
        let (cost, _) = of_method(recipe, columns, nodes(recipe));
        self.memory.map(|most| Costs(cost).most(most, columns))
    }

    /// Refuses a table that was read and that the run has no room for.
    ///
    /// # Errors
    /// [`JobError::too_large`].
    pub(crate) fn check(
        self,
        recipe: &Resolved,
        source: &mut OpenedTable,
        table: &FrequencyTable,
        context: &Context<'_>,
    ) -> Result<(), JobError> {
        let rest = table.rest.columns.iter().map(|column| &column.values[..]);
        let all = rest.clone().chain(table.qis.iter().map(|qi| qi.hierarchy.labels(0)));
        let size = TableSize {
            records: table.records() as f64,
            combinations: table.len() as f64,
            rest: table.rest.len as f64,
            columns: (table.qis.len() + table.rest.columns.len()) as f64,
            values: rest.map(<[String]>::len).sum::<usize>() as f64,
            text: all.flatten().map(String::len).sum::<usize>() as f64,
            listed: listed(recipe),
            search: SearchExtent::NONE,
        };
        let (cost, search) = of_method(recipe, size.columns as usize, nodes(recipe));
        let needed = Costs(cost).peak(&TableSize { search, ..size });
        match self.memory {
            Some(most) if needed > most as f64 => Err(self.refusal(recipe, source, context)),
            _ => Ok(()),
        }
    }

    /// Why the table is too large and what can be done, from a look at all of it.
    pub(crate) fn refusal(
        self,
        recipe: &Resolved,
        source: &mut OpenedTable,
        context: &Context<'_>,
    ) -> JobError {
        if recipe.engine.is_some() {
            let problem = "the table that the cluster counted has more distinct combinations than";
            return JobError::too_large(format!("{problem} fit into {}; nothing was released", self.limit()))
                .mend("drop columns of many values, or run where more memory is")
                .coded(Code::NO_ROOM);
        }
        let refusal = match look(source, context) {
            Ok(survey) => self.explained(&of_survey(recipe, source, &survey, None)),
            Err(error) if error.is_interrupted() => error,
            // A query can be closed by now; there is no room all the same.
            Err(_) => JobError::too_large(
                "the table has more distinct combinations than this run has room for, nothing was released",
            )
            .mend("drop columns of many values, or run where more memory is (see `velamen estimate`)"),
        };
        refusal.coded(Code::NO_ROOM)
    }

    fn limit(self) -> String {
        match (self.memory, self.asked) {
            (Some(most), true) => format!("the {} that engine.memory allows", size(most as f64)),
            (most, _) => format!("the {} that this machine has free", size(most.unwrap_or(0) as f64)),
        }
    }

    fn explained(self, estimate: &Estimate) -> JobError {
        let most = self.limit();
        let mut problem = format!(
            "the run would need about {} of memory for some {} distinct combinations of the released columns, and {} of \
             distinct values, more than {most}; nothing was released",
            size(estimate.memory.needed),
            count(estimate.combinations as u64),
            size(estimate.columns.iter().map(|column| column.value_bytes as f64).sum())
        );
        let without: Vec<String> = estimate.worth_dropping().map(spared).collect();
        if !without.is_empty() {
            problem += &format!(". Most of it comes from few columns: {}", without.join("; "));
        }
        let fewer = "drop such a column (role = \"identifier\") or give the file coarser values of it, or ";
        let fewer = if without.is_empty() { "" } else { fewer };
        JobError::too_large(problem)
            .mend(format!("{fewer}raise [engine] memory, or take a larger machine"))
            .mend("`velamen estimate` shows what a changed recipe needs")
    }
}

fn spared(column: &Column) -> String {
    format!(
        "without `{}` there are about {}, for {}",
        column.name,
        count(column.combinations_without as u64),
        size(column.memory_without)
    )
}

/// Columns without which so much less is needed are worth a word.
const WORTH: f64 = 0.8;

impl Estimate {
    /// The columns whose values make many combinations, the worst first; at most three.
    pub fn worth_dropping(&self) -> impl Iterator<Item = &Column> {
        let least = |column: &&Column| column.memory_without < WORTH * self.memory.needed;
        let mut columns: Vec<&Column> = self.columns.iter().filter(least).collect();
        columns.sort_by(|a, b| a.memory_without.total_cmp(&b.memory_without));
        columns.into_iter().take(3)
    }

    /// What does not fit, as an error; `None` if the run does.
    #[must_use]
    pub fn refusal(&self) -> Option<JobError> {
        let what = match (self.memory.fits, self.disk.fits) {
            (true, true) => return None,
            (false, _) => "memory",
            (true, false) => "disk",
        };
        Some(JobError::too_large(format!("the run needs more {what} than it may have")))
    }
}

/// A size for people.
#[must_use]
pub fn size(bytes: f64) -> String {
    const STEPS: [(&str, f64); 3] = [("GiB", 1_073_741_824.0), ("MiB", 1_048_576.0), ("KiB", 1024.0)];
    match STEPS.iter().find(|(_, step)| bytes >= *step) {
        Some((unit, step)) if bytes / step < 10.0 => format!("{:.1} {unit}", bytes / step),
        Some((unit, step)) => format!("{:.0} {unit}", bytes / step),
        None => format!("{bytes:.0} B"),
    }
}

#[cfg(test)]
mod tests;
