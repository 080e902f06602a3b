//! The example of Arca & Hewett 2021 through the command line: Table 1 → Tables 2, 5 and 6.

use std::collections::BTreeMap;

use crate::common::{Folder, rows};
use serde_json::{Value, json};

/// Table 1 with the row 7 that Tables 4 to 6 give back; the last number counts records.
const TABLE_1: &str = "\
F,Med,35,52000,143,Black,No,1
F,Low,35,52000,143,Black,No,3
M,Med,50,53000,166,White,No,4
M,Low,35,52003,143,White,No,1
M,Med,68,52000,190,Hispanic,No,3
M,High,68,52000,190,Hispanic,No,4
M,Med,44,52003,166,Asian,Hereditary Thrombophilia,3
F,Low,75,52002,122,Native Hawaiian,No,4
F,Med,35,52003,143,Black,No,2
F,High,75,52002,143,White,Hereditary Thrombophilia,1
M,High,44,52003,166,Asian,Hereditary Thrombophilia,3
F,Med,38,52000,166,White,No,4
F,High,35,52000,122,American Indian,Hereditary Thrombophilia,1
F,Low,35,52000,122,American Indian,Hereditary Thrombophilia,2
M,Med,38,52003,122,White,No,3
F,Med,22,54004,180,Native Hawaiian,No,3
M,High,20,54000,180,American Indian,L.O. Alzheimer's,3
M,Low,21,54001,180,Black,Parkinson's,3
F,High,24,54003,180,Asian,Hereditary Thrombophilia,3
M,No,25,54000,122,American Indian,Celiac,3
M,No,26,54001,166,Asian,L.O. Alzheimer's,3
F,High,23,54003,180,Asian,Parkinson's,3
";

/// Table 5: 21 rows, rows 1 and 9 merged.
const TABLE_5: &str = "\
F,Med,[35-44],5200*,143,Black,No,3
F,Low,[35-44],5200*,143,Black,No,3
M,Med,[45-64],5300*,166,White,No,4
M,Low,[35-44],5200*,143,White,No,1
M,Med,[65-85],5200*,190,Hispanic,No,3
M,High,[65-85],5200*,190,Hispanic,No,4
M,Med,[35-44],5200*,166,Asian,Hereditary Thrombophilia,3
F,Low,[65-85],5200*,122,Native Hawaiian,No,4
F,High,[65-85],5200*,143,White,Hereditary Thrombophilia,1
M,High,[35-44],5200*,166,Asian,Hereditary Thrombophilia,3
F,Med,[35-44],5200*,166,White,No,4
F,High,[35-44],5200*,122,American Indian,Hereditary Thrombophilia,1
F,Low,[35-44],5200*,122,American Indian,Hereditary Thrombophilia,2
M,Med,[35-44],5200*,122,White,No,3
F,Med,[20-34],5400*,180,Native Hawaiian,No,3
M,High,[20-34],5400*,180,American Indian,L.O. Alzheimer's,3
M,Low,[20-34],5400*,180,Black,Parkinson's,3
F,High,[20-34],5400*,180,Asian,Hereditary Thrombophilia,3
M,No,[20-34],5400*,122,American Indian,Celiac,3
M,No,[20-34],5400*,166,Asian,L.O. Alzheimer's,3
F,High,[20-34],5400*,180,Asian,Parkinson's,3
";

/// Table 6, 18 rows, with the slips of its print mended from Table 1: the zip of row 3, the counts of rows
/// 8 and 12, and `No` above the No of rows 20 and 21, where it prints `Any`.
const TABLE_6: &str = "\
F,Yes,35,52000,143,Black,No,4
M,Yes,50,53000,166,White,No,4
M,Yes,35,52003,143,White,No,1
M,Yes,68,52000,190,Hispanic,No,7
M,Yes,44,52003,166,Asian,Hereditary Thrombophilia,6
F,Yes,75,52002,122,Native Hawaiian,No,4
F,Yes,35,52003,143,Black,No,2
F,Yes,75,52002,143,White,Hereditary Thrombophilia,1
F,Yes,38,52000,166,White,No,4
F,Yes,35,52000,122,American Indian,Hereditary Thrombophilia,3
M,Yes,38,52003,122,White,No,3
F,Yes,22,54004,180,Native Hawaiian,No,3
M,Yes,20,54000,180,American Indian,L.O. Alzheimer's,3
M,Yes,21,54001,180,Black,Parkinson's,3
F,Yes,24,54003,180,Asian,Hereditary Thrombophilia,3
M,No,25,54000,122,American Indian,Celiac,3
M,No,26,54001,166,Asian,L.O. Alzheimer's,3
F,Yes,23,54003,180,Asian,Parkinson's,3
";

pub(crate) const RECIPE: &str = r#"
[input]
rows = "independent"
path = "table1.csv"
[attributes.Name]
role = "identifier"
[attributes.AC]
role = "quasi-identifier"
hierarchy = { rows = [["High", "Yes", "*"], ["Med", "Yes", "*"], ["Low", "Yes", "*"], ["No", "No", "*"]] }
[attributes.Age]
role = "quasi-identifier"
hierarchy = { cuts = [[35, 45, 65], [45]], min = 20, max = 85 }
[attributes.Zip]
role = "quasi-identifier"
hierarchy = { mask = "right", length = 5 }
[attributes.Risk]
role = "sensitive"
[attributes.Sex]
role = "insensitive"
[attributes.Weight]
role = "insensitive"
[attributes.Race]
role = "insensitive"
[[privacy]]
model = "k-anonymity"
k = 3
attributes = ["Zip", "Age", "AC"]
[method]
name = "iab"
[output]
path = "release"
"#;

pub(crate) fn folder() -> Folder {
    let folder = Folder::new();
    let mut text = String::from("Name,Sex,AC,Age,Zip,Weight,Race,Risk\n");
    let mut person = 0;
    for row in TABLE_1.lines() {
        let (values, count) = row.rsplit_once(',').unwrap();
        for _ in 0..count.parse::<u32>().unwrap() {
            person += 1;
            text += &format!("person {person},{values}\n");
        }
    }
    assert_eq!(person, 60);
    folder.write("table1.csv", text);
    folder.write("recipe.toml", RECIPE);
    folder
}

/// Distinct rows with their records.
fn counted(table: &str) -> BTreeMap<Vec<String>, u64> {
    let split = |mut row: Vec<String>| {
        let count = row.pop().unwrap().parse().unwrap();
        (row, count)
    };
    rows(table).into_iter().map(split).collect()
}

/// The same of a released file, without its class ids.
fn released(folder: &Folder) -> BTreeMap<Vec<String>, u64> {
    let mut counted = BTreeMap::new();
    for row in &rows(&folder.read("release/data.csv"))[1..] {
        *counted.entry(row[1..].to_vec()).or_default() += 1;
    }
    counted
}

/// Releases and verifies; gives what the custodian learns of the search.
pub(crate) fn run(folder: &Folder, set: &[&str]) -> Value {
    let set = set.iter().flat_map(|pair| ["--set", pair]);
    let arguments: Vec<&str> = ["anonymize", "recipe.toml", "--overwrite"].into_iter().chain(set).collect();
    folder.ok(&arguments);
    folder.ok(&["verify", "release"]);
    folder.json("release.custodian/custodian.json")["search"].clone()
}

#[test]
fn iab_and_the_exhaustive_search_make_table_5() {
    let folder = folder();
    for (name, tables) in [("iab", 11), ("exhaustive-rows", 71)] {
        let search = run(&folder, &[&format!("method.name={name}")]);
        assert_eq!(released(&folder), counted(TABLE_5), "{name}");
        assert_eq!(search["original"], json!({ "violations": 5, "rows": 22 }));
        assert_eq!(search["released"], json!({ "violations": 0, "rows": 21 }));
        assert_eq!(
            (search["tables-generated"].as_u64(), &search["proven-optimal"]),
            (Some(tables), &true.into())
        );
    }
    let manifest = folder.json("release/release.json");
    assert_eq!(manifest["node"], json!({ "AC": 0, "Age": 1, "Zip": 1 }));
    assert_eq!(manifest["utility"]["rows-retained"], 21);
    let promise = &manifest["privacy"][0];
    assert_eq!(promise["asked"], json!({ "k": 3, "attributes": ["Zip", "Age", "AC"] }));
    assert_eq!(promise["reached"], json!({ "k": 3 }));
}

#[test]
fn the_greedy_search_makes_table_6() {
    let folder = folder();
    let search = run(&folder, &["method.name=greedy"]);
    assert_eq!(released(&folder), counted(TABLE_6));
    assert_eq!(search["released"], json!({ "violations": 0, "rows": 18 }));
    assert_eq!((search["tables-generated"].as_u64(), search["steps"].as_u64()), (Some(3), Some(1)));
    assert_eq!(search["proven-optimal"], false);
}

#[test]
fn subtrees_generalize_only_what_violates() {
    let folder = folder();
    let search = run(&folder, &["method.recoding=subtree"]);
    let rows = search["released"]["rows"].as_u64().unwrap();
    assert!(rows >= 21, "{search}");
    let zips = |released: &BTreeMap<Vec<String>, u64>| {
        released.keys().map(|row| row[3].clone()).collect::<std::collections::BTreeSet<String>>()
    };
    let kept: Vec<String> = zips(&released(&folder)).into_iter().collect();
    assert_eq!(kept, ["5200*", "53000", "54000", "54001", "54003", "54004"]);
    let manifest = folder.json("release/release.json");
    assert_eq!(
        (&manifest["method"]["recoding"], &manifest["utility"]["rows-retained"]),
        (&json!("subtree"), &json!(rows))
    );
    assert_eq!(manifest["attributes"]["Zip"]["recoding"], "nodes");
    let exhaustive = run(&folder, &["method.recoding=subtree", "method.name=exhaustive-rows"]);
    assert_eq!(exhaustive["released"]["rows"].as_u64(), Some(rows));
}

/// Table 3a: rows 1, 2, 5, 6, 9 and 10 of Table 1 by the paper's count.
const TABLE_3A: &str = "\
F,Med,35,52000,1
F,Low,35,52000,3
M,High,68,52000,4
M,Med,68,52000,3
F,High,75,52002,1
F,Med,35,52003,2
";

/// Table 3d, of the same cells generalized one by one: neither 35 nor Med has one released value.
const TABLE_3D: &str = "\
F,Yes,35,52000,4
F,Yes,[20-85],5200*,3
M,High,68,52000,4
M,Med,68,52000,3
";

const RECIPE_3: &str = r#"
[input]
path = "table3.csv"
[attributes.Sex]
role = "quasi-identifier"
[attributes.AC]
role = "quasi-identifier"
hierarchy = { rows = [["High", "Yes", "*"], ["Med", "Yes", "*"], ["Low", "Yes", "*"], ["No", "No", "*"]] }
[attributes.Age]
role = "quasi-identifier"
hierarchy = { cuts = [[35, 45, 65], [45], []], min = 20, max = 85 }
[attributes.Zip]
role = "quasi-identifier"
hierarchy = { rows = [["52000", "5200*", "*"], ["52002", "5200*", "*"], ["52003", "5200*", "*"]] }
[[privacy]]
model = "k-anonymity"
k = 3
[method]
name = "mondrian"
recoding = "nodes"
[output]
path = "release"
"#;

fn table_3() -> Folder {
    let folder = Folder::new();
    let mut text = String::from("Sex,AC,Age,Zip\n");
    for row in TABLE_3A.lines() {
        let (values, count) = row.rsplit_once(',').unwrap();
        text += &format!("{values}\n").repeat(count.parse().unwrap());
    }
    folder.write("table3.csv", text);
    folder.write("recipe.toml", RECIPE_3);
    folder
}

#[test]
fn mondrian_by_nodes_makes_table_3d() {
    let folder = table_3();
    run(&folder, &[]);
    assert_eq!(released(&folder), counted(TABLE_3D));
    let manifest = folder.json("release/release.json");
    assert_eq!(manifest["method"]["recoding"], "nodes");
    assert_eq!(manifest["attributes"]["Zip"]["recoding"], "nodes");
    // The same classes under ranges.
    run(&folder, &["method.recoding=ranges", "attributes.Age.step=1"]);
    let mut ranges = counted(TABLE_3D);
    let wide = ranges.remove(&["F", "Yes", "[20-85]", "5200*"].map(str::to_owned)[..]).unwrap();
    ranges.insert(["F", "Yes", "[35-75]", "[52002-52003]"].map(str::to_owned).to_vec(), wide);
    assert_eq!(released(&folder), ranges);
}

/// One original value has one released value in these, and Table 3d has two of 35 (`docs/methods/iab.md`).
#[test]
fn no_recoding_of_values_makes_table_3d() {
    let folder = table_3();
    folder.write("recipe.toml", RECIPE_3.replace("recoding = \"nodes\"\n", ""));
    for set in [
        &["method.name=iab"][..],
        &["method.name=iab", "method.recoding=subtree"],
        &["method.name=exhaustive-rows"],
        &["method.name=exhaustive-rows", "method.recoding=subtree"],
        &["method.name=optimal"],
        &["method.name=optimal", "method.local-recoding=true"],
        &["method.name=optimal", "method.cell-suppression=true"],
    ] {
        run(&folder, set);
        assert_ne!(released(&folder), counted(TABLE_3D), "{set:?}");
    }
}

/// Two shields: each is kept, their union is not.
#[test]
fn several_shields_are_each_kept_and_checked() {
    let folder = folder();
    let recipe = RECIPE.replace("attributes = [\"Zip\", \"Age\", \"AC\"]", "attributes = [\"Age\"]");
    let recipe = recipe.replace("k = 3", "k = 4");
    let second = "[[privacy]]\nmodel = \"k-anonymity\"\nk = 6\nattributes = [\"AC\"]\n[method]";
    folder.write("recipe.toml", recipe.replace("[method]", second));
    let run = folder.ok(&["anonymize", "recipe.toml"]);
    assert!(run.err.contains("`Zip`"), "{}", run.err);
    folder.ok(&["verify", "release"]);
    let measured: Value = serde_json::from_str(&folder.ok(&["measure", "release", "--json"]).out).unwrap();
    assert!(measured["shields"]["Age"].as_u64() >= Some(4), "{measured}");
    assert_eq!((measured["shields"]["AC"].as_u64(), measured["k"].as_u64()), (Some(6), Some(1)));
    assert!(folder.read("release/report.html").contains("by the attributes named here"));
    // A promise of more than the file keeps is found out.
    let manifest = folder.read("release/release.json");
    folder.write("release/release.json", manifest.replace("\"k\": 6", "\"k\": 60"));
    assert_eq!(folder.run(&["verify", "release"]).code, 3);
}

#[test]
fn threads_do_not_change_a_byte() {
    let folder = folder();
    for recoding in ["full-domain", "subtree"] {
        let set = ["--set", &format!("method.recoding={recoding}"), "--overwrite", "--seed", "4"];
        let bytes = |threads: &str| {
            folder.ok(&[&["anonymize", "recipe.toml", "--threads", threads][..], &set].concat());
            (folder.read("release/data.csv"), folder.read("release/release.json"))
        };
        assert_eq!(bytes("1"), bytes("2"), "{recoding}");
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    let folder = folder();
    let refused = |set: &[&str], code: i32, says: &[&str]| {
        let set = set.iter().flat_map(|pair| ["--set", pair]);
        let arguments: Vec<&str> = ["anonymize", "recipe.toml"].into_iter().chain(set).collect();
        folder.refused(&arguments, code, says);
    };
    refused(&["method.name=optimal"], 5, &["attributes", "choose name = \"iab\""]);
    refused(&["privacy.0.attributes=[\"Race\"]"], 5, &["privacy 1", "`Race`", "quasi-identifier"]);
    refused(&["privacy.0.attributes=[]"], 5, &["empty"]);
    refused(&["privacy.0.attributes=[\"Zip\", \"Zip\"]"], 5, &["twice"]);
    refused(&["method.suppression-limit=0.1"], 2, &["`suppression-limit` is a key of optimal, h-ceiling"]);
    refused(
        &["method.budget-steps=3", "method.name=exhaustive-rows"],
        3,
        &["error[E0307]", "its budget of 3 tables", "name = \"iab\""],
    );
    refused(
        &[
            "privacy.0.k=20",
            "attributes.Zip.max-level=1",
            "attributes.Age.max-level=1",
            "attributes.AC.max-level=1",
        ],
        3,
        &["no generalization"],
    );
}

/// Table 2, in three digits: it cuts most of its own off, 0.168 is printed as 0.16.
#[test]
fn leaks_of_table_2_before_and_after() {
    let folder = folder();
    let leaks = |arguments: &[&str]| -> Value {
        let arguments = [&["leak", "table1.csv", "--json"], arguments].concat();
        serde_json::from_str(&folder.ok(&arguments).out).unwrap()
    };
    let published = [
        ("Sex", 2, 0.993, 0.168),
        ("AC", 4, 1.862, 0.315),
        ("Age", 13, 3.558, 0.602),
        ("Zip", 8, 2.757, 0.467),
        ("Weight", 5, 2.243, 0.380),
        ("Race", 6, 2.522, 0.427),
    ];
    let names: Vec<&str> = published.iter().map(|row| row.0).collect();
    let before = leaks(&["--attributes", &names.join(",")]);
    assert_eq!((before["records"].as_u64(), before["sets"].as_array().unwrap().len()), (Some(60), 6));
    for ((name, partitions, loss, normalised), set) in
        published.iter().zip(before["sets"].as_array().unwrap())
    {
        assert_eq!((&set["attributes"], &set["partitions"]), (&json!([name]), &json!(partitions)));
        let figure = |key: &str| set[key].as_f64().unwrap();
        assert!((figure("loss") - loss).abs() < 5.1e-4, "{set}");
        assert!((figure("normalised") - normalised).abs() < 5.1e-4, "{set}");
    }
    run(&folder, &[]);
    let after = leaks(&["--after", "release"]);
    let of = |name: &str| {
        let sets = after["sets"].as_array().unwrap();
        sets.iter().find(|set| set["attributes"] == json!([name])).unwrap().clone()
    };
    // Names are dropped; what no step touched leaks as before; age and zip leak less.
    assert_eq!(after["sets"].as_array().unwrap().len(), 7);
    assert_eq!(of("Race")["after"]["normalised"], of("Race")["normalised"]);
    for name in ["Age", "Zip"] {
        assert!(of(name)["after"]["loss"].as_f64() < of(name)["loss"].as_f64(), "{name}");
    }
    let top = leaks(&["--up-to", "3", "--top", "1", "--attributes", "Sex,Age,Zip"]);
    assert_eq!(top["sets"][0]["attributes"], json!(["Sex", "Age", "Zip"]));
    let text = folder.ok(&["leak", "table1.csv", "--attributes", "Sex"]).out;
    assert!(text.contains("60 records, 5.907 bits") && text.contains("0.993"), "{text}");
    folder.refused(&["leak", "table1.csv", "--attributes", "Sexe"], 2, &["`Sexe` is not a column"]);
    // The limit is about what is published: Zip leaks 0.467 of the original and less of the release.
    let limited = |more: &[&'static str]| {
        [&["leak", "table1.csv", "--attributes", "Sex,Zip", "--limit", "0.4"], more].concat()
    };
    let run = folder.run(&limited(&[]));
    assert_eq!(run.code, 9, "{}", run.err);
    // The figures come all the same.
    assert!(run.out.contains("Zip") && run.err.contains("E0900"), "{} {}", run.out, run.err);
    assert!(run.err.contains("1 of 2 sets") && run.err.contains("`Zip` with 0.467"), "{}", run.err);
    let share = of("Zip")["after"]["normalised"].as_f64().unwrap();
    assert!(share < 0.4, "{share}");
    folder.ok(&limited(&["--after", "release"]));
    folder.refused(&["leak", "table1.csv", "--limit", "1.5"], 2, &["--limit"]);
    // Weight 3 for one of two, 1 for the other: H(3/4, 1/4) = 0.811 of 0.811 bits.
    folder.write("weighted.csv", "sex,weight\nF,3\nM,1\n");
    let prior = folder.ok(&["leak", "weighted.csv", "--prior", "weight"]).out;
    assert!(prior.contains("2 records, 0.811 bits") && !prior.contains("\nweight"), "{prior}");
    folder.write("unweighted.csv", "sex,weight\nF,3\nM,much\n");
    folder.refused(&["leak", "unweighted.csv", "--prior", "weight"], 4, &["a number from 0"]);
}
