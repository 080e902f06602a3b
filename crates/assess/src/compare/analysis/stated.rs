//! The analyses that are asked for: a file, formulas, or groups alone.

use std::collections::BTreeMap;
use std::path::Path;

use schemars::{JsonSchema, schema_for};
use serde::{Deserialize, Serialize};
use toml::Spanned;
use velamen_analysis::{Formula, Outcome};
use velamen_core::error::Problem;
use velamen_recipe::JobError;

/// A file has at most so many bytes.
const LONGEST: u64 = 1 << 20;
/// A file has at most so many analyses.
const MOST: usize = 200;

/// What is estimated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AnalysisKind {
    /// The mean of a number in each group.
    Mean,
    /// The share of a value in each group.
    Proportion,
    /// What each group's mean or share is above that of the first group.
    Difference,
    /// The odds of a value in each group against those in the first.
    OddsRatio,
    /// Pearson's correlation of two numbers.
    Correlation,
    /// Linear regression.
    Linear,
    /// Logistic regression.
    Logistic,
    /// The share that survives beyond given times, in each group.
    KaplanMeier,
    /// Cox's proportional hazards.
    Cox,
}

impl AnalysisKind {
    /// As people call it.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Mean => "Means",
            Self::Proportion => "Proportions",
            Self::Difference => "Differences",
            Self::OddsRatio => "Odds ratios",
            Self::Correlation => "Correlation",
            Self::Linear => "Linear regression",
            Self::Logistic => "Logistic regression, odds ratios",
            Self::KaplanMeier => "Kaplan–Meier survival",
            Self::Cox => "Cox regression, hazard ratios",
        }
    }
}

/// How released ranges and sets of values are read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum RangeReading {
    /// As the release's own values lie in them, by its narrower ranges and exact values.
    Fitted,
    /// Numbers by the middle of the range, other values by equal shares of the set.
    Middle,
    /// By both ends; of means and proportions alone.
    Bounds,
    /// By several random draws as the release's own values lie, combined by Rubin's rules.
    #[default]
    Draws,
}

/// How events of one time are ordered in Cox's regression.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TieRule {
    /// Efron's approximation.
    #[default]
    Efron,
    /// Breslow's approximation.
    Breslow,
}

/// One analysis of a file.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct AnalysisEntry {
    /// How the results call it; the formula if left out.
    pub name: Option<String>,
    /// What is estimated; if left out, a regression that fits the outcome.
    pub kind: Option<AnalysisKind>,
    /// Such as `stay ~ age + sex`, `Surv(days, died) ~ age` or `stay ~ 1`.
    pub formula: String,
    /// The value of the outcome, or of the event, that counts; the second of two if left out.
    pub value: Option<String>,
    /// The times of `kaplan-meier`.
    #[serde(default)]
    pub at: Vec<f64>,
    /// The rule of ties of `cox`.
    #[serde(default)]
    pub ties: TieRule,
    /// By attribute, the value that others are held against; the first if left out.
    #[serde(default)]
    pub reference: BTreeMap<String, String>,
    /// How ranges are read, where it is not as in the rest of the file.
    pub reading: Option<RangeReading>,
}

impl AnalysisFile {
    /// The JSON Schema of files of analyses, for editors.
    #[must_use]
    pub fn schema() -> serde_json::Value {
        let mut schema = schema_for!(Self).to_value();
        schema["title"] = "Velamen analyses".into();
        schema
    }
}

impl AnalysisEntry {
    /// A formula alone.
    pub(super) fn of(formula: String) -> Self {
        Self {
            name: None,
            kind: None,
            formula,
            value: None,
            at: Vec::new(),
            ties: TieRule::default(),
            reference: BTreeMap::new(),
            reading: None,
        }
    }
}

/// A file of analyses.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct AnalysisFile {
    /// The level of the confidence intervals, 0.95 if left out.
    pub level: Option<f64>,
    /// How ranges are read.
    pub reading: Option<RangeReading>,
    /// How many draws, 10 if left out.
    pub draws: Option<u32>,
    /// The analyses.
    #[schemars(with = "Vec<AnalysisEntry>")]
    pub analysis: Vec<Spanned<AnalysisEntry>>,
}

/// An analysis with where it stands.
#[derive(Debug, Clone)]
pub(crate) struct Stated {
    pub(super) entry: AnalysisEntry,
    pub(super) formula: Formula,
    /// For messages: file and line, or the option.
    pub(super) place: String,
}

/// All analyses with what holds for each.
#[derive(Debug, Clone)]
pub(crate) struct StatedAnalyses {
    pub(super) level: f64,
    pub(super) reading: RangeReading,
    pub(super) draws: u32,
    pub(super) stated: Vec<Stated>,
}

impl Stated {
    pub(super) fn new(entry: AnalysisEntry, place: String) -> Result<Self, JobError> {
        let formula = entry.formula.parse::<Formula>().map_err(|error| {
            let problem = format!("`formula`, column {}: {}", error.column, error.problem);
            JobError::usage(
                Problem::new(problem).expected("such as `stay ~ age + sex`").after(&format!("{place}: ")),
            )
        })?;
        let stated = Self { entry, formula, place };
        stated.check()?;
        Ok(stated)
    }

    pub(super) fn refuse(&self, problem: Problem) -> JobError {
        JobError::usage(problem.after(&format!("{}: ", self.place)))
    }

    /// What can be refused without a table.
    fn check(&self) -> Result<(), JobError> {
        use AnalysisKind::{Correlation, Cox, Difference, KaplanMeier, OddsRatio};
        let kind = self.entry.kind;
        let survival = matches!(self.formula.outcome, Outcome::Survival { .. });
        let timed = matches!(kind, Some(KaplanMeier | Cox));
        if kind.is_some() && survival != timed {
            let problem = Problem::new("outcome and kind do not go together");
            return Err(
                self.refuse(problem.expected("`Surv(time, event)` with `kaplan-meier` and `cox` alone"))
            );
        }
        let terms = self.formula.terms.len();
        if matches!(kind, Some(Difference | OddsRatio | Correlation)) && terms != 1 {
            return Err(
                self.refuse(Problem::new(format!("{terms} terms")).expected("one term for this kind"))
            );
        }
        if terms == 0 && (kind == Some(Cox) || (survival && kind.is_none())) {
            return Err(self.refuse(Problem::new("no term").expected("a term at least")));
        }
        let wants_times = kind == Some(KaplanMeier);
        let times = &self.entry.at;
        if wants_times == times.is_empty() || times.iter().any(|at| !(at.is_finite() && *at >= 0.0)) {
            let expected = "times from 0 up with `kaplan-meier`, and with no other kind";
            return Err(self.refuse(Problem::new("`at`").expected(expected)));
        }
        Ok(())
    }
}

/// The analyses of texts, each a formula or the path of a file, and those of groups.
pub(crate) fn stated(texts: &[String], reading: RangeReading) -> Result<StatedAnalyses, JobError> {
    let mut all = StatedAnalyses { level: 0.95, reading, draws: 10, stated: Vec::new() };
    let files = texts.iter().filter(|text| !is_formula(text)).count();
    if files > 1 {
        let problem =
            Problem::new(format!("{files} files")).expected("one file of analyses, and any formulas");
        return Err(JobError::usage(problem.after("--analysis: ")));
    }
    for text in texts {
        if is_formula(text) {
            let entry = AnalysisEntry::of(text.clone());
            all.stated.push(Stated::new(entry, format!("--analysis {text:?}"))?);
        } else {
            all.add_file(Path::new(text))?;
        }
    }
    if all.stated.len() > MOST {
        let problem = Problem::new(format!("{} analyses", all.stated.len()));
        return Err(JobError::usage(problem.expected(format!("at most {MOST}")).after("--analysis: ")));
    }
    Ok(all)
}

fn is_formula(text: &str) -> bool {
    text.contains('~') && Path::new(text).extension().is_none_or(|extension| extension != "toml")
}

impl StatedAnalyses {
    fn add_file(&mut self, path: &Path) -> Result<(), JobError> {
        let size =
            std::fs::metadata(path).map_err(|error| JobError::io(path, "read the analyses", &error))?.len();
        if size > LONGEST {
            let problem = Problem::new(format!("a file of analyses has at most {} MiB", LONGEST >> 20));
            return Err(JobError::usage(problem.after(&format!("{}: ", path.display()))));
        }
        let text =
            std::fs::read_to_string(path).map_err(|error| JobError::io(path, "read the analyses", &error))?;
        let file: AnalysisFile = toml::from_str(&text).map_err(|error| wrong_toml(path, &text, &error))?;
        self.level = file.level.unwrap_or(self.level);
        self.reading = file.reading.unwrap_or(self.reading);
        self.draws = file.draws.unwrap_or(self.draws);
        let wrong = |what: &str, expected: &str| {
            JobError::usage(Problem::new(what).expected(expected).after(&format!("{}: ", path.display())))
        };
        if !(self.level > 0.5 && self.level < 1.0) {
            return Err(wrong("`level`", "a number above 0.5 and below 1"));
        }
        if !(2..=1000).contains(&self.draws) {
            return Err(wrong("`draws`", "a whole number from 2 to 1000"));
        }
        for entry in file.analysis {
            let place = format!("{}: line {}", path.display(), line_of(&text, entry.span().start));
            self.stated.push(Stated::new(entry.into_inner(), place)?);
        }
        Ok(())
    }
}

fn wrong_toml(path: &Path, text: &str, error: &toml::de::Error) -> JobError {
    let line = error.span().map_or(1, |span| line_of(text, span.start));
    JobError::usage(format!("{}: line {line}: {}", path.display(), error.message()))
}

fn line_of(text: &str, at: usize) -> usize {
    text.as_bytes()[..at.min(text.len())].iter().filter(|byte| **byte == b'\n').count() + 1
}
