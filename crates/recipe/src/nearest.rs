//! The word that was probably meant.

/// The known word that is nearest to one that is not known, if any is near.
pub(crate) fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let plain = |text: &str| text.to_lowercase().replace(['_', ' ', '.'], "-");
    let word = plain(word);
    let judged = known.into_iter().map(|candidate| {
        let other = plain(candidate);
        let part = word.chars().count() >= 3
            && (other.contains(&word) || word.contains(&*other) && other.len() >= 3);
        (strsim::damerau_levenshtein(&word, &other), part, candidate)
    });
    let length = word.chars().count();
    let most = length.div_ceil(3);
    judged
        .filter(|(distance, part, _)| *distance <= most || *part)
        // A slip in a long word says more than that one word is part of another.
        .min_by_key(|(distance, part, _)| (*distance > most, distance * 5 > length, !*part, *distance))
        .map(|(_, _, candidate)| candidate)
}

/// `; did you mean …?`, or nothing.
pub fn did_you_mean<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    nearest(word, known).map_or_else(String::new, |near| format!("; did you mean `{near}`?"))
}

/// `; did you mean …? Expected one of: …`, or only what was expected.
pub(crate) fn one_of(word: &str, known: &[&str]) -> String {
    let (near, all) = (did_you_mean(word, known.iter().copied()), known.join(", "));
    if near.is_empty() {
        format!("; expected one of: {all}")
    } else {
        format!("{near} Expected one of: {all}")
    }
}

/// The word that a message of serde calls unknown.
pub(crate) fn unknown(message: &str) -> Option<&str> {
    let rest =
        ["unknown field `", "unknown variant `"].iter().find_map(|begin| message.strip_prefix(begin))?;
    rest.split('`').next()
}

/// A message of serde with the word that was probably meant, and types in plain words.
pub(crate) fn explained(message: &str) -> String {
    const TYPES: [(&str, &str); 6] = [
        ("f64", "a number"),
        ("u64", "a whole number from 0"),
        ("u32", "a whole number from 0"),
        ("u8", "a whole number from 0 to 255"),
        ("struct ", "a table of keys"),
        ("a sequence", "a list, such as [\"a\", \"b\"]"),
    ];
    if let Some(word) = unknown(message) {
        let (problem, expected) = message.split_once(", expected ").unwrap_or((message, ""));
        // Every second piece stands between backticks.
        let known = expected.split('`').skip(1).step_by(2);
        return match nearest(word, known) {
            Some(near) => format!("{problem}; did you mean `{near}`? Expected {expected}"),
            None => message.to_owned(),
        };
    }
    let said = message.rsplit_once("expected ");
    let plain = said.and_then(|(before, expected)| {
        let (_, plain) = TYPES.iter().find(|(name, _)| expected.starts_with(name))?;
        Some(format!("{before}expected {plain}"))
    });
    plain.unwrap_or_else(|| message.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_and_parts_are_near() {
        let models = ["k-anonymity", "distinct-l-diversity", "t-closeness", "k-map"];
        for (word, near) in [
            ("k-anonimity", Some("k-anonymity")),
            ("K_Anonymity", Some("k-anonymity")),
            ("l-diversity", Some("distinct-l-diversity")),
            ("tclosness", Some("t-closeness")),
            ("anonymity", Some("k-anonymity")),
            ("banana", None),
        ] {
            assert_eq!(nearest(word, models), near, "{word}");
        }
        let variant = "unknown variant `sensetive`, expected one of `identifier`, `sensitive`";
        assert!(explained(variant).contains("did you mean `sensitive`? Expected one of"));
        assert_eq!(explained("unknown field `zz`, expected `k`"), "unknown field `zz`, expected `k`");
        assert_eq!(
            explained("invalid type: string \"x\", expected f64"),
            "invalid type: string \"x\", expected a number"
        );
        assert_eq!(nearest("hh", ["h", "parts"]), Some("h"));
        assert_eq!(nearest("qasi-identifier", ["identifier", "quasi-identifier"]), Some("quasi-identifier"));
    }
}
