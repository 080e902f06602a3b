use std::path::Path;

use super::*;
use crate::lee2017::tests::{assert_same, in_context};

const FILES: [&str; 10] =
    ["fig6", "fig7", "fig8a", "fig8b", "fig8c", "fig8d", "table9", "table10", "table11", "table12"];

fn small(output: &Path) -> Vec<Trend> {
    let request = Request { output: output.to_owned(), patients: 2000 };
    in_context(|context| run(&request, 2, context)).unwrap()
}

#[test]
fn a_small_run_writes_everything_and_the_same_again() {
    let parent = tempfile::tempdir().unwrap();
    let (first, second) = (parent.path().join("first"), parent.path().join("second"));
    let trends = small(&first);
    assert_eq!(trends, small(&second));
    assert_same(&first, Some(&second), &FILES);
    assert_eq!((trends.len(), std::fs::read_dir(parent.path()).unwrap().count()), (23, 2));
    let page = std::fs::read_to_string(first.join("index.html")).unwrap();
    for trend in &trends {
        assert!(page.contains(&format!(">{}<", trend.figure)) && !trend.measured.is_empty());
    }
    assert!(!page.to_lowercase().contains("differentially"));
}
