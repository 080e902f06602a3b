//! Some forty wrong recipes: each message says what is wrong, in which line, what was expected, and the
//! word that was probably meant. No message shows the secret key.

use crate::{Overrides, refused, refused_with};

/// Numbered as the messages number them.
const RECIPE: &str = r#"[input]
path = "patients.csv"
null = ["NA"]
[attributes.age]
role = "quasi-identifier"
hierarchy = { interval = [5, 10, 20], min = 0, max = 99 }
weight = 1
[attributes.sex]
role = "quasi-identifier"
[attributes.diagnosis]
role = "sensitive"
[[privacy]]
model = "k-anonymity"
k = 5
[[privacy]]
model = "distinct-l-diversity"
l = 2
attribute = "diagnosis"
[method]
name = "optimal"
suppression-limit = 0.05
metric = "loss"
[output]
path = "release"
[engine]
memory = "8 GiB"
"#;

/// What is replaced, by what, the line that is named (0 for none), and what is said besides.
type Case = (&'static str, &'static str, usize, &'static [&'static str]);

const PARSED: [Case; 17] = [
    ("[input]", "[inputs]", 1, &["unknown field `inputs`; expected one of ", "; did you mean `input`?"]),
    (
        "path = \"patients.csv\"",
        "pat = \"patients.csv\"",
        2,
        &["`pat`; expected one of ", "; did you mean `path`?"],
    ),
    ("path = \"patients.csv\"", "path = patients.csv", 2, &["quoted"]),
    ("null = [\"NA\"]", "null = \"NA\"", 3, &["expected a list"]),
    ("null = [\"NA\"]", "path = \"NA\"", 3, &["`path` stands here twice"]),
    ("null = [\"NA\"]", "missing = \"wild-card\"", 3, &["did you mean `wildcard`?", "`own-value`"]),
    ("role = \"sensitive\"", "role = \"sensetive\"", 11, &["did you mean `sensitive`?", "`insensitive`"]),
    (
        "role = \"sensitive\"",
        "roll = \"sensitive\"",
        11,
        &["unknown field `roll`; expected one of ", "; did you mean `role`?"],
    ),
    ("role = \"sensitive\"", "weight = 1", 10, &["missing field `role`"]),
    ("weight = 1", "weight = \"heavy\"", 7, &["expected a number"]),
    ("weight = 1", "max_level = 1", 7, &["did you mean `max-level`?"]),
    ("max = 99", "mx = 99", 6, &["unknown field `mx`; expected one of ", "; did you mean `max`?"]),
    ("\"optimal\"", "\"optimum\"", 20, &["did you mean `optimal`?", "h-ceiling"]),
    (
        "metric = \"loss\"",
        "metrik = \"loss\"",
        22,
        &["`metrik`; expected a key of optimal: ", "; did you mean `metric`?"],
    ),
    ("metric = \"loss\"", "h = 0.3", 22, &["`h` is a key of h-ceiling; expected a key of optimal: metric"]),
    ("[output]\npath = \"release\"\n", "", 0, &["missing field `output`"]),
    ("[input]", "preset = \"hipaa\"\n[input]", 1, &["did you mean `hipaa-safe-harbor`?"]),
];

const RESOLVED: [Case; 21] = [
    (
        "model = \"k-anonymity\"",
        "model = \"k-anonimity\"",
        13,
        &["did you mean `k-anonymity`?", "t-closeness"],
    ),
    (
        "model = \"distinct-l-diversity\"",
        "model = \"l-diversity\"",
        16,
        &["did you mean `entropy-l-diversity`?"],
    ),
    ("k = 5", "k = 1", 14, &["privacy 1", "protects nobody; expected at least 2"]),
    ("k = 5", "k = \"five\"", 14, &["privacy 1", "expected a whole number"]),
    ("k = 5", "k = 5\nkk = 6", 15, &["privacy 1", "unknown field `kk`; expected `k`; did you mean `k`?"]),
    ("k = 5", "", 12, &["privacy 1", "missing field `k`"]),
    (
        "attribute = \"diagnosis\"",
        "attribute = \"diagnoses\"",
        18,
        &["privacy 2", "did you mean `diagnosis`?"],
    ),
    ("attribute = \"diagnosis\"", "atribute = \"diagnosis\"", 18, &["privacy 2", "`atribute`"]),
    ("l = 2", "l = 0", 17, &["privacy 2", "l"]),
    ("\"loss\"", "\"los\"", 22, &["unknown metric `los`; expected one of: ", "; did you mean `loss`?"]),
    ("suppression-limit = 0.05", "suppression-limit = 5", 21, &["from 0 to 1"]),
    ("weight = 1", "weight = -1", 7, &["attribute `age`", "weight is a number from 0"]),
    ("weight = 1", "level = 9", 7, &["attribute `age`", "levels run from 0 to 4"]),
    ("weight = 1", "pseudonym = \"hmac-sha256\"", 7, &["attribute `age`", "for the role \"identifier\""]),
    ("interval = [5, 10, 20]", "interval = [5, 12]", 6, &["hierarchy of attribute `age`", "multiple"]),
    ("null = [\"NA\"]", "sample = 7", 3, &["above 0"]),
    ("null = [\"NA\"]", "delimiter = \";;\"", 3, &["one ASCII character"]),
    ("null = [\"NA\"]", "format = \"parket\"", 3, &["did you mean `parquet`?"]),
    ("\"release\"", "\"release\"\nformat = \"xlsx\"", 25, &["output.format", "parquet"]),
    ("8 GiB", "8 gigs", 26, &["engine.memory", "500 MB"]),
    (
        "name = \"optimal\"",
        "name = \"optimal\"\nseed = \"seven\"",
        21,
        &["method.seed", "64 hexadecimal digits"],
    ),
];

#[test]
fn wrong_recipes_say_what_where_and_what_was_meant() {
    crate::resolved(RECIPE, &Overrides::default()).unwrap();
    for (from, to, line, says) in PARSED.iter().chain(&RESOLVED) {
        assert!(RECIPE.contains(from), "{from}");
        let said = refused(&RECIPE.replacen(from, to, 1), says);
        let named = match line {
            0 => !said.contains("line "),
            _ => said.contains(&format!("recipe.toml: line {line}: ")),
        };
        assert!(named, "{to}: not line {line}: {said}");
    }
}

#[test]
fn mistakes_in_a_file_of_their_own_lines_are_found_there() {
    let nested = "[attributes.age.hierarchy]\ninterval = [5, 10, 20]\nmin = 0\nmx = 99\n";
    let text = RECIPE.replace("hierarchy = { interval = [5, 10, 20], min = 0, max = 99 }\n", "") + nested;
    refused(&text, &["line 29: ", "did you mean `max`?"]);
}

#[test]
fn mistakes_of_the_command_line_name_the_flag() {
    for (pair, code, says) in [
        ("method.metric=los", 5, &["--set method.metric=los: ", "did you mean `loss`?"][..]),
        ("privacy.0.k=1", 5, &["--set privacy.0.k=1: ", "protects nobody; expected at least 2"]),
        ("attributes.age.weight=-1", 5, &["--set attributes.age.weight=-1: ", "from 0"]),
        ("method.h=0.3", 2, &["--set method.h=0.3: ", "`h` is a key of h-ceiling"]),
        ("method.name=optimum", 2, &["--set method.name=optimum: ", "did you mean `optimal`?"]),
    ] {
        refused_with(RECIPE, pair, code, says);
    }
}

#[test]
fn keys_that_mean_nothing_beside_others_are_refused() {
    for (method, says) in [
        (
            "name = \"mondrian\"\nsuppression-limit = 0.1",
            "`suppression-limit` is a key of optimal, h-ceiling",
        ),
        ("name = \"k-member\"\nlambda = 2", "`lambda` is a key of ce-mi-clustering"),
        ("h = 0.3\nmetric = \"loss\"", "add name = \"h-ceiling\" under [method]"),
        ("name = \"h-ceiling\"\nmetric = \"loss\"", "expected a key of h-ceiling: h, parts"),
        ("name = \"ipa\"\nthreshold = 3", "means nothing under guarantee = \"differential-privacy\""),
    ] {
        let text = RECIPE.replace("name = \"optimal\"\nsuppression-limit = 0.05\nmetric = \"loss\"", method);
        refused(&text, &["line 2", says]);
    }
}

#[test]
fn the_secret_key_is_never_shown() {
    const SECRET: &str = "5ecret0123456789";
    let cases = [
        "key = \"@\"",
        "\"key\" = '@'",
        "key = [\"@\"]",
        "key.value = \"@\"",
        "key = { value = \"@\" }",
        "key = { file = [\"@\"] }",
        "key = { file = @ }",
        "key = \"\"\"\n@\n",
        "[key]\nvalue = \"@\"",
        "[key]\n@ = 1",
        "[ \"key\" ]\n\nvalue = '@'",
        "[\"k\\u0065y\"]\nvalue = '@'",
        "[key]\nfile = @",
        "[key]\nfile = \"@",
        "[key\nvalue = \"@\"",
        "[[key]]\nvalue = \"@\"",
        "[key.x]\ny = \"@\"",
        "[key]\nfile = \"a\"\nfile = \"@\"",
    ];
    let set = |pair: &str| Overrides { set: vec![pair.to_owned()], ..Overrides::default() };
    for case in cases {
        let text = case.replace('@', SECRET) + "\n" + RECIPE;
        let said = refused(&text, &["recipe.toml"]);
        assert!(!said.contains(SECRET), "{case}: {said}");
        let other = crate::resolved(&text, &set("method.hh=1")).unwrap_err();
        assert!(!format!("{other} {other:?}").contains(SECRET), "{case}: {other}");
    }
    for key in ["key", "key.file.x", "key.value"] {
        let error = crate::resolved(RECIPE, &set(&format!("{key}={SECRET}"))).unwrap_err();
        let said = error.to_string();
        assert!([2, 5].contains(&error.exit_code()) && !said.contains(SECRET), "{said}");
    }
}
