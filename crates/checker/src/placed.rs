//! What the custodian's list of counterfeits shows: with it, what is promised of real records is checked.

use std::collections::{BTreeMap, HashMap};

use serde_json::{Map, Value, json};
use velamen_contract::{PlacedCounterfeits, Promises};
use velamen_core::frequency::Rest;

use crate::classes::Classes;
use crate::{Finding, Published, REAL, State, Uncheckable, View, can_hold, certify_values, total};

/// The promise that the custodian's list is the release's.
pub const PLACED: &str = "placed-counterfeits";

/// The promise of real records in each class.
pub const LEAST_REAL: &str = "least-real";

/// Counterfeits by class id and sensitive value.
type Places<'a> = BTreeMap<(u64, &'a str), u64>;

impl View<'_> {
    /// What is found with the list, if there is one: whether it fits the records and the catalog, how many real records each class has, and
    /// whether what models ask of values holds of real records by themselves.
    ///
    /// Time: O(rows · attributes + catalog · classes named), memory O(rows · attributes).
    pub(crate) fn placed(
        &self,
        sensitive: usize,
        promises: &Promises,
        classes: &Classes,
    ) -> Result<Vec<Finding>, Uncheckable> {
        let Some(list) = &promises.placed else { return Ok(Vec::new()) };
        let places = places(list);
        let (real, missing) = self.without(sensitive, places.clone());
        let listed = json!(total(list.iter().map(|placed| placed.count)));
        let unlike = unlike(&places, promises);
        let elsewhere = places.iter().filter(|((class, _), _)| !can_hold(promises, classes, *class));
        let elsewhere = total(elsewhere.map(|(_, count)| *count));
        let reached = json!({
            "without-a-record": missing,
            "unlike-the-catalog": unlike,
            "where-none-can-be": elsewhere,
        });
        let asked = json!({ "counterfeits": promises.counterfeits });
        let fits = [missing, unlike, elsewhere] == [0; 3] && listed == json!(promises.counterfeits);
        let mut findings = vec![Finding::of(PLACED, asked, reached, fits)];
        // Where nothing is said one is meant: then only what is wrong is a finding.
        let (least, fewest) = (promises.least_real.unwrap_or(1), self.fewest(&real));
        let holds = fewest.is_none_or(|fewest| fewest >= least);
        if promises.least_real.is_some() || !holds {
            let finding = Finding::of(LEAST_REAL, json!(least), json!(fewest), holds);
            findings.push(self.of_people(promises, finding));
        }
        if promises.of_real {
            findings.push(self.values_of_real(&real, promises)?);
        }
        Ok(findings)
    }

    /// The least number of real records of a class, without the list: no more than it has records. Beyond that it is the custodian's word
    /// where there are counterfeits.
    pub(crate) fn least_real(&self, promises: &Promises, classes: &Classes) -> Option<Finding> {
        let least = promises.least_real.filter(|_| promises.placed.is_none())?;
        let fewest = classes.sizes().iter().copied().min();
        let found =
            Finding::of(LEAST_REAL, json!(least), json!(fewest), fewest.is_none_or(|fewest| fewest >= least));
        match (found.state, promises.counterfeits) {
            (State::Held, 0) => Some(self.of_people(promises, found)),
            (State::Held, _) => Some(Finding::stated(LEAST_REAL, json!(least))),
            _ => Some(found),
        }
    }

    /// The records of each row that are real, and the counterfeits that no record is left for.
    fn without<'p>(&'p self, sensitive: usize, mut places: Places<'p>) -> (Vec<u64>, u64) {
        let real = self.published.counts.iter().enumerate().map(|(row, &count)| {
            let place = self.class_id(row).map(|id| (id, self.cell(sensitive, row)));
            let Some(left) = place.and_then(|place| places.get_mut(&place)) else { return count };
            let taken = count.min(*left);
            *left = left.saturating_sub(taken);
            count.saturating_sub(taken)
        });
        let real = real.collect();
        (real, total(places.into_values()))
    }

    /// The least number of real records of a class.
    fn fewest(&self, real: &[u64]) -> Option<u64> {
        let mut sizes: HashMap<u64, u64> = HashMap::new();
        for (row, &count) in real.iter().enumerate() {
            if let Some(id) = self.class_id(row) {
                let size = sizes.entry(id).or_default();
                *size = size.saturating_add(count);
            }
        }
        sizes.into_values().min()
    }

    /// What the models find in the values of real records alone.
    fn values_of_real(&self, real: &[u64], promises: &Promises) -> Result<Finding, Uncheckable> {
        let table = kept(self.published.table, real);
        let counts: Vec<u64> = real.iter().copied().filter(|count| *count > 0).collect();
        let published = Published { table: &table, counts: &counts, people: self.published.people };
        let found = certify_values(&published, promises)?;
        let by_model = |of: fn(&Finding) -> &Value| -> Map<String, Value> {
            found.iter().map(|finding| (finding.promise.clone(), of(finding).clone())).collect()
        };
        let (asked, reached) = (by_model(|finding| &finding.asked), by_model(|finding| &finding.reached));
        let holds = !found.iter().any(|finding| finding.state == State::Broken);
        Ok(self.of_people(promises, Finding::of(REAL, asked.into(), reached.into(), holds)))
    }

    /// Whose the records are shows in no release: where people are promised, records can show what is broken and no more.
    fn of_people(&self, promises: &Promises, finding: Finding) -> Finding {
        let is_shown = !promises.persons || self.published.people.is_some();
        if is_shown { finding } else { finding.shown_in_part() }
    }
}

fn places(list: &[PlacedCounterfeits]) -> Places<'_> {
    let mut places = Places::new();
    for placed in list {
        let count = places.entry((placed.class, &*placed.value)).or_default();
        *count = count.saturating_add(placed.count);
    }
    places
}

/// How many rows of the catalog have another count than the list, or none where the list has some.
fn unlike(places: &Places<'_>, promises: &Promises) -> u64 {
    let rows = promises.catalog.iter();
    let listed = |classes: &[u64], value: &str| {
        total(classes.iter().filter_map(|&class| places.get(&(class, value)).copied()))
    };
    let wrong = rows.clone().filter(|row| listed(&row.classes, &row.value) != row.count).count();
    let told = total(rows.map(|row| listed(&row.classes, &row.value)));
    (wrong as u64).saturating_add(total(places.values().copied()).saturating_sub(told))
}

/// The rows that have a record.
fn kept(table: &Rest, counts: &[u64]) -> Rest {
    let of = |codes: &Vec<u32>| -> Vec<u32> {
        codes.iter().zip(counts).filter(|(_, count)| **count > 0).map(|(code, _)| *code).collect()
    };
    let len = counts.iter().filter(|count| **count > 0).count();
    Rest { columns: table.columns.clone(), codes: table.codes.iter().map(of).collect(), len }
}

#[cfg(test)]
mod tests;
