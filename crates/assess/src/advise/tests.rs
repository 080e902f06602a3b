//! The change that helps most, against making every change by itself.

use std::fmt::Write;

use velamen_core::context::Silent;
use velamen_dp::{Seed, below};
use velamen_job::{Left, RunOptions, Session};

use super::*;

const RECORDS: usize = 3000;
const COLUMNS: usize = 14;

/// 3,000 records of 14 columns, of which the last quasi-identifiers have many values.
fn table() -> String {
    let mut stream = Seed::from_number(7).stream(1);
    let mut text = (1..COLUMNS).map(|column| format!("q{column},")).collect::<String>() + "outcome\n";
    for _ in 0..RECORDS {
        for column in 1..COLUMNS as u64 {
            // Two draws make the middle values more frequent.
            let values = 2 + column * column / 2;
            write!(text, "{},", below(&mut stream, values) + below(&mut stream, values)).unwrap();
        }
        writeln!(text, "{}", ["well", "ill", "worse"][below(&mut stream, 3) as usize]).unwrap();
    }
    text
}

fn recipe() -> String {
    let attribute = |column: usize| {
        let max = 2 * (1 + column * column / 2);
        let width = (max / 8).max(2);
        format!(
            "[attributes.q{column}]\nrole = \"quasi-identifier\"\nhierarchy = {{ interval = [{width}, {}], min = 0, \
             max = {max} }}\n",
            2 * width
        )
    };
    let attributes: String = (1..COLUMNS).map(attribute).collect();
    format!(
        "[input]\npath = \"table.csv\"\n{attributes}[attributes.outcome]\nrole = \"sensitive\"\n[[privacy]]\nmodel = \
         \"k-anonymity\"\nk = 5\n[method]\nseed = 1\nname = \"mondrian\"\n[output]\npath = \"release\"\n"
    )
}

/// A column's hierarchy without its narrowest width, and with half of it, where half is a whole number above 1.
fn intervals(column: usize) -> Vec<String> {
    let width = (2 * (1 + column * column / 2) / 8).max(2);
    let set = |widths: String| format!("attributes.q{column}.hierarchy.interval=[{widths}]");
    let finer =
        (width.is_multiple_of(2) && width > 2).then(|| set(format!("{}, {width}, {}", width / 2, 2 * width)));
    finer.into_iter().chain([set((2 * width).to_string())]).collect()
}

/// The loss of a changed recipe by the left-overs of each column, not by the figure that the advice reads.
fn loss_by_columns(folder: &Path, set: &str, context: &Context<'_>) -> Option<f64> {
    let path = folder.join("recipe.toml");
    let overrides = Overrides { set: vec![set.to_owned()], ..Overrides::default() };
    let resolved = Recipe::load(&path, &overrides).ok()?.resolve().ok()?;
    let mut loaded = Session::open(&resolved, &RunOptions::default(), context).ok()?.read(context).ok()?;
    let left: Left = loaded.search(context).ok()?.left(context);
    let dropped = COLUMNS - 1 - left.attributes.len();
    let losses =
        left.attributes.iter().map(|attribute| attribute.loss).chain(std::iter::repeat_n(1.0, dropped));
    Some(losses.map(|loss| 1.0 + loss).product::<f64>().powf(1.0 / (COLUMNS - 1) as f64) - 1.0)
}

#[test]
fn the_change_that_helps_most_is_among_the_first_three() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("recipe.toml");
    std::fs::write(folder.path().join("table.csv"), table()).unwrap();
    std::fs::write(&path, recipe()).unwrap();
    let cancel = AtomicBool::new(false);
    let context = Context { seed: &Seed::from_number(1), progress: &Silent, cancel: &cancel };
    let load = |overrides: &Overrides| Recipe::load(&path, overrides);
    let request =
        AdviceRequest { recipe: &load, set: Vec::new(), analyses: AnalysisOptions::default(), within: 600.0 };
    let advice = advise(&request, &context).unwrap();
    assert_eq!(advice.not_tried, Vec::<String>::new());
    let sets: Vec<String> = (1..COLUMNS)
        .map(|column| format!("attributes.q{column}.role=\"identifier\""))
        .chain([2, 3, 10, 20].map(|k| format!("privacy.0.k={k}")))
        .chain((1..COLUMNS).flat_map(intervals))
        .chain(["method={ name = \"optimal\", suppression-limit = 0.05, local-recoding = true }".to_owned()])
        .collect();
    let losses = sets.iter().filter_map(|set| Some((loss_by_columns(folder.path(), set, &context)?, set)));
    let (least, best) = losses.min_by(|a, b| a.0.total_cmp(&b.0)).unwrap();
    let first: Vec<&String> = advice.changes.iter().take(3).flat_map(|change| &change.set).collect();
    assert!(first.contains(&best), "{best} with {least} is not among {first:?}");
    let found = advice.changes.iter().find(|change| change.set.contains(best)).unwrap();
    assert!((found.figures.loss - least).abs() < 1e-9, "{} {least}", found.figures.loss);
}

#[test]
fn no_time_leaves_every_change_untried_and_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("recipe.toml");
    std::fs::write(folder.path().join("table.csv"), table()).unwrap();
    std::fs::write(&path, recipe()).unwrap();
    let cancel = AtomicBool::new(false);
    let context = Context { seed: &Seed::from_number(1), progress: &Silent, cancel: &cancel };
    let load = |overrides: &Overrides| Recipe::load(&path, overrides);
    let analyses = AnalysisOptions { analysis: vec!["q13 ~ q3 + q4".into()], ..AnalysisOptions::default() };
    let request = AdviceRequest { recipe: &load, set: Vec::new(), analyses, within: 1e-9 };
    let advice = advise(&request, &context).unwrap();
    assert!(advice.now.mean_overlap.is_some_and(|overlap| (0.0..=1.0).contains(&overlap)));
    assert!(advice.changes.len() + advice.not_tried.len() > 15 && !advice.not_tried.is_empty());
}
