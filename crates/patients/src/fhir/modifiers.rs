//! Elements that change what others say: what stands beside them is not meant as it stands.

use velamen_contract::linked::Shape;
use velamen_core::error::Problem;

use super::json::Node;
use super::kinds::Kind;
use super::resource::Resource;
use crate::shape;

/// The extension that changes what others say.
const EXTENSION: &str = "modifierExtension";

/// The rules that nobody knows here.
const RULES: &str = "implicitRules";

/// Elements that turn a resource into its opposite, or into less than it seems, if they are true.
const TURNED: [&str; 2] = ["doNotPerform", "isSubpotent"];

/// The elements that can say that what a resource describes is not so.
const STATES: [&str; 2] = ["status", "verificationStatus"];

/// Whether a resource says something else than its elements by themselves.
///
/// # Errors
/// The name of an element of another JSON type than R4 has, and what is wrong with it.
pub(super) fn is_modified(resource: Resource<'_, '_>) -> Result<bool, (&'static str, Problem)> {
    let mut is_modified = false;
    for name in [EXTENSION, RULES].into_iter().chain(TURNED).filter(|name| resource.has(name, "")) {
        let element = resource.value(name).map_err(|problem| (name, problem))?;
        is_modified |= changes(name, element.node()).map_err(|problem| (name, problem))?;
    }
    Ok(is_modified)
}

/// Whether a part of a resource, or one that is contained, has such an extension or such rules.
///
/// # Errors
/// An element of another JSON type than R4 has.
pub(super) fn is_part_modified(part: Node<'_, '_>) -> Result<bool, Problem> {
    Ok(changes(EXTENSION, part.get(EXTENSION))? | changes(RULES, part.get(RULES))?)
}

/// Whether a resource says, by a status or by any coding of one, that what it describes is not so.
pub(super) fn is_denied(resource: Resource<'_, '_>, kind: &Kind) -> bool {
    let denies = |path: &str, code: Node<'_, '_>| {
        code.text().is_some_and(|code| shape::denies(Shape::Fhir, path, code))
    };
    let mut stated = kind.columns.iter().filter(|column| STATES.contains(&column.path));
    stated.any(|column| {
        let Ok(element) = resource.of_column(column) else { return false };
        let mut codings = element.node().get("coding").list();
        denies(column.path, element.node()) || codings.any(|one| denies(column.path, one.get("code")))
    })
}

/// Whether an element of that name changes what others say.
fn changes(name: &str, element: Node<'_, '_>) -> Result<bool, Problem> {
    let (changes, expected) = match name {
        _ if element.is_null() => return Ok(false),
        EXTENSION => (element.is_list().then_some(true), "a list of extensions"),
        RULES => (element.text().map(|_| true), "a string"),
        _ => (element.bool(), "true or false"),
    };
    changes.ok_or_else(|| Problem::new("of another JSON type").expected(expected))
}
