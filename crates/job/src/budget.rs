//! The ledger: what every differentially private release of one table has spent, kept by the custodian.
//!
//! A run takes the ledger's lock, is refused if the total does not allow what it would spend, reads the table,
//! adds its entry, lets go of the lock, and only then draws. So a run that was refused or could not read its
//! table has spent nothing, and one that fails or is killed after its first draw has spent what it asked for.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};
use velamen_core::context::Context;
use velamen_dp::{Loss, Rational};
use velamen_recipe::{Code, JobError, ResolvedBudget};

/// The first line of every ledger, so that nothing else is taken for one.
const FIRST: &str = r#"{"ledger":"velamen","format":1}"#;
/// How long to wait before the lock is tried again.
const WAIT: Duration = Duration::from_millis(50);

/// What one release has spent: a line of the ledger.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct LedgerEntry {
    /// The release's folder.
    pub release: PathBuf,
    /// The custodian's name for the table.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of: Option<String>,
    /// The method's name.
    pub method: String,
    /// When, in seconds since 1970.
    pub unix_seconds: u64,
    /// ε.
    #[serde(serialize_with = "shown", deserialize_with = "ratio")]
    pub epsilon: Rational,
    /// δ.
    #[serde(serialize_with = "shown", deserialize_with = "ratio")]
    pub delta: Rational,
}

fn shown<S: serde::Serializer>(number: &Rational, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(number)
}

fn ratio<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Rational, D::Error> {
    let text = String::deserialize(deserializer)?;
    let (numerator, denominator) = text.split_once('/').unwrap_or((&text, "1"));
    let read = numerator.parse().ok().zip(denominator.parse().ok());
    let ratio = read.and_then(|(numerator, denominator)| Rational::new(numerator, denominator).ok());
    ratio.ok_or_else(|| serde::de::Error::custom("not a number as \"1/2\""))
}

/// What a ledger lists.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Ledger {
    /// In the order they were added.
    pub entries: Vec<LedgerEntry>,
}

impl Ledger {
    /// Reads a ledger.
    ///
    /// # Errors
    /// [`JobError::io`] if it cannot be read, [`JobError::data`] with its line if it is damaged.
    pub fn load(path: &Path) -> Result<Self, JobError> {
        let text =
            std::fs::read(path).map_err(|error| JobError::io(path, "read the budget's ledger", &error))?;
        let wrong = |line: usize, problem: &str| {
            JobError::data(format!("{}: line {line}: {problem}; nothing was read or spent", path.display()))
                .mend("restore the ledger from a copy, or name another")
        };
        let lines: Vec<&[u8]> =
            text.strip_suffix(b"\n").unwrap_or(&text).split(|&byte| byte == b'\n').collect();
        if lines[0] != FIRST.as_bytes() {
            return Err(wrong(1, &format!("not a ledger of budgets, which begins with {FIRST}")));
        }
        if !text.ends_with(b"\n") {
            return Err(wrong(lines.len(), "the line is cut off"));
        }
        let entry = |(number, line): (usize, &&[u8])| {
            serde_json::from_slice(line)
                .map_err(|error| wrong(number + 2, &format!("not an entry of the ledger ({error})")))
        };
        Ok(Self { entries: lines[1..].iter().enumerate().map(entry).collect::<Result<_, _>>()? })
    }

    /// The exact sum of all entries; `None` if it does not fit.
    #[must_use]
    pub fn spent(&self) -> Option<Loss> {
        self.entries
            .iter()
            .try_fold(Loss::NONE, |sum, entry| plus(sum, Loss { epsilon: entry.epsilon, delta: entry.delta }))
    }

    fn write(&self, path: &Path) -> Result<(), JobError> {
        let failed = |error: &std::io::Error| JobError::io(path, "write the budget's ledger", error);
        let mut text = format!("{FIRST}\n");
        for entry in &self.entries {
            text += &serde_json::to_string(entry).map_err(|error| JobError::unusable(error.to_string()))?;
            text.push('\n');
        }
        let folder = folder(path);
        let mut file = tempfile::Builder::new().prefix(".velamen-ledger-").tempfile_in(folder);
        let file = file.as_mut().map_err(|error| failed(error))?;
        let written = file.write_all(text.as_bytes()).and_then(|()| file.as_file().sync_all());
        written.map_err(|error| failed(&error))?;
        if let Ok(old) = std::fs::metadata(path) {
            let kept = file.as_file().set_permissions(old.permissions());
            kept.map_err(|error| failed(&error))?;
        }
        std::fs::rename(file.path(), path).map_err(|error| failed(&error))?;
        // The name is safe only when its folder is; where a folder cannot be synced, this is all there is.
        File::open(folder)
            .and_then(|folder| folder.sync_all())
            .or_else(unsupported)
            .map_err(|error| failed(&error))
    }
}

fn plus(one: Loss, two: Loss) -> Option<Loss> {
    let epsilon = one.epsilon.checked_add(two.epsilon)?;
    Some(Loss { epsilon, delta: one.delta.checked_add(two.delta)? })
}

fn unsupported(error: std::io::Error) -> std::io::Result<()> {
    use std::io::ErrorKind::{InvalidInput, PermissionDenied, Unsupported};
    if [Unsupported, InvalidInput, PermissionDenied].contains(&error.kind()) { Ok(()) } else { Err(error) }
}

fn folder(path: &Path) -> &Path {
    path.parent().filter(|parent| *parent != Path::new("")).unwrap_or(Path::new("."))
}

/// What is spent of a total, for the custodian only.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Account {
    /// By all releases, this one included.
    pub spent: Loss,
    /// What all may spend.
    pub total: Loss,
}

/// The right to spend: as long as it lives, no other run can use the ledger.
#[derive(Debug)]
pub(crate) struct Reserved {
    path: PathBuf,
    ledger: Ledger,
    entry: LedgerEntry,
    account: Account,
    _lock: File,
}

/// Waits for the ledger and refuses what its total does not allow. Nothing is spent yet.
///
/// # Errors
/// [`JobError::promise`] if too little is left, [`JobError::data`] if the ledger is damaged or another table's,
/// [`JobError::io`], [`JobError::interrupted`].
pub(crate) fn reserve(
    budget: &ResolvedBudget,
    release: &Path,
    method: String,
    context: &Context<'_>,
) -> Result<Reserved, JobError> {
    refuse_links(&budget.ledger)?;
    // A link is followed, so that the file behind it is replaced and not the link.
    let path = std::fs::canonicalize(&budget.ledger).unwrap_or_else(|_| budget.ledger.clone());
    let lock = locked(&path, context)?;
    let there = path.try_exists().map_err(|error| JobError::io(&path, "read the budget's ledger", &error))?;
    let ledger = if there { Ledger::load(&path)? } else { Ledger::default() };
    refuse_other(&path, &ledger, budget)?;
    let Loss { epsilon, delta } = budget.loss;
    let release = std::path::absolute(release).unwrap_or_else(|_| release.to_owned());
    let entry =
        LedgerEntry { release, of: budget.of.clone(), method, unix_seconds: unix_seconds(), epsilon, delta };
    let account = Account { spent: allowed(&path, &ledger, budget)?, total: budget.total };
    Ok(Reserved { path, ledger, entry, account, _lock: lock })
}

/// Refuses what [`reserve`] would refuse, without a lock: another run may spend what is left in the meantime.
///
/// # Errors
/// As [`reserve`].
pub(crate) fn check(budget: &ResolvedBudget) -> Result<(), JobError> {
    let path = &budget.ledger;
    refuse_links(path)?;
    let there = path.try_exists().map_err(|error| JobError::io(path, "read the budget's ledger", &error))?;
    let ledger = if there { Ledger::load(path)? } else { Ledger::default() };
    refuse_other(path, &ledger, budget)?;
    allowed(path, &ledger, budget).map(drop)
}

/// Refuses names by which one ledger could become two: a link to nothing, or one of several names of a file.
fn refuse_links(ledger: &Path) -> Result<(), JobError> {
    let refuse = |problem: &str| {
        Err(JobError::unusable(format!("{}: {problem}", ledger.display()))
            .mend("name the ledger by its own path"))
    };
    match (ledger.symlink_metadata(), ledger.metadata()) {
        (Ok(_), Err(_)) => refuse("the budget's ledger is a link to a file that does not exist"),
        (Ok(_), Ok(there)) if !there.is_file() => refuse("the budget's ledger is no file"),
        (Ok(_), Ok(there)) if names(&there) > 1 => {
            refuse("the budget's ledger has several names (hard links)")
        }
        _ => Ok(()),
    }
}

#[cfg(unix)]
fn names(file: &std::fs::Metadata) -> u64 {
    use std::os::unix::fs::MetadataExt;
    file.nlink()
}

#[cfg(not(unix))]
fn names(_: &std::fs::Metadata) -> u64 {
    1
}

impl Reserved {
    /// Adds the entry, which stays whatever becomes of the run. To be called before the first draw.
    ///
    /// # Errors
    /// [`JobError::io`]; the ledger is then as it was, and nothing may be drawn.
    pub(crate) fn spend(mut self) -> Result<Account, JobError> {
        self.ledger.entries.push(self.entry);
        self.ledger.write(&self.path)?;
        Ok(self.account)
    }
}

/// The clock, which no result depends on.
pub(crate) fn unix_seconds() -> u64 {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

/// What will be spent with this run, if the total allows it.
fn allowed(path: &Path, ledger: &Ledger, budget: &ResolvedBudget) -> Result<Loss, JobError> {
    let Some((before, after)) = ledger.spent().and_then(|before| Some((before, plus(before, budget.loss)?)))
    else {
        return Err(JobError::promise(format!("{}: the budgets no longer add up exactly", path.display()))
            .mend("use fewer digits for epsilon and delta"));
    };
    let total = budget.total;
    if after.epsilon <= total.epsilon && after.delta <= total.delta {
        return Ok(after);
    }
    let refusal = JobError::promise(format!(
        "the budget does not allow this release: it would spend {}, and {} of {} {} spent ({}); no record was read",
        told(budget.loss),
        told(before),
        told(total),
        if ledger.entries.len() == 1 { "is" } else { "are" },
        path.display(),
    ));
    let mend = "ask for less, or raise budget.total if those in the table are promised no less";
    Err(refusal.mend(mend).coded(Code::BUDGET_SPENT))
}

/// A loss in decimals.
fn told(loss: Loss) -> String {
    format!("epsilon {}, delta {}", loss.epsilon.to_f64(), loss.delta.to_f64())
}

fn refuse_other(path: &Path, ledger: &Ledger, budget: &ResolvedBudget) -> Result<(), JobError> {
    let Some(of) = &budget.of else { return Ok(()) };
    let other = ledger.entries.iter().position(|entry| entry.of.as_ref().is_some_and(|other| other != of));
    let Some(at) = other else { return Ok(()) };
    Err(JobError::data(format!(
        "{}: line {}: the ledger is of another table than budget.of = \"{of}\"",
        path.display(),
        at + 2
    ))
    .mend("give every table a ledger of its own"))
}

/// The lock beside the ledger, which is replaced and cannot be locked itself. It ends with the file's handle,
/// also where the process is killed.
fn locked(ledger: &Path, context: &Context<'_>) -> Result<File, JobError> {
    let mut name = ledger.as_os_str().to_os_string();
    name.push(".lock");
    let path = PathBuf::from(name);
    let file = File::options().create(true).append(true).open(&path);
    let file = file.map_err(|error| JobError::io(&path, "open the lock of the budget's ledger", &error))?;
    while !try_lock(&file).map_err(|error| JobError::io(&path, "lock the budget's ledger", &error))? {
        context.check()?;
        std::thread::sleep(WAIT);
    }
    Ok(file)
}

#[cfg(unix)]
fn try_lock(file: &File) -> std::io::Result<bool> {
    use rustix::fs::{FlockOperation, flock};
    match flock(file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(true),
        Err(error) if error == rustix::io::Errno::WOULDBLOCK => Ok(false),
        Err(error) => Err(error.into()),
    }
}

#[cfg(not(unix))]
fn try_lock(_file: &File) -> std::io::Result<bool> {
    Err(std::io::Error::new(std::io::ErrorKind::Unsupported, "files cannot be locked on this system"))
}
