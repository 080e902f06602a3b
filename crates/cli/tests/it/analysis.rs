//! `compare --analysis` and `advise` as a process: what is printed, written and refused.

use serde_json::Value;

use crate::common::Folder;

/// 300 patients of whole-number rules.
fn folder() -> Folder {
    let folder = Folder::new();
    let mut text = String::from("age,sex,stay,died\n");
    for i in 0..300u32 {
        let (age, sex) = (20 + i * i * 7 % 61, ["F", "M"][(i % 3 / 2) as usize]);
        let (stay, died) = (1 + age / 10 + i * 5 % 7, ["no", "yes"][usize::from(i * 11 % 100 < age)]);
        text += &format!("{age},{sex},{stay},{died}\n");
    }
    folder.write("patients.csv", text);
    folder.write(
        "recipe.toml",
        "[input]\npath = \"patients.csv\"\n[attributes.age]\nrole = \"quasi-identifier\"\nhierarchy = { interval = [5, 10, \
         20], min = 0, max = 99 }\n[attributes.sex]\nrole = \"quasi-identifier\"\n[attributes.stay]\nrole = \
         \"insensitive\"\n[attributes.died]\nrole = \"sensitive\"\n[[privacy]]\nmodel = \"k-anonymity\"\nk = 5\n[method]\nseed \
         = 1\nname = \"optimal\"\n[output]\npath = \"release\"\n",
    );
    folder
}

#[test]
fn analyses_are_printed_and_written_beside_a_release_only() {
    let folder = folder();
    folder.ok(&["anonymize", "recipe.toml", "--quiet"]);
    let asked =
        ["compare", "patients.csv", "release", "--analysis", "stay ~ age + sex", "--analysis", "died ~ age"];
    let text = folder.ok(&asked).out;
    for part in
        ["Linear regression", "Logistic regression", "mean overlap", "how the release was read", "age"]
    {
        assert!(text.contains(part), "{part} is not in {text}");
    }
    assert!(!text.contains("Cram"), "only the analyses are made");
    let json: Value = serde_json::from_str(&folder.ok(&[&asked[..], &["--json"]].concat()).out).unwrap();
    let analyses = &json["analyses"];
    assert_eq!(analyses["estimates"], 5);
    let overlap = analyses["mean-overlap"].as_f64().unwrap();
    assert!(overlap > 0.5 && overlap <= 1.0, "{overlap}");
    folder.ok(&[&asked[..], &["--html", "analyses.html"]].concat());
    assert!(folder.read("analyses.html").contains("CONFIDENTIAL"));
    folder.refused(&[&asked[..], &["--html", "release/analyses.html"]].concat(), 2, &["inside the release"]);
    let original = folder.read("patients.csv");
    folder.refused(&[&asked[..], &["--html", "patients.csv"]].concat(), 2, &["a name that ends with .html"]);
    assert_eq!(folder.read("patients.csv"), original);
    folder.write("own.html", "analysis");
    let own = ["compare", "patients.csv", "release", "--analysis", "own.html", "--html", "own.html"];
    folder.refused(&own, 2, &["the file of analyses"]);
    folder.refused(&["compare", "patients.csv", "release", "--html", "a.html"], 2, &["--analysis or --by"]);
    // An intercept has a value, and is no effect: three slopes of five estimates.
    assert_eq!(analyses["effects"], 3);
    let refused = |formula: &str, says: &[&str]| {
        folder.refused(&["compare", "patients.csv", "release", "--analysis", formula], 2, says);
    };
    refused("stay ~ age * sex", &["column 12"]);
    refused("stay ~ aeg", &["attribute `aeg`", "did you mean `age`?"]);
    let one = "[[analysis]]\nkind = \"difference\"\nformula = \"stay ~ one\"\n";
    folder.write("one.toml", one);
    let table = folder.read("patients.csv").lines().map(|line| format!("{line},1\n")).collect::<String>();
    folder.write("patients.csv", table.replacen(",1\n", ",one\n", 1));
    let more = folder.read("recipe.toml") + "[attributes.one]\nrole = \"insensitive\"\n";
    folder.write("recipe.toml", more);
    folder.ok(&["anonymize", "recipe.toml", "--quiet", "--overwrite"]);
    refused("one.toml", &["one group", "two groups or more"]);
}

#[test]
fn advice_can_be_followed_word_by_word() {
    let folder = folder();
    let advice = folder.ok(&["advise", "recipe.toml", "--within", "300", "--json"]).out;
    let advice: Value = serde_json::from_str(&advice).unwrap();
    let losses: Vec<f64> =
        advice["changes"].as_array().unwrap().iter().map(|change| change["loss"].as_f64().unwrap()).collect();
    assert!(losses.len() > 5 && losses.is_sorted(), "{losses:?}");
    assert_eq!(advice["not-tried"], Value::Array(Vec::new()));
    assert!(!folder.entries().contains(&"release".to_owned()), "nothing is released");
    // The first one that drops no column: the run itself reports the same loss.
    let change = advice["changes"].as_array().unwrap().iter().find(|change| {
        change["set"].as_array().unwrap().iter().all(|set| !set.as_str().unwrap().contains("identifier"))
    });
    let change = change.unwrap();
    let set = change["set"][0].as_str().unwrap();
    folder.ok(&["anonymize", "recipe.toml", "--quiet", "--set", set]);
    let found: Value = serde_json::from_str(
        &folder.ok(&["compare", "patients.csv", "release", "--only", "metrics", "--json"]).out,
    )
    .unwrap();
    let loss = found["utility"]["loss"]["value"].as_f64().unwrap();
    assert!((loss - change["loss"].as_f64().unwrap()).abs() < 1e-9, "{loss} {change}");
    // A column with a bound of its own can be left out as well.
    let bounded =
        folder.ok(&["advise", "recipe.toml", "--within", "300", "--set", "attributes.age.top=80", "--json"]);
    assert!(bounded.out.contains("without column `age`"), "{}", bounded.out);
    let text = folder.ok(&["advise", "recipe.toml"]).out;
    assert!(text.contains("the recipe as it is") && text.contains("--set"), "{text}");
    folder.refused(&["advise", "recipe.toml", "--within", "0"], 2, &["--within 0", "above 0"]);
}

/// The risk is of people, and that which `risk` finds in the release.
#[test]
fn advice_counts_people_where_they_have_several_records() {
    let folder = Folder::new();
    let stay = |stay: u32| {
        let person = stay % 60;
        format!("{person},{},{},{}\n", 20 + person % 30, ["F", "M"][(person % 2) as usize], stay % 4)
    };
    folder.write("table.csv", "id,age,sex,ward\n".to_owned() + &(0..180).map(stay).collect::<String>());
    let recipe = r#"
[input]
path = "table.csv"
[attributes.id]
role = "person"
[attributes.age]
role = "quasi-identifier"
hierarchy = { interval = [5, 10, 30], min = 0, max = 89 }
[attributes.sex]
role = "quasi-identifier"
[attributes.ward]
role = "sensitive"
[[privacy]]
model = "k-anonymity"
k = 4
[method]
name = "optimal"
[output]
path = "release"
"#;
    folder.write("recipe.toml", recipe);
    let advice = folder.ok(&["advise", "recipe.toml", "--within", "300", "--json"]).out;
    let advice: Value = serde_json::from_str(&advice).unwrap();
    folder.ok(&["anonymize", "recipe.toml", "--quiet"]);
    let run = folder.ok(&["verify", "release", "--json"]).out;
    let findings: Value = serde_json::from_str(&run).unwrap();
    let k = findings.as_array().unwrap().iter().find(|one| one["promise"] == "k-anonymity").unwrap();
    let people = k["of-people"]["k"].as_f64().unwrap_or_else(|| panic!("{k}"));
    assert!(people >= 4.0 && people < k["reached"]["k"].as_f64().unwrap(), "{k}");
    assert_eq!(advice["now"]["highest-risk"].as_f64(), Some(1.0 / people), "{}", advice["now"]);
    assert!(advice["changes"].as_array().unwrap().len() > 5);
}
