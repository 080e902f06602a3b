//! What forgers did: each was taken for kept once.

use serde_json::{Value, json};
use velamen_job::{conclusion, sign, verify, write_report};

use super::forged::{Forged, OPTIMAL};
use super::{context, patients, run};

#[test]
fn a_column_that_nobody_names() {
    for method in [OPTIMAL, "[[privacy]]\nmodel = \"k-anonymity\"\nk = 4\n[method]\nname = \"mondrian\"\n"] {
        let forged = Forged::of(method, "");
        forged.alter("data.csv", |text| {
            let line = |(number, line): (usize, &str)| match number {
                0 => format!("{line},name\n"),
                _ => format!("{line},Person {number}\n"),
            };
            text.lines().enumerate().map(line).collect()
        });
        forged.is_broken("data");
    }
}

#[test]
fn a_file_of_other_bytes_for_the_same_records() {
    for format in ["csv", "tsv", "ndjson", "parquet", "arrow", "csv.gz", "csv.zst"] {
        let forged = Forged::of(OPTIMAL, &format!("format = \"{format}\"\n"));
        let name = format!("data.{format}");
        let whole = std::fs::read(forged.path(&name)).unwrap();
        forged.write(&name, [&whole[..], b"\n"].concat());
        assert!([3, 4, 6].contains(&forged.code()), "{format}: {}", forged.broken());
    }
    let forged = Forged::new();
    let text = forged.read("data.csv");
    for other in [
        text.replace('\n', "\r\n"),
        format!("\u{feff}{text}"),
        text.replacen("ClassID", "\"ClassID\"", 1),
        text.trim_end().to_owned(),
        text.clone() + "\n",
    ] {
        forged.write("data.csv", other);
        assert_eq!(forged.code(), 3, "{}", forged.broken());
    }
    forged.write("data.csv", &text);
    forged.manifest(|manifest| manifest["data"]["delimiter"] = json!(",;"));
    forged.is_broken("data");
}

#[test]
fn a_quasi_identifier_without_hierarchy() {
    let forged = Forged::new();
    forged.manifest(|manifest| {
        let disease = manifest["attributes"]["disease"].as_object_mut().unwrap();
        disease.insert("role".into(), json!("quasi-identifier"));
        manifest.as_object_mut().unwrap().shift_remove("documents");
    });
    forged.is_broken("disease");
    for entry in [json!({}), json!({ "role": "unknown" }), json!({ "role": "person" }), json!("sensitive")] {
        let forged = Forged::new();
        forged.manifest(|manifest| manifest["attributes"]["disease"] = entry.clone());
        assert_eq!(forged.code(), 3, "{entry}: {}", forged.broken());
    }
}

#[test]
fn a_hierarchy_in_pieces_or_of_many_tops() {
    let near = "hierarchy = { rows = [[\"A\", \"*\"], [\"B\", \"*\"], [\"C\", \"*\"], [\"D\", \"*\"]] }
        [[privacy]]\nmodel = \"t-closeness\"\nt = 0.9\ndistance = \"hierarchical\"\n";
    let forge = |rows: Value| {
        let forged = Forged::of(&format!("{near}{OPTIMAL}"), "");
        forged.manifest(|manifest| {
            manifest["attributes"]["disease"]["hierarchy"]["rows"] = rows.clone();
            manifest["privacy"][0]["asked"]["t"] = json!(1e-6);
            manifest["privacy"][0]["reached"]["t"] = json!(1e-6);
        });
        assert!([3, 4].contains(&forged.code()), "{}", forged.broken());
    };
    let leaves = ["A", "B", "C", "D"];
    forge(leaves.map(|leaf| vec![leaf, leaf]).to_vec().into_iter().map(|row| json!(row)).collect());
    forge(leaves.map(|leaf| json!([vec![leaf], vec!["*"; 200]].concat())).to_vec().into());
    forge(json!([["A", "*"], ["B", "*"]]));
}

#[test]
fn a_page_that_says_more() {
    let forged = Forged::new();
    let page = forged.read("report.html");
    for forgery in [
        page.replacen("</h1>", " Approved.</h1>", 1),
        page.replacen("</body>", "<script>fetch('x')</script></body>", 1),
        String::new(),
    ] {
        assert_ne!(forgery, page);
        forged.write("report.html", forgery);
        forged.is_broken("report");
        let place = forged.path("report.html");
        let replaced = context(|context| write_report(&forged.release(), &place, None, context));
        if replaced.is_ok_and(|findings| conclusion(&findings).is_ok()) {
            assert_eq!((forged.read("report.html"), forged.code()), (page.clone(), 0));
        } else {
            // An empty file is no page, and is not replaced.
            assert_eq!(forged.read("report.html"), "");
        }
    }
    std::fs::remove_file(forged.path("report.html")).unwrap();
    forged.is_broken("files");
    context(|context| write_report(&forged.release(), &forged.path("report.html"), None, context)).unwrap();
    assert_eq!(forged.read("report.html"), page);
    assert_eq!(forged.code(), 0);
}

#[test]
fn files_that_do_not_belong_there() {
    for name in ["original.csv", "notes.txt", ".hidden", "data.csv.bak", "._original.csv", "Thumbs.db"] {
        let forged = Forged::new();
        forged.write(name, "name\nx\n");
        forged.is_broken("files");
    }
    let forged = Forged::new();
    let custodian = forged.0.path().join("release.custodian");
    std::fs::rename(custodian, forged.path("release.custodian")).unwrap();
    forged.is_broken("files");
    let [secret, _] = sign::new_keys(&forged.0.path().join("keys"), None).unwrap();
    let signed = context(|context| sign::sign(&forged.release(), &secret, None, None, context));
    assert_eq!(signed.unwrap_err().exit_code(), 3);
    #[cfg(unix)]
    {
        let forged = Forged::new();
        let page = forged.path("report.html");
        std::fs::rename(&page, forged.0.path().join("elsewhere.html")).unwrap();
        std::os::unix::fs::symlink(forged.0.path().join("elsewhere.html"), &page).unwrap();
        assert_eq!(forged.code(), 4, "a link can lead anywhere: nothing of it is read");
    }
    for name in ["README.md", "codebook.csv", "data.csv-metadata.json"] {
        let forged = Forged::new();
        std::fs::remove_file(forged.path(name)).unwrap();
        forged.is_broken("files");
        forged.manifest(|manifest| manifest["documents"].as_array_mut().unwrap().retain(|file| file != name));
        forged.is_broken("documents");
    }
}

#[test]
fn what_a_system_leaves_behind_is_noted() {
    let forged = Forged::new();
    forged.write(".DS_Store", b"\0\0\0\x01Bud1");
    let findings = context(|context| verify(&forged.release(), None, context)).unwrap();
    let files = findings.iter().find(|finding| finding.promise == "files").unwrap();
    assert_eq!(files.reached["left-by-a-system"], json!([".DS_Store"]));
    assert_eq!(forged.code(), 0);
    let [secret, public] = sign::new_keys(&forged.0.path().join("keys"), None).unwrap();
    context(|context| sign::sign(&forged.release(), &secret, None, None, context)).unwrap();
    std::fs::remove_file(forged.path(".DS_Store")).unwrap();
    assert_eq!(sign::check(&forged.release(), &public).unwrap().reached, json!({ "changed": [] }));
}

/// The lines of a file after its first one, altered together.
fn below_header(text: &str, alter: impl Fn(Vec<String>) -> Vec<String>) -> String {
    let (header, lines) = text.split_once('\n').unwrap();
    let lines = alter(lines.lines().map(str::to_owned).collect());
    lines.iter().fold(format!("{header}\n"), |text, line| text + line + "\n")
}

#[test]
fn records_in_another_order() {
    const LOCAL: &str =
        "[[privacy]]\nmodel = \"k-anonymity\"\nk = 4\n[method]\nname = \"optimal\"\nlocal-recoding = true\n";
    for (method, format) in [(OPTIMAL, "csv"), (OPTIMAL, "ndjson"), (LOCAL, "csv")] {
        let forged = Forged::of(method, &format!("format = \"{format}\"\n"));
        let name = format!("data.{format}");
        let text = forged.read(&name);
        let reversed = |mut lines: Vec<String>| {
            lines.reverse();
            lines
        };
        let rotated = |mut lines: Vec<String>| {
            lines.rotate_left(1);
            lines
        };
        // The last two records of the first class that shows two values.
        let swapped = |mut lines: Vec<String>| {
            let last = |line: &str| line.rsplit(',').next().map(str::to_owned);
            let at = (1..lines.len()).find(|&at| last(&lines[at]) != last(&lines[at - 1])).unwrap();
            lines.swap(at - 1, at);
            lines
        };
        let orders: [&dyn Fn(Vec<String>) -> Vec<String>; 3] = [&reversed, &rotated, &swapped];
        for order in orders {
            forged.write(&name, below_header(&text, order));
            forged.is_broken("data");
        }
    }
}

#[test]
fn class_ids_that_say_something() {
    let forged = Forged::new();
    let text = forged.read("data.csv");
    let id =
        |line: &str| line.split_once(',').map(|(id, rest)| (id.parse::<u64>().unwrap(), rest.to_owned()));
    let last = text.lines().skip(1).filter_map(id).map(|(id, _)| id).max().unwrap();
    let others: [&dyn Fn(u64) -> u64; 4] =
        [&|id| last + 1 - id, &|id| 1900 + 7 * id, &|id| id - 1, &|id| id << 40];
    for other in others {
        let line = |line: String| id(&line).map(|(id, rest)| format!("{},{rest}", other(id))).unwrap();
        forged.write("data.csv", below_header(&text, |lines| lines.into_iter().map(line).collect()));
        forged.is_broken("data");
    }
}

#[test]
fn a_catalog_that_says_more() {
    const CEILING: &str = "[[privacy]]\nmodel = \"k-anonymity\"\nk = 9\n[method]\nname = \"h-ceiling\"\nadversary-limit = 1\nh = 0.2\nseed = 7\n";
    let forged = Forged::of(CEILING, "");
    let text = forged.read("catalog.csv");
    let named = |(number, line): (usize, &str)| match number {
        0 => format!("{line},name\n"),
        _ => format!("{line},Person {number}\n"),
    };
    for other in [
        text.lines().enumerate().map(named).collect(),
        text.replacen("ClassID list", "Approved", 1),
        text.replacen("Count", "\"Count\"", 1),
        text.replace('\n', "\r\n"),
        format!("\u{feff}{text}"),
        text.clone() + "\n",
        String::new(),
    ] {
        assert_ne!(other, text);
        forged.write("catalog.csv", &other);
        assert_eq!(forged.code(), 3, "{other}: {}", forged.broken());
    }
    forged.write("catalog.csv", &text);
    assert_eq!(forged.code(), 0, "{}", forged.broken());
}

#[test]
fn columns_that_are_not_what_is_said_of_them() {
    let listed = |rows: Value| json!({ "role": "sensitive", "hierarchy": { "rows": rows } });
    let entries = [
        json!({ "role": "identifier", "pseudonym": "hmac-sha256" }),
        listed(json!([["A", "*"], ["B", "*"]])),
        json!({ "role": "sensitive", "hierarchy": { "domain": 4 } }),
        json!({ "role": "sensitive", "step": 1.0 }),
        json!({ "role": "sensitive", "description": "none\n# Approved" }),
        json!({ "role": "sensitive", "unit": "" }),
    ];
    for entry in entries {
        let forged = Forged::new();
        forged.manifest(|manifest| manifest["attributes"]["disease"] = entry.clone());
        assert_eq!(forged.code(), 3, "{entry}: {}", forged.broken());
        assert!(
            ["data", "manifest"].iter().any(|promise| forged.broken().contains(promise)),
            "{entry}: {}",
            forged.broken()
        );
    }
    for (place, value) in [
        ("/attributes/sex/top", json!(90.0)),
        ("/attributes/age/step", json!(1.0)),
        ("/method/suppression-limit", json!(-1.0)),
        ("/about", json!({ "title": "one\ntwo" })),
        ("/truthful", json!(true)),
    ] {
        let forged = Forged::new();
        let (parent, key) = place.rsplit_once('/').unwrap();
        forged.manifest(|manifest| {
            manifest.pointer_mut(parent).unwrap().as_object_mut().unwrap().insert(key.into(), value.clone());
        });
        forged.is_broken("manifest");
    }
}

/// A release that calls its formulas escaped, with one that runs.
#[test]
fn a_formula_that_runs() {
    let forged = Forged::of(OPTIMAL, "");
    let folder = forged.0.path();
    let text = patients().replace(",A\n", ",=A\n");
    std::fs::write(folder.join("patients.csv"), text).unwrap();
    for format in ["csv", "tsv"] {
        let who = "[attributes.who]\nrole = \"identifier\"\n";
        let output = format!("[output]\npath = \"{format}\"\nformat = \"{format}\"\n");
        run(folder, format, &format!("{}{OPTIMAL}{who}{output}", super::TABLE)).unwrap();
        let data = folder.join(format).join(format!("data.{format}"));
        let escaped = std::fs::read_to_string(&data).unwrap();
        let code = |text: &str| {
            std::fs::write(&data, text).unwrap();
            let verified = context(|context| verify(&folder.join(format), None, context));
            verified.and_then(|findings| conclusion(&findings)).map_or_else(|error| error.exit_code(), |()| 0)
        };
        assert_eq!([code(&escaped), code(&escaped.replacen("'=A", "=A", 1))], [0, 3], "{format}");
    }
}

#[test]
fn a_model_about_an_attribute_that_is_not_sensitive() {
    let diverse = "[[privacy]]\nmodel = \"distinct-l-diversity\"\nl = 2\n";
    let forged = Forged::of(&format!("{diverse}{OPTIMAL}"), "");
    forged.manifest(|manifest| manifest["attributes"]["disease"] = json!({ "role": "insensitive" }));
    forged.is_broken("manifest");
}

#[test]
fn checksums_that_do_not_fit() {
    let forged = Forged::new();
    let [secret, _] = sign::new_keys(&forged.0.path().join("keys"), None).unwrap();
    context(|context| sign::sign(&forged.release(), &secret, None, None, context)).unwrap();
    assert_eq!(forged.code(), 0, "{}", forged.broken());
    let sums = forged.read("SHA256SUMS");
    for other in [sums.replacen('0', "1", 1), sums.to_uppercase(), String::new(), sums.clone() + "\n"] {
        forged.write("SHA256SUMS", other);
        forged.is_broken("files");
    }
    forged.write("SHA256SUMS", &sums);
    forged.alter("SHA256SUMS.minisig", |text| text.lines().next().unwrap().to_owned());
    forged.is_broken("files");
    std::fs::remove_file(forged.path("SHA256SUMS.minisig")).unwrap();
    forged.is_broken("files");
}

#[test]
fn attached_files_belong_to_the_release() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("contract.pdf"), "a contract").unwrap();
    let attach = format!("attach = [{}]\n", json!(folder.path().join("contract.pdf")));
    let forged = Forged::of(OPTIMAL, &attach);
    assert_eq!(forged.read("contract.pdf"), "a contract");
    forged.write("contract.pdf", "another contract");
    forged.is_broken("files");
    std::fs::remove_file(forged.path("contract.pdf")).unwrap();
    forged.is_broken("files");
}

#[test]
fn figures_that_nobody_compared() {
    let safe_pub = "[[privacy]]\nmodel = \"differential-privacy\"\nepsilon = 3\ndelta = 1e-3\n[method]\nname = \"safe-pub\"\nseed = 4\n";
    let cases: [(&str, &str, Value); 10] = [
        (safe_pub, "/method/beta", json!(0.0001)),
        (safe_pub, "/method/k", json!(500)),
        (safe_pub, "/method/name", json!("contingency-table")),
        (OPTIMAL, "/method/name", json!("safe-pub")),
        (OPTIMAL, "/sample", json!(7.0)),
        (OPTIMAL, "/risk", json!(-1.0)),
        (OPTIMAL, "/method/k", json!(500)),
        (OPTIMAL, "/certified-by", json!("somebody")),
        (OPTIMAL, "/attributes/age/certified", json!(true)),
        (OPTIMAL, "/privacy/0/certified", json!(true)),
    ];
    for (method, place, value) in cases {
        let forged = if method == safe_pub {
            let folder = tempfile::tempdir().unwrap();
            std::fs::write(folder.path().join("patients.csv"), patients()).unwrap();
            let table = super::TABLE.replace("sensitive", "identifier");
            let text = format!(
                "{table}{method}[attributes.who]\nrole = \"identifier\"\n[output]\npath = \"release\"\n"
            );
            run(folder.path(), "release", &text).unwrap();
            Forged(folder)
        } else {
            Forged::of(method, "")
        };
        let (parent, key) = place.rsplit_once('/').unwrap();
        forged.manifest(|manifest| {
            manifest.pointer_mut(parent).unwrap().as_object_mut().unwrap().insert(key.into(), value.clone());
        });
        assert_eq!(forged.code(), 3, "{place}: {}", forged.broken());
    }
    let forged = Forged::new();
    forged.alter("release.json", |text| text.replacen("\"asked\": {", "\"asked\": { \"k\": 400,", 1));
    forged.is_broken("twice");
}

#[test]
fn more_values_of_people_than_their_records_have() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("patients.csv"), patients()).unwrap();
    let text = format!(
        "{}[attributes.who]\nrole = \"person\"\n[[privacy]]\nmodel = \"distinct-l-diversity\"\nl = 2\n{OPTIMAL}[output]\npath = \"release\"\n",
        super::TABLE
    );
    run(folder.path(), "release", &text).unwrap();
    let forged = Forged(folder);
    assert_eq!(forged.code(), 0, "{}", forged.broken());
    for (stated, code) in [(2, 0), (3, 3), (40, 3), (1, 3)] {
        forged.manifest(|manifest| manifest["privacy"][0]["reached"]["l"] = json!(stated));
        // The page is of the manifest: it is not what is tried here.
        let page = forged.path("report.html");
        let _ = context(|context| write_report(&forged.release(), &page, None, context));
        assert_eq!(forged.code(), code, "{stated}: {}", forged.broken());
    }
}
