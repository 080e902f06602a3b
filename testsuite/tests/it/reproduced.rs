//! Guards that the pages of repeated papers count their trends as their tables have them, and that every trend ended.

use std::collections::BTreeSet;
use std::path::Path;

/// The pages, and how many trends of each may stay open.
const PAGES: [(&str, usize); 4] = [("arca2021", 0), ("lee2017", 1), ("lee2020", 0), ("yoo2012", 0)];

/// How a trend can end, by the beginning of its cell and by the words of the count.
const ENDS: [(&str, &str); 4] = [
    ("met", "met"),
    ("by a reading: ", "by a named reading"),
    ("impossible: ", "shown impossible"),
    ("open", "open"),
];

fn page(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../docs/methods/reproduce-{name}.md"));
    std::fs::read_to_string(path).unwrap()
}

/// The last cells of the tables that have a column "settled".
fn settled(page: &str) -> Vec<&str> {
    let mut inside = false;
    let mut cells = Vec::new();
    for line in page.lines() {
        let last = line.strip_suffix('|').and_then(|row| row.rsplit('|').next()).map(str::trim);
        match last {
            None => inside = false,
            Some("settled") => inside = true,
            Some(cell) if inside && cell != "---" => cells.push(cell),
            Some(_) => {}
        }
    }
    cells
}

fn place(cell: &str) -> usize {
    let begins =
        |(begin, _): &(&str, &str)| cell == *begin || (begin.ends_with(' ') && cell.starts_with(begin));
    ENDS.iter().position(begins).unwrap_or_else(|| panic!("{cell:?} is no end of a trend"))
}

/// The headings of a page as links name them.
fn anchors(page: &str) -> BTreeSet<String> {
    let anchor = |heading: &str| {
        let kept = heading.trim().to_lowercase();
        let kept = kept.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
        kept.map(|c| if c == ' ' { '-' } else { c }).collect()
    };
    page.lines()
        .filter(|line| line.starts_with('#'))
        .map(|line| anchor(line.trim_start_matches('#')))
        .collect()
}

#[test]
fn the_count_at_the_top_is_that_of_the_table() {
    for (name, open) in PAGES {
        let page = page(name);
        let cells = settled(&page);
        let mut counts = [0; ENDS.len()];
        cells.iter().for_each(|cell| counts[place(cell)] += 1);
        let parts = counts.iter().zip(ENDS).filter(|(count, _)| **count > 0);
        let parts: Vec<String> = parts.map(|(count, (_, words))| format!("{count} {words}")).collect();
        let expected = format!("**{} trends: {}.**", cells.len(), parts.join(", "));
        let stated = page.lines().find(|line| line.starts_with("**")).unwrap_or_default();
        assert_eq!(stated, expected, "{name}");
        assert_eq!(counts[3], open, "{name}: trends that stay open");
    }
}

#[test]
fn what_is_shown_impossible_is_shown_on_the_page() {
    for (name, _) in PAGES {
        let page = page(name);
        let anchors = anchors(&page);
        for cell in settled(&page) {
            let links: Vec<&str> = cell
                .split("](#")
                .skip(1)
                .filter_map(|rest| rest.split_once(')'))
                .map(|link| link.0)
                .collect();
            assert!(links.iter().all(|link| anchors.contains(*link)), "{name}: {cell}");
            assert!(!links.is_empty() || place(cell) != 2, "{name}: {cell} has no place that shows it");
        }
    }
}

#[test]
fn a_table_without_the_column_does_not_count() {
    let page = "| a | settled |\n| --- | --- |\n| x | met |\n| y | open |\n\n| a | b |\n| --- | --- |\n| x | met |\n";
    assert_eq!(settled(page), ["met", "open"]);
}
