//! What definitions share: ends of domains and alphabets.

use serde::Deserialize;

/// The alphabet of masks and prefixes where none is given.
pub(super) fn digits() -> u64 {
    10
}

/// An end of a domain: of numbers or of days.
#[derive(Debug, Deserialize)]
#[serde(untagged, expecting = "expected a number, or a day such as \"2021-03-04\"")]
pub(super) enum Bound {
    Number(f64),
    Day(String),
    /// A date of TOML, without quotes.
    Toml {
        #[serde(rename = "$__toml_private_datetime")]
        day: String,
    },
}

impl Bound {
    pub(super) fn number(bound: Option<Self>, name: &str) -> Result<f64, String> {
        match bound {
            Some(Self::Number(number)) => Ok(number),
            _ => Err(format!("an interval hierarchy needs `{name}`, a number, an end of the domain")),
        }
    }

    pub(super) fn day(bound: Option<Self>, name: &str) -> Result<String, String> {
        match bound {
            Some(Self::Day(day) | Self::Toml { day }) => Ok(day),
            _ => Err(format!(
                "a date hierarchy needs `{name}`, a day such as \"2021-03-04\", an end of the domain"
            )),
        }
    }
}
