//! What a recipe asks of a method besides the method's own parameters.

use std::sync::atomic::{AtomicBool, Ordering};

use velamen_core::attribute::Attribute;
use velamen_core::earlier::Earlier;
use velamen_core::error::Problem;
use velamen_core::frequency::{Counted, FrequencyTable, QuasiIdentifier, Role};
use velamen_core::hierarchy::{Hierarchy, Rule};
use velamen_core::impossible::Impossible;
use velamen_core::lattice::{Lattice, Node};
use velamen_core::step::Step;

use super::adversary::Adversary;
use super::error::MethodError;
use crate::model::people::{self, Tally};
use crate::model::{Asked, Bound, Distribution, Monotonicity, Population, spelling};

/// The attributes and the models of a recipe.
#[derive(Clone, Copy)]
pub struct Task<'a> {
    /// The attributes that the recipe names, by name.
    pub attributes: &'a [Attribute],
    /// The privacy models that must hold.
    pub models: &'a [Asked],
    /// The population that the table is a sample of, once it is known.
    pub population: Option<Population>,
    /// Pairs of values that no counterfeit gets.
    pub impossible: &'a [Impossible],
    /// An earlier release of the table, whose counterfeits are kept where a class stands.
    pub earlier: Option<&'a Earlier>,
    /// Set from outside when the time that the method may take is over ([`super::facts::Particulars::seconds`]).
    pub expired: Option<&'a AtomicBool>,
    /// What is counted of the table already.
    pub counted: Option<&'a Counted<'a>>,
    /// Who judges counterfeits before they are released.
    pub adversary: Option<&'a dyn Adversary>,
}

impl<'a> Task<'a> {
    /// The attributes and the models, and nothing else that is asked.
    #[must_use]
    pub fn new(attributes: &'a [Attribute], models: &'a [Asked]) -> Self {
        let (impossible, earlier, expired, counted) = (&[][..], None, None, None);
        let (population, adversary) = (None, None);
        Self { attributes, models, population, impossible, earlier, expired, counted, adversary }
    }

    /// A table with what is counted of it, if this is the task's.
    #[must_use]
    pub fn counted<'b>(&self, table: &'b FrequencyTable) -> Counted<'b> {
        self.counted.map_or_else(|| Counted::of(table), |counted| counted.here(table))
    }

    /// Whether the time that the method may take is over.
    #[must_use]
    pub fn is_expired(&self) -> bool {
        self.expired.is_some_and(|expired| expired.load(Ordering::Relaxed))
    }

    /// The attribute of that name.
    #[must_use]
    pub fn attribute(&self, name: &str) -> Option<&'a Attribute> {
        self.attributes.iter().find(|attribute| attribute.name == name)
    }

    /// The names of the sensitive attributes.
    pub fn sensitive(&self) -> impl Iterator<Item = &'a str> {
        let sensitive = self.attributes.iter().filter(|attribute| attribute.role == Role::Sensitive);
        sensitive.map(|attribute| attribute.name.as_str())
    }

    /// The attribute that says whose the records are, if there is one.
    #[must_use]
    pub fn person(&self) -> Option<&'a str> {
        let person = self.attributes.iter().find(|attribute| attribute.role == Role::Person);
        person.map(|person| person.name.as_str())
    }

    /// The quasi-identifiers.
    pub fn quasi_identifiers(&self) -> impl Iterator<Item = &'a Attribute> {
        self.attributes.iter().filter(|attribute| attribute.is_quasi_identifier())
    }

    /// Refuses models that look beyond the records of one class, where classes have levels of their own.
    pub(in crate::method) fn refuse_beyond_classes(&self) -> Result<(), Problem> {
        match self
            .models
            .iter()
            .find(|asked| asked.entry.terms.facts.table_level || asked.entry.terms.facts.population)
        {
            Some(other) => {
                let problem = Problem::new(format!(
                    "`{}` looks beyond the records of one class and needs one level for the whole table",
                    other.entry.terms.name
                ))
                .mend("choose name = \"optimal\" without local recoding");
                Err(Problem::of(&["name"], problem))
            }
            None => Ok(()),
        }
    }

    /// A size that every class needs; `least` where no model asks for one.
    #[must_use]
    pub fn least_size(&self, least: u64) -> u64 {
        self.models.iter().map(|asked| asked.model.least_size()).max().unwrap_or(least)
    }

    /// The levels that the recipe allows.
    #[must_use]
    pub fn lattice(&self, table: &FrequencyTable) -> Lattice {
        let levels = |qi: &QuasiIdentifier| {
            self.attribute(&qi.name).map_or((0, qi.hierarchy.top()), |attribute| attribute.levels)
        };
        let (least, most) = table.qis.iter().map(levels).unzip();
        Lattice::between(&Node(least), &Node(most))
    }

    /// The weights of the quasi-identifiers, in the table's order.
    #[must_use]
    pub fn weights(&self, table: &FrequencyTable) -> Vec<f64> {
        let weight = |qi: &QuasiIdentifier| self.attribute(&qi.name).map_or(1.0, |named| named.weight);
        table.qis.iter().map(weight).collect()
    }

    /// The rule of each quasi-identifier, in the table's order.
    #[must_use]
    pub fn rules(&self, table: &FrequencyTable) -> Vec<&'a Rule> {
        let rule = |qi: &QuasiIdentifier| self.attribute(&qi.name).map_or(&Rule::Flat, |named| &*named.rule);
        table.qis.iter().map(rule).collect()
    }

    /// The steps that the recipe gives, in the table's order.
    #[must_use]
    pub fn steps(&self, table: &FrequencyTable) -> Vec<Option<Step>> {
        table.qis.iter().map(|qi| self.attribute(&qi.name).and_then(|named| named.step)).collect()
    }

    /// The models for this table.
    ///
    /// # Errors
    /// [`MethodError::Unfit`] if a model's parameters do not fit its attribute.
    pub fn bind(&self, table: &FrequencyTable) -> Result<Vec<Bound>, MethodError> {
        self.bind_to(table, None).map_err(MethodError::Unfit)
    }

    /// The models for this table, or for one in which the sensitive attribute comes to this.
    ///
    /// # Errors
    /// What of a model's parameters does not fit its attribute.
    pub fn bind_to(&self, table: &FrequencyTable, released: Option<&Tally>) -> Result<Vec<Bound>, Problem> {
        self.models.iter().map(|asked| self.bound(asked, table, released.cloned())).collect()
    }

    /// The models that compare a class with the whole table, for the records of it that show their values: what these
    /// come to in a column of the rest.
    ///
    /// # Errors
    /// What of a model's parameters does not fit its attribute.
    pub(in crate::method) fn bind_shown(
        &self,
        table: &FrequencyTable,
        shown: &dyn Fn(usize) -> Tally,
    ) -> Result<Vec<Bound>, Problem> {
        let column = |asked: &Asked| table.rest.position(asked.attribute.as_ref()?);
        self.against_table().map(|asked| self.bound(asked, table, column(asked).map(shown))).collect()
    }

    /// The models that compare a class with the whole table.
    pub(in crate::method) fn against_table(&self) -> impl Iterator<Item = &'a Asked> {
        self.models.iter().filter(|asked| asked.entry.terms.facts.against_table)
    }

    fn bound(&self, asked: &Asked, table: &FrequencyTable, shown: Option<Tally>) -> Result<Bound, Problem> {
        let column = asked.attribute.as_ref().and_then(|name| table.rest.position(name));
        let (mut values, mut tally, mut hierarchy): (&[String], Tally, _) = (&[], Tally::default(), None);
        let mut one = None;
        if let Some(column) = column {
            values = &table.rest.columns[column].values;
            one = spelling::one_for_each(values);
            tally = shown.unwrap_or_else(|| self.tally(table, column, one.as_deref()));
            if let Some(one) = &one {
                tally = spelling::together(&tally, one);
            }
            hierarchy = self.sensitive_hierarchy(&table.rest.columns[column].name, values);
        }
        let distribution = Distribution {
            records: if column.is_some() { tally.records } else { table.records() },
            population: self.population,
            values,
            counts: &tally.counts,
            spread: &tally.spread,
            hierarchy: hierarchy.as_ref(),
        };
        let judge = asked
            .model
            .bind(&distribution)
            .map_err(|problem| format!("{}: {problem}", asked.entry.terms.name))?;
        let judge = match one {
            Some(one) => spelling::judging(judge, one),
            None => judge,
        };
        let population = asked.entry.terms.facts.population;
        // A person whose records part has fewer values in each part: what holds of the parts need not of the whole.
        let is_split = column.is_some() && people::are_split(table);
        let monotonicity = if is_split { Monotonicity::None } else { asked.entry.monotonicity };
        Ok(Bound { judge, column, monotonicity, population })
    }

    /// What the whole table comes to in a column of the rest, with the value that stands for each.
    fn tally(&self, table: &FrequencyTable, column: usize, one: Option<&[u32]>) -> Tally {
        match table.rest.person() {
            Some(person) => {
                let entries = (0..table.len() as u32).map(|entry| (entry, 1));
                let pairs = people::pairs(table, (person, column), entries);
                let pairs = one.map(|one| spelling::pairs_together(&pairs, one)).unwrap_or(pairs);
                Tally::of_people(&pairs, table.rest.columns[column].values.len())
            }
            None => Tally::of_records(self.counted(table).rest_marginal(column).to_vec()),
        }
    }

    /// The hierarchy of a sensitive attribute over its values, if the recipe gives one.
    fn sensitive_hierarchy(&self, name: &str, values: &[String]) -> Option<Hierarchy> {
        let attribute = self.attribute(name)?;
        attribute.definition.as_ref()?;
        let (ordered, hierarchy) = attribute.rule.over(values.to_vec(), false);
        (ordered == values).then_some(hierarchy)
    }
}
