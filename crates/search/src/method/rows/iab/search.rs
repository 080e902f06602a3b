//! The frontier of tables that are still to be expanded.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use rayon::prelude::*;
use rustc_hash::FxHashSet;
use velamen_core::context::Context;
use velamen_core::error::Problem;

use super::task::{Iab, RowFigures, RowSearchCourse, RowStrategy};
use super::tree::{State, Step};
use crate::method::MethodError;

/// The tables that one table can be generalized to.
pub(super) trait Tables: Sync {
    /// What is held of a table while it is expanded.
    type Held: Sync;

    /// The rows of a state.
    fn rows(&self, state: &State) -> Self::Held;

    /// What they come to.
    fn figures(&self, rows: &Self::Held) -> RowFigures;

    /// The generalizations by which a table is expanded (Algorithm 1, lines 1 and 7), ascending.
    fn steps(&self, rows: &Self::Held) -> Vec<Step>;

    /// A state with one more generalization.
    fn state_after(&self, state: &State, step: Step) -> State;

    /// The figures of a table that is one step from another, from that one's rows.
    fn figures_after(&self, rows: &Self::Held, step: Step) -> RowFigures;
}

/// A table that was made.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Made {
    /// What decides which is expanded first.
    rank: (usize, usize),
    steps: u32,
    state: State,
    rows: usize,
    violations: usize,
}

/// One search: the tables made and not expanded yet, and the best without violations.
struct Frontier<'a, 'c, T> {
    task: &'a Iab<'a>,
    tables: &'a T,
    context: &'a Context<'c>,
    /// Fewest violations first, once that is all that matters.
    greedy: bool,
    open: BTreeSet<Made>,
    seen: FxHashSet<State>,
    generated: u64,
    /// The rows of all tables that were made.
    made_rows: u64,
    best: Option<Made>,
    /// The rows of an answer that is known already, 0 without one.
    floor: usize,
    /// Whether it was told to stop.
    stopped: bool,
}

/// The best table, or a known answer where none with as many rows is found.
pub(super) fn run<T: Tables>(
    task: &Iab<'_>,
    tables: &T,
    known: Option<&(State, RowSearchCourse)>,
    context: &Context<'_>,
) -> Result<(State, RowSearchCourse), MethodError> {
    let start = tables.figures(&tables.rows(&State::new()));
    let (open, seen) = (BTreeSet::new(), FxHashSet::default());
    let greedy = task.search == RowStrategy::Greedy;
    let floor = known.map_or(0, |(_, found)| found.answer.rows);
    let mut frontier = Frontier {
        task,
        tables,
        context,
        greedy,
        open,
        seen,
        generated: 0,
        made_rows: 0,
        best: None,
        floor,
        stopped: false,
    };
    frontier.seen.insert(State::new());
    frontier.take(State::new(), 0, start);
    let proven = frontier.expand_all()?;
    let (generated, stopped) = (frontier.generated, frontier.stopped);
    match (frontier.best, known) {
        (Some(best), _) => {
            let answer = RowFigures { violations: best.violations, rows: best.rows };
            Ok((best.state, RowSearchCourse { start, answer, steps: best.steps, generated, proven, stopped }))
        }
        (None, Some((state, found))) => {
            Ok((state.clone(), RowSearchCourse { generated, proven, stopped, ..*found }))
        }
        (None, None) => Err(infeasible()),
    }
}

fn infeasible() -> MethodError {
    MethodError::Infeasible(
        Problem::new(
            "no generalization keeps the requirements, not even with every attribute of the shields at \
                its highest level",
        )
        .mend("lower a k or allow higher levels"),
    )
}

impl<T: Tables> Frontier<'_, '_, T> {
    /// Algorithm 1, lines 5–12. Whether the best is proven to be.
    fn expand_all(&mut self) -> Result<bool, MethodError> {
        while let Some(table) = self.open.pop_first() {
            if self.is_done(&table) {
                break;
            }
            self.context.check()?;
            self.context.progress.step("searching", self.generated, self.task.budget);
            if self.task.is_expired() {
                self.stopped = true;
                if self.best.is_some() || self.floor > 0 {
                    return Ok(false);
                }
                if self.task.search == RowStrategy::Iab {
                    // Without an answer yet, greedy steps are the nearest way to one.
                    self.turn_greedy();
                }
            }
            if self.is_spent() && !self.goes_on(&table)? {
                return Ok(false);
            }
            self.expand(&table);
        }
        Ok(!self.greedy || self.generated == 0)
    }

    /// Line 12: whether nothing that is left can win, this being the first of it.
    fn is_done(&self, first: &Made) -> bool {
        let Some(best) = &self.best else { return first.rows < self.floor && !self.greedy };
        match self.task.search {
            _ if self.greedy => true,
            RowStrategy::Exhaustive => false,
            _ => first.rows <= best.rows,
        }
    }

    fn is_spent(&self) -> bool {
        let by_rows = match self.task.search {
            RowStrategy::Iab => self.made_rows >= self.task.most_rows,
            RowStrategy::Greedy => self.made_rows >= self.task.most_greedy_rows(),
            RowStrategy::Exhaustive => false,
        };
        self.generated >= self.task.budget || by_rows
    }

    /// At the end of the budget: an answer ends the search. Without one, *iab* takes greedy steps for some while, then goes straight up
    /// from `next`; the other searches are refused.
    fn goes_on(&mut self, next: &Made) -> Result<bool, MethodError> {
        if self.task.search != RowStrategy::Iab {
            return Err(self.task.out_of_budget());
        }
        if self.best.is_some() || self.floor > 0 {
            return Ok(false);
        }
        self.turn_greedy();
        let open = self.generated < self.task.budget.saturating_mul(2)
            && self.made_rows < self.task.most_greedy_rows();
        if !open {
            self.climb(next.clone())?;
        }
        Ok(open)
    }

    /// Straight up from a table, each time by the step that leaves fewest violations, then most rows. The highest levels keep every
    /// requirement that can be kept, so that an answer is found where there is one.
    fn climb(&mut self, mut table: Made) -> Result<(), MethodError> {
        while table.violations > 0 {
            self.context.check()?;
            let rows = self.tables.rows(&table.state);
            let steps = self.tables.steps(&rows);
            let figures = steps.par_iter().map(|step| (self.tables.figures_after(&rows, *step), *step));
            let best =
                figures.min_by_key(|(figures, step)| (rank(true, figures.rows, figures.violations), *step));
            let Some((RowFigures { violations, rows }, step)) = best else { return Ok(()) };
            self.generated += steps.len() as u64;
            let state = self.tables.state_after(&table.state, step);
            table = Made { steps: table.steps + 1, state, rows, violations, ..table };
        }
        self.best = Some(table);
        Ok(())
    }

    fn turn_greedy(&mut self) {
        if self.greedy {
            return;
        }
        self.greedy = true;
        let open = std::mem::take(&mut self.open);
        let ranked = |made: Made| Made { rank: rank(true, made.rows, made.violations), ..made };
        self.open = open.into_iter().map(ranked).collect();
    }

    /// Lines 7–11.
    fn expand(&mut self, table: &Made) {
        let rows = self.tables.rows(&table.state);
        let mut fresh = Vec::new();
        for step in self.tables.steps(&rows) {
            let state = self.tables.state_after(&table.state, step);
            if self.seen.insert(state.clone()) {
                fresh.push((state, step));
            }
        }
        let figures: Vec<RowFigures> =
            fresh.par_iter().map(|(_, step)| self.tables.figures_after(&rows, *step)).collect();
        for ((state, _), figures) in fresh.into_iter().zip(figures) {
            self.generated += 1;
            self.made_rows += figures.rows as u64;
            self.take(state, table.steps + 1, figures);
        }
    }

    /// Keeps a table that is, or can lead to, an answer.
    fn take(&mut self, state: State, steps: u32, RowFigures { violations, rows }: RowFigures) {
        let made = Made { rank: rank(self.greedy, rows, violations), steps, state, rows, violations };
        if violations == 0 && rows >= self.floor {
            let order = |made: &Made| (Reverse(made.rows), made.steps, made.state.clone());
            if self.best.as_ref().is_none_or(|best| order(&made) < order(best)) {
                self.best = Some(made.clone());
            }
        }
        let exhaustive = self.task.search == RowStrategy::Exhaustive;
        let can_win =
            violations > 0 && self.best.as_ref().map_or(rows >= self.floor, |best| rows > best.rows);
        if exhaustive || can_win {
            self.open.insert(made);
        }
    }
}

/// Line 6: most rows, then fewest violations; or the other way round.
fn rank(greedy: bool, rows: usize, violations: usize) -> (usize, usize) {
    let fewer_rows = usize::MAX - rows;
    if greedy { (violations, fewer_rows) } else { (fewer_rows, violations) }
}
