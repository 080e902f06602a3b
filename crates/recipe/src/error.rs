//! What can go wrong in a job, by class: each has an exit code of its own.

use std::path::PathBuf;

use serde::Serialize;
use thiserror::Error;
use velamen_database::DatabaseError;
use velamen_engine::EngineError;
use velamen_search::method::MethodError;

use crate::code::{Code, Coded};

/// An error of a job.
#[derive(Debug, Error)]
pub enum JobError {
    /// The promise cannot be met, or a finished release does not keep it.
    #[error("{0}")]
    Promise(String),
    /// The data are not what they should be.
    #[error("{0}")]
    Data(String),
    /// The recipe or a hierarchy is wrong.
    #[error("{}: {problem}", path.display())]
    Recipe {
        /// The recipe or hierarchy file.
        path: PathBuf,
        /// The keys of the place in the recipe, such as `attributes`, `age`, `level`; empty where no place is to
        /// blame.
        keys: Vec<String>,
        /// Where and what.
        problem: String,
    },
    /// A file or folder cannot be read or written.
    #[error("{0}")]
    Io(String),
    /// The run needs more memory or disk than it may have.
    #[error("{0}")]
    TooLarge(String),
    /// The call does not make sense.
    #[error("{0}")]
    Usage(String),
    /// No promise is broken, but not all that could be checked was.
    #[error("{0}")]
    NotChecked(String),
    /// The run was asked to stop.
    #[error("interrupted")]
    Interrupted,
    /// One of the others, of a narrower class than these.
    #[error("{error}")]
    Coded {
        /// The class.
        code: Code,
        /// The error, which is not of this variant.
        error: Box<JobError>,
    },
}

/// An error as data, for front ends.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Mistake {
    /// The class of the error.
    pub kind: &'static str,
    /// Its code, such as `E0409`: stable, with a page that says how to mend it.
    pub code: Code,
    /// The exit code of the command line.
    pub exit_code: u8,
    /// The recipe or hierarchy file, where it is to blame.
    pub file: Option<PathBuf>,
    /// The line there.
    pub line: Option<u64>,
    /// The flag that changed that place, if one did.
    pub flag: Option<String>,
    /// The attribute of the recipe that it is about.
    pub attribute: Option<String>,
    /// The recipe's key, with dots between its parts.
    pub key: Option<String>,
    /// What is wrong, what was expected and how to mend it.
    pub message: String,
    /// How to mend mistakes of this code, where the message does not say so itself.
    pub help: Option<String>,
}

impl JobError {
    /// The same as data.
    #[must_use]
    pub fn to_data(&self) -> Mistake {
        let mut mistake = Mistake {
            kind: self.kind(),
            code: self.code(),
            exit_code: self.exit_code(),
            file: None,
            line: None,
            flag: None,
            attribute: None,
            key: None,
            message: self.to_string(),
            help: self.code().mend(),
        };
        if let Self::Recipe { path, keys, problem } = self.plain() {
            mistake.file = Some(path.clone());
            mistake.attribute = keys.get(1).filter(|_| keys[0] == "attributes").cloned();
            mistake.key = (!keys.is_empty()).then(|| keys.join("."));
            let (place, rest) = problem.split_once(": ").unwrap_or(("", problem));
            mistake.line = place.strip_prefix("line ").and_then(|line| line.parse().ok());
            mistake.flag = place.starts_with("--").then(|| place.to_owned());
            let located = mistake.line.is_some() || mistake.flag.is_some();
            mistake.message = if located { rest.to_owned() } else { problem.clone() };
        }
        mistake
    }

    /// The same error of a narrower class.
    #[must_use]
    pub fn coded(self, code: Code) -> Self {
        match self {
            Self::Interrupted => Self::Interrupted,
            Self::Coded { error, .. } => Self::Coded { code, error },
            error => Self::Coded { code, error: Box::new(error) },
        }
    }

    /// The error without its narrower class.
    #[must_use]
    pub fn plain(&self) -> &Self {
        match self {
            Self::Coded { error, .. } => error,
            error => error,
        }
    }

    /// The code of its class.
    #[must_use]
    pub fn code(&self) -> Code {
        match self {
            Self::Promise(_) => Code::PROMISE,
            Self::Data(_) => Code::DATA,
            Self::Recipe { keys, .. } => Code::of_place(keys),
            Self::Io(_) => Code::IO,
            Self::TooLarge(_) => Code::TOO_LARGE,
            Self::Usage(_) => Code::USAGE,
            Self::NotChecked(_) => Code::NOT_CHECKED,
            Self::Interrupted => Code::INTERRUPTED,
            Self::Coded { code, .. } => *code,
        }
    }

    fn kind(&self) -> &'static str {
        match self {
            Self::Coded { error, .. } => error.kind(),
            Self::Promise(_) => "promise",
            Self::Data(_) => "data",
            Self::Recipe { .. } => "recipe",
            Self::Io(_) => "io",
            Self::TooLarge(_) => "too-large",
            Self::Usage(_) => "usage",
            Self::NotChecked(_) => "not-checked",
            Self::Interrupted => "interrupted",
        }
    }

    /// The exit code of the error's class.
    #[must_use]
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Coded { error, .. } => error.exit_code(),
            Self::Usage(_) => 2,
            Self::Promise(_) => 3,
            Self::Data(_) => 4,
            Self::Recipe { .. } => 5,
            Self::Io(_) => 6,
            Self::TooLarge(_) => 7,
            Self::NotChecked(_) => 8,
            Self::Interrupted => 130,
        }
    }

    /// A mistake in a recipe or hierarchy file.
    pub fn recipe(path: &std::path::Path, problem: impl Into<String>) -> Self {
        Self::Recipe { path: path.to_owned(), keys: Vec::new(), problem: problem.into() }
    }

    /// What could not be done with a file or folder.
    pub fn io(path: &std::path::Path, action: &str, error: &std::io::Error) -> Self {
        Self::Io(format!("{}: cannot {action}: {error}", path.display())).coded(Code::of_io(error))
    }
}

impl From<EngineError> for JobError {
    fn from(error: EngineError) -> Self {
        let plain = match error {
            EngineError::Interrupted(_) => return Self::Interrupted,
            EngineError::Io { ref path, ref source, .. } => match of_database(source) {
                Some(said) => return of_database_at(said, path, &error),
                None => Self::Io(error.to_string()),
            },
            EngineError::Data { .. } | EngineError::Limit(_) => Self::Data(error.to_string()),
            EngineError::TooMany { .. } | EngineError::TooLong { .. } => Self::TooLarge(error.to_string()),
        };
        plain.coded(error.code())
    }
}

/// What a database that was read says.
fn of_database(error: &std::io::Error) -> Option<&DatabaseError> {
    error.get_ref().and_then(|inner| inner.downcast_ref())
}

/// What a database that was read at a place means for the job.
fn of_database_at(said: &DatabaseError, path: &std::path::Path, error: &EngineError) -> JobError {
    let plain = match said {
        DatabaseError::Interrupted => JobError::Interrupted,
        DatabaseError::Data(problem) => JobError::Data(format!("{}: {problem}", path.display())),
        DatabaseError::Recipe(problem) => JobError::recipe(path, problem.clone()),
        DatabaseError::Io(_) | DatabaseError::NotBuilt => JobError::Io(error.to_string()),
    };
    plain.coded(said.code())
}

impl From<MethodError> for JobError {
    fn from(error: MethodError) -> Self {
        let code = error.code();
        let plain = match error {
            MethodError::Interrupted(_) => Self::Interrupted,
            MethodError::Broken(problem) | MethodError::OutOfBudget(problem) => Self::Promise(problem),
            MethodError::Recipe(problem) => Self::Usage(problem),
            MethodError::Infeasible(_) => Self::Promise(error.to_string()),
            MethodError::Unfit(_) => Self::Data(error.to_string()),
        };
        plain.coded(code)
    }
}

impl From<velamen_core::context::Interrupted> for JobError {
    fn from(_: velamen_core::context::Interrupted) -> Self {
        Self::Interrupted
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_data() {
        let of = |problem: &str| JobError::recipe("r.toml".as_ref(), problem).to_data();
        let located = of("line 17: method: unknown field `hh`");
        assert_eq!((located.kind, located.exit_code, located.line), ("recipe", 5, Some(17)));
        assert_eq!(located.message, "method: unknown field `hh`");
        assert_eq!(of("--set method.h=7: method: h must be").flag.as_deref(), Some("--set method.h=7"));
        assert_eq!(of("no attribute: none").message, "no attribute: none");
        assert_eq!(JobError::Interrupted.to_data().file, None);
        let coded = JobError::recipe("r.toml".as_ref(), "line 3: x").coded(Code::HIERARCHY_RAGGED);
        assert_eq!((coded.exit_code(), coded.to_data().line), (5, Some(3)));
        assert_eq!(serde_json::to_value(coded.to_data()).unwrap()["code"], "E0561");
        let keys = ["attributes", "age", "level"].map(str::to_owned).to_vec();
        let placed = JobError::Recipe { path: "r.toml".into(), keys, problem: "line 3: too high".into() };
        let placed = placed.to_data();
        assert_eq!((placed.line, placed.attribute.as_deref()), (Some(3), Some("age")));
        assert_eq!(placed.key.as_deref(), Some("attributes.age.level"));
        assert_eq!((placed.code, of("x").code), (Code::ATTRIBUTE, Code::RECIPE));
    }
}
