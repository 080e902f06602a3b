//! What serde and the TOML parser say of a text that they cannot read. They give a message and no fields, so that messages are
//! taken apart here, and in no other place.

use serde_json::{Map, Value};
use velamen_core::error::Problem;

use super::nearest::did_you_mean;

/// Types as serde names them, and in plain words.
const TYPES: [(&str, &str); 7] = [
    ("f64", "a number"),
    ("u64", "a whole number from 0"),
    ("u32", "a whole number from 0"),
    ("u8", "a whole number from 0 to 255"),
    ("struct ", "a table of keys"),
    ("a nonzero u32", "a whole number from 1"),
    ("a sequence", "a list, such as [\"a\", \"b\"]"),
];

/// What is said of a value that is none.
const NOTHING: &str = "invalid type: null";

/// How messages begin that are about a value, not about the text's form.
const OF_VALUES: [&str; 4] = ["invalid type: ", "invalid value: ", "invalid length ", "missing field "];

/// What is wrong with the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wrong {
    /// A key that nobody knows.
    Field,
    /// A value that is of the wrong kind, unknown or missing.
    Value,
    /// A key that stands there twice.
    Twice,
    /// The text itself.
    Syntax,
}

/// A message with its parts.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Said<'a> {
    message: &'a str,
    /// What is wrong.
    pub(crate) wrong: Wrong,
    /// The word that it calls unknown.
    pub(crate) unknown: Option<&'a str>,
}

impl<'a> Said<'a> {
    /// Takes a message apart.
    pub(crate) fn of(message: &'a str) -> Self {
        let word = |begin: &str| message.strip_prefix(begin).and_then(|rest| rest.split('`').next());
        let (field, variant) = (word("unknown field `"), word("unknown variant `"));
        let of_value = variant.is_some() || OF_VALUES.iter().any(|begin| message.starts_with(begin));
        let wrong = match message {
            "duplicate key" => Wrong::Twice,
            _ if field.is_some() => Wrong::Field,
            _ if of_value => Wrong::Value,
            _ => Wrong::Syntax,
        };
        Self { message, wrong, unknown: field.or(variant) }
    }

    /// The parameter whose value it shows, since it does not name it.
    pub(crate) fn mistyped<'m>(&self, parameters: &'m Map<String, Value>) -> Option<&'m str> {
        let shows = |value: &Value| match value {
            Value::String(_) => self.message.contains(&value.to_string()),
            Value::Null => self.message.starts_with(NOTHING),
            _ => self.message.contains(&format!("`{value}`")),
        };
        let found = parameters.iter().find(|(_, value)| self.message.starts_with("invalid ") && shows(value));
        found.map(|(key, _)| key.as_str())
    }

    /// The message with the word that was probably meant, and types in plain words.
    pub(crate) fn explained(&self) -> Problem {
        match self.unknown {
            Some(word) => self.with_nearest(word),
            None => self.in_plain_words(),
        }
    }

    fn with_nearest(&self, word: &str) -> Problem {
        let Some((problem, expected)) = self.message.split_once(", expected ") else {
            return Problem::new(self.message);
        };
        // Every second piece stands between backticks.
        let known = expected.split('`').skip(1).step_by(2);
        Problem::new(problem).expected(expected).mend_if(did_you_mean(word, known))
    }

    fn in_plain_words(&self) -> Problem {
        let Some((problem, expected)) = self.message.rsplit_once(", expected ") else {
            return Problem::new(self.message);
        };
        let plain = TYPES.iter().find(|(name, _)| expected.starts_with(name));
        // TOML has such numbers, and nothing else that becomes a null.
        let problem = if problem == NOTHING { "a number that is not finite (nan or inf)" } else { problem };
        Problem::new(problem).expected(plain.map_or(expected, |(_, plain)| plain))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_get_the_word_that_was_meant_and_plain_types() {
        let explained = |message| Said::of(message).explained().to_string();
        let variant = "unknown variant `sensetive`, expected one of `identifier`, `sensitive`";
        assert!(explained(variant).contains("; did you mean `sensitive`?"));
        assert_eq!(explained("unknown field `zz`, expected `k`"), "unknown field `zz`; expected `k`");
        assert_eq!(
            explained("invalid type: string \"x\", expected f64"),
            "invalid type: string \"x\"; expected a number"
        );
        assert_eq!(
            explained("invalid type: null, expected f64"),
            "a number that is not finite (nan or inf); expected a number"
        );
        let zero = explained("invalid value: integer `0`, expected a nonzero u32");
        assert_eq!(zero, "invalid value: integer `0`; expected a whole number from 1");
    }

    #[test]
    fn what_is_wrong_is_told_apart() {
        let said = Said::of("unknown field `zz`, expected `k`");
        assert_eq!((said.wrong, said.unknown), (Wrong::Field, Some("zz")));
        assert_eq!(Said::of("invalid value: x").wrong, Wrong::Value);
        assert_eq!(Said::of("duplicate key").wrong, Wrong::Twice);
        assert_eq!(Said::of("expected `]`").wrong, Wrong::Syntax);
        let parameters = Map::from_iter([("k".to_owned(), Value::from("x"))]);
        assert_eq!(Said::of("invalid type: string \"x\", expected u64").mistyped(&parameters), Some("k"));
        let parameters = Map::from_iter([("k".to_owned(), 1.into()), ("epsilon".to_owned(), Value::Null)]);
        assert_eq!(Said::of("invalid type: null, expected f64").mistyped(&parameters), Some("epsilon"));
    }
}
