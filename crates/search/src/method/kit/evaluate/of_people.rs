//! How easily people are found at a node, where a person can have several records.

use velamen_core::classes::Cell;

use super::{Evaluator, Histogram, Judged};

impl<const W: usize> Evaluator<'_, W> {
    /// The highest and the mean risk of the people of kept classes: each is as easy to find as in the class that gives her away most,
    /// by the share of its records that are hers. `None` without a column of persons, and where no class is kept.
    pub(super) fn risks_of_people(&self, cells: &[Cell<W>], judged: &Judged) -> Option<(f64, f64)> {
        let person = self.table.rest.person()?;
        let mut worst = vec![0.0_f64; self.table.rest.columns[person].values.len()];
        let (mut own, mut records) = (Histogram::new(), Histogram::new());
        let kept = (0..judged.sizes.len()).filter(|&class| judged.held[class]);
        for class in kept {
            let run = self.space.runs(&cells[judged.starts[class]..]).next()?;
            let real = run.partition_point(|cell| !self.space.is_population(cell));
            self.fill(&run[..real], &mut own);
            self.coding?.histogram(person, &own, &mut records);
            for &(whose, count) in &records {
                let share = &mut worst[whose as usize];
                *share = share.max(count as f64 / judged.sizes[class] as f64);
            }
        }
        // By the order of the column, never by that of a map: equal tables give equal figures.
        let risks = || worst.iter().copied().filter(|risk| *risk > 0.0);
        let people = risks().count();
        (people > 0).then(|| (risks().fold(0.0, f64::max), risks().sum::<f64>() / people as f64))
    }
}
