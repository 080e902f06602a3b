//! What is wrong in a recipe, before it is known where the recipe says it.

/// What is wrong, and which keys and attributes of the recipe it names. Whoever knows the recipe's text finds the line by
/// these, never by the words.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Problem(Box<Fields>);

#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Fields {
    text: String,
    keys: Vec<String>,
    attribute: Option<String>,
    named: Vec<String>,
}

impl Problem {
    /// A problem that names no key.
    pub fn new(text: impl Into<String>) -> Self {
        Self(Box::new(Fields { text: text.into(), ..Fields::default() }))
    }

    /// A problem that names keys. The first one that the recipe has is to blame.
    pub fn of(keys: &[&str], text: impl Into<String>) -> Self {
        Self::new(text).with(keys)
    }

    /// The same, with keys that it names besides.
    #[must_use]
    pub fn with(mut self, keys: &[&str]) -> Self {
        self.0.keys.extend(keys.iter().map(|key| (*key).to_owned()));
        self
    }

    /// The same of an attribute, which is to blame wherever the problem was found. The text says so.
    #[must_use]
    pub fn in_attribute(self, name: &str) -> Self {
        self.after(&format!("attribute `{name}`: ")).blaming(name)
    }

    /// The same of an attribute that the text names already.
    #[must_use]
    pub fn blaming(mut self, name: &str) -> Self {
        self.0.attribute = Some(name.to_owned());
        self
    }

    /// The same, with an attribute or a column that the text names besides.
    #[must_use]
    pub fn naming(mut self, name: &str) -> Self {
        self.0.named.push(name.to_owned());
        self
    }

    /// The same with words before the text.
    #[must_use]
    pub fn after(mut self, words: &str) -> Self {
        self.0.text.insert_str(0, words);
        self
    }

    /// The same in other words.
    #[must_use]
    pub fn saying(mut self, text: impl Into<String>) -> Self {
        self.0.text = text.into();
        self
    }

    /// What is wrong, in words.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.0.text
    }

    /// The keys that it names, the one to blame first.
    #[must_use]
    pub fn keys(&self) -> &[String] {
        &self.0.keys
    }

    /// The attribute that is to blame, if one is.
    #[must_use]
    pub fn attribute(&self) -> Option<&str> {
        self.0.attribute.as_deref()
    }

    /// Attributes and columns that it names besides.
    #[must_use]
    pub fn named(&self) -> &[String] {
        &self.0.named
    }
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0.text)
    }
}

impl From<Problem> for String {
    fn from(problem: Problem) -> Self {
        problem.0.text
    }
}

impl From<String> for Problem {
    fn from(text: String) -> Self {
        Self::new(text)
    }
}

impl From<&str> for Problem {
    fn from(text: &str) -> Self {
        Self::new(text)
    }
}
