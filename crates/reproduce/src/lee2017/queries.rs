//! Figures 9 and 10: errors of counting queries, k = 5, h = 0.3.
//!
//! Figure 9 groups by one attribute at a time. Of figure 10 the paper says "query error rate
//! variation with the number of attributes" and no more. It is taken here as the number of attributes
//! that the query groups by, on the same anonymized tables. The mean is over all subsets of that size,
//! so that no order of the attributes has to be chosen.

use velamen_report::chart::{Series, bars, lines};

use super::runs::{Arm, FIXED_H, FIXED_K, Runs, Solved, series};
use crate::output::{Figure, ResultTable, cell};
use crate::query::{Count, QueryError, Reading};
use crate::sample::Sample;
use crate::{NO_RELEASE, Section, Trend, query, text};

/// Up to this factor and this many percentage points above the baseline an error is "nearly equal".
const NEARLY: (f64, f64) = (1.1, 1.0);

/// An anonymized table with one way to read it.
struct Answerer<'a> {
    arm: Arm,
    reading: Reading,
    solved: Option<(&'a Solved, Vec<Count>)>,
}

impl Answerer<'_> {
    fn name(&self) -> String {
        match (self.arm, self.reading) {
            (Arm::KAnonymous, _) => self.arm.name().into(),
            (arm, Reading::Corrected) => format!("{}, corrected by the catalog", arm.name()),
            (arm, Reading::AsReleased) => format!("{}, as released", arm.name()),
        }
    }

    /// In per cent; NaN where there is no release.
    fn error(&self, sample: &Sample, attributes: &[usize]) -> QueryError {
        let Some((solved, counts)) = &self.solved else {
            return QueryError { mean: f64::NAN, but_rarest: f64::NAN, total: f64::NAN };
        };
        let (table, plan) = (&sample.table, &solved.plan);
        let original = query::original(table, &sample.wanted(), attributes);
        let answer = query::answer(table, plan, counts, self.reading, attributes);
        let error = query::error(table, &plan.node, attributes, &original, &answer);
        QueryError {
            mean: 100.0 * error.mean,
            but_rarest: 100.0 * error.but_rarest,
            total: 100.0 * error.total,
        }
    }
}

/// Baseline, the other arms corrected, the same as released.
fn answerers<'a>(sample: &Sample, runs: &'a Runs) -> Vec<Answerer<'a>> {
    let read = [Reading::Corrected, Reading::AsReleased];
    let ceiled = read.into_iter().flat_map(|reading| Arm::CEILED.map(|arm| (arm, reading)));
    let one = |(arm, reading)| {
        let solved = runs.get(arm, FIXED_K, FIXED_H);
        let solved = solved.map(|solved| (solved, query::counts(&solved.plan, &sample.wanted())));
        Answerer { arm, reading, solved }
    };
    std::iter::once((Arm::KAnonymous, Reading::AsReleased)).chain(ceiled).map(one).collect()
}

/// Figures 9 and 10.
pub(super) fn section(sample: &Sample, runs: &Runs) -> Section {
    let answerers = answerers(sample, runs);
    let attributes = sample.table.qis.len();
    let by_attribute: Vec<Vec<QueryError>> =
        answerers.iter().map(|one| (0..attributes).map(|q| one.error(sample, &[q])).collect()).collect();
    let by_number: Vec<Vec<QueryError>> = answerers
        .iter()
        .map(|one| (1..=attributes).map(|size| mean_over_subsets(one, sample, attributes, size)).collect())
        .collect();
    let mut trends = fig9_trends(sample, &by_attribute);
    trends.extend(fig10_trends(&by_number));
    let figures = vec![fig9(sample, &answerers, &by_attribute), fig10(sample, &answerers, &by_number)];
    Section { figures, trends }
}

fn mean_over_subsets(one: &Answerer<'_>, sample: &Sample, attributes: usize, size: usize) -> QueryError {
    let (mut mean, mut but_rarest, mut total, mut subsets) = (0.0, 0.0, 0.0, 0.0);
    for mask in (1u32..1 << attributes).filter(|mask| mask.count_ones() as usize == size) {
        let chosen: Vec<usize> = (0..attributes).filter(|q| mask >> q & 1 == 1).collect();
        let error = one.error(sample, &chosen);
        mean += error.mean;
        but_rarest += error.but_rarest;
        total += error.total;
        subsets += 1.0;
    }
    QueryError { mean: mean / subsets, but_rarest: but_rarest / subsets, total: total / subsets }
}

fn query_text(sample: &Sample, by: &str) -> String {
    format!(
        "SELECT COUNT(*) … WHERE {} = '{}' GROUP BY {by}",
        sample.sensitive().name,
        sample.queried_label()
    )
}

const HOW: &str = "Mean over the groups with original count > 0 of |answer − original| / original; a released cell is \
                   spread uniformly over its leaves; counts of h-ceiled data are corrected by the catalog (expected \
                   real records). The table also gives the counts as released, the mean without the group of fewest records, \
                   and Σ|answer − original| / Σ original.";

fn fig9(sample: &Sample, answerers: &[Answerer<'_>], errors: &[Vec<QueryError>]) -> Figure {
    let categories: Vec<String> = sample.table.qis.iter().map(|qi| qi.name.clone()).collect();
    let title = "Fig. 9: query error by attribute (k = 5, h = 0.3)";
    Figure {
        file: "fig9".into(),
        title: title.into(),
        note: format!("{}. {HOW}", query_text(sample, "attribute")),
        table: error_table("attribute", &categories, answerers, errors),
        svg: bars(title, "attribute", "error, %", &categories, &charted(errors)),
    }
}

fn fig10(sample: &Sample, answerers: &[Answerer<'_>], errors: &[Vec<QueryError>]) -> Figure {
    let categories: Vec<String> = (1..=sample.table.qis.len()).map(|size| size.to_string()).collect();
    let title = "Fig. 10: query error by number of attributes (k = 5, h = 0.3)";
    Figure {
        file: "fig10".into(),
        title: title.into(),
        note: format!(
            "{}, the mean over all subsets of that many attributes. {HOW}",
            query_text(sample, "m attributes")
        ),
        table: error_table("attributes grouped by", &categories, answerers, errors),
        svg: lines(title, "attributes grouped by", "error, %", &categories[..], &charted(errors)),
    }
}

/// The baseline and the corrected answers: one for each arm that pictures have.
fn charted(errors: &[Vec<QueryError>]) -> Vec<Series> {
    let values = |errors: &Vec<QueryError>| errors.iter().map(|error| error.mean).collect();
    Arm::CHARTED.into_iter().zip(errors).map(|(arm, errors)| series(arm, values(errors))).collect()
}

fn error_table(
    first: &str,
    categories: &[String],
    answerers: &[Answerer<'_>],
    errors: &[Vec<QueryError>],
) -> ResultTable {
    let named = |measure: &'static str| answerers.iter().map(move |one| format!("{}: {measure}", one.name()));
    let header = std::iter::once(first.to_owned())
        .chain(named("mean relative error %"))
        .chain(named("mean relative error without the rarest group %"))
        .chain(named("sum of absolute errors / sum of original counts %"));
    let row = |(i, category): (usize, &String)| {
        let means = errors.iter().map(|errors| cell(errors[i].mean));
        let but_rarest = errors.iter().map(|errors| cell(errors[i].but_rarest));
        let totals = errors.iter().map(|errors| cell(errors[i].total));
        std::iter::once(category.clone()).chain(means).chain(but_rarest).chain(totals).collect()
    };
    ResultTable { header: header.collect(), rows: categories.iter().enumerate().map(row).collect() }
}

fn percent(value: f64) -> String {
    if value.is_finite() { format!("{} %", text(value)) } else { NO_RELEASE.into() }
}

fn fig9_trends(sample: &Sample, errors: &[Vec<QueryError>]) -> Vec<Trend> {
    let find = |name: &str| sample.table.qis.iter().position(|qi| qi.name == name);
    let mut trends = Vec::new();
    if let Some(q) = find("marital-status") {
        trends.push(marital_level(sample, q, errors[0][q]));
        for (error, arm) in errors[1..].iter().zip(Arm::CEILED) {
            let measured = format!("{} of {}", percent(error[q].mean), percent(errors[0][q].mean));
            let halved = error[q].mean <= 0.6 * errors[0][q].mean;
            let published = "marital status: reduced by half with h-ceiling (met up to 0.6 of it)";
            trends.push(Trend::by(arm.name(), "Fig. 9", published, &measured, halved));
        }
    }
    if let Some(q) = find("sex") {
        let of_baseline = errors[0][q].mean;
        for (error, arm) in errors[1..].iter().zip(Arm::CEILED) {
            let measured = format!("{}; k-anonymous {}", percent(error[q].mean), percent(of_baseline));
            // The h-ceiled answer can be off by what the catalog leaves open, never by generalization.
            let met = error[q].mean < 0.5 && of_baseline < 0.5;
            let published = "sex: error 0, as it is not generalized (met below 0.5 %)";
            trends.push(Trend::by(arm.name(), "Fig. 9", published, &measured, met));
        }
    }
    let by_group = Weights { name: "", error: |error| error.mean };
    let by_record = Weights { name: ", groups weighted by their sizes", error: |error| error.total };
    for weights in [by_group, by_record] {
        let others =
            (1..).zip(Arm::CEILED).map(|(which, arm)| on_no_other(sample, errors, which, arm, weights));
        trends.extend(others);
    }
    trends
}

/// The level of the baseline's error, also without the status that fewest people have.
fn marital_level(sample: &Sample, q: usize, error: QueryError) -> Trend {
    let counts = query::original(&sample.table, &sample.wanted(), &[q]);
    let rarest = counts.values().copied().fold(f64::INFINITY, f64::min);
    let measured = format!(
        "{}; without the rarest status, which {rarest} people have, {}",
        percent(error.mean),
        percent(error.but_rarest)
    );
    let near = |value: f64| (200.0..=400.0).contains(&value);
    Trend::new(
        "Fig. 9",
        "marital status: error almost 300 % k-anonymous (met within 200 to 400 in either mean)",
        &measured,
        near(error.mean) || near(error.but_rarest),
    )
}

/// How the errors of groups make one.
#[derive(Clone, Copy)]
struct Weights {
    /// What a reading's name has of it.
    name: &'static str,
    error: fn(&QueryError) -> f64,
}

fn on_no_other(
    sample: &Sample,
    errors: &[Vec<QueryError>],
    which: usize,
    arm: Arm,
    weights: Weights,
) -> Trend {
    let marital = sample.table.qis.iter().position(|qi| qi.name == "marital-status");
    let others = (0..errors[0].len()).filter(|&q| Some(q) != marital);
    let worse: Vec<String> =
        others.filter_map(|q| clearly_worse(sample, &errors[0][q], &errors[which][q], q, weights)).collect();
    let measured = match &worse[..] {
        _ if errors[which][0].mean.is_nan() => NO_RELEASE.to_owned(),
        [] => "clearly worse on none".to_owned(),
        _ => format!("clearly worse on {}", worse.join(", ")),
    };
    let published = "on no other attribute clearly worse than k-anonymous (met up to 1.1 times plus 1 point)";
    let reading = format!("{}{}", arm.name(), weights.name);
    Trend::by(&reading, "Fig. 9", published, &measured, worse.is_empty())
}

/// What is to be said of an attribute on which a method is clearly worse than the baseline.
fn clearly_worse(
    sample: &Sample,
    baseline: &QueryError,
    ceiled: &QueryError,
    q: usize,
    weights: Weights,
) -> Option<String> {
    let (baseline, ceiled) = ((weights.error)(baseline), (weights.error)(ceiled));
    // Written so that a missing release counts as worse.
    let fine = ceiled <= NEARLY.0 * baseline + NEARLY.1;
    let name = &sample.table.qis[q].name;
    (!fine).then(|| format!("{name} ({} against {})", percent(ceiled), percent(baseline)))
}

fn fig10_trends(errors: &[Vec<QueryError>]) -> Vec<Trend> {
    let one = |which: usize, arm: Arm| {
        let better = |i: &usize| errors[which][*i].mean < errors[0][*i].mean;
        let numbers = 0..errors[0].len();
        let all = numbers.clone().all(|i| better(&i));
        let ratio = |i: usize| text(errors[which][i].mean / errors[0][i].mean);
        let ratios: Vec<String> = numbers.map(ratio).collect();
        let measured = format!("error as a share of k-anonymous {}", ratios.join(", "));
        let published = "error below k-anonymous for every number of attributes";
        Trend::by(arm.name(), "Fig. 10", published, &measured, all)
    };
    (1..).zip(Arm::CEILED).map(|(which, arm)| one(which, arm)).collect()
}
