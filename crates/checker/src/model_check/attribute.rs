//! What the released table says of one sensitive attribute.

use std::collections::BTreeMap;

use velamen_contract::AskedFor;
use velamen_core::hierarchy::Definition;

use super::Case;
use crate::Uncheckable;

/// How many records have each value of an attribute.
#[derive(Debug, Default)]
pub struct Counts {
    of: BTreeMap<String, u64>,
    total: u64,
}

impl Counts {
    fn add(&mut self, value: &str, count: u64) {
        self.total = self.total.saturating_add(count);
        match self.of.get_mut(value) {
            Some(counted) => *counted = counted.saturating_add(count),
            None => drop(self.of.insert(value.to_owned(), count)),
        }
    }

    /// A value's share of all records.
    #[must_use]
    pub fn share(&self, value: &str) -> f64 {
        self.of.get(value).copied().unwrap_or(0) as f64 / self.total as f64
    }

    /// The values that occur.
    pub fn values(&self) -> impl Iterator<Item = &String> {
        self.of.keys()
    }

    /// How many records each value has.
    pub fn counts(&self) -> impl ExactSizeIterator<Item = u64> {
        self.of.values().copied()
    }
}

/// A sensitive attribute of the released table.
#[derive(Debug)]
pub struct Attribute<'a> {
    /// Per class its counts.
    pub classes: Vec<Counts>,
    /// All records that show a value: suppressed ones, too, unless nothing of them is released.
    pub table: Counts,
    /// The attribute's hierarchy, if the manifest has one.
    pub hierarchy: Option<&'a Definition>,
}

impl Attribute<'_> {
    /// The largest figure of any class, from its counts and the table's; `None` where there is no class.
    pub fn worst(&self, figure: impl Fn(&Counts, &Counts) -> f64) -> Option<f64> {
        self.classes.iter().map(|class| figure(class, &self.table)).reduce(f64::max)
    }

    /// The least figure of any class.
    pub fn least(&self, figure: impl Fn(&Counts, &Counts) -> f64) -> Option<f64> {
        self.classes.iter().map(|class| figure(class, &self.table)).reduce(f64::min)
    }
}

impl<'a> Case<'a> {
    /// The counts of the model's sensitive attribute in every class and in the whole table.
    ///
    /// # Errors
    /// [`Uncheckable`] if the manifest names none, or one that the table does not have.
    pub fn attribute(&self) -> Result<Attribute<'a>, Uncheckable> {
        let name = AskedFor(self.asked).attribute().ok_or_else(|| self.unread())?;
        let published = self.view.published;
        let column = published.position(name)?;
        let mut classes: BTreeMap<u64, Counts> = BTreeMap::new();
        let mut table = Counts::default();
        for (row, &count) in published.counts.iter().enumerate() {
            let value = self.view.cell(column, row);
            let class = self.view.class_id(row);
            if class.is_some() || !self.promises.suppressed_whole {
                table.add(value, count);
            }
            if let Some(id) = class {
                classes.entry(id).or_default().add(value, count);
            }
        }
        let hierarchy = self.promises.hierarchies.get(name);
        Ok(Attribute { classes: classes.into_values().collect(), table, hierarchy })
    }
}
