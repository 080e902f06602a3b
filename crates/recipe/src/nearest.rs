//! The word that was probably meant.

use velamen_core::error::Problem;

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

/// How to mend a word that is not known: `did you mean …?`, where one that is known is near.
pub fn did_you_mean<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<String> {
    nearest(word, known).map(|near| format!("did you mean `{near}`?"))
}

/// All known words, those first that are most like one that is not known by the similarity of Jaro and Winkler.
///
/// Time: O(words · log words).
pub fn most_alike<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let mut all: Vec<&str> = known.into_iter().collect();
    let unlike = |known: &str| -strsim::jaro_winkler(word, known);
    all.sort_by(|a, b| unlike(a).total_cmp(&unlike(b)));
    all
}

/// What is wrong with a word that is not known, with those that are, and the one that was probably meant.
pub(crate) fn one_of(problem: impl Into<Problem>, word: &str, known: &[&str]) -> Problem {
    let expected = format!("one of: {}", known.join(", "));
    problem.into().expected(expected).mend_if(did_you_mean(word, known.iter().copied()))
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
