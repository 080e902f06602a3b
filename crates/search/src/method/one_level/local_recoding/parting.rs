//! What repeated searches found, parted further: classes are cut into parts that lose less, and the classes that
//! lose most are put together and parted anew.

use rayon::prelude::*;
use velamen_core::hierarchy::TOP;
use velamen_core::lattice::Node;
use velamen_core::recoding::{LocalPlan, Member, Piece};

use super::{Levels, Repetition, total};
use crate::method::MethodError;
use crate::method::kit::judge::Judge;
use crate::method::local::mondrian::Cutter;
use crate::metric::{Recoded, Score};

/// The share of the records whose classes stay, those that lose least; the others are parted anew.
const STAYING: [f64; 2] = [0.0, 0.5];

/// Classes, and the records of none.
#[derive(Debug, Clone, Default)]
pub(super) struct Groups {
    pub(super) kept: Vec<Vec<Member>>,
    pub(super) suppressed: Vec<Member>,
}

/// The classes of a table, made finer.
pub(super) struct Parting<'a> {
    repetition: &'a Repetition<'a>,
    cutter: Cutter<'a>,
    /// Whether records of different classes may be put together: their values may then be `*`.
    may_mix: bool,
}

impl<'a> Parting<'a> {
    pub(super) fn new(repetition: &'a Repetition<'a>) -> Self {
        let (task, searched) = (repetition.task, repetition.searched);
        let tops = Node(searched.qis.iter().map(|qi| qi.hierarchy.top()).collect());
        let (lowest, may_mix) = match task.levels {
            Levels::All => (task.lattice.bottom(), task.lattice.top() == tops),
            Levels::Ends => (Node(vec![0; tops.0.len()]), true),
        };
        let weights = match task.options.weights.is_empty() {
            true => vec![1.0; tops.0.len()],
            false => task.options.weights.clone(),
        };
        let asked = (task.models, task.budget.expired);
        let cutter = Cutter::of_trees(asked, searched, (&lowest, &weights), repetition.context);
        Self { repetition, cutter, may_mix }
    }

    /// The least lossy classes that are found; `None` where none keep the promises.
    pub(super) fn best(&self, start: Groups) -> Result<Option<(Score, LocalPlan)>, MethodError> {
        let mut best: Option<(Score, LocalPlan)> = None;
        let groups = self.each_parted(start)?;
        self.keep_better(&groups, &mut best);
        for staying in STAYING {
            if self.may_mix
                && self.repetition.task.budget.is_left(0)
                && let Some(tried) = self.parted_anew(&groups, staying)?
            {
                self.keep_better(&tried, &mut best);
            }
        }
        Ok(best)
    }

    /// These classes instead of the best, if they lose less.
    fn keep_better(&self, groups: &Groups, best: &mut Option<(Score, LocalPlan)>) {
        let task = self.repetition.task;
        let Some(plan) = self.plan(groups.clone()) else { return };
        let score =
            (task.metric.recoded)(&Recoded { table: self.repetition.table, plan: &plan }, task.options);
        if best.as_ref().is_none_or(|(least, _)| score.is_clearly_below(least)) {
            *best = Some((score, plan));
        }
    }

    /// Each class in parts of its own.
    fn each_parted(&self, groups: Groups) -> Result<Groups, MethodError> {
        let parts = groups.kept.into_par_iter().map(|members| self.cutter.parts(members));
        let parts: Vec<Vec<Vec<Member>>> = parts.collect::<Result<_, _>>()?;
        Ok(Groups { kept: parts.into_iter().flatten().collect(), ..groups })
    }

    /// The classes that lose least, and those that all other records make; `None` where the models do not hold of these
    /// together.
    fn parted_anew(&self, groups: &Groups, staying: f64) -> Result<Option<Groups>, MethodError> {
        let lost = |members: &Vec<Member>| self.cutter.loss(members) / total(members) as f64;
        let lost: Vec<f64> = groups.kept.par_iter().map(lost).collect();
        let mut order: Vec<usize> = (0..lost.len()).collect();
        order.sort_by(|&a, &b| lost[a].total_cmp(&lost[b]).then(a.cmp(&b)));
        let all: u64 = groups.kept.iter().map(|members| total(members)).sum();
        let (mut kept, mut others, mut seen) = (Vec::new(), Vec::new(), 0);
        for at in order {
            let members = &groups.kept[at];
            seen += total(members);
            match lost[at] <= 0.0 || seen as f64 <= staying * all as f64 {
                true => kept.push(members.clone()),
                false => others.extend_from_slice(members),
            }
        }
        let judge = Judge { table: self.repetition.table, models: self.repetition.task.models };
        let with_suppressed = [&others[..], &groups.suppressed].concat();
        let (others, suppressed) = match judge.holds(&with_suppressed) {
            true => (with_suppressed, Vec::new()),
            false => (others, groups.suppressed.clone()),
        };
        if others.is_empty() || !judge.holds(&others) {
            return Ok(None);
        }
        kept.extend(self.cutter.parts(others)?);
        Ok(Some(Groups { kept, suppressed }))
    }

    /// The release of some classes: those of `*` alone count as suppressed, and where that is too many, their records join
    /// other classes. `None` where that cannot be.
    fn plan(&self, groups: Groups) -> Option<LocalPlan> {
        let repetition = self.repetition;
        let most = repetition.task.most_outliers;
        let (mut kept, stars): (Vec<_>, Vec<_>) =
            groups.kept.into_par_iter().partition(|members| self.says_something(members));
        let mut suppressed = [groups.suppressed, stars.concat()].concat();
        if total(&suppressed) > most {
            kept = self.cutter.placed(kept, &suppressed)?;
            suppressed = Vec::new();
            if !kept.par_iter().all(|members| self.says_something(members)) {
                return None;
            }
        }
        let piece = |members: Vec<Member>| {
            let regions = repetition.regions(&self.cutter.node(&members), members[0].0);
            Piece { regions, members }
        };
        let pieces = kept.into_par_iter().map(piece).collect();
        let table = repetition.table;
        let plan = repetition.settled(pieces, suppressed)?;
        let judge = Judge { table, models: repetition.task.models };
        plan.members.par_iter().all(|members| judge.holds(members)).then_some(plan)
    }

    fn says_something(&self, members: &[Member]) -> bool {
        let regions = self.repetition.regions(&self.cutter.node(members), members[0].0);
        regions.iter().any(|region| region.value.label != TOP)
    }
}
