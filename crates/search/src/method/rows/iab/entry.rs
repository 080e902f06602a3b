//! The search by bounds in the registry: most distinct rows under several shields.

use super::rows::{self, IabKeys};
use crate::method::kit::keys;
use crate::method::{Entry, Purpose};

const NAME: &str = "iab";

/// The method in the registry.
pub(in crate::method) const ENTRY: Entry = Entry {
    name: NAME,
    summary: "Arca & Hewett: generalizes shields so that as many distinct rows as can be are left.",
    purpose: Purpose::Papers,
    alias: None,
    words: rows::words,
    facts: rows::facts,
    stated: rows::stated,
    parse: |keys, task| rows::parse_iab(NAME, keys, task),
    schema: keys::schema::<IabKeys>,
    keys: keys::names::<IabKeys>,
};
