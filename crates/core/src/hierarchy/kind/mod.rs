//! Kinds of hierarchies that follow from the form of a value: codes of a standard, codes with a prefix structure, dates.
//!
//! A kind is one file: the [`Form`] that recipes and manifests write, and the [`Structure`] that follows from it. Nobody
//! else compares its name: who has to know something of it asks its [`Facts`] or its structure.

mod atc;
mod date;
mod icd10;
pub mod icd10_blocks;
mod prefix;
mod structure;
mod uk_postcode;
mod us_zip;

pub use atc::{Atc, AtcCodes};
pub use date::{DateLevel, Dates, Days, names_a_day};
pub use icd10::{Edition, Icd10, is_public_event};
pub use prefix::Prefix;
pub use structure::Structure;
pub use uk_postcode::{Postcodes, UkPostcode};
pub use us_zip::{MOST_PEOPLE, UsZip, is_area, small_areas};

use std::sync::Arc;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::DeserializeOwned;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

use super::HierarchyError;
use crate::registry::{Named, Registry};

/// Every kind, by the key that a definition of it has.
pub static KINDS: Registry<Kind> =
    Registry::new(&[icd10::KIND, atc::KIND, us_zip::KIND, uk_postcode::KIND, prefix::KIND, date::KIND]);

/// What recipes and manifests write of a kind: a table whose key [`Form::NAME`] says that it is of this kind.
pub trait Form: Serialize + DeserializeOwned + JsonSchema {
    /// The key that only definitions of this kind have; it is the name of the kind.
    const NAME: &'static str;
    /// What follows from it.
    type Structure: Structure + 'static;

    /// What follows from it.
    ///
    /// # Errors
    /// [`HierarchyError::Parameters`] if its parts contradict each other.
    fn structure(&self) -> Result<Self::Structure, HierarchyError>;
}

/// What others need to know of a kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Facts {
    /// Whether the values are on a public list, so that to name one shows nothing of the table.
    pub listed: bool,
    /// Whether values are days.
    pub days: bool,
}

/// A kind of hierarchies.
#[derive(Debug, Clone, Copy)]
pub struct Kind {
    name: &'static str,
    keys: &'static [&'static str],
    facts: Facts,
    canonical: fn(Value) -> Result<Map<String, Value>, serde_json::Error>,
    structure: fn(Value) -> Result<Arc<dyn Structure>, HierarchyError>,
    schema: fn(&mut SchemaGenerator) -> Schema,
}

impl Named for Kind {
    fn name(&self) -> &'static str {
        self.name
    }
}

impl Kind {
    /// The kind of a form whose definitions can have these keys beside its name.
    #[must_use]
    pub const fn of<F: Form>(keys: &'static [&'static str], facts: Facts) -> Self {
        Self {
            name: F::NAME,
            keys,
            facts,
            canonical: canonical::<F>,
            structure: structure::<F>,
            schema: F::json_schema,
        }
    }

    /// The keys that can stand beside its name.
    #[must_use]
    pub fn keys(&self) -> &'static [&'static str] {
        self.keys
    }
}

/// The fields as the form writes them, however they were written.
fn canonical<F: Form>(fields: Value) -> Result<Map<String, Value>, serde_json::Error> {
    let form: F = serde_json::from_value(fields)?;
    match serde_json::to_value(form)? {
        Value::Object(fields) => Ok(fields),
        _ => Err(serde::ser::Error::custom("a hierarchy is a table of keys")),
    }
}

fn structure<F: Form>(fields: Value) -> Result<Arc<dyn Structure>, HierarchyError> {
    let unread = |error: serde_json::Error| HierarchyError::Parameters(error.to_string().into());
    let form: F = serde_json::from_value(fields).map_err(unread)?;
    Ok(Arc::new(form.structure()?))
}

/// A definition of one of the [`KINDS`]: its fields, as its form writes them.
#[derive(Debug, Clone)]
pub struct OfKind {
    kind: &'static Kind,
    fields: Map<String, Value>,
}

impl PartialEq for OfKind {
    fn eq(&self, other: &Self) -> bool {
        self.kind.name == other.kind.name && self.fields == other.fields
    }
}

impl Serialize for OfKind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.fields.serialize(serializer)
    }
}

impl JsonSchema for OfKind {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "OfKind".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let kinds: Vec<Schema> = KINDS.iter().map(|kind| (kind.schema)(generator)).collect();
        schemars::json_schema!({ "anyOf": kinds })
    }
}

impl OfKind {
    /// A definition of a kind from what was written.
    ///
    /// # Errors
    /// What the form says of fields that it cannot read.
    pub(super) fn read(kind: &'static Kind, fields: Map<String, Value>) -> Result<Self, serde_json::Error> {
        Ok(Self { kind, fields: (kind.canonical)(Value::Object(fields))? })
    }

    /// The name of its kind.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.kind.name
    }

    /// What others need to know of its kind.
    #[must_use]
    pub fn facts(&self) -> Facts {
        self.kind.facts
    }

    /// Its fields, as manifests have them.
    #[must_use]
    pub fn fields(&self) -> &Map<String, Value> {
        &self.fields
    }

    /// The form, if it is that one.
    #[must_use]
    pub fn form<F: Form>(&self) -> Option<F> {
        let fields = (self.kind.name == F::NAME).then(|| Value::Object(self.fields.clone()))?;
        serde_json::from_value(fields).ok()
    }

    /// What follows from it.
    ///
    /// # Errors
    /// [`HierarchyError::Parameters`] if its parts contradict each other.
    pub fn structure(&self) -> Result<Arc<dyn Structure>, HierarchyError> {
        (self.kind.structure)(Value::Object(self.fields.clone()))
    }
}

/// A definition of one of the [`KINDS`] with what follows from it.
#[derive(Debug, Clone)]
pub struct Standard {
    of: OfKind,
    structure: Arc<dyn Structure>,
}

impl PartialEq for Standard {
    fn eq(&self, other: &Self) -> bool {
        self.of == other.of
    }
}

impl Standard {
    /// What follows from a definition.
    ///
    /// # Errors
    /// [`HierarchyError::Parameters`] if its parts contradict each other.
    pub fn new(of: &OfKind) -> Result<Self, HierarchyError> {
        Ok(Self { of: of.clone(), structure: of.structure()? })
    }

    /// What others need to know of its kind.
    #[must_use]
    pub fn facts(&self) -> Facts {
        self.of.facts()
    }

    /// What it knows of values.
    #[must_use]
    pub fn structure(&self) -> &dyn Structure {
        &*self.structure
    }
}
