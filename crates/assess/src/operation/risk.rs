//! `risk`: the risk of re-identification of a table or a release.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use velamen_core::error::Problem;
use velamen_patients::{LinkedRisk, risk_of_recipe, risk_of_release};
use velamen_recipe::{JobError, Origin, Overrides};

use super::entry::Operation;
use super::named::NamedColumns;
use super::recipe::TheRecipe;
use super::table::{Call, Reading, Subject, Table, TableOrRelease};
use crate::risk::{AskedPopulation, RiskReport, RiskRequest, of_rows, risk};

/// The risk of re-identification of a table or a release.
#[derive(Debug)]
pub struct Risk;

/// What is asked of [`Risk`].
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct Request {
    /// What is looked at.
    #[serde(flatten)]
    pub subject: Subject,
    /// The column of a table that says whose its records are, where a person can have several: people are counted.
    #[serde(default)]
    #[schemars(extend("x-value" = "COLUMN"))]
    pub person: Option<String>,
    /// The population's table, which contains every record of the table.
    #[serde(default)]
    #[schemars(extend("x-value" = "FILE", "x-without" = "population-size"))]
    pub population: Option<Table>,
    /// How many records the population has, of which the table is a random sample; people with --person.
    #[serde(default)]
    #[schemars(extend("x-value" = "N"))]
    pub population_size: Option<u64>,
    /// A table, such as a release's original, to show before it.
    #[serde(default)]
    #[schemars(extend("x-value" = "TABLE", "x-alias" = "original"))]
    pub before: Option<TableOrRelease>,
    /// A threshold, in addition to the usual ones.
    #[serde(default)]
    #[schemars(extend("x-value" = "R"))]
    pub threshold: Option<f64>,
    /// The most attributes to combine when looking for special uniques; 0 looks for none.
    #[serde(default = "special_uniques")]
    #[schemars(extend("x-value" = "N"))]
    pub special_uniques: usize,
    /// Also list the row numbers of the N riskiest records of a table.
    #[serde(default)]
    #[schemars(extend("x-value" = "N"))]
    pub rows: usize,
    /// Show the quasi-identifier values of the riskiest records.
    #[serde(default)]
    #[schemars(extend("x-needs" = "rows"))]
    pub show_values: bool,
    /// The table's recipe, which says how it is read and names the attributes and the person that are left out here.
    #[serde(default)]
    pub recipe: Option<TheRecipe>,
    /// How tables are read.
    #[serde(flatten)]
    pub reading: Reading,
}

fn special_uniques() -> usize {
    3
}

/// The risk of re-identification.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "Risk")]
pub enum RiskFound {
    /// Of linked tables.
    Linked(Box<LinkedRisk>),
    /// Of a table.
    Table(Box<RiskReport>),
}

impl Request {
    /// The risk of linked tables: of a release of them, or of a folder that the recipe is for.
    fn linked(&self, table: &Origin, call: &Call<'_>) -> Result<Option<LinkedRisk>, JobError> {
        if let Some(folder) = table.folder()
            && let Some(manifest) = velamen_patients::load(folder)?
        {
            self.refuse_beside(self.recipe.is_some())?;
            return risk_of_release(folder, &manifest, call.context).map(Some);
        }
        match &self.recipe {
            Some(recipe) if recipe.is_linked()? => {
                self.refuse_beside(false)?;
                let linked = recipe.linked_over(Some(&self.subject.table.0), &Overrides::default(), call)?;
                risk_of_recipe(&linked, recipe.path(), call.context).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// Refuses what linked tables have no use for.
    fn refuse_beside(&self, has_recipe: bool) -> Result<(), JobError> {
        let columns = !self.subject.qi.is_empty() || self.person.is_some() || has_recipe;
        let population = self.population.is_some() || self.population_size.is_some();
        let others = self.before.is_some() || self.threshold.is_some() || self.rows > 0;
        if !(columns || population || others) {
            return Ok(());
        }
        let problem =
            Problem::new("the risk of linked tables is that of persons, by codes, columns and days");
        let mend = "leave out --qi, --person, --population, --population-size, --before, --threshold and --rows, \
                    and of a release --recipe";
        Err(JobError::usage(problem.mend(mend)))
    }
}

impl Operation for Risk {
    const NAME: &'static str = "risk";
    const SUMMARY: &'static str = "Estimate the re-identification risk of each record of a table or release";
    type Request = Request;
    type Answer = RiskFound;

    fn run(request: Request, call: &Call<'_>) -> Result<RiskFound, JobError> {
        let table = call.origin(&request.subject.table.0)?;
        if let Some(found) = request.linked(&table, call)? {
            return Ok(RiskFound::Linked(Box::new(found)));
        }
        call.refuse_several(Some(&request.subject.table.0))?;
        let before = request.before.as_ref().map(|before| &before.0);
        let population = call.origin_of(request.population.as_ref())?.map(AskedPopulation::Table);
        let named =
            NamedColumns { qis: request.subject.qi, person: request.person, ..NamedColumns::default() };
        let reading = (&request.reading, request.show_values);
        let named = named.with((request.recipe.as_ref(), &table), reading, call)?;
        let has_recipe = request.recipe.is_some();
        let asked = RiskRequest {
            table,
            read: named.read,
            population: population.or_else(|| request.population_size.map(AskedPopulation::Size)),
            before: call.origin_of(before)?,
            qis: named.qis,
            person: named.person,
            threshold: request.threshold,
            special_uniques: request.special_uniques,
            rows: request.rows,
            show_values: request.show_values,
        };
        let mut found = risk(&asked, call.context)?;
        // A recipe says whose the records are.
        if !has_recipe {
            found.remarks.extend(of_rows(&asked, call.context)?);
        }
        Ok(RiskFound::Table(Box::new(found)))
    }
}
