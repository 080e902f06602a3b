//! The eighteen identifiers of the Safe Harbor method, 45 CFR 164.514(b)(2)(i).

use serde::{Serialize, Serializer};

/// One of the eighteen, in the order of the rule: (A) to (R).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs, reason = "the titles say it")]
pub enum Identifier {
    Name,
    Geographic,
    Date,
    Telephone,
    Fax,
    Email,
    SocialSecurity,
    MedicalRecord,
    HealthPlan,
    Account,
    License,
    Vehicle,
    Device,
    Url,
    IpAddress,
    Biometric,
    Photograph,
    Other,
}

/// What the rule calls each, and what to do with a column of them.
const RULE: [(&str, &str); 18] = [
    ("names", DROP),
    (
        "geographic subdivisions smaller than a state",
        "drop addresses; generalize the rest, ZIP codes to three digits (000 where fewer than 20,000 people live)",
    ),
    ("dates (but the year) and ages over 89", "generalize dates to the year, and ages over 89 to one group"),
    ("telephone numbers", DROP),
    ("fax numbers", DROP),
    ("e-mail addresses", DROP),
    ("social security numbers", DROP),
    ("medical record numbers", "drop it, or give pseudonyms that are kept apart"),
    ("health plan beneficiary numbers", DROP),
    ("account numbers", DROP),
    ("certificate and license numbers", DROP),
    ("vehicle identifiers and license plates", DROP),
    ("device identifiers and serial numbers", DROP),
    ("web addresses", DROP),
    ("IP addresses", DROP),
    ("biometric identifiers", DROP),
    ("full-face photographs and comparable images", DROP),
    ("any other unique number, characteristic or code", "drop it, or give pseudonyms that are kept apart"),
];

const DROP: &str = "drop it";

impl Identifier {
    /// All eighteen.
    pub const ALL: [Self; 18] = [
        Self::Name,
        Self::Geographic,
        Self::Date,
        Self::Telephone,
        Self::Fax,
        Self::Email,
        Self::SocialSecurity,
        Self::MedicalRecord,
        Self::HealthPlan,
        Self::Account,
        Self::License,
        Self::Vehicle,
        Self::Device,
        Self::Url,
        Self::IpAddress,
        Self::Biometric,
        Self::Photograph,
        Self::Other,
    ];

    /// Its letter in the rule.
    #[must_use]
    pub fn letter(self) -> char {
        char::from(b'A' + self as u8)
    }

    /// What the rule calls it.
    #[must_use]
    pub fn title(self) -> &'static str {
        RULE[self as usize].0
    }

    /// What to do with it.
    #[must_use]
    pub fn advice(self) -> &'static str {
        RULE[self as usize].1
    }
}

impl Serialize for Identifier {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&format_args!("{}", self.letter()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_follow_the_rule() {
        let letters: String = Identifier::ALL.iter().map(|identifier| identifier.letter()).collect();
        assert_eq!(letters, "ABCDEFGHIJKLMNOPQR");
        assert_eq!(Identifier::Fax.title(), "fax numbers");
        assert_eq!(Identifier::Other.letter(), 'R');
    }
}
