//! Groups of records parted further by what they lose, for methods that have groups of their own.

use std::sync::atomic::{AtomicBool, AtomicU64};

use rayon::prelude::*;
use velamen_core::context::Context;
use velamen_core::frequency::FrequencyTable;
use velamen_core::lattice::Node;
use velamen_core::recoding::Member;

use super::cut::Dimension;
use super::loss::Cluster;
use super::{CutBy, Cutter, MondrianTask, Partitioning, Released};
use crate::method::MethodError;
use crate::method::kit::judge::Judge;
use crate::model::Bound;

/// How many times all records are cut at most.
const ROUNDS: u64 = 3;

impl<'a> Cutter<'a> {
    /// Cuts between numbers, and into the children of nodes; released are nodes of at least these levels, and `weights` say
    /// what the attributes count.
    pub(in crate::method) fn of_trees(
        (models, expired): (&'a [Bound], Option<&'a AtomicBool>),
        table: &'a FrequencyTable,
        (lowest, weights): (&Node, &[f64]),
        context: &'a Context<'a>,
    ) -> Self {
        let (partitioning, recoding, cuts) = (Partitioning::Strict, Released::Nodes, CutBy::Loss);
        let task = MondrianTask {
            models,
            least_size: 1,
            partitioning,
            recoding,
            cuts,
            rules: &[],
            steps: &[],
            expired,
        };
        let dimension = |q: usize| Dimension::of_tree(table, q, lowest.0[q], weights[q]);
        let released: Vec<Dimension<'a>> = (0..table.qis.len()).into_par_iter().map(dimension).collect();
        let dimensions = released.par_iter().map(Dimension::by_numbers).collect();
        let judge = Judge { table, models };
        let (cut, whole) = (AtomicU64::new(0), ROUNDS * table.records());
        Self { task, table, judge, dimensions, released, cut, whole, context }
    }

    /// The parts of some records, of which the models must hold together; one part where nothing is lost.
    pub(in crate::method) fn parts(&self, members: Vec<Member>) -> Result<Vec<Vec<Member>>, MethodError> {
        match self.loss(&members) > 0.0 {
            true => self.by_loss(members),
            false => Ok(vec![members]),
        }
    }

    /// The groups with further records, each in the one that loses least by it of those of which the models then
    /// hold; `None` where there is none.
    pub(in crate::method) fn placed(
        &self,
        groups: Vec<Vec<Member>>,
        records: &[Member],
    ) -> Option<Vec<Vec<Member>>> {
        let mut clusters: Vec<Cluster> =
            groups.into_par_iter().filter_map(|members| self.cluster(&members)).collect();
        let place = |&record: &Member| self.place(&mut clusters, &self.single(record));
        records.iter().all(place).then(|| clusters.into_iter().map(|cluster| cluster.members).collect())
    }

    fn cluster(&self, members: &[Member]) -> Option<Cluster> {
        let singles = members.iter().map(|&member| self.single(member));
        singles.reduce(|a, b| self.joined(&a, &b))
    }

    /// The levels of the lowest nodes over some records.
    pub(in crate::method) fn node(&self, members: &[Member]) -> Node {
        Node(self.released.iter().map(|dimension| dimension.lowest_common(members).0).collect())
    }
}
