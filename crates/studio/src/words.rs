//! Words of the command line in messages, which this front has no place for: what to do here stands in their place.

use velamen_report::language::mark;

/// What the terminal is told, and what it is on these pages; `{}` is whatever stands there.
const WORDS: [(&str, &str); 24] = [
    ("--analysis ", "analysis "),
    ("all figures but the first line count", "the figures count"),
    ("left out of all figures but the first line", "left out of the figures"),
    ("is fixed in the recipe or on the command line", "is fixed in the recipe"),
    (
        "name another output or give --overwrite",
        "name another folder, or tick \"Replace a release of this name\"",
    ),
    ("run anonymize, and risk on its release", "the page Risk shows the risks of the release that is made"),
    (
        "say which one with `sheet` under [input], or --sheet, by its name or by its number from 1",
        "choose one under \"How the file is read\"",
    ),
    (
        "give --decimal-comma, or `decimal = \",\"` in a recipe",
        "choose the comma under \"How the file is read\"",
    ),
    (
        "if cells such as NA mean a missing value there, say so with --null",
        "if cells such as NA mean a missing value, name them under \"How the file is read\"",
    ),
    ("which cells mean a missing value (--null)", "which cells mean a missing value"),
    (
        "`velamen estimate` shows what a changed recipe needs",
        "the page Release shows what a changed recipe needs",
    ),
    (" (see `velamen estimate`)", ""),
    (
        ". `velamen advise` measures what each change would keep",
        ". The page Advice measures what each change would keep",
    ),
    (
        "`velamen advise` measures what each change would keep",
        "the page Advice measures what each change would keep",
    ),
    (
        "`velamen measure` gives the figures of the released table",
        "the page Release gives the figures of the released table",
    ),
    ("`velamen anonymize --show-values` shows the value", "the page Attributes can show values"),
    (
        "let `velamen profile {}` write a first recipe by --recipe FILE",
        "open the table itself: a first recipe is suggested",
    ),
    ("; the original with --person counts people", ""),
    (
        "give a second release of some of the same people: --with, --second-original",
        "it needs a second release of some of the same people",
    ),
    (
        "give records of people who are not in the release: --control TABLE",
        "it needs records of people who are not in the release",
    ),
    (
        "give --simulate with a number of runs, and the recipe with --recipe",
        "it needs many runs of the recipe on tables that are drawn again",
    ),
    (
        "the method draws at random: give its recipe with --recipe, and it is run many times with and without a record",
        "it needs many runs of the method with and without a record",
    ),
    (
        "give the recipe with --recipe, and its method is run many times with and without a record",
        "it needs many runs of the method with and without a record",
    ),
    ("a formula or --by", "a formula, or an attribute for groups"),
];

/// Words of the crates below that a choice on a page shows, and plainer ones.
const PLAIN: [(&str, &str); 7] = [
    ("A table, one row per leaf.", mark("A table: a row for each value, a column for each level.")),
    (
        "A random sample, generalized to a privately chosen node: differentially private.",
        mark("A random sample, generalized to levels that are chosen privately: differentially private."),
    ),
    (
        "Bounds in best-first order, with a budget: for lattices too large to finish.",
        mark(
            "The most promising combinations of levels first, with a budget: for tables with too many of them to try all.",
        ),
    ),
    (
        "Local search from many nodes, then bounds: for lattices too large to finish.",
        mark(
            "Small steps from many combinations of levels, then a proof: for tables with too many of them to try all.",
        ),
    ),
    (
        "Arca & Hewett: generalizes shields so that as many distinct rows as can be are left.",
        mark("Arca & Hewett: generalizes so that as many distinct rows as can be are left."),
    ),
    (
        "Every node of the lattice, without bounds; the custodian gets all figures.",
        mark("Every combination of levels is tried; the custodian gets all figures."),
    ),
    ("Nodes crossed and mutated.", mark("Combinations of levels are crossed and mutated.")),
];

/// A text of a choice in plain words.
pub(crate) fn plain(text: &str) -> &str {
    PLAIN.iter().find(|(below, _)| *below == text).map_or(text, |(_, here)| here)
}

/// A message in the words of these pages.
pub(crate) fn of_pages(message: &str) -> String {
    WORDS.iter().fold(message.to_owned(), |text, (terminal, here)| match place(&text, terminal) {
        Some((from, to)) => format!("{}{here}{}", &text[..from], &text[to..]),
        None => text,
    })
}

/// Where the words stand in a text.
fn place(text: &str, words: &str) -> Option<(usize, usize)> {
    let (first, last) = words.split_once("{}").unwrap_or((words, ""));
    let from = text.find(first)?;
    let inside = from + first.len();
    Some((from, inside + text[inside..].find(last)? + last.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_terminal_is_told_is_told_for_these_pages() {
        let said = of_pages("out: already exists; name another output or give --overwrite");
        assert_eq!(
            said,
            "out: already exists; name another folder, or tick \"Replace a release of this name\""
        );
        let named =
            of_pages("no attribute; let `velamen profile t.csv` write a first recipe by --recipe FILE");
        assert_eq!(named, "no attribute; open the table itself: a first recipe is suggested");
        for (terminal, here) in WORDS {
            assert_eq!(of_pages(&terminal.replace("{}", "t.csv")), here);
            assert!(!here.contains("--") && !here.contains("velamen"), "{here}");
        }
        assert_eq!(of_pages("`level` is no key"), "`level` is no key");
    }
}
