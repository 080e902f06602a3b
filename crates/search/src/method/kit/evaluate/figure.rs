//! What a node costs once its classes are judged.

use velamen_core::classes::Cell;
use velamen_core::lattice::Node;

use super::{Evaluator, Judged, Outliers};
use crate::metric::{Bag, Outcome, Score};

impl<const W: usize> Evaluator<'_, W> {
    /// The classes by fate, as far as the metric needs them.
    fn bags(&self, cells: &[Cell<W>], judged: &Judged, all_kept: bool) -> (Bag, Bag) {
        let (mut kept, mut suppressed) = (Bag::default(), Bag::default());
        let qis = self.table.qis.len();
        let gone = if all_kept { 0 } else { judged.held.iter().filter(|held| !**held).count() };
        if self.needs.suppressed_codes {
            suppressed.codes.reserve(gone * qis);
        }
        for (class, &size) in judged.sizes.iter().enumerate() {
            let is_kept = all_kept || judged.held[class];
            let bag = if is_kept { &mut kept } else { &mut suppressed };
            bag.sizes.push(size);
            let start = judged.starts[class];
            if if is_kept { self.needs.kept_codes } else { self.needs.suppressed_codes } {
                bag.codes.extend((0..qis).map(|q| self.space.code(&cells[start].key, q)));
            }
            if self.needs.rest {
                bag.rest.extend(self.released_rest(&cells[start..], size));
            }
        }
        (kept, suppressed)
    }

    /// The distinct released combinations of the rest in a class of that size.
    fn released_rest(&self, from: &[Cell<W>], size: u64) -> Vec<u32> {
        let Some(field) = self.space.sensitive_field() else { return vec![0] };
        let mut left = size;
        let own = from.iter().take_while(|cell| {
            let within = left > 0;
            left = left.saturating_sub(cell.count);
            within
        });
        let mut rest: Vec<u32> = own.map(|cell| cell.key.get(field)).collect();
        if let (Some(_), Some(coding)) = (self.table.rest.person(), self.coding) {
            rest.iter_mut().for_each(|code| *code = coding.released(*code));
            rest.sort_unstable();
            rest.dedup();
        }
        rest
    }

    /// Per attribute, the suppressed records of each leaf.
    fn suppressed_leaves(&self, node: &Node, cells: &[Cell<W>], judged: &Judged) -> Vec<Vec<u64>> {
        if !self.needs.suppressed_leaves || judged.outliers == 0 {
            return Vec::new();
        }
        let key = |cell: &Cell<W>| self.space.class_key_of(&cell.key);
        let starts: Vec<_> = judged.starts.iter().map(|&start| key(&cells[start])).collect();
        let mut leaves: Vec<Vec<u64>> =
            self.table.qis.iter().map(|qi| vec![0; qi.hierarchy.width(0)]).collect();
        for cell in self.space.base().iter().filter(|cell| !self.space.is_population(cell)) {
            let own = self.space.class_key(&cell.key, node);
            let class = starts.partition_point(|start| *start < own);
            if !judged.held[class] {
                for (q, leaves) in leaves.iter_mut().enumerate() {
                    leaves[self.space.code(&cell.key, q) as usize] += cell.count;
                }
            }
        }
        leaves
    }

    /// What classes of which no part holds at any node below cost there.
    pub(super) fn carried(&self, node: &Node, cells: &[Cell<W>], judged: &Judged) -> Option<Vec<f64>> {
        if self.demand.outliers == Outliers::Relocate || !judged.lost_whole.contains(&true) {
            return None;
        }
        let mut lost = Bag::default();
        let qis = self.table.qis.len();
        for class in (0..judged.sizes.len()).filter(|&class| judged.lost_whole[class]) {
            lost.sizes.push(judged.sizes[class]);
            if self.needs.suppressed_codes {
                lost.codes.extend((0..qis).map(|q| self.space.code(&cells[judged.starts[class]].key, q)));
            }
        }
        self.demand.metric.carried(node, &lost)
    }

    /// The node's figure with its outliers suppressed (or relocated), and what it shows of those above.
    pub(super) fn figure(&self, node: &Node, cells: &[Cell<W>], judged: &Judged) -> (Score, Option<Score>) {
        let relocated = self.demand.outliers == Outliers::Relocate;
        let (kept, suppressed) = self.bags(cells, judged, relocated);
        let leaves = if relocated { Vec::new() } else { self.suppressed_leaves(node, cells, judged) };
        let outcome = Outcome { node, kept: &kept, suppressed: &suppressed, suppressed_leaves: &leaves };
        (self.demand.metric.figure(&outcome), self.demand.metric.learned(&outcome))
    }
}
