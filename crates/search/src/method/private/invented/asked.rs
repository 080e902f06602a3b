//! How a recipe runs a method of invented records, and how an audit does.

use std::borrow::Cow;
use std::fmt::Debug;
use std::sync::Arc;

use serde_json::{Map, json};
use velamen_contract::{MEASUREMENTS, Measurements, PERSON, RECORD, Statement, UNIT};
use velamen_core::attribute::Attribute;
use velamen_core::context::Context;
use velamen_core::error::Problem;
use velamen_core::frequency::{FrequencyTable, Role};
use velamen_core::lattice::Node;
use velamen_core::release::Release;
use velamen_core::streams;
use velamen_dp::{Door, Doorkeeper};

use super::Zeros;
use super::codes::Levels;
use super::declared;
use super::measuring::Bought;
use super::persons::bounded;
use crate::method::kit::declared as domains;
use crate::method::private::doorway::Doorway;
use crate::method::{Cost, Decision, Method, MethodError, Task};

/// What such a method makes.
#[derive(Debug, Clone)]
pub struct InventedRelease {
    /// The invented records.
    pub release: Release,
    /// All that was drawn on the table.
    pub measurements: Measurements,
}

/// A method whose records follow what left a door, and nothing else of a table.
pub(in crate::method::private) trait InventsRecords:
    Debug + Clone + Send + Sync + 'static
{
    /// The method's section of `release.json`.
    fn statement(&self) -> Statement;

    /// Refuses a budget that is too little for attributes of so many values.
    ///
    /// # Errors
    /// [`MethodError::Unfit`].
    fn refuse_unbearable(&self, sizes: &[usize]) -> Result<(), MethodError>;

    /// The budget.
    fn bought(&self) -> &Bought;

    /// The release of a table over its whole public domains. Of the table's counts the method looks at nothing but the door's
    /// answers.
    ///
    /// # Errors
    /// [`MethodError`]; none depends on a record.
    fn through(
        &self,
        table: &FrequencyTable,
        levels: Levels<'_>,
        context: &Context<'_>,
        door: &mut Door,
    ) -> Result<InventedRelease, MethodError>;
}

/// Such a method as a recipe asks for it.
#[derive(Debug, Clone)]
pub(in crate::method::private) struct Invented<M> {
    method: M,
    doorway: Doorway,
}

impl<M> Invented<M> {
    /// A method whose draws nobody watches.
    pub(in crate::method::private) fn new(method: M) -> Self {
        Self { method, doorway: Doorway::default() }
    }
}

impl<M: InventsRecords> Invented<M> {
    fn made(
        &self,
        table: &FrequencyTable,
        levels: Levels<'_>,
        context: &Context<'_>,
    ) -> Result<InventedRelease, MethodError> {
        let own = self.method.bought().door(context);
        self.doorway.through(own, |door| self.method.through(table, levels, context, door))
    }
}

/// Where noise may have made all records, the user should know. It follows from the release alone.
pub(super) fn warning(made: &InventedRelease) -> Option<String> {
    let records = made.release.records();
    let deviation = made.measurements.drowned(records)?;
    Some(format!(
        "noise drowns the number of records, {records}: it has a standard deviation of {deviation:.0}, and there may have been \
         none; raise epsilon, or correct domains that leave records out (`not-as-declared` in custodian.json)"
    ))
}

/// The levels that are counted: of bins where an attribute has some.
fn counted(table: &FrequencyTable, task: &Task<'_>, released: &Node) -> Node {
    let bins = |name: &str| task.attribute(name).map_or(0, |attribute| attribute.bins);
    Node(table.qis.iter().zip(&released.0).map(|(qi, &level)| level.max(bins(&qi.name))).collect())
}

impl<M: InventsRecords> Method for Invented<M> {
    fn statement(&self, task: &Task<'_>) -> Statement {
        let is_person = |attribute: &Attribute| attribute.role == Role::Person;
        let unit = if task.attributes.iter().any(is_person) { PERSON } else { RECORD };
        self.method.statement().own(UNIT, unit)
    }

    fn cost(&self) -> Cost {
        Cost::CLASSES
    }

    fn refuse_impossible(&self, task: &Task<'_>) -> Result<(), Problem> {
        declared::refuse_unfit(task, self.method.bought().params.model_cells)?;
        let Some(sizes) = declared::sizes(task) else { return Ok(()) };
        self.method.refuse_unbearable(&sizes).map_err(declared::of_recipe)
    }

    fn prepared<'t>(
        &self,
        table: Cow<'t, FrequencyTable>,
        task: &Task<'_>,
    ) -> Result<Cow<'t, FrequencyTable>, MethodError> {
        let table = domains::prepared(table, task)?.into_owned();
        let counted = counted(&table, task, &task.lattice(&table).bottom());
        let zeros = Zeros::of(&table.qis, &counted, task)?;
        Ok(Cow::Owned(zeros.without(table, &counted)))
    }

    fn run(
        &self,
        table: &FrequencyTable,
        task: &Task<'_>,
        context: &Context<'_>,
    ) -> Result<Decision, MethodError> {
        let most = self.method.bought().params.records_per_person;
        let table = &bounded(table, most, &mut context.seed.stream(streams::COUNTED_RECORDS));
        let released = task.lattice(table).bottom();
        let counted = counted(table, task, &released);
        let zeros = Zeros::of(&table.qis, &counted, task)?;
        let levels = Levels { counted: &counted, released: &released, zeros: &zeros };
        let made = self.made(table, levels, context)?;
        let mut stated = Map::new();
        stated.insert(MEASUREMENTS.into(), json!(made.measurements));
        let warnings = warning(&made).into_iter().collect();
        Ok(Decision { warnings, ..Decision::of_records(made.release, stated) })
    }

    fn audited(&self, keeper: &Arc<Doorkeeper>) -> Option<Arc<dyn Method>> {
        Some(Arc::new(Self { method: self.method.clone(), doorway: Doorway::kept_by(keeper) }))
    }
}

#[cfg(test)]
mod tests;
