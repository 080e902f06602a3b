//! Mondrian under a ceiling.

use rayon::prelude::*;
use velamen_core::recoding::Member;

use super::{Ground, Patch};
use crate::method::MethodError;
use crate::method::local::mondrian::Partitioning;

/// Parts of fewer entries are cut without further threads.
const PARALLEL: usize = 2048;

impl Ground<'_> {
    /// The parts of the table, in the order of the cuts' sides.
    pub(super) fn parts(&self) -> Result<Vec<Vec<Member>>, MethodError> {
        let all: Vec<Member> = (0..).zip(self.table.counts.iter().copied()).collect();
        self.cut(all)
    }

    fn cut(&self, members: Vec<Member>) -> Result<Vec<Vec<Member>>, MethodError> {
        self.context.check()?;
        let whole = self.patch(&members);
        let forced = self.degree(&whole) > self.h;
        // What breaks the ceiling and cannot be cut is suppressed later, as far as the limit allows.
        let Some(parts) = self.best_cut(&members, &whole, forced) else { return Ok(vec![members]) };
        let small = members.len() < PARALLEL;
        drop(members);
        let cut: Vec<_> = match small {
            true => parts.into_iter().map(|part| self.cut(part)).collect::<Result<_, _>>()?,
            false => parts.into_par_iter().map(|part| self.cut(part)).collect::<Result<_, _>>()?,
        };
        Ok(cut.into_iter().flatten().collect())
    }

    /// The cut of least cost; unless it is forced, one that costs less than no cut and
    /// of whose parts all models hold.
    fn best_cut(&self, members: &[Member], whole: &Patch, forced: bool) -> Option<Vec<Vec<Member>>> {
        let cuts = self.dimensions.iter().flat_map(|dimension| {
            let cuts = dimension.cuts(members, Partitioning::Strict).into_iter();
            cuts.map(|cut| dimension.parts(members, cut))
        });
        let cost =
            |parts: &Vec<Vec<Member>>| -> f64 { parts.iter().map(|part| self.cost(&self.patch(part))).sum() };
        let mut priced: Vec<(f64, Vec<Vec<Member>>)> = cuts.map(|parts| (cost(&parts), parts)).collect();
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
