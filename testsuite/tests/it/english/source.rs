//! What a Rust file says to people: its rustdoc, and the literals that are sentences.

use crate::circles::tokens::{character, quoted, raw_literal};

/// The fewest words of a literal that is a message, and not a name or a key.
const FEWEST_WORDS: usize = 4;

/// Signs of code, of styles and of tables.
const CODE: [&str; 6] = ["<", "\\", "=", "; }", "   ", "::"];

/// The texts of a file before its tests, in Markdown.
pub(super) fn said(source: &str) -> Vec<String> {
    let production = source.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    docs(production).into_iter().chain(messages(production)).collect()
}

/// Each run of lines of rustdoc.
fn docs(source: &str) -> Vec<String> {
    let mut found = vec![String::new()];
    for line in source.lines().map(str::trim_start) {
        let text = line
            .strip_prefix("//!")
            .or_else(|| line.strip_prefix("///"))
            .filter(|text| !text.starts_with('/'));
        match (text, found.last_mut()) {
            (Some(text), Some(block)) => {
                *block += text.strip_prefix(' ').unwrap_or(text);
                *block += "\n";
            }
            _ => found.push(String::new()),
        }
    }
    found.retain(|block| !block.is_empty());
    found
}

fn messages(source: &str) -> Vec<String> {
    literals(source).into_iter().map(plain).filter(|text| is_message(text)).collect()
}

/// What stands between the quotes of each literal.
fn literals(source: &str) -> Vec<&str> {
    placed(source).into_iter().map(|(_, literal)| literal).collect()
}

/// The same, with where each literal begins.
pub(crate) fn placed(source: &str) -> Vec<(usize, &str)> {
    let (mut found, mut rest) = (Vec::new(), source);
    while let Some(first) = rest.chars().next() {
        let (length, is_literal) = match first {
            '/' if rest.starts_with("//") => (rest.find('\n').unwrap_or(rest.len()), false),
            '"' => (quoted(rest), true),
            '\'' => (character(rest), false),
            c if c.is_alphanumeric() || c == '_' => match raw_literal(rest) {
                Some(length) => (length, true),
                None => (rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len()), false),
            },
            c => (c.len_utf8(), false),
        };
        if is_literal {
            let literal =
                rest[..length].trim_start_matches(['b', 'r', 'c']).trim_matches('#').trim_matches('"');
            found.push((source.len() - rest.len(), literal));
        }
        rest = &rest[length..];
    }
    found
}

/// A literal as it is read: in one line where it goes on in the next, with a word for each value.
pub(crate) fn plain(literal: &str) -> String {
    let joined = literal.split("\\\n").map(str::trim_start).collect::<String>();
    let text = joined.replace("\\n", "\n\n").replace("\\\"", "\"").replace("{{", "(").replace("}}", ")");
    let text = without_settings(&text);
    let mut plain = String::new();
    for (number, part) in text.split('{').enumerate() {
        let after = if number == 0 { Some(part) } else { part.split_once('}').map(|(_, after)| after) };
        plain += if number == 0 { "" } else { "X" };
        plain += after.unwrap_or(part);
    }
    plain
}

/// A text with `X` in place of each setting, such as `k = 5`: messages give examples of them.
fn without_settings(text: &str) -> String {
    let mut words: Vec<&str> = Vec::new();
    let mut all = text.split(' ').peekable();
    while let Some(word) = all.next() {
        let value = all.peek().copied().filter(|value| word == "=" && is_value(value));
        match value.zip(words.last_mut()) {
            Some((value, key)) => {
                *key = "X";
                // What follows stays if it ends a clause.
                words.extend(value.ends_with([',', ';', ':', '.']).then(|| &value[value.len() - 1..]));
                all.next();
            }
            None => words.push(word),
        }
    }
    words.join(" ")
}

/// Whether a recipe can have it behind a key: a number, a text, a list, a table, or a word for one of these.
fn is_value(text: &str) -> bool {
    text.starts_with(['"', '[', '(', '{', '…']) || text.starts_with(|c: char| c.is_ascii_digit())
}

/// Whether a text is of words: neither code, nor styles, nor a table.
fn is_message(text: &str) -> bool {
    let all: Vec<&str> = text.split_whitespace().collect();
    let is_word = |word: &&&str| {
        word.trim_matches(|c: char| !c.is_alphabetic())
            .chars()
            .all(|c| c.is_alphabetic() || "-'’".contains(c))
    };
    let words = all.iter().filter(is_word).count();
    let is_code = CODE.iter().any(|sign| text.contains(sign));
    all.len() >= FEWEST_WORDS && 4 * words >= 3 * all.len() && !is_code
}

#[test]
fn what_a_file_says_is_its_rustdoc_and_its_sentences() {
    let source = "//! A file.\n\n/// One\n/// text.\n// A comment.\nlet x = ('\"', \"a key\", \"this `a` is \\\n    {} {x} wide\", r#\"says \"no\" to all of them\"#);\n\
        #[cfg(test)]\nmod tests {\n/// None.\n}";
    assert_eq!(
        said(source),
        ["A file.\n", "One\ntext.\n", "this `a` is X X wide", "says \"no\" to all of them"]
    );
    assert_eq!(plain("choose name = \\\"optimal\\\", or drop it"), "choose X , or drop it");
    assert_eq!(plain("source = sys.argv[1]"), "source = sys.argv[1]");
    assert!(
        !is_message("SELECT a, b FROM c WHERE d = 1") && !is_message("p { margin: 0; } .x { color: red; }")
    );
}
