//! A planted fault for every rule of the released rows: the promise that it breaks is found, and no other.

use std::fs;

use serde_json::json;
use velamen_contract::linked::{Column, Counts, Dates, SetPromise, Tier, Unit};
use velamen_core::error::Problem;

use super::super::certify;
use super::made::{Made, broken};

/// Which promises are broken after a change.
fn after(change: impl FnOnce(&mut Made)) -> Vec<String> {
    let mut made = Made::new();
    change(&mut made);
    made.broken()
}

#[test]
fn an_original_key() {
    assert_eq!(after(|made| made.set("CONDITION", 3, "condition_id", "90210")), ["keys"]);
    assert_eq!(after(|made| made.set("CONDITION", 3, "condition_id", "007")), ["keys"]);
    assert_eq!(after(|made| made.set("CONDITION", 3, "condition_id", "0")), ["keys"]);
    assert_eq!(after(|made| made.set("DEATH", 0, "person_id", "+9")), ["keys", "k-km-anonymity"]);
    assert_eq!(after(|made| made.set("CONDITION", 0, "condition_id", "MRN-17")), ["keys"]);
    assert_eq!(after(|made| made.set("CONDITION", 0, "condition_id", "")), ["columns", "keys"]);
}

#[test]
fn a_key_twice() {
    let twice = after(|made| {
        let first = made.cell("CONDITION", 0, "condition_id").to_owned();
        made.set("CONDITION", 5, "condition_id", &first);
    });
    assert_eq!(twice, ["keys"]);
}

#[test]
fn a_person_twice() {
    let twice = after(|made| made.insert("PERSON", 12, "12,F,1937"));
    assert_eq!(twice[0], "keys");
    let stated = after(|made| {
        made.insert("PERSON", 12, "12,F,1937");
        made.manifest.persons.records = 12;
    });
    assert!(stated.contains(&"records".into()));
}

#[test]
fn a_dangling_key() {
    assert_eq!(after(|made| made.set("CONDITION", 3, "visit_id", "99")), ["keys"]);
    assert_eq!(after(|made| made.set("VISIT", 1, "before", "99")), ["keys"]);
    assert!(after(|made| made.set("CONDITION", 3, "person_id", "99")).contains(&"keys".into()));
    assert!(after(|made| made.set("DETAIL", 3, "visit_id", "99")).contains(&"keys".into()));
    let empty = after(|made| made.set("CONDITION", 3, "person_id", ""));
    assert!(empty.contains(&"keys".into()) && empty.contains(&"columns".into()));
}

#[test]
fn a_reference_to_another_persons_visit() {
    let swapped = after(|made| {
        for (row, other) in [(0, 3), (2, 1)] {
            let visit = made.cell("VISIT", other, "visit_id").to_owned();
            made.set("CONDITION", row, "visit_id", &visit);
        }
        let visit = made.cell("VISIT", 0, "visit_id").to_owned();
        made.set("CONDITION", 3, "visit_id", &visit);
    });
    assert!(swapped.contains(&"keys".into()), "{swapped:?}");
    let before = after(|made| {
        let other = made.cell("VISIT", 4, "visit_id").to_owned();
        made.set("VISIT", 1, "before", &other);
    });
    assert_eq!(before, ["keys"]);
}

#[test]
fn an_unsorted_person() {
    assert_eq!(after(|made| made.files["CONDITION"].swap(1, 3)), ["order"]);
    assert_eq!(after(|made| made.files["PERSON"].swap(1, 3)), ["order"]);
    assert_eq!(after(|made| made.files["DETAIL"].swap(1, 3)), ["order"]);
}

#[test]
fn content_that_shows_another_order() {
    assert_eq!(after(|made| made.files["CONDITION"].swap(1, 2)), ["order"]);
}

#[test]
fn a_rare_code() {
    assert_eq!(after(|made| made.set("VISIT", 4, "kind", "home")), ["code-floor"]);
    let on_the_floor =
        after(|made| [0, 2, 4].into_iter().for_each(|row| made.set("VISIT", row, "kind", "home")));
    assert_eq!(on_the_floor, [""; 0]);
    // Twice of one person is once.
    let twice = after(|made| {
        [0, 2].into_iter().for_each(|row| made.set("VISIT", row, "kind", "home"));
        made.set("VISIT", 1, "kind", "home");
        made.files["VISIT"].swap(1, 2);
        made.manifest.tables["VISIT"].columns["day"] = Column::Insensitive;
    });
    assert!(twice.contains(&"code-floor".into()), "{twice:?}");
    assert_eq!(after(|made| made.manifest.code_floor = 2), ["code-floor"]);
}

#[test]
fn a_rare_item() {
    // The items of a class are not those of all.
    assert_eq!(after(|made| made.set("CONDITION", 1, "code", "J45")), ["k-km-anonymity"]);
    let without_classes = after(|made| {
        made.set("CONDITION", 1, "code", "J45");
        made.manifest.privacy = vec![SetPromise::Sets { k: 3, m: 2 }];
    });
    assert_eq!(without_classes, [""; 0]);
    let broken = after(|made| made.set("LAB", 1, "flags", "X;Z"));
    assert!(broken.contains(&"k-km-anonymity".into()), "{broken:?}");
}

/// Of four persons of a class three have X, three have Y, and two have both.
fn rare_pair(made: &mut Made) {
    for (row, flags) in [(0, "X"), (1, "Y"), (2, "X;Y"), (3, "X;Y")] {
        made.set("LAB", row, "flags", flags);
    }
}

#[test]
fn a_rare_pair() {
    assert_eq!(after(rare_pair), ["k-km-anonymity"]);
    let of_one = after(|made| {
        rare_pair(made);
        made.manifest.privacy = vec![SetPromise::SetsInClasses { k: 3, m: 1 }];
    });
    assert_eq!(of_one, [""; 0]);
}

/// Every pair of X, Y and Z is that of at least three persons, all three are that of two.
fn rare_triple(made: &mut Made, m: u8) {
    made.set_all("CONDITION", "code", "A01");
    for row in 0..12 {
        let flags = ["X;Y;Z", "X;Y", "X;Z", "Y;Z"][if row < 2 { 0 } else { 1 + row % 3 }];
        made.set("LAB", row, "flags", flags);
    }
    made.manifest.privacy = vec![SetPromise::Sets { k: 3, m }];
}

#[test]
fn a_rare_triple() {
    assert_eq!(after(|made| rare_triple(made, 2)), [""; 0]);
    assert_eq!(after(|made| rare_triple(made, 3)), ["km-anonymity"]);
}

#[test]
fn a_rare_person() {
    let alone = after(|made| {
        [0, 1].into_iter().for_each(|row| made.set("PERSON", row, "birth", "1937"));
        made.manifest.privacy.insert(0, SetPromise::Classes { k: 3 });
    });
    assert_eq!(alone, ["k-anonymity", "k-km-anonymity"]);
    // Two of a class died.
    let died = after(|made| made.files["DEATH"].truncate(3));
    assert_eq!(died, ["records", "k-km-anonymity"]);
}

#[test]
fn an_extreme_value() {
    assert_eq!(after(|made| made.set("LAB", 1, "value", "9.8")), ["values"]);
    assert_eq!(after(|made| made.set("LAB", 1, "value", "-3")), ["values"]);
    // A unit of its own is a group of its own.
    assert_eq!(after(|made| made.set("LAB", 1, "unit", "mol")), ["values"]);
    assert_eq!(after(|made| made.set("LAB", 1, "value", "6.25")), [""; 0]);
    // Two of three are left.
    assert_eq!(after(|made| made.set("LAB", 3, "value", "7.5")), ["values"]);
    assert_eq!(after(|made| made.set("LAB", 0, "value", "")), ["values", "traces"]);
}

#[test]
fn groups_whose_names_run_together_stay_apart() {
    let values = after(|made| {
        *made.column("LAB", "code") = Column::Insensitive;
        made.set_all("LAB", "value", "5");
        for (row, code, unit) in [(0, "x:", ""), (1, "x:", ""), (2, "x", ":"), (3, "x", ":")] {
            made.set("LAB", row, "code", code);
            made.set("LAB", row, "unit", unit);
        }
    });
    assert_eq!(values, ["values"]);
}

#[test]
fn four_significant_digits() {
    assert_eq!(after(|made| made.set("LAB", 1, "value", "5.125")), ["values"]);
    assert_eq!(after(|made| made.set("LAB", 1, "value", "0.00512")), ["values"], "the least of all");
    assert_eq!(after(|made| made.set("LAB", 1, "value", "5.100")), ["values"], "another spelling");
    for wrong in ["high", "NaN", "inf", "5,1"] {
        assert_eq!(after(|made| made.set("LAB", 1, "value", wrong)), ["values"], "{wrong}");
    }
}

#[test]
fn a_number_in_no_band() {
    assert_eq!(after(|made| made.set("LAB", 1, "band", "3.7")), ["values"]);
    assert_eq!(after(|made| (1..4).for_each(|row| made.set("LAB", row, "band", ""))), [""; 0]);
}

#[test]
fn a_value_in_a_public_release() {
    let public = |made: &mut Made| {
        made.manifest.tier = Tier::Public;
        made.manifest.dates = Dates::Year;
        made.set_all("VISIT", "day", "2014-01-01");
    };
    assert_eq!(after(public), ["values"]);
    let without = after(|made| {
        public(made);
        *made.column("LAB", "value") = Column::Insensitive;
    });
    assert_eq!(without, [""; 0]);
}

#[test]
fn a_person_with_most_rows() {
    let most = after(|made| {
        made.insert("DETAIL", 4, &format!("{},note", super::made::Made::new().cell("VISIT", 9, "visit_id")))
    });
    assert_eq!(most, ["counts"]);
    let free = after(|made| {
        let visit = made.cell("VISIT", 9, "visit_id").to_owned();
        made.insert("DETAIL", 4, &format!("{visit},note"));
        made.manifest.counts = Counts::Free;
    });
    assert_eq!(free, [""; 0]);
    let banded = after(|made| {
        made.manifest.counts = Counts::Banded;
        made.remove("DETAIL", 4);
    });
    assert_eq!(banded, [""; 0]);
    // One person with no row is no matter for those who have most; one with two is for bands.
    let two = after(|made| {
        made.manifest.counts = Counts::Banded;
        let visit = made.cell("VISIT", 9, "visit_id").to_owned();
        made.insert("DETAIL", 4, &format!("{visit},note"));
    });
    assert_eq!(two, ["counts"]);
}

#[test]
fn as_many_persons_as_promised_have_most_rows() {
    let with = |persons: usize| {
        after(|made| {
            for at in (0..persons).rev() {
                let visit = made.cell("VISIT", 2 * at + 1, "visit_id").to_owned();
                made.insert("DETAIL", at, &format!("{visit},note"));
            }
        })
    };
    assert_eq!(with(2), ["counts"]);
    assert_eq!(with(3), [""; 0]);
}

#[test]
fn a_fault_says_where_and_how_many() {
    let mut made = Made::new();
    made.set("LAB", 4, "type", "PATIENT 17");
    made.set("LAB", 7, "type", "PATIENT 17");
    let expected = json!({
        "faults": 2,
        "first": { "table": "LAB", "column": "type", "row": 5, "fault": "another value than the constant" },
    });
    assert_eq!(made.finding("columns").reached, expected);
}

#[test]
fn a_table_of_few_persons() {
    let few = after(|made| {
        made.files["DETAIL"].truncate(3);
        made.state_rows();
        *made.column("DETAIL", "code") = Column::Insensitive;
    });
    assert_eq!(few, ["counts"]);
    let none = after(|made| {
        made.files["DETAIL"].truncate(1);
        made.state_rows();
    });
    assert_eq!(none, [""; 0]);
}

#[test]
fn two_deaths_of_a_person() {
    assert_eq!(after(|made| made.insert("DEATH", 1, "9")), ["counts"]);
}

#[test]
fn a_day_at_the_windows_end() {
    // 100 days from the ends: 2010-04-11 to 2019-09-22.
    assert_eq!(after(|made| made.set("VISIT", 0, "day", "2010-04-10")), ["dates"]);
    assert_eq!(after(|made| made.set("VISIT", 0, "day", "2010-04-11")), [""; 0]);
    assert_eq!(after(|made| made.set("VISIT", 0, "day", "2019-09-22")), [""; 0]);
    assert_eq!(after(|made| made.set("VISIT", 0, "day", "2019-09-23")), ["dates"]);
    let open = after(|made| {
        made.manifest.window = None;
        made.set("VISIT", 0, "day", "2019-12-31");
    });
    assert_eq!(open, ["dates"], "a shift shows at the ends that nobody declares");
}

#[test]
fn a_date_of_another_form() {
    for wrong in [
        "2012-02-30",
        "2013-02-29",
        "2012",
        "2012-03-01T08:00",
        "01.03.2012",
        "2012-03-010",
        "2012-3-1",
        "2012-13-01",
    ] {
        assert_eq!(after(|made| made.set("VISIT", 0, "day", wrong)), ["dates"], "{wrong}");
    }
    assert_eq!(after(|made| made.set("VISIT", 0, "day", "2012-02-29")), [""; 0]);
    assert_eq!(after(|made| made.set("VISIT", 0, "day", "")), [""; 0]);
    let years = |day: &'static str| {
        move |made: &mut Made| {
            made.manifest.dates = Dates::Year;
            made.set_all("VISIT", "day", "2014-01-01");
            made.set("VISIT", 0, "day", day);
        }
    };
    assert_eq!(after(years("2013-01-01")), [""; 0]);
    assert_eq!(after(years("2013-01-02")), ["dates"]);
    assert_eq!(after(years("2013-02-01")), ["dates"]);
    assert_eq!(after(|made| made.manifest.dates = Dates::None), ["dates"]);
}

/// All days are the first of all, except for one.
fn relative(unit: Unit, day: &'static str) -> Vec<String> {
    after(|made| {
        made.manifest.dates = Dates::Relative(unit);
        made.set_all("VISIT", "day", "2000-01-01");
        made.set("VISIT", 1, "day", day);
    })
}

#[test]
fn relative_dates_are_whole_units() {
    for (unit, right, wrong) in [
        (Unit::Week, ["2000-01-08", "2000-12-30"], ["2000-01-07", "1999-12-25"]),
        (Unit::Month, ["2000-02-01", "2003-12-01"], ["2000-02-02", "1999-12-01"]),
        (Unit::Quarter, ["2000-04-01", "2003-10-01"], ["2000-05-01", "1999-10-01"]),
    ] {
        right.into_iter().for_each(|day| assert_eq!(relative(unit, day), [""; 0], "{day}"));
        wrong.into_iter().for_each(|day| assert_eq!(relative(unit, day), ["dates"], "{day}"));
    }
}

#[test]
fn relative_dates_begin_with_the_first_day() {
    let later = after(|made| {
        made.manifest.dates = Dates::Relative(Unit::Month);
        made.set_all("VISIT", "day", "2000-01-01");
        [0, 1].into_iter().for_each(|row| made.set("VISIT", row, "day", "2000-02-01"));
    });
    assert_eq!(later, ["dates"]);
    let none = after(|made| {
        made.manifest.dates = Dates::Relative(Unit::Month);
        made.set_all("VISIT", "day", "2000-01-01");
        [0, 1].into_iter().for_each(|row| made.set("VISIT", row, "day", ""));
    });
    assert_eq!(none, [""; 0]);
}

#[test]
fn a_visit_without_its_code() {
    let trace = after(|made| {
        // Both conditions of a person refer to one visit, and so does the detail.
        let visit = made.cell("VISIT", 3, "visit_id").to_owned();
        made.set("CONDITION", 2, "visit_id", &visit);
        (2..4).for_each(|row| made.set("VISIT", row, "before", ""));
    });
    assert_eq!(trace, ["traces"]);
    // A visit that the next one follows is no reason for it.
    let followed = after(|made| {
        let visit = made.cell("VISIT", 3, "visit_id").to_owned();
        made.set("CONDITION", 2, "visit_id", &visit);
    });
    assert_eq!(followed, ["traces"]);
}

#[test]
fn each_table_has_reasons_of_its_own() {
    let traces = after(|made| made.manifest.tables["CONDITION"].is_referred_to = true);
    assert_eq!(traces, ["traces"]);
}

#[test]
fn another_value_than_the_constant() {
    assert_eq!(after(|made| made.set("LAB", 1, "type", "home")), ["columns"]);
    assert_eq!(after(|made| made.set("LAB", 1, "type", "")), ["columns"]);
}

#[test]
fn a_birth_that_no_label_has() {
    assert!(after(|made| made.set("PERSON", 1, "birth", "1931")).contains(&"columns".into()));
    assert!(after(|made| made.set("PERSON", 1, "birth", "")).contains(&"columns".into()));
}

#[test]
fn a_row_that_is_not_stated() {
    let more = after(|made| made.manifest.tables["LAB"].records = 11);
    assert_eq!(more, ["records"]);
    assert_eq!(after(|made| made.manifest.persons.records = 13), ["records"]);
}

#[test]
fn an_additional_column() {
    let made = |header: &str, cell: &str| {
        after(|made| {
            for (at, row) in made.files["CONDITION"].iter_mut().enumerate() {
                row.push(if at == 0 { header } else { cell }.to_owned());
            }
        })
    };
    assert_eq!(made("source_value", "250.00"), ["columns"]);
    assert_eq!(after(|made| made.files["CONDITION"][0].swap(0, 1)), ["columns"]);
    assert_eq!(after(|made| made.files["CONDITION"][0][3] = "CODE".into()), ["columns"]);
}

#[test]
fn an_additional_file() {
    let made = Made::new();
    let folder = made.write();
    fs::write(folder.path().join("data/keys.csv"), "original,released\n").unwrap();
    assert_eq!(broken(certify(folder.path(), &made.manifest).unwrap()), ["columns"]);
    let folder = made.write();
    fs::create_dir(folder.path().join("data/more")).unwrap();
    assert_eq!(broken(certify(folder.path(), &made.manifest).unwrap()), ["columns"]);
    let folder = made.write();
    fs::remove_file(folder.path().join("data/LAB.csv")).unwrap();
    assert_eq!(broken(certify(folder.path(), &made.manifest).unwrap()), ["columns"]);
}

#[cfg(unix)]
#[test]
fn a_link_out_of_the_release() {
    let made = Made::new();
    let folder = made.write();
    let file = folder.path().join("data/LAB.csv");
    fs::rename(&file, folder.path().join("elsewhere.csv")).unwrap();
    std::os::unix::fs::symlink(folder.path().join("elsewhere.csv"), &file).unwrap();
    assert_eq!(broken(certify(folder.path(), &made.manifest).unwrap()), ["columns"]);
}

#[test]
fn a_missing_label() {
    let made = Made::new();
    let with = |change: fn(String) -> String| {
        let folder = made.write();
        let file = folder.path().join("labels.csv");
        let text = change(fs::read_to_string(&file).unwrap());
        fs::write(&file, text).unwrap();
        broken(certify(folder.path(), &made.manifest).unwrap())
    };
    assert_eq!(with(|text| text), [""; 0]);
    assert_eq!(with(|text| text.replace("PERSON,sex,M,M\n", "")), ["labels"]);
    assert_eq!(with(|text| text.replace("sex,M,M", "sex,M,man")), ["labels"]);
    assert_eq!(with(|text| text + "PERSON,sex,M,M\n"), ["labels"]);
    assert_eq!(with(|text| text + "PERSON,sex,X,X\n"), ["labels"]);
    assert_eq!(with(|text| text.replace("value", "cell")), ["labels"]);
    let folder = made.write();
    fs::remove_file(folder.path().join("labels.csv")).unwrap();
    assert_eq!(broken(certify(folder.path(), &made.manifest).unwrap()), ["labels"]);
}

#[test]
fn what_cannot_be_read_says_where() {
    let made = Made::new();
    let with = |change: fn(String) -> Vec<u8>| {
        let folder = made.write();
        let file = folder.path().join("data/LAB.csv");
        fs::write(&file, change(fs::read_to_string(&file).unwrap())).unwrap();
        let message = Problem::from(certify(folder.path(), &made.manifest).unwrap_err()).to_string();
        message.replace(&folder.path().display().to_string(), "RELEASE")
    };
    let cut = with(|text| text.replace("lab,X;Y\n11,", "lab\n11,").into_bytes());
    assert_eq!(
        cut,
        "RELEASE/data/LAB.csv, row 10: 6 cells, 7 columns in the header; expected a cell for each column; write the row anew"
    );
    let foreign = with(|text| {
        let at = text.find("GLU").unwrap();
        let mut bytes = text.into_bytes();
        bytes[at] = 0xff;
        bytes
    });
    assert_eq!(foreign, "RELEASE/data/LAB.csv, row 1, column 2: no UTF-8 text; write the file as UTF-8");
    let folder = made.write();
    fs::remove_dir_all(folder.path().join("data")).unwrap();
    let message = certify(folder.path(), &made.manifest).unwrap_err().to_string();
    assert!(message.contains("cannot be read"), "{message}");
}
