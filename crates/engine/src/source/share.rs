//! Workers that share the parts of a source and find its first fault.

use std::sync::atomic::{AtomicU64, Ordering};

use super::reading::Reading;
use crate::dictionary::{BadCell, ColumnRequest};
use crate::error::{DataProblem, EngineError, Lacks, Place};
use crate::fault::{Fault, FaultKind};
use crate::hint::{Hint, Hints};
use crate::worker::{Keep, Worker};

/// A source in parts that can be encoded apart from each other.
pub(crate) trait Parts: Sync {
    /// What one worker takes at a time.
    type Part;

    /// What a worker keeps between parts.
    type Scratch: Default;

    /// Hands out the next part; they are numbered as they stand in the file. Nothing comes after
    /// an error.
    fn next(&self) -> Result<Option<(u64, Self::Part)>, EngineError>;

    /// Encodes a part; all its records are flushed in the end.
    fn encode(
        &self,
        part: Self::Part,
        worker: &mut Worker,
        scratch: &mut Self::Scratch,
    ) -> Result<PartSize, Fault>;
}

/// How much of the file a part was.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct PartSize {
    pub(crate) records: u64,
    /// For text formats.
    pub(crate) lines: u64,
}

/// What a worker brings home.
struct Harvest {
    worker: Worker,
    sizes: Vec<(u64, PartSize)>,
    fault: Option<(u64, Fault)>,
}

/// Encodes all parts on all cores. So many lines precede the first; `None` where what is read has no lines that
/// could be looked up.
///
/// # Errors
/// The fault that stands first in the file, however the parts were shared.
pub(crate) fn run(
    parts: &impl Parts,
    reading: Reading<'_>,
    header_lines: Option<u64>,
) -> Result<Vec<Worker>, EngineError> {
    let first_bad = AtomicU64::new(u64::MAX);
    let work = || harvest(parts, reading, &first_bad);
    let workers = if matches!(reading.keep, Keep::Order(_)) { 1 } else { rayon::current_num_threads() };
    let harvests: Vec<Harvest> = std::thread::scope(|scope| {
        let spawned: Vec<_> = (1..workers).map(|_| scope.spawn(work)).collect();
        let own = work();
        std::iter::once(own).chain(spawned.into_iter().map(join)).collect()
    });
    let (mut sizes, mut faults, mut workers) = (Vec::new(), Vec::new(), Vec::new());
    for harvest in harvests {
        sizes.extend(harvest.sizes);
        faults.extend(harvest.fault);
        workers.push(harvest.worker);
    }
    let Some((number, fault)) = faults.into_iter().min_by_key(|(number, _)| *number) else {
        return Ok(workers);
    };
    let earlier = sizes.iter().filter(|(part, _)| *part < number).map(|(_, size)| size);
    let (records, lines) =
        earlier.fold((0, header_lines.unwrap_or(0)), |(r, l), size| (r + size.records, l + size.lines));
    let line = header_lines.and(fault.line).map(|line| lines + line);
    let place = Place { record: records + fault.record, line };
    Err(explain(fault.kind, place, reading))
}

fn join<T>(handle: std::thread::ScopedJoinHandle<'_, T>) -> T {
    handle.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

fn harvest<P: Parts>(parts: &P, reading: Reading<'_>, first_bad: &AtomicU64) -> Harvest {
    let worker = Worker::new(
        reading.keep,
        (reading.columns, reading.asked),
        (reading.derived, reading.conditions),
        reading.spelling,
    );
    let mut harvest = Harvest { worker, sizes: Vec::new(), fault: None };
    let mut scratch = P::Scratch::default();
    while !harvest.worker.has_enough() {
        let (number, part) = match parts.next() {
            Ok(Some(part)) => part,
            Ok(None) => break,
            Err(error) => {
                // After all that was handed out.
                harvest.fault = Some((u64::MAX, error.into()));
                break;
            }
        };
        // A part before the first bad one must still be counted and may hold an earlier fault.
        if number > first_bad.load(Ordering::Relaxed) {
            break;
        }
        let checked = reading.context.check().map_err(Fault::from);
        match checked.and_then(|()| parts.encode(part, &mut harvest.worker, &mut scratch)) {
            Ok(size) => harvest.sizes.push((number, size)),
            Err(fault) => {
                first_bad.fetch_min(number, Ordering::Relaxed);
                harvest.fault = Some((number, fault));
                break;
            }
        }
    }
    harvest
}

/// What may be wrong with a cell that is not in its column's hierarchy.
pub(crate) fn hint(cell: &[u8], column: &ColumnRequest) -> Option<Hint> {
    Hints::of(&column.rule).hint(std::str::from_utf8(cell).ok()?)
}

fn explain(kind: FaultKind, place: Place, reading: Reading<'_>) -> EngineError {
    let column = |request: usize| reading.columns[request].name.clone();
    let problem = match kind {
        FaultKind::Other(error) => return *error,
        FaultKind::Ragged(found, expected) => DataProblem::Ragged { place, found, expected },
        FaultKind::OpenQuote => DataProblem::OpenQuote { line: place.line.unwrap_or(0) },
        FaultKind::Malformed(what) => DataProblem::Format(what.after(&format!("{place}: "))),
        FaultKind::Source { derived, source, expected, is_day, value } => DataProblem::Source {
            place,
            column: column(source),
            expected: format!("{expected}, from which `{}` follows", column(derived)).into(),
            is_day,
            value: reading.show_values.then(|| String::from_utf8_lossy(&value).into()),
        },
        FaultKind::BeforeBirth { derived } => DataProblem::BeforeBirth { place, column: column(derived) },
        FaultKind::Cell { request, cell: BadCell::Encoding, .. } => {
            DataProblem::Encoding { place, column: column(request) }
        }
        FaultKind::Cell { request, cell: BadCell::Mark, .. } => {
            DataProblem::Mark { place, column: column(request) }
        }
        FaultKind::Cell { request, cell: BadCell::NotInHierarchy, value } => DataProblem::NotInHierarchy {
            place,
            column: column(request),
            expected: reading.columns[request].rule.expectation().into(),
            lacks: Box::new(Lacks { unlisted: None, hint: hint(&value, &reading.columns[request]) }),
            value: reading.show_values.then(|| String::from_utf8_lossy(&value).into_owned()),
        },
    };
    reading.file.refused(problem)
}
