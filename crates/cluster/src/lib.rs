//! Reduction and rewriting on a cluster of Apache Ballista, and its nodes. The only crate that names
//! Ballista, and empty without the feature `ballista`.
//!
//! `reduce` asks the cluster for the counts of distinct combinations and proves the answer before anyone
//! uses it: an executor that dies at the wrong moment can make Ballista lose groups, count them twice or
//! never answer. `rewrite` has released records written there in parts and compares each part with what
//! must stand in it. `Scheduler` and `Executor` run the nodes. `Certificates` are what driver and nodes know
//! each other by. What the proofs catch: docs/cluster.md.

#[cfg(feature = "ballista")]
mod certificate;
#[cfg(feature = "ballista")]
mod client;
#[cfg(feature = "ballista")]
mod error;
#[cfg(feature = "ballista")]
mod location;
#[cfg(feature = "ballista")]
mod node;
#[cfg(feature = "ballista")]
mod private;
#[cfg(feature = "ballista")]
mod proof;
#[cfg(feature = "ballista")]
mod reduce;
#[cfg(feature = "ballista")]
mod rewrite;
#[cfg(feature = "ballista")]
mod stand_in;
#[cfg(feature = "ballista")]
mod statement;
#[cfg(feature = "ballista")]
mod store;
#[cfg(feature = "ballista")]
mod table;

#[cfg(feature = "ballista")]
pub use certificate::{Certificates, Issued, issue, issued};
#[cfg(feature = "ballista")]
pub use client::Settings;
#[cfg(feature = "ballista")]
pub use error::{ClusterError, Fault, Words};
#[cfg(feature = "ballista")]
pub use location::is_remote;
#[cfg(feature = "ballista")]
pub use node::{Executor, ListeningNode, Protection, Scheduler};
#[cfg(feature = "ballista")]
pub use reduce::{Reduced, reduce};
#[cfg(feature = "ballista")]
pub use rewrite::{rewrite, writable};
#[cfg(feature = "ballista")]
pub use stand_in::StandIn;
