//! A planted fault for every rule of the manifest.

use velamen_contract::linked::{Column, Dates, SetPromise, Tier, Unit, not_covered};

use super::super::plan::file_name;
use super::made::{Made, quasi_identifier, reference};
use crate::State;
use crate::linked::{Host, Unreadable, certify, certify_with};

fn after(change: impl FnOnce(&mut Made)) -> Vec<String> {
    let mut made = Made::new();
    change(&mut made);
    made.broken()
}

#[test]
fn a_shift_in_a_public_release() {
    let public = after(|made| {
        made.manifest.tier = Tier::Public;
        *made.column("LAB", "value") = Column::Insensitive;
    });
    assert_eq!(public, ["dates"]);
    assert_eq!(after(|made| made.manifest.dates = Dates::Shift(0)), ["dates"]);
    assert_eq!(after(|made| made.manifest.dates = Dates::Shift(u32::MAX)), ["dates"]);
    assert_eq!(after(|made| made.manifest.window = Some(["2010".into(), "2019".into()])), ["dates"]);
}

#[test]
fn a_sentence_that_is_not_said() {
    for sentence in not_covered::ALWAYS.into_iter().chain(not_covered::OF_A_SHIFT) {
        let without = after(|made| made.manifest.not_covered.retain(|said| said != sentence));
        assert_eq!(without, ["not-covered"], "{sentence}");
    }
    let without_shift = after(|made| {
        made.manifest.dates = Dates::Year;
        made.set_all("VISIT", "day", "2014-01-01");
        made.manifest.not_covered = not_covered::ALWAYS.map(str::to_owned).into();
    });
    assert_eq!(without_shift, [""; 0]);
}

/// The birth labels of the person table.
fn births(labels: &'static [(&str, &str)]) -> Vec<String> {
    after(|made| *made.column("PERSON", "birth") = quasi_identifier(labels))
}

#[test]
fn an_age_over_89() {
    assert_eq!(births(&[("1930", "<=1934"), ("1937", "1935-1939")]), [""; 0]);
    assert_eq!(births(&[("1930", "<=1934"), ("1937", "2024")]), [""; 0], "who is not yet one year old");
    for oldest in ["≤ 1934", "1934 or earlier", "[<=1934]", "*", "1900-1934", "1934-1936"] {
        let made = after(|made| {
            *made.column("PERSON", "birth") = quasi_identifier(&[("1930", oldest), ("1937", "[1935-1939]")]);
        });
        assert_eq!(made, [""; 0], "{oldest}");
    }
    for (oldest, other) in [
        ("<=1934", "1934"),
        ("<=1934", "1933-1939"),
        ("<=1934", "<=1939"),
        ("<=1933", "1935-1939"),
        ("1900", "1935-1939"),
        ("<=1934", "old"),
        ("<=1934", "193"),
        ("<=1934", "19370"),
        ("<=1934", "01937"),
        ("<=1934", "2025"),
        ("<=1934", "1939-1935"),
        ("<=1934", ""),
        ("1935-1939", "1940"),
    ] {
        let made = after(|made| {
            *made.column("PERSON", "birth") = quasi_identifier(&[("1930", oldest), ("1937", other)]);
        });
        assert_eq!(made, ["ages"], "{oldest} {other}");
    }
    assert_eq!(after(|made| made.manifest.ages.as_mut().unwrap().column = "age".into()), ["ages"]);
}

#[test]
fn no_ages_without_a_birth() {
    let made = after(|made| {
        made.manifest.ages = None;
        *made.column("PERSON", "birth") = quasi_identifier(&[("1930", "x"), ("1937", "y")]);
    });
    assert_eq!(made, [""; 0]);
}

#[test]
fn a_promise_that_is_none() {
    for promise in [
        SetPromise::Classes { k: 1 },
        SetPromise::Sets { k: 3, m: 0 },
        SetPromise::Sets { k: 3, m: 4 },
        SetPromise::SetsInClasses { k: 0, m: 1 },
    ] {
        assert_eq!(after(|made| made.manifest.privacy.push(promise)), [promise.name()]);
    }
    assert!(after(|made| made.manifest.privacy.clear()).contains(&"columns".into()));
}

#[test]
fn tables_that_do_not_agree() {
    let changes: [fn(&mut Made); 21] = [
        |made| made.manifest.persons.table = "PATIENT".into(),
        |made| made.manifest.tables["PERSON"].parent = Some("person_id".into()),
        |made| made.manifest.tables["PERSON"].is_person_column = true,
        |made| made.manifest.tables["PERSON"].is_referred_to = true,
        |made| made.manifest.tables["LAB"].parent = None,
        |made| made.manifest.tables["LAB"].parent = Some("patient_id".into()),
        |made| made.manifest.tables["LAB"].parent = Some("code".into()),
        |made| made.manifest.tables["LAB"].is_referred_to = true,
        |made| made.manifest.tables["LAB"].file = "data/../data/LAB.csv".into(),
        |made| made.manifest.tables["LAB"].file = "LAB.csv".into(),
        |made| made.manifest.tables["LAB"].file = "data/VISIT.csv".into(),
        |made| *made.column("VISIT", "kind") = Column::Key,
        |made| *made.column("PERSON", "person_id") = Column::Insensitive,
        |made| *made.column("VISIT", "visit_id") = Column::Insensitive,
        |made| *made.column("VISIT", "before") = reference("NOTE"),
        |made| *made.column("VISIT", "before") = reference("LAB"),
        |made| *made.column("VISIT", "person_id") = reference("VISIT"),
        |made| *made.column("LAB", "code") = quasi_identifier(&[("GLU", "GLU")]),
        |made| *made.column("LAB", "flags") = Column::Set { items: Some(String::new()) },
        |made| *made.column("LAB", "value") = Column::Value { by: vec!["loinc".into()], digits: 3 },
        |made| *made.column("LAB", "value") = Column::Value { by: vec![], digits: 4 },
    ];
    for (at, change) in changes.into_iter().enumerate() {
        assert_eq!(after(change)[0], "columns", "change {at}");
    }
    let without_lists = after(|made| {
        *made.column("LAB", "flags") = Column::Set { items: Some(String::new()) };
        made.set_all("LAB", "flags", "");
    });
    assert_eq!(without_lists, ["columns"], "no list shows what the delimiter is");
    for bounds in [vec![], vec![1.0], vec![2.0, 1.0], vec![1.0, f64::NAN], vec![1.0, 1.0]] {
        assert_eq!(
            after(|made| *made.column("LAB", "band") = Column::Band { bounds, by: Vec::new() }),
            ["columns"]
        );
    }
}

#[test]
fn persons_without_keys() {
    let persons = after(|made| {
        made.files.retain(|name, _| name == "PERSON");
        made.manifest.tables.retain(|name, _| name == "PERSON");
        *made.column("PERSON", "person_id") = Column::Insensitive;
        made.files["PERSON"][1..].sort();
    });
    assert_eq!(persons, [""; 0], "nobody refers to them");
}

#[test]
fn the_table_of_persons_has_person_columns_alone() {
    let roles = [
        Column::Code,
        Column::Date,
        Column::Value { by: vec![], digits: 3 },
        Column::Band { bounds: vec![1900.0, 2000.0], by: vec![] },
    ];
    for role in roles {
        let made = after(|made| {
            made.manifest.ages = None;
            *made.column("PERSON", "birth") = role.clone();
        });
        assert_eq!(made, ["columns"], "{role:?}");
    }
}

#[test]
fn a_file_is_directly_in_the_folder_of_tables() {
    let mut table = Made::new().manifest.tables["LAB"].clone();
    let mut name = |file: &str| {
        table.file = file.to_owned();
        file_name(&table).map(str::to_owned)
    };
    assert_eq!(name("data/LAB.csv").as_deref(), Some("LAB.csv"));
    for file in ["LAB.csv", "data/", "data/.", "data/..", "data/a/b", "data/a\\b", "data/a\0", "data/a:b"] {
        assert_eq!(name(file), None, "{file}");
    }
}

#[test]
fn what_is_released_as_recorded_is_said() {
    let asked = Made::new().finding("method").asked;
    assert_eq!(asked["as-recorded"], serde_json::json!(["LAB.unit"]));
}

#[test]
fn a_window_of_one_day_is_none() {
    let of = |last: &str| {
        after(|made| {
            made.manifest.dates = Dates::Year;
            made.set_all("VISIT", "day", "2014-01-01");
            made.manifest.tables["VISIT"].window = Some(["2011-01-01".into(), last.into()]);
        })
    };
    assert_eq!([of("2011-01-02"), of("2011-01-01")], [vec![], vec!["dates".to_owned()]]);
}

#[test]
fn two_tables_of_one_file() {
    let twice = after(|made| {
        let death = made.manifest.tables["DEATH"].clone();
        made.manifest.tables.insert("DEATHS".into(), death);
    });
    assert_eq!(twice, ["columns"]);
}

#[test]
fn parents_in_a_circle() {
    let circle = after(|made| {
        made.manifest.tables["VISIT"].parent = Some("before".into());
        *made.column("VISIT", "before") = reference("CONDITION");
        made.manifest.tables["CONDITION"].parent = Some("visit_id".into());
    });
    assert_eq!(circle, ["columns"]);
}

#[test]
fn nothing_is_checked_where_columns_are_not_known() {
    let mut made = Made::new();
    made.files["LAB"][0][0] = "patient".into();
    let findings = made.certify().unwrap();
    for finding in &findings {
        let expected = match finding.promise.as_str() {
            "columns" => State::Broken,
            "not-covered" => State::Held,
            _ => State::NotChecked,
        };
        assert_eq!(finding.state, expected, "{}", finding.promise);
    }
    assert!(findings.iter().any(|finding| finding.promise == "k-km-anonymity"));
}

#[test]
fn a_band_of_one_person() {
    // One of the twelve in a unit of their own: their band there is nobody else's.
    let by_unit = after(|made| {
        *made.column("LAB", "band") =
            Column::Band { bounds: vec![0.0, 2.5, 10.0], by: vec!["code".into(), "unit".into()] };
        made.set_all("LAB", "value", "");
        made.set("LAB", 1, "unit", "mol");
    });
    assert_eq!(by_unit, ["values"]);
}

#[test]
fn bytes_that_no_cell_needs() {
    let marks: [fn(&str) -> String; 5] = [
        |text| text.replace('\n', "\r\n"),
        |text| format!("{text}\n"),
        |text| format!("\u{feff}{text}"),
        |text| text.replacen("A01", "\"A01\"", 1),
        |text| text.trim_end().to_owned(),
    ];
    for (mark, change) in marks.into_iter().enumerate() {
        let made = Made::new();
        let folder = made.write();
        let file = folder.path().join("data/CONDITION.csv");
        let text = std::fs::read_to_string(&file).unwrap();
        std::fs::write(&file, change(&text)).unwrap();
        let findings = certify(folder.path(), &made.manifest).unwrap();
        let broken: Vec<&str> = findings
            .iter()
            .filter(|finding| finding.state == State::Broken)
            .map(|finding| finding.promise.as_str())
            .collect();
        assert_eq!(broken, ["columns"], "{mark}");
        // Bytes are counted for the whole file: nobody knows which row has them.
        let expected =
            serde_json::json!({ "table": "CONDITION", "fault": "bytes that its cells do not need" });
        assert!(findings.iter().any(|finding| finding.reached["first"] == expected), "{mark}");
    }
}

/// Ends the check at once.
struct Stopped;

impl Host for Stopped {
    fn is_stopped(&self) -> bool {
        true
    }
}

#[test]
fn a_check_that_is_to_end_says_nothing() {
    let made = Made::new();
    let folder = made.write();
    let found = certify_with(folder.path(), &made.manifest, &Stopped);
    assert!(matches!(found, Err(Unreadable::Interrupted)), "{found:?}");
}

#[test]
fn a_format_that_nobody_reads_is_refused() {
    let mut made = Made::new();
    let folder = made.write();
    let [text, other] = ["LAB.csv", "LAB.parquet"].map(|name| folder.path().join("data").join(name));
    std::fs::rename(text, other).unwrap();
    made.manifest.tables["LAB"].file = "data/LAB.parquet".into();
    let found = certify(folder.path(), &made.manifest);
    assert!(matches!(found, Err(Unreadable::Format { .. })), "{found:?}");
}

#[test]
fn the_end_of_the_data_is_no_earlier_than_what_is_shown() {
    // Dates show no year of a calendar, and the oldest are those born up to 1934.
    let until = |year: i32, window: bool, born: &'static str| {
        after(|made| {
            made.manifest.dates = Dates::Relative(Unit::Month);
            made.set_all("VISIT", "day", "2000-01-01");
            made.manifest.window = made.manifest.window.take().filter(|_| window);
            let ages = made.manifest.ages.as_mut().unwrap();
            (ages.until, ages.top) = (year, (year - 1934) as u32);
            *made.column("PERSON", "birth") = quasi_identifier(&[("1930", "<=1934"), ("1937", born)]);
        })
    };
    assert_eq!(until(2024, true, "1935-1939"), [""; 0]);
    assert_eq!(until(2024, false, "2020-2029"), [""; 0]);
    assert_eq!(until(2018, true, "1935-1939"), ["ages"]);
    assert_eq!(until(2018, false, "1935-1939"), [""; 0]);
    assert_eq!(until(2018, false, "2020-2029"), ["ages"]);
}
