//! Progress: a bar on a terminal, lines with percentages otherwise. A step of unknown length has its name shown.

use std::io::IsTerminal;
use std::sync::Mutex;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use velamen_core::context::Progress;

use crate::terminal;

/// Steps that end sooner than this are not shown.
const PATIENCE: Duration = Duration::from_millis(700);

/// A sign that the program is at work turns this fast.
const TICK: Duration = Duration::from_millis(100);

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
    /// The greatest share of them that was shown: a search that begins again under the same name takes nothing back.
    reached: f64,
    started: Instant,
    shown: Instant,
    bar: Option<ProgressBar>,
    unmeasured: Option<Unmeasured>,
}

impl Reporter {
    pub(crate) fn new(silent: bool) -> Self {
        let now = Instant::now();
        let state = Mutex::new(State {
            step: "",
            total: 0,
            reached: 0.0,
            started: now,
            shown: now,
            bar: None,
            unmeasured: None,
        });
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
    /// The share that is shown: it only grows.
    fn reach(&mut self, done: u64, total: u64) -> f64 {
        let share = done.min(total) as f64 / total.max(1) as f64;
        self.reached = self.reached.max(share);
        self.reached
    }

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
        self.unmeasured.take();
    }
}

/// A step that does not say how long it is: a thread shows its name until this is dropped.
struct Unmeasured {
    ended: Option<Sender<()>>,
    shows: Option<JoinHandle<()>>,
}

impl Unmeasured {
    fn new(what: &'static str, terminal: bool) -> Self {
        let (ended, end) = channel::<()>();
        let lasts = move |time| end.recv_timeout(time) == Err(RecvTimeoutError::Timeout);
        let show = move || {
            if terminal && lasts(PATIENCE) {
                let bar = ProgressBar::new_spinner().with_message(what);
                while lasts(TICK) {
                    bar.tick();
                }
                bar.finish_and_clear();
            } else if !terminal && lasts(INTERVAL) {
                terminal::note(what);
            }
        };
        // Without a thread, the step is not shown.
        Self { ended: Some(ended), shows: std::thread::Builder::new().spawn(show).ok() }
    }
}

impl Drop for Unmeasured {
    fn drop(&mut self) {
        self.ended.take();
        // What it draws is gone before anything else is printed; it does not panic.
        let _ = self.shows.take().map(JoinHandle::join);
    }
}

impl Progress for Reporter {
    fn step(&self, what: &'static str, done: u64, total: u64) {
        // Another thread is showing progress already: ours would add nothing.
        let Ok(mut state) = self.state.try_lock() else { return };
        let now = Instant::now();
        if state.step != what {
            state.end();
            (state.step, state.started, state.shown, state.reached) = (what, now, now, 0.0);
        }
        state.total = total;
        let reached = state.reach(done, total);
        if self.silent {
            return;
        }
        if total == 0 {
            let terminal = self.terminal;
            state.unmeasured.get_or_insert_with(|| Unmeasured::new(what, terminal));
            return;
        }
        state.unmeasured.take();
        if now - state.started < PATIENCE {
            return;
        }
        if self.terminal {
            let bar = state.bar.get_or_insert_with(|| new_bar(what));
            bar.set_length(total);
            bar.set_position((reached * total as f64).round() as u64);
        } else if now - state.shown >= INTERVAL {
            state.shown = now;
            terminal::note(format_args!("{what}: {:.0}%", (reached * 100.0).floor()));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_that_begins_again_takes_nothing_back() {
        let reporter = Reporter::new(true);
        let shown = |what, done, total| {
            reporter.step(what, done, total);
            reporter.state.lock().unwrap().reached
        };
        let of_one = [shown("searching", 1, 2), shown("searching", 0, 3), shown("searching", 3, 4)];
        assert_eq!(of_one, [0.5, 0.5, 0.75]);
        assert_eq!(shown("cutting", 1, 10), 0.1);
    }

    #[test]
    fn the_sign_of_a_step_ends_with_it() {
        let reporter = Reporter { terminal: true, ..Reporter::new(false) };
        let began = Instant::now();
        for (what, total) in [("one", 0), ("one", 0), ("two", 0), ("two", 5)] {
            reporter.step(what, 0, total);
        }
        assert!(reporter.state.lock().unwrap().unmeasured.is_none(), "a step that says its length has a bar");
        reporter.step("three", 0, 0);
        reporter.finish();
        assert!(reporter.state.lock().unwrap().unmeasured.is_none());
        assert!(began.elapsed() < PATIENCE, "nobody waits for the sign of a short step");
    }
}
