//! What a person does without looking is refused before it does harm.

use crate::common::{Folder, H_CEILING, OPTIMAL, private_recipe};

#[test]
fn levels_and_weights_of_what_is_not_generalized_are_refused() {
    let folder = Folder::with(OPTIMAL);
    for key in ["level", "min-level", "max-level", "weight"] {
        let set = format!("attributes.diagnosis.{key}=1");
        let run = folder.run(&["anonymize", "recipe.toml", "--set", &set]);
        assert!([2, 5].contains(&run.code), "{key}: {}", run.err);
        assert!(run.err.contains(key) && run.err.contains("quasi-identifier"), "{key}: {}", run.err);
    }
}

#[test]
fn a_model_of_the_population_without_one_is_a_mistake_of_the_recipe() {
    let folder = Folder::with(OPTIMAL);
    let text = folder.read("recipe.toml").replace("\"k-anonymity\"", "\"k-map\"");
    folder.write("recipe.toml", text);
    folder.refused(&["anonymize", "recipe.toml"], 5, &["k-map", "[population]"]);
}

#[test]
fn files_that_exist_are_not_replaced() {
    let folder = Folder::with(H_CEILING);
    folder.ok(&["anonymize", "recipe.toml"]);
    folder.refused(&["truthful", "release", "--output", "patients.csv"], 6, &["already exists"]);
    let export = ["hierarchy", "export", "release", "--attribute", "age", "--output", "patients.csv"];
    folder.refused(&export, 6, &["already exists"]);
}

#[test]
#[cfg(unix)]
fn a_ledger_has_one_name() {
    let folder = Folder::with(OPTIMAL);
    let more = "[method]\nname = \"ipa\"\n[budget]\nledger = \"ledger.jsonl\"\ntotal = { epsilon = 1.0 }";
    let recipe = private_recipe("interval = [5, 10, 20]", more);
    folder.write("private.toml", recipe + "path = \"release\"\n");
    std::os::unix::fs::symlink("nowhere.jsonl", folder.path("ledger.jsonl")).unwrap();
    folder.refused(&["anonymize", "private.toml"], 6, &["does not exist"]);
    std::fs::remove_file(folder.path("ledger.jsonl")).unwrap();
    folder.ok(&["anonymize", "private.toml"]);
    std::fs::hard_link(folder.path("ledger.jsonl"), folder.path("other.jsonl")).unwrap();
    let run =
        folder.run(&["anonymize", "private.toml", "--output", "again", "--set", "budget.total.epsilon=3"]);
    assert_eq!(run.code, 6, "{}", run.err);
    assert!(run.err.contains("several names"), "{}", run.err);
}

/// What a release shows: of quasi-identifiers no cell that fewer than k records have and the recipe does not declare; beside the
/// data of sensitive, insensitive and identifying columns none, either.
mod shown {
    use std::collections::{BTreeMap, BTreeSet};
    use std::fmt::Write as _;
    use std::io::Read as _;

    use crate::common::Folder;

    const K: u64 = 3;
    const COLUMNS: [&str; 8] = ["patient", "age", "lat", "town", "born", "diagnosis", "cost", "remark"];
    const QIS: [(&str, &str); 4] = [
        ("age", "hierarchy = { interval = [5, 10, 20, 40], min = 0, max = 119 }\n"),
        ("lat", "hierarchy = { equal-frequency = [4, 2], decimals = 5 }\n"),
        ("town", ""),
        (
            "born",
            "hierarchy = { date = [\"month\", \"year\", \"10-years\"], min = \"1930-01-01\", max = \"2009-12-31\" }\n",
        ),
    ];

    /// 240 people whose cells can be told from everything else that a file holds.
    fn table() -> Vec<Vec<String>> {
        let row = |i: u64| {
            let dice = |of: u64, salt: u64| (i * 7919 + salt * 104_729 + i * i * 31) % of;
            let town = match i % 30 {
                0 => format!("Raritan{i:04}"),
                _ => ["Adorf", "Bestadt", "Celle"][dice(3, 1) as usize].to_owned(),
            };
            let diagnosis = match i % 10 {
                0 => format!("DXMARK{i:04}"),
                _ => ["DXOFTENA", "DXOFTENB", "DXOFTENC"][dice(3, 2) as usize].to_owned(),
            };
            vec![
                format!("IDMARK{i:04}"),
                (18 + dice(60, 3)).to_string(),
                format!("{}.{:05}", 47 + dice(6, 4), 10_003 + 10 * dice(8_000, 5)),
                town,
                format!("{}-{:02}-{:02}", 1940 + dice(60, 6), 1 + dice(12, 7), 2 + dice(26, 8)),
                diagnosis,
                format!("{}.{}", 4_001 + dice(90_000, 9), 11 + dice(80, 10)),
                if i.is_multiple_of(4) { "INSOFTEN".to_owned() } else { format!("INSMARK{i:04}") },
            ]
        };
        (0..240).map(row).collect()
    }

    /// (the method, further models, its section); each method of the registry that shows records of people.
    const METHODS: &[(&str, &str, &str)] = &[
        ("h-ceiling", "", "h = 0.5\ncounterfeit-limit = 1\nsuppression-limit = 0.5\nleast-real = 1\n"),
        ("optimal", "", "suppression-limit = 0.1\n"),
        ("optimal", "", "suppression-limit = 0.1\nsuppress = \"record\"\n"),
        ("optimal", "", "suppression-limit = 0.5\nlocal-recoding = true\n"),
        ("optimal", "", "suppression-limit = 0.9\ncell-suppression = true\n"),
        ("suppression", "", "suppression-limit = 0.1\n"),
        ("relocation", "", "suppression-limit = 0.1\n"),
        ("exhaustive", "", ""),
        ("datafly", "", "suppression-limit = 0.1\n"),
        ("top-down", "", ""),
        ("best-first", "", "budget-steps = 100\n"),
        ("genetic", "", "budget-steps = 100\n"),
        ("iterated-local-search", "", "budget-steps = 100\n"),
        ("mondrian", "", "recoding = \"nodes\"\n"),
        ("mondrian", "", ""),
        ("mondrian", "", "cuts = \"loss\"\n"),
        ("h-ceiling", "", "parts = \"mondrian\"\ncounterfeit-limit = 1\nsuppression-limit = 0.5\n"),
        ("h-ceiling", "", "parts = \"clustering\"\ncounterfeit-limit = 1\nsuppression-limit = 0.5\n"),
        ("mdav", "", ""),
        ("iab", "", ""),
        ("greedy", "", ""),
        ("exhaustive-rows", "", ""),
        ("ce-mi-clustering", "", ""),
        ("ce-clustering", "", ""),
        ("entropy-l-clustering", "[[privacy]]\nmodel = \"entropy-l-diversity\"\nl = 1.5\n", ""),
        (
            "t-closeness-clustering",
            "[[privacy]]\nmodel = \"t-closeness\"\nt = 0.6\ndistance = \"equal\"\n",
            "",
        ),
        ("k-member", "", ""),
        ("ipa", "none", "guarantee = \"published\"\n"),
    ];

    /// Methods that release none of the table's own records: what they show is declared or drawn.
    const NOISY: [&str; 7] = ["safe-pub", "ipa", "contingency-table", "diffgen", "dsat", "mst", "aim"];

    fn recipe(method: &str, models: &str, keys: &str) -> String {
        let mut text = "[input]\npath = \"table.csv\"\n".to_owned();
        for (name, hierarchy) in QIS {
            write!(text, "[attributes.{name}]\nrole = \"quasi-identifier\"\n{hierarchy}").unwrap();
        }
        // A method that makes counterfeits needs every other column to be sensitive or gone.
        let other = if models == "none" { "identifier" } else { "insensitive" };
        for (name, role) in
            [("patient", "identifier"), ("diagnosis", "sensitive"), ("cost", other), ("remark", other)]
        {
            write!(text, "[attributes.{name}]\nrole = \"{role}\"\n").unwrap();
            text += if role == "insensitive" { "identifier-like = \"intended\"\n" } else { "" };
        }
        if models != "none" {
            write!(text, "[[privacy]]\nmodel = \"k-anonymity\"\nk = {K}\n{models}").unwrap();
        }
        write!(text, "[method]\nname = \"{method}\"\n{keys}seed = 7\n[output]\npath = \"release\"\n")
            .unwrap();
        text
    }

    /// The files of a release without the data and the catalog, as text.
    fn beside_the_data(folder: &Folder) -> BTreeMap<String, String> {
        let mut files = BTreeMap::new();
        for entry in std::fs::read_dir(folder.path("release")).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            if ["data.csv", "catalog.csv"].contains(&&*name) {
                continue;
            }
            let bytes = std::fs::read(folder.path("release").join(&name)).unwrap();
            let mut text = String::from_utf8_lossy(&bytes).into_owned();
            if name.ends_with(".gz") {
                text.clear();
                flate2::read::GzDecoder::new(&bytes[..]).read_to_string(&mut text).unwrap();
            }
            files.insert(name, text);
        }
        files
    }

    /// The quasi-identifiers of the data, as text.
    fn released(folder: &Folder) -> String {
        let data = folder.read("release/data.csv");
        let mut records = data.lines().map(|line| line.split(',').collect::<Vec<_>>());
        let header = records.next().unwrap();
        let places = QIS.map(|(name, _)| header.iter().position(|column| *column == name).unwrap());
        records.map(|record| places.map(|place| record[place]).join(" ") + "\n").collect()
    }

    /// The words and numbers of a text.
    fn tokens(text: &str) -> BTreeSet<&str> {
        let is_part = |c: char| c.is_alphanumeric() || c == '.' || c == '-';
        let whole = text.split(move |c| !is_part(c));
        whole.flat_map(|token| token.split("..")).map(|token| token.trim_matches(['.', '-'])).collect()
    }

    /// Where counterfeits count for k, rare values of quasi-identifiers with a hierarchy are released, in the data first of all.
    const WITH_COUNTERFEITS: [&str; 2] = ["h-ceiling", "ipa"];

    /// Cells that must not stand beside the data, with their column.
    fn forbidden(rows: &[Vec<String>]) -> Vec<(&'static str, &str)> {
        let mut forbidden = Vec::new();
        for (place, column) in COLUMNS.into_iter().enumerate() {
            let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
            rows.iter().for_each(|row| *counts.entry(&row[place]).or_default() += 1);
            let is_qi = QIS.iter().any(|(name, _)| *name == column);
            // Ages are numbers like others: they are no mark.
            let hidden = counts.into_iter().filter(|(_, count)| column != "age" && (!is_qi || *count < K));
            forbidden.extend(hidden.map(|(cell, _)| (column, cell)));
        }
        forbidden
    }

    #[test]
    fn no_file_shows_a_cell() {
        let (folder, rows) = (Folder::new(), table());
        let lines: String = rows.iter().map(|row| row.join(",") + "\n").collect();
        folder.write("table.csv", format!("{}\n{lines}", COLUMNS.join(",")));
        let forbidden = forbidden(&rows);
        let mut found = Vec::new();
        for (method, models, keys) in METHODS {
            folder.write("recipe.toml", recipe(method, models, keys));
            let run = folder.run(&["anonymize", "recipe.toml", "--overwrite", "--quiet"]);
            assert_eq!(run.code, 0, "{method} {keys}: {}", run.err);
            let verified = folder.run(&["verify", "release"]);
            assert_eq!(verified.code, 0, "{method} {keys}: {}{}", verified.out, verified.err);
            let mut files = beside_the_data(&folder);
            files.insert("data.csv".into(), released(&folder));
            for (file, text) in files {
                let tokens = tokens(&text);
                let padded = WITH_COUNTERFEITS.contains(method);
                // A mean of k cells can come to what is a cell of another person.
                let may_be = |column: &str| {
                    padded && ["born", "lat"].contains(&column) || *method == "mdav" && column == "lat"
                };
                let shown =
                    forbidden.iter().filter(|(column, cell)| !may_be(column) && tokens.contains(cell));
                let columns: BTreeSet<&str> = shown.map(|(column, _)| *column).collect();
                found.extend(
                    columns.iter().map(|column| format!("{method} {keys:?}: {file} shows cells of {column}")),
                );
            }
        }
        assert!(found.is_empty(), "{}", found.join("\n"));
    }

    #[test]
    fn every_method_is_looked_at() {
        let schema: serde_json::Value = serde_json::from_str(&Folder::new().ok(&["schema"]).out).unwrap();
        let names = schema["properties"]["method"]["properties"]["name"]["enum"].as_array().unwrap();
        assert!(names.len() > 20, "{names:?}");
        for name in names.iter().map(|name| name.as_str().unwrap()) {
            let looked_at = METHODS.iter().any(|(method, ..)| *method == name);
            assert!(looked_at || NOISY.contains(&name), "{name}");
        }
    }

    #[test]
    fn declared_sensitive_values_are_shown_with_their_shares() {
        let folder = Folder::with(super::OPTIMAL);
        folder.ok(&["anonymize", "recipe.toml"]);
        let page = folder.read("release/report.html");
        assert!(!page.contains("I63") && page.contains("value 1"), "the values are not declared");
        let declared = "role = \"sensitive\"\ndomain = [\"I63\", \"J18\"]";
        folder.write("recipe.toml", folder.read("recipe.toml").replace("role = \"sensitive\"", declared));
        folder.ok(&["anonymize", "recipe.toml", "--overwrite"]);
        let page = folder.read("release/report.html");
        assert!(page.contains("I63") && !page.contains("value 1"), "the values are declared");
        // The custodian sees both.
        assert!(folder.read("release.custodian/custodian-report.html").contains("I63"));
    }
}
