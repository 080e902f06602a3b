//! Hierarchies that follow from the form of a value: codes of a standard, codes with a prefix structure,
//! dates.

use super::structure::Structure;
use super::{AtcRule, DateRule, Icd10Rule, PrefixRule, UsZipRule};

/// A rule that knows the structure of its values.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Standard {
    Icd10(Icd10Rule),
    Atc(AtcRule),
    UsZip(UsZipRule),
    Prefix(PrefixRule),
    Date(DateRule),
}

impl Standard {
    pub(super) fn structure(&self) -> &dyn Structure {
        match self {
            Self::Icd10(rule) => rule,
            Self::Atc(rule) => rule,
            Self::UsZip(rule) => rule,
            Self::Prefix(rule) => rule,
            Self::Date(rule) => rule,
        }
    }
}
