//! The anonymized tables that the figures compare.
//!
//! Five arms. Two are the paper's baseline and its method as published. The third has random padding, once this
//! program's default, and withstands the minimality attack. The other two are as published with RCE summed over the
//! released table: by attribute, and over all attributes together. The paper sums over a table T and does not say which, and
//! integrates over "all the QI and sensitive attribute". LM is over the original records throughout.

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

use crate::baseline::{k_anonymous, least};
use crate::sample::Sample;

/// The paper's k.
pub(super) const KS: [u64; 3] = [3, 5, 10];

/// The paper's h.
pub(super) const HS: [f64; 3] = [0.25, 0.30, 0.35];

/// The k of the figures over h.
pub(super) const FIXED_K: u64 = 5;

/// The h of the figures over k.
pub(super) const FIXED_H: f64 = 0.30;

/// The share of records that the second baseline of figure 5 may suppress: the paper's source of it suppresses some,
/// and says no share.
pub(super) const SUPPRESSED: f64 = 0.005;

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
    /// [`Arm::Released`] with `rce = "joint"`: one integral a record.
    Joint,
}

impl Arm {
    pub(super) const ALL: [Self; 5] =
        [Self::KAnonymous, Self::Published, Self::Default, Self::Released, Self::Joint];
    pub(super) const CEILED: [Self; 4] = [Self::Published, Self::Default, Self::Released, Self::Joint];
    /// What pictures have room for; the tables have all.
    pub(super) const CHARTED: [Self; 4] = [Self::KAnonymous, Self::Published, Self::Default, Self::Released];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::KAnonymous => "k-anonymous",
            Self::Published => "h-ceiled, published (exact, uniform)",
            Self::Default => "h-ceiled, default (random, empirical)",
            Self::Released => "h-ceiled, RCE over the released table (exact, uniform)",
            Self::Joint => "h-ceiled, joint RCE over the released table (exact, uniform)",
        }
    }

    /// The method of an arm; none for the baseline.
    pub(super) fn method(self, k: u64, h: Option<f64>) -> Option<HCeiling> {
        if self == Self::Joint {
            return Some(joint(k, h));
        }
        let (padding, draw) = match self {
            Self::KAnonymous => return None,
            Self::Published | Self::Released | Self::Joint => (Padding::Exact, Draw::Uniform),
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
        if matches!(self, Self::Released | Self::Joint) { Over::Released } else { Over::Original }
    }

    /// Over what its RCE integrates.
    fn reading(self) -> Reading {
        if self == Self::Joint { Reading::Joint } else { Reading::Marginal }
    }

    /// What RCE is divided by for a figure between 0 and 1: its integrals over the original records.
    pub(super) fn integrals(self, table: &FrequencyTable) -> f64 {
        table.records() as f64 * rce::integrals(self.reading(), table.qis.len())
    }
}

/// The method of [`Arm::Joint`].
fn joint(k: u64, h: Option<f64>) -> HCeiling {
    let params = HCeilingParams {
        k,
        h,
        padding: Padding::Exact,
        draw: Draw::Uniform,
        rce: Reading::Joint,
        rce_over: Over::Released,
        objective: Objective::Rce,
        group_classes: 2,
        ..HCeilingParams::default()
    };
    HCeiling::try_from(params).expect("the paper's parameters are in range")
}

/// An anonymized table and its loss.
pub(super) struct Solved {
    /// With sensitive counts in its classes.
    pub(super) plan: Plan,
    /// LM over the original records.
    pub(super) lm: f64,
    /// RCE, summed over the original records; of [`Arm::Released`] and [`Arm::Joint`] over the released ones.
    pub(super) rce: f64,
    /// RCE in the joint reading, to compare [`Arm::Joint`] with.
    pub(super) joint: f64,
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
    let reading = arm.reading();
    let rce = reconstruction_error(table, &plan, reading);
    let joint = reconstruction_error(table, &plan, Reading::Joint);
    let mut solved = Solved { plan, lm, rce, joint };
    if arm.over() == Over::Released {
        solved.rce += solved.counterfeits() as f64 * rce::integrals(reading, table.qis.len());
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
pub(super) struct Runs {
    runs: Vec<Run>,
    /// By k, LM of the baseline where [`SUPPRESSED`] of the records may be suppressed.
    pub(super) suppressing: Vec<f64>,
}

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
        let runs = wanted.iter().enumerate().map(run).collect::<Result<_, JobError>>()?;
        let most = (SUPPRESSED * sample.table.records() as f64) as u64;
        let suppressing = |&k: &u64| Ok(least(&sample.table, k, "lm", most, context)?.score.first());
        Ok(Self { runs, suppressing: KS.iter().map(suppressing).collect::<Result<_, JobError>>()? })
    }

    /// The run at (k, h); the baseline does not depend on h.
    pub(super) fn get(&self, arm: Arm, k: u64, h: f64) -> Option<&Solved> {
        let wanted = |run: &&Run| run.arm == arm && run.k == k && (run.h == h || arm == Arm::KAnonymous);
        self.runs.iter().find(wanted)?.solved.as_ref()
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
