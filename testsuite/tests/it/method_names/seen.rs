//! How code can name a method, a model or a metric, and how a guard sees it.

use std::collections::BTreeSet;

use crate::circles::tokens::tokens_and_texts;

/// A method, a model or a metric.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Thing {
    /// Its module: `safe_pub`.
    pub(super) word: String,
    /// Its name in recipes, where it has one: `safe-pub`.
    name: Option<String>,
}

/// Words that mean something else as a type.
const COMMON: [&str; 4] = ["Loss", "Height", "Precision", "Suppression"];

impl Thing {
    pub(super) fn named(name: &str) -> Self {
        Self { word: name.replace('-', "_"), name: Some(name.to_owned()) }
    }

    pub(super) fn module(word: &str) -> Self {
        Self { word: word.to_owned(), name: None }
    }

    /// How a file's code names it, if it does.
    pub(super) fn seen(&self, code: &Code) -> Option<String> {
        let text = self.name.as_ref().map(|name| format!("\"{name}\""));
        let constant = self.word.contains('_').then(|| self.word.to_uppercase());
        let types = self.types();
        let is_named = |(at, token): (usize, &String)| {
            Some(token) == text.as_ref()
                || Some(token) == constant.as_ref()
                || types.contains(token)
                || *token == self.word && code.is_path(at)
        };
        code.tokens.iter().enumerate().find(|found| is_named(*found)).map(|(_, token)| token.clone())
    }

    /// `SafePub`, and what goes with it.
    fn types(&self) -> Vec<String> {
        let part = |part: &str| part[..1].to_uppercase() + &part[1..];
        let name: String = self.word.split('_').filter(|word| !word.is_empty()).map(part).collect();
        if COMMON.contains(&name.as_str()) {
            return Vec::new();
        }
        ["", "Params", "Keys"].map(|end| format!("{name}{end}")).into()
    }
}

/// A file's code: its tokens, and which of them are imported.
pub(super) struct Code {
    tokens: Vec<String>,
    imports: Vec<bool>,
}

impl Code {
    pub(super) fn of(text: &str) -> Self {
        let tokens = tokens_and_texts(text);
        let mut inside = false;
        let import = |token: &String| {
            inside = token == "use" || inside && token != ";";
            inside
        };
        let imports = tokens.iter().map(import).collect();
        Self { tokens, imports }
    }

    fn token(&self, at: usize) -> &str {
        self.tokens.get(at).map_or("", String::as_str)
    }

    /// Whether the word there is a part of a path: `word::…`, or imported.
    fn is_path(&self, at: usize) -> bool {
        self.token(at + 1) == "::" || self.imports[at]
    }

    /// The paths to a constant of that name: `a::b::ENTRY` is a, b.
    pub(super) fn paths_to(&self, constant: &str) -> BTreeSet<String> {
        let ends = (0..self.tokens.len()).filter(|at| self.tokens[*at] == constant);
        ends.flat_map(|end| self.path_before(end)).collect()
    }

    fn path_before(&self, end: usize) -> Vec<String> {
        let mut path = Vec::new();
        let mut at = end;
        while at >= 2 && self.token(at - 1) == "::" {
            at -= 2;
            path.push(self.tokens[at].clone());
        }
        path
    }

    /// A constant that holds a name and is compared, in whatever way.
    pub(super) fn compared_constant(&self) -> Option<String> {
        let names = self.name_constants();
        let is_compared = |at: &usize| {
            self.is_equality(*at)
                && (self.holds_name_before(*at, &names) || self.holds_name_after(at + 2, &names))
        };
        let of_arm = |at: &usize| {
            names.contains(self.token(*at)) && self.token(at + 1) == "=" && self.token(at + 2) == ">"
        };
        let found = (0..self.tokens.len()).find(|at| is_compared(at) || of_arm(at))?;
        Some(self.tokens[found.saturating_sub(5)..self.tokens.len().min(found + 7)].join(" "))
    }

    /// Whether `==` or `!=` begins there.
    fn is_equality(&self, at: usize) -> bool {
        ["=", "!"].contains(&self.token(at)) && self.token(at + 1) == "=" && self.token(at + 2) != "="
    }

    /// Constants of the file that hold a name: `NAME`, and such as `const USUAL: &str = loss::ENTRY.name`.
    fn name_constants(&self) -> BTreeSet<&str> {
        let mut names = BTreeSet::from(["NAME"]);
        for at in (0..self.tokens.len()).filter(|at| self.tokens[*at] == "const") {
            let Some(length) = self.tokens[at..].iter().position(|token| token == ";") else { continue };
            if self.is_name_of_constant(at + length) {
                names.insert(self.token(at + 1));
            }
        }
        names
    }

    /// Whether `CONSTANT.name` or `….NAME` ends before there.
    fn is_name_of_constant(&self, end: usize) -> bool {
        end >= 3
            && self.token(end - 1) == "name"
            && self.token(end - 2) == "."
            && is_constant(self.token(end - 3))
            || end >= 1 && self.token(end - 1) == "NAME"
    }

    fn holds_name_before(&self, end: usize, names: &BTreeSet<&str>) -> bool {
        self.is_name_of_constant(end) || end >= 1 && names.contains(self.token(end - 1))
    }

    fn holds_name_after(&self, start: usize, names: &BTreeSet<&str>) -> bool {
        let mut at = start;
        while ["&", "*", "::"].contains(&self.token(at)) || self.token(at + 1) == "::" {
            at += 1;
        }
        let of_field =
            is_constant(self.token(at)) && self.token(at + 1) == "." && self.token(at + 2) == "name";
        of_field || names.contains(self.token(at))
    }
}

/// Whether a token is written as constants are.
fn is_constant(token: &str) -> bool {
    token.starts_with(|c: char| c.is_ascii_uppercase()) && !token.contains(|c: char| c.is_ascii_lowercase())
}
