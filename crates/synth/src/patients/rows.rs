//! A person's history as rows of the tables.

use velamen_dp::{Stream, below};

use super::BLOCK;
use super::calendar::date;
use super::chart::{Chart, Visit};
use super::codes::{CODES, CONDITIONS, DRUGS, Domain, MEASUREMENTS, OBSERVATIONS, PROCEDURES};
use super::names::anybody;
use super::row::Row;
use super::table::{TABLES, Table};

/// Rows of one table that a person has at most: keys of different blocks never meet.
const MOST: u64 = 512;

/// The type of all records: from an electronic health record.
const EHR: u32 = 32_817;

const RACES: [(u32, &str); 4] = [(8527, "white"), (8516, "black"), (8515, "asian"), (8522, "other")];

const VISITS: [u32; 3] = [9202, 9203, 9201];

const UNITS: [(u32, &str); 4] = [(8840, "mg/dL"), (8876, "mm[Hg]"), (9529, "kg"), (8554, "%")];

const REMARKS: [&str; 6] =
    ["lives alone", "never smoked", "smokes, 10 a day", "walks with a stick", "retired", "works at night"];

/// Writes the tables of one block.
pub(super) struct Writer {
    tables: Vec<Vec<u8>>,
    keys: Vec<u64>,
}

/// Whose row it is, at which visit, and when.
#[derive(Clone, Copy)]
struct At<'a> {
    person: u64,
    visit: &'a Visit,
    key: u64,
    minute: u32,
}

impl Writer {
    pub(super) fn new(block: u64) -> Self {
        Self { tables: vec![Vec::new(); TABLES.len()], keys: vec![block * BLOCK * MOST; TABLES.len()] }
    }

    pub(super) fn end(self) -> Vec<Vec<u8>> {
        self.tables
    }

    /// A row of a table.
    fn row(&mut self, table: Table) -> Row<'_> {
        Row::new(&mut self.tables[table as usize])
    }

    /// A row of a table, which begins with a key of its own.
    fn keyed(&mut self, table: Table) -> Row<'_> {
        self.keys[table as usize] += 1;
        let key = self.keys[table as usize];
        self.row(table).number(key)
    }

    pub(super) fn write(&mut self, person: u64, chart: &Chart, stream: &mut Stream) {
        self.person(person, chart, stream);
        let first = chart.visits.first().map_or(0, |visit| visit.day);
        let last = chart.visits.iter().map(|visit| visit.day + visit.nights).max().unwrap_or(first);
        self.keyed(Table::ObservationPeriod).number(person).day(first).day(last).number(EHR).end();
        let before = self.keys[Table::VisitOccurrence as usize];
        for (number, visit) in chart.visits.iter().enumerate() {
            let minute = 8 * 60 + below(stream, 600) as u32;
            let at = At { person, visit, key: before + number as u64 + 1, minute };
            self.visit(at, number > 0);
            self.at_visit(at, chart, number, stream);
        }
        if let Some(day) = chart.died {
            self.death(person, day, chart, stream);
        }
    }

    fn person(&mut self, person: u64, chart: &Chart, stream: &mut Stream) {
        let (year, month, day) = date(chart.born);
        let (race, race_source) = RACES[chart.race];
        let (ethnicity, ethnicity_source) =
            if chart.hispanic { (38_003_563, "hispanic") } else { (38_003_564, "nonhispanic") };
        let site = chart.visits.first().map_or(1, |visit| visit.care_site + 1);
        let record = stream.word() >> 16;
        self.row(Table::Person)
            .number(person)
            .number(if chart.woman { 8532_u32 } else { 8507 })
            .numbers([year as u32, month, day])
            .time(chart.born, 0)
            .numbers([race, ethnicity, chart.location + 1, chart.provider + 1, site])
            .text(&format!("MRN-{record:012x}"))
            .text(if chart.woman { "F" } else { "M" })
            .number(0_u32)
            .text(race_source)
            .number(0_u32)
            .text(ethnicity_source)
            .number(0_u32)
            .end();
    }

    fn visit(&mut self, at: At<'_>, again: bool) {
        let visit = at.visit;
        let row = self
            .keyed(Table::VisitOccurrence)
            .number(at.person)
            .number(VISITS[visit.kind])
            .moment(visit.day, at.minute)
            .moment(visit.day + visit.nights, at.minute + 30)
            .numbers([EHR, visit.provider + 1, visit.care_site + 1])
            .text(&format!("V{:010}", at.key * 7919 % 9_999_999_967))
            .numbers([0, 0])
            .empty(1)
            .number(0_u32)
            .empty(1);
        if again { row.number(at.key - 1).end() } else { row.empty(1).end() }
    }

    /// What was found and done at a visit.
    fn at_visit(&mut self, at: At<'_>, chart: &Chart, number: usize, stream: &mut Stream) {
        for &(condition, _) in chart.conditions.iter().filter(|&&(_, visit)| visit == number) {
            self.condition(at, condition, stream);
            if below(stream, 100) < 40 {
                self.drug(at, CODES.drug(condition, stream), stream);
            }
        }
        if below(stream, 100) < 20 {
            self.procedure(at, CODES.procedure(stream));
        }
        if below(stream, 100) < 20 {
            (0..3).for_each(|_| self.measurement(at, CODES.measurement(stream), stream));
        }
        if below(stream, 100) < 20 {
            self.observation(at, CODES.observation(stream), stream);
        }
        if below(stream, 100) < 3 {
            self.note(at, stream);
        }
    }

    fn condition(&mut self, at: At<'_>, condition: u32, stream: &mut Stream) {
        let day = at.visit.day;
        let ends = below(stream, 3) > 0;
        let end = day + at.visit.nights.min(below(stream, 30) as i32);
        let row = self
            .keyed(Table::ConditionOccurrence)
            .number(at.person)
            .number(CONDITIONS.concept(condition))
            .moment(day, at.minute);
        let row = if ends { row.moment(end, at.minute) } else { row.empty(2) };
        row.numbers([EHR, 0])
            .empty(1)
            .number(at.visit.provider + 1)
            .number(at.key)
            .empty(1)
            .text(&finer(&CONDITIONS, condition, stream))
            .number(CONDITIONS.concept(condition))
            .empty(1)
            .end();
    }

    fn drug(&mut self, at: At<'_>, drug: u32, stream: &mut Stream) {
        let day = at.visit.day;
        let days = [7, 14, 30, 90][below(stream, 4) as usize];
        let end = day + at.visit.nights;
        self.keyed(Table::DrugExposure)
            .number(at.person)
            .number(DRUGS.concept(drug))
            .moment(day, at.minute)
            .moment(end, at.minute)
            .day(end)
            .number(EHR)
            .empty(1)
            .numbers([below(stream, 4) as u32, days, days])
            .text("one tablet, twice a day")
            .number(0_u32)
            .text(&format!("L{:06}", below(stream, 1_000_000)))
            .number(at.visit.provider + 1)
            .number(at.key)
            .empty(1)
            .text(&finer(&DRUGS, drug, stream))
            .number(DRUGS.concept(drug))
            .text("oral")
            .text("mg")
            .end();
    }

    fn procedure(&mut self, at: At<'_>, procedure: u32) {
        let day = at.visit.day;
        self.keyed(Table::ProcedureOccurrence)
            .number(at.person)
            .number(PROCEDURES.concept(procedure))
            .moment(day, at.minute)
            .moment(day, at.minute + 20)
            .numbers([EHR, 0, 1, at.visit.provider + 1])
            .number(at.key)
            .empty(1)
            .text(&PROCEDURES.code(procedure))
            .number(PROCEDURES.concept(procedure))
            .empty(1)
            .end();
    }

    fn measurement(&mut self, at: At<'_>, code: u32, stream: &mut Stream) {
        let (unit, unit_source) = UNITS[code as usize % UNITS.len()];
        let middle = 300 + code * 35;
        let spread: u64 = (0..4).map(|_| below(stream, u64::from(middle) / 4)).sum();
        // One in two thousand is extreme.
        let value = (middle / 2 + spread as u32) * if below(stream, 2000) == 0 { 10 } else { 1 };
        let day = at.visit.day;
        self.keyed(Table::Measurement)
            .number(at.person)
            .number(MEASUREMENTS.concept(code))
            .moment(day, at.minute)
            .text(&format!("{:02}:{:02}", at.minute / 60, at.minute % 60))
            .numbers([EHR, 0])
            .tenths(value)
            .numbers([0, unit])
            .tenths(middle * 3 / 4)
            .tenths(middle * 5 / 4)
            .number(at.visit.provider + 1)
            .number(at.key)
            .empty(1)
            .text(&MEASUREMENTS.code(code))
            .number(MEASUREMENTS.concept(code))
            .text(unit_source)
            .empty(1)
            .tenths(value)
            .empty(2)
            .end();
    }

    fn observation(&mut self, at: At<'_>, code: u32, stream: &mut Stream) {
        let remark = match below(stream, 100) {
            0 => format!("brought in by {}", anybody(stream)),
            other => REMARKS[other as usize % REMARKS.len()].to_owned(),
        };
        self.keyed(Table::Observation)
            .number(at.person)
            .number(OBSERVATIONS.concept(code))
            .moment(at.visit.day, at.minute)
            .number(EHR)
            .empty(1)
            .text(&remark)
            .numbers([0, 0, 0, at.visit.provider + 1])
            .number(at.key)
            .empty(1)
            .text(&OBSERVATIONS.code(code))
            .number(OBSERVATIONS.concept(code))
            .empty(2)
            .text(&remark)
            .empty(2)
            .end();
    }

    fn note(&mut self, at: At<'_>, stream: &mut Stream) {
        let name = anybody(stream);
        let text = format!("Seen today: {name}, phone 555-{:04}.\nSays \"better\".", below(stream, 10_000));
        self.keyed(Table::Note)
            .number(at.person)
            .moment(at.visit.day, at.minute)
            .numbers([EHR, 0])
            .text("Progress note")
            .text(&text)
            .numbers([0, 0, at.visit.provider + 1])
            .number(at.key)
            .empty(1)
            .text("note")
            .empty(2)
            .end();
    }

    fn death(&mut self, person: u64, day: i32, chart: &Chart, stream: &mut Stream) {
        let causes = chart.conditions.len() as u64;
        let cause =
            chart.conditions.get(below(stream, causes.max(1)) as usize).map_or(0, |&(cause, _)| cause);
        self.row(Table::Death)
            .number(person)
            .moment(day, 0)
            .numbers([EHR, CONDITIONS.concept(cause)])
            .text(&CONDITIONS.code(cause))
            .number(CONDITIONS.concept(cause))
            .end();
    }
}

/// A source code that says more than the concept, as codes of sites do.
fn finer(domain: &Domain, leaf: u32, stream: &mut Stream) -> String {
    format!("{}.{}", domain.code(leaf), below(stream, 10))
}
