//! The release that is made with the mouse is the command line's of the recipe that is shown, byte for byte.

#![allow(clippy::unwrap_used, reason = "tests fail by panics")]

mod common;

use std::collections::BTreeMap;
use std::path::Path;

use common::Running;
use velamen_core::context::{Context, Silent};
use velamen_job::{RunOptions, anonymize};
use velamen_recipe::{Overrides, Recipe};

fn table() -> String {
    let row = |record: u32| {
        let (age, sex) = (20 + record * 7 % 60, if record.is_multiple_of(3) { "F" } else { "M" });
        format!("{age},{sex},{}\n", ["flu", "asthma", "stroke"][(record * 5 % 7 % 3) as usize])
    };
    "age,sex,diagnosis\n".to_owned() + &(0..600).map(row).collect::<String>()
}

fn bytes(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let file = |entry: std::io::Result<std::fs::DirEntry>| {
        let path = entry.unwrap().path();
        (path.file_name().unwrap().to_string_lossy().into_owned(), std::fs::read(path).unwrap())
    };
    folder.read_dir().unwrap().map(file).collect()
}

#[test]
fn studio_and_command_line_make_the_same_bytes() {
    for method in ["optimal", "h-ceiling", "mondrian"] {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("stays.csv"), table()).unwrap();
        let studio = Running::on(Some(folder.path()));
        let client = studio.entered();
        client.post("open/file", "file=stays.csv");
        client.until("attributes", "Role of diagnosis");
        client.post("attributes/role", "name=diagnosis&role=sensitive");
        client.post("attributes/role", "name=age&role=quasi-identifier");
        client.post("attributes/role", "name=sex&role=quasi-identifier");
        client.post("explore/set", &format!("place=method.name&value={method}"));
        client.post("release/seed", "fixed=yes");
        let shown = client.post("release/output", "output=by-mouse").recipe();
        client.post("release/run", "");
        client.until("release", "Made and checked");
        let released = bytes(&folder.path().join("by-mouse"));

        let path = folder.path().join("shown.toml");
        std::fs::write(&path, shown).unwrap();
        let overrides = Overrides { output: Some(folder.path().join("by-command")), ..Overrides::default() };
        let recipe = Recipe::load(&path, &overrides).unwrap().resolve().unwrap();
        let (seed, cancel) = (recipe.seed.clone().unwrap(), std::sync::atomic::AtomicBool::new(false));
        let context = Context { seed: &seed, progress: &Silent, cancel: &cancel };
        anonymize(&recipe, &RunOptions::default(), &context).unwrap();
        let by_command = bytes(&folder.path().join("by-command"));
        assert!(released.contains_key("data.csv") && released.contains_key("report.html"));
        assert_eq!(released, by_command, "{method}");
    }
}

/// A form is filled from the release that was made last, and shown as a page that may load nothing.
#[test]
fn a_form_is_filled_where_a_release_is_made() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("stays.csv"), table()).unwrap();
    let studio = Running::on(Some(folder.path()));
    let client = studio.entered();
    client.post("open/file", "file=stays.csv");
    client.until("attributes", "Role of diagnosis");
    client.post("attributes/role", "name=diagnosis&role=sensitive");
    client.post("attributes/role", "name=age&role=quasi-identifier");
    client.post("attributes/role", "name=sex&role=quasi-identifier");
    assert_eq!(client.get("evidence").status(), 404);
    client.post("release/run", "");
    client.until("release", "Made and checked");
    assert!(client.post("release/evidence", "form=nothing").0.contains("There is no form of this name"));
    client.post("release/evidence", "form=iso-27559");
    client.until("release", "Open the form");
    let form = client.get("evidence");
    assert!(form.header("content-security-policy").unwrap().contains("sandbox"));
    assert!(form.0.contains("ISO/IEC 27559") && !form.0.contains("class=\"stamp\""), "{}", form.0);
    client.post("release/evidence", "form=iso-27559&originals=yes");
    client.until("release", "Open the form");
    assert!(client.get("evidence").0.contains("class=\"stamp\""));
}

/// No exact figure of a private method before its release.
#[test]
fn private_methods_show_no_figure_before_the_release() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("stays.csv"), table()).unwrap();
    std::fs::write(
        folder.path().join("private.toml"),
        "[input]\npath = \"stays.csv\"\n\
         [attributes.age]\nrole = \"quasi-identifier\"\nhierarchy = { interval = [10, 20], min = 0, max = 99 }\n\
         [attributes.sex]\nrole = \"quasi-identifier\"\nhierarchy = { rows = [[\"F\", \"*\"], [\"M\", \"*\"]] }\n\
         [attributes.diagnosis]\nrole = \"sensitive\"\ndomain = [\"flu\", \"asthma\", \"stroke\"]\n\
         [[privacy]]\nmodel = \"differential-privacy\"\nepsilon = 1\n\
         [method]\nname = \"contingency-table\"\n[output]\npath = \"out\"\n",
    )
    .unwrap();
    let studio = Running::on(Some(folder.path()));
    let client = studio.entered();
    client.post("open/file", "file=private.toml");
    client.until("attributes", "Role of diagnosis");
    let explore = client.until("explore", "No exact figure is shown before the release").0;
    assert!(!explore.contains("id=\"release-1\""), "{explore}");
    for page in ["compare", "risk"] {
        let text = client.until(page, "role=\"alert\"").0;
        assert!(text.contains("no exact figure is shown before the release"), "{page}: {text}");
    }
}
