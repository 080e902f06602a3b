//! Medications that others name by reference: their code stands in a resource of its own, or in one that is contained.

use std::borrow::Cow;

use rustc_hash::FxHashMap;
use velamen_core::error::Problem;
use velamen_recipe::JobError;

use super::element::{self, Form};
use super::found::Found;
use super::json::Node;
use super::kinds::KIND;
use super::modifiers::{is_modified, is_part_modified};
use super::resource::Resource;

/// The kind of resources that say what a medication is.
pub(super) const MEDICATION: &str = "Medication";

/// The element that has the code; where it is missing, a reference stands in its place.
pub(super) const ELEMENT: &str = "medicationCodeableConcept";

const REFERENCE: &str = "medicationReference";

/// The element by which a medication says that it is an error, and its word for it.
const STATUS: &str = "status";
const DENIED: &str = "entered-in-error";

/// The codes of medications.
#[derive(Default)]
pub(super) struct Medications {
    /// By id.
    codes: FxHashMap<String, String>,
    /// By the file of a bundle and the full address of an entry.
    by_address: FxHashMap<(std::path::PathBuf, String), String>,
}

impl Medications {
    /// Notes the code of a resource, if it is a medication.
    pub(super) fn add(
        &mut self,
        id: &str,
        found: &Found<'_>,
        resource: Resource<'_, '_>,
    ) -> Result<(), JobError> {
        if resource.text(KIND).is_none_or(|kind| kind != MEDICATION) {
            return Ok(());
        }
        let refuse = |problem| found.place.refuse(", Medication.code", problem);
        let refuse_element = |(name, problem)| found.place.refuse(&format!(", Medication.{name}"), problem);
        let is_modified = is_modified(resource).map_err(refuse_element)?;
        let is_denied = resource.text(STATUS).is_some_and(|status| status == DENIED);
        let code = resource.value("code").map_err(refuse)?;
        let code = match is_modified || is_denied {
            true => String::new(),
            false => concept(code.node()).map_err(refuse)?.into_owned(),
        };
        if let Some(address) = &found.address {
            self.by_address.insert((found.place.file.to_owned(), address.clone()), code.clone());
        }
        match self.codes.insert(id.to_owned(), code.clone()) {
            Some(other) if other != code => Err(refuse(
                Problem::new("the id of an earlier medication").expected("an id of its own for each"),
            )),
            _ => Ok(()),
        }
    }

    /// The code of the medication to which a resource refers; nothing, where it is not in the folder.
    pub(super) fn of<'a>(
        &self,
        resource: Resource<'_, 'a>,
        found: &Found<'_>,
    ) -> Result<Cow<'a, str>, Problem> {
        let value = resource.value(REFERENCE)?;
        let Some(text) = value.node().get("reference").text() else { return Ok(Cow::Borrowed("")) };
        if let Some(id) = text.strip_prefix('#') {
            let all = resource.value("contained")?;
            return contained(all.node(), id);
        }
        if let Some(code) = self.by_address.get(&(found.place.file.to_owned(), text.to_owned())) {
            return Ok(code.clone().into());
        }
        let reference = element::reference(value.node(), MEDICATION, &|_| None, false)?;
        Ok(self.codes.get(&*reference.key).cloned().unwrap_or_default().into())
    }
}

fn contained<'a>(all: Node<'_, 'a>, id: &str) -> Result<Cow<'a, str>, Problem> {
    match all.list().find(|one| one.get("id").text() == Some(id)) {
        Some(one) if one.get(STATUS).text() != Some(DENIED) && !is_part_modified(one)? => {
            concept(one.get("code"))
        }
        _ => Ok(Cow::Borrowed("")),
    }
}

fn concept<'a>(value: Node<'_, 'a>) -> Result<Cow<'a, str>, Problem> {
    element::check(value, false, Form::Concept)?;
    element::cell(value, Form::Concept)
}
