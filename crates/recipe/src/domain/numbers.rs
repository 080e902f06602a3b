//! Domains of numbers in even steps, and their bins.

use velamen_core::error::Problem;
use velamen_core::hierarchy::{Definition, NULL};

use super::{Declared, table};
use crate::{NumberBins, NumberDomain};

/// The most numbers of a domain.
const MOST: f64 = (1u32 << 20) as f64;
/// The most decimals of a number.
const DECIMALS: u32 = 9;
/// The largest number in units of its last decimal.
const WIDEST: f64 = 9e15;

/// A domain in whole units of 10^−decimals.
#[derive(Debug, Clone, Copy)]
struct Grid {
    decimals: u32,
    min: i64,
    step: i64,
    /// How many numbers there are.
    size: i64,
}

impl Grid {
    /// The number at a place, in units.
    fn at(self, place: i64) -> i64 {
        self.min + place * self.step
    }

    /// A number of units as a number.
    fn number(self, units: i64) -> f64 {
        units as f64 / 10f64.powi(self.decimals as i32)
    }

    fn text(self, place: i64) -> String {
        format!("{:.*}", self.decimals as usize, self.number(self.at(place)))
    }
}

impl NumberDomain {
    /// The domain of a quasi-identifier.
    pub(super) fn declared(&self, missing: bool) -> Result<Declared, Problem> {
        let grid = self.grid()?;
        let (min, max) = (grid.number(grid.min), grid.number(grid.at(grid.size - 1)));
        let decimals = grid.decimals;
        match &self.bins {
            None if grid.step == 1 => {
                let definition = Definition::Interval { interval: Vec::new(), min, max, decimals };
                Ok(Declared { definition, bins: 0 })
            }
            None => Ok(Declared { definition: listed(grid, missing), bins: 0 }),
            Some(_) if grid.step != 1 => {
                let problem = "`bins` go with a step of 1, 0.1, 0.01 and so on";
                Err(Problem::new(problem).mend("leave `bins` out, or take such a step"))
            }
            Some(bins) => {
                let cuts = vec![starts(bins, grid)?];
                Ok(Declared { definition: Definition::Cuts { cuts, min, max, decimals }, bins: 1 })
            }
        }
    }

    /// The domain of a sensitive attribute, value by value.
    pub(super) fn listed(&self) -> Result<Declared, Problem> {
        if self.bins.is_some() {
            return Err(
                Problem::new("`bins` are for quasi-identifiers of invented records").mend("drop them")
            );
        }
        Ok(Declared { definition: listed(self.grid()?, false), bins: 0 })
    }

    fn grid(&self) -> Result<Grid, Problem> {
        let step = self.step.unwrap_or(1.0);
        if !(self.min.is_finite() && self.max.is_finite() && self.min <= self.max && step > 0.0) {
            return Err(Problem::new("`domain` of numbers is wrong")
                .expected("numbers min and max, min not above max, and a step above 0"));
        }
        let fits = |decimals: &u32| [self.min, step].iter().all(|number| is_whole(number * scale(*decimals)));
        let fine = || Problem::new(format!("`min` and `step` have more than {DECIMALS} decimals"));
        let decimals = (0..=DECIMALS).find(fits).ok_or_else(fine)?;
        let steps = (self.max - self.min) / step;
        if steps + 1.0 > MOST {
            return Err(Problem::new(format!("`domain` has {:.0} values, more than {MOST}", steps + 1.0))
                .mend(
                    "declare larger units or a larger step, which leaves out the numbers between its steps; bins are made of listed numbers, too"
                ));
        }
        if !is_whole(steps) {
            return Err(Problem::new("`max` is no whole number of steps above `min`"));
        }
        let units = |number: f64| (number * scale(decimals)).round() as i64;
        Ok(Grid { decimals, min: units(self.min), step: units(step), size: steps.round() as i64 + 1 })
    }
}

fn scale(decimals: u32) -> f64 {
    10f64.powi(decimals as i32)
}

/// Whether a number has no decimals, and can be counted to.
fn is_whole(number: f64) -> bool {
    (number - number.round()).abs() < 1e-6f64.max(1e-12 * number.abs()) && number.abs() < WIDEST
}

/// Value by value, the missing one last.
fn listed(grid: Grid, missing: bool) -> Definition {
    table((0..grid.size).map(|place| grid.text(place)).chain(missing.then(|| NULL.to_owned())).collect())
}

/// The numbers that all bins but the first begin with.
fn starts(bins: &NumberBins, grid: Grid) -> Result<Vec<f64>, Problem> {
    match bins {
        NumberBins::Equal(number) => {
            let number = i64::from(*number);
            if !(2..=grid.size).contains(&number) {
                return Err(Problem::new(format!("`bins` = {number} of {} values", grid.size))
                    .expected("from 2 bins to one for each value"));
            }
            Ok((1..number).map(|bin| grid.number(grid.at(bin * grid.size / number))).collect())
        }
        NumberBins::Starts(starts) => {
            let last = grid.number(grid.at(grid.size - 1));
            let ascend = starts.windows(2).all(|pair| pair[0] < pair[1]);
            let inside = starts.iter().all(|start| *start > grid.number(grid.min) && *start <= last);
            match ascend && inside && !starts.is_empty() {
                true => Ok(starts.clone()),
                false => Err(Problem::new("`bins` do not part the domain").expected(
                    "ascending numbers above min and up to max, with which the second and further bins begin",
                )),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn domain(min: f64, max: f64, step: Option<f64>, bins: Option<NumberBins>) -> NumberDomain {
        NumberDomain { min, max, step, bins }
    }

    fn rows(definition: &Definition) -> Vec<&str> {
        let Definition::Table { rows } = definition else { panic!("{definition:?}") };
        rows.iter().map(|row| row[0].as_str()).collect()
    }

    #[test]
    fn whole_numbers_are_an_interval() {
        let Declared { definition, bins } = domain(0.0, 119.0, None, None).declared(true).unwrap();
        assert_eq!(
            definition,
            Definition::Interval { interval: Vec::new(), min: 0.0, max: 119.0, decimals: 0 }
        );
        assert_eq!(bins, 0);
        let tenths = domain(36.5, 41.0, Some(0.1), None).declared(false).unwrap().definition;
        assert_eq!(tenths, Definition::Interval { interval: Vec::new(), min: 36.5, max: 41.0, decimals: 1 });
    }

    #[test]
    fn other_steps_are_listed() {
        let fives = domain(-5.0, 10.0, Some(5.0), None);
        assert_eq!(rows(&fives.declared(true).unwrap().definition), ["-5", "0", "5", "10", ""]);
        assert_eq!(rows(&fives.listed().unwrap().definition), ["-5", "0", "5", "10"]);
        let halves = domain(0.0, 1.0, Some(0.5), None).declared(false).unwrap().definition;
        assert_eq!(rows(&halves), ["0.0", "0.5", "1.0"]);
    }

    #[test]
    fn bins_are_cuts() {
        let of = |bins| domain(0.0, 9.0, None, Some(bins)).declared(false);
        let cuts = |starts: &[f64]| {
            let definition =
                Definition::Cuts { cuts: vec![starts.to_vec()], min: 0.0, max: 9.0, decimals: 0 };
            Declared { definition, bins: 1 }
        };
        assert_eq!(of(NumberBins::Equal(4)).unwrap(), cuts(&[2.0, 5.0, 7.0]));
        assert_eq!(of(NumberBins::Starts(vec![1.0, 9.0])).unwrap(), cuts(&[1.0, 9.0]));
        for wrong in [
            NumberBins::Equal(1),
            NumberBins::Equal(11),
            NumberBins::Starts(vec![0.0]),
            NumberBins::Starts(vec![5.0, 3.0]),
        ] {
            assert!(of(wrong.clone()).is_err(), "{wrong:?}");
        }
        assert!(domain(0.0, 10.0, Some(5.0), Some(NumberBins::Equal(2))).declared(false).is_err());
    }

    #[test]
    fn what_is_no_domain_is_refused() {
        let refused = |min, max, step| domain(min, max, step, None).declared(false).unwrap_err().to_string();
        assert!(refused(1.0, 0.0, None).contains("min not above max"));
        assert!(refused(0.0, 1.0, Some(0.0)).contains("step above 0"));
        assert!(refused(0.0, 1.0, Some(0.3)).contains("whole number of steps"));
        assert!(refused(0.0, 1e7, None).contains("10000001 values"));
        assert!(refused(0.0, f64::NAN, None).contains("numbers"));
        assert!(refused(1.0 / 3.0, 1.0, None).contains("decimals"));
    }
}
