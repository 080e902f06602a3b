//! DSAT: a histogram for each time, drawn anew only where the records differ enough from the one that stands.
//!
//! # Summary
//! The release is ε- or (ε, δ)-differentially private, where neighbouring tables differ by one record added or removed, or by the
//! records of a person who has at most one at each time. Proof and pseudocode: `docs/methods/dsat.md`.
//!
//! # Definition
//! The records at one value of the time attribute are a snapshot; a cell is one released value of every other quasi-identifier and
//! one sensitive value. The first snapshot's histogram is drawn: each cell of the whole public domain gets its count plus two-sided
//! geometric noise of (ε − ε₁)/C, and is released if that reaches the least count. Of each further one, the distance to the
//! histogram that stands, Σ |count − released count| over all cells, gets noise; where it reaches a noisy threshold (the sparse
//! vector technique with ε₁), the snapshot's own histogram is drawn, else the standing one is repeated. After C histograms the last
//! one is repeated to the end. The threshold falls where fewer histograms were drawn than C in N snapshots, and rises where more.
//!
//! # Parameters
//! [`DsatParams`].
//!
//! # Errors
//! [`MethodError::Unfit`] where noise would make more than [`MOST_FALSE_RECORDS`](crate::noisy::MOST_FALSE_RECORDS) records;
//! [`MethodError::Interrupted`].
//!
//! # Complexity
//! Time O(cells with records + snapshots · released cells of one).
//!
//! # References
//! Li, Xiong, Jiang and Liu 2015, "Differentially private histogram publication for dynamic datasets: an adaptive sampling
//! approach", Algorithms 1 and 2; Lyu, Su and Li 2017, "Understanding the sparse vector technique for differential privacy",
//! Algorithm 1.
//!
//! # Deviations
//! Distances are of counts, not of shares, and are held against a threshold with the noise that Lyu et al. prove enough;
//! what is left at the end is not spent on the last snapshot. `docs/methods/dsat.md` has all.

pub(in crate::method) mod entry;
mod watch;

use std::collections::BTreeMap;

use velamen_core::context::Context;
use velamen_core::error::Problem;
use velamen_core::frequency::FrequencyTable;
use velamen_core::hierarchy::Hierarchy;
use velamen_core::lattice::Node;
use velamen_core::streams;
use velamen_dp::{Budget, Door, Loss, Rational, WatchLaw};

use super::noisy_counts::{NoisyRelease, OriginalCells, StatedNoise, rational, total, unbearable};
use crate::method::MethodError;
use crate::noisy::{CellDomain, CellNoise, occupied, release};
use watch::{Control, Watch, reach, watch_law};

/// The most histograms that can be asked for.
const MOST_HISTOGRAMS: u64 = 1 << 20;

/// Parameters as the recipe gives them.
#[derive(Debug, Clone, PartialEq)]
pub struct DsatParams {
    /// ε, above 0.
    pub epsilon: f64,
    /// δ, from 0 and below 1.
    pub delta: f64,
    /// The quasi-identifier whose values are the times.
    pub time: String,
    /// C: the most histograms that are drawn, from 1.
    pub most_histograms: u64,
    /// The share of ε for the distances, above 0 and below 1; nothing is spent on them where C is 1.
    pub distances_share: f64,
    /// The first threshold, in records; left out: what noise alone makes of a histogram's empty cells, on average, and three times the
    /// scale of the noise of a distance.
    pub threshold: Option<f64>,
    /// θ, from 0: by how much the threshold moves.
    pub adaptation: f64,
    /// The least noisy count that is released.
    pub least_count: u64,
}

/// The method with checked parameters: what is spent on what.
#[derive(Debug, Clone)]
pub struct Dsat {
    /// Where more than one histogram may be drawn.
    watch: Option<WatchLaw>,
    /// Of one histogram.
    cells: CellNoise,
    pub(super) budget: Budget,
    params: DsatParams,
}

impl TryFrom<DsatParams> for Dsat {
    type Error = Problem;

    fn try_from(params: DsatParams) -> Result<Self, Problem> {
        let total = total(params.epsilon, params.delta)?;
        check(&params)?;
        let distances = share(total.epsilon, params.distances_share)?;
        let mut budget = Budget::new(total);
        let watch = match params.most_histograms {
            1 => None,
            most => {
                budget.spend("distances", Loss::pure(distances)).map_err(|error| error.to_string())?;
                Some(watch_law(distances, most - 1)?)
            }
        };
        let left = budget.left();
        budget.spend("cells", left).map_err(|error| error.to_string())?;
        let cells = CellNoise::new(one_of(left, params.most_histograms)?, Some(params.least_count), 1.0)?;
        Ok(Self { watch, cells, budget, params })
    }
}

fn check(params: &DsatParams) -> Result<(), Problem> {
    if params.most_histograms == 0 || params.most_histograms > MOST_HISTOGRAMS {
        let problem = format!("most-histograms is a number from 1 to {MOST_HISTOGRAMS}");
        return Err(Problem::of(&["most-histograms"], problem));
    }
    if params.threshold.is_some_and(|records| !(records >= 0.0 && records.is_finite())) {
        return Err(Problem::of(&["threshold"], "threshold is a number of records, from 0"));
    }
    if !(params.adaptation >= 0.0 && params.adaptation.is_finite()) {
        return Err(Problem::of(&["adaptation"], "adaptation is a number from 0"));
    }
    if params.delta > 0.0 && params.threshold.is_none() {
        let problem = "with delta above 0 no threshold follows from the noise of empty cells";
        return Err(Problem::of(&["threshold"], problem)
            .mend("give threshold: the records by which a time must differ to get a histogram of its own"));
    }
    Ok(())
}

/// The share of ε that the distances get, exactly.
fn share(epsilon: Rational, share: f64) -> Result<Rational, Problem> {
    const KEY: &str = "distances-share";
    let whole = Rational::new(1, 1).expect("1 is a rational number");
    let share = rational(KEY, share)?;
    if share == Rational::ZERO || share >= whole {
        return Err(Problem::of(&[KEY], format!("{KEY} is a share of epsilon, above 0 and below 1")));
    }
    epsilon.checked_mul(share).ok_or_else(|| too_many_digits(KEY))
}

/// What one of so many histograms gets.
fn one_of(left: Loss, histograms: u64) -> Result<Loss, Problem> {
    let part = Rational::new(1, histograms).map_err(|_| too_many_digits("most-histograms"))?;
    let of = |whole: Rational| whole.checked_mul(part).ok_or_else(|| too_many_digits("most-histograms"));
    Ok(Loss { epsilon: of(left.epsilon)?, delta: of(left.delta)? })
}

fn too_many_digits(key: &str) -> Problem {
    Problem::of(&[key], format!("epsilon, delta and {key} have too many digits together"))
}

/// The cells of one snapshot and their counts, ascending by number.
type Cells = Vec<(u128, u64)>;

/// What the method makes.
#[derive(Debug, Clone)]
pub struct HistogramSeries {
    /// The released records, and what is said of them.
    pub made: NoisyRelease,
    /// Each time, in order, and the time whose histogram stands there: public.
    pub histograms: Vec<(String, String)>,
}

/// The snapshots of a table at a node.
struct Snapshots {
    /// Of all cells, time included.
    domain: CellDomain,
    /// Of one snapshot.
    one: CellDomain,
    /// The place of the time among the quasi-identifiers.
    time: usize,
    /// The codes of the times, in their order.
    order: Vec<u32>,
    /// By code of the time its cells.
    cells: BTreeMap<u32, Cells>,
}

impl Dsat {
    /// The released records of a table at a node. The values of its sensitive column, if it has one, and the hierarchies must be the
    /// whole public domain; it must have no other column.
    ///
    /// # Errors
    /// [`MethodError::Unfit`], which depends on nothing but what is public; [`MethodError::Interrupted`].
    pub fn plan(
        &self,
        table: &FrequencyTable,
        node: &Node,
        context: &Context<'_>,
    ) -> Result<HistogramSeries, MethodError> {
        self.through(table, node, context, &mut self.door())
    }

    /// A door with the method's budget.
    fn door(&self) -> Door {
        Door::paid_by(self.budget.total())
    }

    /// As [`Self::plan`], by way of a door.
    pub(in crate::method::private) fn through(
        &self,
        table: &FrequencyTable,
        node: &Node,
        context: &Context<'_>,
        door: &mut Door,
    ) -> Result<HistogramSeries, MethodError> {
        let domain = CellDomain::at(table, node).filter(|domain| self.cells.bearable(domain.len()));
        let domain = domain.ok_or_else(|| unbearable(table, node, &self.cells))?;
        let occupied = occupied(table, node, &domain)?;
        let snapshots = self.snapshots(table, node, domain, &occupied)?;
        let (released, stands) = self.series(&snapshots, context, door)?;
        let domain = &snapshots.domain;
        let stated = StatedNoise::of(&self.cells, domain, None);
        let original = OriginalCells::of(&occupied, &released);
        let release = release(table, node, domain, &released, &[]);
        let label =
            |code: u32| table.qis[snapshots.time].hierarchy.label(node.0[snapshots.time], code).to_owned();
        let histograms = stands.into_iter().map(|(time, of)| (label(time), label(of))).collect();
        Ok(HistogramSeries { made: NoisyRelease { release, stated, each: Vec::new(), original }, histograms })
    }

    fn snapshots(
        &self,
        table: &FrequencyTable,
        node: &Node,
        domain: CellDomain,
        occupied: &[(u128, u64)],
    ) -> Result<Snapshots, MethodError> {
        let place = table.qis.iter().position(|qi| qi.name == self.params.time);
        let time = place.ok_or_else(|| no_time(&self.params.time))?;
        let hierarchy = &table.qis[time].hierarchy;
        let widths = table.qis.iter().zip(&node.0).map(|(qi, &level)| qi.hierarchy.width(level) as u32);
        let mut widths: Vec<u32> = widths.collect();
        widths.remove(time);
        let sensitive = table.rest.sensitive().next();
        widths.push(sensitive.map_or(1, |column| table.rest.columns[column].values.len()) as u32);
        let one = CellDomain::new(widths).expect("a part of a domain is no larger");
        let mut cells: BTreeMap<u32, Cells> = BTreeMap::new();
        for &(cell, count) in occupied {
            let mut codes = domain.codes(cell);
            let at = codes.remove(time);
            cells.entry(at).or_default().push((one.index(codes), count));
        }
        Ok(Snapshots { domain, one, time, order: order(hierarchy, node.0[time]), cells })
    }

    /// The released cells of all times, ascending, and by time the one whose histogram stands there.
    fn series(
        &self,
        snapshots: &Snapshots,
        context: &Context<'_>,
        door: &mut Door,
    ) -> Result<(Cells, Vec<(u32, u32)>), MethodError> {
        let mut stream = context.seed.stream(streams::DSAT_DISTANCES);
        let mut watch = match self.watch {
            Some(law) => Some(Watch::new(law, self.control(snapshots), &mut stream, door)?),
            None => None,
        };
        let (mut released, mut stands) = (Cells::new(), Vec::new());
        let mut standing: Option<(u32, Cells)> = None;
        let mut drawn = 0u64;
        for (number, &time) in (1u64..).zip(&snapshots.order) {
            context.check()?;
            context.progress.step("sampling", number - 1, snapshots.order.len() as u64);
            let own = snapshots.cells.get(&time).map_or(&[][..], Vec::as_slice);
            let is_new = match (&standing, &mut watch) {
                (None, _) => true,
                (Some((_, cells)), Some(watch)) if drawn < self.params.most_histograms => {
                    watch.differs(distance(own, cells), (number, drawn), &mut stream, door)?
                }
                _ => false,
            };
            if is_new {
                // A stream of its own for each histogram.
                let seed = context.seed.derived(number);
                let context = Context { seed: &seed, ..*context };
                let cells = self.cells.draw((own, snapshots.one.len()), &context, door)?;
                standing = Some((time, cells));
                drawn += 1;
            }
            let (of, cells) = standing.as_ref().expect("the first one is drawn");
            stands.push((time, *of));
            released.extend(cells.iter().map(|&(cell, count)| (snapshots.at(time, cell), count)));
        }
        released.sort_unstable();
        Ok((released, stands))
    }

    fn control(&self, snapshots: &Snapshots) -> Control {
        let reach = self.watch.as_ref().map_or(0.0, reach);
        let of_noise = || (self.cells.expected(snapshots.one.len()).records + reach).ceil();
        Control {
            threshold: self.params.threshold.unwrap_or_else(of_noise),
            adaptation: self.params.adaptation,
            most: self.params.most_histograms,
            snapshots: snapshots.order.len() as u64,
        }
    }
}

impl Snapshots {
    /// The number among all cells of a cell of one snapshot.
    fn at(&self, time: u32, cell: u128) -> u128 {
        let mut codes = self.one.codes(cell);
        codes.insert(self.time, time);
        self.domain.index(codes)
    }
}

/// The codes of a level in the order of their first leaves.
fn order(hierarchy: &Hierarchy, level: u8) -> Vec<u32> {
    let mut codes: Vec<u32> = (0..hierarchy.width(level) as u32).collect();
    codes.sort_by_key(|&code| hierarchy.first_leaf(level, code));
    codes
}

/// Σ |count − released count| over all cells, both lists ascending.
fn distance(own: &[(u128, u64)], released: &[(u128, u64)]) -> u64 {
    let mut cells: BTreeMap<u128, (u64, u64)> = own.iter().map(|&(cell, count)| (cell, (count, 0))).collect();
    for &(cell, count) in released {
        cells.entry(cell).or_default().1 = count;
    }
    cells.values().fold(0u64, |sum, (own, released)| sum.saturating_add(own.abs_diff(*released)))
}

fn no_time(name: &str) -> MethodError {
    let problem = Problem::new(format!("`{name}` is no released quasi-identifier, and `time` names one"));
    MethodError::Unfit(problem.mend("name a quasi-identifier whose values are times"))
}

#[cfg(test)]
mod tests;
