use velamen_core::hierarchy::{Definition, Rule};
use velamen_core::lattice::Node;
use velamen_dp::Seed;

use super::super::ipa::private::tests::{context, table};
use super::*;

const PARAMS: DiffGenParams = DiffGenParams {
    epsilon: 2.0,
    delta: 0.0,
    specializations: 1,
    choices_share: 0.5,
    utility: Utility::Max,
    least_count: Some(1),
};

fn method(params: DiffGenParams) -> DiffGen {
    DiffGen::try_from(params).unwrap()
}

fn run(method: &DiffGen, table: &FrequencyTable, seed: u64) -> Specialized {
    let seed = Seed::from_number(seed);
    context(|context| method.plan(table, &table.lattice(), &Context { seed: &seed, ..*context }).unwrap())
}

fn cut(found: &Specialized, attribute: &str) -> Vec<String> {
    found.cuts[attribute].clone()
}

/// The labels and the class of each released row, and its count.
fn rows(release: &Release) -> Vec<(Vec<String>, u32, u64)> {
    let labels = |class: u32| {
        let codes = release.qis.iter().zip(release.class(class as usize));
        codes.map(|(qi, &code)| qi.label(code).to_owned()).collect()
    };
    release.rows.iter().map(|row| (labels(row.class), row.rest, row.count)).collect()
}

/// Without much noise the choices are the best ones and the counts those of the records.
#[test]
fn values_are_specialized_where_classes_differ() {
    // Ages 0 to 4 have d0, ages 5 to 9 have d1, whatever the sex.
    let records = [(0, 0, 0, 40), (3, 1, 0, 40), (5, 0, 1, 40), (9, 1, 1, 40)];
    let table = table(&records);
    for utility in [Utility::Max, Utility::InformationGain] {
        let found = run(&method(DiffGenParams { epsilon: 1000.0, utility, ..PARAMS }), &table, 1);
        assert_eq!(
            (cut(&found, "age"), cut(&found, "sex")),
            (vec!["[0-4]".into(), "[5-9]".into()], vec!["*".into()])
        );
        let row = |age: &str, class, count| (vec![age.to_owned(), "*".to_owned()], class, count);
        assert_eq!(rows(&found.made.release), [row("[0-4]", 0, 80), row("[5-9]", 1, 80)]);
        assert_eq!((found.made.stated.cells, found.made.stated.least_count), (6, 1));
        let known = OriginalCells { occupied_cells: 2, released_cells: 2, false_cells: 0, kept_records: 160 };
        assert_eq!(found.made.original, known);
    }
}

/// Values of one attribute can stand at several levels, each leaf under one of them.
#[test]
fn a_cut_has_values_of_several_levels() {
    let records = [(0, 0, 0, 100), (1, 0, 1, 90), (2, 0, 2, 90), (7, 0, 1, 100)];
    let params = DiffGenParams { epsilon: 1000.0, specializations: 2, ..PARAMS };
    let found = run(&method(params), &table(&records), 1);
    assert_eq!(cut(&found, "age"), ["0", "1", "2", "3", "4", "[5-9]"]);
    let levels: Vec<u8> = found.made.release.qis[0].values.iter().map(|value| value.level).collect();
    assert_eq!(levels, [0, 0, 0, 1]);
    // When nothing is left to specialize, the choices end: ten ages and two sexes.
    let params = DiffGenParams { specializations: 1000, ..params };
    let all = run(&method(params), &table(&records), 1);
    assert_eq!((cut(&all, "age").len(), cut(&all, "sex").len()), (10, 2));
}

#[test]
fn levels_of_the_recipe_bound_the_cut() {
    let records = [(0, 0, 0, 90), (1, 0, 1, 90), (7, 1, 2, 90)];
    let table = table(&records);
    let lattice = Lattice::between(&Node(vec![1, 1]), &Node(vec![1, 1]));
    let params = DiffGenParams { epsilon: 1000.0, specializations: 5, ..PARAMS };
    let found = context(|context| method(params).plan(&table, &lattice, context).unwrap());
    assert_eq!((cut(&found, "age").len(), cut(&found, "sex")), (2, vec!["*".into()]));
}

/// What noise would drown is no candidate: that follows from the domain alone.
#[test]
fn specializations_that_noise_would_drown_are_not_made() {
    let leaves = Definition::Interval { interval: vec![5e6], min: 0.0, max: 9_999_999.0, decimals: 0 };
    let rule = Rule::try_from(&leaves).unwrap();
    let mut wide = table(&[]);
    wide.qis[1].hierarchy = rule.over((0..1000).map(|n: u32| n.to_string()).collect(), false).1;
    let mut many = wide.qis[1].hierarchy.clone();
    std::mem::swap(&mut many, &mut wide.qis[0].hierarchy);
    let noisy = DiffGenParams { epsilon: 0.003, specializations: 9, ..PARAMS };
    let found = run(&method(noisy), &wide, 1);
    assert!(found.made.stated.expected.records <= crate::noisy::MOST_FALSE_RECORDS);
    let large = wide.rest.len as u128 * 1000 * 10;
    assert!(found.made.stated.cells < large, "{}", found.made.stated.cells);
    // A least count that follows from the number of cells lets one cell of noise through, however many there are.
    let found = run(&method(DiffGenParams { least_count: None, ..noisy }), &wide, 1);
    assert!(found.made.stated.expected.cells <= 1.0 && found.made.stated.least_count > 1000);
}

#[test]
fn what_makes_no_sense_is_refused() {
    let refused = |params: DiffGenParams, key: &str| {
        let problem = DiffGen::try_from(params).unwrap_err();
        assert!(problem.text().contains(key), "{problem}");
    };
    refused(DiffGenParams { specializations: 0, ..PARAMS }, "specializations");
    refused(DiffGenParams { specializations: u64::MAX, ..PARAMS }, "specializations");
    refused(DiffGenParams { choices_share: 0.0, ..PARAMS }, "choices-share");
    refused(DiffGenParams { choices_share: 1.0, ..PARAMS }, "choices-share");
    refused(DiffGenParams { epsilon: 0.0, ..PARAMS }, "epsilon");
    refused(DiffGenParams { least_count: Some(0), ..PARAMS }, "least-count");
    let mut twice = table(&[]);
    let rows = [["x", "y"], ["z", "x"]].map(|row| row.map(String::from).to_vec()).to_vec();
    let rule = Rule::try_from(&Definition::Table { rows }).unwrap();
    twice.qis[1].hierarchy = rule.over(rule.whole_domain(9).unwrap(), false).1;
    let lattice = Lattice::between(&Node(vec![0, 0]), &Node(vec![2, 0]));
    let refused = context(|context| method(PARAMS).plan(&twice, &lattice, context)).unwrap_err();
    assert!(
        matches!(&refused, MethodError::Unfit(problem) if problem.text().contains("other values")),
        "{refused:?}"
    );
}

#[test]
fn the_budget_is_split_exactly() {
    let method = method(DiffGenParams { epsilon: 1.0, delta: 1e-5, specializations: 3, ..PARAMS });
    let steps: Vec<String> = method
        .budget
        .steps()
        .iter()
        .map(|s| format!("{} {} {}", s.step, s.loss.epsilon, s.loss.delta))
        .collect();
    assert_eq!(steps, ["choices 1/2 0", "cells 1/2 1/100000"]);
    assert_eq!((method.choice.to_string(), method.cells.occupied_only()), ("1/6".into(), true));
}

/// The law of one specialization by `max` of ages in two halves or of the two sexes, in closed form, by code that shares nothing
/// with the method.
mod law {
    /// Records by half, sex and one of three classes.
    pub(super) type Counts = [[[u64; 3]; 2]; 2];

    /// Whether age was specialized, and what was released of the cells: half or sex by class.
    #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
    pub(super) struct Output {
        pub(super) age: bool,
        pub(super) cells: [u64; 6],
    }

    fn cells(counts: &Counts, age: bool) -> [u64; 6] {
        let mut cells = [0; 6];
        for (half, of_half) in counts.iter().enumerate() {
            for (sex, of_sex) in of_half.iter().enumerate() {
                let part = if age { half } else { sex };
                of_sex.iter().enumerate().for_each(|(class, count)| cells[3 * part + class] += count);
            }
        }
        cells
    }

    fn score(counts: &Counts, age: bool) -> f64 {
        let cells = cells(counts, age);
        cells.chunks(3).map(|part| *part.iter().max().unwrap() as f64).sum()
    }

    /// P(count + noise = shown), or that it is not above 0 where nothing is shown.
    fn of_cell(epsilon: f64, count: u64, shown: u64) -> f64 {
        let (a, count) = ((-epsilon).exp(), count as i32);
        match shown {
            0 => match count {
                0 => 1.0 / (1.0 + a),
                _ => a.powi(count) / (1.0 + a),
            },
            shown => (1.0 - a) / (1.0 + a) * a.powi((shown as i32 - count).abs()),
        }
    }

    pub(super) fn probability(counts: &Counts, output: &Output) -> f64 {
        let weight = |age| (1.0 * score(counts, age) / 2.0).exp();
        let choice = weight(output.age) / (weight(true) + weight(false));
        let cells = cells(counts, output.age);
        choice
            * cells
                .iter()
                .zip(output.cells)
                .map(|(count, shown)| of_cell(1.0, *count, shown))
                .product::<f64>()
    }

    /// Every output of counts below `reach`.
    pub(super) fn outputs(reach: u64) -> impl Iterator<Item = Output> {
        (0..2 * reach.pow(6)).map(move |number| {
            let digit = |place: u32| number / 2 / reach.pow(place) % reach;
            Output { age: number % 2 == 0, cells: [0, 1, 2, 3, 4, 5].map(digit) }
        })
    }
}

use law::{Counts as Cells, Output};

fn counted(counts: &Cells) -> FrequencyTable {
    let record = |place: usize| {
        let (half, sex, class) = (place / 6, place / 3 % 2, place % 3);
        (5 * half as u32, sex as u32, class as u32, counts[half][sex][class])
    };
    table(&(0..12).map(record).filter(|record| record.3 > 0).collect::<Vec<_>>())
}

fn output(found: &Specialized) -> Output {
    let age = cut(found, "age").len() > 1;
    let mut cells = [0; 6];
    for (labels, class, count) in rows(&found.made.release) {
        let part = if age { labels[0] == "[5-9]" } else { labels[1] == "m" };
        cells[3 * usize::from(part) + class as usize] = count;
    }
    Output { age, cells }
}

#[test]
fn no_output_is_likelier_by_more_than_e_to_the_epsilon() {
    let mut largest = 1.0f64;
    for number in 0..16u64 {
        let mut before = Cells::default();
        let digit = |place: u32| 2 * (number >> place & 1);
        (before[0][0][0], before[0][1][0], before[1][0][1], before[1][1][2]) =
            (digit(0), digit(1), digit(2), digit(3));
        for added in 0..12 {
            let mut after = before;
            after[added / 6][added / 3 % 2][added % 3] += 1;
            for output in law::outputs(3) {
                let ratio = law::probability(&before, &output) / law::probability(&after, &output);
                largest = largest.max(ratio).max(1.0 / ratio);
            }
        }
    }
    assert!(largest <= 2.0f64.exp() * (1.0 + 1e-9), "{}", largest.ln());
    assert!(largest > 1.3f64.exp(), "the bound is of that order: {}", largest.ln());
}

#[test]
fn outputs_are_as_likely_as_the_definition_says() {
    const RUNS: u64 = 6000;
    let mut counts = Cells::default();
    (counts[0][0][0], counts[0][1][0], counts[1][0][1], counts[1][1][2]) = (2, 1, 2, 0);
    let (table, method) = (counted(&counts), method(PARAMS));
    let mut seen: BTreeMap<Output, f64> = BTreeMap::new();
    for seed in 0..RUNS {
        *seen.entry(output(&run(&method, &table, seed))).or_default() += 1.0;
    }
    let (mut statistic, mut parts, mut rest) = (0.0f64, 0.0f64, (RUNS as f64, RUNS as f64));
    for output in law::outputs(5) {
        let expected = RUNS as f64 * law::probability(&counts, &output);
        if expected >= 20.0 {
            let observed = seen.get(&output).copied().unwrap_or(0.0);
            statistic += (observed - expected).powi(2) / expected;
            rest = (rest.0 - observed, rest.1 - expected);
            parts += 1.0;
        }
    }
    statistic += (rest.0 - rest.1).powi(2) / rest.1;
    // Wilson and Hilferty: a χ² with f degrees of freedom is below f(1 − 2/9f + 4.3 √(2/9f))³ but for 1e-5; the seeds are fixed.
    let spread: f64 = 2.0 / (9.0 * parts);
    assert!(parts > 30.0 && rest.1 > 1000.0, "{parts} parts, {rest:?}");
    assert!(statistic < parts * (1.0 - spread + 4.3 * spread.sqrt()).powi(3), "{statistic} of {parts}");
}
