//! The worked examples of Yoo et al. 2012.

use std::sync::atomic::AtomicBool;

use velamen_core::context::Silent;
use velamen_core::frequency::{QuasiIdentifier, Rest, RestColumn, Role};
use velamen_core::hierarchy::{Hierarchy, Rule, TableRule};
use velamen_dp::Seed;

use super::figures::ClusterInformation;
use super::*;

const WORK: [&str; 6] =
    ["Private", "State-gov", "Local-gov", "Federal-gov", "Self-emp-not-inc", "Self-emp-inc"];
const COUNTRY: [&str; 4] = ["USA", "Canada", "Mexico", "Brazil"];
const DISEASE: [&str; 3] = ["Cancer", "Flu", "Heart"];

/// Table 1: work, country, disease.
const TABLE_1: [(u32, u32, u32); 9] =
    [(0, 0, 2), (1, 2, 0), (2, 3, 0), (3, 0, 1), (0, 1, 2), (4, 1, 2), (5, 0, 1), (0, 0, 2), (1, 2, 1)];

fn hierarchy(rows: &[[&str; 3]]) -> Hierarchy {
    let rows: Vec<Vec<String>> = rows.iter().map(|row| row.map(String::from).to_vec()).collect();
    let leaves = rows.iter().map(|row| row[0].clone()).collect();
    Rule::Table(TableRule::new(rows).unwrap()).over(leaves, false).1
}

/// Table 1 of the paper; its hierarchies are written out where it explains its examples.
pub(super) fn table_1() -> FrequencyTable {
    let group = |work: &'static str| match work {
        "Private" => "Private",
        work if work.ends_with("-gov") => "Government",
        _ => "Self-emp",
    };
    let work = WORK.map(|work| [work, group(work), "Workclass"]);
    let side = ["North", "North", "South", "South"];
    let country = [0, 1, 2, 3].map(|at| [COUNTRY[at], side[at], "America"]);
    let mut records: Vec<((u32, u32, u32), u64)> = TABLE_1.map(|record| (record, 1)).to_vec();
    records.sort_unstable();
    records.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        kept.1 += if same { next.1 } else { 0 };
        same
    });
    let qi = |name: &str, hierarchy| QuasiIdentifier { name: name.into(), hierarchy };
    let column = RestColumn {
        name: "disease".into(),
        role: Role::Sensitive,
        values: DISEASE.map(String::from).to_vec(),
    };
    FrequencyTable {
        qis: vec![qi("work", hierarchy(&work)), qi("country", hierarchy(&country))],
        rest: Rest { columns: vec![column], codes: vec![vec![0, 1, 2]], len: 3 },
        codes: vec![
            records.iter().map(|(record, _)| record.0).collect(),
            records.iter().map(|(record, _)| record.1).collect(),
        ],
        rest_index: records.iter().map(|(record, _)| record.2).collect(),
        counts: records.iter().map(|(_, count)| *count).collect(),
        population: None,
        strays: velamen_core::frequency::Strays::default(),
    }
}

/// The entry of a record, by the paper's index.
fn entry(table: &FrequencyTable, index: usize) -> u32 {
    let (work, country, disease) = TABLE_1[index - 1];
    let same =
        |&e: &usize| (table.codes[0][e], table.codes[1][e], table.rest_index[e]) == (work, country, disease);
    (0..table.len()).find(same).unwrap() as u32
}

fn members(table: &FrequencyTable, records: &[usize]) -> Vec<Member> {
    velamen_core::recoding::merged(records.iter().map(|&index| (entry(table, index), 1)).collect())
}

/// The figures if these blocks are generalized and all other records stay as they are.
fn figures(blocks: &[&[usize]]) -> ClusterInformation {
    let table = table_1();
    let taken: Vec<usize> = blocks.concat();
    let alone: Vec<usize> = (1..=9).filter(|index| !taken.contains(index)).collect();
    let groups = blocks.iter().copied().chain(alone.chunks(1));
    let pieces = groups.map(|group| piece(&table, members(&table, group))).collect();
    ClusterInformation::of(&table, &LocalPlan::new(Recoding::Nodes, 2, pieces, Vec::new()), Some(0))
}

fn digits(figures: ClusterInformation) -> [String; 3] {
    [figures.conditional_entropy, figures.mutual_information, figures.distance(1.0)]
        .map(|f| format!("{f:.4}"))
}

#[test]
fn pairs_of_table_1() {
    let before = figures(&[]);
    assert_eq!(format!("{:.4}", before.sensitive_entropy), "1.5305");
    assert_eq!(digits(before), ["0.0000", "1.3083", "1.3083"]);
    let pairs = [
        (2, ["0.4444", "1.3083", "1.7527"]),
        (3, ["0.4444", "1.0860", "1.5305"]),
        (4, ["0.2222", "1.0860", "1.3083"]),
        (5, ["0.2222", "1.3083", "1.5305"]),
        (8, ["0.0000", "1.3083", "1.3083"]),
    ];
    for (other, expected) in pairs {
        assert_eq!(digits(figures(&[&[1, other]])), expected, "1, {other}");
    }
}

#[test]
fn tables_2_and_3() {
    let table_2: [&[usize]; 3] = [&[1, 5, 8], &[2, 3, 9], &[4, 6, 7]];
    assert_eq!(digits(figures(&table_2))[..2], ["1.7527", "0.9183"]);
    let table_3: [&[usize]; 3] = [&[1, 3, 7], &[2, 8, 9], &[4, 5, 6]];
    assert_eq!(digits(figures(&table_3))[..2], ["3.6982", "0.1678"]);
    assert_eq!(distinct(&table_2), [1, 2, 2]);
    assert_eq!(distinct(&table_3), [3, 3, 2]);
}

/// How many diseases each block has.
fn distinct(blocks: &[&[usize]]) -> Vec<usize> {
    let values = |block: &&[usize]| {
        block.iter().map(|&index| TABLE_1[index - 1].2).collect::<std::collections::BTreeSet<u32>>().len()
    };
    blocks.iter().map(values).collect()
}

fn with_costs<T>(objective: Objective, run: impl FnOnce(&Costs<'_>, &FrequencyTable) -> T) -> T {
    let table = table_1();
    let cells = Cells::new(&table, Some(0));
    let hierarchies = table.qis.iter().map(|qi| &qi.hierarchy).collect();
    run(&Costs { cells: &cells, hierarchies, objective, bits: Bits::new() }, &table)
}

/// The cells of some records; each entry of the table is one.
fn held(table: &FrequencyTable, records: &[usize]) -> Vec<(u32, u64)> {
    members(table, records)
}

#[test]
fn the_cost_is_the_distance_less_the_mutual_information_before() {
    let lambda = Lambda::try_from(1.0).unwrap();
    with_costs(Objective::Entropy(lambda), |costs, table| {
        for block in [&[1, 2][..], &[1, 3], &[1, 4], &[1, 5], &[1, 8], &[1, 3, 7], &[4, 5, 6, 1, 8]] {
            let cost = costs.of(&held(table, block)).1 as f64 / (f64::from(1 << 24) * 65_536.0 * 9.0);
            let before = figures(&[]).mutual_information;
            assert!((cost + before - figures(&[block]).distance(1.0)).abs() < 1e-6, "{block:?}");
            let distance = costs.distance(&held(table, block), costs.information_before());
            let distance = distance as f64 / (f64::from(1 << 24) * 9.0);
            assert!((distance - figures(&[block]).distance(1.0)).abs() < 1e-6, "{block:?}");
        }
        // Exactly equal, as in the paper's table: neither is preferred by rounding.
        assert_eq!(costs.of(&held(table, &[1, 4])), costs.of(&held(table, &[1, 8])));
    });
}

#[test]
fn heights_and_deficits() {
    with_costs(Objective::Heights, |costs, table| {
        // 1 and 5 meet at North, half of the way up; 1 and 3 at the top of both.
        let unit = (1i128 << 40, 0);
        assert_eq!(costs.of(&held(table, &[1, 5])), (0, 2 * unit.0 / 2));
        assert_eq!(costs.of(&held(table, &[1, 3])), (0, 4 * unit.0));
    });
    with_costs(Objective::Diversity { l: 2.0 }, |costs, table| {
        assert_eq!(costs.of(&held(table, &[1, 5])).0, 2 << 24);
        assert_eq!(costs.of(&held(table, &[1, 3])).0, 0);
    });
    with_costs(Objective::Closeness { t: 0.25 }, |costs, table| {
        // Heart alone is 5/9 away: 2 · 9 · 2 · (5/9 − 1/4) = 11. All three once are 1/9 away.
        assert_eq!(costs.of(&held(table, &[1, 5])).0, 11);
        assert_eq!(costs.of(&held(table, &[1, 2, 4])).0, 0);
    });
}

fn made(task: &ClusteringTask<'_>, seed: u64) -> (LocalPlan, BlockFigures) {
    let (seed, cancel) = (Seed::from_number(seed), AtomicBool::new(false));
    let context = Context { seed: &seed, progress: &Silent, cancel: &cancel };
    task.plan(&table_1(), &context).unwrap()
}

#[test]
fn blocks_of_three_cover_the_table_once() {
    let lambda = Lambda::try_from(1.0).unwrap();
    for seeds in [Seeds::Random, Seeds::Farthest] {
        for objective in [Objective::Entropy(lambda), Objective::Heights] {
            let task = ClusteringTask {
                models: &[],
                least_size: 3,
                objective,
                seeds,
                choice: Choice::Block,
                column: Some(0),
            };
            let (plan, found) = made(&task, 5);
            assert_eq!((found.blocks, found.distinct.iter().sum::<usize>()), (3, 3));
            let all = velamen_core::recoding::merged(plan.members.concat());
            assert_eq!(all, (0..).zip(table_1().counts).collect::<Vec<_>>());
        }
    }
}

#[test]
fn ties_are_drawn_among_all_that_leave_the_block_least_short() {
    let task = ClusteringTask {
        models: &[],
        least_size: 3,
        objective: Objective::Diversity { l: 3.0 },
        seeds: Seeds::Random,
        choice: Choice::Drawn,
        column: Some(0),
    };
    let plans: Vec<_> = (0..20).map(|seed| made(&task, seed)).collect();
    // Four, three and two records of the values: a block takes one of a value that it lacks, whatever that loses, until
    // two of one value and one of another are left.
    assert!(plans.iter().all(|(_, found)| found.distinct == [0, 1, 2]));
    let mut losses: Vec<u64> = plans.iter().map(|(_, found)| found.block_loss.to_bits()).collect();
    losses.sort_unstable();
    losses.dedup();
    assert!(losses.len() > 5, "information chose: {losses:?}");
}

#[test]
fn records_of_least_distance_to_the_seed_make_its_block() {
    let lambda = Lambda::try_from(1.0).unwrap();
    let of = |choice, least_size| {
        let objective = Objective::Entropy(lambda);
        let task = ClusteringTask {
            models: &[],
            least_size,
            objective,
            seeds: Seeds::Random,
            choice,
            column: Some(0),
        };
        let seed = Seed::from_number(5);
        let cancel = AtomicBool::new(false);
        let context = Context { seed: &seed, progress: &Silent, cancel: &cancel };
        task.blocks(&table_1(), &context).unwrap().into_iter().map(|block| block.held).collect::<Vec<_>>()
    };
    // Of blocks of two both readings are the same.
    assert_eq!(of(Choice::Seed, 2), of(Choice::Block, 2));
    let blocks = of(Choice::Seed, 3);
    assert_eq!(blocks.iter().flatten().map(|held| held.1).sum::<u64>(), 9);
    // The first block: no record outside is nearer to its seed than the farther of its two others.
    with_costs(Objective::Entropy(lambda), |costs, _| {
        let first = &blocks[0];
        let far = |seed: u32, cell: u32| costs.of(&super::objective::with(&[(seed, 1)], &[(cell, 1)]));
        let is_seed = |&(seed, held): &(u32, u64)| {
            let others = first.iter().map(|&(cell, n)| (cell, n - u64::from(cell == seed)));
            let farthest = others.filter(|o| o.1 > 0).map(|(cell, _)| far(seed, cell)).max();
            let left = |cell: &u32| {
                let taken = first.iter().find(|h| h.0 == *cell).map_or(0, |h| h.1);
                costs.cells.count[*cell as usize] > taken
            };
            held > 0 && (0..costs.cells.len() as u32).filter(left).all(|c| Some(far(seed, c)) >= farthest)
        };
        assert!(first.iter().any(is_seed), "{blocks:?}");
    });
}

#[test]
fn lambda_is_checked() {
    assert!(Lambda::try_from(-0.1).is_err() && Lambda::try_from(f64::NAN).is_err());
    assert!(Lambda::try_from(1024.0).is_ok() && Lambda::try_from(1025.0).is_err());
}
