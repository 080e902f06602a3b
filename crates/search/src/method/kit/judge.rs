//! Class-level models on groups of records that are no classes of a lattice node.

use velamen_core::frequency::FrequencyTable;
use velamen_core::recoding::{Member, merged};

use crate::model::{self, Bound, Class, people};

/// (sensitive code, count), and (person, sensitive code) where people are counted.
type Values = (Vec<(u32, u64)>, Vec<(u32, u32)>);

/// Judges groups of records by models that are bound to the whole table.
#[derive(Debug, Clone, Copy)]
pub(in crate::method) struct Judge<'a> {
    pub(in crate::method) table: &'a FrequencyTable,
    pub(in crate::method) models: &'a [Bound],
}

impl Judge<'_> {
    /// Whether all models hold of a class of these records.
    ///
    /// Time: O(members · log members) for each model that looks at an attribute.
    pub(in crate::method) fn holds(&self, members: &[Member]) -> bool {
        let person = self.table.rest.person();
        let size = match person {
            Some(person) => self.histogram(person, members).len() as u64,
            None => members.iter().map(|member| member.1).sum(),
        };
        self.models.iter().all(|bound| {
            let (sensitive, pairs) = self.values(person, bound.column, members);
            match &bound.judge {
                model::Judge::Class(model) => {
                    model.holds(&Class { pairs: &pairs, ..Class::new(size, &sensitive) })
                }
                // Not asked for by the methods that judge groups; the checker has the last word.
                model::Judge::Table(_) => true,
            }
        })
    }

    /// The values of a column, and whose they are where people are counted.
    fn values(&self, person: Option<usize>, column: Option<usize>, members: &[Member]) -> Values {
        let Some(column) = column else { return Values::default() };
        let Some(person) = person else { return (self.histogram(column, members), Vec::new()) };
        let pairs = people::pairs(self.table, (person, column), members.iter().copied());
        let mut had = Vec::new();
        people::had(&pairs, &mut had);
        (had, pairs)
    }

    /// (sensitive code, count), ascending by code.
    fn histogram(&self, column: usize, members: &[Member]) -> Vec<(u32, u64)> {
        let codes = &self.table.rest.codes[column];
        let code = |entry: u32| codes[self.table.rest_index[entry as usize] as usize];
        merged(members.iter().map(|&(entry, count)| (code(entry), count)).collect())
    }
}
