//! A table that was read: what every search of it begins with.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use schemars::JsonSchema;
use serde::Serialize;
use velamen_core::context::Context;
use velamen_core::earlier::Earlier;
use velamen_core::error::Problem;
use velamen_core::frequency::{Counted, Counts, FrequencyTable, Strays};
use velamen_core::lattice::Node;
use velamen_recipe::{Code, JobError, Preset, Resolved, ResolvedPopulation};
use velamen_search::method::{Adversary, Decision, MethodError, Task, unmet};

use super::adversary::Judging;
use super::searched::Searched;
use super::{headers, persons, within};
use crate::budget::Reserved;
use crate::table::OpenedTable;
use crate::{identifier_like, identity, impossible, safe_harbor};

/// What reading a recipe's table showed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, JsonSchema, Serialize)]
pub struct CheckedData {
    /// Its records; of a random sample those drawn.
    pub records: u64,
    /// Their distinct combinations of released columns.
    pub combinations: usize,
}

/// A table that was read, with its population. It serves any number of searches.
pub struct Loaded<'a> {
    pub(super) recipe: &'a Resolved,
    pub(super) path: &'a Path,
    pub(super) source: OpenedTable,
    pub(super) table: FrequencyTable,
    pub(super) reserved: Option<Reserved>,
    pub(super) earlier: Option<Earlier>,
    pub(super) enough: Option<Arc<AtomicBool>>,
}

impl<'a> Loaded<'a> {
    /// The same table under another recipe, which may differ in privacy models, method, levels and weights.
    ///
    /// # Errors
    /// [`JobError::usage`] names what differs and has to be read again: open another [`super::Session`].
    pub fn with(self, recipe: &Resolved) -> Result<Loaded<'_>, JobError> {
        match self.recipe.read_otherwise(recipe) {
            Some(what) => Err(JobError::usage(format!(
                "the recipe differs in {what} from the one that the table was read by: read it again"
            ))),
            None => {
                let Self { source, table, earlier, enough, .. } = self;
                let path = &*recipe.file;
                Ok(Loaded { recipe, path, source, table, reserved: None, earlier, enough })
            }
        }
    }

    /// The table without its recipe, until the next one.
    #[must_use]
    pub fn hold(self) -> HeldTable {
        let Self { recipe, source, table, earlier, .. } = self;
        HeldTable { recipe: recipe.clone(), source, table, earlier }
    }

    /// The records that were read.
    #[must_use]
    pub fn records(&self) -> u64 {
        self.table.records()
    }

    /// The people whose records were read, where a column says whose each is.
    ///
    /// Time: O(entries).
    #[must_use]
    pub fn people(&self) -> Option<u64> {
        people_of(&self.table)
    }

    /// Refuses what a run refuses before its method begins; what the table comes to, and warnings.
    pub(crate) fn check(&self) -> Result<(CheckedData, Vec<String>), JobError> {
        let step = self.step();
        let table = step.prepared(Cow::Borrowed(&self.table))?;
        let counted = Counted::of(&table);
        step.check(&counted)?;
        refuse_small(self.recipe, &counted)?;
        let data = CheckedData { records: counted.records(), combinations: table.counts.len() };
        let left_out = strays(&table.strays, counted.records());
        Ok((data, step.warnings(&table).into_iter().chain(left_out).collect()))
    }

    /// As [`Self::search`], after which no other search follows: nothing of the table is kept for one.
    pub(super) fn search_last(&mut self, context: &Context<'_>) -> Result<Searched<'_>, JobError> {
        let empty = self.table.emptied();
        let table = Cow::Owned(std::mem::replace(&mut self.table, empty));
        let (recipe, path, reserved) = (self.recipe, self.path, self.reserved.take());
        let enough = self.enough.as_deref();
        let step =
            SearchInputs { recipe, path, source: &self.source, earlier: self.earlier.as_ref(), enough };
        step.searched(table, reserved, context)
    }

    /// Runs the recipe's method. Where the recipe names a ledger of budgets, what a private method spends stands
    /// in it first.
    ///
    /// # Errors
    /// [`JobError`] if the table cannot be released so, or nothing keeps the promises.
    pub fn search(&mut self, context: &Context<'_>) -> Result<Searched<'_>, JobError> {
        let reserved = self.reserved.take();
        self.step().searched(Cow::Borrowed(&self.table), reserved, context)
    }

    /// As [`Self::search`], at a lattice node that is given: one level for each quasi-identifier, in the order of the
    /// table.
    ///
    /// # Errors
    /// [`JobError::usage`] if the method has no nodes, or the recipe does not allow this one.
    pub fn node(&self, node: &Node, context: &Context<'_>) -> Result<Searched<'_>, JobError> {
        let (recipe, source) = (self.recipe, &self.source);
        let nodes = recipe.method.method.nodes().ok_or_else(|| {
            JobError::usage(format!("{} has no lattice nodes to choose from", recipe.method.name()))
        })?;
        let step = self.step();
        let table = step.prepared(Cow::Borrowed(&self.table))?;
        let counts = Counts::none(&table);
        let counted = Counted::so_far(&table, &counts);
        step.check(&counted)?;
        refuse_small(recipe, &counted)?;
        let task = recipe.task(recipe.population_of(&table));
        let judging = Judging::of(recipe);
        let adversary = judging.as_ref().map(|judging| judging as &dyn Adversary);
        let task = Task { earlier: step.earlier, counted: Some(&counted), adversary, ..task };
        let lattice = task.lattice(&table);
        let is_allowed = node.0.len() == table.qis.len()
            && lattice.bottom().is_below(node)
            && node.is_below(&lattice.top());
        if !is_allowed {
            return Err(JobError::usage(format!("{:?}: the recipe allows no such levels", node.0)));
        }
        let mut decision = nodes.at(&table, &task, node, context)?;
        judging.as_ref().map(|judging| judging.measure(&mut decision, &table, context)).transpose()?;
        let warnings = step.warnings(&table);
        let ((table, counts), apart) = persons::set_apart((table, counts), &mut decision, context.seed);
        Ok(Searched {
            recipe,
            path: self.path,
            source,
            table,
            counts,
            apart,
            decision,
            judged: judging.and_then(Judging::found),
            budget: None,
            warnings,
            earlier: step.earlier,
        })
    }

    pub(super) fn step(&self) -> SearchInputs<'_> {
        let earlier = self.earlier.as_ref();
        let enough = self.enough.as_deref();
        SearchInputs { recipe: self.recipe, path: self.path, source: &self.source, earlier, enough }
    }
}

/// A table that was read, between two recipes: it outlives the one that it was read by.
pub struct HeldTable {
    recipe: Resolved,
    source: OpenedTable,
    table: FrequencyTable,
    earlier: Option<Earlier>,
}

impl HeldTable {
    /// Whether a recipe reads the table as it is.
    #[must_use]
    pub fn serves(&self, recipe: &Resolved) -> bool {
        self.recipe.read_otherwise(recipe).is_none()
    }

    /// The table under a recipe that it [serves](Self::serves).
    ///
    /// # Errors
    /// As [`Loaded::with`].
    pub fn with(self, recipe: &Resolved) -> Result<Loaded<'_>, JobError> {
        let Self { recipe: own, source, table, earlier } = self;
        let loaded =
            Loaded { recipe: &own, path: &own.file, source, table, reserved: None, earlier, enough: None };
        loaded.with(recipe)
    }
}

/// What every search needs besides the table.
pub(super) struct SearchInputs<'a> {
    recipe: &'a Resolved,
    path: &'a Path,
    source: &'a OpenedTable,
    earlier: Option<&'a Earlier>,
    enough: Option<&'a AtomicBool>,
}

impl<'a> SearchInputs<'a> {
    pub(super) fn searched(
        &self,
        table: Cow<'a, FrequencyTable>,
        reserved: Option<Reserved>,
        context: &Context<'_>,
    ) -> Result<Searched<'a>, JobError> {
        let Self { recipe, path, source, earlier, .. } = *self;
        let table = self.prepared(table)?;
        let counts = Counts::none(&table);
        let counted = Counted::so_far(&table, &counts);
        self.check(&counted)?;
        let warnings = self.warnings(&table);
        let reserved = match reserved {
            None => super::reserved(recipe, context)?,
            reserved => reserved,
        };
        let budget = reserved.map(Reserved::spend).transpose()?;
        refuse_small(recipe, &counted)?;
        let judging = Judging::of(recipe);
        let mut decision = decide(recipe, &counted, (earlier, self.enough, judging.as_ref()), context)?;
        judging.as_ref().map(|judging| judging.measure(&mut decision, &table, context)).transpose()?;
        let judged = judging.and_then(Judging::found);
        let ((table, counts), apart) = persons::set_apart((table, counts), &mut decision, context.seed);
        Ok(Searched {
            recipe,
            path,
            source,
            table,
            counts,
            apart,
            decision,
            judged,
            budget,
            warnings,
            earlier,
        })
    }

    fn warnings(&self, table: &FrequencyTable) -> Vec<String> {
        let mut warnings = self.source.warnings.clone();
        warnings.extend(identity::linkable(table, self.recipe));
        warnings.extend(headers::warnings(self.recipe, table));
        warnings.extend(impossible::warning(self.recipe, table));
        warnings.extend(identifier_like::warnings(self.recipe, &Counted::of(table)));
        warnings
    }

    /// The table as the method gets it.
    pub(super) fn prepared(
        &self,
        table: Cow<'a, FrequencyTable>,
    ) -> Result<Cow<'a, FrequencyTable>, JobError> {
        let task = self.recipe.task(self.recipe.population_of(&table));
        self.recipe.method.method.prepared(table, &task).map_err(|error| match error {
            MethodError::Recipe(problem) => JobError::recipe(self.path, problem),
            other => other.into(),
        })
    }

    /// Refuses values that may not be released.
    pub(super) fn check(&self, table: &Counted<'_>) -> Result<(), JobError> {
        let recipe = self.recipe;
        if recipe.preset == Some(Preset::HipaaSafeHarbor) && !recipe.method.is_private() {
            safe_harbor::check(recipe, table)
                .map_err(|problem| recipe.places.refuse(self.path, &["preset"], problem))?;
        }
        identity::refuse_uncounted(table, recipe, self.path)?;
        impossible::check(recipe, self.path, table)?;
        refuse_small_population(recipe, table)?;
        identifier_like::check(recipe, self.path, table)
    }
}

pub(super) fn decide(
    recipe: &Resolved,
    table: &Counted<'_>,
    (earlier, enough, judging): (Option<&Earlier>, Option<&AtomicBool>, Option<&Judging<'_>>),
    context: &Context<'_>,
) -> Result<Decision, JobError> {
    let adversary = judging.map(|judging| judging as &dyn Adversary);
    let task = Task { earlier, counted: Some(table), adversary, ..recipe.task(recipe.population_of(table)) };
    let own = AtomicBool::new(false);
    within::seconds_or(recipe.method.particulars().seconds, enough.unwrap_or(&own), |expired| {
        let task = Task { expired: Some(expired), ..task };
        let found = recipe.method.method.run(table.table(), &task, context);
        // What a private method refuses may not depend on the records.
        let named = |error| {
            if recipe.method.is_private() { error } else { unmet::named(error, table.table(), &task) }
        };
        Ok(found.map_err(named)?)
    })
}

/// Said of records that a private run leaves out without a word: of a check only its caller hears.
fn strays(strays: &Strays, kept: u64) -> Option<String> {
    let out = strays.outside.iter().sum::<u64>() + strays.dropped + strays.malformed;
    (out > 0).then(|| {
        let of = out.saturating_add(kept);
        format!(
            "{out} of {of} records are not as declared, with a value outside its domain or unreadable: a run does not count them; \
             correct the domains"
        )
    })
}

/// The different people whose records a table has, where a column says whose each is.
fn people_of(table: &FrequencyTable) -> Option<u64> {
    let whose = &table.rest.codes[table.rest.person()?];
    let people: BTreeSet<u32> = table.rest_index.iter().map(|&rest| whose[rest as usize]).collect();
    Some(people.len() as u64)
}

/// Refuses a population that is smaller than the table that is to be a part of it.
fn refuse_small_population(recipe: &Resolved, table: &Counted<'_>) -> Result<(), JobError> {
    let Some(ResolvedPopulation::Size(size)) = &recipe.population else { return Ok(()) };
    let (members, what) = match people_of(table.table()) {
        Some(people) => (people, "people"),
        None => (table.records(), "records"),
    };
    if *size >= members {
        return Ok(());
    }
    let problem = Problem::new(format!(
        "the population has {size}: fewer {what} than the table, which has {members} and is to be a part of it"
    ));
    Err(JobError::data(problem.mend("correct `size` under `[population]`, or leave the section out")))
}

/// Refuses what no method can do, before any search.
pub(super) fn refuse_small(recipe: &Resolved, table: &Counted<'_>) -> Result<(), JobError> {
    if recipe.method.is_private() {
        return Ok(());
    }
    let records = table.records();
    let least = recipe.models.iter().map(|asked| asked.model.least_size()).max().unwrap_or(0);
    if records < least {
        let refusal = JobError::promise(format!(
            "the table has {records} record{}, fewer than k = {least}: no class can have k records",
            if records == 1 { "" } else { "s" }
        ));
        return Err(refusal.coded(Code::TOO_FEW_RECORDS));
    }
    Ok(())
}
