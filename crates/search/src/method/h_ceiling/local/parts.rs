//! Mondrian under a ceiling.

use rayon::prelude::*;
use velamen_core::error::Problem;
use velamen_core::recoding::Member;

use super::{Ground, Patch};
use crate::method::MethodError;
use crate::method::local::mondrian::Partitioning;

/// Parts of fewer entries are cut without further threads.
const PARALLEL: usize = 2048;

impl Ground<'_> {
    /// Whether no class is padded, however many records it has: all of the kept ones have k real records.
    fn pads_nobody(&self) -> bool {
        // Of people several can be one part's records.
        let of_records = self.table.rest.person().is_none();
        of_records
            && self.least_real >= self.k
            && self.expected.iter().skip(self.k as usize).all(|more| *more <= 0.0)
    }

    /// Whether a part has enough real records, and all models hold of them.
    fn stands(&self, part: &[Member]) -> bool {
        part.iter().map(|member| member.1).sum::<u64>() >= self.least_real && self.judge.holds(part)
    }

    /// The degrees of generalization of a part's records.
    fn loss(&self, part: &[Member]) -> f64 {
        let patch = self.patch(part);
        patch.records as f64 * self.degree(&patch)
    }

    /// The parts of the table, in the order of the cuts' sides.
    pub(super) fn parts(&self) -> Result<Vec<Vec<Member>>, MethodError> {
        let all: Vec<Member> = (0..).zip(self.table.counts.iter().copied()).collect();
        self.cut(all)
    }

    fn cut(&self, members: Vec<Member>) -> Result<Vec<Vec<Member>>, MethodError> {
        self.context.check()?;
        let whole = self.patch(&members);
        let forced = self.degree(&whole) > self.h;
        let Some(parts) = self.best_cut(&members, &whole, forced) else {
            return match forced {
                true => Err(MethodError::Infeasible(
                    Problem::new("one combination of values breaks the ceiling by itself").mend("raise h"),
                )),
                false => Ok(vec![members]),
            };
        };
        let small = members.len() < PARALLEL;
        drop(members);
        let cut: Vec<_> = match small {
            true => parts.into_iter().map(|part| self.cut(part)).collect::<Result<_, _>>()?,
            false => parts.into_par_iter().map(|part| self.cut(part)).collect::<Result<_, _>>()?,
        };
        Ok(cut.into_iter().flatten().collect())
    }

    /// The cut of least cost; unless it is forced, one that costs less than no cut and
    /// of whose parts all models hold. Where nobody is padded, a cut of enough real records on both sides comes first.
    fn best_cut(&self, members: &[Member], whole: &Patch, forced: bool) -> Option<Vec<Vec<Member>>> {
        let cuts = || {
            self.dimensions.iter().flat_map(|dimension| {
                let cuts = dimension.cuts(members, Partitioning::Strict).into_iter();
                cuts.map(|cut| dimension.parts(members, cut))
            })
        };
        if self.pads_nobody() {
            let loss = |parts: &Vec<Vec<Member>>| -> f64 { parts.iter().map(|part| self.loss(part)).sum() };
            let real = cuts().filter(|parts| parts.iter().all(|part| self.stands(part)));
            let real = real.map(|parts| (loss(&parts), parts)).min_by(|a, b| a.0.total_cmp(&b.0));
            match real {
                Some((_, parts)) => return Some(parts),
                None if !forced => return None,
                // What is left of them is suppressed.
                None => {}
            }
        }
        let cost =
            |parts: &Vec<Vec<Member>>| -> f64 { parts.iter().map(|part| self.cost(&self.patch(part))).sum() };
        let mut priced: Vec<(f64, Vec<Vec<Member>>)> = cuts().map(|parts| (cost(&parts), parts)).collect();
        // A stable sort: among equals the first attribute, its more balanced cut.
        priced.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut priced = priced.into_iter();
        if forced {
            return priced.next().map(|(_, parts)| parts);
        }
        let most = self.cost(whole) * (1.0 - 1e-12);
        let keeps = |parts: &Vec<Vec<Member>>| parts.iter().all(|part| self.judge.holds(part));
        priced.take_while(|(cost, _)| *cost < most).map(|(_, parts)| parts).find(keeps)
    }
}
