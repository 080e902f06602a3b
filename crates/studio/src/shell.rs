//! Commands as a shell takes them.

/// A word as shells read it whole.
pub(crate) fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "._-/".contains(c);
    match !word.starts_with('-') && word.chars().all(plain) {
        true => word.to_owned(),
        false => format!("'./{}'", word.replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_quoted_for_a_shell() {
        assert_eq!(quoted("stays.toml"), "stays.toml");
        assert_eq!(quoted("two words.toml"), "'./two words.toml'");
        assert_eq!(quoted("it's.toml"), r"'./it'\''s.toml'");
        assert_eq!(quoted("-x.toml"), "'./-x.toml'");
    }
}
