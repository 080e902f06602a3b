//! Analyses on small tables: releases that change nothing, ranges by hand, counterfeits, and what is refused.

use std::fmt::Write;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use velamen_core::context::Silent;
use velamen_dp::Seed;
use velamen_engine::source::ReadOptions;
use velamen_job::{RunOptions, anonymize};
use velamen_recipe::{Overrides, Recipe};

use super::super::{CompareOptions, compare};
use super::*;

const LEVELS: &str = r#"
[method]
name = "optimal"
"#;

/// A table in a folder with its release.
struct Case {
    folder: tempfile::TempDir,
}

/// 240 records by whole numbers, each twice: age 20 to 79, sex, ward, days, died, diagnosis.
fn table() -> String {
    let mut text = "age,sex,ward,days,died,diagnosis\n".to_owned();
    for i in (1..=240u32).chain(1..=240) {
        let (age, sex) = (20 + (i * 37) % 60, if (i * 7) % 5 < 2 { "F" } else { "M" });
        let (days, died) = (1 + (i * i * 13) % 47 + age / 10, u32::from((i * 91) % 100 < 20 + age / 2));
        let ward = ["a", "b", "c"][(i % 3) as usize];
        let diagnosis = ["flu", "cough", "asthma"][((i * i + i / 3) % 3) as usize];
        writeln!(text, "{age},{sex},{ward},{days},{died},{diagnosis}").unwrap();
    }
    text
}

impl Case {
    /// The table of [`table`] with an age of this hierarchy, released by a method.
    fn new(table: &str, age: &str, k: u32, method: &str) -> Self {
        let case = Self { folder: tempfile::tempdir().unwrap() };
        std::fs::write(case.path("table.csv"), table).unwrap();
        let recipe = format!(
            "[input]\npath = \"table.csv\"\n[attributes.age]\nrole = \"quasi-identifier\"\n{age}\n\
             [attributes.sex]\nrole = \"quasi-identifier\"\n[attributes.ward]\nrole = \"quasi-identifier\"\n\
             [attributes.days]\nrole = \"insensitive\"\n[attributes.died]\nrole = \"insensitive\"\n\
             [attributes.diagnosis]\nrole = \"sensitive\"\n[[privacy]]\nmodel = \"k-anonymity\"\nk = {k}\n{method}\n\
             [output]\npath = \"release\"\n"
        );
        let path = case.path("recipe.toml");
        std::fs::write(&path, recipe).unwrap();
        let recipe = Recipe::load(&path, &Overrides::default()).unwrap().resolve().unwrap();
        with_context(|context| anonymize(&recipe, &RunOptions::default(), context).map(drop)).unwrap();
        case
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn analyses(&self, texts: &[&str], ranges: RangeReading) -> Result<Analyses, JobError> {
        let analysis = AnalysisOptions {
            analysis: texts.iter().map(|text| (*text).to_owned()).collect(),
            by: Vec::new(),
            reading: ranges,
        };
        self.asked(analysis)
    }

    fn asked(&self, analysis: AnalysisOptions) -> Result<Analyses, JobError> {
        let options = CompareOptions { analysis, ..CompareOptions::default() };
        let (original, release) = (self.path("table.csv").into(), self.path("release"));
        let found =
            with_context(|context| compare(&original, &ReadOptions::default(), &release, &options, context));
        found.map(|found| found.analyses.unwrap())
    }

    /// All analyses of a file.
    fn of_file(&self, text: &str, ranges: RangeReading) -> Result<Analyses, JobError> {
        let path = self.path("analyses.toml");
        std::fs::write(&path, text).unwrap();
        self.analyses(&[path.to_str().unwrap()], ranges)
    }

    fn refusal(&self, text: &str) -> String {
        let message = self.of_file(text, RangeReading::Middle).unwrap_err().to_string();
        message.replace(self.folder.path().to_str().unwrap(), "DIR")
    }
}

fn with_context<T>(run: impl FnOnce(&Context<'_>) -> Result<T, JobError>) -> Result<T, JobError> {
    let cancel = AtomicBool::new(false);
    run(&Context { seed: &Seed::from_number(1), progress: &Silent, cancel: &cancel })
}

/// Every kind once.
const ALL: &str = r#"
[[analysis]]
kind = "mean"
formula = "days ~ sex"
[[analysis]]
kind = "proportion"
formula = "diagnosis ~ ward"
[[analysis]]
kind = "difference"
formula = "days ~ sex"
[[analysis]]
kind = "difference"
formula = "diagnosis ~ sex"
value = "flu"
[[analysis]]
kind = "odds-ratio"
formula = "died ~ ward"
reference = { ward = "b" }
[[analysis]]
kind = "correlation"
formula = "days ~ age"
[[analysis]]
kind = "linear"
formula = "days ~ age + sex + ward"
[[analysis]]
kind = "logistic"
formula = "died ~ age + sex"
[[analysis]]
kind = "kaplan-meier"
formula = "Surv(days, died) ~ sex"
at = [10, 30]
[[analysis]]
name = "hazards"
kind = "cox"
formula = "Surv(days, died) ~ age + ward"
"#;

const YEARS: &str = "hierarchy = { interval = [2, 10, 20], min = 0, max = 119 }\nlevel = 0";
const DECADES: &str = "hierarchy = { interval = [10, 20], min = 0, max = 119 }\nlevel = 1";

#[test]
fn a_release_that_changes_nothing_agrees_in_everything() {
    let case = Case::new(&table(), YEARS, 2, LEVELS);
    for ranges in [RangeReading::Middle, RangeReading::Draws] {
        let found = case.of_file(ALL, ranges).unwrap();
        assert_eq!((found.estimates, found.in_release, found.turned), (31, 31, 0));
        assert!((found.mean_overlap - 1.0).abs() < 1e-9, "{}", found.mean_overlap);
        // Two of the sixteen coefficients are intercepts.
        assert_eq!((found.effects, found.same_sign, found.same_significance), (14, 14, 14));
        let pairs = found.analyses.iter().flat_map(|analysis| &analysis.estimates);
        for pair in pairs {
            assert!(pair.standardized_difference.is_none_or(|apart| apart.abs() < 1e-9), "{}", pair.name);
        }
    }
}

/// The mean of the original's ages, of the middles, and of both ends of their decades, written out.
#[test]
fn ranges_are_read_by_middle_or_both_ends() {
    let case = Case::new(&table(), DECADES, 2, LEVELS);
    let ages: Vec<f64> = (1..=240u32).map(|i| f64::from(20 + (i * 37) % 60)).collect();
    let mean = |of: fn(f64) -> f64| ages.iter().map(|age| of(*age)).sum::<f64>() / 240.0;
    let text = "[[analysis]]\nkind = \"mean\"\nformula = \"age ~ 1\"\n";
    let middle = case.of_file(text, RangeReading::Middle).unwrap();
    let [pair] = &middle.analyses[0].estimates[..] else { panic!("one mean") };
    let near = |found: f64, expected: f64| assert!((found - expected).abs() < 1e-9, "{found} {expected}");
    near(pair.original.unwrap().estimate, mean(|age| age));
    near(pair.release.unwrap().estimate, mean(|age| (age / 10.0).floor() * 10.0 + 4.5));
    let bounds = case.of_file(text, RangeReading::Bounds).unwrap();
    let released = bounds.analyses[0].estimates[0].release.unwrap();
    assert!(released.low < mean(|age| (age / 10.0).floor() * 10.0));
    assert!(released.high > mean(|age| (age / 10.0).floor() * 10.0 + 9.0));
    let drawn = case.of_file(text, RangeReading::Draws).unwrap();
    let released = drawn.analyses[0].estimates[0].release.unwrap();
    // Ten draws of 240 records: within 0.5 years but once in 10⁸ runs, and never just the middle.
    assert!((released.estimate - mean(|age| (age / 10.0).floor() * 10.0 + 4.5)).abs() < 0.5);
    assert!(released.standard_error > 0.0 && released.estimate != pair.release.unwrap().estimate);
}

#[test]
fn suppressed_records_are_left_out_where_their_values_are_hidden() {
    let lonely = table() + "119,F,a,50,1,flu\n";
    let method = "[method]\nname = \"optimal\"\nsuppression-limit = 0.05\n";
    let case = Case::new(&lonely, DECADES, 2, method);
    let text =
        "[[analysis]]\nformula = \"days ~ sex\"\n[[analysis]]\nkind = \"mean\"\nformula = \"days ~ 1\"\n";
    let found = case.of_file(text, RangeReading::Middle).unwrap();
    let used = |at: usize| (found.analyses[at].original.used, found.analyses[at].release);
    let (original, release) = used(0);
    assert_eq!((original, release.used, release.hidden), (481.0, 480.0, 1.0));
    // Its other columns are emptied.
    let (original, release) = used(1);
    assert_eq!((original, release.used, release.missing), (481.0, 480.0, 1.0));
}

#[test]
fn counterfeits_weigh_what_the_catalog_leaves() {
    let method = "[method]\nname = \"h-ceiling\"\nh = 0.9\ninsensitive = \"release\"\n";
    let case = Case::new(&table(), DECADES, 4, method);
    let found = case.of_file(ALL, RangeReading::Middle).unwrap();
    let linear = &found.analyses[6];
    let all = linear.release.used + linear.release.hidden;
    assert!((all - 480.0).abs() < 1e-6, "{all}");
    assert_eq!(found.estimates, 31);
    let again = case.of_file(ALL, RangeReading::Middle).unwrap();
    assert_eq!(serde_json::to_string(&found).unwrap(), serde_json::to_string(&again).unwrap());
}

#[test]
fn groups_alone_give_means_and_shares_of_all_other_attributes() {
    let case = Case::new(&table(), YEARS, 2, LEVELS);
    let by = AnalysisOptions { by: vec!["sex".into()], ..AnalysisOptions::default() };
    let found = case.asked(by).unwrap();
    let formulas: Vec<&str> = found.analyses.iter().map(|analysis| &*analysis.formula).collect();
    assert_eq!(
        formulas,
        ["`age` ~ `sex`", "`ward` ~ `sex`", "`days` ~ `sex`", "`died` ~ `sex`", "`diagnosis` ~ `sex`"]
    );
    assert_eq!(found.analyses[1].estimates[0].name, "ward: a, sex: F");
}

#[test]
fn formulas_alone_become_the_regression_that_fits() {
    let case = Case::new(&table(), YEARS, 2, LEVELS);
    let kinds = |texts: &[&str]| -> Vec<AnalysisKind> {
        let found = case.analyses(texts, RangeReading::Middle).unwrap();
        found.analyses.iter().map(|analysis| analysis.kind).collect()
    };
    let found = kinds(&["days ~ age", "died ~ age", "sex ~ factor(ward)", "Surv(days, died) ~ age"]);
    use AnalysisKind::{Cox, Linear, Logistic};
    assert_eq!(found, [Linear, Logistic, Logistic, Cox]);
}

#[test]
fn mistakes_are_told_with_file_and_line() {
    let case = Case::new(&table(), YEARS, 2, LEVELS);
    let wrong = |entry: &str| case.refusal(&format!("\n[[analysis]]\n{entry}\n"));
    let told = [
        wrong("formula = \"days ~ weight\""),
        wrong("formula = \"diagnosis ~ age\""),
        wrong("formula = \"days ~\""),
        wrong("kind = \"linear\"\nformula = \"sex ~ age\""),
        wrong("kind = \"logistic\"\nformula = \"diagnosis ~ age\"\nvalue = \"plague\""),
        wrong("kind = \"kaplan-meier\"\nformula = \"Surv(days, died) ~ 1\""),
        wrong("kind = \"linear\"\nformula = \"Surv(days, died) ~ age\""),
        wrong("kind = \"odds-ratio\"\nformula = \"died ~ age\""),
        wrong("formula = \"days ~ age + days\""),
        wrong("reading = \"bounds\"\nformula = \"days ~ age\""),
        wrong("formula = \"days ~ age\"\nties = \"exact\""),
        wrong("formula = \"days ~ age\"\nreference = { age = \"20\" }"),
        case.refusal("level = 2\nanalysis = []\n"),
        case.refusal("draws = 1\nanalysis = []\n"),
        case.refusal("analysis = []\n"),
    ];
    assert!(told.iter().all(|message| !message.contains("plague")), "no cell in {told:#?}");
    let expected: &[&[&str]] = &[
        &["DIR/analyses.toml: line 2", "`weight`", "age, sex, ward, days, died, diagnosis"],
        &["line 2", "`diagnosis`", "more than two values", "`value`"],
        &["line 2", "`formula`, column 7"],
        &["line 2", "`sex` has no numbers"],
        &["line 2", "`value`: not a value of `diagnosis`"],
        &["line 2", "`at`"],
        &["line 2", "do not go together"],
        &["line 2", "`age` has too many values", "at most 50"],
        &["line 2", "both sides of `~`"],
        &["line 2", "`bounds`", "`middle` or `draws`"],
        &["line 4", "exact"],
        &["line 2", "`reference`", "`factor(…)`"],
        &["`level`", "above 0.5 and below 1"],
        &["`draws`", "from 2 to 1000"],
        &["no analysis is stated"],
    ];
    for (message, parts) in told.iter().zip(expected) {
        assert!(parts.iter().all(|part| message.contains(part)), "{message}");
    }
}

/// What a page shows is escaped, marked, and has a plot for each estimate.
#[test]
fn the_page_is_marked_and_loads_nothing() {
    let case = Case::new(&table().replace("flu", "<script>"), YEARS, 2, LEVELS);
    let found = case.of_file(&ALL.replace("flu", "<script>"), RangeReading::Middle).unwrap();
    let page = page(&found);
    assert!(page.contains("CONFIDENTIAL") && page.contains("default-src 'none'"));
    assert!(!page.contains("<script>") && page.contains("&lt;script&gt;"));
    assert_eq!(page.matches("role=\"img\"").count(), 29, "31 estimates, of which two are intercepts");
}
