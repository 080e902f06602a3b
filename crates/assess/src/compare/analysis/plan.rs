//! An analysis bound to the attributes of two tables.

use velamen_analysis::{
    Estimate, NotEstimable, Outcome, Records, Ties, correlation, cox, difference_of_means,
    difference_of_proportions, kaplan_meier, linear, logistic, mean, odds_ratio, proportion,
};
use velamen_core::error::Problem;
use velamen_recipe::JobError;

use super::frame::Frame;
use super::stated::{AnalysisKind, Stated, TieRule};
use super::variables::{MOST_LEVELS, Variable, Variables};

/// Estimates by name, or why there is none at all.
pub(super) type Estimates = Result<Vec<Named>, NotEstimable>;

/// An estimate by its name, or why there is none.
pub(super) type Named = (String, Result<Estimate, NotEstimable>);

/// A group: its name, and by variable a level.
type GroupOf = (String, Vec<(usize, usize)>);

/// Groups beyond this are no analysis.
const MOST_GROUPS: usize = 200;

/// A term: an attribute, whether by levels, and the level that others are held against.
struct BoundTerm {
    variable: usize,
    factor: bool,
    reference: usize,
}

/// What is estimated of whom.
pub(super) struct Plan<'a> {
    pub(super) kind: AnalysisKind,
    stated: &'a Stated,
    variables: &'a [Variable],
    outcome: usize,
    /// The time beside an event.
    time: Option<usize>,
    /// The level of the outcome that counts.
    value: Option<usize>,
    terms: Vec<BoundTerm>,
}

/// Which end of ranges the outcome is read by.
#[derive(Clone, Copy)]
pub(super) enum End {
    Middle,
    Lowest,
    Highest,
}

impl<'a> Plan<'a> {
    /// # Errors
    /// [`JobError::usage`] where attributes and kind do not go together.
    pub(super) fn new(stated: &'a Stated, table: &'a Variables) -> Result<Self, JobError> {
        let (outcome, time) = match &stated.formula.outcome {
            Outcome::Attribute(name) => (table.find(name, stated)?, None),
            Outcome::Survival { time, event } => {
                (table.find(event, stated)?, Some(table.find(time, stated)?))
            }
        };
        let variables = &table.variables;
        let kind = kind(stated, &variables[outcome], time.is_some())?;
        let mut plan = Self { kind, stated, variables, outcome, time, value: None, terms: Vec::new() };
        for term in &stated.formula.terms {
            let variable = table.find(&term.attribute, stated)?;
            plan.terms.push(plan.term(variable, term.factor)?);
        }
        plan.value = plan.counted_value()?;
        plan.check(table)?;
        Ok(plan)
    }

    fn refuse(&self, problem: Problem) -> JobError {
        self.stated.refuse(problem)
    }

    fn is_grouped(&self) -> bool {
        use AnalysisKind::{Difference, KaplanMeier, Mean, OddsRatio, Proportion};
        matches!(self.kind, Mean | Proportion | Difference | OddsRatio | KaplanMeier)
    }

    fn term(&self, variable: usize, factor: bool) -> Result<BoundTerm, JobError> {
        let described = &self.variables[variable];
        let factor = factor || !described.numeric || self.is_grouped();
        let correlated = self.kind == AnalysisKind::Correlation;
        if correlated && !described.numeric {
            let problem = Problem::new(format!("attribute `{}` has no numbers", described.name));
            return Err(self.refuse(problem.expected("numbers for a correlation")));
        }
        let factor = factor && !correlated;
        let reference = match (factor, self.stated.entry.reference.get(&described.name)) {
            (_, None) => 0,
            (true, Some(label)) => self.level(described, label, "reference")?,
            (false, Some(_)) => {
                let problem =
                    Problem::new(format!("`reference`: attribute `{}` has numbers", described.name));
                return Err(self.refuse(problem.mend("write `factor(…)` around it")));
            }
        };
        if factor {
            self.levels(described)?;
        }
        Ok(BoundTerm { variable, factor, reference })
    }

    fn levels(&self, variable: &'a Variable) -> Result<&'a [String], JobError> {
        variable.levels.as_deref().ok_or_else(|| {
            let problem = Problem::new(format!("attribute `{}` has too many values", variable.name));
            self.refuse(
                problem.expected(format!("at most {MOST_LEVELS} where values are counted or grouped by")),
            )
        })
    }

    /// The place of a level, whose label is not repeated: it may stand for a cell.
    fn level(&self, variable: &'a Variable, label: &str, key: &str) -> Result<usize, JobError> {
        self.levels(variable)?.iter().position(|level| level == label).ok_or_else(|| {
            let problem = Problem::new(format!("`{key}`: not a value of `{}`", variable.name));
            self.refuse(problem.expected("a value as the original has it"))
        })
    }

    /// The level of the outcome that counts, where the kind counts one.
    fn counted_value(&self) -> Result<Option<usize>, JobError> {
        use AnalysisKind::{Correlation, Difference, Linear, Mean, Proportion};
        let variable = &self.variables[self.outcome];
        let given = self.stated.entry.value.as_deref();
        match (self.kind, given) {
            (Mean | Linear | Correlation, Some(_)) => {
                let problem = Problem::new("`value` beside an outcome that is read as a number");
                Err(self.refuse(problem.mend("leave `value` out")))
            }
            (Mean | Linear | Correlation, None) => Ok(None),
            (_, Some(label)) => self.level(variable, label, "value").map(Some),
            (Difference, None) if variable.numeric => Ok(None),
            (Proportion, None) => self.levels(variable).map(|_| None),
            (_, None) if self.levels(variable)?.len() == 2 => Ok(Some(1)),
            (_, None) => {
                let problem = Problem::new(format!("attribute `{}` does not have two values", variable.name));
                Err(self.refuse(problem.mend("say by `value` which one counts")))
            }
        }
    }

    fn check(&self, table: &Variables) -> Result<(), JobError> {
        use AnalysisKind::{Correlation, Linear, Mean};
        let numeric = matches!(self.kind, Mean | Linear | Correlation);
        let must = self.time.into_iter().chain(numeric.then_some(self.outcome));
        for variable in must.map(|variable| &table.variables[variable]) {
            if !variable.numeric {
                let problem = Problem::new(format!("attribute `{}` has no numbers", variable.name));
                return Err(self
                    .refuse(problem.expected("numbers where a mean, a regression or a time is asked for")));
            }
        }
        if self.terms.iter().any(|term| term.variable == self.outcome || Some(term.variable) == self.time) {
            return Err(self.refuse(Problem::new("an attribute stands on both sides of `~`")));
        }
        let compares = matches!(self.kind, AnalysisKind::Difference | AnalysisKind::OddsRatio);
        if compares && self.groups().len() < 2 {
            let problem = Problem::new("the original has one group, which differs from no other");
            return Err(self.refuse(problem.expected("two groups or more behind `~`")));
        }
        if self.is_grouped() && self.groups().len() > MOST_GROUPS {
            let problem = Problem::new(format!("{} groups", self.groups().len()));
            return Err(self.refuse(problem.expected(format!("at most {MOST_GROUPS}"))));
        }
        Ok(())
    }

    /// The variables, and whether by their levels.
    pub(super) fn used(&self) -> Vec<(usize, bool)> {
        use AnalysisKind::{Correlation, Linear, Mean};
        let by_level = match self.kind {
            Mean | Linear | Correlation => false,
            AnalysisKind::Difference => self.value.is_some(),
            _ => true,
        };
        let terms = self.terms.iter().map(|term| (term.variable, term.factor));
        let time = self.time.map(|time| (time, false));
        std::iter::once((self.outcome, by_level)).chain(time).chain(terms).collect()
    }

    /// Whether each record is in one group alone.
    pub(super) fn has_exact_groups(&self, frame: &Frame<'_>) -> bool {
        self.terms.iter().all(|term| frame.is_exact(term.variable))
    }

    /// What is estimated, by the names of the estimates.
    pub(super) fn estimates(&self, frame: &Frame<'_>, end: End) -> Estimates {
        use AnalysisKind::{
            Correlation, Cox, Difference, KaplanMeier, Linear, Logistic, Mean, OddsRatio, Proportion,
        };
        match self.kind {
            Mean | Proportion => Ok(self.by_group(frame, end)),
            Difference | OddsRatio => Ok(self.against_reference(frame)),
            KaplanMeier => Ok(self.survival(frame)),
            Correlation => Ok(vec![(self.correlated(), self.correlation(frame))]),
            Linear => linear(&frame.numbers(self.outcome, 0), &self.columns(frame), &frame.records),
            Logistic => logistic(&self.hits(frame), &self.columns(frame), &frame.records),
            Cox => {
                let ties = match self.stated.entry.ties {
                    TieRule::Efron => Ties::Efron,
                    TieRule::Breslow => Ties::Breslow,
                };
                let times = frame.numbers(self.time.expect("checked"), 0);
                cox(&times, &self.hits(frame), &self.columns(frame), &frame.records, ties)
            }
        }
    }

    fn columns(&self, frame: &Frame<'_>) -> Vec<velamen_analysis::Column> {
        self.terms.iter().flat_map(|term| frame.columns(term.variable, term.factor, term.reference)).collect()
    }

    /// The shares of the value that counts.
    fn hits(&self, frame: &Frame<'_>) -> Vec<f64> {
        frame.shares(self.outcome, self.value.unwrap_or(0))
    }

    /// The groups: by term a level, and their name.
    fn groups(&self) -> Vec<GroupOf> {
        let mut groups = vec![(String::new(), Vec::new())];
        for term in &self.terms {
            let variable = &self.variables[term.variable];
            let levels = variable.levels.as_deref().unwrap_or_default();
            let named = |label: &String| format!("{}: {label}", variable.name);
            let choices: Vec<GroupOf> = levels
                .iter()
                .enumerate()
                .map(|(at, label)| (named(label), vec![(term.variable, at)]))
                .collect();
            groups =
                groups.iter().flat_map(|group| choices.iter().map(move |one| both(group, one))).collect();
            if groups.len() > MOST_GROUPS {
                break;
            }
        }
        groups
    }

    fn by_group(&self, frame: &Frame<'_>, end: End) -> Vec<Named> {
        let variable = &self.variables[self.outcome];
        let mut found = Vec::new();
        for (name, levels) in self.groups() {
            let records = frame.group(&levels);
            let called =
                |what: &str| if name.is_empty() { what.to_owned() } else { format!("{what}, {name}") };
            if self.kind == AnalysisKind::Mean {
                let numbers = frame.numbers(self.outcome, end as usize);
                found.push((called(&variable.name), mean(&numbers, &records)));
                continue;
            }
            let all = 0..variable.levels.as_ref().map_or(0, Vec::len);
            for level in all.filter(|level| self.value.is_none_or(|value| value == *level)) {
                let label = &variable.levels.as_deref().unwrap_or_default()[level];
                let hits = at_end(frame.shares(self.outcome, level), end);
                found.push((called(&format!("{}: {label}", variable.name)), proportion(&hits, &records)));
            }
        }
        found
    }

    fn against_reference(&self, frame: &Frame<'_>) -> Vec<Named> {
        let term = &self.terms[0];
        let variable = &self.variables[term.variable];
        let labels = variable.levels.as_deref().unwrap_or_default();
        let group = |level: usize| frame.group(&[(term.variable, level)]);
        let first = group(term.reference);
        let others = (0..labels.len()).filter(|level| *level != term.reference);
        let name =
            |level: usize| format!("{}: {} against {}", variable.name, labels[level], labels[term.reference]);
        others.map(|level| (name(level), self.compared(frame, [&first, &group(level)]))).collect()
    }

    fn compared(&self, frame: &Frame<'_>, groups: [&Records; 2]) -> Result<Estimate, NotEstimable> {
        match (self.kind, self.value) {
            (AnalysisKind::OddsRatio, _) => odds_ratio(&self.hits(frame), groups),
            (_, Some(_)) => difference_of_proportions(&self.hits(frame), groups),
            (_, None) => difference_of_means(&frame.numbers(self.outcome, 0), groups),
        }
    }

    fn survival(&self, frame: &Frame<'_>) -> Vec<Named> {
        let times = frame.numbers(self.time.expect("checked"), 0);
        let events = self.hits(frame);
        let mut found = Vec::new();
        for (name, levels) in self.groups() {
            let records = frame.group(&levels);
            for at in &self.stated.entry.at {
                let name =
                    if name.is_empty() { format!("beyond {at}") } else { format!("{name}, beyond {at}") };
                found.push((name, kaplan_meier(&times, &events, &records, *at)));
            }
        }
        found
    }

    fn correlated(&self) -> String {
        let other = self.terms.first().map_or("", |term| &self.variables[term.variable].name);
        format!("{} and {other}", self.variables[self.outcome].name)
    }

    fn correlation(&self, frame: &Frame<'_>) -> Result<Estimate, NotEstimable> {
        let other = frame.numbers(self.terms[0].variable, 0);
        correlation(&frame.numbers(self.outcome, 0), &other, &frame.records)
    }
}

/// The records that two groups have in common.
fn both((name, levels): &GroupOf, (other, more): &GroupOf) -> GroupOf {
    let comma = if name.is_empty() { "" } else { ", " };
    (format!("{name}{comma}{other}"), levels.iter().chain(more).copied().collect())
}

/// Shares as they are, or counted only where certain, or wherever possible.
fn at_end(mut shares: Vec<f64>, end: End) -> Vec<f64> {
    for share in &mut shares {
        *share = match end {
            End::Middle => *share,
            End::Lowest => f64::from(*share >= 1.0),
            End::Highest => f64::from(*share > 0.0),
        };
    }
    shares
}

/// The kind that is stated, or the regression that fits.
fn kind(stated: &Stated, outcome: &Variable, timed: bool) -> Result<AnalysisKind, JobError> {
    let levels = outcome.levels.as_ref().map_or(usize::MAX, Vec::len);
    match stated.entry.kind {
        Some(kind) => Ok(kind),
        None if timed => Ok(AnalysisKind::Cox),
        None if levels == 2 || stated.entry.value.is_some() => Ok(AnalysisKind::Logistic),
        None if outcome.numeric => Ok(AnalysisKind::Linear),
        None => {
            let many = if levels < 2 { "one value" } else { "more than two values" };
            let problem = Problem::new(format!("attribute `{}` has {many}", outcome.name));
            Err(stated.refuse(problem.mend("say by `value` which one counts, or by `kind` what to estimate")))
        }
    }
}
