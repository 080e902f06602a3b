//! Linked tables from folder and recipe to a release, read back by code of the tests' own.

mod attacked;
mod cells;
mod folder;
mod naive;
mod omop;
mod originals;
mod refused;
mod tables;
