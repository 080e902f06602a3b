//! Differentially private methods on tables that differ by one record: the same exit code, the same words and
//! the same files, whatever the record is.

use crate::common;

use crate::common::{Folder, rows};
use serde_json::json;

const RUN: [&str; 3] = ["anonymize", "recipe.toml", "--overwrite"];
const IPA: &str = "name = \"ipa\"";
const TABLE: &str = "name = \"contingency-table\"";
const SAFE_PUB: &str = "name = \"safe-pub\"";
const MST: &str = "name = \"mst\"";
const DIFFGEN: &str = "name = \"diffgen\"\nspecializations = 3";
const DSAT: &str = "name = \"dsat\"\ntime = \"age\"";
const METHODS: [&str; 6] = [IPA, TABLE, SAFE_PUB, MST, DIFFGEN, DSAT];

/// Patients of 20 to 59 years.
fn patients() -> Vec<[String; 4]> {
    let patient = |i: usize| {
        let [sex, disease] = [["f", "m"][i / 4 % 2], ["A", "A", "B", "C"][i % 4]];
        [format!("{i}"), format!("{}", 20 + i * 7 % 40), sex.into(), disease.into()]
    };
    (0..1200).map(patient).collect()
}

fn csv() -> Vec<u8> {
    let lines = patients().into_iter().map(|patient| patient.join(",") + "\n");
    ("name,age,sex,disease\n".to_owned() + &lines.collect::<String>()).into_bytes()
}

fn ndjson() -> Vec<u8> {
    let line = |[name, age, sex, disease]: [String; 4]| {
        json!({ "name": name, "age": age, "sex": sex, "disease": disease }).to_string() + "\n"
    };
    patients().into_iter().map(line).collect::<String>().into_bytes()
}

fn recipe(method: &str, input: &str) -> String {
    let (delta, disease) = match method {
        SAFE_PUB => ("1e-3", "role = \"identifier\""),
        MST => ("1e-3", "role = \"quasi-identifier\"\ndomain = [\"A\", \"B\", \"C\", \"D\"]"),
        _ => ("0", "role = \"sensitive\"\ndomain = [\"A\", \"B\", \"C\", \"D\"]"),
    };
    format!(
        r#"[input]
path = "{input}"
[attributes.name]
role = "identifier"
[attributes.age]
role = "quasi-identifier"
hierarchy = {{ interval = [10, 50], min = 0, max = 99 }}
level = 1
[attributes.sex]
role = "quasi-identifier"
hierarchy = {{ rows = [["f", "*"], ["m", "*"]] }}
level = 0
[attributes.disease]
{disease}
[[privacy]]
model = "differential-privacy"
epsilon = 2
delta = {delta}
[method]
{method}
seed = 4
[output]
path = "release"
"#
    )
}

/// What a run shows of its table beyond the released records.
#[derive(Debug, PartialEq)]
struct Shown {
    code: i32,
    err: String,
    entries: Vec<String>,
}

fn shown(recipe: &str, input: &str, table: &[u8]) -> (Folder, Shown) {
    let folder = Folder::new();
    folder.write(input, table);
    folder.write("recipe.toml", recipe);
    let run = folder.run(&RUN);
    let shown = Shown { code: run.code, err: run.err, entries: folder.entries() };
    (folder, shown)
}

/// Both tables are released; returns what the second's custodian knows of records that are not as declared.
fn neighbours(recipe: &str, input: &str, one: &[u8], other: &[u8]) -> [u64; 3] {
    let (_, expected) = shown(recipe, input, one);
    let (folder, found) = shown(recipe, input, other);
    assert_eq!(expected.code, 0, "{}", expected.err);
    assert_eq!(found, expected, "{recipe}");
    folder.ok(&["verify", "release"]);
    let known = &folder.json("release.custodian/custodian.json")["not-as-declared"];
    let keys = ["quasi-identifier-outside-its-domain", "sensitive-value-outside-its-domain", "malformed"];
    let known = keys.map(|key| known[key].as_u64().unwrap());
    // What a run keeps to itself, a check says to whoever makes it.
    let checked = folder.ok(&["check", "recipe.toml", "--data", "--overwrite"]);
    let said = checked.err.contains("records are not as declared");
    assert_eq!(said, known.iter().sum::<u64>() > 0, "{}", checked.err);
    known
}

/// A table with a line after so many lines.
fn with(table: &[u8], after: usize, line: &[u8]) -> Vec<u8> {
    let mut lines: Vec<&[u8]> = table.split_inclusive(|&byte| byte == b'\n').collect();
    lines.insert(after, line);
    lines.concat()
}

#[test]
fn a_record_of_delimited_text_decides_nothing() {
    let (outside, dropped, malformed) = ([1, 0, 0], [0, 1, 0], [0, 0, 1]);
    let lines: [(&[u8], [u64; 3]); 11] = [
        (b"x,30,f,A\n", [0; 3]),
        (b"x,150,f,A\n", outside),
        (b"x,*,f,A\n", outside),
        (b"x,,f,A\n", outside),
        (b"x,30,f,Z\n", dropped),
        (b"x,30,f,\n", dropped),
        (b"x,30\n", malformed),
        (b"x,30,f,A,more\n", malformed),
        (b"x,\xff,f,A\n", malformed),
        (b"x,\"30,f,A\n", malformed),
        (b"\"x,30,f,A\r\n", malformed),
    ];
    for method in METHODS {
        for (number, (line, expected)) in lines.iter().enumerate() {
            let after = [1, 600, 1201][number % 3];
            let mut expected = *expected;
            if method == SAFE_PUB {
                // It declares no disease, and missing values are always in its domains.
                expected[1] = 0;
                expected[0] -= u64::from(line == b"x,,f,A\n");
            }
            if method == MST {
                // Its disease is a quasi-identifier.
                expected = [expected[0] + expected[1], 0, expected[2]];
            }
            let found = neighbours(&recipe(method, "t.csv"), "t.csv", &csv(), &with(&csv(), after, line));
            assert_eq!(found, expected, "{method}: {}", String::from_utf8_lossy(line));
        }
        let last = neighbours(&recipe(method, "t.csv"), "t.csv", &csv(), &with(&csv(), 1201, b"x,30,\"f"));
        assert_eq!(last, malformed);
    }
}

#[test]
fn a_record_of_ndjson_decides_nothing() {
    let (outside, malformed) = ([1, 0, 0], [0, 0, 1]);
    let lines: [(&[u8], [u64; 3]); 8] = [
        (b"{\"age\": 30, \"sex\": \"f\", \"disease\": \"A\", \"more\": 1}\n", [0; 3]),
        (b"{\"age\": 30, \"sex\": \"f\", \"disease\": \"A\", \"ClassID\": [1]}\n", [0; 3]),
        (b"{\"age\": 130, \"sex\": \"f\", \"disease\": \"A\"}\n", outside),
        (b"{\"age\": 30, \"sex\": [\"f\"], \"disease\": \"A\"}\n", malformed),
        (b"{\"age\": 30, \"sex\n", malformed),
        (b"[1]\n", malformed),
        (b"\xff\n", malformed),
        (b"[\n", malformed),
    ];
    for method in METHODS {
        for (number, (line, expected)) in lines.iter().enumerate() {
            let after = [0, 600, 1200][number % 3];
            let other = with(&ndjson(), after, line);
            let found = neighbours(&recipe(method, "t.ndjson"), "t.ndjson", &ndjson(), &other);
            assert_eq!(found, *expected, "{method}: {}", String::from_utf8_lossy(line));
        }
    }
    // An attribute that no record has is missing everywhere, and no refusal.
    let none = b"{\"disease\": \"A\"}\n".repeat(50);
    let one_more = with(&none, 7, b"{\"disease\": \"B\"}\n");
    assert_eq!(neighbours(&recipe(IPA, "t.ndjson"), "t.ndjson", &none, &one_more), [51, 0, 0]);
}

/// A byte-order mark is frame, wherever a line begins with one: with it and without it the records are the same, and one more
/// in front of it, behind it or with one of its own is one record more.
#[test]
fn a_byte_order_mark_of_ndjson_belongs_to_no_record() {
    const MARK: &[u8] = b"\xef\xbb\xbf";
    const RECORD: &[u8] = b"{\"age\": 30, \"sex\": \"f\", \"disease\": \"A\"}\n";
    let own = [MARK, RECORD].concat();
    let marked = [MARK, &ndjson()].concat();
    let within =
        ndjson().split_inclusive(|&byte| byte == b'\n').map(|line| [MARK, line].concat()).collect::<Vec<_>>();
    for method in METHODS {
        let recipe = recipe(method, "t.ndjson");
        let (plain, _) = shown(&recipe, "t.ndjson", &ndjson());
        for table in [marked.clone(), within.concat()] {
            let (with_marks, _) = shown(&recipe, "t.ndjson", &table);
            assert_eq!(with_marks.read("release/data.ndjson"), plain.read("release/data.ndjson"), "{method}");
            for (after, line) in
                [(0, RECORD), (0, &*own), (1, RECORD), (1, &*own), (600, &*own), (1200, &*own)]
            {
                let found = neighbours(&recipe, "t.ndjson", &table, &with(&table, after, line));
                assert_eq!(found, [0; 3], "{method}: after {after}");
            }
        }
        // A mark alone is a line that is no record's.
        let alone = with(&marked, 1, &[MARK, b"\n"].concat());
        assert_eq!(neighbours(&recipe, "t.ndjson", &marked, &alone), [0; 3], "{method}");
    }
}

#[test]
fn without_a_header_no_record_tells_how_the_file_is_read() {
    let headless = |text: Vec<u8>| text.split_inclusive(|&b| b == b'\n').skip(1).collect::<Vec<_>>().concat();
    let columns = "header = false\ncolumns = [\"name\", \"age\", \"sex\", \"disease\"]";
    let without = recipe(IPA, "t.csv").replace("\"t.csv\"", &format!("\"t.csv\"\n{columns}"));
    let (_, refused) = shown(&without, "t.csv", &headless(csv()));
    assert!(refused.code == 5 && refused.err.contains("input.delimiter"), "{refused:?}");
    let given = without.replace(columns, &format!("{columns}\ndelimiter = \",\""));
    for line in [&b"PAR1;;;;\n"[..], b"\xff\xfe\n", b"{\"a\": 1}\n", b"\n"] {
        neighbours(&given, "t.csv", &headless(csv()), &with(&headless(csv()), 0, line));
    }
    neighbours(&given, "t.csv", b"x,30,f,A\n", b"");
    let (_, unnamed) = shown(&recipe(IPA, "table"), "table", &csv());
    assert!(unnamed.code == 4 && unnamed.err.contains("input.format"), "{unnamed:?}");
}

#[test]
fn many_records_outside_their_domain_are_released_as_suppressed() {
    let strange: Vec<u8> = [csv(), b"x,150,f,B\n".repeat(500)].concat();
    for method in METHODS {
        let (folder, shown) = shown(&recipe(method, "t.csv"), "t.csv", &strange);
        assert_eq!(shown.code, 0, "{}", shown.err);
        folder.ok(&["verify", "release"]);
        let data = rows(&folder.read("release/data.csv"));
        let stars =
            data.iter().filter(|row| row[0].is_empty() && row[1] == "*" && row[2] == "*").count() as u64;
        let manifest = folder.json("release/release.json");
        assert_eq!(manifest["suppressed"], stars);
        match method {
            TABLE | MST | DIFFGEN | DSAT => assert_eq!(stars, 0),
            _ => assert!((350..560).contains(&stars), "{method}: {stars}"),
        }
        for call in
            [&["measure", "release"][..], &["risk", "release"], &["report", "release", "--output", "r.html"]]
        {
            folder.ok(call);
        }
    }
}

#[test]
fn an_empty_sample_and_an_empty_table_are_released() {
    for method in METHODS {
        let sampled = recipe(method, "t.csv").replace("\"t.csv\"", "\"t.csv\"\nsample = 0.000000001");
        let header = b"name,age,sex,disease\n";
        // So much that noise makes nothing.
        let quiet = |recipe: String| {
            let recipe = recipe.replace("epsilon = 2", "epsilon = 14").replace("delta = 1e-3", "delta = 0.1");
            let recipe = recipe.replace(DIFFGEN, &format!("{DIFFGEN}\nleast-count = 9"));
            let recipe = recipe.replace(DSAT, &format!("{DSAT}\nleast-count = 9\nmost-histograms = 1"));
            recipe.replace(IPA, "name = \"ipa\"\nsuppression-share = 0.5")
        };
        let sampled = quiet(sampled);
        neighbours(&sampled, "t.csv", &csv(), &with(header, 1, b"x,30,f,A\n"));
        neighbours(&sampled, "t.csv", &csv(), header);
        for (input, table) in [("t.csv", &header[..]), ("t.ndjson", b"")] {
            let (folder, shown) = shown(&quiet(recipe(method, input)), input, table);
            assert_eq!(shown.code, 0, "{}", shown.err);
            let records = folder.json("release/release.json")["records"].as_u64().unwrap();
            // Of invented records the number is noisy, too.
            assert!(records == 0 || (method == MST && records < 40), "{method}: {records}");
            if input == "t.csv" && method != MST {
                let names =
                    if method == SAFE_PUB { "ClassID,age,sex\n" } else { "ClassID,age,sex,disease\n" };
                assert_eq!(folder.read("release/data.csv"), names);
            }
            for verb in ["verify", "measure", "risk"] {
                folder.ok(&[verb, "release"]);
            }
            folder.ok(&["report", "release", "--output", "again.html"]);
            for format in ["parquet", "arrow", "ndjson", "tsv"] {
                folder.ok(&[&RUN[..], &["--set", &format!("output.format={format}")]].concat());
                folder.ok(&["verify", "release"]);
            }
        }
    }
}

#[test]
fn the_table_of_others_is_not_empty() {
    let folder = Folder::with(common::OPTIMAL);
    folder.write("patients.csv", "age,sex,diagnosis\n");
    folder.refused(&["anonymize", "recipe.toml"], 4, &["no record"]);
}

#[test]
fn a_preset_judges_declared_domains() {
    for method in METHODS {
        let preset = "preset = \"hipaa-safe-harbor\"\n".to_owned() + &recipe(method, "t.csv");
        let lower = preset.replace("max = 99", "max = 89");
        neighbours(&lower, "t.csv", &csv(), &with(&csv(), 1, b"x,97,f,A\n"));
        neighbours(&lower, "t.csv", &csv(), &with(&csv(), 1, b"x,1960-01-01,f,A\n"));
        // What could show the oldest is refused though nobody is old.
        let folder = Folder::new();
        folder.write("t.csv", csv());
        folder.write("recipe.toml", &preset);
        folder.refused(&RUN, 5, &["`age`", "top = 90"]);
        folder.write("recipe.toml", preset.replace("max = 99 }", "max = 99 }\ntop = 90"));
        folder.ok(&RUN);
    }
}

#[test]
fn neither_memory_nor_width_is_refused_by_what_occurs() {
    let little = |method| recipe(method, "t.csv") + "[engine]\nmemory = \"1 B\"\n";
    for method in METHODS {
        neighbours(&little(method), "t.csv", &csv(), &with(&csv(), 9, b"x,99,m,C\n"));
    }
    // Thirty-three columns of codes that nobody can list are too wide whatever occurs.
    let names: Vec<String> = (0..33).map(|i| format!("code{i}")).collect();
    let attribute = |name: &String| {
        format!(
            "[attributes.{name}]\nrole = \"quasi-identifier\"\nhierarchy = {{ mask = \"right\", length = 6 }}\n"
        )
    };
    let wide = format!(
        "[input]\npath = \"t.csv\"\n{}[[privacy]]\nmodel = \"differential-privacy\"\nepsilon = 2\ndelta = 1e-3\n\
         [method]\nname = \"safe-pub\"\n[output]\npath = \"release\"\n",
        names.iter().map(attribute).collect::<String>()
    );
    let folder = Folder::new();
    folder.write("recipe.toml", wide);
    folder.write("t.csv", names.join(",") + "\n");
    folder.refused(&RUN, 4, &["1024 bits"]);
    folder.write(
        "recipe.toml",
        recipe(IPA, "t.csv") + "[engine]\nkind = \"cluster\"\nscheduler = \"df://h:1\"\n",
    );
    folder.refused(&RUN, 5, &["engine", "cluster"]);
}
