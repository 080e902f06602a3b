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
        assert_eq!(nearest("hh", ["h", "parts"]), Some("h"));
        assert_eq!(nearest("qasi-identifier", ["identifier", "quasi-identifier"]), Some("quasi-identifier"));
    }
}
