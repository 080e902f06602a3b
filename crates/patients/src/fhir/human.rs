//! What shows who a patient is: identifiers, names and links, none of which is ever released.

use crate::humans::{Human, Several, hash};

use super::json::Node;
use super::places::Places;
use super::resource::Resource;

/// Family names of those whose names nobody knows.
const NOBODY: [&str; 9] = ["unknown", "unbekannt", "anonymous", "anonym", "none", "n/a", "nn", "test", "-"];

/// What patients are called.
const PATIENT: &str = "Patient";

/// Of a resource.
pub(super) fn of(patient: Resource<'_, '_>) -> Human {
    let birth = patient.text("birthDate").unwrap_or_default();
    let sex = patient.text("gender").unwrap_or_default();
    let mut human = Human::default();
    each(patient, "identifier", |identifier| {
        human.numbers.extend(number(identifier).map(|number| (number, hash(&birth))));
    });
    // Of a year alone many have the same.
    each(patient, "name", |name| {
        human.given = human.given.or_else(|| given(name));
        human.names.extend(named(name).filter(|_| birth.len() == 10).map(|name| hash(&(name, &sex, &birth))));
    });
    each(patient, "link", |link| {
        let reference = link.get("other").get("reference").words();
        human.links.extend(reference.and_then(|reference| linked(&reference)));
    });
    human
}

/// Takes every part of a list.
fn each(patient: Resource<'_, '_>, name: &str, mut take: impl FnMut(Node<'_, '_>)) {
    if patient.has(name, "[")
        && let Ok(element) = patient.value(name)
    {
        element.node().list().for_each(&mut take);
    }
}

fn number(identifier: Node<'_, '_>) -> Option<u64> {
    let value = identifier.get("value").words().filter(|value| !value.trim().is_empty())?;
    Some(hash(&(identifier.get("system").words(), value)))
}

/// Family name and first given name.
fn named(name: Node<'_, '_>) -> Option<u64> {
    let family = name.get("family").words().filter(|family| !family.trim().is_empty())?;
    let family = Some(family.trim().to_lowercase()).filter(|family| !NOBODY.contains(&&**family))?;
    Some(hash(&(family, given(name)?)))
}

/// What stands for the first given name.
fn given(name: Node<'_, '_>) -> Option<u64> {
    Some(hash(&name.get("given").list().next()?.words()?.trim().to_lowercase()))
}

/// The id of the patient that a reference leads to.
fn linked(reference: &str) -> Option<u64> {
    let reference = reference.split_once("/_history/").map_or(reference, |(before, _)| before);
    let (before, id) = reference.rsplit_once('/')?;
    (before == PATIENT || before.ends_with("/Patient")).then(|| hash(&id))
}

/// What is said of patients who are one human with others.
pub(super) fn words(several: &Several, places: &Places) -> String {
    let place = |row: u32| {
        let place = places.of(PATIENT, row as usize);
        place.map(|(file, within)| format!("{}: {within}", file.display())).unwrap_or_default()
    };
    let seem = if several.number == 1 {
        "a patient seems to be the same human as an earlier one".to_owned()
    } else {
        format!("{} patients seem to be the same humans as earlier ones", several.number)
    };
    let (first, other) = (place(several.first.0), place(several.first.1));
    format!(
        "table `Patient`: {seem}, by an identifier and birth date, by name, gender and birth date, or by `link`; \
         the first is {first}, beside {other}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_lead_to_patients() {
        assert_eq!(linked("https://a/fhir/Patient/p1/_history/2"), Some(hash(&"p1")));
        assert_eq!((linked("RelatedPerson/p1"), linked("p1")), (None, None));
    }
}
