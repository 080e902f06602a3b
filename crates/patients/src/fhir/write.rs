//! Released tables as resources, one a line.

use std::borrow::Cow;
use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::Path;

use rayon::prelude::*;
use velamen_contract::linked::{Column, Dates, SECURITY};
use velamen_core::context::Context;
use velamen_recipe::JobError;

use super::bands;
use super::element::{self, Form};
use crate::compact::Compact;
use crate::release::{Out, Released};

/// The element that is a list of others.
const EXTENSION: &str = "extension";

/// The clinical statuses of what has ended.
const OVER: [&str; 3] = ["\"inactive\"", "\"resolved\"", "\"remission\""];

/// How many resources are made at a time, and how many such parts are made beside each other.
const PART: usize = 1024;
const PARTS: usize = 16;

/// Writes a table as resources of its kind: `resourceType`, `id`, `meta`, then the elements in the order of the standard.
///
/// # Errors
/// [`JobError::io`], [`JobError::interrupted`].
pub(crate) fn write(
    table: &Released,
    dates: Dates,
    path: &Path,
    context: &Context<'_>,
) -> Result<(), JobError> {
    let failed = |error: std::io::Error| JobError::io(path, "write", &error);
    let mut writer = BufWriter::new(File::create(path).map_err(failed)?);
    let elements = elements(table, dates);
    let begin = format!("{{\"resourceType\":{}", element::quoted(&table.name));
    for rows in table.order.chunks(PART * PARTS) {
        context.check()?;
        let parts: Vec<String> =
            rows.par_chunks(PART).map(|rows| part(&begin, &elements, (table, rows))).collect();
        parts.iter().try_for_each(|text| writer.write_all(text.as_bytes())).map_err(failed)?;
    }
    writer.flush().map_err(failed)
}

/// The elements of a table's columns. A number's band and its unit are one.
fn elements(table: &Released, dates: Dates) -> Vec<Element<'_>> {
    let of = |wanted: &str| table.columns.iter().find(|(name, ..)| name == wanted);
    let is_banded = matches!(of(bands::NUMBER), Some((_, Column::Band { .. }, _)));
    let unit = of(bands::UNIT).map(|(.., out)| out);
    let shown = table.columns.iter().filter(|(name, ..)| !is_banded || name != bands::UNIT);
    let mut elements: Vec<Element<'_>> = shown.map(|(name, _, out)| Element::of(name, out, dates)).collect();
    if is_banded {
        elements.iter_mut().for_each(|element| element.take_unit(unit));
    }
    elements
}

/// The resources of some rows.
fn part(begin: &str, elements: &[Element<'_>], (table, rows): (&Released, &[u32])) -> String {
    let mut text = String::with_capacity(rows.len() * 256);
    rows.iter().for_each(|&row| resource(&mut text, begin, elements, (table, row)));
    text
}

/// A column as an element of resources.
struct Element<'a> {
    name: &'a str,
    /// The structure that it is part of; nothing if it is an element by itself. No empty text stands for nothing: to compare two
    /// empty texts takes long on some processors.
    outer: Option<&'a str>,
    form: Form,
    out: &'a Out,
    /// The JSON of each text that stands in it; of one that is not shown nothing.
    made: Vec<String>,
    /// Which of them each row has, if it has any.
    codes: Option<Cow<'a, Compact>>,
    /// What stands before and behind a key or a day.
    around: [String; 2],
    dates: Dates,
}

impl<'a> Element<'a> {
    fn of(path: &'a str, out: &'a Out, dates: Dates) -> Self {
        let (outer, name) = path.split_once('.').map_or((None, path), |(outer, name)| (Some(outer), name));
        let (form, around) = (Form::of(path), Default::default());
        let mut element = Self { name, outer, form, out, made: Vec::new(), codes: None, around, dates };
        match out {
            Out::Texts(coded) => {
                element.made = coded.texts.iter().map(|text| element.json(text)).collect();
                element.codes = Some(Cow::Borrowed(&coded.codes));
            }
            Out::Constant(value) => element.made = vec![element.json(value)],
            // Neither keys nor days have a letter that JSON escapes, and no name of an element has a digit.
            Out::Key | Out::Person | Out::Keys(_) | Out::Days(_) => {
                let one = element.json("7");
                element.around =
                    one.split_once('7').map_or_else(Default::default, |(a, b)| [a.into(), b.into()]);
            }
        }
        element
    }

    /// Makes one element of a number's band and its unit; leaves others as they are.
    fn take_unit(&mut self, unit: Option<&Out>) {
        let Out::Texts(bands) = self.out else { return };
        if self.form == Form::Number {
            let units = unit.and_then(Out::texts).map(|units| (units.texts.as_slice(), &*units.codes));
            let (made, codes) = bands::together((&bands.texts, &bands.codes), units);
            (self.outer, self.made, self.codes) = (None, made, Some(Cow::Owned(codes)));
        }
    }

    /// A cell as JSON with the element's name.
    fn json(&self, cell: &str) -> String {
        match element::json(self.cut(cell), self.form) {
            None => String::new(),
            Some(json) if matches!(self.form, Form::Unit | Form::Extension(_)) => json,
            Some(json) => format!("{}:{json}", element::quoted(self.name)),
        }
    }

    /// Of a day that is released as its year, the year.
    fn cut<'b>(&self, cell: &'b str) -> &'b str {
        let is_year = self.form == Form::Day && self.dates == Dates::Year;
        if is_year { cell.get(..4).unwrap_or(cell) } else { cell }
    }

    /// The JSON of a row; `text` and `json` are for what is made on the way.
    fn of_row<'b>(
        &'b self,
        (table, row): (&Released, u32),
        text: &mut String,
        json: &'b mut String,
    ) -> &'b str {
        if let Some(codes) = &self.codes {
            return &self.made[codes.at(row as usize) as usize];
        }
        if let Some(constant) = self.made.first() {
            return constant;
        }
        let (own, person) = (table.numbers[row as usize], table.of_persons.at(row));
        let cell = self.cut(self.out.cell(row, own, person, text));
        json.clear();
        if !cell.is_empty() {
            let [before, after] = &self.around;
            [before, cell, after].into_iter().for_each(|part| json.push_str(part));
        }
        json
    }
}

/// Adds the resource of a row.
fn resource(line: &mut String, begin: &str, elements: &[Element<'_>], (table, row): (&Released, u32)) {
    line.push_str(begin);
    let (mut text, mut made) = (String::new(), String::new());
    let (mut open, mut is_over) = (None, false);
    for element in elements {
        let json = element.of_row((table, row), &mut text, &mut made);
        is_over |= element.name == "clinicalStatus" && OVER.iter().any(|code| json.contains(code));
        // R4's invariant con-4: what has ended is not active, and says so.
        if json.is_empty() || (element.name == "abatementDateTime" && !is_over) {
            continue;
        }
        if element.outer != open {
            close(line, open);
        }
        line.push(',');
        if element.outer != open {
            begin_structure(line, element.outer);
        }
        line.push_str(json);
        open = element.outer;
        if element.form == Form::Id {
            line.push_str(",\"meta\":");
            line.push_str(SECURITY);
        }
    }
    close(line, open);
    line.push_str("}\n");
}

fn begin_structure(line: &mut String, outer: Option<&str>) {
    if let Some(outer) = outer {
        line.push_str(&element::quoted(outer));
        line.push_str(if outer == EXTENSION { ":[" } else { ":{" });
    }
}

fn close(line: &mut String, open: Option<&str>) {
    match open {
        None => {}
        Some(EXTENSION) => line.push(']'),
        Some(_) => line.push('}'),
    }
}
