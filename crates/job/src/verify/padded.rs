//! The largest class that can hold counterfeits. It follows from how classes are padded and from what is asked of them. Stated
//! otherwise, the figures that rest on it would be those of another release.

use velamen_contract::{Promised, model};
use velamen_report::{Manifest, OfMethod};
use velamen_search::method::Counterfeits;

/// Padding to a target that is drawn.
const DRAWN: &str = "random";

/// A drawn target is at most so many records above the least size.
const REACH: u64 = 6;

/// The least size where no model asks for one.
const LEAST: u64 = 2;

/// The key of a least size that goes with counterfeits and is no model's.
const OWN_SIZE: &str = "pad-to";

/// Whether the manifest states another size than the one that follows.
pub(super) fn is_misstated(manifest: &Manifest) -> bool {
    let catalogued = manifest.facts().counterfeits == Counterfeits::Catalogued;
    catalogued && manifest.method.largest_padded() != largest(manifest)
}

/// `None` where classes of any size can hold counterfeits: where padding is not random, where people are counted, and where it
/// goes on until models hold.
fn largest(manifest: &Manifest) -> Option<u64> {
    let method = &manifest.method;
    if method.padding() != Some(DRAWN) || method.counts_persons() {
        return None;
    }
    let own = method.entries().get(OWN_SIZE).map(|size| size.as_u64().unwrap_or(LEAST));
    let size = own.or_else(|| (!grows(manifest)).then(|| asked(manifest)));
    size.map(|size| size.saturating_add(REACH))
}

/// The size that models ask of every class.
fn asked(manifest: &Manifest) -> u64 {
    let mut models = manifest.models().peekable();
    match models.peek() {
        None => LEAST,
        Some(_) => model::size_asked(models.map(|promise| (&*promise.model, &promise.asked))),
    }
}

/// Whether padding goes on until models hold: where counterfeits stand in for people, or a model is about all classes together.
fn grows(manifest: &Manifest) -> bool {
    let mut beyond = manifest.models().filter(|promise| !is_of_size(promise)).peekable();
    beyond.peek().is_some() && (manifest.method.holds_of_real() != Some(true) || !beyond.all(is_of_values))
}

fn is_of_size(promise: &&Promised) -> bool {
    promise.asks_only_size() || promise.terms().is_some_and(|terms| terms.facts.of_catalog)
}

fn is_of_values(promise: &Promised) -> bool {
    promise.terms().is_some_and(|terms| terms.of_values(&promise.asked).is_some())
}
