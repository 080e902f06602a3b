//! What can be named: entries of one kind, those of this program and those that a program built on it adds.

use std::sync::{PoisonError, RwLock};

use thiserror::Error;

/// An entry that is found by its name.
pub trait Named {
    /// The name in recipes, commands and manifests.
    fn name(&self) -> &'static str;
}

/// Entries of one kind, in order: first those built in, then those added.
///
/// Names are unique: [`Self::add`] refuses a taken one, and a test of each registry looks at those built in.
#[derive(Debug)]
pub struct Registry<T: 'static> {
    built_in: &'static [T],
    added: RwLock<Vec<&'static T>>,
}

/// The name belongs to another entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("`{0}` is the name of another entry")]
pub struct Taken(&'static str);

impl<T: Named> Registry<T> {
    /// A registry of these entries.
    #[must_use]
    pub const fn new(built_in: &'static [T]) -> Self {
        Self { built_in, added: RwLock::new(Vec::new()) }
    }

    /// All entries.
    pub fn iter(&self) -> impl Iterator<Item = &'static T> {
        let added = self.added.read().unwrap_or_else(PoisonError::into_inner).clone();
        self.built_in.iter().chain(added)
    }

    /// Their names.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.iter().map(Named::name)
    }

    /// The entry of that name.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<&'static T> {
        self.iter().find(|entry| entry.name() == name)
    }

    /// Adds an entry, for the whole process and for good.
    ///
    /// # Errors
    /// [`Taken`] if an entry has that name already.
    pub fn add(&self, entry: &'static T) -> Result<(), Taken> {
        let mut added = self.added.write().unwrap_or_else(PoisonError::into_inner);
        let mut all = self.built_in.iter().chain(added.iter().copied());
        if all.any(|other| other.name() == entry.name()) {
            return Err(Taken(entry.name()));
        }
        added.push(entry);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq)]
    struct Entry(&'static str);

    impl Named for Entry {
        fn name(&self) -> &'static str {
            self.0
        }
    }

    #[test]
    fn what_is_added_is_found_and_no_name_is_given_twice() {
        static ENTRIES: Registry<Entry> = Registry::new(&[Entry("a"), Entry("b")]);
        static NEW: Entry = Entry("c");
        static AGAIN: Entry = Entry("a");
        assert!(ENTRIES.find("c").is_none());
        ENTRIES.add(&NEW).unwrap();
        assert_eq!(ENTRIES.find("c"), Some(&NEW));
        assert_eq!(ENTRIES.names().collect::<Vec<_>>(), ["a", "b", "c"]);
        assert_eq!(ENTRIES.add(&AGAIN), Err(Taken("a")));
        assert_eq!(ENTRIES.add(&NEW), Err(Taken("c")));
    }
}
