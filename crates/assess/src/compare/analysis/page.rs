//! The analyses as a page to print.

use velamen_core::number::fixed;
use velamen_report::forest::{ForestPage, ForestRow, ForestSection, html};

use super::answer::{Analyses, AnalysisResult, EstimatePair};

/// The page of some analyses, for the custodian.
#[must_use]
pub fn page(found: &Analyses) -> String {
    html(&forest(found))
}

/// What that page shows.
#[must_use]
pub fn forest(found: &Analyses) -> ForestPage {
    let summary = format!(
        "Of {} estimates of the original, the release has {}. Their confidence intervals overlap by {:.1} % on average. Of {} \
         effects, {} have the same direction and {} the same significance; {} significant ones are turned around.",
        found.estimates,
        found.in_release,
        100.0 * found.mean_overlap,
        found.effects,
        found.same_sign,
        found.same_significance,
        found.turned
    );
    ForestPage {
        summary,
        level: found.level,
        sections: found.analyses.iter().map(section).collect(),
        assumptions: found.assumptions.clone(),
    }
}

fn section(analysis: &AnalysisResult) -> ForestSection {
    ForestSection {
        name: analysis.name.clone(),
        about: format!(
            "{}: {}. Records used: {} of the original, {} of the release; {} released ones show nothing of an attribute, {} \
             miss a value.",
            analysis.kind.words(),
            analysis.formula,
            fixed(analysis.original.used, 0),
            fixed(analysis.release.used, 0),
            fixed(analysis.release.hidden, 0),
            fixed(analysis.release.missing, 0)
        ),
        rows: analysis.estimates.iter().map(row).collect(),
    }
}

fn row(pair: &EstimatePair) -> ForestRow {
    ForestRow {
        name: pair.name.clone(),
        ratio: pair.ratio,
        effect: pair.is_effect(),
        sides: [pair.original, pair.release].map(|side| side.map(|f| [f.estimate, f.low, f.high])),
        overlap: pair.overlap,
        remark: pair.remark(),
    }
}

impl EstimatePair {
    /// What a reader should notice, in a few words.
    #[must_use]
    pub fn remark(&self) -> String {
        match (&self.problem, self.same_sign, self.same_significance) {
            (Some(problem), _, _) => problem.clone(),
            (None, Some(false), Some(true)) => "other direction".into(),
            (None, Some(false), _) => "other direction and significance".into(),
            (None, _, Some(false)) => "other significance".into(),
            _ => String::new(),
        }
    }
}
