//! The words of identifiers, and texts that are put together from pieces.

use std::collections::BTreeSet;

/// Calls that ask a text for a part of it, and where the part stands.
const PARTS: [(&str, bool, bool); 7] = [
    ("starts_with", false, true),
    ("strip_prefix", false, true),
    ("trim_start_matches", false, true),
    ("ends_with", true, false),
    ("strip_suffix", true, false),
    ("trim_end_matches", true, false),
    ("contains", true, true),
];

/// The most pieces that a name is put together from.
const MOST_PIECES: usize = 5;

/// The words of an identifier: `is_k_anonymity`, `IsKAnonymity` and `IS_K_ANONYMITY` are is, k, anonymity.
pub(crate) fn words(identifier: &str) -> Vec<String> {
    let is_constant = !identifier.contains(|c: char| c.is_lowercase());
    let mut words = vec![String::new()];
    for c in identifier.chars() {
        if c == '_' || c.is_uppercase() && !is_constant {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| c != '_') {
            word.extend(c.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Whether some words hold others, one after the other, and not as a part of a longer name.
pub(crate) fn hold(words: &[String], name: &[String], longer: &[Vec<String>]) -> bool {
    let starts = |name: &[String]| -> Vec<usize> {
        (0..words.len()).filter(|start| words[*start..].starts_with(name)).collect()
    };
    let covered = |start: &usize| longer.iter().any(|long| covers(&starts(long), long.len(), *start));
    starts(name).iter().any(|start| !covered(start))
}

fn covers(starts: &[usize], length: usize, place: usize) -> bool {
    starts.iter().any(|start| (*start..start + length).contains(&place))
}

/// The texts of code: each literal, what pieces in one statement make together, and `{}` in place of what is not known.
pub(crate) fn texts(tokens: &[String]) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut pieces: Vec<String> = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        if [";", "{", "}"].contains(&token.as_str()) {
            pieces.clear();
        }
        let Some(text) = token.strip_prefix('"').and_then(|text| text.strip_suffix('"')) else { continue };
        found.extend(part(tokens, at, text));
        found.insert(holed(text));
        pieces.push(text.to_owned());
        found.extend(composed(&pieces));
    }
    found
}

/// What a call such as `starts_with("k-")` asks for: `k-{}`.
fn part(tokens: &[String], at: usize, text: &str) -> Option<String> {
    let call = tokens.get(at.checked_sub(2)?).filter(|_| tokens[at - 1] == "(")?;
    let (_, before, after) = PARTS.iter().find(|(name, ..)| name == call)?;
    let hole = |is_there: bool| if is_there { "{}" } else { "" };
    Some(format!("{}{text}{}", hole(*before), hole(*after)))
}

/// What the last pieces are together, as they stand and with hyphens between them.
fn composed(pieces: &[String]) -> Vec<String> {
    let most = pieces.len().min(MOST_PIECES);
    let ends = (2..=most).map(|count| &pieces[pieces.len() - count..]);
    let plain = |end: &[String]| -> Vec<String> { end.iter().map(|piece| unholed(piece)).collect() };
    ends.map(plain).flat_map(|end| [end.concat(), end.join("-")]).collect()
}

/// A text whose every hole is `{}`.
fn holed(text: &str) -> String {
    filled(text, "{}")
}

fn unholed(text: &str) -> String {
    filled(text, "")
}

fn filled(text: &str, hole: &str) -> String {
    let mut parts = text.split('{');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |all, part| match part.split_once('}') {
        Some((_, after)) => all + hole + after,
        None => all + "{" + part,
    })
}

/// Whether a text with holes can be a name, of which it has a whole word and the hyphen beside it.
pub(crate) fn can_be(text: &str, name: &str) -> bool {
    let parts: Vec<&str> = text.split("{}").collect();
    let [first, .., last] = parts[..] else { return text == name };
    let says = (0..parts.len()).any(|at| has_word(parts[at], at == 0, at == parts.len() - 1));
    says && name.len() >= first.len() + last.len()
        && name.starts_with(first)
        && name.ends_with(last)
        && parts[1..parts.len() - 1].iter().all(|part| name.contains(part))
}

/// Whether a part between holes has a whole word with a hyphen beside it.
fn has_word(part: &str, is_first: bool, is_last: bool) -> bool {
    let words: Vec<&str> = part.split('-').collect();
    let is_whole = |at: usize| (at > 0 || is_first) && (at < words.len() - 1 || is_last);
    words.len() > 1 && (0..words.len()).any(|at| is_whole(at) && !words[at].is_empty())
}

#[test]
fn identifiers_have_words_and_pieces_make_names() {
    assert_eq!(words("is_k_anonymity"), ["is", "k", "anonymity"]);
    assert_eq!(words("KAnonymityParams"), ["k", "anonymity", "params"]);
    assert_eq!(words("SAFE_PUB_NAME"), ["safe", "pub", "name"]);
    let (name, longer) = (words("k_anonymity"), vec![words("alpha_k_anonymity")]);
    assert!(hold(&words("is_k_anonymity"), &name, &longer));
    assert!(!hold(&words("is_alpha_k_anonymity"), &name, &longer));
    assert!(can_be("k-{}", "k-anonymity") && can_be("{}-anonymity", "k-anonymity"));
    assert!(
        !can_be("{}-{}", "k-anonymity")
            && !can_be("{}e-{}", "k-anonymity-e-x")
            && !can_be("k-{}", "safe-pub")
    );
}
