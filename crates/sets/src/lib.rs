//! Persons' sets of codes: k^m-anonymity by thinning, its oracle, and what a set betrays.
//!
//! A leaf: it knows persons and items as numbers, and nothing of tables, dates or files.
