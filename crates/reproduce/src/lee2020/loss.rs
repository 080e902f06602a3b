//! Figures 6 to 8: information loss.

use velamen_report::chart::{Series, bars, lines};
use velamen_search::method::ipa::published::{Candidate, Loss};

use super::budget::EPSILONS;
use super::program_trends;
use super::published::{EQUATIONS, NEAR, PROGRAM, PUBLISHED, PUBLISHED_RANGE, falls, listed};
use super::runs::{HistogramLoss, Run, Runs, mean, range};
use crate::output::{Figure, ResultTable, cell};
use crate::{Section, Trend, text};

/// Figures 6 to 8.
pub(super) fn section(runs: &Runs) -> Section {
    let mut figures = vec![figure_6(runs), figure_7(runs)];
    figures.extend((0..EPSILONS.len()).map(|at| figure_8(at, &runs.ipa[at])));
    let mut trends = levels(runs);
    trends.extend(over_epsilon(runs));
    trends.extend(program_trends::trends(runs, PROGRAM));
    Section { figures, trends }
}

fn total(run: &Run) -> f64 {
    run.loss().total()
}

/// A row of Figure 6's table: a name, what was published, the parts, and the least and greatest of the runs.
fn row(name: &str, published: f64, parts: Loss, range: (f64, f64)) -> Vec<String> {
    let figures = [published, parts.total(), parts.ncp, parts.emd, parts.rate, range.0, range.1];
    std::iter::once(name.to_owned()).chain(figures.map(cell)).collect()
}

fn mean_loss<T>(runs: &[T], loss: impl Fn(&T) -> Loss) -> Loss {
    let part = |part: fn(Loss) -> f64| mean(runs, |run| part(loss(run)));
    Loss { ncp: part(|l| l.ncp), emd: part(|l| l.emd), rate: part(|l| l.rate) }
}

fn figure_6(runs: &Runs) -> Figure {
    let ipa = runs.with_one();
    let generalized = Loss { ncp: runs.baseline.ncp, ..Loss::default() };
    let of_histogram = |of: fn(&HistogramLoss) -> Loss, published, name| {
        row(name, published, mean_loss(&runs.histogram, of), range(&runs.histogram, |run| of(run).total()))
    };
    let header = ["method", "published", "measured", "NCP", "EMD", "Rate", "least", "greatest"];
    let rows = vec![
        row("IPA", PUBLISHED.ipa, mean_loss(ipa, Run::loss), range(ipa, total)),
        row("k-anonymity", PUBLISHED.k_anonymity, generalized, (runs.baseline.ncp, runs.baseline.ncp)),
        of_histogram(|run| run.best, PUBLISHED.histogram, "histogram, best node"),
        of_histogram(|run| run.raw, f64::NAN, "histogram, untouched attributes"),
        of_histogram(
            |run| run.whole,
            f64::NAN,
            "histogram, untouched attributes, classes without people too",
        ),
    ];
    let measured = vec![mean(ipa, total), runs.baseline.ncp, mean(&runs.histogram, |run| run.best.total())];
    let title = "Fig. 6: information loss (ε = 1, k = 10)".to_owned();
    let categories = ["IPA", "k-anonymity", "histogram"].map(String::from);
    let series = [
        Series {
            name: "published".into(),
            values: vec![PUBLISHED.ipa, PUBLISHED.k_anonymity, PUBLISHED.histogram],
        },
        Series { name: "measured".into(), values: measured },
    ];
    Figure {
        file: "fig6".into(),
        note: format!(
            "Mean of {} runs. k-anonymity: the full-domain node of least NCP, {:?}, nothing suppressed. Histogram: a \
             noisy contingency table at the node where it loses least; how the paper takes it is not said.",
            ipa.len(),
            runs.baseline.plan.node.0
        ),
        table: ResultTable { header: header.map(String::from).to_vec(), rows },
        svg: bars(&title, "method", "IL", &categories, &series),
        title,
    }
}

/// The columns of Figure 7: what the runs released, what Eq. 12 releases on average, and the best nodes.
fn columns(runs: &Runs) -> [(&'static str, Vec<f64>); 3] {
    let over = |figure: &dyn Fn(&Run) -> f64| runs.ipa.iter().rev().map(|runs| mean(runs, figure)).collect();
    [
        ("released", over(&total)),
        ("expected by Eq. 12", over(&Run::expected)),
        ("best node", over(&Run::least)),
    ]
}

fn figure_7(runs: &Runs) -> Figure {
    let epsilons: Vec<f64> = EPSILONS.iter().rev().copied().collect();
    let columns = columns(runs);
    let header = [
        "epsilon",
        "released",
        "expected by Eq. 12",
        "best node",
        "least",
        "greatest",
        "suppressed",
        "counterfeits",
        "released, authors' program",
        "expected, authors' program",
    ];
    let row = |(at, epsilon): (usize, &f64)| {
        let own = &runs.ipa[EPSILONS.len() - 1 - at];
        let (least, most) = range(own, total);
        let records = [mean(own, |run| run.suppressed as f64), mean(own, |run| run.counterfeits as f64)];
        let program = &runs.program[EPSILONS.len() - 1 - at];
        let program = [mean(program, |chosen| chosen.drawn), mean(program, |chosen| chosen.expected)];
        let figures = columns.iter().map(|column| column.1[at]).chain([least, most]).chain(records);
        let figures = figures.chain(program);
        std::iter::once(*epsilon).chain(figures).map(cell).collect()
    };
    let rows = epsilons.iter().enumerate().map(row).collect();
    let title = "Fig. 7: information loss of IPA over ε".to_owned();
    let series = columns.clone().map(|(name, values)| Series { name: name.into(), values });
    Figure {
        file: "fig7".into(),
        note: format!(
            "Means of {} runs. Expected: every node weighted by its probability. Best node: what a choice without noise \
             would release.",
            runs.with_one().len()
        ),
        table: ResultTable { header: header.map(String::from).to_vec(), rows },
        svg: lines(&title, "ε", "IL", &epsilons[..], &series),
        title,
    }
}

/// The loss of all nodes of a height in all runs.
fn by_height(runs: &[Run]) -> Vec<(Loss, usize)> {
    let all = || runs.iter().flat_map(|run| &run.candidates);
    let heights = all().map(|candidate| candidate.node.height()).max().unwrap_or(0);
    let of = |height| {
        let own: Vec<&Candidate> = all().filter(|candidate| candidate.node.height() == height).collect();
        let chosen = runs.iter().filter(|run| run.released().node.height() == height).count();
        (mean_loss(&own, |candidate| candidate.loss), chosen)
    };
    (0..=heights).map(of).collect()
}

fn figure_8(at: usize, runs: &[Run]) -> Figure {
    let (letter, epsilon) = (["a", "b", "c", "d"][at], EPSILONS[at]);
    let levels = by_height(runs);
    let part = |name: &str, of: fn(&Loss) -> f64| Series {
        name: name.into(),
        values: levels.iter().map(|(loss, _)| of(loss)).collect(),
    };
    let series =
        [part("NCP", |l| l.ncp), part("EMD", |l| l.emd), part("Rate", |l| l.rate), part("IL", Loss::total)];
    let row = |(height, (loss, chosen)): (usize, &(Loss, usize))| {
        let figures = [loss.ncp, loss.emd, loss.rate, loss.total()].map(cell);
        std::iter::once(height.to_string()).chain(figures).chain([chosen.to_string()]).collect()
    };
    let header = ["node level", "NCP", "EMD", "Rate", "IL", "runs that released it"].map(String::from);
    let categories: Vec<String> = (0..levels.len()).map(|height| height.to_string()).collect();
    let (least, most) = range(runs, total);
    let title = format!("Fig. 8{letter}: the parts of information loss by node level (ε = {epsilon})");
    Figure {
        file: format!("fig8{letter}"),
        note: format!(
            "Means over the nodes of a level and {} runs. Released: IL {} on average, from {} to {}.",
            runs.len(),
            text(mean(runs, total)),
            text(least),
            text(most)
        ),
        table: ResultTable { header: header.to_vec(), rows: levels.iter().enumerate().map(row).collect() },
        svg: lines(&title, "node level", "loss", &categories[..], &series),
        title,
    }
}

/// Trends of Figure 6 and the range of Figure 8a.
fn levels(runs: &Runs) -> Vec<Trend> {
    let ipa = mean(runs.with_one(), total);
    let (raw, best) =
        (mean(&runs.histogram, |run| run.raw.total()), mean(&runs.histogram, |run| run.best.total()));
    let level = |name: &str, of_paper: f64, value: f64, more: String| {
        let met = (value - of_paper).abs() <= NEAR;
        let published = format!("IL of {name} {of_paper}");
        Trend::by(EQUATIONS, "Fig. 6", &published, &format!("{}{more}", text(value)), met)
    };
    let expected = text(mean(runs.with_one(), Run::expected));
    let least = text(mean(runs.with_one(), Run::least));
    let order = ipa < runs.baseline.ncp && runs.baseline.ncp < best;
    let measured = [ipa, runs.baseline.ncp, best].map(text).join(" / ");
    let (low, high) = range(runs.with_one(), total);
    let inside = low >= PUBLISHED_RANGE.0 - NEAR && high <= PUBLISHED_RANGE.1 + NEAR;
    vec![
        level("IPA", PUBLISHED.ipa, ipa, format!(" (expected by Eq. 12 {expected}; best node {least})")),
        level("k-anonymity", PUBLISHED.k_anonymity, runs.baseline.ncp, String::new()),
        level(
            "the histogram",
            PUBLISHED.histogram,
            best,
            format!(" at its best node, {} with untouched attributes", text(raw)),
        ),
        Trend::by(
            EQUATIONS,
            "Fig. 6",
            "IPA loses less than k-anonymity, k-anonymity less than the histogram",
            &measured,
            order,
        ),
        Trend::by(
            EQUATIONS,
            "Fig. 8a",
            &format!("released nodes have IL {} to {}", PUBLISHED_RANGE.0, PUBLISHED_RANGE.1),
            &format!("{} to {}", text(low), text(high)),
            inside,
        ),
    ]
}

/// Why ranges of ten runs have no order.
const CHANCE: &str = "with these ε a node that loses 1 less is at most 1.04 times as likely, so the ranges of ten runs are a \
                      matter of chance";

/// Trends of Figures 7 and 8.
fn over_epsilon(runs: &Runs) -> Vec<Trend> {
    let [(_, released), (_, expected), _] = columns(runs);
    // From ε = 1 down.
    let shares: Vec<f64> = runs.ipa.iter().map(|runs| noise(runs)).collect();
    let widths: Vec<f64> =
        runs.ipa.iter().map(|runs| range(runs, total)).map(|(low, high)| high - low).collect();
    vec![
        Trend::by(
            EQUATIONS,
            "Fig. 7",
            "IL falls as ε rises from 0.1 over 0.25 and 0.5 to 1",
            &format!("{} (expected by Eq. 12 {})", listed(&released), listed(&expected)),
            falls(&released),
        ),
        Trend::by(
            EQUATIONS,
            "Fig. 8",
            "the share of EMD and Rate in IL grows as ε falls from 1",
            &listed(&shares),
            falls(&shares.iter().map(|share| -share).collect::<Vec<_>>()),
        ),
        Trend::by(
            EQUATIONS,
            "Fig. 8",
            "the released range is narrower with ε = 0.1 than with 0.25, as low nodes are not released",
            &format!("{} against {}", text(widths[3]), text(widths[2])),
            widths[3] < widths[2],
        )
        .shown_impossible(CHANCE),
    ]
}

fn noise(runs: &[Run]) -> f64 {
    let all: Vec<&Candidate> = runs.iter().flat_map(|run| &run.candidates).collect();
    let loss = mean_loss(&all, |candidate| candidate.loss);
    (loss.emd + loss.rate) / loss.total()
}
