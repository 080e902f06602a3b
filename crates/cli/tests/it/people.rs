//! What is promised holds for people: suppressed records are a class, repeated ones are one person's.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use crate::common::{Folder, rows, written};

/// 400 people in four classes, and one woman of 97 with B20.
fn with_one_woman() -> String {
    let mut table = String::from("age,sex,diagnosis\n");
    for n in 0..400 {
        let (age, sex) = ([30, 50][n % 2], ["F", "M"][n / 2 % 2]);
        writeln!(table, "{age},{sex},{}", ["I63", "J18", "K35"][n / 4 % 3]).unwrap();
    }
    table + "97,F,B20\n"
}

fn of_one_woman(method: &str) -> Folder {
    let folder = Folder::new();
    folder.write("people.csv", with_one_woman());
    folder.write(
        "recipe.toml",
        format!(
            "[input]\npath = \"people.csv\"\n\
             [attributes.age]\nrole = \"quasi-identifier\"\nhierarchy = {{ interval = [20], min = 0, max = 119 }}\n\
             [attributes.sex]\nrole = \"quasi-identifier\"\nhierarchy = {{ rows = [[\"F\", \"*\"], [\"M\", \"*\"]] }}\n\
             [attributes.diagnosis]\nrole = \"sensitive\"\n\
             [[privacy]]\nmodel = \"k-anonymity\"\nk = 5\n\
             [[privacy]]\nmodel = \"distinct-l-diversity\"\nattribute = \"diagnosis\"\nl = 3\n\
             [method]\nseed = 1\n{method}\n[output]\npath = \"release\"\n"
        ),
    );
    folder
}

/// Her line was `,*,*,B20`.
#[test]
fn a_suppressed_record_shows_nothing() {
    let folder = of_one_woman("name = \"optimal\"\nsuppression-limit = 0.05");
    folder.ok(&["anonymize", "recipe.toml"]);
    let data = folder.read("release/data.csv");
    assert!(data.ends_with(",*,*,*\n") && !data.contains("B20"), "{}", data.lines().last().unwrap());
    folder.ok(&["verify", "release"]);
    // What is written of her in no file of the release.
    for file in folder.entries().iter().filter(|file| file.starts_with("release/")) {
        let text = std::fs::read(folder.path(file)).unwrap_or_default();
        assert!(!String::from_utf8_lossy(&text).contains("B20"), "{file}");
    }
}

/// By name she is shown, and then she is a class of one.
#[test]
fn suppressed_records_that_show_their_values_are_a_class() {
    let shown = "name = \"optimal\"\nsuppression-limit = 0.05\nsuppress = \"quasi-identifiers\"";
    let folder = of_one_woman(shown);
    let advice = ["k-anonymity", "suppress = \"quasi-identifiers\""];
    folder.refused(&["anonymize", "recipe.toml"], 3, &advice);
    assert!(!folder.path("release").exists());
    // An older release of this kind is found broken: the manifest says what the file shows.
    let folder = of_one_woman("name = \"optimal\"\nsuppression-limit = 0.05");
    folder.ok(&["anonymize", "recipe.toml"]);
    let data = folder.read("release/data.csv").replace(",*,*,*\n", ",*,*,B20\n");
    folder.write("release/data.csv", data);
    let manifest = folder.read("release/release.json");
    let forged = manifest.replace("\"suppress\": \"record\"", "\"suppress\": \"quasi-identifiers\"");
    assert_ne!(forged, manifest);
    folder.write("release/release.json", forged);
    let broken = folder.run(&["verify", "release"]);
    assert_eq!(broken.code, 3, "{}", broken.err);
    assert!(broken.err.contains("k-anonymity, distinct-l-diversity"), "{}", broken.err);
    assert!(!broken.err.contains("B20") && !broken.out.contains("B20"), "{}{}", broken.out, broken.err);
}

/// A table of any kind: some people stand out, some values are rare.
fn any_table(number: u64) -> String {
    let mut state = number.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut below = |n: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) % n
    };
    let mut table = String::from("age,sex,diagnosis\n");
    for _ in 0..200 {
        let age = if below(20) == 0 { 20 + below(90) } else { 30 + below(3) * 20 };
        let value = if below(12) == 0 { 90 + below(9) } else { 10 + below(4) };
        writeln!(table, "{age},{},C{value}", ["F", "M"][below(2) as usize]).unwrap();
    }
    table
}

/// No release shows records without a class that fail the promises as one.
#[test]
fn no_method_shows_a_class_of_suppressed_records_that_fails() {
    let limit = "suppression-limit = 0.1";
    let methods = [
        format!("name = \"optimal\"\n{limit}"),
        format!("name = \"optimal\"\n{limit}\nlocal-recoding = true"),
        format!("name = \"datafly\"\n{limit}"),
        format!("name = \"iterated-local-search\"\n{limit}\nbudget-steps = 200"),
        format!("name = \"relocation\"\n{limit}"),
        "name = \"mondrian\"".into(),
        format!("name = \"h-ceiling\"\nadversary-limit = 1\n{limit}\ncounterfeit-limit = 0.3"),
    ];
    let (mut released, mut suppressed) = (0, 0);
    for number in 0..6 {
        for method in &methods {
            let folder = of_one_woman(method);
            folder.write("people.csv", any_table(number + 1));
            let run = folder.run(&["anonymize", "recipe.toml", "--quiet"]);
            if run.code != 0 {
                assert_eq!(run.code, 3, "{method}: {}", run.err);
                continue;
            }
            released += 1;
            let data = rows(&folder.read("release/data.csv"));
            for row in data[1..].iter().filter(|row| row[0].is_empty()) {
                suppressed += 1;
                assert!(row[1..].iter().all(|cell| cell == "*"), "{method} {number}");
            }
        }
    }
    assert!(released >= 20 && suppressed >= 20, "{released} releases with {suppressed} suppressed records");
}

/// What compares a class with the table compares it with what the release shows: no search ends in a release that the
/// checker refuses.
#[test]
fn classes_are_compared_with_the_records_that_show_their_values() {
    let limit = "suppression-limit = 0.1";
    let methods = [
        format!("name = \"optimal\"\n{limit}"),
        format!("name = \"optimal\"\n{limit}\nlocal-recoding = true"),
        format!("name = \"datafly\"\n{limit}"),
        format!("name = \"h-ceiling\"\nadversary-limit = 1\n{limit}\ncounterfeit-limit = 0.3"),
    ];
    let models = ["model = \"t-closeness\"\nt = 0.25", "model = \"basic-beta-likeness\"\nbeta = 1.5"];
    let (mut released, mut suppressed) = (0, 0);
    for (number, (method, model)) in
        (0..4).flat_map(|n| methods.iter().flat_map(move |m| models.map(|model| (n, (m, model)))))
    {
        let folder = of_one_woman(method);
        folder.write("people.csv", any_table(number + 50));
        let recipe = folder.read("recipe.toml");
        let distinct = "model = \"distinct-l-diversity\"\nattribute = \"diagnosis\"\nl = 3";
        folder.write("recipe.toml", recipe.replace(distinct, &format!("{model}\nattribute = \"diagnosis\"")));
        let run = folder.run(&["anonymize", "recipe.toml", "--quiet"]);
        assert!(!run.err.contains("checker refuses"), "{method} {model} {number}: {}", run.err);
        if run.code == 0 {
            folder.ok(&["verify", "release"]);
            released += 1;
            suppressed += folder.json("release/release.json")["suppressed"].as_u64().unwrap();
        }
    }
    assert!(released >= 10 && suppressed >= 10, "{released} releases with {suppressed} suppressed records");
}

/// Ten patients with their stays. Of the women four have F32 alone and one has nine codes, of the men each has another.
pub(crate) fn stays() -> String {
    let mut table = String::from("patient,age,sex,diagnosis\n");
    for patient in 0..4 {
        for _ in 0..3 {
            writeln!(table, "P{patient},41,F,F32").unwrap();
        }
    }
    for code in ["F32", "E10", "E11", "I63", "I64", "J18", "K35", "K36", "K37"] {
        writeln!(table, "P4,41,F,{code}").unwrap();
    }
    for (patient, code) in (5..10).zip(["E10", "I63", "J18", "K35", "K36"]) {
        writeln!(table, "P{patient},41,M,{code}").unwrap();
    }
    table
}

pub(crate) fn of_stays(patient: &str, models: &str, method: &str) -> Folder {
    let folder = Folder::new();
    let key = if patient.contains("pseudonym") { "key = { file = \"secret.key\" }\n" } else { "" };
    folder.write("stays.csv", stays());
    folder.write("secret.key", "0123456789abcdef0123456789abcdef\n");
    folder.write(
        "recipe.toml",
        format!(
            "{key}[input]\npath = \"stays.csv\"\n[attributes.patient]\n{patient}\n\
             [attributes.age]\nrole = \"quasi-identifier\"\nhierarchy = {{ interval = [20], min = 0, max = 119 }}\n\
             [attributes.sex]\nrole = \"quasi-identifier\"\nhierarchy = {{ rows = [[\"F\", \"*\"], [\"M\", \"*\"]] }}\n\
             [attributes.diagnosis]\nrole = \"sensitive\"\n\
             [[privacy]]\nmodel = \"k-anonymity\"\nk = 5\n{models}\n\
             [method]\nseed = 1\n{method}\n[output]\npath = \"release\"\n"
        ),
    );
    folder
}

pub(crate) const PERSON: &str = "role = \"person\"";
pub(crate) const PSEUDONYM: &str = "role = \"identifier\"\npseudonym = \"hmac-sha256\"";

pub(crate) fn model(name: &str, more: &str) -> String {
    format!("[[privacy]]\nmodel = \"{name}\"\nattribute = \"diagnosis\"\n{more}")
}

/// Nine codes of one patient make nobody else diverse: the women are no class of their own, whichever model is asked.
#[test]
fn every_model_counts_people() {
    let models = [
        ("distinct-l-diversity", "l = 2"),
        ("entropy-l-diversity", "l = 1.5"),
        ("recursive-cl-diversity", "c = 9\nl = 2"),
        ("p-sensitive-k-anonymity", "p = 2\nk = 5"),
        ("alpha-k-anonymity", "alpha = 0.75\nk = 5"),
        ("t-closeness", "t = 0.3"),
        ("basic-beta-likeness", "beta = 0.5"),
        ("enhanced-beta-likeness", "beta = 0.5"),
        ("delta-disclosure", "delta = 0.6"),
        ("ms-bounding", "k = 5\ntheta = { F32 = 0.75 }"),
    ];
    for (name, more) in models {
        let folder = of_stays(PERSON, &model(name, more), "name = \"optimal\"");
        let run = folder.run(&["anonymize", "recipe.toml"]);
        if run.code == 0 {
            let manifest = folder.json("release/release.json");
            assert_eq!(manifest["attributes"]["sex"]["level"], 1, "{name}");
            // Whose the records are shows in no release.
            folder.ok(&["verify", "release"]);
        } else {
            assert_eq!(run.code, 3, "{name}: {}", run.err);
        }
        let alone = of_stays(PERSON, "", "name = \"optimal\"");
        alone.ok(&["anonymize", "recipe.toml"]);
        assert_eq!(alone.json("release/release.json")["attributes"]["sex"]["level"], 0, "k alone keeps them");
    }
}

/// k people are in each group, and one of them has most of its records: the custodian is told.
#[test]
fn whoever_has_most_of_a_group_is_told_to_the_custodian() {
    let folder = of_stays(PERSON, "", "name = \"optimal\"");
    let run = folder.ok(&["anonymize", "recipe.toml"]);
    // Of the women's 21 records nine are of one.
    assert!(run.err.contains("one person has 42.9"), "{}", run.err);
    let capped = ["--overwrite", "--set", "attributes.patient.records-per-person=1"];
    let run = folder.ok(&[&["anonymize", "recipe.toml"][..], &capped].concat());
    assert!(!run.err.contains("one person has"), "{}", run.err);
}

/// Fewest pseudonyms of a class.
fn fewest_people(data: &str) -> usize {
    let table = rows(data);
    let at = |name: &str| table[0].iter().position(|column| column == name).unwrap();
    let mut people: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for row in table[1..].iter().filter(|row| !row[0].is_empty()) {
        people.entry(&row[0]).or_default().insert(&row[at("patient")]);
    }
    people.values().map(BTreeSet::len).min().unwrap()
}

/// 40 people of 1 to 6 stays, whose age moves from stay to stay.
pub(crate) fn many_stays() -> String {
    let mut table = String::from("patient,age,sex,diagnosis\n");
    for patient in 0..40 {
        for stay in 0..1 + patient * 7 % 6 {
            let (age, sex) = (20 + patient * 13 % 60 + stay * 3, ["F", "M"][patient % 2]);
            writeln!(table, "P{patient},{age},{sex},C{}", 10 + (patient + stay) % 4).unwrap();
        }
    }
    table
}

#[test]
fn classes_have_k_pseudonyms_by_every_method_that_counts_people() {
    let methods = [
        "name = \"optimal\"\nsuppression-limit = 0.1",
        "name = \"optimal\"\nsuppression-limit = 0.1\nlocal-recoding = true",
        "name = \"mondrian\"",
        "name = \"k-member\"",
        "name = \"best-first\"\nsuppression-limit = 0.1",
    ];
    for method in methods {
        let folder = of_stays(PSEUDONYM, &model("distinct-l-diversity", "l = 2"), method);
        folder.write("stays.csv", many_stays());
        folder.ok(&["anonymize", "recipe.toml"]);
        assert!(fewest_people(&folder.read("release/data.csv")) >= 5, "{method}");
        folder.ok(&["verify", "release"]);
    }
}

/// Counterfeits are nobody's: with them a class has k people, and its real people meet what is asked of values.
#[test]
fn counterfeits_fill_classes_up_by_people() {
    let limits = "counterfeit-limit = 0.5\nsuppression-limit = 0.3";
    for parts in ["full-domain", "mondrian", "clustering"] {
        let method =
            format!("name = \"h-ceiling\"\nadversary-limit = 1\nh = 0.9\nparts = \"{parts}\"\n{limits}");
        let folder = of_stays(PERSON, &model("distinct-l-diversity", "l = 2"), &method);
        folder.write("stays.csv", many_stays());
        folder.ok(&["anonymize", "recipe.toml"]);
        folder.ok(&["verify", "release"]);
        let manifest = folder.json("release/release.json");
        let counterfeits = manifest["counterfeits"].as_u64().unwrap();
        assert_eq!(
            manifest["method"]["person"], "patient",
            "{parts}: how many people a class has shows in no release"
        );
        assert!(
            counterfeits > 0 && manifest["method"]["largest-padded-class"].is_null(),
            "{parts}: {manifest}"
        );
    }
    let folder = of_stays(PSEUDONYM, "", "name = \"h-ceiling\"\nadversary-limit = 1");
    folder.write("stays.csv", many_stays());
    folder.refused(&["anonymize", "recipe.toml"], 5, &["`patient`", "counterfeits"]);
}

/// Whoever says that each record is of another person is believed, and stands by it.
#[test]
fn fewer_pseudonyms_than_k_are_broken() {
    let independent = format!("{PSEUDONYM}\nrows = \"independent\"");
    let folder = of_stays(&independent, "", "name = \"mondrian\"");
    folder.write("stays.csv", many_stays());
    let run = folder.ok(&["anonymize", "recipe.toml"]);
    assert!(run.err.contains("share a pseudonym"), "{}", run.err);
    assert!(fewest_people(&folder.read("release/data.csv")) < 5);
    folder.ok(&["verify", "release"]);
    let mut manifest = folder.json("release/release.json");
    manifest["attributes"]["patient"].as_object_mut().unwrap().remove("rows");
    folder.write("release/release.json", written(&manifest));
    let broken = folder.run(&["verify", "release"]);
    assert!(broken.code == 3 && broken.err.contains("k-anonymity"), "{}", broken.err);
}

#[test]
fn methods_that_count_records_are_refused_where_people_repeat() {
    let folder = of_stays(PERSON, "", "name = \"greedy\"");
    folder.refused(&["check", "recipe.toml"], 5, &["row by row", "person", "rows-retained"]);
    let folder = of_stays(PSEUDONYM, "", "name = \"greedy\"");
    folder.refused(&["anonymize", "recipe.toml"], 5, &["`patient`", "rows = \"independent\""]);
    let folder = of_stays(PSEUDONYM, "", "name = \"optimal\"");
    let any = ["anonymize", "recipe.toml", "--set", "input.missing=wildcard"];
    folder.refused(&any, 5, &["`patient`", "wildcard"]);
    folder.refused(&["explore", "recipe.toml", "--set", "input.missing=wildcard"], 2, &["other risks"]);
    folder.ok(&["explore", "recipe.toml"]);
}
