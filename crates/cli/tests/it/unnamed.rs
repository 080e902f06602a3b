//! Nothing is released that was not meant: columns without a role, and columns that look like identifiers.

use crate::common::{CANARY, Folder, OPTIMAL, patients, recipe};

const RUN: [&str; 3] = ["anonymize", "recipe.toml", "--overwrite"];

/// Patients with further columns: a text that every record has for itself, and a ward.
fn wide(column: &str, cell: impl Fn(usize) -> String) -> String {
    let mut lines = patients().lines().map(str::to_owned).collect::<Vec<_>>();
    lines[0] += &format!(",{column},ward");
    for (number, line) in lines.iter_mut().enumerate().skip(1) {
        *line += &format!(",{},{}", cell(number), ["A", "B"][number % 2]);
    }
    lines.join("\n") + "\n"
}

fn names(number: usize) -> String {
    format!("{CANARY} {number}")
}

fn phones(number: usize) -> String {
    format!("(212) 555-{number:04}")
}

/// The recipe with roles for both further columns.
fn with_roles(column: &str, section: &str) -> String {
    format!(
        "{}[attributes.{column}]\n{section}\n[attributes.ward]\nrole = \"insensitive\"\n",
        recipe(OPTIMAL)
    )
}

#[test]
fn columns_that_the_recipe_does_not_name_are_refused_with_the_lines_that_name_them() {
    let folder = Folder::with(OPTIMAL);
    folder.write("patients.csv", wide("full name", names));
    let says = ["2 columns", "`full name`, `ward`", "unnamed = \"drop\"", "unnamed = \"insensitive\""];
    let run = folder.refused(&RUN, 5, &says);
    folder.refused(&["estimate", "recipe.toml"], 5, &says);
    let start = run.err.find("[attributes").unwrap();
    let lines = &run.err[start..run.err.find("\nOr write").unwrap()];
    folder.write("recipe.toml", recipe(OPTIMAL) + lines);
    folder.ok(&RUN);
    assert!(folder.read("release/data.csv").starts_with("ClassID,age,sex,diagnosis\n"));
}

#[test]
fn what_becomes_of_unnamed_columns_can_be_said() {
    let folder = Folder::with(OPTIMAL);
    folder.write("patients.csv", wide("code", |number| (number % 7).to_string()));
    folder.write("recipe.toml", "unnamed = \"drop\"\n".to_owned() + &recipe(OPTIMAL));
    let run = folder.ok(&RUN);
    assert!(run.err.contains("`code` is not named in the recipe: dropped"), "{}", run.err);
    assert!(folder.read("release/data.csv").starts_with("ClassID,age,sex,diagnosis\n"));
    folder.ok(&["verify", "release"]);
    folder.write("recipe.toml", "unnamed = \"insensitive\"\n".to_owned() + &recipe(OPTIMAL));
    let run = folder.ok(&RUN);
    assert!(run.err.contains("`ward` is not named in the recipe: released unchanged"), "{}", run.err);
    assert!(folder.read("release/data.csv").starts_with("ClassID,age,sex,diagnosis,code,ward\n"));
    folder.write("recipe.toml", "unnamed = \"keep\"\n".to_owned() + &recipe(OPTIMAL));
    folder.refused(&RUN, 5, &["line 1", "drop", "insensitive"]);
}

#[test]
fn what_looks_like_contacts_numbers_or_names_is_released_only_if_it_is_meant() {
    let folder = Folder::new();
    type Case = (&'static str, fn(usize) -> String, &'static str);
    let cases: [Case; 5] = [
        ("contact", phones, "telephone numbers"),
        ("surname", names, "names"),
        ("patient_id", |n| format!("P{n:04}"), "medical record numbers"),
        ("note", |n| format!("write to jane{n}@example.org soon"), "e-mail addresses"),
        ("home_address", |n| format!("{n} Main Street"), "geographic"),
    ];
    for (column, cell, kind) in cases {
        folder.write("patients.csv", wide(column, cell));
        for role in ["insensitive", "sensitive", "quasi-identifier"] {
            folder.write("recipe.toml", with_roles(column, &format!("role = \"{role}\"")));
            let says = [
                &format!("attribute `{column}`")[..],
                kind,
                "\"identifier\"",
                "identifier-like = \"intended\"",
            ];
            folder.refused(&RUN, 5, &says);
        }
        folder.write(
            "recipe.toml",
            with_roles(column, "role = \"insensitive\"\nidentifier-like = \"intended\""),
        );
        folder.ok(&RUN);
        folder.ok(&["verify", "release"]);
        std::fs::remove_dir_all(folder.path("release")).unwrap();
        std::fs::remove_dir_all(folder.path("release.custodian")).unwrap();
    }
    folder.write("patients.csv", wide("contact", phones));
    folder.write("recipe.toml", "unnamed = \"insensitive\"\n".to_owned() + &recipe(OPTIMAL));
    folder.refused(&RUN, 5, &["attribute `contact`", "telephone numbers"]);
}

#[test]
fn what_is_generalized_or_merely_unique_is_released() {
    let folder = Folder::new();
    folder.write("patients.csv", wide("patient_id", |number| format!("{number:06}")));
    let masked = "role = \"quasi-identifier\"\nhierarchy = { mask = \"right\", length = 6 }\nmin-level = 3";
    folder.write("recipe.toml", with_roles("patient_id", masked));
    folder.ok(&RUN);
    // Dates, ages, areas and counters are for the person to judge.
    for (column, cell) in [
        ("date", (|n| format!("2024-03-{:02}", n % 28 + 1)) as fn(usize) -> String),
        ("age_at_death", |n| n.to_string()),
        ("zip", |n| format!("{:05}", 10_000 + n)),
        ("counter", |n| n.to_string()),
    ] {
        folder.write("patients.csv", wide(column, cell));
        folder.write("recipe.toml", with_roles(column, "role = \"insensitive\""));
        folder.ok(&RUN);
    }
}

/// A patient's remark: one of few, and one telephone number among them.
fn remark(number: usize) -> String {
    match number {
        7 => "Sturz; Tochter Tel. 0171 5554433".into(),
        _ => ["keine Auffälligkeiten", "Sturz", "Kontrolle"][number % 3].into(),
    }
}

#[test]
fn one_identifier_within_a_text_is_enough_whatever_the_role() {
    let folder = Folder::new();
    folder.write("patients.csv", wide("x7", remark));
    for role in ["insensitive", "sensitive", "quasi-identifier"] {
        folder.write("recipe.toml", with_roles("x7", &format!("role = \"{role}\"")));
        let run = folder.refused(&RUN, 5, &["`x7`", "1 of 4 different values", "telephone numbers"]);
        assert!(!run.err.contains("0171") && !run.err.contains("Tochter"), "{}", run.err);
    }
    folder.write("recipe.toml", with_roles("x7", "role = \"insensitive\"\nidentifier-like = \"intended\""));
    folder.ok(&RUN);
}

#[test]
fn two_columns_of_coordinates_are_refused_and_one_is_not() {
    let folder = Folder::new();
    let lines: Vec<String> = patients()
        .lines()
        .enumerate()
        .map(|(n, line)| match n {
            0 => format!("{line},lat,lon"),
            _ => format!("{line},52.5{n:04},13.4{n:04}"),
        })
        .collect();
    folder.write("patients.csv", lines.join("\n") + "\n");
    let with = |lat: &str, lon: &str| {
        format!("{}[attributes.lat]\nrole = \"{lat}\"\n[attributes.lon]\nrole = \"{lon}\"\n", recipe(OPTIMAL))
    };
    folder.write("recipe.toml", with("sensitive", "insensitive"));
    let run = folder.refused(&RUN, 5, &["`lat` and `lon`", "coordinates", "four decimals"]);
    assert!(!run.err.contains("52.5") && !run.err.contains("13.4"), "{}", run.err);
    folder.write("recipe.toml", with("identifier", "insensitive"));
    folder.ok(&RUN);
}

#[test]
fn sensitive_columns_that_tell_records_apart_are_named() {
    let folder = Folder::new();
    folder.write("patients.csv", wide("x7", |number| format!("{}.{number:03}", number % 7)));
    folder.write("recipe.toml", with_roles("x7", "role = \"sensitive\""));
    let run = folder.ok(&RUN);
    assert!(run.err.contains("nearly every record has a value of its own in `x7`"), "{}", run.err);
    assert!(folder.read("release/report.html").contains("The sensitive column x7 is released as it is"));
}

/// Whatever a column is called, or with no name at all: what is released although nobody named it shows nobody's birth and nobody's own
/// text.
#[test]
fn births_and_texts_of_one_person_are_released_only_if_they_are_named() {
    let birth =
        |number: usize| format!("{}-{:02}-{:02}", 1930 + number * 7 % 70, 1 + number % 12, 1 + number % 28);
    let stay = |number: usize| format!("2024-{:02}-{:02}", 1 + number % 12, 1 + number % 28);
    let remark = |number: usize| format!("came by bus {number} and left");
    let folder = Folder::new();
    let all = "unnamed = \"insensitive\"\n".to_owned() + &recipe(OPTIMAL);
    for (column, cell, what) in [
        ("dob2", birth as fn(usize) -> String, "dates of birth"),
        ("x1", birth, "dates of birth"),
        ("name1", remark, "name1"),
    ] {
        folder.write("patients.csv", wide(column, cell));
        folder.write("recipe.toml", &all);
        let run = folder.refused(&RUN, 5, &["E0515", column, what]);
        assert!(!run.err.contains(&cell(3)), "{}", run.err);
        // Who names it may.
        let section = "role = \"insensitive\"\nidentifier-like = \"intended\"";
        folder.write("recipe.toml", with_roles(column, section));
        folder.ok(&RUN);
    }
    folder.write("patients.csv", wide("x2", remark));
    folder.write("recipe.toml", &all);
    folder.refused(&RUN, 5, &["`x2`", "nearly every record has its own"]);
    folder.write("patients.csv", wide("x3", stay));
    folder.ok(&RUN);
}

/// Without a header and without a sex, days of birth say whose the records of a number are, wherever they go.
#[test]
fn births_tell_people_apart_in_a_table_without_names() {
    let folder = Folder::new();
    let row = |n: usize| {
        let person = n * 37 % 400 / 2;
        let year = 1930 + person * 31 % 70;
        format!(
            "{},{year}-{:02}-{:02},w{},C{}\n",
            70_000 + person,
            1 + person % 12,
            1 + person % 28,
            n % 3,
            n % 4
        )
    };
    folder.write("stays.csv", (0..400).map(row).collect::<String>());
    let found = folder.ok(&["profile", "stays.csv", "--no-header"]);
    assert!(
        found.out.contains("counts people") || found.err.contains("several records of a person"),
        "{}",
        found.out
    );
    for birth in ["identifier", "quasi-identifier"] {
        folder.write(
            "recipe.toml",
            format!(
                "unnamed = \"drop\"\n[input]\npath = \"stays.csv\"\nheader = false\n[attributes.2]\nrole = \"{birth}\"\n\
                 [attributes.3]\nrole = \"quasi-identifier\"\n[attributes.4]\nrole = \"sensitive\"\n\
                 [[privacy]]\nmodel = \"k-anonymity\"\nk = 5\n[output]\npath = \"release\"\n"
            ),
        );
        folder.refused(&RUN, 5, &["E0517", "200 people", "role = \"person\""]);
    }
}
