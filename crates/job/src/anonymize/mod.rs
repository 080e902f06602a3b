//! The main job: recipe in, certified release out.

mod columns;
mod custodian;
mod describe;
mod full_domain;
mod headers;
mod iab;
mod ipa_private;
pub(crate) mod ipa_published;
mod local;
mod persons;
pub(crate) mod pictures;
mod population;
mod safe_pub;
mod utility;

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use velamen_core::classes::ClassTable;
use velamen_core::context::Context;
use velamen_core::frequency::{FrequencyTable, Role};
use velamen_core::method::evaluate::Outliers;
use velamen_core::method::h_ceiling::{self, grouping::lemma_1_holds};
use velamen_core::method::ipa::{private as noisy, published};
use velamen_core::method::{iab as rows, local_recoding, mdav, safe_pub as sampled};
use velamen_core::metric::Entry;
use velamen_core::model::Monotonicity;
use velamen_core::plan::{Counterfeits, Plan};
use velamen_core::recoding::LocalPlan;
use velamen_core::release::certify::{Finding, State};
use velamen_core::release::{Release, Row, SUPPRESSED, apply, apply_local};
use velamen_engine::FileFormat;

use crate::budget::{self, Account};
use crate::database::Target;
use crate::error::JobError;
use crate::estimate::Allowance;
use crate::folders::{Folders, Wanted, custodian_of};
use crate::manifest::{self, DataFile, Manifest};
use crate::matching::told_apart;
use crate::nearly_unique::nearly_unique;
use crate::recipe::{Formulas, Method, Preset, Resolved};
use crate::table::Source;
use crate::{catalog, identifier_like, identity, safe_harbor, verify};

/// What the caller decides, beyond the recipe.
#[derive(Debug, Clone, Default)]
pub struct RunOptions {
    /// Whether an existing release of that name is replaced.
    pub overwrite: bool,
    /// Whether messages may show cell values.
    pub show_values: bool,
}

/// A finished release.
#[derive(Debug)]
pub struct Outcome {
    /// Its manifest.
    pub manifest: Manifest,
    /// What the checker found: everything holds, or is stated.
    pub findings: Vec<Finding>,
    /// The release folder.
    pub release: PathBuf,
    /// The custodian's folder.
    pub custodian: PathBuf,
    /// The database and table that hold the release, too.
    pub table: Option<String>,
    /// What is spent of the budget, for the custodian alone.
    pub budget: Option<Account>,
    /// What the user should know.
    pub warnings: Vec<String>,
}

/// What a method decided, and how.
pub(crate) struct Decision {
    pub(crate) plan: Decided,
    pub(crate) found: Found,
}

/// A method's plan.
pub(crate) enum Decided {
    FullDomain(Plan),
    Local(LocalPlan),
    /// A sample and what becomes of it.
    Sampled(Box<sampled::Found>),
    /// Records of noisy counts.
    Noisy(Box<noisy::Found>),
}

impl Decided {
    /// The plan, if all values of an attribute go to one level.
    pub(crate) fn full_domain(&self) -> Option<&Plan> {
        match self {
            Self::FullDomain(plan) => Some(plan),
            Self::Local(_) | Self::Sampled(_) | Self::Noisy(_) => None,
        }
    }

    /// The table as far as a recipient may know of it: where counts are noisy, its domains alone.
    fn shown<'a>(&self, table: &'a FrequencyTable) -> Cow<'a, FrequencyTable> {
        match self {
            Self::Noisy(_) => Cow::Owned(table.emptied()),
            _ => Cow::Borrowed(table),
        }
    }

    /// The counterfeits, by class of the plan.
    fn counterfeits(&self) -> &[Counterfeits] {
        match self {
            Self::FullDomain(plan) => &plan.counterfeits,
            Self::Local(plan) => &plan.counterfeits,
            Self::Sampled(found) => &found.plan.counterfeits,
            Self::Noisy(_) => &[],
        }
    }

    /// The release, and per class of a full-domain plan the id it got.
    fn apply(&self, table: &FrequencyTable, seed: &velamen_dp::Seed) -> (Release, Vec<u64>) {
        match self {
            Self::FullDomain(plan) => apply(table, plan, seed),
            Self::Local(plan) => (apply_local(table, plan, seed), (1..=plan.members.len() as u64).collect()),
            Self::Noisy(found) => (found.release.clone(), Vec::new()),
            Self::Sampled(found) => {
                let mut release = apply(&found.sample, &found.plan, seed).0.by_labels();
                if found.suppressed > 0 {
                    release.rows.push(Row { class: SUPPRESSED, rest: 0, count: found.suppressed });
                    release.suppressed = found.suppressed;
                }
                (release, Vec::new())
            }
        }
    }
}

pub(crate) enum Found {
    HCeiling(h_ceiling::Found),
    HCeilingLocal(h_ceiling::local::Found),
    FullDomain(full_domain::Outcome),
    LocalRecoding(local_recoding::Found, &'static Entry),
    /// Nothing but the classes.
    Partitions(usize),
    Mdav(mdav::Found),
    Clustering(local::Clustered),
    /// A search that counts rows.
    Rows(rows::Found),
    /// What is found is private.
    SafePub,
    /// Every step, since what is promised hides none of them.
    IpaPublished(published::Found),
    /// What became of the original records.
    Noisy(noisy::Original),
}

/// Runs a recipe. `path` is the recipe's file, for messages. The context's seed is used as it is.
///
/// # Errors
/// [`JobError`]; then neither folder exists.
pub fn anonymize(
    recipe: &Resolved,
    path: &Path,
    options: &RunOptions,
    context: &Context<'_>,
) -> Result<Outcome, JobError> {
    let folders = Folders::prepare(&Wanted::of(recipe, options.overwrite))?;
    let reserve = |budget| budget::reserve(budget, &recipe.output, recipe.method.name(), context);
    let reserved = recipe.budget.as_ref().map(reserve).transpose()?;
    let mut source = Source::open(recipe, path, options.show_values)?;
    if let Some(target) = &recipe.table {
        target.rehearse(&source.requests, context)?;
    }
    let safe_harbor = recipe.preset == Some(Preset::HipaaSafeHarbor);
    let wrong = |problem| recipe.places.refuse(path, &["preset"], problem);
    if recipe.method.is_private() {
        // What is refused here is refused of every table. No later refusal looks at records:
        // docs/methods/private-refusals.md.
        source.forget_form();
        source.refuse_wide()?;
        if safe_harbor {
            safe_harbor::check_declared(recipe).map_err(wrong)?;
        }
    }
    let table = prepared(recipe, path, read(recipe, &mut source, context)?, context)?;
    if safe_harbor && !recipe.method.is_private() {
        safe_harbor::check(recipe, &table).map_err(wrong)?;
    }
    identifier_like::check(recipe, path, &table)?;
    source.warnings.extend(folders.warnings());
    source.warnings.extend(identity::linkable(&table, &recipe.identities));
    source.warnings.extend(headers::warnings(recipe, &table));
    let budget = reserved.map(budget::Reserved::spend).transpose()?;
    let Made { decision, table, release, ids } = made(recipe, Cow::Owned(table), context)?;
    source.requests.retain(|request| request.role != Role::Person);
    let shown = decision.plan.shown(&table);
    let mut data = data_file(recipe, &source);
    let again = write_data(recipe, &release, &source, folders.release(), &mut data, context)?;
    source.warnings.extend(again);
    let mut manifest = describe::manifest(recipe, &source, &shown, &release, &decision, data);
    if let Some(sensitive) =
        release.rest.sensitive().next().filter(|_| matches!(recipe.method, Method::HCeiling(..)))
    {
        let name = &release.rest.columns[sensitive].name;
        catalog::write(&folders.release().join(catalog::FILE), &release.catalog, name, context)?;
    }
    let findings = verify::check(folders.release(), &manifest, population::rows(&table, &manifest), context)?;
    refuse_broken(&findings)?;
    manifest.set_reached(&findings);
    write_text(&folders.release().join(manifest::FILE), &manifest.to_json())?;
    write_text(&folders.release().join("report.html"), &pictures::public(&manifest, &findings, &release))?;
    custodian::write(
        folders.custodian(),
        recipe,
        &manifest,
        &findings,
        &table,
        &release,
        &decision,
        &ids,
        context,
    )?;
    context.check()?;
    publish(recipe, folders, &manifest, context)?;
    let mut warnings = source.warnings;
    warnings.extend(method_warnings(recipe));
    warnings.extend(ipa_private::warning(&decision.plan));
    warnings.extend(local::warning(recipe, &decision));
    warnings.extend(mostly_counterfeits(&manifest));
    warnings.extend(told_apart(&release));
    warnings.extend(singled_out(&release));
    Ok(Outcome {
        manifest,
        findings,
        release: recipe.output.clone(),
        custodian: custodian_of(&recipe.output),
        table: recipe.table.as_ref().map(Target::label),
        budget,
        warnings,
    })
}

/// Brings the folders to their names; a table that holds the release is seen by others right after.
fn publish(
    recipe: &Resolved,
    folders: Folders,
    manifest: &Manifest,
    context: &Context<'_>,
) -> Result<(), JobError> {
    let Some(target) = &recipe.table else { return folders.publish() };
    let table = target.fill(folders.release(), manifest, context)?;
    folders.publish_with(|| table.commit())
}

fn mostly_counterfeits(manifest: &Manifest) -> Option<String> {
    let counterfeits = manifest.counterfeits.filter(|number| *number > manifest.records / 2)?;
    Some(format!(
        "{counterfeits} of the {} released records are counterfeits; raise h or lower k for a release of more use",
        manifest.records
    ))
}

/// Reads the table, or refuses one that the run has no room for.
fn read(recipe: &Resolved, source: &mut Source, context: &Context<'_>) -> Result<FrequencyTable, JobError> {
    if recipe.method.is_private() {
        // A limit would tell of the records.
        return source.read(context);
    }
    let allowance = Allowance::of(recipe);
    let columns = source.read_requests().len();
    source.input.hold_at_most(allowance.most(&recipe.method, columns));
    let table = match source.read(context) {
        Err(JobError::TooLarge(_)) => return Err(allowance.refusal(recipe, source, context)),
        read => read?,
    };
    allowance.check(recipe, source, &table, context)?;
    Ok(table)
}

/// The table as methods get it.
pub(crate) fn prepared(
    recipe: &Resolved,
    path: &Path,
    table: FrequencyTable,
    context: &Context<'_>,
) -> Result<FrequencyTable, JobError> {
    let table = population::join(recipe, table, context)?;
    let table = safe_pub::prepared(recipe, table);
    ipa_private::prepared(recipe, path, table)
}

/// What a run makes of a table, before anything is written.
pub(crate) struct Made<'a> {
    pub(crate) decision: Decision,
    /// Without the person attribute.
    pub(crate) table: Cow<'a, FrequencyTable>,
    pub(crate) release: Release,
    /// Per class of a full-domain plan the id it got.
    pub(crate) ids: Vec<u64>,
}

/// The recipe's method on a prepared table: all that is random and all that looks at records.
pub(crate) fn made<'a>(
    recipe: &Resolved,
    table: Cow<'a, FrequencyTable>,
    context: &Context<'_>,
) -> Result<Made<'a>, JobError> {
    check_size(recipe, &table)?;
    let decision = decide(recipe, &table, context)?;
    let table = persons::checked_and_removed(recipe, table, decision.plan.full_domain())?;
    let (release, ids) = decision.plan.apply(&table, context.seed);
    check_hidden(recipe, &table, &decision.plan)?;
    Ok(Made { decision, table, release, ids })
}

/// Refuses what no method can do, before any search.
fn check_size(recipe: &Resolved, table: &FrequencyTable) -> Result<(), JobError> {
    if matches!(recipe.method, Method::SafePub(..)) || recipe.method.is_noisy() {
        return Ok(());
    }
    let records = table.records();
    let least = recipe.models.iter().map(|asked| asked.model.least_size()).max().unwrap_or(0);
    if records < least {
        return Err(JobError::Promise(format!(
            "the table has {records} record{}, fewer than k = {least}: no class can have k records",
            if records == 1 { "" } else { "s" }
        )));
    }
    Ok(())
}

pub(crate) fn decide(
    recipe: &Resolved,
    table: &FrequencyTable,
    context: &Context<'_>,
) -> Result<Decision, JobError> {
    match &recipe.method {
        Method::HCeiling(method, _, parts) => local::h_ceiling(recipe, table, *method, *parts, context),
        Method::FullDomain { .. } => full_domain::decide(recipe, table, context),
        Method::Rows(method) => iab::decide(recipe, method, table, context),
        Method::SafePub(method, _) => safe_pub::decide(recipe, method, table, context),
        Method::IpaPublished(method, _) => ipa_published::decide(recipe, method, table, context),
        Method::IpaPrivate(method, ..) => ipa_private::ipa(recipe, method, table, context),
        Method::Contingency(method, ..) => ipa_private::contingency_table(recipe, method, table, context),
        Method::Mdav { k, aggregate } => local::mdav(recipe, table, *k, *aggregate, context),
        Method::Mondrian { partitioning } => local::mondrian(recipe, table, *partitioning, context),
        Method::Clustering(clusters) => local::clustering(recipe, table, clusters, context),
    }
}

/// Lemma 1 on the finished groups, with what only the custodian knows.
fn check_hidden(recipe: &Resolved, table: &FrequencyTable, plan: &Decided) -> Result<(), JobError> {
    if !matches!(recipe.method, Method::HCeiling(..)) {
        return Ok(());
    }
    let sensitive = table.rest.sensitive().next();
    let hidden = match (plan, sensitive) {
        (Decided::FullDomain(plan), _) => lemma_1_holds(&plan.classes, &plan.counterfeits, &plan.groups),
        (Decided::Local(plan), Some(column)) => {
            let classes = ClassTable::of_plan(plan, table, column);
            lemma_1_holds(&classes, &plan.counterfeits, &plan.groups)
        }
        _ => true,
    };
    if !hidden {
        return Err(JobError::Promise(
            "the catalog would betray counterfeits (Lemma 1); nothing was released".into(),
        ));
    }
    Ok(())
}

fn refuse_broken(findings: &[Finding]) -> Result<(), JobError> {
    // What a run could check and did not is no better than what is broken.
    let refused = |finding: &&Finding| match finding.state {
        State::Held | State::Stated => false,
        State::Broken | State::NotChecked => true,
    };
    let broken: Vec<String> = findings
        .iter()
        .filter(refused)
        .map(|finding| format!("{} (asked {}, reached {})", finding.promise, finding.asked, finding.reached))
        .collect();
    if broken.is_empty() {
        return Ok(());
    }
    Err(JobError::Promise(format!("the checker refuses the release: {}", broken.join("; "))))
}

fn data_file(recipe: &Resolved, source: &Source) -> DataFile {
    let format = recipe.format.unwrap_or(source.input.format);
    let of_input = source.input.format.free_delimiter().map(|_| source.input.delimiter);
    let delimiter = format.free_delimiter().map(|usual| char::from(of_input.unwrap_or(usual)).to_string());
    DataFile {
        file: format!("data.{}", format.extension()),
        format: format.extension(),
        delimiter,
        escaped: false,
    }
}

/// Writes the released file and notes whether cells had to be escaped; returns what the user should know.
fn write_data(
    recipe: &Resolved,
    release: &Release,
    source: &Source,
    folder: &Path,
    data: &mut DataFile,
    context: &Context<'_>,
) -> Result<Vec<String>, JobError> {
    let format: FileFormat = data.format.parse().map_err(JobError::Data)?;
    let delimiter = data.delimiter.as_ref().and_then(|text| text.bytes().next()).unwrap_or(b',');
    let mut table = columns::of(release, source);
    data.escaped = format.is_delimited() && recipe.formulas == Formulas::Escape && table.escape_formulas();
    source.engine.write(&table, &folder.join(&data.file), (format, delimiter), context)
}

fn write_text(path: &Path, text: &str) -> Result<(), JobError> {
    std::fs::write(path, text).map_err(|error| JobError::io(path, "write", &error))
}

/// Insensitive columns in which nearly every record has a value of its own.
fn singled_out(release: &Release) -> Option<String> {
    let columns = nearly_unique(release);
    let named: Vec<String> = columns.iter().map(|name| format!("`{name}`")).collect();
    (!named.is_empty()).then(|| {
        format!(
            "nearly every record has a value of its own in {}: who knows it finds the person; drop what is not needed \
             (role = \"identifier\") or make it a quasi-identifier",
            named.join(", ")
        )
    })
}

fn method_warnings(recipe: &Resolved) -> Vec<String> {
    use velamen_core::method::h_ceiling::padding::Padding;
    let mut warnings = Vec::new();
    if recipe.seed.is_some() {
        warnings.push(
            "the seed is fixed in the recipe or on the command line: keep it as secret as the data, or leave it out"
                .into(),
        );
    }
    if recipe.method.is_private() && recipe.budget.is_none() {
        warnings.push(
            "nobody counts what this release spends: two releases of one table cost the sum of both budgets; keep it \
             with [budget] ledger = \"budget.jsonl\", total = { epsilon = … }"
                .into(),
        );
    }
    let superset = recipe.models.iter().all(|asked| asked.entry.monotonicity == Monotonicity::Superset);
    match &recipe.method {
        Method::FullDomain { assume_monotone: true, .. } if !superset => warnings.push(
            "assume-monotone: the models are not monotone throughout, so the node found need not be optimal".into(),
        ),
        Method::HCeiling(_, params, _) if params.padding == Padding::Exact => warnings.push(
            "padding = \"exact\" is the published method, which a minimality attack undoes: whoever knows the \
             algorithm can locate counterfeits; use padding = \"random\" for a release"
                .into(),
        ),
        Method::IpaPublished(..) => warnings.push(format!(
            "{} Choose guarantee = \"differential-privacy\" for a release; why: docs/methods/ipa.md",
            ipa_published::NOTICE
        )),
        Method::Mdav { .. } => warnings.push(
            "mdav releases aggregated values that need not be the person's: the release is not truthful".into(),
        ),
        Method::Rows(_) => warnings.extend(iab::unshielded(recipe)),
        Method::FullDomain { outliers: Outliers::Relocate, .. } => {
            warnings.push("relocated records state quasi-identifiers that the person does not have: a baseline only".into());
        }
        _ => {}
    }
    warnings
}
