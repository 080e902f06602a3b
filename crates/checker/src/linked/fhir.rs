//! Released resources of FHIR R4 as rows: each line is read into cells and written again from them, so that nothing but what
//! the cells say can stand in it.

use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;

use serde_json::{Map, Value, json};
use velamen_contract::linked::{Column, Dates, SECURITY};

use super::extension;
use super::line::LineForm;
use super::number::{named, written};
use super::r4::{Element, Form, RANGE, bound, elements, form, is_over, system};
use super::rows::{Row, Source};
use super::unreadable::Unreadable;

/// A file of resources of one kind.
pub(super) struct Resources {
    file: PathBuf,
    kind: String,
    header: Row,
    elements: Vec<Element>,
    form: Option<LineForm>,
    together: Together,
    /// The declared names of units.
    units: Vec<String>,
    is_by_year: bool,
    rows: u64,
    is_unlike: bool,
    /// The first row of which this is so.
    first_unlike: Option<u64>,
    reader: BufReader<File>,
    line: String,
}

impl Resources {
    /// Opens a file of resources whose columns are elements of a kind, with the dates and the declared units of the release.
    pub(super) fn open<'a>(
        file: PathBuf,
        kind: &str,
        columns: impl Iterator<Item = (&'a String, &'a Column)>,
        (dates, units): (Dates, &[String]),
    ) -> Result<Self, Unreadable> {
        let opened = match File::open(&file) {
            Ok(opened) => opened,
            Err(source) => return Err(Unreadable::File { file, source }),
        };
        let listed = elements(kind);
        let (mut header, mut all) = (Row::new(), Vec::new());
        for (name, column) in columns {
            let found = listed.iter().find(|path| path.trim_end_matches('!') == name);
            // A column that is no element of the kind is none of the file's.
            let Some(found) = found else { continue };
            header.push_field(name);
            all.push(Element {
                path: name.split('.').map(str::to_owned).collect(),
                is_needed: found.ends_with('!'),
                form: form_of(name, column),
                bound: bound(kind, name),
                system: system(kind, name),
            });
        }
        let is_whole = listed.iter().filter_map(|path| path.strip_suffix('!'));
        let is_unlike = is_whole.into_iter().any(|path| !header.iter().any(|name| name == path));
        let reader = BufReader::with_capacity(1 << 18, opened);
        let is_by_year = dates == Dates::Year;
        let form = LineForm::of(kind, &all, is_by_year);
        let line = String::new();
        let kind = kind.to_owned();
        let together = Together::of(&header);
        Ok(Self {
            file,
            kind,
            header,
            elements: all,
            form,
            together,
            units: units.to_vec(),
            is_by_year,
            rows: 0,
            is_unlike,
            first_unlike: None,
            reader,
            line,
        })
    }

    /// The cells of a resource; what is not of the form that is expected is an empty cell.
    fn cells(&self, resource: &Value, row: &mut Row) {
        row.clear();
        for element in &self.elements {
            row.push_field(&self.cell(resource, element).unwrap_or_default());
        }
    }

    fn cell(&self, resource: &Value, element: &Element) -> Option<String> {
        if element.form == Form::Extension {
            let all = resource.get("extension").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
            return Some(extension::cell(element.path.get(1)?, all));
        }
        let range = resource.get(RANGE);
        if element.form == Form::Band {
            let bound = |end: &str| range?.get(end)?.get("value")?.as_f64().map(written);
            return Some(named(bound("low")?, bound("high")?));
        }
        let is_unit = element.form == Form::Unit;
        if let Some(range) = range.filter(|_| is_unit) {
            return range.get("low").and_then(unit);
        }
        let mut value = resource;
        let names = element.path.iter().take(if is_unit { 1 } else { 2 });
        for name in names {
            match value.get(name) {
                Some(found) => value = found,
                None if element.form == Form::Birth => return Some("*".into()),
                None => return None,
            }
        }
        match element.form {
            Form::Text | Form::Birth => value.as_str().map(str::to_owned),
            Form::Day => value.as_str().map(|day| self.whole(day)),
            Form::Number => value.as_f64().map(written),
            Form::Coding => coding(value),
            Form::Unit => unit(value),
            Form::Concept => coding(value.get("coding")?.get(0)?),
            Form::Concepts => coding(value.get(0)?.get("coding")?.get(0)?),
            Form::Reference(kind) => {
                let text = value.get("reference")?.as_str()?;
                text.strip_prefix(kind)?.strip_prefix('/').map(str::to_owned)
            }
            Form::Extension | Form::Band => None,
        }
    }

    /// A year as the day that other formats write.
    fn whole(&self, day: &str) -> String {
        if self.is_by_year { format!("{day}-01-01") } else { day.to_owned() }
    }

    /// Reads the last line into cells, whatever its form, and says whether it is what they are written as.
    fn is_written_so(&self, row: &mut Row) -> bool {
        let resource: Value = serde_json::from_str(&self.line).unwrap_or_default();
        self.cells(&resource, row);
        self.resource(row).is_some_and(|text| Some(&*text) == self.line.strip_suffix('\n'))
    }

    /// A resource of a row's cells.
    fn resource(&self, row: &Row) -> Option<String> {
        let mut made = Map::new();
        made.insert("resourceType".into(), json!(self.kind));
        for (element, cell) in self.elements.iter().zip(row) {
            let is_shown = match element.form {
                Form::Birth => !matches!(cell, "" | "*"),
                Form::Extension => !matches!(cell, "" | "*" | extension::MISSING),
                _ => !cell.is_empty(),
            };
            if is_shown {
                self.put(&mut made, element, cell)?;
            }
            if element.path.first().is_some_and(|name| name == "id") {
                made.insert("meta".into(), serde_json::from_str(SECURITY).ok()?);
            }
        }
        Some(Value::Object(made).to_string())
    }

    fn put(&self, made: &mut Map<String, Value>, element: &Element, cell: &str) -> Option<()> {
        if element.form == Form::Extension {
            let all = made.entry("extension").or_insert_with(|| json!([])).as_array_mut()?;
            all.push(extension::of(element.path.get(1)?, cell)?);
            return Some(());
        }
        if element.form == Form::Band {
            made.insert(RANGE.into(), range(cell)?);
            return Some(());
        }
        if let Some(range) = made.get_mut(RANGE).filter(|_| element.form == Form::Unit) {
            let Value::Object(unit) = fields(cell, true)? else { return None };
            let ends = range.as_object_mut()?.values_mut().filter_map(Value::as_object_mut);
            ends.for_each(|end| end.extend(unit.clone()));
            return Some(());
        }
        let value = match element.form {
            Form::Text | Form::Birth => json!(cell),
            Form::Day if self.is_by_year => json!(cell.strip_suffix("-01-01")?),
            Form::Day => json!(cell),
            // Where the spelling of JSON differs, the line has been read in its one form.
            Form::Number => serde_json::from_str(cell).ok()?,
            Form::Coding | Form::Unit => fields(cell, element.form == Form::Unit)?,
            Form::Concept => json!({ "coding": [fields(cell, false)?] }),
            Form::Concepts => json!([{ "coding": [fields(cell, false)?] }]),
            Form::Reference(kind) => json!({ "reference": format!("{kind}/{cell}") }),
            Form::Extension | Form::Band => return None,
        };
        let (outer, name) = (element.path.first()?, element.path.get(1));
        match (name, value) {
            (None, value) => {
                made.insert(outer.clone(), value);
            }
            (Some(name), value) => {
                let within = made.entry(outer.clone()).or_insert_with(|| json!({})).as_object_mut()?;
                match value {
                    // Of what has two names only a unit has fields.
                    Value::Object(parts) => within.extend(parts),
                    value => drop(within.insert(name.clone(), value)),
                }
            }
        }
        Some(())
    }

    /// Whether a row has all that R4 asks of its kind.
    fn is_valid(&self, row: &Row) -> bool {
        let has = |place: usize| row.get(place).is_some_and(|cell| !cell.is_empty());
        // R4's invariant con-4: what has ended is not active.
        let status = || self.together.status.and_then(|place| row.get(place));
        let is_ended_rightly = !self.together.end.is_some_and(has) || status().is_some_and(is_over);
        // Of the types of a choice each resource has one.
        let [parts, whole] = &self.together.choices;
        let has_one_type = !whole.iter().any(|&place| has(place)) || !parts.iter().any(|&place| has(place));
        // R4's invariant per-1: a period does not end before it begins.
        let day = |place: usize| row.get(place).unwrap_or_default();
        let is_in_order = |&(start, end): &(usize, usize)| !has(end) || day(start) <= day(end);
        is_ended_rightly
            && has_one_type
            && self.together.periods.iter().all(is_in_order)
            && self.elements.iter().zip(row).all(|(element, cell)| element.takes(cell, &self.units))
    }
}

/// The places of the elements of which R4 says something together.
struct Together {
    /// When a condition ended, and its status.
    end: Option<usize>,
    status: Option<usize>,
    /// The elements of the types of a choice that exclude each other: no kind has two choices.
    choices: [Vec<usize>; 2],
    /// Where periods begin and end.
    periods: Vec<(usize, usize)>,
}

impl Together {
    fn of(header: &Row) -> Self {
        let places = |names: &[&str]| -> Vec<usize> {
            names.iter().filter_map(|name| header.iter().position(|other| other == *name)).collect()
        };
        let parts =
            ["valueQuantity.value", "valueQuantity.code", "performedPeriod.start", "performedPeriod.end"];
        Self {
            end: places(&["abatementDateTime"]).pop(),
            status: places(&["clinicalStatus"]).pop(),
            choices: [places(&parts), places(&["valueCodeableConcept", "performedDateTime"])],
            periods: ["period", "performedPeriod"]
                .iter()
                .filter_map(|of| match *places(&[&format!("{of}.start"), &format!("{of}.end")]) {
                    [start, end] => Some((start, end)),
                    _ => None,
                })
                .collect(),
        }
    }
}

impl Source for Resources {
    fn columns(&self) -> &Row {
        &self.header
    }

    fn next(&mut self, row: &mut Row) -> Result<bool, Unreadable> {
        let number = self.rows.saturating_add(1);
        let file = || self.file.clone();
        self.line.clear();
        match self.reader.read_line(&mut self.line) {
            Ok(0) => return Ok(false),
            Ok(_) => {}
            Err(error) if error.kind() == std::io::ErrorKind::InvalidData => {
                return Err(Unreadable::Text { file: file(), row: number, column: 1 });
            }
            Err(source) => return Err(Unreadable::File { file: file(), source }),
        }
        self.rows = number;
        let is_exact = self.form.as_ref().is_some_and(|form| form.read(&self.line, row).is_some());
        if !(is_exact || self.is_written_so(row)) || !self.is_valid(row) {
            self.is_unlike = true;
            self.first_unlike.get_or_insert(number);
        }
        Ok(true)
    }

    fn has_needless_bytes(&self) -> bool {
        self.is_unlike
    }

    fn needless_row(&self) -> Option<u64> {
        self.first_unlike
    }
}

/// `system|code`
fn coding(value: &Value) -> Option<String> {
    let code = value.get("code")?.as_str()?;
    let system = value.get("system").and_then(Value::as_str).unwrap_or_default();
    Some(format!("{system}|{code}"))
}

/// A unit's system and code, or its name.
fn unit(value: &Value) -> Option<String> {
    coding(value).or_else(|| Some(format!("|{}", value.get("unit")?.as_str()?)))
}

/// The Range of a band, without its unit.
fn range(band: &str) -> Option<Value> {
    let (low, high) = band.strip_prefix('[')?.strip_suffix(')')?.split_once(", ")?;
    let end = |text: &str| Some(json!({ "value": serde_json::from_str::<Value>(text).ok()? }));
    Some(json!({ "low": end(low)?, "high": end(high)? }))
}

/// The form of a column: a number's is that of its band, where numbers stand in bands.
fn form_of(name: &str, column: &Column) -> Form {
    match (form(name), column) {
        (Form::Number, Column::Band { .. }) => Form::Band,
        (form, _) => form,
    }
}

/// The fields of `system|code`: of a unit without a system its name, since R4 wants a system beside each unit's code.
fn fields(cell: &str, is_unit: bool) -> Option<Value> {
    let (system, code) = cell.rsplit_once('|')?;
    Some(match (system.is_empty(), is_unit) {
        (false, _) => json!({ "system": system, "code": code }),
        (true, false) => json!({ "code": code }),
        (true, true) => json!({ "unit": code }),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const KINDS: [&str; 9] = [
        "Encounter",
        "Condition",
        "Observation",
        "MedicationRequest",
        "Procedure",
        "Immunization",
        "AllergyIntolerance",
        "DiagnosticReport",
        "CarePlan",
    ];

    fn resources(kind: &str, is_by_year: bool) -> Resources {
        opened(kind, is_by_year, &Column::Insensitive)
    }

    /// Of a file whose columns are all the same for the manifest.
    fn opened(kind: &str, is_by_year: bool, column: &Column) -> Resources {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.ndjson");
        std::fs::write(&file, "").unwrap();
        let names: Vec<String> =
            elements(kind).iter().map(|name| name.trim_end_matches('!').to_owned()).collect();
        let dates =
            if is_by_year { Dates::Year } else { Dates::Relative(velamen_contract::linked::Unit::Month) };
        let columns = names.iter().map(|name| (name, column));
        Resources::open(file, kind, columns, (dates, &[])).ok().unwrap()
    }

    /// A row in which every `skip`-th element is missing.
    fn row(of: &Resources, skip: usize) -> Row {
        let cell = |(place, element): (usize, &Element)| match element.form {
            Form::Text if place > 0 && place.is_multiple_of(skip) => "",
            Form::Text => "7",
            _ if place.is_multiple_of(skip) => "",
            Form::Day | Form::Birth => "2015-01-01",
            Form::Number => "70.5",
            Form::Band => "[-2.5, 10)",
            Form::Coding | Form::Concept | Form::Concepts => "urn:s|é 1",
            Form::Unit => "|kg",
            Form::Reference(_) => "12",
            Form::Extension => "missing",
        };
        of.elements.iter().enumerate().map(cell).collect()
    }

    #[test]
    fn a_small_number_has_no_exponent() {
        let of = resources("Observation", false);
        let line = of.resource(&row(&of, 99)).unwrap() + "\n";
        let read = |number: &str| {
            let line = line.replace("70.5", number);
            of.form.as_ref().unwrap().read(&line, &mut Row::new()).is_some()
        };
        assert!(read("0.0000012") && read("1000000000000000000000") && read("-3"));
        assert!(!["1.2e-6", "70.50", "7e1", "-0", "+7", ".5", "007", "NaN"].into_iter().any(read));
    }

    #[test]
    fn the_short_way_accepts_what_is_written_so_and_nothing_else() {
        let bands = Column::Band { bounds: vec![-2.5, 10.0], by: Vec::new() };
        let all = KINDS.into_iter().flat_map(|kind| [(kind, true), (kind, false)]);
        let all = all.map(|(kind, is_by_year)| resources(kind, is_by_year));
        for mut of in all.chain([opened("Observation", false, &bands)]) {
            let mut accepted = 0;
            for skip in 2..9 {
                let row = row(&of, skip);
                let line = of.resource(&row).unwrap() + "\n";
                let mut read = Row::new();
                let form = of.form.take().unwrap();
                assert_eq!(form.read(&line, &mut read), Some(()), "{line}");
                assert_eq!(read, row);
                for place in (0..line.len()).filter(|&place| line.is_char_boundary(place)) {
                    for put in ["", "\"", "x", "}", ",", "\\u0041", " ", "|"] {
                        let end = place + line[place..].chars().next().map_or(0, char::len_utf8);
                        let changed = format!("{}{put}{}", &line[..place], &line[end..]);
                        if form.read(&changed, &mut read).is_some() {
                            accepted += 1;
                            let short = read.clone();
                            of.line = changed;
                            assert!(of.is_written_so(&mut read), "{}", of.line);
                            assert_eq!(short, read);
                        }
                    }
                }
                of.form = Some(form);
            }
            assert!(accepted > 0, "other values are accepted, too");
        }
    }
}
