//! Answers and what they come to.

use serde_json::json;
use velamen_core::context::{Context, Silent};
use velamen_core::frequency::Role;
use velamen_dp::Seed;
use velamen_recipe::Recipe;

use super::*;
use crate::profile::{Profile, ProfileRequest, suggest};

/// Stays of people with several each, under odd names of columns.
fn profiled() -> (Recipe, Profile) {
    let record = |n: usize| {
        let person = n / 2;
        let (sex, place) = (["m", "w"][person % 2], ["10115", "20095", "80331"][person % 3]);
        let (number, age, diagnosis) =
            (7000 + 37 * person, 20 + person * 7 % 60, ["I10", "J45", "C50"][n * 5 % 3]);
        format!("{number},{age},{sex},{place},{diagnosis},{}\n", n % 9)
    };
    let header = "Pat-Nr.,Alter (Jahre),Geschlecht,PLZ,Haupt'diagnose,Liege.Tage\n";
    let folder = tempfile::tempdir().unwrap();
    let table = folder.path().join("t.csv");
    std::fs::write(&table, header.to_owned() + &(0..400).map(record).collect::<String>()).unwrap();
    let request = ProfileRequest {
        table: table.into(),
        read: velamen_engine::source::ReadOptions::default(),
        sample: None,
        threshold: velamen_measure::risk::quasi_identifiers::Threshold::usual(
            velamen_measure::risk::quasi_identifiers::Measure::Distinction,
        ),
        top: Some(1),
        show_values: false,
        recipe: None,
        overwrite: false,
    };
    let (seed, cancel) = (Seed::from_number(1), std::sync::atomic::AtomicBool::new(false));
    let context = Context { seed: &seed, progress: &Silent, cancel: &cancel };
    let (profile, text) = suggest(&request, folder.path(), &context).unwrap();
    let recipe = Recipe::from_text(&text, &folder.path().join("t.toml")).unwrap();
    (recipe, profile)
}

/// The answers that the recipe of the profile gives by itself, and others over them.
fn answered(recipe: &Recipe, profile: &Profile, change: impl FnOnce(&mut Answers)) -> Plan {
    let mut answers = Answers { knows: known(recipe, &profile.columns), ..Answers::default() };
    change(&mut answers);
    plan(&answers, recipe, &profile.columns).unwrap()
}

fn set<'p>(plan: &'p Plan, place: &[&str]) -> Option<&'p Setting> {
    plan.settings.iter().find(|setting| setting.place == place)
}

#[test]
fn what_is_not_answered_is_taken_as_the_strictest() {
    let (recipe, profile) = profiled();
    let plan = answered(&recipe, &profile, |_| {});
    let kinds: Vec<Kind> = plan.releases.iter().map(|release| release.kind).collect();
    // The profile found whose the rows are, and a sample protects no person.
    assert_eq!(kinds, [Kind::Invented, Kind::InventedFast]);
    assert_eq!(plan.releases[plan.usual].kind, Kind::InventedFast);
    assert_eq!(
        plan.releases[0].models,
        [json!({"model": "differential-privacy", "epsilon": 1.0, "delta": 1e-9})]
    );
    assert_eq!(set(&plan, &["attributes", "Pat-Nr.", "records-per-person"]).unwrap().value, Some(json!(1)));
    assert_eq!(
        set(&plan, &["attributes", "Haupt'diagnose", "role"]).unwrap().value,
        Some(json!(Role::QuasiIdentifier))
    );
    // What the profile has for a column follows from cells.
    assert!(
        plan.settings.iter().all(|setting| setting.place[2..] != ["hierarchy"] || setting.value.is_none())
    );

    let nobody = Answers { worst: Some(Worst::Found), ..Answers::default() };
    let refused = super::plan(&nobody, &recipe, &profile.columns).unwrap_err();
    assert!(refused.text().contains("no column is one that others may know"), "{}", refused.text());
}

/// The same recipe with other text for an attribute's keys.
fn with(recipe: &Recipe, name: &str, keys: &str) -> Recipe {
    let mut changed = recipe.clone();
    changed.attributes.insert(name.to_owned(), toml::from_str(keys).unwrap());
    changed
}

#[test]
fn a_private_answer_takes_out_what_cells_may_have_decided() {
    let (recipe, profile) = profiled();
    let plan = answered(&recipe, &profile, |_| {});
    for key in ["hierarchy", "top"] {
        assert_eq!(set(&plan, &["attributes", "Alter (Jahre)", key]).unwrap().value, None, "{key}");
    }
    let declarations = plan.declarations.unwrap();
    let columns = ["Alter (Jahre)", "Geschlecht", "Haupt'diagnose", "Liege.Tage", "PLZ"];
    assert_eq!(declarations.undeclared, columns);
    assert!(declarations.kept.is_empty());
    let age =
        "[attributes.\"Alter (Jahre)\"]\nrole = \"quasi-identifier\"\ndomain = { min = 0, max = 119 }\n";
    assert!(declarations.lines.starts_with(age), "{}", declarations.lines);
    let declared: toml::Table = toml::from_str(&declarations.lines).unwrap();
    let domain = |name: &str| &declared["attributes"][name]["domain"];
    // What is pasted and not written out makes no recipe.
    let open = toml::Value::from(vec![velamen_recipe::TO_LIST]);
    for name in ["Liege.Tage", "Geschlecht", "PLZ"] {
        assert_eq!(domain(name), &open, "{}", declarations.lines);
    }
    let nights = declarations.lines.split("Tage\"]").nth(1).unwrap();
    assert!(nights.lines().nth(2).unwrap().contains("write numbers"), "no list of nights: {nights}");
    let found = answered(&recipe, &profile, |answers| answers.worst = Some(Worst::Found));
    assert_eq!(found.declarations, None);
}

#[test]
fn what_somebody_named_or_declared_stays_under_a_private_answer() {
    let (recipe, profile) = profiled();
    let recipe = with(&recipe, "PLZ", "role = \"quasi-identifier\"\nhierarchy = \"areas.csv\"");
    let recipe = with(&recipe, "Haupt'diagnose", "role = \"sensitive\"\ndomain = [\"I10\", \"J45\"]");
    let plan = answered(&recipe, &profile, |_| {});
    assert_eq!(set(&plan, &["attributes", "PLZ", "hierarchy"]), None);
    assert_eq!(set(&plan, &["attributes", "Haupt'diagnose", "domain"]), None);
    let declarations = plan.declarations.unwrap();
    assert_eq!(declarations.undeclared, ["Alter (Jahre)", "Geschlecht", "Liege.Tage"]);
    assert_eq!(declarations.kept["PLZ"].as_deref(), Some("areas.csv"));
    // Once the recipe is private, a hierarchy in it may have been declared: it is asked about.
    let mut private = with(
        &recipe,
        "Alter (Jahre)",
        "role = \"quasi-identifier\"\nhierarchy = { interval = [5, 10], min = 0, max = 119 }",
    );
    private.method.keys.insert("name".into(), json!("mst"));
    let plan = answered(&private, &profile, |_| {});
    assert_eq!(set(&plan, &["attributes", "Alter (Jahre)", "hierarchy"]), None);
    assert_eq!(plan.declarations.unwrap().kept.get("Alter (Jahre)"), Some(&None));
}

#[test]
fn back_from_a_private_answer_values_are_those_of_the_profile() {
    let (recipe, profile) = profiled();
    let numbers = "{ min = 0, max = 119, bins = 24 }";
    let mut private = with(
        &recipe,
        "Alter (Jahre)",
        &format!("role = \"quasi-identifier\"\ndomain = {numbers}\nmissing = true"),
    );
    private = with(&private, "Liege.Tage", &format!("role = \"quasi-identifier\"\ndomain = {numbers}"));
    private = with(&private, "Haupt'diagnose", "role = \"quasi-identifier\"\ndomain = [\"I10\", \"J45\"]");
    private.method.keys.insert("name".into(), json!("mst"));
    let plan = answered(&private, &profile, |answers| {
        answers.worst = Some(Worst::Secret);
        answers.knows.insert("Liege.Tage".into(), Knows::House);
    });
    for (name, key) in [("Alter (Jahre)", "domain"), ("Alter (Jahre)", "missing"), ("Liege.Tage", "domain")] {
        assert_eq!(set(&plan, &["attributes", name, key]).unwrap().value, None, "{name} {key}");
    }
    assert!(set(&plan, &["attributes", "Alter (Jahre)", "hierarchy"]).unwrap().value.is_some());
    assert_eq!(set(&plan, &["attributes", "Alter (Jahre)", "top"]).unwrap().value, Some(json!(90.0)));
    // What a sensitive column can have is declared for it, too.
    assert_eq!(set(&plan, &["attributes", "Haupt'diagnose", "domain"]), None);
}

#[test]
fn who_gets_it_decides_how_many_share_what_others_know() {
    let (recipe, profile) = profiled();
    for (recipients, k, secret) in [
        (None, 20, json!({"model": "t-closeness", "t": 0.2, "attribute": "Haupt'diagnose"})),
        (
            Some(Recipients::Anyone),
            20,
            json!({"model": "t-closeness", "t": 0.2, "attribute": "Haupt'diagnose"}),
        ),
        (
            Some(Recipients::Contract),
            11,
            json!({"model": "distinct-l-diversity", "l": 3, "attribute": "Haupt'diagnose"}),
        ),
        (
            Some(Recipients::House),
            5,
            json!({"model": "distinct-l-diversity", "l": 2, "attribute": "Haupt'diagnose"}),
        ),
    ] {
        let plan = answered(&recipe, &profile, |answers| {
            (answers.recipients, answers.worst) = (recipients, Some(Worst::Secret));
        });
        let ks = [2 * k, k, k, k].map(|k| json!({"model": "k-anonymity", "k": k}));
        assert_eq!(plan.releases.iter().map(|release| release.models[0].clone()).collect::<Vec<_>>(), ks);
        assert!(plan.releases.iter().all(|release| release.models[1..] == [secret.clone()]));
        assert_eq!(plan.protected, ["Haupt'diagnose"]);
    }
}

#[test]
fn what_it_is_for_decides_which_release_is_usual() {
    let (recipe, profile) = profiled();
    let usual = |intent: Option<Intent>, worst: Worst| {
        let plan = answered(&recipe, &profile, |answers| {
            (answers.intent, answers.worst) = (intent, Some(worst));
            answers.people = Some(People::EachRow);
        });
        plan.releases[plan.usual].kind
    };
    for (intent, found, private) in [
        (None, Kind::Stricter, Kind::InventedFast),
        (Some(Intent::Shape), Kind::Stricter, Kind::InventedFast),
        (Some(Intent::Groups), Kind::AsAsked, Kind::Invented),
        (Some(Intent::Models), Kind::MoreDetail, Kind::Sample),
    ] {
        assert_eq!((usual(intent, Worst::Found), usual(intent, Worst::Anything)), (found, private));
    }
}

#[test]
fn people_are_counted_unless_each_row_is_another_person() {
    let (recipe, profile) = profiled();
    let of = |people: Option<People>| {
        answered(&recipe, &profile, |answers| (answers.people, answers.worst) = (people, Some(Worst::Found)))
    };
    for people in [None, Some(People::Unknown), Some(People::Column("Pat-Nr.".into()))] {
        let plan = of(people);
        assert!(
            set(&plan, &["attributes", "Pat-Nr.", "role"]).is_none()
                && set(&plan, &["input", "rows"]).is_none()
        );
    }
    let each = of(Some(People::EachRow));
    assert_eq!(set(&each, &["attributes", "Pat-Nr.", "role"]).unwrap().value, Some(json!(Role::Identifier)));
    assert_eq!(set(&each, &["input", "rows"]).unwrap().value, Some(json!("independent")));
    let other = of(Some(People::Column("PLZ".into())));
    assert_eq!(set(&other, &["attributes", "PLZ", "role"]).unwrap().value, Some(json!(Role::Person)));
    assert_eq!(set(&other, &["attributes", "PLZ", "hierarchy"]).unwrap().value, None);
    assert_eq!(set(&other, &["attributes", "Pat-Nr.", "role"]).unwrap().value, Some(json!(Role::Identifier)));
    let answers = Answers { people: Some(People::Column(String::new())), ..Answers::default() };
    let refused = plan(&answers, &recipe, &profile.columns).unwrap_err();
    assert!(refused.text().contains("which column"), "{}", refused.text());
}

#[test]
fn secrets_are_those_that_were_chosen_or_all_of_the_house() {
    let (recipe, profile) = profiled();
    let of = |secrets: &[&str]| {
        answered(&recipe, &profile, |answers| {
            answers.worst = Some(Worst::Secret);
            answers.knows.insert("Liege.Tage".into(), Knows::House);
            answers.secrets = secrets.iter().map(|name| (*name).to_owned()).collect();
        })
    };
    assert_eq!(of(&[]).protected, ["Haupt'diagnose", "Liege.Tage"]);
    let one = of(&["Liege.Tage"]);
    assert_eq!(one.protected, ["Liege.Tage"]);
    assert_eq!(
        set(&one, &["attributes", "Haupt'diagnose", "role"]).unwrap().value,
        Some(json!(Role::Insensitive))
    );
    // What others may know is made coarser, and can be no secret.
    assert!(!of(&["PLZ"]).protected.contains(&"PLZ".to_owned()));
}

#[test]
fn a_preset_is_never_gone_below_and_every_model_and_method_reads() {
    let (recipe, profile) = profiled();
    let preset = Recipe { preset: Some(velamen_recipe::Preset::Cms11), ..recipe.clone() };
    let plans = [Worst::Found, Worst::Secret, Worst::Anything].map(|worst| {
        answered(&preset, &profile, |answers| {
            (answers.recipients, answers.worst) = (Some(Recipients::House), Some(worst));
        })
    });
    assert_eq!(plans[0].releases[1].models, [json!({"model": "k-anonymity", "k": 11})]);
    for release in plans.iter().flat_map(|plan| &plan.releases) {
        let (entry, keys) = velamen_search::method::find(&release.method).unwrap();
        assert!(keys.keys().all(|key| key == "name" || entry.known_keys().contains(key)), "{keys:?}");
        for model in &release.models {
            let name = model["model"].as_str().unwrap();
            assert!(velamen_search::model::find(name).is_some(), "{name}");
        }
    }
}
