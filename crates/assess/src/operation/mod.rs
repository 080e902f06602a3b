//! Operations: what every front end offers, each a file here and a line in [`OPERATIONS`].
//!
//! An operation has a request and an answer with a JSON Schema each. From this one definition come the command line's
//! arguments and `--json`, the functions in Python and R, and the reference page. So every rule about a request, such as a
//! default, a range or what goes together, stands in the operation, and no front end has one.

mod advise;
mod attack;
mod audit;
mod check;
mod compare;
mod diff;
mod entry;
mod estimate;
mod evidence;
mod explore;
mod leak;
mod measure;
mod named;
mod profile;
mod property;
mod recipe;
mod risk;
mod table;
mod verify;

pub use advise::Advise;
pub use attack::{Attack, Attacked, Beside};
pub use audit::Audit;
pub use check::{Check, CheckAnswer};
pub use compare::Compare;
pub use diff::Diff;
pub use entry::{Concluded, Entry, Operation, request_of};
pub use estimate::{Estimate, EstimateFound};
pub use evidence::Evidence;
pub use explore::Explore;
pub use leak::Leak;
pub use measure::{Measure, Measured};
pub use profile::Profile;
pub use property::{Kind, Property};
pub use recipe::{RecipeText, TheRecipe};
pub use risk::{Risk, RiskFound};
pub use table::{Call, Given, Reading, Table, TableOrRelease};
pub use verify::{Finding, Verification, Verify, findings};

use velamen_core::registry::Registry;

/// All operations.
pub static OPERATIONS: Registry<Entry> = Registry::new(&[
    Entry::of::<Profile>(),
    Entry::of::<Check>(),
    Entry::of::<Estimate>(),
    Entry::of::<Explore>(),
    Entry::of::<Advise>(),
    Entry::of::<Verify>(),
    Entry::of::<Measure>(),
    Entry::of::<Risk>(),
    Entry::of::<Compare>(),
    Entry::of::<Attack>(),
    Entry::of::<Leak>(),
    Entry::of::<Audit>(),
    Entry::of::<Diff>(),
    Entry::of::<Evidence>(),
]);
