//! Which classes go where all kept ones together fail a model.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use velamen_core::classes::Cell;

use super::{Evaluator, Judged};
use crate::model::Sizes;

impl<const W: usize> Evaluator<'_, W> {
    /// Suppresses the smallest kept classes until the table-level models hold: all below a size, and of
    /// that size the first in canonical order, as few as will do.
    pub(super) fn suppress_smallest(&self, cells: &[Cell<W>], judged: &mut Judged) {
        if self.table_models.is_empty() {
            return;
        }
        let mut classes: BTreeMap<u64, u64> = BTreeMap::new();
        for (&size, _) in judged.people.iter().zip(&judged.held).filter(|(_, held)| **held) {
            *classes.entry(size).or_default() += 1;
        }
        let mut sizes: Vec<(u64, u64)> = classes.into_iter().collect();
        let holds = |sizes: &Sizes| self.table_models.iter().all(|model| model.holds(sizes));
        let from = (0..=sizes.len()).find(|&from| holds(&sizes[from..])).unwrap_or(sizes.len());
        let Some(last) = from.checked_sub(1) else { return };
        let (size, count) = sizes[last];
        // With none of this size suppressed the models fail, with all of them they hold.
        let (mut fails, mut enough) = (0, count);
        while fails + 1 < enough {
            let middle = u64::midpoint(fails, enough);
            sizes[last].1 = count - middle;
            if holds(&sizes[last..]) { enough = middle } else { fails = middle }
        }
        self.suppress(cells, judged, size, enough as usize);
    }

    /// Suppresses the kept classes below a size, and so many of that size.
    fn suppress(&self, cells: &[Cell<W>], judged: &mut Judged, size: u64, classes: usize) {
        let at: Vec<usize> = (0..judged.sizes.len())
            .filter(|&class| judged.held[class] && judged.people[class] <= size)
            .collect();
        let (mut last, smaller): (Vec<usize>, Vec<usize>) =
            at.into_iter().partition(|&class| judged.people[class] == size);
        if classes < last.len() {
            // Keys put the steepest attribute first, so that they do not ascend canonically.
            let code = |class: usize, q| self.space.code(&cells[judged.starts[class]].key, q);
            let attributes = self.table.qis.len();
            last.select_nth_unstable_by(classes, |&a, &b| {
                let mut codes = (0..attributes).map(|q| code(a, q).cmp(&code(b, q)));
                codes.find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
            });
        }
        for class in smaller.into_iter().chain(last.into_iter().take(classes)) {
            judged.held[class] = false;
            judged.outliers += judged.sizes[class];
        }
    }
}
