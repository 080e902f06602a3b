//! The forms of hierarchies: the kinds that a recipe can write, read off its schema.

use std::sync::OnceLock;

use maud::{Markup, html};
use serde_json::{Map, Value as Json, json};
use velamen_recipe::{HierarchySection, JobError};

use crate::column::Column;
use crate::form::Form;
use crate::schema::{Field, fields, resolved, table};

/// A file is a text, not a table.
const FILE: &str = "file";

/// One kind of hierarchy.
#[derive(Debug)]
pub(super) struct Kind {
    /// Its first key.
    pub(super) id: String,
    title: String,
    fields: Vec<Field>,
}

/// All kinds, in the order of the schema.
pub(super) fn kinds() -> &'static [Kind] {
    static KINDS: OnceLock<Vec<Kind>> = OnceLock::new();
    KINDS.get_or_init(|| {
        let root = schemars::schema_for!(HierarchySection).to_value();
        let mut kinds = Vec::new();
        variants(&root, &root, "", &mut kinds);
        kinds
    })
}

fn variants(root: &Json, schema: &Json, said: &str, kinds: &mut Vec<Kind>) {
    let title = schema["description"].as_str().unwrap_or_default();
    let title = if said.is_empty() { title } else { said };
    let schema = resolved(root, schema);
    if let Some(all) = schema["anyOf"].as_array() {
        for one in all {
            // What refers to several forms has a word for all of them; each has its own.
            let is_one = resolved(root, one)["anyOf"].is_null();
            variants(
                root,
                one,
                if is_one { one["description"].as_str().unwrap_or_default() } else { "" },
                kinds,
            );
        }
        return;
    }
    let own = fields(root, schema);
    let first = own.iter().find(|field| field.required).or(own.first()).map_or(FILE, |field| &field.key);
    // A value or `*`, which recipes write by leaving the hierarchy out.
    if first == "domain" {
        return;
    }
    let taken = kinds.iter().filter(|kind| kind.id.starts_with(first)).count();
    let id = if taken > 0 { format!("{first}-{}", taken + 1) } else { first.to_owned() };
    kinds.push(Kind { id, title: title.to_owned(), fields: own });
}

/// The kind of a section as it is written.
pub(super) fn kind_of(section: &Json) -> Option<&'static Kind> {
    let written = section.as_object();
    kinds().iter().find(|kind| match written {
        None => kind.fields.is_empty(),
        Some(written) => {
            let knows = |key: &String| kind.fields.iter().any(|field| field.key == *key);
            let takes = |field: &Field| match written.get(&field.key) {
                None => !field.required,
                // ZIP codes name a file or list areas.
                Some(value) => value.is_array() == field.takes_lists(),
            };
            !kind.fields.is_empty() && written.keys().all(knows) && kind.fields.iter().all(takes)
        }
    })
}

/// The kind that a form says.
pub(super) fn kind_asked(form: &Form) -> Option<&'static Kind> {
    kinds().iter().find(|kind| kind.id == form.text("kind"))
}

impl Kind {
    pub(super) fn is_file(&self) -> bool {
        self.fields.is_empty()
    }

    /// Whether it is the table of rows, which has an editor of its own.
    pub(super) fn is_rows(&self) -> bool {
        self.id == "rows"
    }

    /// The section that a form says, and what a recipe writes for it.
    ///
    /// # Errors
    /// [`JobError::usage`] with the key that is wrong.
    pub(super) fn read(&self, form: &Form) -> Result<Json, JobError> {
        if self.is_file() {
            return match form.text(FILE).trim() {
                "" => Err(JobError::usage("choose a file")),
                file => Ok(file.into()),
            };
        }
        table(&self.fields, form).map(Json::from).map_err(JobError::usage)
    }

    /// Values to begin with, where the column suggests any; `top` is where one group of high values begins.
    pub(super) fn suggested(&self, column: &Column, top: Option<f64>) -> Json {
        let suggested = |field: &Field| Some((field.key.clone(), suggestion(self, &field.key, column, top)?));
        Json::from(self.fields.iter().filter_map(suggested).collect::<Map<_, _>>())
    }

    /// The fields, with what stands in the recipe or was filled in last.
    pub(super) fn view(&self, section: &Json, typed: Option<&Form>, files: &[String]) -> Markup {
        html! {
            @if self.is_file() {
                @let chosen = typed.map(|form| form.text(FILE)).or(section.as_str()).unwrap_or_default();
                div.field {
                    label for="h-file" { "File below the folder" }
                    select #h-file name=(FILE) {
                        option value="" { "choose a file" }
                        @for file in files { option value=(file) selected[file == chosen] { (file) } }
                    }
                }
            } @else {
                @for field in &self.fields { (field.view("h", section.get(&field.key), typed)) }
            }
        }
    }
}

/// The choice of a kind.
pub(super) fn choice(chosen: Option<&Kind>) -> Markup {
    html! {
        select #kind name="kind" hx-post="hierarchies/kind" hx-trigger="change delay:300ms" {
            option value="" selected[chosen.is_none()] { "None: a value or *" }
            @for kind in kinds() {
                option value=(kind.id) selected[chosen.is_some_and(|chosen| chosen.id == kind.id)] { (kind.id) ": " (prose_text(&kind.title)) }
            }
        }
    }
}

/// A description without marks.
fn prose_text(text: &str) -> String {
    text.replace('`', "")
}

/// What a key could be for a column, to begin with. What it does not know is left to the person.
fn suggestion(kind: &Kind, key: &str, column: &Column, top: Option<f64>) -> Option<Json> {
    let numbers = column.range().filter(|(least, most)| least < most);
    let lengths = || column.values.iter().map(|(value, _)| value.chars().count());
    let years = || {
        let years: Option<Vec<u32>> = column.values.iter().map(|(value, _)| year(value)).collect();
        years.and_then(|years| Some((*years.iter().min()?, *years.iter().max()?)))
    };
    let is_date = kind.id == "date";
    Some(match key {
        "interval" => fitting(numbers?, top).into(),
        "cuts" => {
            let (least, most) = bounds(numbers?);
            let width = widths(numbers?)[2];
            let starts: Vec<f64> = (1..)
                .map(|step| least + f64::from(step) * width)
                .take_while(|start| *start <= most)
                .collect();
            json!([starts])
        }
        "min" if is_date => format!("{}-01-01", years()?.0).into(),
        "max" if is_date => format!("{}-12-31", years()?.1).into(),
        "min" if kind.id != "equal-width" => bounds(numbers?).0.into(),
        "max" if kind.id != "equal-width" && kind.id != "age" => bounds(numbers?).1.into(),
        "equal-frequency" => json!([8, 4, 2]),
        "mask" => "right".into(),
        "length" => lengths().max()?.into(),
        "prefix" => {
            let longest = lengths().max()?;
            (1..=longest)
                .filter(|length| *length == longest || *length == longest.div_ceil(2))
                .collect::<Vec<_>>()
                .into()
        }
        "date" => json!(["month", "quarter", "year"]),
        "age" => 90.into(),
        "icd-10" => "who".into(),
        "atc" => "full".into(),
        "us-zip" if kind.id != "us-zip" => json!(["000"]),
        "ordered" => {
            column.values.iter().map(|(value, _)| value.as_str()).take(500).collect::<Vec<_>>().into()
        }
        "groups" => json!([2]),
        _ => return None,
    })
}

fn year(value: &str) -> Option<u32> {
    value.get(..4)?.parse::<u32>().ok().filter(|year| (1800..2200).contains(year))
}

/// Widths of 1, 2 and 4 times a round number, so that the first makes some fifteen intervals.
fn widths((least, most): (f64, f64)) -> [f64; 3] {
    let rough = ((most - least) / 15.0).max(f64::MIN_POSITIVE);
    let unit = 10f64.powf(rough.log10().floor());
    let round =
        [1.0, 2.0, 5.0, 10.0].into_iter().map(|step| step * unit).find(|width| *width >= rough * 0.99);
    let width = round.unwrap_or(unit).max(1.0);
    [width, 2.0 * width, 4.0 * width]
}

/// Widths of which an interval begins at `top` on every level, where there are such.
fn fitting(range: (f64, f64), top: Option<f64>) -> Vec<f64> {
    let all = widths(range);
    let Some(reach) = top.map(|top| top - bounds(range).0) else { return all.to_vec() };
    let divides = |width: &f64| (reach / width).fract() == 0.0;
    let Some(first) = [all[0], all[0] / 2.0, 1.0].into_iter().find(divides) else { return all.to_vec() };
    let mut widths = vec![first];
    while let Some(last) = widths.last().copied().filter(|_| widths.len() < 3) {
        let Some(next) = [2.0, 3.0, 4.0, 5.0].map(|by| by * last).into_iter().find(divides) else { break };
        widths.push(next);
    }
    widths
}

/// A domain around the numbers that the widest intervals fill.
fn bounds(range: (f64, f64)) -> (f64, f64) {
    let width = widths(range)[2];
    let least = (range.0 / width).floor() * width;
    (least, least + (((range.1 - least) / width).floor() + 1.0) * width - 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(values: &[&str]) -> Column {
        Column { values: values.iter().map(|value| ((*value).to_owned(), 1)).collect(), missing: 0 }
    }

    #[test]
    fn every_kind_of_the_schema_has_a_form() {
        let ids: Vec<&str> = kinds().iter().map(|kind| kind.id.as_str()).collect();
        for id in [
            "file", "age", "ordered", "us-zip", "interval", "cuts", "mask", "rows", "icd-10", "atc",
            "us-zip-2", "prefix", "date",
        ] {
            assert!(ids.contains(&id), "{id}: {ids:?}");
        }
        assert_eq!(ids.len(), 14);
        assert!(kinds().iter().all(|kind| !kind.title.is_empty()));
    }

    /// What is suggested for a column is a hierarchy, and is known again.
    #[test]
    fn suggestions_are_hierarchies_of_their_kind() {
        let columns =
            [column(&["17", "42", "90"]), column(&["2020-01-31", "2022-05-06"]), column(&["abc", "abd"])];
        let mut seen = 0;
        for kind in kinds() {
            for column in &columns {
                let section = kind.suggested(column, None);
                let Ok(read) = serde_json::from_value::<HierarchySection>(section.clone()) else { continue };
                if super::super::picture::definition(&read, std::path::Path::new("r.toml"), column).is_err() {
                    continue;
                }
                seen += 1;
                assert_eq!(kind_of(&section).map(|kind| &kind.id), Some(&kind.id), "{section}");
            }
        }
        assert!(seen >= 10, "{seen}");
    }

    #[test]
    fn kinds_are_known_from_what_is_written() {
        let id = |section: Json| kind_of(&section).map(|kind| kind.id.as_str());
        assert_eq!(id(json!("age.csv")), Some("file"));
        assert_eq!(id(json!({ "interval": [5], "min": 0, "max": 99 })), Some("interval"));
        assert_eq!(id(json!({ "us-zip": "zip.csv" })), Some("us-zip"));
        assert_eq!(id(json!({ "us-zip": ["036"], "plus-4": true })), Some("us-zip-2"));
        assert_eq!(id(json!({ "rows": [["a", "*"]] })), Some("rows"));
        assert_eq!(id(json!({ "age": 90, "max": 120 })), Some("age"));
        assert_eq!(id(json!({ "nothing": 1 })), None);
    }

    /// An interval that holds both coded and other values would be released beside the coded ones.
    #[test]
    fn intervals_end_where_one_group_of_high_values_begins() {
        assert_eq!(fitting((0.0, 103.0), Some(90.0)), [10.0, 30.0, 90.0]);
        assert_eq!(fitting((17.0, 90.0), Some(90.0)), [5.0, 10.0, 30.0]);
        assert_eq!(fitting((0.0, 103.0), None), [10.0, 20.0, 40.0]);
    }

    #[test]
    fn ages_get_intervals_of_5_10_and_20() {
        assert_eq!(widths((17.0, 90.0)), [5.0, 10.0, 20.0]);
        assert_eq!(bounds((17.0, 90.0)), (0.0, 99.0));
        assert_eq!(bounds((1.0, 100.0)).1 % 2.0, 1.0);
    }
}
