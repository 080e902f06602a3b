//! Plain English in what people read: words that have a better one, one spelling, sentences that are not too long.
//!
//! It holds for README and docs, ARCHITECTURE, CONTRIBUTING, the newest section of the change log, and for what the source
//! says: rustdoc and messages, those of the studio's pages among them.

mod phrases;
pub(crate) mod source;

use std::path::Path;

use phrases::{found, spelled_with_s};

use crate::circles::{root, sources};

/// Pages that may use such words: what was decided is left as it was written.
const OLD: [&str; 1] = ["docs/decisions/"];

/// Words of the released report stay as they were: `verify` makes the page again and compares.
const RELEASED: [(&str, &str); 1] = [("crates/report/src/fates.rs", "recognisably")];

/// The longest sentence, in words.
const MOST_WORDS: usize = 35;

/// README.md and all pages of docs/, by name.
fn pages() -> Vec<(String, String)> {
    let mut pages = vec![page(&root().join("README.md"))];
    pages.extend(named("docs", "md"));
    pages
}

/// What contributors read, and what changed last.
fn of_contributors() -> Vec<(String, String)> {
    let mut pages =
        ["ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"].map(|name| page(&root().join(name)));
    let newest = pages[2].1.split("\n## ").nth(1).expect("a newest section").to_owned();
    pages[2].1 = newest;
    pages.to_vec()
}

/// What every production file says, in one text a file.
fn said() -> Vec<(String, String)> {
    let files = ["crates", "xtask"].into_iter().flat_map(|folder| named(folder, "rs"));
    let production = files.filter(|(name, _)| name.contains("/src/"));
    production.map(|(name, text)| (name, source::said(&text).join("\n\n"))).collect()
}

/// The files below a folder with this extension, by their names in the workspace.
fn named(folder: &str, extension: &str) -> Vec<(String, String)> {
    let files = sources(&root().join(folder), extension);
    files.into_iter().map(|(name, text)| (format!("{folder}/{name}"), text)).collect()
}

/// All that the rules hold for.
fn all() -> Vec<(String, String)> {
    let all = pages().into_iter().chain(of_contributors()).chain(said());
    all.filter(|(name, _)| !OLD.iter().any(|old| name.starts_with(old))).collect()
}

fn page(path: &Path) -> (String, String) {
    let name = path.strip_prefix(root()).unwrap_or(path).to_string_lossy().replace('\\', "/");
    (name, std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display())))
}

/// The blocks of a page that hold sentences: paragraphs and entries of lists, without code, tables and headings. Code within a
/// sentence counts as one word, a link as its words.
fn blocks(text: &str) -> Vec<String> {
    let (mut blocks, mut fenced) = (vec![String::new()], false);
    for line in text.lines() {
        let start = line.trim_start();
        fenced ^= start.starts_with("```");
        let is_code = fenced || start.starts_with("```") || line.starts_with("    ");
        let numbered = start.split_once(". ").is_some_and(|(number, _)| number.parse::<u32>().is_ok());
        if is_code
            || start.is_empty()
            || start.starts_with(['|', '#', '<', '!', '$']) && !start.contains("](")
            || start.starts_with('[') && start.contains("]: ")
        {
            blocks.push(String::new());
            continue;
        }
        if start.starts_with("- ") || start.starts_with("* ") || numbered || start.starts_with('|') {
            blocks.push(String::new());
        }
        if let Some(block) = blocks.last_mut().filter(|_| !start.starts_with('|')) {
            *block += " ";
            *block += &without_code(line);
        }
    }
    blocks.retain(|block| !block.trim().is_empty());
    blocks
}

/// A line with `X` in place of code and formulas, and without where links lead.
fn without_code(line: &str) -> String {
    let parts = line.split('`').enumerate();
    let text: String = parts.map(|(number, part)| if number % 2 == 1 { "X" } else { part }).collect();
    let mut kept = String::new();
    let mut rest = text.as_str();
    while let Some((before, after)) = rest.split_once("](") {
        kept += before;
        rest = after.split_once(')').map_or("", |(_, rest)| rest);
    }
    kept + rest
}

/// The sentences of a block. A colon or semicolon ends one as well: what follows could stand alone.
fn sentences(block: &str) -> Vec<Vec<&str>> {
    let mut sentences = vec![Vec::new()];
    for word in block.split_whitespace() {
        if let Some(sentence) = sentences.last_mut().filter(|_| word.chars().any(char::is_alphanumeric)) {
            sentence.push(word);
        }
        if word.trim_end_matches(['*', ')']).ends_with(['.', '?', '!', ':', ';']) {
            sentences.push(Vec::new());
        }
    }
    sentences
}

#[test]
fn words_have_no_better_ones() {
    let mut wrong = Vec::new();
    for (name, text) in all() {
        for block in blocks(&text)
            .iter()
            .map(String::as_str)
            .chain(text.lines().filter(|line| line.starts_with(['|', '#'])))
        {
            let words = spelled_with_s(&without_code(block));
            wrong.extend(words.into_iter().map(|word| format!("{name}: `{word}`: write -ize")));
            wrong.extend(
                found(&without_code(block))
                    .into_iter()
                    .filter(|(phrase, _)| !RELEASED.contains(&(&name, phrase)))
                    .map(|(phrase, better)| format!("{name}: `{phrase}`: write {better}")),
            );
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn sentences_are_short() {
    let mut wrong = Vec::new();
    for (name, text) in all() {
        let blocks = blocks(&text);
        let all = blocks.iter().flat_map(|block| sentences(block));
        let long: Vec<Vec<&str>> = all.filter(|sentence| sentence.len() > MOST_WORDS).collect();
        if !long.is_empty() {
            let shown = long.iter().map(|sentence| format!("  {}: {}", sentence.len(), sentence.join(" ")));
            wrong.push(format!(
                "{name}: more than {MOST_WORDS} words (X is code, which counts as one):\n{}",
                shown.collect::<Vec<_>>().join("\n")
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The numbers of a line whose thousands are separated by a space: `30 162` instead of `30,162`.
fn spaced_numbers(line: &str) -> Vec<String> {
    let words: Vec<&str> = line.split(' ').collect();
    let is_head = |word: &str| {
        let digits = word.trim_start_matches(|c: char| "(*|~≈".contains(c));
        (1..=3).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit())
    };
    let is_tail = |word: &str| {
        let digits = word.trim_end_matches(|c: char| ".,;:)*|–".contains(c));
        digits.len() == 3 && digits.bytes().all(|byte| byte.is_ascii_digit())
    };
    let pairs = words.windows(2).filter(|pair| is_head(pair[0]) && is_tail(pair[1]));
    pairs.map(|pair| pair.join(" ")).collect()
}

#[test]
fn thousands_have_commas() {
    let mut wrong = Vec::new();
    for (name, text) in pages() {
        let mut fenced = false;
        for line in text.lines() {
            fenced ^= line.trim_start().starts_with("```");
            let found = if fenced { Vec::new() } else { spaced_numbers(&without_code(line)) };
            wrong.extend(found.into_iter().map(|number| format!("{name}: `{number}`: write a comma")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_rules_find_what_they_are_for() {
    assert_eq!(found("It tells the risk.").len(), 1);
    assert!(found("Nothing tells the two kinds apart.").is_empty());
    assert_eq!(spelled_with_s("A Generaliser, minimized"), ["generaliser"]);
    assert_eq!(found("the colour, the Color")[0].0, "color");
    assert_eq!(spaced_numbers("of 30 162 records, 2 of 100, in 2016 300"), ["30 162"]);
    assert_eq!(without_code("a `b c` [d e](f g) h"), "a X [d e h");
    let text = "# One two\n\nThree four. Five\nsix: seven\n- eight `nine ten`\n\n| a | b |\n```\ncode\n```\n";
    let lengths: Vec<usize> =
        blocks(text).iter().flat_map(|block| sentences(block)).map(|s| s.len()).collect();
    assert_eq!(lengths, [2, 2, 1, 2]);
}
