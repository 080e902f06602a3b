//! `velamen profile`: what it finds, what it never shows, and recipes that can be run as they are.

use std::fmt::Write;

use crate::common::{CANARY, Folder};
use serde_json::Value;

const HEADER: &str = "환자번호,성명,birthDate,sex,age,zip,phone,e_mail,sbp,creatinine,note,icd10,hiv\n";

/// A small health table with identifiers of many kinds, spaces and markers of missing values.
fn hospital() -> String {
    let mut text = HEADER.to_owned();
    for n in 0..240u32 {
        let family = ["김", "이", "박", "최", "정"][(n % 5) as usize];
        let given: String = ["민", "서", "도", "하", "지", "윤", "은"]
            .iter()
            .cycle()
            .skip((n / 5) as usize % 7)
            .take(1)
            .copied()
            .collect();
        let syllable = char::from_u32('가' as u32 + n * 28).unwrap();
        let sbp = if n % 17 == 0 { "999".to_owned() } else { (95 + n * 7 % 80).to_string() };
        let creatinine = if n % 11 == 0 { "NA".to_owned() } else { format!("0.{}", 5 + n % 4) };
        writeln!(
            text,
            "{},{family}{given}{syllable},{}-{:02}-{:02},{},{},{:05},010-{:04}-{:04},p{n}@example.org,{sbp},{creatinine},\
             \"{CANARY} seen on ward {}, to be seen again soon\",{},{}",
            100_000 + n * 37,
            1930 + n % 70,
            n % 12 + 1,
            n % 28 + 1,
            ["F", "M"][(n % 2) as usize],
            20 + n % 75,
            [2139, 10115, 90210, 60601][(n % 4) as usize],
            1000 + n,
            9999 - n,
            n % 3,
            ["I63", "J18", "E11", "C50"][(n % 4) as usize],
            ["yes", "no"][(n % 10 / 9) as usize],
        )
        .unwrap();
    }
    text
}

pub(super) fn column<'a>(profile: &'a Value, name: &str) -> &'a Value {
    profile["columns"].as_array().unwrap().iter().find(|column| column["name"] == name).unwrap()
}

fn letters(column: &Value) -> String {
    column["findings"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|finding| finding["identifier"].as_str())
        .collect()
}

pub(super) fn profiled(folder: &Folder, arguments: &[&str]) -> Value {
    let run = folder.ok(&[&["profile"], arguments, &["--json"]].concat());
    serde_json::from_str(&run.out).unwrap()
}

#[test]
fn a_health_table_is_profiled() {
    let folder = Folder::new();
    folder.write("hospital.csv", hospital());
    let profile = profiled(&folder, &["hospital.csv"]);
    assert_eq!(profile["records"], 240);
    for (name, letter, role) in [
        ("환자번호", "H", "identifier"),
        ("성명", "A", "identifier"),
        ("birthDate", "C", "quasi-identifier"),
        ("sex", "", "quasi-identifier"),
        ("age", "C", "quasi-identifier"),
        ("zip", "B", "quasi-identifier"),
        ("phone", "D", "identifier"),
        ("e_mail", "F", "identifier"),
        ("note", "R", "identifier"),
        ("icd10", "", "sensitive"),
        ("hiv", "", "sensitive"),
    ] {
        let column = column(&profile, name);
        assert_eq!(letters(column), letter, "{name}");
        assert_eq!(column["suggestion"]["role"], role, "{name}");
    }
    assert_eq!(column(&profile, "birthDate")["format"], "YYYY-MM-DD");
    assert_eq!(column(&profile, "sbp")["suspected-missing"][0]["marker"], "999");
    assert_eq!(column(&profile, "creatinine")["suspected-missing"][0]["marker"], "NA");
    assert_eq!(column(&profile, "creatinine")["decimals"], 1);
    let left_out = profile["candidates"]["left-out"].as_array().unwrap();
    assert_eq!(left_out.len(), 5, "{left_out:?}");
}

#[test]
fn no_cell_is_shown_unless_asked_for() {
    let folder = Folder::new();
    folder.write("hospital.csv", hospital());
    for arguments in
        [&["profile", "hospital.csv", "--recipe", "recipe.toml"][..], &["profile", "hospital.csv", "--json"]]
    {
        let run = folder.ok(arguments);
        let said = run.out + &run.err;
        for cell in [CANARY, "p7@", "010-10", "I63", "1987-", "02139"] {
            assert!(!said.contains(cell), "{cell}: {said}");
        }
    }
    let recipe = folder.read("recipe.toml");
    for cell in [CANARY, "p7@", "010-10", "I63", "1987-", "02139"] {
        assert!(!recipe.contains(cell), "{cell}: {recipe}");
    }
    let shown = folder.ok(&["profile", "hospital.csv", "--show-values"]).out;
    assert!(shown.contains("J18") && shown.contains("02139"), "{shown}");
}

/// Profile, recipe, release, check.
fn end_to_end(folder: &Folder, table: &str) -> Value {
    let text = folder.ok(&["profile", table, "--recipe", "recipe.toml"]).out;
    assert!(text.contains("velamen anonymize recipe.toml"), "{text}");
    folder.ok(&["anonymize", "recipe.toml"]);
    let release = format!("{}-release", table.split('.').next().unwrap());
    folder.ok(&["verify", &release]);
    folder.json(&format!("{release}/release.json"))
}

#[test]
fn the_recipe_of_a_health_table_can_be_run_as_it_is() {
    let folder = Folder::new();
    folder.write("hospital.csv", hospital());
    let manifest = end_to_end(&folder, "hospital.csv");
    let recipe = folder.read("recipe.toml");
    assert!(recipe.contains("null = [\"999\", \"NA\"]"), "{recipe}");
    assert!(recipe.contains("top = 90"), "{recipe}");
    let released = manifest.to_string();
    for identifier in ["성명", "e_mail", "phone", "환자번호"] {
        assert!(!released.contains(&format!("\"{identifier}\"")), "{identifier} is released");
    }
}

/// Ages with markers and decimals, ZIP+4, and what an export broke.
#[test]
fn odd_spellings_get_a_form_or_a_word() {
    let folder = Folder::new();
    let mut table = "age,zip,postal_zip,hba1c\n".to_owned();
    for i in 0..300 {
        let age = if i % 100 == 0 { "-1".to_owned() } else { format!("{}.5", i % 100) };
        table += &format!(
            "{age},{:05}-{:04},{},\"{},{}\"\n",
            10_000 + i % 40,
            i % 7,
            501 + 90 * i,
            5 + i % 3,
            i % 10
        );
    }
    folder.write("stays.csv", table);
    let run = folder.ok(&["profile", "stays.csv", "--recipe", "recipe.toml"]);
    for says in ["`postal_zip`", "leading zeros", "`hba1c`", "decimal comma"] {
        assert!(run.err.contains(says), "{says}: {}", run.err);
    }
    let recipe = folder.read("recipe.toml");
    for says in ["top = 90", "decimals = 1", "plus-4 = true"] {
        assert!(recipe.contains(says), "{says}: {recipe}");
    }
    folder.ok(&["anonymize", "recipe.toml"]);
}

#[test]
fn the_recipe_of_the_synthetic_sample_can_be_run_as_it_is() {
    let folder = Folder::new();
    for table in ["nps.csv", "nps.parquet"] {
        folder.ok(&["synth", "nps", "--rows", "3000", "--output", table]);
        let _ = std::fs::remove_file(folder.path("recipe.toml"));
        let _ = std::fs::remove_dir_all(folder.path("nps-release"));
        let _ = std::fs::remove_dir_all(folder.path("nps-release.custodian"));
        end_to_end(&folder, table);
    }
    let profile = profiled(&folder, &["nps.csv"]);
    assert!(
        profile["columns"]
            .as_array()
            .unwrap()
            .iter()
            .all(|column| column["name"] == "age" || letters(column).is_empty())
    );
    assert_eq!(column(&profile, "diagnosis")["suggestion"]["role"], "sensitive");
}

#[test]
fn spaces_and_odd_names_do_not_stop_a_recipe() {
    let folder = Folder::new();
    let mut text = "\"blood group\", age ,\"a.b\",\"say \"\"x\"\"\"\n".to_owned();
    for n in 0..60 {
        writeln!(text, "A{}, {}, {}, {}", n % 3, 30 + n % 20, n % 7, ["u", "v"][n % 2]).unwrap();
    }
    folder.write("odd.csv", text);
    end_to_end(&folder, "odd.csv");
    assert!(folder.read("recipe.toml").contains("trim = true"));
}

#[test]
fn minimal_sets_are_told_with_their_figures() {
    let folder = Folder::new();
    // The example of Motwani & Xu 2007.
    folder.write("people.csv", "age,sex,state\n20,F,CA\n30,F,CA\n40,F,TX\n20,M,NY\n40,M,CA\n");
    let profile = profiled(&folder, &["people.csv", "--threshold", "0.8"]);
    let sets = profile["candidates"]["sets"].as_array().unwrap();
    let named: Vec<String> = sets.iter().map(|set| set["attributes"].to_string()).collect();
    assert_eq!(named, ["[\"age\",\"sex\"]", "[\"age\",\"state\"]", "[\"sex\",\"state\"]"]);
    assert_eq!((&sets[2]["distinction"], &sets[2]["separation"]), (&Value::from(0.8), &Value::from(0.9)));
    let age = column(&profile, "age");
    assert_eq!((&age["distinction"], &age["separation"]), (&Value::from(0.6), &Value::from(0.8)));
    // Nobody's birthday: what cannot be reached is said, and less is looked for.
    folder.write("twins.csv", "age,sex\n20,F\n20,F\n30,M\n30,M\n40,M\n40,M\n");
    let run = folder.ok(&["profile", "twins.csv", "--threshold", "0.9"]);
    assert!(run.out.contains("90 % was asked for, but all columns together reach 50 %"), "{}", run.out);
}

#[test]
fn a_sample_is_said_to_be_one_and_depends_on_the_seed_alone() {
    let folder = Folder::new();
    folder.ok(&["synth", "nps", "--rows", "2000", "--output", "nps.csv"]);
    let run = |more: &[&str]| folder.ok(&[&["profile", "nps.csv", "--sample", "0.25"], more].concat()).out;
    assert!(run(&[]).contains("2,000 records, 6 columns; all figures are about a random sample of 500"));
    assert_eq!(run(&["--threads", "1"]), run(&["--threads", "4"]));
    assert_ne!(run(&[]), run(&["--seed", "2"]));
    let profile = profiled(&folder, &["nps.csv", "--sample", "100"]);
    assert_eq!((&profile["records"], &profile["sampled"]), (&Value::from(2000), &Value::from(100)));
}

#[test]
fn wide_tables_are_profiled() {
    let folder = Folder::new();
    let mut text = (0..90).map(|c| format!("c{c}")).collect::<Vec<_>>().join(",") + "\n";
    for n in 0..200u64 {
        let cell = |c: u64| (n * (c * c + 7) % 97 % (c % 9 + 2)).to_string();
        text += &((0..90).map(cell).collect::<Vec<_>>().join(",") + "\n");
    }
    folder.write("wide.csv", text);
    let profile = profiled(&folder, &["wide.csv"]);
    assert_eq!(profile["columns"].as_array().unwrap().len(), 90);
    assert!(!profile["candidates"]["sets"].as_array().unwrap().is_empty());
}

#[test]
fn a_recipe_is_not_overwritten() {
    let folder = Folder::new();
    folder.write("hospital.csv", hospital());
    folder.write("recipe.toml", "mine");
    let call = ["profile", "hospital.csv", "--recipe", "recipe.toml"];
    folder.refused(&call, 6, &["recipe.toml", "already exists", "--overwrite"]);
    assert_eq!(folder.read("recipe.toml"), "mine");
    folder.ok(&[&call[..], &["--overwrite"]].concat());
    assert!(folder.read("recipe.toml").contains("k-anonymity"));
}

#[test]
fn wrong_calls_and_tables_are_refused() {
    let folder = Folder::new();
    folder.write("hospital.csv", hospital());
    folder.write("ragged.csv", format!("a,b\n1,2\n{CANARY}\n"));
    folder.write("empty.csv", "a,b\n");
    folder.refused(
        &["profile", "hospital.csv", "--threshold", "0"],
        2,
        &["--threshold", "above 0 and at most 1"],
    );
    folder.refused(&["profile", "hospital.csv", "--sample", "1.5"], 2, &["0.1", "100000"]);
    folder.refused(&["profile", "hospital.csv", "--overwrite"], 2, &["--recipe"]);
    folder.refused(&["profile", "nothing.csv"], 6, &["nothing.csv"]);
    folder.refused(&["profile", "ragged.csv"], 4, &["line 3", "1 fields; expected 2"]);
    folder.refused(&["profile", "empty.csv"], 4, &["no record"]);
}

#[test]
fn a_table_without_header_is_refused_and_its_columns_are_numbered() {
    let folder = Folder::new();
    // No number of the table fixes the sex, as a person's would.
    let sex = |n: usize| if (n / 7 + n).is_multiple_of(3) { "F" } else { "M" };
    let record =
        |n: usize| format!("{},{},{},I{}\n", 20 + n * 7 % 60, 10_000 + n * 37 % 90, sex(n), 60 + n % 5);
    let records: String = (0..200).map(record).collect();
    folder.write("bare.csv", format!("41,77516,M,I63\n{records}"));
    let run = folder.refused(&["profile", "bare.csv"], 4, &["E0423", "looks like a record", "--no-header"]);
    folder.refused(&["measure", "bare.csv", "--qi", "41"], 4, &["E0423"]);
    for cell in ["77516", "I63"] {
        assert!(!run.err.contains(cell), "{}", run.err);
    }
    folder.ok(&["profile", "bare.csv", "--no-header", "--recipe", "recipe.toml"]);
    let recipe = folder.read("recipe.toml");
    assert!(recipe.contains("header = false") && recipe.contains("[attributes.4]"), "{recipe}");
    folder.ok(&["anonymize", "recipe.toml"]);
    let data = folder.read("bare-release/data.csv");
    let header: Vec<&str> = data.lines().next().unwrap().split(',').collect();
    assert!(
        header[0] == "ClassID" && header[1..].iter().all(|name| name.parse::<u8>().is_ok()),
        "{header:?}"
    );
    folder.ok(&["verify", "bare-release"]);
    let headed = recipe.replace("header = false", "");
    folder.write("recipe.toml", headed);
    let run = folder.refused(&["anonymize", "recipe.toml", "--overwrite"], 4, &["E0423"]);
    assert!(!run.err.contains("77516"), "{}", run.err);
}

#[test]
fn who_insists_on_a_header_keeps_it() {
    let folder = Folder::new();
    let record =
        |n: usize| format!("{},{},{}\n", ["A1", "B2"][n % 2], ["E11", "I63"][n / 2 % 2], 20 + n * 7 % 60);
    folder.write("codes.csv", format!("A1,E11,35\n{}", (0..200).map(record).collect::<String>()));
    folder.refused(&["profile", "codes.csv"], 4, &["E0423", "--header"]);
    folder.refused(&["profile", "codes.csv", "--header", "--no-header"], 2, &["--no-header"]);
    folder.ok(&["profile", "codes.csv", "--header", "--recipe", "recipe.toml"]);
    let recipe = folder.read("recipe.toml");
    assert!(recipe.contains("header = true") && recipe.contains("[attributes.E11]"), "{recipe}");
    folder.ok(&["anonymize", "recipe.toml"]);
    // The custodian's folder knows how its table was read.
    folder.ok(&["compare", "codes.csv", "codes-release"]);
    folder.write("recipe.toml", recipe.replace("header = true", ""));
    folder.refused(&["anonymize", "recipe.toml", "--overwrite"], 4, &["E0423"]);
}

#[test]
fn second_tables_can_have_no_header() {
    let folder = Folder::new();
    let record =
        |n: usize| format!("{},{},{}\n", ["A1", "B2"][n % 2], ["E11", "I63"][n / 2 % 2], 20 + n * 7 % 60);
    let records: Vec<String> = (0..200).map(record).collect();
    folder.write("all.csv", records.concat());
    folder.write("some.csv", records[..120].concat());
    let leaks = folder.ok(&["leak", "all.csv", "--after", "some.csv", "--no-header"]);
    assert!(leaks.out.contains("200 records") && leaks.out.contains("120 records"), "{}", leaks.out);
    let risk = ["risk", "some.csv", "--qi", "1,2", "--no-header"];
    let counted = folder.ok(&[&risk[..], &["--population", "all.csv"]].concat());
    assert!(counted.out.contains("200"), "{}", counted.out);
    let before = folder.ok(&[&risk[..], &["--before", "all.csv"]].concat());
    assert!(before.out.contains("200 records"), "{}", before.out);
    folder.refused(&["leak", "all.csv", "--after", "some.csv"], 4, &["E0423"]);
}

#[test]
fn keys_that_look_like_values_are_told_by_their_numbers() {
    let folder = Folder::new();
    let sex = |n: usize| if n.is_multiple_of(3) { "F" } else { "M" };
    let record = |n: usize| {
        format!("{{\"age\": {}, \"1957-03-04\": {}, \"sex\": \"{}\"}}\n", 20 + n * 7 % 60, n % 9, sex(n))
    };
    folder.write("keys.ndjson", (0..300).map(record).collect::<String>());
    let run = folder.ok(&["profile", "keys.ndjson", "--recipe", "recipe.toml"]);
    let recipe = folder.read("recipe.toml");
    assert!(recipe.contains("unnamed = \"drop\""), "{recipe}");
    let released = folder.ok(&["anonymize", "recipe.toml"]);
    assert!(
        run.err.contains("looks like a value") && released.err.contains("looks like a value"),
        "{}",
        run.err
    );
    let json = folder.ok(&["profile", "keys.ndjson", "--json"]);
    let leaks = folder.ok(&["leak", "keys.ndjson"]);
    for text in [run.out, run.err, recipe, released.err, json.out, leaks.out] {
        assert!(!text.contains("1957"), "{text}");
    }
}

#[test]
fn duplicate_and_value_like_names_are_not_shown() {
    let folder = Folder::new();
    folder.write("twice.csv", "name,Canary,Canary\na,b,c\nd,e,f\n");
    let run = folder.refused(&["profile", "twice.csv"], 4, &["columns 2 and 3", "header = false"]);
    assert!(!run.err.contains("Canary"), "{}", run.err);
    folder.write("keys.ndjson", "{\"age\": 1, \"1957-03-04\": 2}\n{\"age\": 3}\n");
    folder.write("recipe.toml", "[input]\npath = \"keys.ndjson\"\n[attributes.age]\nrole = \"quasi-identifier\"\n[[privacy]]\nmodel = \"k-anonymity\"\nk = 2\n[method]\nname = \"optimal\"\n[output]\npath = \"release\"\n");
    let run = folder.refused(&["anonymize", "recipe.toml"], 5, &["look like values"]);
    assert!(!run.err.contains("1957"), "{}", run.err);
    let dropped = format!("unnamed = \"drop\"\n{}", folder.read("recipe.toml"));
    folder.write("recipe.toml", dropped);
    assert!(!folder.run(&["anonymize", "recipe.toml"]).err.contains("1957"));
}

/// Marital status, work, residence and family size lead the list of what tells records apart.
#[test]
fn what_distinguishes_is_a_quasi_identifier_whatever_its_name() {
    let folder = Folder::new();
    let mut text =
        "gender,age,ever_married,work_type,Residence_type,family_size,avg_glucose_level,flag,stroke,site\n"
            .to_owned();
    for n in 0..3000u64 {
        let of = |salt: u64, values: u64| {
            (n + 1).wrapping_mul(2 * salt + 0x9e37_79b9_7f4a_7c15).rotate_left(31) % values
        };
        writeln!(
            text,
            "{},{},{},{},{},{},{}.{:02},{},{},A",
            ["Male", "Female"][of(1, 2) as usize],
            of(2, 82),
            ["Yes", "No"][of(3, 2) as usize],
            ["Private", "Govt_job", "Self-employed", "children"][of(4, 4) as usize],
            ["Urban", "Rural"][of(5, 2) as usize],
            1 + of(6, 7),
            60 + n / 20,
            n % 20 * 5,
            u8::from(n % 1000 == 0),
            u8::from(of(9, 20) == 0),
        )
        .unwrap();
    }
    folder.write("patients.csv", text);
    let profile = profiled(&folder, &["patients.csv"]);
    for (name, role) in [
        ("gender", "quasi-identifier"),
        ("age", "quasi-identifier"),
        ("ever_married", "quasi-identifier"),
        ("work_type", "quasi-identifier"),
        ("Residence_type", "quasi-identifier"),
        ("family_size", "quasi-identifier"),
        ("avg_glucose_level", "quasi-identifier"),
        ("flag", "quasi-identifier"),
        ("stroke", "sensitive"),
        ("site", "insensitive"),
    ] {
        assert_eq!(column(&profile, name)["suggestion"]["role"], role, "{name}");
    }
    end_to_end(&folder, "patients.csv");
    let recipe = folder.read("recipe.toml");
    assert_eq!(recipe.matches("[attributes.").count(), 10, "{recipe}");
}

/// As many quasi-identifiers as a survey has questions: the recipe still ends.
#[test]
fn a_recipe_of_many_quasi_identifiers_can_be_run_as_it_is() {
    let folder = Folder::new();
    let mut text = (0..40).map(|c| format!("q{c}")).collect::<Vec<_>>().join(",") + "\n";
    for n in 0..1000u64 {
        let cell = |c: u64| ((n + 7) * (c * c + 11) % 997 % (c % 9 + 2)).to_string();
        text += &((0..40).map(cell).collect::<Vec<_>>().join(",") + "\n");
    }
    folder.write("survey.csv", text);
    end_to_end(&folder, "survey.csv");
    assert!(folder.read("recipe.toml").contains("name = \"mondrian\""));
}

#[test]
fn dear_columns_are_named_before_anything_else() {
    let folder = Folder::new();
    let dice = |i: usize, of: usize, salt: usize| (i * 7919 + i * i * 31 + salt * 104_729) % of;
    let row = |i: usize| {
        let stay = 1 + dice(i, 4, 1) * dice(i, 13, 2) * dice(i, 5, 3);
        let numbers =
            [20 + dice(i, 60, 7), stay, 150 + dice(i, 47, 4), 50 + dice(i, 71, 5), 60 + dice(i, 97, 6)];
        let (sex, region) = (["F", "M"][dice(i, 2, 5)], ["north", "south", "east"][dice(i, 3, 6)]);
        let code = format!("{}{}", ["A", "B", "C", "D", "E", "F", "G"][dice(i, 7, 9)], 10 + dice(i, 83, 10));
        format!(
            "{},{sex},{region},w{},{code}\n",
            numbers.map(|number| number.to_string()).join(","),
            dice(i, 14, 8)
        )
    };
    let rows: String = (0..150).map(row).collect();
    folder.write("t.csv", format!("age,stay,height,weight,sugar,sex,region,ward,code\n{rows}"));
    let run = folder.ok(&["profile", "t.csv", "--recipe", "recipe.toml"]);
    let first = run.err.lines().find(|line| line.starts_with("warning: ")).unwrap_or_default();
    let begins = "warning: with the suggested recipe the release loses much: `";
    assert!(first.starts_with(begins) && first.contains(" % of its detail"), "{}", run.err);
    let recipe = folder.read("recipe.toml");
    assert!(
        recipe.contains("#   mondrian") && recipe.contains("#   optimal with local recoding"),
        "{recipe}"
    );
    assert!(recipe.contains("#   optimal                      not tried"), "{recipe}");
    // The same of the run itself.
    let run = folder.ok(&["anonymize", "recipe.toml"]);
    let first = run.err.lines().find(|line| line.starts_with("warning: ")).unwrap_or_default();
    assert!(first.starts_with("warning: the release loses much: `"), "{}", run.err);
}
