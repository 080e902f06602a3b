//! Guards that what is known of a mistake is read off its fields, never off its message, and that a problem holds no advice:
//! what was expected and how to mend it have fields of their own, so that a front end can show them apart.

mod taken_apart;

use std::path::{Path, PathBuf};

use taken_apart::taken_apart;

use crate::english::source::{placed, plain};

/// How messages are taken apart: calls that ask a text for words that only messages have, or that ask an error's own text.
const TAKEN_APART: [&str; 16] = [
    "split_once(\": \")",
    "split_once(\"; \")",
    "split_once(\". Hint",
    "split_once(\"Hint: \")",
    "strip_prefix(\"line \")",
    "strip_prefix(\"attribute `\")",
    "starts_with(\"attribute `\")",
    "starts_with(\"unknown field",
    "starts_with(\"invalid \")",
    "error.to_string().contains(",
    "error.to_string().starts_with(",
    "message().contains(",
    "message().starts_with(",
    "message.starts_with(",
    "problem.starts_with(",
    "problem.contains(",
];

/// Where it is done all the same, and why.
const REASONS: [(&str, &str, &str); 4] = [
    (
        "report/src/language/messages.rs",
        "split_once(\": \")",
        "it translates a message, whose place has a line of its own",
    ),
    ("core/src/error/code.rs", "split_once(\": \")", "the heading of a page of ours, not a message"),
    ("recipe/src/said.rs", "message.starts_with(", "serde and the TOML parser give no fields"),
    ("recipe/src/said.rs", "starts_with(\"invalid \")", "serde and the TOML parser give no fields"),
];

/// The Rust files below a folder that are no tests.
fn production(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder of sources") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
        if path.is_dir() && name != "tests" {
            production(&path, found);
        } else if name.ends_with(".rs") && name != "tests.rs" {
            found.push(path);
        }
    }
}

/// The lines of a file before its tests, without comments.
fn code(path: &Path) -> String {
    let text = std::fs::read_to_string(path).expect("a source file");
    let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    code.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
}

fn has_reason(path: &Path, call: &str) -> bool {
    REASONS.iter().any(|(file, of, _)| *of == call && path.ends_with(file))
}

/// The production files of all crates.
fn all() -> Vec<PathBuf> {
    let mut files = Vec::new();
    for folder in
        std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates")).expect("the crates")
    {
        production(&folder.expect("a crate").path().join("src"), &mut files);
    }
    assert!(files.len() > 300, "{} files were found", files.len());
    files
}

#[test]
fn no_code_takes_a_message_apart() {
    let files = all();
    let mut found = Vec::new();
    for path in &files {
        let code = code(path);
        let calls = TAKEN_APART.iter().filter(|call| code.contains(**call) && !has_reason(path, call));
        found.extend(calls.map(|call| format!("{}: {call}", path.display())));
    }
    assert!(found.is_empty(), "give the mistake a field and read that:\n{}", found.join("\n"));
}

#[test]
fn every_reason_is_needed() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates");
    for (file, call, reason) in REASONS {
        assert!(code(&crates.join(file)).contains(call), "{file}: {call} ({reason}) is not there any more");
    }
}

/// Who may ask the text of a mistake, and why.
const MAY_ASK: [(&str, &str); 4] = [
    ("cli/src/terminal.rs", "paths that nobody named get names in what the terminal shows"),
    ("patients/src/fhir/wrong.rs", "serde gives no fields of a name that stands twice"),
    ("python/src/error.rs", "folders that nobody named are left out of what is shown"),
    ("recipe/src/said.rs", "serde and the TOML parser give no fields"),
];

#[test]
fn no_code_asks_a_mistakes_text_for_its_parts() {
    let mut found = Vec::new();
    for path in all() {
        let text = std::fs::read_to_string(&path).expect("a source file");
        let may = MAY_ASK.iter().any(|(file, _)| path.ends_with(file));
        found.extend(
            taken_apart(&text)
                .into_iter()
                .filter(|_| !may)
                .map(|taken| format!("{}: {taken}", path.display())),
        );
    }
    assert!(found.is_empty(), "give the mistake a field and read that:\n{}", found.join("\n"));
}

#[test]
fn who_may_ask_still_does() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates");
    for (file, reason) in MAY_ASK {
        let text = std::fs::read_to_string(crates.join(file)).expect("a source file");
        assert!(!taken_apart(&text).is_empty(), "{file} asks no more, strike it: {reason}");
    }
}

/// What makes an error of a text that follows.
const MAKES_ERRORS: [&str; 12] = [
    "Problem::",
    "Mistake::",
    "Error::",
    "Err(",
    "DataProblem::",
    "LeftOut::",
    "#[error(",
    "refuse(",
    "wrong(",
    "usage(",
    "let problem =",
    "let message =",
];

/// What makes exceptions of Python's own, which have a text and no fields.
const WITHOUT_FIELDS: &str = "PyTypeError::";

/// What gives advice its field.
const FIELDS: [&str; 4] = [".expected(", ".mend(", ".hint(", "expecting = "];

/// Verbs that tell readers what to do, behind the end of a clause.
const VERBS: [&str; 44] = [
    "add", "allow", "ask", "build", "cast", "change", "choose", "coarsen", "compare", "copy", "correct",
    "declare", "delete", "divide", "drop", "export", "fill", "give", "group", "leave", "list", "lower",
    "make", "mend", "move", "name", "put", "raise", "relax", "release", "remove", "rename", "repeat",
    "restore", "run", "save", "say", "see", "set", "start", "try", "unpack", "use", "write",
];

/// Whether a text says what was expected, or what to do.
fn holds_advice(text: &str) -> bool {
    let clauses = text.split_inclusive([';', ':', '.', '?', ',']);
    let mut ends = "";
    clauses.into_iter().any(|clause| {
        let first =
            clause.split_whitespace().next().unwrap_or_default().trim_matches(|c: char| !c.is_alphabetic());
        let told = first == "expected"
            || ends != "," && !text.starts_with(clause) && VERBS.contains(&&*first.to_lowercase());
        ends = clause.char_indices().last().map_or("", |(at, _)| &clause[at..]);
        told
    })
}

/// The texts of errors that hold advice, but are neither what was expected nor how to mend it.
fn with_advice(code: &str) -> Vec<String> {
    let is_problem = |at: usize| {
        let before = code[..at].trim_end().trim_end_matches("format!(").trim_end();
        let statement = before.rsplit([';', '{', '}']).next().unwrap_or_default();
        MAKES_ERRORS.iter().any(|made| statement.contains(made))
            && !statement.contains(WITHOUT_FIELDS)
            && !FIELDS.iter().any(|field| before.ends_with(field.trim_end()))
    };
    let problems = placed(code).into_iter().filter(|(at, _)| is_problem(*at));
    problems.map(|(_, literal)| plain(literal)).filter(|text| holds_advice(text)).collect()
}

#[test]
fn problems_hold_no_advice() {
    let mut found = Vec::new();
    for path in all() {
        let of_file = with_advice(&code(&path));
        found.extend(of_file.into_iter().map(|text| format!("{}: {text}", path.display())));
    }
    assert!(found.is_empty(), "their advice belongs into `expected` and `mend`:\n{}", found.join("\n"));
}

#[test]
fn advice_in_a_problem_would_be_found() {
    let one = |code: &str| with_advice(code).len();
    assert_eq!(one("Err(Problem::new(\"no key; add one\"))"), 1);
    assert_eq!(one("let problem = format!(\"`{name}` is long: choose another\");"), 1);
    assert_eq!(one("JobError::usage(\"--trials: expected a number\")"), 1);
    assert_eq!(one("JobError::usage(\n    format!(\"no key of {a}. Give one\", a = b))"), 1);
    assert_eq!(one("Err(Problem::new(\"no key\").expected(\"one\").mend(\"add it; drop the other\"))"), 0);
    assert_eq!(one("Err(Problem::new(\"no key, see above\").mend(format!(\"{all}: choose one\")))"), 0);
    assert_eq!(one("warnings.push(\"the seed is fixed: leave it out\".into());"), 0);
}
