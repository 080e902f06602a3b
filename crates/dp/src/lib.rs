//! The randomness that protects: a seed, independent streams of a cryptographically secure
//! generator (ChaCha20), and samplers that are exact (integer arithmetic, no floating point).
//!
//! A leaf of the workspace: nothing here knows of tables, models or methods.

mod alternating;
mod bernoulli;
mod budget;
mod cells;
mod choose;
mod door;
mod gaussian;
mod keeper;
mod noise;
mod outward;
mod rare;
mod rational;
mod sample;
mod sampled;
mod seed;
mod tape;
mod watch;
mod zcdp;

pub use bernoulli::{bernoulli, bernoulli_exp, thin};
pub use budget::{Budget, BudgetError, Loss, Spend};
pub use cells::{CellCounts, CellLaw, clamped};
pub use choose::choose;
pub use door::{Cost, Door, DoorError, Paid};
pub use gaussian::Gaussian;
pub use keeper::{Answers, Doorkeeper, Passed};
pub use noise::{Geometric, TwoSided};
pub use rare::Rare;
pub use rational::{Rational, RationalError};
pub use sample::{Empirical, TruncatedGeometric, below};
pub use sampled::{ClassCounts, ClassName, SampleLaw};
pub use seed::{Seed, SeedError, Stream};
pub use tape::{Answer, Answered, Difference, Query, Tape, Wild};
pub use watch::{WatchLaw, Watched};
pub use zcdp::Zcdp;
