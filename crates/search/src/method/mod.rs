//! Methods, one file each, found by name in [`REGISTRY`]: from a frequency table to a [`Decision`]. They stand in families;
//! what they share is the kit, and only the registry knows all.
//!
//! A recipe's method section becomes a [`Method`]: a name, and keys that only that method knows. What others
//! must know of a method they read from its [`Facts`], of a release from the method section of `release.json`
//! by [`released_facts`]; no name of a method is compared outside its own file.

pub mod h_ceiling;
mod kit;
mod local;
mod one_level;
mod private;
mod rows;

pub use kit::{evaluate, keys, search, unmet, wildcards};
pub use local::{clustering, mdav, mondrian};
pub use one_level::{
    best_first, datafly, exhaustive, full_domain, genetic, iterated_local_search, local_recoding, optimal,
    relocation, suppression, top_down,
};
pub use private::{aim, contingency_table, diffgen, dsat, ipa, mst, safe_pub};
pub use rows::iab;

pub use kit::adversary::Adversary;
pub use kit::decision::{Cell, Decision, File, Outcome, Suppress, Utility};
pub use kit::error::MethodError;
pub use kit::facts::{Cost, Counterfeits, Facts, Particulars, Records, Time};
pub use kit::keys::KeyError;
pub use kit::nodes::{Look, Nodes, Point};
pub use kit::task::Task;

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use schemars::{Schema, SchemaGenerator};
use serde_json::{Map, Value};
use velamen_contract::Statement;
use velamen_core::context::Context;
use velamen_core::error::Problem;
use velamen_core::frequency::FrequencyTable;
use velamen_core::registry::{Named, Registry};
use velamen_dp::Doorkeeper;

/// A method with checked parameters, or the key that is refused.
pub type Parsed = Result<Arc<dyn Method>, KeyError>;

/// Reads and checks a method's own keys.
pub type Parse = fn(Map<String, Value>, &Task<'_>) -> Parsed;

/// A method under the name that recipes use.
#[derive(Clone, Copy)]
pub struct Entry {
    /// The name in `[method] name = "…"`.
    pub name: &'static str,
    /// One sentence for the schema and help.
    pub summary: &'static str,
    /// What it is taken for.
    pub purpose: Purpose,
    /// The name that it shares with others in recipes and releases, and the key that tells them apart.
    pub alias: Option<Alias>,
    /// What reports say of a release, from its method section.
    pub words: fn(&Map<String, Value>) -> &'static str,
    /// What holds of a release, from its method section, which says all that facts depend on.
    pub facts: fn(&Map<String, Value>) -> Facts,
    /// The keys that every run states in the method section of its release, beside those that go with the facts: left out of
    /// one, nobody knows what they were.
    pub stated: fn(&Map<String, Value>) -> Vec<&'static str>,
    /// Reads and checks the method's own keys.
    pub parse: Parse,
    /// The JSON Schema of these keys.
    pub schema: fn(&mut SchemaGenerator) -> Schema,
    /// Their names.
    pub keys: fn() -> Vec<String>,
}

/// What is known of a method by its name: all of an [`Entry`] but what reads its keys and so runs it.
#[derive(Clone, Copy)]
pub struct Terms {
    /// As in [`Entry`].
    pub name: &'static str,
    /// As in [`Entry`].
    pub alias: Option<Alias>,
    /// As in [`Entry`].
    pub words: fn(&Map<String, Value>) -> &'static str,
    /// As in [`Entry`].
    pub facts: fn(&Map<String, Value>) -> Facts,
    /// As in [`Entry`].
    pub stated: fn(&Map<String, Value>) -> Vec<&'static str>,
    /// As in [`Entry`].
    pub keys: fn() -> Vec<String>,
}

/// What a method is taken for, by which choices of methods are grouped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// Where nothing else is known.
    Everyday,
    /// For known people, who get more detail.
    Contract,
    /// Differentially private.
    Private,
    /// Of papers, for what few tables need.
    Papers,
    /// To be compared with.
    Baseline,
}

/// A name that several entries share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Alias {
    /// The name.
    pub name: &'static str,
    /// The key that tells them apart; left out, it means the entry whose own name this is.
    pub key: &'static str,
    /// Its value here.
    pub value: &'static str,
}

impl Entry {
    /// The name in releases.
    #[must_use]
    pub fn written(&self) -> &'static str {
        self.alias.map_or(self.name, |alias| alias.name)
    }

    /// The keys that a section of the method can have, besides `name`.
    #[must_use]
    pub fn known_keys(&self) -> Vec<String> {
        self.terms().known_keys()
    }

    /// What is known of it by its name.
    #[must_use]
    pub const fn terms(&self) -> Terms {
        let Self { name, alias, words, facts, stated, keys, .. } = *self;
        Terms { name, alias, words, facts, stated, keys }
    }
}

impl Terms {
    /// The keys that a section of the method can have, besides `name`.
    #[must_use]
    pub fn known_keys(&self) -> Vec<String> {
        self.alias.map(|alias| alias.key.to_owned()).into_iter().chain((self.keys)()).collect()
    }
}

impl Named for Entry {
    fn name(&self) -> &'static str {
        self.name
    }
}

impl Named for Terms {
    fn name(&self) -> &'static str {
        self.name
    }
}

impl fmt::Debug for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// A method with checked parameters.
pub trait Method: fmt::Debug + Send + Sync {
    /// The method's section of `release.json`; it depends on recipe and population alone.
    fn statement(&self, task: &Task<'_>) -> Statement;

    /// What a run costs.
    fn cost(&self) -> Cost;

    /// Refuses impossible combinations that leave nothing to release, or more than the method can hold, before a table is read.
    ///
    /// # Errors
    /// A [`Problem`] of the recipe.
    fn refuse_impossible(&self, _task: &Task<'_>) -> Result<(), Problem> {
        Ok(())
    }

    /// The table as the method needs it.
    ///
    /// # Errors
    /// [`MethodError::Recipe`] if a column cannot be released by the method.
    fn prepared<'t>(
        &self,
        table: Cow<'t, FrequencyTable>,
        _task: &Task<'_>,
    ) -> Result<Cow<'t, FrequencyTable>, MethodError> {
        Ok(table)
    }

    /// The decision on a prepared table.
    ///
    /// Law: it depends on table, task and seed alone, on any number of threads; it calls
    /// [`Context::check`] between units of work.
    ///
    /// # Errors
    /// [`MethodError`].
    fn run(
        &self,
        table: &FrequencyTable,
        task: &Task<'_>,
        context: &Context<'_>,
    ) -> Result<Decision, MethodError>;

    /// What looks at single nodes of the lattice, where there are nodes.
    fn nodes(&self) -> Option<&dyn Nodes> {
        None
    }

    /// The same method with a door that a keeper opens, so that an audit can give its answers to a run on another table; `None`
    /// where what is drawn on the table passes no door.
    fn audited(&self, _keeper: &Arc<Doorkeeper>) -> Option<Arc<dyn Method>> {
        None
    }

    /// What only some methods have.
    fn particulars(&self) -> Particulars {
        Particulars::default()
    }
}

/// The method of recipes that name none: of real records alone, at one level of detail.
pub const USUAL: Entry = optimal::ENTRY;

/// The most that is suppressed, as a share of the records, where a recipe names neither method nor limit. Without, one
/// rare person makes everyone coarser.
pub const USUAL_SUPPRESSION: f64 = 0.05;

/// The method of a first recipe for invented records: nearer to the original than its kin.
pub const INVENTING: Entry = aim::entry::ENTRY;

/// The methods, and beside them what is known of each by its name.
macro_rules! methods {
    ($($entry:expr),+ $(,)?) => {
        /// Every method, by name.
        pub static REGISTRY: Registry<Entry> = Registry::new(&[$($entry),+]);

        /// What is known of every method by its name. What looks here, and not in [`REGISTRY`], has no search in its program:
        /// the page that verifies releases is smaller by that.
        pub static TERMS: Registry<Terms> = Registry::new(&[$($entry.terms()),+]);
    };
}

methods![
    USUAL,
    h_ceiling::entry::ENTRY,
    suppression::ENTRY,
    relocation::ENTRY,
    exhaustive::ENTRY,
    datafly::ENTRY,
    top_down::ENTRY,
    best_first::ENTRY,
    genetic::ENTRY,
    iterated_local_search::ENTRY,
    mondrian::ENTRY,
    mdav::ENTRY,
    iab::entry::ENTRY,
    rows::greedy::ENTRY,
    rows::exhaustive_rows::ENTRY,
    safe_pub::entry::ENTRY,
    clustering::ce_mi::ENTRY,
    clustering::ce::ENTRY,
    clustering::entropy_l::ENTRY,
    clustering::t_closeness::ENTRY,
    clustering::k_member::ENTRY,
    ipa::private::entry::ENTRY,
    ipa::published::entry::ENTRY,
    contingency_table::ENTRY,
    diffgen::entry::ENTRY,
    dsat::entry::ENTRY,
    mst::entry::ENTRY,
    aim::entry::ENTRY,
];

/// The entry of a method section, and the keys that are its own; without a name, [`USUAL`] with [`USUAL_SUPPRESSION`].
///
/// # Errors
/// [`KeyError`] if the name is no method's.
pub fn find(section: &Map<String, Value>) -> Result<(&'static Entry, Map<String, Value>), KeyError> {
    let terms = terms(section)?;
    let entry = REGISTRY.find(terms.name).ok_or_else(|| unknown(terms.name))?;
    let is_shared = |alias: &Alias| section.get("name").is_some_and(|name| name == alias.name);
    let told = terms.alias.filter(is_shared).map(|alias| alias.key);
    let own = section.iter().filter(|(key, _)| *key != "name" && Some(key.as_str()) != told);
    let mut own: Map<String, Value> = own.map(|(key, value)| (key.clone(), value.clone())).collect();
    if !section.contains_key("name") {
        own.entry("suppression-limit").or_insert(USUAL_SUPPRESSION.into());
    }
    Ok((entry, own))
}

/// What is known of the method of a section; without a name, of [`USUAL`].
///
/// # Errors
/// As [`find`].
pub fn terms(section: &Map<String, Value>) -> Result<&'static Terms, KeyError> {
    let name = match section.get("name") {
        None => USUAL.name,
        Some(Value::String(name)) => name,
        Some(_) => return Err(KeyError::of("name", "the method's name is a text")),
    };
    aliased(name, section)?.or_else(|| TERMS.find(name)).ok_or_else(|| unknown(name))
}

fn unknown(name: &str) -> KeyError {
    let known = TERMS.names().collect();
    let error = KeyError::unknown("name", format!("unknown method `{name}`"), name, known);
    KeyError { unreadable: true, ..error }
}

/// The method of a shared name whose value the section gives for the key that tells them apart.
fn aliased(name: &str, section: &Map<String, Value>) -> Result<Option<&'static Terms>, KeyError> {
    let shared: Vec<(&'static Terms, Alias)> = TERMS
        .iter()
        .filter_map(|entry| entry.alias.map(|alias| (entry, alias)))
        .filter(|(_, alias)| alias.name == name && section.contains_key(alias.key))
        .collect();
    let Some((_, Alias { key, .. })) = shared.first() else { return Ok(None) };
    let meant = shared.iter().find(|(_, alias)| section.get(alias.key).is_some_and(|v| v == alias.value));
    match meant {
        Some((entry, _)) => Ok(Some(*entry)),
        None => {
            let given = section.get(*key).unwrap_or(&Value::Null);
            let word = given.as_str().map_or_else(|| given.to_string(), str::to_owned);
            let known = shared.iter().map(|(_, alias)| alias.value).collect();
            let error = KeyError::unknown(key, format!("unknown {key} `{word}`"), &word, known);
            Err(KeyError { unreadable: true, ..error })
        }
    }
}

/// What holds of a release, from the method section of its `release.json`; `None` for a method that this
/// program does not know.
#[must_use]
pub fn released_facts(section: &Map<String, Value>) -> Option<Facts> {
    terms(section).ok().map(|terms| (terms.facts)(section))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique() {
        for (number, entry) in REGISTRY.iter().enumerate() {
            assert!(REGISTRY.names().take(number).all(|other| other != entry.name), "{}", entry.name);
        }
    }

    #[test]
    fn old_spellings_mean_the_same_method() {
        for entry in REGISTRY.iter() {
            let Some(alias) = entry.alias else { continue };
            let mut section = Map::new();
            section.insert("name".into(), alias.name.into());
            section.insert(alias.key.into(), alias.value.into());
            let (found, own) = find(&section).unwrap();
            assert_eq!((found.name, own.len()), (entry.name, 0));
        }
    }
}
