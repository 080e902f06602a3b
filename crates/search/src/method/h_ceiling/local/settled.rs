//! The parts whose real records meet the models by themselves.

use rustc_hash::FxHashSet;
use velamen_core::classes::ClassTable;
use velamen_core::context::Context;
use velamen_core::error::Problem;
use velamen_core::frequency::FrequencyTable;
use velamen_core::plan::Fate;
use velamen_core::recoding::{LocalPlan, Member, Piece};
use velamen_core::step::Ends;

use super::super::filler::Filler;
use super::super::{Demand, HCeiling, MethodError};
use super::LocalFigures;
use crate::model::people;

/// Parts, and the records of none.
pub(super) type Divided = (Vec<Piece>, Vec<Member>);

impl HCeiling {
    /// The padded plan of some parts, without those that fail a model once all is drawn: these are suppressed, and all is drawn
    /// again, up to the suppression limit.
    pub(super) fn filled(
        &self,
        table: &FrequencyTable,
        mut parts: Divided,
        (sensitive, ends): (usize, &[Option<Ends>]),
        asked: &Demand<'_>,
        context: &Context<'_>,
    ) -> Result<(LocalPlan, LocalFigures), MethodError> {
        let most = self.params.limits.most_suppressed(table.records());
        loop {
            let mut plan = self.settled(table, parts.clone(), sensitive, asked)?;
            plan.ends = ends.to_vec();
            let spoilt = match self.padded(plan, table, sensitive, asked, context)? {
                Ok(padded) => return Ok(padded),
                Err(members) => members,
            };
            parts = without(parts, &spoilt.iter().map(|member| member.0).collect());
            if parts.1.iter().map(|member| member.1).sum::<u64>() > most {
                return Err(MethodError::Infeasible(
                    Problem::new("counterfeits make more classes fail a model than suppression-limit allows to suppress")
                        .mend("raise suppression-limit or h, or relax a model"),
                ));
            }
        }
    }

    /// The plan of some parts, without those whose real records fail a model by themselves: these are suppressed.
    pub(super) fn settled(
        &self,
        table: &FrequencyTable,
        mut parts: Divided,
        sensitive: usize,
        asked: &Demand<'_>,
    ) -> Result<LocalPlan, MethodError> {
        loop {
            let plan = self.within_ceiling(table, parts.0.clone(), parts.1.clone());
            let filler = self.filler_beside(&plan, table, sensitive, asked)?;
            let fates = filler.fates(&ClassTable::of_plan(&plan, table, sensitive), &self.params.limits);
            let gone = plan.members.iter().zip(fates).filter(|(_, fate)| *fate == Fate::Suppress);
            let gone: FxHashSet<u32> = gone.flat_map(|(members, _)| members).map(|member| member.0).collect();
            if gone.is_empty() {
                return Ok(plan);
            }
            parts = without(parts, &gone);
        }
    }

    /// What draws the counterfeits of a plan's classes, beside its suppressed records.
    pub(in super::super) fn filler_beside<'a>(
        &self,
        plan: &LocalPlan,
        table: &FrequencyTable,
        sensitive: usize,
        asked: &Demand<'a>,
    ) -> Result<Filler<'a>, MethodError> {
        let mut filler = self.filler(table, sensitive, asked)?;
        for &(entry, count) in &plan.suppressed {
            let rest = table.rest_index[entry as usize] as usize;
            filler.apart[table.rest.codes[sensitive][rest] as usize] += count;
        }
        if let Some(person) = table.rest.person() {
            filler.apart_pairs = people::pairs(table, (person, sensitive), plan.suppressed.iter().copied());
        }
        Ok(filler)
    }
}

/// The parts without those that have one of these entries, whose records are of none.
fn without((pieces, mut suppressed): Divided, gone: &FxHashSet<u32>) -> Divided {
    let fails = |piece: &Piece| piece.members.iter().any(|member| gone.contains(&member.0));
    let (lost, kept): (Vec<Piece>, Vec<Piece>) = pieces.into_iter().partition(fails);
    suppressed.extend(lost.into_iter().flat_map(|piece| piece.members));
    (kept, suppressed)
}
