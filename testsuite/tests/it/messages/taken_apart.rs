//! How code can ask the text of a mistake for its parts, and how a guard sees it.

use std::collections::BTreeSet;

use crate::circles::tokens::tokens_and_texts;

/// Names for mistakes, and for their texts.
const MISTAKES: [&str; 8] = ["error", "err", "e", "problem", "mistake", "cause", "failure", "refusal"];

/// What gives a mistake's text.
const AS_TEXT: [&str; 4] = ["to_string", "message", "display", "summary"];

/// Calls that ask a text for a part of it.
const PARTS: [&str; 19] = [
    "split",
    "split_once",
    "split_at",
    "split_whitespace",
    "splitn",
    "rsplit",
    "rsplit_once",
    "rsplitn",
    "starts_with",
    "ends_with",
    "contains",
    "find",
    "rfind",
    "strip_prefix",
    "strip_suffix",
    "trim_start_matches",
    "trim_end_matches",
    "matches",
    "eq",
];

/// Each place of a file that takes a mistake's text apart.
pub(super) fn taken_apart(text: &str) -> Vec<String> {
    let code = Code::of(text);
    let found = (0..code.tokens.len()).filter(|at| code.asks(*at) || code.compares(*at) || code.matches(*at));
    found.map(|at| code.tokens[at.saturating_sub(6)..code.tokens.len().min(at + 4)].join(" ")).collect()
}

struct Code {
    tokens: Vec<String>,
    /// Locals that are the text of a mistake.
    texts: BTreeSet<String>,
}

impl Code {
    fn of(text: &str) -> Self {
        let mut code = Self { tokens: tokens_and_texts(text), texts: BTreeSet::from(["message".to_owned()]) };
        let locals: Vec<String> = (0..code.tokens.len()).filter_map(|at| code.local(at)).collect();
        code.texts.extend(locals);
        code
    }

    fn at(&self, place: usize) -> &str {
        self.tokens.get(place).map_or("", String::as_str)
    }

    /// The local that is bound there to the text of a mistake: `let text = error.to_string();`.
    fn local(&self, at: usize) -> Option<String> {
        let name = (self.at(at) == "let").then(|| at + 1 + usize::from(self.at(at + 1) == "mut"))?;
        let end = name + self.tokens[name..].iter().position(|token| [";", "{"].contains(&token.as_str()))?;
        let is_whole = self.at(end - 1) == ")" && self.is_text(&self.chain(end));
        let is_told = self.at(end - 1) == ")" && (name..end).any(|at| self.tells(at));
        (is_whole || is_told).then(|| self.at(name).to_owned())
    }

    /// Whether a text is made of nothing but a mistake: `format!("{error}")`.
    fn tells(&self, at: usize) -> bool {
        let name = self.at(at).strip_prefix("\"{").and_then(|text| text.strip_suffix("}\""));
        name.is_some_and(is_mistake)
    }

    /// The names of the value that ends before there: `error.source().to_string()` is error, source, `to_string`.
    fn chain(&self, end: usize) -> Vec<&str> {
        let mut names = Vec::new();
        let mut at = end;
        while at > 0 {
            match self.at(at - 1) {
                ")" => at = self.opened(at - 1),
                "." | "::" | "?" | "&" => at -= 1,
                name if is_name(name) && (at == end || self.goes_on(at)) => {
                    names.push(name);
                    at -= 1;
                }
                _ => break,
            }
        }
        names.reverse();
        names
    }

    /// Whether what ends there is followed by a part of the same value.
    fn goes_on(&self, at: usize) -> bool {
        [".", "::", "(", "?"].contains(&self.at(at))
    }

    /// Where the bracket opens that closes there.
    fn opened(&self, close: usize) -> usize {
        let mut depth = 0_usize;
        for at in (0..=close).rev() {
            match self.at(at) {
                ")" => depth += 1,
                "(" => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return at;
            }
        }
        0
    }

    /// Whether the value of these names is the text of a mistake.
    fn is_text(&self, chain: &[&str]) -> bool {
        let has_text = chain.iter().any(|name| AS_TEXT.contains(name));
        has_text && chain.iter().any(|name| is_mistake(name))
            || chain.iter().any(|name| self.texts.contains(*name))
    }

    /// Whether a text is asked there for a part: `.contains(`.
    fn asks(&self, at: usize) -> bool {
        let is_call = self.at(at) == "." && self.at(at + 2) == "(" && PARTS.contains(&self.at(at + 1));
        is_call && self.is_text(&self.chain(at))
    }

    /// Whether a text is compared there with a literal.
    fn compares(&self, at: usize) -> bool {
        let is_sign = ["=", "!"].contains(&self.at(at)) && self.at(at + 1) == "=";
        is_sign && self.at(at + 2).starts_with('"') && self.is_text(&self.chain(at))
    }

    /// Whether a text is matched there with literals.
    fn matches(&self, at: usize) -> bool {
        let Some(length) = self.tokens[at..].iter().position(|token| token == "{") else { return false };
        let end = at + length;
        self.at(at) == "match" && self.at(end + 1).starts_with('"') && self.is_text(&self.chain(end))
    }
}

fn is_mistake(name: &str) -> bool {
    MISTAKES.contains(&name) || name.ends_with("_error")
}

fn is_name(token: &str) -> bool {
    token.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

#[test]
fn what_takes_a_message_apart_would_be_seen() {
    for snippet in [
        r#"let (place, rest) = error.to_string().split_once(':')?;"#,
        r#"let text = error.to_string(); let last = text.rsplit(": ").next();"#,
        r#"let text = format!("{error}"); if text.contains("no such") { return; }"#,
        r#"if problem.message().starts_with("attribute") { return; }"#,
        r#"if mistake.message.contains('`') { return; }"#,
        r#"let at = io_error.to_string().find("line");"#,
        r#"if error.source().to_string() == "empty" { return; }"#,
        r#"if e.to_string().eq("empty") { return; }"#,
        r#"match error.to_string().as_str() { "empty" => 1, _ => 2 }"#,
        r#"fn f(message: &str) { message.split(": "); }"#,
    ] {
        assert_eq!(taken_apart(snippet).len(), 1, "{snippet}");
    }
    for snippet in [
        r#"let found = error.to_string(); line(&found);"#,
        r#"if error.code() == Code::PRIVACY { return; }"#,
        r#"let words = text.split_whitespace();"#,
        r#"let name = path.to_string_lossy().contains("x");"#,
        r#"if error.keys().contains(&"k") { return; }"#,
        r#"#[cfg(test)]\nmod tests { fn f() { error.to_string().contains("x"); } }"#,
    ] {
        assert!(taken_apart(&snippet.replace("\\n", "\n")).is_empty(), "{snippet}");
    }
}
