//! The page as its handlers answer, over a small table.

use velamen_search::{method, model};

use super::method::named;
use super::*;
use crate::opened::Open;
use crate::worker::locked;

const RECIPE: &str = "[input]\npath = \"t.csv\"\n\n[attributes.age]\nrole = \"quasi-identifier\"\n\
    hierarchy = { interval = [10, 50], min = 0, max = 99 }\n\n[attributes.sex]\nrole = \"quasi-identifier\"\n\n\
    [attributes.illness]\nrole = \"sensitive\"\n\n[[privacy]]\nmodel = \"k-anonymity\"\nk = 2 # two\n\n\
    [method]\nname = \"optimal\" # proven\nseed = 1\n\n[output]\npath = \"out\"\n";

fn studio() -> Open {
    let row = |number: usize| {
        format!("{},{},{}\n", 20 + number % 40, ["F", "M"][number % 2], ["flu", "cold", "cough"][number % 3])
    };
    let table = format!("age,sex,illness\n{}", (0..200).map(row).collect::<String>());
    Open::new(&[("t.csv", &table), ("recipe.toml", RECIPE)])
}

/// The page once all costs are known.
fn shown_of(studio: &Open, form: &[(&str, &str)]) -> String {
    studio.post(choose, form);
    studio.settle();
    studio.post(choose, form)
}

#[test]
fn every_model_has_a_form_with_its_meaning_and_limits() {
    let studio = studio();
    let page = shown_of(&studio, &[]);
    for entry in model::REGISTRY.iter() {
        assert!(
            page.contains(entry.terms.summary.split(['<', '>', '&', '`']).next().unwrap()),
            "{}",
            entry.terms.name
        );
        let page = studio.post(choose, &[("model", entry.terms.name)]);
        assert!(
            page.contains("What it does not protect from") && page.contains("id=\"add\""),
            "{}",
            entry.terms.name
        );
        let own = Schemas::new().of(&Recipe::schema()["$defs"]["PrivacySection"], entry.terms.name);
        assert!(own.len() > 1, "{}", entry.terms.name);
        for field in own.iter().filter(|field| field.key != "model") {
            assert!(page.contains(&format!("id=\"new-{}", field.key)), "{}: {}", entry.terms.name, field.key);
        }
    }
}

#[test]
fn a_model_is_added_changed_and_removed() {
    let studio = studio();
    let page = studio.post(add, &[("model", "distinct-l-diversity"), ("f.l", "2"), ("f.attribute", "")]);
    assert!(!page.contains("role=\"alert\""), "{page}");
    let added = RECIPE
        .replace("k = 2 # two\n", "k = 2 # two\n\n[[privacy]]\nmodel = \"distinct-l-diversity\"\nl = 2\n");
    assert_eq!(studio.text(), added);
    studio.post(set, &[("number", "0"), ("f.k", "5")]);
    assert_eq!(studio.text(), added.replace("k = 2 # two", "k = 5 # two"));
    studio.post(set, &[("number", "1"), ("f.l", "2"), ("f.attribute", "illness")]);
    assert!(studio.text().contains("l = 2\nattribute = \"illness\"\n"));
    let page = studio.post(remove, &[("number", "1"), ("of", "k-anonymity")]);
    assert!(page.contains("changed meanwhile"), "{page}");
    studio.post(remove, &[("number", "1")]);
    assert_eq!(studio.text(), RECIPE.replace("k = 2 # two", "k = 5 # two"));
    (0..4).for_each(|_| studio.undo());
    assert_eq!(studio.text(), RECIPE);
}

#[test]
fn what_a_model_refuses_is_said_and_stays_typed() {
    let studio = studio();
    let page = studio.post(add, &[("model", "k-anonymity"), ("f.k", "1")]);
    assert!(
        page.contains("at least 2") && page.contains("id=\"new-k\" type=\"number\" name=\"f.k\" value=\"1\""),
        "{page}"
    );
    let page = studio.post(set, &[("number", "0"), ("f.k", "0")]);
    assert!(page.contains("at least 2") && page.contains("value=\"0\""), "{page}");
    assert!(studio.post(add, &[("model", "k-anonymity"), ("f.k", "")]).contains("k: missing; fill it in"));
    assert!(studio.post(add, &[("model", "none")]).contains("choose a model"));
    assert_eq!(studio.text(), RECIPE);
}

#[test]
fn costs_are_those_of_the_releases_with_and_without() {
    let studio = studio();
    let page = shown_of(&studio, &[]);
    assert!(page.contains("All promises together") && page.contains("it is the only promise"), "{page}");
    studio.post(add, &[("model", "distinct-l-diversity"), ("f.l", "3")]);
    let page = shown_of(&studio, &[]);
    assert!(page.contains("Without it: loss") || page.contains("ask for as much already"), "{page}");
    assert!(!page.contains("being looked for"));
    // A model that nothing here can keep.
    studio.post(add, &[("model", "distinct-l-diversity"), ("f.l", "9")]);
    let page = shown_of(&studio, &[]);
    assert!(page.contains("No release can be made"), "{page}");
}

#[test]
fn a_model_can_be_weighed_before_it_is_added() {
    let studio = studio();
    shown_of(&studio, &[]);
    let form = [("model", "k-anonymity"), ("f.k", "50")];
    studio.post(weigh, &form);
    studio.settle();
    let page = studio.post(weigh, &form);
    assert!(page.contains("What it would cost here") && page.contains("With it the loss is"), "{page}");
    assert_eq!(studio.text(), RECIPE);
}

#[test]
fn private_methods_show_no_figure_and_spend_nothing() {
    let studio = studio();
    studio.post(of_method, &[("method", "safe-pub")]);
    studio.post(remove, &[("number", "0")]);
    studio.post(add, &[("model", "differential-privacy"), ("f.epsilon", "1"), ("f.delta", "0.001")]);
    let page = shown_of(&studio, &[]);
    assert!(!page.contains("loss 0."), "{page}");
}

#[test]
fn a_preset_says_what_it_sets_and_what_it_leaves() {
    let studio = studio();
    let page = studio.post(preset, &[("preset", "cms-11")]);
    assert!(studio.text().starts_with("preset = \"cms-11\"\n"), "{}", studio.text());
    assert!(page.contains("k-anonymity with k = 11") && page.contains("It does not judge"), "{page}");
    studio.post(preset, &[("preset", "")]);
    assert!(!studio.text().contains("preset"));
    assert!(studio.post(preset, &[("preset", "none")]).contains("is no preset"));
}

#[test]
fn methods_and_their_keys_are_forms() {
    let studio = studio();
    for entry in method::REGISTRY.iter() {
        studio.post(of_method, &[("method", entry.name)]);
        let recipe = locked(&studio.app.project).as_ref().unwrap().recipe().unwrap();
        assert_eq!(named(&recipe).unwrap().name, entry.name, "{}", studio.text());
        assert!(
            studio.text().contains("# proven") && studio.text().contains("seed = 1"),
            "{}",
            studio.text()
        );
    }
    studio.post(of_method, &[("method", "optimal")]);
    let filled = [
        ("of", "method"),
        ("f.metric", "non-uniform-entropy"),
        ("f.suppression-limit", "0.05"),
        ("f.monotone", "true"),
        ("f.seed", "1"),
    ];
    let page = studio.post(keys, &filled);
    let text = studio.text();
    assert!(
        text.contains("metric = \"non-uniform-entropy\"\n") && text.contains("suppression-limit = 0.05\n"),
        "{text}"
    );
    assert!(text.contains("monotone = true\n") && text.contains("name = \"optimal\" # proven\n"), "{text}");
    assert!(page.contains("<option value=\"non-uniform-entropy\" selected"), "{page}");
    // Another method drops what it does not know.
    studio.post(of_method, &[("method", "mondrian")]);
    assert!(!studio.text().contains("suppression-limit"), "{}", studio.text());
}

/// What promises of a large table cost is looked for once the person asks.
#[test]
fn a_large_table_is_not_searched_unasked() {
    let studio = studio();
    // A table that was not counted may be of any size.
    locked(&studio.app.project).as_mut().unwrap().profile = None;
    let begun = studio.app.worker.begun();
    let page = studio.post(choose, &[]);
    assert!(page.contains("The table is large") && page.contains("not looked for yet"), "{page}");
    assert_eq!(studio.app.worker.begun(), begun, "nothing runs");
    studio.post(look, &[]);
    studio.settle();
    let page = studio.post(choose, &[]);
    assert!(page.contains("All promises together") && !page.contains("The table is large"), "{page}");
    studio.post(set, &[("number", "0"), ("f.k", "5")]);
    assert!(studio.post(choose, &[]).contains("The table is large"), "another recipe is asked for again");
}
