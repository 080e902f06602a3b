//! The example of Lee et al. 2017 through the command line: Table 1 → Tables 3, 4, 5, 8 and 9.

use crate::common::{Folder, column};

/// Table 1 without the names.
const TABLE_1: &str = "\
Age,Sex,Zipcode,Disease
37,F,22071,Pneumonia
35,F,22098,Diabetes
36,F,23061,Anemia
61,M,55107,Pneumonia
63,M,55099,Diabetes
66,M,55324,Diabetes
62,M,55229,Pneumonia
";

/// Table 5, each class's records in canonical order.
const TABLE_5: &str = "\
ClassID,Age,Sex,Zipcode,Disease
1,[35-37],F,[22071-23061],Anemia
1,[35-37],F,[22071-23061],Diabetes
1,[35-37],F,[22071-23061],Diabetes
1,[35-37],F,[22071-23061],Pneumonia
2,[61-66],M,[55099-55324],Diabetes
2,[61-66],M,[55099-55324],Diabetes
2,[61-66],M,[55099-55324],Pneumonia
2,[61-66],M,[55099-55324],Pneumonia
";

/// Table 8.
const TABLE_8: &str = "ClassID list,Disease,Count\n1 2,Diabetes,1\n";

/// Table 9.
const TABLE_9: &str = "\
ClassID,Age,Sex,Zipcode,Disease
1,[35-37],F,[22071-23061],Anemia
1,[35-37],F,[22071-23061],Diabetes
1,[35-37],F,[22071-23061],Pneumonia
2,[61-66],M,[55099-55324],Diabetes
2,[61-66],M,[55099-55324],Pneumonia
2,[61-66],M,[55099-55324],Pneumonia
,*,*,*,Diabetes
";

const RECIPE: &str = r#"
[input]
path = "table1.csv"
[attributes.Age]
role = "quasi-identifier"
hierarchy = { cuts = [[35, 38, 61, 67]], min = 0, max = 99 }
[attributes.Sex]
role = "quasi-identifier"
hierarchy = { rows = [["F", "*"], ["M", "*"]] }
[attributes.Zipcode]
role = "quasi-identifier"
hierarchy = { cuts = [[22071, 23062, 55099, 55325]], min = 0, max = 99999 }
[attributes.Disease]
role = "sensitive"
[[privacy]]
model = "k-anonymity"
k = 4
[method]
name = "h-ceiling"
adversary-limit = 1
h = 0.02
padding = "exact"
draw = "uniform"
[output]
path = "release"
"#;

/// With this seed the counterfeit is a Diabetes, as in the paper.
const SEED: &str = "9";

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("table1.csv", TABLE_1);
    folder.write("recipe.toml", RECIPE);
    folder
}

#[test]
fn table_1_becomes_tables_5_and_8() {
    let folder = folder();
    folder.ok(&["anonymize", "recipe.toml", "--seed", SEED]);
    assert_eq!(folder.read("release/data.csv"), TABLE_5);
    assert_eq!(folder.read("release/catalog.csv"), TABLE_8);
    folder.ok(&["verify", "release"]);
}

#[test]
fn the_manifest_tells_the_degree_of_table_5() {
    let folder = folder();
    folder.ok(&["anonymize", "recipe.toml", "--seed", SEED]);
    let manifest = folder.json("release/release.json");
    // The largest D(r): class 2, "0.02" in the paper.
    let class_2 = (5.0 / 99.0 + 225.0 / 99_999.0) / 3.0;
    let ceiling = manifest["privacy"].as_array().unwrap().iter().find(|p| p["model"] == "h-ceiling").unwrap();
    assert!((ceiling["reached"]["h"].as_f64().unwrap() - class_2).abs() < 1e-12);
    assert_eq!(format!("{class_2:.2}"), "0.02");
    // Four records of class 1 ("0.01") and four of class 2: the mean degree is the loss metric.
    let class_1 = (2.0 / 99.0 + 990.0 / 99_999.0) / 3.0;
    assert_eq!(format!("{class_1:.2}"), "0.01");
    let lm = manifest["utility"]["lm"]["value"].as_f64().unwrap();
    assert!((lm - (class_1 + class_2) / 2.0).abs() < 1e-12, "{lm}");
    assert_eq!(manifest["node"], serde_json::json!({ "Age": 1, "Sex": 0, "Zipcode": 1 }));
    assert_eq!((manifest["records"].as_u64(), manifest["counterfeits"].as_u64()), (Some(8), Some(1)));
}

#[test]
fn the_recipient_makes_table_9() {
    let folder = folder();
    folder.ok(&["anonymize", "recipe.toml", "--seed", SEED]);
    folder.ok(&["truthful", "release", "--output", "table9.csv"]);
    assert_eq!(folder.read("table9.csv"), TABLE_9);
}

#[test]
fn the_custodian_knows_the_counterfeit() {
    let folder = folder();
    folder.ok(&["anonymize", "recipe.toml", "--seed", SEED]);
    assert_eq!(folder.read("release.custodian/counterfeits.csv"), "ClassID,Disease,Count\n1,Diabetes,1\n");
}

/// Class 2 holds no Anemia, so Lemma 1 leaves Diabetes and Pneumonia for the counterfeit.
#[test]
fn every_seed_gives_a_concealed_counterfeit_or_none() {
    let folder = folder();
    let mut drawn = std::collections::BTreeSet::new();
    for seed in 0..12 {
        let run = folder.run(&["anonymize", "recipe.toml", "--overwrite", "--seed", &seed.to_string()]);
        match run.code {
            0 => {
                folder.ok(&["verify", "release"]);
                drawn.extend(column(&folder.read("release/catalog.csv"), "Disease"));
            }
            code => assert_eq!(code, 3, "{}", run.err),
        }
    }
    assert_eq!(drawn.into_iter().collect::<Vec<_>>(), ["Diabetes", "Pneumonia"]);
}

#[test]
fn random_padding_holds_or_says_why_not() {
    let folder = folder();
    for seed in 0..6 {
        let seed = seed.to_string();
        let set = ["--set", "method.padding=random", "--set", "method.draw=empirical", "--overwrite"];
        let free = ["method.counterfeit-limit=1", "method.suppression-limit=0", "method.least-real=1"];
        let free = free.iter().flat_map(|limit| ["--set", limit]).collect::<Vec<_>>();
        let run = folder.run(&[&["anonymize", "recipe.toml", "--seed", &seed][..], &set, &free].concat());
        match run.code {
            0 => drop(folder.ok(&["verify", "release"])),
            code => {
                assert_eq!(code, 3, "{}", run.err);
                assert!(run.err.contains("none of the"), "{}", run.err);
            }
        }
    }
}

/// With classes of their own no hierarchy has to know the paper's intervals.
#[test]
fn parts_of_their_own_make_the_partition_of_table_5() {
    let folder = folder();
    let finer = RECIPE
        .replace("cuts = [[35, 38, 61, 67]]", "interval = [5, 20]")
        .replace("cuts = [[22071, 23062, 55099, 55325]]", "interval = [10, 1000]")
        // The paper shows the least and the greatest value of a class, and a sex that three have.
        .replace("[attributes.Age]\n", "[attributes.Age]\nstep = 1\n")
        .replace("[attributes.Zipcode]\n", "[attributes.Zipcode]\nstep = 1\n");
    folder.write("recipe.toml", &finer);
    for parts in ["mondrian", "clustering"] {
        let set = format!("method.parts={parts}");
        let mut right = 0;
        for seed in 0..12 {
            let seed = seed.to_string();
            folder.ok(&["anonymize", "recipe.toml", "--overwrite", "--seed", &seed, "--set", &set]);
            folder.ok(&["verify", "release"]);
            let data = folder.read("release/data.csv");
            let class = |text: &str| text.lines().map(|l| l.rsplit_once(',').unwrap().0.to_owned()).collect();
            let (released, published): (Vec<String>, Vec<String>) = (class(&data), class(TABLE_5));
            assert_eq!(released, published, "{parts}");
            right += usize::from(data == TABLE_5 && folder.read("release/catalog.csv") == TABLE_8);
        }
        assert!(right > 0, "{parts}: a Diabetes in none of 12 draws, of probability 2^-12");
    }
}

/// Table 4: the three women take the values of the men, which the reconstruction error counts and LM does not.
#[test]
fn table_4_is_told_by_its_reconstruction_error() {
    let folder = folder();
    let (start, end) = RECIPE.split_once("[method]").unwrap();
    let output = &end[end.find("[output]").unwrap()..];
    let relocation = "[method]\nname = \"relocation\"\nsuppression-limit = 0.45\n";
    folder.write("recipe.toml", format!("{start}{relocation}{output}"));
    folder.ok(&["anonymize", "recipe.toml"]);
    let data = folder.read("release/data.csv");
    let men = |line: &str| line.contains(",[61-66],M,[55099-55324],");
    assert_eq!((data.lines().skip(1).count(), data.lines().skip(1).all(men)), (7, true), "{data}");
    let stayed = (1.0 - 1.0 / 6.0) + (1.0 - 1.0 / 226.0);
    let moved = (1.0 + 1.0 / 6.0) + 2.0 + (1.0 + 1.0 / 226.0);
    let error = 4.0 * stayed + 3.0 * moved;
    assert_eq!(format!("{error:.2}"), "19.83");
    let figures = &folder.json("release.custodian/custodian.json")["original-figures"];
    assert!((figures["rce"].as_f64().unwrap() - error).abs() < 1e-9, "{figures}");
    assert!((figures["rce-normalised"].as_f64().unwrap() - error / 28.0).abs() < 1e-9, "{figures}");
    assert!(folder.read("release.custodian/custodian-report.html").contains("rce (original records)"));
    // The released table alone would give 12.80, as if nothing had moved.
    let stated = folder.json("release/release.json");
    assert!(
        stated["utility"]["lm"]["value"].as_f64().unwrap() < 0.02 && stated["utility"].get("rce").is_none()
    );
    folder.ok(&["verify", "release"]);
}

/// Table 3, suppressed records last.
const TABLE_3: &str = "\
ClassID,Age,Sex,Zipcode,Disease
1,[61-66],M,[55099-55324],Diabetes
1,[61-66],M,[55099-55324],Diabetes
1,[61-66],M,[55099-55324],Pneumonia
1,[61-66],M,[55099-55324],Pneumonia
,*,*,*,*
,*,*,*,*
,*,*,*,*
";

fn suppressing() -> Folder {
    let folder = folder();
    let (start, end) = RECIPE.split_once("[method]").unwrap();
    let output = &end[end.find("[output]").unwrap()..];
    let method = "[method]\nname = \"suppression\"\nsuppression-limit = 0.45\nsuppress = \"record\"\n";
    folder.write("recipe.toml", format!("{start}{method}{output}"));
    folder
}

#[test]
fn table_3_suppresses_whole_records() {
    let folder = suppressing();
    for (local, method) in [("false", "suppression"), ("true", "optimal"), ("false", "datafly")] {
        let local = format!("method.local-recoding={local}");
        let name = format!("method.name={method}");
        folder.ok(&["anonymize", "recipe.toml", "--overwrite", "--set", &local, "--set", &name]);
        assert_eq!(folder.read("release/data.csv"), TABLE_3, "{method}");
        let verified = folder.ok(&["verify", "release"]);
        assert!(verified.out.contains("all *, other columns too"), "{}", verified.out);
    }
    let manifest = folder.json("release/release.json");
    assert_eq!((&manifest["method"]["suppress"], &manifest["suppressed"]), (&"record".into(), &3.into()));
    // No figure, name or picture tells of Anemia, which only a suppressed record has.
    for file in ["release/release.json", "release/report.html"] {
        assert!(!folder.read(file).contains("Anemia"), "{file}");
    }
    // The page from the folder is the one that the run wrote.
    folder.ok(&["report", "release", "--output", "page.html"]);
    assert_eq!(folder.read("release/report.html"), folder.read("page.html"));
    // With their diseases the three are a class of three.
    folder.refused(
        &["anonymize", "recipe.toml", "--overwrite", "--set", "method.suppress=quasi-identifiers"],
        3,
        &["k-anonymity", "3 suppressed records"],
    );
}

#[test]
fn a_suppressed_record_that_shows_its_disease_breaks_the_promise() {
    let folder = suppressing();
    folder.ok(&["anonymize", "recipe.toml"]);
    let data = folder.read("release/data.csv");
    folder.write("release/data.csv", data.replacen(",*,*,*,*", ",*,*,*,Anemia", 1));
    let run = folder.run(&["verify", "release"]);
    assert_eq!(run.code, 3, "{}", run.out);
    assert!(run.out.contains("BROKEN       suppressed-records"), "{}", run.out);
}

#[test]
fn releases_of_whole_records_are_read_by_every_verb() {
    let folder = suppressing();
    folder.ok(&["anonymize", "recipe.toml"]);
    let json = |arguments: &[&str]| -> serde_json::Value {
        serde_json::from_str(&folder.ok(&[arguments, &["--json"]].concat()).out).unwrap()
    };
    let measured = json(&["measure", "release"]);
    assert_eq!((&measured["records"], &measured["sensitive"]["Disease"]["values"]), (&4.into(), &2.into()));
    assert_eq!(measured["sensitive"]["Disease"]["t-equal"], 0.0);
    let compared = json(&["compare", "table1.csv", "release"]);
    assert_eq!((&compared["over-original"], &compared["suppressed"]), (&true.into(), &3.into()));
    // Two rows of the class, and one for all suppressed records.
    assert_eq!(compared["utility"]["rows-retained"], 3.0);
    let other =
        TABLE_1.replace("M,55229,Pneumonia", "M,55229,Anemia").replace("M,55107,Pneumonia", "M,55107,Anemia");
    folder.write("other.csv", other);
    folder.refused(&["compare", "other.csv", "release"], 4, &["`Disease`"]);
    folder.ok(&["risk", "release"]);
    folder.ok(&["attack", "release", "--original", "table1.csv"]);
    folder.ok(&["leak", "table1.csv", "--attributes", "Disease", "--after", "release"]);
}

#[test]
fn classes_are_compared_with_what_suppressed_records_leave() {
    let folder = suppressing();
    let refused = |set: &[&str], says: &[&str]| {
        let set: Vec<&str> = set.iter().flat_map(|pair| ["--set", *pair]).collect();
        folder.refused(&[&["anonymize", "recipe.toml"], &set[..]].concat(), 5, says);
    };
    refused(&["method.name=relocation"], &["suppress", "relocation"]);
    folder.refused(
        &["anonymize", "recipe.toml", "--set", "method.suppress=all"],
        2,
        &["suppress", "`record`"],
    );
    let recipe = folder.read("recipe.toml");
    let model = "[[privacy]]\nmodel = \"t-closeness\"\nt = 0.9\nattribute = \"Disease\"\n[method]";
    folder.write("recipe.toml", recipe.replace("[method]", model));
    let run = folder.ok(&["anonymize", "recipe.toml"]);
    assert!(run.err.contains("not proven the best of all"), "{}", run.err);
    folder.ok(&["verify", "release"]);
    assert_eq!(folder.json("release/release.json")["method"]["proven"], false);
}
