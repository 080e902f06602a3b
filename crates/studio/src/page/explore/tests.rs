//! The page, driven as a browser does.

use super::*;
use crate::opened::Open;

const RECIPE: &str = "[input]\npath = \"t.csv\"\n\n[attributes.age]\nrole = \"quasi-identifier\"\n\
    hierarchy = { interval = [10, 50], min = 0, max = 99 }\n\n[attributes.sex]\nrole = \"quasi-identifier\"\n\n\
    [[privacy]]\nmodel = \"k-anonymity\"\nk = 5\n\n[method]\nname = \"mondrian\"\nseed = 1\n\n\
    [output]\npath = \"out\"\n";

fn studio() -> Open {
    let row = |number: usize| format!("{},{}\n", 20 + number % 40, ["F", "M"][number % 2]);
    let table = format!("age,sex\n{}", (0..200).map(row).collect::<String>());
    Open::new(&[("t.csv", &table), ("recipe.toml", RECIPE)])
}

/// The page once nothing is looked for any more.
fn shown_of(studio: &Open) -> String {
    (0..3).for_each(|_| {
        studio.post(page_of, &[]);
        studio.settle();
    });
    studio.post(page_of, &[])
}

async fn page_of(State(app): State<App>, form: Form) -> Response {
    show(&app, &PAGE, &form)
}

#[test]
fn levels_of_the_whole_table_stand_beside_a_method_that_makes_one_release() {
    let studio = studio();
    let page = shown_of(&studio);
    assert!(page.contains("What whole-table levels would give") && page.contains("release-1"), "{page}");
    assert_eq!(studio.text(), RECIPE);
    studio.change(&PAGE, choose, &[("index", "0"), ("method", WHOLE_TABLE)]);
    let chosen = studio.text();
    assert!(chosen.contains("name = \"optimal\"") && chosen.matches("level = ").count() == 2, "{chosen}");
    assert!(chosen.contains("seed = 1"), "{chosen}");
    let page = shown_of(&studio);
    assert!(!page.contains("What whole-table levels would give") && page.contains(" chosen"), "{page}");
    studio.undo();
    assert_eq!(studio.text(), RECIPE);
}

/// The search repeated group by group has one release, and no levels of the whole table.
#[test]
fn levels_of_the_whole_table_are_without_recoding_by_group() {
    let studio = studio();
    let local = RECIPE.replace("name = \"mondrian\"", "name = \"optimal\"\nlocal-recoding = true");
    locked(&studio.app.project).as_mut().unwrap().replace(&studio.app.folders, local).unwrap();
    let page = shown_of(&studio);
    assert!(page.contains("optimal</code> with local recoding makes"), "{page}");
    studio.change(&PAGE, choose, &[("index", "0"), ("method", WHOLE_TABLE)]);
    let chosen = studio.text();
    assert!(!chosen.contains("local-recoding") && chosen.matches("level = ").count() == 2, "{chosen}");
}

#[test]
fn one_release_by_records_is_explained_where_people_have_several() {
    let row = |n: usize| format!("{},{},{}\n", n / 2, 20 + n / 2 % 40, ["F", "M"][n / 2 % 2]);
    let table = format!("who,age,sex\n{}", (0..400).map(row).collect::<String>());
    let person =
        RECIPE.replace("[attributes.age]", "[attributes.who]\nrole = \"person\"\n\n[attributes.age]");
    let of = |method: &str| {
        let recipe = person.replace("\"mondrian\"", &format!("\"{method}\""));
        shown_of(&Open::new(&[("t.csv", &table), ("recipe.toml", &recipe)]))
    };
    let page = of("relocation");
    assert!(page.contains("id=\"by-records\"") && page.contains("id=\"of-people\""), "{page}");
    assert!(page.contains("What whole-table levels would give") && page.contains("release-1"), "{page}");
    let page = of("mondrian");
    assert!(!page.contains("id=\"by-records\"") && page.contains("recodes each group"), "{page}");
}

#[test]
fn a_value_that_breaks_the_recipe_is_refused() {
    let studio = studio();
    let page = studio.post(set, &[("place", "privacy.0.k"), ("value", "1")]);
    assert!(page.contains("role=\"alert\"") && page.contains("protects nobody"), "{page}");
    assert_eq!(studio.text(), RECIPE);
    studio.post(set, &[("place", "privacy.0.k"), ("value", "3")]);
    assert!(studio.text().contains("k = 3\n"));
    // What is wrong already can be mended.
    let broken = RECIPE.replace("k = 5", "k = 1");
    locked(&studio.app.project).as_mut().unwrap().replace(&studio.app.folders, broken).unwrap();
    studio.post(set, &[("place", "privacy.0.k"), ("value", "2")]);
    assert!(studio.text().contains("k = 2\n"));
}

#[test]
fn the_limit_of_suppression_is_always_there() {
    let studio = studio();
    assert!(studio.shown(&PAGE).contains("the method has no limit"), "mondrian suppresses nothing");
    let named = RECIPE.replace("name = \"mondrian\"", "name = \"optimal\"");
    locked(&studio.app.project).as_mut().unwrap().replace(&studio.app.folders, named).unwrap();
    assert!(studio.shown(&PAGE).contains("step=\"0.5\" value=\"0\""));
    studio.post(suppress, &[("percent", "12.5")]);
    assert!(studio.text().contains("suppression-limit = 0.125\n"), "{}", studio.text());
    studio.settle();
    let page = studio.shown(&PAGE);
    assert!(page.contains("12.5 %") && !page.contains("set-method-suppression-limit"), "{page}");
    assert!(studio.post(suppress, &[("percent", "101")]).contains("role=\"alert\""));
}

#[test]
fn a_release_that_is_not_there_cannot_be_chosen() {
    let studio = studio();
    shown_of(&studio);
    for form in [
        &[("index", "999"), ("method", WHOLE_TABLE)][..],
        &[("index", "one")],
        &[("index", "0"), ("method", "none")],
        &[("index", "0"), ("method", WHOLE_TABLE), ("set", "attributes.age.level=9")],
    ] {
        assert!(studio.change(&PAGE, choose, form).contains("role=\"alert\""), "{form:?}");
        assert_eq!(studio.text(), RECIPE);
    }
}
