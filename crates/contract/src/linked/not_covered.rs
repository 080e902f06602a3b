//! What the promises of linked tables do not cover, in the sentences of a release's `not-covered`.

/// The dates of a person.
pub const DATES: &str = "Dates: whoever knows when something happened to a person can use it.";

/// What came before what.
pub const ORDER: &str = "Order: whoever knows what came first and what came next can use it.";

/// How many rows a person has.
pub const ROWS: &str = "Numbers of rows: whoever knows how often something happened to a person can use it.";

/// Numbers such as laboratory results.
pub const VALUES: &str = "Values: whoever knows a person's measured values can use them.";

/// What a person does not have.
pub const ABSENCES: &str = "Absences: whoever knows that a person does not have a code can use it.";

/// More codes than promised.
pub const MORE_CODES: &str =
    "More codes: whoever knows more of a person's codes than the promised m can use them.";

/// The days between two dates, which a shift keeps.
pub const GAPS: &str = "Gaps between dates: a shift keeps them, and two known gaps can single a person out.";

/// The day of the week, which a weekly rhythm shows.
pub const WEEKLY_RHYTHM: &str = "Weekly rhythm: weekends and clinic days show a person's shift modulo 7.";

/// What every release lists.
pub const ALWAYS: [&str; 6] = [DATES, ORDER, ROWS, VALUES, ABSENCES, MORE_CODES];

/// What a release with shifted dates lists as well.
pub const OF_A_SHIFT: [&str; 2] = [GAPS, WEEKLY_RHYTHM];
