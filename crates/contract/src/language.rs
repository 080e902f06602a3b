//! The languages that pages are written in.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A language of pages and reports. Messages, recipes and files for programs are English in all of them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Language {
    /// English.
    #[default]
    #[serde(rename = "en")]
    English,
    /// German.
    #[serde(rename = "de")]
    German,
}

impl Language {
    /// All languages, in the order in which they are offered.
    pub const ALL: [Self; 2] = [Self::English, Self::German];

    /// Its code by BCP 47, as recipes, `release.json` and pages write it.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::German => "de",
        }
    }

    /// What its speakers call it.
    #[must_use]
    pub const fn own_name(self) -> &'static str {
        match self {
            Self::English => "English",
            Self::German => "Deutsch",
        }
    }

    /// The language of a code by BCP 47, whatever the region: `de-AT` is German.
    #[must_use]
    pub fn of_code(code: &str) -> Option<Self> {
        let main = code.split('-').next()?.trim();
        Self::ALL.into_iter().find(|language| language.code().eq_ignore_ascii_case(main))
    }

    /// Whether it is the one that is meant where nothing is said.
    #[must_use]
    pub fn is_usual(&self) -> bool {
        *self == Self::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_with_a_region_name_their_language() {
        assert_eq!(Language::of_code("de-AT"), Some(Language::German));
        assert_eq!(Language::of_code("EN"), Some(Language::English));
        assert_eq!([Language::of_code("nl"), Language::of_code(""), Language::of_code("den")], [None; 3]);
    }

    #[test]
    fn the_code_is_what_files_hold() {
        for language in Language::ALL {
            assert_eq!(serde_json::to_value(language).unwrap(), language.code());
        }
    }
}
