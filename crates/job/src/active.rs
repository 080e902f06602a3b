//! What a file of a release does when it is opened, besides showing something: pages that run scripts or load, and cells that a
//! spreadsheet runs. No version writes any, so that no version excuses them.

use std::path::Path;

use velamen_engine::FileFormat;
use velamen_engine::formula::{escape, unescape};

/// Elements that run or load something.
const ACTIVE: [&str; 9] =
    ["script", "iframe", "object", "embed", "link", "base", "applet", "frame", "portal"];
/// Attributes whose value is an address.
const ADDRESSES: [&str; 9] =
    ["src", "srcset", "href", "xlink:href", "action", "formaction", "data", "poster", "background"];

/// What a page runs, or loads from elsewhere: elements, handlers of events, addresses.
#[must_use]
pub fn in_page(page: &str) -> Vec<String> {
    let lower = page.to_lowercase();
    let styles = ["@import", "expression(", "-moz-binding", "javascript:", "vbscript:"];
    let mut found: Vec<String> =
        styles.into_iter().filter(|word| lower.contains(word)).map(str::to_owned).collect();
    let loads = |rest: &str| {
        let address = rest.trim_start_matches([' ', '\t', '\n', '\r', '"', '\'', '(']);
        address.starts_with("http:") || address.starts_with("https:") || address.starts_with("//")
    };
    if lower.match_indices("url(").any(|(at, _)| lower.get(at.saturating_add(4)..).is_some_and(loads)) {
        found.push("url(".to_owned());
    }
    let mut rest = lower.as_str();
    while let Some((_, tag)) = rest.split_once('<') {
        // Before anything else, `<` is text.
        if !tag.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '/' | '!' | '?')) {
            rest = tag;
            continue;
        }
        let end = end_of_tag(tag);
        let (inner, after) = tag.split_at_checked(end).unwrap_or((tag, ""));
        found.extend(active_in(inner));
        rest = after;
    }
    found.sort();
    found.dedup();
    found
}

/// What a file of a release's folder runs or loads, by the end of its name: text that programs show as a page, or delimited cells.
#[must_use]
pub fn in_file(name: &str, bytes: &[u8]) -> Vec<String> {
    let is_delimited = FileFormat::named(Path::new(name)).is_some_and(FileFormat::is_delimited);
    match name.rsplit_once('.') {
        _ if is_delimited && has_formula(bytes, b',') => vec!["a formula".to_owned()],
        Some((_, "md" | "html")) => in_page(&String::from_utf8_lossy(bytes)),
        _ => Vec::new(),
    }
}

/// Whether a cell of delimited text is a formula as it stands there. Text that does not read has none.
#[must_use]
pub fn has_formula(bytes: &[u8], delimiter: u8) -> bool {
    let mut reader =
        csv::ReaderBuilder::new().delimiter(delimiter).has_headers(false).flexible(true).from_reader(bytes);
    reader.records().map_while(Result::ok).any(|row| row.iter().any(|cell| *escape(unescape(cell)) != *cell))
}

/// Where a tag ends: at the first `>` outside quotes.
fn end_of_tag(tag: &str) -> usize {
    let mut quote = None;
    for (at, character) in tag.char_indices() {
        match (quote, character) {
            (None, '>') => return at,
            (None, '"' | '\'') => quote = Some(character),
            (Some(open), close) if open == close => quote = None,
            _ => {}
        }
    }
    tag.len()
}

/// What a tag does, of its name and attributes in lower case.
fn active_in(tag: &str) -> Vec<String> {
    let mut found = Vec::new();
    let name_ends = tag.find(|c: char| c.is_ascii_whitespace() || c == '/').unwrap_or(tag.len());
    let name = tag.get(..name_ends).unwrap_or_default();
    if ACTIVE.contains(&name) {
        found.push(format!("<{name}>"));
    }
    let mut attributes = tag.get(name_ends..).unwrap_or_default();
    while let Some((before, value)) = attributes.split_once('=') {
        let separates = |c: char| c.is_ascii_whitespace() || c == '/' || c == '"' || c == '\'';
        let key = before.trim_end().rsplit(separates).next().unwrap_or_default();
        let value = value.trim_start();
        let (value, after) = match value.chars().next() {
            Some(quote @ ('"' | '\'')) => {
                let inner = value.get(1..).unwrap_or_default();
                inner.split_once(quote).unwrap_or((inner, ""))
            }
            _ => value.split_once(|c: char| c.is_ascii_whitespace()).unwrap_or((value, "")),
        };
        let is_handler = key.starts_with("on") && key.len() > 2;
        let is_elsewhere =
            !(value.trim_start().starts_with('#') || value.trim_start().starts_with("data:image/"));
        let refreshes = key == "http-equiv" && value.trim() == "refresh";
        if is_handler || refreshes || (ADDRESSES.contains(&key) && is_elsewhere && name != "a") {
            found.push(format!("{key}="));
        }
        attributes = after;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_runs_or_loads_is_seen() {
        for page in [
            "<p><script>alert(1)</script>",
            "<SCRIPT SRC=http://a/b>",
            "<img src=\"http://a/b.png\">",
            "<img src=//a/b.png>",
            "<p onclick='x()'>",
            "<svg/onload=x()>",
            "<style>@import 'http://a'</style>",
            "<p style=\"background: url( 'https://a')\">",
            "<a href=\"javascript:x()\">",
            "<iframe srcdoc=x>",
            "<meta http-equiv=refresh content=\"0;url=http://a\">",
            "<link rel=stylesheet href=http://a>",
            "a <- 1 <script>x()</script>",
        ] {
            assert!(!in_page(page).is_empty(), "{page}");
        }
    }

    #[test]
    fn what_shows_is_not() {
        for page in [
            "<p>a script, onclick = 1, src=http</p>",
            "<a href=\"https://example.org/\">x</a>",
            "<p title=\"on a = b > c\">",
            "data <- read.csv(\"a.csv\")\ndata = x > 1",
            "<svg><rect fill=\"url(#a)\"/></svg>",
        ] {
            assert!(in_page(page).is_empty(), "{page}: {:?}", in_page(page));
        }
    }

    #[test]
    fn formulas_and_scripts_are_seen_in_the_files_beside() {
        for (name, text, runs) in [
            ("codebook.csv", "column,role\n=1+1,x\n", true),
            ("codebook.csv", "column,role\n'=1+1,-5\n", false),
            ("README.md", "a <b> c", false),
            ("README.md", "<script>x()</script>", true),
            ("data.csv-metadata.json", "=1", false),
        ] {
            assert_eq!(!in_file(name, text.as_bytes()).is_empty(), runs, "{name}: {text}");
        }
        assert!(has_formula(b"a;@SUM(1)\n", b';') && !has_formula(b"a;@\n", b';'));
    }
}
