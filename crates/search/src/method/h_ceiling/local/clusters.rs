//! Clusters under a ceiling.

use velamen_core::recoding::Member;

use super::{Ground, Patch};
use crate::method::MethodError;

/// Records of equal quasi-identifiers.
struct Point {
    patch: Patch,
    members: Vec<Member>,
}

/// A cluster while it grows.
pub(super) struct Cluster {
    patch: Patch,
    pub(super) members: Vec<Member>,
}

impl Ground<'_> {
    /// The clusters, in the order in which they began.
    pub(super) fn clusters(&self) -> Result<Vec<Cluster>, MethodError> {
        let mut open = self.points();
        if open.iter().any(|point| self.degree(&point.patch) > self.h) {
            return Err(MethodError::Infeasible(
                "one combination of values breaks the ceiling by itself; raise h".into(),
            ));
        }
        let total = open.len() as u64;
        let mut clusters: Vec<Cluster> = Vec::new();
        while !open.is_empty() {
            self.context.check()?;
            self.context.progress.step("clustering", total - open.len() as u64, total);
            let seed = clusters.last().map_or(0, |last| self.farthest(&last.patch, &open));
            let Point { patch, members } = open.remove(seed);
            let mut cluster = Cluster { patch, members };
            self.grow(&mut cluster, &mut open);
            clusters.push(cluster);
        }
        Ok(clusters)
    }

    /// The distinct combinations of quasi-identifiers, in the order of the table.
    fn points(&self) -> Vec<Point> {
        let table = self.table;
        let codes = |entry: u32| table.codes.iter().map(move |column| column[entry as usize]);
        let mut entries: Vec<u32> = (0..table.len() as u32).collect();
        entries.sort_by(|&a, &b| codes(a).cmp(codes(b)));
        let point = |run: &[u32]| {
            let members: Vec<Member> =
                run.iter().map(|&entry| (entry, table.counts[entry as usize])).collect();
            Point { patch: self.patch(&members), members }
        };
        entries.chunk_by(|&a, &b| codes(a).eq(codes(b))).map(point).collect()
    }

    /// The first of the open points that are farthest from a cluster.
    fn farthest(&self, from: &Patch, open: &[Point]) -> usize {
        let mut best = (-1.0, 0);
        for (at, point) in open.iter().enumerate() {
            let degree = self.degree(&self.join(from, &point.patch));
            if degree > best.0 {
                best = (degree, at);
            }
        }
        best.1
    }

    /// Takes the nearest points while records or a model ask for it and the ceiling allows it.
    fn grow(&self, cluster: &mut Cluster, open: &mut Vec<Point>) {
        if !self.wants(cluster) {
            return;
        }
        // Whatever is too far from the seed is too far from all that grows from it.
        let near = |at: &usize| self.degree(&self.join(&cluster.patch, &open[*at].patch)) <= self.h;
        let mut candidates: Vec<usize> = (0..open.len()).filter(near).collect();
        let mut taken: Vec<usize> = Vec::new();
        while self.wants(cluster) {
            let joined = |&at: &usize| (self.degree(&self.join(&cluster.patch, &open[at].patch)), at);
            candidates.retain(|at| joined(at).0 <= self.h);
            let nearest =
                candidates.iter().map(joined).min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            let Some((_, at)) = nearest else { break };
            candidates.retain(|&candidate| candidate != at);
            cluster.patch = self.join(&cluster.patch, &open[at].patch);
            cluster.members.extend(&open[at].members);
            taken.push(at);
        }
        taken.sort_unstable();
        for at in taken.into_iter().rev() {
            open.remove(at);
        }
    }

    fn wants(&self, cluster: &Cluster) -> bool {
        cluster.patch.records < self.k || !self.judge.holds(&cluster.members)
    }

    /// Puts clusters that would be padded to others, where that costs less.
    pub(super) fn unite(&self, clusters: &mut Vec<Cluster>) -> Result<(), MethodError> {
        let mut at = 0;
        while at < clusters.len() {
            self.context.check()?;
            let better = if self.wants(&clusters[at]) { self.better_with(at, clusters) } else { None };
            let Some(other) = better else {
                at += 1;
                continue;
            };
            let Cluster { patch, members } = clusters.remove(at);
            let other = &mut clusters[if other > at { other - 1 } else { other }];
            other.patch = self.join(&other.patch, &patch);
            other.members.extend(members);
        }
        Ok(())
    }

    /// The cluster with which this one costs least, if it costs less than apart.
    fn better_with(&self, at: usize, clusters: &[Cluster]) -> Option<usize> {
        let own = self.cost(&clusters[at].patch);
        let gain = |other: usize| {
            let joined = self.join(&clusters[at].patch, &clusters[other].patch);
            let apart = own + self.cost(&clusters[other].patch);
            (self.degree(&joined) <= self.h).then(|| (apart - self.cost(&joined), other))
        };
        let gains = (0..clusters.len()).filter(|&other| other != at).filter_map(gain);
        let best = gains.max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)));
        best.filter(|(gain, _)| *gain > 0.0).map(|(_, other)| other)
    }
}
