//! Equal inputs give equal bytes, and the release tells nothing that is the custodian's.

use crate::common::{Folder, rows};

const RECIPE: &str = r#"
[input]
path = "patients.csv"
[attributes.name]
role = "identifier"
[attributes.age]
role = "quasi-identifier"
hierarchy = { interval = [5, 10, 20, 40], min = 0, max = 99 }
[attributes.sex]
role = "quasi-identifier"
[attributes.zip]
role = "quasi-identifier"
hierarchy = { mask = "right", length = 4 }
[attributes.drug]
role = "insensitive"
[attributes.diagnosis]
role = "sensitive"
[[privacy]]
model = "k-anonymity"
k = 9
[method]
name = "h-ceiling"
adversary-limit = 1
objective = "rce"
h = 0.35
insensitive = "release"
[output]
path = "release"
"#;

const HEADER: &str = "name,age,sex,zip,drug,diagnosis";

/// Records in no order, from a small generator of our own.
fn records() -> Vec<String> {
    let mut state = 12_345u64;
    let mut below = |n: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % n
    };
    (0..900)
        .map(|i| {
            let sex = ["F", "M"][below(2) as usize];
            let diagnosis = ["I63", "J18", "E11", "C34", "K35"][below(5) as usize];
            let zip = 1000 + 111 * below(30);
            format!("name{i},{},{sex},{zip},drug{},{diagnosis}", 20 + below(60), below(40))
        })
        .collect()
}

fn folder(records: &[String]) -> Folder {
    let folder = Folder::new();
    folder.write("patients.csv", format!("{HEADER}\n{}\n", records.join("\n")));
    folder.write("recipe.toml", RECIPE);
    folder
}

fn release(folder: &Folder, arguments: &[&str]) -> Vec<(&'static str, String)> {
    folder.ok(&[&["anonymize", "recipe.toml", "--overwrite"], arguments].concat());
    let names = ["data.csv", "catalog.csv", "release.json", "report.html"];
    names.map(|name| (name, folder.read(&format!("release/{name}")))).into()
}

/// The names of the files that differ; contents would fill the screen.
fn differing(a: &[(&'static str, String)], b: &[(&'static str, String)]) -> Vec<&'static str> {
    a.iter().zip(b).filter(|(a, b)| a != b).map(|(a, _)| a.0).collect()
}

#[test]
fn threads_order_and_place_do_not_matter() {
    let mut records = records();
    let first = release(&folder(&records), &["--seed", "9", "--threads", "1"]);
    for arguments in [&["--threads", "2"][..], &["--threads", "7"], &["--output", "release"], &["--quiet"]] {
        let again = release(&folder(&records), &[&["--seed", "9"], arguments].concat());
        assert!(differing(&first, &again).is_empty(), "{arguments:?}: {:?}", differing(&first, &again));
    }
    records.reverse();
    records.sort_by_key(|record| record.bytes().map(u32::from).sum::<u32>() % 17);
    let shuffled = release(&folder(&records), &["--seed", "9", "--threads", "2"]);
    assert!(differing(&first, &shuffled).is_empty(), "{:?}", differing(&first, &shuffled));
}

#[test]
fn baselines_are_deterministic_too() {
    let mut records = records();
    for method in ["optimal", "suppression", "relocation"] {
        let set = format!("method.name={method}");
        let arguments = ["--set", &set, "--set", "method.suppression-limit=0.2", "--threads"];
        let first = {
            let folder = folder(&records);
            folder.ok(&[&["anonymize", "recipe.toml"], &arguments[..], &["1"]].concat());
            folder.read("release/data.csv")
        };
        records.reverse();
        let folder = folder(&records);
        folder.ok(&[&["anonymize", "recipe.toml"], &arguments[..], &["2"]].concat());
        assert_eq!(folder.read("release/data.csv"), first, "{method}");
    }
}

#[test]
fn fresh_seeds_differ_and_stay_with_the_custodian() {
    let folder = folder(&records());
    let seed = |folder: &Folder| {
        folder.json("release.custodian/custodian.json")["seed"].as_str().unwrap().to_owned()
    };
    let one = release(&folder, &[]);
    let first = seed(&folder);
    // Whoever replaces a release keeps its counterfeits.
    assert!(differing(&one, &release(&folder, &[])).is_empty());
    for made in ["release", "release.custodian"] {
        std::fs::remove_dir_all(folder.path(made)).unwrap();
    }
    let two = release(&folder, &[]);
    assert_ne!(seed(&folder), first);
    assert!(differing(&one, &two).contains(&"data.csv"), "the counterfeits are the same");
    // With the seed of the first the custodian makes it again.
    let again = release(&folder, &["--seed", &first]);
    assert!(differing(&one, &again).is_empty(), "{:?}", differing(&one, &again));
}

#[test]
fn the_release_tells_neither_seed_nor_input() {
    let folder = folder(&records());
    let number = "987654321987";
    let files = release(&folder, &["--seed", number]);
    let custodian = folder.json("release.custodian/custodian.json");
    let secret_seed = custodian["seed"].as_str().unwrap();
    let root = folder.root().display().to_string();
    for (name, text) in files {
        for secret in [number, secret_seed, "patients", &root, "recipe.toml", "name1", "\"seed\"", "input"] {
            assert!(!text.contains(secret), "{name} tells {secret}");
        }
        // No digest of anything: no run of 16 hexadecimal digits with both letters and digits.
        let digest = text.split(|c: char| !c.is_ascii_hexdigit()).find(|run| {
            run.len() >= 16
                && run.bytes().any(|b| b.is_ascii_digit())
                && run.bytes().any(|b| b.is_ascii_alphabetic())
        });
        assert_eq!(digest, None, "{name}");
    }
}

#[test]
fn identifiers_are_dropped() {
    let folder = folder(&records());
    release(&folder, &["--seed", "1"]);
    let data = folder.read("release/data.csv");
    assert_eq!(data.lines().next().unwrap(), "ClassID,age,sex,zip,drug,diagnosis");
    assert!(folder.json("release/release.json")["attributes"].get("name").is_none());
}

#[test]
fn records_stand_in_canonical_order() {
    let folder = folder(&records());
    release(&folder, &["--seed", "1"]);
    let rows = rows(&folder.read("release/data.csv"));
    let keys: Vec<(u64, &[String])> =
        rows[1..].iter().map(|row| (row[0].parse().unwrap_or(u64::MAX), &row[4..])).collect();
    assert!(keys.iter().map(|key| key.0).is_sorted());
    // Within a class by content, whatever the order of values; drugs sort as text here.
    let drugs: Vec<(u64, &String)> = keys.iter().map(|(class, rest)| (*class, &rest[0])).collect();
    assert!(drugs.is_sorted(), "the order within classes tells something");
}
