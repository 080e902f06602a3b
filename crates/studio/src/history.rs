//! Undo and redo: the recipe is one text, so that its history is a list of texts.

use std::collections::VecDeque;

/// The most texts that are kept.
const MOST: usize = 500;

/// A recipe's texts, and which of them stands.
#[derive(Debug)]
pub(crate) struct History {
    texts: VecDeque<String>,
    at: usize,
    /// How often another text took the place of the one that stood.
    changes: u64,
}

impl History {
    pub(crate) fn new(text: String) -> Self {
        Self { texts: VecDeque::from([text]), at: 0, changes: 0 }
    }

    /// The text that stands.
    pub(crate) fn text(&self) -> &str {
        &self.texts[self.at]
    }

    /// How often the text changed, undo and redo included.
    pub(crate) fn changes(&self) -> u64 {
        self.changes
    }

    /// The text before it.
    pub(crate) fn before(&self) -> Option<&str> {
        self.texts.get(self.at.checked_sub(1)?).map(String::as_str)
    }

    /// A new text in place of the one that stands; what was undone is gone. The same text is no change.
    pub(crate) fn change(&mut self, text: String) {
        if text == self.text() {
            return;
        }
        self.texts.truncate(self.at + 1);
        self.texts.push_back(text);
        if self.texts.len() > MOST {
            self.texts.pop_front();
        }
        self.at = self.texts.len() - 1;
        self.changes += 1;
    }

    /// Another text in place of the one that stands, as part of the last change: one undo takes both back.
    pub(crate) fn amend(&mut self, text: String) {
        self.texts.truncate(self.at + 1);
        self.texts[self.at] = text;
        self.changes += 1;
    }

    pub(crate) fn undo(&mut self) {
        self.at = self.at.saturating_sub(1);
        self.changes += 1;
    }

    pub(crate) fn redo(&mut self) {
        self.at = (self.at + 1).min(self.texts.len() - 1);
        self.changes += 1;
    }

    pub(crate) fn can_undo(&self) -> bool {
        self.at > 0
    }

    pub(crate) fn can_redo(&self) -> bool {
        self.at + 1 < self.texts.len()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// As many steps back lead to the text before, and as many forward to the last one.
        #[test]
        fn undo_and_redo_lead_there_and_back(texts in proptest::collection::vec("[a-c]{1,2}", 1..20)) {
            let mut history = History::new("start".to_owned());
            let mut passed = vec!["start".to_owned()];
            for text in texts {
                history.change(text.clone());
                if passed.last() != Some(&text) {
                    passed.push(text);
                }
            }
            for text in passed.iter().rev() {
                prop_assert_eq!(history.text(), text);
                history.undo();
            }
            prop_assert!(!history.can_undo());
            for text in &passed {
                prop_assert_eq!(history.text(), text);
                history.redo();
            }
            prop_assert!(!history.can_redo());
        }
    }

    #[test]
    fn a_change_after_undo_forgets_what_was_undone() {
        let mut history = History::new("a".into());
        history.change("b".into());
        history.undo();
        history.change("c".into());
        assert!(!history.can_redo());
        history.undo();
        assert_eq!(history.text(), "a");
    }

    #[test]
    fn only_so_many_texts_are_kept() {
        let mut history = History::new("0".into());
        (1..=MOST).for_each(|number| history.change(number.to_string()));
        (0..2 * MOST).for_each(|_| history.undo());
        assert_eq!(history.text(), "1");
    }
}
