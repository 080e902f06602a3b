//! Clusters under a ceiling.
//!
//! # Summary
//! See [`super`]. What a point costs a cluster depends, attribute by attribute, on the point's leaf alone, so that a
//! look at a point is as many additions as there are attributes. Of more than [`BLOCK`] distinct combinations clusters
//! are made within blocks of neighbours, side by side.
//!
//! # Complexity
//! Time O(d · b / k · attributes), memory O(d), for d distinct combinations and b = min(d, [`BLOCK`]).

use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;
use velamen_core::recoding::Member;

use super::{Ground, Patch};
use crate::method::MethodError;

/// Combinations of quasi-identifiers among which clusters are made; more are cut at medians first.
const BLOCK: usize = 1 << 14;

/// Clusters that are looked at without further threads.
const SERIAL: usize = 512;

/// The distinct combinations of quasi-identifiers.
struct Points {
    /// Per attribute the leaf of each point.
    leaves: Vec<Vec<u32>>,
    members: Vec<Vec<Member>>,
}

/// A cluster while it grows.
pub(super) struct Cluster {
    patch: Patch,
    pub(super) members: Vec<Member>,
    /// At the price that is asked now.
    cost: f64,
}

/// Per attribute and leaf, the degree of the least region over a cluster and the leaf.
struct Reach(Vec<Vec<f64>>);

impl Reach {
    /// D of the cluster with a point.
    fn with(&self, points: &Points, point: u32) -> f64 {
        let cells = self.0.iter().zip(&points.leaves);
        let sum: f64 = cells.map(|(degrees, leaves)| degrees[leaves[point as usize] as usize]).sum();
        sum / self.0.len() as f64
    }
}

impl Ground<'_> {
    /// The clusters of each block, in the order in which they began.
    pub(super) fn clusters(&self) -> Result<Vec<Vec<Cluster>>, MethodError> {
        let points = self.points();
        let all: Vec<u32> = (0..points.members.len() as u32).collect();
        let done = AtomicU64::new(0);
        let blocks = self.blocks(&points, all);
        blocks.into_par_iter().map(|block| self.of_block(&points, block, &done)).collect()
    }

    fn of_block(
        &self,
        points: &Points,
        mut open: Vec<u32>,
        done: &AtomicU64,
    ) -> Result<Vec<Cluster>, MethodError> {
        let total = points.members.len() as u64;
        let mut clusters: Vec<Cluster> = Vec::new();
        // What breaks the ceiling by itself is suppressed later, as far as the limit allows.
        let mut over = Vec::new();
        open.retain(|&point| {
            let cluster = self.alone(points, point);
            let fits = self.degree(&cluster.patch) <= self.h;
            over.extend((!fits).then_some(cluster));
            fits
        });
        while !open.is_empty() {
            self.context.check()?;
            let before = open.len();
            let seed = clusters.last().map_or(0, |last| self.farthest(&last.patch, points, &open));
            let seed = open.remove(seed);
            let mut cluster = self.alone(points, seed);
            self.grow(&mut cluster, points, &mut open);
            clusters.push(cluster);
            let taken = (before - open.len()) as u64;
            let done = done.fetch_add(taken, Ordering::Relaxed) + taken;
            self.context.progress.step("clustering", done, total);
        }
        clusters.extend(over);
        Ok(clusters)
    }

    /// The cluster of one point.
    fn alone(&self, points: &Points, point: u32) -> Cluster {
        let members = points.members[point as usize].clone();
        Cluster { patch: self.patch(&members), members, cost: 0.0 }
    }

    /// The distinct combinations of quasi-identifiers, in the order of the table.
    fn points(&self) -> Points {
        let table = self.table;
        let codes = |entry: u32| table.codes.iter().map(move |column| column[entry as usize]);
        let mut entries: Vec<u32> = (0..table.len() as u32).collect();
        entries.sort_by(|&a, &b| codes(a).cmp(codes(b)));
        let members = |run: &[u32]| run.iter().map(|&entry| (entry, table.counts[entry as usize])).collect();
        let members: Vec<Vec<Member>> =
            entries.chunk_by(|&a, &b| codes(a).eq(codes(b))).map(members).collect();
        let leaves = |q: usize| members.iter().map(|members| self.dimensions[q].leaf(members[0].0)).collect();
        Points { leaves: (0..self.dimensions.len()).map(leaves).collect(), members }
    }

    /// Neighbours of at most [`BLOCK`] points, cut at the median of the attribute that they reach over most.
    fn blocks(&self, points: &Points, block: Vec<u32>) -> Vec<Vec<u32>> {
        if block.len() <= BLOCK {
            return vec![block];
        }
        let place = |q: usize, point: u32| self.dimensions[q].place(points.leaves[q][point as usize]);
        let extent = |q: usize| {
            let places = block.iter().map(|&point| place(q, point));
            let (low, high) = places.fold((u32::MAX, 0), |(low, high), p| (low.min(p), high.max(p)));
            f64::from(high - low) / f64::from(self.dimensions[q].width())
        };
        let extents: Vec<f64> = (0..self.dimensions.len()).map(extent).collect();
        let widest = (0..extents.len()).max_by(|&a, &b| extents[a].total_cmp(&extents[b]).then(b.cmp(&a)));
        let widest = widest.unwrap_or(0);
        let mut sorted = block;
        sorted.sort_by_key(|&point| (place(widest, point), point));
        let half = sorted.split_off(sorted.len() / 2);
        let (mut low, mut high) = (sorted, half);
        // Within a block points stand in the order of the table.
        low.sort_unstable();
        high.sort_unstable();
        [self.blocks(points, low), self.blocks(points, high)].concat()
    }

    fn reach(&self, patch: &Patch) -> Reach {
        let of = |(q, dimension): (usize, &super::Dimension<'_>)| {
            let joined = |leaf| dimension.join(patch.hulls[q], dimension.hull_of(leaf));
            (0..dimension.width()).map(|leaf| dimension.degree(dimension.leaves(joined(leaf)))).collect()
        };
        Reach(self.dimensions.iter().enumerate().map(of).collect())
    }

    /// The place of the first of the open points that are farthest from a cluster.
    fn farthest(&self, from: &Patch, points: &Points, open: &[u32]) -> usize {
        let reach = self.reach(from);
        let mut best = (-1.0, 0);
        for (at, &point) in open.iter().enumerate() {
            let degree = reach.with(points, point);
            if degree > best.0 {
                best = (degree, at);
            }
        }
        best.1
    }

    /// Takes the nearest points while records or a model ask for it and the ceiling allows it.
    fn grow(&self, cluster: &mut Cluster, points: &Points, open: &mut Vec<u32>) {
        if !self.wants(cluster) {
            return;
        }
        let mut reach = self.reach(&cluster.patch);
        // Whatever is too far from the seed is too far from all that grows from it.
        let mut candidates: Vec<u32> = open.clone();
        let mut taken: Vec<u32> = Vec::new();
        while self.wants(cluster) {
            candidates.retain(|&point| reach.with(points, point) <= self.h);
            let joined = |&point: &u32| (reach.with(points, point), point);
            let nearest =
                candidates.iter().map(joined).min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            let Some((_, point)) = nearest else { break };
            candidates.retain(|&candidate| candidate != point);
            let members = &points.members[point as usize];
            cluster.patch = self.join(&cluster.patch, &self.patch(members));
            cluster.members.extend(members);
            reach = self.reach(&cluster.patch);
            taken.push(point);
        }
        taken.sort_unstable();
        open.retain(|point| taken.binary_search(point).is_err());
    }

    fn wants(&self, cluster: &Cluster) -> bool {
        cluster.patch.records < self.k || !self.judge.holds(&cluster.members)
    }

    /// Whether counterfeits are to be expected of a cluster, and not for nothing.
    fn is_padded(&self, cluster: &Cluster) -> bool {
        self.wants(cluster) || (self.price > 0.0 && self.counterfeits(cluster.patch.records) > 0.0)
    }

    /// Puts clusters that would be padded to others of their block, where that costs less.
    pub(super) fn unite(&self, clusters: &mut Vec<Cluster>) -> Result<(), MethodError> {
        clusters.iter_mut().for_each(|cluster| cluster.cost = self.cost(&cluster.patch));
        let mut at = 0;
        while at < clusters.len() {
            self.context.check()?;
            let better = if self.is_padded(&clusters[at]) { self.better_with(at, clusters) } else { None };
            let Some(other) = better else {
                at += 1;
                continue;
            };
            let Cluster { patch, members, .. } = clusters.remove(at);
            self.add(&mut clusters[if other > at { other - 1 } else { other }], &patch, &members);
        }
        Ok(())
    }

    /// Puts each record of a cluster that would be padded to a cluster of its own choice, where that costs less.
    pub(super) fn scatter(&self, clusters: &mut Vec<Cluster>) -> Result<(), MethodError> {
        let mut at = 0;
        while at < clusters.len() {
            self.context.check()?;
            let moves = if self.is_padded(&clusters[at]) { self.moves(at, clusters) } else { None };
            let Some(moves) = moves else {
                at += 1;
                continue;
            };
            for (member, to) in moves {
                self.add(&mut clusters[to], &self.patch(&[member]), &[member]);
            }
            clusters.remove(at);
        }
        Ok(())
    }

    fn add(&self, cluster: &mut Cluster, patch: &Patch, members: &[Member]) {
        cluster.patch = self.join(&cluster.patch, patch);
        cluster.members.extend(members);
        cluster.cost = self.cost(&cluster.patch);
    }

    /// Where each record of a cluster costs least, if all have a place and cost less there.
    fn moves(&self, at: usize, clusters: &[Cluster]) -> Option<Vec<(Member, usize)>> {
        let mut left = clusters[at].cost * (1.0 - 1e-12);
        let mut moves = Vec::new();
        for &member in &clusters[at].members {
            let own = self.patch(&[member]);
            let dearer = |scratch: &mut Vec<f64>, to: usize| {
                let joined = self.cost_of_both(&clusters[to].patch, &own, scratch)?;
                Some((joined - clusters[to].cost, to))
            };
            let others = (0..clusters.len()).into_par_iter().with_min_len(SERIAL).filter(|&to| to != at);
            let (cost, to) = others
                .map_init(Vec::new, dearer)
                .flatten()
                .min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)))?;
            left -= cost;
            moves.push((member, to));
        }
        (left > 0.0).then_some(moves)
    }

    /// The cluster with which this one costs least, if it costs less than apart.
    fn better_with(&self, at: usize, clusters: &[Cluster]) -> Option<usize> {
        let own = clusters[at].cost;
        let gain = |scratch: &mut Vec<f64>, other: usize| {
            let joined = self.cost_of_both(&clusters[at].patch, &clusters[other].patch, scratch)?;
            Some((own + clusters[other].cost - joined, other))
        };
        let others = (0..clusters.len()).into_par_iter().with_min_len(SERIAL).filter(|&other| other != at);
        let gains = others.map_init(Vec::new, gain).flatten();
        let best = gains.max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)));
        best.filter(|(gain, _)| *gain > 0.0).map(|(_, other)| other)
    }
}
