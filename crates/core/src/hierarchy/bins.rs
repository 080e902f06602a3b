//! Intervals that are read off the data: of equal width, or of equal frequency.
//!
//! # Summary
//! A short form of cuts, for numbers nobody has cuts for. What is read off the data is no public knowledge:
//! the release says so, and methods that are differentially private refuse it.
//!
//! # Definition
//! Equal width, b bins over min … max of N = max − min + 1 steps: bin i begins at min + ⌈i·N/b⌉. Equal
//! frequency, b bins over n records: bin i begins at the least value that at least i·n/b records lie below.
//! Records of one value stay together, so that bins can hold more than n/b and be fewer than b. A level of
//! fewer bins keeps every so manieth start of the first.
//!
//! What is read off the data is rounded down to a grid, the end of the domain up: the finest of 1, 2, 5, 10, … steps at
//! which every cell of the grid that a bin begins or ends in holds enough records, or none. So no end of a bin is the
//! value of a few persons. A `min` or `max` that is given stays as it is.
//!
//! # Parameters
//! The numbers of bins per level, each a divisor of the one before; `min` and `max`, read off the data where
//! they are not given; `decimals`.
//!
//! # Errors
//! Numbers of bins that do not divide, no record, one value only, more bins than steps.
//!
//! # Complexity
//! Time O(distinct values + bins · levels).
//!
//! # References
//! None.
//!
//! # Deviations
//! None.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Definition, HierarchyError};
use crate::error::Problem;

/// Bins as recipes write them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Bins {
    /// The numbers of bins of equal width, per level.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub equal_width: Option<Vec<u32>>,
    /// The numbers of bins of equal frequency, per level.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub equal_frequency: Option<Vec<u32>>,
    /// The least value of the domain; left out: of the data.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min: Option<f64>,
    /// The greatest value of the domain; left out: of the data.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max: Option<f64>,
    /// Decimals of the values; 0 for whole numbers.
    #[serde(default)]
    pub decimals: u32,
}

fn refuse<T>(keys: &[&str], problem: impl Into<Problem>) -> Result<T, HierarchyError> {
    Err(HierarchyError::Parameters(Problem::of(keys, problem)))
}

impl Bins {
    /// What does not depend on the data.
    ///
    /// # Errors
    /// [`HierarchyError::Parameters`] if not exactly one kind is given or the numbers do not divide.
    pub fn check(&self) -> Result<(), HierarchyError> {
        let bins = match (&self.equal_width, &self.equal_frequency) {
            (Some(bins), None) | (None, Some(bins)) => bins,
            _ => {
                return refuse(
                    &["equal-width", "equal-frequency"],
                    Problem::new("`equal-width` and `equal-frequency` are both there, or neither is")
                        .expected("one of them"),
                );
            }
        };
        let divide = bins.windows(2).all(|pair| pair[1] > 0 && pair[0] > pair[1] && pair[0] % pair[1] == 0);
        if bins.first().is_none_or(|&first| !(2..=1000).contains(&first)) || !divide || bins.contains(&1) {
            return refuse(
                &[],
                "the numbers of bins are from 1000 down to 2, each a divisor of the one before: [20, 10, 5]",
            );
        }
        if self.decimals > 9 {
            return refuse(&["decimals"], "`decimals` are at most 9");
        }
        Ok(())
    }

    /// Whether the data must be looked at.
    #[must_use]
    pub fn reads_data(&self) -> bool {
        self.equal_frequency.is_some() || self.min.is_none() || self.max.is_none()
    }

    /// The cuts for values in units of 10^−decimals, ascending, each with its number of records; `least` records have
    /// to share what is read off them.
    ///
    /// # Errors
    /// [`HierarchyError::Parameters`] if the values cannot be cut.
    pub fn definition(&self, values: &[(i64, u64)], least: u64) -> Result<Definition, HierarchyError> {
        self.check()?;
        let (Some(first), Some(last)) =
            (self.units(self.min, values.first()), self.units(self.max, values.last()))
        else {
            return refuse(&[], "no value to read bins off");
        };
        if first >= last {
            let problem = Problem::of(&["min", "max"], "bins need at least two different values");
            return Err(HierarchyError::Parameters(problem.mend("give `min` and `max`")));
        }
        let finest = if self.reads_data() { least } else { 0 };
        let binned = steps().take_while(|step| *step <= last.saturating_sub(first).saturating_mul(2));
        let found = binned.map(|step| self.on_grid(values, (first, last), step)).find(|on| on.holds(finest));
        let Some(OnGrid { min, max, starts, .. }) = found else {
            let problem = Problem::new("there are fewer different values than bins").mend("ask for fewer");
            return Err(HierarchyError::Parameters(problem));
        };
        let shown = |units: i64| units as f64 / self.unit();
        let cuts = starts.iter().map(|level| level.iter().map(|&start| shown(start)).collect()).collect();
        Ok(Definition::Cuts { cuts, min: shown(min), max: shown(max), decimals: self.decimals })
    }

    fn unit(&self) -> f64 {
        10f64.powi(self.decimals as i32)
    }

    /// A bound in units: the one that is given, else the value of the data.
    fn units(&self, given: Option<f64>, read: Option<&(i64, u64)>) -> Option<i64> {
        given.map(|bound| (bound * self.unit()).round() as i64).or(read.map(|value| value.0))
    }

    /// The bins on a grid of this step.
    fn on_grid(&self, values: &[(i64, u64)], (first, last): (i64, i64), step: i64) -> OnGrid {
        let mut cells: Vec<(i64, u64)> = Vec::new();
        for &(value, count) in values {
            let cell = value - value.rem_euclid(step);
            match cells.last_mut().filter(|known| known.0 == cell) {
                Some(known) => known.1 += count,
                None => cells.push((cell, count)),
            }
        }
        let min = if self.min.is_some() { first } else { first - first.rem_euclid(step) };
        let max = if self.max.is_some() { last } else { last - last.rem_euclid(step) + step - 1 };
        let starts = match (&self.equal_width, &self.equal_frequency) {
            (Some(bins), _) => levels(bins, |i, of| {
                let start = wide(min, max, i, of);
                Some(if self.reads_data() { start - start.rem_euclid(step) } else { start })
            }),
            (_, Some(bins)) => levels(bins, |i, of| frequent(&cells, i, of).filter(|&s| s > min && s <= max)),
            _ => Vec::new(),
        };
        let read = [(self.min, min), (self.max, max)];
        let read = read.iter().filter(|(given, _)| given.is_none()).map(|(_, end)| *end).collect();
        OnGrid { cells, step, min, max, read, starts }
    }
}

/// 1, 2, 5, 10, 20, …
fn steps() -> impl Iterator<Item = i64> {
    (0..18).flat_map(|power| [1, 2, 5].map(|factor| factor * 10i64.pow(power)))
}

/// Bins whose ends lie on a grid.
struct OnGrid {
    /// By start, the records of each cell of the grid.
    cells: Vec<(i64, u64)>,
    step: i64,
    min: i64,
    max: i64,
    /// Those of `min` and `max` that were read off the data.
    read: Vec<i64>,
    starts: Vec<Vec<i64>>,
}

impl OnGrid {
    /// Whether they are bins, and each cell of the grid that one begins or ends in holds so many records, or none.
    fn holds(&self, least: u64) -> bool {
        let is_cut = |level: &Vec<i64>| {
            !level.is_empty() && level.iter().all(|&start| start > self.min && start <= self.max)
        };
        let starts = self.starts.iter().flatten().flat_map(|&start| [start - 1, start]);
        let mut ends = starts.chain(self.read.iter().copied());
        self.starts.iter().all(is_cut) && ends.all(|end| self.records(end).is_none_or(|count| count >= least))
    }

    /// The records of the cell that a value lies in; `None` where there are none.
    fn records(&self, value: i64) -> Option<u64> {
        let cell = value - value.rem_euclid(self.step);
        self.cells.binary_search_by_key(&cell, |known| known.0).ok().map(|at| self.cells[at].1)
    }
}

/// Per level the starts of its bins after the first: every so manieth of the first level's.
fn levels(bins: &[u32], start: impl Fn(u64, u64) -> Option<i64>) -> Vec<Vec<i64>> {
    let finest = u64::from(bins[0]);
    bins.iter().map(|&bins| starts(u64::from(bins), finest, &start)).collect()
}

/// The starts of so many bins after the first.
fn starts(bins: u64, finest: u64, start: impl Fn(u64, u64) -> Option<i64>) -> Vec<i64> {
    let step = finest / bins;
    let mut starts: Vec<i64> = (1..bins).filter_map(|i| start(i * step, finest)).collect();
    starts.dedup();
    starts
}

fn wide(min: i64, max: i64, i: u64, of: u64) -> i64 {
    let steps = i128::from(max) - i128::from(min) + 1;
    let offset = (steps * i128::from(i) + i128::from(of) - 1) / i128::from(of);
    (i128::from(min) + offset) as i64
}

/// The least value that at least i/of of the records lie below.
fn frequent(values: &[(i64, u64)], i: u64, of: u64) -> Option<i64> {
    let records: u128 = values.iter().map(|value| u128::from(value.1)).sum();
    let mut below = 0u128;
    for &(value, count) in values {
        if below * u128::from(of) >= records * u128::from(i) {
            return Some(value);
        }
        below += u128::from(count);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cuts(json: &str, values: &[(i64, u64)]) -> Result<Vec<Vec<f64>>, HierarchyError> {
        let bins: Bins = serde_json::from_str(json).unwrap();
        match bins.definition(values, 1)? {
            Definition::Cuts { cuts, .. } => Ok(cuts),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn widths_are_equal() {
        let values: Vec<(i64, u64)> = (0..100).map(|value| (value, 1)).collect();
        assert_eq!(cuts(r#"{"equal-width":[4,2]}"#, &values).unwrap(), [vec![25.0, 50.0, 75.0], vec![50.0]]);
        assert_eq!(cuts(r#"{"equal-width":[2],"min":0,"max":9}"#, &[]).unwrap(), [[5.0]]);
    }

    #[test]
    fn frequencies_are_equal_but_for_ties() {
        let values: Vec<(i64, u64)> = (0..100).map(|value| (value * value, 1)).collect();
        assert_eq!(cuts(r#"{"equal-frequency":[4]}"#, &values).unwrap(), [[625.0, 2500.0, 5625.0]]);
        // Nine of ten records have the value 5: they stay together.
        let tied = [(1, 5), (5, 90), (9, 5)];
        assert_eq!(cuts(r#"{"equal-frequency":[4,2]}"#, &tied).unwrap(), [vec![9.0], vec![9.0]]);
    }

    #[test]
    fn no_end_is_the_value_of_a_few_records() {
        let bins = |json: &str| serde_json::from_str::<Bins>(json).unwrap();
        // Every value is that of one record: 5 are in each cell of 100.
        let values: Vec<(i64, u64)> = (0..100).map(|value| (4013 + 20 * value, 1)).collect();
        for form in [r#"{"equal-frequency":[4,2],"decimals":2}"#, r#"{"equal-width":[4,2],"decimals":2}"#] {
            let Definition::Cuts { cuts, min, max, .. } = bins(form).definition(&values, 5).unwrap() else {
                panic!("{form}")
            };
            let on_grid = |end: f64| (end.fract() * 100.0).round() == 0.0;
            assert!(
                on_grid(min) && on_grid(max + 0.01) && cuts.iter().flatten().all(|cut| on_grid(*cut)),
                "{cuts:?}"
            );
            assert_eq!(cuts.len(), 2);
        }
        // What enough share stays as it is; an end that is given does, too.
        let shared: Vec<(i64, u64)> = (0..100).map(|value| (value, 5)).collect();
        let cuts = |form: &str| match bins(form).definition(&shared, 5).unwrap() {
            Definition::Cuts { cuts, min, max, .. } => (cuts, min, max),
            other => panic!("{other:?}"),
        };
        assert_eq!(cuts(r#"{"equal-frequency":[4]}"#), (vec![vec![25.0, 50.0, 75.0]], 0.0, 99.0));
        assert_eq!(cuts(r#"{"equal-width":[2],"min":-3,"max":104}"#), (vec![vec![51.0]], -3.0, 104.0));
        assert!(bins(r#"{"equal-frequency":[4]}"#).definition(&[(1, 1), (2, 1), (3, 1)], 5).is_err());
    }

    #[test]
    fn what_cannot_be_cut_is_refused() {
        assert!(cuts(r#"{"equal-frequency":[2]}"#, &[(5, 9)]).is_err());
        assert!(cuts(r#"{"equal-width":[4],"min":0,"max":2}"#, &[]).is_err());
        assert!(cuts(r#"{"equal-width":[4]}"#, &[]).is_err());
        for bins in ["[4,3]", "[1]", "[]", "[4,0]", "[2,4]"] {
            assert!(cuts(&format!(r#"{{"equal-width":{bins}}}"#), &[(0, 1), (99, 1)]).is_err(), "{bins}");
        }
        assert!(cuts(r#"{"equal-width":[2],"equal-frequency":[2]}"#, &[]).is_err());
    }
}
