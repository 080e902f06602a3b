//! What a node comes to: its classes, padded and grouped.

use velamen_core::classes::ClassTable;
use velamen_core::lattice::Node;
use velamen_core::plan::{Counterfeits, Fate, Plan};
use velamen_core::streams;

use super::super::catalog_risk::Drawn;
use super::super::covering::cover;
use super::super::pool::Surroundings;
use super::super::{HCeiling, REDRAW_SHIFT};
use super::{Grouped, NodeSearch, index_of};

/// Rounds of suppressing what fails a model with its counterfeits.
const MOST_ROUNDS: usize = 32;

impl<const W: usize> NodeSearch<'_, W> {
    /// Algorithm 1, lines 5–13; `None` where the node is beyond the ceiling or the limits, or padding cannot
    /// make the models hold.
    pub(in super::super) fn grouped(&self, node: &Node) -> Option<Grouped> {
        self.grouped_as(self.method, node)
    }

    pub(super) fn grouped_as(&self, method: HCeiling, node: &Node) -> Option<Grouped> {
        let mut classes = self.classes(node);
        let mut fates = self.filler.fates(&classes, &method.params.limits);
        // Each round suppresses a class more; the limit ends it long before.
        for _ in 0..MOST_ROUNDS {
            let grouped = self.grouped_by(method, node, (classes, fates))?;
            let plan = &grouped.plan;
            let spoilt = self.filler.spoilt(&plan.classes, &plan.fates, &plan.counterfeits);
            if !grouped.safe || spoilt.is_empty() {
                return Some(grouped);
            }
            (classes, fates) = (grouped.plan.classes, grouped.plan.fates);
            spoilt.into_iter().for_each(|class| fates[class] = Fate::Suppress);
            fates = self.filler.settled(&classes, fates);
        }
        None
    }

    fn grouped_by(
        &self,
        method: HCeiling,
        node: &Node,
        (classes, fates): (ClassTable, Vec<Fate>),
    ) -> Option<Grouped> {
        let suppressed = (0..classes.len()).filter(|&class| fates[class] == Fate::Suppress);
        let suppressed = suppressed.map(|class| classes.sizes[class]).sum();
        if !method.params.limits.admit(0, suppressed, self.records) {
            return None;
        }
        let kept = (0..classes.len()).filter(|&class| fates[class] == Fate::Keep);
        let degree = kept.map(|class| self.degree(node, classes.codes(class))).fold(0.0, f64::max);
        if !method.admits(degree) {
            return None;
        }
        let stream = index_of(&self.whole, node);
        let excluded = self.excluded(node, &classes);
        let possible = excluded.as_ref().and_then(|excluded| excluded.possible(&classes));
        let part = self.filler.concealing((&classes, possible), &fates);
        let concealing = part.as_ref().unwrap_or(&classes);
        let kin =
            self.ladder.as_ref().map(|ladder| ladder.at(node, concealing, method.params.limits.least_real));
        let earlier = self.filler.earlier;
        let kept = earlier.and_then(|of| of.kept(self.table, Some(node), |q| self.labels(node, q), &classes));
        let near = Surroundings {
            kin: kin.as_ref(),
            excluded: excluded.as_ref(),
            kept: kept.as_ref(),
            concealing: Some(concealing),
        };
        let draw = |time: u64| self.draw(method, (&classes, &fates, suppressed), near, (stream, time));
        let Drawn { counterfeits, groups, risk } = method.within_risk(&classes, draw)?;
        let safe = groups.is_some();
        let groups = groups.unwrap_or_default();
        let plan = Plan { node: node.clone(), classes, fates, counterfeits, groups };
        Some(Grouped { plan, safe, concealing: part, risk, degree })
    }

    /// Counterfeits and their groups (lines 7–14), from the streams of a node and the time of the draw; `None`
    /// where they exceed the limits or the models do not hold.
    fn draw(
        &self,
        method: HCeiling,
        (classes, fates, suppressed): (&ClassTable, &[Fate], u64),
        near: Surroundings<'_>,
        (node, time): (u64, u64),
    ) -> Option<Drawn> {
        let again = time << REDRAW_SHIFT;
        let streams = [0, 1].map(|of| node.wrapping_mul(2).wrapping_add(of + again));
        let mut counterfeits = self.filler.fill((classes, fates), near, self.context.seed, streams)?;
        let total = counterfeits.iter().map(Counterfeits::total).sum();
        if !method.params.limits.admit(total, suppressed, self.records) {
            return None;
        }
        let concealing = near.concealing.unwrap_or(classes);
        let groups = method.groups(concealing, &counterfeits, near.kin);
        if let Some(groups) = groups.as_ref().filter(|_| method.covers()) {
            let mut stream = self.context.seed.stream(streams::COVERING ^ node.wrapping_add(again));
            cover(concealing, &mut counterfeits, groups, near, &mut stream);
        }
        Some(Drawn { counterfeits, groups, risk: None })
    }
}
