//! What somebody wrote, in a file that stays over runs.
//!
//! Beside each text stand the figures that were there when it was written, and a checksum of the text: as long as the text
//! is the same, its figures are those of its writing, and whatever has changed since is marked. A new text takes the
//! figures of the run that first reads it.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use serde::{Deserialize, Serialize};
use velamen_core::error::Problem;
use velamen_job::{output_file, sha256};
use velamen_recipe::JobError;

use super::filled::{Change, Evidence, Item, State};
use super::name::FormName;
use super::words::plain;

/// The file of answers.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Answers {
    /// Whose questions they answer; files of earlier versions do not say it.
    #[serde(default)]
    form: Option<FormName>,
    /// By the number of the item.
    #[serde(default)]
    answer: BTreeMap<String, Written>,
}

/// What was written of an item.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    /// The question, for whoever writes.
    #[serde(default)]
    ask: String,
    #[serde(default)]
    text: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    seen: Option<Seen>,
}

/// What the figures were when a text was written.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Seen {
    /// The SHA-256 of the text.
    text: String,
    figures: BTreeMap<String, String>,
}

/// What stands at the head of the file.
const HEAD: &str = "\
# What you write of the items of a form that no check fills. Write into `text`; the rest is kept by the program.
# `seen` has the figures of the day on which a text was written. Delete it to take over today's.
";

impl Answers {
    /// The answers of a file to a form; none where there is no file yet.
    pub(super) fn read(file: &Path, form: FormName) -> Result<Self, JobError> {
        if !file.exists() {
            return Ok(Self::default());
        }
        let text = std::fs::read_to_string(file).map_err(|error| JobError::io(file, "read", &error))?;
        let answers: Self = toml::from_str(&text).map_err(|error| {
            let line = error.span().map_or(1, |span| text[..span.start].lines().count().max(1));
            let problem = Problem::new(format!("{}: line {line}: {}", file.display(), error.message()));
            JobError::usage(
                problem.expected("[answer.\"NUMBER\"] with ask, text and seen, as the program writes it"),
            )
        })?;
        answers.refuse_other(file, form)?;
        Ok(answers)
    }

    /// Refuses the answers to another form, whose items have the same numbers and ask something else.
    fn refuse_other(&self, file: &Path, form: FormName) -> Result<(), JobError> {
        let Some(theirs) = self.form.filter(|theirs| theirs.template() != form.template()) else {
            return Ok(());
        };
        let problem = format!("{}: answers to the form `{}`", file.display(), theirs.name());
        Err(JobError::usage(problem).mend("name a file of its own for each form"))
    }

    /// Puts what was written into a form, and takes over the figures of new texts.
    pub(super) fn put_into(&mut self, evidence: &mut Evidence) {
        self.form = Some(evidence.form);
        let is_known = |id: &String| evidence.items().any(|item| item.id == *id);
        let unknown = self.answer.keys().filter(|id| !is_known(id));
        let remarks: Vec<String> =
            unknown.map(|id| format!("the form has no item `{id}`, which the file of answers has")).collect();
        evidence.remarks.extend(remarks);
        let items = evidence.sections.iter_mut().flat_map(|section| &mut section.items);
        for item in items.filter(|item| item.state == State::Yours) {
            let written = self.answer.entry(item.id.clone()).or_default();
            written.ask.clone_from(&item.ask);
            if written.text.trim().is_empty() {
                written.seen = None;
                continue;
            }
            item.answer = Some(written.text.trim().to_owned());
            item.changed = written.see(item);
        }
    }

    /// Writes the file, with an entry for each item that is to be written.
    pub(super) fn write(&self, file: &Path, evidence: &Evidence) -> Result<(), JobError> {
        let mut text = format!("{HEAD}# {}\nform = \"{}\"\n", evidence.title, evidence.form.name());
        for (id, written) in &self.answer {
            let entry =
                toml::Table::from_iter([(id.clone(), toml::Value::try_from(written).unwrap_or("".into()))]);
            let entry = toml::Table::from_iter([("answer".to_owned(), entry.into())]);
            let _ = write!(text, "\n{}", toml::to_string_pretty(&entry).unwrap_or_default());
        }
        output_file::write(file, |path| {
            std::fs::write(path, &text).map_err(|error| JobError::io(path, "write the answers", &error))
        })
    }
}

impl Written {
    /// What has changed since the text was written; of a new text, nothing.
    fn see(&mut self, item: &Item) -> Vec<Change> {
        let text = sha256(self.text.trim().as_bytes());
        let now: BTreeMap<String, String> =
            item.figures.iter().map(|figure| (figure.label.clone(), figure.of_seen())).collect();
        match &self.seen {
            Some(seen) if seen.text == text => changes(&seen.figures, &now),
            _ => {
                self.seen = Some(Seen { text, figures: now });
                Vec::new()
            }
        }
    }
}

impl super::filled::Figure {
    /// Its value, as it is kept: of a table all cells.
    fn of_seen(&self) -> String {
        if self.columns.is_empty() { self.shown.clone() } else { self.value.to_string() }
    }
}

fn changes(was: &BTreeMap<String, String>, now: &BTreeMap<String, String>) -> Vec<Change> {
    let of = |label: &String| was.get(label).cloned().unwrap_or_else(|| "–".to_owned());
    // What is not in this form stays out of it: a figure of the original records is one only with the custodian's folder.
    let both = now.iter().map(|(label, now)| (label, of(label), now));
    both.filter(|(_, was, now)| was != *now)
        .map(|(label, was, now)| Change {
            label: label.clone(),
            was: apart(&was, now),
            now: apart(now, &was),
        })
        .collect()
}

/// A figure in words; of a table the rows that another one lacks.
fn apart(figure: &str, other: &str) -> String {
    let rows = |text: &str| serde_json::from_str::<Vec<Vec<serde_json::Value>>>(text).ok();
    let Some(own) = rows(figure) else { return figure.to_owned() };
    let others = rows(other).unwrap_or_default();
    let row = |row: &Vec<serde_json::Value>| row.iter().map(plain).collect::<Vec<_>>().join(", ");
    let rows: Vec<String> = own.iter().filter(|row| !others.contains(row)).map(row).collect();
    if rows.is_empty() { "–".to_owned() } else { rows.join("; ") }
}
