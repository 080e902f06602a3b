//! How code can name a method, a model or a metric, and how a guard sees it.

use std::collections::BTreeSet;

use super::words::{can_be, hold, texts, words};
use crate::circles::tokens::tokens_and_texts;

/// A method, a model or a metric.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Thing {
    /// Its module: `safe_pub`.
    pub(super) word: String,
    /// Its name in recipes, where it has one: `safe-pub`.
    name: Option<String>,
    /// The words of others whose names hold its own.
    longer: Vec<Vec<String>>,
}

/// Words that mean something else too: by these alone only a path or a type names one.
const COMMON: [&str; 14] = [
    "aim",
    "ambiguity",
    "ce",
    "discernibility",
    "exhaustive",
    "genetic",
    "greedy",
    "height",
    "loss",
    "optimal",
    "precision",
    "private",
    "relocation",
    "suppression",
];

/// Of these the ones that mean something else as a type.
const COMMON_TYPES: [&str; 4] = ["Loss", "Height", "Precision", "Suppression"];

/// Calls that compare one text with another.
const COMPARE: [&str; 7] =
    ["eq", "ne", "cmp", "eq_ignore_ascii_case", "starts_with", "ends_with", "contains"];

impl Thing {
    pub(super) fn named(name: &str) -> Self {
        Self { word: name.replace('-', "_"), name: Some(name.to_owned()), longer: Vec::new() }
    }

    pub(super) fn module(word: &str) -> Self {
        Self { word: word.to_owned(), name: None, longer: Vec::new() }
    }

    pub(super) fn is_named(&self, name: &str) -> bool {
        self.name.as_deref() == Some(name)
    }

    /// The same among others: an identifier that holds the name of a longer one names that one.
    pub(super) fn among(mut self, others: &[Self]) -> Self {
        let own = words(&self.word);
        let longer = others.iter().map(|other| words(&other.word)).filter(|other| other.len() > own.len());
        self.longer = longer.filter(|other| hold(other, &own, &[])).collect();
        self.longer.dedup();
        self
    }

    /// How a file's code names it, if it does.
    pub(super) fn seen(&self, code: &Code) -> Option<String> {
        self.text(code).or_else(|| self.identifier(code))
    }

    fn text(&self, code: &Code) -> Option<String> {
        let name = self.name.as_ref()?;
        code.texts.iter().find(|text| can_be(text, name)).map(|text| format!("\"{text}\""))
    }

    fn identifier(&self, code: &Code) -> Option<String> {
        if COMMON.contains(&self.word.as_str()) {
            let types = self.types();
            let of_path = |(at, token): &(usize, &String)| *token == &self.word && code.is_path(*at);
            let mut tokens = code.tokens.iter().enumerate();
            let found = tokens.find(|token| types.contains(token.1) || of_path(token));
            return found.map(|(_, token)| token.clone());
        }
        let own = words(&self.word);
        let holds = |identifier: &&(String, Vec<String>)| hold(&identifier.1, &own, &self.longer);
        code.identifiers.iter().find(holds).map(|(identifier, _)| identifier.clone())
    }

    /// `SafePub`, and what goes with it.
    fn types(&self) -> Vec<String> {
        let capital = |word: &String| word[..1].to_uppercase() + &word[1..];
        let name: String = words(&self.word).iter().map(capital).collect();
        if COMMON_TYPES.contains(&name.as_str()) {
            return Vec::new();
        }
        ["", "Params", "Keys"].map(|end| format!("{name}{end}")).into()
    }
}

/// A file's code: its tokens, and which of them are imported.
pub(super) struct Code {
    tokens: Vec<String>,
    imports: Vec<bool>,
    texts: BTreeSet<String>,
    identifiers: BTreeSet<(String, Vec<String>)>,
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
        let is_identifier = |token: &String| token.starts_with(|c: char| c.is_alphabetic() || c == '_');
        let is_declared = |at: usize| at > 0 && tokens[at - 1] == "mod";
        let named = tokens.iter().enumerate().filter(|(at, token)| is_identifier(token) && !is_declared(*at));
        let identifiers: BTreeSet<&String> = named.map(|(_, token)| token).collect();
        let identifiers = identifiers.into_iter().map(|token| (token.clone(), words(token))).collect();
        Self { texts: texts(&tokens), identifiers, tokens, imports }
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
            self.is_comparison(*at)
                && (self.holds_name_before(*at, &names)
                    || self.holds_name_after(self.compared_to(*at), &names))
        };
        let of_arm = |at: &usize| {
            names.contains(self.token(*at)) && self.token(at + 1) == "=" && self.token(at + 2) == ">"
        };
        let found = (0..self.tokens.len()).find(|at| is_compared(at) || of_arm(at))?;
        Some(self.tokens[found.saturating_sub(5)..self.tokens.len().min(found + 7)].join(" "))
    }

    /// Whether `==`, `!=`, or a call such as `.eq(` begins there.
    fn is_comparison(&self, at: usize) -> bool {
        let is_call = self.token(at) == "." && self.token(at + 2) == "(";
        self.is_equality(at) || is_call && COMPARE.contains(&self.token(at + 1))
    }

    /// Where begins what is compared to.
    fn compared_to(&self, at: usize) -> usize {
        if self.token(at) == "." { at + 3 } else { at + 2 }
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
