//! The parts that a recipe is built of.
//!
//! ```
//! use velamen::recipe::models::distinct_l_diversity::DistinctLDiversityParams;
//! use velamen::recipe::{AttributeSection, Definition, Role, json};
//! use velamen::{Error, Recipe};
//!
//! let ages = Definition::Interval { interval: vec![5.0, 10.0], min: 0.0, max: 99.0, decimals: 0 };
//! let ages = AttributeSection {
//!     hierarchy: Some(ages.into()),
//!     max_level: Some(1),
//!     ..AttributeSection::of(Role::QuasiIdentifier)
//! };
//! let recipe = Recipe::builder()
//!     .attribute("age", ages)
//!     .sensitive("diagnosis")
//!     .privacy("k-anonymity", json!({ "k": 5 }))
//!     .privacy("distinct-l-diversity", DistinctLDiversityParams { l: 2 })
//!     .method("optimal", json!({ "suppression-limit": 0.05 }));
//! let text = recipe.to_toml()?;
//! assert!(text.contains("max-level = 1"));
//! assert_eq!(Recipe::in_memory(&text)?.privacy.len(), 2);
//! # Ok::<_, Error>(())
//! ```

pub use serde_json::json;
pub use velamen_contract::model as models;
pub use velamen_core::frequency::Role;
pub use velamen_core::hierarchy::{Ages, Definition, Ordered};
pub use velamen_recipe::{
    AttributeSection, DomainSection, HierarchySection, InputSection, MethodSection, OutputSection,
    PrivacySection, RecipeBuilder, ReportSection,
};
