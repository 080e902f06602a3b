//! The guide over a table with odd names, in which people have several rows.

use axum::extract::State as Shared;
use axum::response::Response;

use super::*;
use crate::opened::Open;

fn studio() -> Open {
    let record = |n: usize| {
        let person = n / 2;
        let (sex, place) = (["m", "w"][person % 2], ["10115", "10117", "20095", "80331"][person % 4]);
        let diagnosis = ["I10", "J45", "C50", "E11"][n * 7 % 4];
        format!("{},{},{sex},{place},{diagnosis},{}\n", 7000 + 37 * person, 20 + person * 7 % 60, n % 9)
    };
    let header = "Pat-Nr.,Alter (Jahre),Geschlecht,PLZ,Haupt'diagnose,Liege.Tage\n";
    Open::new(&[("odd stays.csv", &(header.to_owned() + &(0..800).map(record).collect::<String>()))])
}

async fn page_of(Shared(app): Shared<App>, form: Form) -> Response {
    show(&app, &PAGE, &form)
}

/// The answers of the form, over those that are filled in.
fn posted<'a>(answers: &[(&'a str, &'a str)]) -> Vec<(&'a str, &'a str)> {
    let filled = [
        ("posted", "yes"),
        ("knows.Pat-Nr.", "names"),
        ("knows.Alter (Jahre)", "others"),
        ("knows.Geschlecht", "others"),
        ("knows.PLZ", "others"),
        ("knows.Haupt'diagnose", "house"),
        ("knows.Liege.Tage", "house"),
        ("person", "Pat-Nr."),
    ];
    filled.into_iter().chain(answers.iter().copied()).collect()
}

const CONTRACT: [(&str, &str); 5] = [
    ("who", "contract"),
    ("use", "groups"),
    ("rows", "column"),
    ("worst", "secret"),
    ("secret", "Haupt'diagnose"),
];

/// The page after these answers were taken, with all releases made.
fn outcome_of(studio: &Open, answers: &[(&str, &str)]) -> String {
    let fields: Vec<(&str, &str)> = answers.iter().copied().chain([TAKEN]).collect();
    studio.post(page_of, &fields);
    studio.settle();
    studio.post(page_of, &fields)
}

#[test]
fn answers_become_edits_that_can_be_undone() {
    let studio = studio();
    let before = studio.text();
    studio.post(take, &posted(&CONTRACT));
    let text = studio.text();
    assert!(text.contains("model = \"k-anonymity\"\nk = 11\n"), "{text}");
    let secret = "model = \"distinct-l-diversity\"\nl = 3\nattribute = \"Haupt'diagnose\"\n";
    assert!(text.contains(secret) && text.contains("name = \"optimal\""), "{text}");
    assert!(text.contains("[attributes.\"Pat-Nr.\"]\nrole = \"person\""), "{text}");
    assert!(text.contains("[attributes.\"Liege.Tage\"]\nrole = \"insensitive\"\n"), "{text}");
    assert!(text.contains("# its name contains `geschlecht`: others may know it"), "comments stay");
    studio.post(take, &posted(&CONTRACT));
    assert_eq!(studio.text(), text, "the same answers change nothing");
    studio.undo();
    assert_eq!(studio.text(), before);
}

#[test]
fn every_link_to_the_guide_shows_the_answers_that_were_taken() {
    let studio = studio();
    studio.post(take, &posted(&CONTRACT));
    let page = studio.shown(&PAGE);
    for word in ["contract", "groups", "column", "secret"] {
        assert!(page.contains(&format!("value=\"{word}\" checked")), "{word}: {page}");
    }
    assert!(page.contains("id=\"releases\""), "{page}");
    let other = studio.post(page_of, &[("who", "house")]);
    assert!(
        other.contains("value=\"house\" checked") && !other.contains("value=\"groups\" checked"),
        "{other}"
    );
}

#[test]
fn an_unanswered_question_takes_the_strictest_answer_and_says_so() {
    let studio = studio();
    let page = studio.post(page_of, &[]);
    assert_eq!(page.matches("Not answered yet.").count(), 4, "{page}");
    studio.post(take, &posted(&[]));
    let text = studio.text();
    assert!(
        text.contains("model = \"differential-privacy\"") && !text.contains("k-anonymity\"\nk"),
        "{text}"
    );
    assert!(text.contains("records-per-person = 1"), "{text}");
    let page = outcome_of(&studio, &[]);
    assert_eq!(page.matches(">not answered<").count(), 4, "{page}");
    assert!(page.contains("have no declared domain") && page.contains("id=\"choose-1\""), "{page}");
    assert!(!page.contains("Detail lost"), "no figure of a private method");
    // Back from it, nothing of it stays.
    studio.post(take, &posted(&CONTRACT));
    assert!(!studio.text().contains("records-per-person"), "{}", studio.text());
    studio.undo();
    studio.post(take, &posted(&[("worst", "found"), ("rows", "each")]));
    let text = studio.text();
    assert!(text.contains("rows = \"independent\"") && !text.contains("records-per-person"), "{text}");
    assert!(locked(&studio.app.project).as_ref().unwrap().mistake().is_none(), "{text}");
}

/// What the recipe says once nobody has answered, over the same table with one more person.
fn private_with(extra: &str) -> (serde_json::Value, serde_json::Value, String) {
    let record = |n: usize| format!("{},{},{},{}\n", 20 + n % 60, ["m", "w"][n % 2], n % 9, n % 40);
    let header = "age,sex,ward,nights\n";
    let table = header.to_owned() + &(0..600).map(record).collect::<String>() + extra;
    let studio = Open::new(&[("stays.csv", &table)]);
    let said = || {
        let text = studio.text();
        (serde_json::to_value(locked(&studio.app.project).as_ref().unwrap().recipe().unwrap()).unwrap(), text)
    };
    let before = said().0;
    let answers = ["age", "sex", "ward", "nights"].map(|name| (format!("knows.{name}"), "others".to_owned()));
    let answers: Vec<(&str, &str)> =
        answers.iter().map(|(name, word)| (name.as_str(), word.as_str())).collect();
    studio.post(take, &[&[("posted", "yes")], &answers[..]].concat());
    let (after, text) = said();
    (before, after, text)
}

/// Without what names the folder of the test.
fn apart_from_paths(mut recipe: serde_json::Value) -> serde_json::Value {
    recipe["input"]["path"].take();
    recipe["output"]["path"].take();
    recipe
}

#[test]
fn a_private_recipe_is_the_same_for_neighbouring_tables() {
    let (before, after, text) = private_with("");
    let (neighbour_before, neighbour, neighbour_text) = private_with("131,w,4,7000\n");
    let of = |recipe: &serde_json::Value| recipe["attributes"]["nights"]["hierarchy"].clone();
    assert_ne!(of(&before), of(&neighbour_before), "the profile reads ends off the table");
    assert_eq!(apart_from_paths(after), apart_from_paths(neighbour));
    for text in [text, neighbour_text] {
        for gone in ["hierarchy = {", "max =", "Tried on this table"] {
            assert!(!text.contains(gone), "{gone}: {text}");
        }
    }
}

#[test]
fn what_is_to_declare_is_listed_and_a_doubtful_hierarchy_goes_by_a_click() {
    let studio = studio();
    studio.post(take, &posted(&[]));
    let page = outcome_of(&studio, &[]);
    for name in ["Alter (Jahre)", "Geschlecht", "PLZ"] {
        assert!(page.contains(&format!("<li>{name}</li>")), "{name}: {page}");
    }
    assert!(
        page.contains("domain = { min = 0, max = 119 }") && page.contains("attributes#domains-heading"),
        "{page}"
    );
    let place = crate::edit::at(["attributes", "PLZ", "hierarchy"]);
    let rows = serde_json::json!({"rows": [["10115", "*"], ["20095", "*"]]});
    let edit = Edit::Set(place, rows);
    locked(&studio.app.project).as_mut().unwrap().change(&studio.app.folders, &[edit]).unwrap();
    let page = studio.post(page_of, &[TAKEN]);
    assert!(page.contains("id=\"forget-0\"") && !page.contains("<li>PLZ</li>"), "{page}");
    let page = studio.change(&PAGE, declare::forget, &[TAKEN, ("column", "PLZ")]);
    assert!(page.contains("<li>PLZ</li>") && !studio.text().contains("10115"), "{}", studio.text());
}

#[test]
fn the_mean_risk_says_whether_it_counts_people() {
    let studio = studio();
    let counts = |rows: &str, worst: &str| {
        studio.post(take, &posted(&[("who", "house"), ("rows", rows), ("worst", worst)]));
        outcome_of(&studio, &[("who", "house"), ("rows", rows), ("worst", worst)])
    };
    assert!(counts("column", "found").contains("the number of people who look alike"));
    assert!(counts("each", "found").contains("the number of people who look alike"));
    // The column is left out by now, and nothing else says whose the rows are.
    assert!(counts("unknown", "found").contains("the number of rows that look alike"));
}

#[test]
fn releases_stand_side_by_side_and_one_is_chosen() {
    let studio = studio();
    studio.post(take, &posted(&CONTRACT));
    let page = outcome_of(&studio, &CONTRACT);
    for figure in
        ["Stricter", "As you asked", "More detail", "Detail lost", "For your counts: off by", "Highest risk"]
    {
        assert!(page.contains(figure), "{figure}: {page}");
    }
    assert_eq!(page.matches(">in the recipe<").count(), 1);
    assert!(page.matches("class=\"figure\">–").count() == 0 && !page.contains("being made"), "{page}");
    assert!(page.contains("As you asked</strong> is in the recipe"), "{page}");
    assert!(
        page.contains("would be the same release as"),
        "twice as many look alike as were asked for: {page}"
    );
    assert!(
        !page.contains("id=\"choose-0\"") && !page.contains("First rows:"),
        "no cell unless it is asked for"
    );
    let begun = studio.app.worker.begun();
    let form: Vec<(&str, &str)> = CONTRACT.into_iter().chain([TAKEN, ("release", "2")]).collect();
    let page = studio.change(&PAGE, choose, &form);
    assert!(studio.text().contains("local-recoding = true"), "{}", studio.text());
    assert!(page.contains("More detail</strong> is in the recipe"), "{page}");
    assert_eq!(studio.app.worker.begun(), begun, "what is known is not made again");
    let rows = studio.post(values, &form);
    assert!(
        rows.contains("First rows: As you asked") && rows.contains("<th scope=\"col\">Haupt'diagnose</th>"),
        "{rows}"
    );
    assert!(!rows.contains("Pat-Nr.</th><th scope=\"col\">Alter"), "the column of persons is left out");
}

/// What a page says between a text and the next tag.
fn after<'p>(page: &'p str, text: &str, tag: &str) -> &'p str {
    let rest = page.split_once(text).unwrap_or_else(|| panic!("{text}: {page}")).1;
    let rest = rest.split_once(tag).unwrap_or_else(|| panic!("{tag}: {rest}")).1;
    rest.split('<').next().unwrap()
}

#[test]
fn people_are_counted_and_not_rows_with_the_same_figures_on_every_page() {
    let studio = studio();
    let answers = [("who", "house"), ("use", "groups"), ("rows", "column"), ("worst", "found")];
    studio.post(take, &posted(&answers));
    let guide = outcome_of(&studio, &answers);
    let of_guide = |figure: &str| after(&guide, figure, "data-of=\"As you asked\">").to_owned();
    let shown = |page: &'static Page| {
        (0..3).for_each(|_| {
            studio.shown(page);
            studio.settle();
        });
        studio.shown(page)
    };
    let explore = shown(&crate::page::explore::PAGE);
    assert!(explore.contains("id=\"of-people\"") && !explore.contains("role=\"alert\""), "{explore}");
    assert!(
        explore.contains("id=\"release-2\""),
        "people are counted at every combination of levels: {explore}"
    );
    let risk = shown(&crate::page::risk::PAGE);
    for (name, of_risk) in [("Highest risk", "highest risk"), ("Mean risk", "mean risk")] {
        let asked = of_guide(&format!(">{name}<span"));
        assert_eq!(after(&risk, of_risk, "<strong>"), asked, "{name}");
        assert!(
            explore.contains(&*asked),
            "{name}: the release of the guide is one of the front's: {explore}"
        );
    }
    assert!(risk.contains("people alone in their class") && !risk.contains("People or records"), "{risk}");
    let promises = shown(&crate::page::promises::PAGE);
    assert!(promises.contains(&format!("highest risk {}", of_guide(">Highest risk<span"))), "{promises}");
}

#[test]
fn each_use_has_a_figure_of_its_own() {
    let studio = studio();
    for (word, figure, method) in [
        ("models", "For your models: links changed by", "local-recoding"),
        ("shape", "The picture: values moved", "k = 10\n"),
    ] {
        let answers = [("who", "house"), ("use", word), ("rows", "column"), ("worst", "found")];
        studio.post(take, &posted(&answers));
        assert!(studio.text().contains(method), "{word}: {}", studio.text());
        assert!(outcome_of(&studio, &answers).contains(figure), "{word}");
    }
}

#[test]
fn what_cannot_be_taken_leaves_the_recipe_as_it_is() {
    let studio = studio();
    let before = studio.text();
    for wrong in [
        &[("who", "nobody")][..],
        &[("rows", "column"), ("person", ""), ("posted", "yes")],
        &[("posted", "yes"), ("worst", "found")],
    ] {
        let page = studio.post(take, wrong);
        assert!(page.contains("role=\"alert\""), "{wrong:?}");
        assert_eq!(studio.text(), before, "{wrong:?}");
    }
    for place in ["9", "-1", ""] {
        let page = studio.change(&PAGE, choose, &[("who", "house"), ("worst", "found"), ("release", place)]);
        assert!(page.contains("no such release"), "{place}");
    }
    assert_eq!(studio.text(), before);
}

#[test]
fn levels_that_were_chosen_are_left_to_the_search_again() {
    let studio = studio();
    studio.post(take, &posted(&CONTRACT));
    let text = studio.text();
    let chosen = text.replace("role = \"quasi-identifier\"\n", "role = \"quasi-identifier\"\nlevel = 1\n");
    locked(&studio.app.project).as_mut().unwrap().replace(&studio.app.folders, chosen).unwrap();
    studio.post(take, &posted(&CONTRACT));
    assert_eq!(studio.text(), text);
}

#[test]
fn a_table_leads_to_the_guide_and_a_recipe_does_not() {
    let table = studio();
    let leads = |studio: &Open| {
        let response = crate::page::go_on(&studio.app, &crate::page::open::PAGE);
        response.headers()["hx-redirect"].to_str().unwrap().to_owned()
    };
    assert_eq!(leads(&table), "guide");
    let text = table.text();
    let header = "Pat-Nr.,Alter (Jahre),Geschlecht,PLZ,Haupt'diagnose,Liege.Tage\n1,2,m,10115,I10,1\n";
    let recipe = Open::new(&[("odd stays.csv", header), ("r.toml", &text)]);
    assert_eq!(leads(&recipe), "attributes");
}
