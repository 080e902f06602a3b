//! The names of forms.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a form is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[schemars(inline)]
pub enum FormName {
    /// The anonymization report of the European Medicines Agency, Policy 0070.
    #[serde(rename = "ema-0070")]
    Ema0070,
    /// The anonymization report of Health Canada.
    #[serde(rename = "health-canada")]
    HealthCanada,
    /// ISO/IEC 27559.
    #[serde(rename = "iso-27559")]
    Iso27559,
    /// Opinion 05/2014 of the Article 29 Working Party, and the pseudonymization of the EDPB.
    #[serde(rename = "wp29")]
    Wp29,
    /// The guidance of the Information Commissioner's Office.
    #[serde(rename = "ico")]
    Ico,
    /// The expert determination of HIPAA.
    #[serde(rename = "hipaa-expert")]
    HipaaExpert,
    /// An entry of the public registry of differential privacy.
    #[serde(rename = "dp-registry")]
    DpRegistry,
    /// A card for a catalogue: Croissant and DCAT.
    #[serde(rename = "data-card")]
    DataCard,
    /// A statement of in-toto, to be signed.
    #[serde(rename = "attestation")]
    Attestation,
}

impl FormName {
    /// All forms.
    pub const ALL: [Self; 9] = [
        Self::Ema0070,
        Self::HealthCanada,
        Self::Iso27559,
        Self::Wp29,
        Self::Ico,
        Self::HipaaExpert,
        Self::DpRegistry,
        Self::DataCard,
        Self::Attestation,
    ];

    /// As commands and files have it.
    #[must_use]
    pub fn name(self) -> String {
        serde_json::to_value(self).ok().and_then(|name| name.as_str().map(str::to_owned)).unwrap_or_default()
    }

    /// The form with whose questions it shares its own.
    pub(super) fn template(self) -> Self {
        match self {
            Self::HealthCanada => Self::Ema0070,
            form => form,
        }
    }

    /// The form's title.
    #[must_use]
    pub fn title(self) -> String {
        let first = self.text().lines().next().unwrap_or_default();
        first.trim_start_matches("title = ").trim_matches('"').to_owned()
    }

    /// The form's text, in TOML.
    pub(super) fn text(self) -> &'static str {
        match self {
            Self::Ema0070 => include_str!("forms/ema-0070.toml"),
            Self::HealthCanada => include_str!("forms/health-canada.toml"),
            Self::Iso27559 => include_str!("forms/iso-27559.toml"),
            Self::Wp29 => include_str!("forms/wp29.toml"),
            Self::Ico => include_str!("forms/ico.toml"),
            Self::HipaaExpert => include_str!("forms/hipaa-expert.toml"),
            Self::DpRegistry => include_str!("forms/dp-registry.toml"),
            Self::DataCard => include_str!("forms/data-card.toml"),
            Self::Attestation => include_str!("forms/attestation.toml"),
        }
    }
}
