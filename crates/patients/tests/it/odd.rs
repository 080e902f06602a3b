//! What folders have now and then, and is handled: odd keys, days and texts, more codes than anybody has, and keys that lead nowhere.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::atomic::AtomicBool;

use velamen_checker::State;
use velamen_contract::linked::Shape;
use velamen_core::context::{Context, Silent};
use velamen_dp::Seed;
use velamen_patients::{LinkedRecipe, anonymize, profile};
use velamen_recipe::Overrides;

use super::folder::{KEYS, Made, agreement, omop, public, read, with_context};

/// Persons of two groups with a list of codes and a day each.
fn people(key: &dyn Fn(u64) -> String, codes: &dyn Fn(u64) -> String, day: &dyn Fn(u64) -> String) -> Made {
    let made = Made::empty();
    let (mut people, mut rows) = ("id,sex\n".to_owned(), "pid,codes,day\n".to_owned());
    for id in 0..20 {
        let _ = writeln!(people, "{},{}", key(id), ["f", "m"][(id % 2) as usize]);
        let _ = writeln!(rows, "{},\"{}\",{}", key(id), codes(id), day(id));
    }
    made.table("p.csv", &people);
    made.table("d.csv", &rows);
    made
}

const RECIPE: &str = r#"[input]
folder = "in"
[tables.p]
path = "p.csv"
key = "id"
[tables.p.attributes]
sex = { role = "quasi-identifier" }
[tables.d]
path = "d.csv"
parent = { table = "p", column = "pid" }
[tables.d.attributes]
codes = { role = "set", items = ";" }
day = { role = "date" }
[[privacy]]
model = "k-km-anonymity"
k = 3
m = 2
[output]
path = "release"
"#;

fn plain(id: u64) -> String {
    format!("k{id}")
}

fn code(_: u64) -> String {
    "A".to_owned()
}

fn spring(_: u64) -> String {
    "2015-03-04".to_owned()
}

/// All promises of a release, which hold.
#[track_caller]
fn held(made: &Made) {
    let release = made.path("release");
    let manifest = velamen_patients::load(&release).unwrap().unwrap();
    let found = with_context(|context| velamen_patients::verify(&release, &manifest, context)).unwrap();
    assert!(found.iter().all(|finding| finding.state != State::Broken), "{found:?}");
}

#[test]
fn keys_are_texts_as_they_are_written() {
    // `7` and `007` are two persons, and so are numbers beyond 64 bits.
    let zeros = |id: u64| if id < 10 { id.to_string() } else { format!("00{}", id - 10) };
    let large = |id: u64| format!("92233720368547758{:02}", id + 8);
    let larger = |id: u64| format!("340282366920938463463374607431768211{:03}", id + 450);
    for key in [&zeros as &dyn Fn(u64) -> String, &large, &larger] {
        let made = people(key, &code, &spring);
        made.run(RECIPE).unwrap();
        held(&made);
        assert_eq!(made.released("d.csv").len(), 20);
    }
}

#[test]
fn files_may_begin_with_a_mark_and_end_lines_in_two_ways() {
    let made = people(&plain, &|_| "A;\"\"B\nC\"\"".to_owned(), &spring);
    made.run(RECIPE).unwrap();
    let plainly = read(&made.path("release/data/d.csv"));
    for table in ["p.csv", "d.csv"] {
        made.change(table, |text| {
            format!("\u{feff}{}", text.replace('\n', "\r\n").replace("B\r\nC", "B\nC"))
        });
    }
    made.run(RECIPE).unwrap();
    assert_eq!(read(&made.path("release/data/d.csv")), plainly);
    assert!(plainly.iter().all(|row| row["codes"] == "\"B\nC\";A"));
}

#[test]
fn a_set_can_be_empty_or_long_and_repeat_its_items() {
    // A thousand items of one person, of which nobody else has most.
    let codes = |id: u64| match id {
        0 => (0..1_000).map(|item| format!("X{item}")).collect::<Vec<_>>().join(";"),
        1 => " ; ;".to_owned(),
        _ => "A; A;B;A".to_owned(),
    };
    let made = people(&plain, &codes, &spring);
    made.run(RECIPE).unwrap();
    held(&made);
    let shown: BTreeSet<String> = made.released("d.csv").iter().map(|row| row["codes"].clone()).collect();
    assert!(shown.contains("A;B") && !shown.iter().any(|codes| codes.contains('X')), "{shown:?}");
    // More codes than anybody has are no more than all of them.
    made.run(&RECIPE.replace("m = 2", "m = 3")).unwrap();
    held(&made);
}

#[test]
fn days_of_any_calendar_year_are_read() {
    // A day of the Julian calendar, a leap day that is moved, an open end.
    let days =
        |id: u64| ["1581-12-31", "2016-02-29", "9999-12-31", "2016-02-28"][(id % 4) as usize].to_owned();
    let made = people(&plain, &code, &days);
    made.run(&RECIPE.replace("[tables.p]\n", "[persons]\ndates = \"year\"\n[tables.p]\n")).unwrap();
    held(&made);
    let years: BTreeSet<String> = made.released("d.csv").iter().map(|row| row["day"].clone()).collect();
    assert!(!years.iter().any(|year| year.starts_with("9999") || year.starts_with("1581")), "{years:?}");
    let no_day = |id: u64| if id == 7 { "2015-02-29".to_owned() } else { spring(id) };
    let error = people(&plain, &code, &no_day).run(RECIPE).map(|_| ()).unwrap_err().to_string();
    assert!(error.contains("table `d`, row 8, column `day`: no day"), "{error}");
    let shifted = "[key]\nfile = \"secret.key\"\n[persons]\ntier = \"agreement\"\ndates = { shift = 30 }\nwindow = [\"2010-01-01\", \"2019-12-31\"]\n[tables.p]\n";
    let leap = |id: u64| format!("201{}-02-2{}", [2, 6][(id % 2) as usize], 8 + id % 2);
    let made = people(&plain, &code, &leap);
    made.run(&RECIPE.replace("[tables.p]\n", shifted)).unwrap();
    held(&made);
}

#[test]
fn a_person_without_rows_and_one_with_half_of_them() {
    let made = people(&plain, &code, &spring);
    made.change("p.csv", |text| text + "lone,f\n");
    made.change("d.csv", |text| text + &"k0,A,2015-03-04\n".repeat(20));
    made.run(RECIPE).unwrap();
    held(&made);
    let mut rows = std::collections::BTreeMap::<String, usize>::new();
    made.released("d.csv").into_iter().for_each(|row| *rows.entry(row["pid"].clone()).or_default() += 1);
    assert_eq!((made.released("p.csv").len(), rows.len()), (21, 20));
    assert!(rows.values().all(|rows| *rows == 1), "{rows:?}");
}

#[test]
fn days_around_birth_and_death_are_the_recorders_concern() {
    let made = omop(60);
    let visit = |day: &str| format!("5,{KEYS},9201,{day},{day},44818517,\n");
    made.change("VISIT_OCCURRENCE.csv", |text| {
        text + &visit("2019-12-01") + &visit("2010-01-02").replacen('5', "6", 1)
    });
    // Two deaths of one person, before her last visit.
    made.change("DEATH.csv", |text| text + &format!("{KEYS},2012-01-01,\n{KEYS},2012-01-02,\n"));
    for recipe in [public("\"year\""), agreement(3, 1)] {
        made.run(&recipe).unwrap();
        held(&made);
        let deaths = std::fs::read_dir(made.path("release/data")).unwrap().flatten();
        let deaths = deaths.map(|file| file.path()).find(|file| file.ends_with("DEATH.csv"));
        let mut dead = BTreeSet::new();
        // Nobody dies twice, where it is told who did.
        let rows = deaths.map_or_else(Vec::new, |file| read(&file));
        assert!(rows.iter().all(|row| dead.insert(row["person_id"].clone())));
    }
}

#[test]
fn a_visit_does_not_name_the_one_before_it() {
    let made = omop(60);
    made.change("VISIT_OCCURRENCE.csv", |text| {
        let (header, rows) = text.split_once('\n').unwrap();
        let before = |row: &str| format!("{row},{}\n", KEYS + 7);
        format!("{header},preceding_visit_occurrence_id\n{}", rows.lines().map(before).collect::<String>())
    });
    made.run(&agreement(3, 1)).unwrap();
    held(&made);
    let files = std::fs::read_dir(made.path("release/data")).unwrap().flatten();
    for file in files.map(|file| std::fs::read_to_string(file.path()).unwrap()) {
        assert!(!file.contains("preceding_visit") && !file.contains(&(KEYS + 7).to_string()));
    }
}

#[test]
fn an_interrupted_run_leaves_nothing() {
    let made = people(&plain, &code, &spring);
    let path = made.path("recipe.toml");
    std::fs::write(&path, RECIPE).unwrap();
    let recipe = LinkedRecipe::load(&path, &Overrides::default()).unwrap();
    let (seed, cancel) = (Seed::from_number(7), AtomicBool::new(true));
    let context = Context { seed: &seed, progress: &Silent, cancel: &cancel };
    let error = anonymize(&recipe, &path, true, &context).map(|_| ()).unwrap_err();
    assert!(error.to_string().contains("interrupted"), "{error}");
    let mut left: Vec<_> =
        std::fs::read_dir(made.folder.path()).unwrap().flatten().map(|file| file.file_name()).collect();
    left.sort();
    assert_eq!(left, ["in", "recipe.toml", "secret.key"]);
}

#[test]
fn a_concept_is_a_whole_number() {
    let made = omop(60);
    made.change("PERSON.csv", |text| text.replacen(",8507,", ",secret-cell,", 1));
    let error = made.run(&agreement(3, 1)).map(|_| ()).unwrap_err();
    let message = error.to_string();
    assert!(message.contains("PERSON.csv: table `person`, row "), "{message}");
    assert!(message.contains("column `gender_concept_id`: no concept"), "{message}");
    assert!(!message.contains("secret-cell") && error.exit_code() == 4, "{message}");
    // No matching concept is one.
    made.change("PERSON.csv", |text| text.replacen("secret-cell", "0", 1));
    made.run(&agreement(3, 1)).unwrap();
    held(&made);
}

#[test]
fn a_first_recipe_leaves_out_what_leads_nowhere() {
    let made = omop(60);
    made.change("VISIT_OCCURRENCE.csv", |text| text + "5,12345,9201,2014-01-01,2014-01-01,1,\n");
    made.change("CONDITION_OCCURRENCE.csv", |text| text + &format!("1,{KEYS},400000,2014-01-01,,1,,77,\n"));
    let profiled =
        || with_context(|context| profile(&made.path("in"), Shape::Omop, made.folder.path(), context));
    let (found, recipe) = profiled().unwrap();
    assert_eq!(found.persons, 60);
    for table in ["visit_occurrence", "condition_occurrence"] {
        assert!(recipe.contains(&format!("[tables.{table}]\norphans = \"drop\"")), "{recipe}");
    }
    assert!(recipe.contains("1 rows belong to nobody") && recipe.contains("1 references lead to no row"));
    made.run(&recipe).unwrap();
    held(&made);
    // What no orphan explains is refused as before.
    made.change("PERSON.csv", |text| text.clone() + text.lines().nth(1).unwrap() + "\n");
    assert!(profiled().unwrap_err().to_string().contains("the key of an earlier row"));
}
