//! What a page says of a release at once: its colour, what speaks against it and of how many people that holds.

use crate::common::{Folder, H_CEILING, OPTIMAL, patients, recipe};

/// The words of a page, without its tags.
fn words(page: &str) -> String {
    let mut text = String::new();
    let mut rest = page;
    while let Some((before, tag)) = rest.split_once('<') {
        text += before;
        rest = tag.split_once('>').map_or("", |(_, after)| after);
        // Inline elements are no gap between words.
        if tag.starts_with("/p") || tag.starts_with("/td") || tag.starts_with("/dd") {
            text.push(' ');
        }
    }
    text + rest
}

/// The class of the verdict and its words.
fn verdict(page: &str) -> (String, String) {
    let (_, rest) = page.split_once("class=\"verdict ").unwrap();
    let (class, rest) = rest.split_once('"').unwrap();
    let (_, rest) = rest.split_once('>').unwrap();
    (class.to_owned(), words(rest.split_once("</header>").unwrap().0))
}

fn released(text: &str, table: &str) -> (Folder, String) {
    let folder = Folder::new();
    folder.write("patients.csv", table);
    folder.write("recipe.toml", text);
    folder.ok(&["anonymize", "recipe.toml"]);
    let page = folder.read("release/report.html");
    folder.ok(&["report", "release", "--output", "again.html"]);
    assert!(folder.read("again.html") == page, "a recipient has another page");
    folder.ok(&["verify", "release"]);
    (folder, page)
}

/// Four wards of ten people, whose sensitive columns say what each case needs.
fn wards(header: &str, cells: impl Fn(usize, usize) -> String) -> String {
    let rows =
        (0..40).map(|row| format!("{},{}\n", ["N", "S", "E", "W"][row / 10], cells(row / 10, row % 10)));
    format!("ward,{header}\n") + &rows.collect::<String>()
}

/// A recipe for them: sections of sensitive columns, then models.
fn of_wards(attributes: &str, models: &str) -> String {
    format!(
        "[input]\npath = \"patients.csv\"\n[attributes.ward]\nrole = \"quasi-identifier\"\n{attributes}\n\
         {models}\n[method]\nname = \"optimal\"\n[output]\npath = \"release\"\n"
    )
}

const DIAGNOSIS: &str = "[attributes.diagnosis]\nrole = \"sensitive\"";
const K: &str = "[[privacy]]\nmodel = \"k-anonymity\"\nk = 5";
const L: &str = "[[privacy]]\nmodel = \"distinct-l-diversity\"\nattribute = \"diagnosis\"\nl = 2";

fn diagnosis(ward: usize, row: usize) -> String {
    ["I63", "J18", "E11", "C50"][(ward + row) % 4].to_owned()
}

#[test]
fn a_careful_release_is_green() {
    let (_, page) = released(&of_wards(DIAGNOSIS, &format!("{K}\n{L}")), &wards("diagnosis", diagnosis));
    let (colour, said) = verdict(&page);
    assert!(colour == "holds" && said.contains("The promises are kept."), "{colour} {said}");
}

#[test]
fn a_sensitive_column_without_a_model_is_named() {
    let attributes = format!("{DIAGNOSIS}\n[attributes.income]\nrole = \"sensitive\"");
    let table = wards("diagnosis,income", |ward, row| format!("{},{}", diagnosis(ward, row), row * 1000));
    let (_, page) = released(&of_wards(&attributes, &format!("{K}\n{L}")), &table);
    let (colour, said) = verdict(&page);
    assert_eq!(colour, "but", "{said}");
    assert!(
        said.contains("sensitive column income: a group may tell its value. It is shown of 40 records."),
        "{said}"
    );
    assert!(!said.contains("sensitive column diagnosis"), "{said}");
}

/// Of two wards all have one diagnosis, differently written; of one all have diagnoses of one parent.
#[test]
fn what_a_group_tells_of_everybody_is_counted() {
    let table = wards("diagnosis", |ward, row| match ward {
        0 => ["F32", "f32"][row % 2].to_owned(),
        1 => "I63".to_owned(),
        2 => ["F32", "F33"][row % 2].to_owned(),
        _ => diagnosis(0, row),
    });
    let rows = "rows = [[\"F32\", \"F\", \"*\"], [\"f32\", \"F\", \"*\"], [\"F33\", \"F\", \"*\"], [\"I63\", \"I\", \"*\"], \
                [\"J18\", \"J\", \"*\"], [\"E11\", \"E\", \"*\"], [\"C50\", \"C\", \"*\"]]";
    let attributes = format!("{DIAGNOSIS}\nhierarchy = {{ {rows} }}");
    let (folder, page) = released(&of_wards(&attributes, K), &table);
    let (colour, said) = verdict(&page);
    assert_eq!(colour, "but", "{said}");
    assert!(said.contains("20 records stand in groups that all share one value of diagnosis"), "{said}");
    assert!(said.contains("10 records stand in groups that all have values with one parent in"), "{said}");
    let own = words(&folder.read("release.custodian/custodian-report.html"));
    assert!(own.contains("the diagnosis is certain of 20 records"), "{own}");
    assert!(own.contains("Of 10 more it has values with one parent"), "{own}");
    assert!(!own.contains("Of 0 more") && !own.contains("certain of 0"), "{own}");
    assert!(!words(&page).contains("By their original records"));
    // The same numbers elsewhere: 10 and 20 of 40 records.
    let json = |arguments: &[&str]| -> serde_json::Value {
        serde_json::from_str(&folder.ok(&[arguments, &["--json"]].concat()).out).unwrap()
    };
    let measured = json(&["measure", "release"]);
    assert_eq!(measured["similar"]["diagnosis"], serde_json::json!({ "value": 20, "parent": 10, "near": 0 }));
    assert!(folder.ok(&["measure", "release"]).out.contains("records in groups that tell more than l says:"));
    let attacked = json(&["attack", "release", "--original", "patients.csv", "--attacks", "inference"]);
    let figures = attacked["attacks"][0]["figures"].as_array().unwrap();
    let of = |what: &str| {
        figures.iter().find(|one| one["what"] == format!("diagnosis: {what}")).unwrap()["rate"].as_f64()
    };
    // `F32` and `f32` are two values to a program, of one parent.
    assert_eq!([of("certain of one value"), of("certain of one parent")], [Some(0.25), Some(0.75)]);
}

/// Where all groups are larger than the k that is asked for, and where nothing is certain of anybody, no 0 is counted.
#[test]
fn nothing_is_said_of_nobody() {
    let table = wards("diagnosis", diagnosis);
    let k = "[[privacy]]\nmodel = \"k-anonymity\"\nk = 4";
    let (folder, page) = released(&of_wards(DIAGNOSIS, &format!("{k}\n{L}")), &table);
    let (colour, said) = verdict(&page);
    assert!(colour == "but" && !said.contains(" 0 "), "{colour}: {said}");
    assert!(said.contains("at least 5 is usual: every group has that many here"), "{said}");
    let own = words(&folder.read("release.custodian/custodian-report.html"));
    assert!(own.contains("the diagnosis is certain of nobody."), "{own}");
}

/// Two shields are two promises of one model: it is named once, and each is about its own attributes.
#[test]
fn shields_are_judged_by_their_own_attributes() {
    let table =
        wards("sex,diagnosis", |ward, row| format!("{},{}", ["F", "M"][row % 2], diagnosis(ward, row)));
    let sex = "[attributes.sex]\nrole = \"quasi-identifier\"";
    let shield = |of: &str| format!("[[privacy]]\nmodel = \"k-anonymity\"\nk = 4\nattributes = [\"{of}\"]");
    let text = of_wards(&format!("{DIAGNOSIS}\n{sex}"), &format!("{}\n{}", shield("ward"), shield("sex")));
    let (_, page) = released(&text.replace("\"optimal\"", "\"iab\""), &table);
    let (_, said) = verdict(&page);
    assert!(said.contains("kept: k-anonymity.") && !said.contains("stand in groups"), "{said}");
    assert!(
        said.contains("every group by ward has that many") && said.contains("every group by sex has"),
        "{said}"
    );
}

/// Incomes from 0 to 39,000; those of one ward differ by 90.
#[test]
fn numbers_that_lie_close_together_are_one_value() {
    let table = wards("income", |ward, row| match ward {
        0 => (20_000 + row * 10).to_string(),
        _ => (row * 4_000 + ward).to_string(),
    });
    let model = "[[privacy]]\nmodel = \"distinct-l-diversity\"\nattribute = \"income\"\nl = 2";
    let text = of_wards("[attributes.income]\nrole = \"sensitive\"", &format!("{K}\n{model}"));
    let (colour, said) = verdict(&released(&text, &table).1);
    assert_eq!(colour, "but", "{said}");
    assert!(said.contains("10 records stand in groups that all have nearly one value of income"), "{said}");
}

#[test]
fn a_missing_value_is_no_value_to_choose_from() {
    let table = wards("diagnosis", |ward, row| match (ward, row) {
        (1, 0..5) => String::new(),
        (1, _) => "I63".to_owned(),
        _ => diagnosis(ward, row),
    });
    let (colour, said) = verdict(&released(&of_wards(DIAGNOSIS, &format!("{K}\n{L}")), &table).1);
    assert_eq!(colour, "but", "{said}");
    assert!(said.contains("one of the l = 2 values: without it, 10 records stand in groups"), "{said}");
}

#[test]
fn less_than_is_usual_is_named_and_so_is_a_high_risk() {
    let weak = "[[privacy]]\nmodel = \"alpha-k-anonymity\"\nattribute = \"diagnosis\"\nalpha = 1\nk = 4";
    let (colour, said) = verdict(&released(&of_wards(DIAGNOSIS, weak), &wards("diagnosis", diagnosis)).1);
    assert_eq!(colour, "but", "{said}");
    assert!(said.contains("k = 4, and at least 5 is usual: every group has that many here"), "{said}");
    assert!(said.contains("alpha = 1, which rules nothing out") && said.contains("all 40 records"), "{said}");
    // Three of one ward are alone there.
    let few = wards("diagnosis", diagnosis) + "C,I63\nC,J18\nC,E11\n";
    let text = of_wards(DIAGNOSIS, &format!("[[privacy]]\nmodel = \"k-anonymity\"\nk = 3\n{L}"));
    let (_, said) = verdict(&released(&text, &few).1);
    assert!(
        said.contains("k = 3, and at least 5 is usual: 3 records stand in groups of fewer than 5"),
        "{said}"
    );
    assert!(said.contains("(1 in 3): 3 records are above 20.0"), "{said}");
}

/// A pseudonym that repeats tells people apart.
#[test]
fn people_are_counted_where_they_are_known() {
    // Each of ten people has two records in one ward and two in the next; sex differs, so that nobody takes it for a person's number.
    let table = wards("patient,sex,diagnosis", |ward, row| {
        format!("p{}{},{},I63", ward / 2, row / 2, ["f", "m"][row % 2])
    });
    let pseudonym = "[attributes.patient]\nrole = \"identifier\"\npseudonym = \"hmac-sha256\"";
    let folder = Folder::new();
    folder.write("patients.csv", table);
    let sex = "[attributes.sex]\nrole = \"identifier\"";
    let text = of_wards(&format!("{DIAGNOSIS}\n{pseudonym}\n{sex}"), K);
    folder.write("recipe.toml", format!("key = {{ file = \"key\" }}\n{text}"));
    folder.write("key", "0123456789abcdef0123456789abcdef");
    folder.ok(&["anonymize", "recipe.toml"]);
    let (_, said) = verdict(&folder.read("release/report.html"));
    assert!(said.contains("10 people stand in groups that all share one value of diagnosis"), "{said}");
}

/// Blanked records count nowhere; those that show their values are a group like any other.
#[test]
fn suppressed_records_count_where_they_show_something() {
    let table = wards("diagnosis", diagnosis) + "C,B20\n";
    let text = |how: &str| {
        let method = format!("name = \"optimal\"\nsuppression-limit = 0.5\nsuppress = \"{how}\"");
        of_wards(DIAGNOSIS, K).replace("name = \"optimal\"", &method)
    };
    let (folder, page) = released(&text("record"), &table);
    let (_, said) = verdict(&page);
    assert!(said.contains("It is shown of 40 records.") && !said.contains("share one value"), "{said}");
    assert!(words(&page).contains("so all their values are shown as *."));
    let own = words(&folder.read("release.custodian/custodian-report.html"));
    assert!(own.contains("The 1 suppressed record had of diagnosis: B20 (1)."), "{own}");
    assert!(!page.contains("B20"));
}

#[test]
fn what_needs_the_population_is_open_on_every_page() {
    let folder = Folder::with(OPTIMAL);
    folder.write("population.csv", patients());
    let models =
        "[population]\npath = \"population.csv\"\n[[privacy]]\nmodel = \"k-map\"\nk = 5\n[[privacy]]";
    folder.write("recipe.toml", recipe(OPTIMAL).replace("[[privacy]]", models));
    let run = folder.ok(&["anonymize", "recipe.toml"]);
    let said = run.out + &run.err;
    assert!(said.contains("recipients cannot check k-map without the population"), "{said}");
    for page in ["release/report.html", "release.custodian/custodian-report.html"] {
        let (colour, said) = verdict(&folder.read(page));
        assert!(
            colour == "unchecked" && said.contains("Not all is checked: k-map is open."),
            "{page}: {said}"
        );
    }
    assert!(
        words(&folder.read("release/report.html"))
            .contains("needs the population; the custodian states: k = ")
    );
    assert_eq!(folder.run(&["verify", "release"]).code, 8);
    folder.ok(&["verify", "release", "--population", "population.csv"]);
}

#[test]
fn differential_privacy_is_never_checked_in_a_file() {
    let folder = Folder::new();
    folder.write("patients.csv", patients());
    let text = recipe("name = \"safe-pub\"")
        .replace(
            "model = \"k-anonymity\"\nk = 5",
            "model = \"differential-privacy\"\nepsilon = 2\ndelta = 1e-3",
        )
        .replace("role = \"sensitive\"", "role = \"identifier\"")
        .replace(
            "[attributes.diagnosis]",
            "hierarchy = { rows = [[\"F\", \"*\"], [\"M\", \"*\"]] }\n[attributes.diagnosis]",
        );
    folder.write("recipe.toml", text);
    folder.ok(&["anonymize", "recipe.toml"]);
    let (_, said) = verdict(&folder.read("release/report.html"));
    let checked =
        said.split("Checked in the released file and kept:").nth(1).map(|rest| rest.split('.').next());
    assert!(checked.flatten().is_none_or(|list| !list.contains("differential-privacy")), "{said}");
    assert!(said.contains("no release can show it: differential-privacy."), "{said}");
    assert!(said.contains("adds up to no more than is promised"), "{said}");
}

/// One number has one meaning on a page.
#[test]
fn a_page_does_not_contradict_itself() {
    let page =
        |method: &str| words(&released(&recipe(method), &(patients() + "12,F,I63\n14,M,J18\n91,F,I63\n")).1);
    let counterfeits = page(H_CEILING);
    for gone in ["83\u{202f}%", "83 %", "43 %"] {
        assert!(!counterfeits.contains(gone), "{gone}");
    }
    assert!(counterfeits.contains("provably real"), "{counterfeits}");
    let moved = page("name = \"relocation\"\nsuppression-limit = 0.5");
    let first = moved.split("Anyone who looks for a person").nth(1).unwrap();
    assert!(first.split("The price").next().unwrap().contains("these values are untrue"), "{first}");
    let suppressed = page("name = \"optimal\"\nsuppression-limit = 0.1");
    assert!(suppressed.contains("the loss is that of the suppressed records"), "{suppressed}");
    for page in [&counterfeits, &moved, &suppressed] {
        assert!(!page.contains("of its hierarchy (level"), "{page}");
    }
}

/// The least group has ten records, and the catalog makes some likelier: both are said in one place.
#[test]
fn a_risk_above_the_group_size_is_explained() {
    let page = words(&released(&recipe(H_CEILING), &(patients() + "12,F,I63\n14,M,J18\n91,F,I63\n")).1);
    let first =
        page.split("Anyone who looks for a person").nth(1).unwrap().split("The price").next().unwrap();
    assert!(first.contains("The catalog makes some of these likelier to be real"), "{first}");
}
