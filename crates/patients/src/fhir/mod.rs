//! FHIR R4 in and out: resources to tables whose columns are paths of elements, and back.

mod element;
mod flatten;
mod released;
mod write;

pub(crate) use flatten::{Days, flattened};
pub(crate) use released::Released;
pub(crate) use write::write;
