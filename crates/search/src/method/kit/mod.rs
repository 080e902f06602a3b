//! What methods share: their task, keys, facts and decisions, and what judges and evaluates. It knows no family of methods.

pub(in crate::method) mod adversary;
pub(in crate::method) mod decision;
pub(in crate::method) mod declared;
pub(in crate::method) mod each;
pub(in crate::method) mod error;
pub mod evaluate;
pub(in crate::method) mod exclusion;
pub(in crate::method) mod facts;
pub(in crate::method) mod informative;
pub(in crate::method) mod joint;
pub(in crate::method) mod judge;
pub mod keys;
pub(in crate::method) mod nodes;
pub mod search;
pub(in crate::method) mod shown;
pub(in crate::method) mod task;
pub mod unmet;
pub mod wildcards;
