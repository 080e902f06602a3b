use super::*;
use crate::lee2017::tests::{again, in_context};

#[test]
fn a_small_run_writes_every_figure_and_the_same_again() {
    let folder = tempfile::tempdir().unwrap();
    let run = |name: &str| {
        let output = folder.path().join(name);
        let request = Request { table: BaseTable::Synthetic(600), output: output.clone(), seeds: 2 };
        (in_context(|context| reproduce(&request, context)).unwrap(), output)
    };
    let ((rows, trends), output) = run("one");
    assert_eq!(rows.len(), KS.len() * ARMS.len());
    assert_eq!(trends.len(), 16);
    let of = |name: &str| rows.iter().find(|row| row.arm.name == name).unwrap().runs.as_ref().unwrap();
    assert!(of(arms::DEFAULT).of(0)[0] > 0.3 && of(arms::WHOLE).of(0)[0].is_nan());
    assert!(of(arms::BEFORE).of(6)[1] >= of(arms::BEFORE).of(6)[0] && of(arms::WHOLE).of(6) == [0.0; 2]);
    let table = |output: &Path| std::fs::read_to_string(output.join("all.csv")).unwrap();
    let first = table(&output);
    assert!(!first.is_empty());
    if again() {
        assert_eq!(first, table(&run("two").1));
    }
    for file in ["auc.svg", "variation.csv", "fewer-than-k.svg", "query-error.csv", "index.html"] {
        assert!(output.join(file).exists(), "{file}");
    }
}
