//! Plain English in what users read: words that have a better one, one spelling, sentences that are not too long.

use std::path::{Path, PathBuf};

/// A phrase, and what to write in its place. Phrases are whole words in small letters.
const PHRASES: [(&str, &str); 37] = [
    ("tells", "shows, reports, estimates or lists (`tells … apart` may stay)"),
    ("has not the", "does not have the"),
    ("have not the", "do not have the"),
    ("given back its name", "re-identified"),
    ("is to be gone", "is removed"),
    ("one by the size of", "1 divided by the size of"),
    ("one by the number of", "1 divided by the number of"),
    ("how often is asked again", "retries"),
    ("the exception that is none", "always"),
    ("is for a signature to tell", "needs a signature"),
    ("it should be noted", "(leave it out)"),
    ("please note", "(leave it out)"),
    ("utilize", "use"),
    ("less is better", "lower is better"),
    ("learnt", "learned"),
    ("of who is", "of a person who is"),
    ("for who knows", "if the adversary knows"),
    ("against who knows", "against an adversary who knows"),
    ("by who knows", "by an adversary who knows"),
    ("but for the", "except for the"),
    ("is looked for", "is searched for"),
    ("is for who", "depends on who"),
    ("of its kin", "of its kind"),
    ("hangs on", "depends on"),
    ("is wished", "is wanted"),
    ("wished are", "the goals are"),
    ("at hand of", "by"),
    ("stands in for", "replaces"),
    ("lets in", "admits"),
    ("color", "colour"),
    ("colors", "colours"),
    ("behavior", "behaviour"),
    ("neighbor", "neighbour"),
    ("neighbors", "neighbours"),
    ("anonymise", "anonymize"),
    ("generalise", "generalize"),
    ("recognisably", "recognizably"),
];

/// Pages that may use such words: what was decided is left as it was written.
const OLD: [&str; 1] = ["docs/decisions/"];

/// The longest sentence, in words.
const MOST_WORDS: usize = 35;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// README.md and all pages of docs/, by name.
fn pages() -> Vec<(String, String)> {
    let mut pages = vec![page(&root().join("README.md"))];
    let mut open = vec![root().join("docs")];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder of the documentation") {
            let path = entry.expect("an entry of a folder").path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|extension| extension == "md") {
                pages.push(page(&path));
            }
        }
    }
    pages.sort();
    pages
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
            || start.starts_with(['|', '#', '<', '!', '[', '$']) && !start.contains("](")
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
        if word.ends_with(['.', '?', '!', ':', ';']) || word.ends_with(".)") || word.ends_with(".*") {
            sentences.push(Vec::new());
        }
    }
    sentences
}

/// Verbs that are spelled with -ize, as Oxford has them.
const IZE: [&str; 10] = [
    "anonymis",
    "capitalis",
    "generalis",
    "maximis",
    "minimis",
    "normalis",
    "optimise",
    "randomis",
    "standardis",
    "summaris",
];

/// The words of a text that are spelled with -ise.
fn spelled_with_s(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_alphabetic()).map(str::to_lowercase);
    words.filter(|word| IZE.iter().any(|stem| word.contains(stem))).collect()
}

/// Where phrases occur that have a better one.
fn found(text: &str) -> Vec<(&'static str, &'static str)> {
    let words: Vec<String> = text
        .split_whitespace()
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase())
        .collect();
    let is_there = |phrase: &str| {
        let parts: Vec<&str> = phrase.split(' ').collect();
        words.windows(parts.len()).enumerate().any(|(at, window)| {
            let apart = phrase == "tells" && words[at..].iter().take(12).any(|word| word == "apart");
            window.iter().zip(&parts).all(|(word, part)| word == part) && !apart
        })
    };
    PHRASES.into_iter().filter(|(phrase, _)| is_there(phrase)).collect()
}

#[test]
fn words_have_no_better_ones() {
    let mut wrong = Vec::new();
    for (name, text) in pages() {
        if OLD.iter().any(|old| name.starts_with(old)) {
            continue;
        }
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
                    .map(|(phrase, better)| format!("{name}: `{phrase}`: write {better}")),
            );
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn sentences_are_short() {
    let mut wrong = Vec::new();
    for (name, text) in pages() {
        if OLD.iter().any(|old| name.starts_with(old)) {
            continue;
        }
        let blocks = blocks(&text);
        let all = blocks.iter().flat_map(|block| sentences(block));
        let long: Vec<Vec<&str>> = all.filter(|sentence| sentence.len() > MOST_WORDS).collect();
        if !long.is_empty() {
            let shown = long.iter().map(|sentence| format!("  {} …", sentence[..10].join(" ")));
            wrong.push(format!(
                "{name}: {} of more than {MOST_WORDS} words:\n{}",
                long.len(),
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
