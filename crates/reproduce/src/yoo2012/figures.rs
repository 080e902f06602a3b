//! Figures 4 to 6 from the runs.

use std::ops::RangeInclusive;

use velamen_report::chart::{Series, lines};

use super::runs::{Again, Arm, Run, Runs};
use crate::output::{Figure, ResultTable, cell};
use crate::{Section, Trend, text};

/// One row per run: the arm, the records, then these figures.
fn table(runs: &Runs, header: &[&str], figures: impl Fn(&Run) -> Vec<f64>) -> ResultTable {
    let row = |run: &Run| {
        let start = [run.arm.name().to_owned(), run.records.to_string()];
        start.into_iter().chain(figures(run).into_iter().map(cell)).collect()
    };
    ResultTable {
        header: ["clustering", "records"].iter().chain(header).map(|name| (*name).to_owned()).collect(),
        rows: runs.0.iter().map(row).collect(),
    }
}

/// The paper's four clusterings over the number of records.
fn picture(runs: &Runs, title: &str, label: &str, figure: impl Fn(&Run) -> f64) -> String {
    let sizes: Vec<f64> = runs.sizes().iter().map(|&size| size as f64).collect();
    let series = |&arm: &Arm| Series { name: arm.name().into(), values: runs.of(arm, &figure) };
    let series: Vec<Series> = Arm::PUBLISHED.iter().map(series).collect();
    lines(title, "records", label, sizes.as_slice(), &series)
}

fn block_loss(run: &Run) -> f64 {
    run.found.block_loss
}

/// Figure 4: total information loss.
///
/// `shares`: of CE in the loss of the proposed method, in further runs.
pub(super) fn loss(runs: &Runs, shares: &[(Again, Vec<f64>)]) -> Section {
    let title = "Figure 4: total information loss";
    let header = [
        "sum of the blocks' conditional entropy, bits by record",
        "CE of the release",
        "MI of the release",
        "sum of the blocks' distances, bits",
    ];
    let figure = Figure {
        file: "figure4".into(),
        title: title.into(),
        note: "Each block's conditional entropy, summed over the blocks. In the table also CE and MI of the release \
               as a whole, where blocks of equal labels are one class."
            .into(),
        table: table(runs, &header, losses),
        svg: picture(runs, title, "bits by record", block_loss),
    };
    let trends = loss_trends(runs)
        .into_iter()
        .chain(shares.iter().map(|(again, shares)| in_further_runs(*again, shares)));
    Section { figures: vec![figure], trends: trends.collect() }
}

fn losses(run: &Run) -> Vec<f64> {
    let release = run.figures;
    vec![block_loss(run), release.conditional_entropy, release.mutual_information, run.found.distances]
}

/// A trend of one figure at every number of records: met where it holds of all, and said of which it does.
fn at_every_size(
    reading: &str,
    sizes: &[u64],
    published: &str,
    values: &[f64],
    holds: impl Fn(f64) -> bool,
) -> Trend {
    let one = |(size, &value): (&u64, &f64)| format!("{} at {size}", text(value));
    let listed: Vec<String> = sizes.iter().zip(values).map(one).collect();
    let held = values.iter().filter(|value| holds(**value)).count();
    let measured = format!("{} (holds of {held} of {} numbers of records)", listed.join(", "), values.len());
    Trend::by(reading, "4", published, &measured, held == values.len())
}

/// The last reading in further runs: met where CE loses less in nine runs of ten.
fn in_further_runs(again: Again, shares: &[f64]) -> Trend {
    let published = match again {
        Again::Orders => {
            "(not in the paper) CE loses less than the proposed method, in five further orders of the records"
        }
        Again::Draws => {
            "(not in the paper) CE loses less than the proposed method, with five further draws in the same order of \
             the records"
        }
    };
    let below = shares.iter().filter(|share| **share < 1.0).count();
    let ends =
        shares.iter().fold((f64::INFINITY, 0.0f64), |(low, high), &share| (low.min(share), high.max(share)));
    Trend::by(
        RELEASED,
        "4",
        published,
        &format!(
            "in {below} of {} runs: loss of CE as a share of it from {} to {}",
            shares.len(),
            text(ends.0),
            text(ends.1)
        ),
        below * 10 >= shares.len() * 9,
    )
}

/// What is taken for the paper's loss, and for its proposed method.
struct Reading {
    name: &'static str,
    loss: fn(&Run) -> f64,
    proposed: Arm,
    /// The numbers of records that are looked at.
    of: RangeInclusive<u64>,
}

/// All numbers of records.
const ANY: RangeInclusive<u64> = 0..=u64::MAX;

/// The reading that takes the loss of the release.
const RELEASED: &str = "CE of the release, distance to the first record";

/// The paper does not define its total loss, nor how a record's distance to a block is taken, nor of which numbers of records
/// its factors are.
const READINGS: [Reading; 5] = [
    Reading { name: "loss of the blocks", loss: block_loss, proposed: Arm::Proposed, of: ANY },
    Reading {
        name: "loss of the blocks, distance to the first record",
        loss: block_loss,
        proposed: Arm::ProposedBySeed,
        of: ANY,
    },
    Reading { name: RELEASED, loss: release_loss, proposed: Arm::ProposedBySeed, of: ANY },
    Reading {
        name: "CE of the release, distance to the first record, 2,000 to 5,000 records",
        loss: release_loss,
        proposed: Arm::ProposedBySeed,
        of: 2_000..=5_000,
    },
    Reading {
        name: "sum of the blocks' distances (Eq. 8), of CE that of its own",
        loss: distances,
        proposed: Arm::Proposed,
        of: ANY,
    },
];

fn release_loss(run: &Run) -> f64 {
    run.figures.conditional_entropy
}

/// The distance by which CE goes has no mutual information in it.
fn distances(run: &Run) -> f64 {
    if run.arm == Arm::Ce { run.found.block_loss } else { run.found.distances }
}

fn loss_trends(runs: &Runs) -> Vec<Trend> {
    READINGS.iter().flat_map(|reading| reading.trends(runs)).collect()
}

impl Reading {
    /// The clusterings in the order that the paper has of their loss.
    fn arms(&self) -> [Arm; 4] {
        [Arm::Ce, self.proposed, Arm::Closeness, Arm::Diversity]
    }

    fn sizes(&self, runs: &Runs) -> Vec<u64> {
        runs.sizes().into_iter().filter(|size| self.of.contains(size)).collect()
    }

    fn losses(&self, runs: &Runs, arm: Arm) -> Vec<f64> {
        let looked_at = |run: &&Run| run.arm == arm && self.of.contains(&run.records);
        runs.0.iter().filter(looked_at).map(self.loss).collect()
    }

    /// How many times as much an arm loses as the proposed method, at every number of records.
    fn times(&self, runs: &Runs, arm: Arm) -> Vec<f64> {
        let proposed = self.losses(runs, self.proposed);
        self.losses(runs, arm).iter().zip(proposed).map(|(a, b)| a / b).collect()
    }

    fn rises(&self, runs: &Runs, arm: Arm) -> bool {
        let values = self.losses(runs, arm);
        values.last() > values.first()
    }

    fn direction(&self, runs: &Runs, arm: Arm) -> &'static str {
        if self.rises(runs, arm) { "rises" } else { "falls" }
    }

    /// None where the runs have none of the numbers of records.
    fn trends(&self, runs: &Runs) -> Vec<Trend> {
        if self.sizes(runs).is_empty() {
            return Vec::new();
        }
        let mut trends = vec![self.ordered(runs)];
        trends.extend(self.factors(runs));
        trends.extend(self.directions(runs));
        trends
    }

    fn ordered(&self, runs: &Runs) -> Trend {
        let losses = self.arms().map(|arm| self.losses(runs, arm));
        let ordered = |at: usize| losses.windows(2).all(|pair| pair[0][at] < pair[1][at]);
        let all = |at: usize| losses.iter().map(|values| text(values[at])).collect::<Vec<_>>().join(", ");
        let each: Vec<String> =
            (0..).zip(self.sizes(runs)).map(|(at, size)| format!("{} bits at {size}", all(at))).collect();
        Trend::by(
            self.name,
            "4",
            "CE loses least, then the proposed method, t-closeness, entropy l-diversity",
            &each.join("; "),
            (0..each.len()).all(ordered),
        )
    }

    fn factors(&self, runs: &Runs) -> [Trend; 3] {
        let sizes = self.sizes(runs);
        let trend = |published: &str, arm, holds: fn(f64) -> bool| {
            at_every_size(self.name, &sizes, published, &self.times(runs, arm), holds)
        };
        [
            trend("CE loses less than the proposed method: loss of CE as a share of it", Arm::Ce, |share| {
                share < 1.0
            }),
            trend(
                "entropy l-diversity loses more than four times as much as the proposed method",
                Arm::Diversity,
                |times| times > 4.0,
            ),
            trend(
                "t-closeness loses nearly three times as much as the proposed method (met from 2.5 to 3.5)",
                Arm::Closeness,
                |times| (2.5..3.5).contains(&times),
            ),
        ]
    }

    fn directions(&self, runs: &Runs) -> [Trend; 2] {
        let others = [self.proposed, Arm::Closeness, Arm::Diversity];
        let [proposed, closeness, diversity] = others.map(|arm| self.direction(runs, arm));
        [
            Trend::by(
                self.name,
                "4",
                "with more records the loss of CE falls",
                &format!("it {}", self.direction(runs, Arm::Ce)),
                !self.rises(runs, Arm::Ce),
            ),
            Trend::by(
                self.name,
                "4",
                "with more records the loss of the three others rises",
                &format!("proposed {proposed}, t-closeness {closeness}, entropy l-diversity {diversity}"),
                others.into_iter().all(|arm| self.rises(runs, arm)),
            ),
        ]
    }
}

/// The share of blocks of at most two distinct sensitive values.
fn leaking(run: &Run) -> f64 {
    (run.found.distinct[0] + run.found.distinct[1]) as f64
}

/// Figure 5: blocks by distinct sensitive values.
pub(super) fn diversity(runs: &Runs) -> Section {
    let parts = [
        ("figure5-l1", "Figure 5: blocks of one sensitive value (homogeneity attack)"),
        ("figure5-l2", "Figure 5: blocks of two sensitive values (background knowledge attack)"),
        ("figure5-l3", "Figure 5: blocks of three sensitive values or more (safe)"),
    ];
    let header = ["blocks", "l = 1", "l = 2", "l >= 3"];
    let figure = |(l, (file, title)): (usize, (&str, &str))| Figure {
        file: file.into(),
        title: title.into(),
        note: "Blocks, before those of equal labels are one class.".into(),
        table: table(runs, &header, blocks),
        svg: picture(runs, title, "blocks", |run| run.found.distinct[l] as f64),
    };
    Section { figures: parts.into_iter().enumerate().map(figure).collect(), trends: diversity_trends(runs) }
}

fn blocks(run: &Run) -> Vec<f64> {
    let [one, two, more] = run.found.distinct;
    [run.found.blocks, one, two, more].map(|blocks| blocks as f64).to_vec()
}

/// Why clusterings for t-closeness leave hardly a block of two values.
const SIMILAR: &str = "whoever takes the record nearest to t takes a value that the block lacks, wherever one is left, so \
                       hardly a block has two values";

fn diversity_trends(runs: &Runs) -> Vec<Trend> {
    let [ce, proposed, closeness, diversity] = Arm::PUBLISHED.map(|arm| runs.last(arm, leaking));
    let blocks = runs.last(Arm::Proposed, |run| run.found.blocks as f64);
    vec![
        Trend::new(
            "5",
            "the proposed method leaves fewer blocks of one or two values than CE",
            &format!("{} against {}", text(proposed), text(ce)),
            proposed < ce,
        ),
        Trend::new(
            "5",
            "it is similar to t-closeness",
            &format!("{} against {} of {} blocks", text(proposed), text(closeness), text(blocks)),
            (proposed - closeness).abs() < 0.05 * blocks,
        )
        .shown_impossible(SIMILAR),
        Trend::new(
            "5",
            "it is somewhat inferior to entropy l-diversity",
            &format!("{} against {} of {} blocks", text(proposed), text(diversity), text(blocks)),
            proposed > diversity && proposed - diversity < 0.25 * blocks,
        ),
    ]
}

/// Why times of other programs say nothing.
const TIMES: &str = "these are times of the authors' program; here a search leaves out most records unseen, and how many those are \
                     decides";

/// Figure 6: times, which are not the same twice.
pub(super) fn times(runs: &Runs) -> Section {
    let title = "Figure 6: execution time";
    let seconds = |run: &Run| run.seconds;
    let figure = Figure {
        file: "figure6".into(),
        title: title.into(),
        note: "Seconds of the clustering alone, on this machine, once.".into(),
        table: table(runs, &["seconds"], |run| vec![run.seconds]),
        svg: picture(runs, title, "seconds", seconds),
    };
    let at = |arm| runs.last(arm, seconds);
    let [ce, proposed, closeness, diversity] = Arm::PUBLISHED.map(at);
    let trends = vec![
        Trend::new(
            "6",
            "CE and entropy l-diversity take almost the same time",
            &both(ce, diversity),
            (ce / diversity - 1.0).abs() < 0.25,
        )
        .timed()
        .shown_impossible(TIMES),
        Trend::new(
            "6",
            "the proposed method and t-closeness take longer than these two",
            &format!(
                "{} and {} against {} and {} s",
                text(proposed),
                text(closeness),
                text(ce),
                text(diversity)
            ),
            proposed.min(closeness) > ce.max(diversity),
        )
        .timed()
        .shown_impossible(TIMES),
        Trend::new(
            "6",
            "the proposed method and t-closeness take similar times",
            &both(proposed, closeness),
            (proposed / closeness - 1.0).abs() < 0.25,
        )
        .timed()
        .shown_impossible(TIMES),
    ];
    Section { figures: vec![figure], trends }
}

fn both(a: f64, b: f64) -> String {
    format!("{} s and {} s", text(a), text(b))
}
