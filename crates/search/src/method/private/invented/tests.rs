//! Grey-box audit: runs on neighbouring tables with one tape of answers. All that leaves them has to be the same, and each query
//! may move by no more than was paid for. Then the same for a toy with one fault at a time: the audit finds each.

use velamen_core::context::Context;
use velamen_core::frequency::FrequencyTable;
use velamen_core::lattice::Node;
use velamen_dp::{Difference, Door, Gaussian, Rational, Seed, Tape, Wild, Zcdp};

use super::super::aim::{Aim, AimParams};
use super::super::mst::Mst;
use super::super::mst::tests::{in_context, sample, table};
use super::codes::Codes;
use super::measuring::{InventedParams, score};

const RHO: Zcdp = Zcdp::units(1 << 62);

fn node(table: &FrequencyTable) -> Node {
    Node(vec![0; table.qis.len()])
}

/// All that a run shows: release, measurements or message.
type Run<'a> = &'a dyn Fn(&FrequencyTable, &Context<'_>, &mut Door) -> String;

/// What tells two tables apart that a tape was drawn on one of; nothing where all is the same and paid for.
fn refuted(
    run: Run<'_>,
    budget: Zcdp,
    (one, other): (&FrequencyTable, &FrequencyTable),
    tape: &mut Door,
) -> Option<String> {
    in_context(77, |context| {
        let shown = run(one, context, tape);
        let mut replayed = Door::replay(tape.tape(), budget);
        let again = run(other, context, &mut replayed);
        let differences: Vec<Difference> = replayed.differences();
        match (differences.first(), shown == again) {
            (Some(found), _) => Some(found.to_string()),
            (None, false) => Some("what is released differs".to_owned()),
            (None, true) => None,
        }
    })
}

/// A table, and the same without one of its records, for so many of them.
fn pairs(whole: &FrequencyTable, number: usize) -> Vec<FrequencyTable> {
    let without = |record: usize| {
        let mut less = whole.clone();
        for codes in &mut less.codes {
            codes.remove(record);
        }
        less.rest_index.remove(record);
        less.counts.remove(record);
        less
    };
    (0..number.min(whole.len())).map(|pair| without(pair * 37 % whole.len())).collect()
}

fn live(seed: u64, budget: Zcdp) -> Door {
    let seed = Seed::from_number(seed);
    Door::live(seed.stream(1), seed.stream(2), budget).recording()
}

/// What refutes a run on pairs of tables, in both directions, with drawn tapes and wild ones.
fn audit(run: Run<'_>, budget: Zcdp, whole: &FrequencyTable, number: usize) -> Option<String> {
    pairs(whole, number).iter().enumerate().find_map(|(seed, less)| {
        let mut tapes = vec![live(seed as u64, budget)];
        tapes.extend(Wild::ALL.map(|wild| Door::wild(wild, budget)));
        tapes.into_iter().enumerate().find_map(|(which, mut tape)| match which % 2 {
            0 => refuted(run, budget, (whole, less), &mut tape),
            _ => refuted(run, budget, (less, whole), &mut tape),
        })
    })
}

/// Pairs of tables, each with four tapes; at night many.
fn number() -> usize {
    if std::env::var_os("VELAMEN_NIGHTLY").is_some() { 1250 } else { 5 }
}

const PARAMS: InventedParams = InventedParams { epsilon: 1.0, delta: 1e-9, model_cells: 1 << 17 };

#[test]
fn mst_shows_nothing_past_the_door() {
    let method = Mst::try_from(PARAMS).unwrap();
    let run = |table: &FrequencyTable, context: &Context<'_>, door: &mut Door| {
        format!("{:?}", method.through(table, &node(table), context, door))
    };
    assert_eq!(audit(&run, method.rho(), &sample(150), number()), None);
}

#[test]
fn aim_shows_nothing_past_the_door() {
    let method = Aim::try_from(AimParams { invented: PARAMS, max_cells: 10_000 }).unwrap();
    let run = |table: &FrequencyTable, context: &Context<'_>, door: &mut Door| {
        format!("{:?}", method.through(table, &node(table), context, door))
    };
    assert_eq!(audit(&run, method.rho(), &sample(150), number().div_ceil(3)), None);
}

/// One fault each, of the kinds that such programs had.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fault {
    None,
    TwiceTheCounts,
    DomainFromData,
    MergedByTrueCounts,
    TotalOfTheTable,
    RecordsOfTheTable,
    ScoreByRecords,
    CandidatesByOccupiedCells,
    OneMoreRoundByTrueCounts,
    SpreadByTrueCounts,
    ZerosLearnt,
    MessageNamesAValue,
}

const FAULTS: [Fault; 11] = [
    Fault::TwiceTheCounts,
    Fault::DomainFromData,
    Fault::MergedByTrueCounts,
    Fault::TotalOfTheTable,
    Fault::RecordsOfTheTable,
    Fault::ScoreByRecords,
    Fault::CandidatesByOccupiedCells,
    Fault::OneMoreRoundByTrueCounts,
    Fault::SpreadByTrueCounts,
    Fault::ZerosLearnt,
    Fault::MessageNamesAValue,
];

/// A small method of noisy counts: attributes, a choice among pairs, the pair; what it would release, as text.
fn toy(fault: Fault, table: &FrequencyTable, door: &mut Door) -> String {
    let codes = Codes::of(table, &node(table));
    let law = Gaussian::new(Rational::new(4, 1).unwrap()).unwrap();
    let is = |seeded: Fault| fault == seeded;
    let mut shown = String::new();
    let mut total = 0;
    for attribute in 0..codes.sizes.len() {
        let real = codes.counts(&[attribute]);
        let mut asked = real.clone();
        if is(Fault::TwiceTheCounts) {
            asked.iter_mut().for_each(|count| *count *= 2);
        }
        if is(Fault::DomainFromData) {
            asked.retain(|&count| count > 0);
        }
        let noisy = door.noise("attribute", &asked, 1, law).unwrap();
        let by = if is(Fault::MergedByTrueCounts) { &real } else { &noisy };
        let kept: Vec<bool> = by.iter().map(|&count| count >= 2).collect();
        let spread = if is(Fault::SpreadByTrueCounts) { &real } else { &noisy };
        shown += &format!("{noisy:?} {kept:?} {spread:?}");
        if is(Fault::ZerosLearnt) {
            shown += &format!("{:?}", real.iter().map(|&count| count == 0).collect::<Vec<_>>());
        }
        if is(Fault::MessageNamesAValue) {
            shown += &format!("the rarest value is {:?}", real.iter().position(|&count| count == 1));
        }
        total = noisy.iter().sum();
    }
    let records = table.counts.iter().sum::<u64>() as i64;
    let total = if is(Fault::TotalOfTheTable) { records } else { total };
    shown += &format!(" total {total}");
    if is(Fault::RecordsOfTheTable) {
        shown += &format!(" records {records}");
    }
    let mut candidates = vec![vec![0, 1], vec![0, 2], vec![1, 2]];
    if is(Fault::CandidatesByOccupiedCells) {
        candidates.retain(|pair| codes.counts(pair).iter().filter(|&&count| count > 0).count() % 2 == 0);
        candidates.push(vec![0]);
    }
    let scored = |pair: &Vec<usize>| {
        let score = score(&codes.counts(pair), std::iter::repeat(1.0), law);
        if is(Fault::ScoreByRecords) { score * 4000 / records } else { score }
    };
    let scores: Vec<i64> = candidates.iter().map(scored).collect();
    let chosen = door.choose("choice", &scores, 1 << 10, Rational::new(1, 1).unwrap()).unwrap();
    let rounds = if is(Fault::OneMoreRoundByTrueCounts) { 1 + records % 2 } else { 1 };
    for _ in 0..rounds {
        shown += &format!("{:?}", door.noise("pair", &codes.counts(&candidates[chosen]), 1, law).unwrap());
    }
    shown
}

/// Three attributes; some values and pairs have one record.
fn small() -> FrequencyTable {
    let column =
        |step: usize, size: usize| (0..41).map(|record| (record * record / step % size) as u32).collect();
    let mut columns: Vec<Vec<u32>> = vec![column(3, 4), column(5, 3), column(7, 5)];
    columns[2][0] = 5;
    table(&[4, 3, 6], columns)
}

#[test]
fn every_seeded_fault_is_found_and_none_without_one() {
    let found = |fault| audit(&|table, _, door| toy(fault, table, door), RHO, &small(), 41);
    assert_eq!(found(Fault::None), None);
    for fault in FAULTS {
        assert!(found(fault).is_some(), "{fault:?}");
    }
    assert!(found(Fault::TwiceTheCounts).unwrap().contains("moves by 4, where 1 is paid for"));
    assert_eq!(found(Fault::RecordsOfTheTable).unwrap(), "what is released differs");
}

/// A tape of nothing that was asked is no tape.
#[test]
fn a_run_that_asks_nothing_of_a_tape_differs() {
    let mut recorded = live(1, RHO);
    toy(Fault::None, &small(), &mut recorded);
    let tape: Tape = recorded.tape();
    assert_eq!(tape.0.len(), 5);
    assert!(!Door::replay(tape, RHO).differences().is_empty());
}
