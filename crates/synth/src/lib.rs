//! A synthetic national patient sample ("nps"): any number of invented records with the shape of real ones.
//!
//! Health data that could show how well a release protects and how much it keeps may not be passed on. So
//! the benchmarks, the examples and the tests of this workspace draw their own: [`Nps`] gives microdata
//! with six attributes. Their frequencies of age, sex and stroke follow the [published] figures of a
//! national patient sample. All other frequencies are made up to be as skewed and as correlated as
//! diagnoses are. No record stems from a person.
//!
//! A sample is a function of its number of rows and its seed. Block b of 65 536 records is drawn from
//! stream b of the seed and from nothing else: blocks can be made in any order, by any number of threads
//! and one at a time, so that a sample of any length needs the memory of one block.
#![warn(missing_docs, unreachable_pub)]

mod alias;
mod categories_a_j;
mod categories_k_z;
mod category;
mod chapters;
mod csv;
mod curves;
mod demography;
mod diagnosis;
mod geography;
mod habits;
mod hierarchy;
mod model;
pub mod patients;
pub mod published;
mod stay;
mod stroke;

use std::sync::LazyLock;

use velamen_dp::{Seed, below};

pub use csv::{append_csv, csv_header};
pub use hierarchy::{Hierarchy, SampleMethod, hierarchies, recipe};
use model::MODEL;
use stay::STAYS;

/// The attributes, in the order of the columns. The first five are quasi-identifiers, the last is the
/// sensitive attribute.
pub const COLUMNS: [&str; 6] = ["age", "sex", "length_of_stay", "location", "surgery", "diagnosis"];

/// The columns of whole numbers; the others are of texts.
pub const NUMBERS: [&str; 2] = ["age", "length_of_stay"];

/// Records of a full block.
pub const BLOCK: u64 = 65_536;

/// Ages are 0..AGES years.
const AGES: usize = 100;

/// Men and women.
const SEXES: usize = 2;

/// A synthetic sample of a given size.
///
/// # Example
/// ```
/// use velamen_dp::Seed;
/// use velamen_synth::{Nps, append_csv, csv_header};
///
/// let sample = Nps::new(100_000, &Seed::from_number(42));
/// let mut csv = csv_header().as_bytes().to_vec();
/// for index in 0..sample.blocks() {
///     append_csv(&sample.block(index), &mut csv);
/// }
/// assert!(csv.starts_with(b"age,sex,length_of_stay,location,surgery,diagnosis\n"));
/// assert_eq!(csv.iter().filter(|&&byte| byte == b'\n').count(), 100_001);
/// ```
#[derive(Debug, Clone)]
pub struct Nps {
    rows: u64,
    seed: Seed,
    distinct: bool,
}

impl Nps {
    /// The sample of `rows` records that follows from `seed`. Nothing is drawn yet.
    #[must_use]
    pub fn new(rows: u64, seed: &Seed) -> Self {
        Self { rows, seed: seed.clone(), distinct: false }
    }

    /// The same with every length of stay equally likely, so that most records are distinct: a hard table for benchmarks.
    /// All other values stay those of the sample.
    #[must_use]
    pub fn distinct(self) -> Self {
        Self { distinct: true, ..self }
    }

    /// Number of records.
    #[must_use]
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Number of blocks: the last one may have fewer than [`BLOCK`] records.
    #[must_use]
    pub fn blocks(&self) -> u64 {
        self.rows.div_ceil(BLOCK)
    }

    /// The records of block `index`, from 0; none beyond the last block.
    ///
    /// A shorter sample of the same seed is the beginning of a longer one.
    #[must_use]
    pub fn block(&self, index: u64) -> Vec<Record> {
        let records = self.rows.saturating_sub(index.saturating_mul(BLOCK)).min(BLOCK);
        let model = &*MODEL;
        let mut stream = self.seed.stream(index);
        let mut records: Vec<Record> = (0..records).map(|_| model.draw(&mut stream)).collect();
        if self.distinct {
            records
                .iter_mut()
                .for_each(|record| record.length_of_stay = below(&mut stream, STAYS as u64) as u8);
        }
        records
    }
}

/// One record, as the codes of its values: eight bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Record {
    age: u8,
    sex: u8,
    length_of_stay: u8,
    surgery: u8,
    location: u16,
    diagnosis: u16,
}

impl Record {
    /// Age in whole years, 0 to 99.
    #[must_use]
    pub fn age(self) -> u8 {
        self.age
    }

    /// `M` or `F`.
    #[must_use]
    pub fn sex(self) -> &'static str {
        &labels()[1][usize::from(self.sex)]
    }

    /// Length of stay in whole days, 0 to 111; 0 is a visit.
    #[must_use]
    pub fn length_of_stay(self) -> u8 {
        self.length_of_stay
    }

    /// The district: four digits, the first two of which are the province.
    #[must_use]
    pub fn location(self) -> &'static str {
        &labels()[3][usize::from(self.location)]
    }

    /// Whether there was surgery: `N` or `Y`.
    #[must_use]
    pub fn surgery(self) -> &'static str {
        &labels()[4][usize::from(self.surgery)]
    }

    /// The diagnosis: a three-character category of ICD-10.
    #[must_use]
    pub fn diagnosis(self) -> &'static str {
        &labels()[5][usize::from(self.diagnosis)]
    }

    /// The codes of the values in the order of [`COLUMNS`]; [`labels`] says what they stand for.
    #[must_use]
    pub fn codes(self) -> [u16; 6] {
        let [age, sex, stay, surgery] =
            [self.age, self.sex, self.length_of_stay, self.surgery].map(u16::from);
        [age, sex, stay, self.location, surgery, self.diagnosis]
    }
}

/// The labels of all values that can occur, by column and code.
#[must_use]
pub fn labels() -> &'static [Vec<String>; 6] {
    static LABELS: LazyLock<[Vec<String>; 6]> = LazyLock::new(|| {
        let numbers = |count: usize| (0..count).map(|number| number.to_string()).collect();
        let words = |words: [&str; 2]| words.map(str::to_owned).to_vec();
        let diagnoses = diagnosis::categories().map(|category| category.code.to_owned()).collect();
        [numbers(AGES), words(["M", "F"]), numbers(STAYS), geography::codes(), words(["N", "Y"]), diagnoses]
    });
    &LABELS
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn distinct_samples_differ_in_the_length_of_stay_alone() {
        let sample = Nps::new(60_000, &Seed::from_number(1));
        let (usual, hard) = (sample.block(0), sample.distinct().block(0));
        let without = |record: &Record| Record { length_of_stay: 0, ..*record };
        assert!(usual.iter().map(without).eq(hard.iter().map(without)));
        let different = |records: &[Record]| records.iter().collect::<BTreeSet<_>>().len() as f64 / 60_000.0;
        assert!(
            different(&hard) > 0.98 && different(&usual) < 0.95,
            "{} {}",
            different(&hard),
            different(&usual)
        );
        let long = hard.iter().filter(|record| usize::from(record.length_of_stay) >= STAYS / 2).count();
        assert!((28_000..32_000).contains(&long), "{long}");
    }
}
