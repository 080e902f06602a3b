use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;

use velamen_core::context::Silent;
use velamen_core::frequency::{QuasiIdentifier, Rest, RestColumn, Role};
use velamen_core::hierarchy::{Definition, Rule};
use velamen_core::lattice::Node;
use velamen_core::release::SUPPRESSED;
use velamen_dp::{Seed, below};

use super::*;

mod each_by_itself;

pub(in crate::method) fn context<T>(run: impl FnOnce(&Context<'_>) -> T) -> T {
    let (seed, cancel) = (Seed::from_number(3), AtomicBool::new(false));
    run(&Context { seed: &seed, progress: &Silent, cancel: &cancel })
}

fn qi(name: &str, definition: &Definition) -> QuasiIdentifier {
    let rule = Rule::try_from(definition).unwrap();
    let (_, hierarchy) = rule.over(rule.whole_domain(100).unwrap(), false);
    QuasiIdentifier { name: name.into(), hierarchy }
}

fn rest(values: usize) -> Rest {
    let names = (0..values).map(|value| format!("d{value}")).collect();
    let column = RestColumn { name: "disease".into(), role: Role::Sensitive, values: names };
    Rest { columns: vec![column], codes: vec![(0..values as u32).collect()], len: values }
}

/// (age from 0 to 9, sex 0 or 1, one of three diseases, count), ages also in two halves.
pub(in crate::method) fn table(records: &[(u32, u32, u32, u64)]) -> FrequencyTable {
    let age = Definition::Interval { interval: vec![5.0], min: 0.0, max: 9.0, decimals: 0 };
    let sex = Definition::Table { rows: ["f", "m"].map(|sex| vec![sex.into(), "*".into()]).to_vec() };
    FrequencyTable {
        qis: vec![qi("age", &age), qi("sex", &sex)],
        rest: rest(3),
        codes: vec![records.iter().map(|r| r.0).collect(), records.iter().map(|r| r.1).collect()],
        rest_index: records.iter().map(|r| r.2).collect(),
        counts: records.iter().map(|r| r.3).collect(),
        population: None,
        strays: velamen_core::frequency::Strays::default(),
    }
}

const PARAMS: IpaParams = IpaParams {
    epsilon: 2.0,
    delta: 0.0,
    candidates_share: 0.25,
    insertion_share: None,
    suppression_share: 0.25,
    least_class: None,
    least_count: None,
    false_cells: 1.0,
    node_given: false,
};

fn method(params: IpaParams) -> Ipa {
    Ipa::try_from(params).unwrap()
}

fn run(method: &Ipa, table: &FrequencyTable, lattice: &Lattice, seed: u64) -> NoisyRelease {
    let (seed, cancel) = (Seed::from_number(seed), AtomicBool::new(false));
    method.plan(table, lattice, &Context { seed: &seed, progress: &Silent, cancel: &cancel }).unwrap()
}

/// The output law in closed form, in floating point, from the definition: nothing is shared with the
/// samplers or the scores. One quasi-identifier of four leaves, in pairs at level 1; two diseases.
mod law {
    /// Records by leaf and disease.
    pub(super) type Counts = [[u64; 2]; 4];

    /// The level, per (value at the level, disease) what was released, and the suppressed ones.
    #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
    pub(super) struct Output {
        pub(super) level: usize,
        pub(super) cells: Vec<Option<u64>>,
        pub(super) suppressed: [u64; 2],
    }

    #[derive(Clone, Copy)]
    pub(super) struct Law {
        pub(super) candidates: f64,
        pub(super) insertion: f64,
        pub(super) suppression: f64,
        pub(super) tau: u64,
        pub(super) threshold: u64,
        pub(super) occupied_only: bool,
    }

    fn equals(epsilon: f64, x: i64) -> f64 {
        let alpha = (-epsilon).exp();
        (1.0 - alpha) / (1.0 + alpha) * alpha.powi(x.abs() as i32)
    }

    fn at_least(epsilon: f64, x: i64) -> f64 {
        let alpha = (-epsilon).exp();
        if x > 0 { alpha.powi(x as i32) / (1.0 + alpha) } else { 1.0 - at_least(epsilon, 1 - x) }
    }

    fn cells(counts: &Counts, level: usize) -> Vec<u64> {
        let width = if level == 0 { 1 } else { 2 };
        let of_value = |leaves: &[[u64; 2]]| [0, 1].map(|d| leaves.iter().map(|leaf| leaf[d]).sum());
        counts.chunks(width).flat_map(of_value).collect()
    }

    impl Law {
        fn score(&self, counts: &Counts, level: usize) -> f64 {
            let ncp = [0.0, 0.5][level];
            let of_cell = |&count: &u64| count as f64 * if count < self.tau { 1.0 } else { ncp };
            let cells = cells(counts, level);
            let alpha = (-self.insertion).exp();
            let false_records = cells.len() as f64
                * at_least(self.insertion, self.threshold as i64)
                * (self.threshold as f64 + alpha / (1.0 - alpha));
            let noise = if self.occupied_only { 0.0 } else { (false_records - 1e-9).ceil() };
            -cells.iter().map(of_cell).sum::<f64>() - noise
        }

        fn of_level(&self, counts: &Counts, level: usize) -> f64 {
            let sensitivity = (self.tau - 1).max(1) as f64;
            let weight = |level| (self.candidates * self.score(counts, level) / (2.0 * sensitivity)).exp();
            weight(level) / (weight(0) + weight(1))
        }

        fn of_cell(&self, count: u64, released: Option<u64>) -> f64 {
            if count == 0 && self.occupied_only {
                return f64::from(u8::from(released.is_none()));
            }
            match released {
                None => 1.0 - at_least(self.insertion, self.threshold as i64 - count as i64),
                Some(noisy) => equals(self.insertion, noisy as i64 - count as i64),
            }
        }

        pub(super) fn probability(&self, counts: &Counts, output: &Output) -> f64 {
            let cells = cells(counts, output.level);
            let mut hidden = [0; 2];
            let mut product = self.of_level(counts, output.level);
            for (cell, (&count, &released)) in cells.iter().zip(&output.cells).enumerate() {
                product *= self.of_cell(count, released);
                hidden[cell % 2] += if released.is_none() { count } else { 0 };
            }
            for (hidden, shown) in hidden.into_iter().zip(output.suppressed) {
                product *= match shown {
                    0 => at_least(self.suppression, hidden as i64),
                    _ => equals(self.suppression, shown as i64 - hidden as i64),
                };
            }
            product
        }

        /// Every output with counts of less than `reach` above the threshold, and as few suppressed records.
        pub(super) fn outputs(&self, level: usize, reach: u64) -> Vec<Output> {
            let mut outputs = vec![Output { level, cells: Vec::new(), suppressed: [0; 2] }];
            for _ in 0..[8, 4][level] {
                let options =
                    || std::iter::once(None).chain((0..reach).map(|above| Some(self.threshold + above)));
                let longer = |output: &Output| {
                    let (output, cells) = (output.clone(), output.cells.clone());
                    options().map(move |option| Output {
                        cells: [&cells[..], &[option]].concat(),
                        ..output.clone()
                    })
                };
                outputs = outputs.iter().flat_map(longer).collect();
            }
            let with = |output: &Output| {
                let output = output.clone();
                (0..=reach * reach + 2 * reach)
                    .map(move |n| Output { suppressed: [n / (reach + 1), n % (reach + 1)], ..output.clone() })
            };
            outputs.iter().flat_map(with).collect()
        }
    }
}

use law::{Counts, Law, Output};

/// The law of [`PARAMS`] with τ = 3 and T = 2.
const LAW: Law =
    Law { candidates: 0.5, insertion: 1.0, suppression: 0.5, tau: 3, threshold: 2, occupied_only: false };

fn small() -> IpaParams {
    IpaParams { least_class: Some(3), least_count: Some(2), ..PARAMS }
}

fn counted(counts: &Counts) -> FrequencyTable {
    let leaf = Definition::Interval { interval: vec![2.0], min: 0.0, max: 3.0, decimals: 0 };
    let cells = || (0..4u32).flat_map(|leaf| [(leaf, 0u32), (leaf, 1)]);
    let count = |(leaf, disease): (u32, u32)| counts[leaf as usize][disease as usize];
    let there = || cells().filter(|&cell| count(cell) > 0);
    FrequencyTable {
        qis: vec![qi("q", &leaf)],
        rest: rest(2),
        codes: vec![there().map(|cell| cell.0).collect()],
        rest_index: there().map(|cell| cell.1).collect(),
        counts: there().map(count).collect(),
        population: None,
        strays: velamen_core::frequency::Strays::default(),
    }
}

fn lower_levels() -> Lattice {
    Lattice::between(&Node(vec![0]), &Node(vec![1]))
}

fn output(found: &NoisyRelease) -> Output {
    let release = &found.release;
    let level = usize::from(release.qis[0].level.unwrap());
    let labels: [&[&str]; 2] = [&["0", "1", "2", "3"], &["[0-1]", "[2-3]"]];
    let mut output = Output { level, cells: vec![None; [8, 4][level]], suppressed: [0; 2] };
    for row in &release.rows {
        if row.class == SUPPRESSED {
            output.suppressed[row.rest as usize] = row.count;
        } else {
            let label = release.qis[0].label(release.class(row.class as usize)[0]);
            let value = labels[level].iter().position(|known| *known == label).unwrap();
            output.cells[2 * value + row.rest as usize] = Some(row.count);
        }
    }
    output
}

/// Neighbours: tables of up to two records in each of three cells, and those with a record more anywhere.
fn neighbours() -> impl Iterator<Item = (Counts, Counts)> {
    let before = (0..27u64).map(|n| {
        let mut counts = Counts::default();
        (counts[0][0], counts[1][0], counts[3][1]) = (n % 3, n / 3 % 3, n / 9);
        counts
    });
    before.flat_map(|counts| {
        (0..8).map(move |added: usize| {
            let mut more = counts;
            more[added / 2][added % 2] += 1;
            (counts, more)
        })
    })
}

#[test]
fn no_output_is_likelier_by_more_than_e_to_the_epsilon() {
    let outputs = [LAW.outputs(0, 1), LAW.outputs(1, 3)].concat();
    let mut largest = 1.0f64;
    for (before, after) in neighbours() {
        for output in &outputs {
            let ratio = LAW.probability(&before, output) / LAW.probability(&after, output);
            largest = largest.max(ratio).max(1.0 / ratio);
        }
    }
    // The budget is used up to a part of the bound for the choice of the level.
    assert!(largest <= 2.0f64.exp() * (1.0 + 1e-9), "{}", largest.ln());
    assert!(largest > 1.5f64.exp(), "{}", largest.ln());
}

#[test]
fn with_delta_no_event_is_likelier_by_more_than_e_to_the_epsilon_and_delta() {
    let params = IpaParams { delta: 0.05, node_given: true, ..PARAMS };
    let stable = method(IpaParams { least_count: None, ..params });
    let threshold = stable.parts[0].cells.threshold(8);
    let law =
        Law { candidates: 0.0, insertion: 1.5, suppression: 0.5, tau: 1, threshold, occupied_only: true };
    // At level 1, with one pair of leaves and no more: two cells have records, the other two stay out.
    let shown =
        |a: Option<u64>, b, s: [u64; 2]| Output { level: 1, cells: vec![a, b, None, None], suppressed: s };
    let counts = || std::iter::once(None).chain((0..12).map(|above| Some(threshold + above)));
    let mut outputs = Vec::new();
    for a in counts() {
        for b in counts() {
            outputs.extend((0..40 * 40).map(|s| shown(a, b, [s / 40, s % 40])));
        }
    }
    let mut worst = 0.0f64;
    for (first, second) in
        [([0, 0], [1, 0]), ([0, 2], [1, 2]), ([1, 1], [2, 1]), ([3, 0], [3, 1]), ([2, 2], [3, 2])]
    {
        let (before, after): (Counts, Counts) =
            ([first, [0; 2], [0; 2], [0; 2]], [second, [0; 2], [0; 2], [0; 2]]);
        // Per level the choice is the same for all outputs and cancels out where a level is given.
        let of =
            |counts: &Counts| outputs.iter().map(|o| 2.0 * law.probability(counts, o)).collect::<Vec<f64>>();
        let (p, q) = (of(&before), of(&after));
        assert!((p.iter().sum::<f64>() - 1.0).abs() < 1e-5, "{}", p.iter().sum::<f64>());
        let beyond =
            |p: &[f64], q: &[f64]| p.iter().zip(q).map(|(p, q)| (p - 2.0f64.exp() * q).max(0.0)).sum::<f64>();
        worst = worst.max(beyond(&p, &q)).max(beyond(&q, &p));
    }
    assert!(worst <= 0.05, "{worst}");
    assert!(worst > 0.005, "the bound is of that order: {worst}");
}

#[test]
fn outputs_are_as_likely_as_the_definition_says() {
    const RUNS: u64 = 30_000;
    let counts: Counts = [[3, 0], [1, 0], [0, 0], [0, 2]];
    let (table, method) = (counted(&counts), method(small()));
    let mut seen: BTreeMap<Output, f64> = BTreeMap::new();
    for seed in 0..RUNS {
        *seen.entry(output(&run(&method, &table, &lower_levels(), seed))).or_default() += 1.0;
    }
    let (mut statistic, mut parts, mut rest) = (0.0f64, 0.0f64, (RUNS as f64, RUNS as f64));
    for output in [LAW.outputs(0, 2), LAW.outputs(1, 4)].concat() {
        let expected = RUNS as f64 * LAW.probability(&counts, &output);
        if expected >= 30.0 {
            let observed = seen.get(&output).copied().unwrap_or(0.0);
            statistic += (observed - expected).powi(2) / expected;
            rest = (rest.0 - observed, rest.1 - expected);
            parts += 1.0;
        }
    }
    statistic += (rest.0 - rest.1).powi(2) / rest.1;
    // Wilson and Hilferty: a χ² with f degrees of freedom is below f(1 − 2/9f + 4.3 √(2/9f))³ but for 1e-5;
    // the seeds are fixed.
    let spread: f64 = 2.0 / (9.0 * parts);
    assert!(parts > 30.0 && rest.1 > 1000.0, "{parts} parts, {rest:?}");
    assert!(statistic < parts * (1.0 - spread + 4.3 * spread.sqrt()).powi(3), "{statistic} of {parts}");
}

#[test]
fn the_budget_is_split_exactly() {
    let steps = |params| {
        let method = method(params);
        let text = |spend: &velamen_dp::Spend| format!("{} {}", spend.step, spend.loss.epsilon);
        (method.budget.steps().iter().map(text).collect::<Vec<_>>(), method.budget.left().epsilon.to_string())
    };
    let params = IpaParams { epsilon: 1.0, candidates_share: 0.1, suppression_share: 0.2, ..PARAMS };
    let whole = ["candidates 1/10", "insertion 7/10", "suppression 1/5"].map(String::from).to_vec();
    assert_eq!(steps(params), (whole, "0".into()));
    let given = IpaParams { node_given: true, ..params };
    assert_eq!(steps(given), (["insertion 4/5", "suppression 1/5"].map(String::from).to_vec(), "0".into()));
    let some = IpaParams { insertion_share: Some(0.5), ..params };
    assert_eq!(steps(some).1, "1/5");
    let delta = IpaParams { delta: 1e-6, ..params };
    assert_eq!(method(delta).budget.steps()[1].loss.delta.to_string(), "1/1000000");
    let refused = |params: IpaParams| Ipa::try_from(params).unwrap_err().to_string();
    assert!(refused(IpaParams { insertion_share: Some(0.8), ..params }).contains("at most 1"));
    assert!(refused(IpaParams { suppression_share: 0.95, ..params }).contains("leave nothing"));
    assert!(refused(IpaParams { suppression_share: 0.0, ..params }).contains("suppression-share"));
    assert!(refused(IpaParams { candidates_share: 1.0, ..params }).contains("candidates-share"));
    assert!(refused(IpaParams { least_class: Some(0), ..params }).contains("least-class"));
    assert!(refused(IpaParams { epsilon: 0.002, ..params }).contains("raise epsilon"));
    assert!(refused(IpaParams { epsilon: 0.0, ..params }).contains("epsilon above 0"));
}

/// Whatever the table and the parameters: counts reach T, nothing is outside the domain, sums agree, and
/// with δ no cell is released that has no record.
#[test]
fn random_tables_keep_the_rules() {
    let mut stream = Seed::from_number(70).stream(0);
    for round in 0..300 {
        let records: Vec<(u32, u32, u32, u64)> = (0..below(&mut stream, 12))
            .map(|_| [10, 2, 3, 40].map(|bound| below(&mut stream, bound)))
            .map(|[age, sex, disease, count]| (age as u32, sex as u32, disease as u32, count + 1))
            .collect();
        let table = table(&records);
        let params = IpaParams {
            epsilon: [0.05, 0.5, 2.0, 20.0][below(&mut stream, 4) as usize],
            delta: [0.0, 1e-6, 0.1][below(&mut stream, 3) as usize],
            least_count: [None, Some(1), Some(9)][below(&mut stream, 3) as usize],
            ..PARAMS
        };
        let method = method(params);
        let NoisyRelease { release, stated, original, .. } = run(&method, &table, &table.lattice(), round);
        assert!(release.rows.iter().all(|row| row.class == SUPPRESSED || row.count >= stated.least_count));
        assert!(release.rows.is_sorted() && release.rows.iter().all(|row| row.rest < 3 && row.count > 0));
        let kept: u64 = release.sizes.iter().sum();
        assert_eq!(kept + release.suppressed, release.rows.iter().map(|row| row.count).sum::<u64>());
        let classes: Vec<&[u32]> = (0..release.sizes.len()).map(|class| release.class(class)).collect();
        assert!(classes.windows(2).all(|pair| pair[0] < pair[1]), "classes ascend, each once");
        assert!(
            original.kept_records <= table.records() && original.released_cells <= original.occupied_cells
        );
        assert!(params.delta == 0.0 || original.false_cells == 0);
    }
}

#[test]
fn what_is_too_large_is_refused_by_public_facts_alone() {
    let narrow = table(&[(3, 0, 0, 4)]);
    let refuse = |method: &Ipa, table: &FrequencyTable, lattice: &Lattice| {
        context(|context| method.plan(table, lattice, context).map(|_| ()).unwrap_err()).to_string()
    };
    let tall = Lattice::new(vec![255; 3]);
    assert!(refuse(&method(PARAMS), &narrow, &tall).contains("more than 65536 nodes"));
    let mut wide = table(&[]);
    wide.rest = rest(200_000);
    let little = IpaParams { epsilon: 0.004, ..PARAMS };
    assert!(refuse(&method(little), &wide, &wide.lattice()).contains("200000 values"));
    let all = IpaParams { least_count: Some(1), epsilon: 0.1, ..PARAMS };
    let lowest = Lattice::between(&Node(vec![0, 0]), &Node(vec![0, 0]));
    assert!(refuse(&method(all), &wide, &lowest).contains("raise least-count"));
}
