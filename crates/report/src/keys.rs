//! Keys of figures and settings in words, for readers who have no recipe before them.

use crate::language::{mark, t};

const WORDS: [(&str, &str); 55] = [
    ("all", mark("all records")),
    ("as-recorded", mark("left as recorded")),
    ("attribute", mark("attribute")),
    ("average", mark("mean over the columns")),
    ("banded", mark("persons of each number of rows")),
    ("cap", mark("persons of most rows")),
    ("class-size", mark("records of the smallest class")),
    ("columns", mark("columns")),
    ("counterfeit-limit", mark("counterfeit at most, as a share")),
    ("days", mark("days at most")),
    ("demographics", mark("how persons are put into classes")),
    ("drawn", mark("how they were drawn")),
    ("empty-cells", mark("empty cells")),
    ("faults", mark("faults")),
    ("first", mark("the first")),
    ("foreign-labels", mark("values that no hierarchy allows")),
    ("generalized-codes", mark("generalized codes")),
    ("guarantee", mark("what is guaranteed")),
    ("least-count", mark("least count")),
    ("least-real", mark("fewest real people of a class")),
    ("local-recoding", mark("local recoding")),
    ("located-counterfeits", mark("counterfeits that can be located")),
    ("method", mark("method")),
    ("metric", mark("what is minimized")),
    ("missing", mark("missing ones")),
    ("model-cells", mark("most cells of the model")),
    ("needed-class-size", mark("records that a class needs")),
    ("objective", mark("what is minimized")),
    ("occupied-cells-only", mark("only combinations that occur")),
    ("only-public-domains", mark("only values that were declared")),
    ("padding", mark("how counterfeits are added")),
    ("partitioning", mark("how the table is divided")),
    ("persons", mark("persons")),
    ("proven", mark("proven to be the best")),
    ("recoding", mark("how values become coarser")),
    ("relative", mark("from the first day, by")),
    ("rho", mark("privacy budget (ρ)")),
    ("seeds", mark("different secret seeds")),
    ("sentences", mark("statements")),
    ("shape", mark("form of the tables")),
    ("shift", mark("moved by days, at most")),
    ("spent", mark("spent of it")),
    ("suppress", mark("suppressed")),
    ("suppressed", mark("suppressed")),
    ("suppression-limit", mark("suppressed at most, as a share")),
    ("tables", mark("tables")),
    ("top", mark("from there up one value")),
    ("unit", mark("who is protected")),
    ("unlike-the-catalog", mark("unlike the catalog")),
    ("until", mark("at the end of")),
    ("visits", mark("rows that others refer to")),
    ("well-formed", mark("well-formed")),
    ("where-none-can-be", mark("where none can be")),
    ("window", mark("time that they are about")),
    ("without-a-record", mark("without a record")),
];

/// What a key stands for; `None` of parameters that models are known by, such as k.
#[must_use]
pub fn in_words(key: &str) -> Option<&'static str> {
    WORDS.iter().find(|(known, _)| *known == key).map(|(_, words)| t(words))
}

/// Whether a figure says something to a reader: distances that the checker compares have no scale.
#[must_use]
pub fn is_told(key: &str) -> bool {
    !key.starts_with("distance-of-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_in_order_and_said_in_german() {
        assert!(WORDS.is_sorted_by_key(|(key, _)| *key));
        let said = || in_words("foreign-labels");
        let german = crate::language::speaking(crate::language::Language::German, said);
        assert!(german != said() && in_words("k").is_none(), "{german:?}");
    }
}
