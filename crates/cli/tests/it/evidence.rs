//! `evidence`: forms are filled from checks alone, and each figure's command shows it again.

use std::collections::BTreeMap;
use std::process::Command;

use serde_json::Value;

use crate::common::{Folder, H_CEILING, OPTIMAL, left_out, patients, private_recipe, program};

const FORMS: [&str; 9] = [
    "ema-0070",
    "health-canada",
    "iso-27559",
    "wp29",
    "ico",
    "hipaa-expert",
    "dp-registry",
    "data-card",
    "attestation",
];

/// A release of `patients.csv` with its custodian's folder.
fn released(method: &str) -> Folder {
    let folder = Folder::with(method);
    folder.ok(&["anonymize", "recipe.toml"]);
    folder
}

/// Invented records with differential privacy.
fn invented() -> Folder {
    let folder = Folder::new();
    folder.write("patients.csv", patients());
    let recipe = private_recipe("interval = [50]", "delta = 1e-6\n[method]\nname = \"mst\"");
    let recipe = recipe.replace("role = \"sensitive\"", "role = \"quasi-identifier\"");
    folder.write("recipe.toml", recipe + "path = \"release\"\n");
    folder.ok(&["anonymize", "recipe.toml", "--seed", "7"]);
    folder
}

fn filled(folder: &Folder, form: &str, more: &[&str]) -> Value {
    let run = folder.ok(&[&["evidence", "release", "--for", form, "--json"], more].concat());
    serde_json::from_str(&run.out).unwrap()
}

fn items(evidence: &Value) -> impl Iterator<Item = &Value> {
    let sections = evidence["sections"].as_array().unwrap().iter();
    sections.flat_map(|section| section["items"].as_array().unwrap())
}

fn item<'a>(evidence: &'a Value, id: &str) -> &'a Value {
    items(evidence).find(|item| item["id"] == id).unwrap()
}

fn has_jq() -> bool {
    Command::new("jq").arg("--version").output().is_ok_and(|run| run.status.success())
}

/// The commands of all figures of all forms, with what they must show.
fn commands(folder: &Folder, more: &[&str]) -> BTreeMap<String, Value> {
    let mut commands = BTreeMap::new();
    for form in FORMS {
        let run = folder.run(&[&["evidence", "release", "--for", form, "--json"], more].concat());
        // The registry is for differential privacy alone.
        if form == "dp-registry" && run.code == 2 {
            continue;
        }
        assert_eq!(run.code, 0, "{form}: {}", run.err);
        let evidence: Value = serde_json::from_str(&run.out).unwrap();
        for figure in items(&evidence).flat_map(|item| item["figures"].as_array().unwrap()) {
            commands.insert(figure["command"].as_str().unwrap().to_owned(), figure["value"].clone());
        }
    }
    commands
}

/// Equal as JSON, except for the last binary digit of a fraction, in which programs read the same text differently.
fn same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => {
            let (one, other) = (one.as_f64().unwrap(), other.as_f64().unwrap());
            (one - other).abs() <= f64::EPSILON * one.abs()
        }
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| same(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            one.len() == other.len()
                && one.iter().all(|(key, one)| other.get(key).is_some_and(|other| same(one, other)))
        }
        _ => one == other,
    }
}

fn commands_show_figures(folder: &Folder) {
    if !has_jq() {
        return left_out("jq");
    }
    let commands = commands(folder, &["--custodian", "release.custodian"]);
    assert!(commands.len() > 25, "{} commands", commands.len());
    let path = format!("{}:{}", program().parent().unwrap().display(), std::env::var("PATH").unwrap());
    for (command, value) in commands {
        let mut shell = Command::new("sh");
        shell.args(["-c", &command]).env("PATH", &path).current_dir(folder.root());
        let run = shell.output().unwrap();
        let shown: Value = serde_json::from_slice(&run.stdout)
            .unwrap_or_else(|error| panic!("{command}: {error}: {}", String::from_utf8_lossy(&run.stderr)));
        assert!(same(&shown, &value), "{command}: {shown} and not {value}");
    }
}

#[test]
fn commands_of_a_grouped_release_show_its_figures() {
    commands_show_figures(&released(OPTIMAL));
}

#[test]
fn commands_of_a_release_with_counterfeits_show_its_figures() {
    commands_show_figures(&released(H_CEILING));
}

#[test]
fn commands_of_invented_records_show_their_figures() {
    commands_show_figures(&invented());
}

/// Of the items that the data show and that apply, the share that checks fill.
fn share(evidence: &Value, counts: impl Fn(&Value) -> bool) -> f64 {
    let of_data = items(evidence).filter(|item| item["side"] == "data" && counts(item));
    let (mut filled, mut all) = (0, 0);
    for item in of_data.filter(|item| item["state"] != "does-not-apply") {
        all += 1;
        filled += usize::from(item["state"] == "filled");
        let figures = item["figures"].as_array().unwrap();
        assert!(item["state"] != "filled" || !figures.is_empty(), "{item}: nothing shows it");
    }
    assert!(all >= 8, "{all} items");
    filled as f64 / all as f64
}

#[test]
fn nine_in_ten_items_of_the_data_are_filled() {
    let folders = [released(OPTIMAL), released(H_CEILING), invented()];
    for folder in &folders {
        let custodian = ["--custodian", "release.custodian"];
        let ema = filled(folder, "ema-0070", &custodian);
        assert!(share(&ema, |_| true) >= 0.9, "{ema:#}");
        let iso = filled(folder, "iso-27559", &custodian);
        let clauses = |item: &Value| item["id"].as_str().unwrap().starts_with(['7', '8']);
        assert!(share(&iso, clauses) >= 0.9, "{iso:#}");
    }
}

#[test]
fn without_the_custodian_nothing_of_the_original_is_shown() {
    let folder = released(OPTIMAL);
    for (command, _) in commands(&folder, &[]) {
        assert!(!command.contains("patients.csv") && !command.contains("custodian"), "{command}");
    }
    let open = filled(&folder, "ema-0070", &[]);
    assert_eq!(open["custodian"], false);
    assert_eq!(item(&open, "5.1")["state"], "yours");
    folder.ok(&["evidence", "release", "--for", "ema-0070", "--output", "open.html"]);
    assert!(!folder.read("open.html").contains("class=\"stamp\""));
    let custodian = ["--custodian", "release.custodian", "--output", "mine.html"];
    folder.ok(&[&["evidence", "release", "--for", "ema-0070"], &custodian[..]].concat());
    assert!(folder.read("mine.html").contains("class=\"stamp\""));
}

#[test]
fn the_figures_are_those_of_the_release() {
    let folder = released(OPTIMAL);
    let evidence = filled(&folder, "ema-0070", &["--custodian", "release.custodian"]);
    let of = |id: &str, name: &str| {
        let figures = item(&evidence, id)["figures"].as_array().unwrap();
        figures.iter().find(|figure| figure["name"] == name).unwrap()["value"].clone()
    };
    // 120 records, of which 20 share age and sex at most: twelve groups of ten before.
    assert_eq!(of("3.2", "records"), 120);
    assert_eq!(of("5.1", "initial-highest"), 0.1);
    assert_eq!(of("5.3", "highest"), 0.1);
    assert_eq!(of("4.1", "met-009"), false);
    assert_eq!(of("4.1", "above-009"), 120);
}

/// Figures of another table would stand as those of the release's own original.
#[test]
fn a_changed_original_shows_no_figure() {
    let folder = released(OPTIMAL);
    let risk = || item(&filled(&folder, "ema-0070", &["--custodian", "release.custodian"]), "5.1").clone();
    assert_eq!(risk()["state"], "filled");
    let table = folder.read("patients.csv");
    folder.write("patients.csv", table.replacen(",F,", ",M,", 1));
    assert_eq!(risk()["state"], "yours");
    assert!(
        risk()["note"].as_str().unwrap().contains("has changed since the release was made"),
        "{}",
        risk()
    );
    let words = ["evidence", "release", "--for", "ema-0070", "--custodian", "release.custodian"];
    assert!(folder.ok(&words).err.contains("no figure of the original: the original has changed"));
    folder.write("patients.csv", table);
    assert_eq!(risk()["state"], "filled");
}

/// What was not checked is not called kept: the form is filled, and the exit code is that of `verify`.
#[test]
fn a_promise_that_was_not_checked_ends_as_verify_does() {
    let folder = invented();
    let state = |evidence: &Value| item(evidence, "description")["answer"].as_str().unwrap().to_owned();
    assert!(state(&filled(&folder, "data-card", &[])).contains("no check of the released file can show"));
    let folder = released(OPTIMAL);
    assert!(state(&filled(&folder, "data-card", &[])).contains("k-anonymity (held)"));
    let models =
        "[population]\npath = \"population.csv\"\n[[privacy]]\nmodel = \"k-map\"\nk = 5\n[[privacy]]";
    folder.write("population.csv", patients());
    folder.write("recipe.toml", folder.read("recipe.toml").replace("[[privacy]]", models));
    folder.ok(&["anonymize", "recipe.toml", "--overwrite"]);
    assert_eq!(folder.run(&["verify", "release"]).code, 8);
    let run = folder.run(&["evidence", "release", "--for", "data-card", "--output", "card.html"]);
    assert_eq!(run.code, 8, "{}", run.err);
    assert!(folder.read("card.html").contains("k-map (not checked)"));
}

#[test]
fn the_first_line_counts_the_items() {
    let folder = released(OPTIMAL);
    let evidence = filled(&folder, "ema-0070", &[]);
    let of = |state: &str| items(&evidence).filter(|item| item["state"] == state).count();
    let (filled, yours, out) = (of("filled"), of("yours"), of("does-not-apply"));
    assert!(filled > 5 && yours > 5);
    let text = folder.ok(&["evidence", "release", "--for", "ema-0070"]).out;
    let first = text.lines().next().unwrap();
    assert!(
        first.starts_with(&format!("**{filled} filled from checks, {yours} yours to write, {out} do")),
        "{first}"
    );
}

#[test]
fn a_broken_release_gets_no_form() {
    let folder = released(OPTIMAL);
    let data = folder.read("release/data.csv");
    folder.write("release/data.csv", data.replacen(",F,", ",M,", 1));
    for form in FORMS {
        folder.refused(
            &["evidence", "release", "--for", form, "--output", "form.html"],
            3,
            &["does not keep"],
        );
    }
}

#[test]
fn what_was_written_is_kept_and_what_changed_is_marked() {
    let folder = released(OPTIMAL);
    let words = ["evidence", "release", "--for", "ema-0070", "--answers", "answers.toml"];
    folder.ok(&words);
    let template = folder.read("answers.toml");
    let empty = "[answer.\"4.2\"]\nask = \"Which threshold do you apply, and why?\"\ntext = \"\"";
    assert!(template.contains(empty), "{template}");
    let text = empty.replace("text = \"\"", "text = \"0.2, by contract\"");
    folder.write("answers.toml", template.replace(empty, &text));
    let answered = |changed: u64| {
        let evidence = filled(&folder, "ema-0070", &["--answers", "answers.toml"]);
        assert_eq!(evidence["counts"]["written"], 1);
        assert_eq!(evidence["counts"]["changed"], changed);
        assert_eq!(item(&evidence, "4.2")["answer"], "0.2, by contract");
        item(&evidence, "4.2").clone()
    };
    answered(0);
    answered(0);
    let coarser = ["--set", "privacy.0.k=30", "--overwrite"];
    folder.ok(&[&["anonymize", "recipe.toml"], &coarser[..]].concat());
    let changed = answered(1);
    let shown = |side: &str| changed["changed"][0][side].as_str().unwrap().to_owned();
    assert!(shown("was") != shown("now") && !shown("was").contains('['), "{changed}");
    // It stays marked until somebody writes anew.
    answered(1);
    let written = folder.read("answers.toml");
    folder.write("answers.toml", written.replace("0.2, by contract", "0.2, by contract "));
    answered(1);
    folder.write("answers.toml", written.replace("0.2, by contract", "0.1"));
    let evidence = filled(&folder, "ema-0070", &["--answers", "answers.toml"]);
    assert_eq!(evidence["counts"]["changed"], 0);
    assert_eq!(item(&evidence, "4.2")["answer"], "0.1");
    // What nobody asks is kept, and named.
    folder.write("answers.toml", folder.read("answers.toml").replace("answer.\"4.2\"", "answer.\"99.9\""));
    let run = folder.ok(&words);
    assert!(
        run.err.contains("no item `99.9`") && folder.read("answers.toml").contains("99.9"),
        "{}",
        run.err
    );
}

/// Nobody is found among invented records, and of people a release only states.
#[test]
fn risks_of_invented_records_and_of_people_are_what_they_are() {
    let of_nobody = filled(&invented(), "ema-0070", &[]);
    let commands = items(&of_nobody).flat_map(|item| item["figures"].as_array().unwrap());
    let shown: Vec<&str> = commands.map(|figure| figure["name"].as_str().unwrap()).collect();
    assert!(!shown.contains(&"highest") && !shown.contains(&"marketer"), "{shown:?}");
    let folder = of_people();
    let risk = item(&filled(&folder, "ema-0070", &[]), "2.2")["answer"].as_str().unwrap().to_owned();
    assert!(risk.contains("as the release states them"), "{risk}");
}

/// Stays of eighty people, twenty of each age; person 7 has 39 more than the three of others.
fn of_people() -> Folder {
    let folder = Folder::new();
    let stays = (0..240).map(|stay| format!("{},{},{}\n", stay % 80, 30 + stay % 80 / 20, stay % 3));
    let more = "7,30,1\n".repeat(39);
    folder.write("patients.csv", "id,age,ward\n".to_owned() + &stays.collect::<String>() + &more);
    let recipe = r#"
[input]
path = "patients.csv"
[attributes.id]
role = "person"
[attributes.age]
role = "quasi-identifier"
[attributes.ward]
role = "sensitive"
[[privacy]]
model = "k-anonymity"
k = 5
[method]
name = "optimal"
[output]
path = "release"
"#;
    folder.write("recipe.toml", recipe);
    folder.ok(&["anonymize", "recipe.toml"]);
    folder
}

/// With the custodian's folder a form counts the original's people, and says what one person has of a group.
#[test]
fn the_custodians_form_counts_people() {
    let folder = of_people();
    let custodian = ["--custodian", "release.custodian"];
    let evidence = filled(&folder, "ema-0070", &custodian);
    assert!(share(&evidence, |_| true) >= 0.9, "{evidence:#}");
    let figure = |id: &str, name: &str| {
        let figures = item(&evidence, id)["figures"].as_array().unwrap();
        figures.iter().find(|figure| figure["name"] == name).unwrap_or_else(|| panic!("{id} {name}"))["value"]
            .as_f64()
            .unwrap()
    };
    // 42 of the 99 records of the thirty-year-old are one person's, who is one of twenty people.
    assert!((figure("5.1", "initial-highest") - 42.0 / 99.0).abs() < 1e-12);
    assert!((figure("5.1", "initial-picked") - 0.05).abs() < 1e-12);
    assert!((figure("5.3", "person-share") - 42.0 / 99.0).abs() < 1e-12);
    assert_eq!(item(&evidence, "1.2")["state"], "filled");
    let without = filled(&folder, "ema-0070", &[]);
    assert!(item(&without, "1.2")["note"].as_str().unwrap().contains("--custodian"));
    let iso = filled(&folder, "iso-27559", &custodian);
    let answer = |form: &Value, id: &str| item(form, id)["answer"].as_str().unwrap().to_owned();
    assert!(answer(&iso, "7.2.2").contains("80 people"), "{}", answer(&iso, "7.2.2"));
    // Each risk is the bound that the promise gives: no mean is known.
    assert!(!answer(&without, "5.3").contains("mean"), "{}", answer(&without, "5.3"));
    commands_show_figures(&folder);
}

/// What pseudonyms show is counted in people, of the original too; a pseudonym is no value as it was recorded.
#[test]
fn people_are_counted_by_pseudonyms() {
    let folder = of_people();
    let pseudonym = "role = \"identifier\"\npseudonym = \"hmac-sha256\"";
    let recipe = folder.read("recipe.toml").replace("role = \"person\"", pseudonym);
    folder.write("recipe.toml", "key = { file = \"secret.key\" }\n".to_owned() + &recipe);
    folder.write("secret.key", "0123456789abcdef0123456789abcdef\n");
    folder.ok(&["anonymize", "recipe.toml", "--overwrite"]);
    let evidence = filled(&folder, "ema-0070", &["--custodian", "release.custodian"]);
    assert!(share(&evidence, |_| true) >= 0.9, "{evidence:#}");
    let answer = |id: &str| item(&evidence, id)["answer"].as_str().unwrap().to_owned();
    assert!(answer("1.4").contains("whatever their values: ward."), "{}", answer("1.4"));
    assert!(answer("5.3").contains("people, and"), "{}", answer("5.3"));
    assert_eq!(item(&evidence, "5.1")["state"], "filled");
    commands_show_figures(&folder);
}

/// Promises of the sizes of groups alone bound no inference.
#[test]
fn what_bounds_inference_is_said_of_models_that_do() {
    let folder = released(OPTIMAL);
    let inference = |folder: &Folder| {
        let evidence = filled(folder, "ico", &[]);
        item(&evidence, "3")["answer"].as_str().unwrap().to_owned()
    };
    assert!(inference(&folder).starts_with("None."), "{}", inference(&folder));
    let model = "[[privacy]]\nmodel = \"distinct-l-diversity\"\nl = 2\n[[privacy]]";
    folder.write("recipe.toml", folder.read("recipe.toml").replacen("[[privacy]]", model, 1));
    folder.ok(&["anonymize", "recipe.toml", "--overwrite"]);
    assert!(inference(&folder).starts_with("distinct-l-diversity (held)."), "{}", inference(&folder));
}

/// Answers that were written beside figures of the original tell none of them in a form without the custodian's folder.
#[test]
fn answers_carry_no_figure_of_the_original() {
    let folder = released(OPTIMAL);
    let words = ["evidence", "release", "--for", "ico", "--answers", "answers.toml"];
    let custodian = [&words[..], &["--custodian", "release.custodian"]].concat();
    folder.ok(&custodian);
    folder.write(
        "answers.toml",
        folder.read("answers.toml").replace("text = \"\"", "text = \"As we see it.\""),
    );
    folder.ok(&custodian);
    let evidence = filled(&folder, "ico", &["--answers", "answers.toml"]);
    assert_eq!(evidence["custodian"], false);
    let changed: Vec<&Value> = items(&evidence).filter_map(|item| item.get("changed")).collect();
    assert!(changed.is_empty(), "{changed:?}");
}

#[test]
fn wrong_files_are_refused() {
    let folder = released(OPTIMAL);
    folder.ok(&["anonymize", "recipe.toml", "--set", "privacy.0.k=30", "--output", "other"]);
    folder.write("answers.toml", "[answer.\"4.2\"]\ntext = \"a\"\nwhy = \"b\"\n");
    let refused = |more: &[&str], says: &[&str]| {
        folder.refused(&[&["evidence", "release", "--for", "ema-0070"], more].concat(), 2, says);
    };
    refused(&["--output", "form.docx"], &["form.docx", ".html, .md, .json"]);
    refused(&["--output", "release/form.html"], &["lies inside the release"]);
    refused(&["--answers", "release/answers.toml"], &["lies inside the release"]);
    refused(&["--answers", "answers.toml"], &["answers.toml", "line 2", "why"]);
    folder.ok(&["evidence", "release", "--for", "ico", "--answers", "ico.toml"]);
    refused(&["--answers", "ico.toml"], &["ico.toml: answers to the form `ico`", "a file of its own"]);
    // Both agencies have one template.
    folder.ok(&["evidence", "release", "--for", "health-canada", "--answers", "both.toml"]);
    folder.ok(&["evidence", "release", "--for", "ema-0070", "--answers", "both.toml"]);
    refused(&["--custodian", "other.custodian"], &["another release"]);
    folder.write("notes.md", "What I wrote.\n");
    refused(&["--output", "notes.md"], &["no form that was filled here"]);
    refused(&["--output", "release.custodian/custodian.md"], &["a custodian's folder"]);
    refused(&["--answers", "other.custodian/custodian.json"], &["a custodian's folder"]);
    folder.ok(&["evidence", "release", "--for", "ema-0070", "--output", "form.md"]);
    folder.ok(&["evidence", "release", "--for", "ema-0070", "--output", "form.md"]);
    std::fs::remove_file(folder.path("form.md")).unwrap();
    refused(&["--key", "hospital.key", "--output", "form.html"], &["--key signs a statement alone"]);
    folder.refused(&["evidence", "release", "--for", "dp-registry"], 2, &["no differential privacy"]);
    folder.refused(&["evidence", "release", "--for", "ema"], 2, &["ema-0070"]);
}

#[test]
fn a_registry_gets_the_parameters_and_nothing_that_nobody_said() {
    let folder = invented();
    let words = ["evidence", "release", "--for", "dp-registry", "--output", "entry.json"];
    folder.ok(&words);
    folder.ok(&words);
    let entry = folder.json("entry.json");
    let loss = &entry["deployment"]["privacy_loss"];
    assert_eq!(loss["privacy_parameters"], serde_json::json!({ "epsilon": 1.0, "delta": 1e-6 }));
    assert_eq!(loss["privacy_unit"], "Record");
    assert_eq!(entry["deployment"]["deployment_model"]["model_name"], "Central");
    assert!(!entry.to_string().contains("see the table"), "{entry}");
    assert!(entry["deployment"]["implementation"]["justification"].is_null());
}

#[test]
fn a_card_has_files_columns_and_no_licence_that_nobody_gave() {
    let folder = released(OPTIMAL);
    let words =
        ["evidence", "release", "--for", "data-card", "--answers", "a.toml", "--output", "card.jsonld"];
    folder.ok(&words);
    let card = folder.json("card.jsonld");
    assert!(card["license"].is_null());
    assert_eq!(card["conformsTo"], "http://mlcommons.org/croissant/1.0");
    // What nobody has filled is not there, not even as nothing.
    assert!(!card.as_object().unwrap().values().any(Value::is_null), "{card}");
    assert!(card.get("creator").is_none() && card.get("dct:publisher").is_none());
    let fields = card["recordSet"][0]["field"].as_array().unwrap();
    let names: Vec<&str> = fields.iter().map(|field| field["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["ClassID", "age", "sex", "diagnosis"]);
    let files = card["distribution"].as_array().unwrap();
    assert_eq!(files.len(), std::fs::read_dir(folder.path("release")).unwrap().count());
    let answers = folder.read("a.toml");
    let ask = "ask = \"Under which licence may it be used?\"\ntext = ";
    let title = "ask = \"What is it called?\"\ntext = ";
    let answers = answers.replace(&format!("{title}\"\""), &format!("{title}\"Stays\""));
    folder.write("a.toml", answers.replace(&format!("{ask}\"\""), &format!("{ask}\"CC-BY-4.0\"")));
    folder.ok(&words);
    let card = folder.json("card.jsonld");
    assert_eq!([&card["license"], &card["name"], &card["dct:title"]], ["CC-BY-4.0", "Stays", "Stays"]);
    let made = &card["prov:wasGeneratedBy"];
    assert!(made["dct:description"].as_str().unwrap().contains("By velamen"), "{made}");
}
