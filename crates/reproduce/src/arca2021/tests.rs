use std::sync::atomic::AtomicBool;

use velamen_core::context::Silent;
use velamen_dp::Seed;

use super::*;
use crate::lee2017::tests::again;

fn reproduced(data: Option<PathBuf>) -> (tempfile::TempDir, Vec<Trend>) {
    let parent = tempfile::tempdir().unwrap();
    let (seed, cancel) = (Seed::from_number(1), AtomicBool::new(false));
    let context = Context { seed: &seed, progress: &Silent, cancel: &cancel };
    let trends = run(&Request { data, output: parent.path().join("arca2021") }, 3, &context).unwrap();
    (parent, trends)
}

#[test]
fn synthetic_records_show_the_trends_and_the_same_bytes() {
    let (one, trends) = reproduced(None);
    let two = again().then(|| reproduced(None).0);
    for file in ["index.html", "table2.csv", "table7.csv", "table8.csv", "fig8.svg", "fig9.csv"] {
        let read =
            |folder: &tempfile::TempDir| std::fs::read(folder.path().join("arca2021").join(file)).unwrap();
        let bytes = read(&one);
        assert!(!bytes.is_empty() && two.as_ref().is_none_or(|two| read(two) == bytes), "{file}");
    }
    assert!(
        one.path().join("arca2021/times.html").exists() && one.path().join("arca2021/fig10.csv").exists()
    );
    // What the theorem says holds on any data; times are the machine's.
    let proven =
        |trend: &&Trend| trend.published.contains("as many rows") || trend.figure.starts_with("table 2");
    assert_eq!(trends.iter().filter(proven).count(), 4 + 6);
    assert!(trends.iter().filter(proven).all(|trend| trend.met), "{trends:?}");
    // One of these seeds is the run's own.
    let of_seeds = |trend: &&Trend| trend.measured.contains(" of 3 seeds");
    let seeded = trends.iter().filter(of_seeds);
    assert!(
        seeded.clone().count() > 12 && !seeded.clone().any(|t| t.met && t.measured.contains("with 0 of"))
    );
    let rows = |trend: &&Trend| trend.published.contains("as many rows");
    assert!(trends.iter().filter(rows).all(|trend| trend.measured.ends_with("met with 3 of 3 seeds")));
}

/// The columns of Table 8 that nobody made up, where the data are at hand.
#[test]
fn table_8_to_two_digits() {
    let Some(data) = std::env::var_os("VELAMEN_DATA") else { return };
    let (_folder, trends) = reproduced(Some(PathBuf::from(data).join("heart")));
    let before: Vec<&Trend> = trends.iter().filter(|trend| trend.figure == "table 8, before").collect();
    for name in ["Age", "Sex", "Chol", "BS"] {
        let trend = before.iter().find(|trend| trend.published.starts_with(name)).unwrap();
        assert!(trend.met, "{trend:?}");
    }
}
