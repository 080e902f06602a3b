//! A recipe to begin with, as commented TOML.
//!
//! It holds names of columns, markers of missing values and rounded ends of domains, and no other value.

use std::path::Path;

use serde_json::Value;
use velamen_core::context::Context;
use velamen_core::error::Problem;
use velamen_core::frequency::Role;
use velamen_core::hierarchy::{Definition, Icd10, Rule};
use velamen_engine::source::Sheet;
use velamen_job::outputs::{Read, relative};
use velamen_job::{output_file, outputs};
use velamen_measure::profile::header;
use velamen_measure::profile::header::About;
use velamen_recipe::{Code, JobError, SCHEMA_LINES, key, quoted};

use super::derive::Deriving;
use super::diversity::{self, Diversity};
use super::suggest::K;
use super::{ColumnProfile, Profile, ProfileRequest, trial};

/// The most lattice nodes that are searched to the end in reasonable time.
pub(crate) const MOST_NODES: f64 = 20_000.0;

const HEAD: &str = "\
# A first recipe, suggested by `velamen profile`. Read every line and correct the roles, then run
# `velamen anonymize` with it. The roles are identifier (dropped), person (dropped, k counts people),
# quasi-identifier (generalized), and sensitive or insensitive (both released as they are).
";

const FROM_DATA: &str = "\
# The ends of the domain come from the table, rounded outward. They are published: replace them with
# limits that everybody knows.
";

/// Refuses a target that is read or that exists, before anything is read.
pub(super) fn refuse_existing(target: &Path, request: &ProfileRequest) -> Result<(), JobError> {
    let read: Vec<Read> =
        request.table.file().map(|table| Read::new("the table", table)).into_iter().collect();
    outputs::refuse(target, &read)?;
    if target.is_dir() {
        return Err(JobError::unusable(format!("{}: is a folder", target.display())).mend("name a file"));
    }
    if target.exists() && !request.overwrite {
        let message = Problem::new("already exists").mend("name another file or give --overwrite");
        return Err(
            JobError::unusable(message.after(&format!("{}: ", target.display()))).coded(Code::OUTPUT_EXISTS)
        );
    }
    Ok(())
}

/// What the recipe says of the input.
pub(super) struct InputKeys {
    pub(super) request: ProfileRequest,
    pub(super) trim: bool,
    pub(super) deriving: Deriving,
}

/// Writes the recipe.
pub(super) fn write(target: &Path, text: &str) -> Result<(), JobError> {
    output_file::write(target, |path| {
        std::fs::write(path, text).map_err(|error| JobError::io(path, "write the recipe", &error))
    })
}

/// The recipe that is to stand in `folder`, with the method that keeps most of the table; notes what keeps it from
/// being run as it is.
pub(super) fn draft(
    folder: &Path,
    source: &InputKeys,
    profile: &mut Profile,
    context: &Context<'_>,
) -> Result<String, JobError> {
    let nulls = Nulls::of(&profile.columns);
    for column in &mut profile.columns {
        if column.marker_texts.iter().any(|text| !nulls.taken.contains(text)) {
            column.suggestion.hierarchy = None;
            column.suggestion.top = None;
            column.suggestion.levels =
                Some("no hierarchy: a suspected marker of missing values lies between the values".into());
        }
    }
    let few_nodes = nodes(&profile.columns) <= MOST_NODES;
    let asks = profile.columns.iter().any(|column| column.suggestion.asks);
    let untried = Method { section: untried(few_nodes), diversity: None };
    let mut draft = text(folder, source, &nulls, &untried, profile);
    if !asks && source.request.sample.is_none() && profile.records <= trial::MOST_RECORDS {
        let size = trial::TrialSize { few_nodes, records: profile.records };
        match trial::tried(&draft, folder, &source.request, size, context) {
            Ok(tried) => {
                let diversity = diverse((folder, source, &nulls), profile, &tried, context)?;
                let method = Method { section: trial::section(&tried, size), diversity: Some(diversity) };
                draft = text(folder, source, &nulls, &method, profile);
                // What the release would cost comes first.
                profile.notes.splice(0..0, trial::warning(&tried));
            }
            Err(error) if error.is_interrupted() => return Err(error),
            Err(error) => profile.notes.push(format!("the recipe cannot be run as it is: {error}")),
        }
    }
    if !profile.columns.iter().any(|column| column.suggestion.role == Role::QuasiIdentifier) {
        profile.notes.push(
            "the recipe has no quasi-identifier, since every column looks like a direct identifier or confidential: give one of them the \
             role before you run it"
                .into(),
        );
    }
    Ok(draft)
}

/// What a recipe says of the method, and of sensitive columns where that was tried.
struct Method {
    section: String,
    diversity: Option<Diversity>,
}

/// Which sensitive columns are to have two values in each class, by what that costs with the best of the methods.
fn diverse(
    (folder, source, nulls): (&Path, &InputKeys, &Nulls),
    profile: &Profile,
    tried: &[trial::Tried],
    context: &Context<'_>,
) -> Result<Diversity, JobError> {
    let Some(best) = tried.first() else { return Ok(Diversity::default()) };
    let sensitive = profile.columns.iter().filter(|column| column.suggestion.role == Role::Sensitive);
    let names: Vec<&str> = sensitive.map(|column| &*column.name).collect();
    diversity::tried(&names, best.loss, |diversity| {
        let method = Method { section: trial::keys(best.candidate), diversity: Some(diversity.clone()) };
        let draft = text(folder, source, nulls, &method, profile);
        trial::loss(&draft, folder, &source.request, best.candidate, context)
    })
}

/// Markers of missing values for `null`, which holds for all columns.
struct Nulls {
    taken: Vec<String>,
    /// Suspected, but a value of its own in some column.
    doubtful: Vec<String>,
}

impl Nulls {
    fn of(columns: &[ColumnProfile]) -> Self {
        let needed = |column: &&ColumnProfile| column.suggestion.hierarchy.is_some();
        let certain = columns.iter().flat_map(|column| column.suspected_missing.iter().filter(|m| m.certain));
        let mut taken: Vec<String> = certain.map(|marker| marker.marker.to_owned()).collect();
        taken.extend(columns.iter().filter(needed).flat_map(|column| column.marker_texts.iter().cloned()));
        let mut all: Vec<String> =
            columns.iter().flat_map(|column| column.marker_texts.iter().cloned()).collect();
        for list in [&mut taken, &mut all] {
            list.sort();
            list.dedup();
        }
        taken.retain(|text| !columns.iter().any(|column| column.plain_markers.contains(text)));
        let doubtful = all.into_iter().filter(|text| !taken.contains(text)).collect();
        Self { taken, doubtful }
    }
}

fn text(folder: &Path, source: &InputKeys, nulls: &Nulls, method: &Method, profile: &Profile) -> String {
    let mut text = format!("{SCHEMA_LINES}{HEAD}");
    if source.request.read.declared.is_some() {
        text += "\n# Keys of the records that look like values are left out.\nunnamed = \"drop\"\n";
    }
    text += &input(folder, &source.request, source.trim, nulls);
    text += &derived(&source.deriving);
    profile.columns.iter().for_each(|column| text += &attribute(column));
    text += &privacy(&profile.columns, method.diversity.as_ref());
    text += &method.section;
    text + &output(&source.request)
}

/// Where the release goes, beside the table.
pub(super) fn output(request: &ProfileRequest) -> String {
    let Some(table) = request.table.file() else { return String::new() };
    format!("\n[output]\npath = {}\n", quoted(&release_of(table)))
}

/// What a recipe says of an input of which nothing is known but how it is read.
pub(super) fn read_as(folder: &Path, request: &ProfileRequest) -> String {
    input(folder, request, false, &Nulls { taken: Vec::new(), doubtful: Vec::new() })
}

/// Columns that follow from others.
fn derived(deriving: &Deriving) -> String {
    let mut text = String::new();
    for (name, section) in &deriving.sections {
        text += &format!("\n# {}.\n", one_line(&section.words()));
        if deriving.fixed && section.age_at.is_some() {
            text += "# No other column is known to hold the days of the records. Write their day, or the column that has them.\n";
        }
        text += &format!("[derived.{}]\n", key(name));
        let section = serde_json::to_value(section).unwrap_or_default();
        for (key, value) in section.as_object().into_iter().flatten() {
            text += &format!("{key} = {}\n", inline(value));
        }
    }
    text
}

/// `patients-release` for `patients.csv.gz`.
fn release_of(table: &Path) -> String {
    let name = table.file_name().unwrap_or_default().to_string_lossy();
    let plain = name.strip_suffix(".gz").or_else(|| name.strip_suffix(".zst")).unwrap_or(&name);
    let stem = Path::new(plain).file_stem().unwrap_or_default().to_string_lossy();
    format!("{stem}-release")
}

fn input(folder: &Path, request: &ProfileRequest, trim: bool, nulls: &Nulls) -> String {
    let mut text = "\n[input]\n".to_owned();
    if let Some(table) = request.table.file() {
        text += &format!("path = {}\n", quoted(&relative(table, folder)));
    }
    if let Some(format) = &request.read.format {
        text += &format!("format = {}\n", quoted(&format.extension()));
    }
    if let Some(delimiter) = request.read.delimiter {
        text += &format!("delimiter = {}\n", quoted(&char::from(delimiter).to_string()));
    }
    if request.read.headerless {
        text += "header = false\n";
    } else if request.read.trusts_header {
        text += "header = true\n";
    }
    if trim {
        text += "trim = true\n";
    }
    if let Some(sheet) = &request.read.sheet {
        let written = match sheet {
            Sheet::Name(name) => quoted(name),
            Sheet::Number(number) => number.to_string(),
        };
        text += &format!("sheet = {written}\n");
    }
    if request.read.skip_lines > 0 {
        text += &format!("skip-lines = {}\n", request.read.skip_lines);
    }
    if let Some(encoding) = request.read.encoding {
        text += &format!("encoding = {}\n", quoted(&encoding.name().to_ascii_lowercase()));
    }
    if request.read.decimal_comma {
        text += "decimal = \",\"\n";
    }
    let all: Vec<String> =
        request.read.null.iter().chain(&nulls.taken).map(|marker| quoted(marker)).collect();
    if !all.is_empty() {
        text += &format!("# Cells that mean a missing value, in any column.\nnull = [{}]\n", all.join(", "));
    }
    if !nulls.doubtful.is_empty() {
        let doubtful: Vec<String> = nulls.doubtful.iter().map(|marker| quoted(marker)).collect();
        text += &format!("# Also suspected; add those that mean a missing value: {}\n", doubtful.join(", "));
    }
    text
}

/// What a comment begins with that holds the hierarchy of a column whose role has none.
pub const AS_QUASI_IDENTIFIER: &str = "# As a quasi-identifier: hierarchy = ";

fn attribute(column: &ColumnProfile) -> String {
    let suggestion = &column.suggestion;
    let mut text = format!("\n# {}\n", one_line(&suggestion.why));
    for finding in column.findings.iter().filter(|_| !column.is_identifier()) {
        text += &format!("# ({}) To do: {}.\n", finding.identifier.letter(), finding.advice);
    }
    let role = serde_json::to_value(suggestion.role).unwrap_or_default();
    text += &format!("[attributes.{}]\nrole = {role}\n", key(&column.name));
    let definition =
        suggestion.hierarchy.as_ref().and_then(|definition| serde_json::to_value(definition).ok());
    if suggestion.role != Role::QuasiIdentifier {
        text += if suggestion.asks { ANSWERS } else { "" };
        let kept = definition.filter(|_| !column.is_identifier());
        let form = kept.map(|form| format!("{AS_QUASI_IDENTIFIER}{}\n", inline(&form)));
        return text + &form.unwrap_or_default();
    }
    match (&definition, &suggestion.levels) {
        (Some(definition), Some(levels)) => {
            text += &format!("# Levels: {levels}.\n");
            text += if suggestion.from_data { FROM_DATA } else { "" };
            text += &format!("hierarchy = {}\n", inline(definition));
        }
        (_, Some(levels)) => text += &format!("# Levels: a value or `*`; {levels}.\n"),
        _ => {
            text += "# Levels: a value or `*`. A file with a hierarchy keeps more: hierarchy = \"FILE.csv\"\n"
        }
    }
    if let Some(top) = suggestion.top {
        text += &format!("# All values from here up form one group.\ntop = {top}\n");
    }
    text
}

/// What a column that could number the people needs.
const ANSWERS: &str = "\
# To do: role = \"person\" in place of that if it numbers the people, or this line if every record is of another person:
# rows = \"independent\"
";

/// A value as TOML writes it in one line.
fn inline(value: &Value) -> String {
    let listed = |items: Vec<String>| items.join(", ");
    match value {
        Value::Object(fields) => {
            let fields = fields.iter().map(|(name, value)| format!("{name} = {}", inline(value))).collect();
            format!("{{ {} }}", listed(fields))
        }
        Value::Array(items) => format!("[{}]", listed(items.iter().map(inline).collect())),
        Value::String(text) => quoted(text),
        // Whole numbers without a point.
        Value::Number(number) => number.as_f64().map_or_else(String::new, |number| number.to_string()),
        Value::Bool(_) | Value::Null => value.to_string(),
    }
}

/// Where the levels can be searched to the end.
const OPTIMAL: &str = "\
# The levels of least loss, proven; up to a twentieth of the records may be suppressed.
";

/// Where they cannot.
const MONDRIAN: &str = "\
# There are too many combinations of levels to search, and one level for the whole table would leave little
# detail. This method puts records into small classes that share ranges and sets of values, in seconds.
# With fewer quasi-identifiers, name = \"optimal\" finds the levels of least loss, one for the whole table.
";

/// `[method]` where nothing was tried.
fn untried(few_nodes: bool) -> String {
    let (comment, candidate) = match few_nodes {
        true => (OPTIMAL, trial::OPTIMAL),
        false => (MONDRIAN, trial::MONDRIAN),
    };
    comment.to_owned() + &trial::keys(candidate)
}

/// The nodes of the suggested lattice.
fn nodes(columns: &[ColumnProfile]) -> f64 {
    let qis = columns.iter().filter(|column| column.suggestion.role == Role::QuasiIdentifier);
    qis.map(|column| levels(column.suggestion.hierarchy.as_ref())).product()
}

/// What is said of sensitive columns where nothing was tried.
const UNTRIED_DIVERSITY: &str = "
# k-anonymity does not hide what all records of a class have in common. To limit that, add for each
# sensitive attribute:
# [[privacy]]
# model = \"distinct-l-diversity\"
# l = 2
# attribute = \"NAME\"
";

fn privacy(columns: &[ColumnProfile], diversity: Option<&Diversity>) -> String {
    let sensitive = columns.iter().any(|column| column.suggestion.role == Role::Sensitive);
    let untried = || if sensitive { UNTRIED_DIVERSITY.to_owned() } else { String::new() };
    let diversity = diversity.map_or_else(untried, Diversity::text);
    let impossible = impossible(columns);
    let others = K - 1;
    let promise = match columns.iter().any(|column| column.suggestion.role == Role::Person) {
        true => format!(
            "Every person shares the quasi-identifiers of each record with at least {others} other people"
        ),
        false => format!("Every record shares its quasi-identifiers with at least {others} others"),
    };
    format!("\n# {promise}.\n[[privacy]]\nmodel = \"k-anonymity\"\nk = {K}\n{diversity}{impossible}\n")
}

/// What a method with counterfeits needs to know where diagnoses stand beside a sex or an age.
fn impossible(columns: &[ColumnProfile]) -> String {
    let diagnoses = columns.iter().any(|column| {
        column.suggestion.role == Role::Sensitive
            && column.suggestion.hierarchy.as_ref().and_then(Definition::form::<Icd10>).is_some()
    });
    let named = |is: fn(&str) -> bool| {
        let mut qis = columns.iter().filter(|column| column.suggestion.role == Role::QuasiIdentifier);
        qis.find(|column| is(&column.name)).map(|column| quoted(&column.name)).filter(|_| diagnoses)
    };
    let sex = named(|name| header::words(name).iter().any(|word| SEX.contains(&word.as_str())));
    let age = named(|name| matches!(header::about(name), Some((About::Age, _))));
    if sex.is_none() && age.is_none() {
        return String::new();
    }
    let sex = sex
        .map(|name| format!("# sex = {{ attribute = {name}, female = [\"VALUE\"], male = [\"VALUE\"] }}\n"));
    let age = age.map(|name| format!("# age = {name}\n"));
    format!(
        "\n# For name = \"h-ceiling\" below: diagnoses that the sex or the age excludes, so that no counterfeit has one.\n\
         # [[impossible]]\n# list = \"icd-10\"\n{}{}",
        sex.unwrap_or_default(),
        age.unwrap_or_default()
    )
}

/// Words of names of the sex.
const SEX: [&str; 3] = ["sex", "gender", "성별"];

/// The levels of a hierarchy; without one a value or `*`.
pub(crate) fn levels(definition: Option<&Definition>) -> f64 {
    let top = definition.and_then(|definition| Rule::try_from(definition).ok()).map_or(1, |rule| rule.top());
    f64::from(top) + 1.0
}

pub(super) fn one_line(text: &str) -> String {
    text.replace(['\n', '\r'], " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_are_named_after_tables() {
        let of = |name: &str| release_of(Path::new(name));
        assert_eq!(of("a/patients.csv.gz"), "patients-release");
        assert_eq!(of("processed.va.data"), "processed.va-release");
    }

    #[test]
    fn names_become_keys() {
        for name in
            ["age", "blood group", "a.b", "나이", "a\"b", "a\nb", "tab\there", "\u{7f}", "x]\n[output]"]
        {
            let text = format!("[attributes.{}]\nrole = 1\n", key(name));
            let table: toml::Table = toml::from_str(&text).unwrap();
            assert!(table["attributes"].get(name).is_some(), "{name:?}");
            assert_eq!(table.len(), 1);
        }
    }
}
