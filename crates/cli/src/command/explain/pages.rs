//! The pages of the documentation that the program carries, so that a message can name one wherever it is read.

use velamen_core::registry::{Named, Registry};

/// A page of the documentation.
#[derive(Debug)]
pub(super) struct Page {
    name: &'static str,
    /// The page in Markdown.
    pub(super) text: &'static str,
}

impl Named for Page {
    fn name(&self) -> &'static str {
        self.name
    }
}

impl Page {
    /// Its heading.
    pub(super) fn title(&self) -> &'static str {
        self.text.lines().next().unwrap_or_default().trim_start_matches("# ")
    }
}

/// All pages: the guides, then what methods, measurements and reproductions do.
pub(super) static PAGES: Registry<Page> = Registry::new(include!(concat!(env!("OUT_DIR"), "/pages.rs")));
