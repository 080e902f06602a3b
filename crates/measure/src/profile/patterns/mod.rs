//! Shapes of cells that tell what they are, with their check digits and rules of plausibility.

mod contact;
mod digits;
mod finance;
mod network;
mod numbers;
mod person_number;

use super::identifier::Identifier;

/// How much a shape says by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strength {
    /// Hardly anything else looks like it, not even single cells.
    Unmistakable,
    /// A column of it is no accident, single cells may be.
    Telling,
    /// Other things look like it: it takes the name of the column as well.
    Weak,
}

/// A shape.
#[derive(Debug, Clone, Copy)]
pub struct Pattern {
    /// What it is, for people.
    pub title: &'static str,
    /// What it identifies.
    pub identifier: Identifier,
    /// How much it says.
    pub strength: Strength,
    /// Whether a cell has it.
    pub fits: fn(&str) -> bool,
}

const fn pattern(
    title: &'static str,
    identifier: Identifier,
    strength: Strength,
    fits: fn(&str) -> bool,
) -> Pattern {
    Pattern { title, identifier, strength, fits }
}

/// All shapes; where several fit, the first is named.
pub const PATTERNS: &[Pattern] = &[
    pattern("e-mail addresses", Identifier::Email, Strength::Unmistakable, network::is_email),
    pattern("web addresses", Identifier::Url, Strength::Unmistakable, network::is_url),
    pattern("IPv4 addresses", Identifier::IpAddress, Strength::Unmistakable, network::is_ipv4),
    pattern("IPv6 addresses", Identifier::IpAddress, Strength::Unmistakable, network::is_ipv6),
    pattern("MAC addresses", Identifier::Device, Strength::Unmistakable, network::is_mac),
    pattern("UUIDs", Identifier::Other, Strength::Unmistakable, network::is_uuid),
    pattern(
        "Korean resident registration numbers with their birth date",
        Identifier::SocialSecurity,
        Strength::Unmistakable,
        person_number::is_rrn_with_hyphen,
    ),
    pattern(
        "Korean resident registration numbers with birth date and check digit",
        Identifier::SocialSecurity,
        Strength::Telling,
        person_number::is_rrn,
    ),
    pattern(
        "US social security numbers, written with hyphens",
        Identifier::SocialSecurity,
        Strength::Unmistakable,
        person_number::is_ssn_with_hyphens,
    ),
    pattern("US social security numbers", Identifier::SocialSecurity, Strength::Weak, person_number::is_ssn),
    pattern(
        "Medicare beneficiary identifiers",
        Identifier::HealthPlan,
        Strength::Telling,
        person_number::is_mbi,
    ),
    pattern("IBANs with check digits", Identifier::Account, Strength::Unmistakable, finance::is_iban),
    pattern("card numbers with check digit", Identifier::Account, Strength::Telling, finance::is_card),
    pattern(
        "US provider identifiers (NPI) with check digit",
        Identifier::License,
        Strength::Telling,
        numbers::is_npi,
    ),
    pattern("DEA numbers with check digit", Identifier::License, Strength::Telling, numbers::is_dea),
    pattern(
        "vehicle identification numbers with check digit",
        Identifier::Vehicle,
        Strength::Telling,
        numbers::is_vin,
    ),
    pattern(
        "device identifiers (UDI) with check digit",
        Identifier::Device,
        Strength::Telling,
        numbers::is_udi,
    ),
    pattern("IMEIs with check digit", Identifier::Device, Strength::Weak, numbers::is_imei),
    pattern("telephone numbers", Identifier::Telephone, Strength::Telling, contact::is_written_phone),
    pattern("telephone numbers", Identifier::Telephone, Strength::Weak, contact::is_bare_phone),
    pattern("ZIP+4 codes", Identifier::Geographic, Strength::Telling, contact::is_zip_plus_4),
    pattern("postal codes", Identifier::Geographic, Strength::Weak, contact::is_postal_code),
    pattern("names of picture files", Identifier::Photograph, Strength::Telling, network::is_picture),
    pattern("names of sound or scan files", Identifier::Biometric, Strength::Telling, network::is_recording),
];

impl Pattern {
    /// Whether a word of a longer text has the shape.
    #[must_use]
    pub fn is_within(&self, text: &str) -> bool {
        let mut words =
            text.split(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | '<' | '>' | '(' | ')' | '"'));
        text.contains(char::is_whitespace)
            && words.any(|word| {
                (self.fits)(word.trim_matches(|c: char| matches!(c, '.' | ':' | '\'' | '!' | '?')))
            })
    }
}
