//! Recipes and command lines that make no sense: refused before the table is read.

use crate::common::{Folder, H_CEILING, OPTIMAL, recipe};

/// Refuses the recipe with `from` replaced by `to`, although the table is not even there.
fn refused(method: &str, from: &str, to: &str, says: &[&str]) {
    let folder = Folder::new();
    let text = recipe(method);
    assert!(text.contains(from), "{from}");
    folder.write("recipe.toml", text.replace(from, to));
    folder.refused(&["anonymize", "recipe.toml"], 5, &[says, &["recipe.toml"]].concat());
}

const K: &str = "model = \"k-anonymity\"\nk = 5";

#[test]
fn no_quasi_identifier() {
    refused(H_CEILING, "\"quasi-identifier\"", "\"insensitive\"", &["quasi-identifier", "for example"]);
}

#[test]
fn k_out_of_range() {
    refused(H_CEILING, "k = 5", "k = 1", &["privacy 1", "k must be at least 2"]);
    refused(H_CEILING, "k = 5", "k = 0", &["privacy 1", "k must be at least 2"]);
    refused(H_CEILING, "k = 5", "k = -3", &["privacy 1", "k-anonymity"]);
    refused(H_CEILING, "k = 5", "k = 2.5", &["privacy 1", "k-anonymity"]);
    refused(H_CEILING, "k = 5", "", &["privacy 1", "missing field `k`"]);
    refused(H_CEILING, "k = 5", "k = 5\nl = 2", &["privacy 1", "unknown field `l`"]);
}

#[test]
fn h_out_of_range() {
    for h in ["nan", "inf", "-inf"] {
        refused(H_CEILING, "h = 0.5", &format!("h = {h}"), &["method: `h`: expected a finite number"]);
    }
    for h in ["-0.1", "1.01"] {
        refused(H_CEILING, "h = 0.5", &format!("h = {h}"), &["h must be from 0 to 1"]);
    }
    refused(H_CEILING, "h = 0.5", "h = \"much\"", &["line 15"]);
}

#[test]
fn suppression_limit_out_of_range() {
    for limit in ["-0.1", "1.01"] {
        let method = format!("{OPTIMAL}\nsuppression-limit = {limit}");
        refused(&method, &method, &method, &["suppression-limit", "from 0 to 1"]);
    }
}

#[test]
fn h_ceiling_needs_one_sensitive_attribute() {
    refused(H_CEILING, "\"sensitive\"", "\"insensitive\"", &["h-ceiling", "sensitive", "names none"]);
    let two = "[attributes.drug]\nrole = \"sensitive\"\n[[privacy]]";
    refused(H_CEILING, "[[privacy]]", two, &["h-ceiling", "sensitive", "diagnosis, drug"]);
}

#[test]
fn unknown_names() {
    refused(H_CEILING, "k-anonymity", "k-anonimity", &["unknown model `k-anonimity`", "k-anonymity"]);
    refused(OPTIMAL, OPTIMAL, "name = \"optimal\"\nmetric = \"los\"", &["unknown metric `los`", "loss"]);
    refused(OPTIMAL, "\"optimal\"", "\"best\"", &["unknown method `best`", "h-ceiling", "line 14"]);
    refused(H_CEILING, "h = 0.5", "hh = 0.5", &["unknown field `hh`", "line 15"]);
    refused(H_CEILING, "[output]", "[output]\nformat = \"xlsx\"", &["output.format", "xlsx", "parquet"]);
    refused(H_CEILING, "[input]", "[input]\nformat = \"docx\"", &["input.format", "docx", "parquet"]);
    refused(H_CEILING, "[input]", "[inputs]", &["inputs"]);
    refused(H_CEILING, "\"sensitive\"", "\"secret\"", &["unknown variant `secret`", "`quasi-identifier`"]);
    refused(H_CEILING, "seed = 7", "padding = \"some\"", &["`some`", "`random`"]);
}

#[test]
fn missing_parts() {
    refused(H_CEILING, K, "model = \"k-anonymity\"", &["privacy 1", "`k`"]);
    refused(H_CEILING, &format!("[[privacy]]\n{K}"), "", &["no privacy model", "for example"]);
    refused(H_CEILING, "[output]\npath = \"release\"", "", &["output"]);
    refused(H_CEILING, "path = \"patients.csv\"", "", &["path"]);
    refused(H_CEILING, "seed = 7", "seed = -7", &["whole number"]);
    refused(H_CEILING, "seed = 7", "seed = \"seven\"", &["seed", "64 hexadecimal digits"]);
    refused(H_CEILING, "[input]", "[input]\ndelimiter = \";;\"", &["input.delimiter", "one ASCII character"]);
    refused(H_CEILING, "[input]", "[input]\ncolumns = [\"age\"]", &["columns", "header = false"]);
    refused(H_CEILING, "[input]", "[input", &["line 1"]);
}

#[test]
fn an_empty_recipe() {
    let folder = Folder::new();
    folder.write("recipe.toml", "");
    folder.refused(&["anonymize", "recipe.toml"], 5, &["recipe.toml", "input"]);
    folder.write("recipe.toml", b"\xff\xfe");
    folder.refused(&["anonymize", "recipe.toml"], 5, &["recipe.toml", "UTF-8"]);
    std::fs::create_dir(folder.path("folder")).unwrap();
    folder.refused(&["anonymize", "folder"], 6, &["folder", "directory"]);
}

#[test]
fn mistakes_in_set_are_usage() {
    let folder = Folder::with(H_CEILING);
    let cases = [
        ("method.h", "expected key=value"),
        ("=1", "no key"),
        ("privacy.7.k=1", "no such place"),
        ("input.path.x=1", "no such place"),
        ("method.hh=0.3", "unknown field `hh`"),
        ("method.name=best", "unknown method `best`"),
        ("output.formatt=csv", "unknown field `formatt`"),
    ];
    for (pair, says) in cases {
        folder.refused(&["anonymize", "recipe.toml", "--set", pair], 2, &["--set", says]);
    }
    folder.refused(&["anonymize", "recipe.toml", "--set", "method.h=7"], 5, &["h must be from 0 to 1"]);
    folder.refused(&["anonymize", "recipe.toml", "--seed", "seven"], 2, &["--seed", "64 hexadecimal digits"]);
}

#[test]
fn a_mistake_of_the_file_is_the_files_with_set_too() {
    let folder = Folder::new();
    folder.write("recipe.toml", recipe(H_CEILING).replace("h = 0.5", "hh = 0.5"));
    folder.refused(&["anonymize", "recipe.toml", "--set", "method.seed=1"], 5, &["line 15", "`hh`"]);
}

#[test]
fn set_can_supply_what_the_recipe_leaves_out() {
    let folder = Folder::with(H_CEILING);
    folder.write("recipe.toml", recipe(H_CEILING).replace("[output]\npath = \"release\"", ""));
    folder.ok(&["anonymize", "recipe.toml", "--set", "output.path=elsewhere"]);
    folder.ok(&["verify", "elsewhere"]);
}

#[test]
fn unknown_commands_and_flags_are_usage() {
    let folder = Folder::with(H_CEILING);
    folder.refused(&["anonymise", "recipe.toml"], 2, &["anonymise", "anonymize"]);
    folder.refused(&[], 2, &["Usage"]);
    folder.refused(&["anonymize"], 2, &["<RECIPE>"]);
    folder.refused(&["anonymize", "recipe.toml", "--treads", "2"], 2, &["--treads", "--threads"]);
    folder.refused(&["anonymize", "recipe.toml", "--threads", "0"], 2, &["--threads"]);
    folder.refused(&["synth", "nps", "--output", "x.csv"], 2, &["--rows"]);
    folder.refused(&["synth", "nps", "--rows", "5", "--seed", "x", "--output", "x.csv"], 2, &["--seed"]);
    folder.refused(&["measure", "patients.csv", "--qi", "age,nope"], 2, &["`nope`", "age, sex, diagnosis"]);
    folder.refused(&["measure", "patients.csv", "--qi", "age", "--sensitive", "age"], 2, &["`age`", "both"]);
    folder.refused(&["measure", "patients.csv", "--qi", "age,sex,age"], 2, &["`age`", "twice"]);
    folder.refused(&["measure", "patients.csv"], 2, &["--qi"]);
    folder.refused(&["verify", "nowhere"], 6, &["nowhere", "release.json"]);
    folder.refused(&["truthful", "nowhere", "--output", "x.csv"], 6, &["nowhere", "release.json"]);
}
