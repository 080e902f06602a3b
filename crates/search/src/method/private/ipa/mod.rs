//! Informative attribute preserving anonymization (IPA), Lee and Chung 2020: generalized quasi-identifiers,
//! raw sensitive values.

pub mod private;
pub mod published;
