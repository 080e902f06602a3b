//! What is wrong in a recipe, before it is known where the recipe says it.

/// What is wrong, and which keys and attributes of the recipe it names. Whoever knows the recipe's text finds the line by
/// these, never by the words.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Problem(Box<Fields>);

#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Fields {
    text: String,
    expected: Option<String>,
    mend: Option<String>,
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
    pub fn of(keys: &[&str], problem: impl Into<Self>) -> Self {
        problem.into().with(keys)
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

    /// The same with what was expected.
    #[must_use]
    pub fn expected(mut self, expected: impl Into<String>) -> Self {
        self.0.expected = Some(expected.into());
        self
    }

    /// The same with how to mend it, or one more way.
    #[must_use]
    pub fn mend(mut self, mend: impl Into<String>) -> Self {
        let mend = mend.into();
        self.0.mend = Some(match self.0.mend.take() {
            Some(before) => format!("{before}; {mend}"),
            None => mend,
        });
        self
    }

    /// The same with how to mend it, where that is known.
    #[must_use]
    pub fn mend_if(self, mend: Option<String>) -> Self {
        match mend {
            Some(mend) => self.mend(mend),
            None => self,
        }
    }

    /// The same with words before the text.
    #[must_use]
    pub fn after(mut self, words: &str) -> Self {
        self.0.text.insert_str(0, words);
        self
    }

    /// The same in other words, with their own advice.
    #[must_use]
    pub fn saying(self, problem: impl Into<Self>) -> Self {
        let Fields { keys, attribute, named, .. } = *self.0;
        Self(Box::new(Fields { keys, attribute, named, ..*problem.into().0 }))
    }

    /// What is wrong, in words, without what was expected and how to mend it.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.0.text
    }

    /// What was expected, where that was said.
    #[must_use]
    pub fn expectation(&self) -> Option<&str> {
        self.0.expected.as_deref()
    }

    /// How to mend it, where that was said.
    #[must_use]
    pub fn remedy(&self) -> Option<&str> {
        self.0.mend.as_deref()
    }

    /// Whether it names that key, or the attribute of that name.
    pub(super) fn names(&self, key: &str) -> bool {
        let Fields { keys, attribute, named, .. } = &*self.0;
        keys.iter().chain(attribute).chain(named).any(|name| name == key)
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
        f.write_str(&self.0.text)?;
        super::write_advice(f, self.0.expected.as_deref(), self.0.mend.as_deref())
    }
}

impl std::error::Error for Problem {}

impl From<String> for Problem {
    fn from(text: String) -> Self {
        Self::new(text)
    }
}

impl From<&String> for Problem {
    fn from(text: &String) -> Self {
        Self::new(text)
    }
}

impl From<&str> for Problem {
    fn from(text: &str) -> Self {
        Self::new(text)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Mistake;
    use super::*;

    /// A name in the problem may hold a semicolon: advice is what was given as such.
    #[test]
    fn advice_is_a_field_not_a_part_of_the_text() {
        let problem = Problem::of(&["top"], "`a; b` is coded").expected("one end").mend("drop `top`");
        assert_eq!(problem.to_string(), "`a; b` is coded; expected one end; drop `top`");
        assert_eq!(problem.text(), "`a; b` is coded");
        let mistake = Mistake::of_recipe("r.toml".as_ref(), &problem);
        assert_eq!(mistake.message(), problem.to_string());
        assert_eq!(mistake.advice(), Some("expected one end; drop `top`".to_owned()));
        assert_eq!(problem.saying("other words").to_string(), "other words");
    }
}
