//! An earlier release of the same table, found by its custodian's folder.

use std::path::{Path, PathBuf};
use velamen_report::OfMethod;

use serde_json::Value;
use velamen_core::context::Context;
use velamen_core::earlier::{Earlier, Values};
use velamen_core::error::Problem;
use velamen_dp::Seed;
use velamen_engine::formula::unescape;
use velamen_engine::source::ReadOptions;
use velamen_recipe::{JobError, Origin, RecordedReading, Resolved, custodian_of};
use velamen_search::method::Counterfeits;

use crate::folders::{COUNTERFEITS, CUSTODIAN_FILE};
use crate::published::Published;

/// The custodian's folder of an earlier release.
#[derive(Debug, Clone)]
pub struct After {
    custodian: PathBuf,
    release: PathBuf,
    seed: Seed,
    binds: bool,
}

impl After {
    /// The custodian's folder that is named, or else the one that stands beside the recipe's output and is of the same
    /// input. `None` where there is none, and for methods that tell of no counterfeits.
    ///
    /// # Errors
    /// [`JobError::usage`] if a folder is named, and the method makes no counterfeits or the recipe has another seed;
    /// [`JobError::io`] or [`JobError::data`] if it is no custodian's folder with its release beside it.
    pub fn find(recipe: &Resolved, named: Option<&Path>) -> Result<Option<Self>, JobError> {
        let catalogued = recipe.method.facts.counterfeits == Counterfeits::Catalogued;
        match named {
            None if !catalogued => Ok(None),
            None => Ok(Self::beside(recipe)),
            Some(_) if !catalogued => Err(JobError::usage(format!(
                "--after keeps counterfeits, and {} makes none",
                recipe.method.name()
            ))
            .mend("leave it out")),
            Some(folder) => {
                let (found, _) = Self::load(folder)?;
                match recipe.seed.as_ref().is_some_and(|seed| *seed != found.seed) {
                    true => Err(JobError::usage(
                        "--after takes the seed of the earlier release, and another one is given",
                    )
                    .mend("leave --seed and method.seed out")),
                    false => Ok(Some(Self { binds: true, ..found })),
                }
            }
        }
    }

    /// What stands where the release is to be, if it is one of the same input.
    fn beside(recipe: &Resolved) -> Option<Self> {
        let (found, record) = Self::load(&custodian_of(&recipe.output)).ok()?;
        is_of(&record, &recipe.input).then_some(found)
    }

    fn load(custodian: &Path) -> Result<(Self, Value), JobError> {
        let file = custodian.join(CUSTODIAN_FILE);
        let text = std::fs::read(&file).map_err(|error| JobError::io(&file, "read", &error))?;
        let wrong = || JobError::data(format!("{}: not the record of a custodian's folder", file.display()));
        let record: Value = serde_json::from_slice(&text).map_err(|_| wrong())?;
        let seed = record["seed"].as_str().and_then(|seed| seed.parse().ok()).ok_or_else(wrong)?;
        let release = release_of(custodian).ok_or_else(|| {
            JobError::data(format!("{}: no custodian's folder", custodian.display()))
                .expected("a folder NAME.custodian beside NAME")
        })?;
        if velamen_report::load(&release)?.facts().counterfeits != Counterfeits::Catalogued {
            return Err(JobError::data(format!("{}: its method makes no counterfeits", release.display())));
        }
        Ok((Self { custodian: custodian.to_owned(), release, seed, binds: false }, record))
    }

    /// The same; most counterfeits may be drawn anew.
    #[must_use]
    pub fn redrawing(self, redraw: bool) -> Self {
        Self { binds: self.binds && !redraw, ..self }
    }

    /// Its seed, with which it is made again: as secret as the data.
    #[must_use]
    pub fn seed(&self) -> &Seed {
        &self.seed
    }

    /// Its classes with their counterfeits.
    ///
    /// # Errors
    /// [`JobError::io`] or [`JobError::data`] if the folders do not read.
    pub(crate) fn classes(&self, context: &Context<'_>) -> Result<Earlier, JobError> {
        let release = Published::load(&self.release, None, context)?.release;
        Ok(Earlier { binds: self.binds, ..Earlier::of(&release, counterfeits(&self.custodian)?) })
    }

    /// What is said of a release whose counterfeits are drawn from another seed.
    pub(crate) fn other_seed(&self) -> String {
        format!(
            "{}: an earlier release of this table; its counterfeits are not kept, since another seed is given. {INTERSECTED}",
            self.release.display()
        )
    }
}

/// Class id, sensitive value and count of a custodian's folder; none where it has no such file.
///
/// # Errors
/// [`JobError::data`] of a folder that no custodian's is, and of a list that does not read, with its line.
pub(crate) fn counterfeits(custodian: &Path) -> Result<Vec<(u64, String, u64)>, JobError> {
    if !custodian.join(CUSTODIAN_FILE).is_file() {
        return Err(JobError::data(format!("{}: no custodian's folder", custodian.display()))
            .expected(format!("a folder with {CUSTODIAN_FILE}, such as NAME.custodian beside NAME")));
    }
    let file = custodian.join(COUNTERFEITS);
    if !file.exists() {
        return Ok(Vec::new());
    }
    let mut reader = csv::Reader::from_path(&file).map_err(|_| no_list(&file, ""))?;
    let numbered = reader.records().zip(2..);
    numbered.map(|(row, line)| listed(row).ok_or_else(|| no_list(&file, &format!(", line {line}")))).collect()
}

fn listed(row: csv::Result<csv::StringRecord>) -> Option<(u64, String, u64)> {
    let row = row.ok()?;
    Some((row.get(0)?.parse().ok()?, unescape(row.get(1)?).to_owned(), row.get(2)?.parse().ok()?))
}

fn no_list(file: &Path, at: &str) -> JobError {
    JobError::data(format!("{}{at}: no list of counterfeits", file.display()))
        .expected("rows of ClassID, value and Count")
}

/// What two releases betray.
const INTERSECTED: &str = "Whoever has both can spot counterfeits by what only one of them has: withdraw the earlier one, or \
                           keep its counterfeits with --after and without a seed";

/// What is said where counterfeits changed; nothing where all were kept.
///
/// # Errors
/// What is wrong where fewer than half were kept and the earlier release binds.
pub(crate) fn changed(earlier: &Earlier, now: &Earlier) -> Result<Option<String>, Problem> {
    let (gone, new) = earlier.changed(now);
    let all: u64 = earlier.classes.values().flat_map(Values::values).sum();
    if earlier.binds && 2 * gone > all {
        return Err(Problem::of(&["method"], few_kept(all - gone, all)).mend(KEEP_OR_WITHDRAW));
    }
    Ok((gone + new > 0).then(|| {
        format!(
            "{gone} counterfeits of the earlier release are not in this one, and {new} are new, in classes that did not \
             stand. Whoever has both releases can spot counterfeits by what only one of them has: withdraw the earlier one"
        )
    }))
}

/// What two releases betray that have few counterfeits in common.
fn few_kept(kept: u64, all: u64) -> String {
    let kept = if kept == 0 { "no counterfeit".into() } else { format!("{kept} of {all} counterfeits") };
    format!(
        "--after keeps {kept} of the earlier release, since its groups are others: whoever has both can spot most \
         counterfeits by what only one of them has"
    )
}

const KEEP_OR_WITHDRAW: &str =
    "give the attributes the levels of the earlier release (`level`), or withdraw that one and add --redraw";

/// Where a file lies, links followed; as it is written, if that cannot be found out. `None` of what is no file.
pub(crate) fn place(table: &Origin) -> Option<String> {
    let path = table.file()?;
    Some(path.canonicalize().unwrap_or_else(|_| path.to_owned()).display().to_string())
}

/// Whether a custodian's record is of a run on that table. Older records do not say where a file lies, only how it was
/// named.
fn is_of(record: &Value, table: &Origin) -> bool {
    match (record["input-path"].as_str(), place(table)) {
        (Some(recorded), Some(place)) => recorded == place,
        _ => record["input"] == table.label() && record["query"].as_str() == table.text(),
    }
}

/// The options with what they leave open as the release's own table was read, by the custodian's folder beside it. Other
/// tables, and releases without that folder, are read by the options alone; of a table with the own one's file name a
/// note says so.
#[must_use]
pub fn read_as_then(release: &Path, table: &Origin, read: &ReadOptions) -> (ReadOptions, Option<String>) {
    let recorded = || -> Option<(Value, RecordedReading)> {
        let text = std::fs::read(custodian_of(release).join(CUSTODIAN_FILE)).ok()?;
        let mut record: Value = serde_json::from_slice(&text).ok()?;
        let reading = serde_json::from_value(record["read"].take()).ok()?;
        Some((record, reading))
    };
    let alone = (read.clone(), None);
    let (Some(file), Some((record, reading))) = (table.file(), recorded()) else { return alone };
    let filled = reading.fill(read);
    if is_of(&record, table) {
        return (filled, None);
    }
    let named = record["input"].as_str().and_then(|input| Path::new(input).file_name());
    let differs = RecordedReading::of(&filled) != RecordedReading::of(read);
    (read.clone(), (differs && file.file_name() == named).then(|| elsewhere(file)))
}

fn elsewhere(file: &Path) -> String {
    format!(
        "{} is not the file that the release was made of, so it is read by the options alone; {CUSTODIAN_FILE} has how \
         that one was read under `read`",
        file.display()
    )
}

/// `release` for `release.custodian`.
fn release_of(custodian: &Path) -> Option<PathBuf> {
    let name = custodian.file_name()?.to_str()?.strip_suffix(".custodian").filter(|name| !name.is_empty())?;
    Some(custodian.with_file_name(name))
}
