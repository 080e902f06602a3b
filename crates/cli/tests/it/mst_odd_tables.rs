//! Tables and budgets at the edge of what records can be invented for, with both methods.

use crate::common::Folder;
use serde_json::json;

const RUN: [&str; 3] = ["anonymize", "recipe.toml", "--overwrite"];
const A: &str = "[attributes.a]\nrole = \"quasi-identifier\"\ndomain = [\"x\", \"y\"]\n";
const B: &str = "[attributes.b]\nrole = \"quasi-identifier\"\ndomain = [\"p\", \"q\", \"r\"]\n";
const METHODS: [&str; 2] = ["mst", "aim"];

fn folder(table: &str, attributes: &str, budget: (&str, &str), method: &str) -> Folder {
    let folder = Folder::new();
    folder.write("t.csv", table);
    let (epsilon, delta) = budget;
    let recipe = format!(
        "[input]\npath = \"t.csv\"\n{attributes}[[privacy]]\nmodel = \"differential-privacy\"\nepsilon = {epsilon}\n\
         delta = {delta}\n[method]\nname = \"{method}\"\nseed = 1\n[output]\npath = \"out\"\n"
    );
    folder.write("recipe.toml", recipe);
    folder
}

#[test]
fn every_table_gives_a_release_that_verifies() {
    let both = format!("{A}{B}");
    let ties = format!("a,b\n{}", "x,p\nx,q\ny,p\ny,q\n".repeat(200));
    let outside = format!("a,b\n{}", "u,p\nx,z\n".repeat(200));
    let one = format!("a\n{}", "x\ny\n".repeat(200));
    let whose = format!("[attributes.id]\nrole = \"person\"\nrecords-per-person = 3\n{both}");
    let busy = format!("id,a,b\n{}2,y,q\n", "1,x,p\n".repeat(100_000));
    for method in METHODS {
        for (table, attributes, budget, records) in [
            (&outside, &both, ("1.0", "1e-9"), 0..100),
            (&"a,b\n".to_owned(), &both, ("1.0", "1e-9"), 0..100),
            (&ties, &both, ("1e6", "1e-9"), 799..802),
            (&ties, &both, ("1.0", "1e-9"), 700..900),
            (&one, &A.to_owned(), ("1.0", "1e-9"), 340..460),
            // Of the one who has a hundred thousand records three are counted.
            (&busy, &whose, ("1.0", "1e-9"), 0..200),
        ] {
            let folder = folder(table, attributes, budget, method);
            folder.ok(&RUN);
            folder.ok(&["verify", "out"]);
            let found = folder.json("out/release.json")["records"].as_u64().unwrap();
            assert!(records.contains(&found), "{method}: {found}");
        }
    }
}

#[test]
fn budgets_that_buy_nothing_are_refused() {
    let (both, table) = (format!("{A}{B}"), format!("a,b\n{}", "x,p\n".repeat(200)));
    for method in METHODS {
        folder(&table, &both, ("1e-8", "1e-9"), method).refused(&RUN, 5, &["epsilon", "raise epsilon"]);
        folder(&table, &both, ("1.0", "0"), method).refused(&RUN, 5, &["delta = 0", "1e-9"]);
        folder(&table, &both, ("0", "1e-9"), method).refused(&RUN, 5, &["epsilon"]);
    }
}

/// As programs write numbers that were decimals once.
#[test]
fn a_number_is_one_however_it_is_written() {
    let stays = "[attributes.stay]\nrole = \"quasi-identifier\"\ndomain = { min = 0, max = 20, step = 5 }\n";
    let table = format!("stay\n{}", "5.0\n10\n+5\n12\n".repeat(500));
    let folder = folder(&table, stays, ("100", "1e-9"), "mst");
    folder.ok(&RUN);
    let measured = folder.json("out/measurements.json");
    assert_eq!(measured["domains"]["stay"], json!(["0", "5", "10", "15", "20"]));
    let counts: Vec<i64> = measured["alone"][0]["counts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|count| count.as_i64().unwrap())
        .collect();
    assert!((counts[1] - 1000).abs() < 20 && (counts[2] - 500).abs() < 20, "{counts:?}");
}

#[test]
fn many_attributes_are_no_burden() {
    let names: Vec<String> = (0..60).map(|number| format!("a{number}")).collect();
    let attribute = |name: &String| {
        format!("[attributes.{name}]\nrole = \"quasi-identifier\"\ndomain = [\"0\", \"1\"]\n")
    };
    let attributes: String = names.iter().map(attribute).collect();
    let row = |i: usize| (0..60).map(|a| ["0", "1"][(i >> (a % 9)) & 1]).collect::<Vec<_>>().join(",") + "\n";
    let table = format!("{}\n{}", names.join(","), (0..300).map(row).collect::<String>());
    let folder = folder(&table, &attributes, ("1.0", "1e-9"), "mst");
    folder.ok(&RUN);
    folder.ok(&["verify", "out"]);
}

/// Where noise is less than what records are rounded by, they are as far from the noisy counts as from the true ones.
#[test]
fn a_budget_without_noise_gives_a_release_that_verifies() {
    let names = ["a", "b", "c", "d", "e", "f"];
    let attribute = |name: &&str| {
        format!(
            "[attributes.{name}]\nrole = \"quasi-identifier\"\ndomain = {{ min = 0, max = 6, step = 1 }}\n"
        )
    };
    let attributes: String = names.iter().map(attribute).collect();
    // Each depends on the one before it, and a little on the one before that.
    let row = |i: usize| {
        let mut row = vec![i % 7, i * i % 5];
        (2..6).for_each(|a| row.push((row[a - 1] + i / (7 + a) % 2 + usize::from(row[a - 2] > 4)) % 7));
        row.iter().map(usize::to_string).collect::<Vec<_>>().join(",") + "\n"
    };
    let table = format!("{}\n{}", names.join(","), (0..3000).map(row).collect::<String>());
    for (method, epsilon) in METHODS.into_iter().flat_map(|method| [(method, "100"), (method, "1e6")]) {
        let folder = folder(&table, &attributes, (epsilon, "1e-9"), method);
        folder.ok(&RUN);
        folder.ok(&["verify", "out"]);
        let found = folder.json("out/release.json")["records"].as_u64().unwrap();
        assert!((2995..3006).contains(&found), "{method} {epsilon}: {found}");
    }
}
