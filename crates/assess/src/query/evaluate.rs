//! What each pattern of released cells can mean for an aggregate.
//!
//! A *pattern* is a combination of released labels in the columns that a query uses, of one stratum. Its
//! records can have had any combination of the leaves that the labels cover. The *focus* of an aggregate
//! are the columns of its groups and its value: their leaves are gone through one by one, the other
//! columns' only within the conditions that name them, which are independent of each other once the
//! focus is fixed.

use std::collections::HashMap;

use velamen_core::context::Context;
use velamen_recipe::JobError;
use velamen_sql::{Aggregate, ColumnInfo, ColumnValues, Condition, Engine, Leaves, Scalar, Use};

use super::combination::{ByCombination, Key, Pattern, Span, Truth, advance, place};
use super::domain::{Domain, UNSEEN};
use super::joint::{Joint, Tree};
use super::parts::{Hits, Parts};

/// The most combinations of values that an expression is evaluated on.
const MOST_COMBINATIONS: usize = 4_000_000;

/// The values that are added up, and the least and the greatest that a hidden one can be.
type Valued<'t> = (&'t ByCombination<Option<Span>>, (f64, f64));

/// A grouping: the keys that its leaves have.
#[derive(Debug)]
pub(super) struct Grouping {
    columns: Vec<usize>,
    sizes: Vec<usize>,
    codes: Vec<u32>,
    /// The keys, in the order of the leaves; `None` is NULL.
    pub(super) keys: Vec<Option<String>>,
    pub(super) numeric: bool,
}

/// What a query is evaluated with.
pub(super) struct Evaluator<'a> {
    pub(super) engine: &'a Engine,
    pub(super) columns: &'a [ColumnInfo],
    /// By column; empty where it is not used.
    pub(super) domains: &'a [Domain],
    pub(super) rules: &'a [Option<velamen_core::hierarchy::Rule>],
    /// The most steps that an aggregate may take.
    pub(super) most_steps: u64,
    pub(super) context: &'a Context<'a>,
}

/// A condition, evaluated on all leaves of its columns.
enum EvaluatedCondition {
    All(Vec<EvaluatedCondition>),
    Any(Vec<EvaluatedCondition>),
    Joint(Joint),
}

/// A key as a number, if it is one.
fn as_number(text: &Option<String>) -> Option<Result<f64, &str>> {
    text.as_ref().map(|text| text.parse().map_err(|_| &**text))
}

/// Counts steps and looks for Ctrl-C.
struct Steps<'a> {
    taken: u64,
    most: u64,
    context: &'a Context<'a>,
}

impl Steps<'_> {
    fn take(&mut self, steps: u64) -> Result<(), JobError> {
        self.taken = self.taken.saturating_add(steps);
        if self.taken > self.most {
            return Err(JobError::usage(format!(
                "the query needs more than {} steps: generalized and suppressed records can \
                    have had too many combinations of values in the columns it names together",
                self.most
            ))
            .mend("use fewer columns, or level(column, n)"));
        }
        Ok(self.context.check()?)
    }
}

impl<'a> Evaluator<'a> {
    /// The keys of a grouping.
    pub(super) fn grouping(&self, scalar: &Scalar, most: usize) -> Result<Grouping, JobError> {
        let columns = scalar.columns();
        let (leaves, sizes) = self.leaves(scalar, &columns)?;
        let stop = || self.context.check().is_err();
        let (texts, numeric) = self.engine.texts(scalar, &leaves, &stop).map_err(super::wrong)?;
        if let Some(decimals) = self.decimals(&columns, &leaves) {
            let (others, _) = self.engine.texts(scalar, &decimals, &stop).map_err(super::wrong)?;
            self.settled(&columns, texts.iter().map(as_number).eq(others.iter().map(as_number)))?;
        }
        let (mut known, mut keys) = (HashMap::new(), Vec::new());
        let code = |text: Option<String>| {
            *known.entry(text.clone()).or_insert_with(|| {
                keys.push(text);
                keys.len() as u32 - 1
            })
        };
        let codes: Vec<u32> = texts.into_iter().map(code).collect();
        if keys.len() > most {
            let found = keys.len();
            return Err(JobError::usage(format!("GROUP BY would give {found} groups, more than {most}"))
                .mend("group by level(column, n), or raise --groups"));
        }
        Ok(Grouping { columns, sizes, codes, keys, numeric })
    }

    fn leaves(&self, scalar: &Scalar, columns: &[usize]) -> Result<(Vec<Leaves>, Vec<usize>), JobError> {
        let leaves: Vec<Leaves> = columns.iter().map(|&column| self.leaves_of(scalar, column)).collect();
        let sizes: Vec<usize> = leaves.iter().map(|leaves| leaves.size).collect();
        let size = sizes.iter().try_fold(1usize, |product, &size| product.checked_mul(size));
        if size.is_none_or(|size| size > MOST_COMBINATIONS) {
            let name = |&column: &usize| {
                format!("{} ({} values)", self.columns[column].name, self.domains[column].texts.len())
            };
            let names: Vec<String> = columns.iter().map(name).collect();
            return Err(JobError::usage(format!(
                "an expression names {} together, which have more than {MOST_COMBINATIONS} combinations",
                names.join(" and ")
            ))
            .mend("name fewer columns in one comparison"));
        }
        Ok((leaves, sizes))
    }

    /// The leaves of a column, in every use that an expression has of it.
    fn leaves_of(&self, scalar: &Scalar, column: usize) -> Leaves {
        let uses: Vec<(String, Use)> = scalar
            .uses()
            .iter()
            .filter(|used| used.column == column)
            .map(|used| (used.name(self.columns), used.clone()))
            .collect();
        self.domains[column].leaves(&uses, self.rules[column].as_ref())
    }

    /// The leaves of an expression as decimals, where the shown values are whole and hidden ones need not be.
    fn decimals(&self, columns: &[usize], leaves: &[Leaves]) -> Option<Vec<Leaves>> {
        let mut changed = false;
        let mut decimal = |(&column, leaves): (&usize, &Leaves)| {
            let mut leaves = leaves.clone();
            for (_, values) in &mut leaves.uses {
                if let (true, ColumnValues::Whole(whole)) =
                    (self.domains[column].unseen.contains(&true), &*values)
                {
                    *values =
                        ColumnValues::Number(whole.iter().map(|value| value.map(|v| v as f64)).collect());
                    changed = true;
                }
            }
            leaves
        };
        let leaves = columns.iter().zip(leaves).map(&mut decimal).collect();
        changed.then_some(leaves)
    }

    /// Refuses an expression that means another thing for whole numbers than for decimals.
    fn settled(&self, columns: &[usize], same: bool) -> Result<(), JobError> {
        if same {
            return Ok(());
        }
        let names: Vec<&str> = columns.iter().map(|&column| &*self.columns[column].name).collect();
        Err(JobError::usage(format!(
            "the release hides values of {}, which may have decimals, and the answer depends on that",
            names.join(" or ")
        ))
        .mend(format!(
            "divide by a number with decimals, as in `{} / 2.0`, or write FLOOR({} / 2.0)",
            names[0], names[0]
        )))
    }

    fn node(&self, condition: Condition) -> Result<EvaluatedCondition, JobError> {
        let nodes = |children: Vec<Condition>| -> Result<Vec<EvaluatedCondition>, JobError> {
            children.into_iter().map(|child| self.node(child)).collect()
        };
        match condition {
            Condition::All(children) => Ok(EvaluatedCondition::All(nodes(children)?)),
            Condition::Any(children) => Ok(EvaluatedCondition::Any(nodes(children)?)),
            Condition::Joined(condition) => Ok(EvaluatedCondition::Joint(Joint::new(self.tree(*condition)?))),
            atom @ Condition::Atom(_) => Ok(EvaluatedCondition::Joint(Joint::new(self.tree(atom)?))),
        }
    }

    fn tree(&self, condition: Condition) -> Result<Tree, JobError> {
        let trees = |children: Vec<Condition>| -> Result<Vec<Tree>, JobError> {
            children.into_iter().map(|child| self.tree(child)).collect()
        };
        match condition {
            Condition::All(children) => Ok(Tree::All(trees(children)?)),
            Condition::Any(children) => Ok(Tree::Any(trees(children)?)),
            Condition::Joined(condition) => self.tree(*condition),
            Condition::Atom(scalar) => {
                let columns = scalar.columns();
                let (leaves, sizes) = self.leaves(&scalar, &columns)?;
                let stop = || self.context.check().is_err();
                let values = self.engine.conditions(&scalar, &leaves, &stop).map_err(super::wrong)?;
                if let Some(decimals) = self.decimals(&columns, &leaves) {
                    let others = self.engine.conditions(&scalar, &decimals, &stop).map_err(super::wrong)?;
                    self.settled(&columns, values == others)?;
                }
                Ok(Tree::Atom(ByCombination { columns, sizes, values }))
            }
        }
    }

    /// What the patterns' records do for an aggregate.
    ///
    /// Time: O(patterns · combinations of the focus' leaves in their cells).
    pub(super) fn parts(
        &self,
        aggregate: &Aggregate,
        groupings: &[Grouping],
        patterns: &[Pattern],
    ) -> Result<Parts, JobError> {
        let mut focus: Vec<usize> = groupings.iter().flat_map(|grouping| grouping.columns.clone()).collect();
        focus.extend(aggregate.value.iter().flat_map(Scalar::columns));
        focus.sort_unstable();
        focus.dedup();
        let value = aggregate.value.as_ref().map(|scalar| self.value(scalar)).transpose()?;
        let anything = (f64::NEG_INFINITY, f64::INFINITY);
        let range = aggregate.value.as_ref().and_then(Scalar::range).unwrap_or(anything);
        let mut condition = self.node(aggregate.condition.clone().independent(&focus))?;
        let mut steps = Steps { taken: 0, most: self.most_steps, context: self.context };
        let mut parts = Parts::default();
        for pattern in patterns {
            let covered: Vec<Vec<u32>> =
                focus.iter().map(|&column| self.domains[column].of_label(pattern.labels[column])).collect();
            let (hits, combinations) = {
                let mut view = PatternView { evaluator: self, pattern, focus: &focus, steps: &mut steps };
                let value = value.as_ref().map(|table| (table, range));
                view.hits(&covered, groupings, value, &mut condition)?
            };
            parts.add(pattern, hits, combinations, aggregate.kind);
        }
        Ok(parts)
    }

    /// Least, greatest and middle value by combination of leaves; `None` is NULL.
    fn value(&self, scalar: &Scalar) -> Result<ByCombination<Option<Span>>, JobError> {
        let columns = scalar.columns();
        let (leaves, sizes) = self.leaves(scalar, &columns)?;
        let stop = || self.context.check().is_err();
        let numbers = self.engine.numbers(scalar, &leaves, &stop).map_err(super::wrong)?;
        if let Some(decimals) = self.decimals(&columns, &leaves) {
            let others = self.engine.numbers(scalar, &decimals, &stop).map_err(super::wrong)?;
            self.settled(&columns, numbers == others)?;
        }
        let column = columns.first().copied().filter(|_| scalar.is_column());
        let spans = (0..).zip(numbers).map(|(leaf, number)| Some(self.span(column, leaf, number?)));
        let values = spans.collect();
        Ok(ByCombination { columns, sizes, values })
    }

    /// Least, greatest and middle value of a leaf of a column by itself, or of a number.
    fn span(&self, column: Option<usize>, leaf: u32, number: f64) -> Span {
        let span = column.and_then(|column| self.domains[column].span(leaf));
        span.unwrap_or((number, number, number))
    }
}

/// One pattern, looked at with an aggregate's focus.
struct PatternView<'v, 'a> {
    evaluator: &'v Evaluator<'a>,
    pattern: &'v Pattern,
    focus: &'v [usize],
    steps: &'v mut Steps<'a>,
}

impl PatternView<'_, '_> {
    /// By group what the pattern's records do, and over how many combinations of leaves.
    fn hits(
        &mut self,
        covered: &[Vec<u32>],
        groupings: &[Grouping],
        value: Option<Valued<'_>>,
        condition: &mut EvaluatedCondition,
    ) -> Result<(Hits, u64), JobError> {
        let combinations = covered.iter().fold(1u64, |product, c| product.saturating_mul(c.len() as u64));
        self.steps.take(combinations)?;
        let weights = self.focus.iter().zip(covered).map(|(&column, leaves)| self.weights(column, leaves));
        let weights: Vec<Vec<f64>> = weights.collect();
        let mut at = vec![0; covered.len()];
        let mut hits = Hits::new();
        for _ in 0..combinations {
            let leaves: Vec<u32> = at.iter().zip(covered).map(|(&at, leaves)| leaves[at]).collect();
            let weight = at.iter().zip(&weights).map(|(&at, weights)| weights[at]).product();
            self.combination(&leaves, weight, groupings, value, condition, &mut hits)?;
            advance(&mut at, covered);
        }
        Ok((hits, combinations))
    }

    /// The shares of the leaves that a label covers; values nobody sees get none.
    fn weights(&self, column: usize, leaves: &[u32]) -> Vec<f64> {
        let weight = |&leaf: &u32| match leaf {
            UNSEEN => 0.0,
            leaf => self.evaluator.domains[column].weights[leaf as usize],
        };
        let weights: Vec<f64> = leaves.iter().map(weight).collect();
        let sum: f64 = weights.iter().sum();
        if sum > 0.0 { weights.iter().map(|weight| weight / sum).collect() } else { vec![1.0; weights.len()] }
    }

    fn combination(
        &mut self,
        leaves: &[u32],
        weight: f64,
        groupings: &[Grouping],
        value: Option<Valued<'_>>,
        condition: &mut EvaluatedCondition,
        hits: &mut Hits,
    ) -> Result<(), JobError> {
        let mut truth = self.truth(condition, leaves)?;
        if !truth.possible {
            return Ok(());
        }
        let fixed = |column: &usize| leaves[self.focus.binary_search(column).expect("columns of the focus")];
        let unseen = |columns: &[usize]| columns.iter().map(fixed).any(|leaf| leaf == UNSEEN);
        let span = match value {
            None => (1.0, 1.0, 1.0),
            Some((value, (low, high))) if unseen(&value.columns) => {
                truth.certain = false;
                (low, high, 0.0)
            }
            Some((value, _)) => match value.at(value.columns.iter().map(fixed)) {
                Some(span) => span,
                None => return Ok(()),
            },
        };
        let key = |grouping: &Grouping| {
            (!unseen(&grouping.columns))
                .then(|| grouping.codes[place(&grouping.sizes, grouping.columns.iter().map(fixed))])
        };
        let key: Option<Key> = groupings.iter().map(key).collect();
        hits.entry(key).or_default().add(weight, truth, span);
        Ok(())
    }

    fn truth(&mut self, node: &mut EvaluatedCondition, leaves: &[u32]) -> Result<Truth, JobError> {
        match node {
            EvaluatedCondition::All(children) => {
                let mut all = Truth { share: 1.0, certain: true, possible: true };
                for child in children {
                    let truth = self.truth(child, leaves)?;
                    all.share *= truth.share;
                    all.certain &= truth.certain;
                    all.possible &= truth.possible;
                }
                Ok(all)
            }
            EvaluatedCondition::Any(children) => {
                let mut none = Truth { share: 1.0, certain: false, possible: false };
                for child in children {
                    let truth = self.truth(child, leaves)?;
                    none.share *= 1.0 - truth.share;
                    none.certain |= truth.certain;
                    none.possible |= truth.possible;
                }
                Ok(Truth { share: 1.0 - none.share, ..none })
            }
            EvaluatedCondition::Joint(joint) => self.joint(joint, leaves),
        }
    }

    /// The truth of a condition: focus columns at their leaves, the others anywhere in their cells.
    fn joint(&mut self, joint: &mut Joint, leaves: &[u32]) -> Result<Truth, JobError> {
        let fixed = |column: usize| self.focus.binary_search(&column).ok().map(|at| leaves[at]);
        let key: Key = joint.columns.iter().map(|&c| fixed(c).unwrap_or(self.pattern.labels[c])).collect();
        if let Some(truth) = joint.known.get(&key) {
            return Ok(*truth);
        }
        let domains = self.evaluator.domains;
        let (mut kinds, mut unseen) = (Vec::new(), false);
        for (at, &column) in joint.columns.iter().enumerate() {
            let covered = match fixed(column) {
                Some(leaf) => vec![leaf],
                None => domains[column].of_label(self.pattern.labels[column]),
            };
            unseen |= covered.contains(&UNSEEN);
            self.steps.take(covered.len() as u64)?;
            kinds.push(joint.grouped(at, &covered, &self.weights(column, &covered)));
        }
        let combinations = kinds.iter().fold(1u64, |product, k| product.saturating_mul(k.len() as u64));
        self.steps.take(combinations)?;
        let truth = if combinations == 0 { Truth::UNKNOWN } else { joint.spread(&kinds, unseen) };
        joint.known.insert(key, truth);
        Ok(truth)
    }
}
