//! The catalogues: English on the left. What the recipe's schema says of its keys is a file of its own.

use std::collections::HashMap;
use std::sync::LazyLock;

use velamen_contract::Language;

type Catalogue = HashMap<String, String>;

static GERMAN: LazyLock<Catalogue> = LazyLock::new(|| {
    read(include_str!("de.toml")).into_iter().chain(read(include_str!("de-keys.toml"))).collect()
});

/// A text in German.
pub(super) fn german(english: &str) -> Option<&'static str> {
    GERMAN.get(english).map(String::as_str)
}

/// All lines of a catalogue.
pub(super) fn lines(language: Language) -> impl Iterator<Item = (&'static str, &'static str)> {
    let catalogue = match language {
        Language::English => None,
        Language::German => Some(&*GERMAN),
    };
    catalogue.into_iter().flatten().map(|(english, other)| (english.as_str(), other.as_str()))
}

/// A file of the program's own: that it reads is a test.
fn read(text: &str) -> Catalogue {
    toml::from_str(text).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_read() {
        for file in [include_str!("de.toml"), include_str!("de-keys.toml")] {
            toml::from_str::<Catalogue>(file).unwrap();
        }
    }
}
