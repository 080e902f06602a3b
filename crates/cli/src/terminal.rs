//! What people read: results on standard output, everything else on standard error.

use std::borrow::Cow;
use std::fmt::Display;
use std::io::{Error, ErrorKind, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, OnceLock};

use anstyle::{AnsiColor, Style};
use unicode_width::UnicodeWidthStr;
pub(crate) use velamen_core::number::count as grouped;
use velamen_recipe::{Code, JobError};
use velamen_report::number::grouped_message;
pub(crate) use velamen_report::printed::plain;
use velamen_report::printed::plain_text;

/// What kept the result from being written.
static UNWRITTEN: OnceLock<Error> = OnceLock::new();

/// Whether summaries are left out.
static QUIET: AtomicBool = AtomicBool::new(false);

/// What messages show in place of paths that nobody named.
static ALIASES: Mutex<Vec<(String, &'static str)>> = Mutex::new(Vec::new());

/// Errors and what is broken.
pub(crate) const RED: Style = AnsiColor::Red.on_default().bold();
/// Warnings and what was not checked.
pub(crate) const YELLOW: Style = AnsiColor::Yellow.on_default().bold();
/// What holds.
pub(crate) const GREEN: Style = AnsiColor::Green.on_default();

/// A line of the result. A full disk or closed pipe ends the output, not the run: the exit code shows a full disk.
pub fn line(text: impl Display) {
    marked(Style::new(), "", text);
}

/// A line of the result whose beginning has a colour, on a terminal.
pub(crate) fn marked(style: Style, mark: &str, text: impl Display) {
    if UNWRITTEN.get().is_none() {
        let text = text.to_string();
        keep(writeln!(anstream::stdout(), "{style}{}{style:#}{}", shown(mark), shown(&text)));
    }
}

/// A result that is no text for people, as it is.
pub(crate) fn bytes(result: &[u8]) {
    if UNWRITTEN.get().is_none() {
        keep(std::io::stdout().write_all(result));
    }
}

/// A number of things: `1 record`, `2,000 records`.
pub(crate) fn counted(number: u64, one: &str) -> String {
    format!("{} {one}{}", grouped(number), if number == 1 { "" } else { "s" })
}

/// A line about what was done, which `--quiet` leaves out.
pub(crate) fn summary(text: impl Display) {
    if !is_quiet() {
        line(text);
    }
}

/// From here on no summary is shown.
pub(crate) fn hush() {
    QUIET.store(true, Ordering::Relaxed);
}

/// Whether summaries are left out.
pub(crate) fn is_quiet() -> bool {
    QUIET.load(Ordering::Relaxed)
}

/// Has messages show a name in place of the path of a temporary file.
pub(crate) fn alias(path: &std::path::Path, name: &'static str) {
    if let Ok(mut aliases) = ALIASES.lock() {
        aliases.push((path.display().to_string(), name));
    }
}

/// How many columns standard output has, where it is a terminal.
pub(crate) fn columns() -> Option<usize> {
    let (width, _) = terminal_size::terminal_size_of(std::io::stdout())?;
    Some(usize::from(width.0))
}

/// What kept some of the result from being written, when all of it was tried. A reader that ended first, as `head`
/// does, has what it wanted.
pub(crate) fn unwritten() -> Option<&'static Error> {
    keep(std::io::stdout().flush());
    UNWRITTEN.get().filter(|error| error.kind() != ErrorKind::BrokenPipe)
}

/// The first failure is the one that counts.
pub(crate) fn keep(written: std::io::Result<()>) {
    if let Err(error) = written {
        let _ = UNWRITTEN.set(error);
    }
}

/// How many columns of a terminal a text takes: two for each Korean syllable.
pub(crate) fn width(text: &str) -> usize {
    UnicodeWidthStr::width(text)
}

/// A text with spaces behind it up to a width.
pub(crate) fn padded(text: &str, to: usize) -> String {
    format!("{text}{}", " ".repeat(to.saturating_sub(width(text))))
}

/// A text with spaces before it up to a width.
pub(crate) fn right(text: &str, to: usize) -> String {
    format!("{}{text}", " ".repeat(to.saturating_sub(width(text))))
}

/// A remark beside the result.
pub(crate) fn note(text: impl Display) {
    beside(Style::new(), "", &text.to_string());
}

fn beside(style: Style, mark: &str, text: &str) {
    let _ = writeln!(anstream::stderr(), "{style}{mark}{style:#}{}", shown(text));
}

/// A text with names in place of the paths that nobody named, in which nothing steers the terminal.
fn shown(text: &str) -> Cow<'_, str> {
    let mut text = Cow::Borrowed(text);
    for (path, name) in ALIASES.lock().iter().flat_map(|aliases| aliases.iter()) {
        if text.contains(path) {
            text = Cow::Owned(text.replace(path, name));
        }
    }
    plain_text(text)
}

/// A warning.
pub(crate) fn warning(text: impl Display) {
    let text = grouped_message(&text.to_string());
    tracing::warn!("{}", shown(&text));
    beside(YELLOW, "warning: ", &text);
}

/// What ended the run.
pub(crate) fn error(error: &JobError) {
    ended(error, "");
}

/// What ended the run, and what the command adds to it.
pub(crate) fn ended(error: &JobError, and: &str) {
    let (text, code) = (grouped_message(&format!("{error}{and}")), error.code());
    tracing::error!("[{code}] {}", shown(&text));
    beside(RED, &format!("error[{code}]: "), &text);
    if let Some(mend) = code.mend() {
        beside(GREEN, "  try: ", &mend);
    }
}

/// A call that the parser refuses: its message under our code.
pub(crate) fn refused(message: &clap::Error) {
    let text = message.render().ansi().to_string();
    let coded = text.replacen("error:", &format!("error[{}]:", Code::ARGUMENT), 1);
    let _ = write!(anstream::stderr(), "{coded}");
}
