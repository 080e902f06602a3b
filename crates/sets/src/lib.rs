//! Persons' sets of codes: kᵐ-anonymity by thinning, its oracle, and what a set betrays.
//!
//! A leaf: it knows persons and items as numbers, and nothing of tables, dates or files.
//!
//! A release of sets is kᵐ-anonymous if each set of at most m released items that one person has, k persons have: who
//! knows m codes of somebody finds at least k persons, or none (Terrovitis, Mamoulis, Kalnis: "Privacy-preserving
//! anonymization of set-valued data", PVLDB 1(1), 2008). [`thin()`] reaches it by removing single codes from single persons.
//!
//! ```
//! use velamen_sets::{Asked, REMOVED, Sets, thin};
//!
//! // Three persons with codes 0 and 1, and one of them with code 2 besides.
//! let sets = Sets::from_pairs(3, vec![(0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (2, 1), (2, 2)]);
//! let asked = Asked { k: 3, m: 2, largest_set: 128 };
//! let thinned = thin(&sets, &[0; 3], &asked, None, &|| false)?;
//! assert_eq!(thinned.released, [0, 1, 0, 1, 0, 1, REMOVED]);
//! # Ok::<(), velamen_sets::Stopped>(())
//! ```

mod alone;
mod apriori;
mod asked;
mod classes;
mod count;
mod largest;
mod rho;
mod sets;
mod thin;
mod tree;
mod watch;

pub use alone::{Alone, alone};
pub use apriori::{Recoded, apriori};
pub use asked::{Asked, REMOVED};
pub use classes::{OUT, counts};
pub use largest::largest_k;
pub use rho::{Revealing, rho_uncertainty};
pub use sets::Sets;
pub use thin::{Objective, Thinned, thin, thin_for};
pub use tree::{Tree, TreeError};
pub use watch::Stopped;
