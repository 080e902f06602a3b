//! The report of a release: one self-contained HTML page.
//!
//! The page needs no network and runs no script (a content security policy forbids both), reads well without
//! colour, prints on A4 and fits narrow screens. Every word of a [`Report`] is taken for untrusted text and
//! escaped. The same report always gives the same bytes.
//!
//! Pages need the feature `pages`. A build without it has the manifest, the files for recipients and what both rest on.

#![cfg_attr(
    not(feature = "pages"),
    allow(dead_code, reason = "of some modules pages use more than the rest does")
)]

mod alone;
mod apart;
mod asked;
#[cfg(feature = "pages")]
mod attributes;
#[cfg(feature = "pages")]
mod bins;
pub mod certain;
#[cfg(feature = "pages")]
pub mod chart;
#[cfg(feature = "pages")]
mod closing;
#[cfg(feature = "pages")]
mod distribution;
#[cfg(feature = "pages")]
mod fates;
#[cfg(feature = "pages")]
mod figures;
mod folder;
pub mod follows;
#[cfg(feature = "pages")]
pub mod forest;
#[cfg(feature = "pages")]
mod glance;
pub mod in_people;
pub mod keys;
pub mod language;
#[cfg(feature = "pages")]
mod limits;
pub mod manifest;
pub mod matching;
pub mod number;
#[cfg(feature = "pages")]
mod objections;
#[cfg(feature = "pages")]
pub mod of_release;
#[cfg(feature = "pages")]
mod one_person;
#[cfg(feature = "pages")]
mod page;
pub mod people;
pub mod printed;
pub mod recipient;
#[cfg(feature = "pages")]
mod risk;
#[cfg(feature = "pages")]
mod sections;
#[cfg(feature = "pages")]
mod sensitive;
mod shares;
mod spent_on;
mod strict;
pub mod telling;
#[cfg(all(test, feature = "pages"))]
mod tests;
#[cfg(feature = "pages")]
mod threshold;
#[cfg(feature = "pages")]
mod undeclared;
mod unrounded;
#[cfg(feature = "pages")]
mod verdict;
mod words;

#[cfg(feature = "pages")]
pub use distribution::NOWHERE;
#[cfg(feature = "pages")]
pub use figures::pictures;
pub use folder::{files, is_as_written, load};
#[cfg(feature = "pages")]
pub use glance::Glance;
pub use manifest::{DataFile, Manifest, OfMethod, data_path, set_reached};
#[cfg(feature = "pages")]
pub use of_release::of_release;
#[cfg(feature = "pages")]
pub use page::head;
#[cfg(feature = "pages")]
pub use page::{html, without_forbidden};
#[cfg(feature = "pages")]
pub use sensitive::similar;
pub use shares::{HIDDEN, Shares, distributions, normalise, place_of_labels};
#[cfg(feature = "pages")]
pub use verdict::state_in_words;
pub use words::promise as meaning;

use velamen_checker::State;
#[cfg(feature = "pages")]
use velamen_measure::risk::class_sizes::by_size;
#[cfg(feature = "pages")]
use velamen_measure::risk::people::Holdings;

#[cfg(feature = "pages")]
use crate::matching::Matching;

/// What the page shows. Empty lists leave their section out.
#[cfg(feature = "pages")]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// The language of the page.
    pub language: language::Language,
    /// The heading of the page.
    pub title: String,
    /// What the custodian says of the release: names and texts.
    pub about: Vec<(String, String)>,
    /// Whether the page is for the custodian only: it looks otherwise, on every printed page.
    pub confidential: bool,
    /// Who may read the page: "This page may be published with the release."
    pub audience_note: String,
    /// What has to be said before anything else; in place of the verdict, unless that is worse.
    pub warning: Option<String>,
    /// What speaks against the release though its promises are kept, in sentences; part of the verdict.
    pub objections: Vec<String>,
    /// Those of the objections that rest on whose the records can be: for the custodian, who knows it, they are replaced.
    pub untold: Vec<String>,
    /// The threshold that is asked for and met, in a sentence; part of the verdict.
    pub threshold: Option<String>,
    /// What the first figures need, where the page is about one table.
    pub glance: Option<Glance>,
    /// What a reader should know who reads nothing else, in plain sentences.
    pub in_short: Vec<String>,
    /// Labels and values: records, classes, suppressed, counterfeits, method. Plain numbers are grouped.
    pub summary: Vec<(String, String)>,
    /// What was asked for, in words: data, roles, method, parameters.
    pub asked: Vec<(String, String)>,
    /// What was promised, and whether it holds. The verdict at the top is built from these and the checks.
    pub promises: Vec<Promise>,
    /// What was checked besides, so that the promises can be relied on: that the file is what it says.
    pub checks: Vec<Promise>,
    /// What each step spent of a privacy budget: step, ε, δ.
    pub budget: Vec<[String; 3]>,
    /// Of invented records, by what was counted or chosen its share of the budget.
    pub spent_on: Vec<(String, f64)>,
    /// The risk that a person is found.
    pub risk: Option<Risk>,
    /// What was done to each attribute.
    pub attributes: Vec<Attribute>,
    /// What became of records: suppressed ones and counterfeits, in sentences.
    pub fates: Vec<String>,
    /// Whose sensitive value is certain by the original records, and what the suppressed had, in sentences; for the custodian
    /// only.
    pub originals: Vec<String>,
    /// Whether sizes of classes count people, who can have several records.
    pub counts_people: bool,
    /// Sizes of equivalence classes, and how many classes have each. The page bins them.
    pub class_sizes: Vec<(u64, u64)>,
    /// The same of the original records; for the custodian only.
    pub class_sizes_before: Vec<(u64, u64)>,
    /// The loss of every attribute.
    pub loss: Vec<(String, f64)>,
    /// Of invented records, the sets of attributes that were measured, and the most of the records that would have to change for
    /// their counts to be the original's.
    pub error_bars: Vec<(String, f64)>,
    /// Figures of what the release is still good for.
    pub utility: Vec<Metric>,
    /// What an adversary makes of the counterfeits; for the custodian only.
    pub telling: Vec<Metric>,
    /// Attributes before and after.
    pub distributions: Vec<Distribution>,
    /// What is compared in the distributions.
    pub distributions_note: String,
    /// What is not promised.
    pub limits: Vec<String>,
    /// How a reader can check the promises. An entry that begins with `$ ` is shown as a command; in the others,
    /// what stands between backticks is shown as code.
    pub how_to_check: Vec<String>,
    /// How programs read the folder: the program, and its code.
    pub reading: Vec<(String, String)>,
    /// Further remarks; backticks as above.
    pub notes: Vec<String>,
}

/// What the risk that a person is found is computed from.
#[cfg(feature = "pages")]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Risk {
    /// Class sizes of the original records; empty where they are not told.
    pub before: Vec<(u64, u64)>,
    /// Whose the original records are, where people are counted and these are told.
    pub(crate) people_before: Option<Holdings>,
    /// Class sizes of the release.
    pub after: Vec<(u64, u64)>,
    /// What decides on the risk besides the sizes of the release's classes.
    pub(crate) matching: Option<Matching>,
    /// The highest risk that the checker found with the catalog, where that is promised.
    pub(crate) checked: Option<f64>,
    /// The risk that recipe or preset asks for at most.
    pub(crate) asked: Option<AskedRisk>,
    /// How many persons of the population share a class's values at least, where that was counted.
    pub k_map: Option<u64>,
    /// Whether a promise is about a population whose table is not there.
    pub unchecked: bool,
    /// How many persons the population has, where that is known.
    pub population: Option<u64>,
    /// What the figures do not show.
    pub notes: Vec<String>,
}

/// The risk that somebody asks for at most.
#[cfg(feature = "pages")]
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct AskedRisk {
    pub(crate) risk: f64,
    /// Who asks: "The recipe".
    pub(crate) by: String,
}

#[cfg(feature = "pages")]
impl Report {
    /// The people of each group that are promised, where the release does not tell whose its records are.
    fn promised_people(&self) -> Option<u64> {
        self.risk.as_ref().and_then(Risk::promised_people)
    }

    /// Counts the people of the original records and of the released ones where the custodian knows whose they are.
    pub fn count_people(&mut self, before: Holdings, after: Holdings) {
        let sizes = [&before, &after].map(|holdings| by_size(holdings.sizes()));
        let [of_before, of_after] = sizes;
        let untold = std::mem::take(&mut self.untold);
        self.objections.retain(|one| !untold.contains(one));
        self.objections.extend(one_person::known(&after));
        if let Some(risk) = &mut self.risk {
            (risk.before, risk.after) = (of_before.clone(), of_after.clone());
            (risk.people_before, risk.matching) = (Some(before), Some(Matching::People(after)));
            risk.notes.retain(|note| note != in_people::UNTOLD_PEOPLE);
        }
        self.judge_threshold();
        if !self.class_sizes.is_empty() {
            self.class_sizes = of_after;
        }
        (self.class_sizes_before, self.counts_people) = (of_before, true);
    }

    /// What the figures of people make of the threshold that is asked for.
    fn judge_threshold(&mut self) {
        self.threshold = None;
        match self.risk.as_ref().and_then(|risk| threshold::asked_threshold(risk, false)) {
            Some((met, true)) => self.threshold = Some(met),
            Some((missed, false)) => self.objections.insert(0, missed),
            None => {}
        }
    }
}

/// A figure of utility.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Metric {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: f64,
    /// Its range, and which end is better.
    pub range: String,
    /// One sentence that says what it means.
    pub meaning: String,
}

/// What was done to an attribute.
#[cfg(feature = "pages")]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Attribute {
    /// Its name.
    pub name: String,
    /// Its role: "quasi-identifier".
    pub role: String,
    /// What was done: "level 2 of 4".
    pub what: String,
    /// How much of its detail is lost, 0 to 1, where that is known.
    pub loss: Option<f64>,
    /// What released values look like.
    pub examples: Vec<String>,
}

/// A promise of the release.
#[derive(Clone, Debug, PartialEq)]
pub struct Promise {
    /// Its name: "k-anonymity".
    pub name: String,
    /// What was asked: "k = 5".
    pub asked: String,
    /// What was reached: "k = 7".
    pub reached: String,
    /// What is known of it.
    pub state: State,
    /// One sentence that says what it means for a person in the data.
    pub meaning: String,
}

/// How often each value of an attribute occurs, before and after.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Distribution {
    /// The attribute.
    pub attribute: String,
    /// The values, in the order in which they are shown.
    pub labels: Vec<String>,
    /// What the first row of shares is: "before". Empty if there is nothing to compare with.
    pub before_name: String,
    /// Shares of records, 0 to 1, in the order of the labels; NaN or absent is missing.
    pub before: Vec<f64>,
    /// What the second row of shares is: "after".
    pub after_name: String,
    /// Shares of records, as above.
    pub after: Vec<f64>,
}
