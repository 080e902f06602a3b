//! The report of a release: one self-contained HTML page.
//!
//! The page needs no network and runs no script (a content security policy forbids both), reads well without
//! colour, prints on A4 and fits narrow screens. Every word of a [`Report`] is taken for untrusted text and
//! escaped. The same report always gives the same bytes.

mod bins;
mod distribution;
mod figures;
mod page;
mod sections;
#[cfg(test)]
mod tests;
mod verdict;

pub(crate) use page::head;
pub use page::html;

/// What the page tells. Empty lists leave their section out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// The heading of the page.
    pub title: String,
    /// Who may read the page: "This page may be published with the release."
    pub audience_note: String,
    /// Labels and values: records, classes, suppressed, counterfeits, method. Plain numbers are grouped.
    pub summary: Vec<(String, String)>,
    /// What was promised, and whether it holds. The verdict at the top is built from these.
    pub promises: Vec<Promise>,
    /// The lattice node of the release, one entry per quasi-identifier.
    pub node: Vec<NodeLevel>,
    /// Sizes of equivalence classes, and how many classes have each. The page bins them.
    pub class_sizes: Vec<(u64, u64)>,
    /// The loss of every attribute.
    pub loss: Vec<(String, f64)>,
    /// Metric, value, and one sentence that says what it means.
    pub utility: Vec<(String, f64, String)>,
    /// Attributes before and after.
    pub distributions: Vec<Distribution>,
    /// How a reader can check the promises. An entry that begins with `$ ` is shown as a command; in the others,
    /// what stands between backticks is shown as code.
    pub how_to_check: Vec<String>,
    /// Further remarks; backticks as above.
    pub notes: Vec<String>,
}

/// A promise of the release.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Promise {
    /// Its name: "k-anonymity".
    pub name: String,
    /// What was asked: "k = 5".
    pub asked: String,
    /// What was reached: "k = 7".
    pub reached: String,
    /// Whether what was asked holds.
    pub holds: bool,
    /// One sentence that says what it means for a person in the data.
    pub meaning: String,
}

/// The level at which an attribute is released.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NodeLevel {
    /// The attribute.
    pub attribute: String,
    /// Its level; 0 is the untouched value. `None` where classes have levels of their own.
    pub level: Option<usize>,
    /// How many levels its hierarchy has, level 0 counted, so that the top is `levels - 1`.
    pub levels: usize,
    /// The degree of generalization, 0 (untouched) to 1 (`*`).
    pub degree: f64,
    /// What a released value looks like.
    pub example: String,
}

/// How often each value of an attribute occurs, before and after.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Distribution {
    /// The attribute.
    pub attribute: String,
    /// A remark on how the two were counted; may be empty.
    pub note: String,
    /// The values, in the order in which they are shown.
    pub labels: Vec<String>,
    /// What the first row of shares is: "before".
    pub before_name: String,
    /// Shares of records, 0 to 1, in the order of the labels; NaN or absent is missing.
    pub before: Vec<f64>,
    /// What the second row of shares is: "after".
    pub after_name: String,
    /// Shares of records, as above.
    pub after: Vec<f64>,
}
