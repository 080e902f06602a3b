//! A release that the checker passed.

use std::collections::BTreeMap;

use serde_json::{Map, Value};
use velamen_checker::{Finding, State};
use velamen_contract::AskedFor;
use velamen_contract::model::differential_privacy::DifferentialPrivacyParams;
use velamen_core::context::Context;
use velamen_core::frequency::Role;
use velamen_core::hierarchy::TOP;
use velamen_core::number::count;
use velamen_core::release::Release;
use velamen_engine::source::Batches;
use velamen_recipe::{AskedModel, Code, JobError, Resolved, ResolvedAttribute};
#[cfg(feature = "reports")]
use velamen_report::Distribution;
use velamen_report::Manifest;
use velamen_report::in_people::beside_people;
use velamen_report::matching::{counted_alone, singled_out, told_apart};
use velamen_report::recipient::all_shown;
use velamen_search::method::Records;

use super::beside::{ClassRecords, class_records};
use super::kept::{Kept, write_all};
use super::made::Made;
#[cfg(feature = "reports")]
use super::pictures;
use super::place::{Memory, ReleasePlace, written};
use super::searched::Searched;
use super::{custodian, pages, population};
use crate::budget::Account;
use crate::folders::Folders;
use crate::{catalog, database, original, verify};

/// A δ above which a run warns: a table has more than a thousand records.
const LARGE_DELTA: f64 = 1e-3;

/// Declared values from which noisy counts take long.
const LONG: u64 = 100_000;

/// A release that the checker passed: the only step with outputs. What they are depends on its place: a release in
/// [`Folders`] can be published, one in [`Memory`] gives its records and files.
pub struct Certified<'a, P> {
    pub(super) made: Made<'a, P>,
    /// What recipients find.
    pub(super) findings: Vec<Finding>,
    /// What the run found, which has the population's table.
    pub(super) checked: Vec<Finding>,
    /// The file of the originals, as the custodian's folder remembers it; of a release in memory that is found out when it is kept.
    original: Map<String, Value>,
}

#[allow(private_bounds, reason = "there are two places, and no program adds one")]
impl<'a, P: ReleasePlace> Made<'a, P> {
    /// Reads the released file back and checks every promise.
    ///
    /// # Errors
    /// [`JobError::promise`] if one is broken, or could be checked and was not.
    pub fn certify(self, context: &Context<'_>) -> Result<Certified<'a, P>, JobError> {
        let input = Some(&self.searched.recipe.input).filter(|_| P::IS_PUBLISHED);
        // Reading and checking leave a core idle now and then.
        let (certified, original) =
            rayon::join(|| self.checked(context), || input.map_or_else(Map::new, original::recorded));
        certified.map(|certified| Certified { original, ..certified })
    }

    fn checked(mut self, context: &Context<'_>) -> Result<Certified<'a, P>, JobError> {
        let population = population::rows(&self.searched.table, &self.manifest);
        self.searched.without_values();
        let released = written(&self.place, &self.manifest, context)?;
        // A verdict is the recipients', who do not have the population's table.
        let without =
            population.is_some().then(|| verify::check(&released, &self.manifest, None)).transpose()?;
        let checked = verify::check(&released, &self.manifest, population.clone())?;
        refuse_broken(&checked).map_err(|refusal| self.advised(refusal))?;
        velamen_report::set_reached(&mut self.manifest, &checked);
        if let Some(people) = &self.searched.apart.people {
            let of_people = people.check(&self.manifest, population)?;
            refuse_broken(&of_people).map_err(|refusal| self.advised(refusal))?;
            velamen_report::set_reached(&mut self.manifest, &of_people);
        }
        if let Some(real) = &self.searched.apart.real {
            refuse_broken(&real.check(&self.manifest)?).map_err(of_real)?;
        }
        let findings = without.unwrap_or_else(|| checked.clone());
        let [findings, checked] = [findings, checked].map(|found| beside_people(&self.manifest, found));
        Ok(Certified { made: self, findings, checked, original: Map::new() })
    }
}

/// A refusal that is about the real records alone.
fn of_real(refusal: JobError) -> JobError {
    JobError::promise(format!("{refusal}, of the real records by themselves"))
}

impl<P> Made<'_, P> {
    /// A refusal with what may be the matter, where suppressed records show their values.
    fn advised(&self, refusal: JobError) -> JobError {
        let (suppressed, whole) = (self.manifest.suppressed, self.manifest.suppresses_records());
        if suppressed == 0 || whole || self.searched.recipe.method.is_private() {
            return refusal;
        }
        JobError::promise(format!(
            "{refusal}; the {suppressed} suppressed records show their values and are a class, too"
        ))
        .mend("leave out suppress = \"quasi-identifiers\", or let more be suppressed")
    }
}

impl<P> Certified<'_, P> {
    /// What was done, asked and reached: `release.json`.
    #[must_use]
    pub fn manifest(&self) -> &Manifest {
        &self.made.manifest
    }

    /// What the checker finds for recipients: everything holds, is stated, or needs the population's table, with which the run
    /// found that it holds.
    #[must_use]
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// The page for recipients: `report.html`.
    #[cfg(feature = "reports")]
    #[must_use]
    pub fn report(&self) -> String {
        pictures::public(&self.made.manifest.as_read(), &self.findings, &self.made.release)
    }

    /// That page by its name, where this build makes one.
    fn page(&self) -> Option<(String, Vec<u8>)> {
        let page = pages::public(&self.made.manifest.as_read(), &self.findings, &self.made.release)?;
        Some((pages::PUBLIC_PAGE.to_owned(), page.into_bytes()))
    }

    /// How each attribute's values are distributed among the original records and in the release, for the custodian
    /// alone.
    #[cfg(feature = "reports")]
    #[must_use]
    pub fn distributions(&self) -> Vec<Distribution> {
        pictures::beside(&self.made.searched.counted(), &self.made.release)
    }

    /// Classes with the original records that are in them, for the custodian only: as many classes as have `most`
    /// records together, at least one. `None` where classes have values of their own, and of invented records that were published.
    #[must_use]
    pub fn classes(&self, most: u64) -> Option<Vec<ClassRecords>> {
        let Made { searched, release, .. } = &self.made;
        searched.has_values().then(|| class_records(&searched.table, release, most)).flatten()
    }

    /// The names of the released columns: the quasi-identifiers, then the others, as in [`Self::classes`].
    #[must_use]
    pub fn columns(&self) -> (Vec<String>, Vec<String>) {
        let release = &self.made.release;
        let qis = release.qis.iter().map(|qi| qi.name.clone());
        (qis.collect(), release.rest.columns.iter().map(|column| column.name.clone()).collect())
    }

    /// What is shown of each attribute, in words, by name.
    #[must_use]
    pub fn shown(&self) -> Vec<(String, String)> {
        all_shown(&self.made.manifest, &self.made.release)
    }

    /// What is spent of the budget, for the custodian only.
    #[must_use]
    pub fn budget(&self) -> Option<Account> {
        self.made.searched.budget
    }

    /// What the user should know, what the release costs first.
    #[must_use]
    pub fn warnings(&self) -> Vec<String> {
        let Searched { recipe, decision, warnings, apart, .. } = &self.made.searched;
        let k = recipe.models.iter().filter_map(AskedModel::least_class).max();
        let mut all: Vec<String> = self.made.costly().into_iter().chain(warnings.iter().cloned()).collect();
        all.extend(of_recipe(recipe));
        all.extend(decision.warnings.iter().chain(&decision.notes).cloned());
        all.extend(apart.people.as_ref().and_then(|people| people.easiest(k)));
        all.extend(mostly_counterfeits(&self.made.manifest));
        all.extend(told_apart(&self.made.release));
        all.extend(no_record(recipe, &self.made.manifest, &self.made.release));
        all.extend(nothing_left(recipe, &self.made.manifest, &self.made.release));
        all.extend(singling(&self.made.manifest, &self.made.release));
        all
    }
}

impl Certified<'_, Folders> {
    /// Writes what belongs to the release, and brings both folders to their names; a table that holds the release
    /// is seen by others right after.
    ///
    /// # Errors
    /// [`JobError`]; then neither folder exists.
    pub fn publish(self, context: &Context<'_>) -> Result<(), JobError> {
        let Made { manifest, place: folders, searched, .. } = &self.made;
        let (public, private) = rayon::join(
            || {
                let files = velamen_report::files(manifest);
                for (name, bytes) in files.iter().chain(&self.made.documents).chain(&self.page()) {
                    let path = folders.release().join(name);
                    std::fs::write(&path, bytes).map_err(|error| JobError::io(&path, "write", &error))?;
                }
                Ok(())
            },
            || {
                write_all(
                    folders.custodian(),
                    &custodian::files(&self.made, (&self.findings, &self.checked), &self.original, context)?,
                )
            },
        );
        public.and(private)?;
        context.check()?;
        let target = searched.recipe.table.as_ref();
        let table =
            target.map(|target| database::fill(target, folders.release(), manifest, context)).transpose()?;
        match table {
            None => self.made.place.publish(),
            Some(table) => self.made.place.publish_with(|| table.commit()),
        }
    }
}

impl Certified<'_, Memory> {
    /// A release in memory with all that belongs to it, the custodian's files as well.
    ///
    /// # Errors
    /// [`JobError::interrupted`], or what the custodian's files lack.
    pub fn keep(self, context: &Context<'_>) -> Result<Kept, JobError> {
        let custodian =
            custodian::files(&self.made, (&self.findings, &self.checked), &self.original, context)?;
        let (manifest, findings, warnings) =
            (self.manifest().clone(), self.findings.clone(), self.warnings());
        let Resolved { reads, sync, .. } = self.made.searched.recipe;
        let (reads, sync) = (reads.clone(), *sync);
        Ok(Kept { manifest, findings, warnings, files: self.files(), custodian, reads, sync })
    }

    /// The released records of a release in memory, with their types.
    ///
    /// # Errors
    /// [`JobError::data`] if the recipe asks for another format than
    /// Arrow.
    pub fn batches(self) -> Result<Batches, JobError> {
        Ok(Batches::of_arrow(self.made.place.data)?)
    }

    /// The files of a release in memory: the released file, `release.json`, the files for recipients, the catalog, if there is
    /// one, and `report.html`, where the build makes pages, by name.
    #[must_use]
    pub fn files(self) -> BTreeMap<String, Vec<u8>> {
        let page = self.page();
        let Made { manifest, place: Memory { data, catalog }, documents, .. } = self.made;
        let mut files = BTreeMap::from_iter(velamen_report::files(&manifest));
        files.extend(page);
        files.insert(manifest.data.file, data);
        files.extend(documents);
        if !catalog.is_empty() {
            files.insert(catalog::FILE.to_owned(), catalog);
        }
        files
    }
}

fn mostly_counterfeits(manifest: &Manifest) -> Option<String> {
    let counterfeits = manifest.counterfeits.filter(|number| *number > manifest.records / 2)?;
    Some(format!(
        "{counterfeits} of the {} released records are counterfeits; raise h or lower k for a release of more use",
        manifest.records
    ))
}

/// Quasi-identifiers of which every released value is `*`, in one line.
fn nothing_left(recipe: &Resolved, manifest: &Manifest, release: &Release) -> Option<String> {
    let classes = 0..release.sizes.len();
    let is_lost =
        |q: usize| classes.clone().all(|class| release.qis[q].label(release.class(class)[q]) == TOP);
    let lost = (0..release.qis.len()).filter(|&q| !classes.is_empty() && is_lost(q));
    let names: Vec<&str> = lost.map(|q| &*release.qis[q].name).collect();
    let (they, them) = if names.len() == 1 { ("it is", "it") } else { ("they are", "them") };
    (!names.is_empty()).then(|| {
        format!(
            "{}: nothing left (*): {} can keep some of {them}; if {they} not needed, drop {them} (role = \"identifier\")",
            names.join(", "),
            any_of(&keeping(recipe, manifest))
        )
    })
}

/// Said of a release that is empty.
fn no_record(recipe: &Resolved, manifest: &Manifest, release: &Release) -> Option<String> {
    (release.records() == 0)
        .then(|| format!("the release has no record: {} can keep some", any_of(&keeping(recipe, manifest))))
}

/// What lets the method keep more detail. The k of a private method follows from its budget.
fn keeping(recipe: &Resolved, manifest: &Manifest) -> Vec<&'static str> {
    let facts = recipe.method.facts;
    let k = recipe.models.iter().any(|asked| asked.asks_for_records());
    if facts.records == Records::Invented {
        return vec!["a larger epsilon", "domains that have the values of the records"];
    }
    let weaker = match (facts.private, k) {
        (true, _) => "a larger epsilon",
        (false, true) => "a lower k",
        (false, false) => "a weaker privacy model",
    };
    let weighs = manifest.method.metric().is_some();
    let weight = weighs.then_some("a larger weight");
    let local = (facts.one_level && !facts.private).then_some("a method of local recoding");
    ["a hierarchy with more levels"].into_iter().chain(weight).chain([weaker]).chain(local).collect()
}

/// `a, b or c`.
fn any_of(ways: &[&str]) -> String {
    match ways {
        [first @ .., last] if !first.is_empty() => format!("{} or {last}", first.join(", ")),
        _ => ways.concat(),
    }
}

/// Insensitive columns in which most records have a value of their own.
fn singling(manifest: &Manifest, release: &Release) -> Option<String> {
    let columns = singled_out(manifest, release);
    let named: Vec<String> = columns.iter().map(|(name, _)| format!("`{name}`")).collect();
    (!named.is_empty()).then(|| {
        format!(
            "most {} have a value of their own in {}: who knows it finds the person; drop what is not needed \
             (role = \"identifier\") or make it a quasi-identifier",
            counted_alone(manifest, release),
            named.join(", ")
        )
    })
}

/// What a recipe leaves to chance.
pub(crate) fn of_recipe(recipe: &Resolved) -> Vec<String> {
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
    warnings.extend(large_delta(recipe));
    warnings.extend(long(recipe));
    warnings
}

/// A δ that is no small probability: that of a release that shows somebody as she is.
fn large_delta(recipe: &Resolved) -> Option<String> {
    let asked = |asked: &AskedModel| {
        AskedFor(&asked.model.parameters()).parameters().map(|asked: DifferentialPrivacyParams| asked.delta)
    };
    let delta = recipe.models.iter().filter_map(asked).reduce(f64::max);
    let delta = delta.filter(|delta| *delta > LARGE_DELTA)?;
    Some(format!(
        "delta is {delta}: with that probability the release may show a person as she is; choose one far below 1 divided by the number \
         of records"
    ))
}

/// Domains of which noisy counts take long, where records are invented.
fn long(recipe: &Resolved) -> Option<String> {
    let values = |attribute: &&ResolvedAttribute| attribute.rule.most_values().unwrap_or(0).saturating_sub(1);
    let is_counted = |attribute: &&ResolvedAttribute| attribute.levels.0.max(attribute.bins) == 0;
    let of_role = |attribute: &&ResolvedAttribute| attribute.role == Role::QuasiIdentifier;
    let qis = recipe.attributes.iter().filter(of_role).filter(is_counted);
    let widest = qis.max_by_key(values).filter(|_| recipe.method.facts.records == Records::Invented)?;
    let values = values(&widest);
    (values > LONG).then(|| {
        format!(
            "attribute `{}` has {} declared values, which will take long: a million noisy counts took a minute and a gigabyte of \
             memory; declare wider steps or fewer values",
            widest.name,
            count(values)
        )
    })
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
    let refusal = JobError::promise(format!("the checker refuses the release: {}", broken.join("; ")));
    Err(refusal.coded(Code::CHECKER_REFUSES))
}
