//! What a page says in one place it does not deny in another.

use crate::common::{Folder, H_CEILING, OPTIMAL, recipe};
use serde_json::Value;

/// 60 people of two ages, of whom three of another age are suppressed; their diagnoses are nobody else's.
fn suppressing() -> Folder {
    let folder = Folder::new();
    let mut table = String::from("age,sex,diagnosis\n");
    for person in 0..60 {
        let (sex, diagnosis) = (["F", "M"][person % 2], ["I63", "J18", "C34"][person / 2 % 3]);
        table += &format!("{},{sex},{diagnosis}\n", 30 + person % 3);
    }
    table += "97,F,A00\n97,F,A00\n97,F,Z99\n";
    folder.write("patients.csv", table);
    let recipe = recipe("name = \"optimal\"\nsuppression-limit = 0.1\nseed = 1");
    let rows = "hierarchy = { rows = [[\"I63\", \"*\"], [\"J18\", \"*\"], [\"C34\", \"*\"], [\"A00\", \"*\"], [\"Z99\", \"*\"]] }";
    folder.write(
        "recipe.toml",
        recipe.replace("role = \"sensitive\"", &format!("role = \"sensitive\"\n{rows}")),
    );
    folder.ok(&["anonymize", "recipe.toml"]);
    folder
}

/// The rows of the table under the figure of a column: label and percentages.
fn shares(page: &str, column: &str) -> Vec<Vec<String>> {
    let heading = format!("<th scope=\"col\">{column}</th>");
    let at = page.find(&heading).unwrap_or_else(|| panic!("no numbers of {column}"));
    let table = &page[at..at + page[at..].find("</table>").unwrap()];
    let cells = |row: &str| -> Vec<String> {
        row.split(['<', '>'])
            .step_by(2)
            .map(str::trim)
            .filter(|text| !text.is_empty())
            .map(str::to_owned)
            .collect()
    };
    table.split("<tr>").skip(1).map(cells).collect()
}

/// The suppressed records show no diagnosis: that is what they are called, and the original shares are those of the original.
#[test]
fn what_is_suppressed_is_not_missing() {
    let folder = suppressing();
    let data = folder.read("release/data.csv");
    assert_eq!(data.lines().filter(|line| line.ends_with(",*")).count(), 3, "{data}");
    let page = folder.read("release/report.html");
    assert!(!page.contains("(missing)"), "no value is missing");
    assert!(!page.contains("unless the recipe declares them"), "all values are declared");
    let labels: Vec<String> = shares(&page, "diagnosis").into_iter().map(|row| row[0].clone()).collect();
    assert_eq!(labels, ["C34", "I63", "J18", "suppressed"]);
    assert!(page.contains("as recorded, except for the suppressed records, which show no value"));
    let custodian = folder.read("release.custodian/custodian-report.html");
    let rows = shares(&custodian, "diagnosis");
    let of = |label: &str| rows.iter().find(|row| row[0] == label).unwrap()[1].clone();
    // 20 of 63 each; what no released record shows is counted with the suppressed ones.
    assert_eq!(
        [of("C34"), of("I63"), of("J18")].map(|share| share.replace('\u{202f}', " ")),
        ["31.7 %"; 3].map(str::to_owned)
    );
    assert_eq!(of("suppressed").replace('\u{202f}', " "), "4.8 %");
}

#[test]
fn no_page_says_that_groups_are_filled_up_where_none_is() {
    let folder = Folder::with("name = \"h-ceiling\"\nleast-real = 5\nh = 0.9\nsuppression-limit = 0.2");
    folder.ok(&["anonymize", "recipe.toml"]);
    let manifest: Value = folder.json("release/release.json");
    assert_eq!(manifest["counterfeits"], 0);
    let page = folder.read("release/report.html");
    assert!(
        page.contains("There are no counterfeits") && !page.contains("too small are filled up"),
        "{page}"
    );
    assert!(page.contains("are suppressed, or filled up with counterfeit records"));
}

/// Figures are numbered without a gap, whatever a page leaves out.
#[test]
fn figures_are_numbered_one_after_the_other() {
    for method in ["name = \"mdav\"", OPTIMAL, H_CEILING] {
        let folder = Folder::with(method);
        folder.ok(&["anonymize", "recipe.toml"]);
        for page in ["release/report.html", "release.custodian/custodian-report.html"] {
            let page = folder.read(page);
            let numbers =
                page.split("<strong>Figure ").skip(1).map(|rest| rest.split('.').next().unwrap().to_owned());
            let numbers: Vec<String> = numbers.collect();
            let expected: Vec<String> = (1..=numbers.len()).map(|number| number.to_string()).collect();
            assert!(numbers.len() > 1 && numbers == expected, "{method}: {numbers:?}");
        }
    }
}

/// Values that others have are not recorded ones, and noise records nothing.
#[test]
fn moved_and_noisy_values_are_not_as_recorded() {
    let folder = Folder::with("name = \"relocation\"\nsuppression-limit = 0.5");
    folder.ok(&["anonymize", "recipe.toml"]);
    let page = folder.read("release/report.html");
    assert!(page.contains("as recorded; records that stood out show another group's"));
    assert!(page.contains("at 0 %, nothing is generalized") && !page.contains("at 0 %, all is as recorded"));
    let folder = Folder::new();
    folder.write("patients.csv", crate::common::patients());
    folder.write(
        "recipe.toml",
        crate::common::private_recipe(
            "interval = [20]",
            "[method]\nname = \"contingency-table\"\nseed = 2\n",
        ) + "path = \"release\"\n",
    );
    let run = folder.run(&["anonymize", "recipe.toml"]);
    assert_eq!(run.code, 0, "{}", run.err);
    let page = folder.read("release/report.html");
    assert!(page.contains("not generalized") && page.contains("at 0 %, nothing is generalized"), "{page}");
}
