//! Plain English in what users read: words that have a better one, one spelling, sentences that are not too long.

use std::path::{Path, PathBuf};

/// A phrase, and what to write in its place. Phrases are whole words in small letters.
const PHRASES: [(&str, &str); 22] = [
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

/// Pages with longer sentences, most of them formulas, and how many there are; the number may only fall.
const LONG: &[(&str, usize)] = &[
    ("docs/methods/attack.md", 1),
    ("docs/methods/audit.md", 2),
    ("docs/methods/ce-mi-clustering.md", 1),
    ("docs/methods/compare.md", 5),
    ("docs/methods/h-ceiling.md", 3),
    ("docs/methods/ipa-private.md", 2),
    ("docs/methods/mondrian.md", 1),
    ("docs/methods/population-uniqueness.md", 1),
    ("docs/methods/profile.md", 1),
    ("docs/methods/query.md", 2),
    ("docs/methods/reproduce-lee2017.md", 2),
    ("docs/methods/risk.md", 7),
];

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
        let most = LONG.iter().find(|(page, _)| *page == name).map_or(0, |(_, most)| *most);
        if long.len() > most {
            let shown = long.iter().map(|sentence| format!("  {} …", sentence[..10].join(" ")));
            wrong.push(format!(
                "{name}: {} of more than {MOST_WORDS} words:\n{}",
                long.len(),
                shown.collect::<Vec<_>>().join("\n")
            ));
        }
        // The list is to shrink.
        assert!(long.len() >= most, "{name} has only {} long sentences: write so in LONG", long.len());
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_rules_find_what_they_are_for() {
    assert_eq!(found("It tells the risk.").len(), 1);
    assert!(found("Nothing tells the two kinds apart.").is_empty());
    assert_eq!(found("the colour, the Color")[0].0, "color");
    assert_eq!(without_code("a `b c` [d e](f g) h"), "a X [d e h");
    let text = "# One two\n\nThree four. Five\nsix: seven\n- eight `nine ten`\n\n| a | b |\n```\ncode\n```\n";
    let lengths: Vec<usize> =
        blocks(text).iter().flat_map(|block| sentences(block)).map(|s| s.len()).collect();
    assert_eq!(lengths, [2, 2, 1, 2]);
}
