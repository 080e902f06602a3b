use std::sync::atomic::AtomicBool;

use velamen_core::context::Silent;
use velamen_core::frequency::{QuasiIdentifier, Rest, RestColumn, Role};
use velamen_core::hierarchy::{Cuts, IntervalRule, MaskRule, Rule, Side, TableRule};

use super::search::Tables;
use super::*;

/// Arca & Hewett 2021, Table 1, with the row 7 that Tables 4 to 6 give back: sex, alcohol consumption,
/// age, zip, weight, race, genetic risk, records.
const TABLE_1: [&str; 22] = [
    "F Med 35 52000 143 Black No 1",
    "F Low 35 52000 143 Black No 3",
    "M Med 50 53000 166 White No 4",
    "M Low 35 52003 143 White No 1",
    "M Med 68 52000 190 Hispanic No 3",
    "M High 68 52000 190 Hispanic No 4",
    "M Med 44 52003 166 Asian HereditaryThrombophilia 3",
    "F Low 75 52002 122 NativeHawaiian No 4",
    "F Med 35 52003 143 Black No 2",
    "F High 75 52002 143 White HereditaryThrombophilia 1",
    "M High 44 52003 166 Asian HereditaryThrombophilia 3",
    "F Med 38 52000 166 White No 4",
    "F High 35 52000 122 AmericanIndian HereditaryThrombophilia 1",
    "F Low 35 52000 122 AmericanIndian HereditaryThrombophilia 2",
    "M Med 38 52003 122 White No 3",
    "F Med 22 54004 180 NativeHawaiian No 3",
    "M High 20 54000 180 AmericanIndian L.O.Alzheimer's 3",
    "M Low 21 54001 180 Black Parkinson's 3",
    "F High 24 54003 180 Asian HereditaryThrombophilia 3",
    "M No 25 54000 122 AmericanIndian Celiac 3",
    "M No 26 54001 166 Asian L.O.Alzheimer's 3",
    "F High 23 54003 180 Asian Parkinson's 3",
];

const AC: usize = 0;
const AGE: usize = 1;
const ZIP: usize = 2;

fn rules() -> [Rule; 3] {
    let rows = ["High;Yes;*", "Med;Yes;*", "Low;Yes;*", "No;No;*"];
    let rows = rows.map(|row| row.split(';').map(str::to_owned).collect());
    let ages = Cuts::Starts(vec![vec![35, 45, 65], vec![45]]);
    [
        Rule::Table(TableRule::new(rows.to_vec()).unwrap()),
        Rule::Interval(IntervalRule::new(ages, 20, 85, 0).unwrap()),
        Rule::Mask(MaskRule::new(Side::Right, 5, 10, vec![1, 2, 3, 4, 5]).unwrap()),
    ]
}

fn table_1() -> FrequencyTable {
    let rows: Vec<Vec<&str>> = TABLE_1.iter().map(|row| row.split(' ').collect()).collect();
    // Every row has a combination of the rest of its own; two that share one are told apart by their
    // quasi-identifiers.
    let mut rests: Vec<Vec<&str>> = rows.iter().map(|row| [&row[..1], &row[4..7]].concat()).collect();
    let all = rests.clone();
    rests.sort();
    rests.dedup();
    let values = rests.iter().map(|rest| rest.join(" ")).collect();
    let column = RestColumn { name: "rest".into(), role: Role::Sensitive, values };
    let rest_of = |row: usize| rests.iter().position(|rest| *rest == all[row]).unwrap() as u32;
    let mut table = FrequencyTable {
        qis: Vec::new(),
        rest: Rest {
            columns: vec![column],
            codes: vec![(0..rests.len() as u32).collect()],
            len: rests.len(),
        },
        codes: Vec::new(),
        rest_index: (0..rows.len()).map(rest_of).collect(),
        counts: rows.iter().map(|row| row[7].parse().unwrap()).collect(),
        population: None,
        strays: velamen_core::frequency::Strays::default(),
    };
    for (rule, column) in rules().iter().zip(1..) {
        let mut values: Vec<String> = rows.iter().map(|row| row[column].to_owned()).collect();
        values.sort();
        values.dedup();
        let (leaves, hierarchy) = rule.over(values, false);
        let code = |row: &Vec<&str>| leaves.iter().position(|leaf| leaf == row[column]).unwrap() as u32;
        table.codes.push(rows.iter().map(code).collect());
        table.qis.push(QuasiIdentifier { name: format!("q{column}"), hierarchy });
    }
    table
}

fn requirement(shield: &[usize], k: u64) -> Requirement {
    Requirement { shield: shield.to_vec(), k }
}

fn task<'a>(
    requirements: &'a [Requirement],
    search: RowStrategy,
    reach: Reach,
    lattice: &'a Lattice,
) -> Iab<'a> {
    let (budget, most_rows) = (USUAL_BUDGET, u64::MAX);
    Iab { requirements, search, reach, budget, most_rows, lattice, expired: None }
}

fn run(task: &Iab<'_>, table: &FrequencyTable) -> Result<(Answer, RowSearchCourse), MethodError> {
    let (seed, cancel) = (velamen_dp::Seed::from_number(0), AtomicBool::new(false));
    task.plan(table, &Context { seed: &seed, progress: &Silent, cancel: &cancel })
}

fn figures(violations: usize, rows: usize) -> RowFigures {
    RowFigures { violations, rows }
}

#[test]
fn the_figures_of_the_papers_tables() {
    let (table, requirements) = (table_1(), [requirement(&[AC, AGE, ZIP], 3)]);
    let lattice = table.lattice();
    let task = task(&requirements, RowStrategy::Iab, Reach::FullDomain, &lattice);
    let levels = Levels::<4>::new(&table, &task, levels::coding(&table).as_ref());
    let of = |state: &[(usize, u32)]| {
        let state: State = state.iter().map(|step| (step.0 as u32, step.1)).collect();
        let figures = levels.figures(&levels.rows(&state));
        (figures.violations, figures.rows)
    };
    assert_eq!(table.records(), 60);
    // The paper prints (6, 22) and, for age alone, (4, 21): it counted records by row there.
    assert_eq!((of(&[]), of(&[(AGE, 1)])), ((5, 22), (3, 22)));
    assert_eq!((of(&[(ZIP, 1)]), of(&[(AC, 1)]), of(&[(ZIP, 2)])), ((2, 21), (0, 18), (2, 21)));
    assert_eq!((of(&[(AGE, 1), (ZIP, 1)]), of(&[(AC, 1), (ZIP, 1)])), ((0, 21), (0, 17)));
}

#[test]
fn the_papers_answers() {
    let (table, requirements) = (table_1(), [requirement(&[AC, AGE, ZIP], 3)]);
    let lattice = table.lattice();
    let answer = |search| {
        let (answer, found) = run(&task(&requirements, search, Reach::FullDomain, &lattice), &table).unwrap();
        let Answer::FullDomain(plan) = answer else { panic!("one level for each attribute") };
        (plan.node.0, found)
    };
    let (node, iab) = answer(RowStrategy::Iab);
    assert_eq!((node, iab.start, iab.answer), (vec![0, 1, 1], figures(5, 22), figures(0, 21)));
    // Table 5 needs 11 tables where age alone has (3, 22): age twice and thrice come first, too.
    assert_eq!((iab.steps, iab.generated, iab.proven), (2, 11, true));
    let (node, every) = answer(RowStrategy::Exhaustive);
    assert_eq!((node, every.answer, every.generated), (vec![0, 1, 1], figures(0, 21), 3 * 4 * 6 - 1));
    // Table 6 has 18 rows, as Figure 5 says; the text says 19.
    let (node, greedy) = answer(RowStrategy::Greedy);
    assert_eq!((node, greedy.answer, greedy.generated), (vec![1, 0, 0], figures(0, 18), 3));
    assert!(!greedy.proven);
}

#[test]
fn subtrees_keep_more_than_levels() {
    let (table, requirements) = (table_1(), [requirement(&[AC, AGE, ZIP], 3)]);
    let lattice = table.lattice();
    let answer = |search| run(&task(&requirements, search, Reach::Subtree, &lattice), &table).unwrap();
    let (plan, found) = answer(RowStrategy::Iab);
    let Answer::Subtree(plan) = plan else { panic!("a cut through each tree") };
    assert_eq!((found.answer.violations, found.proven), (0, true));
    assert!(found.answer.rows >= 21, "{found:?}");
    let labels: Vec<&str> = plan.values[ZIP].iter().map(|value| value.label.as_str()).collect();
    // Only 52000, 52002 and 52003 have violating rows.
    assert_eq!(labels, ["5200*", "53000", "54000", "54001", "54003", "54004"]);
    assert_eq!(answer(RowStrategy::Exhaustive).1.answer, found.answer);
    assert!(answer(RowStrategy::Greedy).1.answer.rows <= found.answer.rows);
}

#[test]
fn several_requirements_hold_at_once() {
    let table = table_1();
    let (lattice, both) = (table.lattice(), [requirement(&[AGE], 9), requirement(&[AC], 7)]);
    for reach in [Reach::FullDomain, Reach::Subtree] {
        let (_, found) = run(&task(&both, RowStrategy::Iab, reach, &lattice), &table).unwrap();
        let (_, all) = run(&task(&both, RowStrategy::Exhaustive, reach, &lattice), &table).unwrap();
        assert_eq!((found.answer.violations, found.answer), (0, all.answer), "{reach:?}");
        for alone in &both {
            let alone = [alone.clone()];
            let (_, one) = run(&task(&alone, RowStrategy::Iab, reach, &lattice), &table).unwrap();
            assert!(one.answer.rows >= found.answer.rows);
        }
    }
}

#[test]
fn what_cannot_be_met_or_not_within_the_budget_is_refused() {
    let table = table_1();
    let bottom = Lattice::between(&Node(vec![0; 3]), &Node(vec![0, 1, 0]));
    let requirements = [requirement(&[AC, AGE, ZIP], 3)];
    for reach in [Reach::FullDomain, Reach::Subtree] {
        let refused = run(&task(&requirements, RowStrategy::Iab, reach, &bottom), &table);
        assert!(matches!(refused, Err(MethodError::Infeasible(_))), "{reach:?}");
    }
    let whole = table.lattice();
    let tight = Iab { budget: 3, ..task(&requirements, RowStrategy::Exhaustive, Reach::FullDomain, &whole) };
    assert!(
        matches!(run(&tight, &table), Err(MethodError::OutOfBudget(text)) if text.to_string().contains("raise budget-steps, or search less with name = \"iab\""))
    );
    let (_, found) = run(&Iab { search: RowStrategy::Iab, ..tight }, &table).unwrap();
    assert_eq!((found.answer, found.proven), (figures(0, 18), false));
    // As many rows as three tables have at most: an answer, and no proof.
    let few_rows = Iab { budget: USUAL_BUDGET, most_rows: 3 * 18, search: RowStrategy::Iab, ..tight };
    let (_, found) = run(&few_rows, &table).unwrap();
    assert!(found.answer.violations == 0 && !found.proven, "{found:?}");
}

#[test]
fn where_the_budget_ends_without_an_answer_the_way_is_straight_up() {
    let (table, requirements) = (table_1(), [requirement(&[AC, AGE, ZIP], 20)]);
    let (lattice, bottom) = (table.lattice(), Lattice::between(&Node(vec![0; 3]), &Node(vec![0, 1, 0])));
    for reach in [Reach::FullDomain, Reach::Subtree] {
        let one = Iab { budget: 1, most_rows: 1, ..task(&requirements, RowStrategy::Iab, reach, &lattice) };
        let (_, found) = run(&one, &table).unwrap();
        assert!(found.answer.violations == 0 && found.answer.rows > 0 && !found.proven, "{found:?}");
        assert!(found.steps > 2 && found.generated > 2, "{found:?}");
        let refused = run(&Iab { lattice: &bottom, ..one }, &table);
        assert!(matches!(refused, Err(MethodError::Infeasible(_))), "{reach:?}");
        let greedy = run(&Iab { search: RowStrategy::Greedy, ..one }, &table);
        let said = "1 tables or 3 rows of these together; raise budget-steps";
        assert!(matches!(greedy, Err(MethodError::OutOfBudget(text)) if text.to_string().contains(said)));
    }
}

/// Table 1 with another hierarchy of alcohol consumption.
fn table_1_with(rows: [&str; 4]) -> FrequencyTable {
    let mut table = table_1();
    let rows = rows.map(|row| row.split(';').map(str::to_owned).collect());
    let rule = Rule::Table(TableRule::new(rows.to_vec()).unwrap());
    table.qis[AC].hierarchy = rule.over(table.qis[AC].hierarchy.labels(0).to_vec(), false).1;
    table
}

#[test]
fn values_under_a_label_of_two_levels_begin_at_the_upper_one() {
    // `Med` is a value and the group of `Med` and `Low`.
    let table = table_1_with(["High;High;*", "Med;Med;*", "Low;Med;*", "No;none;*"]);
    let (lattice, requirements) = (table.lattice(), [requirement(&[AC], 2)]);
    let (plan, _) =
        run(&task(&requirements, RowStrategy::Exhaustive, Reach::Subtree, &lattice), &table).unwrap();
    let Answer::Subtree(plan) = plan else { panic!("subtrees have levels of their own") };
    let labels: Vec<&str> = plan.values[AC].iter().map(|value| value.label.as_str()).collect();
    assert!(labels.contains(&"Med") && !labels.contains(&"Low"), "{labels:?}");
}

#[test]
fn a_label_of_two_meanings_is_refused_by_subtrees() {
    let table = table_1_with(["High;No;*", "Med;No;*", "Low;No;*", "No;none;*"]);
    let (lattice, requirements) = (table.lattice(), [requirement(&[AC], 3)]);
    let refused = run(&task(&requirements, RowStrategy::Iab, Reach::Subtree, &lattice), &table);
    assert!(matches!(refused, Err(MethodError::Unfit(text)) if text.to_string().contains("two levels")));
}

/// What a step is counted to come to, and what the table that it makes does, of every table there is.
fn steps_agree(tables: &impl Tables) -> usize {
    let mut seen = std::collections::BTreeSet::from([State::new()]);
    let mut open = vec![State::new()];
    while let Some(state) = open.pop() {
        let rows = tables.rows(&state);
        for step in tables.steps(&rows) {
            let after = tables.state_after(&state, step);
            assert_eq!(tables.figures_after(&rows, step), tables.figures(&tables.rows(&after)), "{after:?}");
            if seen.insert(after.clone()) {
                open.push(after);
            }
        }
    }
    seen.len()
}

#[test]
fn a_step_comes_to_what_the_table_that_it_makes_does() {
    let (table, lattice) = (table_1(), table_1().lattice());
    let shields = [requirement(&[AC, ZIP], 4), requirement(&[AGE], 3), requirement(&[AC, AGE, ZIP], 2)];
    for search in [RowStrategy::Iab, RowStrategy::Greedy] {
        let levels = task(&shields, search, Reach::FullDomain, &lattice);
        assert!(steps_agree(&Levels::<4>::new(&table, &levels, levels::coding(&table).as_ref())) > 10);
        let cuts = task(&shields, search, Reach::Subtree, &lattice);
        let space = Space::<4>::new(&table, &cuts, &state::layout(&table, &cuts).unwrap()).unwrap();
        assert!(steps_agree(&space) > 10);
    }
}
