//! The tables of the page of results.

use std::fmt::Write;
use std::path::Path;

use super::series::{Growth, Point};
use crate::Outcome;

const BEGIN: &str = "<!-- growth -->";
const END: &str = "<!-- /growth -->";

/// The part of the page between the marks.
pub(super) fn text(command: &str, growth: &Growth) -> String {
    let mut text = format!(
        "\nWritten by\n\n    {command}\n\nWhole processes, each run once, from the file to the certified release, on a machine \
         that may do other work: CPU seconds and memory are of use, wall time is an upper bound. Memory is the highest that the \
         kernel counted, beside it what `velamen estimate` said before.\n\n![time and memory by records](growth.svg)\n"
    );
    let heads = ["distinct combinations", "wall", "CPU", "memory", "estimated"];
    for line in &growth.records {
        if line.points.is_empty() {
            continue;
        }
        let duckdb = line.points.iter().any(|point| point.duckdb.is_some());
        let beside: &[&str] = if duckdb { &["DuckDB CPU", "DuckDB wall", "DuckDB memory"] } else { &[] };
        let _ = write!(text, "\n**{}**, by records:\n\n", line.name);
        table(&mut text, &[&["records"][..], &heads, beside].concat(), &line.points);
    }
    for (what, name, points) in [
        ("by values of one more insensitive column", "values", &growth.values),
        ("by quasi-identifiers", "quasi-identifiers", &growth.qis),
        ("by k", "k", &growth.k),
    ] {
        let records = grouped(&points.first().map_or(0, |point| point.records).to_string());
        let _ = write!(text, "\n**optimal, csv**, {records} records, {what}:\n\n");
        table(&mut text, &[&[name][..], &heads].concat(), points);
    }
    text.push('\n');
    text
}

fn table(text: &mut String, heads: &[&str], points: &[Point]) {
    let rule: Vec<&str> = heads.iter().map(|_| "---").collect();
    let _ = write!(text, "| {} |\n| {} |\n", heads.join(" | "), rule.join(" | "));
    for point in points {
        let Point { at, combinations, taken, estimated, duckdb, .. } = point;
        let _ = write!(
            text,
            "| {} | {} | {:.2} s | {:.2} s | {} MiB | {} MiB |",
            grouped(at),
            grouped(&combinations.to_string()),
            taken.wall,
            taken.cpu,
            grouped(&format!("{:.0}", taken.mebibytes)),
            grouped(&format!("{estimated:.0}"))
        );
        if let Some(beside) = duckdb {
            let memory = grouped(&format!("{:.0}", beside.mebibytes));
            let _ = write!(text, " {:.2} s | {:.2} s | {memory} MiB |", beside.cpu, beside.wall);
        }
        text.push('\n');
    }
}

/// A whole number with a comma before every three digits; other text as it is.
fn grouped(text: &str) -> String {
    if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return text.to_owned();
    }
    let parts: Vec<&str> =
        text.as_bytes().rchunks(3).rev().filter_map(|digits| std::str::from_utf8(digits).ok()).collect();
    parts.join(",")
}

/// Writes the part between the marks anew; a page that has none gets them at its end.
pub(super) fn replace(path: &Path, part: &str) -> Outcome {
    let page = std::fs::read_to_string(path).unwrap_or_default();
    super::write(path, &replaced(&page, part))
}

fn replaced(page: &str, part: &str) -> String {
    let marks = page.split_once(BEGIN).and_then(|(before, rest)| Some((before, rest.split_once(END)?.1)));
    let (before, after) = marks.unwrap_or((page, "\n"));
    format!("{before}{BEGIN}\n{part}{END}{after}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_have_commas() {
        let given = ["none", "100", "1000", "1375900", ""];
        assert_eq!(given.map(grouped), ["none", "100", "1,000", "1,375,900", ""]);
    }

    #[test]
    fn only_the_marked_part_is_replaced() {
        let page = replaced("# R\n\n", "one\n");
        assert_eq!(page, "# R\n\n<!-- growth -->\none\n<!-- /growth -->\n");
        assert_eq!(
            replaced(&format!("{page}more\n"), "two\n"),
            "# R\n\n<!-- growth -->\ntwo\n<!-- /growth -->\nmore\n"
        );
    }
}
