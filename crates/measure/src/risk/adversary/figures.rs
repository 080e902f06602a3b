//! What the adversary's guesses are worth, by the truth.

use schemars::JsonSchema;
use serde::Serialize;
use velamen_core::context::{Context, Interrupted};
use velamen_dp::{Seed, below};

use super::one_number::{NUMBERS, best};
use super::{Beliefs, Known, NONE, Sampled, Sight};

/// Real records of which the second adversary knows one in so many tenths.
const KNOWN_TENTHS: u64 = 3;
/// What the known records are drawn from: the same in every run, since a figure is no secret.
const KNOWN_SEED: u64 = 14;
/// Odds that differ by less, in proportion, are equal.
const ROUNDING: f64 = 1e-9;

/// How persons fare whose class has few real records, or few real people where these are counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, JsonSchema, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Matched {
    /// So many persons.
    pub persons: u64,
    /// How often the record that is picked for a person is the right one.
    pub right: f64,
    /// The same for who picks any record of the class: the mean of 1/m.
    pub by_chance: f64,
}

/// What the guesses are worth.
#[derive(Debug, Clone, Copy, Default, PartialEq, JsonSchema, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct AdversaryFigures {
    /// Counterfeits in the release.
    pub counterfeits: u64,
    /// How often a random counterfeit is thought more likely counterfeit than a random real record: ½ is chance.
    pub auc: Option<f64>,
    /// The same among the classes that can hold counterfeits.
    pub auc_where_possible: Option<f64>,
    /// The same among those of at most k + 6 records.
    pub auc_in_small_classes: Option<f64>,
    /// As `auc-where-possible`, if the adversary knows three in ten of the real records; the others are judged.
    pub auc_knowing_some: Option<f64>,
    /// As `auc-where-possible`, for somebody who counts: by the share of a value's row of the catalog among the records that it
    /// doubts, over the size of the class and over the records of the classes around it.
    pub auc_by_counting: Option<f64>,
    /// As `auc-where-possible`, for somebody who goes by one number of a class: its records, the room that its labels leave, the
    /// records that the release's own marginals lead to expect there, or the first over either; the one that separates best, from the
    /// end that does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub auc_by_one_number: Option<f64>,
    /// What the adversary expects of `auc-where-possible`, by beliefs that need the release alone.
    pub auc_expected: Option<f64>,
    /// Persons who are the only real record of their class, or the only person.
    pub alone: Matched,
    /// What is believed of their own record, on average, by an adversary who knows that they are alone.
    pub alone_posterior: f64,
    /// One by that.
    pub effective_k: Option<f64>,
    /// Persons in classes of fewer than k real records, or of fewer than k people.
    pub fewer_than_k: Matched,
    /// Whether a person can have several records: then persons are people, any record of whom is the right one. Areas are over
    /// records, of which a recipient sees no more.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub counts_people: bool,
    /// Records of classes that can hold counterfeits whose value has no row in the catalog: real for sure.
    pub surely_real: u64,
    /// Where only a sample is judged: what it is of. Persons are those of the sample.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sampled: Option<Sampled>,
}

impl AdversaryFigures {
    /// About how far chance moves an area, in standard errors of one: no area of so many counterfeits varies more.
    #[must_use]
    pub fn error_of(&self, area: f64) -> f64 {
        let judged = self.counterfeits as f64 * self.sampled.map_or(1.0, |sampled| sampled.share());
        (area * (1.0 - area) / judged.max(1.0)).sqrt()
    }
}

impl Sight {
    /// The figures, by the counterfeits of each cell ([`Sight::by_cell`]) and, where a person can have several records, by how many
    /// people the real records of each class of the release are of.
    ///
    /// # Errors
    /// [`Interrupted`].
    pub fn figures(
        &self,
        counterfeits: &[u64],
        people: Option<&[u64]>,
        context: &Context<'_>,
    ) -> Result<AdversaryFigures, Interrupted> {
        let ratios = self.ratios(context)?;
        let real = self.without(counterfeits);
        let known = self.known(&real);
        let (beliefs, knowing) = rayon::join(
            || self.scaled(&ratios, &self.nothing_known(), context),
            || self.scaled(&ratios, &known, context),
        );
        let (beliefs, knowing) = (beliefs?, knowing?);
        let unknown: Vec<u64> = real.iter().zip(&known.records).map(|(real, known)| real - known).collect();
        let possible = |class: usize| self.can_hold[class];
        let small = |class: usize| self.sizes[class] <= self.told.law.small();
        let auc = |beliefs: &Beliefs, real: &[u64], which: &dyn Fn(usize) -> bool, left_out: u64| {
            let cells = (0..self.cells.len()).filter(|&cell| which(self.cells[cell].class as usize));
            let cell = |cell: usize| {
                let weight = self.weight(self.cells[cell].class as usize);
                (beliefs.doubt[cell], counterfeits[cell] as f64, weight * real[cell] as f64)
            };
            let sure = (0.0, 0.0, self.sampled.map_or(0.0, |sampled| sampled.share()) * left_out as f64);
            area(cells.map(cell).chain([sure]).collect())
        };
        let left_out = self.sampled.map_or([0; 2], |sampled| sampled.left_out);
        let mut figures = AdversaryFigures {
            auc: auc(&beliefs, &real, &|_| true, left_out[0]),
            auc_where_possible: auc(&beliefs, &real, &possible, 0),
            auc_in_small_classes: auc(&beliefs, &real, &small, left_out[1]),
            auc_knowing_some: auc(&knowing, &unknown, &possible, 0),
            auc_expected: self.expected_by(&beliefs),
            counts_people: people.is_some(),
            ..self.counted(counterfeits)
        };
        self.match_persons(&beliefs, (&real, people), &mut figures);
        Ok(figures)
    }

    /// What who only counts gets, which needs no model: `auc-by-counting`, `auc-by-one-number` and the records that are surely real. The
    /// other areas are not known.
    #[must_use]
    pub fn counted(&self, counterfeits: &[u64]) -> AdversaryFigures {
        let real = self.without(counterfeits);
        let counted = self.by_counting();
        let possible = (0..self.cells.len()).filter(|&cell| self.can_hold[self.cells[cell].class as usize]);
        let counting = possible.map(|cell| (counted[cell], counterfeits[cell] as f64, real[cell] as f64));
        AdversaryFigures {
            counterfeits: self.rows.iter().sum(),
            auc_by_counting: area(counting.collect()),
            auc_by_one_number: self.by_one_number(counterfeits, &real),
            surely_real: self.undoubted,
            sampled: self.sampled,
            ..AdversaryFigures::default()
        }
    }

    /// What beliefs of another kind are worth: the area among the classes that can hold counterfeits, and the right records.
    pub(super) fn judge(
        &self,
        beliefs: &Beliefs,
        counterfeits: &[u64],
        people: Option<&[u64]>,
    ) -> AdversaryFigures {
        let real = self.without(counterfeits);
        let possible = (0..self.cells.len()).filter(|&cell| self.can_hold[self.cells[cell].class as usize]);
        let told = possible.map(|cell| (beliefs.doubt[cell], counterfeits[cell] as f64, real[cell] as f64));
        let mut figures = AdversaryFigures {
            counterfeits: self.rows.iter().sum(),
            auc_where_possible: area(told.collect()),
            counts_people: people.is_some(),
            sampled: self.sampled,
            ..AdversaryFigures::default()
        };
        self.match_persons(beliefs, (&real, people), &mut figures);
        figures
    }

    /// What the adversary expects of the area among the classes that can hold counterfeits, by the release alone.
    ///
    /// # Errors
    /// [`Interrupted`].
    pub fn expected_area(&self, context: &Context<'_>) -> Result<Option<f64>, Interrupted> {
        let ratios = self.ratios(context)?;
        Ok(self.expected_by(&self.scaled(&ratios, &self.nothing_known(), context)?))
    }

    fn expected_by(&self, beliefs: &Beliefs) -> Option<f64> {
        let cells = self.cells.iter().zip(&beliefs.doubt);
        let doubted = cells.filter(|(cell, _)| self.can_hold[cell.class as usize]);
        area(doubted.map(|(cell, doubt)| expected(cell.records, *doubt)).collect())
    }

    fn by_one_number(&self, counterfeits: &[u64], real: &[u64]) -> Option<f64> {
        let class = |cell: usize| self.cells[cell].class as usize;
        let doubted: Vec<usize> = (0..self.cells.len()).filter(|&cell| self.can_hold[class(cell)]).collect();
        let told = |number: usize, cell: usize| {
            (self.numbers[class(cell)][number], counterfeits[cell] as f64, real[cell] as f64)
        };
        best((0..NUMBERS).map(|number| area(doubted.iter().map(|&cell| told(number, cell)).collect())))
    }

    /// By cell the share of its row's counterfeits among the records that the row doubts, over the size of its class and over
    /// how populated its surroundings are.
    fn by_counting(&self) -> Vec<f64> {
        let can_be = |cell: &super::sight::Cell| cell.row != NONE && self.can_hold[cell.class as usize];
        let mut doubted = vec![0u64; self.rows.len()];
        self.cells
            .iter()
            .filter(|cell| can_be(cell))
            .for_each(|cell| doubted[cell.row as usize] += cell.records);
        let share = |row: usize| self.rows[row] as f64 * self.shares[row] / doubted[row].max(1) as f64;
        let of = |cell: &super::sight::Cell| {
            if can_be(cell) { share(cell.row as usize) / self.around(cell.class as usize) } else { 0.0 }
        };
        self.cells.iter().map(of).collect()
    }

    /// The records of a class, times how populated its surroundings are.
    fn around(&self, class: usize) -> f64 {
        self.sizes[class] as f64 * self.crowds[class].exp()
    }

    /// What a record of a class counts beside the judged ones: these are a sample, and others are not.
    fn weight(&self, class: usize) -> f64 {
        if self.can_hold[class] { 1.0 } else { self.sampled.map_or(1.0, |sampled| sampled.share()) }
    }

    /// Real records of doubtful classes, each known with the same probability.
    fn known(&self, real: &[u64]) -> Known {
        let mut stream = Seed::from_number(KNOWN_SEED).stream(0);
        let mut drawn = |(cell, &real): (&super::sight::Cell, &u64)| {
            let doubtful = if self.can_hold[cell.class as usize] { real } else { 0 };
            (0..doubtful).filter(|_| below(&mut stream, 10) < KNOWN_TENTHS).count() as u64
        };
        let records = self.cells.iter().zip(real).map(&mut drawn).collect();
        Known { records, share: KNOWN_TENTHS as f64 / 10.0 }
    }

    fn match_persons(
        &self,
        beliefs: &Beliefs,
        (real, people): (&[u64], Option<&[u64]>),
        figures: &mut AdversaryFigures,
    ) {
        let mut posteriors = 0.0;
        let [mut alone, mut fewer] = [Sums::default(); 2];
        for class in (0..self.classes()).filter(|&class| self.can_hold[class]) {
            let cells = self.first[class]..self.first[class + 1];
            let records: u64 = real[cells.clone()].iter().sum();
            let persons = people.map_or(records, |people| self.of_released(people, class));
            let picked = Picked::of(
                cells.map(|cell| (beliefs.odds[cell], self.cells[cell].records, real[cell])).collect(),
            );
            if persons > 0 && persons < self.told.law.k {
                fewer.add(persons, picked.real, (records, self.sizes[class]));
            }
            if persons == 1 {
                alone.add(persons, picked.real, (records, self.sizes[class]));
                posteriors += picked.posterior;
            }
        }
        figures.alone = alone.matched();
        figures.fewer_than_k = fewer.matched();
        if figures.alone.persons > 0 {
            figures.alone_posterior = posteriors / figures.alone.persons as f64;
            figures.effective_k = (posteriors > 0.0).then(|| 1.0 / figures.alone_posterior);
        }
    }
}

/// A score with the counterfeits and the real records that are expected by it.
fn expected(records: u64, doubt: f64) -> (f64, f64, f64) {
    (doubt, records as f64 * doubt, records as f64 * (1.0 - doubt))
}

/// Sums over persons.
#[derive(Clone, Copy, Default)]
struct Sums {
    persons: u64,
    right: f64,
    chance: f64,
}

impl Sums {
    /// A class: a record is picked for each of its persons, and is one of theirs with such a probability; so many of its records
    /// are real.
    fn add(&mut self, persons: u64, real: f64, (records, size): (u64, u64)) {
        self.persons += persons;
        // It is real with that probability, and then somebody's; the sum over all persons of whether it is theirs is:
        self.right += real;
        self.chance += records as f64 / size as f64;
    }

    fn matched(self) -> Matched {
        let share = |sum: f64| if self.persons == 0 { 0.0 } else { sum / self.persons as f64 };
        Matched { persons: self.persons, right: share(self.right), by_chance: share(self.chance) }
    }
}

/// What is picked in a class: one of the records of the least odds to be counterfeit.
struct Picked {
    /// The probability that it is real.
    real: f64,
    /// What is believed of the real ones, by who takes just one record for real.
    posterior: f64,
}

impl Picked {
    /// From odds, records and real records of each value.
    fn of(cells: Vec<(f64, u64, u64)>) -> Self {
        let least = cells.iter().map(|cell| cell.0).fold(f64::INFINITY, f64::min);
        let best = || cells.iter().filter(|cell| cell.0 <= least * (1.0 + ROUNDING));
        let sum = |what: &dyn Fn(&(f64, u64, u64)) -> f64| best().map(what).sum::<f64>();
        let real = sum(&|cell| cell.2 as f64) / sum(&|cell| cell.1 as f64).max(1.0);
        if least <= 0.0 {
            return Self { real, posterior: real };
        }
        let all: f64 = cells.iter().map(|cell| cell.1 as f64 / cell.0).sum();
        let own: f64 = cells.iter().map(|cell| cell.2 as f64 / cell.0).sum();
        Self { real, posterior: own / all }
    }
}

/// The area under the curve, from scores, counterfeits and real records; ties count half.
fn area(mut cells: Vec<(f64, f64, f64)>) -> Option<f64> {
    cells.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (mut above, mut below) = (0.0, 0.0);
    for tied in cells.chunk_by(|a, b| a.0 == b.0) {
        let fake: f64 = tied.iter().map(|cell| cell.1).sum();
        let real: f64 = tied.iter().map(|cell| cell.2).sum();
        above += fake * (below + real / 2.0);
        below += real;
    }
    let fakes: f64 = cells.iter().map(|cell| cell.1).sum();
    (fakes > 0.0 && below > 0.0).then(|| above / (fakes * below))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn areas_by_hand() {
        assert_eq!(area(vec![(0.1, 0.0, 2.0), (0.9, 1.0, 0.0)]), Some(1.0));
        assert_eq!(area(vec![(0.5, 3.0, 2.0)]), Some(0.5));
        // Of 2 × 3 pairs, one counterfeit is above two real ones and ties with none, the other is above none.
        assert_eq!(
            area(vec![(0.1, 1.0, 0.0), (0.2, 0.0, 2.0), (0.3, 1.0, 0.0), (0.4, 0.0, 1.0)]),
            Some(2.0 / 6.0)
        );
        assert_eq!(area(vec![(0.1, 0.0, 2.0)]), None);
    }

    #[test]
    fn picks_by_hand() {
        let picked = Picked::of(vec![(0.5, 2, 1), (2.0, 4, 0)]);
        assert!((picked.real - 0.5).abs() < 1e-12 && (picked.posterior - 2.0 / 6.0).abs() < 1e-12);
        let sure = Picked::of(vec![(0.0, 1, 1), (2.0, 4, 0)]);
        assert_eq!((sure.real, sure.posterior), (1.0, 1.0));
    }
}
