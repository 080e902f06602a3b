//! Functions of other languages and pages, written from the definitions of operations.

mod manual;
mod page;
mod python;
mod r;

use velamen_assess::operation::{Entry, OPERATIONS, Property};

/// What is written from the definitions of operations.
pub struct Front {
    /// The file, from the root of the repository.
    pub path: String,
    /// Its text.
    pub text: String,
}

/// All files that are written from the operations.
pub fn fronts() -> Vec<Front> {
    let entries = entries();
    let whole = [
        ("crates/python/python/velamen/_operations.py", python::module(&entries)),
        ("r/R/operations.R", r::functions(&entries)),
        ("r/NAMESPACE", r::namespace(&entries)),
        ("r/man/operations.Rd", manual::overview(&entries)),
        ("docs/operations.md", page::page(&entries)),
    ];
    let pages = entries.iter().map(|entry| (format!("r/man/{}.Rd", r::name(entry)), manual::page(entry)));
    whole
        .map(|(path, text)| (path.to_owned(), text))
        .into_iter()
        .chain(pages)
        .map(|(path, text)| Front { path, text })
        .collect()
}

pub use python::module as python_module;

/// The operations that are built in.
fn entries() -> Vec<&'static Entry> {
    OPERATIONS.iter().collect()
}

/// The name of an operation's answer.
fn answer_name(entry: &Entry) -> String {
    (entry.answer)().get("title").and_then(|title| title.as_str()).unwrap_or("Answer").to_owned()
}

/// The arguments of a function, in order: the first one, those that must be given, and the others.
fn arguments(entry: &Entry, front: &str) -> (Vec<Property>, Vec<Property>) {
    let (mut before, mut after) = (Vec::new(), Vec::new());
    for property in entry.properties() {
        match (property.absent.as_deref() == Some(front), property.first, property.required) {
            (true, ..) => {}
            (false, true, _) => before.insert(0, property),
            (false, false, true) => before.push(property),
            (false, false, false) => after.push(property),
        }
    }
    (before, after)
}

/// The name of an argument.
fn argument(property: &Property) -> String {
    property.argument.clone().unwrap_or_else(|| property.name.replace('-', "_"))
}

/// A description without flags: `--up-to` is `up_to`, between marks.
fn spoken(text: &str, mark: &str) -> String {
    let word = |word: &str| {
        let bare = word.trim_start_matches('`');
        let Some(flag) = bare.strip_prefix("--") else { return word.replace('`', mark) };
        let end = flag.find(|c: char| !c.is_ascii_lowercase() && c != '-').unwrap_or(flag.len());
        let quoted = bare.len() < word.len();
        let rest = if quoted { format!(" {}", &flag[end..]) } else { flag[end..].to_owned() };
        format!("{mark}{}{mark}{}", flag[..end].replace('-', "_"), rest.trim_start_matches(' '))
    };
    // A function takes a recipe that is no file, and a list where the command repeats an option.
    let text = text.replace(", a TOML file", "").replace("; may be repeated", "");
    text.split(' ').map(word).collect::<Vec<_>>().join(" ")
}

/// Words in lines of at most so many columns, each after an indent.
fn wrapped(text: &str, indent: &str, columns: usize) -> String {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let line = lines.last_mut().expect("there is one line");
        match line.is_empty() {
            true => *line = format!("{indent}{word}"),
            false if line.chars().count() + 1 + word.chars().count() <= columns => {
                line.push(' ');
                line.push_str(word);
            }
            false => lines.push(format!("{indent}{word}")),
        }
    }
    lines.join("\n")
}
