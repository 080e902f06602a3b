//! Cuts by what they lose, and clusters of what they leave.
//!
//! # Summary
//! The published cut is that of the widest attribute, which need not be the one that helps: values are often many of one
//! kind, and attributes go together. Here the cuts of all attributes are looked at, among them those that part one
//! frequent value, or one child of a node, from the others. The cut that leaves least to be generalized is made.
//! Parts of at most [`GATHERED`] combinations are not cut further, but gathered into clusters. A cluster begins with
//! what is farthest from the last one, and takes what raises its loss least until the models hold of it. What is left
//! in the end joins the clusters that lose least by it.
//!
//! # Definition
//! A class of n records loses n · Σ over the attributes of (leaves under what is released − 1) / (leaves of the
//! domain − 1).
//!
//! # Complexity
//! Time O(attributes · entries · log entries) for each level of cuts, O(attributes · [`GATHERED`] · entries) for the clusters.
//!
//! # References
//! Xu et al. 2006 and Byun et al. 2007 for greedy clusters by loss; the cuts in front are ours.

use rayon::prelude::*;
use velamen_core::recoding::Member;

use super::Cutter;
use super::cut::Hull;
use crate::method::MethodError;

/// Parts of at most so many combinations are gathered into clusters.
const GATHERED: usize = 1024;

/// Cuts of a part of which the whole loss is computed.
const LOOKED_AT: usize = 12;

/// Larger parts that no cut is allowable of stay one class.
const MOST_GATHERED: usize = 8 * GATHERED;

/// Records that may become a class.
#[derive(Debug, Clone)]
pub(super) struct Cluster {
    hulls: Vec<Hull>,
    pub(super) members: Vec<Member>,
    records: u64,
    /// Per record.
    loss: f64,
}

impl Cutter<'_> {
    /// The classes of some records, in the order of the cuts' sides.
    pub(super) fn by_loss(&self, members: Vec<Member>) -> Result<Vec<Vec<Member>>, MethodError> {
        self.context.check()?;
        if !self.cut_on() {
            return Ok(vec![members]);
        }
        if members.len() <= GATHERED {
            self.settled(&members);
            return Ok(self.gathered(members));
        }
        let Some(parts) = self.least_lossy(&members) else {
            self.settled(&members);
            return Ok(if members.len() <= MOST_GATHERED { self.gathered(members) } else { vec![members] });
        };
        drop(members);
        let classes: Vec<Vec<Vec<Member>>> =
            parts.into_par_iter().map(|part| self.by_loss(part)).collect::<Result<_, _>>()?;
        Ok(classes.into_iter().flatten().collect())
    }

    /// The parts of the allowable cut that loses least, the first of equal ones: of those that gain most in their own
    /// attribute, since what a cut does to the others takes a look at all.
    fn least_lossy(&self, members: &[Member]) -> Option<Vec<Vec<Member>>> {
        let cuts: Vec<Vec<(f64, usize, usize)>> =
            (0..self.dimensions.len()).into_par_iter().map(|q| self.gains(members, q)).collect();
        let mut cuts: Vec<(f64, usize, usize)> = cuts.into_iter().flatten().collect();
        cuts.sort_by(|a, b| b.0.total_cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
        cuts.truncate(LOOKED_AT);
        let lossy = |(_, q, at): (f64, usize, usize)| {
            let parts = self.dimensions[q].all_cuts(members, self.task.partitioning).nth(at)?;
            Some((parts.iter().map(|part| self.loss(part)).sum::<f64>(), parts))
        };
        let lossy: Vec<_> = cuts.into_par_iter().filter_map(lossy).collect();
        lossy.into_iter().min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, parts)| parts)
    }

    /// The allowable cuts of an attribute: what each gains there, the attribute, and which of its cuts it is.
    fn gains(&self, members: &[Member], q: usize) -> Vec<(f64, usize, usize)> {
        let cuts = self.dimensions[q].all_cuts(members, self.task.partitioning).enumerate();
        let allowable = cuts.filter(|(_, parts)| parts.iter().all(|part| self.holds(part)));
        let lost = |part: &Vec<Member>| self.lost(q, part);
        let before = self.lost(q, members);
        allowable.map(|(at, parts)| (before - parts.iter().map(lost).sum::<f64>(), q, at)).collect()
    }

    pub(super) fn holds(&self, members: &[Member]) -> bool {
        records(members) >= self.task.least_size && self.judge.holds(members)
    }

    /// What some records lose in one attribute.
    fn lost(&self, q: usize, members: &[Member]) -> f64 {
        let dimension = &self.released[q];
        let hulls = members.iter().map(|&(entry, _)| dimension.hull(entry));
        let hull = hulls.reduce(|a, b| dimension.join(a, b));
        records(members) as f64 * hull.map_or(0.0, |hull| dimension.degree(dimension.leaves(hull)))
    }

    pub(in crate::method) fn loss(&self, members: &[Member]) -> f64 {
        (0..self.released.len()).map(|q| self.lost(q, members)).sum()
    }

    /// The clusters of a part of which the models hold; the part itself where none can be made.
    fn gathered(&self, members: Vec<Member>) -> Vec<Vec<Member>> {
        let mut left: Vec<Cluster> = members.iter().map(|&member| self.single(member)).collect();
        let mut made: Vec<Cluster> = Vec::new();
        let mut rest: Option<Cluster> = None;
        while !left.is_empty() {
            let seed = made.last().map_or(0, |last| self.farthest(last, &left));
            let mut cluster = left.swap_remove(seed);
            while !self.holds(&cluster.members) && !left.is_empty() {
                let nearest = self.nearest(&cluster, &left);
                cluster = self.joined(&cluster, &left.swap_remove(nearest));
            }
            match self.holds(&cluster.members) {
                true => made.push(cluster),
                false => rest = Some(cluster),
            }
        }
        for &member in rest.iter().flat_map(|rest| &rest.members) {
            if !self.place(&mut made, &self.single(member)) {
                return vec![members];
            }
        }
        made.into_iter().map(|cluster| cluster.members).collect()
    }

    /// Whether a record could join the cluster that loses least by it, of those of which the models then hold.
    pub(super) fn place(&self, made: &mut [Cluster], record: &Cluster) -> bool {
        let mut rises: Vec<(f64, usize)> =
            made.iter().enumerate().map(|(at, of)| (self.rise(of, record, f64::INFINITY), at)).collect();
        rises.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        for (_, at) in rises {
            let joined = self.joined(&made[at], record);
            if self.holds(&joined.members) {
                made[at] = joined;
                return true;
            }
        }
        false
    }

    pub(super) fn single(&self, member: Member) -> Cluster {
        let hulls = self.released.iter().map(|dimension| dimension.hull(member.0)).collect();
        let cluster = Cluster { hulls, members: vec![member], records: member.1, loss: 0.0 };
        Cluster { loss: self.loss(&cluster.members) / cluster.records as f64, ..cluster }
    }

    pub(super) fn joined(&self, a: &Cluster, b: &Cluster) -> Cluster {
        let both = self.released.iter().zip(a.hulls.iter().zip(&b.hulls));
        let hulls: Vec<Hull> = both.map(|(dimension, (&a, &b))| dimension.join(a, b)).collect();
        let degrees = self.released.iter().zip(&hulls);
        let loss = degrees.map(|(dimension, &hull)| dimension.degree(dimension.leaves(hull))).sum();
        let members = a.members.iter().chain(&b.members).copied().collect();
        Cluster { hulls, members, records: a.records + b.records, loss }
    }

    /// What two lose more as one; at least `most` where it is more than that.
    fn rise(&self, a: &Cluster, b: &Cluster, most: f64) -> f64 {
        let together = (a.records + b.records) as f64;
        let apart = a.records as f64 * a.loss + b.records as f64 * b.loss;
        let most = (most + apart) / together;
        let mut loss = 0.0;
        for (dimension, (&a, &b)) in self.released.iter().zip(a.hulls.iter().zip(&b.hulls)) {
            loss += dimension.degree(dimension.leaves(dimension.join(a, b)));
            if loss > most {
                break;
            }
        }
        together * loss - apart
    }

    /// The position of the one that raises the loss least, the first of equal ones.
    fn nearest(&self, cluster: &Cluster, left: &[Cluster]) -> usize {
        let mut best = (f64::INFINITY, 0);
        for (at, other) in left.iter().enumerate() {
            let rise = self.rise(cluster, other, best.0);
            if rise < best.0 {
                best = (rise, at);
            }
            if best.0 <= 0.0 {
                break;
            }
        }
        best.1
    }

    /// The position of the one that raises the loss most by record, the first of equal ones.
    fn farthest(&self, cluster: &Cluster, left: &[Cluster]) -> usize {
        let mut best = (f64::NEG_INFINITY, 0);
        for (at, other) in left.iter().enumerate() {
            let rise = self.rise(cluster, other, f64::INFINITY) / (cluster.records + other.records) as f64;
            if rise > best.0 {
                best = (rise, at);
            }
        }
        best.1
    }
}

fn records(members: &[Member]) -> u64 {
    members.iter().map(|member| member.1).sum()
}
