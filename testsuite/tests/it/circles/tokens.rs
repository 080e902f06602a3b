//! The words of a Rust file.

/// The code without comments, literals and what is compiled for tests alone, as words and signs.
pub(super) fn tokens(text: &str) -> Vec<String> {
    let mut found = tokens_and_texts(text);
    found.retain(|token| !token.starts_with('"'));
    found
}

/// The same with its texts, each between quotation marks.
pub(crate) fn tokens_and_texts(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let (token, length) = token(rest, first);
        found.extend(token.map(str::to_owned).or_else(|| literal(&rest[..length])));
        rest = &rest[length..];
    }
    without_tests(&found)
}

/// A text literal between plain quotation marks; `None` for what else was skipped.
fn literal(skipped: &str) -> Option<String> {
    let inner = skipped.trim_start_matches(['b', 'r', 'c']).trim_matches('#');
    inner.strip_prefix('"')?.strip_suffix('"').map(|inner| format!("\"{inner}\""))
}

/// The token that stands here, if any does, and the length of what was read.
fn token(text: &str, first: char) -> (Option<&str>, usize) {
    let skipped = |length| (None, length);
    let taken = |length| (Some(&text[..length]), length);
    match first {
        c if c.is_whitespace() => skipped(c.len_utf8()),
        c if is_of_name(c) => raw_literal(text).map_or_else(|| taken(end_of_name(text)), skipped),
        '/' if text.starts_with("//") => skipped(text.find('\n').unwrap_or(text.len())),
        '/' if text.starts_with("/*") => skipped(text.find("*/").map_or(text.len(), |end| end + 2)),
        '"' => skipped(quoted(text)),
        '\'' => skipped(character(text)),
        ':' if text.starts_with("::") => taken(2),
        c => taken(c.len_utf8()),
    }
}

fn is_of_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn end_of_name(text: &str) -> usize {
    text.find(|c| !is_of_name(c)).unwrap_or(text.len())
}

/// The length of a literal such as `r#"…"#` or `b"…"`, if one stands here.
pub(crate) fn raw_literal(text: &str) -> Option<usize> {
    let prefix = text.find(|c: char| !matches!(c, 'b' | 'r' | 'c')).filter(|end| *end <= 2)?;
    let hashes = text[prefix..].chars().take_while(|c| *c == '#').count();
    let body = text[prefix + hashes..].strip_prefix('"')?;
    if !text[..prefix].contains('r') {
        return (hashes == 0).then(|| prefix + quoted(&text[prefix..]));
    }
    let close = format!("\"{}", "#".repeat(hashes));
    Some(prefix + hashes + 1 + body.find(&close).map_or(body.len(), |end| end + close.len()))
}

/// The length of the string literal that stands here.
pub(crate) fn quoted(text: &str) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            '"' if !escaped => return at + 1,
            _ => escaped = c == '\\' && !escaped,
        }
    }
    text.len()
}

/// The length of a character literal, or of the sign before a lifetime.
pub(crate) fn character(text: &str) -> usize {
    let mut signs = text.char_indices().skip(1);
    match (signs.next(), signs.next()) {
        (Some((_, '\\')), Some((at, _))) => {
            let after = at + text[at..].chars().next().map_or(0, char::len_utf8);
            text[after..].find('\'').map_or(text.len(), |end| after + end + 1)
        }
        (Some(_), Some((at, '\''))) => at + 1,
        _ => 1,
    }
}

/// `#[cfg(test)]` as tokens.
const OF_TESTS: [&str; 7] = ["#", "[", "cfg", "(", "test", ")", "]"];

/// All but the items that are compiled for tests alone.
fn without_tests(tokens: &[String]) -> Vec<String> {
    let mut kept = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        if tokens[at..].starts_with(&OF_TESTS.map(str::to_owned)) {
            at += OF_TESTS.len() + item(&tokens[at + OF_TESTS.len()..]);
        } else {
            kept.push(tokens[at].clone());
            at += 1;
        }
    }
    kept
}

/// How many tokens the item has that begins here: up to its `;`, or the end of its first block.
pub(super) fn item(tokens: &[String]) -> usize {
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate() {
        match token.as_str() {
            "{" => depth += 1,
            "}" => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 && (token == "}" || token == ";") {
            return at + 1;
        }
    }
    tokens.len()
}
