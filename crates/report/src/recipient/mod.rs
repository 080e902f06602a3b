//! What a recipient needs to use a release.

mod shown;

pub use shown::shown;
