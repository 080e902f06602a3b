//! Functions of other languages and pages, written from the definitions of operations.

mod page;
mod python;
mod r;

use velamen_assess::operation::{Entry, OPERATIONS, Property};

/// What is written from an operation's definition where each file has all of them.
pub struct Front {
    /// The file, from the root of the repository.
    pub path: &'static str,
    /// Its text.
    pub text: fn() -> String,
}

/// All files that are written from the operations.
pub const FRONTS: [Front; 5] = [
    Front { path: "crates/python/python/velamen/_operations.py", text: || python::module(&entries()) },
    Front { path: "r/R/operations.R", text: || r::functions(&entries()) },
    Front { path: "r/NAMESPACE", text: || r::namespace(&entries()) },
    Front { path: "r/man/operations.Rd", text: || r::manual(&entries()) },
    Front { path: "docs/operations.md", text: || page::page(&entries()) },
];

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
