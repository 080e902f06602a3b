//! Progress: a bar on a terminal, lines with percentages otherwise.

use std::io::IsTerminal;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use velamen_core::context::Progress;

use crate::terminal;

/// Steps that end sooner than this are not shown.
const PATIENCE: Duration = Duration::from_millis(700);

/// Lines are at least this far apart.
const INTERVAL: Duration = Duration::from_secs(2);

pub(crate) struct Reporter {
    state: Mutex<State>,
    terminal: bool,
    silent: bool,
}

struct State {
    step: &'static str,
    /// Its units of work: bytes, records, nodes.
    total: u64,
    started: Instant,
    shown: Instant,
    bar: Option<ProgressBar>,
}

impl Reporter {
    pub(crate) fn new(silent: bool) -> Self {
        let now = Instant::now();
        let state = Mutex::new(State { step: "", total: 0, started: now, shown: now, bar: None });
        Self { state, terminal: std::io::stderr().is_terminal(), silent }
    }

    /// Takes the bar away.
    pub(crate) fn finish(&self) {
        if let Ok(mut state) = self.state.lock() {
            state.end();
        }
    }
}

impl State {
    /// Ends the step at hand.
    fn end(&mut self) {
        if !self.step.is_empty() {
            let seconds = self.started.elapsed().as_secs_f64();
            tracing::info!(step = self.step, units = self.total, seconds, "step ended");
            self.step = "";
        }
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }
}

impl Progress for Reporter {
    fn step(&self, what: &'static str, done: u64, total: u64) {
        // Another thread is showing progress already: ours would add nothing.
        let Ok(mut state) = self.state.try_lock() else { return };
        let now = Instant::now();
        if state.step != what {
            state.end();
            (state.step, state.started, state.shown) = (what, now, now);
        }
        state.total = total;
        if self.silent || now - state.started < PATIENCE || total == 0 {
            return;
        }
        if self.terminal {
            let bar = state.bar.get_or_insert_with(|| new_bar(what));
            bar.set_length(total);
            bar.set_position(done.min(total));
        } else if now - state.shown >= INTERVAL {
            state.shown = now;
            terminal::note(format_args!("{what}: {}%", done.min(total) * 100 / total));
        }
    }
}

fn new_bar(what: &'static str) -> ProgressBar {
    let style = ProgressStyle::with_template("{msg:>12} [{bar:40}] {percent:>3}% {eta}");
    let bar = ProgressBar::new(1).with_message(what);
    match style {
        Ok(style) => bar.with_style(style.progress_chars("=> ")),
        Err(_) => bar,
    }
}
