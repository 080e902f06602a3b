//! Releases of every form so far, as the programs of their time made them: what is known of them today, and that nothing
//! which their data show to be false is passed over. `releases/README.md` has who made them.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::PathBuf;

use serde_json::{Value, json};
use velamen_checker::{Finding, State};
use velamen_job::{conclusion, verify, write_report};
use velamen_report::manifest::FORMAT;

use super::context;
use super::forged::{Forged, releases};

/// The names of all fixtures.
fn all() -> Vec<String> {
    let folders = std::fs::read_dir(releases()).unwrap().map(|entry| entry.unwrap().path());
    let names = folders
        .filter(|path| path.is_dir())
        .map(|path| path.file_name().unwrap().to_str().unwrap().to_owned());
    names.collect::<BTreeSet<_>>().into_iter().collect()
}

fn manifest(forged: &Forged) -> Value {
    serde_json::from_str(&forged.read("release.json")).unwrap()
}

/// The exit code of `verify`, and all that it says.
fn answer(forged: &Forged) -> String {
    let mut answer = format!("exit code {}\n", forged.code());
    let findings = context(|context| verify(&forged.release(), None, context)).unwrap();
    for Finding { promise, asked, reached, state, .. } in &findings {
        writeln!(answer, "{state:?}: {promise}, asked {asked}, reached {reached}").unwrap();
    }
    answer + &forged.broken()
}

#[test]
fn every_form_so_far_has_a_release() {
    let format = |name: &String| manifest(&Forged::fixture(name)).get("format").and_then(Value::as_u64);
    let formats: BTreeSet<Option<u64>> = all().iter().map(format).collect();
    assert_eq!(formats, [None].into_iter().chain((1..FORMAT).map(Some)).collect());
}

/// The release whose one suppressed record shows its values: a class of one.
const ALONE: &str = "format-none";

/// What is older cannot be checked as a whole, unless it breaks by what it shows.
fn code_of(name: &str) -> u8 {
    if name == ALONE { 3 } else { 8 }
}

#[test]
fn releases_of_earlier_forms_are_verified_for_all_that_they_state() {
    for name in all() {
        let forged = Forged::fixture(&name);
        assert_eq!(forged.code(), code_of(&name), "{name}: {}", forged.broken());
        assert!(name == ALONE || forged.broken().contains("format"), "{name}: {}", forged.broken());
        insta::assert_snapshot!(name, answer(&forged));
    }
}

/// The lines of the data file below its header, and their class.
fn classes(text: &str) -> Vec<(String, u64)> {
    let class = |line: &str| line.split(',').next().unwrap().parse().unwrap_or(0);
    text.lines().skip(1).map(|line| (line.to_owned(), class(line))).collect()
}

/// A forger who drops records counts the others.
#[test]
fn a_class_below_k_is_broken_in_every_form() {
    for name in all() {
        let forged = Forged::fixture(&name);
        let k = manifest(&forged)["privacy"][0]["asked"]["k"].as_u64().unwrap();
        let text = forged.read("data.csv");
        let (mut kept, lines) = (0, classes(&text));
        let is_kept = |(_, class): &&(String, u64)| {
            kept += u64::from(*class == 1);
            *class != 1 || kept < k
        };
        let lines: Vec<String> = lines.iter().filter(is_kept).map(|(line, _)| line.clone()).collect();
        let header = text.lines().next().unwrap();
        forged.write("data.csv", format!("{header}\n{}\n", lines.join("\n")));
        forged.manifest(|manifest| manifest["records"] = lines.len().into());
        forged.is_broken("k-anonymity");
        assert!(!forged.broken().contains("records"), "{name}: {}", forged.broken());
    }
}

/// In one record, which then stands in a class that is not its own, and in a whole class.
#[test]
fn a_foreign_value_is_broken_in_every_form() {
    for name in all() {
        let forged = Forged::fixture(&name);
        let text = forged.read("data.csv");
        let label = text.lines().nth(1).unwrap().split(',').nth(1).unwrap().to_owned();
        let foreign = |line: &str| line.replacen(&format!(",{label},"), ",[7-300],", 1);
        forged.alter("data.csv", |text| text.replacen(&format!("1,{label},"), "1,[7-300],", 1));
        forged.is_broken("class-ids");
        forged.write("data.csv", text.lines().map(|line| foreign(line) + "\n").collect::<String>());
        forged.is_broken("labels");
    }
}

#[test]
fn a_report_that_runs_or_loads_something_is_broken_in_every_form() {
    for name in all() {
        for active in [
            "<script>x()</script>",
            "<img src=http://x/y>",
            "<p onclick=x()></p>",
            "<style>@import 'http://x'</style>",
        ] {
            let forged = Forged::fixture(&name);
            forged.alter("report.html", |text| text.replacen("</body>", &format!("{active}</body>"), 1));
            forged.is_broken("report");
        }
    }
}

#[test]
fn a_catalog_that_does_not_add_up_is_broken_in_every_form() {
    let catalogued = |name: &String| Forged::fixture(name).path("catalog.csv").exists();
    let catalogued: Vec<String> = all().into_iter().filter(catalogued).collect();
    assert!(catalogued.len() > 1, "{catalogued:?}");
    for name in catalogued {
        let forged = Forged::fixture(&name);
        forged.alter("catalog.csv", |text| text.lines().take(2).map(|line| format!("{line}\n")).collect());
        forged.is_broken("counterfeits");
        forged.alter("catalog.csv", |text| text.replacen(",0,", ",12,", 1));
        forged.is_broken("catalog");
    }
}

#[test]
fn files_that_do_not_belong_there_and_promises_that_are_not_kept_are_broken_in_every_form() {
    for name in all() {
        let forged = Forged::fixture(&name);
        forged.write("original.csv", "name\n");
        forged.is_broken("files");
        let forged = Forged::fixture(&name);
        forged.manifest(|manifest| manifest["privacy"][0]["asked"]["k"] = json!(40));
        forged.is_broken("k-anonymity");
        let forged = Forged::fixture(&name);
        forged.manifest(|manifest| manifest["utility"]["lm"]["value"] = json!(0.001));
        forged.is_broken("utility");
        let forged = Forged::fixture(&name);
        forged.alter("data.csv", |text| text.lines().map(|line| format!("{line},x\n")).collect());
        forged.is_broken("data");
    }
}

/// What no run ever stated is false in every form.
#[test]
fn limits_and_shares_that_are_none_are_broken_in_every_form() {
    for name in all() {
        for (place, key, none) in [
            ("", "sample", json!(7.0)),
            ("", "risk", json!(-1.0)),
            ("/method", "suppression-limit", json!(1.5)),
            ("/method", "counterfeit-limit", json!("all")),
            ("/method", "least-real", json!(0)),
        ] {
            let forged = Forged::fixture(&name);
            forged.manifest(|manifest| {
                let there = manifest.pointer_mut(place).and_then(Value::as_object_mut).unwrap();
                there.insert(key.into(), none.clone());
            });
            forged.is_broken("manifest");
        }
    }
}

/// Neither a form that the release does not have nor another version is a way to a better verdict.
#[test]
fn an_earlier_release_that_is_called_a_later_one_is_not_verified() {
    for name in all() {
        let forged = Forged::fixture(&name);
        forged.manifest(|manifest| manifest["format"] = FORMAT.into());
        assert!([3, 8].contains(&forged.code()), "{name}: {}", forged.broken());
        let forged = Forged::fixture(&name);
        forged.manifest(|manifest| {
            manifest["format"] = FORMAT.into();
            manifest["velamen"] = env!("CARGO_PKG_VERSION").into();
        });
        assert_eq!(forged.code(), 3, "{name}: {}", forged.broken());
    }
}

/// What reads releases reads all of them, and the page that is made again says what was not compared.
#[test]
fn earlier_releases_are_read_and_their_page_is_made_again() {
    for name in all() {
        let forged = Forged::fixture(&name);
        let page: PathBuf = forged.0.path().join("page.html");
        let findings = context(|context| write_report(&forged.release(), &page, None, context)).unwrap();
        assert_eq!(conclusion(&findings).unwrap_err().exit_code(), code_of(&name), "{name}");
        let is_broken = findings.iter().any(|finding| finding.state == State::Broken);
        assert_eq!(is_broken, name == ALONE, "{name}");
        let verdict = if is_broken { "Broken:" } else { "Not all is checked:" };
        assert!(std::fs::read_to_string(&page).unwrap().contains(verdict), "{name}");
    }
}

#[test]
fn an_older_number_hides_nothing() {
    let forged = Forged::new();
    for format in [json!(1), json!(2), Value::Null] {
        forged.manifest(|manifest| manifest["format"] = format.clone());
        assert_eq!(forged.code(), 8, "{format}: {}", forged.broken());
    }
    forged.manifest(|manifest| manifest["format"] = json!(3));
    forged.manifest(|manifest| manifest["velamen"] = json!("9.9.9"));
    // The files for recipients name the version.
    assert_eq!(forged.code(), 8, "{}", forged.broken());
    forged.alter("data.csv", |text| text.replacen("ClassID", "\"ClassID\"", 1));
    assert_eq!(forged.code(), 8, "another version may quote otherwise: {}", forged.broken());
}
