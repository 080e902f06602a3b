//! IAB against every table there is, made and counted from the definitions on strings.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use velamen_core::frequency::FrequencyTable;
use velamen_search::method::MethodError;
use velamen_search::method::iab::{Answer, Iab, Reach, Requirement, RowSearchCourse, RowStrategy};
use velamen_testsuite::{Case, Floor, cases, on_threads, share, with_context};

/// What an attribute's values are released as.
type Map = BTreeMap<String, String>;

/// All ways to cut an attribute's tree: each value as it is or as one of those above it, so that what is
/// under a released value is released as that value.
fn cuts(rows: &[Vec<String>], level: usize) -> Vec<Map> {
    let mut all = vec![rows.iter().map(|row| (row[0].clone(), row[level].clone())).collect()];
    if level == 0 {
        return all;
    }
    let mut children: BTreeMap<&String, Vec<Vec<String>>> = BTreeMap::new();
    for row in rows {
        children.entry(&row[level - 1]).or_default().push(row.clone());
    }
    let mut below = vec![Map::new()];
    for child in children.values() {
        let parts = cuts(child, level - 1);
        let joined = |map: &Map| {
            parts.iter().map(|part| map.iter().chain(part).map(own).collect()).collect::<Vec<Map>>()
        };
        below = below.iter().flat_map(joined).collect();
    }
    all.extend(below);
    all
}

fn own((value, label): (&String, &String)) -> (String, String) {
    (value.clone(), label.clone())
}

/// Per attribute all that it can be released as.
fn choices(case: &Case, q: usize, reach: Reach) -> Vec<Map> {
    let rows = &case.hierarchies[q];
    match reach {
        Reach::FullDomain => (0..rows[0].len())
            .map(|level| rows.iter().map(|row| (row[0].clone(), row[level].clone())).collect())
            .collect(),
        Reach::Subtree => cuts(rows, rows[0].len() - 1),
    }
}

/// Distinct rows, if all requirements hold.
fn rows(case: &Case, maps: &[&Map], requirements: &[Requirement]) -> Option<usize> {
    let mut released: BTreeMap<Vec<&str>, u64> = BTreeMap::new();
    for row in &case.rows {
        let labels = maps.iter().zip(row).map(|(map, value)| map[value].as_str());
        *released.entry(labels.chain([row[case.qis()].as_str()]).collect()).or_default() += 1;
    }
    let holds = |requirement: &Requirement| {
        let mut shields: BTreeMap<Vec<&str>, u64> = BTreeMap::new();
        for (row, count) in &released {
            *shields.entry(requirement.shield.iter().map(|&q| row[q]).collect()).or_default() += count;
        }
        shields.values().all(|count| *count >= requirement.k)
    };
    requirements.iter().all(holds).then_some(released.len())
}

/// The most rows of any table that keeps the requirements.
fn most_rows(case: &Case, requirements: &[Requirement], reach: Reach) -> Option<usize> {
    let shielded: BTreeSet<usize> = requirements.iter().flat_map(|r| &r.shield).copied().collect();
    let choices: Vec<Vec<Map>> = (0..case.qis())
        .map(|q| {
            let mut all = choices(case, q, if shielded.contains(&q) { reach } else { Reach::FullDomain });
            // Attributes of no shield are released as they are: their level 0 comes first.
            if !shielded.contains(&q) {
                all.truncate(1);
            }
            all
        })
        .collect();
    let mut tables: Vec<Vec<&Map>> = vec![Vec::new()];
    for maps in &choices {
        tables = tables
            .iter()
            .flat_map(|table| maps.iter().map(move |map| [&table[..], &[map]].concat()))
            .collect();
    }
    tables.iter().filter_map(|maps| rows(case, maps, requirements)).max()
}

fn search(
    table: &FrequencyTable,
    requirements: &[Requirement],
    search: RowStrategy,
    reach: Reach,
) -> Result<(Answer, RowSearchCourse), MethodError> {
    let lattice = table.lattice();
    let task = Iab {
        requirements,
        search,
        reach,
        budget: 1 << 40,
        most_rows: u64::MAX,
        lattice: &lattice,
        expired: None,
    };
    with_context(0, |context| task.plan(table, context))
}

/// The released rows of an answer, from its plan.
fn released(table: &FrequencyTable, answer: &Answer) -> BTreeMap<Vec<String>, u64> {
    let mut rows = BTreeMap::new();
    let mut add = |labels: Vec<String>, entry: usize, count: u64| {
        let rest = table.rest_index[entry].to_string();
        *rows.entry([labels, vec![rest]].concat()).or_default() += count;
    };
    match answer {
        Answer::FullDomain(plan) => (0..table.len()).for_each(|entry| {
            let label = |(q, &level): (usize, &u8)| {
                let hierarchy = &table.qis[q].hierarchy;
                hierarchy.label(level, hierarchy.code(level, table.codes[q][entry])).to_owned()
            };
            add(plan.node.0.iter().enumerate().map(label).collect(), entry, table.counts[entry]);
        }),
        Answer::Subtree(plan) => {
            for (codes, members) in plan.codes.chunks(plan.values.len()).zip(&plan.members) {
                let label = |(q, &code): (usize, &u32)| plan.values[q][code as usize].label.clone();
                let labels: Vec<String> = codes.iter().enumerate().map(label).collect();
                members.iter().for_each(|&(entry, count)| add(labels.clone(), entry as usize, count));
            }
        }
    }
    rows
}

/// One to three requirements; attributes that a table does not have are left out of their shields.
fn requirements() -> impl Strategy<Value = Vec<(u8, u64)>> {
    proptest::collection::vec((1u8..8, 1u64..6), 1..4)
}

fn fitted(case: &Case, drawn: &[(u8, u64)]) -> Vec<Requirement> {
    let shield = |mask: u8| (0..case.qis()).filter(|q| mask >> q & 1 == 1).collect::<Vec<usize>>();
    let some = |mask: u8| Some(shield(mask)).filter(|shield| !shield.is_empty()).unwrap_or_else(|| vec![0]);
    drawn.iter().map(|&(mask, k)| Requirement { shield: some(mask), k }).collect()
}

static FEASIBLE: Floor = Floor::new();

static THREADED: Floor = Floor::new();

proptest! {
    #![proptest_config(ProptestConfig::with_cases(share(96)))]

    fn iab_keeps_as_many_rows_as_any_table_each(case in cases(4..16), drawn in requirements(), subtree in any::<bool>()) {
        let reach = if subtree { Reach::Subtree } else { Reach::FullDomain };
        let (table, requirements) = (case.table(), fitted(&case, &drawn));
        FEASIBLE.begin();
        let Some(most) = most_rows(&case, &requirements, reach) else {
            let refused = search(&table, &requirements, RowStrategy::Iab, reach);
            prop_assert!(matches!(refused, Err(MethodError::Infeasible(_))));
            return Ok(());
        };
        FEASIBLE.real();
        let (answer, iab) = search(&table, &requirements, RowStrategy::Iab, reach).unwrap();
        prop_assert_eq!((iab.answer.rows, iab.answer.violations, iab.proven), (most, 0, true));
        let (_, every) = search(&table, &requirements, RowStrategy::Exhaustive, reach).unwrap();
        prop_assert_eq!(every.answer.rows, most);
        // By subtrees those by levels come before.
        prop_assert!(subtree || iab.generated <= every.generated);
        let (greedily, greedy) = search(&table, &requirements, RowStrategy::Greedy, reach).unwrap();
        prop_assert!(greedy.answer.rows <= most);
        for (answer, found) in [(&answer, iab), (&greedily, greedy)] {
            let rows = released(&table, answer);
            prop_assert_eq!(rows.len(), found.answer.rows);
            for requirement in &requirements {
                let mut shields: BTreeMap<Vec<&String>, u64> = BTreeMap::new();
                for (row, count) in &rows {
                    *shields.entry(requirement.shield.iter().map(|&q| &row[q]).collect()).or_default() += count;
                }
                prop_assert!(shields.values().all(|count| *count >= requirement.k));
            }
        }
    }

    fn threads_change_nothing_each(case in cases(4..16), drawn in requirements(), subtree in any::<bool>()) {
        let reach = if subtree { Reach::Subtree } else { Reach::FullDomain };
        let (table, requirements) = (case.table(), fitted(&case, &drawn));
        let run = || search(&table, &requirements, RowStrategy::Iab, reach).map(|(answer, found)| (released(&table, &answer), found));
        let (one, two) = (on_threads(1, run), on_threads(2, run));
        THREADED.begin();
        if one.is_ok() {
            THREADED.real();
        }
        prop_assert_eq!(one, two);
    }
}

#[test]
fn threads_change_nothing() {
    threads_change_nothing_each();
    THREADED.at_least(80);
}

#[test]
fn iab_keeps_as_many_rows_as_any_table() {
    iab_keeps_as_many_rows_as_any_table_each();
    FEASIBLE.at_least(80);
}
