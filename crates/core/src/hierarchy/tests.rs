use super::*;

fn rows(text: &str) -> Vec<Vec<String>> {
    text.lines().map(|line| line.split(';').map(str::to_owned).collect()).collect()
}

fn strings(values: &[&str]) -> Vec<String> {
    values.iter().map(|v| (*v).to_owned()).collect()
}

#[test]
fn degrees_of_the_papers_first_record() {
    // Lee 2017, after Eq. 3: age 0.31, sex 1, zip code 0.33, mean 0.55.
    let age = IntervalRule::new(Cuts::Starts(vec![vec![35, 67]]), 0, 99, 0).unwrap();
    let (_, age) = Rule::Interval(age).over(strings(&["35", "66"]), false);
    let (_, sex) = Rule::Flat.over(strings(&["F", "M"]), false);
    let zip = IntervalRule::new(Cuts::Starts(vec![vec![22_071, 55_325]]), 0, 99_999, 0).unwrap();
    let (_, zip) = Rule::Interval(zip).over(strings(&["22071"]), false);
    let degrees = [age.degree(1, 0), sex.degree(1, 0), zip.degree(1, 0)];
    assert_eq!(age.label(1, 0), "[35-66]");
    assert!((degrees[0] - 31.0 / 99.0).abs() < 1e-12);
    assert!((degrees[2] - 33_253.0 / 99_999.0).abs() < 1e-12);
    assert!((degrees.iter().sum::<f64>() / 3.0 - 0.55).abs() < 0.005);
}

#[test]
fn a_table_counts_absent_leaves() {
    let rule = Rule::Table(TableRule::new(rows("a;x;*\nb;x;*\nc;y;*")).unwrap());
    let (leaves, hierarchy) = rule.over(strings(&["c", "a"]), false);
    assert_eq!(leaves, ["a", "c"]);
    assert_eq!((hierarchy.domain(), hierarchy.leaves(1, 0), hierarchy.leaves(1, 1)), (3, 2, 1));
    assert_eq!(hierarchy.leaves(2, 0), 3);
    let (leaves, _) = rule.over(strings(&["c"]), true);
    assert_eq!(leaves, ["a", "b", "c"]);
}

#[test]
fn a_missing_value_is_a_leaf_of_its_own() {
    let rule = Rule::Interval(IntervalRule::new(Cuts::Sizes(vec![5]), 0, 9, 0).unwrap());
    let (leaves, hierarchy) = rule.over(strings(&["7", "", "3"]), false);
    assert_eq!(leaves, ["", "3", "7"]);
    assert_eq!(hierarchy.labels(1), ["", "[0-4]", "[5-9]"]);
    assert_eq!((hierarchy.domain(), hierarchy.labels(2)), (11, &strings(&["*"])[..]));
}

#[test]
fn steps_compose() {
    let rule = Rule::Interval(IntervalRule::new(Cuts::Sizes(vec![5, 10]), 0, 99, 0).unwrap());
    let (_, hierarchy) = rule.over((0..100).map(|n| n.to_string()).collect(), false);
    let (low, high) = (hierarchy.step(0, 1), hierarchy.step(1, 2));
    assert!((0..100).all(|leaf| high[low[leaf] as usize] == hierarchy.code(2, leaf as u32)));
}

#[test]
fn numbers_sort_by_size_and_text_by_code_point() {
    let mut numbers = strings(&["10", "9", "", "1.5"]);
    assert!(sort_values(&mut numbers));
    assert_eq!(numbers, ["", "1.5", "9", "10"]);
    let mut text = strings(&["10", "9", "x"]);
    assert!(!sort_values(&mut text));
    assert_eq!(text, ["10", "9", "x"]);
}
