//! The one way in which a released resource is written, read without a detour: what stands in a line of another form is read
//! as JSON and written again.

use velamen_contract::linked::SECURITY;

use super::number::{named, read, written};
use super::r4::{Element, Form, RANGE};
use super::rows::Row;

/// How the resources of a file are written.
pub(super) struct LineForm {
    /// What each line begins with.
    begin: String,
    parts: Vec<Part>,
    is_by_year: bool,
}

/// An element of a line.
struct Part {
    /// The structure that it is part of; nothing if it stands by itself. No empty text stands for nothing: to compare two empty
    /// texts takes long on some processors.
    outer: Option<String>,
    /// `"period":{`
    opens: Option<String>,
    /// `"start":`; nothing of a unit, whose fields stand by themselves.
    name: Option<String>,
    form: Form,
    is_id: bool,
}

impl LineForm {
    /// Of the elements of a kind; none, where lines have to be read as JSON: extensions are lists, and elements of one
    /// structure that stand apart would be written together.
    pub(super) fn of(kind: &str, elements: &[Element], is_by_year: bool) -> Option<Self> {
        let parts = elements.iter().map(Part::of).collect::<Option<Vec<Part>>>()?;
        let mut outers: Vec<Option<&str>> = parts.iter().map(|part| part.outer.as_deref()).collect();
        outers.dedup();
        outers.retain(Option::is_some);
        let number = outers.len();
        outers.sort_unstable();
        outers.dedup();
        let begin = format!("{{\"resourceType\":\"{kind}\"");
        (number == outers.len() && !parts.is_empty()).then_some(Self { begin, parts, is_by_year })
    }

    /// The cells of a line that is written so; nothing of another.
    pub(super) fn read(&self, line: &str, row: &mut Row) -> Option<()> {
        row.clear();
        let mut rest = Rest(line.strip_suffix('\n')?);
        rest.take(&self.begin)?;
        let (mut open, mut cell) = (None, String::new());
        // The unit of a band, until its column comes.
        let mut held = String::new();
        for part in &self.parts {
            cell.clear();
            if part.form == Form::Unit && !held.is_empty() {
                cell.push_str(&std::mem::take(&mut held));
            } else if let Some(inside) = part.found(rest, open) {
                rest = inside;
                open = part.outer.as_deref();
                self.value(part, &mut rest, (&mut cell, &mut held))?;
            } else if part.form == Form::Birth {
                cell.push('*');
            }
            row.push_field(&cell);
            if part.is_id {
                rest.take(",\"meta\":").and_then(|()| rest.take(SECURITY))?;
            }
        }
        close(&mut rest, open)?;
        rest.take("}")?;
        (rest.0.is_empty() && held.is_empty()).then_some(())
    }

    /// The cell of an element that stands here. None is empty: an element without a value is not written.
    fn value(
        &self,
        part: &Part,
        rest: &mut Rest<'_>,
        (cell, held): (&mut String, &mut String),
    ) -> Option<()> {
        match part.form {
            Form::Text => cell.push_str(rest.text()?),
            Form::Birth => cell.push_str(rest.text().filter(|text| *text != "*")?),
            Form::Day => {
                cell.push_str(rest.text()?);
                if self.is_by_year {
                    cell.push_str("-01-01");
                }
            }
            Form::Number => cell.push_str(rest.number()?),
            Form::Band => band(rest, cell, held)?,
            Form::Coding => within(rest, ["{", "}"], |rest| coding(rest, cell))?,
            Form::Concept => within(rest, ["{\"coding\":[{", "}]}"], |rest| coding(rest, cell))?,
            Form::Concepts => within(rest, ["[{\"coding\":[{", "}]}]"], |rest| coding(rest, cell))?,
            Form::Unit => unit(rest, cell)?,
            Form::Reference(kind) => within(rest, ["{\"reference\":", "}"], |rest| {
                cell.push_str(rest.text()?.strip_prefix(kind)?.strip_prefix('/')?);
                Some(())
            })?,
            Form::Extension => return None,
        }
        (!cell.is_empty()).then_some(())
    }
}

impl Part {
    /// Of an element that is no extension.
    fn of(element: &Element) -> Option<Self> {
        let (outer, name) = match element.path.as_slice() {
            [name] => (None, name),
            [outer, name] => (Some(outer.as_str()), name),
            _ => return None,
        };
        let (outer, name) = if element.form == Form::Band { (None, RANGE) } else { (outer, name.as_str()) };
        let is_unit = element.form == Form::Unit;
        (element.form != Form::Extension).then(|| Self {
            outer: outer.map(str::to_owned),
            opens: outer.map(|outer| format!("\"{outer}\":{{")),
            name: (!is_unit).then(|| format!("\"{name}\":")),
            form: element.form,
            is_id: outer.is_none() && name == "id",
        })
    }

    /// What stands behind the element's name, if it comes next; `open` is the structure that the last one is part of.
    fn found<'a>(&self, mut rest: Rest<'a>, open: Option<&str>) -> Option<Rest<'a>> {
        let is_inside = open == self.outer.as_deref();
        if !is_inside {
            close(&mut rest, open)?;
        }
        rest.take(",")?;
        if let Some(opens) = self.opens.as_ref().filter(|_| !is_inside) {
            rest.take(opens)?;
        }
        if let Some(name) = &self.name {
            rest.take(name)?;
        }
        let is_unit = || rest.0.starts_with("\"system\":") || rest.0.starts_with("\"unit\":");
        (self.form != Form::Unit || is_unit()).then_some(rest)
    }
}

fn close(rest: &mut Rest<'_>, open: Option<&str>) -> Option<()> {
    open.map_or(Some(()), |_| rest.take("}"))
}

/// What stands between two texts.
fn within<'a>(
    rest: &mut Rest<'a>,
    [begin, end]: [&str; 2],
    read: impl FnOnce(&mut Rest<'a>) -> Option<()>,
) -> Option<()> {
    rest.take(begin)?;
    read(rest)?;
    rest.take(end)
}

/// `"system":…,"code":…`, or a code without a system, as `system|code`.
fn coding(rest: &mut Rest<'_>, cell: &mut String) -> Option<()> {
    if rest.take("\"system\":").is_some() {
        cell.push_str(rest.text().filter(|system| !system.is_empty())?);
        rest.take(",")?;
    }
    rest.take("\"code\":")?;
    cell.push('|');
    cell.push_str(rest.text().filter(|code| !code.contains('|'))?);
    Some(())
}

/// A unit's system and code, or its name alone.
fn unit(rest: &mut Rest<'_>, cell: &mut String) -> Option<()> {
    if rest.take("\"unit\":").is_none() {
        // A code without a system is no unit of a release.
        return if rest.0.starts_with("\"system\":") { coding(rest, cell) } else { None };
    }
    cell.push('|');
    cell.push_str(rest.text().filter(|unit| !unit.contains('|'))?);
    Some(())
}

/// A band, of whose bounds each has the same unit.
fn band(rest: &mut Rest<'_>, cell: &mut String, held: &mut String) -> Option<()> {
    rest.take("{\"low\":")?;
    let low = bound(rest, held)?;
    rest.take(",\"high\":")?;
    let mut other = String::new();
    let high = bound(rest, &mut other)?;
    rest.take("}")?;
    cell.push_str(&named(low, high));
    (*held == other).then_some(())
}

/// A bound and its unit.
fn bound<'a>(rest: &mut Rest<'a>, held: &mut String) -> Option<&'a str> {
    rest.take("{\"value\":")?;
    let number = rest.number()?;
    if rest.take(",").is_some() {
        unit(rest, held)?;
    }
    rest.take("}")?;
    Some(number)
}

/// What of a line is not read yet.
#[derive(Clone, Copy)]
struct Rest<'a>(&'a str);

impl<'a> Rest<'a> {
    fn take(&mut self, text: &str) -> Option<()> {
        self.0 = self.0.strip_prefix(text)?;
        Some(())
    }

    /// A string without escapes, of which there is but one spelling.
    fn text(&mut self) -> Option<&'a str> {
        let inside = self.0.strip_prefix('"')?;
        let end = inside.bytes().position(|byte| matches!(byte, b'"' | b'\\' | 0..=0x1f))?;
        let (text, rest) = inside.split_at_checked(end)?;
        self.0 = rest.strip_prefix('"')?;
        Some(text)
    }

    /// A number in the one spelling of a release, which has no exponent.
    fn number(&mut self) -> Option<&'a str> {
        let end = self.0.bytes().position(|byte| matches!(byte, b',' | b'}'))?;
        let (text, rest) = self.0.split_at_checked(end)?;
        self.0 = rest;
        (written(read(text)?) == text).then_some(text)
    }
}
