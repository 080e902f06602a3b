//! Methods whose classes have released values of their own, with the real binary.

use crate::common::{Folder, column, recipe, rows, written};
use serde_json::Value;

const RUN: [&str; 3] = ["anonymize", "recipe.toml", "--overwrite"];

/// 240 patients of uneven ages, some unknown, in wards without hierarchy.
fn table() -> String {
    let mut text = String::from("ward,age,sex,diagnosis\n");
    for i in 0..240u32 {
        let age = if i % 40 == 7 { String::new() } else { (20 + i * i * 7 % 61).to_string() };
        let diagnosis = ["I63", "J18", "E11"][(i * i % 11 % 3) as usize];
        text += &format!("w{},{age},{},{diagnosis}\n", i % 7, ["F", "M"][(i % 3 / 2) as usize]);
    }
    text
}

fn folder(method: &str) -> Folder {
    let folder = Folder::new();
    folder.write("patients.csv", table());
    let ward = "[attributes.ward]\nrole = \"quasi-identifier\"\n[attributes.age]";
    folder.write("recipe.toml", recipe(method).replace("[attributes.age]", ward));
    folder
}

fn released(folder: &Folder, set: &[&str]) -> Value {
    let set: Vec<&str> = set.iter().flat_map(|pair| ["--set", pair]).collect();
    folder.ok(&[&RUN[..], &set].concat());
    folder.ok(&["verify", "release"]);
    folder.json("release/release.json")
}

#[test]
fn mondrian_releases_ranges() {
    let folder = folder("name = \"mondrian\"");
    let strict = released(&folder, &[]);
    assert!(strict.get("node").is_none(), "{strict}");
    assert_eq!(strict["attributes"]["age"]["recoding"], "ranges");
    assert!(strict["attributes"]["age"].get("level").is_none());
    assert_eq!(strict["method"]["partitioning"], "strict");
    assert!(strict["classes"].as_u64().unwrap() > 10, "{strict}");
    assert!(strict["utility"].get("height").is_none());
    let full_domain = released(&folder, &["method.name=optimal"]);
    let loss = |manifest: &Value| manifest["utility"]["loss"]["value"].as_f64().unwrap();
    assert!(loss(&strict) < loss(&full_domain));
    let relaxed = released(&folder, &["method.name=mondrian", "method.partitioning=relaxed"]);
    assert_eq!(relaxed["records"], 240);
    let data = folder.read("release/data.csv");
    assert_eq!(column(&data, "diagnosis"), column(&table(), "diagnosis"));
    assert!(rows(&data)[1..].iter().any(|row| row[2].starts_with('[')));
}

/// What a run on that many threads releases of some records.
fn bytes(folder: &Folder, records: &[&str], threads: &str) -> (String, String) {
    folder.write("patients.csv", format!("ward,age,sex,diagnosis\n{}\n", records.join("\n")));
    folder.ok(&[&RUN[..], &["--threads", threads]].concat());
    (folder.read("release/data.csv"), folder.read("release/release.json"))
}

#[test]
fn neither_the_order_of_the_records_nor_the_threads_matter() {
    let methods = [
        "name = \"mondrian\"",
        "name = \"mondrian\"\npartitioning = \"relaxed\"",
        "name = \"optimal\"\nlocal-recoding = true",
        "name = \"optimal\"\ncell-suppression = true\nsuppression-limit = 0.3",
        "name = \"mdav\"",
    ];
    let text = table().replace(",,", ",44,");
    let records: Vec<&str> = text.lines().skip(1).collect();
    let reversed: Vec<&str> = records.iter().rev().copied().collect();
    for method in methods {
        let folder = folder(&format!("{method}\nseed = 4"));
        let recipe = folder.read("recipe.toml").replace("[input]", "[input]\nsample = 0.9");
        folder.write("recipe.toml", recipe);
        assert!(bytes(&folder, &records, "1") == bytes(&folder, &reversed, "2"), "{method}");
    }
}

#[test]
fn other_models_stop_the_cuts_too() {
    let folder = folder("name = \"mondrian\"");
    let recipe = folder.read("recipe.toml");
    let close = "[[privacy]]\nmodel = \"t-closeness\"\nt = 0.2\n[method]";
    folder.write("recipe.toml", recipe.replace("[method]", close));
    let manifest = released(&folder, &[]);
    assert!(manifest["privacy"][1]["reached"]["t"].as_f64().unwrap() <= 0.2);
    let disclosure = "[[privacy]]\nmodel = \"delta-disclosure\"\ndelta = 1.5\n[method]";
    folder.write("recipe.toml", recipe.replace("[method]", disclosure));
    released(&folder, &[]);
    folder.refused(&[&RUN[..], &["--set", "method.partitioning=relaxed"]].concat(), 5, &["delta-disclosure"]);
    folder.refused(
        &[&RUN[..], &["--set", "privacy.1.delta=0.0001", "--set", "privacy.0.k=241"]].concat(),
        3,
        &[],
    );
}

#[test]
fn a_label_outside_the_domain_is_found() {
    let folder = folder("name = \"mondrian\"");
    released(&folder, &[]);
    let data = folder.read("release/data.csv");
    let label = rows(&data)[1..].iter().map(|row| row[2].clone()).find(|l| l.starts_with('[')).unwrap();
    folder.write("release/data.csv", data.replace(&label, "[20-100]"));
    let run = folder.run(&["verify", "release"]);
    assert_eq!(run.code, 3);
    assert!(run.err.contains("labels"), "{}", run.err);
}

#[test]
fn local_recoding_keeps_more_than_one_node() {
    let folder = folder("name = \"optimal\"");
    let loss = |manifest: &Value| manifest["utility"]["loss"]["value"].as_f64().unwrap();
    let one_node = released(&folder, &[]);
    let local = released(&folder, &["method.local-recoding=true"]);
    assert_eq!((&local["suppressed"], &local["method"]["local-recoding"]), (&0.into(), &true.into()));
    assert_eq!(local["attributes"]["age"]["recoding"], "nodes");
    assert!(loss(&local) < loss(&one_node), "{} {}", loss(&local), loss(&one_node));
    let limit = ["method.local-recoding=true", "method.suppression-limit=0.02"];
    assert!(released(&folder, &limit)["suppressed"].as_u64().unwrap() <= 4);
    let cells = released(&folder, &["method.cell-suppression=true", "privacy.0.k=3"]);
    assert_eq!(cells["method"]["cell-suppression"], true);
    let ages = column(&folder.read("release/data.csv"), "age");
    assert!(ages.iter().all(|age| age == "*" || age.is_empty() || age.parse::<u32>().is_ok()), "{ages:?}");
    let relocate = ["--set", "method.name=relocation", "--set", "method.local-recoding=true"];
    folder.refused(&[&RUN[..], &relocate].concat(), 5, &["choose one"]);
}

/// Few patients have the rare disease: what the first searches keep leaves records that nothing but `*` hides.
#[test]
fn local_recoding_never_loses_more_than_one_search() {
    let folder = Folder::with("name = \"optimal\"\nsuppression-limit = 0.5");
    let rare = |i: u32| if i.is_multiple_of(17) { "I63" } else { "J18" };
    let record =
        |i: u32| format!("{},{},{}\n", 20 + i * i * 7 % 61, ["F", "M"][(i % 3 / 2) as usize], rare(i));
    let records: String = (0..240).map(record).collect();
    folder.write("patients.csv", format!("age,sex,diagnosis\n{records}"));
    let diverse = "[[privacy]]\nmodel = \"distinct-l-diversity\"\nl = 2\n[method]";
    folder.write("recipe.toml", folder.read("recipe.toml").replace("[method]", diverse));
    let loss = |manifest: &Value| manifest["utility"]["loss"]["value"].as_f64().unwrap();
    let one = released(&folder, &[]);
    let local = released(&folder, &["method.local-recoding=true"]);
    assert!(loss(&local) <= loss(&one), "{} {}", loss(&local), loss(&one));
    let search = &folder.json("release.custodian/custodian.json")["search"];
    assert!(search["value-parted"].as_f64() < search["value-repeated"].as_f64(), "{search}");

    // One class of all records has nothing that could be parted.
    let all = "privacy.0.k=240";
    let one = released(&folder, &[all]);
    let run = folder.ok(&[&RUN[..], &["--set", all, "--set", "method.local-recoding=true"]].concat());
    assert!(run.err.contains("local-recoding gained nothing"), "{}", run.err);
    folder.ok(&["verify", "release"]);
    let kept = folder.json("release/release.json");
    assert_eq!((&kept["utility"], &kept["node"]), (&one["utility"], &one["node"]));
    assert_eq!(kept["method"]["local-recoding"], "without gain");
    let page = folder.read("release/report.html");
    assert!(!page.contains("groups have levels of their own"));
    let search = &folder.json("release.custodian/custodian.json")["search"];
    assert!(search["value-of-one-search"].is_f64(), "{search}");
}

/// With a limit the records that only `*` would hide are suppressed, counted and no class.
#[test]
fn records_of_nothing_but_stars_are_suppressed() {
    let folder = folder("name = \"optimal\"");
    for limit in ["0.0", "0.1", "0.4", "1.0"] {
        let limited = format!("method.suppression-limit={limit}");
        for way in ["method.local-recoding=true", "method.cell-suppression=true"] {
            let manifest = released(&folder, &[way, &limited, "privacy.0.k=9"]);
            let data = rows(&folder.read("release/data.csv"));
            let stars =
                data[1..].iter().filter(|row| row[1..4].iter().all(|cell| cell == "*")).count() as u64;
            let at_top = manifest["classes"] == 1;
            assert!(at_top || manifest["suppressed"] == stars, "{limit} {way}: {stars}, {manifest}");
            assert!(manifest["suppressed"].as_f64().unwrap() <= limit.parse::<f64>().unwrap() * 240.0);
        }
    }
}

#[test]
fn a_value_of_no_level_is_found() {
    let folder = folder("name = \"optimal\"\nlocal-recoding = true");
    released(&folder, &[]);
    let data = folder.read("release/data.csv");
    let label = rows(&data)[1..].iter().map(|row| row[2].clone()).find(|l| l.starts_with('[')).unwrap();
    folder.write("release/data.csv", data.replace(&label, "[21-29]"));
    let run = folder.run(&["verify", "release"]);
    assert_eq!(run.code, 3);
    assert!(run.err.contains("labels"), "{}", run.err);
}

#[test]
fn microaggregation_is_marked_as_untruthful() {
    let folder = folder("name = \"mdav\"");
    folder.refused(&RUN, 4, &["missing values"]);
    folder.write("patients.csv", table().replace(",,", ",44,"));
    for (aggregate, whole) in [("mean", false), ("median", true), ("mode", true)] {
        let set = format!("method.average={aggregate}");
        let step = "attributes.age.step=1";
        if whole {
            // One person's number.
            let says = ["average", "[attributes.age] step = 1"];
            folder.refused(&[&RUN[..], &["--set", &set]].concat(), 5, &says);
        }
        let run = folder.ok(&[&RUN[..], &["--set", &set, "--set", step]].concat());
        assert!(run.err.contains("not truthful"), "{}", run.err);
        let manifest = released(&folder, &[&set, step]);
        assert_eq!((&manifest["truthful"], &manifest["records"]), (&false.into(), &240.into()));
        assert_eq!(manifest["method"]["average"], aggregate);
        assert_eq!(manifest["attributes"]["age"]["recoding"], "aggregates");
        assert!(manifest["utility"].get("loss").is_none());
        let ages = column(&folder.read("release/data.csv"), "age");
        assert!(ages.iter().all(|age| age.parse::<f64>().is_ok()), "{ages:?}");
        assert!(!whole || ages.iter().all(|age| age.parse::<u32>().is_ok()), "{ages:?}");
    }
    let stated = folder.read("release/release.json");
    folder.write("release/release.json", stated.replace("  \"truthful\": false,\n", ""));
    assert!(folder.run(&["verify", "release"]).out.contains("truthful"));
    let diverse = "[[privacy]]\nmodel = \"distinct-l-diversity\"\nl = 2\n[method]";
    folder.write("recipe.toml", folder.read("recipe.toml").replace("[method]", diverse));
    folder.refused(&RUN, 5, &["mondrian"]);
}

#[test]
fn top_and_bottom_coding() {
    let folder = folder("name = \"optimal\"");
    let coded = ["attributes.age.top=60", "attributes.age.bottom=39"];
    let limit = "method.suppression-limit=1";
    let loosely = [&coded[..], &["privacy.0.k=2"]].concat();
    let manifest = released(&folder, &[&loosely[..], &[limit]].concat());
    assert_eq!(manifest["attributes"]["age"]["top"], 60.0);
    let local = ["method.name=optimal", limit, "method.local-recoding=true"];
    for method in [&["method.name=mondrian"][..], &local] {
        released(&folder, &[&loosely[..], method].concat());
        let ages = column(&folder.read("release/data.csv"), "age");
        assert!(ages.iter().any(|age| age == ">=60" || age == "<=39"), "{method:?}: {ages:?}");
        let beyond = |age: &String| age.parse::<u32>().is_ok_and(|age| !(40..60).contains(&age));
        assert!(!ages.iter().any(beyond), "{method:?}: {ages:?}");
    }
    let broken = [&RUN[..], &["--set", "attributes.age.top=73"]].concat();
    folder.refused(&broken, 5, &["attribute `age`", "[70-74]", "begins"]);
    folder.refused(&[&RUN[..], &["--set", "attributes.diagnosis.top=3"]].concat(), 5, &["quasi-identifiers"]);
    released(&folder, &["attributes.age.top=60", "method.name=h-ceiling", "method.h=0.6", "method.seed=3"]);
}

#[test]
fn coded_numbers_without_hierarchy() {
    let folder = folder("name = \"optimal\"\nsuppression-limit = 0.5");
    let text = folder.read("recipe.toml");
    let without =
        text.replace("hierarchy = { interval = [5, 10, 20], min = 0, max = 99 }", "top = 40\nbottom = 30.5");
    assert_ne!(text, without);
    folder.write("recipe.toml", without);
    released(&folder, &[]);
    let ages = column(&folder.read("release/data.csv"), "age");
    assert!(ages.iter().any(|age| age == ">=40"), "{ages:?}");
    assert!(ages.iter().any(|age| age == "<=30.5"), "{ages:?}");
}

#[test]
fn random_samples() {
    let folder = folder("name = \"optimal\"\nseed = 11");
    let half = released(&folder, &["input.sample=0.5"]);
    let records = half["records"].as_u64().unwrap();
    assert!((80..160).contains(&records), "{records}");
    assert_eq!(half["sample"], 0.5);
    assert!(!folder.read("release/release.json").contains("240"), "the input's size is told");
    let before = folder.read("release/data.csv");
    released(&folder, &["input.sample=0.5"]);
    assert_eq!(before, folder.read("release/data.csv"));
    released(&folder, &["input.sample=0.5", "method.seed=12"]);
    assert_ne!(before, folder.read("release/data.csv"));
    let all = released(&folder, &["input.sample=1.0"]);
    assert_eq!(all["records"], 240);
    for wrong in ["0.0", "1.5", "0.0000000001"] {
        folder.refused(
            &[&RUN[..], &["--set", &format!("input.sample={wrong}")]].concat(),
            5,
            &["9 decimals"],
        );
    }
}

/// How the figures of attributes are put together.
fn combined(aggregate: &str, figures: &[(f64, f64)]) -> f64 {
    let weighted = figures.iter().map(|(figure, weight)| figure * weight);
    let attributes = figures.len() as f64;
    match aggregate {
        "geometric-mean" => weighted.map(|figure| 1.0 + figure).product::<f64>().powf(1.0 / attributes) - 1.0,
        "arithmetic-mean" => weighted.sum::<f64>() / attributes,
        "sum" => weighted.sum(),
        _ => weighted.fold(0.0, f64::max),
    }
}

#[test]
fn the_figure_that_is_stated_is_the_one_that_was_asked_for() {
    let folder = folder("name = \"optimal\"\nsuppression-limit = 0.1\n");
    for local in ["true", "false"] {
        for aggregate in ["geometric-mean", "arithmetic-mean", "sum", "max"] {
            let local = format!("method.local-recoding={local}");
            let asked = format!("method.aggregate={aggregate}");
            let manifest = released(&folder, &[&local, &asked, "attributes.age.weight=0.5"]);
            let loss = &manifest["utility"]["loss"];
            let figure = |(name, value): (&String, &Value)| {
                (value.as_f64().unwrap(), if name == "age" { 0.5 } else { 1.0 })
            };
            let figures: Vec<_> = loss["by-attribute"].as_object().unwrap().iter().map(figure).collect();
            let (stated, expected) = (loss["value"].as_f64().unwrap(), combined(aggregate, &figures));
            assert!((stated - expected).abs() < 1e-9, "{local} {aggregate}: {stated} {expected}");
            let report = folder.read("release/report.html");
            assert!(
                report.contains(&format!("Here as the recipe asks: aggregate = {aggregate}")),
                "{report}"
            );
        }
    }
    // Earlier releases state the usual reading; any other figure is found.
    let mut manifest = folder.json("release/release.json");
    let figures = manifest["utility"]["loss"]["by-attribute"].as_object().unwrap().clone();
    let figures: Vec<(f64, f64)> = figures.values().map(|value| (value.as_f64().unwrap(), 1.0)).collect();
    for (value, code) in [(combined("geometric-mean", &figures), 0), (0.123_456, 3)] {
        manifest["utility"]["loss"]["value"] = value.into();
        folder.write("release/release.json", written(&manifest));
        let found: Value = serde_json::from_str(&folder.run(&["verify", "release", "--json"]).out).unwrap();
        let utility = found.as_array().unwrap().iter().find(|check| check["promise"] == "utility");
        let misstated = utility.unwrap()["reached"]["misstated"].as_array().unwrap().len();
        assert_eq!(misstated, usize::from(code != 0), "{found}");
    }
}

/// More quasi-identifiers than anybody can search: nearly every record is alone in each of several columns.
fn wide() -> (String, String) {
    let dice = |i: u64, of: u64, salt: u64| {
        let mixed = (i * 1000 + salt).wrapping_mul(6_364_136_223_846_793_005).rotate_left(29);
        (mixed.wrapping_mul(1_442_695_040_888_963_407) >> 33) % of
    };
    let mut text = String::from("age,stay,height,weight,sugar,pressure,pulse,sex,ward,diagnosis\n");
    for i in 0..400u64 {
        let numbers = (1..8).map(|salt| dice(i, 97, salt).to_string()).collect::<Vec<_>>().join(",");
        text += &format!(
            "{numbers},{},w{},{}\n",
            ["F", "M"][dice(i, 2, 8) as usize],
            dice(i, 9, 9),
            "ABC".as_bytes()[dice(i, 3, 10) as usize]
        );
    }
    let numbers = ["age", "stay", "height", "weight", "sugar", "pressure", "pulse"];
    let numbers = numbers.map(|name| {
        format!("[attributes.{name}]\nrole = \"quasi-identifier\"\nhierarchy = {{ interval = [5, 10, 20, 40], min = 0, max = 99 }}\n")
    });
    let others =
        "[attributes.sex]\nrole = \"quasi-identifier\"\n[attributes.ward]\nrole = \"quasi-identifier\"\n";
    let recipe = format!(
        "[input]\npath = \"patients.csv\"\n{}{others}[attributes.diagnosis]\nrole = \"sensitive\"\n[[privacy]]\n\
         model = \"k-anonymity\"\nk = 5\n[method]\nname = \"optimal\"\nsuppression-limit = 0.05\nseed = 7\n\
         local-recoding = true\n[output]\npath = \"release\"\n",
        numbers.concat()
    );
    (text, recipe)
}

#[test]
fn a_search_of_too_many_levels_ends_at_its_bound_with_the_same_bytes() {
    let folder = Folder::new();
    let (table, recipe) = wide();
    folder.write("patients.csv", table);
    folder.write("recipe.toml", recipe);
    let run = folder.ok(&[&RUN[..], &["--threads", "1"]].concat());
    // What the release costs comes first, then that the search was bounded.
    let bound = run.err.find("ended at their bound").unwrap_or_else(|| panic!("{}", run.err));
    let costs = run.err.find("warning: the release loses much: `").unwrap_or_else(|| panic!("{}", run.err));
    assert!(costs < bound && run.err.find("warning:") == Some(costs), "{}", run.err);
    let page = folder.read("release.custodian/custodian-report.html");
    let (first, others) = (page.find("The release loses much:").unwrap(), page.find("one row each").unwrap());
    assert!(first < others);
    assert!(
        !folder.read("release/report.html").contains("loses much"),
        "a figure over the originals is public"
    );
    let manifest = folder.json("release/release.json");
    assert_eq!(manifest["method"]["bounded"], true);
    let search = folder.json("release.custodian/custodian.json")["search"].clone();
    let figure = |name: &str| search[name].as_f64().unwrap();
    let released = manifest["utility"]["loss"]["value"].as_f64().unwrap();
    assert!(released <= figure("value-of-one-search") + 1e-9, "{search}");
    assert_eq!(search["bounded"], true);
    folder.ok(&["verify", "release"]);
    let first = folder.read("release/data.csv");
    folder.ok(&[&RUN[..], &["--threads", "3"]].concat());
    assert_eq!(folder.read("release/data.csv"), first);
}
