//! How far a released table is from its original, attribute by attribute and pair by pair.
//!
//! Values are places on a scale of leaves; a released value covers runs of them ([`Cover`]), and stands
//! for each of its leaves alike.

pub mod association;
mod cover;
pub mod shift;

pub use cover::{Cover, Run};
