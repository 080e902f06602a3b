//! `velamen query`, with the real binary.

use crate::common::{Folder, H_CEILING};
#[cfg(feature = "sql")]
use crate::common::{OPTIMAL, column, rows};
#[cfg(feature = "sql")]
use serde_json::Value;

fn folder(method: &str) -> Folder {
    let folder = Folder::with(method);
    folder.ok(&["anonymize", "recipe.toml"]);
    folder
}

#[cfg(not(feature = "sql"))]
#[test]
fn a_build_without_the_feature_says_how_to_get_it() {
    let text = "SELECT COUNT(*) FROM release";
    folder(H_CEILING).refused(&["query", "release", text], 2, &["cargo build", "--features full"]);
}

/// A release of a table of its own; `sections` are those of the recipe between input and privacy.
#[cfg(feature = "sql")]
fn made(table: &str, sections: &str, k: u8, method: &str) -> Folder {
    let folder = Folder::new();
    folder.write("t.csv", table);
    folder.write("key", "0123456789abcdef0123456789abcdef");
    let privacy = format!("[[privacy]]\nmodel = \"k-anonymity\"\nk = {k}\n[method]\nname = \"{method}\"\n");
    folder.write(
        "recipe.toml",
        format!("[input]\npath = \"t.csv\"\n{sections}{privacy}[output]\npath = \"release\"\n"),
    );
    folder.ok(&["anonymize", "recipe.toml"]);
    folder
}

#[cfg(feature = "sql")]
fn json(folder: &Folder, text: &str) -> Value {
    serde_json::from_str(&folder.ok(&["query", "release", text, "--json"]).out).unwrap()
}

#[cfg(feature = "sql")]
#[test]
fn counts_are_bounded_and_exact_where_nothing_hides_them() {
    let folder = folder(OPTIMAL);
    let original = folder.read("patients.csv");
    let records = column(&original, "diagnosis");
    let answer = json(&folder, "SELECT COUNT(*) AS n FROM release");
    let n = records.len() as f64;
    assert_eq!(answer["rows"][0]["n"], serde_json::json!({ "estimate": n, "lower": n, "upper": n }));
    assert_eq!(answer["guarantee"]["of"], "original");
    let answer =
        json(&folder, "SELECT diagnosis, COUNT(*) n FROM release GROUP BY diagnosis ORDER BY n DESC");
    for row in answer["rows"].as_array().unwrap() {
        let expected = records.iter().filter(|value| **value == row["diagnosis"]).count() as f64;
        assert_eq!((&row["n"]["lower"], &row["n"]["upper"]), (&expected.into(), &expected.into()));
    }
}

#[cfg(feature = "sql")]
#[test]
fn an_answer_is_shown_for_people_and_as_csv() {
    let folder = folder(H_CEILING);
    let text = "SELECT sex, COUNT(*) AS n, AVG(age) AS a FROM release WHERE age > 30 GROUP BY sex";
    let shown = folder.ok(&["query", "release", text]).out;
    assert!(shown.starts_with("sex"), "{shown}");
    assert!(shown.contains("n_lower") && shown.contains("lies between lower and upper"), "{shown}");
    let csv = folder.ok(&["query", "release", text, "--csv"]).out;
    assert_eq!(rows(&csv)[0], ["sex", "n", "n_lower", "n_upper", "a", "a_lower", "a_upper"]);
    folder.refused(&["query", "release", text, "--csv", "--json"], 2, &["--csv"]);
}

#[cfg(feature = "sql")]
#[test]
fn what_is_not_one_select_over_the_release_is_refused() {
    let folder = folder(H_CEILING);
    folder.write("secret.csv", "a\n1\n");
    let path = folder.path("secret.csv").display().to_string();
    for text in [
        "INSERT INTO release VALUES (1)".to_owned(),
        "SELECT 1 FROM release; DROP TABLE release".into(),
        format!("CREATE EXTERNAL TABLE t STORED AS CSV LOCATION '{path}'"),
        format!("COPY release TO '{path}'"),
        format!("SELECT * FROM '{path}'"),
        format!("SELECT * FROM read_csv('{path}')"),
        "SELECT * FROM information_schema.tables".into(),
        "SET x = 1".into(),
        String::new(),
    ] {
        for mode in [&[][..], &["--as-released"]] {
            folder.refused(&[&["query", "release", &text], mode].concat(), 2, &[]);
        }
    }
    assert_eq!(folder.read("secret.csv"), "a\n1\n");
}

#[cfg(feature = "sql")]
#[test]
fn errors_tell_what_to_write_instead() {
    let folder = folder(H_CEILING);
    for (text, says) in [
        ("SELECT COUNT(*) FROM release WHERE agee > 3", &["agee", "age", "sex"][..]),
        ("SELECT COUNT(*) FROM release WHERE age >", &["not readable as SQL"]),
        ("SELECT COUNT(*) FROM release WHERE age + 1", &["true or false"]),
        ("SELECT SUM(sex) FROM release", &["numbers"]),
        ("SELECT COUNT(*) FROM release WHERE nosuch(age) = 1", &["nosuch"]),
        ("SELECT * FROM release", &["--as-released"]),
        ("SELECT COUNT(*) / 2 FROM release", &["share(condition)"]),
        ("SELECT age FROM release ORDER BY age", &["--as-released"]),
        ("SELECT COUNT(*) FROM release a JOIN release b USING (age)", &["--as-released"]),
        ("SELECT COUNT(*) FROM release WHERE age IN (SELECT age FROM release)", &["--as-released"]),
        ("SELECT COUNT(*) FROM release HAVING COUNT(*) > 1", &["HAVING"]),
        ("SELECT COUNT(*) FROM release WHERE level(age, 9) = '*'", &["0 to 4"]),
        ("SELECT COUNT(*) FROM release WHERE 1 / (age - 40) > 0", &["division by zero"]),
        ("SELECT COUNT(*) FROM release WHERE random() > 0.5", &["random"]),
        ("SELECT COUNT(*) FROM release WHERE age || sex || age LIKE sex + 1", &["does not fit"]),
        ("SELECT COUNT(*) FROM nothing", &["`release`"]),
    ] {
        folder.refused(&["query", "release", text], 2, says);
    }
    let twice = "SELECT COUNT(*) AS n, SUM(age) AS n FROM release";
    folder.refused(&["query", "release", twice, "--json"], 2, &["two columns", "`n`", "AS"]);
    let by_age = "SELECT age, COUNT(*) FROM release GROUP BY age";
    folder.refused(&["query", "release", by_age, "--groups", "10"], 2, &["level(column, n)"]);
    folder.refused(&["query", "nowhere", by_age], 6, &["nowhere"]);
}

#[cfg(feature = "sql")]
#[test]
fn any_select_runs_as_released() {
    let folder = folder(H_CEILING);
    let query = |text: &str| folder.ok(&["query", "release", text, "--as-released", "--csv"]).out;
    let data = folder.read("release/data.csv");
    assert_eq!(query("SELECT COUNT(*) AS n FROM release").trim(), format!("n\n{}", rows(&data).len() - 1));
    assert_eq!(column(&query("SELECT age FROM release"), "age"), column(&data, "age"));
    let joined = "WITH a AS (SELECT sex, COUNT(*) n FROM release GROUP BY sex) SELECT MAX(n) FROM a";
    assert!(query(joined).lines().nth(1).unwrap().parse::<u64>().unwrap() > 0);
    assert!(query("SELECT COUNT(*) FROM truthful").lines().nth(1).unwrap().parse::<u64>().unwrap() > 0);
    let huge =
        "SELECT COUNT(*) FROM release a, release b, release c, release d WHERE a.age * b.age < c.age + d.age";
    folder.refused(&["query", "release", huge, "--as-released", "--seconds", "1"], 2, &["--seconds"]);
}

#[cfg(feature = "sql")]
#[test]
fn releases_without_bounds_say_so() {
    let folder = folder("name = \"relocation\"\nsuppression-limit = 0.1");
    let answer = json(&folder, "SELECT COUNT(*) AS n FROM release WHERE age > 40");
    assert_eq!(answer["guarantee"]["bounds"], false);
    assert!(answer["rows"][0]["n"]["estimate"].is_number() && answer["rows"][0]["n"].get("lower").is_none());
    let shown = folder.ok(&["query", "release", "SELECT COUNT(*) FROM release"]).out;
    assert!(shown.contains("Estimates only"), "{shown}");
}

#[cfg(feature = "sql")]
#[test]
fn replaced_values_have_no_bounds() {
    let mut table = "person,id,age,seen\n".to_owned();
    for record in 0..40 {
        table += &format!("{record},p{record},{},2021-0{}-15\n", 30 + record % 4, 1 + record % 5);
    }
    let sections = r#"[key]
file = "key"
[attributes.person]
role = "identifier"
[attributes.id]
role = "identifier"
pseudonym = "hmac-sha256"
[attributes.age]
role = "quasi-identifier"
hierarchy = { interval = [5, 10], min = 0, max = 99 }
[attributes.seen]
role = "insensitive"
date-shift = { days = 30, person = "person" }
"#;
    let folder = made(&table, sections, 5, "optimal");
    for (condition, bounds) in [("age > 31", true), ("id = 'p1'", false), ("seen < '2021-02-01'", false)] {
        let answer = json(&folder, &format!("SELECT COUNT(*) AS n FROM release WHERE {condition}"));
        assert_eq!(answer["guarantee"]["bounds"], bounds, "{condition}");
    }
}

#[cfg(feature = "sql")]
#[test]
fn every_aggregate_is_bounded_in_every_group() {
    // Only 30 is seen; the others hide in a range.
    let ages = ["30", "30", "30", "30", "30", "30", "31", "32", "33"];
    let sexes = ["F", "F", "F", "F", "F", "F", "M", "M", "M"];
    let record = |at: usize| format!("{},{}\n", ages[at], sexes[at]);
    let table = "age,sex\n".to_owned() + &(0..9).map(record).collect::<String>();
    let sections = r#"[attributes.age]
role = "quasi-identifier"
[attributes.sex]
role = "quasi-identifier"
"#;
    let folder = made(&table, sections, 3, "mondrian");
    let text = "SELECT FLOOR(age / 5.0) AS g, COUNT(*) AS n, COUNT(*) FILTER (WHERE sex = 'M') AS m FROM release \
         GROUP BY FLOOR(age / 5.0)";
    let answer = json(&folder, text);
    let row = answer["rows"].as_array().unwrap().iter().find(|row| row["g"] == 6.0).unwrap();
    assert_eq!((row["n"]["upper"].as_f64(), row["m"]["upper"].as_f64()), (Some(9.0), Some(3.0)), "{row}");
    // A group by the values themselves has no ages that lie between, though they are added up, too.
    let answer = json(&folder, "SELECT age, SUM(age) AS s, share(age > 30) AS old FROM release GROUP BY age");
    let row = &answer["rows"][0];
    assert_eq!((answer["rows"].as_array().unwrap().len(), &row["age"]), (1, &Value::from(30)), "{answer}");
    let old = |bound: &str| row["old"][bound].as_f64().unwrap();
    // Of 9 records 3 may be older.
    assert!(old("lower") == 0.0 && old("upper") >= 1.0 / 3.0 && old("upper") < 0.34, "{row}");
    let text = "SELECT COUNT(*) AS n FROM release WHERE coalesce(age, 0) < 40";
    assert_eq!(json(&folder, text)["rows"][0]["n"]["upper"], 9.0);
    for (condition, said) in [
        ("COUNT(*) > 1", "aggregates"),
        // Hidden ages may be 32.5.
        ("age / 4 > 7", "decimals"),
        ("age * 9223372036854775807 > 0", "cannot be computed"),
        ("length(repeat(sex, 1000000000)) > 5", "repeat"),
    ] {
        let text = format!("SELECT COUNT(*) AS n FROM release WHERE {condition}");
        folder.refused(&["query", "release", &text], 2, &[said]);
    }
}

#[cfg(feature = "sql")]
#[test]
fn codes_are_asked_for_at_the_level_they_were_released_at() {
    let codes = ["I60", "I63.1", "I63.9", "I69", "E10.1", "E11", "E14.9", "E12"];
    let atc = ["A10BA02", "A10BB01", "A10AB01", "A10BA02", "C07AB02", "C07AA05", "C07AB07", "C07AB02"];
    let record = |at: usize| format!("{},{},00{}12345\n", codes[at], atc[at], at / 4);
    let table = "icd,atc,code\n".to_owned() + &(0..8).map(record).collect::<String>();
    let sections = r#"[attributes.icd]
role = "quasi-identifier"
hierarchy = { icd-10 = "who" }
level = 2
[attributes.atc]
role = "quasi-identifier"
hierarchy = { atc = "full" }
level = 3
[attributes.code]
role = "quasi-identifier"
hierarchy = { mask = "right", length = 8 }
level = 5
"#;
    let folder = made(&table, sections, 4, "optimal");
    for (level, names) in [
        ("level(icd, 2)", ["E10-E14", "I60-I69"]),
        ("level(atc, 3)", ["A10", "C07"]),
        ("level(code, 5)", ["000*****", "001*****"]),
    ] {
        let answer = json(
            &folder,
            &format!("SELECT {level} AS g, COUNT(*) AS n FROM release GROUP BY {level} ORDER BY g"),
        );
        let rows = answer["rows"].as_array().unwrap();
        assert_eq!(rows.iter().map(|row| &row["g"]).collect::<Vec<_>>(), names, "{answer}");
        for row in rows {
            assert_eq!(
                (row["n"]["lower"].as_f64(), row["n"]["upper"].as_f64()),
                (Some(4.0), Some(4.0)),
                "{answer}"
            );
        }
    }
    folder.refused(
        &["query", "release", "SELECT COUNT(*) FROM release WHERE icd = 'I63.1'"],
        2,
        &["level(icd"],
    );
}

/// 40 people of 30 and three of 97, who are suppressed: what their records hide may be any value, or one that nobody shows.
#[cfg(feature = "sql")]
#[test]
fn what_suppressed_records_hide_is_bounded() {
    let mut table = "age,diagnosis,cost\n".to_owned();
    (0..40).for_each(|record| table += &format!("30,{},{}\n", ["E10", "I63"][record % 2], 10 * (record % 4)));
    table += "97,E10,500\n97,A00,\n97,I63,70\n";
    let sections = "[attributes.age]\nrole = \"quasi-identifier\"\nhierarchy = { interval = [20], min = 0, max = 119 }\n\
                    [attributes.diagnosis]\nrole = \"sensitive\"\n[attributes.cost]\nrole = \"insensitive\"\n";
    let folder = made(&table, sections, 5, "optimal\"\nsuppression-limit = 0.1\nsuppress = \"record");
    assert!(folder.read("release/data.csv").contains("*,*,*"), "three are suppressed");
    let answer = json(&folder, "SELECT COUNT(*) AS n FROM release WHERE diagnosis = 'E10'");
    let n = &answer["rows"][0]["n"];
    assert_eq!([&n["lower"], &n["upper"]], [&Value::from(20.0), &Value::from(23.0)]);
    // As likely E10 as the others are.
    assert_eq!(n["estimate"], 21.5);
    assert_eq!(answer["guarantee"]["unseen-values"], serde_json::json!(["diagnosis"]));
    let notes = answer["guarantee"]["notes"].to_string();
    assert!(notes.contains("does not tell all values of diagnosis"), "{notes}");
    // Of all, none is hidden; a sum of hidden numbers is anything.
    let answer = json(&folder, "SELECT COUNT(*) AS n, SUM(cost) AS cost, COUNT(cost) AS known FROM release");
    let row = &answer["rows"][0];
    assert_eq!([&row["n"]["lower"], &row["n"]["upper"]], [&Value::from(43.0), &Value::from(43.0)]);
    assert_eq!([&row["cost"]["lower"], &row["cost"]["upper"]], [&Value::Null, &Value::Null]);
    assert_eq!([&row["known"]["lower"], &row["known"]["upper"]], [&Value::from(40.0), &Value::from(43.0)]);
    // The truthful version hides the same, and the released records show a missing value.
    let truthful = json(&folder, "SELECT COUNT(*) AS n FROM truthful WHERE diagnosis = 'E10'");
    assert_eq!(truthful["rows"][0]["n"]["upper"], 23.0);
    let run =
        folder.ok(&["query", "release", "SELECT COUNT(cost) AS n FROM release", "--as-released", "--json"]);
    let released: Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!(released["rows"][0]["n"], 40);
}

#[cfg(not(feature = "studio"))]
#[test]
fn a_build_without_the_studio_says_how_to_get_it() {
    Folder::new().refused(&["studio"], 2, &["this build has no studio", "cargo build", "--features full"]);
}
