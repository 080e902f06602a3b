//! A run as typed steps: [`Session`] → [`Loaded`] → [`Searched`] → [`Made`] → [`Certified`].
//!
//! Each step takes what the one before gives, so that they cannot be taken in another order. Only
//! [`Certified`] has outputs: no release appears that the checker did not pass.

mod adversary;
pub mod anonymize;
mod beside;
mod certified;
mod columns;
mod custodian;
mod describe;
mod front;
mod headers;
mod kept;
mod left;
mod loaded;
mod made;
mod originals;
pub(crate) mod pages;
mod paired;
mod persons;
#[cfg(feature = "reports")]
pub(crate) mod pictures;
mod place;
mod population;
mod real;
mod searched;
mod simulated;
mod told;
mod utility;
mod within;

pub use anonymize::{Outcome, RunOptions, anonymize};
pub use beside::ClassRecords;
pub use certified::Certified;
pub(crate) use certified::of_recipe;
pub use front::{Front, FrontEvent, Solution};
pub use kept::Kept;
pub use left::{Left, LeftOf};
pub use loaded::{CheckedData, HeldTable, Loaded};
pub use made::Made;
pub use paired::{ClassPeople, Paired, PairedColumn, PairedRow};
pub use place::Memory;
pub use searched::Searched;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use velamen_core::context::Context;
use velamen_core::earlier::Earlier;
use velamen_core::frequency::FrequencyTable;
use velamen_engine::ColumnRequest;
use velamen_recipe::{Class, JobError, Preset, Resolved};

use crate::after::After;
use crate::budget::{self, Reserved};
use crate::estimate::Allowance;
use crate::table::OpenedTable;
use crate::{conditions, person_numbers, safe_harbor};

/// A recipe whose table is open and not read.
pub struct Session<'a> {
    recipe: &'a Resolved,
    /// The recipe's file, for messages.
    path: &'a Path,
    source: OpenedTable,
    reserved: Option<Reserved>,
    earlier: Option<Earlier>,
    /// Set from outside to end the search with the best it has found.
    enough: Option<Arc<AtomicBool>>,
}

impl<'a> Session<'a> {
    /// Opens the recipe's table and matches its columns with the recipe's attributes. What the first search spends of the
    /// recipe's budget is set aside, so that a run that has none left ends before it reads. Of the options
    /// [`RunOptions::overwrite`] is about folders, and has no meaning here.
    ///
    /// # Errors
    /// [`JobError`] if the table cannot be opened, or a column is not as the recipe says.
    pub fn open(recipe: &'a Resolved, options: &RunOptions, context: &Context<'_>) -> Result<Self, JobError> {
        let reserved = reserved(recipe, context)?;
        let opened = Self::unreserved(recipe, options.show_values)?;
        let mut session = Self { reserved, enough: options.enough.clone(), ..opened };
        if let Some(after) = &options.after {
            session.after(after, context)?;
        }
        Ok(session)
    }

    /// As [`Self::open`], with nothing set aside of a budget: no search may follow.
    pub(crate) fn unreserved(recipe: &'a Resolved, show_values: bool) -> Result<Self, JobError> {
        let path = &*recipe.file;
        let mut source = OpenedTable::open(recipe, path, show_values)?;
        if recipe.method.is_private() {
            // What is refused here is refused of every table. No later refusal looks at records:
            // docs/methods/private-refusals.md.
            source.forget_form();
            source.refuse_wide()?;
            if recipe.preset == Some(Preset::HipaaSafeHarbor) {
                safe_harbor::check_declared(recipe)
                    .map_err(|problem| recipe.places.refuse(path, &["preset"], problem))?;
            }
        }
        Ok(Self { recipe, path, source, reserved: None, earlier: None, enough: None })
    }

    /// Keeps the counterfeits of an earlier release where a class stands, if its seed is the context's; else a warning
    /// says what two releases betray.
    ///
    /// # Errors
    /// [`JobError::io`] or [`JobError::data`] if the earlier release does not read.
    pub(crate) fn after(&mut self, after: &After, context: &Context<'_>) -> Result<(), JobError> {
        match after.seed() == context.seed {
            true => self.earlier = Some(after.classes(context)?),
            false => self.warn(vec![after.other_seed()]),
        }
        Ok(())
    }

    /// What the user should know besides.
    pub(crate) fn warn(&mut self, warnings: Vec<String>) {
        self.source.warnings.extend(warnings);
    }

    /// The columns that are released, in the order of the file.
    pub(crate) fn columns(&self) -> &[ColumnRequest] {
        &self.source.requests
    }

    /// Reads the table, or refuses one that the run has no room for.
    ///
    /// # Errors
    /// [`JobError`].
    pub fn read(mut self, context: &Context<'_>) -> Result<Loaded<'a>, JobError> {
        let table = self.table(context)?;
        if !self.recipe.method.is_private() {
            person_numbers::refuse_nobody(self.recipe, self.path, &table)?;
        }
        let unjudged = person_numbers::check(self.recipe, self.path, &self.source, &table, context)?;
        self.warn(unjudged);
        let table = population::join(self.recipe, table, context)?;
        let Self { recipe, path, source, reserved, earlier, enough } = self;
        let earlier = earlier.map(|earlier| earlier.in_order_of(&table));
        Ok(Loaded { recipe, path, source, table, reserved, earlier, enough })
    }

    fn table(&mut self, context: &Context<'_>) -> Result<FrequencyTable, JobError> {
        let Self { recipe, source, .. } = self;
        if recipe.method.is_private() {
            // A limit would tell of the records.
            return source.read(context);
        }
        conditions::check(recipe, source, context)?;
        let allowance = Allowance::of(recipe);
        let columns = source.read_requests().len();
        source.input.hold_at_most(allowance.most(recipe, columns));
        let table = match source.read(context) {
            Err(error) if error.class() == Class::TooLarge => {
                return Err(allowance.refusal(recipe, source, context));
            }
            read => read?,
        };
        allowance.check(recipe, source, &table, context)?;
        Ok(table)
    }
}

/// What a search of the recipe's method spends, if the recipe names a ledger.
fn reserved(recipe: &Resolved, context: &Context<'_>) -> Result<Option<Reserved>, JobError> {
    let reserve = |budget| budget::reserve(budget, &recipe.output, recipe.method.name().to_owned(), context);
    recipe.budget.as_ref().map(reserve).transpose()
}
