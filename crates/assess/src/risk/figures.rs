//! The figures of one table or release.

use schemars::JsonSchema;
use serde::Serialize;
use velamen_core::context::Context;
use velamen_measure::risk::class_sizes::{Bin, bins, by_size, sizes_of, without_each};
use velamen_measure::risk::people::Holdings;
use velamen_measure::risk::reidentification::{Risk, Risks, is_above};
use velamen_measure::risk::special_uniques::{
    Scored, SpecialUniques, dis, dis_suda, special_uniques, special_uniques_of_people,
};
use velamen_recipe::JobError;
use velamen_report::matching::Matching;

use super::population::{Population, PopulationFigures};
use super::subject::{ReleaseFacts, Subject};

/// The threshold of a request that names none.
const USUAL_THRESHOLD: f64 = 0.2;

/// Thresholds that somebody asks for, with who does, and whether they mean the highest risk alone.
const THRESHOLDS: [(f64, &str, bool); 4] = [
    (USUAL_THRESHOLD, "1/5, classes of 5", false),
    (1.0 / 11.0, "1/11, classes of 11: CMS cell sizes", true),
    (0.09, "0.09: EMA Policy 0070, Health Canada", true),
    (0.05, "1/20, classes of 20: for everybody", false),
];

/// What is asked of each table.
pub(super) struct AskedFigures {
    pub(super) threshold: Option<f64>,
    pub(super) special_uniques: usize,
}

/// The figures of a table or a release.
#[derive(Debug, JsonSchema, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct RiskFigures {
    /// Records, suppressed ones included.
    pub records: u64,
    /// People in classes, where a column says whose the records are: uniques, class sizes, risks and special uniques then count
    /// people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub people: Option<u64>,
    /// Suppressed records of a release: in no class, and in no figure that follows.
    pub suppressed: u64,
    /// Equivalence classes.
    pub classes: u64,
    /// Records, or people, that are alone in their class.
    pub uniques: u64,
    /// The least class; of records that cannot be told apart where missing values match any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub least_class: Option<u64>,
    /// Classes by size, in powers of two.
    pub class_sizes: Vec<Bin>,
    /// The three adversaries; none where every record is suppressed. Where people are counted, the prosecutor picks a record:
    /// a person's risk is the largest share of the records of one of her classes that are hers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub risks: Option<Risks>,
    /// The prosecutor's risk where people are counted and one of the people of a class is picked instead of a record.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub person_picked: Option<Risk>,
    /// The thresholds that somebody asks for.
    pub thresholds: Vec<Threshold>,
    /// Released counterfeits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub counterfeits: Option<Counterfeits>,
    /// The population, if anything is known of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub population: Option<PopulationFigures>,
    /// Special uniques, if they were looked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub special_uniques: Option<SpecialUniques>,
    /// The probability that a unique match is right, where the sampling fraction is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dis: Option<Dis>,
    /// Each quasi-identifier.
    pub attributes: Vec<Attribute>,
}

/// A threshold and whether the table keeps it.
#[derive(Debug, Clone, JsonSchema, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Threshold {
    /// Who asks for it.
    pub name: String,
    /// The highest risk that is allowed.
    pub threshold: f64,
    /// Against an adversary who knows that the person is in the table.
    pub prosecutor: Verdict,
    /// Against an adversary who knows the population, where anything is known of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub journalist: Option<Verdict>,
}

/// Whether a threshold is kept.
#[derive(Debug, Clone, Copy, JsonSchema, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Verdict {
    /// By every record.
    pub highest_met: bool,
    /// By the mean; left out where those who ask for the threshold mean the highest risk alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mean_met: Option<bool>,
    /// Records above it; of people those whom either way to pick finds, by records or by people, whichever are more.
    pub records_at_risk: u64,
    /// Their share.
    pub share_at_risk: f64,
}

/// What counterfeits hide.
#[derive(Debug, Clone, Copy, JsonSchema, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Counterfeits {
    /// How many there are.
    pub counterfeits: u64,
    /// Real records in classes.
    pub real_records: u64,
    /// The highest risk that the catalog does not rule out, if all could be told from real records.
    pub highest_if_told_apart: f64,
    /// The mean risk of a real record then: at most one right match a class.
    pub mean_if_told_apart: f64,
}

/// DIS and how it is shared out.
#[derive(Debug, Clone, Copy, JsonSchema, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Dis {
    /// Of the whole table.
    pub dis: f64,
    /// The highest DIS-SUDA of a record, where special uniques were looked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub highest_dis_suda: Option<f64>,
}

/// What one quasi-identifier does.
#[derive(Debug, Clone, JsonSchema, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Attribute {
    /// Its name.
    pub name: String,
    /// Distinct values in classes.
    pub values: u64,
    /// The share of all scores of special uniques that sets with it have.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contribution: Option<f64>,
    /// Classes if it is left out.
    pub classes_without: u64,
    /// Records, or people, alone in their class if it is left out.
    pub uniques_without: u64,
    /// The prosecutor's mean risk if it is left out.
    pub mean_risk_without: f64,
}

/// What each special unique comes to.
pub(super) struct RecordScores {
    pub(super) scored: Vec<Scored>,
    /// DIS-SUDA of each, where DIS is known.
    pub(super) dis_suda: Option<Vec<f64>>,
}

impl AskedFigures {
    /// The figures, and the scores of single records.
    pub(super) fn figures(
        &self,
        subject: &Subject,
        population: &Population,
        context: &Context<'_>,
    ) -> Result<(RiskFigures, RecordScores), JobError> {
        // Sets of attributes that hold missing values that match any make no record unique.
        let looked_for = self.special_uniques > 0 && !subject.has_wildcards();
        let mut special = match (looked_for, subject.split()) {
            (false, _) => None,
            (true, None) => Some(special_uniques(subject.columns(), self.special_uniques, context)?),
            (true, Some(split)) => {
                Some(special_uniques_of_people(&subject.codes, split, self.special_uniques, context)?)
            }
        };
        context.progress.step("measuring the risk", 0, 0);
        let scored = special.as_mut().map(|special| std::mem::take(&mut special.scored)).unwrap_or_default();
        let sizes = by_size(subject.counts.iter().copied());
        let share =
            population.fraction(subject).and_then(|fraction| dis(of(&sizes, 1), of(&sizes, 2), fraction));
        let scores: Vec<f64> = scored.iter().map(|record| record.score).collect();
        let shared = share.filter(|_| looked_for).map(|dis| dis_suda(&scores, dis));
        let highest = shared.as_ref().map(|shared| shared.iter().copied().fold(0.0, f64::max));
        let (release, threshold) = (subject.release.as_ref(), self.threshold.unwrap_or(USUAL_THRESHOLD));
        let suppressed = release.map_or(0, |release| release.suppressed);
        let figures = RiskFigures {
            records: subject.records() + suppressed,
            suppressed,
            classes: subject.counts.len() as u64,
            people: subject.holdings().map(Holdings::people),
            uniques: subject.alone(),
            least_class: subject.sizes().iter().copied().min(),
            class_sizes: bins(subject.sizes().iter().copied().zip(subject.counts.iter().copied())),
            risks: adversaries(subject, population, threshold),
            person_picked: subject.holdings().and_then(|holdings| holdings.by_person(threshold)),
            thresholds: self.thresholds(subject, population),
            counterfeits: release.and_then(|release| counterfeits(subject, release)),
            population: population.figures(subject),
            attributes: attributes(subject, special.as_ref(), context)?,
            special_uniques: special,
            dis: share.map(|dis| Dis { dis, highest_dis_suda: highest }),
        };
        Ok((figures, RecordScores { scored, dis_suda: shared }))
    }

    fn thresholds(&self, subject: &Subject, population: &Population) -> Vec<Threshold> {
        let own = self.threshold.map(|threshold| (threshold, "as asked for", false));
        let known = !matches!(population, Population::Unknown);
        let all = own.into_iter().chain(THRESHOLDS);
        all.filter_map(|(threshold, name, highest_only)| {
            let risks = adversaries(subject, population, threshold)?;
            let picked = subject.holdings().and_then(|holdings| holdings.by_person(threshold));
            let prosecutor = picked.map_or(risks.prosecutor, |picked| picked.or_worse(risks.prosecutor));
            Some(Threshold {
                name: name.into(),
                threshold,
                prosecutor: Verdict::new(&prosecutor, threshold, highest_only),
                journalist: known.then(|| Verdict::new(&risks.journalist, threshold, highest_only)),
            })
        })
        .collect()
    }
}

impl Verdict {
    fn new(risk: &Risk, threshold: f64, highest_only: bool) -> Self {
        Self {
            highest_met: !is_above(risk.highest, threshold),
            mean_met: (!highest_only).then(|| !is_above(risk.mean, threshold)),
            records_at_risk: risk.records_at_risk,
            share_at_risk: risk.share_at_risk,
        }
    }
}

/// The risks of the adversaries.
fn adversaries(subject: &Subject, population: &Population, threshold: f64) -> Option<Risks> {
    let matching = subject.release.as_ref().and_then(|release| release.matching.as_ref());
    let of_release = || matching.and_then(|matching| matching.risk(threshold));
    let of_people = subject.holdings().and_then(|holdings| holdings.by_record(threshold));
    match (of_people.or_else(of_release), population) {
        (Some(one), Population::Unknown) => Some(Risks { prosecutor: one, journalist: one, marketer: one }),
        (own, _) => {
            let found = population.risks(subject, threshold)?;
            Some(Risks { prosecutor: own.unwrap_or(found.prosecutor), ..found })
        }
    }
}

/// How many classes have a size.
fn of(sizes: &[(u64, u64)], size: u64) -> u64 {
    sizes.iter().find(|(other, _)| *other == size).map_or(0, |(_, classes)| *classes)
}

fn attributes(
    subject: &Subject,
    special: Option<&SpecialUniques>,
    context: &Context<'_>,
) -> Result<Vec<Attribute>, JobError> {
    let parts = without_each(subject.columns(), context)?;
    Ok(parts.iter().enumerate().map(|(q, parts)| attribute(subject, special, q, parts)).collect())
}

/// What a quasi-identifier does, by the parts that the classes are in without it.
fn attribute(subject: &Subject, special: Option<&SpecialUniques>, q: usize, parts: &[u32]) -> Attribute {
    let (classes_without, uniques_without, mean_risk_without) = without(subject, parts);
    let mut values = subject.codes[q].clone();
    values.sort_unstable();
    values.dedup();
    Attribute {
        name: subject.names[q].clone(),
        values: values.len() as u64,
        contribution: special.map(|special| special.contributions[q]),
        classes_without,
        uniques_without,
        mean_risk_without,
    }
}

/// Classes, uniques and the prosecutor's mean risk where classes are put together.
fn without(subject: &Subject, parts: &[u32]) -> (u64, u64, f64) {
    if let Some(merged) = subject.holdings().map(|holdings| holdings.merged(parts)) {
        let mean = merged.by_record(1.0).map_or(0.0, |risk| risk.mean);
        return (merged.sizes().len() as u64, merged.alone(), mean);
    }
    let sizes = sizes_of(parts, &subject.counts);
    let classes: u64 = sizes.iter().map(|(_, classes)| classes).sum();
    (classes, of(&sizes, 1), classes as f64 / subject.records().max(1) as f64)
}

/// What the catalog's counterfeits hide; `None` without any.
fn counterfeits(subject: &Subject, release: &ReleaseFacts) -> Option<Counterfeits> {
    let counterfeits = release.counterfeits.filter(|number| *number > 0)?;
    let real_records = subject.records().saturating_sub(counterfeits);
    Some(Counterfeits {
        counterfeits,
        real_records,
        highest_if_told_apart: match &release.matching {
            Some(Matching::Catalog(doubts)) => doubts.highest_if_told_apart(),
            _ => 1.0,
        },
        mean_if_told_apart: (subject.counts.len() as f64 / real_records.max(1) as f64).min(1.0),
    })
}
