//! Untrusted text: cleaning, escaping, measuring, shortening, wrapping.

/// The longest label, in characters, before any shortening to the room there is.
const LONGEST: usize = 400;

/// Whether a character must not reach a page: controls, overrides of the writing direction, non-characters.
pub(crate) fn is_forbidden(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' | '\u{2028}' | '\u{2029}')
        || matches!(character, '\u{FDD0}'..='\u{FDEF}')
        || u32::from(character) & 0xFFFE == 0xFFFE
}

/// One line of harmless characters: white space becomes a space, what is forbidden the replacement character.
pub(crate) fn clean(text: &str) -> String {
    text.chars().take(LONGEST).map(harmless).collect()
}

fn harmless(character: char) -> char {
    match character {
        '\n' | '\r' | '\t' => ' ',
        other if is_forbidden(other) => '\u{FFFD}',
        other => other,
    }
}

/// Escapes for XML and HTML, for text and for quoted attributes.
pub(crate) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            other => escaped.push(other),
        }
    }
    escaped
}

/// The first `most` characters, the last one an ellipsis if something was cut.
pub(crate) fn shorten(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let kept: String = text.chars().take(most.saturating_sub(1)).collect();
    format!("{}…", kept.trim_end())
}

/// The width of a character in a common sans-serif face, in em; on the wide side.
fn advance(character: char) -> f64 {
    match character {
        'i' | 'j' | 'l' | '.' | ',' | ':' | ';' | '\'' | '|' | '!' | '\u{2009}' | '\u{202F}' => 0.29,
        'f' | 't' | 'r' | 'I' | '(' | ')' | '[' | ']' | '/' | ' ' | '-' => 0.37,
        '<' | '>' | '=' | '+' | '~' | '#' | '&' => 0.84,
        'm' | 'w' | 'M' | 'W' | '@' | '%' | '…' | '\u{FFFD}' => 1.0,
        '0'..='9' | 'a'..='z' => 0.58,
        'A'..='Z' => 0.70,
        '\u{0300}'..='\u{036F}' => 0.0,
        other if u32::from(other) < 0x2E80 => 0.64,
        _ => 1.05,
    }
}

/// About how wide `text` is at font size `size`.
pub(crate) fn width(text: &str, size: f64) -> f64 {
    text.chars().map(advance).sum::<f64>() * size
}

/// `text` cleaned and shortened with an ellipsis so that it is at most about `room` wide.
pub(crate) fn fit(text: &str, size: f64, room: f64) -> String {
    let cleaned = clean(text);
    if width(&cleaned, size) <= room && text.chars().count() <= LONGEST {
        return cleaned;
    }
    let mut used = width("…", size);
    let kept: String = cleaned
        .chars()
        .take_while(|&character| {
            used += advance(character) * size;
            used <= room
        })
        .collect();
    format!("{}…", kept.trim_end())
}

/// `text` cleaned and broken at spaces into at most `most` lines of about `room`; the last is shortened if need
/// be.
pub(crate) fn wrap(text: &str, size: f64, room: f64, most: usize) -> Vec<String> {
    let cleaned = clean(text);
    let mut lines: Vec<String> = Vec::new();
    for word in cleaned.split(' ').filter(|word| !word.is_empty()) {
        match lines.last_mut() {
            Some(line) if lines_full(line, word, size, room) => lines.push(word.to_owned()),
            Some(line) => {
                line.push(' ');
                line.push_str(word);
            }
            None => lines.push(word.to_owned()),
        }
    }
    if lines.len() > most {
        let rest = lines.split_off(most.saturating_sub(1)).join(" ");
        lines.push(rest);
    }
    lines.iter().map(|line| fit(line, size, room)).collect()
}

fn lines_full(line: &str, word: &str, size: f64, room: f64) -> bool {
    width(line, size) + width(" ", size) + width(word, size) > room
}
