//! Words that have a better one, and the search for them.

/// A phrase, and what to write in its place. Phrases are whole words in small letters.
const PHRASES: [(&str, &str); 58] = [
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
    ("makes an attribute's domain", "an attribute's domain is taken from"),
    ("that no person had", "(say `genuine` of what people had)"),
    ("how likely a record", "the re-identification risk of a record"),
    ("knows before", "predicts"),
    ("than anybody has", "(say what runs out)"),
    ("read and not used", "ignored"),
    ("that is gone until", "lost"),
    ("no estimate of risk may", "a dangerous underestimate"),
    ("which are one", "counted once"),
    ("the chance to pick", "the chance of picking"),
    ("differ in which of", "vary"),
    ("what was said before", "the estimate"),
    ("lie far away", "are remote"),
    ("lies far away", "is remote"),
    ("and many minutes", "(say that it is long)"),
    ("part the records", "split the records"),
    ("parts the records", "splits the records"),
    ("hide single records", "hide individual records"),
    ("hides single records", "hides individual records"),
    ("persons out", "people out"),
    ("checked again from", "verified from"),
];

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
pub(super) fn spelled_with_s(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_alphabetic()).map(str::to_lowercase);
    words.filter(|word| IZE.iter().any(|stem| word.contains(stem))).collect()
}

/// Which phrases occur that have a better one.
pub(super) fn found(text: &str) -> Vec<(&'static str, &'static str)> {
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
