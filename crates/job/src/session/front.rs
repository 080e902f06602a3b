//! The front: the releases that no other beats in figure, highest risk, and share of records that are
//! suppressed or counterfeit.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::{BTreeSet, VecDeque};

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};
use velamen_core::context::Context;
use velamen_core::error::Problem;
use velamen_core::frequency::{Counted, FrequencyTable};
use velamen_core::lattice::{Lattice, Node};
use velamen_core::plan::Counterfeits;
use velamen_core::release::Release;
use velamen_recipe::{JobError, Resolved, key};
use velamen_report::matching::doubts;
use velamen_search::method::{Decision, Look, Nodes, Point, Task, unmet};
use velamen_search::metric;

use super::loaded::{Loaded, refuse_small};
use super::{utility, within};

/// The most solutions of a front; of more the extremes are kept, and others evenly by figure.
const MOST_SOLUTIONS: usize = 200;

/// Of larger lattices only so many nodes are looked at: those around the best one, the top and the bottom.
const MOST_NODES: usize = 1 << 16;

/// One release that could be made.
#[derive(Debug, Clone, PartialEq, JsonSchema, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Solution {
    /// The level of each quasi-identifier; empty where classes have levels of their own.
    pub levels: Map<String, Value>,
    /// The figure that the method chooses by.
    pub value: f64,
    /// What is minimized: the figure, or its negative where more is better.
    #[serde(skip)]
    pub loss: f64,
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
    /// The levels once more, by which one of equal solutions stays.
    #[serde(skip)]
    node: Node,
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
#[derive(Debug, Clone, Default, PartialEq, JsonSchema, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Front {
    /// The name of the figure.
    pub figure: String,
    /// The solutions.
    pub solutions: Vec<Solution>,
    /// Whether nodes were left out, so that others may beat these.
    pub partial: bool,
    /// Whether the solutions are lattice nodes; else there is the one release that the method makes.
    pub nodes: bool,
    /// Why there are no figures, where there are none.
    pub note: Option<String>,
}

const PRIVATE: &str = "the method is differentially private: exact figures of its table, and levels chosen by them, would \
                       spend budget that nobody counts; choose levels by what is public";

impl Front {
    /// The front of a differentially private method, which has no figures; `None` for others. It needs no table.
    #[must_use]
    pub fn without_figures(recipe: &Resolved) -> Option<Self> {
        recipe.method.is_private().then(|| Self { note: Some(PRIVATE.into()), ..Self::default() })
    }

    /// Takes a solution unless one beats it, and drops those that it beats. Of equal ones the least levels stay, in
    /// whatever order they come.
    fn offer(&mut self, solution: Solution, event: &mut dyn FnMut(FrontEvent<'_>)) {
        if self.has_better(place(&solution)) {
            return;
        }
        self.solutions.retain(|other| {
            let stays = !yields(place(other), place(&solution));
            if !stays {
                event(FrontEvent::Retracted(other));
            }
            stays
        });
        event(FrontEvent::Added(&solution));
        self.solutions.push(solution);
    }

    /// Whether a solution at that place would yield to one that is there.
    fn has_better(&self, at: Place<'_>) -> bool {
        self.solutions.iter().any(|other| yields(at, place(other)))
    }

    /// In order, and no more than [`MOST_SOLUTIONS`].
    fn finished(mut self) -> Self {
        self.solutions
            .sort_by(|a, b| a.loss.total_cmp(&b.loss).then(a.highest_risk.total_cmp(&b.highest_risk)));
        let all = self.solutions.len();
        if all > MOST_SOLUTIONS {
            let best = |of: fn(&Solution) -> f64| {
                (0..all).min_by(|&a, &b| of(&self.solutions[a]).total_cmp(&of(&self.solutions[b])))
            };
            let extremes = [best(|s| s.loss), best(|s| s.highest_risk), best(|s| s.changed)];
            let spread = (0..MOST_SOLUTIONS - extremes.len())
                .map(|at| at * (all - 1) / (MOST_SOLUTIONS - extremes.len() - 1));
            let kept: BTreeSet<usize> = spread.chain(extremes.into_iter().flatten()).collect();
            self.solutions = kept.into_iter().map(|at| self.solutions[at].clone()).collect();
        }
        self
    }
}

fn figures(solution: &Solution) -> [f64; 3] {
    [solution.loss, solution.highest_risk, solution.changed]
}

/// Where a solution stands among others: its figures, and its node where they are equal.
type Place<'a> = ([f64; 3], &'a Node);

fn place(solution: &Solution) -> Place<'_> {
    (figures(solution), &solution.node)
}

/// Whether another is better than one in a figure and worse in none; of equal ones the least node stays.
fn yields(one: Place<'_>, other: Place<'_>) -> bool {
    let is_no_worse = other.0.iter().zip(one.0).all(|(other, one)| *other <= one);
    is_no_worse && (other.0 != one.0 || other.1 <= one.1)
}

impl Loaded<'_> {
    /// The solutions of the recipe's method that no other beats, as they are found and in the end. A method without
    /// lattice nodes gives one; a differentially private one none. `seconds` ends the look early. Where a person may have several
    /// records, the risks count people, and a method gives one whose nodes do not tell these.
    ///
    /// # Errors
    /// As [`Self::search`].
    pub fn front(
        &self,
        seconds: Option<f64>,
        event: &mut (dyn FnMut(FrontEvent<'_>) + Send),
        context: &Context<'_>,
    ) -> Result<Front, JobError> {
        let has_people = self.table.rest.person().is_some();
        match self.recipe.method.method.nodes() {
            Some(nodes) if !has_people || nodes.counts_people() => {
                self.counted(|counted| self.of_nodes(nodes, counted, seconds, event, context))
            }
            _ if has_people => self.best(context),
            _ => self.counted(|counted| self.single(counted, event, context)),
        }
    }

    /// The one release that the recipe's method makes, with its figures; none of a differentially private one. Its figure
    /// is the loss, whatever the method minimizes, so that releases of several recipes can be compared.
    ///
    /// # Errors
    /// As [`Self::search`].
    pub fn best(&self, context: &Context<'_>) -> Result<Front, JobError> {
        match self.table.rest.person() {
            Some(_) if self.recipe.missing.is_own_value() && !self.recipe.method.is_private() => {
                self.of_people(context)
            }
            _ => self.counted(|counted| self.single(counted, &mut |_| {}, context)),
        }
    }

    /// As [`Self::best`], where a person may have several records: the risks count people.
    fn of_people(&self, context: &Context<'_>) -> Result<Front, JobError> {
        let searched = self.step().searched(Cow::Borrowed(&self.table), None, context)?;
        let (release, _) = searched.decision.apply(&searched.table, context.seed);
        // As reports have it: who picks a record of a class finds a person with many of them more often.
        let people = searched.apart.people.as_ref().and_then(|people| people.holdings().1.by_record(1.0));
        let risks = people.map_or_else(|| risks(&release), |risk| (risk.highest, risk.mean));
        Ok(of_one(&searched.counted(), &release, &searched.decision, risks, &mut |_| {}))
    }

    /// A front of the table's counts, where figures of them may be shown.
    fn counted(
        &self,
        front: impl FnOnce(&Counted<'_>) -> Result<Front, JobError>,
    ) -> Result<Front, JobError> {
        if let Some(front) = Front::without_figures(self.recipe) {
            return Ok(front);
        }
        self.refuse_uncounted()?;
        let step = self.step();
        let table = step.prepared(Cow::Borrowed(&self.table))?;
        let counted = Counted::of(&table);
        step.check(&counted)?;
        refuse_small(self.recipe, &counted)?;
        front(&counted)
    }

    /// Refuses tables of whose releases the size of a class does not tell the risk.
    fn refuse_uncounted(&self) -> Result<(), JobError> {
        match self.recipe.missing.is_own_value() {
            true => Ok(()),
            false => Err(JobError::usage(
                "the risk at a node is counted in its classes: a table with missing = \"wildcard\" has other risks",
            )
            .mend("run anonymize, and risk on its release")),
        }
    }

    fn of_nodes(
        &self,
        nodes: &dyn Nodes,
        counted: &Counted<'_>,
        seconds: Option<f64>,
        event: &mut (dyn FnMut(FrontEvent<'_>) + Send),
        context: &Context<'_>,
    ) -> Result<Front, JobError> {
        let table = counted.table();
        let task = Task { counted: Some(counted), ..self.recipe.task(self.recipe.population_of(table)) };
        let lattice = task.lattice(table);
        let chosen = self.chosen(&lattice, &task, table, seconds, context)?;
        let mut front = Front { figure: nodes.figure().into(), nodes: true, ..Front::default() };
        let records = counted.records();
        let looked = within::seconds(seconds, |expired| {
            let task = Task { expired: Some(expired), ..task };
            let mut take = |point: Point| {
                let changed = changed(&point, records);
                // Most points are beaten: their words are not made.
                if !front.has_better(([point.loss, point.highest_risk, changed], &point.node)) {
                    front.offer(solution(self.recipe, table, point, changed), event);
                }
            };
            let look = Look { lattice: &lattice, nodes: &chosen, take: &mut take };
            nodes.judge(table, &task, look, context)
        })?;
        front.partial = !looked || lattice.len() != Some(chosen.len() as u128);
        if front.solutions.is_empty() && !front.partial {
            let said = || {
                Problem::new("no combination of levels that the recipe allows keeps its promises")
                    .mend("relax a model, or allow more suppression where the method suppresses")
            };
            return Err(JobError::promise(unmet::problem(table, &task).unwrap_or_else(said)));
        }
        Ok(front.finished())
    }

    /// The nodes to look at: all, or those around the best one, the top and the bottom. Each comes after those above it:
    /// where a node shows that nothing can be released below it, the others need no look.
    fn chosen(
        &self,
        lattice: &Lattice,
        task: &Task<'_>,
        table: &FrequencyTable,
        seconds: Option<f64>,
        context: &Context<'_>,
    ) -> Result<Vec<Node>, JobError> {
        if let Some(all) = lattice.len().filter(|nodes| *nodes <= MOST_NODES as u128) {
            return Ok(from_the_top((0..all as usize).map(|index| lattice.node(index)).collect()));
        }
        // Nobody can say how long the search for the best one takes.
        let best = match seconds {
            Some(_) => None,
            None => {
                let decision = self.recipe.method.method.run(table, task, context)?;
                decision.outcome.full_domain().map(|plan| plan.node.clone())
            }
        };
        let starts = [best, Some(lattice.top()), Some(lattice.bottom())];
        Ok(from_the_top(around(starts.into_iter().flatten(), lattice)))
    }

    /// What a method without nodes gives.
    fn single(
        &self,
        counted: &Counted<'_>,
        event: &mut (dyn FnMut(FrontEvent<'_>) + Send),
        context: &Context<'_>,
    ) -> Result<Front, JobError> {
        let table = counted.table();
        let task = Task { counted: Some(counted), ..self.recipe.task(self.recipe.population_of(table)) };
        let found = self.recipe.method.method.run(table, &task, context);
        // What a private method refuses may not depend on the records.
        let is_private = self.recipe.method.is_private();
        let decision =
            found.map_err(|error| if is_private { error } else { unmet::named(error, table, &task) })?;
        let (release, _) = decision.apply(table, context.seed);
        Ok(of_one(counted, &release, &decision, risks(&release), event))
    }
}

/// The front of one release, with its highest and its mean risk.
fn of_one(
    counted: &Counted<'_>,
    release: &Release,
    decision: &Decision,
    (highest_risk, mean_risk): (f64, f64),
    event: &mut dyn FnMut(FrontEvent<'_>),
) -> Front {
    let stated = utility::figures(counted, release, decision);
    // Where no loss is stated, values are nobody's; the size of classes is told of any.
    let usual = metric::USUAL.name;
    let loss = stated.get(usual).and_then(|loss| loss["value"].as_f64());
    let (figure, value) = loss.map_or_else(|| metric::released::mean_size(&stated), |loss| (usual, loss));
    let made = decision.outcome.counterfeits().iter().map(Counterfeits::total).sum();
    let (counterfeits, records) = (release.counterfeits().max(made), release.records());
    let mut front = Front { figure: figure.into(), ..Front::default() };
    let solution = Solution {
        levels: Map::new(),
        value,
        loss: value,
        highest_risk,
        mean_risk,
        suppressed: release.suppressed,
        counterfeits,
        changed: (release.suppressed + counterfeits) as f64 / records.max(1) as f64,
        classes: release.sizes.len() as u64,
        set: Vec::new(),
        node: Node::default(),
    };
    front.offer(solution, event);
    front
}

/// The highest and the mean risk, with the catalog known.
fn risks(release: &Release) -> (f64, f64) {
    if let Some(risks) = doubts(release).and_then(|doubts| doubts.risks()) {
        return risks;
    }
    risks_of(&release.sizes)
}

/// The highest and the mean risk of somebody in classes of so many.
fn risks_of(sizes: &[u64]) -> (f64, f64) {
    let all: u64 = sizes.iter().sum();
    let highest = sizes.iter().min().map_or(0.0, |&size| 1.0 / size as f64);
    (highest, sizes.len() as f64 / all.max(1) as f64)
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
    chosen
}

/// Nodes with the most general first.
fn from_the_top(mut nodes: Vec<Node>) -> Vec<Node> {
    nodes.sort_by_cached_key(|node| (Reverse(node.height()), node.clone()));
    nodes
}

/// What sets an attribute's level: by the keys that the recipe has for it, since `level` goes with no other.
fn set(recipe: &Resolved, name: &str, level: u8) -> Vec<String> {
    let attribute = recipe.attributes.iter().find(|attribute| attribute.name == name);
    let keys: &[&str] = match attribute {
        Some(attribute) if attribute.has_one_level() => &[],
        Some(attribute) if attribute.levels_asked => &["min-level", "max-level"],
        _ => &["level"],
    };
    keys.iter().map(|of| format!("attributes.{}.{of}={level}", key(name))).collect()
}

/// The share of released records that are suppressed or counterfeit.
fn changed(point: &Point, records: u64) -> f64 {
    (point.suppressed + point.counterfeits) as f64 / (records + point.counterfeits).max(1) as f64
}

fn solution(recipe: &Resolved, table: &FrequencyTable, point: Point, changed: f64) -> Solution {
    let Point { node, value, loss, highest_risk, mean_risk, suppressed, counterfeits, classes } = point;
    let named = || table.qis.iter().map(|qi| &qi.name).zip(&node.0);
    Solution {
        levels: named().map(|(name, &level)| (name.clone(), level.into())).collect(),
        set: named().flat_map(|(name, &level)| set(recipe, name, level)).collect(),
        loss,
        changed,
        value,
        highest_risk,
        mean_risk,
        suppressed,
        counterfeits,
        classes,
        node,
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
            loss: value,
            highest_risk,
            mean_risk: 0.0,
            suppressed: 0,
            counterfeits: 0,
            changed,
            classes: 1,
            set,
            node: Node::default(),
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
