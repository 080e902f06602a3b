//! Stable names of the classes of mistakes, such as `E0409`, each with a page that says how to mend it.
//!
//! The first two digits are the exit code of the class. A code follows from the variant of an error or from its place in
//! the recipe, never from the words of a message, which may change.
use super::Problem;

/// A class of mistakes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Code(u16);

impl std::fmt::Display for Code {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "E{:04}", self.0)
    }
}

impl serde::Serialize for Code {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl std::str::FromStr for Code {
    type Err = Problem;

    /// Reads `E0409`, `e409` or `409`.
    fn from_str(text: &str) -> Result<Self, Problem> {
        let digits = text.trim_start_matches(['E', 'e']);
        let code = digits.parse().ok().map(Self).filter(|code| ALL.contains(code));
        code.ok_or_else(|| {
            Problem::new(format!("`{text}` is no error code of this version"))
                .mend("`velamen explain` lists all")
        })
    }
}

macro_rules! codes {
    ($($name:ident = $number:literal,)*) => {
        /// The codes by name.
        #[allow(missing_docs, reason = "the page of each code says what it means")]
        impl Code {
            $(pub const $name: Self = Self($number);)*
        }

        /// Every code, ascending.
        pub const ALL: &[Code] = &[$(Code::$name),*];
    };
}

codes! {
    INTERRUPTED = 130,
    USAGE = 200,
    SET = 201,
    DASH = 202,
    OVERWRITES_INPUT = 203,
    METHOD_DOES_NOT_FIT = 204,
    PSEUDONYM_KEY = 205,
    NOT_BUILT = 206,
    ARGUMENT = 207,
    COLUMNS = 208,
    PUBLIC_KEY = 209,
    SQL_REFUSED = 210,
    SQL_WRONG = 211,
    SQL_NO_BOUNDS = 212,
    SQL_LIMIT = 213,
    CLUSTER_OPEN = 220,
    PROMISE = 300,
    INFEASIBLE = 301,
    BROKEN_SEARCH = 302,
    TOO_FEW_RECORDS = 303,
    CHECKER_REFUSES = 304,
    RELEASE_BROKEN = 305,
    BUDGET_SPENT = 306,
    OUT_OF_BUDGET = 307,
    DATA = 400,
    EMPTY_FILE = 401,
    NO_RECORDS = 402,
    UNNAMED_HEADER = 403,
    DUPLICATE_HEADER = 404,
    HEADER_ENCODING = 405,
    UTF_16 = 406,
    RAGGED = 407,
    ENCODING = 408,
    NOT_IN_HIERARCHY = 409,
    SUPPRESSION_MARK = 410,
    OPEN_QUOTE = 411,
    RECORD_TOO_LONG = 412,
    NESTED_COLUMN = 413,
    CHANGED = 414,
    FORMAT = 415,
    COUNTING_LIMIT = 416,
    DERIVED_COLUMN = 417,
    DERIVED_SOURCE = 418,
    BEFORE_BIRTH = 419,
    TABLE_DOES_NOT_FIT = 420,
    DATABASE_RECORDS = 421,
    CLUSTER_REFUSES = 422,
    NO_HEADER = 423,
    UNPACKS = 425,
    NOT_PLAIN = 426,
    MANIFEST = 430,
    MANIFEST_COLUMN = 431,
    MANIFEST_MODEL = 432,
    MANIFEST_PARAMETERS = 433,
    MANIFEST_HIERARCHY = 434,
    RECIPE = 500,
    RECIPE_SYNTAX = 501,
    RECIPE_KEY = 502,
    RECIPE_VALUE = 503,
    ATTRIBUTE = 510,
    HIERARCHY = 511,
    NO_SUCH_COLUMN = 512,
    NO_QUASI_IDENTIFIER = 513,
    UNNAMED_COLUMNS = 514,
    IDENTIFIER_LIKE = 515,
    LEVELS = 516,
    PERSON_NUMBER = 517,
    PRIVACY = 520,
    NO_MODEL = 521,
    UNKNOWN_MODEL = 522,
    MODEL_PARAMETERS = 523,
    MODEL_ATTRIBUTE = 524,
    METHOD = 530,
    UNKNOWN_METHOD = 531,
    UNKNOWN_METRIC = 532,
    METHOD_KEY = 533,
    INPUT = 540,
    POPULATION = 541,
    OUTPUT = 542,
    PRESET = 543,
    KEY = 544,
    BUDGET = 545,
    ENGINE = 546,
    REPORT = 547,
    IMPOSSIBLE = 548,
    DATABASE_ADDRESS = 549,
    HIERARCHY_EMPTY = 560,
    HIERARCHY_RAGGED = 561,
    HIERARCHY_DUPLICATE = 562,
    HIERARCHY_AMBIGUOUS = 563,
    HIERARCHY_TOO_HIGH = 564,
    HIERARCHY_PARAMETERS = 565,
    IO = 600,
    FILE = 601,
    OUTPUT_EXISTS = 602,
    NO_RELEASE = 603,
    FOLDER_NOT_FILE = 604,
    PERMISSION = 605,
    DISK_FULL = 606,
    NOT_OURS = 607,
    DATABASE = 610,
    CLUSTER = 611,
    CLUSTER_UNREACHABLE = 612,
    CLUSTER_IDLE = 613,
    CLUSTER_TIMED_OUT = 614,
    CLUSTER_FAILED = 615,
    CLUSTER_WRONG = 616,
    CERTIFICATE = 617,
    CERTIFICATE_EXPIRED = 618,
    CLUSTER_UNTRUSTED = 619,
    TOO_LARGE = 700,
    TOO_MANY_COMBINATIONS = 701,
    VALUES_TOO_LONG = 702,
    NO_ROOM = 703,
    NOT_CHECKED = 800,
    LIMIT = 900,
}

/// All pages, one after another.
const PAGES: &str = include_str!("pages.md");

impl Code {
    /// What the mistake is, an example, and how to mend it: Markdown with the heading `# E0409: …`.
    #[must_use]
    pub fn page(self) -> &'static str {
        let heading = format!("# {self}: ");
        let Some(start) = PAGES.find(&heading) else { return "" };
        let page = &PAGES[start..];
        let end = page[1..].find("\n# E").map_or(page.len(), |end| end + 1);
        page[..end].trim_end()
    }

    /// How to mend it, in a sentence or two for a line of its own; `None` where the message itself says so.
    #[must_use]
    pub fn mend(self) -> Option<String> {
        let (_, advice) = self.page().split_once("\nTo mend it, ")?;
        let words: Vec<&str> = advice.split_whitespace().collect();
        (!advice.starts_with("follow the message")).then(|| words.join(" "))
    }

    /// The code of a failure of the operating system.
    #[must_use]
    pub fn of_io(error: &std::io::Error) -> Self {
        use std::io::ErrorKind;
        match error.kind() {
            ErrorKind::IsADirectory => Self::FOLDER_NOT_FILE,
            ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => Self::PERMISSION,
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded => Self::DISK_FULL,
            _ => Self::FILE,
        }
    }

    /// The heading of its page, without the code.
    #[must_use]
    pub fn title(self) -> &'static str {
        let heading = self.page().lines().next().unwrap_or_default();
        heading.split_once(": ").map_or("", |(_, title)| title)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_ascend_and_begin_with_their_exit_code() {
        assert!(ALL.is_sorted_by(|one, next| one < next));
        assert_eq!(Code::NOT_IN_HIERARCHY.to_string(), "E0409");
        for text in ["E0409", "e409", "409"] {
            assert_eq!(text.parse(), Ok(Code::NOT_IN_HIERARCHY));
        }
        assert!("E9999".parse::<Code>().is_err() && "x".parse::<Code>().is_err());
    }

    #[test]
    fn every_code_has_a_page_and_every_page_a_code() {
        for code in ALL {
            let page = code.page();
            assert!(page.starts_with(&format!("# {code}: ")) && !code.title().is_empty(), "{code}: no page");
            assert!(page.contains(&format!("\n    error[{code}]: ")), "{code}: no example");
            assert!(page.contains("\nTo mend it"), "{code}: no way to mend it");
        }
        let headings: Vec<&str> = PAGES.lines().filter(|line| line.starts_with("# E")).collect();
        assert_eq!(headings.len(), ALL.len());
        assert!(headings.is_sorted(), "pages stand in the order of their codes");
    }
}
