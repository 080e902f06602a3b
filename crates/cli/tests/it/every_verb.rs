//! Every command that recipients and custodians have for a release, on releases of every method and of odd
//! tables, with the real binary.

use crate::common;

use crate::common::Folder;

/// A table and what its recipe says of it.
struct Odd {
    name: &'static str,
    /// The names of two quasi-identifiers.
    columns: [&'static str; 2],
    /// The quasi-identifiers' cells of a record.
    cells: fn(usize) -> [String; 2],
    records: usize,
    /// The first quasi-identifier's hierarchy, if it has one.
    hierarchy: &'static str,
}

fn cell(text: impl ToString) -> String {
    text.to_string()
}

/// One of some texts, by the record's number.
fn of(texts: &[&str], record: usize) -> String {
    texts[record % texts.len()].to_owned()
}

const PLAIN: Odd = Odd {
    name: "plain",
    columns: ["q", "v"],
    cells: |i| [cell(i % 7), format!("w{}", i % 3)],
    records: 60,
    hierarchy: "",
};

const WIDE: &str = r#"hierarchy = { rows = [
    ["a", "a1", "a2", "a3", "a4", "a5", "a6", "a7", "a8", "x", "*"],
    ["b", "b1", "b2", "b3", "b4", "a5", "a6", "a7", "a8", "x", "*"],
    ["c", "c1", "c2", "c3", "c4", "c5", "c6", "a7", "a8", "x", "*"]] }"#;

/// Tables that readers of releases can stumble over.
const ODD: [Odd; 12] = [
    PLAIN,
    Odd { name: "a constant", cells: |i| [cell("x"), format!("w{}", i % 5)], ..PLAIN },
    Odd { name: "a constant number", cells: |i| [cell(7), cell(i % 4)], ..PLAIN },
    Odd { name: "nothing but missing values", cells: |i| [cell(""), format!("w{}", i % 5)], ..PLAIN },
    Odd {
        name: "missing values under intervals",
        cells: |_| [cell(""), cell("")],
        hierarchy: "hierarchy = { interval = [5, 10], min = 0, max = 99 }",
        ..PLAIN
    },
    Odd { name: "one class", cells: |_| [cell("x"), cell("y")], ..PLAIN },
    Odd { name: "records of their own", cells: |i| [cell(i), format!("w{i}")], records: 24, ..PLAIN },
    Odd { name: "empty cells", cells: |i| [of(&["", "a", "b"], i), of(&["", "z"], i)], ..PLAIN },
    Odd { name: "numbers", cells: |i| [cell(i % 7), format!("{}.5", i % 9)], ..PLAIN },
    Odd {
        name: "other scripts",
        columns: ["größe", "名"],
        cells: |i| [of(&["ä", "ß", "日本"], i), of(&["Ω", "Å"], i)],
        ..PLAIN
    },
    Odd {
        name: "names and values that look like others",
        columns: ["select", "order by"],
        cells: |i| [of(&["[1-2]", "[a..b]", ">=3", "-"], i), of(&["NULL", "\"a,b\""], i)],
        ..PLAIN
    },
    Odd {
        name: "a wide hierarchy",
        cells: |i| [of(&["a", "b", "c"], i), cell("y")],
        hierarchy: WIDE,
        ..PLAIN
    },
];

/// Methods with what they need beside the table; `mdav` takes numbers alone.
const METHODS: [&str; 22] = [
    "name = \"optimal\"",
    "name = \"optimal\"\nsuppression-limit = 0.5",
    "name = \"optimal\"\nlocal-recoding = true",
    "name = \"optimal\"\ncell-suppression = true\nsuppression-limit = 0.3",
    "name = \"relocation\"\nsuppression-limit = 0.2",
    "name = \"exhaustive\"",
    "name = \"datafly\"",
    "name = \"top-down\"",
    "name = \"best-first\"",
    "name = \"genetic\"",
    "name = \"mondrian\"",
    "name = \"mondrian\"\npartitioning = \"relaxed\"",
    "name = \"mdav\"",
    "name = \"ce-mi-clustering\"",
    "name = \"k-member\"",
    "name = \"iab\"",
    "name = \"iab\"\nrecoding = \"subtree\"",
    "name = \"greedy\"",
    "name = \"h-ceiling\"\nadversary-limit = 1\nh = 1\nseed = 3",
    "name = \"h-ceiling\"\nadversary-limit = 1\nh = 1\nparts = \"mondrian\"\nseed = 3",
    "name = \"h-ceiling\"\nadversary-limit = 1\nh = 1\nparts = \"clustering\"\nseed = 3",
    "name = \"ipa\"\nguarantee = \"published\"\nseed = 3",
];

/// Differentially private ones, whose domains have to be listed.
const PRIVATE: [&str; 3] =
    ["name = \"ipa\"\nseed = 3", "name = \"contingency-table\"\nseed = 3", "name = \"diffgen\"\nseed = 3"];

fn table(odd: &Odd) -> String {
    let mut text = format!("{},{},disease\n", odd.columns[0], odd.columns[1]);
    for i in 0..odd.records {
        let [one, two] = (odd.cells)(i);
        text += &format!("{one},{two},{}\n", ["I63", "J18", "E11"][i * i % 11 % 3]);
    }
    text
}

/// All values of a quasi-identifier and the missing one, as a hierarchy.
fn listed(odd: &Odd, column: usize) -> String {
    let mut values: Vec<String> =
        (0..odd.records).map(|i| (odd.cells)(i)[column].trim_matches('"').to_owned()).collect();
    values.push(String::new());
    values.sort();
    values.dedup();
    let rows: Vec<[&str; 2]> = values.iter().map(|value| [value.as_str(), "*"]).collect();
    format!("hierarchy = {{ rows = {} }}", serde_json::to_string(&rows).unwrap())
}

fn recipe(odd: &Odd, method: &str) -> String {
    let private = PRIVATE.contains(&method);
    let lists = private || method.contains("published");
    let [one, two] = odd.columns;
    let hierarchy = |column: usize| match column {
        0 if !odd.hierarchy.is_empty() => odd.hierarchy.to_owned(),
        _ if lists => listed(odd, column),
        _ => String::new(),
    };
    let (first, second) = (hierarchy(0), hierarchy(1));
    let domain = if private { "domain = [\"I63\", \"J18\", \"E11\"]" } else { "" };
    let privacy = match method {
        _ if private => "[[privacy]]\nmodel = \"differential-privacy\"\nepsilon = 4",
        _ if lists => "",
        _ => "[[privacy]]\nmodel = \"k-anonymity\"\nk = 3",
    };
    format!(
        "[input]\npath = \"t.csv\"\n[attributes.\"{one}\"]\nrole = \"quasi-identifier\"\n{first}\n\
         [attributes.\"{two}\"]\nrole = \"quasi-identifier\"\n{second}\n[attributes.disease]\nrole = \
         \"sensitive\"\n{domain}\n{privacy}\n[method]\n{method}\n[output]\npath = \"release\"\n"
    )
}

/// What recipients do with a release, and what the custodian does with it and the original.
const VERBS: [&[&str]; 10] = [
    &["verify", "release"],
    &["measure", "release"],
    &["risk", "release", "--before", "t.csv"],
    &["compare", "t.csv", "release", "--queries", "10"],
    &["attack", "release", "--original", "t.csv", "--targets", "20"],
    &["leak", "t.csv", "--after", "release"],
    &["diff", "release", "release"],
    &["report", "release", "--output", "again.html"],
    &["truthful", "release", "--output", "truthful.csv"],
    #[cfg(feature = "sql")]
    &["query", "release", "SELECT disease, COUNT(*) AS n FROM release GROUP BY disease"],
    #[cfg(not(feature = "sql"))]
    &["risk", "release"],
];

/// What cannot be made of a release by its nature, and says so.
fn is_impossible(verb: &[&str], error: &str) -> bool {
    let says = ["of which no truthful version exists", "does not tell its counterfeits"];
    verb[0] == "truthful" && says.iter().any(|text| error.contains(text))
}

/// Each method has a third of the tables, each table a third of the methods; all of both in `cargo xtask nightly`.
fn share(turn: usize) -> impl Iterator<Item = &'static Odd> {
    let step = if std::env::var_os("VELAMEN_NIGHTLY").is_some() { 1 } else { 3 };
    ODD.iter().skip(turn % step).step_by(step)
}

/// Runs all verbs on a method's releases of some tables; returns how many there were.
fn releases(method: &str, tables: impl Iterator<Item = &'static Odd>) -> usize {
    let mut made = 0;
    for odd in tables {
        let folder = Folder::new();
        folder.write("t.csv", table(odd));
        folder.write("recipe.toml", recipe(odd, method));
        let run = folder.run(&["anonymize", "recipe.toml", "--threads", "1"]);
        let place = format!("{}: {method}", odd.name);
        // What cannot be made is refused with words, not with a crash.
        assert!([0, 3, 4, 5].contains(&run.code), "{place}: {}", run.err);
        if run.code != 0 {
            continue;
        }
        made += 1;
        for verb in VERBS {
            let run = folder.run(&[verb, &["--threads", "1"]].concat());
            assert!(run.code == 0 || is_impossible(verb, &run.err), "{place}: {verb:?}: {}", run.err);
        }
        let told = |page: &str| folder.read(page).contains("are certainly genuine");
        assert_eq!(told("again.html"), told("release/report.html"), "{place}");
    }
    made
}

/// Most of the methods release every table.
fn works_on_every_release(methods: &[&str]) {
    for (turn, method) in methods.iter().enumerate().filter(|(_, method)| !method.contains("mdav")) {
        let made = releases(method, share(turn));
        assert!(made + 1 >= share(turn).count(), "{method}: only {made}");
    }
}

#[test]
fn every_verb_works_on_every_release_of_a_search() {
    works_on_every_release(&METHODS[..10]);
}

#[test]
fn every_verb_works_on_every_other_release() {
    works_on_every_release(&METHODS[10..]);
}

#[test]
fn every_verb_works_where_only_some_tables_can_be_released() {
    for method in PRIVATE.into_iter().chain(["name = \"mdav\""]) {
        let made = releases(method, ODD.iter());
        assert!(made >= 3, "{method}: only {made}");
    }
}

#[test]
fn classifiers_work_where_every_number_is_missing() {
    let odd = ODD.iter().find(|odd| odd.name == "missing values under intervals").unwrap();
    let folder = Folder::new();
    folder.write("t.csv", table(odd));
    folder.write("recipe.toml", recipe(odd, "name = \"ipa\"\nguarantee = \"published\"\nseed = 3"));
    folder.ok(&["anonymize", "recipe.toml"]);
    folder.ok(&["compare", "t.csv", "release", "--target", "disease"]);
}

/// A mark in the data that a release would give another meaning.
#[test]
fn the_mark_of_suppression_is_refused_in_the_data() {
    let folder = Folder::with(common::OPTIMAL);
    let table = folder.read("patients.csv").replacen("31,F,I63", "31,*,I63", 1);
    folder.write("patients.csv", &table);
    let says = ["line 2 (record 1)", "column `sex`", "null = [\"*\"]"];
    folder.refused(&["anonymize", "recipe.toml"], 4, &says);
    // The way out, which is the message's.
    let recipe = folder.read("recipe.toml").replace("[input]", "[input]\nnull = [\"*\"]");
    folder.write("recipe.toml", recipe);
    folder.ok(&["anonymize", "recipe.toml", "--set", "method.suppression-limit=0.1"]);
    folder.ok(&["verify", "release"]);
    // In a column that is released as it is, the mark means nothing.
    folder.write("patients.csv", table.replace("31,*,I63", "31,F,*"));
    folder.ok(&["anonymize", "recipe.toml", "--overwrite"]);
}

#[test]
fn a_header_line_in_a_hierarchy_is_warned_of() {
    let folder = Folder::with(common::OPTIMAL);
    let base = folder.read("recipe.toml");
    for (rows, warns) in [
        ("Sex;*\nF;*\nM;*\n", true),
        ("value;group;*\nF;one;*\nM;one;*\n", true),
        ("value;group;all\nF;one;*\nM;one;*\n", true),
        ("X;one;*\nF;one;*\nM;one;*\n", false),
        ("F;*\nM;*\n", false),
    ] {
        folder.write("sex.csv", rows);
        let sex = "[attributes.sex]\nhierarchy = \"sex.csv\"";
        folder.write("recipe.toml", base.replace("[attributes.sex]", sex));
        let run = folder.ok(&["anonymize", "recipe.toml", "--overwrite"]);
        assert_eq!(run.err.contains("row 1 looks like a header line"), warns, "{rows}: {}", run.err);
    }
}

#[test]
fn a_top_level_of_several_labels_gets_one_above_it() {
    let folder = Folder::with(common::OPTIMAL);
    folder.write("sex.csv", "F;women\nM;men\n");
    let sex = "[attributes.sex]\nhierarchy = \"sex.csv\"";
    folder.write("recipe.toml", folder.read("recipe.toml").replace("[attributes.sex]", sex));
    folder.ok(&["anonymize", "recipe.toml", "--set", "privacy.0.k=100"]);
    folder.ok(&["verify", "release"]);
    let manifest = folder.json("release/release.json");
    assert_eq!(manifest["attributes"]["sex"]["hierarchy"]["rows"][0][2], "*", "{manifest}");
    assert_eq!(manifest["node"]["sex"], 2);
}
