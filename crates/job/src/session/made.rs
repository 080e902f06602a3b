//! A decision that is carried out: a release that is written and not checked.

use std::borrow::Cow;
use std::path::PathBuf;

use velamen_core::context::Context;
use velamen_core::earlier::Earlier;
use velamen_core::frequency::{FrequencyTable, Role};
use velamen_core::hierarchy::Hierarchy;
use velamen_core::release::Release;
use velamen_engine::{ColumnRequest, FileFormat};
use velamen_recipe::{Formulas, JobError, Resolved};
use velamen_report::manifest::AdversaryEntry;
use velamen_report::matching::least_alike;
use velamen_report::{DataFile, Manifest, OfMethod, telling};
use velamen_search::method::{Counterfeits, Outcome, Suppress};

use super::left::left;
use super::place::{Memory, ReleasePlace};
use super::searched::Searched;
use super::{adversary, columns, describe, utility};
use crate::after;
use crate::catalog;
use crate::checksums::sha256;
use crate::folders::Folders;
use crate::published::extent;
use crate::recipients;
use crate::table::OpenedTable;
use crate::verify;

/// A release at its place, in temporary [`Folders`] or in [`Memory`]. It has no outputs before it is certified.
pub struct Made<'a, P> {
    pub(super) searched: Searched<'a>,
    pub(super) release: Release,
    /// Per class of a full-domain plan the id it got.
    pub(super) ids: Vec<u64>,
    pub(super) manifest: Manifest,
    /// Names and bytes of the files for recipients.
    pub(super) documents: Vec<(String, Vec<u8>)>,
    pub(super) place: P,
}

impl<P> Made<'_, P> {
    /// The attributes that lost most, in a sentence for the custodian. Noisy counts are not compared with records.
    pub(super) fn costly(&self) -> Option<String> {
        let Searched { recipe, table, .. } = &self.searched;
        let is_private = recipe.method.is_private();
        (!is_private).then(|| left(recipe, table, &self.release).costly()).flatten()
    }
}

impl<'a> Searched<'a> {
    /// Carries the decision out: the released file, its description and the catalog, in temporary folders.
    ///
    /// # Errors
    /// [`JobError`] if the file cannot be written.
    pub fn apply(self, folders: Folders, context: &Context<'_>) -> Result<Made<'a, Folders>, JobError> {
        self.made(folders, context)
    }

    /// As [`Self::apply`], in memory.
    ///
    /// # Errors
    /// [`JobError::interrupted`].
    pub fn in_memory(self, context: &Context<'_>) -> Result<Made<'a, Memory>, JobError> {
        self.made(Memory::default(), context)
    }

    fn made<P: ReleasePlace>(mut self, mut place: P, context: &Context<'_>) -> Result<Made<'a, P>, JobError> {
        let Self { recipe, source, .. } = self;
        let (release, ids) = self.decision.carry_out(&self.table, context.seed);
        refuse_unlike(recipe, &release)?;
        self.warnings.extend(self.changed(&release, &ids)?);
        let requests: Vec<&ColumnRequest> =
            source.requests.iter().filter(|request| request.role != Role::Person).collect();
        let shown = shown(&self.decision.outcome, &self.table);
        // Writing waits for the disk, figures for the processor.
        let (written, figures) = rayon::join(
            || write_data((recipe, source, self.decision.suppress), &release, &requests, &mut place, context),
            || utility::figures(&self.counted().here(&shown), &release, &self.decision),
        );
        let (data, again) = written?;
        let dropped = source.drops_insensitive;
        let made = (data, figures);
        let mut manifest =
            describe::manifest(recipe, &requests, &shown, &release, &self.decision, made, dropped);
        drop(shown);
        manifest.adversary = self.recognized(&manifest, (&release, &ids), context)?;
        self.warnings.extend(again);
        manifest.data.types = verify::types(&place.open(&manifest)?);
        let mut documents = recipients::files(&manifest.as_read(), &release)?;
        manifest.documents = documents.iter().map(|(name, _)| name.clone()).collect();
        let attached = attached(recipe)?;
        manifest.attached = attached.iter().map(|(name, bytes)| (name.clone(), sha256(bytes))).collect();
        documents.extend(attached);
        self.write_catalog(&release, &mut place, context)?;
        Ok(Made { searched: self, release, ids, manifest, documents, place })
    }

    /// What everybody can make of the counterfeits. Where nobody judged them, that and what the custodian is told are measured
    /// here.
    fn recognized(
        &mut self,
        manifest: &Manifest,
        (release, ids): (&Release, &[u64]),
        context: &Context<'_>,
    ) -> Result<Option<AdversaryEntry>, JobError> {
        if release.catalog.is_empty() {
            return Ok(None);
        }
        if let (None, Some(told)) = (&self.judged, telling::told(manifest)) {
            let made = (release, ids, None);
            self.judged = adversary::figures(&self.table, &self.decision, made, told, context)?;
        }
        // As whoever reads the release has its hierarchies, which can have more values than occur.
        let qis: Vec<_> = manifest.promises(Vec::new())?.qis.iter().map(extent).collect::<Result<_, _>>()?;
        let hierarchies: Vec<&Hierarchy> = qis.iter().map(|qi| &qi.hierarchy).collect();
        Ok(telling::expected(manifest, release, &hierarchies, context)?)
    }

    /// What is said of counterfeits that an earlier release had otherwise.
    fn changed(&self, release: &Release, ids: &[u64]) -> Result<Option<String>, JobError> {
        let (Some(earlier), Some(sensitive)) = (self.earlier, self.table.rest.sensitive().next()) else {
            return Ok(None);
        };
        let values = &self.table.rest.columns[sensitive].values;
        let made = self.decision.outcome.counterfeits().iter().flat_map(|of_class| {
            let id = ids[of_class.class as usize];
            of_class.values.iter().map(move |&(value, count)| (id, values[value as usize].clone(), count))
        });
        after::changed(earlier, &Earlier::of(release, made))
            .map_err(|problem| self.recipe.places.refuse(self.path, &["method"], problem))
    }

    fn write_catalog(
        &self,
        release: &Release,
        place: &mut impl ReleasePlace,
        context: &Context<'_>,
    ) -> Result<(), JobError> {
        let catalogued = self.recipe.method.facts.counterfeits == Counterfeits::Catalogued;
        let Some(sensitive) = release.rest.sensitive().next().filter(|_| catalogued) else { return Ok(()) };
        let name = &release.rest.columns[sensitive].name;
        let written = catalog::Written::beside(data_file(self.recipe, self.source).delimiter.as_deref());
        place.put_catalog(catalog::bytes(&release.catalog, name, written, context)?)
    }
}

/// Refuses a release whose insensitive columns tell too many records of a class that can hold counterfeits to be real.
fn refuse_unlike(recipe: &Resolved, release: &Release) -> Result<(), JobError> {
    let Some((k, largest)) = recipe.method.particulars().padded else { return Ok(()) };
    match least_alike(release, largest).filter(|least| *least < k) {
        Some(least) => Err(JobError::promise(format!(
            "the insensitive columns leave {least} record{} alike in a class that can hold counterfeits, \
                fewer than k = {k}: all others are recognizably real, since a counterfeit repeats a real \
                record's values",
            if least == 1 { "" } else { "s" }
        ))
        .mend(
            "drop the columns (leave out insensitive = \"release\"), or make them coarser or \
                quasi-identifiers",
        )),
        None => Ok(()),
    }
}

/// The table as far as a recipient may know of it: where nothing of it is released, its domains alone.
fn shown<'a>(outcome: &Outcome, table: &'a FrequencyTable) -> Cow<'a, FrequencyTable> {
    match outcome {
        Outcome::Records(_) => Cow::Owned(table.emptied()),
        _ => Cow::Borrowed(table),
    }
}

/// Writes the released file; also returns why parts of it had to be written again.
fn write_data(
    (recipe, source, suppress): (&Resolved, &OpenedTable, Suppress),
    release: &Release,
    requests: &[&ColumnRequest],
    place: &mut impl ReleasePlace,
    context: &Context<'_>,
) -> Result<(DataFile, Vec<String>), JobError> {
    let mut data = data_file(recipe, source);
    let format: FileFormat = data.format.parse().map_err(JobError::data)?;
    let mut table = columns::of(release, requests, source, suppress);
    match recipe.formulas {
        _ if !format.is_delimited() => {}
        Formulas::Escape => data.escaped = table.escape_formulas(),
        Formulas::Keep => data.formulas_kept = table.has_formulas(),
    }
    let again = place.put_data(&source.engine, &table, &data, context)?;
    Ok((data, again))
}

/// The files that the custodian attaches, by name.
fn attached(recipe: &Resolved) -> Result<Vec<(String, Vec<u8>)>, JobError> {
    let read = |(name, path): &(String, PathBuf)| {
        if path.metadata().is_ok_and(|there| !there.is_file()) {
            let problem = format!("{}: output.attach: no plain file", path.display());
            return Err(JobError::usage(problem).expected("a file that can be copied"));
        }
        let bytes =
            std::fs::read(path).map_err(|error| JobError::io(path, "read the attached file", &error))?;
        Ok((name.clone(), bytes))
    };
    recipe.attach.iter().map(read).collect()
}

fn data_file(recipe: &Resolved, source: &OpenedTable) -> DataFile {
    let format = recipe.format.unwrap_or_else(|| source.input.format.written());
    let of_input = source.input.format.free_delimiter().map(|_| source.input.delimiter);
    let delimiter = format.free_delimiter().map(|usual| char::from(of_input.unwrap_or(usual)).to_string());
    DataFile {
        file: format!("data.{}", format.extension()),
        format: format.extension(),
        delimiter,
        escaped: false,
        formulas_kept: false,
        types: Vec::new(),
    }
}
