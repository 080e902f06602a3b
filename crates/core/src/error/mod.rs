//! Mistakes: what is wrong, of which class, where, and how to mend it, each in a field of its own. Messages, JSON and exit
//! codes are made from the fields; nothing takes a message apart.

mod class;
pub mod code;
mod place;
mod problem;

pub use class::Class;
pub use code::Code;
pub use place::Place;
pub use problem::Problem;

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Serialize, Serializer};

use crate::context::Interrupted;

/// A mistake. [`std::fmt::Display`] gives the whole message, [`Serialize`] the form for front ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mistake(Box<Fields>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct Fields {
    class: Class,
    /// A narrower class.
    code: Option<Code>,
    place: Place,
    /// What is wrong, what was expected and how to mend it.
    problem: Problem,
    hint: Option<String>,
}

impl Mistake {
    /// A mistake of a class.
    pub fn new(class: Class, problem: impl Into<Problem>) -> Self {
        Self(Box::new(Fields {
            class,
            code: None,
            place: Place::default(),
            problem: problem.into(),
            hint: None,
        }))
    }

    /// The promise cannot be met, or a finished release does not keep it.
    pub fn promise(problem: impl Into<Problem>) -> Self {
        Self::new(Class::Promise, problem)
    }

    /// The data are not what they should be.
    pub fn data(problem: impl Into<Problem>) -> Self {
        Self::new(Class::Data, problem)
    }

    /// A recipe or hierarchy file is wrong.
    pub fn recipe(file: &Path, problem: impl Into<Problem>) -> Self {
        Self::new(Class::Recipe, problem).at(Place::file(file))
    }

    /// A recipe or hierarchy file is wrong, with what the problem says besides its text.
    #[must_use]
    pub fn of_recipe(file: &Path, problem: &Problem) -> Self {
        Self::recipe(file, problem.clone())
    }

    /// A file or folder cannot be read or written.
    pub fn unusable(problem: impl Into<Problem>) -> Self {
        Self::new(Class::Io, problem)
    }

    /// What could not be done with a file or folder, and why.
    #[must_use]
    pub fn io(file: &Path, action: &str, error: &std::io::Error) -> Self {
        let given = error.get_ref().and_then(|inner| inner.downcast_ref::<Problem>());
        let problem = given.cloned().unwrap_or_else(|| Problem::new(error.to_string()));
        let problem = problem.after(&format!("cannot {action}: "));
        Self::unusable(problem).at(Place::file(file)).coded(Code::of_io(error))
    }

    /// The run needs more memory or disk than it may have.
    pub fn too_large(problem: impl Into<Problem>) -> Self {
        Self::new(Class::TooLarge, problem)
    }

    /// The call does not make sense.
    pub fn usage(problem: impl Into<Problem>) -> Self {
        Self::new(Class::Usage, problem)
    }

    /// No promise is broken, but not all that could be checked was.
    pub fn not_checked(problem: impl Into<Problem>) -> Self {
        Self::new(Class::NotChecked, problem)
    }

    /// A figure is beyond the limit that the call sets.
    pub fn limit(problem: impl Into<Problem>) -> Self {
        Self::new(Class::Limit, problem)
    }

    /// The run was asked to stop.
    #[must_use]
    pub fn interrupted() -> Self {
        Self::new(Class::Interrupted, Interrupted.to_string())
    }

    /// The same at a place.
    #[must_use]
    pub fn at(mut self, place: Place) -> Self {
        self.0.place = place;
        self
    }

    /// The same with attributes and columns that the problem names.
    #[must_use]
    pub fn naming(mut self, named: &[String]) -> Self {
        for name in named {
            self.reword(|problem| problem.naming(name));
        }
        self
    }

    /// The same of a narrower class. A wish to stop has none.
    #[must_use]
    pub fn coded(mut self, code: Code) -> Self {
        if !self.is_interrupted() {
            self.0.code = Some(code);
        }
        self
    }

    /// The same with what was expected.
    #[must_use]
    pub fn expected(mut self, expected: impl Into<String>) -> Self {
        self.reword(|problem| problem.expected(expected));
        self
    }

    /// The same with how to mend it, or one more way.
    #[must_use]
    pub fn mend(mut self, mend: impl Into<String>) -> Self {
        self.reword(|problem| problem.mend(mend));
        self
    }

    /// The same with a sentence on what may be the cause, in place of the one that it had.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.0.hint = Some(hint.into());
        self
    }

    /// The same with words before the problem.
    #[must_use]
    pub fn after(mut self, words: &str) -> Self {
        self.reword(|problem| problem.after(words));
        self
    }

    fn reword(&mut self, change: impl FnOnce(Problem) -> Problem) {
        self.0.problem = change(std::mem::take(&mut self.0.problem));
    }
}

impl Mistake {
    /// Its class.
    #[must_use]
    pub fn class(&self) -> Class {
        self.0.class
    }

    /// Its code, such as `E0409`: stable, with a page that says how to mend it.
    #[must_use]
    pub fn code(&self) -> Code {
        self.0.code.unwrap_or(self.0.class.code())
    }

    /// The exit code of the command line.
    #[must_use]
    pub fn exit_code(&self) -> u8 {
        self.0.class.exit_code()
    }

    /// Whether it is none, but the wish to stop.
    #[must_use]
    pub fn is_interrupted(&self) -> bool {
        self.0.class == Class::Interrupted
    }

    /// Where it is, as far as that is known.
    #[must_use]
    pub fn place(&self) -> &Place {
        &self.0.place
    }

    /// The place that front ends show apart from the message: that in a recipe or hierarchy. Messages of other classes
    /// begin with theirs.
    #[must_use]
    pub fn place_apart(&self) -> Option<&Place> {
        (self.0.class == Class::Recipe).then_some(&self.0.place)
    }

    /// The same without file and line, which say nothing where the reader never wrote the text.
    #[must_use]
    pub fn without_line(mut self) -> Self {
        (self.0.place.file, self.0.place.line) = (None, None);
        self
    }

    /// What is wrong, without place and advice.
    #[must_use]
    pub fn problem(&self) -> &str {
        self.0.problem.text()
    }

    /// What was expected, where that was said.
    #[must_use]
    pub fn expectation(&self) -> Option<&str> {
        self.0.problem.expectation()
    }

    /// How to mend it, where that was said.
    #[must_use]
    pub fn remedy(&self) -> Option<&str> {
        self.0.problem.remedy()
    }

    /// What is wrong, what was expected and how to mend it, without place and cause.
    #[must_use]
    pub fn sentence(&self) -> String {
        let fields = Fields { hint: None, ..(*self.0).clone() };
        Whole(&fields).to_string()
    }

    /// Whether it is about an attribute or column of that name.
    #[must_use]
    pub fn is_about(&self, name: &str) -> bool {
        self.0.place.attribute() == Some(name) || self.0.problem.named().iter().any(|named| named == name)
    }

    /// What may be the cause, in a sentence of its own, where that is known.
    #[must_use]
    pub fn cause(&self) -> Option<&str> {
        self.0.hint.as_deref()
    }

    /// What may be the cause, or what was expected and how to mend it, where either is known.
    #[must_use]
    pub fn advice(&self) -> Option<String> {
        let expected = self.expectation().map(|expected| format!("expected {expected}"));
        let stated: Vec<String> = expected.into_iter().chain(self.remedy().map(str::to_owned)).collect();
        self.0.hint.clone().or_else(|| (!stated.is_empty()).then(|| stated.join("; ")))
    }

    /// Whether the problem names the recipe's key that it is about.
    #[must_use]
    pub fn names_its_key(&self) -> bool {
        self.0.place.keys.last().is_some_and(|key| self.0.problem.names(key))
    }

    /// What is wrong, what was expected and how to mend it, without the place that is shown apart.
    #[must_use]
    pub fn message(&self) -> String {
        match self.place_apart() {
            Some(_) => Whole(&self.0).to_string(),
            None => self.to_string(),
        }
    }
}

/// What follows what is wrong: what was expected, and how to mend it.
///
/// # Errors
/// Those of the formatter.
pub fn write_advice(
    f: &mut std::fmt::Formatter<'_>,
    expected: Option<&str>,
    mend: Option<&str>,
) -> std::fmt::Result {
    if let Some(expected) = expected {
        write!(f, "; expected {expected}")?;
    }
    match mend {
        Some(mend) => write!(f, "; {mend}"),
        None => Ok(()),
    }
}

/// What is wrong, what was expected and how to mend it.
struct Whole<'a>(&'a Fields);

impl std::fmt::Display for Whole<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.problem.fmt(f)?;
        match &self.0.hint {
            Some(hint) => write!(f, ". Hint: {hint}"),
            None => Ok(()),
        }
    }
}

impl std::fmt::Display for Mistake {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}{}", self.0.place, Whole(&self.0))
    }
}

impl std::error::Error for Mistake {}

impl From<Interrupted> for Mistake {
    fn from(_: Interrupted) -> Self {
        Self::interrupted()
    }
}

/// An error as data, for front ends.
#[derive(JsonSchema, Serialize)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "Mistake")]
struct Shown<'a> {
    /// The class of the error.
    kind: &'static str,
    /// Its code, such as `E0409`: stable, with a page that says how to mend it.
    #[schemars(with = "String")]
    code: Code,
    /// The exit code of the command line.
    exit_code: u8,
    /// The recipe or hierarchy file, where it is to blame.
    file: Option<&'a PathBuf>,
    /// The line there.
    line: Option<u64>,
    /// The flag that changed that place, if one did.
    flag: Option<&'a String>,
    /// The attribute of the recipe that it is about.
    attribute: Option<&'a str>,
    /// The recipe's key, with dots between its parts.
    key: Option<String>,
    /// What is wrong, what was expected and how to mend it.
    message: String,
    /// How to mend mistakes of this code, where the message does not say so itself.
    help: Option<String>,
}

impl JsonSchema for Mistake {
    fn schema_name() -> Cow<'static, str> {
        Shown::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Shown::json_schema(generator)
    }
}

impl Serialize for Mistake {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let place = self.place_apart();
        let shown = Shown {
            kind: self.class().kind(),
            code: self.code(),
            exit_code: self.exit_code(),
            file: place.and_then(|place| place.file.as_ref()),
            line: place.and_then(|place| place.line),
            flag: place.and_then(|place| place.flag.as_ref()),
            attribute: place.and_then(Place::attribute),
            key: place.and_then(Place::key),
            message: self.message(),
            help: self.code().mend(),
        };
        shown.serialize(serializer)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn shown(mistake: &Mistake) -> Value {
        serde_json::to_value(mistake).unwrap()
    }

    #[test]
    fn a_place_in_a_recipe_is_shown_apart() {
        let keys = ["attributes", "age", "level"].map(str::to_owned).to_vec();
        let place = Place { keys, ..Place::line("r.toml".as_ref(), 3) };
        let mistake = Mistake::recipe("r.toml".as_ref(), "too high").at(place).coded(Code::LEVELS);
        assert_eq!(mistake.to_string(), "r.toml: line 3: too high");
        let expected = json!({
            "kind": "recipe", "code": "E0516", "exit-code": 5, "file": "r.toml", "line": 3, "flag": null, "attribute": "age",
            "key": "attributes.age.level", "message": "too high", "help": Code::LEVELS.mend(),
        });
        assert_eq!(shown(&mistake), expected);
    }

    #[test]
    fn other_places_begin_the_message() {
        let missing = std::io::Error::from(std::io::ErrorKind::NotFound);
        let mistake = Mistake::io("x.csv".as_ref(), "read", &missing);
        assert_eq!(mistake.to_string(), format!("x.csv: cannot read: {missing}"));
        assert_eq!(
            (&shown(&mistake)["file"], &shown(&mistake)["message"]),
            (&Value::Null, &json!(mistake.to_string()))
        );
        assert_eq!((mistake.code(), mistake.exit_code()), (Code::FILE, 6));
    }

    #[test]
    fn advice_ends_the_message() {
        let mistake = Mistake::usage("no key").expected("one").mend("add [key]").hint("it is new");
        assert_eq!(mistake.to_string(), "no key; expected one; add [key]. Hint: it is new");
        assert_eq!((mistake.problem(), mistake.advice()), ("no key", Some("it is new".to_owned())));
    }

    #[test]
    fn a_wish_to_stop_keeps_its_code() {
        let stopped = Mistake::interrupted().coded(Code::IO);
        assert_eq!(
            (stopped.code(), stopped.exit_code(), stopped.to_string()),
            (Code::INTERRUPTED, 130, "interrupted".to_owned())
        );
    }
}
