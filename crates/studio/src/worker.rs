//! Who works on the table, one task at a time: a thread, or where there are none whoever asks.
//!
//! It keeps the table that was read last, so that a change of models, method, levels or weights searches at once. A
//! new task stops the one that runs and takes the place of one that waits, whichever window it is of; but what is made for
//! good, a release, is stopped by the person alone, and others wait. Three tasks at most are ever there.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use tokio::sync::watch;
use velamen_core::context::{Context, Progress};
use velamen_dp::Seed;
use velamen_job::{HeldTable, Loaded, RunOptions, Session};
use velamen_recipe::{JobError, Mistake, Resolved};

#[cfg(feature = "server")]
use crate::StudioError;

/// What stays on the thread from one task to the next.
#[derive(Default)]
pub(crate) struct Bench {
    kept: Option<(HeldTable, Stamp)>,
}

/// Size and time of the input's file, by which a change is noticed.
type Stamp = Option<(u64, SystemTime)>;

fn stamp(recipe: &Resolved) -> Stamp {
    let velamen_recipe::Origin::File(path) = &recipe.input else { return None };
    let metadata = path.metadata().ok()?;
    Some((metadata.len(), metadata.modified().ok()?))
}

impl Bench {
    /// Reads the next table anew, whatever lies where it did.
    pub(crate) fn forget(&mut self) {
        self.kept = None;
    }

    /// Some work on the recipe's table, which is read only if the one that is kept does not serve.
    ///
    /// # Errors
    /// Those of reading and of the work.
    pub(crate) fn with_table<T>(
        &mut self,
        recipe: &Resolved,
        context: &Context<'_>,
        work: impl FnOnce(&mut Loaded<'_>) -> Result<T, JobError>,
    ) -> Result<T, JobError> {
        let stamp = stamp(recipe);
        let kept = self.kept.take().filter(|(kept, of)| *of == stamp && kept.serves(recipe));
        let mut loaded = match kept {
            Some((kept, _)) => kept.with(recipe)?,
            None => Session::open(recipe, &RunOptions::default(), context)?.read(context)?,
        };
        let result = work(&mut loaded);
        self.kept = Some((loaded.hold(), stamp));
        result
    }
}

/// What is to be done.
struct Task {
    ticket: Ticket,
    what: &'static str,
    /// Whether no other task may stop it or take its place.
    firm: bool,
    work: Work,
}

/// The number of a task.
pub(crate) type Ticket = u64;

type Work = Box<dyn FnOnce(&mut Bench, &Context<'_>) -> Result<(), JobError> + Send>;

/// How far the running task is.
#[derive(Debug, Clone)]
pub(crate) struct Status {
    /// What is done.
    pub(crate) what: &'static str,
    /// The step of it.
    pub(crate) step: &'static str,
    pub(crate) done: u64,
    pub(crate) total: u64,
    pub(crate) since: Instant,
    /// Whether it was told to stop, and has not come to a place where it can.
    pub(crate) stopping: bool,
}

impl Status {
    /// A task that begins.
    fn of(what: &'static str) -> Self {
        Self { what, step: "", done: 0, total: 0, since: Instant::now(), stopping: false }
    }
}

#[derive(Default)]
struct Slot {
    waiting: VecDeque<Task>,
    running: Option<Arc<Running>>,
    /// Why the last task failed.
    failed: Option<(&'static str, Mistake)>,
    /// Where that was shown: the page, and what was open then.
    seen: Option<(&'static str, String)>,
    #[cfg(feature = "server")]
    closed: bool,
    /// How many tasks there were.
    tickets: Ticket,
    /// Whether the person stopped the last one.
    stopped: bool,
    /// Whether tasks are stopped before they begin.
    stops: bool,
}

struct Running {
    ticket: Ticket,
    firm: bool,
    status: Mutex<Status>,
    cancel: AtomicBool,
    report: Report,
}

impl Progress for Running {
    fn step(&self, what: &'static str, done: u64, total: u64) {
        let mut status = locked(&self.status);
        (status.step, status.done, status.total) = (what, done, total);
        (self.report)(&status);
    }
}

/// Who is shown how far a task is, where nobody can ask while it runs.
pub(crate) type Report = Arc<dyn Fn(&Status) + Send + Sync>;

struct Shared {
    slot: Mutex<Slot>,
    wake: Condvar,
    /// Whether nothing runs or waits.
    idle: watch::Sender<bool>,
    report: Report,
}

/// Who does the tasks.
enum Hands {
    /// A thread, as long as the studio is open.
    #[cfg(feature = "server")]
    Thread(Mutex<Option<std::thread::JoinHandle<()>>>),
    /// Whoever waits for them, on its own thread: the browser has no other.
    Caller(Box<Mutex<Bench>>),
}

/// Who does the tasks, and what is to be done.
pub(crate) struct Worker {
    shared: Arc<Shared>,
    hands: Hands,
}

pub(crate) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Worker {
    /// A thread that waits for tasks.
    ///
    /// # Errors
    /// [`StudioError::Threads`].
    #[cfg(feature = "server")]
    pub(crate) fn start(threads: usize) -> Result<Self, StudioError> {
        let wrong = |error: &dyn std::fmt::Display| StudioError::Threads(error.to_string());
        let pool =
            rayon::ThreadPoolBuilder::new().num_threads(threads).build().map_err(|error| wrong(&error))?;
        let shared = Arc::new(Shared::new(Arc::new(|_| ())));
        let own = Arc::clone(&shared);
        let thread = std::thread::Builder::new().name("table".into()).spawn(move || run(&own, &pool));
        let thread = Mutex::new(Some(thread.map_err(|error| wrong(&error))?));
        Ok(Self { shared, hands: Hands::Thread(thread) })
    }

    /// No thread: tasks are done by whoever waits for them, and `report` is shown how far they are.
    pub(crate) fn of_caller(report: Report) -> Self {
        Self { shared: Arc::new(Shared::new(report)), hands: Hands::Caller(Box::default()) }
    }

    /// Does all that waits, where the caller is to do it.
    pub(crate) fn work(&self) {
        #[cfg_attr(not(feature = "server"), expect(irrefutable_let_patterns, reason = "there is no thread"))]
        let Hands::Caller(bench) = &self.hands else { return };
        let mut bench = locked(bench);
        loop {
            // Not held while it is done: tasks ask whether they were stopped.
            let Some(task) = taken(&self.shared, &mut locked(&self.shared.slot)) else { return };
            do_one(&self.shared, &mut bench, task, None);
        }
    }

    /// Does all that waits as if the person had stopped it: each leaves what it leaves when it is.
    pub(crate) fn work_stopped(&self) {
        {
            let mut slot = locked(&self.shared.slot);
            (slot.stopped, slot.stops) = (true, true);
        }
        self.work();
        locked(&self.shared.slot).stops = false;
    }

    /// Has a task done; the one that runs is stopped for it, unless it is firm.
    pub(crate) fn put(
        &self,
        what: &'static str,
        work: impl FnOnce(&mut Bench, &Context<'_>) -> Result<(), JobError> + Send + 'static,
    ) -> Ticket {
        self.add(what, false, Box::new(work))
    }

    /// Has a task done that no other stops but one of its own kind.
    pub(crate) fn put_firm(
        &self,
        what: &'static str,
        work: impl FnOnce(&mut Bench, &Context<'_>) -> Result<(), JobError> + Send + 'static,
    ) -> Ticket {
        self.add(what, true, Box::new(work))
    }

    fn add(&self, what: &'static str, firm: bool, work: Work) -> Ticket {
        let mut slot = locked(&self.shared.slot);
        if let Some(running) = slot.running.as_ref().filter(|running| firm || !running.firm) {
            running.cancel.store(true, Ordering::Relaxed);
        }
        slot.tickets += 1;
        let ticket = slot.tickets;
        slot.waiting.retain(|task| task.firm && !firm);
        slot.waiting.push_back(Task { ticket, what, firm, work });
        (slot.failed, slot.stopped) = (None, false);
        self.shared.idle.send_replace(false);
        self.shared.wake.notify_one();
        ticket
    }

    /// How many tasks there were.
    pub(crate) fn begun(&self) -> Ticket {
        locked(&self.shared.slot).tickets
    }

    /// Whether a task runs or waits; one that waits goes when another comes.
    pub(crate) fn has(&self, ticket: Ticket) -> bool {
        let slot = locked(&self.shared.slot);
        slot.waiting.iter().any(|task| task.ticket == ticket)
            || slot.running.as_ref().is_some_and(|running| running.ticket == ticket)
    }

    /// Whether the last task was stopped by the person, and not for another.
    pub(crate) fn was_stopped(&self) -> bool {
        locked(&self.shared.slot).stopped
    }

    /// Stops what runs, and forgets what waits.
    pub(crate) fn cancel(&self) {
        let mut slot = locked(&self.shared.slot);
        slot.waiting.clear();
        slot.stopped = true;
        if let Some(running) = &slot.running {
            running.cancel.store(true, Ordering::Relaxed);
        }
    }

    /// What is being done.
    pub(crate) fn status(&self) -> Option<Status> {
        let slot = locked(&self.shared.slot);
        let running = slot.running.as_ref().map(|running| {
            let stopping = running.cancel.load(Ordering::Relaxed);
            Status { stopping, ..locked(&running.status).clone() }
        });
        running.or_else(|| slot.waiting.front().map(|task| Status::of(task.what)))
    }

    /// Why the last task failed, if it did.
    pub(crate) fn failed(&self) -> Option<(&'static str, Mistake)> {
        locked(&self.shared.slot).failed.clone()
    }

    /// The failure was seen, or no longer matters.
    pub(crate) fn forget_failure(&self) {
        locked(&self.shared.slot).failed = None;
    }

    /// The failure is about to be shown on a page. One that was seen on another page, or before the recipe was changed, no longer
    /// matters.
    pub(crate) fn show_failure(&self, page: &'static str, revision: &str) {
        let mut slot = locked(&self.shared.slot);
        let here = (page, revision.to_owned());
        if slot.failed.is_some() && slot.seen.get_or_insert_with(|| here.clone()) != &here {
            (slot.failed, slot.seen) = (None, None);
        }
    }

    /// Waits until nothing runs, but not longer than this. Where the caller is to do it, it is done.
    pub(crate) async fn idle_within(&self, time: Duration) {
        self.work();
        let mut idle = self.shared.idle.subscribe();
        let _elapsed = tokio::time::timeout(time, idle.wait_for(|idle| *idle)).await;
    }

    /// Stops everything and waits for the thread to end.
    #[cfg(feature = "server")]
    pub(crate) fn close(&self) {
        self.cancel();
        locked(&self.shared.slot).closed = true;
        self.shared.wake.notify_one();
        if let Hands::Thread(thread) = &self.hands
            && let Some(thread) = locked(thread).take()
        {
            // A panic was caught where the task ran.
            let _ended = thread.join();
        }
    }
}

impl Shared {
    fn new(report: Report) -> Self {
        Self { slot: Mutex::default(), wake: Condvar::new(), idle: watch::Sender::new(true), report }
    }
}

#[cfg(feature = "server")]
fn run(shared: &Shared, pool: &rayon::ThreadPool) {
    let mut bench = Bench::default();
    while let Some(task) = next(shared) {
        do_one(shared, &mut bench, task, Some(pool));
    }
}

/// A task that was taken: what it is, its work, and how far it is.
type Taken = (&'static str, Work, Arc<Running>);

/// The next task, once there is one; `None` at the end.
#[cfg(feature = "server")]
fn next(shared: &Shared) -> Option<Taken> {
    let mut slot = locked(&shared.slot);
    loop {
        if slot.closed {
            return None;
        }
        let task = taken(shared, &mut slot);
        if task.is_some() {
            return task;
        }
        slot = shared.wake.wait(slot).unwrap_or_else(PoisonError::into_inner);
    }
}

/// The task that waits, as the one that runs: who asks sees it waiting or running.
fn taken(shared: &Shared, slot: &mut Slot) -> Option<Taken> {
    let Task { ticket, what, firm, work } = slot.waiting.pop_front()?;
    let (status, cancel) = (Mutex::new(Status::of(what)), AtomicBool::new(slot.stops));
    let running = Arc::new(Running { ticket, firm, status, cancel, report: Arc::clone(&shared.report) });
    slot.running = Some(Arc::clone(&running));
    Some((what, work, running))
}

/// Does a task, on the threads that are there for it, and keeps why it failed.
fn do_one(
    shared: &Shared,
    bench: &mut Bench,
    (what, work, running): Taken,
    pool: Option<&rayon::ThreadPool>,
) {
    let result = done(bench, work, &running, pool);
    let mut slot = locked(&shared.slot);
    slot.running = None;
    // What was stopped was stopped by the person.
    slot.failed = result.err().filter(|error| !error.is_interrupted()).map(|error| (what, error));
    slot.seen = None;
    shared.idle.send_replace(slot.waiting.is_empty());
}

fn done(
    bench: &mut Bench,
    work: Work,
    running: &Running,
    pool: Option<&rayon::ThreadPool>,
) -> Result<(), JobError> {
    let seed = Seed::fresh().map_err(|error| JobError::unusable(error.to_string()))?;
    let context = Context { seed: &seed, progress: running, cancel: &running.cancel };
    let once = || work(bench, &context);
    let work = AssertUnwindSafe(|| match pool {
        Some(pool) => pool.install(once),
        None => once(),
    });
    catch_unwind(work).unwrap_or_else(|_| {
        // The table may be half changed.
        *bench = Bench::default();
        Err(JobError::data("the studio failed at this; the terminal has more, and the recipe is unchanged"))
    })
}

/// The recipe's file and what it says, for a task.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    pub(crate) text: String,
    pub(crate) path: PathBuf,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn waited(worker: &Worker) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(worker.idle_within(Duration::from_secs(60)));
    }

    #[test]
    fn a_new_task_stops_the_one_before() {
        let worker = Worker::start(1).unwrap();
        worker.put("first", |_, context| {
            loop {
                context.check()?;
                std::thread::sleep(Duration::from_millis(1));
            }
        });
        let (sender, done) = std::sync::mpsc::channel();
        worker.put("second", move |_, _| {
            sender.send(()).unwrap();
            Ok(())
        });
        done.recv_timeout(Duration::from_secs(60)).unwrap();
        waited(&worker);
        assert!(worker.status().is_none() && worker.failed().is_none());
        worker.close();
    }

    #[test]
    fn a_firm_task_is_stopped_by_the_person_alone() {
        let worker = Worker::start(1).unwrap();
        let ((go, wait), (sender, done)) = (std::sync::mpsc::channel(), std::sync::mpsc::channel());
        let of_others = sender.clone();
        worker.put_firm("release", move |_, context| {
            wait.recv().unwrap();
            sender.send(context.check().is_ok()).unwrap();
            Ok(())
        });
        worker.put("front", |_, _| panic!("another takes its place"));
        let ticket = worker.put("trial", move |_, _| {
            of_others.send(true).unwrap();
            Ok(())
        });
        assert!(worker.has(ticket));
        go.send(()).unwrap();
        assert_eq!(done.iter().take(2).collect::<Vec<_>>(), [true, true]);
        waited(&worker);
        assert!(worker.failed().is_none());
        let (began, begun) = std::sync::mpsc::channel();
        worker.put_firm("release", move |_, context| {
            began.send(()).unwrap();
            loop {
                context.check()?;
                std::thread::sleep(Duration::from_millis(1));
            }
        });
        begun.recv_timeout(Duration::from_secs(60)).unwrap();
        worker.cancel();
        waited(&worker);
        worker.close();
    }

    #[test]
    fn failures_and_panics_are_told_and_survived() {
        let worker = Worker::start(1).unwrap();
        worker.put("wrong", |_, _| Err(JobError::data("no")));
        waited(&worker);
        assert_eq!(worker.failed().unwrap().1.message(), "no");
        worker.put("panic", |_, _| panic!("on purpose"));
        waited(&worker);
        assert_eq!(worker.failed().unwrap().0, "panic");
        worker.put("well", |_, _| Ok(()));
        waited(&worker);
        assert!(worker.failed().is_none());
        worker.close();
    }
}
