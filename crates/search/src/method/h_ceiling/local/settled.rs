//! The parts whose real records meet the models by themselves.

use rustc_hash::FxHashSet;
use velamen_core::classes::ClassTable;
use velamen_core::frequency::FrequencyTable;
use velamen_core::plan::Fate;
use velamen_core::recoding::{LocalPlan, Member, Piece};

use super::super::filler::Filler;
use super::super::{Demand, HCeiling, MethodError};
use crate::model::people;

impl HCeiling {
    /// The plan of some parts, without those whose real records fail a model by themselves: these are suppressed.
    pub(super) fn settled(
        &self,
        table: &FrequencyTable,
        (mut pieces, mut suppressed): (Vec<Piece>, Vec<Member>),
        sensitive: usize,
        asked: &Demand<'_>,
    ) -> Result<LocalPlan, MethodError> {
        loop {
            let plan = self.within_ceiling(table, pieces.clone(), suppressed.clone());
            let filler = self.filler_beside(&plan, table, sensitive, asked)?;
            let fates = filler.fates(&ClassTable::of_plan(&plan, table, sensitive), &self.params.limits);
            let gone = plan.members.iter().zip(fates).filter(|(_, fate)| *fate == Fate::Suppress);
            let gone: FxHashSet<u32> = gone.flat_map(|(members, _)| members).map(|member| member.0).collect();
            if gone.is_empty() {
                return Ok(plan);
            }
            let fails = |piece: &Piece| piece.members.iter().any(|member| gone.contains(&member.0));
            let (lost, kept): (Vec<Piece>, Vec<Piece>) = pieces.into_iter().partition(fails);
            suppressed.extend(lost.into_iter().flat_map(|piece| piece.members));
            pieces = kept;
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
