//! Pages of R's manual: one of all operations, and one each.

use velamen_assess::operation::{Entry, Property};

use super::page::answer;
use super::r::{FRONT, name, usage};
use super::{argument, arguments, spoken, wrapped};

/// Columns of a line: longer usages are cut in the printed manual.
const COLUMNS: usize = 88;

/// Functions whose answer R turns into a data frame; the page of answers describes it.
const FRAMES: [&str; 2] = ["check", "verify"];

/// The page that lists all operations.
pub(super) fn overview(entries: &[&Entry]) -> String {
    let item = |entry: &&Entry| {
        format!("  \\item{{\\code{{\\link{{{}}}}}}}{{{}.}}\n", name(entry), escaped(entry.summary))
    };
    let items = entries.iter().map(item).collect::<String>();
    format!(
        "\\name{{operations}}\n\\alias{{operations}}\n\\title{{Operations on tables, recipes and releases}}\n\\description{{\nThe \
         commands of the program as functions. Each returns what the command prints with \\code{{--json}}.\n\\describe{{\n{items}}}\n}}\n\
         \\seealso{{\\code{{\\link{{results}}}} for their answers, \\code{{\\link{{velamen}}}} for the whole package.}}\n"
    )
}

/// The page of an operation.
pub(super) fn page(entry: &Entry) -> String {
    let name = name(entry);
    let usage = wrapped(&format!("{name}({})", usage(entry)), "  ", COLUMNS);
    format!(
        "\\name{{{name}}}\n\\alias{{{name}}}\n\\title{{{}}}\n\\description{{\n{}.{}\n}}\n\\usage{{\n{}\n}}\n\
         \\arguments{{\n{}}}\n\\value{{\n{}}}\n\\seealso{{\\code{{\\link{{operations}}}}, \\code{{\\link{{results}}}}}}\n",
        title(entry),
        escaped(entry.summary),
        details(entry),
        usage.trim_start(),
        items(entry),
        value(entry)
    )
}

/// The summary up to its colon: titles are short.
fn title(entry: &Entry) -> String {
    escaped(entry.summary.split(':').next().unwrap_or_default())
}

fn details(entry: &Entry) -> String {
    match entry.details {
        "" => String::new(),
        details => format!(" {}", escaped(&spoken(details, ""))),
    }
}

fn items(entry: &Entry) -> String {
    let (before, after) = arguments(entry, FRONT);
    let item = |property: &Property| {
        format!("\\item{{{}}}{{{}}}\n", argument(property), escaped(&spoken(&property.description, "")))
    };
    before.iter().chain(&after).map(item).collect()
}

/// What the function returns, entry by entry.
fn value(entry: &Entry) -> String {
    if FRAMES.contains(&entry.name) {
        return "A data frame; \\code{\\link{results}} has its columns.\n".into();
    }
    let item = |(key, _, meaning): (String, String, String)| {
        format!("  \\item{{\\code{{{key}}}}}{{{}}}\n", escaped(&meaning))
    };
    let items = answer(entry).into_iter().map(item).collect::<String>();
    format!("A list of class \\code{{velamen_{}}}:\n\\describe{{\n{items}}}\n", entry.name)
}

/// A text as Rd has it, without marks of Markdown.
fn escaped(text: &str) -> String {
    text.replace('`', "").replace('\\', "\\\\").replace('%', "\\%").replace('{', "\\{").replace('}', "\\}")
}
