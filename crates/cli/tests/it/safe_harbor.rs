//! The preset of HIPAA's Safe Harbor: what it coarsens, what it refuses.

use crate::common::{Folder, column};

fn admissions() -> String {
    let mut text = String::from("mrn,birth,zip,age,sex,diagnosis\n");
    for patient in 0..60 {
        let (year, day) = (1960 + patient % 3, 1 + patient % 28);
        let (zip, age) = (["10001", "10022", "03601"][patient % 3], 93 - patient % 3);
        text += &format!("{},{year}-05-{day:02},{zip},{age},F,I63\n", 100_000 + patient);
    }
    text
}

const RECIPE: &str = r#"preset = "hipaa-safe-harbor"
[input]
path = "admissions.csv"
[attributes.mrn]
role = "identifier"
[attributes.birth]
role = "quasi-identifier"
hierarchy = { date = ["month", "year"], min = "1900-01-01", max = "2024-12-31" }
[attributes.zip]
role = "quasi-identifier"
hierarchy = { us-zip = "zip3.csv" }
[attributes.age]
role = "quasi-identifier"
hierarchy = { age = 90, interval = [5, 10, 30], max = 120 }
[attributes.sex]
role = "insensitive"
[attributes.diagnosis]
role = "sensitive"
[[privacy]]
model = "k-anonymity"
k = 2
[method]
name = "optimal"
[output]
path = "release"
"#;

fn with(recipe: &str) -> Folder {
    let folder = Folder::new();
    folder.write("admissions.csv", admissions());
    folder.write("zip3.csv", "area,people\n100,1500000\n036,15000\n");
    folder.write("recipe.toml", recipe);
    folder
}

#[test]
fn dates_areas_and_ages_are_coarse_enough() {
    let folder = with(RECIPE);
    folder.ok(&["anonymize", "recipe.toml"]);
    folder.ok(&["verify", "release"]);
    let data = folder.read("release/data.csv");
    let distinct = |name: &str| {
        let mut cells = column(&data, name);
        cells.dedup();
        cells
    };
    assert_eq!(distinct("birth"), ["1960", "1961", "1962"]);
    assert_eq!(distinct("zip").len(), 2);
    assert!(distinct("zip").iter().any(|zip| zip.starts_with("000")), "{:?}", distinct("zip"));
    assert_eq!(distinct("age"), [">=90"]);
    let manifest = folder.read("release/release.json");
    folder.write("release/release.json", manifest.replace("\"birth\": 2", "\"birth\": 1"));
    assert_eq!(folder.run(&["verify", "release"]).code, 3);
    // A release of others that claims the preset, with a column that it does not allow.
    let renamed = |text: String| text.replacen("sex", "email", 1);
    folder.write("release/release.json", manifest.replace("\"sex\"", "\"email\""));
    folder.write("release/data.csv", renamed(data));
    let run = folder.run(&["verify", "release"]);
    assert_eq!(run.code, 3);
    assert!(run.out.contains("preset"), "{}", run.out);
}

#[test]
fn what_looks_like_an_identifier_has_to_go() {
    let refused = |from: &str, to: &str, says: &[&str]| {
        assert!(RECIPE.contains(from));
        with(&RECIPE.replace(from, to)).refused(&["anonymize", "recipe.toml"], 5, says);
    };
    let mrn = "[attributes.mrn]\nrole = \"identifier\"";
    refused(mrn, "[attributes.mrn]\nrole = \"insensitive\"", &["`mrn`", "medical record numbers", "drop it"]);
    refused(mrn, "", &["`mrn`", "not named in the recipe"]);
    let birth = "role = \"quasi-identifier\"\nhierarchy = { date = [\"month\", \"year\"], min = \"1900-01-01\", max = \"2024-12-31\" }";
    refused(birth, "role = \"insensitive\"", &["`birth`", "dates", "quasi-identifier"]);
    refused(
        "{ age = 90, interval = [5, 10, 30], max = 120 }",
        "{ interval = [5, 10, 30], min = 0, max = 119 }",
        &["`age`", "top = 90"],
    );
    refused("hierarchy = { us-zip = \"zip3.csv\" }", "", &["`zip`", "us-zip"]);
    refused(
        "name = \"optimal\"",
        "name = \"mondrian\"",
        &["hipaa-safe-harbor", "one level for the whole table"],
    );
    refused("us-zip = \"zip3.csv\"", "us-zip = []", &["`zip`", "zip3.csv"]);
    let ages = "{ age = 90, interval = [5, 10, 30], max = 120 }";
    refused(ages, "{ age = 95, interval = [5], max = 120 }", &["`age`", "top = 90"]);
}

#[test]
fn names_ages_births_and_own_codes_are_looked_at() {
    let sex = "[attributes.sex]\nrole = \"insensitive\"";
    for (column, cell, says) in [
        ("hash", "{i}f3a9c0d1e8b27465aa", "(R)"),
        ("county", "Ada", "geographic"),
        ("admission_month", "{m}", "month"),
        ("age_group", "{m}0-{m}9", "ages"),
        ("birth_year", "193{m}", "top = 90"),
    ] {
        let recipe = RECIPE.replace(sex, &format!("{sex}\n[attributes.{column}]\nrole = \"insensitive\""));
        let folder = with(&recipe);
        let cells = |(i, line): (usize, &str)| {
            let filled = cell.replace("{i}", &i.to_string()).replace("{m}", &(i % 10).to_string());
            format!("{line},{}\n", if i == 0 { column } else { &filled })
        };
        folder.write("admissions.csv", admissions().lines().enumerate().map(cells).collect::<String>());
        folder.refused(&["anonymize", "recipe.toml"], 5, &[&format!("`{column}`"), says]);
    }
}
