//! What newcomers get wrong, through the real binary: each message says where it is, what is wrong and how to mend it, has a
//! code of its own, and shows no cell. `snapshots/it__wrong_inputs__wrong_inputs.snap` has all messages, to be read.
//! Wrong queries are in `query.rs`, wrong words of a recipe in `wrong_recipes.rs`.

mod cases;

use std::fmt::Write as _;

use crate::common::{CANARY, Folder, OPTIMAL, Run, patients, recipe};
use cases::{COLUMNS, FILES, HIERARCHIES, MODELS, OUTPUTS, RECIPES, SEX};

/// The recipe that cases change.
fn usual() -> String {
    recipe(OPTIMAL)
}

/// Codes of whole classes, which say less than a mistake deserves that a newcomer makes.
const BROAD: [&str; 10] =
    ["E0200", "E0300", "E0400", "E0500", "E0510", "E0520", "E0530", "E0540", "E0600", "E0700"];

/// What is made wrong.
#[derive(Clone, Copy)]
enum Wrong {
    /// A part of the recipe.
    Recipe(&'static [(&'static str, &'static str)]),
    /// The table, or a part of it.
    Table(&'static str),
    TablePart(&'static str, &'static str),
    /// The recipe's sex has a hierarchy in a file with this text.
    Hierarchy(&'static str),
    /// The recipe releases an age that is derived from birth dates, of which one is this.
    Birth(&'static str),
    /// What is done in the folder before.
    Before(fn(&Folder)),
    /// The call alone.
    Call,
}

struct Case {
    name: &'static str,
    wrong: Wrong,
    call: &'static [&'static str],
    exit: i32,
    /// Where, as the message names it.
    at: &'static str,
    /// How to mend it.
    mend: &'static str,
}

const fn case(
    name: &'static str,
    wrong: Wrong,
    call: &'static [&'static str],
    exit: i32,
    at: &'static str,
    mend: &'static str,
) -> Case {
    Case { name, wrong, call, exit, at, mend }
}

fn folder_for_table(folder: &Folder) {
    std::fs::remove_file(folder.path("patients.csv")).unwrap();
    std::fs::create_dir(folder.path("patients.csv")).unwrap();
}

fn western(folder: &Folder) {
    let text = patients().replacen("31,M,I63\n", "31,Kanarienvogel\u{e4},I63\n", 1);
    let bytes: Vec<u8> = text.chars().map(|c| u8::try_from(u32::from(c)).unwrap()).collect();
    folder.write("patients.csv", bytes);
}

fn two_sheets(folder: &Folder) {
    folder.write("patients.xlsx", include_bytes!("two-sheets.xlsx"));
    folder.write("recipe.toml", usual().replace("patients.csv", "patients.xlsx"));
}

fn parquet(folder: &Folder) {
    folder.write("patients.parquet", patients());
    folder.write("recipe.toml", usual().replace("patients.csv", "patients.parquet"));
}

fn telephones(folder: &Folder) {
    let rows = (0..30).map(|i| format!("{},F,I63,+49 171 {}\n", 31 + i % 3, 1_000_000 + i * 7_919));
    folder.write("patients.csv", String::from("age,sex,diagnosis,phone\n") + &rows.collect::<String>());
    folder.write("recipe.toml", usual() + "[attributes.phone]\nrole = \"insensitive\"\n");
}

fn comma(folder: &Folder) {
    folder.write("patients.csv", patients().replace("31,F", "\"31,5\",F"));
    folder.write("recipe.toml", usual().replace("max = 99 }", "max = 99.9, decimals = 1 }"));
}

fn other_folder(folder: &Folder) {
    std::fs::create_dir(folder.path("release")).unwrap();
    folder.write("release/mine.txt", "mine");
}

fn released(folder: &Folder) {
    folder.ok(&["anonymize", "recipe.toml"]);
}

fn tampered(folder: &Folder) {
    released(folder);
    let data = folder.read("release/data.csv");
    let lines: Vec<&str> = data.lines().collect();
    folder.write("release/data.csv", lines[..lines.len() - 1].join("\n") + "\n");
}

fn without_catalog(folder: &Folder) {
    let method = "name = \"h-ceiling\"\nadversary-limit = 1\nh = 0.3\ncounterfeit-limit = 1\nsuppression-limit = 0\nleast-real = 1\nseed = 7";
    folder.write("recipe.toml", usual().replace("name = \"optimal\"", method).replace("k = 5", "k = 25"));
    released(folder);
    std::fs::remove_file(folder.path("release/catalog.csv")).unwrap();
}

fn signed(folder: &Folder) {
    released(folder);
    for owner in ["own", "other"] {
        folder.ok(&["sign", "new", owner]);
    }
    folder.ok(&["sign", "release", "--key", "own.key"]);
}

/// What the wrong call says.
fn refused(case: &Case) -> Run {
    let folder = Folder::new();
    let (mut recipe, mut table) = (usual(), patients());
    let replace = |text: &mut String, from: &str, to: &str| {
        assert!(text.contains(from), "{}: {from}", case.name);
        *text = text.replacen(from, to, 1);
    };
    match case.wrong {
        Wrong::Recipe(changes) => changes.iter().for_each(|(from, to)| replace(&mut recipe, from, to)),
        Wrong::Table(text) => text.clone_into(&mut table),
        Wrong::TablePart(from, to) => replace(&mut table, from, to),
        Wrong::Hierarchy(text) => {
            replace(&mut recipe, SEX, &format!("{SEX}hierarchy = \"sex.csv\"\n"));
            folder.write("sex.csv", text);
        }
        Wrong::Birth(born) => {
            let derived = "[derived.age]\nage-at = \"2026-01-01\"\nbirth = \"birth\"\n[attributes.age]\n";
            replace(&mut recipe, "[attributes.age]\n", derived);
            table = format!("birth,sex,diagnosis\n{}{born},F,I63\n", "1950-03-04,F,I63\n".repeat(10));
        }
        Wrong::Before(_) | Wrong::Call => {}
    }
    folder.write("recipe.toml", recipe);
    folder.write("patients.csv", table);
    if let Wrong::Before(act) = case.wrong {
        act(&folder);
    }
    let before = folder.entries();
    let run = folder.run(case.call);
    assert_eq!(folder.entries(), before, "{}: something was left behind", case.name);
    run
}

/// The code of a message.
fn code(message: &str) -> &str {
    let after = message.split_once("error[").map_or("", |(_, after)| after);
    after.split_once("]: ").map_or("", |(code, _)| code)
}

#[test]
fn each_says_where_what_and_how_to_mend_it() {
    let cases =
        FILES.iter().chain(&COLUMNS).chain(&HIERARCHIES).chain(&MODELS).chain(&RECIPES).chain(&OUTPUTS);
    let mut all = String::new();
    for case in cases {
        let run = refused(case);
        let (name, err) = (case.name, &run.err);
        assert_eq!(run.code, case.exit, "{name}: {err}");
        assert!(err.contains(case.at), "{name}: not where ({}): {err}", case.at);
        assert!(err.contains(case.mend), "{name}: not how to mend it ({}): {err}", case.mend);
        let code = code(err);
        assert!(code.starts_with(&format!("E0{}", case.exit)), "{name}: {err}");
        assert!(!BROAD.contains(&code), "{name}: {code} is the code of a whole class: {err}");
        assert!(!format!("{}{err}", run.out).contains(CANARY), "{name}: a cell is shown: {err}");
        write!(all, "## {name}\n$ velamen {}\nexit code {}\n{err}\n", case.call.join(" "), run.code).unwrap();
    }
    insta::assert_snapshot!("wrong_inputs", all);
}
