use std::path::Path;

use serde_json::{Map, Value};
use velamen_assess::operation::Profile;
use velamen_assess::profile::{Candidates, ColumnProfile, PrivateRecipe, Profile as Profiled, SetProfile};
use velamen_core::error::Problem;
use velamen_measure::profile::finding::{Finding, percent};
use velamen_measure::profile::kind::Kind;
use velamen_measure::risk::quasi_identifiers::Measure;
use velamen_recipe::JobError;

use super::entry::Command;
use super::linked;
use super::operation::Shown;
use crate::table::{Side, TextTable};
use crate::terminal::{self, grouped, line, warning};

pub(super) const COMMAND: Command = Command::showing::<Profile>();

impl Shown for Profile {
    const EXAMPLES: &'static str = "\
Examples:
  velamen profile patients.csv
  velamen profile patients.csv --recipe recipe.toml
      Also writes a recipe with suggested roles and hierarchies, each with its reason.
  velamen profile patients.xlsx --sheet Patients --recipe recipe.toml
  velamen profile export.csv --encoding windows-1252 --decimal-comma --recipe recipe.toml
  velamen profile export --as omop --recipe recipe.toml
      Linked tables: a folder of the OMOP Common Data Model.
  velamen profile patients.parquet --sample 100000 --by separation --json
  velamen profile visits.csv --private --recipe recipe.toml --declare 'sex=f|m,age=0..119' --drop name
      A recipe for invented records, from the header and your answers alone: no record is read.

Without --show-values, no cell of the table is shown. Missing-value markers are always shown: they
come from a fixed list.";

    fn refuse(request: &Map<String, Value>) -> Result<(), JobError> {
        if request.contains_key("recipe") && request["table"] == "-" {
            let problem = Problem::new("--recipe: a recipe names the table's file")
                .mend("give the table as a file, not by standard input");
            return Err(JobError::usage(problem));
        }
        Ok(())
    }

    fn print(profile: &Profiled, _request: &Map<String, Value>) {
        print(profile);
    }

    fn before(profile: &Profiled) {
        profile.notes.iter().for_each(warning);
    }
}

fn print(profile: &Profiled) {
    if let Some(folder) = &profile.folder {
        return linked::folder(folder, profile.recipe.as_deref());
    }
    if let Some(private) = &profile.private {
        return print_private(private, profile.recipe.as_deref());
    }
    let sampled = profile
        .sampled
        .map(|records| format!("; all figures are about a random sample of {}", grouped(records)));
    let columns = profile.columns.len();
    line(format!("{} records, {columns} columns{}", grouped(profile.records), sampled.unwrap_or_default()));
    line("");
    let whom = if profile.counts_people { "people" } else { "records" };
    print_columns(&profile.columns, whom);
    print_values(&profile.columns);
    print_missing(&profile.columns);
    print_findings(&profile.columns);
    print_candidates(&profile.candidates);
    if profile.counts_people {
        line(
            "A person has several records here: unique counts people. The other figures count records: they are about telling",
        );
        line("records apart, and somebody who looks for any record of a person needs less than they say.");
    }
    if let Some(recipe) = &profile.recipe {
        line("");
        line(format!("First recipe: {}. Read it and correct it, then run", recipe.display()));
        line(format!("  velamen anonymize {}", recipe.display()));
    }
}

fn print_private(private: &PrivateRecipe, recipe: Option<&Path>) {
    line(format!("{} columns, by their names. No record was read.", private.columns.len()));
    line("");
    let mut table = TextTable::new(&[
        ("column", Side::Left),
        ("role", Side::Left),
        ("declared", Side::Left),
        ("why", Side::Left),
    ]);
    for column in &private.columns {
        let role = serde_json::to_value(column.role).unwrap_or_default();
        let declared = if column.declared { "yes" } else { "to do" };
        let role = role.as_str().unwrap_or_default().to_owned();
        table.row(vec![column.name.clone(), role, declared.into(), column.why.clone()]);
    }
    table.print();
    line("");
    if private.undeclared.is_empty() {
        line("Nothing remains to be declared.");
    } else {
        line(format!(
            "To declare: {}. Lines to correct, each under its heading in the recipe:",
            private.undeclared.join(", ")
        ));
        line("");
        line(private.lines.trim_end());
    }
    if let Some(recipe) = recipe {
        line("");
        let next = if private.undeclared.is_empty() { "Run" } else { "Do what is to do in it, then run" };
        line(format!("Recipe: {}. {next}", recipe.display()));
        line(format!("  velamen anonymize {}", recipe.display()));
    }
}

fn width<'a>(texts: impl Iterator<Item = &'a str>) -> usize {
    texts.map(terminal::width).max().unwrap_or(0).max(6)
}

fn print_columns(columns: &[ColumnProfile], whom: &str) {
    let (left, right) = (|name| (name, Side::Left), |name| (name, Side::Right));
    let mut table = TextTable::new(&[
        left("column"),
        left("type"),
        right("distinct"),
        right("missing"),
        right("unique"),
        right("leak"),
        left("suggested role"),
    ]);
    for column in columns {
        let role = serde_json::to_value(column.suggestion.role).unwrap_or_default();
        table.row(vec![
            column.name.clone(),
            kind(&column.kind, column.fits),
            grouped(column.distinct as u64),
            grouped(column.missing),
            grouped(column.unique),
            format!("{:.3}", column.leak),
            role.as_str().unwrap_or_default().to_owned(),
        ]);
    }
    table.print();
    line(format!(
        "unique: {whom} alone with their value. leak: how much of a person's identity the value reveals (0 to 1)."
    ));
}

fn kind(kind: &Kind, fits: f64) -> String {
    if fits < 1.0 { format!("{kind} ({})", percent(fits)) } else { kind.to_string() }
}

fn print_values(columns: &[ColumnProfile]) {
    let width = width(columns.iter().map(|column| &*column.name));
    let shown =
        columns.iter().filter_map(|column| column.values.as_ref().map(|values| (&column.name, values)));
    for (place, (name, values)) in shown.enumerate() {
        if place == 0 {
            line("");
            line("Values (least, greatest, most frequent):");
        }
        let frequent = format!("{:?} in {}", values.most_frequent, records(values.records));
        let name = terminal::padded(name, width);
        line(format!("  {name}  {:?}, {:?}, {frequent}", values.least, values.greatest));
    }
}

fn records(number: u64) -> String {
    if number == 1 { "1 record".into() } else { format!("{} records", grouped(number)) }
}

fn print_missing(columns: &[ColumnProfile]) {
    let suspected: Vec<&ColumnProfile> =
        columns.iter().filter(|column| !column.suspected_missing.is_empty()).collect();
    if suspected.is_empty() {
        return;
    }
    line("");
    line("Cells that look like missing values; if they are, name them with --null, or `null` in a recipe:");
    let width = width(suspected.iter().map(|column| &*column.name));
    for column in suspected {
        let markers = column.suspected_missing.iter();
        let markers: Vec<String> =
            markers.map(|m| format!("{} in {}", m.marker, records(m.records))).collect();
        line(format!("  {}  {}", terminal::padded(&column.name, width), markers.join(", ")));
    }
}

fn print_findings(columns: &[ColumnProfile]) {
    let found: Vec<(&str, &Finding)> = columns
        .iter()
        .flat_map(|column| column.findings.iter().map(|finding| (&*column.name, finding)))
        .collect();
    line("");
    if found.is_empty() {
        line(
            "No column looks like one of the eighteen identifiers of HIPAA's Safe Harbor (45 CFR 164.514(b)(2)).",
        );
        return;
    }
    line("Suspected identifiers, by HIPAA's Safe Harbor (45 CFR 164.514(b)(2)):");
    let width = width(found.iter().map(|(name, _)| *name));
    for (name, finding) in found {
        let sure = serde_json::to_value(finding.sure).unwrap_or_default();
        let sure = sure.as_str().unwrap_or_default();
        let name = terminal::padded(name, width);
        line(format!("  {name}  ({}) {}", finding.identifier.letter(), finding.title));
        line(format!("  {:width$}      {sure}: {}", "", finding.why.join("; ")));
        line(format!("  {:width$}      {}", "", finding.advice));
    }
}

fn print_candidates(candidates: &Candidates) {
    let share = |share: f64| format!("{} %", terminal::plain(&(100.0 * share).into()));
    let least = share(candidates.threshold);
    let what = match candidates.measure {
        Measure::Distinction => format!("split the table into at least {least} as many groups as records"),
        Measure::Separation => format!("distinguish at least {least} of all pairs of records"),
    };
    line("");
    line(format!("Quasi-identifiers: the smallest column sets that {what}"));
    if candidates.threshold < candidates.asked {
        let all = share(figure(candidates, &candidates.all));
        line(format!("({} was asked for, but all columns together reach {all})", share(candidates.asked)));
    }
    if !candidates.left_out.is_empty() {
        line(format!("without {}", candidates.left_out.join(", ")));
    }
    let right = |name| (name, Side::Right);
    let mut table = TextTable::new(&[
        right("distinct"),
        right("per record"),
        right("separation"),
        right("unique"),
        right("leak"),
        ("attributes", Side::Left),
    ]);
    candidates.sets.iter().for_each(|set| table.row(row(set)));
    table.print_indented();
    let more = candidates.found - candidates.sets.len();
    if more > 0 {
        line(format!("  and {} more (--top)", grouped(more as u64)));
    }
    if let Some(size) = candidates.stopped_at {
        line(format!(
            "The search stopped early, at sets of {size} columns: all smaller sets were found, larger ones were not; --sample searches further."
        ));
    }
}

fn figure(candidates: &Candidates, set: &SetProfile) -> f64 {
    match candidates.measure {
        Measure::Distinction => set.distinction,
        Measure::Separation => set.separation,
    }
}

fn row(set: &SetProfile) -> Vec<String> {
    vec![
        grouped(set.distinct),
        format!("{:.3}", set.distinction),
        format!("{:.6}", set.separation),
        grouped(set.unique),
        format!("{:.3}", set.leak),
        set.attributes.join(", "),
    ]
}
