use std::path::Path;
use std::sync::atomic::AtomicBool;

use velamen_core::context::Silent;
use velamen_dp::Seed;

use super::*;

fn small(output: &Path) -> Vec<Trend> {
    let (seed, cancel) = (Seed::from_number(3), AtomicBool::new(false));
    let context = Context { seed: &seed, progress: &Silent, cancel: &cancel };
    let request = Request { data: None, output: output.to_owned() };
    run(&request, 400, &[150, 250], &context).unwrap()
}

#[test]
fn tables_follow_from_the_seed_and_times_stand_apart() {
    let folder = tempfile::tempdir().unwrap();
    let (first, second) = (folder.path().join("a"), folder.path().join("b"));
    let (trends, again) = (small(&first), small(&second));
    let seeded = |trends: &[Trend]| trends.iter().filter(|t| t.figure != "6").cloned().collect::<Vec<_>>();
    assert_eq!((seeded(&trends).len(), seeded(&trends)), (29, seeded(&again)));
    let read = |folder: &Path, name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
    for file in ["index.html", "figure4.csv", "figure4.svg", "figure5-l1.csv", "figure5-l3.svg"] {
        assert_eq!(read(&first, file), read(&second, file), "{file}");
    }
    assert!(
        !read(&first, "index.html").contains("figure6") && read(&first, "times.html").contains("figure6")
    );
    // Both readings of the loss stand side by side, and differ.
    let shares = |reading: &str| {
        let of = |t: &&Trend| t.arm.as_deref() == Some(reading) && t.published.starts_with("CE loses less");
        trends.iter().find(of).unwrap().measured.replace(reading, "")
    };
    let by_seed = "distance to the first record";
    assert_ne!(
        shares(&format!("loss of the blocks, {by_seed}")),
        shares(&format!("CE of the release, {by_seed}"))
    );
    // Eight clusterings of 150, 250 and 400 records, a header before them.
    let rows = read(&first, "figure5-l2.csv");
    let fields: Vec<Vec<&str>> = rows.lines().skip(1).map(|line| line.split(',').collect()).collect();
    assert_eq!(fields.len(), 24);
    for row in fields {
        let number = |at: usize| row[at].parse::<u64>().unwrap();
        assert_eq!((number(2), number(2)), (number(1) / K, number(3) + number(4) + number(5)), "{row:?}");
    }
}
