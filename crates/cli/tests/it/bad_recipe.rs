//! Recipes and command lines that make no sense: exit code, flag and file are named, and nothing is left behind. What is
//! wrong within a recipe is refused by `velamen-recipe`, and tested there.

use crate::common::{Folder, H_CEILING, OPTIMAL, recipe};

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
    folder.refused(&["anonymize", "recipe.toml", "--set", "method.seed=1"], 5, &["line 17", "`hh`"]);
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

/// The recipe of a table, wrong in what the table alone can show: what is replaced, by what, the line that is named (0 for
/// none), and what is said besides.
type Case = (&'static str, &'static str, usize, &'static [&'static str]);

const OF_COLUMNS: [Case; 3] = [
    (
        "[attributes.sex]",
        "[attributes.sexx]",
        6,
        &["attribute `sexx` is not a column", "did you mean `sex`?"],
    ),
    ("[attributes.sex]", "[attributes.religion]", 6, &["its columns are: age, sex, diagnosis"]),
    ("[attributes.sex]\nrole = \"quasi-identifier\"\n", "", 0, &["`sex`", "not named", "[attributes.sex]"]),
];

#[test]
fn attributes_that_are_no_columns() {
    for (from, to, line, says) in OF_COLUMNS {
        let folder = Folder::with(OPTIMAL);
        let text = recipe(OPTIMAL);
        assert!(text.contains(from), "{from}");
        folder.write("recipe.toml", text.replacen(from, to, 1));
        let run = folder.refused(&["anonymize", "recipe.toml"], 5, says);
        let named = match line {
            0 => !run.err.contains("line "),
            _ => run.err.contains(&format!("recipe.toml: line {line}: ")),
        };
        assert!(named, "{to}: not line {line}: {}", run.err);
    }
}

#[test]
fn a_wrong_recipe_is_refused_before_the_table_is_read() {
    let folder = Folder::new();
    folder.write("recipe.toml", recipe(H_CEILING).replace("k = 5", "k = 1"));
    folder.refused(
        &["anonymize", "recipe.toml"],
        5,
        &["recipe.toml: line 12: ", "protects nobody; expected at least 2"],
    );
}

/// Another method takes no keys of the old one with it, and says so.
#[test]
fn what_set_leaves_out_is_said() {
    let folder = Folder::with("name = \"optimal\"\nsuppression-limit = 0.05\nmetric = \"loss\"");
    let run = folder.ok(&["anonymize", "recipe.toml", "--set", "method.name=mondrian"]);
    for key in ["metric", "suppression-limit"] {
        let says = format!("--set method.name=mondrian leaves out a key of the recipe: method: `{key}`");
        assert!(run.err.contains(&says), "{}", run.err);
    }
}
