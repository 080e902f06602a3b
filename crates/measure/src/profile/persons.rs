//! Whether cells look like names of persons. All shares are of distinct values: names recur in a large table.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use super::names::{ALSO_WORDS, CHINESE, FAMILY, GIVEN, KOREAN, THINGS, TITLES};
use super::patterns::Traits;

/// The least number of distinct values.
const LEAST: u64 = 10;

/// The share of values that must have the form of a name.
const FORMED: f64 = 0.8;

/// The share of full names of which a part must be known: no list has all names of the world.
const KNOWN: f64 = 0.2;

/// The same of single words, of which many are other things.
const KNOWN_ALONE: f64 = 0.35;

/// The same of words without capitals.
const KNOWN_SMALL: f64 = 0.6;

/// The share of three syllables that must begin with a frequent family name.
const KNOWN_SYLLABLES: f64 = 0.6;

/// What stands before a name and hardly anywhere else, as it is spelled.
const WITH_TITLES: [&str; 13] =
    ["Mr", "Mr.", "Mrs", "Mrs.", "Ms.", "Herr", "Herrn", "Hr.", "Frau", "Mme", "Dr.", "Dr", "Prof."];

/// The longest name in bytes, and its most words.
const LONGEST: usize = 60;
const MOST_WORDS: usize = 5;

/// What a word is.
#[derive(Debug, Clone, Copy, Default)]
struct Word {
    known: bool,
    /// Hardly anything but a name.
    alone: bool,
    thing: bool,
    title: bool,
}

static WORDS: LazyLock<FxHashMap<&'static str, Word>> = LazyLock::new(|| {
    let mut words: FxHashMap<&'static str, Word> = FxHashMap::default();
    for name in GIVEN.split('|').chain(FAMILY.split('|')) {
        words.insert(name, Word { known: true, alone: true, ..Word::default() });
    }
    ALSO_WORDS.split('|').for_each(|word| words.entry(word).or_default().alone = false);
    THINGS.split('|').for_each(|word| words.entry(word).or_default().thing = true);
    TITLES.split('|').for_each(|word| words.entry(word).or_default().title = true);
    words
});

/// A word in lower case, or one of its parts between hyphens.
fn word(text: &str) -> Word {
    let part = || text.contains('-').then(|| text.split('-').find_map(one)).flatten();
    one(text).or_else(part).unwrap_or_default()
}

fn one(text: &str) -> Option<Word> {
    WORDS.get(text).copied()
}

/// How many distinct values have the form of names, and how many a known part.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Names {
    distinct: u64,
    full: u64,
    full_known: u64,
    alone: u64,
    alone_known: u64,
    small: u64,
    small_known: u64,
    syllables: u64,
    syllables_known: u64,
    /// Values in which a title stands before a name, whatever else they say.
    titled: u64,
}

impl Names {
    /// Takes in one distinct value.
    pub(super) fn add(&mut self, text: &str, traits: Traits) {
        self.distinct += 1;
        self.titled += u64::from(traits.letters > 0 && has_titled(text));
        if traits.digits > 0 || traits.letters == 0 || text.len() > LONGEST {
            return;
        }
        if !text.is_ascii() && (is_of(text, '가'..='힣') || is_of(text, '一'..='龥')) {
            self.syllables += 1;
            let first =
                text.chars().next().is_some_and(|first| KOREAN.contains(first) || CHINESE.contains(first));
            // Two syllables are a place as often as a person.
            let short = text.chars().count() == 2 && !CHINESE.contains(text.chars().next().unwrap_or(' '));
            self.syllables_known += u64::from(first && !short);
            return;
        }
        self.add_words(text);
    }

    fn add_words(&mut self, text: &str) {
        let (mut words, mut capitals, mut known, mut alone, mut titled) = (0, 0, false, false, false);
        let mut small = String::new();
        for word in text.split([' ', ',']).filter(|word| !word.is_empty()) {
            let letters = word.chars().all(|c| c.is_alphabetic() || matches!(c, '-' | '\'' | '’' | '.'));
            words += 1;
            if !letters || words > MOST_WORDS {
                return;
            }
            small.clear();
            small.extend(word.chars().flat_map(char::to_lowercase));
            let said = self::word(&small);
            if said.title {
                titled = true;
                words -= 1;
                continue;
            }
            if said.thing {
                return;
            }
            capitals += usize::from(word.chars().next().is_some_and(char::is_uppercase));
            known |= said.known;
            alone |= said.alone;
        }
        let capitalized = capitals > 0 && capitals + 1 >= words;
        match words {
            1 if titled => {
                (self.full, self.full_known) = (self.full + 1, self.full_known + u64::from(capitalized))
            }
            1 => (self.alone, self.alone_known) = (self.alone + 1, self.alone_known + u64::from(alone)),
            2.. if capitalized => {
                self.full += 1;
                self.full_known += u64::from(known || titled);
            }
            2.. => (self.small, self.small_known) = (self.small + 1, self.small_known + u64::from(alone)),
            _ => {}
        }
    }

    /// Both together.
    pub(super) fn and(self, other: Self) -> Self {
        Self {
            distinct: self.distinct + other.distinct,
            full: self.full + other.full,
            full_known: self.full_known + other.full_known,
            alone: self.alone + other.alone,
            alone_known: self.alone_known + other.alone_known,
            small: self.small + other.small,
            small_known: self.small_known + other.small_known,
            syllables: self.syllables + other.syllables,
            syllables_known: self.syllables_known + other.syllables_known,
            titled: self.titled + other.titled,
        }
    }

    /// How many values have a title before a name.
    pub(super) fn titled(self) -> u64 {
        self.titled
    }

    /// Whether most values have the form of a person's name, and enough of them a frequent part.
    pub(super) fn look_like_names(self) -> bool {
        let share = |part: u64| part as f64 / self.distinct.max(1) as f64;
        let form = self.full + self.alone;
        let full = share(self.full) >= FORMED && share(self.full_known) >= KNOWN;
        let mixed = share(form) >= FORMED && share(self.full_known + self.alone_known) >= KNOWN_ALONE;
        let small = share(self.small) >= FORMED && share(self.small_known) >= KNOWN_SMALL;
        let syllables = share(self.syllables) >= 0.9 && share(self.syllables_known) >= KNOWN_SYLLABLES;
        self.distinct >= LEAST && (full || mixed || small || syllables)
    }
}

/// Whether a title stands before a capitalized word, as in `seen by Dr. Doe`: `MS` and `HR` are no titles, and of a thing named after
/// somebody nothing is said.
#[must_use]
pub fn has_titled(text: &str) -> bool {
    let words: Vec<&str> =
        text.split([' ', ',', ';', '(', ')', '/']).filter(|word| !word.is_empty()).collect();
    // "Dr. med. Doe"
    let is_between = |word: &&&str| WITH_TITLES.contains(*word) || word.ends_with('.') && word.len() <= 5;
    let after = |at: usize| words[at + 1..].iter().find(|word| !is_between(word));
    (0..words.len()).any(|at| WITH_TITLES.contains(&words[at]) && after(at).is_some_and(|word| is_name(word)))
}

/// A capitalized word of three letters or more that is no thing.
fn is_name(word: &str) -> bool {
    let mut letters = word.chars();
    letters.next().is_some_and(char::is_uppercase)
        && letters.clone().count() >= 2
        && letters.all(|c| c.is_lowercase() || c == '-')
        && !self::word(&word.to_lowercase()).thing
}

/// Two to four characters of a script.
fn is_of(text: &str, script: std::ops::RangeInclusive<char>) -> bool {
    (2..=4).contains(&text.chars().count()) && text.chars().all(|c| script.contains(&c))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn look(values: &[&str]) -> bool {
        let mut names = Names::default();
        values.iter().for_each(|value| names.add(value, Traits::of(value)));
        names.look_like_names()
    }

    fn listed(values: &'static str) -> Vec<&'static str> {
        values.split(", ").collect()
    }

    #[test]
    fn names_are_told_from_categories() {
        assert!(look(&listed(
            "Jane Doe, John Smith, Mary Ann Lee, Ola Nordmann, Max Muster, Eve O'Neill, Bob Roe, Ann Poe, Tim Moe, Jean-Luc Picard"
        )));
        assert!(look(&listed(
            "김민준, 이서연, 박지후, 최서윤, 정도윤, 강하은, 조시우, 윤지우, 장예준, 임수아"
        )));
        assert!(look(&listed(
            "Schmidt, Meyer, Krüger, Hoffmann, Lehmann, Krause, Schulz, Hartmann, Yilmaz, Nowak, Becker, Öczan"
        )));
        assert!(look(&listed("Anna, Peter, Jürgen, Sabine, Heike, Thomas, Kevin, Mehmet, Svenja, Ulrike")));
        assert!(look(&listed(
            "Frau Unbekannt, Herr Seltsam, Dr. Wunderbar, Frau Xi, Herr Yps, Frau Zet, Mr Q, Mrs R, Ms S, Dr Who"
        )));
        assert!(look(&listed(
            "anna krüger, peter meyer, heike nowak, sabine schulz, jane smith, john doe, ulrike krause, thomas beck, lisa ott, eva lutz"
        )));
    }

    #[test]
    fn a_title_before_a_name_is_seen_among_other_words() {
        for text in [
            "Fibrodysplasia, Hr. Muster",
            "seen by Dr. med. Doe",
            "wife of Mr Smith (2019)",
            "Frau Öczan, telefonisch",
        ] {
            assert!(has_titled(text), "{text}");
        }
        for text in [
            "MS Relapsing",
            "HR 72",
            "Dr. von Haunersches Kinderspital",
            "Frau",
            "St. Josef Hospital",
            "Ms Typ 2",
            "DR Kongo",
            "Dr.",
            "Herr, ohne Angabe",
            "Frau Klinik",
        ] {
            assert!(!has_titled(text), "{text}");
        }
    }

    #[test]
    fn places_occupations_and_diseases_are_no_names() {
        for categories in [
            "New York, Los Angeles, San Diego, San Jose, Fort Worth, El Paso, Las Vegas, Long Beach, Santa Ana, St Louis, Baton Rouge",
            "서울, 부산, 대구, 인천, 광주, 대전, 울산, 세종, 경기, 강원",
            "Jane Doe, John Smith",
            "Lincoln, Jackson, Madison, Washington, Houston, Austin, Charlotte, Aurora, Arlington, Denver, Orlando, Phoenix, Tyler",
            "Koch, Schneider, Fischer, Bauer, Weber, Jäger, Zimmermann, Richter, Schäfer, Maurer, Gärtner, Tischler",
            "Baker, Cook, Taylor, Mason, Butler, Carpenter, Nurse, Teacher, Hunter, Driver, Smith, Weaver",
            "St. Elisabeth Krankenhaus, St. Josef Hospital, Klinikum Bad Hersfeld, Marien Hospital, Haus Anna, Johannes Klinik, \
             Sana Klinik, Rems Klinik, Theresien Krankenhaus, Josefs Krankenhaus",
            "Morbus Crohn, Wilson Disease, Graves Disease, Hodgkin Lymphoma, Diabetes Mellitus, Down Syndrome, Asthma, Gout, Angina \
             Pectoris, Heart Failure",
            "Berlin, Hamburg, München, Köln, Frankfurt, Stuttgart, Düsseldorf, Leipzig, Dortmund, Essen, Bremen, Dresden",
            "Metformin, Ramipril, Insulin Glargine, Bisoprolol, Simvastatin, Aspirin, Ibuprofen, Pantoprazole, Levothyroxine, Torasemid",
        ] {
            assert!(!look(&listed(categories)), "{categories}");
        }
    }
}
