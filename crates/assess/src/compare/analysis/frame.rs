//! The rows of one table that an analysis uses, and their columns.

use velamen_analysis::{Column, Records};
use velamen_dp::Stream;

use super::super::sides::RELEASED;
use super::variables::{Cell, Known, Variable, Variables};

/// One table as an analysis reads it.
pub(super) struct View<'a> {
    variables: &'a [Variable],
    cells: CellsOf<'a>,
    /// Equal records by row, and the weight of one.
    counts: Vec<f64>,
    weights: Vec<f64>,
}

enum CellsOf<'a> {
    /// By variable and row codes; by variable and code cells.
    Table(&'a Variables, usize, bool),
    /// By variable and row.
    Drawn(Vec<Vec<Cell>>),
}

impl<'a> View<'a> {
    /// A table as it is; of the release `fitted` reads ranges and sets by the shares of its own values.
    pub(super) fn table(variables: &'a Variables, side: usize, fitted: bool) -> Self {
        let rows = &variables.tables[side];
        Self {
            variables: &variables.variables,
            cells: CellsOf::Table(variables, side, fitted),
            counts: rows.counts.clone(),
            weights: rows.weights.clone(),
        }
    }

    /// The release, with a random value of those that a cell covers: each record its own.
    pub(super) fn drawn(variables: &'a Variables, stream: &mut Stream) -> Self {
        let rows = &variables.tables[RELEASED];
        let mut drawn: Vec<Vec<Cell>> = vec![Vec::new(); variables.variables.len()];
        let mut weights = Vec::new();
        for (row, count) in rows.counts.iter().enumerate() {
            for _ in 0..count.round() as u64 {
                weights.push(rows.weights[row]);
                for (v, variable) in variables.variables.iter().enumerate() {
                    let cell = &variable.cells[RELEASED][rows.codes[v][row] as usize];
                    drawn[v].push(draw(variable, cell, stream));
                }
            }
        }
        let counts = vec![1.0; weights.len()];
        Self { variables: &variables.variables, cells: CellsOf::Drawn(drawn), counts, weights }
    }

    fn cell(&self, variable: usize, row: usize) -> &Cell {
        match &self.cells {
            CellsOf::Table(variables, side, fitted) => {
                let code = variables.tables[*side].codes[variable][row] as usize;
                let described = &self.variables[variable];
                if *fitted { &described.fitted[code] } else { &described.cells[*side][code] }
            }
            CellsOf::Drawn(cells) => &cells[variable][row],
        }
    }

    /// The rows in which all of some variables are known, as numbers or, where so said, as levels.
    pub(super) fn frame(&self, used: &[(usize, bool)]) -> Frame<'_> {
        let mut frame = Frame {
            view: self,
            rows: Vec::new(),
            records: Records { counts: Vec::new(), weights: Vec::new() },
            hidden: 0.0,
            missing: 0.0,
        };
        for row in 0..self.counts.len() {
            let mass = self.counts[row] * self.weights[row];
            let cells = || used.iter().map(|(variable, levels)| (self.cell(*variable, row), *levels));
            if cells().any(|(cell, levels)| cell.is_hidden(levels)) {
                frame.hidden += mass;
            } else if cells().any(|(cell, _)| matches!(cell, Cell::Missing)) {
                frame.missing += mass;
            } else if mass > 0.0 {
                frame.rows.push(row);
                frame.records.counts.push(self.counts[row]);
                frame.records.weights.push(self.weights[row]);
            }
        }
        frame
    }
}

fn draw(variable: &Variable, cell: &Cell, stream: &mut Stream) -> Cell {
    let Cell::Known(known) = cell else { return cell.clone() };
    variable.draw(known, stream).map_or_else(|| cell.clone(), |place| Cell::Known(variable.at_place(place)))
}

/// The rows of an analysis.
pub(super) struct Frame<'a> {
    view: &'a View<'a>,
    rows: Vec<usize>,
    /// How many records each row stands for.
    pub(super) records: Records,
    /// Records left out since an attribute shows any value.
    pub(super) hidden: f64,
    /// Records left out since a value is missing.
    pub(super) missing: f64,
}

impl Frame<'_> {
    fn each(&self, variable: usize, of: impl Fn(&Known) -> f64) -> Vec<f64> {
        let known = |row: &usize| self.view.cell(variable, *row).known();
        self.rows.iter().map(|row| known(row).map_or(f64::NAN, &of)).collect()
    }

    /// By row the number: its middle (0), lowest (1) or highest (2).
    pub(super) fn numbers(&self, variable: usize, end: usize) -> Vec<f64> {
        self.each(variable, |known| known.number.map_or(f64::NAN, |number| number[end]))
    }

    /// By row the share of a level.
    pub(super) fn shares(&self, variable: usize, level: usize) -> Vec<f64> {
        self.each(variable, |known| {
            known.levels.iter().find(|(of, _)| *of == level).map_or(0.0, |(_, share)| *share)
        })
    }

    /// Whether every row's levels of a variable are single ones.
    pub(super) fn is_exact(&self, variable: usize) -> bool {
        self.each(variable, |known| known.levels.len() as f64).iter().all(|levels| *levels == 1.0)
    }

    /// The records of a group: of several levels at once.
    pub(super) fn group(&self, levels: &[(usize, usize)]) -> Records {
        let mut records = self.records.clone();
        for (variable, level) in levels {
            let shares = self.shares(*variable, *level);
            records.weights.iter_mut().zip(shares).for_each(|(weight, share)| *weight *= share);
        }
        records
    }

    /// The columns of a regression's term: one of a number, one of each level but the reference.
    pub(super) fn columns(&self, variable: usize, factor: bool, reference: usize) -> Vec<Column> {
        let described = &self.view.variables[variable];
        if described.numeric && !factor {
            return vec![Column { name: described.name.clone(), values: self.numbers(variable, 0) }];
        }
        let levels = described.levels.iter().flatten().enumerate().filter(|(level, _)| *level != reference);
        let columns = levels.map(|(level, label)| Column {
            name: format!("{}: {label}", described.name),
            values: self.shares(variable, level),
        });
        columns.collect()
    }
}
