//! What people expect of any command line: check and diff, quiet and colour, logs, pipes, completions, man pages.

use std::io::Write;
use std::process::Stdio;

use crate::common::{CANARY, Folder, H_CEILING, OPTIMAL, Run, patients};
use serde_json::{Value, json};

/// Runs a command with this on its standard input.
fn fed(folder: &Folder, arguments: &[&str], input: &str) -> Run {
    let mut command = folder.command(arguments);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(input.as_bytes()).unwrap();
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    Run {
        code: output.status.code().unwrap(),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}

#[test]
fn check_needs_no_table_and_writes_nothing() {
    let folder = Folder::with(OPTIMAL);
    std::fs::remove_file(folder.path("patients.csv")).unwrap();
    let before = folder.entries();
    let run = folder.ok(&["check", "recipe.toml"]);
    assert!(run.out.contains("no mistake found; the table was not read"), "{}", run.out);
    assert_eq!(folder.entries(), before);
    folder.refused(&["check", "recipe.toml", "--data"], 6, &["patients.csv"]);
    folder.refused(&["check", "recipe.toml", "--set", "method.h=2"], 2, &["method.h"]);
    folder.write("recipe.toml", folder.read("recipe.toml").replace("interval", "intervall"));
    folder.refused(&["check", "recipe.toml"], 5, &["line 5", "intervall"]);
}

#[test]
fn wrong_calls_name_what_was_meant() {
    let folder = Folder::with(OPTIMAL);
    let said = |arguments: &[&str]| folder.run(arguments).err;
    assert!(said(&["compare", "a", "b", "--classifier", "3"]).contains("--classifier-records"));
    let listed = said(&["compare", "a", "b", "--predict", "x"]);
    assert!(listed.contains("the nearest options are --") && !listed.contains("as a value"), "{listed}");
    let elsewhere = said(&["measure", "patients.csv", "--simulate", "4"]);
    let other = "--simulate is an option of `velamen attack`, not of `velamen measure`";
    assert!(elsewhere.contains(other), "{elsewhere}");
    let variable = Run::of(folder.command(&["check", "recipe.toml"]).env("VELAMEN_THREADS", "many")).err;
    assert!(variable.contains("for 'VELAMEN_THREADS (the variable for --threads)'"), "{variable}");
    let slip = Run::of(folder.command(&["check", "recipe.toml"]).env("VELAMEN_THREDS", "1")).err;
    let meant = "VELAMEN_THREDS is no variable of this program; did you mean `VELAMEN_THREADS`?";
    assert!(slip.contains(meant), "{slip}");
    let seed = Run::of(folder.command(&["anonymize", "recipe.toml"]).env("VELAMEN_SEED", "seven"));
    assert!(
        seed.err.contains("for 'VELAMEN_SEED (the variable for --seed)'") && seed.code == 2,
        "{}",
        seed.err
    );
    assert!(said(&["check", "recipe.toml", "--threads", "many"]).contains("for '--threads <N>'"));
    assert!(said(&["verify", "patients.csv"]).contains("it is a file, and a release is a folder"));
    assert!(
        said(&["measure", "recipe.toml", "--qi", "age"])
            .contains("this is a recipe, where a table is expected")
    );
    assert!(said(&["anonymize", "patients.csv"]).contains("this is a table, where a recipe is expected"));
}

#[test]
fn lines_above_the_table_are_skipped() {
    let folder = Folder::with(OPTIMAL);
    let table = folder.read("patients.csv");
    folder.ok(&["anonymize", "recipe.toml"]);
    let plain = folder.read("release/data.csv");
    folder.write("patients.csv", format!("Export of March\n\n{table}"));
    folder.refused(&["anonymize", "recipe.toml", "--overwrite"], 5, &["`age` is not a column"]);
    folder.ok(&["anonymize", "recipe.toml", "--overwrite", "--set", "input.skip-lines=2"]);
    assert_eq!(folder.read("release/data.csv"), plain);
    folder.ok(&["profile", "patients.csv", "--skip-lines", "2", "--recipe", "new.toml"]);
    assert!(folder.read("new.toml").contains("skip-lines = 2\n"));
    // Places count the lines of the file.
    folder.write("patients.csv", format!("Export of March\n\n{table}31,F\n"));
    let line = table.lines().count() + 3;
    folder.refused(
        &["anonymize", "recipe.toml", "--overwrite", "--set", "input.skip-lines=2"],
        4,
        &[&format!("line {line}")],
    );
}

#[test]
fn check_refuses_what_a_run_would() {
    let folder = Folder::with(OPTIMAL);
    folder.ok(&["check", "recipe.toml", "--data"]);
    std::fs::create_dir(folder.path("release")).unwrap();
    let (check, run) = (["check", "recipe.toml"], ["anonymize", "recipe.toml"]);
    folder.refused(&run, 6, &["already exists"]);
    // What stands in the way is no mistake of the recipe's.
    assert!(folder.ok(&check).err.contains("warning: release: already exists"));
    std::fs::remove_dir(folder.path("release")).unwrap();
    let outside = patients().replacen("31,F", &format!("{CANARY},F"), 1);
    folder.write("patients.csv", outside);
    folder.ok(&check);
    let said = |arguments: &[&str]| folder.refused(arguments, 4, &["age"]).err;
    assert_eq!(said(&["check", "recipe.toml", "--data"]), said(&run));
    folder.write("patients.csv", patients().replace("diagnosis", "disease"));
    folder.refused(&["check", "recipe.toml", "--data"], 5, &["`diagnosis` is not a column"]);
    folder.write("patients.csv", "age,sex,diagnosis\n31,F,I63\n");
    folder.refused(&["check", "recipe.toml", "--data"], 3, &["fewer than k"]);
}

#[test]
fn check_tells_editors_where_a_mistake_is() {
    let folder = Folder::with(OPTIMAL);
    let of = |run: &Run| serde_json::from_str::<Value>(&run.out).unwrap();
    let sound = of(&folder.ok(&["check", "recipe.toml", "--data", "--json"]));
    assert_eq!(
        sound,
        json!({ "mistakes": [], "check": { "warnings": [], "data": { "records": 120, "combinations": 24 } } })
    );
    folder.write("recipe.toml", folder.read("recipe.toml").replace("k = 5", "k = 0"));
    let run = folder.run(&["check", "recipe.toml", "--json"]);
    let mistake = &of(&run)["mistakes"][0];
    assert_eq!(
        (run.code, &mistake["line"], &mistake["key"]),
        (5, &json!(12), &json!("privacy.0.k")),
        "{mistake}"
    );
}

#[test]
fn diff_shows_what_changed_and_nothing_where_nothing_did() {
    let folder = Folder::with("name = \"optimal\"\nsuppression-limit = 0.1");
    folder.ok(&["anonymize", "recipe.toml"]);
    folder.ok(&["anonymize", "recipe.toml", "--output", "again"]);
    assert!(folder.ok(&["diff", "release", "again"]).out.starts_with("nothing changed"));
    let set = ["--set", "privacy.0.k=12", "--set", "attributes.sex.level=1"];
    folder.ok(&[&["anonymize", "recipe.toml", "--output", "other"][..], &set].concat());
    let run = folder.ok(&["diff", "release", "other"]);
    for line in ["  k-anonymity.asked    k = 5 → k = 12", "  sex  as recorded → nothing left", "records\n"]
    {
        assert!(run.out.contains(line), "no {line:?} in {}", run.out);
    }
    let found: Value = serde_json::from_str(&folder.ok(&["diff", "release", "other", "--json"]).out).unwrap();
    let records = &found["records"];
    assert_eq!(records["both"].as_u64().unwrap() + records["only-before"].as_u64().unwrap(), 120);
    assert_eq!(records["columns"], json!(["age", "sex", "diagnosis"]));
    folder.refused(&["diff", "release", "none"], 6, &["none/release.json"]);
}

/// Counted without the program: the released lines, class ids aside, as sorted lists.
#[test]
fn diff_counts_records_as_bags() {
    let folder = Folder::with("name = \"optimal\"\nsuppression-limit = 0.1");
    folder.ok(&["anonymize", "recipe.toml"]);
    folder.ok(&["anonymize", "recipe.toml", "--output", "other", "--set", "privacy.0.k=9"]);
    let lines = |name: &str| -> Vec<String> {
        let text = folder.read(name);
        text.lines().skip(1).map(|line| line.split_once(',').unwrap().1.to_owned()).collect()
    };
    let mut left = lines("other/data.csv");
    let first = lines("release/data.csv");
    let both = first.iter().filter(|line| {
        let place = left.iter().position(|other| other == *line);
        place.map(|place| left.swap_remove(place)).is_some()
    });
    let both = both.count();
    let found: Value = serde_json::from_str(&folder.ok(&["diff", "release", "other", "--json"]).out).unwrap();
    let counts =
        ["both", "only-before", "only-after"].map(|key| found["records"][key].as_u64().unwrap() as usize);
    assert_eq!(counts, [both, first.len() - both, left.len()]);
}

#[test]
fn quiet_shows_warnings_and_nothing_else() {
    let folder = Folder::with(H_CEILING);
    let run = folder.ok(&["anonymize", "recipe.toml", "--quiet", "--set", "privacy.0.k=25"]);
    assert!(
        run.out.is_empty()
            && run.err.starts_with("warning: the release loses much: `sex` (100 % of its detail)")
            && run.err.contains("\nwarning: the seed is fixed"),
        "{}{}",
        run.out,
        run.err
    );
    let mut command = folder.command(&["anonymize", "recipe.toml", "--output", "second"]);
    let run = Run::of(command.env("VELAMEN_QUIET", "1"));
    assert!(run.code == 0 && run.out.is_empty(), "{}", run.out);
    assert!(folder.ok(&["verify", "release", "--quiet"]).out.is_empty());
    let json = folder.ok(&["anonymize", "recipe.toml", "--output", "third", "--quiet", "--json"]).out;
    assert!(serde_json::from_str::<Value>(&json).is_ok(), "what was asked for is printed");
}

#[test]
fn a_column_that_is_lost_is_a_warning() {
    let folder = Folder::with(OPTIMAL);
    let run = folder.ok(&["anonymize", "recipe.toml", "--set", "attributes.sex.level=1"]);
    assert!(run.err.contains("warning: sex: nothing left (*)"), "{}", run.err);
    assert!(run.out.contains("  sex        nothing left"), "{}", run.out);
    let ways =
        "a hierarchy with more levels, a larger weight, a lower k or a method of local recoding can keep";
    assert!(run.err.contains(ways), "{}", run.err);
    let two = ["--set", "attributes.sex.level=1", "--set", "attributes.age.level=4", "--output", "both"];
    let run = folder.ok(&[&["anonymize", "recipe.toml"][..], &two].concat());
    assert_eq!(run.err.matches("nothing left (*)").count(), 1, "{}", run.err);
    assert!(run.err.contains("drop them (role = \"identifier\")"), "{}", run.err);
    let run = folder.ok(&["anonymize", "recipe.toml", "--output", "second"]);
    assert!(!run.err.contains("nothing left"), "{}", run.err);
}

#[test]
fn advice_fits_the_method() {
    let folder = Folder::with("name = \"safe-pub\"");
    let recipe = folder.read("recipe.toml").replace(
        "model = \"k-anonymity\"\nk = 5",
        "model = \"differential-privacy\"\nepsilon = 2\ndelta = 0.01",
    );
    let recipe = recipe.replace("\"sensitive\"", "\"identifier\"");
    let sex = "[attributes.sex]\nrole = \"quasi-identifier\"\n";
    let of_sex = format!("{sex}hierarchy = {{ rows = [[\"F\", \"*\"], [\"M\", \"*\"]] }}\nlevel = 1\n");
    folder.write("recipe.toml", recipe.replace(sex, &of_sex));
    let run = folder.ok(&["anonymize", "recipe.toml", "--seed", "1"]);
    let ways = "warning: sex: nothing left (*): a hierarchy with more levels or a larger epsilon can keep";
    assert!(run.err.contains(ways) && !run.err.contains("lower k"), "{}", run.err);
}

#[test]
fn what_groups_show_is_said_as_it_is() {
    let folder = Folder::with("name = \"iab\"\nrecoding = \"subtree\"");
    let run = folder.ok(&["anonymize", "recipe.toml"]);
    assert!(run.out.contains("  age        as recorded\n  sex        as recorded\n"), "{}", run.out);
    assert!(folder.read("release/report.html").contains("as recorded"));
    // Mondrian cuts numbers into ranges, and codes into what their hierarchy has above them.
    let table = folder.read("patients.csv").replace(",F,", ",I639,").replace(",M,", ",J189,");
    folder.write("patients.csv", table.replace("31,I639", "31,E119").replace("34,I639", "34,E119"));
    let recipe =
        folder.read("recipe.toml").replace("name = \"iab\"\nrecoding = \"subtree\"", "name = \"mondrian\"");
    let codes = "[attributes.sex]\nhierarchy = { mask = \"right\", length = 4, alphabet = 36 }\n";
    folder.write("recipe.toml", recipe.replace("[attributes.sex]\n", codes).replace("k = 5", "k = 24"));
    let run = folder.ok(&["anonymize", "recipe.toml", "--output", "mondrian"]);
    assert!(run.out.contains("  age        ranges, which differ by group of records\n"), "{}", run.out);
    assert!(
        run.out.contains("  sex        sets of values, which differ by group of records\n"),
        "{}",
        run.out
    );
}

#[test]
fn variables_stand_for_options() {
    let folder = Folder::with(H_CEILING);
    folder.write("recipe.toml", folder.read("recipe.toml").replace("seed = 7", ""));
    let seeded = |output: &str| {
        let mut command = folder.command(&["anonymize", "recipe.toml", "--output", output]);
        let run = Run::of(command.env("VELAMEN_SEED", "7").env("VELAMEN_THREADS", "1"));
        assert_eq!(run.code, 0, "{}", run.err);
    };
    seeded("first");
    folder.ok(&["anonymize", "recipe.toml", "--output", "second", "--seed", "7", "--threads", "2"]);
    assert_eq!(folder.read("first/data.csv"), folder.read("second/data.csv"));
    let help = Run::of(folder.command(&["anonymize", "--help"]).env("VELAMEN_SEED", CANARY)).out;
    assert!(help.contains("VELAMEN_SEED") && !help.contains(CANARY), "{help}");
    let wrong = Run::of(folder.command(&["anonymize", "recipe.toml"]).env("VELAMEN_THREADS", "many"));
    assert_eq!(wrong.code, 2, "{}", wrong.err);
}

#[test]
fn colours_are_for_terminals() {
    let folder = Folder::with(OPTIMAL);
    folder.ok(&["anonymize", "recipe.toml"]);
    let verify = |variable: &str| Run::of(folder.command(&["verify", "release"]).env(variable, "1")).out;
    assert!(!folder.ok(&["verify", "release"]).out.contains('\x1b'), "colour in a pipe");
    assert!(verify("CLICOLOR_FORCE").starts_with("\x1b[32mheld\x1b[0m"), "{}", verify("CLICOLOR_FORCE"));
    assert!(!verify("NO_COLOR").contains('\x1b'));
    let wrong = Run::of(folder.command(&["verify", "none"]).env("CLICOLOR_FORCE", "1"));
    assert!(wrong.err.starts_with("\x1b[1m\x1b[31merror[E0603]"), "{:?}", wrong.err);
}

#[test]
fn a_log_has_steps_and_counts_and_no_cell() {
    let folder = Folder::with(OPTIMAL);
    folder.ok(&["anonymize", "recipe.toml", "--log", "run.log"]);
    let log = folder.read("run.log");
    for part in ["# velamen log\n", "records=120", "step=\"reading\"", "search: close", "classes="] {
        assert!(log.contains(part), "no {part:?} in {log}");
    }
    assert!(!log.contains("I63") && !log.contains("patients.csv"), "{log}");
    folder.write("patients.csv", patients().replacen("31,F", &format!("{CANARY},F"), 1));
    folder.refused(&["anonymize", "recipe.toml", "--output", "second", "--log", "run.log"], 4, &["age"]);
    let continued = folder.read("run.log");
    assert!(
        continued.starts_with(&log) && continued.contains("ERROR") && !continued.contains(CANARY),
        "{continued}"
    );
    folder.refused(&["verify", "release", "--log", "patients.csv"], 6, &["no log of velamen"]);
    let run = folder.ok(&["verify", "release", "--log", "-"]);
    assert!(run.err.contains("started version="), "{}", run.err);
}

#[test]
fn a_dash_is_standard_input() {
    let folder = Folder::with(OPTIMAL);
    let arguments = ["patients.csv", "--qi", "age,sex", "--json"];
    for command in ["measure", "risk"] {
        let of_file = folder.ok(&[&[command][..], &arguments].concat());
        let run = fed(&folder, &[command, "-", "--qi", "age,sex", "--json"], &patients());
        assert_eq!((run.code, &run.out), (0, &of_file.out), "{command}: {}", run.err);
        assert!(run.err.contains("private file"), "{}", run.err);
    }
    for command in ["profile", "leak"] {
        let of_file = folder.ok(&[command, "patients.csv", "--json"]).out;
        let run = fed(&folder, &[command, "-", "--json", "--quiet"], &patients());
        assert_eq!((run.code, run.out, run.err.as_str()), (0, of_file, ""), "{command}");
    }
    let run = fed(&folder, &["measure", "-", "--qi", "age"], "age,sex\n31\n");
    assert_eq!(run.code, 4);
    assert!(run.err.contains("]: standard input: ") && run.err.contains("line 2"), "{}", run.err);
    folder.refused(&["profile", "-", "--recipe", "new.toml"], 2, &["--recipe"]);
    folder.ok(&["anonymize", "recipe.toml", "--output", "of-file"]);
    let run = fed(&folder, &["anonymize", "recipe.toml", "--input", "-"], &patients());
    assert_eq!(run.code, 0, "{}", run.err);
    assert_eq!(folder.read("release/data.csv"), folder.read("of-file/data.csv"));
}

#[test]
fn check_lists_a_mistake_of_each_section() {
    let folder = Folder::with("name = \"optimum\"");
    let recipe = folder.read("recipe.toml").replace("k = 5", "k = 0").replace("5, 10, 20", "5, 12");
    folder.write("recipe.toml", recipe);
    let run = folder.run(&["check", "recipe.toml"]);
    assert_eq!(run.code, 5);
    for (code, says) in [("E0565", "multiple"), ("E0523", "at least 2"), ("E0531", "did you mean `optimal`?")]
    {
        assert!(run.err.contains(&format!("error[{code}]: ")) && run.err.contains(says), "{}", run.err);
    }
    assert_eq!(run.err.matches("error[").count(), 3, "{}", run.err);
    let json = folder.run(&["check", "recipe.toml", "--json"]).out;
    let mistakes: serde_json::Value = serde_json::from_str(&json).unwrap();
    let mistakes = mistakes["mistakes"].as_array().unwrap();
    assert_eq!(mistakes.len(), 3, "{json}");
    let lines = || mistakes.iter().map(|mistake| mistake["line"].as_u64());
    assert!(lines().all(|line| line.is_some()) && lines().is_sorted(), "{json}");
    let places = mistakes.iter().map(|mistake| run.err.find(mistake["code"].as_str().unwrap()).unwrap());
    assert!(places.is_sorted(), "as they are printed: {}", run.err);
    let of_k = mistakes.iter().find(|mistake| mistake["code"] == "E0523").unwrap();
    assert!(of_k["help"].is_string(), "{json}");
}

#[test]
fn what_came_by_standard_input_is_gone_afterwards() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("tmp")).unwrap();
    let mut command = folder.command(&["profile", "-"]);
    command.env("TMPDIR", folder.path("tmp")).stdin(Stdio::piped()).stdout(Stdio::null());
    let mut child = command.stderr(Stdio::null()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(patients().as_bytes()).unwrap();
    assert!(child.wait().unwrap().success());
    assert_eq!(folder.entries(), ["tmp"]);
}

#[test]
fn a_dash_is_standard_output() {
    let folder = Folder::with(H_CEILING);
    folder.ok(&["anonymize", "recipe.toml", "--set", "privacy.0.k=25"]);
    folder.ok(&["truthful", "release", "--output", "truthful.csv"]);
    assert_eq!(folder.ok(&["truthful", "release", "--output", "-"]).out, folder.read("truthful.csv"));
    let build = ["hierarchy", "build", "{ interval = [5, 10], min = 0, max = 19 }", "--output"];
    folder.ok(&[&build[..], &["age.csv"]].concat());
    assert_eq!(folder.ok(&[&build[..], &["-"]].concat()).out, folder.read("age.csv"));
    let synth = ["synth", "nps", "--rows", "50", "--output"];
    folder.ok(&[&synth[..], &["sample.csv"]].concat());
    assert_eq!(folder.ok(&[&synth[..], &["-"]].concat()).out, folder.read("sample.csv"));
}

#[test]
fn findings_come_as_ci_systems_read_them() {
    let folder = Folder::with(OPTIMAL);
    folder.ok(&["anonymize", "recipe.toml"]);
    let junit = ["verify", "release", "--format", "junit"];
    let sound = folder.ok(&junit).out;
    assert!(
        sound.contains("failures=\"0\"") && sound.contains("<testcase classname=\"velamen.verify\""),
        "{sound}"
    );
    let github = ["verify", "release", "--format", "github"];
    assert!(folder.ok(&github).out.starts_with("::notice title=velamen verify::"));
    folder.write("release/data.csv", folder.read("release/data.csv").replacen(",F,", ",M,", 1));
    let run = folder.run(&junit);
    assert!(run.code == 3 && run.out.contains("<failure message=\"asked "), "{}", run.out);
    assert_eq!(run.out.matches("<testcase").count(), run.out.matches("</testcase>").count());
    let run = folder.run(&github);
    assert!(run.code == 3 && run.out.starts_with("::error title="), "{}", run.out);
}

#[test]
fn every_mistake_has_a_code_with_a_page() {
    let folder = Folder::with(OPTIMAL);
    let code = |arguments: &[&str]| {
        let err = folder.run(arguments).err;
        let line = err
            .lines()
            .find(|line| line.starts_with("error["))
            .unwrap_or_else(|| panic!("{arguments:?}: {err}"));
        line[6..11].to_owned()
    };
    let run = |set: &str| code(&["anonymize", "recipe.toml", "--set", set]);
    assert_eq!(code(&["anonymize", "none.toml"]), "E0601");
    assert_eq!(code(&["measure", "patients.csv"]), "E0208");
    assert_eq!(code(&["measure", "--qqi"]), "E0207");
    assert_eq!(run("method.hh=1"), "E0201");
    assert_eq!(run("output.path='-'"), "E0202");
    assert_eq!(run("privacy.0.k=1000"), "E0303");
    assert_eq!(run("privacy.0.k=1"), "E0523");
    assert_eq!(run("attributes.age.hierarchy.interval=[5, 7]"), "E0565");
    assert_eq!(run("attributes.agee.role='insensitive'"), "E0512");
    assert_eq!(run("output.format='exel'"), "E0542");
    assert_eq!(run("attributes.age.hierarchy.max=50"), "E0409");
    for (table, expected) in [
        ("", "E0401"),
        ("age,sex,diagnosis\n", "E0402"),
        ("age,age\n1,2\n", "E0404"),
        ("age,sex,diagnosis\n1,F\n", "E0407"),
        ("age,sex,diagnosis\n1,*,I63\n", "E0410"),
    ] {
        folder.write("patients.csv", table);
        assert_eq!(code(&["anonymize", "recipe.toml"]), expected, "{table:?}");
        let page = folder.ok(&["explain", expected]).out;
        assert!(page.starts_with(&format!("# {expected}: ")) && page.contains("To mend it"), "{page}");
    }
    assert_eq!(folder.run(&["explain", "E9999"]).code, 2);
    assert!(folder.ok(&["explain", "mondrian"]).out.starts_with("# "));
    assert!(folder.run(&["explain", "mondriann"]).err.contains("did you mean `mondrian`?"));
    assert!(folder.ok(&["explain"]).out.lines().count() > 60);
}

#[test]
fn recipes_that_are_written_name_the_schema() {
    let folder = Folder::with(OPTIMAL);
    folder.ok(&["profile", "patients.csv", "--recipe", "new.toml"]);
    folder.ok(&["synth", "nps", "--rows", "50", "--output", "sample.csv", "--recipe", "synth.toml"]);
    for recipe in ["new.toml", "synth.toml"] {
        assert!(folder.read(recipe).starts_with("#:schema ./recipe.schema.json\n"), "{recipe}");
    }
    let schema: Value = serde_json::from_str(&folder.ok(&["schema"]).out).unwrap();
    assert!(schema["$id"].as_str().unwrap().starts_with("urn:velamen:"));
    let names = |list: &Value| list.as_array().unwrap().len();
    let metric = schema["properties"]["method"]["oneOf"].as_array().unwrap().iter();
    let metric: Vec<&Value> = metric
        .map(|method| &method["properties"]["metric"]["anyOf"][0]["oneOf"])
        .filter(|list| !list.is_null())
        .collect();
    assert!(!metric.is_empty() && metric.iter().all(|list| names(list) > 10));
    assert!(names(&schema["$defs"]["PrivacySection"]["properties"]["model"]["enum"]) > 15);
    assert!(names(&schema["properties"]["method"]["properties"]["name"]["enum"]) > 10);
}

#[test]
fn completions_and_man_pages_know_every_command() {
    let folder = Folder::new();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = folder.ok(&["completions", shell]).out;
        assert!(script.contains("anonymize") && script.contains("diff"), "{shell}");
    }
    folder.ok(&["man", "man1"]);
    for page in ["velamen.1", "velamen-anonymize.1", "velamen-hierarchy-build.1", "velamen-diff.1"] {
        assert!(folder.read(&format!("man1/{page}")).contains(".TH"), "{page}");
    }
}
