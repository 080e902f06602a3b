//! Attacks on a release, by who has its original.

mod cover;
mod had;
mod simulated;
mod view;
mod whose;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Serialize;
use velamen_contract::Spent;
use velamen_core::context::Context;
use velamen_core::error::Problem;
use velamen_core::frequency::{FrequencyTable, Role};
use velamen_dp::Loss;
use velamen_engine::source::ReadOptions;
use velamen_job::published::Published;
use velamen_job::read_as_then;
use velamen_measure::risk::adversary::Law;
use velamen_measure::risk::attack::{
    Guessed, Minimal, NOWHERE, Options, Outcome, REGISTRY, Scene, Second, Sensitive, View,
};
use velamen_measure::risk::minimality;
use velamen_recipe::{JobError, Origin, Resolved};
use velamen_report::telling::{is_beyond, is_exact, told};
use velamen_report::{Manifest, OfMethod};

use self::view::{Dictionaries, ReleaseWithOriginal};
use crate::audit::{AuditOptions, allowed, membership};
use crate::compare::{read_original, refuse_other_domains};
use crate::counted;

pub use velamen_measure::risk::attack::Options as AttackOptions;

/// More values excluded, or persons known, than are worth a line each.
const MOST_BACKGROUND: u64 = 100;

/// The attack that separates counterfeits from real records.
const COUNTERFEITS: &str = "counterfeits";

/// The attack that compares with persons who are not in the release.
const CONTROL: &str = "control";

/// The share of a control group's records that the original may have, too, without a note.
const MOST_KNOWN: f64 = 0.5;

/// The attack that needs the recipe.
const MEMBERSHIP: &str = crate::audit::MEMBERSHIP;

/// What is asked.
#[derive(Debug, Clone)]
pub struct AttackRequest {
    /// The release's folder.
    pub release: PathBuf,
    /// The table that it was made of.
    pub original: Origin,
    /// How tables are read.
    pub read: ReadOptions,
    /// Another release and its original.
    pub second: Option<(PathBuf, Origin)>,
    /// Persons of the same population who are not in the release.
    pub control: Option<Origin>,
    /// Names of attacks; all where it is empty.
    pub attacks: Vec<String>,
    /// How to look.
    pub options: Options,
    /// On how many runs of the recipe an adversary learns to look for counterfeits.
    pub simulate: u64,
    /// Whether to show whom most is learned of.
    pub show_values: bool,
}

/// The recipe of a release, to be run again.
#[derive(Debug)]
pub struct Repeated<'a> {
    /// The recipe.
    pub recipe: &'a Resolved,
    /// How often on each table.
    pub trials: u64,
    /// How many records of the input are taken away, one at a time.
    pub from_data: u64,
}

/// What attacks came to.
#[derive(Debug, JsonSchema, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Attacks {
    /// Records of the original.
    pub original_records: u64,
    /// People of the original, where a column says whose its records are: people are then looked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub original_people: Option<u64>,
    /// Released records.
    pub records: u64,
    /// With which probability an interval has the true rate.
    pub confidence: f64,
    /// One entry per attack.
    pub attacks: Vec<Attack>,
    /// What a reader of the figures has to know.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// What one attack came to.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Attack {
    /// What it came to.
    #[serde(flatten)]
    pub outcome: Outcome,
    /// Whom most is learned of, where values are to be shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub person: Option<Vec<(String, String)>>,
}

/// The names of all attacks.
fn attack_names() -> Vec<&'static str> {
    REGISTRY.iter().map(|entry| entry.name).chain([simulated::NAME, MEMBERSHIP]).collect()
}

/// Attacks a release.
///
/// # Errors
/// [`JobError::usage`] for an unknown attack or a figure out of its range, [`JobError::data`] if a release
/// cannot be one of its original, and what reading and the recipe's method can give.
pub fn attack(
    request: &AttackRequest,
    repeated: Option<&Repeated<'_>>,
    context: &Context<'_>,
) -> Result<Attacks, JobError> {
    refuse(request, repeated)?;
    let asked = |name: &str| request.attacks.is_empty() || request.attacks.iter().any(|asked| asked == name);
    let first = load(&request.release, &request.original, &request.read, context)?;
    let second = request.second.as_ref();
    let second =
        second.map(|(release, original)| load(release, original, &request.read, context)).transpose()?;
    let mut notes: Vec<String> = uncontrolled(request, &first.published.manifest).into_iter().collect();
    notes.extend(first.notes.iter().cloned());
    notes.extend(second.iter().flat_map(|second| second.notes.clone()));
    let mut codes = Dictionaries::default();
    let view = first.view(&mut codes)?;
    notes.extend(first.of_people(&view));
    let second = second.as_ref().map(|second| beside(&view, &first.table, second, &mut codes)).transpose()?;
    let control = request.control.as_ref().filter(|_| asked(CONTROL));
    let control =
        control.map(|table| read_pair(&request.release, table, &request.read, context)).transpose()?;
    notes.extend(control.iter().flat_map(|control| control.notes.clone()));
    let known = control.as_ref().map(|control| known(&control.table, &first.table)).transpose()?;
    let control = control.as_ref().map(|control| control.view_beside(&first, &view, &mut codes));
    let minimal = minimal(&first.published, first.people_of_classes(&view, true).as_deref());
    let people = view.people.number();
    let simulates = request.simulate > 0 || !request.attacks.is_empty() && asked(simulated::NAME);
    let guessed = if asked(COUNTERFEITS) || simulates { first.guessed(&view) } else { Guessed::None };
    let scene = Scene { view, second, control, minimal, guessed, options: request.options };
    let mut attacks = Vec::new();
    for entry in REGISTRY.iter().filter(|entry| asked(entry.name)) {
        let mut outcome = entry.attack(&scene, context)?;
        outcome.notes.extend(known.as_ref().filter(|_| entry.name == CONTROL).cloned().flatten());
        let shown = outcome.worst.filter(|_| request.show_values);
        let person = shown.map(|entry| shown_person(&first.table, entry as usize));
        attacks.push(Attack { outcome, person });
    }
    if simulates {
        repeated.map_or(Ok(()), |repeated| refuse_other_method(repeated, &first.published.manifest))?;
        let outcome = simulated::simulate(&scene.guessed, repeated, request.simulate, context)?;
        attacks.push(Attack { outcome, person: None });
    }
    if asked(MEMBERSHIP) {
        let outcome = match repeated {
            Some(repeated) => {
                refuse_other_method(repeated, &first.published.manifest)?;
                again(repeated, request.options.confidence, context)?
            }
            None => untried(&first),
        };
        attacks.push(Attack { outcome, person: None });
    }
    Ok(Attacks {
        original_records: first.table.records(),
        original_people: first.table.rest.person().map(|_| people),
        records: first.published.release.records(),
        confidence: request.options.confidence,
        attacks,
        notes,
    })
}

/// What to know of the figures of a differentially private release where nobody outside it is attacked, too.
fn uncontrolled(request: &AttackRequest, manifest: &Manifest) -> Option<String> {
    let spent =
        manifest.method.spent().ok().filter(|_| request.control.is_none() && manifest.facts().private)?;
    let losses: Vec<Loss> = spent.iter().map(Spent::loss).collect::<Option<_>>()?;
    let epsilon: f64 = losses.iter().map(|loss| loss.epsilon.to_f64()).sum();
    let delta: f64 = losses.iter().map(|loss| loss.delta.to_f64()).sum();
    Some(format!(
        "ask for a control group first, with --control: without one an advantage also shows what holds of persons who are not in the \
         data. What a person's own records add is at most {}, by epsilon {epsilon} and delta {delta:e}",
        velamen_core::number::number(allowed(epsilon, delta))
    ))
}

fn refuse(request: &AttackRequest, repeated: Option<&Repeated<'_>>) -> Result<(), JobError> {
    let usage = |problem: Problem| Err(JobError::usage(problem));
    if request.simulate > simulated::MOST_RUNS {
        return usage(
            Problem::new("--simulate: a wrong value")
                .expected(format!("a number of runs from 0 to {}", simulated::MOST_RUNS)),
        );
    }
    if request.simulate > 0 && repeated.is_none() {
        return usage(
            Problem::new("--simulate: runs the release's recipe, which is not given")
                .mend("name it with --recipe"),
        );
    }
    let names = attack_names();
    if let Some(unknown) = request.attacks.iter().find(|name| !names.contains(&name.as_str())) {
        return usage(
            Problem::new(format!("--attacks: `{unknown}` is no attack"))
                .expected(format!("some of: {}", names.join(", "))),
        );
    }
    let confidence = request.options.confidence;
    if !(confidence > 0.0 && confidence < 1.0) {
        return usage(
            Problem::new("--confidence: a wrong value").expected("a probability above 0 and below 1"),
        );
    }
    if request.options.targets == 0 {
        return usage(Problem::new("--targets: a wrong value").expected("a number of people, from 1"));
    }
    if request.options.background > MOST_BACKGROUND {
        return usage(
            Problem::new("--background: a wrong value")
                .expected(format!("a number of values from 0 to {MOST_BACKGROUND}")),
        );
    }
    Ok(())
}

/// A release with its original, which has to be its own.
fn load(
    folder: &Path,
    original: &Origin,
    read: &ReadOptions,
    context: &Context<'_>,
) -> Result<ReleaseWithOriginal, JobError> {
    let pair = read_pair(folder, original, read, context)?;
    refuse_other_domains(&pair.published, &pair.table).map_err(|problem| pair.foreign(&problem))?;
    pair.refuse_other_counts()?;
    Ok(pair)
}

/// A release with a table that has its attributes.
fn read_pair(
    folder: &Path,
    original: &Origin,
    read: &ReadOptions,
    context: &Context<'_>,
) -> Result<ReleaseWithOriginal, JobError> {
    let manifest = velamen_report::load(folder)?;
    let (read, note) = read_as_then(folder, original, read);
    let mut table = read_original(original, &read, &manifest, manifest.method.person(), context)?;
    if table.qis.is_empty() {
        return Err(JobError::data(format!("{}: the release has no quasi-identifier", folder.display())));
    }
    let published = Published::load(folder, Some(&table), context)?;
    count_people(&mut table, &published);
    let notes: Vec<String> = note.into_iter().chain(counted::notes(&table, &manifest)).collect();
    let pair = ReleaseWithOriginal::new(table, published, folder, (original, notes));
    if let Some(moved) = pair.table.qis.iter().find(|qi| pair.is_changed(&qi.name)) {
        let message = Problem::new(format!(
            "{}: the dates of `{}` were moved, so that no released date covers the original's",
            folder.display(),
            moved.name
        ))
        .mend("attack a release without `date-shift`");
        return Err(JobError::data(message));
    }
    Ok(pair)
}

/// Counts the people of the original by its column whose pseudonyms tell recipients whose the released records are. Who looks
/// for counterfeits counts records.
fn count_people(table: &mut FrequencyTable, published: &Published) {
    let (manifest, release) = (&published.manifest, &published.release);
    if table.rest.person().is_some() || manifest.counterfeits != Some(0) || manifest.is_noisy() {
        return;
    }
    let column = velamen_report::people::column(manifest, release);
    let name = column.map(|column| &release.rest.columns[column].name);
    if let Some(place) = name.and_then(|name| table.rest.position(name)) {
        table.rest.columns[place].role = Role::Person;
    }
}

/// The second release as the first's codes have it, and who is in both tables.
fn beside<'a>(
    view: &View<'_>,
    table: &FrequencyTable,
    second: &'a ReleaseWithOriginal,
    codes: &mut Dictionaries,
) -> Result<Second<'a>, JobError> {
    let mut other = second.view(codes)?;
    let partner = partners(table, &second.table)?;
    let mut of_both = |first: &Sensitive| {
        let place = other.sensitive.iter().position(|sensitive| sensitive.name == first.name);
        let none = || Sensitive { name: first.name.clone(), of: Vec::new(), parents: BTreeMap::new() };
        place.map_or_else(none, |place| other.sensitive[place].clone())
    };
    let sensitive = view.sensitive.iter().map(&mut of_both).collect();
    other.sensitive = sensitive;
    Ok(Second { view: other, partner })
}

/// Per entry the first of the other table with the same quasi-identifiers and sensitive values, as far as
/// both tables have them. Where both say in one column whose their records are, it is one of that person, if need be one of
/// other values.
fn partners(table: &FrequencyTable, other: &FrequencyTable) -> Result<Vec<u32>, JobError> {
    let (ours, theirs) = (columns(table), columns(other));
    let shared: Vec<&str> = ours.keys().copied().filter(|name| theirs.contains_key(name)).collect();
    let is_qi = |name: &&str| table.qis.iter().any(|qi| qi.name == **name);
    if !shared.iter().any(is_qi) {
        return Err(JobError::data("the two releases share no quasi-identifier to find people by"));
    }
    let people = people_of(table).zip(people_of(other)).filter(|(own, their)| own.name == their.name);
    let person = |of_other: bool, entry: usize| {
        people.as_ref().map_or("", |(own, their)| if of_other { their.at(entry) } else { own.at(entry) })
    };
    let (mut known, mut by_person) = (BTreeMap::<Vec<&str>, u32>::new(), BTreeMap::<&str, u32>::new());
    for entry in (0..other.len()).rev() {
        let person = person(true, entry);
        let cells = shared.iter().map(|name| theirs[name](entry));
        known.insert(std::iter::once(person).chain(cells).collect(), entry as u32);
        by_person.insert(person, entry as u32);
    }
    let mut partners = Vec::with_capacity(table.len());
    for entry in 0..table.len() {
        let person = person(false, entry);
        let cells = shared.iter().map(|name| ours[name](entry));
        let key: Vec<&str> = std::iter::once(person).chain(cells).collect();
        let any = || people.as_ref().and_then(|_| by_person.get(person));
        partners.push(known.get(&key).or_else(any).copied().unwrap_or(NOWHERE));
    }
    Ok(partners)
}

/// The column that says whose the records of a table are.
struct PersonColumn<'a> {
    name: &'a str,
    table: &'a FrequencyTable,
    column: usize,
}

fn people_of(table: &FrequencyTable) -> Option<PersonColumn<'_>> {
    let column = table.rest.person()?;
    Some(PersonColumn { name: &table.rest.columns[column].name, table, column })
}

impl<'a> PersonColumn<'a> {
    fn at(&self, entry: usize) -> &'a str {
        let rest = &self.table.rest;
        let code = rest.codes[self.column][self.table.rest_index[entry] as usize];
        &rest.columns[self.column].values[code as usize]
    }
}

/// That many of a control group's records are the original's as well: strangers coincide, but seldom most of them.
fn known(control: &FrequencyTable, original: &FrequencyTable) -> Result<Option<String>, JobError> {
    let partners = partners(control, original)?;
    let both = partners.iter().zip(&control.counts).filter(|(partner, _)| **partner != NOWHERE);
    let share = both.map(|(_, count)| *count).sum::<u64>() as f64 / control.records().max(1) as f64;
    Ok((share > MOST_KNOWN).then(|| {
        format!(
            "{:.0} % of the control group's records are in the original with the same values; a control group must not \
             hold people of the original, or what is leaked seems to be less than it is",
            share * 100.0
        )
    }))
}

type Cell<'a> = Box<dyn Fn(usize) -> &'a str + 'a>;

/// The original cells of a table's quasi-identifiers and sensitive attributes, by name and entry.
fn columns(table: &FrequencyTable) -> BTreeMap<&str, Cell<'_>> {
    let qis = table.qis.iter().zip(&table.codes).map(|(qi, codes)| {
        let cell: Cell<'_> = Box::new(|entry: usize| qi.hierarchy.label(0, codes[entry]));
        (qi.name.as_str(), cell)
    });
    let rest = table.rest.columns.iter().zip(&table.rest.codes);
    let sensitive = rest.filter(|(column, _)| column.role == Role::Sensitive).map(|(column, codes)| {
        let cell: Cell<'_> =
            Box::new(|entry: usize| &*column.values[codes[table.rest_index[entry] as usize] as usize]);
        (column.name.as_str(), cell)
    });
    qis.chain(sensitive).collect()
}

/// The minimality attack on a release that states its padding.
fn minimal(published: &Published, people: Option<&[u64]>) -> Option<Minimal> {
    let (manifest, release) = (&published.manifest, &published.release);
    if release.catalog.is_empty() {
        return None;
    }
    let Law { k, largest, .. } = told(manifest)?.law;
    let too_kind = is_exact(manifest) && is_beyond(manifest);
    let of_records = manifest.method.counts_persons() && people.is_none();
    Some(Minimal { exposure: minimality::attack(release, k, largest, people), too_kind, of_records })
}

/// A recipe that cannot have made the release shows nothing of it.
fn refuse_other_method(repeated: &Repeated<'_>, manifest: &Manifest) -> Result<(), JobError> {
    let named = manifest.method.name().unwrap_or_default();
    let name = repeated.recipe.method.name();
    let epsilon = manifest.method.epsilon();
    let claimed = crate::audit::claimed(repeated.recipe).map(|claim| claim.epsilon);
    let other = match epsilon.zip(claimed) {
        _ if name != named => format!("its method is {name}, the release's {named}"),
        Some((of_release, own)) if (of_release - own).abs() > 1e-9 => {
            format!("its ε is {own}, the release's {of_release}")
        }
        _ => return Ok(()),
    };
    let problem = format!("is not the recipe of this release: {other}");
    Err(JobError::usage(format!("--recipe: {} {problem}", repeated.recipe.file.display())))
}

fn again(repeated: &Repeated<'_>, confidence: f64, context: &Context<'_>) -> Result<Outcome, JobError> {
    let options = AuditOptions {
        trials: repeated.trials,
        confidence,
        from_data: repeated.from_data,
        ordinary: false,
        inside: false,
    };
    membership(repeated.recipe, &options, context)
}

/// What is needed for the attack that was not tried.
fn untried(pair: &ReleaseWithOriginal) -> Outcome {
    let private = pair.published.manifest.is_noisy() || pair.is_sample();
    let why = if private {
        "the method draws at random: give its recipe with --recipe, and it is run many times with and without a record"
    } else {
        "give the recipe with --recipe, and its method is run many times with and without a record"
    };
    Outcome {
        attack: MEMBERSHIP.into(),
        summary: crate::audit::MEMBERSHIP_SUMMARY.into(),
        left_out: Some(why.into()),
        targets: None,
        figures: Vec::new(),
        notes: Vec::new(),
        worst: None,
    }
}

/// The original values of an entry.
fn shown_person(table: &FrequencyTable, entry: usize) -> Vec<(String, String)> {
    let cells = columns(table);
    cells.iter().map(|(name, cell)| ((*name).to_owned(), cell(entry).to_owned())).collect()
}
