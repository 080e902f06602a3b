//! At which prices of counterfeits classes are made.

use velamen_core::error::Problem;
use velamen_core::frequency::FrequencyTable;
use velamen_core::recoding::{LocalPlan, Member};

use super::super::limits::Limits;
use super::{HCeiling, LocalFigures, MethodError, Objective, Parts, degree, leaves};

/// What a counterfeit costs beside the reconstruction error, until there are few enough.
const PRICES: [f64; 6] = [0.0, 2.0, 8.0, 32.0, 128.0, 512.0];

/// A plan with its figures.
type Planned = (LocalPlan, LocalFigures);

impl HCeiling {
    /// The prices in their order. Where nothing is limited, one is enough. Where nobody is padded, they are what suppressed records
    /// cost: the highest first, which suppresses least.
    pub(super) fn prices(&self, parts: Parts) -> Vec<f64> {
        let mut prices = PRICES.to_vec();
        match self.params.limits.bind() {
            true if self.tried(parts) > 1 => prices.rotate_right(1),
            true => {}
            false => prices.truncate(1),
        }
        prices
    }

    /// So many prices are tried, to take the better one, even if the first is within the limits: of parts without counterfeits the
    /// two ends, since what a cut suppresses can pay later or not. Clusters go on from one price to the next.
    pub(super) fn tried(&self, parts: Parts) -> usize {
        match self.params.limits.counterfeits == 0.0 && parts == Parts::Mondrian {
            true => 2,
            false => 1,
        }
    }

    /// That no parts are within the limits: the least share of counterfeits that was seen, and of suppressed records.
    pub(super) fn beyond(&self, least: f64, fewest: f64) -> MethodError {
        let Limits { counterfeits, suppressed, least_real } = self.params.limits;
        if counterfeits == 0.0 {
            return MethodError::Infeasible(
                Problem::new(format!(
                    "no parts under the ceiling have {least_real} real records each that keep the models, and suppressed records up to \
                     suppression-limit = {suppressed}; the fewest seen are a share of {:.3}",
                    (fewest * 1e3).ceil() / 1e3
                ))
                .mend("raise suppression-limit or h, or lower k"),
            );
        }
        MethodError::Infeasible(
            Problem::new(format!(
                "no parts under the ceiling keep counterfeits to counterfeit-limit = {counterfeits} and suppressed records, \
                 those of classes with fewer than {least_real} real ones{}, to suppression-limit = {suppressed}; the fewest \
                 counterfeits seen are a share of {:.3}, the fewest suppressed records one of {:.3}",
                self.or_unlike(),
                (least * 1e3).ceil() / 1e3,
                (fewest * 1e3).ceil() / 1e3
            ))
            .mend("ask for a little more, or raise h or lower k"),
        )
    }

    /// The one of less of what is minimized; the first among equals.
    pub(super) fn better(
        &self,
        table: &FrequencyTable,
        before: Option<Planned>,
        found: Planned,
    ) -> Option<Planned> {
        match before {
            Some(before) if self.figure(table, &before) <= self.figure(table, &found) => Some(before),
            _ => Some(found),
        }
    }

    fn figure(&self, table: &FrequencyTable, (plan, figures): &Planned) -> f64 {
        match self.params.objective {
            Objective::Loss => loss(table, plan),
            Objective::Rce | Objective::Counterfeits => figures.rce,
        }
    }
}

/// The sum of D(r), 1 for a suppressed record.
fn loss(table: &FrequencyTable, plan: &LocalPlan) -> f64 {
    let records = |members: &[Member]| members.iter().map(|member| member.1).sum::<u64>();
    let class = |(class, members): (usize, &Vec<Member>)| {
        records(members) as f64 * degree(table, &leaves(plan, class))
    };
    plan.members.iter().enumerate().map(class).sum::<f64>() + records(&plan.suppressed) as f64
}
