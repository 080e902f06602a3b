//! Figures 5 to 8: LM and RCE over k and h.

use velamen_report::chart::bars;

use super::runs::{Arm, FIXED_H, FIXED_K, HS, KS, Runs, SUPPRESSED, Solved, series};
use crate::output::{Figure, ResultTable, cell};
use crate::sample::Sample;
use crate::{Section, Trend, text};

/// What a figure shows.
#[derive(Debug, Clone, Copy)]
enum Measure {
    Lm,
    Rce,
}

/// Over what.
#[derive(Debug, Clone, Copy)]
enum Axis {
    K,
    H,
}

impl Measure {
    /// `integrals`: of an arm, what divides the sum of RCE.
    fn of(self, solved: &Solved, integrals: f64) -> f64 {
        match self {
            Self::Lm => solved.lm,
            Self::Rce => solved.rce / integrals,
        }
    }
}

impl Axis {
    fn values(self, runs: &Runs, arm: Arm, figure: impl Fn(&Solved) -> f64) -> Vec<f64> {
        match self {
            Self::K => runs.over_k(arm, figure),
            Self::H => runs.over_h(arm, figure),
        }
    }
}

/// Counterfeits that the paper reports for its Adult, k = 3, 5, 10 at h = 0.3.
const PUBLISHED_OVER_K: [u64; 3] = [125, 132, 103];

/// A share of counterfeits above twice the largest published one (132 of 32 561) is not "few".
const FEW: f64 = 2.0 * 132.0 / 32_561.0;

/// Figures 5 to 8.
pub(super) fn section(sample: &Sample, runs: &Runs) -> Section {
    let figure = |number: u32, measure, axis| draw(number, measure, axis, runs, sample);
    let figures = vec![
        figure(5, Measure::Lm, Axis::K),
        figure(6, Measure::Lm, Axis::H),
        figure(7, Measure::Rce, Axis::K),
        figure(8, Measure::Rce, Axis::H),
    ];
    let mut trends = lm_trends(sample, runs);
    trends.extend(counterfeit_trends(sample, runs));
    trends.extend(rce_trends(runs, sample));
    Section { figures, trends }
}

fn draw(number: u32, measure: Measure, axis: Axis, runs: &Runs, sample: &Sample) -> Figure {
    let (what, label) = match measure {
        Measure::Lm => ("LM", "LM (mean degree of generalization)"),
        Measure::Rce => ("RCE", "RCE per record and attribute"),
    };
    let (over, fixed, categories) = match axis {
        Axis::K => ("k", format!("h = {FIXED_H}"), KS.map(|k| k.to_string())),
        Axis::H => ("h", format!("k = {FIXED_K}"), HS.map(|h| h.to_string())),
    };
    let charted = Arm::CHARTED.map(|arm| {
        let integrals = arm.integrals(&sample.table);
        series(arm, axis.values(runs, arm, |solved| measure.of(solved, integrals)))
    });
    let title = format!("Fig. {number}: {what} variation with {over} ({fixed})");
    Figure {
        file: format!("fig{number}"),
        note: "Over all original records; RCE over the released table counts each counterfeit as wholly lost beside \
               them. k-anonymous: the optimal full-domain generalization of least LM, nothing \
               suppressed; it does not depend on h. The table also has the joint RCE over the released table, one integral \
               a record. A cross: no node under the ceiling has a safe catalog."
            .into(),
        table: table(over, axis, &categories, runs),
        svg: bars(&title, over, label, &categories, &charted),
        title,
    }
}

/// Every figure of every arm: LM, RCE as a sum and the number of counterfeits.
fn table(over: &str, axis: Axis, categories: &[String], runs: &Runs) -> ResultTable {
    let mut header = vec![over.to_owned()];
    let mut columns = Vec::new();
    for arm in Arm::ALL {
        let named =
            ["LM", "RCE summed", "counterfeits", "classes"].map(|what| format!("{}: {what}", arm.name()));
        header.extend(named);
        columns.push(axis.values(runs, arm, |solved| solved.lm));
        columns.push(axis.values(runs, arm, |solved| solved.rce));
        columns.push(axis.values(runs, arm, |solved| solved.counterfeits() as f64));
        columns.push(axis.values(runs, arm, |solved| solved.plan.classes.len() as f64));
    }
    if matches!(axis, Axis::K) {
        header.push(format!("k-anonymous, up to {} % suppressed: LM", 100.0 * SUPPRESSED));
        columns.push(runs.suppressing.clone());
    }
    header.push("k-anonymous: joint RCE summed".into());
    columns.push(axis.values(runs, Arm::KAnonymous, |solved| solved.joint));
    let row = |(i, category): (usize, &String)| {
        std::iter::once(category.clone()).chain(columns.iter().map(|column| cell(column[i]))).collect()
    };
    ResultTable { header, rows: categories.iter().enumerate().map(row).collect() }
}

fn listed(values: &[f64]) -> String {
    values.iter().map(|&value| text(value)).collect::<Vec<_>>().join(" / ")
}

/// Never falls, and is higher at the end than at the beginning.
fn rises(values: &[f64]) -> bool {
    values.is_sorted() && values.first() < values.last()
}

/// Never rises, and is lower at the end than at the beginning.
fn falls(values: &[f64]) -> bool {
    values.iter().rev().is_sorted() && values.first() > values.last()
}

fn lm_trends(sample: &Sample, runs: &Runs) -> Vec<Trend> {
    let baseline = runs.over_k(Arm::KAnonymous, |solved| solved.lm);
    let suppressing = listed(&runs.suppressing);
    let measured = format!(
        "{} for k = 3 / 5 / 10; with up to {} % suppressed {suppressing}",
        listed(&baseline),
        100.0 * SUPPRESSED
    );
    let mut trends = Vec::new();
    if sample.adult {
        trends.push(Trend::new(
            "Fig. 5",
            "LM k-anonymous at least 0.37 at k = 3",
            &measured,
            baseline[0] >= 0.37,
        ));
        trends.push(Trend::new("Fig. 5", "LM k-anonymous above 0.4 at k = 10", &measured, baseline[2] > 0.4));
    }
    trends.push(Trend::new("Fig. 5", "LM k-anonymous grows with k", &measured, rises(&baseline)));
    for arm in Arm::CEILED {
        let over_k = runs.over_k(arm, |solved| solved.lm);
        let measured = format!("{} for k = 3 / 5 / 10", listed(&over_k));
        let met = over_k.iter().all(|&lm| lm <= FIXED_H);
        let published = "LM h-ceiled at most 0.3 for every k (h = 0.3)";
        trends.push(Trend::by(arm.name(), "Fig. 5", published, &measured, met));
        let over_h = runs.over_h(arm, |solved| solved.lm);
        let measured = format!("{} for h = 0.25 / 0.30 / 0.35", listed(&over_h));
        let published = "LM h-ceiled grows with h (k = 5)";
        trends.push(Trend::by(arm.name(), "Fig. 6", published, &measured, rises(&over_h)));
    }
    trends
}

fn counterfeit_trends(sample: &Sample, runs: &Runs) -> Vec<Trend> {
    let records = sample.table.records() as f64;
    let mut trends = Vec::new();
    for arm in Arm::CEILED {
        let over_k = runs.over_k(arm, |solved| solved.counterfeits() as f64);
        if sample.adult {
            let published = format!(
                "{} counterfeits for k = 3 / 5 / 10 (met up to twice that share of the records)",
                PUBLISHED_OVER_K.map(|count| count.to_string()).join(" / ")
            );
            let met = over_k.iter().all(|&count| count <= FEW * records);
            trends.push(Trend::by(arm.name(), "Fig. 5", &published, &listed(&over_k), met));
        }
        let over_h = runs.over_h(arm, |solved| solved.counterfeits() as f64);
        let published =
            "138 / 132 / 38 counterfeits for h = 0.25 / 0.30 / 0.35: fewer as h grows (the trend counts)";
        trends.push(Trend::by(arm.name(), "Fig. 6", published, &listed(&over_h), falls(&over_h)));
    }
    trends
}

fn rce_trends(runs: &Runs, sample: &Sample) -> Vec<Trend> {
    Arm::CEILED.iter().flat_map(|&arm| rce_trends_of(arm, runs, arm.integrals(&sample.table))).collect()
}

/// Figures 7 and 8 by one arm, the baseline in the arm's own reading.
fn rce_trends_of(arm: Arm, runs: &Runs, integrals: f64) -> [Trend; 3] {
    let rce = |solved: &Solved| solved.rce / integrals;
    let of_baseline = |solved: &Solved| if arm == Arm::Joint { solved.joint } else { solved.rce } / integrals;
    let (over_k, over_h) = (runs.over_k(arm, rce), runs.over_h(arm, rce));
    let baseline = runs.over_k(Arm::KAnonymous, of_baseline);
    let below = over_k.iter().zip(&baseline).all(|(ceiled, baseline)| ceiled < baseline);
    let by = |figure: &str, published: &str, measured: &str, met| {
        Trend::by(arm.name(), figure, published, measured, met)
    };
    let over = listed(&over_k);
    [
        by(
            "Fig. 7",
            "RCE h-ceiled below k-anonymous for every k",
            &format!("{over} against {} for k = 3 / 5 / 10", listed(&baseline)),
            below,
        ),
        by(
            "Fig. 7",
            "RCE h-ceiled grows with k (h = 0.3)",
            &format!("{over} for k = 3 / 5 / 10"),
            rises(&over_k),
        ),
        by(
            "Fig. 8",
            "RCE h-ceiled falls as h grows (k = 5)",
            &format!("{} for h = 0.25 / 0.30 / 0.35", listed(&over_h)),
            falls(&over_h),
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stays_level_or_is_missing_is_no_trend() {
        assert!(rises(&[1.0, 1.0, 2.0]) && falls(&[2.0, 1.0, 1.0]));
        for values in [[1.0, 1.0, 1.0], [1.0, f64::NAN, 2.0], [1.0, 3.0, 2.0], [2.0, f64::NAN, 1.0]] {
            assert!(!rises(&values) && !falls(&values), "{values:?}");
        }
    }
}
