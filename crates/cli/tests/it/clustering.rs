//! Clusterings, with the real binary: the worked example of Yoo et al. 2012, models, refusals.

use crate::common::{Folder, column, recipe, rows};
use serde_json::Value;

const RUN: [&str; 3] = ["anonymize", "recipe.toml", "--overwrite"];

/// Table 1 of the paper.
const TABLE_1: &str = "\
work,country,disease
Private,USA,Heart Disease
State-gov,Mexico,Cancer
Local-gov,Brazil,Cancer
Federal-gov,USA,Flu
Private,Canada,Heart Disease
Self-emp-not-inc,Canada,Heart Disease
Self-emp-inc,USA,Flu
Private,USA,Heart Disease
State-gov,Mexico,Flu
";

const WORK: &str = "\
Private;Private;Workclass
State-gov;Government;Workclass
Local-gov;Government;Workclass
Federal-gov;Government;Workclass
Self-emp-not-inc;Self-emp;Workclass
Self-emp-inc;Self-emp;Workclass
";

const COUNTRY: &str = "USA;North;America\nCanada;North;America\nMexico;South;America\nBrazil;South;America\n";

fn worked_example(method: &str) -> Folder {
    let folder = Folder::new();
    folder.write("table1.csv", TABLE_1);
    folder.write("work.csv", WORK);
    folder.write("country.csv", COUNTRY);
    let recipe = format!(
        r#"[input]
path = "table1.csv"
[attributes.work]
role = "quasi-identifier"
hierarchy = "work.csv"
[attributes.country]
role = "quasi-identifier"
hierarchy = "country.csv"
[attributes.disease]
role = "sensitive"
[[privacy]]
model = "k-anonymity"
k = 3
[method]
{method}
[output]
path = "release"
"#
    );
    folder.write("recipe.toml", recipe);
    folder
}

/// Releases, checks, and gives what the custodian is told of the blocks.
fn search(folder: &Folder, set: &[&str]) -> Value {
    let set: Vec<&str> = set.iter().flat_map(|pair| ["--set", pair]).collect();
    folder.ok(&[&RUN[..], &set].concat());
    folder.ok(&["verify", "release"]);
    folder.json("release.custodian/custodian.json")["search"].clone()
}

fn digits(search: &Value, figure: &str) -> String {
    format!("{:.4}", search[figure].as_f64().unwrap())
}

#[test]
fn table_2_of_the_paper() {
    let folder = worked_example("name = \"ce-clustering\"\nseed = 10");
    let found = search(&folder, &[]);
    let classes: Vec<String> =
        rows(&folder.read("release/data.csv")).iter().skip(1).map(|row| row[1..].join(" ")).collect();
    let mut classes: Vec<&str> = classes.iter().map(String::as_str).collect();
    classes.sort_unstable();
    let expected = [
        "Government South Cancer",
        "Government South Cancer",
        "Government South Flu",
        "Private North Heart Disease",
        "Private North Heart Disease",
        "Private North Heart Disease",
        "Workclass North Flu",
        "Workclass North Flu",
        "Workclass North Heart Disease",
    ];
    assert_eq!(classes, expected);
    assert_eq!(digits(&found, "conditional-entropy"), "1.7527");
    assert_eq!(digits(&found, "mutual-information"), "0.9183");
    assert_eq!(digits(&found, "sensitive-entropy"), "1.5305");
    assert_eq!(digits(&found, "distance"), "2.6710");
    assert_eq!(found["blocks-by-distinct-values"], serde_json::json!({ "1": 1, "2": 2, "3-or-more": 0 }));
}

/// The paper's tables with their index, as anybody could have made them.
fn with_index() -> Folder {
    let folder = Folder::new();
    let indexed = |rows: &str| {
        let rows: Vec<&str> = rows.lines().skip(1).collect();
        let rows: Vec<String> = (1..).zip(rows).map(|(index, row)| format!("{index},{row}\n")).collect();
        format!("index,work,country,disease\n{}", rows.concat())
    };
    folder.write("table1.csv", indexed(TABLE_1));
    folder.write(
        "table2.csv",
        "index,work,country,disease\n1,Private,North,Heart Disease\n5,Private,North,Heart Disease\n\
         8,Private,North,Heart Disease\n2,Government,South,Cancer\n3,Government,South,Cancer\n\
         9,Government,South,Flu\n4,Workclass,North,Flu\n6,Workclass,North,Heart Disease\n7,Workclass,North,Flu\n",
    );
    folder.write(
        "table3.csv",
        "index,work,country,disease\n1,Workclass,America,Heart Disease\n3,Workclass,America,Cancer\n\
         7,Workclass,America,Flu\n2,Workclass,America,Cancer\n8,Workclass,America,Heart Disease\n\
         9,Workclass,America,Flu\n4,Workclass,North,Flu\n5,Workclass,North,Heart Disease\n\
         6,Workclass,North,Heart Disease\n",
    );
    folder
}

#[test]
fn tables_that_others_made_are_measured() {
    let folder = with_index();
    let measured = |arguments: &[&str]| -> Value {
        let table = ["--qi", "work,country", "--sensitive", "disease", "--by", "index", "--json"];
        let run = folder.ok(&[&["measure"], arguments, &table].concat());
        let value: Value = serde_json::from_str(&run.out).unwrap();
        value["information"].clone()
    };
    let figures = |of: &Value| {
        let told = &of["sensitive"]["disease"];
        [&of["conditional-entropy"], &told["mutual-information"], &told["distance"], &told["entropy"]]
            .map(|figure| format!("{:.4}", figure.as_f64().unwrap()))
    };
    let of_table = |table| figures(&measured(&[table, "--original", "table1.csv"]));
    assert_eq!(of_table("table1.csv"), ["0.0000", "1.3083", "1.3083", "1.5305"]);
    assert_eq!(of_table("table2.csv"), ["1.7527", "0.9183", "2.6710", "1.5305"]);
    assert_eq!(of_table("table3.csv"), ["3.6982", "0.1678", "3.8660", "1.5305"]);
    // Table 4 and the distances of the first record to others.
    let pair = |other: &str| {
        let [lost, told, distance, _] =
            figures(&measured(&["table1.csv", "--records", &format!("1,{other}")]));
        [lost, told, distance]
    };
    assert_eq!(pair("2"), ["0.4444", "1.3083", "1.7527"]);
    assert_eq!(pair("3"), ["0.4444", "1.0860", "1.5305"]);
    assert_eq!(pair("4"), ["0.2222", "1.0860", "1.3083"]);
    assert_eq!(pair("5"), ["0.2222", "1.3083", "1.5305"]);
    assert_eq!(pair("8"), ["0.0000", "1.3083", "1.3083"]);
    let text = folder.ok(&[
        "measure",
        "table2.csv",
        "--qi",
        "work,country",
        "--sensitive",
        "disease",
        "--by",
        "index",
        "--original",
        "table1.csv",
    ]);
    assert!(text.out.contains("conditional-entropy  1.7527"), "{}", text.out);
}

#[test]
fn records_without_partners_are_refused() {
    let folder = with_index();
    let refused = |rest: &[&str], code: i32, says: &[&str]| {
        let table = ["measure", "table2.csv", "--qi", "work,country", "--sensitive", "disease"];
        folder.refused(&[&table[..], rest].concat(), code, says);
    };
    folder.write("short.csv", "index,work,country\n1,Private,USA\n");
    folder.write("twice.csv", TABLE_1);
    refused(
        &["--original", "short.csv", "--by", "index"],
        4,
        &["8 records of table2.csv", "0 of short.csv", "`index`"],
    );
    refused(&["--original", "twice.csv", "--by", "disease"], 2, &["--by", "`disease`"]);
    refused(&["--original", "table1.csv", "--by", "none"], 2, &["`none` is not a column"]);
    refused(&["--records", "1,77", "--by", "index"], 2, &["--records", "\"77\"", "`index`"]);
    refused(&["--records", "1,1", "--by", "index"], 2, &["two different records"]);
    refused(&["--by", "index"], 2, &["--original or --records"]);
    refused(&["--original", "table1.csv"], 2, &["--by"]);
}

#[test]
fn one_block_loses_everything_and_tells_nothing() {
    let folder = worked_example("name = \"ce-mi-clustering\"");
    // H(work) = 2.4194 and H(country) = 1.8366, by hand.
    let found = search(&folder, &["privacy.0.k=9", "method.lambda=3"]);
    assert_eq!(digits(&found, "conditional-entropy"), "4.2560");
    assert_eq!(
        (digits(&found, "mutual-information"), digits(&found, "distance")),
        ("0.0000".into(), "4.2560".into())
    );
    let manifest = folder.json("release/release.json");
    assert_eq!(
        (&manifest["method"]["lambda"], &manifest["method"]["seeds"]),
        (&3.0.into(), &"random".into())
    );
    assert_eq!(
        (&manifest["classes"], &manifest["attributes"]["work"]["recoding"]),
        (&1.into(), &"nodes".into())
    );
    for figure in ["conditional-entropy", "mutual-information", "information-loss"] {
        assert!(!folder.read("release/release.json").contains(figure), "{figure}");
    }
}

#[test]
fn diversity_is_had_by_asking_for_it() {
    let folder = worked_example("name = \"ce-mi-clustering\"");
    let recipe = folder.read("recipe.toml");
    let diverse = "[[privacy]]\nmodel = \"distinct-l-diversity\"\nl = 2\n[method]";
    folder.write("recipe.toml", recipe.replace("[method]", diverse));
    for seed in ["method.seed=1", "method.seed=2", "method.seed=3"] {
        let found = search(&folder, &[seed]);
        assert_eq!(found["blocks-by-distinct-values"]["1"], 0, "{seed}");
    }
}

/// 240 patients of uneven ages in wards without hierarchy.
fn patients() -> String {
    let mut text = String::from("ward,age,sex,diagnosis\n");
    for i in 0..240u32 {
        let diagnosis = ["I63", "J18", "E11", "C50"][(i * i % 11 % 4) as usize];
        text +=
            &format!("w{},{},{},{diagnosis}\n", i % 7, 20 + i * i * 7 % 61, ["F", "M"][(i % 3 / 2) as usize]);
    }
    text
}

const MODELS: [&str; 4] = [
    "model = \"distinct-l-diversity\"\nl = 3",
    "model = \"entropy-l-diversity\"\nl = 2",
    "model = \"t-closeness\"\nt = 0.3",
    "model = \"delta-disclosure\"\ndelta = 2.5",
];

/// The bytes of a release of these records.
fn bytes(folder: &Folder, records: &[&str], threads: &str) -> (String, String) {
    folder.write("patients.csv", format!("ward,age,sex,diagnosis\n{}\n", records.join("\n")));
    folder.ok(&[&RUN[..], &["--threads", threads]].concat());
    folder.ok(&["verify", "release"]);
    (folder.read("release/data.csv"), folder.read("release/release.json"))
}

#[test]
fn every_clustering_keeps_its_models_whatever_the_order_and_threads() {
    let text = patients();
    let records: Vec<&str> = text.lines().skip(1).collect();
    let reversed: Vec<&str> = records.iter().rev().copied().collect();
    let folder = Folder::new();
    let models =
        |sections: &[&str]| sections.iter().map(|m| format!("[[privacy]]\n{m}\n")).collect::<String>();
    let methods = [
        ("ce-mi-clustering", vec![MODELS[0], MODELS[3]]),
        ("ce-mi-clustering\"\nseeds = \"farthest", vec![MODELS[2]]),
        ("ce-clustering", vec![MODELS[1], MODELS[2]]),
        ("entropy-l-clustering", vec![MODELS[1]]),
        ("t-closeness-clustering", vec![MODELS[2], MODELS[0]]),
        ("k-member", vec![MODELS[3]]),
        ("k-member\"\nseeds = \"random", vec![]),
    ];
    for (name, asked) in methods {
        let ward = "[attributes.ward]\nrole = \"quasi-identifier\"\n[attributes.age]";
        let recipe = recipe(&format!("name = \"{name}\"\nseed = 4")).replace("[attributes.age]", ward);
        folder.write("recipe.toml", recipe.replace("[method]", &format!("{}[method]", models(&asked))));
        let released = bytes(&folder, &records, "1");
        assert!(released == bytes(&folder, &reversed, "2"), "{name}");
        assert_eq!(column(&released.0, "diagnosis"), column(&text, "diagnosis"));
    }
}

#[test]
fn a_model_can_be_aimed_at_without_being_promised() {
    let folder = worked_example("name = \"t-closeness-clustering\"\naim = 0.15\nseed = 10");
    let found = search(&folder, &[]);
    // Blocks have the k of the recipe, whatever they miss of t.
    assert_eq!(found["blocks"], 3);
    let release = folder.json("release/release.json");
    assert_eq!(release["method"]["aim"], 0.15);
    assert!(!release["promises"].to_string().contains("t-closeness"), "{release}");
    let refused = |set: &[&str], says: &str| {
        let set: Vec<&str> = set.iter().flat_map(|pair| ["--set", pair]).collect();
        folder.refused(&[&RUN[..], &set].concat(), 5, &[says]);
    };
    refused(&["method.aim=1.5"], "from 0 to 1");
    refused(&["method.name=entropy-l-clustering"], "from 1 to");
    let both = folder
        .read("recipe.toml")
        .replace("[method]", "[[privacy]]\nmodel = \"t-closeness\"\nt = 0.5\n[method]");
    folder.write("recipe.toml", both);
    refused(&[], "leave out `aim`");
}

#[test]
fn nearness_can_be_that_to_the_first_record() {
    let folder = worked_example("name = \"ce-mi-clustering\"\nseed = 10");
    search(&folder, &[]);
    assert_eq!(folder.json("release/release.json")["method"].get("order"), None);
    search(&folder, &["method.order=distance"]);
    assert_eq!(folder.json("release/release.json")["method"]["order"], "distance");
}

#[test]
fn what_cannot_be_is_refused() {
    let folder = worked_example("name = \"ce-mi-clustering\"");
    let refused = |set: &str, code, says: &str| {
        folder.refused(&[&RUN[..], &["--set", set]].concat(), code, &[says]);
    };
    refused("method.lambda=-1", 5, "from 0 to 1024");
    refused("method.seeds=nearest", 2, "farthest");
    refused("method.name=entropy-l-clustering", 5, "entropy-l-diversity");
    refused("method.name=t-closeness-clustering", 5, "t-closeness");
    refused("method.order=nearest", 2, "distance");
    refused("attributes.disease.role=insensitive", 5, "ce-clustering");
    refused("attributes.country.role=sensitive", 5, "exactly one");
    refused("privacy.0.k=10", 3, "fewer than k");
}
