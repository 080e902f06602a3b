//! Tables with several records of a person: who is counted, what is asked, what is noted.

use crate::common::Folder;

/// Visits of 200 people, five each, in mixed order; a number of the person headed so.
pub(crate) fn visits(header: &str) -> String {
    let mixed = |n: usize| (n.wrapping_mul(2_654_435_761) >> 7) % 1009;
    let row = |n: usize| {
        let person = n * 37 % 1000 / 5;
        let (sex, year, zip) = (
            ["m", "w"][mixed(person) % 2],
            1930 + mixed(person + 300) % 70,
            10_100 + mixed(person + 600) % 90,
        );
        format!("{},{sex},{year},{zip},Ward {},E{}\n", 70_000 + 7 * person, n % 4, 10 + mixed(n) % 6)
    };
    format!("{header},sex,birth_year,zip,ward,diagnosis\n") + &(0..1000).map(row).collect::<String>()
}

/// Eight rows of a person each are no crowd: k counts people, or somebody has to say whose the rows are.
#[test]
fn repeated_rows_are_counted_by_person() {
    for header in ["patient_id", "k1", "id", "case", "fall", "pseudo"] {
        let folder = Folder::new();
        folder.write("visits.csv", visits(header));
        let run = folder.ok(&["profile", "visits.csv", "--recipe", "recipe.toml"]);
        assert!(run.err.contains("200 people"), "{}", run.err);
        let recipe = folder.read("recipe.toml");
        let said = format!("[attributes.{header}]\nrole = \"person\"");
        assert!(recipe.contains(&said), "{recipe}");
        folder.ok(&["anonymize", "recipe.toml"]);
        assert!(!folder.read("visits-release/data.csv").contains("70007"));
        // Dropped without a word, or released, it is refused; both answers are told, no cell is.
        for role in ["identifier", "insensitive", "quasi-identifier"] {
            folder.write(
                "other.toml",
                recipe.replace(&said, &format!("[attributes.{header}]\nrole = \"{role}\"")),
            );
            let call = ["anonymize", "other.toml", "--overwrite"];
            if role == "identifier" {
                let answers = ["E0517", "role = \"person\"", "rows = \"independent\"", "200 people"];
                let run = folder.refused(&call, 5, &answers);
                assert!(!run.err.contains("70007"), "{}", run.err);
            } else {
                assert_eq!(folder.run(&call).code, 5, "{header} {role}");
            }
        }
    }
}

/// The cap holds for every person, draws are those of the seed, and both pages say so.
#[test]
fn nobody_keeps_more_records_than_the_recipe_says() {
    let folder = Folder::new();
    folder.write("visits.csv", visits("case"));
    folder.ok(&["profile", "visits.csv", "--recipe", "recipe.toml"]);
    let recipe = folder.read("recipe.toml");
    let set = ["--set", "attributes.case.records-per-person=2", "--set", "method.seed=4"];
    let run = |output: &str| {
        folder.ok(&[&["anonymize", "recipe.toml", "--output", output][..], &set].concat());
        folder.read(&format!("{output}/data.csv"))
    };
    let released = run("capped");
    assert_eq!(released, run("again"));
    // 200 people have five records each.
    assert_eq!(released.lines().count(), 1 + 200 * 2);
    let manifest: serde_json::Value = serde_json::from_str(&folder.read("capped/release.json")).unwrap();
    assert_eq!((&manifest["records-per-person"], &manifest["records"]), (&2.into(), &400.into()));
    assert!(folder.read("capped/report.html").contains("At most 2 records, chosen at random."));
    let verified = folder.ok(&["verify", "capped", "--json"]);
    assert!(verified.out.contains("records-per-person"), "{}", verified.out);
    // No cap without a person.
    folder.write(
        "other.toml",
        recipe.replace("role = \"person\"", "role = \"identifier\"\nrows = \"independent\""),
    );
    folder.refused(
        &[&["anonymize", "other.toml"][..], &set].concat(),
        5,
        &["records-per-person", "role = \"person\""],
    );
    let zero = ["--set", "attributes.case.records-per-person=0"];
    assert_eq!(folder.run(&[&["anonymize", "recipe.toml"][..], &zero].concat()).code, 2);
}

#[test]
fn whoever_says_that_rows_are_independent_is_believed() {
    let folder = Folder::new();
    folder.write("visits.csv", visits("case"));
    folder.ok(&["profile", "visits.csv", "--recipe", "recipe.toml"]);
    let recipe = folder.read("recipe.toml");
    let answered = recipe.replace("role = \"person\"", "role = \"identifier\"\nrows = \"independent\"");
    folder.write("recipe.toml", answered);
    folder.ok(&["anonymize", "recipe.toml"]);
    // Columns that the recipe does not name are dropped with as little right.
    let unnamed = recipe.replace("[attributes.case]\nrole = \"person\"", "");
    folder.write("recipe.toml", format!("unnamed = \"drop\"\n{unnamed}"));
    folder.refused(&["anonymize", "recipe.toml", "--overwrite"], 5, &["E0517", "`case`"]);
    folder.write(
        "recipe.toml",
        recipe.replace("role = \"person\"", "role = \"person\"\nrows = \"independent\""),
    );
    folder.refused(&["anonymize", "recipe.toml", "--overwrite"], 5, &["keep one of them"]);
}

#[test]
fn several_numbers_of_people_are_asked_for() {
    let folder = Folder::new();
    let lines = visits("patient_no");
    let mut lines = lines.lines().enumerate();
    let header = lines.next().unwrap().1;
    let rows: String = lines
        .map(|(n, line)| {
            let person = line.split(',').next().unwrap();
            format!("{person}{},{line}\n", n % 2)
        })
        .collect();
    folder.write("visits.csv", format!("case_no,{header}\n{rows}"));
    let run = folder.ok(&["profile", "visits.csv", "--recipe", "recipe.toml"]);
    assert!(run.err.contains("2 columns could number the people"), "{}", run.err);
    folder.refused(&["anonymize", "recipe.toml"], 5, &["E0517", "case_no", "patient_no"]);
    let recipe = folder.read("recipe.toml");
    let answered = recipe.replace(
        "[attributes.patient_no]\nrole = \"identifier\"",
        "[attributes.patient_no]\nrole = \"person\"",
    );
    let method = answered.find("[method]").unwrap();
    folder.write(
        "recipe.toml",
        format!(
            "{}[method]\nname = \"optimal\"\nsuppression-limit = 0.05\n[output]\npath = \"release\"\n",
            &answered[..method]
        ),
    );
    folder.ok(&["anonymize", "recipe.toml"]);
}

/// Surnames, wards, physicians and telephones repeat, too.
#[test]
fn other_numbers_that_repeat_are_dropped_without_a_word() {
    let folder = Folder::new();
    let row = |n: usize| {
        let mixed = |n: usize| (n.wrapping_mul(2_654_435_761) >> 7) % 1009;
        format!(
            "{},Meyer{},{},{},0171 55{:05},{},{},E1{}\n",
            5000 + n,
            mixed(n) % 90,
            100 + mixed(n + 1) % 40,
            n / 25,
            mixed(n) % 600,
            ["m", "w"][mixed(n + 2) % 2],
            20 + mixed(n + 3) % 60,
            n % 5
        )
    };
    let rows: String = (0..800).map(row).collect();
    folder.write(
        "stays.csv",
        format!("Fallnummer,Nachname,Arztnr,Station,Telefon,Geschlecht,Alter,Diagnose\n{rows}"),
    );
    let run = folder.ok(&["profile", "stays.csv", "--recipe", "recipe.toml"]);
    assert!(!run.err.contains("people"), "{}", run.err);
    folder.ok(&["anonymize", "recipe.toml"]);
}

/// Visits without any number, one person's after the other's: nothing is refused, and a note says what it looks like.
#[test]
fn rows_that_stand_together_are_noted() {
    let folder = Folder::new();
    let mixed = |n: usize| (n.wrapping_mul(2_654_435_761) >> 7) % 1009;
    let row = |n: usize| {
        let person = n / 6;
        let (sex, year) = (["m", "w"][mixed(person) % 2], 1930 + mixed(person + 300) % 70);
        format!("{sex},{year},E{}\n", 10 + mixed(n) % 6)
    };
    folder.write("t.csv", "sex,birth_year,diagnosis\n".to_owned() + &(0..1200).map(row).collect::<String>());
    let note = "neighbouring pairs of records agree in all quasi-identifiers";
    let run = folder.ok(&["profile", "t.csv", "--recipe", "recipe.toml"]);
    assert!(run.out.contains(note) || run.err.contains(note), "{}{}", run.out, run.err);
    let run = folder.ok(&["anonymize", "recipe.toml"]);
    assert!(run.err.contains(note), "{}", run.err);
    // In another order nothing is said.
    let rows: String = (0..1200).map(|n| row(n * 701 % 1200)).collect();
    folder.write("t.csv", "sex,birth_year,diagnosis\n".to_owned() + &rows);
    assert!(!folder.ok(&["anonymize", "recipe.toml", "--overwrite"]).err.contains(note));
}
