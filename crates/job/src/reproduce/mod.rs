//! The papers' experiments again: published beside measured.

pub mod lee2017;
