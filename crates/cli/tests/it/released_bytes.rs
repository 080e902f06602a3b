//! Every method on three tables: no byte of a release moves unless somebody means it. What moves is written
//! in the change log, and the snapshots are accepted anew (`INSTA_UPDATE=always cargo test --test it released_bytes`).

use std::fmt::Write as _;

use crate::common::Folder;
use sha2::{Digest, Sha256};

/// A table with the attributes of its recipe.
struct Table {
    name: &'static str,
    text: String,
    /// Quasi-identifiers with their hierarchies.
    qis: &'static [(&'static str, &'static str)],
    sensitive: (&'static str, &'static str),
    /// Further sections.
    others: &'static str,
}

/// A small generator of our own: the tables must not change when a crate of random numbers does.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }

    fn one<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.below(of.len() as u64) as usize]
    }
}

/// Hospital stays: ages, places and codes, with a column that takes no part.
fn stays() -> Table {
    let mut dice = Dice(1);
    let mut text = String::from("record,age,sex,zip,ward,diagnosis\n");
    for i in 0..600 {
        let age = 18 + dice.below(4) * dice.below(20) + dice.below(10);
        let (sex, zip) = (dice.one(&["F", "M"]), 10_000 + 100 * dice.below(6) + 10 * dice.below(3));
        let (ward, diagnosis) =
            (dice.one(&["A", "B"]), dice.one(&["I63", "I63", "J18", "E11", "C34", "K35"]));
        writeln!(text, "r{i},{age},{sex},{zip},{ward},{diagnosis}").unwrap();
    }
    Table {
        name: "stays",
        text,
        qis: &[
            ("age", "{ interval = [5, 10, 20, 40], min = 0, max = 119 }"),
            ("sex", "{ rows = [[\"F\", \"*\"], [\"M\", \"*\"]] }"),
            ("zip", "{ mask = \"right\", length = 5 }"),
        ],
        sensitive: ("diagnosis", "[\"C34\", \"E11\", \"I63\", \"J18\", \"K35\"]"),
        others: "[attributes.record]\nrole = \"identifier\"\n[attributes.ward]\nrole = \"identifier\"\n",
    }
}

/// A survey: a skewed attribute, a hierarchy in the recipe, a sensitive attribute of two values.
fn survey() -> Table {
    let mut dice = Dice(2);
    let mut text = String::from("education;region;children;smoker\n");
    for _ in 0..400 {
        let education = dice.one(&["none", "school", "school", "school", "college", "university"]);
        let (region, children) = (dice.one(&["north", "south", "east"]), dice.below(3) * dice.below(3));
        writeln!(text, "{education};{region};{children};{}", dice.one(&["yes", "no", "no"])).unwrap();
    }
    Table {
        name: "survey",
        text,
        qis: &[
            (
                "education",
                "{ rows = [[\"none\", \"low\", \"*\"], [\"school\", \"low\", \"*\"], \
                 [\"college\", \"high\", \"*\"], [\"university\", \"high\", \"*\"]] }",
            ),
            ("region", "{ rows = [[\"north\", \"*\"], [\"south\", \"*\"], [\"east\", \"*\"]] }"),
            ("children", "{ interval = [2, 4], min = 0, max = 7 }"),
        ],
        sensitive: ("smoker", "[\"yes\", \"no\"]"),
        others: "",
    }
}

/// A table in which most records stand alone.
fn lonely() -> Table {
    let mut dice = Dice(3);
    let mut text = String::from("born,height,blood\n");
    for i in 0..240 {
        let day = 1 + dice.below(28);
        writeln!(
            text,
            "{}-0{}-{day:02},{},{}",
            1940 + i % 60,
            1 + i % 9,
            150 + dice.below(50),
            dice.one(&["A", "B", "0"])
        )
        .unwrap();
    }
    Table {
        name: "lonely",
        text,
        qis: &[
            (
                "born",
                "{ date = [\"month\", \"year\", \"10-years\"], min = \"1930-01-01\", max = \"2009-12-31\" }",
            ),
            ("height", "{ interval = [10, 50], min = 100, max = 249 }"),
        ],
        sensitive: ("blood", "[\"0\", \"A\", \"B\"]"),
        others: "",
    }
}

const K: &str = "[[privacy]]\nmodel = \"k-anonymity\"\nk = 3\n";
const L: &str =
    "[[privacy]]\nmodel = \"k-anonymity\"\nk = 3\n[[privacy]]\nmodel = \"distinct-l-diversity\"\nl = 2\n";
const T: &str = "[[privacy]]\nmodel = \"t-closeness\"\nt = 0.5\ndistance = \"equal\"\n";
const DP: &str = "[[privacy]]\nmodel = \"differential-privacy\"\nepsilon = 16.0\n";
/// Small tables need much of both before a class is large enough for safe-pub.
const SAFE: &str = "[[privacy]]\nmodel = \"differential-privacy\"\nepsilon = 4.0\ndelta = 0.2\n";
/// Small tables need much of both before invented records follow more than noise.
const MST: &str = "[[privacy]]\nmodel = \"differential-privacy\"\nepsilon = 8.0\ndelta = 1e-4\n";
const DP_DELTA: &str = "[[privacy]]\nmodel = \"differential-privacy\"\nepsilon = 16.0\ndelta = 1e-4\n";

/// (what it is called here, its privacy models, its method section).
const RUNS: &[(&str, &str, &str)] = &[
    ("h-ceiling", K, "name = \"h-ceiling\"\nadversary-limit = 1\nh = 0.5"),
    (
        "h-ceiling, without limits",
        K,
        "name = \"h-ceiling\"\nadversary-limit = 1\nh = 0.5\ncounterfeit-limit = 1\nsuppression-limit = 0\nleast-real = 1",
    ),
    ("h-ceiling, by rce", K, "name = \"h-ceiling\"\nadversary-limit = 1\nobjective = \"rce\""),
    (
        "h-ceiling, exact",
        K,
        "name = \"h-ceiling\"\nadversary-limit = 1\nh = 0.5\npadding = \"exact\"\ndraw = \"uniform\"",
    ),
    ("h-ceiling, l-diversity", L, "name = \"h-ceiling\"\nadversary-limit = 1\nh = 0.5"),
    (
        "h-ceiling, mondrian",
        K,
        "name = \"h-ceiling\"\nadversary-limit = 1\nh = 0.5\nparts = \"mondrian\"\ncounterfeit-limit = 0.5\nsuppression-limit = 0.2",
    ),
    (
        "h-ceiling, clustering",
        K,
        "name = \"h-ceiling\"\nadversary-limit = 1\nh = 0.5\nparts = \"clustering\"\ncounterfeit-limit = 0.5\nsuppression-limit = 0.2",
    ),
    ("optimal", K, "name = \"optimal\"\nsuppression-limit = 0.1"),
    ("optimal, entropy", L, "name = \"optimal\"\nmetric = \"non-uniform-entropy\""),
    ("optimal, local recoding", K, "name = \"optimal\"\nsuppression-limit = 0.5\nlocal-recoding = true"),
    ("optimal, cell suppression", K, "name = \"optimal\"\nsuppression-limit = 0.9\ncell-suppression = true"),
    ("suppression", K, "name = \"suppression\"\nsuppression-limit = 0.1"),
    ("relocation", K, "name = \"relocation\"\nsuppression-limit = 0.1"),
    ("exhaustive", K, "name = \"exhaustive\""),
    ("datafly", K, "name = \"datafly\"\nsuppression-limit = 0.1"),
    ("top-down", K, "name = \"top-down\""),
    ("best-first", K, "name = \"best-first\""),
    ("iterated-local-search", K, "name = \"iterated-local-search\"\nbudget-steps = 400"),
    ("genetic", K, "name = \"genetic\"\nbudget-steps = 200"),
    ("mondrian", L, "name = \"mondrian\""),
    ("mondrian, relaxed", K, "name = \"mondrian\"\npartitioning = \"relaxed\""),
    ("mdav", K, "name = \"mdav\""),
    ("iab", K, "name = \"iab\""),
    ("iab, subtrees", K, "name = \"iab\"\nrecoding = \"subtree\""),
    ("greedy", K, "name = \"greedy\""),
    ("exhaustive-rows", K, "name = \"exhaustive-rows\""),
    ("ce-mi-clustering", K, "name = \"ce-mi-clustering\""),
    ("ce-clustering", K, "name = \"ce-clustering\""),
    (
        "entropy-l-clustering",
        "[[privacy]]\nmodel = \"k-anonymity\"\nk = 3\n[[privacy]]\nmodel = \"entropy-l-diversity\"\nl = 1.5\n",
        "name = \"entropy-l-clustering\"",
    ),
    ("t-closeness-clustering", T, "name = \"t-closeness-clustering\""),
    ("t-closeness-clustering, ties drawn", T, "name = \"t-closeness-clustering\"\nties = \"random\""),
    ("k-member", K, "name = \"k-member\""),
    ("safe-pub", SAFE, "name = \"safe-pub\""),
    ("ipa", DP, "name = \"ipa\""),
    ("ipa, delta", DP_DELTA, "name = \"ipa\""),
    ("ipa, published", "", "name = \"ipa\"\nguarantee = \"published\""),
    ("contingency-table", DP, "name = \"contingency-table\""),
    ("contingency-table, delta", DP_DELTA, "name = \"contingency-table\""),
    ("diffgen", DP, "name = \"diffgen\""),
    (
        "diffgen, delta",
        DP_DELTA,
        "name = \"diffgen\"\nutility = \"information-gain\"\nspecializations = 4\nchoices-share = 0.25",
    ),
    ("dsat", DP, "name = \"dsat\"\ntime = \"FIRST\""),
    ("dsat, delta", DP_DELTA, "name = \"dsat\"\ntime = \"FIRST\"\nmost-histograms = 2\nthreshold = 30"),
    ("mst", MST, "name = \"mst\""),
    ("aim", MST, "name = \"aim\""),
];

fn recipe(table: &Table, privacy: &str, method: &str) -> String {
    let mut recipe = String::from("[input]\npath = \"table.csv\"\n");
    let private = privacy.contains("differential-privacy");
    for (name, hierarchy) in table.qis {
        // A private method needs a domain that can be listed.
        if private && hierarchy.contains("mask") {
            write!(recipe, "[attributes.{name}]\nrole = \"identifier\"\n").unwrap();
        } else {
            write!(recipe, "[attributes.{name}]\nrole = \"quasi-identifier\"\nhierarchy = {hierarchy}\n")
                .unwrap();
        }
    }
    let (name, domain) = table.sensitive;
    // safe-pub, mst and aim release quasi-identifiers only.
    if method.contains("safe-pub") {
        write!(recipe, "[attributes.{name}]\nrole = \"identifier\"\n").unwrap();
    } else if privacy == MST {
        write!(recipe, "[attributes.{name}]\nrole = \"quasi-identifier\"\ndomain = {domain}\n").unwrap();
    } else {
        write!(recipe, "[attributes.{name}]\nrole = \"sensitive\"\ndomain = {domain}\n").unwrap();
    }
    // The times of dsat are the values of the first attribute that it can list.
    let lists = |qi: &&(&str, &str)| !qi.1.contains("mask");
    let first = table.qis.iter().find(lists).map_or("", |qi| qi.0);
    let method = method.replace("FIRST", first);
    recipe + table.others + privacy + "[method]\n" + &method + "\nseed = 7\n[output]\npath = \"release\"\n"
}

/// Each released file's name and the beginning of its SHA-256.
fn outcome(folder: &Folder) -> String {
    let run = folder.run(&["anonymize", "recipe.toml"]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert_eq!(folder.run(&["verify", "release"]).code, 0);
    let mut names: Vec<String> = std::fs::read_dir(folder.path("release"))
        .unwrap()
        .map(|e| e.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    let hash = |name: &String| {
        let text = std::fs::read(folder.path("release").join(name)).unwrap();
        Sha256::digest(&text).iter().take(8).map(|byte| format!("{byte:02x}")).collect::<String>()
    };
    names.iter().map(|name| format!("  {name} {}\n", hash(name))).collect()
}

fn all(table: &Table) -> String {
    let one = |(called, privacy, method): &(&str, &str, &str)| {
        let folder = Folder::new();
        folder.write("table.csv", &table.text);
        folder.write("recipe.toml", recipe(table, privacy, method));
        format!("{called}\n{}", outcome(&folder))
    };
    RUNS.iter().map(one).collect()
}

#[test]
fn releases_of_every_method() {
    for table in [stays(), survey(), lonely()] {
        insta::assert_snapshot!(table.name, all(&table));
    }
}

#[test]
fn every_method_of_the_schema_is_run() {
    let schema: serde_json::Value = serde_json::from_str(&Folder::new().ok(&["schema"]).out).unwrap();
    let text = schema.to_string();
    for (called, _, method) in RUNS {
        let name = method.split('"').nth(1).unwrap();
        assert!(text.contains(&format!("\"{name}\"")), "{called}: `{name}` is in no recipe");
    }
}
