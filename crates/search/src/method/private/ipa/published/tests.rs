use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::AtomicBool;

use proptest::prelude::*;
use velamen_core::context::Silent;
use velamen_core::frequency::{QuasiIdentifier, Rest, RestColumn};
use velamen_core::hierarchy::{Cuts, IntervalRule, Rule};
use velamen_core::plan::{Counterfeits, Fate};
use velamen_core::release::{Release, SUPPRESSED, apply};
use velamen_dp::Seed;

use super::*;
use crate::method::kit::joint;

/// A record: age, gender, zip code, disease.
type Record = (u32, &'static str, u32, &'static str);

/// Table 5.
const TABLE_5: [Record; 7] = [
    (17, "M", 28912, "Gastritis"),
    (16, "M", 23512, "Pneumonia"),
    (13, "M", 24231, "Pneumonia"),
    (24, "F", 31891, "Anemia"),
    (29, "F", 34225, "Anemia"),
    (25, "F", 37756, "Diabetes"),
    (67, "M", 80061, "Stroke"),
];

/// The node of Tables 6 to 8: ages in tens, zip codes in ten thousands.
const NODE: [u8; 3] = [1, 0, 1];

fn intervals(width: i64, max: i64) -> Rule {
    Rule::Interval(IntervalRule::new(Cuts::Sizes(vec![width]), 0, max, 0).unwrap())
}

fn sorted<T: Ord + Clone>(values: impl Iterator<Item = T>) -> Vec<T> {
    let mut values: Vec<T> = values.collect();
    values.sort();
    values.dedup();
    values
}

/// The frequency table of some records, coded as a table that was read.
fn table(records: &[Record]) -> FrequencyTable {
    let labels = |r: &Record| [r.0.to_string(), r.1.to_owned(), r.2.to_string()];
    let rules = [intervals(10, 99), Rule::Flat, intervals(10_000, 99_999)];
    let (mut qis, mut leaves) = (Vec::new(), Vec::new());
    for (q, (rule, name)) in rules.iter().zip(["Age", "Gender", "Zipcode"]).enumerate() {
        let (values, hierarchy) = rule.over(sorted(records.iter().map(|r| labels(r)[q].clone())), false);
        leaves.push(values);
        qis.push(QuasiIdentifier { name: name.into(), hierarchy });
    }
    let diseases = sorted(records.iter().map(|r| r.3.to_owned()));
    let code = |values: &[String], label: &str| values.iter().position(|v| v == label).unwrap() as u32;
    let key = |r: &Record| {
        let mut key: Vec<u32> = labels(r).iter().zip(&leaves).map(|(l, values)| code(values, l)).collect();
        key.push(code(&diseases, r.3));
        key
    };
    let mut entries: BTreeMap<Vec<u32>, u64> = BTreeMap::new();
    records.iter().for_each(|r| *entries.entry(key(r)).or_default() += 1);
    let column = |c: usize| entries.keys().map(|key| key[c]).collect::<Vec<u32>>();
    let len = diseases.len();
    let rest = Rest {
        columns: vec![RestColumn { name: "Disease".into(), role: Role::Sensitive, values: diseases }],
        codes: vec![(0..len as u32).collect()],
        len,
    };
    let (codes, rest_index) = ((0..3).map(column).collect(), column(3));
    FrequencyTable {
        qis,
        rest,
        codes,
        rest_index,
        counts: entries.into_values().collect(),
        population: None,
        strays: velamen_core::frequency::Strays::default(),
    }
}

/// Draws that are given.
struct Script {
    laplace: VecDeque<f64>,
    points: VecDeque<f64>,
    scales: Vec<f64>,
}

impl Script {
    fn new(laplace: &[f64], points: &[f64]) -> Self {
        let (laplace, points) = (laplace.iter().copied().collect(), points.iter().copied().collect());
        Self { laplace, points, scales: Vec::new() }
    }
}

impl Noise for Script {
    fn laplace(&mut self, scale: f64) -> f64 {
        self.scales.push(scale);
        self.laplace.pop_front().unwrap()
    }

    fn point(&mut self) -> f64 {
        self.points.pop_front().unwrap()
    }
}

/// The classes of a node, the domain, and what the method makes of them with given draws.
fn perturbed(table: &FrequencyTable, node: &Node, script: &mut Script) -> (ClassTable, Perturbed) {
    let coding = Coding::new(table, &[0]);
    let classes = ClassTable::at(&Space::<1>::new(table, coding.as_ref()), node);
    let method = PublishedIpa::try_from(PublishedParams::default()).unwrap();
    let perturbed = method.perturb(&classes, &method.informed(table, 0), script);
    assert!(script.laplace.is_empty() && script.points.is_empty(), "draws are left");
    (classes, perturbed)
}

fn informed(table: &FrequencyTable) -> Informed {
    PublishedIpa::try_from(PublishedParams::default()).unwrap().informed(table, 0)
}

fn release(table: &FrequencyTable, node: &Node, classes: ClassTable, perturbed: Perturbed) -> Release {
    let fates = perturbed.steps.iter().map(ClassStep::fate).collect();
    let counterfeits = perturbed.counterfeits;
    let plan = Plan { node: node.clone(), classes, fates, counterfeits, groups: Vec::new() };
    apply(table, &plan, &Seed::from_number(0)).0
}

/// The released records as text, in their order.
fn text(release: &Release) -> Vec<String> {
    let row = |row: &velamen_core::release::Row| {
        let qis: Vec<&str> = match row.class {
            SUPPRESSED => vec!["*"; release.qis.len()],
            class => {
                release.class(class as usize).iter().zip(&release.qis).map(|(&c, q)| q.label(c)).collect()
            }
        };
        let line = format!("{} {}", qis.join(" "), release.rest.columns[0].values[row.rest as usize]);
        vec![line; row.count as usize]
    };
    release.rows.iter().flat_map(row).collect()
}

fn released(laplace: &[f64], points: &[f64]) -> Vec<String> {
    let (table, node) = (table(&TABLE_5), Node(NODE.to_vec()));
    let (classes, perturbed) = perturbed(&table, &node, &mut Script::new(laplace, points));
    text(&release(&table, &node, classes, perturbed))
}

const TEENS: &str = "[10-19] M [20000-29999]";
const TWENTIES: &str = "[20-29] F [30000-39999]";

fn lines(expected: &[(&str, &str)]) -> Vec<String> {
    expected.iter().map(|(class, disease)| format!("{class} {disease}")).collect()
}

#[test]
fn table_5_becomes_table_6_by_generalization() {
    // Thresholds below 1 suppress nothing, negative noise inserts nothing.
    let table_6 = lines(&[
        (TEENS, "Gastritis"),
        (TEENS, "Pneumonia"),
        (TEENS, "Pneumonia"),
        (TWENTIES, "Anemia"),
        (TWENTIES, "Anemia"),
        (TWENTIES, "Diabetes"),
        ("[60-69] M [80000-89999]", "Stroke"),
    ]);
    assert_eq!(released(&[-1.5, -1.5, -1.5, -2.0, -0.5, 0.0], &[]), table_6);
}

#[test]
fn table_6_becomes_table_7_by_suppression_with_t_2() {
    let table_7 = lines(&[
        (TEENS, "Gastritis"),
        (TEENS, "Pneumonia"),
        (TEENS, "Pneumonia"),
        (TWENTIES, "Anemia"),
        (TWENTIES, "Anemia"),
        (TWENTIES, "Diabetes"),
        ("* * *", "Stroke"),
    ]);
    assert_eq!(released(&[0.0, 0.0, 0.0, 0.9, -4.0], &[]), table_7);
}

#[test]
fn table_7_becomes_table_8_by_insertion() {
    let table_8 = lines(&[
        (TEENS, "Gastritis"),
        (TEENS, "Gastritis"),
        (TEENS, "Pneumonia"),
        (TEENS, "Pneumonia"),
        (TWENTIES, "Anemia"),
        (TWENTIES, "Anemia"),
        (TWENTIES, "Anemia"),
        (TWENTIES, "Diabetes"),
        ("* * *", "Stroke"),
    ]);
    // The first value of each class is the one of the paper's counterfeit.
    assert_eq!(released(&[0.0, 0.0, 0.0, 1.0, 1.9], &[0.0, 0.1]), table_8);
    // At the end of the scale are values that the class does not have.
    let foreign = released(&[0.0, 0.0, 0.0, 1.0, 1.9], &[0.999, 0.999]);
    assert!(foreign.contains(&format!("{TEENS} Stroke")) && foreign.contains(&format!("{TWENTIES} Stroke")));
}

#[test]
fn the_noise_has_the_papers_scales() {
    let mut script = Script::new(&[0.0, 0.0, 0.0, 0.0, 0.0], &[]);
    perturbed(&table(&TABLE_5), &Node(NODE.to_vec()), &mut script);
    let (threshold, insertion) = (1.0 / 0.1, 1.0 / 0.3);
    assert_eq!(script.scales, [threshold, threshold, threshold, insertion, insertion]);
}

#[test]
fn a_threshold_that_is_reached_suppresses() {
    // |E| ≤ t + noise: 3 ≤ 3 suppresses, 3 ≤ 2.999 does not.
    let (_, steps) =
        perturbed(&table(&TABLE_5), &Node(NODE.to_vec()), &mut Script::new(&[1.0, 0.999, -1.0, 0.0], &[]));
    let suppressed: Vec<bool> = steps.steps.iter().map(ClassStep::is_suppressed).collect();
    assert_eq!(suppressed, [true, false, true]);
}

#[test]
fn the_loss_of_table_8_by_hand() {
    let (table, node) = (table(&TABLE_5), Node(NODE.to_vec()));
    let (classes, perturbed) =
        perturbed(&table, &node, &mut Script::new(&[0.0, 0.0, 0.0, 1.0, 1.9], &[0.0, 0.1]));
    let loss = loss(&Penalties::new(&table), (&node, &classes), &informed(&table), &perturbed);
    // Eight records with a tenth of the ages, the gender and a tenth of the zip codes; one of stars.
    assert!((loss.ncp - (8.0 * 0.2 / 3.0 + 1.0) / 9.0).abs() < 1e-12, "{loss:?}");
    // (1/3, 2/3) → (2/4, 2/4) and (2/3, 1/3) → (3/4, 1/4).
    assert!((loss.emd - (1.0 / 6.0 + 1.0 / 12.0) / 2.0).abs() < 1e-12, "{loss:?}");
    assert!((loss.rate - 0.25).abs() < 1e-12, "{loss:?}");
    assert!((loss.utility() - (3.0 - loss.ncp - 0.375)).abs() < 1e-12);
}

#[test]
fn no_counterfeits_lose_nothing_and_not_minus_nothing() {
    let (table, node) = (table(&TABLE_5), Node(NODE.to_vec()));
    let (classes, perturbed) = perturbed(&table, &node, &mut Script::new(&[0.0, 0.0, 0.0, -1.0, -1.0], &[]));
    let loss = loss(&Penalties::new(&table), (&node, &classes), &informed(&table), &perturbed);
    assert_eq!([loss.emd.to_string(), loss.rate.to_string()], ["0", "0"]);
}

fn with_context<T>(seed: u64, run: impl FnOnce(&Context<'_>) -> T) -> T {
    let (seed, cancel) = (Seed::from_number(seed), AtomicBool::new(false));
    run(&Context { seed: &seed, progress: &Silent, cancel: &cancel })
}

fn plan(params: PublishedParams, table: &FrequencyTable, seed: u64) -> (Plan, PublishedDraws) {
    let method = PublishedIpa::try_from(params).unwrap();
    with_context(seed, |context| method.plan(table, &table.lattice(), context).unwrap())
}

fn records() -> impl Strategy<Value = Vec<Record>> {
    let gender = prop::sample::select(vec!["F", "M"]);
    let disease = prop::sample::select(vec!["Anemia", "Diabetes", "Gastritis", "Pneumonia", "Stroke"]);
    let zip = prop::sample::select(vec![23512u32, 28912, 31891, 80061]);
    prop::collection::vec((10u32..40, gender, zip, disease), 1..60)
}

/// Eq. 7 written out over all values.
fn emd(before: &BTreeMap<u32, u64>, added: &BTreeMap<u32, u64>) -> f64 {
    let (n, m) = (before.values().sum::<u64>() as f64, added.values().sum::<u64>() as f64);
    let share = |v: u32| {
        let (p, q) =
            (before.get(&v).copied().unwrap_or(0) as f64, added.get(&v).copied().unwrap_or(0) as f64);
        (p / n - (p + q) / (n + m)).abs()
    };
    (0..5).map(share).sum::<f64>() / 2.0
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn every_original_record_is_released(records in records(), seed in 0u64..1000) {
        let table = table(&records);
        let params = PublishedParams { suppression: 1.0, ..PublishedParams::default() };
        let (plan, found) = plan(params, &table, seed);
        let (release, _) = apply(&table, &plan, &Seed::from_number(seed));
        let added: u64 = plan.counterfeits.iter().map(Counterfeits::total).sum();
        prop_assert_eq!(release.records(), table.records() + added);
        prop_assert_eq!(release.suppressed, plan.suppressed());
        let mut counts: BTreeMap<String, i64> = BTreeMap::new();
        text(&release).into_iter().for_each(|line| *counts.entry(line).or_default() += 1);
        for r in &records {
            let labels = (0..3).map(|q| {
                let hierarchy = &table.qis[q].hierarchy;
                let leaf = [r.0.to_string(), r.1.into(), r.2.to_string()][q].clone();
                let leaf = hierarchy.labels(0).iter().position(|l| *l == leaf).unwrap() as u32;
                let level = plan.node.0[q];
                hierarchy.label(level, hierarchy.code(level, leaf)).to_owned()
            });
            let kept = format!("{} {}", labels.collect::<Vec<_>>().join(" "), r.3);
            let line = match counts.get(&kept) {
                Some(left) if *left > 0 => kept,
                _ => format!("* * * {}", r.3),
            };
            *counts.entry(line).or_default() -= 1;
        }
        prop_assert!(counts.values().all(|left| *left >= 0), "{:?}", counts);
        for (class, step) in found.steps.iter().enumerate() {
            prop_assert_eq!(step.is_suppressed(), plan.classes.sizes[class] as f64 <= step.threshold);
            prop_assert_eq!(step.is_suppressed(), plan.fates[class] == Fate::Suppress);
            prop_assert_eq!(step.counterfeits, step.noise.map_or(0, |noise| noise.max(0.0) as u64));
        }
    }

    #[test]
    fn the_distance_is_half_the_sum_of_differences(records in records(), seed in 0u64..1000) {
        let table = table(&records);
        let params = PublishedParams { suppression: 10.0, insertion: 0.1, ..PublishedParams::default() };
        let (plan, found) = plan(params, &table, seed);
        let map = |cells: &[(u32, u64)]| cells.iter().copied().collect::<BTreeMap<u32, u64>>();
        let own = |c: &Counterfeits| emd(&map(plan.classes.sensitive(c.class as usize)), &map(&c.values));
        let kept = plan.fates.iter().filter(|fate| **fate == Fate::Keep).count().max(1);
        let naive = plan.counterfeits.iter().map(own).sum::<f64>() / kept as f64;
        prop_assert!((found.best().loss.emd - naive).abs() < 1e-12);
        let candidates = &found.candidates;
        prop_assert!((candidates.iter().map(|c| c.probability).sum::<f64>() - 1.0).abs() < 1e-9);
        prop_assert!(candidates.iter().all(|c| (0.0..=3.0).contains(&c.loss.total())));
    }

    #[test]
    fn threads_change_nothing(records in records(), seed in 0u64..1000) {
        let table = table(&records);
        let run = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let (plan, found) = pool.install(|| plan(PublishedParams::default(), &table, seed));
            (plan.node, plan.counterfeits, found.candidates, found.steps)
        };
        prop_assert!(run(1) == run(2));
    }
}

#[test]
fn nodes_come_with_the_probabilities_of_equation_12() {
    let table = table(&TABLE_5);
    let params = PublishedParams { candidates: 20.0, ..PublishedParams::default() };
    let (mut expected, mut variance, mut seen) = (0.0, 0.0, 0.0);
    for seed in 0..4000 {
        let (_, found) = plan(params, &table, seed);
        // The likelier half of the nodes, which depends on the draws of each run.
        let mut order: Vec<usize> = (0..found.candidates.len()).collect();
        order.sort_by(|&a, &b| found.candidates[b].probability.total_cmp(&found.candidates[a].probability));
        order.truncate(order.len() / 2);
        let p: f64 = order.iter().map(|&index| found.candidates[index].probability).sum();
        expected += p;
        variance += p * (1.0 - p);
        seen += f64::from(u8::from(order.contains(&found.chosen)));
    }
    assert!(expected > 2400.0, "the likelier half is hardly likelier: {expected}");
    // P(|Z| > 4.5) = 7e-6.
    assert!((seen - expected).abs() < 4.5 * f64::sqrt(variance), "{seen} {expected}");
}

#[test]
fn parameters_out_of_range_are_refused() {
    let usual = PublishedParams::default();
    let refused = |params: PublishedParams| PublishedIpa::try_from(params).unwrap_err().to_string();
    assert!(refused(PublishedParams { threshold: 1, ..usual }).contains("threshold"));
    assert!(refused(PublishedParams { insertion: 0.0, ..usual }).contains("epsilon-insertion"));
    assert!(refused(PublishedParams { value: f64::NAN, ..usual }).contains("epsilon-value"));
    assert!(refused(PublishedParams { suppression: 1e4, ..usual }).contains("epsilon-suppression"));
    assert!(refused(PublishedParams { candidates: -1.0, ..usual }).contains("epsilon-candidates"));
}

#[test]
fn other_columns_are_refused() {
    let method = PublishedIpa::try_from(PublishedParams::default()).unwrap();
    let refused = |table: &FrequencyTable| {
        with_context(1, |context| method.plan(table, &table.lattice(), context).unwrap_err()).to_string()
    };
    let mut insensitive = table(&TABLE_5);
    insensitive.rest.columns[0].role = Role::Insensitive;
    assert!(refused(&insensitive).contains("column `Disease`"));
    let mut none = table(&TABLE_5);
    (none.rest.columns, none.rest.codes) = (Vec::new(), Vec::new());
    assert!(refused(&none).contains("has none"));
}

/// Table 5 with the treatment that follows from the disease.
fn treated() -> FrequencyTable {
    let mut two = table(&TABLE_5);
    let treated = RestColumn {
        name: "Treatment".into(),
        values: ["diet", "drug"].map(String::from).to_vec(),
        ..two.rest.columns[0].clone()
    };
    two.rest.columns.push(treated);
    two.rest.codes.push(two.rest.codes[0].iter().map(|disease| disease % 2).collect());
    two
}

/// Of several informative attributes, counterfeits get combinations that occur.
#[test]
fn counterfeits_have_combinations_of_values_that_occur() {
    let two = treated();
    let own = two.rest.clone();
    let joined = joint::occurring(two);
    assert_eq!(joined.rest.columns[0].name, "Disease × Treatment");
    assert!(joined.rest.columns[0].values.iter().any(|value| value.ends_with(" × diet")));
    let method =
        PublishedIpa::try_from(PublishedParams { insertion: 1e-3, ..PublishedParams::default() }).unwrap();
    let (plan, _) = with_context(1, |context| method.plan(&joined, &joined.lattice(), context).unwrap());
    let released = apply(&joined, &plan, &Seed::from_number(1)).0;
    let rest = joint::apart(released.rest);
    assert_eq!(rest.columns.len(), 2);
    let made: u64 = plan.counterfeits.iter().map(Counterfeits::total).sum();
    assert!(made > 100, "{made}");
    assert!((0..rest.len).all(|row| (0..own.len).any(|known| own.row(known) == rest.row(row))));
    // One attribute stands for itself.
    assert_eq!(joint::occurring(table(&TABLE_5)).rest.columns.len(), 1);
}

/// Each attribute by itself: a counterfeit's treatment need not be that of its disease, each attribute's values come with the
/// probabilities of its own domain and its share, and EMD is the mean of both.
#[test]
fn counterfeits_have_values_of_each_attribute_by_itself() {
    let all = joint::every(treated()).unwrap();
    assert_eq!((all.rest.len, all.rest.columns.len()), (5 * 2, 3));
    let shares = [("Disease", 3, 4), ("Treatment", 1, 4)]
        .map(|(name, part, whole)| (name.to_owned(), velamen_dp::Rational::new(part, whole).unwrap()));
    let params = PublishedParams { insertion: 1e-3, value: 40.0, ..PublishedParams::default() };
    let method = PublishedIpa::try_from(params).unwrap().each(&shares);
    let informed = method.informed(&all, 0);
    let coding = Coding::new(&all, &[0]);
    let classes = ClassTable::at(&Space::<1>::new(&all, coding.as_ref()), &Node(NODE.to_vec()));
    // The teens: Gastritis once, Pneumonia twice.
    let teens = (0..classes.len()).find(|&class| classes.sizes[class] == 3).unwrap();
    let own = classes.sensitive(teens);
    const DRAWS: u64 = 40_000;
    let drawn = informed.drawn(own, 3, DRAWS, &mut Seed::from_number(9).stream(0));
    let share = |column: usize, code: u32| {
        let of = drawn.iter().filter(|(row, _)| all.rest.codes[column][*row as usize] == code);
        of.map(|(_, count)| count).sum::<u64>() as f64 / DRAWS as f64
    };
    // Eq. 3 and 4 of each column, from its own counts in the class.
    let expected = |column: usize, epsilon: f64| {
        let width = all.rest.columns[column].values.len();
        let mut counts = vec![0u64; width];
        own.iter().for_each(|&(row, count)| counts[all.rest.codes[column][row as usize] as usize] += count);
        let absent = counts.iter().filter(|count| **count == 0).count() as f64;
        let score = |&count: &u64| if count > 0 { count as f64 / 4.0 } else { 1.0 / (4.0 * absent) };
        let weights: Vec<f64> = counts.iter().map(|count| (epsilon * score(count) / 2.0).exp()).collect();
        let sum: f64 = weights.iter().sum();
        weights.into_iter().map(|weight| weight / sum).collect::<Vec<f64>>()
    };
    for (column, epsilon) in [(1, 30.0), (2, 10.0)] {
        for (code, probability) in (0u32..).zip(expected(column, epsilon)) {
            // Five standard deviations, seeds fixed.
            let near = 5.0 * (probability * (1.0 - probability) / DRAWS as f64).sqrt() + 1e-9;
            assert!((share(column, code) - probability).abs() < near, "{column} {code}");
        }
    }
    let is_new = |row: u32| all.rest_index.iter().all(|known| *known != row);
    assert!(drawn.iter().any(|(row, _)| is_new(*row)), "no combination that nobody has");
    let counterfeits = Counterfeits { class: teens as u32, values: vec![(own[0].0, 1)] };
    let moved = |column: usize| {
        let code = |row: u32| all.rest.codes[column][row as usize];
        let own_count: u64 =
            own.iter().filter(|cell| code(cell.0) == code(own[0].0)).map(|cell| cell.1).sum();
        (own_count as f64 + 1.0) / 4.0 - own_count as f64 / 3.0
    };
    let distance = informed.distance(&classes, &counterfeits);
    assert!((distance - (moved(1) + moved(2)) / 2.0).abs() < 1e-12, "{distance}");
}
