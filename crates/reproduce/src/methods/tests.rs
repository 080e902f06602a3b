use std::collections::BTreeSet;

use super::*;
use crate::lee2017::tests::{again, in_context};

#[test]
fn a_small_run_writes_every_figure_and_the_same_again() {
    let folder = tempfile::tempdir().unwrap();
    let run = |name: &str| {
        let output = folder.path().join(name);
        let request = Request { data: None, output: output.clone(), patients: 400 };
        (in_context(|context| reproduce(&request, context)).unwrap(), output)
    };
    let (rows, output) = run("one");
    let names: BTreeSet<&str> = rows.iter().map(|row| row.name).collect();
    assert_eq!(names.len(), recipes::ENTRANTS.len());
    let optimal = rows.iter().find(|row| row.name == "optimal").unwrap();
    let figures = optimal.figures.as_ref().unwrap();
    assert!((0.0..=1.0).contains(&figures.loss) && figures.query_error > 0.0);
    // Every class has five records or more.
    assert!(figures.linkage > 0.0 && figures.linkage <= 0.2);
    let table = |output: &Path| std::fs::read_to_string(output.join("methods.csv")).unwrap();
    let first = table(&output);
    assert!(!first.is_empty());
    if again() {
        assert_eq!(first, table(&run("two").1));
    }
    for file in ["loss.svg", "rce.csv", "query-error.svg", "linkage.csv", "seconds.csv", "index.html"] {
        assert!(output.join(file).exists(), "{file}");
    }
}
