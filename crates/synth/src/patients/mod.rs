//! Made-up patients in the tables of the OMOP common data model 5.4: some 20 rows a person, in linked tables.
//!
//! Diagnoses come from a tree of the shape of ICD-10: 2,623 leaves under 780 categories, 190 blocks and 21 chapters. Some leaves
//! have a second category, as concepts of SNOMED have. A person has 6.5 of them on average and 1 % of the persons more than 27;
//! a few are common and most are rare; half of a person's come from two blocks of that person. Drugs follow from diagnoses,
//! and both from age and sex. All concepts of diagnoses, drugs, procedures, measurements and observations are invented; those
//! of sex, race, visits and units are the standard's own.
//!
//! There is also what must not survive a release: names of patients and providers in notes and free text, addresses, record
//! numbers, source values finer than the concept, and the day of birth.
//!
//! A folder is a function of its number of persons and its seed. Block b of [`BLOCK`] persons is drawn from stream b of the
//! seed and from nothing else, so that a folder of any size needs the memory of one block. A shorter one is the
//! beginning of a longer one.
//!
//! # Example
//! ```
//! use velamen_dp::Seed;
//! use velamen_synth::patients::{Omop, TABLES, Table};
//!
//! let omop = Omop::new(100, &Seed::from_number(1));
//! let mut text = format!("{}\n", Table::Person.header()).into_bytes();
//! text.extend(omop.once(Table::Person));
//! for index in 0..omop.blocks() {
//!     text.extend(omop.block(index).of(Table::Person));
//! }
//! assert_eq!(text.iter().filter(|&&byte| byte == b'\n').count(), 101);
//! assert_eq!(TABLES[0].file(), "PERSON.csv");
//! ```

mod calendar;
mod chart;
mod codes;
mod exchange;
mod names;
mod places;
mod row;
mod rows;
mod table;
mod vocabulary;

use velamen_dp::Seed;

use chart::Chart;
use exchange::Form;
pub use exchange::{KINDS, SYNTHEA};
use rows::Writer;
pub use table::{TABLES, Table};

/// Persons of a full block.
pub const BLOCK: u64 = 4096;

/// A folder of made-up patients.
#[derive(Debug, Clone)]
pub struct Omop {
    persons: u64,
    seed: Seed,
}

/// The rows of a block, table by table.
#[derive(Debug, Clone)]
pub struct Rows(Vec<Vec<u8>>);

impl Rows {
    /// A table's rows as CSV without the header; none of tables that are written once.
    #[must_use]
    pub fn of(&self, table: Table) -> &[u8] {
        &self.0[table as usize]
    }
}

impl Omop {
    /// The folder of so many persons that follows from the seed. Nothing is drawn yet.
    #[must_use]
    pub fn new(persons: u64, seed: &Seed) -> Self {
        Self { persons, seed: seed.clone() }
    }

    /// How many persons there are.
    #[must_use]
    pub fn persons(&self) -> u64 {
        self.persons
    }

    /// How many blocks there are: the last one may have fewer than [`BLOCK`] persons.
    #[must_use]
    pub fn blocks(&self) -> u64 {
        self.persons.div_ceil(BLOCK)
    }

    /// The rows of a table that no person is in, as CSV without the header: the vocabulary, providers, places and the source.
    /// They depend on neither the seed nor the number of persons. None of the other tables.
    #[must_use]
    pub fn once(&self, table: Table) -> Vec<u8> {
        match table {
            Table::Provider => places::providers(),
            Table::CareSite => places::care_sites(),
            Table::Location => places::locations(),
            Table::CdmSource => places::source(),
            Table::Concept => vocabulary::concepts(),
            Table::ConceptRelationship => vocabulary::relationships(),
            Table::ConceptAncestor => vocabulary::ancestors(),
            _ => Vec::new(),
        }
    }

    /// The rows of block `index`, from 0; none beyond the last block.
    #[must_use]
    pub fn block(&self, index: u64) -> Rows {
        let before = index.saturating_mul(BLOCK);
        let persons = self.persons.saturating_sub(before).min(BLOCK);
        let mut stream = self.seed.stream(index);
        let mut writer = Writer::new(index);
        for person in 0..persons {
            writer.write(before + person + 1, &Chart::draw(&mut stream), &mut stream);
        }
        Rows(writer.end())
    }

    /// Persons of block `index` as resources of FHIR R4, one a line, by kind as in [`KINDS`]. They are drawn as those of
    /// [`Omop::block`] are, and are others.
    #[must_use]
    pub fn fhir(&self, index: u64) -> Vec<Vec<u8>> {
        self.exchanged(index, Form::Fhir)
    }

    /// The same as rows of Synthea's CSV folder without the headers, by table as in [`SYNTHEA`].
    #[must_use]
    pub fn synthea(&self, index: u64) -> Vec<Vec<u8>> {
        self.exchanged(index, Form::Synthea)
    }

    fn exchanged(&self, index: u64, form: Form) -> Vec<Vec<u8>> {
        let before = index.saturating_mul(BLOCK);
        let persons = self.persons.saturating_sub(before).min(BLOCK);
        let mut stream = self.seed.stream(index);
        let mut writer = exchange::Writer::new(index, form);
        for _ in 0..persons {
            let chart = Chart::draw(&mut stream);
            writer.write(&chart, &mut stream);
        }
        let mut files = writer.end();
        if let Some(last) = files.last_mut().filter(|_| index == 0) {
            *last = exchange::providers(form, places::PROVIDERS);
        }
        files
    }
}

#[cfg(test)]
mod tests;
