//! Grey-box audit of the methods that pay in (ε, δ): runs on neighbouring tables with one tape of answers. Then the same with one
//! fault at a time, around each method and inside a toy: the audit finds each.

use velamen_core::context::Context;
use velamen_core::frequency::{FrequencyTable, Rest, RestColumn, Role};
use velamen_core::lattice::Node;
use velamen_dp::{CellLaw, Cost, Door, DoorError, Loss, Rational, SampleLaw, Seed, TwoSided, WatchLaw, Wild};

use super::contingency_table::{ContingencyTable, ContingencyTableParams};
use super::diffgen::{DiffGen, DiffGenParams, Utility};
use super::dsat::{Dsat, DsatParams};
use super::ipa::private::{Ipa, IpaParams};
use super::mst::tests::{in_context, table};
use super::noisy_counts::NoisyRelease;
use super::safe_pub::{NodeChoice, SafePub, SafePubParams};

/// All that a run shows: release and what is said of it, or the message.
type Run<'a> = &'a dyn Fn(&FrequencyTable, &Context<'_>, &mut Door) -> String;

/// What refutes a run on tables that differ by a record, in both directions, with a drawn tape and wild ones.
fn audit(run: Run<'_>, budget: Loss, whole: &Records, number: usize) -> Option<String> {
    let budget = Cost::Loss(budget);
    (0..number).find_map(|pair| {
        let tables = [whole.table(), whole.without(pair * 37 % whole.0.len()).table()];
        let own = Door::paid_by(loss_of(budget)).recording();
        let wild = Wild::ALL.map(|wild| Door::wild(wild, budget));
        std::iter::once(own).chain(wild).enumerate().find_map(|(which, mut tape)| {
            let (one, other) = (&tables[(pair + which) % 2], &tables[1 - (pair + which) % 2]);
            in_context(pair as u64, |context| {
                let shown = run(one, context, &mut tape);
                let mut replayed = Door::replay(tape.tape(), budget);
                let again = run(other, context, &mut replayed);
                let found = replayed.differences().first().map(ToString::to_string);
                found
                    .or_else(|| (shown != again).then(|| "what is released differs".to_owned()))
                    .or_else(|| tape.uses_words_twice().then(|| "words are used twice".to_owned()))
            })
        })
    })
}

fn loss_of(cost: Cost) -> Loss {
    let Cost::Loss(loss) = cost else { panic!("{cost:?}") };
    loss
}

/// Records of two quasi-identifiers and a sensitive value.
#[derive(Clone)]
struct Records(Vec<[u32; 3]>);

const SIZES: [usize; 3] = [7, 3, 4];

impl Records {
    /// Many equal ones, and some values with one record.
    fn sample() -> Self {
        let of = |record: u32| [record * record / 3 % 5, record / 7 % 2, record * record / 5 % 3];
        let rare = [[6, 0, 0], [0, 2, 1], [1, 1, 3]];
        Self((0..90).map(of).chain(rare).collect())
    }

    fn without(&self, record: usize) -> Self {
        let mut less = self.clone();
        less.0.remove(record);
        less
    }

    /// Over the whole public domain.
    fn table(&self) -> FrequencyTable {
        self.over(SIZES)
    }

    fn over(&self, sizes: [usize; 3]) -> FrequencyTable {
        let column = |q: usize| self.0.iter().map(|record| record[q]).collect();
        let values = (0..sizes[2]).map(|value| format!("s{value}")).collect();
        let sensitive = RestColumn { name: "s".into(), role: Role::Sensitive, values };
        let rest =
            Rest { columns: vec![sensitive], codes: vec![(0..sizes[2] as u32).collect()], len: sizes[2] };
        FrequencyTable { rest, rest_index: column(2), ..table(&sizes[..2], vec![column(0), column(1)]) }
    }
}

/// A method that is audited.
#[derive(Debug, Clone)]
enum Audited {
    Contingency(ContingencyTable),
    Ipa(Box<Ipa>),
    SafePub(Box<SafePub>),
    DiffGen(DiffGen),
    Dsat(Box<Dsat>),
}

impl Audited {
    /// Each method, pure and with δ where it can be both.
    fn all() -> Vec<Self> {
        let mut all = Vec::new();
        for delta in [0.0, 0.01] {
            let least_count = 1;
            let params = ContingencyTableParams { epsilon: 1.0, delta, least_count };
            all.push(Self::Contingency(ContingencyTable::try_from(params).unwrap()));
            let params = IpaParams {
                epsilon: 2.0,
                delta,
                candidates_share: 0.25,
                insertion_share: None,
                suppression_share: 0.25,
                least_class: None,
                least_count: None,
                false_cells: 1.0,
                node_given: false,
            };
            all.push(Self::Ipa(Box::new(Ipa::try_from(params).unwrap())));
            let params = DiffGenParams {
                epsilon: 2.0,
                delta,
                specializations: 2,
                choices_share: 0.5,
                utility: Utility::Max,
                least_count: None,
            };
            all.push(Self::DiffGen(DiffGen::try_from(params).unwrap()));
            let params = DsatParams {
                epsilon: 4.0,
                delta,
                time: "q0".into(),
                most_histograms: 3,
                distances_share: 0.25,
                threshold: Some(5.0),
                adaptation: 0.1,
                least_count,
            };
            all.push(Self::Dsat(Box::new(Dsat::try_from(params).unwrap())));
        }
        for search in [NodeChoice::Exponential, NodeChoice::DataIndependent] {
            let params =
                SafePubParams { epsilon: 2.0, delta: 0.05, k: 0, search, search_share: 0.2, search_steps: 5 };
            all.push(Self::SafePub(Box::new(SafePub::try_from(params).unwrap())));
        }
        all
    }

    fn budget(&self) -> Loss {
        let spent = match self {
            Self::Contingency(method) => method.budget.steps(),
            Self::Ipa(method) => method.budget.steps(),
            Self::SafePub(method) => method.spent(),
            Self::DiffGen(method) => method.budget.steps(),
            Self::Dsat(method) => method.budget.steps(),
        };
        let sum = |of: fn(Loss) -> Rational| {
            spent
                .iter()
                .map(|spend| of(spend.loss))
                .fold(Rational::ZERO, |sum, part| sum.checked_add(part).unwrap())
        };
        Loss { epsilon: sum(|loss| loss.epsilon), delta: sum(|loss| loss.delta) }
    }

    /// What a run shows to others.
    fn run(&self, table: &FrequencyTable, context: &Context<'_>, door: &mut Door) -> String {
        let shown = |made: NoisyRelease| format!("{:?} {:?}", made.release, made.stated);
        let lattice = table.lattice();
        let bottom = Node(vec![0; table.qis.len()]);
        let shown = match self {
            Self::Contingency(method) => method.through(table, &bottom, context, door).map(shown),
            Self::Ipa(method) => method.through(table, &lattice, context, door).map(shown),
            Self::SafePub(method) => {
                let found = method.through(table, &lattice, context, door);
                found.map(|found| format!("{found:?}"))
            }
            Self::DiffGen(method) => {
                let found = method.through(table, &lattice, context, door);
                found.map(|found| format!("{} {:?}", shown(found.made), found.cuts))
            }
            Self::Dsat(method) => {
                let found = method.through(table, &bottom, context, door);
                found.map(|found| format!("{} {:?}", shown(found.made), found.histograms))
            }
        };
        shown.unwrap_or_else(|error| error.to_string())
    }
}

/// Pairs of tables, each with four tapes; at night many.
fn number() -> usize {
    if std::env::var_os("VELAMEN_NIGHTLY").is_some() { 2500 } else { 25 }
}

#[test]
fn no_method_shows_anything_past_the_door() {
    for method in Audited::all() {
        let run =
            |table: &FrequencyTable, context: &Context<'_>, door: &mut Door| method.run(table, context, door);
        assert_eq!(audit(&run, method.budget(), &Records::sample(), number()), None, "{method:?}");
    }
}

/// Whatever the answers are, a run asks for no more than its budget, and a second one is not answered.
#[test]
fn what_is_asked_is_paid_for_once() {
    for method in Audited::all() {
        in_context(5, |context| {
            let mut door = Door::paid_by(method.budget()).recording();
            method.run(&Records::sample().table(), context, &mut door);
            assert!(!door.tape().0.is_empty() && !door.paid().is_empty());
            let paid = door.paid().len();
            let again = method.run(&Records::sample().table(), context, &mut door);
            let dear = door.paid().len() == paid || again.contains("more than is left");
            assert!(dear, "{method:?}: {again}");
        });
    }
}

/// One fault each, around any method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Around {
    OneIsPaidForTwoRecords,
    CapOverAllRecords,
    DomainFromData,
    RecordsOfTheTable,
    ZerosLearnt,
    MessageNamesAValue,
    OneDrawUnpaid,
    OneStreamForTwo,
}

impl Around {
    const ALL: [Self; 8] = [
        Self::OneIsPaidForTwoRecords,
        Self::CapOverAllRecords,
        Self::DomainFromData,
        Self::RecordsOfTheTable,
        Self::ZerosLearnt,
        Self::MessageNamesAValue,
        Self::OneDrawUnpaid,
        Self::OneStreamForTwo,
    ];

    fn run(self, method: &Audited, table: &FrequencyTable, context: &Context<'_>, door: &mut Door) -> String {
        let n = table.len();
        let counts = |column: &[u32], size: u32| -> Vec<usize> {
            (0..size).map(|value| column.iter().filter(|code| **code == value).count()).collect()
        };
        let first = counts(&table.codes[0], SIZES[0] as u32);
        let mut seen = table.clone();
        match self {
            Self::OneIsPaidForTwoRecords => seen.counts.iter_mut().for_each(|count| *count *= 2),
            // The largest values come last, and go first.
            Self::CapOverAllRecords => seen.counts.iter_mut().skip(60).for_each(|count| *count = 0),
            Self::DomainFromData => {
                let records = (0..n).map(|at| [table.codes[0][at], table.codes[1][at], table.rest_index[at]]);
                let occurring = 1 + table.codes[0].iter().max().map_or(0, |&code| code as usize);
                seen = Records(records.collect()).over([occurring, SIZES[1], SIZES[2]]);
            }
            _ => {}
        }
        let mut shown = method.run(&seen, context, door);
        match self {
            Self::RecordsOfTheTable => shown += &n.to_string(),
            Self::ZerosLearnt => shown += &format!("{:?}", first.iter().map(|&c| c == 0).collect::<Vec<_>>()),
            Self::MessageNamesAValue => shown += &format!("{:?}", first.iter().position(|&count| count == 1)),
            Self::OneDrawUnpaid => {
                let law = TwoSided::new(Rational::new(1, 1).unwrap(), 1).unwrap();
                shown += &(n as i128 + law.draw(&mut Seed::from_number(9).stream(9))).to_string();
            }
            Self::OneStreamForTwo => shown += &method.run(&seen, context, door),
            _ => {}
        }
        shown
    }
}

#[test]
fn every_fault_around_a_method_is_found() {
    for method in Audited::all() {
        for fault in Around::ALL {
            // For two runs with one stream there must be a budget.
            let double = |part: Rational| part.checked_add(part).unwrap();
            let Loss { epsilon, delta } = method.budget();
            let budget = match fault {
                Around::OneStreamForTwo => Loss { epsilon: double(epsilon), delta: double(delta) },
                _ => method.budget(),
            };
            let run = |table: &FrequencyTable, context: &Context<'_>, door: &mut Door| {
                fault.run(&method, table, context, door)
            };
            let found = audit(&run, budget, &Records::sample(), 93);
            assert!(found.is_some(), "{fault:?} of {method:?}");
            let says = match fault {
                Around::OneStreamForTwo => "used twice",
                Around::RecordsOfTheTable | Around::ZerosLearnt | Around::MessageNamesAValue => {
                    "what is released differs"
                }
                _ => "",
            };
            assert!(
                found.as_ref().is_some_and(|found| found.contains(says)),
                "{fault:?} of {method:?}: {found:?}"
            );
        }
    }
}

/// One fault each, inside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Inside {
    None,
    ReleasedByTrueCounts,
    CountsOfTheTable,
    TotalOfTheTable,
    ScoreByRecords,
    CandidatesByOccupiedCells,
    ThresholdByTrueCounts,
    NoiseByTrueCounts,
    RoundsByTrueCounts,
    SizeByTrueCounts,
    WatchByTrueCounts,
    DistanceOfTwo,
    SampleOfTwo,
    ScoreOfTwo,
    SumOfTwo,
}

impl Inside {
    const ALL: [Self; 14] = [
        Self::ReleasedByTrueCounts,
        Self::CountsOfTheTable,
        Self::TotalOfTheTable,
        Self::ScoreByRecords,
        Self::CandidatesByOccupiedCells,
        Self::ThresholdByTrueCounts,
        Self::NoiseByTrueCounts,
        Self::RoundsByTrueCounts,
        Self::SizeByTrueCounts,
        Self::WatchByTrueCounts,
        Self::DistanceOfTwo,
        Self::SampleOfTwo,
        Self::ScoreOfTwo,
        Self::SumOfTwo,
    ];

    /// A small method of all queries: a choice, a histogram, a sum, distances, a sample; what it would release, as text.
    fn run(
        self,
        table: &FrequencyTable,
        context: &Context<'_>,
        door: &mut Door,
    ) -> Result<String, DoorError> {
        let is = |fault: Self| self == fault;
        let by = |fault: Self| if self == fault { 2 } else { 1 };
        let n = table.len() as u64;
        let one = Rational::new(1, 1).unwrap();
        let mut streams: Vec<_> = (0..5).map(|number| context.seed.stream(number)).collect();
        let [choices, noise, empty, watch, sampled] = &mut streams[..] else { unreachable!() };
        let count = |value: u32| table.codes[0].iter().filter(|code| **code == value).count() as u64;
        let mut scores: Vec<i64> =
            (0..SIZES[0] as u32).map(|value| (count(value) * by(Self::ScoreOfTwo)) as i64).collect();
        if is(Self::ScoreByRecords) {
            scores.iter_mut().for_each(|score| *score = *score * 10_000 / n as i64);
        }
        if is(Self::CandidatesByOccupiedCells) {
            scores.retain(|&score| score > 0);
        }
        let chosen = door.pick("choice", &scores, (1, one), choices)?;
        let occupied: Vec<(u128, u64)> = (0..SIZES[0] as u32)
            .map(|value| (u128::from(value), count(value)))
            .filter(|(_, count)| *count > 0)
            .collect();
        let threshold = if is(Self::ThresholdByTrueCounts) { 1 + n % 2 } else { 1 };
        let epsilon = if is(Self::NoiseByTrueCounts) { Rational::new(1, 1 + n % 2).unwrap() } else { one };
        let law = CellLaw::new(epsilon, threshold, false).unwrap();
        let cells = if is(Self::SizeByTrueCounts) { occupied.len() } else { SIZES[0] } as u128;
        let rounds = if is(Self::RoundsByTrueCounts) { 1 + n % 2 } else { 1 };
        let mut shown = format!("{chosen}");
        for _ in 0..rounds {
            let domain = (&occupied[..], cells);
            let mut given = door.cells::<DoorError>(
                "cells",
                domain,
                (law, Loss::pure(one)),
                [&mut *noise, &mut *empty],
                || Ok(()),
            )?;
            if is(Self::ReleasedByTrueCounts) {
                given.retain(|(cell, _)| occupied.iter().any(|(known, _)| known == cell));
            }
            if is(Self::CountsOfTheTable) {
                given.iter_mut().for_each(|(cell, given)| *given = count(*cell as u32));
            }
            shown += &format!("{given:?}");
        }
        let noisy = door.counts("sum", &[n * by(Self::SumOfTwo), 0], one, noise)?;
        shown += &format!("{noisy:?}");
        if is(Self::TotalOfTheTable) {
            shown += &format!("{n}");
        }
        let mut watched = door.watch("watch", WatchLaw::new(one, 2).unwrap(), watch)?;
        let limit = if is(Self::WatchByTrueCounts) { n } else { 90 };
        let distance = n * by(Self::DistanceOfTwo);
        shown += &format!("{}", door.reaches("distance", &mut watched, (distance, limit), watch)?);
        let of = |value: usize| (value, count(value as u32) * by(Self::SampleOfTwo));
        let records: Vec<(usize, u64)> = (0..SIZES[0]).map(of).collect();
        let (law, name) = (SampleLaw { epsilon: one, least: 3 }, |class: usize| vec![class.to_string()]);
        let given = door.sample("sample", (&records, &name), (law, Loss::pure(one)), sampled)?;
        Ok(shown + &format!("{given:?}"))
    }
}

#[test]
fn every_fault_inside_is_found_and_none_without_one() {
    let budget = Loss::pure(Rational::new(10, 1).unwrap());
    let found = |fault: Inside| {
        let run = |table: &FrequencyTable, context: &Context<'_>, door: &mut Door| {
            fault.run(table, context, door).unwrap_or_else(|error| error.to_string())
        };
        audit(&run, budget, &Records::sample(), 93)
    };
    assert_eq!(found(Inside::None), None);
    for fault in Inside::ALL {
        assert!(found(fault).is_some(), "{fault:?}");
    }
    let says = |fault, words: &str| assert!(found(fault).unwrap().contains(words), "{:?}", found(fault));
    says(Inside::DistanceOfTwo, "distance, moves by 2, where 1 is paid for");
    says(Inside::SampleOfTwo, "sample, moves by 2, where 1 is paid for");
    says(Inside::SumOfTwo, "sum, moves by 2, where 1 is paid for");
    says(Inside::ReleasedByTrueCounts, "what is released differs");
    says(Inside::WatchByTrueCounts, "not the same on both tables");
}
