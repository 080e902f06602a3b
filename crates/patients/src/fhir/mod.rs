//! FHIR R4 in and out: resources to tables whose columns are paths of elements, and back.

mod addresses;
mod bands;
mod components;
mod dates;
mod element;
mod extensions;
mod files;
mod flatten;
mod found;
mod held;
mod human;
mod json;
mod kinds;
mod medications;
mod modifiers;
mod places;
mod released;
mod resource;
mod row;
mod units;
mod versions;
mod write;
mod wrong;

pub(crate) use extensions::EXTENSIONS;
pub(crate) use flatten::{Asked, Days, flattened};
pub(crate) use held::Held;
pub(crate) use places::{Places, Within};
pub(crate) use released::rows_of;
pub(crate) use write::write;
