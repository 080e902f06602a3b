//! Groups a CSV without quotes: for tests only.
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use std::collections::BTreeMap;

use velamen_measure::measure::{Grouped, Sensitive};

/// Header and cells.
pub(crate) struct Table {
    header: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// Splits at line ends and delimiters.
    pub(crate) fn parse(text: &str, delimiter: char) -> Self {
        let split = |line: &str| line.split(delimiter).map(str::to_owned).collect::<Vec<_>>();
        let mut lines = text.lines().map(|line| split(line.trim_end_matches('\r')));
        Self { header: lines.next().unwrap_or_default(), rows: lines.collect() }
    }

    fn column(&self, name: &str) -> usize {
        self.header.iter().position(|column| column == name).unwrap_or_else(|| panic!("no column {name}"))
    }

    /// Sizes and counts by the quasi-identifiers.
    pub(crate) fn group(&self, qi: &[&str], sensitive: &[&str]) -> Grouped {
        let columns: Vec<usize> = qi.iter().map(|name| self.column(name)).collect();
        let mut classes: BTreeMap<Vec<&str>, Vec<usize>> = BTreeMap::new();
        for (row, cells) in self.rows.iter().enumerate() {
            classes
                .entry(columns.iter().map(|&column| cells[column].as_str()).collect())
                .or_default()
                .push(row);
        }
        let rows: Vec<Vec<usize>> = classes.into_values().collect();
        Grouped {
            sizes: rows.iter().map(|rows| rows.len() as u64).collect(),
            sensitive: sensitive.iter().map(|name| self.count(name, &rows)).collect(),
            people: None,
        }
    }

    fn count(&self, name: &str, classes: &[Vec<usize>]) -> Sensitive {
        let column = self.column(name);
        let cell = |row: usize| self.rows[row][column].as_str();
        let mut values: Vec<&str> = (0..self.rows.len()).map(cell).collect();
        values.sort_unstable();
        values.dedup();
        let numeric = values.iter().all(|value| value.parse::<f64>().is_ok_and(f64::is_finite));
        if numeric {
            let number = |value: &&str| value.parse::<f64>().unwrap();
            values.sort_by(|a, b| number(a).total_cmp(&number(b)));
        }
        let codes: BTreeMap<&str, u32> = values.iter().copied().zip(0..).collect();
        let of_class = |rows: &Vec<usize>| {
            let mut counts: BTreeMap<u32, u64> = BTreeMap::new();
            for &row in rows {
                *counts.entry(codes[cell(row)]).or_default() += 1;
            }
            counts.into_iter().collect()
        };
        Sensitive {
            name: name.to_owned(),
            numeric,
            classes: classes.iter().map(of_class).collect(),
            people: Vec::new(),
            values: values.into_iter().map(str::to_owned).collect(),
        }
    }
}
