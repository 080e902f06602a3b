//! Attacks on releases of every method, and on what is none.

use crate::common::{CANARY, Folder, recipe};
use serde_json::Value;

const RUN: [&str; 3] = ["anonymize", "recipe.toml", "--overwrite"];
const ATTACK: [&str; 4] = ["attack", "release", "--original", "patients.csv"];

/// 300 patients of uneven ages and zip codes.
fn table(of: std::ops::Range<u32>) -> String {
    let mut text = String::from("age,sex,zip,diagnosis\n");
    for i in of {
        let diagnosis = ["I63", "J18", "E11", "A41"][(i * i % 11 % 4) as usize];
        let sex = ["F", "M"][(i % 3 / 2) as usize];
        text += &format!("{},{sex},{},{diagnosis}\n", 20 + i * i * 7 % 61, 100 + i * 13 % 40);
    }
    text
}

fn folder(method: &str) -> Folder {
    let folder = Folder::new();
    folder.write("patients.csv", table(0..300));
    let zip = "[attributes.zip]\nrole = \"quasi-identifier\"\nhierarchy = { mask = \"right\", length = 3 }\n";
    folder
        .write("recipe.toml", recipe(method).replace("[attributes.age]", &format!("{zip}[attributes.age]")));
    folder
}

fn made(method: &str) -> Folder {
    let folder = folder(method);
    if method.contains("ipa") {
        let text = folder.read("recipe.toml");
        folder.write("recipe.toml", text.replace("[[privacy]]\nmodel = \"k-anonymity\"\nk = 5\n", ""));
    }
    folder.ok(&RUN);
    folder
}

fn json(folder: &Folder, options: &[&str]) -> Value {
    let found = folder.ok(&[&ATTACK[..], &["--json"], options].concat());
    serde_json::from_str(&found.out).unwrap()
}

fn attack<'v>(found: &'v Value, name: &str) -> &'v Value {
    found["attacks"].as_array().unwrap().iter().find(|attack| attack["attack"] == name).unwrap()
}

fn figure<'v>(found: &'v Value, name: &str, what: &str) -> &'v Value {
    let figures = attack(found, name)["figures"].as_array().unwrap();
    figures.iter().find(|figure| figure["what"].as_str().unwrap().contains(what)).unwrap()
}

fn rate(found: &Value, name: &str, what: &str) -> f64 {
    figure(found, name, what)["rate"].as_f64().unwrap()
}

#[test]
fn every_method_that_releases_records() {
    for method in [
        "name = \"optimal\"\nsuppression-limit = 0.1",
        "name = \"optimal\"\nlocal-recoding = true\nsuppression-limit = 0.3",
        "name = \"optimal\"\ncell-suppression = true\nsuppression-limit = 0.3",
        "name = \"datafly\"\nsuppression-limit = 0.5",
        "name = \"relocation\"\nsuppression-limit = 1",
        "name = \"mondrian\"",
        "name = \"mondrian\"\npartitioning = \"relaxed\"",
        "name = \"mdav\"",
        "name = \"k-member\"",
        "name = \"ce-mi-clustering\"",
        "name = \"h-ceiling\"\nadversary-limit = 1\nh = 0.3\nseed = 3",
        "name = \"h-ceiling\"\nadversary-limit = 1\nh = 0.3\nseed = 3\nparts = \"mondrian\"",
        "name = \"h-ceiling\"\nadversary-limit = 1\nh = 0.3\nseed = 3\npadding = \"exact\"",
        "name = \"ipa\"\nguarantee = \"published\"\nseed = 3",
    ] {
        let folder = made(method);
        let found = json(&folder, &[]);
        let linked = rate(&found, "linkage", "knows 3 of 3");
        assert!((0.0..=1.0).contains(&linked), "{method}");
        assert!(linked > 0.0, "{method}");
        let lost = method.contains("mdav");
        let bounds = figure(&found, "linkage", "knows 3 of 3").get("at-least").is_some();
        assert_eq!(bounds && lost, lost, "{method}");
        // No counterfeits and at least five alike, none suppressed or whole classes of them.
        if ["mondrian\"", "mdav", "k-member"].iter().any(|name| method.contains(name))
            && !method.contains("h =")
        {
            assert!(linked <= 0.2 + 1e-9, "{method}: {linked}");
        }
        assert!(rate(&found, "inference", "likeliest value is right") > 0.2, "{method}");
        for attacked in ["minimality", "counterfeits"] {
            let tried = attack(&found, attacked).get("left-out").is_none();
            assert_eq!(tried, method.contains("h-ceiling"), "{method}: {attacked}");
        }
        assert_eq!(attack(&found, "presence").get("left-out").is_some(), lost, "{method}");
        assert!(attack(&found, "membership")["left-out"].as_str().unwrap().contains("--recipe"));
    }
}

#[test]
fn a_second_release_of_the_table_betrays_counterfeits() {
    let folder = made("name = \"h-ceiling\"\nadversary-limit = 1\nh = 0.3\nseed = 3");
    let again = |seed: &str, name: &str| {
        folder.ok(&["anonymize", "recipe.toml", "--overwrite", "--seed", seed, "--output", name]);
        let options = ["--attacks", "composition", "--with", name, "--second-original", "patients.csv"];
        rate(&json(&folder, &options), "composition", "second release betrays")
    };
    let fresh = again("4", "fresh");
    assert!(fresh > 0.2 && fresh <= 1.0, "{fresh}");
    assert_eq!(again("3", "same"), 0.0);
}

#[test]
fn padding_to_exactly_k_is_exposed() {
    let guess = |padding: &str| {
        let folder = made(&format!(
            "name = \"h-ceiling\"\nadversary-limit = 1\nh = 0.3\nseed = 3\npadding = \"{padding}\""
        ));
        rate(&json(&folder, &["--attacks", "minimality"]), "minimality", "a guess")
    };
    assert!(guess("exact") > guess("random"));
}

const NOISY: &str = r#"[input]
path = "patients.csv"
[attributes.age]
role = "quasi-identifier"
hierarchy = { interval = [10, 50], min = 0, max = 99 }
[attributes.sex]
role = "quasi-identifier"
hierarchy = { rows = [["F", "*"], ["M", "*"]] }
[attributes.zip]
role = "identifier"
"#;
const DOMAIN: &str =
    "[attributes.diagnosis]\nrole = \"sensitive\"\ndomain = [\"I63\", \"J18\", \"E11\", \"A41\"]\n";
const DROPPED: &str = "[attributes.diagnosis]\nrole = \"identifier\"\n";

fn private(attributes: &str, parameters: &str, method: &str) -> Folder {
    let folder = Folder::new();
    folder.write("patients.csv", table(0..300));
    let rest = "[output]\npath = \"release\"\n";
    let model = format!("[[privacy]]\nmodel = \"differential-privacy\"\n{parameters}\n");
    folder.write("recipe.toml", format!("{NOISY}{attributes}{model}[method]\n{method}\nseed = 4\n{rest}"));
    folder.ok(&RUN);
    folder
}

#[test]
fn private_methods_keep_membership_below_the_bound() {
    for folder in [
        private(DOMAIN, "epsilon = 1", "name = \"ipa\""),
        private(DOMAIN, "epsilon = 1", "name = \"contingency-table\""),
        private(DROPPED, "epsilon = 2\ndelta = 0.05", "name = \"safe-pub\""),
    ] {
        // Ten show that all of it works; how sure it is, `cargo xtask nightly` shows.
        let trials = std::env::var_os("VELAMEN_NIGHTLY").map_or("10", |_| "60");
        let options = ["--recipe", "recipe.toml", "--trials", trials, "--from-data", "1"];
        let found = json(&folder, &options);
        let noisy = !folder.read("recipe.toml").contains("safe-pub");
        assert_eq!(attack(&found, "linkage").get("left-out").is_some(), noisy);
        let bound = rate(&found, "membership", "the most that epsilon");
        let advantage = figure(&found, "membership", "made-up tables: advantage, the worst");
        // Wrong in 5 % of all seeds; this one is fixed.
        assert!(advantage["interval"][0].as_f64().unwrap() <= bound, "{found:#}");
        assert!(advantage["rate"].as_f64().unwrap() > 0.05, "{found:#}");
        assert!(
            rate(&found, "membership", "tables of the input's records: advantage, the worst") < bound + 0.2
        );
    }
}

#[test]
fn the_published_ipa_tells_membership() {
    let folder = Folder::new();
    folder.write("patients.csv", table(0..300));
    let method =
        "[method]\nname = \"ipa\"\nguarantee = \"published\"\nseed = 4\n[output]\npath = \"release\"\n";
    folder.write("recipe.toml", format!("{NOISY}{DOMAIN}{method}"));
    folder.ok(&RUN);
    let options =
        ["--recipe", "recipe.toml", "--trials", "60", "--from-data", "1", "--attacks", "membership"];
    let found = json(&folder, &options);
    assert!(rate(&found, "membership", "made-up tables: advantage, the worst") > 0.9, "{found:#}");
    assert!(attack(&found, "membership")["notes"][0].as_str().unwrap().contains("does not hold"));
    assert!(folder.read("release/report.html").contains("does not protect as its method claims"));
    folder.write("other.toml", recipe("name = \"optimal\""));
    let call = [&ATTACK[..], &["--recipe", "other.toml", "--attacks", "membership"]].concat();
    folder.refused(&call, 2, &["other.toml", "the release's ipa"]);
}

#[test]
fn two_releases_of_overlapping_tables() {
    let folder = folder("name = \"optimal\"\nsuppression-limit = 0.1");
    // Overlapping by 200 persons, generalized differently; of many diagnoses a class has few.
    let many = |text: String| -> String {
        let coded = |(number, row): (usize, &str)| match row.rsplit_once(',') {
            Some((known, code)) if number > 0 => {
                let digits = known.bytes().fold(7u32, |sum, byte| (sum * 31 + u32::from(byte)) % 9973);
                format!("{known},{code}.{}\n", digits % 20)
            }
            _ => format!("{row}\n"),
        };
        text.lines().enumerate().map(coded).collect()
    };
    folder.write("patients.csv", many(table(0..300)));
    folder.write("later.csv", many(table(100..400)));
    folder.ok(&RUN);
    let swapped =
        folder.read("recipe.toml").replace("patients.csv", "later.csv").replace("\"release\"", "\"later\"");
    folder.write(
        "later.toml",
        swapped.replace(
            "[method]\nname = \"optimal\"\nsuppression-limit = 0.1",
            "[method]\nname = \"mondrian\"",
        ),
    );
    folder.ok(&["anonymize", "later.toml"]);
    let second = ["--with", "later", "--second-original", "later.csv"];
    let found = json(&folder, &second);
    let right = |what: &str| rate(&found, "composition", what);
    assert!(right("right by both") > right("right by the first"), "{found:#}");
    assert!(right("certain by both") >= right("certain by the first"));
    assert!(attack(&found, "composition")["targets"].as_u64().unwrap() >= 200);
    folder.refused(&[&ATTACK[..], &["--with", "later"]].concat(), 2, &["--second-original"]);
    folder.refused(&[&ATTACK[..], &["--background", "999999999"]].concat(), 2, &["--background", "100"]);
    folder.refused(
        &[&ATTACK[..], &["--with", "later", "--second-original", "patients.csv"]].concat(),
        4,
        &["not a release of"],
    );
}

#[test]
fn pseudonyms_are_no_part_of_a_persons_content() {
    let folder = folder("name = \"mondrian\"");
    let numbered = |text: String| -> String {
        let row = |(number, row): (usize, &str)| match number {
            0 => format!("patient,{row}\n"),
            _ => format!("p{number},{row}\n"),
        };
        text.lines().enumerate().map(row).collect()
    };
    folder.write("patients.csv", numbered(table(0..300)));
    folder.write("secret.key", "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef");
    let patient = "[attributes.patient]\nrole = \"identifier\"\npseudonym = \"hmac-sha256\"\n";
    let text = folder.read("recipe.toml").replacen("[attributes.", &format!("{patient}[attributes."), 1);
    folder.write("recipe.toml", format!("[key]\nfile = \"secret.key\"\n{text}"));
    folder.ok(&RUN);
    let found = json(&folder, &["--attacks", "linkage"]);
    // Every record is in a class of five to nine; none is lost because its pseudonym is not its number.
    let linked = figure(&found, "linkage", "knows 3 of 3");
    assert!((1.0 / 9.0..=0.2 + 1e-9).contains(&linked["rate"].as_f64().unwrap()), "{found:#}");
    assert!(linked.get("at-least").is_none(), "{found:#}");
}

#[test]
fn one_seed_one_result_on_any_number_of_threads() {
    let folder = made("name = \"mondrian\"");
    let out = |options: &[&str]| folder.ok(&[&ATTACK[..], &["--targets", "40"], options].concat()).out;
    assert_eq!(out(&["--threads", "1"]), out(&["--threads", "4"]));
    assert_ne!(out(&["--seed", "2"]), out(&["--seed", "3"]));
}

#[test]
fn values_are_shown_on_request_only() {
    let folder = folder("name = \"optimal\"\nsuppression-limit = 0.3");
    folder.write("patients.csv", table(0..300).replace("I63", CANARY));
    folder.ok(&RUN);
    for options in [&["--json"][..], &[]] {
        let hidden = folder.ok(&[&ATTACK[..], options].concat());
        assert!(!hidden.out.contains(CANARY) && !hidden.err.contains(CANARY));
    }
    let shown = folder.ok(&[&ATTACK[..], &["--show-values", "--attacks", "inference"]].concat()).out;
    assert!(shown.contains("most is learned about: age = "), "{shown}");
}

#[test]
fn other_tables_and_wrong_calls_are_refused() {
    // What suppressed records show no values of cannot be missed.
    let folder = made("name = \"optimal\"");
    let refused = |table: String, says: &str| {
        folder.write("other.csv", table);
        folder.refused(&["attack", "release", "--original", "other.csv"], 4, &[says]);
    };
    refused(table(0..301), "numbers of records");
    refused(table(1..301), "not a release of");
    refused(table(0..300).replacen(",I63", ",J18", 1), "more frequent there");
    refused(table(0..300).replace("zip,", "post,"), "no column `zip`");
    refused(table(0..300).replacen("20,", &format!("{CANARY},"), 1), "age");
    folder.refused(&["attack", "nowhere", "--original", "patients.csv"], 6, &["release.json"]);
    folder.refused(&["attack", "release", "--original", "nowhere.csv"], 6, &["nowhere.csv"]);
    folder.refused(&["attack", "release"], 2, &["--original"]);
    let wrong = [("--attacks", "guess"), ("--confidence", "1"), ("--targets", "0"), ("--seed", "x")];
    for (option, value) in wrong {
        folder.refused(&[&ATTACK[..], &[option, value]].concat(), 2, &[option]);
    }
    folder.refused(&[&ATTACK[..], &["--recipe", "none.toml"]].concat(), 6, &["none.toml"]);
}

#[test]
fn what_a_person_reads() {
    let folder = made("name = \"optimal\"\nsuppression-limit = 0.1");
    let text = folder.ok(&[&ATTACK[..], &["--attacks", "linkage,composition"]].concat()).out;
    insta::assert_snapshot!("attack", text);
}

/// Persons by number: a diagnosis that follows the age, and a code that is nobody else's business.
fn group(of: std::ops::Range<u32>) -> String {
    let mut text = String::from("age,sex,zip,diagnosis\n");
    for i in of {
        let mixed = i.wrapping_mul(2_654_435_761).rotate_left(13).wrapping_mul(0x9E37_79B1);
        let age = 20 + mixed % 60;
        let diagnosis = if age < 50 { "J18" } else { "I63" };
        text += &format!(
            "{age},{},{},{diagnosis}\n",
            ["F", "M"][(mixed >> 8) as usize % 2],
            100 + (mixed >> 12) % 40
        );
    }
    text
}

#[test]
fn a_control_group_tells_what_is_leaked_from_what_is_learnt() {
    let folder = folder("name = \"optimal\"");
    folder.write("patients.csv", group(0..1500));
    folder.write("others.csv", group(5000..6500));
    let excess = |what: &str| {
        let found = json(&folder, &["--attacks", "control", "--control", "others.csv"]);
        let of = |who: &str| rate(&found, "control", &format!("{what}: {who}"));
        let interval = figure(&found, "control", &format!("{what}: excess"))["interval"].clone();
        let ends = [0, 1].map(|end| interval[end].as_f64().unwrap());
        let (ours, theirs, excess) = (of("of the original"), of("of the control group"), of("excess"));
        let defined = if theirs < 1.0 { (ours - theirs) / (1.0 - theirs) } else { 0.0 };
        assert!((excess - defined).abs() < 1e-9 && ends[0] <= excess && excess <= ends[1], "{found}");
        (ours, theirs, ends)
    };
    folder.ok(&[&RUN[..], &["--set", "privacy.0.k=10"]].concat());
    // Classes of ten: the diagnosis follows the age, and is learnt of anyone; nobody is singled out for being in it.
    let (ours, theirs, ends) = excess("diagnosis inferred");
    assert!(ours > 0.7 && theirs > 0.7, "{ours} {theirs}");
    assert!(ends[0] <= 0.0 && 0.0 <= ends[1], "{ends:?}");
    let (_, _, ends) = excess("linked");
    assert!(ends[0] <= 0.0, "{ends:?}");
    let notes = |group: &str| {
        let found = json(&folder, &["--attacks", "control", "--control", group]);
        attack(&found, "control")["notes"].to_string()
    };
    assert!(!notes("others.csv").contains("must not hold people of the original"));
    let own = notes("patients.csv");
    assert!(own.contains("100 % of the control group's records are in the original"), "{own}");
}

#[test]
fn a_value_that_the_release_does_not_know_is_no_matter_of_a_recipe() {
    let folder = folder("name = \"optimal\"");
    folder.ok(&RUN);
    folder.write("other.csv", folder.read("patients.csv").replacen("\n20,", "\nabc,", 1));
    let arguments = ["attack", "release", "--original", "other.csv"];
    let run = folder.refused(&arguments, 4, &["E0409", "column `age`", "is that of the release"]);
    assert!(!run.err.contains("--show-values"), "{}", run.err);
}

#[test]
fn a_release_of_single_records_leaks_by_the_control_group() {
    let folder = folder("name = \"optimal\"\nmetric = \"discernibility\"");
    folder.write("patients.csv", group(0..1500));
    folder.write("others.csv", group(5000..6500));
    // δ-presence keeps no class large: every record as it is.
    let text =
        folder.read("recipe.toml").replace("model = \"k-anonymity\"\nk = 5", "model = \"k-map\"\nk = 2");
    let population = "[population]\npath = \"all.csv\"\n";
    folder.write("recipe.toml", text + population);
    let twice = group(0..1500) + group(0..1500).split_once('\n').unwrap().1;
    folder.write("all.csv", twice);
    folder.ok(&RUN);
    let found = json(&folder, &["--attacks", "control", "--control", "others.csv"]);
    let of = |who: &str| rate(&found, "control", &format!("singled out: {who}"));
    assert!(of("of the original") > 0.5 && of("of the control group") < 0.3, "{found}");
    let interval = &figure(&found, "control", "singled out: excess")["interval"];
    assert!(interval[0].as_f64().unwrap() > 0.3, "{found}");
    let missing = json(&folder, &["--attacks", "control"]);
    assert!(attack(&missing, "control")["left-out"].as_str().unwrap().contains("--control"));
    folder.refused(
        &[&ATTACK[..], &["--attacks", "control", "--control", "nowhere.csv"]].concat(),
        6,
        &["nowhere.csv"],
    );
}
