//! The front: the releases that no other beats in figure, highest risk, and share of records that are
//! suppressed or counterfeit.

use std::borrow::Cow;
use std::collections::{BTreeSet, VecDeque};

use serde::Serialize;
use serde_json::{Map, Value};
use velamen_core::context::Context;
use velamen_core::frequency::FrequencyTable;
use velamen_core::lattice::{Lattice, Node};
use velamen_core::release::Release;
use velamen_recipe::{JobError, key};
use velamen_report::matching::doubts;
use velamen_search::method::{Look, Nodes, Point, Task};

use super::loaded::Loaded;
use super::within;
use crate::utility::of_release;

/// The most solutions of a front; of more the extremes are kept, and others evenly by figure.
const MOST_SOLUTIONS: usize = 200;

/// Of larger lattices only so many nodes are looked at: those around the best one, the top and the bottom.
const MOST_NODES: usize = 1 << 16;

/// One release that could be made.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Solution {
    /// The level of each quasi-identifier; empty where classes have levels of their own.
    pub levels: Map<String, Value>,
    /// The figure that is minimised.
    pub value: f64,
    /// The highest risk of re-identification, with the catalog of counterfeits known.
    pub highest_risk: f64,
    /// The mean risk.
    pub mean_risk: f64,
    /// Suppressed records.
    pub suppressed: u64,
    /// Counterfeit records.
    pub counterfeits: u64,
    /// The share of released records that are suppressed or counterfeit.
    pub changed: f64,
    /// Classes.
    pub classes: u64,
    /// What `--set` needs to make it.
    pub set: Vec<String>,
}

/// What becomes of a front while nodes are looked at.
#[derive(Debug, Clone, Copy)]
pub enum FrontEvent<'a> {
    /// A solution that none so far beats.
    Added(&'a Solution),
    /// A solution that a later one beats.
    Retracted(&'a Solution),
}

/// The solutions that no other beats, the best figure first.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Front {
    /// The name of the figure.
    pub figure: String,
    /// The solutions.
    pub solutions: Vec<Solution>,
    /// Whether nodes were left out, so that others may beat these.
    pub partial: bool,
    /// Why there are no figures, where there are none.
    pub note: Option<String>,
}

const PRIVATE: &str = "the method is differentially private: exact figures of its table, and levels chosen by them, would \
                       spend budget that nobody counts; choose levels by what is public";

impl Front {
    /// Takes a solution unless one beats it, and drops those that it beats.
    fn offer(&mut self, solution: Solution, event: &mut dyn FnMut(FrontEvent<'_>)) {
        if self.solutions.iter().any(|other| !beats(&solution, other) && at_least_as_good(other, &solution)) {
            return;
        }
        self.solutions.retain(|other| {
            let stays = !beats(&solution, other);
            if !stays {
                event(FrontEvent::Retracted(other));
            }
            stays
        });
        event(FrontEvent::Added(&solution));
        self.solutions.push(solution);
    }

    /// In order, and no more than [`MOST_SOLUTIONS`].
    fn finished(mut self) -> Self {
        self.solutions
            .sort_by(|a, b| a.value.total_cmp(&b.value).then(a.highest_risk.total_cmp(&b.highest_risk)));
        let all = self.solutions.len();
        if all > MOST_SOLUTIONS {
            let best = |of: fn(&Solution) -> f64| {
                (0..all).min_by(|&a, &b| of(&self.solutions[a]).total_cmp(&of(&self.solutions[b])))
            };
            let extremes = [best(|s| s.value), best(|s| s.highest_risk), best(|s| s.changed)];
            let spread = (0..MOST_SOLUTIONS - extremes.len())
                .map(|at| at * (all - 1) / (MOST_SOLUTIONS - extremes.len() - 1));
            let kept: BTreeSet<usize> = spread.chain(extremes.into_iter().flatten()).collect();
            self.solutions = kept.into_iter().map(|at| self.solutions[at].clone()).collect();
        }
        self
    }
}

fn figures(solution: &Solution) -> [f64; 3] {
    [solution.value, solution.highest_risk, solution.changed]
}

fn at_least_as_good(one: &Solution, other: &Solution) -> bool {
    figures(one).iter().zip(figures(other)).all(|(one, other)| *one <= other)
}

/// Whether one is better than another in a figure and worse in none.
fn beats(one: &Solution, other: &Solution) -> bool {
    at_least_as_good(one, other) && figures(one) != figures(other)
}

impl Loaded<'_> {
    /// The solutions of the recipe's method that no other beats, as they are found and in the end. A method without
    /// lattice nodes gives one; a differentially private one none. `seconds` ends the look early.
    ///
    /// # Errors
    /// As [`Self::search`].
    pub fn front(
        &self,
        seconds: Option<f64>,
        event: &mut (dyn FnMut(FrontEvent<'_>) + Send),
        context: &Context<'_>,
    ) -> Result<Front, JobError> {
        if self.recipe.method.is_private() {
            return Ok(Front { note: Some(PRIVATE.into()), ..Front::default() });
        }
        let step = self.step();
        let table = step.prepared(Cow::Borrowed(&self.table))?;
        step.check(&table)?;
        match self.recipe.method.method.nodes() {
            None => self.single(&table, event, context),
            Some(nodes) => self.of_nodes(nodes, &table, seconds, event, context),
        }
    }

    fn of_nodes(
        &self,
        nodes: &dyn Nodes,
        table: &FrequencyTable,
        seconds: Option<f64>,
        event: &mut (dyn FnMut(FrontEvent<'_>) + Send),
        context: &Context<'_>,
    ) -> Result<Front, JobError> {
        let task = self.recipe.task(self.recipe.population_of(table));
        let lattice = task.lattice(table);
        let chosen = self.chosen(&lattice, &task, table, context)?;
        let mut front = Front { figure: nodes.figure().into(), ..Front::default() };
        let looked = within::seconds(seconds, |expired| {
            let task = Task { expired: Some(expired), ..task };
            let mut take = |point: Point| front.offer(solution(table, point), event);
            let look = Look { lattice: &lattice, nodes: &chosen, take: &mut take };
            nodes.judge(table, &task, look, context)
        })?;
        front.partial = !looked || lattice.len() != Some(chosen.len() as u128);
        Ok(front.finished())
    }

    /// The nodes to look at: all, or those around the best one, the top and the bottom.
    fn chosen(
        &self,
        lattice: &Lattice,
        task: &Task<'_>,
        table: &FrequencyTable,
        context: &Context<'_>,
    ) -> Result<Vec<Node>, JobError> {
        if let Some(all) = lattice.len().filter(|nodes| *nodes <= MOST_NODES as u128) {
            return Ok((0..all as usize).map(|index| lattice.node(index)).collect());
        }
        let best = self.recipe.method.method.run(table, task, context)?;
        let best = best.outcome.full_domain().map(|plan| plan.node.clone());
        Ok(around([best, Some(lattice.top()), Some(lattice.bottom())].into_iter().flatten(), lattice))
    }

    /// What a method without nodes gives.
    fn single(
        &self,
        table: &FrequencyTable,
        event: &mut (dyn FnMut(FrontEvent<'_>) + Send),
        context: &Context<'_>,
    ) -> Result<Front, JobError> {
        let task = self.recipe.task(self.recipe.population_of(table));
        let decision = self.recipe.method.method.run(table, &task, context)?;
        let (release, _) = decision.outcome.apply(table, context.seed);
        let (highest_risk, mean_risk) = risks(&release);
        let utility = of_release(&table.qis, &release);
        let (counterfeits, records) = (release.counterfeits(), release.records());
        let mut front = Front { figure: "loss".into(), ..Front::default() };
        let solution = Solution {
            levels: Map::new(),
            value: utility.get("loss").and_then(|loss| loss["value"].as_f64()).unwrap_or(1.0),
            highest_risk,
            mean_risk,
            suppressed: release.suppressed,
            counterfeits,
            changed: (release.suppressed + counterfeits) as f64 / records.max(1) as f64,
            classes: release.sizes.len() as u64,
            set: Vec::new(),
        };
        front.offer(solution, event);
        Ok(front)
    }
}

/// The highest and the mean risk, with the catalog known.
fn risks(release: &Release) -> (f64, f64) {
    if let Some(risks) = doubts(release).and_then(|doubts| doubts.risks()) {
        return risks;
    }
    let records: u64 = release.sizes.iter().sum();
    let highest = release.sizes.iter().min().map_or(0.0, |&size| 1.0 / size as f64);
    (highest, release.sizes.len() as f64 / records.max(1) as f64)
}

/// Nodes by their distance from some, up to [`MOST_NODES`].
fn around(starts: impl Iterator<Item = Node>, lattice: &Lattice) -> Vec<Node> {
    let mut open: VecDeque<Node> = starts.collect();
    let mut seen: BTreeSet<Node> = open.iter().cloned().collect();
    let mut chosen = Vec::new();
    while let Some(node) = open.pop_front().filter(|_| chosen.len() < MOST_NODES) {
        for next in lattice.predecessors(&node).chain(lattice.successors(&node)) {
            if seen.len() < 2 * MOST_NODES && seen.insert(next.clone()) {
                open.push_back(next);
            }
        }
        chosen.push(node);
    }
    chosen.sort();
    chosen
}

fn solution(table: &FrequencyTable, point: Point) -> Solution {
    let Point { node, value, highest_risk, mean_risk, suppressed, counterfeits, classes } = point;
    let named = || table.qis.iter().map(|qi| &qi.name).zip(&node.0);
    let released = table.records() + counterfeits;
    Solution {
        levels: named().map(|(name, &level)| (name.clone(), level.into())).collect(),
        set: named().map(|(name, level)| format!("attributes.{}.level={level}", key(name))).collect(),
        changed: (suppressed + counterfeits) as f64 / released.max(1) as f64,
        value,
        highest_risk,
        mean_risk,
        suppressed,
        counterfeits,
        classes,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn solution(value: f64, highest_risk: f64, changed: f64) -> Solution {
        let (levels, set) = (Map::new(), Vec::new());
        Solution {
            levels,
            value,
            highest_risk,
            mean_risk: 0.0,
            suppressed: 0,
            counterfeits: 0,
            changed,
            classes: 1,
            set,
        }
    }

    #[test]
    fn what_is_beaten_goes_and_what_is_equal_stays_once() {
        let mut front = Front::default();
        let mut events = Vec::new();
        for (value, risk, changed) in [
            (0.5, 0.2, 0.0),
            (0.5, 0.2, 0.0),
            (0.6, 0.2, 0.0),
            (0.6, 0.1, 0.0),
            (0.4, 0.2, 0.0),
            (0.4, 0.1, 0.1),
        ] {
            front.offer(solution(value, risk, changed), &mut |event| {
                events.push(matches!(event, FrontEvent::Added(_)));
            });
        }
        let values: Vec<[f64; 3]> = front.finished().solutions.iter().map(figures).collect();
        assert_eq!(values, [[0.4, 0.1, 0.1], [0.4, 0.2, 0.0], [0.6, 0.1, 0.0]]);
        assert_eq!(events, [true, true, false, true, true]);
    }

    #[test]
    fn of_many_the_extremes_stay() {
        let mut front = Front::default();
        for at in 0..1000 {
            let at = f64::from(at);
            front.offer(solution(at, 1000.0 - at, (at - 500.0).abs()), &mut |_| ());
        }
        let front = front.finished();
        assert!(front.solutions.len() <= MOST_SOLUTIONS && front.solutions.len() > MOST_SOLUTIONS / 2);
        let has = |wanted: [f64; 3]| front.solutions.iter().any(|solution| figures(solution) == wanted);
        assert!(has([0.0, 1000.0, 500.0]) && has([999.0, 1.0, 499.0]) && has([500.0, 500.0, 0.0]));
    }

    #[test]
    fn large_lattices_are_looked_at_around_the_best_node() {
        let lattice = Lattice::new(vec![9; 12]);
        let best = Node(vec![4; 12]);
        let nodes = around([best.clone(), lattice.top(), lattice.bottom()].into_iter(), &lattice);
        assert_eq!(nodes.len(), MOST_NODES);
        for node in [best, lattice.top(), lattice.bottom()] {
            assert!(nodes.contains(&node));
        }
    }
}
