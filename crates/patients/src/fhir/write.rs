//! Released tables as resources, one a line.

use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::Path;

use velamen_contract::linked::{Dates, SECURITY};
use velamen_recipe::JobError;

use super::element::{self, Form};
use crate::release::Released;

/// The element that is a list of others.
const EXTENSION: &str = "extension";

/// Writes a table as resources of its kind: `resourceType`, `id`, `meta`, then the elements in the order of the standard.
///
/// # Errors
/// [`JobError::io`].
pub(crate) fn write(table: &Released, dates: Dates, path: &Path) -> Result<(), JobError> {
    let failed = |error: std::io::Error| JobError::io(path, "write", &error);
    let file = File::create(path).map_err(failed)?;
    let mut writer = BufWriter::with_capacity(1 << 20, file);
    let forms: Vec<Form> = table.columns.iter().map(|(name, ..)| Form::of(name)).collect();
    let (mut line, mut text) = (String::new(), String::new());
    for &row in &table.order {
        line.clear();
        line.push_str("{\"resourceType\":");
        line.push_str(&element::quoted(&table.name));
        let (own, person) = (table.numbers[row as usize], table.of_persons[row as usize]);
        let (mut open, mut has_status) = ("", false);
        for ((name, _, out), &form) in table.columns.iter().zip(&forms) {
            let cell = out.cell(row, own, person, &mut text);
            let cell =
                if form == Form::Day && dates == Dates::Year { cell.get(..4).unwrap_or(cell) } else { cell };
            has_status |= name == "clinicalStatus" && !cell.is_empty();
            // R4's invariant con-4: what has ended is not active, and says so.
            if name == "abatementDateTime" && !has_status {
                continue;
            }
            if let Some(json) = element::json(cell, form) {
                open = add(&mut line, open, (name, form), &json);
            }
            if form == Form::Id {
                line.push_str(",\"meta\":");
                line.push_str(SECURITY);
            }
        }
        close(&mut line, open);
        line.push_str("}\n");
        writer.write_all(line.as_bytes()).map_err(failed)?;
    }
    writer.flush().map_err(failed)
}

/// Adds an element behind others; `open` is the structure that the last one is part of. What is open then.
fn add<'a>(line: &mut String, open: &str, (path, form): (&'a str, Form), json: &str) -> &'a str {
    let (outer, name) = path.split_once('.').unwrap_or(("", path));
    if outer != open {
        close(line, open);
    }
    line.push(',');
    let is_extension = matches!(form, Form::Extension(_));
    if outer != open && !outer.is_empty() {
        line.push_str(&element::quoted(outer));
        line.push_str(if is_extension { ":[" } else { ":{" });
    }
    if form == Form::Unit || is_extension {
        line.push_str(json);
        return outer;
    }
    line.push_str(&element::quoted(name));
    line.push(':');
    line.push_str(json);
    outer
}

fn close(line: &mut String, open: &str) {
    match open {
        "" => {}
        EXTENSION => line.push(']'),
        _ => line.push('}'),
    }
}
