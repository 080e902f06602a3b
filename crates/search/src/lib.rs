//! Privacy models, utility metrics, and the methods that look for a plan that keeps the one and is good by the other.
//!
//! Pure functions of a [`FrequencyTable`](velamen_core::frequency::FrequencyTable), parameters and a seed. Methods see
//! codes, never a string. The checker does not know this crate.

pub mod method;
pub mod metric;
pub mod model;
pub mod noisy;
