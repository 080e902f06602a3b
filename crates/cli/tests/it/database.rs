//! Records from SQLite and releases into it, with the real binary.

use crate::common::{Folder, OPTIMAL, recipe};

const RUN: [&str; 2] = ["anonymize", "recipe.toml"];

/// The recipe with its input and output in databases.
fn with(method: &str, input: &str, output: &str) -> String {
    recipe(method).replace("path = \"patients.csv\"\n", input) + output
}

const QUERY: &str = "database = \"sqlite:in.db\"\nquery = \"SELECT age, sex, diagnosis FROM patients\"\n";
const TABLE: &str = "database = \"sqlite:out.db\"\ntable = \"release\"\n";

#[test]
#[cfg(not(feature = "database"))]
fn a_build_without_connectors_says_so() {
    let folder = Folder::with(OPTIMAL);
    for text in [with(OPTIMAL, QUERY, ""), with(OPTIMAL, "path = \"patients.csv\"\n", TABLE)] {
        folder.write("recipe.toml", text);
        folder.refused(&RUN, 2, &["reaches no database", "--features database"]);
    }
}

#[test]
fn a_recipe_names_a_file_or_a_query() {
    let folder = Folder::with(OPTIMAL);
    for (input, output, says) in [
        ("", "", "expected either `path`"),
        ("query = \"SELECT 1\"\n", "", "expected either `path`"),
        ("path = \"patients.csv\"\nquery = \"SELECT 1\"\n", "", "expected either `path`"),
        (&format!("path = \"patients.csv\"\n{QUERY}"), "", "expected either `path`"),
        (&format!("{QUERY}delimiter = \";\"\n"), "", "are for files"),
        ("path = \"patients.csv\"\n", "table = \"release\"\n", "go together"),
        ("path = \"patients.csv\"\n", "database = \"sqlite:out.db\"\n", "go together"),
        ("database = \"mysql://localhost/x\"\nquery = \"SELECT 1\"\n", "", "postgresql://host:port/name"),
    ] {
        folder.write("recipe.toml", with(OPTIMAL, input, output));
        folder.refused(&RUN, 5, &[says]);
    }
}

#[cfg(feature = "database")]
mod connected {
    use super::*;
    use crate::common::{self, CANARY, H_CEILING, Run};

    /// A folder with `in.db`, whose table `patients` holds the patients: a release at the lowest levels.
    fn prepared() -> Folder {
        let folder = Folder::with(OPTIMAL);
        let output = "database = \"sqlite:in.db\"\ntable = \"patients\"\n";
        folder.write("recipe.toml", with(OPTIMAL, "path = \"patients.csv\"\n", output));
        folder.ok(&[&RUN[..], &["--output", "first"]].concat());
        assert_eq!(
            common::column(&folder.read("first/data.csv"), "age"),
            common::column(&common::patients(), "age")
        );
        for name in ["first", "first.custodian"] {
            std::fs::remove_dir_all(folder.path(name)).unwrap();
        }
        folder
    }

    #[test]
    fn a_release_from_a_table_is_that_of_the_file_and_a_table_holds_it() {
        for method in [H_CEILING, "name = \"mondrian\"", "name = \"optimal\""] {
            let (file, folder) = (Folder::with(method), prepared());
            file.ok(&RUN);
            folder.write("recipe.toml", with(method, QUERY, TABLE));
            let run = folder.ok(&RUN);
            assert!(run.out.contains("table      sqlite:out.db, table \"release\""), "{}", run.out);
            for name in ["data.csv", "release.json", "report.html"] {
                let path = format!("release/{name}");
                assert_eq!(folder.read(&path), file.read(&path), "{name}");
            }
            assert_eq!(
                folder.json("release.custodian/custodian.json")["query"],
                "SELECT age, sex, diagnosis FROM patients"
            );
            // The table holds the release: a release of it at no higher levels is the same.
            let query = "database = \"sqlite:out.db\"\nquery = \"SELECT age, sex, diagnosis FROM release\"\n";
            folder.write(
                "recipe.toml",
                with("name = \"optimal\"", query, "")
                    .replace("hierarchy = { interval = [5, 10, 20], min = 0, max = 99 }\n", ""),
            );
            folder.ok(&[&RUN[..], &["--output", "again"]].concat());
            for name in ["age", "sex", "diagnosis"] {
                let cells =
                    |release: &str| common::column(&folder.read(&format!("{release}/data.csv")), name);
                assert_eq!(cells("again"), cells("release"), "{name}");
            }
        }
    }

    #[test]
    fn linked_tables_come_from_queries_and_tables() {
        let folder = prepared();
        folder.write(
            "linked.toml",
            r#"
            [input]
            database = "sqlite:in.db"
            [persons]
            dates = "none"
            [tables.people]
            query = "SELECT rowid AS id, age, sex FROM patients"
            key = "id"
            [tables.people.attributes]
            age = { role = "quasi-identifier", hierarchy = { interval = [5, 10, 20], min = 0, max = 99 } }
            sex = { role = "quasi-identifier" }
            [tables.codes]
            query = "SELECT rowid AS person, diagnosis FROM patients"
            parent = { table = "people", column = "person" }
            [tables.codes.attributes]
            diagnosis = { role = "set" }
            [[privacy]]
            model = "k-km-anonymity"
            k = 5
            m = 1
            [output]
            path = "linked"
            "#,
        );
        folder.ok(&["anonymize", "linked.toml"]);
        folder.ok(&["verify", "linked"]);
        let codes = common::column(&folder.read("linked/data/codes.csv"), "diagnosis");
        assert!(!codes.is_empty());
        let people = folder.json("linked/release.json")["persons"]["records"].as_u64().unwrap();
        assert_eq!(people as usize + 1, common::rows(&folder.read("linked/data/people.csv")).len());
        // The table by its name, and a query that is none.
        let text = folder.read("linked.toml");
        let named = text
            .replace("people", "patients")
            .replace("query = \"SELECT rowid AS id, age, sex FROM patients\"\n", "");
        folder.write("linked.toml", named.replace("key = \"id\"", "").replace("linked\"", "other\""));
        folder.refused(&["anonymize", "linked.toml"], 5, &["patients"]);
        folder.write("linked.toml", text.replace("SELECT rowid AS id", "SELEKT rowid AS id"));
        folder.refused(&["anonymize", "linked.toml", "--overwrite"], 5, &["tables.", "people", "query"]);
        let custodian = folder.run(&["verify", "linked", "--custodian", "linked.custodian"]);
        assert!(custodian.out.contains("export it from the database as people.csv"), "{}", custodian.out);
    }

    #[test]
    fn hierarchies_read_off_the_data_see_the_query_too() {
        let bins = "hierarchy = { equal-frequency = [3] }";
        let change =
            |text: String| text.replace("hierarchy = { interval = [5, 10, 20], min = 0, max = 99 }", bins);
        let (file, folder) = (Folder::with(OPTIMAL), prepared());
        file.write("recipe.toml", change(recipe(OPTIMAL)));
        file.ok(&RUN);
        folder.write("recipe.toml", change(with(OPTIMAL, QUERY, "")));
        folder.ok(&RUN);
        assert_eq!(folder.read("release/data.csv"), file.read("release/data.csv"));
    }

    #[test]
    fn other_formats_and_escaped_cells_reach_the_table_as_they_are() {
        let folder = Folder::with(OPTIMAL);
        let formulas = common::patients().replace("I63", "=1+1").replace("J18", "");
        folder.write("patients.csv", &formulas);
        for (format, table) in [("csv", "a"), ("parquet", "b"), ("ndjson.gz", "c")] {
            let output = format!("format = {format:?}\ndatabase = \"sqlite:out.db\"\ntable = {table:?}\n");
            folder.write("recipe.toml", with(OPTIMAL, "path = \"patients.csv\"\n", &output));
            folder.ok(&[&RUN[..], &["--output", table]].concat());
            let query = format!(
                "database = \"sqlite:out.db\"\nquery = \"SELECT age, sex, diagnosis FROM {table}\"\n"
            );
            folder.write("recipe.toml", with(OPTIMAL, &query, "formulas = \"keep\"\n"));
            folder.ok(&[&RUN[..], &["--output", &format!("{table}2")]].concat());
            let cells = common::column(&folder.read(&format!("{table}2/data.csv")), "diagnosis");
            assert_eq!(cells, common::column(&formulas, "diagnosis"), "{format}");
        }
    }

    #[test]
    fn what_fails_leaves_neither_folders_nor_table() {
        let folder = prepared();
        folder.write("recipe.toml", with(H_CEILING, QUERY, TABLE));
        let set = |pair: &str| {
            [&RUN[..], &["--set", pair]].concat().iter().map(|s| (*s).to_owned()).collect::<Vec<_>>()
        };
        for (pair, code, says) in [
            ("privacy.0.k=1000", 3, "k = 1000"),
            ("input.query=SELECT age FROM nobody", 5, "no such table"),
            ("input.query=DELETE FROM patients", 5, "only one query"),
            ("input.query=SELECT x'00' AS age, sex, diagnosis FROM patients", 4, "column `age`"),
            ("input.database=sqlite:nobody.db", 6, "cannot be opened"),
            ("output.table=main.x.y", 5, "more than two parts"),
            ("output.database=sqlite:no/out.db", 6, "cannot be opened"),
            ("output.table=sqlite_x", 6, "reserved"),
        ] {
            let arguments = set(pair);
            let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
            folder.refused(&arguments, code, &[says]);
        }
        // A value that is no number is not shown.
        let query = format!("input.query=SELECT '{CANARY}' || '' AS age, sex, diagnosis FROM patients");
        let refused =
            folder.refused(&[&RUN[..], &["--set", &query]].concat(), 4, &["record 1, column `age`"]);
        assert!(!refused.err.contains("line"), "{}", refused.err);
        folder.ok(&RUN);
        folder.refused(&[&RUN[..], &["--overwrite"]].concat(), 6, &["already exists"]);
    }

    #[test]
    fn a_file_on_the_command_line_replaces_the_query() {
        let folder = Folder::with(OPTIMAL);
        folder.write("recipe.toml", with(OPTIMAL, QUERY, ""));
        folder.ok(&[&RUN[..], &["--input", "patients.csv"]].concat());
    }

    #[test]
    fn paths_are_relative_to_the_recipe() {
        let folder = prepared();
        std::fs::create_dir(folder.path("elsewhere")).unwrap();
        folder.write("recipe.toml", with(OPTIMAL, QUERY, TABLE));
        let mut command = folder.command(&["anonymize", "../recipe.toml"]);
        let run = Run::of(command.current_dir(folder.path("elsewhere")));
        assert_eq!(run.code, 0, "{}", run.err);
        assert!(folder.path("out.db").exists());
    }
}
