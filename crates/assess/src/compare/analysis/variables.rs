//! Attributes of both tables as numbers and shares of values.

use std::collections::{BTreeMap, BTreeSet};

use velamen_core::error::Problem;
use velamen_core::frequency::FrequencyTable;
use velamen_core::hierarchy::{NULL, sort_values};
use velamen_core::label::{number, position};
use velamen_dp::{Stream, below};
use velamen_job::published::Space;
use velamen_measure::fidelity::{Cover, Run};
use velamen_recipe::JobError;
use velamen_recipe::nearest::did_you_mean;

use super::super::TableWithRelease;
use super::super::sides::{ORIGINAL, RELEASED, Sides};
use super::fit::{self, MOST_VALUES};
use super::stated::Stated;

/// An attribute whose values have columns or groups has at most so many of them.
pub(super) const MOST_LEVELS: usize = 50;

/// What a cell says.
#[derive(Debug, Clone)]
pub(super) enum Cell {
    /// The missing value.
    Missing,
    /// Any value of the attribute.
    Hidden,
    /// Some values.
    Known(Known),
}

impl Cell {
    /// The values that it can be, where it shows them.
    pub(super) fn known(&self) -> Option<&Known> {
        match self {
            Self::Known(known) => Some(known),
            Self::Missing | Self::Hidden => None,
        }
    }

    /// Whether it shows none of the values that are asked for, levels or numbers.
    pub(super) fn is_hidden(&self, levels: bool) -> bool {
        match self {
            Self::Missing => false,
            Self::Hidden => true,
            Self::Known(known) if levels => known.levels.is_empty(),
            Self::Known(known) => known.number.is_none(),
        }
    }
}

/// The values that a cell can be.
#[derive(Debug, Clone)]
pub(super) struct Known {
    /// The middle of its numbers, and the lowest and highest of them.
    pub(super) number: Option<[f64; 3]>,
    /// The levels it can be, each with its share; of an attribute of few values.
    pub(super) levels: Vec<(usize, f64)>,
    /// What it covers, where that is more than one value.
    cover: Option<Cover>,
    /// Its place, where that is one.
    place: Option<u64>,
}

/// An attribute of both tables.
pub(super) struct Variable {
    pub(super) name: String,
    /// Whether its values are numbers.
    pub(super) numeric: bool,
    /// The values of the original in their order, where these are few.
    pub(super) levels: Option<Vec<String>>,
    /// Places of the levels.
    places: BTreeMap<u64, usize>,
    space: Space,
    /// By side and code.
    pub(super) cells: [Vec<Cell>; 2],
    /// The release's cells by the shares that its values have, where these were estimated.
    pub(super) fitted: Vec<Cell>,
    /// These shares, by place.
    shares: Vec<f64>,
}

impl Variable {
    /// The number at a place, and its level.
    pub(super) fn at_place(&self, place: u64) -> Known {
        let number = (place < self.space.numbers()).then(|| [self.space.number(place); 3]);
        let levels = self.places.get(&place).map(|level| (*level, 1.0)).into_iter().collect();
        Known { number, levels, cover: None, place: Some(place) }
    }

    /// The runs of numbers, or of levels, that a cell covers more than one of.
    fn choices(&self, known: &Known) -> Option<Vec<Run>> {
        let cover = known.cover.as_ref()?;
        if self.numeric {
            let last = self.space.numbers();
            let runs = cover.runs().iter().filter(|run| run.first < last);
            return Some(runs.map(|run| Run { first: run.first, last: run.last.min(last - 1) }).collect());
        }
        let levels = self.places.keys().filter(|place| cover.share(&[Run::point(**place)]) > 0.0);
        Some(levels.map(|place| Run::point(*place)).collect())
    }

    /// Estimates how the release's values lie within its ranges and sets.
    fn fit(&mut self, codes: &[u32], weights: &[f64]) {
        let cells = &self.cells[RELEASED];
        let values = if self.numeric { self.space.numbers() } else { self.space.places() };
        self.fitted = cells.clone();
        if values > MOST_VALUES {
            return;
        }
        let mut counts = vec![0.0; cells.len()];
        codes.iter().zip(weights).for_each(|(code, weight)| counts[*code as usize] += weight);
        let runs = |cell: &Cell| self.runs(cell.known()?).filter(|runs| !runs.is_empty());
        let groups: Vec<(Vec<Run>, f64)> =
            cells.iter().zip(&counts).filter_map(|(cell, count)| Some((runs(cell)?, *count))).collect();
        let shares = fit::shares(values, &groups);
        let fitted = cells.iter().map(|cell| match cell {
            Cell::Known(known) if known.cover.is_some() => Cell::Known(self.weighed(known, &shares)),
            other => other.clone(),
        });
        let fitted = fitted.collect();
        self.fitted = fitted;
        self.shares = shares;
    }

    /// The places that a cell can be, as runs: of a single value that one.
    fn runs(&self, known: &Known) -> Option<Vec<Run>> {
        match self.choices(known) {
            Some(runs) => Some(runs),
            None => Some(vec![Run::point(known.place?)]),
        }
    }

    /// A cell of several values by their shares.
    fn weighed(&self, known: &Known, shares: &[f64]) -> Known {
        let runs = self.choices(known).unwrap_or_default();
        let places = || runs.iter().flat_map(|run| run.first..=run.last);
        let all: f64 = places().map(|place| shares[place as usize]).sum();
        if all <= 0.0 {
            return known.clone();
        }
        let share = |place: u64| shares[place as usize] / all;
        let number = known.number.map(|[_, low, high]| {
            [places().map(|place| share(place) * self.space.number(place)).sum(), low, high]
        });
        let level = |place: u64| Some((*self.places.get(&place)?, share(place)));
        let mut levels: Vec<(usize, f64)> = places().filter_map(level).collect();
        let known_levels: f64 = levels.iter().map(|(_, share)| share).sum();
        levels.iter_mut().for_each(|(_, share)| *share /= known_levels);
        Known { number, levels, cover: known.cover.clone(), place: None }
    }

    /// A random place of those that a cell covers; `None` where it covers one alone.
    pub(super) fn draw(&self, known: &Known, stream: &mut Stream) -> Option<u64> {
        let runs = self.choices(known).filter(|runs| !runs.is_empty())?;
        let places = || runs.iter().flat_map(|run| run.first..=run.last);
        let share = |place: u64| self.shares.get(place as usize).copied().unwrap_or(0.0);
        let all: f64 = if self.shares.is_empty() { 0.0 } else { places().map(share).sum() };
        if all <= 0.0 {
            let mut at = below(stream, runs.iter().map(|run| run.places()).sum());
            for run in &runs {
                if at < run.places() {
                    return Some(run.first + at);
                }
                at -= run.places();
            }
            return None;
        }
        // 2⁻⁵³ of a share is all that the division can be off by.
        let mut left = (stream.word() >> 11) as f64 / (1u64 << 53) as f64 * all;
        let mut last = None;
        for place in places().filter(|place| share(*place) > 0.0) {
            last = Some(place);
            left -= share(place);
            if left < 0.0 {
                break;
            }
        }
        last
    }

    fn released(&self, label: &str, cover: &Cover) -> Cell {
        if cover.leaf().is_some_and(|leaf| Some(leaf) == self.space.missing()) {
            return Cell::Missing;
        }
        if let Some(exact) = number(label).filter(|_| self.numeric) {
            let levels = cover.leaf().and_then(|leaf| self.places.get(&leaf)).map(|level| (*level, 1.0));
            return Cell::Known(Known {
                number: Some([exact; 3]),
                levels: levels.into_iter().collect(),
                cover: None,
                place: cover.leaf(),
            });
        }
        if covers_all(&self.space, cover) {
            return Cell::Hidden;
        }
        if let Some(leaf) = cover.leaf() {
            return Cell::Known(self.at_place(leaf));
        }
        let number = self.space.mean(cover).filter(|_| self.numeric).map(|middle| {
            let runs = || cover.runs().iter().filter(|run| run.first < self.space.numbers());
            let low = runs().map(|run| self.space.number(run.first)).next().unwrap_or(middle);
            let mut high = runs().map(|run| self.space.number(run.last.min(self.space.numbers() - 1)));
            [middle, low, high.next_back().unwrap_or(middle)]
        });
        let levels = self.shares(cover);
        if number.is_none() && levels.is_empty() {
            return Cell::Hidden;
        }
        Cell::Known(Known { number, levels, cover: Some(cover.clone()), place: None })
    }

    /// Equal shares of the levels that a set covers.
    fn shares(&self, cover: &Cover) -> Vec<(usize, f64)> {
        let covered = self.places.iter().filter(|(place, _)| cover.share(&[Run::point(**place)]) > 0.0);
        let covered: Vec<usize> = covered.map(|(_, level)| *level).collect();
        covered.iter().map(|level| (*level, 1.0 / covered.len() as f64)).collect()
    }

    fn original(&self, label: &str) -> Cell {
        if label == NULL {
            return Cell::Missing;
        }
        let cover = self.space.leaf(label);
        let number = number(label).or_else(|| match &cover {
            Some(cover) => self.space.mean(cover),
            None => position(label),
        });
        let level = self.levels.as_ref().and_then(|levels| levels.iter().position(|level| level == label));
        Cell::Known(Known {
            number: number.filter(|_| self.numeric).map(|number| [number; 3]),
            levels: level.map(|level| (level, 1.0)).into_iter().collect(),
            cover: None,
            place: None,
        })
    }
}

/// Whether a value may be any of the attribute's, the missing one aside.
fn covers_all(space: &Space, cover: &Cover) -> bool {
    let given = space.places() - u64::from(space.missing().is_some());
    let missing = space.missing().map_or(0.0, |place| cover.share(&[Run::point(place)]));
    let covered = (cover.share(&[Run { first: 0, last: u64::MAX }]) - missing) / cover.density();
    given > 1 && covered >= given as f64 - 0.5
}

/// Both tables by variable and row.
pub(super) struct Variables {
    pub(super) variables: Vec<Variable>,
    /// By side: codes by variable and row, records by row, and the weight of one.
    pub(super) tables: [Rows; 2],
    /// The names of all.
    known: Vec<String>,
}

/// The rows of one table.
#[derive(Default)]
pub(super) struct Rows {
    pub(super) codes: Vec<Vec<u32>>,
    pub(super) counts: Vec<f64>,
    pub(super) weights: Vec<f64>,
}

impl Variables {
    /// Of these attributes; `raw` is the original as it is, without hierarchies.
    pub(super) fn new(
        pair: &TableWithRelease<'_>,
        sides: Sides,
        raw: &FrequencyTable,
    ) -> Result<Self, JobError> {
        let release = &pair.published.release;
        let mut found = Self { variables: Vec::new(), tables: Default::default(), known: Vec::new() };
        let [_, mut released] = sides.tables;
        for (a, attribute) in sides.attributes.into_iter().enumerate() {
            let Some((labels, codes)) = raw_column(raw, &attribute.name) else { continue };
            let column = release.rest.columns.iter().find(|column| column.name == attribute.name);
            let column = column.expect("the release has its attributes");
            let [_, covers] = attribute.covers;
            let mut variable = Variable {
                numeric: attribute.space.numbers() > 0,
                levels: levels(&labels),
                places: BTreeMap::new(),
                space: attribute.space,
                cells: Default::default(),
                fitted: Vec::new(),
                shares: Vec::new(),
                name: attribute.name,
            };
            variable.places = places(&variable);
            let originals = labels.iter().map(|label| variable.original(label)).collect();
            let covered = column.values.iter().zip(&covers);
            let releases = covered.map(|(label, cover)| variable.released(label, cover)).collect();
            variable.cells = [originals, releases];
            found.known.push(variable.name.clone());
            found.variables.push(variable);
            found.tables[ORIGINAL].codes.push(codes);
            found.tables[RELEASED].codes.push(std::mem::take(&mut released.codes[a]));
        }
        found.tables[ORIGINAL].counts = raw.counts.iter().map(|&count| count as f64).collect();
        found.tables[ORIGINAL].weights = vec![1.0; raw.counts.len()];
        let mut counts = vec![0.0; release.rest.len];
        for row in &release.rows {
            counts[row.rest as usize] += row.count as f64;
        }
        let weight = |(real, count): (&f64, &f64)| if *count > 0.0 { real / count } else { 0.0 };
        found.tables[RELEASED].weights = released.weights.iter().zip(&counts).map(weight).collect();
        found.tables[RELEASED].counts = counts;
        for (variable, codes) in found.variables.iter_mut().zip(&found.tables[RELEASED].codes) {
            variable.fit(codes, &released.weights);
        }
        Ok(found)
    }

    /// The variable of a name.
    pub(super) fn find(&self, name: &str, stated: &Stated) -> Result<usize, JobError> {
        self.variables.iter().position(|variable| variable.name == name).ok_or_else(|| {
            let problem =
                format!("attribute `{name}` is not among those that the release has of its original");
            let near = did_you_mean(name, self.known.iter().map(String::as_str));
            let expected = format!("one of {}", self.known.join(", "));
            stated.refuse(Problem::new(problem).expected(expected).mend_if(near))
        })
    }
}

/// Labels and codes of a column of the original.
fn raw_column(raw: &FrequencyTable, name: &str) -> Option<(Vec<String>, Vec<u32>)> {
    if let Some(q) = raw.qis.iter().position(|qi| qi.name == name) {
        return Some((raw.qis[q].hierarchy.labels(0).to_vec(), raw.codes[q].clone()));
    }
    let column = raw.rest.position(name)?;
    let codes = &raw.rest.codes[column];
    let of_entries = raw.rest_index.iter().map(|&rest| codes[rest as usize]).collect();
    Some((raw.rest.columns[column].values.clone(), of_entries))
}

/// The values of the original, where they are few.
fn levels(labels: &[String]) -> Option<Vec<String>> {
    let given: BTreeSet<&String> = labels.iter().filter(|label| *label != NULL).collect();
    let mut levels: Vec<String> = given.into_iter().cloned().collect();
    sort_values(&mut levels);
    (levels.len() <= MOST_LEVELS).then_some(levels)
}

/// The places of the levels, of those that are one leaf.
fn places(variable: &Variable) -> BTreeMap<u64, usize> {
    let levels = variable.levels.iter().flatten().enumerate();
    levels.filter_map(|(at, level)| Some((variable.space.leaf(level)?.leaf()?, at))).collect()
}
