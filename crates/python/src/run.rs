//! A job on a thread of its own: progress and Ctrl-C while the interpreter is free.

use std::panic::resume_unwind;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use pyo3::prelude::*;
use velamen_core::context::{Context, Progress};
use velamen_dp::Seed;
use velamen_job::Job;
use velamen_recipe::JobError;

use crate::error::{raised, raised_in};
use crate::options::Common;

/// How often signals are looked at.
const TICK: Duration = Duration::from_millis(100);

/// A step with what is done of it.
type Step = (&'static str, u64, u64);

/// Keeps the last step; workers never wait for Python.
struct Steps(Arc<Mutex<Option<Step>>>);

impl Progress for Steps {
    fn step(&self, what: &'static str, done: u64, total: u64) {
        if let Ok(mut last) = self.0.try_lock() {
            *last = Some((what, done, total));
        }
    }
}

/// A seed as callers write it.
pub(crate) fn seed(text: &str) -> Result<Seed, JobError> {
    text.parse().map_err(|error| JobError::usage(format!("seed: {error}")))
}

/// A job that draws nothing.
pub(crate) fn unseeded() -> Job {
    Job::seeded(Seed::from_number(0))
}

/// Runs some work with the job's threads, none of which knows the interpreter. Ctrl-C, or an error of the progress
/// function, stops it.
pub(crate) fn run<T: Send>(
    py: Python<'_>,
    job: Job,
    common: &Common,
    work: impl FnOnce(&Context<'_>) -> Result<T, JobError> + Send,
) -> PyResult<T> {
    finished(py, job, common, work)?.map_err(|error| raised(py, &error))
}

/// As [`run`]; no message shows what `hidden` hides.
pub(crate) fn run_in<T: Send>(
    py: Python<'_>,
    job: Job,
    (common, hidden): (&Common, &dyn Fn(&str) -> String),
    work: impl FnOnce(&Context<'_>) -> Result<T, JobError> + Send,
) -> PyResult<T> {
    finished(py, job, common, work)?.map_err(|error| raised_in(py, &error, hidden))
}

/// The work's result, unless Ctrl-C or the progress function stopped it.
fn finished<T: Send>(
    py: Python<'_>,
    job: Job,
    common: &Common,
    work: impl FnOnce(&Context<'_>) -> Result<T, JobError> + Send,
) -> PyResult<Result<T, JobError>> {
    let steps = Arc::new(Mutex::new(None));
    let job = job.threads(common.threads.map_or(0, usize::from)).progress(Steps(Arc::clone(&steps)));
    let (result, raised_here) = py.detach(|| watched(&job, common, &steps, work));
    ended(py, common, result.is_ok() && raised_here.is_none())?;
    match raised_here {
        Some(error) => Err(marked(py, error)),
        None => Ok(result),
    }
}

/// The work's result, and what the caller's side raised meanwhile. The interpreter is not held.
fn watched<T: Send>(
    job: &Job,
    common: &Common,
    steps: &Mutex<Option<Step>>,
    work: impl FnOnce(&Context<'_>) -> Result<T, JobError> + Send,
) -> (Result<T, JobError>, Option<PyErr>) {
    let stop = job.stop();
    thread::scope(|scope| {
        let (done, ended) = channel::<()>();
        let worker = scope.spawn(move || {
            let result = job.run(work);
            drop(done);
            result
        });
        let looked = || Python::attach(|py| look(py, common, steps)).err();
        let mut raised = None;
        while let Err(RecvTimeoutError::Timeout) = ended.recv_timeout(TICK) {
            if raised.is_none() {
                raised = looked().inspect(|_| stop());
            }
        }
        // What ended between two looks is told as well: the shortest of works has its last step.
        let raised = raised.or_else(looked);
        (worker.join().unwrap_or_else(|panic| resume_unwind(panic)), raised)
    })
}

fn look(py: Python<'_>, common: &Common, steps: &Mutex<Option<Step>>) -> PyResult<()> {
    py.check_signals()?;
    let step = steps.lock().ok().and_then(|mut step| step.take());
    if let Some(((what, done, total), progress)) = step.zip(common.progress.as_ref()) {
        progress.call1(py, (what, done.min(total), total))?;
    }
    Ok(())
}

/// Ends what shows progress, where it is the package's own and not a caller's function.
fn ended(py: Python<'_>, common: &Common, whole: bool) -> PyResult<()> {
    let own = common.progress.as_ref().and_then(|progress| progress.getattr(py, "_ended").ok());
    own.map_or(Ok(()), |own| own.call1(py, (whole,)).map(drop))
}

/// Gives `KeyboardInterrupt` what all errors of the package have.
fn marked(py: Python<'_>, error: PyErr) -> PyErr {
    if error.is_instance_of::<pyo3::exceptions::PyKeyboardInterrupt>(py) {
        let value = error.value(py);
        let set = |name: &str, text: Option<&str>| value.setattr(name, text);
        let kind = set("kind", Some("interrupted"));
        // Attributes are a convenience; the interruption is what counts.
        let _ = kind.and_then(|()| set("place", None)).and_then(|()| set("hint", None));
    }
    error
}
