//! Normal equations of few columns.

/// A column whose part that the ones before do not explain is below this share of it is a combination of them.
const ALIASED: f64 = 1e-11;

/// A symmetric matrix, whole.
#[derive(Debug, Clone)]
pub(crate) struct Symmetric {
    pub(crate) size: usize,
    cells: Vec<f64>,
}

impl Symmetric {
    pub(crate) fn zero(size: usize) -> Self {
        Self { size, cells: vec![0.0; size * size] }
    }

    pub(crate) fn at(&self, row: usize, column: usize) -> f64 {
        self.cells[row * self.size + column]
    }

    pub(crate) fn set(&mut self, row: usize, column: usize, value: f64) {
        self.cells[row * self.size + column] = value;
    }

    /// Adds weight · x xᵀ to the lower half.
    pub(crate) fn add_outer(&mut self, x: &[f64], weight: f64) {
        for (row, value) in x.iter().enumerate() {
            let scaled = weight * value;
            let cells = &mut self.cells[row * self.size..=row * self.size + row];
            for (cell, other) in cells.iter_mut().zip(x) {
                *cell += scaled * other;
            }
        }
    }

    /// The upper half from the lower one.
    pub(crate) fn mirror(&mut self) {
        for row in 0..self.size {
            for column in 0..row {
                self.set(column, row, self.at(row, column));
            }
        }
    }

    /// The inverse over the columns that are no combination of earlier ones, and which these are; rows and columns of the
    /// others are 0.
    pub(crate) fn inverse(&self) -> (Self, Vec<bool>) {
        let (lower, kept) = self.cholesky();
        let mut inverse = Self::zero(self.size);
        for column in (0..self.size).filter(|&column| kept[column]) {
            let mut unit = vec![0.0; self.size];
            unit[column] = 1.0;
            solve(&lower, &kept, &mut unit);
            for (row, value) in unit.iter().enumerate() {
                inverse.set(row, column, *value);
            }
        }
        (inverse, kept)
    }

    pub(crate) fn times(&self, x: &[f64]) -> Vec<f64> {
        let row = |row: usize| (0..self.size).map(|column| self.at(row, column) * x[column]).sum();
        (0..self.size).map(row).collect()
    }

    /// The lower triangle of a Cholesky decomposition, without the columns that others explain.
    fn cholesky(&self) -> (Self, Vec<bool>) {
        let mut lower = Self::zero(self.size);
        let mut kept = Vec::with_capacity(self.size);
        for j in 0..self.size {
            let explained: f64 = (0..j).map(|k| lower.at(j, k).powi(2)).sum();
            let pivot = self.at(j, j) - explained;
            kept.push(pivot > ALIASED * self.at(j, j) && self.at(j, j) > 0.0);
            if !kept[j] {
                continue;
            }
            lower.set(j, j, pivot.sqrt());
            for i in j + 1..self.size {
                let dot: f64 = (0..j).map(|k| lower.at(i, k) * lower.at(j, k)).sum();
                lower.set(i, j, (self.at(i, j) - dot) / lower.at(j, j));
            }
        }
        (lower, kept)
    }
}

/// Solves L Lᵀ x = b in place.
fn solve(lower: &Symmetric, kept: &[bool], x: &mut [f64]) {
    for i in 0..lower.size {
        let dot: f64 = (0..i).map(|k| lower.at(i, k) * x[k]).sum();
        x[i] = if kept[i] { (x[i] - dot) / lower.at(i, i) } else { 0.0 };
    }
    for i in (0..lower.size).rev() {
        let dot: f64 = (i + 1..lower.size).map(|k| lower.at(k, i) * x[k]).sum();
        x[i] = if kept[i] { (x[i] - dot) / lower.at(i, i) } else { 0.0 };
    }
}
