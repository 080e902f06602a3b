//! The public report tells what the release folder tells, and nothing more.

use crate::common::{CANARY, Folder, H_CEILING, OPTIMAL, patients, recipe};

const MONDRIAN: &str = "name = \"mondrian\"";
const MDAV: &str = "name = \"mdav\"";

#[test]
fn the_public_report_can_be_made_again_from_the_folder() {
    for method in [H_CEILING, OPTIMAL, MONDRIAN, MDAV] {
        let folder = Folder::with(method);
        folder.ok(&["anonymize", "recipe.toml"]);
        folder.ok(&["report", "release", "--output", "again.html"]);
        assert!(folder.read("again.html") == folder.read("release/report.html"), "{method}");
    }
}

#[test]
fn a_broken_release_is_called_broken_on_the_page() {
    let folder = Folder::with(OPTIMAL);
    folder.ok(&["anonymize", "recipe.toml"]);
    let manifest = folder.read("release/release.json").replace("\"k\": 5", "\"k\": 50");
    folder.write("release/release.json", manifest);
    let run = folder.run(&["report", "release", "--output", "again.html"]);
    assert_eq!(run.code, 3, "{}", run.err);
    assert!(folder.read("again.html").contains("k-anonymity</span> is not kept."));
}

/// One record has a sex that nobody else has; it is suppressed, and attributes without a hierarchy have no
/// public domain.
#[test]
fn values_of_suppressed_records_are_named_to_the_custodian_alone() {
    let folder = Folder::new();
    folder.write("patients.csv", patients() + &format!("38,{CANARY},I63\n"));
    folder.write("recipe.toml", recipe("name = \"optimal\"\nsuppression-limit = 0.1"));
    folder.ok(&["anonymize", "recipe.toml"]);
    assert_eq!(folder.json("release/release.json")["suppressed"], 1);
    assert!(!folder.read("release/report.html").contains(CANARY));
    assert!(!folder.read("release/data.csv").contains(CANARY));
    let page = folder.read("release.custodian/custodian-report.html");
    assert!(page.contains(CANARY) && page.contains("Never publish it."));
}

#[test]
fn class_sizes_of_the_originals_are_on_the_custodians_page_alone() {
    let folder = Folder::with(OPTIMAL);
    folder.ok(&["anonymize", "recipe.toml"]);
    let told = |page: &str| folder.read(page).contains("How large the groups of the original data were");
    assert!(!told("release/report.html") && told("release.custodian/custodian-report.html"));
}

#[test]
fn what_is_no_release_is_refused() {
    let folder = Folder::new();
    folder.refused(&["report", "nowhere", "--output", "x.html"], 6, &["nowhere", "release.json"]);
}

#[test]
fn a_page_replaces_nothing_but_a_page() {
    let folder = Folder::with(OPTIMAL);
    folder.ok(&["anonymize", "recipe.toml"]);
    let data = folder.read("release/data.csv");
    for target in ["release/data.csv", "release/release.json", "release/other.html", "patients.csv"] {
        folder.refused(&["report", "release", "--output", target], 2, &[target]);
    }
    assert!(folder.read("release/data.csv") == data);
    folder.ok(&["report", "release", "--output", "release/report.html"]);
    folder.ok(&["report", "release", "--output", "again.html"]);
    folder.ok(&["report", "release", "--output", "again.html"]);
}

#[test]
fn the_page_says_what_the_method_does() {
    let page = |method: &str| {
        let folder = Folder::with(method);
        folder.ok(&["anonymize", "recipe.toml"]);
        folder.read("release/report.html")
    };
    let local = page("name = \"optimal\"\nsuppression-limit = 0.2\nlocal-recoding = true");
    assert!(local.contains("No combination is proven") && !local.contains("proven that none"));
    assert!(page(OPTIMAL).contains("proven that none"));
}

#[test]
fn changed_values_have_no_truthful_version() {
    for method in [MDAV, "name = \"relocation\"\nsuppression-limit = 0.5"] {
        let folder = Folder::with(method);
        folder.ok(&["anonymize", "recipe.toml"]);
        folder.refused(&["truthful", "release", "--output", "t.csv"], 2, &["changes values"]);
    }
}
