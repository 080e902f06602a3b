//! The page as its handlers answer, over a small table.

use super::*;
use crate::opened::Open;

const TABLE: &str =
    "age,school,sex,illness\n17,9th,F,flu\n25,BSc,M,flu\n42,MSc,F,cold\n61,10th,M,cold\n90,PhD,F,flu\n";

const ARX: &str = "9th;low;*\n10th;low;*\nBSc;high;*\nMSc;high;*\n";

const RECIPE: &str = "# Mine.\n[input]\npath = \"t.csv\"\n\n[attributes.age]\nrole = \"quasi-identifier\"\n\n\
    [attributes.school]\nrole = \"quasi-identifier\"\nhierarchy = \"school.csv\"\nlevel = 1\n\n\
    [attributes.sex]\nrole = \"quasi-identifier\"\n\n[attributes.illness]\nrole = \"sensitive\"\n\n\
    [[privacy]]\nmodel = \"k-anonymity\"\nk = 2\n\n[output]\npath = \"out\"\n";

fn studio() -> Open {
    let studio = Open::new(&[
        ("t.csv", TABLE),
        ("school.csv", ARX),
        ("t_hierarchy_sex.csv", "F;*\nM;*\n"),
        ("recipe.toml", RECIPE),
    ]);
    for name in ["age", "school", "sex", "illness"] {
        shown_of(&studio, name);
    }
    studio
}

/// The page of an attribute, once its column is read.
fn shown_of(studio: &Open, name: &str) -> String {
    studio.post(again, &[("attribute", name)]);
    studio.settle();
    studio.post(again, &[("attribute", name)])
}

#[test]
fn every_kind_has_a_form_that_can_be_filled_in() {
    let studio = studio();
    for of in form::kinds() {
        let page = studio.post(kind, &[("attribute", "age"), ("kind", &of.id)]);
        assert!(page.contains("id=\"hierarchy-form\"") && page.contains("id=\"picture\""), "{}", of.id);
        assert!(of.is_rows() || page.contains("id=\"use\""), "{}", of.id);
    }
    assert_eq!(studio.text(), RECIPE);
}

#[test]
fn a_preview_leaves_the_recipe_and_use_changes_it() {
    let studio = studio();
    let filled = [
        ("attribute", "age"),
        ("kind", "interval"),
        ("f.interval", "5, 10, 20"),
        ("f.min", "0"),
        ("f.max", "99"),
    ];
    let page = studio.post(preview, &filled);
    assert!(page.contains("A preview") && page.contains("Level 4"), "{page}");
    assert_eq!(studio.text(), RECIPE);
    let page = studio.post(take, &filled);
    assert!(!page.contains("A preview") && !page.contains("role=\"alert\""), "{page}");
    let line = "hierarchy = { interval = [5, 10, 20], min = 0, max = 99 }\n";
    assert_eq!(
        studio.text(),
        RECIPE.replacen("role = \"quasi-identifier\"\n", &format!("role = \"quasi-identifier\"\n{line}"), 1)
    );
    studio.undo();
    assert_eq!(studio.text(), RECIPE);
}

#[test]
fn what_is_wrong_is_said_and_what_was_typed_stays() {
    let studio = studio();
    let filled =
        [("attribute", "age"), ("kind", "interval"), ("f.interval", "5, 7"), ("f.min", "0"), ("f.max", "99")];
    let page = studio.post(take, &filled);
    assert!(page.contains("value=\"5, 7\""), "{page}");
    assert_eq!(page.matches("must be a larger multiple of the one before").count(), 1, "said once: {page}");
    assert_eq!(studio.text(), RECIPE);
}

#[test]
fn a_file_of_arx_is_changed_in_the_recipe_and_saved_beside_it() {
    let studio = studio();
    let page = shown_of(&studio, "school");
    assert!(page.contains("1 of the column's values") && page.contains("The file stays as it is"), "{page}");
    studio.post(table::rows, &[("attribute", "school"), ("part", "1"), ("op", "add")]);
    studio.post(
        table::rows,
        &[
            ("attribute", "school"),
            ("part", "1"),
            ("op", "move"),
            ("item", "PhD"),
            ("item", "10th"),
            ("to", "high"),
        ],
    );
    let text = studio.text();
    assert!(
        text.contains("hierarchy = { rows = [\n  [\"9th\", \"low\", \"*\"],\n")
            && text.contains("[\"PhD\", \"high\", \"*\"],\n"),
        "{text}"
    );
    assert!(text.starts_with("# Mine.") && text.contains("level = 1"));
    let page = studio.post(files::save, &[("attribute", "school"), ("file", "school-2.csv")]);
    assert!(!page.contains("role=\"alert\""), "{page}");
    assert!(studio.text().contains("hierarchy = \"school-2.csv\"\n"));
    let file = |name: &str| std::fs::read_to_string(studio.folder.path().join(name)).unwrap();
    assert_eq!(file("school-2.csv"), "9th;low;*\nBSc;high;*\nMSc;high;*\n10th;high;*\nPhD;high;*\n");
    assert_eq!(file("school.csv"), ARX);
    let page = shown_of(&studio, "school");
    assert!(!page.contains("have no place") && page.contains("The file stays as it is"), "{page}");
    studio.undo();
    studio.undo();
    studio.undo();
    assert_eq!(studio.text(), RECIPE);
}

#[test]
fn files_are_neither_replaced_nor_put_elsewhere() {
    let studio = studio();
    studio.post(table::rows, &[("attribute", "sex"), ("op", "list")]);
    for name in ["school.csv", "../sex.csv", "/tmp/sex.csv", "sex.toml", ""] {
        let page = studio.post(files::save, &[("attribute", "sex"), ("file", name)]);
        assert!(page.contains("role=\"alert\""), "{name}: {page}");
    }
    assert_eq!(std::fs::read_to_string(studio.folder.path().join("school.csv")).unwrap(), ARX);
}

#[test]
fn no_file_outside_the_folder_is_read() {
    let studio = studio();
    let secret = studio.folder.path().parent().unwrap().join("velamen-secret.csv");
    for file in [secret.to_str().unwrap(), "../velamen-secret.csv", "/etc/passwd"] {
        for kind in [("file", "file"), ("us-zip", "f.us-zip")] {
            let page = studio.post(preview, &[("attribute", "sex"), ("kind", kind.0), (kind.1, file)]);
            assert!(page.contains("outside the folder"), "{file}: {page}");
            studio.post(take, &[("attribute", "sex"), ("kind", kind.0), (kind.1, file)]);
            assert_eq!(studio.text(), RECIPE);
        }
    }
}

#[test]
fn any_hierarchy_becomes_rows() {
    let studio = studio();
    studio.post(
        take,
        &[
            ("attribute", "age"),
            ("kind", "interval"),
            ("f.interval", "10, 50"),
            ("f.min", "0"),
            ("f.max", "99"),
        ],
    );
    studio.post(table::rows, &[("attribute", "age"), ("op", "list")]);
    assert!(studio.text().contains("  [\"90\", "), "{}", studio.text());
    let page = studio.post(
        table::rows,
        &[
            ("attribute", "age"),
            ("part", "1"),
            ("op", "group"),
            ("item", "17"),
            ("item", "25"),
            ("name", "young"),
        ],
    );
    assert!(page.contains("value=\"young\""), "{page}");
    let page =
        studio.post(table::rows, &[("attribute", "age"), ("part", "1"), ("op", "group"), ("name", "nobody")]);
    assert!(page.contains("choose the values or groups first"), "{page}");
}

#[test]
fn levels_that_a_new_hierarchy_lacks_go() {
    let studio = studio();
    studio.post(take, &[("attribute", "school"), ("kind", "")]);
    assert!(!studio.text().contains("school.csv") && studio.text().contains("level = 1"));
    let studio = Open::new(&[
        ("t.csv", TABLE),
        ("school.csv", ARX),
        ("recipe.toml", &RECIPE.replace("level = 1", "level = 2")),
    ]);
    shown_of(&studio, "school");
    studio.post(take, &[("attribute", "school"), ("kind", "")]);
    assert!(!studio.text().contains("level = 2"), "{}", studio.text());
}

#[test]
fn files_named_after_attributes_are_taken_at_once() {
    let studio = studio();
    studio.post(files::matched, &[("attribute", "age")]);
    assert!(studio.text().contains("hierarchy = \"t_hierarchy_sex.csv\"\n"), "{}", studio.text());
    studio.undo();
    assert_eq!(studio.text(), RECIPE);
}

/// No value of a cell before the person asks, but those that the hierarchy's file lists.
#[test]
fn values_are_hidden_until_asked_for() {
    let studio = studio();
    let page = shown_of(&studio, "age");
    let main = page.split("<aside").next().unwrap();
    assert!(!main.contains(">90<") && main.contains("value 1"), "{main}");
    assert!(studio.post(values, &[("attribute", "age")]).contains(">90<"));
}

/// `top` goes with intervals, cuts and no hierarchy: beside a file the run would refuse it.
#[test]
fn coding_goes_where_the_hierarchy_cannot_have_it() {
    let text = RECIPE.replace("[attributes.school]", "top = 90\n\n[attributes.school]");
    let ages = "17;young;*\n25;young;*\n42;old;*\n61;old;*\n90;old;*\n";
    let studio =
        Open::new(&[("t.csv", TABLE), ("school.csv", ARX), ("age.csv", ages), ("recipe.toml", &text)]);
    shown_of(&studio, "age");
    studio.post(files::matched, &[]);
    assert!(
        studio.text().contains("hierarchy = \"age.csv\"") && !studio.text().contains("top = "),
        "{}",
        studio.text()
    );
    studio.undo();
    shown_of(&studio, "age");
    let form = [
        ("attribute", "age"),
        ("kind", "interval"),
        ("f.interval", "10, 30"),
        ("f.min", "0"),
        ("f.max", "119"),
    ];
    studio.post(take, &form);
    assert!(
        studio.text().contains("top = 90") && studio.text().contains("interval = [10, 30]"),
        "{}",
        studio.text()
    );
}
