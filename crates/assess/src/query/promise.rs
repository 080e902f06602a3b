//! Of which records the bounds hold, if of any.

use serde_json::{Value, json};
use velamen_core::number::percent;
use velamen_measure::ErrorBars;
use velamen_report::{Manifest, OfMethod};
use velamen_search::method::Records;
use velamen_sql::QueriedTable;

use super::noisy::NoisyTables;

/// Of which records the bounds of an answer hold.
#[derive(Debug, Clone, PartialEq)]
pub struct Guarantee {
    /// Why there are no bounds; empty where there are.
    pub none: Option<&'static str>,
    /// The share of records in the random sample that was released, if one was: estimates and bounds are of it,
    /// not of all original records.
    pub sample: Option<f64>,
    /// The probability with which the bounds hold, where they follow from noisy counts.
    pub confidence: Option<f64>,
    /// The table that was asked.
    pub source: QueriedTable,
    /// Columns of which a generalized or suppressed record can have had a value that no record shows.
    pub unseen: Vec<String>,
}

impl Guarantee {
    /// What a release can promise of a query that uses some columns.
    pub(super) fn of(manifest: &Manifest, source: QueriedTable, used: &[&str]) -> Self {
        let kept = manifest.method.kept();
        let of_records = match manifest.facts().records {
            Records::Noisy { .. } => Some("the released records are noisy counts"),
            Records::Invented => Some("the released records are invented"),
            Records::Sampled => Some("a random sample was drawn and its small classes were dropped"),
            Records::Relocated => Some("relocated records have values of other records"),
            Records::Truthful | Records::Aggregated => None,
        };
        let none = if of_records.is_some() {
            of_records
        } else if manifest.counterfeits.is_none() {
            Some("the method does not tell its counterfeits")
        } else if manifest.truthful == Some(false) {
            Some("released values are averages that nobody need have had")
        } else if used.iter().any(|name| manifest.is_pseudonym(name)) {
            Some("it uses pseudonyms, which are not the original values")
        } else if used.iter().any(|name| manifest.is_replaced(name)) {
            Some("it uses dates that were moved")
        } else {
            None
        };
        Self { none, sample: manifest.sample.or(kept), confidence: None, source, unseen: Vec::new() }
    }

    /// Where records follow noisy counts: their bounds, or why there are none.
    pub(super) fn follow(&mut self, noisy: &NoisyTables) {
        if noisy.is_empty() {
            self.none =
                Some("the records are invented, and no noisy counts are of all these columns together");
        } else {
            (self.none, self.confidence) = (None, Some(ErrorBars::CONFIDENCE));
        }
    }

    /// The sentences that explain an answer.
    #[must_use]
    pub fn sentences(&self) -> Vec<String> {
        if let Some(reason) = self.none {
            let without = format!("Estimates only, without bounds: {reason}.");
            return [without].into_iter().chain(self.of_sample("The estimates are")).collect();
        }
        if let Some(confidence) = self.confidence {
            return vec![format!(
                "Of the original records that were counted, those within the declared domains, each count lies between lower and upper with a probability of at least {}. The bounds \
                 follow from noisy counts; sums, means and shares have none.",
                percent(confidence)
            )];
        }
        let of = match self.of_sample("Estimates and bounds are") {
            Some(of) => of,
            None => "The answer on the original records lies between lower and upper, both included.".into(),
        };
        let mut sentences = vec![of];
        if !self.unseen.is_empty() {
            sentences.push(format!(
                "The release does not tell all values of {}: hidden records may have others, which no group shows and \
                 which may fulfil any condition.",
                self.unseen.join(", ")
            ));
        }
        sentences
    }

    fn of_sample(&self, what: &str) -> Option<String> {
        self.sample.map(|share| {
            format!(
                "{what} of the random sample that was released (a share of {share} of the records), not of all original \
                 records."
            )
        })
    }

    pub(super) fn to_json(&self) -> Value {
        json!({
            "bounds": self.none.is_none(),
            "of": match (self.none, self.sample) {
                (Some(_), _) => Value::Null,
                (None, Some(_)) => "sample".into(),
                (None, None) => "original".into(),
            },
            "confidence": self.confidence,
            "table": self.source.name(),
            "unseen-values": self.unseen,
            "notes": self.sentences(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn estimates_of_a_sample_are_said_to_be_of_it() {
        let sentences = |none, sample| {
            Guarantee { none, sample, confidence: None, source: QueriedTable::Release, unseen: Vec::new() }
                .sentences()
                .join(" ")
        };
        let of = "of the random sample that was released (a share of 0.3 of the records), not of all";
        assert!(sentences(None, Some(0.3)).starts_with(&format!("Estimates and bounds are {of}")));
        let without = sentences(Some("a reason"), Some(0.3));
        assert!(without.starts_with("Estimates only, without bounds: a reason. The estimates are "));
        assert!(without.contains(of));
        assert!(!sentences(Some("a reason"), None).contains("sample"));
    }
}
