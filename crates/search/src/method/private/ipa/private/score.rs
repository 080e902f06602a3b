//! How good a node is: a score of which one record changes little.

use rayon::prelude::*;
use velamen_core::classes::{ClassTable, Coding, Space, layout};
use velamen_core::context::Context;
use velamen_core::error::Problem;
use velamen_core::frequency::FrequencyTable;
use velamen_core::hierarchy::Hierarchy;
use velamen_core::lattice::{Lattice, Node};
use velamen_core::with_key_width;

use super::MOST_NODES;
use crate::method::MethodError;
use crate::method::private::noisy_counts::unbearable;
use crate::noisy::{CellDomain, CellNoise, MOST_FALSE_RECORDS, too_wide};

/// The loss of a record that is not released in its class; the scores' unit.
pub(super) const WHOLE: u64 = 1 << 20;
/// Nodes between two looks at the wish to stop.
const BATCH: usize = 64;

/// A node that may be released, with what is public about it.
#[derive(Debug, Clone)]
pub(super) struct Candidate {
    pub(super) node: Node,
    /// Of each table that is counted.
    pub(super) parts: Vec<CandidatePart>,
}

/// What is public about one counted table at a node.
#[derive(Debug, Clone)]
pub(super) struct CandidatePart {
    pub(super) domain: CellDomain,
    /// τ: records of smaller cells count as lost.
    pub(super) tau: u64,
    /// The records that noise alone makes, each of which costs as much as a lost one.
    pub(super) noise: f64,
}

/// The nodes that the domains and the noise allow: nothing but what is public decides.
pub(super) fn candidates(
    tables: &[&FrequencyTable],
    lattice: &Lattice,
    cells: &[&CellNoise],
    tau: Option<u64>,
) -> Result<Vec<Candidate>, MethodError> {
    let nodes = lattice.len().filter(|nodes| *nodes <= MOST_NODES).ok_or_else(|| {
        MethodError::Unfit(
            Problem::new(format!("the lattice has more than {MOST_NODES} nodes"))
                .mend("give `level`, `min-level` or `max-level`, or hierarchies with fewer levels"),
        )
    })?;
    let nodes = (0..nodes as usize).map(|index| lattice.node(index));
    let found: Vec<Candidate> = nodes.filter_map(|node| candidate(tables, node, cells, tau)).collect();
    if found.is_empty() {
        let top = lattice.top();
        let all = tables.iter().zip(cells);
        let noisiest = all.max_by(|a, b| noise_at(a.0, a.1, &top).total_cmp(&noise_at(b.0, b.1, &top)));
        let (table, cells) = noisiest.expect("something is counted");
        return Err(unbearable(table, &top, cells));
    }
    Ok(found)
}

/// The records that noise alone makes at a node.
fn noise_at(table: &FrequencyTable, cells: &CellNoise, node: &Node) -> f64 {
    CellDomain::at(table, node).map_or(f64::INFINITY, |domain| cells.expected(domain.len()).records)
}

/// A node, if its domains can be numbered and noise makes few enough records of them together.
fn candidate(
    tables: &[&FrequencyTable],
    node: Node,
    cells: &[&CellNoise],
    tau: Option<u64>,
) -> Option<Candidate> {
    let mut parts = Vec::with_capacity(tables.len());
    for (table, cells) in tables.iter().zip(cells) {
        let domain = CellDomain::at(table, &node)?;
        let tau = tau.unwrap_or_else(|| cells.threshold(domain.len()));
        let noise = cells.expected(domain.len()).records;
        parts.push(CandidatePart { domain, tau, noise });
    }
    let noise: f64 = parts.iter().map(|part| part.noise).sum();
    (noise <= MOST_FALSE_RECORDS).then_some(Candidate { node, parts })
}

/// By how much one record changes a score at most: [`WHOLE`] · max(τ − 1, 1) of each counted table, for the largest sum of all
/// candidates.
pub(super) fn sensitivity(candidates: &[Candidate]) -> u64 {
    WHOLE.saturating_mul(candidates.iter().map(moved).max().unwrap_or(1))
}

/// How many whole records a record moves the scores of a candidate at most.
fn moved(candidate: &Candidate) -> u64 {
    let parts = candidate.parts.iter().map(|part| part.tau.saturating_sub(1).max(1));
    parts.fold(0, u64::saturating_add)
}

/// The scores of candidates, none above 0: the sums of those of each counted table.
pub(super) fn scores(
    tables: &[&FrequencyTable],
    candidates: &[Candidate],
    context: &Context<'_>,
) -> Result<Vec<i64>, MethodError> {
    let mut scores = vec![0i64; candidates.len()];
    for (number, table) in tables.iter().enumerate() {
        let own = scores_of(table, candidates, number, context)?;
        scores.iter_mut().zip(own).for_each(|(sum, score)| *sum = sum.saturating_add(score));
    }
    Ok(scores)
}

fn scores_of(
    table: &FrequencyTable,
    candidates: &[Candidate],
    number: usize,
    context: &Context<'_>,
) -> Result<Vec<i64>, MethodError> {
    let columns: Vec<usize> = table.rest.sensitive().take(1).collect();
    let coding = Coding::new(table, &columns);
    with_key_width!(layout(table, coding.as_ref()).words(), W => {
        let space: Space<W> = Space::new(table, coding.as_ref());
        let mut scores = Vec::with_capacity(candidates.len());
        for batch in candidates.chunks(BATCH) {
            context.check()?;
            context.progress.step("searching", scores.len() as u64, candidates.len() as u64);
            let score = |candidate: &Candidate| {
                let classes = ClassTable::at(&space, &candidate.node);
                score(table, &candidate.node, &candidate.parts[number], &classes)
            };
            scores.extend(batch.par_iter().map(score).collect::<Vec<i64>>());
        }
        Ok(scores)
    }, else Err(too_wide()))
}

/// −Σ loss over the records, less what noise alone makes. Cutting the sum at 2^63 − 1 changes no
/// difference upwards.
fn score(table: &FrequencyTable, node: &Node, part: &CandidatePart, classes: &ClassTable) -> i64 {
    let shares = shares(table, node);
    let of_class = |class: usize| {
        let loss = u128::from(ncp(&shares, classes.codes(class)));
        let of_cell =
            |&(_, count): &(u32, u64)| u128::from(count) * if count < part.tau { WHOLE.into() } else { loss };
        classes.sensitive(class).iter().map(of_cell).sum::<u128>()
    };
    let noise = (part.noise.ceil() as u128) * u128::from(WHOLE);
    let loss = (0..classes.len()).map(of_class).sum::<u128>() + noise;
    -i64::try_from(loss).unwrap_or(i64::MAX)
}

/// Per attribute and code at the node, the share of the domain, 0 for a leaf.
fn shares(table: &FrequencyTable, node: &Node) -> Vec<Vec<f64>> {
    let of_attribute =
        |(qi, &level): (&velamen_core::frequency::QuasiIdentifier, &u8)| shares_at(&qi.hierarchy, level);
    table.qis.iter().zip(&node.0).map(of_attribute).collect()
}

/// The mean share of the domains that a class's values cover, from 0 to [`WHOLE`]. Nothing but the
/// hierarchies is looked at.
fn ncp(shares: &[Vec<f64>], codes: &[u32]) -> u64 {
    let sum: f64 = shares.iter().zip(codes).map(|(shares, &code)| shares[code as usize]).sum();
    ((sum / shares.len() as f64) * WHOLE as f64).floor().clamp(0.0, WHOLE as f64) as u64
}

/// By code of a level, the share of the domain that it covers; 0 of a single leaf.
fn shares_at(hierarchy: &Hierarchy, level: u8) -> Vec<f64> {
    (0..hierarchy.width(level) as u32).map(|code| share(hierarchy, level, code)).collect()
}

fn share(hierarchy: &Hierarchy, level: u8, code: u32) -> f64 {
    match hierarchy.leaves(level, code) {
        1 => 0.0,
        _ => hierarchy.share(level, code),
    }
}

#[cfg(test)]
mod tests {
    use velamen_dp::{Loss, Rational};

    use super::super::tests::{context, table};
    use super::*;

    /// All tables of up to three records in each of the cells given: a record more or less moves no score
    /// by more than the sensitivity, and some by just that.
    #[test]
    fn one_record_moves_no_score_by_more_than_the_sensitivity() {
        let noise = CellNoise::new(Loss::pure(Rational::new(1, 1).unwrap()), Some(4), 1.0).unwrap();
        for tau in 1..=4u64 {
            let mut reached = 0;
            for counts in (0..4u64.pow(4)).map(|number| [0, 1, 2, 3].map(|digit| number >> (2 * digit) & 3)) {
                // Ages 0 and 1, and 5, of which the first two share their interval.
                let cells = [(0, 0, 0), (1, 0, 0), (1, 0, 1), (5, 1, 1)];
                let records = |counts: &[u64; 4]| {
                    let with_counts = cells.iter().zip(counts).filter(|(_, count)| **count > 0);
                    with_counts
                        .map(|(&(age, sex, value), &count)| (age, sex, value, count))
                        .collect::<Vec<_>>()
                };
                let before = table(&records(&counts));
                let candidates = candidates(&[&before], &before.lattice(), &[&noise], Some(tau)).unwrap();
                let most = sensitivity(&candidates);
                let old = context(|context| scores(&[&before], &candidates, context).unwrap());
                for added in 0..4 {
                    let mut more = counts;
                    more[added] += 1;
                    let after = table(&records(&more));
                    let new = context(|context| scores(&[&after], &candidates, context).unwrap());
                    let moved = old.iter().zip(&new).map(|(a, b)| a.abs_diff(*b)).max().unwrap();
                    assert!(moved <= most, "tau {tau}, {counts:?}, one more in {added}: {moved} > {most}");
                    reached = reached.max(moved);
                }
            }
            assert_eq!(reached, WHOLE * (tau - 1).max(1), "tau {tau}");
        }
    }
}
