//! How the cells of a table run through those of one of its margins.

use crate::Set;

/// Steps through a table's cells in their order, with the place in the margin beside it: runs of neighbours whose places
/// either all stay or all move by one.
#[derive(Debug, Clone)]
pub(crate) struct Margin {
    /// Size of each outer axis, and how far a step along it moves in the margin.
    outer: Vec<(usize, usize)>,
    /// The length of a run.
    run: usize,
    /// Whether a run moves in the margin; else all its cells are of one.
    moves: bool,
    /// Cells of the margin.
    len: usize,
}

impl Margin {
    /// The margin of the attributes `kept`, ascending, of a table over `all`, ascending.
    pub(crate) fn of(all: &Set, kept: &Set, sizes: &[usize]) -> Self {
        let mut stride: usize = kept.iter().map(|&a| sizes[a]).product();
        let len = stride;
        let mut axes: Vec<(usize, usize)> = Vec::with_capacity(all.len());
        for &attribute in all {
            let size = sizes[attribute];
            let step = if kept.contains(&attribute) {
                stride /= size;
                stride
            } else {
                0
            };
            match axes.last_mut() {
                // Neighbouring axes that move alike are one.
                Some((outer, moved)) if (*moved == 0 && step == 0) || (step > 0 && *moved == step * size) => {
                    (*outer, *moved) = (*outer * size, step);
                }
                _ => axes.push((size, step)),
            }
        }
        let (run, step) = axes.pop().unwrap_or((1, 0));
        Self { outer: axes, run, moves: step > 0, len }
    }

    /// Calls `visit` with the first cell of each run and its place in the margin.
    fn runs(&self, mut visit: impl FnMut(usize, usize)) {
        // Most runs are short: what leads from one to the next along the last outer axis is a loop of its own.
        let (&(size, step), outer) = self.outer.split_last().unwrap_or((&(1, 0), &[]));
        let mut digits = vec![0usize; outer.len()];
        let (mut cell, mut first) = (0, 0);
        loop {
            for number in 0..size {
                visit(cell, first + number * step);
                cell += self.run;
            }
            if !ahead(&mut digits, outer, &mut first) {
                return;
            }
        }
    }

    /// The margin's cells, from the table's.
    pub(crate) fn sum(&self, cells: &[f64]) -> Vec<f64> {
        let mut sums = vec![0.0; self.len];
        self.runs(|cell, place| {
            let run = &cells[cell..cell + self.run];
            if self.moves {
                sums[place..place + self.run].iter_mut().zip(run).for_each(|(sum, value)| *sum += value);
            } else {
                sums[place] += total(run);
            }
        });
        sums
    }

    /// Multiplies each cell with its factor in the margin.
    pub(crate) fn multiply(&self, cells: &mut [f64], factors: &[f64]) {
        self.combine(cells, factors, |cell, factor| *cell *= factor);
    }

    /// Adds to each cell its number in the margin.
    pub(crate) fn add(&self, cells: &mut [f64], numbers: &[f64]) {
        self.combine(cells, numbers, |cell, number| *cell += number);
    }

    fn combine(&self, cells: &mut [f64], others: &[f64], apply: impl Fn(&mut f64, f64)) {
        self.runs(|cell, place| {
            let run = &mut cells[cell..cell + self.run];
            if self.moves {
                run.iter_mut()
                    .zip(&others[place..place + self.run])
                    .for_each(|(cell, &other)| apply(cell, other));
            } else {
                run.iter_mut().for_each(|cell| apply(cell, others[place]));
            }
        });
    }
}

/// The sum, in four parts that do not wait for one another.
fn total(cells: &[f64]) -> f64 {
    let (fours, rest) = cells.as_chunks::<4>();
    let sums = fours.iter().fold([0.0; 4], |[a, b, c, d], [e, f, g, h]| [a + e, b + f, c + g, d + h]);
    sums.iter().chain(rest).sum()
}

/// The next digits, the last one fastest, and the place that they lead to; whether there are some.
fn ahead(digits: &mut [usize], axes: &[(usize, usize)], place: &mut usize) -> bool {
    for (digit, &(size, step)) in digits.iter_mut().zip(axes).rev() {
        *digit += 1;
        *place += step;
        if *digit < size {
            return true;
        }
        *place -= step * size;
        *digit = 0;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The margin, by decoding each cell.
    fn naive(all: &Set, kept: &Set, sizes: &[usize], cells: &[f64]) -> Vec<f64> {
        let mut sums = vec![0.0; kept.iter().map(|&a| sizes[a]).product()];
        for (cell, value) in cells.iter().enumerate() {
            let mut rest = cell;
            let mut codes = vec![0; sizes.len()];
            for &a in all.iter().rev() {
                codes[a] = rest % sizes[a];
                rest /= sizes[a];
            }
            let place = kept.iter().fold(0, |place, &a| place * sizes[a] + codes[a]);
            sums[place] += value;
        }
        sums
    }

    #[test]
    fn every_margin_is_what_decoding_gives() {
        let sizes = [3, 1, 4, 2, 5];
        let all = vec![0, 1, 2, 3, 4];
        let cells: Vec<f64> = (0..120).map(|i| f64::from(i * i % 97)).collect();
        for mask in 0..32usize {
            let kept: Set = (0..5).filter(|a| mask >> a & 1 == 1).collect();
            let margin = Margin::of(&all, &kept, &sizes);
            assert_eq!(margin.sum(&cells), naive(&all, &kept, &sizes, &cells), "{kept:?}");
            let factors: Vec<f64> = (0..margin.len).map(|i| i as f64 + 1.0).collect();
            let mut multiplied = cells.clone();
            margin.multiply(&mut multiplied, &factors);
            let sums = naive(&all, &kept, &sizes, &cells);
            let expected: Vec<f64> = sums.iter().zip(&factors).map(|(sum, factor)| sum * factor).collect();
            assert_eq!(naive(&all, &kept, &sizes, &multiplied), expected, "{kept:?}");
        }
    }
}
