//! Methods, metrics, models, kinds of hierarchies and formats: what there is, and what a program adds.
//!
//! ```
//! use velamen::registries::{formats, methods, metrics, models};
//!
//! assert!(methods::REGISTRY.names().any(|name| name == "optimal"));
//! assert!(metrics::REGISTRY.names().any(|name| name == "lm"));
//! assert!(models::REGISTRY.find("k-anonymity").is_some());
//! // Formats that a build lacks are known, too: `lacks` names the feature.
//! assert!(formats::FORMATS.find("parquet").is_some_and(|format| format.lacks.is_none_or(|feature| feature == "parquet")));
//! ```
//!
//! What a program adds is one entry, and recipes can name it from then on. A metric of cells is its figure for a cell:
//! ```
//! use velamen::registries::metrics::{self, Aggregate, CellFigures, CellMetric, Entry, of_recoded};
//!
//! const CHANGED: CellMetric = CellMetric {
//!     name: "changed",
//!     summary: "the share of the cells that are not as they were",
//!     cell: |cell| if cell.climbed > 0.0 { 1.0 } else { 0.0 },
//!     suppressed: |_| 1.0,
//!     normalise: |sum, records, _, _| if records > 0.0 { sum / records } else { 0.0 },
//!     aggregate: Aggregate::ArithmeticMean,
//!     can_ignore_suppression: false,
//! };
//! static ENTRY: Entry = Entry {
//!     name: CHANGED.name,
//!     summary: CHANGED.summary,
//!     range: "0 to 1, less is better",
//!     words: "How many cells were made coarser, as a share.",
//!     needs_originals: false,
//!     more_is_better: false,
//!     aggregate: Some(CHANGED.aggregate),
//!     bind: |table, options| Box::new(CellFigures::new(CHANGED, table, options)),
//!     recoded: |of, options| of_recoded(CHANGED, of, options),
//! };
//!
//! assert!(metrics::REGISTRY.add(&ENTRY).is_ok());
//! assert!(metrics::find("changed").is_some());
//! ```
//! A method of another crate is added to `methods::REGISTRY` and its terms to `methods::TERMS`, where what reads releases finds them.
//! A model needs its check as well, in [`checks::CHECKS`]: nothing can be released that the checker does not know.

pub use schemars;
pub use serde;
pub use serde_json;
pub use velamen_core::{context, error, frequency, lattice, plan};

/// How releases are searched for.
pub mod methods {
    pub use velamen_contract::{Limits, Statement};
    pub use velamen_search::method::*;
}

/// What a release loses.
pub mod metrics {
    pub use velamen_search::metric::*;
}

/// What a class must be like: judges, and the terms that judge, check and reader share.
pub mod models {
    pub use velamen_contract::model as terms;
    pub use velamen_search::model::*;
}

/// What shows that a release keeps a model.
pub mod checks {
    pub use velamen_checker::model_check::*;
}

/// How values are generalized by their form, and the checks of it.
pub mod kinds {
    pub use velamen_checker::kind_check::*;
    pub use velamen_core::hierarchy::*;
}

/// How tables are read and written.
pub mod formats {
    pub use velamen_engine::format::*;
    pub use velamen_engine::sink::{Lines, OutTable};
    pub use velamen_engine::source::{Form, Header, Reading, SourceFile};
    pub use velamen_engine::{EngineError, Worker};
}
