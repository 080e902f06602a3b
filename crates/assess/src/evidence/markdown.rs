//! A form as Markdown.

use std::fmt::Write as _;

use super::filled::{Evidence, Figure, Item, State};
use super::words::plain;

/// The form as Markdown; the first line counts its items.
pub(super) fn markdown(evidence: &Evidence) -> String {
    let mut text = format!("**{}.**\n\n# {}\n\n", evidence.first_line(), line(&evidence.title));
    if evidence.custodian {
        text.push_str("**CONFIDENTIAL: for the custodian only. It has figures of the original records; never publish it.**\n\n");
    }
    let _ = writeln!(text, "Release: `{}`; filled by velamen {}.\n", evidence.release, evidence.velamen);
    let _ = writeln!(text, "Made by: {}\n\nNot seen: {}", line(&evidence.edition), line(&evidence.not_seen));
    for section in &evidence.sections {
        let _ = writeln!(text, "\n## {}", line(&section.title));
        section.items.iter().for_each(|item| text.push_str(&one(item)));
    }
    text
}

/// How a state is called.
pub(super) fn state(item: &Item) -> &'static str {
    match (item.state, &item.answer, item.changed.is_empty()) {
        (State::Filled, ..) => "filled from checks",
        (State::DoesNotApply, ..) => "does not apply",
        (State::Yours, None, _) => "yours to write",
        (State::Yours, Some(_), true) => "written by the custodian",
        (State::Yours, Some(_), false) => "written before figures changed",
    }
}

fn one(item: &Item) -> String {
    let mut text = format!("\n### {} {}\n\n", item.id, line(&item.ask));
    let _ = writeln!(text, "*{}; {}*", line(&item.clause), state(item));
    if let Some(answer) = &item.answer {
        let _ = writeln!(text, "\n{}", cell(answer));
    }
    for change in &item.changed {
        let _ = writeln!(
            text,
            "\n- changed since: {}: {} → {}",
            cell(&change.label),
            cell(&change.was),
            cell(&change.now)
        );
    }
    if let (Some(note), None) = (&item.note, &item.answer) {
        let _ = writeln!(text, "\n{}", cell(note));
    }
    item.figures.iter().for_each(|figure| text.push_str(&shown(figure)));
    text
}

fn shown(figure: &Figure) -> String {
    let mut text = String::new();
    if figure.columns.is_empty() {
        let _ = writeln!(text, "\n- {}: **{}**  ", cell(&figure.label), cell(&figure.shown));
    } else {
        let _ = writeln!(text, "\n{}:\n", cell(&figure.label));
        let row = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
        text.push_str(&row(figure.columns.clone()));
        text.push_str(&row(vec!["---".to_owned(); figure.columns.len()]));
        if figure.rows().is_empty() {
            text.push_str(&row(vec!["none".to_owned()]));
        }
        for cells in figure.rows() {
            text.push_str(&row(cells
                .as_array()
                .into_iter()
                .flatten()
                .map(|one| cell(&plain(one)))
                .collect()));
        }
        text.push('\n');
    }
    let _ = writeln!(text, "  `{}`", figure.command.replace('`', "'"));
    text
}

/// Text that stays one line.
fn line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Text that Markdown shows as it is: a name of a column is nobody's markup.
fn cell(text: &str) -> String {
    let escaped = |one: char| matches!(one, '|' | '<' | '>' | '*' | '_' | '[' | ']' | '`' | '\\' | '#');
    text.chars().fold(String::new(), |mut text, one| {
        if escaped(one) {
            text.push('\\');
        }
        text.push(one);
        text
    })
}
