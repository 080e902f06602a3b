//! Sheets by calamine: read only, and as a whole, since a sheet has a million rows
//! at most.
//!
//! The first row that holds anything names the columns. A cell is what a CSV export of the sheet would hold, but in
//! the spelling of ISO 8601 and with a decimal point: numbers by the 15 digits that Excel shows, dates without a
//! time where no cell of the column has one, a formula's value as it was last computed. Empty rows are skipped, as
//! empty lines are.

use std::io::{Cursor, Read};
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema};
use bytes::Bytes;
use calamine::{Cell, Data, ExcelDateTime, Range, Reader as _, Sheets, open_workbook_auto_from_rs};
use velamen_core::error::Problem;

use super::compound;
use crate::error::{DataProblem, EngineError};
use crate::guard::guarded;
use crate::packing::{Compression, most_unpacked};
use crate::source::file::SourceFile;
use crate::source::form::{Form, Header, Sheet};
use crate::source::heading::{LOOKED_AT, rows_above};
use crate::source::reading::Reading;
use crate::worker::Worker;

/// Records that are encoded at once.
const BATCH: usize = 1 << 14;

type Workbook = Sheets<Cursor<Bytes>>;

pub(super) fn open(file: &SourceFile, form: &Form) -> Result<Header, EngineError> {
    let table = SheetCells::read(file, form)?;
    let kinds = (0..table.columns.len()).map(|column| table.kind(column)).collect();
    Ok(Header { columns: table.columns, kinds: Some(kinds), delimiter: None })
}

pub(super) fn read(reading: Reading<'_>) -> Result<Vec<Worker>, EngineError> {
    let positions = reading.positions()?;
    let table = SheetCells::read(reading.file, reading.form)?;
    let timed: Vec<bool> = (0..table.columns.len()).map(|column| table.cells(column).any(has_time)).collect();
    let fields = positions.iter().map(|&column| Field::new(&reading.names[column], DataType::Utf8, true));
    let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
    let rows: Vec<&[Data]> = table.rows().collect();
    reading.batches(rows.chunks(BATCH).map(|rows| {
        let array = |&column: &usize| {
            let cells = rows.iter().map(|row| row.get(column).and_then(|cell| text(cell, timed[column])));
            Arc::new(cells.collect::<StringArray>()) as ArrayRef
        };
        RecordBatch::try_new(Arc::clone(&schema), positions.iter().map(array).collect()).ok()
    }))
}

/// Whoever reads it can not tell which of these it is.
fn no_workbook() -> Problem {
    Problem::new(
        "this is not a workbook (.xlsx, .ods, .xlsb or .xls), or it is protected by a password or damaged",
    )
    .mend("save it anew, or export the sheet as CSV in UTF-8")
}

/// A sheet may span so many cells, and for each cell that holds anything [`SPARSE`] more: it is held as a rectangle.
const SPAN: u64 = 1 << 22;

/// See [`SPAN`].
const SPARSE: u64 = 64;

/// Why a sheet is no table.
enum Bad {
    Empty,
    Problem(Problem),
    Header(DataProblem),
}

/// Whether the parts of an archive unpack to no more than is allowed; what is no archive has none. What they unpack to is
/// counted, not read from the archive's list, which can say anything.
fn unpacks_to_little(content: &Bytes) -> bool {
    guarded(|| unpacked(content)).is_none_or(|counted| counted.is_ok())
}

/// Counts what the parts of an archive unpack to.
fn unpacked(content: &Bytes) -> Result<(), TooMuch> {
    let mut left = most_unpacked(content.len() as u64 / 8);
    let Ok(mut archive) = zip::ZipArchive::new(Cursor::new(content.clone())) else { return Ok(()) };
    for number in 0..archive.len() {
        // A part that does not read is the reader's to refuse.
        let Ok(part) = archive.by_index(number) else { continue };
        let is_strings = part.name().to_ascii_lowercase().ends_with("sharedstrings.xml");
        let (mut part, mut strings) = (part.take(left.saturating_add(1)), Vec::new());
        let read = match is_strings {
            true => part.read_to_end(&mut strings).map(drop),
            false => std::io::copy(&mut part, &mut std::io::sink()).map(drop),
        };
        // A part that breaks off was held as far as it came.
        drop(read);
        left = part.limit().checked_sub(1).ok_or(TooMuch)?;
        // The library takes memory for so many texts before it reads one.
        if counted(&strings) > strings.len() as u64 {
            return Err(TooMuch);
        }
    }
    Ok(())
}

/// More than an archive may unpack to.
struct TooMuch;

/// The largest number of texts that a list of them states.
fn counted(strings: &[u8]) -> u64 {
    const COUNT: &[u8] = b"uniqueCount";
    let stated = |place: usize| {
        let text = strings[place + COUNT.len()..].iter();
        let digits =
            text.skip_while(|byte| b" \t\r\n='\"".contains(byte)).take_while(|byte| byte.is_ascii_digit());
        digits.fold(0u64, |number, digit| number.saturating_mul(10).saturating_add(u64::from(digit - b'0')))
    };
    memchr::memmem::find_iter(strings, COUNT).map(stated).max().unwrap_or(0)
}

/// The cells of a sheet, as a rectangle.
///
/// Cells of the rows above the table are not among them.
fn range(workbook: &mut Workbook, name: &str, above: u32) -> Result<Range<Data>, Bad> {
    let damaged = || Bad::Problem(no_workbook());
    let mut cells: Vec<Cell<Data>> = Vec::new();
    let mut keep = |cell: Cell<calamine::DataRef<'_>>| {
        if cell.get_position().0 >= above && !matches!(cell.get_value(), calamine::DataRef::Empty) {
            cells.push(Cell::new(cell.get_position(), cell.get_value().clone().into()));
        }
    };
    match workbook {
        Sheets::Xlsx(workbook) => {
            let mut reader = workbook.worksheet_cells_reader(name).map_err(|_| damaged())?;
            while let Some(cell) = reader.next_cell().map_err(|_| damaged())? {
                keep(cell);
            }
        }
        Sheets::Xlsb(workbook) => {
            let mut reader = workbook.worksheet_cells_reader(name).map_err(|_| damaged())?;
            while let Some(cell) = reader.next_cell().map_err(|_| damaged())? {
                keep(cell);
            }
        }
        // The library read these as it opened them.
        workbook => {
            return workbook.worksheet_range(name).map(|range| below(range, above)).map_err(|_| damaged());
        }
    }
    let span = |of: fn((u32, u32)) -> u32| {
        let places = || cells.iter().map(|cell| of(cell.get_position()));
        u64::from(places().max().unwrap_or(0) - places().min().unwrap_or(0)) + 1
    };
    if span(|place| place.0).saturating_mul(span(|place| place.1)) > SPAN + SPARSE * cells.len() as u64 {
        return Err(Bad::Problem(
            Problem::new(
                "the sheet spans far more cells than hold anything: some stand far away from the table",
            )
            .mend("delete them, or export the table as CSV in UTF-8"),
        ));
    }
    Ok(Range::from_sparse(cells))
}

/// The cells from a row of the sheet on.
fn below(range: Range<Data>, above: u32) -> Range<Data> {
    match (range.start(), range.end()) {
        (Some(start), Some(end)) if start.0 < above => match above <= end.0 {
            true => range.range((above, start.1), end),
            false => Range::empty(),
        },
        _ => range,
    }
}

/// The rows of a sheet that are looked at for a title.
const LOOKED_THROUGH: usize = 60;

/// Which sheet of several holds a table, and how many rows stand above it; what cannot be read is told when it is opened.
pub(crate) fn sheet(file: &SourceFile) -> (Option<Sheet>, u64) {
    let Ok(content) = content(file) else { return (None, 0) };
    guarded(|| of_first_table(content)).flatten().unwrap_or_default()
}

/// The names of a workbook's sheets in their order; none where they cannot be read.
pub(crate) fn names(file: &SourceFile) -> Vec<String> {
    let Ok(content) = content(file) else { return Vec::new() };
    let workbook = guarded(|| open_workbook_auto_from_rs(Cursor::new(content)).ok());
    workbook.flatten().map(|workbook: Workbook| workbook.sheet_names()).unwrap_or_default()
}

fn of_first_table(content: Bytes) -> Option<(Option<Sheet>, u64)> {
    let mut workbook = open_workbook_auto_from_rs(Cursor::new(content)).ok()?;
    let names = workbook.sheet_names();
    for (place, name) in names.iter().enumerate() {
        let Ok(range) = range(&mut workbook, name, 0) else { continue };
        if range.height() < 2 || (range.width() < 2 && names.len() > 1) {
            continue;
        }
        let filled =
            range.rows().take(LOOKED_THROUGH).map(|row| row.iter().filter(|cell| !is_blank(cell)).count());
        let first = range.start().map_or(0, |start| u64::from(start.0));
        let above = rows_above(&filled.collect::<Vec<_>>());
        // A sheet of notes before the table has no record below what would be its names.
        if names.len() > 1 && (range.height() as u64) < above + 2 {
            continue;
        }
        let above = if above == 0 { 0 } else { first + above };
        return Some(((names.len() > 1).then_some(Sheet::Number(place + 1)), above));
    }
    None
}

/// A workbook as a whole, where it may be read.
fn content(file: &SourceFile) -> Result<Bytes, EngineError> {
    let refuse = |problem: Problem| file.refused(DataProblem::Format(problem));
    if file.compression() != Compression::None {
        return Err(refuse(
            Problem::new("a workbook packed as a whole cannot be read").mend("unpack it first"),
        ));
    }
    let mut content = Vec::new();
    file.reader()?.read_to_end(&mut content).map_err(file.failed("read"))?;
    let content = Bytes::from(content);
    if !unpacks_to_little(&content) {
        return Err(file.refused(DataProblem::Unpacks));
    }
    if !compound::is_bounded(&content) {
        return Err(refuse(no_workbook()));
    }
    Ok(content)
}

/// A sheet's cells below its header.
struct SheetCells {
    columns: Vec<String>,
    range: Range<Data>,
    /// Rows that name the columns: one or none.
    heading: usize,
}

impl SheetCells {
    fn read(file: &SourceFile, form: &Form) -> Result<Self, EngineError> {
        let refuse = |problem: Problem| file.refused(DataProblem::Format(problem));
        let content = content(file)?;
        match guarded(|| Self::of(content, form, u32::try_from(file.above()).unwrap_or(u32::MAX)))
            .unwrap_or(Err(Bad::Problem(no_workbook())))
        {
            Ok(table) => Ok(table),
            Err(Bad::Empty) => Err(file.refused(DataProblem::Empty)),
            Err(Bad::Problem(problem)) => Err(refuse(problem)),
            Err(Bad::Header(problem)) => Err(file.refused(problem)),
        }
    }

    fn of(content: Bytes, form: &Form, above: u32) -> Result<Self, Bad> {
        // The library's own message might quote a cell.
        let damaged = || Bad::Problem(no_workbook());
        let mut workbook = open_workbook_auto_from_rs(Cursor::new(content)).map_err(|_| damaged())?;
        let name = named(&workbook, form.sheet.as_ref()).map_err(Bad::Problem)?;
        let range = range(&mut workbook, &name, above)?;
        if range.is_empty() {
            return Err(Bad::Empty);
        }
        if !form.has_header() {
            let columns = form.without_header(range.width());
            return Ok(Self { columns, range, heading: 0 });
        }
        let columns = header(&range, merged(&mut workbook, &name)).map_err(Bad::Problem)?;
        let table = Self { columns, range, heading: 1 };
        form.judge(&table.columns, &table.first()).map_err(Bad::Header)?;
        Ok(table)
    }

    /// The rows that hold anything.
    fn rows(&self) -> impl Iterator<Item = &[Data]> {
        let width = self.columns.len();
        let rows = self.range.rows().skip(self.heading).map(move |row| &row[..width.min(row.len())]);
        rows.filter(|row| row.iter().any(|cell| !is_blank(cell)))
    }

    /// Some records as text.
    fn first(&self) -> Vec<Vec<String>> {
        let cells = |row: &[Data]| row.iter().map(|cell| text(cell, false).unwrap_or_default()).collect();
        self.rows().take(LOOKED_AT).map(cells).collect()
    }

    fn cells(&self, column: usize) -> impl Iterator<Item = &Data> {
        self.rows().filter_map(move |row| row.get(column)).filter(|cell| !is_blank(cell))
    }

    /// Numbers if all cells are, for formats that have types.
    fn kind(&self, column: usize) -> DataType {
        let is_number = |cell: &Data| matches!(cell, Data::Int(_) | Data::Float(_));
        let is_whole = |cell: &Data| match cell {
            Data::Float(number) => number.fract() == 0.0 && number.abs() < 1e15,
            _ => true,
        };
        match () {
            () if self.cells(column).next().is_none() => DataType::Utf8,
            () if !self.cells(column).all(is_number) => DataType::Utf8,
            () if self.cells(column).all(is_whole) => DataType::Int64,
            () => DataType::Float64,
        }
    }
}

fn is_blank(cell: &Data) -> bool {
    match cell {
        Data::Empty => true,
        Data::String(text) => text.is_empty(),
        _ => false,
    }
}

/// The name of the sheet that is asked for; the only one, or the only one that is not empty, where none is. No message names one that the
/// caller did not: a sheet can bear a person's name.
fn named(workbook: &Workbook, asked: Option<&Sheet>) -> Result<String, Problem> {
    let names = workbook.sheet_names();
    let none = |what: String| no_sheet(&what, names.len());
    match (asked, &names[..]) {
        (_, []) => Err("the workbook has no sheet".into()),
        (None, [only]) => Ok(only.clone()),
        (None, _) => Err(Problem::new(format!("the workbook has {} sheets", names.len())).mend(
            "say which one with `sheet` under [input], or --sheet, by its name or by its number from 1",
        )),
        (Some(Sheet::Name(name)), _) => {
            names.iter().find(|known| *known == name).cloned().ok_or_else(|| none(format!("`{name}`")))
        }
        (Some(Sheet::Number(number)), _) => {
            let place = number.checked_sub(1).and_then(|place| names.get(place));
            place.cloned().ok_or_else(|| none(number.to_string()))
        }
    }
}

fn no_sheet(what: &str, number: usize) -> Problem {
    let mend = match number {
        1 => "name its only sheet, or leave `sheet` out".to_owned(),
        _ => format!("name one of its {number} sheets, or give its number from 1"),
    };
    Problem::new(format!("the workbook has no sheet {what}")).mend(mend)
}

/// First and last row of the areas of merged cells, as far as the workbook states them: those of more than one column.
fn merged(workbook: &mut Workbook, sheet: &str) -> Vec<(u32, u32)> {
    let Sheets::Xlsx(workbook) = workbook else { return Vec::new() };
    let areas = workbook.worksheet_merge_cells(sheet).and_then(Result::ok).unwrap_or_default();
    let wide = areas.into_iter().filter(|area| area.start.1 < area.end.1);
    wide.map(|area| (area.start.0, area.end.0)).collect()
}

/// The names in the first row; columns at the end that are empty are none.
fn header(range: &Range<Data>, merged: Vec<(u32, u32)>) -> Result<Vec<String>, Problem> {
    let (row, column) = range.start().unwrap_or_default();
    let mend = "the first row that holds anything has to name each column in a cell of its own: unmerge its cells, and \
                delete titles and notes above it; or write `header = false` under [input] if that row is a record";
    if merged.iter().any(|&(first, last)| first <= row && row <= last) {
        return Err(Problem::new(format!("row {}: the header has merged cells", row + 1)).mend(mend));
    }
    let cells = range.rows().next().unwrap_or_default();
    let names: Vec<String> =
        cells.iter().map(|cell| text(cell, false).unwrap_or_default().trim().to_owned()).collect();
    let is_used = |place: &usize| range.rows().any(|row| row.get(*place).is_some_and(|cell| !is_blank(cell)));
    let width = (0..names.len()).rev().find(is_used).map_or(0, |last| last + 1);
    match names[..width].iter().position(String::is_empty) {
        Some(place) => {
            let letters = letters(column as usize + place);
            Err(Problem::new(format!("row {}, column {letters}: the header has an empty cell", row + 1))
                .mend(mend))
        }
        None => Ok(names[..width].to_vec()),
    }
}

/// `A` … `Z`, `AA` … of a column that is counted from 0.
fn letters(mut column: usize) -> String {
    let mut letters = Vec::new();
    loop {
        letters.push(char::from(b'A' + (column % 26) as u8));
        match column / 26 {
            0 => return letters.into_iter().rev().collect(),
            rest => column = rest - 1,
        }
    }
}

/// Whether a cell is a day with a time other than midnight.
fn has_time(cell: &Data) -> bool {
    match cell {
        Data::DateTime(moment) => {
            !moment.is_duration() && moment.as_f64() >= 1.0 && moment.as_f64().fract() > 0.0
        }
        Data::DateTimeIso(text) => text.contains('T'),
        _ => false,
    }
}

/// What a cell says; `timed` is whether days have times in its column.
fn text(cell: &Data, timed: bool) -> Option<String> {
    Some(match cell {
        Data::Empty => return None,
        Data::String(text) => text.clone(),
        Data::Int(number) => number.to_string(),
        Data::Float(number) => shown(*number),
        Data::Bool(truth) => truth.to_string(),
        Data::DateTime(moment) => moment_text(*moment, timed),
        Data::DateTimeIso(text) if timed && !text.contains('T') => format!("{text}T00:00:00"),
        Data::DateTimeIso(text) => text.clone(),
        Data::DurationIso(text) => clock(text).unwrap_or_else(|| text.clone()),
        Data::Error(error) => error.to_string(),
    })
}

/// A number by the 15 digits that spreadsheets show, without the rest of binary fractions.
fn shown(number: f64) -> String {
    let rounded: f64 = format!("{number:.14e}").parse().unwrap_or(number);
    match rounded == 0.0 || (1e-5..1e16).contains(&rounded.abs()) {
        true => rounded.to_string(),
        false => format!("{rounded:e}"),
    }
}

/// A day, a day with its time, or a time alone: a moment before the first day.
fn moment_text(moment: ExcelDateTime, timed: bool) -> String {
    let value = moment.as_f64();
    if moment.is_duration() || (0.0..1.0).contains(&value) {
        let seconds = (value * 86_400.0).round() as i64;
        return format!("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
    }
    let (year, month, day, hour, minute, second, _) = moment.to_ymd_hms_milli();
    let time = if timed { format!("T{hour:02}:{minute:02}:{second:02}") } else { String::new() };
    format!("{year:04}-{month:02}-{day:02}{time}")
}

/// `PT14H30M00S` as `14:30:00`.
fn clock(text: &str) -> Option<String> {
    let (hours, rest) = text.strip_prefix("PT")?.split_once('H')?;
    let (minutes, rest) = rest.split_once('M')?;
    let seconds = rest.strip_suffix('S')?.split('.').next()?;
    let two = |part: &str| part.parse::<u32>().ok();
    Some(format!("{:02}:{:02}:{:02}", two(hours)?, two(minutes)?, two(seconds)?))
}

#[cfg(test)]
mod tests {
    use calamine::ExcelDateTimeType;

    use super::*;

    #[test]
    fn cells_are_what_an_export_would_hold() {
        let moment = |value, kind| Data::DateTime(ExcelDateTime::new(value, kind, false));
        let day = |value| moment(value, ExcelDateTimeType::DateTime);
        for (cell, timed, says) in [
            (Data::Float(3.0), false, "3"),
            (Data::Float(0.1 + 0.2), false, "0.3"),
            (Data::Float(-72.5), false, "-72.5"),
            (Data::Float(1e20), false, "1e20"),
            (Data::Bool(true), false, "true"),
            (day(45_360.0), false, "2024-03-09"),
            (day(45_360.0), true, "2024-03-09T00:00:00"),
            (day(45_360.604_166_666_7), true, "2024-03-09T14:30:00"),
            (day(18_264.0), false, "1950-01-01"),
            (day(0.604_166_666_7), false, "14:30:00"),
            (moment(1.5, ExcelDateTimeType::TimeDelta), false, "36:00:00"),
            (Data::DateTimeIso("2024-03-09".into()), true, "2024-03-09T00:00:00"),
            (Data::DurationIso("PT14H05M00S".into()), false, "14:05:00"),
            (Data::Error(calamine::CellErrorType::NA), false, "#N/A"),
        ] {
            assert_eq!(text(&cell, timed).as_deref(), Some(says), "{cell:?}");
        }
        assert_eq!(text(&Data::Empty, false), None);
        assert_eq!([0, 25, 26, 701, 702].map(letters), ["A", "Z", "AA", "ZZ", "AAA"]);
    }
}
