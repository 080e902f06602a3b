use std::path::Path;
use std::sync::atomic::AtomicBool;

use velamen_core::context::Silent;
use velamen_dp::Seed;

use super::*;

pub(crate) fn in_context<T>(run: impl FnOnce(&Context<'_>) -> T) -> T {
    let (seed, cancel) = (Seed::from_number(1), AtomicBool::new(false));
    run(&Context { seed: &seed, progress: &Silent, cancel: &cancel })
}

/// Whether a page is made twice to compare its bytes: all are in `cargo xtask nightly`, that of Lee 2020 always.
pub(crate) fn again() -> bool {
    std::env::var_os("VELAMEN_NIGHTLY").is_some()
}

/// The 30 162 complete records of Adult; `None` unless VELAMEN_DATA names the folder of data.
fn complete_adult() -> Option<velamen_core::frequency::FrequencyTable> {
    let folder = Path::new(&std::env::var_os("VELAMEN_DATA")?).join("adult");
    let quoted = |name: &str| format!("{:?}", folder.join(name));
    let mut text = format!("[input]\npath = {}\n[output]\npath = \"unused\"\n", quoted("adult.csv"));
    text += "[[privacy]]\nmodel = \"k-anonymity\"\nk = 2\n";
    let mut attribute = |name: &str, role: &str| {
        let hierarchy = quoted(&format!("adult_hierarchy_{name}.csv"));
        text += &format!("[attributes.{name}]\nrole = \"{role}\"\nhierarchy = {hierarchy}\n");
    };
    for name in ["sex", "age", "race", "marital-status", "education", "native-country", "workclass"] {
        attribute(name, "quasi-identifier");
    }
    attribute("occupation", "sensitive");
    attribute("salary-class", "identifier");
    let recipe = tempfile::NamedTempFile::new_in(std::env::temp_dir()).unwrap();
    std::fs::write(recipe.path(), text).unwrap();
    let resolved =
        velamen_recipe::Recipe::load(recipe.path(), &Default::default()).unwrap().resolve().unwrap();
    let mut source = velamen_job::table::OpenedTable::open(&resolved, recipe.path(), false).unwrap();
    Some(in_context(|context| source.read(context)).unwrap())
}

#[test]
fn counterfeits_agree_with_an_independent_computation() {
    let Some(table) = complete_adult() else { return };
    assert_eq!(table.records(), 30_162);
    let least = in_context(|context| counterfeits::survey(&table, context)).unwrap();
    let admitted: Vec<usize> = least.iter().map(|one| one.admitted).collect();
    assert_eq!(admitted, [271, 429, 654].repeat(3));
    let counts: Vec<Option<u64>> = least.iter().map(|one| one.least).collect();
    assert_eq!(counts, [656, 360, 171, 1593, 895, 442, 4403, 2478, 1259].map(Some));
}

/// Both folders hold the tables, pictures and page of these figures, nothing else, and the same bytes; so does the one
/// alone.
pub(crate) fn assert_same(first: &Path, second: Option<&Path>, figures: &[&str]) {
    let names = figures.iter().flat_map(|name| [format!("{name}.csv"), format!("{name}.svg")]);
    let names: Vec<String> = names.chain(["index.html".to_owned()]).collect();
    for name in &names {
        let read = |folder: &Path| std::fs::read(folder.join(name)).unwrap();
        let bytes = read(first);
        assert!(!bytes.is_empty() && second.is_none_or(|second| read(second) == bytes), "{name}");
    }
    assert_eq!(std::fs::read_dir(first).unwrap().count(), names.len());
}

const FILES: [&str; 16] = [
    "fig5",
    "fig6",
    "fig7",
    "fig8",
    "fig9",
    "fig10",
    "fig11a",
    "fig11a-released",
    "fig11b",
    "fig11b-released",
    "fig11c",
    "fig11c-released",
    "fig11d",
    "fig11d-released",
    "counterfeits",
    "minimality",
];

fn small(output: &Path) -> Vec<Trend> {
    let request = Request { data: None, output: output.to_owned(), patients: 2000 };
    in_context(|context| run(&request, 2000, context)).unwrap()
}

#[test]
fn a_small_run_writes_everything_and_the_same_again() {
    let parent = tempfile::tempdir().unwrap();
    let (first, second) = (parent.path().join("first"), parent.path().join("second"));
    let trends = small(&first);
    if again() {
        assert_eq!(trends, small(&second));
    }
    assert_same(&first, again().then_some(&*second), &FILES);
    assert_eq!(std::fs::read_dir(parent.path()).unwrap().count(), if again() { 2 } else { 1 });
    let page = std::fs::read_to_string(first.join("index.html")).unwrap();
    for trend in &trends {
        assert!(page.contains(&format!(">{}<", trend.figure)) && !trend.measured.is_empty());
    }
    assert_eq!(page.matches("<svg").count(), FILES.len());
}

#[test]
fn an_existing_folder_and_an_interruption_leave_nothing() {
    let parent = tempfile::tempdir().unwrap();
    let output = parent.path().join("there");
    let request = Request { data: None, output: output.clone(), patients: 100 };
    let (seed, cancel) = (Seed::from_number(1), AtomicBool::new(true));
    let context = Context { seed: &seed, progress: &Silent, cancel: &cancel };
    assert!(run(&request, 100, &context).is_err_and(|error| error.is_interrupted()));
    assert_eq!(std::fs::read_dir(parent.path()).unwrap().count(), 0);
    std::fs::create_dir(&output).unwrap();
    let refused = in_context(|context| run(&request, 100, context)).unwrap_err();
    assert!(refused.to_string().contains("already exists"));
}
