//! What a release of an earlier form does not state, so that it was not compared.

use serde_json::json;
use velamen_checker::Finding;
use velamen_core::recoding::Recoding;
use velamen_report::Manifest;
use velamen_report::manifest::{AttributeEntry, FORMAT};
use velamen_search::model;

use super::parameters;
use crate::recipients::VERSION;

/// The form of a release, in words.
pub(super) fn form(manifest: &Manifest) -> String {
    manifest.format.map_or("no format number".to_owned(), |format| format!("format {format}"))
}

/// What was not compared; `None` of a release of the form that is written now. `typed`: its columns have types.
pub(super) fn finding(manifest: &Manifest, typed: bool) -> Option<Finding> {
    let why = format!(
        "a release of {}: not compared are {}; make it again with velamen {VERSION}",
        form(manifest),
        not_compared(manifest, typed).join(", ")
    );
    (!manifest.is_current()).then(|| Finding::not_checked("format", json!({ "format": FORMAT }), &why))
}

fn not_compared(manifest: &Manifest, typed: bool) -> Vec<String> {
    let unsaid = unsaid(manifest);
    let ends = |entry: &AttributeEntry| entry.recoding == Some(Recoding::Ranges) && entry.step.is_none();
    let parts = [
        (true, "fields that this version does not know".to_owned()),
        (true, "what each attribute has to state".to_owned()),
        (typed, "the types of the columns".to_owned()),
        (manifest.attributes.values().any(ends), "where ranges end".to_owned()),
        (!unsaid.is_empty(), format!("what it leaves out ({})", unsaid.join(", "))),
    ];
    parts.into_iter().filter(|(is_part, _)| *is_part).map(|(_, part)| part).collect()
}

/// Parameters that runs state today: a limit that is left out limits nothing, a model's parameter is the usual one. Without a
/// limit of suppression no record may be suppressed, which is compared.
fn unsaid(manifest: &Manifest) -> Vec<String> {
    let of_method = parameters::unsaid(manifest).into_iter().filter(|key| key != "suppression-limit");
    let of_method = of_method.map(|key| format!("method.{key}"));
    let of_models = manifest.models().filter_map(|promise| {
        let (entry, parameters) = (model::find(&promise.model)?, promise.parameters()?);
        Some(entry.unsaid(&parameters).into_iter().map(|key| format!("{}.{key}", entry.terms.name)))
    });
    of_method.chain(of_models.flatten()).collect()
}
