//! The baselines of Lee and Chung 2020, DiffGen and DSAT, from the recipe to the checked release; and IPA as published with
//! several informative attributes.

use std::collections::BTreeMap;

use crate::common::{Folder, column, rows, written};
use serde_json::{Value, json};

const RUN: [&str; 3] = ["anonymize", "recipe.toml", "--overwrite"];

/// Patients of 20 to 59 years: those below 40 have A, the others B or C by their sex. The years have 400 each; in 2023 all have D.
fn patients() -> String {
    let mut text = String::from("age,sex,year,disease,drug\n");
    for i in 0..2000u32 {
        let (age, sex, year) = (20 + i * 7 % 40, ["f", "m"][(i / 4) as usize % 2], 2020 + i / 400);
        let disease = match (year, age, sex) {
            (2023, ..) => "D",
            (_, 0..40, _) => "A",
            (_, _, "f") => "B",
            _ => "C",
        };
        let drug = if disease == "A" { "x" } else { "y" };
        text += &format!("{age},{sex},{year},{disease},{drug}\n");
    }
    text
}

fn recipe(roles: &str, privacy: &str, method: &str) -> String {
    format!(
        r#"[input]
path = "patients.csv"
[attributes.age]
role = "quasi-identifier"
hierarchy = {{ interval = [5, 10, 20], min = 0, max = 99 }}
[attributes.sex]
role = "quasi-identifier"
hierarchy = {{ rows = [["f", "*"], ["m", "*"]] }}
[attributes.disease]
role = "sensitive"
domain = ["A", "B", "C", "D"]
{roles}{privacy}[method]
{method}
seed = 4
[output]
path = "release"
"#
    )
}

fn folder(roles: &str, privacy: &str, method: &str) -> Folder {
    let folder = Folder::new();
    folder.write("patients.csv", patients());
    folder.write("recipe.toml", recipe(roles, privacy, method));
    folder
}

const PRIVACY: &str = "[[privacy]]\nmodel = \"differential-privacy\"\nepsilon = 2\n";
const NO_YEAR: &str = "[attributes.year]\nrole = \"identifier\"\n[attributes.drug]\nrole = \"identifier\"\n";
const YEARS: &str = "[attributes.drug]\nrole = \"identifier\"\n[attributes.year]\nrole = \"quasi-identifier\"\n\
                     hierarchy = { interval = [5], min = 2020, max = 2024 }\nlevel = 0\n";

fn forged(folder: &Folder, change: impl Fn(&mut Value)) -> i32 {
    let text = folder.read("release/release.json");
    let mut manifest: Value = serde_json::from_str(&text).unwrap();
    change(&mut manifest);
    folder.write("release/release.json", written(&manifest));
    let run = folder.run(&["verify", "release"]);
    folder.write("release/release.json", text);
    run.code
}

#[test]
fn diffgen_specializes_where_the_class_differs() {
    let folder = folder(NO_YEAR, PRIVACY, "name = \"diffgen\"\nspecializations = 3");
    folder.ok(&RUN);
    folder.ok(&["verify", "release"]);
    let manifest = folder.json("release/release.json");
    let method = &manifest["method"];
    let spent = json!([
        { "step": "choices", "epsilon": "1", "delta": "0" },
        { "step": "cells", "epsilon": "1", "delta": "0" },
    ]);
    assert_eq!((&method["spent"], &manifest["truthful"]), (&spent, &json!(false)));
    assert_eq!(
        (&manifest["attributes"]["age"]["recoding"], &manifest["node"]),
        (&json!("nodes"), &Value::Null)
    );
    // The first choice parts the ages, which tell A from the others.
    let cut: Vec<&str> =
        method["cuts"]["age"].as_array().unwrap().iter().map(|v| v.as_str().unwrap()).collect();
    assert!(cut.contains(&"[80-99]") && cut.len() > 3, "{cut:?}");
    let shown: std::collections::BTreeSet<String> =
        column(&folder.read("release/data.csv"), "age").into_iter().collect();
    assert!(shown.iter().all(|label| cut.contains(&label.as_str())), "{shown:?}");
    let cells = cut.len() * method["cuts"]["sex"].as_array().unwrap().len() * 4;
    assert_eq!(method["cells"], cells.to_string());
    assert_eq!(forged(&folder, |_| ()), 0);
    for change in [
        |manifest: &mut Value| drop(manifest["method"]["cuts"]["age"].as_array_mut().unwrap().pop()),
        |manifest: &mut Value| manifest["method"]["cuts"]["age"].as_array_mut().unwrap().push(json!("*")),
        |manifest: &mut Value| manifest["method"]["cuts"]["drug"] = json!(["x"]),
        |manifest: &mut Value| drop(manifest["method"].as_object_mut().unwrap().remove("cuts")),
        |manifest: &mut Value| manifest["method"]["spent"][0]["step"] = json!("search"),
        |manifest: &mut Value| manifest["method"]["cells"] = json!("7"),
    ] {
        assert_eq!(forged(&folder, change), 3);
    }
}

#[test]
fn diffgen_keeps_to_the_levels_of_the_recipe() {
    let leveled =
        recipe(NO_YEAR, PRIVACY, "name = \"diffgen\"\nspecializations = 50\nutility = \"information-gain\"")
            .replace("max = 99 }", "max = 99 }\nmin-level = 2\nmax-level = 3");
    let folder = Folder::new();
    folder.write("patients.csv", patients());
    folder.write("recipe.toml", leveled);
    folder.ok(&RUN);
    folder.ok(&["verify", "release"]);
    let manifest = folder.json("release/release.json");
    // Twenties and tens of years are all there is between the levels: 5 and then 10 choices, and the two sexes.
    assert_eq!(manifest["method"]["cuts"]["age"].as_array().unwrap().len(), 10);
    assert_eq!(manifest["method"]["cuts"]["sex"], json!(["f", "m"]));
}

#[test]
fn diffgen_needs_a_class() {
    let folder = folder(NO_YEAR, PRIVACY, "name = \"diffgen\"");
    let text = folder.read("recipe.toml");
    let none =
        text.replace("role = \"sensitive\"\ndomain = [\"A\", \"B\", \"C\", \"D\"]", "role = \"identifier\"");
    folder.write("recipe.toml", none);
    folder.refused(&RUN, 5, &["diffgen", "sensitive"]);
    folder
        .write("recipe.toml", text.replace("name = \"diffgen\"", "name = \"diffgen\"\nspecializations = 0"));
    folder.refused(&RUN, 5, &["specializations"]);
}

/// The records of each year by age, sex and disease.
fn by_year(folder: &Folder) -> BTreeMap<String, BTreeMap<String, u64>> {
    let data = folder.read("release/data.csv");
    let mut years: BTreeMap<String, BTreeMap<String, u64>> = BTreeMap::new();
    let all = rows(&data);
    let year = all[0].iter().position(|name| name == "year").unwrap();
    for row in &all[1..] {
        let mut rest = row.clone();
        let of = rest.remove(year);
        rest.remove(0);
        *years.entry(of).or_default().entry(rest.join(",")).or_default() += 1;
    }
    years
}

#[test]
fn dsat_draws_a_histogram_where_the_records_change() {
    let levels = recipe(
        YEARS,
        &PRIVACY.replace("epsilon = 2", "epsilon = 8"),
        "name = \"dsat\"\ntime = \"year\"\nmost-histograms = 3\nadaptation = 0\nthreshold = 100",
    )
    .replace("max = 99 }", "max = 99 }\nlevel = 3");
    let folder = Folder::new();
    folder.write("patients.csv", patients());
    folder.write("recipe.toml", levels);
    folder.ok(&RUN);
    folder.ok(&["verify", "release"]);
    let method = folder.json("release/release.json")["method"].clone();
    let stands: Vec<&str> =
        method["histograms"].as_array().unwrap().iter().map(|pair| pair[1].as_str().unwrap()).collect();
    // Of 400 records each the years are alike, but for 2023 and the one after it.
    assert_eq!(stands, ["2020", "2020", "2020", "2023", "2024"]);
    let years = by_year(&folder);
    assert!(years["2020"] == years["2022"] && years["2022"] != years["2023"]);
    let spent = json!([
        { "step": "distances", "epsilon": "8/5", "delta": "0" },
        { "step": "cells", "epsilon": "32/5", "delta": "0" },
    ]);
    assert_eq!(method["spent"], spent);
    assert_eq!(forged(&folder, |_| ()), 0);
    for change in [
        |manifest: &mut Value| manifest["method"]["histograms"][1][1] = json!("2021"),
        |manifest: &mut Value| manifest["method"]["histograms"][4][1] = json!("2023"),
        |manifest: &mut Value| drop(manifest["method"]["histograms"].as_array_mut().unwrap().pop()),
        |manifest: &mut Value| manifest["method"]["most-histograms"] = json!(2),
        |manifest: &mut Value| manifest["method"]["time"] = json!("age"),
        |manifest: &mut Value| drop(manifest["method"].as_object_mut().unwrap().remove("histograms")),
    ] {
        assert_eq!(forged(&folder, change), 3);
    }
}

#[test]
fn dsat_needs_times() {
    for (key, says) in
        [("", "time"), ("time = \"disease\"", "time"), ("time = \"year\"\nmost-histograms = 0", "most")]
    {
        let folder = folder(YEARS, PRIVACY, &format!("name = \"dsat\"\n{key}"));
        folder.refused(&RUN, 5, &[says]);
    }
    let delta = PRIVACY.replace("epsilon = 2", "epsilon = 2\ndelta = 1e-5");
    let folder = folder(YEARS, &delta, "name = \"dsat\"\ntime = \"year\"");
    folder.refused(&RUN, 5, &["threshold"]);
}

/// A counterfeit has a combination of values that some record has; drugs follow from diseases.
#[test]
fn ipa_as_published_keeps_several_informative_attributes() {
    let drug = "[attributes.year]\nrole = \"identifier\"\n[attributes.drug]\nrole = \"sensitive\"\n";
    let folder = folder(drug, "", "name = \"ipa\"\nguarantee = \"published\"");
    folder.ok(&RUN);
    folder.ok(&["verify", "release"]);
    let data = folder.read("release/data.csv");
    let names = rows(&data)[0].clone();
    assert_eq!(names, ["ClassID", "age", "sex", "disease", "drug"]);
    let records = rows(&data).split_off(1);
    assert!(records.iter().all(|row| (row[3] == "A") == (row[4] == "x")));
    let known = folder.json("release.custodian/custodian.json");
    let counterfeits = known["search"]["counterfeits"].as_u64().unwrap();
    assert_eq!(records.len() as u64, 2000 + counterfeits);
    let placed = folder.read("release.custodian/counterfeits.csv");
    assert!(counterfeits == 0 || placed.contains(" × "), "{placed}");
}

/// Each attribute by itself: counterfeits can have a combination that nobody has, and the claim is refuted as that of the joint reading.
#[test]
fn ipa_as_published_draws_the_values_of_each_informative_attribute_by_itself() {
    let drug = "[attributes.year]\nrole = \"identifier\"\n[attributes.drug]\nrole = \"sensitive\"\n";
    let method = "name = \"ipa\"\nguarantee = \"published\"\ninformative = \"each\"\n\
                  attribute-shares = { disease = 0.6, drug = 0.4 }\nepsilon-insertion = 0.01";
    let folder = folder(drug, "", method);
    folder.ok(&RUN);
    folder.ok(&["verify", "release"]);
    let stated = folder.json("release/release.json")["method"].clone();
    assert_eq!(
        (&stated["informative"], &stated["attribute-shares"]),
        (&json!("each"), &json!({ "disease": 0.6, "drug": 0.4 }))
    );
    let data = folder.read("release/data.csv");
    let records = rows(&data).split_off(1);
    let known = folder.json("release.custodian/custodian.json");
    let counterfeits = known["search"]["counterfeits"].as_u64().unwrap();
    assert_eq!(records.len() as u64, 2000 + counterfeits);
    let foreign = records.iter().filter(|row| (row[3] == "A") != (row[4] == "x")).count() as u64;
    assert!(foreign > 0 && foreign <= counterfeits, "{foreign} of {counterfeits}");
    assert_eq!(forged(&folder, |manifest| manifest["method"]["informative"] = json!("both")), 3);
    let found =
        folder.run(&["audit", "recipe.toml", "--trials", "40", "--ordinary", "--seed", "1", "--json"]);
    let found: Value = serde_json::from_str(&found.out).unwrap();
    assert_eq!((&found["verdict"]["says"], &found["claimed"]["epsilon"]), (&json!("refuted"), &json!(0.71)));
}
