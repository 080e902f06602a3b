//! Bad input: each with its table, row and column, and never with a cell.

use super::folder::{KEYS, Made, agreement, omop};

/// The message of a run that is refused, and its exit code.
#[track_caller]
fn refused(made: &Made, recipe: &str) -> (String, u8) {
    let error = made.run(recipe).map(|_| ()).unwrap_err();
    assert!(!made.path("release").exists() && !made.path("release.custodian").exists());
    (error.to_string(), error.exit_code())
}

#[track_caller]
fn data(change: impl Fn(&Made), says: &[&str]) {
    let made = omop(40);
    change(&made);
    let (message, code) = refused(&made, &agreement(3, 1));
    assert_eq!(code, 4, "{message}");
    assert!(says.iter().all(|words| message.contains(words)), "{message}");
    assert!(!message.contains("secret-cell"), "{message}");
}

fn line(made: &Made, table: &str, line: &str) {
    made.change(table, |text| text + line + "\n");
}

#[test]
fn keys() {
    let visit = "VISIT_OCCURRENCE.csv";
    let orphan = |made: &Made| line(made, visit, "5,secret-cell,9201,2014-01-01,2014-01-01,1,");
    data(
        orphan,
        &["table `visit_occurrence`, row ", "column `person_id`", "no row of `person` has this key"],
    );
    let twice = |made: &Made| line(made, "PERSON.csv", &format!("{KEYS},8507,1990,5,17,0,0,,"));
    data(twice, &["table `person`, row 41, column `person_id`", "the key of an earlier row"]);
    let empty = |made: &Made| line(made, "PERSON.csv", ",8507,1990,5,17,0,0,,");
    data(empty, &["table `person`, row 41, column `person_id`", "an empty key"]);
    // Number one's first visit as a row of number two.
    let swapped = |made: &Made| {
        let row = format!("1,{},400000,2014-01-01,,38000175,,{},", KEYS + 3, KEYS + 7);
        line(made, "CONDITION_OCCURRENCE.csv", &row);
    };
    data(swapped, &["table `condition_occurrence`", "column `visit_occurrence_id`", "another person's"]);
    let dangling =
        |made: &Made| line(made, "CONDITION_OCCURRENCE.csv", &format!("1,{KEYS},400000,2014-01-01,,1,,77,"));
    data(
        dangling,
        &["table `condition_occurrence`", "column `visit_occurrence_id`", "no row of `visit_occurrence`"],
    );
}

#[test]
fn codes_that_a_shape_is_about() {
    let without = |made: &Made| {
        made.change("CONDITION_OCCURRENCE.csv", |text| {
            text.replacen("condition_concept_id", "condition_source_concept_id", 1)
        });
    };
    data(
        without,
        &["table `condition_occurrence`: its file has no column `condition_concept_id`", "drop = true"],
    );
}

#[test]
fn cells() {
    let date = |made: &Made| line(made, "VISIT_OCCURRENCE.csv", &format!("5,{KEYS},9201,secret-cell,,1,"));
    data(date, &["column `visit_start_date`", "no day", "YYYY-MM-DD"]);
    let leap = |made: &Made| line(made, "VISIT_OCCURRENCE.csv", &format!("5,{KEYS},9201,2015-02-29,,1,"));
    data(leap, &["column `visit_start_date`", "no day"]);
    let number = |made: &Made| {
        line(made, "MEASUREMENT.csv", &format!("5,{KEYS},3004249,2014-01-01,1,secret-cell,8876,"))
    };
    data(number, &["table `measurement`", "column `value_as_number`", "no number"]);
    let birth = |made: &Made| line(made, "PERSON.csv", "5,8507,secret-cell,5,17,0,0,,");
    data(birth, &["table `person`, row 41, column `year_of_birth`", "not in its hierarchy"]);
    let none = |made: &Made| made.change("PERSON.csv", |text| text.lines().next().unwrap().to_owned() + "\n");
    let made = omop(4);
    none(&made);
    for table in
        ["VISIT_OCCURRENCE.csv", "CONDITION_OCCURRENCE.csv", "MEASUREMENT.csv", "DEATH.csv", "NOTE.csv"]
    {
        made.change(table, |text| text.lines().next().unwrap().to_owned() + "\n");
    }
    let (message, code) = refused(&made, &agreement(3, 1));
    assert!(code == 4 && message.contains("table `person` has no persons"), "{message}");
}

#[test]
fn tables_and_columns() {
    let without = |made: &Made| std::fs::remove_file(made.path("in/PERSON.csv")).unwrap();
    data(without, &["in: no table `person`; expected person.csv with at least one row"]);
    data(
        |made| made.table("SECRETS.csv", "a\n1\n"),
        &["no table of this shape", "[tables.\"secrets\"] drop = true"],
    );
    let unknown =
        |made: &Made| made.change("DEATH.csv", |text| text.replacen("cause_source_value", "diary", 1));
    let made = omop(40);
    unknown(&made);
    let (message, code) = refused(&made, &agreement(3, 1));
    assert_eq!(code, 5, "{message}");
    assert!(message.contains("table `death`: nothing says what becomes of `diary`"), "{message}");
    let made = omop(40);
    made.table("person.csv", "person_id\n1\n");
    if std::fs::read_dir(made.path("in")).unwrap().count() == 8 {
        let (message, _) = refused(&made, &agreement(3, 1));
        assert!(message.contains("a second file of table `person`"), "{message}");
    }
}

#[test]
fn recipes() {
    let made = omop(40);
    let says = |recipe: &str, words: &str| {
        let (message, code) = refused(&made, recipe);
        assert!([3, 5].contains(&code) && message.contains(words), "{message}");
    };
    let good = agreement(3, 1);
    says(&good.replace("\"agreement\"", "\"public\""), "a shift is no anonymity");
    says(&good.replace("window = [\"2010-01-01\", \"2019-12-31\"]\n", ""), "a shift shows at the ends");
    says(&good.replace("2019-12-31", "2010-02-20"), "as long as the window");
    says(&good.replace("2019-12-31", "2009-02-20"), "ends before it begins");
    says(&good.replace("[key]\nfile = \"secret.key\"\n", ""), "needs a secret key");
    says(&good.replace("m = 1", "m = 4"), "1, 2 or 3");
    says(&good.replace("k = 3", "k = 1"), "a whole number from 2");
    says(&good.replace("k = 3", "k = 41"), "persons are left out");
    says(&(good.clone() + "[tables.persn]\ndrop = true\n"), "did you mean `person`");
    says(
        &(good.clone() + "[tables.person.attributes.gendr]\nrole = \"set\"\n"),
        "the file has no such column",
    );
    says(&good.replace("k-km-anonymity", "k-mk-anonymity"), "unknown variant");
    says(
        &good.replace("shape = \"omop\"", "shape = \"fhir\"").replace("{ shift = 30 }", "\"none\""),
        "have days",
    );
}

#[test]
fn orphans_can_be_left_out() {
    let made = omop(60);
    line(&made, "VISIT_OCCURRENCE.csv", "5,12345,9201,2014-01-01,2014-01-01,1,");
    let outcome = made.run(&(agreement(3, 1) + "[tables.visit_occurrence]\norphans = \"drop\"\n")).unwrap();
    assert!(
        outcome.warnings.iter().any(|warning| warning.contains("a row without a parent is left out")),
        "{:?}",
        outcome.warnings
    );
}

#[test]
fn what_would_show_people_is_refused() {
    let made = omop(40);
    let says = |recipe: &str, words: &str| {
        let (message, code) = refused(&made, recipe);
        assert!([4, 5].contains(&code) && message.contains(words), "{message}");
    };
    let good = agreement(3, 1);
    let of = |table: &str, column: &str, role: &str| {
        good.clone() + &format!("[tables.{table}.attributes.{column}]\nrole = \"{role}\"\n")
    };
    says(&of("condition_occurrence", "visit_occurrence_id", "insensitive"), "keys of another table");
    says(&of("condition_occurrence", "condition_start_date", "insensitive"), "it holds days");
    says(&of("measurement", "value_as_number", "code"), "it holds numbers");
    says(&of("condition_occurrence", "condition_source_value", "code"), "a finer twin");
    says(&of("person", "month_of_birth", "date"), "the person's own record");
    says(&of("person", "person_source_value", "insensitive"), "a finer twin");
    let left_out = of("person", "month_of_birth", "insensitive");
    says(&left_out, "the shape leaves it out");
    says(&super::folder::public("\"none\""), "nothing says when the data end");
    says(&(super::folder::public("\"year\"").replace("[persons]", "[persons]\ntop-age = 120")), "90 or less");
    made.run(&(left_out + "identifier-like = \"intended\"\n")).unwrap();
}

#[test]
fn a_window_far_from_the_data_is_warned_of() {
    let made = omop(200);
    let warned = |recipe: &str| {
        let warnings = made.run(recipe).unwrap().warnings;
        warnings
            .iter()
            .any(|warning| warning.contains("so far from") && warning.contains("`visit_occurrence`"))
    };
    let declared = agreement(3, 1).replace("2019-12-31", "2018-12-31");
    assert!(!warned(&declared));
    assert!(warned(&declared.replace("2010-01-01", "1990-01-01")));
}
