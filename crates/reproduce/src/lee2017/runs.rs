//! The anonymized tables that the figures compare.
//!
//! Four arms: the paper's baseline, its method as published, the method with random padding, once this program's
//! defaults, which withstand the minimality attack, and the published method with RCE summed over the released
//! table. The paper sums over a table T and does not say which. LM is over the original records throughout.

use velamen_core::context::Context;
use velamen_core::frequency::{Counted, FrequencyTable};
use velamen_core::plan::{Counterfeits, Plan};
use velamen_recipe::JobError;
use velamen_report::chart::Series;
use velamen_search::method::MethodError;
use velamen_search::method::h_ceiling::growth::no_models;
use velamen_search::method::h_ceiling::padding::Padding;
use velamen_search::method::h_ceiling::{
    Draw, HCeiling, HCeilingParams, Objective, Over, reconstruction_error,
};
use velamen_search::metric::{CellFigures, LM, MetricOptions};
use velamen_search::metric::{Reading, rce};

use crate::baseline::k_anonymous;
use crate::sample::Sample;

/// The paper's k.
pub(super) const KS: [u64; 3] = [3, 5, 10];

/// The paper's h.
pub(super) const HS: [f64; 3] = [0.25, 0.30, 0.35];

/// The k of the figures over h.
pub(super) const FIXED_K: u64 = 5;

/// The h of the figures over k.
pub(super) const FIXED_H: f64 = 0.30;

/// What is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Arm {
    /// Optimal full-domain k-anonymity that minimizes LM and suppresses nothing. The paper's
    /// baseline generalizes until every class has k records, and is judged by LM first.
    KAnonymous,
    /// h-ceiling with `padding = "exact", draw = "uniform"`.
    Published,
    /// h-ceiling with `padding = "random", draw = "empirical"`.
    Default,
    /// [`Arm::Published`] with `rce-over = "released"`: a counterfeit counts as wholly lost.
    Released,
}

impl Arm {
    pub(super) const ALL: [Self; 4] = [Self::KAnonymous, Self::Published, Self::Default, Self::Released];
    pub(super) const CEILED: [Self; 3] = [Self::Published, Self::Default, Self::Released];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::KAnonymous => "k-anonymous",
            Self::Published => "h-ceiled, published (exact, uniform)",
            Self::Default => "h-ceiled, default (random, empirical)",
            Self::Released => "h-ceiled, RCE over the released table (exact, uniform)",
        }
    }

    /// The method of an arm; none for the baseline.
    pub(super) fn method(self, k: u64, h: Option<f64>) -> Option<HCeiling> {
        let (padding, draw) = match self {
            Self::KAnonymous => return None,
            Self::Published | Self::Released => (Padding::Exact, Draw::Uniform),
            Self::Default => (Padding::Random, Draw::Empirical),
        };
        let rce_over = self.over();
        let usual = HCeilingParams::default();
        let objective = Objective::Rce;
        let params = HCeilingParams { k, h, padding, draw, rce_over, objective, group_classes: 2, ..usual };
        Some(HCeiling::try_from(params).expect("the paper's parameters are in range"))
    }

    /// Over whom its RCE is summed.
    fn over(self) -> Over {
        if self == Self::Released { Over::Released } else { Over::Original }
    }
}

/// An anonymized table and its loss.
pub(super) struct Solved {
    /// With sensitive counts in its classes.
    pub(super) plan: Plan,
    /// LM over the original records.
    pub(super) lm: f64,
    /// RCE, summed over the original records; of [`Arm::Released`] over the released ones.
    pub(super) rce: f64,
}

impl Solved {
    pub(super) fn counterfeits(&self) -> u64 {
        self.plan.counterfeits.iter().map(Counterfeits::total).sum()
    }
}

/// Runs an arm; `None` where no node under the ceiling has a safe catalog.
///
/// # Errors
/// [`JobError`] of the search, except that it is infeasible.
pub(super) fn solve(
    table: &FrequencyTable,
    arm: Arm,
    k: u64,
    h: f64,
    context: &Context<'_>,
) -> Result<Option<Solved>, JobError> {
    context.check()?;
    let plan = match arm.method(k, Some(h)) {
        None => k_anonymous(table, k, "lm", context)?,
        Some(method) => match method.plan(table, &table.lattice(), &no_models, context) {
            Ok((plan, _)) => plan,
            Err(MethodError::Infeasible(_)) => return Ok(None),
            Err(error) => return Err(error.into()),
        },
    };
    let lm = CellFigures::new(LM, &Counted::of(table), &MetricOptions::default())
        .without_suppression(&plan.node)
        .first();
    let rce = reconstruction_error(table, &plan, Reading::Marginal);
    let mut solved = Solved { plan, lm, rce };
    if arm.over() == Over::Released {
        solved.rce += solved.counterfeits() as f64 * rce::integrals(Reading::Marginal, table.qis.len());
    }
    Ok(Some(solved))
}

/// One run of an arm at (k, h).
pub(super) struct Run {
    pub(super) arm: Arm,
    pub(super) k: u64,
    pub(super) h: f64,
    pub(super) solved: Option<Solved>,
}

/// All runs of figures 5 to 10 on one table.
pub(super) struct Runs(Vec<Run>);

impl Runs {
    /// The baseline once per k, the others also once per h.
    ///
    /// # Errors
    /// As [`solve`].
    pub(super) fn all(sample: &Sample, context: &Context<'_>) -> Result<Self, JobError> {
        let over_k = KS.iter().flat_map(|&k| Arm::ALL.map(|arm| (arm, k, FIXED_H)));
        let other_h = HS.iter().copied().filter(|&h| h != FIXED_H);
        let over_h = other_h.flat_map(|h| Arm::CEILED.map(|arm| (arm, FIXED_K, h)));
        let wanted: Vec<_> = over_k.chain(over_h).collect();
        let run = |(done, &(arm, k, h)): (usize, &(Arm, u64, f64))| {
            context.progress.step("anonymizing", done as u64, wanted.len() as u64);
            Ok(Run { arm, k, h, solved: solve(&sample.table, arm, k, h, context)? })
        };
        wanted.iter().enumerate().map(run).collect::<Result<_, JobError>>().map(Self)
    }

    /// The run at (k, h); the baseline does not depend on h.
    pub(super) fn get(&self, arm: Arm, k: u64, h: f64) -> Option<&Solved> {
        let wanted = |run: &&Run| run.arm == arm && run.k == k && (run.h == h || arm == Arm::KAnonymous);
        self.0.iter().find(wanted)?.solved.as_ref()
    }

    /// A figure of an arm at every k, h being fixed; NaN where there is no release.
    pub(super) fn over_k(&self, arm: Arm, figure: impl Fn(&Solved) -> f64) -> Vec<f64> {
        KS.iter().map(|&k| self.get(arm, k, FIXED_H).map_or(f64::NAN, &figure)).collect()
    }

    /// A figure of an arm at every h, k being fixed; NaN where there is no release.
    pub(super) fn over_h(&self, arm: Arm, figure: impl Fn(&Solved) -> f64) -> Vec<f64> {
        HS.iter().map(|&h| self.get(arm, FIXED_K, h).map_or(f64::NAN, &figure)).collect()
    }
}

/// The series of an arm in a chart.
pub(super) fn series(arm: Arm, values: Vec<f64>) -> Series {
    Series { name: arm.name().into(), values }
}
