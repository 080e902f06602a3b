//! Released records written by a cluster, in parts that the driver compares with what must stand in them.
//!
//! The driver lays down each distinct row once, as a line of text with its number of copies; executors
//! repeat the lines; the driver reads every part, compares it byte for byte and puts the parts behind each
//! other in their order. So the file is the one that is written in process, whatever a node does.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use futures::future::join_all;
use velamen_core::context::Context;
use velamen_engine::sink::{Copies, Lines};
use velamen_sql::datafusion::arrow::array::{ArrayRef, AsArray, Int64Array, RecordBatch, StringArray};
use velamen_sql::datafusion::arrow::compute::cast;
use velamen_sql::datafusion::arrow::datatypes::DataType;
use velamen_sql::datafusion::parquet::arrow::ArrowWriter;
use velamen_sql::datafusion::parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

use crate::client::{Settings, Stop, ask, pause, runtime};
use crate::error::{ClusterError, Fault};
use crate::location::plain;
use crate::statement::expansion;
use crate::table::{ClusterTable, LINE, TIMES};

/// Records of a part.
const PART: u64 = 1 << 18;

/// Parts that are written at once.
const WAVE: usize = 8;

/// Bytes that a line's copies may take together in one row of a part.
const BLOCK: usize = 1 << 20;

/// Records of consecutive rows.
struct ConsecutiveRows {
    copies: Vec<Copies>,
    number: usize,
}

/// Writes all records into `out`, which must not exist: in process the header, on the cluster the rest.
/// `shared` is a folder that every node sees under that path. Returns why earlier parts were not used.
///
/// Time: linear in the text; memory: a few parts.
///
/// # Errors
/// [`ClusterError`]; [`ClusterError::Unproven`] where no attempt gave a part as it must be. `out` is then
/// there in part.
pub fn rewrite(
    lines: &Lines<'_>,
    shared: &Path,
    out: &Path,
    settings: &Settings,
    context: &Context<'_>,
) -> Result<Vec<Fault>, ClusterError> {
    let unusable = |error: std::io::Error| {
        ClusterError::Io(format!("{}: cannot write: {error}", shared.display()).into())
    };
    let shared = shared.canonicalize().map_err(unusable)?;
    let folder = tempfile::Builder::new().prefix("velamen-parts-").tempdir_in(&shared).map_err(unusable)?;
    let unwritten =
        |error: std::io::Error| ClusterError::Io(format!("{}: cannot write: {error}", out.display()).into());
    let mut file = BufWriter::new(File::create_new(out).map_err(unwritten)?);
    file.write_all(&lines.header).map_err(unwritten)?;
    let settings = Settings { tasks: 1, ..settings.clone() };
    let writing = Writing { lines, folder: folder.path(), settings: &settings, context };
    let runtime = runtime()?;
    let (mut faults, mut written) = (Vec::new(), 0);
    let parts = lines.batches(PART).enumerate().map(|(number, copies)| ConsecutiveRows { copies, number });
    let mut parts = parts.peekable();
    while parts.peek().is_some() {
        let wave: Vec<ConsecutiveRows> = parts.by_ref().take(WAVE).collect();
        let texts = runtime.block_on(join_all(wave.iter().map(|part| writing.proven(part))));
        for (part, text) in wave.iter().zip(texts) {
            let (text, part_faults) = text?;
            faults.extend(part_faults);
            file.write_all(&text).map_err(unwritten)?;
            written += part.copies.iter().map(|copies| copies.times).sum::<u64>();
            context.progress.step("writing", written, lines.records());
        }
    }
    file.into_inner().map_err(|error| unwritten(error.into_error()))?.sync_all().map_err(unwritten)?;
    Ok(faults)
}

/// Sees that parts can be written into a folder, before all the work that comes before.
///
/// # Errors
/// [`ClusterError::Refused`] if its name means patterns to the cluster, [`ClusterError::Io`] if nothing can be
/// written there.
pub fn writable(shared: &Path) -> Result<(), ClusterError> {
    let unusable = |error: std::io::Error| {
        ClusterError::Io(format!("{}: cannot write: {error}", shared.display()).into())
    };
    let whole = shared.canonicalize().map_err(unusable)?;
    plain(&whole.display().to_string())?;
    tempfile::Builder::new().prefix("velamen-parts-").tempdir_in(&whole).map_err(unusable)?;
    Ok(())
}

struct Writing<'a> {
    lines: &'a Lines<'a>,
    folder: &'a Path,
    settings: &'a Settings,
    context: &'a Context<'a>,
}

impl Writing<'_> {
    /// A part's text, after as many attempts as it takes.
    async fn proven(&self, part: &ConsecutiveRows) -> Result<(Vec<u8>, Vec<Fault>), ClusterError> {
        let rows = self.rows(part);
        let input = self.folder.join(format!("{}.parquet", part.number));
        lay_down(&rows, &input)?;
        let mut faults = Vec::new();
        loop {
            // A name of its own, since an executor that is given up for lost may still be writing.
            let output = self.folder.join(format!("{}-{}.parquet", part.number, faults.len()));
            match self.attempt(&rows, &input, &output).await {
                Ok(text) => return Ok((text, faults)),
                Err(Stop::Interrupted(interrupted)) => return Err(interrupted.into()),
                Err(Stop::Fault(fault)) => faults.push(fault),
            }
            if faults.len() > self.settings.retries as usize {
                return Err(ClusterError::Unproven(faults));
            }
            pause(faults.len(), self.context).await?;
        }
    }

    async fn attempt(&self, rows: &[CountedLine], input: &Path, output: &Path) -> Result<Vec<u8>, Stop> {
        let table = ClusterTable::part(input).map_err(|_| Fault::Form)?;
        let sql = expansion(&output.display().to_string());
        ask(self.settings, &table, &sql, self.context).await?;
        Ok(compared(rows, output)?)
    }

    /// A part's lines, each with as many copies as one block holds.
    fn rows(&self, part: &ConsecutiveRows) -> Vec<CountedLine> {
        let mut rows = Vec::with_capacity(part.copies.len());
        for copies in &part.copies {
            let mut line = Vec::new();
            self.lines.append(Copies { times: 1, ..*copies }, &mut line);
            let most = (BLOCK / line.len()).max(1) as u64;
            let line: Arc<str> = String::from_utf8_lossy(&line).into();
            let mut left = copies.times;
            while left > 0 {
                let times = left.min(most);
                rows.push(CountedLine { line: Arc::clone(&line), times });
                left -= times;
            }
        }
        rows
    }
}

/// A line and how often it stands there.
struct CountedLine {
    line: Arc<str>,
    times: u64,
}

fn lay_down(rows: &[CountedLine], path: &PathBuf) -> Result<(), ClusterError> {
    let failed = |error: &dyn std::fmt::Display| {
        ClusterError::Io(format!("{}: cannot write: {error}", path.display()).into())
    };
    let lines: ArrayRef = Arc::new(rows.iter().map(|row| Some(&*row.line)).collect::<StringArray>());
    let times: ArrayRef = Arc::new(rows.iter().map(|row| row.times as i64).collect::<Int64Array>());
    let batch =
        RecordBatch::try_from_iter([(LINE, lines), (TIMES, times)]).map_err(|error| failed(&error))?;
    let file = File::create(path).map_err(|error| failed(&error))?;
    let mut writer = ArrowWriter::try_new(file, batch.schema(), None).map_err(|error| failed(&error))?;
    writer.write(&batch).map_err(|error| failed(&error))?;
    writer.close().map(drop).map_err(|error| failed(&error))
}

/// The text of a part, if it is what it must be.
fn compared(rows: &[CountedLine], path: &Path) -> Result<Vec<u8>, Fault> {
    let unreadable = |_| Fault::Part;
    let file = File::open(path).map_err(|_| Fault::Part)?;
    let reader = ParquetRecordBatchReaderBuilder::try_new(file).and_then(|builder| builder.build());
    let (mut expected, mut text) = (rows.iter(), Vec::new());
    for batch in reader.map_err(|_| Fault::Part)? {
        let batch = batch.map_err(unreadable)?;
        let column = batch.columns().first().ok_or(Fault::Part)?;
        let blocks = cast(column, &DataType::Utf8).map_err(unreadable)?;
        for block in blocks.as_string::<i32>() {
            let row = expected.next().ok_or(Fault::Part)?;
            let block = block.filter(|block| is_repeated(block, row)).ok_or(Fault::Part)?;
            text.extend_from_slice(block.as_bytes());
        }
    }
    if expected.next().is_some() { Err(Fault::Part) } else { Ok(text) }
}

fn is_repeated(block: &str, row: &CountedLine) -> bool {
    let line = row.line.as_bytes();
    block.len() as u64 == line.len() as u64 * row.times
        && block.as_bytes().chunks_exact(line.len()).all(|copy| copy == line)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(folder: &Path, blocks: &[&str]) -> PathBuf {
        let path = folder.join("part.parquet");
        let blocks: ArrayRef = Arc::new(StringArray::from(blocks.to_vec()));
        let batch = RecordBatch::try_from_iter([("block", blocks)]).unwrap();
        let mut writer = ArrowWriter::try_new(File::create(&path).unwrap(), batch.schema(), None).unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();
        path
    }

    #[test]
    fn a_part_is_taken_only_as_it_must_be() {
        let folder = tempfile::tempdir().unwrap();
        let rows = [("a\n", 2), ("b\n", 1)].map(|(line, times)| CountedLine { line: line.into(), times });
        let found = |blocks: &[&str]| compared(&rows, &part(folder.path(), blocks));
        assert_eq!(found(&["a\na\n", "b\n"]).unwrap(), b"a\na\nb\n");
        for wrong in [
            &["a\na\n"][..],
            &["a\n", "b\n"],
            &["b\n", "a\na\n"],
            &["a\na\n", "c\n"],
            &["a\na\n", "b\n", "b\n"],
        ] {
            assert_eq!(found(wrong), Err(Fault::Part), "{wrong:?}");
        }
        let whole = part(folder.path(), &["a\na\n", "b\n"]);
        let bytes = std::fs::read(&whole).unwrap();
        for length in [0, 4, bytes.len() / 2, bytes.len() - 1] {
            std::fs::write(&whole, &bytes[..length]).unwrap();
            assert_eq!(compared(&rows, &whole), Err(Fault::Part), "cut to {length} bytes");
        }
        std::fs::remove_file(&whole).unwrap();
        assert_eq!(compared(&rows, &whole), Err(Fault::Part));
    }
}
