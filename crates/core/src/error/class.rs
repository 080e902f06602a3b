//! The classes of mistakes: each has an exit code of its own.

use super::code::Code;

/// What kind of mistake it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// The call does not make sense.
    Usage,
    /// The promise cannot be met, or a finished release does not keep it.
    Promise,
    /// The data are not what they should be.
    Data,
    /// The recipe or a hierarchy is wrong.
    Recipe,
    /// A file or folder cannot be read or written.
    Io,
    /// The run needs more memory or disk than it may have.
    TooLarge,
    /// No promise is broken, but not all that could be checked was.
    NotChecked,
    /// A figure is beyond the limit that the call sets.
    Limit,
    /// The run was asked to stop.
    Interrupted,
}

impl Class {
    /// Its name in JSON.
    #[must_use]
    pub const fn kind(self) -> &'static str {
        match self {
            Self::Usage => "usage",
            Self::Promise => "promise",
            Self::Data => "data",
            Self::Recipe => "recipe",
            Self::Io => "io",
            Self::TooLarge => "too-large",
            Self::NotChecked => "not-checked",
            Self::Limit => "limit",
            Self::Interrupted => "interrupted",
        }
    }

    /// The exit code of the command line.
    #[must_use]
    pub const fn exit_code(self) -> u8 {
        match self {
            Self::Usage => 2,
            Self::Promise => 3,
            Self::Data => 4,
            Self::Recipe => 5,
            Self::Io => 6,
            Self::TooLarge => 7,
            Self::NotChecked => 8,
            Self::Limit => 9,
            Self::Interrupted => 130,
        }
    }

    /// The code of a mistake that has none of its own.
    pub(super) const fn code(self) -> Code {
        match self {
            Self::Usage => Code::USAGE,
            Self::Promise => Code::PROMISE,
            Self::Data => Code::DATA,
            Self::Recipe => Code::RECIPE,
            Self::Io => Code::IO,
            Self::TooLarge => Code::TOO_LARGE,
            Self::NotChecked => Code::NOT_CHECKED,
            Self::Limit => Code::LIMIT,
            Self::Interrupted => Code::INTERRUPTED,
        }
    }
}
