//! Without faults: the same bytes as in process, and what is refused.

use crate::common::{CANARY, Folder, H_CEILING, OPTIMAL, Run, recipe};
use crate::nodes::{Cluster, Node};

/// Cells as spreadsheets and databases write them: quotes, line ends within, missing values, a mark.
const NASTY: &str = "\u{feff}name,age,sex,\"the \"\"note\"\"\",diagnosis\r\n\
    Kanarienvogel, 31,F,\"a,b\",I63\r\nx,34 ,F,\"two\nlines\",NA\r\n\r\ny,31,F,\"say \"\"so\"\"\",\r\n\
    z,34,M,,\"\"\nKanarienvogel,31 ,M,' x ',J18\r\nv,34,M,=1+1,J18";

/// Typed columns, by way of a release of JSON.
const TYPED: &str = r#"
unnamed = "insensitive"
[input]
path = "typed.ndjson"
[attributes.age]
role = "quasi-identifier"
[attributes.sex]
role = "quasi-identifier"
[[privacy]]
model = "k-anonymity"
k = 2
[method]
name = "optimal"
[output]
path = "typed"
format = "parquet"
"#;

/// The recipe, with columns that it does not name.
fn open(recipe: &str) -> String {
    format!("unnamed = \"insensitive\"\n{recipe}")
}

fn cluster_of(method: &str) -> (Folder, Cluster) {
    let folder = Folder::with(method);
    let cluster = Cluster::start(&folder, 2);
    (folder, cluster)
}

#[test]
fn every_kind_of_method_makes_the_same_release() {
    let (folder, cluster) = cluster_of(OPTIMAL);
    for (name, method) in [
        ("optimal", OPTIMAL),
        ("h-ceiling", H_CEILING),
        ("mondrian", "name = \"mondrian\""),
        ("suppression", "name = \"suppression\"\nsuppression-limit = 0.1\nseed = 3"),
    ] {
        folder.write("recipe.toml", recipe(method));
        let seed = ["--seed", "11"];
        cluster.agrees(&folder, name, &[], &seed);
        let shared = format!("engine.shared={}", folder.root().display());
        cluster.agrees(&folder, &format!("{name}-written"), &["--set", &shared], &seed);
        let json = [&seed[..], &["--set", "output.format=ndjson"]].concat();
        cluster.agrees(&folder, &format!("{name}-json"), &["--set", &shared], &json);
    }
}

#[test]
fn text_is_read_as_in_process() {
    let (folder, cluster) = cluster_of(OPTIMAL);
    folder.write("patients.csv", NASTY);
    let method = "name = \"optimal\"\nseed = 1";
    let named = open(&recipe(method))
        .replace("k = 5", "k = 2")
        .replace("[attributes.age]", "[attributes.name]\nrole = \"identifier\"\n[attributes.age]");
    folder.write("recipe.toml", &named);
    let read = ["--set", "input.trim=true", "--set", "input.null=[\"NA\"]"];
    cluster.agrees(&folder, "nasty", &[], &read);
    let shared = format!("engine.shared={}", folder.root().display());
    cluster.agrees(&folder, "nasty-written", &["--set", &shared], &read);
    folder.write("key", "0123456789abcdef");
    let pseudonym = "role = \"identifier\"\npseudonym = \"hmac-sha256\"";
    folder.write(
        "recipe.toml",
        format!("key = {{ file = \"key\" }}\n{}", named.replace("role = \"identifier\"", pseudonym)),
    );
    cluster.agrees(&folder, "pseudonyms", &[], &read);
}

#[test]
fn types_of_parquet_are_kept() {
    let (folder, cluster) = cluster_of(OPTIMAL);
    let record = |n: u32| {
        let weight = ["1.5", "-0.0", "0.0", "1e300", "null", "70", "0.1"][n as usize % 7];
        let (age, sex, smoker) = (30 + n % 9, ["F", "M"][n as usize % 2], n.is_multiple_of(3));
        format!(
            "{{\"age\":{age},\"sex\":\"{sex}\",\"weight\":{weight},\"smoker\":{smoker},\"n\":{}}}\n",
            n % 4
        )
    };
    folder.write("typed.ndjson", (0..400).map(record).collect::<String>());
    folder.write("recipe.toml", TYPED);
    folder.ok(&["anonymize", "recipe.toml", "--quiet"]);
    let table =
        ["--set", "input.path=typed/data.parquet", "--set", "attributes.ClassID={role=\"identifier\"}"];
    cluster.agrees(&folder, "again", &[], &table);
}

#[test]
fn wrong_tables_are_refused_as_in_process() {
    let (folder, cluster) = cluster_of(OPTIMAL);
    folder.write("recipe.toml", open(&recipe(OPTIMAL)));
    let refuse = |table: &[u8], code: i32, says: &str| {
        folder.write("patients.csv", table);
        let run = Run::of(&mut cluster.command(&folder, "r", &["--set", "engine.retries=0"]));
        assert_eq!(run.code, code, "{}", run.err);
        assert!(run.err.contains(says), "no {says:?} in {}", run.err);
        assert!(!run.err.contains(CANARY) && !run.err.contains("panicked"), "{}", run.err);
        assert!(!folder.path("r").exists() && !folder.path("r.custodian").exists());
    };
    refuse(b"age,sex,diagnosis\n31,F,I63\n32,F\n", 4, "line 3 (record 2): 2 fields; expected 3");
    refuse(b"age,sex,diagnosis\nKanarienvogel,F,I63\n32,F,J18\n", 4, "column `age`: a value is not in");
    refuse(b"age,sex,diagnosis\n", 4, "no record");
    refuse(b"age,sex,diagnosis\n31,F,I63\n\xef\xbb\xbf32,F,J18\n", 4, "byte order marks");
    refuse(b"age,sex,x,diagnosis\n31,F,Kanarienvogel\xff,I63\n", 6, "attempt 1: the cluster failed");
    std::fs::rename(folder.path("patients.csv"), folder.path("pa*ents.csv")).unwrap();
    let run = Run::of(&mut cluster.command(&folder, "r", &["--input", "pa*ents.csv"]));
    assert_eq!((run.code, run.err.contains("patterns")), (4, true), "{}", run.err);
}

#[test]
fn nodes_say_what_is_wrong_and_stop_when_asked() {
    let (folder, mut cluster) = cluster_of(OPTIMAL);
    let port = cluster.scheduler.address.rsplit(':').next().unwrap().to_owned();
    folder.refused(
        &["cluster", "scheduler", "--port", &port],
        6,
        &["cannot listen", "choose another port with --port"],
    );
    let wrong = ["cluster", "executor", "--scheduler", "localhost"];
    folder.refused(&wrong, 6, &["expected a scheduler as df://host:port"]);
    let taken = ["cluster", "executor", "--scheduler", &cluster.url(), "--port", &port];
    folder.refused(&taken, 6, &["cannot listen"]);
    let executor = cluster.executors.pop().unwrap();
    assert_eq!(executor.interrupt(), Some(0));
    let open = Node::start(folder.command(&["cluster", "scheduler", "--port", "0", "--bind", "::1"]));
    assert_eq!(open.interrupt(), Some(0));
    let gone = ["--set", "engine.retries=0"];
    let mut command = cluster.command(&folder, "r", &gone);
    cluster.scheduler.kill();
    let run = Run::of(&mut command);
    assert_eq!(run.code, 6, "{}", run.err);
    assert!(run.err.contains("no scheduler answers at df://127.0.0.1:"), "{}", run.err);
}

#[test]
fn engine_settings_are_checked() {
    let folder = Folder::with(OPTIMAL);
    let refuse = |set: &[&str], says: &str| {
        let set: Vec<&str> = set.iter().flat_map(|set| ["--set", set]).collect();
        folder.refused(&[&["anonymize", "recipe.toml"], &set[..]].concat(), 5, &[says]);
    };
    refuse(&["engine.kind=cluster"], "needs scheduler");
    refuse(&["engine.timeout=5"], "go with kind = \"cluster\"");
    let cluster = ["engine.kind=cluster", "engine.scheduler=df://127.0.0.1:1"];
    refuse(&[cluster[0], cluster[1], "engine.timeout=0"], "at least one second");
    refuse(&[cluster[0], cluster[1], "engine.tasks=0"], "expected 1 to 4096");
    refuse(&[cluster[0], cluster[1], "engine.retries=101"], "at most 100");
}
