//! MDAV against a plain one: record by record, from the papers' text, without a line of the program.
//!
//! The figure is that of the literature, 100 · SSE / SST over z-scores. Its usual tables (Tarragona, Census, EIA) are
//! not ours to ship; tables of the same shapes are made here.

use std::fmt::Write;

use crate::common::{Folder, rows};

type Record = Vec<f64>;

/// Numbers without ties: skewed and correlated, as figures of households and firms are.
fn table(records: u64, attributes: u64, seed: u64) -> Vec<Record> {
    let mut state = seed;
    let mut next = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1u64 << 53) as f64
    };
    let record = |_| {
        let size = next();
        (0..attributes)
            .map(|a| ((size * (a as f64 + 1.0) + next()).exp() * 1000.0).round() / 1000.0)
            .collect()
    };
    (0..records).map(record).collect()
}

fn z_scores(records: &[Record]) -> Vec<Record> {
    let n = records.len() as f64;
    let of = |a: usize| -> (f64, f64) {
        let mean = records.iter().map(|record| record[a]).sum::<f64>() / n;
        (mean, (records.iter().map(|record| (record[a] - mean).powi(2)).sum::<f64>() / n).sqrt())
    };
    let scales: Vec<(f64, f64)> = (0..records[0].len()).map(of).collect();
    records
        .iter()
        .map(|record| record.iter().zip(&scales).map(|(x, (mean, sd))| (x - mean) / sd).collect())
        .collect()
}

fn squared(a: &Record, b: &Record) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum()
}

fn mean(records: &[Record], of: &[usize]) -> Record {
    (0..records[0].len()).map(|a| of.iter().map(|&r| records[r][a]).sum::<f64>() / of.len() as f64).collect()
}

fn farthest(records: &[Record], left: &[usize], from: &Record) -> usize {
    let by = |&&a: &&usize, &&b: &&usize| squared(&records[a], from).total_cmp(&squared(&records[b], from));
    *left.iter().max_by(by).unwrap()
}

/// Takes the k nearest to a record, itself among them, out of those left.
fn take(records: &[Record], left: &mut Vec<usize>, around: usize, k: usize) -> Vec<usize> {
    left.sort_by(|&a, &b| {
        squared(&records[a], &records[around]).total_cmp(&squared(&records[b], &records[around]))
    });
    left.drain(..k).collect()
}

fn mdav(records: &[Record], k: usize) -> Vec<Vec<usize>> {
    let mut left: Vec<usize> = (0..records.len()).collect();
    let mut clusters = Vec::new();
    while left.len() >= 3 * k {
        let one = farthest(records, &left, &mean(records, &left));
        let other = farthest(records, &left, &records[one].clone());
        clusters.push(take(records, &mut left, one, k));
        clusters.push(take(records, &mut left, other, k));
    }
    if left.len() >= 2 * k {
        let one = farthest(records, &left, &mean(records, &left));
        clusters.push(take(records, &mut left, one, k));
    }
    clusters.push(left);
    clusters
}

fn loss(scores: &[Record], clusters: &[Vec<usize>]) -> f64 {
    let within = |cluster: &Vec<usize>| {
        let centre = mean(scores, cluster);
        cluster.iter().map(|&record| squared(&scores[record], &centre)).sum::<f64>()
    };
    let all: Vec<usize> = (0..scores.len()).collect();
    clusters.iter().map(within).sum::<f64>() / within(&all)
}

#[test]
fn clusters_and_loss_are_those_of_a_plain_mdav() {
    // The shapes of Tarragona (834 x 13) and Census (1 080 x 13), and a small one.
    for (records, attributes, ks) in [(834, 13, vec![3, 5, 10]), (1080, 13, vec![4]), (61, 2, vec![3, 5, 20])]
    {
        let table = table(records, attributes, 17 + records);
        let scores = z_scores(&table);
        let folder = Folder::new();
        let names: Vec<String> = (0..attributes).map(|a| format!("x{a}")).collect();
        let mut text = names.join(",") + "\n";
        for record in &table {
            let cells: Vec<String> = record.iter().map(f64::to_string).collect();
            let _ = writeln!(text, "{}", cells.join(","));
        }
        folder.write("numbers.csv", text);
        let mut recipe = String::from("[input]\npath = \"numbers.csv\"\n");
        for name in &names {
            let _ = writeln!(recipe, "[attributes.{name}]\nrole = \"quasi-identifier\"");
        }
        recipe += "[[privacy]]\nmodel = \"k-anonymity\"\nk = 3\n[method]\nname = \"mdav\"\n[output]\npath = \"release\"\n";
        folder.write("recipe.toml", recipe);
        for k in ks {
            folder.ok(&[
                "anonymize",
                "recipe.toml",
                "--overwrite",
                "--quiet",
                "--set",
                &format!("privacy.0.k={k}"),
            ]);
            let clusters = mdav(&scores, k);
            let search = folder.json("release.custodian/custodian.json")["search"].clone();
            assert_eq!(search["clusters"], clusters.len());
            let (found, expected) = (search["information-loss"].as_f64().unwrap(), loss(&scores, &clusters));
            assert!((found - expected).abs() < 1e-9, "k = {k}: {found} is not {expected}");
            let mut means: Vec<(u64, i64)> = clusters
                .iter()
                .map(|cluster| (cluster.len() as u64, (mean(&table, cluster)[0] * 1e4).round() as i64))
                .collect();
            means.sort_unstable();
            let released = rows(&folder.read("release/data.csv"));
            let mut shown: std::collections::BTreeMap<String, (u64, i64)> = std::collections::BTreeMap::new();
            for row in &released[1..] {
                let first = (row[1].parse::<f64>().unwrap() * 1e4).round() as i64;
                shown.entry(row[0].clone()).or_insert((0, first)).0 += 1;
            }
            let mut shown: Vec<(u64, i64)> = shown.into_values().collect();
            shown.sort_unstable();
            let near = |(a, b): (&(u64, i64), &(u64, i64))| a.0 == b.0 && (a.1 - b.1).abs() <= 1;
            assert!(shown.len() == means.len() && shown.iter().zip(&means).all(near), "k = {k}");
        }
    }
}
